"""The pictures of the README: `python -m react_env.docs_pictures` writes docs/pictures again.

They are positions of games that greedy plays against itself, chosen by `worth_showing` in each game's drawing, and a film of one chain.
"""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import react_env
from react_env.agents.process.asked import Asked
from react_env.engine.game import Game
from react_env.files import write_aside
from react_env.registry import DEFAULT_GAME, GAMES
from react_env.replay import Replay, Step

PICTURES = Path(__file__).resolve().parents[1] / "docs" / "pictures"


def played(game: Game, seed: int) -> Iterator[Step]:
    """The decisions of a game that greedy plays against itself."""
    agent, state, actions = Asked("greedy", game, seed=seed), game.new(seed), []
    while not state["over"]:
        action = agent.choice(state)
        assert action is not None, agent.fault
        actions.append(action)
        game.step(state, action)
    yield from Replay.record(game, actions, seed=seed).states(game)


def found(game: Game) -> tuple[list[Step], int]:
    """The decisions of a game, and the number of the first one that the game's drawing finds worth showing."""
    worth = import_module(game.rules.drawing).worth_showing
    for seed in range(1000):
        steps = list(played(game, seed))
        for number, step in enumerate(steps):
            if worth(step.state):
                return steps, number
    raise AssertionError(f"{game.id}: not met in 1,000 games")


def pictures() -> dict[str, str]:
    """Name of the file -> SVG of a position as the player to move sees it."""
    made = {}
    for game_id in GAMES:
        game = react_env.load(game_id)
        steps, number = found(game)
        state = steps[number].state
        made[f"{game_id.rpartition('-')[0]}.svg"] = str(game.svg(state, game.to_play(state))) + "\n"
    return made


def chain(folder: Path) -> None:
    """Write the film of a chain, from its first card until it has resolved."""
    from react_env.web.recording import gif

    game = react_env.load(DEFAULT_GAME)
    steps, number = found(game)
    first = last = number
    while steps[first - 1].state["chain_size"]:
        first -= 1
    while steps[last].state["chain_size"] and last + 1 < len(steps):
        last += 1
    gif(folder / "chain.gif", game, steps[first - 1 : last + 1], width=320)


def main() -> None:
    """Write all the pictures."""
    for name, picture in pictures().items():
        write_aside(PICTURES / name, picture)
        print(PICTURES / name)
    chain(PICTURES)
    print(PICTURES / "chain.gif")


if __name__ == "__main__":
    main()
