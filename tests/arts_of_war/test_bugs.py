"""Every bug that was found, as a position in which it showed."""

from __future__ import annotations

import numpy as np
import pytest

from tests.arts_of_war.positions import intention, kit, passive, table


@pytest.mark.rule("AW-C16")
def test_no_trigger_is_lost_in_deep_nesting() -> None:
    """Swaps that trigger swaps, six deep, each leaving triggers behind that wait: all of them run in the end.

    Triggers that waited took the place of programs that ran, and where there was no room for more, they were dropped.
    """
    swap = "[{choose_unit: {as: imp, where: {kind: imp}}}, {swap: {unit: me, with: imp}}]"
    look = "[{choose_unit: {as: oneself, where: {side: mine, kind: artist}}}]"
    watch = [passive("unit_moved", look, f"Watch {i}") for i in (1, 2)]
    again = passive("unit_moved", swap, "Again", "{side: mine, kind: artist}")
    t = table(
        kit("ann", passives=(again, watch[0]), Go=[intention(swap)], summons={"imp": {"name": "Imp", "count": 1}}),
        kit("ben", passives=tuple(watch)),
    )
    t.place(0, "imp", "a3")
    t.give(0, "Go", "Blank 1")
    t.log.clear()
    events = t.game.event_count(t.state)
    t.game.step(
        t.state, next(int(a) for a in t.game.legal_actions(t.state) if "Go" in t.game.action_text(t.state, int(a)))
    )
    while t.state["chain_size"]:
        t.game.step(t.state, 1)
    # Seven swaps: the effect's, and one for each level of nesting. Of each but the last, three passives see both units, and Again one.
    assert t.at("a3") == "player_0's Ann"
    begun = t.game.event_count(t.state) - events
    assert begun == 1 + 2 + 1 + 7 + 6 * (1 + 2 * 3), begun  # play, passes, resolution, swaps, triggers
    assert t.state["waiting"] == 0 and t.state["frames"] == 0 and not t.state["waiting_row"].any()


@pytest.mark.rule("AW-M4")
def test_the_first_slot_of_a_swap_is_seen_from_the_own_side() -> None:
    """The observation showed it to player 1 as player 0 counts the slots."""
    seen = []
    for player, row in ((0, "a1 - a2 - a3"), (1, "b3 - b2 - b1")):
        t = table(kit("ann"), kit("ben"), turn_player=player)
        t.row(*row.split())
        t.do("play", f"{('Ann', 'Ben')[player]} [1]").passes()
        t.do("masterpiece slot " + ("1", "5")[player])
        seen.append(t.game.layout.view(t.game.observe(t.state, player), "running").tolist())
    assert seen[0] == seen[1] and seen[0][-1] == 1


@pytest.mark.rule("AW-U11")
def test_observation_stays_in_its_ranges_with_many_tokens() -> None:
    """More tokens than the range of the observation are shown as its largest number."""
    tokens = {
        "dust": {"name": "Dust", "place": "unit", "pool": 60, "stacks": True},
        "salt": {"name": "Salt", "place": "zone", "pool": 60, "stacks": True},
    }
    t = table(kit("ann", tokens=tokens, tiles={}), kit("ben"))
    for _ in range(40):
        t.mark(0, "dust", 0)
        t.strew(0, "salt", "b2")
    for player in (0, 1):
        seen = t.game.observe(t.state, player)
        assert (seen >= t.game.layout.low).all() and (seen <= t.game.layout.high).all()
        assert np.count_nonzero(seen == 12) >= 3


@pytest.mark.rule("AW-C16", "AW-U4")
def test_no_trigger_is_lost_when_two_bodies_swap() -> None:
    """The most that one part can trigger: two bodies of four units, watched by two passives of each player."""
    look = "[{choose_unit: {as: oneself, where: {side: mine, kind: artist}}}]"
    watch = tuple(passive("unit_moved", look, f"Watch {i}") for i in (1, 2))
    swap = intention("[{choose_unit: {as: it, where: {side: theirs, kind: artist}}}, {swap: {unit: me, with: it}}]")
    body = {"imp": {"name": "Imp", "count": 3, "attached": True}}
    t = table(kit("ann", passives=watch, summons=body, Go=[swap]), kit("ben", passives=watch, summons=body))
    for player, row in ((0, "2"), (1, "4")):
        t.place(player, "artist", "c" + row)
        for column in "bde":
            t.place(player, "imp", column + row)
    t.give(0, "Go")
    t.do("play Go").passes()
    assert [t.at(zone + "4") for zone in "bcde"] == [
        f"player_0's {name}" for name in ("Imp 1", "Ann", "Imp 2", "Imp 3")
    ]
    assert [t.at(zone + "2") for zone in "bcde"] == [
        f"player_1's {name}" for name in ("Imp 1", "Ben", "Imp 2", "Imp 3")
    ]
    assert sum(": Watch " in line for line in t.log) == 8 * 2 * 2
    assert t.log.index("player_1: Watch 1") == t.log.index("player_0: Watch 1") + 8 * 2  # the turn player's first
