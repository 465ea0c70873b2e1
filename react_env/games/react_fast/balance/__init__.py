"""Whether React Fast is fair: what speed, seats and single traveling cards are worth."""
