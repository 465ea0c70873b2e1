"""Play a game with the Fight Sequence engine and the reference model in lockstep, and compare everything they show."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np

from tests.reference.common import lockstep
from tests.reference.fight_sequence import (
    ATTACK,
    CARD,
    DECLINE,
    PASS,
    RESPOND,
    Deck,
    ReferenceGame,
    Seen,
    effect_of,
    response_of,
)

LOG_RING = 76  # event rows that a record keeps
SHOWN_ON_TOP = 8  # cards put back that an observation shows
TEXT_RESPONSES = ("shift", "return", "damage", "draw")

Temperament = Callable[[random.Random, ReferenceGame], int]
Agent = Any  # an agent that plays from the engine's state (react_env.agents.protocol.StateAgent)


def uniform(rng: random.Random, game: ReferenceGame) -> int:
    """Any legal action."""
    return rng.choice(game.legal_actions())


def mostly(rng: random.Random, game: ReferenceGame, liked: list[int], chance: float) -> int:
    """One of the liked actions with that chance, if there are any; otherwise any legal action."""
    return rng.choice(liked if liked and rng.random() < chance else game.legal_actions())


def builder(rng: random.Random, game: ReferenceGame) -> int:
    """Seldom passes or declines: full sequences, empty hands."""
    return mostly(rng, game, [action for action in game.legal_actions() if action not in (PASS, DECLINE)], 0.9)


def passer(rng: random.Random, game: ReferenceGame) -> int:
    """Mostly passes: short sequences, full hands, cards put back, empty decks."""
    return mostly(rng, game, [action for action in game.legal_actions() if action == PASS], 0.65)


def responder(rng: random.Random, game: ReferenceGame) -> int:
    """Builds responses and keeps its Willpower in hand: games go on with empty decks."""
    liked = [action for action in game.legal_actions() if RESPOND <= action < CARD or action == DECLINE]
    return mostly(rng, game, liked, 0.75)


def schemer(rng: random.Random, game: ReferenceGame) -> int:
    """Builds cards for their effects, on either side of the card."""
    cards = game.players[game.to_play].cards
    liked = []
    for action in game.legal_actions():
        if ATTACK <= action < RESPOND and effect_of(cards[action - ATTACK]):
            liked.append(action)
        if RESPOND <= action < CARD and response_of(cards[action - RESPOND])[0] in TEXT_RESPONSES:
            liked.append(action)
    return mostly(rng, game, liked, 0.85)


TEMPERAMENTS = (uniform, builder, passer, responder, schemer)


def compare(
    game: Any,
    seed: int,
    files: tuple[Deck, Deck],
    rules: dict[str, Any],
    players: tuple[Temperament | Agent, Temperament | Agent] = (uniform, uniform),
    seen: Counter[Seen] | None = None,
) -> int:
    """Play one game and return the number of decisions. Raise AssertionError at the first difference.

    `files`: the decks of player 0 and player 1. `seen` counts what cards did.
    """
    opening = game.opening(seed)
    decks = [[int(card) for card in deck] for deck in opening["decks"]]
    hands = [[int(count) for count in hand] for hand in opening["hands"]]
    rng = random.Random(seed)
    state = game.new(seed=seed)
    model = ReferenceGame(files, rules, (decks[0], decks[1]), int(opening["first_player"]), (hands[0], hands[1]))

    def choose() -> int:
        player = players[model.to_play]
        if not hasattr(player, "act_states"):
            return player(rng, model)
        chance = np.random.default_rng(rng.getrandbits(32))
        action = int(player.act_states(np.array([state]), np.array([model.to_play]), chance)[0])
        if action not in model.legal_actions():
            raise AssertionError(f"{player.name} chose {action}, which the model does not allow")
        return action

    decisions = lockstep(
        game, state, model, seed, LOG_RING, choose, lambda *_: (0, 1), lambda player: knowledge(model, player)
    )
    if seen is not None:
        seen.update(model.played)
    return decisions


def knowledge(model: ReferenceGame, player: int) -> dict[str, list[int]]:
    """What that player knows, by the names of the pieces of the observation."""
    known = model.knowledge(player)
    del known["counts"]  # the status lines show them
    known["my_top"] = [number + 1 for number in known["my_top"]][:SHOWN_ON_TOP]
    return known


def all_that_cards_do(text: Deck) -> list[Seen]:
    """Everything that `compare` counts for a deck."""
    found = []
    for card in text["cards"]:
        what = ["attack", "response", "response effect"]
        if effect_of(card):
            what.append("effect")
        if response_of(card)[0] == "willpower":
            what.append("interrupt")
        found += [(text["id"], card["name"], does) for does in what]
    return found
