"""Better options for an agent, and figures about a game: `fogbound tune` and `fogbound metrics`."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Annotated

import typer
from rich.table import Table

from fogbound.cli.app import DESIGN, RESEARCH, app, err, out
from fogbound.core.errors import BadOption

Game = Annotated[str, typer.Argument(help="The game, such as scotland-yard/plan1.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON object and nothing else.")]
Workers = Annotated[int | None, typer.Option(help="Cores to use; all by default.")]


@app.command(rich_help_panel=RESEARCH)
def tune(
    game: Game,
    agent: Annotated[str, typer.Option(help="The agent to begin with, such as mcts:iterations=200.")],
    vary: Annotated[list[str], typer.Option(help="An option and its range, as in c=0.5..3; may be given several times.")],
    steps: Annotated[int, typer.Option(min=1, help="How often the options are changed.")] = 30,
    games: Annotated[int, typer.Option(min=2, help="Seeds of each step's trial; each is played with both seatings.")] = 40,
    seed: Annotated[int, typer.Option(help="The seed of the trials and of the test.")] = 0,
    elo: Annotated[float, typer.Option(help="The test at the end asks for so much more strength.")] = 20.0,
    most: Annotated[int, typer.Option(min=2, help="Seeds of that test at the most.")] = 4000,
    workers: Workers = None,
    as_json: AsJson = False,
) -> None:
    """Tune an agent's options by games against itself, and test the result.

    Example: fogbound tune scotland-yard/grid5 --agent mcts:iterations=200 --vary c=0.2..3
    """
    from fogbound.lab.tune import tune as tuned

    ranges = {}
    for text in vary:
        name, equals, value = text.partition("=")
        if not equals:
            raise BadOption(f"“{text}” is not an option with a range: write NAME=LOW..HIGH, as in c=0.5..3.")
        ranges[name.strip().replace("-", "_")] = value
    if not as_json:
        err.print(f"[dim]{steps} trials of {2 * games} games ...[/dim]")

    def told(step: int, count: int, values: dict[str, float]) -> None:
        if err.is_interactive and not as_json:
            err.print(f"[dim]{step}/{count}  {values}[/dim]", highlight=False)

    found = tuned(game, agent, ranges, steps, games, seed, elo, most, workers, told)
    low, high = found.test.interval
    if as_json:
        result = {"game": found.game, "began": found.began, "agent": found.agent, "verdict": found.verdict}
        test = {"share": found.test.share, "low": low, "high": high, "games": found.test.games}
        print(json.dumps({**result, "test": test, "steps": [{**values, "share": share} for values, share in found.steps]}))
        return
    out.print(f"[bold]{found.agent}[/bold]", highlight=False, soft_wrap=True)
    points = f"{100 * found.test.share:.1f}% of the points (95% {100 * low:.1f} to {100 * high:.1f})"
    out.print(f"  against {found.began}: {points} in {found.test.games:,} games", highlight=False)
    words = {
        "better": f"at least {elo:g} Elo better",
        "not better": "no better",
        "open": "not decided yet: give --most more",
    }
    out.print(f"  the sequential test says: {words[found.verdict]}", highlight=False)


@app.command(rich_help_panel=DESIGN)
def metrics(
    game: Game,
    agents: Annotated[str, typer.Option(help="An agent a side, separated by commas, or one for all.")] = "heuristic",
    games: Annotated[int, typer.Option(min=1, help="How many games.")] = 200,
    seed: Annotated[int, typer.Option(help="The seed of the games.")] = 0,
    looks: Annotated[int, typer.Option(min=1, help="Moments of each game at which it is judged who leads.")] = 10,
    playouts: Annotated[int, typer.Option(min=1, help="Random playouts for each of these judgements.")] = 20,
    workers: Workers = None,
    as_json: AsJson = False,
) -> None:
    """Figures about a game: length, branching, fairness, lead changes, drama.

    Example: fogbound metrics scotland-yard/plan1 --agents heuristic --games 200
    """
    from fogbound.core import registry
    from fogbound.lab.metrics import metrics as measured

    found = measured(game, registry.split_specs(agents), games, seed, looks, playouts, workers)
    if as_json:
        print(json.dumps(asdict(found)))
        return
    table = Table(box=None, show_header=False, title=f"{found.game}: {found.games} games", title_justify="left")
    for name, (share, low, high) in found.sides.items():
        table.add_row(f"points of {name}", f"{100 * share:.1f}%  (95% {100 * low:.1f} to {100 * high:.1f})")
    table.add_row("who moves first gets more by", f"{100 * found.first_mover:+.1f} points of 100")
    table.add_row("games without a single winner", f"{100 * found.draws:.1f}%")
    table.add_row("moves a game", f"{found.length:.1f}  (nine of ten: {found.length_low:.0f} to {found.length_high:.0f})")
    table.add_row("legal moves at a decision", f"{found.branching:.1f}")
    table.add_row("forced moves", f"{100 * found.forced:.1f}%")
    table.add_row("lead changes a game", f"{found.lead_changes:.2f}")
    table.add_row("drama, from 0 to 1", f"{found.drama:.2f}")
    table.add_row("decided after", f"{100 * found.decided:.0f}% of a game")
    out.print(table)
