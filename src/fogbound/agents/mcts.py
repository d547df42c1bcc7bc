"""Monte Carlo tree search for games with hidden information, chance and many sides.

The search itself is compiled in `tree.py`; here are its options, the determinization of the root,
root parallelization, the reuse of trees from move to move, and the analysis of a decision.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache
from time import perf_counter
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, field_validator
from typing_extensions import TypeVar

from fogbound.agents import tree
from fogbound.agents.tree import NOWHERE, ROOT, GameHooks, NoHookData, Pool, SearchSettings, Workspace
from fogbound.core import registry
from fogbound.core.agent import Agent, Budget, Decision, GameT, NoParams, PolicyAgent, separate
from fogbound.core.compiled import Kernel, outlined
from fogbound.core.errors import BadOption
from fogbound.core.rng import Rng
from fogbound.core.view import Seen, View

DEFAULT_ITERATIONS = 1000
CHUNK_SECONDS = 0.005  # with a budget in seconds, the clock is read about this often
LONGEST_LINE = 32
WORLDS_ALIASES = {"single": "one", "pimc": "many", "so-ismcts": "infoset", "mo-ismcts": "observers"}


class MctsOptions(Budget):
    c: float = Field(0.7, ge=0, description="UCT's exploration constant, for results in [0, 1]")
    worlds: Literal["one", "many", "infoset", "observers"] = Field(
        "infoset",
        description="hidden information: one (or single), one determinization a move; many (or pimc), an ensemble of "
        "determinizations with a tree each, which vote; infoset (or so-ismcts), a new determinization every iteration in "
        "one tree of information sets; observers (or mo-ismcts), the same with a tree a side, of that side's observations",
    )
    guesses: int = Field(8, ge=1, description="how many determinizations `worlds=many` searches")
    doubt: float = Field(
        0.5,
        ge=0,
        lt=1,
        description="with `worlds=observers`, the share of iterations determinized from an opponent's information set",
    )
    choice: Literal["visits", "value"] = Field(
        "visits", description="plays the most visited move (robust child) or the one with the best mean (max child)"
    )
    maximise: Literal["mover", "root"] = Field(
        "mover",
        description="whose result a node maximises: that of the seat to move, or everywhere that of the seat at the root, "
        "as if all the others played for it",
    )
    reuse: bool = Field(True, description="keeps the subtree of what was played from move to move, where there is one")
    playout: str = Field(
        "random", description="policy of the playouts (rollouts): random or heuristic; one a side as in a+b"
    )
    epsilon: float = Field(0.1, ge=0, le=1, description="share of random moves in playouts by a policy (epsilon-greedy)")
    depth: int = Field(
        2000, ge=0, description="a playout is cut off after this many moves, and the position scored as it is"
    )
    history: float = Field(
        0.0, ge=0, description="weight of progressive history, which prefers moves that did well; 0 for none"
    )
    threads: int = Field(
        1, ge=1, le=256, description="root parallelization: so many trees, added up; each has its share of the iterations"
    )
    nodes: int = Field(1_000_000, ge=2, description="most nodes of a tree; when they are used up it stops growing")

    @field_validator("worlds", mode="before")
    @classmethod
    def _known_as(cls, value: object) -> object:
        return WORLDS_ALIASES.get(value, value) if isinstance(value, str) else value

    @field_validator("playout")
    @classmethod
    def _names(cls, value: str) -> str:
        if not all(value.split("+")):
            raise ValueError("give the name of an agent, or one a side as in heuristic+random")
        return value


# An agent of one game brings options of its own.
MctsOptionsT = TypeVar("MctsOptionsT", bound=MctsOptions, default=MctsOptions, covariant=True)


@dataclass
class _Worker:
    """A search with memory of its own; workers run side by side and their root statistics are added up."""

    pool: Pool
    workspace: Workspace
    spare: Pool | None = None


class Mcts(Agent[MctsOptionsT, GameT]):
    name = "mcts"
    about = "Monte Carlo tree search over information sets, with a new determinization every iteration"
    options_model = MctsOptions

    def prepare(self) -> None:
        self.playout, self.playout_params, self._random_share = self._playouts()
        self._workers: list[_Worker] = []
        self._root: tuple[int, tuple[Seen, ...]] | None = None  # seat and history at the root of the trees

    # What a game may do in its own way.

    def hooks(self) -> GameHooks:
        rules = self.game.rules
        return tree.default_hooks(rules.imagine, rules.legal, rules.score)

    def hook_data(self, view: View) -> NamedTuple:
        """What the hooks need to know about the position that is searched."""
        return NoHookData(0)

    def belief(self, view: View) -> Mapping[str, float]:
        """The probability of each hidden fact, for the analysis."""
        return {}

    def playout_policy(self, name: str) -> tuple[Kernel, NamedTuple]:
        """The compiled policy of a playout."""
        found = registry.agent(name, self.game)
        if not isinstance(found, PolicyAgent):
            raise BadOption(f"“playout={name}” does not work: playouts need a compiled policy, such as random or heuristic.")
        return found.policy, found.policy_params

    def playouts_see_all(self) -> bool:
        """Whether the playout policy sees the whole determinization, even what its seat may not know."""
        return False

    # Search.

    def decide(self, view: View) -> Decision:
        legal = self.game.legal(view.state)
        if len(legal) == 1:
            return Decision(legal[0], belief=self.belief(view))
        workers = self._workers_for(view)
        self._search(view, workers)
        self._root = (view.seat, view.history)
        children = [_children(worker.pool, view.seat, set(legal)) for worker in workers]
        visits, values = _added_up(children)
        if self.options.worlds == "many":
            action = _voted(children, visits)
            values = {code: _average(children, code) for code in visits}
        else:
            action = max(visits, key=lambda code: self._merit(visits[code], values[code]))
        line = _principal_variation(workers[0].pool, action)
        return Decision(action, values, visits, self.belief(view), line)

    def _merit(self, visits: int, value: float) -> tuple[float, float]:
        return (visits, value) if self.options.choice == "visits" else (value, visits)

    def _search(self, view: View, workers: list[_Worker]) -> None:
        options, game = self.options, self.game
        data = self.hook_data(view)
        rng = tree.new_rngs(self.rng, len(workers))
        imagination = tree.new_rngs(self.imagination, len(workers) + 1)
        search = tree.searcher(game.rules, self.hooks(), self.playout)
        settings = self.search_settings(view.seat)
        roots = [
            self._root_state(view, data, imagination[i if options.worlds == "many" else -1]) for i in range(len(workers))
        ]

        own_data = [data if i == 0 else separate(data) for i in range(len(workers))]
        params = [self.playout_params if i == 0 else separate(self.playout_params) for i in range(len(workers))]

        def work(i: int) -> None:
            args = (game.table, own_data[i], params[i], workers[i].pool, workers[i].workspace, settings, roots[i])
            for chunk in self.chunks(i, len(workers)):
                search(*args, chunk, rng[i], imagination[i])

        if len(workers) == 1 or options.threads == 1:
            for i in range(len(workers)):
                work(i)
            return
        with ThreadPoolExecutor(options.threads) as threads:
            list(threads.map(work, range(len(workers))))

    def chunks(self, worker: int, workers: int) -> Iterable[int]:
        """Iterations of a worker: its share of the budget, in chunks if the clock has to be read."""
        if self.options.seconds is None:
            whole = self.options.iterations or DEFAULT_ITERATIONS
            yield max(1, whole // workers + (worker < whole % workers))
            return
        one_after_another = workers if self.options.threads == 1 else -(-workers // self.options.threads)
        end = perf_counter() + self.options.seconds / one_after_another
        chunk = 8
        began = perf_counter()
        while True:
            yield chunk
            now = perf_counter()
            if now >= end:
                return
            chunk = max(1, min(chunk * 4, int(chunk * min(CHUNK_SECONDS, end - now) / max(1e-7, now - began))))
            began = now

    def _root_state(self, view: View, data: NamedTuple, imagination: Rng) -> NDArray[Any]:
        root = np.zeros(1, self.game.rules.state)
        root[0] = view.state
        if self.options.worlds in ("one", "many"):
            stream = imagination.copy()
            _determinizer(self.hooks().imagine)(self.game.table, data, root, view.seat, stream)
        return root

    def search_settings(self, seat: int) -> SearchSettings:
        options, game = self.options, self.game
        side_of = np.array(game.side_of, np.int64)
        observer = np.array([game.side_of.index(side) for side in range(game.sides)], np.int64)
        observer[side_of[seat]] = seat
        return SearchSettings(
            seat=seat,
            trees=game.sides if options.worlds == "observers" else 1,
            resample=int(options.worlds in ("infoset", "observers")),
            doubt=options.doubt,
            c=options.c,
            availability=int(options.worlds in ("infoset", "observers")),
            depth=options.depth,
            history=options.history,
            random_share=self._random_share,
            playouts_see_all=int(self.playouts_see_all()),
            side_of=side_of,
            observer=observer,
            for_root=int(options.maximise == "root"),
        )

    def _playouts(self) -> tuple[Kernel | None, NamedTuple, NDArray[np.float64]]:
        """The playout policy with its parameters, and for each seat the share of random moves."""
        names = self.options.playout.split("+")
        if len(names) not in (1, self.game.sides):
            raise BadOption(
                f"“playout={self.options.playout}” gives {len(names)} policies, but {self.game.spec} has "
                f"{self.game.sides} sides: give one for all or one for each."
            )
        by_side = names * self.game.sides if len(names) == 1 else names
        others = sorted(set(by_side) - {"random"})
        if len(others) > 1:
            raise BadOption(
                f"“playout={self.options.playout}” mixes {' and '.join(others)}: "
                "besides random, only one playout policy can be used at a time."
            )
        share = np.array([1.0 if by_side[side] == "random" else self.options.epsilon for side in self.game.side_of])
        if not others:
            return None, NoParams(0), share
        return *self.playout_policy(others[0]), share

    # Reuse from move to move.

    def _workers_for(self, view: View) -> list[_Worker]:
        """The workers with their trees: what can be reused of the last move's, or empty ones."""
        if not self._workers:
            count = self.options.guesses if self.options.worlds == "many" else self.options.threads
            self._workers = [_Worker(self.pool(count), tree.make_workspace(self.game)) for _ in range(count)]
            return self._workers
        path = self._path_to(view)
        for worker in self._workers:
            self._reuse_subtree(worker, path)
        return self._workers

    def pool(self, workers: int) -> Pool:
        if self.options.seconds is not None:
            return tree.make_pool(self.options.nodes, self.game.seats)
        share = (self.options.iterations or DEFAULT_ITERATIONS) // workers + 1
        trees = 2 * self.game.sides if self.options.worlds == "observers" else 1
        kept = 2 if self.options.reuse else 1
        return tree.make_pool(max(2, min(self.options.nodes, share * trees * kept + 64)), self.game.seats)

    def _path_to(self, view: View) -> Sequence[int] | None:
        """This side's observations since the trees were made; None if they cannot be reused."""
        if not self.options.reuse or self._root is None or self.options.worlds not in ("infoset", "observers"):
            return None
        _, before = self._root
        if len(view.history) <= len(before) or view.history[: len(before)] != before:
            return None
        return [seen.code for seen in view.history[len(before) :]]

    def _reuse_subtree(self, worker: _Worker, path: Sequence[int] | None) -> None:
        worker.workspace.history_sum[:] = 0.0
        worker.workspace.history_count[:] = 0.0
        node = ROOT if path is not None else NOWHERE
        for code in path or ():
            node = int(tree.child_of(worker.pool, node, code))
            if node < 0:
                break
        if node < 0:
            tree.clear(worker.pool)
            return
        spare = worker.spare or self.pool(len(self._workers))
        tree.copy_subtree(worker.pool, node, spare)
        worker.pool, worker.spare = spare, worker.pool


