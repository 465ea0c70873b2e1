"""Any game as a game of OpenSpiel: information states with perfect recall, and all chance as nodes of the tree.

    import react_env.envs.openspiel  # makes the games known

    game = pyspiel.load_game("react_env_arts_of_war(artists=calligrapher dancer,max_turns=30)")
    game = SpielGame(react_env.load("arts_of_war-v0", artists=("calligrapher", "dancer"), max_turns=30))  # the same
    state = game.new_initial_state()
    while not state.is_terminal():
        state.apply_action(state.legal_actions()[0])

All chance of a record lies in its random stream, which a walk over a tree cannot see. With `chance="cards"`, if the game has it, chance is
listed in nodes: who begins, the opening hands, and each card when it is drawn. The order of a deck is settled from the top, only as far as
cards are drawn, and a hand has no order. So equal deals are one outcome, with their total probability. With `chance="seed"`, which every
game has, the game begins with eight chance nodes: the bytes of the first state of its random stream, which determines the rest. In both
forms a history holds everything that happened and nothing is drawn in secret, so games and states can be copied, serialized, pickled and
replayed.

Options are parameters of the same names. Separate several words, as in `artists`, by spaces. Within a word, percent signs encode what a
game string cannot hold (`urllib.parse.quote`). If an option takes a number or one word, such as `first_player`, -1 stands for the word.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cache, cached_property
from inspect import Parameter, signature
from typing import Any, Literal, TypeAlias, get_args, get_origin
from urllib.parse import quote, unquote

import numpy as np
from numpy.typing import NDArray

import react_env
from react_env.engine.game import Game, a_game
from react_env.envs.aec import describer
from react_env.errors import IllegalAction, OptionError, StateError, UnsupportedOption
from react_env.extras import need
from react_env.registry import describe, described, descriptions

with need("openspiel", "pyspiel"):
    import pyspiel

LONGEST = 10_000  # the default of `max_game_length`: decisions after which a game is cut short
BEGIN = -1  # stands for an action: from the deal to the first decision
SEED_BYTES = 8

Outcomes: TypeAlias = list[tuple[int, float]]


CHANCE, OVER = int(pyspiel.PlayerId.CHANCE), int(pyspiel.PlayerId.TERMINAL)


@dataclass(frozen=True)
class Node:
    """The place of a state in the tree. Nothing in it ever changes, so states share it.

    Attributes:
        rules_hash: that of the game.
        record: the record of the game; at a chance node the record before it.
        mover: the player to move, or CHANCE, or OVER.
        events: how many public events there have been.
        seen: for each player, the public events since the deal and, between them, what the player saw and did at each decision.
        done: for each player, the actions taken.
        dealt: how many of the chance nodes at the beginning have been passed.
        waiting: at a chance node, the action, or BEGIN, to take once chance has given what it needs.
        drawer: the player whose next card is settled there.
        settled: for each player, how many cards on top of the deck are settled.
    """

    rules_hash: str
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
    """One of our games for OpenSpiel's algorithms. It never changes, so a copy of it is the game itself.

    Observation tensors hold the numbers of `Game.observe`, not scaled; for information state strings see `SpielState`.

    Args:
        game: the rules.
        chance: "cards" or "seed", as described above; None takes "cards" if the game has it
            (`react_env.registry.Description.chance`).
        max_game_length: decisions of both players after which a game ends with 0 for both. OpenSpiel needs such a number, and the rules
            give none, because a turn may have any number of chains.

    Attributes:
        rules: the game.
        chance: the chance nodes.

    Raises:
        OptionError: an unknown `chance`, or one that this game does not have; a length below 1.
    """

    def __init__(
        self, game: Game, chance: Literal["cards", "seed"] | None = None, max_game_length: int = LONGEST
    ) -> None:
        explicit = described(a_game(game).id).part("chance")
        hindrance = explicit.hindrance(game) if explicit else f"the chance of {game.id} has not been made explicit"
        if chance not in (None, "cards", "seed"):
            raise OptionError(f"chance must be 'cards' or 'seed', not {chance!r}")
        if chance == "cards" and hindrance:
            raise OptionError(f"chance='cards' is not possible here: {hindrance}; use chance='seed'")
        if not 1 <= max_game_length < 2**31:
            raise OptionError(f"max_game_length must be from 1 to {2**31 - 1}, not {max_game_length}")
        self.rules = game
        self.chance: Any = explicit.Cards(game) if explicit and not hindrance and chance != "seed" else _Seed(game)
        facts = pyspiel.GameInfo(
            num_distinct_actions=game.num_actions,
            max_chance_outcomes=self.chance.most,
            num_players=game.num_players,
            min_utility=-1.0,
            max_utility=1.0,
            utility_sum=0.0,
            max_game_length=max_game_length,
        )
        given = {"chance": chance or "", "max_game_length": max_game_length}
        super().__init__(_kind(game.id), facts, _to_parameters(game.id, dict(game.options)) | _changed(given))

    def __reduce__(self) -> Any:
        return _load_string, (str(self),)

    def __copy__(self) -> SpielGame:
        return self

    def __deepcopy__(self, memo: Any) -> SpielGame:
        return self

    @cached_property
    def describe(self) -> Any:
        """The `ActionFeatures` of the game."""
        return describer(self.rules)

    @property
    def lists_chance(self) -> bool:
        """Whether all outcomes of chance can be listed, as with `chance="cards"`; seeds are far too many."""
        return not isinstance(self.chance, _Seed)

    def information_state_tensor_shape(self) -> list[int]:
        """Raises UnsupportedOption. OpenSpiel's own answer, an empty shape, would let a network learn from nothing."""
        raise UnsupportedOption(
            f"{self.rules.id} has no information state tensor, because what a player has seen so far has no fixed size; "
            "use information_state_string, or observation_tensor for the present view"
        )

    information_state_tensor_size = information_state_tensor_layout = information_state_tensor_shape

    def max_chance_nodes_in_history(self) -> int:
        """The most chance nodes that a history can have."""
        return int(self.chance.nodes)

    def new_initial_state(self) -> SpielState:
        """The state at the root of the tree."""
        return SpielState(self)

    def state_of(self, record: np.record) -> SpielState:
        """The state at a decision of a game that began elsewhere. It knows nothing of what happened before."""
        return SpielState(self, decision(self.rules, record, root_of(self.rules)))

    def make_py_observer(self, iig_obs_type: Any = None, params: Any = None) -> SpielObserver | None:
        """The object that OpenSpiel asks for strings and tensors. None, as in `open_spiel.python.observation`, if the wanted kind is not
        offered: only public or only private information."""
        if params:
            raise OptionError(f"observers of this game have no parameters: {params}")
        if iig_obs_type is None:
            return SpielObserver(self.rules, False)
        whole = iig_obs_type.public_info and iig_obs_type.private_info == pyspiel.PrivateInfoType.SINGLE_PLAYER
        return SpielObserver(self.rules, iig_obs_type.perfect_recall) if whole else None


