"""What the experiments of Vašátko (2018) share: the players, and what they need in each phase of a turn."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from fogbound.core import registry
from fogbound.core.agent import Agent
from fogbound.core.contract import Game
from fogbound.core.runner import play_out, seat_agents

SMALL = "risk/random:territories=9,players=3"
LARGE = "risk/random:territories=21,players=3,cards=capped"  # the map that the shipped nets were evolved on
RANDOM = "random:blitz=false"  # his random player rolls once at a time
SEARCH = "mcts:iterations=1000"
GUIDED = "mcts:iterations=1000,guide=vasatko-complex-trained"
NETS = "net:weights=vasatko-simple-trained"
PLAYERS = {"MCTS": SEARCH, "MCTS with nets": GUIDED, "nets": NETS}
PHASES = {"set-up": (0, 1), "draft": (3,), "attack": (4, 5), "fortify": (6,)}


def seconds_by_phase(player: str, seed: int = 1) -> Mapping[str, float]:
    """Mean seconds of a decision in each phase of one game against two random players."""
    game = registry.game(SMALL)
    seated = seat_agents(game, [player, RANDOM, RANDOM], seed)
    spent: dict[str, list[float]] = {name: [] for name in PHASES}

    class Timed:
        """The player with a clock."""

        def choose(self, view: Any) -> Any:
            decision = seated[0].choose(view)
            phase = int(view.state["phase"])
            for name, numbers in PHASES.items():
                if phase in numbers:
                    spent[name].append(decision.seconds)
            return decision

    _warmed(game, seated[0])
    timed: Any = Timed()
    play_out(game.new(seed), [timed, *seated[1:]])
    return {name: float(np.mean(seconds)) if seconds else 0.0 for name, seconds in spent.items()}


def _warmed(game: Game, agent: Agent) -> None:
    """Compiling is not thinking."""
    match = game.new(99)
    for other in seat_agents(game, [RANDOM], 99):
        other.choose(match.view(match.to_move))
    agent.choose(match.view(match.to_move))


def megabytes(player: str) -> float:
    """Memory of all arrays that a player holds after a decision."""
    game = registry.game(SMALL)
    agent = registry.agent(player, game)
    match = game.new(1)
    agent.choose(match.view(match.to_move))
    return sum(_arrays(vars(agent), set())) / 1e6


def _arrays(value: Any, seen: set[int]) -> list[int]:
    if id(value) in seen or isinstance(value, Game):
        return []
    seen.add(id(value))
    if isinstance(value, np.ndarray):
        return [value.nbytes]
    if isinstance(value, dict):
        return [size for each in value.values() for size in _arrays(each, seen)]
    if isinstance(value, tuple | list):
        return [size for each in value for size in _arrays(each, seen)]
    if hasattr(value, "__dataclass_fields__"):
        return [size for name in value.__dataclass_fields__ for size in _arrays(getattr(value, name), seen)]
    return []
