"""What the laboratory counts, compared with games played one by one and with their logs."""

from __future__ import annotations

import re
import shutil
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import react_env
from react_env.errors import OptionError
from react_env.evaluation.lab.findings import agent_findings
from react_env.evaluation.lab.games import DEALS, Cell, Outcomes, block_words, play
from react_env.evaluation.lab.study import Folder, Settings, Study, subject_of
from react_env.evaluation.lab.subject import Ban
from react_env.games.arts_of_war import lab as arts_of_war
from react_env.games.arts_of_war import state as S
from react_env.games.arts_of_war.log import E_DRAW, E_MOVE, E_NOTHING, E_PLAY, E_RESOLVE, E_WIN, emit
from tests.fight_sequence.test_rules_building import nothing_left


class Last:
    """Takes the last legal action: it plays whatever can be played, and lays cards face down."""

    name = "last"

    def act(self, observations: Any, action_masks: Any, rng: np.random.Generator) -> Any:
        return action_masks.shape[1] - 1 - np.argmax(action_masks[:, ::-1], axis=1)


class First(Last):
    """Takes the first legal action."""

    name = "first"

    def act(self, observations: Any, action_masks: Any, rng: np.random.Generator) -> Any:
        return np.argmax(action_masks, axis=1)


class Chance(Last):
    """Takes any legal action."""

    name = "chance"

    def act(self, observations: Any, action_masks: Any, rng: np.random.Generator) -> Any:
        return np.argmax(action_masks * rng.random(action_masks.shape), axis=1)


def one_by_one(game: Any, cell: Cell, deals: int, last: bool) -> list[tuple[Any, list[str], int]]:
    """The same games, played one by one: the last state, all lines of the log, and who began."""
    found = []
    batch = game.batch(num_games=deals, seed=0)
    batch.start(np.arange(deals), block_words(7, 0, cell.sides)[:deals])
    for row in batch.states:
        state = game.copy(row)
        began = int(state["first"]) if "first" in state.dtype.names else int(state["starter"])
        lines = game.log_lines(state, 0)
        while not state["over"]:
            since = game.event_count(state)
            game.step(state, int(game.legal_actions(state)[-1 if last else 0]))
            lines += game.log_lines(state, since)
        found.append((state, lines, began))
    return found


def check(found: Outcomes, games: list[tuple[Any, list[str], int]], length: str) -> None:
    assert found.winner.tolist() == [int(s["reward"].argmax()) if s["reward"].any() else -1 for s, *_ in games]
    assert found.length.tolist() == [int(s[length]) for s, *_ in games]
    assert found.began.tolist() == [began for *_, began in games]
    assert np.isnan(found.chances).all() and np.isnan(found.decisions).all(), "nobody judged"


@pytest.mark.parametrize("sides", [("fortune_teller", "painter"), ("dj", "animator")])
def test_artists(sides: tuple[str, str]) -> None:
    subject, cell = subject_of("arts_of_war-v0", {}, sides), Cell(sides)
    game = subject.load(sides)
    found = play(subject, cell, game, Last(), seed=7, block=0, deals=24)
    games = one_by_one(game, cell, 24, last=True)
    check(found, games, "turn")
    for player, side in enumerate(sides):
        names = {item.name.lower(): i for i, item in enumerate(subject.items(side))}
        told: Counter[str] = Counter()
        for _, lines, _ in games:
            text = "\n".join(lines)
            plays = re.findall(rf"^player_{player} plays (.+?) \((Intention|Reaction)\)", text, re.MULTILINE)
            words = {f"{name} ({kind})".lower() for name, kind in plays} | {name.lower() for name, _ in plays}
            told.update(words & {*names})
            told["masterpiece"] += bool(re.search(rf"^player_{player} (ascends|becomes)", text, re.MULTILINE))
        ours = {name: int(found.used[:, player, i].sum()) for name, i in names.items()}
        parts = {item.name.lower() for item in subject.items(side) if item.part}
        assert {name: ours[name] for name in parts if ours[name]} == {n: c for n, c in told.items() if n in parts and c}
        assert ours["(the masterpiece is completed)"] == told["masterpiece"]
        assert parts and any(ours.values())


