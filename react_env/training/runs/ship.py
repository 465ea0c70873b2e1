"""Make a run's agent the champion of its game: measure it, write its card, copy it to where `agents.load("champion", game)` finds it.

    python -m react_env.training.runs.ship runs/NAME [--against random=5000 --against mcts:256=400] [--out FOLDER] [--threads 2]
    python -m react_env.training.runs.ship react_env/agents/champions/GAME --carry-over

The matches use other deals than the evaluations of the run, and every seat of each deal. They are played in blocks, and matches.json in
the run's folder is saved after each: a match that was stopped, or that should have more games, goes on from there, as long as both agents
and the rules are the same. The previous champion stays whole until everything is played.

An agent that was trained under other rules is refused. `--carry-over` keeps its weights, if they fit, says on the card under which rules
they were learned, and measures them anew.
"""

from __future__ import annotations

import argparse
import json
import shutil
import warnings
from dataclasses import replace
from pathlib import Path
from typing import Any

import react_env
from react_env import agents
from react_env.agents.models.model import (
    ModelInfo,
    PolicyArchitecture,
    ValueArchitecture,
    load_for,
    load_model,
    save_model,
)
from react_env.agents.players import champion
from react_env.errors import OptionError, ReactEnvError
from react_env.evaluation.document import Table, markdown_table
from react_env.evaluation.matches.match import MatchResult, go_on, play_match
from react_env.evaluation.ratings.intervals import share_text
from react_env.files import as_json, read_json, write_all_aside, write_aside
from react_env.processors import processors
from react_env.registry import described
from react_env.training.config import TrainConfig
from react_env.training.runs import progress, report

AGAINST = ("random=5000", "greedy=5000", "scripted=5000", "mcts:256=400")
BLOCK = 250  # a match that is stopped loses at most so many games from each seat
LARGEST = 5_000_000  # bytes of the weights
MATCHES = "matches.json"


def _place(info: ModelInfo) -> Path:
    """The folder of the champion of the same game and options, or the one for the first champion of a game."""
    there = champion.files(info.game) if info.game in champion.games() else ()
    for file in there:
        if load_model(file)[1].options == info.options:
            return file.parent
    if there:
        known = ", ".join(json.dumps(dict(load_model(file)[1].options)) for file in there)
        raise OptionError(
            f"{info.game} has champions for the options {known}, not for {json.dumps(dict(info.options))}: name the folder of "
            f"another one by --out, such as {champion.FOLDER / info.game / 'NAME'}"
        )
    return champion.FOLDER / info.game


def carry_over(run: Path) -> None:
    """Mark the model in `run` as one that plays by the current rules.

    The hash of the rules under which it learned is kept in its `training`, as "learned_under". Raises ModelError if the weights do not fit.
    """
    weights, info = load_model(run)
    game = react_env.load(info.game, **info.options)
    if info.rules_hash == game.rules_hash:
        return
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        load_for(run, game, on_mismatch="warn")
    here = ModelInfo.of(game, info.architecture)
    training = {"learned_under": info.rules_hash, **info.training}
    save_model(run, weights, replace(here, training=training))


def ship(run: Path, out: Path | None, against: dict[str, int], *, threads: int, seed: int, say: Any = print) -> Path:
    """Measure the agent of `run` against named agents (name -> games) and put it, with its card, into `out`.

    `run` may be a champion's folder itself, to measure it again or further. `out` None: in place of the champion of the same options.

    Raises OptionError if the folder is not a run, the weights are too large to ship, or `out` is not given and the game has champions for
    other options only.
    """
    weights, info = load_model(run)
    config = info.training.get("config")
    if not isinstance(config, dict):
        raise OptionError(f"{run}: its model does not say how it was trained, so it is not the folder of a run")
    size = (run / "model.safetensors").stat().st_size
    if size > LARGEST:
        raise OptionError(f"{run}: the weights take {size:,} bytes, more than {LARGEST:,}: train a smaller network")
    if out is None:
        out = run if champion.FOLDER in run.absolute().parents else _place(info)
    game = react_env.load(info.game, **info.options)
    valued = isinstance(info.architecture, ValueArchitecture)
    spec = champion.played_by(run, info.game) if valued else run
    agent = agents.load(spec, game, threads=threads)
    known = agents.fingerprint(spec, game)
    matches = max((_matches(folder / MATCHES, known, game.rules_hash) for folder in (run, out)), key=_games)
    for name, games in against.items():
        _play(matches, run / MATCHES, game, agent, name, games, threads=threads, seed=seed, say=say)
    info = replace(info, training=_anywhere(info.training))
    save_model(out, weights, info)
    if run.resolve() != out.resolve():
        for name in (progress.FILE, "learning_curve.png"):
            (out / name).unlink(missing_ok=True)  # from the previous champion
        if progress.read(run):
            shutil.copyfile(run / progress.FILE, out / progress.FILE)
            about = info.training["algorithm"].rpartition(": ")[2]  # the run's own picture may name its folders
            progress.draw(out, out / "learning_curve.png", f"{info.game}: {about}")
    write_all_aside({out / MATCHES: as_json(matches), out / "README.md": card(out, info, matches, progress.read(out))})
    return out


