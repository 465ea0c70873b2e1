"""The value of positions in Re;ACT: what threatens, what counts, and that evaluating a position does not change it."""

from __future__ import annotations

import csv
import io
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import react_env
from react_env import agents
from react_env.errors import CardError
from react_env.evaluation import record_game
from react_env.games.arts_of_war import state as S
from react_env.games.arts_of_war.cards import artists
from react_env.games.arts_of_war.features import FEATURES, features
from react_env.games.arts_of_war.heuristics import W_TIE
from react_env.games.arts_of_war.rules import BOARD, WEIGHTS, edition_folder
from react_env.games.arts_of_war.threats import threats
from react_env.games.arts_of_war.value import USUAL, value, weights
from react_env.replay import Replay
from tests.agents.games import game_of, positions
from tests.arts_of_war.positions import Table, ability, intention, kit, reaction, table

NEAR = "{choose_zone: {as: z, where: {within: {of: me, distance: 2}}}}"
STRIKE = intention("[{damage: {zone: z}}]", f"[{NEAR}]")


def of(t: Table, player: int = 0) -> float:
    return float(value(t.state, t.t, player))


def duel(*hand: str, at: str = "c3", abilities: tuple[Any, ...] = (), **cards: Any) -> Table:
    """A position of Ann with these cards, in c1, against Ben in zone `at`."""
    t = table(kit("ann", *abilities, **cards), kit("ben"))
    t.place(1, "artist", at)
    t.give(0, *hand)
    return t


@pytest.mark.parametrize(("at", "count"), [("c2", 1), ("c3", 1), ("d2", 1), ("c4", 0), ("e2", 0)])
def test_a_threat_reaches_as_far_as_its_effect(at: str, count: int) -> None:
    t = duel("Strike", at=at, Strike=[STRIKE])
    assert threats(t.state, t.t, 0) == count
    assert threats(t.state, t.t, 1) == 0


def test_only_cards_in_hand_threaten() -> None:
    assert threats(duel(Strike=[STRIKE]).state, duel(Strike=[STRIKE]).t, 0) == 0


def test_reactions_threaten_too() -> None:
    t = duel("Parry", Parry=[reaction("[{damage: {zone: z}}]", f"[{NEAR}]")])
    assert threats(t.state, t.t, 0) == 1


def test_each_unit_counts_exhausted_or_not() -> None:
    """All units are refreshed before they can act again."""
    bite = intention("[{damage: {zone: z}}]", "[{exhaust: me}, {choose_zone: {as: z, where: {adjacent_to: me}}}]")
    t = duel(abilities=(ability("Imp", "imp", bite),))
    t.place(0, "imp", "b3")
    t.place(0, "imp", "d3", exhausted=True)
    t.place(0, "imp", "e5")
    assert threats(t.state, t.t, 0) == 2


def text_of(columns: dict[str, Any]) -> str:
    """A file of weights with these columns, each one number for all features or a list."""
    lines = io.StringIO()
    table = csv.writer(lines, lineterminator="\n")
    table.writerow(["feature", *columns])
    for i, name in enumerate(FEATURES):
        table.writerow([name, *(column[i] if isinstance(column, list) else column for column in columns.values())])
    return lines.getvalue()


def test_a_position_is_worth_its_features_by_the_weights_of_each_artist() -> None:
    """What is good for one is as bad for the other, each by its own artist's weights."""
    game = game_of("arts_of_war-v0, mixed")
    states, _ = positions(game, 60, seed=4)
    f, g = np.zeros((2, len(FEATURES)), np.float32)
    for state in (state for state in states if not state["over"]):
        t = game.tables[int(state["table"])]
        own, other = (weights()[name] for name in game.pairing(state))
        features(state, t, 0, f)
        features(state, t, 1, g)
        assert value(state, t, 0) == pytest.approx(float(own @ f.astype(float) - other @ g.astype(float)), abs=0.01)


def test_each_artist_of_the_standard_edition_has_weights_of_its_own_and_any_other_the_usual_ones() -> None:
    known = weights()
    assert set(known) == {*artists("standard"), USUAL}
    rows = {column.tobytes() for column in known.values()}
    assert len(rows) == len(known), "two columns are the same"
    ann = table(kit("ann"), kit("ben")).t["weights"]
    np.testing.assert_array_equal(ann, [known[USUAL], known[USUAL]])
    np.testing.assert_allclose(known[USUAL], np.mean([known[name] for name in artists("standard")], axis=0), atol=0.02)


