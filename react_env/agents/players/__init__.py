"""Agents that play at random, by looking ahead, by rules of thumb, by a network or by a learned value."""
