"""Games as tables for data people: played now, or read from a set or tournament that was stored.

fb.simulate("scotland-yard/plan1", ["heuristic", "random"], games=1000) is a pandas DataFrame, a row a game;
with moves=True it has a row a move.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fogbound.core import registry
from fogbound.core.agent import AgentLike
from fogbound.core.contract import Game
from fogbound.core.errors import FogboundError
from fogbound.core.record import Record
from fogbound.core.runner import play_set
from fogbound.lab.results import Results, _pandas

if TYPE_CHECKING:
    from pandas import DataFrame

Row = dict[str, Any]


def simulate(
    game: Game | str,
    agents: AgentLike | Sequence[AgentLike] = "random",
    games: int = 1000,
    seed: int = 0,
    moves: bool = False,
    positions: bool = False,
    features: bool = False,
    workers: int | None = None,
) -> DataFrame:
    """Play games and tell them as a table.

    A row is a game, or with `moves` a move. `positions` adds to each move the position before it, to be pasted into
    `game.at(...)`; `features` what its seat saw as an array, and the number of its move.
    """
    played = registry.game(game)
    given = [agents] if isinstance(agents, str) or not isinstance(agents, Sequence) else list(agents)
    detailed = moves or positions or features
    results = play_set(played, given, games, seed, workers, keep_records=True)
    records = (result.record for result in sorted(results, key=lambda result: result.number) if result.record)
    return _table(records, detailed, positions, features)


def table(stored: str | Path, moves: bool = False, positions: bool = False, features: bool = False) -> DataFrame:
    """The games of a stored set or tournament (its folder or its results.sqlite) as a table like that of `simulate`."""
    path = Path(stored)
    file = path / "results.sqlite" if path.is_dir() else path
    if not file.is_file():
        raise FogboundError(f"There are no stored games at {stored}: give the folder of a set, or its results.sqlite.")
    results = Results.open(file)
    numbers = ((seating, int(number)) for seating, found in results.games.items() for number in found.numbers)
    records = (results.record(seating, number) for seating, number in numbers)
    return _table(records, moves or positions or features, positions, features)


def _table(records: Iterable[Record], detailed: bool, positions: bool, features: bool) -> DataFrame:
    rows: list[Row] = []
    for record in records:
        rows += _moves(record, positions, features) if detailed else [_game(record)]
    return _pandas().DataFrame(rows)  # type: ignore[no-any-return]


def _game(record: Record) -> Row:
    game, scores = record.game, record.scores or ()
    best = max(scores, default=0.0)
    winners = [name for name, score in zip(game.side_names, scores, strict=True) if score == best]
    row = {"game": game.spec, "seed": record.seed, "number": record.number, "moves": len(record.moves)}
    row |= {"winner": winners[0] if len(winners) == 1 else None}
    for side, name in enumerate(game.side_names):
        row |= {f"agent {name}": record.agents[side], f"score {name}": scores[side]}
    return row


def _moves(record: Record, positions: bool, features: bool) -> Iterator[Row]:
    game = record.game
    for ply, (match, move) in enumerate(zip(record.steps(), record.moves, strict=False)):
        row = {"game": game.spec, "seed": record.seed, "number": record.number, "ply": ply}
        row |= {"seat": game.seat_names[move.seat], "agent": record.agents[game.side_of[move.seat]]}
        row |= {"move": game.describe(move.code), "code": move.code, "legal": len(game.legal(match.state))}
        if positions:
            row["position"] = match.position()
        if features:
            view = match.view(move.seat)
            row |= {"features": view.array(), "action": view.number(move.code)}
        yield row
