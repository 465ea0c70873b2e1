"""Tests of React Fast."""
