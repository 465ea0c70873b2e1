"""Self-play with PPO over action features in one file: python training/action_features.py --artists random --minutes 20

The network need not learn what a card does: it is told what each legal action changes if nobody reacts
(react_env.agents.ActionFeatures). It scores every legal action from these numbers and from what the player sees. It learns from both seats
in its games against itself, and from its own seat in those against greedy. At the end it plays 400 games each against random, greedy and
scripted, from both seats. Then

    react-env arena training/action_features.py:Trained greedy --artists random

plays with the weights, which are saved every ten updates (put WEIGHTS=FILE in front for those of --out FILE). --start continues from
them; with --minutes 0 it only plays the games at the end. Ctrl-C saves them and ends. docs/baselines.md has results.
"""

import argparse
import os
import time
from pathlib import Path

import numpy as np
import torch
from safetensors import SafetensorError
from safetensors.torch import load_file, save_file
from torch import nn

import react_env
from react_env import agents
from react_env.evaluation import play_match
from react_env.processors import processors

OUT = "runs/action_features-{}.safetensors"  # one for each game


class Network(nn.Module):
    """Logits of legal actions and the expected result, from observations and action features."""

    def __init__(self, observation_size, feature_size, width=128):
        super().__init__()
        self.see = nn.Linear(observation_size, width)
        self.result = nn.Sequential(nn.Linear(width, 64), nn.ReLU(), nn.Linear(64, 1))
        self.context = nn.Linear(width, width)
        self.action = nn.Linear(feature_size, width, bias=False)
        self.score = nn.Linear(width, 1)
        self.direct = nn.Linear(feature_size, 1, bias=False)
        nn.init.zeros_(self.direct.weight)
        nn.init.zeros_(self.score.weight)

    def forward(self, observations, masks, features):
        """Observations (N, O), masks (N, A), features (M, F) of the M legal actions -> log-probabilities (N, A), results (N,)."""
        seen = torch.relu(self.see(observations))
        context = self.context(seen).repeat_interleave(masks.sum(1), 0)
        scores = self.score(torch.relu(self.action(features) + context)) + self.direct(features)
        logits = torch.full(masks.shape, -torch.inf).masked_scatter(masks, scores[:, 0])
        return torch.log_softmax(logits, 1), self.result(seen)[:, 0]


class Trained:
    """The network as an agent; without one, the network in the file $WEIGHTS or else in OUT."""

    name = "action_features"

    def __init__(self, game, network=None, describe=None):
        self.game, self.describe = game, describe or agents.ActionFeatures(game)
        self.network = network or Network(game.observation_shape[0], len(self.describe.names))
        if network is None:
            read(self.network, Path(os.environ.get("WEIGHTS") or OUT.format(game.id)), game)

    def act_states(self, states, players, rng):
        game = self.game
        seen = np.array([game.observe(state, player) for state, player in zip(states, players, strict=True)])
        masks = np.array([game.action_mask(state) for state in states])
        features = self.describe.of_legal(states, players, masks, rng)
        with torch.no_grad():
            found, _ = self.network(scaled(game, seen), torch.from_numpy(masks), torch.from_numpy(features))
        return found.argmax(1).numpy()


def scaled(game, observations):
    """Observations (N, O) as float32 in -1..1."""
    return torch.from_numpy(observations * game.layout.scale.astype(np.float32))


class Decisions:
    """A rollout: T steps of N games, and what the learner's decisions in it were worth."""

    def __init__(self):
        self.observations, self.masks, self.features, self.counts = [], [], [], []
        self.rows, self.seats, self.actions, self.log_probs, self.values = [], [], [], [], []
        self.rewards, self.overs = [], []

    def advantages(self, games, players, gamma, lam):
        """Generalized advantage estimation along each seat's own decisions; nan if the next one is not known yet."""
        value, advantage, reward = np.zeros((3, games, players), np.float32)
        known = np.zeros((games, players), bool)
        found = []
        for t in range(len(self.rows) - 1, -1, -1):
            over = self.overs[t]
            value[over] = advantage[over] = 0
            reward[over], known[over] = self.rewards[t][over], True
            at = self.rows[t], self.seats[t]
            delta = reward[at] + gamma * value[at] - self.values[t]
            own = delta + gamma * lam * advantage[at]
            found.append(np.where(known[at], own, np.nan))
            value[at], advantage[at], reward[at] = self.values[t], np.where(known[at], own, 0), 0
            known[at] = True
        return np.concatenate(found[::-1])