def _anywhere(training: dict[str, Any]) -> dict[str, Any]:
    """How a model was made, without what is specific to a machine."""
    config = training["config"]
    start = config.get("start", "")
    algorithm = training["algorithm"].replace(start, Path(start).name) if start else training["algorithm"]
    found = {**training, "algorithm": algorithm, "config": {**config, "start": Path(start).name}}
    if "members" in training:
        found["members"] = [_anywhere(member) for member in training["members"]]
    if "over" in training:
        found["over"] = _anywhere(training["over"])
    return found


def _matches(file: Path, agent: str, rules: str) -> dict[str, Any]:
    """The matches that this agent has played under these rules, and the fingerprints of its opponents by name."""
    found = read_json(file)
    if (found.get("agent"), found.get("rules")) == (agent, rules) and "opponents" in found:
        return found
    return {"agent": agent, "rules": rules, "opponents": {}, "played": {}}


def _games(matches: dict[str, Any]) -> int:
    """How many games have been played."""
    return sum(found["total"]["games"] for found in matches["played"].values())


def _play(
    matches: dict[str, Any],
    file: Path,
    game: Any,
    agent: Any,
    name: str,
    games: int,
    *,
    threads: int,
    seed: int,
    say: Any,
) -> None:
    """Play what is missing of `games` games against `name`, block by block, and write each into `file`."""
    known = agents.fingerprint(name, game)
    if matches["opponents"].get(name) != known:
        matches["opponents"][name] = known
        matches["played"].pop(name, None)
    before = MatchResult.from_json(matches["played"][name]) if name in matches["played"] else None
    done = before.total.games if before else 0
    if done >= games:
        return
    opponent = agents.load(name, game, threads=threads)
    say(f"{name}: {done} of {games} games")

    def play(count: int, deals: int) -> MatchResult:
        return play_match(game, agent, opponent, count, seed=deals, threads=threads, names=("champion", name))

    for result in go_on(before, games, BLOCK * game.num_players, seed, play):
        done = result.total.games
        matches["played"][name] = result.to_json()
        write_aside(file, as_json(matches))
        say(f"{name}: {done} of {games} games, {share_text(result.total.wins, result.total.games)} won")


def card(out: Path, info: Any, matches: dict[str, Any], evaluations: list[dict[str, Any]]) -> str:
    """The model card, Markdown."""
    training = info.training
    members = training.get("members", [training])
    lines = [
        f"# The champion of {info.game}",
        "",
        f'`agents.load("champion", game)`, `react-env play {info.game} --against champion`.',
        "",
        f"- **What it is.** {_what(info)}",
        *_training("How it was trained", training),
        f"- **Rules.** Hash `{info.rules_hash}`, options `{json.dumps(info.options)}`"
        + (f"; it also plays each of the {len(info.covers)} pairings alone." if info.covers else "."),
        *_learned_elsewhere(training, bool(evaluations)),
        "- **Bounds.** It was measured only with these rules, cards and decks. It sees what a player sees.",
        "",
        "## Matches",
        "",
        "On deals that played no part in the training, every seat of each deal; a tie or a truncated game is not a win. Intervals are "
        "Wilson's at 95 %.",
        "",
    ]
    rows, seats = [], 0
    for name, found in matches["played"].items():
        match = MatchResult.from_json(found)
        seats = len(match.seats)
        total = match.total
        numbers = [str(number) for number in (total.losses, total.ties, total.truncations)]
        shares = [share_text(tally.wins, tally.games) for tally in (total, *match.seats)]
        rows.append([name, str(total.games), shares[0], *numbers, *shares[1:]])
    columns = ("against", "games", "wins", "lost", "tied", "cut", *(f"seat {seat}" for seat in range(seats)))
    lines += markdown_table(Table(columns, rows))
    if not evaluations:
        return "\n".join(lines) + "\n"
    lines += ["", "## Learning curve", ""]
    if len(members) > 1:
        lines += ["Of the first of these runs, by the agent of that time.", ""]
    if (out / "learning_curve.png").exists():
        lines += ["![learning curve](learning_curve.png)", ""]
    names = progress.baselines(evaluations)
    rows = []
    for line in evaluations:
        met = [line["against"].get(name) for name in names]
        rates = [f"{100 * one['win_rate']:.1f} % of {one['games']}" if one else "" for one in met]
        rows.append([f"{line['steps']:,}", *rates])
    lines += markdown_table(Table(("learner steps", *(f"against {name}" for name in names)), rows))
    return "\n".join(lines) + "\n"


