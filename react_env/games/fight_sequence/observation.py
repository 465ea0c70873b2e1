"""What a player sees, as one flat int8 array: "me first", in named pieces.

`LAYOUT` is the whole declaration; `observe` fills it. It reads only sums of what is hidden from the player: one over the opponent's hand,
deck and face-down discards, and one over the player's own deck and face-down discards.
"""

import numpy as np

from react_env.engine.compile import njit
from react_env.engine.layout import Layout, names_of
from react_env.engine.terms import Features, Flag, Player, State, Table, Zone
from react_env.games.fight_sequence import log
from react_env.games.fight_sequence import state as S
from react_env.games.fight_sequence.actions import speed_to_beat

HISTORY = 9  # events shown
EVENT_FEATURES = 5
PLAYER_FEATURES = 9
MOST = 127
WORD = 8  # constant parts are copied this many bytes at a time

_ACTION = (
    "Speed (tens, 0 for a response), Power, physical, magical, Shift (range + 1), Return (1 any, 2 attacks, 3 responses), bonus "
    "against physical, magical attacks, physical, magical damage of the text, draw, immediate (1) and damage to who built it, too "
    "(2), Armor, Resistance, physical block, magical block, Willpower, block type physical, magical"
)
_EFFECT = [9, 3, *[12] * 4]  # Shift, Return, bonus, damage: the most that card files allow
_DEFENSE = [12, 12, 1, 1, 1]  # Armor, Resistance, blocks, Willpower
_CARD = [S.DECK, 6, 12, 1, 1]  # copies, Speed, Power, types
LAYOUT = Layout(
    [
        (
            "sequence",
            (S.SLOTS, S.SLOT_FEATURES),
            0,
            [*[1] * 5, *_CARD[1:], *_EFFECT, 5, 3, *_DEFENSE, 1, 1],
            f"per slot: mine, theirs, attack, response, resolves now; {_ACTION}",
        ),
        ("hand", (S.CARDS,), 0, S.DECK, "my hand, by card"),
        ("my_unseen", (S.CARDS,), 0, S.DECK, "what my deck and my face-down discards hold, by card"),
        ("my_discard", (S.CARDS,), 0, S.DECK, "my discard pile, by card"),
        ("their_unseen", (S.CARDS,), 0, S.DECK, "their hand, deck and face-down discards together, by card"),
        ("their_known", (S.CARDS,), 0, S.DECK, "cards known to be in their hand"),
        ("their_loose", (S.CARDS,), 0, S.DECK, "cards known to be in their hand or among those they have put back"),
        ("their_discard", (S.CARDS,), 0, S.DECK, "their discard pile, by card"),
        (
            "decision",
            (S.DECISIONS,),
            0,
            1,
            "what is to be decided, one-hot (all 0 for the player who is not to move)",
            names_of(S, "D_"),
        ),
        (
            "turn",
            (12,),
            0,
            [MOST, MOST, 1, 1, 1, 1, 1, 1, 1, 6, S.SLOTS, 1],
            "number of the sequence (at most 127), turns of its building, one pass so far, I have the initiative, they have it, it was "
            "taken in this sequence, building, resolving, cleanup, Speed to beat (tens), free slots, I am player 1",
        ),
        (
            "players",
            (S.PLAYERS, PLAYER_FEATURES),
            0,
            [*[S.DECK] * 5, *[MOST] * 4],
            "me, then them: cards in hand, in the deck, on its top that were put back, discarded or in the sequence, of these face down, "
            "Armor, Resistance, damage instances that will be ignored, damage about to be taken",
        ),
        ("my_top", (S.TOP,), 0, S.CARDS, "the cards that I have put back, from the top: card + 1, 0 none"),
        (
            "history",
            (HISTORY, EVENT_FEATURES),
            0,
            [log.EVENT_KINDS, 2, S.CARDS, S.CARDS, MOST],
            "the last public events, newest first: kind, by me (1), them (2) or nobody, card + 1, as attack (1) or response (2) or "
            "physical (1) or magical (2), further number; of cards that damage discards the first three, each + 1",
            names_of(log, "E_"),
        ),
        (
            "my_cards",
            (S.CARDS, S.CARD_FEATURES),
            0,
            [*_CARD, *_EFFECT, 1, 5, 3, *_DEFENSE, 9, 3, 12, 12, 1, 5, 1, 1, 1],
            "my deck list, a row for each card: copies, Speed (tens), Power, physical, magical; of the attack: Shift (range "
            "+ 1), Return (1 any, 2 attacks, 3 responses), bonus against physical, magical, physical, magical damage of the text, to "
            "me too, draw; immediate (1 the attack, 2 the response, 3 both); of the response: Armor, Resistance, physical block, "
            "magical block, Willpower, Shift, Return, physical, magical damage, to me too, draw, block type physical, magical; 1 for a "
            "card",
        ),
        (
            "their_cards",
            (S.CARDS, S.THEIR_FEATURES),
            0,
            [*_CARD, 1, 3, *_DEFENSE],
            "their deck list, shorter: copies, Speed (tens), Power, physical, magical, the attack has an effect, immediate (as in "
            "mine); Armor, Resistance, physical block, magical block, Willpower",
        ),
    ]
)
O_DECISION = LAYOUT["decision"].start
O_TURN = LAYOUT["turn"].start
O_PLAYERS = LAYOUT["players"].start
O_MY_TOP = LAYOUT["my_top"].start
O_MY_CARDS = LAYOUT["my_cards"].start
O_HAND = LAYOUT["hand"].start
O_MY_UNSEEN = LAYOUT["my_unseen"].start
O_MY_DISCARD = LAYOUT["my_discard"].start
O_THEIR_UNSEEN = LAYOUT["their_unseen"].start
O_THEIR_KNOWN = LAYOUT["their_known"].start
O_THEIR_LOOSE = LAYOUT["their_loose"].start
O_THEIR_DISCARD = LAYOUT["their_discard"].start
O_SEQUENCE = LAYOUT["sequence"].start
O_HISTORY = LAYOUT["history"].start
assert LAYOUT.size - O_MY_CARDS == S.SEEN  # the last two pieces are copied at once
assert O_SEQUENCE % WORD == 0 and S.SLOT_FEATURES % WORD == 0 and O_MY_CARDS % WORD == 0 and LAYOUT.size % WORD == 0


