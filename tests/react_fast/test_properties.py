"""What holds in every game of React Fast."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pettingzoo.test import api_test

from react_env import agents
from react_env.engine.batch import seed_words
from react_env.engine.game import Game
from react_env.engine.plain import from_python
from react_env.engine.rules import field_names
from react_env.envs import aec
from react_env.evaluation import play_match
from react_env.games.react_fast import state as S
from react_env.games.react_fast.game import load
from react_env.games.react_fast.valid import valid as compiled_valid
from tests.react_fast.tables import with_any_record

valid = from_python(compiled_valid)
OPTIONS: list[dict[str, Any]] = [
    {"players": 2},
    {"players": 4, "mode": "skill", "deal": "pure_shuffle"},
    {"players": 4, "memory": "last_k", "memory_length": 5},
    {"players": 4, "mode": "deterministic", "penalty_cards": "seen"},
    {"players": 4, "mode": "skill", "lock_out": True},
    {"players": 8, "memory": "counts"},
]
games = st.sampled_from(OPTIONS).map(lambda options: load(**options))
seeds = st.integers(0, 2**31)


def careful(game: Game, s: Any, rng: np.random.Generator) -> int:
    """A random choice that seldom slaps in vain, so that games last."""
    legal = game.legal_actions(s)
    names = [game.action_names[a] for a in legal]
    if "slap" in names and rng.random() < 0.9:
        piece = game.layout["table"].start
        seen = game.observe(s, int(s["to_play"]))
        return int(legal[names.index("slap" if seen[piece + 6] or seen[piece + 7] else "hold")])
    return int(rng.choice(legal))


def places(s: Any) -> list[int]:
    """All cards with their bits: decks, pile, and traveling cards in front of players."""
    decks = [
        int(s["deck"][p][(s["head"][p] + i) % S.CARDS]) for p in range(len(s["size"])) for i in range(s["size"][p])
    ]
    pile = [int(code) for code in s["pile"][: s["pile_size"]]]
    return decks + pile + [S.PLAYING + i for i in range(S.TRAVELING) if s["owner"][i] >= 0]


def test_the_record_keeps_all_that_one_step_tells() -> None:
    """Past bug: with eight players one step could cause more than the 16 events that were kept, so lines of the log were lost."""
    game = load(players=8, late_slaps="penalised")
    batch, words, most = game.batch(1024, seed=5), seed_words(6, 1024), 0
    for _ in range(400):
        before = batch.states["events"].astype(np.int64)
        batch.step(batch.random_actions(words))
        most = max(most, int((batch.states["events"].astype(np.int64) - before).max()))
    assert 16 < most <= S.EVENTS


@pytest.mark.slow
@settings(deadline=None)
@given(games, seeds)
def test_every_card_is_somewhere_and_games_end(game: Game, seed: int) -> None:
    s, rng = game.new(seed=seed), np.random.default_rng(seed)
    while not s["over"]:
        assert sorted(code & S.CARD_BITS for code in places(s)) == list(range(S.CARDS))
        assert game.legal_actions(s).size > 1
        assert not s["reward"].any() and valid(s, game.tables[0]) == -1
        game.step(s, careful(game, s, rng))
    assert valid(s, game.tables[0]) == -1
    assert s["reward"].sum() == pytest.approx(0, abs=1e-6) and s["placed"] <= 5000


@settings(deadline=None)
@given(games, seeds, st.integers(0, 400))
def test_what_nobody_knows_can_be_redrawn_unseen(game: Game, seed: int, length: int) -> None:
    """RF-I3: observation, text and mask of a player are the same in every world that the player cannot tell apart."""
    s, rng = game.new(seed=seed), np.random.default_rng(seed)
    for _ in range(length):
        if s["over"]:
            break
        game.step(s, careful(game, s, rng))
    for player in range(game.num_players):
        world = game.determinize(s, player, int(rng.integers(2**31)))
        assert sorted(code & S.CARD_BITS for code in places(world)) == list(range(S.CARDS))
        assert (game.observe(world, player) == game.observe(s, player)).all()
        assert game.text(world, player) == game.text(s, player)
        if s["to_play"] == player and not s["over"]:
            assert (game.action_mask(world) == game.action_mask(s)).all()
        elsewhere = [p for p in range(game.num_players) if p != player]
        assert (world["scale"][player] == s["scale"][player]).all()
        if game.options.get("mode") != "deterministic":
            assert (world["scale"][elsewhere] != s["scale"][elsewhere]).all()


@settings(deadline=None)
@given(games, seeds)
def test_what_is_remembered_is_true(game: Game, seed: int) -> None:
    """RF-I2: a known place holds the card that the observation names, and a perfect memory forgets no card that was placed."""
    s, rng = game.new(seed=seed), np.random.default_rng(seed)
    if game.options.get("memory") == "counts":
        return
    while not s["over"]:
        player = int(s["to_play"])
        where = game.layout.view(game.observe(s, player), "where")
        for p in range(game.num_players):
            deck = {int(s["deck"][p][(s["head"][p] + i) % S.CARDS]) & S.CARD_BITS for i in range(s["size"][p])}
            told = {int(c) for c in np.flatnonzero(where == 2 + (p - player) % game.num_players)}
            assert told <= deck
        game.step(s, careful(game, s, rng))


def test_determinize_draws_every_world_alike() -> None:
    """Chi-square over where a traveling card lies that nobody has seen, three players (RF-G2)."""
    game = load(players=4, mode="skill")
    s = game.new(seed=4)
    counts = np.zeros(3)
    for seed in range(3000):
        world = game.determinize(s, 0, seed)
        deck = [[int(c) & S.CARD_BITS for c in world["deck"][p][:20]] for p in range(3)]
        counts += [sum(c >= S.PLAYING for c in cards) for cards in deck]
        assert [int(c) & S.CARD_BITS for c in world["deck"][0][:20]].count(S.PLAYING) <= 1
    expected = counts.sum() / 3
    assert ((counts - expected) ** 2 / expected).sum() < 14  # 99.9 % of chi-square with two degrees of freedom


@pytest.mark.parametrize("deal", ["even", "pure_shuffle"])
def test_a_traveling_card_may_lie_anywhere_in_a_world(deal: str) -> None:
    """RF-I3, RF-G2: at every place of every deck, except that of the card that was held up."""
    game = load(players=4, mode="skill", deal=deal)
    s = next(s for s in map(game.new, range(1000)) if shown_places(s) == [0] * 4)
    found = np.zeros((4, 15), np.int64)
    for seed in range(120):
        found += game.determinize(s, 0, seed)["deck"][:, :15] & S.CARD_BITS >= S.PLAYING
    assert not found[:, 14].any() and (found[:, :14] > 0).all()


def test_a_slap_of_others_on_its_way_is_in_no_world() -> None:
    """RF-G11, RF-I3: nobody else sees it; a player's own slap stays."""
    game = load(players=4, mode="skill")
    s = game.new(seed=1)
    s["carry"] = 50
    assert game.determinize(s, 2, 0)["carry"].tolist() == [-1, -1, 50, -1]


