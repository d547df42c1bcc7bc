"""Learning the values of public belief states for `resolve`, with checkpoints, curves and exploitability on the way.

Two teachers: the exact solution of the game, which values any public belief state in milliseconds; or `resolve` itself,
which plays against itself with the net as it is, and learns from the values that its lookaheads find at their roots.
"""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Literal

import numpy as np
import torch
from pydantic import Field

from fogbound.agents import nets
from fogbound.agents.scotland_yard.resolve_leaves import Leaves, possible
from fogbound.agents.scotland_yard.resolve_net import NetLeaves, inputs
from fogbound.agents.scotland_yard.resolve_search import DETECTIVES, OUTSIDE, Lookahead, PublicBelief, Search, list_next
from fogbound.games.scotland_yard.game import ScotlandYard
from fogbound.games.scotland_yard.rules import HIDDEN, PASS, State
from fogbound.games.scotland_yard.symmetry import symmetries
from fogbound.solve.api import exploit, solve
from fogbound.solve.roots import public_root
from fogbound.solve.subgame import DETECTIVE_NODE, REVEAL_NODE
from fogbound.train import torch_state
from fogbound.train.method import Arrays, Learner, Options, rng_state, set_rng_state
from fogbound.train.scotland_yard.resolve_values import (
    Examples,
    chosen,
    dense,
    hidden_examples,
    joined,
    mean_error,
    packed,
    revealed_examples,
    squared_error,
    tensors,
    turned_by,
)

CHUNK = 64  # examples in one call of `advance`, at least
STEPS, BATCH = 24, 256  # of learning after each chunk
HOLDOUT = 200  # examples of the exact solution that the net is judged by
WHOLE = 1 << 30
SPECS = "resolve:iterations={iterations},depth={depth},size=1000000,values={file}"


class ResolveOptions(Options):
    teacher: Literal["exact", "self"] = Field(
        "exact", description="whom the net learns from: the exact solution, or its own lookaheads in self-play"
    )
    examples: int = Field(20_000, ge=1, description="public belief states to learn from")
    width: int = Field(256, ge=1, le=4096, description="width of the three hidden layers")
    learning_rate: float = Field(0.001, gt=0, description="learning rate of Adam at the start; it falls linearly to zero")
    depth: int = Field(2, ge=1, description="how many moves deep the lookaheads of self-play and of trials go")
    iterations: int = Field(20, ge=1, description="iterations of those lookaheads")
    stray: float = Field(0.2, ge=0, le=1, description="share of the moves of self-play that are drawn at random")
    exploited: int = Field(4, ge=0, description="how often exploitability is measured on the way, evenly spread; 0: never")
    tried: Literal["mr_x", "detectives"] = Field("detectives", description="the side that plays in trials")
    device: Literal["auto", "cpu", "cuda"] = Field(
        "auto", description="where the net learns; auto: on a GPU if there is one"
    )


