"""The arena: who plays whom, what is not played again, and what happens to agents that fail."""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from react_env import agents
from react_env.agents.process.guard import guarded
from react_env.errors import OptionError
from react_env.evaluation.arena import run as module
from react_env.evaluation.arena.run import Arena, Progress, against, match_results, round_robin
from react_env.evaluation.arena.store import Store
from react_env.evaluation.matches.games import play_jobs
from tests.agents.games import game_of


class First:
    """Takes the first legal action and counts its calls; it may fail."""

    def __init__(self, name: str, fails: str = "") -> None:
        self.name = name
        self.fails = fails
        self.calls = 0

    def act(self, observations: Any, action_masks: Any, rng: np.random.Generator) -> Any:
        self.calls += 1
        if self.fails == "raise" and (observations.sum(axis=1) % 13 == 0).any():
            raise ValueError("my agent has a bug")
        actions = np.argmax(action_masks, axis=1)
        if self.fails == "illegal":
            actions[observations.sum(axis=1) % 13 == 0] = 99
        return np.full(len(actions), np.nan) if self.fails == "nan" else actions


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "results.sqlite"


@pytest.fixture
def arena() -> Iterator[Arena]:
    """An arena in memory, with the toy game."""
    game = game_of("toy")
    with Store(None, game) as store, Arena(game, store) as arena:
        yield arena


