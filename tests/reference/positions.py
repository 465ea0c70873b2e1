"""Positions of the reference model of Re;ACT, made by hand, for its tests."""

from __future__ import annotations

import copy
from collections.abc import Callable
from pathlib import Path
from typing import Any

import yaml

from tests.reference.arts_of_war import DIRECTION, PASS, PLAY, ZONE, ReferenceGame
from tests.reference.kits import INKER, LEAPER

INTENTION, ABILITY_INTENTION = PLAY["intention", True], PLAY["intention", False]
REACTION, ABILITY_REACTION = PLAY["reaction", True], PLAY["reaction", False]
FLOWING_INK, SUMMONING_INK, BLOT, SPILL = range(4)
PIVOTING_STEP, CALLING_STEP, SHATTER, GUARD = range(4)
FORWARD, RIGHT, BACK, LEFT = range(DIRECTION, DIRECTION + 4)

STANDARD = Path(__file__).parents[2] / "react_env/games/arts_of_war/editions/standard"
CALLIGRAPHER, DANCER = (yaml.safe_load((STANDARD / f"{name}.yaml").read_text()) for name in ("calligrapher", "dancer"))

Arrange = Callable[[ReferenceGame], None]


def start(
    arrange: Arrange, artists: tuple[dict[str, Any], dict[str, Any]] = (INKER, LEAPER), **options: Any
) -> ReferenceGame:
    """A position in the main phase of player 0's turn 3, unless told otherwise."""
    return ReferenceGame.at(artists, arrange, **options)


def zone_id(game: ReferenceGame, player: int, name: str) -> int:
    number = game.zone(name).number
    return ZONE + (number if player == 0 else len(game.zones) - 1 - number)


def since(game: ReferenceGame, line: str) -> list[str]:
    """The lines logged after the last occurrence of that line."""
    last = max(i for i, logged in enumerate(game.log) if logged == line)
    return game.log[last + 1 :]


def with_do(kit: dict[str, Any], do: str, **effect: Any) -> dict[str, Any]:
    """That kit with this as the only effect of its artist ability card, by default an intention without a cost."""
    kit = copy.deepcopy(kit)
    kit["abilities"][0]["effects"] = [{"kind": "intention", "cost": [], "do": yaml.safe_load(do)} | effect]
    return kit


def all_pass(game: ReferenceGame) -> None:
    while PASS in game.legal_actions():
        game.step(PASS)


def run_effect(
    do: str, arrange: Arrange, kit: dict[str, Any] = LEAPER, other: dict[str, Any] = INKER, **options: Any
) -> ReferenceGame:
    """Let player 0's artist do this at once; nobody reacts."""

    def silent(game: ReferenceGame) -> None:
        arrange(game)
        game.players[1].artist.exhausted = True

    kit = with_do(kit, do)
    game = start(silent, (kit, other), **options)
    game.step(ABILITY_INTENTION)
    all_pass(game)
    return game


def masterpiece(game: ReferenceGame, row: str) -> None:
    """Put cards into the masterpiece row: "1 2 c - -" is player 0's cards 1 and 2 and player 1's card 3."""
    for i, word in enumerate(row.split()):
        if word != "-":
            player, card = (0, int(word)) if word.isdigit() else (1, "abc".index(word) + 1)
            game.row[i] = (player, card)
            game.players[player].unplaced.remove(card)


def progressing(row: str, turn_player: int = 0, **options: Any) -> ReferenceGame:
    artists = options.pop("artists", (INKER, LEAPER))
    return start(lambda game: masterpiece(game, row), artists, phase="masterpiece", turn_player=turn_player, **options)


def armed(game: ReferenceGame) -> None:
    """The Roller in c2 with blades in b3 and d3."""
    game.place(0, "artist", "c2")
    game.place(0, "blade", "b3")
    game.place(0, "blade", "d3")


def where_they_stand(game: ReferenceGame, player: int = 0) -> list[str]:
    return [unit.zone.name for unit in game.players[player].on_board() if unit.zone is not None]


MOVE = "[{choose_direction: w}, {move: {unit: me, way: w}}]"
JUMP = "[{choose_direction: w}, {jump: {unit: me, way: w}}]"
SWAP = "[{choose_unit: {as: it, where: {side: theirs}}}, {swap: {unit: me, with: it}}]"


def keeping(game: ReferenceGame) -> None:
    """The Keeper in c1 with her last tattoo in b1 and a moth in d1."""
    game.place(0, "tattoo", "b1")
    game.place(0, "moth", "d1")
