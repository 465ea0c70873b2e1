"""The features of a position for one player, from which a value is learned (`react_env.agents.players.learned_value`).

Each number describes the player's own side and what it does to the other side; both players get the same features. They read hands, so
hidden cards must be redrawn first. Cards are described by their kind and effect, never by their number in a set, and the rest of the deck
counts too, so the same weights play every deck.
"""

from react_env.engine.compile import njit
from react_env.engine.layout import Numbers
from react_env.engine.terms import Features, Flag, Player, State, Table
from react_env.games.reality_tcg import state as S
from react_env.games.reality_tcg.battle import attack_of
from react_env.games.reality_tcg.heuristics import bears

_LOW = (12, 9, 6, 4, 2)
_COSTS = (2, 4, 6)  # costs of Characters in hand: up to 2, 4, 6, more
_STRONG = (3, 5, 7, 9)

_room = Numbers()


ONE = _room("one")
IP = _room("IP")  # tens
IP_LOW = _room("IP low", len(_LOW))  # 1 for each threshold that IP do not exceed
ENERGY = _room("Energy")  # tens
ACTIVE_ENERGY = _room("active Energy")  # tens
HELD = _room("hand")  # tens
EMPTY_HAND = _room("empty hand")
HELD_COST = _room("Characters in hand by cost", len(_COSTS) + 1)
HELD_NEXT = _room("Characters in hand for the Energy of the next turn")
HELD_WORD = _room("cards in hand by what they do", S.WORDS)
LEFT = _room("deck")  # tens
LEFT_NONE = _room("empty deck")
LEFT_WORD = _room("cards in the deck by what they do", S.WORDS)  # tens
LEFT_COST = _room("cost of the Characters in the deck")  # the mean, tens
SET_WORD = _room("set Traps by what they do", S.WORDS)
SET_PAID = _room("set Traps that active Energy pays")
LAND = _room("Lands", 2)
ACTIVE = _room("Active Character")
LOCKED = _room("no new Active")
DEFENSE = _room("Active in Defense Position")
ATK = _room("ATK")  # tens, with all bonuses
ATK_REACHED = _room("ATK reached", len(_STRONG))
HP = _room("HP")  # tens
DF = _room("DEF")  # tens
HURT = _room("HP lost")  # tens
SLOWER = _room("slower than theirs")
STANCE_LEFT = _room("position can be changed")
BACK = _room("Back Row")
BACK_ATK = _room("ATK in the Back Row")  # tens
BACK_HP = _room("HP in the Back Row")  # tens
BACK_DF = _room("DEF in the Back Row")  # tens
BACK_BEST = _room("best ATK in the Back Row")  # tens
BACK_WORD = _room("Back Row by what they do", 3)  # draws, supports, heals
BLOW = _room("IP of a blow")  # tens: what the next attack costs them, without answers
BLOW_KILLS = _room("a blow destroys")
BLOW_WINS = _room("a blow wins")
BLOW_DIES = _room("a blow is the end of the own Active")
BLOW_COSTS = _room("IP of their blow back")  # tens
TURN = _room("own turn")
TURN_BLOW = _room("IP of a blow in own turn")
TURN_KILLS = _room("a blow destroys in own turn")
TURN_WINS = _room("a blow wins in own turn")
TURN_SPENT = _room("attack made")
TURN_HAND = _room("hand in own turn")
LATE = _room("turn")  # hundreds

FEATURES = _room.names()


@njit
def _cards(s: State, t: Table, p: Player, f: Features) -> None:
    """Hand, deck and set Traps."""
    total = 0
    characters = 0
    for k in range(t.kinds):
        held = s.hand[p, k]
        if held == 0:
            continue
        f[HELD_WORD + t.word[k]] += held
        if t.sort[k] == S.CHARACTER:
            row = 0
            for most in _COSTS:
                row += t.cost[k] > most
            f[HELD_COST + row] += held
            f[HELD_NEXT] += held * (t.cost[k] <= s.energy[p] + 1)
    for i in range(s.deck_size[p]):
        k = s.deck[p, i]
        f[LEFT_WORD + t.word[k]] += 0.1
        if t.sort[k] == S.CHARACTER:
            total += t.cost[k]
            characters += 1
    if characters > 0:
        f[LEFT_COST] = 0.1 * total / characters
    for i in range(S.TRAPS):
        if s.trap[p, i] >= 0:
            f[SET_WORD + t.word[s.trap[p, i]]] += 1.0
            f[SET_PAID] += t.cost[s.trap[p, i]] <= s.ready[p]


