"""Reading artist files: YAML without surprises, and errors that name the file, the card and the field."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import yaml
from pydantic import ValidationError

from react_env.errors import CardError, OptionError
from react_env.games.arts_of_war.cards.bounds import check_bounds
from react_env.games.arts_of_war.cards.compiler import check_artist
from react_env.games.arts_of_war.cards.faults import Fault, Location
from react_env.games.arts_of_war.cards.schema import Artist
from react_env.games.arts_of_war.rules import edition_folder

LARGEST_FILE = 200_000  # bytes; a full artist has about 10,000


class _Loader(yaml.SafeLoader):
    """`yaml.safe_load`, which also refuses a key given twice and aliases (a short file could stand for an endless one)."""

    def compose_node(self, parent: yaml.Node | None, index: int) -> yaml.Node | None:
        if self.check_event(yaml.AliasEvent):
            mark = self.get_mark()
            raise yaml.MarkedYAMLError(problem="aliases are not allowed", problem_mark=mark)
        return super().compose_node(parent, index)

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        seen: set[str] = set()
        for key, _ in node.value:
            if not isinstance(key.value, str):
                raise yaml.MarkedYAMLError(problem="a key must be a word", problem_mark=key.start_mark)
            if key.value in seen:
                raise yaml.MarkedYAMLError(problem=f"key {key.value!r} is given twice", problem_mark=key.start_mark)
            seen.add(key.value)
        return super().construct_mapping(node, deep)


def artists(edition: str = "standard") -> tuple[str, ...]:
    """The names of the artists of an edition, sorted. Raises OptionError for an unknown edition."""
    return tuple(sorted(file.stem for file in edition_folder(edition).glob("*.yaml") if file.name != "board.yaml"))


def load_artist(
    name_or_path: str | Path, edition: str = "standard", *, allow_unbounded_abilities: bool = False
) -> Artist:
    """An artist of an edition by name, or any artist by the path of its YAML file.

    Raises OptionError for a name that does not exist, CardError for a file that cannot be used. What runs for ever in one turn
    is refused unless `allow_unbounded_abilities` (AW-C14).
    """
    folder, name = edition_folder(edition), str(name_or_path)
    if isinstance(name_or_path, str) and name in artists(edition):
        return read_artist(folder / f"{name}.yaml", allow_unbounded_abilities=allow_unbounded_abilities)
    path = Path(name_or_path)
    if path.suffix in (".yaml", ".yml"):
        if path.is_file():
            return read_artist(path, allow_unbounded_abilities=allow_unbounded_abilities)
        raise OptionError(f"no artist file {name}")
    known = ", ".join(artists(edition))
    raise OptionError(
        f"unknown artist {name!r}; edition {edition} has: {known}; an artist of your own is named by its .yaml file"
    )


def read_artist(path: Path, *, allow_unbounded_abilities: bool = False) -> Artist:
    """The artist in the file `path`. Raises CardError."""
    try:
        with path.open("rb") as file:
            data = file.read(LARGEST_FILE + 1)
        if len(data) > LARGEST_FILE:
            raise CardError(f"{path}: larger than {LARGEST_FILE} bytes")
        text = data.decode("utf-8")
    except OSError as error:
        raise CardError(f"{path}: cannot be read: {error.strerror}") from None
    except UnicodeDecodeError:
        raise CardError(f"{path}: not a text in UTF-8") from None
    return parse_artist(text, str(path), allow_unbounded_abilities=allow_unbounded_abilities)


def parse_artist(text: str, source: str = "artist", *, allow_unbounded_abilities: bool = False) -> Artist:
    """The artist in the YAML `text`; `source` names it in errors. Raises CardError."""
    try:
        data = yaml.load(text, _Loader)
    except yaml.MarkedYAMLError as error:
        line = f", line {error.problem_mark.line + 1}" if error.problem_mark else ""
        context = f" {error.context}" if error.context else ""
        raise CardError(f"{source}{line}: not valid YAML: {error.problem}{context}") from None
    except (yaml.YAMLError, ValueError) as error:
        raise CardError(f"{source}: not valid YAML: {error}") from None
    except RecursionError:
        raise CardError(f"{source}: nested too deeply") from None
    if not isinstance(data, dict):
        raise CardError(f"{source}: an artist file is a mapping with the keys {', '.join(Artist.model_fields)}")
    try:
        artist = Artist.model_validate(data)
        check_artist(artist)
        if not allow_unbounded_abilities:
            check_bounds(artist)
    except ValidationError as error:
        raise CardError(_report(source, data, error)) from None
    except Fault as fault:
        raise CardError(f"{source}: {place_of(fault.location, data)}{fault.message}") from None
    except RecursionError:
        raise CardError(f"{source}: nested too deeply") from None
    return artist


def _report(source: str, data: dict[Any, Any], error: ValidationError) -> str:
    lines = []
    for item in error.errors(include_url=False)[:5]:
        location = [part for part in item["loc"] if not str(part).startswith("@")]
        kind, message, found = item["type"], item["msg"], item["input"]
        if kind == "missing":
            message = f"field {location.pop()!r} is missing"
        elif kind in ("too_short", "too_long"):
            most = item["ctx"].get("max_length")
            bound = f"at most {most}" if most is not None else f"at least {item['ctx']['min_length']}"
            message = f"has {len(found)} entries; allowed: {bound}"
        elif kind.startswith("unknown_") and kind != "unknown_field":
            message = f"{_short(found)} is {message}"
        elif kind not in ("unknown_field", "damage"):
            message = f"{message.removeprefix('Input ')}; found {_short(found)}"
        lines.append(f"{source}: {place_of(location, data)}{message}")
    more = error.error_count() - len(lines)
    return "\n".join(lines + ([f"and {more} more"] if more > 0 else []))


def _short(value: object) -> str:
    if isinstance(value, dict) and value:
        return f"part {next(iter(value))!r}" if len(value) == 1 else f"{{{', '.join(map(str, value))}}}"[:60]
    return repr(value)[:60]


_PARTS = ("cost", "do", "then", "else", "may", "on_enter")
_CARDS = {"actions": "action card", "abilities": "ability card", "passives": "passive"}
_KINDS = {"summons": "summon kind", "tokens": "token", "tiles": "tile"}


def place_of(location: Location, data: object) -> str:
    """`location` in words, with a colon: "ability card 'fish', effect 1, do part 2 (move), field 'way': "."""
    words: list[str] = []
    here: Any = data
    field: list[str] = []
    parts: Sequence[str | int] = list(location)
    previous: str | int = ""
    for part in parts:
        here = _inside(here, part)
        if isinstance(part, int):
            if previous in _CARDS:
                label = here.get("id", here.get("name")) if isinstance(here, dict) else None
                words.append(f"{_CARDS[str(previous)]} {part + 1}" + (f" {label!r}" if isinstance(label, str) else ""))
            elif previous == "effects":
                words.append(f"effect {part + 1}")
            elif previous in _PARTS or isinstance(previous, int):
                verb = next(iter(here), "") if isinstance(here, dict) else here
                known = f" ({verb})" if isinstance(verb, str) and verb else ""
                words.append(f"{previous if isinstance(previous, str) else 'list'} part {part + 1}{known}")
            else:
                words.append(f"{previous} {part + 1}")
            field = []
        elif previous in _KINDS:
            words.append(f"{_KINDS[str(previous)]} {part!r}")
            field = []
        elif part == "ascended":
            words.append("ascended side")
        else:
            field.append(str(part))
        previous = part
    if field and not (len(field) == 1 and words and f"({field[0]})" in words[-1]):
        words.append(f"field {'.'.join(field)!r}")
    return ", ".join(words) + ": " if words else ""


def _inside(value: Any, key: str | int) -> Any:
    if isinstance(value, dict):
        return value.get(key)
    if isinstance(value, list) and isinstance(key, int) and key < len(value):
        return value[key]
    return None
