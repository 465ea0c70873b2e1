"""Write the tables of each game's rules and of the tests that check them: docs/<game>/rules.md.

    python -m tests.rule_table

A test names the rules that it covers in its mark, `@pytest.mark.rule("AW-C4")`, or in its docstring. The rules are in rules.yaml.
What differs between the games is in tests/<game>/rule_table.py.
"""

from __future__ import annotations

import ast
import importlib
import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import yaml
from pydantic import BaseModel

TESTS = Path(__file__).parent
ROOT = TESTS.parent
GAMES = ("arts_of_war", "fight_sequence", "react_fast", "reality_tcg")


@cache
def _rules(path: Path) -> dict[str, dict[str, Any]]:
    read: dict[str, dict[str, Any]] = yaml.safe_load(path.read_text(encoding="utf-8"))
    return read


@dataclass(frozen=True, kw_only=True)
class RuleTable:
    """The rules of one game and their tests.

    Attributes:
        game: the name of its folders.
        prefix: how its rule ids begin.
        sources: lines of the page above the tables.
        chapters: letter of the ids -> title.
        config: the model whose fields change rulings.
        keywords: keywords of `react_env.load` that change rulings but are not fields of `config`.
        called: pairs (beginning of an id, how the texts of `config` write it).
    """

    game: str
    prefix: str
    sources: tuple[str, ...]
    chapters: dict[str, str]
    config: type[BaseModel]
    keywords: tuple[str, ...] = ()
    called: tuple[tuple[str, str], ...] = ()

    @property
    def yaml(self) -> Path:
        """The file with the rules."""
        return ROOT / "docs" / self.game / "rules.yaml"

    @property
    def path(self) -> Path:
        """The path of the page."""
        return ROOT / "docs" / self.game / "rules.md"

    @property
    def id(self) -> re.Pattern[str]:
        """The pattern of an id."""
        return re.compile(self.prefix + r"-[A-Z]\d+[a-z]?\b")

    def rules(self) -> dict[str, dict[str, Any]]:
        """id -> text, source, at, option."""
        return _rules(self.yaml)

    def options(self, rule: str) -> list[str]:
        """The options that change a rule."""
        return [name.strip() for name in self.rules()[rule].get("option", "").split(",") if name]

    def told_as(self, rule: str) -> str:
        """An id as the texts of `config` write it."""
        for begin, written in self.called:
            if rule.startswith(begin):
                return written + rule.removeprefix(begin)
        return rule

    def named_tests(self) -> dict[str, list[str]]:
        """id -> the tests that name it, as file::function; those that name it in a mark come first."""
        marked: dict[str, list[str]] = {}
        told: dict[str, list[str]] = {}
        for path in sorted((TESTS / self.game).glob("test_*.py")):
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
                    name = f"{path.name}::{node.name}"
                    marks = [ast.unparse(mark) for mark in node.decorator_list if "mark.rule" in ast.unparse(mark)]
                    for rule in sorted({rule for mark in marks for rule in self.id.findall(mark)}):
                        marked.setdefault(rule, []).append(name)
                    for rule in sorted(set(self.id.findall(ast.get_docstring(node) or ""))):
                        if name not in marked.get(rule, []):
                            told.setdefault(rule, []).append(name)
        return {rule: marked.get(rule, []) + told.get(rule, []) for rule in {**marked, **told}}

    def page(self) -> str:
        """The page as Markdown."""
        known, named = self.rules(), self.named_tests()
        lines = [
            "# Rules and their tests",
            "",
            f"Written by `python -m tests.rule_table` from [rules.yaml](rules.yaml) and the tests in `tests/{self.game}`.",
            *self.sources,
        ]
        for letter, chapter in self.chapters.items():
            lines += [
                "",
                f"## {chapter}",
                "",
                "| rule | what it says | source | lines | tests |",
                "|---|---|---|---|---|",
            ]
            for rule, entry in known.items():
                if rule[len(self.prefix) + 1] == letter:
                    source = ", ".join(entry["source"])
                    if "option" in entry:
                        source += f" ({', '.join(f'`{option}`' for option in self.options(rule))})"
                    where: dict[str, list[str]] = {}
                    for test in named.get(rule, []):
                        file, name = test.split("::")
                        where.setdefault(file, []).append(f"`{name.removeprefix('test_')}`")
                    cell = "<br>".join(f"{file}: {', '.join(names)}" for file, names in where.items())
                    lines.append(f"| {rule} | {entry['text']} | {source} | {entry.get('at', '')} | {cell} |")
        return "\n".join(lines) + "\n"

    # -- what the suite checks -----------------------------------------------------------------------------------------

    def check_tests(self) -> None:
        """Every rule has a test, and every test that names a rule names one that exists."""
        known, named = self.rules(), self.named_tests()
        assert not set(known) - set(named), f"no test names {sorted(set(known) - set(named))}"
        assert not set(named) - set(known), f"tests name rules that do not exist: {sorted(set(named) - set(known))}"
        assert all(self.id.fullmatch(rule) and rule[len(self.prefix) + 1] in self.chapters for rule in known)

    def check_lines(self) -> None:
        """Each rule that comes from a source names the lines of the published text against which it was checked."""
        known = self.rules()
        silent = [rule for rule, entry in known.items() if set(entry["source"]) != {"decided"} and "at" not in entry]
        assert not silent, f"no lines are named for {silent}"
        pattern = re.compile(r"(?:[a-z]+ )?\d+(?:-\d+)?(?:[,;] (?:[a-z]+ )?\d+(?:-\d+)?)*")
        wrong = [rule for rule, entry in known.items() if "at" in entry and not pattern.fullmatch(entry["at"])]
        assert not wrong, f"not lines: {wrong}"

    def check_options(self) -> None:
        """Every option belongs to a rule, and its description begins with the rule's id."""
        fields = self.config.model_fields
        options = [(rule, name) for rule in self.rules() for name in self.options(rule)]
        assert {name for _, name in options} == set(fields) | set(self.keywords)
        for rule, name in options:
            if name in fields:
                assert (fields[name].description or "").startswith(f"{self.told_as(rule)}:"), name

    def check_page(self) -> None:
        """The page is up to date."""
        assert self.path.read_text(encoding="utf-8") == self.page(), "run: python -m tests.rule_table"


def tables() -> list[RuleTable]:
    """The tables of all games."""
    return [importlib.import_module(f"tests.{game}.rule_table").TABLE for game in GAMES]


def main() -> None:
    """Write the pages."""
    for table in tables():
        table.path.write_text(table.page(), encoding="utf-8")
        count = sum(map(len, table.named_tests().values()))
        print(f"{table.path.relative_to(ROOT)}: {len(table.rules())} rules, {count} times named in tests")


if __name__ == "__main__":
    main()
