"""Exact play of any small game, through the contract alone: its whole tree, CFR+ on it, and best responses.

A node is a position with a decision, or an end; a move leads to a node for each outcome of its draws. Information
sets remember everything (perfect recall). All nodes after the same number of moves are a level: a best response is
found level by level, from the last one back.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fogbound.core import chance as chances
from fogbound.core import registry
from fogbound.core.agent import Agent, AgentLike, MixedAgent
from fogbound.core.compiled import program
from fogbound.core.contract import Game, State
from fogbound.core.errors import BadOption, FogboundError
from fogbound.core.recall import remember
from fogbound.core.rng import stream
from fogbound.core.view import Seen, View
from fogbound.solve.solver import Progress, TooLarge, quiet

MOST_NODES = 3_000_000
NOBODY = -1  # to move at the root, where chance sets the game up, and at an end
CHUNK = 20  # iterations between two looks at the bounds
SAME = 6  # answers that have to agree before an agent counts as one that always plays the same

Strategy = Mapping[bytes, Mapping[int, float]]
"""The probability of each move in each information set."""


class Flat(NamedTuple):
    """A tree as arrays for the compiled loops."""

    player: NDArray[np.int64]  # [node]: the side to move, or NOBODY
    first: NDArray[np.int64]  # [node]: its children are first to first + children - 1
    children: NDArray[np.int64]  # [node]: how many
    info: NDArray[np.int64]  # [node]: its information set
    slot: NDArray[np.int64]  # [node]: the place of the move that led here among those of the parent
    chance: NDArray[np.float64]  # [node]: the probability of the draws that led here
    payoff: NDArray[np.float64]  # [node, side]: the scores of an end
    level: NDArray[np.int64]  # nodes after k moves: level[k] to level[k + 1]
    offset: NDArray[np.int64]  # [information set]: its moves are offset[i] to offset[i + 1] of all moves


@dataclass(frozen=True)
class InformationSet:
    """What a side knows when it is to move, and what it can do."""

    side: int
    key: bytes
    view: View
    moves: tuple[int, ...]


@dataclass
class Tree:
    """The whole tree of a small game."""

    game: Game
    sets: list[InformationSet]
    flat: Flat

    @property
    def nodes(self) -> int:
        return len(self.flat.player)

    def array(self, *strategies: Strategy) -> NDArray[np.float64]:
        """Strategies as one number a move; where none says anything, all moves are alike."""
        told = np.zeros(self.flat.offset[-1])
        for i, known in enumerate(self.sets):
            given = next((s[known.key] for s in strategies if known.key in s), None)
            chances_of = [1.0 if given is None else given.get(code, 0.0) for code in known.moves]
            told[self.flat.offset[i] : self.flat.offset[i + 1]] = np.array(chances_of) / max(sum(chances_of), 1e-300)
        return told

    def strategy(self, told: NDArray[np.float64], side: int | None = None) -> dict[bytes, dict[int, float]]:
        """One number a move as a strategy, of one side or of all."""
        parts = np.split(told, self.flat.offset[1:-1])
        return {
            known.key: dict(zip(known.moves, part.tolist(), strict=True))
            for known, part in zip(self.sets, parts, strict=True)
            if side is None or known.side == side
        }

    def values(self, told: NDArray[np.float64]) -> NDArray[np.float64]:
        """The expected score of each side when all play by these strategies."""
        found = np.zeros((self.nodes, self.game.sides))
        _evaluate(self.flat, told, found)
        return np.array(found[0])

    def best_response(self, told: NDArray[np.float64], side: int) -> tuple[float, NDArray[np.float64]]:
        """The score of a side that answers the strategies of the others perfectly, and how it does so."""
        answer = told.copy()
        reach, value = np.zeros(self.nodes), np.zeros(self.nodes)
        return float(_respond(self.flat, answer, side, reach, value, np.zeros(len(told)))), answer


def grow(game: Game | str, most: int = MOST_NODES, progress: Progress = quiet) -> Tree:
    """The whole tree of a game; refused if it has too many nodes."""
    return _Grower(registry.game(game), most, progress).grow()


@dataclass
class _Node:
    state: State
    start: State
    memory: tuple[bytes, ...]  # the key of each side
    history: tuple[tuple[int, tuple[int, ...]], ...]  # the seat that moved, and what each seat saw of it


@dataclass
class _Grower:
    """Goes through a game level by level."""

    game: Game
    most: int
    progress: Progress
    index: dict[tuple[int, bytes], int] = field(default_factory=dict)
    sets: list[InformationSet] = field(default_factory=list)

    def grow(self) -> Tree:
        self.tape = chances.taped(stream(0, "a tree"))
        columns: dict[str, list[Any]] = {name: [] for name in ("player", "first", "children", "info", "payoff")}
        nodes: list[_Node | None] = [None]
        columns["slot"], columns["chance"], levels, place = [0], [1.0], [0], 0
        while place < len(nodes):
            levels.append(len(nodes))
            for node in nodes[place : levels[-1]]:
                columns["first"].append(len(nodes))
                for slot, chance, child in self._describe(node, columns):
                    nodes.append(child)
                    columns["slot"].append(slot)
                    columns["chance"].append(chance)
                columns["children"].append(len(nodes) - columns["first"][-1])
                if len(nodes) > self.most:
                    raise TooLarge(f"{self.game.spec} has more than {self.most:,} positions in its tree: too many.")
            nodes[place : levels[-1]] = [None] * (levels[-1] - place)  # they are not needed any more
            place = levels[-1]
            self.progress("moves gone through", len(levels) - 1, len(levels))
        offset = np.cumsum([0, *(len(known.moves) for known in self.sets)])
        whole = {name: np.array(values) for name, values in columns.items()}
        whole["payoff"] = whole["payoff"].reshape(-1, self.game.sides)
        return Tree(self.game, self.sets, Flat(**whole, level=np.array(levels), offset=offset))

    def _describe(self, node: _Node | None, columns: dict[str, list[Any]]) -> Iterator[tuple[int, float, _Node]]:
        """Write down a node; its children, each with the move and the probability of the draws that lead there."""
        game = self.game
        seat = -1 if node is None else int(game.rules.to_move(node.state))
        side = game.side_of[seat] if seat >= 0 else NOBODY
        over = node is not None and seat < 0
        columns["player"].append(side)
        columns["payoff"].append(game.scores(node.state) if over and node is not None else (0.0,) * game.sides)
        columns["info"].append(self._set_of(node, seat, side) if side != NOBODY and node is not None else -1)
        if node is None:
            for chance, state in self._outcomes(game.blank(), None):
                yield 0, chance, self._begun(state)
        elif not over:
            for slot, code in enumerate(self.sets[columns["info"][-1]].moves):
                seen = tuple(int(game.rules.observe(game.table, node.state, code, s)) for s in range(game.seats))
                for chance, state in self._outcomes(node.state, code):
                    yield slot, chance, self._after(node, seat, seen, state)

    def _outcomes(self, before: State, code: int | None) -> Iterator[tuple[float, State]]:
        """The states after a move, or after the set-up, with their probabilities."""
        given: list[int] = []
        while True:
            state = before.copy()
            chances.rewind(self.tape, given)
            if code is None:
                self.game.rules.reset(self.game.table, state, self.tape)
            else:
                self.game.rules.apply(self.game.table, state, code, self.tape)
            length = int(self.tape.cursor[0])
            sizes = self.tape.sizes[:length]
            if sizes.size and int(sizes.max()) > self.most:
                raise TooLarge(f"Chance has too many outcomes in {self.game.spec} to go through them all.")
            if length > len(given):  # what came after was made up: count it from zero
                given += [0] * (length - len(given))
                continue
            given = given[:length]
            yield float(1 / np.prod(sizes, dtype=np.float64)), state
            while given and given[-1] + 1 == sizes[len(given) - 1]:
                given.pop()
            if not given:
                return
            given[-1] += 1

    def _begun(self, state: State) -> _Node:
        return _Node(state, state, tuple(remember(b"", NOBODY, 0, self._seen_by(side, state)) for side in self._sides), ())

    def _after(self, node: _Node, seat: int, seen: tuple[int, ...], state: State) -> _Node:
        memory = tuple(
            remember(node.memory[side], seat, seen[self._seats[side]], self._seen_by(side, state)) for side in self._sides
        )
        return _Node(state, node.start, memory, (*node.history, (seat, seen)))

    @cached_property
    def _sides(self) -> range:
        return range(self.game.sides)

    @cached_property
    def _seats(self) -> list[int]:
        """The first seat of each side: it knows what all of them know."""
        return [self.game.side_of.index(side) for side in self._sides]

    def _seen_by(self, side: int, state: State) -> State:
        return self.game.concealed(state, self._seats[side])

    def _set_of(self, node: _Node, seat: int, side: int) -> int:
        key = node.memory[side]
        if (side, key) not in self.index:
            history = tuple(Seen(moved, seen[seat]) for moved, seen in node.history)
            state, start = (self.game.concealed(each, seat) for each in (node.state, node.start))
            self.index[side, key] = len(self.sets)
            view = View(self.game, seat, state, history, start)
            self.sets.append(InformationSet(side, key, view, tuple(self.game.legal(state))))
        return self.index[side, key]


# The compiled loops.


@program
def _evaluate(flat, told, value):
    """The expected scores at every node."""
    for node in range(flat.player.size - 1, -1, -1):
        if flat.children[node] == 0:
            value[node] = flat.payoff[node]
            continue
        base = flat.offset[flat.info[node]] if flat.info[node] >= 0 else -1
        for child in range(flat.first[node], flat.first[node] + flat.children[node]):
            share = flat.chance[child] * (told[base + flat.slot[child]] if base >= 0 else 1.0)
            for side in range(value.shape[1]):
                value[node, side] += share * value[child, side]


@program
def _respond(flat, answer, side, reach, value, gain):
    """The best score of a side against the others; its best moves into `answer`."""
    reach[0] = 1.0
    for node in range(flat.player.size):
        base = flat.offset[flat.info[node]] if flat.info[node] >= 0 else -1
        for child in range(flat.first[node], flat.first[node] + flat.children[node]):
            free = base < 0 or flat.player[node] == side
            reach[child] = reach[node] * flat.chance[child] * (1.0 if free else answer[base + flat.slot[child]])
    for level in range(flat.level.size - 2, -1, -1):
        for node in range(flat.level[level], flat.level[level + 1]):
            if flat.player[node] == side:
                base = flat.offset[flat.info[node]]
                for child in range(flat.first[node], flat.first[node] + flat.children[node]):
                    gain[base + flat.slot[child]] += reach[node] * flat.chance[child] * value[child]
        for node in range(flat.level[level], flat.level[level + 1]):
            value[node] = flat.payoff[node, side] if flat.children[node] == 0 else 0.0
            base = flat.offset[flat.info[node]] if flat.info[node] >= 0 else -1
            if flat.player[node] == side:
                end = flat.offset[flat.info[node] + 1]
                best = base + np.argmax(gain[base:end])
                answer[base:end] = 0.0
                answer[best] = 1.0
            for child in range(flat.first[node], flat.first[node] + flat.children[node]):
                share = 1.0 if base < 0 else answer[base + flat.slot[child]]
                value[node] += share * flat.chance[child] * value[child]
    return value[0]


@program
def _iterate(flat, regrets, sums, told, first, count):
    """Iterations of CFR+: the sides are updated in turn, later strategies weigh more."""
    nodes = flat.player.size
    own, others, value = np.empty(nodes), np.empty(nodes), np.empty(nodes)
    for iteration in range(first, first + count):
        for side in range(2):
            _match(flat, regrets, told)
            own[0] = others[0] = 1.0
            for node in range(nodes):
                base = flat.offset[flat.info[node]] if flat.info[node] >= 0 else -1
                for child in range(flat.first[node], flat.first[node] + flat.children[node]):
                    share = 1.0 if base < 0 else told[base + flat.slot[child]]
                    mine = flat.player[node] == side
                    own[child] = own[node] * (share if mine else 1.0)
                    others[child] = others[node] * flat.chance[child] * (1.0 if mine else share)
            for node in range(nodes - 1, -1, -1):
                value[node] = flat.payoff[node, side] if flat.children[node] == 0 else 0.0
                base = flat.offset[flat.info[node]] if flat.info[node] >= 0 else -1
                for child in range(flat.first[node], flat.first[node] + flat.children[node]):
                    share = 1.0 if base < 0 else told[base + flat.slot[child]]
                    value[node] += share * flat.chance[child] * value[child]
            for node in range(nodes):
                if flat.player[node] == side:
                    base = flat.offset[flat.info[node]]
                    for slot in range(base, flat.offset[flat.info[node] + 1]):
                        regrets[slot] -= others[node] * value[node]
                        sums[slot] += (iteration + 1) * own[node] * told[slot]
                    for child in range(flat.first[node], flat.first[node] + flat.children[node]):
                        regrets[base + flat.slot[child]] += others[node] * flat.chance[child] * value[child]
            for slot in range(regrets.size):
                regrets[slot] = max(regrets[slot], 0.0)


@program
def _match(flat, regrets, told):
    """Regret matching: moves in proportion to their regrets, all alike where there are none."""
    for info in range(flat.offset.size - 1):
        first, end = flat.offset[info], flat.offset[info + 1]
        total = regrets[first:end].sum()
        for slot in range(first, end):
            told[slot] = regrets[slot] / total if total > 0.0 else 1.0 / (end - first)


# The calls.


@dataclass
class Equilibrium:
    """The value of a game of two sides: the score of the first one between perfect players, with proved bounds."""

    game: Game
    lower: float
    upper: float
    tolerance: float
    seconds: float
    iterations: int
    strategy: dict[bytes, dict[int, float]]
    tree: Tree

    @property
    def value(self) -> float:
        """The middle of the bounds."""
        return (self.lower + self.upper) / 2

    @property
    def exploitability(self) -> float:
        """How much the two sides give up together against best responses, halved."""
        return (self.upper - self.lower) / 2

    def __repr__(self) -> str:
        first = self.tree.game.side_names[0]
        return f"<Equilibrium of {self.game.spec}: {first} scores {self.value:.6f}, {self.lower:.6f} to {self.upper:.6f}>"


def cfr(
    game: Game | str | Tree,
    tolerance: float = 1e-3,
    iterations: int = 100_000,
    progress: Progress = quiet,
) -> Equilibrium:
    """Solve a small game of two sides by CFR+ until the bounds of its value are close enough."""
    began = perf_counter()
    tree = game if isinstance(game, Tree) else grow(_two_sided(registry.game(game)), progress=progress)
    _two_sided(tree.game)
    if not 1e-12 <= tolerance <= 1:
        raise BadOption(f"The tolerance must be from 1e-12 to 1, not {tolerance:g}.")
    size = int(tree.flat.offset[-1])
    regrets, sums, told = np.zeros(size), np.zeros(size), np.zeros(size)
    done, lower, upper = 0, 0.0, 1.0
    while upper - lower > tolerance and done < iterations:
        count = min(CHUNK + done // 2, iterations - done)
        _iterate(tree.flat, regrets, sums, told, done, count)
        done += count
        average = tree.array(tree.strategy(sums))
        upper = tree.best_response(average, 0)[0]
        lower = 1 - tree.best_response(average, 1)[0]
        progress("closing the bounds", int(-1000 * np.log10(max(upper - lower, 1e-15))), int(-1000 * np.log10(tolerance)))
    strategy = tree.strategy(tree.array(tree.strategy(sums)))
    return Equilibrium(tree.game, lower, upper, tolerance, perf_counter() - began, done, strategy, tree)


def _two_sided(game: Game) -> Game:
    if game.sides != 2:
        raise FogboundError(f"{game.spec} has {game.sides} sides: a value that both can force exists only between two.")
    return game


@dataclass(frozen=True)
class Response:
    """What a perfect opponent makes of an agent."""

    game: str
    agent: str
    side: str
    value: float
    """The score of the agent's side against its best response."""
    perfect: float
    """The score that this side could force."""
    exact: bool
    """Whether the agent's strategy is known exactly; otherwise it was estimated from its answers."""
    strategy: Strategy
    """The best response, by the keys of its information sets."""

    @property
    def exploitability(self) -> float:
        """How much the agent gives up."""
        return self.perfect - self.value


