"""A game of Reality TCG as text: log lines, status lines, and what an action means."""

from __future__ import annotations

from typing import Any

import numpy as np

from react_env.engine.plain import EventLog
from react_env.games.reality_tcg import actions as A
from react_env.games.reality_tcg import log as L
from react_env.games.reality_tcg import state as S
from react_env.games.reality_tcg.battle import attack_of

QUESTIONS = {
    S.D_MULLIGAN: "which cards to return",
    S.D_TACTIC: "play cards, move Characters, or go on",
    S.D_PLACE: "where to put {}",
    S.D_TARGET: "for whom {} is",
    S.D_BATTLE: "attack or not",
    S.D_ANSWER: "answer or not",
    S.D_REFILL: "who moves up to the Active Zone",
    S.D_DISCARD: "which card to discard",
}


def counted(names: list[str]) -> str:
    """ "Boxer x2, Coach", in the order of the set."""
    found = {name: names.count(name) for name in names}
    return ", ".join(f"{name} x{count}" if count > 1 else name for name, count in found.items())


def link_name(what: int, target: int) -> str:
    """A link of the chain that is not a card."""
    if what == S.C_DONE:
        return {S.DONE: "what was done", S.ENDING: "end of the turn"}.get(target, "damage")
    return {S.C_ATTACK: "attack", S.C_SUMMON: "summon"}.get(what, "")


