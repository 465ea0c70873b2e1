"""Set-up, turns, chances, traveling cards, and the end of rounds and of the game."""

from typing import Any

import numpy as np

from react_env.engine.compile import njit
from react_env.engine.decks import shuffle
from react_env.engine.rng import below
from react_env.engine.terms import Action, Card, Flag, Mask, Number, Player, State, Table
from react_env.games.react_fast import actions as A
from react_env.games.react_fast import log
from react_env.games.react_fast import state as S
from react_env.games.react_fast.latency import normal
from react_env.games.react_fast.window import begin_window, clear_carries, resolve

SUIT_OF = S.TRAVELING_SUIT


# -- decks and the pile ------------------------------------------------------------------------------------------------------


@njit
def top(s: State, p: Player) -> Card:
    """The card on top of a deck that is not empty."""
    return s.deck[p, s.head[p]] & S.CARD_BITS


@njit
def take_top(s: State, p: Player) -> Any:
    """Take the card on top of a deck, with its bits."""
    code = s.deck[p, s.head[p]]
    s.head[p] = (s.head[p] + 1) % S.CARDS
    s.size[p] -= 1
    return code


@njit
def put_under(s: State, p: Player, code: Any) -> None:
    """Put a card, with its bits, under a deck."""
    s.deck[p, (s.head[p] + s.size[p]) % S.CARDS] = code
    s.size[p] += 1


@njit
def reveal(s: State, p: Player) -> None:
    """Give the traveling cards on top of a deck to its owner, unused (RF-T5, G-7, G-26). All can see that the new top card is not one."""
    while s.size[p] > 0 and top(s, p) >= S.PLAYING:
        card = (take_top(s, p) & S.CARD_BITS) - S.PLAYING
        s.owner[card] = p
        s.used[card] = 0
        s.shown[p] += 1
        log.emit(s, log.E_REVEAL, p, card, 0)
    if s.size[p] > 0:
        s.deck[p, s.head[p]] &= ~S.FIRST


@njit
def put_on_pile(s: State, p: Player) -> Card:
    """Put the next playing card of a deck on the pile, seen by all; returns it, or NOTHING if there is none."""
    reveal(s, p)
    if s.size[p] == 0:
        return S.NOTHING
    card = take_top(s, p) & S.CARD_BITS
    s.pile[s.pile_size] = card | S.KNOWN
    s.pile_size += 1
    s.seen[card] = s.placed
    return np.int64(card)


# -- set-up ------------------------------------------------------------------------------------------------------------------


@njit
def deal(s: State, t: Table) -> None:
    """Equal decks, traveling cards spread evenly, the rest on the pile (RF-S1, G-2, G-3)."""
    players = s.alive.shape[0]
    each = S.CARDS // players
    order = s.pile  # scratch space: the pile is still empty
    for card in range(S.CARDS):
        order[card] = card
    s.first_seat = below(s, players)
    if t.deal_even:
        shuffle(s, order, 0, S.PLAYING)
        shuffle(s, order, S.PLAYING, S.CARDS)
        for i in range(S.TRAVELING):
            put_under(s, (s.first_seat + i) % players, order[S.PLAYING + i] | S.FIRST)
        used = 0
        for p in range(players):
            while s.size[p] < each:
                put_under(s, p, order[used] | S.FIRST)
                used += 1
            shuffle(s, s.deck[p], 0, each)
        rest = S.PLAYING - used
        for i in range(rest):
            order[i] = order[used + i]
    else:
        rest = S.CARDS - each * players
        if rest > 0:  # only playing cards may be left over
            shuffle(s, order, 0, S.PLAYING)
            for i in range(rest):
                j, k = S.PLAYING - 1 - i, S.CARDS - 1 - i
                order[j], order[k] = order[k], order[j]
        shuffle(s, order, 0, S.CARDS - rest)
        for i in range(each * players):
            put_under(s, i % players, order[i] | S.FIRST)
        for i in range(rest):
            order[i] = order[each * players + i]
    s.pile_size = rest
    s.blind = rest
    for i in range(rest, S.CARDS):
        s.pile[i] = 0
    if rest > 0 and t.remainder_face:
        s.blind = rest - 1
        s.pile[rest - 1] |= S.KNOWN
        s.face = s.pile[rest - 1] & S.CARD_BITS


