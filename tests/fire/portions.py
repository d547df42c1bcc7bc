"""A long trial in portions: on several processes, and gone on with after an interruption."""

from __future__ import annotations

import json
import multiprocessing
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from pathlib import Path
from typing import Any

Portion = tuple[Any, ...]
Row = dict[str, Any]


def done_in_portions(work: Callable[..., Row], portions: Sequence[Portion], workers: int, kept: Path | None) -> list[Row]:
    """What comes of every portion. A file keeps it from run to run, a line each."""
    rows = _read(kept)
    left = [portion for portion in portions if json.dumps(portion) not in rows]
    for portion, row in _done(work, left, workers):
        rows[json.dumps(portion)] = row
        if kept is not None:
            with kept.open("a") as file:
                file.write(json.dumps([portion, row]) + "\n")
    return [rows[json.dumps(portion)] for portion in portions]


def _done(work: Callable[..., Row], portions: Sequence[Portion], workers: int) -> Iterator[tuple[Portion, Row]]:
    if workers == 1:
        yield from ((portion, work(*portion)) for portion in portions)
        return
    # Processes of their own, and not copies of this one: compiled code and forks do not go together.
    with ProcessPoolExecutor(workers, multiprocessing.get_context("spawn")) as pool:
        running = {pool.submit(work, *portion): portion for portion in portions}
        yield from ((running[future], future.result()) for future in as_completed(running))


def _read(kept: Path | None) -> dict[str, Row]:
    lines = kept.read_text().splitlines() if kept is not None and kept.exists() else []
    return {json.dumps(portion): row for portion, row in map(json.loads, lines)}
