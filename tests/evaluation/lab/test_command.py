"""`react-env balance`: what it prints and writes, how it goes on, what it refuses."""

from __future__ import annotations

import io
import json
import shutil
from collections.abc import Sequence
from html.parser import HTMLParser
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import yaml
from rich.console import Console
from typer.testing import CliRunner

import react_env.games.fight_sequence
from react_env.agents.players import champion
from react_env.cli import app, train
from react_env.evaluation.document import Report, Section, Table, as_console, as_html, markdown_table
from react_env.evaluation.lab import study as studies
from react_env.evaluation.lab.games import Outcomes
from react_env.extras import EXTRAS
from react_env.games.arts_of_war.rules import EDITIONS
from react_env.games.reality_tcg.cards import SETS

SMALL = ("--agent", "greedy", "-n", "8", "--sides", "rush,wall,tempo", "--set", "max_turns=20")


def run(*words: str, code: int = 0) -> str:
    result = CliRunner().invoke(app, ["balance", *words], env={"COLUMNS": "160"})
    assert result.exit_code == code, result.output
    return " ".join((result.stdout if "--json" in words else result.output).split())


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody judges: a champion is slow to compile."""
    monkeypatch.setattr(studies, "default_judge", lambda *_: "")


def test_what_is_missing_is_told_before_games_are_played(monkeypatch: pytest.MonkeyPatch) -> None:
    """Past bug: it was told only after all of them."""
    monkeypatch.setitem(EXTRAS, "eval", ("no_such_package",))
    assert "no_such_package is not installed" in run("reality_tcg-v0", *SMALL, code=2)


STRONG = {"cost": 0, "atk": 12, "hp": 12}


def edition(folder: Path, **edits: dict[str, int]) -> Path:
    """The installed decks with a set in which some cards have other numbers."""
    shutil.copytree(SETS.parent / "decks", folder)
    cards = yaml.safe_load((SETS / "reality_default.yaml").read_text())
    for sort in ("characters", "maneuvers", "traps", "foods", "lands"):
        for card in cards[sort]:
            card |= edits.get(card["id"], {})
    (folder / "set.yaml").write_text(yaml.safe_dump(cards))
    for file in folder.glob("*.yaml"):
        if file.name != "set.yaml":
            deck = yaml.safe_load(file.read_text())
            file.write_text(yaml.safe_dump({**deck, "set": "set.yaml"}))
    return folder


class Page(HTMLParser):
    """All tags of a page, and whether each that opens is closed."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in ("meta", "link"):
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def test_a_bar_in_a_name_breaks_no_table() -> None:
    head, rule, row = markdown_table(Table(("", "a|b"), [("c|d", "1 *")]))
    assert (head, rule, row) == ("|  | a\\|b |", "| --- | ---: |", "| c\\|d | 1 \\* |")


def test_prose_is_set_to_the_left() -> None:
    table = Table(("agent", "missed goal", "points"), [("me", "it is missed", "1"), ("you", "so", "22")], left=2)
    assert markdown_table(table)[1] == "| --- | --- | ---: |"
    report = Report("R", "", [Section("S", [], [table])])
    page = as_html(report)
    assert '<td class="left">so</td><td>22</td>' in page and '<th class="left">missed goal</th>' in page
    console = Console(width=60, record=True, file=io.StringIO())
    console.print(as_console(report))
    assert "you   so               22" in console.export_text()