@njit
def who_begins(s: State, t: Table) -> Player:
    """The player with the highest bottom card, ties by suit (RF-S2, G-4); the cards shown for it are known (G-5)."""
    chosen = -1
    best = -1
    for p in range(s.alive.shape[0]):
        i = s.size[p] - 1
        while i >= 0 and (s.deck[p, (s.head[p] + i) % S.CARDS] & S.CARD_BITS) >= S.PLAYING:
            i -= 1
        if i < 0:
            continue
        place = (s.head[p] + i) % S.CARDS
        card = s.deck[p, place] & S.CARD_BITS
        suit = card // S.RANKS
        height = (card % S.RANKS) * 4 + (3 - suit if t.highest_suit_coins else suit)
        if t.bottom_cards_public:
            s.deck[p, place] |= S.KNOWN
        if height > best:
            chosen, best = p, height
    return np.int64(max(chosen, 0))


@njit
def reset(s: State, t: Table, mask: Mask) -> None:
    """Deal and go to the first decision."""
    for p in range(s.alive.shape[0]):
        s.alive[p] = 1
    for card in range(S.TRAVELING):
        s.owner[card] = S.HIDDEN
    s.face = S.NOTHING
    deal(s, t)
    for p in range(s.alive.shape[0]):
        spread = 0.0 if t.mode == S.DETERMINISTIC else t.spread * normal(s)
        s.scale[p] = t.scale[p] * np.exp(spread)
    first = who_begins(s, t)
    s.last = first
    begin_round(s, first)
    go_on(s, t, mask)


# -- rounds ------------------------------------------------------------------------------------------------------------------


@njit
def begin_round(s: State, p: Player) -> None:
    """Begin a round with that player's turn, without effects or a pending chance."""
    clear_round(s)
    begin_turn(s, p)


@njit
def clear_round(s: State) -> None:
    """Remove everything that lasts for a round."""
    s.before = S.NOTHING
    s.chance = S.NOBODY
    s.remaining = 0
    s.extra = 0
    s.suits = 0
    s.free = S.NOBODY
    s.heap = 0
    s.after = S.AFTER_NEXT
    for q in range(s.alive.shape[0]):
        s.folds[q] = 0
        s.skipper[q] = 0
        s.locked[q] = 0
    clear_carries(s)


@njit
def begin_turn(s: State, p: Player) -> None:
    s.whose = p
    s.actor = p
    s.turn += 1
    s.stage = S.ST_SKIP


@njit
def end_round(s: State, p: Player) -> None:
    """A player takes the pile. Players without cards are out and give that player their traveling cards (RF-T6, RF-W1, RF-W2)."""
    log.emit(s, log.E_ROUND, p, -1, s.pile_size)
    for i in range(s.pile_size):
        put_under(s, p, s.pile[i] & (S.CARD_BITS | S.KNOWN))
    s.pile_size = 0
    s.blind = 0
    s.face = S.NOTHING
    left = 0
    for q in range(s.alive.shape[0]):
        if s.alive[q] == 1 and s.size[q] == 0 and q != p:
            s.alive[q] = 0
            log.emit(s, log.E_OUT, q, -1, 0)
            for card in range(S.TRAVELING):
                if s.owner[card] == q:
                    s.owner[card] = p
                    s.used[card] = 0
        left += s.alive[q]
    if left == 1:
        clear_round(s)
        win(s, p)
    else:
        begin_round(s, p)


@njit
def win(s: State, p: Player) -> None:
    """End the game: 1 for the winner, -1 shared by the others; without a winner (NOBODY) a draw."""
    s.over = 1
    s.decision = S.D_NONE
    s.to_play = s.whose  # regardless of who was asked last
    players = s.alive.shape[0]
    for q in range(players):
        s.reward[q] = 0.0 if p < 0 else 1.0 if q == p else -1.0 / (players - 1)
    log.emit(s, log.E_WIN, p, -1, 0)


