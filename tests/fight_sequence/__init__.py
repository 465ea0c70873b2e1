"""Fight Sequence."""
