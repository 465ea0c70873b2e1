"""How strong the sides of a game are."""
