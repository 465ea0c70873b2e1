"""The records that a game can reach: compiled code, texts and `determinize` rely on these checks."""

from typing import Any

import numpy as np

from react_env.engine.compile import njit
from react_env.engine.rules import numbered
from react_env.engine.terms import Number, State, Table
from react_env.games.react_fast import log
from react_env.games.react_fast import state as S
from react_env.games.react_fast.actions import can_activate
from react_env.games.react_fast.hidden import below_shown, given
from react_env.games.react_fast.turn import may_skip, with_cards

FIELD = numbered(S.state_dtype(2))  # the parts of `valid` return one of these, or 0 for no fault
MOST_EVENTS = 1 << 31
STAGE = (S.ST_SKIP, S.ST_STANCE, S.ST_ACTIVATE, S.ST_STANCE, S.ST_WINDOW, S.ST_WINDOW)  # the stage after each decision
SLOWEST = 1e10  # above any `scale`: the slowest profile with the widest spread reaches 3e9


@njit
def valid(s: State, t: Table) -> Any:
    """-1, or the index in `field_names` of the first field whose value no game can reach."""
    found = course(s, t) or seats(s) or cards(s) or hidden_cards(s, t) or events(s) or decision(s, t)
    return found - 1


@njit
def course(s: State, t: Table) -> Any:
    """Check the course of the game: turn, stage, decision and counters."""
    players = s.alive.shape[0]
    if not 0 <= s.over <= 1:
        return FIELD.over
    if not 0 <= s.to_play < players:
        return FIELD.to_play
    if not 0.0 <= s.clock < 1e15:
        return FIELD.clock
    if s.placed > t.max_placements + S.MOST_PLAYERS:
        return FIELD.placed
    if (s.decision == S.D_NONE) != (s.over == 1) or not S.D_NONE <= s.decision < S.DECISIONS:
        return FIELD.decision
    if not S.ST_SKIP <= s.stage <= S.ST_NEXT:
        return FIELD.stage
    if not S.AFTER_NEXT <= s.after <= S.AFTER_LOST:
        return FIELD.after
    if s.asked >> players:
        return FIELD.asked
    if not 0 <= s.whose < players:
        return FIELD.whose
    if not 0 <= s.actor < players:
        return FIELD.actor
    if not 0 <= s.last < players:
        return FIELD.last
    if not S.NOBODY <= s.chance < players or (
        s.over == 0 and s.after == S.AFTER_LOST and s.stage == S.ST_WINDOW and s.chance < 0
    ):
        return FIELD.chance
    if not 0 <= s.remaining <= 4 + s.extra or (s.chance < 0 and s.remaining > 0):
        return FIELD.remaining
    if s.chance >= 0 and s.remaining == 0 and (s.stage != S.ST_WINDOW or s.after != S.AFTER_LOST):
        return FIELD.remaining
    if not 0 <= s.skips < players:
        return FIELD.skips
    if not S.NOTHING <= s.face < S.PLAYING:
        return FIELD.face
    if not S.NOTHING <= s.before < S.PLAYING:
        return FIELD.before
    for value, field in (
        (s.heap, FIELD.heap),
        (s.extra, FIELD.extra),
        (s.suits, FIELD.suits),
    ):
        if not 0 <= value <= 1:
            return field
    if not S.NOTHING <= s.pace <= S.WAIT or (s.pace == S.NOTHING and t.mode != S.SKILL):
        return FIELD.pace
    if not S.NOBODY <= s.free < players:
        return FIELD.free
    if not 0 <= s.first_seat < players:
        return FIELD.first_seat
    return 0


@njit
def seats(s: State) -> Any:
    """Check what belongs to single players."""
    players = s.alive.shape[0]
    total = 0.0
    for p in range(players):
        total += s.reward[p]
        if not -1.0 <= s.reward[p] <= 1.0 or (s.over == 0 and s.reward[p] != 0.0):
            return FIELD.reward
        if not 0.0 < s.scale[p] < SLOWEST:
            return FIELD.scale
        if not -1.0 <= s.carry[p] < 1e9:
            return FIELD.carry
        if not 0 <= s.stance[p] <= S.ARMED:
            return FIELD.stance
        if not S.HOLD <= s.commit[p] <= S.SLAP:
            return FIELD.commit
        for value, field in (
            (s.alive[p], FIELD.alive),
            (s.locked[p], FIELD.locked),
            (s.folds[p], FIELD.folds),
            (s.skipper[p], FIELD.skipper),
        ):
            if not 0 <= value <= 1:
                return field
        if not 0 <= s.shown[p] <= S.TRAVELING:
            return FIELD.shown
        if not 0 <= s.head[p] < S.CARDS:
            return FIELD.head
        if not 0 <= s.size[p] <= S.CARDS or (s.alive[p] == 0 and s.size[p] > 0):
            return FIELD.size
    if abs(total) > 1e-5:
        return FIELD.reward
    if s.over == 1:
        return 0
    if s.alive[s.to_play] == 0:
        return FIELD.alive
    if s.alive[s.whose] == 0:
        return FIELD.whose
    if s.alive[s.actor] == 0:
        return FIELD.actor
    if s.chance >= 0 and s.alive[s.chance] == 0:
        return FIELD.chance
    if s.alive[s.last] == 0 and with_cards(s) == 0:  # this player would take the pile (G-23)
        return FIELD.last
    return 0


