"""Tests of matches and statistics."""