@njit
def cut(s: State) -> None:
    """After too many placements the player with most cards wins; a tie is a draw (G-9)."""
    best, winner = -1, S.NOBODY
    for p in range(s.alive.shape[0]):
        if s.alive[p] == 1 and s.size[p] >= best:
            winner = S.NOBODY if s.size[p] == best else p
            best = s.size[p]
    log.emit(s, log.E_CUT, winner, -1, 0)
    win(s, winner)


# -- turns -------------------------------------------------------------------------------------------------------------------


@njit
def with_cards(s: State) -> Number:
    """How many players could still place a card (G-27)."""
    count = 0
    for p in range(s.alive.shape[0]):
        count += s.alive[p] == 1 and s.size[p] > 0
    return count


@njit
def next_with_cards(s: State, p: Player) -> Player:
    """The next player clockwise who has cards, perhaps the same one; NOBODY if there is none."""
    players = s.alive.shape[0]
    for i in range(1, players + 1):
        q = (p + i) % players
        if s.alive[q] == 1 and s.size[q] > 0:
            return np.int64(q)
    return np.int64(S.NOBODY)


@njit
def taker(s: State) -> Player:
    """Who takes the pile when nobody has cards (G-23)."""
    return np.int64(s.chance) if s.chance >= 0 else np.int64(s.last)


@njit
def pass_on(s: State) -> None:
    """Begin the next turn (RF-T1, RF-T4, G-19 to G-23)."""
    q = next_with_cards(s, np.int64(s.whose))
    if q >= 0:
        begin_turn(s, q)
    else:
        end_round(s, taker(s))


@njit
def may_skip(s: State) -> Flag:
    """Whether the player whose turn it is may skip it (A8, G-27)."""
    return s.chance >= 0 and s.chance != s.whose and s.skipper[s.whose] == 1 and s.skips < with_cards(s) - 1


@njit
def place(s: State, t: Table) -> None:
    """Place one unit from the deck of the player who acts: a card, or two folded ones (RF-T1, RF-V5)."""
    p = np.int64(s.actor)
    first = put_on_pile(s, p)
    if first < 0:
        s.stage = S.ST_NEXT
        return
    card = first
    count = 1
    if s.folds[p] == 1:
        second = put_on_pile(s, p)
        if second >= 0:
            card = second
            count = 2
    s.before = s.face
    s.face = card
    s.heap = 0
    s.placed += 1
    s.skips = 0
    s.last = s.whose
    log.emit(s, log.E_PLACE, p, card, count)
    rank = card % S.RANKS
    if rank >= S.JACK:
        s.chance = s.whose
        s.remaining = rank - S.JACK + 1 + s.extra
        s.after = S.AFTER_NEXT
    elif s.chance >= 0:
        s.remaining -= 1
        s.after = S.AFTER_LOST if s.remaining == 0 else S.AFTER_SAME
    else:
        s.after = S.AFTER_NEXT
    begin_window(s, t)


@njit
def after_window(s: State) -> None:
    """Continue after a window in which nobody took the pile."""
    if s.after == S.AFTER_HEAP:
        s.after = S.AFTER_NEXT
        s.stage = S.ST_STANCE
    elif s.after == S.AFTER_SAME:
        s.stage = S.ST_STANCE if s.size[s.actor] > 0 else S.ST_NEXT
    else:
        reveal(s, np.int64(s.actor))
        if s.after == S.AFTER_LOST:
            end_round(s, np.int64(s.chance))
        else:
            s.stage = S.ST_NEXT


# -- traveling cards -----------------------------------------------------------------------------------------------------------


@njit
def has_suit_win(s: State, t: Table, p: Player) -> Flag:
    """Whether a player owns used traveling cards of all four suits (RF-W4, G-8)."""
    suits = 0
    for card in range(S.TRAVELING):
        if s.owner[card] == p:
            if s.used[card]:
                suits |= 1 << SUIT_OF[card]
            elif t.suit_win_all_used:
                return False
    return suits == 15


