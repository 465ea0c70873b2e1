"""The features of a position for one player, from which a value is learned (`react_env.agents.players.learned_value`).

They read decks, so hidden cards must be redrawn first. Much depends on the next cards: whoever slaps the card that a traveling card shows
owns that traveling card, so a shown card counts more the sooner it is placed. All features of a player who is out are zero.
"""

from typing import Any

import numpy as np

from react_env.engine.compile import njit
from react_env.engine.layout import Numbers
from react_env.engine.terms import Card, Features, Flag, Number, Player, State, Table, Value
from react_env.games.react_fast import state as S
from react_env.games.react_fast.turn import next_with_cards
from react_env.games.react_fast.window import is_pair, needed_for

_LOW = (0, 1, 2, 4, 7)
_TURNS = 4  # the next turns that have features of their own
_SOON = 5.0  # placements, after which a coming card counts 1 / e
_DEPTH = 6  # cards of a deck that are read one by one
_FAIL = (S.RANKS - 4) / S.RANKS  # the chance that a card is not a chance card

_room = Numbers()


ONE = _room("in the game")
CARDS = _room("cards")  # tens
CARDS_LOW = _room("cards low", len(_LOW))  # 1 for each threshold that cards do not exceed
SLOW = _room("how slow")  # tenths slower than an average hand
OWNED = _room("traveling cards", S.TRAVELING)
USED_CARD = _room("used traveling cards", S.TRAVELING)
REACH = _room("suits", 4)  # 1 for each number reached
USED = _room("suits used", 3)
LEFT = _room("all suits, so many not used", 4)
SPARE = _room("traveling cards of a suit used")
READY = _room("unused traveling cards of suits not used")
HIDDEN = _room("hidden traveling cards")
HIDDEN_NEW = _room("hidden traveling cards of new suits")
HIDDEN_SOON = _room("the same, soon")
TURN = _room("turns until the own one", _TURNS)
WIN = _room("turns until the own one, one activation from winning", _TURNS)
ALMOST = _room("turns until the own one, two activations from winning", _TURNS)
KEEP = _room("sole card of a suit to be slapped soon", 2)  # unused, used
KEEP_SPARE = _room("spare card to be slapped soon")
GAIN = _room("new suit to be slapped soon")
GAIN_SPARE = _room("another's card of an own suit to be slapped soon")
PILED = _room("in the pile: for a sole card, for a new suit", 2)
NOW_KEEP = _room("sole card can be slapped", 2)
NOW_SPARE = _room("spare card can be slapped")
NOW_GAIN = _room("new suit can be slapped")
NOW_OTHER = _room("another's card of an own suit can be slapped")
PAIR = _room("pile can be slapped")  # tens of cards
BARRED = _room("may not slap now")
CHANCE = _room("owns the chance card")  # tens of cards of the pile, times the chance to win it
CHANCE_WINS = _room("wins the pile as the cards lie")  # tens of cards
ANSWERS = _room("chances to answer", 4)
ANSWERS_IN_VAIN = _room("has no answer as the cards lie")
FREE = _room("free slap")
FREE_GAIN = _room("free slap, new suit soon")
FREE_KEEP = _room("free slap, sole card soon")
FREE_PILE = _room("free slap, pile")  # tens of cards
BLOCKED_GAIN = _room("another's free slap, new suit soon")
SKIPS = _room("may skip")
FOLDS = _room("folds")
SUITS_SLOW = _room("suits count, how slow")  # tenths
EXTRA = _room("an extra chance, owns the chance card")

FEATURES = _room.names()


@njit
def placer(s: State) -> Player:
    """Who places the next card, if nobody takes the pile."""
    if s.stage == S.ST_WINDOW and s.after != S.AFTER_SAME and s.after != S.AFTER_HEAP:
        q = next_with_cards(s, np.int64(s.whose))
        return q if q >= 0 else np.int64(s.whose)
    return np.int64(s.actor)


