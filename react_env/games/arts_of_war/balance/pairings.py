"""Is the game fair: every pairing of an edition's artists, the same agent on both sides, against bars that are named beforehand.

Each pairing plays the same seeds with either artist in seat 0, each place of a batch exactly one game (`evaluation.balance.pairing_games`).
"""

from __future__ import annotations

import json
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from itertools import combinations
from pathlib import Path
from typing import Any, Literal

from react_env.agents.protocol import AnyAgent
from react_env.agents.registry import fingerprint
from react_env.errors import OptionError
from react_env.evaluation.matches.match import Progress
from react_env.evaluation.ratings.intervals import interval_text, percent
from react_env.games.arts_of_war import state as S
from react_env.games.arts_of_war.balance.pairing_games import (
    WAYS,
    Cell,
    PairingResult,
    SeatGames,
    Use,
    percentile,
    rate_json,
    turns_json,
)
from react_env.games.arts_of_war.cards import Artist, artists, load_artist
from react_env.games.arts_of_war.game import ID
from react_env.games.arts_of_war.rules import STANDARD, load_rules

FORMAT = 1


@dataclass(frozen=True)
class Settings:
    """By what the games of a report are played; results of other settings are never mixed."""

    agent: str = "greedy"
    games: int = 200  # of each pairing, half with either artist in seat 0
    seed: int = 0
    edition: str = STANDARD

    def __post_init__(self) -> None:
        if self.games <= 0 or self.games % S.PLAYERS:
            raise OptionError(f"games is {self.games}: it must be a positive multiple of 2, to play from both seats")

    def command(self, chosen: Sequence[str] | None = None) -> str:
        """The command that plays this again; `chosen` artists, or all of the edition."""
        words = ["react-env balance", f"--agent {self.agent}", f"--games {self.games}", f"--seed {self.seed}"]
        if self.edition != STANDARD:
            words.append(f"--edition {self.edition}")
        if chosen is not None:
            words.append(f"--artists {','.join(chosen)}")
        return " ".join(words)


@dataclass(frozen=True)
class Bars:
    """What a fair edition keeps to. Shares are of games; turns are those of both players."""

    weaker_wins: float = 0.25  # at least, in every pairing
    ties: float = 0.03  # below, in every pairing
    truncated: float = 0.01  # below, in every pairing
    shortest: float = 8  # at least, the median game of every pairing
    longest: float = 22  # at most, the median game of every pairing
    first_player: tuple[float, float] = (0.44, 0.56)  # wins of who began, over all pairings
    card_played: float = 0.2  # at least, the games of its artist in which a card of the deck is played
    effect_plays: float = 0.01  # at least, plays of each effect of an ability card in a game of its artist


BARS = Bars()


