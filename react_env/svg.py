"""Pictures of positions as SVG: a pen for the games' own drawings.

A drawing is 400 units wide, and a telephone shows a unit as 0.9 of its pixels or a little more. So text that matters has the size `LETTER`,
and text that can be read elsewhere too has the size `SMALL`. Each game chooses the height of its drawing. Colours come from classes
(`STYLE`): light, or dark if the reader's system is dark. Nothing is shown by colour alone. `react_env.pixels` turns a pen's picture into
pixels.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from html import escape

WIDTH = 400  # units
_COLOURS = {  # light, dark
    "bg": ("#faf8f3", "#15181c"),
    "ink": ("#1c2127", "#eceff2"),
    "dim": ("#59626d", "#a4aeb9"),
    "field": ("#efeae0", "#22272e"),
    "edge": ("#b9b1a1", "#4c5663"),
    "mark": ("#7a5b00", "#f0c75e"),
    "lit": ("#b8860b", "#f0c75e"),
    "p0": ("#0a5f8a", "#58b8ea"),
    "p1": ("#a2371b", "#ff9d7c"),
    "on": ("#ffffff", "#10151b"),
    "p0bg": ("#dcecf5", "#17313f"),
    "p1bg": ("#f8e3dc", "#41251d"),
}
LIGHT, DARK = ({name: pair[k] for name, pair in _COLOURS.items()} for k in range(2))
_FILLS = "bg ink dim field mark lit p0 p1 on p0bg p1bg"
_LINES = "ink dim edge mark lit p0 p1"


def _rules(colours: Mapping[str, str]) -> str:
    fills = "".join(f".duel .{name}{{fill:{colours[name]}}}" for name in _FILLS.split())
    return fills + "".join(f".duel .{name}-line{{stroke:{colours[name]};fill:none}}" for name in _LINES.split())


STYLE = (
    '.duel{font-family:"DejaVu Sans",Verdana,sans-serif}.duel .b{font-weight:bold}.duel .i{font-style:italic}'
    + ".duel .choice{cursor:pointer}"
    + _rules(LIGHT)
    + f"@media (prefers-color-scheme:dark){{{_rules(DARK)}}}"
)
PLAYERS = ("p0", "p1")  # classes of the first two players; with `-line`, of their outlines
Point = tuple[float, float]
ARROWS: tuple[tuple[Point, ...], ...] = (  # up, right, down, left
    ((0, -7), (6, 5), (-6, 5)),
    ((7, 0), (-5, 6), (-5, -6)),
    ((0, 7), (6, -5), (-6, -5)),
    ((-7, 0), (5, 6), (5, -6)),
)
LETTER, SMALL = 13.4, 12.0  # sizes of letters: of text that matters, and of text that is told elsewhere too
SMALLEST = 9.5  # where there is little room
NOTES = 5  # lines for notes on a player below the facts: enough in nearly all positions
_NARROW, _WIDE = set("ijlftrI.,:;'|()[]! /-"), set("mwMWQO@%")


class Svg(str):
    """SVG text; a notebook shows it as a picture."""

    __slots__ = ()

    def _repr_svg_(self) -> str:
        return str(self)


def width_of(words: str, size: float, bold: bool = False) -> float:
    """About how many units wide a text of this size is."""
    em = sum(0.37 if c in _NARROW else 0.9 if c in _WIDE else 0.7 if c.isupper() else 0.61 for c in words)
    return size * em * (1.13 if bold else 1)


class Pen:
    """Draws one picture, part after part.

    Args:
        choices: the legal action ids to show, with their words. A part of the picture that stands for some of them (`spot`) is
            outlined and can be chosen; the page does the rest.
    """

    def __init__(self, choices: Mapping[int, str] | None = None) -> None:
        self.choices = choices or {}
        self._parts: list[str] = []

    def rect(self, x: float, y: float, width: float, height: float, style: str, round_: float = 3) -> None:
        """A rectangle with round corners; `style` is a class, or several."""
        self._parts.append(
            f'<rect x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" rx="{round_:g}" class="{style}"/>'
        )

    def circle(self, x: float, y: float, radius: float, style: str, width: float = 1) -> None:
        """A circle around x, y; `width` is that of its line, if the style draws one."""
        wide = "" if width == 1 else f' stroke-width="{width:g}"'
        self._parts.append(f'<circle cx="{x:g}" cy="{y:g}" r="{radius:g}" class="{style}"{wide}/>')

    def line(
        self, points: Sequence[Point], style: str, width: float = 1, *, closed: bool = False, dashes: str = ""
    ) -> None:
        """A line from point to point, or the area that it surrounds if it is `closed` and the style fills."""
        way = "M" + "L".join(f"{x:g},{y:g}" for x, y in points) + "Z" * closed
        more = f' stroke-dasharray="{dashes}"' if dashes else ""
        self._parts.append(f'<path d="{way}" class="{style}" stroke-width="{width:g}"{more}/>')

    def text(
        self,
        x: float,
        y: float,
        words: str,
        size: float = LETTER,
        style: str = "ink",
        *,
        at: str = "start",
        room: float | None = None,
        whole: str = "",
    ) -> None:
        """A line of text on the base line y; `at`: start, middle or end. Text wider than `room` is made smaller, then shorter. A tooltip
        shows the full length of a shortened text, or `whole`, of which the words are a part."""
        bold, said = " b" in style, words
        if room is not None and (wide := width_of(words, size, bold)) > room:
            size = max(size * room / wide, min(size, SMALLEST))
            while len(words) > 2 and width_of(words, size, bold) > room + 0.01:
                words = words[:-2].rstrip() + "…"
        anchor = "" if at == "start" else f' text-anchor="{at}"'
        more = f"<title>{escape(whole or said, quote=False)}</title>" if whole or words != said else ""
        self._parts.append(
            f'<text x="{x:g}" y="{y:g}" font-size="{size:.3g}" class="{style}"{anchor}>{escape(words, quote=False)}{more}</text>'
        )

    def sign(self, x: float, y: float, player: int, size: float, letters: str, hollow: bool = False) -> None:
        """The sign of one of two players, with letters in it: round or with corners, `size` from its middle to its edge."""
        style = PLAYERS[player]
        outer = f"{style}-line" if hollow else style
        if player == 0:
            self.circle(x, y, size, outer)
        else:
            self.rect(x - size, y - size, 2 * size, 2 * size, outer)
        if letters:
            high = min(size * 1.2, (2 * size - 4) / width_of(letters, 1, bold=True))
            self.text(x, y + high * 0.35, letters, high, f"{style if hollow else 'on'} b", at="middle")

    def badge(self, x: float, y: float, words: str) -> None:
        """A small number in a circle."""
        self.circle(x, y, 8, "mark")
        self.text(x, y + 4.2, words, SMALL, "on b", at="middle")

    def arrow(self, way: int, x: float, y: float, style: str = "ink") -> None:
        """An arrow head around x, y that points up, right, down or left (0 to 3)."""
        self.line([(a + x, b + y) for a, b in ARROWS[way]], style, closed=True)

    def card(
        self,
        box: tuple[float, float, float, float],
        name: str,
        style: str,
        actions: Sequence[int] = (),
        *,
        words: str | None = None,
        ground: str = "bg",
    ) -> None:
        """A card as a small box with its name, or with other `words` in it; `style` is the class of its edge."""
        x, y, width, high = box
        with self.spot(box, actions, card=name):
            self.rect(*box, ground)
            self.rect(*box, style)
            self.text(x + width / 2, y + high / 2 + 4.8, words or name, LETTER, at="middle", room=width - 6)

    def paragraph(
        self, x: float, y: float, words: str, room: float, size: float = SMALL, style: str = "ink", lines: int = 3
    ) -> int:
        """Words in at most `lines` lines from the base line y down. Returns how many lines there are."""
        found, whole = wrapped(words, room, size), ""
        if len(found) > lines:
            found, whole = [*found[: lines - 1], f"{found[lines - 1]}…"], words
        for number, line in enumerate(found):
            self.text(x, y + number * size * 1.25, line, size, style, room=room, whole=whole)
        return len(found)

    def title(self, words: str) -> None:
        """The tooltip of the part that is being drawn (inside `spot`)."""
        self._parts.append(f"<title>{escape(words, quote=False)}</title>")

    @contextmanager
    def spot(
        self,
        box: tuple[float, float, float, float] | None = None,
        actions: Sequence[int] = (),
        *,
        card: str = "",
        round_: float = 3,
    ) -> Iterator[None]:
        """A part of the picture that stands for something: a card whose text can be shown, or legal actions among `actions`.

        Args:
            box: x, y, width, height; it is outlined if it can be chosen.
            actions: ids; those that are not choices are left out.
            card: its name, as in the texts of the cards.
            round_: the radius of the outline's corners.
        """
        legal = [action for action in actions if action in self.choices]
        about = f' data-card="{escape(card)}"' if card else ""
        if legal:
            words = escape("; ".join(self.choices[action] for action in legal))
            ids = " ".join(map(str, legal))
            about += f' class="choice" data-action="{ids}" role="button" tabindex="0" aria-label="{words}"'
        if about:
            self._parts.append(f"<g{about}>")
        yield
        if legal and box is not None:
            x, y, width, height = box
            self._parts.append(
                f'<rect x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" rx="{round_:g}"'
                ' class="lit-line" stroke-width="2.5" pointer-events="all"/>'
            )
        if about:
            self._parts.append("</g>")

    def finish(self, height: float, about: str, style: bool = True) -> Svg:
        """The picture of this height; `about` says in words what it shows; `style=False` leaves its colours to the page."""
        role = "group" if self.choices else "img"
        head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height:g}" class="duel"'
        head += f' role="{role}" aria-label="{escape(about)}">'
        css = f"<style>{STYLE}</style>" if style else ""
        ground = f'<rect width="{WIDTH}" height="{height:g}" class="bg"/>'
        return Svg("\n".join([head + css + ground, *self._parts, "</svg>"]))


def wrapped(words: str, room: float, size: float) -> list[str]:
    """Words in lines that are about `room` wide."""
    lines: list[str] = []
    for word in words.split():
        if lines and width_of(f"{lines[-1]} {word}", size) <= room:
            lines[-1] += f" {word}"
        else:
            lines.append(word)
    return lines


def of_text(words: str, style: bool = True) -> Svg:
    """A text as a picture, for a game without a drawing."""
    pen = Pen()
    lines = [line for text in words.split("\n") for line in (wrapped(text, WIDTH - 20, 9) or [""])]
    for number, line in enumerate(lines):
        pen.text(10, 18 + 12.5 * number, line, 9)
    return pen.finish(18 + 12.5 * len(lines), lines[0] if lines else "", style)
