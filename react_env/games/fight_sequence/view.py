"""A game of Fight Sequence as text: log lines, status lines, and what an action means (docs/fight_sequence/decisions.md)."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from numpy.typing import NDArray

from react_env.engine.plain import EventLog, Reader
from react_env.games.fight_sequence import actions as A
from react_env.games.fight_sequence import log as L
from react_env.games.fight_sequence import state as S
from react_env.games.fight_sequence.deck_files import DeckFile

TYPES = ("physical", "magical")
TOKENS = ("Armor", "Resistance")
PHASES = {S.PH_BEGIN: "cleanup", S.PH_BUILD: "building", S.PH_RESOLVE: "resolving", S.PH_CLEANUP: "cleanup"}
QUESTIONS = {
    S.D_BUILD: "build an Action or pass",
    S.D_SHIFT: "shift which Action",
    S.D_RETURN: "return which Action",
    S.D_WILLPOWER: "discard a card for its Willpower, or take the damage",
    S.D_PUT_BACK: "put a card on the deck",
}

plain = Reader(name for name in S.STATE.names or () if name not in ("rng", "event"))


class View(EventLog):
    """The texts of a game's states, for one pair of decks."""

    def __init__(self, decks: tuple[DeckFile, DeckFile], tables: NDArray[Any]) -> None:
        self.decks = decks
        self.t = tables[0]
        self.names = [[card.name for card in deck.cards] for deck in decks]
        self.responses = [[card.response_text() for card in deck.cards] for deck in decks]

    # -- names ----------------------------------------------------------------------------------------------------------------

    def action(self, p: int, card: int, mode: int) -> str:
        """An Action in words: its card, and the effect of a response."""
        name = self.names[p][card]
        return name if mode == S.ATTACK else f"{name} ({self.responses[p][card]})"

    def _list(self, p: int, counts: list[int]) -> str:
        return ", ".join(
            name + (f" x{n}" if n > 1 else "") for name, n in zip(self.names[p], counts, strict=False) if n
        )

    # -- log ------------------------------------------------------------------------------------------------------------------

    def event_rows(self, state: Any, since: int = 0) -> list[list[int]]:
        """As `EventLog.event_rows`, with kind and player of an event as separate numbers."""
        return [[*divmod(both, S.PLAYERS), *rest] for both, *rest in super().event_rows(state, since)]

    def _event(self, kind: int, p: int, card: int, mode: int, number: int, more: int) -> str:
        who = f"player_{p}"
        if kind == L.E_MILL:
            return f"{who} discards {', '.join(self.names[p][c - 1] for c in (card, mode, number, more) if c)}"
        action = self.action(p, card - 1, mode - 1) if card else ""
        kind_of = TYPES[mode - 1] if mode else ""
        if kind == L.E_SEQUENCE:
            return f"Sequence {more * 100 + number}: {who} begins"
        if kind == L.E_DRAW:
            if number == 0:
                return f"{who} cannot draw, the deck is empty"
            return f"{who} draws {'a card' if number == 1 else f'{number} cards'}"
        if kind == L.E_SHIFT:
            return f"{action} moves from slot {more} to slot {number}"
        if kind == L.E_TOKEN:
            return f"{who} has {TOKENS[mode - 1]} {number}"
        if kind == L.E_FROM_HAND:
            return f"{who} discards {self.names[p][card - 1]} for its Willpower"
        if kind == L.E_DAMAGE:
            return f"{who} takes {number or 'no'} {kind_of} damage" + (f", {more} stopped" if more else "")
        if kind == L.E_IGNORE:
            return f"{who} ignores {number} {kind_of} damage"
        if kind == L.E_BURY:
            return f"{who} discards {'a card' if number == 1 else f'{number} cards'} face down"
        return {
            L.E_ATTACK: f"{who} attacks with {action}",
            L.E_RESPOND: f"{who} responds with {action}",
            L.E_RESOLVE: f"{action} of {who} resolves",
            L.E_RETURN: f"{action} returns from slot {number} to the hand of {who}",
            L.E_NO_TARGET: f"{action} finds no target",
            L.E_BONUS: f"{action} gets +{number} Power",
            L.E_BLOCKED: f"{action} of {who} is blocked",
            L.E_PASS: f"{who} passes",
            L.E_INITIATIVE: f"{who} takes the initiative",
            L.E_DECLINE: f"{who} declines",
            L.E_NO_TOKEN: f"{who} gets no token",
            L.E_NOTHING_BLOCKED: "nothing is blocked",
            L.E_WILLPOWER: f"{who} will ignore the next damage",
            L.E_PUT_BACK: f"{who} puts a card on the deck",
            L.E_WIN: f"{who} wins",
            L.E_TIE: "the game is a draw",
            L.E_CUT: "the game is cut short",
        }[kind]

    def log_lines(self, state: Any, since: int = 0) -> list[str]:
        """As `EventLog.log_lines`; the last line of a game says why it has ended."""
        lines = super().log_lines(state, since)
        if state["over"] and lines:
            lines[-1] += self._why(self.event_rows(state))
        return lines

    def _why(self, rows: list[list[int]]) -> str:
        """Why the game has ended, by its last events."""
        kind, winner = rows[-1][:2]
        if kind == L.E_CUT:
            return f" after {int(self.t['max_sequences'])} sequences, the limit"
        # Damage of 1 or more that discards nothing has met an empty deck, and ends the game (FS-W1).
        struck = {
            p
            for (what, p, _, _, number, _), then in zip(rows, rows[1:], strict=False)
            if what == L.E_DAMAGE and number and then[:2] not in ([L.E_MILL, p], [L.E_BURY, p])
        }
        if not struck:  # with an option, the player with the initiative loses
            return ": nobody has a card left" + (f", and player_{1 - winner} has the initiative" * (kind == L.E_WIN))
        if len(struck) == S.PLAYERS:  # with an option, the builder of the Action loses
            return ": both took damage with an empty deck" + (
                f", by an Action of player_{1 - winner}" * (kind == L.E_WIN)
            )
        return f": player_{1 - winner} took damage with an empty deck"

    # -- position -------------------------------------------------------------------------------------------------------------

    def status_lines(self, state: Any, player: int | None = None) -> list[str]:
        """The position in lines, with the hand and the cards put back of `player`, or of both players for None."""
        s = plain(state)
        players = (f"player_{q}: {'; '.join(self.player(s, q, player in (None, q)))}" for q in range(S.PLAYERS))
        return [self.head(s), *players, *(self._slot_line(s, i) for i in range(s.slots)), *self.danger(s, player)]

    def head(self, state: Any) -> str:
        """The sequence and phase, who has the initiative, and the Speed to beat."""
        s = plain(state)
        head = f"Sequence {s.sequence}, {PHASES[s.phase]}"
        if s.initiative >= 0:
            head += f", initiative player_{s.initiative}"
        if s.phase == S.PH_BUILD and (speed := self._speed(s)):
            head += f", Speed {speed} or more"
        return head

    def danger(self, state: Any, player: int | None) -> list[str]:
        """The damage that a player asked for a Willpower would take, if `player` may know it."""
        s = plain(state)
        if s.over or s.decision != S.D_WILLPOWER or player not in (None, s.to_play):
            return []
        return [f"player_{s.to_play} would take {s.pending[s.to_play]} {TYPES[s.damage_type]} damage"]

    def _speed(self, s: SimpleNamespace) -> int:
        if self.t["speed_reference_last_built"]:
            return int(s.speed) * 10
        if s.slots == 0 or s.slot_mode[s.slots - 1] == S.RESPONSE:
            return 0
        return int(self.t["speed"][s.slot_owner[s.slots - 1], s.slot_card[s.slots - 1]]) * 10

    def player(self, state: Any, q: int, shown: bool) -> list[str]:
        """What is known of player `q`, in parts, with the hand itself if `shown`."""
        s = plain(state)
        names = self.names[q]
        held, loose = self.known(s, q)
        text = f"hand {s.hand_size[q]}"
        if shown and s.hand_size[q]:
            text += f": {self._list(q, s.hand[q])}"
        elif not shown and any(held):
            text += f" with {self._list(q, held)}"
        parts = [text]
        size, back = s.deck_size[q], s.undrawn[q]
        text = f"deck {size}"
        if back and shown:
            text += f" (on top {', '.join(names[card] for card in s.deck[q][size - back : size][::-1])})"
        elif back:
            text += f" ({back} put back)"
        parts.append(text)
        if not shown and any(loose):
            parts.append(f"hand or put back {self._list(q, loose)}")
        parts.append(self.discarded(s, q))
        if s.buried_size[q]:
            parts.append(f"face down {s.buried_size[q]}")
        parts += [f"{name} {s.token[q][kind]}" for kind, name in enumerate(TOKENS) if s.token[q][kind]]
        return parts + ([f"Willpower {s.ward[q]}"] if s.ward[q] else [])

    def known(self, state: Any, q: int) -> tuple[list[int], list[int]]:
        """What both players know of player `q`, by card: copies in hand, and copies in hand or among the cards put back."""
        s = plain(state)
        return [n % S.LOOSE for n in s.known[q]], [n // S.LOOSE for n in s.known[q]]

    def discarded(self, state: Any, q: int) -> str:
        """The discard pile of player `q`, as a part of `player`."""
        s = plain(state)
        count = sum(s.discard[q])
        return f"discard {count}" + (f": {self._list(q, s.discard[q])}" if count else "")

    def _slot_line(self, s: SimpleNamespace, i: int) -> str:
        p, card, mode = s.slot_owner[i], s.slot_card[i], s.slot_mode[i]
        if mode == S.ATTACK:
            about = self.decks[p].cards[card]
            text = f"{i + 1}. player_{p} attacks: {about.name} (Speed {about.speed}, Power {about.power}, {about.type})"
        else:
            text = f"{i + 1}. player_{p} responds: {self.action(p, card, mode)}"
        return text + (" - resolves" if s.phase == S.PH_RESOLVE and i == s.current else "")

    def text(self, state: Any, player: int | None = None) -> str:
        """The position as a player sees it; None: everything, including the decks."""
        return "\n".join(
            [*self.status_lines(state, player), *self.decks_lines(state, player), *self.question(state, player)]
        )

    def decks_lines(self, state: Any, player: int | None) -> list[str]:
        """Both decks, only for a viewer who sees everything."""
        s = plain(state)
        decks = [[self.names[q][card] for card in s.deck[q][: s.deck_size[q]][::-1]] for q in range(S.PLAYERS)]
        lines = [f"player_{q}'s deck from the top: {', '.join(deck) or 'empty'}" for q, deck in enumerate(decks)]
        return lines if player is None else []

    def question(self, state: Any, player: int | None) -> list[str]:
        """Who has to decide what, or how the game has ended."""
        s = plain(state)
        if s.over:
            return self.log_lines(state)[-1:]
        return [f"player_{s.to_play} to move" + (f": {QUESTIONS[s.decision]}" if player in (None, s.to_play) else "")]

    def action_text(self, state: Any, action: int) -> str:
        """What the action means in this state."""
        s = plain(state)
        p, a = s.to_play, int(action)
        own = self.names[p]
        if a in (A.A_PASS, A.A_DECLINE):
            if a == A.A_DECLINE and s.decision == S.D_WILLPOWER:
                return f"take {s.pending[p]} {TYPES[s.damage_type]} damage"
            return A.ACTIONS.names[a]
        for first, last in ((A.A_ATTACK, A.A_RESPOND), (A.A_RESPOND, A.A_CARD), (A.A_CARD, A.A_LEFT)):
            if first <= a < last and a - first >= len(own):
                return A.ACTIONS.names[a]
        if a < A.A_RESPOND:
            return f"attack with {self._attack_text(p, a - A.A_ATTACK)}"
        if a < A.A_CARD:
            return f"respond with {self.action(p, a - A.A_RESPOND, S.RESPONSE)}"
        if a < A.A_LEFT:
            word = "discard {} for its Willpower" if s.decision == S.D_WILLPOWER else "put {} on the deck"
            return word.format(own[a - A.A_CARD])
        first, word = next((first, word) for first, word in _TARGETS if a >= first)
        slot = a - first
        if slot >= s.slots:
            return A.ACTIONS.names[a]
        name = self.action(s.slot_owner[slot], s.slot_card[slot], s.slot_mode[slot])
        return word.format(f"{name} in slot {slot + 1}")

    def _attack_text(self, p: int, card: int) -> str:
        about = self.decks[p].cards[card]
        text = f"{about.name} (Speed {about.speed}, {about.power} {about.type}"
        if about.effect is not None:
            timing = ("timed", "immediate")[self.t["effect"][p, S.ATTACK, card, 1]]  # which an option may have changed
            text += f", {timing}: {about.effect.text()}"
        return text + ")"


_TARGETS = ((A.A_RETURN, "return {}"), (A.A_RIGHT, "shift {} to the right"), (A.A_LEFT, "shift {} to the left"))
