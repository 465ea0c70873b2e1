"""Agents that may go wrong: guarded, and in a process of their own."""
