"""The rules configuration of Reality TCG: one field for each point that the rulebook leaves open, its default our ruling."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from react_env.games.options import checked
from react_env.games.reality_tcg import state as S


class RulesConfig(BaseModel):
    """Everything about a game but its cards. Frozen; unknown fields and wrong types are refused."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    copies: int = Field(3, ge=1, le=60, description="G-2: how many cards of a kind a deck may hold.")
    deck_out: Literal["no_penalty", "lose"] = Field(
        "no_penalty", description="G-3: who has to draw from an empty deck draws nothing, or loses."
    )
    max_turns: int = Field(
        200, ge=2, le=10_000, description="G-3: after so many turns higher IP wins; equal ones are a draw."
    )
    both_out: Literal["draw", "active_loses"] = Field(
        "draw",
        description="G-5: a game in which both lose their last IP at once is a draw, or lost by whose turn it is.",
    )
    hp_damage: Literal["stays", "own_turn"] = Field(
        "stays", description="G-7: lost HP stay lost until they are healed, or come back as their owner's turn begins."
    )
    broken_def: Literal["stays", "own_turn"] = Field(
        "stays",
        description="G-8: DEF that was broken stays so until it is restored, or comes back as its owner's turn begins.",
    )
    turn_on_entry: bool = Field(
        False, description="G-9: a Character may change its position in the turn in which it entered."
    )
    summoned_attacks: bool = Field(True, description="G-10: a Character may attack in the turn in which it entered.")
    moves_per_phase: int = Field(1, ge=1, le=3, description="G-12: zone switches in one Tactic Phase.")
    effect_refill: bool = Field(
        False, description="G-14: who loses the Active Character to an effect may move one up at once."
    )
    effect_overflow: bool = Field(False, description="G-16: damage of effects that HP do not hold costs IP.")
    lands: Literal["shared", "per_player"] = Field(
        "shared", description="G-17: there is one Land for both players, or one for each."
    )
    land_replace: bool = Field(False, description="G-17: a new Land may take the place of one that lies there.")
    trap_zone: int = Field(3, ge=1, le=S.TRAPS, description="G-18: how many Traps may lie set.")
    set_traps: Literal["at_once", "next_turn"] = Field(
        "at_once", description="G-18: a Trap may be used in the turn in which it was set, or not before the next one."
    )
    energy_grows: Literal["own_turns", "every_turn"] = Field(
        "own_turns", description="G-23: Energy grows as the own turn begins, or as any turn does."
    )
    cancelled_counts: bool = Field(True, description="G-24: an attack that was cancelled is the attack of the turn.")
    first_draws: bool = Field(False, description="G-25: who goes first draws in the first turn.")
    open_decklists: bool = Field(True, description="RT-I2: players know each other's deck list.")


def load_rules(**options: Any) -> RulesConfig:
    """The default rules with `options` in place of them. Raises OptionError."""
    return checked(RulesConfig, {}, options)
