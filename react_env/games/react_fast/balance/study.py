"""What decides a game of React Fast: speed, seats and each traveling card, by games of one agent against itself.

All is measured on the same deals, and all chance of a window is drawn for every player whatever they choose. So a game with one player
quicker, or one traveling card forbidden, can be set against the game without that change: the difference of the two is what the change is
worth (restricted play: Jaffe et al., 2012), and most of the luck cancels out.
"""

from __future__ import annotations

import json
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from react_env.agents.protocol import AnyAgent
from react_env.agents.registry import fingerprint
from react_env.engine.batch import seed_words
from react_env.errors import OptionError
from react_env.evaluation.matches.match import SLOTS, Progress
from react_env.evaluation.matches.playing import Playing, Trusted
from react_env.evaluation.ratings.differences import mean_of, p_value, surely
from react_env.evaluation.ratings.intervals import wilson
from react_env.games.react_fast import actions as A
from react_env.games.react_fast import state as S
from react_env.games.react_fast.game import ID, load
from react_env.games.react_fast.log import E_CUT, E_SUIT_WIN
from react_env.games.react_fast.rules import load_profile

FORMAT = 1
WAYS = ("suits", "last", "cards", "draw")  # how a game ends
EVEN, SPEED, CARD = "even", "speed", "card"


@dataclass(frozen=True)
class Settings:
    """By what the games are played; results of other settings are never mixed."""

    agent: str = "scripted"
    deals: int = 500  # each with the changed player at every seat
    seed: int = 0
    players: tuple[int, ...] = (2, 3, 4, 6)
    scales: tuple[float, ...] = (0.7, 0.85, 1.15, 1.3)
    profile: str = "average"

    def __post_init__(self) -> None:
        if self.deals < 2:
            raise OptionError(f"deals is {self.deals}: an interval needs at least 2")
        for name, values in (("players", self.players), ("scales", self.scales)):
            if not values or len(set(values)) < len(values):
                raise OptionError(f"{name}: {', '.join(map(str, values)) or 'nothing'}; each must stand there once")

    def command(self) -> str:
        """The command that measures this again."""
        words = [f"react-env balance {ID} --agent {self.agent} --deals {self.deals} --seed {self.seed}"]
        usual = Settings()
        for name in ("players", "scales"):
            if getattr(self, name) != getattr(usual, name):
                words.append(f"--{name} {','.join(map(str, getattr(self, name)))}")
        if self.profile != usual.profile:
            words.append(f"--profile {self.profile}")
        return " ".join(words)


@dataclass(frozen=True)
class Question:
    """What is played: even players, one whose latencies are `scale` times as long, or one who may not activate `card`."""

    kind: str
    players: int
    scale: float = 1.0
    card: str = ""

    def games(self, settings: Settings) -> list[Any]:
        """The games to play: one for even players, else one for each seat of the one who differs."""
        if self.kind == EVEN:
            return [load(profiles=settings.profile, players=self.players)]
        found = []
        for seat in range(self.players):
            usual = load_profile(settings.profile)
            if self.kind == SPEED:
                changed = usual.model_copy(update={"scale": usual.scale * self.scale})
                seats = [changed if p == seat else usual for p in range(self.players)]
                found.append(load(profiles=seats, players=self.players))
            else:
                forbidden = [[self.card] if p == seat else [] for p in range(self.players)]
                found.append(load(profiles=settings.profile, players=self.players, forbidden=forbidden))
        return found


