"""What tree search is worth in Scotland Yard: speed, the cells of earlier studies, and each technique on and off.

    python benchmarks/mcts.py --experiment worlds-detectives,coalition --games 200 --workers 16
    python benchmarks/mcts.py --experiment playouts-mr-x --rows plan1 --games 200
    python benchmarks/mcts.py --experiment speed
    python benchmarks/mcts.py --list

Every row of a table plays the same starts (game numbers 0 to N - 1 of one seed), so rows are paired.
"""

from __future__ import annotations

import argparse
import os
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, replace
from time import process_time

from cells import Cell, milliseconds, play_cells, share

import fogbound as fb

PLAN1, SQUARE1, LONDON = "scotland-yard/plan1", "scotland-yard/square1", "scotland-yard/london"
PLAN2, LONDON4 = "scotland-yard/plan1:detectives=2", "scotland-yard/london:detectives=4"  # where neither side always wins
HUSA = "mcts:worlds=one,c=1.4,iterations={n}"  # the player of H: a guess a move, its own constant
HUSA_HEURISTIC = HUSA + ",playout=heuristic,epsilon=0"
NW = "mcts:preset=nijssen-winands,iterations={n}"


def row(label: str, game: str, mr_x: str, detectives: str, published: str = "") -> Cell:
    return Cell(label, game, (mr_x, detectives), published)


@dataclass(frozen=True)
class Experiment:
    about: str
    rows: tuple[Cell, ...]
    iterations: int
    counts: int = 0  # the side whose wins are told


def rows_of(label: str, game: str, variants: dict[str, str], against: str, side: int) -> tuple[Cell, ...]:
    """A row a variant of one side, all against the same opponent."""
    return tuple(
        row(f"{label}: {name}", game, *((agent, against) if side == 0 else (against, agent)))
        for name, agent in variants.items()
    )


def technique(side: int, options: dict[str, str], boards: tuple[str, ...], against: str = "heuristic") -> tuple[Cell, ...]:
    variants = {name: "mcts:iterations={n}" + (f",{text}" if text else "") for name, text in options.items()}
    return tuple(each for board in boards for each in rows_of(board.split("/")[1], board, variants, against, side))


def husa_grid() -> tuple[Cell, ...]:
    players = {"random": "random", "heuristic": "heuristic", "MCTS": HUSA, "MCTS(heuristic)": HUSA_HEURISTIC}
    return tuple(
        row(f"{board.split('/')[1]}: {x} against {d}", board, players[x], players[d])
        for board in (PLAN1, SQUARE1)
        for x in players
        for d in players
        if "MCTS" in x + d
    )


