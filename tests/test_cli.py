"""The command line: what each command prints and writes, and how it answers mistakes."""

import errno
import json
import os
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

import react_env
from react_env import agents
from react_env.agents.models.model import Architecture, ModelInfo, save_model
from react_env.cli import app, common, usable_streams
from react_env.cli.play import play
from react_env.cli.replay import _walk
from react_env.cli.train import whole_bar
from react_env.errors import OptionError
from react_env.evaluation import benchmarks
from react_env.evaluation.matches.match import record_game
from react_env.files import write_all_aside, write_aside
from react_env.registry import GAMES, describe
from react_env.training.config import USUAL, TrainConfig
from react_env.training.selfplay.lock import check_free, empty, locked
from tests.agents.games import game_of

COMMANDS = ("demo", "play", "train", "arena", "exploit", "balance", "replay", "cards", "bench")


@pytest.fixture(autouse=True)
def toy_is_a_game(monkeypatch: pytest.MonkeyPatch) -> None:
    agents.load("greedy", game_of("toy"))  # so that no message about compilation appears later
    monkeypatch.setitem(GAMES, "toy-v0", "tests.toy:GAME")


def call(*arguments: str, text: str | None = None) -> Any:
    return CliRunner().invoke(app, list(arguments), input=text, env={"COLUMNS": "100"})


def ok(*arguments: str, text: str | None = None) -> str:
    result = call(*arguments, text=text)
    assert result.exit_code == 0, result.output + str(result.exception)
    return str(result.stdout)


def plain(text: str) -> str:
    return re.sub(r"\x1b\[[0-9;]*m", "", text)


@pytest.fixture
def model(tmp_path: Path) -> Path:
    """A folder with an untrained agent for the toy game."""
    game = game_of("toy")
    info = ModelInfo.of(game, Architecture((8,), (), ()))
    rng = np.random.default_rng(0)
    shapes = info.architecture.shapes(info.observation_size, info.action_count)
    save_model(tmp_path / "toyagent", {name: rng.normal(size=shape) for name, shape in shapes.items()}, info)
    return tmp_path / "toyagent"


@pytest.fixture
def recorded(tmp_path: Path) -> Path:
    game = game_of("toy")
    file = tmp_path / "game.replay"
    record_game(game, [agents.load("greedy", game), agents.load("random", game)], seed=1).save(file, game)
    return file


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_explains_itself(command: str) -> None:
    text = plain(ok(command, "--help"))
    assert "Usage:" in text
    assert max(len(line.rstrip()) for line in text.splitlines()) <= 100


def test_help_tells_of_arguments() -> None:
    """Past bug: with the lowest Typer allowed, the help said only `game_name  GAME`, and `No such option` showed a tuple."""
    text = plain(ok("train", "--help"))
    assert "[GAME]" in text and "fight_sequence-v0" in text
    assert "No such option: --minuts (" in plain(call("train", "--minuts", "3").stderr)


def test_the_list_of_commands() -> None:
    text = plain(ok("--help"))
    places = [re.search(rf"^│ {command} ", text, re.MULTILINE) for command in COMMANDS]
    assert all(places)
    assert [place.start() for place in places if place] == sorted(place.start() for place in places if place)
    assert call().exit_code == 2  # without a command: the same help


def test_version() -> None:
    assert ok("--version").strip() == f"react_env {react_env.__version__}"


def test_help_needs_no_heavy_library() -> None:
    program = (
        "import sys; from react_env.cli import app; app(['train', '--help'], standalone_mode=False);"
        "heavy = {'numba', 'torch', 'scipy', 'matplotlib', 'pettingzoo'} & set(sys.modules); assert not heavy, heavy"
    )
    subprocess.run([sys.executable, "-c", program], check=True, stdout=subprocess.DEVNULL)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("arena", "random"), "at least two agents"),
        (("arena", "random", "random"), "twice"),
        (("arena",), "at least two agents"),
        (("arena", "random", "--against", "random"), "at least two agents"),
        (("arena", "random", "--against", "all"), "name it with --file"),
        (("arena", "random", "--against", "o'neil.py:A"), "no closing quotation"),
        (("arena", "--against", "random greedy"), "name the agents that are to play"),
        (("arena", "--ladder", "mcts", "random"), "makes its own agents"),
        (("arena", "--ladder", "mine.py:Mine"), "put {} where the budget of your agent stands"),
        (("arena", "--ladder", "mine.py:Mine,depth=2"), "put {} where the budget of your agent stands"),
        (("arena", "--ladder", "mcts", "--html", "x.html"), "leave out --time, --html and --csv"),
        (("arena", "--ladder", "mcts", "--time", "5"), "leave out --time, --html and --csv"),
        (("arena", "random", "greedy", "--tables", "--time", "5"), "--tables goes with"),
        (("arena", "random", "greedy", "--tables", "--ray", "local"), "--tables goes with"),
        (("arena", "random", "greedy", "--plot", "x.png"), "--plot is for --ladder"),
        (("arena", "random", "greedy", "--patience", "3"), "--patience is for --ladder"),
        (("arena", "random", "greedy", "--file", "/nowhere/at/all/x.sqlite"), "there is no folder /nowhere/at/all"),
        (("arena", "--file", "/nowhere/at/all/x.sqlite"), "there is no such file"),
        (("arena", "random", "gredy"), "no agent is called 'gredy'"),
        (("arena", "random", "greedy", "--game", "chess"), "no game 'chess'"),
        (("arena", "random", "greedy", "--set", "max_turns=no"), "max_turns"),
        (("arena", "random", "greedy", "--set", "max_turns"), "NAME=VALUE"),
        (("play", "--seat", "5"), "players are numbered"),
        (("play", "--save", "/nowhere/at/all/x.replay"), "there is no folder"),
        (("replay", "/nowhere/at/all/x.replay"), "/nowhere/at/all/x.replay"),
        (("arena", "random", "greedy", "--set", f"max_turns={'[' * 100_000}"), "max_turns"),
        (("train", "-o", "envs=-3"), "option envs: "),
        (("train", "-o", "options=3"), "option options: should be a valid dictionary; found 3"),
        (("train", "-o", "options=3", "--set", "max_turns=3"), "option options: should be a valid dictionary; found 3"),
        (("train", "--algorithm", "residual", "--ray", "local"), "residual plays on one machine"),
        (("train", "--minutes", "0"), "needs an end: steps or minutes, more than 0"),
        (("train", "--artists", "x", "--set", "y"), "NAME=VALUE"),
        (("play", "chess", "--game", "toy-v0"), "two games: chess and --game toy-v0"),
        (
            ("play", "--game", "fight_sequence-v0", "--artists", "dancer,dj"),
            "unknown deck 'dancer'",
        ),
        (("bench", "--game", "arts_of_war-v0", "--decks", "x"), "artists: two names or paths are needed"),
        (("arena", "random", "greedy", "--game", "fight_sequence-v0", "--decks", "acad"), "unknown deck 'acad'"),
    ],
)
def test_mistakes_are_told_in_a_line(arguments: tuple[str, ...], message: str, tmp_path: Path) -> None:
    more = () if "--game" in arguments or arguments[0] == "replay" else ("--game", "toy-v0")
    runs = ("--runs", str(tmp_path)) if arguments[0] == "train" else ()
    result = call(*arguments, *more, *runs)
    assert result.exit_code == 2
    assert message in result.stderr and "Traceback" not in result.output
    assert len(result.stderr.strip().splitlines()) == 1
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("arguments", [("arena", "random", "greedy"), ("balance",), ("exploit", "random")])
def test_more_games_than_can_be_counted_are_refused(arguments: tuple[str, ...]) -> None:
    result = call(*arguments, "--games", str(10**20))
    assert result.exit_code == 2 and "allowed are 10,000,000 at most" in result.stderr


