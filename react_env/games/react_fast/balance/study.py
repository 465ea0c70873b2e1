"""What decides a game of React Fast: speed, seats and each traveling card, by games of one agent against itself.

All games use the same deals, and all chance of a window is drawn for every player whatever they choose. So a game with one player quicker,
or one traveling card forbidden, can be compared with the game without that change. The difference is what the change is worth (restricted
play: Jaffe et al., 2012), and most of the luck cancels out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from pydantic import TypeAdapter

from react_env.agents.registry import fingerprint
from react_env.engine.batch import seed_words
from react_env.errors import OptionError
from react_env.evaluation.kept import read_kept
from react_env.evaluation.lab.games import Outcomes, play_deals
from react_env.evaluation.lab.subject import Moves, Subject, Watch
from react_env.evaluation.matches.match import Progress
from react_env.evaluation.matches.playing import load_for_edited
from react_env.evaluation.ratings.differences import compared
from react_env.evaluation.ratings.intervals import wilson
from react_env.games.react_fast import actions as A
from react_env.games.react_fast import state as S
from react_env.games.react_fast.game import ID, load
from react_env.games.react_fast.log import E_CUT, E_SUIT_WIN
from react_env.games.react_fast.rules import load_profile

FORMAT = 1
WAYS = ("suits", "last", "cards", "draw")  # how a game ends
PERCENTILES = (10, 50, 90, 95)
EVEN, SPEED, CARD = "even", "speed", "card"


@dataclass(frozen=True)
class Settings:
    """How the games are played. Results of different settings are never mixed."""

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
                raise OptionError(f"{name}: {', '.join(map(str, values)) or 'nothing'}; list each value once")

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
    """A matter to measure: even players, one whose latencies are `scale` times as long, or one who may not activate `card`."""

    kind: str
    players: int
    scale: float = 1.0
    card: str = ""

    def games(self, settings: Settings) -> list[Any]:
        """The games to play: one for even players, else one for each seat of the player who differs."""
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
    """The results for a question.

    Attributes:
        won: for each deal, in how many seats the player who differs won; for even players, how many games had a winner (0 or 1).
        seats: wins by seat; with a player who differs, by that player's seat.
        turns: wins by the order of turns, the first player first; for even players.
        ways: the number of games that ended in each of `WAYS`.
        out: players out before the end -> number of games.
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


@dataclass(frozen=True)
class Effect:
    """The effect of a change on the chance of winning, over pairs of games on the same deals.

    Attributes:
        mean: the difference of the win rates, 1 for all games.
        low, high: its 95 % interval, from the spread over deals.
        sure: whether it differs from 0, with at most 5 % of such findings in the whole table false (Benjamini and Hochberg, 1995).
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
        for question in self.questions:  # report now what cannot be played
            question.games(settings)
        self._agent_hash = fingerprint(settings.agent, load(players=count[0]))

    @property
    def complete(self) -> bool:
        """Whether everything has been played."""
        return len(self.answers) == len(self.questions)

    def play(self, progress: Progress | None = None) -> Iterator[Answer]:
        """Play what has not been played yet, one question after the other. `progress` is called with (games done, games in all)."""
        left = [question for question in self.questions if question not in self.answers]
        total = sum(self.settings.deals * (1 if q.kind == EVEN else q.players) for q in left)
        done = 0

        def finished(games: int) -> None:
            if progress is not None:
                progress(done + games, total)

        for question in left:
            parts = []
            for game in question.games(self.settings):
                parts.append(_play(game, self.settings, self.threads, finished))
                done += self.settings.deals
            self.answers[question] = answer = _answer(question, self._agent_hash, parts)
            yield answer

    # -------------------------------------------------------------------------------------------- the file

    def resume(self, file: Path) -> int:
        """Take the answers to the same questions from `file`, if it exists; returns how many.

        Raises OptionError for a file that is not such a study, or that has other settings.
        """

        def read(found: Any) -> tuple[Settings, str, list[Answer]]:
            if found["game"] != ID:
                raise ValueError("another game")
            return (
                TypeAdapter(Settings).validate_python(found["settings"]),
                found["rules_hash"],
                TypeAdapter(list[Answer]).validate_python(found["answers"]),
            )

        kept = read_kept(file, f"study of react-env balance {ID}", FORMAT, read)
        if kept is None:
            return 0
        settings, rules_hash, answers = kept
        if settings != self.settings or rules_hash != self._rules_hash():
            raise OptionError(
                f"{file} was played by other rules or settings ({settings.command()}), or with a profile that said something else; "
                "name another file, or the same settings"
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
            "rules_hash": self._rules_hash(),
            "command": self.settings.command(),
            "settings": asdict(self.settings),
            "complete": self.complete,
            "effects": [
                {"question": asdict(question), **asdict(effect)}
                for kind in (SPEED, CARD)
                for question, effect in self.effects(kind).items()
            ],
            "answers": [asdict(answer) for answer in self.answers.values()],
        }

    def _rules_hash(self) -> str:
        """The hash of the rules and of the profile's contents."""
        return load(profiles=self.settings.profile).rules_hash

    # -------------------------------------------------------------------------------------------- results

    def effects(self, kind: str) -> dict[Question, Effect]:
        """The worth of each speed, or of the right to activate each card: positive if the player who has it wins more often."""
        found = {}
        for question, answer in self.answers.items():
            even = self.answers.get(Question(EVEN, question.players))
            if question.kind == kind and even is not None:
                per_deal = (np.array(answer.won) - np.array(even.won)) / question.players
                found[question] = per_deal if kind == SPEED else -per_deal
        effects = [Effect(*effect) for effect in compared(list(found.values()))]
        return dict(zip(found, effects, strict=True))


