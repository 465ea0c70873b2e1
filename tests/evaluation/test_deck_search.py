"""The search for a deck: what it proposes, how it measures, that it goes on where it stopped."""

from __future__ import annotations

import json
from collections import Counter
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

import react_env
from react_env.cli import app
from react_env.engine.batch import seed_words
from react_env.errors import CardError, OptionError, ReactEnvError
from react_env.evaluation.deck_report import deck_report
from react_env.evaluation.deck_search import Search, Settings, _points, fit
from react_env.evaluation.document import as_markdown

GAME = "reality_tcg-v0"
SMALL = Settings(
    GAME, {"max_turns": 8}, ("tempo", "rush"), "random", trials=5, deals=2, finalists=2, again=2, report=4, seed=3
)
cards = st.dictionaries(st.sampled_from("abcdefghijklmnopqrst"), st.integers(0, 3), min_size=14)


@given(cards)
def test_a_deck_has_an_allowed_size(wanted: dict[str, int]) -> None:
    have = sum(copies > 0 for copies in wanted.values())
    if have * 3 < 40:
        with pytest.raises(ValueError, match="too few"):
            fit(wanted, 3, 40, 60)
        return
    found = fit(wanted, 3, 40, 60)
    assert 40 <= sum(found.values()) <= 60 and all(1 <= copies <= 3 for copies in found.values())
    assert set(found) <= {card for card, copies in wanted.items() if copies}
    assert fit(found, 3, 40, 60) == found
    for card in found:
        for other in found:
            assert wanted[card] < wanted[other] or found[card] >= found[other] - 1, "in about these proportions"


def test_a_deck_that_is_one_stays_it() -> None:
    wanted = dict.fromkeys("abcdefghijklmnopqrst", 2) | {"unused": 0}
    assert fit(wanted, 3, 40, 60) == dict.fromkeys("abcdefghijklmnopqrst", 2)


def test_from_the_first_deck_to_the_report(tmp_path: Path) -> None:
    told: list[tuple[int, int]] = []
    with Search(SMALL) as search:
        found = search.run(lambda done, total: told.append((done, total)))
    assert len(found.trials) == 5 and len(found.finalists) == 2
    assert [trial.cards for trial in found.trials[:2]] == [dict(search.space.cards(deck)) for deck in ("tempo", "rush")]
    assert found.found == max(found.finalists, key=lambda trial: trial.score).cards
    assert found.best_of_field in SMALL.field and {one.card for one in found.carried} == set(found.found)
    for meetings in (found.meetings, found.theirs):
        assert [one.against for one in meetings] == ["tempo", "rush"]
        assert all(one.games == 8 and sum(one.seats) == one.wins and one.wins + one.ties <= 8 for one in meetings)
    assert told == sorted(told) and told[-1][0] == told[-1][1]
    search.space.write(tmp_path / "mine.yaml", "Mine", found.found)
    game = react_env.load(GAME, decks=(tmp_path / "mine.yaml", "tempo"))
    assert dict(game.decks[0].cards) == found.found  # type: ignore[attr-defined]


@pytest.mark.parametrize("name", ["My best deck-2", "7th", "Straße", "_", "x" * 60, "my  deck", " mine"])
def test_a_deck_can_be_written_to_any_file(name: str, tmp_path: Path) -> None:
    """Past bug: a file name that is not a valid id made a deck that was refused."""
    file = tmp_path / f"{name}.yaml"
    with Search(SMALL) as search:
        search.space.write(file, name, search.space.cards("tempo"))
        search.space.load((str(file), "tempo"))


def test_what_is_reported_was_not_searched(monkeypatch: pytest.MonkeyPatch) -> None:
    """Search, choice and report have deals of their own, and every deck of a part meets the same ones."""
    order: list[bytes] = []

    def points(game: Any, agent: str, words: Any, seat: int, seed: int, threads: int) -> Any:
        order.append(words.tobytes())
        return np.full(len(words), 0.5)

    monkeypatch.setattr("react_env.evaluation.deck_search._points", points)
    with Search(SMALL) as search:
        search.run()
    searched = set(order[: 5 * 4])
    chosen, reported = set(order[5 * 4 : 7 * 4]), set(order[7 * 4 :])
    assert len(searched) == len(chosen) == len(reported) == 1
    deals = [set(np.frombuffer(next(iter(one)), np.uint64).tolist()) for one in (searched, chosen, reported)]
    assert not (deals[0] & deals[1] or deals[0] & deals[2] or deals[1] & deals[2])
    assert deals[0] == set(seed_words(SMALL.seed, SMALL.deals).tolist())


