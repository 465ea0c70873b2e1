"""The study of the decks: what is counted, and what it prints."""

from __future__ import annotations

import json

import numpy as np
import pytest
from typer.testing import CliRunner

from react_env.cli import app
from react_env.games.reality_tcg.balance.study import measure


def test_every_game_is_counted_once() -> None:
    found = measure("greedy", 120, seed=4, threads=2, max_turns=30)
    games, scores = np.array(found.games), np.array(found.scores)
    assert found.played == 120 and games.sum() == 240, "from the side of each player"
    assert (games == games.T).all() and np.allclose(scores + scores.T, games)
    assert found.began <= found.decided <= found.played and found.cut > 0
    assert list(found.turns) == sorted(found.turns) and found.turns[-1] <= 30
    assert found == measure("greedy", 120, seed=4, max_turns=30), "on any number of threads"
    assert found != measure("greedy", 120, seed=5, max_turns=30)


def test_who_begins_is_told_rightly() -> None:
    """RT-T3: of two turns only the second player has an attack, so who began never won."""
    found = measure("greedy", 200, seed=1, max_turns=2)
    assert found.cut == 200 and found.began == 0 < found.decided and set(found.turns) == {2.0}


def test_the_command() -> None:
    words = ["balance", "reality_tcg-v0", "--agent", "random", "--games", "40", "--set", "max_turns=6"]
    result = CliRunner().invoke(app, words, env={"COLUMNS": "110"})
    assert result.exit_code == 0, result.output
    assert "all others" in result.output and "40 games of random against itself" in result.output
    found = json.loads(CliRunner().invoke(app, [*words, "--json"]).stdout)
    assert found["played"] == 40 and len(found["decks"]) == 6


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--agent", "nobody"), "no agent is called 'nobody'"),
        (("--set", "max_turn=3"), "max_turn"),
        (("--set", 'pool=["wal"]'), "no deck 'wal'"),
        (("--set", "max_turns=50"), "trained under other rules"),
    ],
)
def test_what_cannot_be_measured(words: tuple[str, ...], message: str) -> None:
    result = CliRunner().invoke(app, ["balance", "reality_tcg-v0", *words], env={"COLUMNS": "300"})
    assert result.exit_code == 2 and message in result.stderr
