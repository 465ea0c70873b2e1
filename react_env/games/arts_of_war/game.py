"""Re;ACT, assembled for the engine: `load`, and what only this game has."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from react_env.content.options import bans
from react_env.engine.game import Game
from react_env.engine.kernels import draw_table
from react_env.engine.rng import seed_word
from react_env.engine.rules import Heuristics, Identity, Rules, Tables
from react_env.errors import OptionError
from react_env.games.arts_of_war import (
    GAME,
    actions,
    features,
    heuristics,
    hidden,
    observation,
    state,
    threats,
    turn,
    valid,
    value,
)
from react_env.games.arts_of_war.cards import AbilityCard, ActionCard, Artist, compile_tables, load_artist
from react_env.games.arts_of_war.cards import artists as artists_of
from react_env.games.arts_of_war.rules import STANDARD, RulesConfig, default_artists, load_rules
from react_env.games.arts_of_war.view import Pairing, View, Views

ID = GAME.id
REVISION = 5  # raised with every change of what the compiled rules do
RANDOM = "random"  # instead of two artists: a pairing is drawn for each game


class ArtsOfWar(Game):
    """Re;ACT, with what only this game has.

    Attributes:
        pairings: for each of the game's `tables`, the ids of player 0's and player 1's artists.
    """

    @property
    def pairings(self) -> tuple[tuple[str, ...], ...]:
        return self.rules.tables.roles

    def pairing(self, state: np.record) -> tuple[str, ...]:
        """The ids of the artists of player 0 and player 1 in this state."""
        return self.pairings[int(self._rows(state)["table"][0])]

    def opening(self, seed: int) -> dict[str, Any]:
        """What `new(seed)` deals: first_player, the opening hands as (2, 4) counts, the decks below them (2 lists from the bottom).

        The decks are shuffled before anything else, and the hands are dealt from them after the set-up choices (AW-S5). These choices
        do not change the deal, unless a set-up draws cards.
        """
        states = np.zeros(1, self.state_dtype)
        states["rng"] = seed_word(seed)
        draw_table(states[0], self.tables)
        s, table = states[0], self.tables[int(states[0]["table"])]
        turn.deal(s, table)
        for player in range(state.PLAYERS):
            turn.deal_hand(s, table, player)
        return {
            "first_player": int(s.first),
            "hands": [[int(n) for n in hand] for hand in s.hand],
            "decks": [[int(c) for c in s.deck[p, : s.deck_size[p]]] for p in range(state.PLAYERS)],
        }


def load(
    artists: Sequence[str | Path] | str | None = None,
    edition: str | Path = STANDARD,
    forbidden: Sequence[Sequence[str]] | None = None,
    **options: Any,
) -> ArtsOfWar:
    """Re;ACT with two artists.

    Args:
        artists: player 0's and player 1's artist, by name in the edition or by path of an artist file. "random": each game draws its
            pairing from its seed, any two different artists of the edition in either order, and with `allow_mirror` also mirror matches.
            None: the edition's default artists.
        edition: the name of an edition, or the path of a folder of card files.
        forbidden: for each of the two named artists, the ids of cards, or of effects as card/number from 1, that it may not play; this
            shows what they are worth.
        options: fields of `RulesConfig`.

    Raises:
        OptionError: unknown artists, editions, options, cards or effects; the same artist twice without `allow_mirror`.
        CardError: a card file that cannot be used.
    """
    if artists is None:
        artists = default_artists(edition)
    mixed = isinstance(artists, str) and artists == RANDOM
    listed = isinstance(artists, Sequence) and not isinstance(artists, str)
    if not mixed and not (
        listed and len(artists) == state.PLAYERS and all(isinstance(name, (str, Path)) for name in artists)
    ):
        known = ", ".join(artists_of(edition))
        raise OptionError(
            f"artists: two names or paths are needed, or {RANDOM!r}; found {artists!r}; the edition has: {known}"
        )
    rules = load_rules(edition, **options)
    names = artists_of(edition) if mixed else tuple(artists)
    known_artists = [
        load_artist(name, edition, allow_unbounded_abilities=rules.allow_unbounded_abilities) for name in names
    ]
    if mixed:
        pairings = every_pairing(known_artists, rules)
    else:
        pairings = ((known_artists[0], known_artists[1]),)
    tables = np.concatenate([compile_tables(first, second, rules) for first, second in pairings])
    weights = value.weights(edition)
    tables["weights"] = [[weights.get(artist.id, weights[value.USUAL]) for artist in pairing] for pairing in pairings]
    view = View(pairings[0], tables) if len(pairings) == 1 else Views(pairings, tables)
    given: dict[str, Any] = {"artists": RANDOM if mixed else [str(name) for name in artists]}
    banned = bans(forbidden, state.PLAYERS)
    if banned:
        if mixed:
            raise OptionError("forbidden: goes with two named artists")
        tables = forbid(tables, pairings[0], banned)
        given["forbidden"] = [list(names) for names in banned]
    if edition != STANDARD:
        given["edition"] = str(edition)
    return ArtsOfWar(
        Rules(
            identity=Identity(
                ID,
                given | options,
                rules_hash(pairings, rules, banned),
                tuple(rules_hash((pairing,), rules) for pairing in pairings) if mixed else (),
                load,
            ),
            state_dtype=state.STATE,
            tables=Tables(
                tables,
                names=tuple(f"{first.id} - {second.id}" for first, second in pairings),
                roles=tuple((first.id, second.id) for first, second in pairings),
                fixed_pieces=("cards", "artists"),
                fixed=tables["seen"],
            ),
            actions=actions.ACTIONS,
            layout=observation.LAYOUT,
            view=view,
            reset=turn.reset,
            apply=turn.apply,
            legal=actions.legal,
            observe=observation.observe,
            determinize=hidden.determinize,
            valid=valid.valid,
            # The frame `SCRATCH` is in use as well, but zero between steps.
            live={"frame": ("frames",), "trigger": ("waiting", "pending"), "visit": ("visits",), "event": ()},
            drawing="react_env.games.arts_of_war.drawing",
        ),
        Heuristics(
            value=value.value,
            value_files=(Path(features.__file__), Path(threats.__file__), *value.weight_files(edition)),
            quick_value=heuristics.value,
            potential=heuristics.potential,
            features=features.features,
            feature_names=features.FEATURES,
            unfinished=heuristics.unfinished,
            pass_action=heuristics.pass_action,
            ahead=turn.ahead,
            unread="frames",
            # A turn has three to four plays; the value tells actions apart by tenths of a win, as a learned one does; and where there is
            # a tree, it hardly matters what is played outside it.
            search={"plans": 4, "exploration": 0.5, "mcts.rollout": "idle"},
        ),
    )


def every_pairing(known: Sequence[Artist], rules: RulesConfig) -> tuple[Pairing, ...]:
    """All ordered pairs of these artists, by the first, then the second; mirror matches only if the rules allow them (AW-S1).

    Raises OptionError if there is no pair.
    """
    pairings = tuple((a, b) for a in known for b in known if a.id != b.id or rules.allow_mirror)
    if not pairings:
        raise OptionError(f"artists={RANDOM!r} needs two different artists, or allow_mirror=True (AW-S1)")
    return pairings


def forbid(tables: NDArray[Any], pairing: Pairing, banned: Sequence[Sequence[str]]) -> NDArray[Any]:
    """The tables of a pairing without the effects that its artists may not play. Observations still show the whole cards.

    Raises OptionError for a card or effect that an artist does not have.
    """
    whole, tables = tables[0], tables.copy()
    t = tables[0]
    for player, (artist, names) in enumerate(zip(pairing, banned, strict=True)):
        cards = playable(artist)
        for name in names:
            if name not in cards:
                raise OptionError(f"forbidden: {artist.id} has no {name!r}; it has: {', '.join(cards)}")
            card, places, _ = cards[name]
            gone = {int(whole["card_effects"][player, card, place]) for place in places}
            left = [row for row in t["card_effects"][player, card].tolist() if row not in gone]
            t["card_effects"][player, card] = left + [-1] * (state.EFFECTS_OF_CARD - len(left))
            if (t["card_effects"][player, card] < 0).all():
                t["card_reacts"][player, card] = 0
    return tables


def playable(artist: Artist) -> dict[str, tuple[int, tuple[int, ...], str]]:
    """What an artist can play: id of a card, or card/number of an effect -> number of the card, places of its effects, name."""
    found: dict[str, tuple[int, tuple[int, ...], str]] = {}
    kit: dict[int, ActionCard | AbilityCard] = dict(enumerate(artist.actions))
    kit |= dict(enumerate(artist.abilities, state.ACTIONS_CARDS))
    for number, card in kit.items():
        names = [
            f"{name} [{i + 1}] ({effect.kind})" if len(effects) > 1 else f"{name} ({effect.kind})"
            for _, name, effects in card.sides
            for i, effect in enumerate(effects)
        ]
        found[card.id] = (number, tuple(range(len(names))), card.name)
        for place, name in enumerate(names) if len(names) > 1 else ():
            found[f"{card.id}/{place + 1}"] = (number, (place,), name)
    return found


def rules_hash(pairings: Sequence[Pairing], rules: RulesConfig, banned: Sequence[Sequence[str]] = ()) -> str:
    """A hash, 16 hex digits, of the rules' revision, the card files of all pairings in order, the configuration and what is forbidden."""
    digest = hashlib.sha256(f"{ID} {REVISION}\n".encode())
    dumps: dict[int, bytes] = {}
    for artist in (artist for pairing in pairings for artist in pairing):
        if id(artist) not in dumps:
            dumps[id(artist)] = artist.model_dump_json(by_alias=True).encode() + b"\n"
        digest.update(dumps[id(artist)])
    digest.update(rules.model_dump_json().encode())
    if rules.first_game_hand:  # marks a change in how the deck below it is dealt; other games kept their hash
        digest.update(b"set apart")
    if banned:
        digest.update(repr(banned).encode())
    return digest.hexdigest()[:16]