@njit
def heap(s: State, t: Table, p: Player) -> None:
    """Gems #6: each opponent gives two cards. They end the situation, and only the top one is live (G-15)."""
    players = s.alive.shape[0]
    s.chance = S.NOBODY
    s.remaining = 0
    count, card, giver = 0, np.int64(S.NOTHING), p
    for i in range(1, players):
        q = (p + i) % players
        if s.alive[q] == 1:
            for _ in range(2):
                given = put_on_pile(s, q)
                if given >= 0:
                    card, giver = given, q
                    count += 1
    if count == 0:
        s.after = S.AFTER_NEXT
        s.asked = 0
        s.stage = S.ST_STANCE
        return
    s.before = s.face
    s.face = card
    s.heap = 1
    s.placed += 1
    s.skips = 0
    s.last = giver
    log.emit(s, log.E_HEAP, p, card, count)
    rank = card % S.RANKS
    if rank >= S.JACK:
        s.chance = giver
        s.remaining = rank - S.JACK + 1 + s.extra
    s.after = S.AFTER_HEAP
    begin_window(s, t)


@njit
def take_face(s: State, t: Table, p: Player) -> None:
    """Artifacts #9: the top card goes under the player's deck, and the pending chance ends (G-25)."""
    s.pile_size -= 1
    code = s.pile[s.pile_size] & (S.CARD_BITS | S.KNOWN)
    put_under(s, p, code)
    log.emit(s, log.E_TAKE, p, code & S.CARD_BITS if code & S.KNOWN else -1, 0)
    s.chance = S.NOBODY
    s.remaining = 0
    s.blind = min(s.blind, s.pile_size)
    s.before = S.NOTHING
    s.face = S.NOTHING
    if t.uncovered_counts and s.pile_size > s.blind:
        s.face = s.pile[s.pile_size - 1] & S.CARD_BITS


@njit
def activate(s: State, t: Table, card: Card, target: Player) -> None:
    """Use a traveling card; the suit win comes before its effect (RF-W4)."""
    p = np.int64(s.whose)
    s.used[card] = 1
    s.stage = S.ST_STANCE
    log.emit(s, log.E_ACTIVATE, p, card, target + 1)
    if has_suit_win(s, t, p):
        log.emit(s, log.E_SUIT_WIN, p, -1, 0)
        win(s, p)
    elif card == S.J2:
        if s.chance >= 0 and s.extra == 0 and s.after != S.AFTER_SAME:  # the chance card still lies on top (RF-V3)
            s.remaining += 1
        s.extra = 1
    elif card == S.J3:
        s.suits = 1
    elif card == S.C4:
        s.folds[target] = 1
    elif card == S.C5:
        s.actor = target
    elif card == S.G6:
        s.after = S.AFTER_HEAP  # once the stances for it are chosen
    elif card == S.G7:
        s.free = p
    elif card == S.A8:
        s.skipper[p] = 1
    else:
        take_face(s, t, p)


# -- the course of the game ------------------------------------------------------------------------------------------------------


@njit
def ask(s: State, decision: Number, p: Player) -> None:
    s.decision = decision
    s.to_play = p


@njit
def next_asked(s: State) -> Player:
    """The next player, from the one whose turn it is, who commits and has not been asked; the number of players if there is none."""
    players = s.alive.shape[0]
    for i in range(players):
        p = (s.whose + i) % players
        if commits(s, p) and (s.asked >> p & 1) == 0:
            return np.int64(p)
    return np.int64(players)


@njit
def commits(s: State, p: Player) -> Flag:
    """Whether a player chooses a stance and a slap: one who is in the game and not locked out (G-16)."""
    return s.alive[p] == 1 and s.locked[p] == 0


@njit
def ask_to_commit(s: State, decision: Number, p: Player) -> None:
    ask(s, decision, p)
    s.asked |= 1 << p


