"""`react-env cards`: artists and decks as a player would read them, checks of card files, and their JSON schemas."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperGroup

from react_env.cli.common import SIDES, JsonOption, errors, output, print_json
from react_env.errors import OptionError

if TYPE_CHECKING:
    from react_env.games.arts_of_war.cards.inspection import Finding

ARTIST_HELP = "An artist of the edition, an installed deck, or the path of a card file."
EditionOption = Annotated[
    str | None,
    typer.Option("--edition", metavar="NAME|FOLDER", help="An installed edition, or a folder of card files; standard."),
]
KindOption = Annotated[
    str | None,
    typer.Option("--game", metavar="ID", help="Only the files of this game; else a file's keys tell what it is."),
]
_ARTISTS, _DECKS = SIDES


class _Commands(TyperGroup):
    """What is not a command is the name of an artist or a deck: `react-env cards dancer`."""

    def list_commands(self, ctx: Any) -> list[str]:
        return list(self.commands)

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        if args and args[0] not in self.commands and not args[0].startswith("-"):
            args = ["show", *args]
        return super().resolve_command(ctx, args)


app = typer.Typer(cls=_Commands, rich_markup_mode="markdown")


@app.callback(invoke_without_command=True, subcommand_metavar="[ARTIST | DECK | COMMAND [ARGS]...]")
def cards(
    context: typer.Context, edition: EditionOption = None, game: KindOption = None, as_json: JsonOption = False
) -> None:
    """Read, check and write card files: the artists of Re;ACT, the decks of Fight Sequence.

    `react-env cards` lists them, `react-env cards dancer` or `react-env cards academy_default` prints one (short for `show`).
    """
    context.obj = {"edition": edition or "standard", "game": _known(game), "json": as_json}
    if context.invoked_subcommand is not None:
        return
    lists: dict[str, Any] = {}
    if game != _DECKS:
        lists |= _list_artists(context.obj["edition"], as_json)
    if game != _ARTISTS and edition is None:
        lists |= _list_decks(as_json)
    if as_json:
        print_json(lists)
        return
    more = "" if edition is None else f" --edition {edition}"
    output().print(f"react-env cards{more} NAME prints one of them.", style="dim", highlight=False, markup=False)


def _list_artists(edition: str, as_json: bool) -> dict[str, Any]:
    """Print the artists of an edition, or only give them."""
    from react_env.games.arts_of_war import cards as kit
    from react_env.games.arts_of_war.rules import artist_files, default_artists, own_artists

    names, own = kit.artists(edition), own_artists(edition)
    if not as_json:
        out = output()
        out.print(f"Artists of Re;ACT, edition {edition}:", style="bold", highlight=False, markup=False)
        for name in names:
            origin = "" if name in own else "  (from standard)"
            out.print(f"{name:18}{kit.load_artist(name, edition).name}{origin}", highlight=False, markup=False)
        out.print()
    return {
        "edition": edition,
        "artists": list(names),
        "own": list(own),
        "default": list(default_artists(edition)),
        "files": {name: str(file) for name, file in artist_files(edition).items()},
    }


def _list_decks(as_json: bool) -> dict[str, Any]:
    """Print the installed decks, or only give them."""
    from react_env.cli.decks import find_deck
    from react_env.games.fight_sequence.deck_files import decks

    if not as_json:
        out = output()
        out.print("Decks of Fight Sequence:", style="bold", highlight=False, markup=False)
        for name in decks():
            out.print(f"{name:18}{find_deck(name).name}", highlight=False, markup=False)
        out.print()
    return {"decks": list(decks())}


def _known(game: str | None) -> str | None:
    """A game that has card files, or None. Raises OptionError."""
    if game is not None and game not in SIDES:
        raise OptionError(f"--game {game}: there are card files of {' and '.join(SIDES)}")
    return game


def _is_deck(name: str, edition: str, game: str | None) -> bool:
    """Whether a name or a path means a deck rather than an artist."""
    if game is not None:
        return game == _DECKS
    from react_env.cli.decks import holds_deck, home, installed
    from react_env.games.arts_of_war.cards import artists

    if name in artists(edition):
        return False
    return installed(name) is not None or holds_deck(home(name))


@app.command()
def show(
    context: typer.Context,
    name: Annotated[str, typer.Argument(metavar="NAME", help=ARTIST_HELP)],
    edition: EditionOption = None,
    game: KindOption = None,
    as_json: JsonOption = False,
) -> None:
    """Print an artist or a deck: what each card does, and what of it is stated or designed."""
    from react_env.cli.decks import deck_page, find_deck
    from react_env.games.arts_of_war.cards import load_artist
    from react_env.games.arts_of_war.cards.printer import artist_page

    edition = edition or context.obj["edition"]
    as_json = as_json or context.obj["json"]
    if _is_deck(name, edition, _known(game) or context.obj["game"]):
        deck = find_deck(name)
        if as_json:
            print_json(deck.model_dump(mode="json", by_alias=True, exclude_defaults=True))
        else:
            output().print(deck_page(deck))
        return
    _found_somewhere(name, edition)
    found = load_artist(name, edition)
    if as_json:
        print_json(found.model_dump(mode="json", by_alias=True, exclude_defaults=True))
    else:
        output().print(artist_page(found))


def _found_somewhere(name: str, edition: str) -> None:
    """Raise OptionError for a word that is neither an artist of the edition nor a deck nor the path of a file."""
    from react_env.games.arts_of_war.cards import artists
    from react_env.games.fight_sequence.deck_files import decks
    from react_env.games.files import did_you_mean, short

    if name in artists(edition) or Path(name).suffix:
        return
    raise OptionError(
        f"unknown artist or deck {short(name)}; artists: {', '.join(artists(edition))}; decks: {', '.join(decks())}; or the path of a "
        f".yaml file{did_you_mean(name, [*artists(edition), *decks()])}"
    )


@app.command()
def check(
    context: typer.Context,
    paths: Annotated[list[str], typer.Argument(metavar="PATH", help="Card files, or folders with card files.")],
    game: KindOption = None,
    as_json: JsonOption = False,
) -> None:
    """Check card files: tell all that is wrong with each, and what is allowed but looks like a slip.

    Artists and decks are told apart by what stands in the file. The exit code is 1 if a file cannot be used, and 0 otherwise, warnings
    or not.
    """
    found = [finding for path in paths for finding in _inspect(path, _known(game) or context.obj["game"])]
    good = all(finding.ok for finding in found)
    if as_json or context.obj["json"]:
        files = [
            {
                "file": finding.file,
                "ok": finding.ok,
                **_id(finding),
                "errors": finding.errors,
                "warnings": finding.warnings,
            }
            for finding in found
        ]
        print_json({"ok": good, "files": files})
    else:
        out = output()
        for finding in found:
            result = "ok" if finding.ok else _count(len(finding.errors), "mistake")
            if finding.warnings:
                result += f", {_count(len(finding.warnings), 'warning')}"
            out.print(f"{finding.file}: {result}", highlight=False, markup=False, soft_wrap=True)
            for kind, messages in (("", finding.errors), ("warning: ", finding.warnings)):
                for message in messages:
                    out.print(f"  {kind}{message}", highlight=False, markup=False, soft_wrap=True)
    if not good:
        raise typer.Exit(1)


def _inspect(path: str, game: str | None) -> list[Finding]:
    """What was found in a file, or in each file of a folder."""
    from react_env.cli.decks import holds_deck, home, inspect_deck, installed
    from react_env.games.arts_of_war.cards.inspection import inspect

    deck = installed(path)
    if deck is not None and game != _ARTISTS and not Path(path).exists():
        return [inspect_deck(deck)]
    target = home(path)
    if game == _DECKS and not target.is_dir():
        return [inspect_deck(target)]
    if game == _DECKS:
        return [inspect_deck(file) for file in sorted(target.glob("*.yaml"))]
    return [
        inspect_deck(Path(found.file)) if game is None and holds_deck(Path(found.file)) else found
        for found in inspect(path)
    ]


def _id(finding: Finding) -> dict[str, str | None]:
    """The id in a card file, by what the file is."""
    from react_env.cli.decks import DeckFinding

    return {"deck": finding.deck} if isinstance(finding, DeckFinding) else {"artist": finding.artist}


def _count(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"


@app.command()
def schema(
    context: typer.Context,
    out: Annotated[
        Path | None, typer.Option("--out", metavar="FILE", help="Write it to this file instead of printing it.")
    ] = None,
    game: Annotated[
        str | None, typer.Option("--game", metavar="ID", help=f"Of {_ARTISTS}: artists; of {_DECKS}: decks.")
    ] = None,
) -> None:
    """Write the JSON schema of card files, with which editors complete keys and underline mistakes.

    With the YAML language server (VS Code, Neovim and others), the first line of a card file says where the schema lies:

    `# yaml-language-server: $schema=artist.schema.json`
    """
    import json

    if (_known(game) or context.obj["game"]) == _DECKS:
        from react_env.cli.decks import json_schema
    else:
        from react_env.games.arts_of_war.cards.json_schema import json_schema

    if out is None:
        print_json(json_schema())
        return
    try:
        out.write_text(json.dumps(json_schema(), indent=2) + "\n", encoding="utf-8")
    except OSError as error:
        raise OptionError(f"--out {out} cannot be written: {error.strerror}") from None
    errors().print(f"written: {out}", highlight=False, markup=False, soft_wrap=True)
