"""No turn is endless (AW-C14): every ability intention of an artist can be played only so often in one turn.

What can grow during a turn is counted as resources: units made ready (refreshed or summoned), tokens put down, units moved, masterpiece
cards progressed. A resource is bounded when all that produces it can happen only finitely often; an ability effect can when its
cost takes a bounded resource or a card; what triggers can when that which triggers it is bounded. Action cards never return to
the deck, so what they do is finite anyway, as is what happens once at the start or end of a turn. Everything else must follow from
that, from the bottom up. Only the artist's own effects count: an opponent who helps to make a turn endless could as well not.
"""

from dataclasses import dataclass, field

from react_env.games.arts_of_war.cards.faults import Fault
from react_env.games.arts_of_war.cards.schema import (
    AddToken,
    Artist,
    AscendedImmediate,
    AscendedUntilUsed,
    ChooseUnit,
    Effect,
    ForEach,
    Jump,
    LockUnit,
    Move,
    Part,
    PayDiscard,
    PayExhaust,
    PayToken,
    Refresh,
    Summon,
    Swap,
    Units,
    walk,
)

Resource = tuple[str, str]
THEIRS = "theirs"  # any unit of the opponent
PROGRESS = ("progress", "")


@dataclass
class Activity:
    """Something that may happen during a turn: one effect of an ability card, or one triggered program."""

    name: str
    location: tuple[str | int, ...]
    intention: bool = False
    triggered: bool = False
    needs: list[Resource] = field(default_factory=list)  # an effect takes these; a trigger is set off by these
    makes: set[Resource] = field(default_factory=set)


def check_bounds(artist: Artist) -> None:
    """Raises Fault for an ability intention that could be played for ever in one turn."""
    activities = _activities(artist)
    finite: list[Activity] = []
    while True:
        endless = [activity for activity in activities if activity not in finite]
        growing = {resource for activity in endless for resource in activity.makes}

        def ends(activity: Activity, growing: set[Resource] = growing) -> bool:
            bounded = [need not in growing for need in activity.needs]
            return all(bounded) if activity.triggered else any(bounded)

        found = [activity for activity in endless if ends(activity)]
        if not found:
            break
        finite += found
    for activity in endless:
        if activity.intention:
            raise Fault(activity.location, _explain(activity, endless, artist))


def _explain(activity: Activity, endless: list[Activity], artist: Artist) -> str:
    rule = "an ability intention must not be playable for ever in one turn (AW-C14)"
    if not activity.needs:
        return (
            f"{rule}: nothing in its cost runs out; allowed: a cost with at least one of exhaust, discard, remove_token"
        )
    reasons = []
    for kind, name in activity.needs:
        makers = ", ".join(sorted(other.name for other in endless if (kind, name) in other.makes))
        if kind == "token":
            reasons.append(f"the {artist.tokens[name].name} that it takes can be put back by {makers}")
        else:
            unit = artist.name if name == "artist" else artist.summons[name].name
            reasons.append(f"the {unit} that it exhausts can be made ready again by {makers}")
    return f"{rule}: {'; '.join(reasons)}; allowed: at least one cost that does not come back, such as discard"


def _activities(artist: Artist) -> list[Activity]:
    found: list[Activity] = []
    for number, card in enumerate(artist.abilities):
        user = None if card.unit == "none" else card.unit
        sides: list[tuple[tuple[str | int, ...], str, list[Effect]]] = [(("effects",), card.name, card.effects)]
        if isinstance(card.ascended, AscendedUntilUsed):
            sides.append((("ascended", "effects"), card.ascended.name, card.ascended.effects))
        for path, title, effects in sides:
            for index, effect in enumerate(effects):
                if any(isinstance(cost, PayDiscard) for cost in effect.cost):
                    continue
                of_card = len(effects) > 1
                activity = Activity(f"{title} [{index + 1}]" if of_card else title, ("abilities", number, *path, index))
                activity.intention = effect.kind == "intention"
                _effect(artist, user, effect, activity)
                found.append(activity)
        if isinstance(card.ascended, AscendedImmediate):
            found.append(
                _trigger(
                    artist, card.ascended.name, ("abilities", number, "ascended"), card.ascended.do, [PROGRESS], {}
                )
            )
    everyone = _kinds(artist, Units(), None)
    for number, passive in enumerate(artist.passives):
        if passive.when == "unit_moved":
            kinds = _kinds(artist, passive.where or Units(), None)
            needs = [("move", kind) for kind in kinds]
            found.append(_trigger(artist, passive.name, ("passives", number), passive.do, needs, {"unit": kinds}))
    for name, token in artist.tokens.items():
        if token.at is not None:
            found.append(_trigger(artist, token.name, ("tokens", name), token.at.do, [("token", name)], {}))
    for name, tile in artist.tiles.items():
        needs = [("move", kind) for kind in everyone]
        found.append(_trigger(artist, tile.name, ("tiles", name), tile.on_enter, needs, {"unit": everyone}))
    return found


def _effect(artist: Artist, user: str | None, effect: Effect, activity: Activity) -> None:
    variables: dict[str, set[str]] = {"me": {user}} if user else {}
    for cost in effect.cost:
        match cost:
            case PayExhaust():
                activity.needs.append(("ready", user or ""))
            case PayToken(remove_token=args):
                activity.needs.append(("token", args.token))
            case LockUnit(choose_unit=unit):
                variables[unit.as_] = _kinds(artist, unit.where, user)
    activity.makes = _makes(artist, user, effect.do, variables)


def _trigger(
    artist: Artist,
    name: str,
    location: tuple[str | int, ...],
    parts: list[Part],
    needs: list[Resource],
    variables: dict[str, set[str]],
) -> Activity:
    makes = _makes(artist, "artist", parts, {"me": {"artist"}, **variables})
    return Activity(name, location, triggered=True, needs=needs, makes=makes)


def _makes(artist: Artist, user: str | None, parts: list[Part], variables: dict[str, set[str]]) -> set[Resource]:
    """What a program can produce; `variables` gives the kinds of unit that each unit variable can be."""
    makes: set[Resource] = set()
    known = {name: set(kinds) for name, kinds in variables.items()}
    for part in walk(parts):
        match part:
            case ChooseUnit(choose_unit=unit):
                known.setdefault(unit.as_, set()).update(_kinds(artist, unit.where, user))
            case ForEach(for_each=loop):
                known.setdefault(loop.unit, set()).update(_kinds(artist, loop.where, user))
            case Refresh(refresh=name):
                makes |= {("ready", kind) for kind in known[name] if kind != THEIRS}
            case Summon(summon=summon):
                makes.add(("ready", summon.kind))
            case AddToken(add_token=add):
                makes.add(("token", add.token))
            case Move(move=move) | Jump(jump=move):
                makes |= {("move", kind) for kind in known[move.unit]}
            case Swap(swap=swap):
                makes |= {("move", kind) for kind in known[swap.unit] | known[swap.with_]}
            case "progress":
                makes.add(PROGRESS)
    return makes


def _kinds(artist: Artist, where: Units, user: str | None) -> set[str]:
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