def play(game, batch, network, describe, greedy, shared, options, rng):
    """Play a rollout. In the games `shared`, greedy has one seat."""
    played = Decisions()
    seats_of_greedy = np.arange(batch.num_games) % game.num_players
    for _ in range(options.rollout):
        to_play, masks = batch.to_play.astype(np.int64), batch.action_masks.copy()
        theirs = shared & (to_play == seats_of_greedy)
        rows = np.flatnonzero(~theirs)
        chosen = np.zeros(batch.num_games, np.int64)
        chosen[theirs] = agents.choose(greedy, batch, np.flatnonzero(theirs), rng)
        observations = batch.observations[rows].copy()
        features = describe.of_legal(batch.states[rows], to_play[rows], masks[rows], rng)
        with torch.no_grad():
            log_probs, values = network(
                scaled(game, observations), torch.from_numpy(masks[rows]), torch.from_numpy(features)
            )
        noise = torch.from_numpy(rng.gumbel(size=log_probs.shape).astype(np.float32))
        actions = (log_probs + noise).argmax(1)
        chosen[rows] = actions.numpy()
        played.observations.append(observations)
        played.masks.append(masks[rows])
        played.features.append(features.astype(np.float16))
        played.rows.append(rows)
        played.seats.append(to_play[rows])
        played.actions.append(chosen[rows])
        played.log_probs.append(log_probs.gather(1, actions[:, None])[:, 0].numpy())
        played.values.append(values.numpy())
        batch.step(chosen)
        played.overs.append(batch.terminated | batch.truncated)
        played.rewards.append(batch.rewards.copy())
    return played


def learn(game, network, optimizer, played, games, options, rng):
    """Make two passes of PPO over a rollout. Returns how many decisions it learned from."""
    advantages = played.advantages(games, game.num_players, options.gamma, 0.95)
    complete = np.flatnonzero(~np.isnan(advantages))
    if not len(complete):  # a short rollout, in which no decision was followed by another
        return 0
    observations, masks = np.concatenate(played.observations), np.concatenate(played.masks)
    features, actions = np.concatenate(played.features), torch.from_numpy(np.concatenate(played.actions))
    old, values = np.concatenate(played.log_probs), np.concatenate(played.values)
    ends = masks.sum(1).cumsum()
    for _ in range(2):
        order = rng.permutation(complete)
        for rows in np.array_split(order, max(1, round(len(order) / options.minibatch))):
            rows.sort()
            legal = np.concatenate([np.arange(end - count, end) for end, count in zip(ends[rows], masks[rows].sum(1))])
            log_probs, results = network(
                scaled(game, observations[rows]),
                torch.from_numpy(masks[rows]),
                torch.from_numpy(features[legal].astype(np.float32)),
            )
            advantage = torch.from_numpy(advantages[rows])
            returns = advantage + torch.from_numpy(values[rows])
            advantage = (advantage - advantage.mean()) / (advantage.std(correction=0) + 1e-8)
            ratio = torch.exp(log_probs.gather(1, actions[rows][:, None])[:, 0] - torch.from_numpy(old[rows]))
            policy = -torch.minimum(ratio * advantage, ratio.clamp(0.8, 1.2) * advantage).mean()
            entropy = -(log_probs.exp() * log_probs.masked_fill(~torch.from_numpy(masks[rows]), 0)).sum(1).mean()
            loss = policy + 0.5 * ((results - returns) ** 2).mean() - options.entropy * entropy
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(network.parameters(), 0.5)
            optimizer.step()
    return len(complete)


def read(network, file, game):
    """Load the weights in a file into the network. Raises SystemExit if there are none, or those of another game."""
    try:
        network.load_state_dict(load_file(file))
    except (OSError, SafetensorError, RuntimeError) as error:
        raise SystemExit(
            f"{file}: no weights that {Path(__file__).name} has written for {game.id}: {str(error).splitlines()[0]}"
        ) from None


