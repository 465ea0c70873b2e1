"""What is installed: the wheel and the packages of its extras; the core alone is enough to play and to write agents."""

from __future__ import annotations

import ast
import os
import re
import signal
import subprocess
import sys
import sysconfig
import threading
import tomllib
import venv
import zipfile
from collections.abc import Iterator
from email.parser import Parser
from functools import partial
from importlib import metadata
from pathlib import Path

import pytest
from packaging.requirements import Requirement

from react_env.errors import MissingPackage
from react_env.extras import EXTRAS, need

ROOT = Path(__file__).resolve().parent.parent
PACKAGES = ("react_env",)
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
# Our code may not import what only developers need (`dev`) or what builds the site (`docs`).
OPTIONAL = {name: texts for name, texts in PROJECT["optional-dependencies"].items() if name not in ("dev", "docs")}


def imported(package: str) -> Iterator[str]:
    """The packages that the files of one of our packages import, anywhere in them."""
    for path in (ROOT / package).rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                yield from (alias.name.partition(".")[0] for alias in node.names)
            elif isinstance(node, ast.ImportFrom) and not node.level and node.module:
                yield node.module.partition(".")[0]


def closure(requirements: list[str]) -> set[str]:
    """The distributions that these requirements install, directly or through each other."""
    found: set[str] = set()
    waiting = [Requirement(text) for text in requirements]
    while waiting:
        wanted = waiting.pop()
        name = re.sub(r"[-_.]+", "-", wanted.name).lower()
        if name not in found and (wanted.marker is None or wanted.marker.evaluate({"extra": ""})):
            found.add(name)
            waiting += [Requirement(text) for text in metadata.distribution(name).requires or ()]
    return found


def test_every_import_is_of_the_core_or_of_an_extra_and_no_extra_is_for_nothing() -> None:
    core = {name.replace("-", "_") for name in closure(PROJECT["dependencies"])} | {"yaml"}
    optional = {package for packages in EXTRAS.values() for package in packages}
    found = {name for package in PACKAGES for name in imported(package)}
    others = found - set(sys.stdlib_module_names) - set(PACKAGES) - core - {"tests"}
    assert others <= optional, f"neither in the core nor in an extra: {sorted(others - optional)}"
    unused = optional - found - {"websockets"}  # uvicorn uses it
    assert not unused, f"nothing imports {sorted(unused)}"


def test_the_packages_of_an_extra_are_those_that_it_installs() -> None:
    assert set(EXTRAS) == set(OPTIONAL)
    brings = {"open_spiel": {"open_spiel", "pyspiel"}, "Pillow": {"PIL"}}  # where the names differ
    for extra, texts in OPTIONAL.items():
        names = [Requirement(text).name.replace("-", "_") for text in texts]
        assert set(EXTRAS[extra]) == set().union(*(brings.get(name, {name}) for name in names))


def test_what_is_missing_is_told_in_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    with need("train", "json", "ast"):
        pass
    monkeypatch.setitem(EXTRAS, "eval", ("json", "no_such_package"))
    with pytest.raises(
        MissingPackage, match=r"^no_such_package is not installed: .*pip install 'react_env\[eval\]'$"
    ) as error:
        need("eval")
    assert isinstance(error.value, ImportError) and error.value.name == "no_such_package"


def test_an_import_is_not_interrupted(request: pytest.FixtureRequest) -> None:
    """Past bug: Ctrl-C during the import of torch could abort the whole process, "terminate called". Now it waits for the import."""
    request.addfinalizer(partial(signal.signal, signal.SIGINT, signal.getsignal(signal.SIGINT)))
    signal.signal(signal.SIGINT, signal.default_int_handler)
    done = []
    with pytest.raises(KeyboardInterrupt):
        with need("train", "json"):
            signal.raise_signal(signal.SIGINT)
            done.append("imported")
    assert done and signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_outside_the_main_thread_an_import_is_as_ever() -> None:
    done = []

    def work() -> None:
        with need("train", "json"):
            done.append("imported")

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert done


