"""The balance laboratory: how even a game is, what each card is worth, and what an edit of the cards changes."""
