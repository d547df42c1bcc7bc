"""Values for `resolve`, learned from solved games: a net over public belief states.

    python -m fogbound.train.scotland_yard.resolve_values scotland-yard/grid5:rounds=9 --export grid5.safetensors

The solution of a game is a free teacher: revealed positions have their values in it, and from any hidden public state
with any belief the rest up to the next reveal is solved in milliseconds.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from fogbound.agents import nets
from fogbound.agents.scotland_yard.resolve_leaves import ExactLeaves, possible
from fogbound.agents.scotland_yard.resolve_net import KIND, inputs
from fogbound.games.scotland_yard.game import ScotlandYard
from fogbound.games.scotland_yard.symmetry import symmetries
from fogbound.solve.api import solvable, solve
from fogbound.solve.layer_loops import new_workspace
from fogbound.solve.positions import header, states_of
from fogbound.solve.roots import members
from fogbound.solve.solver import Solution, canonical_form, list_starts
from fogbound.solve.subgame import DETECTIVE_NODE, MR_X_NODE, NO_ROOM, grow

PER_TREE = 4  # hidden public states that are taken from one subgame
KEPT_BACK = 0.05  # the share of the examples that a net is judged by
BATCH, RATE = 512, 1e-3
SPREADS = (0.1, 0.3, 1.0, 3.0)  # how even a belief is: the parameter of its Dirichlet distribution


class Examples(NamedTuple):
    """Public belief states, and what each station of Mr X is worth in them."""

    states: NDArray[Any]
    belief: NDArray[np.float64]  # [example, station]
    values: NDArray[np.float64]  # [example, station]
    counts: NDArray[np.bool_]  # [example, station]: which of the values count


def revealed_examples(solution: Solution) -> Examples:
    """All positions of a solved game in which Mr X is in sight."""
    count, stations = int(solution.positions.size[0]), solution.game.table.stations
    states = states_of(solution.game.table, solution.form, solution.positions.rows[:count])
    belief = np.zeros((count, stations))
    belief[np.arange(count), states["station"][:, 0]] = 1.0
    middle = 0.5 * (solution.positions.lower[:count] + solution.positions.upper[:count])
    return Examples(states, belief, belief * middle[:, None], belief > 0)


def hidden_examples(solution: Solution, count: int, rng: np.random.Generator) -> Examples:
    """Public states from all over the subgames of a solved game, with beliefs of all kinds, solved from there."""
    game, exact = solution.game, ExactLeaves(solution)
    states: list[NDArray[Any]] = []
    beliefs: list[NDArray[np.float64]] = []
    while len(states) < count:
        subgame = _subgame(game, _root(solution, rng))
        kinds = subgame.kind[: subgame.counts[0]]
        inside = np.flatnonzero((kinds == MR_X_NODE) | (kinds == DETECTIVE_NODE))
        inside = inside[subgame.states["shown"][inside] == 0]
        for node in rng.choice(inside, min(PER_TREE, inside.size), replace=False):
            stations = subgame.station[subgame.first[node] : subgame.first[node + 1]]
            belief = np.zeros(game.table.stations)
            belief[stations] = rng.dirichlet(np.full(stations.size, rng.choice(SPREADS)))
            states.append(subgame.states[node : node + 1].copy())
            beliefs.append(belief / belief.sum())
    taken, belief = np.concatenate(states), np.array(beliefs)
    return Examples(taken, belief, exact.hidden_values(taken, belief), possible(taken, game.table.stations))


def _root(solution: Solution, rng: np.random.Generator) -> Any:
    """A position with Mr X to move and in sight, or one time in eight a start at which he is hidden."""
    game, positions = solution.game, solution.positions
    if not game.table.show_start and rng.random() < 0.125:
        starts = list_starts(game, canonical_form(game))
        return starts.states[rng.integers(starts.states.size)]
    to_move = np.flatnonzero(header(positions.rows[: positions.size[0]])[1] == 0)
    return states_of(game.table, solution.form, positions.rows[[rng.choice(to_move)]])[0]


def _subgame(game: ScotlandYard, root: Any) -> Any:
    nodes = 1 << 10
    while True:
        subgame = new_workspace(nodes, game.most_actions, game.table.stations).subgame
        if grow(game.table, subgame, root, False) != NO_ROOM:
            return subgame
        nodes *= 2


def turned(game: ScotlandYard, examples: Examples) -> Examples:
    """The same examples in all symmetries of the board."""
    return joined(*(turned_by(game, examples, each.astype(np.int64)) for each in symmetries(game.table)))


def joined(*parts: Examples) -> Examples:
    return Examples(*(np.concatenate(column) for column in zip(*parts, strict=True)))


def chosen(examples: Examples, which: NDArray[np.bool_] | NDArray[np.int64]) -> Examples:
    return Examples(examples.states[which], examples.belief[which], examples.values[which], examples.counts[which])


def turned_by(game: ScotlandYard, examples: Examples, to: NDArray[np.int64]) -> Examples:
    """The same examples on the board turned by one of its symmetries."""
    states, team = examples.states.copy(), game.table.detectives
    states["station"][:, 1 : team + 1] = to[states["station"][:, 1 : team + 1]]
    back = np.argsort(to)
    where = possible(examples.states, to.size)[:, back]
    states["possible"] = [members(tuple(np.flatnonzero(row).tolist())) for row in where]
    return Examples(states, examples.belief[:, back], examples.values[:, back], examples.counts[:, back])


class Trained(NamedTuple):
    layers: torch.nn.Sequential
    loss: float
    error: float  # the mean error on examples that were kept back, in probability of winning


def tensors(game: ScotlandYard, examples: Examples, device: str) -> list[Tensor]:
    """Inputs, targets, and how much each station counts: alike where Mr X can be, and more where he is likely."""
    share = examples.counts / examples.counts.sum(axis=1, keepdims=True)
    arrays = [inputs(game.table, examples.states, examples.belief), examples.values, 0.5 * share + 0.5 * examples.belief]
    return [torch.from_numpy(array.astype(np.float32)).to(device) for array in arrays]


def learn(
    game: ScotlandYard,
    examples: Examples,
    kept_back: Examples,
    width: int,
    passes: int,
    seed: int,
    device: str = "cpu",
) -> Trained:
    """A dense net, fitted by squared error in so many passes, and judged by examples that were kept back."""
    torch.manual_seed(seed)
    numbers, targets, weights = tensors(game, examples, device)
    layers = dense(numbers.shape[1], width, game.table.stations).to(device)
    optimiser = torch.optim.Adam(layers.parameters(), RATE)
    loss = torch.zeros(())
    for number in range(passes):
        for group in optimiser.param_groups:
            group["lr"] = RATE * (1 - number / passes)
        for batch in torch.randperm(len(numbers), device=device).split(BATCH):
            loss = squared_error(layers, numbers[batch], targets[batch], weights[batch])
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
    numbers, targets, weights = tensors(game, kept_back, device)
    error = mean_error(layers, numbers, targets, weights)
    return Trained(layers.cpu(), float(loss.detach()), error)


def dense(inputs: int, width: int, outputs: int) -> torch.nn.Sequential:
    """Three hidden layers."""
    sizes = [inputs, width, width, width, outputs]
    layers = [part for a, b in pairwise(sizes) for part in (torch.nn.Linear(a, b), torch.nn.ReLU())]
    return torch.nn.Sequential(*layers[:-1])


def squared_error(layers: torch.nn.Sequential, numbers: Tensor, targets: Tensor, weights: Tensor) -> Tensor:
    return (weights * (torch.sigmoid(layers(numbers)) - targets) ** 2).sum(dim=1).mean()


def mean_error(layers: torch.nn.Sequential, numbers: Tensor, targets: Tensor, weights: Tensor) -> float:
    with torch.no_grad():
        return float((weights * (torch.sigmoid(layers(numbers)) - targets).abs()).sum(dim=1).mean())


def packed(game: ScotlandYard, layers: torch.nn.Sequential) -> tuple[dict[str, NDArray[Any]], dict[str, str]]:
    """The net as `resolve:values=FILE` reads it: its tensors, in half precision, and what they are."""
    arrays: dict[str, NDArray[Any]] = {}
    for number, layer in enumerate(each for each in layers if isinstance(each, torch.nn.Linear)):
        arrays[f"{number}.weight"] = layer.weight.detach().cpu().numpy().astype(np.float16)
        arrays[f"{number}.bias"] = layer.bias.detach().cpu().numpy().astype(np.float16)
    return arrays, {
        "kind": KIND,
        "family": game.family,
        "board": game.board.name,
        "detectives": str(game.table.detectives),
    }


def export(game: ScotlandYard, layers: torch.nn.Sequential, path: Path) -> None:
    nets.save(path, *packed(game, layers))


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description="Learn the values of public belief states from a solved game.")
    parser.add_argument("game", nargs="?", default="scotland-yard/grid5:rounds=9")
    parser.add_argument("--examples", type=int, default=5000, help="hidden public belief states to solve")
    parser.add_argument("--width", type=int, default=256)
    parser.add_argument("--passes", type=int, default=60, help="through all examples")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--device", default="cpu", help="where the net is fitted: cpu or cuda")
    parser.add_argument("--export", type=Path, required=True, help="the file to write")
    given = parser.parse_args(arguments)
    game = solvable(given.game)
    solution = solve(game)
    began = perf_counter()
    hidden = hidden_examples(solution, given.examples, np.random.default_rng(given.seed))
    print(f"{given.examples} hidden examples in {perf_counter() - began:.0f} s", flush=True)
    together = joined(revealed_examples(solution), hidden)
    kept = np.random.default_rng(given.seed).random(together.states.size) < KEPT_BACK
    examples = turned(game, chosen(together, ~kept))  # what is kept back is kept back in all symmetries
    trained = learn(game, examples, chosen(together, kept), given.width, given.passes, given.seed, given.device)
    print(f"{len(examples.states)} examples: loss {trained.loss:.6f}, off by {trained.error:.4f} on {kept.sum()} kept back")
    export(game, trained.layers, given.export)


if __name__ == "__main__":
    main()
