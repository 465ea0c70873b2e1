"""The named pieces of the observation."""

import numpy as np
import pytest

from react_env.engine.game import Game
from react_env.engine.layout import Layout
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
