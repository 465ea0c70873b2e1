"""`react-env play`: a person in the terminal against an agent."""

from __future__ import annotations

import contextlib
import io
import shlex
import signal
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from typer import Option

from react_env.cli import flags
from react_env.cli.common import check_place, folded, load_game, output, seat_names, which_game
from react_env.cli.positions import show_position
from react_env.engine.history import History
from react_env.errors import OptionError, ReactEnvError
from react_env.registry import describe, described

if TYPE_CHECKING:
    from rich.console import Console

    from react_env.agents.process.asked import Asked
    from react_env.engine.game import Game

_HELP = """  a number   take the action of that number
  a name     take the action of that name, or of a word in it: the first letters do
  Enter      the only action, or the one that does nothing, such as pass
  u          undo: take back your last decision, if nothing hidden has been shown since; again goes further back
  h          hint: what a strong agent would do, seeing no more than you
  c          the cards in your hand and your abilities, with their texts
  c NAME     the text of any card of the game
  b          show the board again
  l          show what has happened so far, as far as it is remembered
  ?          this help
  q          leave the game, also Ctrl-C and Ctrl-D; what was played is saved with --save"""
_LINES = 12  # most events since the last decision that are shown unasked
_SHOWN = 30  # most characters of an answer that an error message repeats
_UNDONE = -1
_UNLIKE = 4  # rank of a text that does not match an answer


def play(
    game_name: flags.Game = None,
    against: Annotated[
        str,
        Option(
            metavar="AGENT",
            help="Who plays the other seats: easy, medium, hard, another name, a model file or its folder, or FILE.py:CLASS.",
        ),
    ] = "greedy",
    seat: Annotated[int, Option(metavar="N", min=0, help="Your player number.")] = 0,
    seed: Annotated[
        int | None, Option(metavar="N", min=0, help="Seed of the deal and of the opponent; drawn if not given.")
    ] = None,
    hints: Annotated[
        str | None,
        Option(
            metavar="AGENT", help="Who is asked for a hint; if not given, the champion of these rules, else mcts:1024."
        ),
    ] = None,
    save: Annotated[
        Path | None, Option(metavar="FILE", help="Write the game to this file, for react-env replay.")
    ] = None,
    turn_based: Annotated[bool, Option("--turn-based", help="Play without a clock, in a game that has one.")] = False,
    game_id: flags.OtherGame = None,
    seats: flags.Seats = None,
    sets: flags.Set = None,
    threads: flags.Threads = 1,
) -> None:
    """Play against an agent in the terminal.

    You see what your player sees. Type the number of an action or its name; **u** takes back, **h** gives a hint, **c** shows
    cards, **?** is help, **q** leaves.
    """
    from react_env.agents.process.asked import Asked
    from react_env.engine.rng import random_seed

    game_id = which_game(game_name, game_id)
    clocked = bool(describe(game_id).live) and not turn_based and sys.stdin.isatty()
    check_place("--save", save)
    if save is not None and save.exists():
        raise OptionError(f"--save {save}: this file already exists; choose another name")
    if clocked and save is not None:  # now, before the game is compiled
        raise OptionError("--save: a game against the clock cannot be replayed; use --turn-based")
    game = load_game(game_id, sets, seats)
    if seat >= game.num_players:
        raise OptionError(f"--seat {seat}: players are numbered from 0 to {game.num_players - 1}")
    seed = random_seed() % 1_000_000 if seed is None else seed
    opponent = Asked(against, game, threads, seed=(seed, 3))
    helper = None if hints is None else Asked(hints, game, threads, seed=(seed, 4))
    if sys.stdin.isatty():
        with contextlib.suppress(ImportError):
            import readline  # noqa: F401 - gives `input` its arrow keys
    elif isinstance(sys.stdin, io.TextIOWrapper):
        sys.stdin.reconfigure(errors="replace")
    clock = describe(game.id).part("live") if clocked else None
    match = _Match(game, opponent, helper, seat, seed, threads)
    try:
        with _ended_as_left():
            if clock is not None:
                clock.play(match.console, game, match.choice_in, seat, seed)
            else:
                match.run()
    except KeyboardInterrupt:
        if clock is None:
            print()  # ends the line of the question
        match.console.print("You leave the game.")
    finally:
        match.close()
        if save is not None:
            match.save(save)


