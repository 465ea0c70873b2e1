"""What the players of Reality TCG know (RT-I1 to RT-I3, RT-G21): in the observation, in the text, and in the worlds that they imagine."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import react_env
from react_env.games.reality_tcg import state as S
from tests.reality_tcg.positions import DECKS, Position


def position(**changes: Any) -> Position:
    """A position in the middle of a game."""
    here: dict[str, Any] = {
        "hands": ("Coach, Red Tape", "Captain, Energy Bar"),
        "traps": ("Slammed Door", "Red Tape"),
        "decks": ("Boxer, Sprinter, Restock", "Champion, Bouncer, Counter Hook"),
    }
    return Position(["Boxer"], ["Coach"], **{**here, **changes})


def same_to_see(one: Position, other: Position, player: int) -> bool:
    """Whether that player sees the same in both positions."""
    seen = [x.game.observe(x.s, player).tolist() for x in (one, other)]
    told = [x.game.text(x.s, player) for x in (one, other)]
    assert (seen[0] == seen[1]) == (told[0] == told[1]), "text and observation tell different things"
    return seen[0] == seen[1]


def test_a_hand_is_seen_by_its_owner() -> None:
    """RT-I1: the other player sees only how many cards it has."""
    other = position(
        hands=("Coach, Red Tape", "Champion, Energy Bar"),
        decks=("Boxer, Sprinter, Restock", "Captain, Bouncer, Counter Hook"),
    )
    assert same_to_see(position(), other, 0) and not same_to_see(position(), other, 1)
    fewer = position(
        hands=("Coach, Red Tape", "Captain"),
        decks=("Boxer, Sprinter, Restock", "Champion, Bouncer, Counter Hook, Energy Bar"),
    )
    assert not same_to_see(position(), fewer, 0)


def test_a_set_trap_is_seen_by_its_owner() -> None:
    """RT-I1, RT-C3: the other player sees only that one lies there."""
    other = position(
        traps=("Slammed Door", "Counter Hook"), decks=("Boxer, Sprinter, Restock", "Champion, Bouncer, Red Tape")
    )
    assert same_to_see(position(), other, 0) and not same_to_see(position(), other, 1)
    none = position(
        traps=("Slammed Door", ""), decks=("Boxer, Sprinter, Restock", "Champion, Bouncer, Counter Hook, Red Tape")
    )
    assert not same_to_see(position(), none, 0)


@pytest.mark.parametrize("player", [0, 1])
def test_nobody_knows_the_order_of_a_deck(player: int) -> None:
    """RT-I1: but both players know how many cards it has."""
    other = position(decks=("Restock, Boxer, Sprinter", "Counter Hook, Champion, Bouncer"))
    assert same_to_see(position(), other, player)
    fewer = position(decks=("Boxer, Sprinter", "Champion, Bouncer"))
    assert not same_to_see(position(), fewer, player)


@pytest.mark.parametrize("player", [0, 1])
def test_all_else_is_public(player: int) -> None:
    """RT-I1, RT-G21: Characters, IP, Energy, Purgatory, Lands, whose turn it is, who waits, the chain."""
    changes: list[tuple[str, Any]] = [("ip", (20, 19)), ("energy", (10, 9)), ("ready", (9, 10)), ("locked", (0, 1))]
    for name, value in [
        *changes,
        ("ip", (19, 20)),
        ("energy", (9, 10)),
        ("ready", (10, 9)),
        ("whose", 1),
        ("turn", 10),
    ]:
        other = position()
        other.s[name] = value
        assert not same_to_see(position(), other, player), name
    for q in (0, 1):
        for name in ("gone", "hp", "df", "position", "boost"):
            other = position()
            other.s[name][q][0] = 3 if name == "boost" else 1
            assert not same_to_see(position(), other, player), (name, q)
        assert not same_to_see(position(), position(land=("Sports Arena", "") if q else ("", "Sports Arena")), player)


def test_what_is_to_be_decided_is_shown_to_who_decides() -> None:
    """RT-I1: all see the card that is being played."""
    x = position().do("play Coach")
    mine, theirs = (x.game.layout.view(x.game.observe(x.s, p), "decision").tolist() for p in (0, 1))
    assert mine[S.D_PLACE] == sum(mine) == 1 and sum(theirs) == 0
    for p in (0, 1):
        assert x.game.layout.view(x.game.observe(x.s, p), "pending").argmax() == x.s["pending"]


def test_the_numbers_of_both_players() -> None:
    """RT-I1: each player sees its own numbers before the other's."""
    x = position(
        ip=(9, 8), energy=(7, 6), traps=("", "Red Tape, Slammed Door"), hands=("Coach", "Captain, Captain, Coach")
    )
    x.s["ready"], x.s["locked"], x.s["deck_size"] = (5, 4), (1, 0), (2, 3)
    numbers = [(9, 8), (7, 6), (5, 4), (2, 3), (1, 3), (0, 2), (1, 0)]
    for player in (0, 1):
        seen = x.game.layout.view(x.game.observe(x.s, player), "table")[3:17].tolist()
        assert seen == [pair[q] for pair in numbers for q in (player, 1 - player)]


