"""Exact play from the shell: `fogbound solve` and `fogbound exploit`."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Annotated

import typer
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

from fogbound.cli.app import RESEARCH, app, err, out
from fogbound.solve import estimate, store
from fogbound.solve.api import exploit as best_response
from fogbound.solve.api import solvable
from fogbound.solve.api import solve as solved

Game = Annotated[str, typer.Argument(help="A game of the scotland-yard family, such as scotland-yard/grid5.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON object and nothing else.")]
Hours = Annotated[float, typer.Option(help="Refuse a game that would take longer.")]


class Bar:
    """A progress bar on the error channel that appears with the first report, if anybody looks at it."""

    def __init__(self) -> None:
        self.progress = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            TextColumn("{task.completed}/{task.total}"),
            TimeRemainingColumn(),
            console=err,
            transient=True,
        )
        self.what, self.task = "", self.progress.add_task("", visible=False)

    def __enter__(self) -> Bar:
        return self

    def __exit__(self, *_error: object) -> None:
        if self.what:
            self.progress.stop()

    def __call__(self, what: str, done: int, total: int) -> None:
        if not err.is_interactive:
            return
        if what != self.what:
            self.progress.start()
            self.what = what
            self.progress.reset(self.task, description=what, total=total, visible=True)
        self.progress.update(self.task, completed=done)


@app.command(rich_help_panel=RESEARCH)
def solve(
    game: Game,
    tolerance: Annotated[float, typer.Option(help="How far apart the proved bounds may be.")] = 1e-3,
    fresh: Annotated[bool, typer.Option("--fresh", help="Solve it again, even if it has been solved before.")] = False,
    memory: Annotated[float | None, typer.Option(help="GB it may take (default: 60 % of what is free).")] = None,
    hours: Hours = 2.0,
    as_json: AsJson = False,
) -> None:
    """The exact value of a small hidden-movement game: how likely the detectives win between perfect players.

    Example: fogbound solve scotland-yard/grid5:rounds=6
    """
    played = solvable(game)
    if fresh:
        store.place(played).unlink(missing_ok=True)
        store.layers(played, tolerance).clear()
    if not as_json and not store.place(played).exists():
        limits = estimate.limits(memory, hours)
        size = estimate.refuse_if_too_large(played, tolerance, limits)
        err.print(f"[dim]Estimate: {estimate.in_words(size, limits)}.[/dim]")
    try:
        with Bar() as bar:
            solution = solved(played, tolerance, bar, memory=memory, hours=hours)
    except KeyboardInterrupt:
        err.print("What is solved so far is kept: the same command goes on from there.")
        raise
    if as_json:
        names = ("value", "lower", "upper", "seconds", "tolerance", "cached", "solve_seconds", "stretches")
        print(json.dumps({"game": played.spec, **{name: getattr(solution, name) for name in names}}))
        return
    out.print(f"[bold]{played.spec}[/bold]: between perfect players the detectives win with probability")
    out.print(
        f"  [bold]{solution.value:.4f}[/bold]  (proved: {solution.lower:.6f} to {solution.upper:.6f})", highlight=False
    )
    how = "from the cache; it took" if solution.cached else "solved in"
    out.print(f"[dim]  {how} {solution.solve_seconds:.1f} s, {solution.stretches:,} stretches[/dim]", highlight=False)


@app.command(rich_help_panel=RESEARCH)
def exploit(
    game: Game,
    agent: Annotated[str, typer.Option(help="The agent to be exploited, such as heuristic.")],
    side: Annotated[str, typer.Option(help="The side it plays: mr-x or detectives.")],
    queries: Annotated[int | None, typer.Option(help="How often to ask an agent that draws, in each position.")] = None,
    mirror: Annotated[
        bool, typer.Option("--mirror", help="Ask in one of each set of mirror images only: up to eight times faster.")
    ] = False,
    luck: Annotated[int, typer.Option(help="Another number asks an agent that draws with other luck.")] = 0,
    starts: Annotated[int | None, typer.Option(help="Draw only so many of the starts that look different.")] = None,
    workers: Annotated[int | None, typer.Option(help="Processes to ask in (default: all cores).")] = None,
    hours: Hours = 2.0,
    as_json: AsJson = False,
) -> None:
    """How much a perfect opponent wins against an agent.

    Example: fogbound exploit scotland-yard/grid5 --agent heuristic --side detectives
    """
    with Bar() as bar:
        found = best_response(game, agent, side, queries, bar, hours, workers, mirror, luck, starts)
        value = solved(game, hours=hours)
    if as_json:
        print(
            json.dumps(
                {**asdict(found), "perfect": value.value, "exploitability": _given_up(found.side, found.value, value.value)}
            )
        )
        return
    interval = (
        "" if found.exact else f" (between {found.low:.4f} and {found.high:.4f}, asked {found.queries} times a position)"
    )
    out.print(f"[bold]{found.game}[/bold]: {found.agent} as {found.side} against its best response")
    out.print(f"  the detectives win with probability [bold]{found.value:.4f}[/bold]{interval}", highlight=False)
    lost = _given_up(found.side, found.value, value.value)
    out.print(f"  perfect play: {value.value:.4f}; {found.agent} gives up {lost:.4f}", highlight=False)
    out.print(f"[dim]  {found.seconds:.1f} s[/dim]", highlight=False)


def _given_up(side: str, value: float, perfect: float) -> float:
    return value - perfect if side == "Mr X" else perfect - value
