"""Figures about a game for those who design it: how long, how branched, how fair, how dramatic.

Who leads at a moment is estimated by random playouts from the true position. Drama and lead changes follow Browne
(Automatic Generation and Evaluation of Recombination Games, 2008).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fogbound.core import registry
from fogbound.core.agent import AgentLike
from fogbound.core.contract import Game
from fogbound.core.record import Record
from fogbound.core.rng import stream
from fogbound.core.runner import play_set
from fogbound.core.statistics import wilson
from fogbound.core.world import World

LONGEST = 2000  # moves of a playout: what has not ended then counts as even


@dataclass(frozen=True)
class Metrics:
    """What some hundred games between given agents say about a game."""

    game: str
    agents: tuple[str, ...]
    games: int
    length: float
    """Moves a game, on average."""
    length_low: float
    length_high: float
    """Nine of ten games have between so many and so many moves."""
    branching: float
    """Legal moves at a decision, on average; forced moves are no decisions."""
    forced: float
    """The share of moves that were forced."""
    draws: float
    """The share of games that nobody won alone."""
    sides: dict[str, tuple[float, float, float]]
    """Each side's share of the points, with its 95% interval."""
    first_mover: float
    """How much more than a fair share of the points goes to the side that moves first."""
    lead_changes: float
    """How often another side is ahead than before, a game."""
    drama: float
    """How far behind the winner is while it is behind, from 0 to 1."""
    decided: float
    """The share of a game after which the leader does not change any more."""


def metrics(
    game: Game | str,
    agents: AgentLike | Sequence[AgentLike] = "heuristic",
    games: int = 200,
    seed: int = 0,
    looks: int = 10,
    playouts: int = 20,
    workers: int | None = None,
) -> Metrics:
    """Measure a game between agents: `looks` moments of each game are judged by so many playouts."""
    played = registry.game(game)
    given = [agents] if isinstance(agents, str) or not isinstance(agents, Sequence) else list(agents)
    results = play_set(played, given, games, seed, workers, keep_records=True)
    records = [r.record for r in sorted(results, key=lambda result: result.number) if r.record is not None]
    rng = stream(seed, "looks at games")
    seen = [_look(record, looks, playouts, rng) for record in records]
    scores = np.array([record.scores for record in records])
    lengths = np.array([len(record.moves) for record in records])
    legal = np.concatenate([each["legal"] for each in seen])
    shares = {
        name: (float(scores[:, i].mean()), *wilson(scores[:, i].sum(), games)) for i, name in enumerate(played.side_names)
    }
    first = np.array([scores[i, played.side_of[record.moves[0].seat]] for i, record in enumerate(records)])
    low, high = np.quantile(lengths, [0.05, 0.95])
    return Metrics(
        played.spec,
        records[0].agents,
        len(records),
        float(lengths.mean()),
        float(low),
        float(high),
        float(legal[legal > 1].mean()) if (legal > 1).any() else 1.0,
        float((legal == 1).mean()),
        float(((scores == scores.max(axis=1, keepdims=True)).sum(axis=1) > 1).mean()),
        shares,
        float(first.mean() - 1 / played.sides),
        float(np.mean([each["changes"] for each in seen])),
        float(np.mean([each["drama"] for each in seen])),
        float(np.mean([each["decided"] for each in seen])),
    )


def _look(record: Record, looks: int, playouts: int, rng: NDArray[np.uint64]) -> dict[str, Any]:
    """One game: its legal moves, and who was ahead at some moments of it."""
    game, count = record.game, len(record.moves)
    when = {count * i // (looks + 1) for i in range(1, looks + 1)}
    legal, odds = [], []
    for ply, match in enumerate(record.steps()):
        if ply < count:
            legal.append(len(game.legal(match.state)))
        if ply in when and ply < count:
            world = World(game, match.state, rng)
            odds.append(np.mean([world.playout(LONGEST) for _ in range(playouts)], axis=0))
    chances = np.array([*odds, record.scores])
    leaders = chances.argmax(axis=1)
    changes = np.flatnonzero(np.diff(leaders))
    behind = chances.max(axis=1) - chances[:, int(np.argmax(record.scores or ()))]
    last = (changes[-1] + 1) / len(leaders) if len(changes) else 0.0
    drama = float(np.sqrt(behind[behind > 0]).mean()) if (behind > 0).any() else 0.0
    return {"legal": np.array(legal), "changes": len(changes), "drama": drama, "decided": last}
