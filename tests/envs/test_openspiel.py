"""Games as OpenSpiel sees them: its own tests, strings and copies, what a player knows, and the probabilities of chance."""

import copy
import pickle
import subprocess
import sys
from collections import defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import react_env
from react_env.engine.game import Game
from react_env.errors import IllegalAction, OptionError, StateError, UnsupportedOption
from react_env.registry import GAMES, describe
from tests import toy
from tests.arts_of_war.positions import kit, load, passive
from tests.conftest import DECKS

pytest.importorskip("pyspiel")
import pyspiel
from open_spiel.python import rl_environment
from open_spiel.python.algorithms import generate_playthrough

from react_env.envs.openspiel import SpielGame, SpielState

SMALL: dict[str, Any] = {"edition": "small", "max_turns": 1}
TINY = "react_env_arts_of_war(edition=small,max_turns=1)"
NAMED = [
    "react_env_arts_of_war(max_turns=6)",
    "react_env_arts_of_war(chance=seed,max_turns=6)",
    "react_env_fight_sequence(max_sequences=1)",
]


@pytest.fixture(scope="module")
def small() -> SpielGame:
    """The small edition with a single turn: 315 histories."""
    return SpielGame(react_env.load("arts_of_war-v0", **SMALL))


def walk(state: Any, depth: int = 100) -> Iterator[Any]:
    """This state and every state below it, down to `depth` actions from here."""
    yield state
    if depth and not state.is_terminal():
        for action in state.legal_actions():
            yield from walk(state.child(action), depth - 1)


def random_states(game: SpielGame, seed: int) -> Iterator[Any]:
    """The states of one random game, including chance nodes and the end."""
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


@pytest.mark.parametrize("players", [2, 4, pytest.param(8, marks=pytest.mark.long)])
def test_returns_of_any_number_of_players_have_a_sum_of_zero(players: int) -> None:
    """OpenSpiel checks the sum to nine digits, which thirds and sevenths in float32 would miss."""
    game = SpielGame(react_env.load("react_fast-v0", players=players, max_placements=400))
    sums = []
    for seed in range(3):
        *_, last = random_states(game, seed)
        sums.append(sum(last.returns()))
        assert set(last.returns()) in ({1.0, -1 / (players - 1)}, {0.0})
    assert max(map(abs, sums)) < 1e-12


@pytest.mark.parametrize("options", [SMALL, {"edition": "small"}, {"artists": ("animator", "tagger")}])
def test_random_games_with_a_node_for_each_card_pass_them(options: dict[str, Any]) -> None:
    game = SpielGame(react_env.load("arts_of_war-v0", **options), chance="cards")
    pyspiel.random_sim_test(game, num_sims=1, serialize=False, verbose=False)


@pytest.mark.parametrize("name", NAMED)
def test_random_games_pass_them_with_serialization(name: str) -> None:
    pyspiel.random_sim_test(pyspiel.load_game(name), num_sims=1, serialize=True, verbose=False)


@pytest.mark.parametrize("name", [TINY, NAMED[2]])
def test_a_playthrough_is_the_same_again(name: str) -> None:
    """All chance is in the history: whatever the seed, the text of a game follows from its actions."""
    text = generate_playthrough.playthrough(name, None, seed=1)
    actions = [int(line.split()[1]) for line in text.splitlines() if line.startswith("action:")]
    assert generate_playthrough.playthrough(name, actions, seed=2) == text
    assert generate_playthrough.playthrough(name, None, seed=2) != text
    assert "InformationStateTensor" not in text and "PublicObservation" not in text  # these are not offered


def test_information_states_have_no_tensor(small: SpielGame) -> None:
    """Past bug: the tensor was empty, and Deep CFR learned from it without a warning."""
    state = small.new_initial_state()
    assert not small.get_type().provides_information_state_tensor
    for ask in (
        small.information_state_tensor_shape,
        small.information_state_tensor_size,
        small.information_state_tensor_layout,
        state.information_state_tensor,
        lambda: state.information_state_tensor(1),
    ):
        with pytest.raises(
            UnsupportedOption, match=r"has no information state tensor, .* use information_state_string"
        ):
            ask()


def test_an_environment_of_openspiel_plays() -> None:
    environment = rl_environment.Environment(NAMED[2])
    step = environment.reset()
    while not step.last():
        step = environment.step([step.observations["legal_actions"][step.observations["current_player"]][0]])
    assert sum(step.rewards) == 0


