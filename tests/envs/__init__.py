"""Tests of the adapters to other ecosystems."""
