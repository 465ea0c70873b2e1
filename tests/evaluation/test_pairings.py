"""The measure of the kits: exact counts against games played one by one, the bars, the file that a run goes on from, the report."""

import json
import re
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from rich.console import Console
from typer.testing import CliRunner

import react_env
from react_env.cli import app
from react_env.errors import OptionError
from react_env.games.arts_of_war import state as S
from react_env.games.arts_of_war.balance import pairing_games, pairings
from react_env.games.arts_of_war.balance.pairing_games import (
    WAYS,
    CardUse,
    Cell,
    EffectUse,
    PairingResult,
    SeatGames,
    Use,
    new_rows,
    percentile,
    way_lost,
)
from react_env.games.arts_of_war.balance.pairings import Balance, Bars, Settings
from react_env.games.arts_of_war.balance.report import balance_page, balance_report
from react_env.games.arts_of_war.cards import artists, load_artist
from react_env.games.arts_of_war.log import E_DRAW, E_NOTHING, E_TIE, E_WIN, emit

PAIR = ("fortune_teller", "painter")
RANDOM = Settings("random", games=12, seed=3)


class Last:
    """Takes the last legal action: it plays whatever can be played, and lays cards face down."""

    name = "last"

    def act(self, observations: Any, action_masks: Any, rng: np.random.Generator) -> Any:
        return action_masks.shape[1] - 1 - np.argmax(action_masks[:, ::-1], axis=1)


# ------------------------------------------------------------------------------------------------ counting