@pytest.mark.slow
def test_a_study(tmp_path: Path) -> None:
    words = ("--agent", "random", "--worth", "rush,rush", "--folder", str(tmp_path / "study"))
    told = run("reality_tcg-v0", *SMALL, *words)
    assert "3 decks, 48 games" in told and "In the hands of greedy" in told and "In the hands of random" in told
    assert "What items are worth in the hands of greedy" in told and "Street Runner" in told
    found = json.loads((tmp_path / "study" / "balance.json").read_text())
    assert {*found["agents"]} == {"greedy", "random"} and found["game"] == "reality_tcg-v0"
    assert all(len(of["pairs"]) == 6 and of["games"] == 24 for of in found["agents"].values())
    items = [(row["side"], row["item"]) for row in found["worth"]["greedy"]]
    assert {side for side, _ in items} == {"rush"} and len(items) == len(set(items)), "named twice, measured once"
    page = (tmp_path / "study" / "balance.html").read_text()
    parsed = Page(page)
    assert not parsed.open and "script" not in {tag for tag, _ in parsed.tags}
    assert not [
        attrs for _, attrs in parsed.tags if any((attrs.get(name) or "").startswith("http") for name in ("src", "href"))
    ]
    text = (tmp_path / "study" / "balance.md").read_text()
    assert text.startswith("# Balance: reality_tcg-v0\n") and "| Rush |" in text and "`react-env balance" in text


