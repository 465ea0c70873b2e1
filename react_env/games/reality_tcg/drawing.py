"""Reality TCG as a picture: both fields face each other, the Active Zones in the middle, with Energy, IP, Traps and Lands."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from react_env.games.reality_tcg import actions as A
from react_env.games.reality_tcg import state as S
from react_env.games.reality_tcg.view import QUESTIONS, View, counted, link_name
from react_env.svg import LETTER, NOTES, PLAYERS, SMALL, WIDTH, Pen, Svg, wrapped

if TYPE_CHECKING:
    from react_env.games.reality_tcg.game import RealityTCG

BOX, BOX_HIGH = 126, 69  # height of a Character with a name of one line
LINE = 15  # units from one line to the next
EMPTY = 30  # height of a Back Row without Characters
TRAP = 23  # of a Trap, with the space below it
CHIP, CHIP_HIGH, CHIPS = 126, 28, 3  # a card in hand


def draw(
    game: RealityTCG,
    state: Any,
    player: int | None = None,
    choices: Mapping[int, str] | None = None,
    style: bool = True,
) -> Svg:
    """The position as `player` sees it (None: everything), that player below; see `Game.svg`."""
    s = {name: state[name].tolist() for name in state.dtype.names if name not in ("rng", "event")}
    return _Drawing(game, state, s, player, Pen(choices)).finish(style)


def worth_showing(state: Any) -> bool:
    """Whether a position makes a good picture: a chain between full fields."""
    return bool(int(state["links"]) > 0 and int((state["kind"] >= 0).sum()) >= 5)


class _Drawing:
    """A position being drawn from top to bottom."""

    def __init__(self, game: RealityTCG, state: Any, s: dict[str, Any], player: int | None, pen: Pen) -> None:
        self.view: View = game.rules.view  # type: ignore[assignment]
        self.cards: Any = game.set.cards
        self.state, self.s, self.player, self.pen = state, s, player, pen

    def finish(self, style: bool) -> Svg:
        s, pen, own = self.s, self.pen, self.player or 0
        head = f"Turn {s['turn']} of player_{s['whose']}" if s["turn"] else "Before the first turn"
        card = self.view.kinds[s["pending"]] if s["pending"] >= 0 else ""
        question = f"player_{s['to_play']}: {QUESTIONS.get(s['decision'], '').format(card)}"
        if s["over"]:
            question = "".join(self.view.log_lines(self.state)[-1:])
        pen.text(8, 16, head, style="ink b", room=170)
        pen.text(WIDTH - 8, 16, S.PHASE_NAMES[s["phase"]], style="dim", at="end", room=200)
        pen.text(8, 33, question, room=384)
        y = self._player(1 - own, 39)
        y = self._row(1 - own, y + 5, back=True)
        y = self._row(1 - own, y + 4, back=False)
        y = self._chain(y + 4)
        y = self._row(own, y + 4, back=False)
        y = self._row(own, y + 4, back=True)
        y = self._player(own, y + 5)
        return pen.finish(y + 6, f"{head}. {question}", style)

    def _player(self, q: int, y: float) -> float:
        """Draw a player's IP, Energy, piles and hand; returns where they end."""
        s, pen, style = self.s, self.pen, PLAYERS[q]
        shown = self.player in (None, q)
        hand = [k for k in range(len(self.view.kinds)) if shown and s["hand"][q][k]]
        notes = "; ".join(self._notes(q))
        lines = min(NOTES, len(wrapped(notes, 376, SMALL)))
        rows = -(-len(hand) // CHIPS)
        high = 44 + LINE * lines + (CHIP_HIGH + 3) * rows
        pen.rect(4, y, WIDTH - 8, high, f"{style}bg", 6)
        pen.sign(16, y + 13, q, 8, "")
        pen.text(30, y + 18, f"player_{q}", style=f"{style} b")
        pen.text(112, y + 18, f"{s['ip'][q]} IP", 15, "ink b")
        pen.text(WIDTH - 12, y + 18, f"hand {s['hand_size'][q]} · deck {s['deck_size'][q]}", at="end")
        pen.text(12, y + 37, f"Energy {s['ready'][q]} of {s['energy'][q]}", room=100)
        between = min(13.0, (90 if s["locked"][q] else 260) / max(1, s["energy"][q]))
        for number in range(s["energy"][q]):
            pen.circle(122 + between * number, y + 32, 5, style if number < s["ready"][q] else f"{style}-line")
        if s["locked"][q]:
            pen.text(WIDTH - 12, y + 37, "no new Active Character yet", SMALL, "ink i", at="end", room=170)
        pen.paragraph(12, y + 53, notes, 376, SMALL, "dim", NOTES)
        for number, k in enumerate(hand):
            x, below = 8 + (CHIP + 3) * (number % CHIPS), rows - number // CHIPS
            many = f" ×{s['hand'][q][k]}" if s["hand"][q][k] > 1 else ""
            actions = [A.A_CARD + k] if q == s["to_play"] else []
            name = self.view.kinds[k]
            box = (x, y + high - below * (CHIP_HIGH + 3), CHIP, CHIP_HIGH)
            pen.card(box, name, f"{style}-line", actions, words=f"{name}{many} · {self.cards[k].cost}")
        return y + high

    def _notes(self, q: int) -> list[str]:
        """Purgatory, the cards out of the game, and the deck list, as far as the viewer sees them."""
        s, view, found = self.s, self.view, []
        gone = [k for k in range(len(view.kinds)) for _ in range(s["gone"][q][k])]
        for title, leave in (("Purgatory", False), ("out of the game", True)):
            if there := [view.kinds[k] for k in gone if view._leaves(k) == leave]:
                seen = self.player in (None, q) or leave or view.t["open_purgatory"]
                found.append(f"{title}: {counted(there) if seen else len(there)}")
        if view.t["open_decklists"] or self.player in (None, q):
            found.append(f"plays the deck {view.lists[s['list'][q]]}")
        return found

    # -- the field --------------------------------------------------------------------------------------------------------------

    def _row(self, q: int, y: float, back: bool) -> float:
        """Draw the Back Row, or the Active Zone between Traps and Land; returns where it ends."""
        zones = [S.BACK + place for place in range(3)] if back else [S.ACTIVE]
        there = [self._name(q, z) for z in zones if self.s["kind"][q][z] >= 0]
        high = BOX_HIGH + LINE * (max(map(len, there), default=1) - 1) if there or not back else EMPTY
        for place in range(3):
            x = 6 + place * (BOX + 5)
            if back:
                self._character(q, S.BACK + place, (x, y, BOX, high))
            elif place == 1:
                self._character(q, S.ACTIVE, (x, y, BOX, high))
            elif place == 0:
                self._traps(q, x, y)
            else:
                self._land(q, x, y)
        return y + high

    def _name(self, q: int, z: int) -> list[str]:
        """The name of a Character, in lines; bold is 1.13 times as wide."""
        return wrapped(self.cards[self.s["kind"][q][z]].name, BOX - 29, LETTER * 1.13)

    def _character(self, q: int, z: int, box: tuple[float, float, float, float]) -> None:
        x, y, _, high = box
        s, pen, style = self.s, self.pen, PLAYERS[q]
        k, active = s["kind"][q][z], z == S.ACTIVE
        actions = []
        if q == s["to_play"]:
            actions = [A.A_TARGET + z, A.A_TURN + z] + ([A.A_ATTACK, A.A_BACK] if active else [A.A_MOVE + z - 1])
            if k < 0:
                actions += [A.A_PLACE, A.A_PLACE + 1] if active else [A.A_PLACE + 2, A.A_PLACE + 3]
        with pen.spot(box, actions, card=self.view.kinds[k] if k >= 0 else ""):
            pen.rect(*box, "field" if k < 0 else f"{style}bg", 3 if q else 9)
            pen.rect(*box, f"{style}-line" if active else "edge-line", 3 if q else 9)
            if k < 0:
                pen.text(x + BOX / 2, y + high / 2 + 4.5, A.ZONE_NAMES[z], SMALL, "dim i", at="middle")
                return
            card = self.cards[k]
            defends = s["position"][q][z] == S.DEFENSE
            pen.sign(x + 13, y + 14, q, 9, "D" if defends else "A", hollow=defends)
            lines = self._name(q, z)
            for number, line in enumerate(lines):
                pen.text(x + 26, y + 18 + LINE * number, line, style="ink b", room=BOX - 29)
            y += 20 + LINE * (len(lines) - 1)
            pen.text(x + 7, y + 14, f"ATK {self.view.attack(self.state, q, z)}", style="ink b", room=58)
            pen.text(x + BOX - 6, y + 14, f"DEF {s['df'][q][z]}/{card.def_}", at="end", room=55)
            pen.text(x + 7, y + 29, f"HP {s['hp'][q][z]}/{card.hp}", room=56)
            pen.text(x + BOX - 6, y + 29, f"SPD {card.spd}", at="end", room=56)
            new = ", new" if s["entered"][q][z] == s["turn"] else ""
            pen.text(x + 7, y + 44, f"{S.POSITION_NAMES[s['position'][q][z]]}{new}", SMALL, "dim i", room=BOX - 12)

    def _traps(self, q: int, x: float, y: float) -> None:
        s, pen = self.s, self.pen
        shown = self.player in (None, q)
        for number, k in enumerate(s["trap"][q]):
            box = (x, y + TRAP * number, BOX, TRAP - 2.0)
            if k < 0:
                pen.rect(*box, "edge-line")
                pen.text(x + BOX / 2, y + TRAP * number + 15, "Trap", SMALL, "dim i", at="middle")
            elif shown:
                actions = [A.A_CARD + k] if q == s["to_play"] and s["decision"] == S.D_ANSWER else []
                pen.card(box, self.view.kinds[k], f"{PLAYERS[q]}-line", actions, ground=f"{PLAYERS[q]}bg")
            else:
                pen.rect(*box, f"{PLAYERS[q]}bg")
                pen.rect(*box, f"{PLAYERS[q]}-line")
                pen.text(x + BOX / 2, y + TRAP * number + 15, "a set Trap", SMALL, "ink i", at="middle")

    def _land(self, q: int, x: float, y: float) -> None:
        k = self.s["land"][q]
        box = (x, y, BOX, 34.0)
        if k >= 0:
            self.pen.card(box, self.view.kinds[k], f"{PLAYERS[q]}-line", words=f"Land: {self.view.kinds[k]}")
        else:
            self.pen.rect(*box, "edge-line")
            self.pen.text(x + BOX / 2, y + 21, "Land", SMALL, "dim i", at="middle")

    def _chain(self, y: float) -> float:
        """Draw the chain, the last link first; returns where it ends."""
        s, pen = self.s, self.pen
        links = s["link"][: s["links"]]
        pen.line([(6, y + 1), (WIDTH - 6, y + 1)], "edge-line")
        if not links:
            return y + 3
        y += 3
        pen.text(8, y + 14, "chain, top first:", SMALL, "dim", room=150)
        if hidden := max(0, len(links) - 3):
            pen.text(WIDTH - 8, y + 14, f"{hidden} more below", SMALL, "dim", at="end")
        x: float = 6
        for number in range(len(links) - 1, hidden - 1, -1):
            what, p, k, target, negated = links[number]
            name = self.view.kinds[k] if what == S.C_CARD else ""
            words = f"{name or link_name(what, target)}{', negated' if negated else ''}"
            box = (x, y + 19, float(BOX), 26.0)
            pen.card(box, name, f"{PLAYERS[p]}-line", words=f"{number + 1} {words}", ground=f"{PLAYERS[p]}bg")
            x += BOX + 5
        return y + 48
