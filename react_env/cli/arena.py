"""`react-env arena`: every agent against every other, from each seat."""

from __future__ import annotations

from typing import Annotated, Literal

import typer

from react_env.cli.common import (
    DEFAULT_GAME,
    ArtistsOption,
    DecksOption,
    GameOption,
    JsonOption,
    SeedOption,
    SetOption,
    ThreadsOption,
    counter,
    load_game,
    output,
    print_json,
    seat_names,
)
from react_env.errors import OptionError


def arena(
    agents_: Annotated[
        list[str],
        typer.Argument(
            metavar="AGENT",
            help="Names (random, greedy, greedy:4), model files, or folders with a model; two or more.",
        ),
    ],
    games: Annotated[
        int, typer.Option("--games", "-n", metavar="N", min=2, help="Games of each pair, half from each seat.")
    ] = 1000,
    seed: SeedOption = 0,
    threads: ThreadsOption = 2,
    any_rules: Annotated[
        bool, typer.Option("--any-rules", help="Let models play that were trained under other rules or artists.")
    ] = False,
    game_id: GameOption = DEFAULT_GAME,
    artists: ArtistsOption = None,
    decks: DecksOption = None,
    sets: SetOption = None,
    as_json: JsonOption = False,
) -> None:
    """Let agents play each other, and tell how sure the result is.

    Every pair plays the same deals from both seats. Shown are wins, losses, ties and games stopped by the game's limit, the win rate with
    its 95 % interval (Wilson), and the mean length of a game. Add **:sample** to a model to let it draw from its probabilities.
    """
    import agents
    from evaluation.matches import match_table, round_robin

    if len(agents_) < 2:
        raise OptionError("an arena needs at least two agents")
    if len(set(agents_)) < len(agents_):
        raise OptionError("an agent stands twice in the list")
    game = load_game(game_id, sets, artists, decks)
    on_mismatch: Literal["warn", "refuse"] = "warn" if any_rules else "refuse"
    loaded = {spec: agents.load(spec, game, threads=threads, on_mismatch=on_mismatch) for spec in agents_}
    names = [agent.name for agent in loaded.values()]
    # The short name, where it is clear whom it means.
    everybody = {agent.name if names.count(agent.name) == 1 else spec: agent for spec, agent in loaded.items()}
    results = []
    interrupted = False
    with counter("") as update:

        def progress(a: str, b: str, done: int, total: int) -> None:
            update(done, total, f"{a} vs {b}")

        try:
            for result in round_robin(game, everybody, games, seed=seed, threads=threads, progress=progress):
                results.append(result)
        except KeyboardInterrupt:
            interrupted = True
    if as_json:
        print_json({"complete": not interrupted, "matches": [result.to_json() for result in results]})
    elif results:
        output().print(match_table(results, seats=seat_names(game)))
    if interrupted:
        raise KeyboardInterrupt
