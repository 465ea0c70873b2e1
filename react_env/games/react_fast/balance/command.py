"""`react-env balance react_fast-v0`: what decides the game."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Annotated

from typer import Option

from react_env.cli import flags
from react_env.cli.common import check_place, counter, errors, interrupted, output, print_json
from react_env.errors import OptionError
from react_env.extras import need


def balance(
    agent: Annotated[str, Option(metavar="AGENT", help="Who plays all seats.")] = "scripted",
    deals: Annotated[
        int,
        Option(
            "--deals",
            "-n",
            metavar="N",
            min=2,
            help="Deals for each question; the player who differs sits at every seat.",
        ),
    ] = 500,
    players: Annotated[str, Option(metavar="N,...", help="How many play.")] = "2,3,4,6",
    scales: Annotated[
        str, Option(metavar="X,...", help="Latencies of one player, times those of the others.")
    ] = "0.7,0.85,1.15,1.3",
    profile: Annotated[
        str, Option(metavar="NAME", help="How fast players are: fast, average, slow or a YAML file.")
    ] = "average",
    seed: flags.Seed = 0,
    file: Annotated[
        Path | None,
        Option(
            metavar="FILE",
            dir_okay=False,
            help="Write everything here after each question; what is there already is not played again.",
        ),
    ] = None,
    markdown: flags.Markdown = None,
    threads: flags.Threads = flags.ALL,
    as_json: flags.Json = False,
) -> None:
    """Measure what decides React Fast: speed, the order of turns, and each traveling card.

    One agent plays all seats. One player is then made quicker or slower, or may not activate one traveling card, on the same deals. With
    **--file** an interrupted run continues.
    """
    check_place("--file", file)
    check_place("--markdown", markdown)
    need("eval")
    from react_env.evaluation.document import as_console, as_markdown
    from react_env.games.react_fast.balance.report import balance_plot, balance_report, stacked
    from react_env.games.react_fast.balance.study import Settings, Study

    counts = tuple(int(count) for count in _numbers(players, "--players", whole=True))
    study = Study(Settings(agent, deals, seed, counts, _numbers(scales, "--scales"), profile), threads=threads)
    if file is not None:
        from react_env.files import write_json

        known = study.resume(file)
        write_json(file, study.to_json())  # report now, not after the first question, what cannot be written
        if known:
            errors().print(f"{known} of {len(study.questions)} questions are in {file} already", highlight=False)
    stopped = False
    with counter("all questions") as update:
        try:
            for _ in study.play(update):
                if file is not None:
                    write_json(file, study.to_json())
        except KeyboardInterrupt:
            stopped = True
    if as_json:
        print_json(study.to_json())
    if study.answers:
        if not as_json:
            output().print(as_console(balance_report(study), stacked))
        if markdown is not None:
            from react_env.files import write_all_aside

            plot = markdown.with_suffix(".svg")
            write_all_aside({markdown: as_markdown(balance_report(study, plot.name)), plot: balance_plot(study)})
    if stopped:
        raise interrupted(file)


def _numbers(text: str, option: str, *, whole: bool = False) -> tuple[float, ...]:
    """'2,3,4' -> (2.0, 3.0, 4.0). OptionError."""
    try:
        found = tuple(float(word) for word in text.split(","))
    except ValueError:
        found = ()
    if not found or any(not 0 < value < math.inf or (whole and value != int(value)) for value in found):
        raise OptionError(
            f"{option} {text}: expected {'whole ' if whole else ''}numbers above 0, such as {'2,4' if whole else '0.7,1.3'}"
        )
    return found