class SpielState(pyspiel.State):
    """A state of `SpielGame`.

    `information_state_string(player)` names the player's actions so far, followed by a hash of all that the player knows: the public
    events in their order, the player's observation at each of its decisions, and the present one. Two states have the same string if the
    player cannot tell them apart. If the player could, even if only from memory, their strings differ.

    A serialized or pickled state can be read only under exactly the same rules; otherwise StateError is raised.
    """

    def __init__(self, game: SpielGame, node: Node | None = None) -> None:
        super().__init__(game)
        self.node = game.chance.root if node is None else node

    def __copy__(self) -> SpielState:
        return self.clone()

    def __deepcopy__(self, memo: Any) -> SpielState:
        return self.__copy__()

    @property
    def node(self) -> Node:
        """The place of the state in the tree."""
        found: Node = self.__dict__["node"]  # OpenSpiel serializes and clones this attribute
        return found

    @node.setter
    def node(self, node: Node) -> None:
        rules = self.get_game().rules
        if node.rules_hash != rules.rules_hash:
            raise StateError(f"{rules.id}: a state from other rules ({node.rules_hash}, here {rules.rules_hash})")
        self.__dict__["node"] = node

    @property
    def record(self) -> np.record:
        """The record of the game; do not change it."""
        return self.node.record

    def current_player(self) -> int:
        return self.node.mover

    def is_terminal(self) -> bool:
        return self.node.mover == OVER

    def returns(self) -> list[float]:
        """1 for the winner, -1 shared by the losers; 0 for all in a tie, in a game that was cut short, and in one that goes on."""
        if not self.is_terminal():
            return [0.0] * self.num_players()
        # A float32 third is not exact enough: OpenSpiel checks that the sum is 0 to nine digits.
        rewards, losers = self.record["reward"].astype(np.float64), self.num_players() - 1
        exact = np.rint(rewards * losers) / losers
        return np.where(np.isclose(exact, rewards), exact, rewards).tolist()

    def chance_outcomes(self) -> Outcomes:
        """(outcome, probability) of each outcome of a chance node."""
        return self.get_game().chance.outcomes(self.node)

    def _legal_actions(self, player: int) -> list[int]:
        return self.get_game().rules.legal_actions(self.record).tolist()

    def _apply_action(self, action: int) -> None:
        game = self.get_game()
        before = self.node
        if before.mover == CHANCE and action not in {outcome for outcome, _ in game.chance.outcomes(before)}:
            raise IllegalAction(f"{action} is not an outcome of this chance node")
        node = game.chance.settle(before, action) if before.mover == CHANCE else game.chance.act(before, action)
        if node.mover >= 0 and sum(map(len, node.done)) >= game.max_game_length():
            node = replace(node, mover=OVER)
        self.node = node

    def _action_to_string(self, player: int, action: int) -> str:
        game = self.get_game()
        return str(
            game.chance.outcome_text(self.node, action) if player < 0 else game.rules.action_text(self.record, action)
        )

    def information_state_tensor(self, player: int = 0) -> list[float]:
        """Not offered; see `SpielGame.information_state_tensor_shape`."""
        return self.get_game().information_state_tensor_shape()

    def resample_from_infostate(self, player: int, sampler: Callable[[], float]) -> SpielState:
        """A state at this decision that the player cannot tell from the true one (`Game.determinize`); `sampler` gives numbers in 0..1."""
        game = self.get_game()
        other = game.rules.determinize(self.record, player, int(sampler() * 2**53))
        return SpielState(game, replace(self.node, record=other))

    def action_features(self, seed: int = 0) -> NDArray[np.float32]:
        """(A, F) float32: what each legal action of the player to move leads to (`react_env.agents.ActionFeatures`, whose names are in
        `get_game().describe.names`). `seed` determines the guess of what the player cannot know. All 0 at a chance node and at the end."""
        describe, mover = self.get_game().describe, self.node.mover
        if mover < 0:
            return describe.none()
        mask = self.get_game().rules.action_mask(self.record)
        record = np.atleast_1d(np.asarray(self.record))
        return describe(record, np.array([mover]), mask[None], np.random.default_rng(seed))[0]

    def __str__(self) -> str:
        if self.node.mover == CHANCE:
            return f"chance: {self.get_game().chance.question(self.node)}"
        return str(self.get_game().rules.text(self.record))