@pytest.mark.slow
def test_it_goes_on_where_it_stopped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A complete block is not played again, one that was cut short by a kill is; the figures are those of an uninterrupted run."""
    folder = tmp_path / "study"
    real, played = studies.play, []

    def some(*given: Any, **named: Any) -> Outcomes:
        if len(played) == 3:
            raise KeyboardInterrupt
        played.append(given)
        return real(*given, **named)

    monkeypatch.setattr(studies, "play", some)
    stopped = CliRunner().invoke(app, ["balance", "reality_tcg-v0", *SMALL, "--folder", str(folder)])
    assert stopped.exit_code == 130
    assert stopped.stderr.endswith(f"interrupted: the same command continues with {folder}\n")
    assert len(list((folder / "games").iterdir())) == 3 and not (folder / "balance.html").exists()
    next((folder / "games").iterdir()).write_bytes(b"half a")
    played.clear()
    monkeypatch.setattr(studies, "play", lambda *given, **named: played.append(given) or real(*given, **named))
    run("reality_tcg-v0", *SMALL, "--folder", str(folder))
    assert len(played) == 4
    run("reality_tcg-v0", *SMALL, "--folder", str(folder))
    assert len(played) == 4, "nothing is left to play"
    run("reality_tcg-v0", *SMALL, "--folder", str(tmp_path / "whole"))
    run("reality_tcg-v0", *SMALL, "-n", "12", "--folder", str(tmp_path / "whole"))
    assert json.loads((tmp_path / "whole" / "balance.json").read_text())["agents"]["greedy"]["games"] == 36, (
        "it may grow"
    )
    run("reality_tcg-v0", *SMALL, "--folder", str(tmp_path / "whole"))
    both = [json.loads((path / "balance.json").read_text())["agents"] for path in (folder, tmp_path / "whole")]
    assert both[0] == both[1]


@pytest.mark.slow
def test_what_an_edit_changes(tmp_path: Path) -> None:
    """Only pairings with the deck that has the card are played; the differences have the right sign."""
    mine = edition(tmp_path / "mine", delivery_rider=STRONG)
    told = run(
        *("reality_tcg-v0", "--agent", "greedy", "--sides", "rush,wall,control", "--edition", str(mine)),
        *("--against", str(edition(tmp_path / "usual")), "--budget", "800", "--precision", "20", "--json"),
    )
    found = json.loads(told)
    moved = {(row["side"], row["other"]): row["moved"] for row in found["changes"]["greedy"]}
    assert {*moved} == {("control", "rush"), ("rush", "wall")}, "Control and Wall have no Delivery Rider"
    assert moved["rush", "wall"]["low"] > 0 > moved["control", "rush"]["high"]
    assert found["open"] == {"greedy": 0}


def test_an_edit_that_touches_nothing(tmp_path: Path) -> None:
    """The same cards in another folder, one of them renamed, and a change to a card that neither deck has: no pairing is touched."""
    mine = edition(tmp_path / "a", headliner={"atk": 3})
    (mine / "set.yaml").write_text((mine / "set.yaml").read_text().replace("name: Boxer", "name: Pugilist"))
    told = run(
        *("reality_tcg-v0", "--agent", "greedy", "--sides", "rush,feast", "--edition", str(mine)),
        *("--against", str(edition(tmp_path / "b"))),
    )
    assert (
        "A star" not in told
        and "No pairing can be touched by this edit." in told
        and "the same rules and cards there: 1 pairing." in told
    )


def test_an_artist_alone_in_an_edition(tmp_path: Path) -> None:
    words = ("--agent", "random", "-n", "4", "--sides", "dj,painter", "--json", "--folder", str(tmp_path / "out"))
    found = json.loads(run(*words))
    assert found["game"] == "arts_of_war-v0" and found["agents"]["random"]["games"] == 4
    assert [side["side"] for side in found["agents"]["random"]["sides"]] == ["dj", "painter"]
    # Past bug: the table of the sides had 15 columns, and its last ones did not fit on the page.
    text = (tmp_path / "out" / "balance.md").read_text()
    assert "4 games. random plays all seats of its games" in text
    assert "### DJ: games in which it is played, of 4" in text
    columns = [row.count("|") - 1 for row in text.splitlines()]
    assert max(columns) <= 10  # fewer if some ways to win did not occur


def test_an_artist_of_ones_own(tmp_path: Path) -> None:
    """The sides are those of the edition, not of the standard one."""
    folder = tmp_path / "mine"
    shutil.copytree(EDITIONS / "standard", folder)
    (folder / "juggler.yaml").write_text((folder / "dj.yaml").read_text().replace("id: dj", "id: juggler", 1))
    words = ("--agent", "random", "-n", "4", "--sides", "juggler,painter", "--json")
    found = json.loads(run("--edition", str(folder), *words))
    assert [side["side"] for side in found["agents"]["random"]["sides"]] == ["juggler", "painter"]
    assert json.loads(run("--set", f"edition={folder}", *words))["agents"] == found["agents"]


@pytest.mark.slow
def test_a_budget_that_ends(tmp_path: Path) -> None:
    mine = edition(tmp_path / "mine", delivery_rider=STRONG)
    words = ("reality_tcg-v0", "--agent", "greedy", "--sides", "rush,wall", "--edition", str(mine))
    told = run(*words, "--against", "standard", "--budget", "200")
    assert "with 1 difference known less well than the 5 points asked for" in told


def test_a_game_whose_seats_are_alike(tmp_path: Path) -> None:
    words = ("fight_sequence-v0", "--agent", "random", "-n", "20", "--json", "--folder", str(tmp_path / "out"))
    found = json.loads(run(*words))
    text = (tmp_path / "out" / "balance.md").read_text()
    assert "| deck | wins if it begins |" in text, "past bug: there was an empty column of scores"
    assert "played, of 40, as each game counts for both players" in text, "past bug: 40 games, though 20 were played"
    of = found["agents"]["random"]
    assert of["pairs"] == [] and of["games"] == 20 and of["who_begins"]["games"] <= 20


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("reality_tcg-v0", "--sides", "rush,walls"), "there is no deck 'walls'"),
        (("reality_tcg-v0", "--sides", "rush,rush"), "deck 'rush' is listed twice"),
        (("--sides", "dj"), "dj alone has nobody to play"),
        (("no_game-v0", "--agent", "random"), "there is no game 'no_game-v0'; there are: arts_of_war-v0"),
        (("--set", "artists=random"), "artists are the sides of a study"),
        (("reality_tcg-v0", "-n", "3"), "an even number"),
        (("reality_tcg-v0", "--agent", "greedy", "--agent", "greedy"), "agent 'greedy' is named twice"),
        (("reality_tcg-v0", "--agent", "genius"), "genius"),
        (("reality_tcg-v0", "--agent", "random", "--worth", "walls"), "sides with items: control, feast"),
        (("fight_sequence-v0", "--agent", "random", "--worth", "wall"), "sides with items: academy_default"),
        (("--edition", "no_such", "--agent", "random"), "no_such"),
        (
            ("reality_tcg-v0", "--agent", "random", "--edition", "/no/such"),
            "there is no folder /no/such; standard is that of the installed decks",
        ),
        (("--agent", "random", "--against", "standard", "--worth", "all"), "cannot be combined"),
        (("--agent", "random", "--against", "standard"), "--against standard goes with --edition"),
        (
            ("--agent", "random", "--edition", "standard", "--against", "standard", "--precision", "0"),
            "the precision is 0 points",
        ),
        (("--agent", "random", "--edition", "small", "--against", "standard"), "cannot be compared"),
        (("--agent", "random", "--trials", "5"), "--trials goes with --tune"),
        (("--agent", "random", "--precision", "5"), "--precision goes with --against"),
        (("--edition", "small", "--against", "standard", "-n", "40"), "--games does not go with --against"),
        (
            ("--edition", "small", "--against", "standard", "--sides", f"{EDITIONS / 'standard' / 'dancer.yaml'},dj"),
            "name the artist, not its file",
        ),
    ],
)
def test_what_cannot_be(words: tuple[str, ...], message: str) -> None:
    assert message in run(*words, code=2)


def test_a_budget_of_nothing(tmp_path: Path) -> None:
    mine = str(edition(tmp_path / "mine", delivery_rider=STRONG))
    words = ("reality_tcg-v0", "--agent", "random", "--sides", "rush,wall", "--edition", mine)
    told = run(*words, "--against", str(edition(tmp_path / "usual")), "--budget", "10", code=2)
    assert "a budget of 10 games is too small: 200 are needed to begin with" in told


def test_a_folder_whose_name_is_no_text(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Past bug: its report, which holds the command, could not be written after all games were played."""
    folder = tmp_path / "caf\udce9"
    monkeypatch.setattr("sys.argv", ["react-env", "balance", "--folder", str(folder)])
    for _ in range(2):  # what is written is read again
        run("reality_tcg-v0", *SMALL, "--folder", str(folder))
    assert json.loads((folder / "balance.json").read_text())["command"].endswith("caf\udce9'")


