"""What a function is compiled from, as a hash: its own code, the constants that it reads, and the same for every function that it calls."""

from __future__ import annotations

import dis
import hashlib
from collections.abc import Iterator
from importlib import import_module
from types import BuiltinFunctionType, CodeType, FunctionType, ModuleType
from typing import Any

import numpy as np

# Packages of which only the versions matter; those are part of every key of the cache.
_KNOWN = {"builtins", "math", "numba", "numpy"}


class UnknownConstantError(Exception):
    """A function reads something that `fingerprint` cannot identify by its contents."""


FINGERPRINTS: dict[FunctionType, str] = {}  # of each function that was asked for, and of those that it calls


def fingerprint(function: FunctionType, callers: tuple[FunctionType, ...] = ()) -> str:
    """Hash (64 hex digits) of the code of a Python function, the constants that it reads and the functions that it calls.

    Comments, line numbers, docstrings and the path of the file make no difference.

    Args:
        function: the function before it is compiled.
        callers: the functions on the way to this one.

    Raises:
        UnknownConstantError: it reads a global or closed-over object of a kind that is not known here, or calls one of `callers`.
    """
    if function in FINGERPRINTS:
        return FINGERPRINTS[function]
    if function in callers:
        if function is callers[-1]:
            return "itself"
        raise UnknownConstantError(f"{function.__qualname__} calls itself by way of others")
    callers = (*callers, function)
    found: list[Any] = [_code_text(function.__code__, function.__doc__)]
    for value in (*(function.__defaults__ or ()), *(function.__kwdefaults__ or {}).items()):
        found.append(_text(value, callers))
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or ()):
        found.append((name, _text(cell.cell_contents, callers)))
    for name in sorted(_names(function.__code__) & function.__globals__.keys()):
        try:
            found.append((name, _global_text(function, name, function.__globals__[name], callers)))
        except UnknownConstantError:
            if name in _globals_read(function.__code__):  # and not only an attribute of that name
                raise
    FINGERPRINTS[function] = hashlib.sha256(repr(found).encode()).hexdigest()
    return FINGERPRINTS[function]


def _codes(code: CodeType) -> Iterator[CodeType]:
    """The code and that of the functions and comprehensions in it."""
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _codes(constant)


def _names(code: CodeType) -> set[str]:
    """Every name that the code looks up: globals, and attributes."""
    return {name for inner in _codes(code) for name in inner.co_names}


def _globals_read(code: CodeType) -> set[str]:
    """The names of globals that the code looks up."""
    instructions = (instruction for inner in _codes(code) for instruction in dis.get_instructions(inner))
    return {instruction.argval for instruction in instructions if instruction.opname in ("LOAD_GLOBAL", "LOAD_NAME")}


def _code_text(code: CodeType, doc: str | None = None) -> str:
    constants = [
        _code_text(value) if isinstance(value, CodeType) else _text(value, ())
        for value in code.co_consts
        if value is not doc or doc is None
    ]
    shape = (
        code.co_argcount,
        code.co_kwonlyargcount,
        code.co_flags,
        code.co_varnames,
        code.co_freevars,
        code.co_cellvars,
    )
    return repr((code.co_code, code.co_names, constants, shape, getattr(code, "co_exceptiontable", b"")))


def _global_text(function: FunctionType, name: str, value: Any, callers: tuple[FunctionType, ...]) -> str:
    """`_text` of a global of the function. For a module of ours, that of the attributes that the function reads."""
    if not isinstance(value, ModuleType) or value.__name__.partition(".")[0] in _KNOWN:
        return _text(value, callers)
    read = sorted(_attributes_read(function.__code__, name))
    if not read:
        raise UnknownConstantError(f"the module {value.__name__}")
    return repr([(attribute, _text(getattr(value, attribute), callers)) for attribute in read])


def _attributes_read(code: CodeType, name: str) -> set[str]:
    """The attributes of the global `name` that the code looks up directly."""
    found = set()
    for inner in _codes(code):
        before = None
        for instruction in dis.get_instructions(inner):
            if instruction.opname in ("LOAD_ATTR", "LOAD_METHOD") and before == name:
                found.add(instruction.argval)
            before = instruction.argval if instruction.opname in ("LOAD_GLOBAL", "LOAD_NAME") else None
    return found


def _text(value: Any, callers: tuple[FunctionType, ...]) -> str:
    """A text that is the same for equal constants, in every process, and different for different ones."""
    if hasattr(value, "py_func"):
        return fingerprint(value.py_func, callers) + getattr(value, "marks", "")
    if isinstance(value, FunctionType):
        return fingerprint(value, callers)
    if isinstance(value, ModuleType):
        if value.__name__.partition(".")[0] not in _KNOWN:
            raise UnknownConstantError(f"the module {value.__name__}")
        return f"module {value.__name__}"
    if isinstance(value, (type, BuiltinFunctionType, np.ufunc)):
        fields = getattr(value, "_fields", None)  # of a named tuple
        module = str(getattr(value, "__module__", None) or "numpy")
        if fields is None and module.partition(".")[0] not in _KNOWN:
            raise UnknownConstantError(f"{value!r}")
        return repr((module, getattr(value, "__qualname__", None) or value.__name__, fields))
    if isinstance(value, (tuple, list)):
        return repr((type(value).__qualname__, [_text(item, callers) for item in value]))
    if isinstance(value, slice):  # a constant of the code since Python 3.14
        return repr(("slice", [_text(item, callers) for item in (value.start, value.stop, value.step)]))
    if isinstance(value, (set, frozenset)):
        return repr(sorted(_text(item, callers) for item in value))
    if isinstance(value, np.ndarray):
        return repr((repr(value.dtype), value.shape, value.tobytes()))
    if (
        value is None
        or isinstance(value, (bool, int, float, complex, str, bytes, np.generic, np.dtype))
        or value is ...
    ):
        return f"{type(value).__qualname__} {value!r}"
    if type(value).__module__.startswith("numba.core.types."):
        return type_text(value)
    if type(value).__module__.partition(".")[0] in _KNOWN and callable(value) and hasattr(value, "__name__"):
        return f"{value.__module__}.{value.__name__}"  # the functions of NumPy that are neither ufuncs nor built in
    raise UnknownConstantError(f"{value!r}")


def type_text(given: Any) -> str:
    """Numba's name of a type, completed by the names of fields; of a function its fingerprint."""
    types: Any = import_module("numba.core.types")
    if isinstance(given, types.BaseTuple):
        fields = getattr(given, "fields", ())
        return repr(
            (type(given).__name__, str(getattr(given, "instance_class", "")), fields, [type_text(t) for t in given])
        )
    if isinstance(given, types.Dispatcher):
        return fingerprint(given.dispatcher.py_func) + getattr(given.dispatcher, "marks", "")
    return str(given)
