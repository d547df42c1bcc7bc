"""Hrkľová 2023, Scotland Yard: deep Q-networks for either side on the 5 x 5 grid.

She trained each net once; ours are trained with several seeds, which share the games of a figure. The first of each is
shipped, the others are trained into the folder of a run. What her chapters 5 and 6 only say in words has ids with a t.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import product
from time import perf_counter

from fogbound.core import registry
from fogbound.core.match import Match
from fogbound.core.runner import play_set
from fogbound.lab.reproduce.comparison import (
    PICTURE,
    Claim,
    Experiment,
    Finding,
    Line,
    Net,
    NoMore,
    Order,
    Outcome,
    Run,
    TrainedWins,
    Variant,
)

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
QUICK_SEARCH = "mcts:worlds=one,iterations=500"
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


def reached(run: Run) -> Sequence[Line]:
    """The iterations of MCTS in 0.05 s here: at the first moves of Mr X and of a detective in a few games."""
    game = registry.game(GAME)
    counts: dict[str, list[int]] = {"Mr X": [], "a detective": []}
    for seed, (side, found) in product(range(5), enumerate(counts.items())):
        match = Match(game, run.seed, seed)
        while match.to_move != side:
            match.play(match.legal()[0])
        agent = registry.agent(SEARCH, game, seed=run.seed, side=side, number=seed)
        agent.choose(match.view(match.to_move))  # everything is compiled then
        found[1].append(sum(agent.choose(match.view(match.to_move)).visits.values()))
    return [
        Line(f"MCTS as {who}, in 0.05 s", sum(each) / len(each), min(each), max(each), None, "iterations", PICTURE)
        for who, each in counts.items()
    ]


def duration(run: Run) -> Sequence[Line]:
    """How long 10,000 games against a random Mr X take on one core."""
    agents = ["random", spec("detectives-mix", 1)]
    list(play_set(GAME, agents, 10, run.seed, workers=1))  # everything is compiled then
    began = perf_counter()
    list(play_set(GAME, agents, GAMES, run.seed, workers=1))
    seconds = perf_counter() - began
    return [Line("10,000 games", seconds, seconds, seconds, 240.0, "s", PICTURE, GAMES)]


# Mr X.

BY_OPPONENT = of_mr_x(
    {"trained with alpha-beta": "mr-x-alphabeta", "trained with MCTS": "mr-x-mcts", "trained with a mix": "mr-x-mix"},
    {"random": (24.35, 23.09, 22.41), "alpha-beta": (52.96, 75.2, 61.83), "MCTS": (80.4, 69.05, 69.61)},
)
BY_LAYERS = of_mr_x(
    {
        "with 2 layers": "mr-x-alphabeta",
        "with 3 layers": "mr-x-alphabeta-3-layers",
        "with 4 layers": "mr-x-alphabeta-4-layers",
    },
    {"random": (22.04, 22.41, 21.76), "alpha-beta": (53.23, 61.83, 67.4), "MCTS": (80.89, 69.61, 68.01)},
)
BY_LAYERS_MIXED = of_mr_x(
    {"with 2 layers": "mr-x-mix", "with 3 layers": "mr-x-mix-3-layers"},
    {"random": (17.36, 22.41), "alpha-beta": (60.83, 61.83), "MCTS": (62.05, 69.61)},
)
THREE_MIXED = {"random": 22.41, "alpha-beta": 61.83, "MCTS": 69.61}
"""What is published three times over: of the mix, of three layers, and of three layers trained with the mix."""


def really_three_mixed(who: str) -> Variant:
    cells = [
        against_mr_x(f"{opponent} detectives, Mr X {who}", "mr-x-mix-3-layers", OPPONENTS[opponent], theirs)
        for opponent, theirs in THREE_MIXED.items()
    ]
    return Variant(
        f"the column “{who}” shows the net with 3 layers trained with the mix, whose figures K6.1, K6.2 and K6.3 repeat",
        cells,
    )


FOUR_LAYERS = [cell for cell in BY_LAYERS if cell.label.endswith("4 layers")]
MISTAKEN = [
    Variant(
        f"the column “with 4 layers” shows another net: {what}",
        [against_mr_x(cell.label, net, OPPONENTS[cell.label.partition(" ")[0]], cell.theirs) for cell in FOUR_LAYERS],
    )
    for what, net in {
        "4 layers trained with the mix, as the column with 3 layers must have been": "mr-x-mix-4-layers",
        "3 layers trained with the mix": "mr-x-mix-3-layers",
        "2 layers trained with the mix": "mr-x-mix",
        "2 layers trained with MCTS": "mr-x-mcts",
    }.items()
]


def least(opponent: str, first: str, *others: str) -> list[tuple[str, str]]:
    """That detectives win least against the first of some nets for Mr X."""
    return [(f"{opponent} detectives, Mr X {first}", f"{opponent} detectives, Mr X {other}") for other in others]


WHO = ("trained with alpha-beta", "trained with MCTS", "trained with a mix")
LAYERS = ("with 2 layers", "with 3 layers", "with 4 layers")
HER_NOISE = Finding(
    "her games: two trainings of hers in the same setting differ by more than 10,000 games explain",
    "K6.1 and K6.2 both have two layers trained with alpha-beta: 24.35 and 22.04 against random detectives",
    "fogbound reproduce K6.1 K6.2",
    ["random detectives, *"],
)


MR_X = [
    Experiment(
        id="K6.1",
        title="Detectives' wins against Mr X trained with alpha-beta, MCTS, or a mix",
        setup=SETUP,
        cells=BY_OPPONENT,
        full=GAMES,
        shrink=QUICK,
        nets=trainings("mr-x-alphabeta", "mr-x-mcts", "mr-x-mix", "mr-x-mix-3-layers"),
        once=True,
        reconstructed=OURS,
        claims=[
            Order("Mr X trained with alpha-beta does best against it", least("alpha-beta", *WHO)),
            Order("Mr X trained with MCTS does best against it", least("MCTS", WHO[1], WHO[0], WHO[2])),
        ],
        variants=[really_three_mixed(WHO[2]), *less_thought(BY_OPPONENT), stepping(BY_OPPONENT)],
        findings=[HER_NOISE],
    ),
    Experiment(
        id="K6.2",
        title="Detectives' wins against Mr X nets with 2, 3, 4 hidden layers",
        setup=f"{SETUP} All trained with alpha-beta.",
        cells=BY_LAYERS,
        full=GAMES,
        shrink=QUICK,
        nets=trainings(
            *("mr-x-alphabeta", "mr-x-alphabeta-3-layers", "mr-x-alphabeta-4-layers"),
            *("mr-x-mix", "mr-x-mcts", "mr-x-mix-3-layers", "mr-x-mix-4-layers"),
        ),
        once=True,
        reconstructed=OURS,
        claims=[
            Order("two hidden layers do best against alpha-beta, with which they were trained", least("alpha-beta", *LAYERS))
        ],
        variants=[really_three_mixed(LAYERS[1]), *MISTAKEN, *less_thought(BY_LAYERS), stepping(BY_LAYERS)],
        findings=[HER_NOISE],
    ),
    Experiment(
        id="K6.3",
        title="Detectives' wins against Mr X nets with 2 and 3 hidden layers, trained with the mix",
        setup=SETUP,
        cells=BY_LAYERS_MIXED,
        full=GAMES,
        shrink=QUICK,
        nets=trainings("mr-x-mix", "mr-x-mix-3-layers"),
        once=True,
        reconstructed=OURS,
        claims=[
            Order(
                "two hidden layers are better than three against all detectives",
                [pair for opponent in OPPONENTS for pair in least(opponent, *LAYERS[:2])],
            )
        ],
        variants=[*less_thought(BY_LAYERS_MIXED), stepping(BY_LAYERS_MIXED)],
    ),
]

# The detectives.

LAYOUTS = {"of layout 1": "detectives-mix", "of layout 2": "detectives-layout-2", "of layout 3": "detectives-layout-3"}
WON_BY_LAYOUT = {"random": (96.65, 93.94, 86.15), "alpha-beta": (27.5, 27.08, 9.2), "MCTS": (29.8, 23.07, 11.23)}
REWARDS = {"rewarded for any catch": "detectives-any-catch", "rewarded for taking part": "detectives-mix"}
WON_BY_REWARD = {"random": (92.3, 96.31), "alpha-beta": (10.49, 21.13), "MCTS": (12.41, 18.78)}

# The course that she refers to, DeepLizard's, knows the end of a game by an empty picture; a board is never empty.
NOT_TOLD = {
    "detectives-mix": "detectives-endless",
    "detectives-layout-2": "detectives-endless-layout-2",
    "detectives-layout-3": "detectives-endless-layout-3",
    "detectives-any-catch": "detectives-endless-any-catch",
    "detectives-retrained": "detectives-endless-retrained",
}
DIRECTLY = "the value of the position directly after the own move is added to each reward, even at the end of a game"


def not_told(nets: Mapping[str, str], published: Published) -> list[Variant]:
    """Trained in the way that the text can be read, under either rule."""
    return read_so(of_detectives({label: NOT_TOLD[net] for label, net in nets.items()}, published))


BOTH = f"both: {DIRECTLY}; and Mr X may step onto a detective"


def read_so(cells: Sequence[TrainedWins], more: str = "") -> list[Variant]:
    """Nets that learned so; then Mr X may step onto a detective besides, or MCTS thinks less."""
    return [
        Variant(f"{DIRECTLY}{more}", cells),
        Variant(f"{BOTH}{more}", stepping(cells).cells),
        *(
            Variant(
                f"both: {DIRECTLY}{more}; and MCTS thinks {iterations} iterations",
                thinking(cells, f"worlds=one,iterations={iterations}"),
            )
            for iterations in (50, 500)
        ),
    ]


SWEEP = "python benchmarks/hrklova.py train --out DIR --games 1500 --small --only"
SAME_NET = ("of layout 1", "rewarded for taking part")  # published twice: K6.4 and K6.5 differ by up to 11 points


def ruled_out(cause: str, variants: str, found: str) -> Finding:
    """A reading that was tried for the first layout: wins against random, alpha-beta and MCTS."""
    about = [*(f"detectives {who}, *" for who in SAME_NET), "DQN detectives, *"]
    return Finding(cause, f"trained so on 1,500 games: {found}", f"{SWEEP} {variants}", about)


FINDINGS = [
    ruled_out(
        "another seed", "preset", "2 trainings, random 51.25 and 61.25%, alpha-beta 2.5 and 4.25%, MCTS 1.75 and 4.25%"
    ),
    ruled_out(
        "the value of the position directly after the own move, the end of a game being told",
        "direct",
        "46.75, 5.25 and 3.75%",
    ),
    ruled_out("no belief before Mr X was seen", "sightings", "49, 9 and 8.75%"),
    ruled_out("an illegal answer brings 0, whatever follows", "nothing-for-wrong", "50.75, 2.75 and 4.25%"),
    ruled_out("the mean squared error", "mse", "45.75, 2.75 and 2.5%"),
    ruled_out("training on with 20% random moves", "preset again", "51.75, 3.5 and 4%"),
    Finding(
        "the end of a game is not told: the value of the position that follows is added even there",
        "3 trainings on 1,500 games: alpha-beta 28.9 ± 5.6%, MCTS 28.3 ± 2.4%; published twice, "
        "27.5 and 21.13, 29.8 and 18.78%",
        f"{SWEEP} endless endless-turns",
        [f"detectives {who}, {other} Mr X" for who in SAME_NET for other in ("alpha-beta", "MCTS")]
        + ["DQN detectives, alpha-beta Mr X"],
        explains=True,
    ),
    Finding(
        "the end of a game is not told, and a random Mr X may step onto a detective",
        "3 trainings on 1,500 games: 97.9 ± 1.2%; the preset's nets 82 and 86%",
        f"{SWEEP} endless endless-turns",
        [*(f"detectives {who}, random Mr X" for who in SAME_NET), "DQN detectives, random Mr X"],
        explains=True,
    ),
]

POSSIBLE = [
    "Her code may differ in what the text leaves open, such as where an illegal answer leaves a detective.",
    "Whether the nets for Mr X learned in the same way, without an end of the game, was not tried.",
]


def why_detectives_win_little(outcome: Outcome) -> str:
    """Why nets that are trained as the text reads win less than hers, told with the spread of trainings."""
    tried = {each.cause: each.lines for each in outcome.tried}
    as_written = with_spread(outcome.lines)
    not_told, both = (with_spread(tried.get(cause, ())) for cause in (DIRECTLY, BOTH))
    if not ("alpha-beta" in as_written and "alpha-beta" in not_told and "random" in both):
        return ""
    return f"""K6.4 and K6.5 leave a question: why do her detectives win 27.5% against alpha-beta and 96.65% against a random
