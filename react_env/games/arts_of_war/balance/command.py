"""`react-env balance`: is the game fair."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from react_env.cli.common import JsonOption, SeedOption, ThreadsOption, counter, errors, output, print_json


def balance(
    agent: Annotated[
        str,
        typer.Option("--agent", metavar="AGENT", help="Who plays both sides: random, greedy, greedy:4, or a model."),
    ] = "greedy",
    games: Annotated[
        int,
        typer.Option(
            "--games", "-n", metavar="N", min=2, help="Games of each pairing, half with either artist in seat 0."
        ),
    ] = 200,
    artists: Annotated[
        str | None,
        typer.Option(
            "--artists", metavar="A,B,...", help="Artists, or paths of artist files; by default all of the edition."
        ),
    ] = None,
    edition: Annotated[
        str, typer.Option("--edition", metavar="NAME", help="The edition, or the path of a folder of card files.")
    ] = "standard",
    seed: SeedOption = 0,
    file: Annotated[
        Path | None,
        typer.Option(
            "--file",
            metavar="FILE",
            dir_okay=False,
            help="Write everything here after each pairing; what is there already is not played again.",
        ),
    ] = None,
    markdown: Annotated[
        Path | None, typer.Option("--markdown", metavar="FILE", dir_okay=False, help="Write a page for the docs here.")
    ] = None,
    any_rules: Annotated[
        bool, typer.Option("--any-rules", help="Let models play that were trained under other rules or artists.")
    ] = False,
    threads: ThreadsOption = 2,
    as_json: JsonOption = False,
) -> None:
    """Play all artists of Re;ACT against each other, and tell how even they are.

    The same agent plays both sides; each pairing plays the same deals from both seats. Shown are the win rates with their 95 %
    intervals (Wilson), how long games take and how they end, and what misses the bars for a fair game. With **--file** an interrupted run
    goes on where it stopped.
    """
    from react_env.games.arts_of_war.balance.pairings import Balance, Settings
    from react_env.games.arts_of_war.balance.report import balance_page, balance_report

    chosen = None if artists is None else [name.strip() for name in artists.split(",")]
    run = Balance(Settings(agent, games, seed, edition), chosen, threads=threads, any_rules=any_rules)
    if file is not None:
        known = run.resume(file)
        run.save(file)  # what cannot be written is better told now than after the first pairing
        if known:
            errors().print(f"{known} of {len(run.pairings)} pairings are in {file} already", highlight=False)
    interrupted = False
    with counter("all pairings") as update:
        try:
            for _ in run.play(update):
                if file is not None:
                    run.save(file)
        except KeyboardInterrupt:
            interrupted = True
    if as_json:
        print_json(run.to_json())
    if run.results:
        if not as_json:
            output().print(balance_report(run))
        if markdown is not None:
            from react_env.files import write_aside

            write_aside(markdown, balance_page(run))
    if interrupted:
        raise KeyboardInterrupt
