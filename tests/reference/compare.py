"""Play a game with the Re;ACT engine and the reference model in lockstep, and compare everything they show."""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any

from tests.reference.arts_of_war import CHAIN_LIMIT, DECLINE, END_TURN, PASS, NoRoll, Player, ReferenceGame
from tests.reference.common import LOG_RING, Chooser, open_differences, report, seen_differences, texts_are_due, uniform

ROLL = re.compile(r"player_[01] rolls (\d+): ")

Text = dict[str, Any]  # an artist file
Effect = tuple[str, str, str]  # artist, card ("" for what triggers), name of the side with the number of the effect


def eager(rng: random.Random) -> Chooser:
    """Seldom ends a turn, passes or declines: long chains, crowded boards."""

    def choose(legal: list[int]) -> int:
        active = [action for action in legal if action not in (END_TURN, PASS, DECLINE)]
        return rng.choice(active if active and rng.random() < 0.9 else legal)

    return choose


def patient(rng: random.Random) -> Chooser:
    """Mostly ends turns and passes: long games, full hands, masterpieces in each other's way, empty decks."""

    def choose(legal: list[int]) -> int:
        idle = [action for action in legal if action in (END_TURN, PASS)]
        return idle[0] if idle and rng.random() < 0.7 else rng.choice(legal)

    return choose


CHOOSERS = (uniform, eager, patient)


def compare(
    game: Any,
    seed: int,
    artists: tuple[Text, Text] | Mapping[str, Text],
    rules: dict[str, Any],
    chooser: Chooser,
    played: Counter[Effect] | None = None,
    dealt: Callable[[Any, int], dict[str, Any]] | None = None,
) -> int:
    """Play one game and return the number of decisions. Raise AssertionError at the first difference.

    `artists`: the two files, or all files by the id of the artist if the game draws a pairing from the seed. `played` counts what
    is played and triggered; `dealt` gives the deal if `game.opening` cannot. The engine moves first, and the model takes its die
    rolls from the engine's log. If the log has lost some of them, the comparison stops there.
    """
    opening = (dealt or type(game).opening)(game, seed)
    decks = [[int(card) for card in deck] for deck in opening["decks"]]
    hands = [[int(count) for count in hand] for hand in opening["hands"]]
    state = game.new(seed=seed)
    if isinstance(artists, Mapping):
        mine, theirs = game.pairing(state)
        artists = artists[mine], artists[theirs]
    with_dice = any("dice" in counter for text in artists for counter in (text.get("counters") or {}).values())
    actions: list[int] = []
    events = lines = 0
    model: ReferenceGame | None = None
    while True:
        count = game.event_count(state)
        shown = game.log_lines(state, events) if count > events else []
        forgotten = count - events > LOG_RING
        if forgotten and with_dice:
            return len(actions)
        rolls = [int(roll[1]) for line in shown if (roll := ROLL.match(line))]
        try:
            if model is None:
                first = int(opening["first_player"])
                model = ReferenceGame(artists, rules, (decks[0], decks[1]), first, (hands[0], hands[1]), rolls)
            else:
                model.rolls.extend(rolls)
                model.step(actions[-1])
        except NoRoll as error:
            raise AssertionError(
                f"seed {seed}, after {len(actions)} actions: {actions}: {error}\n" + "\n".join(shown)
            ) from None
        logged = model.log[lines:]
        if forgotten:
            shown = shown[events > 0 :]  # drop the line that says so
            logged = logged[len(logged) - len(shown) :]
        differences = find_differences(game, state, model, shown, logged, texts_are_due(len(actions), seed))
        if differences:
            raise AssertionError(report(game, state, model, seed, actions, differences))
        if model.over:
            if played is not None:
                played.update(model.played)
            return len(actions)
        events, lines = count, len(model.log)
        actions.append(chooser(model.legal_actions()))
        game.step(state, actions[-1])


def effects_of(text: Text) -> list[Effect]:
    """Everything that `compare` counts for an artist: the effects of all cards and sides, and what can trigger."""
    found = []
    for card in [*(text.get("actions") or []), *text["abilities"]]:
        side = card
        while side is not None:
            found += [
                (text["id"], card["id"], f"{side['name']} [{i + 1}]") for i in range(len(side.get("effects") or []))
            ]
            side = side.get("ascended")
            if side is not None and side["mode"] != "until_used" and side.get("do"):
                found.append((text["id"], "", side["name"]))
    found += [(text["id"], "", passive["name"]) for passive in text.get("passives") or []]
    found += [(text["id"], "", token["name"]) for token in (text.get("tokens") or {}).values() if token.get("at")]
    found += [(text["id"], "", tile["name"]) for tile in (text.get("tiles") or {}).values()]
    return list(dict.fromkeys(found))


def find_differences(
    game: Any, state: Any, model: ReferenceGame, shown: list[str], logged: list[str], texts: bool = True
) -> list[str]:
    """The differences between the two at this decision, in words; see `open_differences`."""
    found = []
    if model.rolls:
        found.append(f"rolls that the model did not need: {model.rolls}")
    found += open_differences(game, state, model, shown, logged, texts)
    for player in (0, 1):
        found += seen_differences(game, state, player, knowledge(model, player))
    return found


def knowledge(model: ReferenceGame, player: int) -> dict[str, list[int]]:
    """What that player knows, by the names of the pieces of the observation."""
    me, them = model.players[player], model.players[1 - player]
    return {
        "players": [*public_numbers(model, me), *public_numbers(model, them)],
        "hand": me.hand,
        "my_deck": [me.deck.count(card) for card in range(len(me.actions))],
        "my_discard": me.discard,
        "their_hidden": [
            them.hand[card.number] + them.deck.count(card.number) + model.face_down_of(them.number).count(card)
            for card in them.actions
        ],
        "their_discard": them.discard,
        "face_down": [
            number for slot in range(1, CHAIN_LIMIT + 1) for number in face_down_numbers(model, slot, player)
        ],
    }


def face_down_numbers(model: ReferenceGame, slot: int, player: int) -> list[int]:
    """A slot of the chain: whether a card of mine lies there face down, whether one of theirs does, which of my four it is."""
    card = model.face_down.get(slot)
    if card is None or card.player != player:
        return [0, int(card is not None), 0, 0, 0, 0]
    return [1, 0, *(int(card.number == number) for number in range(4))]


def public_numbers(model: ReferenceGame, side: Player) -> list[int]:
    """Damage, ascended, cards in hand and deck, unplaced masterpiece cards, tokens left (3), form, counters (3), dice (4)."""

    def padded(numbers: list[int], size: int) -> list[int]:
        return numbers + [0] * (size - len(numbers))

    return [
        side.damage,
        int(side.ascended),
        sum(side.hand),
        len(side.deck),
        len(side.unplaced),
        *padded([side.token_pool[kind] for kind in side.tokens], 3),
        int(side.second_form),
        *padded([side.count(kind) for kind in side.counters], 3),
        *padded([shown for dice in side.dice.values() for shown in dice], 4),
    ]
