"""Check that no turn is endless (AW-C14): each ability Intention of an artist can be played only so often in one turn.

Whatever can grow during a turn is a resource: units made ready (refreshed or summoned), units on the board, tokens put down,
counters raised, units moved, masterpiece cards progressed, cues. An ability effect makes what its own parts make and what these
trigger (which is finite each time: `loops.py`). It can happen only finitely often if its cost takes a card, or a resource that
is made only by effects already known to be finite. What a cost merely requires is not taken. Action cards never return to the
deck, so what they do is finite, and so is what happens once at the start or end of a turn. Only the artist's own effects count: an
opponent need not help to make a turn endless.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from react_env.content.files import Fault
from react_env.games.arts_of_war.cards import schema as C
from react_env.games.arts_of_war.cards.operations import Kinds, PayDiscard, Resource, Word
from react_env.games.arts_of_war.cards.program import Loc, walk


@dataclass
class Activity:
    """An effect that may happen again and again in a turn, as long as what it `needs` for its cost is made again."""

    name: str
    loc: Loc
    needs: set[Resource]
    makes: set[Resource]
    intention: bool


def check_bounds(artist: C.Artist) -> None:
    """Raises Fault for an ability Intention that could be played for ever in one turn."""
    triggers = [
        (it.set_off_by, _makes(artist, it.parts, {"me": {"artist"}, "unit": set(it.units)}))
        for it in [*artist.triggered(), *artist.ascending()]
    ]
    endless = _effects(artist)
    for effect in endless:
        for _ in triggers:  # one may set off the next
            effect.makes.update(*(makes for set_off_by, makes in triggers if set_off_by & effect.makes))
    before = 0
    while len(endless) != before:
        before = len(endless)
        growing = {resource for effect in endless for resource in effect.makes}
        endless = [effect for effect in endless if effect.needs <= growing]
    for effect in endless:
        if effect.intention:
            raise Fault(effect.loc, _explain(effect, endless, artist))


def _explain(activity: Activity, endless: list[Activity], artist: C.Artist) -> str:
    rule = "an ability intention must not be playable for ever in one turn (AW-C14)"
    if not activity.needs:
        return (
            f"{rule}: nothing in its cost runs out; allowed: a cost with at least one of exhaust, discard, remove_token, pay, "
            "sacrifice"
        )
    units: dict[str, Any] = {**artist.summons, "artist": artist}
    told: dict[str, tuple[Mapping[str, Any], str, str]] = {
        "token": (artist.tokens, "takes", "put back"),
        "counter": (artist.counters, "pays", "gained again"),
        "unit": (units, "sacrifices", "summoned again"),
        "ready": (units, "exhausts", "made ready again"),
    }
    reasons = []
    for kind, id_ in sorted(activity.needs):
        makers = ", ".join(sorted(other.name for other in endless if (kind, id_) in other.makes))
        known, taken, back = told[kind]
        name = known[id_].name if id_ in known else "summon"  # a summon of any kind
        reasons.append(f"the {name} that it {taken} can be {back} by {makers}")
    return f"{rule}: {'; '.join(reasons)}; allowed: at least one cost that does not come back, such as discard"


def _effects(artist: C.Artist) -> list[Activity]:
    """The effects of the ability cards, except those that cost a card."""
    found: list[Activity] = []
    for number, card in enumerate(artist.abilities):
        for path, title, effects in card.sides:
            for index, effect in enumerate(effects):
                if not any(isinstance(cost, PayDiscard) for cost in effect.cost):
                    name = f"{title} [{index + 1}]" if len(effects) > 1 else title
                    loc: Loc = ("abilities", number, *path, index)
                    found.append(Activity(name, loc, *_effect(artist, card, effect), effect.kind == "intention"))
    return found


def _effect(artist: C.Artist, card: C.AbilityCard, effect: C.Effect) -> tuple[set[Resource], set[Resource]]:
    """What an effect takes, and what it brings about."""
    known: Kinds = {} if card.unit == "none" else {"me": {card.unit}}
    chosen = {named.name: named.where for cost in effect.cost if (named := cost.names())}
    needs = {resource for cost in effect.cost for resource in cost.needs(card.unit, chosen)}
    return needs, _makes(artist, [*effect.cost, *effect.do], known)


def _makes(artist: C.Artist, parts: Sequence[Word], known: Kinds) -> set[Resource]:
    """What a program can bring about; `known` gives the kinds of unit that each unit variable can be."""
    return {found for part in walk(parts) for found in part.makes(artist, known)}
