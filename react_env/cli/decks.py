"""`react-env decks search`: find a deck that beats a field of decks."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from typer import Argument, Option

from react_env.cli import flags
from react_env.cli.common import check_place, counter, errors, interrupted, named_values, output, print_json
from react_env.registry import descriptions

_GAMES = [about.id for about in descriptions().values() if about.deck_space]

app = typer.Typer(rich_markup_mode="markdown", help="Studies of decks, in games whose players build them.")


@app.callback()
def _decks() -> None:
    pass


@app.command()
def search(
    game: Annotated[str, Argument(metavar="GAME", help=f"{', '.join(_GAMES)}.", show_default=False)] = _GAMES[0],
    field: Annotated[
        str, Option(metavar="A,B,...", help="The decks to beat, names or files; else all installed.")
    ] = "",
    agent: Annotated[str, Option(metavar="AGENT", help="Who plays all decks.")] = "scripted",
    trials: Annotated[int, Option(metavar="N", help="Decks to try.")] = 300,
    deals: Annotated[int, Option(metavar="N", help="Deals that each plays against each deck of the field.")] = 16,
    report: Annotated[int, Option(metavar="N", help="The same for the final report on the deck found.")] = 500,
    sets: flags.Set = None,
    seed: flags.Seed = 0,
    deck: Annotated[Path | None, Option(metavar="FILE", dir_okay=False, help="Write the deck found here.")] = None,
    file: Annotated[
        Path | None,
        Option(metavar="FILE", dir_okay=False, help="Keep the search here; continue it."),
    ] = None,
    markdown: flags.Markdown = None,
    threads: flags.Threads = flags.ALL,
    ray: flags.Ray = None,
    as_json: flags.Json = False,
) -> None:
    """Find a deck that beats a field of decks, by trying many.

    The best of those tried meet the field again on other deals, and the winner is measured on fresh deals, since a search favours
    lucky decks. With **--file** a search that was stopped can continue.
    """
    from react_env.evaluation.cluster import on
    from react_env.evaluation.deck_report import deck_plot, deck_report, known_deck
    from react_env.evaluation.deck_search import Search, Settings
    from react_env.evaluation.document import as_console, as_markdown
    from react_env.files import write_all_aside, write_json

    for option, place in (("--deck", deck), ("--file", file), ("--markdown", markdown)):
        check_place(option, place)
    names = tuple(name.strip() for name in field.split(",") if name.strip())
    settings = Settings(game, named_values(sets), names, agent, trials, deals, report=report, seed=seed)
    with on(ray) as cluster, Search(settings, threads=threads, cluster=cluster) as found:

        def save() -> None:
            if file is not None:
                write_json(file, found.to_json())

        if file is not None and (known := found.resume(file)):
            errors().print(f"{known} of {trials} decks are already in {file}")
        save()  # better to fail now than after the first deck if the file cannot be written
        try:
            with counter("all decks") as update:
                found.run(update, save)
        except KeyboardInterrupt:
            raise interrupted(file) from None
    if as_json:
        print_json(found.to_json())
    else:
        output().print(as_console(deck_report(found)))
    if deck is not None and (same := known_deck(found)):
        errors().print(f"{deck} is not written: no new deck did better than {same}", soft_wrap=True)
    elif deck is not None:
        found.space.write(deck, deck.stem.replace("_", " ").title(), found.result.found)
    if markdown is not None:
        plot = markdown.with_suffix(".svg")
        write_all_aside({markdown: as_markdown(deck_report(found, plot.name)), plot: deck_plot(found)})