def edition_with(text: str, folder: Path) -> Path:
    """An edition: the standard one with this file of weights."""
    shutil.copy(edition_folder("standard") / BOARD, folder)
    (folder / WEIGHTS).write_text(text)
    return folder


def test_an_edition_may_have_weights_of_its_own(tmp_path: Path) -> None:
    """For some artists; the others keep those of the standard edition."""
    mine = edition_with(text_of({"dancer": [i / 4 for i in range(len(FEATURES))]}), tmp_path)
    game = react_env.load("arts_of_war-v0", artists=("dancer", "dj"), edition=mine)
    np.testing.assert_array_equal(game.tables["weights"][0], [np.arange(len(FEATURES)) / 4, weights()["dj"]])
    assert game.rules_hash == react_env.load("arts_of_war-v0", artists=("dancer", "dj")).rules_hash, (
        "no rule reads them"
    )
    before = agents.fingerprint("scripted", game)
    edition_with(text_of({"dancer": 1}), tmp_path)
    assert agents.fingerprint("scripted", game) != before
    assert (react_env.load("arts_of_war-v0", artists=("dancer", "dj"), edition=mine).tables["weights"][0, 0] == 1).all()


def test_replays_carry_own_weights(tmp_path: Path) -> None:
    """They are not needed to show a game, but they lie in the folder of its cards."""
    mine = edition_with(text_of({USUAL: 1}), tmp_path)
    game = react_env.load("arts_of_war-v0", artists=("dancer", "dj"), edition=mine)
    text = record_game(game, ["random", "random"]).text(game)
    (mine / WEIGHTS).write_text("")
    shown = Replay.parse(text).game_of_its_files()
    np.testing.assert_array_equal(shown.tables["weights"], game.tables["weights"])


@pytest.mark.parametrize(
    "text, told",
    [
        ("", "the column feature must name the 94 features"),
        (text_of({USUAL: 1}).replace("in hand 2", "in hand"), "must name the 94 features"),
        (text_of({USUAL: 1}) + "one,1", "must name the 94 features"),
        (
            text_of({"ann": 1}).replace("in hand 2,1", "in hand 2,inf"),
            "in hand 2, ann: a number is needed; found 'inf'",
        ),
        (text_of({"ann": 1}).replace("walls,1", "walls,x"), "walls, ann: a number is needed; found 'x'"),
        (text_of({"ann": 1}).replace("walls,1", "walls"), "walls, ann: a number is needed; found"),
    ],
    ids=["empty", "another feature", "a row too many", "not finite", "a word", "nothing"],
)
def test_a_file_of_weights_that_cannot_be_used(text: str, told: str, tmp_path: Path) -> None:
    mine = edition_with(text, tmp_path)
    with pytest.raises(CardError, match=f"{WEIGHTS}: .*{told}"):
        react_env.load("arts_of_war-v0", edition=mine)


def test_a_hand_is_worth_less_the_later_it_is() -> None:
    """Otherwise two players with full hands would wait for each other until the turn limit, whatever that is."""
    for limit in (60, 30):
        worth = []
        for share in (1 / 30, 1 / 3, 1):
            empty, full = (table(kit("ann", Wait=[reaction()]), kit("ben"), max_turns=limit) for _ in range(2))
            full.give(0, "Wait", "Wait")
            empty.give(0, "Wait")
            empty.state["turn"] = full.state["turn"] = int(limit * share)
            worth.append(of(full) - of(empty))
        assert worth[0] > worth[1] > worth[2]


def test_conditions_count_as_they_are() -> None:
    brand = intention("[{if: {zone: z, is: {holds: {token: ink}}}, then: [{damage: {zone: z}}]}]", f"[{NEAR}]")
    t = duel("Brand", Brand=[brand])
    assert threats(t.state, t.t, 0) == 0
    t.mark(8, "ink", 0)
    assert threats(t.state, t.t, 0) == 1


def test_what_is_chosen_first_is_tried_out() -> None:
    shot = intention(
        "[{damage: {zone: z}}]",
        "[{choose_unit: {as: it, where: {side: mine, kind: summon}}}, {choose_zone: {as: z, where: {adjacent_to: it}}}]",
    )
    t = duel("Shot", Shot=[shot], at="c4")
    t.place(0, "imp", "a1")
    assert threats(t.state, t.t, 0) == 0
    t.place(0, "imp", "c5")
    assert threats(t.state, t.t, 0) == 1


