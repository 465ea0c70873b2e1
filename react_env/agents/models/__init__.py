"""Networks and judgements as files, and how they are checked."""
