"""Whole games as text that a person can read: positions, what everybody could do and did, and what happened.

`python -m tests.playthroughs` picks matches of each game that together show everything (effects, cards, kinds of decision and of
event), and writes them here. A change of the rules, of a card or of the texts shows as a difference in these files. The modules
beside this one say what can occur in a game.
"""

from __future__ import annotations

import json
import random
import textwrap
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

from tests.playthroughs import arts_of_war, fight_sequence, react_fast, reality_tcg
from tests.playthroughs.common import HERE, Decider, Played

SHOWS: dict[str, Any] = {module.NAME: module for module in (arts_of_war, fight_sequence, react_fast, reality_tcg)}
WIDTH = 130
VIEWS = 5  # both players' views are shown every so many chapters


def begin(played: Played) -> tuple[Any, Any, Decider]:
    """The module that knows the game, the game itself, and the player of both sides."""
    show = SHOWS[played.game]
    game = show.load(played.sides, json.dumps(played.options, sort_keys=True))
    return show, game, show.MANNERS[played.moves](random.Random(played.seed))


# ---------------------------------------------------------------------------------------------------------------- as text


def text_of(played: Played) -> str:
    """The whole game."""
    return "\n".join(lines_of(played)) + "\n"


def lines_of(played: Played) -> Iterator[str]:
    show, game, choose = begin(played)
    yield "# " + json.dumps(asdict(played))
    state = game.new(seed=played.seed)
    chapter, events = 0, 0
    while True:
        lines = game.log_lines(state, events)
        if game.event_count(state) - events > show.EVENTS:
            yield "  (the first lines are lost)"
        yield from (f"  {line}" for line in lines)
        events = game.event_count(state)
        if state["over"]:
            break
        if show.chapter(state) != chapter:
            chapter = show.chapter(state)
            yield from page(show, game, state, chapter)
        legal = [int(action) for action in game.legal_actions(state)]
        action = choose(state, legal)
        yield from decision(show, game, state, legal, action)
        game.step(state, action)
    yield from ("", "=== The end", *game.text(state).splitlines())
    yield f"rewards: [{', '.join(f'{reward:.3g}' for reward in game.rewards(state))}]"


def page(show: Any, game: Any, state: Any, chapter: int) -> Iterator[str]:
    """The position at the first decision of a chapter, and now and then each player's view of it."""
    yield from ("", f"=== {show.CHAPTER.capitalize()} {chapter}", *game.text(state).splitlines())
    if chapter % VIEWS == 2:
        for player in (0, 1):
            yield f"--- as player_{player} sees it"
            yield from game.text(state, player).splitlines()
    yield ""


def decision(show: Any, game: Any, state: Any, legal: list[int], action: int) -> Iterator[str]:
    """Who decides what, and all the options, with the chosen one in brackets."""
    who = f"player_{game.to_play(state)}"
    named = {option: game.action_text(state, option) for option in legal}
    words = [f"[{text}]" if option == action else text for option, text in named.items()]
    if int(state["decision"]) in show.BRIEF:
        yield f"{who}: {' | '.join(words)}"
        return
    yield f"{who}: {show.QUESTIONS[int(state['decision'])]}"
    yield from textwrap.wrap(
        " | ".join(words), WIDTH, initial_indent="    ", subsequent_indent="    ", break_long_words=False
    )


# ---------------------------------------------------------------------------------------------------------------- coverage


def occurrences(played: Played) -> tuple[set[str], int]:
    """What occurs in a game (who sits where, kinds of decision, what the events show), and how many decisions it has.

    If a game is too long to be picked, only its beginning is examined.
    """
    show, game, choose = begin(played)
    found = {f"{name}: player_{player}" for player, name in enumerate(played.sides)}
    state, count, events = game.new(seed=played.seed), 0, 0
    while True:
        happened = int(state["events"])
        found |= show.shown_by(played.sides, game, state["event"].tolist(), events, happened)
        events = happened
        if state["over"] or count > show.LENGTH:
            return found, count
        found.add(f"decision {int(state['decision'])}")
        game.step(state, choose(state, [int(action) for action in game.legal_actions(state)]))
        count += 1


def pick(show: Any) -> list[Played]:
    """Few and short games in which everything occurs."""
    picked = [show.FIRST]
    left = show.everything() - occurrences(picked[0])[0]
    shown = {}
    for played in show.candidates():
        found, count = occurrences(played)
        if count <= show.LENGTH:
            shown[played] = found, count
    ordered = sorted(shown, key=str)
    for pairs in show.GROUPS:
        while True:
            able = [played for played in ordered if played.sides in pairs and shown[played][0] & left]
            if not able:
                break
            picked.append(max(able, key=lambda played: len(shown[played][0] & left) / price(show, *shown[played])))
            left -= shown[picked[-1]][0]
    if left:
        raise SystemExit(f"{show.NAME}: no game shows {sorted(left)}")
    return without_needless(show, picked)


def price(show: Any, found: set[str], count: int) -> int:
    """What reading a game costs: its decisions and a surcharge, which is higher if nobody wins."""
    return count + (40 if show.WON in found else 120)


def without_needless(show: Any, picked: list[Played]) -> list[Played]:
    """The games without those that add nothing to the others; if either of two could go, the longer one goes."""
    shown = {played: occurrences(played) for played in picked}
    kept = list(picked)
    for played in sorted(picked[1:], key=lambda played: -shown[played][1]):
        if show.everything() <= set().union(*(shown[other][0] for other in kept if other != played)):
            kept.remove(played)
    return kept


def files(name: str) -> list[Path]:
    """The files of a game."""
    return sorted(HERE.glob(f"{name}_[0-9]*.txt"))


def file_of(number: int, played: Played) -> Path:
    """Where a game is written."""
    return HERE / f"{played.game}_{number:02}_{'_'.join(played.sides)}_{played.seed}.txt"


def read_header(path: Path) -> Played:
    """Which game a file holds."""
    header = json.loads(path.read_text(encoding="utf-8").splitlines()[0].removeprefix("# "))
    return Played(**header | {"sides": tuple(header["sides"])})