@pytest.mark.parametrize("agent", [Last(), First()], ids=["last", "first"])
def test_decks_of_reality_tcg(agent: Last) -> None:
    subject, cell = subject_of("reality_tcg-v0", {"max_turns": 60}, ("rush", "wall")), Cell(("rush", "wall"))
    game = subject.load(cell.sides)
    found = play(subject, cell, game, agent, seed=7, block=0, deals=24)
    games = one_by_one(game, cell, 24, last=agent.name == "last")
    check(found, games, "turn")
    for player, side in enumerate(cell.sides):
        for i, item in enumerate(subject.items(side)):
            pattern = rf"^player_{player} (plays|summons) {item.name}\b"
            told = [bool(re.search(pattern, "\n".join(lines), re.MULTILINE)) for _, lines, _ in games]
            ours = found.used[:, player, i].tolist()
            if item.id in ("counter_hook", "slammed_door", "spoiled_meal", "red_tape"):  # setting is playing
                assert all(mine or not theirs for mine, theirs in zip(ours, told))
            else:
                assert ours == told, item.name


def test_decks_of_fight_sequence() -> None:
    subject = subject_of("fight_sequence-v0", {})
    cell = Cell(subject.sides * 2)
    game = subject.load(cell.sides)
    found = play(subject, cell, game, Last(), seed=7, block=0, deals=16)
    games = one_by_one(game, cell, 16, last=True)
    check(found, games, "sequence")
    does = {"attack": "attacks with {}$", "response": r"(responds with {} \(|discards {} for its Willpower)"}
    for i, item in enumerate(subject.items(subject.sides[0])):
        card, _, way = item.id.partition("/")
        words = "|".join(does[one] for one in ([way] if way else does)).replace("{}", re.escape(card))
        told = [bool(re.search(rf"^player_1 ({words})", "\n".join(lines), re.MULTILINE)) for _, lines, _ in games]
        assert found.used[:, 1, i].tolist() == told, item.name
    assert found.used.any()


def test_the_deals_are_those_of_the_pairing_whatever_is_forbidden() -> None:
    assert (block_words(1, 0, ("a", "b")) == block_words(1, 0, ("b", "a"))).all()
    others = [block_words(2, 0, ("a", "b")), block_words(1, 1, ("a", "b")), block_words(1, 0, ("a", "c"))]
    assert all((block_words(1, 0, ("a", "b")) != other).any() for other in others)
    assert len(np.unique(block_words(1, 0, ("a", "b")))) == DEALS


def test_neither_threads_nor_the_order_of_the_sides_matter() -> None:
    subject = subject_of("arts_of_war-v0", {}, ("painter", "dancer"))
    cell = Cell(("dancer", "painter"))
    game = subject.load(cell.sides)
    found = [play(subject, cell, game, Last(), seed=1, block=0, deals=40, threads=threads) for threads in (1, 2)]
    assert found[0].to_bytes() == found[1].to_bytes()
    other = play(subject, cell, game, Last(), seed=2, block=0, deals=40)
    assert other.to_bytes() != found[0].to_bytes()


def test_outcomes_go_to_bytes_and_back() -> None:
    subject = subject_of("reality_tcg-v0", {"max_turns": 12}, ("rush", "wall"))
    game = subject.load(subject.sides)
    found = play(subject, Cell(subject.sides), game, Last(), seed=1, block=0, deals=6)
    again = Outcomes.from_bytes(found.to_bytes())
    assert again.to_bytes() == found.to_bytes() and len(again) == 6
    both = Outcomes.together([found, again])
    assert len(both) == 12 and (both.winner[:6] == both.winner[6:]).all()
    with pytest.raises((ValueError, OSError)):
        Outcomes.from_bytes(b"nothing")


@pytest.mark.parametrize(
    ("game_id", "sides", "item", "word"),
    [
        ("arts_of_war-v0", ("calligrapher", "dancer"), "flowing_ink", "Flowing Ink"),
        ("reality_tcg-v0", ("rush", "wall"), "street_runner", "Street Runner"),
    ],
)
def test_what_is_forbidden_is_never_played(game_id: str, sides: tuple[str, str], item: str, word: str) -> None:
    """It is forbidden to one side only; the game without it has another hash, and is otherwise the same."""
    subject = subject_of(game_id, {}, sides)
    free = subject.load(sides)
    i = [one.id for one in subject.items(sides[0])].index(item)
    for order in (sides, sides[::-1]):
        seat = order.index(sides[0])
        game = subject.load(order, Ban(sides[0], item))
        assert game.rules_hash != subject.load(order).rules_hash
        with_it = play(subject, Cell(order), subject.load(order), Chance(), seed=3, block=0, deals=20)
        without = play(subject, Cell(order, Ban(sides[0], item)), game, Chance(), seed=3, block=0, deals=20)
        assert with_it.used[:, seat, i].any() and not without.used[:, seat, i].any()
        state = game.new(seed=2)
        assert game.text(state) == subject.load(order).text(subject.load(order).new(seed=2)), (
            "the cards are seen as ever"
        )
    assert free.rules_hash == subject.load(sides).rules_hash


