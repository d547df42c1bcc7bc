"""Playing sets of games: progress, logs, and picking up where a set was interrupted."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from time import perf_counter
from typing import Annotated, Any, Literal

import typer
from pydantic import BaseModel, ConfigDict, Field, ValidationError
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from fogbound.cli.app import FAILED, RESEARCH, app, err, out
from fogbound.cli.set_folder import SetFolder
from fogbound.core import registry
from fogbound.core.contract import Game
from fogbound.core.errors import BadFile, FogboundError
from fogbound.core.jsonfile import path_text, plain
from fogbound.core.runner import GameResult, all_starts, fill, play_set
from fogbound.core.statistics import wilson


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
    if not game.endswith(".toml"):
        settings: RunSettings = registry.checked(RunSettings, {"game": game, **given}, "a set")
        return settings
    try:
        text = Path(game).read_text(encoding="utf-8")
        data = tomllib.loads(text)
    except OSError as error:
        raise FogboundError(f"Cannot read {game}: {error.strerror}.") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise BadFile(game, "", f"this is not TOML: {error}.") from None
    try:
        return RunSettings.model_validate({**data, **given})
    except ValidationError as error:
        first = error.errors()[0]
        key = str(first["loc"][0])
        line = next((n for n, row in enumerate(text.splitlines(), 1) if re.match(rf"\s*{re.escape(key)}\s*=", row)), None)
        known = ", ".join(RunSettings.model_fields)
        raise BadFile(game, path_text(first["loc"]), f"{plain(first)}; what can be set: {known}.", line) from None


class SetRun:
    """One set: plays what is missing, tells what happened."""

    def __init__(self, settings: RunSettings) -> None:
        self.settings = settings
        self.game: Game = registry.game(settings.game)
        self.agents = fill(self.game, settings.agents)
        self.starts = all_starts(self.game) if settings.all_starts else []
        self.games = len(self.starts) or settings.games
        self.folder = SetFolder(settings.out, self.game, self.header()) if settings.out else None
        self.results: dict[int, GameResult] = dict(self.folder.finished()) if self.folder else {}
        self.interrupted = False

    def header(self) -> dict[str, Any]:
        """What makes two sets the same set."""
        keep = {"game": self.game.spec, "agents": self.agents, "games": self.games, "seed": self.settings.seed}
        return {**keep, "all_starts": self.settings.all_starts, "log": self.settings.log}

    def play(self, quiet: bool) -> dict[str, Any]:
        before = len(self.results)
        if before and not quiet:
            out.print(f"[dim]Going on with {self.settings.out}: {before} of {self.games} games are there.[/dim]")
        began = perf_counter()
        try:
            for result in self._progress(quiet):
                if self.folder:
                    self.folder.add(result)
                self.results[result.number] = result
                if self.settings.log == "game" and not quiet and not self.folder:
                    self._tell_game(result)
        except KeyboardInterrupt:
            self.interrupted = True
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

    def _progress(self, quiet: bool) -> Iterator[GameResult]:
        keep = self.settings.log == "game"
        done = set(self.results)
        results = play_set(
            self.game, self.agents, self.games, self.settings.seed, self.settings.workers, self.starts, keep, done
        )
        columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
        with Progress(*columns, console=err, transient=True, disable=quiet or not err.is_terminal) as progress:
            task = progress.add_task("playing", total=self.games, completed=len(done))
            for result in results:
                progress.advance(task)
                yield result

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
