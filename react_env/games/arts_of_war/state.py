"""The record of one game of Re;ACT, the tables of its two artists, and the constants to read both.

`STATE` is everything that changes during a game; `TABLES` is everything that does not (rules configuration, board geometry and the
compiled card files). A rule is a function of one element of each. Zone, direction, unit and slot numbers are those of
`docs/arts_of_war/decisions.md`: absolute, as player 0 sees the board.
"""

import numpy as np

# Sizes (fixed, so that every artist and every board fits the same record and the same network).
PLAYERS = 2
ZONES = 25
SLOTS = 8  # units of one player: the artist and up to 7 summons
UNITS = PLAYERS * SLOTS
KINDS = 5  # kinds of unit of one player: 0 the artist, 1..4 summon kinds
TOKENS = 3  # kinds of token of one player
TILES = 4  # kinds of zone tile of one player
COUNTERS = 3  # kinds of counter of one player
DICE = 4  # dice of one player
PLANS = 6  # tiles of one player that wait for a cue
FORMS = 2  # of an artist: the first, and what it may become
ACTIONS_CARDS = 4  # different action cards of a deck
ABILITIES = 6  # ability cards
CARDS = ACTIONS_CARDS + ABILITIES  # card numbers: 0..3 action cards, 4 the artist ability card, 5..9 the others
DECK = 30
HAND = 6  # hand limit, AW-T4
CHAIN = 5
ROW = 5  # masterpiece slots
LIVES = 3  # damage that defeats an artist, AW-U8
PARTS = 3  # masterpiece cards of one player
REGS = 7
DEEPEST = 32  # the most that the option `trigger_limit` can be (AW-C6a)
FRAMES = DEEPEST + 3  # a cost or effect, the triggers within it, a masterpiece progress, and `SCRATCH`
# No program runs in this frame. Checks of selections and costs borrow its variables, which are zero otherwise.
SCRATCH = FRAMES - 1
ATTACHED = 3  # units that move as one with their artist
MOVED_PASSIVES = 2  # passives of one player that wait for units to move
# Triggers that wait, on all levels together. One moment sets off 40 at most: a swap moves two bodies of 4 units, and each unit sets off
# two passives of each player and a tile. A trigger without room is left out, like one that nests too deep (AW-C6a).
WAITING = 96
# Units that the loops of all frames have yet to visit. A trigger without room for a loop over all units is left out, too.
VISITS = 4 * UNITS
EVENTS = 48  # random games of the standard edition have had up to 32 in one step
EVENT_WIDTH = 7
SHOWN = 8  # events that observations show
FEATURES = 94  # of a position for one player (`features.py`)

# Registers of a frame: the variables of an effect. -1 is empty.
R_ME = 0  # the unit that uses the effect
R_UNIT = 1  # 1..3 named units
R_ZONE = 4  # 4..5 named zones
R_WAY = 6  # the direction
R_FIRST = 5  # the card or slot chosen first in a masterpiece progress; the card to lay face down
UNIT_REGS = 4
EMPTY = -1
GONE = -2  # in a unit register: the unit has left the board; as the zone of a cue: the tile has left it

# Phases.
(
    PH_SETUP,
    PH_BEGIN,
    PH_MASTERPIECE,
    PH_DRAW,
    PH_MAIN,
    PH_PLAY,
    PH_REACT,
    PH_RESOLVE,
    PH_END,
    PH_REFRESH,
    PH_DRAW_OTHER,  # the other player's draw
    PH_REVEAL,  # a face-down card comes next on the chain
    PH_DEAL,  # the opening hands
) = range(13)

# Kinds of decision (docs/arts_of_war/decisions.md).
(
    D_NONE,
    D_MAIN,
    D_REACT,
    D_EFFECT,
    D_USER,
    D_ZONE,
    D_DIRECTION,
    D_UNIT,
    D_BRANCH,
    D_MAY,
    D_DISCARD,
    D_PART,
    D_SLOT,
    D_SWAP_FIRST,
    D_SWAP_SECOND,
    D_CHAIN_SLOT,
) = range(16)
DECISIONS = 16

