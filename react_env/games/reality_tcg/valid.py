"""The records that a game can reach: compiled code, texts and `determinize` rely on these checks."""

from typing import Any

import numpy as np

from react_env.engine.compile import njit
from react_env.engine.memory import scratch
from react_env.engine.rules import numbered
from react_env.engine.terms import Number, Player, State, Table
from react_env.games.reality_tcg import actions as A
from react_env.games.reality_tcg import log
from react_env.games.reality_tcg import state as S

FIELD = numbered(S.STATE)  # the parts of `valid` return one of these, or 0 for no fault
new_counts, new_mask = scratch(S.KINDS, np.int64), scratch(A.ACTIONS, np.bool_)
MOST_EVENTS = 1 << 31
LEAST_IP = -4096  # no damage comes near it


@njit
def valid(s: State, t: Table) -> Any:
    """-1, or the index in `field_names` of the first field whose value no game can reach."""
    found = (
        course(s, t)
        or side(s, t, 0)
        or side(s, t, 1)
        or chain(s, t)
        or cards(s, t, 0)
        or cards(s, t, 1)
        or events(s, t)
        or decision(s, t)
    )
    return found - 1


@njit
def course(s: State, t: Table) -> Any:
    """Check the course of the game: turn, phase, decision and counters."""
    if not 0 <= s.over <= 1:
        return FIELD.over
    if not 0 <= s.to_play < S.PLAYERS:
        return FIELD.to_play
    if s.reward[0] + s.reward[1] != 0.0 or not -1.0 <= s.reward[0] <= 1.0 or (s.over == 0 and s.reward[0] != 0.0):
        return FIELD.reward
    if (s.decision == S.D_NONE) != (s.over == 1) or not S.D_NONE <= s.decision < S.DECISIONS:
        return FIELD.decision
    if not S.P_MULLIGAN <= s.phase < S.PHASES:
        return FIELD.phase
    if s.turn > t.max_turns or (s.turn == 0) != (s.phase == S.P_MULLIGAN):
        return FIELD.turn
    if not 0 <= s.whose < S.PLAYERS:
        return FIELD.whose
    if not 0 <= s.first < S.PLAYERS:
        return FIELD.first
    if not 0 <= s.attacked <= 1:
        return FIELD.attacked
    if not 0 <= s.moved <= t.moves_per_phase:
        return FIELD.moved
    if not S.NOTHING <= s.pending < t.kinds:
        return FIELD.pending
    if not 0 <= s.passes < S.PLAYERS:
        return FIELD.passes
    if not 0 <= s.refills <= 3:
        return FIELD.refills
    if not 0 <= s.summons <= t.summons_per_turn:
        return FIELD.summons
    if s.mulligans != 0 and (s.mulligans < 0 or s.mulligans >= t.mulligans or s.decision != S.D_MULLIGAN):
        return FIELD.mulligans
    if not 0 <= s.returning < S.MULLIGAN or (s.returning > 0 and s.decision != S.D_MULLIGAN):
        return FIELD.returning
    total = 0
    for k in range(S.KINDS):
        if s.returned[k] < 0 or (k >= t.kinds and s.returned[k] > 0):
            return FIELD.returned
        total += s.returned[k]
    return 0 if total == s.returning else FIELD.returned


@njit
def side(s: State, t: Table, p: Player) -> Any:
    """Check what belongs to one player."""
    if s.ip[p] > t.ip or (s.ip[p] <= 0 and s.over == 0) or s.ip[p] < (LEAST_IP if t.negative_ip else 0):
        return FIELD.ip
    if not 0 <= s.energy[p] <= S.MOST_ENERGY:
        return FIELD.energy
    if not 0 <= s.ready[p] <= s.energy[p]:
        return FIELD.ready
    if not 0 <= s.locked[p] <= 1 or (s.locked[p] == 1 and s.kind[p, S.ACTIVE] >= 0):
        return FIELD.locked
    if not 0 <= s.list[p] < t.lists or (t.drawn == 0 and t.open_decklists == 1 and s.list[p] != p):
        return FIELD.list
    if not 0 <= s.deck_size[p] <= S.MOST_CARDS:
        return FIELD.deck_size
    if not 0 <= s.hand_size[p] <= S.MOST_CARDS:
        return FIELD.hand_size
    hand = 0
    for k in range(S.KINDS):
        if s.hand[p, k] < 0 or (k >= t.kinds and s.hand[p, k] > 0):
            return FIELD.hand
        if s.gone[p, k] < 0 or (k >= t.kinds and s.gone[p, k] > 0):
            return FIELD.gone
        hand += s.hand[p, k]
    if hand != s.hand_size[p]:
        return FIELD.hand_size
    for z in range(S.ZONES):
        k = s.kind[p, z]
        if not S.NOTHING <= k < t.kinds or (k >= 0 and t.sort[k] != S.CHARACTER):
            return FIELD.kind
        if not S.ATTACK <= s.position[p, z] <= S.DEFENSE:
            return FIELD.position
        # A Character without HP is about to be destroyed, or would be if its damage had not ended the game (G-27).
        falling = z == S.ACTIVE and t.food_saves_never == 0 and (s.over == 1 or waits(s, p))
        if s.hp[p, z] < (0 if k < 0 or falling else 1) or s.hp[p, z] > (0 if k < 0 else t.hp[k]):
            return FIELD.hp
        if s.df[p, z] < 0 or s.df[p, z] > (0 if k < 0 else t.df[k]):
            return FIELD.df
        if not 0 <= s.boost[p, z] <= (0 if k < 0 else S.MOST_BOOST):
            return FIELD.boost
        if s.entered[p, z] > s.turn:
            return FIELD.entered
        if s.turned[p, z] > s.turn:
            return FIELD.turned
    for i in range(S.TRAPS):
        k = s.trap[p, i]
        if not S.NOTHING <= k < t.kinds or (k >= 0 and (t.sort[k] != S.TRAP or i >= t.trap_zone)):
            return FIELD.trap
        if s.set_in[p, i] > s.turn:
            return FIELD.set_in
    k = s.land[p]
    if not S.NOTHING <= k < t.kinds or (k >= 0 and t.sort[k] != S.LAND):
        return FIELD.land
    if k >= 0 and s.land[1 - p] >= 0 and t.lands_per_player == 0:
        return FIELD.land
    return 0


