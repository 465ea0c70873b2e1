"""Rules of Re;ACT, chapter six: what players know (AW-I1, AW-I2). test_properties.py holds this in whole games."""

from __future__ import annotations

import numpy as np
import pytest

from tests.arts_of_war.positions import intention, kit, reaction, table


@pytest.mark.rule("AW-I1")
def test_what_is_hidden_and_what_is_public() -> None:
    t = table("calligrapher", "dancer")
    t.give(0, "Flowing Ink", "Flowing Ink")
    t.give(1, "Slipstream", "Pivoting Step")
    t.state["discard"][1, 1] = 2
    own, other = t.game.status_lines(t.state, 0)[1:3]
    assert "hand 2: Flowing Ink x2; deck 20" in own
    assert "hand 2; deck 20; hidden: Pivoting Step x6, Calling Step x5, Slipstream x6, Cutting Scales x5; " in other
    assert "; discard 2: Calling Step x2;" in other
    watched = t.game.status_lines(t.state, 1)
    assert "hand 2: Pivoting Step, Slipstream" in watched[2] and "hand 2; deck" in watched[1]
    assert "to move" in t.game.text(t.state, 0) and "to move" not in t.game.text(t.state, 1)


@pytest.mark.rule("AW-I1")
def test_neither_hand_nor_order_of_the_decks_can_be_seen() -> None:
    """The opponent's hidden cards dealt otherwise, and one's own deck in another order: all the same to see."""
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
    """The opponent's hand and both decks; all else stays."""
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
    """Not even the observation of the events tells it."""
    records = []
    for holds in (True, False):
        t = table(kit("ann", Act=[intention("[{choose_direction: way}]")]), kit("ben", Answer=[reaction()]))
        t.give(0, "Act")
        t.give(1, "Answer" if holds else "Blank 1")
        t.do("play Act").passes()
        records.append((t.state["event"].tolist(), t.game.observe(t.state, 0).tolist()))
    assert records[0][0] == records[1][0]
