"""The table of the rules of Re;ACT and of the tests that hold them: docs/arts_of_war/rules.md.

    python -m tests.arts_of_war.rule_table

A test names the rules that it covers in its mark, `@pytest.mark.rule("AW-C4")`, or in its docstring. The rules stand in rules.yaml.
"""

from __future__ import annotations

import ast
import re
from pathlib import Path
from typing import Any

import yaml

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
RULES = ROOT / "docs/arts_of_war/rules.yaml"
PAGE = ROOT / "docs/arts_of_war/rules.md"
ID = re.compile(r"AW-[A-Z]\d+")

CHAPTERS = {
    "S": "Set-up",
    "T": "Turn",
    "C": "React Chain",
    "M": "Masterpiece",
    "U": "Units, movement, damage",
    "I": "Information",
}


def rules() -> dict[str, dict[str, Any]]:
    """id -> text, source, option."""
    read: dict[str, dict[str, Any]] = yaml.safe_load(RULES.read_text(encoding="utf-8"))
    return read


def named_tests() -> dict[str, list[str]]:
    """id -> the tests that name it, as file::function; those that name it in a mark come first."""
    marked: dict[str, list[str]] = {}
    told: dict[str, list[str]] = {}
    for path in sorted(HERE.glob("test_*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
                name = f"{path.name}::{node.name}"
                marks = [ast.unparse(mark) for mark in node.decorator_list if "mark.rule" in ast.unparse(mark)]
                for rule in sorted({rule for mark in marks for rule in ID.findall(mark)}):
                    marked.setdefault(rule, []).append(name)
                for rule in sorted(set(ID.findall(ast.get_docstring(node) or ""))):
                    if name not in marked.get(rule, []):
                        told.setdefault(rule, []).append(name)
    return {rule: marked.get(rule, []) + told.get(rule, []) for rule in {**marked, **told}}


def page() -> str:
    """The page as Markdown."""
    known, named = rules(), named_tests()
    lines = [
        "# The rules, and the tests that hold them",
        "",
        "Written by `python -m tests.arts_of_war.rule_table` from [rules.yaml](rules.yaml) and the tests in `tests/arts_of_war`.",
        "Sources: the printed rulebook (which wins), the rules on the publisher's site, the publisher's FAQ, public reviews;",
        "*decided* is our ruling where these are silent or differ, and where it can be changed, the option of `react_env.load` is named.",
    ]
    for letter, chapter in CHAPTERS.items():
        lines += ["", f"## {chapter}", "", "| rule | what it says | source | tests |", "|---|---|---|---|"]
        for rule, entry in known.items():
            if rule[3] == letter:
                source = ", ".join(entry["source"])
                if "option" in entry:
                    options = ", ".join(f"`{option.strip()}`" for option in entry["option"].split(","))
                    source += f" ({options})"
                where: dict[str, list[str]] = {}
                for test in named.get(rule, []):
                    file, name = test.split("::")
                    where.setdefault(file, []).append(f"`{name.removeprefix('test_')}`")
                cell = "<br>".join(f"{file}: {', '.join(names)}" for file, names in where.items())
                lines.append(f"| {rule} | {entry['text']} | {source} | {cell} |")
    return "\n".join(lines) + "\n"


def main() -> None:
    """Write the page."""
    PAGE.write_text(page(), encoding="utf-8")
    print(
        f"{PAGE.relative_to(ROOT)}: {len(rules())} rules, {sum(map(len, named_tests().values()))} times named in tests"
    )


if __name__ == "__main__":
    main()