@njit
def cards(s: State) -> Any:
    """Check that each card is in exactly one place."""
    players = s.alive.shape[0]
    if not 0 <= s.pile_size <= S.CARDS:
        return FIELD.pile_size
    if not 0 <= s.blind <= s.pile_size:
        return FIELD.blind
    found: Any = np.int64(0)  # a bit for each card
    for k in range(S.TRAVELING):
        if not S.HIDDEN <= s.owner[k] < players:
            return FIELD.owner
        if not 0 <= s.used[k] <= 1 or (s.owner[k] < 0 and s.used[k] == 1):
            return FIELD.used
        if s.owner[k] >= 0:
            found |= np.int64(1) << (S.PLAYING + k)
    count = 0
    for p in range(players):
        for i in range(s.size[p]):
            code = s.deck[p, (s.head[p] + i) % S.CARDS]
            card = np.int64(code & S.CARD_BITS)
            if card >= S.CARDS or found >> card & 1:
                return FIELD.deck
            if card >= S.PLAYING and ((code & S.FIRST) == 0 or (code & S.KNOWN) != 0):
                return FIELD.deck
            if card < S.PLAYING and s.seen[card] > s.placed:
                return FIELD.seen
            found |= np.int64(1) << card
            count += 1
    for i in range(s.pile_size):
        card = np.int64(s.pile[i] & S.CARD_BITS)
        if card >= S.PLAYING or found >> card & 1 or (s.pile[i] & S.FIRST) != 0:
            return FIELD.pile
        if s.seen[card] > s.placed:
            return FIELD.seen
        found |= np.int64(1) << card
        count += 1
    for k in range(S.TRAVELING):
        count += s.owner[k] >= 0
    return 0 if count == S.CARDS else FIELD.size


@njit
def hidden_cards(s: State, t: Table) -> Any:
    """Check that each deck still has the traveling cards that were dealt to it and did not come out (G-2), and only these below the card
    that was held up (G-4)."""
    for p in range(s.alive.shape[0]):
        there = 0
        start = below_shown(s, t, p)
        for i in range(s.size[p]):
            code = s.deck[p, (s.head[p] + i) % S.CARDS]
            there += (code & S.CARD_BITS) >= S.PLAYING
            if i >= start and (code & S.FIRST) != 0 and (code & S.CARD_BITS) < S.PLAYING:
                return FIELD.deck
        if t.deal_even and there != given(s, np.int64(s.first_seat), p) - s.shown[p]:
            return FIELD.shown
    return 0


@njit
def events(s: State) -> Any:
    """Check that the events can be put into words."""
    players = s.alive.shape[0]
    if s.events >= MOST_EVENTS:
        return FIELD.events
    shown: Number = min(np.int64(s.events), S.EVENTS)
    for i in range(shown):
        kind, player, card, number = s.event[i]
        if not 1 <= kind <= log.EVENT_KINDS:
            return FIELD.event
        lowest = S.NOBODY if kind == log.E_WIN or kind == log.E_CUT else 0
        if not lowest <= player < players or not 0 <= number <= S.CARDS:
            return FIELD.event
        traveling = kind == log.E_REVEAL or kind == log.E_ACTIVATE or kind == log.E_SLAP_TRAVELING
        playing = kind == log.E_PLACE or kind == log.E_SLAP_PILE or kind == log.E_HEAP or kind == log.E_TAKE
        most = S.TRAVELING if traveling else S.PLAYING if playing else 0
        if not (0 if kind == log.E_TAKE or most == 0 else 1) <= card <= most:
            return FIELD.event
    return 0


@njit
def decision(s: State, t: Table) -> Any:
    """Check that the decision fits the stage and has something to decide."""
    if s.over == 1:
        return 0
    if s.stage != STAGE[s.decision]:
        return FIELD.stage
    if s.decision == S.D_ACTIVATE and (s.to_play != s.whose or not can_activate(s, t, np.int64(s.whose))):
        return FIELD.decision
    if s.decision == S.D_SKIP and (s.to_play != s.whose or not may_skip(s)):
        return FIELD.decision
    if (s.decision == S.D_STANCE or s.decision == S.D_PACE) and t.mode != S.SKILL:
        return FIELD.decision
    if (s.decision == S.D_SLAP or s.decision == S.D_PACE) and s.after == S.AFTER_LOST and s.chance < 0:
        return FIELD.chance
    return 0
