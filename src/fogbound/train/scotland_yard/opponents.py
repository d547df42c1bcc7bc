"""The players around a learner, by agent spec: opponents, and a partner for detectives that it does not play.

Compiled policies, alpha-beta on small boards and determinized tree search play in compiled code, all
through one driver; any other agent plays in Python, match by match.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fogbound.agents import tree
from fogbound.agents.scotland_yard import alphabeta_lines as lines
from fogbound.agents.scotland_yard.alphabeta import AlphaBeta
from fogbound.agents.scotland_yard.mcts import ScotlandYardMcts
from fogbound.agents.scotland_yard.mcts_hooks import HookData
from fogbound.agents.scotland_yard.mcts_hooks import imagine as determinize
from fogbound.agents.tree import SearchSettings
from fogbound.core import registry
from fogbound.core.agent import Agent, PolicyAgent
from fogbound.core.chance import Chance
from fogbound.core.compiled import Kernel, kernel, outlined, program
from fogbound.core.match import Match
from fogbound.core.rng import next64, spread
from fogbound.games.scotland_yard.game import ScotlandYard
from fogbound.games.scotland_yard.rules import conceal, has, imagine, legal, to_move
from fogbound.train.scotland_yard.shard import Shard, owner, play


class Opponent(ABC):
    """Plays one role, an opponent's or the partner's, in all matches of a shard. Each shard has its own."""

    @abstractmethod
    def drive(self, shard: Shard, role: int) -> None:
        """Make all moves that this role can make now."""

    def snapshot(self) -> dict[str, NDArray[Any]]:
        """What it remembers about the matches in progress, a row a match."""
        return {}

    def restore(self, arrays: dict[str, NDArray[Any]]) -> None:
        """Take that up again."""


def make_opponent(game: ScotlandYard, spec: str, side: int, seed: int, matches: int) -> Opponent:
    """The fastest way to play an agent spec in a shard of so many matches."""
    agent = registry.agent(spec, game, seed=seed, side=side)
    if isinstance(agent, PolicyAgent):
        return CompiledPolicy(game, agent.policy, agent.policy_params)
    if isinstance(agent, AlphaBeta) and lines.is_cacheable(agent):
        if side == 0:
            return CompiledPolicy(game, lines.policy, lines.mr_x_moves(game, agent))
        if agent.options.follow:
            return AlphaBetaLines(game, agent, matches)
    if isinstance(agent, ScotlandYardMcts) and _is_plain(agent):
        return DeterminizedSearch(game, agent)
    return PythonAgents(game, spec, side, seed)


@cache
def driver(choose: Kernel) -> Kernel:
    """A compiled function that makes all moves of a role in a shard.

    choose(table, params, shard, g, view, seat, out) -> action, where `view[0]` is a concealed copy
    of the state of match g that may be overwritten, and `out` has room for the legal actions.
    """

    @program
    def drive(table, params, shard, role):
        out = np.empty(shard.most_actions, np.int64)
        view = np.empty(1, shard.states.dtype)
        no_tape = np.zeros(0, np.int64)
        cursor = np.zeros(3, np.int64)
        for g in range(shard.states.size):
            while owner(shard, g) == role:
                view[0] = shard.states[g]
                seat = to_move(view[0])
                conceal(table, view[0], seat)
                action = choose(table, params, shard, g, view, seat, out)
                play(table, shard, g, action, Chance(shard.chance[g], no_tape, no_tape, cursor))

    return drive


# Compiled policies.


class CompiledPolicy(Opponent):
    """An agent that is one compiled function."""

    def __init__(self, game: ScotlandYard, policy: Kernel, params: NamedTuple) -> None:
        self.table, self.params = game.table, params
        self._drive = driver(_by_policy(policy))

    def drive(self, shard: Shard, role: int) -> None:
        self._drive(self.table, self.params, shard, role)


@cache
def _by_policy(policy: Kernel) -> Kernel:
    @kernel
    def choose(table, params, shard, g, view, seat, out):
        return policy(table, params, view[0], seat, out, shard.choices[g, min(seat, 1)])

    return choose


# Alpha-beta detectives, who follow a line from one reveal to the next.


class Plans(NamedTuple):
    """The line that each match follows."""

    number: NDArray[np.int64]  # [match]: the number of the match that the line belongs to
    since: NDArray[np.int64]  # [match]: moves made when the line began
    plans: NDArray[np.int64]  # [match, 3, move]: moves, seats, stations
    planned: NDArray[np.int64]  # [match]: moves of the line


class LineParams(NamedTuple):
    lines: lines.Lines
    plans: Plans


class AlphaBetaLines(Opponent):
    """Alpha-beta detectives on a small board: lines are looked up rather than searched again."""

    def __init__(self, game: ScotlandYard, agent: AlphaBeta, matches: int) -> None:
        self.table = game.table
        self.plans = Plans(
            np.full(matches, -1, np.int64),
            np.zeros(matches, np.int64),
            np.zeros((matches, 3, lines.LONGEST), np.int64),
            np.zeros(matches, np.int64),
        )
        self.params = LineParams(lines.detective_lines(game, agent), self.plans)

    def drive(self, shard: Shard, role: int) -> None:
        driver(_by_line)(self.table, self.params, shard, role)

    def snapshot(self) -> dict[str, NDArray[Any]]:
        return {name: array.copy() for name, array in self.plans._asdict().items()}

    def restore(self, arrays: dict[str, NDArray[Any]]) -> None:
        for name, array in arrays.items():
            getattr(self.plans, name)[...] = array


@kernel
def _by_line(table, params, shard, g, view, seat, out):
    count = legal(table, view[0], out)
    if count == 1:
        return out[0]
    action = _followed(params.plans, shard, g, view[0], seat, out, count)
    if action < 0:
        imagine(table, view[0], seat, shard.imagination[g, 1])
        entry = lines.find(table, params.lines, view[0])
        _follow(params.plans, params.lines, shard, g, entry)
        action = np.int64(params.lines.moves[entry, 0])
    return action


@kernel
def _follow(plans, known, shard, g, entry):
    """Let a match follow the line of an entry."""
    plans.number[g], plans.since[g], plans.planned[g] = shard.number[g], shard.moves[g], known.lengths[entry]
    for i in range(known.lengths[entry]):
        plans.plans[g, 0, i] = known.moves[entry, i]
        plans.plans[g, 1, i] = known.seats[entry, i]
        plans.plans[g, 2, i] = known.stations[entry, i]


@kernel
def _followed(plans, shard, g, state, seat, out, count):
    """The next move of the line that a match follows, if it still fits; else -1."""
    ahead = shard.moves[g] - plans.since[g]
    fresh = state.shown == 1 and state.turn == 1
    if fresh or plans.number[g] != shard.number[g] or ahead <= 0 or ahead >= plans.planned[g]:
        return np.int64(-1)
    if plans.plans[g, 1, ahead] != seat or plans.plans[g, 2, ahead] != state.station[seat]:
        return np.int64(-1)
    for i in range(count):
        if out[i] == plans.plans[g, 0, ahead]:
            return out[i]
    return np.int64(-1)


# Tree search with one determinization a move.


def _is_plain(agent: ScotlandYardMcts) -> bool:
    """Whether each move is searched by itself, in one tree, with all stations equally likely."""
    options = agent.options
    alone = options.worlds == "one" or (options.worlds == "infoset" and not options.reuse)
    return alone and options.threads == 1 and options.seconds is None and agent.weights is None


class SearchParams(NamedTuple):
    data: HookData
    playout: NamedTuple
    pool: tree.Pool
    workspace: tree.Workspace
    settings: SearchSettings
    iterations: int
    by_value: int  # 1: the move of the best value is played; 0: the one of the most visits


class DeterminizedSearch(Opponent):
    """Tree search that begins anew at every move."""

    def __init__(self, game: ScotlandYard, agent: ScotlandYardMcts) -> None:
        self.table = game.table
        stations, chances = np.zeros(256, np.int16), np.ones(256)
        self.params = SearchParams(
            HookData(stations, chances, 0, agent.options.coalition, int(agent.options.filter), agent.mixed),
            agent.playout_params,
            agent.pool(1),
            tree.make_workspace(game),
            agent.search_settings(0),
            next(iter(agent.chunks(0, 1))),
            int(agent.options.choice == "value"),
        )
        self._drive = driver(_by_search(tree.searcher(game.rules, agent.hooks(), agent.playout)))

    def drive(self, shard: Shard, role: int) -> None:
        self._drive(self.table, self.params, shard, role)


@cache
def _by_search(search: Kernel) -> Kernel:
    @program
    def choose(table, params, shard, g, view, seat, out):
        if legal(table, view[0], out) == 1:
            return out[0]
        side = min(seat, 1)
        data, settings, pool, workspace = params.data, params.settings, params.pool, params.workspace
        known = _spread_evenly(table, data, view[0])
        here = HookData(data.places, data.chances, known, data.coalition, data.filter, data.mixed)
        rng = _drawn(shard.choices[g, side], 1)
        imagination = _drawn(shard.imagination[g, side], 2)
        if not settings.resample:
            determinize(table, here, view[0], seat, imagination[1])
        settings.observer[side] = seat
        now = SearchSettings(
            seat, settings.trees, settings.resample, settings.doubt, settings.c, settings.availability, settings.depth,
            settings.history, settings.random_share, settings.playouts_see_all, settings.side_of, settings.observer,
            settings.for_root,
        )  # fmt: skip
        tree.clear(pool)
        workspace.history_sum[:] = 0.0
        workspace.history_count[:] = 0.0
        search(table, here, params.playout, pool, workspace, now, view, params.iterations, rng[0], imagination[0])
        return _best_child(pool, seat, params.by_value)

    return choose


@program
def _drawn(rng, count):
    """New generators, seeded from one."""
    base = np.empty(4, np.uint64)
    for i in range(4):
        base[i] = next64(rng)
    return spread(base, 0, count)


@kernel
def _spread_evenly(table, data, state):
    """The belief of a search: the stations where Mr X can be, equally likely; how many."""
    known = 0
    for station in range(table.stations):
        if has(state.possible, station):
            data.places[known] = station
            known += 1
    total = 0.0
    for i in range(known):
        total += 1.0 / known
        data.chances[i] = total
    return known


@outlined
def _best_child(pool, seat, by_value):
    child = pool.first[0]
    action, most, best = np.int64(0), np.int64(-1), -1.0
    while child >= 0:
        visits = np.int64(pool.visits[child])
        value = pool.value[child, seat] / max(1, visits)
        better = value > best or (value == best and visits > most)
        if not by_value:
            better = visits > most or (visits == most and value > best)
        if visits > 0 and better:
            action, most, best = pool.code[child], visits, value
        child = pool.following[child]
    return action


# Everyone else.


class PythonAgents(Opponent):
    """Any agent, one a match. What it remembers is lost when a training run is resumed."""

    def __init__(self, game: ScotlandYard, spec: str, side: int, seed: int) -> None:
        self.game, self.spec, self.side, self.seed = game, spec, side, seed
        self.agents: dict[int, tuple[Agent, Match]] = {}

    def drive(self, shard: Shard, role: int) -> None:
        for g in np.flatnonzero(_owners(shard) == role):
            while int(owner(shard, g)) == role:
                self._move(shard, int(g))

    def _move(self, shard: Shard, g: int) -> None:
        number = int(shard.number[g])
        known = self.agents.get(g)
        if known is None or known[1].number != number:
            agent = registry.agent(self.spec, self.game, seed=self.seed, side=self.side, number=number)
            known = self.agents[g] = agent, Match(self.game, self.seed, number)
        agent, match = known
        for code in shard.log[g, len(match.moves) : shard.moves[g]]:
            match.play(int(code))
        decision = agent.choose(match.view(match.to_move))
        _play_one(self.game.table, shard, g, decision.action)


@program
def _play_one(table, shard, g, action):
    no_tape = np.zeros(0, np.int64)
    play(table, shard, g, action, Chance(shard.chance[g], no_tape, no_tape, np.zeros(3, np.int64)))


@program
def _owners(shard):
    owners = np.empty(shard.states.size, np.int64)
    for g in range(owners.size):
        owners[g] = owner(shard, g)
    return owners