@njit
def fails(s: State, p: Player) -> Flag:
    """Whether player `p` finds no chance card with the chances left, as the cards lie."""
    left = s.remaining
    for i in range(s.size[p]):
        card = s.deck[p, (s.head[p] + i) % S.CARDS] & S.CARD_BITS
        if card >= S.PLAYING:
            continue
        if left == 0:
            return True
        if card % S.RANKS >= S.JACK:
            return False
        left -= 1
    return left == 0


@njit
def shown_by(t: Table, card: Card) -> Card:
    """The traveling card that shows a card, or NOTHING."""
    for k in range(S.TRAVELING):
        if t.needed[k] == card:
            return np.int64(k)
    return np.int64(S.NOTHING)


@njit
def suits_of(s: State, p: Player, used: Flag) -> Number:
    """A bit for each suit of which a player owns a traveling card, or with `used` = 1 a used one."""
    suits = 0
    for k in range(S.TRAVELING):
        if s.owner[k] == p and s.used[k] >= used:
            suits |= 1 << S.TRAVELING_SUIT[k]
    return suits


@njit
def count_of(suits: Number) -> Number:
    return (suits & 1) + (suits >> 1 & 1) + (suits >> 2 & 1) + (suits >> 3 & 1)


@njit
def sole(s: State, p: Player, k: Card) -> Flag:
    """Whether `k` is the player's only traveling card of its suit."""
    other = k ^ 1  # the two cards of a suit have neighbouring numbers
    return s.owner[other] != p


@njit
def coming(s: State, t: Table, p: Player, k: Card, weight: Value, suits: Number, out: Features) -> None:
    """Count that the card that traveling card `k` shows comes soon; `weight` is 1 for the next card and falls with each further one."""
    if s.owner[k] < 0:
        return
    if s.owner[k] == p:
        if sole(s, p, k):
            out[KEEP + s.used[k]] += weight
        else:
            out[KEEP_SPARE] += weight
    elif suits >> S.TRAVELING_SUIT[k] & 1:
        out[GAIN_SPARE] += weight
    else:
        out[GAIN] += weight


@njit
def decks(s: State, t: Table, p: Player, suits: Number, out: Features) -> None:
    """Count what the next cards bring."""
    players = s.alive.shape[0]
    first = placer(s)
    place: Number = 0
    turns, turn = 0, 0
    for i in range(players):
        turns += s.size[(first + i) % players] > 0
    for i in range(players):
        q = (first + i) % players
        if s.size[q] == 0:
            continue
        place = np.int64(s.head[q])
        most: Number = min(np.int64(s.size[q]), _DEPTH)
        for j in range(most):
            card = s.deck[q, place] & S.CARD_BITS
            place = 0 if place == S.CARDS - 1 else place + 1
            if card < S.PLAYING and card % S.RANKS < S.JACK - 1:  # traveling cards show 2 to 9
                k = shown_by(t, np.int64(card))
                if k >= 0:
                    coming(s, t, p, k, np.exp(-(j * turns + turn) / _SOON), suits, out)
        turn += 1
    place = np.int64(s.head[p])
    for j in range(s.size[p]):
        card = s.deck[p, place] & S.CARD_BITS
        place = 0 if place == S.CARDS - 1 else place + 1
        if card >= S.PLAYING:
            out[HIDDEN] += 1.0
            if not suits >> S.TRAVELING_SUIT[card - S.PLAYING] & 1:
                out[HIDDEN_NEW] += 1.0
                out[HIDDEN_SOON] += np.exp(-j / _SOON)
    for i in range(s.pile_size):
        card = s.pile[i] & S.CARD_BITS
        if card % S.RANKS < S.JACK - 1:
            k = shown_by(t, np.int64(card))
            if k >= 0 and s.owner[k] >= 0:
                if s.owner[k] == p:
                    out[PILED] += sole(s, p, k)
                elif not suits >> S.TRAVELING_SUIT[k] & 1:
                    out[PILED + 1] += 1.0


