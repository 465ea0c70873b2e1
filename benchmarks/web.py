"""How quick the page and the pictures are.

python -m benchmarks.web [--games 50] [--choices 40] [--json]

Starts `react-env web` in a process of its own, opens so many games at once over the loopback address, a page each, and measures how long a
choice takes to be answered by the position after it (the agents' replies, which come later, do not count); how long the first page
takes from the start of the command; and what one picture, one frame of pixels and one recording cost.
"""

from __future__ import annotations

import asyncio
import json
import random
import subprocess
import sys
import tempfile
import time
from typing import Annotated, Any

import numpy as np
from typer import Option

import react_env
from benchmarks import command
from react_env import registry
from react_env.pixels import rgb_array
from react_env.replay import Replay
from react_env.web import recording


async def _play(address: str, session: str, choices: int, taken: list[float]) -> None:
    """One page: choose the first legal action again and again."""
    from websockets.asyncio.client import connect

    async with connect(f"ws://{address}/api/sessions/{session}", max_size=None) as page:
        view = json.loads(await page.recv())
        await asyncio.sleep(random.uniform(0, 1))
        for _ in range(choices):
            while not view["choices"] and not view["over"]:
                view = json.loads(await page.recv())
            if view["over"]:
                return
            begin = time.perf_counter()
            await page.send(json.dumps({"type": "choose", "at": view["at"], "action": view["choices"][0][0]}))
            at = view["at"]
            while view["at"] <= at:
                view = json.loads(await page.recv())
            taken.append(time.perf_counter() - begin)
            await asyncio.sleep(random.uniform(0.3, 1.5))  # a person takes time to think


def _ask(address: str, path: str, body: Any = None) -> Any:
    import urllib.request

    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(f"http://{address}{path}", data, {"Content-Type": "application/json"})
    with urllib.request.urlopen(request, timeout=120) as answer:
        text = answer.read().decode()
        return json.loads(text) if answer.headers.get_content_type() == "application/json" else text


def server(games: int, choices: int) -> dict[str, float]:
    """Seconds to the first page, and milliseconds of a choice with so many games open."""
    with tempfile.TemporaryDirectory() as folder:
        words = [sys.executable, "-m", "react_env", "web", "--port", "0", "--no-browser", "--folder", folder]
        begin = time.perf_counter()
        with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as process:
            try:
                assert process.stdout is not None
                address = process.stdout.readline().split("//")[1].split("/")[0]
                _ask(address, "/")
                _ask(address, "/api/games")
                first = time.perf_counter() - begin
                sessions = [
                    _ask(
                        address, "/api/sessions", {"game": name, "seats": ["you", *["random"] * (about.players[0] - 1)]}
                    )["id"]
                    for _, (name, about) in zip(range(games), [*registry.descriptions().items()] * games)
                ]
                taken: list[float] = []

                async def everybody() -> None:
                    await asyncio.gather(*(_play(address, session, choices, taken) for session in sessions))

                asyncio.run(everybody())
            finally:
                process.terminate()
    found = np.array(taken) * 1000
    return {
        "first page, s": first,
        "choices": len(found),
        "a choice, median, ms": float(np.median(found)),
        "a choice, 99 %, ms": float(np.quantile(found, 0.99)),
    }


def pictures() -> dict[str, dict[str, float]]:
    """By game: milliseconds of a picture and of a frame of 640 pixels, bytes of a recording for 100 decisions."""
    found = {}
    for game_id in registry.GAMES:
        game = react_env.load(game_id)
        rng = np.random.default_rng(0)
        state, states, actions = game.new(seed=0), [], []
        while not state["over"]:
            states.append(game.copy(state))
            actions.append(int(rng.choice(game.legal_actions(state))))
            game.step(state, actions[-1])
        game.svg(states[0])
        begin = time.perf_counter()
        drawn = [game.svg(one, game.to_play(one)) for one in states]
        each = (time.perf_counter() - begin) / len(states)
        rgb_array(drawn[0])
        begin = time.perf_counter()
        for picture in drawn[:: max(1, len(drawn) // 30)]:
            rgb_array(picture)
        frame = (time.perf_counter() - begin) / len(drawn[:: max(1, len(drawn) // 30)])
        page = len(recording.html(Replay.record(game, actions, seed=0), game))
        found[game_id] = {
            "picture, ms": 1000 * each,
            "frame, ms": 1000 * frame,
            "recording, KB for 100 decisions": page / 1000 * 100 / len(actions),
        }
    return found


def main(games: int = 50, choices: int = 40, as_json: Annotated[bool, Option("--json")] = False) -> None:
    """Measure and print."""
    content: dict[str, Any] = {"pictures": pictures(), "server": server(games, choices)}
    if as_json:
        print(json.dumps(content, indent=2))
        return
    for name, figures in (*content["pictures"].items(), (f"{games} games open", content["server"])):
        print(f"{name}: " + ", ".join(f"{what} {value:.2f}" for what, value in figures.items()))


if __name__ == "__main__":
    command(main)
