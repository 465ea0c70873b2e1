"""Any game as a game of OpenSpiel: information states with perfect recall, and chance as nodes of the tree where it can be listed.

    game = SpielGame(react_env.load("arts_of_war-v0", edition="small"))
    state = game.new_initial_state()
    while not state.is_terminal():
        state.apply_action(state.legal_actions()[0])

In a record all chance lies in its random stream, which a walk over a tree cannot see. With `chance="explicit"` the chance of Re;ACT is
taken out of there: who begins, the opening hands, and each card of a deck when it is drawn become chance nodes. The order of a deck is
settled from its top and only as far as it is drawn, and a hand is what it holds, in no order; so equal deals are one outcome, with their
common probability. With `chance="sampled"` the only chance node is the first: it draws the seed of a game.
"""

from __future__ import annotations

import hashlib
import math
import random
from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import product
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from react_env.engine.compile import COMPILED
from react_env.engine.game import Game
from react_env.engine.plain import plain
from react_env.errors import OptionError
from react_env.games.arts_of_war import ArtsOfWar
from react_env.games.arts_of_war.state import ACTIONS_CARDS
from react_env.games.arts_of_war.turn import OPENING_HAND, advance, deal

try:
    import pyspiel
except ImportError as error:
    raise ImportError(
        "react_env.envs.openspiel needs OpenSpiel: install the extra, pip install 'react_env[openspiel]'"
    ) from error

LONGEST = 10_000  # actions of a game that OpenSpiel is told to expect at most
BEGIN = -1  # in place of an action: the way from the deal to the first decision

Outcomes: TypeAlias = list[tuple[int, float]]
_advance: Callable[..., Any] = advance if COMPILED else plain(advance)


CHANCE, OVER = int(pyspiel.PlayerId.CHANCE), int(pyspiel.PlayerId.TERMINAL)


@dataclass(frozen=True)
class Node:
    """Where a state is in the tree. Nothing in it is ever changed, so states share it.

    Attributes:
        record: the record of the game; at a chance node that of before.
        mover: the player to move, or CHANCE, or OVER.
        events: how many public events there have been.
        seen: for each player the public events since the deal and, between them, what the player saw at each decision, and did.
        done: for each player the actions taken.
        dealt: how many of the chance nodes at the beginning lie behind.
        waiting: at a chance node the action, or BEGIN, that is to be done once chance has given what it needs.
        drawer: for whom the next card is to be settled then.
        settled: for each player how many cards on top of the deck are settled.
    """

    record: Any
    mover: int
    events: int
    seen: tuple[bytes, ...]
    done: tuple[tuple[int, ...], ...]
    dealt: int = 0
    waiting: int = BEGIN
    drawer: int = 0
    settled: tuple[int, ...] = (0, 0)

    def __deepcopy__(self, memo: Any) -> Node:
        return self


class SpielGame(pyspiel.Game):
    """A game of ours, seen by OpenSpiel's algorithms.

    Observation tensors are the numbers of `Game.observe` as they are; information state strings are as in `SpielState`.

    Args:
        game: the rules.
        chance: "explicit" or "sampled", as the module says; None takes "explicit" where it can be had: for Re;ACT with one pairing of
            artists without dice.
        seed: of what the chance node of "sampled" draws, one seed after the other.

    Raises:
        OptionError: `chance` is neither, or not to be had for this game.
    """

    def __init__(self, game: Game, chance: Literal["explicit", "sampled"] | None = None, seed: int = 0) -> None:
        hindrance = _hindrance(game)
        if chance not in (None, "explicit", "sampled"):
            raise OptionError(f"chance must be 'explicit' or 'sampled', not {chance!r}")
        if chance == "explicit" and hindrance:
            raise OptionError(f"chance='explicit' is not possible here: {hindrance}; use chance='sampled'")
        self.rules = game
        self.chance: _Deal | _Seeds
        if isinstance(game, ArtsOfWar) and not hindrance and chance != "sampled":
            self.chance = _Deal(game)
        else:
            self.chance = _Seeds(game, seed)
        modes = pyspiel.GameType.ChanceMode
        kind = pyspiel.GameType(
            short_name=game.id.replace("-", "_"),
            long_name=game.id,
            dynamics=pyspiel.GameType.Dynamics.SEQUENTIAL,
            chance_mode=modes.EXPLICIT_STOCHASTIC if isinstance(self.chance, _Deal) else modes.SAMPLED_STOCHASTIC,
            information=pyspiel.GameType.Information.IMPERFECT_INFORMATION,
            utility=pyspiel.GameType.Utility.ZERO_SUM,
            reward_model=pyspiel.GameType.RewardModel.TERMINAL,
            max_num_players=game.num_players,
            min_num_players=game.num_players,
            provides_information_state_string=True,
            provides_information_state_tensor=False,
            provides_observation_string=True,
            provides_observation_tensor=True,
        )
        facts = pyspiel.GameInfo(
            num_distinct_actions=game.num_actions,
            max_chance_outcomes=self.chance.most,
            num_players=game.num_players,
            min_utility=-1.0,
            max_utility=1.0,
            utility_sum=0.0,
            max_game_length=LONGEST,
        )
        super().__init__(kind, facts, {})

    def new_initial_state(self) -> SpielState:
        """The root of the tree."""
        return SpielState(self)

    def state_of(self, record: np.record) -> SpielState:
        """The state at a decision of a game that was begun elsewhere; nothing is known of how it came to it."""
        return SpielState(self, _decision(self.rules, record, _root(self.rules)))

    def make_py_observer(self, iig_obs_type: Any = None, params: Any = None) -> SpielObserver:
        """What OpenSpiel asks for strings and tensors."""
        if params:
            raise OptionError(f"observers of this game have no parameters: {params}")
        return SpielObserver(self.rules, iig_obs_type is not None and iig_obs_type.perfect_recall)


