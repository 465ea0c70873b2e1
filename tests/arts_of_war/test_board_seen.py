"""The board of an observation, zone by zone, compared with the record."""

from typing import Any

import numpy as np

import react_env
from react_env.games.arts_of_war import state as S
from react_env.games.arts_of_war.observation import LAYOUT, MOST_TOKENS, PLANES
from tests.agents.games import positions


def seen_of(s: Any, t: Any, p: int, z: int) -> list[int]:
    """What player `p` sees in zone `z`: all planes except locks, steps and plans."""
    planes = [0] * PLANES
    unit = int(s["zone_unit"][z])
    if unit >= 0:
        owner, slot = divmod(unit, S.SLOTS)
        planes[2 * (owner != p) + (slot > 0)] = 1
        planes[4], planes[5] = int(t["slot_kind"][owner, slot]), int(s["unit_exhausted"][unit])
    for q in range(S.PLAYERS):
        for k in range(S.TOKENS):
            place = unit if t["token_on_unit"][q, k] else z
            there = int(s["token"][place, q, k]) if place >= 0 else 0
            planes[6 + S.TOKENS * (q != p) + k] = min(there, MOST_TOKENS)
    if s["zone_tile"][z] >= 0:
        owner, kind = divmod(int(s["zone_tile"][z]), S.TILES)
        planes[12 + (owner != p)] = kind + 1
        if t["tile_directed"][owner, kind]:
            way = int(s["zone_way"][z])
            planes[18 + (owner != p)] = (way if p == 0 else (way + 2) % 4) + 1
    return planes


def test_the_board_is_seen_as_it_is() -> None:
    game = react_env.load("arts_of_war-v0", artists="random")
    states, _ = positions(game, 300, seed=4)
    directed = tokens = 0
    for s in states:
        t = game.tables[s["table"]]
        for p in range(S.PLAYERS):
            board = game.observe(s, p)[LAYOUT["board"].start : LAYOUT["board"].stop].reshape(S.ZONES, PLANES)
            for z in range(S.ZONES):
                own = board[z if p == 0 else S.ZONES - 1 - z].copy()
                own[14:18] = own[20:22] = 0
                assert own.tolist() == seen_of(s, t, p, z), (p, z)
            directed, tokens = directed + (board[:, 18:20] > 0).sum(), tokens + (board[:, 6:12] > 0).sum()
    assert directed > 20 and tokens > 200 and np.any(states["unit_exhausted"])


def test_units_and_what_lies_around_the_artist_are_seen_as_they_are() -> None:
    """Each player sees its own before the other's: units, steps to both artists, the neighbours of its own, the masterpiece, the turn."""
    game = react_env.load("arts_of_war-v0", artists="random")
    states, _ = positions(game, 200, seed=5)
    around = tokens_around = 0
    for s in states:
        t, where = game.tables[s["table"]], s["unit_zone"]
        for p in range(S.PLAYERS):
            seen = {name: game.layout.view(game.observe(s, p), name).tolist() for name in game.observation_pieces}
            turn = [int(s["turn"]), s["turn_player"] == p, s["first"] == p, s["passes"] == 1, p]
            assert seen["turn"] == turn
            places = [int(z) if p == 0 else S.ZONES - 1 - int(z) for z in range(S.ZONES)]
            for i, row in enumerate(seen["units"]):
                u = (p * S.SLOTS + i) % S.UNITS
                tokens = min(int((s["token"][u] * t["token_on_unit"]).sum()), MOST_TOKENS)
                on = [1, *divmod(places[where[u]], 5), int(s["unit_exhausted"][u]), tokens]
                assert row == (on if where[u] >= 0 else [0] * 5)
            artists = [int(where[q * S.SLOTS]) for q in (p, 1 - p)]
            for z in range(S.ZONES):
                steps = [sum(abs(a - b) for a, b in zip(divmod(z, 5), divmod(zone, 5))) for zone in artists]
                assert seen["board"][places[z]][16:18] == steps
            for i, old in enumerate(s["row"]):
                owner, part = divmod(int(old), S.PARTS)
                cards = [int(old >= 0 and part + S.PARTS * (owner != p) == k) for k in range(2 * S.PARTS)]
                assert seen["masterpiece"][i if p == 0 else S.ROW - 1 - i] == cards
            if s["frames"] == 0:
                around += 1
                for way, z in enumerate(t["neighbour"][artists[0]]):
                    lies = seen["ways"][(way + 2 * p) % 4]
                    unit = int(s["zone_unit"][z]) if z >= 0 else -1
                    assert lies[:2] == [int(z < 0), int(z >= 0 and unit < 0)]
                    assert lies[2:4] == [int(unit >= 0 and (unit // S.SLOTS == p) == mine) for mine in (True, False)]
                    there = (s["token"][z] * (1 - t["token_on_unit"])).sum(axis=1) if z >= 0 else (0, 0)
                    assert lies[4:6] == [min(int(there[q]), MOST_TOKENS) for q in (p, 1 - p)]
                    tokens_around += int(max(there) > 0)
                    assert lies[6] == (int(t["distance"][z, artists[1]]) if z >= 0 else 0)
    assert around > 50 and tokens_around > 10