def test_the_own_set_traps_in_their_places() -> None:
    """RT-I1: a player sees which its own are and which were set this turn; the other sees nothing of them."""
    x = position(traps=("Slammed Door, Red Tape", ""), hands=("Counter Hook, Coach", "Coach")).do("set Counter Hook")
    mine, theirs = (x.game.layout.view(x.game.observe(x.s, p), "traps") for p in (0, 1))
    assert [x.game.action_names[k] for k in mine[:, 1:].argmax(axis=1)] == ["Slammed Door", "Red Tape", "Counter Hook"]
    assert mine.sum(axis=1).tolist() == [1, 1, 2] and mine[:, 0].tolist() == [0, 0, 1] and not theirs.any()


def test_how_the_turn_stands() -> None:
    """RT-I1: whose turn it is and who began, as each seat sees it, and what has been done in the turn."""
    x = position().do("play Coach")
    x.s["first"], x.s["turn"] = 1, 200
    x.s["attacked"], x.s["moved"], x.s["returning"], x.s["passes"], x.s["summons"], x.s["mulligans"] = 1, 3, 2, 1, 5, 2
    for player in (0, 1):
        seen = x.game.layout.view(x.game.observe(x.s, player), "table").tolist()
        assert seen[:3] == [127, player == 0, player == 1] and seen[17:] == [1, 3, 2, 0, 1, 1, 5, 2]
        assert x.game.layout.view(x.game.observe(x.s, player), "phase").argmax() == S.P_TACTIC_1


def test_the_lands_of_both_players() -> None:
    """RT-I1: each player sees its own before the other's: ATK, or DEF as a turn begins."""
    for land, row in (("Sports Arena", [1, 0]), ("Old Quarter", [0, 1])):
        x = position(land=("", land))
        seen = [x.game.layout.view(x.game.observe(x.s, player), "lands").tolist() for player in (0, 1)]
        assert seen == [[[0, 0], row], [row, [0, 0]]]


def chain(x: Position, player: int) -> list[dict[str, int]]:
    """What a player sees on the chain, by names, leaving out zeros."""
    names = ("mine", "negated", "amount", "declared", "attack", "summon", "card")
    effects = {getattr(S, name): name for name in dir(S) if name.startswith("X_")}
    names = (*names, *(effects[word] for word in range(S.WORDS)))
    rows = x.game.layout.view(x.game.observe(x.s, player), "chain").tolist()
    return [{name: n for name, n in zip(names, row, strict=True) if n} for row in rows]


def test_the_chain_is_seen_by_both() -> None:
    """RT-I1, RT-G19: the last link first, whose it is, what it is and does, and whether it is cancelled."""
    x = position(hands=("Energy Bar, Coach", "Energy Bar")).do("to the Battle", "attack", "play Energy Bar")
    bar, attack = {"amount": 2, "card": 1, "X_BOOST": 1}, {"attack": 1}
    assert chain(x, 0) == [bar, {"mine": 1, **attack}, {}, {}]
    assert chain(x, 1) == [{"mine": 1, **bar}, attack, {}, {}]
    y = position(hands=("Detective", "Energy Bar")).do("play Detective", "to the Back Row, attack")
    assert chain(y, 0) == [{"mine": 1, "amount": 1, "summon": 1, "X_SUMMON_DRAW": 1}, {}, {}, {}]
    z = position(hands=("Coach", "Energy Bar")).do("turn Active Zone")
    assert chain(z, 1) == [{"declared": 1}, {}, {}, {}]
    traps = ("", "Counter Hook, Slammed Door")
    w = Position(["Delivery Rider"], ["Boxer"], hands=("Hot Soup", ""), traps=traps).do("to the Battle", "attack")
    w.do("play Counter Hook", "play Slammed Door")
    assert chain(w, 0) == [{"declared": 1}, {"mine": 1, "negated": 1, **attack}, {}, {}]


