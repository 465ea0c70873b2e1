"""The rules configuration of Re;ACT: one field for each point that the rulebooks leave open, with our ruling as default.

The ids are those of the project's rules file. An edition's `board.yaml` sets all fields; keywords of `react_env.load` override them.

An edition is a folder of card files: an installed one, known by its name, or any other, known by its path.
"""

from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field, model_validator

from react_env.content.files import Document, parse, read_text, short, shown
from react_env.content.options import checked
from react_env.content.schema import Id, Mark, Model
from react_env.errors import CardError, OptionError, did_you_mean
from react_env.games.arts_of_war import state as S

EDITIONS = Path(__file__).parent / "editions"
STANDARD = "standard"  # the edition that fills up the others
WEIGHTS = "weights.csv"  # by which scripted judges positions (`value.py`)
BOARD = "board.yaml"

StartZone = Annotated[str, Field(pattern=r"^[a-e][1-5]$")]


def _as_tuple(value: object) -> object:
    return tuple(value) if isinstance(value, list) else value


class RulesConfig(Model):
    """Everything about a match but its artists. Frozen; unknown fields and wrong types are refused."""

    rows: int = Field(5, ge=3, le=5, description="AW-S2: rows of the field.")
    cols: int = Field(5, ge=3, le=5, description="AW-S2: columns of the field.")
    start_zones: Annotated[tuple[StartZone, StartZone], BeforeValidator(_as_tuple)] = Field(
        ("c1", "c5"), description="AW-S2: the zones where the artists of player 0 and player 1 start; they must differ."
    )
    allow_mirror: bool = Field(False, description="AW-S1: both players may have the same artist.")
    first_game_hand: bool = Field(
        False, description="AW-S3: the first hand is one of each action card, not a random one."
    )
    first_player: Literal["random", 0, 1] = Field("random", description="AW-S4: who has the first turn.")
    full_hand_spares_deck_out: bool = Field(
        True,
        description="AW-T4: with a full hand a draw just fails, even from an empty deck; False: the empty deck loses.",
    )
    refresh: Literal["after_effects", "before_effects"] = Field(
        "after_effects",
        description="AW-T7: in the end phase every unit is refreshed after the end-of-turn effects, or before them.",
    )
    max_turns: int = Field(
        60, ge=1, le=1000, description="AW-T8: a game that is not over after this many turns is truncated."
    )
    sourceless_effects: Literal["resolve", "fizzle"] = Field(
        "resolve",
        description="AW-C11: an effect whose unit is gone when it resolves does what it can without that unit (resolve), "
        "or nothing at all (fizzle).",
    )
    ability_once_per_chain: bool = Field(
        True, description="AW-C12: an ability card that lies on the chain cannot be played again in that chain."
    )
    shared_ability_card: bool = Field(
        True,
        description="AW-C13: the units of one kind share their ability card; False: it may lie on the chain once for each of them.",
    )
    allow_unbounded_abilities: bool = Field(
        False,
        description="AW-C14: accept card files whose ability Intentions could go on forever in one turn, or whose triggers could set "
        "each other off forever (AW-C6).",
    )
    trigger_order: Literal["turn_player_then_zones", "zones"] = Field(
        "turn_player_then_zones",
        description="AW-C16: of triggers at the same moment, the turn player's resolve first, then by zone number; or all by zone "
        "number only.",
    )
    replaced_masterpiece: Literal["unplaced", "lost"] = Field(
        "unplaced", description="AW-M3: a replaced masterpiece card can be placed again, or is out of the game."
    )
    masterpiece_sides: Literal["opposite", "same"] = Field(
        "opposite", description="AW-M5: each player reads the row from their own side, or both read it from player 0's."
    )
    masterpiece_check: Literal["every_change", "own_progress"] = Field(
        "every_change",
        description="AW-M6: whose masterpiece is checked when the row changes: everybody's, or only that of the player who made the "
        "change. Under the present rules only that player's can become complete, so both readings play the same.",
    )
    forced_passes: Literal["private", "announced"] = Field(
        "private",
        description="AW-I2: a pass where nothing else can be done looks like any other pass, or is announced to all.",
    )

    trigger_limit: int = Field(
        32,
        ge=16,
        le=S.DEEPEST,
        description="AW-C6a: the last resort against endless triggers: a trigger that would nest deeper than this, or come after the "
        "square of this many others in one go, is left out, and the log says so.",
    )
    loss_check: Literal["effect", "part"] = Field(
        "effect",
        description="AW-U9: losses are checked when an effect has resolved with everything that it triggered, so that both players "
        "can lose by one effect; or after each part of an effect.",
    )

    @model_validator(mode="after")
    def _start_zones_fit(self) -> "RulesConfig":
        zones = [zone_number(name, self.cols) for name in self.start_zones]
        for name in self.start_zones:
            if ord(name[0]) - ord("a") >= self.cols or int(name[1]) > self.rows:
                raise ValueError(f"start zone {name} lies outside a field of {self.rows} rows and {self.cols} columns")
        if zones[0] == zones[1]:
            raise ValueError(f"both artists would start in {self.start_zones[0]}")
        return self


