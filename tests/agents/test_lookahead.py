"""What a look ahead skips: windows, which are passed at once, and values, which are remembered by what they may read."""

from typing import Any

import numpy as np
import pytest

from react_env.agents.search.lookahead import _what_counts
from react_env.agents.search.sharing import as_bytes, make_live_copy
from tests.agents.games import game_of, positions

GAMES = ["toy", "arts_of_war-v0", "fight_sequence-v0", "react_fast-v0", "reality_tcg-v0"]


@pytest.mark.parametrize("name", GAMES)
def test_a_value_reads_no_more_than_it_is_remembered_by(name: str) -> None:
    game = game_of(name)
    states, players = positions(game, 40, seed=4)
    begin, end = _what_counts(game)
    other = states.copy()
    raw = as_bytes(other)
    noise = np.random.default_rng(0).integers(0, 256, raw.shape, np.uint8)
    raw[:, :begin], raw[:, end:] = noise[:, :begin], noise[:, end:]
    known = game.heuristics
    for first, second, player in zip(states, other, players, strict=True):
        t = game.tables[first["table"]]
        for value in (known.value, known.quick):
            assert value(first, t, player) == value(second, t, player)
        if known.features is not None:
            counts = np.zeros((2, len(known.feature_names)), np.float32)
            known.features(first, t, player, counts[0])
            known.features(second, t, player, counts[1])
            assert (counts[0] == counts[1]).all()


def told(game: Any, state: Any) -> bytes:
    """A record without its log, which may describe forced passes differently."""
    return b"".join(state[name].tobytes() for name in game.state_dtype.names if name not in ("events", "event"))


@pytest.mark.parametrize("name", ["arts_of_war-v0, mixed", "fight_sequence-v0"])
def test_a_copy_of_what_is_in_use_plays_on_as_the_record(name: str) -> None:
    """Each position is copied over the one before, whose rows stay where none are in use; both records play on for some decisions."""
    game = game_of(name)
    assert game.rules.live
    copy_live = make_live_copy(game)
    states, _ = positions(game, 60, seed=5)
    rng = np.random.default_rng(6)
    copies, masks = np.zeros(1, game.state_dtype), np.zeros((2, game.num_actions), np.bool_)
    copied, kept = 0, 0
    for state in states:
        whole = np.array([state], game.state_dtype)
        copy_live(as_bytes(whole)[0], as_bytes(copies)[0])
        one, other = whole[0], copies[0]
        kept += (as_bytes(whole) != as_bytes(copies)).any()
        t = game.tables[one["table"]]
        for _ in range(rng.integers(1, 40)):
            if one["over"]:
                break
            action = rng.choice(game.legal_actions(one))
            game.rules.apply(one, t, action, masks[0])
            game.rules.apply(other, t, action, masks[1])
            copied += 1
            assert (masks[0] == masks[1]).all()
            for field in game.state_dtype.names:
                used = slice(None)
                if field in game.rules.live:
                    used = slice(sum(int(one[count]) for count in game.rules.live[field]))
                    assert len(one[field]) > used.stop
                    assert one[field][used].tobytes() == other[field][used].tobytes()
                else:
                    assert one[field].tobytes() == other[field].tobytes(), field
    assert copied > 100 and kept > 10


@pytest.mark.parametrize("first", range(0, 72, 12))
def test_looking_ahead_in_react_is_playing_on_with_all_windows_passed(first: int) -> None:
    game = game_of("arts_of_war-v0, mixed")
    ahead, unfinished, pass_action = game.heuristics.ahead, game.heuristics.unfinished, game.heuristics.pass_action
    states, _ = positions(game, 40, seed=first)
    for state in states:
        t = game.tables[state["table"]]
        for action in game.legal_actions(state):
            plain, quick = np.array([state, state], game.state_dtype)
            masks = np.zeros((2, game.num_actions), np.bool_)
            game.rules.apply(plain, t, action, masks[0])
            while not plain["over"] and not unfinished(plain) and pass_action(plain) >= 0:
                game.rules.apply(plain, t, pass_action(plain), masks[0])
            ahead(quick, t, action, masks[1])
            assert told(game, plain) == told(game, quick)
            if not plain["over"] and unfinished(plain):
                assert (masks[0] == masks[1]).all()
