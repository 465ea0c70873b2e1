"""The agent that searches: information-set Monte Carlo tree search over worlds that its player cannot tell apart.

For each decision it grows one tree from the view of the player who decides (Cowling, Powley and Whitehouse, 2012). Every simulation

* copies the game and redraws what its player cannot know (`determinize`, with a seed of its own), so that neither the opponent's cards nor
  the next draws are seen;
* goes down the tree by UCB1 among the actions that are legal in this world, adding nodes on the way. Whoever is to move takes what is best
  for the own side, and an action is weighed against how often it could have been taken, since many are legal in some worlds only;
* where the tree ends, plays on by the rollout policy: the best of some actions by the first estimate (greedy), any legal action (random),
  nothing where nothing can be done (idle), or only what completes the play (none);
* ends where the main phase (a free decision without a "do nothing") has gone from one player to the other `horizon` times, and writes the
  value of that position into every action on the way: how much better the game's value finds it than the position to decide, squashed
  into -1..1. All simulations so end at the same kind of point: values before and after an opponent's turn cannot be compared.

The first estimate of an action (`rollout`): it is tried on a copy, the play is completed and evaluated. What was never tried is
believed to be worth what its node is worth, less what this estimate finds it worse than the best of the node.
Of the actions to choose from it decides most, so there it looks further, the more so the more simulations follow. Or there (`plans`) the
own turn is planned to its end (`react_env.agents.search.planning`). Plans foresee the own turn but no reactions; the search adds what the
others may do.

A network may help (`net`; Silver et al., 2017). Its policy makes what it finds probable be tried first: to what is known of an action comes
prior * p * sqrt(n) / (1 + visits), n being how often the action could have been taken. Its value takes a share of the value where a
simulation ends. Inside the tree it is asked as the player who is to move, and sees what that player sees in the world at hand. Or `net`
is a learned value (`react_env.agents.players.learned_value`), which then takes its place wherever the game's own value would, in the
plans as well, which are then made as its agent makes them.

Against an `opponent` that is known, the search does not look for what is best for the others: it asks that agent what it would do
(`react_env.agents.search.opponent`).

Two things keep chance out of the comparison of actions, without which small differences drown in the luck of the draw: the nth visit of
each action of the root is to the nth world with the same chance, and the likely actions depend on no chance where all of them are judged.

Nodes are told apart by the actions that lead to them and by who has to decide what kind of thing there. An opponent's voluntary pass leads
to the same node as a pass that the engine made for want of a choice: the player could not tell these apart either. What an opponent
chooses face down is, inside the tree, known to both; in the game itself nothing hidden is used.

The action most often visited is taken; ties are broken by its value, then by the agent's random numbers. The search ends early where no
other action can be visited as often any more in the simulations that are left: the choice is the same, and a third or more of them
are saved. A decision with one legal action costs nothing. Everything runs in compiled code that allocates nothing and releases
the GIL; each decision depends on its own seed alone, so threads change nothing.
"""

from __future__ import annotations

import re
import time
from typing import Any, Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from react_env.agents import arguments
from react_env.agents.models.network import Thoughts, new_thoughts
from react_env.agents.players.greedy import GreedyAgent
from react_env.agents.players.learned_value import ValueAgent, learned
from react_env.agents.players.planner import PlanningAgent
from react_env.agents.protocol import Actions, Players, Records
from react_env.agents.search.guide import Guide, guide_of, make_questions, no_guide
from react_env.agents.search.lookahead import NO_PARAMS, UNIT, Lines, new_lines, no_prior
from react_env.agents.search.opponent import check_opponent, make_answer, new_opponent
from react_env.agents.search.rollout import DEPTH as LINES_DEPTH
from react_env.agents.search.rollout import DICE, LINE, SELFISH, make_parts, make_policy
from react_env.agents.search.sharing import Workers, as_bytes, copy_row
from react_env.engine.compile import announce, njit
from react_env.engine.game import Game, once_per_game
from react_env.engine.kernels import count_legal, nth_legal
from react_env.engine.rng import below, next_word
from react_env.engine.turns import next_turn
from react_env.errors import OptionError