def zone_number(name: str, cols: int) -> int:
    """The zone called `name`, such as c1, on a field with `cols` columns."""
    return (int(name[1]) - 1) * cols + ord(name[0]) - ord("a")


def middle_starts(rows: int, cols: int) -> tuple[str, str]:
    """The start zones of AW-S2: in the middle of the two opposite edges (the left one if there are two)."""
    column = "abcde"[(cols - 1) // 2]
    return f"{column}1", f"{column}{rows}"


def editions() -> tuple[str, ...]:
    """The names of the editions that are installed, sorted."""
    return tuple(sorted(folder.name for folder in EDITIONS.iterdir() if (folder / BOARD).is_file()))


def edition_folder(edition: str | Path) -> Path:
    """Where the files of an edition lie: the name of an installed one, or the path of a folder (`~` is the home folder).

    Raises OptionError if there is no such edition, or nothing in it.
    """
    if isinstance(edition, str) and edition in editions():
        return EDITIONS / edition
    if not isinstance(edition, (str, Path)) or not str(edition):
        raise OptionError(f"edition: a name or the path of a folder is needed; found {short(edition)}")
    name = shown(edition)[:200]
    try:
        folder = Path(edition).expanduser()
        if folder.is_dir():
            if any(_card_files(folder)) or (folder / BOARD).exists():
                return folder
            problem = f"holds no card file; artists are files such as {name.rstrip('/')}/my_artist.yaml"
        else:
            folder.stat()  # raises what `is_dir` does not tell
            problem = "is a file; an edition is the folder of the card files"
    except (FileNotFoundError, NotADirectoryError, ValueError):  # no file can have a name with a NUL
        problem = "is a broken link" if folder.is_symlink() else ""
    except (OSError, RuntimeError) as error:  # no permission, too long, an unknown home folder
        problem = f"cannot be read: {getattr(error, 'strerror', None) or error}"
    if problem:
        raise OptionError(f"edition {name} {problem}")
    if isinstance(edition, Path) or "/" in edition or "\\" in edition or edition.startswith((".", "~")):
        raise OptionError(f"there is no folder {name} with card files")
    known = f"unknown edition {short(edition)}; known: {', '.join(editions())}, or the path of a folder with card files"
    raise OptionError(known + did_you_mean(edition, editions()))


def own_artists(edition: str | Path) -> tuple[str, ...]:
    """The names of the artists whose files lie in the folder of an edition, sorted. Raises OptionError."""
    return tuple(sorted(_card_files(edition_folder(edition))))


def artist_files(edition: str | Path) -> dict[str, Path]:
    """The file of each artist of an edition by name: its own, and those of `standard` that it lacks. Raises OptionError."""
    files = {name: EDITIONS / STANDARD / f"{name}.yaml" for name in _card_files(EDITIONS / STANDARD)}
    files |= {name: edition_folder(edition) / f"{name}.yaml" for name in own_artists(edition)}
    return dict(sorted(files.items()))


def _card_files(folder: Path) -> list[str]:
    """The names of the artist files in a folder; hidden files, such as an editor's, do not count."""
    found = folder.iterdir()
    return [f.stem for f in found if f.suffix == ".yaml" and f.name != BOARD and not f.name.startswith(".")]


def default_artists(edition: str | Path = STANDARD) -> tuple[str, str]:
    """The two artists that play if none are named: those of `board.yaml`, else the edition's first own ones, filled up from `standard`.

    Raises OptionError for an unknown edition, CardError for a board file that cannot be used or that names an unknown artist.
    """
    document, board = _read_board(edition)
    files = artist_files(edition)
    if board is None or board.artists is None:
        standard = _read_board(STANDARD)[1]
        assert standard is not None and standard.artists is not None
        own = [name for name in own_artists(edition) if name not in standard.artists]
        first, second = [*own, *standard.artists][:2]
        return first, second
    assert document is not None
    for number, name in enumerate(board.artists):
        if name not in files:
            near = did_you_mean(name, files)
            raise CardError(
                document.fault(
                    ("artists", number), f"unknown artist {name!r}; known: {', '.join(files)}{near}", ("artists",)
                )
            )
    return board.artists


def load_rules(edition: str | Path = STANDARD, **options: Any) -> RulesConfig:
    """The rules of an edition, with `options` in place of its own. An edition without `board.yaml` has the standard rules.

    If the options change the size of the field but name no start zones, these follow from the size. Raises OptionError for an edition
    or option that does not exist or has an impossible value, CardError for a board file that cannot be used.
    """
    board = _read_board(edition)[1] or _read_board(STANDARD)[1]
    assert board is not None
    fields = board.rules.model_dump()
    if ("rows" in options or "cols" in options) and "start_zones" not in options:
        rows, cols = options.get("rows", fields["rows"]), options.get("cols", fields["cols"])
        if isinstance(rows, int) and isinstance(cols, int) and 3 <= rows <= 5 and 3 <= cols <= 5:
            fields["start_zones"] = middle_starts(rows, cols)
    return checked(RulesConfig, fields, options, "start_zones")


class BoardFile(Model):
    """`board.yaml` of an edition."""

    format: Literal[1]
    name: Annotated[str, Field(min_length=1, max_length=40)]
    artists: Annotated[tuple[Id, Id], BeforeValidator(_as_tuple)] | None = Field(
        None, description="Who plays where no artists are named."
    )
    rules: RulesConfig = RulesConfig.model_validate({})
    provenance: dict[str, Mark] = {}

    @model_validator(mode="after")
    def _artists_differ(self) -> "BoardFile":
        if self.artists is not None and self.artists[0] == self.artists[1] and not self.rules.allow_mirror:
            raise ValueError(f"artists: both are {self.artists[0]!r}; allowed: two different ones (AW-S1)")
        return self

    @model_validator(mode="after")
    def _provenance_of_rules(self) -> "BoardFile":
        unknown = set(self.provenance) - set(RulesConfig.model_fields)
        if unknown:
            raise ValueError(f"provenance of unknown rules: {', '.join(sorted(unknown))[:200]}")
        return self


def read_board(path: Path) -> tuple[Document, BoardFile]:
    """A `board.yaml`. Raises CardError."""
    document = parse(read_text(path), shown(path), "a board file", BoardFile.model_fields)
    return document, document.read_as(BoardFile)


def _read_board(edition: str | Path) -> tuple[Document | None, BoardFile | None]:
    """The board file of an edition, if it has one. Raises OptionError, CardError."""
    path = edition_folder(edition) / BOARD
    return read_board(path) if path.exists() or path.is_symlink() else (None, None)
