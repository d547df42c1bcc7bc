"""Asking an agent what it plays, wherever it can come to: in all processes at once, and always with the same luck.

Every question is put to a fresh player, who sees the position and the moves since Mr X was last seen.
An agent that draws is asked twice over, and the two sets of answers know nothing of each other: by the first a
response is chosen, by the second, which can be smaller, it is judged.
"""

from __future__ import annotations

import hashlib
import json
import multiprocessing
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from dataclasses import dataclass
from functools import cache
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fogbound.core import registry
from fogbound.core.view import Seen, View
from fogbound.games.scotland_yard.game import ScotlandYard
from fogbound.games.scotland_yard.rules import State
from fogbound.solve import respond, waves
from fogbound.solve.stretch import DETECTIVE_NODE, FIRST_MEMBER, MR_X_NODE, NO_ROOM, SHOWN_NODE, grow
from fogbound.solve.waves import Desk

MR_X = 0
FIRST_NODES = 1 << 12
WORTH_PROCESSES = 4.0  # seconds of questions for which it pays to start other processes
Say = Callable[[str, int, int], None]
Weights = NDArray[np.float64]
Root = tuple[bytes, Weights | None]  # the state in which a stretch begins, and how likely Mr X is where if that is hidden


class Shares(NamedTuple):
    """How often moves are played, by their number in a tree; moves that are not named are never played."""

    numbers: NDArray[np.int32]
    shares: NDArray[np.float64]


Halves = list[Shares]  # a plan for choosing a response and one for judging it, or one for both


@dataclass(frozen=True)
class Questions:
    """Who is asked, on which side, in which game, how often."""

    family: str
    definition: str
    agent: str
    side: int
    queries: tuple[int, ...]  # for choosing a response and for judging it; one number if the agent always answers the same


