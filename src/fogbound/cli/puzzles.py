"""Puzzles in the shell: making a file of them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer
from rich.progress import Progress

from fogbound.cli.app import DESIGN, app, err, out


@app.command(rich_help_panel=DESIGN)
def puzzles(
    game: Annotated[str, typer.Argument(help="The game, as in scotland-yard/plan1.")],
    number: Annotated[int, typer.Option("--number", min=1, help="How many puzzles to find.")] = 5,
    seed: Annotated[int, typer.Option(min=0, help="Which games to look through.")] = 0,
    file: Annotated[Path | None, typer.Option("--out", help="File to add them to; printed by default.")] = None,
) -> None:
    """Find positions in which one move is clearly the best, and prove it by exact values or deep search.

    Example: fogbound puzzles scotland-yard/grid5 --number 3 --out puzzles.json
    """
    from fogbound.core import registry
    from fogbound.core.puzzles import FORMAT
    from fogbound.lab.puzzles import find

    played = registry.game(game)
    kept = json.loads(file.read_text("utf-8"))["puzzles"] if file and file.exists() else []
    known = {each["id"] for each in kept}
    with Progress(console=err, transient=True) as progress:
        task = progress.add_task("Looking for puzzles", total=number)
        for puzzle in find(played, number, seed):
            progress.advance(task)
            if puzzle.id not in known:
                kept.append(puzzle.json())
                _write(file, FORMAT, kept)
    if file is None:
        out.print_json(json.dumps({"format": FORMAT, "puzzles": kept}))
    else:
        out.print(f"{len(kept)} puzzles in {file}.")


def _write(file: Path | None, format: str, kept: list[object]) -> None:
    if file is not None:
        lines = ",\n".join(json.dumps(each, separators=(",", ":")) for each in kept)
        file.write_text(f'{{"format": "{format}", "puzzles": [\n{lines}\n]}}\n', "utf-8")
