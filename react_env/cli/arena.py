"""`react-env arena`: agents play each other, the same deals from each seat, and are rated."""

from __future__ import annotations

import shlex
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from typer import Argument, Option

from react_env.cli import flags
from react_env.cli.common import (
    check_games,
    check_place,
    clock_words,
    counter,
    errors,
    interrupted,
    load_game,
    output,
    print_json,
    seat_names,
)
from react_env.errors import OptionError
from react_env.extras import need
from react_env.registry import DEFAULT_GAME

if TYPE_CHECKING:
    from rich.table import Table

    from react_env.engine.game import Game
    from react_env.evaluation.arena.run import Arena, Progress
    from react_env.evaluation.arena.store import Store

_EVERY = 5.0  # seconds between two lines of progress without a terminal
_RATED = 16  # most agents that are rated during play; with more, rating would slow the games down
_IN_DETAIL = 3  # most agents for which each match is shown by seat


def arena(
    agents_: Annotated[list[str] | None, Argument(metavar="AGENT", help="Name, model, my_agent.py:MyAgent.")] = None,
    games: Annotated[
        int, Option("--games", "-n", metavar="N", min=2, help="Games of each pair; default 1000.", show_default=False)
    ] = 1000,
    against: Annotated[
        list[str] | None, Option(metavar="AGENTS", help="Opponents of AGENT; all: all in the file.")
    ] = None,
    file: Annotated[Path | None, Option(metavar="FILE", help="Keep the games here; continue.")] = None,
    minutes: Annotated[
        float | None, Option("--time", metavar="N", min=0.0, help="Minutes; begin no game that ends later.")
    ] = None,
    seconds: Annotated[float, Option(metavar="S", min=0.01, help="Limit for your agent's decision.")] = 10.0,
    ladder: Annotated[str | None, Option(metavar="AGENT", help="Double this budget while it pays.")] = None,
    patience: Annotated[
        int | None, Option(metavar="N", min=1, help="Stop after N useless doublings; default 2.")
    ] = None,
    html: Annotated[Path | None, Option(metavar="FILE", help="Write the report as a page.")] = None,
    csv: Annotated[Path | None, Option(metavar="FOLDER", help="Write the report's tables.")] = None,
    plot: Annotated[Path | None, Option(metavar="FILE", help="Write the ladder's plot.")] = None,
    seed: Annotated[int | None, Option(metavar="N", min=0, help="Seed; else the file's, or 0.")] = None,
    threads: flags.Threads = flags.ALL,
    ray: flags.Ray = None,
    tables: Annotated[bool, Option("--tables", help="Mix all agents at tables.")] = False,
    any_rules: Annotated[bool, Option("--any-rules", help="Let models of other rules play.")] = False,
    game_id: Annotated[str | None, Option("--game", metavar="ID", help="The game; else the file's.")] = None,
    seats: flags.Seats = None,
    sets: flags.Set = None,
    as_json: flags.Json = False,
) -> None:
    """Play agents against each other and rate them, with intervals.

    Every pair plays the same deals from both seats. An agent that fails forfeits that game. With **--file** a run can be stopped and
    continued, and several runs can share the work; without agents the standings of the file are shown.
    """
    specs = agents_ or []
    field = [spec for text in against or [] for spec in _specs(text)]
    _check(specs, field, file, ladder, plot, patience)
    check_games(games)
    check_place("--html", html)
    check_place("--plot", plot)
    if tables and (field or any(one is not None for one in (file, ladder, html, csv, minutes, ray))):
        raise OptionError("--tables goes with agents, --games, --seed and options of the game alone")
    if ladder is not None and any(one is not None for one in (html, csv, minutes)):
        raise OptionError(
            f"--ladder {ladder} ends by itself and writes only a plot: leave out --time, --html and --csv"
        )
    need("eval")
    from react_env.evaluation.arena.store import Store

    if not specs and ladder is None:
        assert file is not None
        with Store(file) as store:
            _report(store, None, as_json, html, csv)
        return

    from react_env import agents
    from react_env.evaluation.arena.run import ALL, Arena, round_robin
    from react_env.evaluation.arena.run import against as against_field
    from react_env.evaluation.cluster import on
    from react_env.evaluation.matches.match import deals, whole

    game = _game(file, game_id, sets, seats)
    on_mismatch: Literal["warn", "refuse"] = "warn" if any_rules else "refuse"
    if not tables and games != whole(game, games):
        asked, games = games, whole(game, games)
        errors().print(
            f"note: {games} games of each pair, not {asked}: as many from each of the {game.num_players} seats"
        )
    # Load all agents before a file is created: a name may be mistyped.
    loaded = {
        spec: agents.load(spec, game, threads=threads, on_mismatch=on_mismatch)
        for spec in dict.fromkeys([*specs, *field])
        if spec != ALL
    }
    if tables:
        _tables(game, loaded, games, seed, threads, as_json)
        return
    with (
        Store(file, game, seed=seed) as store,
        on(ray) as cluster,
        Arena(game, store, threads=threads, seconds=seconds, on_mismatch=on_mismatch, cluster=cluster) as place,
    ):
        if ladder is not None:
            try:
                _climb(place, ladder, games, patience, plot, as_json)
            except KeyboardInterrupt:
                raise interrupted(file) from None
            return
        ids = {spec: place.add(spec, agent) for spec, agent in loaded.items()}
        mine = [ids[spec] for spec in specs]
        others = {ids[spec] for spec in field if spec != ALL} | (set(place.add_all()) if ALL in field else set())
        for message in place.messages:
            errors().print(f"note: {message}")
        pairs = against_field(mine, sorted(others)) if field else round_robin(mine)
        if not pairs:
            raise OptionError(f"{file}: there is nobody else in this file to play against")
        complete = stopped = False
        try:
            with _shown(minutes) as progress:
                complete = place.play(pairs, games, minutes=minutes, progress=progress)
        except KeyboardInterrupt:
            stopped = True
        if not complete and not stopped:
            played = sum(store.counts(pairs, deals(game, games)).values())
            why = "another run is playing the rest" if minutes is None else "time is up"
            errors().print(f"{why}: {played:,} of {len(pairs) * games:,} games are there")
        _report(store, game, as_json, html, csv, complete)
    if stopped:
        raise interrupted(file)


