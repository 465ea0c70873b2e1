"""The tables of the documentation that are written from the code: `python -m react_env.docs_tables` writes them, `--check` only looks.

A table stands between two comments, ``<!-- table: NAME -->`` and ``<!-- end of table -->``; what lies between them is replaced. The name
of a table about one game begins with that game: ``my_game.options``.
"""

from __future__ import annotations

import argparse
import ast
import io
import re
import sys
import tokenize
from collections.abc import Callable, Iterator, Sequence
from functools import cache, partial
from importlib import import_module
from pathlib import Path
from typing import Any, Literal, get_args, get_origin

from annotated_types import Ge, Gt, Le

from react_env import registry
from react_env.engine.compile import later
from react_env.registry import describe

ROOT = Path(__file__).resolve().parent.parent
_TABLE = re.compile(r"(<!-- table: ([\w.]+) -->\n).*?(<!-- end of table -->)", re.DOTALL)

GAMES = {name.rpartition("-")[0]: describe(name) for name in registry.GAMES}  # "fight_sequence" -> description


def specs(game: str) -> str:
    """The key figures of a game."""
    about = GAMES[game]
    found = _loaded(game)
    fewest, most = about.players
    players = found.num_players
    seats = (
        str(players)
        if fewest == most
        else f"{fewest} to {most}; the rest of this table and those below are for {players}, as by default"
    )
    lost = "-1" if players == 2 else f"-1/{players - 1} for each of the others"
    return table(
        ("", ""),
        [
            ("id", f"`{about.id}`"),
            ("players", seats),
            ("actions", f"{found.num_actions}, with fixed names"),
            ("observation", f"int8 ({found.layout.size},)"),
            ("rewards", f"float32 ({players},): 1 and {lost} at the end, else 0"),
            ("hidden information", about.hidden),
            ("chance", about.drawn),
            ("state", f"one record of {found.state_dtype.itemsize} bytes"),
            ("revision of the rules", import_module(f"react_env.games.{game}.game").REVISION),
        ],
    )


def options(game: str) -> str:
    """The fields of a game's RulesConfig."""
    fields = GAMES[game].part("config").model_fields
    rows = [(f"`{name}`", _values(info), f"`{info.default!r}`", info.description) for name, info in fields.items()]
    return table(("option", "values", "default", "meaning"), rows)


def observation(game: str) -> str:
    """The named pieces of a game's observation."""
    return str(_loaded(game).layout.markdown())


def actions(game: str) -> str:
    """The groups of a game's action ids."""
    found = _loaded(game).rules.actions
    rows = []
    for group, ids in found.groups.items():
        names = [f"`{name}`" for name in found.names[ids]]
        shown = ", ".join(names if len(names) <= 5 else [*names[:2], "...", names[-1]])
        last = ids.stop - 1
        rows.append((f"{ids.start}" if last == ids.start else f"{ids.start}-{last}", group, shown))
    return table(("ids", "group", "names"), rows)


@cache
def _loaded(game: str) -> Any:
    """A game with its default options, not compiled."""
    with later():
        return registry.load(GAMES[game].id)


def training() -> str:
    """The options of learning."""
    from react_env.training.config import USUAL, TrainConfig, option_text

    about = TrainConfig.describe()
    rows = []
    for group, names in TrainConfig.groups().items():
        for name in names:
            value, sentence = about[name]
            usual = f"`{option_text(value)}`" if value not in ("", {}) else ""
            usual += "".join(
                f"; {kind} `{option_text(found[name]) or 'none'}`" for kind, found in USUAL.items() if name in found
            )
            rows.append((group if name == names[0] else "", f"`{name}`", usual, sentence))
    return table(("about", "option", "usual", "meaning"), rows)


_TITLES = {**{game: f"only {about.title} needs" for game, about in GAMES.items()}, "": "all share"}


def figures(section: str) -> str:
    """What was measured, from ``docs/figures.yaml``."""
    columns = ("figure", "value", "command")
    return table(columns, [[row[key] for key in columns] for row in _read("figures.yaml")[section]])


def brief_figures() -> str:
    """The figures that have a short name, one in each row."""
    rows = [row for section in _read("figures.yaml").values() for row in section if "brief" in row]
    return table(("figure", "value"), [(row["brief"], row["value"]) for row in rows])