# Operations: one row of `TABLES.code` is (op, a, b, c, d, e). Jump targets are absolute rows.
(
    OP_END,  # the program is done
    OP_CHOOSE_UNIT,  # a: register, b: selection, c: 1 optional
    OP_CHOOSE_ZONE,  # a: register, b: selection, c: 1 optional
    OP_CHOOSE_WAY,  # always into R_WAY
    OP_BRANCH,  # a: number of branches; the next a rows are OP_JUMP to each branch
    OP_MAY,  # a: row to go to when declined
    OP_JUMP,  # a: row
    OP_LET,  # a: zone register, b: unit register
    OP_MOVE,  # a: unit register, b: way mode (W_*), c: register of the place for toward / away
    OP_LEAP,  # the keyword Jump: as OP_MOVE
    OP_SWAP,  # a, b: unit registers
    OP_DAMAGE,  # a: register of a place (b < 0), or b: selection (of zones or units)
    OP_SUMMON,  # a: kind (1..4), b: register of a place
    OP_REMOVE,  # a: unit register
    OP_EXHAUST,  # a: unit register
    OP_REFRESH,  # a: unit register
    OP_ADD_TOKEN,  # a: own token kind, b: register (a unit token: a unit register)
    OP_REMOVE_TOKEN,  # a: own token kind, b: register, c: count, 0 for all
    OP_PLACE_TILE,  # a: own tile kind, b: register of a place, c: 1 with the direction in R_WAY
    OP_MOVE_TILE,  # a, b: registers of places
    OP_REMOVE_TILE,  # a: register of a place
    OP_DRAW,  # a: count
    OP_DISCARD,  # one card of the player's choice from hand
    OP_PROGRESS,
    OP_DESCEND,
    OP_IF,  # go on if the condition (I_*, b, c) holds, else to row e
    OP_FOR,  # begin: a: unit register, b: selection, c: order (0 zones, 1 nearest, 2 farthest), d: register of the place
    OP_NEXT,  # next unit into register a, or to row e when there is none; c, d as in OP_FOR
    OP_SACRIFICE,  # a: register of the zone of the summon (costs only)
    OP_REQUIRE,  # a: condition (I_*, b, c), as OP_IF (costs only; nothing happens)
    OP_GAIN,  # a: own counter, b: count, 0 up to its highest
    OP_SPEND,  # a: own counter, b: count, 0 all; as a cost: payable if it is at least that
    OP_ROLL,  # a: times
    OP_CUE,
    OP_DEFEAT,
) = range(35)
OPS = 35
W_REG, W_TOWARD, W_AWAY = range(3)
(
    I_MATCHES,  # what register b holds matches selection c
    I_COUNT,  # at least b things match selection c
    I_COUNTER,  # own counter b is at least c
    I_ASCENDED,  # b: 1 the own artist is ascended, 0 it is not
    I_FORM,  # b: the own artist's form, 0 or 1
) = range(5)

# Selections: one row of `TABLES.sels`, columns by name. Registers are -1 if a key is not given.
(
    S_TYPE,  # 0 units, 1 zones
    S_SIDE,  # 0 any, 1 mine, 2 theirs
    S_KIND,  # 0 any, 1 artist, 2 summon, 2 + k the own summon kind k
    S_TOKEN,  # own token kind, -1 not given
    S_TOKEN_MIN,  # zones: at least this many
    S_NO_TOKEN,  # own token kind, -1 not given
    S_ADJACENT,  # register
    S_IN_LINE,  # register
    S_WITHIN,  # register
    S_DISTANCE,
    S_OTHER,  # register
    S_EXHAUSTED,  # 0 not given, 1 true, 2 false
    S_OCCUPIED,  # 0 not given, 1 true, 2 false
    S_TILE,  # 0 not given, 1 true, 2 false, 3 + k an own tile of kind k
    S_HOLDS,  # selection of units, -1 not given
    S_DIAGONAL,  # register
    S_TOUCHING,  # selection of units, -1 not given
) = range(17)
SEL_WIDTH = 17

# Triggers.
T_NONE, T_START_MINE, T_START_EVERY, T_END_MINE, T_END_EVERY, T_MOVED, T_SETUP, T_DRAW = range(8)
TRIGGERS = 6

