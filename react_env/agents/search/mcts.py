"""The agent that searches: information-set Monte Carlo tree search over worlds that its player cannot tell apart.

For each decision it grows one tree from the view of the player who decides (Cowling, Powley and Whitehouse, 2012). Every simulation

* copies the game and redraws what that player cannot know (`determinize`, with a seed of its own), so it sees neither the opponent's cards
  nor the next draws;
* goes down the tree by UCB1 among the actions that are legal in this world, and adds nodes on the way. Whoever is to move takes what is
  best for that player. Many actions are legal in some worlds only, so visits are compared with how often an action could have been taken;
* plays on where the tree ends, by the rollout policy: the best of some actions by their first estimate (greedy), any legal action (random),
  nothing where that is possible (idle), or only what completes the play (none);
* ends when the main phase (a free decision without a pass) has passed from one player to another `horizon` times. It writes the
  value of that position into every action on the way: how much better the game's value rates it than the position to decide, squashed into
  -1..1. So all simulations end at the same kind of point, because values before and after an opponent's turn cannot be compared.

The first estimate of an action comes from trying it on a copy, completing the play and evaluating the result. An action without a visit is
worth as much as its node, minus what this estimate puts it below the best action of the node. At the root the first estimates matter most,
so there they look further, and the more simulations follow, the further. With `plans` they come from plans instead: the player's own turn
is planned to its end (`react_env.agents.search.planning`). Plans foresee that turn but no reactions; the search adds what the others
may do.

A network (`net`; Silver et al., 2017) can help. Its policy makes the search try likely actions first: prior * p * sqrt(n) / (1 + visits) is
added to the estimate of an action, where n is how often it could have been taken. Its value makes up a share of the value at the end of a
simulation. Inside the tree the network plays for the player to move and sees what that player sees in this world. `net` can also be a
learned value (`react_env.agents.players.learned_value`). It then replaces the game's own value everywhere, and the plans are made as its
agent makes them.

If the `opponent` is known, the search does not look for the others' best actions but asks that agent what it would do
(`react_env.agents.search.opponent`).

Small differences between actions would drown in the luck of the draw. Two things prevent that: the nth visit of each action of the root
goes to the nth world with the same luck, and a rollout that judges all actions does not draw which ones to judge.

A node is identified by the actions that lead to it, by who decides there, and by what kind of decision it is. With two players a voluntary
pass of the opponent leads to the same node as a pass that the engine made because nothing else was possible, since the player cannot tell
them apart. What an opponent chooses face down is known to both inside the tree; nothing hidden of the real game is used.

The search takes the action with the most visits; ties are broken by value, then by the agent's random numbers. It ends early when no other
action can catch up in the simulations that are left: the choice is the same, and a third or more of the simulations are saved. A decision
with one legal action costs nothing. Everything runs in compiled code that allocates nothing and releases the GIL. Each decision depends
on its own seed alone, so the number of threads changes nothing.
"""

from __future__ import annotations

import re
import time
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from react_env.agents import arguments
from react_env.agents.models.network import new_thoughts
from react_env.agents.players.greedy import GreedyAgent
from react_env.agents.players.learned_value import ValueAgent, learned
from react_env.agents.players.planner import PlanningAgent
from react_env.agents.protocol import Actions, Players, Records
from react_env.agents.search.guide import Guide, guide_of, no_guide
from react_env.agents.search.lookahead import NO_PARAMS, UNIT, new_lines
from react_env.agents.search.opponent import check_opponent, new_opponent
from react_env.agents.search.rollout import DEPTH as LINES_DEPTH
from react_env.agents.search.rollout import SELFISH, make_policy
from react_env.agents.search.sharing import Compiled, admitted, as_bytes
from react_env.agents.search.tree import NODES, Scratch, Settings, kind_of_search, make_search, new_tree
from react_env.engine.compile import announced
from react_env.errors import OptionError

