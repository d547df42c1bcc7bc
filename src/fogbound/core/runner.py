"""Playing matches and sets of them, on all cores, with the same results for any number of workers."""

from __future__ import annotations

import multiprocessing
import os
from collections.abc import Generator, Iterator, Sequence, Set
from concurrent.futures import FIRST_COMPLETED, Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor, wait
from dataclasses import dataclass
from itertools import islice
from typing import TypeVar

from fogbound.core import registry
from fogbound.core.agent import Agent, PolicyAgent
from fogbound.core.batch import play_batch
from fogbound.core.contract import Game
from fogbound.core.errors import FogboundError
from fogbound.core.match import Match
from fogbound.core.record import Record

Start = tuple[int, ...]
T = TypeVar("T")
_Task = Future["list[GameResult]"]


@dataclass(frozen=True)
class GameResult:
    """How one game of a set ended."""

    number: int
    scores: tuple[float, ...]
    moves: int
    record: Record | None = None


@dataclass(frozen=True)
class _Portion:
    """Some games of a set, played in one go."""

    game: Game
    agents: tuple[str, ...]
    seed: int
    first: int
    count: int
    starts: tuple[Start, ...]
    keep: bool


def play(
    game: Game | str,
    agents: Sequence[str | Agent],
    seed: int = 0,
    number: int = 0,
    start: Sequence[int] | None = None,
) -> Record:
    """Play one match to its end: an agent a side, or one agent for all."""
    played = registry.game(game)
    match = played.new(seed, number, start)
    seated = seat_agents(played, agents, seed, number)
    play_out(match, seated)
    return Record.of(match, [agent if isinstance(agent, str) else agent.name for agent in fill(played, agents)])


def play_out(match: Match, seated: Sequence[Agent]) -> None:
    """Let the agents, one a side, play a match to its end."""
    while not match.over:
        seat = match.to_move
        match.play(seated[match.game.side_of[seat]].choose(match.view(seat)).action)


def fill(game: Game, agents: Sequence[T]) -> list[T]:
    """An agent for each side; one alone fills all."""
    if len(agents) == 1:
        return list(agents) * game.sides
    if len(agents) != game.sides:
        names = ", ".join(game.side_names)
        raise FogboundError(f"{game.spec} takes {game.sides} agents ({names}) or one for all, not {len(agents)}.")
    return list(agents)


def seat_agents(game: Game, agents: Sequence[str | Agent], seed: int = 0, number: int = 0) -> list[Agent]:
    """The agents of all sides, each with its own random streams."""
    return [registry.agent(spec, game, seed, side, number) for side, spec in enumerate(fill(game, agents))]


def play_set(
    game: Game | str,
    agents: Sequence[str],
    games: int,
    seed: int = 0,
    workers: int | None = None,
    starts: Sequence[Start] = (),
    keep_records: bool = False,
    done: Set[int] = frozenset(),
) -> Iterator[GameResult]:
    """Play games 0 to `games - 1` of a seed; results come as they are finished, in no fixed order.

    `starts` gives each game its set-up. `workers` is the number of cores to use (all by default).
    Games whose numbers are in `done` are left out.
    """
    played = registry.game(game)
    if starts and len(starts) != games:
        raise FogboundError(f"{games} games need {games} starts, not {len(starts)}.")
    specs = tuple(fill(played, agents))
    seated = seat_agents(played, specs)  # wrong specs are told here, before any work
    if any(agent.asks_people for agent in seated):
        workers = 1
    compiled = all(isinstance(agent, PolicyAgent) for agent in seated) and not keep_records
    cores = workers or os.cpu_count() or 1
    size = max(1, min(4096 if compiled else 64, games // (cores * 4)))
    portions = (
        _Portion(played, specs, seed, first, count, tuple(starts[first : first + count]), keep_records)
        for first, count in _stretches(games, size, done)
    )
    if cores == 1 or games == 1:
        for portion in portions:
            yield from _play_portion(portion, compiled)
        return
    yield from _in_parallel(portions, compiled, cores)


def _stretches(games: int, size: int, done: Set[int]) -> Iterator[tuple[int, int]]:
    """The games still to be played, as stretches of neighbouring numbers of at most this size."""
    first = count = 0
    for number in range(games):
        if number in done or count == size:
            if count:
                yield first, count
            first, count = number, 0
        if number not in done:
            first, count = (number, 1) if count == 0 else (first, count + 1)
    if count:
        yield first, count


def _in_parallel(portions: Iterator[_Portion], compiled: bool, cores: int) -> Iterator[GameResult]:
    pool: Executor
    if compiled:
        pool = ThreadPoolExecutor(cores)  # compiled games hold no GIL
    else:
        pool = ProcessPoolExecutor(cores, mp_context=multiprocessing.get_context("spawn"))
    waiting: set[_Task] = set()
    try:
        for portion in portions:
            waiting.add(pool.submit(_play_portion, portion, compiled))
            if len(waiting) > 2 * cores:
                waiting = yield from _finished(waiting)
        while waiting:
            waiting = yield from _finished(waiting)
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


def _finished(waiting: set[_Task]) -> Generator[GameResult, None, set[_Task]]:
    done, rest = wait(waiting, return_when=FIRST_COMPLETED)
    for future in done:
        yield from future.result()
    return rest


def _play_portion(portion: _Portion, compiled: bool) -> list[GameResult]:
    return _play_compiled(portion) if compiled else list(_play_each(portion))


def _play_compiled(portion: _Portion) -> list[GameResult]:
    seated = [agent for agent in seat_agents(portion.game, portion.agents) if isinstance(agent, PolicyAgent)]
    result = play_batch(portion.game, seated, portion.seed, portion.first, portion.count, portion.starts)
    return [
        GameResult(portion.first + i, tuple(result.scores[i].tolist()), int(result.moves[i])) for i in range(portion.count)
    ]


def _play_each(portion: _Portion) -> Iterator[GameResult]:
    for i in range(portion.count):
        start = portion.starts[i] if portion.starts else None
        record = play(portion.game, portion.agents, portion.seed, portion.first + i, start)
        assert record.scores is not None
        kept = record if portion.keep else None
        yield GameResult(portion.first + i, record.scores, len(record.moves), kept)


def all_starts(game: Game, most: int = 1_000_000) -> list[Start]:
    """Every start of a game, as set-up draws; refused when there are too many to play."""
    count = game.count_starts()
    if count > most:
        raise FogboundError(
            f"{game.spec} has {count:,} starts, more than the {most:,} that can be played; give a number of games instead."
        )
    return list(islice(game.starts(), most))