Mr X? Trained as her text reads, ours win {as_written["alpha-beta"]} and {as_written["random"]} (the mean of all trainings
and the standard deviation between them): it was not the luck of one training. Two readings that her text does not exclude
bring her level. If the learner is never told that a game is over, and the value of the position directly after its move is
added even there, ours win {not_told["alpha-beta"]} against alpha-beta. They step onto a possible station in 64 to 75% of
the choices; the others do so in 51 to 58%, and by chance it would be 46% (trainings on 1,500 games; `python
benchmarks/hrklova.py table --out DIR --games 1500 --small`). And if Mr X may step onto a detective, which a random one does
often, the same nets win {both["random"]} against him."""


def with_spread(lines: Sequence[Line]) -> dict[str, str]:
    """What detectives of the first layout win against each Mr X: mean, spread and number of trainings."""
    start, end = "detectives of layout 1, ", " Mr X"
    return {
        line.label.removeprefix(start).removesuffix(end): f"{line.ours:.1f} ± {line.spread:.1f}% ({line.seeds} trainings)"
        for line in lines
        if line.label.startswith(start) and line.seeds >= FEWEST
    }


def most(opponent: str, first: str, *others: str) -> list[tuple[str, str]]:
    """That the first of some nets for the detectives wins most."""
    return [(f"detectives {other}, {opponent} Mr X", f"detectives {first}, {opponent} Mr X") for other in others]


def side_by_side(id: str, by: str, nets: Mapping[str, str], published: Published, claim: str, *order: str) -> Experiment:
    """Nets for the detectives; `order`: the one that is said to be the best against every Mr X, and the others."""
    cells = of_detectives(nets, published)
    return Experiment(
        id=id,
        title=f"Detective nets' wins against random, alpha-beta and MCTS Mr X, by {by}",
        setup=SETUP,
        cells=cells,
        full=GAMES,
        shrink=QUICK,
        nets=trainings(*nets.values(), *(NOT_TOLD[net] for net in nets.values())),
        once=True,
        reconstructed=OURS,
        claims=[Order(claim, [pair for opponent in OPPONENTS for pair in most(opponent, *order)])],
        variants=[*not_told(nets, published), *less_thought(cells), stepping(cells)],
        findings=FINDINGS,
        possible=POSSIBLE,
        answer=why_detectives_win_little if nets is LAYOUTS else None,
    )


DETECTIVES = [
    side_by_side("K6.4", "layout", LAYOUTS, WON_BY_LAYOUT, "the first layout is the best against every Mr X", *LAYOUTS),
    side_by_side(
        *("K6.5", "rewards", REWARDS, WON_BY_REWARD),
        "rewarded for taking part is better against every Mr X",
        *reversed(REWARDS),
    ),
]

# Everyone against everyone.


def dqn_detectives(net: str) -> list[TrainedWins]:
    return [
        by_detectives("DQN detectives, MCTS 2022 Mr X", net, SEARCH, 39.88),
        by_detectives("DQN detectives, MCTS 2021 Mr X", net, SOVA, 88.89),
        by_detectives("DQN detectives, alpha-beta Mr X", net, ALPHABETA, 33.79),
        by_detectives("DQN detectives, random Mr X", net, "random", 98.6),
    ]


def dqn_mr_x(net: str) -> list[TrainedWins]:
    return [
        against_mr_x("MCTS 2022 detectives, DQN Mr X", net, SEARCH, 62.05),
        against_mr_x("MCTS 2021 detectives, DQN Mr X", net, SOVA, 25.11),
        against_mr_x("alpha-beta detectives, DQN Mr X", net, ALPHABETA, 60.03),
    ]


WITH_NETS = [*dqn_detectives("detectives-mix"), *dqn_mr_x("mr-x-mix")]
RETRAINED = [*dqn_detectives("detectives-retrained"), *dqn_mr_x("mr-x-retrained")]
WITHOUT_NETS = [
    searches("MCTS 2022 detectives, MCTS 2021 Mr X", SOVA, SEARCH, 93.83),
    searches("MCTS 2022 detectives, alpha-beta Mr X", ALPHABETA, SEARCH, 66.02),
    searches("MCTS 2021 detectives, MCTS 2022 Mr X", SEARCH, SOVA, 24.39),
    searches("MCTS 2021 detectives, alpha-beta Mr X", ALPHABETA, SOVA, 17.86),
    searches("alpha-beta detectives, MCTS 2022 Mr X", SEARCH, ALPHABETA, 87.39),
    searches("alpha-beta detectives, MCTS 2021 Mr X", SOVA, ALPHABETA, 99.1),
]


def sova_thinks(iterations: int) -> Variant:
    """MCTS 2021 with another number of iterations than the fitted one, against alpha-beta."""
    other = f"{SOVA},iterations={iterations}"
    cells = [
        searches("MCTS 2021 detectives, alpha-beta Mr X", ALPHABETA, other, 17.86),
        searches("alpha-beta detectives, MCTS 2021 Mr X", other, ALPHABETA, 99.1),
    ]
    return Variant(f"MCTS 2021 thinks {iterations} iterations", cells)


EVERYONE = [
    Experiment(
        id="K6.6",
        title="Detectives' wins, every kind against every kind of Mr X: where nets play",
        setup=f"{SETUP} The best nets after several trainings on with 20% random moves.",
        cells=WITH_NETS,
        full=GAMES,
        shrink=QUICK,
        nets=trainings("mr-x-retrained", "detectives-retrained", "detectives-endless-retrained"),
        measure=[reached],
        reconstructed=f"{OURS} The nets are those of K6.1 and K6.4; trained on, they are tried. Of MCTS 2021 see K6.6s.",
        variants=[
            Variant("the nets are trained on once, with 20% random moves", RETRAINED),
            *read_so(dqn_detectives("detectives-endless")),
            *read_so(dqn_detectives("detectives-endless-retrained"), "; trained on once, with 20% random moves"),
            *less_thought(WITH_NETS),
            stepping(WITH_NETS),
        ],
        findings=FINDINGS,
        possible=POSSIBLE,
    ),
    Experiment(
        id="K6.6s",
        title="Detectives' wins, every kind against every kind of Mr X: where searches play each other",
        setup=f"{SETUP} The settings of their searches are not given.",
        cells=WITHOUT_NETS,
        full=GAMES,
        quick=100,
        shrink=QUICK,
        measure=[reached],
        reconstructed="All settings. Of MCTS 2021 nothing is known but its results: its 10 iterations are fitted to what "
        "its detectives win against alpha-beta; the other figures test it.",
        variants=[*less_thought(WITHOUT_NETS), stepping(WITHOUT_NETS), sova_thinks(5), sova_thinks(20)],
    ),
]

# What the text says without figures.


def compared_with(alike: Mapping[str, str], hunters: str = ALPHABETA) -> list[TrainedWins]:
    """Nets for Mr X that differ in one thing, each against the detectives that it was trained with."""
    return [against_mr_x(label, net, hunters) for label, net in alike.items()]


def ablation(name: str, title: str, alike: Mapping[str, str], *claims: Order | NoMore) -> Experiment:
    """Nets for Mr X that differ in one thing, of which the text says something."""
    return Experiment(
        id=name,
        title=f"Detectives' wins against Mr X, by {title}",
        setup="Said without figures. Mr X trained with alpha-beta, against alpha-beta.",
        cells=compared_with(alike),
        full=GAMES,
        nets=trainings(*alike.values()),
        once=True,
        reconstructed=OURS,
        claims=claims,
        variants=[
            Variant("judged against random detectives", compared_with(alike, "random")),
            Variant(
                "judged against MCTS with 500 iterations",
                [replace(c, shared=TRIED) for c in compared_with(alike, QUICK_SEARCH)],
            ),
        ],
    )


NO_USE = 3.0  # points: the smallest difference that the text speaks of
LITTLE = 10.0  # points that games by the clock, of which there are few, can tell from nothing
TIMES = ("MCTS thinks 0.05 s", "MCTS thinks 0.5 s")


def by_time(*budgets: str, games: int = CLOCKED) -> list[TrainedWins]:
    """What MCTS wins against alpha-beta if it thinks as long as published, and ten times as long."""
    pairs = zip(TIMES, budgets, strict=True)
    return [replace(searches(label, ALPHABETA, f"mcts:worlds=one,{budget}"), shared=games) for label, budget in pairs]


ONCE_MORE = ("trained once", "trained on once", "trained on twice")
TEXT = [
    ablation(
        "K5.t1",
        "the initial weights",
        {"Kaiming's": "mr-x-alphabeta", "PyTorch's own": "mr-x-pytorch"},
        Order("Kaiming's initial weights do better than PyTorch's, by 3%", [("Kaiming's", "PyTorch's own")], by=3.0),
    ),
    ablation(
        "K5.t2",
        "what an illegal answer costs",
        {"nothing": "mr-x-alphabeta", "1 point": "mr-x-penalty"},
        NoMore(
            f"a negative reward for moves off the board is of no use: it gains less than {NO_USE:.0f} points",
            [("1 point", "nothing")],
            NO_USE,
        ),
    ),
    ablation(
        "K5.t3",
        "the moves remembered",
        {"15,000": "mr-x-alphabeta", "10,000": "mr-x-replay-10000", "20,000": "mr-x-replay-20000"},
        Order("15,000 moves in the replay memory are better than 10,000", [("15,000", "10,000")]),
        Order("15,000 moves in the replay memory are better than 20,000", [("15,000", "20,000")]),
    ),
    ablation(
        "K5.t4",
        "the loss",
        {"Huber": "mr-x-alphabeta", "mean squared error": "mr-x-mse"},
        Order("Huber's loss does better than the mean squared error", [("Huber", "mean squared error")]),
    ),
    ablation(
        "K6.t1",
        "the games learned from",
        {"10,000": "mr-x-alphabeta", "5,000": "mr-x-5000-games", "20,000": "mr-x-20000-games"},
        Order("5,000 games are too few", [("10,000", "5,000")]),
        Order("20,000 games do harm", [("10,000", "20,000")]),
    ),
    ablation(
        "K6.t2",
        "the second hidden layer",
        {"50 wide": "mr-x-alphabeta", "100 wide": "mr-x-wide"},
        NoMore(
            f"a second hidden layer of 100 is no better than one of 50: it gains less than {NO_USE:.0f} points",
            [("100 wide", "50 wide")],
            NO_USE,
        ),
    ),
    Experiment(
        id="K6.t3",
        title="Detective nets' wins with a partner by MCTS while learning, which hers never finished",
        setup="Training with such a partner crashed after 5,000 games.",
        cells=[
            by_detectives(f"partner by {name}, {who} Mr X", net, agent)
            for name, net in {"alpha-beta": "detectives-mix", "MCTS": "detectives-partner-mcts"}.items()
            for who, agent in OPPONENTS.items()
        ],
        full=GAMES,
        shrink=QUICK,
        nets=trainings("detectives-mix", "detectives-partner-mcts"),
        reconstructed=OURS,
    ),
    Experiment(
        id="K6.t4",
        title="Detectives' wins with nets that are trained on with 20% random moves",
        setup="Said without figures: each time slightly better.",
        cells=[
            *(
                against_mr_x(f"alpha-beta detectives, Mr X {label}", net, ALPHABETA)
                for label, net in zip(ONCE_MORE, ("mr-x-mix", "mr-x-retrained", "mr-x-retrained-twice"), strict=True)
            ),
            *(
                by_detectives(f"detectives {label}, alpha-beta Mr X", net, ALPHABETA)
                for label, net in zip(
                    ONCE_MORE, ("detectives-mix", "detectives-retrained", "detectives-retrained-twice"), strict=True
                )
            ),
        ],
        full=GAMES,
        nets=trainings("mr-x-retrained-twice", "detectives-retrained-twice"),
        once=True,
        reconstructed=OURS,
        claims=[
            *(
                Order(f"trained on {times}, {who} better than before", better("alpha-beta", after, before))
                for who, better in {"Mr X is": least, "the detectives are": most}.items()
                for times, before, after in zip(("once", "twice"), ONCE_MORE, ONCE_MORE[1:], strict=False)
            ),
        ],
    ),
    Experiment(
        id="K6.t5",
        title="MCTS detectives' wins against alpha-beta, by the time to think",
        setup="The time was cut to 0.05 s, from how much is not said; that changed little.",
        cells=by_time(*QUICK),
        full=GAMES,
        quick=200,
        shrink=QUICK,
        claims=[
            NoMore(
                f"ten times the time changes the wins by less than {LITTLE:.0f} points",
                [TIMES, TIMES[::-1]],
                LITTLE,
            )
        ],
        variants=[Variant("MCTS thinks 500 iterations, and ten times as many", by_time(*QUICK.values(), games=TRIED))],
    ),
    Experiment(
        id="K7.t1",
        title="Time of 10,000 games of DQN detectives against a random Mr X",
        setup="Under four minutes.",
        measure=[duration],
        uses=[(["random", spec("detectives-mix", 1)], GAME)],
        full=GAMES,
        claims=[Claim("10,000 games take less than four minutes", ["10,000 games"], lambda f: f["10,000 games"] < 240)],
    ),
]

EXPERIMENTS = [*MR_X, *DETECTIVES, *EVERYONE, *TEXT]
