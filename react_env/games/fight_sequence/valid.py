"""The records that a game can reach: compiled code, texts and `determinize` rely on these checks.

A record comes from the rules themselves, from a file, or from another program. One from outside is played only if `valid` accepts it.
"""

from typing import Any

from react_env.engine.compile import njit
from react_env.engine.rules import numbered
from react_env.engine.terms import Player, State, Table
from react_env.games.fight_sequence import log
from react_env.games.fight_sequence import state as S
from react_env.games.fight_sequence.actions import has_target
from react_env.games.fight_sequence.damage import holds_willpower

FIELD = numbered(S.STATE)  # the parts of `valid` return one of these, or 0 for no fault

FASTEST = 6  # tens
MOST = 12  # the most damage that a token stops
LARGEST = 127  # the largest number of an event: observations are int8
MOST_EVENTS = 1 << 31  # far more than a game has, and far below the overflow


@njit
def valid(s: State, t: Table) -> Any:
    """-1, or the index in `field_names(STATE)` of the first field whose value no game can reach."""
    found = (
        flow(s, t)
        or action_row(s, t)
        or cards(s, t, 0)
        or cards(s, t, 1)
        or events(s, t)
        or damage(s, t)
        or decision(s, t)
    )
    return found - 1


@njit
def flow(s: State, t: Table) -> Any:
    """Check the ranges of single numbers, and the course of the game."""
    if not 0 <= s.over <= 2:
        return FIELD.over
    if not 0 <= s.to_play < S.PLAYERS:
        return FIELD.to_play
    if not -1 <= s.reward[0] <= 1 or s.reward[0] != -s.reward[1] or (s.over != 1 and s.reward[0] != 0):
        return FIELD.reward
    if (s.decision == S.D_NONE) != (s.over != 0) or not S.D_NONE <= s.decision < S.DECISIONS:
        return FIELD.decision
    if not S.PH_BEGIN <= s.phase <= S.PH_CLEANUP or (s.over == 0 and s.phase == S.PH_BEGIN):
        return FIELD.phase
    if not S.ST_NEXT <= s.stage <= S.ST_LEAVE:
        return FIELD.stage
    if not 1 <= s.sequence <= t.max_sequences:
        return FIELD.sequence
    if not 0 <= s.turns <= t.build_turns + S.PLAYERS:
        return FIELD.turns
    if not 0 <= s.passes <= min(s.turns, S.PLAYERS):
        return FIELD.passes
    if not 0 <= s.closed <= t.full_sequence_closes:
        return FIELD.closed
    if not 0 <= s.claimed <= 1 or (s.passes > 0 and s.claimed == 0) or (s.turns == 0 and s.claimed == 1):
        return FIELD.claimed
    if not -1 <= s.initiative < S.PLAYERS or (s.initiative < 0 and (s.claimed == 1 or s.sequence > 1)):
        return FIELD.initiative
    if not 0 <= s.starter < S.PLAYERS:
        return FIELD.starter
    if not 0 <= s.speed <= FASTEST or (s.turns == 0 and s.speed > 0):
        return FIELD.speed
    if not 0 <= s.cleaned <= S.PLAYERS:
        return FIELD.cleaned
    return 0


@njit
def action_row(s: State, t: Table) -> Any:
    """Check the sequence, the results of resolved Actions, and the Action that acts."""
    if not 0 <= s.slots <= min(S.SLOTS, s.turns - s.passes):
        return FIELD.slots
    for i in range(S.SLOTS):
        if i >= s.slots:
            if s.slot_owner[i] != 0:
                return FIELD.slot_owner
            if s.slot_card[i] != 0:
                return FIELD.slot_card
            if s.slot_mode[i] != 0:
                return FIELD.slot_mode
            continue
        if not 0 <= s.slot_owner[i] < S.PLAYERS:
            return FIELD.slot_owner
        if not 0 <= s.slot_card[i] < t.cards[s.slot_owner[i]]:
            return FIELD.slot_card
        if not S.ATTACK <= s.slot_mode[i] <= S.RESPONSE:
            return FIELD.slot_mode
    resolved = S.SLOTS - s.slots if s.phase == S.PH_RESOLVE else 0  # the most possible: each Action resolves once
    for p in range(S.PLAYERS):
        if not 0 <= s.token[p, 0] <= MOST * resolved or not 0 <= s.token[p, 1] <= MOST * resolved:
            return FIELD.token
        if not 0 <= s.pieces[p] <= resolved:
            return FIELD.pieces
        if not 0 <= s.ward[p] <= resolved:
            return FIELD.ward
        if s.fresh[p] != 0:
            return FIELD.fresh
    if not S.NO_SLOT <= s.current < s.slots:
        return FIELD.current
    owner, card, mode = s.acting[0], s.acting[1], s.acting[2]
    if not 0 <= owner < S.PLAYERS or not S.ATTACK <= mode <= S.RESPONSE:
        return FIELD.acting
    if not 0 <= card < t.cards[owner]:
        return FIELD.acting
    i = s.current
    if i >= 0 and (s.slot_owner[i] != owner or s.slot_card[i] != card or s.slot_mode[i] != mode):
        return FIELD.current
    row = t.effect[owner, mode, card]
    if s.bonus != 0 and (row[0] != S.X_BONUS or s.bonus != row[2]):
        return FIELD.bonus
    return 0


