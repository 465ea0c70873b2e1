"""The agent that searches: information-set Monte Carlo tree search over worlds that its player cannot tell apart.

For each decision it grows one tree from the view of the player who decides (Cowling, Powley and Whitehouse, 2012). Every simulation

* copies the game and redraws what its player cannot know (`determinize`, with a seed of its own), so that neither the opponent's cards nor
  the next draws are seen;
* goes down the tree by UCB1 among the actions that are legal in this world, adding nodes on the way. Whoever is to move takes what is best
  for the own side, and an action is weighed against how often it could have been taken, since many are legal in some worlds only;
* where the tree ends, plays on by the likely actions: the best of some by the first judgement below;
* ends where the main phase (a free decision without a "do nothing") has gone from one player to the other `horizon` times, and writes the
  value of that position, `evaluate` squashed into -1..1, into every action on the way. All simulations so end at the same kind of
  point: values before and after an opponent's turn cannot be compared.

The first judgement of an action: it is tried on a copy, the play is completed (windows are passed, the choices that belong to it are
searched as far as a small budget goes) and evaluated. What was never tried is believed to be worth what its node is worth, less what this
judgement finds it worse than the best of the node.

Two things keep chance out of the comparison of actions, without which small differences drown in the luck of the draw: the nth visit of
each action of the root is to the nth world with the same chance, and the likely actions depend on no chance where all of them are judged.

Nodes are told apart by the actions that lead to them and by who has to decide what kind of thing there. An opponent's voluntary pass leads
to the same node as a pass that the engine made for want of a choice: the player could not tell these apart either. What an opponent
chooses face down is, inside the tree, known to both; in the game itself nothing hidden is used.

The action most often visited is taken; ties are broken by its value, then by the agent's random numbers. Everything runs in
compiled code that allocates nothing and releases the GIL; each decision depends on its own seed alone, so threads change nothing.
"""

from __future__ import annotations

import itertools
import re
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from agents.protocol import Actions
from react_env.engine.compile import announce, njit
from react_env.engine.kernels import foreign_hash
from react_env.engine.rng import below, next_word
from react_env.errors import OptionError, StateError

DEPTH = 256  # actions on one line of the tree
NESTED = 32  # choices within one play that the first judgement searches
SLICE = 16  # simulations between two looks at the clock
NODES = 1 << 15  # nodes of a tree at most; a search goes on in one that is full
WORLDS = 4096  # different guesses of what is hidden, at most
MAX_SIMULATIONS = 1_000_000
MAX_SECONDS = 3600.0
_SPREAD = 24  # actions of a node for which there is room, on average
_LONGEST = 2000  # decisions of a simulation, after which the position is judged as it stands
_PLAY = 200  # decisions in which a play that was begun is completed, likewise

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
            ("total", "f8"),  # sum of the values found, for the player who searches
            ("prior", "f8"),  # what it was believed to be worth at first
            ("action", "i4"),
            ("next", "i4"),  # the next edge of the same node, -1 none
            ("node", "i4"),  # the first node it leads to, -1 none
            ("visits", "i4"),
            ("chances", "i4"),  # how often it could have been visited
            ("open", "i4"),  # whether the world at hand allows it
        ],
    )
)
# Rows of the games at hand: the present line, one of which only the random stream is used, and from the third the look ahead.
_LINE, _DICE, _AHEAD = range(3)

_KERNELS: dict[tuple[Any, ...], Any] = {}


class Settings(NamedTuple):
    """How the search weighs; see `SearchAgent`."""

    exploration: float
    trust: float
    scale: float
    horizon: int
    width: int
    grow: int
    reach: int
    lookahead: int


def kernel(rules: Any) -> Any:
    """The compiled search over the functions of `rules`; made once for each set of functions."""
    key = (rules.apply, rules.legal, rules.determinize, rules.evaluate, rules.follow_up, rules.window)
    if key not in _KERNELS:
        _KERNELS[key] = _make_kernel(rules, key)
    return _KERNELS[key]