@njit
def window(s: State, t: Table, p: Player, suits: Number, out: Features) -> None:
    """Count what can be slapped now."""
    barred = (s.free >= 0 and s.free != p) or s.locked[p] == 1
    out[BARRED] = barred
    k = needed_for(s, t)
    if k >= 0:
        if s.owner[k] == p:
            if sole(s, p, k):
                out[NOW_KEEP + s.used[k]] = 1.0
            else:
                out[NOW_SPARE] = 1.0
        elif not barred:
            if suits >> S.TRAVELING_SUIT[k] & 1:
                out[NOW_OTHER] = 1.0
            else:
                out[NOW_GAIN] = 1.0
    if is_pair(s, t) and not barred:
        out[PAIR] = s.pile_size / 10.0


@njit
def features(s: State, t: Table, p: Player, out: Any) -> None:
    """Fill out (len(FEATURES),) with the features for player `p`."""
    out[:] = 0.0
    if s.alive[p] == 0:
        return
    players = s.alive.shape[0]
    out[ONE] = 1.0
    out[CARDS] = s.size[p] / 10.0
    for i in range(len(_LOW)):
        out[CARDS_LOW + i] = s.size[p] <= _LOW[i]
    slow = (s.scale[p] - 1.0) * 10.0
    out[SLOW] = slow
    if s.suits == 1:
        out[SUITS_SLOW] = slow
    suits, used = suits_of(s, p, False), suits_of(s, p, True)
    owned = 0
    for k in range(S.TRAVELING):
        if s.owner[k] == p:
            owned += 1
            out[OWNED + k] = 1.0
            if s.used[k]:
                out[USED_CARD + k] = 1.0
            elif not used >> S.TRAVELING_SUIT[k] & 1:
                out[READY] += 1.0
    reach, done = count_of(suits), min(count_of(used), 3)
    for i in range(reach):
        out[REACH + i] = 1.0
    for i in range(done):
        out[USED + i] = 1.0
    out[SPARE] = owned - reach
    # The number of turns until the player may activate.
    begins = s.stage == S.ST_STANCE and s.decision == S.D_ACTIVATE
    q = np.int64(s.whose)
    away = 0 if begins else 1
    if not begins:
        q = next_with_cards(s, q)
    while q >= 0 and q != p and away < _TURNS - 1:
        q = next_with_cards(s, q)
        away += 1
    if s.size[p] > 0:
        out[TURN + min(away, _TURNS - 1)] = 1.0
    if reach == 4:
        out[LEFT + 3 - done] = 1.0
        if s.size[p] > 0 and done >= 2:
            out[(WIN if done == 3 else ALMOST) + min(away, _TURNS - 1)] = 1.0
    decks(s, t, p, suits, out)
    if s.stage == S.ST_WINDOW:
        window(s, t, p, suits, out)
    keep = out[KEEP] + out[KEEP + 1]
    if s.free == p:
        out[FREE] = 1.0
        out[FREE_GAIN] = out[GAIN]
        out[FREE_KEEP] = keep
        out[FREE_PILE] = s.pile_size / 10.0
    elif s.free >= 0:
        out[BLOCKED_GAIN] = out[GAIN]
    out[SKIPS] = s.skipper[p]
    out[FOLDS] = s.folds[p]
    if s.chance >= 0 and players > 1:
        answers = placer(s)
        if s.chance == p:
            likely = 1.0
            for _ in range(s.remaining):
                likely *= _FAIL
            out[CHANCE] = likely * s.pile_size / 10.0
            out[EXTRA] = s.extra
            if s.after == S.AFTER_LOST and s.stage == S.ST_WINDOW or fails(s, answers):
                out[CHANCE_WINS] = s.pile_size / 10.0
        elif answers == p:
            out[ANSWERS + min(max(s.remaining, 1), 4) - 1] = 1.0
            out[ANSWERS_IN_VAIN] = fails(s, p)
