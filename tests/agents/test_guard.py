"""agents.guarded: whatever an agent does wrong affects only the decisions concerned."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from react_env import agents
from react_env.agents.players.uniform import pick_uniform
from react_env.agents.process.guard import STRIKES, AgentFault, Fault, integers
from tests.agents.games import game_of

ROWS = np.array([1, 2, 5, 6])


class Plays:
    """An agent that is a function of (observations, masks)."""

    name = "plays"

    def __init__(self, function: Callable[[Any, Any], Any]) -> None:
        self.function = function
        self.calls: list[int] = []

    def act(self, observations: Any, action_masks: Any, rng: np.random.Generator) -> Any:
        self.calls.append(len(observations))
        return self.function(observations, action_masks)


def first(observations: Any, masks: Any) -> Any:
    return masks.argmax(axis=1)


def batch_of(count: int = 8) -> Any:
    """Toy games, played until no two of their observations are equal."""
    batch = game_of("toy").batch(num_games=count, seed=3)
    rng = np.random.default_rng(0)
    while len(np.unique(batch.observations, axis=0)) < count:
        batch.step(pick_uniform(batch.action_masks, rng))
    return batch


def choose(agent: Any, batch: Any, rows: Any = ROWS) -> tuple[Any, Any, list[Fault]]:
    chooser = agents.guarded(agent)
    actions, failed = chooser.choose(batch, rows, np.random.default_rng(0))
    assert actions.dtype == np.int64 and failed.dtype == np.bool_ and actions.shape == failed.shape == (len(rows),)
    assert batch.action_masks[rows[~failed], actions[~failed]].all()
    assert len(chooser.faults) == failed.sum()
    return actions, failed, chooser.faults


@pytest.mark.parametrize("name", ["random", "greedy", "mcts:4"])
def test_a_good_agent_chooses_as_it_would_without_a_guard(name: str) -> None:
    batch = batch_of()
    agent = agents.load(name, game_of("toy"))
    actions, failed, faults = choose(agent, batch)
    assert (actions == agents.choose(agent, batch, ROWS, np.random.default_rng(0))).all()
    assert not failed.any() and faults == []
    assert agents.guarded(agent).name == agent.name


def test_no_rows() -> None:
    agent = Plays(first)
    choose(agent, batch_of(), ROWS[:0])
    assert agent.calls == []


@pytest.mark.parametrize("convert", [list, lambda a: a.astype(np.uint8), lambda a: a.astype(np.int32), tuple])
def test_lists_and_other_integers_are_taken(convert: Callable[[Any], Any]) -> None:
    batch = batch_of()
    actions, failed, _ = choose(Plays(lambda o, m: convert(first(o, m))), batch)
    assert not failed.any() and (actions == batch.action_masks[ROWS].argmax(axis=1)).all()


@pytest.mark.parametrize("wrong", [-1, 6, 2**40, -(2**63), "illegal"])
def test_only_rows_with_an_illegal_action_fail(wrong: Any) -> None:
    batch = batch_of()
    bad = int(np.flatnonzero(~batch.action_masks[5])[0]) if wrong == "illegal" else wrong
    target = batch.observations[5].copy()

    def act(observations: Any, masks: Any) -> Any:
        return np.where((observations == target).all(axis=1), bad, first(observations, masks))

    agent = Plays(act)
    _, failed, faults = choose(agent, batch)
    assert failed.tolist() == [False, False, True, False]
    assert agent.calls == [4], "who is guilty is plain"
    legal = ", ".join(map(str, np.flatnonzero(batch.action_masks[5])))
    assert faults == [Fault("illegal", f"chose {bad}, which is not legal; legal: {legal}")]


@pytest.mark.parametrize(
    ("answer", "kind", "message"),
    [
        (lambda o, m: None, "shape", "returned None"),
        (lambda o, m: first(o, m)[:, None], "shape", r"shape \(1, 1\): expected \(1,\)"),
        (lambda o, m: int(first(o, m)[0]), "shape", r"shape \(\): expected \(1,\)"),
        (lambda o, m: np.append(first(o, m), 0), "shape", r"shape \(2,\)"),
        (lambda o, m: [[1], [1, 2]], "shape", "different lengths"),
        (lambda o, m: first(o, m).astype(float), "shape", "returned float64: expected integers"),
        (lambda o, m: first(o, m).astype(object), "shape", "returned object"),
        (lambda o, m: ["a"] * len(o), "shape", "returned <U1"),
        (lambda o, m: m[:, 0], "shape", "returned bool"),
        (lambda o, m: np.full(len(o), np.nan), "nan", "NaN in 1 of 1 places"),
        (lambda o, m: np.zeros(m.shape) / 0 * m, "nan", "NaN"),
        (lambda o, m: {}["missing"], "error", r"raised KeyError: 'missing' \(test_guard.py, line \d+\)"),
        (lambda o, m: [][1], "error", "raised IndexError"),
        (lambda o, m: exit(3), "error", "raised SystemExit"),
    ],
)
@pytest.mark.filterwarnings("ignore:invalid value")
def test_what_is_no_answer_fails_every_row(answer: Callable[[Any, Any], Any], kind: str, message: str) -> None:
    agent = Plays(answer)
    _, failed, faults = choose(agent, batch_of())
    assert failed.all() and {fault.kind for fault in faults} == {kind}
    assert agent.calls == [4, 1, 1, 1, 1]
    with pytest.raises(AgentFault, match=message):
        raise AgentFault(faults[0])
    assert "\n" not in faults[0].message
    assert ("Traceback" in faults[0].details and "test_guard.py" in faults[0].details) == (kind == "error")


def test_only_the_row_that_raises_fails() -> None:
    batch = batch_of()
    target = batch.observations[5].copy()

    def act(observations: Any, masks: Any) -> Any:
        if (observations == target).all(axis=1).any():
            raise ValueError("I do not\nlike this one")
        return first(observations, masks)

    _, failed, faults = choose(Plays(act), batch)
    assert failed.tolist() == [False, False, True, False]
    assert faults[0].kind == "error" and faults[0].message.startswith("raised ValueError: I do not like this one")


def test_an_error_with_a_note_is_named_by_itself() -> None:
    """Past bug: the note was told in place of the error."""

    def act(observations: Any, masks: Any) -> Any:
        error = ValueError("no plan")
        error.add_note("when serializing list item 3")
        raise error

    _, _, faults = choose(Plays(act), batch_of())
    assert faults[0].message.startswith("raised ValueError: no plan (test_guard.py, line ")
    assert faults[0].details.endswith("ValueError: no plan\nwhen serializing list item 3\n")


def test_an_agent_that_can_only_do_one_at_a_time_plays() -> None:
    """After its first failure it is asked for few at once, instead of failing at many each time."""
    batch = batch_of()
    agent = Plays(lambda o, m: first(o, m) if len(o) == 1 else None)
    chooser = agents.guarded(agent)
    for _ in range(3):
        actions, failed = chooser.choose(batch, np.arange(8), np.random.default_rng(0))
        assert not failed.any() and (actions == batch.action_masks.argmax(axis=1)).all()
    assert agent.calls == [8] + [1] * 24 and chooser.faults == []


@pytest.mark.parametrize("kind", ["act", "act_states"])
def test_an_agent_that_writes_into_what_it_is_given(kind: str) -> None:
    batch = batch_of()
    before = batch.states.tobytes(), batch.observations.tobytes(), batch.action_masks.tobytes(), batch.to_play.tobytes()

    class Scribbler:
        name = "scribbler"

        def __init__(self) -> None:
            setattr(self, kind, self._write)

        def _write(self, one: Any, two: Any, rng: Any) -> Any:
            one[...] = np.zeros(1, one.dtype)[0]
            two[...] = True
            return np.zeros(len(one), np.int64)

    chooser = agents.guarded(Scribbler())
    _, failed = chooser.choose(batch, ROWS, np.random.default_rng(0))
    assert (failed == ~batch.action_masks[ROWS, 0]).all() and failed.any(), "judged by the true masks"
    after = batch.states.tobytes(), batch.observations.tobytes(), batch.action_masks.tobytes(), batch.to_play.tobytes()
    assert before == after


def test_many_games_have_more_time_than_one_but_not_without_end() -> None:
    agent = Plays(first)
    agent.patience = None  # type: ignore[attr-defined]
    given = []
    for count in (1, 3, 7):
        agents.guarded(agent, seconds=2.0).choose(batch_of(), np.arange(count), np.random.default_rng(0))
        given.append(agent.patience)  # type: ignore[attr-defined]
    assert given == [2.0, 6.0, 12.0]


def test_ctrl_c_passes() -> None:
    def act(observations: Any, masks: Any) -> Any:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        choose(Plays(act), batch_of())


@pytest.mark.parametrize("kind", ["timeout", "crash"])
def test_after_three_strikes_it_is_not_asked_any_more(kind: str) -> None:
    def act(observations: Any, masks: Any) -> Any:
        raise AgentFault(Fault(kind, "it again"))

    batch, agent = batch_of(), Plays(act)
    chooser = agents.guarded(agent)
    _, failed = chooser.choose(batch, np.arange(5), np.random.default_rng(0))
    assert failed.all() and len(agent.calls) == 1 + STRIKES
    _, failed = chooser.choose(batch, np.arange(8), np.random.default_rng(0))
    assert failed.all() and len(agent.calls) == 1 + STRIKES
    assert [fault.message for fault in chooser.faults[:STRIKES]] == ["it again"] * STRIKES
    rest = {fault.message for fault in chooser.faults[STRIKES:]}
    assert rest == {"not asked any more after 3 timeouts or crashes; the last: it again"}
    assert len(chooser.faults) == 5 + 8


def test_close_is_passed_on() -> None:
    agent = Plays(first)
    agents.guarded(agent).close()
    agent.close = lambda: agent.calls.append(-1)  # type: ignore[attr-defined]
    agents.guarded(agent).close()
    assert agent.calls == [-1]


def test_what_is_right_already_is_not_copied() -> None:
    answer = np.arange(3)
    assert integers(answer, 3) is answer
