"""What is printed on the cards of an artist, and what its passives, tokens, tiles and counters say."""

from collections.abc import Mapping
from typing import Any

from react_env.games.arts_of_war.cards import schema as C
from react_env.games.arts_of_war.cards.operations import Part, Require
from react_env.games.arts_of_war.cards.selections import Units
from react_env.games.arts_of_war.cards.writer import THERE, Writer, join, lower, noun_of, upper


def effect_text(artist: C.Artist, card: C.Card, effect: C.Effect) -> tuple[str, str]:
    """The cost and the text of an effect, each as sentences; the cost is empty if there is none."""
    writer = Writer(artist, card.unit, effect.cost, effect.do)
    required = [price.say(writer) for price in effect.cost if isinstance(price, Require)]
    clauses: list[str] = []
    for price in effect.cost:
        if not isinstance(price, Require):
            clauses.append(price.say(writer))
            writer.near = "me" if clauses[-1].startswith("exhaust") else writer.near
    writer.near = None
    said = ["only if " + join(required)] if required else []
    said += [join(clauses)] if clauses else []
    return f"{upper(': '.join(said))}." if said else "", writer.text(effect.do)


def effect_title(effects: list[C.Effect], number: int) -> str:
    """The title of effect `number` (from 0) among `effects`, such as "[2] Study, Intention"."""
    effect = effects[number]
    counted = f"[{number + 1}] " if len(effects) > 1 else ""
    return f"{counted}{f'{effect.name}, ' if effect.name else ''}{effect.kind.capitalize()}"


def passive_text(artist: C.Artist, passive: C.Passive) -> str:
    """What a passive does, and when."""
    moment, words = C.MOMENTS[passive.when][1], {}
    if passive.when == "unit_moved":
        where, writer = passive.where or Units(), Writer(artist, "artist")
        # A token of a zone is looked for where the unit stands once it has moved.
        there = {key for key in ("token", "no_token") if (it := getattr(where, key)) and not writer.on_unit(it)}
        who, stands = writer.one(where.model_copy(update=dict.fromkeys(there)), "a"), where.model_dump(include=there)
        moment = moment.format(who=who) + (f" and then {writer.is_(Units(**stands))}" if there else "")
        if who.startswith("the "):
            words = {"unit": who, "left": f"the zone that {who} left"}
        else:
            words = {"unit": f"that {noun_of(artist, where)}", "left": "the zone just left"}
    return _when(moment, artist, passive.do, **words)


def token_text(artist: C.Artist, token: C.TokenKind) -> str:
    """How many there are, where they lie, and what they do."""
    many = "Any number" if token.stacks else "At most one"
    place = "on a unit; moves along with the unit" if token.on_unit else "in a zone"
    sentences = [f"{token.pool} in all. {many} {place}."]
    if token.blocks_damage:
        sentences.append("The next damage to its zone is negated, and the token leaves.")
    if token.lasts == "turn":
        sentences.append("Leaves at the end of the turn.")
    if token.at is not None:
        moment = f"Whenever one is placed in a zone that then holds at least {token.at.count}"
        sentences.append(_when(moment, artist, token.at.do, here="that zone"))
    return " ".join(sentences)


def tile_text(artist: C.Artist, tile: C.TileKind) -> str:
    """How many there are, what happens when a unit enters, and what happens at a cue."""
    sentences = [f"{tile.pool} in all." + " Laid with a direction." * tile.directed]
    words = {"here": "that zone", "way": f"the way the {tile.name} points"}
    if tile.on_enter is not None:
        sentences.append(_when("When a unit enters", artist, tile.on_enter, unit="that unit", **words))
    if tile.on_cue is not None:
        sentences.append(_when("When cued", artist, tile.on_cue, unit=THERE, **words))
    return " ".join(sentences)


def counter_text(counter: C.CounterKind) -> str:
    """Where it starts, and how high it can stand."""
    if counter.dice is None:
        return f"Starts at {counter.start}; at most {counter.most}."
    dice = "One die" if counter.dice.count == 1 else f"{counter.dice.count} dice"
    return f"{dice} with {counter.dice.sides} sides, added up. Starts at {counter.start}."


def artist_text(artist: C.Artist) -> dict[str, str]:
    """What the artist itself is, apart from its cards, by the field that says so."""
    found = {}
    if artist.immune:
        found["immune"] = f"The {artist.name} takes no damage."
    if artist.vital is not None:
        found["vital"] = f"You lose the game when the last {artist.summons[artist.vital].name} leaves the board."
    if artist.face_down:
        cards = "1 action card" if artist.face_down == 1 else f"{artist.face_down} action cards"
        found["face_down"] = (
            f"Up to {cards} with a Reaction may lie face down on later slots of the chain; each is revealed and played when its "
            "slot comes next."
        )
    return found


def kind_texts(artist: C.Artist) -> list[tuple[Any, str, str]]:
    """Each thing with a text that is no card (passive, counter, token, tile), its sort, and the text."""
    return [
        *((it, "", passive_text(artist, it)) for it in artist.passives),
        *((it, "counter" if it.dice is None else "dice", counter_text(it)) for it in artist.counters.values()),
        *((it, f"{it.place} token", token_text(artist, it)) for it in artist.tokens.values()),
        *((it, "tile", tile_text(artist, it)) for it in artist.tiles.values()),
    ]


def side_text(artist: C.Artist, side: C.OtherSide) -> str:
    """What happens at once when the artist ascends to that side, if anything does."""
    if side.do is None:
        return ""
    return _when("At once", artist, side.do) if side.mode == "becomes" else _text(artist, side.do)


def _when(moment: str, artist: C.Artist, parts: list[Part], **words: str) -> str:
    return f"{moment}: {lower(_text(artist, parts, words))}"


def _text(artist: C.Artist, parts: list[Part], words: Mapping[str, str] | None = None) -> str:
    return Writer(artist, "artist", parts=parts, words=words).text(parts)
