"""The record of a game and the tables: dtypes and the constants that index them.

A card is its kind, a number in the order of the set file. Unordered piles are counts by kind; decks are ordered, with the top card last.
Fields with four zones hold the Active Zone first, then the Back Row.
"""

from typing import Any

import numpy as np

PLAYERS = 2
KINDS = 40  # kinds of cards in a set, at most
MOST_CARDS = 60  # of a deck
ZONES, ACTIVE, BACK = 4, 0, 1
TRAPS = 3
CHAIN = 16  # a longer chain takes no more answers
EVENTS = 32  # resolving a long chain has produced 19; turns without a choice produce more, and the last ones are kept
NOBODY = NOTHING = -1
HAND = 6
MULLIGAN = 3
MOST_ENERGY = 10
MOST_BOOST = 100  # a bonus to ATK grows no further

# Sorts of cards.
CHARACTER, MANEUVER, TRAP, FOOD, LAND = range(5)
SORTS = 5
SORT_NAMES = ("Character", "Maneuver", "Trap", "Food", "Land")

ATTACK, DEFENSE = range(2)
POSITION_NAMES = ("attack", "defense")

# What a card does; its number is `amount`.
(
    X_NONE,
    X_SUMMON_DRAW,  # Characters
    X_SUPPORT,
    X_CARE,
    X_DAMAGE,  # Maneuvers
    X_RALLY,
    X_DRAW,
    X_SWAP,
    X_SCANDAL,
    X_HOOK,  # Traps
    X_CANCEL,
    X_NEGATE_FOOD,
    X_NEGATE_MANEUVER,
    X_BOOST,  # Food
    X_HEAL,
    X_RESTORE,
    X_ARENA,  # Lands
    X_QUARTER,
) = range(18)
WORDS = 18

# Decisions.
D_NONE, D_MULLIGAN, D_TACTIC, D_PLACE, D_TARGET, D_BATTLE, D_ANSWER, D_REFILL, D_DISCARD = range(9)
DECISIONS = 9

# Phases of a turn.
P_MULLIGAN, P_START, P_TACTIC_1, P_BATTLE, P_TACTIC_2, P_END = range(6)
PHASES = 6
PHASE_NAMES = ("mulligan", "start", "Tactic Phase 1", "Battle Phase", "Tactic Phase 2", "End Phase")

# What lies on the chain: a declaration without an effect of its own, an attack, a summon, a card.
C_DONE, C_ATTACK, C_SUMMON, C_CARD = range(4)
LINKS = 4


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
            ("turn", "u2"),  # turns begun, of both together
            ("whose", "i1"),  # whose turn it is
            ("first", "i1"),  # who began
            ("ip", "i2", PLAYERS),
            ("energy", "i1", PLAYERS),
            ("ready", "i1", PLAYERS),  # Energy that is active
            ("locked", "i1", PLAYERS),  # no new Active before the opponent's next attack or the player's own next turn
            ("attacked", "i1"),  # an attack was declared this turn
            ("moved", "i1"),  # a zone switch was made in this Tactic Phase
            ("summons", "i1"),  # Characters that were summoned this turn
            ("list", "i2", PLAYERS),  # which deck list
            ("deck", "i1", (PLAYERS, MOST_CARDS)),  # the top card last
            ("deck_size", "i1", PLAYERS),
            ("hand", "i1", (PLAYERS, KINDS)),
            ("hand_size", "i1", PLAYERS),
            ("returned", "i1", KINDS),  # by the player at the mulligan
            ("returning", "i1"),
            ("mulligans", "i1"),  # that this player has made
            ("gone", "i1", (PLAYERS, KINDS)),  # Purgatory
            ("kind", "i1", (PLAYERS, ZONES)),
            ("position", "i1", (PLAYERS, ZONES)),
            ("hp", "i1", (PLAYERS, ZONES)),
            ("df", "i1", (PLAYERS, ZONES)),
            ("boost", "i1", (PLAYERS, ZONES)),  # additional ATK this turn
            ("entered", "u2", (PLAYERS, ZONES)),  # the turn in which it entered
            ("turned", "u2", (PLAYERS, ZONES)),  # the turn in which its position was last changed
            ("trap", "i1", (PLAYERS, TRAPS)),
            ("set_in", "u2", (PLAYERS, TRAPS)),  # the turn in which it was set
            ("land", "i1", PLAYERS),  # the Land that each controls
            ("pending", "i1"),  # the card that is being played, or NOTHING
            ("passes", "i1"),  # in a row
            ("links", "i1"),  # on the chain
            ("link", "i1", (CHAIN, 5)),  # what, by whom, kind, target zone, 1 negated
            ("refills", "i1"),  # a bit for each player who may still move a Character up
            ("events", "u4"),
            ("event", "i1", (EVENTS, 4)),
        ],
    )
)
# The targets of a C_DONE: an action was taken; damage of an attack, or of a card, has been dealt and Characters without HP are about to be
# destroyed (G-27); the last phase with choices is over (G-28).
DONE, FALLING, FALLING_BY_CARD, ENDING = range(4)
L_WHAT, L_PLAYER, L_KIND, L_TARGET, L_NEGATED = range(5)