def test_choices_on_resolution_and_damage_to_all() -> None:
    late = intention(f"[{NEAR}, {{damage: {{zone: z}}}}]")
    line = intention("[{damage: {units: {side: theirs, in_line_with: me}}}]")
    t = duel("Late", "Line", Late=[late], Line=[line], at="c2")
    assert threats(t.state, t.t, 0) == 2
    t.place(1, "artist", "d2")
    assert threats(t.state, t.t, 0) == 1


def test_prey_of_an_artist_that_cannot_be_hurt_are_its_vital_summons() -> None:
    t = table(kit("ann", Strike=[STRIKE]), "tattooist")
    t.give(0, "Strike")
    t.place(1, "artist", "c2")
    assert threats(t.state, t.t, 0) == 0
    t.place(1, "tattoo", "c3")
    assert threats(t.state, t.t, 0) == 1


def test_enough_threats_to_win_weigh_more_than_the_same_threat_before() -> None:
    gains = []
    for damage in (0, 2):
        far, near = duel("Strike", Strike=[STRIKE], at="c4"), duel("Strike", Strike=[STRIKE], at="c3")
        for t in (far, near):
            t.hurt(1, damage)
        gains.append(of(near) - of(far))
    assert gains[1] > gains[0] + 50 > 50


@pytest.mark.parametrize(
    "better",
    [
        lambda t: t.give(0, "Blank 1"),
        lambda t: t.hurt(1, 1),
        lambda t: t.place(0, "imp", "a1"),
        lambda t: t.row("a1", "a2", "-", "-", "-"),
        lambda t: t.raise_up(0),
        lambda t: t.lay(0, "bell", "c4"),
        lambda t: t.deck(1, "Blank 1"),
        lambda t: t.place(1, "artist", "c2"),
    ],
    ids=["card", "damage", "summon", "masterpiece", "ascended", "tile", "last cards", "near"],
)
def test_what_is_good_for_a_player(better: Any) -> None:
    t = table(kit("ann"), kit("ben"))
    before = of(t)
    better(t)
    assert of(t) > before
    assert of(t, 1) == pytest.approx(-of(t))


def test_a_card_that_reacts_is_worth_more() -> None:
    reacting, idle = (duel(card, Parry=[reaction()]) for card in ("Parry", "Blank 1"))
    assert of(reacting) > of(idle)


def test_the_end_of_a_game_is_all_that_counts() -> None:
    t = table(kit("ann"), kit("ben"))
    t.state["over"] = 1
    assert of(t) == of(t, 1) == W_TIE
    t.state["reward"] = (1, -1)
    assert (of(t), of(t, 1)) == (1e6, -1e6)


def test_it_only_looks() -> None:
    """Positions of all artists stay the same, to the byte; what one player gains by them the other loses."""
    game = game_of("arts_of_war-v0, mixed")
    states, _ = positions(game, 400, seed=2)
    threatened = 0
    for state in states:
        t, before = game.tables[int(state["table"])], state.tobytes()
        assert value(state, t, 0) == pytest.approx(-value(state, t, 1)) or state["over"]
        threatened += threats(state, t, np.int64(0)) > 0
        assert state.tobytes() == before
    assert threatened > 5


def test_which_cards_do_damage_is_what_their_programs_say() -> None:
    """The tables save `threats` from walking through every program; here the programs are read operation by operation."""
    found = set()
    for t in react_env.load("arts_of_war-v0", artists="random").tables:
        for p in range(S.PLAYERS):
            for c in range(S.CARDS):
                last = 0
                for place, row in enumerate(t["card_effects"][p, c].tolist(), 1):
                    if row < 0:
                        break
                    pc, damages = int(t["effect_body"][row]), False
                    while t["code"][pc, 0] != S.OP_END:
                        damages |= bool(t["code"][pc, 0] == S.OP_DAMAGE)
                        pc += 1
                    assert bool(t["effect_damages"][row]) == damages
                    last = place if damages else last
                assert t["card_damages"][p, c] == last
                found.add(last)
    assert {0, 1, 2} <= found
