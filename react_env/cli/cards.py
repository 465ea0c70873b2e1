"""`react-env cards`: artists as a player would read them, checks of card files, and their JSON schema."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from react_env.cli.common import JsonOption, errors, output, print_json
from react_env.errors import OptionError

ARTIST_HELP = "An artist of the edition, or the path of a card file."
EditionOption = Annotated[
    str | None,
    typer.Option("--edition", metavar="NAME|FOLDER", help="An installed edition, or a folder of card files; standard."),
]


class _Commands(TyperGroup):
    """What is not a command is the name of an artist: `react-env cards dancer`."""

    def list_commands(self, ctx: Any) -> list[str]:
        return list(self.commands)

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        if args and args[0] not in self.commands and not args[0].startswith("-"):
            args = ["show", *args]
        return super().resolve_command(ctx, args)


app = typer.Typer(cls=_Commands, rich_markup_mode="markdown")


@app.callback(invoke_without_command=True, subcommand_metavar="[ARTIST | COMMAND [ARGS]...]")
def cards(context: typer.Context, edition: EditionOption = None, as_json: JsonOption = False) -> None:
    """Read, check and write the card files of Re;ACT.

    `react-env cards` lists the artists, `react-env cards dancer` prints one of them (short for `show`).
    """
    context.obj = {"edition": edition or "standard", "json": as_json}
    if context.invoked_subcommand is not None:
        return
    from react_env.games.arts_of_war import cards as kit
    from react_env.games.arts_of_war.rules import artist_files, default_artists, own_artists

    edition = context.obj["edition"]
    names, own = kit.artists(edition), own_artists(edition)
    if as_json:
        print_json(
            {
                "edition": edition,
                "artists": list(names),
                "own": list(own),
                "default": list(default_artists(edition)),
                "files": {name: str(file) for name, file in artist_files(edition).items()},
            }
        )
        return
    for name in names:
        origin = "" if name in own else "  (from standard)"
        output().print(f"{name:16}{kit.load_artist(name, edition).name}{origin}", highlight=False, markup=False)
    more = "" if edition == "standard" else f" --edition {edition}"
    output().print(f"\nreact-env cards{more} ARTIST prints one of them.", style="dim", highlight=False, markup=False)


@app.command()
def show(
    context: typer.Context,
    artist: Annotated[str, typer.Argument(metavar="ARTIST", help=ARTIST_HELP)],
    edition: EditionOption = None,
    as_json: JsonOption = False,
) -> None:
    """Print an artist: passive, abilities, deck, what each card does, and what is stated or designed."""
    from react_env.games.arts_of_war.cards import load_artist
    from react_env.games.arts_of_war.cards.printer import artist_page

    found = load_artist(artist, edition or context.obj["edition"])
    if as_json or context.obj["json"]:
        print_json(found.model_dump(mode="json", by_alias=True, exclude_defaults=True))
    else:
        output().print(artist_page(found))


@app.command()
def check(
    context: typer.Context,
    paths: Annotated[
        list[str], typer.Argument(metavar="PATH", help="Card files, or the folders of editions with all their files.")
    ],
    as_json: JsonOption = False,
) -> None:
    """Check card files: tell all that is wrong with each, and what is allowed but looks like a slip.

    The exit code is 1 if a file cannot be used, and 0 otherwise, warnings or not.
    """
    from react_env.games.arts_of_war.cards.inspection import inspect

    found = [finding for path in paths for finding in inspect(path)]
    good = all(finding.ok for finding in found)
    if as_json or context.obj["json"]:
        files = [
            {
                "file": finding.file,
                "ok": finding.ok,
                "artist": finding.artist,
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


def _count(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"


@app.command()
def schema(
    out: Annotated[
        Path | None, typer.Option("--out", metavar="FILE", help="Write it to this file instead of printing it.")
    ] = None,
) -> None:
    """Write the JSON schema of card files, with which editors complete keys and underline mistakes.

    With the YAML language server (VS Code, Neovim and others), the first line of a card file says where the schema lies:

    `# yaml-language-server: $schema=artist.schema.json`
    """
    import json

    from react_env.games.arts_of_war.cards.json_schema import json_schema

    if out is None:
        print_json(json_schema())
        return
    try:
        out.write_text(json.dumps(json_schema(), indent=2) + "\n", encoding="utf-8")
    except OSError as error:
        raise OptionError(f"--out {out} cannot be written: {error.strerror}") from None
    errors().print(f"written: {out}", highlight=False, markup=False, soft_wrap=True)
