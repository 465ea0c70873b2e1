"""`react-env bench`: how fast everything is, on this machine, now."""

from __future__ import annotations

from typing import Annotated

from typer import Option

from react_env.cli import flags
from react_env.cli.common import counter, load_game, output, print_json, which_game


def bench(
    game_name: flags.Game = None,
    peers: Annotated[
        bool, Option("--peers", help="Also OpenSpiel and RLCard, in turn with our own figures (the extra [peers]).")
    ] = False,
    quick: Annotated[bool, Option("--quick", help="A few seconds instead of a minute; rougher.")] = False,
    game_id: flags.OtherGame = None,
    seats: flags.Seats = None,
    sets: flags.Set = None,
    as_json: flags.Json = False,
) -> None:
    """Measure speed: random play in batches, the PettingZoo, Gymnasium and stable-baselines3 adapters, copies of states.

    Every figure is measured several times, all in turn. The table shows the median, the spread, and the goal if there is one.
    """
    from react_env.evaluation import benchmarks

    game = load_game(which_game(game_name, game_id), sets, seats)
    with counter("preparing", unit="measurements") as update:
        figures = benchmarks.run(
            game, seconds=0.3 if quick else 1.5, repeats=3 if quick else 5, peers=peers, progress=update
        )
    machine = benchmarks.machine()
    if as_json:
        print_json({"game": game.id, "machine": machine, "figures": [figure.to_json() for figure in figures]})
        return
    console = output()
    console.print(game.id, style="bold")
    where = f"{machine['processor']}, {machine['cores']} cores, Python {machine['python']}, NumPy {machine['numpy']}"
    console.print(where)
    console.print(benchmarks.figure_table(figures), markup=True)
    notes = [
        f"random play: {benchmarks.BATCH} games at once, observation and mask for every decision",
        f"SelfPlayVecEnv, Gymnasium vector: {benchmarks.VEC_ENVS} games, random opponent, nothing learned",
    ]
    for extra in ("train", "peers"):
        skipped = [
            figure.name
            for figure in figures
            if figure.skipped and figure.unit != "times" and (figure.name in benchmarks.PEERS) == (extra == "peers")
        ]
        if skipped:
            notes.append(f"skipped, not installed: {', '.join(skipped)} (the extra {extra!r})")
    for note in notes:
        console.print(note, style="dim")
