"""Monte Carlo tree search for games with hidden information, chance and many sides.

The search itself is compiled in `tree.py`; here are its options, how worlds are guessed,
how trees are shared out to threads and kept from move to move, and what is told about a decision.
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

from fogbound.agents import tree
from fogbound.agents.tree import NOWHERE, ROOT, NoExtra, Pieces, Plan, Pool, Scratch
from fogbound.core import registry
from fogbound.core.agent import Agent, Budget, Decision, NoParams, PolicyAgent, separate
from fogbound.core.compiled import Kernel, outlined
from fogbound.core.errors import BadOption
from fogbound.core.rng import Rng
from fogbound.core.view import Seen, View

DEFAULT_ITERATIONS = 1000
PORTION_SECONDS = 0.005  # with a budget in seconds, the clock is read about this often
LONGEST_LINE = 32


class MctsOptions(Budget):
    c: float = Field(0.7, ge=0, description="how much it explores: UCT's constant")
    worlds: Literal["one", "many", "infoset", "observers"] = Field(
        "infoset",
        description="hidden things: one guess a move; many guesses with a tree each, which vote; a new guess every "
        "iteration; or the same with a tree for each side, keyed on what that side sees",
    )
    guesses: int = Field(8, ge=1, description="how many worlds `worlds=many` guesses")
    doubt: float = Field(
        0.5, ge=0, lt=1, description="with `worlds=observers`, the share of iterations in worlds as the opponents guess them"
    )
    choice: Literal["visits", "value"] = Field("visits", description="plays the most visited move, or the one of best value")
    reuse: bool = Field(True, description="keeps the tree from move to move, where it still fits")
    playout: str = Field("random", description="who plays on from the tree: random or heuristic; one a side as in a+b")
    epsilon: float = Field(0.1, ge=0, le=1, description="share of random moves in a playout that is not random")
    depth: int = Field(2000, ge=0, description="a playout is cut off after this many moves, and judged as it stands")
    history: float = Field(0.0, ge=0, description="weight of progressive history: how well a move did anywhere; 0 for none")
    threads: int = Field(
        1, ge=1, le=256, description="searches side by side, added up; each has its share of the iterations"
    )
    nodes: int = Field(1_000_000, ge=2, description="most nodes of a tree; when they are used up it grows no more")

    @field_validator("playout")
    @classmethod
    def _names(cls, value: str) -> str:
        if not all(value.split("+")):
            raise ValueError("give the name of an agent, or one a side as in heuristic+random")
        return value


@dataclass
class _Lane:
    """One tree with its own streams; lanes are searched side by side."""

    pool: Pool
    scratch: Scratch
    spare: Pool | None = None


class Mcts(Agent):
    name = "mcts"
    about = "grows a tree of the moves that look best in random playouts, in worlds guessed anew"
    options_model = MctsOptions

    def prepare(self) -> None:
        self.how = self._options()
        self.playout, self.playout_params, self._random_share = self._playouts()
        self._lanes: list[_Lane] = []
        self._root: tuple[int, tuple[Seen, ...]] | None = None  # the seat and history the trees were made for

    def _options(self) -> MctsOptions:
        assert isinstance(self.options, MctsOptions)
        return self.options

    # What a game may do in its own way.

    def pieces(self) -> Pieces:
        rules = self.game.rules
        return tree.plain_pieces(rules.imagine, rules.legal, rules.score)

    def extra(self, view: View) -> NamedTuple:
        """What the pieces need to know about the position that is thought about."""
        return NoExtra(0)

    def belief(self, view: View) -> Mapping[str, float]:
        """Probability of each hidden thing."""
        return {}

    def playout_policy(self, name: str) -> tuple[Kernel, NamedTuple]:
        """The compiled policy of a playout."""
        found = registry.agent(name, self.game)
        if not isinstance(found, PolicyAgent):
            raise BadOption(f"“playout={name}” cannot be: {name} is not a compiled policy; random and heuristic are.")
        return found.policy, found.policy_params

    def playouts_see_all(self) -> bool:
        """Whether the playouts' policy may see what the imagined world hides from its seat."""
        return False

    # Thinking.

    def decide(self, view: View) -> Decision:
        legal = self.game.legal(view.state)
        if len(legal) == 1:
            return Decision(legal[0], belief=self.belief(view))
        lanes = self._lanes_for(view)
        self._think(view, lanes)
        self._root = (view.seat, view.history)
        children = [_children(lane.pool, view.seat, set(legal)) for lane in lanes]
        visits, values = _added_up(children)
        if self.how.worlds == "many":
            action = _voted(children, visits)
            values = {code: _average(children, code) for code in visits}
        else:
            action = max(visits, key=lambda code: self._merit(visits[code], values[code]))
        line = _line(lanes[0].pool, action)
        return Decision(action, values, visits, self.belief(view), line)

    def _merit(self, visits: int, value: float) -> tuple[float, float]:
        return (visits, value) if self.how.choice == "visits" else (value, visits)

    def _think(self, view: View, lanes: list[_Lane]) -> None:
        how, game = self.how, self.game
        extra = self.extra(view)
        rng = tree.random_rngs(self.rng, len(lanes))
        imagination = tree.random_rngs(self.imagination, len(lanes) + 1)
        search = tree.searcher(game.rules, self.pieces(), self.playout)
        plan = self.plan(view.seat)
        roots = [self._root_state(view, extra, imagination[i if how.worlds == "many" else -1]) for i in range(len(lanes))]

        extras = [extra if i == 0 else separate(extra) for i in range(len(lanes))]
        params = [self.playout_params if i == 0 else separate(self.playout_params) for i in range(len(lanes))]

        def think(i: int) -> None:
            args = (game.table, extras[i], params[i], lanes[i].pool, lanes[i].scratch, plan, roots[i])
            for portion in self.portions(i, len(lanes)):
                search(*args, portion, rng[i], imagination[i])

        if len(lanes) == 1 or how.threads == 1:
            for i in range(len(lanes)):
                think(i)
            return
        with ThreadPoolExecutor(how.threads) as threads:
            list(threads.map(think, range(len(lanes))))

    def portions(self, lane: int, lanes: int) -> Iterable[int]:
        """Iterations of a lane: its share of the budget, in pieces if the clock has to be read."""
        if self.how.seconds is None:
            whole = self.how.iterations or DEFAULT_ITERATIONS
            yield max(1, whole // lanes + (lane < whole % lanes))
            return
        one_after_another = lanes if self.how.threads == 1 else -(-lanes // self.how.threads)
        end = perf_counter() + self.how.seconds / one_after_another
        portion = 8
        began = perf_counter()
        while True:
            yield portion
            now = perf_counter()
            if now >= end:
                return
            portion = max(1, min(portion * 4, int(portion * min(PORTION_SECONDS, end - now) / max(1e-7, now - began))))
            began = now

    def _root_state(self, view: View, extra: NamedTuple, imagination: Rng) -> NDArray[Any]:
        root = np.zeros(1, self.game.rules.state)
        root[0] = view.state
        if self.how.worlds in ("one", "many"):
            stream = imagination.copy()
            _imagine_once(self.pieces().imagine)(self.game.table, extra, root, view.seat, stream)
        return root

    def plan(self, seat: int) -> Plan:
        how, game = self.how, self.game
        side_of = np.array(game.side_of, np.int64)
        observer = np.array([game.side_of.index(side) for side in range(game.sides)], np.int64)
        observer[side_of[seat]] = seat
        return Plan(
            seat=seat,
            trees=game.sides if how.worlds == "observers" else 1,
            fresh=int(how.worlds in ("infoset", "observers")),
            doubt=how.doubt,
            c=how.c,
            choose_by_availability=int(how.worlds in ("infoset", "observers")),
            depth=how.depth,
            history=how.history,
            random_share=self._random_share,
            open_eyes=int(self.playouts_see_all()),
            side_of=side_of,
            observer=observer,
        )

    def _playouts(self) -> tuple[Kernel | None, NamedTuple, NDArray[np.float64]]:
        """The policy of the playouts, and for each seat how often it plays at random instead."""
        names = self.how.playout.split("+")
        if len(names) not in (1, self.game.sides):
            raise BadOption(
                f"“playout={self.how.playout}” names {len(names)} sides; {self.game.spec} has {self.game.sides}."
            )
        by_side = names * self.game.sides if len(names) == 1 else names
        others = sorted(set(by_side) - {"random"})
        if len(others) > 1:
            raise BadOption(
                f"“playout={self.how.playout}” cannot be: besides random, one policy plays all sides that have one."
            )
        share = np.array([1.0 if by_side[side] == "random" else self.how.epsilon for side in self.game.side_of])
        if not others:
            return None, NoParams(0), share
        return *self.playout_policy(others[0]), share

    # Trees from move to move.

    def _lanes_for(self, view: View) -> list[_Lane]:
        """The trees to think in: those of the move before, as far as they fit, or empty ones."""
        if not self._lanes:
            count = self.how.guesses if self.how.worlds == "many" else self.how.threads
            self._lanes = [_Lane(self.pool(count), tree.make_scratch(self.game)) for _ in range(count)]
            return self._lanes
        path = self._path_to(view)
        for lane in self._lanes:
            self._replant(lane, path)
        return self._lanes

    def pool(self, lanes: int) -> Pool:
        if self.how.seconds is not None:
            return tree.make_pool(self.how.nodes, self.game.seats)
        share = (self.how.iterations or DEFAULT_ITERATIONS) // lanes + 1
        trees = 2 * self.game.sides if self.how.worlds == "observers" else 1
        kept = 2 if self.how.reuse else 1
        return tree.make_pool(max(2, min(self.how.nodes, share * trees * kept + 64)), self.game.seats)

    def _path_to(self, view: View) -> Sequence[int] | None:
        """What this side has seen since the trees were made; None if they cannot be kept."""
        if not self.how.reuse or self._root is None or self.how.worlds not in ("infoset", "observers"):
            return None
        _, before = self._root
        if len(view.history) <= len(before) or view.history[: len(before)] != before:
            return None
        return [seen.code for seen in view.history[len(before) :]]

    def _replant(self, lane: _Lane, path: Sequence[int] | None) -> None:
        lane.scratch.history_sum[:] = 0.0
        lane.scratch.history_count[:] = 0.0
        node = ROOT if path is not None else NOWHERE
        for code in path or ():
            node = int(tree.child_of(lane.pool, node, code))
            if node < 0:
                break
        if node < 0:
            tree.clear(lane.pool)
            return
        spare = lane.spare or self.pool(len(self._lanes))
        tree.keep_below(lane.pool, node, spare)
        lane.pool, lane.spare = spare, lane.pool


@cache
def _imagine_once(imagine: Kernel) -> Kernel:
    @outlined
    def imagine_once(table, extra, root, seat, rng):
        imagine(table, extra, root[0], seat, rng)

    return imagine_once


def _children(pool: Pool, seat: int, legal: Set[int]) -> dict[int, tuple[int, float]]:
    """Visits and sum of results of the moves that were tried at the root.

    A tree that was kept may know others too, from when chance had fallen differently.
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
    """A move's value with every guessed world counting the same."""
    figures = [each[code] for each in children if code in each]
    return sum(total / visits for visits, total in figures) / len(figures)


def _voted(children: Sequence[dict[int, tuple[int, float]]], visits: Mapping[int, int]) -> int:
    """The move that most trees visited most; then the one visited most in all."""
    votes = dict.fromkeys(visits, 0)
    for each in children:
        if each:
            votes[max(each, key=lambda code: each[code])] += 1
    return max(visits, key=lambda code: (votes[code], visits[code]))


def _line(pool: Pool, first: int) -> tuple[int, ...]:
    """The moves that are visited most, one after another, as this side sees them."""
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
