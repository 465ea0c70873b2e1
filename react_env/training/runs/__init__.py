"""What is made of runs: reports, averages, champions, attackers."""
