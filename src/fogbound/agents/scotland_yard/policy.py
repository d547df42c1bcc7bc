"""The player of Scotland Yard that plays the nets of self-play: one net for Mr X, one for all detectives.

A net has an input layer, residual blocks and three heads: a logit for each move, the chance that Mr X wins,
and (for the detectives) where he is. It is worked out here in compiled code, without a library for learning.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from fogbound.agents import nets
from fogbound.agents.mixture import draw, soften
from fogbound.agents.scotland_yard.categories import possible_stations
from fogbound.agents.scotland_yard.heuristic import ways_out
from fogbound.agents.scotland_yard.policy_features import Layout, layout, write_inputs
from fogbound.core.agent import Decision, Options, PolicyAgent
from fogbound.core.compiled import Kernel, kernel, outlined
from fogbound.core.errors import FogboundError
from fogbound.core.view import View
from fogbound.games.scotland_yard.board import BOARDS, Board
from fogbound.games.scotland_yard.game import ScotlandYard
from fogbound.games.scotland_yard.paths import Paths, nearest_detective
from fogbound.games.scotland_yard.rules import BLACK, DOUBLED, HIDDEN, TICKET_SHIFT, legal

KIND = "policy"
MANY = 4  # ways out of a station; more make it no better
SMALL = 1e-6  # keeps the norm of a zero vector finite


class Care(NamedTuple):
    """What Mr X minds besides what the net says: see the options."""

    caution: float
    beside: float
    room: float


NO_CARE = Care(0.0, 0.0, 0.0)


Caution = Annotated[
    float,
    Field(ge=0, description="how much less Mr X likes a station the likelier it is that aimless detectives step there"),
]
Beside = Annotated[
    float,
    Field(ge=0, description="how much less Mr X likes a station beside a detective; one under a detective twice as much"),
]
Room = Annotated[float, Field(ge=0, description="how much more Mr X likes a station for each way out of it, up to four")]


class PolicyOptions(Options):
    weights: str = Field("policy", description="a shipped net (that of the board comes first) or a .safetensors file")
    temperature: float = Field(1.0, ge=0, description="1 plays the net's own mixture, 0 always its likeliest move")
    floor: float = Field(0.0, ge=0, le=1, description="moves less likely than this share of the likeliest are never played")
    caution: Caution = 0.0
    beside: Beside = 0.0
    room: Room = 0.0


class Net(NamedTuple):
    """One net's weights, and room to work it out."""

    first: NDArray[np.float32]  # [input, width]
    first_bias: NDArray[np.float32]
    scale: NDArray[np.float32]  # [block + 1, width]: of the norms; the last one is before the heads
    into: NDArray[np.float32]  # [block, width, width]
    into_bias: NDArray[np.float32]
    back: NDArray[np.float32]
    back_bias: NDArray[np.float32]
    policy: NDArray[np.float32]  # [answer, width]
    policy_bias: NDArray[np.float32]
    value: NDArray[np.float32]  # [width]
    value_bias: float
    belief: NDArray[np.float32]  # [station, width]; no rows for Mr X
    belief_bias: NDArray[np.float32]
    trunk: NDArray[np.float32]  # [width]: what the blocks make of the inputs
    hidden: NDArray[np.float32]
    normal: NDArray[np.float32]


class Params(NamedTuple):
    layout: Layout
    mr_x: Net
    detectives: Net
    temperature: float
    floor: float
    care: Care
    careful: bool
    paths: Paths
    places: NDArray[np.int32]  # of the inputs that are not zero
    numbers: NDArray[np.float32]
    logits: NDArray[np.float32]  # of the legal moves, in order


