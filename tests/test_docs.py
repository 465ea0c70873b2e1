"""The documentation agrees with the code: its tables, its links, and every example in it."""

import ast
import importlib
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

import react_env
from react_env import docs_pictures, docs_site, docs_tables
from react_env.cli import app
from react_env.errors import CardError

NOTEBOOKS = sorted((docs_tables.ROOT / "notebooks").glob("*.ipynb"))
PAGES = list(docs_tables.pages())
_LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")

# Replacements that make the long examples short; each old text must occur in a page.
SMALL = {
    "num_games=4096": "num_games=8",
    "minutes=10)": "steps=64, envs=8, rollout=8, minibatch=32, evaluations=0, imitation_games=16, imitation_epochs=1)",
    "games=1000)": "games=2)",
    "games=40)": "games=8)",
    'check_game(react_env.load("high_card-v0"))': 'check_game(react_env.load("react_fast-v0"), games=1)',
}


def blocks(path: Path, language: str) -> list[str]:
    """The code blocks of a language in a page."""
    return re.findall(rf"^```{language}\n(.*?)^```", path.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)


def anchors(path: Path) -> set[str]:
    """The anchors of a page's headings."""
    heads = re.findall(r"^#+ (.*)$", path.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", head.lower()).replace(" ", "-") for head in heads}


def examples() -> Iterator[Any]:
    """Every Python example of README and docs."""
    for path in PAGES:
        for number, code in enumerate(blocks(path, "python"), start=1):
            name = f"{path.relative_to(docs_tables.ROOT)} {number}"
            marks = [pytest.mark.long] if "react_env.training.selfplay.run" in code else []
            yield pytest.param(code, id=name, marks=marks)


def test_tables_are_those_of_the_code() -> None:
    assert docs_tables.main(["--check"]) == 0, "run `make docs`"


def test_every_table_stands_somewhere() -> None:
    text = "".join(path.read_text(encoding="utf-8") for path in PAGES)
    assert {name for name in docs_tables.TABLES if f"<!-- table: {name} -->" not in text} == set()


def test_a_stale_table_is_noticed() -> None:
    page = "before\n<!-- table: fight_sequence.actions -->\nold\n<!-- end of table -->\nafter\n"
    new = docs_tables.rewritten(page)
    assert new.startswith("before\n<!-- table: fight_sequence.actions -->\n\n| ids | group | names |")
    assert new.endswith("<!-- end of table -->\nafter\n") and "old" not in new
    assert docs_tables.rewritten(new) == new
    with pytest.raises(SystemExit, match="there is no table 'nothing'"):
        docs_tables.rewritten(page.replace("fight_sequence.actions", "nothing"))


def test_every_game_has_its_page_and_its_tables() -> None:
    for game in react_env.game_ids():
        name = game.rpartition("-")[0]
        text = (docs_tables.ROOT / "docs" / f"{name}.md").read_text(encoding="utf-8")
        for table in ("specs", "options", "observation", "actions"):
            assert f"<!-- table: {name}.{table} -->" in text


def test_lines_of_code_are_counted_without_words() -> None:
    source = '"""About."""\n\n# why\nx = """a\nb"""  # what\n\n\ndef f():\n    """Does."""\n    return (\n        1,\n    )\n'
    assert docs_tables.code_lines(source) == 2 + 1 + 3
    assert docs_tables.code_lines("") == 0


@pytest.mark.slow
def test_the_lines_told_are_about_those_of_the_code() -> None:
    """The check of the tables skips this one, so that not every commit makes it stale, but it must stay roughly true."""

    def figures(text: str) -> list[int]:
        return [int(number.replace(",", "")) for number in re.findall(r"\| ([\d,]+) \|", text)]

    page = (docs_tables.ROOT / "docs" / "design.md").read_text(encoding="utf-8")
    told, true = figures(page.split("<!-- table: lines -->")[1].split("<!-- end")[0]), figures(docs_tables.lines())
    assert len(told) == len(true) == len(react_env.game_ids()) + 1
    for there, here in zip(told, true, strict=True):
        assert abs(there - here) < here / 2, "run `make docs`"


@pytest.mark.parametrize("page", PAGES, ids=lambda path: str(path.relative_to(docs_tables.ROOT)))
def test_relative_links_lead_somewhere(page: Path) -> None:
    for link in _LINK.findall(page.read_text(encoding="utf-8")):
        if "://" in link:
            continue
        name, _, anchor = link.partition("#")
        target = (page.parent / name).resolve() if name else page
        assert target.exists(), f"{link} leads nowhere"
        assert not anchor or anchor in anchors(target), f"{link}: {target.name} has no such heading"


def test_the_readme_is_short_and_names_every_game_and_command() -> None:
    from react_env.cli import app

    text = PAGES[0].read_text(encoding="utf-8")
    assert len(text.splitlines()) <= 100
    assert [game for game in react_env.game_ids() if f"`{game}`" not in text] == []
    assert [c.name for c in app.registered_commands if f"`react-env {c.name}" not in text] == []


@pytest.mark.parametrize("code", list(examples()))
def test_examples_run(code: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if "exact" in code or "openspiel" in code:
        pytest.importorskip("pyspiel")
    monkeypatch.chdir(tmp_path)
    for long, short in SMALL.items():
        code = code.replace(long, short)
    exec(compile(ast.parse(code), "example", "exec"), {"__name__": "example"})


def test_what_shortens_the_examples_is_used() -> None:
    code = "".join(code for path in PAGES for code in blocks(path, "python"))
    assert [long for long in SMALL if long not in code] == []


def test_the_example_artist_loads() -> None:
    from react_env.games.arts_of_war.cards import compile_tables, load_artist
    from react_env.games.arts_of_war.cards.printer import artist_page
    from react_env.games.arts_of_war.cards.reader import parse_artist
    from react_env.games.arts_of_war.rules import load_rules

    page = docs_tables.ROOT / "docs" / "adding_an_artist.md"
    (text,) = blocks(page, "yaml")
    artist = parse_artist(text, "gardener.yaml")
    compile_tables(artist, load_artist("dancer"), load_rules())
    assert artist_page(artist) is not None
    wrong = text.replace("- damage: {zone: target}        # whoever", "- damge: {zone: target}        # whoever")
    with pytest.raises(CardError) as error:
        parse_artist(wrong, "gardener.yaml")
    assert blocks(page, "text") == [f"{error.value}\n"]


def test_the_example_artist_plays(tmp_path: Path) -> None:
    import numpy as np

    (text,) = blocks(docs_tables.ROOT / "docs" / "adding_an_artist.md", "yaml")
    file = tmp_path / "gardener.yaml"
    file.write_text(text, encoding="utf-8")
    game = react_env.load("arts_of_war-v0", artists=(str(file), "dancer"))
    batch = game.batch(num_games=64, seed=0)
    words = np.arange(64, dtype=np.uint64)
    ended = np.zeros(64, np.bool_)
    for _ in range(600):
        batch.step(batch.random_actions(words))
        ended |= batch.terminated
    assert ended.any()


DECK_FILES = docs_tables.ROOT / "docs" / "fight_sequence" / "deck_files.md"


def test_the_example_deck_plays_and_its_mistake_is_told(tmp_path: Path) -> None:
    import numpy as np

    from react_env.games.fight_sequence.deck_files import parse_deck
    from react_env.games.fight_sequence.rules import load_rules

    (text,) = blocks(DECK_FILES, "yaml")
    file = tmp_path / "my_deck.yaml"
    file.write_text(text, encoding="utf-8")
    game = react_env.load("fight_sequence-v0", decks=str(file), deck_size=12)
    batch = game.batch(num_games=16, seed=0)
    words = np.arange(16, dtype=np.uint64)
    ended = np.zeros(16, np.bool_)
    for _ in range(300):
        batch.step(batch.random_actions(words))
        ended |= batch.terminated
    assert ended.all()
    with pytest.raises(CardError) as error:
        parse_deck(text.replace("damage:", "damge:"), file.name, load_rules(deck_size=12))
    assert blocks(DECK_FILES, "text") == [f"{error.value}\n"]


def test_all_that_the_page_of_deck_files_names_can_be_written() -> None:
    """Each line of its tables is accepted: as an effect of both timings where both are allowed, or as a response."""
    import yaml

    from react_env.games.fight_sequence.deck_files import _EFFECTS, _RESPONSES, Card

    card = {"name": "X", "copies": 1, "speed": 10, "power": 1, "type": "physical", "response": "willpower"}
    named: dict[str, set[str]] = {"effect": set(), "response": set()}
    kind = ""
    for line in DECK_FILES.read_text(encoding="utf-8").splitlines():
        head = re.match(r"\| `(effect|response)`", line)
        if head:
            kind = head[1]
        elif kind and line.startswith("| `"):
            for snippet in re.findall(r"`([^`]+)`", line.split(" | ")[0]):
                part = yaml.safe_load(snippet)
                if kind == "response":
                    Card.model_validate({**card, "response": part})
                else:
                    for timing in ("timed",) if "bonus" in part else ("timed", "immediate"):
                        Card.model_validate({**card, "effect": {"timing": timing, **part}})
                named[kind].add(part if isinstance(part, str) else next(iter(part)))
        else:
            kind = kind if line.startswith("|--") else ""
    assert named == {"effect": set(_EFFECTS), "response": set(_RESPONSES)}


@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_holds_no_outputs(notebook: Path) -> None:
    import json

    cells = json.loads(notebook.read_text(encoding="utf-8"))["cells"]
    assert [cell for cell in cells if cell.get("outputs") or cell.get("execution_count")] == []


@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_calls_what_there_is(notebook: Path) -> None:
    """Only the long tests run a notebook, so this one looks for names and arguments that have changed since."""
    import ast
    import inspect
    import json

    cells = json.loads(notebook.read_text(encoding="utf-8"))["cells"]
    code = ast.parse("\n".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"))
    known: dict[str, Any] = {}
    for node in code.body:
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            exec(ast.unparse(node), known)
    called = 0
    for node in ast.walk(code):
        name = ast.unparse(node.func) if isinstance(node, ast.Call) else ""
        if (
            re.fullmatch(r"[\w.]+", name)
            and name.split(".")[0] in known
            and not any(isinstance(part, ast.Starred) for part in node.args)
        ):
            function = eval(name, known)
            if function.__module__.startswith("react_env"):
                named = {keyword.arg: None for keyword in node.keywords if keyword.arg}
                inspect.signature(function).bind(*node.args, **named)
                called += 1
    assert called


def test_the_edit_in_the_notebook_of_a_card_can_be_made_again(tmp_path: Path) -> None:
    """A reader changes the number and runs the cell once more."""
    import json
    import shutil
    from types import SimpleNamespace

    import yaml

    from react_env.evaluation.lab.edits import changed
    from react_env.evaluation.lab.subject import STANDARD
    from react_env.games.reality_tcg.cards import DECKS, SETS
    from react_env.games.reality_tcg.lab import Decks

    cells = json.loads((docs_tables.ROOT / "notebooks" / "balance_a_card.ipynb").read_text(encoding="utf-8"))["cells"]
    (edit,) = (code for cell in cells if "shutil.copytree" in (code := "".join(cell["source"])))
    rows = [SimpleNamespace(ban=SimpleNamespace(item="captain"))]
    known = {"yaml": yaml, "shutil": shutil, "DECKS": DECKS, "SETS": SETS, "folder": tmp_path, "rows": rows}
    exec(edit, dict(known))
    exec(edit.replace("+= 2", "+= 3"), dict(known))
    # Past bug: a report of this edition told that there is a new file, not the number that was edited.
    subject = Decks("reality_tcg-v0", {})
    edits = changed(subject.texts(STANDARD), subject.texts(str(tmp_path / "mine")))
    assert edits == [("reality_default.yaml: characters/captain/hp", "2", "5")]


@pytest.mark.long
@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_runs(notebook: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    nbformat = pytest.importorskip("nbformat")
    client = pytest.importorskip("nbclient")
    monkeypatch.setenv("REACT_ENV_BUDGET", "0.05")
    monkeypatch.setenv("TMPDIR", str(tmp_path))  # for the runs of a notebook
    cells = nbformat.read(notebook, as_version=4)
    client.NotebookClient(cells, timeout=240, kernel_name="python3").execute()
    assert all(cell.execution_count for cell in cells.cells if cell.cell_type == "code")


def test_the_pictures_of_the_readme_are_those_of_today() -> None:
    for name, picture in docs_pictures.pictures().items():
        assert (docs_pictures.PICTURES / name).read_text(encoding="utf-8") == picture, "run `make docs`"


def test_the_site_has_every_page_in_its_menu_and_no_link_leads_out_of_it() -> None:
    import yaml

    pages = docs_site.pages()
    menu = yaml.safe_load((docs_tables.ROOT / "mkdocs.yml").read_text(encoding="utf-8"))["nav"]

    def listed(part: Any) -> list[str]:
        if isinstance(part, str):
            return [part]
        return [page for one in (part if isinstance(part, list) else part.values()) for page in listed(one)]

    assert sorted(listed(menu)) == sorted(pages)
    for name, text in pages.items():
        for target in re.findall(r"(?<!!)\[[^\]]*\]\((?!https?:|#)([^)#\s]+)", text):
            assert os.path.normpath(os.path.join(os.path.dirname(name), target)) in pages, f"{name}: {target}"


def test_every_module_of_the_api_page_is_there() -> None:
    for modules in docs_site.API.values():
        for module in modules:
            assert importlib.import_module(module).__doc__, module


def test_the_api_page_has_what_the_examples_import_and_how_objects_are_made() -> None:
    import yaml

    told = {module for modules in docs_site.API.values() for module in modules}
    assert {f"react_env.{id.replace('-', '_')}" for id in react_env.game_ids()} <= told
    trees = [ast.parse(code) for page in PAGES for code in blocks(page, "python")]
    parts = [node for tree in trees for node in ast.walk(tree)]
    used = {node.module for node in parts if isinstance(node, ast.ImportFrom)}
    used |= {name.name for node in parts if isinstance(node, ast.Import) for name in node.names}
    assert [name for name in used if name and name.startswith("react_env") and name not in told] == []
    site = yaml.safe_load((docs_tables.ROOT / "mkdocs.yml").read_text(encoding="utf-8"))
    (handlers,) = (part["mkdocstrings"] for part in site["plugins"] if part != "search")
    options = handlers["handlers"]["python"]["options"]
    assert options["merge_init_into_class"] and re.search(options["filters"][0].removeprefix("!"), "__call__") is None


def test_the_site_has_its_style(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import yaml

    monkeypatch.setattr(docs_site, "BUILD", tmp_path)
    docs_site.main()
    site = yaml.safe_load((docs_tables.ROOT / "mkdocs.yml").read_text(encoding="utf-8"))
    assert all((tmp_path / name).exists() for name in site["extra_css"])


def test_the_game_in_the_terminal_goes_as_it_is_told() -> None:
    """The session in docs/playing.md: the input given there leads to the output shown there."""
    told = (docs_tables.ROOT / "docs" / "playing.md").read_text().split("## Commands")[0]
    blocks = [block for language, block in re.findall(r"```(\w*)\n(.*?)```", told, re.S) if not language]
    lines = [line.rstrip() for block in blocks for line in [*block.splitlines(), "..."] if not line.startswith("$ ")]
    typed = [line.removeprefix("> ") for line in lines if line.startswith("> ")]
    words = ["play", "--artists", "tagger,calligrapher", "--seed", "4"]
    assert f"react-env {' '.join(words)}" in told and len(typed) > 5
    result = CliRunner().invoke(app, words, input="\n".join(typed) + "\n", env={"COLUMNS": "80"})

    def plain(text: str) -> str:
        return re.sub(r"\d+ ?(?=%|\n *%)", "N ", "\n".join(line.rstrip() for line in text.splitlines()))

    out, at = plain(result.output), 0
    for part in re.split(r"\n\.\.\.(?:\n|$)", plain("\n".join(lines))):
        found = out.find(part.strip("\n"), at)
        assert found >= 0, part
        at = found