class SpielState(pyspiel.State):
    """A state of `SpielGame`.

    `information_state_string(player)` names the player's actions so far, and then, as a hash, all that the player knows: the public
    events in their order, the own observation at each own decision, and the present one. Two states that a player cannot tell apart have
    the same string; two that the player could tell apart, though by memory only, do not.

    Attributes:
        node: where the state is.
    """

    def __init__(self, game: SpielGame, node: Node | None = None) -> None:
        super().__init__(game)
        self.node = game.chance.root if node is None else node

    @property
    def record(self) -> np.record:
        """The record of the game, not to be changed."""
        found: np.record = self.node.record
        return found

    def current_player(self) -> int:
        return self.node.mover

    def is_terminal(self) -> bool:
        return self.node.mover == OVER

    def returns(self) -> list[float]:
        """1 for who has won, -1 for who has lost; 0 for a tie, a game that was cut short, and one that goes on."""
        return [float(value) for value in self.record["reward"]] if self.is_terminal() else [0.0] * self.num_players()

    def chance_outcomes(self) -> Outcomes:
        """(outcome, probability) of each outcome of a chance node."""
        found: Outcomes = self.get_game().chance.outcomes(self.node)
        return found

    def _legal_actions(self, player: int) -> list[int]:
        found: list[int] = self.get_game().rules.legal_actions(self.record).tolist()
        return found

    def _apply_action(self, action: int) -> None:
        chance = self.get_game().chance
        self.node = chance.settle(self.node, action) if self.node.mover == CHANCE else chance.act(self.node, action)

    def _action_to_string(self, player: int, action: int) -> str:
        game = self.get_game()
        return str(
            game.chance.outcome_text(self.node, action) if player < 0 else game.rules.action_text(self.record, action)
        )

    def resample_from_infostate(self, player: int, sampler: Callable[[], float]) -> SpielState:
        """A state at this decision that the player cannot tell from the true one; `sampler` gives numbers in 0..1 (`Game.determinize`)."""
        game = self.get_game()
        other = game.rules.determinize(self.record, player, int(sampler() * 2**53))
        return SpielState(game, replace(self.node, record=other, settled=(0, 0)))

    def __str__(self) -> str:
        if self.node.mover == CHANCE:
            return "chance"
        return str(self.get_game().rules.text(self.record))


class SpielObserver:
    """Observations of a `SpielState`: `tensor` float32 (O,) and strings.

    Args:
        rules: the game.
        perfect_recall: strings are information states, and not only what is to be seen now.
    """

    def __init__(self, rules: Game, perfect_recall: bool) -> None:
        self._rules = rules
        self._recalls = perfect_recall
        self.tensor: NDArray[np.float32] = np.zeros(rules.observation_shape, np.float32)
        self.dict = {name: self.tensor[where].reshape(shape) for name, (where, shape, _) in rules.layout.pieces.items()}

    def set_from(self, state: SpielState, player: int) -> None:
        """Write what the player sees into `tensor`."""
        self.tensor[:] = 0 if state.is_chance_node() else self._rules.observe(state.record, player)

    def string_from(self, state: SpielState, player: int) -> str:
        """What the player sees or, with perfect recall, knows."""
        node = state.node
        if node.mover == CHANCE:
            return f"player_{player}: chance"
        now = self._rules.observe(node.record, player).tobytes()
        if not self._recalls:
            return f"player_{player} {_digest(now)}"
        done = ", ".join(self._rules.action_names[action] for action in node.done[player])
        return f"player_{player}: {done} {_digest(node.seen[player] + now)}"


class _Seeds:
    """Chance as one node at the root, which draws the seed of the whole game."""

    most = 1

    def __init__(self, game: Game, seed: int) -> None:
        self._game = game
        self._seeds = random.Random(seed)
        self.root = _root(game)

    def outcomes(self, node: Node) -> Outcomes:
        return [(0, 1.0)]

    def settle(self, node: Node, outcome: int) -> Node:
        return _decision(self._game, self._game.new(self._seeds.getrandbits(63)), node)

    def act(self, node: Node, action: int) -> Node:
        record = self._game.copy(node.record)
        self._game.step(record, action)
        return _decision(self._game, record, node, action)

    def outcome_text(self, node: Node, outcome: int) -> str:
        return "a new game"


