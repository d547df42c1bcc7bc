"""What alpha-beta, flat Monte Carlo and the turn searches do, beside what was published.

    python benchmarks/search.py --experiment t51 --games 100 --workers 16
    python benchmarks/search.py --experiment improved,tree,risk --games 100 --workers 16
    python benchmarks/search.py --list

All rows of a table play the same game numbers of one seed; where seats matter, every game number is
played once from each seat. Intervals are Wilson's at 95%, times are processor time. Tables are printed as Markdown.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from statistics import mean
from time import perf_counter

from cells import Cell, Games, play_cells, share

import fogbound as fb
from fogbound.core.executor import process_pool
from fogbound.core.runner import seat_agents

SEED = 2020
GRID = "scotland-yard/grid5-2020"
PHASES = ("set-up", "set-up", "set-up", "draft", "attack", "attack", "fortify")  # of Risk, by number


def row(*cells: object) -> None:
    print("| " + " | ".join(str(cell) for cell in cells) + " |", flush=True)


def head(*cells: str) -> None:
    row(*cells)
    row(*["---"] * len(cells))


@dataclass(frozen=True)
class Turns:
    """Of each game of a cell: the turns of each side, and the rounds if the game counts them."""

    turns: list[list[int]]
    rounds: list[int]

    @classmethod
    def of(cls, games: Games) -> Turns:
        turns, rounds = [], []
        for record in games.records():
            sides = [record.game.side_of[move.seat] for move in record.moves]
            begins = [side for before, side in zip([None, *sides], sides, strict=False) if side != before]
            turns.append([begins.count(side) for side in range(record.game.sides)])
            state = record.replay().state
            rounds.append(int(state["round"]) if "round" in state.dtype.names else 0)
        return cls(turns, rounds)

    def seconds(self, games: Games, side: int) -> list[float]:
        """Processor time a turn of a side, in each game."""
        return [float(s) / max(1, own[side]) for s, own in zip(games.seconds(side), self.turns, strict=True)]


def median_ms(seconds: list[float]) -> float:
    """Milliseconds of the median game, so that compiling in a worker's first one does not count."""
    return 1000 * sorted(seconds)[len(seconds) // 2]


def hunts(board: str, pairs: Iterable[tuple[str, str, str]], games: int, workers: int) -> None:
    """Mr X against detectives: their wins, and how long the games were that they won."""
    head(
        "detectives",
        "Mr X",
        "detectives win",
        "mean rounds of a won game",
        "published",
        "ms a detectives' turn",
        "ms a Mr X turn",
    )
    pairs = list(pairs)
    cells = [Cell("", board, (mr_x, detectives)) for detectives, mr_x, _ in pairs]
    for (detectives, mr_x, published), played in zip(pairs, play_cells(cells, games, SEED, workers), strict=True):
        turns = Turns.of(played)
        lengths = [rounds for rounds, score in zip(turns.rounds, played.scores(1), strict=True) if score == 1.0]
        length = f"{mean(lengths):.1f}" if lengths else "-"
        times = [f"{median_ms(turns.seconds(played, side)):.2f}" for side in (1, 0)]
        row(detectives, mr_x, share(played.scores(1)), length, published, *times)


def t51(games: int, workers: int) -> None:
    published = {"v1": "92 %, 5.8", "v2": "65 %, 6.4", "v3": "74 %, 6.3", "v4": "89 %, 6.7"}
    x = "alphabeta:evaluation=v4"
    hunts(GRID, [(f"alphabeta:evaluation={v}", x, text) for v, text in published.items()], games, workers)


def belief(games: int, workers: int) -> None:
    for board in (GRID, "scotland-yard/plan1:detectives=2", "scotland-yard/london"):
        print(f"\n{board}\n")
        versions = ("alphabeta:evaluation=v4", "alphabeta:evaluation=belief", "heuristic")
        hunts(board, [(detectives, x, "") for detectives in versions for x in versions], games, workers)


def depth(games: int, workers: int) -> None:
    pairs = [(f"alphabeta:depth={d}", "alphabeta", "") for d in (1, 2, 3, 4, 5)]
    pairs += [("alphabeta", f"alphabeta:depth={d}", "") for d in (1, 2, 3, 4, 5)]
    hunts(GRID, pairs, games, workers)


def l19(games: int, workers: int) -> None:
    """One core: games are played one after the other."""
    head("players", "agent", "seconds for one player's round, mean", "largest mean of a game", "published", "times faster")
    for players, published in ((2, 22), (3, 24), (4, 77), (5, 30)):
        for agent in ("flat:playouts=200", "flat:playouts=200,improved"):
            cell = Cell("", f"empire/seed:players={players}", (agent,) * players)
            fb.play(cell.game, cell.agents)  # compiled before it is timed
            (played,) = play_cells([cell], games, SEED, 1)
            spent = sum(played.seconds(side) for side in range(players))
            each = [float(seconds) / sum(own) for seconds, own in zip(spent, Turns.of(played).turns, strict=True)]
            row(players, agent, f"{mean(each):.4f}", f"{max(each):.4f}", published, f"{published / mean(each):.0f}")


def duel(game: str, one: str, other: str, games: int, workers: int) -> None:
    """One agent against others of another kind, from every seat."""
    seats = fb.game(game).sides
    cells = [Cell("", game, tuple(one if each == seat else other for each in range(seats))) for seat in range(seats)]
    won: list[float] = []
    mine: list[float] = []
    theirs: list[float] = []
    for seat, played in enumerate(play_cells(cells, games, SEED, workers)):
        turns = Turns.of(played)
        won += played.scores(seat)
        mine += turns.seconds(played, seat)
        theirs += turns.seconds(played, seat - 1 if seat else seats - 1)
    times = [f"{median_ms(each):.1f}" for each in (mine, theirs)]
    row(game, one, other, share(won), f"{100 / seats:.0f} %", len(won), *times)


def duels(rows: list[tuple[str, str, str]], games: int, workers: int) -> None:
    head("game", "agent", "against", "wins", "fair", "games", "ms a turn", "ms a turn of the others")
    for game, one, other in rows:
        duel(game, one, other, games, workers)


def improved(games: int, workers: int) -> None:
    two, four = "empire/seed:players=2", "empire/seed:players=4"
    duels([(game, "flat:improved", "flat") for game in (two, four)], games, workers)


def tree(games: int, workers: int) -> None:
    two, four = "empire/seed:players=2", "empire/seed:players=4"
    rows = [(two, agent, "flat:improved") for agent in ("turns", "turns:iterations=1000")]
    rows += [(four, "turns", "flat:improved")]
    rows += [(two, agent, "heuristic") for agent in ("flat", "flat:improved", "turns")]
    duels(rows, games, workers)


def ahead(games: int, workers: int) -> None:
    duels([("empire/seed:players=2", "turns:ahead=2", "flat:improved")], games, workers)


def risk(games: int, workers: int) -> None:
    classic, small = "risk/classic:players=3,round_limit=60", "risk/random:territories=9,players=3,seed=1,round_limit=60"
    rows = [(game, "turns", other) for game in (classic, small) for other in ("random", "heuristic")]
    duels(rows, games, workers)


def v65(games: int, workers: int) -> None:
    """Each map in a process of its own, with the compiled code already on disk."""
    head(
        "territories",
        "pool, MB",
        "process, MB",
        "set-up, s",
        "draft, s",
        "largest draft, s",
        "attack, s",
        "fortify, s",
        "agent made in, s",
    )
    for territories in (9, 18, 42, 120):
        for _ in range(2):  # the first time it may have to be compiled, which takes memory too
            with process_pool(1) as pool:
                cells = pool.submit(_reactions, territories, games).result()
        row(territories, *cells)
    print("\nPublished: 6 GB; set-up .74, draft .97, attack .0001, fortify .00003 s (at most 18 territories).")


def _reactions(territories: int, games: int) -> list[str]:
    spec = "risk/classic" if territories == 42 else f"risk/random:territories={territories},seed=1"
    game = fb.game(f"{spec}:players=3,round_limit=12" if territories == 42 else f"{spec},players=3,round_limit=12")
    began = perf_counter()
    times: dict[str, list[float]] = {"set-up": [], "draft": [], "attack": [], "fortify": []}
    for number in range(games):
        match = game.new(SEED, number)
        seated = seat_agents(game, ("turns:iterations=1000", "heuristic", "heuristic"), SEED, number)
        made = perf_counter() - began
        while not match.over:
            seat = match.to_move
            phase = PHASES[int(match.state["phase"])]
            decision = seated[seat].choose(match.view(seat))
            if seat == 0 and number + len(match.moves) > 0 and len(match.legal()) > 1:
                times[phase].append(decision.seconds)
            match.play(decision.action)
        pool = seated[0].memory()
    process = largest_memory()
    drafts = sorted(times["draft"])[: -1 or None]  # the very first loads the compiled code
    means = {phase: f"{mean(sorted(each)[:-1] or each or [0.0]):.5f}" for phase, each in times.items()}
    largest = f"{max(drafts or [0.0]):.3f}"
    return [
        f"{pool / 1e6:.1f}",
        f"{process:.0f}",
        means["set-up"],
        means["draft"],
        largest,
        means["attack"],
        means["fortify"],
        f"{made:.1f}",
    ]


def largest_memory() -> float:
    """The most memory this process ever used, in MB (what getrusage tells counts that of its parent too)."""
    with open("/proc/self/status") as file:
        return next(int(line.split()[1]) / 1024 for line in file if line.startswith("VmHWM"))


EXPERIMENTS: dict[str, tuple[str, Callable[[int, int], None]]] = {
    "t51": ("detectives v1 to v4 against Mr X v4 on grid5-2020", t51),
    "belief": ("the evaluation by belief beside v4 and the scripted player, for both sides", belief),
    "depth": ("alpha-beta by depth, for both sides", depth),
    "l19": ("seconds for one player's round with 200 playouts an option, 2 to 5 players", l19),
    "improved": ("improved flat Monte Carlo against flat", improved),
    "tree": ("the turn search of Empire against improved flat", tree),
    "ahead": ("the same with opponents' turns by the scripted player, which takes ten times as long", ahead),
    "risk": ("the turn search of Risk against random and scripted players", risk),
    "v65": ("memory and reaction of the turn search of Risk with 1,000 iterations", v65),
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--experiment", default="t51", help="names, with commas between")
    parser.add_argument("--games", type=int, default=100)
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--list", action="store_true", help="what experiments there are")
    given = parser.parse_args()
    if given.list:
        for name, (about, _) in EXPERIMENTS.items():
            print(f"{name:10} {about}")
        return
    for name in given.experiment.split(","):
        if name not in EXPERIMENTS:
            parser.error(f"there is no experiment “{name}”; there are: {', '.join(EXPERIMENTS)}")
        about, run = EXPERIMENTS[name]
        print(f"\n## {name}: {about} ({given.games} games)\n", flush=True)
        run(given.games, given.workers)


if __name__ == "__main__":
    main()
