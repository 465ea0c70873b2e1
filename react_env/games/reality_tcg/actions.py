"""Action ids, and which of them are legal."""

from react_env.engine.compile import njit
from react_env.engine.rules import Actions
from react_env.engine.terms import Card, Flag, Mask, Player, State, Table, Zone
from react_env.games.reality_tcg import state as S

A_CARD = 0  # a card by its kind: return it, play it, answer with it
A_PASS = S.KINDS  # done, next phase, no answer, no attack
A_ATTACK = A_PASS + 1
A_PLACE = A_ATTACK + 1  # zone Active or Back Row * 2 + position
A_TURN = A_PLACE + 4  # change the position of the Character in a zone
A_MOVE = A_TURN + S.ZONES  # Back Row place i with the Active Zone, whoever is there
A_BACK = A_MOVE + S.ZONES - 1  # the Active Character to the Back Row
A_TARGET = A_BACK + 1  # a zone of one's own
ACTIONS = A_TARGET + S.ZONES

ZONE_NAMES = ("Active Zone", "Back Row 1", "Back Row 2", "Back Row 3")


def actions_of(kinds: tuple[str, ...]) -> Actions:
    """The actions of a set with cards of these names."""
    cards = [*kinds, *(f"card {number + 1}" for number in range(len(kinds), S.KINDS))]
    names = (
        *cards,
        "pass",
        "attack",
        "to the Active Zone, attack position",
        "to the Active Zone, defense position",
        "to the Back Row, attack position",
        "to the Back Row, defense position",
        *(f"turn {zone}" for zone in ZONE_NAMES),
        *(f"switch with {zone}" for zone in ZONE_NAMES[1:]),
        "Active Character to the Back Row",
        *(f"choose {zone}" for zone in ZONE_NAMES),
    )
    assert len(names) == ACTIONS
    return Actions(
        names,
        {
            "card": slice(A_CARD, A_PASS),
            "pass": slice(A_PASS, A_ATTACK),
            "attack": slice(A_ATTACK, A_PLACE),
            "place": slice(A_PLACE, A_TURN),
            "turn": slice(A_TURN, A_MOVE),
            "move": slice(A_MOVE, A_TARGET),
            "target": slice(A_TARGET, ACTIONS),
        },
        {"card": "cards"},
        {"cards": len(kinds)},
    )


@njit
def free_back(s: State, p: Player) -> Zone:
    """The first free place of the Back Row, or NOTHING."""
    for z in range(S.BACK, S.ZONES):
        if s.kind[p, z] < 0:
            return z
    return S.NOTHING


@njit
def can_summon(s: State, t: Table, p: Player) -> Flag:
    """Whether a Character may be summoned, and there is a place for one (RT-F3, RT-B7, G-11)."""
    if s.summons >= t.summons_per_turn:
        return False
    return (s.kind[p, S.ACTIVE] < 0 and s.locked[p] == 0) or free_back(s, p) >= 0


@njit
def refills(s: State, t: Table, p: Player, z: Zone) -> Flag:
    """Whether the zone holds a Character that may move up to an empty Active Zone (G-13)."""
    return s.kind[p, z] >= 0 and (t.new_refills == 1 or s.entered[p, z] != s.turn)


@njit
def may_refill(s: State, t: Table, p: Player) -> Flag:
    """Whether the Back Row has a Character that may move up."""
    return refills(s, t, p, 1) or refills(s, t, p, 2) or refills(s, t, p, 3)


@njit
def settled(s: State, p: Player, z: Zone) -> Flag:
    """Whether the zone holds a Character that did not enter this turn (RT-S1)."""
    return s.kind[p, z] >= 0 and s.entered[p, z] != s.turn


@njit
def any_swap(s: State, p: Player) -> Flag:
    """Whether a Maneuver could swap two Characters (RT-G12)."""
    return settled(s, p, S.ACTIVE) and (settled(s, p, 1) or settled(s, p, 2) or settled(s, p, 3))


