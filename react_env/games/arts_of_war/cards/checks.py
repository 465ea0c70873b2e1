"""Checks of a kit as a whole, and of its units, counters, tokens, tiles and cards."""

from react_env.content.files import Fault
from react_env.games.arts_of_war import state as s
from react_env.games.arts_of_war.cards import schema as C
from react_env.games.arts_of_war.cards.operations import Summon, words_in
from react_env.games.arts_of_war.cards.program import Loc, listed, walk


def check_kit(artist: C.Artist) -> None:
    """Raises Fault for a kit that is impossible, whatever its programs say in detail."""
    for check in (_units, _counters, _tokens, _tiles, _cards, _sides, _artist):
        check(artist)


def _units(artist: C.Artist) -> None:
    for name in artist.summons:
        if name in ("artist", "summon", "none"):
            raise Fault(("summons", name), "this word is reserved; choose another id")
    units = sum(summon.count for summon in artist.summons.values())
    if units > s.SLOTS - 1:
        raise Fault(("summons",), f"{units} units of summons in all; allowed: {s.SLOTS - 1}")
    attached = sum(summon.count for summon in artist.summons.values() if summon.attached)
    if attached > s.ATTACHED:
        raise Fault(("summons",), f"{attached} attached units of summons in all; allowed: {s.ATTACHED}")


def _counters(artist: C.Artist) -> None:
    dice: str | None = None
    for name, counter in artist.counters.items():
        loc: Loc = ("counters", name)
        if counter.dice is not None:
            if counter.most is not None:
                raise Fault((*loc, "most"), "the faces of dice limit them; a counter of dice has no `most`")
            if dice is not None:
                raise Fault((*loc, "dice"), f"{dice!r} already has the dice; allowed: one counter of dice")
            dice = name
        elif counter.most is None:
            raise Fault(loc, "needs `most`, or `dice`; field 'most' is missing")
        if counter.start > counter.highest:
            raise Fault((*loc, "start"), f"starts at {counter.start}; allowed: at most {counter.highest}")


def _tokens(artist: C.Artist) -> None:
    for name, token in artist.tokens.items():
        loc: Loc = ("tokens", name)
        if token.at is not None:
            if token.on_unit:
                raise Fault((*loc, "at"), "only a zone token can be counted in a zone; place: zone is needed")
            if token.at.count > (token.pool if token.stacks else 1):
                raise Fault((*loc, "at", "count"), "so many can never lie in one zone (pool, stacks)")
        if token.blocks_damage and token.on_unit:
            raise Fault((*loc, "blocks_damage"), "only a zone token can block damage; place: zone is needed")


def _tiles(artist: C.Artist) -> None:
    plans = {name: tile.pool for name, tile in artist.tiles.items() if tile.on_cue}
    for name, tile in artist.tiles.items():
        if tile.on_enter is None and tile.on_cue is None:
            raise Fault(("tiles", name), "does nothing; needs at least one of: on_enter, on_cue")
    if sum(plans.values()) > s.PLANS:
        counts = ", ".join(f"{name} {pool}" for name, pool in plans.items())
        raise Fault(("tiles",), f"{sum(plans.values())} tiles with on_cue in all ({counts}); allowed: {s.PLANS}")


def _artist(artist: C.Artist) -> None:
    """Check vital summons, face-down cards, and what passives may wait for."""
    if artist.vital is not None:
        artist.number("kind", artist.vital, ("vital",))
        setup = [part for passive in artist.passives if passive.when == "setup" for part in walk(passive.do)]
        if not any(isinstance(part, Summon) and part.kind == artist.vital for part in setup):
            raise Fault(
                ("vital",),
                f"no {artist.vital!r} is on the board when the game begins; needs a passive with when: setup that summons one",
            )
    if artist.face_down and not any(effect.kind == "reaction" for card in artist.actions for effect in card.effects):
        message = "no card could ever lie face down; needs a deck with an action card that has a Reaction effect"
        raise Fault(("face_down",), message)
    moved = [passive.name for passive in artist.passives if passive.when == "unit_moved"]
    if len(moved) > s.MOVED_PASSIVES:
        message = f"{len(moved)} passives with when: unit_moved ({listed(moved)}); allowed: {s.MOVED_PASSIVES}"
        raise Fault(("passives",), message)
    for number, passive in enumerate(artist.passives):
        if passive.when == "instead_of_draw" and artist.actions:
            message = "an artist with a deck draws; allowed without action cards only: instead_of_draw"
            raise Fault(("passives", number, "when"), message)


def _progresses(effects: list[C.Effect], loc: Loc, what: str) -> None:
    if len(effects) < 2:
        raise Fault(loc, f"{what} needs at least two effects (AW-M9)")
    if not any("progress" in words_in(effect.do) for effect in effects):
        raise Fault(loc, f"one effect of {what} must contain `progress` (AW-M9)")


def _sides(artist: C.Artist) -> None:
    """Check the other sides of the artist ability card (AW-M9, AW-M10)."""
    first = artist.abilities[0]
    titles = [card.name for _, card in artist.cards]
    for depth, side in enumerate(first.other_sides, start=1):
        loc: Loc = ("abilities", 0, *("ascended",) * depth)
        if side.name in titles:
            raise Fault((*loc, "name"), f"another card or side has the same name {side.name!r}")
        titles.append(side.name)
        if isinstance(side, C.AscendedBecomes):
            _progresses(side.effects, (*loc, "effects"), "what the artist becomes")
        if isinstance(side, C.AscendedImmediate) and side.do[-1].key() != "descend":
            raise Fault((*loc, "do"), "an immediate ascension must end with `descend`")


def _cards(artist: C.Artist) -> None:
    """Check the deck (AW-S3), the artist ability card (AW-M9, AW-M10), and that ids and names tell the cards apart."""
    if artist.actions:
        if len(artist.actions) != s.ACTIONS_CARDS:
            allowed = f"exactly {s.ACTIONS_CARDS}, or none for an artist without a deck"
            raise Fault(("actions",), f"{len(artist.actions)} different action cards; allowed: {allowed}")
        copies = sum(card.copies for card in artist.actions)
        if copies != s.DECK:
            counts = ", ".join(f"{card.id} {card.copies}" for card in artist.actions)
            raise Fault(("actions",), f"the deck has {copies} cards ({counts}); allowed: exactly {s.DECK}")
    first = artist.abilities[0]
    if first.unit != "artist":
        message = f"the first ability card is the artist's; found {first.unit!r}, allowed: artist"
        raise Fault(("abilities", 0, "unit"), message)
    if first.ascended is None:
        raise Fault(("abilities", 0), "the artist ability card needs its other side: field 'ascended' is missing")
    _progresses(first.effects, ("abilities", 0, "effects"), "the artist ability card")
    seen: set[tuple[str, str]] = set()
    for loc, card in artist.cards:
        is_first = loc == ("abilities", 0)
        named = [("name", card.name)] if is_first else [("id", card.id), ("name", card.name)]
        for what, value in named:
            if (what, value) in seen:
                raise Fault((*loc, what), f"another card has the same {what} {value!r}")
            seen.add((what, value))
        for index, effect in enumerate(card.effects):
            if effect.name is not None and not is_first:
                raise Fault((*loc, "effects", index, "name"), "only effects of the artist ability card have names")
        if card.other_sides and not is_first:
            raise Fault((*loc, "ascended"), "only the first ability card, the artist's, has an ascended side")
