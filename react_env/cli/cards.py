"""`react-env cards`: card files as a player would read them, checked, and their JSON schemas."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer import Argument, Option
from typer.core import TyperGroup

from react_env.cli import flags
from react_env.cli.common import check_place, errors, output, print_json
from react_env.errors import OptionError, did_you_mean
from react_env.files import write_aside
from react_env.registry import descriptions

if TYPE_CHECKING:
    from react_env.content.card_files import CardFiles, Finding

EditionOption = Annotated[
    str | None,
    Option(
        "--edition", metavar="NAME|FOLDER", help="An installed edition, or a folder of card files; default standard."
    ),
]
KindOption = Annotated[
    str | None, Option("--game", metavar="ID", help="Only files of this game; else the keys of a file show its game.")
]


class _Commands(TyperGroup):
    """Takes a word that is not a command as the name of a card file: `react-env cards dancer`."""

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        if args and args[0] not in self.commands and not args[0].startswith("-"):
            args = ["show", *args]
        return super().resolve_command(ctx, args)


app = typer.Typer(cls=_Commands, rich_markup_mode="markdown")


@app.callback(invoke_without_command=True, subcommand_metavar="[NAME | COMMAND [ARGS]...]")
def cards(
    context: typer.Context, edition: EditionOption = None, game: KindOption = None, as_json: flags.Json = False
) -> None:
    """Read, check and write card files, such as artists and decks.

    `react-env cards` lists them, `react-env cards dancer` prints one (short for `show`).
    """
    kinds = _kinds(game)
    context.obj = {"edition": edition or "standard", "game": game, "json": as_json}
    if context.invoked_subcommand is not None:
        return
    out = output()
    content: dict[str, Any] = {}
    decks = _decks(edition, kinds) if edition else {}
    for files in kinds:
        if edition is not None and (bool(decks) if files.editions else files.noun not in decks):
            continue
        known = context.obj["edition"]
        content |= {f"{files.noun}s": decks[files.noun]} if decks else files.content(known)
        if not as_json:
            names = decks.get(files.noun, files.names(known))
            lines = [
                name if decks else f"{name:18}{files.about(name, known)}" for name in names
            ]  # raises before a part is printed
            out.print(f"{files.title(known)}{f' in {edition}' if decks else ''}:", style="bold", soft_wrap=True)
            for line in lines:
                out.print(line, soft_wrap=bool(decks))
            out.print()
    if as_json:
        print_json(content)
        return
    more = "" if edition is None else f" --edition {edition}"
    out.print(f"react-env cards{more} NAME prints one of them.", style="dim")


def _kinds(game: str | None) -> list[CardFiles]:
    """The card files of a game, or of all games that have some. Raises OptionError."""
    games = {name: about for name, about in descriptions().items() if about.card_files}
    if game is not None and game not in games:
        raise OptionError(f"--game {game}: there are card files of {' and '.join(games)}")
    return [about.part("card_files") for name, about in games.items() if game in (None, name)]


def _decks(folder: str, kinds: list[CardFiles]) -> dict[str, list[str]]:
    """The files in a folder of decks, as `react-env balance --edition` takes it, by kind; nothing if it is an edition of artists."""
    from react_env.content.card_files import home, keys_of

    found: dict[str, list[str]] = {}
    for file in sorted(home(folder).glob("*.yaml")) if os.path.isdir(home(folder)) else ():
        if (kind := _kind_of(file, kinds)).editions:
            if not keys_of(file):  # it tells nothing about the folder
                continue
            return {}
        found.setdefault(kind.noun, []).append(file.stem)
    return found


def _kind_of(path: Path, kinds: list[CardFiles]) -> CardFiles:
    """The kind of a file: the kind that knows most of its keys; then the kind to which most of them belong alone; then the kind with the
    fewest mistakes, not counting missing keys; then the first. Without keys it is the kind that has an installed file of this name."""
    from react_env.content.card_files import keys_of

    keys = keys_of(path)
    if not keys:
        return next((files for files in kinds if path.stem in files.names("standard")), kinds[0])
    own = [files.keys - frozenset().union(*(o.keys for o in kinds if o is not files)) for files in kinds]
    known = [(len(keys & files.keys), len(keys & alone)) for files, alone in zip(kinds, own, strict=True)]
    near = [files for files, count in zip(kinds, known, strict=True) if count == max(known)]
    if len(near) == 1:
        return near[0]
    wrong = [[e for found in files.inspect(str(path)) for e in found.errors if "is missing" not in e] for files in near]
    return near[min(range(len(near)), key=lambda i: len(wrong[i]))]


def _find(name: str, edition: str, kinds: list[CardFiles]) -> CardFiles:
    """The kind of card file with this name: that of the installed file, else by its content. OptionError if it is neither."""
    from react_env.content.card_files import home
    from react_env.content.files import short

    for files in kinds:
        if name in files.names(edition):
            return files
    if Path(name).suffix or len(kinds) == 1:
        return _kind_of(home(name), kinds)
    lists = "; ".join(f"{files.title(edition)}: {', '.join(files.names(edition))}" for files in kinds)
    near = did_you_mean(name, [known for files in kinds for known in files.names(edition)])
    raise OptionError(f"no card file is called {short(name)}; {lists}; or the path of a .yaml file{near}")


@app.command()
def show(
    context: typer.Context,
    name: Annotated[str, Argument(metavar="NAME", help="An installed one, or the path of a card file.")],
    edition: EditionOption = None,
    game: KindOption = None,
    as_json: flags.Json = False,
) -> None:
    """Print an artist or a deck: what each card does, and which parts are stated or designed."""
    from react_env.content.card_files import home

    edition = edition or context.obj["edition"]
    kinds = _kinds(game or context.obj["game"])
    own = home(edition) / f"{name}.yaml"
    if edition != "standard" and os.path.isfile(own) and not _kind_of(own, kinds).editions:
        name = str(own)  # in a folder of decks, as `react-env balance --edition` takes it
    files = _find(name, edition, kinds)
    if edition != "standard" and not files.editions and not Path(name).suffix:
        raise OptionError(
            f"--edition {edition}: it holds no {name}.yaml; without --edition {name} is the installed one"
        )
    found = files.load(name, edition)
    if as_json or context.obj["json"]:
        print_json(found.model_dump(mode="json", by_alias=True, exclude_defaults=True))
    else:
        output().print(files.page(found))


@app.command()
def check(
    context: typer.Context,
    paths: Annotated[list[str], Argument(metavar="PATH", help="Card files, or folders with card files.")],
    game: KindOption = None,
    as_json: flags.Json = False,
) -> None:
    """Check card files: list all mistakes in each, and what is allowed but looks like a slip.

    The contents of a file tell whether it is an artist, a set or a deck. The exit code is 1 if a file cannot be used, and 0 otherwise,
    warnings or not.
    """
    kinds = _kinds(game or context.obj["game"])
    found = [pair for path in paths for pair in _inspect(path, kinds)]
    good = all(finding.ok for finding, _ in found)
    if as_json or context.obj["json"]:
        files = [
            {"file": one.file, "ok": one.ok, noun: one.id, "errors": one.errors, "warnings": one.warnings}
            for one, noun in found
        ]
        print_json({"ok": good, "files": files})
    else:
        out = output()
        for finding, _ in found:
            result = "ok" if finding.ok else _count(len(finding.errors), "mistake")
            if finding.warnings:
                result += f", {_count(len(finding.warnings), 'warning')}"
            out.print(f"{finding.file}: {result}", soft_wrap=True)
            for kind, messages in (("", finding.errors), ("warning: ", finding.warnings)):
                for message in messages:
                    out.print(f"  {kind}{message}", soft_wrap=True)
    if not good:
        raise typer.Exit(1)


def _inspect(path: str, kinds: list[CardFiles]) -> list[tuple[Finding, str]]:
    """The findings in a file, or in each file of a folder, each with the noun for what the file holds."""
    from react_env.content.card_files import Finding, home, keys_of

    first = kinds[0]
    for files in kinds[1:]:
        if path in files.names("standard") and not os.path.exists(path):
            return [(finding, files.noun) for finding in files.inspect(path)]
    found = []
    for finding in first.inspect(path):
        keys = keys_of(home(finding.file))
        if keys and not any(keys & files.keys for files in kinds):
            nouns = " or ".join(files.noun.replace("_", " ") for files in kinds)
            message = (
                f"holds no {nouns}: no such file has a key {' or '.join(map(repr, sorted(keys)[:3]))}. Other files, such as reaction "
                "profiles, are checked when a game is loaded with them"
            )
            found.append((Finding(finding.file, errors=[message]), first.noun))
            continue
        kind = _kind_of(home(finding.file), kinds)
        found += [(finding, first.noun)] if kind is first else [(f, kind.noun) for f in kind.inspect(finding.file)]
    return found


def _count(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"


@app.command()
def schema(
    context: typer.Context,
    out: Annotated[Path | None, Option(metavar="FILE", help="Write it to this file instead of printing it.")] = None,
    game: Annotated[str | None, Option(metavar="ID", help="Of the card files of this game.")] = None,
) -> None:
    """Write the JSON schema of card files, which lets editors complete keys and underline mistakes.

    With the YAML language server (VS Code, Neovim and others), the first line of a card file names the schema:

    `# yaml-language-server: $schema=artist.schema.json`
    """
    found = _kinds(game or context.obj["game"])[0].json_schema()
    if out is None:
        print_json(found)
        return
    check_place("--out", out)
    try:
        write_aside(out, json.dumps(found, indent=2) + "\n")
    except OSError as error:
        raise OptionError(f"--out {out} cannot be written: {error.strerror}") from None
    errors().print(f"written: {out}", soft_wrap=True)