# The opponent of both sides where techniques are compared, so that only one side changes.
RIVAL = "mcts:iterations=1000,playout=chase,c=0.4"
BOARDS = (PLAN2, LONDON4)
PLAYOUTS = {
    "random": "c=0.7",
    "chase": "playout=chase,c=0.7",
    "hunt": "playout=hunt,c=0.7",
    "heuristic": "playout=heuristic,c=0.7",
    "chase for Mr X, random for detectives": "playout=chase+random,c=0.7",
    "random for Mr X, chase for detectives": "playout=random+chase,c=0.7",
}
CONSTANTS = {
    **{f"random playouts, c = {c}": f"c={c}" for c in (0.2, 0.4, 0.7, 1.4)},
    **{f"chase, c = {c}": f"playout=chase,c={c}" for c in (0.2, 0.4, 0.7, 1.4)},
    **{f"hunt, c = {c}": f"playout=hunt,c={c}" for c in (0.2, 0.7)},
}
WORLDS = {
    "one guess": "worlds=one",
    "8 guesses, voted": "worlds=many",
    "infoset": "c=0.7",
    "observers": "worlds=observers",
    "infoset, chase": "playout=chase,c=0.7",
    "observers, chase": "worlds=observers,playout=chase",
}
HISTORY = {f"weight {w}": f"playout=chase,c=0.7,history={w}" for w in (0, 1, 4)}
EXPERIMENTS: dict[str, Experiment] = {
    "h6.2": Experiment(
        "H6.2: wins of random Mr X against tree-search detectives",
        (
            row("plan1: MCTS", PLAN1, "random", HUSA, "7 of 100"),
            row("plan1: MCTS(heuristic)", PLAN1, "random", HUSA_HEURISTIC, "3 of 100"),
            row("square1: MCTS", SQUARE1, "random", HUSA, "14 of 100"),
            row("square1: MCTS(heuristic)", SQUARE1, "random", HUSA_HEURISTIC, "23 of 100"),
        ),
        5000,
    ),
    "h6.3": Experiment(
        "H6.3: wins of tree-search Mr X against random detectives",
        (
            row("plan1: MCTS", PLAN1, HUSA, "random", "65 of 100"),
            row("plan1: MCTS(heuristic)", PLAN1, HUSA_HEURISTIC, "random", "77 of 100"),
            row("square1: MCTS", SQUARE1, HUSA, "random", "86 of 100"),
            row("square1: MCTS(heuristic)", SQUARE1, HUSA_HEURISTIC, "random", "95 of 100"),
        ),
        5000,
    ),
    "h6.f10": Experiment("H6.f10/f11: Mr X's wins, everyone against everyone (cells with a tree search)", husa_grid(), 5000),
    "h6.f5": Experiment(
        "H6.f5: wins of both sides' tree search against the heuristic, by iterations",
        tuple(
            each
            for n in (50, 200, 1000, 5000, 20000)
            for each in (
                row(f"plan1, {n} iterations, as Mr X", PLAN1, HUSA.format(n=n), "heuristic"),
                row(f"plan1, {n} iterations, as detectives", PLAN1, "heuristic", HUSA.format(n=n)),
            )
        ),
        0,
    ),
    "worlds-detectives": Experiment(
        "How worlds are guessed: the detectives' wins", technique(1, WORLDS, BOARDS, RIVAL), 1000, counts=1
    ),
    "worlds-mr-x": Experiment("How worlds are guessed: Mr X's wins", technique(0, WORLDS, BOARDS, RIVAL), 1000),
    "playouts-detectives": Experiment(
        "Playouts at equal iterations: the detectives' wins", technique(1, PLAYOUTS, BOARDS, RIVAL), 1000, counts=1
    ),
    "playouts-mr-x": Experiment("Playouts at equal iterations: Mr X's wins", technique(0, PLAYOUTS, BOARDS, RIVAL), 1000),
    "playouts-time": Experiment(
        "Playouts at equal time (20 ms a move): the detectives' wins",
        tuple(
            row(f"{board.split('/')[1]}: {name}", board, RIVAL, f"mcts:seconds=0.02,{text}")
            for board in BOARDS
            for name, text in PLAYOUTS.items()
        ),
        0,
        counts=1,
    ),
    "c-detectives": Experiment(
        "UCT's constant: the detectives' wins", technique(1, CONSTANTS, BOARDS, RIVAL), 1000, counts=1
    ),
    "c-mr-x": Experiment("UCT's constant: Mr X's wins", technique(0, CONSTANTS, BOARDS, RIVAL), 1000),
    "categories": Experiment(
        "Categories of stations: the detectives' wins",
        tuple(
            each
            for mr_x in (RIVAL, "heuristic")
            for each in technique(
                1,
                {
                    f"off, against {mr_x}": "playout=chase,c=0.7",
                    f"on, against {mr_x}": "playout=chase,c=0.7,categories=on",
                },
                BOARDS,
                mr_x,
            )
        ),
        1000,
        counts=1,
    ),
    "coalition": Experiment(
        "Coalition reduction: the detectives' wins by r",
        technique(1, {f"r = {r}": f"playout=chase,c=0.7,coalition={r}" for r in (0, 0.1, 0.3, 0.6)}, BOARDS, RIVAL),
        1000,
        counts=1,
    ),
    "filter": Experiment(
        "Filtering black tickets and double moves: Mr X's wins (plan1 has neither)",
        technique(
            0,
            {
                "off, random playouts": "c=0.7",
                "on, random playouts": "c=0.7,filter=on",
                "off, chase": "playout=chase,c=0.7",
                "on, chase": "playout=chase,c=0.7,filter=on",
            },
            (LONDON4,),
            RIVAL,
        ),
        1000,
    ),
    "history-detectives": Experiment(
        "Progressive history: the detectives' wins by its weight", technique(1, HISTORY, BOARDS, RIVAL), 1000, counts=1
    ),
    "history-mr-x": Experiment("Progressive history: Mr X's wins by its weight", technique(0, HISTORY, BOARDS, RIVAL), 1000),
    "nijssen-winands": Experiment(
        "The preset at 10,000 iterations: the detectives' wins",
        tuple(
            each
            for board in (LONDON4, LONDON)
            for each in (
                row(f"{board}: preset against heuristic Mr X", board, "heuristic", NW),
                row(f"{board}: heuristic against preset Mr X", board, NW, "heuristic"),
                row(f"{board}: preset against preset", board, NW, NW),
            )
        ),
        10000,
        counts=1,
    ),
}


def tell(names: list[str], games: int, workers: int, seed: int, iterations: int | None, rows: str) -> None:
    """Print the tables of some experiments, each row as soon as it is played."""
    experiments = [EXPERIMENTS[name] for name in names]
    tables = [budgeted(each, iterations or each.iterations, rows) for each in experiments]
    results = play_cells([cell for table in tables for cell in table], games, seed, workers)
    for experiment, table in zip(experiments, tables, strict=True):
        side, n = experiment.counts, iterations or experiment.iterations
        print(f"### {experiment.about}\n")
        print(f"{games} games a row, seed {seed}" + (f", {n:,} iterations a move" if n else "") + ".\n")
        print(f"| | wins of {('Mr X', 'the detectives')[side]} | published | ms a move of Mr X, detectives |")
        print("|---|---|---|---|", flush=True)
        for cell in table:
            played = next(results)
            times = ", ".join(f"{milliseconds(played, each):.1f}" for each in (0, 1))
            print(f"| {cell.label} | {share(played.scores(side))} | {cell.published} | {times} |", flush=True)
        print()