def rate(wins: int, games: int) -> tuple[float, float, float]:
    """A win rate with Wilson's 95 % interval."""
    return (wins / games if games else 0.0, *wilson(wins, games))


# ------------------------------------------------------------------------------------------------ playing


class _Seats(Subject):
    """Identical players, in the form that the laboratory's games need."""

    def began(self, state: Any) -> int:
        return int(state["whose"])

    def length(self, last: Any) -> int:
        return int(last["placed"])

    def way(self, last: Any) -> int:
        kinds = {int(last["event"][(int(last["events"]) - back) % S.EVENTS][0]) for back in (1, 2)}
        return WAYS.index("suits" if E_SUIT_WIN in kinds else "cards" if E_CUT in kinds else "last")


class _Watch(Watch):
    """Collects who activates which traveling card, how many players are out, and the game's own clock (N,)."""

    def __init__(self, games: int, players: int) -> None:
        super().__init__(games, players, S.TRAVELING)
        self.out, self.seconds = np.zeros(games, np.int64), np.zeros(games)
        self._card_of = _cards(players)

    def step(self, moves: Moves) -> None:
        card = self._card_of[moves.actions]
        used = card >= 0
        self.used[moves.rows[used], moves.players[used], card[used]] = True
        self.out[moves.rows] = (moves.after["alive"] == 0).sum(axis=1)
        self.seconds[moves.rows] = moves.after["clock"] / 1000.0


class _Part(NamedTuple):
    """The games of one table, one for each deal."""

    outcomes: Outcomes
    out: NDArray[np.int64]
    seconds: NDArray[np.float64]


def _play(game: Any, settings: Settings, threads: int, finished: Callable[[int], None]) -> _Part:
    """Play `settings.deals` games to their end; calls `finished` with the number of games that have ended."""
    watch, agent = _Watch(settings.deals, game.num_players), load_for_edited(settings.agent, game, threads)
    words = seed_words(settings.seed, settings.deals)
    found = play_deals(_Seats(ID, {}), game, agent, words, watch, (settings.seed,), threads, finished)
    return _Part(found, watch.out, watch.seconds)


def _cards(players: int) -> NDArray[np.int64]:
    """The traveling card that each action activates, -1 for none."""
    end = A.A_C4 + 2 * players
    found = np.full(end + len(A.TAIL), -1)
    found[A.A_ACTIVATE : A.A_C4] = A.PLAIN
    found[A.A_C4 : A.A_C4 + players] = S.C4
    found[A.A_C4 + players : end] = S.C5
    return found


def _answer(question: Question, agent_hash: str, parts: Sequence[_Part]) -> Answer:
    players = question.players
    winner = np.stack([part.outcomes.winner for part in parts])  # (seats of the player who differs, deals)
    if question.kind == EVEN:
        won = (winner[0] >= 0).astype(np.int64)
        seats = np.bincount(winner[0][winner[0] >= 0], minlength=players)
    else:
        mine = winner == np.arange(players)[:, None]
        won, seats = mine.sum(axis=0), mine.sum(axis=1)
    games = Outcomes.together([part.outcomes for part in parts])
    out = np.concatenate([part.out for part in parts])
    seconds = np.concatenate([part.seconds for part in parts])
    decided = games.winner >= 0
    order = (games.winner.astype(np.int64) - games.began)[decided] % players
    ways = np.where(decided, games.way, WAYS.index("draw"))
    by_winner = games.used & (np.arange(players) == games.winner[:, None])[:, :, None]
    activated = zip(games.used.sum(axis=(0, 1)).tolist(), by_winner.sum(axis=(0, 1)).tolist(), strict=True)
    return Answer(
        question,
        agent_hash,
        tuple(won.tolist()),
        tuple(seats.tolist()),
        tuple(np.bincount(order, minlength=players).tolist()),
        {way: int((ways == number).sum()) for number, way in enumerate(WAYS)},
        {count: int((out == count).sum()) for count in range(players)},
        tuple(np.percentile(games.length, PERCENTILES).round(1).tolist()),
        tuple(np.percentile(seconds, PERCENTILES).round(1).tolist()),
        dict(zip(S.TRAVELING_NAMES, activated, strict=True)),
    )
