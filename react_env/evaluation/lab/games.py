"""The games of the laboratory: each deal played once, to its end, with one agent at all seats, and what is kept of each."""

from __future__ import annotations

import hashlib
import io
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from react_env.agents.protocol import AnyAgent
from react_env.engine.batch import seed_words
from react_env.evaluation.arrays import Bools, Floats
from react_env.evaluation.lab.subject import Ban, Moves, Subject, Watch
from react_env.evaluation.matches.playing import Playing, Step, Trusted, winners

DEALS = 100  # in a block: as many as a run that is killed may lose
PARTS = 10  # of a game, as a judge sees it
WEIGHT = 0.05  # of the chance to win: a decision matters if the best two actions differ by more


class Cell(NamedTuple):
    """Games with these sides at the seats, one of them perhaps without one of its items."""

    sides: tuple[str, ...]
    ban: Ban | None = None


@dataclass(frozen=True)
class Outcomes:
    """The results of N games; all arrays have N rows, one for each deal, in the order of the deals.

    The last three say how a judge saw the first games: nan for games that nobody judged.
    """

    winner: NDArray[np.int8]  # the seat, -1 nobody or several
    cut: Bools  # ended by a limit
    began: NDArray[np.int8]  # the seat, -1 nobody
    length: NDArray[np.int32]
    way: NDArray[np.int8]  # how a game that was not cut ended: an index of `Subject.ways`
    used: Bools  # (N, P, I) which items each player has played
    counted: NDArray[np.int32]  # (N, P, F, 2) for each figure: how many of the one thing, and of the other
    chances: NDArray[np.float32]  # (N, PARTS) player 0's chance to win, the mean over each part of the decisions
    decisions: NDArray[np.float32]  # of all players
    weighty: NDArray[np.float32]  # those in which the best two actions differed by more than `WEIGHT`

    def __len__(self) -> int:
        return len(self.winner)

    def score(self, seat: int) -> Floats:
        """(N,) what the player at a seat got: 1 for a win, one half where nobody won."""
        return np.where(self.winner < 0, 0.5, self.winner == seat)

    def to_bytes(self) -> bytes:
        """The arrays as an .npz file, which runs no code when it is read."""
        out = io.BytesIO()
        np.savez_compressed(out, **{field.name: getattr(self, field.name) for field in fields(self)})
        return out.getvalue()

    @classmethod
    def from_bytes(cls, data: bytes) -> Outcomes:
        """Undo `to_bytes`. ValueError, KeyError, OSError or zipfile.BadZipFile for something else."""
        with np.load(io.BytesIO(data), allow_pickle=False) as found:
            return cls(**{field.name: found[field.name] for field in fields(cls)})

    @classmethod
    def together(cls, parts: list[Outcomes]) -> Outcomes:
        """All parts, at least one, one after the other."""
        return cls(**{f.name: np.concatenate([getattr(part, f.name) for part in parts]) for f in fields(cls)})


def unjudged(games: int) -> dict[str, Any]:
    """The last three of `Outcomes` if nobody judges."""
    return {
        "chances": np.full((games, PARTS), np.nan, np.float32),
        "decisions": np.full(games, np.nan, np.float32),
        "weighty": np.full(games, np.nan, np.float32),
    }


class _Judge:
    """How a learned value sees the first games of a block, decision by decision."""

    def __init__(self, value: Any, games: int, seed: tuple[int, ...]) -> None:
        self.value, self.rng = value, np.random.default_rng(seed)
        self.chances: list[list[float]] = [[] for _ in range(games)]  # of player 0
        self._last = np.full((games, 2), np.nan)  # of each player, when last to move
        self.weighty = np.zeros(games)

    def step(self, step: Step) -> None:
        """Look at the decisions of the judged games."""
        mine = np.flatnonzero(step.rows < len(self.chances))
        if not len(mine):
            return
        assert step.before is not None
        found = np.partition(self.value.win_chances(step.before[mine], step.players[mine], self.rng), -2, axis=1)
        best, second = found[:, -1], found[:, -2]
        for row, player, chance, gap in zip(step.rows[mine], step.players[mine], best, best - second):
            self.weighty[row] += gap > WEIGHT
            # The player to move sees only its own plans, so the chance is the mean of both players' latest views.
            self._last[row, player] = chance
            self.chances[row].append(float(np.nanmean((self._last[row, 0], 1 - self._last[row, 1]))))

    def columns(self, games: int) -> dict[str, Any]:
        """The last three of `Outcomes`, for `games` games."""
        found = unjudged(games)
        for row, chances in enumerate(self.chances):
            found["decisions"][row], found["weighty"][row] = len(chances), self.weighty[row]
            for part in range(PARTS if chances else 0):
                first, end = part * len(chances) // PARTS, (part + 1) * len(chances) // PARTS
                found["chances"][row, part] = np.mean(chances[first : max(end, first + 1)])
        return found