def budgeted(experiment: Experiment, iterations: int, rows: str) -> list[Cell]:
    """The rows that are wanted, with the budget written into the agents."""
    cells = [cell for cell in experiment.rows if rows in f"{cell.game} {cell.label}"]
    return [replace(cell, agents=tuple(agent.format(n=iterations) for agent in cell.agents)) for cell in cells]


SPEED = (
    ("plan1, Mr X", PLAN1, 0),
    ("plan1, detective", PLAN1, 4),
    ("london, 5 detectives, Mr X", LONDON, 0),
    ("london, 5 detectives, detective", LONDON, 7),
)
PLAYERS = (
    ("infoset, random playouts", "mcts:worlds=infoset"),
    ("observers, random playouts", "mcts:worlds=observers"),
    ("infoset, chase", "mcts:worlds=infoset,playout=chase"),
    ("infoset, heuristic", "mcts:worlds=infoset,playout=heuristic"),
)


def speed() -> None:
    """Iterations a second of processor time on one core, in positions early in a game."""
    print("### Iterations a second on one core\n")
    print("| position | " + " | ".join(name for name, _ in PLAYERS) + " |")
    print("|---|" + "--:|" * len(PLAYERS))
    for label, spec, moves in SPEED:
        print(f"| {label} | " + " | ".join(f"{rate:,.0f}" for rate in _rates(spec, moves)) + " |", flush=True)
    print()


def _rates(spec: str, moves: int) -> Iterator[float]:
    match = fb.game(spec).new(seed=1)
    for i in range(moves):
        match.play(match.legal()[i % len(match.legal())])
    view = match.view(match.to_move)
    for _, player in PLAYERS:
        fb.agent(f"{player},iterations=5", spec).choose(view)
        best = 0.0
        for _ in range(3):
            n = 4000 if "heuristic" in player else 40000
            agent = fb.agent(f"{player},iterations={n}", spec)
            began = process_time()
            agent.choose(view)
            best = max(best, n / (process_time() - began))
        yield best


COMPILE = """
import time, fogbound as fb
game = fb.game({spec!r}); match = game.new(seed=1); match.legal(); view = match.view(match.to_move)
began = time.process_time(); fb.agent({agent!r}, game).choose(view); print(time.process_time() - began)
"""


def compile_times() -> None:
    """Processor seconds of the first decision, with an empty cache and with the compiled code on disk."""
    import subprocess
    import sys

    print("### Compile time (s): first decision with an empty cache, and with a warm one\n")
    print("| game | playouts | empty | warm |\n|---|---|--:|--:|")
    for spec in ["scotland-yard/plan1", *(f"{family}" for family in fb.families() if family != "scotland-yard")]:
        for playout in ("random", "heuristic"):
            code = COMPILE.format(spec=spec, agent=f"mcts:iterations=5,playout={playout}")
            with tempfile.TemporaryDirectory() as folder:
                env = {**os.environ, "FOGBOUND_CACHE": folder}
                times = [
                    float(subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, check=True).stdout)
                    for _ in range(2)
                ]
            print(f"| {spec} | {playout} | {times[0]:.1f} | {times[1]:.2f} |", flush=True)
    print()


def c_study(seed: int) -> None:
    """H6.f3/f4: how often each of the root's moves is visited, by C."""
    for about, values in (("C = 0.2 to 3.2", (0.2, 0.6, 1.0, 1.4, 1.8, 2.2, 2.6, 3.2)), ("C = 0.2 to 1.6", None)):
        match = fb.game(PLAN1).new(seed=seed)
        while len(match.legal()) != 4 or match.to_move == 0:  # a detective with four moves, as in the document
            match.play(match.legal()[0])
        view = match.view(match.to_move)
        print(f"### H6.f3/f4: visits of the root's 4 moves with 1,000 iterations, {about}\n")
        print("| C | " + " | ".join(str(move) for move in match.legal()) + " |\n|--:|" + "--:|" * 4)
        for c in values or (0.2, 0.4, 0.6, 0.8, 1.0, 1.2, 1.4, 1.6):
            decision = fb.agent(f"mcts:worlds=one,c={c},iterations=1000", PLAN1, seed=seed).choose(view)
            print(f"| {c} | " + " | ".join(str(decision.visits.get(move.code, 0)) for move in match.legal()) + " |")
        print()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--experiment", default="speed", help="a name of --list, or several separated by commas")
    parser.add_argument("--games", type=int, default=40)
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--iterations", type=int, default=None, help="instead of the experiment's own")
    parser.add_argument("--rows", default="", help="only rows with this in their game or label, as plan1 or “as Mr X”")
    parser.add_argument("--list", action="store_true")
    given = parser.parse_args()
    if given.list:
        print("\n".join(["speed", "compile", "c-study", *EXPERIMENTS]))
        return
    alone = {"speed": speed, "compile": compile_times, "c-study": lambda: c_study(given.seed)}
    names = given.experiment.split(",")
    for name in names:
        if name in alone:
            alone[name]()
    played = [name for name in names if name not in alone]
    tell(played, given.games, given.workers, given.seed, given.iterations, given.rows)


if __name__ == "__main__":
    main()
