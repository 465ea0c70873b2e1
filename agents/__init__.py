"""Who plays: random, greedy, scripted, search and neural agents, and a person's own, behind one protocol."""

from agents.guard import AgentFault, Chooser, Fault, guarded
from agents.protocol import Agent, AnyAgent, StateAgent, choose, uses_states
from agents.registry import available, fingerprint, load

__all__ = [
    "Agent",
    "AgentFault",
    "AnyAgent",
    "Chooser",
    "Fault",
    "StateAgent",
    "available",
    "choose",
    "fingerprint",
    "guarded",
    "load",
    "uses_states",
]