DEPTH = 256  # actions on one line of the tree
SLICE = 16  # simulations between two looks at the clock
PACE = 15_000  # simulations a second, about, where the time is given and not their number
NODES = 1 << 15  # nodes of a tree at most; a search goes on in one that is full
WORLDS = 4096  # different guesses of what is hidden, at most
MAX_SIMULATIONS = 1_000_000
MAX_SECONDS = 3600.0
_MOST_PLANS = 10_000
_EXPLORATION = 0.02  # by the game's own value, which tells actions apart by hundredths of a win
_EXPLORATION_LEARNED = 0.5  # by a learned value, which tells them apart by tenths
_PLANNED = 32.0  # as how many visits what a plan finds of an action counts
_SURE = 1e-6  # chances of winning closer to 0 or 1 are as good as sure
_SPREAD = 24  # actions of a node for which there is room, on average

NODE = np.dtype(
    (
        np.record,
        [
            ("kind", "i4"),  # who decides, and what kind of thing
            ("sibling", "i4"),  # the next node to which the same action leads, -1 none
            ("first", "i4"),  # its first edge, -1 none
            ("via", "i4"),  # the edge that leads here; edge 0 leads to the root
        ],
    )
)
EDGE = np.dtype(
    (
        np.record,
        [
            # Sum of the values found: for the player who searches, or where each is selfish, for who takes it.
            ("total", "f8"),
            ("prior", "f8"),  # what it was believed to be worth at first
            ("policy", "f8"),  # how probable the network found it
            ("action", "i4"),
            ("next", "i4"),  # the next edge of the same node, -1 none
            ("node", "i4"),  # the first node it leads to, -1 none
            ("visits", "i4"),
            ("chances", "i4"),  # how often it could have been visited
            ("open", "i4"),  # whether the world at hand allows it
        ],
    )
)


class Settings(NamedTuple):
    """How the tree weighs and grows; see `SearchAgent`."""

    exploration: float
    trust: float
    grow: int
    lookahead: int
    root: int
    prior: float
    value: float
    script: float


class Tree(NamedTuple):
    """The tree of one worker, with room for M nodes and E edges."""

    nodes: npt.NDArray[Any]  # (M,) NODE
    edges: npt.NDArray[Any]  # (E,) EDGE
    # (4,) nodes and edges in use; game decisions made and simulations done since the last reading
    sizes: npt.NDArray[np.int64]
    path: npt.NDArray[np.int64]  # (DEPTH,) the edges of the present line
    movers: npt.NDArray[np.int64]  # (DEPTH,) who took them
    worths: npt.NDArray[np.float64]  # (P,) what each player has of its end
    planned: npt.NDArray[np.float64]  # (A,) the values of the actions to choose from by plans; nan: there are none
    worlds: npt.NDArray[np.uint64]  # (W, 2) seeds of the guesses of what is hidden, and of the dice that go with each


class Scratch(NamedTuple):
    """Memory of one worker."""

    lines: Lines
    tree: Tree
    thoughts: Thoughts