def _tables(game: Game, agents: dict[str, Any], games: int, seed: int | None, threads: int, as_json: bool) -> None:
    """Play tables of different agents, and print the results."""
    from react_env.evaluation.ratings.intervals import interval_text, percent
    from react_env.evaluation.ratings.tables import FEWEST, play_tables

    with counter("playing at tables") as update:
        result = play_tables(game, agents, games, seed=seed or 0, threads=threads, progress=update)
    if as_json:
        print_json(result.to_json())
        return
    unknown = "too few deals" if result.deal.max() + 1 < FEWEST else "too one-sided"
    rows = [
        (
            place.name,
            f"{place.games:,}",
            percent(place.wins / place.games),
            interval_text(place.wins, place.games),
            f"{place.elo:+z.0f}",
            _between(place.elo_interval, unknown),
            f"{place.mu:.1f} ± {place.sigma:.1f}",
        )
        for place in result.places
    ]
    console = output()
    console.print(_table(("games", "wins", "95 %", "Elo", "95 %", "openskill"), rows))
    draws = int((result.winner < 0).sum())
    console.print(
        f"{len(result.winner):,} games of {result.players}, {draws} of them draws; each deal in every rotation of the table. "
        f"Even is {100 / result.players:.0f} %."
    )
    for seat, (elo, interval) in enumerate(result.seats):
        console.print(f"Seat {seat} is worth {elo:+z.0f} Elo ({_between(interval, unknown)}).")


def _specs(text: str) -> list[str]:
    """The agents in a text, split as a shell would. Raises OptionError."""
    try:
        return shlex.split(text)
    except ValueError as error:
        raise OptionError(f"--against {text}: {str(error)[:1].lower()}{str(error)[1:]}") from None


