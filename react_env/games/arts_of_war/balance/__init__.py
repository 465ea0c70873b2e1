"""How even the artists are: all pairings of an agent with itself."""