def test_a_study_that_was_killed_as_it_began_can_be_begun_again(tmp_path: Path) -> None:
    """Past bug: what a process killed at its first file left was taken for somebody else's, and the same command was refused."""
    (tmp_path / ".study.json.4711.tmp").write_text("{")
    run("reality_tcg-v0", *SMALL, "--folder", str(tmp_path))
    assert (tmp_path / "balance.json").is_file()


def test_a_folder_that_holds_something_else(tmp_path: Path) -> None:
    folder = tmp_path / "study"
    run("reality_tcg-v0", *SMALL, "--folder", str(folder))
    before = {file.name: file.read_bytes() for file in folder.iterdir() if file.is_file()}
    told = run("reality_tcg-v0", *SMALL, "--seed", "2", "--folder", str(folder), code=2)
    assert "holds another study" in told and "seed" in told
    assert before == {file.name: file.read_bytes() for file in folder.iterdir() if file.is_file()}
    file = folder / "study.json"
    file.write_text(file.read_text().replace(f'"format": {studies.FORMAT}', '"format": 1'))
    told = run("reality_tcg-v0", *SMALL, "--folder", str(folder), code=2)
    assert f"of this version of react_env (its format is 1, not {studies.FORMAT})" in told
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "notes.txt").write_text("mine")
    assert "is not the folder of a study" in run("reality_tcg-v0", *SMALL, "--folder", str(tmp_path / "other"), code=2)


