"""The tables of the documentation that are written from the code: `python -m react_env.docs_tables` writes them, `--check` only looks.

A table stands between two comments, ``<!-- table: NAME -->`` and ``<!-- end of table -->``; what lies between them is replaced.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import MISSING, fields
from pathlib import Path
from typing import Any, Literal, get_args, get_origin

from annotated_types import Ge, Le, MaxLen

ROOT = Path(__file__).resolve().parent.parent
_TABLE = re.compile(r"(<!-- table: (\w+) -->\n).*?(<!-- end of table -->)", re.DOTALL)


def specs() -> str:
    """What the game is, in figures."""
    from react_env.games.arts_of_war import ID, REVISION, actions, observation, state

    return _table(
        ("", ""),
        [
            ("id", f"`{ID}`"),
            ("players", state.PLAYERS),
            ("actions", f"{actions.NUM_ACTIONS}, with fixed names"),
            ("observation", f"int8 ({observation.LAYOUT.size},)"),
            ("rewards", "float32 (2,): 1 and -1 at the end, else 0"),
            ("hidden information", "the opponent's hand and face-down cards, the order of both decks"),
            ("chance", 'the first player, the shuffled decks, dice; with `artists="random"` the pairing'),
            ("state", f"one record of {state.STATE.itemsize} bytes"),
            ("revision of the rules", REVISION),
        ],
    )


def options() -> str:
    """The fields of RulesConfig."""
    from react_env.games.arts_of_war.rules import RulesConfig

    rows = []
    for name, info in RulesConfig.model_fields.items():
        rows.append((f"`{name}`", _values(info), f"`{info.default!r}`", info.description))
    return _table(("option", "values", "default", "meaning"), rows)


def observation() -> str:
    """The named pieces of the observation."""
    from react_env.games.arts_of_war.observation import LAYOUT

    return LAYOUT.markdown()


def actions() -> str:
    """The groups of action ids."""
    from react_env.games.arts_of_war.actions import ACTION_GROUPS, ACTION_NAMES

    rows = []
    for group, ids in ACTION_GROUPS.items():
        names = [f"`{name}`" for name in ACTION_NAMES[ids]]
        shown = ", ".join(names if len(names) <= 5 else [*names[:2], "...", names[-1]])
        last = ids.stop - 1
        rows.append((f"{ids.start}" if last == ids.start else f"{ids.start}-{last}", group, shown))
    return _table(("ids", "group", "names"), rows)


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
    from training.config import TrainConfig

    sentences = TrainConfig.describe()
    rows = []
    for field in fields(TrainConfig):
        default = {} if field.default is MISSING else field.default
        rows.append((f"`{field.name}`", f"`{default!r}`", sentences[field.name]))
    return _table(("option", "default", "meaning"), rows)


TABLES: dict[str, Callable[[], str]] = {
    "specs": specs,
    "options": options,
    "observation": observation,
    "actions": actions,
    "card_limits": card_limits,
    "training": training,
}


def pages() -> Iterator[Path]:
    """The pages of the documentation."""
    yield ROOT / "README.md"
    yield from sorted((ROOT / "docs").rglob("*.md"))


def rewritten(text: str, source: str = "page") -> str:
    """The page with its tables as the code has them now. SystemExit for a table that nobody writes."""

    def new(match: re.Match[str]) -> str:
        if match[2] not in TABLES:
            raise SystemExit(f"{source}: there is no table {match[2]!r}; there are: {', '.join(TABLES)}")
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
        new = rewritten(old, str(name))
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