class Balance:
    """The pairings of some artists of an edition, and those that have been played.

    Args:
        settings: by what they are played.
        chosen: names of artists or paths of their files; None: all of the edition.
        threads: for the batches and for agents that search.
        any_rules: let models play that were trained under other rules or artists.
        bars: what the edition is measured by.

    Attributes:
        artists: by id, in the order in which they are shown.
        results: by the ids of the two artists, sorted.

    Raises:
        OptionError: fewer than two artists, or one of them twice; an edition or artist that does not exist.
        CardError: a card file that cannot be used.
    """

    def __init__(
        self,
        settings: Settings,
        chosen: Sequence[str] | None = None,
        *,
        threads: int = 1,
        any_rules: bool = False,
        bars: Bars = BARS,
    ) -> None:
        self.settings = settings
        self.chosen = None if chosen is None else tuple(chosen)
        self.threads = threads
        self.on_mismatch: Literal["warn", "refuse"] = "warn" if any_rules else "refuse"
        self.bars = bars
        self.artists: dict[str, Artist] = {}
        self._files: dict[str, str] = {}
        self._free = load_rules(settings.edition).allow_unbounded_abilities
        for name in artists(settings.edition) if chosen is None else chosen:
            artist = load_artist(name, settings.edition, allow_unbounded_abilities=self._free)
            if artist.id in self.artists:
                raise OptionError(f"artist {artist.id!r} stands twice in the list")
            self.artists[artist.id] = artist
            self._files[artist.id] = name
        if len(self.artists) < 2:
            raise OptionError("a pairing needs two artists")
        self.results: dict[tuple[str, str], PairingResult] = {}
        self._agent_hash = ""  # worked out with the first game: of the code that is loaded, not of what is edited later
        self._others: list[Any] = []  # of the file, neither asked for now nor known to be out of date

    @property
    def pairings(self) -> list[tuple[str, str]]:
        """The ids of the two artists of each pairing. Sorted, so that the games do not depend on the order of the list."""
        return [(min(pair), max(pair)) for pair in combinations(self.artists, 2)]

    @property
    def complete(self) -> bool:
        return len(self.results) == len(self.pairings)

    def game(self, first: str, second: str) -> Any:
        """The game with these artists as player 0 and player 1. Raises OptionError where a card file has been edited since."""
        import react_env

        edition = self.settings.edition
        game = react_env.load(ID, artists=(self._files[first], self._files[second]), edition=edition)
        for artist in (first, second):
            if load_artist(self._files[artist], edition, allow_unbounded_abilities=self._free) != self.artists[artist]:
                raise OptionError(f"the card file of {artist} has been edited during the run; start again")
        self._agent_hash = self._agent_hash or fingerprint(self.settings.agent, game)
        return game

    def _agent(self, game: Any) -> AnyAgent:
        from react_env import agents

        return agents.load(self.settings.agent, game, threads=self.threads, on_mismatch=self.on_mismatch)

    def play(self, progress: Progress | None = None) -> Iterator[PairingResult]:
        """Play what has not been played yet, one pairing after the other. `progress` is called with (games done, games in all)."""
        left = [pair for pair in self.pairings if pair not in self.results]
        for number, pair in enumerate(left):

            def finished(done: int, before: int = number * self.settings.games) -> None:
                if progress is not None:
                    progress(before + done, len(left) * self.settings.games)

            finished(0)
            self.results[pair] = result = self._play(*pair, finished)
            yield result

    def _play(self, a: str, b: str, finished: Callable[[int], None]) -> PairingResult:
        start = time.perf_counter()
        settings, share = self.settings, self.settings.games // S.PLAYERS
        seats = [SeatGames(self.game(a, b), 0), SeatGames(self.game(b, a), 1)]
        for seat in seats:

            def done(count: int, before: int = seat.seat * share) -> None:
                finished(before + count)

            seat.play(self._agent(seat.game), share, settings.seed, self.threads, done)
        names = {artist: self.artists[artist] for artist in (a, b)}
        at = [(seat, (seat.seat, 1 - seat.seat)) for seat in seats]  # with the players that a and b are
        lost = {x: sum((seat.lost[players[i]] for seat, players in at), Counter()) for i, x in enumerate(names)}
        use = {
            x: at[0][0].use(at[0][1][i], kit) + at[1][0].use(at[1][1][i], kit)
            for i, (x, kit) in enumerate(names.items())
        }
        return PairingResult(
            a,
            b,
            seats[0].game.rules_hash,
            self._agent_hash,
            tuple(
                Cell(seat.seat, bool(began), *(int(n) for n in seat.cells[began])) for seat in seats for began in (1, 0)
            ),
            dict(sorted((seats[0].turns + seats[1].turns).items())),
            {artist: {way: ways[way] for way in WAYS} for artist, ways in lost.items()},
            use,
            seats[0].unread + seats[1].unread,
            time.perf_counter() - start,
        )

    # -------------------------------------------------------------------------------------------- the file

    def resume(self, file: Path) -> int:
        """Take from `file`, if it is there, the pairings that would be played just so again; returns how many.

        Raises OptionError for a file that is no such report, or one of other settings.
        """
        if not file.exists():
            return 0
        try:
            found = json.loads(file.read_text(encoding="utf-8"))
            if found["format"] != FORMAT or found["game"] != ID:
                raise ValueError("another format")
            settings = Settings(**found["settings"])
            results = [PairingResult.from_json(entry) for entry in found["pairings"]]
        except OSError as error:
            raise OptionError(f"{file} cannot be read: {error.strerror}") from None
        except (ValueError, KeyError, TypeError, AttributeError, OptionError):
            raise OptionError(f"{file} is no report of react-env balance; name another file") from None
        if settings != self.settings:
            ours, theirs = asdict(self.settings), asdict(settings)
            differ = ", ".join(f"{key} {theirs[key]}, not {ours[key]}" for key in ours if ours[key] != theirs[key])
            raise OptionError(
                f"{file} was played with other settings ({differ}); name another file, or the same settings"
            )
        wanted = set(self.pairings)
        for result, entry in zip(results, found["pairings"]):
            pair = (result.a, result.b)
            if pair not in wanted:
                self._others.append(entry)
                continue
            game = self.game(*pair)
            if (result.rules_hash, result.agent_hash) == (game.rules_hash, self._agent_hash):
                self.results[pair] = result
        return len(self.results)

    def save(self, file: Path) -> None:
        """Write the report as JSON, aside and then renamed. Raises OptionError where that cannot be done."""
        from react_env.files import write_json

        content = self.to_json()
        content["pairings"] += self._others
        try:
            write_json(file, content)
        except OSError as error:
            raise OptionError(f"{file} cannot be written: {error.strerror}") from None

    # -------------------------------------------------------------------------------------------- what it says

    def to_json(self) -> dict[str, Any]:
        """Everything: settings, bars, what misses them, the summary, and each pairing."""
        import react_env

        return {
            "format": FORMAT,
            "game": ID,
            "version": react_env.__version__,
            "command": self.settings.command(self.chosen),
            "settings": asdict(self.settings),
            "complete": self.complete,
            "artists": list(self.artists),
            "bars": asdict(self.bars),
            "misses": self.misses(),
            "summary": self.summary() if self.results else None,
            "pairings": [result.to_json() for result in self.results.values()],
        }

    def of(self, artist: str) -> list[PairingResult]:
        """The results of one artist."""
        return [result for result in self.results.values() if artist in (result.a, result.b)]

    def use(self, artist: str) -> Use | None:
        """What one artist has played, over all its pairings; None where there are none yet."""
        uses = [result.use[artist] for result in self.of(artist)]
        total = uses[0] if uses else None
        for use in uses[1:]:
            assert total is not None
            total += use
        return total

    def summary(self) -> dict[str, Any]:
        """Over all pairings, and for each artist. At least one pairing must have been played."""
        results = list(self.results.values())
        games = sum(result.games for result in results)
        return {
            "games": games,
            "ties": sum(result.ties for result in results),
            "truncations": sum(result.truncations for result in results),
            "turns": turns_json(_all_turns(results)),
            **rate_json("first_player", sum(result.first_wins for result in results), games),
            "lost": _ways(ways for result in results for ways in result.lost.values()),
            "unread": sum(result.unread for result in results),
            "seconds": round(sum(result.seconds for result in results), 1),
            "artists": {artist: self._artist_json(artist) for artist in self.artists if self.of(artist)},
        }

    def _artist_json(self, artist: str) -> dict[str, Any]:
        results, use = self.of(artist), self.use(artist)
        assert use is not None
        wins = sum(result.wins(artist) for result in results)
        won = _ways(result.lost[result.b if artist == result.a else result.a] for result in results)
        return {
            "name": self.artists[artist].name,
            "games": use.games,
            "wins": wins,
            **rate_json("win_rate", wins, use.games),
            "score": round(sum(result.score(artist) * result.games for result in results) / use.games, 4),
            "turns": turns_json(_all_turns(results)),
            "won": won,
            "lost": _ways(result.lost[artist] for result in results),
            "ascended": round(use.ascended / use.games, 4),
            "cards": {
                card.id: {
                    "name": card.name,
                    "ability": card.ability,
                    "games": round(card.games / use.games, 4),
                    "plays": round(card.plays / use.games, 4),
                    "effects": [
                        {
                            "name": effect.name,
                            "kind": effect.kind,
                            "games": round(effect.games / use.games, 4),
                            "plays": round(effect.plays / use.games, 4),
                        }
                        for effect in card.effects
                    ],
                }
                for card in use.cards
            },
        }

    def misses(self) -> list[str]:
        """A line for each thing that misses its bar; of what has not been played nothing is said."""
        bars, lines = self.bars, []
        for result in self.results.values():
            names = self.names(result)
            games = result.games
            wins, weaker = min((result.wins(artist), artist) for artist in (result.a, result.b))
            if wins < bars.weaker_wins * games:
                lines.append(
                    f"{names}: {self.artists[weaker].name} wins {percent(wins / games)} "
                    f"({interval_text(wins, games)}), the bar is {whole(bars.weaker_wins)}"
                )
            for count, what, most in (
                (result.ties, "ties", bars.ties),
                (result.truncations, "truncated", bars.truncated),
            ):
                if count >= most * games:
                    lines.append(f"{names}: {percent(count / games)} {what}, the bar is under {whole(most)}")
            median = percentile(result.turns, 0.5)
            if not bars.shortest <= median <= bars.longest:
                lines.append(
                    f"{names}: the median game takes {median:g} turns, the bar is {bars.shortest:g} to {bars.longest:g}"
                )
        games = sum(result.games for result in self.results.values())
        wins = sum(result.first_wins for result in self.results.values())
        low, high = bars.first_player
        if games and not low <= wins / games <= high:
            lines.append(
                f"the player who begins wins {percent(wins / games)} ({interval_text(wins, games)}), "
                f"the bar is {100 * low:.0f} to {whole(high)}"
            )
        for name, artist in self.artists.items():
            use = self.use(name)
            for card in use.cards if use is not None else ():
                assert use is not None
                if not card.ability and card.games < bars.card_played * use.games:
                    lines.append(
                        f"{artist.name}: {card.name} is played in {percent(card.games / use.games)} of the games, "
                        f"the bar is {whole(bars.card_played)}"
                    )
                for effect in card.effects if card.ability else ():
                    if effect.plays < bars.effect_plays * use.games:
                        lines.append(
                            f"{artist.name}: {effect.name} ({effect.kind}) is played {effect.plays} times in {use.games} games, "
                            f"the bar is once in {1 / bars.effect_plays:.0f}"
                        )
        return lines

    def names(self, result: PairingResult) -> str:
        """A pairing in words."""
        return f"{self.artists[result.a].name} - {self.artists[result.b].name}"

    def cell(self, row: str, column: str) -> tuple[int, int] | None:
        """(wins of `row` against `column`, games); None where they have not played."""
        result = self.results.get((min(row, column), max(row, column)))
        return None if result is None else (result.wins(row), result.games)


def whole(share: float) -> str:
    """0.25 -> '25 %'."""
    return f"{100 * share:.0f} %"


def _all_turns(results: Sequence[PairingResult]) -> Counter[int]:
    total: Counter[int] = Counter()
    for result in results:
        total.update(result.turns)
    return total


def _ways(counts: Any) -> dict[str, int]:
    total: Counter[str] = Counter()
    for ways in counts:
        total.update(ways)
    return {way: total[way] for way in WAYS}
