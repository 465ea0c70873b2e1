"""Pictures of positions: what they show, what they mark as a choice, and their pixels."""

import re
import sys
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from typing import Any

import gymnasium
import numpy as np
import pytest
from pettingzoo.test import render_test

import react_env
from react_env import arts_of_war_v0, fight_sequence_v0, pixels, react_fast_v0, reality_tcg_v0, svg
from react_env.content.words import card_words
from react_env.engine.game import Game
from react_env.envs import aec
from react_env.envs.gym import OpponentEnv, OpponentVectorEnv
from react_env.errors import MissingPackage
from react_env.games.arts_of_war import actions as A
from react_env.games.arts_of_war import state as S
from tests import toy
from tests.play import random_game

MODULES = (arts_of_war_v0, fight_sequence_v0, react_fast_v0, reality_tcg_v0)
GAMES: dict[str, dict[str, Any]] = {
    "arts_of_war-v0": {"artists": "random"},
    "fight_sequence-v0": {},
    "react_fast-v0": {"players": 8, "max_placements": 80},
    "reality_tcg-v0": {},
}
# Actions that are chosen from words alone: no part of a picture stands for them.
ONLY_WORDS = {
    "arts_of_war-v0": r"end turn|pass|decline|option \d",
    "fight_sequence-v0": r"pass|decline",
    "react_fast-v0": r"activate nothing|play the turn|skip the turn|relaxed|ready|armed|hold|rush|normal pace|wait",
    "reality_tcg-v0": r"pass",
}


@pytest.fixture(scope="module", params=list(GAMES))
def drawn(request: pytest.FixtureRequest) -> Game:
    return react_env.load(request.param, **GAMES[request.param])


def marked(picture: str) -> set[int]:
    """The actions that a picture marks."""
    return {int(action) for found in re.findall(r'data-action="([\d ]+)"', picture) for action in found.split()}


def positions(game: Game, seeds: int = 2, every: int = 8) -> Iterator[Any]:
    """Some states of random games, and the last state of each."""
    for seed in range(seeds):
        state = game.new(seed)
        for number, _ in enumerate(random_game(game, seed, state)):
            if number % every == 0:
                yield state
        yield state


def test_a_picture_is_svg_of_the_stated_width_and_names_only_cards_that_have_a_text(drawn: Game) -> None:
    for state in positions(drawn):
        player = drawn.to_play(state)
        names = {words.name for words in card_words(drawn, state, player)}
        for seat in (None, player):
            picture = drawn.svg(state, seat, choices=True)
            root = ET.fromstring(picture)
            _, _, width, height = map(float, root.attrib["viewBox"].split())
            assert width == svg.WIDTH and 150 < height < 900
            assert picture._repr_svg_() == picture
            cards = {element.attrib["data-card"] for element in root.iter() if "data-card" in element.attrib}
            assert cards <= names
            for element in root.iter("{http://www.w3.org/2000/svg}text"):  # nothing begins outside the picture
                assert 0 <= float(element.attrib["x"]) <= width and 0 <= float(element.attrib["y"]) <= height


def test_each_choice_is_marked_where_the_picture_has_a_place_for_it(drawn: Game) -> None:
    shown, words_alone = set(), re.compile(ONLY_WORDS[drawn.id])
    for state in positions(drawn, every=3):
        legal = set(drawn.legal_actions(state).tolist())
        found = marked(drawn.svg(state, drawn.to_play(state), choices=True))
        assert found <= legal
        shown |= {drawn.action_names[action] for action in found}
        for action in legal - found:
            assert words_alone.fullmatch(drawn.action_names[action]), drawn.action_text(state, action)
        assert not marked(drawn.svg(state))
    assert len(shown) > 3


def test_what_is_chosen_on_the_board_of_react_is_marked_there() -> None:
    game = react_env.load("arts_of_war-v0", artists="random")
    names = ("intentions", "reactions", "directions", "units", "zones", "face down")
    groups = {name: set(range(*game.action_groups[name].indices(game.num_actions))) for name in names}
    met = set[str]()
    for number, state in enumerate(positions(game, seeds=40, every=1)):
        if met == set(groups):
            break
        legal = set(game.legal_actions(state).tolist())
        offered = {name for name, ids in groups.items() if legal & ids}
        if offered <= met and number % 6:  # look at what is new, and at some of the rest
            continue
        found = marked(game.svg(state, game.to_play(state), choices=True))
        for name in offered:
            assert legal & groups[name] <= found, name
        met |= offered
        if state["decision"] in (S.D_SLOT, S.D_SWAP_FIRST, S.D_CHAIN_SLOT):
            assert legal - {A.A_DECLINE} <= found
    assert met == set(groups)