def test_an_effect_of_a_card_may_be_forbidden() -> None:
    subject = subject_of("arts_of_war-v0", {}, ("calligrapher", "dancer"))
    ban = Ban("calligrapher", "calligrapher/1")
    i = [item.id for item in subject.items("calligrapher")].index(ban.item)
    game = subject.load(subject.sides, ban)
    found = play(subject, Cell(subject.sides, ban), game, Chance(), seed=3, block=0, deals=20)
    free = play(subject, Cell(subject.sides), subject.load(subject.sides), Chance(), seed=3, block=0, deals=20)
    assert not found.used[:, 0, i].any() and free.used[:, 0, i].any()
    assert found.used[:, 0, [item.id for item in subject.items("calligrapher")].index("calligrapher")].any(), (
        "the others stay"
    )


def test_effects_are_forbidden_one_by_one() -> None:
    """Past bug: the second of two was looked for where it no longer was."""
    artists, names = (
        ("calligrapher", "dancer"),
        ["calligrapher/1", "calligrapher/2", "calligrapher/3", "calligrapher/4"],
    )
    whole = react_env.load("arts_of_war-v0", artists=artists, forbidden=[["calligrapher"], []])
    parts = react_env.load("arts_of_war-v0", artists=artists, forbidden=[names, []])
    assert whole.tables.tobytes() == parts.tables.tobytes() and whole.rules_hash != parts.rules_hash
    plain = react_env.load("arts_of_war-v0", artists=artists)
    assert react_env.load("arts_of_war-v0", artists=artists, forbidden=[[], []]).rules_hash == plain.rules_hash


@pytest.mark.parametrize(
    ("game_id", "options", "message"),
    [
        (
            "arts_of_war-v0",
            {"forbidden": [["flowing_inc"], []]},
            "calligrapher has no 'flowing_inc'; it has: flowing_ink",
        ),
        ("arts_of_war-v0", {"artists": "random", "forbidden": [["flowing_ink"], []]}, "two named artists"),
        ("arts_of_war-v0", {"forbidden": [["flowing_ink"]]}, "a list of names for each of the 2 players"),
        ("reality_tcg-v0", {"forbidden": "boxer"}, "a list of names for each of the 2 players"),
        ("reality_tcg-v0", {"forbidden": [["boxers"], []]}, "has no card 'boxers'; it has: street_runner"),
        ("reality_tcg-v0", {"forbidden": [[1], []]}, "a list of names"),
    ],
)
def test_what_cannot_be_forbidden(game_id: str, options: dict[str, Any], message: str) -> None:
    with pytest.raises(OptionError, match=message):
        react_env.load(game_id, **options)


class FixedValue:
    """Gives player 0 a chance that rises with the turn."""

    def __init__(self) -> None:
        self.asked = 0

    def win_chances(self, states: Any, players: Any, rng: Any) -> Any:
        self.asked += len(states)
        found = np.zeros((len(states), 58))
        chance = np.clip(states["turn"] / 20, 0, 1)
        found[:, 3] = np.where(players == 0, chance, 1 - chance)
        found[:, 5] = np.clip(found[:, 3] - np.where(states["turn"] % 2, 0.2, 0.01), 0, 1)
        return found


def test_a_judge_tells_when_the_winner_was_ahead() -> None:
    subject = subject_of("reality_tcg-v0", {"max_turns": 40}, ("rush", "wall"))
    game, judge = subject.load(subject.sides), FixedValue()
    found = play(subject, Cell(subject.sides), game, Last(), seed=7, block=0, deals=12, judge=judge, judged=5)
    assert np.isnan(found.decisions[5:]).all() and found.decisions[:5].sum() == judge.asked
    for game_number in range(5):
        end = min(found.length[game_number], 20) / 20
        chances = found.chances[game_number]
        assert (np.diff(chances) >= 0).all() and chances[0] < 0.11 and end - 0.15 < chances[-1] <= end
    assert (found.weighty[:5] > 0).all() and (found.weighty[:5] < found.decisions[:5]).all()


# -- what only Re;ACT has ------------------------------------------------------------------------------------------------------


