"""A run of self-play: opponents, schedule, checkpoints."""
