"""The page of a run, and the learning curve: they show what the run's files say."""

import base64
import json
import os
import re
import shlex
import shutil
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from matplotlib.figure import Figure
from matplotlib.image import imread
from torch.utils.tensorboard import SummaryWriter
from typer.testing import CliRunner

from react_env.agents.models.model import load_model
from react_env.cli import app
from react_env.errors import OptionError
from react_env.evaluation.ratings.intervals import wilson
from react_env.registry import GAMES
from react_env.training.config import TrainConfig
from react_env.training.runs import progress, report
from react_env.training.selfplay.run import train
from tests.agents.games import game_of
from tests.training.test_selfplay import SMALL

pytestmark = pytest.mark.usefixtures("pictures")

RATE = "rate/learner_steps_per_second"
_VOID = {"meta", "link", "img", "source"}


class Page(HTMLParser):
    """The text of a page whose tags match, and the addresses from which it would load something."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.text, self.loads, self._open = "", [], []
        self.feed(html)
        assert self._open == []
        self.text = " ".join(self.text.split())

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert tag != "script"
        self.loads += [str(value) for name, value in attrs if name in ("src", "srcset", "href")]
        if tag not in _VOID:
            self._open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self._open[-1:] != ["style"]:
            self.text += data + " "


@pytest.fixture(scope="module")
def resumed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A run of the toy game in two parts."""
    GAMES["toy-v0"] = "tests.toy:GAME"
    folder = tmp_path_factory.mktemp("runs") / "a run"
    try:
        config = TrainConfig(steps=2048, **SMALL)
        train(config, folder)
        train(config.model_copy(update={"steps": 4096}), folder, resume=True)
        yield folder
    finally:
        del GAMES["toy-v0"]


def tally(wins: int, games: int = 100) -> dict[str, Any]:
    return {"wins": wins, "games": games, "ties": 3, "truncations": 4}


def evaluation(steps: int, **wins: int) -> dict[str, Any]:
    """A line of progress.jsonl: from seat 0 it won twice as often as from seat 1."""
    against = {
        name: {**tally(3 * count, 100), "seats": [tally(2 * count, 50), tally(count, 50)]}
        for name, count in wins.items()
    }
    return {"steps": steps, "seconds": steps / 100, "against": against}


def run_in(folder: Path, lines: list[dict[str, Any]], **options: Any) -> Path:
    """The files of a run that has not saved anything yet."""
    folder.mkdir(parents=True)
    (folder / "config.json").write_text(json.dumps(TrainConfig(**{"minutes": 1, **options}).to_json()))
    for line in lines:
        progress.append(folder, line)
    return folder


def test_a_run_writes_its_page(resumed: Path) -> None:
    page = Page((resumed / report.FILE).read_text())
    weights, info = load_model(resumed)
    last = progress.read(resumed)[-1]
    expected = [
        "a run",
        "100 % of 4,096 learner steps",
        game_of("toy").rules_hash,
        f"{info.training['learner_steps']:,}",
        f"{sum(value.size for name, value in weights.items() if name != 'scale'):,}; ",
        "layers shared 16, of the policy 8, of the value 8; relu; 12 numbers in, 6 actions out",
        "Resumed 1 time.",
        "random 5 % its newest self 50 % earlier selves 45 %",
        f"react-env train --game toy-v0 --name 'a run' --runs {resumed.parent} --steps 4096 --threads 1",
    ]
    for name in ("random", "greedy"):
        for found in (last["against"][name], *last["against"][name]["seats"]):
            low, high = (100 * bound for bound in wilson(found["wins"], found["games"]))
            expected.append(f"{100 * found['win_rate']:.1f} % ({low:.1f}–{high:.1f})")
    assert [words for words in expected if words not in page.text] == []
    for chart in ("Policy loss", "Value loss", "Entropy", "KL divergence", "Clip fraction", "Learner steps a second"):
        assert chart in page.text
    assert "Divergence from the magnet" not in page.text and "Teacher's loss" not in page.text  # it had none
    pool = json.loads(next((resumed / "checkpoints").glob(f"{last['steps']:012d}/checkpoint.json")).read_text())["pool"]
    for member in pool["members"]:
        assert f"{member:,} {len(pool['results'].get(str(member), []))} " in page.text