def everything(s: Any, p: int) -> list[int]:
    """How many cards of each kind a player has in hand, set, in the deck and among those being returned."""
    counts = s["hand"][p] + np.bincount(s["deck"][p][: s["deck_size"][p]], minlength=S.KINDS)
    counts = counts + np.bincount([k for k in s["trap"][p] if k >= 0], minlength=S.KINDS)
    if s["decision"] == S.D_MULLIGAN and s["to_play"] == p:
        counts = counts + s["returned"]
    found: list[int] = counts.tolist()
    return found


def dealt(seed: int = 4) -> tuple[Any, Any]:
    """A game after the set-up, in which each player has set a Trap."""
    game = react_env.load("reality_tcg-v0", decks=DECKS)
    s = game.new(seed=seed)
    game.step(s, 40)
    game.step(s, 40)
    for p in (0, 1):
        k = next(k for k in range(S.KINDS) if game.tables[0]["sort"][k] == S.TRAP and everything(s, p)[k])
        if s["hand"][p][k] == 0:  # swap one from the deck with a card of the hand
            i = int(np.flatnonzero(s["deck"][p] == k)[0])
            s["deck"][p][i] = other = int(np.flatnonzero(s["hand"][p])[0])
            s["hand"][p][other] -= 1
            s["hand"][p][k] += 1
        s["hand"][p][k] -= 1
        s["hand_size"][p] -= 1
        s["trap"][p][0] = k
    return game, s


@pytest.mark.parametrize("player", [0, 1])
def test_what_determinize_redraws(player: int) -> None:
    """RT-I3: the other's hand and set Traps, and both decks; every card is still somewhere, and a set card is a Trap."""
    game, s = dealt()
    worlds = [game.determinize(s, player, seed) for seed in range(40)]
    other = 1 - player
    names = [name for name in s.dtype.names if any(not np.array_equal(world[name], s[name]) for world in worlds)]
    assert set(names) - {"rng"} == {"deck", "hand", "trap"}
    for world in worlds:
        assert [everything(world, p) for p in (0, 1)] == [everything(s, p) for p in (0, 1)]
        assert (world["hand"][player] == s["hand"][player]).all() and (world["trap"][player] == s["trap"][player]).all()
        assert world["hand"][other].sum() == s["hand_size"][other]
        assert game.tables[0]["sort"][world["trap"][other][0]] == S.TRAP and (world["trap"][other][1:] < 0).all()
    for p in (0, 1):
        assert len({world["deck"][p].tobytes() for world in worlds}) > 30
    assert len({int(world["trap"][other][0]) for world in worlds}) > 1


