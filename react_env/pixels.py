"""Pixels of the pictures that a `react_env.svg.Pen` has drawn, for videos.

Libraries that draw any SVG take three times as long, or need things that not every machine has. A pen draws only rectangles, circles,
straight lines and text, so this module knows nothing else. Pillow does the drawing, at twice the size, in light colours. The font comes
with matplotlib, so the same picture has the same pixels everywhere.
"""

from __future__ import annotations

from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree

from react_env.extras import need
from react_env.svg import LIGHT, WIDTH

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from PIL.ImageDraw import ImageDraw

PIXELS = 640  # of a frame, across
HEIGHT = 600  # units of a frame; pictures have their own
_FINER = 2  # times as many pixels each way while drawing
_ANCHORS = {"start": "ls", "middle": "ms", "end": "rs"}


def rgb_array(picture: str, width: int = PIXELS) -> NDArray[np.uint8]:
    """A picture as pixels, uint8 (1.5 * `width`, `width`, 3).

    All frames of a video need the same size: below a lower picture the frame stays empty, and a higher one is drawn smaller.

    Raises:
        MissingPackage: Pillow or matplotlib is not installed (extra "render").
    """
    with need("render"):
        import numpy as np
        from PIL import Image, ImageDraw
    root = ElementTree.fromstring(picture)
    high = float(root.attrib["viewBox"].split()[3])
    scale = _FINER * width / WIDTH * min(1.0, HEIGHT / high)
    drawn = Image.new("RGB", (round(WIDTH * scale), round(high * scale)), LIGHT["bg"])
    draw = ImageDraw.Draw(drawn)
    for element in root.iter():
        part = _PARTS.get(element.tag.rpartition("}")[2])
        if part is not None:
            part(draw, element.attrib, scale, element.text or "")
    small = drawn.reduce(_FINER)
    frame = Image.new("RGB", (width, width * HEIGHT // WIDTH), LIGHT["bg"])
    frame.paste(small, ((width - small.width) // 2, 0))
    return np.array(frame)


def _colours(style: str) -> dict[str, Any]:
    """The class of a shape as arguments for Pillow: a fill, or the colour of its line."""
    name = style.split()[0]
    return {"outline": LIGHT[name.removesuffix("-line")]} if name.endswith("-line") else {"fill": LIGHT[name]}


def _rect(draw: ImageDraw, about: dict[str, str], scale: float, text: str) -> None:
    x, y = float(about.get("x", 0)), float(about.get("y", 0))
    width, high = float(about["width"]), float(about["height"])
    colours = _colours(about["class"])
    if width > 0:
        wide = _wide(about, scale) if "outline" in colours else 0
        out = wide / 2 / scale  # a line lies on the edge, one half outside
        box = ((x - out) * scale, (y - out) * scale, (x + width + out) * scale - 1, (y + high + out) * scale - 1)
        draw.rounded_rectangle(box, radius=float(about.get("rx", 0)) * scale, width=max(1, round(wide)), **colours)


def _circle(draw: ImageDraw, about: dict[str, str], scale: float, text: str) -> None:
    x, y, radius = (float(about[name]) * scale for name in ("cx", "cy", "r"))
    colours = _colours(about["class"])
    wide = _wide(about, scale) if "outline" in colours else 0
    radius += wide / 2
    draw.ellipse((x - radius, y - radius, x + radius, y + radius), width=max(1, round(wide)), **colours)


def _path(draw: ImageDraw, about: dict[str, str], scale: float, text: str) -> None:
    way, colours = about["d"], _colours(about["class"])
    points = [tuple(float(number) * scale for number in point.split(",")) for point in way.strip("MZ").split("L")]
    if "fill" in colours:
        draw.polygon(points, **colours)
    else:
        line = [*points, points[0]] if way.endswith("Z") else points
        draw.line(line, fill=colours["outline"], width=max(1, round(_wide(about, scale))), joint="curve")


def _text(draw: ImageDraw, about: dict[str, str], scale: float, text: str) -> None:
    name, *kinds = about["class"].split()
    font = _font("-Bold" if "b" in kinds else "-Oblique" if "i" in kinds else "", float(about["font-size"]) * scale)
    place = (float(about["x"]) * scale, float(about["y"]) * scale)
    draw.text(place, text, fill=LIGHT[name], font=font, anchor=_ANCHORS[about.get("text-anchor", "start")])


def _wide(about: dict[str, str], scale: float) -> float:
    return float(about.get("stroke-width", 1)) * scale


@lru_cache(maxsize=256)
def _font(kind: str, size: float) -> Any:
    from PIL import ImageFont

    return ImageFont.truetype(f"{_fonts()}/DejaVuSans{kind}.ttf", size, layout_engine=ImageFont.Layout.BASIC)


@cache
def _fonts() -> str:
    import matplotlib

    return f"{matplotlib.get_data_path()}/fonts/ttf"


_PARTS = {"rect": _rect, "circle": _circle, "path": _path, "text": _text}