@njit(noalias=True)
def observe(s: State, t: Table, p: Player, out: Features) -> None:
    """Fill `out` (int8, LAYOUT.size) with what player `p` sees."""
    wide = out.view(np.int64)
    for i in range(O_HAND // WORD):
        wide[i] = 0
    for i in range(O_THEIR_KNOWN // WORD, O_MY_CARDS // WORD):
        wide[i] = 0
    q = 1 - p
    if s.to_play == p and s.over == 0:
        out[O_DECISION + s.decision] = 1
    out[O_TURN] = min(s.sequence, MOST)
    out[O_TURN + 1] = s.turns
    out[O_TURN + 2] = s.passes == 1
    out[O_TURN + 3] = s.initiative == p
    out[O_TURN + 4] = s.initiative == q
    out[O_TURN + 5] = s.claimed
    out[O_TURN + 6] = s.phase == S.PH_BUILD
    out[O_TURN + 7] = s.phase == S.PH_RESOLVE
    out[O_TURN + 8] = s.phase == S.PH_CLEANUP
    out[O_TURN + 9] = speed_to_beat(s, t)
    out[O_TURN + 10] = S.SLOTS - s.slots
    out[O_TURN + 11] = p
    for i in range(S.PLAYERS):
        observe_player(s, t, p if i == 0 else q, out, O_PLAYERS + i * PLAYER_FEATURES)
    size = s.deck_size[p]
    for i in range(min(S.TOP, s.undrawn[p])):
        out[O_MY_TOP + i] = s.deck[p, size - 1 - i] + 1
    observe_cards(s, t, p, out)
    observe_sequence(s, t, p, out, wide)
    observe_history(s, p, out)


@njit(noalias=True)
def observe_player(s: State, t: Table, q: Player, out: Features, at: Zone) -> None:
    """The public numbers of player `q`."""
    out[at] = s.hand_size[q]
    out[at + 1] = s.deck_size[q]
    out[at + 2] = s.undrawn[q]
    out[at + 3] = t.deck_cards[q] - s.hand_size[q] - s.deck_size[q]
    out[at + 4] = s.buried_size[q]
    out[at + 5] = s.token[q, 0]
    out[at + 6] = s.token[q, 1]
    out[at + 7] = s.ward[q]
    out[at + 8] = 0 if s.ignored[q] else s.pending[q]


@njit(noalias=True)
def observe_cards(s: State, t: Table, p: Player, out: Features) -> None:
    """Hands, heaps and discard piles by card, and the deck lists."""
    q = 1 - p
    hand, mine, copies = s.hand[p], s.discard[p], t.copies[p]
    # All places, one piece after the other, so that the compiler writes many of them at once.
    held, gone, unseen = out[O_HAND:O_MY_UNSEEN], out[O_MY_DISCARD:O_THEIR_UNSEEN], out[O_MY_UNSEEN:O_MY_DISCARD]
    for c in range(S.CARDS):
        held[c] = hand[c]
    for c in range(S.CARDS):
        gone[c] = mine[c]
    for c in range(S.CARDS):
        unseen[c] = copies[c] - mine[c] - hand[c]
    theirs, copies = s.discard[q], t.copies[q]
    gone, unseen = out[O_THEIR_DISCARD:O_DECISION], out[O_THEIR_UNSEEN:O_THEIR_KNOWN]
    for c in range(S.CARDS):
        gone[c] = theirs[c]
    for c in range(S.CARDS):
        unseen[c] = copies[c] - theirs[c]
    if s.returned[q]:
        known = s.known[q]
        for c in range(t.cards[q]):
            out[O_THEIR_KNOWN + c] = known[c] % S.LOOSE
            out[O_THEIR_LOOSE + c] = known[c] // S.LOOSE
    for i in range(s.slots):
        if s.slot_owner[i] == p:
            out[O_MY_UNSEEN + s.slot_card[i]] -= 1
        else:
            out[O_THEIR_UNSEEN + s.slot_card[i]] -= 1


@njit
def observe_sequence(s: State, t: Table, p: Player, out: Features, wide: Flag) -> None:
    """The Actions in their slots."""
    for i in range(s.slots):
        at = O_SEQUENCE + i * S.SLOT_FEATURES
        owner, mode = s.slot_owner[i], s.slot_mode[i]
        features = t.slot_features[owner, mode, s.slot_card[i]]
        for j in range(S.SLOT_FEATURES // WORD):
            wide[at // WORD + j] = features[j]
        out[at + (owner != p)] = 1
        out[at + 4] = i == s.current and s.phase == S.PH_RESOLVE


@njit(noalias=True)
def observe_history(s: State, p: Player, out: Features) -> None:
    """The last events, newest first."""
    place = s.events % S.EVENTS
    for i in range(min(HISTORY, s.events)):
        place = place - 1 if place > 0 else S.EVENTS - 1
        event = s.event[place]
        at = O_HISTORY + i * EVENT_FEATURES
        out[at] = log.kind_of(event)
        out[at + 1] = 1 if log.player_of(event) == p else 2
        out[at + 2] = event[1]
        out[at + 3] = event[2]
        out[at + 4] = event[3]
    if out[O_HISTORY] == log.E_TIE or out[O_HISTORY] == log.E_CUT:  # then the last event belongs to nobody
        out[O_HISTORY + 1] = 0
