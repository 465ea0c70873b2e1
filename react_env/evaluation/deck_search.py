"""The search for a deck that beats a field of decks, with one agent playing all of them.

The optimiser (Optuna's tree-structured Parzen estimator: Bergstra et al., 2011) proposes how many copies of each card a deck has. Every
deck meets every deck of the field on the same deals, at both seats. A search favours decks that were lucky on its deals, so the result is
measured twice more: the best few on other deals, to choose among them, and the chosen one on deals that played no part in either.
"""

from __future__ import annotations

import json
import math
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray
from pydantic import TypeAdapter

from react_env.agents.registry import fingerprint
from react_env.engine.batch import seed_words
from react_env.errors import OptionError
from react_env.evaluation.arrays import Floats
from react_env.evaluation.cluster import Cluster, check_rules, parcel, unpacked
from react_env.evaluation.kept import read_kept
from react_env.evaluation.matches.match import Progress
from react_env.evaluation.matches.playing import Playing, Trusted, load_for_edited
from react_env.evaluation.ratings.differences import compared
from react_env.extras import need
from react_env.registry import describe

FORMAT = 1
Cards = Mapping[str, int]  # card -> copies


class DeckSpace(Protocol):
    """What a game says about its decks (`Description.deck_space`)."""

    def __init__(self, field: Sequence[str], options: Mapping[str, Any]) -> None:
        """The decks that may be built from the cards of the decks in `field`, names or paths; if it is empty, of all installed decks.

        Raises OptionError or CardError for a deck that cannot be used.
        """

    field: tuple[str, ...]  # the decks to beat, as they were named
    names: Mapping[str, str]  # card -> its name, of every card that a deck may have
    most: int  # copies of a card
    smallest: int  # cards of a deck
    largest: int

    def cards(self, deck: str) -> Cards:
        """What is in a deck of the field."""

    def write(self, file: Path, name: str, cards: Cards) -> None:
        """Write a deck file."""

    def load(self, decks: tuple[str, str]) -> Any:
        """The game between two decks, names or paths."""


@dataclass(frozen=True)
class Settings:
    """The settings of a search; results of different settings are never mixed.

    Attributes:
        field: the decks to beat.
        agent: the agent that plays all decks.
        trials: how many decks are tried.
        deals: how many deals each deck plays against each deck of the field, at both seats.
        finalists: how many decks are measured again, on `again` times as many deals.
        report: how many deals it plays against each deck of the field for the final report.
    """

    game: str
    options: Mapping[str, Any] = field(default_factory=dict)
    field: tuple[str, ...] = ()
    agent: str = "scripted"
    trials: int = 300
    deals: int = 16
    finalists: int = 8
    again: int = 8
    report: int = 500
    seed: int = 0

    def __post_init__(self) -> None:
        for name, least in (("trials", 1), ("deals", 2), ("finalists", 1), ("again", 1), ("report", 2)):
            if getattr(self, name) < least:
                raise OptionError(f"{name} is {getattr(self, name)}; allowed: {least} or more")


@dataclass(frozen=True)
class Trial:
    """A deck that was tried, and its share of the points against the whole field: a win 1, a tie one half."""

    cards: dict[str, int]
    score: float


@dataclass(frozen=True)
class Meeting:
    """The games of a deck against one deck of the field."""

    against: str
    games: int
    wins: int
    ties: int
    seats: tuple[int, int]  # wins at each


@dataclass(frozen=True)
class Carried:
    """What a card does for a deck: how much higher its score is with the card than without it."""

    card: str
    mean: float
    low: float
    high: float
    sure: bool


@dataclass
class Result:
    """All results so far; the fields fill from the first to the last, `carried` at the end.

    Attributes:
        trials: in their order.
        finalists: the best decks, with their scores on the second deals.
        found: the deck that was chosen.
        meetings: of the found deck, on the last deals; `theirs` are those of `best_of_field`, which did best of the field in the search.
        carried: what each card of the found deck does for it, on the last deals.
        gains: the same on each of those deals, for the cards measured so far; empty once all are.
    """

    trials: list[Trial] = field(default_factory=list)
    finalists: list[Trial] = field(default_factory=list)
    found: dict[str, int] = field(default_factory=dict)
    meetings: list[Meeting] = field(default_factory=list)
    best_of_field: str = ""
    theirs: list[Meeting] = field(default_factory=list)
    carried: list[Carried] = field(default_factory=list)
    gains: dict[str, list[float]] = field(default_factory=dict)


