"""`react-env balance reality_tcg-v0`: each installed deck against each other, who begins, how long games last."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated

import typer

from react_env.cli.common import (
    JsonOption,
    SeedOption,
    SetOption,
    ThreadsOption,
    counter,
    named_values,
    output,
    print_json,
)


def balance(
    agent: Annotated[str, typer.Option("--agent", metavar="AGENT", help="Who plays both seats.")] = "champion",
    games: Annotated[int, typer.Option("--games", "-n", metavar="N", min=1, help="How many.")] = 5000,
    sets: SetOption = None,
    seed: SeedOption = 0,
    threads: ThreadsOption = 2,
    as_json: JsonOption = False,
) -> None:
    """Tell how even Reality TCG is: each installed deck against each other, who begins, how long games last.

    Both players draw a deck in each game. **--set** changes a rule, or names other decks: `--set 'pool=["a.yaml", "b.yaml"]'`.
    """
    from react_env.games.reality_tcg.balance.study import measure

    with counter("games") as update:
        found = measure(agent, games, seed=seed, threads=threads, progress=update, **named_values(sets))
    if as_json:
        print_json(asdict(found))
        return
    from rich import box
    from rich.table import Table

    from react_env.evaluation.ratings.intervals import interval_text, percent

    table = Table(
        box=box.SIMPLE_HEAD,
        padding=(0, 1, 0, 0),
        title="score of a deck (a win 1, a tie one half) against each deck, %",
        title_justify="left",
        title_style="bold",
    )
    for column in ("deck", *found.decks, "all others"):
        table.add_column(column, justify="left" if column == "deck" else "right")
    for i, deck in enumerate(found.decks):
        row = ["" if i == j else _cell(found.scores[i][j], found.games[i][j]) for j in range(len(found.decks))]
        others = [j for j in range(len(found.decks)) if j != i]
        row.append(_cell(sum(found.scores[i][j] for j in others), sum(found.games[i][j] for j in others)))
        table.add_row(deck, *row)
    console = output()
    console.print(table)
    low, quarter, median, most, high = (f"{turns:.0f}" for turns in found.turns)
    console.print(
        f"{found.played:,} games of {found.agent} against itself, {found.played - found.decided:,} of them ties."
    )
    if found.decided:
        console.print(
            f"Who begins wins {percent(found.began / found.decided)} ({interval_text(found.began, found.decided)}) of those with a winner.",
            highlight=False,
        )
    console.print(
        f"A game takes {median} turns of both players together (the middle half {quarter} to {most}, 90 % of all {low} to {high}); "
        f"{percent(found.cut / found.played)} are ended by the limit of turns.",
        highlight=False,
    )


def _cell(score: float, games: int) -> str:
    """A score in percent, and its interval on a line of its own."""
    from react_env.evaluation.ratings.intervals import wilson_score

    if not games:
        return ""
    low, high = wilson_score(score / games, games)
    return f"{100 * score / games:.0f}\n{100 * low:.0f}-{100 * high:.0f}"