# --------------------------------------------------------------------------------------------------------------- the wheel


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel, built without a network."""
    pytest.importorskip("hatchling")
    pytest.importorskip("hatch_fancy_pypi_readme")
    folder = tmp_path_factory.mktemp("wheel")
    build = f"from hatchling.build import build_wheel; print(build_wheel({str(folder)!r}))"
    subprocess.run([sys.executable, "-c", build], cwd=ROOT, check=True, capture_output=True)
    (file,) = folder.glob("*.whl")
    return file


def test_the_wheel_holds_what_is_needed_and_says_it(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
        about = Parser().parsestr(archive.read(next(n for n in names if n.endswith("METADATA"))).decode())
    assert {f"{package}/py.typed" for package in PACKAGES} <= names
    assert {name.partition("/")[0] for name in names if ".dist-info/" not in name} == set(PACKAGES)
    for file in ("decks/academy_default.yaml", "valid.py"):
        assert f"react_env/games/fight_sequence/{file}" in names
    assert "react_env/agents/champions/fight_sequence-v0/model.safetensors" in names
    assert set(about.get_all("Provides-Extra") or ()) == {*OPTIONAL, "dev", "docs"}
    readme = str(about.get_payload())
    assert "docs/your_own_game.md" in readme and not re.search(r"\]\((?!https?://)", readme), "a broken link"


@pytest.fixture(scope="module")
def bare(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The Python of a virtual environment with the wheel and links to the packages of the core, and nothing else."""
    folder = tmp_path_factory.mktemp("bare")
    venv.create(folder, symlinks=True)
    site = Path(sysconfig.get_path("purelib", "venv", {"base": str(folder)}))
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(site)
    for name in closure(PROJECT["dependencies"]):
        installed = metadata.distribution(name)
        for top in {file.parts[0] for file in installed.files or ()} - {"..", "__pycache__"}:
            if not (site / top).exists():
                (site / top).symlink_to(Path(str(installed.locate_file(top))))
    return Path(sysconfig.get_path("scripts", "venv", {"base": str(folder)})) / Path(sys.executable).name


def run(python: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run the Python of that environment, with the compiled functions of this one."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    environment |= {"COLUMNS": "200"}
    return subprocess.run([python, *arguments], env=environment, cwd=python.parent, capture_output=True, text=True)


PLAYS = """
import sys
import react_env
from react_env import agents
from react_env.evaluation import play_match

game = react_env.load("fight_sequence-v0", max_sequences=2)
for spec in ("random", "greedy", "mcts:8", "hard", "champion"):
    agent = agents.load(spec, game, on_mismatch="warn")
    print(play_match(game, agent, agents.load("random", game), games=2, seed=0).total.games)
game.restore(game.save(game.new(seed=1)))
found = {name.partition(".")[0] for name in sys.modules}
print("optional:", *sorted(found & {"torch", "scipy", "matplotlib", "openskill", "jinja2", "stable_baselines3", "pyspiel"}))
"""


@pytest.mark.slow
def test_the_core_is_enough_to_play_and_to_write_agents(bare: Path) -> None:
    result = run(bare, "-W", "ignore", "-c", PLAYS)
    assert result.returncode == 0, result.stderr
    assert result.stdout.split() == ["2"] * 5 + ["optional:"]


COMMANDS = """
from typer.testing import CliRunner
from react_env.cli import app

for words in ({commands}):
    result = CliRunner().invoke(app, words.split())
    print(words.split()[0], result.exit_code, result.output.strip())
"""


def test_commands_that_need_more_say_what(bare: Path) -> None:
    told = run(
        bare,
        "-c",
        COMMANDS.format(commands="'arena random greedy', 'train', 'demo', 'exploit greedy', 'cards academy_default'"),
    )
    assert told.returncode == 0, told.stderr
    lines = told.stdout.splitlines()
    for line, (command, extra) in zip(
        lines, (("arena", "eval"), ("train", "train"), ("demo", "train"), ("exploit", "train"))
    ):
        assert re.fullmatch(rf"{command} 2 react-env: \w+ is not installed: .*'react_env\[{extra}\]'", line), line
    assert lines[4].startswith("cards 0 ")
