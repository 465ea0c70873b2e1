"""Matches as text: round trips, and what is refused."""

import gc
import json
import os
import pickle
import re
import shutil
import tempfile
from pathlib import Path
from typing import Any

import pytest

import react_env
from react_env import replay as replays
from react_env.engine.game import Game
from react_env.engine.rng import seed_word
from react_env.errors import IllegalAction, ReplayError
from react_env.files import may_read, note, noting, reading_only
from react_env.games.fight_sequence import deck_files as fights
from react_env.games.reality_tcg import cards as reality
from react_env.replay import Replay
from tests import toy
from tests.conftest import DECKS
from tests.play import finished, random_game


def actions_of(game: Game, seed: int) -> list[int]:
    return [action for _, action in random_game(game, seed)]


@pytest.fixture
def text() -> str:
    game = toy.load()
    seed = next(seed for seed in range(100) if game.rewards(finished(game, seed)).any())
    return Replay.record(game, actions_of(game, seed), seed=seed, players=["greedy", "random"]).text(game)


def test_round_trip(game: Game, tmp_path: Path) -> None:
    actions = actions_of(game, 3)
    names = ["Ann", 'Bob "the" wall\n', "", "x"][: game.num_players]
    replay = Replay.record(game, actions, seed=3, players=names)
    file = tmp_path / "match.txt"
    replay.save(file, game)
    assert list(tmp_path.iterdir()) == [file], "nothing else is left behind"
    again = Replay.load(file)
    assert (again.game_id, again.rules_hash) == (game.id, game.rules_hash)
    assert again.options == dict(game.options) or game.files  # the paths of card files are not saved
    assert (again.actions, again.seed, again.players) == (actions, 3, replay.players)
    assert (again.end, again.rewards) == (replay.end, replay.rewards)
    assert again.text(game) == file.read_text()
    again.save(file, game)
    assert Replay.load(file).text(game) == replay.text(game)


def test_rewards_that_are_written_with_an_exponent(text: str) -> None:
    """Past bug: a game with rewards smaller than 1e-4 wrote a file that could not be read."""
    tiny = re.sub(r"rewards \[.*\]", "rewards [1e-05, -1e-05]", text)
    assert Replay.parse(tiny, "tiny").rewards == [1e-05, -1e-05]


def test_without_words_a_file_is_short_and_says_the_same() -> None:
    game = react_env.load("arts_of_war-v0", artists="random")
    for seed in range(6):
        replay = Replay.record(game, actions_of(game, seed), seed=seed, players=["greedy", "champion"])
        text = replay.text(game, words=False)
        again = Replay.parse(text)
        assert (again.actions, again.start, again.end, again.rewards) == (
            replay.actions,
            replay.start,
            replay.end,
            replay.rewards,
        )
        assert again.text(game) == replay.text(game) and len(text) < 2000
    for wrong, reason in (
        (text.replace("actions: [", 'actions: ["x",'), "actions must be ids"),
        (text.replace("actions: [", "actions: [true,"), "actions must be ids"),
        (text.replace("actions: [", "actions: [-1,"), "actions must be ids"),
        (text.replace("actions: [", "actions: {"), "not a JSON value"),
        (
            text.replace("end: ", f"{len(replay.actions) + 1} player_0 1: more\nend: "),
            "the head already lists all of them",
        ),
        (text.replace("end: ", "end: 1"), "actions announced"),
    ):
        assert wrong != text
        with pytest.raises(ReplayError, match=reason):
            Replay.parse(wrong)
    other = text.replace(f"actions: [{replay.actions[0]},", "actions: [84,")
    assert other != text
    with pytest.raises(ReplayError, match="line 8: action 84"):
        list(Replay.parse(other).states(game))


def test_states_are_those_of_the_match(game: Game) -> None:
    steps = list(Replay.record(game, actions_of(game, 4), seed=4).states(game))
    played = [(game.copy(state), action) for state, action in random_game(game, 4)]
    assert [(step.state.tobytes(), step.action) for step in steps[:-1]] == [(s.tobytes(), a) for s, a in played]
    last = steps[-1]
    assert last.action == -1 and last.state.tobytes() == finished(game, 4).tobytes()
    assert [line for step in steps for line in step.lines][-3:] == game.log_lines(last.state)[-3:]
    assert all(step.player == game.to_play(step.state) for step in steps)


def test_a_game_from_a_batch_and_an_unfinished_one() -> None:
    game = toy.load()
    state = game.copy(game.batch(4, seed=1).states[2])
    actions = [action for _, action in random_game(game, 1, state)]
    replay = Replay.record(game, actions, start=seed_word(1, 2))
    assert replay.seed is None
    assert list(Replay.parse(replay.text(game)).states(game))[-1].state.tobytes() == state.tobytes()
    assert Replay.parse(Replay.record(game, actions[:7], start=seed_word(1, 2)).text(game)).end == "unfinished"
    assert Replay.record(game, [], seed=1).text(game).endswith("end: 0 actions, unfinished, rewards [0, 0]\n")