@pytest.fixture(autouse=True)
def fingerprints(monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """The fingerprints of these tests' agents; other agents keep theirs."""
    known = {name: name.ljust(16, "0") for name in ("one", "two", "three", "bad")}
    real = module.fingerprint
    monkeypatch.setattr(module, "fingerprint", lambda spec, game: known.get(spec) or real(spec, game))
    return known


def counts(arena: Arena) -> Counter[tuple[str, str]]:
    games = arena.store.games()
    return Counter((games.agents[a], games.agents[b]) for a, b in zip(games.a, games.b))


def test_everybody_against_everybody_from_both_seats(arena: Arena) -> None:
    ids = [arena.add("random"), arena.add("greedy"), arena.add("one", First("one"))]
    assert arena.play(round_robin(ids), 40)
    games = arena.games()
    assert games.agents == ("random", "greedy", "one") and len(games) == 3 * 40
    for a, b in ((0, 1), (0, 2), (1, 2)):
        for seat in (0, 1):
            of = games[(games.a == a) & (games.b == b) & (games.seat == seat)]
            assert sorted(of.seed) == list(range(20))
    assert not games.forfeit.any()
    results = match_results(games)
    assert [(r.a, r.b, r.total.games) for r in results] == [
        ("random", "greedy", 40),
        ("random", "one", 40),
        ("greedy", "one", 40),
    ]
    assert results[0].total.wins < results[0].total.losses


def test_against_playing_each_game_alone(arena: Arena) -> None:
    """With deterministic agents the arena counts what the games of its seeds give when they are played one by one."""
    game = arena.game
    arena.play(round_robin([arena.add("one", First("one")), arena.add("two", First("two"))]), 200)
    (found,) = match_results(arena.games())
    rewards, decisions = np.zeros(100), 0
    for seed in range(100):
        state = game.new(seed=seed)
        while not state["over"]:
            game.step(state, int(game.legal_actions(state)[0]))
            decisions += 1
        rewards[seed] = state["reward"][0]
    wins = [int((rewards > 0).sum()), int((rewards < 0).sum())]
    assert [tally.wins for tally in found.seats] == wins and [tally.losses for tally in found.seats] == wins[::-1]
    assert [tally.decisions for tally in found.seats] == [decisions, decisions]


def test_a_new_agent_plays_only_its_own_games(arena: Arena) -> None:
    old = {name: First(name) for name in ("one", "two")}
    ids = [arena.add(name, agent) for name, agent in old.items()]
    arena.play(round_robin(ids), 20)
    before = arena.store.games()
    calls = {name: agent.calls for name, agent in old.items()}
    assert arena.play(round_robin(ids), 20)
    assert {name: agent.calls for name, agent in old.items()} == calls  # all is played
    ids.append(arena.add("three", First("three")))
    arena.play(round_robin(ids), 20)
    after = arena.store.games()
    assert len(after) == 60 and (after[:20].seed == before.seed).all()
    assert (after[20:].b == 2).all()
    arena.play(round_robin(ids), 22)  # more games: two of each pair
    assert set(counts(arena).values()) == {22}


def test_against_a_field(arena: Arena) -> None:
    ids = {name: arena.add(name, First(name)) for name in ("one", "two", "three")}
    pairs = against([ids["three"], ids["one"]], [ids["one"], ids["two"]])
    assert pairs == [(1, 2), (1, 3), (2, 3)]
    arena.play(against([ids["three"]], [ids["one"], ids["two"]]), 10)
    assert counts(arena) == {("one", "three"): 10, ("two", "three"): 10}


def test_a_stopped_run_goes_on(file: Path) -> None:
    game = game_of("toy")

    def stop(progress: Progress) -> None:
        if progress.done > 100:
            raise KeyboardInterrupt

    specs = ("random", "greedy", "greedy:2")
    with Store(file, game) as store, Arena(game, store) as arena:
        with pytest.raises(KeyboardInterrupt):
            arena.play(round_robin([arena.add(spec) for spec in specs]), 400, progress=stop)
        first = store.games()
        assert 100 < len(first) < 1200
    told: list[Progress] = []
    with Store(file, game) as store, Arena(game, store) as arena:
        ids = [arena.add(spec) for spec in specs]
        assert arena.play(round_robin(ids), 400, progress=told.append)
        assert told[0].before == len(first) and told[-1].done == told[-1].total == 1200
        assert set(counts(arena).values()) == {400}
        assert told[-1].played.sum() == 2 * 1200 and told[-1].score.sum() == 1200
        assert not store.messages


def test_pairs_grow_alike(arena: Arena) -> None:
    """Whenever a run is stopped, no pair is far behind."""
    arena._places = dict.fromkeys(range(9), 32)  # a small batch, so that there is something to see

    def look(progress: Progress) -> None:
        played = progress.played[np.triu_indices(3, 1)]
        assert played.max() - played.min() <= 32

    ids = [arena.add(name, First(name)) for name in ("one", "two", "three")]
    arena._places = dict.fromkeys(ids, 32)
    assert arena.play(round_robin(ids), 200, progress=look)


@pytest.mark.parametrize(("fails", "kind"), [("raise", "error"), ("illegal", "illegal"), ("nan", "nan")])
def test_who_fails_forfeits_and_the_others_go_on(arena: Arena, fails: str, kind: str) -> None:
    ids = [arena.add("greedy"), arena.add("bad", First("bad", fails)), arena.add("random")]
    told: list[Progress] = []
    assert arena.play(round_robin(ids), 100, progress=told.append)
    games = arena.games()
    assert len(games) == 300
    lost = games[games.forfeit > 0]
    assert len(lost) and all(games.agents[b if f == 2 else a] == "bad" for a, b, f in zip(lost.a, lost.b, lost.forfeit))
    assert (lost.result == np.where(lost.forfeit == 1, -1, 1)).all() and not lost.cut.any()
    (fault,) = arena.store.faults()
    assert (fault.agent, fault.kind, fault.count) == ("bad", kind, len(lost))
    assert told[-1].faults.tolist() == [0, len(lost), 0]
    if fails == "raise":
        assert (
            "my agent has a bug" in fault.message and "Traceback" in fault.details and "test_arena.py" in fault.details
        )
        assert len(lost) < 200  # not all of its games


def test_the_same_run_gives_the_same_games() -> None:
    def play(seed: int) -> Any:
        game = game_of("toy")
        with Store(None, game, seed=seed) as store, Arena(game, store) as arena:
            arena.play(round_robin([arena.add("random"), arena.add("greedy")]), 200)
            games = store.games()
            return np.stack([games.seed, games.seat, games.result, games.decisions])

    assert (play(1) == play(1)).all()
    assert not np.array_equal(play(1)[1:], play(2)[1:])


def test_no_game_begins_when_the_time_is_over(arena: Arena) -> None:
    ids = [arena.add("random"), arena.add("greedy")]
    assert not arena.play(round_robin(ids), 100, minutes=0.0)
    assert not len(arena.games())
    told: list[Progress] = []
    arena.play(round_robin(ids), 2_000_000, minutes=0.01, progress=told.append)
    assert told[-1].running == 0 and 0 < told[-1].done < told[-1].total  # what was begun was played to the end
    assert len(arena.games()) == told[-1].done


def test_a_game_that_is_given_out_twice_is_played_once(arena: Arena, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another run may take over the claim of one that was stopped for minutes, and finish the game before it."""
    claim = arena.store.claim
    monkeypatch.setattr(arena.store, "claim", lambda *args: [job for job in claim(*args) for _ in range(2)])
    told: list[Progress] = []
    ids = [arena.add("random"), arena.add("greedy")]
    assert arena.play(round_robin(ids), 300, progress=told.append)
    assert len(arena.games()) == 300 and told[-1].running == 0


def test_a_match_names_the_first_agent_first(arena: Arena) -> None:
    forward = arena.match("random", "greedy", 60)
    backward = arena.match("greedy", "random", 60)
    assert forward.agents == ("random", "greedy") and backward.agents == ("greedy", "random")
    assert (backward.result == -forward.result).all() and (backward.seat == 1 - forward.seat).all()
    assert (forward.result == -1).sum() > (forward.result == 1).sum()


def test_a_match_waits_for_the_games_of_another_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Past bug: a ladder that ran beside another judged by the games that had ended first, which are the short ones."""
    game = game_of("toy")
    with Store(tmp_path / "a.db", game) as other, Store(tmp_path / "a.db", game) as store, Arena(game, store) as arena:
        a, b = arena.add("random"), arena.add("greedy")
        jobs = other.claim([(a, b)], 20, 15)
        assert len(jobs) == 30
        waited: list[float] = []

        def play_them(seconds: float) -> None:
            waited.append(seconds)
            choosers = {a: guarded(agents.load("random", game)), b: guarded(agents.load("greedy", game))}
            for rows in play_jobs(game, choosers, jobs, seed=(0,), slots=30):
                other.add(rows, [""])

        monkeypatch.setattr(module.time, "sleep", play_them)
        assert len(arena.match("random", "greedy", 40)) == 40 and len(waited) == 1


def test_an_agent_that_changed_is_another_one(arena: Arena, fingerprints: dict[str, str]) -> None:
    ids = [arena.add("one", First("one")), arena.add("two", First("two"))]
    arena.play(round_robin(ids), 10)
    fingerprints["two"] = "f" * 16
    ids = [ids[0], arena.add("two", First("two"))]
    assert arena.messages == ["two is not what it was: its former games stay with two, it now plays as two@ffffff"]
    arena.play(round_robin(ids), 10)
    assert counts(arena) == {("one", "two"): 10, ("one", "two@ffffff"): 10}


def test_everybody_of_a_file_who_is_still_there(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    game = game_of("toy")
    with Store(file, game) as store, Arena(game, store) as arena:
        arena.play(round_robin([arena.add("random"), arena.add("greedy"), arena.add("one", First("one"))]), 10)
    real = module.fingerprint
    monkeypatch.setattr(module, "fingerprint", lambda spec, game: "new" if spec == "greedy" else real(spec, game))
    with Store(file, game) as store, Arena(game, store) as arena:
        assert [arena.agents[number].name for number in arena.add_all()] == ["random"]
        assert arena.messages[0] == "greedy is left out: it has changed since it played"
        assert arena.messages[1].startswith("one is left out: no agent is called 'one'")


@pytest.mark.parametrize("games", [0, -2, 7])
def test_a_number_that_cannot_be_shared_is_refused(arena: Arena, games: int) -> None:
    ids = [arena.add("random"), arena.add("greedy")]
    with pytest.raises(OptionError, match="multiple of 2"):
        arena.play(round_robin(ids), games)


def test_pairings_and_decks() -> None:
    """The setting of a game is that of its deal, whoever played it."""
    game = game_of("arts_of_war-v0, mixed")
    with Store(None, game) as store, Arena(game, store) as arena:
        assert arena.play(round_robin([arena.add("random"), arena.add("one", First("one"))]), 60)
        games = store.games()
    assert len(set(games.setting)) > 15
    for seed, setting in zip(games.seed, games.setting):
        assert games.settings[setting] == " - ".join(game.pairing(game.new(seed=int(seed))))


def test_slow_agents_play_fewer_games_at_once() -> None:
    game = game_of("toy")
    places = {spec: module._places(agents.load(spec, game)) for spec in ("random", "mcts:8", "mcts:256", "mcts:1s")}
    assert places == {"random": 2048, "mcts:8": 2048, "mcts:256": 64, "mcts:1s": 16}


def test_progress_gives_a_share_of_a_win_where_nobody_won() -> None:
    """One among three others: a quarter is even."""
    progress = Progress(
        ("a", "b"), np.zeros((2, 2), np.int64), np.zeros((2, 2)), np.zeros(2, np.int64), 0, 3, 0, rivals=3
    )
    progress.add(np.zeros(3, int), np.ones(3, int), np.array([0, 1, -1]), np.array([0, 0, 1]))
    assert progress.score.tolist() == [[0, 1.25], [1.75, 0]] and progress.played.tolist() == [[0, 3], [3, 0]]
    assert progress.faults.tolist() == [1, 0]