# Kinds of frame: a cost being paid, an effect resolving, a trigger, a masterpiece progress, a card about to be laid face down.
F_COST, F_EFFECT, F_TRIGGER, F_PROGRESS, F_LAY = range(5)
# What triggered: the number of the passive, token or tile, or of the form that ascends, added to one of these. Triggers of one zone and
# moment run in this order (AW-C16).
SRC_PASSIVE = 0
SRC_TOKEN = SRC_PASSIVE + TRIGGERS
SRC_TILE = SRC_TOKEN + TOKENS
SRC_ASCENSION = SRC_TILE + TILES
SRC_CUE = SRC_ASCENSION + FORMS
SOURCES = SRC_CUE + TILES
# Stage of a play, in `PLAYED.paid`.
PLAY_NAMED, PLAY_DECLARED, PLAY_PAYING, PLAY_PAID = range(4)

# Kinds of effect.
INTENTION, REACTION = 0, 1
# The sides of the artist ability card that an effect is on, bit (2 * form + ascended) for each. Effects of other cards are on all.
SIDE_NORMAL, SIDE_ASCENDED, SIDE_FIRST, SIDE_SECOND, SIDE_SECOND_ASCENDED, SIDE_SECOND_BOTH, SIDE_ANY = (
    1,
    2,
    3,
    4,
    8,
    12,
    15,
)
ASCEND_LASTING, ASCEND_IMMEDIATE, ASCEND_BECOMES = 0, 1, 2

# Static features of a card for the observation (see observation.py).
CARD_FEATURES = 20
CF_ACTION, CF_INTENTION, CF_REACTION, CF_EXHAUST, CF_LOCK_ZONE, CF_LOCK_WAY, CF_LOCK_UNIT, CF_PAYS = range(8)
CF_DAMAGE, CF_MOVE, CF_SWAP, CF_SUMMON, CF_TOKEN, CF_DRAW, CF_PROGRESS, CF_BLOCK = range(8, 16)
CF_TILE, CF_COUNTER, CF_READY, CF_REMOVE = range(16, 20)
ARTIST_FEATURES = 8
SEEN = PLAYERS * (CARDS * CARD_FEATURES + ARTIST_FEATURES)
AF_DECK, AF_IMMUNE, AF_VITAL, AF_FACE_DOWN, AF_ATTACHED, AF_LASTING, AF_BECOMES, AF_DICE = range(8)

CODE_ROWS = 640
SEL_ROWS = 160
EFFECT_ROWS = 96
EFFECTS_OF_CARD = 12  # at most three sides of an artist ability card have effects, with up to 4 each

# Columns of the options, which RulesConfig explains: `sourceless_effects_fizzle` is 1 if the option sourceless_effects is "fizzle"
# (`react_env.content.options.fill`).
RULES = [
    ("first_game_hand", "i1"),
    ("max_turns", "i2"),
    ("full_hand_spares_deck_out", "i1"),
    ("sourceless_effects_fizzle", "i1"),
    ("ability_once_per_chain", "i1"),
    ("shared_ability_card", "i1"),
    ("trigger_order_zones", "i1"),
    ("replaced_masterpiece_lost", "i1"),
    ("masterpiece_sides_same", "i1"),
    ("masterpiece_check_own_progress", "i1"),
    ("forced_passes_announced", "i1"),
    ("trigger_limit", "i1"),
    ("loss_check_part", "i1"),
    ("refresh_before_effects", "i1"),
]

