"""The pages of the documentation site: `python -m react_env.docs_site` gathers them in build/docs, from which MkDocs makes the site.

The pages are those of docs, as they are read in the repository, with README, CONTRIBUTING, CHANGELOG and a page about the public API.
Links to other files (code, tests) are replaced by their text, since the site does not have these files.
"""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from posixpath import normpath

from react_env.registry import game_ids

ROOT = Path(__file__).resolve().parents[1]
BUILD = ROOT / "build" / "docs"
JOINING = {"README.md": "index.md", "CONTRIBUTING.md": "contributing.md", "CHANGELOG.md": "changelog.md"}
_MODULES = {  # of react_env; "" is the package itself
    "Games and states": ["", "registry", "engine.game", "engine.batch", "replay"],
    "PettingZoo": [game_id.replace("-", "_") for game_id in game_ids()],
    "Environments": ["envs.aec", "envs.parallel", "envs.gym", "envs.sb3", "envs.openspiel"],
    "Agents": [
        "agents",
        "agents.protocol",
        "agents.process.asked",
        "agents.search.action_features",
        "agents.search.mcts",
    ],
    "Training": ["training.selfplay.run", "training.config"],
    "Evaluation": [
        "evaluation",
        "evaluation.arena.run",
        "evaluation.arena.store",
        "evaluation.ratings.ratings",
        "evaluation.ratings.exact",
        "evaluation.lab.study",
        "evaluation.cluster",
    ],
    "Pictures": ["svg", "pixels", "web.recording"],
    "Rules of a game of your own": ["engine.rules", "engine.layout", "engine.rng", "testing"],
    "Errors": ["errors"],
}
API = {title: [f"react_env.{name}".removesuffix(".") for name in names] for title, names in _MODULES.items()}
_LINK = re.compile(r"(!?)\[((?:[^\[\]]|\[[^\]]*\])*)\]\(([^)\s]+)\)")


def pages() -> dict[str, str]:
    """Path in the site -> text, for each page."""
    sources = {path.relative_to(ROOT).as_posix(): path for path in (ROOT / "docs").rglob("*.md")}
    sources |= {name: ROOT / name for name in JOINING}
    places = {name: JOINING.get(name, name.removeprefix("docs/")) for name in sources}
    made = {places[name]: _linked(path.read_text(encoding="utf-8"), name, places) for name, path in sources.items()}
    return {**made, "api.md": _api()}


def _linked(text: str, name: str, places: dict[str, str]) -> str:
    """A page with its links changed to those of the site."""
    here = places[name]

    def link(found: re.Match[str]) -> str:
        picture, words, target = found.groups()
        if "://" in target or target.startswith("#"):
            return found[0]
        path, hash_, anchor = target.partition("#")
        source = normpath((Path(name).parent / path).as_posix())
        if source in places:
            up = "../" * here.count("/")
            return f"[{words}]({up}{places[source]}{hash_}{anchor})"
        if picture and source.startswith("docs/"):
            return f"![{words}]({'../' * here.count('/')}{source.removeprefix('docs/')})"
        return words

    return _LINK.sub(link, text)


def _api() -> str:
    """The page about the public API: MkDocs fills it from docstrings."""
    lines = ["# API", ""]
    for title, modules in API.items():
        lines += [f"## {title}", ""]
        for module in modules:
            lines += [f"::: {module}", ""]
    return "\n".join(lines)


def main() -> None:
    """Gather the pages and their pictures."""
    shutil.rmtree(BUILD, ignore_errors=True)
    for place, text in pages().items():
        path = BUILD / place
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    for path in (ROOT / "docs").rglob("*"):
        if path.suffix in (".svg", ".gif", ".png", ".css"):
            target = BUILD / path.relative_to(ROOT / "docs")
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(path, target)


if __name__ == "__main__":
    main()
