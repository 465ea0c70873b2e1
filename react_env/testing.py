"""Checks that every game must pass, for authors of games.

    from react_env.testing import check_game

    check_game(react_env.load("my_game-v0"))

The first check that fails raises `GameFault`.
"""

from __future__ import annotations

import re
from typing import Any

import numpy as np
from numpy.typing import NDArray

from react_env.engine.batch import check_count, seed_words
from react_env.engine.game import Game, a_game
from react_env.errors import ReactEnvError

LONGEST = 100_000  # decisions, within which every game must end
_GUARD = 4096  # places on either side of what a rule writes
_SOME = 8  # games; of so many random ones at least one must have a winner
_SHARED = 256  # games of a batch, which two threads share


class GameFault(ReactEnvError):
    """A game breaks a promise that every game makes; the message says where, and in which game of `check_game`."""


class _Guarded:
    """An array that a rule writes, `inner`, and the places around it, which it must leave alone."""

    def __init__(self, size: int, dtype: type) -> None:
        self.whole: NDArray[Any] = np.zeros(size + 2 * _GUARD, dtype)
        self.inner = self.whole[_GUARD : _GUARD + size]
        self._around = np.flatnonzero(np.r_[np.ones(_GUARD), np.zeros(size), np.ones(_GUARD)])
        self._marks = np.arange(2 * _GUARD) % 2
        self._mark()

    def _mark(self) -> None:
        """Set every second place around, and next time the others, so that whatever is written there shows, even a 0."""
        self._marks = 1 - self._marks
        self.whole[self._around] = self._marks

    def broken(self) -> str:
        """Which place outside has been written, in words; "" if none."""
        wrong = self._around[self.whole[self._around] != self._marks]
        self._mark()
        return f"place {int(wrong[0]) - _GUARD} of {len(self.inner)}" if len(wrong) else ""


def check_game(game: Game, games: int = 20, *, seed: int = 0) -> None:
    """Play `games` random games and check every decision.

    The rules write within their arrays, observations stay within the layout, somebody has a legal action until the game is over, rewards
    come at the end, sum to 0 and are not 0 in every game, `determinize` changes nothing that its player sees, positions and actions have
    words, and a game takes the same course alone, in a batch, on threads, and after it was saved and restored. A fault that random play
    does not reach is missed.

    Raises OptionError if `game` is not a Game, BatchError if `games` is below 1, GameFault for the first check that fails. A rule that
    writes far outside its arrays may end the process; with NUMBA_BOUNDSCHECK=1, or NUMBA_DISABLE_JIT=1, Numba or Python says where.
    """
    check_count("games", games)  # with none, any game would pass
    if not re.fullmatch(r"[0-9a-f]{16}", a_game(game).rules_hash):
        raise GameFault(
            f"{game.id}: Identity.hash is {game.rules_hash!r}; 16 hex digits that change with the rules are needed"
        )
    played = [_Play(game, number, word) for number, word in enumerate(seed_words(seed, games).tolist())]
    for one in played:
        one.play()
    if games >= _SOME and not any(one.states["reward"].any() for one in played):
        raise GameFault(
            f"{game.id}: none of {games} random games had a winner, and the reward was 0 in all; does `apply` set "
            "`reward` where it sets `over`? If random play seldom wins this game, check more games of it"
        )
    _same_course(game, seed, min(games, 8))


