"""Playing a set of games: progress, logs, and picking up where a set was interrupted."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import closing
from dataclasses import dataclass
from time import perf_counter
from typing import TYPE_CHECKING, Any, Literal

from pydantic import BaseModel, ConfigDict, Field
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from fogbound.cli.app import err, out
from fogbound.core import registry
from fogbound.core.contract import Game
from fogbound.core.executor import Finished
from fogbound.core.job import Pending, Played
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
        self.playing = Playing()

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
        summary = self.summary(seconds)
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
                self.playing.add(played)
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
        self.playing.workers = executor.workers
        return self.folder.play(executor) if self.folder else play_missing(Pending.of(self.whole), executor)

    def summary(self, seconds: float) -> dict[str, Any]:
        results = [self.results[number] for number in sorted(self.results)]
        sides = range(self.game.sides)
        wins, points = [self.wins(side) for side in sides], [self.points(side) for side in sides]
        return {
            "game": self.game.spec,
            "agents": self.agents,
            "games": len(results),
            "wins": wins,
            "draws": len(results) - sum(wins),
            "intervals": [list(wilson(won, len(results))) for won in wins],
            "points": points,
            "points_intervals": [list(wilson(sum_of, len(results))) for sum_of in points],
            "seed": self.settings.seed,
            "moves": sum(result.moves for result in results),
            "seconds": seconds,
            "playing_seconds": self.playing.seconds,
            "moves_per_second": self.playing.moves / self.playing.seconds if self.playing.games else 0.0,
            "games_per_second": self.playing.games / self.playing.seconds if self.playing.games else 0.0,
            "interrupted": self.interrupted,
        }

    def wins(self, side: int) -> int:
        """Games that a side won outright: all of the result is its own."""
        return sum(result.scores[side] == 1.0 for result in self.results.values())

    def points(self, side: int) -> float:
        return sum(result.scores[side] for result in self.results.values())

    def graded(self) -> bool:
        """Whether some game was won in part: neither outright, nor shared evenly by those who have something."""
        return any(len({score for score in result.scores if score}) > 1 for result in self.results.values())

    def report(self) -> str:
        """The set in a few lines of plain text."""
        count = len(self.results)
        lines = [f"Game: {self.game.spec}"]
        lines += [f"{name}: {agent}" for name, agent in zip(self.game.side_names, self.agents, strict=True)]
        lines += [f"Seed: {self.settings.seed}", "", f"Total games: {count}"]
        return "\n".join([*lines, *(self._told_points() if self.graded() else self._told_wins())])

    def _told_points(self) -> list[str]:
        """Where games are won in part, what counts is the mean result."""
        count = len(self.results)
        points = [self.points(side) for side in range(self.game.sides)]
        return [f"{name}: mean result {_share(got, count)}" for name, got in zip(self.game.side_names, points, strict=True)]

    def _told_wins(self) -> list[str]:
        count = len(self.results)
        wins = [self.wins(side) for side in range(self.game.sides)]
        lines = [f"{name} won: {won} ({_share(won, count)})" for name, won in zip(self.game.side_names, wins, strict=True)]
        shared = count - sum(wins)
        return [*lines, f"Shared: {shared} ({percent(shared, count)})"] if shared else lines

    def _tell_game(self, result: GameResult) -> None:
        assert result.record is not None
        match = result.record.replay()
        out.print(f"\n[bold]Game {result.number}[/bold]")
        out.print(self.game.table_of_moves(match), highlight=False, markup=False)
        out.print(self.game.outcome(match.state))


@dataclass
class Playing:
    """How long playing took, without starting, compiling and loading."""

    workers: int = 1
    jobs: int = 0
    games: int = 0
    moves: int = 0
    busy: float = 0.0
    """Seconds that the workers played, all together."""

    def add(self, played: Played) -> None:
        self.jobs += 1
        self.games += len(played.lengths)
        self.moves += int(played.lengths.sum())
        self.busy += played.seconds

    @property
    def seconds(self) -> float:
        return self.busy / max(1, min(self.workers, self.jobs))


def _share(part: float, whole: int) -> str:
    low, high = wilson(part, whole)
    return f"{percent(part, whole)}, 95% interval {100 * low:.2f} to {100 * high:.2f}"


def percent(part: float, whole: int) -> str:
    return f"{100 * part / whole:.2f}%" if whole else "-"
