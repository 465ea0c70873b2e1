"""Rules of Fight Sequence: what players know (FS-I1 to FS-I5, FS-G14)."""

from __future__ import annotations

import numpy as np
import pytest

from react_env.games.fight_sequence import log
from react_env.games.fight_sequence import state as S
from tests.fight_sequence.positions import Table, card, kit, table


def position() -> Table:
    """A position in the middle of a sequence."""
    t = table()
    t.hand(0, "Jab", "Slash")
    t.hand(1, "Dart", "Jab", "Jab")
    t.deck(0, "Thrust", "Missile", "Blast")
    t.deck(1, "Missile", "Thrust", "Lunge", "Spark")
    t.row("0 attacks Lunge", "1 responds Slash")
    t.rest_is_discarded()
    return t


def same_to_see(one: Table, other: Table, player: int) -> bool:
    """Whether that player sees the same in both positions."""
    seen = [t.game.observe(t.state, player).tolist() for t in (one, other)]
    told = [t.game.text(t.state, player) for t in (one, other)]
    assert (seen[0] == seen[1]) == (told[0] == told[1]), "text and observation tell different things"
    return seen[0] == seen[1]


@pytest.mark.rule("FS-I1")
def test_a_hand_is_seen_by_its_owner() -> None:
    t = position()
    assert t.status("player_0", 0).startswith("player_0: hand 2: Jab, Slash; deck 3; ")
    assert t.status("player_0", 1).startswith("player_0: hand 2; deck 3; ")
    assert t.status("player_1", 0).startswith("player_1: hand 3; deck 4; ")
    assert t.status("player_1", 1).startswith("player_1: hand 3: Jab x2, Dart; deck 4; ")
    other = position()  # a card of the hand is swapped with one of the deck
    other.state.hand[1] = 0
    other.state.hand_size[1] = 0
    other.hand(1, "Dart", "Jab", "Spark")
    other.deck(1, "Missile", "Thrust", "Lunge", "Jab")
    assert same_to_see(t, other, 0) and not same_to_see(t, other, 1)
    assert (t.game.action_mask(t.state) == t.game.action_mask(other.state)).all()
    other.hand(1, "Spark")  # but the number of cards is seen
    assert not same_to_see(t, other, 0)


@pytest.mark.rule("FS-I1", "FS-I2", "FS-I5")
def test_what_is_where_by_card() -> None:
    """A player sees its own hand, what is left in its own deck, and what the other's hand and deck hold together."""
    t = position()
    for player in (0, 1):
        seen = {
            name: t.game.layout.view(t.game.observe(t.state, player), name).tolist()
            for name in ("hand", "my_unseen", "my_discard", "their_unseen", "their_discard", "decision")
        }
        mine, theirs = cards(t.state, player), cards(t.state, 1 - player)
        deck = t.state.deck[player, : t.state.deck_size[player]].tolist()
        assert seen["hand"] == t.state.hand[player].tolist() and seen["my_discard"] == t.state.discard[player].tolist()
        assert seen["my_unseen"] == [deck.count(k) for k in range(40)]
        assert [a + b for a, b in zip(seen["hand"], seen["my_unseen"])] == [mine.count(k) for k in range(40)]
        assert seen["their_unseen"] == [theirs.count(k) for k in range(40)]
        assert seen["their_discard"] == t.state.discard[1 - player].tolist()
        assert seen["decision"] == [int(player == t.to_play), 0, 0, 0, 0]  # whose turn it is to build


@pytest.mark.rule("FS-I5")
def test_how_the_sequence_stands() -> None:
    """Both see the same, except for who has the initiative and which player they are."""
    t = table()
    t.row("0 attacks Jab", "1 attacks Missile")
    t.state.sequence, t.state.passes, t.state.claimed, t.state.initiative = 200, 1, 1, 1
    for i, phase in enumerate((S.PH_BUILD, S.PH_RESOLVE, S.PH_CLEANUP)):
        t.state.phase = phase
        where = [int(i == j) for j in range(3)]
        for player, whose in ((0, [0, 1]), (1, [1, 0])):
            seen = t.game.layout.view(t.game.observe(t.state, player), "turn").tolist()
            assert seen == [127, 2, 1, *whose, 1, *where, 4, 7, player]