class _Play:
    """A random game, checked from all sides."""

    def __init__(self, game: Game, number: int, word: int) -> None:
        self.game, self.rules, self.number = game, game.rules, number
        self.rng = np.random.default_rng((word, number))
        self.states = np.zeros(1, np.dtype((np.record, game.state_dtype)))
        self.state: Any = self.states[0]
        self.state.rng, self.state.table = word, number % len(game.tables)
        self.table: Any = game.tables[self.state.table]
        self.mask = _Guarded(game.num_actions, np.bool_)
        self.seen = _Guarded(game.layout.size, np.int8)
        self.decision = 0

    def fault(self, what: str) -> GameFault:
        return GameFault(f"{self.game.id}, random game {self.number}, decision {self.decision}: {what}")

    def play(self) -> None:
        """Play to the end of the game."""
        self.rules.reset(self.state, self.table, self.mask.inner)
        self._within("reset", self.mask)
        while not self.state.over:
            self._look()
            if self.decision == LONGEST:
                raise self.fault("the game does not end")
            action = int(self.rng.choice(np.flatnonzero(self.mask.inner)))
            self.rules.apply(self.state, self.table, action, self.mask.inner)
            self._within(f"apply of {self.game.action_names[action]!r}", self.mask)
            self.decision += 1
        rewards = self.states["reward"][0]
        if not abs(float(rewards.sum())) <= 1e-5:  # true of NaN, too
            raise self.fault(f"the game is over, and the rewards {rewards.tolist()} do not sum to 0")
        self._look()

    def _within(self, rule: str, written: _Guarded) -> None:
        if place := written.broken():
            raise self.fault(f"{rule} has written to {place}")

    def _look(self) -> None:
        """Check the position as it stands, for every player."""
        game, state, mask = self.game, self.state, self.mask.inner
        over = bool(state.over)
        if not over:
            if not 0 <= state.to_play < game.num_players:
                raise self.fault(f"to_play is {state.to_play}, of {game.num_players} players")
            if not mask.any():
                raise self.fault("no action is legal, and the game is not over")
            if (rewards := self.states["reward"][0]).any():
                raise self.fault(f"the rewards are {rewards.tolist()} before the game is over")
            before, legal = self.states.copy(), _Guarded(game.num_actions, np.bool_)
            self.rules.legal(state, self.table, legal.inner)
            self._within("legal", legal)
            if differing := np.flatnonzero(legal.inner != mask).tolist():
                raise self.fault(f"legal and the mask of apply differ for {game.action_names[differing[0]]!r}")
            self._unchanged("legal", before)
        for player in range(game.num_players):
            self._seen_by(player, mask if not over and state.to_play == player else None)
        for action in np.flatnonzero(mask if not over else []):
            if not game.action_text(self.states[0], int(action)):
                raise self.fault(f"{game.action_names[action]!r} has no text")

    def _seen_by(self, player: int, mask: NDArray[Any] | None) -> None:
        game = self.game
        before = self.states.copy()
        shown = self._shown(self.states, player)
        self._unchanged(f"what player {player} sees", before)
        bounds = game.layout.low, game.layout.high
        wrong = (self.seen.inner < bounds[0]) | (self.seen.inner > bounds[1])
        if wrong.any():
            place = int(np.argmax(wrong))
            piece = next(
                name for name, (part, *_) in game.observation_pieces.items() if part.start <= place < part.stop
            )
            value, low, high = (int(of[place]) for of in (self.seen.inner, *bounds))
            raise self.fault(
                f"player {player} sees {value} in {piece!r}, place {place}; its layout allows {low} to {high}"
            )
        other = self.states.copy()
        other["rng"] = self.rng.integers(2**63, dtype=np.uint64)
        self.rules.determinize(other[0], self.table, player)
        for what, first, second in zip(
            ("observe", "text", "status_lines", "log_lines", "svg", "event_count"), shown, self._shown(other, player)
        ):
            if first != second:
                raise self.fault(f"{what} shows player {player} something that determinize redraws")
        if mask is not None:
            legal = _Guarded(game.num_actions, np.bool_)
            self.rules.legal(other[0], self.table, legal.inner)
            if (legal.inner != mask).any():
                raise self.fault(f"what player {player} may do depends on something that determinize redraws")
            for action in np.flatnonzero(mask).tolist():
                if game.action_text(self.states[0], action) != game.action_text(other[0], action):
                    name = game.action_names[action]
                    raise self.fault(
                        f"action_text of {name!r} tells player {player} something that determinize redraws"
                    )
        for field in ("over", "to_play", "table"):
            if other[field][0] != self.states[field][0]:
                raise self.fault(f"determinize changes {field!r}")

    def _shown(self, states: NDArray[Any], player: int) -> tuple[Any, ...]:
        """Everything that a player is shown."""
        game, seen, found = self.game, self.seen, []
        fixed = game.fixed[game.fixed_row[int(states["table"][0]), player]] if game.fixed.size else seen.inner[:0]
        for before in (1, 0):
            seen.inner[:] = before
            seen.inner[len(seen.inner) - len(fixed) :] = fixed
            self.rules.observe(states[0], self.table, player, seen.inner)
            self._within("observe", seen)
            found.append(seen.inner.copy())
        if (found[0] != found[1]).any():
            raise self.fault(f"observe leaves place {int(np.argmax(found[0] != found[1]))} unwritten")
        words = game.text(states[0], player), game.status_lines(states[0], player), game.log_lines(states[0])
        picture = game.svg(states[0], player) if self.rules.drawing else ""
        return (found[0].tobytes(), *words, picture, game.event_count(states[0]))

    def _unchanged(self, what: str, before: NDArray[Any]) -> None:
        for field in before.dtype.names or ():
            if before[field].tobytes() != self.states[field].tobytes():
                raise self.fault(f"{what} changes the record: {field!r}")


def _same_course(game: Game, seed: int, count: int, steps: int = 200) -> None:
    """Check that games go the same way alone, in a batch, on two threads, and if saved and restored before each action."""
    batches = [game.batch(_SHARED, seed=seed, threads=threads) for threads in (1, 2)]
    words = seed_words(seed + 1, _SHARED)
    for step in range(steps):
        for name in ("states", "observations", "action_masks"):
            if getattr(batches[0], name).tobytes() != getattr(batches[1], name).tobytes():
                raise GameFault(f"{game.id}, a batch, step {step}: on two threads {name} are others than on one")
        actions = batches[0].random_actions(words)
        alone = [game.restore(game.save(state)) for state in batches[0].states[:count]]
        for batch in batches:
            batch.step(actions)
        over = batches[0].terminated | batches[0].truncated
        for i, (state, action) in enumerate(zip(alone, actions.tolist())):
            game.step(state, action)
            if over[i]:
                continue
            seen = game.observe(state, game.to_play(state))
            if batches[0].states[i].tobytes() != state.tobytes() or (seen != batches[0].observations[i]).any():
                raise GameFault(
                    f"{game.id}, game {i} of a batch, step {step}: in a batch it continues differently from the same game alone"
                )
