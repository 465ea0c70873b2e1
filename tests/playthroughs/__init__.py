"""Whole games of Re;ACT as text that a person can read: boards, what everybody could do and did, and what happened.

`python -m tests.playthroughs` picks games in which every effect, trigger and kind of decision of four artists occurs, and writes them
here. A change of the rules, of a card or of the texts shows as a difference to these files.
"""

from __future__ import annotations

import json
import random
import textwrap
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import react_env
from react_env.games.arts_of_war import log as L
from react_env.games.arts_of_war import state as S
from react_env.games.arts_of_war.view import QUESTIONS
from tests.reference.compare import CHOOSERS

HERE = Path(__file__).parent
OURS = HERE.parent / "arts_of_war/editions"
MANNERS = {chooser.__name__: chooser for chooser in CHOOSERS}
WIDTH = 130
VIEWS = 5  # every so many turns both players' views are shown
LENGTH = 170  # decisions: longer games are not picked

PAIRS = [
    ("calligrapher", "dancer"),
    ("dancer", "calligrapher"),
    ("mason", "herald"),
    ("herald", "dancer"),
    ("calligrapher", "mason"),
]
SEEDS = 240  # games of each pair from which to pick


@dataclass(frozen=True)
class Played:
    """Which game it is."""

    artists: tuple[str, str]
    seed: int
    moves: str  # uniform | eager | patient
    options: dict[str, Any] = field(default_factory=dict, hash=False)

    def load(self) -> Any:
        """The rules that it is played by."""
        return load(self.artists, json.dumps(self.options, sort_keys=True))

    def chooser(self) -> Callable[[list[int]], int]:
        """Who plays both sides."""
        return MANNERS[self.moves](random.Random(self.seed))


@cache
def load(artists: tuple[str, str], options: str) -> Any:
    files = [str(OURS / f"{name}.yaml") if (OURS / f"{name}.yaml").exists() else name for name in artists]
    return react_env.load("arts_of_war-v0", artists=tuple(files), **json.loads(options))


# ---------------------------------------------------------------------------------------------------------------- as text


def text_of(played: Played) -> str:
    """The whole game."""
    return "\n".join(lines_of(played)) + "\n"


def lines_of(played: Played) -> Iterator[str]:
    game, choose = played.load(), played.chooser()
    yield "# " + json.dumps(asdict(played))
    state = game.new(seed=played.seed)
    turn, events = 0, 0
    while True:
        lines = game.log_lines(state, events)
        if game.event_count(state) - events > S.EVENTS:
            yield "  (the first lines are lost)"
        yield from (f"  {line}" for line in lines)
        events = game.event_count(state)
        if state["over"]:
            break
        if state["turn"] != turn:
            turn = int(state["turn"])
            yield from page(game, state, turn)
        legal = [int(action) for action in game.legal_actions(state)]
        action = choose(legal)
        yield from decision(game, state, legal, action)
        game.step(state, action)
    yield from ("", "=== The end", *game.text(state).splitlines())
    yield f"rewards: {[int(reward) for reward in game.rewards(state)]}"


def page(game: Any, state: Any, turn: int) -> Iterator[str]:
    """The position at the first decision of a turn, and what of it each player sees, now and then."""
    yield from ("", f"=== Turn {turn}", *game.text(state).splitlines())
    if turn % VIEWS == 2:
        for player in (0, 1):
            yield f"--- as player_{player} sees it"
            yield from game.text(state, player).splitlines()
    yield ""


def decision(game: Any, state: Any, legal: list[int], action: int) -> Iterator[str]:
    """Who decides what, all that could be chosen, and in brackets what is."""
    yield f"player_{game.to_play(state)}: {QUESTIONS[int(state['decision'])]}"
    named = {option: game.action_text(state, option) for option in legal}
    words = [f"[{text}]" if option == action else text for option, text in named.items()]
    yield from textwrap.wrap(
        " | ".join(words), WIDTH, initial_indent="    ", subsequent_indent="    ", break_long_words=False
    )


# ---------------------------------------------------------------------------------------------------------------- coverage