@pytest.mark.rule("FS-I5")
def test_the_actions_in_the_sequence() -> None:
    """Whose each is, whether it attacks or responds, which one resolves, and what it does: Speed 4, Power 3, physical, ..."""
    t = table()
    t.row("0 attacks Slash", "1 responds Blast", "0 attacks Divert", "1 attacks Gale Force")
    t.hand(0, "Spark")
    t.resolve().do("return Slash")  # then player 0 is asked about the damage
    assert t.to_play == 0
    for player in (0, 1):
        seen = t.game.layout.view(t.game.observe(t.state, player), "sequence")
        shown = [{int(i): int(row[i]) for i in np.flatnonzero(row)} for row in seen]
        zero, one = player, 1 - player  # the index that says whose it is: 0 mine, 1 theirs
        assert shown == [
            {one: 1, 3: 1, 18: 3, 23: 1},  # Resistance +3
            {zero: 1, 2: 1, 5: 3, 6: 3, 8: 1, 9: 2, 16: 1, 23: 1},  # an immediate Shift of range 1
            {one: 1, 2: 1, 4: 1, 5: 2, 6: 4, 7: 1, 10: 1, 22: 1},  # a Return of any, which resolves now
            *[{}] * 6,
        ]


@pytest.mark.rule("FS-I5")
def test_the_numbers_of_both_players() -> None:
    """Each player sees its own numbers before the other's."""
    t = position()
    t.tokens(0, armor=3)
    t.tokens(1, resistance=6)
    t.state.undrawn, t.state.buried_size, t.state.ward, t.state.pending = (1, 2), (3, 4), (0, 2), (5, 0)
    rows = [[2, 3, 1, 35, 3, 3, 0, 0, 5], [3, 4, 2, 33, 4, 0, 6, 2, 0]]
    for player in (0, 1):
        seen = t.game.layout.view(t.game.observe(t.state, player), "players").tolist()
        assert seen == [rows[player], rows[1 - player]]


@pytest.mark.rule("FS-I5")
@pytest.mark.parametrize(
    ("name", "mine", "theirs"),
    [
        ("Fireball", {1: 1, 2: 6, 4: 1, 10: 2, 11: 1, 15: 3, 26: 1}, {1: 1, 2: 6, 4: 1, 5: 1, 8: 3}),
        ("Divert", {1: 3, 2: 3, 4: 1, 5: 2, 13: 1, 17: 1, 26: 1}, {1: 3, 2: 3, 4: 1, 5: 1, 6: 1, 10: 1}),
        ("Push", {1: 4, 2: 2, 3: 1, 19: 2}, {1: 4, 2: 2, 3: 1}),
        ("Lunge", {1: 3, 2: 4, 3: 1, 14: 3, 25: 1}, {1: 3, 2: 4, 3: 1, 7: 3}),
        ("Jab", {1: 6, 2: 1, 3: 1, 18: 1}, {1: 6, 2: 1, 3: 1, 11: 1}),
    ],
)
def test_the_cards_of_both_decks(name: str, mine: dict[int, int], theirs: dict[int, int]) -> None:
    """Both players have the same deck, two of each card: Speed, Power, type, what the attack and the response do."""
    t = table()
    for player in (0, 1):
        out, k = t.game.observe(t.state, player), t.number(player, name)
        rows = (t.game.layout.view(out, piece)[k] for piece in ("my_cards", "their_cards"))
        shown = [{int(i): int(row[i]) for i in np.flatnonzero(row)} for row in rows]
        assert shown == [{0: 2, **mine, 27: 1}, {0: 2, **theirs}]


def history(t: Table, player: int) -> list[list[int]]:
    """The last events as that player sees them, the newest first."""
    rows: list[list[int]] = t.game.layout.view(t.game.observe(t.state, player), "history").tolist()
    return rows