@njit
def waits(s: State, p: Player) -> Any:
    """Whether a player's Active Character may be waiting to be destroyed."""
    for i in range(s.links):
        what, by, _, target, _ = s.link[i]
        if what == S.C_DONE and (target == S.FALLING or (target == S.FALLING_BY_CARD and by != p)):
            return True
    return False


@njit
def done(s: State, t: Table, i: Number) -> Any:
    """Whether a C_DONE with this target may lie at that place of the chain."""
    _, p, k, target, _ = s.link[i]
    if target == S.FALLING_BY_CARD and t.food_saves_always and t.word[k] == S.X_HOOK:
        return i > 0 and p != s.whose and s.link[0, S.L_WHAT] == S.C_ATTACK
    if i > 0 or p != s.whose:
        return False
    if target == S.FALLING:
        return t.food_saves_never == 0
    if target == S.FALLING_BY_CARD:
        return t.food_saves_always == 1 and t.word[k] == S.X_DAMAGE
    return target == S.DONE or (t.end_answered == 1 and s.phase == S.P_END)


@njit
def ending(s: State) -> Any:
    """Whether players may be answering the end of the turn."""
    return s.links > 0 and s.link[0, S.L_WHAT] == S.C_DONE and s.link[0, S.L_TARGET] == S.ENDING


@njit
def chain(s: State, t: Table) -> Any:
    """Check the chain."""
    if not 0 <= s.links <= S.CHAIN or (s.links > 0 and s.phase < S.P_TACTIC_1):
        return FIELD.links
    for i in range(s.links):
        what, p, k, target, negated = s.link[i]
        if not S.C_DONE <= what < S.LINKS or not 0 <= p < S.PLAYERS or not 0 <= k < t.kinds:
            return FIELD.link
        # Links are negated only while the chain resolves. It stops then only if a Trap is about to destroy a Character.
        cancelled = what == S.C_ATTACK and negated == 1 and waits(s, s.whose)
        if not 0 <= target < S.ZONES or (negated != 0 and not cancelled):
            return FIELD.link
        if what == S.C_DONE:
            if not done(s, t, i):
                return FIELD.link
        elif what != S.C_CARD and (i > 0 or p != s.whose):
            return FIELD.link
        if what == S.C_CARD and t.sort[k] == S.CHARACTER:
            return FIELD.link
        if what == S.C_CARD and t.sort[k] == S.TRAP and not fires(s, t, i):
            return FIELD.link
        if what == S.C_CARD and i > 0 and t.sort[k] != S.TRAP and t.sort[k] != S.FOOD:
            return FIELD.link
    return 0


@njit
def fires(s: State, t: Table, i: Number) -> Any:
    """Whether the Trap at that place of the chain lies on a link that it can answer."""
    if i == 0:
        return False
    p, k = s.link[i, S.L_PLAYER], s.link[i, S.L_KIND]
    if t.word[k] == S.X_HOOK or t.word[k] == S.X_CANCEL:
        return s.link[0, S.L_WHAT] == S.C_ATTACK and s.link[0, S.L_PLAYER] != p
    return s.link[i - 1, S.L_PLAYER] != p and s.link[i - 1, S.L_WHAT] == S.C_CARD


