"""An effect program in words: what is printed on a card is made from what the engine runs, so the two cannot disagree."""

from typing import Any

from react_env.games.arts_of_war.cards import operations as O
from react_env.games.arts_of_war.cards import schema as C
from react_env.games.arts_of_war.cards.selections import AwayFrom, Selection, Toward, Units, Way, Zones

_ORDINALS = ("first", "second", "third")
_THERE = "the unit there"  # who stands on a tile at its cue


def effect_text(artist: C.Artist, card: C.ActionCard | C.AbilityCard, effect: C.Effect) -> tuple[str, str]:
    """The cost and the text of an effect, each as sentences; the cost is empty where there is none."""
    user = "artist" if isinstance(card, C.ActionCard) else card.unit
    writer = Writer(artist, user, effect.cost, effect.do)
    return writer.cost(effect.cost), writer.text(effect.do)


def passive_text(artist: C.Artist, passive: C.Passive) -> str:
    """What a passive does, and when."""
    moments = {
        "setup": "During set-up",
        "start_of_my_turn": "At the start of your turn",
        "start_of_every_turn": "At the start of every turn",
        "end_of_my_turn": "At the end of your turn",
        "end_of_every_turn": "At the end of every turn",
        "instead_of_draw": "Instead of drawing in the draw phase",
    }
    if passive.when in moments:
        return f"{moments[passive.when]}: {_lower(_triggered(artist, passive.do))}"
    where = passive.where or Units()
    who = Writer(artist, "artist", [], []).units(where, "a")
    definite = who.startswith("the ")
    unit = who if definite else f"that {noun_of(artist, where)}"
    left = f"the zone that {who} left" if definite else "the zone just left"
    return f"When {who} moves: {_lower(_triggered(artist, passive.do, unit=unit, left=left))}"


def token_text(artist: C.Artist, token: C.TokenKind) -> str:
    """How many there are, where they lie, and what they do."""
    many = "Any number" if token.stacks else "At most one"
    place = "on a unit; moves along with the unit" if token.place == "unit" else "in a zone"
    sentences = [f"{token.pool} in all. {many} {place}."]
    if token.blocks_damage:
        sentences.append("The next damage to its zone is negated, and the token leaves.")
    if token.lasts == "turn":
        sentences.append("Leaves at the end of the turn.")
    if token.at is not None:
        sentences.append(
            f"When a zone comes to hold {token.at.count}: {_lower(_triggered(artist, token.at.do, here='that zone'))}"
        )
    return " ".join(sentences)


def tile_text(artist: C.Artist, tile: C.TileKind) -> str:
    """How many there are, what happens to who enters, and what happens at a cue."""
    sentences = [f"{tile.pool} in all."]
    words = {"here": "that zone", "way": f"the way the {tile.name} points"}
    if tile.directed:
        sentences.append("Laid with a direction.")
    if tile.on_enter is not None:
        sentences.append(f"When a unit enters: {_lower(_triggered(artist, tile.on_enter, unit='that unit', **words))}")
    if tile.on_cue is not None:
        sentences.append(f"When cued: {_lower(_triggered(artist, tile.on_cue, unit=_THERE, **words))}")
    return " ".join(sentences)


def counter_text(counter: C.CounterKind) -> str:
    """Where it starts, and how high it can stand."""
    if counter.dice is None:
        return f"Starts at {counter.start}; at most {counter.most}."
    dice = "One die" if counter.dice.count == 1 else f"{counter.dice.count} dice"
    return f"{dice} with {counter.dice.sides} sides, added up. Starts at {counter.start}."


def artist_text(artist: C.Artist) -> dict[str, str]:
    """What the artist itself is, besides its cards, by the field that says so."""
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


def body_text(artist: C.Artist) -> str:
    """What it means that a summon is attached."""
    return f"Moves as one body with the {artist.name}."


def ascension_text(artist: C.Artist, parts: list[O.Part]) -> str:
    """What an immediate ascension does."""
    return _triggered(artist, parts)