def _make_kernel(rules: Any, key: tuple[Any, ...]) -> Any:
    apply, legal, determinize = rules.apply, rules.legal, rules.determinize
    evaluate, follow_up, window = rules.evaluate, rules.follow_up, rules.window
    prefix = f"{rules.id}{foreign_hash(key)}.search"

    @njit(name=f"{prefix}.any_of")
    def any_of(mask: Any, dice: Any) -> Any:
        """A random legal action."""
        count = 0
        for action in range(mask.shape[0]):
            if mask[action]:
                count += 1
        left = below(dice, count)
        for action in range(mask.shape[0]):
            if mask[action]:
                if left == 0:
                    return action
                left -= 1
        return 0

    @njit(name=f"{prefix}.judge")
    def judge(games: Any, t: Any, player: Any, action: Any, settings: Any, masks: Any, cursor: Any, best: Any) -> Any:
        """Value in -1..1 for `player` of `action` in the game games[_AHEAD], and the number of decisions it took to find it.

        Windows are passed, and the choices that complete a play are searched depth first, each player taking what is best for the own
        side, until `reach` decisions are spent; then the first choice is taken.
        """
        depth = _AHEAD
        apply(games[depth], t, action, masks[depth])
        spent = 1
        limit = settings.reach + _PLAY
        arrived = True
        while True:
            s = games[depth]
            mask = masks[depth]
            if arrived:
                while s.over == 0 and follow_up(s) == 0 and window(s) >= 0 and spent < limit:
                    apply(s, t, window(s), mask)
                    spent += 1
                if s.over == 0 and follow_up(s) != 0 and spent < limit and depth + 1 < games.shape[0]:
                    cursor[depth] = 0
                    best[depth] = -np.inf if s.to_play == player else np.inf
                    arrived = False
                    continue
                value = evaluate(s, t, player)
            else:
                choice = cursor[depth]
                while choice < mask.shape[0] and not mask[choice]:
                    choice += 1
                if choice < mask.shape[0] and (cursor[depth] == 0 or spent < settings.reach):
                    cursor[depth] = choice + 1
                    games[depth + 1] = games[depth]
                    depth += 1
                    apply(games[depth], t, choice, masks[depth])
                    spent += 1
                    arrived = True
                    continue
                value = best[depth]
            depth -= 1
            if depth < _AHEAD:
                return np.tanh(value / settings.scale), spent
            if games[depth].to_play == player:
                best[depth] = max(best[depth], value)
            else:
                best[depth] = min(best[depth], value)
            arrived = False

    @njit(name=f"{prefix}.likely")
    def likely(games: Any, t: Any, player: Any, settings: Any, masks: Any, cursor: Any, ahead: Any) -> Any:
        """What the player to move in games[_LINE] is taken to do outside the tree, and the number of decisions it took to find it.

        The best of `width` actions by `judge`: the one with the lowest id, which is the one that does no more where there is such a
        thing, and others drawn at random. With a width of 1 a random action.
        """
        s = games[_LINE]
        mask = masks[_LINE]
        if settings.width <= 1:
            return any_of(mask, games[_DICE]), 0
        left = 0
        for action in range(mask.shape[0]):
            if mask[action]:
                left += 1
        wanted = np.int64(settings.width) if settings.width < left else np.int64(left)
        chosen, top, spent = np.int64(-1), -np.inf, 0
        sign = 1.0 if s.to_play == player else -1.0
        for action in range(mask.shape[0]):
            if mask[action]:
                if chosen < 0 or below(games[_DICE], left) < wanted:
                    wanted -= 1
                    if chosen < 0 and wanted == 0:
                        return np.int64(action), spent
                    games[_AHEAD] = s
                    value, took = judge(games, t, player, action, settings, masks, cursor, ahead)
                    spent += took
                    if sign * value > top:
                        chosen, top = np.int64(action), sign * value
                left -= 1
        return chosen, spent

    @njit(name=f"{prefix}.descend")
    def descend(
        games: Any,
        t: Any,
        player: Any,
        settings: Any,
        masks: Any,
        nodes: Any,
        edges: Any,
        sizes: Any,
        path: Any,
        cursor: Any,
        ahead: Any,
    ) -> None:
        """One simulation from the determinized game games[_LINE], whose legal actions are masks[_LINE]: the tree has learned then.

        sizes (3,): nodes and edges in use, decisions made so far.
        """
        s = games[_LINE]
        mask = masks[_LINE]
        node: Any = np.int64(0)  # -1 outside the tree
        path[0] = 0
        depth = 1
        grown = 0
        turns = 0
        turn_of = np.int64(-1)
        made = 0
        spent = 0
        while s.over == 0 and made < _LONGEST:
            if follow_up(s) == 0 and window(s) < 0:
                if turn_of >= 0 and turn_of != s.to_play:
                    turns += 1
                    if turns == settings.horizon:
                        break
                turn_of = np.int64(s.to_play)
            best = np.int64(-1)
            sign = 1.0 if s.to_play == player else -1.0
            if node >= 0:
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
                for action in range(mask.shape[0]):
                    if mask[action] and sizes[1] < edges.shape[0]:
                        prior = 0.0
                        if settings.lookahead != 0:
                            games[_AHEAD] = s
                            prior, took = judge(games, t, player, action, settings, masks, cursor, ahead)
                            spent += took
                        highest = max(highest, sign * prior)
                        edge = sizes[1]
                        sizes[1] += 1
                        e = edges[edge]
                        e.total, e.prior, e.action, e.next, e.node = 0.0, prior, action, -1, -1
                        e.visits, e.chances, e.open = 0, 1, 1
                        if last < 0:
                            nodes[node].first = edge
                        else:
                            edges[last].next = edge
                        last = edge
                # The best of them. What was never tried is worth what the node is worth, less what speaks against it at first sight.
                via = nodes[node].via
                mean = sign * edges[via].total / max(edges[via].visits, 1)
                top = -np.inf
                edge = np.int64(nodes[node].first)
                while edge >= 0:
                    e = edges[edge]
                    if e.open != 0:
                        weight = e.visits + settings.trust
                        score = (sign * e.total + settings.trust * (mean + sign * e.prior - highest)) / weight
                        score += settings.exploration * np.sqrt(np.log(e.chances + 1.0) / weight)
                        if score > top:
                            best, top = edge, score
                    edge = np.int64(e.next)
            if best >= 0:
                chosen = np.int64(edges[best].action)
            else:
                if node >= 0:  # no room for its edges
                    node = np.int64(-1)
                    legal(s, t, mask)
                chosen, took = likely(games, t, player, settings, masks, cursor, ahead)
                spent += took
            passed = sign < 0.0 and node > 0 and chosen == window(s) and follow_up(s) == 0
            apply(s, t, chosen, mask)
            made += 1
            if best < 0 or depth == path.shape[0]:
                node = np.int64(-1)
                continue
            path[depth] = best
            depth += 1
            if s.over != 0:
                break
            # The node to which this leads; a pass of the others leads to where the engine's own pass would have led.
            via = best
            if passed and s.to_play == player:
                via = np.int64(nodes[node].via)
            kind = s.to_play + 16 * (1 if follow_up(s) != 0 else 0) + 32 * (1 if window(s) >= 0 else 0)
            found = np.int64(edges[via].node)
            while found >= 0 and nodes[found].kind != kind:
                found = np.int64(nodes[found].sibling)
            if found < 0 and grown < settings.grow and sizes[0] < nodes.shape[0]:
                grown += 1
                found = sizes[0]
                sizes[0] += 1
                n = nodes[found]
                n.kind, n.sibling, n.first, n.via = kind, edges[via].node, -1, via
                edges[via].node = found
            node = found
        value = np.tanh(evaluate(s, t, player) / settings.scale)
        for i in range(depth):
            e = edges[path[i]]
            e.visits += 1
            e.total += value
        sizes[2] += spent + made

    @njit(name=f"{prefix}.decide")
    def decide(
        state: Any,
        tables: Any,
        player: Any,
        seed: Any,
        first: Any,
        last: Any,
        settings: Any,
        games: Any,
        masks: Any,
        nodes: Any,
        edges: Any,
        sizes: Any,
        path: Any,
        cursor: Any,
        ahead: Any,
        worlds: Any,
    ) -> Any:
        """Simulations number first to last - 1 for the game state[0]: the action that is best then, or ~action if it is the only one.

        seed: uint64, of the whole decision; where `first` is above 0 the search goes on with the tree as it is.
        """
        t = tables[state[0].table]
        root = masks[_DICE]
        dice = games[_DICE]
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
            only, count = -1, 0
            for action in range(root.shape[0]):
                if root[action]:
                    only = action
                    count += 1
            if count <= 1:
                return ~only
        for _ in range(first, last):
            # The nth visit to each action is to the nth world with the same chance: what then differs is what the actions do.
            best, top = np.int64(0), -np.inf
            mean = edges[0].total / max(edges[0].visits, 1)
            highest = -np.inf
            edge = np.int64(nodes[0].first)
            while edge >= 0:
                highest = max(highest, edges[edge].prior)
                edge = np.int64(edges[edge].next)
            edge = np.int64(nodes[0].first)
            while edge >= 0:
                e = edges[edge]
                weight = e.visits + settings.trust
                score = (e.total + settings.trust * (mean + e.prior - highest)) / weight
                score += settings.exploration * np.sqrt(np.log(edges[0].visits + 1.0) / weight)
                if score > top:
                    best, top = edge, score
                edge = np.int64(e.next)
            if best == 0:
                masks[_LINE] = root
                world = 0
            else:
                masks[_LINE] = False
                masks[_LINE, edges[best].action] = True
                world = edges[best].visits % worlds.shape[0]
            games[_LINE] = state[0]
            games[_LINE].rng = worlds[world, 0]
            determinize(games[_LINE], t, player)
            dice.rng = worlds[world, 1]
            descend(games, t, player, settings, masks, nodes, edges, sizes, path, cursor, ahead)
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


