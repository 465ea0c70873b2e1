"""What holds at every decision of whole random games: nothing leaks, no card is lost, no game gets stuck, the bytes never differ."""

from __future__ import annotations

import itertools
import re
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

import react_env
from react_env.engine.batch import seed_words
from react_env.games.fight_sequence import state as S
from react_env.games.fight_sequence.actions import A_PASS
from tests.fight_sequence.manners import CHOOSERS, passing
from tests.fight_sequence.test_against_reference import ACADEMY, EVERY, OTHER_RULES, PAIRS, SHORT
from tests.fight_sequence.test_against_reference import load as load_pair
from tests.properties import (
    Chooser,
    assert_frequent,
    assert_leak_is_caught,
    assert_no_leak,
    assert_same_bytes,
    assert_seats_are_alike,
    decisions,
    digest,
    play_many,
    seen,
    uncompiled,
    uniform,
    whole_games,
)
from tests.tables import trusting

Case = tuple[tuple[str, str], dict[str, Any]]  # decks and options

SEAT = ("turn", 11)  # which player the observer is
SEEDS = st.integers(0, 2**32)
STANDARD: Case = ((ACADEMY, ACADEMY), {})
FACE_DOWN: list[Case] = [
    ((ACADEMY, ACADEMY), {"damage_discards": "face_down"}),
    ((EVERY, EVERY), {"damage_discards": "face_down", "return_optional": True}),
    ((SHORT, SHORT), {"damage_discards": "face_down", "deck_size": 12}),
]
# All pairs of decks, every option, and damage that discards face down.
CASES: list[Case] = [*PAIRS]
CASES += [(pair, needed | rules) for (pair, needed), rules in zip(itertools.cycle(PAIRS), OTHER_RULES)]
CASES += FACE_DOWN


def load(case: Case, **more: Any) -> Any:
    pair, rules = case
    return load_pair(pair, tuple((rules | more).items()))


def named(case: Case) -> str:
    """The name of a case in test ids."""
    pair, rules = case
    return "-".join([*(Path(path).stem for path in pair), *rules])


# ---------------------------------------------------------------------------------------------------------------- leaks


@pytest.mark.rule("FS-I1", "FS-I2", "FS-I3", "FS-I4")
@pytest.mark.parametrize("case", CASES, ids=named)
@whole_games(2)
@given(seed=SEEDS, chooser=st.sampled_from(CHOOSERS))
def test_nothing_leaks(case: Case, seed: int, chooser: Chooser) -> None:
    game = load(case)
    for number, state in enumerate(decisions(game, seed, choose=chooser)):
        assert_no_leak(game, state, seed + number)


def test_a_leak_is_caught() -> None:
    """Observations that leak: cards of the opponent's hand, of either deck or face down, or the random stream."""
    game = load(FACE_DOWN[0])
    looks = (
        lambda state, player: state["hand"][1 - player, :8].any(),
        lambda state, player: state["hand"][1 - player, 2],
        lambda state, player: state["deck"][player, max(state["deck_size"][player] - 1, 0)],
        lambda state, player: state["deck"][1 - player, 0],
        lambda state, player: face_down(game.tables[0]["copies"], state[None])[0, player, :10].sum() % 2,
        lambda state, player: state["rng"] % 2,
    )
    for look in looks:
        assert_leak_is_caught(game, look, seed=3)


@pytest.mark.slow
@pytest.mark.rule("FS-I3")
@pytest.mark.parametrize("case", [STANDARD, PAIRS[3], *FACE_DOWN], ids=named)
def test_nothing_tells_what_was_drawn_or_put_back(case: Case) -> None:
    """The opponent sees the same whichever card is put on the deck, and whichever card of whichever deck a pass draws.

    A world drawn anew keeps the events, so the tests above would not notice an event that tells too much.
    """
    game = load(case)
    compared: Counter[int] = Counter()
    for seed in range(12):
        for number, state in enumerate(decisions(game, seed, choose=passing)):
            if state["over"] or state["decision"] not in (S.D_BUILD, S.D_PUT_BACK):
                continue
            opponent = 1 - game.to_play(state)
            if state["decision"] == S.D_PUT_BACK:
                tried = [(state, int(action)) for action in game.legal_actions(state)]
            elif state["turns"] and not state["passes"]:
                tried = [(alike, A_PASS) for alike in (state, game.determinize(state, opponent, number))]
            else:
                continue
            views = []
            for before, action in tried:
                after = game.copy(before)
                game.step(after, action)
                views.append(seen(game, after, opponent) if game.to_play(after) == opponent or action != A_PASS else [])
            if all(views):
                compared[int(state["decision"])] += 1
                assert all(view == views[0] for view in views), game.text(state)
    assert compared[S.D_BUILD] > 10 and compared[S.D_PUT_BACK] > 10, compared


