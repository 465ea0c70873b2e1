"""A quick value of a position for one-step look-ahead (the greedy baseline), and where such a look-ahead begins and stops."""

from typing import Any

import numpy as np

from react_env.engine.compile import njit
from react_env.engine.terms import Action, Number, Player, State, Table, Value, Zone
from react_env.games.arts_of_war import actions as A
from react_env.games.arts_of_war import state as S
from react_env.games.arts_of_war.masterpiece import own_slot

# In units in which the first damage to an artist is 125, the second 175 (`balance`).
W_CARD = 7.0
W_SUMMON = 8.0
W_ADJACENT_SUMMON = 5.0
W_NEAR = 1.0
W_PARTS = 5.0
W_ASCENDED = 25.0
W_TOKEN_ON_ARTIST = 8.0
W_TOKEN_ON_OWN = 3.0
W_TOKEN_ON_ZONE = 1.0
W_TOKEN_NEAR_ARTIST = 4.0
W_TILE = 2.0
W_TILE_NEAR_ARTIST = 3.0
W_TILE_MANNED = 4.0  # an own unit stands on a tile that waits for a cue
W_COUNTER = 2.5  # each point up to MOST_POINTS; so the clock of an artist without a deck counts only near its end
MOST_POINTS = 10
W_FORM = 15.0
W_LOW_DECK = 5.0  # each card that the deck is short of LOW_DECK: to draw from an empty one loses
LOW_DECK = 8
W_TIE = -400.0  # only a player who is about to lose wants a tie


@njit
def unfinished(s: State) -> Any:
    """1 while the decision completes something already begun, 0 at a free decision (main phase, reaction window)."""
    return 0 if s.decision == S.D_MAIN or s.decision == S.D_REACT else 1


@njit
def pass_action(s: State) -> Action:
    """The action that lets the others go on: `pass` at a reaction window, -1 elsewhere."""
    return A.A_PASS if s.decision == S.D_REACT else -1


@njit
def steps_to_prey(s: State, t: Table, q: Player, z: Zone) -> Any:
    """Steps from zone `z` to what player `q` must not lose: the artist, or the nearest vital summon."""
    if not t.vital[q]:
        return np.int64(t.distance[z, s.unit_zone[q * S.SLOTS]])
    best = np.int64(8)
    for slot in range(1, S.SLOTS):
        u = q * S.SLOTS + slot
        if t.slot_kind[q, slot] == t.vital[q] and s.unit_zone[u] >= 0:
            best = min(best, np.int64(t.distance[z, s.unit_zone[u]]))
    return best


@njit
def best_fit(s: State, t: Table, p: Player) -> Number:
    """How far the masterpiece of player `p` has come, in the best three slots: 2 for each card in its place, 1 for each free place."""
    best = 0
    for first in range(S.ROW - S.PARTS + 1):
        fit = 0
        for part in range(S.PARTS):
            here = s.row[own_slot(t, p, first + part)]
            if here == p * S.PARTS + part:
                fit += 2
            elif here < 0:
                fit += 1
        best = max(best, fit)
    return best


@njit
def half(s: State, t: Table, p: Player, card_weight: Any) -> Value:
    """The value of player `p`'s side without damage; `card_weight` is the worth of a card in hand."""
    held = 0
    for c in range(S.ACTIONS_CARDS):
        held += s.hand[p, c]
    for i in range(S.CHAIN):
        if s.face_down[i] >= 0 and s.face_down_player[i] == p:
            held += 1
    value = card_weight * min(held, S.HAND - 1)
    if t.has_deck[p] and s.deck_size[p] < LOW_DECK:
        value -= W_LOW_DECK * (LOW_DECK - s.deck_size[p])
    # Count first and weigh afterwards: whole numbers need not wait for each other, as the terms of a float sum do.
    summons, steps, adjacent, tokens = 0, 0, 0, 0
    for slot in range(1, S.SLOTS):
        u = p * S.SLOTS + slot
        z = s.unit_zone[u]
        if z >= 0:
            d = steps_to_prey(s, t, 1 - p, z)
            summons += 1
            steps += d
            adjacent += d == 1
            for k in range(S.TOKENS):
                tokens += (s.token[u, p, k] != 0) & (t.token_on_unit[p, k] != 0)
    value += W_SUMMON * summons - W_NEAR * steps + W_ADJACENT_SUMMON * adjacent + W_TOKEN_ON_OWN * tokens
    for k in range(S.TOKENS):
        if t.token_on_unit[p, k] and s.token[(1 - p) * S.SLOTS, p, k]:
            value += W_TOKEN_ON_ARTIST
        if not t.token_on_unit[p, k] and not t.token_blocks[p, k] and s.token_left[p, k] < t.token_pool[p, k]:
            for z in range(t.zones):
                n = s.token[z, p, k]
                if n:
                    value += W_TOKEN_ON_ZONE * n
                    if steps_to_prey(s, t, 1 - p, z) <= 1:
                        value += W_TOKEN_NEAR_ARTIST
    value += W_PARTS * best_fit(s, t, p)
    if s.ascended[p] and t.ascend_mode[p, s.form[p]] == S.ASCEND_LASTING:
        value += W_ASCENDED
    if s.form[p]:
        value += W_FORM
    left = 0
    for k in range(S.TILES):
        left += t.tile_pool[p, k] - s.tile_left[p, k]
    tiles, manned, near = 0, 0, 0
    z = 0
    while tiles < left and z < t.zones:
        k = s.zone_tile[z] - p * S.TILES
        if 0 <= k < S.TILES:
            tiles += 1
            manned += t.tile_cue[p, k] >= 0 and s.zone_unit[z] // S.SLOTS == p
            near += steps_to_prey(s, t, 1 - p, z) <= 1
        z += 1
    value += W_TILE * tiles + W_TILE_MANNED * manned + W_TILE_NEAR_ARTIST * near
    for k in range(S.COUNTERS):
        if t.counter_most[p, k]:
            value += W_COUNTER * min(s.counter[p, k], MOST_POINTS)
    return value


@njit
def hurt(s: State, t: Table, p: Player) -> Number:
    """How near player `p` is to losing, in lives of an artist: damage taken, or missing vital summons."""
    if not t.vital[p]:
        return float(s.damage[p])
    left = 0
    for slot in range(1, S.SLOTS):
        if t.slot_kind[p, slot] == t.vital[p] and s.unit_zone[p * S.SLOTS + slot] >= 0:
            left += 1
    return max(0.0, float(S.LIVES - left))


@njit
def balance(s: State, t: Table, p: Player, card_weight: Any) -> Value:
    """The value of player `p`'s side less the other's, damage included (float; the first damage is worth 125, the second 175)."""
    value = 0.0
    for q in range(S.PLAYERS):
        sign = 1.0 if q == p else -1.0
        harm = hurt(s, t, q)
        value += sign * (half(s, t, q, card_weight) - 100.0 * harm - 25.0 * harm * harm)
    return value


@njit
def value(s: State, t: Table, p: Player) -> Value:
    """How good the position is for player `p` (float; a win is 1e6)."""
    if s.over:
        return 1e6 * s.reward[p] if s.reward[p] else W_TIE
    return balance(s, t, p, W_CARD)


@njit
def potential(s: State, t: Table, p: Player) -> Number:
    """How far player `p` has come, about -1 to 1: the balance without the cards in hand, which a learner would only hoard."""
    return np.tanh(balance(s, t, p, 0.0) / 300.0)
