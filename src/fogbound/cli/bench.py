"""Speed on this machine: the compiled rules beside the plain-Python reference, in one run."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import asdict, dataclass
from random import Random
from time import perf_counter
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.table import Table

from fogbound.cli.app import LOOK, app, err, out

if TYPE_CHECKING:
    from fogbound.core.contract import Game

SECONDS = 1.5  # how long each speed is measured
UNIFORM = "fogbound.agents.random.Random"  # any legal move, as the reference plays


@dataclass(frozen=True)
class Line:
    """One measurement, beside the plain-Python reference where there is one."""

    name: str
    value: float
    unit: str
    reference: float | None = None
    ratio: float | None = None


@app.command(rich_help_panel=LOOK)
def bench(as_json: Annotated[bool, typer.Option("--json", help="Print one JSON list and nothing else.")] = False) -> None:
    """Measure the speed of the rules on one core of this machine.

    Example: fogbound bench
    """
    from fogbound.core import registry

    lines: list[Line] = []
    for name in registry.families():
        game = registry.game(registry.family(name).bench or name)
        err.print(f"[dim]{game.spec} ...[/dim]")
        lines += _random_play(game)
    err.print("[dim]start and compile times ...[/dim]")
    lines += _start_times()
    if as_json:
        print(json.dumps([asdict(line) for line in lines]))
        return
    table = Table(box=None)
    for column, justify in (
        ("what", "left"),
        ("here", "right"),
        ("unit", "left"),
        ("plain Python", "right"),
        ("ratio", "right"),
    ):
        table.add_column(column, justify=justify)  # type: ignore[arg-type]
    for line in lines:
        reference = "" if line.reference is None else f"{line.reference:,.0f}"
        table.add_row(
            line.name, _figure(line.value), line.unit, reference, "" if line.ratio is None else f"{line.ratio:,.0f} x"
        )
    out.print(table)


def _figure(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:.2f}"


def _random_play(game: Game) -> list[Line]:
    """Random games through the batch that the lab uses, and in the reference, moves a second."""
    from fogbound.core.agent import PolicyAgent
    from fogbound.core.batch import play_batch
    from fogbound.core.runner import seat_agents

    agents = [agent for agent in seat_agents(game, [UNIFORM]) if isinstance(agent, PolicyAgent)]
    play_batch(game, agents, 0, 0, 10)
    began, games, moves = perf_counter(), 0, 0
    while perf_counter() - began < SECONDS:
        moves += int(play_batch(game, agents, 1, games, 2000).moves.sum())
        games += 2000
    seconds = perf_counter() - began
    reference = _reference_speed(game)
    name = f"random play, {game.spec}, {game.seats} seats"
    return [
        Line(name, moves / seconds, "moves/s", reference, None if reference is None else moves / seconds / reference),
        Line(name, games / seconds, "games/s"),
    ]


def _reference_speed(game: Game) -> float | None:
    """Moves a second of the same rules in plain Python, if the game has them."""
    from fogbound.core import registry

    place = registry.family(game.family).reference
    if not place:
        return None
    play_random: Callable[[Any, Random], int] = registry.fetch(place)
    rng, began, moves = Random(1), perf_counter(), 0
    while perf_counter() - began < SECONDS:
        moves += play_random(game.board, rng)  # type: ignore[attr-defined]
    return moves / (perf_counter() - began)


FIRST_MOVES = """
import sys, fogbound as fb
fb.game(sys.argv[1]).new(seed=1).legal()
"""


def _start_times() -> list[Line]:
    """A new process up to the first legal moves: with an empty cache, and with a warm one."""
    from fogbound.core import registry

    game = registry.families()[0]
    with tempfile.TemporaryDirectory() as folder:
        cold, warm = _timed(game, folder), min(_timed(game, folder) for _ in range(3))
    return [
        Line("compile the rules (empty cache)", cold - warm, "s"),
        Line("process start to first legal moves (warm cache)", warm, "s"),
    ]


def _timed(game: str, cache: str) -> float:
    began = perf_counter()
    command = [sys.executable, "-c", FIRST_MOVES, game]
    subprocess.run(command, check=True, env={**os.environ, "FOGBOUND_CACHE": cache})
    return perf_counter() - began
