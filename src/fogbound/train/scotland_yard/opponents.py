"""Those whom a learner plays with and against, by spec, as players of whole lanes of matches.

Compiled policies, alpha-beta on small boards and tree searches of one guess play in compiled code,
all threads at once; whatever else there is plays as the agent that it is, match by match.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fogbound.agents import tree
from fogbound.agents.scotland_yard import alphabeta_search as searches
from fogbound.agents.scotland_yard.alphabeta import EVALUATIONS, AlphaBeta
from fogbound.agents.scotland_yard.mcts import ScotlandYardMcts
from fogbound.agents.scotland_yard.mcts_hooks import HookData
from fogbound.agents.scotland_yard.mcts_hooks import imagine as guess
from fogbound.agents.tree import SearchSettings
from fogbound.core import registry
from fogbound.core.agent import Agent, PolicyAgent
from fogbound.core.chance import Chance
from fogbound.core.compiled import Kernel, kernel, outlined, program
from fogbound.core.hashing import GOLDEN
from fogbound.core.match import Match
from fogbound.core.rng import next64, spread
from fogbound.games.scotland_yard.game import ScotlandYard
from fogbound.games.scotland_yard.rules import conceal, has, imagine, legal, to_move
from fogbound.train.scotland_yard.shard import Lane, owner, play

MEMORY = 1 << 16  # positions whose lines are remembered
LONGEST = 32  # moves of a line
IN_PROGRESS = ("number", "since", "plans", "planned")  # of a memory: what belongs to matches, not to positions


class Player(ABC):
    """Plays one part (the partner's or an opponent's) in a lane. Each lane has players of its own."""

    @abstractmethod
    def drive(self, lane: Lane, part: int) -> None:
        """Make all moves that this part can make now."""

    def snapshot(self) -> dict[str, NDArray[Any]]:
        """What it remembers about the matches in progress."""
        return {}

    def restore(self, arrays: dict[str, NDArray[Any]]) -> None:
        """Remember that again."""


def player(game: ScotlandYard, spec: str, side: int, seed: int, matches: int) -> Player:
    """The fastest player there is for a spec, for a lane of so many matches."""
    agent = registry.agent(spec, game, seed=seed, side=side)
    if isinstance(agent, PolicyAgent):
        return Policy(game, agent)
    if isinstance(agent, AlphaBeta) and agent.options.evaluation != "belief" and agent.options.follow and agent.is_small():
        return Lines(game, agent, matches)
    if isinstance(agent, ScotlandYardMcts) and _is_plain(agent):
        return Guesses(game, agent)
    return Persons(game, spec, side, seed)


# Compiled policies.


class Policy(Player):
    def __init__(self, game: ScotlandYard, agent: PolicyAgent) -> None:
        self.game, self.params, self.go = game, agent.policy_params, _policy_driver(agent.policy)

    def drive(self, lane: Lane, part: int) -> None:
        self.go(self.game.table, self.params, lane, part)


@cache
def _policy_driver(policy: Kernel) -> Kernel:
    @program
    def drive(table, params, lane, part):
        out = np.empty(lane.most_actions, np.int64)
        view = np.empty(1, lane.states.dtype)
        nothing = np.zeros(0, np.int64)
        cursor = np.zeros(3, np.int64)
        for g in range(lane.states.size):
            while owner(lane, g) == part:
                view[0] = lane.states[g]
                seat = to_move(view[0])
                conceal(table, view[0], seat)
                action = policy(table, params, view[0], seat, out, lane.choices[g, min(seat, 1)])
                play(table, lane, g, action, Chance(lane.chance[g], nothing, nothing, cursor))

    return drive


# Alpha-beta: what it plays depends on few things, so that its lines are remembered.


class Memory(NamedTuple):
    """Lines by position, and the line that each match follows."""

    keys: NDArray[np.uint64]
    lengths: NDArray[np.int64]
    moves: NDArray[np.int16]  # [place, move]
    seats: NDArray[np.int8]
    stations: NDArray[np.int16]
    known: NDArray[np.int64]  # [how many]
    number: NDArray[np.int64]  # [match]: the number of the match that the line belongs to
    since: NDArray[np.int64]  # [match]: moves made when the line began
    plans: NDArray[np.int64]  # [match, 3, move]: moves, seats, stations
    planned: NDArray[np.int64]  # [match]


class Desk(NamedTuple):
    """The arrays that a search writes into."""

    moves: NDArray[np.int64]
    seats: NDArray[np.int64]
    stations: NDArray[np.int64]
    codes: NDArray[np.int64]
    values: NDArray[np.int64]


class Lines(Player):
    """Alpha-beta on a small board without tickets."""

    def __init__(self, game: ScotlandYard, agent: AlphaBeta, matches: int) -> None:
        self.game, self.agent = game, agent
        self.memory = _memory(matches)
        room = agent.workspace.states.size
        self.desk = Desk(*(np.zeros(max(room, game.most_actions, LONGEST), np.int64) for _ in range(5)))

    def drive(self, lane: Lane, part: int) -> None:
        agent, options = self.agent, self.agent.options
        reveals = np.array(self.game.board.reveals(), np.int64)
        how = (EVALUATIONS.index(options.evaluation), options.depth or 0, agent.deepest, agent.most_moves, options.nodes)
        hops = self.game.paths.hops
        drive_lines(self.game.table, agent.workspace, self.memory, self.desk, how, hops, reveals, lane, part)

    def snapshot(self) -> dict[str, NDArray[Any]]:
        return {name: getattr(self.memory, name).copy() for name in IN_PROGRESS}

    def restore(self, arrays: dict[str, NDArray[Any]]) -> None:
        for name, array in arrays.items():
            getattr(self.memory, name)[...] = array


def _memory(matches: int) -> Memory:
    return Memory(
        np.zeros(MEMORY, np.uint64),
        np.zeros(MEMORY, np.int64),
        np.zeros((MEMORY, LONGEST), np.int16),
        np.zeros((MEMORY, LONGEST), np.int8),
        np.zeros((MEMORY, LONGEST), np.int16),
        np.zeros(1, np.int64),
        np.full(matches, -1, np.int64),
        np.zeros(matches, np.int64),
        np.zeros((matches, 3, LONGEST), np.int64),
        np.zeros(matches, np.int64),
    )


@program
def drive_lines(table, work, memory, desk, how, hops, reveals, lane, part):
    out = np.empty(lane.most_actions, np.int64)
    view = np.empty(1, lane.states.dtype)
    nothing = np.zeros(0, np.int64)
    cursor = np.zeros(3, np.int64)
    for g in range(lane.states.size):
        while owner(lane, g) == part:
            view[0] = lane.states[g]
            seat = to_move(view[0])
            conceal(table, view[0], seat)
            count = legal(table, view[0], out)
            action = np.int64(-1)
            if count == 1:
                action = out[0]
            elif seat > 0:
                action = _followed(memory, lane, g, view[0], seat, out, count)
            if action < 0:
                if seat > 0:
                    imagine(table, view[0], seat, lane.imagination[g, 1])
                place = _line_of(table, work, memory, desk, how, hops, reveals, view)
                action = np.int64(memory.moves[place, 0])
                _follow(memory, lane, g, place)
            play(table, lane, g, action, Chance(lane.chance[g], nothing, nothing, cursor))


@kernel
def _follow(memory, lane, g, place):
    """Keep a line for a match."""
    memory.number[g], memory.since[g], memory.planned[g] = lane.number[g], lane.moves[g], memory.lengths[place]
    for i in range(memory.lengths[place]):
        memory.plans[g, 0, i] = memory.moves[place, i]
        memory.plans[g, 1, i] = memory.seats[place, i]
        memory.plans[g, 2, i] = memory.stations[place, i]


@kernel
def _followed(memory, lane, g, state, seat, out, count):
    """The next move of the line that a match follows, if it still fits; else -1."""
    ahead = lane.moves[g] - memory.since[g]
    fresh = state.shown == 1 and state.turn == 1
    if fresh or memory.number[g] != lane.number[g] or ahead <= 0 or ahead >= memory.planned[g]:
        return np.int64(-1)
    if memory.plans[g, 1, ahead] != seat or memory.plans[g, 2, ahead] != state.station[seat]:
        return np.int64(-1)
    for i in range(count):
        if out[i] == memory.plans[g, 0, ahead]:
            return out[i]
    return np.int64(-1)


@program
def _line_of(table, work, memory, desk, how, hops, reveals, view):
    """The place of the line for a position in which all is seen."""
    evaluation, depth, deepest, each, nodes = how
    state = view[0]
    side = np.int64(1 if state.turn > 0 else 0)
    left = np.int64(table.rounds - state.round + 1)
    turns = np.int64(depth if depth > 0 else 3)
    if side == 1 and depth == 0:
        for reveal in reveals:
            if reveal > state.slot:
                turns = reveal - state.slot
                break
    turns = max(np.int64(1), min(turns, left, np.int64(deepest)))
    key = np.uint64(state.turn) | np.uint64(turns) << np.uint64(4) | np.uint64(min(left, turns + 2)) << np.uint64(8)
    for seat in range(table.detectives + 1):
        key |= np.uint64(state.station[seat]) << np.uint64(16 + 9 * seat)
    key |= np.uint64(1) << np.uint64(63)
    place = np.int64((key * GOLDEN) >> np.uint64(48)) % MEMORY
    while memory.keys[place] != 0:
        if memory.keys[place] == key:
            return place
        place = (place + 1) % MEMORY
    if memory.known[0] > MEMORY // 2:
        memory.keys[:] = 0
        memory.known[0] = 0
    memory.known[0] += 1
    work.keys[:] = 0  # what was searched before must not decide between equal moves
    task = searches.AlphaBetaSettings(evaluation, turns, side, each, 0, hops)
    work.states[0] = state
    length = searches.principal_variation(
        table, task, work, nodes, desk.moves, desk.seats, desk.stations, desk.codes, desk.values
    )
    if length <= 0:
        desk.moves[0] = _any_move(table, view, desk)
        length = 1
    memory.keys[place] = key
    memory.lengths[place] = min(length, LONGEST)
    for i in range(min(length, LONGEST)):
        memory.moves[place, i], memory.seats[place, i] = desk.moves[i], desk.seats[i]
        memory.stations[place, i] = desk.stations[i]
    return place


@kernel
def _any_move(table, view, desk):
    legal(table, view[0], desk.codes)
    return desk.codes[0]


# Tree search with one guess a move.


def _is_plain(agent: ScotlandYardMcts) -> bool:
    """Whether each move is searched by itself, in one tree, with all stations equally likely."""
    how = agent.options
    alone = how.worlds == "one" or (how.worlds == "infoset" and not how.reuse)
    return alone and how.threads == 1 and how.seconds is None and agent.weights is None


class Guesses(Player):
    """Tree search that begins anew at every move."""

    def __init__(self, game: ScotlandYard, agent: ScotlandYardMcts) -> None:
        self.game, self.agent = game, agent
        search = tree.searcher(game.rules, agent.hooks(), agent.playout)
        self.go = _search_driver(search)
        self.pool, self.scratch = agent.pool(1), tree.make_workspace(game)
        places = np.zeros(256, np.int16), np.ones(256)
        self.extra = HookData(*places, 0, agent.options.coalition, int(agent.options.filter), agent.mixed)
        self.iterations = next(iter(agent.chunks(0, 1)))

    def drive(self, lane: Lane, part: int) -> None:
        agent = self.agent
        by_value = agent.options.choice == "value"
        self.go(
            self.game.table, self.extra, agent.playout_params, self.pool, self.scratch, agent.search_settings(0),
            self.iterations, int(by_value), lane, part,
        )  # fmt: skip


@cache
def _search_driver(search: Kernel) -> Kernel:
    @program
    def drive(table, extra, params, pool, scratch, plan, iterations, by_value, lane, part):
        out = np.empty(lane.most_actions, np.int64)
        root = np.empty(1, lane.states.dtype)
        nothing = np.zeros(0, np.int64)
        cursor = np.zeros(3, np.int64)
        base = np.empty(4, np.uint64)
        for g in range(lane.states.size):
            while owner(lane, g) == part:
                root[0] = lane.states[g]
                seat = to_move(root[0])
                side = min(seat, 1)
                conceal(table, root[0], seat)
                action = out[0]
                if legal(table, root[0], out) == 1:
                    action = out[0]
                else:
                    known = _places(table, extra, root[0])
                    here = HookData(extra.places, extra.chances, known, extra.coalition, extra.filter, extra.mixed)
                    for i in range(4):
                        base[i] = next64(lane.choices[g, side])
                    rng = spread(base, 0, 1)
                    for i in range(4):
                        base[i] = next64(lane.imagination[g, side])
                    guesses = spread(base, 0, 2)
                    if not plan.resample:
                        guess(table, here, root[0], seat, guesses[1])
                    plan.observer[side] = seat
                    now = SearchSettings(
                        seat, plan.trees, plan.resample, plan.doubt, plan.c, plan.availability, plan.depth,
                        plan.history, plan.random_share, plan.playouts_see_all, plan.side_of, plan.observer,
                    )  # fmt: skip
                    tree.clear(pool)
                    scratch.history_sum[:] = 0.0
                    scratch.history_count[:] = 0.0
                    search(table, here, params, pool, scratch, now, root, iterations, rng[0], guesses[0])
                    action = _best_child(pool, seat, by_value)
                play(table, lane, g, action, Chance(lane.chance[g], nothing, nothing, cursor))

    return drive


@kernel
def _places(table, extra, state):
    """The stations where Mr X can be, equally likely; how many."""
    known = 0
    for station in range(table.stations):
        if has(state.possible, station):
            extra.places[known] = station
            known += 1
    total = 0.0
    for i in range(known):
        total += 1.0 / known
        extra.chances[i] = total
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


class Persons(Player):
    """Any agent, one a match. What it remembers is lost when a training run is resumed."""

    def __init__(self, game: ScotlandYard, spec: str, side: int, seed: int) -> None:
        self.game, self.spec, self.side, self.seed = game, spec, side, seed
        self.agents: dict[int, tuple[Agent, Match]] = {}

    def drive(self, lane: Lane, part: int) -> None:
        for g in np.flatnonzero(_owners(lane) == part):
            while int(owner(lane, g)) == part:
                self._move(lane, int(g))

    def _move(self, lane: Lane, g: int) -> None:
        number = int(lane.number[g])
        known = self.agents.get(g)
        if known is None or known[1].number != number:
            agent = registry.agent(self.spec, self.game, seed=self.seed, side=self.side, number=number)
            known = self.agents[g] = agent, Match(self.game, self.seed, number)
        agent, match = known
        for code in lane.log[g, len(match.moves) : lane.moves[g]]:
            match.play(int(code))
        decision = agent.choose(match.view(match.to_move))
        play_one(self.game.table, lane, g, decision.action)


@program
def play_one(table, lane, g, action):
    nothing = np.zeros(0, np.int64)
    play(table, lane, g, action, Chance(lane.chance[g], nothing, nothing, np.zeros(3, np.int64)))


@program
def _owners(lane):
    owners = np.empty(lane.states.size, np.int64)
    for g in range(owners.size):
        owners[g] = owner(lane, g)
    return owners