def test_what_has_been_seen_stays() -> None:
    """RT-I3: that is cards in Purgatory, in the field, on the chain, and the card being played."""
    for steps in (
        (),
        ("play Boxer",),
        ("play Boxer", "to the Active Zone, attack"),
        ("play Old Quarter",),
        ("play Old Quarter", "no answer"),
        ("play Public Scandal",),
    ):
        x = Position(
            [], hands=("Boxer, Old Quarter, Public Scandal, Coach", "Energy Bar"), decks=("", ""), theirs=["Boxer"]
        )
        t = x.game.tables[0]
        for p in (0, 1):  # the rest of both lists goes to the deck and to Purgatory
            left = t["cards"][p].astype(int) - x.s["hand"][p]
            for k in x.s["kind"][p]:
                left[k] -= k >= 0
            x.s["gone"][p] = left // 2
            deck = np.repeat(np.arange(S.KINDS), left - left // 2)
            x.s["deck"][p][: len(deck)], x.s["deck_size"][p] = deck, len(deck)
        x.do(*steps)
        for seed in range(10):
            world = x.game.determinize(x.s, 1, seed)
            assert everything(world, 0) == everything(x.s, 0), steps
            assert (world["gone"] == x.s["gone"]).all() and (world["link"] == x.s["link"]).all()


def test_cards_that_are_being_returned_are_hidden() -> None:
    """RT-I3, RT-D4: the other player knows only how many they are."""
    game = react_env.load("reality_tcg-v0", decks=DECKS)
    s = game.new(seed=4)
    p = int(s["to_play"])
    game.step(s, int(game.legal_actions(s)[0]))
    worlds = [game.determinize(s, 1 - p, seed) for seed in range(40)]
    assert len({world["returned"].tobytes() for world in worlds}) > 4
    assert all(world["returned"].sum() == 1 and everything(world, p) == everything(s, p) for world in worlds)
    assert all((game.determinize(s, p, seed)["returned"] == s["returned"]).all() for seed in range(5))


def lists(folder: Path, *decks: dict[str, int]) -> tuple[Any, Any]:
    """A game in which each player draws one of these decks, with closed lists; both have drawn the first."""
    files = []
    for number, cards in enumerate(decks):
        files.append(folder / f"deck_{number}.yaml")
        rest = {"boxer": 20, "captain": 20 - sum(cards.values()) + cards.get("boxer", 0)}
        files[-1].write_text(
            f"id: d{number}\nname: D{number}\nversion: 1\nset: reality_default\ncards: {rest | cards}\n"
        )
    game = react_env.load("reality_tcg-v0", decks="random", pool=files, open_decklists=False, copies=40)
    s = next(s for s in (game.new(seed=seed) for seed in range(99)) if not s["list"].any())
    game.step(s, 40)
    game.step(s, 40)
    return game, s


def move(game: Any, s: Any, p: int, name: str) -> int:
    """Take that card out of a player's deck or hand, to be put where the other sees it; return its kind."""
    k = list(game.action_names).index(name)
    deck = s["deck"][p]
    if (deck[: s["deck_size"][p]] == k).any():
        i = int(np.flatnonzero(deck[: s["deck_size"][p]] == k)[0])
        s["deck_size"][p] -= 1
        deck[i] = deck[s["deck_size"][p]]
    else:
        s["hand"][p][k] -= 1
        s["hand_size"][p] -= 1
    return k


def share(game: Any, s: Any, player: int, number: int) -> float:
    """How often the opponent has that list in the worlds of a player."""
    return float(np.mean([game.determinize(s, player, seed)["list"][1 - player] == number for seed in range(400)]))


def test_a_list_with_more_of_what_was_seen_is_likelier(tmp_path: Path) -> None:
    """RT-I3, RT-I2: three copies against one; a list without any, or of another size, is impossible."""
    game, s = lists(tmp_path, {"coach": 1}, {"coach": 3}, {"headliner": 3}, {"coach": 3, "boxer": 21})
    s["gone"][1][move(game, s, 1, "Coach")] += 1
    assert abs(share(game, s, 0, 1) - 0.75) < 0.1
    assert share(game, s, 0, 2) == share(game, s, 0, 3) == 0


def test_a_list_with_more_traps_is_likelier_where_one_lies_set(tmp_path: Path) -> None:
    """RT-I3: two Traps against six, whichever Trap it is."""
    game, s = lists(tmp_path, {"red_tape": 1, "slammed_door": 1}, {"red_tape": 3, "counter_hook": 3}, {"coach": 2})
    s["trap"][1][0] = move(game, s, 1, "Red Tape")
    assert abs(share(game, s, 0, 1) - 0.75) < 0.1 and share(game, s, 0, 2) == 0


# -- the log -----------------------------------------------------------------------------------------------------------------


def test_the_log_tells_a_battle() -> None:
    """RT-I1: each public event has a line; damage beyond HP is told as damage, and again as IP."""
    x = Position(["Captain", "Coach"], ["Boxer", "Coach"], hands=("Gate Guard", ""), decks=("Boxer", "Boxer"))
    x.do("to the Battle", "attack", "choose Back Row 1", "end the turn")
    assert x.log == [
        "player_0 attacks with Captain",
        "Boxer of player_1 takes 6 damage",  # 5, and 1 more by the Coach
        "Captain of player_0 takes 5 damage",
        "player_1 loses 2 IP",
        "player_0 loses 1 IP",
        "Boxer of player_1 goes to Purgatory",
        "Captain of player_0 goes to Purgatory",
        "player_1 moves Coach up to the Active Zone",
        "player_1's turn, 10 Energy",
        "player_1 draws a card",
    ]
    y = Position(["Captain"], hands=("Gate Guard", ""), traps=("", "Slammed Door")).do("to the Battle", "attack")
    assert y.do("no answer").log == [
        "player_0 attacks with Captain",
        "Captain strikes directly with 5",
        "player_1 loses 5 IP",
    ]


def test_the_log_tells_a_tactic_phase() -> None:
    """RT-I1: but not which Trap is set, nor which card is drawn."""
    hand = "Restock, Trail Mix, Sudden Swap, Red Tape, Sports Arena, Gate Guard, Coach"
    x = Position(
        ["Captain", "Boxer"], hands=(hand, ""), decks=("Boxer", ""), land_replace=True, land=("", "Old Quarter")
    )
    x.hurt(0, 0, df=0, hp=4)
    x.do("play Trail Mix", "play Restock", "play Sudden Swap", "turn Back Row 1", "set Red Tape")
    x.do("play Sports Arena", "play Gate Guard", "to the Back Row, defense", "Active Character to the Back Row")
    x.do("play Coach", "to the Active Zone, attack")
    assert x.log == [
        "player_0 plays Trail Mix for the Active Zone",
        "Captain of player_0 restores 2 DEF",
        "player_0 plays Restock",
        "player_0 draws a card",
        "player_0 has nothing to draw",
        "player_0 plays Sudden Swap for the Back Row 1",
        "player_0 brings Boxer to the Active Zone",
        "player_0 turns Captain to defense position",
        "player_0 sets a Trap",
        "player_0 plays Sports Arena",
        "Old Quarter of player_1 goes to Purgatory",
        "player_0 summons Gate Guard to the Back Row, defense position",
        "player_0 moves the Active Character to the Back Row",
        "player_0 summons Coach to the Active Zone, attack position",
    ]
    y = Position(["Captain"], hands=("Hot Soup, Coach", "")).hurt(0, 0, df=3, hp=2).do("play Hot Soup")
    assert y.log == ["player_0 plays Hot Soup for the Active Zone", "Captain of player_0 is healed by 2"]


def test_the_log_tells_answers() -> None:
    """RT-I1, RT-G19: first as they are played, then what comes of them, the last one first."""
    x = Position(["Boxer"], hands=("Restock, Coach", ""), traps=("", "Red Tape")).do("play Restock", "play Red Tape")
    assert x.log == ["player_0 plays Restock", "player_1 plays Red Tape", "Restock of player_0 is negated"]
    x = Position(["Boxer"], ["Coach"], traps=("", "Counter Hook, Slammed Door"), hands=("Coach", ""))
    assert x.do("to the Battle", "attack", "play Counter Hook", "play Slammed Door").log == [
        "player_0 attacks with Boxer",
        "player_1 plays Counter Hook",
        "player_1 plays Slammed Door",
        "Boxer of player_0 takes 3 damage",
        "the attack of player_0 is cancelled",
    ]


def test_the_log_tells_the_beginning_and_the_end() -> None:
    """RT-I1, RT-D4, RT-G3, RT-G4: it tells how many cards were returned, not which."""
    game = react_env.load("reality_tcg-v0", decks=DECKS)
    s = game.new(seed=4)
    first = int(s["first"])
    game.step(s, int(game.legal_actions(s)[0]))
    game.step(s, int(game.legal_actions(s)[0]))
    game.step(s, 40)
    game.step(s, 40)
    assert game.log_lines(s)[:7] == [
        f"player_{first} goes first",
        f"player_{first} draws 6 cards",
        f"player_{1 - first} draws 6 cards",
        f"player_{first} returns 2 cards",
        f"player_{first} draws a card",
        f"player_{1 - first} keeps the hand",
        f"player_{first}'s turn, 1 Energy",
    ]
    x = Position(["Boxer /d"], hands=("Gate Guard, Coach", ""), hand_limit=1, max_turns=9, ip=(4, 3))
    assert x.do("to the Battle", "end the turn", "discard Coach").log == [
        "player_0 discards Coach",
        "the last turn is over",
        "player_0 wins",
    ]
