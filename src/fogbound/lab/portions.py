"""A portion of a tournament: neighbouring games of one seating, played in one go anywhere.

Games depend only on the seed and their number, so it changes nothing how they are
portioned out, in which order, or on which machine they are played.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fogbound.core import registry
from fogbound.core.agent import Agent, PolicyAgent
from fogbound.core.batch import play_batch
from fogbound.core.contract import Game
from fogbound.core.errors import DamagedRecord, FogboundError
from fogbound.core.match import Match
from fogbound.core.record import Record, digest
from fogbound.core.runner import seat_agents

WIDTHS = ("<u2", "<u4", "<i8")
SLOW = 1e-4  # seconds a game: where games are slower than this, packing their moves costs next to nothing


@dataclass(frozen=True)
class Board:
    """A game by name, light enough to be sent around."""

    spec: str
    digest: str
    definition: str
    """The board and its options as JSON; empty if the name alone builds it anywhere."""

    @classmethod
    def of(cls, game: Game) -> Board:
        definition = "" if game.shipped else json.dumps(game.definition(), sort_keys=True)
        return cls(game.spec, digest(game.definition()), definition)

    def game(self) -> Game:
        """The game; each process builds it once."""
        return _game(self)


@lru_cache(maxsize=256)
def _game(board: Board) -> Game:
    if not board.definition:
        game = registry.game(board.spec)
    else:
        game = registry.rebuild(board.spec.partition("/")[0], json.loads(board.definition))
        game.spec = board.spec
    if digest(game.definition()) != board.digest:
        raise FogboundError(f"{board.spec} is another board here than the one the games were played on.")
    return game


@dataclass(frozen=True)
class Portion:
    """Games `first` to `first + count - 1` of a seating."""

    seating: int
    board: Board
    agents: tuple[str, ...]
    seed: int
    first: int
    count: int
    compiled: bool


@dataclass(frozen=True)
class Played:
    """What came of a portion."""

    scores: NDArray[np.float64]  # a row a game, a column a side
    lengths: NDArray[np.int64]  # moves of each game
    moves: bytes  # all moves of all games, packed
    packing: str
    side_moves: tuple[int, ...]
    side_seconds: tuple[float, ...]  # time the agents of each side thought
    seconds: float


def can_be_compiled(game: Game, agents: Sequence[str]) -> bool:
    return all(isinstance(agent, PolicyAgent) for agent in seat_agents(game, agents))


def play(portion: Portion) -> Played:
    """Play a portion."""
    game = portion.board.game()
    if portion.compiled:
        _warm_up(portion.board, portion.agents)
    began = perf_counter()
    if portion.compiled:
        seated = [agent for agent in seat_agents(game, portion.agents) if isinstance(agent, PolicyAgent)]
        result = play_batch(game, seated, portion.seed, portion.first, portion.count, keep_moves=True)
        parts = (result.scores, result.moves, result.codes, result.side_moves, result.side_seconds)
    else:
        parts = _play_each(game, portion)
    scores, lengths, codes, side_moves, side_seconds = parts
    slow = (perf_counter() - began) / portion.count > SLOW
    packing, moves = pack(codes, slow)
    return Played(scores, lengths, moves, packing, side_moves, side_seconds, perf_counter() - began)


@lru_cache(maxsize=1024)
def _warm_up(board: Board, agents: tuple[str, ...]) -> None:
    """Compile (or load) the policies, so that this is not counted as thinking."""
    game = board.game()
    play_batch(game, [agent for agent in seat_agents(game, agents) if isinstance(agent, PolicyAgent)], 0, 0, 1)


def _play_each(game: Game, portion: Portion) -> Any:
    side_moves, side_seconds, slowest = [0] * game.sides, [0.0] * game.sides, [0.0] * game.sides
    new = _first_met(game, portion.agents)
    codes: list[int] = []
    scores, lengths = [], []
    for number in range(portion.first, portion.first + portion.count):
        match = game.new(portion.seed, number)
        seated = seat_agents(game, portion.agents, portion.seed, number)
        while not match.over:
            side = game.side_of[match.to_move]
            seconds = _one_move(match, seated[side], portion.agents[side])
            side_seconds[side] += seconds
            slowest[side] = max(slowest[side], seconds)
            side_moves[side] += 1
        codes += [move.code for move in match.moves]
        scores.append(match.scores())
        lengths.append(len(match.moves))
    for side, spec in enumerate(portion.agents):
        if spec in new:
            side_seconds[side] = without_loading(side_seconds[side], slowest[side], side_moves[side])
    return np.array(scores), np.array(lengths), np.array(codes, np.int64), tuple(side_moves), tuple(side_seconds)


_met: set[tuple[str, str]] = set()


def _first_met(game: Game, agents: Sequence[str]) -> set[str]:
    """The agents that this process meets for the first time in this family of games."""
    family = game.spec.partition("/")[0]
    new = {agent for agent in agents if (family, agent) not in _met}
    _met.update((family, agent) for agent in new)
    return new


def without_loading(seconds: float, slowest: float, moves: int) -> float:
    """Seconds of so many moves, the slowest of which also loaded compiled code, and counts as one of the others."""
    return (seconds - slowest) * moves / (moves - 1) if moves > 1 else seconds


def _one_move(match: Match, agent: Agent, spec: str) -> float:
    """Let an agent move; the seconds it took."""
    try:
        decision = agent.choose(match.view(match.to_move))
        match.play(decision.action)
    except Exception as error:
        where = f"game {match.number} of {match.game.spec} with seed {match.seed}, move {len(match.moves) + 1}"
        raise FogboundError(f"The agent “{spec}” failed in {where}: {type(error).__name__}: {error}") from error
    return decision.seconds


def pack(codes: NDArray[np.int64], slow: bool) -> tuple[str, bytes]:
    """Moves as bytes, with the name of the packing."""
    most, least = (int(codes.max()), int(codes.min())) if codes.size else (0, 0)
    width = WIDTHS[0] if least >= 0 and most < 1 << 16 else WIDTHS[1] if least >= 0 and most < 1 << 32 else WIDTHS[2]
    data = codes.astype(width).tobytes()
    return (f"{width} zlib", zlib.compress(data)) if slow else (width, data)


def unpack(packing: str, data: bytes) -> NDArray[np.int64]:
    """Moves that `pack` packed."""
    width, _, zipped = packing.partition(" ")
    if width not in WIDTHS or zipped not in ("", "zlib"):
        raise FogboundError(f"Moves are packed in a way that is not known here: “{packing}”.")
    codes: NDArray[np.int64] = np.frombuffer(zlib.decompress(data) if zipped else data, width).astype(np.int64)
    return codes


def record_of(
    game: Game, agents: Sequence[str], seed: int, number: int, codes: Sequence[int], scores: Sequence[float]
) -> Record:
    """A game's full record from its kept moves: chance is drawn again from the game's own stream, and the end must fit."""
    match = game.new(seed, number)
    for code in codes:
        match.play(int(code))
    if not match.over or match.scores() != tuple(scores):
        raise DamagedRecord(f"Game {number} of {game.spec} with seed {seed} does not end as it did when it was played.")
    return Record.of(match, agents)