@njit
def cards(s: State, t: Table, p: Player) -> Any:
    """Check that each card of the deck list is in exactly one place."""
    left = new_counts()
    left[:] = 0
    for k in range(t.kinds):
        left[k] = t.cards[s.list[p], k] - s.hand[p, k] - s.gone[p, k]
        if s.decision == S.D_MULLIGAN and s.to_play == p:
            left[k] -= s.returned[k]
    for z in range(S.ZONES):
        if s.kind[p, z] >= 0:
            left[s.kind[p, z]] -= 1
    for i in range(S.TRAPS):
        if s.trap[p, i] >= 0:
            left[s.trap[p, i]] -= 1
    if s.land[p] >= 0:
        left[s.land[p]] -= 1
    if s.pending >= 0 and s.to_play == p:
        left[s.pending] -= 1
    for i in range(s.links):
        if s.link[i, S.L_WHAT] == S.C_CARD and s.link[i, S.L_PLAYER] == p:
            left[s.link[i, S.L_KIND]] -= 1
    for i in range(s.deck_size[p]):
        k = s.deck[p, i]
        if not 0 <= k < t.kinds:
            return FIELD.deck
        left[k] -= 1
    if s.over == 1:  # cards that were on the chain when the game ended are gone
        return 0
    for k in range(t.kinds):
        if left[k] != 0:
            return FIELD.deck
    return 0


@njit
def events(s: State, t: Table) -> Any:
    """Check that the events can be put into words."""
    if s.events >= MOST_EVENTS:
        return FIELD.events
    shown: Number = min(np.int64(s.events), S.EVENTS)
    for i in range(shown):
        kind, player, card, number = s.event[i]
        if not 1 <= kind <= log.EVENT_KINDS:
            return FIELD.event
        nobody = kind == log.E_WIN or kind == log.E_CUT
        if not (S.NOBODY if nobody else 0) <= player < S.PLAYERS or not 0 <= card <= t.kinds:
            return FIELD.event
        if number < 0 or (kind == log.E_PLAY and number > S.ZONES) or (kind == log.E_SUMMON and number > 3):
            return FIELD.event
    return 0


@njit
def decision(s: State, t: Table) -> Any:
    """Check that the decision fits the phase and has a legal action."""
    if s.over == 1:
        return 0
    if s.decision == S.D_MULLIGAN:
        if s.turn != 0 or s.links > 0 or s.pending >= 0:
            return FIELD.decision
    elif s.turn == 0:
        return FIELD.decision
    if s.refills and s.links == 0 and s.decision != S.D_REFILL:  # whoever may move up is asked first
        return FIELD.refills
    choosing = s.decision == S.D_PLACE or s.decision == S.D_TARGET
    if choosing != (s.pending >= 0):
        return FIELD.pending
    if s.decision == S.D_TACTIC and (
        s.to_play != s.whose or s.links > 0 or (s.phase != S.P_TACTIC_1 and s.phase != S.P_TACTIC_2)
    ):
        return FIELD.decision
    if s.decision == S.D_BATTLE:
        if s.to_play != s.whose or s.links > 0 or s.phase != S.P_BATTLE or not A.can_attack(s, t):
            return FIELD.decision
    if s.decision == S.D_ANSWER and s.links == 0:
        return FIELD.decision
    if s.decision == S.D_PLACE:
        if t.sort[s.pending] != S.CHARACTER or s.links > 0 or s.to_play != s.whose:
            return FIELD.pending
        if s.phase != S.P_TACTIC_1 and s.phase != S.P_TACTIC_2:
            return FIELD.phase
    if s.decision == S.D_TARGET:
        food = t.sort[s.pending] == S.FOOD
        if not food and (
            t.word[s.pending] != S.X_SWAP or s.links > 0 or s.to_play != s.whose or s.kind[s.to_play, 0] < 0
        ):
            return FIELD.pending
        if s.phase < S.P_TACTIC_1 or s.links >= S.CHAIN:
            return FIELD.phase
        if s.links == 0 and s.to_play != s.whose:
            return FIELD.to_play
    if s.decision == S.D_REFILL:
        p = s.to_play
        if s.links > 0 or s.kind[p, S.ACTIVE] >= 0 or s.locked[p] or (s.refills >> p & 1) == 0:
            return FIELD.decision
        if not A.may_refill(s, t, p):
            return FIELD.kind
        if s.phase < S.P_START or s.phase > S.P_TACTIC_2:
            return FIELD.phase
    if s.decision == S.D_DISCARD and (s.to_play != s.whose or s.links > 0 or s.hand_size[s.whose] <= t.hand_limit):
        return FIELD.decision
    if (s.phase == S.P_END) != (s.decision == S.D_DISCARD or ending(s)) or (
        s.phase == S.P_START and s.decision != S.D_REFILL
    ):
        return FIELD.phase
    mask = new_mask()
    A.legal(s, t, mask)
    return 0 if mask.any() else FIELD.decision
