"""Positions of React Fast as people write them: decks from the top, the pile from the bottom, and who slaps."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np

from react_env.engine.game import Game
from react_env.engine.plain import from_python
from react_env.engine.rules import anything
from react_env.games.react_fast import state as S
from react_env.games.react_fast import turn
from react_env.games.react_fast.game import load
from react_env.games.react_fast.rules import card_number

SUIT = {"c": "Coins", "a": "Artifacts", "j": "Jewelry", "g": "Gems"}
FAST = {"mu": 100, "sigma": 0, "tau": 0, "place_mu": 600, "place_sigma": 0, "place_tau": 0}
TRAVELING = {"J2": S.J2, "J3": S.J3, "C4": S.C4, "C5": S.C5, "G6": S.G6, "G7": S.G7, "A8": S.A8, "A9": S.A9}


def card(name: str) -> int:
    """The number of a card: "10g" is the ten of Gems, "Kc" the king of Coins, "A8" a traveling card."""
    if name in TRAVELING:
        return S.PLAYING + TRAVELING[name]
    return card_number(f"{name[:-1]} of {SUIT[name[-1]]}")


def cards(names: str) -> list[int]:
    return [card(name) for name in names.split()]


@cache
def _game(players: int, options: tuple[tuple[str, Any], ...]) -> Game:
    # The higher the seat, the slower the hand: if several slap, the slap of the lowest seat lands first.
    seats = [{**FAST, "mu": 100 + 10 * p} for p in range(players)]
    return with_any_record(load(profiles=seats, players=players, **{"mode": "deterministic", **dict(options)}))


def with_any_record(game: Game) -> Game:
    """The game, except that it accepts positions of a few cards, which no game reaches."""
    return Game(replace(game.rules, valid=anything), game.heuristics)


class Position:
    """A game played on from a position, in the mode without chance."""

    def __init__(
        self,
        *decks: str,
        pile: str = "",
        turn_of: int = 0,
        chance: tuple[int, int] | None = None,
        own: Mapping[str, int] | None = None,
        used: Sequence[str] = (),
        **options: Any,
    ) -> None:
        self.game = _game(len(decks), tuple(sorted(options.items())))
        self.s = self.game.new(seed=0)
        s = self.s
        s["deck"] = 0
        s["head"] = 0
        for name in ("shown", "placed", "clock", "turn", "penalties", "seen"):
            s[name] = 0
        for p, names in enumerate(decks):
            codes = cards(names)
            s["size"][p] = len(codes)
            s["deck"][p][: len(codes)] = codes
        codes = cards(pile)
        s["pile"][: len(codes)] = [code | S.KNOWN for code in codes]
        s["pile_size"], s["blind"] = len(codes), 0
        s["last"] = len(decks) - 1
        s["owner"] = S.HIDDEN
        s["used"] = 0
        for name, owner in (own or {}).items():
            s["owner"][TRAVELING[name]] = owner
            s["used"][TRAVELING[name]] = name in used
        from_python(turn.begin_round)(s, turn_of)
        s["face"] = codes[-1] if codes else S.NOTHING
        s["before"] = codes[-2] if len(codes) > 1 else S.NOTHING
        if chance is not None:
            s["chance"], s["remaining"] = chance
        s["decision"], s["over"] = S.D_NONE, 0
        s["events"] = 0
        from_python(turn.go_on)(s, self.game.tables[0], np.zeros(self.game.num_actions, np.bool_))

    def do(self, action: str) -> "Position":
        """Take an action by its name."""
        names = list(self.game.action_names)
        assert names.index(action) in self.game.legal_actions(self.s), (action, self.legal)
        self.game.step(self.s, names.index(action))
        return self

    def window(self, *slappers: int) -> "Position":
        """Let these players slap and all others hold, until somebody is asked something else or the window closes."""
        before = int(self.s["placed"])
        while not self.s["over"] and self.s["decision"] == S.D_SLAP and self.s["placed"] == before:
            self.do("slap" if int(self.s["to_play"]) in slappers else "hold")
        return self

    @property
    def legal(self) -> list[str]:
        return [self.game.action_names[a] for a in self.game.legal_actions(self.s)]

    @property
    def log(self) -> list[str]:
        return self.game.log_lines(self.s)

    def deck(self, p: int) -> list[int]:
        s = self.s
        return [int(s["deck"][p][(s["head"][p] + i) % S.CARDS]) & S.CARD_BITS for i in range(s["size"][p])]

    @property
    def pile(self) -> list[int]:
        return [int(code) & S.CARD_BITS for code in self.s["pile"][: self.s["pile_size"]]]

    def owner(self, name: str) -> tuple[int, bool]:
        """Who owns a traveling card, and whether it is used."""
        return int(self.s["owner"][TRAVELING[name]]), bool(self.s["used"][TRAVELING[name]])
