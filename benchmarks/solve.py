"""The tables of docs/results/solved.md, printed as Markdown.

python benchmarks/solve.py [values] [rounds] [boards] [growth] [exploit] [--tolerance 1e-3] [--minutes 10]

Every game is solved from nothing (kernels compiled before); one that would take longer than
`--minutes`, by the estimate, is left out and its cell says so.
"""

from __future__ import annotations

import argparse
import os
import resource
from collections.abc import Callable
from time import perf_counter

import fogbound as fb
from fogbound.solve import estimate
from fogbound.solve.api import Solution, TooLarge, solvable

ROUNDS = (3, 6, 9, 12, 15)
PLAN1 = ("rounds=1", "rounds=2", "rounds=3", "detectives=2,rounds=3", "detectives=2,rounds=4", "detectives=1,rounds=6")
AGENTS = ("random", "heuristic")


def solved(spec: str, options: argparse.Namespace) -> Solution | None:
    """A fresh solution, or None if it is too large."""
    try:
        return fb.solve(spec, options.tolerance, cache=False, hours=options.minutes / 60)
    except TooLarge as refusal:
        print(f"<!-- {refusal} -->", flush=True)
        return None


def cell(solution: Solution | None) -> str:
    return "too large" if solution is None else f"{solution.value:.3f}"


def row(*cells: object) -> None:
    print("| " + " | ".join(str(each) for each in cells) + " |", flush=True)


def head(*cells: object) -> None:
    row(*cells)
    print("|" + "---|" * len(cells))


def values(options: argparse.Namespace) -> None:
    """Grids by size, detectives and reveals, 12 rounds."""
    reveals = ("every 1", "every 2", "every 3", "every 4")
    head("grid, 12 rounds", "detectives", *(f"reveals {each}" for each in reveals))
    for size in (3, 4, 5, 6):
        for detectives in (1, 2, 3):
            spec = f"scotland-yard/grid{size}:detectives={detectives},rounds=12,reveals="
            row(f"{size} x {size}", detectives, *(cell(solved(spec + each, options)) for each in reveals))


def rounds(options: argparse.Namespace) -> None:
    """grid5 by its length."""
    head("rounds", "value", "lower", "upper", "stretches", "seconds")
    for count in ROUNDS:
        line(f"scotland-yard/grid5:rounds={count}", count, options)


def boards(options: argparse.Namespace) -> None:
    """Other boards, shortened to what fits."""
    head("game", "value", "lower", "upper", "stretches", "seconds")
    specs = ["scotland-yard/grid5-2020", *(f"scotland-yard/plan1:{each}" for each in PLAN1)]
    for spec in specs:
        line(spec, f"`{spec}`", options)


def line(spec: str, name: object, options: argparse.Namespace) -> None:
    found = solved(spec, options)
    if found is None:
        row(name, "too large", "", "", "", "")
        return
    row(
        name,
        f"{found.value:.4f}",
        f"{found.lower:.5f}",
        f"{found.upper:.5f}",
        f"{found.stretches:,}",
        f"{found.seconds:.1f}",
    )


def growth(options: argparse.Namespace) -> None:
    """Time and memory by board size, detectives and rounds between reveals; 12 rounds."""
    head("game (12 rounds)", "stretches", "nodes of a stretch", "seconds", "estimate, s", "most memory so far, MB")
    games = [f"grid{size}:detectives=2,reveals=every 3" for size in (3, 4, 5, 6, 7)]
    games += [f"grid5:detectives={count},reveals=every 3" for count in (1, 3)]
    games += [f"grid5:detectives=2,reveals=every {gap}" for gap in (1, 2, 4)]
    for each in games:
        spec = f"scotland-yard/{each},rounds=12"
        size = estimate.estimate(solvable(spec), 1 << 20)
        found = solved(spec, options)
        most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        if found is None:
            row(f"`{each}`", "too large", f"{size.nodes:,.0f}", "", f"{size.seconds:.0f}", "")
        else:
            row(
                f"`{each}`",
                f"{found.stretches:,}",
                f"{size.nodes:,.0f}",
                f"{found.seconds:.1f}",
                f"{size.seconds:.1f}",
                f"{most:.0f}",
            )


def exploited(options: argparse.Namespace) -> None:
    """What a best response wins against agents on grid5, both sides."""
    agents = options.agents.split(";") if options.agents else AGENTS
    head(
        "agent on grid5", "rounds", "perfect play", "agent as Mr X", "gives up", "agent as detectives", "gives up", "seconds"
    )
    for count in options.rounds or (6, 9, 15):
        spec = f"scotland-yard/grid5:rounds={count}"
        perfect = fb.solve(spec, options.tolerance).value
        for agent in agents:
            began = perf_counter()
            x = fb.solve.exploit(spec, agent, "mr-x", options.queries)
            d = fb.solve.exploit(spec, agent, "detectives", options.queries)
            shown = [f"{e.value:.4f}" if e.exact else f"{e.low:.4f} to {e.high:.4f}" for e in (x, d)]
            took = f"{perf_counter() - began:.0f}"
            row(
                f"`{agent}`",
                count,
                f"{perfect:.4f}",
                shown[0],
                f"{x.value - perfect:.4f}",
                shown[1],
                f"{perfect - d.value:.4f}",
                took,
            )


TABLES: dict[str, Callable[[argparse.Namespace], None]] = {
    "rounds": rounds,
    "values": values,
    "boards": boards,
    "growth": growth,
    "exploit": exploited,
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("tables", nargs="*", choices=[*TABLES, []], help="which tables; all by default")
    parser.add_argument("--tolerance", type=float, default=1e-3)
    parser.add_argument("--minutes", type=float, default=10.0)
    parser.add_argument("--agents", help="for exploit: agents separated by semicolons")
    parser.add_argument("--queries", type=int, help="for exploit: how often to ask agents that draw")
    parser.add_argument("--rounds", type=int, nargs="*", help="for exploit: lengths of the game")
    options = parser.parse_args()
    began = perf_counter()
    fb.solve("scotland-yard/grid3:detectives=1,rounds=4", cache=False)
    fb.solve("scotland-yard/grid3:detectives=1,rounds=4,show_start", cache=False)
    print(f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}; compiled in {perf_counter() - began:.1f} s\n")
    for name in options.tables or TABLES:
        print(f"## {name}\n")
        TABLES[name](options)
        print(flush=True)


if __name__ == "__main__":
    main()
