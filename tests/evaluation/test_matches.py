"""Matches: exact counts, the same games from both seats, no bias towards short games."""

import json
from functools import partial
from typing import Any

import numpy as np
import pytest
from rich.console import Console

import react_env
from react_env import agents
from react_env.engine.rng import seed_word
from react_env.envs import aec
from react_env.envs.gym import OpponentEnv, OpponentVectorEnv
from react_env.envs.sb3 import SelfPlayVecEnv
from react_env.errors import BatchError, IllegalAction, OptionError
from react_env.evaluation import match_table, play_match, record_game
from react_env.evaluation.matches.match import FIRST, next_block, whole
from react_env.replay import Replay
from tests.agents.games import game_of


class First:
    """Takes the first legal action, and remembers what it was asked."""

    name = "first"

    def __init__(self) -> None:
        self.asked: list[bytes] = []

    def act(self, observations: Any, action_masks: Any, rng: np.random.Generator) -> Any:
        self.asked += [row.tobytes() for row in observations]
        return np.argmax(action_masks, axis=1)


def test_every_game_is_counted_once_and_to_its_end() -> None:
    game = game_of("toy")
    calls: list[tuple[int, int]] = []
    result = play_match(
        game,
        agents.load("greedy", game),
        agents.load("random", game),
        300,
        seed=1,
        progress=lambda *call: calls.append(call),
    )
    assert [tally.games for tally in result.seats] == [150, 150]
    for tally in (*result.seats, result.total):
        assert tally.wins + tally.losses + tally.ties + tally.truncations == tally.games
    assert calls[0] == (0, 300) and calls[-1] == (300, 300)
    assert [done for done, _ in calls] == sorted(done for done, _ in calls)
    assert result.total.wins > result.total.losses


def test_against_playing_each_game_alone() -> None:
    """With deterministic agents the match is the sum of its games, played one by one from the same starts."""
    game = game_of("toy")
    count = 60
    result = play_match(game, First(), First(), 2 * count, seed=4)
    wins, decisions = [0, 0], 0
    for state in game.batch(num_games=count, seed=4).states:
        state = game.copy(state)
        while not state["over"]:
            game.step(state, int(game.legal_actions(state)[0]))
            decisions += 1
        for seat in range(2):
            wins[seat] += int(state["reward"][seat] > 0)
    assert [tally.wins for tally in result.seats] == wins
    assert [tally.losses for tally in result.seats] == wins[::-1]
    assert [tally.decisions for tally in result.seats] == [decisions, decisions]


def test_both_seats_play_the_same_deals() -> None:
    game = game_of("toy")
    first, other = First(), First()
    play_match(game, first, other, 40, seed=2)
    assert sorted(first.asked) == sorted(other.asked)


def test_the_seed_decides_and_threads_do_not_matter() -> None:
    game = game_of("toy")

    def play(seed: int, threads: int) -> Any:
        agent = agents.load("greedy", game, threads=threads)
        return play_match(game, agent, agents.load("random", game), 200, seed=seed, threads=threads).seats

    assert play(1, 1) == play(1, 2)
    assert play(1, 1) != play(2, 1)


