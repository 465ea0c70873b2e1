"""What the templates of single-file pages have in common."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from react_env.extras import need

if TYPE_CHECKING:
    from jinja2 import Environment


def environment(*packages: str) -> Environment:
    """Jinja with the templates of `packages` and of this package, which holds the style of all pages (page.css, plots.css)."""
    need("eval", "jinja2")
    from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined

    return Environment(
        loader=ChoiceLoader([PackageLoader(package) for package in (*packages, "react_env.evaluation")]),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )


@dataclass(frozen=True)
class Axis:
    """A scale of a plot: where values lie, in percent of its width."""

    low: float
    high: float
    ticks: tuple[float, ...]

    @classmethod
    def of(cls, lows: Sequence[float], highs: Sequence[float]) -> Axis:
        """The axis from a little below all `lows` (from 0 if that is the lowest) to a little above all `highs`, with round ticks."""
        need("eval", "matplotlib")
        from matplotlib.ticker import MaxNLocator

        low, high = min(lows), max(highs)
        room = 0.03 * (high - low) or 10.0
        low, high = (low - room if low else 0.0), high + room
        ticks = MaxNLocator(nbins=8, steps=[1, 2, 2.5, 5, 10]).tick_values(low, high)
        return cls(low, high, tuple(float(tick) for tick in ticks if low <= tick <= high))

    def at(self, value: float) -> str:
        """Where `value` lies, as a CSS length."""
        return f"{100 * (value - self.low) / (self.high - self.low):.2f}%"

    def width(self, start: float, end: float) -> str:
        """How far `end` is from `start`, as a CSS length."""
        return f"{100 * (end - start) / (self.high - self.low):.2f}%"
