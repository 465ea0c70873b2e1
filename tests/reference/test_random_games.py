"""The reference model of Re;ACT alone: invariants in random games."""

from __future__ import annotations

import random
from typing import Any

import pytest

from tests.reference.arts_of_war import RULES, ReferenceGame
from tests.reference.kits import KITS

OPTIONS: list[dict[str, Any]] = [
    {},
    {"full_hand_spares_deck_out": False, "sourceless_effects": "fizzle", "shared_ability_card": False},
    {"ability_once_per_chain": False, "trigger_order": "zones", "replaced_masterpiece": "lost"},
    {"masterpiece_sides": "same", "masterpiece_check": "own_progress", "forced_passes": "announced", "max_turns": 9},
    {"rows": 4, "cols": 3, "start_zones": ("b1", "b4")},
]


@pytest.mark.parametrize("rules", OPTIONS, ids=[",".join(rules) or "standard" for rules in OPTIONS])
def test_random_games(rules: dict[str, Any]) -> None:
    """No unit, token, tile or card is lost or multiplied in random games that are played to the end."""
    for seed in range(42):
        rng = random.Random(seed)
        files = tuple(KITS[name] for name in rng.sample(list(KITS), 2))
        decks: list[list[int]] = []
        hands: list[list[int]] = []
        for text in files:
            actions = text.get("actions") or []
            deck = [i for i, card in enumerate(actions) for _ in range(card["copies"])]
            rng.shuffle(deck)
            decks.append(deck[:-4])
            hands.append([deck[-4:].count(i) for i in range(len(actions))])
        rolls = [rng.randint(1, 6) for _ in range(3000)]
        first = rng.randrange(2)
        game = ReferenceGame((files[0], files[1]), rules, (decks[0], decks[1]), first, (hands[0], hands[1]), rolls)
        while not game.over:
            legal = game.legal_actions()
            assert len(legal) > 1 and legal == sorted(set(legal))
            check_invariants(game)
            game.step(rng.choice(legal))
        assert sum(game.rewards) == 0
        assert game.turn <= game.rules["max_turns"] <= RULES["max_turns"]


def check_invariants(game: ReferenceGame) -> None:
    units = game._units()
    assert all(unit.zone is not None and unit.zone.unit is unit for unit in units)
    assert sum(zone.unit is not None for zone in game.zones) == len(units)
    for side in game.players:
        for kind, token in side.tokens.items():
            out = sum(place.tokens.get((side.number, kind), 0) for place in units)
            out += sum(place.tokens.get((side.number, kind), 0) for place in game.zones)
            assert out + side.token_pool[kind] == token["pool"]
        for kind, tile in side.tiles.items():
            laid = [
                zone for zone in game.zones if zone.tile and (zone.tile.player, zone.tile.kind) == (side.number, kind)
            ]
            assert len(laid) + side.tile_pool[kind] == tile["pool"]
            assert all((zone in game.plan[side.number]) == ("on_cue" in tile) for zone in laid)
        for card in side.actions:
            on_chain = sum(play.card is card for play in game.chain)
            n = card.number
            hidden = sum(there is card for there in game.face_down.values())
            assert side.hand[n] + side.deck.count(n) + side.discard[n] + on_chain + hidden == card.text["copies"]
        assert sum(side.hand) + len(game.face_down_of(side.number)) <= 6
        assert len(game.face_down_of(side.number)) <= side.face_down_limit
        assert all(0 <= side.count(kind) <= side.most(kind) for kind in side.counters)
        assert all(dice == sorted(dice) for dice in side.dice.values())
    assert all(zone.tile is not None for plan in game.plan for zone in plan)
