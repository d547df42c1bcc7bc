"""What a training looked like: one page with its curves, its trials, and how to run it again."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from fogbound.core.tomlfile import written
from fogbound.lab import plots
from fogbound.lab.report import STYLE
from fogbound.lab.tournament import machine, versions
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
    learner, progress = training.learner, training.progress
    state = progress.finished or "not finished"
    lead = f"{learner.done:,} {learner.unit} in {progress.seconds:,.0f} s · <code>{escape(learner.game.spec)}</code>"
    lead += f" · {escape(state)}"
    parts = [f'<h1>{escape(learner.name)}: {escape(learner.about)}</h1><p class="lead">{lead}</p>', _best(training)]
    note = "Wins of the learner in games that it did not learn from, with 95% intervals; below, its own figures."
    parts.append(_section("Curves", plots.svg(picture(training)), note))
    parts.append(_section("Trials", _trials(progress.trials)))
    options = f"<pre>{escape(written(training.options))}</pre>"
    parts.append(_section("Options", options, "As a TOML file: give it to <code>--config</code>."))
    parts.append(_section("How to run it again", _how(training)))
    head = f'<meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>{escape(learner.name)}</title>'
    body = f"<main>{''.join(parts)}</main>"
    return f'<!DOCTYPE html>\n<html lang="en"><head>{head}<style>{STYLE}</style></head><body>{body}</body></html>\n'


def _section(title: str, content: str, note: str = "") -> str:
    about = f'<p class="note">{note}</p>' if note else ""
    return f"<section><h2>{escape(title)}</h2>{about}{content}</section>"


def _best(training: Training) -> str:
    progress = training.progress
    rows = [row for row in progress.trials if row["done"] == progress.best_done]
    if not rows:
        return ""
    won = ", ".join(f"{100 * row['rate']:.1f}% against {escape(row['opponent'])}" for row in rows)
    best = f"<b>{won}</b> after {progress.best_done:,} {training.learner.unit}: the best trial, kept as <code>{BEST}</code>."
    return f'<p class="best">{best}</p>'


def _trials(rows: Sequence[Row]) -> str:
    names = ("done", "wins", "95%", "games")
    head = "<tr><th>against</th>" + "".join(f'<th class="n">{name}</th>' for name in names) + "</tr>"
    lines = []
    for row in rows:
        interval = f"{100 * row['low']:.1f} to {100 * row['high']:.1f}"
        cells = (f"{row['done']:,}", f"{100 * row['rate']:.1f}%", interval, f"{row['games']:,}")
        numbers = "".join(f'<td class="n">{cell}</td>' for cell in cells)
        lines.append(f"<tr><td>{escape(row['opponent'])}</td>{numbers}</tr>")
    return f"<table>{head}{''.join(lines)}</table>"


def _how(training: Training) -> str:
    found = ", ".join(f"{name} {number}" for name, number in versions().items())
    rows = {
        "Command": f"<code>{escape(training.command)}</code>",
        "Play it": f"<code>fogbound run {escape(training.learner.game.spec)} --agents "
        f"{escape(','.join(training.learner.seats(str(training.home / BEST), training.options.field[0])))}</code>",
        "Seed": str(training.options.seed),
        "Machine": escape(machine()),
        "Versions": escape(found),
        "Tables": f"<code>{CURVES}</code>, <code>{TRIALS}</code> beside this page",
    }
    return "<dl>" + "".join(f"<dt>{name}</dt><dd>{value}</dd>" for name, value in rows.items()) + "</dl>"