_FILE = TypeAdapter(Result)


def fit(wanted: Cards, most: int, smallest: int, largest: int) -> dict[str, int]:
    """A deck of an allowed size that has the cards in about these proportions; the wanted deck itself if its size is allowed.

    Raises ValueError if no cards are wanted, or too few to fill a deck.
    """
    total = sum(wanted.values())
    size = min(max(total, smallest), largest)
    have = {card: copies for card, copies in wanted.items() if copies}
    if total == size:
        return have
    if len(have) * most < size:
        raise ValueError(f"{len(have)} cards, {most} copies of each at most: too few for {size}")
    exact = {card: copies * size / total for card, copies in have.items()}
    found = {card: min(most, math.floor(copies)) for card, copies in exact.items()}
    while (left := size - sum(found.values())) > 0:
        free = sorted((card for card in have if found[card] < most), key=lambda card: found[card] - exact[card])
        for card in free[:left]:
            found[card] += 1
    return {card: copies for card, copies in found.items() if copies}


def _points(game: Any, agent: str, words: NDArray[np.uint64], seat: int, seed: int, threads: int = 1) -> Floats:
    """The result of the deck at `seat` on each deal: 1 for a win, 0 for a loss, else one half."""
    plays = load_for_edited(agent, game, threads)
    rows = np.arange(len(words))
    points = np.zeros(len(words))
    rngs = {0: np.random.default_rng((seed, seat))}
    with Playing(game, {0: Trusted(plays)}, rngs, len(words), threads=threads) as playing:
        playing.begin(rows, words, np.zeros((len(words), 2), np.int64))
        for step in playing.steps():
            ended = step.rows[step.over]
            points[ended] = 0.5 + 0.5 * np.sign(playing.batch.rewards[ended, seat])
    return points


def _remote_points(
    rules: tuple[str, dict[str, Any]],
    decks: tuple[Any, Any],
    rules_hash: str,
    agent: Any,
    words: NDArray[np.uint64],
    seat: int,
    seed: int,
) -> Floats:
    """`_points`, on another machine."""
    game_id, options = rules
    one, other = (unpacked(deck) for deck in decks)
    game = describe(game_id).part("deck_space")((), options).load((one, other))
    check_rules(game, rules_hash)
    return _points(game, unpacked(agent), words, seat, seed)