def test_a_direction_is_asked_beside_the_board_and_what_it_is_for_is_marked() -> None:
    """Past bug: four arrows covered units, and nothing showed which unit would move."""
    game = react_env.load("arts_of_war-v0", artists="random")
    names = game.rules.view  # type: ignore[attr-defined]
    moved = 0
    for seed in range(12):
        for state, action in random_game(game, seed):
            if state["decision"] != S.D_DIRECTION:
                continue
            root = ET.fromstring(game.svg(state, int(state["to_play"]), choices=True))
            zones = [one for one in root.iter() if one.attrib.get("width") == one.attrib.get("height") == "54"]
            arrows = [one.find("{*}rect") for one in root.iter() if one.attrib.get("role") == "button"]
            assert len(arrows) == len(game.legal_actions(state))
            lowest = max(float(one.attrib["y"]) for one in zones) + 54
            assert all(arrow is not None and float(arrow.attrib["y"]) > lowest for arrow in arrows)
            said = [
                one.text
                for one in root.iter("{http://www.w3.org/2000/svg}text")
                if (one.text or "").startswith("direction for ")
            ]
            if not said or state["frame"][state["frames"] - 1]["kind"] != S.F_EFFECT:
                continue
            later = game.copy(state)
            game.step(later, action)
            here = next(z for z in range(25) if said == [f"direction for {names.of(state).zone(z)}"])
            units = np.flatnonzero(state["unit_zone"] == here)
            if (later["unit_zone"] != state["unit_zone"]).any() and len(units):
                assert later["unit_zone"][units[0]] != here
                moved += 1
    assert moved > 5


def test_the_chain_shows_who_played_what_and_which_zones_are_locked() -> None:
    game = react_env.load("arts_of_war-v0", artists=("tagger", "sculptor"))
    for state in positions(game, seeds=20, every=1):
        size = int(state["chain_size"])
        picture = game.svg(state, 0)
        for number in range(size):
            assert f">{number + 1}</text>" in picture
            card = game.rules.view.card(int(state["chain"][number]["player"]), int(state["chain"][number]["card"]))  # type: ignore[attr-defined]
            assert card[:6] in picture
        if size > 1:
            return
    raise AssertionError("no chain of two cards came up")


def test_a_hand_is_drawn_for_its_owner_alone() -> None:
    game = react_env.load("arts_of_war-v0", artists=("dancer", "calligrapher"))
    state = game.new(seed=3)
    view: Any = game.rules.view
    own = [view.card(0, c) for c in range(S.ACTIONS_CARDS) if state["hand"][0][c]]
    assert all(f'data-card="{name}"' in game.svg(state, 0) for name in own)
    assert not any(f'data-card="{name}"' in game.svg(state, 1) for name in own)
    assert all(f'data-card="{name}"' in game.svg(state) for name in own)


def test_players_of_react_fast_keep_their_names_and_colours() -> None:
    """Past bug: the viewer was "you" in blue until the end and player_0 in black after it; player_1 was red only on the form."""
    game = react_env.load("react_fast-v0", players=3)
    state = game.new(seed=1)
    signs = [re.findall(r'<circle [^>]*r="9" class="(\w+)"', game.svg(state, player)) for player in (None, 0, 1, 2)]
    assert signs == [["p0", "p1", "ink"]] * 4
    for player in range(3):
        assert [f">player_{p}: " in game.svg(state, player) for p in range(3)] == [True] * 3
        assert game.svg(state, player).count(">you<") == 1
    assert ">you<" not in game.svg(state)


def test_a_game_without_a_drawing_is_drawn_as_text() -> None:
    game = toy.load()
    state = game.new(seed=1)
    picture = game.svg(state, 0)
    assert game.text(state, 0).split()[0] in picture
    ET.fromstring(picture)


def test_a_long_text_gets_smaller_and_then_shorter() -> None:
    pen = svg.Pen()
    pen.text(0, 10, "a word" * 3, 10, room=100)
    pen.text(0, 10, "a word" * 30, 10, room=90)
    picture = pen.finish(20, "<two> texts & more")
    sizes = [float(size) for size in re.findall(r'font-size="([\d.]+)"', picture)]
    assert svg.SMALLEST < sizes[0] < 10 and sizes[1] == svg.SMALLEST and "…" in picture
    assert "&lt;two&gt; texts &amp; more" in picture
    assert picture.count("<title>") == 1 and f"<title>{'a word' * 30}</title>" in picture, "the pointer tells all of it"


