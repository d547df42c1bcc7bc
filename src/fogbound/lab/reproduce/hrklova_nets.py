"""Hrkľová's nets for Scotland Yard: how each is trained, and figures of what they win.

She trained each net once; ours are trained with several seeds, which share the games of a figure. The first of each is
shipped, the others are trained into the folder of a run.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from fogbound.lab.reproduce.comparison import Net, TrainedWins, Variant

GAME = "scotland-yard/grid5"
STEPPING = f"{GAME}:step_on_detective=true"
GAMES = 10_000
CLOCKED = 500  # games of a figure where MCTS thinks by the clock: 10,000 would take hours, and cores that do nothing else
TRIED = 2_000  # where it thinks otherwise, to find out whether that is a cause
SETUP = "5 x 5 grid, 10,000 games; MCTS thinks 0.05 s a move."

# The document names its opponents, not their settings; these are the nearest that we have.
ALPHABETA = "alphabeta:evaluation=v4"
SEARCH = "mcts:worlds=one,seconds=0.05"
SOVA = "mcts:preset=sova"
OPPONENTS = {"random": "random", "alpha-beta": ALPHABETA, "MCTS": SEARCH}
QUICK = {"seconds=0.05": "iterations=500", "seconds=0.5": "iterations=5000"}
OURS = (
    "The settings of the searches: alpha-beta has evaluation v4, MCTS one determinization a move and random playouts. "
    "Games are learned from 16 at a time. Where the text leaves it open, the value added to a reward is that of the next "
    "position the learner has to decide."
)

Published = Mapping[str, Sequence[float]]
"""By opponent: the detectives' wins in percent with each net."""


# Nets, and how they are trained.

ENDLESS = ['follows="move"', 'ends="never"']
MCTS_ONLY, ALPHABETA_ONLY = 'opponents=["mcts:worlds=one,iterations=500"]', 'opponents=["alphabeta"]'
TRAINED = {
    "mr-x-alphabeta": [ALPHABETA_ONLY],
    "mr-x-mcts": [MCTS_ONLY],
    "mr-x-mix": [],
    "mr-x-alphabeta-3-layers": [ALPHABETA_ONLY, "hidden=[100,100,50]"],
    "mr-x-alphabeta-4-layers": [ALPHABETA_ONLY, "hidden=[100,100,100,50]"],
    "mr-x-mix-3-layers": ["hidden=[100,100,50]"],
    "mr-x-mix-4-layers": ["hidden=[100,100,100,50]"],
    "mr-x-wide": [ALPHABETA_ONLY, "hidden=[100,100]"],
    "mr-x-pytorch": [ALPHABETA_ONLY, 'weights="pytorch"'],
    "mr-x-penalty": [ALPHABETA_ONLY, "reward_wrong=-1.0"],
    "mr-x-replay-10000": [ALPHABETA_ONLY, "replay=10000"],
    "mr-x-replay-20000": [ALPHABETA_ONLY, "replay=20000"],
    "mr-x-mse": [ALPHABETA_ONLY, 'loss="mse"'],
    "mr-x-5000-games": [ALPHABETA_ONLY, "games=5000"],
    "mr-x-20000-games": [ALPHABETA_ONLY, "games=20000"],
    "detectives-mix": [],
    "detectives-layout-2": ["hidden=[100,50]"],
    "detectives-layout-3": ["hidden=[100,100,50]"],
    "detectives-any-catch": ["own_catch=false"],
    "detectives-endless": ENDLESS,
    "detectives-endless-layout-2": [*ENDLESS, "hidden=[100,50]"],
    "detectives-endless-layout-3": [*ENDLESS, "hidden=[100,100,50]"],
    "detectives-endless-any-catch": [*ENDLESS, "own_catch=false"],
    "detectives-partner-mcts": ['partner="mcts:worlds=one,iterations=500"'],
}
AGAIN = {
    "mr-x-retrained": "mr-x-mix",
    "mr-x-retrained-twice": "mr-x-retrained",
    "detectives-retrained": "detectives-mix",
    "detectives-retrained-twice": "detectives-retrained",
    "detectives-endless-retrained": "detectives-endless",
}
"""Nets that are trained on with 20% random moves, and which they start from."""


MOST_SEEDS = {"detectives-mix": 10, "detectives-endless": 10}  # the nets that K6.4 and K6.5 turn on
FEWEST = 3  # trainings without which nothing is said of a figure


def seeds(net: str) -> range:
    """With which seeds a net is trained: fewer where it is trained on, or only tried as a cause."""
    few = net in AGAIN or net in ("mr-x-mix-4-layers", "detectives-partner-mcts")
    return range(1, 1 + MOST_SEEDS.get(net, FEWEST if few else 5))


def named(net: str, seed: int) -> str:
    """The name of a net's weights; the first is shipped without a number."""
    return f"hrklova-{net}" if seed == 1 else f"hrklova-{net}-{seed}"


def spec(net: str, seed: int) -> str:
    return f"net:weights={named(net, seed)}"