def test_such_games_reach_everything_that_is_known() -> None:
    """The games above often have cards known to be in hand or put back, cards face down, and questions about a Willpower."""
    met: Counter[str] = Counter()
    for number in (*range(90), 121):  # the last one for a rare case: both
        case = FACE_DOWN[number % 3] if number % 2 else STANDARD
        for state in decisions(load(case), number, choose=CHOOSERS[number // 6 % 5]):
            held, loose = known(state)
            met["held"] += bool(held.any())
            met["loose"] += bool(loose.any())
            for name in ("buried_size", "undrawn", "token", "ward"):
                met[name] += bool(state[name].any())
            met["both"] += bool(held.any() and loose.any())
            met["dark"] += bool((state["undrawn"] * state["buried_size"]).any())
            met["asked"] += state["decision"] == S.D_WILLPOWER and not state["over"]
    assert len(met) == 9 and all(met.values()) and sum(count > 20 for count in met.values()) == 8, met


# ---------------------------------------------------------------------------------------------------------------- worlds

# Ten cards of four kinds, numbered from 0: Axe, Bow, Cup and Dish; the last two have a Willpower.
SMALL = ("Axe", 3, {"armor": 1}), ("Bow", 2, {"block": "magical"}), ("Cup", 3, "willpower"), ("Dish", 2, "willpower")
AXE, BOW, CUP, DISH = range(4)
# Where player 1's cards lie: decks from the bottom, then in `back` the cards that were put back on top. All others are discarded.
SITUATIONS: dict[str, dict[str, Any]] = {
    "plain": {"hand": [AXE, BOW], "deck": [AXE, CUP]},
    "returned": {"hand": [AXE, BOW], "known": [AXE], "deck": [AXE, CUP, DISH]},
    "two copies returned": {"hand": [AXE, AXE, BOW], "known": [AXE, AXE], "deck": [AXE, CUP]},
    "put back": {"hand": [AXE], "deck": [BOW, CUP], "back": [AXE]},
    "returned, then put back": {"hand": [AXE, BOW], "loose": [AXE], "deck": [CUP], "back": [AXE, DISH]},
    "two returned, then put back": {"hand": [AXE, BOW], "loose": [AXE, DISH], "deck": [CUP], "back": [AXE, DISH]},
    "all returned, then put back": {"hand": [BOW], "loose": [AXE, BOW], "deck": [CUP, AXE], "back": [AXE]},
    "returned before and after": {"hand": [AXE, BOW], "known": [AXE], "loose": [CUP], "deck": [DISH], "back": [CUP]},
    "face down": {"hand": [AXE], "deck": [BOW, CUP], "buried": [AXE, CUP]},
    "face down, returned": {"hand": [AXE, BOW], "known": [BOW], "deck": [CUP], "buried": [AXE, BOW]},
    "face down, put back": {"hand": [AXE], "loose": [CUP], "deck": [BOW], "back": [CUP], "buried": [AXE, BOW]},
    "asked": {"hand": [AXE, CUP], "deck": [AXE, BOW, CUP], "asked": True},
    "asked, returned": {"hand": [AXE, CUP], "known": [AXE], "deck": [AXE, BOW, DISH], "asked": True},
    "asked, Willpower returned": {"hand": [CUP, AXE], "known": [CUP], "deck": [AXE, BOW], "asked": True},
    "asked, put back": {"hand": [CUP, AXE], "loose": [CUP], "deck": [BOW, DISH], "back": [AXE], "asked": True},
    "asked, face down": {"hand": [CUP, AXE], "deck": [BOW], "buried": [DISH, AXE], "asked": True},
    "asked, last Willpower": {"hand": [CUP], "deck": [AXE, BOW, AXE], "buried": [AXE], "asked": True},
}
OWN: dict[str, Any] = {"hand": [AXE, CUP], "deck": [BOW, CUP], "back": [DISH], "buried": [AXE]}
DRAWS = 5000


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """A match of two decks of ten cards."""
    cards = [
        {"name": name, "copies": copies, "speed": 10, "power": 1, "type": "physical", "response": response}
        for name, copies, response in SMALL
    ]
    file = tmp_path_factory.mktemp("decks") / "small.yaml"
    file.write_text(yaml.safe_dump({"format": 1, "id": "small", "name": "Small", "version": 1, "cards": cards}))
    return trusting(react_env.load("fight_sequence-v0", decks=file, deck_size=10, damage_discards="face_down"))


def arrange(state: Any, player: int, lies: dict[str, Any]) -> None:
    """Lay the cards of a player where `lies` says, and all others into the discard pile."""
    counts = np.zeros((5, S.CARDS), np.int8)
    deck = [*lies["deck"], *lies.get("back", [])]
    for row, cards in zip(
        counts, (lies["hand"], lies.get("known", []), lies.get("loose", []), lies.get("buried", []), deck)
    ):
        np.add.at(row, cards, 1)
    state["hand"][player], state["known"][player] = counts[0], counts[1] + S.LOOSE * counts[2]
    state["discard"][player] = 0
    state["discard"][player, : len(SMALL)] = [copies for _, copies, _ in SMALL]
    state["discard"][player] -= counts[0] + counts[3] + counts[4]
    state["deck"][player] = 0
    state["deck"][player, : len(deck)] = deck
    for name, cards in (("hand", lies["hand"]), ("deck", deck), ("buried", lies.get("buried", []))):
        state[f"{name}_size"][player] = len(cards)
    state["undrawn"][player] = len(lies.get("back", []))


def position(game: Any, lies: dict[str, Any]) -> Any:
    """A position with player 1's cards as in `lies` and player 0's as in `OWN`; perhaps player 1 is asked about a Willpower."""
    state = game.new(seed=0)
    arrange(state, 0, OWN)
    arrange(state, 1, lies)
    if lies.get("asked"):
        state["phase"], state["decision"], state["to_play"] = S.PH_RESOLVE, S.D_WILLPOWER, 1
        state["pending"][1] = 1
    assert_sound(game.tables[0]["copies"], state[None])
    return state


def drawn_worlds(states: Any, player: int) -> list[Any]:
    """The hidden part of each position: a player's hand, deck and face-down cards."""
    kinds = len(SMALL)
    copies = np.zeros(S.CARDS, int)
    copies[:kinds] = [number for _, number, _ in SMALL]
    hands, decks = states["hand"][:, player, :kinds].tolist(), states["deck"][:, player].tolist()
    sizes, down = states["deck_size"][:, player].tolist(), face_down(copies, states)[:, player, :kinds].tolist()
    return [(tuple(h), tuple(d[:size]), tuple(f)) for h, d, size, f in zip(hands, decks, sizes, down)]


def worlds(lies: dict[str, Any], own: bool) -> Counter[Any]:
    """Every world of that player and its weight: the number of ways in which single cards can lie in the hidden places; known ones stay."""
    fixed = lies["hand"] if own else lies.get("known", [])
    back, buried = lies.get("back", []), lies.get("buried", [])
    held, deep = len(lies["hand"]) - len(fixed), len(lies["deck"])
    cards = [*lies["hand"], *lies["deck"], *buried, *([] if own else back)]
    for card in fixed:
        cards.remove(card)
    loose = [] if own else lies.get("loose", [])
    for card in loose:
        cards.remove(card)
    cards = [*loose, *cards]
    places = ["hand"] * held + ["deck"] * deep + ["buried"] * len(buried) + ([] if own else ["back"] * len(back))
    found: Counter[Any] = Counter()
    for order in itertools.permutations(range(len(places))):
        if any(places[order[i]] not in ("hand", "back") for i in range(len(loose))):
            continue
        at = {place: cards[i] for i, place in enumerate(order)}
        lying: dict[str, list[int]] = {"hand": [*fixed], "deck": [], "buried": [], "back": [*back] if own else []}
        for place in range(len(places)):
            lying[places[place]].append(at[place])
        if lies.get("asked") and not own and not {CUP, DISH} & set(lying["hand"]):
            continue
        hand, down = ([lying[name].count(kind) for kind in range(len(SMALL))] for name in ("hand", "buried"))
        found[tuple(hand), tuple(lying["deck"] + lying["back"]), tuple(down)] += 1
    return found


@pytest.mark.rule("FS-I1", "FS-I2", "FS-I3", "FS-I4")
@pytest.mark.parametrize("lies", SITUATIONS.values(), ids=SITUATIONS)
def test_determinize_is_uniform(small: Any, lies: dict[str, Any]) -> None:
    """A world is drawn as often as its weight says, for both players, and whichever the true one is: chi-square, 0.1 %."""
    state = position(small, lies)
    drawn = np.zeros(DRAWS, small.state_dtype)
    other = state
    for seed in range(DRAWS):
        drawn[seed] = found = small.determinize(state, 0, seed)
        assert found.tobytes() == small.determinize(other, 0, seed).tobytes(), "it depends on what is hidden"
        other = found
    assert_frequent(Counter(drawn_worlds(drawn, 1)), worlds(lies, own=False))
    assert_frequent(Counter(drawn_worlds(drawn, 0)), worlds(OWN, own=True))


@pytest.mark.rule("FS-I2")
def test_both_players_worlds_are_independent(small: Any) -> None:
    """The world drawn for the opponent's cards tells nothing about one's own deck."""
    state = position(small, {"hand": [AXE], "deck": [CUP]})
    drawn = np.array([small.determinize(state, 0, seed) for seed in range(DRAWS)], small.state_dtype)
    both = Counter(zip(drawn_worlds(drawn, 1), drawn_worlds(drawn, 0)))
    theirs, mine = worlds({"hand": [AXE], "deck": [CUP]}, own=False), worlds(OWN, own=True)
    assert_frequent(both, {(a, b): theirs[a] * mine[b] for a in theirs for b in mine})


@pytest.mark.parametrize("case", [STANDARD, *FACE_DOWN], ids=named)
def test_drawn_worlds_are_sound(case: Case) -> None:
    """They hold the right cards, what is known to be somewhere stays there, and they can be played to the end."""
    game = load(case)
    copies = game.tables[0]["copies"]
    for seed in range(6):
        for number, state in enumerate(decisions(game, seed, choose=CHOOSERS[seed % 5])):
            for player in (0, 1):
                drawn = game.determinize(state, player, number)
                assert_sound(copies, drawn[None])
                size, back = drawn["deck_size"][player], drawn["undrawn"][player]
                assert (drawn["hand"][player] == state["hand"][player]).all()
                assert (drawn["deck"][player, size - back : size] == state["deck"][player, size - back : size]).all()
            if number % 20 == 0:
                rng = np.random.default_rng(number)
                while not drawn["over"]:
                    game.step(drawn, uniform(rng, game.legal_actions(drawn).tolist()))
                assert_sound(copies, drawn[None])


# ---------------------------------------------------------------------------------------------------------------- cards


def face_down(copies: Any, states: Any) -> Any:
    """(games, players, cards): how many copies of each card can only lie face down in the discard pile."""
    total = states["hand"].astype(np.int64) + states["discard"] + built(states)
    for player in range(S.PLAYERS):
        in_deck = np.arange(S.DECK) < states["deck_size"][:, player, None]
        np.add.at(total[:, player], (np.arange(len(states))[:, None], states["deck"][:, player]), in_deck)
    return copies - total


def built(states: Any) -> Any:
    """(games, players, cards): how many copies of each card lie in the sequence."""
    total = np.zeros(states["hand"].shape, np.int64)
    for player in range(S.PLAYERS):
        in_row = (np.arange(S.SLOTS) < states["slots"][:, None]) & (states["slot_owner"] == player)
        np.add.at(total[:, player], (np.arange(len(states))[:, None], states["slot_card"]), in_row)
    return total


def known(states: Any) -> tuple[Any, Any]:
    """(..., players, cards): copies known to be in hand, and others known to be there or among the cards put back."""
    return states["known"] % S.LOOSE, states["known"] // S.LOOSE


def assert_sound(copies: Any, states: Any) -> None:
    """No card is lost or new, sizes are right, and what is known to be somewhere is there."""
    for name, cards in (("hand", states["hand"]), ("buried", face_down(copies, states))):
        assert (cards.sum(axis=2) == states[f"{name}_size"]).all() and (cards >= 0).all(), "a card is lost or new"
    assert (states["discard"] >= 0).all()
    assert ((0 <= states["undrawn"]) & (states["undrawn"] <= states["deck_size"])).all()
    held, loose = known(states)
    assert (held <= states["hand"]).all()
    there = states["hand"].astype(np.int64)
    place = np.arange(S.DECK)
    for player in range(S.PLAYERS):
        size, back = states["deck_size"][:, player, None], states["undrawn"][:, player, None]
        np.add.at(
            there[:, player],
            (np.arange(len(states))[:, None], states["deck"][:, player]),
            (size - back <= place) & (place < size),
        )
        assert not states["deck"][:, player][place >= size].any(), "nothing is left where no card lies"
    assert (held + loose <= there).all() and (held + loose + built(states) <= S.SLOTS).all()
    assert not loose[states["undrawn"] == 0].any()


@pytest.mark.slow
@pytest.mark.rule("FS-W1")
@pytest.mark.parametrize("case", [*PAIRS, *FACE_DOWN], ids=named)
def test_cards_are_kept_and_no_log_line_is_lost(case: Case) -> None:
    """This holds at every decision and at the end; the record's log has room for all that happens in one step."""
    game = load(case)
    copies = game.tables[0]["copies"]
    batch = game.batch(256, seed=17)
    words = seed_words(18, len(batch))
    longest, ended = 0, 0
    while ended < 300:
        before = batch.states.copy()
        actions = batch.random_actions(words)
        batch.step(actions)
        over = batch.terminated | batch.truncated
        assert_sound(copies, batch.states)
        longest = max(longest, int((batch.states["events"].astype(int) - before["events"])[~over].max(initial=0)))
        for i in np.flatnonzero(over):  # the batch has already dealt the next game
            events = int(before[i]["events"])
            game.step(before[i], int(actions[i]))
            assert_sound(copies, before[i : i + 1])
            longest = max(longest, int(before[i]["events"]) - events)
        ended += int(over.sum())
    assert longest <= S.EVENTS, longest


# ---------------------------------------------------------------------------------------------------------------- no dead ends

MANY: list[Case] = [STANDARD, PAIRS[1], PAIRS[3], FACE_DOWN[2]]


@pytest.mark.parametrize("case", MANY, ids=named)
def test_no_dead_ends(case: Case) -> None:
    ends = play_many(load(case), 8_000, seed=5)
    assert ends["won"] > 6_000 and ends["tied"] and not ends["truncated"], ends


@pytest.mark.long
@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize("case", CASES, ids=named)
def test_no_dead_ends_in_millions_of_games(case: Case, seed: int) -> None:
    play_many(load(case), 20_000, seed=100 + seed)


@pytest.mark.rule("FS-C4")
def test_short_games_are_truncated() -> None:
    ends = play_many(load(STANDARD, max_sequences=2), 4_000, seed=6)
    assert ends["truncated"] > 1_000, ends


def test_record_is_small() -> None:
    assert S.STATE.itemsize <= 800


# ---------------------------------------------------------------------------------------------------------------- views


def swapped(line: str) -> str:
    """A log line with the players in each other's seats."""
    return re.sub(r"player_([01])", lambda found: f"player_{1 - int(found[1])}", line)


@pytest.mark.parametrize("case", CASES, ids=named)
@whole_games(2)
@given(seed=SEEDS)
def test_seats_are_alike(case: Case, seed: int) -> None:
    """The same game with the players in each other's seats looks the same to each of them, except for the seat's number."""
    pair, rules = case
    one, two = load((pair, rules), first_player=0), load((pair[::-1], rules), first_player=1)
    a, b = one.new(seed=seed), two.new(seed=seed)
    for name in ("hand", "deck", "deck_size"):
        b[name] = a[name][::-1]
    assert_seats_are_alike((one, two), (a, b), seed, SEAT)
    assert one.log_lines(a) == [swapped(line) for line in two.log_lines(b)]


# ---------------------------------------------------------------------------------------------------------------- determinism


@pytest.mark.parametrize("case", [STANDARD, PAIRS[1], *FACE_DOWN], ids=named)
def test_same_bytes(case: Case) -> None:
    assert_same_bytes(load(case), 11)


@pytest.mark.slow
def test_same_bytes_uncompiled() -> None:
    cases = [PAIRS[1], FACE_DOWN[2]]
    found = uncompiled(__name__, f"[digest(load(case), 12, 'batch', 150) for case in {cases!r}]")
    assert found == repr([digest(load(case), 12, "batch", 150) for case in cases])
