"""The tests: worked examples of the rules, golden games, properties, past bugs."""
