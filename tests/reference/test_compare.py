"""The comparison itself, with the reference model in the engine's place: agreement passes, any difference is reported."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.reference.arts_of_war import ReferenceGame
from tests.reference.compare import CHOOSERS, compare, eager, knowledge
from tests.reference.disguise import Disguised
from tests.reference.kits import KITS

PIECES = {
    "players": 32,
    "hand": 4,
    "my_deck": 4,
    "my_discard": 4,
    "their_hidden": 4,
    "their_discard": 4,
    "face_down": 30,
}


class Game(Disguised):
    """The reference model behind the engine's interface, with rules of its own."""

    pieces = PIECES

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
        rng = random.Random(-seed)
        rolls = [rng.randint(1, 6) for _ in range(3000)]
        return ReferenceGame(self.artists, self.rules, deal["decks"], deal["first_player"], deal["hands"], rolls)

    def knowledge(self, state: ReferenceGame, player: int) -> dict[str, list[int]]:
        return knowledge(state, player)


@pytest.mark.parametrize("chooser", CHOOSERS)
def test_agreement(chooser: Any) -> None:
    artists = (KITS["inker"], KITS["leaper"])
    decisions = [compare(Game(artists), seed, artists, {}, chooser(random.Random(seed))) for seed in range(5)]
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
    """The comparison finds a game whose ruling differs from the model's."""
    with pytest.raises(AssertionError, match="seed .* after .* actions"):
        rare = {"full_hand_spares_deck_out": 170, "sourceless_effects": 120}  # the first to differ: 177, 121
        for seed in range(rare.get(next(iter(rules)), 0), 400):
            names = random.Random(seed).sample(["inker", "leaper", "floorer"], 2)
            artists = (KITS[names[0]], KITS[names[1]])
            compare(Game(artists, **rules), seed, artists, {}, CHOOSERS[seed % 3](random.Random(seed)))


def test_a_leak_in_the_status_lines_is_told() -> None:
    class Leaking(Game):
        def status_lines(self, state: ReferenceGame, player: int | None) -> list[str]:
            return state.status(None)

    artists = (KITS["inker"], KITS["leaper"])
    with pytest.raises(AssertionError, match="the status lines for 0 differ"):
        compare(Leaking(artists), 0, artists, {}, eager(random.Random(0)))


def test_an_observation_that_shows_the_other_hand_is_told() -> None:
    class Leaking(Game):
        def observe(self, state: ReferenceGame, player: int) -> NDArray[np.int8]:
            return super().observe(state, 1 - player)

    artists = (KITS["inker"], KITS["leaper"])
    with pytest.raises(AssertionError, match="hand as player 0 sees it"):
        compare(Leaking(artists), 0, artists, {}, eager(random.Random(0)))


def test_more_events_than_the_ring_holds() -> None:
    """If one step logs more than the engine keeps, the part that it still has is compared."""

    class Forgetful(Game):
        def event_count(self, state: ReferenceGame) -> int:
            return 70 * len(state.log)  # always more rows than the ring holds

        def log_lines(self, state: ReferenceGame, since: int = 0) -> list[str]:
            return state.log[-1:] if since < self.event_count(state) else []

    class Wrong(Forgetful):
        def log_lines(self, state: ReferenceGame, since: int = 0) -> list[str]:
            return ["something else"] if since < self.event_count(state) else []

    artists = (KITS["inker"], KITS["leaper"])
    assert compare(Forgetful(artists), 0, artists, {}, eager(random.Random(0)))
    with pytest.raises(AssertionError, match="the logs differ"):
        compare(Wrong(artists), 0, artists, {}, eager(random.Random(0)))
