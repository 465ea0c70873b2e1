"""What `react_env.testing.check_game` reports for games that are broken, each in one place."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from react_env.errors import BatchError, OptionError
from react_env.testing import GameFault, check_game
from tests.agents.games import game_of


class Broken:
    """The toy game with some of its rules or other attributes replaced."""

    def __init__(self, rules: dict[str, Callable[..., Any]] | None = None, **more: Any) -> None:
        self.game = game_of("toy")
        self.rules = replace(self.game.rules, **(rules or {}))
        self.__dict__.update(more)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.game, name)


TOY = game_of("toy").rules


def apply_then(change: Callable[[Any, Any], None]) -> Callable[..., None]:
    def apply(s: Any, t: Any, action: Any, mask: Any) -> None:
        TOY.apply(s, t, action, mask)
        change(s, mask)

    return apply


def observe_then(change: Callable[[Any, Any, Any], None]) -> Callable[..., None]:
    def observe(s: Any, t: Any, player: Any, out: Any) -> None:
        TOY.observe(s, t, player, out)
        change(s, player, out)

    return observe


def beyond(out: Any, place: int, value: int = 1) -> None:
    """Write to this place as compiled code does: whatever the size of the array."""
    np.lib.stride_tricks.as_strided(out, (place + 1,))[place] = value


def sparing(s: Any, t: Any, player: Any, out: Any) -> None:
    """Write only what is not 0."""
    whole = np.zeros_like(out)
    TOY.observe(s, t, player, whole)
    out[whole != 0] = whole[whole != 0]


def both_win(s: Any, mask: Any) -> None:
    if s.over:
        s.reward[:] = 1.0


def early(s: Any, mask: Any) -> None:
    s.reward[0], s.reward[1] = 0.5, -0.5


def nobody_wins(s: Any, mask: Any) -> None:
    s.reward[:] = 0


def nobody(s: Any, mask: Any) -> None:
    if not s.over:
        s.to_play = 2


def stuck(s: Any, mask: Any) -> None:
    mask[:] = False


def too_much(s: Any, mask: Any) -> None:
    if not s.over:
        mask[:] = True


def too_large(s: Any, player: Any, out: Any) -> None:
    out[1] = 101


def leaking(s: Any, player: Any, out: Any) -> None:
    out[0] = s.rng % 2


def changing(s: Any, player: Any, out: Any) -> None:
    s.rng += 1


def never(s: Any, t: Any, action: Any, mask: Any) -> None:
    """Do nothing, so the game never ends."""


def test_a_sound_game_passes() -> None:
    check_game(game_of("toy"), games=8)


@pytest.mark.parametrize(
    ("broken", "told"),
    [
        ({"apply": apply_then(both_win)}, r"the game is over, and the rewards \[1.0, 1.0\] do not sum to 0"),
        ({"apply": apply_then(early)}, r"decision 1: the rewards are \[0.5, -0.5\] before the game is over|do not sum"),
        ({"apply": apply_then(nobody)}, "to_play is 2, of 2 players"),
        ({"apply": apply_then(stuck)}, "no action is legal, and the game is not over"),
        ({"apply": apply_then(too_much)}, "legal and the mask of apply differ for"),
        (
            {"apply": apply_then(lambda s, mask: beyond(mask, mask.size + 3))},
            r"apply of '.*' has written to place \d+ of",
        ),
        ({"observe": observe_then(too_large)}, r"player \d sees 101 in '\w+', place 1; its layout allows"),
        ({"observe": observe_then(leaking)}, r"observe shows player \d something that determinize redraws"),
        ({"observe": observe_then(changing)}, "what player 0 sees changes the record: 'rng'"),
        ({"observe": observe_then(lambda s, p, out: beyond(out, out.size))}, "observe has written to place"),
        ({"apply": never}, "the game does not end"),
        ({"apply": apply_then(lambda s, mask: beyond(mask, mask.size + 3, 0))}, "has written to place"),
        (
            {"apply": apply_then(lambda s, mask: s.reward.fill(np.nan) if s.over else None)},
            r"rewards \[nan, nan\] do not sum",
        ),
        ({"apply": apply_then(nobody_wins)}, "none of 8 random games had a winner"),
        ({"observe": sparing}, r"observe leaves place \d+ unwritten"),
    ],
)
def test_what_is_broken_is_named(
    broken: dict[str, Callable[..., Any]], told: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("react_env.testing.LONGEST", 200)
    with pytest.raises(GameFault, match=told):
        check_game(Broken(broken), games=8)  # type: ignore[arg-type]


def test_what_is_no_game_is_refused_and_no_games_are_no_check() -> None:
    """Past bugs: the id of a game raised an AttributeError, and with 0 games any game passed."""
    with pytest.raises(OptionError, match=r"a game is needed, react_env.load\('toy-v0'\)"):
        check_game("toy-v0")  # type: ignore[arg-type]
    with pytest.raises(BatchError, match="games must be an integer of at least 1, not 0"):
        check_game(game_of("toy"), 0)


def test_words_hashes_and_courses() -> None:
    with pytest.raises(GameFault, match="16 hex digits"):
        check_game(Broken(rules_hash="v1"))  # type: ignore[arg-type]
    with pytest.raises(GameFault, match="has no text"):
        check_game(Broken(action_text=lambda state, action: ""))  # type: ignore[arg-type]
    shows_all = Broken(status_lines=lambda state, player=None: [str(state["rng"])])
    with pytest.raises(GameFault, match=r"status_lines shows player \d"):
        check_game(shows_all)  # type: ignore[arg-type]
    with pytest.raises(GameFault, match=r"action_text of '.*' tells player \d"):
        check_game(Broken(action_text=lambda state, action: str(state["rng"])))  # type: ignore[arg-type]
    picture = Broken({"drawing": "toy"}, svg=lambda state, player: str(state["rng"]))  # type: ignore[dict-item]
    with pytest.raises(GameFault, match=r"svg shows player \d"):
        check_game(picture)  # type: ignore[arg-type]
    counts = iter(range(10**6))
    with pytest.raises(GameFault, match=r"event_count shows player \d"):
        check_game(Broken(event_count=lambda state: next(counts)))  # type: ignore[arg-type]
    with pytest.raises(GameFault, match="in a batch it continues differently from the same game alone"):
        check_game(Broken(step=lambda state, action: None))  # type: ignore[arg-type]

    def on_threads(num_games: int, seed: int, threads: int) -> Any:
        return game_of("toy").batch(num_games, seed=seed + (threads > 1))

    with pytest.raises(GameFault, match="on two threads"):
        check_game(Broken(batch=on_threads))  # type: ignore[arg-type]
