"""Asking an agent what it plays, wherever it can come to: in all processes at once, and always with the same luck.

Every question is put to a fresh player, who sees the position and the moves since Mr X was last seen.
An agent that draws is asked twice over, and the two sets of answers know nothing of each other: by the first a
response is chosen, by the second it is judged. The second is asked only where that response leads.
"""

from __future__ import annotations

import hashlib
import json
import multiprocessing
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
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
from fogbound.solve import respond
from fogbound.solve import sweeps as waves
from fogbound.solve.query_log import Answers, Shares
from fogbound.solve.subgame import DETECTIVE_NODE, FIRST_MEMBER, MR_X_NODE, NO_ROOM, SHOWN_NODE, grow
from fogbound.solve.sweeps import Desk

MR_X = 0
FIRST_NODES = 1 << 12
LEAST_DRAWN = 16  # members that are asked where Mr X shows himself, if there are many
OPEN = 4  # questions where everybody knows where Mr X is: there are many such places, and little to draw lots for
ALL_JUDGES = 64  # questions of judges at one node
TASTE = 0.5  # seconds of questions that show how long the others will take
WORTH_PROCESSES = 4.0  # seconds of questions for which it pays to start other processes
Say = Callable[[str, int, int], None]
Weights = NDArray[np.float64]


class Root(NamedTuple):
    """Where a stretch begins."""

    state: bytes
    weights: Weights | None = None  # how likely Mr X is where, if that is hidden
    choice: NDArray[np.int32] | None = None  # at each node, the action of the detectives' response that is to be judged


