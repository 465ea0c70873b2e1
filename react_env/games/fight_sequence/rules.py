"""The options of Fight Sequence: a field for each point that the rulebook leaves open, with our ruling as the default.

G-9 (whose deck is which) is the keyword `decks` of `react_env.load`; the timing of a single effect (G-2) is in its deck file.
"""

from typing import Any, Literal

from pydantic import Field

from react_env.content.options import checked
from react_env.content.schema import Model


class RulesConfig(Model):
    """All options of a match except its decks. Frozen; unknown fields and wrong types are refused."""

    deck_size: int = Field(40, ge=10, le=40, description="FS-S1: cards of a deck.")
    first_player: Literal["random", 0, 1] = Field("random", description="FS-S3: who builds the first Action.")
    speed_reference: Literal["last_built", "last_slot"] = Field(
        "last_built",
        description="G-1: an attack must be as fast as the Action built most recently, wherever that Action is now and even if it has"
        " left the sequence; or as the one in the last occupied slot.",
    )
    shift_timing: Literal["as_printed", "timed", "immediate"] = Field(
        "as_printed",
        description="G-2: when the Shifts of attacks happen: as each card's deck file says, or all with the same timing.",
    )
    return_itself: bool = Field(False, description="G-3: a Return may hit its own card.")
    return_optional: bool = Field(False, description="G-3: a Return may be declined.")
    build_turns: int = Field(
        60,
        ge=2,
        le=100,
        description="G-4: turns of building in a sequence, including passes, after which only passing is possible.",
    )
    willpower_covers: Literal["next_damage", "adjacent_action"] = Field(
        "next_damage",
        description="G-5: a built Willpower covers the next instance of damage, whenever that comes, or only one by the next Action.",
    )
    interrupt_window: Literal["damage", "never"] = Field(
        "damage",
        description="G-6: a player with a Willpower card in hand is asked whenever damage is left after tokens, or never.",
    )
    simultaneous_defeat: Literal["draw", "builder_loses"] = Field(
        "draw",
        description="G-7: damage that defeats both players is a draw, or a loss for the player who built the Action.",
    )
    exhausted: Literal["draw", "initiative_loses"] = Field(
        "draw",
        description="G-8: when all hands and decks are empty the game is a draw, or a loss for the player with the initiative.",
    )
    untyped_responses: Literal["unblockable", "attack_type"] = Field(
        "unblockable",
        description="G-10: Willpower and text responses cannot be blocked, or have the type of the same card as an attack.",
    )
    bonus_counts: Literal["attacks", "typed_actions"] = Field(
        "attacks", description="G-11: a bonus counts attacks of its type, or responses of that type as well."
    )
    cleanup_order: Literal["initiative_first", "initiative_last"] = Field(
        "initiative_first", description="G-12: whose cleanup comes first."
    )
    token_limit: int = Field(
        0, ge=0, le=12, description="G-13: token pieces of each type, shared by both players; 0: as many as needed."
    )
    damage_discards: Literal["face_up", "face_down"] = Field(
        "face_up", description="G-14: whether the cards that damage discards are seen."
    )
    timed_shift_itself: bool = Field(
        True, description="G-15: a timed Shift may choose its own Action, which changes nothing."
    )
    full_sequence: Literal["each_turn", "closes"] = Field(
        "each_turn",
        description="G-16: with nine Actions only passing is possible as long as there are nine, or until the sequence resolves.",
    )
    max_sequences: int = Field(
        60, ge=1, le=1000, description="FS-C4: a game that is not over after this many sequences is truncated."
    )


def load_rules(**options: Any) -> RulesConfig:
    """The default rules, changed by `options`. Raises OptionError."""
    return checked(RulesConfig, {}, options)
