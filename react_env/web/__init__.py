"""Games in a browser: recordings as single files, and a local page to play, watch and try cards."""
