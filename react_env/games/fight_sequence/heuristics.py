"""The heuristics of Fight Sequence: a quick value, a prior of actions, and where a look-ahead begins and stops.

A card that is not built is life, and a choice later on, so an Action must earn more than it costs. A response costs most, because the
opponent may then continue at any Speed, and a Willpower is better held until the damage comes. Tokens are worth more than the damage that
they stop so far. A fast attack is hard to follow, and the ninth Action is never answered. An opponent's pass offers to let the sequence
resolve. The first pass takes the initiative. Cards beyond five go back on the deck, so passing to draw them gains nothing.

The weights were found by random search over games against greedy.
"""

from typing import Any

import numpy as np

from react_env.engine.compile import njit
from react_env.engine.terms import Action, Number, Player, State, Table, Value
from react_env.games.fight_sequence import actions as A
from react_env.games.fight_sequence import state as S
from react_env.games.fight_sequence.hidden import unseen

# In units of one card in the deck, a card of life.
W_HAND = 1.3  # a card in hand is a choice, and becomes life once it is put back
W_INITIATIVE = 0.5
W_SAFE = 3.0  # the deck is not empty: one more damage does not lose

# For the prior, in the same units.
W_PASS_ON = -1.0  # a pass after which the opponent continues to build, compared with one that ends the building
W_TAKES_INITIATIVE = 0.8
W_CARD_TOO_MANY = -3.0
W_ATTACK = -1.5
W_FIRST_ATTACK = -1.2  # it resolves last, after all that was built against it
W_LAST_ATTACK = 1.2
W_FOLLOWED = -0.2  # the opponent holds an attack that is fast enough to follow
W_RESPONSE = -2.6
W_WILLPOWER = -0.9
W_TOKEN = 0.8


@njit
def unfinished(s: State) -> Any:
    """1 while a decision completes something already begun (a target, a Willpower), 0 at a free decision."""
    return 1 if s.decision == S.D_SHIFT or s.decision == S.D_RETURN or s.decision == S.D_WILLPOWER else 0


@njit
def pass_action(s: State) -> Action:
    """The action that lets the others go on: `pass` while building, except in the first turn of a sequence, where it is not allowed."""
    return A.A_PASS if s.decision == S.D_BUILD and s.turns > 0 else -1


@njit
def half(s: State, p: Player) -> Value:
    """Player `p`'s half of the value."""
    value = s.deck_size[p] + W_HAND * s.hand_size[p]
    if s.deck_size[p] > 0:
        value += W_SAFE
    if s.initiative == p:
        value += W_INITIATIVE
    return value


@njit
def value(s: State, t: Table, p: Player) -> Value:
    """How good the position is for player `p` (float; a win is 1e6)."""
    if s.over:
        return 1e6 * s.reward[p]
    return half(s, p) - half(s, 1 - p)


@njit
def potential(s: State, t: Table, p: Player) -> Number:
    """How far player `p` has come, about -1 to 1, by the life of both players."""
    return np.tanh((half(s, p) - half(s, 1 - p)) / 12.0)


@njit
def chance_of_attack(s: State, t: Table, q: Player, speed: Any) -> Value:
    """The chance that player `q` holds an attack of that Speed (tens) or more, as if drawing from the unseen cards with replacement."""
    fast, cards = 0, 0
    for c in range(t.cards[q]):
        count = unseen(s, t, q, c)
        cards += count
        if t.speed[q, c] >= speed:
            fast += count
    return 1.0 - (1.0 - fast / cards) ** s.hand_size[q] if cards else 0.0


@njit
def prior(s: State, t: Table, p: Player, action: Action) -> Value:
    """A bonus for a legal action beyond its result, in cards of life."""
    if s.decision != S.D_BUILD:
        return 0.0
    if action == A.A_PASS:
        if s.passes:
            return 0.0
        worth = W_PASS_ON + W_CARD_TOO_MANY * max(0, s.hand_size[p] - S.HAND)
        return worth if s.claimed else worth + W_TAKES_INITIATIVE
    if action < A.A_RESPOND:
        worth = W_ATTACK
        if s.turns == 0:
            worth += W_FIRST_ATTACK
        if s.slots == S.SLOTS - 1:
            worth += W_LAST_ATTACK
        else:
            worth += W_FOLLOWED * chance_of_attack(s, t, 1 - p, t.speed[p, action - A.A_ATTACK])
        return worth
    does = t.effect[p, S.RESPONSE, action - A.A_RESPOND, 0]
    worth = W_RESPONSE
    if does == S.X_WILLPOWER:
        worth += W_WILLPOWER
    elif does == S.X_TOKEN:
        worth += W_TOKEN
    return worth
