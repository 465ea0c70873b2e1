"""What every game shares: records, batches, the random stream, layouts, histories and compilation. It knows no rules and no RL library."""
