"""Reports on reproductions: in the shell, as JSON, and as a page."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from rich.console import Console
from rich.table import Table

from fogbound.lab.provenance import machine, versions
from fogbound.lab.reproduce import trainings
from fogbound.lab.reproduce.comparison import NO_FIGURE, PICTURE, Experiment, Line, Outcome, Run, few
from fogbound.lab.reproduce.figures import TOO_FEW

ENOUGH = 3  # causes that have to be ruled out before a difference may stay unexplained
COLOUR = {"agrees": "green", "differs": "yellow", PICTURE: "dim", TOO_FEW: "dim"}


SO = {
    True: "So it is here.",
    False: "Not so here.",
    None: "That cannot be told here: chance and the spread of trainings may make what is seen.",
}
THEN = {True: "it is so", False: "it is still not so", None: "it cannot be told"}


def summary(experiment: Experiment, outcome: Outcome | None = None) -> dict[str, Any]:
    """An experiment, and a run of it, as JSON."""
    about: dict[str, Any] = {"id": experiment.id, "document": experiment.document, "title": experiment.title}
    about |= {"setup": experiment.setup, "state": experiment.state, "needs": experiment.missing(), "runs": experiment.runs}
    if outcome is None:
        return about
    return about | {
        "verdict": outcome.verdict,
        "seed": outcome.seed,
        "full": outcome.has_full_size,
        "figures": [line.row() for line in outcome.lines],
        "claims": [{"text": text, "holds": holds} for text, holds in outcome.claims],
        "tried": [{"cause": each.cause, "figures": [line.row() for line in each.lines]} for each in outcome.tried],
        "counts": vars(counted(outcome)),
    }


@dataclass(frozen=True)
class Counts:
    """How many figures and statements agree, differ for a cause that was tested, and differ for an unknown one."""

    agree: int = 0
    explained: int = 0
    unexplained: int = 0

    def __add__(self, other: Counts) -> Counts:
        return Counts(*(a + b for a, b in zip(vars(self).values(), vars(other).values(), strict=True)))


def counted(outcome: Outcome) -> Counts:
    return Counts(outcome.agreeing, outcome.explained, len(outcome.unexplained))


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
    out.print(f"[dim]Here: {size(outcome)}[/dim]", highlight=False)
    out.print(_table(outcome.lines))
    for text, holds in outcome.claims:
        colour = {True: "green", False: "yellow", None: "dim"}[holds]
        out.print(f"  The text says: {text}. [{colour}]{SO[holds]}[/{colour}]")
    for tried in outcome.tried:
        out.print(f"\n  Tried: {tried.cause}", highlight=False)
        if tried.lines:
            out.print(_table(tried.lines))
        for text, chance in tried.chances.items():
            out.print(f"  {_now_and_then(text, chance)}", highlight=False)
    if experiment.missing() and not experiment.from_people:
        out.print(f"  [dim]The rest needs {few(experiment.missing())}.[/dim]")
    out.print(f"[bold]Verdict: {outcome.verdict}[/bold]\n")


def _table(lines: Sequence[Line]) -> Table:
    table = Table(box=None)
    for column in ("", *COLUMNS):
        table.add_column(column, justify="left" if column in ("", "verdict") else "right")
    for line in lines:
        colour = COLOUR[line.verdict]
        table.add_row(line.label, *_cells(line)[:-1], f"[{colour}]{said(line)}[/{colour}]")
    return table


COLUMNS = ("ours", "95%", "games", "thought", "seconds", "theirs", "verdict")


def _cells(line: Line) -> tuple[str, ...]:
    """A figure under COLUMNS."""
    games = f"{line.games:,}" if line.games else ""
    seconds = f"{line.seconds:,.1f}" if line.seconds else ""
    return _figure(line.ours, line.unit), interval(line), games, line.thought, seconds, theirs(line), said(line)


def size(outcome: Outcome) -> str:
    """What was really played, in a sentence."""
    played = [line for line in outcome.lines if line.games]
    if not played:
        return "nothing had to be played."
    fewest, most = min(line.games for line in played), max(line.games for line in played)
    games = f"{fewest:,}" if fewest == most else f"{fewest:,} to {most:,}"
    budgets = ", ".join(dict.fromkeys(line.thought for line in played if line.thought))
    size = "sizes as published or larger" if outcome.has_full_size else "smaller than published"
    return f"{size}; {games} games a figure{f', {budgets}' if budgets else ''}.{_rest(outcome, played)}"


def _rest(outcome: Outcome, played: Sequence[Line]) -> str:
    """How long the games would take that are missing to the published number."""
    hours = sum(line.seconds / line.games * outcome.lacking(line) for line in played) / 3600
    return f" The games that are missing would take one core about {hours:.1f} hours." if hours > 0.1 else ""


def said(line: Line) -> str:
    """The verdict on a figure; a time of another machine has none."""
    if line.unit == "s" and line.theirs is not None:
        return "another machine"
    return NO_FIGURE if line.verdict == PICTURE else line.verdict


def _figure(value: float, unit: str) -> str:
    text = f"{value:.2f}" if abs(value) >= 0.1 or value == 0 else f"{value:.2g}"
    return f"{text} {unit}".replace(" %", "%").strip()


def interval(line: Line) -> str:
    text = "" if line.low == line.high else f"{line.low:.2f} to {line.high:.2f}"
    return f"{text} ({line.seeds} trainings, spread {line.spread:.2f})" if line.seeds else text


def theirs(line: Line) -> str:
    return "" if line.theirs is None else _figure(line.theirs, line.unit)


HEAD = """# Reproductions of published experiments

