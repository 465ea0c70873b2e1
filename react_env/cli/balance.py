"""`react-env balance`: how even a game is, what its cards are worth, and what an edit of them changes."""

from __future__ import annotations

import math
import shlex
import sys
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer
from typer import Option
from typer.core import TyperGroup
from typer.main import get_command

from react_env.cli import flags
from react_env.cli.common import check_games, counter, errors, interrupted, named_values, output, print_json
from react_env.errors import OptionError, ReactEnvError
from react_env.extras import need
from react_env.registry import DEFAULT_GAME, describe, descriptions, game_ids, imported, load

GAMES, PRECISION, BUDGET, TRIALS = 200, 5.0, 50_000, 60
JUDGED = 400  # games in all that a learned value judges, for each agent


class Games(TyperGroup):
    """A command for each game; without the name of a game, that of the default game."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        first = args[0] if args else ""
        if first and not first.startswith("-"):
            describe(first)  # its error lists the games
        if first not in game_ids() and first not in ctx.help_option_names:
            args = [DEFAULT_GAME, *args]
        return super().parse_args(ctx, args)

    def list_commands(self, ctx: Any) -> list[str]:
        return list(descriptions())

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        if cmd_name not in self.commands and cmd_name in game_ids():
            about = describe(cmd_name)
            one = typer.Typer(rich_markup_mode="markdown", add_completion=False)
            one.command(cmd_name)(imported(about.balance) if about.balance else _command(cmd_name))
            self.commands[cmd_name] = get_command(one)
        return super().get_command(ctx, cmd_name)


app = typer.Typer(
    cls=Games,
    rich_markup_mode="markdown",
    help=f"Measure how balanced a game is. `react-env balance GAME --help` lists its options; without GAME it is {DEFAULT_GAME}.",
)


@app.callback()
def _games() -> None:
    pass


def _command(game_id: str) -> Callable[..., None]:
    """The command for one game."""

    def balance(
        agents: Annotated[
            list[str] | None,
            Option("--agent", metavar="AGENT", help="Who plays all seats; repeatable."),
        ] = None,
        games: Annotated[
            int | None,
            Option("--games", "-n", metavar="N", min=2, help=f"Games of each pairing and agent; default {GAMES}."),
        ] = None,
        sides: Annotated[str | None, Option(metavar="A,B,...", help="Names or files of what plays; else all.")] = None,
        worth: Annotated[
            str | None, Option(metavar="A,B|all", help="Measure what each item of these sides is worth.")
        ] = None,
        sets: flags.Set = None,
        edition: Annotated[str | None, Option(metavar="NAME", help="Play by these card files.")] = None,
        against: Annotated[str | None, Option(metavar="NAME", help="Compare --edition with these card files.")] = None,
        precision: Annotated[
            float | None, Option(metavar="POINTS", help=f"Precision of each change; default {PRECISION:g}.")
        ] = None,
        budget: Annotated[
            int | None,
            Option(metavar="GAMES", min=1, help=f"Limit of games for --against; default {BUDGET}."),
        ] = None,
        adapt: Annotated[
            float,
            Option(metavar="MINUTES", min=0, help="First train the champion on --edition.", show_default=False),
        ] = 0.0,
        tune: Annotated[
            Path | None, Option(metavar="FILE", dir_okay=False, help="Find an edit of numbers that reaches a goal.")
        ] = None,
        trials: Annotated[
            int | None, Option(metavar="N", min=1, help=f"Edits to try for --tune; default {TRIALS}.")
        ] = None,
        folder: Annotated[
            Path | None, Option(metavar="DIR", file_okay=False, help="Keep games and reports here; continue.")
        ] = None,
        seed: flags.Seed = 0,
        threads: flags.Threads = flags.ALL,
        ray: flags.Ray = None,
        as_json: flags.Json = False,
    ) -> None:
        """Measure how balanced the game is: who beats whom, who begins, how games go, what is played.

        Each agent plays all seats, by default greedy, scripted and the champion: what is even for one need not be for another. Each
        pairing plays the same deals from both seats. With **--folder** an interrupted run can continue, and the folder holds a page at the
        end.
        """
        if games is not None and against is not None:
            raise OptionError(
                "--games does not go with --against, which plays until --precision or --budget is reached"
            )
        games = GAMES if games is None else games
        check_games(games)
        need("eval")  # before playing games that could not be evaluated
        lab = _Lab(game_id, agents or (), games, sides, named_values(sets), edition, seed, threads, folder, ray)
        given = {"--worth": worth, "--against": against, "--tune": tune}
        asked = [name for name, value in given.items() if value is not None]
        if len(asked) > 1:
            raise OptionError(f"{' and '.join(asked)} cannot be combined; run one after the other")
        if not math.isfinite(adapt):
            raise OptionError(f"--adapt {adapt}: it needs a number of minutes")
        if adapt and against is None:
            raise OptionError(
                "--adapt goes with --edition and --against: it lets the champion learn what the edition changes"
            )
        if against is not None and edition is None:
            raise OptionError(
                f"--against {against} goes with --edition: name the edited card files to be played in its place"
            )
        for name, value, other in (
            ("--precision", precision, "--against"),
            ("--budget", budget, "--against"),
            ("--trials", trials, "--tune"),
        ):
            if value is not None and given[other] is None:
                raise OptionError(f"{name} goes with {other}")
        try:
            if tune is not None:
                lab.tune(tune, TRIALS if trials is None else trials, as_json)
            elif against is None:
                lab.study(worth, as_json)
            else:
                points = PRECISION if precision is None else precision
                lab.what_if(against, points / 100, BUDGET if budget is None else budget, adapt, as_json)
        except KeyboardInterrupt:
            raise interrupted(folder) from None

    return balance


class _Lab:
    """Studies made from the arguments of a command line."""

    def __init__(
        self,
        game_id: str,
        agents: Sequence[str],
        games: int,
        sides: str | None,
        options: dict[str, Any],
        edition: str | None,
        seed: int,
        threads: int,
        folder: Path | None,
        ray: str | None,
    ) -> None:
        from react_env.evaluation.cluster import cluster_of
        from react_env.evaluation.lab.study import Folder, subject_of
        from react_env.evaluation.lab.subject import Subject

        if games % 2:
            raise OptionError(f"--games {games}: an even number is needed, to play each deal from both seats")
        kind = describe(game_id).part("lab") or Subject
        if edition is not None and kind.edition_option:
            options = {**options, kind.edition_option: edition}
        self.game_id, self.games, self.options, self.seed, self.threads = game_id, games, options, seed, threads
        self.edition = edition
        self.sides = tuple(name.strip() for name in sides.split(",")) if sides else ()
        self.folder, self.cluster = Folder(folder), cluster_of(ray)
        self.subject = subject_of(game_id, options, self.sides)
        self.agents = tuple(agents) or self._able()
        # Each deal of a pairing is played from both seats; if all seats bring the same, a deal is one game.
        self.deals = games // 2 if len(self.subject.sides) > 1 else games

    def _able(self) -> tuple[str, ...]:
        """Those of the game's usual agents that can be loaded."""
        from react_env.evaluation.matches.playing import load_for_edited

        game = self.subject.load((self.subject.sides * 2)[:2])
        found = []
        for agent in describe(self.game_id).studied_by:
            try:
                load_for_edited(agent, game)
            except ReactEnvError:
                continue
            found.append(agent)
        return tuple(found) or ("random",)

    def _edition(self, edition: str | None) -> tuple[Mapping[str, Any], tuple[str, ...]]:
        """Options and sides of an edition, or of the usual cards."""
        return (self.options, self.sides) if edition is None else self.subject.edition(edition)

    def _sides_by_name(self) -> None:
        """Raise OptionError if a side is a file, which would be the same in every edition."""
        for side in self.sides:
            if Path(side).suffix == ".yaml":
                raise OptionError(
                    f"--sides {side}: editions are compared; name the {self.subject.side_word}, not its file"
                )

    def _study(self, edition: str | None, judge: str, agents: tuple[str, ...] = ()) -> Any:
        """The study of an edition, or of the usual cards."""
        from react_env.evaluation.lab.study import Settings, Study

        options, sides = self._edition(edition)
        pairings = len(self.subject.sides) * (len(self.subject.sides) - 1) or 1
        judged = min(self.deals, max(1, JUDGED // pairings)) if judge else 0
        settings = Settings(self.game_id, options, agents or self.agents, self.deals, sides, self.seed, judge, judged)
        return Study(settings, self.folder, threads=self.threads, cluster=self.cluster)

    def study(self, worth: str | None, as_json: bool) -> None:
        """Measure how even the game is."""
        from react_env.evaluation.lab import findings, report
        from react_env.evaluation.lab.study import default_judge

        study = self._study(self.edition, default_judge(self.game_id, self.options, self.sides))
        named = () if worth is None else tuple(name.strip() for name in worth.split(","))
        bans = study.bans(study.sides if worth == "all" and study.sides else tuple(dict.fromkeys(named)))
        self.folder.claim({"kind": "study", **asdict(study.settings)})
        with counter("playing") as update:
            for _ in study.play(study.everything(bans), update):
                pass
        found, worths = [], []
        for agent in study.settings.agents:
            free = {cell: study.outcomes(agent, cell) for cell in study.cells}
            found.append(findings.agent_findings(study.subject, agent, free))
            banned = {cell: study.outcomes(agent, cell) for ban in bans for cell in study.banned(ban)}
            worths.append((agent, findings.worth(study.subject, bans, free, banned)))
        made = report.study_report(study.subject, found, worths, self._words())
        self._tell(made, findings.to_json(study.subject, study.subject.goals, found, worths), as_json)

    def tune(self, file: Path, trials: int, as_json: bool) -> None:
        """Find the smallest edit of an edition that reaches a goal."""
        from react_env.evaluation.lab.findings import to_json
        from react_env.evaluation.lab.report import tune_report
        from react_env.evaluation.lab.study import Settings
        from react_env.evaluation.lab.tune import Plan, Tuning, as_goals
        from react_env.files import write_all_aside

        self._sides_by_name()
        if self.cluster is not None:
            raise OptionError(
                "--tune plays on this machine alone: its editions lie in a folder that other machines cannot see"
            )
        plan = Plan.read(file)
        start = self.subject.files(self.edition)
        options, sides = self._edition(self.edition)
        settings = Settings(self.game_id, options, self.agents, self.deals, sides, self.seed)
        tuning = Tuning(plan, settings, start, self.folder, trials=trials, threads=self.threads)
        described = {"edition": str(start), "plan": plan.model_dump(mode="json", by_alias=True), "trials": trials}
        self.folder.claim({"kind": "tune", **asdict(settings), **described})
        with counter("tuning", "edits") as update:
            found = tuning.run(update)
        goals = as_goals(plan.goals)
        made = tune_report(tuning.subject, found, goals, self._words())
        content = {
            "reached": found.reached,
            "values": [
                {"file": place.file, "at": place.at, "before": found.start[place], "after": value}
                for place, value in found.values.items()
            ],
            "far_from_the_goals": {"before": found.missed[0], "after": found.missed[1], "left_out": found.worse},
            "editions": {"trials": found.trials, "measured": found.tried, "refused": found.refused},
            "facts": found.facts,
            "before": to_json(tuning.subject, goals, found.before),
            "after": to_json(tuning.subject, goals, found.after),
            "patch": found.patch,
        }
        if self.folder.path is not None:
            path = self.folder.path
            files = {path / "edition" / name: data for name, data in found.files.items()}
            write_all_aside({path / "edit.patch": found.patch, **files})
            if found.patch:
                errors().print(f"the edit: {path / 'edit.patch'}, the edited card files: {path / 'edition'}")
        elif found.patch and not as_json:
            output().print(found.patch)
        self._tell(made, content, as_json)

    def _adapted(self, minutes: float) -> tuple[str, str, str]:
        """(the champion, the champion after learning the edition, a note if it learned nothing); the first two as names of agents."""
        import numpy as np

        from react_env.agents.models.model import load_model
        from react_env.agents.players.champion import FOLDER
        from react_env.cli.train import run
        from react_env.training.config import TrainConfig

        need("train")
        if self.folder.path is None:
            raise OptionError("--adapt needs --folder DIR: what the champion learns is kept there")
        seats = describe(self.game_id).seats
        if not (FOLDER / self.game_id).is_dir() or seats is None:
            raise OptionError(f"--adapt: {self.game_id} has no champion that could learn other cards")
        options, sides = self._edition(self.edition)
        played: dict[str, Any] = {seats: list(sides) if len(sides) == 2 else "random"}
        if len(sides) > 2 and not self.subject.edition_option:
            played["pool"] = list(sides)  # "random" alone would draw installed files, not those of the edition
        config = TrainConfig(
            game=self.game_id,
            options={**options, **played},
            algorithm="td",
            start=str(FOLDER / self.game_id),
            minutes=minutes,
            seed=self.seed,
            threads=self.threads,
            evaluations=0,
        )
        # Other cards get a folder of their own, next to what was learned of earlier ones.
        learned = self.folder.path / f"adapted-{load(self.game_id, **config.options).rules_hash[:8]}"
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", message=".*--any-rules")  # it is about to learn these rules
            result = run(config, learned, resume=learned.is_dir())
        if result.interrupted:
            errors().print("the champion has not finished learning; the same command continues")
            raise typer.Exit(130)
        (old, _), (new, _) = load_model(FOLDER / self.game_id), load_model(learned)
        alike = all(np.allclose(old[name], new[name], rtol=1e-3, atol=1e-5) for name in new)  # ignores old's policy
        note = (
            f"In {minutes:g} minutes the champion has learned nothing of the edition; give --adapt more time. " * alike
        )
        return "champion:1,width=0,policy=no", f"{learned}:1,width=0", note

    def what_if(self, against: str, precision: float, budget: int, adapt: float, as_json: bool) -> None:
        """Measure what an edition changes in place of another."""
        from react_env.evaluation.lab import report
        from react_env.evaluation.lab.compare import check, compare, touched
        from react_env.evaluation.lab.edits import changed
        from react_env.evaluation.lab.findings import changes_json

        self._sides_by_name()
        before, after = self._study(against, ""), self._study(self.edition, "")
        cells, others = touched(before, after)
        players = [(agent, agent) for agent in self.agents]
        check(cells, len(players) + 2 * bool(adapt), precision, budget)
        edits = changed(self.subject.texts(against), self.subject.texts(str(self.edition)))
        described = {"before": asdict(before.settings), "after": asdict(after.settings), "adapt": adapt}
        self.folder.claim({"kind": "what if", **described})
        note = ""
        if adapt:
            champion, adapted, note = self._adapted(adapt)
            players = list(dict.fromkeys([*players, (champion, champion), (champion, adapted)]))
            before = self._study(against, "", tuple(dict.fromkeys(one for one, _ in players)))
            after = self._study(self.edition, "", tuple(dict.fromkeys(two for _, two in players)))
        with counter("what changes") as update:
            found = compare(before, after, cells, players, precision=precision, budget=budget, progress=update)
        made = report.change_report(
            after.subject,
            found,
            edits,
            untouched=others,
            precision=precision,
            before=against,
            after=str(self.edition),
            note=note,
            command=self._words(),
        )
        edited = [{"at": at, "before": old, "after": new} for at, old, new in edits]
        asked = {"precision": precision, "budget": budget, "untouched": others, "edited": edited}
        self._tell(made, {**asked, **changes_json(found)}, as_json)

    def _words(self) -> str:
        words = sys.argv[1:] if sys.argv[1:2] == ["balance"] else ["balance", self.game_id]
        return shlex.join(["react-env", *words])

    def _tell(self, report: Any, content: Any, as_json: bool) -> None:
        from react_env.evaluation.document import as_console, as_html, as_markdown
        from react_env.evaluation.lab.report import PAGE
        from react_env.files import as_json as to_json
        from react_env.files import write_all_aside

        content = {"game": self.game_id, "command": self._words(), **content}
        if as_json:
            print_json(content)
        else:
            output().print(as_console(report))
        if self.folder.path is not None:
            path = self.folder.path
            pages = {PAGE: as_html(report), "balance.md": as_markdown(report), "balance.json": to_json(content)}
            write_all_aside({path / name: page for name, page in pages.items()})
            errors().print(f"the page: {path / PAGE}")
        elif not as_json:
            errors().print("--folder DIR also writes a page with details of each side")
