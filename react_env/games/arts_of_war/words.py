"""The texts of Re;ACT's cards, and the text behind a question."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from react_env.content.words import Words
from react_env.games.arts_of_war import state as S
from react_env.games.arts_of_war.cards import wording
from react_env.games.arts_of_war.view import View

if TYPE_CHECKING:
    from react_env.engine.game import Game
    from react_env.games.arts_of_war.cards import Artist
    from react_env.games.arts_of_war.cards.schema import AbilityCard, ActionCard, Effect

ASKED_BY_EFFECTS = (
    S.D_BRANCH,
    S.D_MAY,
    S.D_ZONE,
    S.D_UNIT,
    S.D_DIRECTION,
)  # decisions whose questions do not say what they are for


def card_words(game: Game, state: Any, player: int) -> list[Words]:
    """The cards of both artists and what else of theirs has a text, `player`'s first."""
    artists = game.rules.view.of(state).artists  # type: ignore[attr-defined]
    return [words for seat in (player, 1 - player) for words in _of_artist(artists[seat], state, seat, seat == player)]


def question_words(game: Game, state: Any) -> str:
    """The text of the effect that asks the question at hand, or of the card whose effect is chosen; "" if the question says enough."""
    view: View = game.rules.view.of(state)  # type: ignore[attr-defined]
    if state["decision"] == S.D_EFFECT:
        played = state["chain"][int(state["chain_size"]) - 1]
        player, number = int(played["player"]), int(played["card"])
        name = view.card(player, number, view._side_up(state, player))
        texts = [words.lines for words in _of_artist(view.artists[player], state, player, False) if words.name == name]
        offered = [game.action_text(state, action) for action in game.legal_actions(state)]
        lines = [
            line for text in texts[:1] for line in text if any(f"{line.partition(']')[0]}]" in one for one in offered)
        ]
        return "\n".join([f"{name}:", *lines])
    if state["decision"] not in ASKED_BY_EFFECTS or not state["frames"]:
        return ""
    frame = state["frame"][int(state["frames"]) - 1]
    if frame["kind"] == S.F_TRIGGER:
        return _listed(_trigger_words(game, view, state, frame))
    if frame["kind"] not in (S.F_COST, S.F_EFFECT):
        return ""
    played = state["chain"][int(state["chain_size"]) - 1]
    player, number, row = (int(played[name]) for name in ("player", "card", "effect"))
    artist = view.artists[player]
    in_deck = number < S.ACTIONS_CARDS
    card = artist.actions[number] if in_deck else artist.abilities[number - S.ACTIONS_CARDS]
    effects = [effect for _, _, side in card.sides for effect in side]
    effect = effects[list(game.tables[int(state["table"])]["card_effects"][player, number]).index(row)]
    cost, text = wording.effect_text(artist, card, effect)
    words = f"{view.effect(player, number, row)}: {cost if frame['kind'] == S.F_COST else text}"
    return _listed(words)


def _listed(words: str) -> str:
    """The text with each option of a choice, and what follows the options, on a line of its own."""
    listed = re.sub(r" (?=\(\d\) )", "\n", words)
    return re.sub(r" (?=In any case,|Otherwise,)", "\n", listed) if listed != words else words


def _trigger_words(game: Game, view: View, state: Any, frame: Any) -> str:
    """The name and the text of the running trigger: of the player's programs, the last that begins at or before the present row."""
    t, player = game.tables[int(state["table"])], int(frame["player"])
    artist = view.artists[player]
    programs = [(t["trigger_code"], i, passive.name) for i, passive in enumerate(artist.passives)]
    programs += [(t["token_code"], i, token.name) for i, token in enumerate(artist.tokens.values())]
    programs += [
        (t[code], i, tile.name) for code in ("tile_code", "tile_cue") for i, tile in enumerate(artist.tiles.values())
    ]
    programs += [(t["ascend_code"], i, "") for i in range(t["ascend_code"].shape[1])]
    begun = [(int(codes[player][i]), name) for codes, i, name in programs if 0 <= codes[player][i] <= frame["pc"]]
    name = max(begun, default=(0, ""))[1]
    texts = [words for words in _of_artist(artist, state, player, False) if name and words.name == name]
    return f"{name}: {' '.join(texts[-1].lines)}" if texts else ""  # a card of the same name comes first


def _of_artist(artist: Artist, state: Any, seat: int, own: bool) -> list[Words]:
    found = [
        Words(seat, card.name, _effects(artist, card, card.effects), int(state["hand"][seat][number]) if own else 0)
        for number, card in enumerate(artist.actions)
    ]
    for card in artist.abilities:
        found.append(Words(seat, card.name, _effects(artist, card, card.effects), int(own)))
        for side in card.other_sides:
            text = wording.side_text(artist, side)
            at_once = [f"At once on ascending. {text}" if side.mode == "immediate" else text] if text else []
            found.append(Words(seat, side.name, at_once + _effects(artist, card, side.effects), 0))
    return found + [Words(seat, kind.name, [text], 0) for kind, _, text in wording.kind_texts(artist)]


def _effects(artist: Artist, card: ActionCard | AbilityCard, effects: list[Effect]) -> list[str]:
    lines = []
    for number, effect in enumerate(effects):
        cost, text = wording.effect_text(artist, card, effect)
        title = wording.effect_title(effects, number)
        lines.append(f"{title}. " + (f"Cost: {cost} Effect: " if cost else "") + text)
    return lines
