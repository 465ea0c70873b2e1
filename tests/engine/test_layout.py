"""The named pieces of the observation."""

from types import SimpleNamespace

import numpy as np
import pytest

from react_env.engine.game import Game
from react_env.engine.layout import Layout, names_of
from tests.play import random_game

LAYOUT = Layout(
    [
        ("turn", (), 0, 100, "the turn"),
        ("units", (3, 2), [-1, 0], [8, 1], "zone and whether exhausted"),
        ("hand", (4,), 0, 6, "own cards"),
    ]
)


def test_offsets_follow_each_other() -> None:
    assert [(piece.name, piece.start, piece.stop) for piece in LAYOUT] == [
        ("turn", 0, 1),
        ("units", 1, 7),
        ("hand", 7, 11),
    ]
    assert LAYOUT.size == 11
    assert LAYOUT["units"].start == 1
    assert LAYOUT.pieces["units"] == (slice(1, 7), (3, 2), "zone and whether exhausted")
    assert "hand" in LAYOUT and "deck" not in LAYOUT and len(LAYOUT) == 3


def test_views_share_the_memory_of_the_observation() -> None:
    one, many = np.zeros(11, np.int8), np.zeros((5, 11), np.int8)
    LAYOUT.view(one, "units")[2, 1] = 7
    assert one[6] == 7
    assert LAYOUT.view(one, "turn").shape == ()
    assert LAYOUT.view(many, "units").shape == (5, 3, 2)


def test_ranges_and_scale() -> None:
    assert LAYOUT.low.tolist() == [0, -1, 0, -1, 0, -1, 0, 0, 0, 0, 0]
    assert LAYOUT.high.tolist() == [100, 8, 1, 8, 1, 8, 1, 6, 6, 6, 6]
    np.testing.assert_allclose(LAYOUT.scale, 1 / LAYOUT.high.astype(float), rtol=1e-6)
    assert LAYOUT.scale.dtype == np.float32
    with pytest.raises(ValueError):
        LAYOUT.low[0] = 1


def test_table_for_the_documentation() -> None:
    lines = LAYOUT.markdown().splitlines()
    assert lines[3] == "| 1 | `units` | 3 x 2 | -1 to 8 | zone and whether exhausted |"


def test_names_of_constants_are_those_of_their_values() -> None:
    module = SimpleNamespace(D_NONE=-1, D_PASS=0, D_LAY_DOWN=2, E_WIN=1)
    assert names_of(module, "D_") == ("pass", "none", "lay down")
    named = Layout([("kind", (3,), 0, 1, "what it is", names_of(module, "D_"))])
    assert named["kind"].names[2] == "lay down" and named.markdown().endswith("`kind`: 0 pass, 1 none, 2 lay down.\n")


def test_every_choice_and_event_has_a_name(game: Game) -> None:
    for piece in game.layout:
        if piece.name == "decision":
            assert len(piece.names) == piece.shape[0] == len(set(piece.names))
        elif piece.name == "history":
            kinds = {
                int(kind)
                for state, _ in random_game(game, 0)
                for kind in game.layout.view(game.observe(state, 0), "history")[:, 0]
            }
            assert len(piece.names) == len(set(piece.names)) and max(kinds) < len(piece.names)
        elif piece.names:
            assert len(piece.names) == piece.shape[-1], piece.name


@pytest.mark.parametrize(
    "pieces",
    [
        [("a", (), 0, 1, ""), ("a", (), 0, 1, "")],
        [("a", (), 0, 200, "")],
        [("a", (), -129, 0, "")],
        [("a", (2,), [0, 3], 2, "")],
    ],
)
def test_wrong_pieces_are_refused(pieces: list[tuple[object, ...]]) -> None:
    with pytest.raises(ValueError, match="'a'"):
        Layout(pieces)


def test_observations_stay_in_their_ranges(game: Game) -> None:
    layout = game.layout
    assert game.observation_shape == (layout.size,)
    assert game.observation_pieces == layout.pieces
    for seed in range(3):
        for state, _ in random_game(game, seed):
            for player in range(game.num_players):
                observation = game.observe(state, player)
                wrong = np.flatnonzero((observation < layout.low) | (observation > layout.high))
                names = [piece.name for piece in layout if any(piece.start <= i < piece.stop for i in wrong)]
                assert not names, f"out of range: {names}"
