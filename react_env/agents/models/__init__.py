"""Networks and values as files, and how they are checked."""