@pytest.mark.long
def test_the_champion_learns_an_edit_first(tmp_path: Path) -> None:
    """`--adapt`: the report shows the champion under both editions, and the one that has learned; given again, it goes on."""
    mine, folder = edition(tmp_path / "mine", delivery_rider=STRONG), tmp_path / "out"
    words = (
        "reality_tcg-v0",
        "--agent",
        "random",
        "--sides",
        "rush,wall",
        "--edition",
        str(mine),
        "--set",
        "max_turns=8",
    )
    words += ("--against", str(edition(tmp_path / "usual")), "--budget", "600", "--precision", "50", "--adapt", "0.02")
    assert "--adapt needs --folder" in run(*words, code=2)
    assert "--adapt goes with --edition and --against" in run("reality_tcg-v0", "--adapt", "1", code=2)
    assert "--adapt inf: it needs a number of minutes" in run(*words[:-1], "inf", "--folder", tmp_path / "inf", code=2)
    assert not (tmp_path / "inf").exists()
    run(*words, "--folder", str(folder))
    found = json.loads((folder / "balance.json").read_text())
    (adapted,) = folder.glob("adapted-*")
    before, after = "champion:1,width=0,policy=no", f"{adapted}:1,width=0"
    assert [*found["changes"]] == ["random", before, f"{before} before and {after} after"]
    learned = (adapted / "model.safetensors").read_bytes()
    assert "resumed at" in run(*words, "--folder", str(folder))
    assert json.loads((folder / "balance.json").read_text()) == found
    assert (adapted / "model.safetensors").read_bytes() == learned


def test_a_champion_that_has_learned_nothing_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Past bug: the first update learns from no games; without time for another, the report compared the champion with itself."""

    def idle(config: Any, folder: Path, resume: bool) -> Any:
        shutil.copytree(champion.FOLDER / config.game, folder)
        return SimpleNamespace(interrupted=False)

    monkeypatch.setattr(train, "run", idle)
    words = ("reality_tcg-v0", "--agent", "random", "--sides", "rush,wall", "--set", "max_turns=2", "--adapt", "5")
    words += ("--edition", str(edition(tmp_path / "mine", delivery_rider=STRONG)), "--against", "standard")
    told = run(*words, "--budget", "600", "--precision", "50", "--folder", str(tmp_path / "out"))
    assert "In 5 minutes the champion has learned nothing of the edition; give --adapt more time." in told


def test_the_champion_learns_the_decks_of_the_edition(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Past bug: if more than two decks were compared, it learned the installed ones."""
    learned = []

    def stopped(config: Any, folder: Path, **settings: Any) -> Any:
        learned.append(config.options)
        return SimpleNamespace(interrupted=True)

    monkeypatch.setattr(train, "run", stopped)
    mine = edition(tmp_path / "mine", delivery_rider=STRONG)
    words = (
        "reality_tcg-v0",
        "--agent",
        "random",
        "--sides",
        "rush,wall,tempo",
        "--edition",
        str(mine),
        "--adapt",
        "5",
    )
    run(*words, "--against", "standard", "--budget", "5000", "--folder", str(tmp_path / "out"), code=130)
    assert [option["pool"] for option in learned] == [
        [str(mine / f"{deck}.yaml") for deck in ("rush", "wall", "tempo")]
    ]


def told(words: Sequence[str], edition: str, against: str) -> set[tuple[str, str, str]]:
    """What one edition changes against another: the last key, the value before, the value after."""
    asked = [*words[: words.index("--edition")], "--edition", edition, "--against", against, "--json"]
    found = json.loads(run(*asked, "--budget", "400", "--precision", "50"))
    return {(edit["at"].rpartition("/")[2], edit["before"], edit["after"]) for edit in found["edited"]}