def keep(network, file):
    """Write the weights to a temporary file, then replace the last one with it."""
    file.parent.mkdir(parents=True, exist_ok=True)
    aside = file.with_suffix(".part")
    save_file(network.state_dict(), aside)
    aside.replace(file)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--game", default="arts_of_war-v0", choices=react_env.game_ids())
    parser.add_argument("--artists", help="random: all pairings of Re;ACT; or two with a comma between")
    parser.add_argument("--minutes", type=float, default=20)
    parser.add_argument("--envs", type=int, default=512)
    parser.add_argument("--rollout", type=int, default=64)
    parser.add_argument("--minibatch", type=int, default=4096)
    parser.add_argument("--learning-rate", type=float, default=1e-3, help="at the start; it falls to a twentieth")
    parser.add_argument("--gamma", type=float, default=0.998)
    parser.add_argument("--entropy", type=float, default=0.003)
    parser.add_argument("--greedy", type=float, default=0.3, help="share of the games in which greedy has one seat")
    parser.add_argument("--games", type=int, default=400, help="against each of the others at the end")
    parser.add_argument("--threads", type=int, default=processors())
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--start", type=Path, help="weights to go on from")
    parser.add_argument("--out", type=Path, help=f"where the weights go; else {OUT.format('GAME')}")
    options = parser.parse_args()
    least = {"minutes": 0, "learning_rate": 0, "seed": 0, "minibatch": 2}
    for name in (*least, "envs", "rollout", "games", "threads"):
        if not getattr(options, name) >= least.get(name, 1):  # nan is refused, too
            parser.error(f"--{name.replace('_', '-')} must be at least {least.get(name, 1)}")
    if options.seed >= 2**64:
        parser.error("--seed must be less than 2**64")
    options.out = options.out or Path(OUT.format(options.game))

    torch.manual_seed(options.seed)
    torch.set_num_threads(options.threads)
    rng = np.random.default_rng(options.seed)
    names = options.artists.split(",") if options.artists else []
    chosen = {"artists": names if len(names) > 1 else options.artists} if names else {}
    game = react_env.load(options.game, **chosen)
    if options.games % game.num_players:
        parser.error(f"--games must be a multiple of {game.num_players}, to play the same games from each seat")
    describe = agents.ActionFeatures(game, threads=options.threads)
    greedy = agents.load("greedy", game, threads=options.threads)
    network = Network(game.observation_shape[0], len(describe.names))
    if options.start:
        read(network, options.start, game)
    optimizer = torch.optim.Adam(network.parameters(), lr=options.learning_rate)
    batch = game.batch(options.envs, seed=options.seed, threads=options.threads)
    shared = np.arange(options.envs) < options.greedy * options.envs

    begin, seconds, steps, updates, interrupted = time.monotonic(), 60 * options.minutes, 0, 0, False
    try:
        while (spent := time.monotonic() - begin) < seconds:
            for group in optimizer.param_groups:
                group["lr"] = options.learning_rate * (1 - 0.95 * spent / seconds)
            played = play(game, batch, network, describe, greedy, shared, options, rng)
            steps += learn(game, network, optimizer, played, options.envs, options, rng)
            updates += 1
            if updates % 10 == 0:
                keep(network, options.out)
                print(f"{steps:,} decisions, {(seconds - spent) / 60:.1f} minutes left", flush=True)
    except KeyboardInterrupt:
        interrupted = True
    keep(network, options.out)
    if interrupted:
        print(f"interrupted after {steps:,} decisions, saved: {options.out}")
        raise SystemExit(130)
    deals = options.seed + 1_000_003  # not those that it has learned from
    scripted = ("scripted",) if game.heuristics.by_hand else ()  # not every game has a script
    for name in ("random", "greedy", *scripted):
        other = agents.load(name, game, threads=options.threads)
        total = play_match(game, Trained(game, network, describe), other, games=options.games, seed=deals).total
        low, high = total.interval
        print(
            f"against {name}: {total.win_rate:.1%} ({low:.1%} to {high:.1%}) of {total.games} games, as many from each seat"
        )


if __name__ == "__main__":
    main()
