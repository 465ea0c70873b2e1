"""Players: random, greedy, scripted, search and neural agents, and users' own, behind one protocol."""

from react_env.agents.process.guard import AgentFault, Chooser, Fault, guarded
from react_env.agents.protocol import Agent, AnyAgent, StateAgent, choose, choose_one, new_memory, uses_states
from react_env.agents.registry import available, fingerprint, load
from react_env.agents.search.action_features import ActionFeatures

__all__ = [
    "ActionFeatures",
    "Agent",
    "AgentFault",
    "AnyAgent",
    "Chooser",
    "Fault",
    "StateAgent",
    "available",
    "choose",
    "choose_one",
    "fingerprint",
    "guarded",
    "load",
    "new_memory",
    "uses_states",
]
