"""Watching the lab in the browser: a tournament or a training that runs elsewhere, or is over."""

from __future__ import annotations

import csv
import math
from pathlib import Path
from typing import Annotated, Any

import typer

from fogbound.cli.app import RESEARCH, app
from fogbound.core.errors import FogboundError

HERE = "127.0.0.1"
RESULTS, CURVES, TRIALS = "results.sqlite", "curves.csv", "trials.csv"
MOST_POINTS = 500  # of a curve


@app.command(rich_help_panel=RESEARCH)
def watch(
    folder: Annotated[Path, typer.Argument(help="The folder of a tournament's results or of a training.")],
    port: Annotated[int | None, typer.Option(help="Port of the page; the first free one by default.")] = None,
) -> None:
    """Show a tournament or a training in the browser while it runs: standings, who beat whom, curves, games.

    Example: fogbound tournament cup.toml, and in another terminal: fogbound watch cup-results
    """
    from fogbound.cli.serve import free_port, run_server

    watched = _found(folder)

    async def prepare(lobby: Any) -> dict[str, Any]:
        lobby.watched = watched
        return {"page": "/lab"}

    run_server(HERE, port or free_port(HERE), None, prepare, browser=True)


def _found(folder: Path) -> Tournament | Training:
    if (folder / RESULTS).exists():
        return Tournament(folder / RESULTS)
    if (folder / CURVES).exists():
        return Training(folder)
    raise FogboundError(f"{folder} holds neither a tournament ({RESULTS}) nor a training ({CURVES}): which folder is it?")


class Tournament:
    """What a tournament's store says now."""

    def __init__(self, file: Path) -> None:
        self.file = file

    def told(self) -> dict[str, Any]:
        from fogbound.lab.results import Results

        results = Results.open(self.file)
        try:
            cells = results.cross_table()
            return _told(
                {
                    "kind": "tournament",
                    "name": results.settings["name"],
                    "games": results.count,
                    "planned": results.total,
                    "standings": results.standings() if results.count else [],
                    "cells": cells,
                    "meetings": results.encounters(),
                }
            )
        finally:
            results.store.close()

    def record(self, seating: int, number: int) -> dict[str, Any]:
        """A game of a seating: the one of this place among those that were played."""
        from fogbound.lab.results import Results

        results = Results.open(self.file)
        try:
            played = results.games.get(seating)
            if played is None or not len(played.numbers):
                raise FogboundError("No game of this meeting has been played yet.")
            return results.record(seating, int(played.numbers[number % len(played.numbers)])).to_json()
        finally:
            results.store.close()


class Training:
    """What a training's folder says now."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def told(self) -> dict[str, Any]:
        curve, trials = (_rows(self.folder / name) for name in (CURVES, TRIALS))
        step = max(1, len(curve) // MOST_POINTS)
        return _told({"kind": "training", "name": self.folder.name, "curve": curve[::step], "trials": trials})

    def record(self, seating: int, number: int) -> dict[str, Any]:
        raise FogboundError("A training keeps no games.")


def _rows(file: Path) -> list[dict[str, Any]]:
    if not file.exists():
        return []
    with file.open(encoding="utf-8", newline="") as lines:
        return [{key: _number(value) for key, value in row.items()} for row in csv.DictReader(lines)]


def _number(text: str) -> Any:
    try:
        return float(text)
    except ValueError:
        return text


def _told(found: dict[str, Any]) -> dict[str, Any]:
    """As JSON can say it."""
    return {key: _plain(value) for key, value in found.items()}


def _plain(value: Any) -> Any:
    """What is not a number becomes nothing."""
    if isinstance(value, dict):
        return {key: _plain(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(each) for each in value]
    if hasattr(value, "item"):
        value = value.item()
    return None if isinstance(value, float) and not math.isfinite(value) else value