@njit
def together(s: State, t: Table, who: Mask) -> None:
    """Mark who decides at the same time: in a window all who have yet to commit, otherwise only the player to move (RF-R1)."""
    window = s.decision == S.D_STANCE or s.decision == S.D_SLAP
    for p in range(s.alive.shape[0]):
        who[p] = s.decision != S.D_NONE and (p == s.to_play or (window and commits(s, p) and (s.asked >> p & 1) == 0))


@njit
def next_actor(s: State) -> Player:
    """Who acts next if nobody takes the pile."""
    if s.after == S.AFTER_SAME and s.size[s.actor] > 0:
        return np.int64(s.actor)
    if s.after == S.AFTER_LOST:
        return np.int64(s.chance)
    if s.after == S.AFTER_HEAP:
        return np.int64(s.actor)
    q = next_with_cards(s, np.int64(s.whose))
    return q if q >= 0 else taker(s)


@njit
def go_on(s: State, t: Table, mask: Mask) -> None:
    """Go on to the next decision, or to the end."""
    players = s.alive.shape[0]
    while s.over == 0 and s.decision == S.D_NONE:
        if s.stage == S.ST_SKIP:
            if may_skip(s):
                ask(s, S.D_SKIP, s.whose)
            s.stage = S.ST_ACTIVATE
        elif s.stage == S.ST_ACTIVATE:
            s.stage = S.ST_STANCE
            if can_begin(s, t) and A.can_activate(s, t, np.int64(s.whose)):
                ask(s, S.D_ACTIVATE, s.whose)
            s.asked = 0
        elif s.stage == S.ST_STANCE:
            p = next_asked(s) if t.mode == S.SKILL else np.int64(players)
            if p < players:
                ask_to_commit(s, S.D_STANCE, p)
            else:
                s.stage = S.ST_PLACE
        elif s.stage == S.ST_PLACE:
            if s.after == S.AFTER_HEAP:
                heap(s, t, np.int64(s.whose))
            elif s.placed >= t.max_placements:
                cut(s)
            else:
                place(s, t)
        elif s.stage == S.ST_WINDOW:
            p = next_asked(s)
            if p < players:
                ask_to_commit(s, S.D_SLAP, p)
            elif s.pace == S.NOTHING:
                ask(s, S.D_PACE, next_actor(s))
            else:
                close_window(s, t)
        else:
            pass_on(s)
    if s.over == 0:
        A.legal(s, t, mask)


@njit
def close_window(s: State, t: Table) -> None:
    """Resolve the window once all have committed."""
    winner = resolve(s, t, next_actor(s))
    s.asked = 0
    if winner >= 0:
        reveal(s, np.int64(s.actor))
        end_round(s, winner)
    else:
        after_window(s)


@njit
def can_begin(s: State, t: Table) -> Flag:
    """Whether a traveling card may be activated now. By an option, a player who takes over chances may not (G-20)."""
    return t.takeover_activates == 1 or s.chance < 0 or s.after != S.AFTER_SAME


@njit
def apply(s: State, t: Table, action: Action, mask: Mask) -> None:
    """Take a legal action and go to the next decision."""
    p, decision = np.int64(s.to_play), s.decision
    for q in range(s.alive.shape[0]):
        s.reward[q] = 0.0
    s.decision = S.D_NONE
    end = A.tail(s)
    players = s.alive.shape[0]
    if decision == S.D_ACTIVATE:
        if action >= A.A_C4 + players:
            activate(s, t, S.C5, action - A.A_C4 - players)
        elif action >= A.A_C4:
            activate(s, t, S.C4, action - A.A_C4)
        elif action != A.A_NONE:
            activate(s, t, A.PLAIN[action - A.A_ACTIVATE], np.int64(-1))
    elif decision == S.D_SKIP:
        if action == end + A.T_SKIP:
            log.emit(s, log.E_SKIP, p, -1, 0)
            s.skips += 1
            s.stage = S.ST_NEXT
    elif decision == S.D_STANCE:
        s.stance[p] = action - end - A.T_STANCE
    elif decision == S.D_SLAP:
        s.commit[p] = action - end - A.T_HOLD
    else:
        s.pace = action - end - A.T_PACE
    go_on(s, t, mask)
