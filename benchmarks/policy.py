"""How strong the nets of self-play are: `policy` against a field on both sides, and the card beside its weights.

python benchmarks/policy.py card src/fogbound/agents/weights/policy-london.safetensors --against heuristic
python benchmarks/policy.py card src/fogbound/agents/weights/policy-plan1.safetensors --teams 3 --made "python ..." 438 GPU
python benchmarks/policy.py card src/fogbound/agents/weights/scotland-yard-graph.safetensors --boards plan1 grid9
python benchmarks/policy.py growth training/scotland-yard-graph plan1 random:stations=40,seed=1
python benchmarks/policy.py search scotland-yard/london --games 100 --iterations 10000
python benchmarks/policy.py search scotland-yard/london --games 400 --seconds 1 --agent champion --workers 8 --out FOLDER
python benchmarks/policy.py field scotland-yard/plan1 "policy;random;heuristic" --games 300 --out FOLDER
python benchmarks/policy.py curve training/policy-london/curve.csv docs/images/selfplay-london.png
"""

from __future__ import annotations

import argparse
import csv
import json
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from cells import gain, share
from rich.progress import Progress

import fogbound as fb
from fogbound.agents import nets
from fogbound.agents.scotland_yard.graph_net import KIND, GraphNet
from fogbound.core.executor import Local
from fogbound.core.statistics import wilson
from fogbound.lab.sets import grow_sets
from fogbound.train.scotland_yard.selfplay_files import stretched

TEAMS = (2, 3, 4, 5)
FIELD = ("random", "heuristic")
SEARCH = "mcts:preset=nijssen-winands,{}"
PLAYED_BY = {"policy": "policy", KIND: "graph"}  # by the kind of a file


def figure(game: str, agents: list[str], side: int, games: int) -> dict[str, Any]:
    """How often a side wins, with its interval."""
    won = sum(result.scores[side] for result in fb.play_set(game, agents, games, seed=7))
    low, high = wilson(won, games)
    return {"game": game, "agents": agents, "side": side, "games": games, "rate": won / games, "low": low, "high": high}


def both_sides(game: str, mine: str, other: str, games: int) -> list[dict[str, Any]]:
    found = [figure(game, [mine, other], 0, games), figure(game, [other, mine], 1, games)]
    for each in found:
        low, rate, high = (100 * each[name] for name in ("low", "rate", "high"))
        print(f"{each['game']} {', '.join(each['agents'])}: {rate:.1f}% ({low:.1f} to {high:.1f})", flush=True)
    return found


def against_search(game: str, agent: str, search: str, games: int, workers: int | None, out: str) -> None:
    """Both sides against search, and each against itself. What is in the folder counts, so that sets can grow."""
    sets = [(game, pair) for pair in ((agent, search), (search, agent), (agent, agent), (search, search))]
    with Progress() as progress:
        task = progress.add_task(f"{agent} and {search}")

        def watch(there: int, total: int) -> None:
            progress.update(task, completed=there, total=total)

        found = grow_sets(out, sets, games, 7, Local(workers), watch)
    print(f"{game}, {agent} and {search}: wins of Mr X, then of the detectives")
    for one in found:
        rates = " and ".join(
            f"{100 * rate:.1f}% ({100 * low:.1f} to {100 * high:.1f})" for rate, low, high in map(one.rate, (0, 1))
        )
        print(f"  {' against '.join(one.agents)}, {one.games} games: {rates}")


def whole_field(
    game: str, agents: list[str], against: list[str], games: int, workers: int | None, seed: int, out: str
) -> None:
    """Everybody as Mr X against everybody as detectives: his wins in percent, and how far the first agent is ahead."""
    sets = [(game, (mr_x, detectives)) for mr_x in agents for detectives in against]
    found = [result.in_order(0).tolist() for result in grow_sets(out, sets, games, seed, Local(workers))]
    print(f"{game}, {games} games a cell\n")
    print(f"| Mr X / detectives | {' | '.join(f'`{name}`' for name in against)} |")
    print("|---" * (len(against) + 1) + "|")
    for row, mr_x in enumerate(agents):
        played = found[row * len(against) : (row + 1) * len(against)]
        cells = [share(won) + ("" if row == 0 else _ahead(first, won)) for first, won in zip(found, played, strict=False)]
        print(f"| `{mr_x}` | {' | '.join(cells)} |")


def _ahead(first: list[float], won: list[float]) -> str:
    """How many points more the first agent won in the same games, with the 95% interval."""
    return "; {:+.1f} ({:+.1f} to {:+.1f})".format(*gain(first, won))


def write_card(file: Path, specs: list[str], others: list[str], games: int, made: list[str] | None) -> None:
    """The figures of the nets as they are, with what made them; without that, with what the card before says of it."""
    about = nets.load(str(file)).about
    before = json.loads(file.with_suffix(".json").read_text(encoding="utf-8")) if made is None else {}
    command, seconds, machine = made or (before["command"], *(before["made"][name] for name in ("seconds", "machine")))
    agent = f"{PLAYED_BY[about['kind']]}:weights={file.stem}"
    figures = [found for spec in specs for other in others for found in both_sides(spec, agent, other, games)]
    card = {
        "command": command,
        "seed": int(command.partition("--seed ")[2].split()[0]),
        "data": f"{int(about['decisions']):,} decisions of self-play, {int(about['iteration']):,} updates",
        "made": {"machine": machine, "seconds": round(float(seconds))},
        "figures": figures,
    }
    file.with_suffix(".json").write_text(json.dumps(card, indent=1) + "\n", encoding="utf-8")


