"""The tree of the search, compiled: how it is walked down, how it grows, and what it learns from a simulation. `mcts` explains it."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from react_env.agents.models.network import Thoughts
from react_env.agents.search.guide import make_questions
from react_env.agents.search.lookahead import Lines, no_prior
from react_env.agents.search.opponent import make_answer
from react_env.agents.search.rollout import DICE, LINE, make_parts
from react_env.agents.search.sharing import copy_row
from react_env.engine.compile import njit
from react_env.engine.game import Game, once_per_game
from react_env.engine.kernels import count_legal, nth_legal
from react_env.engine.rng import below, next_word

NODES = 1 << 15  # most nodes of a tree; a search goes on when it is full
DEPTH = 256  # actions on one line of the tree
WORLDS = 4096  # most different guesses of what is hidden
_SPREAD = 24  # actions for which a node has room, on average
_PLANNED = 32.0  # how many visits the value that a plan finds for an action counts as

NODE = np.dtype(
    (
        np.record,
        [
            ("kind", "i4"),  # who decides, and what kind of decision it is
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
            # Sum of the values found, for the searching player, or if each is selfish, for the player who takes it.
            ("total", "f8"),
            ("prior", "f8"),  # its first estimate
            ("probability", "f8"),  # its probability by the network's policy
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
    """How the tree weighs and grows; see `react_env.agents.search.mcts.SearchAgent`."""

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
    worths: npt.NDArray[np.float64]  # (P,) what its end is worth to each player
    planned: npt.NDArray[np.float64]  # (A,) the values of the root's actions by plans; nan: there are no plans
    worlds: npt.NDArray[np.uint64]  # (W, 2) seeds of the guesses of what is hidden, and of the dice that go with each


class Scratch(NamedTuple):
    """Memory of one worker."""

    lines: Lines
    tree: Tree
    thoughts: Thoughts


def new_tree(game: Any, simulations: int, grow: int) -> Tree:
    """Room for a search of `simulations` that add `grow` nodes each. When it is used up, the search goes on without growing the tree."""
    actions = len(game.action_names)
    room = min(simulations * grow, NODES)
    return Tree(
        np.zeros(room + 1, NODE),
        np.zeros(room * _SPREAD + actions + 1, EDGE),
        np.zeros(4, np.int64),
        np.zeros(DEPTH, np.int64),
        np.zeros(DEPTH, np.int64),
        np.zeros(game.num_players),
        np.full(actions, np.nan),
        np.zeros((min(simulations, WORLDS), 2), np.uint64),
    )


def kind_of_search(guided: bool, learned: bool, opposed: bool) -> str:
    """What a search is called in the cache and in messages."""
    return f"{'guided_' * guided}{'learned_' * learned}{'opposed_' * opposed}search"


@once_per_game
def make_search(game: Game, guided: bool = False, learned_value: Any = None, opponent: Any = None) -> Any:
    """The compiled search, `guided` by a network or not. A `learned_value` replaces the game's own. `opponent`: the compiled choice of an
    agent that plays for the others.
    """
    apply, legal, determinize = game.rules.apply, game.rules.legal, game.rules.determinize
    unfinished, pass_action = game.heuristics.unfinished, game.heuristics.pass_action
    prior_of = game.heuristics.prior or no_prior
    prefix = f"{game.id}.{kind_of_search(guided, learned_value is not None, opponent is not None)}"
    opposed, answer = opponent is not None, make_answer(opponent, prefix)
    parts = make_parts(game, prefix, learned_value, answer if opposed else None)
    action_value, value_of, play_out, find_origin, _ = parts
    find_policy, find_worth = make_questions(game, prefix, guided)

    @njit(name=f"{prefix}.own_mean")
    def own_mean(n: Any, edges: Any) -> Any:
        """The mean value of a node so far, for the player to move there."""
        total, visits = 0.0, 0
        edge = np.int64(n.first)
        while edge >= 0:
            total += edges[edge].total
            visits += edges[edge].visits
            edge = np.int64(edges[edge].next)
        return total / max(visits, 1)

    @njit(name=f"{prefix}.bound")
    def bound(e: Any, sign: Any, mean: Any, highest: Any, trust: Any, chances: Any, settings: Any) -> Any:
        """The most that an action may be worth to the player to move. An untried action is worth as much as its node, minus what its first
        estimate puts it below the best."""
        weight = e.visits + trust
        score = (sign * e.total + trust * (mean + sign * e.prior - highest)) / weight
        score += settings.exploration * np.sqrt(np.log(chances + 1.0) / weight)
        if guided:
            score += settings.prior * e.probability * np.sqrt(float(chances)) / (e.visits + 1)
        return score

    @njit(name=f"{prefix}.favourite")
    def favourite(
        n: Any, edges: Any, sign: Any, mean: Any, highest: Any, trust: Any, chances: Any, settings: Any
    ) -> Any:
        """The edge of a node that may be worth most, -1 if there is none. `chances`: how often each could have been visited; 0: each edge's
        own number, and only edges that the world at hand allows."""
        best, top = np.int64(-1), -np.inf
        edge = np.int64(n.first)
        while edge >= 0:
            e = edges[edge]
            if chances > 0 or e.open != 0:
                score = bound(e, sign, mean, highest, trust, chances if chances > 0 else e.chances, settings)
                if score > top:
                    best, top = edge, score
            edge = np.int64(e.next)
        return best

    @njit(name=f"{prefix}.add_edge")
    def add_edge(n: Any, edges: Any, sizes: Any, last: Any, action: Any, prior: Any, probability: Any) -> Any:
        """Adds an edge for an action after the last edge of a node (-1: it has none), and returns it."""
        edge = sizes[1]
        sizes[1] += 1
        e = edges[edge]
        e.total, e.prior, e.action, e.next, e.node = 0.0, prior, action, -1, -1
        e.probability = probability
        e.visits, e.chances, e.open = 0, 1, 1
        if last < 0:
            n.first = edge
        else:
            edges[last].next = edge
        return edge

    @njit(name=f"{prefix}.edge_of")
    def edge_of(n: Any, edges: Any, sizes: Any, action: Any) -> Any:
        """The edge of an action, which is added if there is none; -1 if there is no room for it."""
        last = np.int64(-1)
        edge = np.int64(n.first)
        while edge >= 0:
            if edges[edge].action == action:
                return edge
            last, edge = edge, np.int64(edges[edge].next)
        return add_edge(n, edges, sizes, last, action, 0.0, 0.0) if sizes[1] < edges.shape[0] else np.int64(-1)

    @njit(name=f"{prefix}.allow")
    def allow(n: Any, edges: Any, mask: Any, sign: Any) -> Any:
        """Opens the edges of a node that this world allows: (its last edge or -1, the highest first estimate of the open ones).

        Only actions without an edge are left in the mask.
        """
        last, highest = np.int64(-1), -np.inf
        edge = np.int64(n.first)
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
        return last, highest

    @njit(name=f"{prefix}.ask")
    def ask(n: Any, edges: Any, s: Any, t: Any, mask: Any, guide: Any, thoughts: Any) -> None:
        """Asks the network about all legal actions, also those that have an edge. Afterwards the mask is again without these."""
        legal(s, t, mask)
        find_policy(guide, thoughts, s, t, mask)
        edge = np.int64(n.first)
        while edge >= 0:
            mask[edges[edge].action] = False
            edge = np.int64(edges[edge].next)

    @njit(name=f"{prefix}.widen")
    def widen(
        t: Any, player: Any, node: Any, settings: Any, policy: Any, lines: Any, tree: Any, guide: Any, thoughts: Any
    ) -> Any:
        """Gives every legal action of the game on LINE an edge of `node`, with its first estimate, and opens the
        edges: (the highest first estimate, game decisions made).
        """
        edges, sizes = tree.edges, tree.sizes
        n, s, mask = tree.nodes[node], lines.games[LINE], lines.masks[LINE]
        sees = np.int64(s.to_play) if policy.selfish else player
        sign = 1.0 if s.to_play == sees else -1.0
        last, highest = allow(n, edges, mask, sign)
        reach, spent = np.int64(policy.reach), 0
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
                    if not asked:
                        ask(n, edges, s, t, mask, guide, thoughts)
                        asked = True
                    probability = thoughts.policy[action]
                highest = max(highest, sign * prior)
                last = add_edge(n, edges, sizes, last, action, prior, probability)
        return highest, spent

    @njit(name=f"{prefix}.arrive")
    def arrive(s: Any, nodes: Any, edges: Any, sizes: Any, via: Any, room: Any) -> Any:
        """The node that the edge `via` leads to when the game is s, added if there is `room`; -1 if there is none."""
        kind = s.to_play + 16 * (1 if unfinished(s) != 0 else 0) + 32 * (1 if pass_action(s) >= 0 else 0)
        found = np.int64(edges[via].node)
        while found >= 0 and nodes[found].kind != kind:
            found = np.int64(nodes[found].sibling)
        if found < 0 and room and sizes[0] < nodes.shape[0]:
            found = np.int64(sizes[0])
            sizes[0] += 1
            n = nodes[found]
            n.kind, n.sibling, n.first, n.via = kind, edges[via].node, -1, via
            edges[via].node = found
        return found

    @njit(name=f"{prefix}.mixed")
    def mixed(s: Any, t: Any, q: Any, value: Any, settings: Any, guide: Any, thoughts: Any) -> Any:
        """The value of the end of a simulation for player q, mixed with the network's value by its share."""
        if guided and settings.value > 0.0:
            worth = float(s.reward[q]) if s.over != 0 else find_worth(guide, thoughts, s, t, q)
            value += settings.value * (worth - value)
        return value

    @njit(name=f"{prefix}.credit")
    def credit(
        s: Any,
        t: Any,
        player: Any,
        value: Any,
        depth: Any,
        settings: Any,
        policy: Any,
        lines: Any,
        tree: Any,
        guide: Any,
        thoughts: Any,
    ) -> None:
        """Adds the value of a simulation to the `depth` edges on the path to s."""
        worths = tree.worths
        worths[:] = mixed(s, t, player, value, settings, guide, thoughts)
        if policy.selfish:
            for q in range(worths.shape[0]):
                if q != player:
                    own = np.tanh((value_of(s, t, q, lines.params) - lines.origin[q]) / policy.scale)
                    worths[q] = mixed(s, t, q, own, settings, guide, thoughts)
        for i in range(depth):
            e = tree.edges[tree.path[i]]
            e.visits += 1
            e.total += worths[tree.movers[i]]

    @njit(name=f"{prefix}.descend")
    def descend(
        t: Any, player: Any, settings: Any, policy: Any, lines: Any, tree: Any, guide: Any, thoughts: Any
    ) -> None:
        """Runs one simulation from the determinized game on LINE, whose legal actions are in its mask, and updates the tree."""
        nodes, edges, sizes, path, movers = tree.nodes, tree.edges, tree.sizes, tree.path, tree.movers
        s, mask = lines.games[LINE], lines.masks[LINE]
        node: Any = np.int64(0)
        path[0], movers[0] = 0, player
        depth, grown, turns, spent = 1, 0, 0, 0
        turn_of = np.int64(-1)
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
                sign = 1.0 if policy.selfish or s.to_play == player else -1.0
                highest, took = widen(t, player, node, settings, policy, lines, tree, guide, thoughts)
                spent += took
                via = nodes[node].via
                mean = sign * edges[via].total / max(edges[via].visits, 1)
                if policy.selfish and node != 0:
                    mean = own_mean(nodes[node], edges)
                best = favourite(nodes[node], edges, sign, mean, highest, settings.trust, 0, settings)
            if best < 0:  # no room for its edges
                legal(s, t, mask)
                break
            chosen = np.int64(edges[best].action)
            passed = sign < 0.0 and node > 0 and chosen == pass_action(s) and unfinished(s) == 0
            path[depth], movers[depth] = best, np.int64(s.to_play)
            depth += 1
            apply(s, t, chosen, mask)
            spent += 1
            if s.over != 0:
                break
            # A pass of the others leads to where the engine's own pass would have led.
            via = np.int64(nodes[node].via) if passed and s.to_play == player else best
            before = sizes[0]
            node = arrive(s, nodes, edges, sizes, via, grown < settings.grow)
            if node < 0:
                break
            grown += sizes[0] - before
        value, took = play_out(lines, t, player, turns, turn_of, policy)
        credit(s, t, player, value, depth, settings, policy, lines, tree, guide, thoughts)
        sizes[2] += spent + took
        sizes[3] += 1

    @njit(name=f"{prefix}.plant")
    def plant(tree: Any, dice: Any, seed: Any) -> None:
        """Begins a tree with only the root, and draws the worlds for it."""
        dice.rng = seed
        for i in range(tree.worlds.shape[0]):
            tree.worlds[i, 0] = next_word(dice)
            tree.worlds[i, 1] = next_word(dice)
        tree.sizes[0], tree.sizes[1] = 1, 1
        n = tree.nodes[0]
        n.kind, n.sibling, n.first, n.via = -1, -1, -1, 0
        e = tree.edges[0]
        e.total, e.prior, e.action, e.next, e.node = 0.0, 0.0, -1, -1, 0
        e.visits, e.chances, e.open = 0, 0, 0

    @njit(name=f"{prefix}.lead")
    def lead(n: Any, edges: Any) -> Any:
        """(the highest first estimate of a node's actions, by how many visits the most visited is ahead of the next)."""
        highest, most, second = -np.inf, 0, 0
        edge = np.int64(n.first)
        while edge >= 0:
            e = edges[edge]
            highest = max(highest, e.prior)
            if e.visits > most:
                most, second = e.visits, most
            elif e.visits > second:
                second = e.visits
            edge = np.int64(e.next)
        return highest, most - second

    @njit(name=f"{prefix}.pick")
    def pick(n: Any, edges: Any, dice: Any) -> Any:
        """The most visited action; among equals the one that was worth most, and then any."""
        chosen, most, highest, equal = np.int64(-1), -1, -np.inf, 0
        edge = np.int64(n.first)
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
        scratch: Any,
        guide: Any,
    ) -> Any:
        """Runs simulations first to last - 1 for the game state[0]: the action that is best then, or ~action if it is the only one.

        raw_state (1, bytes): the same memory; seed: uint64, of the whole decision. If `first` is above 0, the search goes on with the tree
        as it is. `total`: how many simulations there will be, so that it can end as soon as no other action can catch up; 0: unknown.
        """
        lines, tree, thoughts = scratch
        nodes, edges, worlds = tree.nodes, tree.edges, tree.worlds
        games, masks = lines.games, lines.masks
        t, dice, root = tables[state[0].table], games[DICE], masks[DICE]
        if first == 0:
            plant(tree, dice, seed)
            legal(state[0], t, root)
            if count_legal(root) <= 1:
                return ~np.int64(nth_legal(root, 0))
        trust = settings.trust if np.isnan(tree.planned[0]) else max(settings.trust, _PLANNED)
        for number in range(first, last):
            highest, ahead = lead(nodes[0], edges)
            if total > 0 and total - number < ahead:
                break
            mean = edges[0].total / max(edges[0].visits, 1)
            best = favourite(nodes[0], edges, 1.0, mean, highest, trust, max(edges[0].visits, 1), settings)
            # The nth visit to each action goes to the nth world with the same luck, so actions differ only by what they do.
            world = 0
            if best < 0:
                copy_row(root, masks[LINE])
            else:
                masks[LINE] = False
                masks[LINE, edges[best].action] = True
                world = edges[best].visits % worlds.shape[0]
            copy_row(raw_state[0], lines.raw[LINE])
            games[LINE].rng = worlds[world, 0]
            determinize(games[LINE], t, player)
            if number == 0:
                find_origin(lines, t, player, policy)
            dice.rng = worlds[world, 1]
            descend(t, player, settings, policy, lines, tree, guide, thoughts)
        return pick(nodes[0], edges, dice)

    return decide
