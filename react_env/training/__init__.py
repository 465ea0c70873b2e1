"""How to become better: self-play, pools of opponents, checkpoints."""
