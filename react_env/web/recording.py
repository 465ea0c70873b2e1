"""A recorded game for people to look at: one HTML file that steps through it, or a film."""

from __future__ import annotations

import base64
import gzip
import hashlib
import io
import json
import re
import shutil
import subprocess
from collections.abc import Callable, Iterator
from html import escape
from importlib.resources import files
from typing import TYPE_CHECKING, Any

import numpy as np

from react_env.content.words import card_words
from react_env.errors import OptionError
from react_env.extras import need
from react_env.pixels import rgb_array
from react_env.registry import described
from react_env.svg import STYLE

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

    from react_env.engine.game import Game
    from react_env.replay import Replay, Step

SECONDS = 1.0  # for which a film shows each decision
_STATIC = files("react_env.web") / "static"
_PAGES = '<nav aria-label="pages"><a href="/">Start page</a></nav>'
Update = Callable[[int, int], None]  # (frames done, frames in all)


def static(name: str) -> str:
    """A file of the page, as text."""
    return (_STATIC / name).read_text(encoding="utf-8")


def html(replay: Replay, game: Game | None = None, *, served: bool = False) -> str:
    """The recording as a page: one self-contained HTML file, for browsers of 2023 or later.

    It shows each decision with everything open and as each player saw it, what was chosen and what came of it, and the texts of the cards.
    A page `served` by `react-env web` has a link to the start page.

    Raises:
        ReplayError: as `Replay.states`.
    """
    game = replay.game() if game is None else game
    steps = list(replay.states(game))
    content = {
        "views": [_view(game, steps, player) for player in (None, *range(game.num_players))],
        "steps": [
            {
                "player": step.player,
                "words": game.action_text(step.state, step.action) if step.action >= 0 else "",
                "lines": step.lines,
            }
            for step in steps
        ],
        "cards": texts(game, steps[0].state),
        "end": _end(replay),
    }
    names = " against ".join(replay.players)
    options = "; ".join(f"{name} {_in_words(value)}" for name, value in replay.options.items())
    about = f"{names}{f' ({options})' if options else ''}, {len(steps) - 1} decisions"
    packed = base64.b64encode(gzip.compress(json.dumps(content).encode(), mtime=0)).decode()
    style, script = _style_and_script()
    values = {
        "title": escape(described(game.id).title),
        "about": escape(about),
        "data": packed,
        "pages": _PAGES if served else "",
    }
    return filled(static("recording.html"), {**values, "style": style, "script": script, "policy": policy()})


def _style_and_script() -> tuple[str, str]:
    return STYLE + static("page.css") + static("recording.css"), static("recording.js")


def filled(template: str, values: dict[str, str]) -> str:
    """The template with each value in place of its {{name}}."""
    return re.sub(r"\{\{(\w+)\}\}", lambda found: values[found[1]], template)


def digest(text: str) -> str:
    """The name by which a content security policy allows this script or style in a page."""
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"


def policy() -> str:
    """The content security policy of the pages that `html` makes, which they contain."""
    style, script = _style_and_script()
    return f"default-src 'none'; script-src '{digest(script)}'; style-src '{digest(style)}'; img-src data:"


def _end(replay: Replay) -> str:
    """Who has won, and how the game ended."""
    winners = [f"player_{seat} ({replay.players[seat]})" for seat, reward in enumerate(replay.rewards) if reward > 0]
    won = f"{' and '.join(winners)} {'wins' if len(winners) == 1 else 'win'}" if winners else "nobody wins"
    return f"{won}; {replay.end}, rewards {', '.join(f'{reward:+g}' for reward in replay.rewards)}"


def texts(game: Game, state: Any) -> list[dict[str, Any]]:
    """The cards of a game with their texts, each name once; if a text differs between players, each line says whose it is."""
    found: dict[str, dict[int, list[str]]] = {}
    for words in card_words(game, state, 0):
        found.setdefault(words.name, {})[words.player] = words.lines
    return [{"name": name, "lines": _together(list(of.items()))} for name, of in found.items()]