def becoming_text(artist: C.Artist, parts: list[O.Part]) -> str:
    """What happens when the artist becomes something else."""
    return f"At once: {_lower(_triggered(artist, parts))}"


def _triggered(artist: C.Artist, parts: list[O.Part], **words: str) -> str:
    return Writer(artist, "artist", [], parts, words).text(parts)


def noun_of(artist: C.Artist, where: Units) -> str:
    """What a unit of this selection is called, without an article."""
    if where.kind is None:
        return "unit"
    return where.kind if where.kind in ("artist", "summon") else artist.summons[where.kind].name


def _lower(text: str) -> str:
    return text[:1].lower() + text[1:]


def _upper(text: str) -> str:
    return text[:1].upper() + text[1:]


def _join(words: list[str]) -> str:
    """ "a", "a and b", "a, b and c"."""
    return ", ".join(words[:-1]) + (" and " if words[:-1] else "") + words[-1]


def _a(noun: str) -> str:
    return f"an {noun}" if noun[0].lower() in "aeiou" and not noun.startswith("unit") else f"a {noun}"


class Writer:
    """Words for one program. Variables are replaced by what they stand for: "that unit", "the chosen zone"."""

    def __init__(
        self,
        artist: C.Artist,
        user: str,
        cost: list[O.CostPart],
        parts: list[O.Part],
        words: dict[str, str] | None = None,
    ) -> None:
        self.artist = artist
        self.words = dict(words or {})
        if user == "artist":
            self.words["me"] = f"the {artist.name}"
        elif user != "none":
            self.words["me"] = f"this {artist.summons[user].name}"
        self.near: str | None = None  # next to whom the rest of a cost speaks of
        self.inlined = ""  # the variable whose choice is told where it is used
        self.articles: dict[str, str] = {}  # how a variable is introduced, where two of a sort are counted
        self.zones = {name for name in self.words if name in ("here", "left")}
        self.held: dict[str, str] = {}  # zone variable of the cost -> the unit that was asked to stand there
        self._name_variables(cost, parts)

    def _name_variables(self, cost: list[O.CostPart], parts: list[O.Part]) -> None:
        """ "the chosen ..." is chosen as a cost, "that ..." while the effect resolves; two of a sort are counted."""
        chosen: dict[str, tuple[str, list[str]]] = {}
        for price in cost:
            match price:
                case O.LockUnit(choose_unit=unit):
                    noun = noun_of(self.artist, unit.where)
                    chosen[unit.as_] = (noun, [f"the chosen {noun}"])
                case O.LockZone(choose_zone=zone):
                    chosen[zone.as_] = ("zone", ["the chosen zone"])
                    self.zones.add(zone.as_)
                    self.held[zone.as_] = noun_of(self.artist, zone.where.holds or Units())
        for part in O.walk(parts):
            match part:
                case O.ChooseUnit(choose_unit=choice):
                    noun = noun_of(self.artist, choice.where)
                    if chosen.get(choice.as_, (noun,))[0] != noun:  # of another kind in each branch
                        noun = "unit"
                    chosen[choice.as_] = (noun, [f"that {noun}", f"the chosen {noun}"])
                case O.ChooseZone(choose_zone=place):
                    chosen.setdefault(place.as_, ("zone", ["that zone", "the chosen zone"]))
                    self.zones.add(place.as_)
                case O.Let(let=let):
                    self.words[let.zone] = "the noted zone"
                    self.zones.add(let.zone)
                case O.ForEach(for_each=loop):
                    self.words[loop.unit] = f"that {noun_of(self.artist, loop.where)}"
        for noun in {noun for noun, _ in chosen.values()}:
            names = [name for name, (of, _) in chosen.items() if of == noun]
            if len(names) > 1:
                self.words |= {name: f"the {ordinal} {noun}" for ordinal, name in zip(_ORDINALS, names)}
                self.articles |= {name: f"a {ordinal}" for ordinal, name in zip(_ORDINALS[1:], names[1:])}
            else:
                options = chosen[names[0]][1]
                self.words[names[0]] = next((word for word in options if word not in self.words.values()), options[-1])

    # Things.

    def place(self, name: str) -> str:
        """The zone that a variable stands for."""
        if name in self.zones:
            return self.words[name]
        inlined = name == self.inlined or self.words[name] == _THERE
        return f"the zone of {self.words[name]}" if inlined else f"{self.words[name]}'s zone"

    def units(self, where: Units, article: str, near: str | None = None, choice: bool = False) -> str:
        """A unit of the selection; `article` is "a" or "each". What stands next to `near` is called adjacent without saying to what."""
        noun = noun_of(self.artist, where)
        kind = self.artist.summons.get(where.kind or "")
        only = (where.within and where.within.distance == 0) or (kind and kind.count == 1)
        adjectives, other = self._others(where, article)
        if where.exhausted is not None:
            adjectives.append("exhausted" if where.exhausted else "ready")
        if where.side is not None and kind is None:
            adjectives.append("friendly" if where.side == "mine" else "enemy")
        if where.kind == "artist" and where.side is not None:
            only = True
            if adjectives == ["friendly"]:
                noun, adjectives = self.artist.name, []
        if where.adjacent_to and where.adjacent_to == near:
            adjectives.insert(1 if adjectives[:1] == ["other"] else 0, "adjacent")
        if where.diagonal_to and where.diagonal_to == near:
            adjectives.insert(1 if adjectives[:1] == ["other"] else 0, "diagonally adjacent")
        has = []
        if where.token:
            has.append(
                f"with {self._some(where.token)}"
                if self.on_unit(where.token)
                else f"in a zone with {self._some(where.token)}"
            )
        if where.no_token:
            has.append(
                f"without {self._bare(where.no_token)}" + ("" if self.on_unit(where.no_token) else " in its zone")
            )
        if only and article == "a" and adjectives[:1] != ["other"]:
            article = "the"
        return self._phrase(
            article, adjectives, noun, [" and ".join(has), " and ".join(self._near(where, near)), *other], choice
        )

    def zone(self, where: Zones, article: str, near: str | None = None, choice: bool = False) -> str:
        """A zone of the selection; as `units`."""
        adjectives, other = self._others(where, article)
        if where.occupied is not None:
            adjectives.append("occupied" if where.occupied else "empty")
        if where.adjacent_to and where.adjacent_to == near:
            adjectives.insert(0, "adjacent")
        if where.diagonal_to and where.diagonal_to == near:
            adjectives.insert(0, "diagonally adjacent")
        has = []
        if where.token:
            has.append(f"with {self._some(where.token, where.at_least or 1)}")
        if where.tile is not None:
            has.append(f"{'with' if where.tile else 'without'} {self.tile(where.tile)}")
        if where.holds is not None:
            other.insert(0, f"where {self.units(where.holds, 'a')} stands")
        return self._phrase(
            article, adjectives, "zone", [" and ".join(has), " and ".join(self._near(where, near)), *other], choice
        )

    def _others(self, where: Selection, article: str) -> tuple[list[str], list[str]]:
        """How `other_than` is said: as an adjective where it is plain than what, else at the end."""
        than = where.other_than
        if than is None:
            return [], []
        plain = than == "me" if isinstance(where, Units) else where.within is not None and where.within.of == than
        if plain and article in ("a", "each"):
            return ["other"], []
        return [], [f"other than {self.words[than] if isinstance(where, Units) else self.place(than)}"]

    def _phrase(self, article: str, adjectives: list[str], noun: str, after: list[str], choice: bool) -> str:
        core = " ".join([*adjectives, noun])
        if article == "a":
            core = "another " + core.removeprefix("other ") if adjectives[:1] == ["other"] else _a(core)
        elif article:
            core = f"{article} {core}"
        if choice and article != "the":
            core += " of your choice"
        return " ".join([core, *filter(None, after)])

    def _near(self, where: Selection, near: str | None) -> list[str]:
        words = []
        if where.adjacent_to and where.adjacent_to != near:
            words.append(f"adjacent to {self.words[where.adjacent_to]}")
        if where.diagonal_to and where.diagonal_to != near:
            words.append(f"diagonally adjacent to {self.words[where.diagonal_to]}")
        if where.touching is not None:
            words.append(f"adjacent to {self.units(where.touching, 'a')}")
        if where.in_line_with:
            words.append(f"in the row or column of {self.words[where.in_line_with]}")
        if where.within:
            distance, of = where.within.distance, where.within.of
            plural = "" if distance == 1 else "s"
            words.append(
                f"in {self.place(of)}" if distance == 0 else f"within {distance} zone{plural} of {self.words[of]}"
            )
        return words

    def on_unit(self, token: str) -> bool:
        return self.artist.tokens[token].place == "unit"

    def _bare(self, token: str) -> str:
        """A kind of token; what a unit has or has not is named like a substance, the others are counted."""
        kind = self.artist.tokens[token]
        return kind.name if self.on_unit(token) else _a(kind.name)

    def _some(self, token: str, at_least: int = 1) -> str:
        return self._bare(token) if at_least == 1 else f"at least {at_least} {self.artist.tokens[token].name} tokens"

    def tokens(self, token: str, count: int | str) -> str:
        """An amount that is put down or taken."""
        kind = self.artist.tokens[token]
        if count == "all":
            return f"all {kind.name}" + ("" if self.on_unit(token) else " tokens")
        if count == 1:
            return (f"1 {kind.name}" if kind.stacks else kind.name) if self.on_unit(token) else _a(kind.name)
        return f"{count} {kind.name}" + ("" if self.on_unit(token) else " tokens")

    def tile(self, tile: bool | str) -> str:
        return f"{_a(self.artist.tiles[tile].name)} tile" if isinstance(tile, str) else "a tile"

    def counter(self, name: str) -> str:
        return self.artist.counters[name].name

    def way(self, way: Way) -> str:
        """The way that something moves or points."""
        match way:
            case Toward(toward=name):
                return f"toward {self.words[name]}"
            case AwayFrom(away_from=name):
                return f"away from {self.words[name]}"
        return self.words.get(str(way), "in the chosen direction")

    def ref(self, what: str, value: Any) -> str:
        """What stands behind a word, see `selections.Ref`."""
        match what:
            case "unit":
                return self.words[value]
            case "place":
                return self.place(value)
            case "way":
                return self.way(value)
            case "kind":
                return _a(self.artist.summons[value].name)
            case "counter":
                return self.counter(value)
        return str(value)

    # Sentences.

    def cost(self, cost: list[O.CostPart]) -> str:
        """What has to be paid, as one sentence that begins with what has to be so."""
        clauses: list[str] = []
        required = [price.require.say(self) for price in cost if isinstance(price, O.Require)]
        for price in cost:
            if not isinstance(price, O.Require):
                self.near = "me" if clauses and clauses[0].startswith("exhaust") else None
                clauses.append(price.say(self))
        said = ["only if " + self.join(required)] if required else []
        said += [self.join(clauses)] if clauses else []
        return f"{_upper(': '.join(said))}." if said else ""

    def text(self, parts: list[O.Part]) -> str:
        """A list of parts as sentences."""
        return " ".join(f"{_upper(sentence)}." for sentence in self._sentences(parts))

    def inner(self, parts: list[O.Part]) -> tuple[str, bool]:
        """A list of parts inside a sentence, and whether it is short enough to follow a comma."""
        sentences = self._sentences(parts)
        return "; ".join(sentences), len(sentences) == 1

    def _sentences(self, parts: list[O.Part]) -> list[str]:
        sentences: list[str] = []
        run: list[str] = []  # clauses of one sentence
        rest = [O.part_of(part) for part in parts]
        while rest:
            part = rest.pop(0)
            phrase = self._inline(part, rest[0]) if rest else None
            if phrase is not None:
                run.append(self.with_choice(*phrase, rest.pop(0)))
            elif not part.blocks():
                run.append(part.say(self))
            else:
                sentences += [", then ".join(run)] if run else []
                sentences.append(part.say(self))
                run = []
            if len(run) == 2 or (run and not rest):
                sentences.append(", then ".join(run))
                run = []
        return sentences

    def _inline(self, part: O.Word, following: O.Word) -> tuple[str, str] | None:
        """A choice that is told where it is used ("move a unit of your choice"): its variable, and those words; else None."""
        match part:
            case O.ChooseUnit(choose_unit=unit) if not unit.optional and following.uses().count(unit.as_) == 1:
                near = None
                if isinstance(following, O.Swap):
                    near = following.swap.unit if following.swap.with_ == unit.as_ else following.swap.with_
                return unit.as_, self.units(unit.where, "a", near, choice=True)
            case O.ChooseZone(choose_zone=zone) if not zone.optional and following.uses().count(zone.as_) == 1:
                return zone.as_, self.zone(zone.where, "a", choice=True)
            case O.ChooseDirection(choose_direction=name) if name in following.uses():
                return name, "in a direction of your choice"
        return None

    def with_choice(self, name: str, phrase: str, part: O.Word) -> str:
        """A part with `phrase` in place of one of its variables."""
        word, self.inlined = self.words.get(name), name
        self.words[name] = phrase
        clause = part.say(self)
        self.inlined = ""
        if word is None:
            del self.words[name]
        else:
            self.words[name] = word
        return clause

    join = staticmethod(_join)

    def token_place(self, token: str, where: str) -> str:
        """What a token is taken from."""
        return self.words[where] if self.on_unit(token) else self.place(where)

    def article(self, name: str) -> str:
        """How the choice of a variable is introduced."""
        return self.articles.get(name, "a")

    # Conditions.

    def plural(self, where: Units) -> str:
        """Units of the selection, without their number."""
        noun = noun_of(self.artist, where)
        several = f"{noun}s" if where.kind in (None, "artist", "summon") else f"{noun} units"
        return self.units(where, "").replace(noun, several, 1)

    def unit_is(self, where: Units) -> str:
        said = []
        if where.side is not None or where.kind is not None:
            plain = Units(side=where.side, kind=where.kind)
            said.append(f"is {self.units(plain, 'a')}")
        if where.exhausted is not None:
            said.append("is exhausted" if where.exhausted else "is ready")
        said += [f"is {words}" for words in self._near(where, None)]
        if where.token:
            said.append(
                f"has {self._some(where.token)}"
                if self.on_unit(where.token)
                else f"stands in a zone with {self._some(where.token)}"
            )
        if where.no_token:
            bare = self.artist.tokens[where.no_token].name
            said.append(
                f"has no {bare}"
                if self.on_unit(where.no_token)
                else f"stands in a zone without {self._some(where.no_token)}"
            )
        if where.other_than:
            said.append(f"is not {self.words[where.other_than]}")
        return " and ".join(said) or "is on the board"

    def zone_is(self, where: Zones) -> str:
        said = []
        if where.occupied is not None:
            said.append("is occupied" if where.occupied else "is empty")
        said += [f"is {words}" for words in self._near(where, None)]
        if where.token:
            said.append(f"holds {self._some(where.token, where.at_least or 1)}")
        if where.tile is not None:
            said.append(f"has {self.tile(where.tile)}" if where.tile else "has no tile")
        if where.holds is not None:
            said.append(f"holds {self.units(where.holds, 'a')}")
        if where.other_than:
            said.append(f"is not {self.place(where.other_than)}")
        return " and ".join(said) or "is on the board"
