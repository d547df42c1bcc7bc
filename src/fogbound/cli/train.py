"""Learning in the shell: `fogbound train METHOD GAME`, with live curves."""

from __future__ import annotations

import json
import shlex
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Group
from rich.live import Live
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn
from rich.table import Table

from fogbound.cli.app import FAILED, RESEARCH, app, err, out
from fogbound.core.errors import FogboundError

if TYPE_CHECKING:
    from fogbound.train.training import Training

BARS = "▁▂▃▄▅▆▇█"
WIDTH = 40  # of a curve in the terminal


@app.command(rich_help_panel=RESEARCH)
def train(
    method: Annotated[str | None, typer.Argument(help="The learning method; leave it out to list them all.")] = None,
    game: Annotated[str | None, typer.Argument(help="The game to learn, as in scotland-yard/grid5.")] = None,
    preset: Annotated[str | None, typer.Option(help="A named set of options, such as those of a publication.")] = None,
    config: Annotated[Path | None, typer.Option(help="A TOML file with options.")] = None,
    settings: Annotated[list[str] | None, typer.Option("--set", help="A single option, as in --set games=5000.")] = None,
    seed: Annotated[int | None, typer.Option(help="Seed of everything random.")] = None,
    folder: Annotated[
        Path | None,
        typer.Option("--out", help="Folder for the checkpoint, curves and weights.  (default: METHOD-training)"),
    ] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Resume an interrupted training from its checkpoint.")] = False,
    write_config: Annotated[
        Path | None, typer.Option(help="Write all options and their descriptions to this TOML file, and exit.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object and nothing else.")] = False,
) -> None:
    """Learn to play, with live curves and checkpoints.

    Examples: fogbound train qtable scotland-yard/grid5-2020 · fogbound train dqn scotland-yard/grid5 --preset hrklova
    """
    from fogbound.core.tomlfile import written
    from fogbound.train import methods, training

    if method is None:
        _list_methods()
        return
    given = {} if seed is None else {"seed": seed}
    options = methods.options(method, preset, config, settings or (), **given)
    if write_config is not None:
        write_config.write_text(written(options), encoding="utf-8")
        err.print(f"Options of {method}: {write_config}", highlight=False, soft_wrap=True)
        return
    if game is None:
        families = " or ".join(methods.method(method).families)
        raise FogboundError(f"Name a game after the method: fogbound train {method} GAME. {method} learns {families}.")
    home = folder or Path(f"{method}-training")
    if resume:
        named = preset is not None or config is not None or settings or seed is not None
        work = training.resume(home, method, game, options if named else None)
    else:
        command = f"fogbound {shlex.join(arg for arg in sys.argv[1:] if arg != '--json')}"
        work = training.start(method, game, options, home, command)
    with _curves(work, as_json) as show:
        finished = work.run(_watching(show))
    page = _report(work)
    _tell(work, page, as_json)
    if not finished:
        err.print(f"Interrupted after {work.learner.done:,} {work.learner.unit}; continue with --resume.", soft_wrap=True)
        raise typer.Exit(FAILED)


def _watching(show: Callable[[Training], None]) -> Callable[[Training], None]:
    """Show every chunk of work, and rewrite the report after every trial."""
    drawn = 0

    def watch(work: Training) -> None:
        nonlocal drawn
        show(work)
        if len(work.progress.trials) > drawn and drawn >= 0:
            drawn = len(work.progress.trials) if _report(work) else -1

    return watch


def _list_methods() -> None:
    from fogbound.train import methods

    table = Table(box=None, pad_edge=False)
    for column in ("method", "learns", "what it does", "presets"):
        table.add_column(column)
    for name in methods.METHODS:
        try:
            found = methods.method(name)
        except FogboundError as error:
            table.add_row(name, "", f"[dim]{error}[/dim]", "")
            continue
        table.add_row(f"[bold]{name}[/bold]", ", ".join(found.families), found.about, ", ".join(found.presets))
    out.print(table)


@contextmanager
def _curves(work: Training, quiet: bool) -> Iterator[Callable[[Training], None]]:
    """A progress bar with the time left, and the curves so far."""
    if quiet or not err.is_terminal:
        yield lambda _: None
        return
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
    )
    progress = Progress(*columns, console=err)
    task = progress.add_task(work.learner.unit, total=work.learner.total, completed=work.learner.done)
    with Live(console=err, refresh_per_second=4) as live:

        def watch(training: Training) -> None:
            progress.update(task, completed=training.learner.done)
            live.update(Group(progress, curves(training)))

        yield watch


def curves(training: Training) -> Table:
    """The figures and the trials so far, a sparkline each."""
    from fogbound.train.report import figures

    table = Table(box=None, pad_edge=False, show_header=False)
    for name in figures(training.progress.curve):
        values = [float(row[name]) for row in training.progress.curve if name in row]
        table.add_row(name, sparkline(values), f"{values[-1]:.4g}")
    for opponent in training.options.field:
        rates = [float(row["rate"]) for row in training.progress.trials if row["opponent"] == opponent]
        if rates:
            table.add_row(f"wins against {opponent}", sparkline(rates, 0.0, 1.0), f"{100 * rates[-1]:.1f}%")
    return table


def sparkline(values: Sequence[float], low: float | None = None, high: float | None = None) -> str:
    """Values as a line of bars, averaged down to the width of the terminal's column."""
    size = -(-len(values) // WIDTH)
    means = [sum(values[i : i + size]) / len(values[i : i + size]) for i in range(0, len(values), size)]
    bottom, top = min(means) if low is None else low, max(means) if high is None else high
    span = (top - bottom) or 1.0
    return "".join(BARS[min(7, max(0, int(8 * (value - bottom) / span)))] for value in means)


def _report(work: Training) -> Path | None:
    from fogbound.train import report

    try:
        return report.write(work)
    except FogboundError as error:  # a missing library must not lose what was learned
        err.print(f"No report was written: {error}", style="yellow", markup=False, highlight=False, soft_wrap=True)
        return None


def _tell(work: Training, page: Path | None, as_json: bool) -> None:
    from fogbound.train.training import BEST

    progress = work.progress
    rows = [row for row in progress.trials if row["done"] == progress.best_done]
    weights = str(work.home / BEST) if rows else None
    if as_json:
        about = {"method": work.learner.name, "game": work.learner.game.spec, "done": work.learner.done}
        about |= {"unit": work.learner.unit, "seconds": progress.seconds, "finished": progress.finished}
        print(json.dumps({**about, "best": rows, "weights": weights, "report": str(page) if page else None}))
        return
    out.print(curves(work))
    for row in rows:
        rate, low, high = (100 * row[name] for name in ("rate", "low", "high"))
        out.print(f"Best: {rate:.1f}% ({low:.1f} to {high:.1f}) against {row['opponent']}", highlight=False)
    if weights:
        out.print(f"Weights: {weights}", highlight=False, soft_wrap=True)
    if page:
        out.print(f"Report: {page}", highlight=False, soft_wrap=True)