def _between(interval: tuple[float, float] | None, unknown: str) -> str:
    return unknown if interval is None else f"{interval[0]:+z.0f} to {interval[1]:+z.0f}"


def _table(columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> Table:
    """A table with a line of numbers for each agent."""
    from react_env.evaluation.document import console_table

    return console_table(("agent", *columns), rows, padding=(0, 1))


def _check(
    specs: list[str], field: list[str], file: Path | None, ladder: str | None, plot: Path | None, patience: int | None
) -> None:
    """Raise OptionError if the arguments do not fit together."""
    if plot is not None and ladder is None:
        raise OptionError("--plot is for --ladder; the plots of an arena are in its page, --html")
    if patience is not None and ladder is None:
        raise OptionError("--patience is for --ladder")
    if ladder is not None:
        if specs or field:
            raise OptionError(f"--ladder {ladder} makes its own agents: name no others")
        from react_env.agents.arguments import split_own

        file_of_class, rest = split_own(ladder)
        if file_of_class and "{}" not in rest:
            raise OptionError(
                f"--ladder {ladder}: put {{}} where the budget of your agent stands, such as my_agent.py:MyAgent,simulations={{}}"
            )
        return
    if field and not specs:
        raise OptionError("--against: name the agents that are to play against these")
    if "all" in field and file is None:
        raise OptionError("--against all means everybody in a file: name it with --file")
    if len(set(specs)) < len(specs) or len(set(field)) < len(field):
        raise OptionError("an agent is listed twice")
    if len(specs) == 1 and set(field) <= set(specs) or not specs and file is None:
        more = "; --against all lets one play everybody in the file" if file is not None else ""
        raise OptionError(f"an arena needs at least two agents{more}")


def _game(file: Path | None, game_id: str | None, sets: list[str] | None, seats: str | None) -> Game:
    """The game that the options name, or that of the file if they name none."""
    if file is not None and file.is_file() and file.stat().st_size and not (game_id or sets or seats):
        import react_env
        from react_env.evaluation.arena.store import Store

        with Store(file) as store:
            known, options = store.game_id, store.options
        return react_env.load(known, **options)
    return load_game(game_id or DEFAULT_GAME, sets, seats)


@contextmanager
def _shown(minutes: float | None = None) -> Iterator[Callable[[Progress], None]]:
    """Show how far the arena has come: a live table, or a line now and then if standard error is not a terminal."""
    from rich.live import Live

    console = errors()
    last = time.monotonic()
    with Live(console=console, transient=True, auto_refresh=False) if console.is_terminal else nullcontext() as live:

        def update(progress: Progress) -> None:
            nonlocal last
            now = time.monotonic()
            if now - last < (_EVERY if live is None else 0.25):
                return
            last = now
            if live is None:
                print(progress_line(progress, minutes), file=sys.stderr, flush=True)
            else:
                live.update(_live_table(progress, minutes), refresh=True)

        yield update


def progress_line(progress: Progress, minutes: float | None = None) -> str:
    """Games done, games a second, and the time left: "1,200 of 5,600 games, 34/s, 2:10 left"."""
    line = f"{progress.done:,} of {progress.total:,} games"
    if progress.rate > 0:
        left = (progress.total - progress.done) / progress.rate
        if minutes is not None:
            left = max(0.0, min(left, 60 * minutes - progress.seconds))
        rate = f"{progress.rate:,.0f}" if progress.rate >= 10 else f"{progress.rate:.1f}"
        line += f", {rate}/s, {clock_words(left)} left"
    return line


def _live_table(progress: Progress, minutes: float | None) -> Table:
    from rich.text import Text

    from react_env.evaluation.ratings.ratings import quick_elo

    rated = len(progress.names) <= _RATED
    pairs = progress.rivals == 1  # against several rivals, equals do not score one half
    games, score = progress.played.sum(axis=1), progress.score.sum(axis=1)
    shares = [points / count if count else 0.5 for points, count in zip(score.tolist(), games.tolist())]
    ratings = quick_elo(progress.played, progress.score, progress.rivals) if rated else None
    order = shares if ratings is None else ratings[:, 0].tolist()
    rows = []
    for i in sorted(range(len(order)), key=lambda i: -order[i]):
        shown = [f"{100 * shares[i]:.1f} %"] if pairs else []
        if ratings is not None:
            shown = [f"{ratings[i, 0]:.0f}", f"± {ratings[i, 1]:.0f}", *shown]
        faults = Text(f"{progress.faults[i]:,}", style="red") if progress.faults[i] else Text("0")
        rows.append((progress.names[i], *(shown if games[i] else "-" * len(shown)), f"{games[i]:,}", faults))
    columns = *(("Elo so far", "95 %") if rated else ()), *(("score",) if pairs else ()), "games", "forfeits"
    table = _table(columns, rows)
    table.title = Text(progress_line(progress, minutes))
    return table


def _report(
    store: Store, game: Game | None, as_json: bool, html: Path | None, csv: Path | None, complete: bool | None = None
) -> None:
    """Print and write the results of all agents in the store; `complete`: whether all games of this run are played."""
    from react_env.evaluation.arena.report import arena_report, csv_files, document, to_json
    from react_env.evaluation.arena.run import match_results
    from react_env.evaluation.document import as_console, as_html
    from react_env.files import write_all_aside

    found = store.games()
    if not len(found):
        if as_json:
            print_json({"complete": bool(complete), "ratings": [], "matches": []})
        else:
            output().print("no game has ended yet")
        return
    command = "react-env " + shlex.join(sys.argv[1:]) if sys.argv[1:2] == ["arena"] else ""
    report = arena_report(found, faults=store.faults(), command=command, seed=store.seed)
    matches = match_results(found, store.seed)
    files: dict[Path, str] = {}
    if html is not None:
        files[html] = as_html(document(report))
    if csv is not None:
        files |= {csv / name: text for name, text in csv_files(report).items()}
    # Print before writing files: if writing fails, results in memory are not lost.
    if as_json:
        content: dict[str, Any] = {} if complete is None else {"complete": complete}
        content |= to_json(report)
        content["matches"] = [match.to_json() for match in matches]
        content["lengths"] = [{"unit": report.unit, **length._asdict()} for length in report.lengths]
        print_json(content)
        write_all_aside(files)
        return
    if len(found.agents) <= _IN_DETAIL:
        from react_env.evaluation.matches.match import match_table

        output().print(match_table(matches, seats=[] if game is None else seat_names(game)))
    output().print(as_console(document(report)))
    write_all_aside(files)
    # A run that plays nothing writes nothing to the store.
    kept = [] if store.path is None or complete is None else [store.path]
    for path in kept + list(files):
        output().print(f"written: {path}", soft_wrap=True)


def _climb(place: Arena, family: str, games: int, patience: int | None, plot: Path | None, as_json: bool) -> None:
    """`--ladder`: each budget against half of it, until doubling stops paying."""
    from react_env.evaluation.arena.ladder import PATIENCE, Rung, climb, ladder_table, verdict
    from react_env.evaluation.arena.ladder import plot as draw

    def match(spec_a: str, spec_b: str, count: int) -> Any:
        errors().print(f"{spec_a} against {spec_b}")
        with _shown() as progress:
            return place.match(spec_a, spec_b, count, progress=progress)

    def tell(rung: Rung) -> None:
        score, low, high = (100 * value for value in rung.score)
        errors().print(f"{rung.spec} scores {score:.1f} % ({low:.1f}-{high:.1f} %)")

    found = climb(match, family, games=games, patience=patience or PATIENCE, done=tell, seed=place.store.seed)
    if as_json:
        print_json(found.to_json())
    else:
        output().print(ladder_table(found))
        output().print(verdict(found))
    if plot is not None:
        draw(found, plot)
        if not as_json:
            output().print(f"written: {plot}", soft_wrap=True)
