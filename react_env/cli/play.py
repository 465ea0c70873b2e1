"""`react-env play`: a person in the terminal against an agent."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from react_env.cli.common import (
    ArtistsOption,
    DecksOption,
    GameArgument,
    OtherGameOption,
    SetOption,
    ThreadsOption,
    folded,
    is_drawn,
    load_game,
    output,
    seat_names,
    show_position,
    which_game,
)
from react_env.errors import OptionError

if TYPE_CHECKING:
    from react_env.engine.game import Game

_HELP = """  a number   take the action of that number
  Enter      the only action, or the one that does nothing, such as pass
  b          show the board again
  l          show what has happened so far, as far as it is remembered
  ?          this help
  q          leave the game"""


def play(
    game_name: GameArgument = None,
    against: Annotated[
        str,
        typer.Option(
            "--against", metavar="AGENT", help="Who plays the other seats: a name, a model file or its folder."
        ),
    ] = "greedy",
    seat: Annotated[int, typer.Option("--seat", metavar="N", min=0, help="Your player number.")] = 0,
    seed: Annotated[
        int | None,
        typer.Option("--seed", metavar="N", min=0, help="Seed of the deal and of the opponent; drawn if not given."),
    ] = None,
    save: Annotated[
        Path | None, typer.Option("--save", metavar="FILE", help="Write the game to this file, for react-env replay.")
    ] = None,
    game_id: OtherGameOption = None,
    artists: ArtistsOption = None,
    decks: DecksOption = None,
    sets: SetOption = None,
    threads: ThreadsOption = 1,
) -> None:
    """Play against an agent in the terminal.

    You see what your player sees. Type the number of an action, or **?** for help, **q** to leave.
    """
    import numpy as np

    import agents
    from react_env.engine.game import random_seed
    from react_env.engine.replay import Replay

    game = load_game(which_game(game_name, game_id), sets, artists, decks)
    if seat >= game.num_players:
        raise OptionError(f"--seat {seat}: players are numbered from 0 to {game.num_players - 1}")
    if save is not None and not save.resolve().parent.is_dir():
        raise OptionError(f"--save {save}: there is no folder {save.resolve().parent}")
    opponent = agents.load(against, game, threads=threads)
    seed = random_seed() % 1_000_000 if seed is None else seed
    names = [opponent.name] * game.num_players
    names[seat] = "you"
    console = output()
    name = seat_names(game)[seat].removeprefix(f"seat {seat}").removeprefix(", ")
    console.print(
        f"You are player_{seat}{name and f' ({name})'} against {opponent.name}; seed {seed}. ? is help.",
        highlight=False,
        markup=False,
    )

    rng = np.random.default_rng((seed, 3))
    batch = game.batch(num_games=1, seed=seed)
    state = game.new(seed=seed)  # the same deal, and the same game: the batch restarts at the end, this one stays
    row = np.zeros(1, np.int64)
    actions: list[int] = []
    seen = 0
    left = False
    while not state["over"]:
        player = game.to_play(state)
        if player == seat:
            seen = _log(game, state, seen)
            chosen = _ask(game, state, seat)
            if chosen is None:
                left = True
                break
        else:
            chosen = int(agents.choose(opponent, batch, row, rng)[0])
        actions.append(chosen)
        batch.step(np.array([chosen]))
        game.step(state, chosen)
    if not left:
        _log(game, state, seen)
        show_position(game, state, None, seat)
        reward = float(game.rewards(state)[seat])
        console.print(
            "[bold]You win.[/]" if reward > 0 else "[bold]You lose.[/]" if reward < 0 else "[bold]Nobody wins.[/]"
        )
    if save is not None:
        Replay.record(game, actions, seed=seed, players=names).save(save, game)
        console.print(f"Saved: {save}   (react-env replay {save})", highlight=False, soft_wrap=True)


def _log(game: Game, state: Any, seen: int) -> int:
    """Print what has happened since event `seen`; the number of events now."""
    for line in game.log_lines(state, since=seen):
        output().print(f"  {line}", highlight=False, markup=False, style="dim")
    return game.event_count(state)


def _ask(game: Game, state: Any, seat: int) -> int | None:
    """The action that the person chooses; None to leave."""
    console = output()
    legal = [int(action) for action in game.legal_actions(state)]
    nothing = int(game.rules.window(state)) if not game.rules.follow_up(state) else -1

    def show(everything: bool) -> None:
        console.print()
        if everything or is_drawn(game):
            show_position(game, state, seat, seat)
        else:
            console.print(game.text(state, seat).rstrip().splitlines()[-1], highlight=False, markup=False)
        for number, action in enumerate(legal, 1):
            line = folded(f"{number:4}  {game.action_text(state, action)}", console.width, " " * 6)
            console.print(line, highlight=False, markup=False)

    show(everything=not game.rules.follow_up(state))  # the parts of one play come close together
    while True:
        try:
            answer = input("> ").strip().lower()
        except EOFError:
            print()
            return None
        if not sys.stdin.isatty():
            print(answer)
        if answer == "q":
            return None
        if answer == "b":
            show(everything=True)
        elif answer == "l":
            _log(game, state, 0)
        elif answer == "" and (len(legal) == 1 or nothing in legal):
            return legal[0] if len(legal) == 1 else nothing
        elif answer.isdigit() and 1 <= int(answer) <= len(legal):
            return legal[int(answer) - 1]
        elif answer == "?":
            console.print(_HELP, highlight=False, markup=False)
        else:
            console.print(f"a number from 1 to {len(legal)}, or ? for help", highlight=False)
