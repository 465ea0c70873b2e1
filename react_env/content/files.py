"""Reading the YAML files of cards: YAML without surprises, and messages that name the place of each mistake."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, TypeVar

import yaml
from pydantic import BaseModel, ValidationError

from react_env.errors import CardError, did_you_mean
from react_env.files import may_read, note

LARGEST_FILE = 200_000  # bytes; a full artist has about 10,000
DEEPEST = 64  # mappings and lists inside each other; a full artist has about 20
MOST_VALUES = 10_000  # words, numbers, lists and mappings; a full artist has about 1,500
LONGEST_NUMBER = 20  # characters
_SHOWN = 60  # characters of what was found that a message shows

_Model = TypeVar("_Model", bound=BaseModel)
Location = Sequence[str | int]  # keys and positions from the top of the file


@dataclass(frozen=True)
class Document:
    """What a file holds: `data`, and where each part of it is in the file."""

    source: str  # the name of the file in messages
    data: dict[Any, Any]
    node: yaml.Node

    def line(self, location: Location) -> int:
        """The line, from 1, of the part at `location`, or of the nearest part around it."""
        node, line = self.node, self.node.start_mark.line
        for part in location:
            if isinstance(node, yaml.MappingNode):
                found = [(key, value) for key, value in node.value if key.value == str(part)]
                if not found:
                    break
                line, node = found[0][0].start_mark.line, found[0][1]
            elif isinstance(node, yaml.SequenceNode) and isinstance(part, int) and part < len(node.value):
                node = node.value[part]
                line = node.start_mark.line
            else:
                break
        return int(line) + 1

    def fault(self, location: Location, message: str, line_of: Location | None = None) -> str:
        """A message with the file, the line and the place in words."""
        line = self.line(location if line_of is None else line_of)
        place = place_of(location, self.data)
        return f"{self.source}: line {line}{', ' + place if place else ': '}{message}"

    def read_as(
        self, model: type[_Model], most: int = 5, allowed: Callable[[], Mapping[str | int, str]] = dict
    ) -> _Model:
        """The file as an instance of this model. Raises CardError with a message for each mistake, `most` at most.

        `allowed`: name of a field -> what may stand there, for messages about missing fields.
        """
        try:
            return model.model_validate(self.data)
        except ValidationError as error:
            found = error.errors(include_url=False)
        values = allowed()
        lines = [_message(self, item, values) for item in found[:most]]
        more = len(found) - len(lines)
        raise CardError("\n".join(lines + ([f"and {more} more"] if more > 0 else [])))


class Fault(Exception):
    """A mistake in a card file: `message` says what is wrong at `location`, and what would be allowed."""

    def __init__(self, location: Location, message: str) -> None:
        super().__init__(message)
        self.location = tuple(location)
        self.message = message


class _Loader(yaml.SafeLoader):
    """`yaml.safe_load` without the features that make a file mean something else than it seems to.

    It refuses aliases (a short file could stand for an endless one), keys given twice, merge keys, tags, and words that readers of YAML
    understand differently (yes, 0x10, 010, 12:30, dates).
    """

    yaml_implicit_resolvers: dict[str, Any] = {}
    depth = values = 0

    def compose_node(self, parent: yaml.Node | None, index: int) -> yaml.Node | None:
        event: Any = self.peek_event()  # type: ignore[no-untyped-call]
        if isinstance(event, yaml.AliasEvent):
            raise _refused(event, "aliases are not allowed")
        if getattr(event, "tag", None) is not None:
            tag = short(event.tag.replace("tag:yaml.org,2002:", "!!"))
            raise _refused(event, f"tags are not allowed; found {tag}")
        if self.depth == DEEPEST:
            raise _refused(event, f"nested too deeply; allowed: {DEEPEST} lists and mappings inside each other")
        if self.values == MOST_VALUES:
            raise _refused(event, f"too many values; allowed: {MOST_VALUES}")
        self.values += 1
        self.depth += 1
        node: yaml.Node | None = super().compose_node(parent, index)
        self.depth -= 1
        return node

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        seen: set[str] = set()
        for key, _ in node.value:
            if not isinstance(key.value, str):
                raise _refused(key, "a key must be a word")
            if key.tag == "tag:yaml.org,2002:merge":
                raise _refused(key, "merge keys (<<) are not allowed")
            if key.value in seen:
                raise _refused(key, f"key {short(key.value)} is given twice")
            seen.add(key.value)
        return super().construct_mapping(node, deep)

    def number(self, node: yaml.ScalarNode) -> int | float:
        """A decimal number. Refuses one that is so long that calculating with it would take time."""
        if len(node.value) > LONGEST_NUMBER:
            raise _refused(node, f"a number of {len(node.value)} characters; allowed: {LONGEST_NUMBER}")
        if node.tag.endswith("int"):
            return int(node.value)
        return float(re.sub(r"\.(inf|nan)$", r"\1", node.value.lower()))

    def ambiguous(self, node: yaml.ScalarNode) -> Any:
        """Refuses a word that is a number, a date or a truth value in only some versions of YAML."""
        word = node.value.lower() in ("yes", "no", "on", "off")
        advice = (
            "write true or false, or quotes around the word"
            if word
            else "write numbers in plain decimal digits, and quotes around a text"
        )
        raise _refused(node, f"{short(node.value)} is ambiguous: {advice}")


def _refused(where: Any, problem: str) -> yaml.MarkedYAMLError:
    """The error for an event or a node of YAML."""
    return yaml.MarkedYAMLError(problem=problem, problem_mark=where.start_mark)


_DIGITS = list("+-.0123456789")
for _tag, _pattern, _first in (
    ("tag:yaml.org,2002:bool", r"true|True|TRUE|false|False|FALSE", list("tTfF")),
    ("tag:yaml.org,2002:null", r"~|null|Null|NULL|", ["~", "n", "N", ""]),
    ("tag:yaml.org,2002:merge", r"<<", ["<"]),
    ("tag:yaml.org,2002:int", r"[-+]?(?:0|[1-9][0-9]*)", _DIGITS),
    (
        "tag:yaml.org,2002:float",
        r"[-+]?(?:\.[0-9]+|(?:0|[1-9][0-9]*)(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?|[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)",
        _DIGITS,
    ),
    ("!ambiguous", r"(?i:yes|no|on|off)", list("yYnNoO")),
    ("!ambiguous", r"[-+]?(?:0[xXoObB][0-9a-fA-F_]+|[0-9][0-9_]*(?:\.[0-9_]*)?|[0-9][0-9_]*(?::[0-9.]+)+)", _DIGITS),
    ("!ambiguous", r"[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}(?:[Tt \t].{0,40})?", _DIGITS),
    ("!ambiguous", r"=", ["="]),
):
    _Loader.add_implicit_resolver(_tag, re.compile(rf"(?:{_pattern})\Z"), _first)
_Loader.add_constructor("tag:yaml.org,2002:int", _Loader.number)
_Loader.add_constructor("tag:yaml.org,2002:float", _Loader.number)
_Loader.add_constructor("!ambiguous", _Loader.ambiguous)


def read_text(path: Path) -> str:
    """The text of a file of at most `LARGEST_FILE` bytes in UTF-8. Raises CardError."""
    source = shown(path)
    try:
        if not may_read(path):
            raise CardError(f"{source}: card files of this machine may not be read here")
        if path.is_symlink() and not path.exists():
            raise CardError(f"{source}: a broken link")
        if path.is_dir():
            raise CardError(f"{source}: a folder, not a card file")
        if not path.is_file():  # reading a pipe would wait, and a device might never end
            raise CardError(f"{source}: {'not a regular file' if path.exists() else 'there is no such file'}")
        with path.open("rb") as file:
            data = file.read(LARGEST_FILE + 1)
    except (OSError, ValueError) as error:
        raise CardError(f"{source}: cannot be read: {getattr(error, 'strerror', None) or error}") from None
    if len(data) > LARGEST_FILE:
        raise CardError(f"{source}: larger than {LARGEST_FILE} bytes")
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise CardError(f"{source}: not a text in UTF-8 but in UTF-16; save it as UTF-8")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise CardError(f"{source}: line {line}: not a text in UTF-8; save it as UTF-8") from None
    note(path, text)
    return text


@lru_cache(maxsize=64)
def _composed(text: str) -> tuple[yaml.Node | None, Any]:
    """The YAML node in `text`, and its data. Cached: many decks share a set, and many editions share card files."""
    loader = _Loader(text)
    try:
        node = loader.get_single_node()
        return node, None if node is None else loader.construct_document(node)
    finally:
        loader.dispose()


def parse(text: str, source: str, what: str, keys: Iterable[str]) -> Document:
    """The mapping in the YAML `text`. Raises CardError; for anything but a mapping it names `what` was expected, with which `keys`."""
    expected = f"{what} is a mapping with the keys {', '.join(sorted(keys, key='provenance'.__eq__))}"
    try:
        node, data = _composed(text.removeprefix("\ufeff"))
    except yaml.reader.ReaderError as error:
        line = text.count("\n", 0, error.position) + 1
        raise CardError(
            f"{source}: line {line}: not valid YAML: the character U+{ord(text[error.position]):04X} is not allowed in a text"
        ) from None
    except yaml.MarkedYAMLError as error:
        mark, problem = _yaml_problem(error)
        place = f" line {mark.line + 1}:" if mark else ""
        raise CardError(f"{source}:{place} not valid YAML: {problem}") from None
    except (yaml.YAMLError, ValueError, OverflowError) as error:
        raise CardError(f"{source}: not valid YAML: {str(error)[:200]}") from None
    except RecursionError:
        raise CardError(f"{source}: nested too deeply") from None
    if node is None or data is None:
        raise CardError(f"{source}: nothing in it; {expected}")
    if not isinstance(data, dict):
        kind = "a list" if isinstance(data, list) else short(data)
        raise CardError(f"{source}: {kind}, but {expected}")
    document = Document(source, data, node)
    _check_texts(document, data, ())
    return document


# What the YAML parser says (a pattern, which may catch characters) -> the same for those who do not know its words.
_YAML_PROBLEMS = {
    r"'\\t'": "a tab; indent with spaces",
    r"found another document": "several documents; allowed: one, without a line ---",
    r"mapping values are not allowed": "a colon in the wrong place: the second one of a line needs braces {{}} around what follows "
    "the first (in a text, quotes); or the line is indented too far",
    r"<block end>, but found '(?:<block \w+ start>|-|\?)'|'<document start>', but found '<(?:block|scalar)": "the line does not "
    "fit those around it: the keys, or the dashes, of a group stand exactly below each other",
    r"<block end>, but found '(?:<scalar>|[]},])'": "the line goes on after the end of quotes, of braces {{}} or of brackets []",
    r"could not find expected ':'": "a line without a colon and a space; a key needs them, as in copies: 2",
    r"sequence entries are not allowed": "a dash in the wrong place: each part of a list has a line of its own, which begins with the dash",
    r"found character '(.)' that cannot start": "a text that begins with {} needs quotes",
    r"unexpected end of stream": "quotes that do not end",
    r"expected ',' or '([]}])'": "a comma or the closing {} is missing before this",
    r"node content, but found '<stream end>'": "the file ends within braces {{}} or brackets []",
    r"node content, but found '([]},:-])'": "a value is missing before {}",
}


def _yaml_problem(error: yaml.MarkedYAMLError) -> tuple[yaml.Mark | None, str]:
    """The place of a mistake in YAML, and what it is."""
    problem, place, begin = str(error.problem)[:200], error.problem_mark, error.context_mark
    for pattern, words in _YAML_PROBLEMS.items():
        if found := re.search(pattern, problem):
            # The parser notices the end of a line or of a text too late.
            late = begin is not None and ("expected ':'" in problem or "end of stream" in problem)
            return begin if late else place, words.format(*found.groups())
    if not error.context:
        return place, problem
    return place, f"{problem} {error.context}{f' that begins in line {begin.line + 1}' if begin else ''}"


def _check_texts(document: Document, value: object, location: tuple[str | int, ...]) -> None:
    """Raise CardError for a key without a value, an invisible character, or a name that looks like another one."""
    if isinstance(value, dict):
        for key, inner in value.items():
            if isinstance(key, str):
                _check_text(document, key, location, "key")
            _check_texts(document, inner, (*location, key))
    elif isinstance(value, list):
        for number, inner in enumerate(value):
            _check_texts(document, inner, (*location, number))
    elif value is None:
        raise CardError(document.fault(location, "no value; give one, or leave out the key if it is optional"))
    elif isinstance(value, str):
        _check_text(document, value, location, "text")
        if location[-1] in ("name", "concept") and (location[-2:-1] != ("provenance",)):
            if value != value.strip():
                raise CardError(
                    document.fault(location, f"spaces before or after the text; found {short(value)}, allowed: none")
                )
            if "  " in value:
                raise CardError(document.fault(location, f"two spaces in a row; found {short(value)}, allowed: one"))


_UNSEEN = {
    "Cc": "a control character",
    "Cf": "an invisible character",
    "Cs": "half of a surrogate pair",
    "Co": "a private-use character",
    "Zl": "a line separator",
    "Zp": "a paragraph separator",
    "Zs": "an unusual space",
}


def _check_text(document: Document, text: str, location: tuple[str | int, ...], what: str) -> None:
    for character in text:
        category = unicodedata.category(character)
        if category in _UNSEEN and character != " ":
            kind = "a line break" if character == "\n" else _UNSEEN[category]
            message = f"{kind} (U+{ord(character):04X}) in the {what} {short(text)}, which its pattern does not allow"
            raise CardError(document.fault(location, message))


# Messages.


def shown(path: object) -> str:
    """A path, or any other name, as a message can show it."""
    return "".join(c if c.isprintable() else ascii(c)[1:-1] for c in str(path))


def short(value: object) -> str:
    """What was found, in a few words."""
    if value is None:
        return "nothing"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, dict) and value:
        return f"part {_cut(next(iter(value)))}" if len(value) == 1 else f"{{{', '.join(map(str, value))}}}"[:_SHOWN]
    return _cut(value)


def _cut(value: object) -> str:
    text = repr(value[: _SHOWN + 1] if isinstance(value, (str, list)) else value)
    return text if len(text) <= _SHOWN else text[: _SHOWN - 3] + "..."


_UNKNOWN = re.compile(r"(?:^|\b)(?:unknown|no) [\w ]+? '(\w+)'[^;]*; (?:known|in scope|allowed)[^:]*: (.*)", re.DOTALL)


def with_suggestion(message: str) -> str:
    """The message, with a suggestion of the known word that is nearest to its unknown one."""
    match = _UNKNOWN.search(message)
    if match is None or "did you mean" in message:
        return message
    return message + did_you_mean(match[1], re.findall(r"\w+", re.sub(r"\([^)]*\)", "", match[2])))


_WORD = "^[a-z][a-z0-9_]{0,31}$"
_PATTERNS = {
    _WORD: "should be a word of small letters, digits and _, a letter first, at most 32 in all",
    "^[a-e][1-5]$": "should be a zone such as c1",
}
_WORDS = {
    "a valid integer": "a whole number (an integer)",
    "a valid number": "a number",
    "a valid boolean": "true or false",
    "a valid string": "a text (a string)",
    "a valid list": "a list",
    "a valid tuple": "a list",
    "Unable to parse input string as an integer, exceeded maximum size": "too large a number",
    "less than or equal to": "at most",
    "greater than or equal to": "at least",
    " instance of": "",
}
_OWN = ("unknown_field", "damage", "one_of")  # messages of our own, complete as they are


def _message(document: Document, item: Any, allowed_values: Mapping[str | int, str]) -> str:
    location = [part for part in item["loc"] if not str(part).startswith("@") and part != "[key]"]
    is_key = item["loc"][-1:] == ("[key]",)
    kind, message, found, context = item["type"], item["msg"], item["input"], item.get("ctx", {})
    line_of: Location = [*location, *context.get("at", ())]
    if is_key and kind in ("string_type", "string_pattern_mismatch"):
        message = f"the key {_PATTERNS[_WORD]}; found {short(found)}"
    elif kind == "missing":
        name = location.pop()
        message = (f"entry {name + 1}" if isinstance(name, int) else f"field {name!r}") + " is missing"
        if name in allowed_values:
            message += f"; allowed: {allowed_values[name]}"
        line_of = location
    elif kind in ("too_short", "too_long"):
        most = context.get("max_length")
        bound = f"at most {most}" if most is not None else f"at least {context['min_length']}"
        message = f"has {len(found)} entries; allowed: {bound}"
    elif kind == "unknown_field":
        unknown = re.findall(r"'([^']+)'", str(context["unknown"]))
        allowed = sorted(str(context["allowed"]).split(", "), key="provenance".__eq__)  # provenance last
        of = "provenance of unknown" if message.startswith("provenance") else "unknown"
        line_of = [*location, *(["provenance"] if of != "unknown" else []), *unknown[:1]]
        names = ", ".join(map(short, unknown[:5])) + (f" and {len(unknown) - 5} more" if len(unknown) > 5 else "")
        near = did_you_mean(unknown[0], allowed) if unknown else ""
        in_list = bool(location) and isinstance(location[-1], int)
        if not near and in_list and str(item["loc"][-1]).startswith("@"):
            near = "; what is a part of its own needs a dash of its own"
        message = f"{of} field {names}; allowed: {', '.join(allowed)}{near}"
    elif kind == "extra_forbidden":
        name = str(location.pop())
        message = f"unknown field {short(name)}"
    elif kind.startswith("unknown_"):
        if kind.startswith("unknown_ascended_mode") and isinstance(found, dict):
            if "mode" not in found:
                return document.fault(location, "field 'mode' is missing; allowed: " + message.partition("known: ")[2])
            found = found["mode"]
        words = [str(key) for key in found] if isinstance(found, dict) else [found] if isinstance(found, str) else []
        known = re.findall(r"\w+", re.sub(r"\{(\w+)[^}]*\}", r"\1", message.partition("known: ")[2]))
        message = f"{short(found)} is {message}" + next(filter(None, (did_you_mean(word, known) for word in words)), "")
    elif kind == "value_error":
        message = message.removeprefix("Value error, ")
    elif kind == "string_pattern_mismatch" and context["pattern"] in _PATTERNS:
        message = f"{_PATTERNS[context['pattern']]}; found {short(found)}"
    elif kind in ("model_type", "model_attributes_type", "dict_type"):
        message = f"should be a mapping (key: value); found {short(found)}"
        if isinstance(found, str) and item["loc"][-1:] == (f"@{found}",):
            message += f", which needs something after a colon: {found}: ..."
    elif kind == "literal_error" and isinstance(found, dict):
        message = f"{context['expected']} stands by itself, without a colon and anything after it"
    elif kind == "literal_error" and isinstance(found, str):
        near = did_you_mean(found, re.findall(r"'(\w+)'", message))
        message = f"{message.removeprefix('Input ')}; found {short(found)}{near}"
    elif kind not in _OWN and not message[:1].islower():
        message = message.removeprefix("Input ").removeprefix("String ")
        for theirs, ours in _WORDS.items():
            message = message.replace(theirs, ours)
        message = f"{message}; found {short(found)}"
    return document.fault(location, message, line_of)


_PARTS = ("cost", "do", "then", "else", "may", "on_enter", "on_cue")
_CARDS = {"actions": "action card", "abilities": "ability card", "passives": "passive", "cards": "card"}
_KINDS = {"summons": "summon kind", "tokens": "token", "tiles": "tile", "counters": "counter"}


def place_of(location: Location, data: object) -> str:
    """`location` in words, with a colon: "ability card 'fish', effect 1, do part 2 (move), field 'way': "."""
    words: list[str] = []
    here: Any = data
    field: list[str] = []
    previous: str | int = ""
    for part in location:
        here = _inside(here, part)
        if isinstance(part, int):
            label = here.get("id", here.get("name")) if isinstance(here, dict) else None
            named = f" {short(label)}" if isinstance(label, str) else ""
            if previous in _CARDS:
                words.append(f"{_CARDS[str(previous)]} {part + 1}{named}")
            elif previous == "effects":
                words.append(f"effect {part + 1}")
            elif previous in _PARTS or isinstance(previous, int):
                verb = next(iter(here), "") if isinstance(here, dict) else here
                known = f" ({shown(verb)[:_SHOWN]})" if isinstance(verb, str) and verb else ""
                words.append(f"{previous if isinstance(previous, str) else 'list'} part {part + 1}{known}")
            else:
                sort = shown(previous)[:_SHOWN]
                words.append(f"{sort.removesuffix('s') if named else sort} {part + 1}{named}")
            field = []
        elif previous in _KINDS:
            words.append(f"{_KINDS[str(previous)]} {short(part)}")
            field = []
        elif part == "ascended" and isinstance(here, dict):
            words.append("ascended side")
        else:
            field.append(str(part))
        previous = part
    if field and not (len(field) == 1 and words and f"({field[0]})" in words[-1]):
        words.append(f"field {_cut('.'.join(field))}")
    return ", ".join(words) + ": " if words else ""


def _inside(value: Any, key: str | int) -> Any:
    if isinstance(value, dict):
        return value.get(key)
    if isinstance(value, list) and isinstance(key, int) and key < len(value):
        return value[key]
    return None