def test_a_paragraph_that_is_cut_says_so_and_the_pointer_tells_all_of_it() -> None:
    pen, words = svg.Pen(), "known to everybody " * 20
    assert pen.paragraph(0, 10, words, 200, lines=2) == 2
    lines = list(ET.fromstring(pen.finish(60, "")).iter("{http://www.w3.org/2000/svg}text"))
    assert len(lines) == 2 and (lines[1].text or "").endswith("…")
    assert all(line[0].text == words for line in lines)


def test_what_everybody_may_know_is_not_cut(drawn: Game) -> None:
    """Past bug: the note on what a player may hold was cut after two lines, and that on what is next after 100 units, without a sign."""
    for state in positions(drawn):
        for seat in (0, 1):
            root = ET.fromstring(drawn.svg(state, seat))
            notes = [one for one in root.iter("{http://www.w3.org/2000/svg}text") if one.attrib["class"] == "dim"]
            assert not [one[0].text for one in notes if len(one)]


# ------------------------------------------------------------------------------------------------------------------------- render modes


def test_frames_have_one_size_and_show_the_position(drawn: Game) -> None:
    env = aec.env(drawn, "rgb_array")
    env.reset(seed=1)
    frames = [env.render()]
    for _ in range(12):
        env.step(int(env.last()[0]["action_mask"].argmax()))
        frames.append(env.render())
    assert {(frame.shape, str(frame.dtype)) for frame in frames} == {((960, 640, 3), "uint8")}
    assert any((frame != frames[0]).any() for frame in frames)
    assert frames[0].std() > 5  # not an empty picture


def test_a_high_picture_is_drawn_smaller() -> None:
    pen = svg.Pen()
    pen.rect(0, 0, svg.WIDTH, 1200, "p0", 0)
    frame = pixels.rgb_array(pen.finish(1200, "a tall one"), 200)
    assert frame.shape == (300, 200, 3)
    ground, blue = (
        tuple(int(colour[i : i + 2], 16) for i in (1, 3, 5)) for colour in (svg.LIGHT["bg"], svg.LIGHT["p0"])
    )
    assert tuple(frame[150, 5]) == ground and tuple(frame[299, 100]) == blue


@pytest.mark.parametrize("module", MODULES)
def test_pettingzoo_renders(module: Any, capsys: pytest.CaptureFixture[str]) -> None:
    render_test(module.env)
    assert "player_0" in capsys.readouterr().out  # printed in the mode "human"


def test_gymnasium_renders_what_the_agent_sees(capsys: pytest.CaptureFixture[str]) -> None:
    game = react_env.load("fight_sequence-v0")
    env = OpponentEnv(game, seats=1, render_mode="svg")
    env.reset(seed=4)
    assert env.render() == game.svg(env._table.position, 1) != game.svg(env._table.position)
    printing = OpponentEnv(game, seats=1, render_mode="human")
    printing.reset(seed=4)
    assert capsys.readouterr().out.strip() == game.text(env._table.position, 1)
    envs = OpponentVectorEnv(game, 2, seed=4, render_mode="rgb_array_list")
    envs.reset(seed=4)
    frames = envs.render()
    assert frames is not None and [len(one) for one in frames] == [1, 1] and frames[0][0].shape == (960, 640, 3)


def test_gymnasium_records_frames() -> None:
    env = gymnasium.make("react_env/FightSequence-v0", render_mode="rgb_array")
    kept = gymnasium.wrappers.RenderCollection(env)
    _, info = kept.reset(seed=1)
    kept.step(int(info["action_mask"].argmax()))
    assert [frame.shape for frame in kept.render()] == [(960, 640, 3)] * 2


def test_without_what_draws_pixels_the_environment_says_so_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "PIL", raising=False)
    monkeypatch.setattr("react_env.extras.find_spec", lambda name: None)
    with pytest.raises(MissingPackage, match=r"react_env\[render\]"):
        fight_sequence_v0.env(render_mode="rgb_array")
    assert "<svg" in react_env.load("fight_sequence-v0").svg(react_env.load("fight_sequence-v0").new(seed=1))