def block_words(seed: int, block: int, sides: Sequence[str]) -> NDArray[np.uint64]:
    """(DEALS,) the random streams of a block of deals: the same for a pairing in either order and whatever is forbidden in it."""
    pairing = hashlib.sha256(repr(sorted(sides)).encode()).digest()
    mixed = np.random.SeedSequence((seed, block, int.from_bytes(pairing[:8])))
    return seed_words(int(mixed.generate_state(1, np.uint64)[0] >> 1), DEALS)


def play(
    subject: Subject,
    cell: Cell,
    game: Any,
    agent: AnyAgent,
    *,
    seed: int,
    block: int,
    deals: int = DEALS,
    threads: int = 1,
    judge: Any = None,
    judged: int = 0,
    finished: Callable[[int], None] = lambda games: None,
) -> Outcomes:
    """Play the first `deals` of a block; `finished` is called with the number of games that have ended.

    Args:
        game: as `subject` loads it for the cell.
        agent: plays at all seats.
        judge: a `ValueAgent` of the game, which looks at the first `judged` games; only for two players. Or None.
    """
    words, watch = block_words(seed, block, cell.sides)[:deals], subject.watch(game, cell.sides, deals)
    seen = _Judge(judge, min(judged, deals) if judge is not None else 0, (seed, block, game.num_players))
    found = play_deals(subject, game, agent, words, watch, (seed, block), threads, finished, seen.step)
    return replace(found, **seen.columns(len(found)))


def play_deals(
    subject: Subject,
    game: Any,
    agent: AnyAgent,
    words: NDArray[np.uint64],
    watch: Watch,
    seed: tuple[int, ...],
    threads: int = 1,
    finished: Callable[[int], None] = lambda games: None,
    looked: Callable[[Step], None] = lambda step: None,
) -> Outcomes:
    """Play a deal of each of the random streams `words` (N,), one agent at all seats; nobody judges.

    Args:
        watch: a Watch of N games.
        seed: seed of the agent's random generator at each seat.
        finished: called with the number of games that have ended.
        looked: called with each step.
    """
    count, players = len(words), game.num_players
    winner, began, way = np.full(count, -1, np.int8), np.full(count, -1, np.int8), np.zeros(count, np.int8)
    length, made, cut = np.zeros(count, np.int32), np.zeros(count, np.int32), np.zeros(count, np.bool_)
    everybody = dict.fromkeys(range(players), Trusted(agent))
    rngs = {player: np.random.default_rng((*seed, player)) for player in everybody}
    with Playing(game, everybody, rngs, count, threads=threads, keep_states=True) as playing:
        rows = np.arange(count)
        playing.begin(rows, words, np.tile(np.arange(players), (count, 1)))
        began[:] = [subject.began(state) for state in playing.batch.states[rows]]
        for step in playing.steps():
            assert step.before is not None
            after = playing.batch.states[step.rows]
            made[step.rows] += 1
            # A game that ends is started again within the step, so its last action is repeated on a copy.
            for k in np.flatnonzero(step.over):
                last = game.copy(step.before[k])
                game.step(last, int(step.actions[k]))
                after[k] = last
                row = step.rows[k]
                told = subject.length(last)
                length[row], cut[row] = made[row] if told < 0 else told, step.truncated[k]
                winner[row] = winners(last["reward"][None])[0]
                if not cut[row]:
                    way[row] = subject.way(last)
            watch.step(Moves(step.rows, step.players, step.actions, step.before, after))
            looked(step)
            if step.over.any():
                finished(count - len(playing.rows))
    return Outcomes(winner, cut, began, length, way, watch.used, watch.counted, **unjudged(count))
