"""No turn is endless (AW-C14): every ability intention of an artist can be played only so often in one turn.

What can grow during a turn is counted as resources: units made ready (refreshed or summoned), units on the board, tokens put
down, counters raised, units moved, masterpiece cards progressed, cues. An ability effect makes what its own parts make, and what
these trigger (which is finite each time: `loops.py`). It can happen only finitely often when its cost takes a
card, or a resource that nothing makes but effects of which that is already known; what a cost only requires takes nothing. Action
cards never return to the deck, so what they do is finite anyway, as is what happens once at the start or end of a turn. Only the
artist's own effects count: an opponent who helps to make a turn endless could as well not.
"""

from dataclasses import dataclass, field

from react_env.content.files import Fault
from react_env.games.arts_of_war.cards import operations as O
from react_env.games.arts_of_war.cards import schema as C
from react_env.games.arts_of_war.cards.operations import CUE, PROGRESS, Resource, matched_kinds, part_of, walk
from react_env.games.arts_of_war.cards.selections import Units


@dataclass
class Activity:
    """Something that may happen during a turn: an effect of an ability card, or a triggered program."""

    name: str
    location: tuple[str | int, ...]
    needs: set[Resource] = field(
        default_factory=set
    )  # an effect takes these as its cost; a trigger is set off by any of these
    makes: set[Resource] = field(default_factory=set)
    intention: bool = False


def check_bounds(artist: C.Artist) -> None:
    """Raises Fault for an ability intention that could be played for ever in one turn."""
    triggers = _triggers(artist)
    endless = _effects(artist)
    for effect in endless:
        waiting = list(triggers)
        while set_off := [trigger for trigger in waiting if trigger.needs & effect.makes]:
            for trigger in set_off:
                effect.makes |= trigger.makes
                waiting.remove(trigger)
    while True:
        growing = {resource for effect in endless for resource in effect.makes}
        left = [effect for effect in endless if effect.needs <= growing]
        if len(left) == len(endless):
            break
        endless = left
    for effect in endless:
        if effect.intention:
            raise Fault(effect.location, _explain(effect, endless, artist))


def _explain(activity: Activity, endless: list[Activity], artist: C.Artist) -> str:
    rule = "an ability intention must not be playable for ever in one turn (AW-C14)"
    if not activity.needs:
        return (
            f"{rule}: nothing in its cost runs out; allowed: a cost with at least one of exhaust, discard, remove_token, pay, "
            "sacrifice"
        )
    reasons = []
    for kind, name in sorted(activity.needs):
        makers = ", ".join(sorted(other.name for other in endless if (kind, name) in other.makes))
        match kind:
            case "token":
                reasons.append(f"the {artist.tokens[name].name} that it takes can be put back by {makers}")
            case "counter":
                reasons.append(f"the {artist.counters[name].name} that it pays can be gained again by {makers}")
            case "unit":
                unit = artist.summons[name].name if name in artist.summons else "summon"
                reasons.append(f"the {unit} that it sacrifices can be summoned again by {makers}")
            case _:
                unit = artist.name if name == "artist" else artist.summons[name].name
                reasons.append(f"the {unit} that it exhausts can be made ready again by {makers}")
    return f"{rule}: {'; '.join(reasons)}; allowed: at least one cost that does not come back, such as discard"


def _effects(artist: C.Artist) -> list[Activity]:
    """The effects of the ability cards, but those that cost a card."""
    found: list[Activity] = []
    for number, card in enumerate(artist.abilities):
        for path, title, effects in card.sides:
            for index, effect in enumerate(effects):
                if not any(isinstance(cost, O.PayDiscard) for cost in effect.cost):
                    name = f"{title} [{index + 1}]" if len(effects) > 1 else title
                    found.append(_effect(artist, card, effect, name, ("abilities", number, *path, index)))
    return found


def _effect(
    artist: C.Artist, card: C.AbilityCard, effect: C.Effect, name: str, location: tuple[str | int, ...]
) -> Activity:
    user = None if card.unit == "none" else card.unit
    activity = Activity(name, location, intention=effect.kind == "intention")
    variables: dict[str, set[str]] = {"me": {user}} if user else {}
    held: dict[str, str] = {}  # zone variable -> kind of the summon that was asked to stand there
    for cost in effect.cost:
        if isinstance(cost, O.LockZone) and cost.choose_zone.where.holds is not None:
            held[cost.choose_zone.as_] = cost.choose_zone.where.holds.kind or "summon"
        elif isinstance(cost, O.LockUnit):
            variables[cost.choose_unit.as_] = matched_kinds(artist, cost.choose_unit.where, user)
        activity.needs |= cost.needs(user, held)
    activity.makes = _makes(artist, effect.do, variables)
    return activity


def _triggers(artist: C.Artist) -> list[Activity]:
    """What runs by itself during a turn: an immediate ascension, passives that wait for movement, tokens, tiles.

    What runs when an artist becomes something else is not among it: that happens once in a game.
    """
    me = {"me": {"artist"}}
    found: list[Activity] = []
    for card in artist.abilities:
        for side in card.other_sides:
            if isinstance(side, C.AscendedImmediate):
                found.append(Activity(side.name, (), {PROGRESS}, _makes(artist, side.do, me)))
    for passive in artist.passives:
        if passive.when == "unit_moved":
            kinds = matched_kinds(artist, passive.where or Units(), None)
            makes = _makes(artist, passive.do, {**me, "unit": kinds})
            found.append(Activity(passive.name, (), {("move", kind) for kind in kinds}, makes))
    for name, token in artist.tokens.items():
        if token.at is not None:
            found.append(Activity(token.name, (), {("token", name)}, _makes(artist, token.at.do, me)))
    everyone = matched_kinds(artist, Units(), None)
    for tile in artist.tiles.values():
        who = {**me, "unit": everyone}
        if tile.on_enter is not None:
            entered = {("move", kind) for kind in everyone}
            found.append(Activity(tile.name, (), entered, _makes(artist, tile.on_enter, who)))
        if tile.on_cue is not None:
            found.append(Activity(tile.name, (), {CUE}, _makes(artist, tile.on_cue, who)))
    return found


def _makes(artist: C.Artist, parts: list[O.Part], variables: O.Kinds) -> set[Resource]:
    """What a program can produce; `variables` gives the kinds of unit that each unit variable can be."""
    known = {name: set(kinds) for name, kinds in variables.items()}
    return {found for part in walk(parts) for found in part_of(part).makes(artist, known)}