SLICE = 16  # simulations between two looks at the clock
PACE = 15_000  # about how many simulations a second allows, if the time is given and not their number
MAX_SIMULATIONS = 1_000_000
MAX_SECONDS = 3600.0
_RANGES = {
    "simulations": (1, MAX_SIMULATIONS),
    "seconds": (1e-6, MAX_SECONDS),
    "exploration": (0.0, 1e6),
    "trust": (1e-3, 1e6),
    "grow": (1, 10_000),
    "root": (0.0, 1e6),
    "plans": (0, 10_000),
    "prior": (0.0, 1e6),
    "value": (0.0, 1.0),
    "script": (0.0, 1e6),
}
_EXPLORATION = 0.02  # by the game's own value, unless that tells actions further apart (`Heuristics.search`)
_EXPLORATION_LEARNED = 0.5  # by a learned value, which tells them apart by tenths
_SURE = 1e-6  # chances of winning closer to 0 or 1 are as good as sure


def from_argument(
    game: Any, argument: str, threads: int, on_mismatch: Literal["refuse", "warn"] = "refuse"
) -> SearchAgent:
    """The agent ``mcts:ARGUMENT``: a number of simulations (256) or of seconds (0.5s) for each decision, and options by name
    (256,rollout=random,horizon=2: keywords of `SearchAgent`). All have defaults.

    OptionError for anything else.
    """
    budget, options = read_argument(game, argument)
    agent = SearchAgent(game, threads=threads, on_mismatch=on_mismatch, **budget, **options)
    if not argument:
        agent.name = "mcts"
    return agent