@njit
def cards(s: State, t: Table, p: Player) -> Any:
    """Check that each copy of player `p`'s cards is in exactly one place, and that what is known is true."""
    size = s.deck_size[p]
    if not 0 <= size <= S.DECK:
        return FIELD.deck_size
    if not 0 <= s.undrawn[p] <= size:
        return FIELD.undrawn
    for i in range(S.DECK):
        if not 0 <= s.deck[p, i] < t.cards[p] or (i >= size and s.deck[p, i] != 0):
            return FIELD.deck
    if not 0 <= s.returned[p] <= 1:
        return FIELD.returned
    held = 0
    for c in range(S.CARDS):
        if not 0 <= s.hand[p, c] <= t.copies[p, c]:
            return FIELD.hand
        if not 0 <= s.discard[p, c] <= t.copies[p, c]:
            return FIELD.discard
        held += s.hand[p, c]
        if s.known[p, c] % S.LOOSE > s.hand[p, c] * s.returned[p]:
            return FIELD.known
        if s.known[p, c] // S.LOOSE > t.copies[p, c] * s.returned[p]:
            return FIELD.known
    if s.hand_size[p] != held:
        return FIELD.hand_size
    deck, buried = s.deck[p], 0
    for c in range(t.cards[p]):
        built = 0
        for i in range(s.slots):
            if s.slot_owner[i] == p and s.slot_card[i] == c:
                built += 1
        count = s.hand[p, c] + s.discard[p, c] + built
        for i in range(S.DECK):  # all places, without a branch; empty ones read 0
            count += deck[i] == c
        if c == 0:
            count -= S.DECK - size
        if count > t.copies[p, c]:
            return FIELD.deck
        buried += t.copies[p, c] - count
        held, loose = s.known[p, c] % S.LOOSE, s.known[p, c] // S.LOOSE
        if held + loose > S.SLOTS - built:
            return FIELD.known
        if loose > 0:
            there = s.hand[p, c] - held
            for i in range(size - s.undrawn[p], size):
                if deck[i] == c:
                    there += 1
            if s.undrawn[p] == 0 or loose > there:
                return FIELD.known
    if buried > 0 and not t.damage_discards_face_down:
        return FIELD.deck
    if s.buried_size[p] != buried:
        return FIELD.buried_size
    return 0


@njit
def events(s: State, t: Table) -> Any:
    """Check that the log names only players, cards and types that exist."""
    if not 1 <= s.events < MOST_EVENTS:
        return FIELD.events
    for i in range(min(S.EVENTS, s.events)):
        event = s.event[i]
        kind, p, card, mode = log.kind_of(event), log.player_of(event), event[1], event[2]
        if not 1 <= kind <= log.EVENT_KINDS:
            return FIELD.event
        if kind == log.E_MILL:
            for j in range(1, 5):
                if event[j] > t.cards[p]:
                    return FIELD.event
        elif card > t.cards[p] or mode > 2 or max(event[3], event[4]) > LARGEST:
            return FIELD.event
        elif (kind == log.E_TOKEN and mode == 0) or (kind == log.E_FROM_HAND and card == 0):
            return FIELD.event
    return 0


