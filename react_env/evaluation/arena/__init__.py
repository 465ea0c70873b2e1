"""Many agents play each other; a file collects the games."""