class Policy(PolicyAgent[PolicyOptions, ScotlandYard]):
    name = "policy"
    about = "the nets of self-play, one for Mr X and one for the detectives"
    options_model = PolicyOptions
    policy_params: Params

    def compiled(self) -> Kernel:
        return choose

    def mixture(self) -> Kernel:
        return mix

    def params(self) -> Params:
        options = self.options
        weights = nets.load(options.weights, self.game.board.name)
        with nets.understood(weights):
            made = params(self.game, weights, Care(options.caution, options.beside, options.room))
        return made._replace(temperature=options.temperature, floor=options.floor)

    def decide(self, view: View) -> Decision:
        """The move, and what the heads of the net say of the position: they are read where the policy left them."""
        moves = self.game.legal(view.state)
        action = super().decide(view).action
        if len(moves) == 1:
            return Decision(action)
        assert isinstance(self.policy_params, Params)
        net = self.policy_params.mr_x if view.seat == 0 else self.policy_params.detectives
        mr_x_wins = float(value(net))
        return Decision(
            action,
            values={action: mr_x_wins if view.seat == 0 else 1 - mr_x_wins},
            belief=self._belief(net, view) if view.seat > 0 else {},
            chances=self._chances(moves, action),
        )

    def _chances(self, moves: Sequence[int], action: int) -> dict[int, float]:
        if self.options.temperature == 0:
            return {action: 1.0}
        assert isinstance(self.policy_params, Params)
        weights = self.policy_params.logits[: len(moves)].astype(float)
        return {code: float(weight) for code, weight in zip(moves, weights / weights.sum(), strict=True)}

    def _belief(self, net: Net, view: View) -> dict[str, float]:
        """Where a detective's net takes Mr X to be, of the stations where he can be."""
        possible = possible_stations(view.state)
        logits = net.belief[possible] @ net.normal + net.belief_bias[possible]
        weights = np.exp(logits - logits.max())
        shares = weights / weights.sum()
        return {str(self.game.numbers[place]): float(share) for place, share in zip(possible, shares, strict=True)}


def params(game: ScotlandYard, weights: nets.Weights, care: Care = NO_CARE) -> Params:
    about = weights.about
    if about.get("kind") != KIND:
        raise FogboundError(f"The weights “{weights.name}” are not a policy for Scotland Yard.")
    if not same_places(game.board, about["board"]):
        raise FogboundError(f"The weights “{weights.name}” are for the board {about['board']}, not {game.board.name}.")
    if game.table.detectives > int(about["team"]):
        raise FogboundError(f"The weights “{weights.name}” are for up to {about['team']} detectives.")
    form = learned_layout(game, weights)
    both = [read_net(weights.tensors, side) for side in ("x.", "d.")]
    answers = (2 * form.codes.size, form.detective_codes.size)
    if any(net.first.shape[0] != form.inputs or net.policy.shape[0] != n for net, n in zip(both, answers, strict=True)):
        raise FogboundError(f"The weights “{weights.name}” do not fit the rules of {game.spec}.")
    return playing(game, form, both[0], both[1])._replace(care=care, careful=any(care))


def playing(game: ScotlandYard, form: Layout, mr_x: Net, detectives: Net) -> Params:
    """Nets that play their own mixture, and room to work them out."""
    places, numbers = np.zeros(form.inputs, np.int32), np.zeros(form.inputs, np.float32)
    logits = np.zeros(game.most_actions, np.float32)
    return Params(form, mr_x, detectives, 1.0, 0.0, NO_CARE, False, game.paths, places, numbers, logits)


def learned_layout(game: ScotlandYard, weights: nets.Weights) -> Layout:
    """The inputs in a game, each where the net has learned it: a shorter game has fewer slots and rounds to tell apart.

    A file says how many it was made for. Files from before they did so are taken to be made for the game that is played,
    and those found by their name for the rules that come with their board.
    """
    about, form = weights.about, layout(game, int(weights.about["team"]))
    slots, rounds = form.slots, form.rounds
    if nets.find(weights.name) is not None and about["board"] in BOARDS.shipped():
        home = BOARDS.load(about["board"], {})
        slots, rounds = home.slots + 2, home.rules.rounds + 2  # as in `layout`
    return form._replace(slots=int(about.get("slots", slots)), rounds=int(about.get("rounds", rounds)))


