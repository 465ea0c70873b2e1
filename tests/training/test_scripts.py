"""The training scripts of the folder `training`, on a tiny budget."""

import re
import runpy
from contextlib import nullcontext
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import react_env
from react_env import docs_tables
from react_env.evaluation.matches import games
from react_env.games.arts_of_war.value import USUAL, read, weights

SCRIPTS = docs_tables.ROOT / "training"


def test_maskable_ppo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    pytest.importorskip("sb3_contrib")
    monkeypatch.setenv("SB3_LOGDIR", str(tmp_path / "SB3"))
    out = tmp_path / "model.zip"
    small = ["--steps", "256", "--envs", "8", "--rollout", "8", "--snapshot", "2", "--games", "4"]
    monkeypatch.setattr("sys.argv", ["maskable_ppo.py", "--game", "fight_sequence-v0", *small, "--out", str(out)])
    runpy.run_path(str(SCRIPTS / "maskable_ppo.py"), run_name="__main__")
    said = capsys.readouterr().out
    assert re.findall(r"against (\w+): .* of (\d+) games", said) == [("random", "4"), ("greedy", "4")]
    assert list(tmp_path.iterdir()) == [out], "past bug: a folder of stable-baselines3's logger was left behind"


def test_maskable_ppo_that_is_interrupted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    """Past bug: all was lost."""
    sb3 = pytest.importorskip("sb3_contrib")
    learn = sb3.MaskablePPO.learn

    def stopped(model: Any, *arguments: Any, **keywords: Any) -> None:
        learn(model, *arguments, **keywords)
        raise KeyboardInterrupt

    monkeypatch.setattr(sb3.MaskablePPO, "learn", stopped)
    out = tmp_path / "model.zip"
    small = ["--steps", "64", "--envs", "8", "--rollout", "8", "--game", "fight_sequence-v0"]
    monkeypatch.setattr("sys.argv", ["maskable_ppo.py", *small, "--out", str(out)])
    with pytest.raises(SystemExit) as ended:
        runpy.run_path(str(SCRIPTS / "maskable_ppo.py"), run_name="__main__")
    assert ended.value.code == 130 and "interrupted after 64 steps, saved" in capsys.readouterr().out
    assert sb3.MaskablePPO.load(out).num_timesteps == 64


