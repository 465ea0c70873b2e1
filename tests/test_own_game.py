"""The game of docs/your_own_game.md as a package of its own: it works in the whole library and passes the checks for all games."""

import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from pettingzoo.test import api_test
from typer.testing import CliRunner

import react_env
from react_env import agents, registry
from react_env.cli import app
from react_env.envs import aec
from react_env.errors import OptionError
from react_env.evaluation import play_match
from react_env.testing import check_game

PACKAGE = Path(__file__).resolve().parents[1] / "docs" / "examples" / "high_card"


@pytest.fixture(scope="module", autouse=True)
def installed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """The package as `pip install -e` would install it."""
    import tomllib

    project = tomllib.loads((PACKAGE / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    folder = tmp_path_factory.mktemp("site")
    info = folder / "high_card-0.1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: high_card\nVersion: 0.1.0\n")
    ((name, value),) = project["entry-points"]["react_env.games"].items()
    (info / "entry_points.txt").write_text(f"[react_env.games]\n{name} = {value}\n")
    sys.path[:0] = [str(folder), str(PACKAGE)]
    registry._installed.cache_clear()
    yield
    sys.path[:2] = []
    registry._installed.cache_clear()
    for name in [name for name in sys.modules if name.partition(".")[0] == "high_card"]:
        sys.modules.pop(name)


def run(*arguments: str, text: str = "") -> str:
    result: Any = CliRunner().invoke(app, [*arguments], input=text)
    assert result.exit_code == 0, result.output
    return str(result.output)


def test_the_checks_for_all_games_hold() -> None:
    check_game(react_env.load("high_card-v0"))
    hashes = {react_env.load("high_card-v0", hand=hand).rules_hash for hand in range(2, 11)}
    assert len(hashes) == 9
    with pytest.raises(OptionError, match="allowed: 2 to 10"):
        react_env.load("high_card-v0", hand=11)


def test_a_trick_goes_to_the_higher_card_and_among_equals_to_the_leader() -> None:
    game = react_env.load("high_card-v0")
    met = set()
    for seed in range(40):
        state = game.new(seed)
        while not state["over"]:
            leader, led, before = game.to_play(state), int(state["led"]), state["tricks"].tolist()
            action = int(game.legal_actions(state)[seed % len(game.legal_actions(state))])
            game.step(state, action)
            if led >= 0:
                follower, winner = leader, int(np.argmax(state["tricks"] - np.array(before)))
                assert winner == (follower if action > led else 1 - follower)
                assert state["over"] or game.to_play(state) == winner
                met.add(int(np.sign(action - led)))
        ahead = np.sign(int(state["tricks"][0]) - int(state["tricks"][1]))
        assert game.rewards(state).tolist() == [ahead, -ahead]
    assert met == {-1, 0, 1}


def test_it_plays_in_every_room() -> None:
    game = react_env.load("high_card-v0")
    won = play_match(game, agents.load("greedy", game), agents.load("random", game), games=200).total
    assert won.wins > won.losses
    assert "player_0" in run("play", "high_card-v0", "--against", "mcts:8", "--seed", "1", text="1\nh\nq\n")
    assert "greedy" in run("arena", "greedy", "random", "--game", "high_card-v0", "--games", "20")
    balance = run("balance", "high_card-v0", "--games", "20")
    assert "ties" in balance and re.search("decisions of a game +12 ", balance)  # its records have no turn
    # Past bug: a study without the worths that were asked for.
    words = CliRunner().invoke(app, ["balance", "high_card-v0", "--agent", "random", "--games", "4", "--worth", "all"])
    assert words.exit_code == 2 and "sides with items: none" in " ".join(words.stderr.split())
    api_test(aec.env(game, "svg"), num_cycles=50)


def test_it_plays_on_the_page(tmp_path: Path) -> None:
    from react_env.web.sessions import PERSON, Sessions

    session = Sessions(tmp_path).new("high_card-v0", {}, [PERSON, "greedy"], seed=1)
    while not session.over:
        if session.waits_for_person:
            view = session.view()
            assert all(f'data-action="{action}"' in view["svg"] for action, _ in view["choices"])
            session.choose(session.at, view["choices"][0][0])
        else:
            session.answer()
    assert session.view()["result"] and session.replay().rewards
