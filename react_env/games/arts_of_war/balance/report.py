"""The report on pairings (`react_env.games.arts_of_war.balance.pairings`) for the terminal, and as a page of the docs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rich import box
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from react_env.evaluation.ratings.intervals import interval_text, percent, wilson
from react_env.games.arts_of_war.balance.pairing_games import WAYS, turns_json
from react_env.games.arts_of_war.balance.pairings import Balance, whole

WAYS_IN_WORDS = {
    "damage": "third damage",
    "deck": "empty deck",
    "summons": "last vital summon gone",
    "card": "defeated by a card or passive",
}


def _span(wins: int, games: int) -> str:
    low, high = wilson(wins, games)
    return f"{100 * low:.0f}-{100 * high:.0f}"


def _middle(turns: Mapping[str, float]) -> str:
    return f"{turns['p10']:g} to {turns['p90']:g}"


def _first_player(summary: Mapping[str, Any]) -> str:
    games = summary["games"]
    wins = round(summary["first_player"] * games)
    return f"{percent(wins / games)} ({interval_text(wins, games)})"


def balance_report(balance: Balance) -> RenderableType:
    """For the terminal, 100 columns wide with up to ten artists: the table of win rates, the artists, and what misses its bar."""

    def table(*columns: str) -> Table:
        made = Table(box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0))
        made.add_column("", no_wrap=True)
        for column in columns:
            made.add_column(column, justify="right", no_wrap=True)
        return made

    bars, summary = balance.bars, balance.summary()
    shown = summary["artists"]
    grid = table("all", *(a.name[:6] for a in balance.artists.values()))
    for row, artist in balance.artists.items():
        texts = [Text("")] if row not in shown else [_rate_text(shown[row]["wins"], shown[row]["games"], "bold")]
        for column in balance.artists:
            cell = None if row == column else balance.cell(row, column)
            if cell is None:
                texts.append(Text("-" if row == column else "", style="dim"))
            else:
                outside = not bars.weaker_wins <= cell[0] / cell[1] <= 1 - bars.weaker_wins
                texts.append(_rate_text(*cell, "bold red" if outside else ""))
        grid.add_row(artist.name[:16], *texts)
    kits = table("turns", "middle", "damage", "deck", "summons", "card", "ascended", "unused")
    for facts in shown.values():
        turns, won, wins = facts["turns"], facts["won"], max(1, facts["wins"])
        unused = [c["name"] for c in facts["cards"].values() if not c["ability"] and c["games"] < bars.card_played]
        kits.add_row(
            facts["name"][:16],
            f"{turns['median']:g}",
            _middle(turns),
            *(f"{100 * won[way] / wins:.0f}" if won[way] else "-" for way in WAYS),
            f"{100 * facts['ascended']:.0f}",
            str(len(unused) or "-"),
        )
    notes = (
        "turns: median, and the middle 80 %; damage to card: how its wins came about, %;\n"
        f"ascended: games in which it did, %; unused: cards of the deck played in fewer than {whole(bars.card_played)} of its games\n"
    )
    turns, games = summary["turns"], summary["games"]
    lines = [
        f"{games} games of {len(balance.results)} pairings: ties {percent(summary['ties'] / games)}, "
        f"truncated {percent(summary['truncations'] / games)}; median {turns['median']:g} turns, "
        f"{_middle(turns)} in the middle 80 %",
        f"who begins wins {_first_player(summary)}",
    ]
    if summary["unread"]:
        lines.append(f"{summary['unread']} rows of the log could not be read: cards were played a little more often")
    misses = balance.misses()
    verdict = Text(f"misses the bar ({len(misses)}):" if misses else "everything played keeps to its bar", style="bold")
    return Group(
        Text("win rate of the row against the column, %", style="bold"),
        grid,
        Text("artists", style="bold"),
        kits,
        Text(notes, style="dim"),
        *(Text(line) for line in lines),
        verdict,
        *(Text(f"  {line}") for line in misses),
    )


def _rate_text(wins: int, games: int, style: str) -> Any:
    return Text.assemble((f"{100 * wins / games:.0f}", style), ("\n" + _span(wins, games), "dim"))


def balance_page(balance: Balance) -> str:
    """The report as a page of Markdown."""
    import react_env

    settings, bars = balance.settings, balance.bars
    summary = balance.summary()
    games, turns = summary["games"], summary["turns"]
    ids = list(balance.artists)
    grid = []
    for row in ids:
        facts = summary["artists"].get(row)
        cells = ["" if facts is None else _rate_cell(facts["wins"], facts["games"])]
        for column in ids:
            cell = None if row == column else balance.cell(row, column)
            cells.append("" if cell is None else _rate_cell(*cell))
        grid.append([balance.artists[row].name, *cells])
    artists_rows = [
        [
            facts["name"],
            percent(facts["win_rate"]),
            percent(facts["score"]),
            f"{facts['turns']['median']:g} ({_middle(facts['turns'])})",
            *(percent(facts["won"][way] / max(1, facts["wins"])) if facts["won"][way] else "" for way in WAYS),
            percent(facts["ascended"]),
        ]
        for facts in summary["artists"].values()
    ]
    pairing_rows = [
        [
            balance.names(result),
            _rate_cell(result.wins(result.a), result.games),
            result.ties,
            result.truncations,
            f"{turns_json(result.turns)['median']:g} ({_middle(turns_json(result.turns))})",
            percent(result.first_wins / result.games),
            f"`{result.rules_hash}`",
        ]
        for result in balance.results.values()
    ]
    card_rows = [
        [facts["name"], card["name"], *_effect_cells(card, effect, number)]
        for facts in summary["artists"].values()
        for card in facts["cards"].values()
        for number, effect in enumerate(card["effects"])
    ]
    misses = balance.misses()
    incomplete = (
        ""
        if balance.complete
        else f"\nUnfinished: {len(balance.results)} of {len(balance.pairings)} pairings played.\n"
    )
    return f"""# How even the artists are

