"""Whole games of Re;ACT as text that a person can read: boards, what everybody could do and did, and what happened.

`python -m tests.playthroughs` picks games in which every effect and trigger of all artists occurs, every kind of decision and of event,
and every artist in both seats, and writes them here. A change of the rules, of a card or of the texts shows as a difference to these
files.
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
from react_env.games.arts_of_war import actions as A
from react_env.games.arts_of_war import log as L
from react_env.games.arts_of_war import state as S
from react_env.games.arts_of_war.view import QUESTIONS
from tests.reference.compare import CHOOSERS, eager

HERE = Path(__file__).parent
OURS = HERE.parent / "arts_of_war/editions"
WIDTH = 130
VIEWS = 5  # every so many turns both players' views are shown
LENGTH = 170  # decisions: longer games are not picked

STANDARD = [
    ("calligrapher", "dancer"),
    ("dancer", "tagger"),
    ("tagger", "sculptor"),
    ("sculptor", "painter"),
    ("painter", "tattooist"),
    ("tattooist", "dj"),
    ("dj", "fortune_teller"),
    ("fortune_teller", "animator"),
    ("animator", "calligrapher"),
]
PAIRS = [*STANDARD, ("mason", "herald"), ("herald", "clockmaker"), ("clockmaker", "oracle"), ("oracle", "mason")]
# How the games of each pair are played from which to pick: in what manner, how many turns at most, and how many games. Who plays
# at random seldom strikes home, so most of these games would go on for much longer.
CANDIDATES = [
    ("purposeful", 60, 300),
    ("purposeful", 20, 150),
    ("purposeful", 12, 100),
    ("eager", 60, 100),
    ("eager", 9, 100),
    ("uniform", 60, 100),
    ("uniform", 14, 100),
    ("patient", 60, 100),
    ("patient", 30, 60),
]

Decider = Callable[[Any, list[int]], int]  # of a state and what is legal


def purposeful(rng: random.Random) -> Decider:
    """Mostly eager, aims at the enemy artist or at least at the enemy, and lays the masterpiece in order from its own side."""
    other = eager(rng)
    part = 0

    def choose(state: Any, legal: list[int]) -> int:
        nonlocal part
        kind, player = int(state["decision"]), int(state["to_play"])
        best: list[int] = []
        if kind == S.D_PART:
            best = [action for action in legal if action != A.A_DECLINE][:1]
            part = best[0] - A.A_OPTION if best else 0
        elif kind == S.D_SLOT:
            best = [A.A_SLOT + part]
        elif kind == S.D_MAIN and rng.random() < PROGRESSING:
            best = [A.A_INTENTION + S.ACTIONS_CARDS]  # the artist's own card; its first effect is about the masterpiece
        elif kind == S.D_EFFECT and rng.random() < PROGRESSING:
            best = [A.A_OPTION]
        elif kind == S.D_ZONE and rng.random() < AIMING:
            best = enemy_zones(state, player)
        elif kind == S.D_UNIT and rng.random() < AIMING:
            best = [A.A_UNIT + S.SLOTS]
        for action in best:
            if action in legal:
                return action
        return other(legal)

    return choose


def enemy_zones(state: Any, player: int) -> list[int]:
    """The zones where enemy units stand, the artist's first, as the player numbers them on the standard field."""
    zones = [int(zone) for zone in state["unit_zone"][(1 - player) * S.SLOTS :][: S.SLOTS] if zone >= 0]
    return [A.A_ZONE + (zone if player == 0 else S.ZONES - 1 - zone) for zone in zones]


def regardless(manner: Callable[[random.Random], Callable[[list[int]], int]]) -> Callable[[random.Random], Decider]:
    """A manner of play that does not look at the position."""

    def decider(rng: random.Random) -> Decider:
        choose = manner(rng)
        return lambda state, legal: choose(legal)

    return decider


PROGRESSING, AIMING = 0.4, 0.7  # how often the purposeful are
MANNERS: dict[str, Callable[[random.Random], Decider]] = {"purposeful": purposeful}
MANNERS |= {manner.__name__: regardless(manner) for manner in CHOOSERS}


