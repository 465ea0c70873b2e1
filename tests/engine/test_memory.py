"""Memory of a compiled function's own."""

import ast
import re
from pathlib import Path
from typing import Any

import numpy as np

import react_env
from react_env.engine.compile import njit
from react_env.engine.memory import scratch

new_words, new_flags = scratch(5, np.int64), scratch(3, np.bool_)


@njit
def fill(words: Any, first: Any) -> None:
    for i in range(words.size):
        words[i] = first + i


@njit
def total(first: Any, depth: Any) -> Any:
    """Each call has an array of its own, whatever the functions that it calls write."""
    words, flags = new_words(), new_flags()
    fill(words, first)
    flags[:] = first > 2
    below = total(first + 1, depth - 1) if depth > 0 else np.int64(0)
    return words.sum() * 10 + flags.sum() + 1000 * below


def test_each_call_has_its_own() -> None:
    assert total(0, 0) == 100
    assert total(1, 2) == (1 + 2 + 3 + 4 + 5) * 10 + 1000 * (200 + 1000 * 253)
    assert [total(i, 0) for i in range(1000)][-1] == (999 * 5 + 10) * 10 + 3


ALLOCATES = re.compile(
    r"np\.(empty|zeros|ones|full|array|arange|concatenate|where|flatnonzero|argsort|sort)\w*|.*\.(copy|astype|repeat)"
)


def test_no_compiled_function_of_the_library_allocates() -> None:
    """One that did would make everything compiled with it count references."""
    found, seen = [], 0
    for file in Path(react_env.__file__).parent.rglob("*.py"):
        for function in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(function, ast.FunctionDef) and any("njit" in ast.unparse(d) for d in function.decorator_list):
                seen += 1
                calls = (ast.unparse(node.func) for node in ast.walk(function) if isinstance(node, ast.Call))
                found += [f"{file.name}: {function.name}: {call}" for call in calls if ALLOCATES.fullmatch(call)]
    assert not found and seen > 400, (found, seen)
