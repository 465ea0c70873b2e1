"""Rules of Re;ACT, chapter six: what players know (AW-I1, AW-I2). test_properties.py tests the same in whole games."""

from __future__ import annotations

import itertools
from collections import Counter
from typing import Any

import numpy as np
import pytest

import react_env
from react_env.games.arts_of_war import log
from react_env.games.arts_of_war import state as S
from react_env.games.arts_of_war.observation import observe
from tests.arts_of_war.positions import TOKENS, Table, ability, intention, kit, reaction, table
from tests.properties import assert_frequent


@pytest.mark.rule("AW-I1")
def test_what_is_hidden_and_what_is_public() -> None:
    t = table("calligrapher", "dancer")
    t.give(0, "Flowing Ink", "Flowing Ink")
    t.give(1, "Slipstream", "Pivoting Step")
    t.state["discard"][1, 1] = 2
    own, other = t.game.status_lines(t.state, 0)[1:3]
    assert "hand 2: Flowing Ink x2; deck 20" in own
    assert "hand 2; deck 20; hidden: Pivoting Step x6, Calling Step x5, Slipstream x6, Cutting Scales x5; " in other
    assert other.endswith("; discard 2: Calling Step x2")
    watched = t.game.status_lines(t.state, 1)
    assert "hand 2: Pivoting Step, Slipstream" in watched[2] and "hand 2; deck" in watched[1]
    assert "to move" in t.game.text(t.state, 0) and "to move" not in t.game.text(t.state, 1)


