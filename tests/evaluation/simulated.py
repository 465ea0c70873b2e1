"""Games of agents that do not exist: their strengths, the seat's worth and the luck of the deal are known."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np

from react_env.evaluation.matches.records import Games

ELO = 400 / np.log(10)
ARTISTS = ("Alchemist", "Bard", "Calligrapher")


def simulated(
    elo: dict[str, float],
    couples: int,
    *,
    seat: float = 0.0,
    luck: float = 0.0,
    shared: bool = False,
    ties: float = 0.0,
    odds: Any = None,
    settings: tuple[str, ...] = ("",),
    seed: int = 0,
) -> Games:
    """Simulate `couples` couples of games for every pair.

    In Elo: `elo` of each agent, `seat`, what seat 0 is worth, and `luck`, the standard deviation of a deal's luck for seat 0. If `shared`,
    all pairs have the same luck. `ties` is the share of games that nobody wins, `odds` (A, A) are log-odds instead of `elo`.
    """
    rng = np.random.default_rng(seed)
    names, strength = tuple(elo), np.array(list(elo.values())) / ELO
    odds = strength[:, None] - strength[None, :] if odds is None else np.asarray(odds)
    a, b, number = [], [], []
    for i, j in combinations(range(len(names)), 2):
        a.append(np.full(couples, i))
        b.append(np.full(couples, j))
        number.append(np.arange(couples))
    a, b, deal = np.concatenate(a).repeat(2), np.concatenate(b).repeat(2), np.concatenate(number).repeat(2)
    at = np.tile([0, 1], len(a) // 2)
    fortune = rng.normal(0, max(luck, 1e-9) / ELO, couples if shared else len(a) // 2)
    fortune = fortune[deal] if shared else fortune.repeat(2)
    side = np.where(at == 0, 1, -1)
    chance = 1 / (1 + np.exp(-(odds[a, b] + side * (seat / ELO + fortune))))
    result = np.where(rng.random(len(a)) < chance, 1, -1)
    result[rng.random(len(a)) < ties] = 0
    turns = rng.normal(30 - 4 * np.abs(odds[a, b]), 5).clip(5).astype(int)
    return Games.of(
        "toy",
        "0123456789abcdef",
        names,
        settings,
        2,
        a=a,
        b=b,
        seat=at,
        setting=deal % len(settings),
        seed=deal // len(settings),
        result=result,
        cut=np.zeros(len(a), bool),
        forfeit=np.zeros(len(a), np.int8),
        turns=turns,
        decisions=turns * 3,
    )


def pairings(artists: tuple[str, ...] = ARTISTS) -> tuple[str, ...]:
    """All ordered pairings, as an arena names its settings."""
    return tuple(f"{first} - {second}" for first in artists for second in artists if first != second)
