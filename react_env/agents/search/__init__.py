"""Agents that simulate, by flat Monte Carlo and tree search, and the look-ahead that other agents share."""
