"""Functions that compiled code calls are parts, linked into what Python calls; the cache returns both."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from react_env.engine.compile import COMPILED, njit
from react_env.engine.fingerprint import fingerprint
from react_env.engine.kernels import choose

pytestmark = pytest.mark.skipif(not COMPILED, reason="Numba is absent or disabled")


@pytest.fixture(autouse=True)
def empty_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REACT_ENV_CACHE_DIR", str(tmp_path / "cache"))


def test_one_form_serves_integers_of_every_width() -> None:
    @njit
    def double(x: Any) -> Any:
        return 2 * x

    @njit
    def caller(small: Any, large: Any) -> Any:
        return double(small[0]) + double(large[0]) + double(5) + double(0.5)

    assert caller(np.array([-100], np.int8), np.array([2**40])) == -200 + 2**41 + 10 + 1
    assert [str(arguments[0]) for arguments in double.parts] == ["int64", "float64"] and not double.signatures


def test_a_part_may_be_called_from_python_too() -> None:
    @njit
    def inner(x: Any) -> Any:
        return x + 1

    @njit
    def first(x: Any) -> Any:
        return inner(x) * 10

    @njit
    def second(x: Any) -> Any:
        return inner(x) * 100

    assert (first(1), inner(1), inner(2), second(1), first(2)) == (20, 2, 3, 200, 30)


def test_code_that_is_compiled_elsewhere_may_call_parts() -> None:
    import numba

    @njit
    def inner(x: Any) -> Any:
        return x + 1

    @njit
    def outer(x: Any) -> Any:
        return inner(inner(x))

    @njit
    def whole(x: Any) -> Any:
        return outer(x)

    assert whole(1) == 3

    @numba.njit
    def foreign(x: Any) -> Any:
        return outer(x) * 10 + inner(x)

    assert foreign(1) == 32


@pytest.mark.slow
def test_references_are_counted_where_an_array_is_made_or_returned() -> None:
    """No reference to what Python hands over is lost or leaked, whether or not the library can skip the counting."""

    @njit
    def row(table: Any, i: Any) -> Any:
        return table[i]

    @njit
    def total(table: Any, i: Any) -> Any:
        return row(table, i).sum() + row(row(table, i)[1:].reshape(-1, 1), 0)[0]

    @njit
    def made(table: Any, i: Any) -> Any:
        copy = np.empty_like(table)
        copy[:] = table
        return row(copy, i)[1:]

    @njit
    def sum_of_made(table: Any, i: Any) -> Any:
        return made(table, i).sum() + total(table, i)

    from numba.core.runtime import _nrt_python, rtsys

    def left() -> int:
        """The number of arrays that Numba holds."""
        stats = rtsys.get_allocation_stats()
        return int(stats.mi_alloc - stats.mi_free)

    row(np.zeros((1, 1), np.int64), 0), made(np.zeros((1, 1), np.int64), 0)
    _nrt_python.memsys_enable_stats()
    before, tables = left(), [np.arange(12).reshape(3, 4) + k for k in range(200)]
    views, others = [row(table, 1) for table in tables], [made(table, 2) for table in tables]
    assert [total(table, 0) for table in tables[:2]] == [7, 12]
    assert [sum_of_made(table, 1) for table in tables[:2]] == [18 + 22 + 5, 21 + 26 + 6]
    del tables
    assert all(view.tolist() == [4 + k, 5 + k, 6 + k, 7 + k] for k, view in enumerate(views))
    assert all(other.tolist() == [9 + k, 10 + k, 11 + k] for k, other in enumerate(others))
    assert left() == before + 400
    del views, others
    assert left() == before


def test_an_index_counts_from_the_end_but_in_the_library() -> None:
    @njit
    def last(table: Any, i: Any) -> Any:
        return table[-1] * 100 + table[i]

    @njit
    def caller(table: Any, i: Any) -> Any:
        return last(table, i)

    import numba

    @numba.njit
    def foreign(table: Any, i: Any) -> Any:
        return last(table, i) + table[i]

    assert last(np.arange(5), -2) == caller(np.arange(5), -2) == 403 and foreign(np.arange(5), -2) == 406
    assert (last.marks, choose.marks) == ("", "n")


def test_what_lies_apart_is_not_read_again() -> None:
    @njit(noalias=True)
    def double(source: Any, out: Any) -> Any:
        for i in range(source.size):
            out[i] = 2 * source[i]

    @njit
    def caller(source: Any, out: Any) -> Any:
        double(source, out)
        double(out, source)

    source, out = np.arange(100), np.zeros(100, np.int64)
    caller(source, out)
    assert out.tolist() == list(range(0, 200, 2)) and source.tolist() == list(range(0, 400, 4))


def test_how_a_function_is_compiled_tells_its_callers_apart() -> None:
    """Otherwise the cache would give a caller the code of the other function."""

    def make(noalias: bool) -> Any:
        @njit(noalias=noalias)
        def inner(source: Any, out: Any) -> Any:
            out[0] = source[0]

        @njit
        def caller(source: Any, out: Any) -> Any:
            inner(source, out)

        return caller

    one, other, again = make(False), make(True), make(True)
    assert fingerprint(other.py_func) == fingerprint(again.py_func) != fingerprint(one.py_func)


def run_module(folder: Path, *arguments: str, **environment: str) -> list[str]:
    """What a new process prints that imports functions.py from this folder with these arguments."""
    path = os.pathsep.join([str(Path(__file__).parents[2]), str(folder)])
    command = [sys.executable, "-c", "import functions", *arguments]
    ran = subprocess.run(command, env={**os.environ, "PYTHONPATH": path, **environment}, capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr
    return ran.stdout.splitlines()


MODULE = """
import sys
import numpy as np
from react_env.engine.compile import njit

