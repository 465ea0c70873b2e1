"""The comparison itself, with the reference model in the engine's place: agreement passes, any difference is told."""

from __future__ import annotations

import random
from typing import Any

import pytest

from tests.reference.arts_of_war import ReferenceGame
from tests.reference.compare import CHOOSERS, compare, eager
from tests.reference.kits import KITS


class Disguised:
    """The reference model behind the engine's interface, with rules of its own."""

    def __init__(self, artists: tuple[dict[str, Any], dict[str, Any]], **rules: Any) -> None:
        self.artists, self.rules = artists, rules

    def opening(self, seed: int) -> dict[str, Any]:
        rng = random.Random(seed)
        decks, hands = [], []
        for text in self.artists:
            actions = text.get("actions") or []
            deck = [i for i, card in enumerate(actions) for _ in range(card["copies"])]
            rng.shuffle(deck)
            decks.append(deck[:-4])
            hands.append([deck[-4:].count(i) for i in range(4)])
        return {"first_player": rng.randrange(2), "decks": decks, "hands": hands}

    def new(self, seed: int) -> ReferenceGame:
        deal = self.opening(seed)
        return ReferenceGame(self.artists, self.rules, deal["decks"], deal["first_player"], deal["hands"])

    def step(self, state: ReferenceGame, action: int) -> None:
        state.step(action)

    def terminated(self, state: ReferenceGame) -> bool:
        return state.over == 1

    def truncated(self, state: ReferenceGame) -> bool:
        return state.over == 2

    def rewards(self, state: ReferenceGame) -> tuple[int, int]:
        return state.rewards

    def to_play(self, state: ReferenceGame) -> int:
        return state.to_play

    def legal_actions(self, state: ReferenceGame) -> list[int]:
        return state.legal_actions()

    def log_lines(self, state: ReferenceGame) -> list[str]:
        return state.log[-48:]

    def status_lines(self, state: ReferenceGame, player: int | None) -> list[str]:
        return state.status(player)


@pytest.mark.parametrize("chooser", CHOOSERS)
def test_agreement(chooser: Any) -> None:
    artists = (KITS["inker"], KITS["leaper"])
    decisions = [compare(Disguised(artists), seed, artists, {}, chooser(random.Random(seed))) for seed in range(5)]
    assert min(decisions) > 5


@pytest.mark.parametrize(
    "rules",
    [
        {"full_hand_spares_deck_out": False},
        {"ability_once_per_chain": False},
        {"shared_ability_card": False},
        {"trigger_order": "zones"},
        {"replaced_masterpiece": "lost"},
        {"masterpiece_sides": "same"},
        {"forced_passes": "announced"},
        {"sourceless_effects": "fizzle"},
        {"max_turns": 5},
    ],
    ids=lambda rules: next(iter(rules)),
)
def test_every_ruling_makes_a_difference(rules: dict[str, Any]) -> None:
    """A game that holds another ruling than the model is found out."""
    with pytest.raises(AssertionError, match="seed .* after .* actions"):
        for seed in range(400):
            names = random.Random(seed).sample(list(KITS), 2)
            artists = (KITS[names[0]], KITS[names[1]])
            compare(Disguised(artists, **rules), seed, artists, {}, CHOOSERS[seed % 3](random.Random(seed)))


def test_a_leak_in_the_status_lines_is_told() -> None:
    class Leaking(Disguised):
        def status_lines(self, state: ReferenceGame, player: int | None) -> list[str]:
            return state.status(None)

    artists = (KITS["inker"], KITS["leaper"])
    with pytest.raises(AssertionError, match="the status lines for 0 differ"):
        compare(Leaking(artists), 0, artists, {}, eager(random.Random(0)))
