"""What games declare as data, and how it is read: options, files of cards, and the words that tell of them."""
