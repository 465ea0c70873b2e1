"""How strong agents are, and how surely."""
