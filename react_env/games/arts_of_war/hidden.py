"""Redraw what a player cannot know: rule AW-I1.

Two things are known of a hand: an opening hand that all have seen (`chain.known`), and that cards which lay face down and came back to
the hand have a Reaction (`known_reactions` of the record). A card that leaves a hand in public counts as a known one if one of its kind is
known: which copy it was makes no difference to the cards that remain. The other held cards can be any that have not been seen, and each
set of them is equally likely.

A card that lies face down is any card with a Reaction that was held when it was laid: a known one, or one of the others. A world is one
way to choose the held cards and, among these, the ones that lie face down. All worlds are equally likely.
"""

from typing import Any

import numpy as np

from react_env.engine.compile import njit
from react_env.engine.decks import shuffle, sort
from react_env.engine.rng import below
from react_env.engine.terms import Flag, Kind, Number, Player, State, Table
from react_env.games.arts_of_war import state as S
from react_env.games.arts_of_war.chain import hand_size, known
from react_env.games.arts_of_war.effects import laid_face_down


@njit
def gather(s: State, t: Table, q: Player) -> Any:
    """Put the unseen cards of player `q` into the deck, leave the known ones in hand, and return how many lie in the deck.

    They lie there sorted by card, so what is drawn next depends on the cards alone. Where they truly are must not leak.
    """
    for i in range(s.deck_size[q]):
        s.hand[q, s.deck[q, i]] += 1
    for j in range(S.CHAIN):
        if s.face_down[j] >= 0 and s.face_down_player[j] == q:
            s.hand[q, s.face_down[j]] += 1
    n = np.int64(0)
    for c in range(S.ACTIONS_CARDS):
        for _ in range(s.hand[q, c] - known(s, t, q, c)):
            s.deck[q, n] = c
            n += 1
        s.hand[q, c] = known(s, t, q, c)
    return n


@njit
def choices(n: Number, k: Kind) -> Number:
    """The number of ways to choose `k` of `n` things."""
    ways = np.int64(1)
    for i in range(k):
        ways = ways * (n - i) // (i + 1)
    return ways


@njit
def worlds(reactions: Number, others: Any, held: Number, r: Number, sure: Flag, laid: Any) -> Any:
    """The number of worlds in which `r` of the `held` unseen cards have a Reaction; `reactions` unseen cards have one, `others` none.

    `laid` of these `r` cards and the `sure` ones, which are known to have a Reaction, lie face down, in order.
    """
    ways = choices(reactions, r) * choices(others, held - r)
    for i in range(laid):
        ways *= sure + r - i
    return ways


@njit
def draw_reactions(s: State, reactions: Number, others: Any, held: Number, sure: Flag, laid: Any) -> Number:
    """Draw how many of the `held` unseen cards have a Reaction, each number weighted by its worlds."""
    most = min(held, reactions)
    total = np.int64(0)
    for r in range(most + 1):
        total += worlds(reactions, others, held, r, sure, laid)
    left = below(s, total)
    for r in range(most):
        left -= worlds(reactions, others, held, r, sure, laid)
        if left < 0:
            return np.int64(r)
    return np.int64(most)


@njit
def take(s: State, t: Table, q: Player, n: Number, reactions: Number, others: Any) -> Any:
    """Move the first `reactions` cards with a Reaction and `others` without one from deck to hand; return how many of `n` remain."""
    kept = np.int64(0)
    for i in range(n):
        c = s.deck[q, i]
        if t.card_reacts[q, c] and reactions > 0:
            reactions -= 1
            s.hand[q, c] += 1
        elif not t.card_reacts[q, c] and others > 0:
            others -= 1
            s.hand[q, c] += 1
        else:
            s.deck[q, kept] = c
            kept += 1
    return kept


@njit
def choose_reaction(s: State, t: Table, q: Player, count: Number) -> Any:
    """Take one of the `count` cards with a Reaction out of the hand, each equally likely."""
    left = below(s, count)
    for c in range(S.ACTIONS_CARDS):
        if t.card_reacts[q, c]:
            left -= s.hand[q, c]
            if left < 0:
                s.hand[q, c] -= 1
                return np.int64(c)
    return np.int64(0)  # never: what lies face down has a Reaction


@njit
def deal_held(s: State, t: Table, q: Player, n: Number, held: Number, choosing: Flag) -> Any:
    """The general case: draw which of the `n` unseen cards in the deck are held, and which of all held cards lie face down.

    `held`: how many unseen cards are held. `choosing`: one more is about to be laid. Returns how many cards remain in the deck.
    """
    promised = np.int64(s.known_reactions[q])
    sure, reactions = promised, np.int64(0)
    for c in range(S.ACTIONS_CARDS):
        if t.card_reacts[q, c]:
            sure += known(s, t, q, c)
    for i in range(n):
        if t.card_reacts[q, s.deck[q, i]]:
            reactions += 1
    laid = laid_face_down(s, q) + np.int64(choosing)
    # Some of the cards drawn since may have left the hand; those that lie face down were held before.
    fresh = min(np.int64(s.fresh[q]), held - promised - max(laid - sure, 0))
    open_places = held - promised - fresh
    r = draw_reactions(s, reactions - promised, n - reactions, open_places, sure, laid)
    n = take(s, t, q, n, promised + r, open_places - r)
    shuffle(s, s.deck[q], 0, n)  # `take` took the first of each sort, so the rest was no longer in random order
    count = sure + r
    for j in range(S.CHAIN):
        if s.face_down[j] >= 0 and s.face_down_player[j] == q:
            s.face_down[j] = choose_reaction(s, t, q, count)
            count -= 1
    if choosing:
        c = choose_reaction(s, t, q, count)
        s.hand[q, c] += 1
        s.frame[s.frames - 1].regs[S.R_FIRST] = c
    return take_top(s, q, n, fresh)


@njit
def take_top(s: State, q: Player, n: Number, count: Number) -> Any:
    """Move the top `count` of the `n` cards of the deck to the hand; returns how many remain."""
    for _ in range(count):
        n -= 1
        s.hand[q, s.deck[q, n]] += 1
    return n


@njit
def determinize(s: State, t: Table, p: Player) -> None:
    """Redraw what player `p` cannot know: their deck's order, and the opponent's hand, deck and face-down cards. `s.rng` is new."""
    own = np.int64(s.deck_size[p])
    sort(s.deck[p], 0, own)
    shuffle(s, s.deck[p], 0, own)
    q = 1 - p
    held = hand_size(s, q) + laid_face_down(s, q)
    for c in range(S.ACTIONS_CARDS):
        held -= known(s, t, q, c)
    choosing = s.frames > 0 and s.frame[s.frames - 1].kind == S.F_LAY and s.frame[s.frames - 1].player == q
    n = gather(s, t, q)
    shuffle(s, s.deck[q], 0, n)
    if choosing or s.known_reactions[q] or laid_face_down(s, q):
        n = deal_held(s, t, q, n, held, choosing)
    else:
        n = take_top(s, q, n, held)
    for i in range(n, S.DECK):
        s.deck[q, i] = 0
