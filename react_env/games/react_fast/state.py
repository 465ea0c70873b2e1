"""The record of a game and the tables: dtypes and the constants that index them.

Cards are 0 to 59: 13 of each suit (2 to 10, J, Q, K, A), then the eight traveling cards. In decks and in the pile a card has two more bits.
KNOWN: its place follows from what everybody has seen. FIRST: it has never left the deck that it was dealt to, and nobody has seen that it
is not a traveling card.
"""

from typing import Any

import numpy as np

CARDS, PLAYING, RANKS = 60, 52, 13
SUITS = ("Coins", "Artifacts", "Jewelry", "Gems")  # in the order that breaks ties, highest last
COINS, ARTIFACTS, JEWELRY, GEMS = range(4)
RANK_NAMES = ("2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K", "A")
JACK = 9  # the lowest chance card; J gives 1 chance, Q 2, K 3, A 4
TRAVELING = 8
J2, J3, C4, C5, G6, G7, A8, A9 = range(TRAVELING)
TRAVELING_NAMES = (
    "Jewelry #2",
    "Jewelry #3",
    "Coins #4",
    "Coins #5",
    "Gems #6",
    "Gems #7",
    "Artifacts #8",
    "Artifacts #9",
)
TRAVELING_SUIT = (JEWELRY, JEWELRY, COINS, COINS, GEMS, GEMS, ARTIFACTS, ARTIFACTS)
TRAVELING_NUMBER = (2, 3, 4, 5, 6, 7, 8, 9)
CARD_BITS, KNOWN, FIRST = 63, 64, 128
NOBODY = NOTHING = -1
HIDDEN = -1  # the owner of a traveling card that nobody has revealed yet
MOST_PLAYERS = 8
EVENTS = 32  # one step of eight players has produced 19

# Modes, stances and paces.
DECISION, SKILL, DETERMINISTIC = range(3)
RELAXED, READY, ARMED = range(3)
STANCES = ("relaxed", "ready", "armed")
RUSH, NORMAL, WAIT = range(3)
HOLD, SLAP = range(2)

# Decisions.
D_NONE, D_ACTIVATE, D_SKIP, D_STANCE, D_SLAP, D_PACE = range(6)
DECISIONS = 6

# What happens next.
ST_SKIP, ST_ACTIVATE, ST_STANCE, ST_PLACE, ST_WINDOW, ST_NEXT = range(6)
# What follows a window: the next player's turn; another card of this player; the turn itself after a heap (or, while its stances are
# chosen, the heap); the loss of the pile.
AFTER_NEXT, AFTER_SAME, AFTER_HEAP, AFTER_LOST = range(4)


def state_dtype(players: int) -> np.dtype[Any]:
    """The record of a game with this number of players."""
    return np.dtype(
        (
            np.record,
            [
                ("rng", "u8"),
                ("clock", "f8"),  # ms since the game began
                ("table", "i2"),
                ("placed", "u2"),  # units placed so far, including heaps
                ("turn", "u2"),  # its number, from 1
                ("over", "i1"),
                ("to_play", "i1"),
                ("reward", "f4", players),
                ("scale", "f4", players),  # how slow each player is, hidden from the others
                ("carry", "f4", players),  # ms until a slap lands that began in the previous window; -1: none
                ("decision", "i1"),
                ("stage", "i1"),
                ("after", "i1"),
                (
                    "asked",
                    "u1",
                ),  # a bit for each seat that has been asked for its stance, or in this window whether it slaps
                ("whose", "i1"),  # whose turn it is
                ("actor", "i1"),  # whose cards are placed in it
                ("last", "i1"),  # whose turn it was when the last unit was placed
                ("chance", "i1"),  # who owns the chance card to be answered, or NOBODY
                ("remaining", "i1"),  # chances left
                ("skips", "i1"),  # turns skipped since a card was placed
                ("face", "i1"),  # the live card on the pile, or NOTHING
                ("before", "i1"),  # the live card before it
                ("heap", "i1"),  # the last unit was a heap of Gems #6
                ("stance", "i1", players),
                ("commit", "i1", players),  # HOLD or SLAP in this window
                ("pace", "i1"),  # how fast the next act comes; NOTHING: not decided yet
                ("alive", "i1", players),
                ("locked", "i1", players),  # 1: may not slap until the round ends (G-16)
                ("penalties", "u1", players),
                ("shown", "i1", players),  # traveling cards that came out of this player's deck
                ("first_seat", "i1"),  # who was dealt the first traveling card; hidden
                ("owner", "i1", TRAVELING),
                ("used", "i1", TRAVELING),
                ("extra", "i1"),  # Jewelry #2 is on
                ("suits", "i1"),  # Jewelry #3 is on
                ("free", "i1"),  # who holds the free slap of Gems #7, or NOBODY
                ("folds", "i1", players),  # Coins #4
                ("skipper", "i1", players),  # Artifacts #8
                ("head", "i1", players),
                ("size", "i1", players),
                ("deck", "u1", (players, CARDS)),  # a ring from `head`, the top card first
                ("pile", "u1", CARDS),  # the bottom card first
                ("pile_size", "i1"),
                ("blind", "i1"),  # cards at the bottom of the pile that never had a face
                ("seen", "u2", PLAYING),  # the number of the unit with which a card was last seen
                ("events", "u4"),
                ("event", "i1", (EVENTS, 4)),
            ],
        )
    )


# Columns of the options in RulesConfig: `suit_win_all_used` is 1 if the option suit_win is "all_used" (`react_env.content.options.fill`).
RULES = [
    ("deal_even", "i1"),
    ("remainder_face", "i1"),
    ("highest_suit_coins", "i1"),
    ("bottom_cards_public", "i1"),
    ("suit_win_all_used", "i1"),
    ("late_slaps_penalised", "i1"),
    ("pickup_window", "i1"),
    ("penalty_cards_seen", "i1"),
    ("heap_slap", "i1"),
    ("lock_out", "i1"),
    ("free_slap_penalty", "i1"),
    ("takeover_activates", "i1"),
    ("uncovered_counts", "i1"),
    ("memory_length", "i4"),
    ("max_placements", "i4"),
    ("commit_ms", "f8"),
    ("spread", "f8"),  # of the logarithm of a player's speed
    ("rush", "f8"),
    ("wait_ms", "f8"),
]

TABLES = np.dtype(
    (
        np.record,
        [
            ("mode", "i1"),
            ("memory", "i1"),  # 0 counts, 1 the last `memory_length` units, 2 everything
            *RULES,
            ("needed", "i1", TRAVELING),  # the playing card that each traveling card shows
            ("forbidden", "u1", MOST_PLAYERS),  # a bit for each traveling card that a player may not activate
            # By seat: recognition and placing as ex-Gaussian (mu, sigma, tau) in ms, and the rest of a profile.
            ("react", "f8", (MOST_PLAYERS, 3)),
            ("place", "f8", (MOST_PLAYERS, 3)),
            ("scale", "f8", MOST_PLAYERS),
            ("miss", "f8", MOST_PLAYERS),
            ("alarm", "f8", (MOST_PLAYERS, 3)),  # involuntary slap, by stance
            ("shift", "f8", (MOST_PLAYERS, 3)),  # ms, by stance
            ("placer_delay", "f8", MOST_PLAYERS),
        ],
    )
)