@pytest.mark.parametrize("script", ["maskable_ppo.py", "action_features.py"])
def test_a_game_that_there_is_not_is_told_without_a_traceback(
    script: str, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    pytest.importorskip("sb3_contrib")
    monkeypatch.setattr("sys.argv", [script, "--game", "nope"])
    with pytest.raises(SystemExit):
        runpy.run_path(str(SCRIPTS / script), run_name="__main__")
    assert "argument --game: invalid choice: 'nope' (choose from" in capsys.readouterr().err


@pytest.mark.parametrize(
    "script, words, told",
    [
        ("maskable_ppo.py", "--rollout 0", "--rollout must be at least 1"),
        ("maskable_ppo.py", "--envs 0", "--envs must be at least 1"),
        ("maskable_ppo.py", "--snapshot 0", "--snapshot must be at least 1"),
        ("maskable_ppo.py", "--seed -1", "--seed must be at least 0"),
        ("maskable_ppo.py", "--seed 4294967296", "--seed must be less than 2**32"),
        ("maskable_ppo.py", "--envs 1 --rollout 1", "--envs times --rollout must be at least 2"),
        ("maskable_ppo.py", "--games 3", "--games must be a multiple of 2"),
        ("action_features.py", "--envs 0", "--envs must be at least 1"),
        ("action_features.py", "--minibatch 1", "--minibatch must be at least 2"),
        ("action_features.py", "--learning-rate nan", "--learning-rate must be at least 0"),
        ("action_features.py", "--seed 18446744073709551616", "--seed must be less than 2**64"),
        ("action_features.py", "--games 3", "--games must be a multiple of 2"),
        ("scripted_value.py", "--rounds 0", "--rounds must be at least 1"),
        ("scripted_value.py", "--rate nan", "--rate must be at least 0"),
        ("scripted_value.py", "--batch 3", "--batch must be a multiple of 2"),
        ("scripted_value.py", "--opponent scripted:2", "--opponent scripted: it would play by the changed weights"),
    ],
)
def test_a_number_that_cannot_be_is_told_without_a_traceback(
    script: str, words: str, told: str, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    """Past bug: a traceback of stable-baselines3 or NumPy; for a number of games it came only after the training."""
    pytest.importorskip("sb3_contrib")
    small = [] if script == "scripted_value.py" else ["--game", "fight_sequence-v0"]
    monkeypatch.setattr("sys.argv", [script, *small, "--out", "/nowhere/model", *words.split()])
    with pytest.raises(SystemExit) as ended:
        runpy.run_path(str(SCRIPTS / script), run_name="__main__")
    assert ended.value.code == 2 and f"error: {told}" in capsys.readouterr().err


@pytest.mark.slow
@pytest.mark.parametrize("minutes", ["0", "1"])
def test_action_features_without_learning_or_interrupted(
    minutes: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    """Past bugs: a division by no minutes; a traceback on Ctrl-C, and up to ten updates lost."""
    torch = pytest.importorskip("torch")

    def stop(*arguments: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(torch.nn.utils, "clip_grad_norm_", stop)
    out = tmp_path / "weights.safetensors"
    small = ["--envs", "8", "--rollout", "8", "--games", "4", "--minutes", minutes, "--out", str(out)]
    monkeypatch.setattr("sys.argv", ["action_features.py", "--game", "fight_sequence-v0", *small])
    with pytest.raises(SystemExit) if minutes == "1" else nullcontext():
        runpy.run_path(str(SCRIPTS / "action_features.py"), run_name="__main__")
    said = capsys.readouterr().out
    assert (
        said.startswith("interrupted after 0 decisions, saved" if minutes == "1" else "against random")
        and out.is_file()
    )


@pytest.mark.slow
def test_action_features(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    """It learns, keeps what it learned, goes on from there, and plays in the arena."""
    pytest.importorskip("torch")
    monkeypatch.chdir(tmp_path)
    small = ["--minutes", "0.01", "--envs", "8", "--rollout", "8", "--minibatch", "32", "--games", "4"]
    file = "runs/action_features-fight_sequence-v0.safetensors"
    for more in [[], ["--start", file]]:
        monkeypatch.setattr("sys.argv", ["action_features.py", "--game", "fight_sequence-v0", *small, *more])
        runpy.run_path(str(SCRIPTS / "action_features.py"), run_name="__main__")
    said = capsys.readouterr().out
    played = [("random", "4"), ("greedy", "4"), ("scripted", "4")]
    assert re.findall(r"against (\w+): .* of (\d+) games", said) == 2 * played
    script = runpy.run_path(str(SCRIPTS / "action_features.py"))
    game = react_env.load("fight_sequence-v0")
    states = np.array([game.new(seed=seed) for seed in range(6)], game.state_dtype)
    players = states["to_play"].astype(np.int64)
    chosen = script["Trained"](game).act_states(states, players, np.random.default_rng(0))
    assert all(game.action_mask(state)[action] for state, action in zip(states, chosen, strict=True))


@pytest.mark.parametrize("over", [False, True])
def test_action_features_with_nothing_or_little_to_learn_from(over: bool) -> None:
    """Past bugs: an update from no decision ended in a traceback, one from a single decision made all weights nan."""
    torch = pytest.importorskip("torch")
    script = runpy.run_path(str(SCRIPTS / "action_features.py"))
    game = react_env.load("fight_sequence-v0")
    state, played = game.new(seed=1), script["Decisions"]()
    mask, first = game.action_mask(state), np.zeros(1, np.int64)
    network = script["Network"](game.observation_shape[0], 2)
    played.observations, played.masks = [game.observe(state, 0)[None]], [mask[None]]
    played.features = [np.ones((int(mask.sum()), 2), np.float16)]
    played.rows, played.seats, played.actions = [first], [first], [np.array([int(mask.argmax())])]
    played.log_probs, played.values = [np.zeros(1, np.float32)], [np.zeros(1, np.float32)]
    played.rewards, played.overs = [np.array([[1.0, -1.0]], np.float32)], [np.array([over])]
    options = SimpleNamespace(gamma=1.0, entropy=0.0, minibatch=2)
    optimizer = torch.optim.Adam(network.parameters(), lr=0.01)
    assert script["learn"](game, network, optimizer, played, 1, options, np.random.default_rng(0)) == over
    assert all(bool(torch.isfinite(weight).all()) for weight in network.parameters())


def test_action_features_credit() -> None:
    """Advantages follow each seat's own decisions, the result goes to the last ones, and decisions still open are left out."""
    pytest.importorskip("torch")
    played = runpy.run_path(str(SCRIPTS / "action_features.py"))["Decisions"]()
    # One game: seats 0, 1, 0, then it is over and won by seat 1; a new one: seats 1, 0.
    for seat, value, over in [(0, 0.5, False), (1, 0.1, False), (0, 0.2, True), (1, 0.3, False), (0, 0.4, False)]:
        played.rows.append(np.array([0]))
        played.seats.append(np.array([seat]))
        played.values.append(np.array([value], np.float32))
        played.overs.append(np.array([over]))
        played.rewards.append(np.array([[-1.0, 1.0]], np.float32) * over)
    last = -1 - 0.2
    expected = [0.9 * 0.2 - 0.5 + 0.9 * 0.5 * last, 1 - 0.1, last, np.nan, np.nan]
    np.testing.assert_allclose(played.advantages(1, 2, gamma=0.9, lam=0.5), expected, rtol=1e-6)


@pytest.mark.slow
def test_scripted_value(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    """It writes weights that moved, goes on from its own file, and interrupted it keeps the last whole round."""
    out = tmp_path / "runs/weights.csv"
    players = ["--opponent", "greedy", "--opponent", "champion:1,width=0"]  # which has not learned these artists
    small = [*players, "--check", "2", "--edition", "small", "--out", str(out)]
    monkeypatch.setattr("sys.argv", ["scripted_value.py", *small, "--rounds", "1", "--games", "440"])
    runpy.run_path(str(SCRIPTS / "scripted_value.py"), run_name="__main__")
    said = capsys.readouterr().out
    assert re.findall(r"^round (\d): .*%", said, re.M) == ["1"]
    played = [("greedy", "2"), ("champion:1,width=0", "2")]
    assert re.findall(r"^against (\S+): .* of (\d+) games, \d+ cut$", said, re.M) == played
    found, before = read(out), weights("small")
    assert {"fencer", "juggler", "dancer", USUAL} <= set(found)
    np.testing.assert_allclose(found.pop(USUAL), np.mean(list(found.values()), axis=0), atol=0.02)
    assert sum((column != before.get(name, before[USUAL])).any() for name, column in found.items()) > 4

    real, calls = games.play_jobs, []

    def interrupted(*arguments: Any, **keywords: Any) -> Any:
        calls.append(keywords["seed"])
        if len(calls) == 8:  # after the two batches of the first round, its check, and half a batch of the second
            raise KeyboardInterrupt
        return real(*arguments, **keywords)

    monkeypatch.setattr(games, "play_jobs", interrupted)
    monkeypatch.setattr("sys.argv", ["scripted_value.py", *small, "--games", "8", "--batch", "4", "--start", str(out)])
    with pytest.raises(SystemExit) as ended:
        runpy.run_path(str(SCRIPTS / "scripted_value.py"), run_name="__main__")
    assert ended.value.code == 130 and f"interrupted: {out} has round 1" in capsys.readouterr().out
    assert [file.name for file in out.parent.iterdir()] == ["weights.csv"] and set(read(out)) == {*found, USUAL}
    assert len(set(calls)) == 8, "some games were played twice"


def test_scripted_value_finds_which_weights_matter() -> None:
    """Of games that a weight decides, and another one by a little, both are found, and the others are not."""
    script = runpy.run_path(str(SCRIPTS / "scripted_value.py"))
    rng = np.random.default_rng(1)
    signs = rng.choice(np.array([-1, 1], np.int8), (20_000, 2, 5))
    artists = rng.integers(0, 3, (20_000, 2))
    chance = 0.5 + 0.2 * (signs[:, :, 2] * (artists == 1)).sum(1) - 0.05 * (signs[:, :, 4] * (artists == 2)).sum(1)
    won = (rng.random(20_000) < chance).astype(float)
    gains, errors = script["effects"](signs, artists, won, artists @ [3, 1], 3)
    expected = np.zeros((3, 5))
    expected[1, 2], expected[2, 4] = 0.2, -0.05
    assert np.abs(gains - expected).max() < 5 * errors.max() < 0.03
    moved = script["steps"](gains, errors, 10)
    assert moved[1, 2] == script["MOST"] and -0.7 < moved[2, 4] < -0.3
    assert np.abs(moved[expected == 0]).max() < 0.2


def test_scripted_value_moves_a_weight_less_if_its_effect_may_be_chance() -> None:
    steps = runpy.run_path(str(SCRIPTS / "scripted_value.py"))["steps"]
    moved = steps(np.array([[0.01, -0.05], [0.02, 0.0]]), np.array([[0.01], [np.inf]]), 10)
    np.testing.assert_allclose(moved, [[0.1 / 2, -0.5 * 25 / 26], [0, 0]], atol=1e-6)


@pytest.mark.parametrize(
    "words, told",
    [
        ("--start /nowhere/weights.csv", "/nowhere/weights.csv: there is no such file"),
        (f"--start {__file__}", "the column feature must name the 94 features"),
        ("--edition nowhere", "unknown edition"),
        ("--out /dev/null/weights.csv", "--out /dev/null/weights.csv: there is no folder /dev/null"),
        ("--out /tmp", "--out /tmp: this is a folder"),
        ("--opponent greeedy", "did you mean greedy"),
    ],
)
def test_scripted_value_without_what_it_is_to_read_or_write(
    words: str, told: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.argv", ["scripted_value.py", *words.split()])
    with pytest.raises(SystemExit, match=told):
        runpy.run_path(str(SCRIPTS / "scripted_value.py"), run_name="__main__")
