"""Exact play from the shell: `fogbound solve` and `fogbound exploit`."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

from fogbound.cli.app import RESEARCH, app, err, out

Game = Annotated[str, typer.Argument(help="A small game, such as scotland-yard/grid5.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON object and nothing else.")]
QUERIES = 200  # answers of a stochastic agent in each position of a tree
Hours = Annotated[float, typer.Option(help="Refuse a game that would take longer.")]


class Bar:
    """A progress bar on stderr that appears with the first report, if stderr is a terminal."""

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
    fresh: Annotated[bool, typer.Option("--fresh", help="Solve the game again even if its solution is stored.")] = False,
    memory: Annotated[float | None, typer.Option(help="GB it may take (default: 60 % of the free memory).")] = None,
    hours: Hours = 2.0,
    scratch: Annotated[
        Path | None, typer.Option(help="Folder for work in progress, GBs in large games (default: the cache folder).")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Solve a small game: the probability that the detectives win, or the score of the first side, between perfect players.

    Example: fogbound solve scotland-yard/grid5:rounds=6
    """
    from fogbound.core import registry
    from fogbound.solve import estimate, store
    from fogbound.solve.api import solvable
    from fogbound.solve.api import solve as solved
    from fogbound.solve.solver import is_hidden_movement

    if not is_hidden_movement(registry.game(game)):
        _solve_tree(game, tolerance, as_json)
        return
    played = solvable(game)
    if fresh:
        store.path(played).unlink(missing_ok=True)
        store.checkpoint(played, tolerance, store.scratch_folder(scratch)).clear()
    if not as_json and not store.path(played).exists():
        limits = estimate.limits(memory, hours, store.scratch_folder(scratch))
        size = estimate.refuse_if_too_large(played, limits)
        err.print(f"[dim]Estimate: {estimate.in_words(size, limits)}.[/dim]")
    try:
        with Bar() as bar:
            solution = solved(played, tolerance, bar, memory=memory, hours=hours, scratch=scratch)
    except KeyboardInterrupt:
        err.print("Stopped. The same command resumes from here.")
        raise
    if as_json:
        names = ("value", "lower", "upper", "seconds", "tolerance", "cached", "solve_seconds", "subgames")
        fields = {name: getattr(solution, name) for name in names}
        print(json.dumps({"game": played.spec, **fields, "stretches": solution.subgames}))  # its former name
        return
    out.print(f"[bold]{played.spec}[/bold]: between perfect players the detectives win with probability")
    out.print(
        f"  [bold]{solution.value:.4f}[/bold]  (proved: {solution.lower:.6f} to {solution.upper:.6f})", highlight=False
    )
    how = "from the cache; solving took" if solution.cached else "solved in"
    out.print(f"[dim]  {how} {solution.solve_seconds:.1f} s, {solution.subgames:,} subgames[/dim]", highlight=False)


def _solve_tree(game: str, tolerance: float, as_json: bool) -> None:
    """A game of another family, through its whole tree."""
    from fogbound.solve import tree

    with Bar() as bar:
        found = tree.cfr(game, tolerance, progress=bar)
    if as_json:
        names = ("value", "lower", "upper", "seconds", "tolerance", "iterations")
        size = {"nodes": found.tree.nodes, "information_sets": len(found.tree.sets)}
        print(json.dumps({"game": found.game.spec, **{name: getattr(found, name) for name in names}, **size}))
        return
    out.print(f"[bold]{found.game.spec}[/bold]: between perfect players {found.game.side_names[0]} scores")
    out.print(f"  [bold]{found.value:.6f}[/bold]  (proved: {found.lower:.6f} to {found.upper:.6f})", highlight=False)
    sizes = f"{found.tree.nodes:,} nodes, {len(found.tree.sets):,} information sets, {found.iterations:,} iterations"
    out.print(f"[dim]  solved in {found.seconds:.1f} s, {sizes}[/dim]", highlight=False)


@app.command(rich_help_panel=RESEARCH)
def exploit(
    game: Game,
    agent: Annotated[str, typer.Option(help="The agent to exploit, such as heuristic.")],
    side: Annotated[str, typer.Option(help="The side it plays: mr-x or detectives.")],
    queries: Annotated[int | None, typer.Option(help="How often to query a stochastic agent in each position.")] = None,
    mirror: Annotated[
        bool, typer.Option("--mirror", help="Query one of all symmetric positions only: up to eight times faster.")
    ] = False,
    seed: Annotated[int, typer.Option("--seed", "--luck", help="The seed of a stochastic agent.")] = 0,
    starts: Annotated[int | None, typer.Option(help="Sample only so many of the public starts.")] = None,
    workers: Annotated[int | None, typer.Option(help="Processes that query the agent (default: one per core).")] = None,
    hours: Hours = 2.0,
    as_json: AsJson = False,
) -> None:
    """The best response to an agent: how much a perfect opponent wins against it.

    Example: fogbound exploit scotland-yard/grid5 --agent heuristic --side detectives
    """
    from fogbound.core import registry
    from fogbound.solve.api import exploit as best_response
    from fogbound.solve.api import solve as solved
    from fogbound.solve.solver import is_hidden_movement

    if not is_hidden_movement(registry.game(game)):
        _exploit_tree(game, agent, side, queries, as_json)
        return
    with Bar() as bar:
        found = best_response(game, agent, side, queries, bar, hours, workers, mirror, seed, starts)
        value = solved(game, hours=hours)
    exploitability = _exploitability(found.side, found.value, value.value)
    if as_json:
        print(json.dumps({**asdict(found), "perfect": value.value, "exploitability": exploitability}))
        return
    interval = "" if found.exact else f" (between {found.low:.4f} and {found.high:.4f}, {found.queries} queries a position)"
    out.print(f"[bold]{found.game}[/bold]: {found.agent} as {found.side} against its best response")
    out.print(f"  the detectives win with probability [bold]{found.value:.4f}[/bold]{interval}", highlight=False)
    out.print(f"  perfect play: {value.value:.4f}; {found.agent} gives up {exploitability:.4f}", highlight=False)
    out.print(f"[dim]  {found.seconds:.1f} s[/dim]", highlight=False)


def _exploit_tree(game: str, agent: str, side: str, queries: int | None, as_json: bool) -> None:
    """A game of another family, through its whole tree."""
    from fogbound.solve import tree

    found = tree.best_response(game, agent, side, queries or QUERIES)
    if as_json:
        told = {name: value for name, value in asdict(found).items() if name != "strategy"}
        print(json.dumps({**told, "exploitability": found.exploitability}))
        return
    about = "" if found.exact else f" (its strategy estimated from {queries or QUERIES} answers a position)"
    out.print(f"[bold]{found.game}[/bold]: {found.agent} as {found.side} scores against its best response")
    out.print(f"  [bold]{found.value:.4f}[/bold]{about}", highlight=False)
    out.print(f"  perfect play: {found.perfect:.4f}; {found.agent} gives up {found.exploitability:.4f}", highlight=False)


def _exploitability(side: str, value: float, perfect: float) -> float:
    return value - perfect if side == "Mr X" else perfect - value
