"""Speed on this machine: the compiled rules beside the plain-Python reference, in one run."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from dataclasses import asdict, dataclass
from importlib import import_module
from random import Random
from time import perf_counter
from typing import Annotated

import typer
from rich.table import Table

from fogbound.cli.app import LOOK, app, err, out
from fogbound.core import registry
from fogbound.core.agent import PolicyAgent
from fogbound.core.batch import play_batch
from fogbound.core.contract import Game
from fogbound.core.runner import seat_agents

SECONDS = 1.5  # how long each speed is measured
GAMES = ("scotland-yard/london", "risk/classic:round_limit=15", "empire/seed")  # random Risk needs an end
UNIFORM = "fogbound.agents.random.Random"  # any legal move, as the reference plays; Risk's own random player attacks more


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
    lines: list[Line] = []
    for spec in GAMES:
        err.print(f"[dim]{spec} ...[/dim]")
        lines += _random_play(registry.game(spec))
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
        Line(name, moves / seconds, "moves/s", reference, moves / seconds / reference),
        Line(name, games / seconds, "games/s"),
    ]


def _reference_speed(game: Game) -> float:
    """Moves a second of the plain-Python engine that stands beside the game's rules."""
    module = import_module(type(game).__module__.rpartition(".")[0] + ".reference")
    rng, began, moves = Random(1), perf_counter(), 0
    while perf_counter() - began < SECONDS:
        moves += module.play_random(game.board, rng)  # type: ignore[attr-defined]
    return moves / (perf_counter() - began)


FIRST_MOVES = """
import fogbound as fb
fb.game("scotland-yard/london").new(seed=1).legal()
"""


def _start_times() -> list[Line]:
    """A new process up to the first legal moves: with an empty cache, and with a warm one."""
    with tempfile.TemporaryDirectory() as folder:
        cold, warm = _timed(folder), min(_timed(folder) for _ in range(3))
    return [
        Line("compile the rules (empty cache)", cold - warm, "s"),
        Line("process start to first legal moves (warm cache)", warm, "s"),
    ]


def _timed(cache: str) -> float:
    began = perf_counter()
    subprocess.run([sys.executable, "-c", FIRST_MOVES], check=True, env={**os.environ, "FOGBOUND_CACHE": cache})
    return perf_counter() - began