def test_shimmy_plays() -> None:
    """Shimmy's environments load the game again by its short name and configuration, and draw chance from their own seed."""
    shimmy = pytest.importorskip("shimmy.openspiel_compatibility")
    from pettingzoo.test import api_test

    def start(seed: int) -> Any:
        made = shimmy.OpenSpielCompatibilityV0(game_name="react_env_fight_sequence", config={"max_sequences": 2})
        made.reset(seed=seed)
        return made

    assert start(1).game_state.history() == start(1).game_state.history() != start(2).game_state.history()
    api_test(start(1), num_cycles=100)


# ------------------------------------------------------------------------------------------------------------ parameters


def test_every_option_is_a_parameter() -> None:
    for game_id in GAMES:
        game = SpielGame(react_env.load(game_id))
        known = game.get_type().parameter_specification
        options = describe(game_id).part("config").model_fields
        assert set(options) < set(known), game_id
        assert game.get_type().short_name in pyspiel.registered_names()
        loaded = pyspiel.load_game(game.get_type().short_name)
        assert isinstance(loaded, SpielGame) and loaded.rules.rules_hash == game.rules.rules_hash
        assert loaded.get_type() == game.get_type()


OPTIONS: list[tuple[str, dict[str, Any]]] = [
    ("arts_of_war-v0", {}),
    ("arts_of_war-v0", {"artists": ("animator", "tagger"), "first_player": 1, "allow_mirror": True}),
    ("arts_of_war-v0", {"artists": "random", "edition": "small"}),
    ("arts_of_war-v0", {"edition": "small", "rows": 5, "cols": 4, "first_game_hand": False, "first_player": "random"}),
    ("arts_of_war-v0", {"start_zones": ("a1", "e5"), "max_turns": 60, "trigger_order": "zones"}),
    ("fight_sequence-v0", {"decks": (str(DECKS / "every_effect.yaml"), "academy_default"), "max_sequences": 4}),
    ("fight_sequence-v0", {"first_player": 0, "timed_shift_itself": False}),
    ("react_fast-v0", {"players": 2, "forbidden": (("Jewelry #2", "Coins #4"), ())}),
    ("reality_tcg-v0", {"decks": "random", "pool": ("rush", "wall", "feast"), "deck_out": "lose"}),
]


@pytest.mark.parametrize(("game_id", "options"), OPTIONS)
def test_a_game_is_loaded_again_by_its_string(game_id: str, options: dict[str, Any]) -> None:
    game = SpielGame(react_env.load(game_id, **options), chance="seed", max_game_length=500)
    again = pyspiel.load_game(str(game))
    assert again.rules.rules_hash == game.rules.rules_hash and again.max_game_length() == 500
    assert str(again) == str(game) and again == game and again.max_chance_outcomes() == 256
    assert pyspiel.load_game(game.get_type().short_name, game.get_parameters()) == game


@pytest.mark.parametrize("folder", ["a, b (c)=50%", "über\\[x]", "1"])
def test_a_path_that_a_game_string_could_not_hold(folder: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / folder).mkdir()
    for name in ("my, fencer.yaml", "board.yaml"):
        source = Path(react_env.__file__).parent / "games/arts_of_war/editions/small" / name.replace("my, ", "")
        (tmp_path / folder / name).write_bytes(source.read_bytes())
    monkeypatch.chdir(tmp_path)
    artists = (str(Path(folder) / "my, fencer.yaml"), "dj")
    for edition in (str(tmp_path / folder), Path(folder), f"./{folder}"):
        game = SpielGame(react_env.load("arts_of_war-v0", artists=artists, edition=edition))
        again = pyspiel.load_game(str(game))
        assert again.rules.rules_hash == game.rules.rules_hash and again == game


def test_one_word_or_a_number_is_a_number() -> None:
    for parameter, option in ((-1, "random"), (0, 0), (1, 1)):
        game = pyspiel.load_game(f"react_env_fight_sequence(first_player={parameter})")
        assert game.rules.options.get("first_player", "random") == option


