"""Numbers in card files: found by their place, changed in the text itself, with the mark that says where each comes from.

A place is a path of keys, `actions/bass_drop/effects/1/cost/3/pay/count`. In a list, numbers count from 1; a word is the `id` or `name` of
an entry. A field's mark is what the `provenance` nearest to it says (`stated`, `derived`, `designed`).
"""

from __future__ import annotations

import difflib
import io
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import yaml

from react_env.content.files import read_text
from react_env.errors import OptionError

FREE = "designed"
PROVENANCE = "provenance"
_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # libyaml's, if PyYAML was built with it


class Place(NamedTuple):
    """Where a number is."""

    file: str  # its name in the folder of the edition
    at: str

    def __str__(self) -> str:
        return f"{self.file}: {self.at}"


def _entries(node: yaml.MappingNode) -> dict[str, Any]:
    return {str(key.value): value for key, value in node.value}


def _mark(entries: Mapping[str, Any], key: str, mark: str) -> str:
    """The mark that a mapping gives its own field, or else `mark`."""
    own = entries.get(PROVENANCE)
    found = _entries(own).get(key) if isinstance(own, yaml.MappingNode) else None
    return str(found.value) if found is not None else mark


def _step(node: Any, key: str, mark: str) -> tuple[Any, str, list[str]]:
    """The entry of a node by its key (None if there is none), its mark, and the keys that exist."""
    if isinstance(node, yaml.MappingNode):
        entries = _entries(node)
        return entries.get(key), _mark(entries, key, mark), list(entries)
    if isinstance(node, yaml.SequenceNode):
        names = [_name(item) for item in node.value]
        known = [name or str(number) for number, name in enumerate(names, start=1)]
        number = names.index(key) if key in names else int(key) - 1 if key.isdecimal() else -1
        return node.value[number] if 0 <= number < len(names) else None, mark, known
    return None, mark, []


def _name(node: Any) -> str:
    entries = _entries(node) if isinstance(node, yaml.MappingNode) else {}
    named = entries.get("id", entries.get("name"))
    return str(named.value) if isinstance(named, yaml.ScalarNode) else ""


def _tree(text: str, file: str) -> Any:
    """The nodes of a file's text. OptionError if it is not YAML."""
    try:
        return yaml.compose(text, Loader=_LOADER)
    except yaml.YAMLError as error:
        raise OptionError(f"{file}: not YAML: {error}") from None


def number_at(text: str, place: Place) -> tuple[int, str, int, int]:
    """(value, mark, start, end) of the whole number at a place of a file's text. OptionError if there is none."""
    node, mark = _tree(text, place.file), ""
    for key in place.at.split("/"):
        node, mark, known = _step(node, key, mark)
        if node is None:
            raise OptionError(f"{place}: there is no {key!r}; there is {', '.join(known) or 'nothing more'}")
    try:
        if not isinstance(node, yaml.ScalarNode):
            raise ValueError
        return int(node.value), mark, node.start_mark.index, node.end_mark.index
    except ValueError:
        raise OptionError(f"{place}: there is no whole number at this place") from None


def _lines(text: str) -> list[str]:
    """The lines as in a patch: with the line ends of the file, and a remark after a last line without one."""
    lines = io.StringIO(text, newline="\n").readlines()
    if lines and not lines[-1].endswith("\n"):
        lines[-1] += "\n\\ No newline at end of file\n"
    return lines


class Edition:
    """The card files of a folder, and the tables beside them, by which agents may judge. OptionError if there are no card files,
    CardError if one is not text."""

    def __init__(self, folder: Path) -> None:
        files = sorted(folder.glob("*.yaml")) if os.path.isdir(folder) else []
        if not files:
            raise OptionError(f"{folder} is not a folder of card files")
        self.folder = folder
        self.texts = {file.name: read_text(file) for file in files}
        self.tables = {file.name: file.read_bytes() for file in sorted(folder.glob("*.csv"))}

    def value(self, place: Place) -> int:
        """The number at a place; OptionError for one that is not marked as designed."""
        if place.file not in self.texts:
            raise OptionError(f"{place.file}: no such file; the edition has {', '.join(self.texts)}")
        value, mark, *_ = number_at(self.texts[place.file], place)
        if mark != FREE:
            found = f"is marked {mark}" if mark else "has no mark in its file"
            raise OptionError(f"{place} {found}; only what is marked {FREE} may change")
        return value

    def texts_with(self, values: Mapping[Place, int]) -> dict[str, str]:
        """The texts of all files, with these numbers in place of their own."""
        found = dict(self.texts)
        for file in self.texts:
            spans = [
                (*number_at(self.texts[file], place)[2:], value)
                for place, value in values.items()
                if place.file == file
            ]
            for start, end, value in sorted(spans, reverse=True):
                found[file] = f"{found[file][:start]}{value}{found[file][end:]}"
        return found

    def patch(self, values: Mapping[Place, int]) -> str:
        """The patch for `patch -p1` that makes this change to the files of the edition."""
        after = self.texts_with(values)
        lines: list[str] = []
        for file, text in self.texts.items():
            lines += difflib.unified_diff(_lines(text), _lines(after[file]), f"a/{file}", f"b/{file}")
        return "".join(lines)


def _facts(node: Any, at: str, mark: str = "", named: bool = False) -> Iterator[tuple[str, str, str]]:
    """(where it is, what it says, its mark) for every fact below a node. `named`: entries of lists by name if they have one."""
    if isinstance(node, yaml.MappingNode):
        entries = _entries(node)
        for key, value in entries.items():
            if key != PROVENANCE:
                yield from _facts(value, f"{at}/{key}", _mark(entries, key, mark), named)
    elif isinstance(node, yaml.SequenceNode):
        names = [_name(item) if named else "" for item in node.value]
        for number, (name, value) in enumerate(zip(names, node.value), start=1):
            yield from _facts(value, f"{at}/{name if names.count(name) == 1 and name else number}", mark, named)
    elif node is not None:
        yield at, str(node.value), mark


def stated(texts: Mapping[str, str]) -> dict[str, str]:
    """Every fact of these files that is not our own design: where it is -> what it says."""
    return {
        at: said
        for file, text in texts.items()
        for at, said, mark in _facts(_tree(text, file), file)
        if mark and mark != FREE
    }


def changed(before: Mapping[str, str], after: Mapping[str, str]) -> list[tuple[str, str, str]]:
    """(where, before, after) of every fact that differs between two editions; "" for none. A file only in `after` is one
    entry; a file only in `before` is not listed."""
    found = [(file, "", "a new file") for file in after if file not in before]
    for file in (file for file in after if after[file] != before.get(file, after[file])):
        old, new = (
            {at: said for at, said, _ in _facts(_tree(texts[file], file), "", named=True)} for texts in (before, after)
        )
        found += [
            (f"{file}: {at[1:]}", old.get(at, ""), new.get(at, ""))
            for at in dict.fromkeys([*old, *new])
            if old.get(at) != new.get(at)
        ]
    return found