@njit
def food_target(s: State, t: Table, p: Player, k: Card, z: Zone) -> Flag:
    """Whether a Food does anything for the Character in a zone."""
    if s.kind[p, z] < 0:
        return False
    if t.word[k] == S.X_HEAL:
        return s.hp[p, z] < t.hp[s.kind[p, z]]
    if t.word[k] == S.X_RESTORE:
        return s.df[p, z] < t.df[s.kind[p, z]]
    return True


@njit
def can_eat(s: State, t: Table, p: Player, k: Card) -> Flag:
    """Whether a Food can be played (RT-C4)."""
    if s.hand[p, k] == 0 or t.sort[k] != S.FOOD or t.cost[k] > s.ready[p] or t.forbidden[p, k]:
        return False
    for z in range(S.ZONES):
        if food_target(s, t, p, k, z):
            return True
    return False


@njit
def playable(s: State, t: Table, p: Player, k: Card) -> Flag:
    """Whether a card in hand can be played or set in a Tactic Phase."""
    if s.hand[p, k] == 0 or t.forbidden[p, k]:
        return False
    sort = t.sort[k]
    if sort == S.TRAP:  # its cost is paid when it is used (G-18)
        for i in range(t.trap_zone):
            if s.trap[p, i] < 0:
                return True
        return False
    if t.cost[k] > s.ready[p]:
        return False
    if sort == S.CHARACTER:
        return can_summon(s, t, p)
    if sort == S.FOOD:
        return can_eat(s, t, p, k)
    if sort == S.LAND:
        if t.land_replace:
            return True
        return s.land[p] < 0 and (t.lands_per_player == 1 or s.land[1 - p] < 0)
    word = t.word[k]
    if word == S.X_DAMAGE:
        return s.kind[1 - p, S.ACTIVE] >= 0
    if word == S.X_RALLY:
        return s.kind[p, S.ACTIVE] >= 0
    if word == S.X_SWAP:
        return any_swap(s, p)
    return True


@njit
def triggered(s: State, t: Table, p: Player, k: Card) -> Flag:
    """Whether the chain holds what a Trap waits for (G-19)."""
    if t.sort[k] != S.TRAP or t.cost[k] > s.ready[p] or s.links == 0 or t.forbidden[p, k]:
        return False
    word = t.word[k]
    if word == S.X_HOOK or word == S.X_CANCEL:
        first = s.link[0]
        return first[0] == S.C_ATTACK and first[1] != p and first[4] == 0
    top = s.link[s.links - 1]
    if top[0] != S.C_CARD or top[1] == p or top[4] == 1:
        return False
    return t.sort[top[2]] == (S.FOOD if word == S.X_NEGATE_FOOD else S.MANEUVER)


@njit
def can_answer(s: State, t: Table, p: Player, k: Card) -> Flag:
    """Whether a player can answer with a card of that kind: Food from the hand, or a Trap that is set or playable from the hand."""
    if s.links >= S.CHAIN:
        return False
    if can_eat(s, t, p, k):
        return True
    if not triggered(s, t, p, k):
        return False
    if s.hand[p, k] > 0 and t.from_hand[k] == 1:
        return True
    return set_place(s, t, p, k) >= 0


@njit
def set_place(s: State, t: Table, p: Player, k: Card) -> Zone:
    """The place of a set Trap of that kind that may be used, or NOTHING."""
    for i in range(S.TRAPS):
        if s.trap[p, i] == k and (t.set_traps_next_turn == 0 or s.set_in[p, i] != s.turn):
            return i
    return S.NOTHING


@njit
def answers(s: State, t: Table, p: Player) -> Flag:
    """Whether a player has anything to answer with."""
    for k in range(t.kinds):
        if s.hand[p, k] > 0 and can_answer(s, t, p, k):
            return True
    for i in range(S.TRAPS):
        if s.trap[p, i] >= 0 and can_answer(s, t, p, s.trap[p, i]):
            return True
    return False


