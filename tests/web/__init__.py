"""The page and the recordings."""
