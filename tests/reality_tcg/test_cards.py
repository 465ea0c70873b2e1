"""Set and deck files: what they may hold, what is wrong with one, and the page that explains them."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import jsonschema
import numpy as np
import pytest
import yaml
from typer.testing import CliRunner

import react_env
from react_env.cli import app
from react_env.engine.compile import later
from react_env.engine.game import Game
from react_env.errors import CardError, OptionError
from react_env.games.reality_tcg import cards as C
from react_env.games.reality_tcg import state as S
from react_env.games.reality_tcg.card_files import FILES
from react_env.games.reality_tcg.rules import load_rules

PAGE = (Path(__file__).parents[2] / "docs" / "reality_tcg" / "card_files.md").read_text(encoding="utf-8")


@pytest.fixture
def street(tmp_path: Path) -> Path:
    """The example deck of the page, with its set beside it."""
    for block in re.findall(r"```yaml\n(.*?)```", PAGE, re.DOTALL):
        (tmp_path / re.match(r"# (\S+)", block)[1]).write_text(block, encoding="utf-8")  # type: ignore[index]
    return tmp_path / "errands.yaml"


def test_the_files_of_the_page_are_played(street: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(street.parent)
    game = react_env.load("reality_tcg-v0", decks="errands.yaml", copies=20)
    assert game.action_names[:2] == ("Courier", "Chef")
    s, rng = game.new(seed=1), np.random.default_rng(1)
    while not s["over"]:
        game.step(s, int(rng.choice(game.legal_actions(s))))
    assert game.observation_shape == react_env.load("reality_tcg-v0").observation_shape
    assert [finding.ok for finding in FILES.inspect(".")] == [True, True]


def test_each_sign_of_a_printed_set_is_explained(tmp_path: Path) -> None:
    file = tmp_path / "mine.yaml"
    file.write_text(FILES.file(C.DEFAULT_SET).read_text().replace("atk: designed", "atk: derived", 1))
    told = CliRunner().invoke(app, ["cards", str(file)]).stdout
    assert " 4' " in told and "': follows from what is stated; *: designed" in told


def test_the_page_names_every_effect() -> None:
    words = {word.key() for words in C._OF.values() for word in words}
    assert words == set(re.findall(r"`(\w+): (?:N|1)`", PAGE)) and len(words) == S.WORDS - 1


def test_installed_files_keep_to_the_schema() -> None:
    schema = FILES.json_schema()
    for file in (*C.DECKS.glob("*.yaml"), *C.SETS.glob("*.yaml")):
        jsonschema.validate(yaml.safe_load(file.read_text(encoding="utf-8")), schema)


def test_every_field_of_the_installed_set_is_marked() -> None:
    """No card is public: all of them are designed."""
    for card in C.load_set(C.DEFAULT_SET).cards:
        fields = {
            "ability" if name == "effect" and card.sort == S.CHARACTER else name for name in card.model_fields_set
        }
        named = {"def" if name == "def_" else name for name in fields} - {"id", "provenance", "from_hand"}
        assert {name for name, mark in card.provenance.items() if mark == "designed"} == named


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("effect: {draw: 1}", "effect: {burn: 1}", "line 9.*not a known effect; known: damage, active_atk, draw"),
        ("effect: {draw: 1}", "effect: {heal: 1}", "not a known effect"),
        ("effect: {draw: 1}", "effect: {draw: 9}", "line 9.*should be at most 5"),
        ("hp: 3, spd: 6", "hp: 0, spd: 6", "line 6, character 1 'courier', field 'hp': should be at least 1"),
        ("hp: 3, spd: 6", "hp: 3, speed: 6", "unknown field 'speed'"),
        ("id: chef, name: Chef", "id: courier, name: Chef", "line 7: id 'courier' is listed twice"),
        ("name: Dumplings", "name: Courier", "name 'Courier' is listed twice"),
        ("cost: 1, atk: 2", "cost: eleven, atk: 2", "line 6.*cost"),
    ],
)
def test_what_is_wrong_with_a_set(street: Path, old: str, new: str, message: str) -> None:
    file = street.parent / "street.yaml"
    text = file.read_text()
    assert old in text
    file.write_text(text.replace(old, new))
    with pytest.raises(CardError, match=f"street.yaml: .*{message}"):
        react_env.load("reality_tcg-v0", decks=street, copies=20)
    (finding,) = FILES.inspect(str(file))
    assert not finding.ok


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("courier: 20", "couriers: 20", "no card 'couriers'; did you mean 'courier'"),
        ("courier: 20", "courier: 21", r"21 copies; allowed: 20 \(the option copies\)"),
        ("courier: 20", "courier: 19", "39 cards; allowed: 40 to 60"),
        ("courier: 20", "courier: 0", "should be at least 1"),
        ("set: street.yaml", "set: streets.yaml", r"line \d, field 'set': there is no set 'streets.yaml'"),
        ("set: street.yaml", "set: nowhere", "there is no set 'nowhere'"),
        (
            "set: street.yaml",
            f"set: {'a' * 300}",
            r"line \d, field 'set': there is no set 'a+\.\.\.",
        ),  # too long for a file
        (
            "set: street.yaml",
            "set: ~nobody-here/a.yaml",
            r"line \d, field 'set': there is no set '~nobody-here/a.yaml'",
        ),
    ],
)
def test_what_is_wrong_with_a_deck(street: Path, old: str, new: str, message: str) -> None:
    text = street.read_text()
    assert old in text
    street.write_text(text.replace(old, new))
    with pytest.raises(CardError, match=message):
        react_env.load("reality_tcg-v0", decks=street, copies=20)
    finding = FILES.inspect(str(street))[0]
    assert not finding.ok or "copies=21" in finding.warnings[0]  # how many copies are allowed is an option


def test_a_number_too_large_is_told_in_plain_words(tmp_path: Path) -> None:
    """Past bug: "Unable to parse input string as an integer", about a number."""
    text = FILES.file(C.DEFAULT_SET).read_text()
    (tmp_path / "big.yaml").write_text(text.replace("cancel_attack: 1", f"cancel_attack: {10**19}"))
    (error,) = FILES.inspect(str(tmp_path / "big.yaml"))[0].errors
    assert error.endswith(f"field 'effect.cancel_attack': too large a number; found {10**19}")


def test_decks_of_two_sets_do_not_meet(street: Path) -> None:
    with pytest.raises(OptionError, match="one set is needed"):
        react_env.load("reality_tcg-v0", decks=("tempo", street), copies=20)


def test_a_set_beside_a_deck_that_differs_from_the_installed_one_is_told(tmp_path: Path) -> None:
    """Past bug: the message named reality_default as the set of the one and of the other."""
    deck = tmp_path / "rush.yaml"
    deck.write_text(FILES.file("rush").read_text())
    text = FILES.file(C.DEFAULT_SET).read_text()
    (tmp_path / f"{C.DEFAULT_SET}.yaml").write_text(
        re.sub(r"atk: (\d)", lambda found: f"atk: {int(found[1]) + 1}", text, count=1)
    )
    with pytest.raises(
        OptionError, match="two sets called reality_default, whose cards differ: .* put both decks there"
    ):
        react_env.load("reality_tcg-v0", decks=(deck, "wall"))
    (tmp_path / "wall.yaml").write_text(FILES.file("wall").read_text())
    react_env.load("reality_tcg-v0", decks=(deck, tmp_path / "wall.yaml"))


@pytest.mark.parametrize("word", ["characters", "maneuvers"])
def test_a_set_with_a_slip_in_a_list_is_still_a_set(word: str, tmp_path: Path) -> None:
    """Past bug: without its characters it was taken for a deck, and asked for the keys of a deck."""
    file = tmp_path / "mine.yaml"
    file.write_text(FILES.file(C.DEFAULT_SET).read_text().replace(f"{word}:", f"{word[:3]}{word[4:]}:"))
    (finding,) = FILES.inspect(str(file))
    assert not finding.ok and f"did you mean '{word}'" in str(finding), finding


def test_thousands_of_decks_share_a_table(tmp_path: Path) -> None:
    """Memory grows with the number of decks, not of pairs; there is room for 64 or for 4,096."""
    game = seventy_decks(tmp_path)
    assert game.tables.dtype == S.tables_dtype(4096) and game.tables.nbytes < 200_000


@pytest.mark.long
def test_thousands_of_decks_are_drawn_from(tmp_path: Path) -> None:
    game = seventy_decks(tmp_path)
    lists = {tuple(game.new(seed=seed)["list"].tolist()) for seed in range(60)}
    assert len(lists) > 50


def seventy_decks(folder: Path) -> Game:
    """A game that draws from seventy decks. It is compiled when it is first played, which takes a while for so many."""
    names = []
    for i in range(70):
        cards = {"boxer": 3, "captain": 3} | {
            card.id: 2
            for card in C.load_set(C.DEFAULT_SET).cards[i % 7 : i % 7 + 17]
            if card.id not in ("boxer", "captain")
        }
        size = sum(cards.values())
        cards["gate_guard"] = cards.get("gate_guard", 0) + max(0, 40 - size)
        names.append(folder / f"{i}.yaml")
        names[-1].write_text(
            json.dumps({"id": f"d{i}", "name": f"Deck {i}", "version": 1, "set": C.DEFAULT_SET, "cards": cards})
        )
    with later():
        return react_env.load("reality_tcg-v0", decks="random", pool=names, copies=20)


def test_the_commands(street: Path) -> None:
    def ok(*words: str) -> str:
        result = CliRunner().invoke(app, ["cards", *words], env={"COLUMNS": "120"})
        assert result.exit_code == 0, result.output
        return str(result.output)

    assert (
        "Headliner" in ok("giants") and "negate a Food" in ok("reality_default") and "Night Market" in ok(str(street))
    )
    assert "ok" in ok("check", str(street.parent / "street.yaml")) and "20 copies" in ok("check", str(street))
    found = json.loads(ok("wall", "--json"))
    assert found["cards"]["bouncer"] == 3
    assert {"sets", "deck_lists"} <= set(json.loads(ok("--json")))


def test_every_option_of_cards_is_a_number_of_the_table() -> None:
    """A card's row holds what its file says."""
    t: Any = react_env.load("reality_tcg-v0").tables[0]
    for k, card in enumerate(C.load_set(C.DEFAULT_SET).cards):
        for name, number in card.numbers().items():
            assert t[name][k] == number
    assert t["kinds"] == 28 and load_rules().copies == 3


def test_support_says_which_number_counts() -> None:
    """Past bug: "once whoever supports it" did not say whether +1 and +2 are 2 or 3 (RT-C1)."""
    assert C.Support(support_atk=2).says.format(2) == (
        "in the Back Row: your Active Character has +2 ATK; of several such numbers the largest counts"
    )


def test_a_trap_that_may_come_from_the_hand_says_so() -> None:
    """Past bug: the text of such a Trap was like that of any other (RT-C3)."""
    cards = {card.name: card for card in C.load_set(Path(__file__).parent / "decks" / "odd_set.yaml").cards}
    assert cards["Ambush"].text() == "when attacked: cancel the attack; also from the hand"
    assert "hand" not in cards["Pitfall"].text()
