"""The options of React Fast: a field for each point that the rulebook leaves open, with our ruling as the default; and the profiles of how
fast players are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal, TypeAlias

import numpy as np
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from react_env.content.files import parse, read_text
from react_env.content.options import checked, explained, fill
from react_env.errors import CardError, OptionError
from react_env.games.react_fast import state as S

PROFILES = Path(__file__).parent / "profiles"
Ms: TypeAlias = Annotated[float, Field(ge=0, le=60_000)]
Chance: TypeAlias = Annotated[float, Field(ge=0, le=1)]


class Profile(BaseModel):
    """How fast a player is, and how often a hand slips. Times in ms."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    mu: Ms = Field(260, description="Recognition: mean of the normal part.")
    sigma: Ms = Field(35, description="Recognition: deviation of the normal part.")
    tau: Ms = Field(70, description="Recognition: mean of the exponential part.")
    scale: float = Field(1.0, ge=0.001, le=100, description="Factor of all latencies of recognition.")
    miss: Chance = Field(0.02, description="Chance that a slap that is meant does not happen.")
    alarm: tuple[Chance, Chance, Chance] = Field(
        (0.0, 0.005, 0.04), description="Chance of an involuntary slap without a situation: relaxed, ready, armed."
    )
    shift: tuple[float, float, float] = Field((60.0, 0.0, -90.0), description="Added to a slap: relaxed, ready, armed.")
    place_mu: Ms = Field(600, description="Placing the next card: mean of the normal part.")
    place_sigma: Ms = Field(80, description="Placing: deviation of the normal part.")
    place_tau: Ms = Field(150, description="Placing: mean of the exponential part.")
    placer_delay: Ms = Field(0, description="Added to a slap of the player who has just placed.")


