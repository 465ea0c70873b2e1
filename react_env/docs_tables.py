"""The tables of the documentation that are written from the code: `python -m react_env.docs_tables` writes them, `--check` only looks.

A table stands between two comments, ``<!-- table: NAME -->`` and ``<!-- end of table -->``; what lies between them is replaced. The name
of a table about one game begins with that game: ``fight_sequence.options``.
"""

from __future__ import annotations

import argparse
import ast
import io
import re
import sys
import tokenize
from collections.abc import Callable, Iterator, Sequence
from dataclasses import MISSING, fields
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any, Literal, get_args, get_origin

from annotated_types import Ge, Le, MaxLen

from react_env.registry import PACKAGES

ROOT = Path(__file__).resolve().parent.parent
_TABLE = re.compile(r"(<!-- table: ([\w.]+) -->\n).*?(<!-- end of table -->)", re.DOTALL)

# What the code of a game does not say of it: hidden information, chance.
_IN_WORDS = {
    "arts_of_war": (
        "the opponent's hand and face-down cards, the order of both decks",
        'the first player, the shuffled decks, dice; with `artists="random"` the pairing',
    ),
    "fight_sequence": (
        "the opponent's hand, the order of both decks but for the own cards put back",
        "the first player, the shuffled decks",
    ),
}
GAMES = {package.rpartition(".")[2]: package for package in PACKAGES.values() if package.startswith("react_env.")}


def specs(game: str) -> str:
    """What a game is, in figures."""
    package, state = _parts(game, "", "state")
    actions, observation = _parts(game, "actions", "observation")
    hidden, chance = _IN_WORDS[game]
    return _table(
        ("", ""),
        [
            ("id", f"`{package.ID}`"),
            ("players", state.PLAYERS),
            ("actions", f"{actions.NUM_ACTIONS}, with fixed names"),
            ("observation", f"int8 ({observation.LAYOUT.size},)"),
            ("rewards", "float32 (2,): 1 and -1 at the end, else 0"),
            ("hidden information", hidden),
            ("chance", chance),
            ("state", f"one record of {state.STATE.itemsize} bytes"),
            ("revision of the rules", package.REVISION),
        ],
    )


def options(game: str) -> str:
    """The fields of a game's RulesConfig."""
    (rules,) = _parts(game, "rules")
    rows = []
    for name, info in rules.RulesConfig.model_fields.items():
        rows.append((f"`{name}`", _values(info), f"`{info.default!r}`", info.description))
    return _table(("option", "values", "default", "meaning"), rows)


def observation(game: str) -> str:
    """The named pieces of a game's observation."""
    (found,) = _parts(game, "observation")
    return str(found.LAYOUT.markdown())


def actions(game: str) -> str:
    """The groups of a game's action ids."""
    (found,) = _parts(game, "actions")
    rows = []
    for group, ids in found.ACTIONS.groups.items():
        names = [f"`{name}`" for name in found.ACTIONS.names[ids]]
        shown = ", ".join(names if len(names) <= 5 else [*names[:2], "...", names[-1]])
        last = ids.stop - 1
        rows.append((f"{ids.start}" if last == ids.start else f"{ids.start}-{last}", group, shown))
    return _table(("ids", "group", "names"), rows)


def _parts(game: str, *modules: str) -> list[Any]:
    """Modules of a game's package by name; "" is the package."""
    return [import_module(f"{GAMES[game]}.{name}".rstrip(".")) for name in modules]


def card_limits() -> str:
    """How large an artist may be."""
    from react_env.games.arts_of_war import state
    from react_env.games.arts_of_war.cards import compiler, reader, schema
    from react_env.games.schema import Model

    def longest(model: type[Model], field: str) -> int:
        return next(item.max_length for item in model.model_fields[field].metadata if isinstance(item, MaxLen))

    return _table(
        ("what", "at most"),
        [
            ("kinds of summon", state.KINDS - 1),
            ("summons of all kinds", state.SLOTS - 1),
            ("of these, attached", state.ATTACHED),
            ("kinds of counter", state.COUNTERS),
            ("dice", state.DICE),
            ("kinds of token", state.TOKENS),
            ("kinds of tile", state.TILES),
            ("tiles with `on_cue`, the pools of all kinds together", state.PLANS),
            ("passives", state.TRIGGERS),
            ("of these, with `when: unit_moved`", compiler.MOVED_LIMIT),
            ("ability cards", state.ABILITIES),
            ("effects of an action card", longest(schema.ActionCard, "effects")),
            ("effects on each side of an ability card", longest(schema.AbilityCard, "effects")),
            ("effects of an artist, all cards", compiler.EFFECT_LIMIT),
            ("rows of code, all programs (about one for each part, and one for each end)", compiler.CODE_LIMIT),
            ("different selections (`where`, `is`, `holds`, `zones`, `units`)", compiler.SEL_LIMIT),
            ("unit variables of an effect, besides `me`", state.R_ZONE - state.R_UNIT),
            ("zone variables of an effect", state.R_WAY - state.R_ZONE),
            ("direction variables of an effect", 1),
            ("bytes of the file", reader.LARGEST_FILE),
        ],
    )


