"""Games played or watched in a browser, and the folder that keeps them across restarts."""

from __future__ import annotations

import json
import re
import secrets
import threading
from collections import OrderedDict
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

import react_env
from react_env.agents.process.asked import Asked, adviser_of
from react_env.agents.registry import available
from react_env.agents.search.mcts import network_of
from react_env.content.words import asked_words, question_words
from react_env.engine.game import Game
from react_env.engine.history import History
from react_env.engine.rng import random_seed, seed_word
from react_env.errors import OptionError, ReactEnvError
from react_env.files import write_aside
from react_env.replay import Replay

PERSON = "you"  # sits at a seat, in place of the name of an agent
MOST_LOADED = 100  # sessions kept in memory
MOST_KEPT = 5000  # sessions kept in the folder; the oldest go first
SEEDS = 10**15  # a drawn seed is below this: 15 digits, as many as a page can ask for again
_ID = re.compile(r"[A-Za-z0-9_-]{20,40}")


@lru_cache(maxsize=200)
def _game(game_id: str, options: str) -> Game:
    return react_env.load(game_id, **json.loads(options))


def _installed(who: str) -> bool:
    """Whether this names agents of the library alone: a page must not name files."""
    name, _, argument = who.partition(":")
    network = network_of(argument)
    return name in available() and (not network or _installed(network))


class SessionError(ReactEnvError):
    """What a page has asked for cannot be done; the message says why."""