@njit
def inner(x, table):
    if x < 0:
        raise ValueError("x is negative")
    return table[x] + x

@njit
def middle(x, table): return inner(x, table) + inner(x + 1, table)

@njit
def one(x, table): return middle(x, table)

@njit
def other(x, table): return middle(x, table) * 2 + inner(x, table)

table = np.arange(10)
for name in sys.argv[1:]:
    function = globals()[name]
    print(function(2, table), *[sum(f.stats.cache_misses.values()) for f in (function, middle, inner)])
    try:
        function(-1, table)
    except ValueError as error:
        print(error)
"""


@pytest.mark.slow
def test_another_process_links_the_parts_that_one_has_compiled(tmp_path: Path) -> None:
    """That includes the parts of a function that it calls for the first time; errors keep their messages."""
    (tmp_path / "functions.py").write_text(MODULE)

    assert run_module(tmp_path, "one") == ["10 1 1 1", "x is negative"]
    assert run_module(tmp_path, "other") == ["24 1 0 0", "x is negative"]
    assert run_module(tmp_path, "one", "other") == ["10 0 0 0", "x is negative", "24 0 0 0", "x is negative"]


APART = """
import gc
import sys
import numpy as np
from react_env.engine.compile import njit

def make():
    @njit
    def inner(unused, table, x):  # large and called twice, so it is not inlined; without `unused` where nobody else can call it
        total = x
        for step in range(3):
            for i in range(table.shape[0]):
                for j in range(i, table.shape[0], 1 + step):
                    if (table[j] + total) % 3 == step:
                        table[i] = (table[i] * table[j] + step) % (7 + x)
                    elif table[j] < total % 11:
                        total += table[i] - table[j] // (1 + i)
                    else:
                        table[j], table[i] = table[i], (table[j] ^ total) % 13
                total = (total * 31 + table[i]) % 1009
            for i in range(table.shape[0] - 1, 0, -1):
                if table[i] < table[i - 1] and (total + i) % 2:
                    table[i], table[i - 1] = table[i - 1], table[i]
                    total += x
                table[i] += total % (3 + step)
        return total

    @njit
    def one(unused, table): return inner(unused, table, 1) + inner(unused, table, 2)

    @njit
    def other(unused, table): return inner(unused, table, 3) - inner(unused, table, 4)

    return {"inner": lambda unused, table: inner(unused, table, 5), "one": one, "other": other}

functions = make()
for name in sys.argv[1:]:
    if name == "again":
        functions = make()
        gc.collect()
    else:
        print(name, functions[name](np.zeros((2, 2)), np.arange(10)))
"""


@pytest.mark.slow
def test_what_is_optimized_for_its_callers_is_called_by_them_alone(tmp_path: Path) -> None:
    """Past bug: a function had the symbol of another form of it, which took its arguments differently, and wrote where it should not.

    It must hold whichever is called first, whatever is in the cache, and if a factory makes the same functions again.
    """
    (tmp_path / "functions.py").write_text(APART)
    orders = (
        ["inner", "other"],  # compiled
        ["one", "other", "inner"],  # loaded and compiled
        ["one", "other", "inner", "again", "other", "inner", "one", "again", "one"],  # loaded
    )
    for order in orders:
        ran = run_module(tmp_path, *order)
        uncompiled = run_module(tmp_path, *order, NUMBA_DISABLE_JIT="1")
        assert ran == uncompiled


BESIDE = """
import os, sys, threading
from react_env.engine import compile as compiling
compiling.processors = lambda: int(sys.argv[1])
first = compiling.njit(eval("lambda x: x"))
functions = [compiling.njit(eval("lambda x: x + " + number)) for number in "12"]
def fails(): raise RuntimeError
def wait():  # until another process has done it
    import time
    for _ in range(600 if int(sys.argv[1]) > 1 else 0):
        if compiling._team and compiling._team.finished() == 3: break
        time.sleep(0.1)
with compiling.ahead([fails] + [lambda f=f: compiling.kept(f, (5,)) for f in functions], "", rest="rest" in sys.argv):
    first(5)
    wait()
here = [sum(f.stats.cache_misses.values()) for f in functions]
print(*[function(5) for function in functions], *here, *[sum(f.stats.cache_misses.values()) for f in functions])
"""


def beside(cache: Path, *arguments: str) -> str:
    """The results of two functions compiled ahead, and how often this process compiled each: before it called them, and after."""
    path = str(Path(__file__).parents[2])
    command = [sys.executable, "-c", BESIDE, *arguments]
    environment = {**os.environ, "PYTHONPATH": path, "REACT_ENV_CACHE_DIR": str(cache)}
    ran = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=300)
    assert ran.returncode == 0, ran.stderr
    return ran.stdout.strip()


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "fork"), reason="compiles in this process only")
def test_processes_beside_this_one_compile_ahead(tmp_path: Path) -> None:
    """A function that fails to compile ahead does no harm, nor does a process that is left without work."""
    assert beside(tmp_path / "2", "2") == "6 7 0 0 0 0"
    assert beside(tmp_path / "8", "8", "rest") == "6 7 0 0 0 0"
    assert beside(tmp_path / "8", "1") == "6 7 0 0 0 0", "what they compiled lies in the cache"


@pytest.mark.slow
def test_with_one_processor_what_is_needed_is_compiled_in_the_end(tmp_path: Path) -> None:
    assert beside(tmp_path / "needed", "1", "rest") == "6 7 1 1 1 1"
    assert beside(tmp_path / "not", "1") == "6 7 0 0 1 1"
