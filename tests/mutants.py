"""Do the tests of the rules notice a broken rule? Places in the compiled rules are changed one at a time, and the tests are run.

    python -m tests.mutants [--count 30] [--seed 0] [--game arts_of_war] [--list]

For each change, print which test noticed it. Nothing is compiled, and each change is made in a copy of the checkout. Tests that fail
without any change, because they take too long uncompiled, are listed and left out. A change that no test notices need not be a fault:
some make no difference, and the random games, which are left out here, notice more.
"""

from __future__ import annotations

import argparse
import ast
import copy
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
GAMES = ("arts_of_war", "fight_sequence", "react_fast", "reality_tcg")
TESTS = ("test_rules*.py", "test_examples.py", "test_worked_example*.py", "test_bugs.py", "test_artists.py")
SECONDS = 20  # how long a test may take uncompiled
# Modules that value or describe positions, or check records, contain no rules.
NO_RULES = {"value.py", "heuristics.py", "features.py", "observation.py", "valid.py", "log.py"}
OTHER = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.And: ast.Or,
    ast.Or: ast.And,
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
}


def nodes(tree: ast.Module) -> Iterator[Any]:
    """What can be changed in the functions that are compiled."""
    for function in tree.body:
        if isinstance(function, ast.FunctionDef) and any("njit" in ast.unparse(d) for d in function.decorator_list):
            for node in (inner for statement in function.body for inner in ast.walk(statement)):
                operator = node.ops[0] if isinstance(node, ast.Compare) else getattr(node, "op", None)
                if type(operator) in OTHER or isinstance(operator, ast.Not):
                    yield node


def change(node: Any) -> None:
    """Replace its operator with another one; drop a negation."""
    if isinstance(node, ast.Compare):
        node.ops[0] = OTHER[type(node.ops[0])]()
    elif isinstance(node.op, ast.Not):
        node.operand = ast.UnaryOp(ast.Not(), node.operand)
    else:
        node.op = OTHER[type(node.op)]()


def mutants(game: str) -> list[tuple[Path, int]]:
    """Every place in the game's rules that can be changed: its file, and its number in the file."""
    files = sorted((ROOT / "react_env" / "games" / game).glob("*.py"))
    return [
        (file, place)
        for file in files
        if file.name not in NO_RULES
        for place, _ in enumerate(nodes(ast.parse(file.read_text(encoding="utf-8"))))
    ]


def mutated(file: Path, place: int) -> tuple[str, str]:
    """The source with that change, and the change in words."""
    tree = ast.parse(file.read_text(encoding="utf-8"))
    node = list(nodes(tree))[place]
    before = copy.deepcopy(node)
    change(node)
    return ast.unparse(
        tree
    ), f"{file.parent.name}/{file.name}:{node.lineno}: {ast.unparse(before)} -> {ast.unparse(node)}"


def run_tests(checkout: Path, game: str, *options: str) -> subprocess.CompletedProcess[str]:
    """The tests of a game's rules, uncompiled."""
    tests = [str(test) for pattern in TESTS for test in sorted((checkout / "tests" / game).glob(pattern))]
    command = [sys.executable, "-m", "pytest", "-q", "--benchmark-disable", "-p", "no:cacheprovider", "-p", "no:xdist"]
    return subprocess.run(
        [*command, "-m", "not long", "--timeout-method=signal", *options, *tests],
        cwd=checkout,
        env={**os.environ, "NUMBA_DISABLE_JIT": "1", "OMP_NUM_THREADS": "1"},
        capture_output=True,
        text=True,
    )


def failed_in(run: subprocess.CompletedProcess[str]) -> list[str]:
    """The tests that failed."""
    return re.findall(r"^(?:FAILED|ERROR) (\S+::.+?)(?: - .*)?$", run.stdout, re.MULTILINE)


def left_out(checkout: Path, game: str) -> list[str]:
    """The tests that fail without any change; their failure would say nothing about one."""
    return failed_in(run_tests(checkout, game, f"--timeout={SECONDS}"))


def noticed_by(checkout: Path, file: Path, source: str, without: list[str]) -> str:
    """The first test that fails with this source, or "" if none does."""
    place = checkout / file.relative_to(ROOT)
    original = place.read_text(encoding="utf-8")
    place.write_text(source, encoding="utf-8")
    # Twice the limit for unchanged rules: this catches an endless loop, but not a busy machine.
    options = ["-x", f"--timeout={2 * SECONDS}", *(f"--deselect={test}" for test in without)]
    run = run_tests(checkout, file.parent.name, *options)
    place.write_text(original, encoding="utf-8")
    if run.returncode == 0:
        return ""
    return next(iter(failed_in(run)), f"exit status {run.returncode}")


def main() -> None:
    """Change, test, report."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=30, help="of all games together")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--game", choices=GAMES)
    parser.add_argument("--list", action="store_true", help="only tell what would be changed")
    options = parser.parse_args()
    games = (options.game,) if options.game else GAMES
    rng = random.Random(options.seed)
    chosen = [mutant for game in games for mutant in rng.sample(mutants(game), options.count // len(games))]
    noticed = 0
    with tempfile.TemporaryDirectory() as folder:
        tracked = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
        for name in tracked.splitlines():
            if (ROOT / name).is_file():
                (Path(folder) / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(ROOT / name, Path(folder) / name)
        without = {} if options.list else {game: left_out(Path(folder), game) for game in games}
        for game, tests in without.items():
            print(f"{game}, left out: {', '.join(tests) or 'none'}", flush=True)
        for file, place in chosen:
            source, words = mutated(file, place)
            test = "" if options.list else noticed_by(Path(folder), file, source, without[file.parent.name])
            noticed += bool(test)
            print(words if options.list else f"{words}\n    {test or 'NOT NOTICED'}", flush=True)
    if not options.list:
        print(f"{noticed} of {len(chosen)} noticed")


if __name__ == "__main__":
    main()
