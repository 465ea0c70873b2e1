"""The rules configuration of Re;ACT: one field for each point that the rulebooks leave open, its default our ruling.

The ids are those of the project's rules file. An edition's `board.yaml` sets all fields; keywords of `react_env.load` override them.
"""

from pathlib import Path
from typing import Annotated, Any, Literal

import yaml
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError, model_validator

from react_env.errors import CardError, OptionError

EDITIONS = Path(__file__).parent / "editions"

StartZone = Annotated[str, Field(pattern=r"^[a-e][1-5]$")]


def _as_tuple(value: object) -> object:
    return tuple(value) if isinstance(value, list) else value


class RulesConfig(BaseModel):
    """Everything about a match but its artists. Frozen; unknown fields and wrong types are refused."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

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
    max_turns: int = Field(
        60, ge=1, le=1000, description="AW-T8: a game that is not over after so many turns is truncated."
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
        description="AW-C14: card files whose ability intentions could go on for ever in one turn are not refused.",
    )
    trigger_order: Literal["turn_player_then_zones", "zones"] = Field(
        "turn_player_then_zones",
        description="AW-C16: what triggers at the same moment resolves the turn player's first, then by zone number; or by zone "
        "number only.",
    )
    replaced_masterpiece: Literal["unplaced", "lost"] = Field(
        "unplaced", description="AW-M3: a replaced masterpiece card can be placed again, or is out of the game."
    )
    masterpiece_sides: Literal["opposite", "same"] = Field(
        "opposite", description="AW-M5: each player reads the row from the own side, or both from player 0's."
    )
    masterpiece_check: Literal["every_change", "own_progress"] = Field(
        "every_change",
        description="AW-M6: whose masterpiece is looked at after a change of the row: everybody's, or only that of the player who made "
        "it. Under the rules as they are only the latter's can have become complete, so both readings play the same.",
    )
    forced_passes: Literal["private", "announced"] = Field(
        "private", description="AW-I2: a pass for want of a playable reaction looks like any pass, or is told to all."
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
    """The start zones of AW-S2: in the middle of the two opposite edges (left of it where there are two)."""
    column = "abcde"[(cols - 1) // 2]
    return f"{column}1", f"{column}{rows}"


def editions() -> tuple[str, ...]:
    """The names of the editions that are installed, sorted."""
    return tuple(sorted(folder.name for folder in EDITIONS.iterdir() if (folder / "board.yaml").is_file()))


def edition_folder(edition: str) -> Path:
    """Where the files of an edition lie. Raises OptionError for an unknown edition."""
    if edition not in editions():
        raise OptionError(f"unknown edition {edition!r}; known: {', '.join(editions())}")
    return EDITIONS / edition


def load_rules(edition: str = "standard", **options: Any) -> RulesConfig:
    """The rules of an edition, with `options` in place of its own.

    Start zones that are not among the options follow from the size of the field where that is. Raises OptionError for an option that
    does not exist or has an impossible value, CardError for a board file that cannot be used.
    """
    file = edition_folder(edition) / "board.yaml"
    try:
        board = BoardFile.model_validate(yaml.safe_load(file.read_text(encoding="utf-8")))
    except (yaml.YAMLError, ValidationError) as error:
        raise CardError(f"{file.name} of edition {edition}: {error}") from None
    fields = board.rules.model_dump()
    if ("rows" in options or "cols" in options) and "start_zones" not in options:
        rows, cols = options.get("rows", fields["rows"]), options.get("cols", fields["cols"])
        if isinstance(rows, int) and isinstance(cols, int) and 3 <= rows <= 5 and 3 <= cols <= 5:
            fields["start_zones"] = middle_starts(rows, cols)
    for name in options:
        if name not in RulesConfig.model_fields:
            raise OptionError(f"unknown option {name!r}; known: {', '.join(RulesConfig.model_fields)}")
    try:
        return RulesConfig.model_validate(fields | options)
    except ValidationError as error:
        first = error.errors()[0]
        if not first["loc"]:  # about the field as a whole: the start zones
            raise OptionError(f"option start_zones: {first['msg'].removeprefix('Value error, ')}") from None
        name, about = str(first["loc"][0]), RulesConfig.model_fields[str(first["loc"][0])].description
        message = first["msg"].removeprefix("Input ")
        raise OptionError(f"option {name}: {message}; found {first['input']!r}. {about}") from None


class BoardFile(BaseModel):
    """`board.yaml` of an edition."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    format: Literal[1]
    name: str
    rules: RulesConfig
    provenance: dict[str, Literal["stated", "derived", "designed"]]

    @model_validator(mode="after")
    def _provenance_of_rules(self) -> "BoardFile":
        unknown = set(self.provenance) - set(RulesConfig.model_fields)
        if unknown:
            raise ValueError(f"provenance of unknown rules: {', '.join(sorted(unknown))}")
        return self
