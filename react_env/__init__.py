"""Card games as fast environments for reinforcement learning: load(), games(), version."""