@dataclass(frozen=True)
class Questions:
    """Who is asked, on which side, in which game, how often."""

    family: str
    definition: str
    agent: str
    side: int
    queries: int
    draws: bool  # whether its answers differ
    judging: bool  # whether this is the second set of answers
    luck: int = 0  # another number gives other luck


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

    def open_position(self, root: Root) -> Shares:
        """Answers where everybody knows where Mr X is, by the rank of the legal move."""
        state, queries = _state(root), min(self.questions.queries, OPEN)
        codes = self.game.legal(state)
        answers = self.ask(state.copy(), (), self._key(root), queries)
        return _shares({codes.index(code): number / queries for code, number in answers.items()})

    def _key(self, root: Root) -> bytes:
        return root.state + bytes([self.questions.judging]) + self.questions.luck.to_bytes(4, "little")

    def stretch(self, root: Root) -> Shares:
        """Answers all over a stretch: by the number of Mr X's edge, or of the detectives' action."""
        while grow(self.game.table, self.desk.stretch, _state(root), True) == NO_ROOM:
            self.desk = self._room(2 * self.desk.stretch.kind.size)
        stretch, queries, weights, key = self.desk.stretch, self.questions.queries, root.weights, self._key(root)
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
                self._ask_shown(node, here, key, plan)
                continue
            for member, count in here.items():
                if self._is_asked(int(stretch.kind[node])):
                    count = self._count(count, len(here)) if self.mr_x else max(count, queries // 8)
                    following = self._follow(node, member, count, key, plan)
                else:
                    following = self._pass(node, member, count, children, root.choice)
                for child, at, number in following:
                    there = come.setdefault(child, {})
                    there[at] = there.get(at, 0) + number
        return _shares(plan)

    def _is_asked(self, kind: int) -> bool:
        return (kind != DETECTIVE_NODE) if self.mr_x else (kind == DETECTIVE_NODE)

    def _ask_shown(self, node: int, here: dict[int, int], key: bytes, plan: dict[int, float]) -> None:
        """Mr X shows himself by his next move. Most questions would be here, so of many members some are drawn.

        Nobody decides anything between this move and what it is worth, so those drawn can speak for the others.
        """
        if not self.mr_x:
            return
        members, queries, drawn = list(here), self.questions.queries, list(here)
        most = len(members) if self.questions.judging else max(2 * queries, LEAST_DRAWN)
        if self.questions.draws and len(members) > most:
            luck = np.random.default_rng(_number(key + node.to_bytes(4, "little")))
            drawn = sorted(luck.choice(members, most, replace=False).tolist())
        for member in drawn:
            count = self._count(here[member], len(here))
            if not self.questions.judging and self.questions.draws:
                count = max(1, min(count, most // len(drawn)))
            list(self._follow(node, member, count, key, plan, len(members) / len(drawn)))

    def _count(self, come: int, members: int) -> int:
        """How often to ask at a member: judges, who are asked at few places, share a number of questions out there."""
        most = min(come, self.questions.queries)
        return min(most, max(2, ALL_JUDGES // members)) if self.questions.judging else most

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

    def _pass(
        self, node: int, member: int, count: int, children: dict[int, list[int]], choice: NDArray[np.int32] | None
    ) -> Iterator[tuple[int, int, int]]:
        """The other side moves: everything it can do may happen, or what its response does."""
        stretch = self.desk.stretch
        if not self.mr_x:
            for child in children.get(node, ()):
                yield child, -1, count
            return
        edges = range(int(stretch.edge_first[member]), int(stretch.edge_first[member + 1]))
        if choice is not None:
            rank = int(choice[node] - stretch.action_first[node])
            edges = edges[rank : rank + 1]
        for edge in edges:
            if stretch.target[edge] >= FIRST_MEMBER:
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
    return np.frombuffer(root.state, State)[0].copy()


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


def answer(questions: Questions, roots: Sequence[Root], is_open: bool) -> list[Shares]:
    """The answers to some questions, in whichever process this is."""
    asking = asker(questions)
    return [asking.open_position(root) if is_open else asking.stretch(root) for root in roots]


@cache
def processes(workers: int) -> ProcessPoolExecutor:
    """Processes that stay, so that each agent is made ready only once in each of them."""
    return ProcessPoolExecutor(workers, mp_context=multiprocessing.get_context("spawn"))


class Asked:
    """An agent of any kind; its answers are kept, so that each question is put once, also after an interruption."""

    def __init__(self, questions: Questions, judges: Questions, workers: int, folds: bool, say: Say, digest: str) -> None:
        """The digest tells this agent, and this way of asking, from all others."""
        self.sets = (questions, judges) if questions.draws else (questions,)
        self.draws, self.workers, self.folds, self.say = questions.draws, workers, folds, say
        self.kept = tuple(Answers(f"{each} {folds} {digest}") for each in self.sets)

    def fetch(self, half: int, roots: Sequence[Root], is_open: bool, what: str) -> None:
        """Ask all that has not been asked yet."""
        missing = [root for root in roots if root.state not in self.kept[half]]
        began = perf_counter()
        done = 0
        while done < len(missing) and perf_counter() - began < TASTE:
            self._keep(half, missing[done : done + 1], answer(self.sets[half], missing[done : done + 1], is_open))
            done += 1
        rest = missing[done:]
        each = (perf_counter() - began) / max(1, done)
        for portion in self._answered(half, self._portions(rest), is_open, each * len(rest)):
            self._keep(half, *portion)
            self.kept[half].save()
            done += len(portion[0])
            self.say(f"asking at {what}", done, len(missing))

    def _portions(self, roots: list[Root]) -> list[list[Root]]:
        """What is asked in one go: hidden starts have many members and take long, so each is one by itself."""
        starts = [root for root in roots if root.weights is not None]
        others = [root for root in roots if root.weights is None]
        size = max(1, min(64, len(others) // (32 * self.workers)))
        return [[root] for root in starts] + [others[k : k + size] for k in range(0, len(others), size)]

    def _answered(
        self, half: int, portions: list[list[Root]], is_open: bool, seconds: float
    ) -> Iterator[tuple[list[Root], list[Shares]]]:
        """The answers to each portion, in the order in which they come."""
        if self.workers == 1 or seconds < WORTH_PROCESSES:
            for portion in portions:
                yield portion, answer(self.sets[half], portion, is_open)
            return
        pool = processes(self.workers)
        waiting = {pool.submit(answer, self.sets[half], portion, is_open): portion for portion in portions}
        try:
            for future in as_completed(waiting):
                yield waiting[future], future.result()
        finally:
            for future in waiting:
                future.cancel()

    def _keep(self, half: int, roots: Sequence[Root], answers: list[Shares]) -> None:
        for root, shares in zip(roots, answers, strict=True):
            self.kept[half].add(root.state, shares)

    @property
    def drew(self) -> bool:
        return self.draws

    def clear(self) -> None:
        """All is answered: nothing needs to stay on disk."""
        for answers in self.kept:
            answers.clear()

    def ask(self, table: Any, desk: Desk, edges: Any, actions: Any, mr_x: bool) -> None:
        """The plans of a stretch, as far as it was asked about."""
        key, plans = desk.stretch.states[0].tobytes(), edges if mr_x else actions
        for half in range(2):
            found = self.kept[min(half, len(self.kept) - 1)].get(key)
            if found is not None:
                plans[half, found.numbers] = found.shares

    def ask_open(self, table: Any, states: Any, indices: Any, codes: Any, shares: Any, counts: Any) -> None:
        respond.list_moves(table, states, indices, codes, shares, counts)
        shares[:] = 0.0
        for k, i in enumerate(indices):
            for half in range(2):
                found = self.kept[min(half, len(self.kept) - 1)].known[states[i].tobytes()]
                shares[k, half, found.numbers] = found.shares


__all__ = ["Asked", "Asker", "Questions", "Root", "answer", "processes"]
