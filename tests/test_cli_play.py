"""`react-env play`: undo, hints, names instead of numbers, card texts, and how a game ends or is left."""

import io
import re
import signal
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from rich.console import Console
from typer.testing import CliRunner

import react_env
from react_env import agents
from react_env.agents.models.model import save_model
from react_env.cli import app
from react_env.cli.play import named
from react_env.engine.history import why_not
from react_env.games.arts_of_war import terminal
from react_env.registry import GAMES, describe
from react_env.replay import Replay
from tests.agents.games import game_of
from tests.agents.test_learned_value import model as value

DUEL, SEQUENCE = "arts_of_war-v0", "fight_sequence-v0"


@pytest.fixture(autouse=True)
def toy_is_a_game(monkeypatch: pytest.MonkeyPatch) -> None:
    agents.load("greedy", game_of("toy"))  # so that no message about compilation appears later
    monkeypatch.setitem(GAMES, "toy-v0", "tests.toy:GAME")


def call(*arguments: str, text: str = "", columns: int = 100) -> Any:
    return CliRunner().invoke(app, ["play", *arguments], input=text, env={"COLUMNS": str(columns)})


def played(*arguments: str, text: str = "", columns: int = 100) -> str:
    result = call(*arguments, text=text, columns=columns)
    assert result.exit_code == 0, result.output + str(result.exception)
    return re.sub(r"\x1b\[[0-9;]*m", "", str(result.stdout))


def toy(*arguments: str, text: str = "") -> str:
    return played("toy-v0", "--seed", "2", "--against", "random", *arguments, text=text)


# -- undo -------------------------------------------------------------------------------------------------------------------------


def own_steps(game: Any, count: int, seed: int = 0) -> Any:
    """(before, action, after, player) of random games, for actions after which the same player decides again."""
    rng = np.random.default_rng(seed)
    for number in range(count):
        state = game.new(seed=number)
        while not state["over"]:
            before, player = game.copy(state), game.to_play(state)
            action = int(rng.choice(game.legal_actions(state)))
            game.step(state, action)
            if not state["over"] and game.to_play(state) == player:
                yield before, action, state, player


def test_undo_is_for_what_was_certain() -> None:
    """Parts of a play that is being declared can be taken back; what follows a draw or an opponent's window cannot."""
    game = game_of(DUEL)
    parts = draws = windows = 0
    for before, action, after, player in own_steps(game, 6):
        lines = game.log_lines(after, since=game.event_count(before))
        other = f"player_{1 - player}"
        if not lines and after["frames"] and before["decision"] != after["decision"] and parts < 30:
            parts += 1
            assert why_not(game, before, action, after, player, others=False) == ""
        elif any(line == f"player_{player} draws a card" for line in lines) and draws < 20:
            draws += 1
            assert why_not(game, before, action, after, player, others=False) != ""
        elif len(lines) > 1 and lines[1] == f"{other} passes" and " plays " in lines[0] and windows < 20:
            # The engine passed because there was no reaction, and that is what the player could not know.
            windows += 1
            if after["hand"][1 - player].sum() > 1:
                assert f"{other} passes" in why_not(game, before, action, after, player, others=False)
    assert parts == 30 and draws > 5 and windows > 5


def test_undo_tells_nothing_that_is_hidden() -> None:
    """In a world that the player cannot tell from the true one, the answer is the same."""
    game = game_of(DUEL)
    checked = 0
    for before, action, after, player in own_steps(game, 3, seed=1):
        answer = why_not(game, before, action, after, player, others=False)
        guess = game.determinize(before, player, 12345)
        world = game.copy(guess)
        game.step(world, action)
        if game.to_play(world) == player and not world["over"]:
            assert (answer == "") == (why_not(game, guess, action, world, player, others=False) == "")
            checked += 1
        if checked == 25:
            break
    assert checked == 25


def test_undo_after_somebody_else_or_chance() -> None:
    game = game_of("toy")
    before = game.new(seed=3)
    player, action = game.to_play(before), int(game.legal_actions(before)[0])
    after = game.copy(before)
    game.step(after, action)
    assert why_not(game, before, action, after, player, others=False) == ""
    assert why_not(game, before, action, after, player, others=True) != ""
    after["rng"] += 1
    assert why_not(game, before, action, after, player, others=False) != ""


def test_undo_and_the_replay(tmp_path: Path) -> None:
    first, second = tmp_path / "first.replay", tmp_path / "second.replay"
    text = toy("--save", str(first), text="1\nu\nu\n2\n1\n1\nu\nq\n")
    assert "taken back: take a card of rank" in text and "there is nothing to take back" in text
    toy("--save", str(second), text="2\n1\n1\nundo\nq\n")
    assert first.read_text() == second.read_text()
    assert len(Replay.load(first).actions) >= 2  # the part of a play that was undone is not in it


