"""Models: their files and how these are checked, and networks in compiled code and in torch."""
