"""An artist as a player reads it: passives, units, abilities, deck; and beside each field its source."""

from typing import get_args

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from react_env.content.schema import Mark, Marked
from react_env.games.arts_of_war.cards import schema as C
from react_env.games.arts_of_war.cards import wording as W

_FIELD_WORDS = {
    "do": "text",
    "on_enter": "text",
    "on_cue": "cue",
    "at": "text",
    "when": "trigger",
    "where": "who",
    "blocks_damage": "blocks",
}
_NATURE = {"immune": "Immune", "vital": "Vital", "face_down": "Face-down cards"}  # what the artist itself is


def artist_page(artist: C.Artist) -> RenderableType:
    """Everything about an artist; the right column says what is public (stated, derived) and what is our own design (designed)."""
    table = Table.grid(padding=(0, 3), expand=True)
    table.add_column(ratio=1)
    table.add_column(width=30, style="dim")
    table.add_row(Text(f"The {artist.name}", style="bold"), _marks(artist, "name", "concept"))
    table.add_row(Text(artist.concept, style="italic"), Text(""))

    nature, kinds = W.artist_text(artist), W.kind_texts(artist)
    if nature or kinds:
        _heading(table, "Passive")
        for field, words in nature.items():
            _entry(table, _NATURE[field], words, Text(artist.provenance.get(field, "")))
        for kind, sort, words in kinds:
            _entry(table, f"{kind.name} ({sort})" if sort else kind.name, words, _marks(kind))
    if artist.summons:
        _heading(table, "Summons")
        body = f"Moves as one body with the {artist.name}."
        for summon in artist.summons.values():
            _entry(table, f"{summon.name} x{summon.count}", body if summon.attached else "", _marks(summon))
    _heading(table, "Abilities")
    for ability in artist.abilities:
        _ability(table, artist, ability)
    if artist.actions:
        _heading(table, f"Deck: {sum(card.copies for card in artist.actions)} cards")
        for action in artist.actions:
            _entry(table, f"{action.name} x{action.copies}", "", _marks(action))
            _effects(table, artist, action, action.effects)
    else:
        _heading(table, "No deck")
    legend = "Right: the source of each field. stated: public; derived: follows from what is public; designed: our own."
    return Group(table, Text(""), Text(legend, style="dim"))


def _heading(table: Table, words: str) -> None:
    table.add_row(Text(""), Text(""))
    table.add_row(Text(words.upper(), style="bold"), Text(""))


def _entry(table: Table, name: str, words: str, marks: Text) -> None:
    text = Text.assemble((f"{name}. " if words else name, "bold"), words)
    table.add_row(Padding(text, (0, 0, 0, 2)), marks)


def _ability(table: Table, artist: C.Artist, card: C.AbilityCard) -> None:
    user = {"none": "no unit", "artist": "artist"}.get(card.unit) or f"each {artist.summons[card.unit].name}"
    _entry(table, card.name if user == f"each {card.name}" else f"{card.name} ({user})", "", _marks(card))
    _effects(table, artist, card, card.effects)
    form = ""  # what the artist has become when it ascends
    for side in card.other_sides:
        match side.mode:
            case "becomes":
                how, form = "for good, instead of ascending", side.name
            case "immediate":
                how = "at once on ascending" + (f" as {form}" if form else "")
            case "until_used":
                how = "ascended side" + (f" of {form}" if form else "")
        _entry(table, f"{side.name} ({how})", W.side_text(artist, side), _marks(side))
        _effects(table, artist, card, side.effects)


def _effects(table: Table, artist: C.Artist, card: C.Card, effects: list[C.Effect]) -> None:
    for number, effect in enumerate(effects):
        cost, words = W.effect_text(artist, card, effect)
        style = "bold" if effect.kind == "intention" else "bold italic"
        before = f"{cost} Effect: " if cost else ""
        title = f"{W.effect_title(effects, number)}. "
        text = Text.assemble((title, style), ("Cost: " if cost else "", "underline"), before, words)
        table.add_row(Padding(text, (0, 0, 0, 4)), _marks(effect))


def _marks(item: Marked, *only: str) -> Text:
    """ "stated" if all fields (or those of `only`) are; else "stated: name, cost; designed: text"."""
    marks = {field: mark for field, mark in item.provenance.items() if not only or field in only}
    if len(set(marks.values())) == 1:
        return Text(next(iter(marks.values())))
    fields = {mark: [_FIELD_WORDS.get(name, name) for name in marks if marks[name] == mark] for mark in get_args(Mark)}
    return Text("; ".join(f"{mark}: {', '.join(named)}" for mark, named in fields.items() if named))