class RulesConfig(BaseModel):
    """All options of a game except the profiles. Frozen; unknown fields and wrong types are refused."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, allow_inf_nan=False)

    players: int = Field(4, ge=2, le=S.MOST_PLAYERS, description="G-6: number of players.")
    mode: Literal["decision", "skill", "deterministic"] = Field(
        "decision",
        description="RF-R2: players decide whether to slap, and latencies are drawn; or players also decide stance and pace; or "
        "latencies are fixed.",
    )
    needed: tuple[str, str, str, str, str, str, str, str] = Field(
        (
            "2 of Jewelry",
            "3 of Jewelry",
            "4 of Coins",
            "5 of Coins",
            "6 of Gems",
            "7 of Gems",
            "8 of Artifacts",
            "9 of Artifacts",
        ),
        description="G-1: the card that each traveling card shows.",
        strict=False,
    )
    deal: Literal["even", "pure_shuffle"] = Field("even", description="G-2: traveling cards are spread evenly, or not.")
    remainder_face: bool = Field(False, description="G-3: the top card of those left over from the deal has a face.")
    highest_suit: Literal["gems", "coins"] = Field("gems", description="G-4: which suit wins a tie for the first turn.")
    bottom_cards: Literal["public", "hidden"] = Field(
        "public", description="G-5: whether the cards that decide who begins are remembered."
    )
    suit_win: Literal["one_of_each", "all_used"] = Field(
        "one_of_each",
        description="G-8: a used card of each suit wins, or wins only if all traveling cards that the player owns are used.",
    )
    max_placements: int = Field(
        5000, ge=1, le=60_000, description="G-9: after this many units, the player with the most cards wins."
    )
    late_slaps: Literal["ignored", "penalised"] = Field(
        "ignored", description="G-10: slaps after the first one in the same window are ignored, or penalised."
    )
    commit_ms: float = Field(
        150.0,
        ge=0,
        le=10_000,
        description="G-11: a slap that lands at most this long after the next card cannot be held back.",
    )
    pickup_window: bool = Field(
        True, description="G-12: taking the pile after failed chances takes time, in which a pair can be slapped."
    )
    penalty_cards: Literal["hidden", "seen"] = Field("hidden", description="G-14: whether penalty cards are shown.")
    heap_slap: bool = Field(True, description="G-15: the top card of the heap of Gems #6 can be slapped.")
    lock_out: bool = Field(
        False, description="G-16: a player without cards who slaps wrongly may not slap until the round ends."
    )
    free_slap_penalty: bool = Field(True, description="G-17: a free slap without a situation is penalised.")
    takeover_activates: bool = Field(
        True, description="G-20: a player who takes over chances may first activate a traveling card."
    )
    uncovered_counts: bool = Field(
        True, description="G-25: the next card is compared with the one that Artifacts #9 uncovers."
    )
    memory: Literal["perfect", "last_k", "counts"] = Field(
        "perfect",
        description="RF-I2: what an observation shows of the decks: everything that follows from what was seen, only what the last "
        "`memory_length` units showed, or only numbers of cards.",
    )
    memory_length: int = Field(20, ge=1, le=60_000, description="RF-I2: how many units `last_k` remembers.")
    spread: float = Field(
        0.12, ge=0, le=2, description="RF-R5: standard deviation of the logarithm of a player's speed."
    )
    rush: float = Field(0.6, gt=0, le=1, description="RF-R4: a rushed card takes this share of the time.")
    wait_ms: float = Field(400.0, ge=0, le=60_000, description="RF-R4: how much time waiting adds.")
    forbidden: tuple[tuple[str, ...], ...] = Field(
        (),
        description="RF-V1: traveling cards that may not be activated, as names for each seat. Not a rule, but shows what a card is "
        "worth.",
    )


def load_rules(**options: Any) -> RulesConfig:
    """The default rules, changed by `options`. Raises OptionError."""
    return checked(RulesConfig, {}, {name: _tuples(value) for name, value in options.items()}, "needed")


def _tuples(value: Any) -> Any:
    """A list (as in JSON) as a tuple."""
    return tuple(_tuples(entry) for entry in value) if isinstance(value, (list, tuple)) else value


def profiles() -> tuple[str, ...]:
    """The names of the profiles that come with the game."""
    return tuple(sorted(path.stem for path in PROFILES.glob("*.yaml")))


def load_profile(given: str | Path | Mapping[str, Any] | Profile) -> Profile:
    """A profile by name, from a YAML file, or from its values. Raises OptionError."""
    if isinstance(given, Profile):
        return given
    source, values = "profile", given
    if isinstance(given, (str, Path)):
        path = PROFILES / f"{given}.yaml" if str(given) in profiles() else Path(given)
        source = str(path)
        try:
            known = path.exists()
        except (OSError, ValueError):  # such as a name that is too long
            known = False
        if not known:
            raise OptionError(f"profile {str(given)[:80]!r} is neither a file nor one of: {', '.join(profiles())}")
        try:
            values = parse(read_text(path), source, "a profile", Profile.model_fields).data
        except CardError as error:
            raise OptionError(str(error)) from None
    if not isinstance(values, Mapping):
        raise OptionError(
            f"{source}: a profile is a mapping of {', '.join(Profile.model_fields)}; found {values!r:.80}"
        )
    try:
        return Profile.model_validate(dict(values))
    except ValidationError as error:
        raise OptionError(f"{source}: {explained(Profile, error)}") from None


def card_number(name: str) -> int:
    """ "10 of Gems" as a card. Raises OptionError."""
    rank, _, suit = name.partition(" of ")
    if rank not in S.RANK_NAMES or suit not in S.SUITS:
        raise OptionError(f"needed: {name!r} is not a card; write a card as '2 of Jewelry' or 'K of Gems'")
    return S.SUITS.index(suit) * S.RANKS + S.RANK_NAMES.index(rank)


def traveling_number(name: str) -> int:
    """ "Jewelry #2" as a traveling card. Raises OptionError."""
    if name not in S.TRAVELING_NAMES:
        raise OptionError(f"forbidden: {name!r} is not a traveling card; there are: {', '.join(S.TRAVELING_NAMES)}")
    return S.TRAVELING_NAMES.index(name)


def make_tables(rules: RulesConfig, seats: Sequence[Profile]) -> np.ndarray[Any, Any]:
    """The tables, (1,), of a game under these rules between players with these profiles."""
    tables = np.zeros(1, S.TABLES)
    t = tables[0]
    t["mode"] = ("decision", "skill", "deterministic").index(rules.mode)
    t["memory"] = ("counts", "last_k", "perfect").index(rules.memory)
    fill(t, S.RULES, rules)
    t["needed"] = [card_number(name) for name in rules.needed]
    if len(rules.forbidden) > rules.players:
        raise OptionError(f"forbidden: {len(rules.forbidden)} lists of cards for {rules.players} players")
    for p, names in enumerate(rules.forbidden):
        t["forbidden"][p] = sum(1 << traveling_number(name) for name in set(names))
    for p, seat in enumerate(seats):
        t["react"][p] = seat.mu, seat.sigma, seat.tau
        t["place"][p] = seat.place_mu, seat.place_sigma, seat.place_tau
        for name in ("scale", "miss", "alarm", "shift", "placer_delay"):
            t[name][p] = getattr(seat, name)
    return tables
