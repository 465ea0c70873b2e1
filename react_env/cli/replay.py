"""`react-env replay`: look at a recorded game."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from typer import Argument, Option

from react_env.cli import flags
from react_env.cli.common import check_place, counter, folded, output, print_json
from react_env.cli.positions import show_position
from react_env.errors import OptionError

if TYPE_CHECKING:
    from react_env.engine.game import Game
    from react_env.replay import Replay, Step


def replay(
    file: Annotated[Path, Argument(metavar="FILE", help="A replay, such as runs/demo/win.replay.")],
    view: Annotated[
        int | None, Option(metavar="PLAYER", min=0, help="See what this player saw; without it, everything.")
    ] = None,
    all_: Annotated[bool, Option("--all", help="Print the whole game, without waiting for a key.")] = False,
    log: Annotated[bool, Option("--log", help="Print only what happened, without the board.")] = False,
    html: Annotated[
        Path | None, Option(metavar="FILE", help="Write a page that steps through the game, for a browser.")
    ] = None,
    gif: Annotated[Path | None, Option(metavar="FILE", help="Write a moving picture (extra 'render').")] = None,
    mp4: Annotated[Path | None, Option(metavar="FILE", help="Write a film (extra 'render', and ffmpeg).")] = None,
    as_json: flags.Json = False,
) -> None:
    """Step through a recorded game: the board, who chose what, and what came of it.

    **Enter** goes on, **b** goes back, a number goes to that decision, **q** leaves, **?** is help. Without a
    terminal everything is printed. With --html, --gif or --mp4 the game is written to a file instead; --view goes with films, not with the
    page, which shows all hands.
    """
    from react_env.replay import Replay

    recorded = Replay.load(file)
    game = recorded.game()
    if view is not None and view >= game.num_players:
        raise OptionError(f"--view {view}: players are numbered from 0 to {game.num_players - 1}")
    if view is not None and html is not None:
        raise OptionError(
            "--view does not go with --html: the page shows all hands; --gif and --mp4 show what one player saw"
        )
    if html is not None or gif is not None or mp4 is not None:
        for option, path in (("--html", html), ("--gif", gif), ("--mp4", mp4)):
            check_place(option, path)
        _write(game, recorded, view, html, gif, mp4)
        return
    steps = list(recorded.states(game))
    if as_json:
        print_json(_as_json(game, recorded, steps))
        return
    console = output()
    options = ", ".join(f"{name} {value}" for name, value in recorded.options.items())
    told = f" ({options})" if options else ""
    console.print(f"{game.id}{told}, seed {recorded.seed}", style="bold")
    for player, name in enumerate(recorded.players):
        console.print(f"player_{player}: {name}")
    if log:
        for step in steps:
            for line in step.lines:
                console.print(line)
    elif all_ or not (sys.stdin.isatty() and sys.stdout.isatty()):
        for number in range(len(steps)):
            _show(game, steps, number, view)
    else:
        _walk(game, steps, view)
    rewards = ", ".join(f"player_{player} {reward:+.3g}" for player, reward in enumerate(recorded.rewards))
    console.print(f"{len(recorded.actions)} decisions, {recorded.end}, rewards: {rewards}")


def _write(
    game: Game, recorded: Replay, view: int | None, html: Path | None, gif: Path | None, mp4: Path | None
) -> None:
    """Write the files that are asked for."""
    from react_env.files import write_aside
    from react_env.web import recording

    if html is not None:
        write_aside(html, recording.html(recorded, game))
        output().print(f"{html}: {html.stat().st_size / 1000:.0f} KB")
    steps = list(recorded.states(game))
    for path, write in ((gif, recording.gif), (mp4, recording.mp4)):
        if path is not None:
            with counter("drawing", "frames") as update:
                write(path, game, steps, view, update=update)
            output().print(f"{path}: {path.stat().st_size / 1000:.0f} KB")


def _walk(game: Game, steps: list[Step], view: int | None) -> None:
    number, shown = 0, -1
    while True:
        if number != shown:
            _show(game, steps, number, view)
        shown = number
        try:
            answer = input(f"[{number + 1}/{len(steps)}] Enter, b, number, q, ?: ").strip().lower()
        except EOFError:
            return
        if answer == "q" or (answer == "" and number == len(steps) - 1):
            return
        if answer == "b":
            number = max(0, number - 1)
        elif answer.isascii() and answer.isdecimal() and 1 <= int(answer[:9]) <= len(steps):
            number = int(answer[:9]) - 1
        elif answer == "":
            number += 1
        else:
            said = "" if answer in ("?", "h", "help") else f"{answer:.30} is none of these. "
            output().print(
                f"{said}Enter goes on, b goes back, a number from 1 to {len(steps)} goes there, q leaves, ? is this help."
            )


def _show(game: Game, steps: list[Step], number: int, view: int | None) -> None:
    step = steps[number]
    console = output()
    console.rule(f"{number + 1} of {len(steps)}" if step.action >= 0 else "the end", style="dim")
    for line in step.lines:
        console.print(f"  {line}")
    show_position(game, step.state, view)
    if step.action >= 0:
        words = game.action_text(step.state, step.action)
        seen = words if view is None or view == step.player else "chooses"
        line = folded(f"> player_{step.player}: {seen}", console.width, "    ")
        console.print(line, style="bold")


def _as_json(game: Game, recorded: Replay, steps: list[Step]) -> dict[str, Any]:
    return {
        "game": recorded.game_id,
        "options": recorded.options,
        "rules_hash": recorded.rules_hash,
        "seed": recorded.seed,
        "players": recorded.players,
        "end": recorded.end,
        "rewards": recorded.rewards,
        "steps": [
            {
                "events": step.lines,
                "status": game.status_lines(step.state, None),
                "player": step.player if step.action >= 0 else None,
                "action": step.action if step.action >= 0 else None,
                "action_text": game.action_text(step.state, step.action) if step.action >= 0 else None,
            }
            for step in steps
        ],
    }
