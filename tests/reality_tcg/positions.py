"""Positions of Reality TCG as people write them: who stands where, what is in hand, and choices by their texts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

import react_env
from react_env.engine.game import Game
from react_env.engine.rules import anything
from react_env.games.reality_tcg import state as S

SET = Path(__file__).parent / "decks" / "plain_set.yaml"
DECKS = tuple(SET.with_name(f"{name}.yaml") for name in ("tempo", "wall"))
ODD = (SET.with_name("odd.yaml"),) * 2  # each effect has an unusual number, and some Traps may come from the hand


@cache
def game(options: tuple[tuple[str, Any], ...] = (), files: tuple[Path, ...] = DECKS) -> Game:
    """The game by these options, with the cards of these deck files; it accepts positions that no game reaches."""
    found = react_env.load("reality_tcg-v0", decks=files, **{"copies": 20, **dict(options)})
    return Game(replace(found.rules, valid=anything), found.heuristics)


class Position:
    """Turn 9, Tactic Phase 1 of player 0, with ten Energy each and empty hands, unless the arguments say otherwise.

    Zones come with the Active Zone first: "Boxer", "Boxer /d" in Defense Position, "Boxer /new" if it entered this turn, "-" for nobody.
    """

    def __init__(
        self,
        mine: Sequence[str] = (),
        theirs: Sequence[str] = (),
        *,
        hands: tuple[str, str] = ("", ""),
        decks: tuple[str, str] = ("", ""),
        traps: tuple[str, str] = ("", ""),
        land: tuple[str, str] = ("", ""),
        energy: tuple[int, int] = (10, 10),
        ip: tuple[int, int] = (20, 20),
        turn: int = 9,
        files: tuple[Path, ...] = DECKS,
        **options: Any,
    ) -> None:
        self.game = game(tuple(sorted(options.items())), files)
        names = list(self.game.action_names)
        self.s = s = np.zeros(1, S.STATE).view(np.recarray)[0]
        kind = names.index
        s["kind"], s["trap"], s["land"], s["pending"] = S.NOTHING, S.NOTHING, S.NOTHING, S.NOTHING
        s["list"] = (0, 1)
        t = self.game.tables[0]
        for p, zones in enumerate((mine, theirs)):
            for z, text in enumerate(zones):
                name, _, marks = text.partition(" /")
                if name != "-":
                    k = kind(name)
                    s["kind"][p][z], s["hp"][p][z], s["df"][p][z] = k, t["hp"][k], t["df"][k]
                    s["position"][p][z] = S.DEFENSE if "d" in marks.split() else S.ATTACK
                    s["entered"][p][z] = turn if "new" in marks.split() else 1
            for name in filter(None, hands[p].split(", ")):
                s["hand"][p][kind(name)] += 1
                s["hand_size"][p] += 1
            deck = [kind(name) for name in filter(None, decks[p].split(", "))]
            s["deck"][p][: len(deck)] = deck[::-1]
            s["deck_size"][p] = len(deck)
            for i, name in enumerate(filter(None, traps[p].split(", "))):
                s["trap"][p][i], s["set_in"][p][i] = kind(name), 1
            if land[p]:
                s["land"][p] = kind(land[p])
        s["ip"], s["energy"], s["ready"], s["turn"] = ip, energy, energy, turn
        s["phase"], s["decision"] = S.P_TACTIC_1, S.D_TACTIC

    @property
    def legal(self) -> list[str]:
        """The legal choices, as texts."""
        return [self.game.action_text(self.s, int(action)) for action in self.game.legal_actions(self.s)]

    def do(self, *texts: str) -> Position:
        """Make one choice after the other, each named by its text or the beginning of it."""
        for text in texts:
            found = [
                a for a in self.game.legal_actions(self.s) if self.game.action_text(self.s, int(a)).startswith(text)
            ]
            assert len(found) == 1, (text, self.legal, self.log)
            self.game.step(self.s, int(found[0]))
        return self

    @property
    def log(self) -> list[str]:
        return self.game.log_lines(self.s)

    def unit(self, p: int, z: int = 0) -> tuple[str, int, int] | None:
        """Name, DEF and HP of the Character in that zone."""
        k = int(self.s["kind"][p][z])
        return None if k < 0 else (self.game.action_names[k], int(self.s["df"][p][z]), int(self.s["hp"][p][z]))

    @property
    def ip(self) -> tuple[int, ...]:
        return tuple(int(n) for n in self.s["ip"])

    def hand(self, p: int) -> list[str]:
        return [self.game.action_names[k] for k in range(S.KINDS) for _ in range(int(self.s["hand"][p][k]))]

    def gone(self, p: int) -> list[str]:
        return [self.game.action_names[k] for k in range(S.KINDS) for _ in range(int(self.s["gone"][p][k]))]

    def hurt(self, p: int, z: int, *, df: int, hp: int) -> Position:
        """Give a Character these DEF and HP."""
        self.s["df"][p][z], self.s["hp"][p][z] = df, hp
        return self
