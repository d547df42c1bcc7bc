"""What the experiments of Vašátko 2018 on the small map share: the game, the players, and how they are timed."""

from collections.abc import Iterator, Sequence
from statistics import mean

from fogbound.core import registry
from fogbound.core.runner import seat_agents
from fogbound.lab.experiment import PICTURE, Line, missing

GAME = "risk/random:territories=9,players=3,seed=1"
PLAYERS = {
    "MCTS": "turns:iterations=1000",
    "MCTS with nets": "turns:iterations=1000,nets=vasatko-simple-trained",
    "nets": "net:weights=vasatko-simple-trained",
}
PHASES = ("set-up", "set-up", "set-up", "draft", "attack", "attack", "fortify")  # by the number of the phase
ROUNDS = 12


def players() -> Iterator[tuple[str, str]]:
    """The players that exist."""
    return ((name, agent) for name, agent in PLAYERS.items() if not missing([agent], GAME))


def reactions(agent: str) -> dict[str, float]:
    """Mean seconds for a decision in each phase, in one game against two scripted players."""
    game = registry.game(f"{GAME},round_limit={ROUNDS}")
    match = game.new(1)
    seated = seat_agents(game, [agent, "heuristic", "heuristic"], 1)
    times: dict[str, list[float]] = {phase: [] for phase in PHASES}
    while not match.over:
        seat, phase = match.to_move, PHASES[int(match.state["phase"])]
        decision = seated[seat].choose(match.view(seat))
        if seat == 0 and len(match.legal()) > 1:
            times[phase].append(decision.seconds)
        match.play(decision.action)
    # The slowest of each is left out: it loads the compiled code.
    return {phase: mean(sorted(each)[:-1] or each or [0.0]) for phase, each in times.items()}


def seconds(name: str, agent: str, published: Sequence[float]) -> list[Line]:
    return [
        Line(f"{name}, {phase}", ours, ours, ours, theirs, "s", PICTURE)
        for (phase, ours), theirs in zip(reactions(agent).items(), published, strict=True)
    ]
