"""The options of Reality TCG: a field for each point that the rulebook leaves open, with our ruling as the default."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from react_env.content.options import checked
from react_env.content.schema import Model
from react_env.games.reality_tcg import state as S


class RulesConfig(Model):
    """All options of a game except its cards. Frozen; unknown fields and wrong types are refused."""

    copies: int = Field(3, ge=1, le=60, description="G-2: how many copies of a card a deck may hold.")
    deck_out: Literal["no_penalty", "lose"] = Field(
        "no_penalty", description="G-3: a player who has to draw from an empty deck draws nothing, or loses."
    )
    max_turns: int = Field(
        200, ge=2, le=10_000, description="G-3: after this many turns the player with more IP wins; equal IP is a draw."
    )
    hand_limit: int = Field(
        S.MOST_CARDS,
        ge=1,
        le=S.MOST_CARDS,
        description="G-4: hand size in a player's own End Phase; cards beyond it are discarded. A deck has at most 60.",
    )
    both_out: Literal["draw", "active_loses"] = Field(
        "draw",
        description="G-5: if both players lose their last IP at once, the game is a draw, or lost by the player whose turn it is.",
    )
    negative_ip: bool = Field(
        False, description="G-6: IP may fall below 0, and if both are out at once the player with more IP wins."
    )
    hp_damage: Literal["stays", "own_turn"] = Field(
        "stays", description="G-7: lost HP stay lost until they are healed, or come back as their owner's turn begins."
    )
    broken_def: Literal["stays", "own_turn"] = Field(
        "stays",
        description="G-8: broken DEF stays broken until it is restored, or comes back as its owner's turn begins.",
    )
    turn_on_entry: bool = Field(
        False, description="G-9: a Character may change its position in the turn in which it enters."
    )
    summoned_attacks: bool = Field(True, description="G-10: a Character may attack in the turn in which it enters.")
    summons_per_turn: int = Field(
        S.MOST_CARDS, ge=1, le=S.MOST_CARDS, description="G-11: how many Characters may be summoned in a turn."
    )
    moves_per_phase: int = Field(1, ge=1, le=3, description="G-12: zone switches in one Tactic Phase.")
    new_refills: bool = Field(
        True,
        description="G-13: a Character that entered the Back Row this turn may replace a destroyed Active Character.",
    )
    effect_refill: bool = Field(
        False, description="G-14: a player who loses the Active Character to an effect may move one up at once."
    )
    both_destroyed: Literal["attacker_waits", "both_wait"] = Field(
        "attacker_waits",
        description="G-15: if a battle destroys both Characters, only the attacker waits for a new Active Character, or the defender "
        "as well.",
    )
    wait_ends: Literal["attack", "own_turn"] = Field(
        "attack",
        description="G-15: that wait ends after the opponent's next attack, or not before the waiting player's next turn.",
    )
    trapped_waits: bool = Field(
        True, description="G-15: a player whose attacker was destroyed by a Trap waits as well."
    )
    effect_overflow: bool = Field(False, description="G-16: damage of effects beyond a Character's HP costs IP.")
    lands: Literal["shared", "per_player"] = Field(
        "shared", description="G-17: there is one Land for both players, or one for each."
    )
    land_replace: bool = Field(False, description="G-17: a new Land may replace the one in play.")
    trap_zone: int = Field(3, ge=1, le=S.TRAPS, description="G-18: how many Traps a player may have set.")
    set_traps: Literal["at_once", "next_turn"] = Field(
        "at_once", description="G-18: a Trap may be used in the turn in which it was set, or not before the next one."
    )
    answers_first: Literal["non_active", "active"] = Field(
        "non_active",
        description="G-19: who is asked first for an answer: the player whose turn it is not, or the player whose turn it is.",
    )
    spent: Literal["purgatory", "removed"] = Field(
        "purgatory", description="G-20: Food and Lands go to Purgatory, or out of the game."
    )
    open_purgatory: bool = Field(
        True, description="G-21: Purgatory is public; False: of the opponent's only the number of cards is known."
    )
    mulligans: int = Field(1, ge=0, le=3, description="G-22: how often a player may return cards of the opening hand.")
    energy_grows: Literal["own_turns", "every_turn"] = Field(
        "own_turns", description="G-23: Energy grows at the start of the player's own turns, or of every turn."
    )
    cancelled_counts: bool = Field(True, description="G-24: a cancelled attack counts as the attack of the turn.")
    first_draws: bool = Field(False, description="G-25: the player who goes first draws in the first turn.")
    food_saves: Literal["always", "in_battles", "never"] = Field(
        "always",
        description="G-27: Food may be played before a Character without HP is destroyed: always, only after a battle, or never.",
    )
    end_answered: bool = Field(
        True, description="G-28: at the end of a turn the opponent may play Food, even if nothing was done."
    )
    open_decklists: bool = Field(True, description="RT-I2: players know each other's deck list.")


def load_rules(**options: Any) -> RulesConfig:
    """The default rules, changed by `options`. Raises OptionError."""
    return checked(RulesConfig, {}, options)
