"""Compilation: once, with a message, and never from old sources."""

import gc
import io
import math
import os
import shutil
import signal
import subprocess
import sys
from collections import namedtuple
from pathlib import Path
from types import FunctionType, ModuleType, SimpleNamespace

import numpy as np
import pytest

from react_env.engine import compile as compiling
from react_env.engine.compile import COMPILED, HOW, UnknownConstantError, fingerprint, type_text

pytestmark = pytest.mark.skipif(not COMPILED, reason="Numba is absent or disabled")

ROOT = Path(__file__).resolve().parents[2]
CODE = (
    "from tests import toy; game = toy.load(); state = game.new(0); game.step(state, int(game.legal_actions(state)[0]))"
)
AT_ONCE = "from react_env.engine import compile; compile.SILENT_SECONDS = 0; "  # says so on any machine


def start(cache: Path, code: str = CODE, folder: Path = ROOT) -> str:
    """What a new process prints on stderr; the sources in `folder` come first in its path."""
    run = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "REACT_ENV_CACHE_DIR": str(cache), "PYTHONPATH": str(folder)},
        cwd=folder,
        capture_output=True,
        text=True,
    )
    assert run.returncode == 0, run.stderr
    return run.stderr


@pytest.mark.parametrize("collects", [True, False])
def test_garbage_is_collected_after_compiling_as_before(
    collects: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Collection pauses while something is compiled: see `Announcer.on_start`."""
    monkeypatch.setenv("REACT_ENV_CACHE_DIR", str(tmp_path))

    @compiling.njit
    def twice(x: int) -> int:
        return 2 * x

    before = gc.isenabled()
    (gc.enable if collects else gc.disable)()
    try:
        assert twice(21) == 42
        assert gc.isenabled() == collects
    finally:
        (gc.enable if before else gc.disable)()


@pytest.mark.slow
def test_the_first_start_compiles_and_says_so_and_later_ones_are_silent(tmp_path: Path) -> None:
    said = start(tmp_path, AT_ONCE + CODE)
    assert said.splitlines() == [
        "react_env: compiling toy-v0 for this machine (once, up to a minute) ...",
        "react_env: compiled.",
    ]
    files = {path: path.stat().st_mtime_ns for path in tmp_path.iterdir()}
    assert files
    said = start(tmp_path, AT_ONCE + CODE + "; game.batch(2, seed=0, threads=2).reset()")
    assert said == ""
    assert files == {path: path.stat().st_mtime_ns for path in tmp_path.iterdir()}, "nothing is compiled again"


@pytest.mark.slow
def test_another_copy_of_the_sources_loads_what_one_has_compiled(tmp_path: Path) -> None:
    """A second checkout, with other file times and other comments, compiles nothing and says nothing."""
    said = []
    for number, folder in enumerate((tmp_path / "one", tmp_path / "two" / "deeper")):
        for part in ("engine", "games", *(file.name for file in (ROOT / "react_env").glob("*.py"))):
            source, target = ROOT / "react_env" / part, folder / "react_env" / part
            if source.is_dir():
                shutil.copytree(source, target, ignore=shutil.ignore_patterns("__pycache__"))
            else:
                target.write_bytes(source.read_bytes())
        toy = (ROOT / "tests" / "toy.py").read_text()
        (folder / "toy.py").write_text(f"# {number} lines are put before the rest\n" * number + toy)
        code = (
            "import sys, toy, react_env, numba.core.event as event\n"
            f"assert react_env.__file__.startswith({str(folder)!r})\n"
            "with event.install_recorder('numba:compile') as compiled: game = toy.load(); game.step(game.new(0), 0)\n"
            "print(len(compiled.buffer), file=sys.stderr)"
        )
        said.append(start(tmp_path / "cache", code, folder).splitlines())
    assert int(said[0][-1]) > 10
    assert said[1] == ["0"]


@pytest.mark.slow
def test_a_change_is_compiled_again_where_it_is_called(tmp_path: Path) -> None:
    """A function is identified by its own code and that of everything it calls, also in other files."""
    helpers = (
        "from react_env.engine.compile import njit\nSTEP = {}\n@njit\ndef forward(x):\n    {}\n    return x + STEP\n"
    )
    caller = (
        "import sys\nfrom react_env.engine.compile import njit\nfrom helpers import forward\n"
        "@njit\ndef twice(x): return forward(forward(x))\n"
        "@njit\ndef other(x): return -x\n"
        "print(twice(0), other(1), *[sum(f.stats.cache_misses.values()) for f in (twice, other)], file=sys.stderr)"
    )

    def run(step: int, line: str) -> str:
        (tmp_path / "helpers.py").write_text(helpers.format(step, line))
        (tmp_path / "caller.py").write_text(caller)
        return start(tmp_path / "cache", "import caller", tmp_path).strip()

    assert run(1, "") == "2 -1 1 1"
    assert run(1, "# a comment") == "2 -1 0 0"
    assert run(5, "") == "10 -1 1 0"
    assert run(1, "x = x * 3") == "4 -1 1 0"
    assert run(1, "") == "2 -1 0 0", "what was compiled before is still there"


def plain(x: int) -> int:
    return x


def changed(x: int) -> int:
    return x + 1


def fresh(source: str, **names: object) -> FunctionType:
    """The function f of this source, with `names` as its globals."""
    exec(source, names)
    found = names["f"]
    assert isinstance(found, FunctionType)
    return found


@pytest.mark.parametrize(
    ("source", "one", "other"),
    [
        ("def f(): return x", 1, 2),
        ("def f(): return x", 1, 1.0),
        ("def f(): return x", True, 1),
        ("def f(): return x", np.int8(1), np.int16(1)),
        ("def f(): return x", np.array([1, 2]), np.array([1, 3])),
        ("def f(): return x", np.array([1, 2], np.int8), np.array([1, 2], np.int16)),
        ("def f(): return x[0]", (1, 2), (2, 1)),
        (
            "def f(y): return y[x]",
            slice(1, 2),
            slice(1, 2, 3),
        ),  # Python 3.14 makes such constants of y[1:2] and y[1:2:3]
        ("def f(): return x(1)", plain, changed),
        ("def f(): return x(1)", np.sin, np.cos),
        ("def f(): return x.sin(1)", np, math),
        ("def f(): return x(1, 2)", namedtuple("P", "a b"), namedtuple("P", "b a")),
        ("def f():\n    def g(): return x\n    return g()", 1, 2),
        ("def g(x):\n    def h(): return x\n    return h\nf = g(x)", 1, 2),
        ("def f(y=x): return y", 1, 2),
    ],
)
def test_what_a_function_reads_belongs_to_its_fingerprint(source: str, one: object, other: object) -> None:
    assert fingerprint(fresh(source, x=one)) == fingerprint(fresh(source, x=one))
    assert fingerprint(fresh(source, x=one)) != fingerprint(fresh(source, x=other))


def test_what_cannot_be_told_apart_is_not_kept() -> None:
    with pytest.raises(UnknownConstantError, match="object"):
        fingerprint(fresh("def f(): return x", x=object()))
    assert fingerprint(fresh("def f(y): return y.x", x=object())), "an attribute of that name is not the global"


def test_of_a_module_counts_what_is_read_of_it() -> None:
    def module(**names: object) -> ModuleType:
        found = ModuleType("ours")
        vars(found).update(names)
        return found

    source = "def f(s): return m.one + s.two"
    known = fingerprint(fresh(source, m=module(one=1, two=object())))  # s.two belongs to something else
    assert known == fingerprint(fresh(source, m=module(one=1, two=2, m=module())))
    assert known != fingerprint(fresh(source, m=module(one=2)))
    with pytest.raises(UnknownConstantError, match="the module ours"):
        fingerprint(fresh("def f(): return m", m=module(one=1)))


def test_a_change_of_code_for_llvm_is_compiled_again() -> None:
    """Past bug: code compiled with an older `turns.take` was loaded, because the fingerprint of an intrinsic covers only its name."""
    written = {file for file in (ROOT / "react_env").rglob("*.py") if "    @intrinsic\n" in file.read_text()}
    assert len(written) >= 3 and written <= {ROOT / "react_env" / "engine" / name for name in HOW}


def test_types_are_known_by_the_names_of_fields() -> None:
    """Numba's own name of a named tuple leaves out the fields, though compiled code finds them by their number."""
    import numba

    one, other = (numba.typeof(namedtuple("P", fields)(1, 2)) for fields in ("a b", "b a"))
    assert str(one) == str(other)
    assert type_text(one) != type_text(other)


@pytest.mark.slow
def test_a_broken_file_is_compiled_again(tmp_path: Path) -> None:
    (tmp_path / "small.py").write_text(
        "import sys\nfrom react_env.engine.compile import njit\n@njit\ndef small(x): return x + 1\n"
        "print(small(1), sum(small.stats.cache_misses.values()), file=sys.stderr)"
    )

    def run() -> str:
        return start(tmp_path / "cache", "import small", tmp_path).strip()

    assert run() == "2 1"
    for file in (tmp_path / "cache").iterdir():
        file.write_bytes(file.read_bytes()[:-100])
    assert [run(), run()] == ["2 1", "2 0"]


def test_a_folder_that_cannot_be_written_is_no_error(tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("")
    (tmp_path / "small.py").write_text(
        "from react_env.engine.compile import njit\n@njit\ndef small(x): return x + 1\nassert small(1) == 2"
    )
    said = start(blocked / "cache", AT_ONCE + "import small", tmp_path).splitlines()
    assert said[-2:] == [
        "react_env: compiled.",
        f"react_env: it cannot be kept for the next time ({blocked / 'cache'}: Not a directory); "
        "REACT_ENV_CACHE_DIR can name another folder",
    ]


def test_the_folder_of_the_cache(monkeypatch: pytest.MonkeyPatch) -> None:
    """Past bug: an empty variable stood for the current folder."""
    for name, value in {"HOME": "/home/me", "XDG_CACHE_HOME": "", "REACT_ENV_CACHE_DIR": ""}.items():
        monkeypatch.setenv(name, value)
    usual = Path(os.path.expanduser("~/.cache/react_env"))
    assert compiling.cache_dir() == usual
    monkeypatch.setenv("REACT_ENV_CACHE_DIR", "~/.cache/react_env")
    assert compiling.cache_dir() == usual
    monkeypatch.setattr(os.path, "expanduser", lambda path: path)  # the home of this user is unknown
    assert compiling.cache_dir() == Path(os.devnull)


def test_files_of_a_folder_that_may_only_be_read_are_used_after_days(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Past bug: where file times cannot be changed, every process compiled everything again after a day."""
    monkeypatch.setenv("REACT_ENV_CACHE_DIR", str(tmp_path))
    store = compiling.Store()
    store.write("some", b"code")
    os.utime(tmp_path / "some", (0, 0))

    def refuse(path: Path) -> None:
        raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr(Path, "touch", refuse)
    assert store.read("some") == b"code"


def test_a_file_that_is_damaged_anywhere_is_not_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REACT_ENV_CACHE_DIR", str(tmp_path))
    store = compiling.Store()
    store.write("some", b"code" * 100)
    data = (tmp_path / "some").read_bytes()
    for place in (0, 200, len(data) - 1):
        (tmp_path / "some").write_bytes(data[:place] + bytes([data[place] ^ 1]) + data[place + 1 :])
        with pytest.raises(ValueError, match="damaged"):
            store.read("some")


def test_old_files_go_and_those_of_others_stay(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REACT_ENV_CACHE_DIR", str(tmp_path))
    ours = f"step-{'0a' * 16}n-{'1b' * 4}.part"
    for name in (ours, f"{ours}.{'2c' * 4}", "film-1.part", "film-2.partial", "new"):
        (tmp_path / name).write_bytes(b"")
        os.utime(tmp_path / name, (0, 0))
    (tmp_path / ("3d" * 8)).mkdir()
    os.utime(tmp_path / ("3d" * 8), (0, 0))
    compiling.forget_old()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["3d" * 8, "film-1.part", "film-2.partial", "new"]


def test_without_standard_error_nothing_is_said(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Past bug: without a console, compiling ended in an AttributeError."""
    monkeypatch.setattr(compiling, "SILENT_SECONDS", -1.0)
    monkeypatch.setattr(compiling, "forget_old", lambda: None)
    announcer = compiling.Announcer()
    announcer.topic = "chess"
    with monkeypatch.context() as without:
        without.setattr(sys, "stderr", None)
        announcer.on_start(None)
        announcer.on_end(None)
        announcer.done()
    assert capsys.readouterr() == ("", "")


@pytest.mark.parametrize(
    ("module", "words"),
    [
        ("react_env.agents.models.network", "an agent"),
        ("react_env.games.reality_tcg.turn", "a game"),
        ("mine", "code"),
    ],
)
def test_what_is_compiled_is_told_without_the_name_of_a_function(
    module: str, words: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Past bug: players were told that run_rows was being compiled."""
    monkeypatch.setattr(compiling, "SILENT_SECONDS", -1.0)
    dispatcher = SimpleNamespace(py_func=SimpleNamespace(__module__=module))
    event = SimpleNamespace(data={"dispatcher": dispatcher}, _exc_details=None)
    announcer = compiling.Announcer()
    announcer.on_start(event)
    announcer.on_end(event)
    assert capsys.readouterr().err.startswith(f"react_env: compiling {words} for this machine")


def test_a_terminal_is_shown_how_far_it_is_in_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    monkeypatch.setattr(sys, "stderr", terminal := Terminal())
    monkeypatch.setattr(compiling, "SILENT_SECONDS", -1.0)
    monkeypatch.setattr(compiling, "FINGERPRINTS", dict.fromkeys(range(4), ""))
    monkeypatch.setattr(compiling, "forget_old", lambda: None)
    announcer = compiling.Announcer()
    announcer.topic = "chess"
    announcer.on_start(None)
    for _ in range(3):
        announcer.on_start(None)
        announcer.on_end(None)
    announcer.on_end(None)
    announcer.done()
    *shown, end = terminal.getvalue().split("\r")
    line = "react_env: compiling chess for this machine (once, up to a minute) ..."
    assert [text.strip() for text in shown] == [line, f"{line} 25%", f"{line} 50%", f"{line} 75%", f"{line} 99%"]
    assert end == f"{line} done\n"


def test_ctrl_c_is_not_told_as_a_success(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Past bug: after Ctrl-C, the code was reported as compiled."""
    monkeypatch.setenv("REACT_ENV_CACHE_DIR", str(tmp_path))
    monkeypatch.setattr(compiling, "SILENT_SECONDS", -1.0)
    monkeypatch.setattr(compiling, "forget_old", lambda: None)

    @compiling.njit
    def broken(x: int) -> int:
        return x.no_such_attribute  # type: ignore[attr-defined, no-any-return]

    with pytest.raises(Exception, match="no_such_attribute"):
        broken(1)
    assert capsys.readouterr().err.splitlines()[-1] == "react_env: compiling was stopped."

    @compiling.njit
    def small(x: int) -> int:
        return x + 1234

    with pytest.raises(KeyboardInterrupt), compiling.announced("chess"):
        small(1)
        raise KeyboardInterrupt
    assert capsys.readouterr().err.splitlines() == [
        "react_env: compiling chess for this machine (once, up to a minute) ...",
        "react_env: compiling was stopped.",
    ]


ORPHAN = """
import fcntl, os, signal, sys, time
from pathlib import Path
from react_env.engine import compile as compiling
compiling.processors = lambda: 2
def first():  # the process that compiles dies while this is done beside it
    global held
    held = open(Path(sys.argv[1], "first"), "w")
    fcntl.flock(held, fcntl.LOCK_EX)
    parent = os.getppid()
    os.kill(parent, signal.SIGKILL)
    while os.getppid() == parent: time.sleep(0.01)
with compiling.ahead([first, lambda: Path(sys.argv[1], "second").touch()], ""):
    compiling.njit(eval("lambda x: x"))(5)
    time.sleep(600)
"""


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "fork"), reason="compiles in this process only")
def test_a_process_beside_one_that_was_killed_begins_nothing_more(tmp_path: Path) -> None:
    """Past bug: it compiled its whole list for nobody."""
    import fcntl

    environment = {**os.environ, "PYTHONPATH": str(ROOT), "REACT_ENV_CACHE_DIR": str(tmp_path / "cache")}
    ran = subprocess.run([sys.executable, "-c", ORPHAN, str(tmp_path)], env=environment, timeout=300)
    assert ran.returncode == -signal.SIGKILL
    with open(tmp_path / "first") as held:
        fcntl.flock(held, fcntl.LOCK_EX)  # it lets go of this when it ends
    assert not (tmp_path / "second").exists()
