"""What agents may ask of Fight Sequence: a quick value, a prior of actions, and where a look ahead begins and stops.

A card that is not built is life and a choice later on, so an Action must earn more than it costs; a response costs most, for it lets the
opponent go on at any Speed, and a Willpower is better held until the damage comes. Tokens are worth more than the damage that lies there
already. A fast attack is hard to follow, and the ninth Action is never answered. An opponent's pass is an offer to let the sequence
resolve; the first pass takes the initiative; cards above five go back on the deck, so passing for them gains nothing.

The weights were found by random search over games against greedy.
"""

from typing import Any

import numpy as np

from react_env.engine.compile import njit
from react_env.engine.terms import Action, Number, Player, State, Table, Value
from react_env.games.fight_sequence import actions as A
from react_env.games.fight_sequence import state as S
from react_env.games.fight_sequence.hidden import unseen

# In units of a card of life (a card in the deck).
W_HAND = 1.3  # a card in hand is life, too, once it is put back, and a choice until then
W_INITIATIVE = 0.5
W_SAFE = 3.0  # the deck is not empty: one more damage does not lose

# Of the prior, likewise.
W_PASS_ON = -1.0  # the opponent goes on building; against a pass that ends it
W_TAKES_INITIATIVE = 0.8
W_CARD_TOO_MANY = -3.0
W_ATTACK = -1.5
W_FIRST_ATTACK = -1.2  # it resolves last, when everything has been built against it
W_LAST_ATTACK = 1.2
W_FOLLOWED = -0.2  # the opponent holds an attack that is fast enough to follow
W_RESPONSE = -2.6
W_WILLPOWER = -0.9
W_TOKEN = 0.8


@njit
def unfinished(s: State) -> Any:
    """1 while the decision completes what is happening (a target, a Willpower), 0 at a free one."""
    return 1 if s.decision == S.D_SHIFT or s.decision == S.D_RETURN or s.decision == S.D_WILLPOWER else 0


@njit
def pass_action(s: State) -> Action:
    """The action that lets the others go on: `pass` while building, but for the first turn of a sequence, which allows none."""
    return A.A_PASS if s.decision == S.D_BUILD and s.turns > 0 else -1


@njit
def half(s: State, p: Player) -> Value:
    """What speaks for player `p`."""
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
    """How far player `p` has come, about -1 to 1: the life of both."""
    return np.tanh((half(s, p) - half(s, 1 - p)) / 12.0)


@njit
def chance_of_attack(s: State, t: Table, q: Player, speed: Any) -> Value:
    """How likely player `q` holds an attack of at least that Speed, in tens: by what is unseen of the deck, each card as if put back."""
    fast, cards = 0, 0
    for c in range(t.cards[q]):
        count = unseen(s, t, q, c)
        cards += count
        if t.speed[q, c] >= speed:
            fast += count
    return 1.0 - (1.0 - fast / cards) ** s.hand_size[q] if cards else 0.0


@njit
def prior(s: State, t: Table, p: Player, action: Action) -> Value:
    """What speaks for a legal action, in cards of life."""
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