# Columns of the options in RulesConfig: `hp_damage_own_turn` is 1 if the option hp_damage is "own_turn" (`react_env.content.options.fill`).
RULES = [
    ("max_turns", "i2"),
    ("deck_out_lose", "i1"),
    ("hand_limit", "i1"),
    ("both_out_active_loses", "i1"),
    ("negative_ip", "i1"),
    ("hp_damage_own_turn", "i1"),
    ("broken_def_own_turn", "i1"),
    ("turn_on_entry", "i1"),
    ("summoned_attacks", "i1"),
    ("summons_per_turn", "i1"),
    ("moves_per_phase", "i1"),
    ("new_refills", "i1"),
    ("effect_refill", "i1"),
    ("both_destroyed_both_wait", "i1"),
    ("wait_ends_own_turn", "i1"),
    ("trapped_waits", "i1"),
    ("effect_overflow", "i1"),
    ("lands_per_player", "i1"),
    ("land_replace", "i1"),
    ("trap_zone", "i1"),
    ("set_traps_next_turn", "i1"),
    ("answers_first_active", "i1"),
    ("spent_removed", "i1"),
    ("open_purgatory", "i1"),
    ("mulligans", "i1"),
    ("energy_grows_every_turn", "i1"),
    ("cancelled_counts", "i1"),
    ("first_draws", "i1"),
    ("open_decklists", "i1"),
    ("food_saves_always", "i1"),
    ("food_saves_never", "i1"),
    ("end_answered", "i1"),
]

POOLS = (64, 4096)  # numbers of deck lists for which a table can have room


def tables_dtype(lists: int) -> np.dtype[Any]:
    """The tables of a card set with room for `lists` deck lists, one of `POOLS`."""
    return np.dtype(
        (
            np.record,
            [
                ("kinds", "i1"),
                ("sort", "i1", KINDS),
                ("cost", "i1", KINDS),
                ("atk", "i1", KINDS),
                ("df", "i1", KINDS),
                ("hp", "i1", KINDS),
                ("spd", "i1", KINDS),
                ("word", "i1", KINDS),
                ("amount", "i1", KINDS),
                ("forbidden", "i1", (PLAYERS, KINDS)),  # 1 for cards that a player may not play
                ("from_hand", "i1", KINDS),  # 1 for Traps that can be played from the hand
                ("lists", "i2"),
                ("drawn", "i1"),  # 1: each player draws one of the lists; 0: player 0 has list 0, player 1 list 1
                ("size", "i1", lists),
                ("cards", "i1", (lists, KINDS)),  # copies
                ("ip", "i1"),
                *RULES,
            ],
        )
    )