def test_the_page_needs_nothing_else(resumed: Path) -> None:
    html = (resumed / report.FILE).read_text()
    page = Page(html)
    assert len(page.loads) > 10 and all(link.startswith("data:") for link in page.loads)
    assert "default-src 'none'" in html and str(resumed) not in html
    pictures = [base64.b64decode(uri.partition("base64,")[2]).decode() for uri in page.loads if "svg" in uri]
    dark, light = pictures[::2], pictures[1::2]
    assert all(one != other for one, other in zip(dark, light, strict=True))
    for color in progress.COLORS:
        assert not any(color in picture for picture in dark)


def test_products_in_bfloat16_are_told_for_every_algorithm_that_has_them(resumed: Path, tmp_path: Path) -> None:
    folder = tmp_path / "run"
    shutil.copytree(resumed, folder)
    for name, changed in (("config", {"algorithm": "residual", "imitation_games": 0}), ("model", {})):
        found = json.loads((folder / f"{name}.json").read_text()) | changed
        found.get("training", {})["bfloat16"] = True
        (folder / f"{name}.json").write_text(json.dumps(found))
    assert "large products in bfloat16" in Page(report.html(folder)).text


def test_names_are_escaped(tmp_path: Path) -> None:
    folder = run_in(tmp_path / "<i>run", [evaluation(0, **{"<b>&": 7})], baselines=("<b>&",))
    page = Page(report.html(folder))
    assert "<i>run" in page.text and "won against <b>&" in page.text and "--baseline '<b>&'" in page.text
    assert "<i>run" not in report.html(folder)


def test_before_anything_is_saved(tmp_path: Path) -> None:
    page = Page(report.html(run_in(tmp_path / "run", [])))
    assert "No evaluation yet" in page.text and "0 % of 1 minutes" in page.text
    page = Page(report.html(run_in(tmp_path / "other", [evaluation(0, random=20)])))
    assert "60.0 % (50.2–69.1) 80.0 % (67.0–88.8) 40.0 % (27.6–53.8) 7" in page.text
    with pytest.raises(OptionError, match="there is no such file"):
        report.write(tmp_path / "nothing")


def test_the_older_evaluations_are_folded(tmp_path: Path) -> None:
    lines = [evaluation(1000 * k, random=1) for k in range(12)]
    html = report.html(run_in(tmp_path / "run", lines))
    assert "<b>110.0 s</b>" in html and "<b>11,000</b>" in html
    shown, folded = html.split("<details>")
    assert "2 earlier" in folded
    assert [f"<th>{1000 * k:,}</th>" in shown for k in range(12)] == [False] * 2 + [True] * 10
    assert "<th>0</th>" in folded and "<th>1,000</th>" in folded


def test_a_page_that_cannot_be_written_does_not_stop_a_run(tmp_path: Path) -> None:
    said: list[str] = []
    with SummaryWriter(str(tmp_path / "tensorboard")) as log:
        report.keep(tmp_path, log, said.append)
    assert len(said) == 1 and "report.html: not written (OptionError: " in said[0]


def test_a_page_is_written_now_and_then_with_what_is_not_flushed_yet(tmp_path: Path) -> None:
    folder = run_in(tmp_path / "run", [])
    page = folder / report.FILE

    class Log:
        """Its events are in no file before `flush`."""

        def flush(self) -> None:
            with SummaryWriter(str(folder / "tensorboard")) as log:
                log.add_scalar("update/entropy", 1.0, 100)
                log.add_scalar(RATE, 50.0, 100)

    report.keep(folder, Log(), lambda line: pytest.fail(line))
    assert "Entropy" in page.read_text()
    page.write_text("young")
    report.keep(folder, Log(), lambda line: pytest.fail(line))
    assert page.read_text() == "young"
    os.utime(page, (2e10, 2e10))  # the clock has been set back
    report.keep(folder, Log(), lambda line: pytest.fail(line))
    assert "Entropy" in page.read_text()
    page.write_text("young")
    report.keep(folder, Log(), lambda line: pytest.fail(line), final=True)
    assert "Entropy" in page.read_text()