def test_a_card_that_never_mattered_may_still_matter_now_and_then(monkeypatch: pytest.MonkeyPatch) -> None:
    """Past bug: the intervals were half as wide. What never occurred in n games may be as frequent as 3 in n (the rule of three)."""
    monkeypatch.setattr(
        "react_env.evaluation.deck_search._points",
        lambda game, agent, words, seat, seed, threads: np.full(len(words), 0.5),
    )
    with Search(replace(SMALL, trials=2, report=500)) as search:
        found = search.run().carried[0]
    games = 500 * 2 * len(SMALL.field)
    assert found.mean == 0 and not found.sure
    assert games * found.high == -games * found.low == pytest.approx(3, abs=0.3)


def test_points_are_those_of_the_seat(monkeypatch: pytest.MonkeyPatch) -> None:
    class First:
        name = "first"

        def act(self, observations: Any, action_masks: Any, rng: Any) -> Any:
            return action_masks.argmax(1)

    monkeypatch.setattr("react_env.evaluation.deck_search.load_for_edited", lambda *_: First())
    game, words = react_env.load(GAME, decks=("tempo", "rush")), seed_words(1, 40)
    one, other = (_points(game, "first", words, seat, 0) for seat in range(2))
    assert (one + other == 1).all() and (one != other).any()


GOOD = ("boxer", "captain", "restock")


@pytest.fixture
def good_cards_win(monkeypatch: pytest.MonkeyPatch) -> None:
    """Decks play no games, and score by how many copies of three good cards they have."""

    def meet(self: Search, deck: Any, deals: int, part: int) -> Any:
        deck = self.space.cards(deck) if isinstance(deck, str) else deck
        return np.full((2, 2, deals), sum(deck.get(card, 0) for card in GOOD) / 9)

    monkeypatch.setattr(Search, "_file", lambda self, cards: cards)
    monkeypatch.setattr(Search, "_meet", meet)


def test_the_optimiser_goes_on_as_it_would_have(good_cards_win: None, tmp_path: Path) -> None:
    """Here it is past its first decks, which are drawn at random whatever the earlier results."""
    file = tmp_path / "search.json"
    with Search(replace(SMALL, trials=14)) as whole:
        whole.run()
        file.write_text(
            json.dumps({**whole.to_json(), "result": {"trials": [vars(one) for one in whole.result.trials[:12]]}})
        )
    with Search(replace(SMALL, trials=14)) as search:
        assert search.resume(file) == 12
        assert search.run() == whole.result
    scores = {deck: trial.score for deck, trial in zip(SMALL.field, whole.result.trials)}
    assert scores[whole.result.best_of_field] == max(scores.values()) > min(scores.values())


