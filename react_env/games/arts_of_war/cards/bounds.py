"""No turn is endless (AW-C14): every ability intention of an artist can be played only so often in one turn.

What can grow during a turn is counted as resources: units made ready (refreshed or summoned), units on the board, tokens put
down, counters raised, units moved, masterpiece cards progressed, cues. An ability effect makes what its own parts make, and what
these trigger (which is finite each time: `loops.py`). It can happen only finitely often when its cost takes a
card, or a resource that nothing makes but effects of which that is already known; what a cost only requires takes nothing. Action
cards never return to the deck, so what they do is finite anyway, as is what happens once at the start or end of a turn. Only the
artist's own effects count: an opponent who helps to make a turn endless could as well not.
"""

from dataclasses import dataclass, field

from react_env.games.arts_of_war.cards import schema as C
from react_env.games.files import Fault

Resource = tuple[str, str]
THEIRS = "theirs"  # any unit of the opponent
PROGRESS = ("progress", "")
CUE = ("cue", "")


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
                if not any(isinstance(cost, C.PayDiscard) for cost in effect.cost):
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
        match cost:
            case C.PayExhaust():
                activity.needs.add(("ready", str(user)))
            case C.PayToken(remove_token=args):
                activity.needs.add(("token", args.token))
            case C.PayCounter(pay=pay):
                activity.needs.add(("counter", pay.counter))
            case C.LockZone(choose_zone=zone) if zone.where.holds is not None:
                held[zone.as_] = zone.where.holds.kind or "summon"
            case C.Sacrifice(sacrifice=name):
                activity.needs.add(("unit", held[name]))
            case C.LockUnit(choose_unit=unit):
                variables[unit.as_] = matched_kinds(artist, unit.where, user)
    activity.makes = _makes(artist, user, effect.do, variables)
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
                found.append(Activity(side.name, (), {PROGRESS}, _makes(artist, "artist", side.do, me)))
    for passive in artist.passives:
        if passive.when == "unit_moved":
            kinds = matched_kinds(artist, passive.where or C.Units(), None)
            makes = _makes(artist, "artist", passive.do, {**me, "unit": kinds})
            found.append(Activity(passive.name, (), {("move", kind) for kind in kinds}, makes))
    for name, token in artist.tokens.items():
        if token.at is not None:
            found.append(Activity(token.name, (), {("token", name)}, _makes(artist, "artist", token.at.do, me)))
    everyone = matched_kinds(artist, C.Units(), None)
    for tile in artist.tiles.values():
        who = {**me, "unit": everyone}
        if tile.on_enter is not None:
            entered = {("move", kind) for kind in everyone}
            found.append(Activity(tile.name, (), entered, _makes(artist, "artist", tile.on_enter, who)))
        if tile.on_cue is not None:
            found.append(Activity(tile.name, (), {CUE}, _makes(artist, "artist", tile.on_cue, who)))
    return found


def _makes(artist: C.Artist, user: str | None, parts: list[C.Part], variables: dict[str, set[str]]) -> set[Resource]:
    """What a program can produce; `variables` gives the kinds of unit that each unit variable can be."""
    makes: set[Resource] = set()
    known = {name: set(kinds) for name, kinds in variables.items()}
    for part in C.walk(parts):
        match part:
            case C.ChooseUnit(choose_unit=unit):
                known.setdefault(unit.as_, set()).update(matched_kinds(artist, unit.where, user))
            case C.ForEach(for_each=loop):
                known.setdefault(loop.unit, set()).update(matched_kinds(artist, loop.where, user))
            case C.Refresh(refresh=name):
                makes |= {("ready", kind) for kind in known[name] if kind != THEIRS}
            case C.Summon(summon=summon):
                makes |= {("ready", summon.kind), ("unit", summon.kind), ("unit", "summon")}
            case C.AddToken(add_token=add):
                makes.add(("token", add.token))
            case C.Move(move=move) | C.Jump(jump=move):
                makes |= moved_kinds(artist, known[move.unit])
            case C.Swap(swap=swap):
                makes |= moved_kinds(artist, known[swap.unit] | known[swap.with_])
            case C.Gain(gain=gain):
                makes.add(("counter", gain.counter))
            case C.Roll():
                makes |= {("counter", name) for name, counter in artist.counters.items() if counter.dice}
            case "cue":
                makes.add(CUE)
            case "progress":
                makes.add(PROGRESS)
    return makes


def moved_kinds(artist: C.Artist, kinds: set[str]) -> set[Resource]:
    """What moves when units of these kinds are moved: of a body all of it."""
    body = set(artist.body)
    return {("move", kind) for kind in (kinds | body if kinds & body else kinds)}


def matched_kinds(artist: C.Artist, where: C.Units, user: str | None) -> set[str]:
    """The kinds of unit that a selection can match: own kinds by name, and THEIRS."""
    own = {"artist", *artist.summons}
    if where.kind in ("artist", "summon"):
        own = {kind for kind in own if (kind == "artist") == (where.kind == "artist")}
    elif where.kind is not None:
        own = {where.kind}
    if where.side == "theirs":
        own = set()
    if where.other_than == "me" and user is not None and (user == "artist" or artist.summons[user].count == 1):
        own.discard(user)
    of_this_file = where.kind is not None and where.kind not in ("artist", "summon")
    return own if where.side == "mine" or of_this_file else own | {THEIRS}