def best_response(
    game: Game | str | Tree, agent: AgentLike | Strategy, side: int | str, queries: int = 200, tolerance: float = 1e-4
) -> Response:
    """The best response to an agent, or to a strategy, in a small game of two sides."""
    tree = game if isinstance(game, Tree) else grow(_two_sided(registry.game(game)))
    number = tree.game.side(side) if isinstance(side, str) else side
    strategy, exact, name = strategy_of(tree, agent, number, queries)
    score, answer = tree.best_response(tree.array(strategy), 1 - number)
    equilibrium = cfr(tree, tolerance)
    perfect = equilibrium.value if number == 0 else 1 - equilibrium.value
    names = tree.game.side_names
    return Response(tree.game.spec, name, names[number], 1 - score, perfect, exact, tree.strategy(answer, 1 - number))


def strategy_of(tree: Tree, agent: AgentLike | Strategy, side: int, queries: int = 200) -> tuple[Strategy, bool, str]:
    """What an agent does in every information set of a side; whether that is exact; and its name."""
    if isinstance(agent, Mapping):
        return agent, True, "a strategy"
    made = registry.agent(agent, tree.game, side=side)
    exact, strategy = True, {}
    for known in tree.sets:
        if known.side == side:
            if isinstance(made, MixedAgent):
                strategy[known.key] = dict(made.strategy(known.view))
                continue
            answers = _answers(made, known.view, queries)
            strategy[known.key] = answers
            exact &= len(answers) == 1
    return strategy, exact, registry.spec_of(agent)


