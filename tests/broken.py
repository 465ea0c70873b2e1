"""Bad card files of any game: the error that each must cause, and files that are too large or not regular files."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from react_env.errors import CardError

LONGEST = 1000  # characters of a message


def expected(file: Path) -> list[str]:
    """The parts that the message must contain, from the first line of the file."""
    first = file.read_text(encoding="utf-8").splitlines()[0]
    assert first.startswith("# expect: "), file.name
    return first.removeprefix("# expect: ").split(" | ")


def refusal(load: Callable[[Path], Any], file: Path) -> str:
    """The message with which a file is refused; each of its lines names the file."""
    with pytest.raises(CardError) as error:
        load(file)
    message = str(error.value)
    assert all(line.startswith(f"{file}: ") for line in message.splitlines())
    assert message.isprintable() or "\n" in message
    return message


def assert_refused_as_expected(load: Callable[[Path], Any], file: Path, elsewhere: Path) -> None:
    """The file is refused with the expected message. `elsewhere` is an empty folder that must stay empty."""
    message = refusal(load, file)
    for fragment in expected(file):
        assert fragment in message, f"{fragment!r} is not in {message!r}"
    assert len(message) < LONGEST
    assert not list(elsewhere.iterdir())  # nothing in the file was executed


def no_texts(sound: str, name: str) -> dict[str, tuple[bytes, str]]:
    """Contents that are not UTF-8 text or are too long, each with a part of the message; made from a sound file in which `name` occurs."""
    return {
        "utf-16": (sound.encode("utf-16"), "not a text in UTF-8 but in UTF-16"),
        "utf-16 without a mark": (sound.encode("utf-16-le"), "U+0000"),
        "latin-1": (sound.replace(name, "Dänzer").encode("latin-1"), "not a text in UTF-8"),
        "nul": (sound.replace(name, name[:3] + "\0" + name[3:]).encode(), "U+0000"),
        "mark alone": (b"\xff\xfe\x00", "not a text in UTF-8"),
        "compressed": (b"\x1f\x8b\x08" + bytes(range(256)), "not a text in UTF-8"),
        "10 MB": (b"#" * 10_000_000, "larger than 200000 bytes"),
    }


def worst(sound: str, number: str, word: str, name: str) -> dict[str, tuple[str, str]]:
    """Texts that are meant to cost time or memory, each with a part of the message.

    `number`: "field: 12" as in the sound file; `word` and `name`: how the lines of its id and its name begin, without the values.
    """
    field = number.partition(": ")[0]

    def instead(value: str) -> str:
        assert number in sound
        return sound.replace(number, f"{field}: {value}", 1)

    def line(start: str, value: str) -> str:
        assert f"\n{start}" in sound
        before, _, after = sound.partition(f"\n{start}")
        return f"{before}\n{start}{value}\n{after.partition(chr(10))[2]}"

    return {
        "lists in lists": ("format: " + "[" * 10_000, "nested too deeply"),
        "mappings in mappings": ("format: " + "{a: " * 10_000, "nested too deeply"),
        "dashes": ("- " * 10_000, "nested too deeply"),
        "question marks": ("? " * 10_000, "nested too deeply"),
        "indents": ("\n".join(" " * n + "a:" for n in range(600)), "nested too deeply"),
        "a long number": (instead("1" * 100_000), "a number of 100000 characters"),
        "a long hexadecimal number": (instead("0x" + "f" * 100_000), "plain decimal digits"),
        "a long number of minutes": (instead("1" + ":59" * 50_000), "plain decimal digits"),
        "a long fraction": (instead("1." + "1" * 100_000), "a number of 100002 characters"),
        "a long exponent": (instead("1e999999999"), "found inf"),
        "a long word": (line(word, "a" * 150_000 + "!"), "found 'aaa"),
        "a long name": (line(name, "a " * 70_000 + "b"), "at most 40 characters"),
        "many fields": ("".join(f"a{n}: 1\n" for n in range(4_000)), "'a4' and 3995 more"),
        "too many fields": ("".join(f"a{n}: 1\n" for n in range(15_000)), "too many values"),
        "many escapes": ('name: "' + r"\u0041" * 30_000 + '"', "field 'format' is missing"),
        "many aliases": (
            "a0: &a0 x\n" + "".join(f"a{n}: &a{n} [*a{n - 1}, *a{n - 1}]\n" for n in range(1, 500)),
            "aliases are not allowed",
        ),
    }


def answers_to(cases: Mapping[str, tuple[str, str]], folder: Path, load: str) -> dict[str, str]:
    """The message for each of `cases`, from a separate process with at most 2 GiB of data memory.

    `load`: "module:function", which loads a file.
    """
    for case, (text, _) in cases.items():
        (folder / f"{case}.yaml").write_text(text, encoding="utf-8")
    module, _, function = load.partition(":")
    program = (
        "import json, resource, sys\n"
        "from pathlib import Path\n"
        "from react_env.errors import CardError\n"
        f"from {module} import {function} as load\n"
        "resource.setrlimit(resource.RLIMIT_DATA, (1 << 31, 1 << 31))\n"
        "for file in sorted(Path(sys.argv[1]).iterdir()):\n"
        "    try: load(file)\n"
        "    except CardError as error: print(json.dumps([file.stem, str(error)]), flush=True)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, folder],
        capture_output=True,
        text=True,
        cwd=Path(__file__).parents[1],
    )
    assert done.returncode == 0, done.stderr[-1000:]
    return dict(json.loads(line) for line in done.stdout.splitlines())


def assert_no_file_at_all_is_refused(load: Callable[[Path], Any], folder: Path) -> None:
    """Folders, broken links, pipes, devices and sockets are refused, without waiting for them."""
    made = folder / "folder.yaml"
    made.mkdir()
    assert "a folder, not a card file" in refusal(load, made)
    link = folder / "link.yaml"
    link.symlink_to(folder / "nowhere.yaml")
    assert "a broken link" in refusal(load, link)
    circle = folder / "circle.yaml"
    circle.symlink_to(circle)
    assert "circle.yaml" in refusal(load, circle)
    pipe = folder / "pipe.yaml"
    os.mkfifo(pipe)
    assert "not a regular file" in refusal(load, pipe)
    endless = folder / "endless.yaml"
    endless.symlink_to("/dev/zero")
    assert "not a regular file" in refusal(load, endless)
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(folder / "s.yaml"))
        assert "not a regular file" in refusal(load, folder / "s.yaml")
