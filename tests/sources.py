"""Cards are data: no source file of the engine, the games or the adapters contains the name of one."""

import re
from collections.abc import Iterable
from pathlib import Path

import react_env


def assert_no_source_names(names: Iterable[str]) -> None:
    """No string of the program is one of these names or ends in one; docstrings and comments may use them as examples."""
    package = Path(react_env.__file__).parent
    sources = [*package.glob("engine/*.py"), *package.glob("games/**/*.py"), *package.glob("envs/*.py")]
    assert len(sources) > 20
    anyone = "|".join(re.escape(name) for name in sorted(names))
    told = re.compile(rf"['\"](?:{anyone})['\"]|\b(?:{anyone})\b(?=['\"])")
    found = []
    for source in sources:
        code = re.sub(r'"""(?:.|\n)*?"""', "", source.read_text(encoding="utf-8"))
        code = re.sub(r"#.*", "", code)
        found += [f"{source.relative_to(package)}: {match[0]}" for match in told.finditer(code)]
    assert not found
