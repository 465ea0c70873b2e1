"""The features of a position for one player. Both values weigh them: the game's own (`value.py`) and a learned one
(`react_env.agents.players.learned_value`).

Each is a number about the player's own side and what it does to the other; it is computed for both players. Hands are read, so what a
player cannot know must be redrawn first. Each card, counter, and kind of summon, token and tile has features of its own, because its worth
depends on the artist.
"""

from react_env.engine.compile import njit
from react_env.engine.layout import Numbers
from react_env.engine.terms import Flag, Frame, Player, State, Table
from react_env.games.arts_of_war import state as S
from react_env.games.arts_of_war.heuristics import best_fit, hurt, steps_to_prey
from react_env.games.arts_of_war.threats import is_prey, threats

_LOW_DECK = 8
_MOST_POINTS = 20
_SIXTHS = 6  # parts of the turns up to the limit
_FITS = 2 * S.PARTS - 1  # numbers of points of a masterpiece: 2 to 2 * PARTS, which is complete

_room = Numbers()


ONE = _room("one")  # 1: what the artist itself is worth
HELD = _room("in hand", S.ACTIONS_CARDS)  # of each action card
REACTIONS = _room("reactions in hand")
EMPTY_HAND = _room("empty hand")
FULL_HAND = _room("full hand")
FACE_DOWN = _room("face down")
DECK_LEFT = _room("deck")  # tens of cards
LOW = _room("low deck")  # how many cards it has fewer than 8
POINTS = _room("points", S.COUNTERS)  # tens of each counter, up to 2
POINTS_SQUARED = _room("points squared", S.COUNTERS)
NEARLY = _room("counter nearly full", S.COUNTERS)  # at most one point is missing
FIT = _room("masterpiece", _FITS)  # 1 for each number of points reached; a card in its place is 2, a free place 1
ASCENDED = _room("ascended")  # with a side that lasts until it is used
ASCENDED_AGAIN = _room("ascended, masterpiece complete")
FORM = _room("form")
SUMMONS = _room("summons", S.KINDS - 1)
NEAR = _room("summons near", S.KINDS - 1)  # at most two steps from their prey: the opponent's artist, or vital summons
BESIDE = _room("summons beside", S.KINDS - 1)  # one step
STEPS = _room("steps")  # from the artist to its prey
AT_PREY = _room("artist beside")
IN_LINE = _room("in line")  # the artist and prey share a row or a column
OFF_CENTRE = _room("off centre")
FREE = _room("free sides")  # empty zones beside what must not be lost
WALLS = _room("walls")
IN_ZONES = _room("tokens in zones", S.TOKENS)
IN_ZONES_NEAR = _room("tokens in zones near", S.TOKENS)  # at most one step from prey
ON_OWN = _room("tokens on own units", S.TOKENS)
ON_THEIRS = _room("tokens on their units", S.TOKENS)
ON_ARTIST = _room("token on their artist", S.TOKENS)
LAID = _room("tiles", S.TILES)
LAID_NEAR = _room("tiles near", S.TILES)
MANNED = _room("manned tiles")  # own tiles that wait for a cue and have an own unit on them
THREATS = _room("threats", S.LIVES)  # 1 for each number reached
LETHAL = _room("lethal threats")
HARM = _room("harm")  # damage taken, or missing vital summons
HARM_REACHED = _room("harm reached", S.LIVES - 1)
LATE = _room("late", _SIXTHS - 1)  # 1 for each sixth of the turns that is over: after the last nobody can win
HAND_LATE = _room("hand when late", _SIXTHS - 1)
TURN = _room("own turn")
TURN_THREAT = _room("threat in own turn")
TURN_THREATS = _room("three threats in own turn")
TURN_LETHAL = _room("lethal threats in own turn")
TURN_CARDS = _room("hand in own turn")
READY = _room("refreshed units in own turn")
ARTIST_READY = _room("refreshed artist in own turn")

FEATURES = _room.names()