def tell_growth(folder: Path, boards: list[str], games: int) -> None:
    """How much a net that plays any board won against the scripted player while it learned, by its older selves."""
    state = json.loads((folder / "state.json").read_text(encoding="utf-8"))
    tensors = nets.load(str(folder / "nets.safetensors")).tensors
    decisions = {line["iteration"]: line["decisions"] for line in state["curve"]}
    older = stretched(tensors)
    stages = [(born, f"{rank}.", older) for rank, born in enumerate(state["born"])]
    print(f"Wins in % against `heuristic` as Mr X / as detectives, {games} games each\n")
    print(f"| decisions | {' | '.join(boards)} |\n|--:|{'---|' * len(boards)}")
    with TemporaryDirectory() as passing:
        for born, prefix, found in [*stages, (state["iteration"], "mean.", tensors)]:
            file = Path(passing) / f"{born}.safetensors"
            nets.save(file, {name: found[prefix + name] for name in GraphNet._fields}, {"kind": KIND})
            cells = " | ".join(_by_side(f"scotland-yard/{board}", f"graph:weights={file}", games) for board in boards)
            print(f"| {decisions[born]:,} | {cells} |", flush=True)


def _by_side(game: str, agent: str, games: int) -> str:
    two = figure(game, [agent, "heuristic"], 0, games), figure(game, ["heuristic", agent], 1, games)
    return " / ".join(f"{100 * each['rate']:.1f}" for each in two)


def draw_curve(table: Path, picture: Path) -> None:
    """Wins against the heuristic on both sides while the nets learned."""
    from fogbound.lab.plots import canvas

    with table.open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    figure, (left, right) = canvas(9, 3.4, columns=2)
    for team in TEAMS:
        as_mr_x, against_mr_x = f"mean {team}: learner x heuristic", f"mean {team}: heuristic x learner"
        known = [row for row in rows if row.get(as_mr_x)]  # not every run played with every number of detectives
        minutes = [float(row["seconds"]) / 60 for row in known]
        mr_x = [100 * float(row[as_mr_x]) for row in known]
        detectives = [100 - 100 * float(row[against_mr_x]) for row in known]
        left.plot(minutes, mr_x, marker="o", markersize=3, label=f"{team} detectives")
        right.plot(minutes, detectives, marker="o", markersize=3)
    for axes, title in ((left, "Mr X, against heuristic detectives"), (right, "Detectives, against a heuristic Mr X")):
        axes.set(title=title, xlabel="minutes of training", ylim=(0, 101))
        axes.grid(alpha=0.3)
    left.set_ylabel("wins, %")
    left.legend()
    figure.savefig(picture, dpi=110)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    card = commands.add_parser("card")
    card.add_argument("file", type=Path)
    card.add_argument("--games", type=int, default=2000)
    card.add_argument("--teams", type=int, nargs="+", default=TEAMS, help="numbers of detectives on the nets' own board")
    card.add_argument("--boards", nargs="+", help="for a net that plays any board: which")
    card.add_argument("--against", nargs="+", default=FIELD, metavar="AGENT")
    card.add_argument("--made", nargs=3, metavar=("COMMAND", "SECONDS", "MACHINE"), help="how the nets were trained")
    search = commands.add_parser("search")
    search.add_argument("game")
    search.add_argument("--games", type=int, default=100)
    search.add_argument("--iterations", type=int, default=10_000)
    search.add_argument("--seconds", type=float, help="let the search think so long for each move, instead of iterations")
    search.add_argument("--workers", type=int, default=None, help="with --seconds, no more than there are free cores")
    search.add_argument("--out", default="results/policy", help="the folder where games are kept")
    search.add_argument("--agent", default="policy")
    field = commands.add_parser("field")
    field.add_argument("game")
    field.add_argument("agents", help="separated by semicolons")
    field.add_argument("--against", default="", help="who plays the detectives, if not the same agents")
    field.add_argument("--seed", type=int, default=7)
    field.add_argument("--games", type=int, default=100)
    field.add_argument("--workers", type=int, default=None)
    field.add_argument("--out", default="results/policy", help="the folder where games are kept")
    growth = commands.add_parser("growth")
    growth.add_argument("folder", type=Path, help="the checkpoint of a net that plays any board")
    growth.add_argument("boards", nargs="+")
    growth.add_argument("--games", type=int, default=1000)
    curve = commands.add_parser("curve")
    curve.add_argument("table", type=Path)
    curve.add_argument("picture", type=Path)
    given = parser.parse_args()
    if given.command == "card":
        board = nets.load(str(given.file)).about.get("board", "")
        boards = given.boards or [f"{board}:detectives={team}" for team in given.teams]
        write_card(given.file, [f"scotland-yard/{each}" for each in boards], given.against, given.games, given.made)
    elif given.command == "field":
        agents = given.agents.split(";")
        against = given.against.split(";") if given.against else agents
        whole_field(given.game, agents, against, given.games, given.workers, given.seed, given.out)
    elif given.command == "growth":
        tell_growth(given.folder, given.boards, given.games)
    elif given.command == "curve":
        draw_curve(given.table, given.picture)
    else:
        budget = f"iterations={given.iterations}" if given.seconds is None else f"seconds={given.seconds:g}"
        against_search(given.game, given.agent, SEARCH.format(budget), given.games, given.workers, given.out)


if __name__ == "__main__":
    main()