def test_an_edition_of_one_deck_leaves_the_others_as_they_are(tmp_path: Path) -> None:
    """Past bug: it was refused unless it had a file for every deck that was compared."""
    mine = tmp_path / "mine"
    mine.mkdir()
    words = ["reality_tcg-v0", "--agent", "random", "--sides", "rush,wall,tempo", "--edition", str(mine)]
    words += ["--against", "standard", "--budget", "400", "--precision", "50", "--folder", str(tmp_path / "out")]
    assert "has none of rush.yaml, wall.yaml, tempo.yaml; a deck's file is named after it" in run(*words, code=2)
    text = (SETS.parent / "decks" / "rush.yaml").read_text(encoding="utf-8")
    edited = text.replace("sprinter: 3", "sprinter: 2").replace("sports_arena: 1", "sports_arena: 2")
    (mine / "rush.yaml").write_text(edited, encoding="utf-8")
    run(*words)
    found = json.loads((tmp_path / "out" / "balance.json").read_text())
    assert [edit["at"] for edit in found["edited"]] == [
        f"rush.yaml: cards/{card}" for card in ("sprinter", "sports_arena")
    ]
    assert found["untouched"] == 1  # wall against tempo
    # Past bug: the other way round, each installed deck was called a new file, and a deck of only one folder was left out.
    assert told(words, "standard", str(mine)) == {("sprinter", "2", "3"), ("sports_arena", "2", "1")}
    other = tmp_path / "other"
    other.mkdir()
    (other / "wall.yaml").write_text((SETS.parent / "decks" / "wall.yaml").read_text(encoding="utf-8"))
    assert told(words, str(other), str(mine)) == {("sprinter", "2", "3"), ("sports_arena", "2", "1")}
    # Past bug: a file that is not YAML ended in a traceback after all games were played.
    (mine / "tempo.yaml").write_text("id: tempo\n  name: [")
    words[words.index("rush,wall,tempo")] = "rush,wall"
    assert "tempo.yaml: not YAML" in run(*words[:-2], code=2)


def test_an_edition_brings_its_own_copy_of_an_installed_set(tmp_path: Path) -> None:
    """A deck that names an installed set plays by the file of that name beside it, if there is one."""
    mine = tmp_path / "mine"
    shutil.copytree(SETS.parent / "decks", mine)
    words = (
        "reality_tcg-v0",
        "--agent",
        "random",
        "--sides",
        "rush, wall",
        "--edition",
        str(mine),
        "--against",
        "standard",
    )
    assert "No pairing can be touched" in run(*words)
    cards = yaml.safe_load((SETS / "reality_default.yaml").read_text())
    for card in cards["characters"]:
        card["atk"] = 0
    (mine / "reality_default.yaml").write_text(yaml.safe_dump(cards))
    told = run(*words, "--budget", "200", "--folder", str(tmp_path / "out"))
    assert "No pairing can be touched" not in told and "Rush - Wall" in told
    found = json.loads((tmp_path / "out" / "balance.json").read_text())
    assert found["precision"] == 0.05 and found["budget"] == 200 and found["untouched"] == 0
    (edit, *_) = (one for one in found["edited"] if "boxer" in one["at"])
    assert edit == {"at": "reality_default.yaml: characters/boxer/atk", "before": "6", "after": "0"}
    text, page = ((tmp_path / "out" / f"balance.{form}").read_text() for form in ("md", "html"))
    row = "reality_default.yaml: characters/boxer/atk"
    assert f"| {row} | 6 | 0 |" in text and row in page and ", 1 pairing |" in text and "1 pairings" not in text
    other = run("reality_tcg-v0", "--agent", "random", "-n", "4", "--sides", f"rush,{mine / 'wall.yaml'}", code=2)
    assert "two sets called reality_default, whose cards differ" in " ".join(other.split())


def test_a_single_side_cannot_be_compared(tmp_path: Path) -> None:
    deck = Path(react_env.games.fight_sequence.__file__).parent / "decks" / "academy_default.yaml"
    shutil.copy(deck, tmp_path)
    words = ("fight_sequence-v0", "--agent", "random", "--edition", str(tmp_path), "--against", "standard")
    assert "academy_default alone has no pairing that could move" in run(*words, code=2)
    text = deck.read_text().replace("id: academy_default", "id: mine", 1)
    (tmp_path / "mine.yaml").write_text(text)
    two = ("fight_sequence-v0", "--agent", "random", "-n", "4", "--sides", f"academy_default,{tmp_path / 'mine.yaml'}")
    told = run(*two)
    assert "(academy_default)" in told and "(mine)" in told, "two decks of one name are told apart"