class Session(History):
    """One game with people, or one that is watched, between agents alone.

    Args:
        id: 22 letters that nobody can guess; whoever knows them may play.
        game: the rules.
        seats: `PERSON` or the name of an agent, for each player.
        start: first state of the random stream.
        actions: taken before.
        fault: why an agent has forfeited; "" if none has.
        seed: the seed behind `start`, if it is known.

    Attributes:
        unkept: why the game could not be written to its file the last time; "" if it could.
    """

    def __init__(
        self,
        id: str,
        game: Game,
        seats: list[str],
        start: int,
        actions: Sequence[int] = (),
        *,
        fault: str = "",
        seed: int | None = None,
    ) -> None:
        super().__init__(game, start, [player for player, who in enumerate(seats) if who == PERSON])
        self.id, self.seats, self.fault, self.seed = id, seats, fault, seed
        self.unkept = ""
        self._lock = threading.RLock()  # held briefly to change the game or look at all of it
        self._thinking = threading.Lock()  # held while an agent is asked: it does one thing at a time
        self._agents: dict[str, Asked] = {}
        for action in actions:
            self.take(action)

    # -- the position -----------------------------------------------------------------------------------------------------------

    @property
    def at(self) -> int:
        """The number of the decision, from 0. With people only theirs count: that an agent had a decision may be hidden (AW-I2)."""
        return len(self.decisions if self.people else self.actions)

    @property
    def over(self) -> bool:
        """Whether nothing more can be chosen."""
        return bool(self.state["over"]) or bool(self.fault)

    @property
    def waits_for_person(self) -> bool:
        """Whether a person is to choose."""
        return not self.over and self.mover in self.people

    @property
    def might_be_forced(self) -> bool:
        """Whether an agent is to move that may have a choice only because of hidden cards (AW-I2). Pages are not told of that moment:
        without a choice the engine would have passed, and the moment would not exist."""
        known = self.game.heuristics
        there = not self.over and not self.waits_for_person and bool(self.people)
        return there and not known.unfinished(self.state) and known.pass_action(self.state) >= 0

    @property
    def looks(self) -> int | None:
        """Whose view the page shows: the person to move, else the last who chose or the first; None (all) without people or at the end."""
        if self.over or not self.people:
            return None
        if self.mover in self.people:
            return self.mover
        return self.game.to_play(self.decisions[-1].state) if self.decisions else self.people[0]

    def view(self, told: int = 0) -> dict[str, Any]:
        """What a page may know of the position, with the lines of the log from number `told` on."""
        with self._lock:
            return self._view(told)

    def _view(self, told: int) -> dict[str, Any]:
        player, game = self.looks, self.game
        asked = self.waits_for_person
        legal = game.legal_actions(self.state).tolist() if asked else []
        return {
            "type": "view",
            "at": self.at,
            "svg": game.svg(self.state, player, choices=asked, style=False),
            "choices": [[action, game.action_text(self.state, action)] for action in legal],
            "nothing": self._nothing(legal),
            "asked": asked_words(game, self.state) if asked else "",
            "question": question_words(game, self.state) if asked else "",
            "lines": self.lines[told:],
            "from": told,
            "mover": None if self.over else self.mover,
            "who": None if self.over else self.seats[self.mover],
            "you": player,
            "watching": not self.people,
            "shared": len(self.people) > 1,
            "over": self.over,
            "result": self._result() if self.over else "",
        }

    def _nothing(self, legal: list[int]) -> int | None:
        """The action that lets the others go on, if there is one."""
        if not legal:
            return None
        known = self.game.heuristics
        world = self.game.determinize(self.state, self.mover, 0)  # a guess that reveals no more than the player knows
        if known.unfinished(world):
            return None
        action = int((known.nothing or known.pass_action)(world))
        return action if action in legal else None

    def _result(self) -> str:
        if self.fault:
            return self.fault
        rewards = self.game.rewards(self.state)
        winners = [player for player, reward in enumerate(rewards) if reward > 0]
        cut = " The game was stopped by its limit." if self.game.truncated(self.state) else ""
        if not winners:
            return f"Nobody wins.{cut}"
        if len(self.people) == 1 and self.people[0] not in winners and len(self.seats) == 2:
            return f"You lose.{cut}"
        names = ["You" if self.people == [player] else f"player_{player}" for player in winners]
        return f"{' and '.join(names)} {'win' if names == ['You'] or len(names) > 1 else 'wins'}.{cut}"

    # -- what changes it --------------------------------------------------------------------------------------------------------

    def choose(self, at: int, action: int) -> None:
        """Take the action that a person chooses. SessionError if it cannot be taken."""
        with self._lock:
            self.expect(at)
            if action not in self.game.legal_actions(self.state):
                raise SessionError(f"action {action} is not legal now")
            self.take(action)

    def answer(self) -> bool:
        """Let the agent to move choose; return whether there was one. Meanwhile the position can still be viewed."""
        with self._thinking:
            with self._lock:
                if self.over or self.waits_for_person:
                    return False
                taken, mover, state = len(self.actions), self.mover, self.game.copy(self.state)
            try:
                agent = self._agent(self.seats[mover], mover)
                action = agent.choice(state)
                if action is None:
                    fault = f"{agent.name} forfeits ({agent.fault.kind}): {agent.fault.message}"
            except ReactEnvError as error:
                action, fault = None, f"{self.seats[mover]} cannot play: {error}"
            with self._lock:
                if taken == len(self.actions) and action is not None:
                    self.take(action)
                elif taken == len(self.actions):
                    self.fault = fault
        return True

    def undo(self, at: int) -> str:
        """Take back a person's last decision, if nothing hidden has been shown since; return what was taken back. Raises SessionError."""
        with self._lock:
            self.expect(at)
            taken, words = self.take_back()
        if not taken:
            raise SessionError(words)
        return words

    def hint(self, at: int) -> dict[str, Any]:
        """What a strong agent would do for the person to move, seeing no more, and its chance to win. Raises SessionError."""
        with self._lock:
            self.expect(at)
            taken, mover, state = len(self.actions), self.mover, self.game.copy(self.state)
        with self._thinking:
            adviser = self._agent(adviser_of(self.game), -1).at(taken)
            action = adviser.choice(state)
            if action is None:
                raise SessionError(f"no hint: {adviser.fault.message}")
            chances = adviser.chances(state, mover)
        share = None if chances is None else float(chances[action])
        words = f"{adviser.name} would: {self.game.action_text(state, action)}"
        return {"type": "hint", "at": at, "action": action, "text": words, "chance": share}

    def replay(self) -> Replay:
        """The game as a Replay. SessionError while it goes on, because a replay shows what is hidden."""
        if not self.over:
            raise SessionError("the game goes on; its recording would reveal what is hidden")
        start = self.start if self.seed is None else None
        return Replay.record(self.game, self.actions, seed=self.seed, start=start, players=self.seats)

    def close(self) -> None:
        """Free what the agents hold, such as processes."""
        for agent in self._agents.values():
            agent.close()
        self._agents.clear()

    def saved(self) -> dict[str, Any]:
        """The session as JSON, from which `Sessions.find` restores it."""
        return {
            "game": self.game.id,
            "options": dict(self.game.options),
            "rules": self.game.rules_hash,
            "seats": self.seats,
            "start": f"{self.start:016x}",
            "seed": self.seed,
            "actions": self.actions,
            "fault": self.fault,
        }

    def expect(self, at: int) -> None:
        """SessionError unless a person is to choose, and the game is at decision `at`."""
        if self.over:
            raise SessionError("the game is over")
        if not self.waits_for_person:
            raise SessionError(f"player_{self.mover} is to move, who is {self.seats[self.mover]}")
        if at != self.at:
            raise SessionError(
                f"this was for decision {at}, and the game is at {self.at}: somebody else has already chosen"
            )

    def _agent(self, name: str, seat: int) -> Asked:
        key = f"{name} {seat}"
        if key not in self._agents:
            self._agents[key] = Asked(name, self.game, seed=(self.start % 2**32, seat + 1))
        return self._agents[key]