Five theses built players for the games of this house and published figures. `fogbound reproduce` lists their
experiments, `fogbound reproduce ID` runs one with our players: ours beside theirs with a 95% interval.

A share of wins *agrees* with the published one if the two differ by less than chance would explain (Fisher's exact
test, 1%), given how many games each is made of. A trained net is compared as one training more among several of ours:
by their mean and spread, not by the games of one; nets of one experiment are taken to spread alike against the same
opponent. Where the document shows only a picture, what its text says of the picture is tested. Times were measured on
other machines and are shown without a verdict. Among many figures a few differ by chance alone.

Where a figure differs, possible causes were tried out one at a time. A cause is *ruled out* if the figure still differs
with it, and the difference is *explained* by a cause with which it agrees. The more causes are tried, the more likely a
wrong one fits by chance. So a cause has to fit the better the more were tried, by Bonferroni's correction: with five,
chance has to make what is left of the difference in at least 5% of cases, not 1%. It also has to make a difference
itself: the figure with it is not the one without it (5%). One that does less, and still is not ruled out, is called open.
What was found by other means than playing, and most of what the text says, has no such test. If the text compares nets
that were trained once each, and the means of ours are the other way round, one cause is always tried: how often single
trainings, which spread as ours do, come out in the order of the text. Each section says how many causes were tried for each
figure, and what else may be the cause.

A statement that one figure is larger *can be neither confirmed nor denied* if ours are the other way round by no more than
chance and the spread of trainings may make. A statement that something makes no difference is confirmed if the whole 95%
interval of the difference is below the margin that is told with it.

