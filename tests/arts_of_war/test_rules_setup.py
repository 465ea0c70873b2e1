"""Rules of Re;ACT, chapter one: the set-up (AW-S1 to AW-S5)."""

from __future__ import annotations

import collections

import pytest

import react_env
from react_env.errors import OptionError
from tests.arts_of_war.positions import BLANK, intention, kit, load, passive, table
from tests.properties import assert_frequent

GAME = "arts_of_war-v0"


@pytest.mark.rule("AW-S1")
def test_two_different_artists() -> None:
    with pytest.raises(OptionError, match="AW-S1"):
        react_env.load(GAME, artists=("dancer", "dancer"))
    assert react_env.load(GAME, artists=("dancer", "calligrapher"))


@pytest.mark.rule("AW-S1")
def test_mirror_match_if_allowed() -> None:
    game = react_env.load(GAME, artists=("dancer", "dancer"), allow_mirror=True)
    state = game.new(seed=0)
    assert [line for line in game.status_lines(state) if line.startswith("unit")] == [
        "unit player_0's Dancer (c1)",
        "unit player_1's Dancer (c5)",
    ]


@pytest.mark.rule("AW-S1")
@pytest.mark.parametrize("allowed", [False, True])
def test_a_pairing_that_is_drawn_is_no_mirror_match_unless_allowed(allowed: bool) -> None:
    game = react_env.load(GAME, artists="random", allow_mirror=allowed)
    assert any(one == other for one, other in game.pairings) == allowed


@pytest.mark.rule("AW-S2")
@pytest.mark.parametrize(
    ("rules", "starts", "zones"),
    [
        ({}, ["c1", "c5"], 25),
        ({"rows": 3, "cols": 4}, ["b1", "b3"], 12),
        ({"start_zones": ("a1", "e5")}, ["a1", "e5"], 25),
    ],
)
def test_field(rules: dict[str, object], starts: list[str], zones: int) -> None:
    """A grid with the artists in their start zones; nothing lies beyond the edge, and a zone has room for one unit."""
    step = intention("[{move: {unit: me, way: way}}]", "[{choose_direction: way}]")
    anywhere = intention("[{summon: {kind: imp, zone: z}}]", "[{choose_zone: {as: z, where: {}}}]")
    t = table(kit("ann", Step=[step], Call=[anywhere]), kit("ben"), **rules)
    assert [t.game.status_lines(t.state)[i].split("(")[1] for i in (3, 4)] == [f"{zone})" for zone in starts]
    t.give(0, "Step", "Call")
    t.do("play Step", "down").passes()  # into the wall
    assert t.at(starts[0]) == "player_0's Ann"
    t.do("play Call")
    assert len(t.options()) == zones
    t.do(f"zone {starts[1]}").passes()
    assert "is summoned" not in " ".join(t.log)
    assert t.at(starts[1]) == "player_1's Ben"


@pytest.mark.rule("AW-S3")
def test_deal() -> None:
    """30 cards of 4 kinds, shuffled, 4 of them in hand."""
    game = react_env.load(GAME)
    tops = collections.Counter()
    for seed in range(300):
        opening = game.opening(seed)
        for player, artist in enumerate(game.rules.view.artists):
            hand, deck = opening["hands"][player], opening["decks"][player]
            assert sum(hand) == 4 and len(deck) == 26
            assert [hand[card] + deck.count(card) for card in range(4)] == [card.copies for card in artist.actions]
            tops[player, deck[-1]] += 1
    # A card is as often on top as it has copies: 7 to 9 of 30, here 70 to 90 of 300 times, give or take 4 sigma.
    assert len(tops) == 8 and all(40 <= count <= 122 for count in tops.values()), tops
    assert len({str(game.opening(seed)["decks"]) for seed in range(20)}) == 20


@pytest.mark.rule("AW-S3")
def test_first_game_hand() -> None:
    game = react_env.load(GAME, first_game_hand=True)
    opening = game.opening(5)
    assert opening["hands"] == [[1, 1, 1, 1], [1, 1, 1, 1]]
    for deck, artist in zip(opening["decks"], game.rules.view.artists):
        assert [deck.count(card) + 1 for card in range(4)] == [card.copies for card in artist.actions]


@pytest.mark.rule("AW-S3")
def test_below_a_first_game_hand_lies_a_shuffled_deck() -> None:
    """A card is as often on top as it has copies left, in 4,000 games: chi-square, 0.1 %."""
    game = react_env.load(GAME, first_game_hand=True)
    dealt = [game.opening(seed)["decks"] for seed in range(4000)]
    for player, artist in enumerate(game.rules.view.artists):
        tops = collections.Counter(decks[player][-1] for decks in dealt)
        assert_frequent(tops, {card: action.copies - 1 for card, action in enumerate(artist.actions)})


