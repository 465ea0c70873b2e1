"""Learning the value of positions by self-play: temporal differences, TD(lambda) (Sutton, 1988; Tesauro, 1995).

A policy must learn from scratch what a card does. A plan (`agents.search.planning`) works that out, and only needs to know which positions
are good. So this module trains a value (`players.learned_value`): the agent plays both seats by looking ahead with its current value, with
a small share of random moves, and the value of each position is drawn towards those of the later ones and the result. If the value
overrates a position, the agent plays for it, sees what follows, and learns better. That is why this works, while a value fitted once to
the games of another player does not.

The value is learned for positions at rest, in which a main phase waits for a decision. Each pass over the games of the last updates
computes their targets anew, by the current value.

What plays and what is kept is an average of the weights over the updates that favours the latest (polynomial-decay averaging: Shamir and
Zhang, 2013): the weights themselves swing with the games that were seen last, by more than the differences between actions.
"""

from __future__ import annotations

import copy
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor

import numpy as np
from numpy.typing import NDArray

from react_env import agents
from react_env.agents.models.model import Floats, ModelInfo, ValueArchitecture, Weights
from react_env.agents.protocol import AnyAgent
from react_env.engine.game import Game
from react_env.evaluation.cluster import Cluster
from react_env.extras import need
from react_env.training.algorithms.compiled import fill_targets
from react_env.training.algorithms.elsewhere import TablesElsewhere
from react_env.training.algorithms.learner import Watch
from react_env.training.algorithms.rollouts import SELF
from react_env.training.algorithms.tables import Games, Seen, Table, Tables, player
from react_env.training.algorithms.workers import Workers
from react_env.training.config import TrainConfig

with need("train", "torch"):
    import torch
    from torch import Tensor, nn

# Weights of the squared parameters in the loss. Those of single roles cost more, so that roles share what holds for all.
_ROLE_LINEAR, _ROLE_HIDDEN, _SHARED, _TABLE = 2e-4, 1e-4, 2e-5, 1e-3
_SPREAD = 0.1  # standard deviation of the initial hidden weights
_FIRST_EPOCHS = 4  # passes over the teacher's games
_LEAST = 32  # fewest of these games, however long they take
_PLAYING = 0.9  # share of the warm start's time in which they are played
_HELD = 2**28  # most numbers in memory for the features of those games: a gigabyte
_SMALLEST = 0.05  # least scale of a feature
_OUT = -1e9  # the strength of a player who is out


class ValueNet(nn.Module):
    """`react_env.agents.players.learned_value` for many positions at once: each weight is the sum of a shared part and a part of the role.

    A constant for each table and seat but the last says who is stronger there. It is not exported, because no action changes it.
    """

    scale: Tensor
    role: Tensor

    def __init__(self, shape: ValueArchitecture, roles: NDArray[np.int64]) -> None:
        """`roles` (T, P): the number of the role of each player at each table."""
        super().__init__()
        count, features, width = len(shape.roles), len(shape.features), shape.width
        self.linear = nn.Parameter(torch.zeros(features))
        self.linear_of = nn.Parameter(torch.zeros(count, features))
        self.own = nn.Parameter(_SPREAD * torch.randn(features, width))
        self.own_of = nn.Parameter(torch.zeros(count, features, width))
        self.other = nn.Parameter(_SPREAD * torch.randn(features, width))
        self.other_of = nn.Parameter(torch.zeros(count, features, width))
        self.bias = nn.Parameter(torch.zeros(width))
        self.out = nn.Parameter(torch.zeros(width))
        self.table = nn.Parameter(torch.zeros(len(roles), roles.shape[1] - 1))
        self.register_buffer("scale", torch.ones(features))
        self.register_buffer("role", torch.tensor(roles))

    def forward(self, features: Tensor, tables: Tensor) -> Tensor:
        """features (B, P, F), tables (B,) -> (B, P) strengths, whose softmax gives the chances to win; `_OUT` for a player who is out
        (with more than two)."""
        linear, own, other = self.linear + self.linear_of, self.own + self.own_of, self.other + self.other_of
        weights = torch.cat([linear[:, :, None], own, other], 2) / self.scale[:, None]
        # One matrix product for each role: group its sides, then restore their order.
        roles = self.role[tables].reshape(-1)
        order = roles.argsort()
        sides = torch.split(features.reshape(len(roles), -1)[order], roles.bincount(minlength=len(weights)).tolist())
        made = torch.cat([side @ weight for side, weight in zip(sides, weights, strict=True)])[order.argsort()]
        count, width = features.shape[1], len(self.bias)
        for_itself, mine, of_others = torch.split(made.reshape(len(tables), count, -1), [1, width, width], 2)
        inside = features.any(2) if count > 2 else torch.ones(features.shape[:2], dtype=torch.bool)
        others = (inside.sum(1, keepdim=True) - 1).clamp(min=1)[:, :, None]
        against = (of_others.sum(1, keepdim=True) - of_others) / others
        total = for_itself[:, :, 0] + torch.relu(self.bias + mine + against) @ self.out
        first = torch.cat([self.table, torch.zeros(len(self.table), 1)], 1)
        return (total + first[tables]).masked_fill(~inside, _OUT)

    def penalty(self) -> Tensor:
        """The penalty on large weights in the loss."""
        parts = (
            (_ROLE_LINEAR, (self.linear_of,)),
            (_ROLE_HIDDEN, (self.own_of, self.other_of)),
            (_SHARED, (self.linear, self.own, self.other)),
            (_TABLE, (self.table,)),
        )
        return torch.stack([weight * (part**2).sum() for weight, found in parts for part in found]).sum()


