"""Measurements that need processes or minutes of their own; the quick ones are `react-env bench` (react_env/evaluation/benchmarks.py)."""
