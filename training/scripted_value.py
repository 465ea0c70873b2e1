"""Find by play what positions of Re;ACT are worth to scripted: python training/scripted_value.py --rounds 4 --out weights.csv

The value is a weighted sum of features, with weights for each artist (react_env/games/arts_of_war/value.py). In each game every weight of
both artists is a little larger or smaller, at random. Over many games it shows whether scripted wins more with the one or with the other,
for all weights at once, and the weights take a step that way (simultaneous perturbation: Spall, 1992). A game that the turn limit ends
counts as lost, or scripted would learn to wait. The opponents are other agents: against itself it learns to beat nobody else.

Each round plays --games games against each opponent, all pairings, from both seats; then the weights move, are written to --out, and play
--check games against each opponent. --start goes on from such a file. To play by one, put it into the folder of the edition, as
weights.csv. Ctrl-C ends it; the last whole round is kept. docs/notes.md has results.
"""

import argparse
import csv
import io
import time
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import numpy as np

import react_env
from react_env import agents
from react_env.cli.common import check_place
from react_env.errors import ReactEnvError
from react_env.evaluation import wilson
from react_env.evaluation.matches.games import Job, play_jobs
from react_env.evaluation.matches.playing import Trusted, load_for_edited
from react_env.files import write_aside
from react_env.games.arts_of_war.features import FEATURES
from react_env.games.arts_of_war.rules import STANDARD
from react_env.games.arts_of_war.value import USUAL, read
from react_env.games.arts_of_war.value import weights as known_weights
from react_env.processors import processors

CHANGE = 5.0  # how much a changed weight changes the value of a position: about this, if its feature is one standard deviation off
SELDOM = 0.3  # a feature that varies less counts as if it varied by this
NEVER = 0.02  # the weight of one that varies less is left alone
MOST = 1.5  # the largest step of a round, in changes
APART = 1_000_003  # between the seeds of two rounds


def game_with(copies, edition):
    """All pairings, with so many tables for each: every table can have weights of its own."""
    game = react_env.load("arts_of_war-v0", artists="random", edition=edition)
    tables = game.rules.tables
    several = replace(
        tables,
        records=np.repeat(tables.records, copies),
        names=tuple(name for name in tables.names for _ in range(copies)),
        roles=tuple(roles for roles in tables.roles for _ in range(copies)),
        fixed=np.repeat(tables.fixed, copies, axis=0),
    )
    return type(game)(replace(game.rules, tables=several), game.heuristics)


def spread(game, artist_of, games, seed):
    """(K, F) the standard deviations of each artist's features in games of greedy against itself."""
    greedy, rng = agents.load("greedy", game), np.random.default_rng(seed)
    found = [[] for _ in range(artist_of.max() + 1)]
    batch = game.batch(games, seed=seed)
    for step in range(240):  # about two games each
        batch.step(agents.choose(greedy, batch, np.arange(games), rng))
        for row in range(step % 8, games, 8):
            state = batch.states[row]
            table = int(state["table"])
            for player in range(game.num_players):
                features = np.zeros(len(FEATURES), np.float32)
                game.heuristics.features(state, game.tables[table], player, features)
                found[artist_of[table, player]].append(features)
    return np.array([np.std(rows or np.zeros((1, len(FEATURES))), axis=0) for rows in found])


