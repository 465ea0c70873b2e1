"""Games played at once: each is the game that its job names, however full the batch is and whoever fails."""

from typing import Any

import numpy as np
import pytest

from react_env import agents
from react_env.agents.process.guard import Fault, guarded
from react_env.evaluation.matches.games import Job, Row, play_jobs, setting_names
from tests.agents.games import game_of


class By:
    """Chooses among the legal ids by `pick`, and fails at observations for which `fails` is true."""

    def __init__(self, name: str, pick: Any, fails: Any = lambda observation: False) -> None:
        self.name = name
        self.pick = pick
        self.fails = fails
        self.faults: list[Fault] = []
        self.asked: list[int] = []

    def choose(self, batch: Any, rows: Any, rng: np.random.Generator) -> tuple[Any, Any]:
        self.asked.append(len(rows))
        failed = np.array([self.fails(batch.observations[row]) for row in rows])
        self.faults += [Fault("error", f"{self.name} fell over", "its traceback")] * int(failed.sum())
        chosen = [-1 if bad else self.pick(np.flatnonzero(batch.action_masks[row])) for row, bad in zip(rows, failed)]
        return np.array(chosen, np.int64), failed

    def close(self) -> None:
        pass


def first(legal: Any) -> int:
    return int(legal[0])


def last(legal: Any) -> int:
    return int(legal[-1])


def couples(pairs: Any, count: int) -> list[Job]:
    return [Job(a, b, seed, seat) for seed in range(count) for a, b in pairs for seat in range(2)]


def play(game: Any, choosers: Any, jobs: Any, **more: Any) -> list[Row]:
    return [row for rows in play_jobs(game, choosers, jobs, **more) for row in rows]


def alone(game: Any, choosers: Any, job: Job) -> tuple[int, bool, int, int, int, int]:
    """A job played by itself, from `game.new`: (result, cut, forfeit, turns, decisions, table)."""
    state = game.new(seed=job.seed)
    table, decisions, turn = int(state["table"]), 0, 0
    while not state["over"]:
        player = game.to_play(state)
        mover = choosers[job.a if player == job.seat else job.b]
        turn = int(state["turn"])
        if mover.fails(game.observe(state, player)):
            forfeit = 1 if player == job.seat else 2
            return -1 if forfeit == 1 else 1, False, forfeit, turn, decisions, table
        game.step(state, mover.pick(game.legal_actions(state)))
        decisions += 1
    cut = bool(state["over"] == 2)
    return 0 if cut else int(np.sign(state["reward"][job.seat])), cut, 0, turn, decisions, table


@pytest.mark.parametrize("name", ["toy", "toy, mixed"])
@pytest.mark.parametrize("slots", [1, 7, 1000])
def test_each_game_is_that_of_its_job(name: str, slots: int) -> None:
    game = game_of(name)
    everybody = {
        3: By("first", first),
        5: By("last", last),
        8: By("clumsy", first, lambda observation: observation.sum() % 11 == 0),
    }
    jobs = couples([(3, 5), (3, 8), (8, 5)], 15)
    rows = play(game, everybody, jobs, slots=slots)
    assert sorted((row.job for row in rows), key=repr) == sorted(jobs, key=repr)  # each once
    for row in rows:
        found = (row.result, row.cut, row.forfeit, row.turns, row.decisions, row.table)
        assert found == alone(game, everybody, row.job)
        assert (row.fault is not None) == (row.forfeit > 0)
    assert {row.forfeit for row in rows} == {0, 1, 2} and {row.result for row in rows} >= {-1, 1}
    if name == "toy, mixed":
        assert {row.table for row in rows} == {0, 1, 2} and any(row.cut for row in rows)


def test_a_forfeit_is_the_loss_of_who_failed() -> None:
    game = game_of("toy")
    everybody = {0: By("clumsy", first, lambda observation: observation.sum() % 11 == 0), 1: By("last", last)}
    rows = play(game, everybody, couples([(0, 1)], 30))
    lost = [row for row in rows if row.forfeit]
    assert lost and all(row.forfeit == 1 and row.result == -1 and not row.cut for row in lost)
    assert all(row.fault and row.fault.message == "clumsy fell over" for row in lost)
    assert any(not row.forfeit for row in rows)  # its other games went on


def test_places_are_filled_again_while_there_are_jobs() -> None:
    game = game_of("toy")
    agent = By("first", first)
    taken = 0

    def jobs() -> Any:
        nonlocal taken
        for job in couples([(0, 0)], 50):
            taken += 1
            yield job

    ended, full = 0, []
    for rows in play_jobs(game, {0: agent}, jobs(), slots=16):
        if taken < 100:
            full.append(agent.asked[-1])
            assert taken - ended == 16
        ended += len(rows)
    assert set(full) == {16} and len(full) > 20 and ended == 100


@pytest.mark.parametrize("threads", [1, 2])
def test_the_same_arguments_give_the_same_games(threads: int) -> None:
    game = game_of("toy")

    def rows(seed: int) -> list[Row]:
        everybody = {k: guarded(agents.load(name, game)) for k, name in enumerate(("random", "greedy"))}
        return play(game, everybody, couples([(0, 1)], 100), seed=seed, threads=threads)

    assert rows(1) == rows(1) != rows(2)


def test_each_agent_has_a_chance_of_its_own() -> None:
    drawn: dict[str, list[float]] = {"one": [], "other": []}

    class Draws:
        def __init__(self, name: str) -> None:
            self.name = name

        def act(self, observations: Any, action_masks: Any, rng: Any) -> Any:
            drawn[self.name].append(rng.random())
            return action_masks.argmax(1)

    play(game_of("toy"), {k: guarded(Draws(name)) for k, name in enumerate(drawn)}, couples([(0, 1)], 5))
    assert drawn["one"] and not set(drawn["one"]) & set(drawn["other"])


def test_no_jobs() -> None:
    assert play(game_of("toy"), {}, []) == []


def test_settings_are_named() -> None:
    assert set(setting_names(game_of("toy, mixed"))) == {""}
    game = game_of("arts_of_war-v0, mixed")
    names = setting_names(game)
    assert len(names) == 72
    for seed in range(20):
        state = game.new(seed=seed)
        assert names[int(state["table"])] == " - ".join(game.pairing(state))