class _Deal:
    """Chance of Re;ACT as nodes: who begins, each opening hand, and each card when it is drawn.

    An action is tried on a copy. If it draws a card that is not settled, it waits, and a chance node settles the next card of that deck.
    """

    def __init__(self, game: ArtsOfWar) -> None:
        self._game = game
        self._table = game.tables[0]
        self._cards = [[card.name for card in artist.actions] for artist in game.rules.view.pairings[0]]  # type: ignore[attr-defined]
        record = np.zeros(1, game.state_dtype)[0]
        deal(record, self._table)
        record["rng"] = 0
        self._copies = self._table["card_copies"][:, :ACTIONS_CARDS]
        # (player, opening hands, their probabilities) of each chance node of the deal; player None: who begins.
        self._steps: list[tuple[int | None, list[tuple[int, ...]], list[float]]] = []
        if self._table["first_player"] < 0:
            self._steps.append((None, [(0,), (1,)], [0.5, 0.5]))
        for player in range(game.num_players):
            copies = self._copies[player]
            if not self._table["has_deck"][player]:
                continue
            if self._table["first_game_hand"]:
                copies = copies - 1
            else:
                record["hand"][player] = 0
                self._steps.append((player, *_hands(copies.tolist(), OPENING_HAND)))
            _lay(record, player, copies)
        self.root = replace(_root(game), record=record)
        self.most = max(ACTIONS_CARDS, *(len(choices) for _, choices, _ in self._steps), 0)
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
                hand = np.array(choices[outcome])
                record["hand"][player] = hand
                _lay(record, player, self._copies[player] - hand)
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
        """The node after an action, or the same with the action waiting for a card that it draws."""
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
        return _decision(self._game, record, node, action, left)


def _hindrance(game: Game) -> str:
    """Why the chance of a game cannot be made explicit, or nothing."""
    if not isinstance(game, ArtsOfWar):
        return f"only for arts_of_war-v0, not for {game.id}"
    if len(game.pairings) > 1:
        return "each game draws its pairing; name two artists"
    for artist in game.rules.view.pairings[0]:  # type: ignore[attr-defined]
        if any(counter.dice for counter in artist.counters.values()):
            return f"the {artist.name} rolls dice"
    return ""


def _hands(copies: list[int], size: int) -> tuple[list[tuple[int, ...]], list[float]]:
    """All hands of `size` cards of a deck, as counts, and their probabilities (multivariate hypergeometric)."""
    hands = [hand for hand in product(*(range(min(n, size) + 1) for n in copies)) if sum(hand) == size]
    ways = [math.prod(math.comb(n, k) for n, k in zip(copies, hand)) for hand in hands]
    return hands, [n / math.comb(sum(copies), size) for n in ways]


def _lay(record: Any, player: int, copies: NDArray[Any]) -> None:
    """Make the player's deck of these cards, sorted."""
    cards = np.repeat(np.arange(len(copies)), copies)
    record["deck"][player] = 0
    record["deck"][player, : len(cards)] = cards
    record["deck_size"][player] = len(cards)


def _root(game: Game) -> Node:
    """The node before anything has happened."""
    players = range(game.num_players)
    return Node(np.zeros(1, game.state_dtype)[0], CHANCE, 0, tuple(b"" for _ in players), tuple(() for _ in players))


def _decision(game: Game, record: Any, before: Node, action: int = BEGIN, settled: tuple[int, ...] = (0, 0)) -> Node:
    """The node of a record at a decision or the end, which `action` has led to from the node `before`."""
    seen, done = list(before.seen), list(before.done)
    if action != BEGIN:
        mover = int(before.record["to_play"])
        view = game.observe(before.record, mover).tobytes()
        seen[mover] += b"\xff" + hashlib.blake2b(view, digest_size=8).digest() + action.to_bytes(2)
        done[mover] += (action,)
    # Without a mark of where a step ended: how many steps another player took is nobody's business.
    events, news = before.events, b""
    if "events" in record.dtype.names:
        ring, events = record["event"], int(record["events"])
        first, last = max(before.events, events - len(ring)) % len(ring), events % len(ring)
        parts = [ring[first:last]] if first < last or events == before.events else [ring[first:], ring[:last]]
        news = b"".join([part.tobytes() for part in parts])
    mover = OVER if record["over"] else int(record["to_play"])
    return Node(record, mover, events, tuple([s + news for s in seen]), tuple(done), before.dealt, BEGIN, 0, settled)


def _digest(data: bytes) -> str:
    return hashlib.blake2b(data, digest_size=16).hexdigest()
