"""`react-env demo`: watch an agent learn, then see how well it plays."""

from __future__ import annotations

import json
import shlex
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from typer import Option

from react_env.cli import flags
from react_env.cli.common import (
    errors,
    interrupted,
    options_of,
    output,
    print_facts,
    print_json,
    seat_names,
    which_game,
)
from react_env.cli.train import Show, phase_words, prepare, run, whole_bar
from react_env.errors import OptionError
from react_env.extras import need
from react_env.files import is_leftover, read_json, write_json
from react_env.registry import option_words

if TYPE_CHECKING:
    from react_env.engine.game import Game
    from react_env.replay import Replay
    from react_env.training.selfplay.run import TrainResult

BASELINES = ("random", "greedy")
MARK = "demo.json"  # the file that marks the folder of a demo
_TRIES = 200


def demo(
    game_name: flags.Game = None,
    out: Annotated[Path, Option(metavar="FOLDER", help="Where everything is written.")] = Path("runs/demo"),
    minutes: Annotated[
        float,
        Option(
            metavar="M",
            min=0.05,
            help="Minutes of learning; warm start, evaluations and matches take at most two thirds of that more.",
        ),
    ] = 3.0,
    games: Annotated[
        int,
        Option(
            metavar="N",
            min=2,
            help="Games against each baseline at the end, half from each seat; fewer where they take too long for a quarter of the "
            "learning.",
        ),
    ] = 300,
    fresh: Annotated[bool, Option("--fresh", help="Start over, even if the folder holds a demo.")] = False,
    seed: flags.Seed = 0,
    threads: flags.Threads = flags.ALL,
    game_id: flags.OtherGame = None,
    seats: flags.Seats = None,
    sets: flags.Set = None,
    as_json: flags.Json = False,
) -> None:
    """Train an agent for a few minutes, measure it against baselines, and record a game that it won.

    Stop it with Ctrl-C at any time; the same command continues.
    """
    need("train")
    import react_env
    from react_env.engine.compile import later
    from react_env.training.config import demo_config
    from react_env.training.selfplay.lock import empty, locked
    from react_env.training.selfplay.schedule import MATCHES

    console = errors()
    game_id = which_game(game_name, game_id)
    options = options_of(game_id, sets, seats)
    with later():
        game = react_env.load(game_id, **options)
    has_features = game.heuristics.features is not None
    config = demo_config(
        game=game_id, options=options, minutes=minutes, seed=seed, threads=threads, has_features=has_features
    )
    reason = _why_fresh(out, game, config.to_json(), fresh)
    if reason and out.exists():
        with locked(out):  # not while another process is still learning there
            console.print(f"{reason}: starting over")
            empty(out, last=("config.json", MARK))
    report_file = out / "report.json"
    report = read_json(report_file)
    if report.get("games") != games:
        try:
            resume = (out / "config.json").exists()
            prepare(config, out, resume)
            out.mkdir(parents=True, exist_ok=True)
            write_json(out / MARK, {"demo": game_id})
            with whole_bar() as show:
                result = run(config, out, resume, show, matches=MATCHES)
                if result.interrupted:
                    raise KeyboardInterrupt
                report = _measure(game, out, games, seed, threads, result, show)
        except KeyboardInterrupt:
            raise interrupted(out, without="--fresh" if fresh else "") from None
        write_json(report_file, report)
    else:
        console.print("this demo is complete; --fresh starts over")
    if as_json:
        print_json(report)
    else:
        _show(game, report)


def _why_fresh(out: Path, game: Game, config: dict[str, Any], fresh: bool) -> str:
    """Why the demo in `out` cannot be continued; "" if it can. OptionError if the folder is not ours to replace."""
    if not out.exists() or all(map(is_leftover, out.iterdir())):
        return ""
    if not (out / MARK).exists():
        raise OptionError(f"{out} is not empty and is not the folder of a demo: choose another folder with --out")
    if fresh:
        return "--fresh"
    before = read_json(out / "config.json")
    if not before:  # it ended before learning began
        return ""
    theirs = read_json(out / "model.json")
    if theirs and theirs.get("rules_hash") != game.rules_hash:
        return "the rules have changed since"
    # It goes on with its own threads: how many processors may be used can have changed.
    if json.loads(json.dumps(config | {"threads": before.get("threads")})) != before:
        raise OptionError(f"{out} holds a demo with other options: --fresh replaces it, --out names another folder")
    return ""