def test_a_first_update_of_no_steps_takes_no_time(tmp_path: Path) -> None:
    """On a cluster it is made while the first games are still on their way."""
    with SummaryWriter(str(tmp_path)) as log:
        for step, rate in ((0, 0.0), (100, 50.0), (200, 40.0)):
            log.add_scalar("update/policy_loss", 1.0, step)
            log.add_scalar(RATE, rate, step)
    updates = report.read_updates(tmp_path)
    assert updates.seconds.tolist() == [0.0, 2.0, 5.0] and report._speed(updates)


def test_updates_that_a_resumed_run_does_anew_count_once(tmp_path: Path) -> None:
    for purge, steps, value in ((None, range(100, 600, 100), 1.0), (300, range(350, 700, 100), 2.0)):
        with SummaryWriter(str(tmp_path), purge_step=purge, filename_suffix=f".{value}") as log:
            for step in steps:
                log.add_scalar("update/entropy", value, step)
                log.add_scalar(RATE, 50.0, step)
            log.add_scalar("update/entropy", value, 9999)  # the process was killed before it wrote the rate
        # Files are read in the order of their names: by the second and, within one (which no run does), in an order that puts 10 before 9.
        (file,) = tmp_path.glob(f"*.{value}")
        file.rename(tmp_path / f"events.out.tfevents.{1_700_000_000 + value:.0f}.host")
    updates = report.read_updates(tmp_path)
    assert updates.steps.tolist() == [100, 200, 350, 450, 550, 650]
    assert updates.values["entropy"].tolist() == [1.0] * 2 + [2.0] * 4
    assert updates.seconds.tolist() == [2.0, 4.0, 7.0, 9.0, 11.0, 13.0]
    assert len(updates.begun) == 2