TABLES = np.dtype(
    (
        np.record,
        [
            ("code", "i2", (CODE_ROWS, 6)),
            ("option", "i1", CODE_ROWS),  # which option of the innermost choose_one a row belongs to, 0 none
            ("sels", "i1", (SEL_ROWS, SEL_WIDTH)),
            # Effects: kind, side, the artist's own number on that side (0-based), first rows of the cost and of the effect.
            ("effect_kind", "i1", EFFECT_ROWS),
            ("effect_side", "i1", EFFECT_ROWS),  # SIDE_*
            ("effect_number", "i1", EFFECT_ROWS),
            ("effect_cost", "i2", EFFECT_ROWS),
            ("effect_body", "i2", EFFECT_ROWS),
            ("effect_damages", "i1", EFFECT_ROWS),  # whether any part of the effect does damage
            # Cards.
            ("card_exists", "i1", (PLAYERS, CARDS)),
            ("card_copies", "i1", (PLAYERS, CARDS)),  # 0 for ability cards
            ("card_kind", "i1", (PLAYERS, CARDS)),  # kind of the unit that uses it: -1 none, 0 artist, 1..4 summon
            ("card_effects", "i1", (PLAYERS, CARDS, EFFECTS_OF_CARD)),  # rows of the effect table, -1 padded
            ("card_damages", "i1", (PLAYERS, CARDS)),  # its effects beyond this many do no damage
            ("card_features", "i1", (PLAYERS, CARDS, CARD_FEATURES)),
            ("card_reacts", "i1", (PLAYERS, CARDS)),  # has a Reaction effect
            ("has_deck", "i1", PLAYERS),
            ("artist_features", "i1", (PLAYERS, ARTIST_FEATURES)),
            # What a player sees of the cards and artists, own ones first: card_features and artist_features, as in the observation.
            ("seen", "i1", (PLAYERS, SEEN)),
            ("immune", "i1", PLAYERS),
            ("vital", "i1", PLAYERS),  # the summon kind whose last unit must not be lost, 0 none
            ("face_down_most", "i1", PLAYERS),
            # Units.
            ("slot_kind", "i1", (PLAYERS, SLOTS)),  # -1 no such unit
            ("slot_attached", "i1", (PLAYERS, SLOTS)),
            # Counters; for dice also their number and their sides.
            ("counter_most", "i1", (PLAYERS, COUNTERS)),  # 0 no such counter
            ("counter_start", "i1", (PLAYERS, COUNTERS)),
            ("dice_counter", "i1", PLAYERS),  # -1 none
            ("dice", "i1", PLAYERS),
            ("dice_sides", "i1", PLAYERS),
            # Tokens and tiles.
            ("token_exists", "i1", (PLAYERS, TOKENS)),
            ("token_on_unit", "i1", (PLAYERS, TOKENS)),
            ("token_pool", "i1", (PLAYERS, TOKENS)),
            ("token_stacks", "i1", (PLAYERS, TOKENS)),
            ("token_lasts_turn", "i1", (PLAYERS, TOKENS)),
            ("token_blocks", "i1", (PLAYERS, TOKENS)),
            ("token_at", "i1", (PLAYERS, TOKENS)),  # count that triggers, 0 none
            ("token_code", "i2", (PLAYERS, TOKENS)),
            ("tile_pool", "i1", (PLAYERS, TILES)),
            ("tile_code", "i2", (PLAYERS, TILES)),  # on entering, -1 none
            ("tile_cue", "i2", (PLAYERS, TILES)),  # on cue, -1 none
            ("tile_directed", "i1", (PLAYERS, TILES)),
            # Passives.
            ("trigger_event", "i1", (PLAYERS, TRIGGERS)),
            ("trigger_sel", "i2", (PLAYERS, TRIGGERS)),  # T_MOVED: which units; -1 any
            ("trigger_code", "i2", (PLAYERS, TRIGGERS)),
            ("ascend_mode", "i1", (PLAYERS, FORMS)),
            ("ascend_code", "i2", (PLAYERS, FORMS)),  # what runs at once, -1 nothing
            # Board: neighbours by direction (-1 the wall), distance, and geometry.
            ("zones", "i1"),
            ("rows", "i1"),
            ("cols", "i1"),
            ("row_of", "i1", ZONES),
            ("column_of", "i1", ZONES),
            ("neighbour", "i1", (ZONES, 4)),
            ("distance", "i1", (ZONES, ZONES)),
            ("start_zone", "i1", PLAYERS),
            ("first_player", "i1"),  # -1 random
            # What each player's features are worth (`value.py`). No rule reads them.
            ("weights", "f4", (PLAYERS, FEATURES)),
            *RULES,
        ],
    )
)

PLAYED = np.dtype(  # a card on the chain
    [
        ("player", "i1"),
        ("card", "i1"),
        ("effect", "i1"),  # row of the effect table, -1 not declared yet
        ("paid", "i1"),  # PLAY_*
        ("regs", "i1", REGS),
    ]
)
FRAME = np.dtype(  # a program that runs
    [
        ("pc", "i2"),
        ("player", "i1"),
        ("kind", "i1"),  # F_*
        ("base", "i1"),  # how many triggers waited when it began: those above run before it goes on
        ("loop", "i1"),  # how many units of `visit` its for_each has yet to visit
        ("regs", "i1", REGS),
    ]
)