def _training(title: str, training: dict[str, Any]) -> list[str]:
    """How a model was trained and, if it stands over a value, how that was."""
    members = training.get("members", [training])
    threads = {one["config"]["threads"] for one in members}
    together = f" on {max(threads)} {'thread' if max(threads) == 1 else 'threads'}" if len(threads) == 1 else ""
    several = f": the average of {len(members)} runs (react_env.training.runs.average)" if len(members) > 1 else ""
    if "pruned" in training:
        several += f"; of its {training['pruned']['width']:,} hidden units those are kept that matter (react_env.training.runs.prune)"
    alike: dict[str, list[dict[str, Any]]] = {}  # runs that differ in seed and length alone share a line
    for one in members:
        rest = {name: value for name, value in one["config"].items() if name not in ("seed", "minutes", "steps")}
        alike.setdefault(json.dumps(rest, sort_keys=True), []).append(one)
    commands = [
        f"- **The command.** `{report.command(TrainConfig(**first['config']))}`: {_effort(first)}, {_speed(first)}."
        + "".join(f" With `--seed {one['config']['seed']}`: {_effort(one)}." for one in more)
        for first, *more in alike.values()
    ]
    under: list[str] = []
    if "over" in training:  # the value under a policy, or a policy before it was trained further
        before = "How it was trained before" if "over" in training["over"] else "How the value under it was trained"
        under = _training(before, training["over"])
    algorithm = training["algorithm"][:1].upper() + training["algorithm"][1:]
    return [f"- **{title}.** {algorithm}. {_effort(training)}{together}{several}.", *commands, *under]


def _learned_elsewhere(training: dict[str, Any], has_curve: bool) -> list[str]:
    """A line for weights that were carried over from other rules."""
    if "learned_under" not in training:
        return []
    curve = ", and so did the agent of its learning curve" if has_curve else ""
    return [
        f"- **Carried over.** It learned under earlier rules, hash `{training['learned_under']}`{curve}. The matches were played "
        "under today's rules."
    ]


def _effort(training: dict[str, Any]) -> str:
    return f"{training['learner_steps']:,} learner steps in {training['seconds'] / 3600:.2f} hours"


def _speed(training: dict[str, Any]) -> str:
    return f"{training['steps_per_second']:,} a second while learning"


def _what(info: Any) -> str:
    """The network in a sentence or two."""
    shape = info.architecture
    if isinstance(shape, ValueArchitecture):
        game = react_env.load(info.game, **info.options)
        if game.heuristics.search.get("playout"):
            looks = "Each action is played on in many worlds, with the same luck for all (agents.search.playouts)."
        elif "turn" in (game.state_dtype.names or ()):
            looks = "It plans its turn to the end (agents.search.planning)."
        else:
            looks = "It looks at one play at a time, as if nobody reacted (agents.search.planning)."
        apart = f", weights of its own for each of {', '.join(shape.roles)}" if len(shape.roles) > 1 else ""
        usual = described(info.game).champion
        searched = (
            f" A tree search goes on from there (agents.search.mcts): the champion is `{usual}`." if usual else ""
        )
        over = (
            f" A policy over it, {shape.policy} wide, adds to its choices (players.value_policy)."
            if shape.policy
            else ""
        )
        return (
            f"A learned value (players.learned_value): {len(shape.features)} features of each side, {shape.width} hidden "
            f"units{apart}. {looks}{searched}{over}"
        )
    if isinstance(shape, PolicyArchitecture):
        return f"A policy over the game's own value, {shape.policy} wide (players.policy)."
    parts = [f"trunk {list(shape.trunk)}", f"policy {list(shape.policy)}", f"value {list(shape.value)}"]
    return f"A network ({', '.join(parts)}, {shape.activation})."


def main() -> None:
    """The command."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("run", type=Path)
    parser.add_argument("--against", action="append", metavar="NAME=GAMES")
    parser.add_argument("--out", type=Path)
    parser.add_argument("--threads", type=int, default=processors())
    parser.add_argument("--seed", type=int, default=1_000_003)
    parser.add_argument(
        "--carry-over", action="store_true", help="the rules have changed: keep the weights, play all matches anew"
    )
    options = parser.parse_args()
    against = {}
    for text in options.against or AGAINST:
        name, _, games = text.rpartition("=")
        if not name or not games.isdecimal() or int(games) < 2 or int(games) % 2:
            parser.error(f"{text!r} is not NAME=GAMES with an even number of games, such as greedy=5000")
        against[name] = int(games)
    try:
        if options.carry_over:
            carry_over(options.run)
        out = ship(options.run, options.out, against, threads=options.threads, seed=options.seed)
    except ReactEnvError as error:
        parser.error(str(error))
    except KeyboardInterrupt:
        parser.exit(130, f"interrupted: the same command continues with {options.run / MATCHES}\n")
    print((out / "README.md").read_text(encoding="utf-8"))


if __name__ == "__main__":
    main()