@pytest.mark.parametrize(
    ("game_id", "options", "kind"),
    [
        ("arts_of_war-v0", {"artists": ("dancer", "calligrapher"), "max_turns": 5}, "artists"),
        ("fight_sequence-v0", {"decks": (str(DECKS / "every_effect.yaml"), "academy_default")}, "decks"),
    ],
)
def test_the_real_game_is_loaded_from_the_replay(game_id: str, options: dict[str, Any], kind: str) -> None:
    game = react_env.load(game_id, **options)
    replay = Replay.parse(Replay.record(game, actions_of(game, 1), seed=1).text(game))
    assert replay.game().rules_hash == game.rules_hash
    assert sum(1 for _ in replay.states()) == len(replay.actions) + 1
    with pytest.raises(ReplayError, match="other rules"):
        next(replay.states(react_env.load(game_id)))
    replay.options[kind] = [replay.options[kind][0], "nobody"]
    with pytest.raises(ReplayError, match="nobody"):
        replay.game()


def test_recording_checks_the_actions() -> None:
    game = toy.load()
    with pytest.raises(IllegalAction):
        Replay.record(game, [5], seed=1)
    with pytest.raises(ReplayError, match="seed or a start"):
        Replay.record(game, [])
    with pytest.raises(ReplayError, match="3 names"):
        Replay.record(game, [], seed=1, players=["a", "b", "c"])


def test_a_person_can_read_it(text: str) -> None:
    lines = text.splitlines()
    assert lines[0] == "react_env replay 1"
    assert 'players: ["greedy", "random"]' in lines and lines[5].startswith("seed: ")
    assert re.fullmatch(r"1 player_[01] [0-3]: take a card of rank [0-3]", lines[8])
    assert re.fullmatch(r"end: \d+ actions, terminated, rewards \[(1, -1|-1, 1)\]", lines[-1])


def test_other_rules_are_refused(text: str) -> None:
    with pytest.raises(ReplayError, match="other rules.*here"):
        list(Replay.parse(text).states(toy.load(max_turns=29)))
    with pytest.raises(ReplayError, match="a replay of toy-v1, not of toy-v0"):
        list(Replay.parse(text.replace("toy-v0", "toy-v1")).states(toy.load()))
    with pytest.raises(ReplayError, match="there is no game 'toy-v0'"):
        Replay.parse(text).game()


def swap(text: str, number: int, line: str) -> str:
    lines = text.split("\n")
    lines[number - 1] = line
    return "\n".join(lines)


@pytest.mark.parametrize(
    ("line", "instead", "reason"),
    [
        (1, "PNG", "line 1: not a replay"),
        (1, "react_env replay 2", "line 1: not a replay"),
        (2, "game: toy-v0", "line 2: game is not a JSON value"),
        (2, "game: 7", "line 2: game has the wrong type"),
        (2, "", "game is missing"),
        (3, 'game: "toy-v0"', "line 3: game is given twice"),
        (3, "options: " + "[" * 100_000, "line 3: options is not a JSON value"),
        (3, "cheats: 1", "line 3: 'cheats: 1' is not one of"),
        (5, 'start: "xyz"', "line 5: start must be 16 hex digits"),
        (6, "seed: true", "line 6: seed has the wrong type"),
        (7, "players: [1, 2]", "line 7: players must be names"),
        (10, "3 player_0 1: no", "line 10: action 3 where 2 was expected"),
        (10, "play anything", "line 10: neither an action nor the end"),
        (10, "", "action 3 where 2 was expected"),
        (-1, "end: 3 actions, terminated, rewards [1, -1]", "3 actions announced"),
        (-1, "end: 3 actions", "neither an action nor the end"),
    ],
)
def test_damaged_files_are_refused(text: str, line: int, instead: str, reason: str) -> None:
    number = line if line > 0 else len(text.splitlines())
    with pytest.raises(ReplayError, match=re.escape(reason)):
        Replay.parse(swap(text, number, instead), "match.txt")


def test_every_cut_is_noticed(text: str) -> None:
    for length in range(len(text) - 1):
        with pytest.raises(ReplayError):
            Replay.parse(text[:length])
    with pytest.raises(ReplayError, match="text after the end"):
        Replay.parse(text + "1 player_0 1\n")