def test_cards_that_nobody_has_seen_on_the_pile_are_drawn_anew() -> None:
    """RF-I3, RF-G3, RF-G14: those left over from the deal, and those paid as a penalty."""
    game = load(players=8, mode="skill")
    s = game.new(seed=1)
    piles = {tuple(game.determinize(s, 0, seed)["pile"][:4].tolist()) for seed in range(20)}
    assert len(piles) > 15


def test_stances_of_others_are_drawn_anew_at_every_decision() -> None:
    """RF-I1, RF-I3 (past bug): when a traveling card may be activated, the record still holds the stances for the unit before."""
    game, rng = load(players=3, mode="skill"), np.random.default_rng(0)
    s = game.new(seed=0)
    while s["decision"] != S.D_ACTIVATE or s["placed"] < 3:
        game.step(s, careful(game, s, rng))
    player = int(s["to_play"])
    others = [p for p in range(3) if p != player]
    worlds = [game.determinize(s, player, seed)["stance"] for seed in range(100)]
    assert len({tuple(stances[others].tolist()) for stances in worlds}) == 9
    assert {int(stances[player]) for stances in worlds} == {int(s["stance"][player])}


def test_who_chooses_the_pace_slaps_anew_in_every_world() -> None:
    """RF-I1, RF-I3 (past bug): in the worlds of the others that player always held, whatever it had committed to."""
    game, rng = load(players=3, mode="skill"), np.random.default_rng(0)
    s = game.new(seed=0)
    while s["decision"] != S.D_PACE:
        game.step(s, careful(game, s, rng))
    player = (int(s["to_play"]) + 1) % 3
    world, asked = game.determinize(s, player, 0), set()
    game.step(world, game.action_names.index("normal pace"))
    while world["decision"] == S.D_SLAP:
        asked.add(int(world["to_play"]))
        game.step(world, game.action_names.index("hold"))
    assert asked == {0, 1, 2} - {player}


