"""Querying an agent for its strategy wherever it can get to: in all processes at once, and reproducibly.

Every query goes to a fresh player, who sees the position and the moves since Mr X was last seen. A stochastic agent
is queried twice over: by the training split a response is chosen, on the holdout split it is evaluated. The holdout
split is queried only where that response leads.
"""

from __future__ import annotations

import hashlib
import json
import multiprocessing
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass
from functools import cache
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fogbound.core import registry
from fogbound.core.agent import MixedAgent
from fogbound.core.view import Seen, View
from fogbound.games.scotland_yard.game import ScotlandYard
from fogbound.games.scotland_yard.rules import State
from fogbound.solve import best_response
from fogbound.solve.best_response import HOLDOUT, TRAINING
from fogbound.solve.layer_loops import Workspace, new_workspace
from fogbound.solve.query_log import QueryLog, SparseStrategy
from fogbound.solve.solver import FIRST_NODES, Progress
from fogbound.solve.subgame import DETECTIVE_NODE, FIRST_MEMBER, MR_X_NODE, NO_ROOM, REVEAL_NODE, Subgame, grow

MR_X = 0
MIN_SAMPLED = 16  # members that are queried at a reveal node with many of them
MAX_REVEALED = 4  # queries in a revealed position: there are many of them, and little is mixed there
HOLDOUT_PER_NODE = 64  # holdout queries, about, that its members share
PROBE_SECONDS = 0.5  # of queries that show how long the others will take
PROCESS_SECONDS = 4.0  # of queries for which it pays to start other processes
Weights = NDArray[np.float64]


class Root(NamedTuple):
    """Where a subgame begins."""

    state: bytes
    weights: Weights | None = None  # the prior over Mr X's stations, if his start is hidden
    choice: NDArray[np.int32] | None = None  # at each node, the action of the detectives' response to be evaluated


@dataclass(frozen=True)
class QuerySettings:
    """Which agent is queried, on which side, in which game, how often."""

    family: str
    definition: str
    agent: str
    side: int
    queries: int
    stochastic: bool
    holdout: bool  # whether this is the holdout split
    seed: int = 0