class SpielObserver:
    """Observations of a `SpielState`: strings, and a tensor of what a player sees now.

    Args:
        rules: the game.
        perfect_recall: strings are information states, and there is no tensor.

    Attributes:
        tensor: float32 (O,), or None.
        dict: its pieces by name.
    """

    def __init__(self, rules: Game, perfect_recall: bool) -> None:
        self._rules = rules
        self._recalls = perfect_recall
        self.tensor: NDArray[np.float32] | None = None
        self.dict: dict[str, NDArray[np.float32]] = {}
        if not perfect_recall:
            self.tensor = tensor = np.zeros(rules.observation_shape, np.float32)
            self.dict = {name: tensor[where].reshape(shape) for name, (where, shape, _) in rules.layout.pieces.items()}

    def set_from(self, state: SpielState, player: int) -> None:
        """Write what the player sees into `tensor`."""
        if self.tensor is not None:
            self.tensor[:] = 0 if state.is_chance_node() else self._rules.observe(state.record, player)

    def string_from(self, state: SpielState, player: int) -> str:
        """What the player sees or, with perfect recall, knows, as a string."""
        node = state.node
        if node.mover == CHANCE:
            return f"player_{player}: chance"
        now = self._rules.observe(node.record, player).tobytes()
        if not self._recalls:
            return f"player_{player} {_digest(now)}"
        done = ", ".join(self._rules.action_names[action] for action in node.done[player])
        return f"player_{player}: {done} {_digest(node.seen[player] + now)}"


