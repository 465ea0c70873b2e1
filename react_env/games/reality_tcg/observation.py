"""What a player sees, as one flat int8 array of named pieces, mine before theirs. It also describes what the cards are."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from react_env.engine.compile import njit
from react_env.engine.layout import Layout, names_of
from react_env.engine.terms import Features, Number, Player, State, Table, Zone
from react_env.games.reality_tcg import state as S
from react_env.games.reality_tcg.battle import attack_of

MOST = 127
STAT = 20  # the most that a card file allows
TABLE = 25
UNIT = 16
CARD = 5
LINK = 3 + S.LINKS + S.WORDS
LINKS = 4
FEATURES = S.SORTS + 7 + S.WORDS

LAYOUT = Layout(
    [
        (
            "decision",
            (S.DECISIONS,),
            0,
            1,
            "what is to be decided, one-hot (all 0 for a player who is not to move)",
            names_of(S, "D_"),
        ),
        (
            "phase",
            (S.PHASES,),
            0,
            1,
            "the phase of the turn, one-hot",
            S.PHASE_NAMES,
        ),
        (
            "table",
            (TABLE,),
            0,
            [
                *(MOST, 1, 1),
                *[20] * 2,  # IP never grow
                *[S.MOST_ENERGY] * 4,
                *[S.MOST_CARDS] * 4,
                *[S.TRAPS] * 2,
                *(1, 1, 1, 3, S.MULLIGAN, S.CHAIN, S.PLAYERS, 1, S.MOST_CARDS, 3),
            ],
            "turn (127: or later), it is mine, I began; IP, Energy, active Energy, cards in the deck, cards in hand, set Traps, no new "
            "Active: mine and theirs of each; an attack was declared, zone switches in this phase, cards returned so far, things on the "
            "chain, passes in a row, the player to move is playing a card, Characters summoned this turn, mulligans made by the player at "
            "the mulligan; IP below 0 are 0",
        ),
        (
            "units",
            (2 * S.ZONES, UNIT),
            0,
            [1, 10, MOST, *[STAT] * 6, 1, 1, 1, MOST, *[STAT] * 3],
            "my Active Zone and Back Row, then theirs: somebody is there, cost, ATK now, ATK, DEF now, DEF, HP now, HP, SPD, in Defense "
            "Position, entered this turn, changed its position this turn, ATK this turn, draws when summoned, supports, heals",
        ),
        ("lands", (2, 2), 0, STAT, "my Land, theirs: ATK for every Active Character, DEF as a turn begins"),
        ("traps", (S.TRAPS, 1 + S.KINDS), 0, 1, "my set Traps: set this turn; which card, one-hot"),
        (
            "chain",
            (LINKS, LINK),
            0,
            [1, 1, STAT, *[1] * (LINK - 3)],
            "what waits on the chain, the last first: mine, negated, amount; what it is and what it does, one-hot",
            ("mine", "negated", "amount", "declared", "attack", "summon", "card", *names_of(S, "X_")),
        ),
        ("pending", (S.KINDS,), 0, 1, "the card that is being played, one-hot"),
        (
            "cards",
            (S.KINDS, CARD),
            0,
            S.MOST_CARDS,
            "each card of the set: in my hand, in my Purgatory, in theirs (0 where it is closed), left in my deck, not in sight of "
            "theirs (0 with closed deck lists)",
        ),
        (
            "features",
            (S.KINDS, FEATURES),
            0,
            [*[1] * S.SORTS, 10, *[STAT] * 5, *[1] * (1 + S.WORDS)],
            "each card of the set: its sort, its numbers and what it does",
            (*S.SORT_NAMES, "cost", "ATK", "DEF", "HP", "SPD", "amount", "from the hand", *names_of(S, "X_")),
        ),
    ]
)


def fixed(tables: NDArray[Any]) -> NDArray[np.int8]:
    """The piece "features", (T, 2, its size): the same for both players."""
    found = np.zeros((len(tables), S.PLAYERS, S.KINDS, FEATURES), np.int8)
    for i, t in enumerate(tables):
        for k in range(int(t["kinds"])):
            row = found[i, :, k]
            row[:, t["sort"][k]] = 1
            for j, name in enumerate(("cost", "atk", "df", "hp", "spd", "amount", "from_hand")):
                row[:, S.SORTS + j] = t[name][k]
            row[:, S.SORTS + 7 + t["word"][k]] = 1
    return found.reshape(len(tables), S.PLAYERS, S.KINDS * FEATURES)


@njit(noalias=True)
def unit(s: State, t: Table, p: Player, z: Zone, out: Features, at: Number) -> None:
    """A Character on the board."""
    k = s.kind[p, z]
    if k < 0:
        return
    out[at] = 1
    out[at + 1] = t.cost[k]
    out[at + 2] = min(attack_of(s, t, p, z), MOST)
    out[at + 3] = t.atk[k]
    out[at + 4] = s.df[p, z]
    out[at + 5] = t.df[k]
    out[at + 6] = s.hp[p, z]
    out[at + 7] = t.hp[k]
    out[at + 8] = t.spd[k]
    out[at + 9] = s.position[p, z]
    out[at + 10] = s.entered[p, z] == s.turn
    out[at + 11] = s.turned[p, z] == s.turn
    out[at + 12] = s.boost[p, z]
    if S.X_SUMMON_DRAW <= t.word[k] <= S.X_CARE:
        out[at + 12 + t.word[k]] = t.amount[k]


@njit(noalias=True)
def observe(s: State, t: Table, p: Player, out: Features) -> None:
    """Fill `out` with what player `p` sees, except the last piece, which the engine writes."""
    q = 1 - p
    end = S.DECISIONS + S.PHASES + TABLE + 2 * S.ZONES * UNIT + 4 + S.TRAPS * (1 + S.KINDS) + LINKS * LINK + S.KINDS
    out[: end + S.KINDS * CARD] = 0
    if s.to_play == p and s.over == 0:
        out[s.decision] = 1
    at: Number = S.DECISIONS
    out[at + s.phase] = 1
    at += S.PHASES
    out[at] = min(s.turn, MOST)
    out[at + 1] = s.whose == p
    out[at + 2] = s.first == p
    for i in range(S.PLAYERS):
        r = p if i == 0 else q
        out[at + 3 + i] = max(s.ip[r], 0)
        out[at + 5 + i] = s.energy[r]
        out[at + 7 + i] = s.ready[r]
        out[at + 9 + i] = s.deck_size[r]
        out[at + 11 + i] = s.hand_size[r]
        out[at + 13 + i] = (s.trap[r, 0] >= 0) + (s.trap[r, 1] >= 0) + (s.trap[r, 2] >= 0)
        out[at + 15 + i] = s.locked[r]
    out[at + 17] = s.attacked
    out[at + 18] = s.moved
    out[at + 19] = s.returning
    out[at + 20] = s.links
    out[at + 21] = s.passes
    out[at + 22] = s.pending >= 0
    out[at + 23] = s.summons
    out[at + 24] = s.mulligans
    at += TABLE
    for z in range(S.ZONES):
        unit(s, t, p, z, out, at + z * UNIT)
        unit(s, t, q, z, out, at + (S.ZONES + z) * UNIT)
    at += 2 * S.ZONES * UNIT
    for i in range(S.PLAYERS):
        land = s.land[p if i == 0 else q]
        if land >= 0:
            out[at + 2 * i + (t.word[land] == S.X_QUARTER)] = t.amount[land]
    at += 4
    for i in range(S.TRAPS):
        if s.trap[p, i] >= 0:
            out[at] = s.set_in[p, i] == s.turn
            out[at + 1 + s.trap[p, i]] = 1
        at += 1 + S.KINDS
    for i in range(min(s.links, LINKS)):
        what, player, k, _, negated = s.link[s.links - 1 - i]
        out[at + i * LINK] = player == p
        out[at + i * LINK + 1] = negated
        out[at + i * LINK + 3 + what] = 1
        if what == S.C_CARD or what == S.C_SUMMON:
            out[at + i * LINK + 2] = t.amount[k]
            out[at + i * LINK + 3 + S.LINKS + t.word[k]] = 1
    at += LINKS * LINK
    if s.pending >= 0:
        out[at + s.pending] = 1
    at += S.KINDS
    for i in range(s.deck_size[p]):
        out[at + s.deck[p, i] * CARD + 3] += 1
    if t.open_decklists:
        unseen(s, t, q, out, at + 4)
    for k in range(t.kinds):
        out[at] = s.hand[p, k]
        out[at + 1] = s.gone[p, k]
        if t.open_purgatory:
            out[at + 2] = s.gone[q, k]
        at += CARD


@njit(noalias=True)
def unseen(s: State, t: Table, q: Player, out: Features, at: Number) -> None:
    """Count the cards of player `q`'s list that nobody sees, by kind: deck, hand, set Traps, and a closed Purgatory."""
    for k in range(t.kinds):
        out[at + k * CARD] = s.hand[q, k]
        if t.open_purgatory == 0:
            out[at + k * CARD] += s.gone[q, k]
        if s.decision == S.D_MULLIGAN and s.to_play == q:
            out[at + k * CARD] += s.returned[k]
    for i in range(S.TRAPS):
        if s.trap[q, i] >= 0:
            out[at + s.trap[q, i] * CARD] += 1
    for i in range(s.deck_size[q]):
        out[at + s.deck[q, i] * CARD] += 1