def test_of_what_was_measured_at_the_end_nothing_is_lost(
    good_cards_win: None, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Past bug: nothing of the finalists and the report, where most games are played, was kept before the last game."""
    with Search(SMALL) as whole:
        whole.run()
    file, meet = tmp_path / "search.json", Search._meet
    measured, left = Counter[tuple[int, str]](), 0

    def counted(self: Search, deck: Any, deals: int, part: int) -> Any:
        nonlocal left
        if not left:
            raise KeyboardInterrupt
        left -= 1
        measured[part, str(deck)] += 1
        return meet(self, deck, deals, part)

    monkeypatch.setattr(Search, "_meet", counted)
    for _ in range(40):
        left = 4
        with Search(SMALL) as search, suppress(KeyboardInterrupt):
            search.resume(file)
            search.run(save=lambda search=search: file.write_text(json.dumps(search.to_json())))
    assert search.result == whole.result
    again = {deck for (part, deck), times in measured.items() if times > 1}
    assert again <= {str(search.result.found), search.result.best_of_field}, "what all others are compared with"


def test_any_seed_of_a_command_is_one_for_the_optimiser(good_cards_win: None) -> None:
    with Search(replace(SMALL, trials=1, seed=2**40)) as search:
        assert len(search.run().trials) == 1


def test_a_deck_of_the_field_that_nothing_beat_is_not_told_as_a_find(good_cards_win: None) -> None:
    """Past bug: the report compared it with itself, and did not say that it was no new deck."""
    with Search(replace(SMALL, trials=2)) as search:
        found = search.run()
        page = as_markdown(deck_report(search))
    assert f"It is {found.best_of_field}, a deck of the field: no new deck did better." in page
    assert "which did best of the field" not in page and "# No new deck does better than the field" in page
    # Past bug: it was called "the deck that was found", beside another that "did best of the field": the best of the first deals.
    found.best_of_field = next(deck for deck in SMALL.field if deck != found.best_of_field)
    page = as_markdown(deck_report(search))
    assert "that was found" not in page and "which did best of the field" not in page


@pytest.mark.slow
def test_it_finds_what_wins(good_cards_win: None) -> None:
    """If decks with many copies of three cards win, the search arrives at such decks."""
    with Search(replace(SMALL, trials=100)) as search:
        found = search.run()
    scores = [trial.score for trial in found.trials]
    assert np.mean(scores[-20:]) > np.mean(scores[2:22]) + 0.15
    assert sum(found.found.get(card, 0) for card in GOOD) >= 8
    assert {one.card for one in found.carried[:2]} < set(GOOD)


@pytest.mark.slow
def test_a_search_that_was_stopped_goes_on(tmp_path: Path) -> None:
    file = tmp_path / "search.json"

    class Stopped(Exception):
        pass

    with Search(SMALL) as whole:
        whole.run()
    for stops in (True, False):
        with Search(SMALL) as search:
            search.resume(file)
            saves = iter(range(100))

            def save(search: Search = search, saves: Any = saves, stops: bool = stops) -> None:
                file.write_text(json.dumps(search.to_json()))
                if next(saves) == 2 and stops:
                    raise Stopped

            try:
                search.run(save=save)
            except Stopped:
                continue
    assert json.loads(file.read_text())["complete"]
    assert search.result == whole.result


@pytest.mark.parametrize(
    ("settings", "error", "says"),
    [
        ({"game": "fight_sequence-v0"}, OptionError, "its players build no decks"),
        ({"game": "chess"}, OptionError, "there is no game 'chess'"),
        ({"field": ("tempo", "wal")}, OptionError, "no deck 'wal'; did you mean 'wall'"),
        ({"options": {"copies": 2}}, CardError, "3 copies; allowed: 2"),
        ({"options": {"max_turn": 2}}, OptionError, "max_turn"),
        ({"agent": "nobody"}, OptionError, "no agent is called 'nobody'"),
        ({"trials": 0}, OptionError, "trials is 0; allowed: 1 or more"),
        ({"report": 1}, OptionError, "report is 1; allowed: 2 or more"),
    ],
)
def test_what_cannot_be_searched(settings: dict[str, Any], error: type[ReactEnvError], says: str) -> None:
    with pytest.raises(error, match=says):
        Search(replace(SMALL, **settings))


def test_files_of_something_else(tmp_path: Path) -> None:
    file = tmp_path / "search.json"
    with Search(SMALL) as search:
        assert search.resume(file) == 0
        file.write_text(json.dumps(search.to_json()))
    with (
        Search(replace(SMALL, deals=3)) as other,
        pytest.raises(OptionError, match="other settings, rules or agents"),
    ):
        other.resume(file)
    with Search(SMALL) as search:
        search._played_by[1] = "other rules"
        with pytest.raises(OptionError, match="other settings, rules or agents"):
            search.resume(file)
    for text in ("{}", "[]", "no JSON", "[" * 100_000, file.read_text().replace('"trials": []', '"trials": [1]')):
        file.write_text(text)
        with Search(SMALL) as search, pytest.raises(OptionError, match="is no search of react-env decks"):
            search.resume(file)


def test_the_command(tmp_path: Path) -> None:
    deck, page, file = tmp_path / "my_deck.yaml", tmp_path / "page.md", tmp_path / "search.json"
    words = ["decks", "search", "--field", "tempo,wall", "--agent", "random", "--trials", "4", "--deals", "2"]
    words += ["--report", "3", "--set", "max_turns=8", "--file", str(file), "--threads", "1"]
    result = CliRunner().invoke(app, [*words, "--deck", str(deck), "--markdown", str(page)], env={"COLUMNS": "120"})
    assert result.exit_code == 0, result.output
    assert "the deck that was found" in result.output and "4 decks tried" in result.output
    assert "## What each card contributes" in page.read_text() and page.with_suffix(".svg").read_text().startswith(
        "<?xml"
    )
    assert "My Deck" in deck.read_text()
    assert CliRunner().invoke(app, ["cards", "check", str(deck)]).exit_code == 0
    again = CliRunner().invoke(app, [*words, "--json"])
    assert again.exit_code == 0 and "4 of 4 decks are already in" in again.stderr
    assert json.loads(again.stdout) == json.loads(file.read_text()) and json.loads(again.stdout)["complete"]
    wrong = CliRunner().invoke(app, ["decks", "search", "--trials", "0"])
    assert wrong.exit_code == 2 and "trials is 0" in wrong.stderr


def test_no_deck_is_written_where_no_new_one_did_better(good_cards_win: None, tmp_path: Path) -> None:
    deck = tmp_path / "my_deck.yaml"
    words = ["decks", "search", "--field", ",".join(SMALL.field), "--agent", "random", "--trials", "2", "--deals", "2"]
    words += ["--report", "3", "--set", "max_turns=8", "--threads", "1", "--deck", str(deck)]
    result = CliRunner().invoke(app, words, env={"COLUMNS": "120"})
    assert result.exit_code == 0, result.output
    assert "is not written: no new deck did better than" in result.stderr and not deck.exists()


def test_a_deck_of_all_that_a_small_set_has_becomes_smaller_without_a_card() -> None:
    """Past bug: the search for other cards never ended if there were none."""
    search = object.__new__(Search)
    search.space = SimpleNamespace(field=(), names={"a": "A", "b": "B", "c": "C"}, most=3)  # type: ignore[assignment]
    search.result = SimpleNamespace(found={"a": 3, "b": 3, "c": 2})  # type: ignore[assignment]
    assert search._without("a") == {"b": 3, "c": 3}


def test_a_deck_without_a_card_stays_itself_but_for_that_card() -> None:
    """Past bug: a deck with as many copies as allowed was thinned out as a whole, so that every card seemed to carry it."""
    with Search(SMALL) as search:
        search.result.found = dict.fromkeys(list(search.space.names)[:13], 3) | {"restock": 1}
        for card, copies in search.result.found.items():
            rest = search._without(card)
            assert card not in rest and sum(rest.values()) == 40 and max(rest.values()) <= 3
            more = {name: rest[name] - search.result.found.get(name, 0) for name in rest}
            assert set(more.values()) <= {0, 1} and sum(more.values()) == copies


@pytest.mark.parametrize("edited", ["mine.py", "rush.yaml"])
def test_what_is_edited_during_a_search_ends_it(tmp_path: Path, edited: str) -> None:
    """Past bug: later decks were measured against the edited file, and kept in one search with those before."""
    decks = Path(react_env.__file__).parent / "games/reality_tcg/decks"
    (tmp_path / "rush.yaml").write_text((decks / "rush.yaml").read_text())
    own = "class Mine:\n    def act(self, observations, action_masks, rng):\n        return action_masks.argmax(1)\n"
    (tmp_path / "mine.py").write_text(own)
    field = (str(tmp_path / "rush.yaml"), "wall")
    agent = f"{tmp_path / 'mine.py'}:Mine"
    with Search(Settings("reality_tcg-v0", {"max_turns": 4}, field=field, agent=agent, trials=2, deals=2)) as search:
        search._meet("wall", 2, 0)
        text = (tmp_path / edited).read_text().replace("hot_soup: 2", "hot_soup: 3")
        (tmp_path / edited).write_text(text.replace("energy_bar: 3", "energy_bar: 2") + "# edited\n")
        with pytest.raises(OptionError, match="changed during the search"):
            search._meet("wall", 2, 0)
