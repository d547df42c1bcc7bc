"""Playing a match, or a set of games on all cores: the results are the same for any number of workers."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence, Set
from dataclasses import dataclass
from itertools import islice

from fogbound.core import registry
from fogbound.core.agent import Agent, AgentLike
from fogbound.core.contract import Game
from fogbound.core.errors import FogboundError
from fogbound.core.executor import Executor, Finished, Local
from fogbound.core.job import GameRef, Job, Pending, Played, Start, can_be_compiled, gaps, record_of
from fogbound.core.match import Match
from fogbound.core.record import Record
from fogbound.core.seats import fill, seat_agents

__all__ = [
    "GameResult",
    "Start",
    "all_starts",
    "fill",
    "local_executor",
    "play",
    "play_missing",
    "play_out",
    "play_set",
    "results_of",
    "seat_agents",
    "set_of_games",
]


@dataclass(frozen=True)
class GameResult:
    """How one game of a set ended."""

    number: int
    scores: tuple[float, ...]
    moves: int
    record: Record | None = None


def play(
    game: Game | str,
    agents: Sequence[AgentLike],
    seed: int = 0,
    number: int = 0,
    start: Sequence[int] | None = None,
) -> Record:
    """Play one match to its end: an agent a side, or one agent for all."""
    played = registry.game(game)
    match = played.new(seed, number, start)
    play_out(match, seat_agents(played, agents, seed, number))
    return Record.of(match, [registry.spec_of(agent) for agent in fill(played, agents)])


def play_out(match: Match, seated: Sequence[Agent]) -> None:
    """Let the agents, one a side, play a match to its end."""
    while not match.over:
        seat = match.to_move
        match.play(seated[match.game.side_of[seat]].choose(match.view(seat)).action)


def play_set(
    game: Game | str,
    agents: Sequence[AgentLike],
    games: int,
    seed: int = 0,
    workers: int | None = None,
    starts: Sequence[Start] = (),
    keep_records: bool = False,
    done: Set[int] = frozenset(),
) -> Generator[GameResult, None, None]:
    """Play games 0 to `games - 1` of a seed; results come as they are finished, in no fixed order.

    `starts` gives each game its set-up. `workers` is the number of cores to use (all by default).
    Games whose numbers are in `done` are left out.
    """
    whole = set_of_games(game, agents, games, seed, starts, keep_records)
    missing = gaps(((number, number + 1) for number in sorted(done)), games)
    for job, played in play_missing(Pending.of(whole, missing), local_executor(whole, workers)):
        yield from results_of(job, played, keep_records)


def set_of_games(
    game: Game | str,
    agents: Sequence[AgentLike],
    games: int,
    seed: int = 0,
    starts: Sequence[Start] = (),
    keep_moves: bool = True,
) -> Job:
    """A whole set as one job, its game, agents and starts checked."""
    played = registry.game(game)
    if starts and len(starts) != games:
        raise FogboundError(f"{games} games need {games} starts, not {len(starts)}.")
    specs = tuple(registry.spec_of(agent) for agent in fill(played, agents))
    compiled = can_be_compiled(seat_agents(played, specs))
    given = registry.given_agents(specs)
    return Job(GameRef.of(played), specs, seed, 0, games, compiled, tuple(starts), keep_moves, given=given)


def local_executor(whole: Job, workers: int | None = None) -> Local:
    """This machine; agents that ask people, and a single game, are played in this process."""
    game = whole.game.game()
    asks = any(registry.agent_class(registry.split_options(spec)[0], game).asks_people for spec in whole.agents)
    return Local(1 if asks or whole.count == 1 else workers)


def play_missing(pending: Pending, executor: Executor) -> Generator[Finished, None, None]:
    """Play what is pending, in jobs that grow with the speed of the games."""
    for job, played in executor.play(pending.jobs()):
        pending.learn(played)
        yield job, played


def results_of(job: Job, played: Played, records: bool = False) -> Iterator[GameResult]:
    """The games of a job, one by one; with records only if the job kept the moves."""
    game = job.game.game()
    codes = played.codes() if records else []
    for i, (scores, moves) in enumerate(zip(played.scores.tolist(), played.lengths.tolist(), strict=True)):
        number, start = job.first + i, job.starts[i] if job.starts else None
        record = record_of(game, job.agents, job.seed, number, codes[i], scores, start) if codes else None
        yield GameResult(number, tuple(scores), moves, record)


def all_starts(game: Game, most: int = 1_000_000) -> list[Start]:
    """Every start of a game, as set-up draws; refused when there are too many to play."""
    count = game.count_starts()
    if count > most:
        raise FogboundError(
            f"{game.spec} has {count:,} starts, more than the {most:,} that can be played; give a number of games instead."
        )
    return list(islice(game.starts(), most))