def _measure(
    game: Game, out: Path, games: int, seed: int, threads: int, result: TrainResult, show: Show
) -> dict[str, Any]:
    """Play matches against the baselines in the time that the run leaves for them, record a win, and return the report."""
    from react_env import agents
    from react_env.evaluation.matches.match import play_match, record_game
    from react_env.evaluation.matches.match import whole as whole_deals
    from react_env.training.selfplay.schedule import MATCHING, Phases, most_matches

    phases, limit = Phases(), most_matches(result.phases)
    matches = []
    won: Replay | None = None

    def told(doing: str, done: int, of: int) -> None:
        spent = phases.seconds(MATCHING)
        whole = result.seconds + max(limit, spent)
        show(doing, (result.seconds + spent) / whole, f"{done}/{of} games", max(0.0, limit - spent))

    with phases.phase(MATCHING):
        agent = agents.load(out, game, threads=threads)
        for number, name in enumerate(BASELINES):
            match = play_match(
                game,
                agent,
                agents.load(name, game, threads=threads),
                whole_deals(game, games),
                seed=seed + 1_000_003,  # not the deals of the evaluations during training
                threads=threads,
                seconds=(limit - phases.seconds(MATCHING)) / (len(BASELINES) - number),
                progress=partial(told, f"agent vs {name}"),
                names=("agent", name),
            )
            matches.append(match.to_json())
        for name in reversed(BASELINES):
            baseline = agents.load(name, game)
            for number in range(_TRIES):
                told(f"looking for a win against {name}", number, _TRIES)
                seat = number % game.num_players
                at, names = [baseline] * game.num_players, [name] * game.num_players
                at[seat], names[seat] = agent, "agent"
                played = record_game(game, at, seed=seed + number // game.num_players, names=names)
                if played.rewards[seat] > 0:
                    won = played
                    break
            if won is not None:
                break
    report: dict[str, Any] = {
        "game": game.id,
        "options": dict(game.options),
        "rules_hash": game.rules_hash,
        "games": games,
        "matches": matches,
        "training": {
            "learner_steps": result.steps,
            "minutes": round(result.learning_seconds / 60, 2),
            "steps_per_second": round(result.steps_per_second),
        },
        "phases": result.phases | phases.to_json(),
        "files": {
            "model": str(out / "model.safetensors"),
            "learning_curve": str(out / "learning_curve.png"),
            "progress": str(out / "progress.jsonl"),
            "tensorboard": str(out / "tensorboard"),
            "report": str(out / "report.json"),
        },
    }
    if won is not None:
        won.save(out / "win.replay", game)
        report["files"]["replay"] = str(out / "win.replay")
        report["win"] = {"players": won.players, "seed": won.seed, "decisions": len(won.actions)}
    return report


def _show(game: Game, report: dict[str, Any]) -> None:
    """Print the table, and where everything is."""
    from react_env.evaluation.matches.match import MatchResult, match_table

    console = output()
    results = [MatchResult.from_json(match) for match in report["matches"]]
    training = report["training"]
    console.print(
        f"\n{training['learner_steps']:,} learner steps in {training['minutes']:.1f} minutes of learning "
        f"({training['steps_per_second']:,} a second)"
    )
    console.print(f"time: {phase_words(report['phases'])}", soft_wrap=True)
    console.print(match_table(results, seats=seat_names(game)))
    files = report["files"]
    theirs = "".join(f" {word}" for word in option_words(report["game"], report["options"]))
    replay = files.get("replay")
    print_facts(
        [
            ("learning curve", files["learning_curve"]),
            ("agent", files["model"]),
            ("report", files["report"]),
            ("a game it won", replay or "none: it has not won yet"),
        ],
        18,
    )
    console.print()
    watch = [("watch that game", shlex.join(["react-env", "replay", replay]))] if replay else []
    play = shlex.join(["react-env", "play", "--against", str(Path(files["model"]).parent)]) + theirs
    details = shlex.join(["tensorboard", "--logdir", files["tensorboard"]])
    print_facts([*watch, ("play against it", play), ("training details", details)], 18)
