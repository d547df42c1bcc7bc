"""Reports on reproductions: in the shell, as JSON, and as a page."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rich.console import Console
from rich.table import Table

from fogbound.lab.provenance import machine, versions
from fogbound.lab.reproduce.comparison import PICTURE, Experiment, Line, Outcome, few

COLOUR = {"agrees": "green", "differs": "yellow", PICTURE: "dim"}


def summary(experiment: Experiment, outcome: Outcome | None = None) -> dict[str, Any]:
    """An experiment, and a run of it, as JSON."""
    about: dict[str, Any] = {"id": experiment.id, "document": experiment.document, "title": experiment.title}
    about |= {"setup": experiment.setup, "state": experiment.state, "needs": experiment.missing(), "runs": experiment.runs}
    if outcome is None:
        return about
    claims = [{"text": text, "holds": holds} for text, holds in outcome.claims]
    return about | {
        "verdict": outcome.verdict,
        "seed": outcome.seed,
        "figures": [line.row() for line in outcome.lines],
        "claims": claims,
    }


def listing(experiments: Sequence[Experiment]) -> Table:
    """All experiments and whether they can be run."""
    table = Table(box=None, pad_edge=False)
    table.add_column("id", style="bold", no_wrap=True)
    table.add_column("experiment")
    table.add_column("state")
    document = ""
    for each in experiments:
        if each.document != document:
            document = each.document
            table.add_row("", f"[bold]{document}[/bold]", "")
        colour = "green" if each.state == "runs now" else "cyan" if each.runs else "dim"
        table.add_row(each.id, each.title, f"[{colour}]{each.state}[/{colour}]")
    return table


def tell(outcome: Outcome, out: Console) -> None:
    """A run in the shell."""
    experiment = outcome.experiment
    out.print(f"[bold]{experiment.id}[/bold] {experiment.title} [dim]({experiment.document})[/dim]")
    out.print(f"[dim]{experiment.setup}[/dim]", highlight=False)
    table = Table(box=None)
    for column, justify in (
        ("", "left"),
        ("ours", "right"),
        ("95%", "right"),
        ("games", "right"),
        ("theirs", "right"),
        ("verdict", "left"),
    ):
        table.add_column(column, justify=justify)  # type: ignore[arg-type]
    for line in outcome.lines:
        colour = COLOUR[line.verdict]
        cells = (_figure(line.ours, line.unit), interval(line), f"{line.games:,}" if line.games else "", theirs(line))
        table.add_row(line.label, *cells, f"[{colour}]{said(line)}[/{colour}]")
    out.print(table)
    for text, holds in outcome.claims:
        out.print(
            f"  The text says: {text}: " + ("[green]so it is here[/green]" if holds else "[yellow]not so here[/yellow]")
        )
    if experiment.missing():
        out.print(f"  [dim]The rest needs {few(experiment.missing())}.[/dim]")
    out.print(f"[bold]Verdict: {outcome.verdict}[/bold]\n")


def said(line: Line) -> str:
    """The verdict on a figure; a time of another machine has none."""
    return "another machine" if line.unit == "s" and line.theirs is not None else line.verdict


def _figure(value: float, unit: str) -> str:
    text = f"{value:.2f}" if abs(value) >= 0.1 or value == 0 else f"{value:.2g}"
    return f"{text} {unit}".replace(" %", "%").strip()


def interval(line: Line) -> str:
    return "" if line.low == line.high else f"{line.low:.2f} to {line.high:.2f}"


def theirs(line: Line) -> str:
    return "" if line.theirs is None else _figure(line.theirs, line.unit)


HEAD = """# Reproductions of published experiments

Five theses built players for the games of this house and published figures. `fogbound reproduce` lists their
experiments, `fogbound reproduce ID` runs one with our players: ours beside theirs with a 95% interval.

A share of wins *agrees* with the published one if the two differ by less than chance would explain (Fisher's exact
test, 1%), given how many games each is made of. Where the document shows only a picture, what its text says of the
picture is tested. Times were measured on other machines and are shown without a verdict. Among many figures a few
differ by chance alone.

This page is written by `{command}`.
Played on {machine}; {versions}.
"""


def markdown(outcomes: Sequence[Outcome], experiments: Sequence[Experiment], games: int | None, full: bool) -> str:
    """A page with all runs, and what cannot be run yet."""
    size = " --full" if full else f" --games {games}" if games else ""
    found = ", ".join(f"{name} {number}" for name, number in versions().items())
    parts = [HEAD.format(command=f"fogbound reproduce --all{size} --page FILE", machine=machine(), versions=found)]
    parts.append("| experiment | what | verdict |\n|---|---|---|\n" + "".join(_overview(o) for o in outcomes))
    parts += [_section(outcome) for outcome in outcomes]
    done = {outcome.experiment.id for outcome in outcomes}
    waiting = [each for each in experiments if each.id not in done]
    rows = "".join(f"| {each.id} | {each.title} | {each.state} |\n" for each in waiting)
    parts.append(f"## Not run here\n| experiment | what | state |\n|---|---|---|\n{rows}")
    return "\n".join(parts)


def _overview(outcome: Outcome) -> str:
    return f"| {outcome.experiment.id} | {outcome.experiment.title} | {outcome.verdict} |\n"


def _markdown_row(line: Line) -> str:
    ours = f"{_figure(line.ours, line.unit)} | {interval(line)} | {line.games or ''}"
    return f"| {line.label} | {ours} | {theirs(line)} | {said(line)} |\n"


def _section(outcome: Outcome) -> str:
    experiment = outcome.experiment
    rows = "".join(_markdown_row(line) for line in outcome.lines)
    text = f"## {experiment.id}: {experiment.title}\n{experiment.document}. {experiment.setup}\n\n"
    text += f"| | ours | 95% | games | theirs | verdict |\n|---|---|---|---|---|---|\n{rows}"
    for claim, holds in outcome.claims:
        text += f"\nThe text says: {claim}. {'So it is here.' if holds else 'Not so here.'}\n"
    if experiment.missing():
        text += f"\nThe rest needs {few(experiment.missing())}.\n"
    return text