def _together(of: list[tuple[int, list[str]]]) -> list[str]:
    if all(lines == of[0][1] for _, lines in of):
        return of[0][1]
    return [f"player_{player}: {line}" for player, lines in of for line in lines]


def _in_words(value: Any) -> str:
    return " and ".join(map(str, value)) if isinstance(value, (list, tuple)) else str(value)


def _view(game: Game, steps: list[Step], player: int | None) -> dict[str, Any]:
    """The frames that a player saw (None: everything), each as the numbers of its parts, since consecutive frames share most parts."""
    parts: dict[str, int] = {}
    frames = []
    for step in steps:
        picture = game.svg(step.state, player, style=False)
        frames.append([parts.setdefault(part, len(parts)) for part in picture.split("\n")])
    name = "everything" if player is None else f"what player_{player} knew"
    return {"name": name, "player": player, "parts": list(parts), "frames": frames}


# -- films ----------------------------------------------------------------------------------------------------------------------


def pixels(
    game: Game, steps: list[Step], player: int | None, width: int, update: Update | None
) -> Iterator[NDArray[np.uint8]]:
    """The frames as `player` saw them, uint8 (1.5 * `width`, `width`, 3); `update` is called after each that has been used."""
    for number, step in enumerate(steps, 1):
        yield rgb_array(game.svg(step.state, player), width)
        if update is not None:
            update(number, len(steps))


def gif(
    path: Path, game: Game, steps: list[Step], player: int | None = None, width: int = 400, update: Update | None = None
) -> None:
    """Write the game as an animated GIF that loops.

    Raises:
        MissingPackage: the packages that draw pixels are not installed (extra "render").
        OSError: the file cannot be written.
    """
    with need("render"):
        from PIL import Image

    from react_env.files import write_aside

    drawn = pixels(game, steps, player, width, update)
    frames = [Image.fromarray(frame).quantize(128, dither=Image.Dither.NONE) for frame in drawn]
    times = [int(SECONDS * 1000)] * (len(frames) - 1) + [4000]
    buffer = io.BytesIO()
    frames[0].save(buffer, "GIF", save_all=True, append_images=frames[1:], duration=times, loop=0, optimize=True)
    write_aside(path, buffer.getvalue())


def mp4(
    path: Path, game: Game, steps: list[Step], player: int | None = None, width: int = 640, update: Update | None = None
) -> None:
    """Write the game as a film, with ffmpeg.

    Raises:
        OptionError: ffmpeg is not installed, or fails.
        MissingPackage: as `gif`.
        OSError: the file cannot be written.
    """
    need("render")
    if (ffmpeg := shutil.which("ffmpeg")) is None:
        raise OptionError("--mp4 needs ffmpeg, which is not installed; --gif and --html do without")
    aside = path.with_name(f".{path.stem}.tmp.mp4")
    size = f"{width}x{width * 3 // 2}"
    taken = f"-y -loglevel error -f rawvideo -pix_fmt rgb24 -s {size} -r {1 / SECONDS} -i -"
    given = "-pix_fmt yuv420p -r 10 -movflags +faststart"
    command = [ffmpeg, *taken.split(), *given.split(), str(aside)]
    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        with subprocess.Popen(command, stdin=subprocess.PIPE, stderr=subprocess.PIPE) as process:
            assert process.stdin is not None and process.stderr is not None
            try:
                for frame in pixels(game, steps, player, width, update):
                    process.stdin.write(frame.tobytes())
                process.stdin.close()
            except BrokenPipeError:
                pass  # ffmpeg says on stderr why it stopped
            complaint = process.stderr.read().decode(errors="replace").strip()
        if process.returncode:
            raise OptionError(
                f"ffmpeg could not write {path}: {complaint.splitlines()[-1] if complaint else 'no reason given'}"
            )
        aside.replace(path)
    finally:
        aside.unlink(missing_ok=True)
