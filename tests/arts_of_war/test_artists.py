"""What is public about the nine artists (rules file, "The artists"): every fact holds exactly, in play and in the card files.

The facts are tested on the shipped kits, the mechanics behind them on small kits in test_rules_*.py. What is designed is not tested here,
because any tuning of the kits may change it.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import react_env
from react_env.content.words import question_words
from react_env.engine.batch import seed_words
from react_env.games.arts_of_war import state as S
from react_env.games.arts_of_war.cards import artists, load_artist
from react_env.games.arts_of_war.cards.operations import words_in
from react_env.games.arts_of_war.cards.schema import AscendedUntilUsed
from tests.arts_of_war.kits import effects_of
from tests.arts_of_war.positions import Table, table
from tests.sources import assert_no_source_names

NINE = (
    "animator",
    "calligrapher",
    "dancer",
    "dj",
    "fortune_teller",
    "painter",
    "sculptor",
    "tagger",
    "tattooist",
)
WITHOUT_DECK = ("animator", "painter")


def foe(name: str) -> str:
    """An opponent for that artist."""
    return "dancer" if name != "dancer" else "calligrapher"


def facing(name: str, **rules: Any) -> Table:
    """That artist as player 0, in a position made by hand."""
    return table(name, foe(name), **rules)


# ---------------------------------------------------------------------------------------------------------------- all of them


def test_all_nine_are_there() -> None:
    assert artists("standard") == NINE


@pytest.mark.parametrize("name", NINE)
@pytest.mark.rule("AW-S3", "AW-M9")
def test_kit(name: str) -> None:
    artist = load_artist(name)
    if name in WITHOUT_DECK:
        assert not artist.actions
        assert any(passive.when == "instead_of_draw" for passive in artist.passives)
    else:
        assert len(artist.actions) == 4
        assert sum(card.copies for card in artist.actions) == 30
    card = artist.abilities[0]
    assert card.unit == "artist"
    assert len(card.effects) >= 2
    assert any("progress" in words_in(effect.do) for effect in card.effects)
    assert card.ascended is not None
    if card.ascended.mode == "until_used":  # it lasts, and the masterpiece goes on meanwhile (printed 265)
        assert any("progress" in words_in(effect.do) for effect in card.ascended.effects)
    units = sum(kind.count for kind in artist.summons.values())
    # Murals and Scales are what the Tagger and the Dancer leave on the board; every other concept has summons of its own.
    assert 2 <= units <= 7 or name == "tagger"


@pytest.mark.parametrize("name", NINE)
def test_everything_is_marked(name: str) -> None:
    """Nothing may pass as public that is not: every effect says where its kind, its cost and its text come from."""
    artist = load_artist(name)
    assert artist.provenance.get("name") == "stated"
    for card, effect in effects_of(artist):
        assert {"kind", "do"} <= set(effect.provenance), (card.id, effect.name)
        assert not effect.cost or "cost" in effect.provenance, (card.id, effect.name)
    things: list[Any] = [
        *artist.summons.values(),
        *artist.tokens.values(),
        *artist.tiles.values(),
        *artist.counters.values(),
        *artist.passives,
        *artist.actions,
        *artist.abilities,
    ]
    for thing in things:
        assert "name" in thing.provenance, thing.name


def test_every_pairing_plays() -> None:
    """Random play of every ordered pairing comes to an end; what one player wins the other loses."""
    game = react_env.load("arts_of_war-v0", artists="random")
    batch = game.batch(512, seed=3)
    words = seed_words(4, 512)
    ended: set[int] = set()
    for _ in range(1200):
        pairs = batch.states["table"].copy()
        batch.step(batch.random_actions(words))
        assert not batch.rewards.sum(axis=1).any()
        ended |= {int(table) for table in pairs[batch.terminated]}
    assert len(ended) == len(NINE) * (len(NINE) - 1)


def test_no_engine_source_names_an_artist_or_a_card() -> None:
    """The engine never asks which artist it is: its sources contain no name of any kit."""
    names: set[str] = set()
    for artist in map(load_artist, NINE):
        names |= {artist.id, artist.name}
        things: list[Any] = [*artist.summons.values(), *artist.passives, *artist.actions, *artist.abilities]
        for thing in things:
            names.add(thing.name)
            names.add(getattr(thing, "id", thing.name))
        for card in artist.abilities:
            names |= {effect.name for effect in card.effects if effect.name}
            if card.ascended is not None:
                names.add(card.ascended.name)
                if isinstance(card.ascended, AscendedUntilUsed):
                    names |= {effect.name for effect in card.ascended.effects if effect.name}
    # Words that the rulebook and the language use as well, so that nobody could tell them from a name.
    names -= {"action", "take", "charge", "key"}
    assert_no_source_names(names)


# ---------------------------------------------------------------------------------------------------------------- Calligrapher


def test_calligrapher_facts() -> None:
    artist = load_artist("calligrapher")
    assert {kind.name: kind.count for kind in artist.summons.values()} == {"Sealbrush Spirit": 4}
    kinds = {card.name: {effect.kind for effect in card.effects} for card in (*artist.actions, *artist.abilities)}
    assert kinds["Flowing Ink"] == {"reaction"}
    assert "Summoning Ink" in kinds
    assert kinds["Calligrapher"] == {"intention"}
    assert len(artist.abilities[0].effects) == 2
    assert sum("progress" in words_in(effect.do) for effect in artist.abilities[0].effects) == 1
    respite = next(card for card in artist.abilities if card.name == "Sheathing Respite")
    assert respite.unit == "none"  # always there, not tied to a unit
    spirit = next(card for card in artist.abilities if card.unit == "spirit")
    assert len(spirit.effects) == 2  # A and B
    assert spirit.effects[1].kind == "intention"


@pytest.mark.parametrize("inked", [True, False])
def test_spirit_b_needs_ink(inked: bool) -> None:
    t = table("calligrapher", "dancer")
    t.place(0, "spirit", "c4", *(["ink"] if inked else []))
    t.do("play Sealbrush Spirit (Intention)").do("zone c5").passes()
    assert ("player_1's Dancer (c5) takes damage (1)" in t.log) == inked
    assert "exhausted" in t.status("unit player_0's Sealbrush Spirit 1")


def test_summoning_ink_with_all_spirits_out_still_inks() -> None:
    t = table("calligrapher", "dancer")
    for zone in ("a1", "a2", "a3", "a4"):
        t.place(0, "spirit", zone)
    t.give(0, "Summoning Ink")
    t.do("play Summoning Ink").passes().do("player_1's Dancer")
    t.do("zone c4")
    assert "player_1's Dancer (c5) gets Ink" in t.log
    assert not any("is summoned" in line for line in t.log)


def test_who_is_inked_may_be_inked_again() -> None:
    """A further Ink may always be given; whether it adds up is the `stacks` of the token (AW-U12)."""
    t = facing("calligrapher")
    unit = t.place(0, "spirit", "c3", "ink")
    t.give(0, "Summoning Ink")
    t.do("play Summoning Ink").passes()
    t.do("player_0's Sealbrush Spirit 1")
    assert t.state["token"][unit, 0, 0] == 1 and t.may("zone c2")


def test_ink_travels() -> None:
    t = table("calligrapher", "dancer")
    t.give(0, "Flowing Ink", "Bleeding Stroke")
    t.do("play Bleeding Stroke", "zone c2")
    t.do("pass") if t.to_play == 1 and t.may("pass") else None
    t.do("play Flowing Ink", "right").passes()
    t.do("player_1's Dancer")
    assert t.at("d5") == "player_1's Dancer"
    assert t.status("unit player_1's Dancer").endswith("Ink")


# ---------------------------------------------------------------------------------------------------------------- Dancer


def test_dancer_facts() -> None:
    artist = load_artist("dancer")
    pivoting = next(card for card in artist.actions if card.name == "Pivoting Step")
    assert [(effect.kind, effect.cost) for effect in pivoting.effects] == [("reaction", [])]
    assert "Calling Step" in [card.name for card in artist.actions]


def test_third_scale_summons_a_fish_at_once() -> None:
    t = table("dancer", "tagger")
    t.strew(0, "scale", "c1", "c1")
    t.give(0, "Calling Step")
    t.do("play Calling Step").passes().do("up")
    assert t.at("c2") == "player_0's Dancer"
    assert t.at("c1") == "player_0's Dancing Fish 1"
    assert not [line for line in t.game.status_lines(t.state) if line.startswith("zone c1")]  # those Scales have left


def test_pivoting_step_swaps_with_either_side() -> None:
    t = table("dancer", "calligrapher")
    t.place(0, "artist", "c3")
    t.place(1, "artist", "c4")
    t.place(0, "fish", "b3")
    t.give(0, "Pivoting Step", "Cutting Scales")
    t.strew(0, "scale", "a1")
    t.do("play Cutting Scales", "zone a2")
    t.do("pass") if t.to_play == 1 else None
    t.do("play Pivoting Step").passes()
    assert sorted(t.options()) == ["player_0's Dancing Fish 1 (b3)", "player_1's Calligrapher (c4)"]
    t.do("player_1's Calligrapher")
    assert (t.at("c3"), t.at("c4")) == ("player_1's Calligrapher", "player_0's Dancer")


def test_calling_step_jumps_though_nobody_is_there() -> None:
    t = table("dancer", "calligrapher")
    t.place(1, "artist", "d4")
    t.place(0, "artist", "b2")
    t.give(0, "Calling Step")
    t.do("play Calling Step").passes().do("left")
    assert t.at("a2") == "player_0's Dancer"


def test_scales_turn_into_damage() -> None:
    t = table("dancer", "calligrapher")
    t.strew(0, "scale", "c4")
    t.give(0, "Cutting Scales")
    t.do("play Cutting Scales").do("zone c5").passes()
    assert "player_1's Calligrapher (c5) takes damage (1)" in t.log


# ---------------------------------------------------------------------------------------------------------------- Sculptor


@pytest.mark.rule("AW-U9")
def test_expending_the_expendable_damages_several_at_once_and_can_tie() -> None:
    t = table("sculptor", "dancer")
    small = next(iter(load_artist("sculptor").summons))
    t.place(0, "artist", "c3")
    t.place(1, "artist", "c5")
    for zone in ("c4", "e1", "e2"):
        t.place(0, small, zone)
    t.hurt(0, 2)
    t.hurt(1, 2)
    t.give(0, "Expending the Expendable", "Rough Cast")
    t.do("play Expending the Expendable").passes()
    assert t.over
    assert t.log[-1] == "The game is a tie"
    assert t.rewards == [0, 0]


def test_small_summons_merge_into_a_big_one() -> None:
    t = table("sculptor", "dancer")
    small, big = load_artist("sculptor").summons
    t.place(0, small, "b2")
    t.place(0, small, "b3")
    big_name = load_artist("sculptor").summons[big].name
    small_name = load_artist("sculptor").summons[small].name
    t.do(f"play {small_name}", f"{small_name} [3]")
    t.do(f"player_0's {small_name} 1 (b2)").passes()
    assert t.at("b2") == f"player_0's {big_name} 1"
    assert t.at("b3") == ""


# ---------------------------------------------------------------------------------------------------------------- Tagger


@pytest.mark.rule("AW-U13")
@pytest.mark.parametrize("friend", [True, False])
def test_murals_are_triggered_by_friend_and_foe(friend: bool) -> None:
    artist = load_artist("tagger")
    assert len(artist.tiles) >= 2
    assert all(tile.on_enter for tile in artist.tiles.values())
    assert len({str(tile.on_enter) for tile in artist.tiles.values()}) == len(artist.tiles)  # different effects
    for kind, tile in artist.tiles.items():
        t = table("tagger", "dancer", turn_player=1)
        t.lay(0, kind, "c4")
        if friend:  # the Dancer pulls her onto it
            t.place(0, "artist", "c3")
            t.give(1, "Calling Step")
            t.do("play Calling Step").passes()
        else:
            t.give(1, "Cutting Scales", "Slipstream")
            t.strew(1, "scale", "e4")
            t.do("play Cutting Scales", "zone e3")
            t.do("play Slipstream", "down").passes()
        assert f"player_0: {tile.name}" in t.log, kind


# ---------------------------------------------------------------------------------------------------------------- Painter


def test_painter_has_dice_that_pay() -> None:
    artist = load_artist("painter")
    assert artist.counters["inspiration"].name == "Inspiration"
    assert artist.counters["inspiration"].dice is not None
    pays = [effect for _, effect in effects_of(artist) if any(part.key() == "pay" for part in effect.cost)]
    assert len(pays) >= 3
    assert sorted(kind.name for kind in artist.summons.values()) == ["Bow", "Shield", "Sword"]
    assert all(kind.attached and kind.count == 1 for kind in artist.summons.values())


@pytest.mark.rule("AW-T5")
def test_painter_rolls_instead_of_drawing() -> None:
    t = table("painter", "dancer", turn_player=1)
    t.end_turn().do("masterpiece card 1", "masterpiece slot 1")
    assert any(line.startswith("player_0 rolls ") for line in t.log)
    assert "player_0 draws a card" not in t.log


def test_armaments_stand_diagonally_and_move_as_one_body() -> None:
    game = react_env.load("arts_of_war-v0", artists=("painter", "dancer"))
    state = game.new(seed=1)
    steps = 0
    while not (game.terminated(state) or game.truncated(state)) and steps < 400:
        here = int(state.unit_zone[0])
        for slot in (1, 2, 3):
            zone = int(state.unit_zone[slot])
            if zone >= 0 and not state.frames:
                assert abs(zone // 5 - here // 5) == 1 and abs(zone % 5 - here % 5) == 1
        legal = game.legal_actions(state)
        game.step(state, int(legal[(steps * 31 + 5) % len(legal)]))
        steps += 1
    assert steps > 30


@pytest.mark.rule("AW-U4")
def test_an_armament_is_taken_up_where_the_painter_stands_by_then() -> None:
    """Its place is chosen on resolving, so it is diagonal to her even if she has moved meanwhile."""
    t = table("painter", "dancer")
    t.place(0, "artist", "c2")
    t.count(0, "inspiration", 6, 6, 6)
    t.do("play Painter", "Painter [3] Take Up Arms", "play Footwork", "up").passes()
    assert [option[:7] for option in t.options()] == ["zone b2", "zone d2", "zone b4", "zone d4"]


@pytest.mark.rule("AW-U4")
def test_a_swap_that_puts_an_armament_off_the_board_fails() -> None:
    t = table("dancer", "painter")
    t.place(0, "artist", "a3")
    t.place(1, "artist", "b3")
    t.place(1, "bow", "a2")
    t.give(0, "Pivoting Step", "Cutting Scales")
    t.strew(0, "scale", "e1")
    t.do("play Cutting Scales").do("zone e2")
    t.do("pass") if t.to_play == 1 else None
    t.do("play Pivoting Step").passes().do("player_1's Painter")
    assert t.after("Pivoting Step of player_0 resolves")[0] == "Cutting Scales of player_0 resolves"
    assert (t.at("a3"), t.at("b3"), t.at("a2")) == ("player_0's Dancer", "player_1's Painter", "player_1's Bow 1")


def test_the_painter_becomes_nathaniel_for_good() -> None:
    artist = load_artist("painter")
    up = artist.abilities[0].ascended
    assert up is not None and up.mode == "becomes" and up.name == "Nathaniel"
    t = table("painter", "dancer")
    t.row("a1", "a2", "-", "-", "-")
    t.do("play Painter", "Painter [1]").passes()
    t.do("masterpiece slot 3")
    assert "player_0 becomes Nathaniel" in t.log
    assert ", Nathaniel" in t.status("player_0")
    t.do("play Nathaniel") if t.may("play Nathaniel") else t.end_turn()
    assert "ascended" not in t.status("player_0")


def test_nathaniels_ascension_brings_the_dice_to_the_maximum() -> None:
    artist = load_artist("painter")
    dice = artist.counters["inspiration"].dice
    assert dice is not None
    t = table("painter", "dancer")
    t.become(0)
    t.count(0, "inspiration", *[1] * dice.count)
    t.row("a1", "a2", "-", "-", "-")
    t.do("play Nathaniel", "Nathaniel [1]").passes()
    t.do("masterpiece slot 3")
    shown = ", ".join([str(dice.sides)] * dice.count)
    assert f"Inspiration {dice.count * dice.sides} ({shown})" in t.status("player_0")


# ---------------------------------------------------------------------------------------------------------------- Tattooist


def test_the_tattooist_cannot_be_damaged() -> None:
    t = table("dancer", "tattooist")
    t.place(1, next(iter(load_artist("tattooist").summons)), "a5")
    t.strew(0, "scale", "c4")
    t.give(0, "Cutting Scales")
    t.do("play Cutting Scales").do("zone c5").passes()
    assert "player_1's Tattooist (c5) is unharmed" in t.log
    assert int(t.state.damage[1]) == 0


def test_the_tattooist_loses_when_her_summons_are_destroyed() -> None:
    (kind,) = load_artist("tattooist").summons
    t = table("dancer", "tattooist")
    t.place(1, kind, "a5")
    t.place(1, kind, "b5")
    t.strew(0, "scale", "a4", "b4")
    t.give(0, "Cutting Scales", "Cutting Scales")
    t.do("play Cutting Scales", "zone a4", "zone a5").passes()
    assert not t.over
    t.do("play Cutting Scales").do("zone b5").passes()
    assert t.over
    assert t.rewards == [1, -1]


# ---------------------------------------------------------------------------------------------------------------- Animator


def test_the_animator_plans_frames_in_the_open() -> None:
    artist = load_artist("animator")
    assert any(tile.on_cue for tile in artist.tiles.values())
    t = table("animator", "dancer")
    (kind,) = artist.summons
    t.place(0, kind, "c3")
    t.count(0, "take", 1)
    t.lay(0, "walk", "c3 right")
    for player in (0, 1, None):  # both players see the plan
        assert "plan of player_0: c3" in t.game.status_lines(t.state, player)
    assert t.at("c3") != ""  # the tile waits
    t.do("play Action!").passes()
    assert t.at("c3") == ""  # the film ran, so the summon has carried it out


@pytest.mark.rule("AW-T5")
def test_the_animator_does_something_else_instead_of_drawing() -> None:
    t = table("animator", "dancer", turn_player=1)
    t.end_turn().do("masterpiece card 1", "masterpiece slot 1")
    assert not any(line.startswith("player_0 draws") for line in t.log)
    passive = next(p for p in load_artist("animator").passives if p.when == "instead_of_draw")
    assert f"player_0: {passive.name}" in t.log


# ---------------------------------------------------------------------------------------------------------------- Fortune Teller


@pytest.mark.rule("AW-I1")
def test_the_fortune_teller_lays_reactions_face_down() -> None:
    artist = load_artist("fortune_teller")
    assert artist.face_down >= 1
    assert sum(any(effect.kind == "reaction" for effect in card.effects) for card in artist.actions) >= 2
    card = next(card for card in artist.actions if all(effect.kind == "reaction" for effect in card.effects))
    t = table("fortune_teller", "dancer", turn_player=1)
    t.give(0, card.name)
    t.place(1, "fish", "a5")
    t.give(1, "Slipstream", "Cutting Scales", "Cutting Scales")
    t.strew(1, "scale", "e5", "e5")
    t.do("play Cutting Scales", "zone e4")
    t.do(f"lay {card.name} face down")
    t.do("slot 3")
    assert "player_0 lays a card face down in slot 3" in t.log
    assert card.name not in "\n".join(t.game.status_lines(t.state, 1)).split("hidden")[0]
    assert f"chain 3: player_0's face-down card: {card.name}" in t.game.status_lines(t.state, 0)
    assert t.to_play == 1  # she had nothing else to play, so she has passed
    t.do("play Slipstream", "down")  # slot 2 is paid for: the card of slot 3 is revealed before anybody reacts
    assert f"player_0 reveals {card.name}" in t.log


# ---------------------------------------------------------------------------------------------------------------- DJ


@pytest.mark.rule("AW-C10")
def test_a_speaker_may_be_summoned_where_somebody_stands() -> None:
    """With all neighbouring zones occupied, Sound Check can be played and fails; so can Encore on a Speaker that is refreshed."""
    t = facing("dj")
    for zone in ("b1", "d1", "c2"):
        t.place(0, "speaker", zone)
    t.give(0, "Sound Check")
    t.do("play Sound Check")
    assert [option[:7] for option in t.options()] == ["zone b1", "zone d1", "zone c2"]
    t.do("zone c2").passes()
    assert "Sound Check of player_0 resolves" in t.log and not any("summoned" in line for line in t.log)
    t.do("play Encore", "player_0's Speaker 1").passes()
    assert t.log[-1] == "Encore of player_0 resolves"


def test_speakers_reach_far_and_beats_give_extra_actions() -> None:
    artist = load_artist("dj")
    speaker = next(card for card in artist.abilities if card.name == "Speaker")
    t = table("dj", "dancer")
    t.place(0, "speaker", "c3")
    t.count(0, "beat", 6)
    attack = next(i for i, effect in enumerate(speaker.effects, 1) if any(part.key() == "damage" for part in effect.do))
    t.do("play Speaker", f"Speaker [{attack}]").do("zone c5").passes()
    assert "player_1's Dancer (c5) takes damage (1)" in t.log  # two zones away
    assert "exhausted" in t.status("unit player_0's Speaker 1")
    extra = next(
        card
        for card in artist.abilities
        if any("refresh" in str(part) for effect in card.effects for part in effect.do)
        and any("beat" in str(part) for effect in card.effects for part in effect.cost)
    )
    t.count(0, "beat", 6)
    t.do(f"play {extra.name}", "player_0's Speaker 1").passes()
    t.count(0, "beat", 6)
    assert "exhausted" not in t.status("unit player_0's Speaker 1")
    t.do("play Speaker", f"Speaker [{attack}]").do("zone c5").passes()
    assert "player_1's Dancer (c5) takes damage (2)" in t.log  # that was the extra action


def test_the_frame_that_was_chosen_is_seen() -> None:
    """Past bug: after the choice between the Frames nobody was told which one is being laid (AW-I1: it is public)."""
    t = table("animator", "dancer", turn_player=1)
    t.place(0, "cel", "c2")
    t.place(0, "cel", "b1")
    t.end_turn()
    while not t.may("option 1"):
        t.do(t.options()[0])
    for option, action in enumerate(t.game.legal_actions(t.state).tolist(), 1):
        state = t.game.copy(t.state)
        t.game.step(state, action)
        assert f"so far: option {option}" in t.game.text(state, 0).splitlines()[-1]
        for player in (0, 1):
            assert t.game.layout.view(t.game.observe(state, player), "running")[-1] == option


def test_a_question_tells_what_was_chosen_before() -> None:
    """It names the card that goes on the masterpiece, the card being laid face down, or the unit that a "may" is about."""
    t = table("dj", "dancer", turn_player=1)
    t.end_turn()
    t.do("masterpiece card 2")
    assert t.game.text(t.state, 0).endswith("which slot; so far: masterpiece card 2")
    t = table("fortune_teller", "dancer")
    t.give(0, "Foretold Blow", "Turn of Fate")
    t.do("lay Turn of Fate face down")
    assert t.game.text(t.state, 0).endswith("lies in; so far: Turn of Fate") and "so far" not in t.game.text(t.state, 1)
    t = table("tattooist", "dancer")
    t.place(0, "tattoo", "a2")
    t.place(0, "tattoo", "e2")
    t.give(0, "Full Sleeve")
    t.do("play Full Sleeve").passes()
    for unit in ("Living Tattoo 1 (a2)", "Living Tattoo 2 (e2)"):
        assert t.game.text(t.state, 0).endswith(f"do it or not; so far: player_0's {unit}")
        t.do("decline")


def test_the_first_unit_of_a_text_is_named_with_it() -> None:
    """Past bug: nothing said which unit was "the first unit" that Shove moves or swaps."""
    game = react_env.load("arts_of_war-v0", artists=("tagger", "dj"))
    chosen: set[str] = set()
    for seed in range(10):
        state, rng = game.new(seed=seed), np.random.default_rng(seed)
        while not state["over"]:
            words, action = question_words(game, state), int(rng.choice(game.legal_actions(state)))
            asked, answer = int(state["decision"]), game.action_text(state, action)
            game.step(state, action)
            if words.startswith("Shove: Choose a unit") and asked == S.D_UNIT and state["decision"] == S.D_BRANCH:
                assert question_words(game, state) == words
                assert f"choose one; so far: {answer}" in game.text(state).splitlines()[-1]
                chosen.add(answer)
    assert len(chosen) > 1


@pytest.mark.parametrize("pair", [("animator", "calligrapher"), ("tattooist", "fortune_teller"), "random"])
def test_a_choice_that_does_not_explain_itself_comes_with_its_text(pair: Any) -> None:
    """A card may ask, or something that was triggered, such as the Animator's passive at each draw."""
    game, asked = react_env.load("arts_of_war-v0", artists=pair), set()
    for seed in range(3):
        state, rng = game.new(seed=seed), np.random.default_rng(seed)
        while not state["over"]:
            if state["decision"] == S.D_EFFECT:
                words = question_words(game, state).splitlines()
                offered = [game.action_text(state, action).partition("[")[2][0] for action in game.legal_actions(state)]
                assert set(offered) <= {line[1] for line in words[1:] if line.startswith("[")}, words
            if state["decision"] in (S.D_BRANCH, S.D_MAY, S.D_ZONE, S.D_UNIT, S.D_DIRECTION):
                words = question_words(game, state)
                assert words, game.text(state)
                asked.add(words.partition(":")[0])
            game.step(state, int(rng.choice(game.legal_actions(state))))
    assert asked
    if pair == ("animator", "calligrapher"):
        assert "Next Frame" in asked
