"""Playing sets of games: progress, logs, and picking up where a set was interrupted."""

from __future__ import annotations

import json
from collections.abc import Generator
from contextlib import closing
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer
from pydantic import BaseModel, ConfigDict, Field
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from fogbound.cli.app import FAILED, RESEARCH, app, err, out
from fogbound.core import registry, tomlfile
from fogbound.core.contract import Game
from fogbound.core.executor import Finished
from fogbound.core.job import Pending
from fogbound.core.runner import GameResult, all_starts, fill, local_executor, play_missing, results_of, set_of_games
from fogbound.core.statistics import wilson

if TYPE_CHECKING:
    from fogbound.cli.set_folder import SetFolder


class RunSettings(BaseModel):
    """A set of games, as a TOML file or the command line gives it."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    game: str = Field(description="what is played")
    agents: list[str] = Field(default=["random"], description="an agent a side, or one for all")
    games: int = Field(100, ge=1, description="how many games")
    seed: int = Field(0, description="the set's seed")
    all_starts: bool = Field(False, description="one game from every possible start instead")
    log: Literal["none", "set", "game"] = Field("set", description="what is told: nothing, the set, every game")
    out: str | None = Field(None, description="a folder for the log; an interrupted set goes on there")
    workers: int | None = Field(None, ge=1, description="cores to use; all by default")


@app.command(rich_help_panel=RESEARCH)
def run(
    game: Annotated[str, typer.Argument(help="What is played, or a TOML file with all settings.")],
    agents: Annotated[str | None, typer.Option(help="An agent a side, separated by commas, or one for all.")] = None,
    games: Annotated[int | None, typer.Option(help="How many games.  [default: 100]", show_default=False)] = None,
    seed: Annotated[int | None, typer.Option(help="The set's seed.  [default: 0]", show_default=False)] = None,
    all_starts: Annotated[bool, typer.Option("--all-starts", help="One game from every possible start.")] = False,
    log: Annotated[
        str | None, typer.Option(help="none, set or game: how much is told.  [default: set]", show_default=False)
    ] = None,
    out: Annotated[Path | None, typer.Option(help="Folder for logs and records; an interrupted set goes on there.")] = None,
    workers: Annotated[int | None, typer.Option(help="Cores to use; all by default.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object and nothing else.")] = False,
) -> None:
    """Play a set of games.

    Examples: fogbound run scotland-yard/plan1 --agents heuristic,random --games 1000 · fogbound run my-set.toml
    """
    given: dict[str, Any] = {
        "agents": registry.split_specs(agents) if agents is not None else None,
        "games": games,
        "seed": seed,
        "all_starts": all_starts or None,
        "log": log,
        "out": str(out) if out else None,
        "workers": workers,
    }
    settings = _settings(game, {key: value for key, value in given.items() if value is not None})
    summary = SetRun(settings).play(quiet=as_json or settings.log == "none")
    if as_json:
        print(json.dumps(summary))
    if summary["interrupted"]:
        raise typer.Exit(FAILED)


def _settings(game: str, given: dict[str, Any]) -> RunSettings:
    if game.endswith(".toml"):
        data, source = tomlfile.read(game)
        return tomlfile.checked(RunSettings, {**data, **given}, source)
    settings: RunSettings = registry.checked(RunSettings, {"game": game, **given}, "a set")
    return settings


class SetRun:
    """One set: plays what is missing, tells what happened."""

    def __init__(self, settings: RunSettings) -> None:
        self.settings = settings
        self.game: Game = registry.game(settings.game)
        self.agents = fill(self.game, settings.agents)
        self.starts = all_starts(self.game) if settings.all_starts else []
        self.games = len(self.starts) or settings.games
        self.whole = set_of_games(
            self.game, self.agents, self.games, settings.seed, self.starts, keep_moves=settings.log == "game"
        )
        self.folder = self._folder(settings.out) if settings.out else None
        self.results: dict[int, GameResult] = {}
        self._take_stored()
        self.interrupted = False

    def _folder(self, path: str) -> SetFolder:
        from fogbound.cli.set_folder import SetFolder
        from fogbound.lab.sets import as_tournament

        sets = [(self.game, self.agents)]
        made = as_tournament(self.game.spec, sets, self.games, self.settings.seed, self.settings.all_starts)
        return SetFolder(path, made, self.header())

    def _take_stored(self) -> None:
        if self.folder:
            self.results = {result.number: result for result in self.folder.finished()}

    def header(self) -> dict[str, Any]:
        """What makes two sets the same set."""
        keep = {"game": self.game.spec, "agents": self.agents, "games": self.games, "seed": self.settings.seed}
        return {**keep, "all_starts": self.settings.all_starts, "log": self.settings.log}

    def play(self, quiet: bool) -> dict[str, Any]:
        before = len(self.results)
        if before and not quiet:
            out.print(f"[dim]Going on with {self.settings.out}: {before} of {self.games} games are finished.[/dim]")
        began = perf_counter()
        try:
            self._play(quiet)
        except KeyboardInterrupt:
            self.interrupted = True
            self._take_stored()
            err.print(f"Interrupted after {len(self.results)} of {self.games} games; what was finished is kept.")
        seconds = perf_counter() - began
        summary = self.summary(seconds, len(self.results) - before)
        if self.folder:
            self.folder.close(self.report(), summary)
        if not quiet:
            out.print(self.report(), highlight=False, markup=False)
            out.print(
                f"[dim]{summary['games_per_second']:,.0f} games/s, {summary['moves_per_second']:,.0f} moves/s[/dim]",
                highlight=False,
            )
        return summary

    def _play(self, quiet: bool) -> None:
        """Play the games that are missing; each counts as soon as it is saved."""
        logs = self.settings.log == "game"
        columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
        with (
            Progress(*columns, console=err, transient=True, disable=quiet or not err.is_terminal) as progress,
            closing(self._finished()) as finished,
        ):
            task = progress.add_task("playing", total=self.games, completed=len(self.results))
            for job, played in finished:
                self.results |= {result.number: result for result in results_of(job, played)}
                results = results_of(job, played, records=logs)
                if self.folder:
                    self.folder.write(results)
                elif logs and not quiet:
                    for result in results:
                        self._tell_game(result)
                progress.advance(task, job.count)

    def _finished(self) -> Generator[Finished, None, None]:
        executor = local_executor(self.whole, self.settings.workers)
        return self.folder.play(executor) if self.folder else play_missing(Pending.of(self.whole), executor)

    def summary(self, seconds: float, played: int) -> dict[str, Any]:
        results = [self.results[number] for number in sorted(self.results)]
        wins = [sum(_wins(result, side) for result in results) for side in range(self.game.sides)]
        moves = sum(result.moves for result in results)
        rate = played / seconds if played else 0.0
        return {
            "game": self.game.spec,
            "agents": self.agents,
            "games": len(results),
            "wins": wins,
            "draws": len(results) - sum(wins),
            "intervals": [list(wilson(won, len(results))) for won in wins],
            "seed": self.settings.seed,
            "moves": moves,
            "seconds": seconds,
            "moves_per_second": rate * moves / len(results) if results else 0.0,
            "games_per_second": rate,
            "interrupted": self.interrupted,
        }

    def report(self) -> str:
        """The set in a few lines of plain text."""
        count = len(self.results)
        lines = [f"Game: {self.game.spec}"]
        lines += [f"{name}: {agent}" for name, agent in zip(self.game.side_names, self.agents, strict=True)]
        lines += [f"Seed: {self.settings.seed}", "", f"Total games: {count}"]
        decided = 0
        for side, name in enumerate(self.game.side_names):
            won = sum(_wins(result, side) for result in self.results.values())
            low, high = wilson(won, count)
            decided += won
            lines.append(f"{name} won: {won} ({percent(won, count)}, 95% interval {100 * low:.2f} to {100 * high:.2f})")
        if count > decided:
            lines.append(f"Shared: {count - decided} ({percent(count - decided, count)})")
        return "\n".join(lines)

    def _tell_game(self, result: GameResult) -> None:
        assert result.record is not None
        match = result.record.replay()
        out.print(f"\n[bold]Game {result.number}[/bold]")
        out.print(self.game.table_of_moves(match), highlight=False, markup=False)
        out.print(self.game.outcome(match.state))


def _wins(result: GameResult, side: int) -> bool:
    return result.scores[side] > max(score for other, score in enumerate(result.scores) if other != side)


def percent(part: int, whole: int) -> str:
    return f"{100 * part / whole:.2f}%" if whole else "-"
