"""The sentences of one program: what is printed on a card is made from what the engine runs, so the two cannot disagree."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from react_env.games.arts_of_war.cards.program import walk
from react_env.games.arts_of_war.cards.selections import AwayFrom, Selection, Toward, Units, Way, Zones

if TYPE_CHECKING:
    from react_env.games.arts_of_war.cards.operations import Word
    from react_env.games.arts_of_war.cards.schema import Artist

_ORDINALS = ("first", "second", "third")
# Phrases for a token on a unit, in a unit's zone or in a zone: after a noun ("with Ink"), and as a verb ("has Ink").
_WITH = {
    "unit": "with {some}",
    "its zone": "in a zone with {some}",
    "zone": "with {some}",
    "not unit": "without {some}",
    "not its zone": "without {some} in its zone",
}
_HAS = {
    "unit": "has {some}",
    "its zone": "stands in a zone with {some}",
    "zone": "holds {some}",
    "not unit": "has no {name}",
    "not its zone": "stands in a zone without {some}",
}
THERE = "the unit there"  # the unit that stands on a tile at its cue


def noun_of(kit: Artist, where: Selection) -> str:
    """What a unit or a zone of this selection is called, without an article."""
    if not isinstance(where, Units):
        return "zone"
    if where.kind is None:
        return "unit"
    return where.kind if where.kind in ("artist", "summon") else kit.summons[where.kind].name


def lower(text: str) -> str:
    return text[:1].lower() + text[1:]


def upper(text: str) -> str:
    return text[:1].upper() + text[1:]


def join(words: list[str]) -> str:
    """ "a", "a and b", "a, b and c"."""
    return ", ".join(words[:-1]) + (" and " if words[:-1] else "") + words[-1]


def _a(noun: str) -> str:
    return f"an {noun}" if noun[0].lower() in "aeiou" and not noun.startswith("unit") else f"a {noun}"


def _state(where: Selection) -> list[str]:
    """The adjectives for the yes-or-no keys of a selection."""
    words = {"exhausted": {True: "exhausted", False: "ready"}, "occupied": {True: "occupied", False: "empty"}}
    return [words[key][value] for key in words if (value := getattr(where, key, None)) is not None]


class Writer:
    """Words for one program. Variables are replaced by what they stand for: "that unit", "the chosen zone"."""

    def __init__(
        self,
        kit: Artist,
        user: str,
        cost: Sequence[Word] = (),
        parts: Sequence[Word] = (),
        words: Mapping[str, str] | None = None,
    ) -> None:
        self.kit = kit
        self.words = dict(words or {})
        if user == "artist":
            self.words["me"] = f"the {kit.name}"
        elif user != "none":
            self.words["me"] = f"this {kit.summons[user].name}"
        self.near: str | None = None  # the unit that a mere "adjacent" refers to in a cost, up to the next choice
        self.inlined = ""  # the variable whose choice is worded where it is used
        self.articles: dict[str, str] = {}  # how a variable is introduced, if several of a sort are numbered
        self.zones = {name for name in self.words if name in ("here", "left")}
        self.held: dict[str, str] = {}  # zone variable of the cost -> the unit that must stand there
        # Each variable besides `me`, and what it is chosen from.
        self.spoken: dict[str, Selection | None] = dict.fromkeys(words or {})
        self._name_variables(cost, parts)

    def _name_variables(self, cost: Sequence[Word], parts: Sequence[Word]) -> None:
        """ "the chosen ..." was chosen as a cost, "that ..." while the effect resolves; several of a sort are numbered."""
        given = set(self.words.values())
        chosen: dict[str, tuple[str, list[str]]] = {}
        for number, part in enumerate([*cost, *walk(parts)]):
            if (named := part.names()) is None or named.kind == "direction":
                continue
            name, where = named.name, named.where
            self.spoken[name] = where
            if named.kind == "zone":
                self.zones.add(name)
            if where is None:
                chosen[name] = ("noted zone", ["the noted zone"])
                continue
            noun = noun_of(self.kit, where)
            if part.blocks():  # a for_each: one after the other
                self.words[name] = f"{'this' if f'that {noun}' in given else 'that'} {noun}"
            elif number < len(cost):
                chosen[name] = (noun, [f"the chosen {noun}"])
                if isinstance(where, Zones):
                    self.held[name] = noun_of(self.kit, where.holds or Units())
            else:
                if chosen.get(name, (noun,))[0] != noun:  # of another kind in each branch
                    noun = "unit"
                chosen[name] = (noun, [f"that {noun}", f"the chosen {noun}"])
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
        inlined = name == self.inlined or self.words[name] == THERE
        return f"the zone of {self.words[name]}" if inlined else f"{self.words[name]}'s zone"

    def one(self, where: Selection, article: str, near: str | None = None, choice: bool = False) -> str:
        """One of the selection; `article` is "a", "each" and the like. What stands next to `near` is just called adjacent."""
        noun, only, has = noun_of(self.kit, where), False, self._tokens(where, _WITH)
        adjectives, after = self._others(where, article, near)
        adjectives += _state(where)
        if isinstance(where, Units):
            kind = self.kit.summons.get(where.kind or "")
            only = bool((where.within and where.within.distance == 0) or (kind and kind.count == 1))
            if where.side is not None and kind is None:
                adjectives.append("friendly" if where.side == "mine" else "enemy")
            if where.kind == "artist" and where.side is not None:
                only = True
                if adjectives == ["friendly"]:
                    noun, adjectives = self.kit.name, []
        elif isinstance(where, Zones):
            if where.tile is not None:
                has.append(f"{'with' if where.tile else 'without'} {self.tile(where.tile)}")
            if where.holds is not None:
                after.insert(0, f"where {self.one(where.holds, 'a')} stands")
        other = adjectives[:1] == ["other"]
        for variable, word in ((where.adjacent_to, "adjacent"), (where.diagonal_to, "diagonally adjacent")):
            if variable and variable == near:
                adjectives.insert(int(other), word)
        if only and article == "a" and not other:
            article = "the"
        core = " ".join([*adjectives, noun])
        if article == "a":
            core = f"another {core.removeprefix('other ')}" if other else _a(core)
        elif article:
            core = f"{article} {core}"
        if choice and article != "the":
            core += " of your choice"
        return " ".join([core, *filter(None, [" and ".join(has), " and ".join(self._near(where, near)), *after])])

    def plural(self, where: Selection) -> str:
        """Several of the selection, without their number."""
        noun = noun_of(self.kit, where)
        of_a_kind = isinstance(where, Units) and where.kind not in (None, "artist", "summon")
        return self.one(where, "").replace(noun, f"{noun} units" if of_a_kind else f"{noun}s", 1)

    def is_(self, where: Selection) -> str:
        """The clause that something matches the selection, to follow "if" and its subject."""
        said, own = [], []
        if isinstance(where, Units):
            if where.side is not None or where.kind is not None:
                said.append(f"is {self.one(Units(side=where.side, kind=where.kind), 'a')}")
        elif isinstance(where, Zones):
            if where.tile is not None:
                own.append(f"has {self.tile(where.tile)}" if where.tile else "has no tile")
            if where.holds is not None:
                own.append(f"holds {self.one(where.holds, 'a')}")
        said += [f"is {words}" for words in [*_state(where), *self._near(where, None)]]
        said += self._tokens(where, _HAS) + own
        if where.other_than:
            in_ = "in " if isinstance(where, Units) and where.other_than in self.zones else ""
            said.append(f"is not {in_}{self._than(where, where.other_than)}")
        return " and ".join(said) or "is on the board"

    def _tokens(self, where: Selection, phrases: dict[str, str]) -> list[str]:
        """The phrases for the tokens that something must have or must not have."""
        asked: list[tuple[str, str | None, int]] = []
        if isinstance(where, Zones):
            asked = [("zone", where.token, where.at_least or 1)]
        elif isinstance(where, Units):
            at = [("unit" if token and self.on_unit(token) else "its zone") for token in (where.token, where.no_token)]
            asked = [(at[0], where.token, 1), (f"not {at[1]}", where.no_token, 1)]
        return [
            phrases[how].format(some=self._some(token, count), name=self.kit.tokens[token].name)
            for how, token, count in asked
            if token
        ]

    def _than(self, where: Selection, than: str) -> str:
        return self.words[than] if isinstance(where, Units) else self.place(than)

    def _others(self, where: Selection, article: str, near: str | None) -> tuple[list[str], list[str]]:
        """How `other_than` is said: as the adjective "other" if that is clear, else as "other than ..." at the end."""
        than, unit = where.other_than, isinstance(where, Units)
        kind, side, empty = getattr(where, "kind", None), getattr(where, "side", None), "empty" in _state(where)
        # Nothing is in line with itself, though it stands in its own row and column.
        than = than or (None if kind or side == "theirs" or empty else where.in_line_with)
        if than is None:
            return [], []
        plain = ("me",) if unit else (where.within and where.within.of, where.in_line_with)
        clear = than in plain and near != "" and article in ("a", "each")
        besides = {name for name, of in self.spoken.items() if (name not in self.zones) == unit and of != where}
        word = "outside" if isinstance(where, Units) and than in self.zones else "other than"
        return (["other"], []) if clear and besides <= {than} else ([], [f"{word} {self._than(where, than)}"])

    def _near(self, where: Selection, near: str | None) -> list[str]:
        beside = ((where.adjacent_to, "adjacent"), (where.diagonal_to, "diagonally adjacent"))
        words = [f"{word} to {self.words[unit]}" for unit, word in beside if unit and unit != near]
        if where.touching is not None:
            words.append(f"adjacent to {self.one(where.touching, 'a', '')}")
        if where.in_line_with:
            words.append(f"in the row or column of {self.words[where.in_line_with]}")
        if where.within:
            distance, of = where.within.distance, where.within.of
            zones = f"{distance} zone{'' if distance == 1 else 's'}"
            words.append(f"within {zones} of {self.words[of]}" if distance else f"in {self.place(of)}")
        return words

    def on_unit(self, token: str) -> bool:
        return self.kit.tokens[token].on_unit

    def _some(self, token: str, at_least: int = 1) -> str:
        """A token in words: a substance if it lies on units ("Ink"), else something to count ("a Scale")."""
        name = self.kit.tokens[token].name
        if at_least > 1:
            return f"at least {at_least} {name} tokens"
        return name if self.on_unit(token) else _a(name)

    def tokens(self, token: str, count: int | str) -> str:
        """An amount that is put down or taken."""
        kind = self.kit.tokens[token]
        if count == 1:
            return f"1 {kind.name}" if kind.on_unit and kind.stacks else self._some(token)
        return f"{count} {kind.name}" + ("" if kind.on_unit else " tokens")

    def taken(self, token: str, where: str, count: int | str) -> str:
        """The request to take tokens from somewhere."""
        place = self.words[where] if self.on_unit(token) else self.place(where)
        return f"remove {self.tokens(token, count)} from {place}"

    def tile(self, tile: bool | str) -> str:
        return f"{_a(self.kit.tiles[tile].name)} tile" if isinstance(tile, str) else "a tile"

    def way(self, way: Way) -> str:
        """The way that something moves or points."""
        match way:
            case Toward(toward=name):
                return f"straight toward {self.words[name]}"
            case AwayFrom(away_from=name):
                return f"away from {self.words[name]}"
        return self.words.get(str(way), "in the chosen direction")

    def ref(self, what: str, value: Any) -> str:
        """What a key refers to, in words; see `operations.Ref`."""
        said: dict[str, Callable[[Any], str]] = {
            "unit": self.words.__getitem__,
            "place": self.place,
            "way": self.way,
            "kind": lambda kind: _a(self.kit.summons[kind].name),
            "counter": lambda counter: self.kit.counters[counter].name,
        }
        return said.get(what, str)(value)

    # Sentences.

    def text(self, parts: Sequence[Word]) -> str:
        """A list of parts as sentences."""
        return " ".join(f"{upper(sentence)}." for sentence in self._sentences(parts))

    def inner(self, parts: Sequence[Word], after: str = "") -> str:
        """A list of parts inside a sentence; `after` gets a comma if they are a single sentence, else a colon."""
        sentences = self._sentences(parts)
        # Brackets tell where a list inside this one ends.
        sentences = [f"({said})" if "; " in said else said for said in sentences[:-1]] + sentences[-1:]
        return (f"{after}{',' if len(sentences) == 1 else ':'} " if after else "") + "; ".join(sentences)

    def _sentences(self, parts: Sequence[Word]) -> list[str]:
        sentences: list[str] = []
        run: list[str] = []  # clauses of one sentence
        rest = list(parts)
        while rest:
            part = rest.pop(0)
            phrase = self._inline(part, rest[0]) if rest else None
            if phrase is not None:
                run.append(self.with_choice(*phrase, rest.pop(0)))
            elif not part.blocks():
                run.append(part.say(self))
            else:
                sentences += [", then ".join(run)] if run else []
                sentences += part.sentences(self)
                run = []
            named = part.names()  # "you may choose a unit, then draw a card" would make both optional
            alone = named is not None and named.optional and rest and named.name not in rest[0].uses()
            if len(run) == 2 or (run and (alone or not rest)):
                sentences.append(", then ".join(run))
                run = []
        # What follows the options of a choice could be taken for a part of the last one.
        pairs = zip(["", *sentences], sentences)
        return ["in any case, " * ("(1) " in before and now[:9] != "otherwise") + now for before, now in pairs]

    def _inline(self, part: Word, following: Word) -> tuple[str, str] | None:
        """The variable and the words of a choice that is worded where it is used ("move a unit of your choice"); else None."""
        named, uses = part.names(), following.uses()
        if named is None or named.optional or part.blocks():
            return None
        name, kind, where, _ = named
        if kind == "direction":
            return (name, "in a direction of your choice") if name in uses else None
        if where is None or uses.count(name) != 1:
            return None
        return name, self.one(where, "a", following.neighbour(name) if kind == "unit" else None, choice=True)

    def with_choice(self, name: str, phrase: str, part: Word) -> str:
        """A part with `phrase` in place of one of its variables."""
        words, self.words, self.inlined = self.words, self.words | {name: phrase}, name
        clause = part.say(self)
        self.words, self.inlined = words, ""
        return clause