def _answers(agent: Agent, view: View, queries: int) -> dict[int, float]:
    """How often an agent gives each answer; one that gives the same a few times is taken to give it always."""
    counts: dict[int, float] = {}
    for asked in range(queries):
        if asked == SAME and len(counts) == 1:
            break
        code = agent.choose(view).action
        counts[code] = counts.get(code, 0.0) + 1
    total = sum(counts.values())
    return {code: count / total for code, count in counts.items()}


def exploitability(game: Game | str | Tree, agents: Sequence[AgentLike | Strategy], queries: int = 200) -> float:
    """How much the sides give up together against best responses, divided by their number (NashConv / sides)."""
    tree = game if isinstance(game, Tree) else grow(game)
    if len(agents) not in (1, tree.game.sides):
        raise FogboundError(f"{tree.game.spec} takes {tree.game.sides} agents or one for all, not {len(agents)}.")
    filled = list(agents) * (tree.game.sides if len(agents) == 1 else 1)
    strategies = [strategy_of(tree, agent, side, queries)[0] for side, agent in enumerate(filled)]
    sides = range(tree.game.sides)
    own = [{known.key for known in tree.sets if known.side == side} for side in sides]
    told = tree.array(*({k: v for k, v in s.items() if k in own[side]} for side, s in enumerate(strategies)))
    value = tree.values(told)
    return float(sum(tree.best_response(told, side)[0] - value[side] for side in sides)) / tree.game.sides


__all__ = ["Equilibrium", "Response", "Tree", "best_response", "cfr", "exploitability", "grow", "strategy_of"]