def training() -> str:
    """The fields of TrainConfig."""
    from react_env.training.config import TrainConfig

    sentences = TrainConfig.describe()
    rows = []
    for field in fields(TrainConfig):
        default = field.default_factory() if field.default is MISSING else field.default  # type: ignore[operator]
        rows.append((f"`{field.name}`", f"`{default!r}`", sentences[field.name]))
    return _table(("option", "default", "meaning"), rows)


# Files outside of its package that only one game needs.
_ONLY = {
    "arts_of_war": (
        "react_env/arts_of_war_v0.py",
        "react_env/cli/balance.py",
        "react_env/evaluation/balance/pairing_games.py",
        "react_env/evaluation/balance/pairings.py",
        "react_env/evaluation/balance/report.py",
    ),
    "fight_sequence": ("react_env/fight_sequence_v0.py", "react_env/cli/decks.py", "react_env/cli/sequences.py"),
}
_CODE = ("react_env",)
_TITLES = {"arts_of_war": "only Re;ACT needs", "fight_sequence": "only Fight Sequence needs", "": "both share"}


def lines() -> str:
    """How much of the code is for one game, and how much for both; in hundreds, since it changes with every commit."""
    count = dict.fromkeys(_TITLES, 0)
    for folder in _CODE:
        for path in sorted((ROOT / folder).rglob("*.py")):
            count[_needed_by(path.relative_to(ROOT).as_posix())] += code_lines(path.read_text(encoding="utf-8"))
    return _table(("code that", "lines"), [(_TITLES[game], f"{round(number, -2):,}") for game, number in count.items()])


def _needed_by(path: str) -> str:
    """The game that alone needs a file, or ""."""
    for game in GAMES:
        if path.startswith(f"react_env/games/{game}/") or path in _ONLY[game]:
            return game
    return ""


def code_lines(source: str) -> int:
    """Lines of Python without blank ones, comments and docstrings."""
    found: set[int] = set()
    empty = (tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER)
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type not in empty:
            found.update(range(token.start[0], token.end[0] + 1))
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)):
            first = node.body[0] if node.body else None
            if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant) and first.end_lineno is not None:
                found.difference_update(range(first.lineno, first.end_lineno + 1))
    return len(found)


TABLES: dict[str, Callable[[], str]] = {
    f"{game}.{write.__name__}": partial(write, game)
    for game in GAMES
    for write in (specs, options, observation, actions)
}
TABLES |= {"arts_of_war.card_limits": card_limits, "training": training, "lines": lines}
UNCHECKED = ("lines",)  # may be somewhat stale: almost every commit changes it


def pages() -> Iterator[Path]:
    """The pages of the documentation."""
    yield ROOT / "README.md"
    yield from sorted((ROOT / "docs").rglob("*.md"))


def rewritten(text: str, source: str = "page", leave: Sequence[str] = ()) -> str:
    """The page with its tables as the code has them now, but for those to `leave`. SystemExit for a table that nobody writes."""

    def new(match: re.Match[str]) -> str:
        if match[2] not in TABLES:
            raise SystemExit(f"{source}: there is no table {match[2]!r}; there are: {', '.join(TABLES)}")
        if match[2] in leave:
            return match[0]
        return f"{match[1]}\n{TABLES[match[2]]()}\n{match[3]}"

    return _TABLE.sub(new, text)


def main(arguments: Sequence[str] | None = None) -> int:
    """Write the tables, or with --check only name the pages where they are stale; the exit status."""
    parser = argparse.ArgumentParser(prog="python -m react_env.docs_tables", description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing, fail where a table is stale")
    check = parser.parse_args(arguments).check
    if not (ROOT / "docs").is_dir():
        parser.error(f"there is no folder docs in {ROOT}: this needs the sources, not an installed package")
    stale = 0
    for path in pages():
        name = path.relative_to(ROOT)
        old = path.read_text(encoding="utf-8")
        new = rewritten(old, str(name), UNCHECKED if check else ())
        if new == old:
            continue
        stale += 1
        if check:
            print(f"{name}: its tables are not those of the code; run `make docs`", file=sys.stderr)
        else:
            path.write_text(new, encoding="utf-8")
            print(f"{name}: written")
    return 1 if check and stale else 0


def _values(info: Any) -> str:
    """What a field of a pydantic model can be, in words."""
    if info.annotation is bool:
        return "True, False"
    if get_origin(info.annotation) is Literal:
        return ", ".join(f"`{value!r}`" for value in get_args(info.annotation))
    if info.annotation is int:
        low = next(item.ge for item in info.metadata if isinstance(item, Ge))
        high = next(item.le for item in info.metadata if isinstance(item, Le))
        return f"{low} to {high}"
    return "two zones"


def _table(head: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    """A Markdown table."""
    lines = [head, ["---"] * len(head), *rows]
    return "".join("| " + " | ".join(str(cell).replace("|", "\\|") for cell in line) + " |\n" for line in lines)


if __name__ == "__main__":
    raise SystemExit(main())