def training(net: str, seed: int) -> Net:
    """How a net is trained."""
    settings = TRAINED.get(net, [])
    if net in AGAIN:
        reading = ENDLESS if "endless" in net else []
        settings = [f'start="{named(AGAIN[net], seed)}"', *reading, "epsilon=0.2", "epsilon_end=0.2"]
    preset = "hrklova-mr-x" if net.startswith("mr-x") else "hrklova"
    # The last net counts, so its trial is as short as can be.
    words = [f"--set '{each}'" for each in [*settings, "threads=1", 'field=["random"]', "trial_games=100"]]
    return Net(named(net, seed), f"dqn {GAME} --preset {preset} {' '.join(words)} --seed {seed}")


def trainings(*nets: str) -> list[Net]:
    """All nets that an experiment needs and that are not shipped, with those that they start from."""
    needed = dict.fromkeys(each for net in nets for each in reversed([net, *_before(net)]))
    return [training(net, seed) for net in needed for seed in seeds(net) if (net, seed) not in SHIPPED]


def _before(net: str) -> list[str]:
    return [AGAIN[net], *_before(AGAIN[net])] if net in AGAIN else []


SHIPPED = {
    (net, 1)
    for net in (
        *("mr-x-alphabeta", "mr-x-mcts", "mr-x-mix", "mr-x-alphabeta-3-layers", "mr-x-alphabeta-4-layers"),
        *("mr-x-mix-3-layers", "detectives-mix", "detectives-layout-2", "detectives-layout-3", "detectives-any-catch"),
    )
}


# Figures: shares of the detectives' wins.


def figure(
    label: str, line_ups: Sequence[Sequence[str]], theirs: float | None, game: str, fewest: int, like: str
) -> TrainedWins:
    clocked = any("seconds=" in agent for agents in line_ups for agent in agents)
    shared = CLOCKED if clocked else GAMES
    return TrainedWins(label, game, line_ups, theirs, GAMES, 1, shared=shared, fewest=fewest, like=like)


def against_mr_x(label: str, net: str, hunters: str, theirs: float | None = None, game: str = GAME) -> TrainedWins:
    """What detectives win against nets for Mr X."""
    return figure(label, [[spec(net, seed), hunters] for seed in seeds(net)], theirs, game, FEWEST, f"against {hunters}")


def by_detectives(label: str, net: str, fugitive: str, theirs: float | None = None, game: str = GAME) -> TrainedWins:
    """What nets for the detectives win."""
    return figure(label, [[fugitive, spec(net, seed)] for seed in seeds(net)], theirs, game, FEWEST, f"for {fugitive}")


def searches(label: str, fugitive: str, hunters: str, theirs: float | None = None) -> TrainedWins:
    """What detectives win where nobody is trained: the games of one line-up."""
    return figure(label, [[fugitive, hunters]], theirs, GAME, fewest=1, like="")


def of_mr_x(nets: Mapping[str, str], published: Published, game: str = GAME) -> list[TrainedWins]:
    """Nets for Mr X by what is said of them, each against all kinds of detectives."""
    return [
        against_mr_x(f"{opponent} detectives, Mr X {label}", net, OPPONENTS[opponent], theirs, game)
        for opponent, row in published.items()
        for (label, net), theirs in zip(nets.items(), row, strict=True)
    ]


def of_detectives(nets: Mapping[str, str], published: Published, game: str = GAME) -> list[TrainedWins]:
    """Nets for the detectives, each against all kinds of Mr X."""
    return [
        by_detectives(f"detectives {label}, {opponent} Mr X", net, OPPONENTS[opponent], theirs, game)
        for opponent, row in published.items()
        for (label, net), theirs in zip(nets.items(), row, strict=True)
    ]


def thinking(cells: Sequence[TrainedWins], budget: str) -> list[TrainedWins]:
    """The figures with MCTS, where it thinks otherwise."""
    told = [[[agent.replace(SEARCH, f"mcts:{budget}") for agent in agents] for agents in c.line_ups] for c in cells]
    changed = [replace(cell, line_ups=line_ups, shared=TRIED) for cell, line_ups in zip(cells, told, strict=True)]
    return [new for new, old in zip(changed, cells, strict=True) if new.line_ups != old.line_ups]


def less_thought(cells: Sequence[TrainedWins]) -> list[Variant]:
    """MCTS with as many iterations as a search written in Python may reach in 0.05 s, and one of information sets."""
    return [
        Variant("MCTS thinks 50 iterations", thinking(cells, "worlds=one,iterations=50")),
        Variant("MCTS thinks 500 iterations", thinking(cells, "worlds=one,iterations=500")),
        Variant("MCTS searches information sets, 500 iterations", thinking(cells, "worlds=infoset,iterations=500")),
    ]


def stepping(cells: Sequence[TrainedWins]) -> Variant:
    """The figures with a random side, or a Mr X who hardly thinks, under a rule that her text does not exclude."""
    careless = [cell for cell in cells if any("random" in agents or agents[0] == SOVA for agents in cell.line_ups)]
    moved = [replace(cell, game=STEPPING) for cell in careless]
    return Variant("Mr X may step onto a detective, and is caught then", moved)


def least(opponent: str, first: str, *others: str) -> list[tuple[str, str]]:
    """That detectives win least against the first of some nets for Mr X."""
    return [(f"{opponent} detectives, Mr X {first}", f"{opponent} detectives, Mr X {other}") for other in others]


def most(opponent: str, first: str, *others: str) -> list[tuple[str, str]]:
    """That the first of some nets for the detectives wins most."""
    return [(f"detectives {other}, {opponent} Mr X", f"detectives {first}, {opponent} Mr X") for other in others]
