"""Games as OpenSpiel sees them: its own tests, what a player knows, and chance as nodes with the right probabilities."""

from collections import defaultdict
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import react_env
from react_env.engine.game import Game
from react_env.errors import IllegalAction, OptionError
from tests import toy

pytest.importorskip("pyspiel")
import pyspiel

from react_env.envs.openspiel import SpielGame, SpielState

SMALL: dict[str, Any] = {"edition": "small", "max_turns": 1}


@pytest.fixture(scope="module")
def small() -> SpielGame:
    """The small edition with a single turn: 315 histories."""
    return SpielGame(react_env.load("arts_of_war-v0", **SMALL))


def walk(state: Any, depth: int = 100) -> Iterator[Any]:
    """Every state below this one, itself included, to so many actions from here."""
    yield state
    if depth and not state.is_terminal():
        for action in state.legal_actions():
            yield from walk(state.child(action), depth - 1)


def random_states(game: SpielGame, seed: int) -> Iterator[Any]:
    """The states of one random game, chance nodes and the end included."""
    rng = np.random.default_rng(seed)
    state = game.new_initial_state()
    yield state
    while not state.is_terminal():
        if state.is_chance_node():
            outcomes, probabilities = zip(*state.chance_outcomes())
            state.apply_action(rng.choice(outcomes, p=probabilities))
        else:
            state.apply_action(rng.choice(state.legal_actions()))
        yield state


# ------------------------------------------------------------------------------------------------------------ OpenSpiel's own tests


def test_random_games_pass_the_checks_of_openspiel(game: Game) -> None:
    pyspiel.random_sim_test(SpielGame(game), num_sims=1, serialize=False, verbose=False)


@pytest.mark.parametrize("options", [SMALL, {"edition": "small"}, {"artists": ("animator", "tagger")}])
def test_random_games_with_explicit_chance_pass_them(options: dict[str, Any]) -> None:
    game = SpielGame(react_env.load("arts_of_war-v0", **options), chance="explicit")
    assert game.get_type().chance_mode == pyspiel.GameType.ChanceMode.EXPLICIT_STOCHASTIC
    pyspiel.random_sim_test(game, num_sims=1, serialize=False, verbose=False)


# ------------------------------------------------------------------------------------------------------------ states


def test_a_state_is_what_the_record_says(game: Game) -> None:
    spiel = SpielGame(game)
    for state in random_states(spiel, seed=1):
        if state.is_chance_node():
            continue
        assert state.is_terminal() == (game.terminated(state.record) or game.truncated(state.record))
        if state.is_terminal():
            assert state.returns() == game.rewards(state.record).tolist()
            break
        player = state.current_player()
        assert player == game.to_play(state.record)
        assert state.legal_actions() == game.legal_actions(state.record).tolist()
        assert state.observation_tensor(player) == game.observe(state.record, player).tolist()
        assert state.returns() == [0.0] * game.num_players
        action = state.legal_actions()[0]
        assert state.action_to_string(player, action) == game.action_text(state.record, action)


def test_a_child_leaves_its_parent_as_it_was(small: SpielGame) -> None:
    for state in walk(small.new_initial_state()):
        if state.is_terminal():
            continue
        before = (str(state), state.current_player(), state.legal_actions())
        for action in state.legal_actions():
            state.child(action)
        assert (str(state), state.current_player(), state.legal_actions()) == before


def test_an_illegal_action_is_refused_and_changes_nothing(small: SpielGame) -> None:
    state = next(state for state in random_states(small, seed=0) if not state.is_chance_node())
    before = state.information_state_string(0)
    with pytest.raises(IllegalAction, match="legal"):
        state._apply_action(small.num_distinct_actions() - 1)
    assert state.information_state_string(0) == before


def test_a_state_can_be_made_of_a_record() -> None:
    game = toy.load()
    record = game.new(seed=3)
    state = SpielGame(game).state_of(record)
    assert state.legal_actions() == game.legal_actions(record).tolist() and not state.is_chance_node()


