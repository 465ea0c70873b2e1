"""A study in words: the sections of a report."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace

from react_env.evaluation.document import (
    STAR,
    Heat,
    HeatCell,
    Part,
    Plot,
    Report,
    Section,
    Table,
    counted,
    gain_text,
    made_by,
)
from react_env.evaluation.lab.compare import Compared
from react_env.evaluation.lab.findings import (
    BEHIND,
    FEWEST,
    AgentFindings,
    Mean,
    Ratio,
    SideFindings,
    Worth,
    misses,
    span_text,
    totals,
)
from react_env.evaluation.lab.games import PARTS, WEIGHT
from react_env.evaluation.lab.subject import Goals, Subject
from react_env.evaluation.lab.tune import POINTS, Tuned
from react_env.evaluation.ratings.intervals import Rate, percent

PAGE = "balance.html"
EDITS = 40  # listed at most


# -- figures in words ----------------------------------------------------------------------------------------------------------


def rate_text(rate: Rate) -> str:
    """'53.2 % (51.0-55.4) of 2,000'."""
    if not rate.games:
        return ""
    low, high = rate.interval
    return f"{100 * rate.value:.1f} % ({100 * low:.1f}-{100 * high:.1f}) of {rate.games:,}"


def mean_text(mean: Mean, *, signed: bool = False) -> str:
    """'53.2 (51.0-55.4)', in percent or points; with a star if it stands."""
    if signed:
        return gain_text(mean.value, mean.low, mean.high, mean.sure)
    return f"{100 * mean.value:.1f} ({100 * mean.low:.1f}-{100 * mean.high:.1f}){' *' if mean.sure else ''}"


def _whole(mean: Mean) -> HeatCell:
    low, value, high = (100 * number for number in (mean.low, mean.value, mean.high))
    return HeatCell(value, low, high, f"{value:.0f} ({low:.0f}-{high:.0f}){' *' if mean.sure else ''}", mean.sure)


def _lengths(found: AgentFindings) -> str:
    low, quarter, _, most, high = (f"{value:.0f}" for value in found.length)
    return f"{_median(found)}; half of all {quarter} to {most}, 90 % {low} to {high}"


def _median(found: AgentFindings) -> str:
    """'24 (22-26)'; without the interval if there are too few games."""
    low, high = found.median
    return f"{found.length[2]:g}" + ("" if math.isnan(low) else f" ({low:.0f}-{high:.0f})")


# -- the study -----------------------------------------------------------------------------------------------------------------


def study_report(
    subject: Subject, findings: Sequence[AgentFindings], worths: Sequence[tuple[str, Sequence[Worth]]], command: str
) -> Report:
    """How even the game is, and what its cards are worth (agent, worths)."""
    games = sum(found.games for found in findings)
    word = subject.side_word
    who = f"{len(subject.sides)} {word}s, " if len(subject.sides) > 1 else ""
    sections = [
        _overview(subject, findings),
        *(_agent(subject, found) for found in findings if found.pairs),
        *([_sides(subject, findings)] if word else []),
        *(_worths(subject, agent, rows) for agent, rows in worths if rows),
    ]
    judges = ("Each of " if len(findings) > 1 else "") + ", ".join(found.agent for found in findings)
    both = "; each pairing plays the same deals from both seats" if len(subject.sides) > 1 else ""
    return Report(
        f"Balance: {subject.game_id}",
        f"{who}{games:,} games. {judges} plays all seats of its games{both}.",
        sections,
        made_by(subject.game_id, command),
    )


def _overview(subject: Subject, findings: Sequence[AgentFindings]) -> Section:
    rows: list[tuple[str, ...]] = []

    def row(name: str, text: Callable[[AgentFindings], str]) -> None:
        rows.append((name, *map(text, findings)))

    row("games", lambda found: f"{found.games:,}")
    if any(found.began.games for found in findings):
        row("the first player wins", lambda found: rate_text(found.began))
    row("ties", lambda found: rate_text(found.ties))
    row("ended by a limit", lambda found: rate_text(found.cut))
    row(f"{subject.length_unit} of a game", _lengths)
    for number, way in _met(subject, [found.ways for found in findings]):
        rows.append((f"won by: {way}", *(rate_text(found.ways[number]) for found in findings)))
    for number, way in _met(subject, [found.tied for found in findings]):
        rows.append((f"tied by: {way}", *(rate_text(found.tied[number]) for found in findings)))
    for number, figure in enumerate(subject.figures):
        rows.append((figure.name, *(_ratio_text(found.ratios[number]) for found in findings)))
    lines = ["Intervals hold 95 % everywhere."]
    if any(found.judged for found in findings):
        seen = "the winner is ahead for good after"
        row(seen, lambda found: f"{mean_text(found.judged.known)} % of the game" if found.judged else "")
        row("comebacks", lambda found: rate_text(found.judged.comebacks) if found.judged else "")
        row("decisions that matter", lambda found: f"{mean_text(found.judged.weighty)} %" if found.judged else "")
        lines.append(
            f"A learned value judged some games at each decision. Each game is divided into {PARTS} parts, with chances scaled to fit "
            f"the results. In a comeback the winner's chance was below {100 * BEHIND:.0f} % in some part; a perfect judge would see that "
            f"in at most {percent(BEHIND / (1 - BEHIND))} of the games. A decision matters where the best two actions differ by more than "
            f"{100 * WEIGHT:.0f} points of the chance to win."
        )
    parts = [Table(("", *(found.agent for found in findings)), rows)]
    missed = [(found.agent, line) for found in findings for line in misses(subject, subject.goals, found)]
    if missed:
        parts.append(Table(("agent", "missed goal"), missed, "Missed goals", left=2))
    lines.append("Missed goals are listed below." if missed else "No goal is missed.")
    return Section("In short", lines, parts)


def _agent(subject: Subject, found: AgentFindings) -> Section:
    """Who beats whom in the hands of one agent, strengths, cycles."""
    assert found.standings is not None
    order = sorted(found.sides, key=lambda side: -side.score.value)
    names = [subject.title(side.side) for side in order]
    pairs = [[found.pairs.get((a.side, b.side)) for b in order] for a in order]
    strengths = Plot(
        [
            (one.agent, one.elo, one.low, one.high, f"{one.elo:.0f} ({one.low:.0f}-{one.high:.0f})")
            for one in found.standings.ratings
        ],
        "Elo",
        f"Strength of the {subject.side_word}s by Bradley and Terry's model, their mean at 1000",
    )
    lines = ["Score of the row against the column in percent: a win 1, a tie one half. " + STAR]
    if len(order) > 2:
        lines.append(
            f"One strength for each {subject.side_word} explains {100 * found.standings.transitivity:.0f} % of the variation of the "
            f"results (log-odds); so large a rest by luck alone has {_chance(found.standings.cyclic_chance)}."
        )
        for cycle in found.standings.cycles[:3]:
            ring = " > ".join((*cycle.agents, cycle.agents[0]))
            scores = ", ".join(f"{100 * score:.0f} %" for score in cycle.scores)
            lines.append(f"A ring: {ring} ({scores}){'' if cycle.sure else '; it may be chance'}.")
    heat = Heat(names, [[_whole(mean) if mean else None for mean in row] for row in pairs])
    return Section(f"In the hands of {found.agent}", lines, [heat, strengths])


def _chance(value: float) -> str:
    return "a chance below 0.1 %" if value < 0.001 else f"a chance of {100 * value:.1f} %"


def _met(subject: Subject, told: Sequence[Sequence[Rate]]) -> list[tuple[int, str]]:
    """The ways to end a game that occur, as numbers and words; none if the game has only one way."""
    ways = enumerate(subject.ways) if len(subject.ways) > 1 else ()
    return [(number, way) for number, way in ways if any(one[number].count for one in told)]


def _sides(subject: Subject, findings: Sequence[AgentFindings]) -> Section:
    """Each side: scores, how it wins, what it plays."""
    parts = []
    met = _met(subject, [found.ways for found in findings])
    ways = met if len(met) > 1 else []
    length = f"{subject.length_unit}, median (90 %)"
    several = len(subject.sides) > 1
    scores = (subject.side_word, *(["score, %"] * several), "wins if it begins", "if not", length, "variety")
    games = (subject.side_word, *(f"won by: {way}" for _, way in ways), *(figure.name for figure in subject.figures))
    for found in findings:
        rows, more = [], []  # two tables: one would be wider than the page
        for side in found.sides:
            low, _, median, _, high = side.length
            title = subject.title(side.side)
            row = [
                title,
                *([mean_text(side.score)] * several),
                rate_text(side.began),
                rate_text(side.second),
                f"{median:g} ({low:.0f} to {high:.0f})",
                _variety(side),
            ]
            rows.append(row)
            more.append(
                [
                    title,
                    *(_whole_percent(side.ways[number], sample=True) for number, _ in ways),
                    *map(_ratio_text, side.ratios),
                ]
            )
        parts.append(Table(scores, rows, f"In the hands of {found.agent}"))
        if len(games) > 1:
            parts.append(Table(games, more, f"How their games go, in the hands of {found.agent}"))
    for number, side in enumerate(findings[0].sides):
        if side.plays:
            plays = zip(*(found.sides[number].plays for found in findings))
            rows = [[of[0].item.name, *(_whole_percent(one.played) for one in of)] for of in plays]
            title = f"{subject.title(side.side)}: games in which it is played, of {side.score.games:,}"
            title += "" if several else ", as each game counts for both players"
            parts.append(Table(("item", *(found.agent for found in findings)), rows, title))
    line = (
        "Variety: how many equally frequent items would be as unpredictable as what is played (e to the "
        "entropy), of the number of items."
    )
    return Section(f"{subject.side_word.capitalize()}s", [line], parts, on_screen=False)


def _whole_percent(rate: Rate, *, sample: bool = False) -> str:
    """'53 %', or '53 % of 40'."""
    text = f"{100 * rate.value:.0f} %" if rate.games else ""
    return f"{text} of {rate.games:,}" if sample and text else text


def _ratio_text(ratio: Ratio) -> str:
    mean = ratio.mean
    if math.isnan(mean.value):
        return ""
    return f"{mean_text(mean)} %" if ratio.figure.share else f"{mean.value:.1f} ({mean.low:.1f}-{mean.high:.1f})"


def _variety(side: SideFindings) -> str:
    cards = [play for play in side.plays if play.item.can_be_forbidden and not play.item.part]
    return f"{side.different:.1f} of {len(cards)}" if cards else ""


def _worths(subject: Subject, agent: str, rows: Sequence[Worth]) -> Section:
    """What items are worth, in the hands of one agent."""
    parts: list[Part] = []
    for side in dict.fromkeys(row.ban.side for row in rows):
        own = sorted((row for row in rows if row.ban.side == side), key=lambda row: -row.difference.value)
        parts.append(
            Plot(
                [_moved(row.play.item.name, row.difference) for row in own],
                "points of the score",
                subject.title(side),
                in_table=True,
            )
        )
        parts.append(
            Table(
                ("item", "worth, points", "played in", "score when played, less when not"),
                [
                    (
                        row.play.item.name,
                        mean_text(row.difference, signed=True),
                        _whole_percent(row.play.played, sample=True),
                        mean_text(row.play.naive, signed=True) if row.play.naive else "",
                    )
                    for row in own
                ],
            )
        )
    lines = (
        "The same deals are played with the item and with the item forbidden to its side (restricted play: Jaffe et al., 2012); the worth "
        "is the difference of the score. A forbidden card is still drawn and keeps its place in the hand, which costs something by itself: "
        "compare cards with one another rather than with zero. " + STAR,
        "The last column is the naive measure. It misleads: an item that is played mostly when its side is ahead, or late in long "
        "games, looks good or bad for that reason alone, and one that is played in every game cannot be judged at all. It is left out with "
        f"fewer than {FEWEST} games on either side.",
    )
    return Section(f"What items are worth in the hands of {agent}", lines, parts)


def _moved(name: str, mean: Mean) -> tuple[str, float, float, float, str]:
    """A row of a plot of points."""
    return name, 100 * mean.value, 100 * mean.low, 100 * mean.high, mean_text(mean, signed=True)


# -- what if -------------------------------------------------------------------------------------------------------------------


def change_report(
    subject: Subject,
    found: Sequence[Compared],
    edits: Sequence[tuple[str, str, str]],
    *,
    untouched: int,
    precision: float,
    before: str,
    after: str,
    command: str,
    note: str = "",
) -> Report:
    """What an edit (where, before, after) changes, in the hands of each agent; `note` comes first."""
    more = [f"{len(edits) - EDITS} more stand in balance.json (--folder) and in --json."] if len(edits) > EDITS else []
    edited = Table(("number or text", "before", "after"), edits[:EDITS], left=3)
    sections = [Section("What is edited", more, [edited])] if edits else []
    for one in found:
        rows = sorted(one.changes, key=lambda change: -abs(change.difference.value))
        if not rows:
            sections.append(Section(f"In the hands of {one.name}", ["No pairing can be touched by this edit."]))
            continue
        table = Table(
            ("pairing", "games each", "before, %", "after, %", "moved, points"),
            [
                (
                    f"{subject.title(row.side)} - {subject.title(row.other)}",
                    f"{row.difference.games:,}",
                    mean_text(row.before),
                    mean_text(row.after),
                    mean_text(row.difference, signed=True),
                )
                for row in rows
            ],
            "Score of the first, by pairing",
        )
        gains = Plot(
            [
                _moved(f"{subject.title(total.side)}, {counted(total.pairings, 'pairing')}", total.difference)
                for total in totals(one.changes)
            ],
            "points",
            f"What it gives and costs, by {subject.side_word or 'side'}",
        )
        sure = sum(row.difference.sure for row in rows)
        lines = [f"{sure} of {counted(len(rows), 'pairing')} surely moved.", STAR]
        sections.append(Section(f"In the hands of {one.name}", lines, [gains, table]))
    notes = []
    if untouched:
        same = counted(untouched, "pairing")
        notes.append(f"Not played, as both editions have the same rules and cards there: {same}.")
    if open_pairs := sum(one.open for one in found):
        notes.append(
            f"The budget of games ended with {counted(open_pairs, 'difference')} known less well than the {100 * precision:g} points asked "
            "for."
        )
    return Report(
        f"What changes: {subject.game_id}",
        f"{note}{after} in place of {before}, on the same deals. {' '.join(notes)}",
        sections,
        made_by(subject.game_id, command),
    )


def _aims(
    subject: Subject, goals: Goals, before: AgentFindings, after: AgentFindings
) -> list[tuple[str, str, str, str]]:
    """What was asked for, and what came of it; the heat map shows the pairings."""
    found = []
    for old, new in zip(before.sides, after.sides, strict=True):
        for span in dict.fromkeys(filter(None, (goals.side, goals.sides.get(old.side)))):
            name = f"{subject.title(old.side)} against all others, %"
            found.append((name, span_text(*span), mean_text(old.score), mean_text(new.score)))
    if goals.began:
        found.append(
            ("the first player wins", span_text(*goals.began), rate_text(before.began), rate_text(after.began))
        )
    if goals.length:
        low, high = goals.length
        found.append(
            (f"{subject.length_unit} of the median game", f"{low:g} to {high:g}", _median(before), _median(after))
        )
    return found


def tune_report(subject: Subject, found: Tuned, goals: Goals, command: str) -> Report:
    """The edit that a tuning found, and what it reaches."""
    moved = [
        (str(place), str(found.start[place]), str(value))
        for place, value in found.values.items()
        if value != found.start[place]
    ]
    reached = "It reaches every goal on fresh deals."
    if not moved and found.reached:
        reached = "The files reach every goal as they are."
    elif not found.reached:
        reached = f"{'It does' if moved else 'The files do'} not reach every goal on fresh deals; what is missed stands below."
    if found.worse is not None:
        reached += f" The best edit of the search is left out: on fresh deals it was {found.worse:.1f} from the goals, no nearer."
    refused = f" {found.refused} more did not load, the first because of {found.why}." if found.refused else ""
    if found.left:
        refused += f" The search ended {counted(found.left, 'trial')} early: hardly any try loads."
    lines = [
        f"{counted(found.trials, 'trial')}, the first with the files as they are; {counted(found.tried, 'edition')} "
        f"{'was' if found.tried == 1 else 'were'} measured to the end.{refused} The edit moves {len(moved)} of "
        f"{counted(len(found.values), 'number')}. {reached}",
        f"Far from the goals, in {100 * POINTS:g} points of a score or one {subject.length_unit[:-1]} each: "
        + (f"{found.missed[0]:.1f} before, {found.missed[1]:.1f} after." if moved else f"{found.missed[1]:.1f}."),
    ]
    if found.facts:
        lines.append(f"None of the {found.facts} facts in the files that are not designed has moved.")
    missed = [
        (one.agent, when, line)
        for when, every in ((("before", found.before), ("after", found.after)) if moved else (("", found.after),))
        for one in every
        for line in misses(subject, goals, one)
    ]
    misses_table = Table(("agent", "", "missed goal"), missed or [("", "", "nothing")], "Missed goals", left=3)
    aims = [
        Table(
            ("goal", "asked for", *(("before", "after") if moved else ("measured",))),
            rows,
            f"In the hands of {after.agent}",
        )
        for before, after in zip(found.before, found.after, strict=True)
        if (rows := [row if moved else row[:3] for row in _aims(subject, goals, before, after)])
    ]
    sections = [
        Section("In short", lines, [Table(("number", "before", "after"), moved, "The edit")] if moved else []),
        Section("Goals", ["All on the same fresh deals. Intervals hold 95 %."], [*aims, misses_table]),
    ]
    for one in found.after:
        if one.pairs:
            title = f"{'After it, in' if moved else 'In'} the hands of {one.agent}"
            sections.append(replace(_agent(subject, one), title=title))
    games = sum(one.games for one in found.after)
    return Report(
        f"An edit: {subject.game_id}",
        f"Numbers of the card files that may move were moved until the games met a goal. Confirmed by {games:,} games on fresh deals.",
        sections,
        made_by(subject.game_id, command),
    )