def test_an_unknown_option_is_a_usage_error() -> None:
    assert call("arena", "--gamez", "3").exit_code == 2


def test_arena(model: Path) -> None:
    found = json.loads(ok("arena", "random", "greedy", str(model), "-n", "20", "--game", "toy-v0", "--json"))
    assert found["complete"]
    assert [(match["a"], match["b"]) for match in found["matches"]] == [
        ("random", "greedy"),
        ("random", "toyagent"),
        ("greedy", "toyagent"),
    ]
    assert all(match["total"]["games"] == 20 for match in found["matches"])
    text = ok("arena", "random", "greedy", "-n", "20", "--game", "toy-v0")
    assert "random vs greedy" in text and "95 % interval" in text and "seat 1" in text


def test_arena_with_a_file(tmp_path: Path) -> None:
    file, page, tables = tmp_path / "results.sqlite", tmp_path / "page.html", tmp_path / "tables"
    toy = ("--game", "toy-v0", "-n", "20")
    ok("arena", "random", "greedy", *toy, "--file", str(file), "--set", "max_turns=8")
    # The game and its options come from the file, and only missing games are played.
    arguments = ("arena", "greedy:2", "--against", "all", "--file", str(file), "-n", "20")
    found = json.loads(ok(*arguments, "--json"))
    assert found["complete"] and found["made"]["game"] == "toy-v0" and found["made"]["games"] == 60
    assert {rating["agent"] for rating in found["ratings"]} == {"random", "greedy", "greedy:2"}
    shown = ok("arena", "--file", str(file), "--html", str(page), "--csv", str(tables))
    assert "standings" in shown and "greedy:2" in shown and f"written: {page}" in shown
    assert "greedy:2" in page.read_text() and (tables / "standings.csv").read_text().startswith("agent,")
    assert f"written: {file}" not in shown, "it was only read"
    assert f"written: {file}" in ok(*arguments)
    assert json.loads(ok("arena", "--file", str(file), "--json"))["matches"] == found["matches"]
    result = call("arena", "random", "greedy", *toy, "--file", str(file))
    assert result.exit_code == 2 and "other rules" in result.stderr
    result = call("arena", "random", "gredy", "--game", "toy-v0", "--file", str(tmp_path / "new.sqlite"))
    assert result.exit_code == 2 and not (tmp_path / "new.sqlite").exists()


def test_arena_says_where_it_plays_more_games_than_were_asked_for() -> None:
    result = call("arena", "random", "greedy", "--game", "toy-v0", "-n", "3")
    assert result.exit_code == 0 and "note: 4 games of each pair, not 3: as many from each of the 2 seats" in plain(
        result.stderr
    ).replace("\n", " ")


def test_arena_of_an_agent_that_fails(tmp_path: Path) -> None:
    own = tmp_path / "mine.py"
    own.write_text(
        "class Mine:\n"
        "    def act(self, observations, action_masks, rng):\n"
        "        if observations[0].sum() % 13 == 0:\n"
        "            raise ValueError('my agent has a bug')\n"
        "        return action_masks.argmax(axis=1)\n"
    )
    arguments = ("arena", f"{own}:Mine", "random", "-n", "100", "--game", "toy-v0")
    text = ok(*arguments)
    assert "my agent has a bug" in text and "mine.py" in text and "x error" in text
    found = json.loads(ok(*arguments, "--json"))
    assert found["complete"] and found["matches"][0]["total"]["games"] == 100
    (fault,) = found["faults"]
    assert fault["kind"] == "error" and 0 < fault["count"] < 100 and "Traceback" in fault["details"]
    own.write_text(
        own.read_text().replace("raise ValueError('my agent has a bug')", "return action_masks.argmin(axis=1)")
    )
    told = ok(*arguments)
    assert told.count("which is not legal") == 1, "past bug: a fault without a traceback was told twice"


def test_arena_that_is_interrupted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ctrl-C ends an arena with the results so far."""
    from react_env.evaluation.arena.run import Arena

    play = Arena.play

    def stopped(self: Arena, *arguments: Any, progress: Any, **more: Any) -> bool:
        def look(found: Any) -> None:
            if found.done >= 20:
                raise KeyboardInterrupt

        return play(self, *arguments, progress=look, **more)

    monkeypatch.setattr(Arena, "play", stopped)
    file = tmp_path / "results.sqlite"
    result = call("arena", "random", "greedy", "-n", "4000", "--game", "toy-v0", "--file", str(file), "--json")
    assert result.exit_code == 130
    assert result.stderr.endswith(f"interrupted: the same command continues with {file}\n")
    found = json.loads(result.stdout)
    assert found["complete"] is False and 20 <= found["made"]["games"] < 4000
    assert json.loads(ok("arena", "--file", str(file), "--json"))["matches"] == found["matches"]
    result = call("arena", "--ladder", "mcts", "-n", "40", "--game", "toy-v0", "--file", str(file))
    assert result.exit_code == 130
    assert result.stderr.endswith(f"interrupted: the same command continues with {file}\n")


@pytest.mark.parametrize("form", [(), ("--json",)])
def test_arena_prints_what_it_cannot_write(
    form: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Past bug: on a full disk the results were lost with the page."""

    def full(files: Any) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(next(iter(files))))

    monkeypatch.setattr("react_env.files.write_all_aside", full)
    page = tmp_path / "page.html"
    result = call("arena", "random", "greedy", "-n", "4", "--game", "toy-v0", "--html", str(page), *form)
    assert result.exit_code == 2 and result.stderr.endswith(f"react-env: {page}: No space left on device\n")
    assert json.loads(result.stdout)["ratings"] if form else "Standings" in result.stdout


def test_arena_with_little_time() -> None:
    found = json.loads(ok("arena", "random", "greedy", "-n", "20", "--time", "0", "--game", "toy-v0", "--json"))
    assert found == {"complete": False, "ratings": [], "matches": []}


def test_arena_ladder(tmp_path: Path) -> None:
    plot = tmp_path / "ladder.png"
    arguments = ("arena", "--ladder", "flat", "-n", "20", "--game", "toy-v0", "--file", str(tmp_path / "x.sqlite"))
    text = ok(*arguments, "--plot", str(plot))
    assert "budget" in text and re.search("doublings? pays?", text) and plot.read_bytes().startswith(b"\x89PNG")
    found = json.loads(ok(*arguments, "--json"))  # everything has been played already
    assert found["first"] == "flat:16" and found["rungs"][0]["spec"] == "flat:32"
    assert found["rungs"][0]["games"] == 20