def export(net: ValueNet) -> Weights:
    """The weights as `react_env.agents.players.learned_value` takes them: for unscaled features, with the shared part in each role's."""
    with torch.no_grad():
        scale = net.scale
        found = {
            "linear": (net.linear + net.linear_of) / scale,
            "own": (net.own + net.own_of) / scale[:, None],
            "other": (net.other + net.other_of) / scale[:, None],
            "bias": net.bias,
            "out": net.out,
        }
        return {name: value.numpy().astype(np.float32).copy() for name, value in found.items()}


class TD:
    """The learner: a value, the games it plays, and the update.

    Attributes:
        policy, optimizer: torch objects; `policy` is the value.
        magnet: the average of the value's weights over the updates; this is what plays.
        steps: the learner's own decisions so far; updates: passes over the last games.
        seconds: where the time went: {"play", "update"}; "update" is only the time by which it took longer than playing.
    """

    def __init__(
        self,
        game: Game,
        config: TrainConfig,
        shape: ValueArchitecture,
        workers: Workers,
        *,
        seed: int,
        cluster: Cluster | None = None,
    ) -> None:
        torch.manual_seed(seed)
        number = {role: i for i, role in enumerate(shape.roles)}
        roles = np.array([[number[role] for role in table] for table in game.rules.tables.roles], np.int64)
        self.policy = ValueNet(shape, roles)
        self.magnet = copy.deepcopy(self.policy).requires_grad_(False)
        self.optimizer = torch.optim.Adam(self.policy.parameters(), lr=config.learning_rate)
        self.steps = 0
        self.updates = 0
        self.seconds = {"play": 0.0, "update": 0.0}
        self._game = game
        self._config = config
        self._info = ModelInfo.of(game, shape)
        self._workers = workers
        self._beside = ThreadPoolExecutor(1, initializer=torch.set_num_threads, initargs=(1,))
        self._order = np.random.default_rng((seed, 6))  # shuffles what is learned from, while games are played
        self._tables: Tables | TablesElsewhere = (
            Tables(game, config, self._info, self.export(), seed=seed)
            if cluster is None
            else TablesElsewhere(cluster, game, config, self._info, seed=seed)
        )
        self._seen: list[Seen] = []  # for each table, what no update has used yet
        self.deal([], np.full(config.envs, SELF))
        self._recent: list[Games] = []

    def deal(self, opponents: Sequence[AnyAgent], assigned: NDArray[np.int64]) -> None:
        """From now on, play game i against opponents[assigned[i]], or against itself if that is SELF."""
        self._tables.deal(opponents, assigned)

    def results(self) -> dict[int, list[float]]:
        """Number of an opponent -> the learner's results against it since `deal`."""
        return self._tables.results

    def learn(self, learning_rate: float, entropy: float, tick: Callable[[], bool] = lambda: True) -> dict[str, float]:
        """Play, and meanwhile update from what was played before, which keeps all cores busy. Returns the means of the update's losses.

        The value that plays is therefore one update older than it could be. That holds on every machine: the same seed gives the same run.
        """
        start = time.perf_counter()
        for group in self.optimizer.param_groups:
            group["lr"] = learning_rate
        update = self._beside.submit(self._update, self._seen)
        try:
            own, seen = self._tables.play(self.export(), tick)
        except BaseException:
            update.result()
            raise
        self.steps += own
        played = time.perf_counter()
        self.seconds["play"] += played - start
        losses, rest = update.result()
        self._seen = [left.and_then(new) for left, new in zip(rest, seen, strict=True)] if rest else seen
        tick()
        self.updates += 1
        self._average()
        self.seconds["update"] += time.perf_counter() - played
        return {
            name: float(np.mean([loss[i] for loss in losses]))
            for i, name in enumerate(("td_loss", "result_loss"))
            if losses
        }

    def _update(self, seen: list[Seen]) -> tuple[list[tuple[float, float]], list[Seen]]:
        """Make passes over the last games. Returns the losses of each pass, and what is left of `seen`."""
        found = Games.of(seen)
        if found is not None:
            self._recent = [*self._recent, found][-self._config.replay :]
        order, recent = self._order, self._recent
        return [self._pass(recent[i]) for _ in range(self._config.epochs) for i in order.permutation(len(recent))], seen

    def export(self) -> Weights:
        """The averaged value as it is now, as plain arrays."""
        return export(self.magnet)

    def _average(self) -> None:
        """Add the weights of the last update to the average."""
        lean = self._config.averaging
        step = (1.0 + lean) / (self.updates + lean)
        with torch.no_grad():
            for mean, new in zip(self.magnet.parameters(), self.policy.parameters(), strict=True):
                mean.lerp_(new, step)

    def imitate(self, teacher: str, watch: Callable[[str], Watch], spent: Callable[[], float] = lambda: 0.0) -> str:
        """Before self-play, learn the results of games of `teacher` against itself, as many as end in the time for that. Returns a sentence
        that says how many."""
        config = self._config
        games = config.imitation_games
        tick = watch(f"{teacher} plays {games} games to begin with")
        teaches = agents.load(teacher, self._game, threads=config.threads)
        table = Table(self._game, min(config.envs, games), seed=config.seed, threads=config.threads)
        # The first games to begin, not the first to end, which would be the short ones. (If time runs out, those that are over must do.)
        while (over := table.over_of(games)) < games and (spent() < _PLAYING or over < _LEAST):
            table.play(teaches, config.exploration)
            if table.held > _HELD:
                table.thin()
            tick(max(_PLAYING * over / games, min(spent(), _PLAYING)))
        found = self._first(table, games)
        self._recent = [found]
        for epoch in range(_FIRST_EPOCHS):
            self._pass(found, 1.0)
            tick(_PLAYING + (1 - _PLAYING) * (epoch + 1) / _FIRST_EPOCHS)
        self.magnet.load_state_dict(self.policy.state_dict())
        return f"learned the results of {table.over_of(games):,} games of {teacher}"

    def begin_from(self, weights: Weights) -> None:
        """Continue from a value that was learned before."""
        plays = player(self._game, self._config, self._info, weights, self._config.threads)
        table = Table(self._game, self._config.envs, seed=self._config.seed, threads=self._config.threads)
        games = self._config.envs
        while table.over_of(games) < games:
            table.play(plays, self._config.exploration)
        self._first(table, games)
        net, scale = self.policy, self.policy.scale
        with torch.no_grad():
            for shared, apart, name in (
                (net.linear, net.linear_of, "linear"),
                (net.own, net.own_of, "own"),
                (net.other, net.other_of, "other"),
            ):
                whole = torch.tensor(weights[name]) * (scale if name == "linear" else scale[:, None])
                shared.copy_(whole.mean(0))
                apart.copy_(whole - shared)
            net.bias.copy_(torch.tensor(weights["bias"]))
            net.out.copy_(torch.tensor(weights["out"]))
        self.magnet.load_state_dict(net.state_dict())

    def _first(self, table: Table, games: int) -> Games:
        """Those of the first `games` games of a table that are over, before self-play. Sets the scale of each feature to its standard
        deviation in them."""
        seen = table.take()
        seen.results = {number: result for number, result in seen.results.items() if number < games}
        found = seen.finished()
        assert found is not None
        spread = found.features.reshape(-1, found.features.shape[2]).std(0)
        self.policy.scale.copy_(spread.clamp(min=_SMALLEST))
        return found

    def _pass(self, games: Games, trace: float | None = None) -> tuple[float, float]:
        """One pass over these games, in minibatches. Returns the mean loss, and the mean loss against the results alone."""
        chances = self._chances(games)
        aims = torch.empty(chances.shape)
        trace = self._config.gae_lambda if trace is None else trace
        fill_targets(chances, games.last, games.results, self._config.gamma, trace, aims.numpy())
        results = torch.from_numpy(games.results)

        def loss_of(share: NDArray[np.int64]) -> tuple[Tensor, NDArray[np.float64]]:
            rows = torch.from_numpy(share)
            logits = self.policy(games.features[rows], games.tables[rows])
            loss = nn.functional.cross_entropy(logits, aims[rows])
            with torch.no_grad():
                against = nn.functional.cross_entropy(logits, results[rows])
            return loss + self.policy.penalty(), np.array([loss.item(), against.item()])

        order = self._order.permutation(len(aims))
        size, most = self._config.minibatch, self._config.max_grad_norm
        losses = [
            self._workers.descend(self.optimizer, loss_of, order[begin : begin + size], most)
            for begin in range(0, len(order), size)
        ]
        first, second = np.mean(losses, 0)
        return float(first), float(second)

    def _chances(self, games: Games) -> Floats:
        """The chances (M, P) of each player to win from each position, by the current value."""

        def share(features: Tensor, tables: Tensor) -> Tensor:
            with torch.inference_mode():
                return torch.softmax(self.policy(features, tables), 1)

        parts = self._workers.shares(len(games.tables))
        found = self._workers.pool.map(share, games.features.tensor_split(parts), games.tables.tensor_split(parts))
        return torch.cat(list(found)).numpy()

    def close(self) -> None:
        """Shut down the threads that play and update."""
        self._beside.shutdown()
        self._tables.close()
