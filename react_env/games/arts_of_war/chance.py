"""The chance of Re;ACT as nodes of a tree, for `react_env.envs.openspiel`."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from react_env.engine.compile import COMPILED
from react_env.engine.plain import plain
from react_env.envs.openspiel import BEGIN, CHANCE, Node, Outcomes, decision, root_of
from react_env.games.arts_of_war.cards.operations import words_in
from react_env.games.arts_of_war.cards.schema import Artist
from react_env.games.arts_of_war.game import ArtsOfWar
from react_env.games.arts_of_war.state import ACTIONS_CARDS
from react_env.games.arts_of_war.turn import OPENING_HAND, advance, deal

_advance: Any = advance if COMPILED else plain(advance)


def hindrance(game: ArtsOfWar) -> str:
    """Why the chance of a game cannot be made explicit, or "" if it can."""
    if len(game.pairings) > 1:
        return "each game draws its pairing; name two artists"
    artists = game.rules.view.pairings[0]  # type: ignore[attr-defined]
    for player, artist in enumerate(artists):
        if any(counter.dice for counter in artist.counters.values()):
            return f"the {artist.name} rolls dice"
        if game.tables[0]["first_game_hand"] and _may_draw_before(artists, player):
            return f"the {artist.name} can draw cards in the set-up, from below an opening hand of one of each card"
    return ""


def _may_draw_before(artists: tuple[Artist, Artist], player: int) -> bool:
    """Whether the player may draw cards before the opening hands are dealt: in their set-up, or by triggers that either set-up sets off."""
    if not any(passive.when == "setup" for artist in artists for passive in artist.passives):
        return False
    mine = artists[player]
    programs = [passive.do for passive in mine.passives if passive.when == "setup"]
    programs += [it.parts for it in mine.triggered() if it.set_off_by] + [it.parts for it in mine.ascending()]
    return any("draw" in words_in(parts) for parts in programs)


def _hands(copies: list[int], size: int) -> tuple[list[tuple[int, ...]], list[float]]:
    """All hands of `size` cards of a deck, as counts, and their probabilities (multivariate hypergeometric)."""
    hands = [hand for hand in product(*(range(min(n, size) + 1) for n in copies)) if sum(hand) == size]
    ways = [math.prod(math.comb(n, k) for n, k in zip(copies, hand)) for hand in hands]
    return hands, [n / math.comb(sum(copies), size) for n in ways]


def _lay(record: Any, player: int, copies: NDArray[Any], hand: NDArray[Any]) -> None:
    """Make the player's deck of these cards, sorted, with the opening hand on top, to be dealt after the set-up choices."""
    kinds = np.arange(len(copies))
    cards = np.concatenate([np.repeat(kinds, copies - hand), np.repeat(kinds, hand)])
    record["deck"][player] = 0
    record["deck"][player, : len(cards)] = cards
    record["deck_size"][player] = len(cards)