def occurrences(played: Played) -> tuple[set[str], int]:
    """What occurs in a game - effects, triggers, kinds of decision and of event - and how many decisions it has."""
    game, choose = played.load(), played.chooser()
    state, found, count, events = game.new(seed=played.seed), set[str](), 0, 0
    while True:
        ring = state["event"].tolist()
        for i in range(max(events, int(state["events"]) - S.EVENTS), int(state["events"])):
            kind, player, a, b = ring[i % S.EVENTS][:4]
            found.add(f"event {kind}")
            if kind == L.E_RESOLVE:
                found.add(
                    f"{played.artists[player]}: {game.rules.view.effect(player, a, b)} ({effect_place(game, player, a, b)})"
                )
            elif kind == L.E_TRIGGER:
                found.add(f"{played.artists[player]}: trigger {a}")
        events = int(state["events"])
        if state["over"] or count > 2 * LENGTH:
            return found, count
        found.add(f"decision {int(state['decision'])}")
        game.step(state, choose([int(action) for action in game.legal_actions(state)]))
        count += 1


def effect_place(game: Any, player: int, card: int, row: int) -> int:
    """The number of an effect among all of its card, both sides counted."""
    return [int(other) for other in game.tables[0]["card_effects"][player, card]].index(row) + 1


def wanted(artists: tuple[str, str]) -> set[str]:
    """Everything that can occur with these two artists, but for a tie."""
    game = load(artists, "{}")
    t = game.tables[0]
    found = {f"decision {kind}" for kind in QUESTIONS} | {f"event {kind}" for kind in range(1, L.EVENT_KINDS)}
    found -= {f"event {kind}" for kind in (L.E_TIE, L.E_TRUNCATED)}
    for player, name in enumerate(artists):
        for card in range(S.CARDS):
            for place, row in enumerate(t["card_effects"][player, card], 1):
                if t["card_exists"][player, card] and row >= 0:
                    found.add(f"{name}: {game.rules.view.effect(player, card, int(row))} ({place})")
        artist = game.rules.view.artists[player]
        found |= {f"{name}: trigger {S.SRC_PASSIVE * 16 + i}" for i in range(len(artist.passives))}
        found |= {
            f"{name}: trigger {S.SRC_TOKEN * 16 + i}" for i, token in enumerate(artist.tokens.values()) if token.at
        }
        found |= {f"{name}: trigger {S.SRC_TILE * 16 + i}" for i in range(len(artist.tiles))}
        if t["ascend_mode"][player] == S.ASCEND_IMMEDIATE:
            found.add(f"{name}: trigger {S.SRC_ASCENSION * 16}")
    return found


def everything() -> set[str]:
    """What the games together have to show."""
    return set().union(*(wanted(pair) for pair in PAIRS)) | {f"event {L.E_TRUNCATED}"}


def pick() -> list[Played]:
    """Few and short games in which everything occurs."""
    manners = list(MANNERS)
    games = [Played(pair, seed, manners[seed % 3]) for pair in PAIRS for seed in range(SEEDS)]
    shown = {played: occurrences(played) for played in games}
    picked = [Played(PAIRS[0], 1, "eager", {"max_turns": 4, "first_game_hand": True})]
    standard = {played for played in shown if set(played.artists) == set(PAIRS[0])}
    # First what the standard artists can show against each other, then the rest.
    for candidates in (standard, set(shown)):
        left = everything() & set().union(*(shown[played][0] for played in candidates))
        left -= set().union(*(occurrences(played)[0] for played in picked))
        while left:
            best = max(
                sorted(candidates - set(picked), key=str),
                key=lambda played: (shown[played][1] <= LENGTH, len(shown[played][0] & left) / (shown[played][1] + 40)),
            )
            if not shown[best][0] & left:
                best = max(sorted(candidates - set(picked), key=str), key=lambda played: len(shown[played][0] & left))
            picked.append(best)
            left -= shown[best][0]
    missing = everything() - set().union(*(occurrences(played)[0] for played in picked))
    if missing:
        raise SystemExit(f"no game shows {sorted(missing)}")
    return picked


def file_of(number: int, played: Played) -> Path:
    """Where a game is written."""
    return HERE / f"{number:02}_{'_'.join(played.artists)}_{played.seed}.txt"


def read_header(path: Path) -> Played:
    """Which game a file holds."""
    header = json.loads(path.read_text(encoding="utf-8").splitlines()[0].removeprefix("# "))
    return Played(**header | {"artists": tuple(header["artists"])})