@njit
def may_leave(s: State, t: Table, p: Player) -> Flag:
    """Whether the Active Character may leave: not slower than the opposing one, and not new (RT-S1, RT-S2)."""
    if not settled(s, p, S.ACTIVE):
        return False
    other = s.kind[1 - p, S.ACTIVE]
    return other < 0 or t.spd[s.kind[p, S.ACTIVE]] >= t.spd[other]


@njit
def can_move(s: State, t: Table, p: Player, z: Zone) -> Flag:
    """Whether a Character of the Back Row may switch with the Active Zone, empty or not."""
    if s.moved >= t.moves_per_phase or not settled(s, p, z):
        return False
    if s.kind[p, S.ACTIVE] < 0:
        return s.locked[p] == 0
    return may_leave(s, t, p)


@njit
def can_attack(s: State, t: Table) -> Flag:
    """Whether the player whose turn it is may declare an attack (RT-B1, RT-B2)."""
    p = s.whose
    if s.attacked or s.kind[p, S.ACTIVE] < 0 or s.position[p, S.ACTIVE] != S.ATTACK:
        return False
    if s.turn == 1:
        return False
    return t.summoned_attacks == 1 or settled(s, p, S.ACTIVE)


@njit
def legal(s: State, t: Table, mask: Mask) -> None:
    """The legal actions of the present decision."""
    mask[:] = False
    p = s.to_play
    if s.decision == S.D_MULLIGAN:
        mask[A_PASS] = True
        for k in range(t.kinds):
            mask[A_CARD + k] = s.hand[p, k] > 0
    elif s.decision == S.D_TACTIC:
        mask[A_PASS] = True
        for k in range(t.kinds):
            mask[A_CARD + k] = s.hand[p, k] > 0 and playable(s, t, p, k)
        for z in range(S.ZONES):
            mask[A_TURN + z] = s.turned[p, z] != s.turn and (
                settled(s, p, z) or (t.turn_on_entry == 1 and s.kind[p, z] >= 0)
            )
        for z in range(S.BACK, S.ZONES):
            mask[A_MOVE + z - 1] = can_move(s, t, p, z)
        mask[A_BACK] = s.moved < t.moves_per_phase and free_back(s, p) >= 0 and may_leave(s, t, p)
    elif s.decision == S.D_PLACE:
        front = s.kind[p, S.ACTIVE] < 0 and s.locked[p] == 0
        back = free_back(s, p) >= 0
        mask[A_PLACE] = front
        mask[A_PLACE + 1] = front
        mask[A_PLACE + 2] = back
        mask[A_PLACE + 3] = back
    elif s.decision == S.D_TARGET:
        for z in range(S.ZONES):
            if t.sort[s.pending] == S.FOOD:
                mask[A_TARGET + z] = food_target(s, t, p, s.pending, z)
            else:
                mask[A_TARGET + z] = z != S.ACTIVE and settled(s, p, z)
    elif s.decision == S.D_BATTLE:
        mask[A_PASS] = True
        mask[A_ATTACK] = True
        for k in range(t.kinds):
            mask[A_CARD + k] = s.hand[p, k] > 0 and can_eat(s, t, p, k)
    elif s.decision == S.D_ANSWER:
        mask[A_PASS] = True
        for k in range(t.kinds):
            mask[A_CARD + k] = s.hand[p, k] > 0 and can_answer(s, t, p, k)
        for i in range(S.TRAPS):
            if s.trap[p, i] >= 0:
                mask[A_CARD + s.trap[p, i]] = can_answer(s, t, p, s.trap[p, i])
    elif s.decision == S.D_REFILL:
        mask[A_PASS] = True
        for z in range(S.BACK, S.ZONES):
            mask[A_TARGET + z] = refills(s, t, p, z)
    elif s.decision == S.D_DISCARD:
        for k in range(t.kinds):
            mask[A_CARD + k] = s.hand[p, k] > 0