def same_places(board: Board, name: str) -> bool:
    """Whether a board has the stations and lines of the one of this name; its rules may be others."""
    return board.name == name or (name in BOARDS.shipped() and BOARDS.load(name, {}).stations == board.stations)


def read_net(tensors: nets.Tensors, prefix: str) -> Net:
    """One of the nets of a file, if its parts fit each other."""
    return _check(_net(tensors, prefix))


def _check(net: Net) -> Net:
    """The same, if its parts fit each other: the kernels look at no bounds."""
    width, blocks, answers, places = net.trunk.size, len(net.into), len(net.policy), len(net.belief)
    shapes = {
        "first": (len(net.first), width), "first_bias": (width,), "scale": (blocks + 1, width),
        "into": (blocks, width, width), "into_bias": (blocks, width), "back": (blocks, width, width),
        "back_bias": (blocks, width), "policy": (answers, width), "policy_bias": (answers,), "value": (width,),
        "belief": (places, width), "belief_bias": (places,),
    }  # fmt: skip
    for name, shape in shapes.items():
        if getattr(net, name).shape != shape or not np.isfinite(getattr(net, name)).all():
            raise ValueError(f"“{name}” has another shape than {shape}, or numbers that are not finite")
    return net


def _net(tensors: nets.Tensors, side: str) -> Net:
    def of(name: str) -> NDArray[np.float32]:
        array = np.ascontiguousarray(tensors[side + name], np.float32)
        array.setflags(write=False)
        return array

    def turned(name: str) -> NDArray[np.float32]:
        array: NDArray[Any] = np.ascontiguousarray(tensors[side + name].swapaxes(-1, -2), np.float32)
        array.setflags(write=False)
        return array

    width = tensors[side + "first_bias"].size
    return Net(
        turned("first"),
        of("first_bias"),
        of("scale"),
        turned("into"),
        of("into_bias"),
        turned("back"),
        of("back_bias"),
        of("policy"),
        of("policy_bias"),
        of("value").reshape(-1),
        float(tensors[side + "value_bias"].reshape(-1)[0]),
        of("belief"),
        of("belief_bias"),
        np.zeros(width, np.float32),
        np.zeros(width, np.float32),
        np.zeros(width, np.float32),
    )


@kernel
def choose(table, params, view, seat, out, rng):
    count = legal(table, view, out)
    if count == 1:
        return out[0]
    best, total = _weigh(table, params, view, seat, out, count)
    if params.temperature == 0:
        return out[best]
    return out[draw(params.logits, count, best, total, rng)]


@kernel
def mix(table, params, view, seat, out, chances, first):
    """The legal moves, and the probabilities that `choose` draws one by."""
    count = legal(table, view, out)
    chances[first] = 1.0
    if count > 1:
        _, total = _weigh(table, params, view, seat, out, count)
        for i in range(count):
            chances[first + i] = params.logits[i] / total


@kernel
def _weigh(table, params, view, seat, out, count):
    """The weight of each move, into the place of its logit; returns the number of the likeliest, and the sum."""
    think(table, params, view, seat)
    net = params.mr_x if seat == 0 else params.detectives
    score_moves(table, params.layout, net, view.station[seat], seat, out, count, params.logits)
    if seat == 0 and params.careful:
        take_care(table, params, view, out, count)
    return soften(params.logits, count, params.temperature, params.floor)


@kernel
def take_care(table, params, view, out, count):
    """Change Mr X's logits by what he minds."""
    care = params.care
    for i in range(count):
        action = np.int64(out[i])
        station = action & HIDDEN
        if action & DOUBLED == 0:  # detectives do not move within a double move
            params.logits[i] -= care.caution * stumbled_on(table, view, station)
            params.logits[i] -= care.beside * max(0, 2 - nearest_detective(table, params.paths, view, station, 0))
        params.logits[i] += care.room * min(MANY, ways_out(table, view, action & (DOUBLED - 1)))