def test_what_happens_on_the_chain() -> None:
    """The figures are those that the log gives when it is counted."""
    sides = ("dancer", "sculptor")
    subject, cell = subject_of("arts_of_war-v0", {}, sides), Cell(sides)
    game = subject.load(sides)
    found = play(subject, cell, game, Last(), seed=7, block=0, deals=24)
    told = np.zeros((24, 2, 5, 2), np.int32)
    told[:, :, arts_of_war.ASCENTS, 1] = 1
    for number, (_, lines, _) in enumerate(one_by_one(game, cell, 24, last=True)):
        answered = True
        for line in lines:
            if turn := re.match(r"Turn \d+: player_(\d)", line):
                told[number, int(turn[1]), arts_of_war.CHAINS, 1] += 1
            elif played := re.match(r"player_(\d) plays .* \((Intention|Reaction)\)", line):
                if played[2] == "Intention":
                    player, answered = int(played[1]), False
                    told[number, player, arts_of_war.CHAINS, 0] += 1
                    told[number, player, arts_of_war.ANSWERED, 1] += 1
                elif not answered:
                    told[number, player, arts_of_war.ANSWERED, 0] += 1
                    answered = True
            elif hurt := re.match(r"player_(\d)'s (Dancer|Sculptor) \(..\) takes damage", line):
                told[number, 1 - int(hurt[1]), arts_of_war.ON_CHAIN] += 1
            elif up := re.match(r"player_(\d) (ascends|becomes)", line):
                told[number, int(up[1]), arts_of_war.ASCENTS, 0] += 1
    for figure in (arts_of_war.ON_CHAIN, arts_of_war.ANSWERED, arts_of_war.CHAINS, arts_of_war.ASCENTS):
        assert (found.counted[:, :, figure] == told[:, :, figure]).all(), subject.figures[figure].name
        assert told[:, :, figure, 0].any()


def test_effects_that_do_nothing() -> None:
    """Rows made by hand: one effect moves a unit, one finds nothing to do, one draws from an empty deck and ends the game."""
    kinds = [E_PLAY, E_PLAY, E_RESOLVE, E_NOTHING, E_RESOLVE, E_MOVE, E_PLAY, E_RESOLVE, E_DRAW, E_WIN]
    rows = np.zeros((len(kinds), S.EVENT_WIDTH), np.int8)
    rows[:, 0] = kinds
    rows[[1, 2, 3], 1] = 1  # a Reaction of player 1
    rows[8, 2] = 2  # the deck was empty
    counted, memory = np.zeros((1, 2, 5, 2), np.int32), np.zeros((1, 4), np.int64)
    arts_of_war.read(rows, np.zeros(len(rows), np.int64), arts_of_war.CHANGES, memory, counted)
    assert counted[0, :, arts_of_war.IDLE].tolist() == [[1, 2], [1, 1]]
    assert counted[0, 0, arts_of_war.ANSWERED].tolist() == [1, 2]


def test_new_rows_of_the_ring() -> None:
    states = np.zeros(3, S.STATE)
    for i, count in enumerate((5, S.EVENTS + 7, 0)):
        for k in range(count):
            emit(states[i], E_NOTHING, 0, k % 100)
    which, rows = arts_of_war.new_rows(states, np.array([2, S.EVENTS, 0]))
    assert [sorted(rows[which == i, 2].tolist()) for i in range(3)] == [
        [2, 3, 4],
        list(range(S.EVENTS, S.EVENTS + 7)),
        [],
    ]
    which, rows = arts_of_war.new_rows(states, np.array([5, 0, 0]))
    assert sorted(rows[which == 1, 2].tolist()) == sorted(k % 100 for k in range(7, S.EVENTS + 7))
    assert not (which == 0).any()


@pytest.mark.parametrize("way", range(4))
@pytest.mark.parametrize("loser", [0, 1])
def test_ways_to_lose(way: int, loser: int) -> None:
    state = np.zeros(1, S.STATE)[0]
    state["reward"] = (-1, 1) if loser == 0 else (1, -1)
    emit(state, E_DRAW, 1 - loser, 2, 0, 0, 0, 0, 0)  # of the other player: says nothing
    if way == arts_of_war.DAMAGE:
        state["damage"][loser] = 3
    elif way == arts_of_war.SUMMONS:
        state["fallen"][loser] = 1
    elif way == arts_of_war.DECK:
        emit(state, E_DRAW, loser, 2, 0, 0, 0, 0, 0)
    emit(state, E_WIN, 1 - loser, 0, 0, 0, 0, 0, 0)
    assert subject_of("arts_of_war-v0", {}).way(state) == way


