"""Which folders of the library ("rooms") may import which: none imports one above it."""

import ast
import graphlib
from functools import cache
from pathlib import Path

import pytest

import react_env

PACKAGE = Path(react_env.__file__).parent
ORDER = (
    "errors",
    "extras",
    "files",
    "processors",
    "svg",
    "pixels",
    "engine",
    "registry",
    "replay",
    "testing",
    "content",
    "games",
    "agents",
    "envs",
    "evaluation",
    "training",
    "web",
    "cli",
)
# The package itself (`react_env.load`) lies above "games" and below the rooms that follow; "docs_tables" lies above all.
TOP = ORDER.index("games") + 0.5
# Parts that a game brings for another room belong to that room, so nothing else in the games may import them.
BROUGHT = {
    "terminal.py": "cli",
    "balance": "evaluation",
    "lab.py": "evaluation",
    "deck_space.py": "evaluation",
    "command.py": "cli",
    "chance.py": "envs",
    "tables.py": "docs_tables",
}


def height(room: str) -> float:
    """The place of a room in the order; "" is the package itself."""
    return ORDER.index(room) if room in ORDER else TOP if not room else len(ORDER)


def room_of(file: Path) -> str:
    """The room to which a file belongs."""
    parts = file.relative_to(PACKAGE).parts
    brought = [BROUGHT[part] for part in parts[2:] if part in BROUGHT] if parts[0] == "games" else []
    return brought[-1] if brought else parts[0].removesuffix(".py")


@cache
def imported(file: Path) -> list[ast.Import | ast.ImportFrom]:
    """All imports of a file, wherever they stand, except those for type checking alone."""
    tree = ast.parse(file.read_text(encoding="utf-8"))
    for node in ast.walk(tree):
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            node.body = []
    return [node for node in ast.walk(tree) if isinstance(node, (ast.Import, ast.ImportFrom))]


def imports(file: Path) -> set[str]:
    """The rooms that a file imports."""
    modules = set()
    for node in imported(file):
        if isinstance(node, ast.Import):
            modules |= {alias.name for alias in node.names}
        elif node.module == "react_env":
            modules |= {f"react_env.{alias.name}" for alias in node.names}
        elif node.module:
            modules.add(node.module)
    return {(*module.split("."), "")[1] for module in modules if module.split(".")[0] == "react_env"}


def test_no_room_imports_one_above_it() -> None:
    found = {
        (room, other): str(file.relative_to(PACKAGE))
        for file in PACKAGE.rglob("*.py")
        for room in [room_of(file)]
        if room in ORDER
        for other in imports(file)
        if height(other) > height(room)
    }
    assert not found


def test_a_game_does_not_need_what_it_brings_to_others() -> None:
    for file in (PACKAGE / "games").rglob("*.py"):
        if room_of(file) == "games":
            for node in imported(file):
                names = [node.module or ""] if isinstance(node, ast.ImportFrom) else []
                names += [alias.name for alias in node.names]
                own = [part for name in names for part in name.split(".") if "arts_of_war" in name or "fight_" in name]
                assert not {f"{part}.py" for part in own} & {*BROUGHT} and "balance" not in own, file


@pytest.mark.parametrize("name", ["agents", "evaluation", "training", "benchmarks"])
def test_nothing_of_ours_hides_a_module_of_a_user(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Past bug: beside a user's own agents.py, `gymnasium.make(..., opponent="greedy")` failed."""
    tops = {
        part.split(".")[0]
        for file in PACKAGE.rglob("*.py")
        for node in imported(file)
        for part in (
            [alias.name for alias in node.names]
            if isinstance(node, ast.Import)
            else [node.module]
            if node.module and not node.level
            else []
        )
    }
    assert name not in tops


def test_modules_do_not_import_each_other_in_a_circle() -> None:
    """Imports count wherever they stand in a module, except those for type checking alone."""
    names = {}
    for file in PACKAGE.rglob("*.py"):
        parts = ("react_env", *file.relative_to(PACKAGE).with_suffix("").parts)
        names[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = file
    graph: dict[str, set[str]] = {}
    for name, file in names.items():
        found = {
            f"{node.module}.{alias.name}" if f"{node.module}.{alias.name}" in names else str(node.module)
            for node in imported(file)
            if isinstance(node, ast.ImportFrom)
            for alias in node.names
        }
        graph[name] = (found & names.keys()) - {name}
    graphlib.TopologicalSorter(graph).prepare()  # a CycleError names the modules