@pytest.mark.parametrize(
    "options",
    [
        {"minutes": 2.5},
        {
            "steps": 10**7,
            "seed": 3,
            "trunk": (256, 64),
            "value": (),
            "learning_rate": 3e-4,
            "algorithm": "maskable_ppo",
        },
        {
            "steps": 9,
            "opponents": {"scripted": 0.25, "mcts:16": 0.1},
            "baselines": ("scripted", "my agent.safetensors"),
        },
        {"steps": 9, "opponents": {}, "options": {"artists": ["calligrapher", "dancer"]}, "start": "runs/it's"},
        {"steps": 9, "game": "fight_sequence-v0", "options": {"decks": "academy_default", "max_sequences": 4}},
        {"steps": 9, "algorithm": "td"},
        {"steps": 9, "algorithm": "td", "envs": 2048, "opponents": {"greedy": 0.2}, "look_budget": 9},
    ],
)
def test_the_command_makes_it_again(options: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    config = TrainConfig(**options)
    taken: list[TrainConfig] = []

    def run(found: TrainConfig, folder: Path, resume: bool, cluster: None) -> Any:
        taken.append(found)
        raise OptionError("far enough")

    monkeypatch.setattr("react_env.cli.train.run", run)
    words = shlex.split(report.command(config))
    assert words[0] == "react-env"
    CliRunner().invoke(app, words[1:])
    (found,) = taken
    assert {name: share for name, share in found.opponents.items() if share} == config.opponents
    assert found.model_copy(update={"opponents": config.opponents}) == config


def test_the_command_leaves_out_what_is_usual(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("react_env.training.config.processors", lambda: 3)  # another machine may have more or fewer
    config = TrainConfig(minutes=2, threads=3, algorithm="td", value_width=48)
    assert report.command(config) == "react-env train --minutes 2 --threads 3 --algorithm td -o value_width=48"
    other = report.command(config, Path("my runs/x"))
    assert other.startswith("react-env train --name x --runs 'my runs' --minutes")


def test_shares_are_of_the_whole() -> None:
    config = TrainConfig(minutes=1, opponents={"random": 0.1, "greedy": 0.2}, self_share=0.3)
    without = report.opponent_shares(config, {})
    assert [(part.name, round(part.share, 6)) for part in without] == [
        ("random", 0.1),
        ("greedy", 0.2),
        ("its newest self", 0.7),
    ]
    assert "earlier selves" in without[-1].note
    td = report.opponent_shares(config.model_copy(update={"algorithm": "td", "self_share": 1.0}), {})
    assert [(part.name, part.note) for part in td][-1] == ("its newest self", "")
    with_pool = report.opponent_shares(config, {"pool": {"playing": [5]}})
    assert [round(part.share, 6) for part in with_pool] == [0.1, 0.2, 0.3, 0.4]
    phases = {name: {"clock": clock, "processor": 1.0} for name, clock in (("learning", 80.0), ("evaluations", 20.0))}
    times = report.time_shares(phases, {"play": 50.0, "inference": 20.0, "update": 30.0})
    assert [(part.name, part.share) for part in times] == [
        ("games and opponents", 0.3),
        ("inference of the learner", 0.2),
        ("update", 0.3),
        ("evaluations", 0.2),
    ]
    assert [part.share for part in report.time_shares(phases, {"play": 50.0, "update": 30.0})] == [0.5, 0.3, 0.2]
    assert report.time_shares({}, {}) == []


def test_results_against_earlier_selves() -> None:
    pool = {"members": [5, 9], "playing": [9], "results": {"9": [1.0, -1.0, 0.0, 1.0]}}
    (_, _, first), (_, _, second) = rows = report.pool_results({"pool": pool})
    assert [row[:2] for row in rows] == [(5, False), (9, True)]
    assert (first.games, second.count, second.games, second.value) == (0, 2, 4, 0.5)


def test_the_curve_shows_rates_and_intervals() -> None:
    lines = [evaluation(0, random=5, greedy=2), evaluation(1000, random=20, greedy=10)]
    for over, seat, at, rates, games in (
        ("steps", -1, [0, 1000], [0.15, 0.6], 100),
        ("seconds", 0, [0, 10], [0.2, 0.8], 50),
        ("seconds", 1, [0, 10], [0.1, 0.4], 50),
    ):
        axes = Figure().add_subplot()
        progress.curve(axes, lines, over, only="random", seat=seat)
        np.testing.assert_allclose(axes.lines[0].get_xydata(), np.c_[at, rates])
        (band,) = axes.collections
        drawn = np.unique(band.get_paths()[0].vertices[:, 1])
        bounds = np.ravel([wilson(round(rate * games), games) for rate in rates])
        np.testing.assert_allclose(drawn, np.sort(bounds))
    axes = Figure().add_subplot()
    progress.curve(axes, lines)
    assert [line.get_label() for line in axes.lines[:2]] == ["random", "greedy"]


def test_every_baseline_looks_different() -> None:
    names = ["mcts:64", "greedy", *(f"model {number}" for number in range(28)), "random"]
    looks = progress.looks(names)
    assert list(looks) == names
    assert len({(look.number, look.dashes) for look in looks.values()}) == len(names)
    assert (looks["random"].number, looks["greedy"].number) == (0, 1)
    assert progress.looks(["greedy"])["greedy"] == looks["greedy"]


def test_the_picture_has_room_for_many_baselines(tmp_path: Path) -> None:
    lines = [evaluation(1000 * k, **{f"baseline {n}": n + k for n in range(9)}) for k in range(6)]
    picture = progress.draw(run_in(tmp_path / "run", lines), tmp_path / "curve.png", "nine baselines")
    pixels = (imread(picture)[:, :, :3] * 255).round().astype(np.int64) @ (65536, 256, 1)
    seen = set(np.unique(pixels).tolist())
    wanted = [int(color[1:], 16) for color in progress.COLORS]
    assert [color for color in wanted if color not in seen] == []


def test_the_picture_has_room_for_a_long_path(tmp_path: Path, recwarn: pytest.WarningsRecorder) -> None:
    name = "/" + "/".join(["somewhere", "far", "away"] * 6) + "/agent"
    lines = [evaluation(1000 * k, **{name: 4 * k, "greedy": k}) for k in range(6)]
    picture = progress.draw(run_in(tmp_path / "run", lines), tmp_path / "curve.png", "a long path")
    assert not recwarn.list  # matplotlib warns if no room is left for the plot
    greedy = np.all(imread(picture)[:, :, :3] * 255 == [0xC8, 0x50, 0x1E], axis=2)
    assert np.ptp(np.flatnonzero(greedy.any(axis=0))) > 700  # columns of 1350


def test_headings_name_their_sections(resumed: Path) -> None:
    html = (resumed / report.FILE).read_text()
    named, ids = re.findall(r'aria-labelledby="(\w+)"', html), re.findall(r' id="(\w+)"', html)
    assert named == ids == ["curve", "evaluations", "opponents", "speed", "updates", "made"]