class Asker:
    """Puts the questions of one stretch after another; each process has one."""

    def __init__(self, questions: Questions) -> None:
        self.questions = questions
        game = registry.rebuild(questions.family, json.loads(questions.definition))
        assert isinstance(game, ScotlandYard)
        self.game, self.mr_x = game, questions.side == MR_X
        self.desk = self._room(FIRST_NODES)

    def _room(self, nodes: int) -> Desk:
        return waves.desk(nodes, self.game.most_actions, self.game.table.stations)

    def ask(self, state: Any, history: tuple[Seen, ...], key: bytes, count: int) -> dict[int, int]:
        """How often a fresh player plays each move, out of `count` times."""
        view = View(self.game, int(state["turn"]), state, history)
        answers: dict[int, int] = {}
        for number in range(count):
            seed = _number(key + number.to_bytes(4, "little"))
            player = registry.agent(self.questions.agent, self.game, seed, self.questions.side)
            code = int(player.choose(view).action)
            answers[code] = answers.get(code, 0) + 1
        return answers

    def open_position(self, root: Root) -> Halves:
        """Answers where everybody knows where Mr X is, by the rank of the legal move."""
        state = _state(root)
        codes = self.game.legal(state)
        found = []
        for half, queries in enumerate(self.questions.queries):
            answers = self.ask(state.copy(), (), root[0] + bytes([half]), queries)
            found.append(_shares({codes.index(code): number / queries for code, number in answers.items()}))
        return found

    def stretch(self, root: Root) -> Halves:
        """Answers all over a stretch: by the number of Mr X's edge, or of the detectives' action."""
        while grow(self.game.table, self.desk.stretch, _state(root), True) == NO_ROOM:
            self.desk = self._room(2 * self.desk.stretch.kind.size)
        halves = enumerate(self.questions.queries)
        return [self._half(root[0] + bytes([half]), queries, root[1]) for half, queries in halves]

    def _half(self, key: bytes, queries: int, weights: Weights | None) -> Shares:
        stretch = self.desk.stretch
        # Who has come to a node: members of Mr X (or -1 for the detectives), and by how many of the answers so far.
        come: dict[int, dict[int, int]] = {0: {}}
        for member in range(int(stretch.first[1])) if self.mr_x else (-1,):
            if weights is None or not self.mr_x or weights[stretch.station[member]] > 0:
                come[0][member] = queries
        children = _children(stretch)
        plan: dict[int, float] = {}
        for node in range(int(stretch.counts[0])):
            here = come.pop(node, {})
            if stretch.kind[node] == SHOWN_NODE:
                self._ask_shown(node, here, key, queries, plan)
                continue
            for member, count in here.items():
                if self._is_asked(int(stretch.kind[node])):
                    count = min(count, queries) if self.mr_x else max(count, queries // 8)
                    following = self._follow(node, member, count, key, plan)
                else:
                    following = self._pass(node, member, count, children)
                for child, at, number in following:
                    there = come.setdefault(child, {})
                    there[at] = there.get(at, 0) + number
        return _shares(plan)

    def _is_asked(self, kind: int) -> bool:
        return (kind != DETECTIVE_NODE) if self.mr_x else (kind == DETECTIVE_NODE)

    def _ask_shown(self, node: int, here: dict[int, int], key: bytes, queries: int, plan: dict[int, float]) -> None:
        """Mr X shows himself by his next move. Most questions would be here, so of many members some are drawn.

        Nobody decides anything between this move and what it is worth, so those drawn can speak for the others.
        """
        if not self.mr_x:
            return
        members, most = list(here), 2 * queries
        if len(self.questions.queries) == 1 or len(members) <= most:
            drawn = members
        else:
            luck = np.random.default_rng(_number(key + node.to_bytes(4, "little")))
            drawn = sorted(luck.choice(members, most, replace=False).tolist())
        for member in drawn:
            count = max(1, min(here[member], queries, most // len(drawn)))
            list(self._follow(node, member, count, key, plan, len(members) / len(drawn)))

    def _follow(
        self, node: int, member: int, count: int, key: bytes, plan: dict[int, float], scale: float = 1.0
    ) -> Iterator[tuple[int, int, int]]:
        """Ask at a node, note the answers, and go where they lead."""
        stretch = self.desk.stretch
        state = stretch.states[node].copy()
        if self.mr_x:
            state["station"][0] = stretch.station[member]
            begin, end = int(stretch.edge_first[member]), int(stretch.edge_first[member + 1])
            codes = stretch.code[begin:end].tolist()
        else:
            state["station"][0] = -1
            begin, end = int(stretch.action_first[node]), int(stretch.action_first[node + 1])
            codes = stretch.action_code[begin:end].tolist()
        place = key + node.to_bytes(4, "little") + (member + 1).to_bytes(4, "little")
        for code, number in self.ask(state, self._history(node), place, count).items():
            chosen = begin + codes.index(code)
            plan[chosen] = scale * number / count
            if not self.mr_x:
                if stretch.action_child[chosen] >= 0:
                    yield int(stretch.action_child[chosen]), -1, number
            elif stretch.kind[node] == MR_X_NODE and stretch.target[chosen] >= FIRST_MEMBER:
                yield *self._end(chosen), number

    def _pass(self, node: int, member: int, count: int, children: dict[int, list[int]]) -> Iterator[tuple[int, int, int]]:
        """The other side moves: everything it can do may happen."""
        stretch = self.desk.stretch
        if not self.mr_x:
            for child in children.get(node, ()):
                yield child, -1, count
            return
        for edge in range(int(stretch.edge_first[member]), int(stretch.edge_first[member + 1])):
            if stretch.kind[node] != SHOWN_NODE and stretch.target[edge] >= FIRST_MEMBER:
                yield *self._end(edge), count

    def _end(self, edge: int) -> tuple[int, int]:
        """The node and the member that an edge leads to."""
        stretch = self.desk.stretch
        member = int(stretch.target[edge]) - FIRST_MEMBER
        return int(np.searchsorted(stretch.first[: stretch.counts[0]], member, "right")) - 1, member

    def _history(self, node: int) -> tuple[Seen, ...]:
        """The moves since Mr X was last seen; before that, nothing matters."""
        stretch, seen = self.desk.stretch, []
        while stretch.parent[node] >= 0:
            parent = int(stretch.parent[node])
            seen.append(Seen(int(stretch.states[parent]["turn"]), int(stretch.seen[node])))
            node = parent
        return tuple(reversed(seen))


def _number(key: bytes) -> int:
    """Luck that belongs to a question: the same in every run."""
    return int.from_bytes(hashlib.sha256(key).digest()[:7], "little")


def _state(root: Root) -> Any:
    return np.frombuffer(root[0], State)[0].copy()


def _children(stretch: Any) -> dict[int, list[int]]:
    found: dict[int, list[int]] = {}
    for node, parent in enumerate(stretch.parent[: stretch.counts[0]].tolist()):
        found.setdefault(parent, []).append(node)
    return found


def _shares(plan: dict[int, float]) -> Shares:
    numbers = sorted(plan)
    return Shares(np.array(numbers, np.int32), np.array([plan[number] for number in numbers], np.float64))


@cache
def asker(questions: Questions) -> Asker:
    """This process's asker of an agent."""
    return Asker(questions)


def answer(questions: Questions, roots: Sequence[Root], is_open: bool) -> list[Halves]:
    """The answers to some questions, in whichever process this is."""
    asking = asker(questions)
    return [asking.open_position(root) if is_open else asking.stretch(root) for root in roots]


@cache
def processes(workers: int) -> ProcessPoolExecutor:
    """Processes that stay, so that each agent is made ready only once in each of them."""
    return ProcessPoolExecutor(workers, mp_context=multiprocessing.get_context("spawn"))


class Asked:
    """An agent of any kind; its answers are kept, so that each question is put once."""

    def __init__(self, questions: Questions, workers: int, folds: bool, say: Say) -> None:
        self.questions, self.workers, self.folds, self.say = questions, workers, folds, say
        self.kept: dict[bytes, Halves] = {}

    def fetch(self, roots: Sequence[Root], is_open: bool, what: str) -> None:
        """Ask all that has not been asked yet."""
        missing = [root for root in roots if root[0] not in self.kept]
        began = perf_counter()
        done = 0
        while done < len(missing) and perf_counter() - began < 0.5:  # a taste of how long it takes
            self._keep(missing[done : done + 1], answer(self.questions, missing[done : done + 1], is_open))
            done += 1
        rest = missing[done:]
        each = (perf_counter() - began) / max(1, done)
        size = max(1, min(64, len(rest) // (8 * self.workers)))
        portions = [rest[k : k + size] for k in range(0, len(rest), size)]
        for number, portion in enumerate(self._answered(portions, is_open, each * len(rest))):
            self._keep(*portion)
            self.say(f"asking at {what}", min(done + (number + 1) * size, len(missing)), len(missing))

    def _answered(
        self, portions: list[list[Root]], is_open: bool, seconds: float
    ) -> Iterator[tuple[list[Root], list[Halves]]]:
        if self.workers == 1 or seconds < WORTH_PROCESSES:
            for portion in portions:
                yield portion, answer(self.questions, portion, is_open)
            return
        pool = processes(self.workers)
        waiting: list[Future[list[Halves]]] = [pool.submit(answer, self.questions, each, is_open) for each in portions]
        try:
            for portion, future in zip(portions, waiting, strict=True):
                yield portion, future.result()
        finally:
            for future in waiting:
                future.cancel()

    def _keep(self, roots: Sequence[Root], answers: list[Halves]) -> None:
        for (state, _), halves in zip(roots, answers, strict=True):
            self.kept[state] = halves

    def ask(self, table: Any, desk: Desk, edges: Any, actions: Any, mr_x: bool) -> None:
        """The plans of a stretch that was asked about."""
        halves = self.kept[desk.stretch.states[0].tobytes()]
        plans = edges if mr_x else actions
        for half in range(2):
            plans[half, halves[min(half, len(halves) - 1)].numbers] = halves[min(half, len(halves) - 1)].shares

    def ask_open(self, table: Any, states: Any, indices: Any, codes: Any, shares: Any, counts: Any) -> None:
        respond.list_moves(table, states, indices, codes, shares, counts)
        shares[:] = 0.0
        for k, i in enumerate(indices):
            halves = self.kept[states[i].tobytes()]
            for half in range(2):
                found = halves[min(half, len(halves) - 1)]
                shares[k, half, found.numbers] = found.shares


__all__ = ["Asked", "Asker", "Questions", "answer", "processes"]
