"""Who plays: random, greedy, scripted, search and neural agents behind one protocol."""

from agents.protocol import Agent, AnyAgent, StateAgent, choose, uses_states
from agents.registry import available, load

__all__ = ["Agent", "AnyAgent", "StateAgent", "available", "choose", "load", "uses_states"]