@pytest.mark.rule("AW-S3")
def test_no_deck_no_cards() -> None:
    game = load(kit("ann", deck=False), "dancer")
    opening = game.opening(5)
    assert opening["hands"][0] == [0, 0, 0, 0] and opening["decks"][0] == []
    assert "hand" not in game.status_lines(game.new(seed=5))[1]


@pytest.mark.rule("AW-S4")
def test_who_begins() -> None:
    game = react_env.load(GAME)
    first = sum(game.opening(seed)["first_player"] for seed in range(300))
    assert 110 <= first <= 190
    for player in (0, 1):
        chosen = react_env.load(GAME, first_player=player)
        assert {chosen.opening(seed)["first_player"] for seed in range(20)} == {player}
        assert "Turn 1: player_" + str(player) in chosen.log_lines(chosen.new(seed=3))


@pytest.mark.rule("AW-S5")
@pytest.mark.parametrize("first", [0, 1])
def test_own_setup(first: int) -> None:
    """Set-up instructions are followed once, before turn 1, first those of the player who begins."""
    ready = passive(
        "setup", "[{choose_zone: {as: z, where: {adjacent_to: me}}}, {place_tile: {tile: bell, zone: z}}]", "Ring"
    )
    tidy = passive("setup", BLANK, "Tidy")
    game = load(kit("ann", passives=(ready,)), kit("ben", passives=(tidy,)), first_player=first)
    state = game.new(seed=1)
    before = ["player_1: Tidy"] if first else []
    assert game.log_lines(state) == [*before, "player_0: Ring"]
    game.step(state, int(game.legal_actions(state)[0]))
    lines = game.log_lines(state)
    assert lines[len(before) + 1].endswith("gets Bell")
    after = [] if first else ["player_1: Tidy"]
    assert lines[len(before) + 2 : len(before) + 3 + len(after)] == [*after, f"Turn 1: player_{first}"]
    for _ in range(40):
        if not game.terminated(state):
            game.step(state, int(game.legal_actions(state)[0]))
    assert int(state["turn"]) > 1
    assert not [line for line in game.log_lines(state) if line.endswith((": Ring", ": Tidy"))]


@pytest.mark.rule("AW-S5", "AW-S3")
@pytest.mark.parametrize("first_game_hand", [False, True])
def test_hands_are_dealt_after_the_set_up_choices(first_game_hand: bool) -> None:
    """A player who chooses during the set-up has seen no card; then the hands come from the decks that were shuffled before."""
    ready = passive("setup", "[{choose_zone: {as: z, where: {}}}, {summon: {kind: imp, zone: z}}]", "Ready")
    game = load(kit("ann", passives=(ready,)), "dancer", first_game_hand=first_game_hand)
    for seed in range(5):
        state, opening = game.new(seed=seed), game.opening(seed)
        assert game.action_text(state, int(game.legal_actions(state)[0])).startswith("zone")
        assert not state["hand"].any() and state["deck_size"].tolist() == [30, 30]
        game.step(state, int(game.legal_actions(state)[seed]))
        assert state["turn"] == 1 and state["deck_size"].tolist() == [25, 25]  # AW-T3
        for player in (0, 1):
            hand, deck = opening["hands"][player], opening["decks"][player]
            hand[deck[-1]] += 1
            assert state["hand"][player].tolist() == hand and state["deck"][player, :25].tolist() == deck[:25]


@pytest.mark.rule("AW-S5", "AW-T4")
@pytest.mark.parametrize("first_game_hand", [False, True])
@pytest.mark.parametrize("drawn", [2, 4, 6])
def test_a_set_up_that_draws(drawn: int, first_game_hand: bool) -> None:
    """The opening hand adds no more cards than a hand can hold; the positions in between can be saved and guessed."""
    draw = passive("setup", f"[{{draw: {drawn}}}, {{choose_zone: {{as: z, where: {{}}}}}}]", "Ready")
    game = load(kit("ann", passives=(draw,)), "dancer", first_game_hand=first_game_hand)
    for seed in range(5):
        state = game.new(seed=seed)
        assert state["hand"].sum(1).tolist() == [drawn, 0]
        assert game.restore(game.save(state)) == state
        game.step(state, int(game.legal_actions(state)[0]))
        assert state["hand"].sum(1).tolist() == [6, 5]  # both have drawn since, AW-T3
        assert game.restore(game.save(state)) == state
        if first_game_hand:
            assert state["hand"].all()


def test_a_set_up_that_decides_each_game_is_refused() -> None:
    """Nobody could ever choose, neither in the first game of a process nor later."""
    wound = passive("setup", "[{damage: {zone: me}}, {damage: {zone: me}}, {damage: {zone: me}}]", "Fall")
    for _ in range(2):
        with pytest.raises(OptionError, match="over before anybody could choose"):
            load(kit("ann", passives=(wound,)), "dancer")
        load(kit("ann"), "dancer")