@njit
def damage(s: State, t: Table) -> Any:
    """Check the present damage: that of the Action that acts if a player is asked about it, otherwise none."""
    if not 0 <= s.damage_type <= 1:
        return FIELD.damage_type
    if not 0 <= s.asked <= S.PLAYERS:
        return FIELD.asked
    if s.decision != S.D_WILLPOWER:
        for p in range(S.PLAYERS):
            if s.raw[p] != 0:
                return FIELD.raw
            if s.pending[p] != 0:
                return FIELD.pending
            if s.ignored[p] != 0:
                return FIELD.ignored
        return 0
    owner, card, mode = s.acting[0], s.acting[1], s.acting[2]
    row = t.effect[owner, mode, card]
    if s.stage == S.ST_POWER_DAMAGE and mode == S.ATTACK:
        kind, to_opponent, to_self = t.type[owner, card], t.power[owner, card] + s.bonus, 0
    elif s.stage == S.ST_EFFECT_DAMAGE and row[0] == S.X_DAMAGE and row[1] != S.IMMEDIATE:
        kind = row[3]
        to_opponent = row[2] if row[4] != S.SELF else 0
        to_self = row[2] if row[4] != S.OPPONENT else 0
    else:
        return FIELD.stage
    if s.damage_type != kind:
        return FIELD.damage_type
    if s.asked == S.PLAYERS:
        return FIELD.asked
    for p in range(S.PLAYERS):
        raw = to_self if p == owner else to_opponent
        if s.raw[p] != raw:
            return FIELD.raw
        if s.pending[p] != max(0, raw - s.token[p, kind]):
            return FIELD.pending
        first = p != owner  # the opponent of the Action's builder is asked first
        most = 1 if first and s.asked == 1 and s.pending[p] > 0 else 0
        if not 0 <= s.ignored[p] <= most:
            return FIELD.ignored
    return 0


@njit
def decision(s: State, t: Table) -> Any:
    """Check that the decision fits the phase, belongs to the player to move, and has a choice."""
    if s.over:
        return 0
    p = s.to_play
    turn = (s.starter + s.turns) % S.PLAYERS  # whose turn to build it is
    effect = s.decision == S.D_SHIFT or s.decision == S.D_RETURN
    phase = S.PH_BUILD if s.decision == S.D_BUILD else S.PH_CLEANUP if s.decision == S.D_PUT_BACK else S.PH_RESOLVE
    if s.phase != phase and not (effect and s.phase == S.PH_BUILD):
        return FIELD.phase
    if s.phase == S.PH_BUILD:
        if s.passes == S.PLAYERS or (effect and s.passes > 0):
            return FIELD.passes
        if s.turns > t.build_turns + (s.passes if s.decision == S.D_BUILD else 0):
            return FIELD.turns
    else:
        if s.passes != S.PLAYERS:
            return FIELD.passes
        if s.phase == S.PH_CLEANUP and s.slots > 0:
            return FIELD.slots
    if s.decision == S.D_BUILD:
        if p != turn:
            return FIELD.to_play
        if s.stage != S.ST_NEXT:
            return FIELD.stage
        if s.current != S.NO_SLOT:
            return FIELD.current
    elif effect:
        owner, card, mode = s.acting[0], s.acting[1], s.acting[2]
        row = t.effect[owner, mode, card]
        at_once = row[1] == S.IMMEDIATE
        if row[0] != (S.X_SHIFT if s.decision == S.D_SHIFT else S.X_RETURN) or at_once != (s.phase == S.PH_BUILD):
            return FIELD.acting
        if p != owner or (at_once and p == turn):
            return FIELD.to_play
        if s.stage != S.ST_EFFECT:
            return FIELD.stage
        if s.current < 0 or s.current != s.slots - 1:
            return FIELD.current
        if not has_target(s, t, row[0]):
            return FIELD.decision
    elif s.decision == S.D_WILLPOWER:
        if p != (1 - s.acting[0] if s.asked == 0 else s.acting[0]):
            return FIELD.to_play
        if s.pending[p] == 0:
            return FIELD.pending
        if s.ward[p] > 0:
            return FIELD.ward
        if not t.interrupt_window_damage or not holds_willpower(s, t, p):
            return FIELD.decision
    elif s.decision == S.D_PUT_BACK:
        holder_first = t.cleanup_order_initiative_last == 0
        if s.cleaned == S.PLAYERS:
            return FIELD.cleaned
        if p != (s.initiative if (s.cleaned == 0) == holder_first else 1 - s.initiative):
            return FIELD.to_play
        if s.stage != S.ST_NEXT:
            return FIELD.stage
        if s.hand_size[p] <= S.HAND:
            return FIELD.hand_size
    return 0