class Querier:
    """Queries an agent in one subgame after another; each process has one."""

    def __init__(self, settings: QuerySettings) -> None:
        self.settings = settings
        game = registry.rebuild(settings.family, json.loads(settings.definition))
        assert isinstance(game, ScotlandYard)
        self.game, self.mr_x = game, settings.side == MR_X
        player = registry.agent(settings.agent, game, 0, settings.side)
        self.mixed = player if isinstance(player, MixedAgent) else None
        self.workspace = self._workspace(FIRST_NODES)

    def _workspace(self, nodes: int) -> Workspace:
        return new_workspace(nodes, self.game.most_actions, self.game.table.stations)

    def query(self, state: Any, root: Any, history: tuple[Seen, ...], key: bytes, count: float) -> Mapping[int, float]:
        """How often a fresh player plays each move, out of `count` queries; who can say its strategy is asked once."""
        seat = int(state["turn"])
        view = View(self.game, seat, state, history, self.game.concealed(root, seat))
        if self.mixed is not None:
            return {code: count * chance for code, chance in self.mixed.strategy(view).items() if chance > 0}
        answers: dict[int, int] = {}
        for number in range(int(count)):
            seed = _seed(key + number.to_bytes(4, "little"))
            player = registry.agent(self.settings.agent, self.game, seed, self.settings.side)
            code = int(player.choose(view).action)
            answers[code] = answers.get(code, 0) + 1
        return answers

    def revealed_position(self, root: Root) -> SparseStrategy:
        """The strategy in a revealed position, by the rank of the legal move."""
        state, queries = _state(root), min(self.settings.queries, MAX_REVEALED)
        codes = self.game.legal(state)
        answers = self.query(state.copy(), state, (), self._key(root), queries)
        return _sparse({codes.index(code): number / queries for code, number in answers.items()})

    def _key(self, root: Root) -> bytes:
        return root.state + bytes([self.settings.holdout]) + self.settings.seed.to_bytes(4, "little")

    def subgame(self, root: Root) -> SparseStrategy:
        """The strategy all over a subgame: by the number of Mr X's edge, or of the detectives' action."""
        while grow(self.game.table, self.workspace.subgame, _state(root), True) == NO_ROOM:
            self.workspace = self._workspace(2 * self.workspace.subgame.kind.size)
        subgame, queries, weights, key = self.workspace.subgame, self.settings.queries, root.weights, self._key(root)
        # How many of the answers so far lead to each member of a node (to member -1 for the detectives).
        arrived: dict[int, dict[int, float]] = {0: {}}
        for member in range(int(subgame.first[1])) if self.mr_x else (-1,):
            if weights is None or not self.mr_x or weights[subgame.station[member]] > 0:
                arrived[0][member] = queries
        children = _children(subgame)
        strategy: dict[int, float] = {}
        for node in range(int(subgame.counts[0])):
            here = arrived.pop(node, {})
            if subgame.kind[node] == REVEAL_NODE:
                self._query_reveal_node(node, here, key, strategy)
                continue
            for member, count in here.items():
                if self._is_queried(int(subgame.kind[node])):
                    count = self._count(count, len(here)) if self.mr_x else max(count, queries // 8)
                    following = self._query_node(node, member, count, key, strategy)
                else:
                    following = self._pass(node, member, count, children, root.choice)
                for child, at, number in following:
                    there = arrived.setdefault(child, {})
                    there[at] = there.get(at, 0) + number
        return _sparse(strategy)

    def _is_queried(self, kind: int) -> bool:
        return (kind != DETECTIVE_NODE) if self.mr_x else (kind == DETECTIVE_NODE)

    def _query_reveal_node(self, node: int, here: dict[int, float], key: bytes, strategy: dict[int, float]) -> None:
        """Mr X's next move reveals him. Most queries would be here, so of many members some are sampled.

        Nobody decides anything between this move and its value, so the sample can speak for the others.
        """
        if not self.mr_x:
            return
        if self.mixed is not None:
            self._tell_reveal_node(self.mixed, node, list(here), strategy)
            return
        members, queries, sampled = list(here), self.settings.queries, list(here)
        most = len(members) if self.settings.holdout else max(2 * queries, MIN_SAMPLED)
        if self.settings.stochastic and len(members) > most:
            rng = np.random.default_rng(_seed(key + node.to_bytes(4, "little")))
            sampled = sorted(rng.choice(members, most, replace=False).tolist())
        for member in sampled:
            count = self._count(here[member], len(here))
            if not self.settings.holdout and self.settings.stochastic:
                count = max(1, min(count, most // len(sampled)))
            list(self._query_node(node, member, count, key, strategy, len(members) / len(sampled)))

    def _tell_reveal_node(self, agent: MixedAgent, node: int, members: list[int], strategy: dict[int, float]) -> None:
        """The same of an agent that can say its strategy: all members at once."""
        subgame, history, root = self.workspace.subgame, self._history(node), self.workspace.subgame.states[0]
        views = []
        for member in members:
            state = subgame.states[node].copy()
            state["station"][0] = subgame.station[member]
            views.append(View(self.game, 0, state, history, root))
        for member, chances in zip(members, agent.strategies(views), strict=True):
            begin, end = int(subgame.edge_first[member]), int(subgame.edge_first[member + 1])
            codes = subgame.code[begin:end].tolist()
            strategy |= {begin + codes.index(code): chance for code, chance in chances.items() if chance > 0}

    def _count(self, arrived: float, members: int) -> float:
        """How many queries a member gets; holdout queries, put at few nodes, are shared out among the members there."""
        most = min(arrived, self.settings.queries)
        return min(most, max(2, HOLDOUT_PER_NODE // members)) if self.settings.holdout else most

    def _query_node(
        self, node: int, member: int, count: float, key: bytes, strategy: dict[int, float], scale: float = 1.0
    ) -> Iterator[tuple[int, int, float]]:
        """Query at a node, note the strategy, and go where it leads."""
        subgame = self.workspace.subgame
        state = subgame.states[node].copy()
        if self.mr_x:
            state["station"][0] = subgame.station[member]
            begin, end = int(subgame.edge_first[member]), int(subgame.edge_first[member + 1])
            codes = subgame.code[begin:end].tolist()
        else:
            state["station"][0] = -1
            begin, end = int(subgame.action_first[node]), int(subgame.action_first[node + 1])
            codes = subgame.action_code[begin:end].tolist()
        key += node.to_bytes(4, "little") + (member + 1).to_bytes(4, "little")
        for code, number in self.query(state, subgame.states[0], self._history(node), key, count).items():
            chosen = begin + codes.index(code)
            strategy[chosen] = scale * number / count
            if not self.mr_x:
                if subgame.action_child[chosen] >= 0:
                    yield int(subgame.action_child[chosen]), -1, number
            elif subgame.kind[node] == MR_X_NODE and subgame.target[chosen] >= FIRST_MEMBER:
                yield *self._target(chosen), number

    def _pass(
        self, node: int, member: int, count: float, children: dict[int, list[int]], choice: NDArray[np.int32] | None
    ) -> Iterator[tuple[int, int, float]]:
        """The other side moves: everything it can do may happen, or only what its response does."""
        subgame = self.workspace.subgame
        if not self.mr_x:
            for child in children.get(node, ()):
                yield child, -1, count
            return
        edges = range(int(subgame.edge_first[member]), int(subgame.edge_first[member + 1]))
        if choice is not None:
            rank = int(choice[node] - subgame.action_first[node])
            edges = edges[rank : rank + 1]
        for edge in edges:
            if subgame.target[edge] >= FIRST_MEMBER:
                yield *self._target(edge), count

    def _target(self, edge: int) -> tuple[int, int]:
        """The node and the member that an edge leads to."""
        subgame = self.workspace.subgame
        member = int(subgame.target[edge]) - FIRST_MEMBER
        return int(np.searchsorted(subgame.first[: subgame.counts[0]], member, "right")) - 1, member

    def _history(self, node: int) -> tuple[Seen, ...]:
        """The moves since Mr X was last seen; before that, nothing matters."""
        subgame, seen = self.workspace.subgame, []
        while subgame.parent[node] >= 0:
            parent = int(subgame.parent[node])
            seen.append(Seen(int(subgame.states[parent]["turn"]), int(subgame.observed[node])))
            node = parent
        return tuple(reversed(seen))


def _seed(key: bytes) -> int:
    """The seed of a query, the same in every run."""
    return int.from_bytes(hashlib.sha256(key).digest()[:7], "little")


def _state(root: Root) -> Any:
    return np.frombuffer(root.state, State)[0].copy()


def _children(subgame: Subgame) -> dict[int, list[int]]:
    found: dict[int, list[int]] = {}
    for node, parent in enumerate(subgame.parent[: subgame.counts[0]].tolist()):
        found.setdefault(parent, []).append(node)
    return found


def _sparse(strategy: dict[int, float]) -> SparseStrategy:
    moves = sorted(strategy)
    return SparseStrategy(np.array(moves, np.int32), np.array([strategy[move] for move in moves], np.float64))


@cache
def querier(settings: QuerySettings) -> Querier:
    """This process's querier of an agent."""
    return Querier(settings)


def run_queries(settings: QuerySettings, roots: Sequence[Root], revealed: bool) -> list[SparseStrategy]:
    """The agent's strategy at each root, queried in whichever process this is."""
    asking = querier(settings)
    return [asking.revealed_position(root) if revealed else asking.subgame(root) for root in roots]


@cache
def processes(workers: int) -> ProcessPoolExecutor:
    """Processes that stay, so that each agent is made ready only once in each of them."""
    return ProcessPoolExecutor(workers, mp_context=multiprocessing.get_context("spawn"))


class QueriedAgent:
    """An agent of any kind. Its answers are logged, so that no query is repeated, not even after an interruption."""

    def __init__(
        self,
        training: QuerySettings,
        holdout: QuerySettings,
        workers: int,
        symmetric: bool,
        progress: Progress,
        digest: str,
    ) -> None:
        """The digest tells this agent, and this way of querying it, from all others."""
        self.splits = (training, holdout) if training.stochastic else (training,)
        self.stochastic, self.workers, self.symmetric, self.progress = training.stochastic, workers, symmetric, progress
        self.logs = tuple(QueryLog(f"{each} {symmetric} {digest}") for each in self.splits)

    def fetch(self, split: int, roots: Sequence[Root], revealed: bool, what: str) -> None:
        """Query all roots that are not in the log yet."""
        missing = [root for root in roots if root.state not in self.logs[split]]
        began = perf_counter()
        done = 0
        while done < len(missing) and perf_counter() - began < PROBE_SECONDS:
            one = missing[done : done + 1]
            self._log(split, one, run_queries(self.splits[split], one, revealed))
            done += 1
        rest = missing[done:]
        each = (perf_counter() - began) / max(1, done)
        for chunk, strategies in self._queried(split, self._chunks(rest), revealed, each * len(rest)):
            self._log(split, chunk, strategies)
            self.logs[split].save()
            done += len(chunk)
            self.progress(f"querying at {what}", done, len(missing))

    def _chunks(self, roots: list[Root]) -> list[list[Root]]:
        """Hidden starts have many members and take long, so each is a chunk of its own."""
        starts = [root for root in roots if root.weights is not None]
        others = [root for root in roots if root.weights is None]
        size = max(1, min(64, len(others) // (32 * self.workers)))
        return [[root] for root in starts] + [others[k : k + size] for k in range(0, len(others), size)]

    def _queried(
        self, split: int, chunks: list[list[Root]], revealed: bool, seconds: float
    ) -> Iterator[tuple[list[Root], list[SparseStrategy]]]:
        """The strategies of each chunk, in the order in which they come."""
        if self.workers == 1 or seconds < PROCESS_SECONDS:
            for chunk in chunks:
                yield chunk, run_queries(self.splits[split], chunk, revealed)
            return
        pool = processes(self.workers)
        waiting = {pool.submit(run_queries, self.splits[split], chunk, revealed): chunk for chunk in chunks}
        try:
            for future in as_completed(waiting):
                yield waiting[future], future.result()
        finally:
            for future in waiting:
                future.cancel()

    def _log(self, split: int, roots: Sequence[Root], strategies: list[SparseStrategy]) -> None:
        for root, strategy in zip(roots, strategies, strict=True):
            self.logs[split].add(root.state, strategy)

    @property
    def used_rng(self) -> bool:
        return self.stochastic

    def clear(self) -> None:
        """The response is found: nothing needs to stay on disk."""
        for log in self.logs:
            log.clear()

    def _split(self, split: int) -> QueryLog:
        """The log of a split; of a deterministic agent both are the same."""
        return self.logs[min(split, len(self.logs) - 1)]

    def query_subgame(self, table: Any, workspace: Workspace, edges: Any, actions: Any, mr_x: bool) -> None:
        """The strategies of a subgame, as far as it was queried."""
        key, strategies = workspace.subgame.states[0].tobytes(), edges if mr_x else actions
        for split in (TRAINING, HOLDOUT):
            found = self._split(split).get(key)
            if found is not None:
                strategies[split, found.moves] = found.probabilities

    def query_positions(self, table: Any, states: Any, indices: Any, codes: Any, strategy: Any, counts: Any) -> None:
        best_response.list_moves(table, states, indices, codes, strategy, counts)
        strategy[:] = 0.0
        for k, i in enumerate(indices):
            for split in (TRAINING, HOLDOUT):
                found = self._split(split).known[states[i].tobytes()]
                strategy[k, split, found.moves] = found.probabilities


__all__ = ["HOLDOUT", "TRAINING", "QueriedAgent", "Querier", "QuerySettings", "Root", "processes", "run_queries"]
