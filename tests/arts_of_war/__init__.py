"""Tests of Re;ACT - The Arts of War."""