@pytest.mark.parametrize(
    ("text", "error", "message"),
    [
        ("react_env_arts_of_war(artists=nobody dancer)", OptionError, "unknown artist 'nobody'"),
        ("react_env_arts_of_war(max_turns=0)", OptionError, "option max_turns: .* greater than or equal to 1; found 0"),
        ("react_env_fight_sequence(first_player=2)", OptionError, "option first_player: .*found 2"),
        (
            "react_env_fight_sequence(given=deck_size deck)",
            OptionError,
            "given: 'deck' is not an option of fight_sequence",
        ),
        (
            "react_env_fight_sequence(chance=cards)",
            OptionError,
            "the chance of fight_sequence-v0 has not been made explicit",
        ),
        ("react_env_fight_sequence(max_game_length=0)", OptionError, "from 1 to 2147483647, not 0"),
        ("react_env_fight_sequence(decksize=30)", pyspiel.SpielError, "Unknown parameter 'decksize'.*deck_size"),
        ("react_env_fight_sequence(deck_size=many)", pyspiel.SpielError, "deck_size. Expected type: kInt"),
    ],
)
def test_a_wrong_parameter_is_told(text: str, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        pyspiel.load_game(text)


# ------------------------------------------------------------------------------------------------------------ copies

COPIES: dict[str, Callable[[Any], Any]] = {
    "clone": lambda state: state.clone(),
    "copy": copy.copy,
    "deepcopy": copy.deepcopy,
    "pickle": lambda state: pickle.loads(pickle.dumps(state)),
    "serialize": lambda state: state.get_game().deserialize_state(state.serialize()),
    "with the game": lambda state: pyspiel.deserialize_game_and_state(
        pyspiel.serialize_game_and_state(state.get_game(), state)
    )[1],
}


@pytest.mark.parametrize("name", [TINY, NAMED[2]])
@pytest.mark.parametrize("way", COPIES)
def test_a_copy_goes_on_as_the_original(name: str, way: str) -> None:
    states = [state.clone() for state in random_states(pyspiel.load_game(name), seed=2)]
    history = states[-1].history()
    for at in {0, 3, len(states) // 2, len(states) - 1}:
        made = COPIES[way](states[at])
        assert (
            isinstance(made, SpielState) and made.history() == history[:at] and made.get_game() == states[0].get_game()
        )
        for n, action in enumerate(history[at:], at):
            assert str(made) == str(states[n]) and made.legal_actions() == states[n].legal_actions()
            made.apply_action(action)
        assert made.is_terminal() and made.returns() == states[-1].returns()
        for player in range(2):
            assert made.information_state_string(player) == states[-1].information_state_string(player)
        assert states[at].history() == history[:at]


@pytest.mark.parametrize("name", [TINY, NAMED[2]])
def test_a_copied_game_is_the_same_game(name: str) -> None:
    game = pyspiel.load_game(name)
    for made in (
        copy.copy(game),
        copy.deepcopy(game),
        pickle.loads(pickle.dumps(game)),
        pyspiel.deserialize_game(game.serialize()),
    ):
        assert isinstance(made, SpielGame) and made == game and made.rules.rules_hash == game.rules.rules_hash


def test_another_process_reads_what_was_pickled_and_ends_in_peace(tmp_path: Path) -> None:
    """It knows the games without importing anything, and OpenSpiel, which outlives the interpreter, does not crash at exit."""
    state = pyspiel.load_game(TINY).new_initial_state()
    state.apply_action(0)
    (tmp_path / "state").write_bytes(pickle.dumps((state.get_game(), state)))
    code = "import pickle, sys; game, state = pickle.load(open(sys.argv[1], 'rb')); print(game, state.history(), state)"
    made = subprocess.run([sys.executable, "-c", code, tmp_path / "state"], capture_output=True, text=True, check=False)
    assert (made.returncode, made.stdout.strip()) == (0, f"{state.get_game()} [0] {state}"), made.stderr


def test_a_state_of_other_rules_is_refused() -> None:
    one, other = (pyspiel.load_game(f"react_env_arts_of_war(edition=small,max_turns={turns})") for turns in (1, 2))
    data = one.new_initial_state().serialize()
    assert one.deserialize_state(data).history() == []
    with pytest.raises(StateError, match=f"other rules .{one.rules.rules_hash}, here {other.rules.rules_hash}"):
        other.deserialize_state(data)


# ------------------------------------------------------------------------------------------------------------ states


def test_a_state_is_what_the_record_says(game: Game) -> None:
    spiel = SpielGame(game)
    for state in random_states(spiel, seed=1):
        if state.is_chance_node():
            continue
        assert state.is_terminal() == (game.terminated(state.record) or game.truncated(state.record))
        if state.is_terminal():
            assert state.returns() == pytest.approx(game.rewards(state.record).tolist(), abs=1e-6)
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


@pytest.mark.parametrize("name", ["react_env_reality_tcg", "react_env_arts_of_war"])
@pytest.mark.parametrize("outcome", [300, 9999])
def test_an_outcome_that_there_is_not_is_refused(name: str, outcome: int) -> None:
    state = pyspiel.load_game(name).new_initial_state()
    assert state.is_chance_node()
    with pytest.raises(IllegalAction, match="is not an outcome of this chance node"):
        state.apply_action(outcome)
    state.apply_action(state.chance_outcomes()[0][0])


@pytest.mark.parametrize(
    "name", ["react_env_arts_of_war", "react_env_arts_of_war(chance=seed)", "react_env_fight_sequence"]
)
def test_no_history_is_longer_than_the_game_says(name: str) -> None:
    """A game that would be longer by its own rules is cut, with 0 for both players."""
    game = pyspiel.load_game(f"{name.removesuffix(')')}{',' if '(' in name else '('}max_game_length=7)")
    *_, end = random_states(game, seed=0)
    assert end.is_terminal() and end.returns() == [0.0, 0.0] and not end.record["over"] and end.legal_actions() == []
    assert len(actions_of(end)) == game.max_game_length() == 7
    assert len(end.history()) <= game.max_history_length() == 7 + game.max_chance_nodes_in_history()
    pyspiel.random_sim_test(game, num_sims=1, serialize=False, verbose=False)


def test_the_chance_nodes_of_a_long_game_are_not_more_than_it_says() -> None:
    """With `full_hand_spares_deck_out` off, a player who never plays a card draws the whole deck."""
    game = SpielGame(react_env.load("arts_of_war-v0", full_hand_spares_deck_out=False, max_turns=200), chance="cards")
    *_, end = random_states(game, seed=0)
    assert len(end.history()) - len(actions_of(end)) <= game.max_chance_nodes_in_history() == 3 + 60


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
    """That is, the cards that the other player has drawn, and whether that player's pass was a choice."""
    hidden, forced = 0, 0
    for (player, _), states in decisions(small).items():
        hands = {tuple(state.record["hand"][1 - player].tolist()) for state in states}
        own = {tuple(state.record["hand"][player].tolist()) for state in states}
        assert len(own) == 1
        hidden += len(hands) > 1
        forced += len({len(actions_of(state)) for state in states}) > 1
    assert hidden > 40 and forced > 5


def test_what_a_player_remembers_makes_a_difference() -> None:
    """After different ways to a position the observation may be the same, but the information state is not."""
    game = SpielGame(toy.load(max_turns=6))
    most = 0
    for seed in range(8):
        ends: dict[tuple[float, ...], set[str]] = defaultdict(set)
        for state in walk(game.state_of(game.rules.new(seed=seed)), 4):
            if len(actions_of(state)) == 4 and state.current_player() == 0:
                ends[tuple(state.observation_tensor(0))].add(state.information_state_string(0))
        most = max(most, *map(len, ends.values()), 0)
    assert most > 1


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
    """Who begins and both first hands of a full-sized game come as often as in 10,000 games of the engine."""
    game = react_env.load("arts_of_war-v0", artists=("calligrapher", "dancer"))
    state = SpielGame(game, chance="cards").new_initial_state()
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
        state = SpielGame(game, chance="cards").new_initial_state()
        for _ in range(1 + player):
            state.apply_action(state.chance_outcomes()[0][0])
        for outcome, probability in state.chance_outcomes():
            after = state.child(outcome)
            hand = np.bincount(after.record["deck"][player][26:], minlength=4)
            expected[player, tuple(hand.tolist())] = probability
    assert set(seen) <= set(expected)
    for key, probability in expected.items():
        spread = (probability * (1 - probability) / games) ** 0.5
        assert abs(seen[key] / games - probability) < 5 * spread, key


DRAWS = (passive("setup", "[{draw: 1}, {choose_zone: {as: z, where: {}}}]", "Look"),)


@pytest.mark.parametrize("rival", ["dancer", kit("ben", passives=DRAWS)])
def test_a_card_seen_in_the_set_up_is_any_of_the_deck(rival: Any) -> None:
    """The card is drawn before the opening hand is dealt."""
    game = SpielGame(load(kit("ann", passives=DRAWS), rival, first_player=0), chance="cards")
    state = game.new_initial_state()
    while str(state) != "chance: what player_0 draws":
        state.apply_action(state.chance_outcomes()[0][0])
    copies = game.rules.tables[0]["card_copies"][0, :4]
    assert [probability for _, probability in state.chance_outcomes()] == pytest.approx(copies / 30)
    state.apply_action(2)
    assert state.record["hand"][0].tolist() == [0, 0, 1, 0]
    begun = next(
        state for state in random_states(game, seed=0) if len(actions_of(state)) == (1 if rival == "dancer" else 2)
    )
    while begun.is_chance_node():
        begun.apply_action(begun.chance_outcomes()[0][0])
    assert begun.record["hand"][0].sum() == 6  # including the opening hand and the draw of the turn


def test_chance_says_what_it_draws() -> None:
    """Each chance node's question, with its first outcome or with its last."""
    game = SpielGame(react_env.load("arts_of_war-v0", artists=("calligrapher", "dancer")), chance="cards")
    found = []
    for which in (0, -1):
        state = game.new_initial_state()
        told = []
        while state.is_chance_node():
            outcome = state.chance_outcomes()[which][0]
            told.append((str(state), state.action_to_string(outcome)))
            state.apply_action(outcome)
        found.append(told)
    hands = [f"chance: the opening hand of player_{player}" for player in (0, 1)]
    draws = [f"chance: what player_{player} draws" for player in (0, 1)]
    assert found == [
        [
            ("chance: who begins", "player_0 begins"),
            (hands[0], "player_0 is dealt 4 Ink Shadow"),
            (hands[1], "player_1 is dealt 4 Cutting Scales"),
            (draws[0], "player_0 draws Flowing Ink"),
            (draws[1], "player_1 draws Pivoting Step"),
        ],
        [
            ("chance: who begins", "player_1 begins"),
            (hands[0], "player_0 is dealt 4 Flowing Ink"),
            (hands[1], "player_1 is dealt 4 Pivoting Step"),
            (draws[0], "player_0 draws Ink Shadow"),
            (draws[1], "player_1 draws Cutting Scales"),
        ],
    ]


@pytest.mark.parametrize("first", [0, 1])
@pytest.mark.parametrize(
    ("edition", "question"), [("standard", "the opening hand of player_0"), ("small", "what player_0 draws")]
)
def test_chance_does_not_draw_what_the_options_say(edition: str, question: str, first: int) -> None:
    """That is, who begins, and in the small edition the first hand."""
    state = SpielGame(react_env.load("arts_of_war-v0", edition=edition, first_player=first)).new_initial_state()
    assert str(state) == f"chance: {question}"
    while state.is_chance_node():
        state.apply_action(state.chance_outcomes()[0][0])
    assert state.record["first"] == state.current_player() == first


def test_a_card_is_drawn_from_what_is_left() -> None:
    """A small deck of 26 cards, 14 of one kind and 12 of the other, less the cards already drawn."""
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
    """All chance together, over all histories: the exact value of uniform play agrees with 40,000 random games of a batch."""

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


def test_a_seed_is_drawn_byte_by_byte() -> None:
    """The bytes are the first state of the random stream of the engine's game, and all are equally likely."""
    game = SpielGame(react_env.load("fight_sequence-v0"))
    state = game.new_initial_state()
    start = 0
    for byte in (0, 200, 3, 255, 17, 0, 96, 131):
        assert state.is_chance_node() and state.chance_outcomes() == [(n, 1 / 256) for n in range(256)]
        state.apply_action(byte)
        start = start * 256 + byte
    assert state.record.tobytes() == game.rules.new(start=start).tobytes()
    assert len(state.history()) == game.max_chance_nodes_in_history() == 8


@pytest.mark.parametrize(
    ("game", "why"),
    [
        (lambda: react_env.load("fight_sequence-v0"), "the chance of fight_sequence-v0 has not been made explicit"),
        (lambda: react_env.load("arts_of_war-v0", artists="random"), "name two artists"),
        (
            lambda: react_env.load(
                "arts_of_war-v0", artists=("calligrapher", "tests/arts_of_war/editions/clockmaker.yaml")
            ),
            "Clockmaker rolls dice",
        ),
        (lambda: load(kit("ann", passives=DRAWS), "dancer", first_game_hand=True), "Ann can draw cards in the set-up"),
    ],
)
def test_chance_that_cannot_be_listed_is_refused(game: Any, why: str) -> None:
    with pytest.raises(OptionError, match=why):
        SpielGame(game(), chance="cards")
    assert SpielGame(game()).max_chance_outcomes() == 256


def test_an_unknown_kind_of_chance_is_refused(small: SpielGame) -> None:
    with pytest.raises(OptionError, match="'cards' or 'seed', not 'lucky'"):
        SpielGame(small.rules, chance="lucky")  # type: ignore[arg-type]
