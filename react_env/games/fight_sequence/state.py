"""The record of a game of Fight Sequence, its tables, and the constants used in both."""

import numpy as np

PLAYERS = 2
CARDS = 40  # different cards of a deck, at most
DECK = 40  # cards of a deck, at most
HAND = 5  # cards in hand after cleanup
SLOTS = 9  # Actions in a sequence, at most
TOP = 8  # the most cards put back that an observation shows, from the top
EVENTS = 76  # events that a record keeps
# `known` of a card: 1 for each copy known to be in hand, LOOSE for each copy known to be in hand or among the cards put back. These copies
# and those in the sequence are at most SLOTS together, because a copy becomes known by returning from the sequence, and building a copy
# makes one fewer known if any is.
LOOSE = 16
assert SLOTS < LOOSE and SLOTS * LOOSE < 256

ATTACK, RESPONSE = range(2)  # how a card lies in the sequence
PHYSICAL, MAGICAL = range(2)
TIMED, IMMEDIATE = range(2)

# Decisions. D_NONE: nothing to choose yet; the rules continue.
D_NONE, D_BUILD, D_SHIFT, D_RETURN, D_WILLPOWER, D_PUT_BACK = range(-1, 5)
DECISIONS = 5

# Phases, and the stages of the present Action in them.
PH_BEGIN, PH_BUILD, PH_RESOLVE, PH_CLEANUP = range(4)
ST_NEXT, ST_EFFECT, ST_EFFECT_DAMAGE, ST_POWER, ST_POWER_DAMAGE, ST_LEAVE = range(6)

# What a card does besides its Power: code, timing, then up to three numbers.
X_NONE = 0
X_SHIFT = 1  # range
X_RETURN = 2  # what: ANY, or ATTACK + 1, RESPONSE + 1
X_BONUS = 3  # Power, type of attack
X_DAMAGE = 4  # amount, type, to: OPPONENT, BOTH, SELF
X_DRAW = 5  # cards
X_TOKEN = 6  # type, amount
X_BLOCK = 7  # type
X_WILLPOWER = 8
ANY = 0
OPPONENT, BOTH, SELF = range(3)
EFFECT_COLUMNS = 5

UNTYPED = -1
NO_SLOT = -1

STATE = np.dtype(
    (
        np.record,
        [
            ("rng", "u8"),
            ("table", "i2"),
            ("over", "i1"),
            ("to_play", "i1"),
            ("reward", "f4", PLAYERS),
            ("decision", "i1"),
            ("phase", "i1"),
            ("stage", "i1"),
            ("sequence", "i2"),  # number of the sequence, from 1
            ("turns", "i1"),  # turns of building in this sequence
            ("passes", "i1"),  # in a row
            ("closed", "i1"),  # no more Actions in this sequence
            ("initiative", "i1"),  # who has it, -1 nobody
            ("claimed", "i1"),  # whether it was taken in this sequence
            ("starter", "i1"),  # who began this sequence
            ("speed", "i1"),  # tens; of the Action built most recently
            ("slots", "i1"),  # Actions in the sequence
            ("slot_card", "i1", SLOTS),
            ("slot_owner", "i1", SLOTS),
            ("slot_mode", "i1", SLOTS),
            ("current", "i1"),  # slot of the Action whose effect or damage happens, or NO_SLOT
            ("acting", "i1", 3),  # that Action: owner, card, mode (it may have left its slot)
            ("bonus", "i1"),  # its additional Power
            ("raw", "i1", PLAYERS),  # the present damage before tokens
            ("pending", "i1", PLAYERS),  # after tokens
            ("ignored", "i1", PLAYERS),
            ("damage_type", "i1"),
            ("asked", "i1"),  # how many players have been asked about the present damage
            ("token", "i1", (PLAYERS, 2)),  # Armor and Resistance: 12 from each Action, at most
            ("pieces", "i1", 2),  # token pieces of each type in use
            ("ward", "i1", PLAYERS),  # instances of damage that will be ignored
            ("fresh", "i1", PLAYERS),  # those of them that the resolving Action gave
            ("cleaned", "i1"),  # players done with this cleanup
            ("hand", "i1", (PLAYERS, CARDS)),
            ("hand_size", "i1", PLAYERS),
            ("deck", "i1", (PLAYERS, DECK)),  # the top card last
            ("deck_size", "i1", PLAYERS),
            ("buried_size", "i1", PLAYERS),  # cards discarded face down by damage: the copies that are nowhere else
            ("undrawn", "i1", PLAYERS),  # cards on top that their owner has put back
            ("discard", "i1", (PLAYERS, CARDS)),
            ("known", "u1", (PLAYERS, CARDS)),  # what both players know of the hand and the cards put back; see LOOSE
            ("returned", "i1", PLAYERS),  # whether a card of that player has been returned in this game
            ("events", "u4"),
            ("event", "u1", (EVENTS, 5)),
        ],
    )
)

SLOT_FEATURES = 24  # of an Action in the sequence; see observation.py
CARD_FEATURES = 28  # of a card in the player's own deck list
THEIR_FEATURES = 12  # of a card in the opponent's list

SEEN = CARDS * (CARD_FEATURES + THEIR_FEATURES)  # of an observation: both deck lists
assert SEEN % 8 == 0

# Columns of the options in RulesConfig: `full_sequence_closes` is 1 if the option full_sequence is "closes"
# (`react_env.content.options.fill`).
RULES = [
    ("speed_reference_last_built", "i1"),
    ("return_itself", "i1"),
    ("return_optional", "i1"),
    ("build_turns", "i2"),
    ("willpower_covers_adjacent_action", "i1"),
    ("interrupt_window_damage", "i1"),
    ("simultaneous_defeat_builder_loses", "i1"),
    ("exhausted_initiative_loses", "i1"),
    ("bonus_counts_typed_actions", "i1"),
    ("cleanup_order_initiative_last", "i1"),
    ("token_limit", "i1"),
    ("damage_discards_face_down", "i1"),
    ("timed_shift_itself", "i1"),
    ("full_sequence_closes", "i1"),
    ("max_sequences", "i2"),
]

TABLES = np.dtype(
    (
        np.record,
        [
            ("cards", "i1", PLAYERS),  # different cards
            ("copies", "i1", (PLAYERS, CARDS)),
            ("speed", "i1", (PLAYERS, CARDS)),  # tens
            ("power", "i1", (PLAYERS, CARDS)),
            ("type", "i1", (PLAYERS, CARDS)),
            ("effect", "i1", (PLAYERS, 2, CARDS, EFFECT_COLUMNS)),  # by mode: of the attack, of the response
            ("block_type", "i1", (PLAYERS, 2, CARDS)),  # the type by which a block can hit it, or UNTYPED
            ("willpower", "i1", (PLAYERS, CARDS)),
            ("may_build", "i1", (PLAYERS, 2, CARDS)),  # by mode: 0 if forbidden
            ("restricted", "i1", PLAYERS),  # whether anything is forbidden to that player
            ("slot_features", "i8", (PLAYERS, 2, CARDS, SLOT_FEATURES // 8)),  # of the observation, eight numbers each
            ("seen", "i1", (PLAYERS, SEEN)),  # the rows of both deck lists in the observation
            ("deck_cards", "i1", PLAYERS),  # cards of the whole deck
            ("first_player", "i1"),  # -1: random
            *RULES,
        ],
    )
)
