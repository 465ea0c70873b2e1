"""Rules of thumb for Fight Sequence: what speaks for an Action or a pass beyond what the sequence does as it lies.

A card that is not built is life and a choice later on, so an Action must earn more than it costs; a response costs most, for it lets the
opponent go on at any Speed, and a Willpower is better held until the damage comes. Tokens are worth more than the damage that lies there
already. A fast attack is hard to follow, and the ninth Action is never answered. An opponent's pass is an offer to let the sequence
resolve; the first pass takes the initiative; cards above five go back on the deck, so passing for them gains nothing.

The weights were found by random search over games against greedy.
"""

from typing import Any

from react_env.engine.compile import njit
from react_env.games.fight_sequence.actions import A_ATTACK, A_PASS, A_RESPOND
from react_env.games.fight_sequence.hidden import unseen
from react_env.games.fight_sequence.state import D_BUILD, HAND, RESPONSE, SLOTS, X_TOKEN, X_WILLPOWER

# In cards of life.
W_PASS_ON = -1.0  # the opponent goes on building; against a pass that ends it
W_INITIATIVE = 0.8
W_CARD_TOO_MANY = -3.0
W_ATTACK = -1.5
W_FIRST_ATTACK = -1.2  # it resolves last, when everything has been built against it
W_LAST_ATTACK = 1.2
W_FOLLOWED = -0.2  # the opponent holds an attack that is fast enough to follow
W_RESPONSE = -2.6
W_WILLPOWER = -0.9
W_TOKEN = 0.8


@njit
def chance_of_attack(s: Any, t: Any, q: Any, speed: Any) -> Any:
    """How likely player `q` holds an attack of at least that Speed, in tens: by what is unseen of the deck, each card as if put back."""
    fast, cards = 0, 0
    for c in range(t.cards[q]):
        count = unseen(s, t, q, c)
        cards += count
        if t.speed[q, c] >= speed:
            fast += count
    return 1.0 - (1.0 - fast / cards) ** s.hand_size[q] if cards else 0.0


@njit
def opinion(s: Any, t: Any, p: Any, action: Any) -> Any:
    """What speaks for a legal action, in cards of life."""
    if s.decision != D_BUILD:
        return 0.0
    if action == A_PASS:
        if s.passes:
            return 0.0
        value = W_PASS_ON + W_CARD_TOO_MANY * max(0, s.hand_size[p] - HAND)
        return value if s.claimed else value + W_INITIATIVE
    if action < A_RESPOND:
        value = W_ATTACK
        if s.turns == 0:
            value += W_FIRST_ATTACK
        if s.slots == SLOTS - 1:
            value += W_LAST_ATTACK
        else:
            value += W_FOLLOWED * chance_of_attack(s, t, 1 - p, t.speed[p, action - A_ATTACK])
        return value
    does = t.effect[p, RESPONSE, action - A_RESPOND, 0]
    value = W_RESPONSE
    if does == X_WILLPOWER:
        value += W_WILLPOWER
    elif does == X_TOKEN:
        value += W_TOKEN
    return value
