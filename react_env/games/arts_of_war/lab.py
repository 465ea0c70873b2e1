"""What the balance laboratory asks of Re;ACT: its artists, their cards and effects, how a game ends."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from react_env.engine.compile import njit
from react_env.engine.terms import Table
from react_env.errors import OptionError
from react_env.evaluation.lab.edits import Edition
from react_env.evaluation.lab.subject import Ban, Figure, FileSubject, Goals, Item, Moves, Watch
from react_env.games.arts_of_war import log as L
from react_env.games.arts_of_war import state as S
from react_env.games.arts_of_war.cards import Artist, artists, load_artist
from react_env.games.arts_of_war.game import ArtsOfWar, load, playable
from react_env.games.arts_of_war.rules import STANDARD, edition_folder, load_rules

DAMAGE, DECK, SUMMONS, CARD = range(4)


FIGURES = (
    Figure("damage to artists that is dealt on the chain"),
    Figure("chains with a Reaction"),
    Figure("effects that do nothing"),
    Figure("chains in a turn", share=False),
    Figure("times an artist ascends", share=False),
)
ON_CHAIN, ANSWERED, IDLE, CHAINS, ASCENTS = range(len(FIGURES))
# What `read` remembers of a game between two decisions.
TURN, PLAYS, RESOLVING, DID = range(4)
# Kinds of event that change something.
CHANGES = np.zeros(L.EVENT_KINDS, np.bool_)
CHANGES[
    [
        L.E_DRAW, L.E_MOVE, L.E_SWAP, L.E_BLOCKED, L.E_DAMAGE, L.E_REMOVED, L.E_SUMMON, L.E_TOKEN_UNIT, L.E_TOKEN_ZONE, L.E_TILE,
        L.E_EXHAUST, L.E_PLACE, L.E_REPLACE, L.E_SWAP_SLOTS, L.E_ASCEND, L.E_COUNTER, L.E_ROLL,
    ]
] = True  # fmt: skip


@njit
def read(rows: Table, games: Table, changes: Table, memory: Table, counted: Table) -> None:
    """Count the figures of `rows` (R, EVENT_WIDTH) of the log, in order; `memory` (N, 4) remembers where each game stands."""
    for i in range(len(rows)):
        kind, player, a = rows[i, 0], rows[i, 1], rows[i, 2]
        it, count = memory[games[i]], counted[games[i]]
        if changes[kind] and (kind != L.E_DRAW or a == 0):
            it[DID] = 1
        if kind == L.E_DAMAGE and a % S.SLOTS == 0:
            count[1 - a // S.SLOTS, ON_CHAIN, 0] += it[PLAYS] > 0
            count[1 - a // S.SLOTS, ON_CHAIN, 1] += 1
        elif kind == L.E_ASCEND and a != 0:
            count[player, ASCENTS, 0] += 1
        elif kind == L.E_PLAY or kind == L.E_RESOLVE or kind == L.E_END_TURN or kind == L.E_WIN or kind == L.E_TIE:
            if it[RESOLVING] > 0:
                count[it[RESOLVING] - 1, IDLE, 0] += it[DID] == 0
                count[it[RESOLVING] - 1, IDLE, 1] += 1
            if kind == L.E_PLAY:
                if it[RESOLVING] > 0:
                    it[PLAYS] = 0
                it[PLAYS] += 1
                if it[PLAYS] == 1:
                    it[TURN] = player
                    count[player, CHAINS, 0] += 1
                    count[player, ANSWERED, 1] += 1
                elif it[PLAYS] == 2:
                    count[it[TURN], ANSWERED, 0] += 1
            elif kind == L.E_END_TURN:
                it[PLAYS] = 0
            it[RESOLVING] = player + 1 if kind == L.E_RESOLVE else 0
            it[DID] = 0
        elif kind == L.E_TURN:
            it[PLAYS] = 0
            count[player, CHAINS, 1] += 1


def new_rows(states: NDArray[Any], seen: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int8]]:
    """The new rows in the public logs of the records `states` (M,), which had `seen` (M,) rows before.

    Returns the record that each row is from (R,), and the rows (R, EVENT_WIDTH), those of one record in order. If there are more than the
    ring holds, the oldest are missing.
    """
    fresh = states["events"] - seen
    most = min(int(fresh.max(initial=0)), S.EVENTS)
    which, place = np.nonzero(np.arange(most)[::-1] < fresh[:, None])
    age = most - 1 - place
    return which, states["event"][which, (states["events"][which] - 1 - age) % S.EVENTS]


class Plays(Watch):
    """Reads from the public log what is played, including face-down cards that are revealed and plays without a choice."""

    def __init__(self, games: int, kits: Sequence[Artist], rows: NDArray[np.int8]) -> None:
        """`rows`: (P, CARDS, EFFECTS_OF_CARD), the rows of the effect table."""
        items = [playable(kit) for kit in kits]
        super().__init__(games, len(kits), max(map(len, items)) + 1, len(FIGURES))
        self.counted[:, :, ASCENTS, 1] = 1
        self._memory = np.zeros((games, 4), np.int64)
        self._feat = np.array([len(found) for found in items])  # the item after those that are played: the masterpiece
        self._seen = np.zeros(games, np.int64)
        # The items that the play of an effect counts for.
        self._items = np.zeros((len(kits), S.CARDS, S.EFFECT_ROWS, self.used.shape[2]), np.bool_)
        for player, found in enumerate(items):
            for i, (card, places, _) in enumerate(found.values()):
                for place in places:
                    self._items[player, card, rows[player, card, place], i] = True

    def step(self, moves: Moves) -> None:
        rows, after = moves.rows, moves.after
        which, found = new_rows(after, self._seen[rows])
        played = found[:, 0] == L.E_PLAY
        player, card, effect = found[played, 1], found[played, 2], found[played, 3]
        np.logical_or.at(self.used, (rows[which[played]], player), self._items[player, card, effect])
        up = (found[:, 0] == L.E_ASCEND) & (found[:, 2] > 0)
        self.used[rows[which[up]], found[up, 1], self._feat[found[up, 1]]] = True
        self._seen[rows] = after["events"]
        read(found, rows[which], CHANGES, self._memory, self.counted)


class Artists(FileSubject):
    """Re;ACT: an artist of an edition at each seat."""

    side_word = "artist"
    edition_option = "edition"
    ways = ("third damage", "empty deck", "last vital summon gone", "defeated by a card or passive")
    figures = FIGURES
    goals = Goals(length=(8, 22), played=0.2, part_played=0.01)
    _files: dict[str, Artist]

    def __init__(self, game_id: str, options: Mapping[str, Any], sides: Sequence[str] = ()) -> None:
        self._edition = options.get("edition", STANDARD)
        self._free = load_rules(self._edition).allow_unbounded_abilities
        super().__init__(game_id, options, sides)
        self._chosen = bool(sides)
        if len(self.sides) < S.PLAYERS:
            raise OptionError(f"{self.sides[0]} alone has nobody to play; name two artists or more")

    def installed(self) -> tuple[str, ...]:
        return artists(self._edition)

    def read(self, name: str) -> Artist:
        return load_artist(name, self._edition, allow_unbounded_abilities=self._free)

    def edition(self, name: str) -> tuple[Mapping[str, Any], tuple[str, ...]]:
        return {**self.options, "edition": name}, tuple(self._names.values()) if self._chosen else ()

    def files(self, name: str | None) -> Path:
        return edition_folder(name or self._edition)

    def texts(self, name: str) -> Mapping[str, str]:
        return {**Edition(self.files(STANDARD)).texts, **Edition(self.files(name)).texts}

    def items(self, side: str) -> tuple[Item, ...]:
        found = playable(self._files[side])
        played = [Item(name, words, part="/" in name) for name, (*_, words) in found.items()]
        return (*played, Item("masterpiece", "(the masterpiece is completed)", can_be_forbidden=False))

    def load(self, sides: Sequence[str], ban: Ban | None = None) -> ArtsOfWar:
        forbidden = None if ban is None else ban.lists(sides)
        return load([self._names[side] for side in sides], forbidden=forbidden, **self.options)

    def watch(self, game: Any, sides: Sequence[str], games: int) -> Watch:
        whole = game if "forbidden" not in game.options else self.load(sides)
        return Plays(games, [self._files[side] for side in sides], whole.tables[0]["card_effects"])

    def way(self, last: Any) -> int:
        loser = int(np.argmin(last["reward"]))
        if last["damage"][loser] >= S.LIVES:
            return DAMAGE
        if last["fallen"][loser]:
            return SUMMONS
        before = last["event"][(int(last["events"]) - 2) % S.EVENTS]  # the last row tells who wins
        return DECK if before[0] == L.E_DRAW and before[1] == loser and before[2] == 2 else CARD
