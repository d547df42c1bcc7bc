"""How the time and memory of a solution grow with the board, the detectives and the rounds between reveals: measured.

python benchmarks/growth.py measure GROWTH.json [--sizes 3 4 5 6] [--detectives 1 2 3] [--reveals 1 2 3 4] [--minutes 2]
python benchmarks/growth.py show GROWTH.json [MORE.json ...]

Every game has 12 rounds and is solved without the cache, in a process of its own whose kernels are compiled before; one
that takes longer than `--minutes` by the estimate is left out, and the table has the estimate. Each row is written when
it is done, so an interrupted run resumes where it stopped.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import resource
import time
from itertools import product
from pathlib import Path
from typing import Any

import fogbound as fb
from fogbound.solve import estimate
from fogbound.solve.api import TooLarge, solvable

WARM = ("scotland-yard/grid3:detectives=1,rounds=4", "scotland-yard/grid3:detectives=1,rounds=4,show_start")
HEAD = (
    "grid",
    "detectives",
    "seen every",
    "value",
    "positions",
    "subgames",
    "seconds",
    "processor seconds",
    "MB",
    "estimate: s, MB",
)
Row = dict[str, Any]


def solve_one(spec: str, hours: float) -> Row:
    """Solve one game in this process and measure what it takes."""
    for each in WARM:
        fb.solve(each, cache=False)
    size = estimate.estimate(solvable(spec), 1 << 20)
    row: Row = {
        "spec": spec,
        "estimate": {"positions": size.positions, "nodes": size.nodes, "bytes": size.bytes, "seconds": size.seconds},
        "cores": os.cpu_count(),
        "load": os.getloadavg()[0],
    }
    before = resource.getrusage(resource.RUSAGE_SELF)
    began = time.perf_counter()
    try:
        found = fb.solve(spec, cache=False, hours=hours)
    except TooLarge as refusal:
        return {**row, "refused": str(refusal)}
    after = resource.getrusage(resource.RUSAGE_SELF)
    return {
        **row,
        "value": found.value,
        "lower": found.lower,
        "upper": found.upper,
        "subgames": found.subgames,
        "positions": int(found.positions.size[0]),
        "seconds": time.perf_counter() - began,
        "processor_seconds": after.ru_utime - before.ru_utime,
        "megabytes": (after.ru_maxrss - before.ru_maxrss) / 1024,
    }


def measure(options: argparse.Namespace) -> None:
    rows = read(options.rows)
    known = {row["spec"] for row in rows if "refused" not in row}
    context = multiprocessing.get_context("spawn")
    for reveals, detectives, size in product(options.reveals, options.detectives, options.sizes):
        spec = f"scotland-yard/grid{size}:detectives={detectives},rounds=12,reveals=every {reveals}"
        if spec in known:
            continue
        with context.Pool(1) as pool:
            row = pool.apply(solve_one, (spec, options.minutes / 60))
        rows = [each for each in rows if each["spec"] != spec] + [row]
        part = options.rows.with_suffix(".part")
        part.write_text(json.dumps({"rows": rows}, indent=1))
        part.replace(options.rows)
        print(
            spec, row.get("refused") or f"{row['value']:.4f}, {row['seconds']:.1f} s, {row['megabytes']:.0f} MB", flush=True
        )


def read(path: Path) -> list[Row]:
    rows: list[Row] = json.loads(path.read_text())["rows"] if path.exists() else []
    return [{"subgames": row.get("stretches"), **row} for row in rows]  # older files have the former name


def show(options: argparse.Namespace) -> None:
    rows: dict[str, Row] = {}
    for row in (each for path in options.rows for each in read(path)):
        if "refused" not in row or row["spec"] not in rows:
            rows[row["spec"]] = row
    show_values(rows)
    print("| " + " | ".join(HEAD) + " |")
    print("|" + "---|" * len(HEAD))
    for row in sorted(rows.values(), key=_order):
        size, detectives, reveals = _order(row)
        guess = f"{row['estimate']['seconds']:.1f}, {row['estimate']['bytes'] / 1e6:,.0f}"
        if "refused" in row:
            cells = ["not run", "", "", "", "", "", guess]
        else:
            cells = [
                f"{row['value']:.3f}",
                f"{row['positions']:,}",
                f"{row['subgames']:,}",
                f"{row['seconds']:.1f}{'' if row['cores'] == 2 else ' (' + str(row['cores']) + ' cores)'}",
                f"{row['processor_seconds']:.1f}",
                f"{row['megabytes']:,.0f}",
                guess,
            ]
        print("| " + " | ".join([f"{size} x {size}", str(detectives), str(reveals), *cells]) + " |")


def show_values(rows: dict[str, Row]) -> None:
    """The values alone: a row for each grid and number of detectives, a column for each number of rounds between reveals."""
    found = {_order(row): f"{row['value']:.3f}" if "value" in row else "not run" for row in rows.values()}
    gaps = sorted({gap for _, _, gap in found})
    print("| grid | detectives | " + " | ".join(f"seen every {gap}" for gap in gaps) + " |")
    print("|" + "---|" * (2 + len(gaps)))
    for size, detectives in sorted({(size, detectives) for size, detectives, _ in found}):
        cells = [found.get((size, detectives, gap), "not run") for gap in gaps]
        print(f"| {size} x {size} | {detectives} | " + " | ".join(cells) + " |")
    print()


def _order(row: Row) -> tuple[int, int, int]:
    board, _, rest = row["spec"].removeprefix("scotland-yard/grid").partition(":detectives=")
    return int(board), int(rest.partition(",")[0]), int(rest.rpartition(" ")[2])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True)
    measuring = commands.add_parser("measure")
    measuring.add_argument("rows", type=Path)
    measuring.add_argument("--sizes", type=int, nargs="+", default=[3, 4, 5, 6])
    measuring.add_argument("--detectives", type=int, nargs="+", default=[1, 2, 3])
    measuring.add_argument("--reveals", type=int, nargs="+", default=[1, 2, 3, 4])
    measuring.add_argument("--minutes", type=float, default=2.0)
    measuring.set_defaults(act=measure)
    showing = commands.add_parser("show")
    showing.add_argument("rows", type=Path, nargs="+")
    showing.set_defaults(act=show)
    options = parser.parse_args()
    options.act(options)


if __name__ == "__main__":
    main()
