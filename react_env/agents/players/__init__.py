"""Who plays by itself: at random, by looking ahead, by a network, by what was learned."""
