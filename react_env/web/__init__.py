"""Games in a browser: recordings as one file, and a local page to play, watch and try cards."""
