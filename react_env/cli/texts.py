"""What the cards of a game do, in words, for a person who plays it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, cast

if TYPE_CHECKING:
    from react_env.engine.game import Game
    from react_env.games.arts_of_war.cards import Artist
    from react_env.games.arts_of_war.cards.schema import AbilityCard, ActionCard, Effect
    from react_env.games.fight_sequence import FightSequence


class Words(NamedTuple):
    """A card or something else of a game that has a name and does something."""

    player: int  # whose it is
    name: str
    lines: list[str]
    held: int  # copies that this player can see in the own hand, or 1 for what always lies ready there


def card_words(game: Game, state: Any, player: int) -> list[Words]:
    """What there is in this game, own things first; empty for a game without card texts."""
    seats = [player, *(seat for seat in range(game.num_players) if seat != player)]
    if game.id == "arts_of_war-v0":
        from react_env.games.arts_of_war.view import View

        artists = cast(View, game.rules.view).of(state).artists
        return [words for seat in seats for words in _of_artist(artists[seat], state, seat, seat == player)]
    if game.id == "fight_sequence-v0":
        from react_env.games.fight_sequence import FightSequence

        return [words for seat in seats for words in _of_deck(cast(FightSequence, game), state, seat, seat == player)]
    return []


def question_words(game: Game, state: Any) -> str:
    """The text of the effect that asks the question at hand, where the question itself does not tell; "" elsewhere."""
    if game.id != "arts_of_war-v0":
        return ""
    from react_env.games.arts_of_war import state as S
    from react_env.games.arts_of_war.cards.wording import effect_text
    from react_env.games.arts_of_war.view import View

    view = cast(View, game.rules.view).of(state)
    frame = int(state["frames"]) - 1
    asked = state["decision"] in (S.D_BRANCH, S.D_MAY)
    if not asked or state["frame"][frame]["kind"] not in (S.F_COST, S.F_EFFECT):
        return ""
    last = int(state["chain_size"]) - 1
    player, number, row = (int(state["chain"][last][name]) for name in ("player", "card", "effect"))
    artist = view.artists[player]
    card: ActionCard | AbilityCard
    if number < S.ACTIONS_CARDS:
        card = artist.actions[number]
        effects = card.effects
    else:
        card = artist.abilities[number - S.ACTIONS_CARDS]
        effects = [effect for _, _, side in card.sides for effect in side]
    effect = effects[list(game.tables[int(state["table"])]["card_effects"][player, number]).index(row)]
    cost, text = effect_text(artist, card, effect)
    return f"{view.effect(player, number, row)}: {cost if state['frame'][frame]['kind'] == S.F_COST else text}"


def _of_artist(artist: Artist, state: Any, seat: int, own: bool) -> list[Words]:
    from react_env.games.arts_of_war.cards.schema import AscendedImmediate
    from react_env.games.arts_of_war.cards.wording import (
        ascension_text,
        becoming_text,
        counter_text,
        passive_text,
        tile_text,
        token_text,
    )

    found = [
        Words(seat, card.name, _effects(artist, card, card.effects), int(state["hand"][seat][number]) if own else 0)
        for number, card in enumerate(artist.actions)
    ]
    for card in artist.abilities:
        found.append(Words(seat, card.name, _effects(artist, card, card.effects), int(own)))
        for side in card.other_sides:
            if isinstance(side, AscendedImmediate):
                lines = [f"At once on ascending. {ascension_text(artist, side.do)}"]
            else:
                becoming = getattr(side, "do", None)
                lines = [becoming_text(artist, becoming)] if becoming else []
                lines += _effects(artist, card, side.effects)
            found.append(Words(seat, side.name, lines, 0))
    found += [Words(seat, passive.name, [passive_text(artist, passive)], 0) for passive in artist.passives]
    found += [Words(seat, counter.name, [counter_text(counter)], 0) for counter in artist.counters.values()]
    found += [Words(seat, token.name, [token_text(artist, token)], 0) for token in artist.tokens.values()]
    return found + [Words(seat, tile.name, [tile_text(artist, tile)], 0) for tile in artist.tiles.values()]


def _effects(artist: Artist, card: ActionCard | AbilityCard, effects: list[Effect]) -> list[str]:
    from react_env.games.arts_of_war.cards.wording import effect_text

    lines = []
    for number, effect in enumerate(effects, start=1):
        cost, text = effect_text(artist, card, effect)
        label = (f"[{number}] " if len(effects) > 1 else "") + (f"{effect.name}, " if effect.name else "")
        lines.append(f"{label}{effect.kind.capitalize()}. " + (f"Cost: {cost} Effect: " if cost else "") + text)
    return lines


def _of_deck(game: FightSequence, state: Any, seat: int, own: bool) -> list[Words]:
    from react_env.games.fight_sequence import state as S

    found = []
    for number, card in enumerate(game.decks[seat].cards):
        attack = f"Attack: Speed {card.speed}, {card.power} {card.type}"
        if card.effect is not None:
            immediate = (
                game.tables[0]["effect"][seat, S.ATTACK, number, 1] == S.IMMEDIATE
            )  # an option may have changed it
            attack += f", {'immediate' if immediate else 'timed'}: {card.effect.text()}"
        lines = [f"{attack}.", f"Response: {card.response_text()}."]
        found.append(Words(seat, card.name, lines, int(state["hand"][seat][number]) if own else 0))
    return found