@dataclass(frozen=True)
class Answer:
    """What came of a question.

    Attributes:
        won: by deal, at how many seats the one who differs won; of even players, how many games had a winner (0 or 1).
        seats: wins by seat; of one who differs, by that one's seat.
        turns: wins by the order of turns, who begins first; of even players.
        ways: how many games ended in which of `WAYS`.
        out: how many games had so many players out before they ended.
        placements, seconds: the 10th, 50th, 90th and 95th percentile of a game's length; seconds of the game's own clock.
        activated: traveling card -> (players who activated it in a game, those of them who won).
    """

    question: Question
    agent_hash: str
    won: tuple[int, ...]
    seats: tuple[int, ...]
    turns: tuple[int, ...]
    ways: dict[str, int]
    out: dict[int, int]
    placements: tuple[float, ...]
    seconds: tuple[float, ...]
    activated: dict[str, tuple[int, int]]

    @property
    def games(self) -> int:
        """How many games were played."""
        return len(self.won) * (1 if self.question.kind == EVEN else self.question.players)

    def to_json(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_json(cls, found: dict[str, Any]) -> Answer:
        """Undo `to_json`. Raises KeyError, TypeError or ValueError for something else."""
        return cls(
            Question(**found["question"]),
            found["agent_hash"],
            tuple(found["won"]),
            tuple(found["seats"]),
            tuple(found["turns"]),
            dict(found["ways"]),
            {int(count): int(games) for count, games in found["out"].items()},
            tuple(found["placements"]),
            tuple(found["seconds"]),
            {card: (int(games), int(wins)) for card, (games, wins) in found["activated"].items()},
        )


@dataclass(frozen=True)
class Effect:
    """What a change does to the chance of winning, over pairs of games on the same deals.

    Attributes:
        mean: the difference of the win rates, 1 for all games.
        low, high: its 95 % interval, from the spread over deals.
        sure: whether it differs from nothing with at most 5 % of such findings wrong in the whole table (Benjamini and Hochberg, 1995).
    """

    mean: float
    low: float
    high: float
    sure: bool


class Study:
    """All questions and the answers so far."""

    def __init__(self, settings: Settings, *, threads: int = 1) -> None:
        self.settings = settings
        self.threads = threads
        count = settings.players
        self.questions = [Question(EVEN, players) for players in count]
        self.questions += [Question(SPEED, players, scale=scale) for players in count for scale in settings.scales]
        self.questions += [Question(CARD, players, card=card) for players in count for card in S.TRAVELING_NAMES]
        self.answers: dict[Question, Answer] = {}
        for question in self.questions:  # what cannot be played is better told now
            question.games(settings)
        self._agent_hash = fingerprint(settings.agent, load(players=count[0]))

    @property
    def complete(self) -> bool:
        """Whether everything has been played."""
        return len(self.answers) == len(self.questions)

    def _agent(self, game: Any) -> AnyAgent:
        from react_env import agents

        # The changes make other rules by the letter: a model may well play by them.
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return agents.load(self.settings.agent, game, threads=self.threads, on_mismatch="warn")

    def play(self, progress: Progress | None = None) -> Iterator[Answer]:
        """Play what has not been played yet, one question after the other. `progress` is called with (games done, games in all)."""
        left = [question for question in self.questions if question not in self.answers]
        total = sum(self.settings.deals * (1 if q.kind == EVEN else q.players) for q in left)
        done = 0
        for question in left:
            parts: list[_Games] = []
            for game in question.games(self.settings):

                def finished(count: int, before: int = done + len(parts) * self.settings.deals) -> None:
                    if progress is not None:
                        progress(before + count, total)

                parts.append(_Games(game))
                parts[-1].play(self._agent(game), self.settings, self.threads, finished)
            done += len(parts) * self.settings.deals
            self.answers[question] = answer = _answer(question, self._agent_hash, parts)
            yield answer

    # -------------------------------------------------------------------------------------------- the file

    def resume(self, file: Path) -> int:
        """Take from `file`, if it is there, the answers to the same questions; returns how many.

        Raises OptionError for a file that is no such study, or one of other settings.
        """
        if not file.exists():
            return 0
        try:
            found = json.loads(file.read_text(encoding="utf-8"))
            if found["format"] != FORMAT or found["game"] != ID:
                raise ValueError("another format")
            theirs: dict[str, Any] = {k: tuple(v) if isinstance(v, list) else v for k, v in found["settings"].items()}
            settings = Settings(**theirs)
            answers = [Answer.from_json(entry) for entry in found["answers"]]
        except OSError as error:
            raise OptionError(f"{file} cannot be read: {error.strerror}") from None
        except (ValueError, KeyError, TypeError, AttributeError, OptionError):
            raise OptionError(f"{file} is no study of react-env balance {ID}; name another file") from None
        if settings != self.settings or found["rules_hash"] != _rules_hash():
            raise OptionError(
                f"{file} was played by other rules or settings ({settings.command()}); name another file, or the same settings"
            )
        for answer in answers:
            if answer.question in self.questions and answer.agent_hash == self._agent_hash:
                self.answers[answer.question] = answer
        return len(self.answers)

    def to_json(self) -> dict[str, Any]:
        """Everything: settings, answers, and what follows from them."""
        import react_env

        return {
            "format": FORMAT,
            "game": ID,
            "version": react_env.__version__,
            "rules_hash": _rules_hash(),
            "command": self.settings.command(),
            "settings": asdict(self.settings),
            "complete": self.complete,
            "effects": [
                {"question": asdict(question), **asdict(effect)}
                for kind in (SPEED, CARD)
                for question, effect in self.effects(kind).items()
            ],
            "answers": [answer.to_json() for answer in self.answers.values()],
        }

    # -------------------------------------------------------------------------------------------- what it says

    def effects(self, kind: str) -> dict[Question, Effect]:
        """What each speed is worth, or the right to activate each card: positive where the one who has it wins more often."""
        found = {}
        for question, answer in self.answers.items():
            even = self.answers.get(Question(EVEN, question.players))
            if question.kind == kind and even is not None:
                per_deal = (np.array(answer.won) - np.array(even.won)) / question.players
                found[question] = per_deal if kind == SPEED else -per_deal
        sure = surely([p_value(values) for values in found.values()])
        return {
            question: Effect(*mean_of(values), one) for (question, values), one in zip(found.items(), sure, strict=True)
        }


def _rules_hash() -> str:
    return load().rules_hash


def rate(wins: int, games: int) -> tuple[float, float, float]:
    """A win rate with Wilson's 95 % interval."""
    return (wins / games if games else 0.0, *wilson(wins, games))


# ------------------------------------------------------------------------------------------------ playing


@dataclass
class _Games:
    """The games of one table, a deal each, and what is counted of them."""

    game: Any
    winner: list[NDArray[np.int64]] = field(default_factory=list)
    began: list[NDArray[np.int64]] = field(default_factory=list)
    way: list[NDArray[np.int64]] = field(default_factory=list)
    out: list[NDArray[np.int64]] = field(default_factory=list)
    placements: list[NDArray[np.int64]] = field(default_factory=list)
    seconds: list[NDArray[np.float64]] = field(default_factory=list)
    activated: list[NDArray[np.bool_]] = field(default_factory=list)

    def play(self, agent: AnyAgent, settings: Settings, threads: int, finished: Any) -> None:
        """Play `settings.deals` games to their end; `finished` is told how many have ended."""
        words = seed_words(settings.seed, settings.deals)
        players = self.game.num_players
        card_of = _cards(players)
        everybody = dict.fromkeys(range(players), Trusted(agent))
        rngs = {player: np.random.default_rng((settings.seed, player)) for player in everybody}
        for first in range(0, settings.deals, SLOTS):
            count = min(SLOTS, settings.deals - first)
            winner, way = np.full(count, -1), np.zeros(count, np.int64)
            out, placements, seconds = np.zeros(count, np.int64), np.zeros(count, np.int64), np.zeros(count)
            activated = np.zeros((count, players, S.TRAVELING), np.bool_)
            with Playing(self.game, everybody, rngs, count, threads=threads, keep_states=True) as playing:
                rows = np.arange(count)
                playing.begin(rows, words[first : first + count], np.tile(np.arange(players), (count, 1)))
                began = playing.batch.states["turn"][rows].astype(np.int64)
                for step in playing.steps():
                    assert step.before is not None
                    card = card_of[step.actions]
                    used = card >= 0
                    activated[step.rows[used], step.players[used], card[used]] = True
                    for k in np.flatnonzero(step.over):  # a game that ends starts again: its end is made once more
                        last = self.game.copy(step.before[k])
                        self.game.step(last, int(step.actions[k]))
                        row = step.rows[k]
                        if last["reward"].max() > 0:
                            winner[row] = last["reward"].argmax()
                        way[row] = WAYS.index(_way(last))
                        out[row] = players - int(last["alive"].sum())
                        placements[row], seconds[row] = last["placed"], last["clock"] / 1000.0
                    if step.over.any():
                        finished(first + count - len(playing.rows))
            for name, values in (
                ("winner", winner),
                ("began", began),
                ("way", way),
                ("out", out),
                ("placements", placements),
                ("seconds", seconds),
                ("activated", activated),
            ):
                getattr(self, name).append(values)

    def all(self, name: str) -> NDArray[Any]:
        """A column over all deals."""
        return np.concatenate(getattr(self, name))


def _cards(players: int) -> NDArray[np.int64]:
    """The traveling card that each action activates, -1 for none."""
    end = A.A_C4 + 2 * players
    found = np.full(end + len(A.TAIL), -1)
    found[A.A_ACTIVATE : A.A_C4] = A.PLAIN
    found[A.A_C4 : A.A_C4 + players] = S.C4
    found[A.A_C4 + players : end] = S.C5
    return found


def _way(last: Any) -> str:
    """How a game ended, one of `WAYS`."""
    if last["reward"].max() <= 0:
        return "draw"
    kinds = {int(last["event"][(int(last["events"]) - back) % S.EVENTS][0]) for back in (1, 2)}
    return "suits" if E_SUIT_WIN in kinds else "cards" if E_CUT in kinds else "last"


def _answer(question: Question, agent_hash: str, parts: Sequence[_Games]) -> Answer:
    players = question.players
    winner = np.stack([part.all("winner") for part in parts])  # (seats of the one who differs, deals)
    if question.kind == EVEN:
        won = (winner[0] >= 0).astype(np.int64)
        seats = np.bincount(winner[0][winner[0] >= 0], minlength=players)
    else:
        mine = winner == np.arange(players)[:, None]
        won, seats = mine.sum(axis=0), mine.sum(axis=1)
    joined = {name: np.concatenate([part.all(name) for part in parts]) for name in _COLUMNS}
    decided = joined["winner"] >= 0
    order = (joined["winner"] - joined["began"])[decided] % players
    lengths = {name: np.percentile(joined[name], (10, 50, 90, 95)).round(1) for name in ("placements", "seconds")}
    activated = joined["activated"]
    is_winner = np.arange(players) == joined["winner"][:, None]
    return Answer(
        question,
        agent_hash,
        tuple(won.tolist()),
        tuple(seats.tolist()),
        tuple(np.bincount(order, minlength=players).tolist()),
        {way: int((joined["way"] == number).sum()) for number, way in enumerate(WAYS)},
        {count: int((joined["out"] == count).sum()) for count in range(players)},
        tuple(lengths["placements"].tolist()),
        tuple(lengths["seconds"].tolist()),
        {
            name: (int(activated[:, :, card].sum()), int((activated[:, :, card] & is_winner).sum()))
            for card, name in enumerate(S.TRAVELING_NAMES)
        },
    )


_COLUMNS = ("winner", "began", "way", "out", "placements", "seconds", "activated")