@njit
def _board(s: State, t: Table, p: Player, mine: Flag, f: Frame) -> None:
    """Fill in the features of units, tokens and tiles."""
    q = 1 - p
    share = 1.0 / S.LIVES if t.vital[p] else 1.0
    for u in range(p * S.SLOTS, (p + 1) * S.SLOTS):
        z = s.unit_zone[u]
        if z < 0:
            continue
        kind = t.slot_kind[p, u % S.SLOTS]
        steps = steps_to_prey(s, t, q, z)
        if u == p * S.SLOTS:
            f[STEPS] = steps
            f[AT_PREY] = steps == 1
            f[ARTIST_READY] = mine * (1 - s.unit_exhausted[u])
            f[OFF_CENTRE] = abs(2 * t.row_of[z] - (t.rows - 1)) + abs(2 * t.column_of[z] - (t.cols - 1))
            for v in range(q * S.SLOTS, (q + 1) * S.SLOTS):
                if is_prey(s, t, q, v):
                    y = s.unit_zone[v]
                    if t.row_of[y] == t.row_of[z] or t.column_of[y] == t.column_of[z]:
                        f[IN_LINE] = 1.0
        elif kind > 0:
            f[SUMMONS + kind - 1] += 1.0
            f[NEAR + kind - 1] += steps <= 2
            f[BESIDE + kind - 1] += steps <= 1
        f[READY] += mine * (1 - s.unit_exhausted[u])
        if is_prey(s, t, p, u):
            for way in range(4):
                beside = t.neighbour[z, way]
                if beside < 0:
                    f[WALLS] += share
                elif s.zone_unit[beside] < 0:
                    f[FREE] += share
        for k in range(S.TOKENS):
            f[ON_OWN + k] += (s.token[u, p, k] != 0) & (t.token_on_unit[p, k] != 0)
        tile = s.zone_tile[z]
        f[MANNED] += tile >= 0 and tile // S.TILES == p and t.tile_cue[p, tile % S.TILES] >= 0
    for u in range(q * S.SLOTS, (q + 1) * S.SLOTS):
        if s.unit_zone[u] >= 0:
            for k in range(S.TOKENS):
                if t.token_on_unit[p, k] and s.token[u, p, k]:
                    f[ON_THEIRS + k] += 1.0
                    if u == q * S.SLOTS:
                        f[ON_ARTIST + k] = 1.0
    for k in range(S.TOKENS):
        if not t.token_on_unit[p, k] and not t.token_blocks[p, k] and s.token_left[p, k] < t.token_pool[p, k]:
            for z in range(t.zones):
                count = s.token[z, p, k]
                if count:
                    f[IN_ZONES + k] += count
                    if steps_to_prey(s, t, q, z) <= 1:
                        f[IN_ZONES_NEAR + k] += count
    laid = 0
    for k in range(S.TILES):
        laid += t.tile_pool[p, k] - s.tile_left[p, k]
    for z in range(t.zones if laid else 0):
        tile = s.zone_tile[z]
        if tile >= 0 and tile // S.TILES == p:
            f[LAID + tile % S.TILES] += 1.0
            f[LAID_NEAR + tile % S.TILES] += steps_to_prey(s, t, q, z) <= 1


@njit
def features(s: State, t: Table, p: Player, f: Frame) -> None:
    """Fill `f` (len(FEATURES),) with the features of player `p`."""
    q = 1 - p
    mine = 1.0 if s.turn_player == p else 0.0
    f[:] = 0.0
    f[ONE] = 1.0
    held = 0
    for c in range(S.ACTIONS_CARDS):
        count = s.hand[p, c]
        held += count
        f[HELD + c] = count
        f[REACTIONS] += count * t.card_reacts[p, c]
    f[EMPTY_HAND] = held == 0
    f[FULL_HAND] = held >= S.HAND
    f[TURN_CARDS] = mine * held
    for i in range(S.CHAIN):
        f[FACE_DOWN] += s.face_down[i] >= 0 and s.face_down_player[i] == p
    if t.has_deck[p]:
        f[DECK_LEFT] = 0.1 * s.deck_size[p]
        f[LOW] = max(0, _LOW_DECK - s.deck_size[p])
    for k in range(S.COUNTERS):
        most = t.counter_most[p, k]
        if most:
            points = 0.1 * min(s.counter[p, k], _MOST_POINTS)
            f[POINTS + k] = points
            f[POINTS_SQUARED + k] = points * points
            f[NEARLY + k] = s.counter[p, k] >= most - 1
    fit = best_fit(s, t, p)
    for i in range(_FITS):
        f[FIT + i] = fit >= 2 + i
    if s.ascended[p] and t.ascend_mode[p, s.form[p]] == S.ASCEND_LASTING:
        f[ASCENDED] = 1.0
        f[ASCENDED_AGAIN] = fit == 2 * S.PARTS
    f[FORM] = s.form[p]
    _board(s, t, p, mine, f)
    count = threats(s, t, p)
    for i in range(S.LIVES):
        f[THREATS + i] = count > i
    f[LETHAL] = count >= S.LIVES - hurt(s, t, q)
    harm = hurt(s, t, p)
    f[HARM] = harm
    for i in range(S.LIVES - 1):
        f[HARM_REACHED + i] = harm > i
    for i in range(_SIXTHS * (s.turn - 1) // t.max_turns):
        f[LATE + i] = 1.0
        f[HAND_LATE + i] = held
    f[TURN] = mine
    f[TURN_THREAT] = mine * f[THREATS]
    f[TURN_THREATS] = mine * f[THREATS + S.LIVES - 1]
    f[TURN_LETHAL] = mine * f[LETHAL]
