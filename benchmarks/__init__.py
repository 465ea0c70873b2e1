"""Measurements that need processes or minutes of their own; the quick ones are `react-env bench` (react_env/evaluation/benchmarks.py)."""

import sys
from collections.abc import Callable

import typer


def command(main: Callable[..., None]) -> None:
    """Run a measurement whose options are the parameters of `main`; its help is the docstring of its module."""
    app = typer.Typer(add_completion=False, rich_markup_mode=None)
    app.command(help=sys.modules[main.__module__].__doc__)(main)
    app()