class Sessions:
    """All games of a server. Calls may come from several threads.

    Args:
        folder: holds a file for each game, which is complete at any moment.
        agents: files given on the command line, which may be chosen besides the named agents.
    """

    def __init__(self, folder: Path, agents: tuple[str, ...] = ()) -> None:
        self.folder, self.agents = folder, agents
        self._loaded: OrderedDict[str, Session] = OrderedDict()
        self._lock = threading.Lock()
        self._writing = threading.Lock()
        folder.mkdir(parents=True, exist_ok=True)
        kept = sorted(folder.glob("*.json"), key=lambda file: file.stat().st_mtime)
        for file in kept[:-MOST_KEPT]:
            file.unlink(missing_ok=True)

    def names(self) -> list[str]:
        """The agents that may play: those of the library, and those of the command line."""
        return [*available(), *self.agents]

    def game(self, game_id: str, options: dict[str, Any]) -> Game:
        """The game with its options, loaded once. Raises OptionError."""
        return _game(game_id, json.dumps(options, sort_keys=True))

    def new(self, game_id: str, options: dict[str, Any], seats: list[str], seed: int | None = None) -> Session:
        """A new game. Raises OptionError."""
        game = self.game(game_id, options)
        self.check(game, seats)
        seed = random_seed() % SEEDS if seed is None else seed
        session = Session(secrets.token_urlsafe(16), game, list(seats), seed_word(seed), seed=seed)
        for seat, who in enumerate(seats):
            if who != PERSON:
                session._agent(who, seat)  # an agent that cannot play is reported now
        self.keep(session)
        self._hold(session)
        return session

    def check(self, game: Game, seats: list[str]) -> None:
        """OptionError unless these may sit at the seats of a game."""
        if len(seats) != game.num_players:
            raise OptionError(f"{game.id} has {game.num_players} seats here, not {len(seats)}")
        for who in seats:
            if who != PERSON and who not in self.agents and not _installed(who):
                raise OptionError(f"there is no agent {who!r:.60}; there are: {', '.join([PERSON, *self.names()])}")

    def find(self, session_id: str) -> Session:
        """A game by its id, from memory or from its file. SessionError if there is none."""
        if not _ID.fullmatch(session_id):
            raise SessionError("there is no such game")
        with self._lock:
            if (session := self._loaded.get(session_id)) is not None:
                self._loaded.move_to_end(session_id)
                return session
        file = self.folder / f"{session_id}.json"
        try:
            data = json.loads(file.read_text(encoding="utf-8"))
            game = self.game(data["game"], data["options"])
            if game.rules_hash != data["rules"]:
                raise SessionError("this game was played by other rules: other card files, or another version")
            session = Session(
                session_id,
                game,
                data["seats"],
                int(data["start"], 16),
                data["actions"],
                fault=data["fault"],
                seed=data.get("seed"),
            )
        except FileNotFoundError:
            raise SessionError("there is no such game") from None
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise SessionError(f"this game cannot be read: {error}") from error
        return self._hold(session)

    def keep(self, session: Session) -> None:
        """Write a game to its file. If that fails, the game goes on, and its `unkept` says why."""
        with session._lock:
            text = json.dumps(session.saved())
        with self._writing:
            try:
                write_aside(self.folder / f"{session.id}.json", text)
                session.unkept = ""
            except OSError as error:
                session.unkept = f"this game cannot be saved now ({error.strerror}): it is lost if the server stops"

    def _hold(self, session: Session) -> Session:
        """The one Session of this game: another thread may already have loaded it."""
        with self._lock:
            session = self._loaded.setdefault(session.id, session)
            self._loaded.move_to_end(session.id)
            while len(self._loaded) > MOST_LOADED:
                _, oldest = self._loaded.popitem(last=False)
                oldest.close()
        return session