@njit
def _blow(s: State, t: Table, p: Player, mine: Flag, f: Features) -> None:
    """What an attack of the Active Character would do, without answers."""
    q = 1 - p
    if s.position[p, S.ACTIVE] == S.DEFENSE:
        return
    atk = attack_of(s, t, p, S.ACTIVE)
    through = atk
    if s.kind[q, S.ACTIVE] >= 0:
        holds = bears(s, q)
        f[BLOW_KILLS] = atk >= holds
        through = max(atk - holds, 0)
        if s.position[q, S.ACTIVE] == S.ATTACK:
            back = attack_of(s, t, q, S.ACTIVE) - s.hp[p, S.ACTIVE]
            f[BLOW_DIES] = back >= 0
            f[BLOW_COSTS] = 0.1 * max(back, 0)
    f[BLOW] = 0.1 * through
    f[BLOW_WINS] = through >= s.ip[q]
    if mine and s.attacked == 0:
        f[TURN_BLOW] = f[BLOW]
        f[TURN_KILLS] = f[BLOW_KILLS]
        f[TURN_WINS] = f[BLOW_WINS]


@njit
def _board(s: State, t: Table, p: Player, mine: Flag, f: Features) -> None:
    """The Characters of a player."""
    q = 1 - p
    for z in range(S.BACK, S.ZONES):
        k = s.kind[p, z]
        if k < 0:
            continue
        f[BACK] += 1.0
        f[BACK_ATK] += 0.1 * t.atk[k]
        f[BACK_HP] += 0.1 * s.hp[p, z]
        f[BACK_DF] += 0.1 * s.df[p, z]
        f[BACK_BEST] = max(f[BACK_BEST], 0.1 * t.atk[k])
        if S.X_SUMMON_DRAW <= t.word[k] <= S.X_CARE:
            f[BACK_WORD + t.word[k] - S.X_SUMMON_DRAW] += 1.0
    k = s.kind[p, S.ACTIVE]
    if k < 0:
        f[LOCKED] = s.locked[p]
        return
    f[ACTIVE] = 1.0
    f[DEFENSE] = s.position[p, S.ACTIVE] == S.DEFENSE
    atk = attack_of(s, t, p, S.ACTIVE)
    f[ATK] = 0.1 * atk
    for i in range(len(_STRONG)):
        f[ATK_REACHED + i] = atk >= _STRONG[i]
    f[HP] = 0.1 * s.hp[p, S.ACTIVE]
    f[DF] = 0.1 * s.df[p, S.ACTIVE]
    f[HURT] = 0.1 * (t.hp[k] - s.hp[p, S.ACTIVE])
    f[SLOWER] = s.kind[q, S.ACTIVE] >= 0 and t.spd[k] < t.spd[s.kind[q, S.ACTIVE]]
    f[STANCE_LEFT] = mine == 1 and s.turned[p, S.ACTIVE] != s.turn and s.entered[p, S.ACTIVE] != s.turn
    _blow(s, t, p, mine, f)


@njit
def features(s: State, t: Table, p: Player, f: Features) -> None:
    """Fill f (len(FEATURES),) with the features for player `p`."""
    mine = 1 if s.whose == p else 0
    f[:] = 0.0
    f[ONE] = 1.0
    f[IP] = 0.1 * s.ip[p]
    for i in range(len(_LOW)):
        f[IP_LOW + i] = s.ip[p] <= _LOW[i]
    f[ENERGY] = 0.1 * s.energy[p]
    f[ACTIVE_ENERGY] = 0.1 * s.ready[p]
    f[HELD] = 0.1 * s.hand_size[p]
    f[EMPTY_HAND] = s.hand_size[p] == 0
    f[LEFT] = 0.1 * s.deck_size[p]
    f[LEFT_NONE] = s.deck_size[p] == 0
    _cards(s, t, p, f)
    if s.land[p] >= 0:
        f[LAND + (t.word[s.land[p]] == S.X_QUARTER)] = 1.0
    _board(s, t, p, mine, f)
    f[TURN] = mine
    f[TURN_SPENT] = mine * s.attacked
    f[TURN_HAND] = mine * f[HELD]
    f[LATE] = 0.01 * s.turn