def test_undo_goes_further_back() -> None:
    arguments = (DUEL, "--artists", "tagger,calligrapher", "--seed", "4", "--against", "random")
    text = played(*arguments, text="tagger\n2\n1\nu\nu\nu\nu\nq\n")
    found = re.findall(r"^taken back: (.*)|^(there is nothing)", text, re.MULTILINE)
    assert [words or nothing for words, nothing in found[1:]] == (
        ["Tagger [2] Tag", "play Tagger (Intention)", "there is nothing"]
    )


def test_undo_is_refused_with_a_reason() -> None:
    text = played(SEQUENCE, "--seed", "3", "--against", "random", text="4\n1\nu\nq\n", columns=200)
    assert "not taken back: you could not know this when you decided: player_1 " in text
    text = played(DUEL, "--artists", "tagger,calligrapher", "--seed", "1", "--against", "random", text="1\n1\nu\nq\n")
    assert "not taken back: a card has been drawn since" in text


# -- what can be typed --------------------------------------------------------------------------------------------------------------


def test_names() -> None:
    texts = [
        "pass",
        "play Dancer (Intention)",
        "play Dancing Fish (Intention)",
        "zone c3: player_1's Dancer",
        "zone c1",
    ]
    assert named("pass", texts) == [0] and named("pa", texts) == [0]
    assert named("dancer", texts) == [1, 3] and named("play dancer", texts) == [1]
    assert named("danci", texts) == [2] and named("c3", texts) == [3] and named("c1", texts) == [4]
    assert named("intention", texts) == [1, 2] and named("p", texts) == [0, 1, 2]
    assert named("", texts) == [] and named("ancer", texts) == [] and named("x", []) == []


def test_play_by_name() -> None:
    listed = toy(text="q\n")
    ranks = re.findall(r"^ +(\d+)  take a card of (rank \d)$", listed, re.MULTILINE)
    number, rank = ranks[-1]
    assert toy(text=f"{rank.upper()}\nq\n").replace(f"> {rank}", "> ") == toy(text=f"{number}\nq\n").replace(
        f"> {number}", "> "
    )
    assert f"'take' may be 1 take a card of {ranks[0][1]}, 2 take" in toy(text="take\nq\n")


@pytest.mark.parametrize(
    "answer", ["0", "-1", "1.5", "99", "9" * 30, "²", "no such thing", "x" * 500, "\x00\x1b[2J", ""]
)
def test_a_bad_answer_gets_a_line(answer: str) -> None:
    text = toy(text=f"{answer}\nq\n")
    said = text[text.rindex("\n> ", 0, text.rindex("\n> q")) :].split("\n")[2:-2]
    assert "a number from 1 to" in " ".join(said) and "or ? for help" in " ".join(said)
    assert len(" ".join(said)) < 120 and "\x1b" not in text


def test_actions_stand_by_kind_and_in_columns() -> None:
    text = played(SEQUENCE, "--seed", "3", "--against", "random", text="q\n")
    assert text.index("   1  pass") < text.index("\nattacks:") < text.index("attack with") < text.index("\nresponses:")
    assert "kinds" not in text


# -- hints, cards -------------------------------------------------------------------------------------------------------------------


def test_a_hint_names_an_action_of_the_list() -> None:
    text = toy("--hints", "greedy", text="h\nhint\nq\n")
    number, words = re.findall(r"^hint of greedy: (\d+)  (.*)$", text, re.MULTILINE)[0]
    assert re.search(rf"^ +{number}  {words}$", text, re.MULTILINE)
    assert call("toy-v0", "--hints", "nobody").exit_code == 2


def test_one_position_has_one_hint() -> None:
    """Past bug: every request gave another hint, because the adviser went on with its random numbers."""
    text = toy("--hints", "random", text="h\n" * 12 + "q\n")
    hints = re.findall(r"^hint of random: .*$", text, re.MULTILINE)
    assert len(hints) == 12 and len(set(hints)) == 1


def test_a_learned_value_tells_how_probably_actions_win(tmp_path: Path) -> None:
    save_model(tmp_path / "model", *value(game_of("toy")))
    text = toy("--hints", str(tmp_path / "model"), text="h\nq\n")
    hint = r"^hint of model: (\d+)  (.*); it wins about (\d+) % if nobody answers \(next (\d+): (\d+) %"
    number, words, chance, other, less = re.findall(hint, text, re.MULTILINE)[0]
    assert re.search(rf"^ +{number}  {words}$", text, re.MULTILINE)
    assert 100 >= int(chance) >= int(less) >= 0 and number != other