@pytest.mark.rule("FS-I5")
def test_the_history_tells_the_last_events() -> None:
    """The newest first: kind, by me (1) or them (2), card + 1, attack (1) or response (2), number; a drawn or cut game is by nobody."""
    t = table()
    t.hand(0, "Lunge", "Jab")
    t.hand(1, "Dart", "Jab")
    t.do("attack with Lunge", "respond with Dart", "pass")
    for player in (0, 1):
        zero, one = 1 + player, 2 - player
        assert history(t, player) == [
            [log.E_DRAW, zero, 0, 0, 1],
            [log.E_INITIATIVE, zero, 0, 0, 0],
            [log.E_PASS, zero, 0, 0, 0],
            [log.E_RESPOND, one, t.number(1, "Dart") + 1, 2, 0],
            [log.E_ATTACK, zero, t.number(0, "Lunge") + 1, 1, 0],
            *[[0] * 5] * 4,
        ]
    for cards, kind in ((0, log.E_TIE), (1, log.E_CUT)):
        t = table(max_sequences=1)
        for player in (0, 1):
            t.deck(player, *["Jab"] * cards)
        t.resolve(fill=False)
        assert [history(t, player)[0] for player in (0, 1)] == [[kind, 0, 0, 0, 0]] * 2


@pytest.mark.rule("FS-I2")
def test_nobody_knows_the_order_of_a_deck() -> None:
    t, other = position(), position()
    other.deck(0, "Blast", "Thrust", "Missile")
    other.deck(1, "Spark", "Lunge", "Thrust", "Missile")
    assert same_to_see(t, other, 0) and same_to_see(t, other, 1)
    other.deck(0, "Blast", "Thrust")  # but the number of cards is seen
    assert not same_to_see(t, other, 0) and not same_to_see(t, other, 1)


@pytest.mark.rule("FS-I1", "FS-I2")
def test_what_determinize_redraws() -> None:
    """It redraws the opponent's hand and both decks; all else stays, and so does the number of each card."""
    t = position()
    for player in (0, 1):
        copies = [t.game.determinize(t.state, player, seed) for seed in range(60)]
        changing = {
            name
            for name in t.state.dtype.names
            if any(not np.array_equal(copy[name], t.state[name]) for copy in copies)
        }
        assert changing - {"rng"} == {"deck", "hand"}
        for q in (0, 1):
            assert len({copy["deck"][q].tobytes() for copy in copies}) > 4
            for copy in copies:
                assert sorted(cards(copy, q)) == sorted(cards(t.state, q))
        for copy in copies:
            assert copy["hand"][player].tolist() == t.state["hand"][player].tolist()
            assert copy["hand"][1 - player].sum() == t.state["hand"][1 - player].sum()


def cards(state: object, player: int) -> list[int]:
    """The cards of a player's hand and deck together."""
    deck = state["deck"][player][: state["deck_size"][player]].tolist()
    return [*deck, *np.repeat(np.arange(40), state["hand"][player]).tolist()]


def put_two_back() -> Table:
    """A position in which player 0 has put back Dart, and Jab on top of it."""
    t = table()
    t.deck(0, "Lunge", "Missile", "Thrust", "Blast")
    t.deck(1, "Lunge", "Missile", "Thrust", "Blast")
    t.hand(0, "Jab", "Dart", "Slash", "Slash", "Thrust", "Lunge", "Missile")
    t.hand(1, "Jab", "Dart", "Slash", "Slash", "Lunge")
    t.resolve()
    t.do("put Dart", "put Jab")
    t.rest_is_discarded()
    return t


@pytest.mark.rule("FS-I3")
def test_cards_put_back_are_known_to_their_owner() -> None:
    t = put_two_back()
    assert "; deck 6 (on top Jab, Dart); " in t.status("player_0:", 0) and "; deck 6 (2 put back); " in t.status(
        "player_0:", 1
    )
    assert "; deck 6 (on top Jab, Dart); " in t.status("player_0:")
    other = put_two_back()
    top = int(other.state.deck_size[0])
    other.state.deck[0, [top - 1, top - 2]] = other.state.deck[0, [top - 2, top - 1]]
    assert not same_to_see(t, other, 0) and same_to_see(t, other, 1)
    for seed in range(20):
        mine = t.game.determinize(t.state, 0, seed)
        assert mine["deck"][0, 4:6].tolist() == t.state["deck"][0, 4:6].tolist()
        assert sorted(cards(mine, 0)) == sorted(cards(t.state, 0))
    theirs = {t.game.determinize(t.state, 1, seed)["deck"][0, 4:6].tobytes() for seed in range(40)}
    assert len(theirs) > 5  # to the opponent they could be any cards