def test_what_an_arena_says_while_it_runs() -> None:
    from react_env.cli.arena import _live_table, progress_line
    from react_env.evaluation.arena.run import Progress

    played, score = np.array([[0, 50], [50, 0]]), np.array([[0.0, 15.0], [35.0, 0.0]])
    state = Progress(("[red]", "b"), played, score, np.array([2, 0]), 1050, 5600, 50, 64, 20.0)
    assert progress_line(state) == "1,050 of 5,600 games, 50/s, 1:31 left"
    assert progress_line(state, 1.0).endswith("0:40 left")
    state.done, state.seconds = 51, 10.0
    assert progress_line(state) == "51 of 5,600 games, 0.1/s, 15:24:50 left"
    from rich.console import Console

    console = Console(width=80, record=True, file=open(os.devnull, "w"))
    console.print(_live_table(state, None))
    text = console.export_text()
    assert "51 of 5,600" in text and "Elo" in text
    rows = [line.split() for line in text.splitlines()[-3:] if line.strip()]
    # 35 : 15 is 147 Elo; the tie that each agent starts with takes a little off
    assert rows == [
        ["b", "1073", "±", "52", "70.0", "%", "50", "0"],
        ["[red]", "927", "±", "52", "30.0", "%", "50", "2"],
    ]
    state.rivals = 3  # 30 % alone against three is above average, so no score is shown: it would suggest the opposite
    console.print(_live_table(state, None))
    rows = [line.split() for line in console.export_text().splitlines()[-3:] if line.strip()]
    assert [(row[0], int(row[1])) for row in rows] == [("[red]", 1022), ("b", 978)] and "%" not in str(rows)
    nobody = np.zeros((17, 17), dtype=np.int64)
    many = Progress(tuple("abcdefghijklmnopq"), nobody, nobody.astype(float), nobody[0], 0, 9, 0)
    console.print(_live_table(many, None))
    assert "Elo" not in console.export_text()


def test_arena_of_two_models_of_one_name(model: Path, tmp_path: Path) -> None:
    (tmp_path / "more").mkdir()
    (tmp_path / "more" / "toyagent").symlink_to(model)
    paths = str(model), str(tmp_path / "more" / "toyagent") + ":sample"
    found = json.loads(ok("arena", *paths, "-n", "4", "--game", "toy-v0", "--json"))
    assert found["matches"][0]["a"] != found["matches"][0]["b"]


def test_a_model_of_other_rules_needs_permission(model: Path) -> None:
    arguments = ("arena", "random", str(model), "-n", "4", "--game", "toy-v0", "--set", "max_turns=8")
    result = call(*arguments)
    assert result.exit_code == 2 and "other rules" in result.stderr
    with pytest.warns(UserWarning, match="other rules"):
        ok(*arguments, "--any-rules")


def test_play_a_whole_game_from_a_pipe(tmp_path: Path) -> None:
    file = tmp_path / "mine.replay"
    text = ok("play", "--against", "random", "--seed", "3", "--game", "toy-v0", "--save", str(file), text="1\n" * 200)
    assert "You are player_0" in text
    assert re.search(r"You win|You lose|Nobody wins", text)
    assert "1  take a card of rank" in text
    assert '["you", "random"]' in file.read_text()


def test_play_help_nonsense_and_leaving(tmp_path: Path) -> None:
    file = tmp_path / "mine.replay"
    text = ok(
        "play", "--seat", "1", "--seed", "0", "--game", "toy-v0", "--save", str(file), text="?\nxyz\n99\nb\nl\n1\nq\n"
    )
    assert "this help" in text and "a number from 1 to" in text
    assert "unfinished" in file.read_text()
    assert "You win" not in text
    ok("play", "--game", "toy-v0", text="")  # an empty pipe ends the game, too


def test_play_shows_only_what_the_player_sees() -> None:
    text = ok("play", "--seed", "3", "--game", "toy-v0", text="q\n")
    assert "player_1: ?" in text


def test_replay_prints_all(recorded: Path) -> None:
    text = ok("replay", str(recorded))
    assert "player_0: greedy" in text and "the end" in text and "points" in text
    assert "> player_0: take a card" in text
    log = ok("replay", str(recorded), "--log")
    assert "turn 1 is over" in log and "piles" not in log
    assert "?" in ok("replay", str(recorded), "--view", "1")
    assert call("replay", str(recorded), "--view", "2").exit_code == 2
    page = recorded.with_suffix(".html")
    refused = call("replay", str(recorded), "--view", "1", "--html", str(page))
    assert refused.exit_code == 2 and "the page shows all hands" in refused.stderr and not page.exists()


