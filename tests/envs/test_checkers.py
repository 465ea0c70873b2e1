"""Checks of other projects that no other file here runs: on all four games, without a warning."""

from __future__ import annotations

import itertools
import warnings
from typing import Any

import pettingzoo.test.performance_benchmark
import pytest

from react_env import arts_of_war_v0, fight_sequence_v0, react_fast_v0, reality_tcg_v0
from react_env.engine.game import Game
from react_env.envs.gym import OpponentEnv

MODULES = [arts_of_war_v0, fight_sequence_v0, react_fast_v0, reality_tcg_v0]
SPIELS = {
    "react_env_arts_of_war": "max_turns=2",
    "react_env_fight_sequence": "max_sequences=1",
    "react_env_react_fast": "max_placements=8",
    "react_env_reality_tcg": "max_turns=3",
}


@pytest.mark.parametrize("module", MODULES, ids=lambda module: module.__name__)
def test_pettingzoo_measures_each(
    module: Any, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """PettingZoo's benchmark plays for five seconds; here its clock runs faster."""
    measured = pettingzoo.test.performance_benchmark
    seconds = itertools.count(step=0.05)
    monkeypatch.setattr("time.time", lambda: next(seconds))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        measured(module.env())
    assert "turns per second" in capsys.readouterr().out


def test_stable_baselines3_finds_no_fault(game: Game) -> None:
    """The check of stable-baselines3 draws actions without the mask."""
    pytest.importorskip("stable_baselines3")
    from stable_baselines3.common.env_checker import check_env

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_env(OpponentEnv(game, illegal="lose"))


@pytest.mark.parametrize("name", SPIELS)
def test_openspiel_writes_a_playthrough_of_each(name: str) -> None:
    """The same actions give the same text again, whatever the seed."""
    pytest.importorskip("pyspiel")
    from open_spiel.python.algorithms import generate_playthrough

    import react_env.envs.openspiel  # noqa: F401 - registers them

    game = f"{name}({SPIELS[name]})"
    text = generate_playthrough.playthrough(game, None, seed=1)
    actions = [int(line.split()[1]) for line in text.splitlines() if line.startswith("action:")]
    assert len(actions) > 3 and generate_playthrough.playthrough(game, actions, seed=2) == text