def results(game, opponents, games, seed, options):
    """Play so many games against each opponent. Yields, for each, its number and the rows of the games that have just ended."""
    mine = Trusted(agents.load("scripted", game, threads=options.threads))
    for number, opponent in enumerate(opponents):
        first = seed + number * games
        jobs = [Job(0, 1, first + k // 2, k % 2) for k in range(games)]
        for rows in play_jobs(game, {0: mine, 1: Trusted(opponent)}, jobs, seed=first, threads=options.threads):
            yield number, rows


def play(game, weights, changes, artist_of, opponents, options, seed, say):
    """Play a round. Returns what `effects` needs of each game: signs (M, 2, F), artists (M, 2), won (M,), and which kind of game (M,)."""
    rng = np.random.default_rng(seed)
    signs, artists, won, kinds = [], [], [], []
    for begin in range(0, options.games, options.batch):
        sign = rng.choice(np.array([-1, 1], np.int8), (*artist_of.shape, len(FEATURES)))
        game.tables["weights"] = weights[artist_of] + sign * changes[artist_of]
        count = min(options.batch, options.games - begin)
        for number, rows in results(game, opponents, count, seed + begin * len(opponents), options):
            say(len(won))
            for row in rows:
                pair = artist_of[row.table]
                signs.append(sign[row.table])
                artists.append(pair)
                won.append(row.result > 0)
                kinds.append(((number * len(weights) + pair[0]) * len(weights) + pair[1]) * 2 + row.job.seat)
    return np.array(signs), np.array(artists), np.array(won, float), np.array(kinds)


def effects(signs, artists, won, kinds, count):
    """(K, F) how much more scripted wins with each weight at its larger value than at the middle, and (K, 1) the standard error."""
    _, kinds = np.unique(kinds, return_inverse=True)
    surprise = won - (np.bincount(kinds, won) / np.bincount(kinds))[kinds]  # beyond what this pairing wins on average
    gains, errors = np.zeros((count, signs.shape[2])), np.full((count, 1), np.inf)
    for artist in np.unique(artists):
        rows, seats = np.nonzero(artists == artist)
        gains[artist] = surprise[rows] @ signs[rows, seats] / len(rows)
        errors[artist] = surprise[rows].std() / len(rows) ** 0.5
    return gains, errors


def steps(gains, errors, rate):
    """(K, F) by how many changes each weight moves: far if its effect is large, hardly if it may be chance."""
    sure = gains**2 / (gains**2 + errors**2 + 1e-12)
    return np.clip(rate * gains * sure, -MOST, MOST)


def write(weights, artists, file):
    """Write the weights to a file. An artist that has no column there plays by their mean."""
    lines = io.StringIO()
    table = csv.writer(lines, lineterminator="\n")
    table.writerow(["feature", *artists, USUAL])
    for name, row in zip(FEATURES, weights.T, strict=True):
        table.writerow([name, *(f"{weight:.2f}".rstrip("0").rstrip(".") for weight in (*row, row.mean()))])
    write_aside(file, lines.getvalue())


def check(game, weights, artist_of, names, opponents, options, seed):
    """Play --check games against each opponent with these weights, and print how they end."""
    game.tables["weights"] = weights[artist_of]
    ends = np.zeros((len(opponents), 3), int)  # games, won, cut
    for number, rows in results(game, opponents, options.check, seed, options):
        for row in rows:
            ends[number] += (1, row.result > 0, row.cut)
    for name, (games, won, cut) in zip(names, ends.tolist(), strict=True):
        low, high = wilson(won, games)
        print(f"against {name}: {won / games:.1%} ({low:.1%} to {high:.1%}) of {games} games, {cut} cut", flush=True)


def progress(seconds, games):
    """Returns say(done), which prints now and then how much of a round is played."""
    begin = last = time.monotonic()

    def say(done):
        nonlocal last
        now = time.monotonic()
        if done and now > last + seconds:
            last = now
            left = (now - begin) * (games - done) / done
            print(f"  {done:,} of {games:,} games, {left / 60:.1f} minutes left in this round", flush=True)

    return say


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--opponent",
        action="append",
        help="again for each; else greedy and champion:1,width=0. None that plays by the game's own value, as mcts without net= does",
    )
    parser.add_argument("--rounds", type=int, default=4)
    parser.add_argument("--games", type=int, default=12_096, help="of a round, against each opponent")
    parser.add_argument(
        "--batch", type=int, default=4032, help="games against each opponent with the same random changes"
    )
    parser.add_argument("--check", type=int, default=1008, help="games after each round, against each opponent")
    parser.add_argument("--rate", type=float, default=150, help="changes that a weight moves for a gain of all games")
    parser.add_argument("--edition", default=STANDARD, help="its name or folder")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--threads", type=int, default=processors())
    parser.add_argument("--start", type=Path, help="a file of weights to go on from; else those in use")
    parser.add_argument("--out", type=Path, default=Path("runs/weights.csv"))
    options = parser.parse_args()
    least = {"rate": 0, "seed": 0, "games": 2, "check": 2, "batch": 2}
    for name in (*least, "rounds", "threads"):
        if not getattr(options, name) >= least.get(name, 1):  # nan is refused, too
            parser.error(f"--{name} must be at least {least.get(name, 1)}")
    for name in ("games", "check", "batch"):
        if getattr(options, name) % 2:
            parser.error(f"--{name} must be a multiple of 2, to play the same deals from each seat")

    if any(name.startswith("scripted") for name in options.opponent or ()):
        parser.error("--opponent scripted: it would play by the changed weights, too")

    names = options.opponent or ["greedy", "champion:1,width=0"]
    with suppress(OSError):  # told below
        options.out.parent.mkdir(parents=True, exist_ok=True)
    try:
        check_place("--out", options.out)
        game, known = game_with(8, options.edition), known_weights(options.edition)
        known |= read(options.start) if options.start else {}
        # The champion plays artists that it has not learned, too.
        opponents = [load_for_edited(name, game, options.threads) for name in names]
    except ReactEnvError as error:
        raise SystemExit(str(error)) from None
    artists = sorted({artist for pair in game.rules.tables.roles for artist in pair})
    artist_of = np.array([[artists.index(artist) for artist in pair] for pair in game.rules.tables.roles])
    weights = np.array([known.get(artist, known[USUAL]) for artist in artists], np.float64)
    whole = 0  # rounds
    try:
        scales = spread(game, artist_of, 288, options.seed)
        changes = np.where(scales < NEVER, 0, CHANGE / np.maximum(scales, SELDOM))
        for number in range(1, options.rounds + 1):
            seed = options.seed + number * APART
            say = progress(30, options.games * len(opponents))
            played = play(game, weights, changes, artist_of, opponents, options, seed, say)
            moved = steps(*effects(*played, len(artists)), options.rate)
            weights += moved * changes
            write(weights, artists, options.out)
            whole = number
            print(f"round {number}: {played[2].mean():.1%} won with changed weights; wrote {options.out}", flush=True)
            check(game, weights, artist_of, names, opponents, options, seed + APART // 2)
    except KeyboardInterrupt:
        print(f"interrupted: {options.out} has round {whole}" if whole else "interrupted before the first round ended")
        raise SystemExit(130) from None


if __name__ == "__main__":
    main()