def read_argument(game: Any, argument: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """The text behind ``mcts:`` as a budget and as options, both keywords of `SearchAgent`. OptionError as for `from_argument`."""
    spec = f"mcts:{argument}"
    budget, texts = arguments.split(argument)
    given: dict[str, Any] = {}
    if re.fullmatch(r"[0-9]{1,9}", budget) and 1 <= int(budget) <= MAX_SIMULATIONS:
        given = {"simulations": int(budget)}
    elif re.fullmatch(r"[0-9]{1,9}(\.[0-9]{1,6})?s", budget) and 0 < float(budget[:-1]) <= MAX_SECONDS:
        given = {"seconds": float(budget[:-1])}
    elif budget:
        raise OptionError(
            f"{spec}: give simulations for each decision, a whole number from 1 to {MAX_SIMULATIONS} (mcts:256), or seconds up to "
            f"{MAX_SECONDS:g} (mcts:0.5s), and options after commas (mcts:256,horizon=2)"
        )
    known = _usual(game)
    options = known | arguments.read(spec, texts, known)
    if "net=" in texts:
        raise _no_network_is("")
    return given, options


def network_of(argument: str) -> str:
    """What ``mcts:ARGUMENT`` names as its network, or ""."""
    options = arguments.split(argument)[1]
    return next((text.removeprefix("net=") for text in options if text.startswith("net=")), "")


def _load_network(net: str, game: Any, threads: int, on_mismatch: Literal["refuse", "warn"]) -> Guide | ValueAgent:
    """The network or the learned value that `net` names. OptionError if that is another kind of agent."""
    from react_env.agents.players.from_model import load
    from react_env.agents.players.neural import NeuralAgent

    agent = load(net, game, threads=threads, on_mismatch=on_mismatch)
    if isinstance(agent, ValueAgent):
        return agent
    if not isinstance(agent, NeuralAgent):
        raise _no_network_is(net)
    return guide_of(agent, game)


def _no_network_is(net: str) -> OptionError:
    return OptionError(f"mcts: net must name a model, such as path/to/model.safetensors, not {net!r}")


def _usual(game: Any) -> dict[str, Any]:
    return arguments.usual(
        SearchAgent, "mcts", game, without=("simulations", "seconds", "opponent", "threads", "on_mismatch")
    )


class SearchAgent(Compiled):
    """Information-set Monte Carlo tree search."""

    def __init__(
        self,
        game: Any,
        *,
        simulations: int = 256,
        seconds: float | None = None,
        exploration: float | None = None,
        trust: float = 8.0,
        scale: float = 150.0,
        horizon: int = 1,
        rollout: str = "greedy",
        width: int = 2,
        grow: int = 3,
        reach: int = 30,
        root: float = 12.0,
        plans: int = 0,
        lookahead: bool = True,
        net: str = "",
        prior: float = 0.1,
        value: float = 0.0,
        script: float = 0.0,
        others: str = SELFISH,
        opponent: GreedyAgent | None = None,
        threads: int = 1,
        on_mismatch: Literal["refuse", "warn"] = "refuse",
    ) -> None:
        """A search ready for `game`. The defaults are those of all games; a name (mcts:256) takes what suits the game instead.

        Args:
            game: the rules.
            simulations: simulations for each decision.
            seconds: time for each decision, instead of `simulations`; the choice then depends on the machine.
            exploration: the constant of UCB1. None: 0.02, or 0.5 with a learned value, whose estimates lie further apart.
            trust: how many visits the first estimate of an action counts as; one that comes from a plan counts as 32 at least.
            scale: how far the game's value must rise above that of the position to decide to count as tanh(1) = 0.76 of a win.
            horizon: how many times the main phase passes to another player before a simulation is judged; 0: only the end of the game is.
            rollout: how the game is played outside the tree: "greedy", "random", "idle", "script" (what the game's prior likes most,
                without looking ahead) or "none".
            width: how many actions "greedy" compares.
            grow: how many nodes a simulation may add to the tree.
            reach: about how many decisions the first estimate of an action may take.
            root: how many decisions the first estimates at the root may take together for each simulation, if that is more.
            plans: in how many guesses of the hidden information the player's own turn is planned, for the first estimates at the root;
                0: they are made as inside the tree. A learned value plans as its agent does.
            lookahead: False: there is no first estimate inside the tree.
            net: the network that helps, or the learned value that replaces the game's own: a model as `agents.load` takes it, or "".
            prior: weight of the network's policy, the constant of PUCT.
            value: share of the network's value at the end of a simulation, 0 to 1; the rest is the game's own value.
            script: weight of the game's prior in the first estimate of an action.
            others: with more than two players: each does what is best for itself ("selfish"; max^n, Luckhart and Irani, 1986), or what is
                worst for the searching player ("paranoid"; Sturtevant and Korf, 2000). With two players both are the same.
            opponent: the agent, made for `game`, that all others are known to be; None: they do what is best for them.
            threads: how many decisions are searched at once.
            on_mismatch: whether a network trained under other rules is refused or only warned about.

        Raises:
            OptionError: a number out of its range, `net` names no model, `prior` or `value` is given without a network that has them, or
                `opponent` does not choose by compiled code alone or was made for other rules.
            ModelError: a network that cannot be used, or was made for other rules.
        """
        given = dict(locals())  # the options by name
        arguments.check_ranges("mcts", given, _RANGES)
        known = _usual(game)
        if not net and (prior, value) != (known["prior"], known["value"]):
            raise OptionError("mcts: prior and value need a network, net=path/to/model.safetensors")
        budget = str(simulations) if seconds is None else f"{seconds:g}s"
        self._opponent = None if opponent is None else check_opponent(opponent, game)
        against = "" if opponent is None else f" against {opponent.name}"
        self.simulations = simulations
        self.seconds = seconds
        self.simulated = 0  # game decisions made inside all searches so far
        self.simulations_done = 0  # in all searches so far; fewer than asked for if a choice was clear early
        first_look = int(root * (simulations if seconds is None else seconds * PACE))
        self.policy = make_policy("mcts", given, game.num_players)
        found = _load_network(net, game, threads, on_mismatch) if net else None
        self.value = found if isinstance(found, ValueAgent) else None
        if self.value is not None and (prior, value) != (known["prior"], known["value"]):
            raise OptionError(f"mcts: {net} is a learned value, which has no prior and is the value")
        if self.value is not None and plans != known["plans"]:
            raise OptionError(f"mcts: {net} is a learned value, which plans in its own way; leave plans out")
        for options in (given, known):  # so that the name leads to the same search
            if options["exploration"] is None:
                options["exploration"] = _EXPLORATION if self.value is None else _EXPLORATION_LEARNED
        self.name = f"mcts:{budget}{arguments.differing(given, known)}{against}"
        self.settings = Settings(
            float(given["exploration"]),
            float(trust),
            int(grow),
            int(lookahead),
            first_look,
            float(prior),
            float(value),
            float(script),
        )
        self._planner: PlanningAgent | None = self.value
        if self.value is None and plans:
            if "turn" not in game.state_dtype.names:
                raise OptionError(
                    f"mcts: plans end with the player's turn, which records of {game.id} do not show; leave plans out"
                )
            self._planner = PlanningAgent(game, worlds=plans, threads=threads)
        if self.value is not None:  # the value that it plans by tells how likely a win is, if nobody reacts
            self.win_chances = self.value.win_chances
        self._guide = found if isinstance(found, Guide) else no_guide()
        self._guided = isinstance(found, Guide)
        super().__init__(game, threads)
        # Called once here, so that a first compilation happens now and is announced.
        with announced(f"{game.id}.{kind_of_search(self._guided, self.value is not None, opponent is not None)}"):
            state = np.array([game.new(seed=0)], game.state_dtype)
            self._search(state, 0, np.uint64(0), self._new_scratch(1), 1, None)

    def _make(self, game: Any) -> Any:
        chosen_by = None if self._opponent is None else self._opponent._kernel
        return make_search(game, self._guided, None if self.value is None else learned(game), chosen_by)

    def act_states(self, states: Records, players: Players, rng: np.random.Generator) -> Actions:
        """(N,) records and (N,) players to move -> (N,) int64 ids.

        StateError if a record belongs to a game with other options.
        """
        states, players = admitted(self._game, states, players)
        seeds = rng.integers(0, 2**64, size=len(states), dtype=np.uint64)
        planned, seconds = None, self.seconds
        if self._planner is not None:
            begin = time.perf_counter()
            chances = self._planner.win_chances(states, players, rng).clip(_SURE, 1.0 - _SURE)
            planned = UNIT * np.log(chances / (1.0 - chances))
            if seconds is not None and len(states):  # the plans take part of the time
                together = min(len(states), self._workers.threads)
                seconds -= (time.perf_counter() - begin) * together / len(states)

        def choose(row: int, scratch: Scratch) -> int:
            if planned is not None:
                scratch.tree.planned[:] = planned[row]
            state = states[row : row + 1]
            return self._search(state, int(players[row]), seeds[row], scratch, self.simulations, seconds)

        out = self._workers.one_by_one(states, choose)
        for _, tree, _ in self._workers.scratch:
            self.simulated += int(tree.sizes[2])
            self.simulations_done += int(tree.sizes[3])
            tree.sizes[2:] = 0
        return out

    def _search(
        self,
        state: npt.NDArray[Any],
        player: int,
        seed: np.uint64,
        scratch: Scratch,
        simulations: int,
        seconds: float | None,
    ) -> int:
        """The action for the game state[0]."""

        def search(first: int, last: int, total: int) -> int:
            return int(
                self._kernel(
                    state,
                    as_bytes(state),
                    self._game.tables,
                    player,
                    seed,
                    first,
                    last,
                    total,
                    self.settings,
                    self.policy,
                    scratch,
                    self._guide,
                )
            )

        if seconds is None:
            chosen = search(0, simulations, simulations)
        else:
            end = time.perf_counter() + seconds
            begin = 0
            while True:
                chosen = search(begin, begin + SLICE, 0)
                begin += SLICE
                if chosen < 0 or time.perf_counter() >= end:
                    break
        return ~chosen if chosen < 0 else chosen

    def _new_scratch(self, simulations: int | None = None) -> Scratch:
        if simulations is None:
            simulations = self.simulations if self.seconds is None else NODES
        params = NO_PARAMS if self.value is None else self.value.new_params()
        opponent = NO_PARAMS if self._opponent is None else new_opponent(self._game, self._opponent)
        return Scratch(
            new_lines(self._game, LINES_DEPTH, params, opponent),
            new_tree(self._game, simulations, self.settings.grow),
            new_thoughts(self._guide.network, self._game.layout.size, self._game.num_actions),
        )