@pytest.mark.rule("FS-I3")
def test_cards_put_back_are_drawn_first() -> None:
    """Those that are left of them are still known."""
    t = put_two_back()
    t.hand(1, "Spark")
    t.do("respond with Slash", "respond with Jab", "pass")
    assert "Jab" in t.status("player_0:", 0).split("deck")[0]
    assert "; deck 5 (on top Dart); " in t.status("player_0:", 0) and "; deck 5 (1 put back); " in t.status(
        "player_0:", 1
    )


def after_a_return(*hand: str, **rules: object) -> Table:
    """A position in which player 1's A has been returned; it is player 1's turn to build."""
    recall = card("Recall", 60, 1, effect="{timing: immediate, return: any}", response="{draw: 1}")
    a = card("A", response="{draw: 1}") | {"copies": 3}
    t = table(kit(recall, a, *map(card, "BCDEF")), **rules)
    t.row("1 responds A")
    t.deck(0, *["Idle"] * 4)
    t.deck(1, *["Idle"] * 4)
    t.hand(0, "Recall", "Idle")
    t.hand(1, *hand)
    t.do("attack with Recall")
    t.rest_is_discarded()
    return t


@pytest.mark.rule("FS-I4")
def test_a_returned_card_is_known_to_be_in_hand() -> None:
    """That holds until a copy of it leaves the hand, whichever copy that is; draws and other cards change nothing."""
    t = after_a_return("B", "A")
    assert t.status("player_1", 0).startswith("player_1: hand 3 with A; deck 4")
    assert t.status("player_1", 1).startswith("player_1: hand 3: A x2, B; deck 4")
    assert all(t.game.determinize(t.state, 0, seed)["hand"][1, t.number(1, "A")] >= 1 for seed in range(40))
    seen = t.game.observe(t.state, 0)
    t.state.known[1] = 0
    assert (t.game.observe(t.state, 0) != seen).any()
    t.state.known[1, t.number(1, "A")] = 1
    t.do("respond with B")
    assert " with A;" in t.status("player_1", 0)
    t.do("pass", "pass")
    assert " with A;" in t.status("player_1", 0)  # the cleanup has drawn more
    t = after_a_return("B", "A")
    t.do("respond with A")
    assert t.status("player_1", 0).startswith("player_1: hand 2; deck 4")
    t = after_a_return()
    t.do("pass")
    assert t.status("player_1", 0).startswith("player_1: hand 2 with A; deck 3")


@pytest.mark.rule("FS-I4")
def test_a_willpower_from_the_hand_was_known() -> None:
    sting = card("Wit", 10, 1, response="willpower")
    t = table(kit(sting))
    t.row("1 attacks Idle", "0 attacks Wit")
    t.hand(0, "Wit")
    t.state.known[0, 0] = 1
    t.resolve().do("discard Wit")
    assert " with " not in t.status("player_0:", 1)


@pytest.mark.rule("FS-I1", "FS-G6")
def test_who_is_asked_about_a_willpower_has_one() -> None:
    """Of twelve cards two have a Willpower and two are in hand: one of them or both, and all such hands are equally likely (20 to 1)."""
    t = table(kit(card("Wit", response="willpower") | {"copies": 2}))
    t.row("0 attacks Idle")
    t.hand(1, "Wit", "Idle")
    t.deck(1, "Wit", *["Idle"] * 9)
    t.resolve(fill=False)
    assert t.to_play == 1 and t.may("discard Wit")
    asked = [[line for line in t.game.status_lines(t.state, player) if "would" in line] for player in (0, 1)]
    assert asked == [[], ["player_1 would take 1 physical damage"]], "which is nobody else's to know"
    t.rest_is_discarded()
    worlds = [t.game.determinize(t.state, 0, seed) for seed in range(400)]
    held = [int(world["hand"][1, t.number(1, "Wit")]) for world in worlds]
    assert set(held) == {1, 2} and 10 < held.count(2) < 30