def test_ways_to_end_a_game_of_reality_tcg() -> None:
    subject = subject_of("reality_tcg-v0", {"max_turns": 9})
    ends = [((0, 5), 4, 0), ((3, 5), 4, 1), ((3, 5), 9, 2), ((0, 5), 9, 0), ((0, 0), 4, 0), ((4, 4), 9, 2)]
    for ip, turn, way in ends:
        assert subject.way({"ip": np.array(ip), "turn": turn}) == way


def test_ways_to_end_a_game_of_fight_sequence() -> None:
    """By damage, of one player or of both, or because nobody has a card left (G-8)."""
    subject = subject_of("fight_sequence-v0", {})
    assert [subject.way(nothing_left(exhausted=ruling).state) for ruling in ("draw", "initiative_loses")] == [1, 1]
    game = react_env.load("fight_sequence-v0")
    for seed in range(4):
        state = game.new(seed=seed)
        while not state["over"]:
            game.step(state, int(game.legal_actions(state)[0]))
        assert "nobody has a card left" not in "".join(game.log_lines(state)) and subject.way(state) == 0


def test_a_tie_has_a_way_as_well() -> None:
    """Two players who only wait: the limit ends their games, and nobody has more IP."""
    subject = subject_of("reality_tcg-v0", {"max_turns": 4}, ("wall", "rush"))
    game = subject.load(subject.sides)
    found = play(subject, Cell(subject.sides), game, First(), seed=7, block=0, deals=12)
    tied = found.winner < 0
    assert tied.any() and (found.way[tied] == subject.ways.index("the turn limit")).all()
    # Past bug: the report found no game ended by a limit, since this limit is a rule, and so no goal was missed.
    assert agent_findings(subject, "first", {Cell(subject.sides): found}).cut.value == 1.0


def test_games_are_found_again_by_all_that_they_depend_on(monkeypatch: pytest.MonkeyPatch) -> None:
    """They depend on the rules, the agent, its code and weights, the seed and the deals; asking with others finds none."""
    folder, usual = Folder(None), Settings("reality_tcg-v0", {"max_turns": 6}, ("random",), 2, ("tempo", "rush"))

    def found(settings: Settings) -> Outcomes:
        study = Study(settings, folder)
        return study.outcomes(settings.agents[0], study.cells[0])

    study = Study(usual, folder)
    for _ in study.play(study.everything()):
        pass
    assert found(usual).winner.tolist() == found(usual).winner.tolist()
    for other in ({"options": {"max_turns": 7}}, {"agents": ("greedy",)}, {"seed": 1}, {"deals": 3}):
        with pytest.raises(KeyError):
            found(replace(usual, **other))
    monkeypatch.setattr("react_env.evaluation.lab.study.fingerprint", lambda agent, game: "another")
    with pytest.raises(KeyError):
        found(usual)


@pytest.mark.parametrize("edited", ["mine.py", "rush.yaml"])
def test_what_is_edited_during_a_study_ends_it(tmp_path: Path, edited: str) -> None:
    """Past bug: the other games were played by the edited file, and kept and reported as games of the file before."""
    for deck in ("tempo", "rush"):
        shutil.copy(Path(react_env.__file__).parent / f"games/reality_tcg/decks/{deck}.yaml", tmp_path)
    own = "class Mine:\n    def act(self, observations, action_masks, rng):\n        return action_masks.argmax(1)\n"
    (tmp_path / "mine.py").write_text(own)
    sides = tuple(str(tmp_path / f"{deck}.yaml") for deck in ("tempo", "rush"))
    study = Study(
        Settings("reality_tcg-v0", {"max_turns": 4}, (f"{tmp_path / 'mine.py'}:Mine",), 2, sides), Folder(None)
    )
    playing = study.play(study.everything())
    next(playing)
    study._at_hand.cache_clear()  # as in a study of more pairings than are kept in memory
    text = (
        (tmp_path / edited).read_text().replace("hot_soup: 2", "hot_soup: 3").replace("energy_bar: 3", "energy_bar: 2")
    )
    (tmp_path / edited).write_text(text + "# edited\n")
    with pytest.raises(OptionError, match="changed during the study"):
        list(playing)


def test_a_level_plays_a_study_of_what_cards_are_worth() -> None:
    """What a level is made from depends on the game, and a game with a ban has other rules."""
    study = Study(Settings("reality_tcg-v0", {}, ("hard",), 1, ("tempo", "rush")), Folder(None))
    for cell in (*study.cells, *study.banned(study.bans(("tempo",))[0])):
        study._load(cell, "hard")