# ------------------------------------------------------------------------------------------------------------ information


def decisions(game: SpielGame) -> dict[tuple[int, str], list[SpielState]]:
    """Every decision of the game by (player to move, information state string)."""
    found = defaultdict(list)
    for state in walk(game.new_initial_state()):
        if not state.is_terminal() and not state.is_chance_node():
            player = state.current_player()
            found[player, state.information_state_string(player)].append(state.clone())
    return found


def test_one_information_state_means_one_observation_and_the_same_choices(small: SpielGame) -> None:
    sets = decisions(small)
    assert sum(len(states) > 1 for states in sets.values()) > 40
    for (player, _), states in sets.items():
        assert len({tuple(state.legal_actions()) for state in states}) == 1
        assert len({tuple(state.observation_tensor(player)) for state in states}) == 1
        assert len({state.observation_string(player) for state in states}) == 1
        assert len({tuple(a for p, a in actions_of(state) if p == player) for state in states}) == 1


def actions_of(state: Any) -> list[tuple[int, int]]:
    """(player, action) of the history, without chance."""
    return [(step.player, step.action) for step in state.full_history() if step.player >= 0]


def test_what_only_the_other_knows_makes_no_difference(small: SpielGame) -> None:
    """The cards that the other has drawn, and whether a pass of the other was a choice."""
    hidden, forced = 0, 0
    for (player, _), states in decisions(small).items():
        hands = {tuple(state.record["hand"][1 - player].tolist()) for state in states}
        own = {tuple(state.record["hand"][player].tolist()) for state in states}
        assert len(own) == 1
        hidden += len(hands) > 1
        forced += len({len(actions_of(state)) for state in states}) > 1
    assert hidden > 40 and forced > 5


def test_what_a_player_remembers_makes_a_difference() -> None:
    """Two ways to the same position: the observation of the longer game may be the same, the information state is not."""
    game = SpielGame(toy.load(max_turns=6))
    root = game.new_initial_state()
    root.apply_action(0)
    ends: dict[tuple[float, ...], set[str]] = defaultdict(set)
    for state in walk(root, 4):
        if len(actions_of(state)) == 4 and state.current_player() == 0:
            ends[tuple(state.observation_tensor(0))].add(state.information_state_string(0))
    assert max(map(len, ends.values())) > 1


def test_a_resampled_state_looks_the_same(small: SpielGame) -> None:
    rng = np.random.default_rng(0)
    hands = set()
    for seed in range(5):
        for state in random_states(small, seed):
            if state.is_chance_node() or state.is_terminal():
                continue
            player = state.current_player()
            for _ in range(4):
                other = state.resample_from_infostate(player, rng.random)
                assert other.information_state_string(player) == state.information_state_string(player)
                assert other.legal_actions() == state.legal_actions()
                hands.add((player, tuple(other.record["hand"][1 - player].tolist())))
    assert len(hands) > 3


# ------------------------------------------------------------------------------------------------------------ chance


def test_the_deal_has_the_probabilities_of_the_engine() -> None:
    """Who begins, both first hands and the first draws of a full-sized game, as often as in 10,000 games of the engine."""
    game = react_env.load("arts_of_war-v0", artists=("calligrapher", "dancer"))
    state = SpielGame(game, chance="explicit").new_initial_state()
    expected: dict[Any, float] = defaultdict(float)
    steps = []
    while state.is_chance_node():
        steps.append(state.chance_outcomes())
        assert sum(probability for _, probability in steps[-1]) == pytest.approx(1.0)
        state.apply_action(steps[-1][0][0])
    assert len(steps) == 5 and [len(step) for step in steps[:3]] == [2, 35, 35]

    games = 10_000
    seen: dict[Any, int] = defaultdict(int)
    for seed in range(games):
        opening = game.opening(seed)
        seen["first", opening["first_player"]] += 1
        for player in range(2):
            seen[player, tuple(opening["hands"][player])] += 1
    for outcome, probability in steps[0]:
        expected["first", outcome] = probability
    for player in range(2):
        state = SpielGame(game, chance="explicit").new_initial_state()
        for _ in range(1 + player):
            state.apply_action(state.chance_outcomes()[0][0])
        for outcome, probability in state.chance_outcomes():
            after = state.child(outcome)
            expected[player, tuple(after.record["hand"][player].tolist())] = probability
    assert set(seen) <= set(expected)
    for key, probability in expected.items():
        spread = (probability * (1 - probability) / games) ** 0.5
        assert abs(seen[key] / games - probability) < 5 * spread, key