@cache
def _read(name: str) -> Any:
    """A YAML file of the folder docs."""
    import yaml

    return yaml.safe_load((ROOT / "docs" / name).read_text("utf-8"))


def baselines(group: str) -> str:
    """The results of the runs in ``docs/baselines.yaml``: for each method of a group, the mean over its seeds and each seed."""
    found: Any = _read("baselines.yaml")
    rows = []
    for about in GAMES.values():
        methods = {run["method"] for run in found["runs"] if run["game"] == about.id}
        # The first method of a group may be in other groups too; a game belongs to this group if it has the second one as well.
        for method in found[group] if methods.issuperset(found[group][:2]) else ():
            runs = [run for run in found["runs"] if (run["game"], run["method"]) == (about.id, method)]
            ends = [run["points"][-1] for run in runs]
            if ends:
                cells = [about.title, method, f"{sum(steps for steps, *_ in ends) / len(ends) / 1e6:.1f} million"]
                for name in ("random", "greedy"):
                    shares = [100 * won[name][0] / won[name][1] for *_, won in ends]
                    cells.append(f"{sum(shares) / len(shares):.0f} % ({', '.join(f'{share:.0f}' for share in shares)})")
                rows.append(cells)
    return table(("game", "method", "learner steps", "against random", "against greedy"), rows)


def lines() -> str:
    """How much of the code only one game needs, and how much all share; in hundreds, since it changes with every commit."""
    count = dict.fromkeys(_TITLES, 0)
    for path in sorted((ROOT / "react_env").rglob("*.py")):
        count[_needed_by(path.relative_to(ROOT).as_posix())] += code_lines(path.read_text(encoding="utf-8"))
    return table(("code that", "lines"), [(_TITLES[game], f"{round(number, -2):,}") for game, number in count.items()])


def _needed_by(path: str) -> str:
    """The game that alone needs a file, or ""."""
    for game in GAMES:
        if path.startswith((f"react_env/games/{game}/", f"react_env/{game}_v")):
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
TABLES |= {
    f"{game}.{name}": write for game, about in GAMES.items() for name, write in (about.part("tables") or {}).items()
}
TABLES |= {f"figures.{name}": partial(figures, name) for name in ("engine", "training", "champions", "search", "web")}
TABLES |= {"baselines": partial(baselines, "standard"), "baselines.without": partial(baselines, "without")}
TABLES |= {"figures": brief_figures, "training": training, "lines": lines}
UNCHECKED = ("lines",)  # may be somewhat stale: almost every commit changes it


def pages() -> Iterator[Path]:
    """The pages of the documentation."""
    yield ROOT / "README.md"
    yield from sorted((ROOT / "docs").rglob("*.md"))


def rewritten(text: str, source: str = "page", leave: Sequence[str] = ()) -> str:
    """The page with its tables written anew, except those to `leave`. Raises SystemExit for a table that is not in `TABLES`."""

    def new(match: re.Match[str]) -> str:
        if match[2] not in TABLES:
            raise SystemExit(f"{source}: there is no table {match[2]!r}; there are: {', '.join(TABLES)}")
        if match[2] in leave:
            return match[0]
        return f"{match[1]}\n{TABLES[match[2]]()}\n{match[3]}"

    return _TABLE.sub(new, text)


def main(arguments: Sequence[str] | None = None) -> int:
    """Write the tables, or with --check only name the pages where they are stale. Returns the exit status."""
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
    if info.annotation in (int, float):
        low = next(
            f"above {item.gt}" if isinstance(item, Gt) else f"{item.ge}"
            for item in info.metadata
            if isinstance(item, (Ge, Gt))
        )
        high = next(item.le for item in info.metadata if isinstance(item, Le))
        return f"{low} to {high}"
    return f"{len(info.default)} names" if info.default else "names for each seat"


def table(head: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    """A Markdown table."""
    lines = [head, ["---"] * len(head), *rows]
    return "".join("| " + " | ".join(str(cell).replace("|", "\\|") for cell in line) + " |\n" for line in lines)


if __name__ == "__main__":
    raise SystemExit(main())
