"""A game in progress, and what a person may take back: a decision that showed the player nothing that was not certain before."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from react_env.engine.game import Game

WORLDS = 256  # guesses of what is hidden; in each of them the decision must lead to the same


class Decision(NamedTuple):
    """A decision of a person, to which the game can go back."""

    actions: int  # how many were taken before it
    lines: int  # how many the log had before it
    state: Any  # a copy, before the action


class History:
    """A game in progress: the position, and how it came about.

    Args:
        game: the rules.
        start: first state of the random stream.
        people: players who may take back what they do.

    Attributes:
        state: the position.
        actions: taken so far.
        lines: the public log from the beginning.
        decisions: the decisions of `people`.
    """

    def __init__(self, game: Game, start: int, people: list[int]) -> None:
        self.game, self.start, self.people = game, start, people
        self.state: Any = game.new(start=start)
        self.actions: list[int] = []
        self.lines = game.log_lines(self.state)
        self.decisions: list[Decision] = []

    @property
    def mover(self) -> int:
        """The player to move."""
        return self.game.to_play(self.state)

    def take(self, action: int) -> None:
        """Take an action of the player to move."""
        if self.mover in self.people:
            self.decisions.append(Decision(len(self.actions), len(self.lines), self.game.copy(self.state)))
        seen = self.game.event_count(self.state)
        self.game.step(self.state, action)
        self.actions.append(int(action))
        self.lines += self.game.log_lines(self.state, since=seen)

    def take_back(self) -> tuple[bool, str]:
        """Take back a person's last decision, if that is fair. Returns whether it was, and a message."""
        if not self.decisions:
            return False, "there is nothing to take back"
        last = self.decisions[-1]
        action, player = self.actions[last.actions], self.game.to_play(last.state)
        if player != self.mover:
            return False, "not taken back: somebody else is to move"
        others = len(self.actions) > last.actions + 1
        if reason := why_not(self.game, last.state, action, self.state, player, others):
            return False, f"not taken back: {reason}"
        del self.decisions[-1], self.actions[last.actions :], self.lines[last.lines :]
        self.state = last.state
        return True, f"taken back: {self.game.action_text(self.state, action)}"


def why_not(game: Game, before: Any, action: int, after: Any, player: int, others: bool) -> str:
    """Why `player` cannot take back `action`, which led from the state `before` to `after`; "" if it can be taken back.

    It can if nobody else has decided since, no chance was drawn, and what the player sees now was certain before: in each of `WORLDS`
    determinizations of `before` the action leads to the same observation and the same legal actions. So the answer reveals nothing hidden
    either, such as whether an opponent who passed could have done otherwise.

    Args:
        game: the rules.
        before, after: records; the player decides in both.
        action: what the player did in `before`.
        player: who asks.
        others: whether another player has decided between the two.
    """
    seen, legal = game.observe(after, player), game.action_mask(after)

    def leads_there(world: Any) -> bool:
        return (
            game.to_play(world) == player
            and np.array_equal(game.observe(world, player), seen)
            and np.array_equal(game.action_mask(world), legal)
        )

    worlds = _worlds(game, before, action, player)
    if not others and before["rng"] == after["rng"] and all(map(leads_there, worlds)):
        return ""
    first = game.event_count(before)
    lines = game.log_lines(after, since=first)
    certain = len(lines)
    for world in _worlds(game, before, action, player):
        certain = min(certain, _alike(lines, game.log_lines(world, since=first)))
        if certain == 0:
            break
    if certain < len(lines):
        return f"you could not know this when you decided: {lines[certain]}"
    if any(" draws " in line for line in lines):
        return "a card has been drawn since"
    return "something hidden has been shown since"


def _worlds(game: Game, before: Any, action: int, player: int) -> Iterator[Any]:
    """The state to which the action leads, in each of the guesses."""
    for seed in range(WORLDS):
        world = game.determinize(before, player, seed)
        game.step(world, action)
        yield world


def _alike(lines: list[str], others: list[str]) -> int:
    """How many lines from the first one on are the same."""
    for number, (line, other) in enumerate(zip(lines, others, strict=False)):
        if line != other:
            return number
    return min(len(lines), len(others))