class ResolveLearner(Learner):
    name = "resolve"
    about = "values of public belief states for resolve, from exact solutions or from its own lookaheads"
    unit = "examples"
    families = ("scotland-yard",)
    options_model = ResolveOptions

    game: ScotlandYard
    options: ResolveOptions

    def prepare(self) -> None:
        self.solution = solve(self.game)
        self.device = torch_state.device(self.options.device)
        self.rng = np.random.default_rng(self.options.seed)
        self.holdout = hidden_examples(self.solution, HOLDOUT, np.random.default_rng(self.options.seed + 1))
        self.maps = [each.astype(np.int64) for each in symmetries(self.game.table)]
        self.examples = chosen(self.holdout, np.zeros(HOLDOUT, np.bool_))
        if self.options.teacher == "exact":
            self.examples = revealed_examples(self.solution)
        torch.manual_seed(self.options.seed)
        size = inputs(self.game.table, self.holdout.states[:1], self.holdout.belief[:1]).shape[1]
        self.layers = dense(size, self.options.width, self.game.table.stations).to(self.device)
        self.optimizer = torch.optim.Adam(self.layers.parameters(), self.options.learning_rate)
        self.measured = 0  # how often exploitability has been

    @property
    def total(self) -> int:
        return self.options.examples

    def advance(self) -> Mapping[str, float]:
        new = self._taught()
        self.done = min(self.total, self.done + new.states.size)
        self.examples = joined(self.examples, new)
        for group in self.optimizer.param_groups:
            group["lr"] = self.options.learning_rate * max(0.02, 1 - self.done / self.total)
        losses = [self._step() for _ in range(STEPS)]
        error = mean_error(self.layers, *tensors(self.game, self.holdout, str(self.device)))
        return {"loss": float(np.mean(losses)), "off": error, **self._exploitability()}

    def _taught(self) -> Examples:
        if self.options.teacher == "exact":
            return hidden_examples(self.solution, CHUNK, self.rng)
        leaves, found = NetLeaves(self.game, self._weights()), list[Examples]()
        while len(found) < CHUNK:
            found += self_play(self.game, leaves, self.options, self.rng)
        return joined(*found)

    def _step(self) -> float:
        """A batch of examples, on the board turned at random; half of it are the latest examples."""
        count = self.examples.states.size
        fresh = self.rng.integers(max(0, count - 64 * CHUNK), count, BATCH // 2)
        picked = np.concatenate([fresh, self.rng.integers(0, count, BATCH - fresh.size)])
        part = chosen(self.examples, picked)
        turned = turned_by(self.game, part, self.maps[self.rng.integers(len(self.maps))])
        loss = squared_error(self.layers, *tensors(self.game, turned, str(self.device)))
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()
        return float(loss.detach())

    def _exploitability(self) -> dict[str, float]:
        """What `resolve` gives up with the net as it is, to a best response that knows it exactly; now and then."""
        due = self.options.exploited and self.done >= (self.measured + 1) * self.total / self.options.exploited
        if not due:
            return {}
        self.measured += 1
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / f"values-{self.done}{nets.SUFFIX}"
            nets.save(file, *self.weights())
            spec = self._agent(str(file))
            found = [exploit(self.game, spec, side, mirror=True, workers=1).value for side in (0, 1)]
        return {
            "Mr X gives up": max(0.0, found[0] - self.solution.value),
            "detectives give up": max(0.0, self.solution.value - found[1]),
        }

    def _weights(self) -> nets.Weights:
        arrays, about = self.weights()
        return nets.Weights("learner", arrays, about)

    def _agent(self, file: str) -> str:
        return SPECS.format(iterations=self.options.iterations, depth=self.options.depth, file=file)

    def snapshot(self) -> Arrays:
        examples = self.examples
        return {
            **torch_state.net_arrays("net.", self.layers),
            **torch_state.adam_arrays(self.optimizer),
            "rng": rng_state(self.rng),
            "measured": np.array([self.measured]),
            "states": np.frombuffer(examples.states.tobytes(), np.uint8),
            "belief": examples.belief,
            "values": examples.values,
            "counts": examples.counts,
        }

    def restore(self, arrays: Arrays) -> None:
        torch_state.restore_net(self.layers, "net.", arrays)
        torch_state.restore_adam(self.optimizer, arrays)
        set_rng_state(self.rng, arrays["rng"])
        self.measured = int(arrays["measured"][0])
        states = np.frombuffer(arrays["states"].tobytes(), State).copy()
        self.examples = Examples(states, arrays["belief"], arrays["values"], arrays["counts"])

    def weights(self) -> tuple[Arrays, dict[str, str]]:
        return packed(self.game, self.layers)

    def seats(self, learned: str, opponent: str) -> list[str]:
        own = self._agent(learned)
        return [own, opponent] if self.options.tried == "mr_x" else [opponent, own]

    def side(self) -> int:
        return 0 if self.options.tried == "mr_x" else 1

    @property
    def agent(self) -> str:
        return "resolve"


def self_play(game: ScotlandYard, leaves: Leaves, options: ResolveOptions, rng: np.random.Generator) -> list[Examples]:
    """One game between lookaheads: every public belief state on the way, and what each station was worth at its root."""
    search = Search(game, leaves, WHOLE, options.depth, 0.0)
    root, found = public_root(game.new(seed=int(rng.integers(1 << 62))).view(1)), list[Examples]()
    stations = np.flatnonzero(root.weights > 0).astype(np.int16)
    at: PublicBelief | None = PublicBelief(root.state, stations, root.weights[stations] / root.weights.sum(), None)
    while at is not None:
        solved = search.solve(at, DETECTIVES, [options.iterations])
        found.append(_example(game, at, solved))
        at = _next(game, leaves, at, solved, options.stray, rng)
    return found


def _example(game: ScotlandYard, at: PublicBelief, solved: Lookahead) -> Examples:
    belief, values = np.zeros((1, game.table.stations)), np.zeros((1, game.table.stations))
    belief[0, at.stations], values[0, at.stations] = at.belief, solved.guaranteed[: at.stations.size]
    states = np.array([at.state], State)
    return Examples(states, belief, values, possible(states, game.table.stations))


def _next(
    game: ScotlandYard, leaves: Leaves, at: PublicBelief, solved: Lookahead, stray: float, rng: np.random.Generator
) -> PublicBelief | None:
    """The public belief state after a move drawn from the strategies, or at random; None when the game is over."""
    row = 0 if solved.kind[0] == DETECTIVE_NODE else int(rng.choice(at.belief.size, p=at.belief))
    if solved.kind[0] == REVEAL_NODE:
        return _revealed(game, leaves, at, row)
    codes, chances = solved.codes[row], solved.chances[row]
    code = int(rng.choice(codes) if rng.random() < stray else rng.choice(codes, p=chances))
    seen = code if solved.kind[0] == DETECTIVE_NODE or code == PASS else code | HIDDEN
    node = solved.child(0, seen)
    return None if node == OUTSIDE else solved.belief_at(node)._replace(values=None)


def _revealed(game: ScotlandYard, leaves: Leaves, at: PublicBelief, row: int) -> PublicBelief | None:
    """Mr X's next move shows him: he takes the one that leaves the detectives least."""
    states = np.array([at.state], State)
    states["station"][0, 0] = at.stations[row]
    after, most = np.zeros((1, game.most_actions), State), game.most_actions
    codes, counts = np.zeros((1, most), np.int64), np.zeros(1, np.int64)
    list_next(game.table, states, after, codes, counts)
    going = after[0, : counts[0]]
    going = going[going["turn"] >= 0]
    if going.size == 0:
        return None
    best = going[int(leaves.values(going).argmin())]
    return PublicBelief(best, np.array([best["station"][0]], np.int16), np.ones(1), None)


__all__ = ["ResolveLearner", "ResolveOptions"]
