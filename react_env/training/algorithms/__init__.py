"""What learns: PPO, TD(lambda), imitation."""
