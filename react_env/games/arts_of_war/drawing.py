"""Re;ACT as a picture: both players, the board as player 0 sees it, the chain beside it, and the masterpiece below.

Player 0's things are round, player 1's have corners. A number in a zone says which card of the chain has locked it, or the unit there.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import takewhile
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from react_env.games.arts_of_war import actions as A
from react_env.games.arts_of_war import state as S
from react_env.games.arts_of_war.view import View, plain
from react_env.svg import NOTES, PLAYERS, SMALL, SMALLEST, WIDTH, Pen, Svg, wrapped

if TYPE_CHECKING:
    from react_env.engine.game import Game

ZONE = 56  # units across
LEFT = 5  # of the board
SIDE = 290  # where the chain begins
LINE = 15  # units from one line to the next
CHIP, CHIP_HIGH, CHIPS = 126, 27, 3  # a card: its width and height, and how many lie in a row


def draw(
    game: Game, state: Any, player: int | None = None, choices: Mapping[int, str] | None = None, style: bool = True
) -> Svg:
    """The position as `player` sees it (None: everything); see `Game.svg`."""
    view: View = game.rules.view.of(state)  # type: ignore[attr-defined]
    s, pen = plain(state), Pen(choices)
    way_of = _way_of(view, game.tables[s.table]["code"], s) if pen.choices and s.decision == S.D_DIRECTION else -1
    return _Drawing(view, s, player, pen, way_of).finish(style)


def worth_showing(state: Any) -> bool:
    """Whether a position shows what the game is about: three or more cards on the chain, two or more in the masterpiece row."""
    return bool(int(state["chain_size"]) >= 3 and int((state["row"] >= 0).sum()) >= 2 and not state["frames"])


def _way_of(view: View, code: Any, s: SimpleNamespace) -> int:
    """The zone of the unit or tile that a direction is asked for, or -1 if it is not named yet."""
    frame = s.frame[s.frames - 1]
    rows = [frame.pc]
    if frame.kind == S.F_COST:  # then in the effect of the card that was played last
        rows.append(view.t.effect_body[s.chain[s.chain_size - 1].effect])
    for first in rows:
        for row in takewhile(lambda row: row[0] != S.OP_END, code[first:].tolist()):
            op, a, b, c = row[:4]
            if op in (S.OP_MOVE, S.OP_LEAP) and b == S.W_REG:
                return int(s.unit_zone[frame.regs[a]]) if frame.regs[a] >= 0 else -1
            if op == S.OP_PLACE_TILE and c:
                place = frame.regs[b]
                return int(place if b >= S.R_ZONE else s.unit_zone[place] if place >= 0 else -1)
    return -1


class _Drawing:
    """One position, drawn from top to bottom."""

    def __init__(self, view: View, s: SimpleNamespace, player: int | None, pen: Pen, way_of: int) -> None:
        self.view, self.s, self.player, self.pen, self.way_of = view, s, player, pen, way_of

    def finish(self, style: bool) -> Svg:
        head = f"Turn {self.s.turn} of player_{self.s.turn_player}"
        self.pen.text(8, 16, head, style="ink b", room=384)
        question = "".join(self.view.question(self.s, self.player))
        self.pen.text(8, 33, question.replace(" to move", ""), room=384)
        y = self._player(1, 39)
        top = y + 5
        bottom = self._board(top)
        self._chain(top)
        bottom = self._directions(max(bottom, top + 5 * ZONE))
        bottom = self._masterpiece(bottom)
        y = self._player(0, bottom + 4)
        words = f"{head}. {question}. {self.view.player_name(0)} against {self.view.player_name(1)}"
        return self.pen.finish(y + 6, words, style)

    # -- players ----------------------------------------------------------------------------------------------------------------

    def _player(self, q: int, y: float) -> float:
        """Draw what is known of a player and the cards that can be seen; return the next free line."""
        pen, s, view = self.pen, self.s, self.view
        shown = self.player in (None, q)
        cards = [
            c for c in range(S.CARDS) if c in view._cards[q] and (c >= S.ACTIONS_CARDS or (shown and s.hand[q][c]))
        ]
        rows = -(-len(cards) // CHIPS)
        parts = {part.kind: part.text for part in view.player(s, q, False) if part.kind != "counter"}
        counters = [part.text for part in view.player(s, q, False) if part.kind == "counter"]
        harm, _, form = parts["state"].partition(", ")
        facts = [parts[kind] for kind in ("hand", "deck") if kind in parts] + counters + [form] * bool(form)
        notes = [
            text
            for text in (
                parts.get("discard", "") if ":" in parts.get("discard", "") else "",
                f"hand and deck hold {parts['hidden']}" if "hidden" in parts and not shown else "",
            )
            if text
        ]
        lines = min(NOTES, len(wrapped("; ".join(notes), 376, SMALL)))
        high = 40 + LINE * lines + (CHIP_HIGH + 3) * rows
        pen.rect(4, y, WIDTH - 8, high, f"{PLAYERS[q]}bg", 6)
        self.pen.sign(16, y + 12, q, 8, "")
        pen.text(30, y + 17, view.player_name(q), style=f"{PLAYERS[q]} b", room=205)
        self._damage(q, y + 11, harm)
        pen.text(12, y + 34, " · ".join(facts), room=376)
        pen.paragraph(12, y + 49, "; ".join(notes), 376, SMALL, "dim", NOTES)
        for number, c in enumerate(cards):
            across, down = number % CHIPS, number // CHIPS
            self._card(q, c, 8 + across * (CHIP + 3), y + high - (rows - down) * (CHIP_HIGH + 3))
        return y + high

    def _damage(self, q: int, y: float, words: str) -> None:
        """Draw three lives, one crossed out for each damage, or say that the artist takes none."""
        if words.startswith("damage -"):
            self.pen.text(
                390, y + 5, "no damage possible" + words.removeprefix("damage -"), SMALL, "dim", at="end", room=150
            )
            return
        taken = int(self.s.damage[q])
        self.pen.text(338, y + 6, words, at="end", room=96)
        for number in range(3):
            x = 350 + 16 * number
            self.pen.circle(x, y + 1, 6, f"{PLAYERS[q]}-line" if number < taken else PLAYERS[q])
            if number < taken:
                for way in (1, -1):
                    self.pen.line([(x - 4, y + 1 - 4 * way), (x + 4, y + 1 + 4 * way)], f"{PLAYERS[q]}-line", 2)

    def _card(self, q: int, c: int, x: float, y: float) -> None:
        """Draw a card in hand or an ability card."""
        view, s, pen = self.view, self.s, self.pen
        name = view.card(q, c, view._side_up(s, q))
        actions = []
        if q == s.to_play:
            actions = [A.A_INTENTION + c, A.A_REACTION + c]
            if c < S.ACTIONS_CARDS:
                actions += [A.A_FACE_DOWN + c] + [A.A_OPTION + c] * (s.decision == S.D_DISCARD)
        box = (x, y, CHIP, CHIP_HIGH)
        if c < S.ACTIONS_CARDS:
            many = f" ×{s.hand[q][c]}" if s.hand[q][c] > 1 else ""
            pen.card(box, name, f"{PLAYERS[q]}-line", actions, words=name + many)
        else:
            pen.card(box, name, "edge-line", actions, ground="field")

    # -- the board --------------------------------------------------------------------------------------------------------------

    def _board(self, top: float) -> float:
        """Draw the zones; return where they end."""
        view = self.view
        left = LEFT + (5 - view.cols) * ZONE / 2
        locked = self._locked()
        for z in range(view.rows * view.cols):
            row, column = divmod(z, view.cols)
            self._zone(z, left + column * ZONE, top + (view.rows - 1 - row) * ZONE, locked.get(z, []))
        return top + view.rows * ZONE

    def _directions(self, y: float) -> float:
        """If a direction is asked for, draw four arrows below the board, where they cover nothing; return the next free line."""
        s, pen = self.s, self.pen
        if s.decision != S.D_DIRECTION or not pen.choices:
            return y
        of = f" for {self.view.zone(self.way_of)}" if self.way_of >= 0 else ""
        pen.text(LEFT + 3, y + 24, f"direction{of}", style="ink b", room=120)
        for way in range(4):
            x = LEFT + 128 + 42 * way
            with pen.spot((x, y + 4, 38, 30), [A.A_DIRECTION + (way - 2 * s.to_play) % 4]):
                pen.rect(x, y + 4, 38, 30, "bg")
                pen.arrow(way, x + 19, y + 19)
        return y + 36

    def _locked(self) -> dict[int, list[int]]:
        """Zone -> the numbers of the cards on the chain whose cost has locked it or the unit that stands there."""
        s = self.s
        found: dict[int, list[int]] = {}
        for i in range(s.chain_size):
            played = s.chain[i]
            regs = played.regs if played.paid == S.PLAY_PAID or not s.frames else s.frame[0].regs
            units = [u for u in regs[S.R_UNIT : S.R_ZONE] if u >= 0]
            zones = [s.unit_zone[u] for u in units] + list(regs[S.R_ZONE : S.R_WAY])
            for z in {z for z in zones if z >= 0} if played.effect >= 0 else ():
                found.setdefault(z, []).append(i + 1)
        return found

    def _zone(self, z: int, x: float, y: float, locked: list[int]) -> None:
        view, s, pen = self.view, self.s, self.pen
        u, p = s.zone_unit[z], s.to_play
        actions = [A.A_ZONE + (z if p == 0 else view.rows * view.cols - 1 - z)]
        if u >= 0:
            actions.append(A.A_UNIT + (u + p * S.SLOTS) % S.UNITS)
        q, kind = divmod(int(s.zone_tile[z]), S.TILES)
        card = view._tiles[q][kind].name if s.zone_tile[z] >= 0 else ""
        if u >= 0:
            card = view.card_of(u)
        with pen.spot((x + 2, y + 2, ZONE - 4, ZONE - 4), actions, card=card):
            pen.rect(x + 1, y + 1, ZONE - 2, ZONE - 2, "field")
            pen.rect(x + 1, y + 1, ZONE - 2, ZONE - 2, "edge-line")
            pen.text(x + 4, y + 14, view.zone(z), style="dim")
            if s.zone_tile[z] >= 0:
                self._tile(z, x, y)
            if u >= 0:
                self._unit(u, x, y)
            self._tokens(view.tokens(s, z, False), x + ZONE - 9, y + 10)
            for number, i in enumerate(locked):
                pen.badge(x + 10 + 14 * number, y + ZONE - 10, str(i))
            if z == self.way_of:
                edges = [(x + 3, y + 3), (x + ZONE - 3, y + 3), (x + ZONE - 3, y + ZONE - 3), (x + 3, y + ZONE - 3)]
                pen.line(edges, "mark-line", 4, closed=True)

    def _tile(self, z: int, x: float, y: float) -> None:
        """Draw a tile: a frame within the zone, its name, and its direction."""
        q, kind = divmod(self.s.zone_tile[z], S.TILES)
        name = self.view._tiles[q][kind].name
        self.pen.rect(x + 3, y + 3, ZONE - 6, ZONE - 6, f"{PLAYERS[q]}-line", 12 if q == 0 else 0)
        if self.view.t.tile_directed[q][kind]:
            self.pen.arrow(self.s.zone_way[z], x + 28, y + 11, PLAYERS[q])
        if self.s.zone_unit[z] < 0:
            for number, line in enumerate(wrapped(name, ZONE - 8, SMALLEST)[:3]):
                self.pen.text(
                    x + ZONE / 2, y + 27 + 12 * number, line, SMALL, f"{PLAYERS[q]} i", at="middle", room=ZONE - 8
                )

    def _unit(self, u: int, x: float, y: float) -> None:
        view, s, pen = self.view, self.s, self.pen
        q, slot = divmod(u, S.SLOTS)
        name = view._unit_name(u).removeprefix(f"player_{q}'s ")
        first, _, number = name.rpartition(" ") if slot else (name, "", "")
        letters = name[:2] if slot == 0 else "".join(word[0] for word in first.split()[:2]) + number
        exhausted = bool(s.unit_exhausted[u])
        pen.title(f"{view.unit(u, s.unit_zone[u])}{', exhausted' if exhausted else ''}")
        # The name itself would be too small to read; its letters match the name on the player's card.
        self.pen.sign(x + ZONE / 2 + 1, y + 34, q, 17 if slot == 0 else 14, letters, exhausted)
        self._tokens(view.tokens(s, u, True), x + ZONE - 10, y + 26)

    def _tokens(self, tokens: list[tuple[int, int, int]], x: float, y: float) -> None:
        """Draw tokens as small diamonds, one below the other, each with its count, or for a single token its first letter."""
        for q, kind, many in tokens:
            text = str(many) if many > 1 else self.view._tokens[q][kind].name[0]
            self.pen.line([(x, y - 9), (x + 9, y), (x, y + 9), (x - 9, y)], PLAYERS[q], closed=True)
            self.pen.text(x, y + 4, text, 11, "on b", at="middle")
            y += 16

    # -- chain and masterpiece --------------------------------------------------------------------------------------------------

    def _chain(self, top: float) -> None:
        """Draw the chain as a stack: the card that resolves first lies on top."""
        s, pen, view = self.s, self.pen, self.view
        room = WIDTH - 6 - SIDE
        pen.text(SIDE, top + 13, "chain, top first" if s.chain_size > 1 else "chain", SMALL, "dim")
        y = top + 18
        free = s.decision == S.D_CHAIN_SLOT
        slots = [i for i in range(S.CHAIN - 1, -1, -1) if i < s.chain_size or int(s.face_down[i]) >= 0 or free]
        high = min(78.0, (5 * ZONE - 18) / max(1, len(slots)) - 3)
        for i in slots:
            hidden = int(s.face_down[i])
            owner = int(s.chain[i].player if i < s.chain_size else s.face_down_player[i] if hidden >= 0 else s.to_play)
            with pen.spot((SIDE, y, room, high), [A.A_SLOT + i] if free else [], card=self._name(i)):
                pen.rect(SIDE, y, room, high, f"{PLAYERS[owner]}bg")
                pen.rect(SIDE, y, room, high, f"{PLAYERS[owner]}-line", 3 if owner else 9)
                pen.badge(SIDE + 10, y + 11, str(i + 1))
                if i < s.chain_size:
                    name, _, rest = view._on_chain(s, i).removeprefix(f"player_{owner}'s ").partition(", ")
                    name, _, user = name.partition(" with ")
                    user = user.removeprefix(f"player_{owner}'s ")
                    most = max(1, int((high - 4) // 14))
                    # Bold is 1.13 times as wide.
                    lines = wrapped(name, room - 23, SMALL * 1.13)[: min(most, 3)]
                    for number, line in enumerate(lines):
                        pen.text(SIDE + 20, y + 15 + 14 * number, line, SMALL, "ink b", room=room - 23)
                    about = ", ".join(part for part in (user and f"with {user}", rest) if part)
                    if about and most > len(lines):
                        y_of = y + 15 + 14 * len(lines)
                        pen.paragraph(SIDE + 4, y_of, about, room - 8, 11, "ink", most - len(lines))
                else:
                    words = "face down" if hidden >= 0 else "free"
                    if hidden >= 0 and self.player in (None, owner):
                        words = view.card(owner, hidden) if high < 34 else words
                    pen.text(SIDE + 20, y + 15, words, SMALL, "ink i", room=room - 23)
                    if hidden >= 0 and self.player in (None, owner) and high >= 34:
                        pen.text(SIDE + 4, y + 30, view.card(owner, hidden), SMALL, room=room - 8)
            y += high + 3

    def _name(self, i: int) -> str:
        """The name of the card in a slot of the chain, or "" if none lies there face up."""
        played = self.s.chain[i]
        return (
            self.view.card(played.player, played.card, self.view._side_up(self.s, played.player))
            if i < self.s.chain_size
            else ""
        )

    def _masterpiece(self, y: float) -> float:
        s, pen = self.s, self.pen
        pen.text(LEFT + 3, y + 22, "masterpiece", SMALL, "dim", room=84)
        slots = s.decision in (S.D_SLOT, S.D_SWAP_FIRST, S.D_SWAP_SECOND)
        same = s.to_play == 0 or self.view.t.masterpiece_sides_same
        for slot in range(S.ROW):
            x, held = LEFT + 90 + 42 * slot, int(s.row[slot])
            action = A.A_SLOT + (slot if same else S.ROW - 1 - slot)
            with pen.spot((x, y + 4, 38, 27), [action] if slots else []):
                pen.rect(x, y + 4, 38, 27, "field")
                pen.rect(x, y + 4, 38, 27, "edge-line")
                if held >= 0:
                    self.pen.sign(x + 19, y + 17.5, held // S.PARTS, 10, str(held % S.PARTS + 1))
        lost = [f"player_{q}: {sum(map(bool, s.lost_part[q]))}" for q in range(S.PLAYERS) if any(s.lost_part[q])]
        if lost:
            pen.paragraph(LEFT + 304, y + 14, f"lost: {', '.join(lost)}", 88, 11, "dim", 2)
        return y + 33
