"""Tests of the engine, on the toy game and on the real ones."""
