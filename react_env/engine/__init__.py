"""What every game shares: records, batches, the random stream, layouts, replays and compilation. Knows no rules and no RL library."""