@pytest.mark.rule("AW-I1")
def test_neither_hand_nor_order_of_the_decks_can_be_seen() -> None:
    """If the opponent's hidden cards are dealt otherwise, and one's own deck is in another order, a player sees no difference."""
    t = table("calligrapher", "dancer")
    t.give(0, "Flowing Ink")
    t.give(1, "Slipstream", "Pivoting Step")
    other = table("calligrapher", "dancer")
    other.give(0, "Flowing Ink")
    other.give(1, "Calling Step", "Calling Step")
    other.deck(0, *[t.card_names(0)[i // 5] for i in range(20)])
    deck = [t.card_names(1)[i % 4] for i in range(20)] + ["Slipstream", "Pivoting Step"]
    for _ in range(2):
        deck.remove("Calling Step")
    other.deck(1, *reversed(deck))
    assert (t.game.observe(t.state, 0) == t.game.observe(other.state, 0)).all()
    assert (t.game.observe(t.state, 1) != t.game.observe(other.state, 1)).any()
    assert t.game.text(t.state, 0) == t.game.text(other.state, 0)
    assert t.game.text(t.state, 1) != t.game.text(other.state, 1)
    assert (t.game.action_mask(t.state) == t.game.action_mask(other.state)).all()


@pytest.mark.rule("AW-I1")
def test_what_determinize_redraws() -> None:
    """It redraws the opponent's hand and both decks; all else stays."""
    t = table("calligrapher", "dancer")
    t.give(0, "Flowing Ink", "Ink Shadow")
    t.give(1, "Slipstream", "Pivoting Step", "Slipstream")
    for player in (0, 1):
        copies = [t.game.determinize(t.state, player, seed) for seed in range(30)]
        for name in t.state.dtype.names:
            same = all(np.array_equal(copy[name], t.state[name]) for copy in copies)
            assert same == (name not in ("rng", "deck", "hand")), name
        for q in (0, 1):  # the order of both decks is drawn anew
            assert len({copy["deck"][q].tobytes() for copy in copies}) > 20
        for copy in copies:
            assert copy["hand"][player].tolist() == t.state["hand"][player].tolist()
            assert copy["hand"][1 - player].sum() == t.state["hand"][1 - player].sum()
            for q in (0, 1):
                cards = [
                    sorted([*s["deck"][q][: s["deck_size"][q]].tolist(), *np.repeat(range(4), s["hand"][q]).tolist()])
                    for s in (copy, t.state)
                ]
                assert cards[0] == cards[1]


# ---------------------------------------------------------------------------------------------------------------- hands that are known

SEER = kit("ben", One=[reaction()], Two=[reaction()], Three=[intention()]) | {"face_down": 2}
REACTS = (True, True, False, False)


@pytest.mark.rule("AW-S3", "AW-I1")
@pytest.mark.parametrize("edition", ["standard", "small"])
def test_an_opening_hand_that_all_have_seen_is_still_held(edition: str) -> None:
    """Every guess has one of each card, until one of its kind has been played or discarded."""
    game = react_env.load("arts_of_war-v0", edition=edition, first_game_hand=True)
    rng = np.random.default_rng(3)
    left = Counter[bool]()
    for seed in range(8):
        state = game.new(seed=seed)
        while not state["over"] and state["turn"] < 4:
            for player in (0, 1):
                gone = state["discard"][1 - player].copy()
                for i in range(int(state["chain_size"])):
                    if state["chain"]["player"][i] != player and state["chain"]["card"][i] < 4:
                        gone[state["chain"]["card"][i]] += 1
                guess = game.determinize(state, player, seed)["hand"][1 - player]
                assert (guess >= np.maximum(1 - gone, 0)).all() and guess.sum() == state["hand"][1 - player].sum()
                left[bool(gone.any())] += 1
            game.step(state, int(rng.choice(game.legal_actions(state))))
    assert min(left[False], left[True]) > 20


def worlds(known: list[int], unseen: list[int], promised: int, old: int, fresh: int, laid: int) -> Counter[Any]:
    """(Cards laid face down, hand, deck by its cards) of every world, listed by hand: each way to place the unseen cards, once.

    The hand has `promised` unseen cards with a Reaction, `old` others, and `fresh` that were drawn after the `laid` ones were laid.
    """
    found: Counter[Any] = Counter()
    cards = [*known, *unseen]
    places = range(len(known), len(cards))
    for sure in itertools.combinations([i for i in places if REACTS[cards[i]]], promised):
        for rest in itertools.combinations([i for i in places if i not in sure], old):
            held = [*range(len(known)), *sure, *rest]
            free = [i for i in places if i not in held]
            for late in itertools.combinations(free, fresh):
                for below in itertools.permutations([i for i in held if REACTS[cards[i]]], laid):
                    hand = Counter(cards[i] for i in [*held, *late] if i not in below)
                    deck = Counter(cards[i] for i in free if i not in late)
                    key = tuple(cards[i] for i in below), *(tuple(where[c] for c in range(4)) for where in (hand, deck))
                    found[key] += 1
    return found


@pytest.mark.rule("AW-S3", "AW-I1")
@pytest.mark.parametrize(
    ("known", "promised", "old", "fresh", "laid"),
    [
        ([0, 1, 2, 3], 0, 1, 0, 0),
        ([0, 3], 0, 2, 0, 1),
        ([0, 1, 2], 0, 1, 0, 2),
        ([1, 2], 0, 1, 1, 1),
        ([], 1, 2, 0, 0),
        ([1], 1, 1, 1, 1),
        ([], 1, 1, 1, 2),
    ],
)
def test_every_world_is_as_likely(known: list[int], promised: int, old: int, fresh: int, laid: int) -> None:
    """Known and unseen cards, in hand and face down, against a list of all worlds: chi-square, 0.1 %."""
    t = table(kit("ann"), SEER, first_game_hand=True)
    unseen = [0, 0, 1, 2, 2, 3]
    names = t.card_names(1)
    # A true world, which must not matter. Cards that all saw in the opening hand and that are not known to be held have been discarded.
    sure = [c for c in unseen if REACTS[c]][:promised]
    rest = list((Counter(unseen) - Counter(sure)).elements())
    held = [*known, *sure, *rest[:old]]
    below = [c for c in held if REACTS[c]][:laid]
    late = rest[old : old + fresh]
    t.give(1, *(names[c] for c in [*(Counter(held) - Counter(below)).elements(), *late]))
    t.deck(1, *(names[c] for c in rest[old + fresh :]))
    for slot, card in enumerate(below, start=1):
        t.state.face_down[slot], t.state.face_down_player[slot] = card, 1
    t.state.discard[1] = [int(c not in known) for c in range(4)]
    t.state.known_reactions[1], t.state.fresh[1] = promised, fresh
    counts: Counter[Any] = Counter()
    for seed in range(4000):
        s = t.game.determinize(t.state, 0, seed)
        deck = Counter(s["deck"][1, : s["deck_size"][1]].tolist())
        lie = tuple(s["face_down"][1 : laid + 1].tolist())
        counts[lie, tuple(s["hand"][1].tolist()), tuple(deck[c] for c in range(4))] += 1
    assert_frequent(counts, worlds(known, unseen, promised, old, fresh, laid))


@pytest.mark.rule("AW-I1")
def test_the_deck_has_any_order_while_a_card_lies_face_down() -> None:
    """One of two Reactions lies there, and the other three cards are the deck: chi-square, 0.1 %."""
    t = table(kit("ann"), SEER)
    t.deck(1, *t.card_names(1)[1:])
    t.state.face_down[1], t.state.face_down_player[1] = 0, 1
    counts: Counter[Any] = Counter()
    for seed in range(3000):
        s = t.game.determinize(t.state, 0, seed)
        counts[int(s["face_down"][1]), *s["deck"][1, :3].tolist()] += 1
    assert_frequent(counts, Counter(order for order in itertools.permutations(range(4)) if REACTS[order[0]]))


@pytest.mark.rule("AW-I1")
def test_of_two_face_down_cards_one_is_the_own() -> None:
    """A player's own card stays; the other is one of the opponent's cards, of which there are as many of each as before."""
    t = table(kit("ann", Zero=[intention()], One=[reaction()]) | {"face_down": 1}, SEER)
    t.give(1, "Two", "Three")
    t.state.face_down[1:3], t.state.face_down_player[2] = (1, 0), 1
    for seed in range(20):
        s = t.game.determinize(t.state, 0, seed)
        lie = s["face_down"].tolist()
        assert lie[1] == 1 and REACTS[lie[2]]
        theirs = [lie[2], *np.repeat(range(4), s["hand"][1]), *s["deck"][1, : s["deck_size"][1]]]
        assert np.bincount(theirs).tolist() == [6, 6, 6, 5]


@pytest.mark.rule("AW-I1")
def test_who_is_about_to_lay_a_card_knows_it() -> None:
    t = table(kit("ann", Go=[intention()]), SEER)
    t.give(0, "Go")
    t.give(1, "One", "Two", "Three")
    t.do("play Go", "lay Two face down")
    for seed in range(20):
        s = t.game.determinize(t.state, 1, seed)
        assert s["frame"].tobytes() == t.state["frame"].tobytes() and s["hand"][1].tolist() == [1, 1, 1, 0]


@pytest.mark.rule("AW-I1")
@pytest.mark.parametrize(("hand", "promised"), [([], 0), ([0], 0), ([1], 1)])
def test_cards_drawn_since_others_were_laid_may_have_left_the_hand(hand: list[int], promised: int) -> None:
    """More were drawn than are held now; the card that lies face down was held before all of these."""
    t = table(kit("ann"), SEER)
    names = t.card_names(1)
    t.give(1, *(names[c] for c in hand))
    t.deck(1, *(names[c] for c in (0, 1, 1, 2, 3)))
    t.state.face_down[1], t.state.face_down_player[1] = 0, 1
    t.state.known_reactions[1], t.state.fresh[1] = promised, 2
    lies = set()
    for seed in range(40):
        s = t.game.determinize(t.state, 0, seed)
        assert s["hand"][1].sum() == len(hand) and s["deck_size"][1] == 5
        lies.add(names[s["face_down"][1]])
        assert REACTS[s["face_down"][1]]
        assert promised <= sum(REACTS[c] for c in (*np.flatnonzero(s["hand"][1]), s["face_down"][1]))
    assert len(lies) > 1


def after_a_lay(*cards: str, **rules: Any) -> Table:
    """A position in which player 1 has laid One face down in the last slot, and taken it back after the chain."""
    t = table(kit("ann", Go=[intention()]), SEER, **rules)
    t.give(0, "Go", "Go")
    t.give(1, *cards)
    t.do("play Go", "lay One face down", "slot 5").passes()
    assert t.log[-1] == "player_1 takes back a face-down card"
    return t


@pytest.mark.rule("AW-I1")
def test_a_card_that_comes_back_has_a_reaction() -> None:
    """The hand is known to hold a Reaction until a card with a Reaction leaves it."""
    t = after_a_lay("One", "Three", "Three")
    guesses = [t.game.determinize(t.state, 0, seed)["hand"][1] for seed in range(60)]
    assert min(guess[:2].sum() for guess in guesses) == 1 and len({guess.tobytes() for guess in guesses}) > 3
    t.do("play Go", "play One").passes()
    guesses = [t.game.determinize(t.state, 0, seed)["hand"][1] for seed in range(60)]
    assert min(guess[:2].sum() for guess in guesses) == 0


@pytest.mark.rule("AW-S3", "AW-I1")
def test_a_card_that_comes_back_may_be_a_known_one() -> None:
    """It was one of the two known Reactions, for all that can be told: nothing is known of the fifth card."""
    t = after_a_lay("One", "Two", "Three", "Blank 1", "Three", first_game_hand=True)
    guesses = [t.game.determinize(t.state, 0, seed)["hand"][1] - 1 for seed in range(60)]
    assert all(guess.min() == 0 and guess.sum() == 1 for guess in guesses)
    assert len({guess.tobytes() for guess in guesses}) == 4


@pytest.mark.rule("AW-I1")
def test_what_is_drawn_later_does_not_lie_face_down() -> None:
    """A card drawn while another lies face down is counted until that one is back in hand."""
    seer = kit("ben", One=[reaction("[{draw: 1}]")], Two=[reaction()]) | {"face_down": 1}
    t = table(kit("ann", Go=[intention("[{choose_direction: way}]")]), seer)
    t.give(0, "Go")
    t.give(1, "One", "Two")
    t.do("play Go", "lay Two face down", "slot 5", "play One").passes()
    assert t.state["decision"] == S.D_DIRECTION and t.state["fresh"].tolist() == [0, 1]
    t.do("left")
    assert t.state["fresh"].tolist() == [0, 0] and t.state["known_reactions"].tolist() == [0, 1]
    seen = [t.game.layout.view(t.game.observe(t.state, player), "returned").tolist() for player in (0, 1)]
    assert seen == [[0, 1], [1, 0]]


@pytest.mark.rule("AW-I1", "AW-C7")
def test_the_chain_is_seen_by_both() -> None:
    """Both see whose each card is, which it is, its effect, who uses it, and the locked zone or direction, each from its own side."""
    hit = intention("[{damage: {zone: target}}]", cost="[{choose_zone: {as: target, where: {}}}]")
    answer = reaction("[{move: {unit: me, way: way}}]", cost="[{choose_direction: way}]")
    t = table(kit("ann", Hit=[hit], Answer=[answer]), kit("ben", Answer=[answer]))
    t.give(0, "Hit", "Answer")
    t.give(1, "Answer")
    t.do("play Hit", "zone b5", "play Answer", "left")
    for player, hit_row, answer_row, locked in (
        (0, {0: 1, 2: 1, 12: 1, 13: 1, 15: 5, 16: 2}, {1: 1, 2: 1, 12: 1, 13: 9, 20: 1}, {(21, 0): 1}),
        (1, {1: 1, 2: 1, 12: 1, 13: 9, 15: 1, 16: 4}, {0: 1, 2: 1, 12: 1, 13: 1, 18: 1}, {(3, 1): 1}),
    ):
        out = t.game.observe(t.state, player)
        rows = t.game.layout.view(out, "chain")
        seen = [{int(i): int(row[i]) for i in np.flatnonzero(row)} for row in rows]
        assert seen == [hit_row, answer_row, {}, {}, {}]
        locks = t.game.layout.view(out, "board")[:, 14:16]
        assert {(int(z), int(side)): int(locks[z, side]) for z, side in np.argwhere(locks)} == locked


@pytest.mark.rule("AW-I1", "AW-C7")
def test_what_an_effect_that_runs_is_about_is_seen_by_both() -> None:
    """The unit that uses it, the unit and the two zones it has locked, and all these on the board, with that unit where it stands now."""
    cost = "[{exhaust: me}, {choose_unit: {as: it, where: {}}}, {choose_zone: {as: y, where: {}}}, {choose_zone: {as: z, where: {}}}]"
    point = ability("Imp", "imp", intention("[{choose_direction: way}, {move: {unit: it, way: way}}]", cost))
    away = reaction("[{move: {unit: me, way: way}}]", "[{choose_direction: way}]")
    t = table(kit("ann", point), kit("ben", Away=[away]))
    t.place(0, "imp", "a2")
    t.give(1, "Away")
    t.do("play Imp", "player_1's Ben", "zone b4", "zone d1")
    for passed, ben in ((False, "c5"), (True, "d5")):
        if passed:
            t.do("play Away", "right").passes()
        for player, unit, it, zones in ((0, 2, 9, [4, 2, 1, 4]), (1, 10, 1, [2, 4, 5, 2])):
            out = t.game.observe(t.state, player)
            running = [1 - player, unit, it, *zones, 0] if passed else [0] * 8
            assert t.game.layout.view(out, "running").tolist() == running
            assert t.game.layout.view(out, "chain")[0, -9:].tolist() == [1, unit, it, *zones[2:], 0, 0, 0, 0]
            locked = sorted(24 - t.zone(name) if player else t.zone(name) for name in (ben, "b4", "d1"))
            locks = t.game.layout.view(out, "board")[:, 14:16]
            assert np.argwhere(locks == 1).tolist() == [[zone, player] for zone in locked] and locks.sum() == 3


@pytest.mark.rule("AW-I1", "AW-C7")
@pytest.mark.parametrize("number", range(4))
def test_each_locked_direction_is_seen_from_the_own_side(number: int) -> None:
    """So is a unit locked in the corner."""
    act = intention("[{move: {unit: it, way: way}}]", "[{choose_unit: {as: it, where: {}}}, {choose_direction: way}]")
    t = table(kit("ann", Act=[act]), kit("ben", Answer=[reaction()]))
    t.place(1, "imp", "a1")
    t.give(0, "Act")
    t.give(1, "Answer")
    t.do("play Act", "player_1's Imp 1", ("up", "right", "down", "left")[number])
    for player, way, zone in ((0, number, 0), (1, (number + 2) % 4, 24)):
        out = t.game.observe(t.state, player)
        assert np.flatnonzero(t.game.layout.view(out, "chain")[0, -4:]).tolist() == [way]
        assert np.argwhere(t.game.layout.view(out, "board")[:, 14:16]).tolist() == [[zone, player]]


@pytest.mark.rule("AW-I1")
def test_nobody_has_to_decide_when_the_game_is_over() -> None:
    t = table(kit("ann", Fall=[intention("[defeat]")]), kit("ben"))
    t.give(0, "Fall")
    assert t.game.layout.view(t.game.observe(t.state, 0), "decision").any()
    t.do("play Fall").passes()
    assert t.over and not any(t.game.layout.view(t.game.observe(t.state, p), "decision").any() for p in (0, 1))


@pytest.mark.rule("AW-I1")
def test_the_order_of_the_tiles_that_wait_for_a_cue_is_seen() -> None:
    tiles = {"horn": {"name": "Horn", "pool": 3, "on_cue": [{"exhaust": "me"}]}}
    t = table(kit("ann", tiles=tiles), kit("ben", tiles=tiles))
    t.lay(0, "horn", "c3", "a1")
    t.lay(1, "horn", "e2", "b1", "d5")
    for player in (0, 1):
        seen = t.game.layout.view(t.game.observe(t.state, player), "board")[:, 20:22]
        for owner, zones in enumerate((["c3", "a1"], ["e2", "b1", "d5"])):
            places = [24 - t.zone(name) if player else t.zone(name) for name in zones]
            found = seen[:, int(owner != player)]
            assert found[places].tolist() == [1, 2, 3][: len(zones)] and np.count_nonzero(found) == len(zones)


@pytest.mark.rule("AW-I1")
def test_what_lies_around_the_unit_that_acts_is_seen() -> None:
    """Wall, nothing, my unit, their unit, my tokens and theirs in the zone (12 stands for more), and the steps to their artist."""
    tokens = {**TOKENS, "scale": {**TOKENS["scale"], "pool": 20}}
    step = ability(
        "Imp", "imp", intention("[{move: {unit: me, way: way}}]", "[{choose_direction: way}, {exhaust: me}]")
    )
    t = table(kit("ann", step, tokens=tokens), kit("ben", tokens=dict(reversed(TOKENS.items()))))
    t.place(0, "imp", "a2")
    t.place(1, "imp", "b2", "ink")  # this Ink lies on the unit
    t.strew(0, "scale", "b2", *["a3"] * 13)
    t.strew(0, "block", "b2")
    t.strew(1, "scale", "b2", "a1", "a1", "a1")
    t.strew(1, "block", "b2")
    t.do("play Imp")
    assert t.options() == ["up", "right", "down", "left"]
    up, right, down, left = [0, 1, 0, 0, 12, 0, 4], [0, 0, 0, 1, 2, 2, 4], [0, 1, 0, 0, 0, 3, 6], [1, 0, 0, 0, 0, 0, 0]
    assert t.game.layout.view(t.game.observe(t.state, 0), "ways").tolist() == [up, right, down, left]
    up, right, down = [0, 1, 0, 0, 0, 12, 4], [0, 0, 1, 0, 2, 2, 2], [0, 1, 0, 0, 3, 0, 2]
    assert t.game.layout.view(t.game.observe(t.state, 1), "ways").tolist() == [down, left, up, right]


@pytest.mark.rule("AW-I2")
@pytest.mark.parametrize("holds", [True, False])
def test_a_pass_tells_nothing(holds: bool) -> None:
    t = table(kit("ann"), kit("ben", Answer=[reaction()]))
    t.give(0, "Blank 1", "Blank 1")
    t.give(1, "Answer" if holds else "Blank 1")
    t.do("play Blank 1").passes()
    assert t.log == [
        "player_0 plays Blank 1 (Intention)",
        "player_1 passes",
        "player_0 passes",
        "Blank 1 of player_0 resolves",
    ]


@pytest.mark.rule("AW-I2")
def test_a_forced_pass_is_told_if_so_ruled() -> None:
    for holds, line in ((True, "player_1 passes"), (False, "player_1 cannot react")):
        t = table(kit("ann"), kit("ben", Answer=[reaction()]), forced_passes="announced")
        t.give(0, "Blank 1", "Blank 1")
        t.give(1, "Answer" if holds else "Blank 1")
        t.do("play Blank 1").passes()
        assert t.log[1:3] == [line, "player_0 cannot react"]


@pytest.mark.rule("AW-I2")
def test_the_record_of_a_forced_pass_looks_like_any() -> None:
    """Events and what the opponent sees are the same whether the player could have reacted or not."""
    records = []
    for holds in (True, False):
        t = table(kit("ann", Act=[intention("[{choose_direction: way}]")]), kit("ben", Answer=[reaction()]))
        t.give(0, "Act")
        t.give(1, "Answer" if holds else "Blank 1")
        t.do("play Act").passes()
        records.append((t.state["event"].tolist(), t.game.observe(t.state, 0).tolist()))
    assert records[0] == records[1]


@pytest.mark.rule("AW-I1")
@pytest.mark.parametrize("seat", [0, 1])
def test_the_history_tells_whose_damage_came_to_nothing(seat: int) -> None:
    """It does so whoever's Block it was."""
    strike = [intention("[{damage: {zone: z}}]", "[{choose_zone: {as: z, where: {}}}]")]
    t = table(kit("ann", Strike=strike), kit("ben", Strike=strike), turn_player=seat)
    t.strew(1 - seat, "block", "a3")
    t.give(seat, "Strike", "Strike")
    for kind in (log.E_BLOCKED, log.E_NOTHING):
        t.do("play Strike", "zone a3").passes()
        for player in (seat, 1 - seat):
            seen = t.game.layout.view(t.game.observe(t.state, player), "history")[:, :2].tolist()
            assert [kind, 1 if player == seat else 2] in seen


# What the history shows of each event: which of its letters in `log` are its card, unit, zone and number.
TOLD = {
    "PLAY": ("a", "c", "", "effect"),
    "RESOLVE": ("a", "", "", ""),
    "DISCARD": ("a", "", "", ""),
    "REVEAL": ("a", "", "", ""),
    "FUTILE": ("a", "", "", ""),
    "MOVE": ("", "a", "c", ""),
    "SWAP": ("", "a", "d", ""),
    "DAMAGE": ("", "a", "b", "c"),
    "REMOVED": ("", "a", "b", "c"),
    "SUMMON": ("", "a", "b", "c"),
    "LOCK_UNIT": ("", "a", "b", "c"),
    "UNHARMED": ("", "a", "b", "c"),
    "BLOCKED": ("", "", "a", ""),
    "NOTHING": ("", "", "a", ""),
    "LOCK_ZONE": ("", "", "a", ""),
    "TOKEN_UNIT": ("", "d", "e", "a"),
    "TOKEN_ZONE": ("", "", "d", "a"),
    "TILE": ("", "", "d", "a"),
    "EXHAUST": ("", "b", "c", "a"),
    "DRAW": ("", "", "", "a"),
    "ASCEND": ("", "", "", "a"),
    "COUNTER": ("", "", "", "b"),
    "ROLL": ("", "", "", "b"),
    "FACE_DOWN": ("", "", "", "slot"),
}


@pytest.mark.rule("AW-I1")
@pytest.mark.parametrize("kind", [name[2:] for name in dir(log) if name.startswith("E_") and name != "E_NONE"])
def test_the_history_shows_each_event_from_the_own_side(kind: str) -> None:
    """AW-I1: kind, mine (1) or theirs (2), card + 1, unit + 1, zone + 1 and number; 0 for what the event does not have."""
    game = react_env.load("arts_of_war-v0", artists=("calligrapher", "dancer"))
    states = np.array([game.new(seed=1)], game.state_dtype)
    letters = {"a": 5, "b": 6, "c": 7, "d": 8, "e": 9}
    effect = int(game.tables[0]["effect_number"][letters["b"]])
    more = {"PLAY": effect, "FACE_DOWN": 1}.get(kind, 0)
    states["events"] = 0
    log.emit(states[0], getattr(log, f"E_{kind}"), 1, *letters.values(), more)
    card, unit, zone, number = TOLD.get(kind, ("", "", "", ""))
    given = {**letters, "effect": effect, "slot": letters["a"] + 1}
    for player in range(2):
        out = np.zeros(game.layout.size, np.int8)
        observe(states[0], game.tables[0], player, out)
        seen_unit = (given[unit] + 8 * player) % 16 + 1 if unit else 0
        seen_zone = (24 - given[zone] if player else given[zone]) + 1 if zone else 0
        expected = [getattr(log, f"E_{kind}"), 2 - player, given[card] + 1 if card else 0, seen_unit, seen_zone]
        shown = game.layout.view(out, "history")
        assert shown[0].tolist() == [*expected, given[number] if number else 0] and not shown[1:].any()
