"""Agents that may fail: behind checks, and in a process of their own."""
