"""Games between agents, played to the end."""
