"""The course of the game from decision to decision: set-up, building a sequence, resolving it, cleanup."""

from react_env.engine.compile import njit
from react_env.engine.decks import shuffle
from react_env.engine.rng import below
from react_env.engine.terms import Action, Card, Flag, Kind, Mask, Number, Player, Slot, State, Table
from react_env.games.fight_sequence import actions as A
from react_env.games.fight_sequence import log
from react_env.games.fight_sequence import state as S
from react_env.games.fight_sequence.actions import fill, has_target, has_use
from react_env.games.fight_sequence.cards import add_action, draw, leave_hand, put_back, remove_action
from react_env.games.fight_sequence.damage import begin, settle, tie, win


@njit
def deal(s: State, t: Table) -> None:
    """Shuffle decks, deal five cards each, choose the first player (rules FS-S1 to FS-S3)."""
    s.initiative = t.first_player if t.first_player >= 0 else below(s, S.PLAYERS)
    for p in range(S.PLAYERS):
        for c in range(t.cards[p]):
            for _ in range(t.copies[p, c]):
                s.deck[p, s.deck_size[p]] = c
                s.deck_size[p] += 1
        shuffle(s, s.deck[p], 0, s.deck_size[p])
        for _ in range(S.HAND):
            s.deck_size[p] -= 1
            s.hand[p, s.deck[p, s.deck_size[p]]] += 1
            s.hand_size[p] += 1
            s.deck[p, s.deck_size[p]] = 0


@njit
def reset(s: State, t: Table, mask: Mask) -> None:
    """Deal, and go to the first decision."""
    deal(s, t)
    s.starter = s.initiative
    s.initiative = -1
    s.current = S.NO_SLOT
    s.decision = S.D_NONE
    s.phase = S.PH_BEGIN
    advance(s, t, mask)


@njit
def apply(s: State, t: Table, action: Action, mask: Mask) -> None:
    """Take a legal action and go on to the next decision; `mask` then holds its legal actions."""
    take(s, t, action)
    advance(s, t, mask)


@njit
def advance(s: State, t: Table, mask: Mask) -> None:
    """Go on until a player has more than one action to choose from, or the game is over."""
    # The loop ends: each turn of building increases `turns`, which is limited; after two passes each Action resolves once; then each
    # player cleans up once, and `sequence` increases up to its limit.
    while True:
        while s.decision == S.D_NONE and s.over == 0:
            if s.phase == S.PH_BEGIN:
                begin_sequence(s, t)
            elif s.phase == S.PH_CLEANUP:
                clean(s, t)
            elif s.phase == S.PH_RESOLVE:
                resolve(s, t)
            else:
                build_effect(s, t)
        if s.over:
            mask[:] = False
            return
        only = fill(s, t, mask)
        if only < 0:
            return
        take(s, t, only)


@njit
def take(s: State, t: Table, action: Action) -> None:
    """Carry out the chosen action; the rules then continue from D_NONE."""
    p = s.to_play
    kind = s.decision
    s.decision = S.D_NONE
    if kind == S.D_BUILD:
        if action == A.A_PASS:
            pass_turn(s, t, p)
        elif action < A.A_RESPOND:
            build(s, t, p, action - A.A_ATTACK, S.ATTACK)
        else:
            build(s, t, p, action - A.A_RESPOND, S.RESPONSE)
    elif kind == S.D_SHIFT:
        if action < A.A_RIGHT:
            shift(s, action - A.A_LEFT, -1)
        else:
            shift(s, action - A.A_RIGHT, 1)
        after_effect(s)
    elif kind == S.D_RETURN:
        if action == A.A_DECLINE:
            log.emit(s, log.E_DECLINE, p, -1, -1, 0, 0)
        else:
            give_back(s, action - A.A_RETURN)
        after_effect(s)
    elif kind == S.D_WILLPOWER:
        if action != A.A_DECLINE:
            card = action - A.A_CARD
            log.emit(s, log.E_FROM_HAND, p, card, S.RESPONSE, 0, 0)
            leave_hand(s, p, card)
            s.discard[p, card] += 1
            s.ignored[p] = 1
        s.asked += 1
    elif kind == S.D_PUT_BACK:
        put_back(s, t, p, action - A.A_CARD)


# -- building ---------------------------------------------------------------------------------------------------------------


