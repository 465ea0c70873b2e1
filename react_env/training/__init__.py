"""Training: self-play, pools of opponents, checkpoints."""