def test_more_games_than_places(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("react_env.evaluation.matches.match.SLOTS", 16)
    game = game_of("toy")
    result = play_match(game, agents.load("random", game), agents.load("random", game), 100, seed=1)
    assert [tally.games for tally in result.seats] == [50, 50]


def test_a_match_with_a_time_limit_ends_between_blocks_of_games() -> None:
    def blocks(cost: float, seconds: float, deals: int = 500) -> list[int]:
        """The sizes of the blocks if a deal takes `cost` seconds."""
        done, found = 0, []
        while block := next_block(deals, done, done * cost, seconds, 300):
            found.append(block)
            done += block
        return found

    assert blocks(1.0, 0.0) == [FIRST]  # always one block
    assert blocks(1.0, 60.0) == [FIRST, 60 - FIRST]
    assert blocks(1.0, FIRST + 1.0) == [FIRST]  # a handful would not fill the cores
    assert blocks(1e-3, 60.0) == [FIRST, 300, 500 - 300 - FIRST]
    assert next_block(500, 20, 30.0, None, 300) == 300 and next_block(500, 400, 30.0, None, 300) == 100


def test_games_do_not_hang_on_the_blocks_in_which_they_are_played(monkeypatch: pytest.MonkeyPatch) -> None:
    game = game_of("toy")
    all_at_once = play_match(game, First(), First(), 100, seed=5)
    monkeypatch.setattr("react_env.evaluation.matches.match.next_block", lambda deals, done, *_: min(7, deals - done))
    calls: list[tuple[int, int]] = []
    parts = play_match(game, First(), First(), 100, seed=5, seconds=1.0, progress=lambda *call: calls.append(call))
    assert parts.seats == all_at_once.seats and calls[-1] == (100, 100)
    monkeypatch.setattr("react_env.evaluation.matches.match.next_block", lambda deals, done, *_: 0 if done else 8)
    cut = play_match(game, First(), First(), 100, seed=5, seconds=1.0)
    assert [tally.games for tally in cut.seats] == [8, 8]
    assert cut.seats == play_match(game, First(), First(), 16, seed=5).seats


def test_seconds_that_are_no_limit_and_none_that_can_be() -> None:
    """Past bug: infinity, NaN and a text failed somewhere inside."""
    game = game_of("toy")
    assert play_match(game, First(), First(), 100, seed=5, seconds=np.inf).total.games == 100
    for seconds in (np.nan, "1", [1]):
        with pytest.raises(OptionError, match="seconds is .*: it must be a number, or None"):
            play_match(game, First(), First(), 100, seconds=seconds)  # type: ignore[arg-type]


@pytest.mark.parametrize("games", [0, -2, 7, "20", 20.0, None])
def test_a_number_that_cannot_be_shared_is_refused(games: Any) -> None:
    game = game_of("toy")
    with pytest.raises(OptionError, match="multiple of 2"):
        play_match(game, First(), First(), games)


def test_truncations_are_counted_apart() -> None:
    from tests import toy

    result = play_match(toy.load(max_turns=3), First(), First(), 20)
    assert result.total.truncations == 20
    assert result.total.win_rate == 0 and result.total.score == 0.5


def test_json_and_table() -> None:
    game = game_of("toy")
    results = [play_match(game, agents.load(name, game), First(), 20) for name in ("random", "greedy")]
    assert [(result.a, result.b) for result in results] == [("random", "first"), ("greedy", "first")]
    assert json.loads(json.dumps(results[0].to_json()))["total"]["games"] == 20
    console = Console(width=80, record=True, file=open("/dev/null", "w"))
    console.print(match_table(results))
    text = console.export_text()
    assert "greedy vs first" in text and "seat 1" in text
    assert max(map(len, text.splitlines())) <= 80


def test_a_recorded_game_can_be_played_again() -> None:
    game = game_of("toy")
    replay = record_game(game, [agents.load("greedy", game), First()], seed=3)
    assert replay.players == ["greedy", "first"] and replay.end == "terminated"
    again = Replay.parse(replay.text(game))
    last = list(again.states(game))[-1]
    assert last.state["over"] == 1


def test_a_recorded_game_takes_what_a_match_takes() -> None:
    """Past bugs: names of agents, seeds that were NumPy's, negative or None, and one agent for two seats failed somewhere inside."""
    game = game_of("toy")
    loaded = record_game(game, [agents.load("greedy", game), agents.load("random", game)], seed=-3)
    named = record_game(game, ["greedy", "random"], seed=np.int64(-3))  # type: ignore[arg-type]
    assert named.text(game) == loaded.text(game) and loaded.start == seed_word(-3)
    assert record_game(game, ["greedy"] * 2, seed=None).start != record_game(game, ["greedy"] * 2, seed=None).start
    assert play_match(game, "greedy", "random", 8, seed=-3).seed == -3
    for wrong in ([First()], [First()] * 3, "greedy", None, 2):
        with pytest.raises(OptionError, match="agents: one for each of the 2 players is needed"):
            record_game(game, wrong)  # type: ignore[arg-type]
    for seed in (1.5, "1", True):
        with pytest.raises(OptionError, match="a seed is an integer"):
            record_game(game, ["greedy"] * 2, seed=seed)  # type: ignore[arg-type]


class Nameless:
    """An agent with nothing but `act`, as the protocol allows."""

    def __init__(self, give: Any = lambda actions: actions) -> None:
        self.give = give

    def act(self, observations: Any, action_masks: Any, rng: Any) -> Any:
        return self.give(np.argmax(action_masks, axis=1))


def test_an_agent_needs_no_name_but_gives_integers() -> None:
    game = game_of("toy")
    result = play_match(game, Nameless(), agents.load("random", game), 4)
    assert result.a == "Nameless" and result.total.games == 4
    for give in (lambda actions: actions.astype(float), lambda actions: actions[:, None], lambda actions: None):
        with pytest.raises(BatchError, match="Nameless gave .* games; an agent gives a legal id for each"):
            play_match(game, Nameless(give), agents.load("random", game), 4)


def test_an_illegal_action_is_told_with_who_chose_it() -> None:
    game = game_of("toy")
    for give, told in (
        (lambda actions: actions + 99, "does not exist"),
        (lambda actions: actions * 0 - 1, "action -1"),
    ):
        with pytest.raises(IllegalAction, match=rf"Nameless, game \d: .*{told}"):
            play_match(game, "random", Nameless(give), 4)


def test_agents_go_by_name_too_and_what_is_none_is_refused() -> None:
    game = game_of("toy")
    named = play_match(game, "greedy", "random", 8, seed=3)
    loaded = play_match(game, agents.load("greedy", game), agents.load("random", game), 8, seed=3)
    assert (named.a, named.b, named.seats) == ("greedy", "random", loaded.seats)
    for wrong in (Nameless, 7, None):
        with pytest.raises(OptionError, match="an agent is a name that agents.load knows, or has act"):
            play_match(game, "random", wrong, 8)  # type: ignore[arg-type]
    with pytest.raises(OptionError, match=r"; Nameless is a class: give an agent of it, Nameless\(\.\.\.\)"):
        play_match(game, "random", Nameless, 8)  # type: ignore[arg-type]
    with pytest.raises(OptionError, match=r"a game is needed, react_env.load\('toy-v0'\), not 'toy-v0'"):
        play_match("toy-v0", "random", "random", 8)
    for make in (OpponentEnv, partial(OpponentVectorEnv, num_envs=2), partial(SelfPlayVecEnv, num_envs=2), aec.env):
        with pytest.raises(OptionError, match="a game is needed"):
            make("toy-v0", action_features=True)  # type: ignore[operator]
    for spec, for_game in ((agents.load("random", game), game), (game, "random")):
        with pytest.raises(OptionError, match="an agent is loaded by its name or its file"):
            agents.load(spec, for_game)  # type: ignore[arg-type]


def test_as_many_games_as_can_be_played_from_each_seat() -> None:
    game = react_env.load("react_fast-v0", players=3)
    assert [whole(game, games) for games in (1, 3, 200, 1000)] == [3, 3, 201, 1002]
