"""A game of Re;ACT as text: log lines, status lines, the board as a picture, and what an action means (docs/arts_of_war/decisions.md)."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import takewhile
from types import SimpleNamespace
from typing import Any, NamedTuple, TypeAlias

from numpy.typing import NDArray

from react_env.engine.plain import EventLog, Reader
from react_env.games.arts_of_war import actions as A
from react_env.games.arts_of_war import log as L
from react_env.games.arts_of_war import state as S
from react_env.games.arts_of_war.cards.schema import Artist

Pairing: TypeAlias = tuple[Artist, Artist]  # player 0's and player 1's

WAYS = ("up", "right", "down", "left")
LOCKS = (L.E_LOCK_UNIT, L.E_LOCK_ZONE)  # rows that continue the row of a play
QUESTIONS = {
    S.D_MAIN: "main phase: play an Intention or end the turn",
    S.D_REACT: "play a Reaction or pass",
    S.D_EFFECT: "which effect of the card",
    S.D_USER: "which unit uses it",
    S.D_ZONE: "choose a zone",
    S.D_DIRECTION: "choose a direction",
    S.D_UNIT: "choose a unit",
    S.D_BRANCH: "choose one",
    S.D_MAY: "do it or not",
    S.D_DISCARD: "which card to discard",
    S.D_PART: "progress the masterpiece: which card",
    S.D_SLOT: "progress the masterpiece: which slot",
    S.D_SWAP_FIRST: "progress the masterpiece: first slot to swap",
    S.D_SWAP_SECOND: "progress the masterpiece: second slot to swap",
    S.D_CHAIN_SLOT: "which slot of the chain the face-down card lies in",
}


# Decisions before which something may have been chosen in the same part.
ASKED_IN_PARTS = (
    S.D_ZONE,
    S.D_DIRECTION,
    S.D_UNIT,
    S.D_BRANCH,
    S.D_MAY,
    S.D_DISCARD,
    S.D_SLOT,
    S.D_SWAP_SECOND,
    S.D_CHAIN_SLOT,
)

plain = Reader(
    name
    for name in S.STATE.names or ()
    if not name.startswith(("trigger", "pending", "waiting", "visit", "set_off", "rng", "event"))
)


CELL = 8  # columns of a zone of the board


class Part(NamedTuple):
    """One piece of the description of a position."""

    kind: str
    text: str
    number: int = 0  # of the player, or of the place on the chain

    def line(self) -> str:
        """The piece as a line of its own."""
        if self.kind == "unit":
            return f"unit player_{self.number}'s {self.text}"
        if self.kind == "zone":
            return f"zone {self.text}"
        names = {"chain": f"chain {self.number}", "plan": f"plan of player_{self.number}"}
        return f"{names.get(self.kind, self.kind)}: {self.text}"


class View(EventLog):
    """The text of the states of one pairing, whose table is tables[table]."""

    def __init__(self, artists: Pairing, tables: NDArray[Any], table: int = 0) -> None:
        self.artists = artists
        self.pairings: tuple[Pairing, ...] = (artists,)
        self.t = SimpleNamespace(
            **{name: tables[table][name].tolist() for name in tables.dtype.names or () if name not in ("code", "sels")}
        )
        self.cols = int(self.t.cols)
        self.rows = int(self.t.rows)
        self._units = [self._unit_name(u) for u in range(S.UNITS)]
        self._tokens = [list(artist.tokens.values()) for artist in artists]
        self._tiles = [list(artist.tiles.values()) for artist in artists]
        self._counters = [list(artist.counters.values()) for artist in artists]
        self._cards = [self._card_names(artist) for artist in artists]
        self._lines: tuple[SimpleNamespace, list[list[str]]] | None = None  # status lines of the last position

    def of(self, s: Any) -> View:
        """The view of a state: this one."""
        return self

    # ------------------------------------------------------------------------------------------------ names

    def _card_names(self, artist: Artist) -> dict[int, list[str]]:
        """By card number, the names of the card's sides: the first, then those that ascending brings, in order."""
        names = {number: [action.name] for number, action in enumerate(artist.actions)}
        for number, ability in enumerate(artist.abilities, S.ACTIONS_CARDS):
            names[number] = [ability.name, *(side.name for side in ability.other_sides)]
        return names

    def _unit_name(self, u: int) -> str:
        p, slot = divmod(u, S.SLOTS)
        artist = self.artists[p]
        if slot == 0:
            return f"player_{p}'s {artist.name}"
        number = slot
        for kind in artist.summons.values():
            if number <= kind.count:
                return f"player_{p}'s {kind.name} {number}"
            number -= kind.count
        return ""

    def card_of(self, u: int) -> str:
        """The ability card of a unit's kind; "" if it has none."""
        p, slot = divmod(u, S.SLOTS)
        if slot == 0:
            return self._cards[p][S.ACTIONS_CARDS][0]
        kind = self._unit_name(u).removeprefix(f"player_{p}'s ").rpartition(" ")[0]
        return kind if any(kind == names[0] for names in self._cards[p].values()) else ""

    def zone(self, z: int) -> str:
        """The name of a zone, such as c1."""
        return "abcde"[int(z) % self.cols] + str(int(z) // self.cols + 1)

    def unit(self, u: int, z: int) -> str:
        """A unit with the zone where it stands."""
        return f"{self._units[u]} ({self.zone(z)})" if u >= 0 and z >= 0 else "a unit that is gone"

    def card(self, p: int, c: int, side: int = S.SIDE_NORMAL) -> str:
        """The name of a card; if it has several sides, that of the side `side` (SIDE_*)."""
        names = self._cards[p][c]
        if len(names) == 1 or (side & S.SIDE_FIRST and side != S.SIDE_ASCENDED):
            return names[0]
        return names[2] if side == S.SIDE_SECOND_ASCENDED else names[1]

    def _side_up(self, s: Any, p: int) -> int:
        """The side of player `p`'s artist ability card that is face up (SIDE_*); one without effects of its own does not count."""
        form = int(s.form[p])
        lasting = bool(s.ascended[p]) and self.t.ascend_mode[p][form] == S.ASCEND_LASTING
        return 1 << 2 * form + lasting

    def effect(self, p: int, c: int, row: int) -> str:
        """The name of an effect: its card, and its number if the card has several on that side."""
        side = int(self.t.effect_side[row])
        name = self.card(p, c, side)
        same = [r for r in self.t.card_effects[p][c] if r >= 0 and self.t.effect_side[r] == side]
        if len(same) > 1:
            return f"{name} [{int(self.t.effect_number[row]) + 1}]"
        return name

    def _trigger(self, p: int, what: int) -> str:
        if what < S.SRC_TOKEN:
            return self.artists[p].passives[what - S.SRC_PASSIVE].name
        if what < S.SRC_TILE:
            return str(self._tokens[p][what - S.SRC_TOKEN].name)
        if S.SRC_ASCENSION <= what < S.SRC_CUE:
            return self._cards[p][S.ACTIONS_CARDS][what - S.SRC_ASCENSION + 1]
        return str(self._tiles[p][what - (S.SRC_CUE if what >= S.SRC_CUE else S.SRC_TILE)].name)

    # ------------------------------------------------------------------------------------------------ log

    def log_lines(self, state: Any, since: int = 0) -> list[str]:
        """The public events from row `since` on that the record still holds; a play and the rows that continue it make one line."""
        rows = self.event_rows(state, since)
        lines: list[str] = []
        for i, row in enumerate(rows):
            if row[0] not in LOCKS:
                following = rows[i + 1 :] if row[0] == L.E_PLAY else []
                lines.append(self._line(row, list(takewhile(lambda other: other[0] in LOCKS, following))))
        return lines

    def _line(self, row: list[int], more: list[list[int]]) -> str:
        kind, p, a, b, c, d, e = row
        who = f"player_{p}"
        if kind == L.E_TURN:
            return f"Turn {a * 100 + b}: {who}"
        if kind == L.E_DRAW:
            return who + (" draws a card", " cannot draw, hand is full", " cannot draw, deck is empty")[a]
        if kind == L.E_PLAY:
            word = "Intention" if self.t.effect_kind[b] == S.INTENTION else "Reaction"
            text = f"{who} plays {self.effect(p, a, b)} ({word})"
            if c != S.EMPTY:
                text += f" with {self.unit(c, d)}"
            for lock in more:
                if lock[0] == L.E_LOCK_UNIT:
                    text += f", unit {self.unit(lock[2], lock[3])}"
            for lock in more:
                if lock[0] == L.E_LOCK_ZONE:
                    text += f", zone {self.zone(lock[2])}"
            return text + (f", {WAYS[e]}" if e >= 0 else "")
        if kind == L.E_DISCARD:
            return f"{who} discards {self.card(p, a)}"
        if kind == L.E_PASS:
            return who + (" cannot react" if a else " passes")
        if kind == L.E_RESOLVE:
            return f"{self.card(p, a, self.t.effect_side[b])} of {who} resolves"
        if kind == L.E_TRIGGER:
            return f"{who}: {self._trigger(p, a)}"
        if kind == L.E_LEFT_OUT:
            return f"{who}: {self._trigger(p, a)} is left out (trigger limit)"
        if kind == L.E_MOVE:
            return f"{self.unit(a, b)} moves to {self.zone(c)}"
        if kind == L.E_SWAP:
            return f"{self.unit(a, b)} and {self.unit(c, d)} swap"
        if kind == L.E_BLOCKED:
            return f"Damage at {self.zone(a)} is blocked"
        if kind == L.E_DAMAGE:
            return f"{self.unit(a, b)} takes damage ({c})"
        if kind == L.E_REMOVED:
            return f"{self.unit(a, b)} is removed"
        if kind == L.E_NOTHING:
            return f"Damage at {self.zone(a)} hits nothing"
        if kind == L.E_SUMMON:
            return f"{self.unit(a, b)} is summoned"
        if kind == L.E_TOKEN_UNIT:
            return f"{self.unit(d, e)} {'gets' if a else 'loses'} {self._tokens[b][c].name}"
        if kind == L.E_TOKEN_ZONE:
            return f"{self.zone(d)} {'gets' if a else 'loses'} {self._tokens[b][c].name}"
        if kind == L.E_TILE:
            name = self._tiles[b][c].name
            if a == 2:
                return f"{name} moves from {self.zone(d)} to {self.zone(e)}"
            return f"{self.zone(d)} {'gets' if a else 'loses'} {name}" + (f", {WAYS[e - 1]}" if e else "")
        if kind == L.E_EXHAUST:
            return f"{self.unit(b, c)} is {'exhausted' if a else 'refreshed'}"
        if kind == L.E_PLACE:
            return f"{who} places masterpiece card {a + 1} in slot {b + 1}"
        if kind == L.E_REPLACE:
            return f"{who} replaces slot {b + 1} with masterpiece card {a + 1}"
        if kind == L.E_SWAP_SLOTS:
            return f"{who} swaps slots {a + 1} and {b + 1}"
        if kind == L.E_DECLINE:
            return f"{who} declines"
        if kind == L.E_ASCEND:
            if a == 2:
                return f"{who} becomes {self._cards[p][S.ACTIONS_CARDS][1]}"
            return f"{who} {'ascends' if a else 'descends'}"
        if kind == L.E_END_TURN:
            return f"{who} ends the turn"
        if kind == L.E_WIN:
            return f"{who} wins"
        if kind == L.E_UNHARMED:
            return f"{self.unit(a, b)} is unharmed"
        if kind == L.E_COUNTER:
            return f"{who}'s {self._counters[p][a].name}: {b}"
        if kind == L.E_ROLL:
            return f"{who} rolls {a}: {self._counters[p][self.t.dice_counter[p]].name} {b}"
        if kind == L.E_FACE_DOWN:
            return f"{who} lays a card face down in slot {a + 1}"
        if kind == L.E_REVEAL:
            return f"{who} reveals {self.card(p, a)}"
        if kind == L.E_FUTILE:
            return f"{self.card(p, a)} of {who} comes to nothing"
        if kind == L.E_TAKE_BACK:
            return f"{who} takes back a face-down card"
        return "The game is a tie" if kind == L.E_TIE else "The game is truncated"

    # ------------------------------------------------------------------------------------------------ status

    def _list(self, p: int, counts: Any) -> str:
        parts = []
        for c in range(S.ACTIONS_CARDS):
            n = int(counts[c])
            if n:
                parts.append(self.card(p, c) + (f" x{n}" if n > 1 else ""))
        return ", ".join(parts)

    def _token_name(self, p: int, k: int, n: int, owned: bool) -> str:
        name = str(self._tokens[p][k].name)
        if owned or any(token.name == name for token in self._tokens[1 - p]):
            name = f"player_{p}'s {name}"
        return name + (f" x{n}" if n > 1 else "")

    def player(self, s: Any, q: int, shown: bool) -> list[Part]:
        """What is known of player `q`: the artist's state, then hand, deck, hidden cards, discard and counters. The cards in hand are
        named if `shown`."""
        s = plain(s)
        state = "damage -" if self.t.immune[q] else f"damage {int(s.damage[q])}/3"
        if s.form[q]:
            state += f", {self._cards[q][S.ACTIONS_CARDS][1]}"
        if s.ascended[q]:
            state += ", ascended"
        counters = []
        for k, counter in enumerate(self._counters[q]):
            text = f"{counter.name} {int(s.counter[q][k])}"
            if self.t.dice_counter[q] == k:
                text += f" ({', '.join(map(str, s.dice[q][: self.t.dice[q]]))})"
            counters.append(Part("counter", text))
        if not self.t.has_deck[q]:
            return [Part("state", state), *counters]
        hand = [int(n) for n in s.hand[q]]
        deck = s.deck[q][: s.deck_size[q]]
        laid = [c for c, owner in zip(s.face_down, s.face_down_player) if owner == q]
        hidden = [hand[c] + deck.count(c) + laid.count(c) for c in range(S.ACTIONS_CARDS)]
        discard = [int(n) for n in s.discard[q]]
        return [
            Part("state", state),
            Part("hand", f"hand {sum(hand)}" + (f": {self._list(q, hand)}" if shown and any(hand) else "")),
            Part("deck", f"deck {len(deck)}"),
            *([Part("hidden", self._list(q, hidden))] if sum(hidden) else []),
            Part("discard", f"discard {sum(discard)}" + (f": {self._list(q, discard)}" if sum(discard) else "")),
            *counters,
        ]

    def _player_line(self, s: Any, q: int, shown: bool) -> str:
        parts = ("hidden: " * (kind == "hidden") + text for kind, text, _ in self.player(s, q, shown))
        return f"{self.player_name(q)}: {'; '.join(parts)}"

    def player_name(self, q: int) -> str:
        """A player with the artist."""
        return f"player_{q} {self.artists[q].name}"

    def _on_chain(self, s: Any, i: int) -> str:
        p, c, row = int(s.chain[i].player), int(s.chain[i].card), int(s.chain[i].effect)
        paid = s.chain[i].paid == S.PLAY_PAID
        if row < 0:
            return f"player_{p}'s {self.card(p, c, self._side_up(s, p))} ..."
        regs = s.chain[i].regs if paid or not s.frames else s.frame[0].regs
        text = f"player_{p}'s {self.effect(p, c, row)}"
        if self.t.card_kind[p][c] > 0 and (regs[S.R_ME] != S.EMPTY):
            text += f" with {self.unit(regs[S.R_ME], s.unit_zone[regs[S.R_ME]])}"
        for r in range(S.R_UNIT, S.R_ZONE):
            if regs[r] != S.EMPTY:
                text += f", unit {self.unit(regs[r], s.unit_zone[regs[r]])}"
        for r in range(S.R_ZONE, S.R_WAY):
            if regs[r] >= 0:
                text += f", zone {self.zone(regs[r])}"
        if regs[S.R_WAY] >= 0:
            text += f", {WAYS[regs[S.R_WAY]]}"
        return text + ("" if paid else " ...")

    def status_lines(self, s: Any, player: int | None = None) -> list[str]:
        """The position in lines. Hands and face-down cards are named for `player` only, or for both players with None."""
        s = plain(s)
        if self._lines is None or self._lines[0] is not s:
            head = f"Turn {int(s.turn)}, player_{int(s.turn_player)}'s turn"
            (hidden_0, shown_0), (hidden_1, shown_1) = (
                [self._player_line(s, q, shown) for shown in (False, True)] for q in range(S.PLAYERS)
            )
            board, lines = self._on_board(s), []
            for seen_by in (0, 1, None):
                rest = [*board, *self._chain(s, seen_by), Part("masterpiece", self._masterpiece(s))]
                players = [hidden_0 if seen_by == 1 else shown_0, hidden_1 if seen_by == 0 else shown_1]
                lines.append([head, *players, *(part.line() for part in rest)])
            self._lines = (s, lines)
        return list(self._lines[1][2 if player is None else player])

    def table(self, s: Any, player: int | None) -> list[Part]:
        """What lies on the table: units, zones, plans, the chain from its beginning, the masterpiece. Face-down cards are named
        for `player` only, or for both players with None."""
        s = plain(s)
        return [*self._on_board(s), *self._chain(s, player), Part("masterpiece", self._masterpiece(s))]

    def _chain(self, s: SimpleNamespace, player: int | None) -> list[Part]:
        played = [Part("chain", self._on_chain(s, i), i + 1) for i in range(int(s.chain_size))]
        return played + [
            Part(
                "chain",
                f"player_{p}'s face-down card" + (f": {self.card(p, c)}" if player in (None, p) else ""),
                i + 1,
            )
            for i, (p, c) in enumerate(zip(s.face_down_player, s.face_down))
            if c >= 0
        ]

    def tokens(self, s: SimpleNamespace, place: int, on_unit: bool) -> list[tuple[int, int, int]]:
        """The tokens on unit or in zone `place`, each kind as (owner, kind, count)."""
        if not any(map(any, s.token[place])):
            return []
        return [
            (q, k, n)
            for q, counts in enumerate(s.token[place])
            for k, n in enumerate(counts)
            if n and self.t.token_on_unit[q][k] == on_unit
        ]

    def _masterpiece(self, s: SimpleNamespace) -> str:
        return " | ".join("-" if x < 0 else f"player_{x // S.PARTS}'s {x % S.PARTS + 1}" for x in map(int, s.row))

    def _on_board(self, s: SimpleNamespace) -> list[Part]:
        """Units, zones and plans."""
        lines = []
        for u in range(S.UNITS):
            z = int(s.unit_zone[u])
            if z < 0:
                continue
            text = self.unit(u, z).removeprefix(f"player_{u // S.SLOTS}'s ") + (
                ", exhausted" if s.unit_exhausted[u] else ""
            )
            for q, k, n in self.tokens(s, u, True):
                text += f", {self._token_name(q, k, n, False)}"
            lines.append(Part("unit", text, u // S.SLOTS))
        for z in range(self.rows * self.cols):
            things = [self._token_name(q, k, n, True) for q, k, n in self.tokens(s, z, False)]
            if s.zone_tile[z] >= 0:
                q, k = divmod(int(s.zone_tile[z]), S.TILES)
                way = f" ({WAYS[s.zone_way[z]]})" if self.t.tile_directed[q][k] else ""
                things.append(f"player_{q}'s {self._tiles[q][k].name}{way}")
            if things:
                lines.append(Part("zone", f"{self.zone(z)}: {', '.join(things)}"))
        for q in range(S.PLAYERS):
            if plan := s.plan[q][: s.plan_size[q]]:
                lines.append(Part("plan", ", ".join(map(self.zone, plan)), q))
        return lines

    # ------------------------------------------------------------------------------------------------ the whole page

    def board(self, s: Any) -> list[str]:
        """The board as a picture: artists as A and B, summons a1, b1 ..., `*` with tokens, `~` exhausted, `:n` tokens, `#` a tile.

        A directed tile shows its direction instead.
        """
        lines = [self.columns()]
        for r, cells in self.cells(s):
            lines.append(f"{r:>2}  " + "".join(f"{unit + rest or '.':^{CELL}}" for _, unit, rest in cells).rstrip())
        lines.append(
            "    A, a1.. player_0   B, b1.. player_1   * marked   ~ exhausted   :n tokens in the zone   # tile"
            + ("   ^ > v < directed tile" if any(map(any, self.t.tile_directed)) else "")
        )
        return lines

    def columns(self) -> str:
        """The letters above the board."""
        return "    " + "".join(f"{'abcde'[c]:^{CELL}}" for c in range(self.cols)).rstrip()

    def cells(self, s: Any) -> list[tuple[int, list[tuple[int, str, str]]]]:
        """The rows of the board from the top, each with its number and its zones: the owner of the unit there (-1: no unit), the sign of
        the unit, and the signs of what else is there."""
        s = plain(s)
        return [
            (r + 1, [self._cell(s, r * self.cols + c) for c in range(self.cols)]) for r in range(self.rows - 1, -1, -1)
        ]

    def _cell(self, s: Any, z: int) -> tuple[int, str, str]:
        u, owner, unit = int(s.zone_unit[z]), -1, ""
        if u >= 0:
            owner, slot = divmod(u, S.SLOTS)
            unit = "AB"[owner] if slot == 0 else f"{'ab'[owner]}{slot}"
            unit += "*" if self.tokens(s, u, True) else ""
            unit += "~" if s.unit_exhausted[u] else ""
        count = sum(n for _, _, n in self.tokens(s, z, False))
        return owner, unit, (" " * bool(unit) + f":{count}" if count else "") + self._tile_sign(s, z)

    def _tile_sign(self, s: Any, z: int) -> str:
        tile = int(s.zone_tile[z])
        if tile < 0:
            return ""
        q, k = divmod(tile, S.TILES)
        return "^>v<"[s.zone_way[z]] if self.t.tile_directed[q][k] else "#"

    def text(self, s: Any, player: int | None = None) -> str:
        """Everything that `player` may see (None: everything): the board, the status lines, and whose decision it is."""
        s = plain(s)
        return "\n".join([*self.board(s), "", *self.status_lines(s, player), *self.question(s, player)])

    def question(self, s: Any, player: int | None) -> list[str]:
        """Who has to decide what, if `player` may know it, or how the game has ended."""
        s = plain(s)
        if s.over == 2:
            return ["The game is truncated"]
        if s.over:
            return [f"player_{s.reward.index(max(s.reward))} wins" if any(s.reward) else "The game is a tie"]
        if player is None or player == s.to_play:
            so_far = self._so_far(s)
            question = QUESTIONS[int(s.decision)] + (f"; so far: {', '.join(so_far)}" if so_far else "")
            return [f"player_{int(s.to_play)} to move: {question}"]
        return []

    def _so_far(self, s: Any) -> list[str]:
        """What has been chosen so far in the part that asks, or what the question is about."""
        if s.decision not in ASKED_IN_PARTS or not s.frames:
            return []
        frame = s.frame[s.frames - 1]
        regs, p = frame.regs, frame.player
        if frame.kind == S.F_LAY:
            return [self.card(p, regs[S.R_FIRST])]
        if frame.kind == S.F_PROGRESS:
            thing = "card" if s.decision == S.D_SLOT else "slot"
            return [f"masterpiece {thing} {regs[S.R_FIRST] + 1}"] if regs[S.R_FIRST] >= 0 else []
        option = self.t.option[frame.pc - 1]
        return (
            [f"option {option}"] * (option > 0)
            + [self.unit(u, s.unit_zone[u]) for u in regs[S.R_UNIT : S.R_ZONE] if u >= 0]
            + [f"zone {self.zone(z)}" for z in regs[S.R_ZONE : S.R_WAY] if z >= 0]
            + [WAYS[way] for way in regs[S.R_WAY :] if way >= 0]
        )

    # ------------------------------------------------------------------------------------------------ actions

    def action_text(self, s: Any, action: int) -> str:
        """What an action means at the present decision, in the words and coordinates of the log."""
        s = plain(s)
        a, p = int(action), int(s.to_play)
        if a == A.A_END_TURN:
            return "end the turn"
        if a == A.A_PASS:
            return "pass"
        if a == A.A_DECLINE:
            return "decline"
        if a < A.A_DIRECTION:
            c = (a - A.A_INTENTION) % S.CARDS
            word = "Intention" if a < A.A_REACTION else "Reaction"
            return (
                f"play {self.card(p, c, self._side_up(s, p))} ({word})" if c in self._cards[p] else A.ACTIONS.names[a]
            )
        if a < A.A_OPTION:
            return WAYS[(a - A.A_DIRECTION + 2 * p) % 4]
        if a < A.A_SLOT:
            return self._option_text(s, p, a - A.A_OPTION)
        if a < A.A_UNIT:
            slot = a - A.A_SLOT
            if s.decision == S.D_CHAIN_SLOT:
                return f"slot {slot + 1} of the chain"
            number = slot if p == 0 or self.t.masterpiece_sides_same else S.ROW - 1 - slot
            return f"masterpiece slot {number + 1}"
        if a < A.A_ZONE:
            u = (a - A.A_UNIT + p * S.SLOTS) % S.UNITS
            z = int(s.unit_zone[u])
            return self.unit(u, z) if z >= 0 else A.ACTIONS.names[a]
        if a >= A.A_FACE_DOWN:
            c = a - A.A_FACE_DOWN
            return f"lay {self.card(p, c)} face down" if c in self._cards[p] else A.ACTIONS.names[a]
        z = a - A.A_ZONE
        zones = self.rows * self.cols
        if z >= zones:
            return A.ACTIONS.names[a]
        z = z if p == 0 else zones - 1 - z
        u = int(s.zone_unit[z])
        return f"zone {self.zone(z)}" + (f": {self._units[u]}" if u >= 0 else "")

    def _option_text(self, s: Any, p: int, k: int) -> str:
        if s.decision == S.D_EFFECT:
            c = int(s.chain[s.chain_size - 1].card)
            up = 1 << 2 * s.form[p] + s.ascended[p]
            for row in self.t.card_effects[p][c]:
                if row >= 0 and self.t.effect_number[row] == k and self.t.effect_side[row] & up:
                    return self._effect_text(p, c, row)
        if s.decision == S.D_DISCARD and k in self._cards[p]:
            return f"discard {self.card(p, k)}"
        if s.decision == S.D_PART and k < S.PARTS:
            return f"masterpiece card {k + 1}"
        if s.decision == S.D_MAY:
            return "do it"
        return f"option {k + 1}"

    def _effect_text(self, p: int, c: int, row: int) -> str:
        name = None
        if c >= S.ACTIONS_CARDS:
            sides = self.artists[p].abilities[c - S.ACTIONS_CARDS].sides
            effects = [effect for _, _, effects in sides for effect in effects]
            name = effects[self.t.card_effects[p][c].index(row)].name
        return self.effect(p, c, row) + (f" {name}" if name else "")


class Views:
    """The text of the states of a game with several pairings; the view of each pairing is made when it is first needed."""

    def __init__(self, pairings: Sequence[Pairing], tables: NDArray[Any]) -> None:
        self.pairings = tuple(pairings)
        self._tables = tables
        self._views: dict[int, View] = {}

    def of(self, s: Any) -> View:
        """The view of the pairing of this state."""
        table = int(s.table)
        if table not in self._views:
            self._views[table] = View(self.pairings[table], self._tables, table)
        return self._views[table]

    def text(self, s: Any, player: int | None = None) -> str:
        """As `View.text`."""
        return self.of(s).text(s, player)

    def status_lines(self, s: Any, player: int | None = None) -> list[str]:
        """As `View.status_lines`."""
        return self.of(s).status_lines(s, player)

    def log_lines(self, s: Any, since: int = 0) -> list[str]:
        """As `View.log_lines`."""
        return self.of(s).log_lines(s, since)

    def event_count(self, s: Any) -> int:
        """As `View.event_count`."""
        return int(s.events)

    def action_text(self, s: Any, action: int) -> str:
        """As `View.action_text`."""
        return self.of(s).action_text(s, action)