class _Seed:
    """Chance as nodes at the beginning: the bytes of the first state of the random stream, the highest first."""

    most = 256
    nodes = SEED_BYTES

    def __init__(self, game: Game) -> None:
        self._game = game
        self.root = root_of(game)

    def outcomes(self, node: Node) -> Outcomes:
        return [(byte, 1 / 256) for byte in range(256)]

    def settle(self, node: Node, outcome: int) -> Node:
        start = int(node.record["rng"]) << 8 | outcome
        if node.dealt == SEED_BYTES - 1:
            return decision(self._game, self._game.new(start=start), node)
        record = self._game.copy(node.record)
        record["rng"] = start
        return replace(node, record=record, dealt=node.dealt + 1)

    def act(self, node: Node, action: int) -> Node:
        record = self._game.copy(node.record)
        self._game.step(record, action)
        return decision(self._game, record, node, action)

    def question(self, node: Node) -> str:
        return f"byte {node.dealt + 1} of the seed, after {int(node.record['rng']):0{2 * node.dealt}x}".removesuffix(
            ", after 0"
        )

    def outcome_text(self, node: Node, outcome: int) -> str:
        return f"{outcome:02x}"


def root_of(game: Game) -> Node:
    """The node at the root of the tree."""
    players = range(game.num_players)
    record = np.zeros(1, game.state_dtype)[0]
    return Node(game.rules_hash, record, CHANCE, 0, tuple(b"" for _ in players), tuple(() for _ in players))


def decision(game: Game, record: Any, before: Node, action: int = BEGIN, settled: tuple[int, ...] = (0, 0)) -> Node:
    """The node of a record at a decision or the end, reached from the node `before` by `action`."""
    seen, done = list(before.seen), list(before.done)
    if action != BEGIN:
        mover = int(before.record["to_play"])
        view = game.observe(before.record, mover).tobytes()
        seen[mover] += b"\xff" + hashlib.blake2b(view, digest_size=8).digest() + action.to_bytes(2)
        done[mover] += (action,)
    # Steps leave no mark: a player must not learn how many steps another one took.
    events, news = before.events, b""
    if "events" in record.dtype.names:
        ring, events = record["event"], int(record["events"])
        first, last = max(before.events, events - len(ring)) % len(ring), events % len(ring)
        parts = [ring[first:last]] if first < last or events == before.events else [ring[first:], ring[:last]]
        news = b"".join([part.tobytes() for part in parts])
    mover = OVER if record["over"] else int(record["to_play"])
    known = tuple([s + news for s in seen])
    return Node(game.rules_hash, record, mover, events, known, tuple(done), before.dealt, BEGIN, 0, settled)


def _digest(data: bytes) -> str:
    return hashlib.blake2b(data, digest_size=16).hexdigest()


# ---------------------------------------------------------------------------------------------------------------- parameters

OWN: Mapping[str, Any] = {"chance": "", "max_game_length": LONGEST, "given": ""}  # the adapter's own parameters


@dataclass(frozen=True)
class _Option:
    """An option of a game as a parameter of OpenSpiel, which has one type: int, bool or str.

    Attributes:
        default: the parameter if none is given.
        several: whether the option may be several words.
        word: the word for which -1 stands.
    """

    default: int | bool | str
    several: bool = False
    word: str | None = None

    def written(self, value: Any) -> int | bool | str:
        """The parameter for a value of the option."""
        if value == self.word:
            return -1
        if isinstance(value, (bool, int)):
            return value
        if isinstance(value, (tuple, list)):
            nested = any(isinstance(entry, (tuple, list)) for entry in value)
            return _quoted(json.dumps(value)) if nested else " ".join(map(_quoted, value))
        return _quoted(value)

    def read(self, parameter: int | bool | str) -> Any:
        """The value of the option for a parameter."""
        if not isinstance(parameter, str):
            return self.word if self.word is not None and parameter == -1 else parameter
        words = [unquote(word) for word in parameter.split(" ")] if self.several else [unquote(parameter)]
        if self.several and words[0].startswith("[["):
            return json.loads(words[0])
        return words[0] if len(words) == 1 else words