def shown_places(s: Any) -> list[int]:
    """The place of the card that was held up, counted from the bottom of each deck, at the beginning (RF-G4)."""
    return [int(np.flatnonzero(s["deck"][p, : s["size"][p]][::-1] & S.KNOWN)[0]) for p in range(len(s["size"]))]


def test_below_the_card_that_was_held_up_are_traveling_cards() -> None:
    """RF-I3, RF-G4 (past bug): all saw that the card held up was not the bottom one, so in every world traveling cards lie below it."""
    for options in ({}, {"deal": "pure_shuffle"}):
        game = load(players=4, mode="skill", **options)
        s = next(s for s in map(game.new, range(1000)) if 2 in shown_places(s))
        p = shown_places(s).index(2)
        below = set()
        for seed in range(60):
            world = game.determinize(s, 0, seed)
            assert shown_places(world) == shown_places(s) and valid(world, game.tables[0]) == -1
            for q, place in enumerate(shown_places(s)):
                last = world["deck"][q, s["size"][q] - place : s["size"][q]] & S.CARD_BITS
                assert (last >= S.PLAYING).all()
                if q == p:
                    below.add(tuple(last))
        assert len(below) > 30  # nobody knows which ones they are


def test_who_was_dealt_fewer_traveling_cards_follows_from_what_was_held_up() -> None:
    """RF-I3, RF-G2: of 20 cards, 3, 3 and 2 are traveling cards; one deck has one at its bottom, two have none; Bayes gives the odds."""
    game = load(players=3, mode="skill")
    s = next(s for s in map(game.new, range(1000)) if shown_places(s) == [1, 0, 0])
    n = 4000
    fewer = [int((game.determinize(s, 1, seed)["first_seat"] - 1) % 3) for seed in range(n)]  # the seat dealt to last

    def chance(p: int, dealt: int) -> float:
        return dealt / 20 * (20 - dealt) / 19 if p == 0 else (20 - dealt) / 20

    odds = np.array([np.prod([chance(p, 2 if p == q else 3) for p in range(3)]) for q in range(3)])
    expected = n * odds / odds.sum()
    assert ((np.bincount(fewer, minlength=3) - expected) ** 2 / expected).sum() < 14


def test_the_last_places_tell_who_was_dealt_fewer_traveling_cards() -> None:
    """RF-I3, RF-G2: each deck has one unknown place left, and 2, 2 and 1 of the 3, 3 and 2 traveling cards were laid out."""
    game = with_any_record(load(players=3, mode="skill"))
    s = game.new(seed=0)
    s["size"], s["head"], s["first_seat"], s["shown"] = 2, 0, 0, [2, 2, 1]
    s["deck"][:, 0] = [(S.PLAYING + p) | S.FIRST for p in range(3)]
    s["deck"][:, 1] = [p | S.FIRST | S.KNOWN for p in range(3)]  # the card that was held up
    worlds = [game.determinize(s, 0, seed) for seed in range(50)]
    assert {int(world["first_seat"]) for world in worlds} == {0}  # the third player was dealt to last
    assert all((world["deck"][:, 0] & S.CARD_BITS >= S.PLAYING).all() for world in worlds)
    s["shown"] = [1, 2, 2]
    assert {int(game.determinize(s, 0, seed)["first_seat"]) for seed in range(50)} == {1}
    # The first player was dealt three and has none left.
    s["shown"], s["deck"][:2, 0] = [3, 2, 2], [10 | S.FIRST, 11 | S.FIRST]
    assert {int(game.determinize(s, 0, seed)["first_seat"]) for seed in range(50)} == {0, 2}