@njit
def begin_sequence(s: State, t: Table) -> None:
    """Begin the next sequence, or end the game if nobody has a usable card left (G-8) or there have been too many sequences."""
    if s.deck_size[0] + s.deck_size[1] == 0 and not has_use(s, t, 0) and not has_use(s, t, 1):
        if t.exhausted_initiative_loses and s.initiative >= 0:
            win(s, 1 - s.initiative)
        else:
            tie(s)
        return
    if s.sequence >= t.max_sequences:
        s.over = 2
        log.emit(s, log.E_CUT, 0, -1, -1, 0, 0)
        return
    if s.initiative >= 0:
        s.starter = s.initiative
    s.sequence += 1
    s.turns = 0
    s.passes = 0
    s.closed = 0
    s.claimed = 0
    s.speed = 0
    log.emit(s, log.E_SEQUENCE, s.starter, -1, -1, s.sequence % 100, s.sequence // 100)
    s.to_play = s.starter
    s.phase = S.PH_BUILD
    s.stage = S.ST_NEXT
    s.decision = S.D_BUILD


@njit
def pass_turn(s: State, t: Table, p: Player) -> None:
    """Pass and draw a card. The first pass of a sequence takes the initiative; two in a row end the building (FS-B4, FS-B5)."""
    log.emit(s, log.E_PASS, p, -1, -1, 0, 0)
    if not s.claimed:
        s.claimed = 1
        s.initiative = p
        log.emit(s, log.E_INITIATIVE, p, -1, -1, 0, 0)
    if s.turns > 0:  # a player without a card for the first turn draws nothing (G-8)
        draw(s, t, p, 1)
    s.turns += 1
    s.passes += 1
    if s.passes == S.PLAYERS:
        s.phase = S.PH_RESOLVE
        s.stage = S.ST_NEXT
    else:
        next_turn(s)


@njit
def next_turn(s: State) -> None:
    """Begin the other player's turn to build."""
    s.to_play = 1 - s.to_play
    s.stage = S.ST_NEXT
    s.current = S.NO_SLOT
    s.decision = S.D_BUILD


@njit
def build(s: State, t: Table, p: Player, card: Card, mode: Kind) -> None:
    """Player `p` builds an Action; its immediate effect follows (FS-B1 to FS-B3, FS-B7)."""
    leave_hand(s, p, card)
    add_action(s, p, card, mode)
    s.turns += 1
    s.passes = 0
    if s.slots == S.SLOTS and t.full_sequence_closes:
        s.closed = 1
    s.speed = t.speed[p, card] if mode == S.ATTACK else 0
    log.emit(s, log.E_ATTACK if mode == S.ATTACK else log.E_RESPOND, p, card, mode, 0, 0)
    row = t.effect[p, mode, card]
    if row[0] != S.X_NONE and row[1] == S.IMMEDIATE:
        act(s, s.slots - 1)
        s.stage = S.ST_EFFECT
    else:
        next_turn(s)


@njit
def build_effect(s: State, t: Table) -> None:
    """Carry out the immediate effect of the Action just built."""
    if s.stage == S.ST_EFFECT:
        effect(s, t)
    elif settle(s, t) and s.over == 0:  # ST_EFFECT_DAMAGE
        after_effect(s)


@njit
def act(s: State, slot: Slot) -> None:
    """Make the Action in that slot the one that acts."""
    s.current = slot
    s.acting[0] = s.slot_owner[slot]
    s.acting[1] = s.slot_card[slot]
    s.acting[2] = s.slot_mode[slot]
    s.bonus = 0


# -- effects ----------------------------------------------------------------------------------------------------------------


@njit
def effect(s: State, t: Table) -> None:
    """Begin the effect of the Action that acts; if there are targets, its builder chooses one (FS-E1 to FS-E6)."""
    p, card, mode = s.acting[0], s.acting[1], s.acting[2]
    row = t.effect[p, mode, card]
    code = row[0]
    if code == S.X_SHIFT or code == S.X_RETURN:
        if has_target(s, t, code):
            s.decision = S.D_SHIFT if code == S.X_SHIFT else S.D_RETURN
            s.to_play = p
            return
        log.emit(s, log.E_NO_TARGET, p, card, mode, 0, 0)
    elif code == S.X_BONUS:
        if opponent_attacks(s, t, p, row[3]):
            s.bonus = row[2]
            log.emit(s, log.E_BONUS, p, card, S.ATTACK, row[2], 0)
    elif code == S.X_DAMAGE:
        begin(s, row[3], row[2] if row[4] != S.SELF else 0, row[2] if row[4] != S.OPPONENT else 0)
        s.stage = S.ST_EFFECT_DAMAGE
        return
    elif code == S.X_DRAW:
        draw(s, t, p, row[2])
    elif code == S.X_TOKEN:
        if t.token_limit and s.pieces[row[2]] >= t.token_limit:
            log.emit(s, log.E_NO_TOKEN, p, -1, -1, 0, 0)
        else:
            s.pieces[row[2]] += 1
            s.token[p, row[2]] += row[3]
            log.emit(s, log.E_TOKEN, p, -1, row[2], s.token[p, row[2]], 0)
    elif code == S.X_BLOCK:
        block(s, t, p, row[2])
    elif code == S.X_WILLPOWER:
        s.ward[p] += 1
        s.fresh[p] += 1
        log.emit(s, log.E_WILLPOWER, p, -1, -1, 0, 0)
    after_effect(s)


@njit
def after_effect(s: State) -> None:
    """Continue after the effect: with the next turn while building, otherwise with the Power of an attack."""
    if s.phase == S.PH_BUILD:
        s.to_play = s.acting[0]
        next_turn(s)
    else:
        s.stage = S.ST_POWER if s.acting[2] == S.ATTACK else S.ST_LEAVE


@njit
def opponent_attacks(s: State, t: Table, p: Player, kind: Kind) -> Flag:
    """Whether the opponent of player `p` has an attack of that type in the sequence (FS-E4, G-11)."""
    for i in range(s.slots):
        if s.slot_owner[i] != p and (s.slot_mode[i] == S.ATTACK or t.bonus_counts_typed_actions):
            if t.block_type[1 - p, s.slot_mode[i], s.slot_card[i]] == kind:
                return True
    return False


@njit
def shift(s: State, slot: Slot, step: Number) -> None:
    """Swap two neighbours (FS-E2)."""
    other = slot + step
    card, owner, mode = s.slot_card[slot], s.slot_owner[slot], s.slot_mode[slot]
    s.slot_card[slot] = s.slot_card[other]
    s.slot_owner[slot] = s.slot_owner[other]
    s.slot_mode[slot] = s.slot_mode[other]
    s.slot_card[other] = card
    s.slot_owner[other] = owner
    s.slot_mode[other] = mode
    if s.current == slot:
        s.current = other
    elif s.current == other:
        s.current = slot
    log.emit(s, log.E_SHIFT, owner, card, mode, other + 1, slot + 1)


@njit
def give_back(s: State, slot: Slot) -> None:
    """Return an Action to the hand of who built it, known to all (FS-E3)."""
    owner, card = s.slot_owner[slot], s.slot_card[slot]
    log.emit(s, log.E_RETURN, owner, card, s.slot_mode[slot], slot + 1, 0)
    remove_action(s, slot)
    s.hand[owner, card] += 1
    s.hand_size[owner] += 1
    s.known[owner, card] += 1
    s.returned[owner] = 1


@njit
def block(s: State, t: Table, p: Player, kind: Kind) -> None:
    """Discard the neighbour towards slot 1 if it is the opponent's and of that type (FS-R6)."""
    slot = s.current - 1
    if slot >= 0:
        owner, card, mode = s.slot_owner[slot], s.slot_card[slot], s.slot_mode[slot]
        if owner != p and t.block_type[owner, mode, card] == kind:
            log.emit(s, log.E_BLOCKED, owner, card, mode, 0, 0)
            remove_action(s, slot)
            s.discard[owner, card] += 1
            return
    log.emit(s, log.E_NOTHING_BLOCKED, p, -1, -1, 0, 0)


# -- resolution and cleanup -------------------------------------------------------------------------------------------------


@njit
def resolve(s: State, t: Table) -> None:
    """Take the next step of the resolution, which begins with the Action in the last slot (FS-R1 to FS-R3)."""
    if s.stage == S.ST_NEXT:
        if s.slots == 0:
            end_sequence(s)
            return
        act(s, s.slots - 1)
        log.emit(s, log.E_RESOLVE, s.acting[0], s.acting[1], s.acting[2], 0, 0)
        row = t.effect[s.acting[0], s.acting[2], s.acting[1]]
        if row[0] != S.X_NONE and row[1] != S.IMMEDIATE:
            s.stage = S.ST_EFFECT
        else:
            after_effect(s)
    elif s.stage == S.ST_EFFECT:
        effect(s, t)
    elif s.stage == S.ST_EFFECT_DAMAGE:
        if settle(s, t) and s.over == 0:
            after_effect(s)
    elif s.stage == S.ST_POWER:
        p, card = s.acting[0], s.acting[1]
        begin(s, t.type[p, card], t.power[p, card] + s.bonus, 0)
        s.stage = S.ST_POWER_DAMAGE
    elif s.stage == S.ST_POWER_DAMAGE:
        if settle(s, t):
            s.stage = S.ST_LEAVE
    else:
        leave(s, t)


@njit
def leave(s: State, t: Table) -> None:
    """Discard the resolved Action, wherever it now lies, to its owner's pile."""
    if s.current >= 0:
        s.discard[s.acting[0], s.acting[1]] += 1
        remove_action(s, s.current)
    for p in range(S.PLAYERS):
        if t.willpower_covers_adjacent_action:  # G-5: only the Willpower that it gave stays, for the next Action
            s.ward[p] = s.fresh[p]
        s.fresh[p] = 0
    s.bonus = 0
    s.stage = S.ST_NEXT


@njit
def end_sequence(s: State) -> None:
    """End the sequence: tokens and Willpower go (FS-C1)."""
    for p in range(S.PLAYERS):
        s.ward[p] = 0
        s.token[p, 0] = 0
        s.token[p, 1] = 0
        s.pieces[p] = 0
    s.current = S.NO_SLOT
    s.cleaned = 0
    s.phase = S.PH_CLEANUP


@njit
def clean(s: State, t: Table) -> None:
    """Clean up, one player after the other: draw to five, or put cards back until five are left (FS-C2, FS-C3, G-12)."""
    if s.cleaned == S.PLAYERS:
        s.phase = S.PH_BEGIN
        return
    p = s.initiative if (s.cleaned == 0) != (t.cleanup_order_initiative_last == 1) else 1 - s.initiative
    if s.hand_size[p] > S.HAND:
        s.decision = S.D_PUT_BACK
        s.to_play = p
        return
    if s.hand_size[p] < S.HAND:
        draw(s, t, p, S.HAND - s.hand_size[p])
    s.cleaned += 1
