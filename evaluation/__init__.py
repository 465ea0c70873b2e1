"""Who is better, and is the game fair: matches, ratings, reports."""