def test_where_bottom_cards_are_hidden_a_traveling_card_may_lie_there() -> None:
    """RF-I3, RF-G4: nobody remembers which card was held up."""
    game = load(players=4, mode="skill", bottom_cards="hidden")
    s, found = game.new(seed=0), np.zeros((4, 15), np.int64)
    for seed in range(150):
        world = game.determinize(s, 0, seed)
        assert valid(world, game.tables[0]) == -1
        found += world["deck"][:, :15] & S.CARD_BITS >= S.PLAYING
    assert (found > 0).all()


def test_everybody_takes_a_stance_once_in_every_world() -> None:
    """RF-I1, RF-I3: first the player who is asked now, then the others."""
    game = load(players=3, mode="skill")
    s = game.new(seed=0)
    assert s["decision"] == S.D_STANCE
    for player in range(3):
        world, asked = game.determinize(s, player, 0), []
        while world["decision"] == S.D_STANCE:
            asked.append(int(world["to_play"]))
            game.step(world, int(game.legal_actions(world)[0]))
        assert sorted(asked) == [0, 1, 2]


def test_no_traveling_card_is_on_top_where_a_turn_has_ended() -> None:
    """RF-I3, RF-T5 (past bug): it would have been laid out, so no world has one there; the next place may hold one."""
    game = load(players=4, mode="skill")
    s = game.new(seed=2)
    first, turn = int(s["whose"]), int(s["turn"])
    while s["turn"] == turn:
        game.step(s, int(game.legal_actions(s)[0]))
    assert s["whose"] != first and s["size"][first] > 10
    worlds = [game.determinize(s, int(s["whose"]), seed) for seed in range(200)]
    top = [[int(w["deck"][p, w["head"][p]]) & S.CARD_BITS >= S.PLAYING for p in range(4)] for w in worlds]
    second = [int(w["deck"][first, w["head"][first] + 1]) & S.CARD_BITS >= S.PLAYING for w in worlds]
    assert not np.array(top)[:, first].any()
    assert np.array(top).any(axis=0).sum() == 3 and any(second)


@pytest.mark.parametrize("options", OPTIONS[:4])
def test_pettingzoo(options: dict[str, Any]) -> None:
    api_test(aec.env(load(**options)), num_cycles=60)


def test_batches_and_matches() -> None:
    game = load(players=4)
    batch = game.batch(64, seed=3, threads=2)
    words = np.arange(1, 65, dtype=np.uint64)
    for _ in range(300):
        batch.step_random(words)
    result = play_match(game, agents.load("random", game), agents.load("random", game), games=80, seed=1)
    assert result.total.games == 80 and result.total.ties + result.total.truncations < 80


@pytest.mark.parametrize("players", [2, 4])
def test_scripted_beats_greedy_and_greedy_loses_no_more_than_its_share(players: int) -> None:
    game = load(players=players)
    scripted, greedy = (agents.load(name, game) for name in ("scripted", "greedy"))
    assert play_match(game, scripted, greedy, games=120, seed=2).total.interval[0] > 1 / players


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("whose", 4),
        ("chance", -2),
        ("face", 52),
        ("owner", 4),
        ("size", 61),
        ("deck", 63),
        ("scale", -1.0),
        ("stance", 3),
        ("events", 2**31),
    ],
)
def test_impossible_records_are_told(field: str, value: float) -> None:
    game = load(players=4)
    s = game.new(seed=1)
    s[field] = value
    assert field_names(game.state_dtype)[valid(s, game.tables[0])] in (field, "deck", "chance")