def test_stepping_through_a_replay(
    recorded: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Past bug: any other input went one step forward, and there was no help."""
    replay = react_env.replay.Replay.load(recorded)
    game = replay.game()
    answers = iter(["?", "foo", "-3", "999", "", "2", "3", "b", "q"])
    asked: list[str] = []
    monkeypatch.setattr("builtins.input", lambda prompt: asked.append(prompt) or next(answers))
    _walk(game, list(replay.states(game)), None)
    assert [int(prompt[1 : prompt.index("/")]) for prompt in asked] == [1, 1, 1, 1, 1, 2, 2, 3, 2]
    told = " ".join(capsys.readouterr().out.split())
    assert told.count("Enter goes on, b goes back, a number from 1 to") == 4
    assert all(f"{answer} is none of these. Enter" in told for answer in ("foo", "-3", "999"))
    assert "? is none of these" not in told


def test_a_file_in_a_folder_that_is_not_there_is_refused(recorded: Path, tmp_path: Path) -> None:
    """Past bug: one command created the folder of a mistyped path, another refused the path."""
    place = str(tmp_path / "none" / "x.html")
    for words in (
        *(("replay", str(recorded), option) for option in ("--html", "--gif", "--mp4")),
        ("play", "toy-v0", "--save"),
        ("arena", "random", "greedy", "-n", "2", "--game", "toy-v0", "--html"),
        ("arena", "--ladder", "flat", "-n", "2", "--game", "toy-v0", "--plot"),
        *(("decks", "search", "--trials", "0", option) for option in ("--deck", "--file", "--markdown")),
        *(
            ("balance", "react_fast-v0", "--deals", "2", "--players", "0", option)
            for option in ("--file", "--markdown")
        ),
    ):
        result = call(*words, place)
        assert result.exit_code == 2 and f"{words[-1]} {place}: there is no folder" in result.stderr, words
    assert not (tmp_path / "none").exists()
    assert "this is a folder" in call("replay", str(recorded), "--html", str(tmp_path)).stderr


def test_a_disk_that_may_only_be_read_is_told_of_before_the_game(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Past bug: it was told after the game, which was lost. Also, the error named a page by the temporary name that it is written under."""
    file = tmp_path / "mine.replay"

    def read_only(path: Path, **_: Any) -> None:
        raise OSError(errno.EROFS, os.strerror(errno.EROFS), str(path))

    monkeypatch.setattr(Path, "unlink", read_only)
    (tmp_path / "folder").write_text("")
    with pytest.raises(OSError, match=f"'{tmp_path}/folder/page.html'"):
        write_aside(tmp_path / "folder" / "page.html", "")
    monkeypatch.setattr(os, "access", lambda place, how: place != tmp_path)
    result = call("play", "toy-v0", "--save", str(file), text="q\n")
    assert result.exit_code == 2
    assert f"--save {file}: nothing can be written in the folder {tmp_path}" in result.stderr


def test_a_device_or_a_link_is_not_replaced_by_a_file(tmp_path: Path) -> None:
    """Past bug: for root, `--html /dev/null` made /dev/null a regular file; a link became one for everybody."""
    pipe, link, file = tmp_path / "pipe", tmp_path / "link", tmp_path / "file"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    file.write_text("before")
    link.symlink_to(file)
    write_all_aside({pipe: "one", link: "two", tmp_path / "new": "three"})
    assert os.read(reader, 99) == b"one" and pipe.is_fifo()
    os.close(reader)
    assert link.is_symlink() and file.read_text() == "two" and (tmp_path / "new").read_text() == "three"
    with pytest.raises(IsADirectoryError, match=str(tmp_path)):
        write_aside(tmp_path, "")
    assert sorted(one.name for one in tmp_path.iterdir()) == ["file", "link", "new", "pipe"]


def test_a_clocked_game_is_not_loaded_to_refuse_its_file(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Past bug: the game was compiled first, and only then refused because it cannot be saved."""
    monkeypatch.setattr(sys.stdin, "isatty", lambda: True)
    monkeypatch.delattr("react_env.cli.play.load_game")
    with pytest.raises(OptionError, match="--save: a game against the clock"):
        play("react_fast-v0", save=tmp_path / "x.replay")


def test_a_replay_of_three_tells_rewards_with_their_fractions(tmp_path: Path) -> None:
    """Past bug: a reward of a loser among three players was shown as -0."""
    game = react_env.load("react_fast-v0", players=3)
    record_game(game, [agents.load("random", game)] * 3, seed=1).save(tmp_path / "three.replay")
    told = ok("replay", str(tmp_path / "three.replay"), "--log")
    assert told.count("-0.5") == 2 and "+1" in told.splitlines()[-1]


def test_replay_as_json(recorded: Path) -> None:
    found = json.loads(ok("replay", str(recorded), "--json"))
    assert found["players"] == ["greedy", "random"] and found["steps"][-1]["action"] is None
    assert found["steps"][0]["action_text"].startswith("take a card")


def test_a_damaged_replay(recorded: Path) -> None:
    recorded.write_text(recorded.read_text()[:200])
    result = call("replay", str(recorded))
    assert result.exit_code == 2 and "cut off" in result.stderr


def test_replay_into_a_closed_pipe(recorded: Path) -> None:
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.training.toy_cli", "replay", str(recorded)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=Path(__file__).parents[1],
    )
    assert process.stdout is not None and process.stderr is not None
    process.stdout.readline()
    process.stdout.close()
    process.wait()
    assert "Traceback" not in process.stderr.read()


def run_alone(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """The command in a process of its own."""
    return subprocess.run(
        [sys.executable, "-m", "tests.training.toy_cli", *arguments],
        env={**os.environ, **environment},
        cwd=Path(__file__).parents[1],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
    )


def test_names_that_the_encoding_of_the_output_lacks(tmp_path: Path) -> None:
    """Past bug: the command did all its work and then ended in a traceback."""
    game, file = game_of("toy"), tmp_path / "game.replay"
    record_game(game, ["greedy", "random"], seed=1, names=["Böt", "other"]).save(file, game)
    shown = run_alone("replay", str(file), "--log", PYTHONIOENCODING="ascii")
    assert shown.returncode == 0 and "player_0: B\\xf6t\n" in shown.stdout, shown.stderr
    read = run_alone("replay", str(file), "--json", PYTHONIOENCODING="ascii")
    assert json.loads(read.stdout)["players"] == ["Böt", "other"]


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no device that is always full")
@pytest.mark.parametrize("arguments", [["replay", "FILE", "--json"], ["--help"], ["--version"]])
@pytest.mark.parametrize("buffered", [True, False])
def test_a_full_disk_below_the_output_is_told_in_a_line(recorded: Path, arguments: list[str], buffered: bool) -> None:
    """Past bug: where Python keeps output back, as it usually does, it ended with a code and words of its own."""
    known = {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}
    with open("/dev/full", "w") as full:
        process = subprocess.run(
            [
                sys.executable,
                "-m",
                "tests.training.toy_cli",
                *(str(recorded) if word == "FILE" else word for word in arguments),
            ],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            cwd=Path(__file__).parents[1],
            env=known if buffered else {**known, "PYTHONUNBUFFERED": "1"},
        )
    assert process.returncode == 2
    assert process.stderr.splitlines()[-1] == "react-env: standard output: No space left on device"


def test_streams_that_are_closed_lead_nowhere(monkeypatch: pytest.MonkeyPatch) -> None:
    """Past bug: without standard input, there was a traceback."""
    for name in ("stdin", "stdout", "stderr"):
        monkeypatch.setattr(sys, name, None)
    usable_streams()
    with sys.stdin, sys.stdout, sys.stderr:
        assert (sys.stdin.read(), sys.stdout.write("a"), sys.stderr.write("a")) == ("", 1, 1)


DECKS = Path(__file__).parent / "fight_sequence" / "decks"
SEQUENCE = "fight_sequence-v0"


@pytest.fixture(scope="module")
def fight(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A recorded game of Fight Sequence."""
    game = react_env.load(SEQUENCE)
    file = tmp_path_factory.mktemp("fight") / "game.replay"
    record_game(game, [agents.load("random", game)] * 2, seed=1, names=["one", "two"]).save(file, game)
    return file


def widest(text: str) -> int:
    return max(len(line.rstrip()) for line in plain(text).splitlines())


@pytest.mark.parametrize("width", ["80", "120"])
def test_play_draws_the_sequence(width: str) -> None:
    result = CliRunner().invoke(
        app,
        ["play", SEQUENCE, "--against", "random", "--seed", "3"],
        input="4\n2\n1\n2\n?\nb\n3\n1\n1\n2\nq\n",
        env={"COLUMNS": width},
    )
    text = plain(result.stdout)
    assert result.exit_code == 0, result.output
    assert "You are player_0 against random" in text and "player_0 (you): hand 5" in text
    assert "│ 1 player_1" in text and "│ Heavy Kick" in text and "│ Speed 10" in text and "│ 6 physical" in text
    assert "│ 1 you" in text and "│ response:" in text and "│ Return an" in text and "│ RESOLVES" in text
    assert "attack with Divert (Speed 30, 3 magical, immediate: Shift [range 1])" in text
    assert "shift Heavy Kick in slot 1 to the right" in text  # the sequence is drawn for this choice, too
    assert text[text.index("> 4\n") :].index("│ Feint") < text[text.index("> 4\n") :].index("shift Heavy Kick")
    assert widest(text) <= int(width)


def test_play_a_whole_fight_with_other_decks(tmp_path: Path) -> None:
    file = tmp_path / "mine.replay"
    decks = f"{DECKS / 'short.yaml'},{DECKS / 'short.yaml'}"
    text = ok(
        *("play", SEQUENCE, "--against", "random", "--seed", "3", "--decks", decks, "--set", "deck_size=12"),
        *("--save", str(file)),
        text="1\n" * 200,
    )
    assert re.search(r"You win|You lose|Nobody wins", text) and "deck from the top" in text
    assert "short.yaml" in ok("replay", str(file), "--log")


def test_replay_of_a_fight(fight: Path) -> None:
    text = plain(ok("replay", str(fight)))
    assert text.startswith("fight_sequence-v0, seed 1\nplayer_0: one\n") and "│ 1 player_" in text
    assert widest(text) <= 100
    seen = plain(ok("replay", str(fight), "--view", "0"))
    assert "deck from the top" in text and "deck from the top" not in seen and "player_1: chooses" in seen
    assert "player_1: hand 5:" in text and "player_1: hand 5:" not in seen
    assert "Sequence 2: " in ok("replay", str(fight), "--log")
    assert json.loads(ok("replay", str(fight), "--json"))["options"] == {}


def test_arena_of_fight_sequence() -> None:
    text = ok("arena", "random", "greedy", "-n", "4", "--game", SEQUENCE)
    assert "random vs greedy" in text and "stopped by the game's limit" in text
    other = f"academy_default,{DECKS / 'every_effect.yaml'}"
    text = ok("arena", "random", "greedy", "-n", "4", "--game", SEQUENCE, "--decks", other)
    assert "seat 0, academy_default" in text and "seat 1, every_effect" in text


@pytest.mark.parametrize("agent", ["gredy", "nobody.py:Mine", "runs/none", "none.safetensors:sample"])
def test_the_page_of_an_agent_that_there_is_not_is_refused(agent: str) -> None:
    """Past bug: the page was started without the agent."""
    pytest.importorskip("uvicorn")
    result = call("web", "--no-browser", "--port", "0", "--agent", "greedy", "--agent", agent)
    assert result.exit_code == 2 and f"no agent is called '{agent}'" in " ".join(result.stderr.split())


def test_the_page_of_what_is_not_an_agent_is_refused(tmp_path: Path) -> None:
    """Past bug: any folder and file was offered as an agent."""
    pytest.importorskip("uvicorn")
    (tmp_path / "mine.py").write_text("class Mine: ...")
    (tmp_path / "notes.txt").write_text("Mine is not a model.")
    for name, told in (
        ("", "model.json: there is no such file"),
        ("mine.py", "which class"),
        ("notes.txt", "no agent"),
    ):
        result = call("web", "--no-browser", "--port", "0", "--agent", str(tmp_path / name))
        assert result.exit_code == 2 and told in " ".join(result.stderr.split()), name


def test_commands_to_try_are_quoted(tmp_path: Path) -> None:
    file = tmp_path / "my games" / "one.replay"
    file.parent.mkdir()
    text = ok("play", "--against", "random", "--game", "toy-v0", "--save", str(file), text="q\n")
    assert f"(react-env replay '{file}')" in text


def test_what_a_run_says_to_try_names_the_game() -> None:
    from react_env.registry import option_words

    assert option_words("arts_of_war-v0", {"artists": ["a", "b"]}) == ["--artists", "a,b"]
    assert option_words(SEQUENCE, {"decks": "my deck.yaml", "max_sequences": 3, "first_player": "random"}) == (
        ["--game", SEQUENCE, "--decks", "'my deck.yaml'", "--set", "max_sequences=3", "--set", "first_player=random"]
    )


def test_a_log_tells_how_far_a_command_is(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """If standard error is not a terminal, a line from time to time replaces the bar."""
    monkeypatch.setattr(common, "LINE_SECONDS", 0.01)
    told = ""
    with whole_bar() as show, common.counter("games played") as update:
        end = time.monotonic() + 30
        while "half" not in told or "games played" not in told:
            assert time.monotonic() < end, told
            show("learning", 0.5, "half of it", 90.0)
            update(30, 60)
            time.sleep(0.005)
            told += capsys.readouterr().err
    assert "learning  50 % of the whole half of it  1:30 left" in told
    assert re.search("games played 30/60 games", told) and "━" not in told
    time.sleep(0.05)
    assert capsys.readouterr().err.count("\n") <= 2, "it ends with the work"
    monkeypatch.undo()
    with whole_bar() as show:
        show("learning", 0.5, "", 1.0)
    assert capsys.readouterr().err == "", "nothing is told of what is soon over"


def test_cards_of_decks(tmp_path: Path) -> None:
    assert "academy_default" in ok("cards") and "academy_default" not in ok("cards", "--game", "arts_of_war-v0")
    assert "dancer" not in ok("cards", "--game", SEQUENCE)
    assert json.loads(ok("cards", "--game", SEQUENCE, "--json")) == {"decks": ["academy_default"]}
    text = ok("cards", "academy_default")
    assert text == ok("cards", "show", "academy_default", "--game", SEQUENCE)
    rows = {line.split("  ")[0].strip(): line for line in text.splitlines()}
    assert re.search(r"2\* +60\? +1 +physical\? +Willpower\*", rows["Jab"])
    assert re.search(r"2\* +30' +3' +magical\? +magical block\? +immediate\?: Shift \[range 1\]", rows["Divert"])
    narrow = CliRunner().invoke(app, ["cards", "academy_default"], env={"COLUMNS": "80"}).stdout
    assert narrow.split().count("Power") == 3, "cut off"  # in the header, and in two effects
    assert "Heavy Kick*" in rows and "*: our own" in text
    assert json.loads(ok("cards", "academy_default", "--json"))["cards"][0]["name"] == "Jab"
    short = ok("cards", str(DECKS / "short.yaml"))
    assert "12 cards" in short
    result = call("cards", "academy_defalt")
    assert "no card file is called 'academy_defalt'" in result.stderr
    assert "Sets and decks of Reality TCG: reality_default, " in result.stderr
    assert result.exit_code == 2 and "did you mean 'academy_default'?" in result.stderr.replace("\n", " ")
    assert call("cards", "--game", "toy-v0").exit_code == 2


def test_cards_of_a_folder_of_decks(tmp_path: Path) -> None:
    """Past bug: with --game the folder was ignored and the installed deck printed; without it, the decks were read as artists."""
    from react_env.games.reality_tcg.cards import DECKS as INSTALLED

    text = (INSTALLED / "tempo.yaml").read_text(encoding="utf-8")
    (tmp_path / "tempo.yaml").write_text(text.replace("name: Tempo", "name: Slow"), encoding="utf-8")
    for more in ([], ["--game", "reality_tcg-v0"]):
        assert "Slow" in ok("cards", "tempo", "--edition", str(tmp_path), *more)
        refused = call("cards", "wall", "--edition", str(tmp_path), *more)
        assert refused.exit_code == 2 and "wall.yaml" in refused.stderr.replace("\n", "")
        # Past bug: listing the decks ended in a message about artists.
        listed = ok("cards", "--edition", str(tmp_path), *more)
        assert listed.splitlines()[:2] == [f"Sets and decks of Reality TCG in {tmp_path}:", "tempo"]
        assert json.loads(ok("cards", "--edition", str(tmp_path), "--json", *more)) == {"deck_lists": ["tempo"]}
    # Past bug: a file without keys was taken for an artist, and the whole folder with it.
    (tmp_path / "rush.yaml").write_text("# nothing yet\n", encoding="utf-8")
    (tmp_path / "mine.yaml").write_text("", encoding="utf-8")
    listed = ok("cards", "--edition", str(tmp_path))
    assert listed.splitlines()[:3] == [f"Sets and decks of Reality TCG in {tmp_path}:", "rush", "tempo"]
    told = call("cards", "check", str(tmp_path / "rush.yaml"))
    assert told.exit_code == 1 and "nothing in it; a deck is a mapping" in told.stdout


def test_cards_prints_no_part_of_a_list_with_a_broken_file(tmp_path: Path) -> None:
    """Past bug: the artists before the first broken file were printed as if they were all, then its error."""
    from react_env.games.arts_of_war.rules import edition_folder

    shutil.copytree(edition_folder("small"), tmp_path, dirs_exist_ok=True)
    (tmp_path / "juggler.yaml").write_text("format: 2\n", encoding="utf-8")
    told = call("cards", "--edition", str(tmp_path))
    assert told.exit_code == 2 and told.stdout == "" and "juggler.yaml: line 1, field 'format'" in told.stderr


@pytest.mark.parametrize("name", ["a" * 300, "a" * 300 + ".yaml", "~nobody-here/x.yaml"])
def test_cards_of_names_that_no_file_can_have(name: str) -> None:
    """Past bug: a name too long for a file, or of an unknown home folder, ended in an error of the system."""
    for words in (
        ["show", name],
        ["show", name, "--game", "reality_tcg-v0"],
        ["show", "rush", "--edition", name],
        ["--edition", name],
        ["check", name],
    ):
        told = call("cards", *words)
        assert isinstance(told.exception, SystemExit) and told.exit_code in (1, 2), words
        assert "Errno" not in told.output, words


def test_cards_check_of_decks(tmp_path: Path) -> None:
    good = (DECKS / "every_effect.yaml").read_text(encoding="utf-8")
    bad = tmp_path / "bad.yaml"
    bad.write_text(good.replace("speed: 20", "speed: 25", 1).replace("response:", "respose:", 1), encoding="utf-8")
    result = call("cards", "check", str(bad), "academy_default", str(DECKS))
    assert result.exit_code == 1
    text = result.stdout.replace(str(tmp_path), "")
    assert "/bad.yaml: " in text and "mistakes" in text and "should be 10, 20, 30, 40, 50 or 60; found 25" in text
    assert "did you mean 'response'" in text
    assert "academy_default.yaml: ok\n" in text and "short.yaml: ok, 1 warning\n" in text and "deck_size=12" in text
    found = json.loads(ok("cards", "check", str(DECKS / "short.yaml"), "--json"))
    assert found["files"][0]["deck"] and "artist" not in found["files"][0]
    # A file that is not valid YAML is recognized as a deck, too; one without cards is a deck only with --game.
    bad.write_text(good + "\n\t- x\n", encoding="utf-8")
    assert "not valid YAML" in call("cards", "check", str(bad)).stdout
    bad.write_text("format: 1\n", encoding="utf-8")
    assert "field 'cards' is missing" in call("cards", "check", "--game", SEQUENCE, str(bad)).stdout
    (profile := tmp_path / "profile.yaml").write_text("mu: 300\nmiss: 0.1\n")
    told = call("cards", "check", str(profile)).stdout
    assert (
        "holds no artist or deck" in told and "no such file has a key 'miss' or 'mu'" in told and "concept" not in told
    )
    assert "field 'abilities' is missing" in call("cards", "check", str(bad)).stdout
    assert "no such file" in call("cards", "check", "--game", SEQUENCE, str(tmp_path / "x.yaml")).stdout
    # Without `set`, all its keys are also keys of Fight Sequence's decks; the values under them decide.
    file = describe("reality_tcg-v0").part("card_files").file("control")
    bad.write_text(file.read_text(encoding="utf-8").replace("set: reality_default\n", ""), encoding="utf-8")
    assert "1 mistake\n  line 2: field 'set' is missing" in call("cards", "check", str(bad)).stdout


def test_cards_schema_of_decks() -> None:
    """The schema fits the files of the tests; to check that little, `jsonschema` is not needed."""
    schema = json.loads(ok("cards", "schema", "--game", SEQUENCE))
    assert schema["title"] == "Deck" and set(schema["properties"]) == {"format", "id", "name", "version", "cards"}
    card = schema["$defs"]["Card"]
    assert "timing" in card["properties"]["provenance"]["propertyNames"]["enum"]
    assert card["properties"]["speed"]["enum"] == [10, 20, 30, 40, 50, 60]
    assert ok("cards", "--game", SEQUENCE, "schema") == ok("cards", "schema", "--game", SEQUENCE)


def test_goals_by_game() -> None:
    from react_env.evaluation.benchmarks import COMPILATION, goal

    assert goal(SEQUENCE, "random play, 1 thread") == 2e6 and goal(SEQUENCE, "record of a state") == 800
    assert goal(SEQUENCE, "2 threads to 1") == 1.7 and goal(SEQUENCE, COMPILATION) == 40
    assert goal("arts_of_war-v0", "random play, 1 thread") == 1e6 and goal("toy-v0", "random play, 1 thread") is None
    assert react_env.load(SEQUENCE).state_dtype.itemsize <= 800


def test_cards() -> None:
    assert {"calligrapher", "dancer"} <= {line.split()[0] for line in ok("cards").splitlines() if line.strip()}
    text = ok("cards", "dancer")
    assert "Pivoting Step" in text and "designed" in text
    assert json.loads(ok("cards", "dancer", "--json"))["name"] == "Dancer"
    assert json.loads(ok("cards", "--json"))["artists"]
    result = call("cards", "nobody")
    assert result.exit_code == 2 and "nobody" in result.stderr
    assert ok("cards", "show", "dancer") == text
    assert call("cards", "show").exit_code == 2


@pytest.mark.parametrize("command", ["show", "check", "schema"])
def test_commands_of_cards_explain_themselves(command: str) -> None:
    text = plain(ok("cards", command, "--help"))
    assert f" cards {command} " in text
    assert max(len(line.rstrip()) for line in text.splitlines()) <= 100


def test_cards_check_and_schema(tmp_path: Path) -> None:
    """For the details, see tests/arts_of_war/test_editions.py."""
    assert "dancer.yaml: ok\n" in ok("cards", "check", "standard")
    file = tmp_path / "mine.yaml"
    file.write_text("format: 2\n")
    result = call("cards", "check", str(file))
    assert result.exit_code == 1
    assert f"{file}: 5 mistakes" in result.stdout and "line 1, field 'format': should be 1; found 2" in result.stdout
    assert json.loads(ok("cards", "schema"))["title"] == "Artist"


@pytest.mark.long
def test_bench_with_the_peers() -> None:
    found = json.loads(ok("bench", "--quick", "--json", "--game", "toy-v0", "--peers"))
    figures = {figure["name"]: figure for figure in found["figures"]}
    assert figures["random play, 1 thread"]["value"] > 0
    assert figures["record of a state"]["value"] == game_of("toy").state_dtype.itemsize
    for figure in figures.values():
        assert figure["skipped"] or len(figure["values"]) >= 1


def test_bench_names_the_extra_that_brings_what_is_not_there(monkeypatch: pytest.MonkeyPatch) -> None:
    """Past bug: stable-baselines3 was also said to come with the extra 'peers'."""
    names = ("SelfPlayVecEnv, 1 thread", "RLCard gin-rummy")
    figures = [benchmarks.Figure(name, "decisions/s", skipped="skipped: not installed") for name in names]
    monkeypatch.setattr(benchmarks, "run", lambda *_, **__: figures)
    text = ok("bench", "--game", "toy-v0")
    assert "not installed: SelfPlayVecEnv, 1 thread (the extra 'train')" in text
    assert "not installed: RLCard gin-rummy (the extra 'peers')" in text


@pytest.mark.slow
def test_train(tmp_path: Path) -> None:
    arguments = ["train", "--game", "toy-v0", "--runs", str(tmp_path), "--name", "x", "--threads", "1"]
    for option in ("envs=32", "rollout=16", "minibatch=256", "evaluations=0", "trunk=8", "policy=", "value=4"):
        arguments += ["-o", option]
    text = ok(*arguments, "--steps", "1024")
    assert re.search(r"done: 1,\d{3} learner steps", text) and "model.safetensors" in text
    result = call(*arguments, "--steps", "1024")
    assert result.exit_code == 2 and "already holds a run" in result.stderr
    found = json.loads(ok(*arguments, "--steps", "1536", "--resume", "--json"))
    assert 1536 <= found["learner_steps"] < 2600
    kept = (tmp_path / "x" / "config.json").read_text()
    run = ("train", "--runs", str(tmp_path), "--name", "x", "--resume")
    assert json.loads(ok(*run, "--json"))["learner_steps"] == found["learner_steps"], "its own end, and its own game"
    assert (tmp_path / "x" / "config.json").read_text() == kept
    assert "nothing left to learn: " in call(*run, "--steps", "100").stderr
    (tmp_path / "x" / "config.json").write_text(kept)
    for words, said in (
        (("-o", "foo=1"), "unknown option 'foo'"),
        (("-o", "envs=abc"), "valid integer"),
        (("-o", "learning_rate=0.1"), "was started with learning_rate 0.0005, not 0.1"),
        (("--seed", "5"), "seed 0, not 5; only --steps and --minutes may change"),
        (("--set", "seats=2"), "option"),
        (("--name", "frist"), "holds no run to resume"),
    ):
        result = call(*run, *words)
        assert result.exit_code == 2 and said in result.stderr, result.stderr
    (tmp_path / "s.yaml").write_text("seed: 5")
    words = [*arguments[:4], str(tmp_path), "--steps", "512", "--config", str(tmp_path / "s.yaml"), *arguments[7:]]
    ok(*words, "--name", "s0", "--seed", "0")
    assert json.loads((tmp_path / "s0" / "config.json").read_text())["seed"] == 0
    words = [*words, "--name", "wrong", "--opponent"]
    with pytest.MonkeyPatch.context() as patch:  # before anything is compiled
        patch.setattr("react_env.training.algorithms.compiled.tasks", None)
        assert "no agent is called 'gredy'" in call(*words, "gredy=0.2").stderr
        assert "no agent is called 'nowhere'" in call(*words[:-1], "--start", "nowhere").stderr
    ok(*words, "greedy=0.2")
    for wrong, said in (
        ("trunk=many", "option trunk"),
        ("trunkk=8", "did you mean 'trunk'"),
        ("trunk", "expected NAME=VALUE"),
    ):
        result = call("train", "-o", wrong)
        assert result.exit_code == 2 and said in result.stderr, result.stderr


def test_a_run_that_cannot_begin_is_refused_before_anything_takes_its_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Past bug: the run was refused only after torch was loaded and the rules were compiled."""
    monkeypatch.setattr("react_env.cli.train.run", None)
    (tmp_path / "x").mkdir()
    (tmp_path / "x" / "config.json").write_text(json.dumps(TrainConfig(game="toy-v0", steps=1024).to_json()))
    arguments = ("train", "--runs", str(tmp_path), "--name", "x")
    result = call(*arguments, "--game", "toy-v0")
    assert result.exit_code == 2 and "already holds a run" in result.stderr
    result = call(*arguments, "--resume", "-o", "envs=32")  # which does not fit its minibatch
    told = " ".join(plain(result.stderr).replace("│", " ").split())
    assert result.exit_code == 2 and re.search(
        r"started with envs \d+, not 32; only --steps and --minutes may", told
    ), told
    options = {"edition": "cards/of/a/folder/with/a/long/name", "artists": ["lamplighter", "dancer"]}
    config = TrainConfig(steps=1024, options=options, opponents={"random": 0.02, "greedy": 0.4})
    (tmp_path / "x" / "config.json").write_text(json.dumps(config.to_json()))
    others = ("--set", f"edition={options['edition']}", "--artists", "dancer,dj", "--opponent", "greedy=0.1")
    result = call(*arguments, "--resume", *others)  # past bug: cut off before what differs
    told = " ".join(plain(result.stderr).replace("│", " ").split())
    assert result.exit_code == 2 and "options artists ['lamplighter', 'dancer'], not ['dancer', 'dj']" in told, told
    assert "opponents random 0.02, not nothing, opponents greedy 0.4, not 0.1" in told, told
    if os.name == "posix":
        with locked(tmp_path / "x"):
            result = call(*arguments, "--resume")
        assert result.exit_code == 2 and "another process" in " ".join(result.stderr.split()), result.stderr


def test_train_lists_its_options() -> None:
    text = ok("train", "--list-options")
    assert all(re.search(rf"^  {name} ", text, re.M) for name in TrainConfig.describe())


OTHERS = (
    "web",
    "decks",
    "decks search",
    "cards show",
    "cards check",
    "cards schema",
    *(f"balance {id}" for id in GAMES),
)


@pytest.mark.parametrize("command", ["", *COMMANDS, *OTHERS])
def test_help_fits_a_screen(command: str) -> None:
    """Past bug: at 80 columns six help pages were longer; that of balance also listed options for shell completion."""
    text = CliRunner().invoke(app, [*command.split(), "--help"], env={"COLUMNS": "80"}).stdout
    assert len(text.splitlines()) <= 40 and "completion" not in text


def test_what_is_usual_depends_on_the_algorithm(tmp_path: Path) -> None:
    """Options in the command override the file, and the file overrides the usual values of td."""
    file = tmp_path / "options.yaml"
    file.write_text("rollout: 4\nminibatch: 64\nreplay: 3\nimitation_games: 0\nevaluations: 0\n")
    arguments = ["train", "toy-v0", "--runs", str(tmp_path), "--threads", "1", "--steps", "1", "--config", str(file)]
    ok(*arguments, "--name", "a", "--algorithm", "td", "-o", "envs=32", "--opponent", "random=0.5")
    found = json.loads((tmp_path / "a" / "config.json").read_text())
    assert (found["envs"], found["rollout"], found["replay"]) == (32, 4, 3)
    assert found["opponents"] == {"random": 0.5}
    assert found["learning_rate"] == USUAL["td"]["learning_rate"] != TrainConfig(steps=1).learning_rate
    ok(*arguments, "--name", "b", "-o", "envs=1024")
    found = json.loads((tmp_path / "b" / "config.json").read_text())
    assert found["learning_rate"] == TrainConfig(steps=1).learning_rate and found["algorithm"] == "ppo"
    assert all(usual.keys() <= TrainConfig.model_fields.keys() for usual in USUAL.values())


@pytest.mark.slow
def test_demo(tmp_path: Path) -> None:
    out = tmp_path / "demo"
    write_aside(out / ".demo.json.4711.tmp", "{")  # past bug: what a kill during the first write leaves was refused
    arguments = ["demo", "--game", "toy-v0", "--out", str(out), "--minutes", "0.05", "--games", "100", "--threads", "1"]
    text = ok(*arguments)
    assert "agent vs greedy" in text and "a game it won" in text and f"react-env replay {out}/win.replay" in text
    for name in ("model.safetensors", "model.json", "learning_curve.png", "win.replay", "report.json"):
        assert (out / name).is_file()
    found = json.loads((out / "report.json").read_text())
    assert all(16 <= match["total"]["games"] <= 100 for match in found["matches"])  # as many as there was time for
    assert set(found["phases"]) == {"preparing", "warm start", "learning", "evaluations", "saving", "matches"}
    assert "learning 0:0" in text
    before = (out / "model.safetensors").stat().st_mtime_ns
    result = call(*arguments)
    assert "this demo is complete" in result.stderr and "agent vs greedy" in result.stdout
    assert (out / "model.safetensors").stat().st_mtime_ns == before
    (out / "report.json").unlink()  # as if it had been stopped during the matches
    assert "agent vs greedy" in ok(*arguments, "--threads", "3")  # as where more processors may be used now
    again = json.loads((out / "report.json").read_text())
    assert again["training"]["learner_steps"] == found["training"]["learner_steps"] and "matches" in again["phases"]
    before = (out / "model.safetensors").stat().st_mtime_ns
    replayed = json.loads(ok("replay", str(out / "win.replay"), "--json"))
    winner = max(range(2), key=lambda seat: replayed["rewards"][seat])
    assert replayed["players"][winner] == "agent"
    result = call(*arguments, "--fresh")
    assert result.exit_code == 0 and "starting over" in result.stderr
    assert (out / "model.safetensors").stat().st_mtime_ns != before


@pytest.mark.parametrize("fresh", [(), ("--fresh",)])
def test_demo_leaves_a_run_that_is_no_demo_alone(fresh: tuple[str, ...], tmp_path: Path) -> None:
    """Past bug: a run made by `react-env train` was taken for a demo with other options, and removed without asking."""
    (tmp_path / "config.json").write_text(json.dumps(TrainConfig(game="toy-v0", minutes=600).to_json()))
    (tmp_path / "model.safetensors").write_text("a week of learning")
    result = call("demo", "--game", "toy-v0", "--out", str(tmp_path), "--minutes", "0.05", *fresh)
    assert result.exit_code == 2 and "is not the folder of a demo" in " ".join(result.stderr.replace("│", " ").split())
    assert (tmp_path / "model.safetensors").read_text() == "a week of learning"
    (tmp_path / "demo.json").write_text("{}")
    if not fresh:  # a demo with other options is not replaced either
        result = call("demo", "--game", "toy-v0", "--out", str(tmp_path), "--minutes", "0.05")
        assert result.exit_code == 2 and "--fresh" in result.stderr and (tmp_path / "model.safetensors").exists()


def test_demo_leaves_a_foreign_folder_alone(tmp_path: Path) -> None:
    (tmp_path / "thesis.txt").write_text("years of work")
    result = call("demo", "--game", "toy-v0", "--out", str(tmp_path), "--fresh")
    assert result.exit_code == 2 and "choose another folder" in result.stderr
    assert (tmp_path / "thesis.txt").exists()


@pytest.mark.skipif(os.name != "posix", reason="nothing is locked there")
def test_demo_leaves_a_run_that_still_learns_alone(tmp_path: Path) -> None:
    """Past bug: a second demo with other options removed the folder in which the first one was learning."""
    (tmp_path / "config.json").write_text('{"game": "toy-v0"}')
    (tmp_path / "demo.json").write_text("{}")
    (tmp_path / "checkpoints").mkdir()
    arguments = ("demo", "--game", "toy-v0", "--out", str(tmp_path), "--minutes", "0.05", "--games", "4", "--fresh")
    with locked(tmp_path):
        result = call(*arguments)
        assert result.exit_code == 2 and "another process" in " ".join(result.stderr.split()), result.stderr
        assert (tmp_path / "checkpoints").is_dir()
    (tmp_path / "notes").write_text("of that run")
    with locked(tmp_path):
        empty(tmp_path, last=("demo.json",))
        assert [path.name for path in tmp_path.iterdir()] == [".lock"]


def test_a_demo_that_is_killed_while_it_empties_its_folder_can_be_begun_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Past bug: the file that marks a demo's folder could be deleted before all others, and then the folder was refused."""
    for name in ("demo.json", *(f"file_{number}" for number in range(20))):
        (tmp_path / name).write_text("{}")
    remove = Path.unlink

    def killed(path: Path, **options: Any) -> None:
        if path.parent == tmp_path and len(list(tmp_path.glob("*.*")) + list(tmp_path.glob("file_*"))) == 3:
            raise KeyboardInterrupt
        remove(path, **options)

    monkeypatch.setattr(Path, "unlink", killed)
    arguments = ("demo", "--game", "toy-v0", "--out", str(tmp_path), "--fresh")
    for _ in range(2):
        result = call(*arguments)
        assert result.exit_code == 130, "the second was not refused, but interrupted as well"


@pytest.mark.parametrize(
    ("more", "how"), [((), "the same command"), (("--fresh",), "the same command without --fresh")]
)
def test_a_demo_that_is_interrupted_says_how_to_go_on(
    more: tuple[str, ...], how: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Past bug: after --fresh it suggested the same command, which would start anew and remove everything that was saved."""

    def stopped(*_: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("react_env.cli.demo.prepare", stopped)
    result = call("demo", "--game", "toy-v0", "--out", str(tmp_path / "demo"), *more)
    assert result.exit_code == 130
    assert result.stderr.endswith(f"interrupted: {how} continues with {tmp_path / 'demo'}\n")


def test_module_call() -> None:
    found = subprocess.run(
        [sys.executable, "-m", "react_env", "--version"],
        capture_output=True,
        text=True,
        env=dict(os.environ),
    )
    assert found.stdout.startswith("react_env ")


def test_a_place_that_cannot_be_written_is_named_without_a_traceback(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    result = call("train", "toy-v0", "--runs", str(tmp_path / "file"), "--name", "run", "--steps", "10")
    assert result.exit_code == 2
    said = plain(result.stderr)
    assert f"react-env: {tmp_path}/file/run: Not a directory" in said.replace("\n", "")
    assert "Traceback" not in said


def test_a_run_in_a_place_that_cannot_be_written_is_refused_before_it_is_loaded(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Past bug: it was refused only after half a minute of compiling."""
    with pytest.raises(NotADirectoryError, match=f"Not a directory: '{Path(__file__)}/runs/x'"):
        check_free(Path(__file__) / "runs" / "x", False)
    check_free(tmp_path / "runs" / "x", False)
    monkeypatch.setattr(os, "access", lambda place, how: place != tmp_path)
    with pytest.raises(PermissionError, match=f"Permission denied: '{tmp_path}/runs/x'"):
        check_free(tmp_path / "runs" / "x", False)


@pytest.mark.skipif(sys.platform == "win32", reason="Windows does not remove a folder that is in use")
def test_a_working_folder_that_is_gone_is_told_in_a_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    for words in (["--file", "games.db"], ["own.py:A"]):
        result = call("arena", "random", "greedy", "--game", "toy-v0", *words)
        assert result.exit_code == 2
        assert result.stderr.splitlines()[-1].startswith("react-env: the working folder does not exist any more")
