"""The board of an observation, zone by zone, as the record has it."""

from typing import Any

import numpy as np

import react_env
from react_env.games.arts_of_war import state as S
from react_env.games.arts_of_war.observation import LAYOUT, MOST_TOKENS, PLANES
from tests.agents.games import positions


def seen_of(s: Any, t: Any, p: int, z: int) -> list[int]:
    """What player `p` sees in zone `z`: the planes but for locks, steps and plans."""
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
