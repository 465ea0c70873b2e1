"""A game of React Fast as text: log lines, status lines, and what an action means."""

from __future__ import annotations

from typing import Any

from react_env.engine.plain import EventLog
from react_env.games.react_fast import log as L
from react_env.games.react_fast import state as S
from react_env.games.react_fast.actions import actions_of

QUESTIONS = {
    S.D_ACTIVATE: "activate a traveling card, or not",
    S.D_SKIP: "play the turn, or skip it",
    S.D_STANCE: "how to stand",
    S.D_SLAP: "hold or slap",
    S.D_PACE: "how fast to go on",
}


def card_name(card: int) -> str:
    """ "10 of Gems"; a traveling card by its name."""
    if card >= S.PLAYING:
        return S.TRAVELING_NAMES[card - S.PLAYING]
    return f"{S.RANK_NAMES[card % S.RANKS]} of {S.SUITS[card // S.RANKS]}"


def chances_words(left: int) -> str:
    """How many chances are left to answer a chance card."""
    return "no chance left" if left == 0 else "1 chance" if left == 1 else f"{left} chances"


def cards_words(count: int) -> str:
    """A number of cards in words."""
    return "1 card" if count == 1 else f"{count} cards"


def own_notes(state: Any, p: int, stances: bool) -> list[str]:
    """What only the player knows of its hand: its stance in a window, that it slaps, and whether a slap is on its way."""
    if state["over"]:
        return []
    stands = [S.STANCES[int(state["stance"][p])]] if stances and state["stage"] == S.ST_WINDOW else []
    if state["decision"] == S.D_PACE and state["commit"][p] == S.SLAP:
        stands.append("slaps")
    return stands + (["a slap is on its way"] if state["carry"][p] >= 0 else [])


def in_force(state: Any, you: int | None = None) -> list[str]:
    """The effects of traveling cards in force; player `you` is called "you"."""
    on = [words for words, field in (("one extra chance", "extra"), ("suits count", "suits")) if state[field]]
    return on + ([_of("free slap", int(state["free"]), you)] if state["free"] >= 0 else [])


def pile_notes(state: Any, you: int | None = None) -> list[str]:
    """Notes on the pile besides its cards: pending chances, and effects in force."""
    notes, whose, placer = [], int(state["whose"]), int(state["chance"])
    if placer >= 0:
        # Until the turn passes on, it still belongs to the player who placed the chance card.
        whom = "" if whose == placer else " for you" if whose == you else f" for player_{whose}"
        notes.append(f"{_of('chance card', placer, you)}: {chances_words(int(state['remaining']))}{whom}")
    return notes + in_force(state, you)


def _of(thing: str, p: int, you: int | None) -> str:
    return f"your {thing}" if p == you else f"{thing} of player_{p}"


