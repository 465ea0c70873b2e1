"""The comparison of Fight Sequence, with the reference model in the engine's place: agreement passes, any difference is reported."""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.reference.compare_fight_sequence import (
    LOG_RING,
    TEMPERAMENTS,
    all_that_cards_do,
    builder,
    compare,
    knowledge,
)
from tests.reference.disguise import Disguised
from tests.reference.fight_sequence import RULES, Deck, ReferenceGame, Seen
from tests.reference.test_fight_sequence import ACADEMY, EVERY, SHORT, deal

CARDS = ("hand", "my_unseen", "my_discard", "their_unseen", "their_known", "their_loose", "their_discard")
OTHERWISE: list[dict[str, Any]] = [
    {"speed_reference": "last_slot"},
    {"shift_timing": "timed"},
    {"shift_timing": "immediate"},
    {"return_itself": True},
    {"return_optional": True},
    {"build_turns": 8},
    {"willpower_covers": "adjacent_action"},
    {"interrupt_window": "never"},
    {"simultaneous_defeat": "builder_loses"},
    {"exhausted": "initiative_loses"},
    {"untyped_responses": "attack_type"},
    {"bonus_counts": "typed_actions"},
    {"cleanup_order": "initiative_last"},
    {"token_limit": 1},
    {"damage_discards": "face_down"},
    {"timed_shift_itself": False},
    {"full_sequence": "closes"},
    {"max_sequences": 3},
    {"forbidden": (("Rush",), ())},
]


class Game(Disguised):
    """The reference model behind the engine's interface, with rules of its own."""

    pieces = dict.fromkeys(CARDS, 40) | {"my_top": 8}
    log_ring = LOG_RING

    def __init__(self, files: tuple[Deck, Deck] = (EVERY, ACADEMY), **rules: Any) -> None:
        self.files, self.rules = files, rules

    def opening(self, seed: int) -> dict[str, Any]:
        game = deal(self.files, self.rules, seed)
        return {
            "first_player": game.builder,
            "decks": [side.deck for side in game.players],
            "hands": [side.hand for side in game.players],
        }

    def new(self, seed: int) -> ReferenceGame:
        return deal(self.files, self.rules, seed)

    def knowledge(self, state: ReferenceGame, player: int) -> dict[str, list[int]]:
        return knowledge(state, player)


@pytest.mark.slow
def test_agreement() -> None:
    """With players of all temperaments the two agree, and everything that the cards do is seen."""
    seen: Counter[Seen] = Counter()
    for seed in range(150):
        players = random.Random(seed).choices(TEMPERAMENTS, k=2)
        assert compare(Game(), seed, (EVERY, ACADEMY), {}, (players[0], players[1]), seen) > 5
    assert not [did for text in (EVERY, ACADEMY) for did in all_that_cards_do(text) if not seen[did]]


@pytest.mark.parametrize("rules", OTHERWISE, ids=lambda rules: "=".join(map(str, *rules.items())))
def test_every_ruling_makes_a_difference(rules: dict[str, Any]) -> None:
    """The comparison finds a game whose ruling differs from the model's."""
    files, size = (
        ((SHORT, SHORT), {"deck_size": 12})
        if {"exhausted", "simultaneous_defeat"} & set(rules)
        else ((EVERY, EVERY), {})
    )
    with pytest.raises(AssertionError, match="seed .* after .* actions"):
        for seed in range(400):
            players = random.Random(seed).choices(TEMPERAMENTS, k=2)
            compare(Game(files, **rules, **size), seed, files, size, (players[0], players[1]))


def test_all_rulings_are_there() -> None:
    assert {option for rules in OTHERWISE for option in rules} == set(RULES) - {"deck_size", "first_player"}


def test_a_leak_in_the_status_lines_is_told() -> None:
    class Leaking(Game):
        def status_lines(self, state: Any, player: int | None) -> list[str]:
            return state.status(None)  # type: ignore[no-any-return]

    with pytest.raises(AssertionError, match="the status lines for [01] differ"):
        compare(Leaking(), 0, (EVERY, ACADEMY), {}, (builder, builder))


def test_an_observation_that_shows_the_other_hand_is_told() -> None:
    class Leaking(Game):
        def observe(self, state: ReferenceGame, player: int) -> NDArray[np.int8]:
            return super().observe(state, 1 - player)

    with pytest.raises(AssertionError, match="hand as player 0 sees it"):
        compare(Leaking(), 0, (EVERY, ACADEMY), {}, (builder, builder))


def test_more_events_than_the_ring_holds() -> None:
    """If one step logs more than the engine keeps, the part that it still has is compared."""

    class Forgetful(Game):
        def event_count(self, state: Any) -> int:
            return 70 * len(state.log)  # always more rows than the ring holds

        def log_lines(self, state: Any, since: int = 0) -> list[str]:
            return state.log[-1:] if since < self.event_count(state) else []

    class Wrong(Forgetful):
        def log_lines(self, state: Any, since: int = 0) -> list[str]:
            return ["something else"] if since < self.event_count(state) else []

    assert compare(Forgetful(), 0, (EVERY, ACADEMY), {})
    with pytest.raises(AssertionError, match="the logs differ"):
        compare(Wrong(), 0, (EVERY, ACADEMY), {})
