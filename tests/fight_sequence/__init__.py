"""Tests of Fight Sequence."""