def put_one_of_many_back() -> Table:
    """A is known to be among six cards of player 1; one of these, B, is put back."""
    t = after_a_return("B", "C", "D", "E", "F")
    t.state.known[0] = 0
    t.resolve(initiative=1)
    t.do("put B")
    t.rest_is_discarded()
    assert t.status("player_1:", 0).startswith("player_1: hand 5; deck 4 (1 put back); hand or put back A; discard")
    return t


@pytest.mark.rule("FS-I4")
def test_it_is_in_the_hand_or_put_back() -> None:
    t = put_one_of_many_back()
    assert t.status("player_1:", 1).startswith("player_1: hand 5: A, C, D, E, F; deck 4 (on top B); discard")
    places = set()
    for seed in range(200):
        world = t.game.determinize(t.state, 0, seed)
        a = t.number(1, "A")
        in_hand, on_top = int(world["hand"][1, a]), int(world["deck"][1, 3] == a)
        assert in_hand + on_top >= 1
        places.add((in_hand, on_top))
    assert {(1, 0), (0, 1)} <= places


@pytest.mark.rule("FS-I4")
def test_one_that_may_have_been_put_back_is_built() -> None:
    """The opponent then knows of no such card any more, whichever copy was built."""
    t = put_one_of_many_back()
    t.do("respond with A")
    assert t.status("player_1:", 0).startswith("player_1: hand 4; deck 4 (1 put back); discard")


@pytest.mark.rule("FS-I4")
def test_when_what_was_put_back_is_gone_it_is_in_the_hand() -> None:
    t = put_one_of_many_back()
    t.do("attack with C")
    t.do("pass", "pass")
    assert "(1 put back)" not in t.status("player_1:", 0) and "hand or put back" not in t.status("player_1:", 0)
    assert " with A;" in t.status("player_1:", 0)  # B was drawn
    t = put_one_of_many_back()
    t.row("0 attacks Idle")
    t.resolve(initiative=1)  # B was discarded by damage, so A is in the hand
    assert "player_1 discards B" in t.log and " with A;" in t.status("player_1:", 0)


@pytest.mark.rule("FS-I4")
def test_a_copy_that_is_discarded_from_the_top_counts_as_the_known_one() -> None:
    t = after_a_return("B", "C", "D", "E", "F")
    t.resolve(initiative=1)
    t.do("put A")
    assert "hand or put back A" in t.status("player_1:", 0)
    t.row("0 attacks Idle")
    t.resolve(initiative=1)
    assert "player_1 discards A" in t.log
    assert " with A" not in t.status("player_1:", 0) and "hand or put back" not in t.status("player_1:", 0)


@pytest.mark.rule("FS-I4", "FS-G14")
def test_discarded_face_down_nobody_can_tell() -> None:
    t = after_a_return("B", "C", "D", "E", "F", damage_discards="face_down")
    t.resolve(initiative=1)
    t.do("put B")
    t.row("0 attacks Idle")
    t.resolve(initiative=1)
    assert " with " not in t.status("player_1:", 0) and "hand or put back" not in t.status("player_1:", 0)


@pytest.mark.rule("FS-I5")
def test_what_all_can_see() -> None:
    t = position()
    t.tokens(0, armor=3)
    t.tokens(1, resistance=6)
    t.state.initiative = 1
    for player in (0, 1, None):
        lines = t.game.status_lines(t.state, player)
        assert lines[0] == "Sequence 1, building, initiative player_1"
        assert "; discard 34: Jab, Thrust, Slash, Lunge, Downswing x2, " in lines[1] and lines[1].endswith("; Armor 3")
        assert "; discard 32: Thrust, Lunge, " not in lines[1] and lines[2].endswith("; Resistance 6")
        assert lines[3:] == [
            "1. player_0 attacks: Lunge (Speed 30, Power 4, physical)",
            "2. player_1 responds: Slash (physical block)",
        ]
    for change in (
        lambda t: t.tokens(1, armor=3),
        lambda t: t.tokens(0, resistance=3),
        lambda t: t.state.slot_mode.__setitem__(1, 0),
        lambda t: t.state.slot_card.__setitem__(0, 5),
        lambda t: t.discard(0, "Spark"),
        lambda t: t.discard(1, "Spark"),
        lambda t: setattr(t.state, "initiative", 1),
    ):
        other = position()
        change(other)
        for player in (0, 1):
            assert not same_to_see(position(), other, player)