@kernel
def stumbled_on(table, view, station):
    """The chance that detectives who go anywhere they can step on a station; who cannot move stays where he is."""
    missed = 1.0
    for seat in range(1, table.detectives + 1):
        here = view.station[seat]
        ways, there = 0, 0
        for i in range(table.link_start[here], table.link_start[here + 1]):
            code = np.int64(table.links[i])
            if view.tickets[seat, code >> TICKET_SHIFT] > 0:
                ways += 1
                there += (code & HIDDEN) == station
        if ways > 0:
            missed *= 1.0 - there / ways
    return 1.0 - missed


@outlined
def think(table, params, view, seat):
    """Work out the trunk of the net of this seat; the heads are read from it."""
    count = write_inputs(params.layout, table.detectives, view, params.places, params.numbers)
    net = params.mr_x if seat == 0 else params.detectives
    width = net.trunk.size
    for i in range(width):
        net.trunk[i] = net.first_bias[i]
    for j in range(count):
        _add_row(net.trunk, net.first[params.places[j]], params.numbers[j])
    for i in range(width):
        net.trunk[i] = max(net.trunk[i], np.float32(0))
    for block in range(net.into.shape[0]):
        _normalise(net, block)
        _layer(net.normal, net.into[block], net.into_bias[block], net.hidden)
        for i in range(width):
            net.trunk[i] += net.back_bias[block, i]
        for j in range(width):
            if net.hidden[j] > 0:
                _add_row(net.trunk, net.back[block, j], net.hidden[j])
    _normalise(net, net.into.shape[0])


@kernel
def _add_row(target, row, number):
    for i in range(target.size):
        target[i] += row[i] * number


@kernel
def _layer(source, weights, bias, target):
    """A dense layer with ReLU."""
    for i in range(target.size):
        target[i] = bias[i]
    for j in range(source.size):
        _add_row(target, weights[j], source[j])
    for i in range(target.size):
        target[i] = max(target[i], np.float32(0))


@kernel
def _normalise(net, block):
    total = np.float32(0)
    for i in range(net.trunk.size):
        total += net.trunk[i] * net.trunk[i]
    factor = np.float32(1) / np.sqrt(total / np.float32(net.trunk.size) + np.float32(SMALL))
    for i in range(net.trunk.size):
        net.normal[i] = net.trunk[i] * factor * net.scale[block, i]


@kernel
def dot(row, vector):
    total = np.float32(0)
    for i in range(vector.size):
        total += row[i] * vector[i]
    return total


@kernel
def value(net):
    """The chance that Mr X wins, once `think` is done."""
    return 1.0 / (1.0 + np.exp(-(dot(net.value, net.normal) + net.value_bias)))


@kernel
def score_moves(table, layout, net, here, seat, out, count, logits):
    for i in range(count):
        answer = answer_of(table, layout, here, seat, np.int64(out[i]))
        logits[i] = dot(net.policy[answer], net.normal) + net.policy_bias[answer]


@kernel
def answer_of(table, layout, here, seat, action):
    """The place of a move among a net's answers."""
    code = action & (DOUBLED - 1)
    if seat > 0:
        for i in range(table.link_start[here], table.link_start[here + 1]):
            if table.links[i] == code:
                return np.int64(layout.detective_answer[i])
    doubled = layout.codes.size if action & DOUBLED else 0
    if code >> TICKET_SHIFT == BLACK:
        for i in range(table.any_start[here], table.any_start[here + 1]):
            if table.any_links[i] == code & HIDDEN:
                return np.int64(layout.any_answer[i]) + doubled
    for i in range(table.link_start[here], table.link_start[here + 1]):
        if table.links[i] == code:
            return np.int64(layout.link_answer[i]) + doubled
    return np.int64(0)
