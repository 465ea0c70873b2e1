"""Small decks and positions for the tests of the rules: a few lines say what lies where, and play goes on in words.

    t = table(kit(card("Recall", effect="{timing: immediate, return: any}")))
    t.row("0 attacks Recall", "1 responds Idle")
    t.hand(0, "Recall")
    t.do("attack with Recall", "return Idle")
    assert t.log[-1] == "Idle (Armor +1) returns from slot 2 to the hand of player_1"

Actions are named by their text (`Game.action_text`) or the beginning of it; the log tells what happened.
"""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
import yaml

import react_env
from react_env.games.fight_sequence import state as S
from react_env.games.fight_sequence.actions import A_PASS
from tests import tables

ACADEMY = "academy_default"

# ------------------------------------------------------------------------------------------------------------------- decks


def card(
    name: str,
    speed: int = 10,
    power: int = 1,
    kind: str = "physical",
    effect: str | None = None,
    response: str = "{armor: 1}",
) -> dict[str, Any]:
    """A card from the text of its parts."""
    made = {
        "name": name,
        "copies": 1,
        "speed": speed,
        "power": power,
        "type": kind,
        "response": yaml.safe_load(response),
    }
    return made if effect is None else made | {"effect": yaml.safe_load(effect)}


def kit(*cards: dict[str, Any], size: int = 40) -> str:
    """The path of a deck of these cards, filled up with "Idle" (Speed 10, Power 1, physical; Armor +1)."""
    idle = card("Idle") | {"copies": size - sum(other["copies"] for other in cards)}
    made = {"format": 1, "id": "kit", "name": "Kit", "version": 1, "cards": [*cards, idle]}
    return tables.file_of(made)


# --------------------------------------------------------------------------------------------------------------- positions


class Table(tables.Table):
    """A game at a position made by hand: building the first sequence, player 0's turn, nobody has passed.

    Hands are empty, and ten cards lie in each deck, of a kind without Willpower (`filler`).
    """

    events = S.EVENTS

    def __init__(self, game: Any) -> None:
        super().__init__(game)
        self.names: list[list[str]] = game.rules.view.names
        fresh = np.zeros(1, game.state_dtype)[0]
        for name in ("rng", "table"):
            fresh[name] = self.state[name]
        self.state = fresh
        fresh.sequence, fresh.initiative, fresh.current = 1, -1, S.NO_SLOT
        fresh.phase, fresh.decision = S.PH_BUILD, S.D_BUILD
        for player in (0, 1):
            self.deck(player, *[self.filler(player)] * 10)

    # -- arranging ------------------------------------------------------------------------------------------------------

    def filler(self, player: int) -> str:
        """A card of that player's deck without a Willpower."""
        return "Idle" if "Idle" in self.names[player] else "Heavy Kick"

    def number(self, player: int, name: str) -> int:
        """The number of a card, from 0."""
        return self.names[player].index(name)

    def hand(self, player: int, *cards: str) -> None:
        """Add cards to a hand."""
        for name in cards:
            self.state.hand[player, self.number(player, name)] += 1
            self.state.hand_size[player] += 1

    def deck(self, player: int, *cards: str) -> None:
        """Set the deck of a player, top card first."""
        self.state.deck[player] = 0
        self.state.deck_size[player] = len(cards)
        for i, name in enumerate(reversed(cards)):
            self.state.deck[player, i] = self.number(player, name)

    def discard(self, player: int, *cards: str) -> None:
        """Add cards to a discard pile."""
        for name in cards:
            self.state.discard[player, self.number(player, name)] += 1

    def row(self, *actions: str) -> None:
        """Lay these Actions, such as "0 attacks Jab" or "1 responds Slash"; then the opponent of whoever laid the last one has the turn."""
        s = self.state
        for action in actions:
            player, does, name = action.split(" ", 2)
            slot = int(s.slots)
            s.slot_owner[slot], s.slot_card[slot] = int(player), self.number(int(player), name)
            s.slot_mode[slot] = ("attacks", "responds").index(does)
            s.speed = 0 if s.slot_mode[slot] else self.game.tables[0]["speed"][int(player), s.slot_card[slot]]
            s.slots += 1
            s.turns += 1
            s.to_play = 1 - int(player)

    def tokens(self, player: int, armor: int = 0, resistance: int = 0) -> None:
        """Give tokens to a player."""
        self.state.token[player] = armor, resistance

    def turn(self, player: int) -> None:
        """Make it that player's turn to build."""
        self.state.to_play = player

    def rest_is_discarded(self) -> None:
        """Discard all cards that lie nowhere else, so that both decks are complete."""
        for player in (0, 1):
            s = self.state
            assert s.buried_size[player] == 0, "what is missing may lie face down"
            count = self.game.tables[0]["copies"][player] - s.hand[player]
            for name in s.deck[player, : s.deck_size[player]]:
                count[name] -= 1
            for i in range(s.slots):
                if s.slot_owner[i] == player:
                    count[s.slot_card[i]] -= 1
            assert (count >= 0).all(), "more copies than the deck has"
            s.discard[player] = count

    # -- playing --------------------------------------------------------------------------------------------------------

    @property
    def life(self) -> list[int]:
        """The number of cards in each deck."""
        return [int(n) for n in self.state["deck_size"]]

    @property
    def told(self) -> list[str]:
        """The log before the next sequence begins."""
        starts = [i for i, line in enumerate(self.log) if line.startswith("Sequence ")]
        return self.log[: starts[0]] if starts else self.log

    @property
    def slots(self) -> list[str]:
        """The sequence, as `row` takes it."""
        return [
            f"{s.slot_owner[i]} {('attacks', 'responds')[s.slot_mode[i]]} {self.names[s.slot_owner[i]][s.slot_card[i]]}"
            for s in [self.state]
            for i in range(s.slots)
        ]

    def resolve(self, initiative: int = 0, fill: bool = True) -> Table:
        """End the building without a draw; the log begins here. `fill`: first fill the hands up to five, so that cleanup draws nothing."""
        s = self.state
        for player in (0, 1):
            if fill:
                self.hand(player, *[self.filler(player)] * (S.HAND - int(s.hand_size[player])))
        s.claimed, s.initiative, s.passes, s.closed = 1, initiative, 1, 1
        s.turns = 0  # a pass on the first turn draws nothing
        self.log.clear()
        self.step(A_PASS)
        del self.log[0]
        return self

    def after(self, line: str) -> list[str]:
        """The log after the last line equal to `line`, up to the next sequence."""
        last = max(i for i, logged in enumerate(self.told) if logged == line)
        return self.told[last + 1 :]

    def status(self, beginning: str, player: int | None = None) -> str:
        """The only status line that begins so, as that player sees it."""
        (line,) = [line for line in self.game.status_lines(self.state, player) if line.startswith(beginning)]
        return line


@functools.cache
def load(one: str = ACADEMY, other: str | None = None, **rules: Any) -> Any:
    """The game of two decks, or of one deck for both players."""
    return react_env.load("fight_sequence-v0", decks=(one, one if other is None else other), **rules)


def table(one: str = ACADEMY, other: str | None = None, **rules: Any) -> Table:
    """A position of these two decks."""
    return Table(load(one, other, **rules))