@cache
def _determinizer(imagine: Kernel) -> Kernel:
    @outlined
    def determinize(table, data, root, seat, rng):
        imagine(table, data, root[0], seat, rng)

    return determinize


def _children(pool: Pool, seat: int, legal: Set[int]) -> dict[int, tuple[int, float]]:
    """Visits and sum of results of the moves that were searched at the root.

    A reused tree may hold others too, which only other outcomes of chance would have made legal.
    """
    found: dict[int, tuple[int, float]] = {}
    child = int(pool.first[ROOT])
    while child >= 0:
        found[int(pool.code[child])] = int(pool.visits[child]), float(pool.value[child, seat])
        child = int(pool.following[child])
    return {code: figures for code, figures in found.items() if figures[0] and code in legal}


def _added_up(children: Sequence[dict[int, tuple[int, float]]]) -> tuple[dict[int, int], dict[int, float]]:
    codes = sorted({code for each in children for code in each})
    visits = {code: sum(each.get(code, (0, 0.0))[0] for each in children) for code in codes}
    return visits, {code: sum(each.get(code, (0, 0.0))[1] for each in children) / visits[code] for code in codes}


def _average(children: Sequence[dict[int, tuple[int, float]]], code: int) -> float:
    """A move's value with every determinization counting the same."""
    figures = [each[code] for each in children if code in each]
    return sum(total / visits for visits, total in figures) / len(figures)


def _voted(children: Sequence[dict[int, tuple[int, float]]], visits: Mapping[int, int]) -> int:
    """The move that most trees visited most; then the one visited most in all."""
    votes = dict.fromkeys(visits, 0)
    for each in children:
        if each:
            votes[max(each, key=lambda code: each[code])] += 1
    return max(visits, key=lambda code: (votes[code], visits[code]))


def _principal_variation(pool: Pool, first: int) -> tuple[int, ...]:
    """The most visited moves, one after another, as this side observes them."""
    line = [first]
    node = int(tree.child_of(pool, ROOT, first))
    while node >= 0 and len(line) < LONGEST_LINE:
        best, most = NOWHERE, 0
        child = int(pool.first[node])
        while child >= 0:
            if pool.visits[child] > most:
                best, most = child, int(pool.visits[child])
            child = int(pool.following[child])
        node = best
        if node >= 0:
            line.append(int(pool.code[node]))
    return tuple(line)
