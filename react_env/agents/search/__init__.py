"""Who tries moves out: flat Monte Carlo, tree search, and the looking ahead that others share."""
