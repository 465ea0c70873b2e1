"""What if: the same deals with two editions, played until each difference is known well enough."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from react_env.errors import OptionError
from react_env.evaluation.lab.findings import Change, changes
from react_env.evaluation.lab.games import DEALS, Cell, Outcomes
from react_env.evaluation.lab.study import Study, Work

FIRST = 50  # deals of each ordered pairing to begin with


@dataclass(frozen=True)
class Compared:
    """What an edit changes in the hands of one agent, or of one before it and another after it.

    Attributes:
        agents: who plays without the edit, and who plays with it.
        changes: in the pairings that the edit can touch.
        open: how many differences are less precise than was asked, because the budget ended.
    """

    agents: tuple[str, str]
    changes: tuple[Change, ...]
    open: int

    @property
    def name(self) -> str:
        """Who plays, in words."""
        before, after = self.agents
        return after if before == after else f"{before} before and {after} after"


def touched(before: Study, after: Study) -> tuple[list[Cell], int]:
    """The pairings that do not play the same game in both, and how many others there are.

    OptionError if the two cannot be compared: their sides differ, or there is only one.
    """
    if before.sides != after.sides:
        ours, theirs = ", ".join(before.sides) or "none", ", ".join(after.sides) or "none"
        both = [side for side in before.sides if side in after.sides]
        advice = f"; --sides {','.join(both)} compares those of both" if len(both) > 1 else ""
        raise OptionError(f"the two cannot be compared: the sides of one are {ours}, of the other {theirs}{advice}")
    if len(before.sides) == 1:
        raise OptionError(
            f"{before.sides[0]} alone has no pairing that could move; name two sides or more, or study each edition by itself"
        )
    found = [cell for cell in before.cells if before.played_by(cell) != after.played_by(cell)]
    # Both orders of a pairing are played, even if an edit touches only one.
    cells = list(dict.fromkeys(one for cell in found for one in (cell, Cell(cell.sides[::-1]))))
    return cells, len({tuple(sorted(cell.sides)) for cell in before.cells} - {tuple(sorted(c.sides)) for c in cells})


def compare(
    before: Study,
    after: Study,
    cells: Sequence[Cell],
    players: Sequence[tuple[str, str]],
    *,
    precision: float,
    budget: int,
    progress: Callable[[int, int], None] = lambda done, total: None,
    found_so_far: Callable[[list[Change]], None] = lambda changes: None,
) -> list[Compared]:
    """Play rounds until the 95 % interval of each difference reaches no further than `precision` to either side, or the budget ends.

    Each round doubles the deals of the pairings that are not known well enough. Waiting for a fixed width, not for a result, keeps the
    intervals honest (Chow and Robbins, 1965).

    Args:
        cells: what `touched` found.
        players: who plays before and after; agents of the two studies.
        precision: a score, between 0 and 1.
        budget: games in all, shared evenly among the `players`.
        progress: called with the number of games played, and of games in all.
        found_so_far: called again and again with the changes in the pairings played so far.

    Raises:
        OptionError: the precision is out of range, or the budget too small for the first round.
    """
    check(cells, len(players), precision, budget)
    share, found = budget // len(players), []
    pairs = [(cell.sides[0], cell.sides[1]) for cell in cells if cell.sides[0] < cell.sides[1]]
    total, done = len(players) * share, 0
    for number, both in enumerate(players):
        deals = dict.fromkeys(pairs, FIRST)  # of each pairing in either order
        known: dict[tuple[str, str], int] = {}  # deals of the pairings that both studies have played
        found_now: list[Change] = []
        wide: list[tuple[str, str]] = []
        spent = 4 * sum(deals.values())
        while pairs:
            # A cluster gets a whole round at once. Without one, results come pairing by pairing.
            for part in [pairs] if after.cluster is not None else [[pair] for pair in pairs]:
                for study, agent in zip((before, after), both):
                    games = 0
                    for games in study.play(
                        [Work(agent, cell, deals[pair]) for pair in part for cell in _orders(pair)]
                    ):
                        progress(min(total, done + games), total)
                    done += games
                known |= {pair: deals[pair] for pair in part}
                found_now = changes(
                    [_pairing(before, after, both, pair, known[pair]) for pair in pairs if pair in known]
                )
                found_so_far(found_now)
            widths = {
                (change.side, change.other): change.difference.high - change.difference.low for change in found_now
            }
            wide = sorted((pair for pair in pairs if widths[pair] > 2 * precision), key=lambda pair: -widths[pair])
            more = []
            for pair in wide:  # the widest first, in case the budget does not cover all of them
                # As many deals again, and those of a block that was not full once more; in two orders, with two editions.
                due = 4 * (deals[pair] + deals[pair] % DEALS)
                if spent + due <= share:
                    more.append(pair)
                    spent += due
            if not more:
                break
            deals |= {pair: 2 * deals[pair] for pair in more}
        done = (number + 1) * share
        found.append(Compared(both, tuple(found_now), len(wide)))
    return found


def check(cells: Sequence[Cell], agents: int, precision: float, budget: int) -> None:
    """Raise OptionError if the precision is out of range, or the budget too small for the first round of so many agents."""
    if not 0 < precision < 1:
        raise OptionError(f"the precision is {100 * precision:g} points; allowed: above 0, below 100")
    least = 2 * FIRST * len(cells) * agents
    if budget < least:
        raise OptionError(f"a budget of {budget:,} games is too small: {least:,} are needed to begin with")


def _orders(pair: tuple[str, str]) -> tuple[Cell, Cell]:
    """A pairing with either side first."""
    return Cell(pair), Cell(pair[::-1])


def _pairing(
    before: Study, after: Study, players: tuple[str, str], pair: tuple[str, str], deals: int
) -> tuple[str, str, list[list[Outcomes]]]:
    """A pairing and its games, as `changes` takes them."""
    games = [
        [study.outcomes(agent, cell, deals) for cell in _orders(pair)] for study, agent in zip((before, after), players)
    ]
    return (*pair, games)
