"""The games of one pairing of artists, played once each, and all that is counted of them.

Who wins, who began, how long games took and how they ended is counted, and from the public log which cards and effects were played: it
tells of face-down cards that are revealed and of plays without a choice as well.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from react_env.agents.protocol import AnyAgent
from react_env.engine.batch import seed_words
from react_env.evaluation.matches.match import SLOTS
from react_env.evaluation.matches.playing import Playing, Trusted
from react_env.evaluation.ratings.intervals import wilson
from react_env.games.arts_of_war import state as S
from react_env.games.arts_of_war.board import LIVES
from react_env.games.arts_of_war.cards import Artist
from react_env.games.arts_of_war.log import E_ASCEND, E_DRAW, E_PLAY

WAYS = ("damage", "deck", "summons", "card")  # how an artist loses


@dataclass(frozen=True)
class Cell:
    """Results of the artist named first, in one seat, where it began or did not."""

    seat: int
    began: bool
    games: int
    wins: int
    losses: int
    ties: int
    truncations: int


@dataclass(frozen=True)
class EffectUse:
    """One effect of a card: `games` in which it was played, and `plays` in all."""

    name: str
    kind: str
    games: int
    plays: int


@dataclass(frozen=True)
class CardUse:
    """One card: `games` in which it was played, and `plays` in all."""

    id: str
    name: str
    ability: bool
    games: int
    plays: int
    effects: tuple[EffectUse, ...]


@dataclass(frozen=True)
class Use:
    """What one artist played in `games` games, and in how many of them its masterpiece was completed."""

    games: int
    ascended: int
    cards: tuple[CardUse, ...]

    def __add__(self, other: Use) -> Use:
        """Of both together; the kits must be the same."""
        cards = []
        for one, two in zip(self.cards, other.cards, strict=True):
            effects = tuple(
                EffectUse(x.name, x.kind, x.games + y.games, x.plays + y.plays)
                for x, y in zip(one.effects, two.effects, strict=True)
            )
            cards.append(CardUse(one.id, one.name, one.ability, one.games + two.games, one.plays + two.plays, effects))
        return Use(self.games + other.games, self.ascended + other.ascended, tuple(cards))

    @classmethod
    def from_json(cls, found: dict[str, Any]) -> Use:
        cards = [
            CardUse(**{**card, "effects": tuple(EffectUse(**effect) for effect in card["effects"])})
            for card in found["cards"]
        ]
        return cls(found["games"], found["ascended"], tuple(cards))


@dataclass(frozen=True)
class PairingResult:
    """All games of artist `a` against artist `b`.

    Attributes:
        rules_hash: of the game with `a` in seat 0.
        agent_hash: of what chose the moves, see `agents.fingerprint`.
        cells: results of `a`.
        turns: how many games took how many turns.
        lost: of each artist, how many games it lost in which of `WAYS`.
        use: of each artist, what it played.
        unread: rows of the log that a step overwrote before they were read: the use of cards is that much too low at most.
    """

    a: str
    b: str
    rules_hash: str
    agent_hash: str
    cells: tuple[Cell, ...]
    turns: Mapping[int, int]
    lost: Mapping[str, Mapping[str, int]]
    use: Mapping[str, Use]
    unread: int
    seconds: float

    def _sum(self, column: str) -> int:
        return sum(getattr(cell, column) for cell in self.cells)

    @property
    def games(self) -> int:
        return self._sum("games")

    @property
    def ties(self) -> int:
        return self._sum("ties")

    @property
    def truncations(self) -> int:
        return self._sum("truncations")

    def wins(self, artist: str) -> int:
        """Games won by one of the two."""
        return self._sum("wins" if artist == self.a else "losses")

    def score(self, artist: str) -> float:
        """A win 1, a tie or a truncated game one half."""
        return (self.wins(artist) + 0.5 * (self.ties + self.truncations)) / self.games

    @property
    def first_wins(self) -> int:
        """Games won by the player who began."""
        return sum(cell.wins if cell.began else cell.losses for cell in self.cells)

    def to_json(self) -> dict[str, Any]:
        games = self.games
        return {
            "a": self.a,
            "b": self.b,
            "rules_hash": self.rules_hash,
            "agent_hash": self.agent_hash,
            "seconds": round(self.seconds, 2),
            "games": games,
            "wins": self.wins(self.a),
            "losses": self.wins(self.b),
            "ties": self.ties,
            "truncations": self.truncations,
            **rate_json("win_rate", self.wins(self.a), games),
            "score": round(self.score(self.a), 4),
            "turns": turns_json(self.turns),
            **rate_json("first_player", self.first_wins, games),
            "lost": {artist: dict(ways) for artist, ways in self.lost.items()},
            "cells": [asdict(cell) for cell in self.cells],
            "lengths": {str(turns): count for turns, count in sorted(self.turns.items())},
            "use": {artist: asdict(use) for artist, use in self.use.items()},
            "unread": self.unread,
        }

    @classmethod
    def from_json(cls, found: dict[str, Any]) -> PairingResult:
        """Undo `to_json`. Raises KeyError, TypeError or ValueError for something else."""
        return cls(
            found["a"],
            found["b"],
            found["rules_hash"],
            found["agent_hash"],
            tuple(Cell(**cell) for cell in found["cells"]),
            {int(turns): int(count) for turns, count in found["lengths"].items()},
            {artist: dict(ways) for artist, ways in found["lost"].items()},
            {artist: Use.from_json(use) for artist, use in found["use"].items()},
            found["unread"],
            found["seconds"],
        )


def rate_json(name: str, successes: int, trials: int) -> dict[str, Any]:
    """A share by that name, with its 95 % interval (Wilson)."""
    low, high = wilson(successes, trials)
    return {name: round(successes / max(1, trials), 4), f"{name}_95": [round(low, 4), round(high, 4)]}


def percentile(turns: Mapping[int, int], share: float) -> float:
    """The value that `share` of the games do not exceed, halfway between two where it falls there. ValueError without games."""
    values = np.repeat(np.array(list(turns), np.int64), list(turns.values()))
    if not len(values):
        raise ValueError("no games")
    return float(np.quantile(values, share, method="averaged_inverted_cdf"))


def turns_json(turns: Mapping[int, int]) -> dict[str, float]:
    """How long games took: the median, and the tenth of the shortest and the longest."""
    return {"p10": percentile(turns, 0.1), "median": percentile(turns, 0.5), "p90": percentile(turns, 0.9)}


# ------------------------------------------------------------------------------------------------ playing


def new_rows(states: NDArray[Any], seen: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int8], int]:
    """The rows of the public log since `seen` (M,), how many rows each of `states` (M,) records had then.

    Returns which record each row is of (R,), the rows (R, EVENT_WIDTH) - those of one record in no special order - and how many more there
    were that the ring no longer holds.
    """
    fresh = states["events"] - seen
    most = min(int(fresh.max(initial=0)), S.EVENTS)
    back = np.arange(most)
    which, age = np.nonzero(back < fresh[:, None])
    rows = states["event"][which, (states["events"][which] - 1 - age) % S.EVENTS]
    return which, rows, int(np.maximum(fresh - S.EVENTS, 0).sum())


def way_lost(state: Any) -> str:
    """How the loser of a game with a winner lost it, one of `WAYS`."""
    loser = int(np.argmin(state["reward"]))
    if state["damage"][loser] >= LIVES:
        return "damage"
    if state["fallen"][loser]:
        return "summons"
    before = state["event"][(int(state["events"]) - 2) % S.EVENTS]  # the last row tells who wins
    return "deck" if before[0] == E_DRAW and before[1] == loser and before[2] == 2 else "card"


def chunk_seed(seed: int, chunk: int) -> int:
    """The seed of a batch of `SLOTS` games: the first of a match is dealt from the seed of the match itself."""
    return seed if chunk == 0 else int(np.random.SeedSequence((seed, chunk)).generate_state(1, np.uint64)[0] >> 1)


class SeatGames:
    """The games with `a` at one seat, and all that is counted of them."""

    def __init__(self, game: Any, seat: int) -> None:
        self.game = game
        self.seat = seat
        self.cells = np.zeros((2, 5), np.int64)  # began or not: games, wins, losses, ties, truncations
        self.turns: Counter[int] = Counter()
        self.lost: list[Counter[str]] = [Counter(), Counter()]  # by player
        self.card_games = np.zeros((S.PLAYERS, S.CARDS), np.int64)
        self.effect_games = np.zeros((S.PLAYERS, S.EFFECT_ROWS), np.int64)
        self.effect_plays = np.zeros((S.PLAYERS, S.EFFECT_ROWS), np.int64)
        self.ascended = np.zeros(S.PLAYERS, np.int64)
        self.unread = 0

    def play(self, agent: AnyAgent, games: int, seed: int, threads: int, finished: Callable[[int], None]) -> None:
        """Play `games` games to their end; `finished` is told how many have ended."""
        everybody = dict.fromkeys(range(S.PLAYERS), Trusted(agent))
        rngs = {player: np.random.default_rng((seed, self.seat, player)) for player in everybody}
        for chunk, done in enumerate(range(0, games, SLOTS)):
            slots = min(SLOTS, games - done)
            words = seed_words(chunk_seed(seed, chunk), slots)
            plays = np.zeros((slots, S.PLAYERS, S.CARDS, S.EFFECT_ROWS), np.int16)
            ascended = np.zeros((slots, S.PLAYERS), np.bool_)
            seen = np.zeros(slots, np.int64)
            with Playing(self.game, everybody, rngs, slots, threads=threads, keep_states=True) as playing:
                playing.begin(np.arange(slots), words, np.tile(np.arange(S.PLAYERS), (slots, 1)))
                for step in playing.steps():
                    assert step.before is not None
                    after = playing.batch.states[step.rows]
                    # A game that ends starts again within the step, so that its end is to be seen only where the step is made again.
                    for k in np.flatnonzero(step.over):
                        last = self.game.copy(step.before[k])
                        self.game.step(last, int(step.actions[k]))
                        after[k] = last
                        self._count_end(last)
                    which, rows, unread = new_rows(after, seen[step.rows])
                    self.unread += unread
                    played = rows[:, 0] == E_PLAY
                    at = (step.rows[which[played]], rows[played, 1], rows[played, 2], rows[played, 3])
                    np.add.at(plays, at, np.int16(1))
                    up = (rows[:, 0] == E_ASCEND) & (rows[:, 2] > 0)
                    ascended[step.rows[which[up]], rows[up, 1]] = True
                    seen[step.rows] = after["events"]
                    if step.over.any():
                        finished(done + slots - len(playing.rows))
            self.card_games += plays.any(axis=3).sum(axis=0)
            by_effect = plays.sum(axis=2)
            self.effect_games += (by_effect > 0).sum(axis=0)
            self.effect_plays += by_effect.sum(axis=0)
            self.ascended += ascended.sum(axis=0)

    def _count_end(self, last: Any) -> None:
        reward = int(last["reward"][self.seat])
        result = 4 if last["over"] == 2 else 1 if reward > 0 else 2 if reward < 0 else 3
        self.cells[int(last["first"] == self.seat), [0, result]] += 1
        self.turns[int(last["turn"])] += 1
        if result <= 2:
            self.lost[int(np.argmin(last["reward"]))][way_lost(last)] += 1

    def use(self, player: int, artist: Artist) -> Use:
        """What `artist`, who sits at `player`, has played."""
        table = self.game.tables[0]
        kit: dict[int, Any] = {
            number: (card, [((), card.name, card.effects)]) for number, card in enumerate(artist.actions)
        }
        kit |= {number: (card, card.sides) for number, card in enumerate(artist.abilities, S.ACTIONS_CARDS)}
        cards = []
        for number, (card, sides) in kit.items():
            labels = [
                (name if len(effects) == 1 else f"{name} [{i + 1}]", effect.kind)
                for _, name, effects in sides
                for i, effect in enumerate(effects)
            ]
            rows = [int(row) for row in table["card_effects"][player, number] if row >= 0]
            effects = tuple(
                EffectUse(name, kind, int(self.effect_games[player, row]), int(self.effect_plays[player, row]))
                for (name, kind), row in zip(labels, rows, strict=True)
            )
            plays = sum(effect.plays for effect in effects)
            cards.append(
                CardUse(
                    card.id, card.name, number >= S.ACTIONS_CARDS, int(self.card_games[player, number]), plays, effects
                )
            )
        return Use(int(self.cells[:, 0].sum()), int(self.ascended[player]), tuple(cards))