This page is written by `{command}`. {sizes}
Each table says how many games were played, how long the players were allowed to think, and how many seconds they did.
Put together on {machine} ({versions}); the seconds are those of the machines that played.
"""


def markdown(
    outcomes: Sequence[Outcome], experiments: Sequence[Experiment], run: Run, before: Mapping[str, Before] | None = None
) -> str:
    """A page with all runs, and what cannot be run yet; with an earlier page, its verdicts beside the new ones."""
    options = " --full" if run.full else f" --games {run.games}" if run.games else ""
    found = ", ".join(f"{name} {number}" for name, number in versions().items())
    command = f"fogbound reproduce --all{options}{' --out FOLDER' if run.folder else ''} --page FILE"
    parts = [HEAD.format(command=command, sizes=_sizes(outcomes), machine=machine(), versions=found)]
    parts.append(_verdicts(outcomes, before or {}))
    parts += _reconstructed([outcome.experiment for outcome in outcomes])
    for document, alike in groupby(outcomes, lambda outcome: outcome.experiment.document):
        sections = list(alike)
        answers = [told for outcome in sections if (told := outcome.answer)]
        parts += [f"## {document}\n{' '.join(answers)}\n"] if answers else []
        with trainings.found_in(run.folder):
            parts += [_section(outcome) for outcome in sections]
    done = {outcome.experiment.id for outcome in outcomes}
    waiting = [each for each in experiments if each.id not in done]
    rows = "".join(f"| {each.id} | {each.title} | {each.state} |\n" for each in waiting)
    parts += [f"## Not run here\n| experiment | what | state |\n|---|---|---|\n{rows}"] if waiting else []
    return "\n".join(parts)


def _reconstructed(experiments: Sequence[Experiment]) -> list[str]:
    """What the documents do not give, once for all experiments of which the same is said."""
    alike: dict[str, list[str]] = {}
    for each in experiments:
        alike.setdefault(each.reconstructed, []).append(each.id)
    made = [f"- **{', '.join(ids)}**: {text}\n" for text, ids in alike.items() if text]
    return ["## What is ours in them\nThe documents do not give everything:\n\n" + "".join(made)] if made else []


def _sizes(outcomes: Sequence[Outcome]) -> str:
    smaller = [outcome.experiment.id for outcome in outcomes if not outcome.has_full_size]
    if not smaller:
        return "All sizes are as published or larger."
    return (
        f"Smaller than published are the sizes of {', '.join(smaller)}; all others are as published or larger. Games by the "
        "clock want a core that does nothing else, and long searches and trainings take hours; each section says what "
        "was played."
    )


@dataclass(frozen=True)
class Before:
    """What an earlier page says of an experiment."""

    verdict: str
    agree: int
    differ: int


def earlier(page: str) -> dict[str, Before]:
    """The verdicts of an earlier page, and how many figures and statements agreed and differed there."""
    sections = {name: text for name, _, text in (part.partition(": ") for part in page.split("\n## ")[1:])}
    found = {}
    for row in re.findall(r"^\| ([HTLVK]\S+) \|(.*)\|$", page, re.MULTILINE):
        cells = [cell.strip() for cell in row[1].split("|")]
        text = sections.get(row[0], "").partition("\n### ")[0]
        agree = text.count("| agrees |") + text.count("So it is here.")
        found[row[0]] = Before(
            cells[-1 if len(cells) == 2 else 2], agree, text.count("| differs |") + text.count("Not so here.")
        )
    return found


def _verdicts(outcomes: Sequence[Outcome], before: Mapping[str, Before]) -> str:
    """The verdict table, and its sums."""
    text = (
        "| experiment | what |"
        + (" before |" if before else "")
        + " now | agree | explained | unexplained | least ruled out |\n"
    )
    text += "|---|---|" + ("---|" if before else "") + "---|---|---|---|---|\n"
    for outcome in outcomes:
        found, name = counted(outcome), outcome.experiment.id
        was = f" {before[name].verdict if name in before else 'not there'} |" if before else ""
        least = min((len(outcome.ruled_out(label)) for label in outcome.unexplained), default="")
        text += f"| {name} | {outcome.experiment.title} |{was} {outcome.verdict} |"
        text += f" {found.agree} | {found.explained} | {found.unexplained} | {least} |\n"
    total = sum(map(counted, outcomes), Counts())
    text += f"\nFigures and statements: {total.agree} agree, {total.explained} differ with an explanation that was tested, "
    text += f"{total.unexplained} differ unexplained.\n"
    open_yet = sum(line.verdict == TOO_FEW for outcome in outcomes for line in outcome.lines)
    if open_yet:
        text += (
            f"Figures without a verdict, since too few nets were trained to know how much trainings differ: {open_yet}.\n"
        )
    untested = [outcome.experiment.id for outcome in outcomes for _ in outcome.untested]
    if untested:
        text += f"Statements that are not tested yet: {len(untested)} ({', '.join(dict.fromkeys(untested))}).\n"
    undecided = [outcome.experiment.id for outcome in outcomes for _, holds in outcome.claims if holds is None]
    if undecided:
        text += (
            "Statements that can be neither confirmed nor denied, since chance and the spread of trainings may make what is "
        )
        text += f"seen: {len(undecided)} ({', '.join(dict.fromkeys(undecided))}).\n"
    if before:
        shown = [before[o.experiment.id] for o in outcomes if o.experiment.id in before]
        agree, differ = (sum(getattr(each, name) for each in shown) for name in ("agree", "differ"))
        text += f"Before, {agree} agreed and {differ} differed, none of these explained.\n"
    poor = [f"{o.experiment.id} {x}" for o in outcomes for x in o.unexplained if len(o.ruled_out(x)) < ENOUGH]
    if poor:
        text += f"Unexplained with fewer than {ENOUGH} causes ruled out: {len(poor)} ({'; '.join(poor)}).\n"
    return text


def _rows(lines: Sequence[Line]) -> str:
    head = f"| | {' | '.join(COLUMNS)} |\n|---|{'---|' * len(COLUMNS)}\n"
    return head + "".join(f"| {line.label} | {' | '.join(_cells(line))} |\n" for line in lines)


def _section(outcome: Outcome) -> str:
    experiment = outcome.experiment
    text = f"## {experiment.id}: {experiment.title}\n{experiment.document}. Published: {experiment.setup}\n\n"
    text += f"Here: {size(outcome)}\n\n{_rows(outcome.lines)}"
    for claim, holds in outcome.claims:
        text += f"\nThe text says: {claim}. {SO[holds]}\n"
    text += "".join(f"\nThe text says: {claim}. That is not tested yet.\n" for claim in outcome.untested)
    if outcome.untested or any(line.verdict == TOO_FEW for line in outcome.lines):
        command = f"fogbound reproduce {experiment.id} --full --out FOLDER"
        text += f"\nWhat is missing is trained, and played, by `{command}`.\n"
    if experiment.missing() and not experiment.from_people:
        text += f"\nThe rest needs {few(experiment.missing())}.\n"
    return text + _causes(outcome)


def _causes(outcome: Outcome) -> str:
    """What was tried to explain differences, and what remains possible."""
    experiment, text = outcome.experiment, ""
    if outcome.tried or experiment.findings:
        text += f"\n### What was tested for {experiment.id}\n"
    for tried in outcome.tried:
        text += f"\n{tried.cause}:\n" + (f"\n{_rows(tried.lines)}" if tried.lines else "")
        text += "".join(f"\nThen {THEN[holds]} that {claim}.\n" for claim, holds in tried.claims)
        text += "".join(f"\n{_now_and_then(claim, chance)}\n" for claim, chance in tried.chances.items())
    if any(tried.lines for tried in outcome.tried):
        text += f"\nEach line is made by `{_command(outcome)}` with its own players.\n"
    if experiment.findings:
        text += "\n| cause | found | so it is | command |\n|---|---|---|---|\n"
        for each in experiment.findings:
            said = "an explanation" if each.explains else "ruled out"
            text += f"| {each.cause} | {each.found} | {said} | `{each.command}` |\n"
    if outcome.differing() and (outcome.tried or experiment.findings):
        text += "\n| what differs | causes tried | explained by | open | ruled out |\n|---|---|---|---|---|\n"
        for label in outcome.differing():
            explained, ruled_out, every = outcome.explanations(label), outcome.ruled_out(label), outcome.causes(label)
            unclear = [cause for cause in every if cause not in {*explained, *ruled_out}]
            text += f"| {label} | {len(every)} | {'; '.join(explained)} | {'; '.join(unclear)} | {len(ruled_out)} |\n"
    if experiment.possible:
        text += "\nWhat remains possible: " + " ".join(experiment.possible) + "\n"
    return text


def _now_and_then(claim: str, chance: float) -> str:
    return f"Then it is so in {100 * chance:.1f}% of cases that {claim}."


def _command(outcome: Outcome) -> str:
    return f"fogbound reproduce {outcome.experiment.id}{' --full' if outcome.full else ''}"