class Search:
    """A search, the decks among which it searches (`space`), and what it has found so far (`result`).

    Raises:
        OptionError: a game whose players build no decks, or unknown options, decks or agents.
        CardError: a deck that cannot be used.
        MissingPackage: Optuna or SciPy is not installed.
    """

    def __init__(self, settings: Settings, *, threads: int = 1, cluster: Cluster | None = None) -> None:
        need("eval", "optuna", "scipy")
        named = describe(settings.game).part("deck_space")
        if named is None:
            raise OptionError(f"{settings.game}: its players build no decks")
        self.space: DeckSpace = named(settings.field, settings.options)
        self.settings = replace(settings, field=self.space.field)
        self.threads, self.cluster = threads, cluster
        self.result = Result()
        self._progress: Progress = lambda done, total: None
        self._games = self._total = 0
        self._folder = tempfile.TemporaryDirectory(prefix="react_env_decks_")
        self._played_by = self._files_now()  # fail now if a deck cannot be played

    def __enter__(self) -> Search:
        return self

    def __exit__(self, *problem: object) -> None:
        self._folder.cleanup()

    # -------------------------------------------------------------------------------------------- games

    def _files_now(self) -> list[str]:
        """What the agent and the decks of the field are made of."""
        games = [self.space.load((deck, deck)) for deck in self.space.field]
        return [fingerprint(self.settings.agent, games[0]), *(game.rules_hash for game in games)]

    def _meet(self, deck: str, deals: int, part: int) -> Floats:
        """The results (decks, 2, deals) of `deck` against each deck of the field, at each seat, on each deal. Each `part` has its own."""
        if self._files_now() != self._played_by:
            raise OptionError(
                f"{self.settings.agent} or a deck of the field changed during the search; search anew with what is there now"
            )
        words = seed_words(self.settings.seed + 1_000_003 * part, deals)
        agent, seed = self.settings.agent, self.settings.seed
        told = [((deck, other), 0) for other in self.space.field] + [((other, deck), 1) for other in self.space.field]
        if self.cluster is None:
            found = [_points(self.space.load(decks), agent, words, seat, seed, self.threads) for decks, seat in told]
        else:
            rules = self.settings.game, dict(self.settings.options)
            pieces = (
                (rules, tuple(map(parcel, decks)), self.space.load(decks).rules_hash, parcel(agent), words, seat, seed)
                for decks, seat in told
            )
            played = dict(self.cluster.each(_remote_points, pieces))
            found = [played[number] for number in range(len(told))]
        self._count(len(told) * deals)
        return np.stack(found).reshape(2, len(self.space.field), deals).swapaxes(0, 1)

    def _file(self, cards: Cards) -> str:
        path = Path(self._folder.name) / "deck.yaml"
        self.space.write(path, "A deck", cards)
        return str(path)

    # -------------------------------------------------------------------------------------------- the file

    def resume(self, file: Path) -> int:
        """Take over what the same search has saved in `file`, if there is one. Returns how many decks were tried.

        Raises OptionError for a file that is not such a search, or has other settings, rules or agents.
        """

        def read(found: Any) -> tuple[Any, Any, Any, Result]:
            result = _FILE.validate_python(found["result"])
            return found["settings"], found["played_by"], found["command"], result

        kept = read_kept(file, "search of react-env decks", FORMAT, read)
        if kept is None:
            return 0
        settings, played_by, command, result = kept
        if settings != self._settings() or played_by != self._played_by:
            raise OptionError(
                f"{file} is a search with other settings, rules or agents ({command}); name another file, or the same settings"
            )
        self.result = result
        return len(result.trials)

    def _settings(self) -> dict[str, Any]:
        return json.loads(json.dumps(asdict(self.settings)))

    def command(self) -> str:
        """The command that repeats this search."""
        settings, usual = self.settings, Settings(self.settings.game)
        words = ["react-env decks search", settings.game, "--field", ",".join(settings.field)]
        for name in ("agent", "trials", "deals", "report", "seed"):
            if getattr(settings, name) != getattr(usual, name):
                words += [f"--{name}", str(getattr(settings, name))]
        words += [f"--set {name}={json.dumps(value)}" for name, value in settings.options.items()]
        return " ".join(words)

    def to_json(self) -> dict[str, Any]:
        """The settings and all results."""
        import react_env

        return {
            "format": FORMAT,
            "version": react_env.__version__,
            "command": self.command(),
            "settings": self._settings(),
            "played_by": self._played_by,
            "complete": bool(self.result.carried),
            "result": asdict(self.result),
        }

    # -------------------------------------------------------------------------------------------- the search

    def run(self, progress: Progress = lambda done, total: None, save: Callable[[], None] = lambda: None) -> Result:
        """Search to the end. `progress` is called with (games done, games in all), `save` whenever there is something new to save."""
        found, settings = self.result, self.settings
        of_a_deck, at_the_end = (2 * len(self.space.field) * deals for deals in (settings.deals, settings.report))
        finals = min(settings.finalists, settings.trials)
        cards = 20  # different ones in a deck, about
        again = of_a_deck * settings.again
        self._progress = progress
        self._games = len(found.trials) * of_a_deck + len(found.finalists) * again + len(found.gains) * at_the_end
        self._total = of_a_deck * settings.trials + finals * again + at_the_end * (2 + cards)
        for _ in self._propose():
            save()
        if not found.found:
            best: dict[str, Trial] = {}
            for trial in sorted(found.trials, key=lambda trial: -trial.score):
                if trial.cards:
                    best.setdefault(json.dumps(trial.cards, sort_keys=True), trial)
            for trial in list(best.values())[len(found.finalists) : finals]:
                points = self._meet(self._file(trial.cards), settings.deals * settings.again, 1)
                found.finalists.append(Trial(trial.cards, float(points.mean())))
                save()
            found.found = max(found.finalists, key=lambda trial: trial.score).cards
        if not found.carried:
            self._report(save)
            save()
        self._count(self._total)
        return found

    def _count(self, games: int) -> None:
        """Report that so many more games have been played."""
        self._games = min(self._games + games, self._total)
        self._progress(self._games, self._total)

    def _propose(self) -> Any:
        """Try one deck after the other. The optimiser is told again of those already tried, so it goes on as if it had not stopped."""
        import optuna

        optuna.logging.set_verbosity(optuna.logging.WARNING)
        space, settings, found = self.space, self.settings, self.result
        sampler = optuna.samplers.TPESampler(
            seed=settings.seed % 2**32, multivariate=True, n_startup_trials=max(10, settings.trials // 6)
        )
        study = optuna.create_study(direction="maximize", sampler=sampler)
        for deck in space.field[: settings.trials]:
            study.enqueue_trial({card: space.cards(deck).get(card, 0) for card in space.names})
        for number in range(settings.trials):
            trial = study.ask()
            wanted = {card: trial.suggest_int(card, 0, space.most) for card in space.names}
            if number < len(found.trials):
                study.tell(trial, found.trials[number].score)
                continue
            try:
                cards = fit(wanted, space.most, space.smallest, space.largest)
            except ValueError:  # too few cards: as good as no deck
                found.trials.append(Trial({}, 0.0))
            else:
                points = self._meet(self._file(cards), settings.deals, 0)
                found.trials.append(Trial(cards, float(points.mean())))
            study.tell(trial, found.trials[number].score)
            yield number

    def _report(self, save: Callable[[], None]) -> None:
        """Measure the deck that was found, on deals that played no part so far."""
        found, settings = self.result, self.settings
        points = self._meet(self._file(found.found), settings.report, 2)
        found.meetings = self._meetings(points)
        tried = {deck: trial.score for deck, trial in zip(self.space.field, found.trials)}
        found.best_of_field = max(tried, key=lambda deck: tried[deck])
        found.theirs = self._meetings(self._meet(found.best_of_field, settings.report, 2))
        others = {card: self._without(card) for card in found.found}
        others = {card: rest for card, rest in others.items() if sum(rest.values()) >= self.space.smallest}
        for card, rest in others.items():
            if card not in found.gains:
                without = self._meet(self._file(rest), settings.report, 2)
                # The mean for each deal, over both seats and all opponents.
                found.gains[card] = (points - without).mean(axis=(0, 1)).tolist()
                save()
        gains = [np.array(found.gains[card]) for card in others]
        step = 1.0 / (points.shape[0] * points.shape[1])  # a game that is won instead of lost
        carried = [Carried(card, *gain) for card, gain in zip(others, compared(gains, step), strict=True)]
        found.carried = sorted(carried, key=lambda one: -one.mean)
        found.gains = {}

    def _without(self, card: str) -> dict[str, int]:
        """The found deck without a card: its places go to the cards that the field plays most, one copy of each in turn."""
        rest = {name: copies for name, copies in self.result.found.items() if name != card}
        left = self.result.found[card]
        played = {
            name: sum(self.space.cards(deck).get(name, 0) for deck in self.space.field) for name in self.space.names
        }
        while left:
            free = [name for name in self.space.names if name != card and rest.get(name, 0) < self.space.most]
            if not free:  # every other card has its most copies: the deck becomes smaller
                break
            for name in sorted(free, key=lambda name: -played[name])[:left]:
                rest[name] = rest.get(name, 0) + 1
                left -= 1
        return rest

    def _meetings(self, points: Floats) -> list[Meeting]:
        won, tied = ((points == worth).sum(2).tolist() for worth in (1.0, 0.5))  # of each deck, at each seat
        return [
            Meeting(deck, mine.size, sum(wins), sum(ties), tuple(wins))
            for deck, mine, wins, ties in zip(self.space.field, points, won, tied, strict=True)
        ]
