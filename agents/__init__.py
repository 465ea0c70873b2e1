"""Who plays: random, greedy, scripted, search and neural agents behind one protocol."""
