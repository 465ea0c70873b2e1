"""What games declare as data, and how it is read: options, card files, and the texts that describe them."""
