"""`react-env cards`: an artist as a player would read it."""

from __future__ import annotations

from typing import Annotated

import typer

from react_env.cli.common import JsonOption, output, print_json


def cards(
    artist: Annotated[
        str | None,
        typer.Argument(metavar="ARTIST", help="An artist of the edition, or a card file; without it, all are listed."),
    ] = None,
    edition: Annotated[str, typer.Option("--edition", metavar="NAME", help="The folder of card files.")] = "standard",
    as_json: JsonOption = False,
) -> None:
    """Print an artist of Re;ACT: passive, abilities, deck, what each card does, and what is stated or designed."""
    from react_env.games.arts_of_war import cards as kit

    if artist is None:
        names = kit.artists(edition)
        if as_json:
            print_json({"edition": edition, "artists": list(names)})
        else:
            for name in names:
                output().print(f"{name:16}{kit.load_artist(name, edition).name}", highlight=False)
            output().print("\nreact-env cards ARTIST prints one of them.", style="dim", highlight=False)
        return
    from react_env.games.arts_of_war.cards.printer import artist_page

    found = kit.load_artist(artist, edition)
    if as_json:
        print_json(found.model_dump(mode="json", by_alias=True, exclude_defaults=True))
    else:
        output().print(artist_page(found))