@dataclass(frozen=True)
class Played:
    """Which game it is."""

    artists: tuple[str, str]
    seed: int
    moves: str  # one of MANNERS
    options: dict[str, Any] = field(default_factory=dict, hash=False)

    def load(self) -> Any:
        """The rules that it is played by."""
        return load(self.artists, json.dumps(self.options, sort_keys=True))

    def chooser(self) -> Decider:
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
        action = choose(state, legal)
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
    """What occurs in a game - effects, triggers, kinds of decision and of event, who sits where - and how many decisions it has.

    Of a game that is too long to be picked only the beginning is looked at.
    """
    game, choose = played.load(), played.chooser()
    found = {f"{name}: player_{player}" for player, name in enumerate(played.artists)}
    state, count, events = game.new(seed=played.seed), 0, 0
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
        if state["over"] or count > LENGTH:
            return found, count
        found.add(f"decision {int(state['decision'])}")
        game.step(state, choose(state, [int(action) for action in game.legal_actions(state)]))
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
        sources = [
            (S.SRC_PASSIVE, [True for _ in artist.passives]),
            (S.SRC_TOKEN, [token.at is not None for token in artist.tokens.values()]),
            (S.SRC_TILE, [tile.on_enter is not None for tile in artist.tiles.values()]),
            (S.SRC_CUE, [tile.on_cue is not None for tile in artist.tiles.values()]),
            (S.SRC_ASCENSION, [code >= 0 for code in t["ascend_code"][player]]),
        ]
        found |= {f"{name}: trigger {source * 16 + i}" for source, has in sources for i in range(len(has)) if has[i]}
        found.add(f"{name}: player_{player}")
    return found


def everything() -> set[str]:
    """What the games together have to show."""
    return set().union(*(wanted(pair) for pair in PAIRS)) | {f"event {L.E_TRUNCATED}"}


def pick() -> list[Played]:
    """Few and short games in which everything occurs."""
    picked = [Played(PAIRS[0], 1, "eager", {"max_turns": 4, "first_game_hand": True})]
    left = everything() - occurrences(picked[0])[0]
    shown = {}
    for pair in PAIRS:
        for manner, turns, games in CANDIDATES:
            for seed in range(games):
                played = Played(pair, seed, manner, {} if turns == 60 else {"max_turns": turns})
                found, count = occurrences(played)
                if count <= LENGTH:
                    shown[played] = found, count
    candidates = sorted(shown, key=str)
    # First what the standard artists can show against each other, then the rest.
    for pairs in (STANDARD, PAIRS):
        while True:
            able = [played for played in candidates if played.artists in pairs and shown[played][0] & left]
            if not able:
                break
            picked.append(max(able, key=lambda played: len(shown[played][0] & left) / price(*shown[played])))
            left -= shown[picked[-1]][0]
    if left:
        raise SystemExit(f"no game shows {sorted(left)}")
    return without_needless(picked)


def price(found: set[str], count: int) -> int:
    """What reading a game costs: its decisions and some more, the more so if nobody wins."""
    return count + (40 if f"event {L.E_WIN}" in found else 120)


def without_needless(picked: list[Played]) -> list[Played]:
    """The games, but for those that show nothing which the others do not; of two that could go the longer one goes."""
    shown = {played: occurrences(played) for played in picked}
    kept = list(picked)
    for played in sorted(picked[1:], key=lambda played: -shown[played][1]):
        if everything() <= set().union(*(shown[other][0] for other in kept if other != played)):
            kept.remove(played)
    return kept


def file_of(number: int, played: Played) -> Path:
    """Where a game is written."""
    return HERE / f"{number:02}_{'_'.join(played.artists)}_{played.seed}.txt"


def read_header(path: Path) -> Played:
    """Which game a file holds."""
    header = json.loads(path.read_text(encoding="utf-8").splitlines()[0].removeprefix("# "))
    return Played(**header | {"artists": tuple(header["artists"])})
