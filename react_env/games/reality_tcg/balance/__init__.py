"""Whether Reality TCG is fair: its decks against each other, and who begins."""