class View(EventLog):
    """The texts of a game's states, with what an observation remembers (`memory`), and with stances if the mode has them."""

    def __init__(self, players: int, memory: int, memory_length: int, stances: bool) -> None:
        self.players = players
        self.stances = stances
        self.names = actions_of(players).names
        self.memory, self.memory_length = memory, memory_length

    def _event(self, kind: int, p: int, card: int, number: int) -> str:
        who = f"player_{p}"
        cards = "a card" if number == 1 else f"{number} cards" if number else "nothing"
        playing = card_name(card - 1) if card and kind in (L.E_PLACE, L.E_SLAP_PILE, L.E_HEAP, L.E_TAKE) else ""
        traveling = S.TRAVELING_NAMES[card - 1] if card and not playing else ""
        return {
            L.E_PLACE: f"{who} places {playing}" + (" on a folded card" if number == 2 else ""),
            L.E_REVEAL: f"{who} turns up {traveling}",
            L.E_ACTIVATE: f"{who} activates {traveling}" + (f" on player_{number - 1}" if number else ""),
            L.E_SKIP: f"{who} skips the turn",
            L.E_SLAP_PILE: f"{who} slaps the pile at {playing}",
            L.E_SLAP_TRAVELING: f"{who} slaps for {traveling}",
            L.E_PENALTY: f"{who}'s hand lands in vain and costs {cards}",  # a choice or a slip: nobody else can tell
            L.E_ROUND: f"{who} takes the pile of {cards}",
            L.E_OUT: f"{who} is out",
            L.E_HEAP: f"the opponents of {who} give {cards}, {playing} on top",
            L.E_TAKE: f"{who} takes {playing or 'the top card'} from the pile",
            L.E_SUIT_WIN: f"{who} has used traveling cards of all suits",
            L.E_WIN: f"{who} wins" if p >= 0 else "the game is a draw",
            L.E_CUT: "the game is cut short",
        }[kind]

    def status_lines(self, state: Any, player: int | None = None) -> list[str]:
        """The position in a few short lines. `player` sees only its own speed, None sees all."""
        s = state
        face = card_name(int(s["face"])) if s["face"] >= 0 else "nothing"
        on = f" on {card_name(int(s['before']))}" if s["face"] >= 0 and s["before"] >= 0 else ""
        lines = [f"pile: {cards_words(int(s['pile_size']))}, live: {face}{on}"]
        if s["chance"] >= 0:
            whose, placer, many = int(s["whose"]), int(s["chance"]), chances_words(int(s["remaining"]))
            # Until the turn passes on, it still belongs to the player who placed the chance card.
            waits = f"the chance card of player_{placer}: {many}"
            lines.append(f"player_{whose} has {many} against player_{placer}" if whose != placer else waits)
        if s["actor"] != s["whose"] and not s["over"]:
            lines.append(f"player_{int(s['actor'])} plays the turn of player_{int(s['whose'])}")
        force = in_force(s)
        lines += [f"in force: {', '.join(force)}"] if force else []
        travelers = list(zip(S.TRAVELING_NAMES, s["owner"].tolist(), s["used"].tolist(), strict=True))
        for p in range(self.players):
            if not s["alive"][p]:
                lines.append(f"player_{p}: out")
                continue
            cards = [f"{name} ({'used' if used else 'unused'})" for name, owner, used in travelers if owner == p]
            words = [f"player_{p}: {cards_words(int(s['size'][p]))}", *cards]
            words += ["plays two cards at a time"] if s["folds"][p] else []
            words += ["may skip chances"] if s["skipper"][p] else []
            words += ["no slap this round"] if s["locked"][p] else []
            if player in (None, p):
                words += own_notes(s, p, self.stances)
            words += [f"speed {1 / float(s['scale'][p]):.2f}"] if player in (None, p) else []
            lines.append(", ".join(words))
        return lines

    def text(self, state: Any, player: int | None = None) -> str:
        """The position, with the cards of the decks that the player remembers; for None all cards."""
        s, lines = state, self.status_lines(state, player)
        for p in range(self.players):
            deck, head = s["deck"][p].tolist(), int(s["head"][p])
            codes = [deck[(head + i) % S.CARDS] for i in range(int(s["size"][p]))]
            shown = [
                card_name(code & S.CARD_BITS) if player is None or self.remembers(s, code) else "?" for code in codes
            ]
            if any(name != "?" for name in shown):
                lines.append(f"deck of player_{p} from the top: {', '.join(shown)}")
        if not s["over"]:
            lines.append(f"player_{int(s['to_play'])}: {QUESTIONS[int(s['decision'])]}")
        return "\n".join(lines)

    def remembers(self, s: Any, code: int) -> bool:
        """Whether everybody knows the place of a card, as far as memory reaches."""
        if not code & S.KNOWN or not self.memory:
            return False
        return self.memory == 2 or int(s["placed"]) - int(s["seen"][code & S.CARD_BITS]) <= self.memory_length

    def action_text(self, state: Any, action: int) -> str:
        """What the action means; it is the same in every state."""
        return self.names[action]