def test_hints_are_of_the_champion_where_there_is_one() -> None:
    text = played(SEQUENCE, "--seed", "3", "--against", "random", text="h\nq\n")
    assert "asking champion ..." in text and re.search(r"^hint of champion: \d+  ", text, re.MULTILINE)


def test_hints_do_not_change_the_game(tmp_path: Path) -> None:
    files = [tmp_path / name for name in ("with.replay", "without.replay")]
    toy("--hints", "random", "--save", str(files[0]), text="h\n1\nh\n1\n" * 100)
    toy("--save", str(files[1]), text="1\n1\n" * 100)
    assert files[0].read_text() == files[1].read_text()


def test_cards_in_hand_and_by_name() -> None:
    text = played(DUEL, "--seed", "5", "--against", "random", text="c\nc scale\nc nothing\nq\n")
    assert "Flowing Ink x2, yours\n    Reaction. Cost: Choose a direction. Effect: Give Ink" in text
    assert "Calligrapher, yours" in text and "\nScale, of player_1\n" in text
    assert "no card is called 'nothing'; there are Flowing Ink, " in text
    hand = text[text.index("> c\n") : text.index("> c scale")]
    assert "Summoning Ink" not in hand and "player_1" not in hand  # only the cards in hand
    text = played(SEQUENCE, "--seed", "3", "--against", "random", text="c divert\nq\n")
    assert "    Attack: Speed 30, 3 magical, immediate: Shift [range 1].\n    Response: magical block." in text
    assert text.count("Divert, ") == text.count("Divert, yours") + 1  # a card that both players have is shown once
    assert "has no card texts" in toy(text="c\nq\n")
    text = played("react_fast-v0", "--turn-based", "--seed", "3", "--against", "random", text="c\nq\n")
    assert "you hold no card with a text; c NAME shows one of the game's: Jewelry #2, " in text


def test_options_are_explained() -> None:
    """Numbered options come with the text of the card."""
    arguments = (DUEL, "--artists", "tagger,calligrapher", "--seed", "4", "--against", "random")
    text = played(*arguments, text="tagger\n2\n1\n1\npass\npass\nq\n", columns=400)
    asked = text[text.index("player_0 to move: choose one; so far: zone ") :]
    lines = asked.split("\n")
    assert lines[1:3] == ["Tagger [2]: Choose one:", "(1) place a Burner Mural tile in the chosen zone;"]
    assert lines[3].startswith("(2) ") and lines[4].startswith("(3) ")
    assert lines[5].startswith("In any case, move the Tagger") and lines[6] == "   1  option 1"


# -- what is drawn ------------------------------------------------------------------------------------------------------------------


def drawn(state: Any, width: int, player: int | None) -> str:
    console = Console(file=io.StringIO(), width=width, color_system=None)
    terminal.draw(console, game_of(DUEL), state, player, 0)
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


@pytest.mark.parametrize("width", [80, 100, 160])
def test_a_duel_is_drawn(width: int) -> None:
    game = game_of(DUEL)
    chains = 0
    for before, _, _, player in islice(own_steps(game, 2), 0, None, 3):  # drawing takes longer than playing
        text = drawn(before, width, player)
        assert max(map(len, text.splitlines())) <= width
        assert "Calligrapher (you): damage" in text and f"player_{player} to move: " in text
        links = re.findall(r"^  (\d)  player_", text, re.MULTILINE)
        assert links == sorted(links, reverse=True)  # the last card resolves first
        chains += len(links) > 1
        assert "hand and deck" not in text  # players need no list of their own hand and deck
    assert chains > 0 and drawn(game.new(seed=0), width, None).count("hand and deck") == 2


def test_players_of_react_fast_are_told_apart_in_a_narrow_terminal() -> None:
    """Past bug: in 40 columns every player was called "playe..."."""
    game, file = game_of("react_fast-v0"), io.StringIO()
    describe(game.id).part("terminal").draw(
        Console(file=file, width=40, color_system=None), game, game.new(seed=4), 0, 0
    )
    assert re.findall(r"^ *>? *(you|player_\d) +\d", file.getvalue(), re.MULTILINE) == [
        "you",
        "player_1",
        "player_2",
        "player_3",
    ]


def test_only_what_the_player_sees_is_drawn() -> None:
    game = game_of(DUEL)
    for before, _, _, player in islice(own_steps(game, 1), 0, None, 3):
        assert drawn(before, 80, player) == drawn(game.determinize(before, player, 7), 80, player)


# -- how it ends --------------------------------------------------------------------------------------------------------------------