STATE = np.dtype(
    (
        np.record,
        [
            # What the engine reads of every game (react_env/engine/game.py).
            ("rng", "u8"),
            ("table", "i2"),  # which of the game's tables it uses
            ("over", "i1"),  # 0 going on, 1 terminated, 2 truncated
            ("to_play", "i1"),  # player to move
            ("reward", "f4", PLAYERS),
            # Turn.
            ("turn", "i2"),  # from 1
            ("turn_player", "i1"),
            ("first", "i1"),
            ("phase", "i1"),
            ("decision", "i1"),  # D_*: what is being decided
            # Players.
            ("damage", "i1", PLAYERS),
            ("ascended", "i1", PLAYERS),
            ("form", "i1", PLAYERS),  # 1 when the artist has become what its ascension says
            ("fallen", "i1", PLAYERS),  # 1 when its last vital summon has left the board
            ("counter", "i1", (PLAYERS, COUNTERS)),
            ("dice", "i1", (PLAYERS, DICE)),  # what they show, lowest first
            ("hand", "i1", (PLAYERS, ACTIONS_CARDS)),
            ("discard", "i1", (PLAYERS, ACTIONS_CARDS)),
            ("deck", "i1", (PLAYERS, DECK)),  # from the bottom; the top is deck[deck_size - 1]
            ("deck_size", "i1", PLAYERS),
            # What the opponent knows of the cards that a player holds, in hand or face down on the chain (hidden.py): how many of those
            # that are not known themselves have a Reaction; how many were drawn while cards lay face down.
            ("known_reactions", "i1", PLAYERS),
            ("fresh", "i1", PLAYERS),
            # Units and board.
            ("unit_zone", "i1", UNITS),  # -1 in the pool
            ("unit_exhausted", "i1", UNITS),
            ("zone_unit", "i1", ZONES),  # -1 empty
            # By unit number for kinds of token that lie on units (`token_on_unit`), else by zone.
            ("token", "i1", (ZONES, PLAYERS, TOKENS)),
            ("zone_tile", "i1", ZONES),  # -1 none, else owner * TILES + kind
            ("token_left", "i1", (PLAYERS, TOKENS)),
            ("tile_left", "i1", (PLAYERS, TILES)),
            ("zone_way", "i1", ZONES),  # direction of a directed tile, else 0
            ("plan", "i1", (PLAYERS, PLANS)),  # zones of the tiles that wait for a cue, in the order they were laid
            ("plan_size", "i1", PLAYERS),
            # Chain.
            ("chain_size", "i1"),
            ("passes", "i1"),  # in a row, since the last play
            ("chain", PLAYED, CHAIN),
            ("face_down", "i1", CHAIN),  # action card that lies face down in a later slot, -1 none
            ("face_down_player", "i1", CHAIN),
            # Masterpiece.
            ("row", "i1", ROW),  # -1 empty, else player * PARTS + part, as the owner counts them
            ("lost_part", "i1", (PLAYERS, PARTS)),
            # Running programs; the last frame is the one that goes on.
            ("frames", "i1"),
            # Triggers in order, the next one last; above them, `pending` more from the running part, not ordered yet.
            ("waiting", "i1"),
            ("pending", "i1"),
            ("visits", "i1"),  # units that loops have yet to visit
            ("set_off", "i2"),  # triggers begun since the outermost one now running, itself included
            ("events", "i4"),  # how many the public log has had so far
            ("shown", "i1", (SHOWN, 6)),  # a ring of the last of them as observations show them (`log.shown`)
            # What follows is long, and most of its rows are unused.
            ("frame", FRAME, FRAMES),
            ("trigger", "u2", WAITING),  # each in one number (`board.packed`)
            ("visit", "i1", VISITS),  # frame by frame, the next unit of each last; GONE: it has left the board
            # A ring of the last EVENTS events.
            ("event", "i1", (EVENTS, EVENT_WIDTH)),
        ],
    )
)