@pytest.mark.parametrize("pair", [PAIR, ("dj", "animator")])
def test_the_counts_are_those_of_the_games_played_one_by_one(
    pair: tuple[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also in more than one chunk of places. What is played is compared with the words of the public log."""
    monkeypatch.setattr(pairing_games, "SLOTS", 16)
    share = 24
    monkeypatch.setattr("react_env.agents.load", lambda *_, **__: Last())
    monkeypatch.setattr(pairings, "fingerprint", lambda *_: "of last")
    balance = Balance(Settings("last", 2 * share, seed=5), pair)
    (result,) = balance.play()
    a, b = result.a, result.b
    cells: Counter[tuple[int, bool, str]] = Counter()
    turns: Counter[int] = Counter()
    plays: dict[str, Counter[tuple[str, str]]] = {a: Counter(), b: Counter()}
    games: dict[str, Counter[tuple[str, str]]] = {a: Counter(), b: Counter()}
    ascended: Counter[str] = Counter()
    for seat in range(2):
        at = (a, b) if seat == 0 else (b, a)
        game = react_env.load("arts_of_war-v0", artists=at)
        for state in _starts(game, share, 5, 16):
            lines = game.log_lines(state, 0)
            while not state["over"]:
                since = game.event_count(state)
                game.step(state, int(game.legal_actions(state)[-1]))
                lines += game.log_lines(state, since)
            text = "\n".join(lines)
            cells[seat, bool(state["first"] == seat), str(int(state["reward"][seat]))] += 1
            turns[int(state["turn"])] += 1
            for player, artist in enumerate(at):
                found = re.findall(rf"^player_{player} plays (.+?) \((Intention|Reaction)\)", text, re.MULTILINE)
                told = Counter((name, kind.lower()) for name, kind in found)
                plays[artist].update(told)
                games[artist].update(set(told))
                ascended[artist] += bool(re.search(rf"^player_{player} (ascends|becomes)", text, re.MULTILINE))
    assert dict(result.turns) == dict(turns)
    assert {
        (cell.seat, cell.began): (cell.wins, cell.losses, cell.ties + cell.truncations) for cell in result.cells
    } == {
        (seat, began): tuple(cells[seat, began, reward] for reward in ("1", "-1", "0"))
        for seat in range(2)
        for began in (True, False)
    }
    assert result.unread == 0
    for artist in pair:
        use = result.use[artist]
        assert use.games == 2 * share and use.ascended == ascended[artist]
        for counted, told in (("plays", plays[artist]), ("games", games[artist])):
            ours = {
                (effect.name, effect.kind): getattr(effect, counted) for card in use.cards for effect in card.effects
            }
            assert {key: count for key, count in ours.items() if count} == dict(told)
        assert any(card.plays > card.games > 0 for card in use.cards)
        assert all(max(e.games for e in card.effects) <= card.games <= use.games for card in use.cards)


def _starts(game: Any, count: int, seed: int, places: int) -> list[Any]:
    from react_env.games.arts_of_war.balance.pairing_games import chunk_seed

    found: list[Any] = []
    for chunk in range(-(-count // places)):
        batch = game.batch(num_games=min(places, count - len(found)), seed=chunk_seed(seed, chunk))
        found += [game.copy(state) for state in batch.states]
    return found


def test_a_pairing_adds_up() -> None:
    balance = Balance(RANDOM, PAIR)
    told: list[tuple[int, int]] = []
    (result,) = balance.play(lambda *call: told.append(call))
    assert told[0] == (0, 12) and told[-1] == (12, 12) and told == sorted(told)
    assert result.games == 12 == sum(result.turns.values())
    for cell in result.cells:
        assert cell.games == cell.wins + cell.losses + cell.ties + cell.truncations
    # The same deals from both seats: whoever began with one artist in seat 0 began with the other one there.
    began = {(cell.seat, cell.began): cell.games for cell in result.cells}
    assert began[0, True] == began[1, False] and began[0, False] == began[1, True]
    assert result.wins(result.a) == sum(result.lost[result.b].values())
    assert result.wins(result.b) == sum(result.lost[result.a].values())
    assert result.score(result.a) + result.score(result.b) == 1


def test_neither_threads_nor_the_order_of_the_artists_matter() -> None:
    def play(threads: int, pair: tuple[str, str], seed: int) -> Any:
        (result,) = Balance(replace(RANDOM, games=300, seed=seed), pair, threads=threads).play()
        return replace(result, seconds=0)

    assert play(1, PAIR, 1) == play(2, (PAIR[1], PAIR[0]), 1)
    assert play(1, PAIR, 1) != play(1, PAIR, 2)


def test_new_rows_of_the_ring() -> None:
    states = np.zeros(3, S.STATE)
    for i, count in enumerate((5, S.EVENTS + 7, 0)):
        for k in range(count):
            emit(states[i], E_NOTHING, 0, k % 100, 0, 0, 0, 0, 0)
    which, rows, unread = new_rows(states, np.array([2, S.EVENTS, 0]))
    assert [sorted(rows[which == i, 2].tolist()) for i in range(3)] == [[2, 3, 4], list(range(64, 71)), []]
    assert unread == 0
    which, rows, unread = new_rows(states, np.array([5, 0, 0]))
    assert sorted(rows[which == 1, 2].tolist()) == sorted(k % 100 for k in range(7, S.EVENTS + 7))
    assert unread == 7 and not (which == 0).any()


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("loser", [0, 1])
def test_ways_to_lose(way: str, loser: int) -> None:
    state = np.zeros(1, S.STATE)[0]
    state["reward"] = (-1, 1) if loser == 0 else (1, -1)
    emit(state, E_DRAW, 1 - loser, 2, 0, 0, 0, 0, 0)  # of the other: says nothing
    if way == "damage":
        state["damage"][loser] = 3
    elif way == "summons":
        state["fallen"][loser] = 1
    elif way == "deck":
        emit(state, E_DRAW, loser, 2, 0, 0, 0, 0, 0)
    emit(state, E_WIN, 1 - loser, 0, 0, 0, 0, 0, 0)
    assert way_lost(state) == way


def test_every_end_of_real_games_is_told_as_it_was() -> None:
    """Damage and empty decks end random games of the Calligrapher and the Dancer; nothing in their files does it otherwise."""
    (result,) = Balance(replace(RANDOM, games=200), ("calligrapher", "dancer")).play()
    assert sum(ways["card"] + ways["summons"] for ways in result.lost.values()) == 0
    assert all(result.lost[artist]["deck"] for artist in ("calligrapher", "dancer"))
    assert any(result.lost[artist]["damage"] for artist in ("calligrapher", "dancer"))


def test_percentiles() -> None:
    turns = {4: 1, 6: 2, 9: 1}
    assert percentile(turns, 0.5) == 6
    assert percentile({4: 1, 7: 1}, 0.5) == 5.5
    assert (percentile(turns, 0.1), percentile(turns, 0.9)) == (4, 9)
    with pytest.raises(ValueError, match="no games"):
        percentile({}, 0.5)


# ------------------------------------------------------------------------------------------------ bars


def _result(a: str = "calligrapher", b: str = "dancer", **changes: Any) -> PairingResult:
    """100 games that keep to every bar."""
    use = {name: _use(name, 100) for name in (a, b)}
    cells = tuple(Cell(seat, began, 25, 12, 13, 0, 0) for seat in range(2) for began in (True, False))
    lost = {a: {"damage": 52}, b: {"damage": 48}}
    return replace(PairingResult(a, b, "0" * 16, "1" * 16, cells, {12: 100}, lost, use, 0, 1.0), **changes)


def _use(name: str, games: int, fewest: int = 100) -> Use:
    artist = load_artist(name)
    cards = [
        CardUse(card.id, card.name, False, fewest, fewest, (EffectUse(card.name, "intention", fewest, fewest),))
        for card in artist.actions
    ]
    cards += [
        CardUse(card.id, card.name, True, fewest, fewest, (EffectUse(card.name, "reaction", fewest, fewest),))
        for card in artist.abilities
    ]
    return Use(games, 10, tuple(cards))


def _misses(result: PairingResult, bars: Bars = pairings.BARS) -> list[str]:
    balance = Balance(Settings(games=100), (result.a, result.b), bars=bars)
    balance.results[result.a, result.b] = result
    return balance.misses()


def _cells(wins: int, losses: int, ties: int = 0, truncations: int = 0) -> tuple[Cell, ...]:
    """Who begins wins about half of the games that are won."""
    won, lost = wins // 2, losses // 2
    return (
        Cell(0, True, won + lost + ties + truncations, won, lost, ties, truncations),
        Cell(1, False, wins - won + losses - lost, wins - won, losses - lost, 0, 0),
    )


def test_nothing_misses_where_all_is_well() -> None:
    assert _misses(_result()) == []
    assert _misses(_result(cells=_cells(25, 75))) == []
    assert _misses(_result(cells=_cells(50, 48, ties=2))) == []
    assert _misses(_result(turns={8: 1, 22: 1})) == []
    assert _misses(_result(turns={22: 100})) == []
    assert _misses(_result(cells=(Cell(0, True, 100, 56, 44, 0, 0),))) == []


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"cells": _cells(24, 76)}, "Calligrapher wins 24.0 %"),
        ({"cells": _cells(76, 24)}, "Dancer wins 24.0 %"),
        ({"cells": _cells(49, 48, ties=3)}, "3.0 % ties"),
        ({"cells": _cells(50, 49, truncations=1)}, "1.0 % truncated"),
        ({"turns": {7: 60, 20: 40}}, "takes 7 turns"),
        ({"turns": {7: 40, 23: 60}}, "takes 23 turns"),
        ({"cells": (Cell(0, True, 100, 57, 43, 0, 0),)}, "who begins wins 57.0 %"),
        ({"cells": (Cell(0, False, 100, 57, 43, 0, 0),)}, "who begins wins 43.0 %"),
    ],
)
def test_each_bar_can_be_missed(changes: dict[str, Any], words: str) -> None:
    (line,) = _misses(_result(**changes))
    assert words in line
    assert "the bar is" in line


def test_cards_and_effects_that_are_not_played() -> None:
    rare = _use("dancer", 100, fewest=19)
    lines = _misses(_result(use={"calligrapher": _use("calligrapher", 100, fewest=20), "dancer": rare}))
    assert [line.split(" in 19.0 %")[0] for line in lines] == [
        f"Dancer: {card.name} is played" for card in rare.cards if not card.ability
    ]
    never = replace(
        _use("dancer", 100), cards=tuple(replace(card, effects=()) for card in _use("dancer", 100).cards[:-1])
    )
    silent = _use("dancer", 100).cards[-1]
    silent = replace(silent, effects=(EffectUse("Leap [2]", "reaction", 0, 0),))
    (line,) = _misses(
        _result(use={"calligrapher": _use("calligrapher", 100), "dancer": replace(never, cards=(*never.cards, silent))})
    )
    assert line.startswith("Dancer: Leap [2] (reaction) is played 0 times in 100 games")


def test_the_use_of_an_artist_is_summed_over_its_pairings() -> None:
    balance = Balance(Settings(games=100), ("calligrapher", "dancer", "tagger"))
    for pair in balance.pairings:
        balance.results[pair] = _result(*pair)
    use = balance.use("dancer")
    assert use is not None and use.games == 200 and use.ascended == 20
    assert {card.games for card in use.cards} == {200} == {card.effects[0].plays for card in use.cards}
    assert balance.summary()["artists"]["dancer"]["cards"]["slipstream"]["games"] == 1.0
    assert balance.cell("tagger", "dancer") == (52, 100)


# ------------------------------------------------------------------------------------------------ the file


def test_a_result_goes_through_json_and_back() -> None:
    (result,) = Balance(RANDOM, PAIR).play()
    again = PairingResult.from_json(json.loads(json.dumps(result.to_json())))
    assert again == replace(result, seconds=again.seconds)


def test_a_run_goes_on_where_it_stopped(tmp_path: Path) -> None:
    file = tmp_path / "balance.json"
    three = ("calligrapher", "dancer", "tagger")
    first = Balance(RANDOM, three)
    next(first.play())
    first.save(file)
    assert not json.loads(file.read_text())["complete"]
    second = Balance(RANDOM, three)
    assert second.resume(file) == 1
    told: list[tuple[int, int]] = []
    assert len(list(second.play(lambda *call: told.append(call)))) == 2
    assert told[-1] == (24, 24)  # only what was left
    second.save(file)
    third = Balance(RANDOM, three)
    assert third.resume(file) == 3 and list(third.play()) == []
    whole = Balance(RANDOM, three)
    list(whole.play())
    for pair, result in whole.results.items():
        assert replace(result, seconds=0) == replace(third.results[pair], seconds=0)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["balance.json"]


@pytest.mark.parametrize("key", ["rules_hash", "agent_hash"])
def test_what_has_changed_since_is_played_again(tmp_path: Path, key: str) -> None:
    file = tmp_path / "balance.json"
    balance = Balance(RANDOM, PAIR)
    list(balance.play())
    balance.save(file)
    content = json.loads(file.read_text())
    content["pairings"][0][key] = "0123456789abcdef"
    file.write_text(json.dumps(content))
    assert Balance(RANDOM, PAIR).resume(file) == 0


def test_pairings_that_are_not_asked_for_stay_in_the_file(tmp_path: Path) -> None:
    file = tmp_path / "balance.json"
    one = Balance(RANDOM, PAIR)
    list(one.play())
    one.save(file)
    other = Balance(RANDOM, ("calligrapher", "dancer"))
    assert other.resume(file) == 0
    list(other.play())
    other.save(file)
    assert len(json.loads(file.read_text())["pairings"]) == 2
    assert Balance(RANDOM, PAIR).resume(file) == 1


def test_other_settings_are_refused(tmp_path: Path) -> None:
    file = tmp_path / "balance.json"
    Balance(RANDOM, PAIR).save(file)
    for change, words in (
        ({"games": 20}, "games 12, not 20"),
        ({"seed": 4}, "seed 3, not 4"),
        ({"agent": "greedy"}, "not greedy"),
    ):
        with pytest.raises(OptionError, match=words):
            Balance(replace(RANDOM, **change), PAIR).resume(file)


@pytest.mark.parametrize("text", ["", "[]", "{}", "null", '{"format": 1, "game": "arts_of_war-v0"}', "\x00"])
def test_a_file_that_is_no_report_is_refused(tmp_path: Path, text: str) -> None:
    file = tmp_path / "notes.txt"
    file.write_text(text)
    with pytest.raises(OptionError, match="no report"):
        Balance(RANDOM, PAIR).resume(file)
    assert file.read_text() == text


def test_damaged_results_are_refused(tmp_path: Path) -> None:
    file = tmp_path / "balance.json"
    balance = Balance(RANDOM, PAIR)
    list(balance.play())
    balance.save(file)
    content = json.loads(file.read_text())
    for entry in ({**content["pairings"][0], "use": 3}, {"a": "dancer"}, 7):
        file.write_text(json.dumps({**content, "pairings": [entry]}))
        with pytest.raises(OptionError, match="no report"):
            Balance(RANDOM, PAIR).resume(file)


def test_what_cannot_be_written_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(OptionError, match="cannot be written"):
        Balance(RANDOM, PAIR).save(tmp_path / "file" / "balance.json")


@pytest.mark.parametrize(
    ("chosen", "words"),
    [
        (["dancer"], "two artists"),
        (["dancer", "dancer"], "stands twice"),
        (["dancer", "nobody"], "unknown artist 'nobody'"),
    ],
)
def test_wrong_artists(chosen: list[str], words: str) -> None:
    with pytest.raises(OptionError, match=words):
        Balance(RANDOM, chosen)


@pytest.mark.parametrize("games", [0, 7, -2])
def test_a_number_of_games_that_cannot_be_shared(games: int) -> None:
    with pytest.raises(OptionError, match="multiple of 2"):
        Settings(games=games)


def test_a_card_file_edited_during_the_run(tmp_path: Path) -> None:
    source = (Path(react_env.__file__).parent / "games/arts_of_war/editions/standard/dancer.yaml").read_text()
    file = tmp_path / "mine.yaml"
    file.write_text(source.replace("id: dancer", "id: mine"))
    balance = Balance(RANDOM, (str(file), "dancer"))
    assert balance.pairings == [("dancer", "mine")]
    file.write_text(
        source.replace("id: dancer", "id: mine").replace("copies: 9", "copies: 8").replace("copies: 7", "copies: 8", 1)
    )
    with pytest.raises(OptionError, match="mine has been edited"):
        list(balance.play())


# ------------------------------------------------------------------------------------------------ the report


def _everybody() -> Balance:
    balance = Balance(Settings(games=100))
    for pair in balance.pairings:
        balance.results[pair] = _result(*pair)
    return balance


def _printed(balance: Balance) -> str:
    console = Console(width=100, record=True, file=open("/dev/null", "w"))
    console.print(balance_report(balance))
    return console.export_text()


def test_all_artists_fit_100_columns() -> None:
    balance = _everybody()
    assert len(balance.artists) == len(artists()) >= 9
    text = _printed(balance)
    rows = [line for line in text.splitlines() if line.startswith(" Fortune Teller")]
    assert len(rows[0].split()) == 2 + 1 + len(
        balance.artists
    )  # nothing is cut off: two words, all, and a cell for each
    assert "…" not in text
    assert "everything played keeps to its bar" in text


def test_the_report_tells_what_misses_and_what_is_unread() -> None:
    balance = Balance(Settings(games=100), ("calligrapher", "dancer", "tagger"))
    balance.results["calligrapher", "dancer"] = _result(cells=_cells(20, 80), unread=4)
    text = _printed(balance)
    assert "misses the bar (1):" in text and "Calligrapher wins 20.0 %" in text and "4 rows of the log" in text
    page = balance_page(balance)
    assert "Unfinished: 1 of 3 pairings" in page
    assert "- Calligrapher - Dancer: Calligrapher wins 20.0 %" in page


def test_the_page() -> None:
    balance = _everybody()
    page = balance_page(balance)
    assert "`react-env balance --agent greedy --games 100 --seed 0`" in page
    grid = page.split("## Win rates")[1].split("##")[0]
    rows = [line for line in grid.splitlines() if line.startswith("| ") and "---" not in line]
    assert len(rows) == len(balance.artists) + 1
    assert {line.count("|") for line in rows} == {len(balance.artists) + 3}
    assert "48 (38-58)" in grid and "52 (42-62)" in grid
    for artist in balance.artists.values():
        for card in (*artist.actions, *artist.abilities):
            assert f"| {artist.name} | {card.name} |" in page


def test_the_command_is_told_exactly() -> None:
    settings = Settings("greedy:2", 20, 7, "my/edition")
    assert settings.command(["dancer", "tagger"]) == (
        "react-env balance --agent greedy:2 --games 20 --seed 7 --edition my/edition --artists dancer,tagger"
    )


# ------------------------------------------------------------------------------------------------ the command


def _call(*arguments: str) -> Any:
    return CliRunner().invoke(app, ["balance", *arguments], env={"COLUMNS": "100"})


def test_the_command_writes_both_files_and_goes_on_from_one(tmp_path: Path) -> None:
    file, page = tmp_path / "balance.json", tmp_path / "balance.md"
    arguments = ["--agent", "random", "--games", "4", "--artists", "dancer, tagger,dj", "--file", str(file)]
    result = _call(*arguments, "--markdown", str(page))
    assert result.exit_code == 0, result.output
    assert "win rate of the row against the column" in result.stdout
    content = json.loads(file.read_text())
    assert content["complete"] and len(content["pairings"]) == 3 and content["settings"]["games"] == 4
    assert content["version"] == react_env.__version__
    assert content["misses"] and "How even the artists are" in page.read_text()
    seconds = [entry["seconds"] for entry in content["pairings"]]
    again = _call(*arguments)
    assert again.exit_code == 0 and "3 of 3 pairings" in again.stderr
    assert [entry["seconds"] for entry in json.loads(file.read_text())["pairings"]] == seconds
    refused = _call(*arguments, "--seed", "1")
    assert refused.exit_code == 2 and "other settings" in refused.stderr


def test_an_interrupted_run_keeps_what_is_done(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "balance.json"
    played: list[tuple[str, str]] = []
    real = Balance._play

    def play(self: Balance, a: str, b: str, finished: Any) -> PairingResult:
        if played:
            raise KeyboardInterrupt
        played.append((a, b))
        return real(self, a, b, finished)

    monkeypatch.setattr(Balance, "_play", play)
    result = _call("--agent", "random", "--games", "4", "--artists", "dancer,tagger,dj", "--file", str(file))
    assert result.exit_code == 130 and "win rate" in result.stdout
    content = json.loads(file.read_text())
    assert not content["complete"] and len(content["pairings"]) == 1


def test_a_tie_is_neither_won_nor_lost() -> None:
    state = np.zeros(1, S.STATE)[0]
    state["over"] = 1
    emit(state, E_TIE, 0, 0, 0, 0, 0, 0, 0)
    game = react_env.load("arts_of_war-v0", artists=("calligrapher", "dancer"))
    seat = SeatGames(game, 0)
    seat._count_end(state)
    assert seat.cells.tolist() == [[0] * 5, [1, 0, 0, 1, 0]]
    assert seat.lost == [Counter(), Counter()]