@contextlib.contextmanager
def _ended_as_left() -> Iterator[None]:
    """Within this context, SIGTERM or closing the terminal leaves the game as Ctrl-C does."""

    def leave(*_: object) -> None:
        raise KeyboardInterrupt

    numbers = [getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)]
    usual = [number for number in numbers if signal.getsignal(number) == signal.SIG_DFL]
    try:
        for number in usual:
            signal.signal(number, leave)
        yield
    finally:
        for number in usual:
            signal.signal(number, signal.SIG_DFL)


class _Match(History):
    """A game between a person and an agent.

    Args:
        game: the rules.
        opponent: plays at all other seats.
        helper: gives hints; None: the agent that `adviser_of` names, loaded at the first hint.
        seat: the person's seat.
        seed: seed of the deal, the opponent and the hints.
        threads: threads of a helper that is loaded later.
    """

    def __init__(self, game: Game, opponent: Asked, helper: Asked | None, seat: int, seed: int, threads: int) -> None:
        from react_env.engine.rng import seed_word

        super().__init__(game, seed_word(seed), [seat])
        self.opponent, self.helper, self.seat, self.seed, self.threads = opponent, helper, seat, seed, threads
        self.console: Console = output()
        self.told = 0  # events printed so far

    # -- the game -------------------------------------------------------------------------------------------------------------------

    def run(self) -> None:
        """Play to the end, or until the person leaves."""
        game = self.game
        name = seat_names(game)[self.seat].removeprefix(f"seat {self.seat}").removeprefix(", ")
        self._say(
            f"You are player_{self.seat}{name and f' ({name})'} against {self.opponent.name}; seed {self.seed}. ? is help."
        )
        while not self.state["over"]:
            if self.mover != self.seat:
                action = self.opponent.choice(self.state)
                if action is None:
                    self._tell_events(_LINES)
                    self._say(f"You win: {self.opponent.name} forfeits. {self._fault(self.opponent)}", "bold")
                    return
                self.take(action)
                continue
            answer = self._ask(happened=self._tell_events(_LINES))
            if answer is None:
                self._say("You leave the game.")
                return
            if answer != _UNDONE:
                self.take(answer)
        self._tell_events(_LINES)
        self._tell_end()

    def choice_in(self, state: Any) -> int:
        """The opponent's action in a record. AgentFault if it gives no legal action."""
        from react_env.agents.process.guard import AgentFault

        action = self.opponent.choice(state)
        if action is None:
            raise AgentFault(self.opponent.fault, self.opponent.name)
        return action

    def _fault(self, agent: Asked) -> str:
        """The agent's latest fault, in words."""
        return f"Its fault ({agent.fault.kind}): {agent.fault.message}"

    def close(self) -> None:
        """Free what the agents hold, such as processes."""
        for agent in (self.opponent, self.helper):
            if agent is not None:
                agent.close()

    def save(self, file: Path) -> None:
        """Write the game so far as a replay."""
        from react_env.replay import Replay

        names = [self.opponent.name] * self.game.num_players
        names[self.seat] = "you"
        try:
            Replay.record(self.game, self.actions, seed=self.seed, players=names).save(file, self.game)
        except OSError as error:
            raise OptionError(f"--save {file} cannot be written: {error.strerror}") from None
        self.console.print(f"Saved: {file}   ({shlex.join(['react-env', 'replay', str(file)])})", soft_wrap=True)

    # -- what is printed ------------------------------------------------------------------------------------------------------------

    def _say(self, text: str, style: str = "", indent: str = "    ") -> None:
        self.console.print(folded(text, self.console.width, indent), style=style)

    def _tell_events(self, most: int) -> bool:
        """Print the last `most` events of those not yet printed; return whether there were any."""
        lines = self.game.log_lines(self.state, since=self.told)
        self.told = self.game.event_count(self.state)
        if len(lines) > most:
            self._say(f"  ... {len(lines) - most} more before, l shows them", "dim")
        for line in lines[max(0, len(lines) - most) :]:
            theirs = line.startswith("player_") and not line.startswith(f"player_{self.seat}")
            self._say(f"  {line}", "" if theirs else "dim")
        return bool(lines)

    def _tell_end(self) -> None:
        game = self.game
        show_position(game, self.state, None, self.seat)
        rewards = game.rewards(self.state)
        reward = float(rewards[self.seat])
        lost = reward < 0 or rewards.max() > 0  # of three, the second may get 0
        word = "You win." if reward > 0 else "You lose." if lost else "Nobody wins."
        if game.truncated(self.state):
            word += " The game was stopped by its limit."
        self._say(word, "bold")
        self._say(f"{len(self.actions)} decisions, {len(self.decisions)} of them yours.")

    def _show(self, legal: list[int], everything: bool) -> None:
        """Print the position (or only its question) and the actions."""
        from react_env.content.words import question_words

        self.console.print()
        if everything:
            show_position(self.game, self.state, self.seat, self.seat)
        else:
            self._say(self.game.text(self.state, self.seat).rstrip().splitlines()[-1], "bold")
        for line in question_words(self.game, self.state).splitlines():
            self._say(line, "dim")
        texts = {action: self.game.action_text(self.state, action) for action in legal}
        groups = {
            name: [action for action in legal if ids.start <= action < ids.stop]
            for name, ids in self.game.action_groups.items()
            if ids.stop - ids.start > 1
        }
        headed = {actions[0]: name for name, actions in groups.items() if actions}
        members = {action for actions in groups.values() for action in actions}
        for action in legal:
            if action in headed:
                if len(headed) > 1:
                    self._say(headed[action].replace("_", " ") + ":", "dim")
                self._list([(legal.index(member) + 1, texts[member]) for member in groups[headed[action]]])
            elif action not in members:
                self._list([(legal.index(action) + 1, texts[action])])

    def _list(self, entries: list[tuple[int, str]]) -> None:
        """Print numbered lines, in columns if there are more than a few short ones."""
        cells = [f"{number:4}  {text}" for number, text in entries]
        wide = max(map(len, cells)) + 2
        columns = max(1, self.console.width // wide) if len(cells) > 5 else 1
        rows = -(-len(cells) // columns)
        for row in range(rows):
            self._say("".join(f"{cell:{wide}}" for cell in cells[row::rows]).rstrip(), indent=" " * 6)

    # -- what the person types ------------------------------------------------------------------------------------------------------

    def _ask(self, happened: bool) -> int | None:
        """Ask for an action; return None to leave, `_UNDONE` after an undo. `happened`: the position has changed since it was shown."""
        known = self.game.heuristics
        legal = [int(action) for action in self.game.legal_actions(self.state)]
        nothing = -1 if known.unfinished(self.state) else int((known.nothing or known.pass_action)(self.state))
        # Questions about one unfinished play follow each other closely: do not repeat the board.
        self._show(legal, everything=happened or not known.unfinished(self.state))
        while True:
            try:
                answer = " ".join(input("> ").split()).lower()
            except EOFError:
                print()
                return None
            if not sys.stdin.isatty():
                print("".join(sign if sign.isprintable() else "?" for sign in answer))
            command, _, rest = answer.partition(" ")
            if answer in ("q", "quit"):
                return None
            if answer == "" and (len(legal) == 1 or nothing in legal):
                return legal[0] if len(legal) == 1 else nothing
            if answer in ("u", "undo"):
                if self._undo():
                    return _UNDONE
            elif answer in ("b", "board"):
                self._show(legal, everything=True)
            elif answer in ("l", "log"):
                for line in self.game.log_lines(self.state):
                    self._say(f"  {line}", "dim")
            elif answer in ("h", "hint"):
                self._hint(legal)
            elif command in ("c", "card", "cards"):
                self._cards(rest)
            elif answer in ("?", "help"):
                if brief := described(self.game.id).brief:
                    self._say(brief, indent="")
                for line in _HELP.splitlines():
                    self._say(line, indent=" " * 13)
            elif answer.isdecimal() and answer.isascii():
                if len(answer) < 6 and 1 <= int(answer) <= len(legal):
                    return legal[int(answer) - 1]
                self._say(f"there is no {answer[:_SHOWN]}: a number from 1 to {len(legal)}, or ? for help")
            else:
                found = named(answer, [self.game.action_text(self.state, action) for action in legal])
                if len(found) == 1:
                    return legal[found[0]]
                self._say(self._unclear(answer, found, legal))

    def _unclear(self, answer: str, found: list[int], legal: list[int]) -> str:
        """What is wrong with an answer that does not name exactly one action; `found`: the places in `legal` that it fits."""
        if not found:
            said = f"no action is called {_short(answer)}" if answer else "please choose"
            return f"{said}: a number from 1 to {len(legal)}, a name, or ? for help"
        texts = [f"{place + 1} {self.game.action_text(self.state, legal[place])}" for place in found[:4]]
        more = f" and {len(found) - 4} more" if len(found) > 4 else ""
        return f"{_short(answer)} may be {', '.join(texts)}{more}"

    def _undo(self) -> bool:
        """Take back the last decision, if that is fair; say what was done."""
        taken, words = self.take_back()
        self._say(words)
        self.told = self.game.event_count(self.state)
        return taken

    def _hint(self, legal: list[int]) -> None:
        """Say what the helper would do."""
        from react_env.agents.process.asked import Asked, adviser_of

        if len(legal) == 1:
            self._say("there is only one action")
            return
        if self.helper is None:
            name = adviser_of(self.game)
            self._say(f"asking {name} ...", "dim")
            try:
                self.helper = Asked(name, self.game, self.threads, seed=(self.seed, 4))
            except ReactEnvError as error:
                self._say(f"no hint: {error}")
                return
        action = self.helper.at(len(self.actions)).choice(self.state)
        if action is None:
            self._say(f"no hint from {self.helper.name}. {self._fault(self.helper)}")
            return
        text = f"hint of {self.helper.name}: {legal.index(action) + 1}  {self.game.action_text(self.state, action)}"
        chances = self.helper.chances(self.state, self.seat)
        if chances is not None:
            others = sorted((other for other in legal if other != action), key=lambda other: -chances[other])[:2]
            rest = ", ".join(f"{legal.index(other) + 1}: {100 * chances[other]:.0f} %" for other in others)
            text += f"; it wins about {100 * chances[action]:.0f} % if nobody answers (next {rest})"
        self._say(text)

    def _cards(self, name: str) -> None:
        """Print the texts of the cards in hand, or of the cards with a name."""
        from react_env.content.words import card_words

        cards = card_words(self.game, self.state, self.seat)
        if not cards:
            self._say("this game has no card texts")
            return
        names = ", ".join(dict.fromkeys(card.name for card in cards))
        if name:
            places = named(name, [card.name for card in cards])
            if not places:
                self._say(f"no card is called {_short(name)}; there are {names}")
            chosen = [cards[place] for place in places]
        else:
            chosen = [card for card in cards if card.held]
        for number, card in enumerate(chosen):
            if any((card.name, card.lines) == (other.name, other.lines) for other in chosen[:number]):
                continue  # both players have this card
            copies = f" x{card.held}" if card.held > 1 else ""
            owner = "yours" if card.player == self.seat else f"of player_{card.player}"
            self._say(f"{card.name}{copies}, {owner}", "bold")
            for line in card.lines:
                self._say(f"    {line}", indent="      ")
        if not name and not chosen:
            self._say(f"you hold no card with a text; c NAME shows one of the game's: {names}", "dim")
        elif not name:
            self._say("c NAME shows any other card of the game, including the opponent's", "dim")


def named(answer: str, texts: list[str]) -> list[int]:
    """The places of the texts that fit an answer (in lower case) best.

    Best is the text itself, then its end, then its beginning, then the beginning of a word in it.
    """
    ranks = [_rank(answer, text.lower()) for text in texts]
    best = min(ranks, default=_UNLIKE)
    return [place for place, rank in enumerate(ranks) if rank == best and best < _UNLIKE]


def _rank(answer: str, text: str) -> int:
    bare = text.split(" (")[0]  # without the explanation in brackets
    if not answer:
        return _UNLIKE
    if answer in (text, bare):
        return 0
    if bare.endswith(f" {answer}"):
        return 1
    if text.startswith(answer):
        return 2
    return 3 if f" {answer}" in text.replace("(", "") else _UNLIKE


def _short(answer: str) -> str:
    """An answer in the form in which a message repeats it."""
    return repr(answer if len(answer) <= _SHOWN else answer[:_SHOWN] + "...")
