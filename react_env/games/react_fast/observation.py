"""What a player sees, as one flat int8 array: "me first", then the others in the order of turns, in named pieces."""

from typing import Any

import numpy as np

from react_env.engine.compile import njit
from react_env.engine.layout import Layout, names_of
from react_env.engine.terms import Features, Flag, Number, Player, State, Table
from react_env.games.react_fast import log
from react_env.games.react_fast import state as S
from react_env.games.react_fast.window import is_pair, needed_for

MOST = 127
HISTORY = 8
DEPTH = 6  # cards from the top of a deck that are observed
FACE = S.RANKS + len(S.SUITS)
TABLE = 18
PLAYER = 13
KNOWN = 2  # the index in these of a player's number of known cards
SPEED = 40  # the number that stands for a scale of 1


def layout_of(players: int, memory: str, paced: bool) -> Layout:
    """The pieces for this number of players; without `memory` of places two are left out. `paced`: players choose a pace (mode "skill")."""
    pieces: list[tuple[Any, ...]] = [
        (
            "decision",
            (S.DECISIONS,),
            0,
            1,
            "what is to be decided, one-hot (all 0 for a player who is not to move)",
            names_of(S, "D_"),
        ),
        ("face", (FACE,), 0, 1, "the live card: number one-hot (2 to A), suit one-hot"),
        ("before", (FACE,), 0, 1, "the live card before it"),
        (
            "table",
            (TABLE,),
            0,
            [S.CARDS, S.CARDS, 1, 5, *[1] * 12, len(S.STANCES), 1],
            "cards in the pile, without a face, a chance is pending, chances left, they are mine to answer (while the window after "
            "the chance card is open: it is mine), the chance card is mine, "
            "the pile can be slapped, a traveling card can be slapped (both while a window is open), one extra chance, suits count, a free "
            "slap is held, it is mine, the last unit was a heap, it is my turn, my cards are placed, the pile is lost next, how I stand in "
            "a window (1 relaxed, 2 ready, 3 armed; 0 without stances), a slap of mine is already on its way",
        ),
        (
            "players",
            (players, PLAYER),
            0,
            [1, S.CARDS, S.CARDS, S.TRAVELING, S.TRAVELING, len(S.SUITS), 1, 1, 1, MOST, 1, 1, 1],
            "me, then the others in turn: in the game, cards, known cards, traveling cards unused, used, suits used, folds, skips, "
            "cannot slap, penalties, whose turn, who owns the chance card, holds the free slap",
        ),
        ("seat", (players,), 0, 1, "which seat is mine, one-hot: actions with a target name seats"),
        ("speed", (), 0, MOST, f"how slow I am, {SPEED} for a scale of 1"),
        (
            "traveling",
            (S.TRAVELING, players + 2),
            0,
            1,
            "each traveling card: nobody has it, owned by me, by the next, ..., used",
        ),
        (
            "history",
            (HISTORY, 4),
            -1,
            MOST,
            "the last public events, newest first: kind, by whom (0 me), card + 1, number (whom a card is on: 1 me, 2 the next)",
            names_of(log, "E_"),
        ),
    ]
    if memory != "counts":
        pieces += [
            (
                "tops",
                (players, DEPTH, FACE),
                0,
                1,
                "the next cards of each deck as far as they are known: number one-hot, suit one-hot",
            ),
            (
                "where",
                (S.PLAYING,),
                0,
                players + 1,
                "each card: 0 unknown, 1 in the pile, 2 in my deck, 3 in the next one's, ...",
            ),
        ]
    if paced:
        pieces.append(("commit", (), 0, 1, "I have chosen to slap (while the pace is chosen)"))
    return Layout(pieces)


@njit
def remembered(s: State, t: Table, code: Any) -> Flag:
    """Whether the place of a card is known, as far as memory reaches."""
    if (code & S.KNOWN) == 0:
        return False
    return t.memory == 2 or s.placed - s.seen[code & S.CARD_BITS] <= t.memory_length


