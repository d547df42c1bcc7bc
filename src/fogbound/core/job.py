"""A job: neighbouring games of one seating, played in one go, anywhere.

Games depend only on the seed and their number, so it makes no difference how they are
divided into jobs, in which order, or on which machine they are played.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from time import perf_counter, process_time
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
from fogbound.core.seats import seat_agents

Start = tuple[int, ...]
Range = tuple[int, int]
"""Game numbers from the first up to, but not including, the second."""

SECONDS = 0.25  # how long a job should take: what a kill can lose, on each core
MOST = 4096  # games of a job; more gains no speed
FIRST = {True: 4, False: 1}  # games of the first job, if compiled and if not
GROWTH = 8  # a job is at most so many times the size of the one before
SLOW = 1e-4  # seconds a game: where games are slower than this, compressing their moves costs next to nothing
WIDTHS = ("<u2", "<u4", "<i8")
NOT_KEPT = "none"  # the packing of games whose moves were not kept


@dataclass(frozen=True)
class GameRef:
    """A game by name, light enough to be sent to other processes and machines."""

    spec: str
    digest: str
    definition: str
    """The board and its options as JSON; empty if the name alone builds it anywhere."""
    built: Game | None = field(default=None, compare=False, repr=False)
    """The game itself, which stays in this process."""

    @classmethod
    def of(cls, game: Game) -> GameRef:
        definition = game.definition()
        text = "" if game.shipped else json.dumps(definition, sort_keys=True)
        return cls(game.spec, digest(definition), text, game)

    def __reduce__(self) -> tuple[Any, ...]:
        return GameRef, (self.spec, self.digest, self.definition)

    def game(self) -> Game:
        """The game; another process builds it once."""
        return self.built or _build(self)


@lru_cache(maxsize=256)
def _build(ref: GameRef) -> Game:
    if not ref.definition:
        game = registry.game(ref.spec)
    else:
        game = registry.rebuild(ref.spec.partition("/")[0], json.loads(ref.definition))
        game.spec = ref.spec
    if digest(game.definition()) != ref.digest:
        raise FogboundError(f"The board {ref.spec} of these games differs from the one installed here.")
    return game


@dataclass(frozen=True)
class Job:
    """Games `first` to `first + count - 1` of a seating."""

    game: GameRef
    agents: tuple[str, ...]
    seed: int
    first: int
    count: int
    compiled: bool
    """Whether to play them all at once in compiled code; every agent must be a compiled policy."""
    starts: tuple[Start, ...] = ()
    """The set-up of each game, where it is not drawn by chance."""
    keep_moves: bool = True
    seating: int = 0
    """The number of the seating, where there are several."""
    given: tuple[tuple[str, type[Agent]], ...] = ()
    """Agents that were handed over in Python, by the name that their specs have; another process cannot look them up."""

    def part(self, first: int, count: int) -> Job:
        """Some of the games of this job."""
        place = first - self.first
        return replace(self, first=first, count=count, starts=self.starts[place : place + count])


@dataclass(frozen=True)
class Played:
    """What came of a job."""

    scores: NDArray[np.float64]  # a row a game, a column a side
    lengths: NDArray[np.int64]  # moves of each game
    moves: bytes  # all moves of all games, packed
    packing: str
    side_moves: tuple[int, ...]
    side_seconds: tuple[float, ...]  # how long the agents of each side thought
    seconds: float  # without loading or compiling
    thoughts: NDArray[np.int64]  # decisions of each game and side between several moves; no rows if compiled
    processor_seconds: NDArray[np.float64]  # processor time of these decisions

    def codes(self) -> list[NDArray[np.int64]]:
        """The moves of each game."""
        return split_moves(self.packing, self.moves, self.lengths)


@dataclass
class Pending:
    """The games of a seating that are still to be played, handed out as jobs of fitting size."""

    whole: Job
    """All games of the seating."""
    gaps: list[Range]
    size: int
    most: int = MOST

    @classmethod
    def of(cls, whole: Job, gaps: Iterable[Range] | None = None, most: int = MOST) -> Pending:
        every = [(whole.first, whole.first + whole.count)]
        return cls(whole, list(every if gaps is None else gaps), FIRST[whole.compiled], most)

    def take(self) -> Job:
        """The next job."""
        first, end = self.gaps.pop(0)
        count = min(end - first, self.size, self.most)
        if first + count < end:
            self.gaps.insert(0, (first + count, end))
        return self.whole.part(first, count)

    def jobs(self) -> Iterator[Job]:
        while self.gaps:
            yield self.take()

    def learn(self, played: Played) -> None:
        """Make the next jobs as large as the time for one allows."""
        games = SECONDS * len(played.lengths) / max(played.seconds, 1e-9)
        self.size = int(min(MOST, GROWTH * self.size, max(1, games)))


def gaps(finished: Iterable[Range], end: int) -> list[Range]:
    """The ranges of game numbers below `end` that are not finished; finished ranges are given in ascending order."""
    missing, place = [], 0
    for first, after in finished:
        if place < min(first, end):
            missing.append((place, min(first, end)))
        place = after
    if place < end:
        missing.append((place, end))
    return missing


def can_be_compiled(agents: Iterable[Agent]) -> bool:
    return all(isinstance(agent, PolicyAgent) for agent in agents)


def play(job: Job) -> Played:
    """Play a job."""
    registry.receive_agents(job.given)
    return _play_compiled(job) if job.compiled else _play_each(job)


def _play_compiled(job: Job) -> Played:
    _warm_up(job.game, job.agents)
    began = perf_counter()
    game = job.game.game()
    try:
        result = play_batch(game, _policies(game, job.agents), job.seed, job.first, job.count, job.starts, job.keep_moves)
    except Exception as error:
        games = f"games {job.first} to {job.first + job.count - 1} of {game.spec} with seed {job.seed}"
        raise FogboundError(f"The agents “{' / '.join(job.agents)}” failed in {games}: {_told(error)}") from error
    none = np.zeros((0, game.sides))
    packing, moves = _packed(job, result.codes, perf_counter() - began)
    sides = (result.side_moves, result.side_seconds)
    return Played(result.scores, result.moves, moves, packing, *sides, perf_counter() - began, none.astype(np.int64), none)


@lru_cache(maxsize=1024)
def _warm_up(ref: GameRef, agents: tuple[str, ...]) -> None:
    """Compile (or load) the policies, so that this is not counted as thinking."""
    game = ref.game()
    play_batch(game, _policies(game, agents), 0, 0, 1)


def _policies(game: Game, agents: Sequence[str]) -> list[PolicyAgent]:
    return [agent for agent in seat_agents(game, agents) if isinstance(agent, PolicyAgent)]


def _play_each(job: Job) -> Played:
    game = job.game.game()
    began = perf_counter()
    moves, thoughts = np.zeros((2, job.count, game.sides), np.int64)
    seconds, slowest, processor_seconds = np.zeros((3, job.count, game.sides))
    new = _first_met(game, job.agents)
    codes: list[int] = []
    scores = []
    for i in range(job.count):
        number = job.first + i
        match = game.new(job.seed, number, job.starts[i] if job.starts else None)
        seated = seat_agents(game, job.agents, job.seed, number)
        while not match.over:
            side = game.side_of[match.to_move]
            choices = len(game.legal(match.state))
            took, spent = make_move(match, seated[side], job.agents[side])
            if choices > 1:
                processor_seconds[i, side] += spent
                thoughts[i, side] += 1
            moves[i, side] += 1
            seconds[i, side] += took
            slowest[i, side] = max(slowest[i, side], took)
        codes += [move.code for move in match.moves]
        scores.append(match.scores())
    side_moves, side_seconds = moves.sum(axis=0).tolist(), seconds.sum(axis=0).tolist()
    thought = sum(side_seconds)
    for side, spec in enumerate(job.agents):
        if spec in new:
            side_seconds[side] = without_loading(side_seconds[side], float(slowest[:, side].max()), side_moves[side])
    took = perf_counter() - began - (thought - sum(side_seconds))
    packing, packed = _packed(job, np.array(codes, np.int64), took)
    return Played(
        np.array(scores),
        moves.sum(axis=1),
        packed,
        packing,
        tuple(side_moves),
        tuple(side_seconds),
        took,
        thoughts,
        processor_seconds,
    )


def make_move(match: Match, agent: Agent, spec: str) -> tuple[float, float]:
    """Let an agent move; the seconds it thought, by the clock and by the processor.

    A failure names the agent, the game and the move.
    """
    try:
        view = match.view(match.to_move)
        began = process_time()
        decision = agent.choose(view)
        spent = process_time() - began
        match.play(decision.action)
    except Exception as error:
        where = f"game {match.number} of {match.game.spec} with seed {match.seed}, move {len(match.moves) + 1}"
        raise FogboundError(f"The agent “{spec}” failed in {where}: {_told(error)}") from error
    return decision.seconds, spent


def _told(error: Exception) -> str:
    return str(error) if isinstance(error, FogboundError) else f"{type(error).__name__}: {error}"


_met: set[tuple[str, str]] = set()


def _first_met(game: Game, agents: Sequence[str]) -> set[str]:
    """The agents that this process meets for the first time in this family of games."""
    new = {agent for agent in agents if (game.family, agent) not in _met}
    _met.update((game.family, agent) for agent in new)
    return new


def without_loading(seconds: float, slowest: float, moves: int) -> float:
    """Seconds of so many moves, the slowest of which also loaded compiled code, and counts as one of the others."""
    return (seconds - slowest) * moves / (moves - 1) if moves > 1 else seconds


def _packed(job: Job, codes: NDArray[np.int64], seconds: float) -> tuple[str, bytes]:
    return pack(codes, seconds / job.count > SLOW) if job.keep_moves else (NOT_KEPT, b"")


def pack(codes: NDArray[np.int64], slow: bool) -> tuple[str, bytes]:
    """Moves as bytes, with the name of the packing."""
    most, least = (int(codes.max()), int(codes.min())) if codes.size else (0, 0)
    width = WIDTHS[0] if least >= 0 and most < 1 << 16 else WIDTHS[1] if least >= 0 and most < 1 << 32 else WIDTHS[2]
    data = codes.astype(width).tobytes()
    return (f"{width} zlib", zlib.compress(data)) if slow else (width, data)


def unpack(packing: str, data: bytes) -> NDArray[np.int64]:
    """Moves that `pack` packed."""
    if packing == NOT_KEPT:
        raise FogboundError("The moves of this game were not kept.")
    width, _, zipped = packing.partition(" ")
    if width not in WIDTHS or zipped not in ("", "zlib"):
        raise FogboundError(f"Moves are packed in a way that this version does not know: “{packing}”.")
    codes: NDArray[np.int64] = np.frombuffer(zlib.decompress(data) if zipped else data, width).astype(np.int64)
    return codes


def split_moves(packing: str, data: bytes, lengths: NDArray[np.int64]) -> list[NDArray[np.int64]]:
    """Packed moves of several games, game by game."""
    return np.split(unpack(packing, data), np.cumsum(lengths)[:-1])


def record_of(
    game: Game,
    agents: Sequence[str],
    seed: int,
    number: int,
    codes: Iterable[int],
    scores: Sequence[float],
    start: Start | None = None,
) -> Record:
    """A game's record from its moves: chance is drawn again from the game's own stream, and the result must agree."""
    match = game.new(seed, number, start)
    for code in codes:
        match.play(int(code))
    if not match.over or match.scores() != tuple(scores):
        raise DamagedRecord(f"Game {number} of {game.spec} with seed {seed} does not end as it did when it was played.")
    return Record.of(match, agents)