def test_the_end_tells_result_and_length(tmp_path: Path) -> None:
    file = tmp_path / "mine.replay"
    text = toy("--save", str(file), text="1\n" * 200)
    recorded = Replay.load(file)
    assert f"{len(recorded.actions)} decisions, " in text and f"(react-env replay {file})" in text.replace("\n", "")
    word = {1: "You win.", -1: "You lose.", 0: "Nobody wins."}[int(recorded.rewards[0])]
    assert word in text
    text = toy("--set", "max_turns=2", text="1\n" * 20)
    assert "Nobody wins. The game was stopped by its limit.\n4 decisions, 4 of them yours." in text


@pytest.fixture
def usual_signals() -> Iterator[None]:
    """SIGTERM and SIGHUP with their default handlers, as in a terminal, even if the tests run without one."""
    before = {number: signal.signal(number, signal.SIG_DFL) for number in (signal.SIGTERM, signal.SIGHUP)}
    yield
    assert {*map(signal.getsignal, before)} == {signal.SIG_DFL}
    for number, handler in before.items():
        signal.signal(number, handler)


@pytest.mark.parametrize("number", [None, signal.SIGTERM, signal.SIGHUP])
def test_interrupted_games_are_saved(
    number: int | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, usual_signals: None
) -> None:
    """Past bug: the game was lost when the terminal was closed."""
    answers = iter(["1", "1"])

    def ask(prompt: str) -> str:
        if (answer := next(answers, None)) is not None:
            return answer
        if number is not None:
            assert signal.getsignal(number) != signal.SIG_DFL  # or this process would end
            signal.raise_signal(number)
        raise KeyboardInterrupt

    monkeypatch.setattr("builtins.input", ask)
    file = tmp_path / "mine.replay"
    assert "You leave the game." in toy("--save", str(file))
    assert Replay.load(file).end == "unfinished" and len(Replay.load(file).actions) >= 2


def test_where_the_game_cannot_be_saved(tmp_path: Path) -> None:
    kept = tmp_path / "kept.replay"
    kept.write_text("a game of yesterday")
    places = (
        (tmp_path, "this is a folder"),
        (tmp_path / "none" / "x.replay", "there is no folder"),
        (kept, "already exists"),
    )
    for place, words in places:
        result = call("toy-v0", "--save", str(place), text="q\n")
        assert result.exit_code == 2 and words in " ".join(result.stderr.replace("│", " ").split())
    assert kept.read_text() == "a game of yesterday"


class Cheat:
    """Choose an action that does not exist."""

    name = "cheat"

    def act(self, observations: Any, action_masks: Any, rng: Any) -> Any:
        return np.full(len(observations), 77)


def test_an_opponent_that_fails_forfeits(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(agents, "load", lambda *_, **__: Cheat())
    file = tmp_path / "mine.replay"
    text = toy("--save", str(file), text="h\n" + "1\n" * 9)
    assert "no hint from cheat. Its fault (illegal): chose 77" in text
    assert "You win: cheat forfeits. Its fault (illegal): chose 77, which is not legal" in text
    assert Replay.load(file).end == "unfinished"


def test_enter_never_slaps_and_always_holds() -> None:
    """Where an agent acts by reflex, a person who only presses Enter does nothing."""
    out = played("react_fast-v0", "--turn-based", "--seed", "3", text="\n" * 12)
    asked = [question for question in out.split("> ")[:-1] if "2  slap" in question]
    assert len(asked) >= 4 and "please choose" not in "".join(asked)
    assert "slaps" not in " ".join(line for line in out.splitlines() if line.strip().startswith("> "))
    game = react_env.load("react_fast-v0")
    nothing, reflex = game.heuristics.nothing, game.heuristics.pass_action
    slaps = 0
    for seed in range(20):
        state, rng = game.new(seed=seed), np.random.default_rng(seed)
        while not (game.terminated(state) or game.truncated(state)) and game.event_count(state) < 200:
            legal = game.legal_actions(state)
            texts = {game.action_text(state, int(a)): int(a) for a in legal}
            if "hold" in texts:
                assert nothing(state) == texts["hold"]
                slaps += reflex(state) == texts["slap"]
            game.step(state, int(rng.choice(legal)))
    assert slaps, "there was something to slap"


def test_help_tells_a_newcomer_how_one_wins() -> None:
    for game_id in set(GAMES) - {"toy-v0"}:
        assert 100 < len(describe(game_id).brief) < 500, game_id
    out = played("fight_sequence-v0", "--seed", "4", text="?\nq\n", columns=200)
    assert " ".join(describe("fight_sequence-v0").brief.split()) in " ".join(out.split())
    assert "the action of that number" in toy(text="?\nq\n"), "a game may have no such words"