@njit
def card_at(out: Features, at: Number, card: Any) -> None:
    """A card as two one-hots; nothing for NOTHING."""
    if card >= 0:
        out[at + card % S.RANKS] = 1
        out[at + S.RANKS + card // S.RANKS] = 1


@njit
def observe(s: State, t: Table, p: Player, out: Features) -> None:
    """Fill `out` with what player `p` sees."""
    players = s.alive.shape[0]
    out[:] = 0
    if s.to_play == p and s.over == 0:
        out[s.decision] = 1
    at = S.DECISIONS
    card_at(out, at, s.face)
    card_at(out, at + FACE, s.before)
    at += 2 * FACE
    out[at] = s.pile_size
    out[at + 1] = s.blind
    out[at + 2] = s.chance >= 0
    out[at + 3] = s.remaining
    out[at + 4] = s.chance >= 0 and s.whose == p
    out[at + 5] = s.chance == p
    window = s.stage == S.ST_WINDOW
    out[at + 6] = window and is_pair(s, t)
    out[at + 7] = window and needed_for(s, t) >= 0
    out[at + 8] = s.extra
    out[at + 9] = s.suits
    out[at + 10] = s.free >= 0
    out[at + 11] = s.free == p
    out[at + 12] = s.heap
    out[at + 13] = s.whose == p
    out[at + 14] = s.actor == p
    out[at + 15] = s.stage >= S.ST_WINDOW and s.after == S.AFTER_LOST
    if t.mode == S.SKILL and window:
        out[at + 16] = s.stance[p] + 1
    out[at + 17] = s.carry[p] >= 0.0
    at += TABLE
    seats = at
    for i in range(players):
        player_at(s, (p + i) % players, out, at + i * PLAYER)
    at += players * PLAYER
    out[at + p] = 1
    at += players
    out[at] = min(np.int64(s.scale[p] * SPEED), MOST)
    at += 1
    for card in range(S.TRAVELING):
        owner = s.owner[card]
        out[at + (0 if owner < 0 else 1 + (owner - p) % players)] = 1
        out[at + players + 1] = s.used[card]
        at += players + 2
    shown: Number = min(np.int64(s.events), HISTORY)
    for i in range(shown):
        row = s.event[(s.events - 1 - i) % S.EVENTS]
        out[at + 4 * i] = row[0]
        out[at + 4 * i + 1] = -1 if row[1] < 0 else (row[1] - p) % players
        out[at + 4 * i + 2] = row[2]
        target = row[0] == log.E_ACTIVATE and row[3] > 0
        out[at + 4 * i + 3] = 1 + (row[3] - 1 - p) % players if target else row[3]
    at += 4 * HISTORY
    if t.memory > 0:
        for i in range(players):
            q = (p + i) % players
            known: Number = 0
            place: Number = np.int64(s.head[q])
            for j in range(s.size[q]):
                code = s.deck[q, place]
                place = 0 if place == S.CARDS - 1 else place + 1
                if remembered(s, t, code):
                    known += 1
                    card = code & S.CARD_BITS
                    if j < DEPTH:
                        card_at(out, at + (i * DEPTH + j) * FACE, np.int64(card))
                    out[at + players * DEPTH * FACE + card] = 2 + i
            out[seats + i * PLAYER + KNOWN] = known
        at += players * DEPTH * FACE
        for j in range(s.pile_size):
            if remembered(s, t, s.pile[j]):
                out[at + (s.pile[j] & S.CARD_BITS)] = 1
        at += S.PLAYING
    if t.mode == S.SKILL:
        out[at] = s.decision == S.D_PACE and s.commit[p] == S.SLAP


@njit
def player_at(s: State, q: Player, out: Features, at: Number) -> None:
    """What everybody sees of player `q`, except the number of known cards, which is written with those cards."""
    unused, used, suits = 0, 0, 0
    for card in range(S.TRAVELING):
        if s.owner[card] == q:
            unused += 1 - s.used[card]
            used += s.used[card]
            if s.used[card]:
                suits |= 1 << S.TRAVELING_SUIT[card]
    out[at] = s.alive[q]
    out[at + 1] = s.size[q]
    out[at + 3] = unused
    out[at + 4] = used
    out[at + 5] = (suits & 1) + (suits >> 1 & 1) + (suits >> 2 & 1) + (suits >> 3 & 1)
    out[at + 6] = s.folds[q]
    out[at + 7] = s.skipper[q]
    out[at + 8] = s.locked[q]
    out[at + 9] = min(np.int64(s.penalties[q]), MOST)
    out[at + 10] = s.whose == q
    out[at + 11] = s.chance == q
    out[at + 12] = s.free == q


assert log.EVENT_KINDS < MOST
