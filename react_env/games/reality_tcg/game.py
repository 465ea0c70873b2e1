"""Reality TCG, put together for the engine: `load`."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from itertools import product
from pathlib import Path
from typing import Any

from react_env.content.options import bans
from react_env.engine.game import Game
from react_env.engine.rules import Heuristics, Identity, Rules, Tables
from react_env.errors import OptionError
from react_env.games.reality_tcg import GAME, actions, features, heuristics, hidden, observation, state, turn, valid
from react_env.games.reality_tcg.cards import DeckFile, SetFile, load_deck, make_tables, one_set
from react_env.games.reality_tcg.cards import decks as installed
from react_env.games.reality_tcg.rules import RulesConfig, load_rules
from react_env.games.reality_tcg.view import View

ID = GAME.id
REVISION = 3  # raised with every change to what the compiled rules do
DEFAULT = ("tempo", "wall")
RANDOM = "random"
SMALL_POOL = 16  # pools of at most so many decks name all their pairs


class RealityTCG(Game):
    """Reality TCG, with the attributes of this game alone.

    Attributes:
        set: the cards.
        decks: the decks of player 0 and of player 1, or the whole pool if each player draws one.
    """

    def __init__(self, rules: Rules, heuristics: Heuristics, cards: SetFile, decks: tuple[DeckFile, ...]) -> None:
        self.set = cards
        self.decks = decks
        super().__init__(rules, heuristics)


def load(
    decks: Sequence[str | Path] | str | Path | None = None,
    pool: Sequence[str | Path] | None = None,
    forbidden: Sequence[Sequence[str]] | None = None,
    **options: Any,
) -> RealityTCG:
    """Reality TCG.

    Args:
        decks: names of installed decks, or paths of deck files, all of one set; player 0's and player 1's, or one for both. "random":
            each player draws one of `pool` in each game. None: tempo against wall.
        pool: decks to draw from with decks="random"; None: all that are installed.
        forbidden: for each player, ids of cards that it may not play, to measure what they are worth.
        options: fields of `RulesConfig`.

    Raises:
        OptionError: unknown decks, cards or options, decks of different sets, a pool without "random".
        CardError: a deck or set file that cannot be used.
    """
    if decks is None:
        decks = DEFAULT
    drawn = isinstance(decks, str) and decks == RANDOM
    if pool is not None and not drawn:
        raise OptionError(f'pool: goes with decks="random"; found decks={decks!r}')
    if drawn:
        names = list(installed()) if pool is None else list(pool)
        if not names:
            raise OptionError("pool: no decks; at least one is needed")
    else:
        names = list(decks) if isinstance(decks, Sequence) and not isinstance(decks, str) else [decks] * state.PLAYERS
        if len(names) != state.PLAYERS:
            raise OptionError(f"decks: {len(names)}; a name or path, or two of them, or 'random' is needed")
    for name in names:
        if not isinstance(name, (str, Path)):
            raise OptionError(f"decks: {name!r} is neither a name nor a path; installed: {', '.join(installed())}")
    rules = load_rules(**options)
    found = {name: load_deck(name, rules) for name in dict.fromkeys(names)}
    cards = found[names[0]][1]
    for name in names:
        one_set(name, found[name][1], names[0], cards)
    lists = tuple(found[name][0] for name in names)
    tables = make_tables(cards, [deck.cards for deck in lists], rules, drawn=drawn)
    banned = bans(forbidden, state.PLAYERS)
    if banned:
        forbid(tables, cards, banned)
    given: dict[str, Any] = dict(options) | ({"forbidden": [list(names) for names in banned]} if banned else {})
    if drawn or tuple(map(str, names)) != DEFAULT:
        given = {"decks": RANDOM if drawn else [str(name) for name in names], **given}
    if pool is not None:
        given["pool"] = [str(name) for name in names]
    kinds = tuple(card.name for card in cards.cards)
    return RealityTCG(
        Rules(
            identity=Identity(
                ID,
                given,
                rules_hash(rules, cards, lists, drawn, banned),
                _parts(rules, cards, lists) if drawn and not banned else (),
                load,
            ),
            state_dtype=state.STATE,
            tables=Tables(
                tables, roles=(("player", "player"),), fixed_pieces=("features",), fixed=observation.fixed(tables)
            ),
            actions=actions.actions_of(kinds),
            layout=observation.LAYOUT,
            view=View(tables[0], kinds, tuple(deck.name for deck in lists)),
            reset=turn.reset,
            apply=turn.apply,
            legal=actions.legal,
            observe=observation.observe,
            determinize=hidden.determinize,
            valid=valid.valid,
            drawing="react_env.games.reality_tcg.drawing",
        ),
        Heuristics(
            value=heuristics.value,
            quick_value=heuristics.quick_value,
            prior=heuristics.prior,
            potential=heuristics.potential,
            features=features.features,
            feature_names=features.FEATURES,
            unfinished=heuristics.unfinished,
            pass_action=heuristics.pass_action,
        ),
        cards,
        lists,
    )


def _parts(rules: RulesConfig, cards: SetFile, lists: Sequence[DeckFile]) -> tuple[str, ...]:
    """The hashes of the games between any two of these decks, for a small pool."""
    if len(lists) > SMALL_POOL:
        return ()
    return tuple(rules_hash(rules, cards, pair, drawn=False) for pair in product(lists, repeat=state.PLAYERS))


def forbid(tables: Any, cards: SetFile, banned: Sequence[Sequence[str]]) -> None:
    """Write into the tables which cards each player may not play. OptionError for a card that the set does not have."""
    known = [card.id for card in cards.cards]
    for player, names in enumerate(banned):
        for name in names:
            if name not in known:
                raise OptionError(f"forbidden: the set {cards.id} has no card {name!r}; it has: {', '.join(known)}")
            tables[0]["forbidden"][player, known.index(name)] = 1


def rules_hash(
    rules: RulesConfig, cards: SetFile, lists: Sequence[DeckFile], drawn: bool, banned: Sequence[Sequence[str]] = ()
) -> str:
    """16 hex digits over the revision of the rules, the options, the cards, the decks and the forbidden cards."""
    digest = hashlib.sha256(f"{ID} {REVISION}\n".encode())
    digest.update(rules.model_dump_json().encode())
    digest.update(cards.hash.encode())
    digest.update(repr([drawn, [sorted(deck.cards.items()) for deck in lists]]).encode())
    if banned:
        digest.update(repr(banned).encode())
    return digest.hexdigest()[:16]