def test_a_card_is_drawn_from_what_is_left() -> None:
    """A small deck of 26 cards, 14 of one kind and 12 of the other, less what was drawn before."""
    state = SpielGame(react_env.load("arts_of_war-v0", edition="small")).new_initial_state()
    state.apply_action(0)
    assert [p for _, p in state.chance_outcomes()] == pytest.approx([14 / 26, 12 / 26])
    state.apply_action(0)
    assert [p for _, p in state.chance_outcomes()] == pytest.approx([13 / 26, 13 / 26])
    state.apply_action(1)
    state.apply_action(0)  # player 0 ends the turn, and player 1 progresses the masterpiece
    state.apply_action(state.legal_actions()[0])
    state.apply_action(state.legal_actions()[0])
    assert state.is_chance_node() and [p for _, p in state.chance_outcomes()] == pytest.approx([13 / 25, 12 / 25])


def test_random_play_is_worth_as_much_as_in_the_engine(small: SpielGame) -> None:
    """All chance together, over all histories: the value of uniform play against 40,000 random games of a batch."""

    def value(state: Any) -> float:
        if state.is_terminal():
            return float(state.returns()[0])
        if state.is_chance_node():
            return sum(p * value(state.child(outcome)) for outcome, p in state.chance_outcomes())
        actions = state.legal_actions()
        return sum(value(state.child(action)) for action in actions) / len(actions)

    batch = small.rules.batch(num_games=4000, seed=0)
    words = np.arange(1, 4001, dtype=np.uint64)
    rewards: list[float] = []
    while len(rewards) < 40_000:
        batch.step(batch.random_actions(words))
        rewards += batch.rewards[batch.terminated | batch.truncated, 0].tolist()
    error = float(np.std(rewards)) / len(rewards) ** 0.5
    assert abs(value(small.new_initial_state()) - float(np.mean(rewards))) < 4 * error


def test_sampled_games_follow_their_seed() -> None:
    def start(seed: int) -> list[str]:
        game = SpielGame(react_env.load("fight_sequence-v0"), seed=seed)
        found = []
        for _ in range(3):
            state = game.new_initial_state()
            assert state.chance_outcomes() == [(0, 1.0)]
            state.apply_action(0)
            found.append(state.information_state_string(0))
        return found

    assert start(1) == start(1) != start(2)
    assert len(set(start(1))) == 3


@pytest.mark.parametrize(
    ("game", "why"),
    [
        (lambda: react_env.load("fight_sequence-v0"), "only for arts_of_war-v0"),
        (lambda: react_env.load("arts_of_war-v0", artists="random"), "name two artists"),
        (
            lambda: react_env.load(
                "arts_of_war-v0", artists=("calligrapher", "tests/arts_of_war/editions/clockmaker.yaml")
            ),
            "Clockmaker rolls dice",
        ),
    ],
)
def test_chance_that_cannot_be_listed_is_refused(game: Any, why: str) -> None:
    with pytest.raises(OptionError, match=why):
        SpielGame(game(), chance="explicit")
    assert SpielGame(game()).get_type().chance_mode == pyspiel.GameType.ChanceMode.SAMPLED_STOCHASTIC


def test_an_unknown_kind_of_chance_is_refused(small: SpielGame) -> None:
    with pytest.raises(OptionError, match="'explicit' or 'sampled', not 'lucky'"):
        SpielGame(small.rules, chance="lucky")  # type: ignore[arg-type]