def from_argument(game: Any, argument: str, threads: int) -> SearchAgent:
    """The agent ``mcts:ARGUMENT``: a number of simulations (256) or of seconds for each decision (0.5s); nothing: the default.

    OptionError for anything else.
    """
    if not argument:
        agent = SearchAgent(game, threads=threads)
        agent.name = "mcts"
        return agent
    if re.fullmatch(r"[0-9]{1,9}", argument) and 1 <= int(argument) <= MAX_SIMULATIONS:
        return SearchAgent(game, simulations=int(argument), threads=threads)
    if re.fullmatch(r"[0-9]{1,9}(\.[0-9]{1,6})?s", argument) and 0 < float(argument[:-1]) <= MAX_SECONDS:
        return SearchAgent(game, seconds=float(argument[:-1]), threads=threads)
    raise OptionError(
        f"mcts:{argument}: give simulations for each decision, a whole number from 1 to {MAX_SIMULATIONS} (mcts:256), or seconds up to "
        f"{MAX_SECONDS:g} (mcts:0.5s)"
    )


class SearchAgent:
    """Information-set Monte Carlo tree search."""

    def __init__(
        self,
        game: Any,
        *,
        simulations: int = 256,
        seconds: float | None = None,
        exploration: float = 0.05,
        trust: float = 4.0,
        scale: float = 150.0,
        horizon: int = 1,
        width: int = 6,
        grow: int = 20,
        reach: int = 30,
        lookahead: bool = True,
        threads: int = 1,
    ) -> None:
        """A search ready for `game`.

        Args:
            game: the rules. With more than two players all others are taken to play against the one who searches.
            simulations: for each decision.
            seconds: instead of `simulations`, the time for each decision; what is chosen then depends on the machine.
            exploration: the constant of UCB1.
            trust: as how many visits the first judgement of an action counts.
            scale: what `evaluate` says of a position that is worth tanh(1) = 0.76 of a win.
            horizon: how often the main phase goes to another player until a simulation is judged; 0: only the end of the game is.
            width: how many actions are judged to find the likely one outside the tree; 1: it is drawn, all equally likely.
            grow: nodes that a simulation may add to the tree.
            reach: decisions that the first judgement of an action may take, about.
            lookahead: False: there is no first judgement inside the tree.
            threads: how many decisions are searched at once.

        Raises:
            OptionError: a number out of its range.
        """
        ranges: tuple[tuple[str, float, float, float], ...] = (
            ("simulations", simulations, 1, MAX_SIMULATIONS),
            ("seconds", 1.0 if seconds is None else seconds, 1e-6, MAX_SECONDS),
            ("exploration", exploration, 0.0, 1e6),
            ("trust", trust, 1e-3, 1e6),
            ("scale", scale, 1e-6, 1e9),
            ("horizon", horizon, 0, 10_000),
            ("width", width, 1, 10_000),
            ("grow", grow, 1, 10_000),
            ("reach", reach, 1, 1_000_000),
            ("threads", threads, 1, 10_000),
        )
        for name, value, low, high in ranges:
            if not low <= value <= high:
                raise OptionError(f"mcts: {name} must be from {low:g} to {high:g}, not {value!r}")
        self.name = f"mcts:{simulations}" if seconds is None else f"mcts:{seconds:g}s"
        self.simulations = simulations
        self.seconds = seconds
        self.threads = threads
        self.simulated = 0  # game decisions made inside all searches so far
        self.settings = Settings(
            float(exploration),
            float(trust),
            float(scale),
            int(horizon),
            int(width),
            int(grow),
            int(reach),
            int(lookahead),
        )
        self._rules = game.rules
        self._kernel = kernel(game.rules)
        self._scratch: list[tuple[Any, ...]] = []
        # Called once here, so that a first compilation happens now and says so.
        done = announce(f"{game.rules.id}.search")
        self._search(np.array([game.new(seed=0)], game.state_dtype), 0, np.uint64(0), self._new_scratch(1), 1, None)
        done()

    def act_states(self, states: npt.NDArray[Any], players: npt.NDArray[np.int64], rng: np.random.Generator) -> Actions:
        """(N,) records and (N,) players to move -> (N,) int64 ids.

        StateError where a record belongs to a game with other options.
        """
        count = len(states)
        if count and not 0 <= states["table"].min() <= states["table"].max() < len(self._rules.tables):
            raise StateError(f"{self._rules.id}: there are states of a game with other options among these")
        states = np.ascontiguousarray(states)
        seeds = rng.integers(0, 2**64, size=count, dtype=np.uint64)
        out = np.empty(count, np.int64)
        rows = itertools.count()

        def work(worker: int) -> None:
            # The decisions are handed out one by one, since they differ much in what they cost.
            scratch = self._scratch[worker]
            while (row := next(rows)) < count:
                out[row] = self._search(
                    states[row : row + 1], int(players[row]), seeds[row], scratch, self.simulations, self.seconds
                )

        workers = min(self.threads, count)
        while len(self._scratch) < workers:
            self._scratch.append(self._new_scratch(self.simulations if self.seconds is None else NODES))
        if workers <= 1:
            if count:
                work(0)
        else:
            with ThreadPoolExecutor(workers) as pool:
                list(pool.map(work, range(workers)))
        for scratch in self._scratch:
            sizes = scratch[4]
            self.simulated += int(sizes[2])
            sizes[2] = 0
        return out

    def _search(
        self,
        state: npt.NDArray[Any],
        player: int,
        seed: np.uint64,
        scratch: tuple[Any, ...],
        simulations: int,
        seconds: float | None,
    ) -> int:
        """The action for the game state[0]."""
        tables = self._rules.tables
        if seconds is None:
            chosen = int(self._kernel(state, tables, player, seed, 0, simulations, self.settings, *scratch))
        else:
            end = time.perf_counter() + seconds
            begin = 0
            while True:
                chosen = int(self._kernel(state, tables, player, seed, begin, begin + SLICE, self.settings, *scratch))
                begin += SLICE
                if chosen < 0 or time.perf_counter() >= end:
                    break
        return ~chosen if chosen < 0 else chosen

    def _new_scratch(self, simulations: int) -> tuple[Any, ...]:
        # Where there is no more room the tree stops growing, not the search.
        actions = len(self._rules.action_names)
        room = min(simulations * self.settings.grow, NODES)
        return (
            np.zeros(_AHEAD + NESTED, self._rules.state_dtype),
            np.zeros((_AHEAD + NESTED, actions), np.bool_),
            np.zeros(room + 1, NODE),
            np.zeros(room * _SPREAD + actions + 1, EDGE),
            np.zeros(3, np.int64),
            np.zeros(DEPTH, np.int64),
            np.zeros(_AHEAD + NESTED, np.int64),
            np.zeros(_AHEAD + NESTED, np.float64),
            np.zeros((min(simulations, WORLDS), 2), np.uint64),
        )