class View(EventLog):
    """The texts of a game's states, with the cards of a set."""

    def __init__(self, tables: Any, kinds: tuple[str, ...], lists: tuple[str, ...]) -> None:
        self.t, self.kinds, self.lists = tables, kinds, lists
        self.names = A.actions_of(kinds).names

    def _event(self, kind: int, p: int, card: int, number: int) -> str:
        who = f"player_{p}"
        name = self.kinds[card - 1] if card else ""
        cards = "a card" if number == 1 else f"{number} cards"
        if kind == L.E_SUMMON:
            zone = "Active Zone" if number < 2 else "Back Row"
            return f"{who} summons {name} to the {zone}, {S.POSITION_NAMES[number & 1]} position"
        if kind == L.E_MOVE:
            return (
                f"{who} brings {name} to the Active Zone"
                if card
                else f"{who} moves the Active Character to the Back Row"
            )
        return {
            L.E_BEGIN: f"{who} goes first",
            L.E_MULLIGAN: f"{who} returns {cards}" if number else f"{who} keeps the hand",
            L.E_TURN: f"{who}'s turn, {number} Energy",
            L.E_DRAW: f"{who} draws {cards}",
            L.E_SET: f"{who} sets a Trap",
            L.E_PLAY: f"{who} plays {name}" + (f" for the {A.ZONE_NAMES[number - 1]}" if 0 < number <= S.ZONES else ""),
            L.E_ATTACK: f"{who} attacks with {name}",
            L.E_DIRECT: f"{name} strikes directly with {number}",
            L.E_NEGATED: f"{name} of {who} is negated",
            L.E_CANCEL: f"the attack of {who} is cancelled",
            L.E_DAMAGE: f"{name} of {who} takes {number} damage",
            L.E_IP: f"{who} loses {number} IP",
            L.E_GONE: f"{name} of {who} {'leaves the game' if card and self._leaves(card - 1) else 'goes to Purgatory'}",
            L.E_DISCARD: f"{who} discards {name}",
            L.E_TURNED: f"{who} turns {name} to {S.POSITION_NAMES[number & 1]} position",
            L.E_HEAL: f"{name} of {who} is healed by {number}",
            L.E_RESTORE: f"{name} of {who} restores {number} DEF",
            L.E_REFILL: f"{who} moves {name} up to the Active Zone",
            L.E_EMPTY: f"{who} has nothing to draw",
            L.E_WIN: f"{who} wins" if p >= 0 else "the game is a draw",
            L.E_CUT: "the last turn is over",
        }[kind]

    def _leaves(self, k: int) -> bool:
        """Whether a card of that kind goes out of the game instead of to Purgatory (G-20)."""
        return bool(self.t["spent_removed"]) and int(self.t["sort"][k]) in (S.FOOD, S.LAND)

    def attack(self, s: Any, p: int, z: int) -> str:
        """The present ATK of a Character, followed by the ATK on its card if that is less: "7 (5)"."""
        record = np.asarray(s).reshape(1).view(np.recarray)[0]
        strikes, own = int(attack_of(record, self.t, p, z)), int(self.t["atk"][s["kind"][p][z]])
        return f"{strikes}" if strikes == own else f"{strikes} ({own})"

    def unit(self, s: Any, p: int, z: int) -> str:
        """ "Boxer 4/2/4, attack": ATK, DEF and HP as they are now."""
        k = int(s["kind"][p][z])
        if k < 0:
            return "nobody"
        text = f"{self.kinds[k]} {self.attack(s, p, z)}/{int(s['df'][p][z])}/{int(s['hp'][p][z])}"
        text += f", SPD {int(self.t['spd'][k])}, {S.POSITION_NAMES[int(s['position'][p][z])]}"
        return text + (", new" if s["entered"][p][z] == s["turn"] else "")

    def status_lines(self, state: Any, player: int | None = None) -> list[str]:
        """The position in a few short lines. `player` sees only its own hand and Traps, None sees all."""
        s = state
        begun = f"turn {int(s['turn'])} of player_{int(s['whose'])}, {S.PHASE_NAMES[int(s['phase'])]}"
        lines = [begun if s["turn"] else "before the first turn"]
        for p in range(S.PLAYERS):
            head = f"player_{p}: {int(s['ip'][p])} IP, {int(s['ready'][p])} of {int(s['energy'][p])} Energy active"
            head += f", {int(s['deck_size'][p])} cards in the deck, {int(s['hand_size'][p])} in hand"
            lines.append(head + (", no new Active Character yet" if s["locked"][p] else ""))
            lines.append(f"  Active Zone: {self.unit(s, p, S.ACTIVE)}")
            back = [self.unit(s, p, z) for z in range(S.BACK, S.ZONES) if s["kind"][p][z] >= 0]
            if back:
                lines.append(f"  Back Row: {'; '.join(back)}")
            traps = [int(k) for k in s["trap"][p] if k >= 0]
            if traps:
                shown = counted([self.kinds[k] for k in traps]) if player in (None, p) else str(len(traps))
                lines.append(f"  set Traps: {shown}")
            if s["land"][p] >= 0:
                lines.append(f"  Land: {self.kinds[int(s['land'][p])]}")
            gone = [k for k, number in enumerate(s["gone"][p].tolist()) for _ in range(number)]
            for title, leave in (("Purgatory", False), ("out of the game", True)):
                there = [self.kinds[k] for k in gone if self._leaves(k) == leave]
                if there:
                    seen = player in (None, p) or leave or self.t["open_purgatory"]
                    lines.append(f"  {title}: {counted(there) if seen else len(there)}")
            if player in (None, p):
                hand = [self.kinds[k] for k, number in enumerate(s["hand"][p].tolist()) for _ in range(number)]
                lines.append(f"  hand: {counted(hand) or 'nothing'}")
        for i in range(int(s["links"])):
            what, p, k, target, negated = (int(number) for number in s["link"][i])
            name = link_name(what, target) or self.kinds[k]
            lines.append(f"on the chain: {name} of player_{p}{', negated' if negated else ''}")
        return lines

    def text(self, state: Any, player: int | None = None) -> str:
        """The position; for None also the order of the decks."""
        s, lines = state, self.status_lines(state, player)
        if player is None:
            for p in range(S.PLAYERS):
                deck = [self.kinds[int(k)] for k in s["deck"][p][: int(s["deck_size"][p])][::-1]]
                lines.append(f"deck of player_{p} from the top: {', '.join(deck) or 'nothing'}")
        for p in range(S.PLAYERS):
            if self.t["open_decklists"] or player in (None, p):
                lines.append(f"player_{p} plays the deck {self.lists[int(s['list'][p])]}")
        if not s["over"]:
            card = self.kinds[int(s["pending"])] if s["pending"] >= 0 else ""
            lines.append(f"player_{int(s['to_play'])}: {QUESTIONS[int(s['decision'])].format(card)}")
        return "\n".join(lines)

    def action_text(self, state: Any, action: int) -> str:
        """What the action means in this state."""
        s, p, name = state, int(state["to_play"]), self.names[action]
        decision = int(s["decision"])
        if action < A.A_PASS:
            if action >= len(self.kinds):
                return name
            trap = int(self.t["sort"][action]) == S.TRAP
            words = {S.D_MULLIGAN: "return", S.D_DISCARD: "discard"}
            word = words.get(decision, "set" if trap and decision != S.D_ANSWER else "play")
            return f"{word} {name}"
        if action == A.A_PASS:
            if decision == S.D_TACTIC:
                return "to the Battle Phase" if s["phase"] == S.P_TACTIC_1 else "end the turn"
            words = {
                S.D_MULLIGAN: "return no more",
                S.D_BATTLE: "no attack",
                S.D_ANSWER: "no answer",
                S.D_REFILL: "nobody",
            }
            return words.get(decision, name)
        zone = -1
        if A.A_TURN <= action < A.A_MOVE:
            zone = action - A.A_TURN
        elif A.A_MOVE <= action < A.A_BACK:
            zone = action - A.A_MOVE + 1
        elif action >= A.A_TARGET:
            zone = action - A.A_TARGET
        if zone >= 0 and s["kind"][p][zone] >= 0:
            way = S.POSITION_NAMES[1 - int(s["position"][p][zone])] if A.A_TURN <= action < A.A_MOVE else ""
            return f"{name} ({self.kinds[int(s['kind'][p][zone])]})" + (f" to {way} position" if way else "")
        return name
