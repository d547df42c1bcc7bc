"""What Hrkľová's chapters 5 and 6 say in words only: choices that she made in training, and what they brought.

Their ids have a t.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from time import perf_counter

from fogbound.core.runner import play_set
from fogbound.lab.reproduce.comparison import PICTURE, Claim, Experiment, Line, NoMore, Order, Run, TrainedWins, Variant
from fogbound.lab.reproduce.hrklova_nets import (
    ALPHABETA,
    CLOCKED,
    GAME,
    GAMES,
    OPPONENTS,
    OURS,
    QUICK,
    TRIED,
    against_mr_x,
    by_detectives,
    least,
    most,
    searches,
    spec,
    trainings,
)


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
        variants=[Variant("judged against random detectives", compared_with(alike, "random"))],
    )


NO_USE = 3.0  # points: the smallest difference that the text speaks of
LITTLE = 10.0  # points that games by the clock, of which there are few, can tell from nothing
TIMES = ("MCTS thinks 0.05 s", "MCTS thinks 0.5 s")


def by_time(*budgets: str, games: int = CLOCKED) -> list[TrainedWins]:
    """What MCTS wins against alpha-beta if it thinks as long as published, and ten times as long."""
    pairs = zip(TIMES, budgets, strict=True)
    return [replace(searches(label, ALPHABETA, f"mcts:worlds=one,{budget}"), shared=games) for label, budget in pairs]


def duration(run: Run) -> Sequence[Line]:
    """How long 10,000 games against a random Mr X take on one core."""
    agents = ["random", spec("detectives-mix", 1)]
    list(play_set(GAME, agents, 10, run.seed, workers=1))  # everything is compiled then
    began = perf_counter()
    list(play_set(GAME, agents, GAMES, run.seed, workers=1))
    seconds = perf_counter() - began
    return [Line("10,000 games", seconds, seconds, seconds, 240.0, "s", PICTURE, GAMES)]


ONCE_MORE = ("trained once", "trained on once", "trained on twice")
EXPERIMENTS = [
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
