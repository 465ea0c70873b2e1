"""Many agents against each other, in a file that grows."""