How it was made: `{settings.command(balance.chosen)}`, with react_env {react_env.__version__}.
The agent {settings.agent} plays both sides, {settings.games} games of each pairing: the same deals with either artist in seat 0.
Intervals are Wilson's at 95 %. The page tells how even the artists are in the hands of this agent; better players may find something else.
{incomplete}
{games} games: ties {percent(summary["ties"] / games)}, truncated {percent(summary["truncations"] / games)}.
The median game takes {turns["median"]:g} turns, {_middle(turns)} in the middle 80 %.
The player who begins wins {_first_player(summary)}.

## Win rates

The row against the column, in percent; a tie or a truncated game is no win.

{_markdown_table(["", "all", *(artist.name for artist in balance.artists.values())], grid)}
## What misses its bar

Bars: the weaker artist of a pairing wins at least {whole(bars.weaker_wins)} of the games; ties under {whole(bars.ties)};
truncated games under {whole(bars.truncated)}; the median game takes {bars.shortest:g} to {bars.longest:g} turns;
who begins wins {100 * bars.first_player[0]:.0f} to {whole(bars.first_player[1])};
each card of a deck is played in at least {whole(bars.card_played)} of its artist's games,
each effect of an ability card at least once in {1 / bars.effect_plays:.0f} games.

{chr(10).join(f"- {line}" for line in misses) if misses else "Nothing."}

## Artists

Score: a tie or a truncated game is half a win. Turns: median, and the middle 80 %. Then how the wins came about, and in how many games
the artist ascended.

{_markdown_table(["artist", "wins", "score", "turns", *(WAYS_IN_WORDS[way] for way in WAYS), "ascended"], artists_rows)}
## Pairings

Wins are those of the artist named first.

{_markdown_table(["pairing", "wins, %", "ties", "truncated", "turns", "who begins wins", "rules"], pairing_rows)}
## Cards

In how many of its artist's games a card was played, and how often each of its effects in a game.

{_markdown_table(["artist", "card", "games with it", "effect", "kind", "plays a game"], card_rows)}"""


def _rate_cell(wins: int, games: int) -> str:
    return f"{100 * wins / games:.0f} ({_span(wins, games)})"


def _markdown_table(head: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "".join("| " + " | ".join(str(cell).replace("|", "\\|") for cell in line) + " |\n" for line in lines)


def _effect_cells(card: dict[str, Any], effect: dict[str, Any], number: int) -> list[str]:
    alone = len(card["effects"]) == 1
    return [
        percent(card["games"]) if number == 0 else "",
        "" if alone else effect["name"],
        effect["kind"],
        f"{effect['plays']:.2f}",
    ]
