"""Tests of the balance laboratory."""