class Cards:
    """Chance of Re;ACT as nodes: who begins, each opening hand, and each card when it is drawn.

    An opening hand lies settled on top of its deck until the set-up choices have been made. A player who may draw before that gets each
    card of the hand by a chance node of its own. An action is tried on a copy. If it draws a card that is not settled, it waits, and a
    chance node settles the next card of that deck.
    """

    def __init__(self, game: ArtsOfWar) -> None:
        self._game = game
        self._table = game.tables[0]
        artists = game.rules.view.pairings[0]  # type: ignore[attr-defined]
        self._cards = [[card.name for card in artist.actions] for artist in artists]
        record = np.zeros(1, game.state_dtype)[0]
        deal(record, self._table)
        record["rng"] = 0
        settled = [0] * game.num_players
        self._copies = self._table["card_copies"][:, :ACTIONS_CARDS]
        # (player, opening hands, their probabilities) of each chance node of the deal; player None: who begins.
        self._steps: list[tuple[int | None, list[tuple[int, ...]], list[float]]] = []
        if self._table["first_player"] < 0:
            self._steps.append((None, [(0,), (1,)], [0.5, 0.5]))
        for player in range(game.num_players):
            copies = self._copies[player]
            if not self._table["has_deck"][player]:
                continue
            if _may_draw_before(artists, player):
                _lay(record, player, copies, np.zeros(ACTIONS_CARDS, np.int64))
                continue
            settled[player] = OPENING_HAND
            if self._table["first_game_hand"]:
                _lay(record, player, copies, np.ones(ACTIONS_CARDS, np.int64))
            else:
                self._steps.append((player, *_hands(copies.tolist(), OPENING_HAND)))
        self.root = replace(root_of(game), record=record, settled=tuple(settled))
        self.most = max(ACTIONS_CARDS, *(len(choices) for _, choices, _ in self._steps), 0)
        self.nodes = len(self._steps) + int(self._copies.sum())  # no card comes back into a deck
        if not self._steps:
            self.root = self._go_on(self.root, BEGIN)

    def outcomes(self, node: Node) -> Outcomes:
        if node.dealt < len(self._steps):
            return list(enumerate(self._steps[node.dealt][2]))
        unsettled = self._unsettled(node)
        counts = np.bincount(unsettled)
        return [(int(card), float(counts[card]) / len(unsettled)) for card in np.flatnonzero(counts)]

    def settle(self, node: Node, outcome: int) -> Node:
        record = self._game.copy(node.record)
        if node.dealt < len(self._steps):
            player, choices, _ = self._steps[node.dealt]
            if player is None:
                record["first"] = record["turn_player"] = record["to_play"] = outcome
            else:
                _lay(record, player, self._copies[player], np.array(choices[outcome]))
            node = replace(node, record=record, dealt=node.dealt + 1)
            return node if node.dealt < len(self._steps) else self._go_on(node, BEGIN)
        player = node.drawer
        unsettled = self._unsettled(node).tolist()
        unsettled.remove(outcome)
        record["deck"][player, : len(unsettled) + 1] = [*unsettled, outcome]
        settled = tuple(n + (p == player) for p, n in enumerate(node.settled))
        return self._go_on(replace(node, record=record, settled=settled), node.waiting)

    def act(self, node: Node, action: int) -> Node:
        return self._go_on(node, action)

    def question(self, node: Node) -> str:
        if node.dealt == len(self._steps):
            return f"what player_{node.drawer} draws"
        player = self._steps[node.dealt][0]
        return "who begins" if player is None else f"the opening hand of player_{player}"

    def outcome_text(self, node: Node, outcome: int) -> str:
        if node.dealt == len(self._steps):
            return f"player_{node.drawer} draws {self._cards[node.drawer][outcome]}"
        player, choices, _ = self._steps[node.dealt]
        if player is None:
            return f"player_{outcome} begins"
        held = [f"{n} {name}" for n, name in zip(choices[outcome], self._cards[player]) if n]
        return f"player_{player} is dealt {', '.join(held)}"

    def _unsettled(self, node: Node) -> NDArray[np.int8]:
        """The cards of the drawer's deck whose order is still open, sorted."""
        deck: NDArray[np.int8] = node.record["deck"][node.drawer]
        return deck[: int(node.record["deck_size"][node.drawer]) - node.settled[node.drawer]]

    def _go_on(self, node: Node, action: int) -> Node:
        """The node after an action, or the same node with the action waiting for a card that it draws."""
        record = self._game.copy(node.record)
        if action == BEGIN:
            _advance(record, self._table, np.empty(self._game.num_actions, np.bool_))
        else:
            self._game.step(record, action)
        drawn = (node.record["deck_size"] - record["deck_size"]).tolist()
        for player, (used, settled) in enumerate(zip(drawn, node.settled)):
            if used > settled:
                return replace(node, mover=CHANCE, waiting=action, drawer=player)
        left = tuple(settled - used for used, settled in zip(drawn, node.settled))
        return decision(self._game, record, node, action, left)