def _quoted(value: Any) -> str:
    """The value as a word that a game string can hold and does not mistake for a number or a truth value."""
    word = quote(str(value), safe="/\\:~")
    if set(word) <= set("-.0123456789") or word.lower() in ("true", "false"):
        return f"%{ord(word[0]):02X}{word[1:]}" if word else word
    return word


@cache
def _options_of(game_id: str) -> dict[str, _Option]:
    """The options of a game as parameters; none for a game that `react_env.load` does not know."""
    try:
        about = describe(game_id)
    except OptionError:
        return {}
    found = {}
    for name, parameter in signature(about.part("load")).parameters.items():
        if parameter.kind != Parameter.VAR_KEYWORD:
            found[name] = _Option(parameter.default or "", several=parameter.default is None)
    for name, field in about.part("config").model_fields.items() if about.config else ():
        choices = get_args(field.annotation) if get_origin(field.annotation) is Literal else ()
        words = [choice for choice in choices if isinstance(choice, str)]
        option = _Option("", isinstance(field.default, tuple), words[0] if len(words) == 1 < len(choices) else None)
        found[name] = replace(option, default=option.written(field.default))
    return found


def _changed(own: Mapping[str, Any]) -> dict[str, Any]:
    """The adapter's own parameters that differ from their defaults."""
    return {name: value for name, value in own.items() if value != OWN[name]}


def _to_parameters(game_id: str, options: Mapping[str, Any]) -> dict[str, Any]:
    """The parameters that load a game with these options again.

    OpenSpiel cannot tell a parameter that was given its default value from one that was not given. The difference matters, because an
    edition may have other defaults. So `given` names such parameters.
    """
    known = _options_of(game_id)
    every = {name: known[name].written(value) for name, value in options.items() if name in known}
    given = " ".join(sorted(name for name, value in every.items() if value == known[name].default))
    return {name: value for name, value in every.items() if value != known[name].default} | _changed({"given": given})


def _from_parameters(game_id: str, parameters: Mapping[str, Any]) -> dict[str, Any]:
    """The options of a game from all parameters, which OpenSpiel has completed. Raises OptionError."""
    known = _options_of(game_id)
    given = parameters["given"].split()
    for name in given:
        if name not in known:
            raise OptionError(f"given: {name!r} is not an option of {game_id}; known: {', '.join(known)}")
    return {
        name: option.read(parameters[name])
        for name, option in known.items()
        if name in given or parameters[name] != option.default
    }


def _load_string(text: str) -> SpielGame:
    """`pyspiel.load_game`, with these games registered."""
    return pyspiel.load_game(text)


@cache
def _kind(game_id: str) -> pyspiel.GameType:
    """OpenSpiel's description of a game."""
    name, _, _ = game_id.rpartition("-")
    return pyspiel.GameType(
        short_name=f"react_env_{name}",
        long_name=game_id,
        dynamics=pyspiel.GameType.Dynamics.SEQUENTIAL,
        chance_mode=pyspiel.GameType.ChanceMode.EXPLICIT_STOCHASTIC,
        information=pyspiel.GameType.Information.IMPERFECT_INFORMATION,
        utility=pyspiel.GameType.Utility.ZERO_SUM,
        reward_model=pyspiel.GameType.RewardModel.TERMINAL,
        max_num_players=described(game_id).players[1],
        min_num_players=described(game_id).players[0],
        provides_information_state_string=True,
        provides_information_state_tensor=False,
        provides_observation_string=True,
        provides_observation_tensor=True,
        parameter_specification={name: option.default for name, option in _options_of(game_id).items()} | dict(OWN),
    )


def _register(game_id: str) -> None:
    """Make a game known to `pyspiel.load_game`."""

    # OpenSpiel drops this object after the interpreter has ended. A class survives that, a function does not.
    class Loaded(SpielGame):
        def __init__(self, parameters: Mapping[str, Any]) -> None:
            game = react_env.load(game_id, **_from_parameters(game_id, parameters))
            super().__init__(game, parameters["chance"] or None, parameters["max_game_length"])

    pyspiel.register_game(_kind(game_id), Loaded)


for _id in descriptions():
    _register(_id)
