"""Each tutorial runs on a tiny budget and prints at its end what it promises."""

import json
import re
import runpy
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import pytest

from react_env import docs_tables

TUTORIALS = docs_tables.ROOT / "docs" / "tutorials"
SMALL = {
    "single_file_ppo": (
        "torch",
        "--steps 512 --envs 8 --rollout 16 --width 16 --games 4",
        r"against greedy: .* of 4 games",
    ),
    "self_play": ("torch", "--steps 512 --envs 8 --rollout 16 --width 16 --games 4", r"against greedy: .* of 4 games"),
    "with_stable_baselines3": (
        "sb3_contrib",
        "--steps 256 --envs 8 --rounds 2 --games 4",
        r"against greedy: .* of 4 games",
    ),
    "openspiel_agents": ("pyspiel", "--iterations 4 --games 2 --simulations 4", r"scores \d\.\d of 2 against greedy"),
    "language_model": ("react_env", "--games 2", r"won \d of 2 games against greedy; 0 odd answers in \d+ decisions"),
    "with_torchrl": ("torchrl", "--frames 256 --rounds 2", r"mean reward"),
    "with_rllib": ("ray.rllib", "--iterations 1 --batch 64", r"learned from"),
    "with_tianshou": ("tianshou", "--games 2", r"games"),
    "with_agilerl": ("agilerl", "--steps 40", r"steps"),
}


def run(name: str, words: str, monkeypatch: pytest.MonkeyPatch, capsys: Any) -> str:
    monkeypatch.setattr("sys.argv", [f"{name}.py", *words.split()])
    runpy.run_path(str(TUTORIALS / f"{name}.py"), run_name="__main__")
    return str(capsys.readouterr().out)


def test_all_are_run() -> None:
    assert {path.stem for path in TUTORIALS.glob("*.py")} == set(SMALL)


@pytest.mark.parametrize("name", SMALL)
def test_a_tutorial(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    needed, words, said = SMALL[name]
    pytest.importorskip(needed)
    monkeypatch.setenv("SB3_LOGDIR", str(tmp_path / "SB3"))
    assert re.search(said, run(name, words, monkeypatch, capsys))
    assert not list(tmp_path.iterdir()), "past bug: a folder of stable-baselines3's logger was left behind"


@pytest.mark.parametrize(
    "name, words, told",
    [
        ("single_file_ppo", "--rollout 0", "--rollout must be at least 1"),
        ("single_file_ppo", "--games 3", "--games must be a multiple of 2"),
        ("self_play", "--envs 0", "--envs must be at least 1"),
        ("self_play", "--games 3", "--games must be a multiple of 2"),
        ("with_stable_baselines3", "--rounds 0", "--rounds must be at least 1"),
        ("with_stable_baselines3", "--games 3", "--games must be a multiple of 2"),
        ("openspiel_agents", "--simulations 0", "--simulations must be at least 1"),
        ("with_torchrl", "--frames 4 --rounds 8", "--rounds must be from 1 to the number of --frames"),
        ("with_rllib", "--batch 0", "--batch must be at least 1"),
    ],
)
def test_a_number_that_cannot_be_is_told_without_a_traceback(
    name: str, words: str, told: str, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    pytest.importorskip(SMALL[name][0])
    with pytest.raises(SystemExit) as ended:
        run(name, words, monkeypatch, capsys)
    assert ended.value.code == 2 and f"error: {told}" in capsys.readouterr().err


def test_a_language_model_is_asked_over_http(monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    """The model is told the rules, what it sees and what it may do; after an odd answer it is asked again, and the answer is counted."""
    heard: list[Any] = []

    class Answers(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            heard.append(body["messages"])
            text = "I would take the last one." if len(heard) == 1 else "1"
            data = json.dumps({"choices": [{"message": {"content": text}}]}).encode()
            self.send_response(200)
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, *_: Any) -> None:
            pass

    server = HTTPServer(("127.0.0.1", 0), Answers)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        url = f"http://127.0.0.1:{server.server_port}/v1/chat/completions"
        said = run("language_model", f"--games 1 --model some --url {url} --against random", monkeypatch, capsys)
    finally:
        server.shutdown()
    assert "; 1 odd answers" in said
    rules = heard[0][0]["content"]
    assert "You play Fight Sequence as player_0. Your deck is your life:" in rules, "past bug: not how one wins"
    assert "Answer with a number" in heard[1][-1]["content"] and "You may:\n1. " in heard[0][1]["content"]
    assert re.search(r"player_1: hand \d(;| with)", heard[0][1]["content"])  # of the opponent's hand, only its size


def test_self_play_credits_each_decision_with_what_its_own_player_gets() -> None:
    """With lambda 1 that is the reward at the end of the game, or, if the rollout ends first, the value for that player."""
    torch = pytest.importorskip("torch")
    tutorial = runpy.run_path(str(TUTORIALS / "self_play.py"), run_name="self_play")
    steps, games, players = 40, 50, 3
    torch.manual_seed(3)
    movers, last_mover = torch.randint(players, (steps, games)), torch.randint(players, (games,))
    dones = (torch.rand(steps, games) < 0.1).float()
    rewards = torch.randn(steps, games, players) * dones[:, :, None]
    values, last_value = torch.randn(steps, games), torch.randn(games)
    found = tutorial["advantages_of"](movers, rewards, dones, values, last_mover, last_value, 1.0) + values
    for t in range(steps):
        for n in range(games):
            p, ends = movers[t, n], dones[t:, n].nonzero()
            if len(ends):
                right = rewards[t + ends[0, 0], n, p]
            else:
                right = last_value[n] if p == last_mover[n] else -last_value[n] / (players - 1)
            assert abs(found[t, n] - right) < 1e-4