def damaged(*top: str, **rules: object) -> Table:
    """Three cards of player 1 have been discarded, `top` if given."""
    t = table(**rules)
    t.deck(1, *(top or ("Jab", "Thrust", "Dart")), "Lunge", "Missile")
    t.row("0 attacks Slash")
    t.resolve()
    return t


@pytest.mark.rule("FS-G14")
def test_what_damage_discards_is_seen() -> None:
    t = damaged()
    assert t.told[-1] == "player_1 discards Jab, Thrust, Dart"
    for player in (0, 1, None):
        assert t.status("player_1", player).endswith("; discard 3: Jab, Thrust, Dart")


@pytest.mark.rule("FS-G14")
def test_what_damage_discards_lies_face_down_if_so_ruled() -> None:
    """Nobody sees them, not even their owner; a card that was built is still seen."""
    t = damaged(damage_discards="face_down")
    assert t.told[-1] == "player_1 discards 3 cards face down"
    for player in (0, 1):
        assert t.status("player_1", player).endswith("; discard 0; face down 3")
        assert t.status("player_0", player).endswith("; discard 1: Slash")
    other = damaged("Spark", "Lunge", "Slash", damage_discards="face_down")
    assert same_to_see(t, other, 0) and same_to_see(t, other, 1)
    t = table(damage_discards="face_down")
    t.row("0 attacks Jab")
    t.resolve()
    assert t.told[-1] == "player_1 discards a card face down"


@pytest.mark.rule("FS-G14", "FS-I2")
def test_any_hidden_card_may_lie_face_down() -> None:
    """So it is in the worlds of its owner and of the opponent: a card that is in the deck in one world lies face down in another."""
    t = damaged(damage_discards="face_down")
    s, buried = t.state, [t.number(1, name) for name in ("Jab", "Thrust", "Dart")]
    for player in (0, 1):
        count = t.game.tables[0]["copies"][player] - s.hand[player]
        for k in [*s.deck[player, : s.deck_size[player]], *(buried if player else [])]:
            count[k] -= 1
        s.discard[player] = count
    for player, hidden in (
        (1, {*buried, t.number(1, "Lunge"), t.number(1, "Missile")}),
        (0, set(cards(s, 1)) | {*buried}),
    ):
        worlds = [t.game.determinize(s, player, seed) for seed in range(100)]
        assert {int(k) for world in worlds for k in world["deck"][1][:2]} == hidden


def test_damage_that_will_be_ignored_is_not_about_to_be_taken() -> None:
    """Past bug: players were shown damage against which a Willpower had just been used."""
    t = table()
    t.row("0 attacks Fireball")
    t.hand(1, "Jab")
    t.hand(0, "Spark")
    t.resolve()
    t.do("discard Jab")
    assert t.to_play == 0 and t.state["ignored"].tolist() == [0, 1]
    assert t.game.layout.view(t.game.observe(t.state, 0), "players")[:, 8].tolist() == [2, 0]


@pytest.mark.parametrize(("to", "shown"), [("opponent", 0), ("both", 2), ("self", 2)])
def test_the_sequence_shows_whom_the_damage_of_a_text_hits(to: str, shown: int) -> None:
    """Past gap: only a player whose own deck list has the card could see that it also hurts its builder."""
    text = f"{{timing: timed, damage: {{amount: 2, type: magical, to: {to}}}}}"
    t = table(kit(card("Fire", effect=text)), kit())
    t.row("0 attacks Fire")
    for player in (0, 1):
        row = t.game.layout.view(t.game.observe(t.state, player), "sequence")[0]
        assert row[14] == 2 and row[16] == shown
