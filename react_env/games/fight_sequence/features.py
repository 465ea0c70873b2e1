"""The features of a position for one player, from which a value is learned (`react_env.agents.players.learned_value`).

They describe positions at the start of a sequence, because a look-ahead lets both players pass until the sequence has resolved. They read
hands and decks, so hidden cards must be redrawn first. Cards are described by their kind and effect, never by their number in a deck file,
so the same weights play every deck.
"""

from react_env.engine.compile import njit
from react_env.engine.layout import Numbers
from react_env.engine.terms import Card, Features, Number, Player, State, Table
from react_env.games.fight_sequence import state as S

_LOW = (15, 12, 9, 7, 5, 3, 2, 1, 0)
_SPEEDS = 6  # attacks by Speed: 10, 20, ... 50, more
_EFFECTS = S.X_WILLPOWER + 1

_room = Numbers()

ONE = _room("one")
DECK = _room("deck")  # tens
DECK_LOW = _room("deck low", len(_LOW))  # 1 for each threshold that the deck does not exceed
HELD = _room("hand")  # tens
LIFE = _room("hand and deck")  # tens
STARTS = _room("begins the sequence")
STARTS_LOW = _room("begins the sequence, deck low", len(_LOW))
PUT_BACK = _room("cards on the deck that were put back")
LATE = _room("sequence")  # tens
HELD_SPEED = _room("attacks in hand by Speed", _SPEEDS)
HELD_POWER = _room("Power in hand, physical and magical", 2)  # tens
HELD_ATTACK = _room("attacks in hand by effect", _EFFECTS)
HELD_RESPONSE = _room("responses in hand by effect", _EFFECTS)
HELD_TOKEN = _room("tokens in hand, physical and magical", 2)
HELD_BLOCK = _room("blocks in hand, physical and magical", 2)
HELD_WILLPOWER = _room("Willpower in hand")
HELD_KNOWN = _room("cards in hand that all know")
LEFT_SPEED = _room("attacks in the deck by Speed", _SPEEDS)  # tens, as all features below
LEFT_ATTACK = _room("attacks in the deck by effect", _EFFECTS)
LEFT_RESPONSE = _room("responses in the deck by effect", _EFFECTS)
LEFT_TOKEN = _room("tokens in the deck, physical and magical", 2)
LEFT_BLOCK = _room("blocks in the deck, physical and magical", 2)

FEATURES = _room.names()
_HELD = (HELD_SPEED, HELD_ATTACK, HELD_RESPONSE, HELD_TOKEN, HELD_BLOCK)
_LEFT = (LEFT_SPEED, LEFT_ATTACK, LEFT_RESPONSE, LEFT_TOKEN, LEFT_BLOCK)


@njit
def _add(t: Table, p: Player, c: Card, count: Number, f: Features, at: tuple[int, ...]) -> None:
    """Add `count` copies of a card to the features at `at`: by Speed, effect of the attack and of the response, token and block."""
    speed, attack, response, token, block = at
    f[speed + min(max(t.speed[p, c] - 1, 0), _SPEEDS - 1)] += count
    f[attack + t.effect[p, S.ATTACK, c, 0]] += count
    row = t.effect[p, S.RESPONSE, c]
    f[response + row[0]] += count
    if row[0] == S.X_TOKEN:
        f[token + row[2]] += count
    elif row[0] == S.X_BLOCK:
        f[block + row[2]] += count


@njit
def features(s: State, t: Table, p: Player, f: Features) -> None:
    """Fill f (len(FEATURES),) with the features for player `p`."""
    f[:] = 0.0
    f[ONE] = 1.0
    f[DECK] = 0.1 * s.deck_size[p]
    f[HELD] = 0.1 * s.hand_size[p]
    f[LIFE] = f[DECK] + f[HELD]
    f[STARTS] = s.initiative == p if s.initiative >= 0 else s.starter == p
    for i in range(len(_LOW)):
        f[DECK_LOW + i] = s.deck_size[p] <= _LOW[i]
        f[STARTS_LOW + i] = f[STARTS] * f[DECK_LOW + i]
    f[PUT_BACK] = s.undrawn[p]
    f[LATE] = 0.1 * s.sequence
    for c in range(t.cards[p]):
        held = s.hand[p, c]
        if held > 0:
            _add(t, p, c, 1.0 * held, f, _HELD)
            f[HELD_POWER + t.type[p, c]] += 0.1 * held * t.power[p, c]
            if t.willpower[p, c] != 0:
                f[HELD_WILLPOWER] = 1.0
            f[HELD_KNOWN] += s.known[p, c] % S.LOOSE
    for i in range(s.deck_size[p]):
        _add(t, p, s.deck[p, i], 0.1, f, _LEFT)