def test_actions_that_the_rules_forbid_are_named_with_their_line(text: str) -> None:
    game = toy.load()
    lines = text.splitlines()
    illegal = swap(text, 9, lines[8][:11] + "5: right pile")
    with pytest.raises(ReplayError, match=r"match.txt, line 9: action 5 \(right pile\) is not legal"):
        list(Replay.parse(illegal, "match.txt").states(game))
    other = "player_1" if "player_0" in lines[8] else "player_0"
    with pytest.raises(ReplayError, match="line 9: player_. is to move"):
        list(Replay.parse(swap(text, 9, f"1 {other} 1: take"), "match.txt").states(game))
    with pytest.raises(ReplayError, match=f"line {len(lines)}: the game is terminated with rewards"):
        list(Replay.parse(re.sub(r"rewards .*", "rewards [0, 0]", text), "match.txt").states(game))


def test_files_that_are_no_text(tmp_path: Path) -> None:
    with pytest.raises(ReplayError, match="No such file"):
        Replay.load(tmp_path / "none.txt")
    file = tmp_path / "weights.bin"
    file.write_bytes(b"\x80\x04\x95\xff\xfe")
    with pytest.raises(ReplayError, match="not a replay"):
        Replay.load(file)


def test_nothing_is_written_when_saving_fails(tmp_path: Path, text: str) -> None:
    file = tmp_path / "match.txt"
    file.write_text("older")
    with pytest.raises(ReplayError):
        Replay.parse(text).save(file, toy.load(max_turns=29))
    assert file.read_text() == "older" and list(tmp_path.iterdir()) == [file]


LAMPLIGHTER = Path(__file__).parents[2] / "docs" / "arts_of_war" / "example_edition" / "lamplighter.yaml"


def cards_of_ones_own(folder: Path, what: str) -> dict[str, Any]:
    """The options of a game that is played with files below `folder`."""
    if what == "an artist":
        shutil.copy(LAMPLIGHTER, folder / "mine.yaml")
        return {"game_id": "arts_of_war-v0", "artists": ["mine.yaml", "dancer"]}
    if what == "an edition":
        shutil.copytree(LAMPLIGHTER.parent, folder / "mine")
        return {"game_id": "arts_of_war-v0", "artists": ["lamplighter", "dancer"], "edition": "./mine"}
    if what == "a deck and its set":
        (folder / "decks").mkdir()
        deck = (reality.DECKS / "rush.yaml").read_text().replace("set: reality_default", "set: ../street.yaml")
        (folder / "decks" / "mine.yaml").write_text(deck)
        (folder / "street.yaml").write_text(
            (reality.SETS / "reality_default.yaml").read_text().replace("atk: 3", "atk: 4")
        )
        return {"game_id": "reality_tcg-v0", "decks": ["decks/mine.yaml", "decks/mine.yaml"]}
    if what == "a deck of Fight Sequence":
        shutil.copy(fights.DECKS / "academy_default.yaml", folder / "mine.yaml")
        return {"game_id": "fight_sequence-v0", "decks": ["mine.yaml", "academy_default"]}
    if what == "a deck and its set, by its whole path":
        options = cards_of_ones_own(folder, "a deck and its set")
        return options | {"decks": [str(folder / "decks" / "mine.yaml"), "decks/mine.yaml"]}
    if what == "a deck below its set":
        options = cards_of_ones_own(folder, "a deck and its set")
        os.chdir(folder / "decks")  # `monkeypatch` changes back
        return options | {"decks": ["mine.yaml", "mine.yaml"]}
    (folder / "mine.yaml").write_text("mu: 321.0\n")
    return {"game_id": "react_fast-v0", "players": 2, "profiles": ["mine.yaml", "fast"]}


