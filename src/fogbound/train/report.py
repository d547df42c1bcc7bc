"""What a training looked like: one page with its curves, its trials, and how to run it again."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from fogbound.core.tomlfile import written
from fogbound.lab import pages, plots
from fogbound.lab.provenance import machine, versions
from fogbound.train.training import BEST, CURVES, TRIALS, Row, Training

if TYPE_CHECKING:
    from matplotlib.figure import Figure

PAGE, PICTURE = "report.html", "curves.png"
MOST_POINTS = 400  # of a curve in a picture


def write(training: Training) -> Path:
    """Write the page and the picture of the curves; the page's path."""
    picture(training).savefig(training.home / PICTURE)
    page = training.home / PAGE
    page.write_text(_page(training), encoding="utf-8")
    return page


def picture(training: Training) -> Figure:
    """Win rates of the trials, and the learner's own figures, against the work done."""
    names = figures(training.progress.curve)
    figure, panels = plots.canvas(7.5, 3.0 + 1.8 * len(names), 1, 1 + len(names))
    _draw_trials(panels[0], training)
    for axes, name in zip(panels[1:], names, strict=True):
        axes.sharex(panels[0])
        _draw_figure(axes, training.progress.curve, name)
    panels[-1].set_xlabel(training.learner.unit)
    return figure


def figures(curve: Sequence[Row]) -> list[str]:
    """Names of the learner's own figures."""
    return [name for name in dict.fromkeys(name for row in curve for name in row) if name not in ("done", "seconds")]


def _draw_trials(axes: Any, training: Training) -> None:
    for number, opponent in enumerate(training.options.field):
        rows = [row for row in training.progress.trials if row["opponent"] == opponent]
        done = [row["done"] for row in rows]
        colour = plots.COLOURS[number % len(plots.COLOURS)]
        axes.plot(done, [100 * row["rate"] for row in rows], marker="o", ms=3, color=colour, label=opponent)
        low, high = ([100 * row[name] for row in rows] for name in ("low", "high"))
        axes.fill_between(done, low, high, color=colour, alpha=0.15, linewidth=0)
    axes.set_ylim(0, 100)
    axes.set_ylabel("wins, %")
    if training.progress.trials:
        axes.legend(title="against", loc="best", fontsize=8)


def _draw_figure(axes: Any, curve: Sequence[Row], name: str) -> None:
    rows = [row for row in curve if name in row]
    done, values = np.array([row["done"] for row in rows]), np.array([row[name] for row in rows], float)
    size = max(1, len(rows) // MOST_POINTS)
    whole = len(rows) // size * size
    axes.plot(done[:whole].reshape(-1, size)[:, -1], values[:whole].reshape(-1, size).mean(axis=1), color=plots.INK, lw=1)
    axes.set_ylabel(name)


def _page(training: Training) -> str:
    learner, progress, options = training.learner, training.progress, training.options
    return pages.render(
        "fogbound.train",
        "training.html",
        title=learner.name,
        about=learner.about,
        game=learner.game.spec,
        done=learner.done,
        unit=learner.unit,
        seconds=progress.seconds,
        state=progress.finished or "not finished",
        best=[row for row in progress.trials if row["done"] == progress.best_done],
        weights=BEST,
        picture=plots.svg(picture(training)),
        trials=progress.trials,
        options=written(options),
        command=training.command,
        agents=learner.seats(str(training.home / BEST), next(iter(options.field), "random")),
        seed=options.seed,
        machine=machine(),
        versions=versions(),
        tables=(CURVES, TRIALS),
    )