@once_per_game
def kernel(game: Game, guided: bool = False, learned_value: Any = None, opponent: Any = None) -> Any:
    """The compiled search, `guided` by a network or not; positions have the game's value or a learned one; `opponent`: the compiled choice
    of an agent that plays for the others.
    """
    apply, legal, determinize = game.rules.apply, game.rules.legal, game.rules.determinize
    unfinished, pass_action = game.heuristics.unfinished, game.heuristics.pass_action
    prior_of = game.heuristics.prior or no_prior
    prefix = f"{game.id}.{_kind(guided, learned_value is not None, opponent is not None)}"
    opposed, answer = opponent is not None, make_answer(opponent, prefix)
    parts = make_parts(game, prefix, learned_value, answer if opposed else None)
    action_value, value_of, play_out, find_origin, _ = parts
    find_policy, find_worth = make_questions(game, prefix, guided)

    @njit(name=f"{prefix}.own_mean")
    def own_mean(n: Any, edges: Any) -> Any:
        """What a node has been worth for who moves there."""
        total, visits = 0.0, 0
        edge = np.int64(n.first)
        while edge >= 0:
            total += edges[edge].total
            visits += edges[edge].visits
            edge = np.int64(edges[edge].next)
        return total / max(visits, 1)

    @njit(name=f"{prefix}.bound")
    def bound(e: Any, sign: Any, mean: Any, highest: Any, trust: Any, chances: Any, settings: Any) -> Any:
        """What an action may be worth to who moves, at best. What was never tried is worth what the node is worth, less what speaks against
        it at first sight."""
        weight = e.visits + trust
        score = (sign * e.total + trust * (mean + sign * e.prior - highest)) / weight
        score += settings.exploration * np.sqrt(np.log(chances + 1.0) / weight)
        if guided:
            score += settings.prior * e.policy * np.sqrt(float(chances)) / (e.visits + 1)
        return score

    @njit(name=f"{prefix}.add_edge")
    def add_edge(n: Any, edges: Any, sizes: Any, last: Any, action: Any, prior: Any, policy: Any) -> Any:
        """Adds an action behind the last edge of a node (-1: it has none): its edge."""
        edge = sizes[1]
        sizes[1] += 1
        e = edges[edge]
        e.total, e.prior, e.action, e.next, e.node = 0.0, prior, action, -1, -1
        e.policy = policy
        e.visits, e.chances, e.open = 0, 1, 1
        if last < 0:
            n.first = edge
        else:
            edges[last].next = edge
        return edge

    @njit(name=f"{prefix}.edge_of")
    def edge_of(n: Any, edges: Any, sizes: Any, action: Any) -> Any:
        """The edge of an action, which is added where there is none; -1 without room for it."""
        last = np.int64(-1)
        edge = np.int64(n.first)
        while edge >= 0:
            if edges[edge].action == action:
                return edge
            last, edge = edge, np.int64(edges[edge].next)
        return add_edge(n, edges, sizes, last, action, 0.0, 0.0) if sizes[1] < edges.shape[0] else np.int64(-1)

    @njit(name=f"{prefix}.descend")
    def descend(
        t: Any, player: Any, settings: Any, policy: Any, lines: Any, tree: Any, guide: Any, thoughts: Any
    ) -> None:
        """One simulation from the determinized game on LINE, whose legal actions stand there: the tree has learned then."""
        nodes, edges, sizes, path = tree.nodes, tree.edges, tree.sizes, tree.path
        s = lines.games[LINE]
        mask = lines.masks[LINE]
        node: Any = np.int64(0)
        movers, worths = tree.movers, tree.worths
        path[0], movers[0] = 0, player
        depth = 1
        grown = 0
        turns = 0
        turn_of = np.int64(-1)
        spent = 0
        while s.over == 0 and depth < path.shape[0]:
            if unfinished(s) == 0 and pass_action(s) < 0:
                if turn_of >= 0 and turn_of != s.to_play:
                    if turns + 1 == policy.horizon:
                        break
                    turns += 1
                turn_of = np.int64(s.to_play)
            if opposed and s.to_play != player:
                sign, best = -1.0, edge_of(nodes[node], edges, sizes, answer(lines))
            else:
                sees = np.int64(s.to_play) if policy.selfish else player
                sign = 1.0 if s.to_play == sees else -1.0
                # The edges that this world allows. What is left of the mask then has no edge yet.
                last = np.int64(-1)
                highest = -np.inf
                edge = np.int64(nodes[node].first)
                while edge >= 0:
                    e = edges[edge]
                    e.open = 0
                    if mask[e.action]:
                        mask[e.action] = False
                        e.open = 1
                        e.chances += 1
                        highest = max(highest, sign * e.prior)
                    last = edge
                    edge = np.int64(e.next)
                reach = np.int64(policy.reach)
                if node == 0 and last < 0:  # each action of the root is judged once, and all else builds on that
                    reach = max(reach, np.int64(settings.root // max(count_legal(mask), 1)))
                asked = False
                for action in range(mask.shape[0]):
                    if mask[action] and sizes[1] < edges.shape[0]:
                        prior, probability = 0.0, 0.0
                        if node == 0 and not np.isnan(tree.planned[action]):
                            prior = np.tanh((tree.planned[action] - lines.origin[player]) / policy.scale)
                        elif settings.lookahead != 0:
                            prior, took = action_value(lines, t, sees, action, reach, policy)
                            spent += took
                        if settings.script > 0.0:
                            prior += sign * settings.script * prior_of(s, t, s.to_play, action) / policy.scale
                        if guided and settings.prior > 0.0:
                            if not asked:  # about all legal actions, among them those that have an edge
                                legal(s, t, mask)
                                find_policy(guide, thoughts, s, t, mask)
                                asked = True
                                known = np.int64(nodes[node].first)
                                while known >= 0:
                                    mask[edges[known].action] = False
                                    known = np.int64(edges[known].next)
                            probability = thoughts.policy[action]
                        highest = max(highest, sign * prior)
                        last = add_edge(nodes[node], edges, sizes, last, action, prior, probability)
                # The best of them.
                best = np.int64(-1)
                via = nodes[node].via
                mean = sign * edges[via].total / max(edges[via].visits, 1)
                if policy.selfish and node != 0:
                    mean = own_mean(nodes[node], edges)
                top = -np.inf
                edge = np.int64(nodes[node].first)
                while edge >= 0:
                    e = edges[edge]
                    if e.open != 0:
                        score = bound(e, sign, mean, highest, settings.trust, e.chances, settings)
                        if score > top:
                            best, top = edge, score
                    edge = np.int64(e.next)
            if best < 0:  # no room for its edges
                legal(s, t, mask)
                break
            chosen = np.int64(edges[best].action)
            passed = sign < 0.0 and node > 0 and chosen == pass_action(s) and unfinished(s) == 0
            s_to_play = np.int64(s.to_play)
            apply(s, t, chosen, mask)
            spent += 1
            path[depth], movers[depth] = best, s_to_play
            depth += 1
            if s.over != 0:
                break
            # The node to which this leads; a pass of the others leads to where the engine's own pass would have led.
            via = best
            if passed and s.to_play == player:
                via = np.int64(nodes[node].via)
            kind = s.to_play + 16 * (1 if unfinished(s) != 0 else 0) + 32 * (1 if pass_action(s) >= 0 else 0)
            found = np.int64(edges[via].node)
            while found >= 0 and nodes[found].kind != kind:
                found = np.int64(nodes[found].sibling)
            if found < 0:
                if grown == settings.grow or sizes[0] == nodes.shape[0]:
                    break
                grown += 1
                found = sizes[0]
                sizes[0] += 1
                n = nodes[found]
                n.kind, n.sibling, n.first, n.via = kind, edges[via].node, -1, via
                edges[via].node = found
            node = found
        value, took = play_out(lines, t, player, turns, turn_of, policy)
        if guided and settings.value > 0.0:
            if s.over != 0:
                worth = float(s.reward[player])
            else:
                worth = find_worth(guide, thoughts, s, t, player)
            value += settings.value * (worth - value)
        for q in range(worths.shape[0]):
            worths[q] = value
            if policy.selfish and q != player:
                worths[q] = np.tanh((value_of(s, t, q, lines.params) - lines.origin[q]) / policy.scale)
        for i in range(depth):
            e = edges[path[i]]
            e.visits += 1
            e.total += worths[movers[i]]
        sizes[2] += spent + took
        sizes[3] += 1

    @njit(name=f"{prefix}.decide")
    def decide(
        state: Any,
        raw_state: Any,
        tables: Any,
        player: Any,
        seed: Any,
        first: Any,
        last: Any,
        total: Any,
        settings: Any,
        policy: Any,
        lines: Any,
        tree: Any,
        guide: Any,
        thoughts: Any,
    ) -> Any:
        """Simulations number first to last - 1 for the game state[0]: the action that is best then, or ~action if it is the only one.

        raw_state (1, bytes): the same; seed: uint64, of the whole decision; where `first` is above 0 the search goes on with the tree as
        it is. Where `total` simulations are all that there will be, it ends as soon as no other action can be visited more often; 0: nobody
        knows.
        """
        nodes, edges, sizes, worlds = tree.nodes, tree.edges, tree.sizes, tree.worlds
        games, raw, masks = lines.games, lines.raw, lines.masks
        t = tables[state[0].table]
        root = masks[DICE]
        dice = games[DICE]
        if first == 0:
            dice.rng = seed
            for i in range(worlds.shape[0]):
                worlds[i, 0] = next_word(dice)
                worlds[i, 1] = next_word(dice)
            sizes[0], sizes[1] = 1, 1
            n = nodes[0]
            n.kind, n.sibling, n.first, n.via = -1, -1, -1, 0
            e = edges[0]
            e.total, e.prior, e.action, e.next, e.node = 0.0, 0.0, -1, -1, 0
            e.visits, e.chances, e.open = 0, 0, 0
            legal(state[0], t, root)
            if count_legal(root) <= 1:
                return ~np.int64(nth_legal(root, 0))
        trust = settings.trust if np.isnan(tree.planned[0]) else max(settings.trust, _PLANNED)
        for number in range(first, last):
            # The nth visit to each action is to the nth world with the same chance: what then differs is what the actions do.
            best, top = np.int64(0), -np.inf
            mean = edges[0].total / max(edges[0].visits, 1)
            highest = -np.inf
            most, second = 0, 0
            edge = np.int64(nodes[0].first)
            while edge >= 0:
                e = edges[edge]
                highest = max(highest, e.prior)
                if e.visits > most:
                    most, second = e.visits, most
                elif e.visits > second:
                    second = e.visits
                edge = np.int64(e.next)
            if total - number < most - second and total > 0:
                break
            edge = np.int64(nodes[0].first)
            while edge >= 0:
                e = edges[edge]
                score = bound(e, 1.0, mean, highest, trust, edges[0].visits, settings)
                if score > top:
                    best, top = edge, score
                edge = np.int64(e.next)
            if best == 0:
                copy_row(root, masks[LINE])
                world = 0
            else:
                masks[LINE] = False
                masks[LINE, edges[best].action] = True
                world = edges[best].visits % worlds.shape[0]
            copy_row(raw_state[0], raw[LINE])
            games[LINE].rng = worlds[world, 0]
            determinize(games[LINE], t, player)
            if number == 0:
                find_origin(lines, t, player, policy)
            dice.rng = worlds[world, 1]
            descend(t, player, settings, policy, lines, tree, guide, thoughts)
        chosen, most, highest, equal = np.int64(-1), -1, -np.inf, 0
        edge = np.int64(nodes[0].first)
        while edge >= 0:
            e = edges[edge]
            mean = e.total / e.visits if e.visits > 0 else e.prior
            if e.visits > most or (e.visits == most and mean > highest):
                chosen, most, highest, equal = np.int64(e.action), e.visits, mean, 1
            elif e.visits == most and mean == highest:
                equal += 1
                if below(dice, equal) == 0:
                    chosen = np.int64(e.action)
            edge = np.int64(e.next)
        return chosen

    return decide


def _kind(guided: bool, learned: bool, opposed: bool) -> str:
    """What a search is called in the cache and in messages."""
    return f"{'guided_' * guided}{'learned_' * learned}{'opposed_' * opposed}search"


def from_argument(
    game: Any, argument: str, threads: int, on_mismatch: Literal["refuse", "warn"] = "refuse"
) -> SearchAgent:
    """The agent ``mcts:ARGUMENT``: a number of simulations (256) or of seconds (0.5s) for each decision, and options by name
    (256,rollout=random,horizon=2: keywords of `SearchAgent`); nothing: the default.

    OptionError for anything else.
    """
    budget, options = read_argument(game, argument)
    agent = SearchAgent(game, threads=threads, on_mismatch=on_mismatch, **budget, **options)
    if not argument:
        agent.name = "mcts"
    return agent


def read_argument(game: Any, argument: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """What stands behind ``mcts:``: the budget, and the options, both as keywords of `SearchAgent`. OptionError as for `from_argument`."""
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
    """What ``mcts:ARGUMENT`` names as its network, or nothing."""
    options = arguments.split(argument)[1]
    return next((text.removeprefix("net=") for text in options if text.startswith("net=")), "")


def _load_network(net: str, game: Any, threads: int, on_mismatch: Literal["refuse", "warn"]) -> Guide | ValueAgent:
    """The network or the learned value that `net` names. OptionError where that is another kind of agent."""
    from react_env.agents.players.advised import network_in
    from react_env.agents.players.from_model import load

    agent = load(net, game, threads=threads, on_mismatch=on_mismatch)
    if isinstance(agent, ValueAgent):
        return agent
    # Of an advised network the search takes what was learned; a look-ahead of its own it has already.
    network = network_in(agent)
    if network is None:
        raise _no_network_is(net)
    return guide_of(network, game)


def _no_network_is(net: str) -> OptionError:
    return OptionError(f"mcts: net must name a model, such as path/to/model.safetensors, not {net!r}")


def _usual(game: Any) -> dict[str, Any]:
    return arguments.usual(
        arguments.defaults(SearchAgent, without=("simulations", "seconds", "opponent", "threads", "on_mismatch")), game
    )


class SearchAgent:
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
            simulations: for each decision.
            seconds: instead of `simulations`, the time for each decision; what is chosen then depends on the machine.
            exploration: the constant of UCB1. None: 0.02, or 0.5 with a learned value, whose estimates lie further apart.
            trust: as how many visits the first estimate of an action counts. That by a plan counts as 32 at least.
            scale: how much more the game's value says of a position that is worth tanh(1) = 0.76 of a win.
            horizon: how often the main phase goes to another player until a simulation is judged; 0: only the end of the game is.
            rollout: what is played outside the tree: "greedy", "random", "idle", "script" (what the game's prior likes most, without a
                look ahead) or "none".
            width: how many actions are judged to find the likely one of "greedy".
            grow: nodes that a simulation may add to the tree.
            reach: decisions that the first estimate of an action may take, about.
            root: decisions that those of the actions to choose from may take together for each simulation, if that is more.
            plans: guesses of what is hidden in which the own turn is planned, for the first estimates of the actions to choose from; 0:
                they are as inside the tree. A learned value plans as its agent does.
            lookahead: False: there is no first estimate inside the tree.
            net: the network that helps, or the learned value that takes the place of the game's: a model as `agents.load` takes it,
                or nothing.
            prior: weight of its policy, the constant of PUCT.
            value: share of its value where a simulation ends, 0 to 1; the rest is the game's own value.
            script: weight of the game's prior in the first estimate of an action.
            others: with more than two players, whether each is taken to do what is best for the own side ("selfish"; max^n, Luckhart and
                Irani, 1986), or what is worst for the one who searches ("paranoid"; Sturtevant and Korf, 2000). Of two it is the same.
            opponent: the agent, made for `game`, that all others are known to be; None: they do what is best for them.
            threads: how many decisions are searched at once.
            on_mismatch: whether a network of other rules is refused or only warned of.

        Raises:
            OptionError: a number out of its range, `net` names no model, `prior` or `value` is given without a network that has them, or
                `opponent` does not choose by compiled code alone or was made for other rules.
            ModelError: a network that cannot be used, or was made for other rules.
        """
        ranges = {
            "simulations": (simulations, 1, MAX_SIMULATIONS),
            "seconds": (1.0 if seconds is None else seconds, 1e-6, MAX_SECONDS),
            "exploration": (_EXPLORATION if exploration is None else exploration, 0.0, 1e6),
            "trust": (trust, 1e-3, 1e6),
            "grow": (grow, 1, 10_000),
            "root": (root, 0.0, 1e6),
            "plans": (plans, 0, _MOST_PLANS),
            "prior": (prior, 0.0, 1e6),
            "value": (value, 0.0, 1.0),
            "script": (script, 0.0, 1e6),
        }
        arguments.check_ranges("mcts", ranges)
        known = _usual(game)
        if not net and (prior, value) != (known["prior"], known["value"]):
            raise OptionError("mcts: prior and value need a network, net=path/to/model.safetensors")
        options = {
            "exploration": exploration,
            "trust": trust,
            "scale": scale,
            "horizon": horizon,
            "rollout": rollout,
            "width": width,
            "grow": grow,
            "reach": reach,
            "root": root,
            "plans": plans,
            "lookahead": lookahead,
            "net": net,
            "prior": prior,
            "value": value,
            "script": script,
            "others": others,
        }
        budget = str(simulations) if seconds is None else f"{seconds:g}s"
        self._opponent = None if opponent is None else check_opponent(opponent, game)
        against = "" if opponent is None else f" against {opponent.name}"
        self.name = f"mcts:{budget}{arguments.differing(options, known)}{against}"
        self.simulations = simulations
        self.seconds = seconds
        self.simulated = 0  # game decisions made inside all searches so far
        self.simulations_done = 0  # of all searches so far; fewer than asked for where the choice was clear before
        first_look = int(root * (simulations if seconds is None else seconds * PACE))
        self.policy = make_policy("mcts", rollout, width, reach, scale, horizon, others, game.num_players)
        self._game = game
        found = _load_network(net, game, threads, on_mismatch) if net else None
        self.value = found if isinstance(found, ValueAgent) else None
        if self.value is not None and (prior, value) != (known["prior"], known["value"]):
            raise OptionError(f"mcts: {net} is a learned value, which has no prior and is the value")
        if self.value is not None and plans != known["plans"]:
            raise OptionError(f"mcts: {net} is a learned value, which plans in its own way; leave plans out")
        if exploration is None:
            exploration = _EXPLORATION if self.value is None else _EXPLORATION_LEARNED
        self.settings = Settings(
            float(exploration),
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
        if self.value is not None:  # what it plans by tells how likely a win is, if nobody reacts
            self.win_chances = self.value.win_chances
        self._guide = found if isinstance(found, Guide) else no_guide()
        guided = isinstance(found, Guide)
        chosen_by = None if opponent is None else opponent._kernel
        self._kernel = kernel(game, guided, None if self.value is None else learned(game), chosen_by)
        self._workers = Workers(game, threads, self._new_scratch)
        # Called once here, so that a first compilation happens now and says so.
        done = announce(f"{game.id}.{_kind(guided, self.value is not None, opponent is not None)}")
        state = np.array([game.new(seed=0)], game.state_dtype)
        self._search(state, 0, np.uint64(0), self._new_scratch(1), 1, None)
        done()

    def act_states(self, states: Records, players: Players, rng: np.random.Generator) -> Actions:
        """(N,) records and (N,) players to move -> (N,) int64 ids.

        StateError where a record belongs to a game with other options.
        """
        states, players = self._workers.admit(states, players)
        seeds = rng.integers(0, 2**64, size=len(states), dtype=np.uint64)
        out = np.empty(len(states), np.int64)
        planned, seconds = None, self.seconds
        if self._planner is not None:
            begin = time.perf_counter()
            chances = self._planner.win_chances(states, players, rng).clip(_SURE, 1.0 - _SURE)
            planned = UNIT * np.log(chances / (1.0 - chances))
            if seconds is not None and len(states):  # what the plans took is a part of it
                together = min(len(states), self._workers.threads)
                seconds -= (time.perf_counter() - begin) * together / len(states)

        def decide(turn: npt.NDArray[np.int64], _: int, scratch: Scratch) -> None:
            if (row := next_turn(turn)) >= len(states):
                return
            self._workers.check(states, np.array([row]))
            if planned is not None:
                scratch.tree.planned[:] = planned[row]
            state = states[row : row + 1]
            out[row] = self._search(state, int(players[row]), seeds[row], scratch, self.simulations, seconds)

        self._workers.share(len(states), decide)
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
                    scratch.lines,
                    scratch.tree,
                    self._guide,
                    scratch.thoughts,
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
            self._new_tree(simulations),
            new_thoughts(self._guide.network, self._game.layout.size, self._game.num_actions),
        )

    def _new_tree(self, simulations: int) -> Tree:
        # Where there is no more room the tree stops growing, not the search.
        actions = len(self._game.action_names)
        room = min(simulations * self.settings.grow, NODES)
        return Tree(
            np.zeros(room + 1, NODE),
            np.zeros(room * _SPREAD + actions + 1, EDGE),
            np.zeros(4, np.int64),
            np.zeros(DEPTH, np.int64),
            np.zeros(DEPTH, np.int64),
            np.zeros(self._game.num_players),
            np.full(actions, np.nan),
            np.zeros((min(simulations, WORLDS), 2), np.uint64),
        )