@pytest.mark.parametrize("then", ["elsewhere", "edited", "gone"])
@pytest.mark.parametrize(
    "what",
    [
        "an artist",
        "an edition",
        "a deck and its set",
        "a deck and its set, by its whole path",
        "a deck below its set",
        "a deck of Fight Sequence",
        "a profile of React Fast",
    ],
)
def test_cards_of_ones_own_are_carried(what: str, then: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    there = tmp_path / "there"
    there.mkdir()
    monkeypatch.chdir(there)
    options = cards_of_ones_own(there, what)
    game = react_env.load(**options)
    Replay.record(game, actions_of(game, 1), seed=1).save(tmp_path / "mine.replay", game)
    text = (tmp_path / "mine.replay").read_text()
    assert str(tmp_path) not in text, "it does not tell where the player's files lie"
    if then == "elsewhere":
        (tmp_path / "here").mkdir()
        monkeypatch.chdir(tmp_path / "here")
    for file in there.rglob("*.yaml") if then != "elsewhere" else ():
        file.unlink() if then == "gone" else file.write_text(file.read_text().replace("name:", "name: New"))
    again = Replay.load(tmp_path / "mine.replay")
    found = again.game()
    assert found.rules_hash == game.rules_hash and len(list(again.states(found))) == len(again.actions) + 1
    assert again.text(found) == text, "and it can be saved again"


@pytest.mark.parametrize("game_id", react_env.game_ids())
def test_installed_cards_are_not_carried(game_id: str) -> None:
    game = react_env.load(game_id)
    assert not game.files and "files" not in Replay.record(game, [], seed=1).text(game)


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"artists": ["~/mine.yaml", "dancer"]}, {"artists": ["mine.yaml", "dancer"]}),
        ({"artists": ["{}/mine.yaml", "dancer"]}, {"artists": ["mine.yaml", "dancer"]}),
        (
            {"artists": ["{}/mine.yaml", "{}/kits/lamplighter.yaml"]},
            {"artists": ["mine.yaml", "kits/lamplighter.yaml"]},
        ),
        (
            {"artists": ["lamplighter", "dancer"], "edition": "~/kits/"},
            {"artists": ["lamplighter", "dancer"], "edition": "kits"},
        ),
    ],
)
def test_where_the_cards_lie_is_not_told(
    options: dict[str, Any], told: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = tmp_path / "ann"
    monkeypatch.setenv("HOME", str(home))
    (home / "kits").mkdir(parents=True)
    shutil.copy(LAMPLIGHTER, home / "kits" / "lamplighter.yaml")
    (home / "mine.yaml").write_text(LAMPLIGHTER.read_text().replace("id: lamplighter", "id: mine"))
    options = json.loads(json.dumps(options).replace("{}", str(home)))
    game = react_env.load("arts_of_war-v0", **options)
    text = Replay.record(game, [], seed=1).text(game)
    assert Replay.parse(text).options == told and "ann" not in text.replace("dancer", "")
    shutil.rmtree(home)
    assert Replay.parse(text).game().rules_hash == game.rules_hash


@pytest.mark.parametrize("name", ["../../../outside.yaml", "/../outside.yaml", "a/../../outside.yaml"])
def test_what_is_carried_is_unpacked_in_its_own_folder(name: str, tmp_path: Path) -> None:
    folder = tmp_path / "a" / "b"
    folder.mkdir(parents=True)
    replays._unpack({name: "x"}, folder, "mine")
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == [folder / "outside.yaml"]


@pytest.mark.parametrize(
    ("files", "message"),
    [
        ('{"x.yaml": 3}', "line 2: files must be texts"),
        ('["x.yaml"]', "line 2: files has the wrong type"),
        ('{"": "x"}', "the file '' that it carries cannot be unpacked"),
        ('{"a\\u0000b": "x"}', "that it carries cannot be unpacked"),
        ('{"a": "x", "a/b": "x"}', "the file 'a/b' that it carries cannot be unpacked"),
    ],
)
def test_files_that_cannot_be(files: str, message: str, text: str) -> None:
    carrying = re.sub("(?m)^rules: .*$", 'rules: "0000000000000000"', text.replace("\n", f"\nfiles: {files}\n", 1))
    with pytest.raises(ReplayError, match=re.escape(message)):
        Replay.parse(carrying).game()


def test_whose_card_files_may_be_read(tmp_path: Path) -> None:
    """Those that a replay carries, and those installed with the game that is loaded, even if another package brings it."""
    carried, installed, mine = (tmp_path / name / "x.yaml" for name in ("carried", "installed", "mine"))
    assert all(map(may_read, (carried, installed, mine)))
    with reading_only(carried.parent):
        assert [may_read(path) for path in (carried, installed, mine)] == [True, False, False]
        with noting(installed.parent) as files:
            assert [may_read(path) for path in (carried, installed, mine)] == [True, True, False]
            for path in (carried, installed):
                note(path, "cards")
    assert files == {carried: "cards"} and may_read(mine)


def test_what_was_unpacked_goes_with_the_game(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shutil.copy(LAMPLIGHTER, tmp_path / "mine.yaml")
    game = react_env.load("arts_of_war-v0", artists=[str(tmp_path / "mine.yaml"), "dj"])
    text = Replay.record(game, [], seed=1).text(game)
    (tmp_path / "unpacked").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "unpacked"))
    with pytest.raises(ReplayError):
        Replay.parse(text.replace("id: lamplighter", "id: 3")).game_of_its_files()
    assert not list((tmp_path / "unpacked").iterdir())
    game = Replay.parse(text).game_of_its_files()
    assert pickle.loads(pickle.dumps(game)).rules_hash == game.rules_hash, "another process can load it"
    del game
    gc.collect()
    assert not list((tmp_path / "unpacked").iterdir())
