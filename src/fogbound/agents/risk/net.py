"""The player of Risk that plays five small nets, as Vašátko (2018) designed them, on any map.

One net each for the set-up, turning in cards, the draft, attack and occupation, and fortifying. Its first
output says how good a move is (above a half: do it), the second how many armies to use. What the nets
are told is in games/risk/features.py; how they are evolved is in train/risk/evolve.py.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache
from itertools import pairwise
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from fogbound.agents import nets
from fogbound.agents.risk.tactics import best_neutral, may_fortify, placeable, thrifty_set
from fogbound.core.agent import Options, PolicyAgent
from fogbound.core.compiled import Kernel, kernel, outlined
from fogbound.core.contract import Game
from fogbound.core.errors import FogboundError
from fogbound.games.risk.battle import movable
from fogbound.games.risk.features import (
    AROUND,
    CONTINENT,
    Lands,
    for_draft,
    for_exchange,
    for_setup,
    lands,
    told_receiver,
    told_source,
    told_target,
)
from fogbound.games.risk.game import Risk
from fogbound.games.risk.rules import connected, may_leave
from fogbound.games.risk.table import (
    ATTACK,
    ATTACK_MOVE,
    BATTLE,
    CLAIM,
    CLAIM_MOVE,
    DRAFT,
    END_ATTACK,
    END_TURN,
    FORTIFY_MOVE,
    FREE,
    MOVE,
    MUST_EXCHANGE,
    NEUTRAL_SETUP,
    OCCUPY,
    PLACE,
    SETUP,
    STAY,
    STEPS,
    contains,
    encode,
    largest_step,
    room,
)

KIND = "evolved"
NAMES = ("setup", "exchange", "draft", "attack", "fortify")
OF_SETUP, OF_EXCHANGE, OF_DRAFT, OF_ATTACK, OF_FORTIFY = range(5)
INPUTS = (1 + AROUND + CONTINENT, 4, 1 + AROUND, 2 + AROUND + CONTINENT, 2 + 2 * AROUND)
OUTPUTS = (1, 1, 2, 2, 2)
HIDDEN = {
    "simple": ((16,), (4,), (9,), (17,), (18,)),
    "complex": ((16, 9, 7), (4, 2, 2), (9, 9), (17, 10, 7), (18, 9, 9)),
}
UNTRAINED = re.compile(r"untrained-(simple|complex)-(\d+)")
LANES = 8  # neurons that are worked out at once
WIDEST = 24  # room for a layer
SIGMOID_STEPS, SIGMOID_END = 64, 16  # steps a unit of the sigmoid's table, and where it ends on both sides
Attack = Literal["rolls", "battles", "pass", "list"]
Precision = Literal["single", "double"]
ATTACKS: tuple[Attack, ...] = ("rolls", "battles", "pass", "list")
ROLLS, BATTLES, PASS, LIST = range(4)
SMALL, LARGE = 0.33, 0.66  # of the attack's second output: one die below, three dice from here on
BREAK_OFF = 3  # armies at which a cautious battle ends

Numbers = NDArray[np.floating[Any]]


class NetOptions(Options):
    weights: str = Field("risk-es", description="a shipped set of five nets, a .safetensors file, or untrained-simple-SEED")
    patience: int = Field(
        200, ge=1, description="rounds after which it attacks wherever it has more armies, so that every game ends"
    )
    attack: Attack | None = Field(
        None, description="how it asks about attacks: rolls, pass, list or battles; as the nets were trained by default"
    )
    precision: Precision = Field("single", description="of the nets' numbers; double tells apart what single takes as equal")


class Nets(NamedTuple):
    """Five nets in one array, and room to work them out."""

    numbers: Numbers  # [row, LANES]: for every eight neurons a row of biases, then one of weights an input
    first: NDArray[np.int64]  # [net]: its first row
    widths: NDArray[np.int64]  # [net, :]: inputs, hidden layers, outputs, then 0
    sigmoid: NDArray[np.float32]  # its table; empty in double precision, where it is worked out
    inputs: Numbers  # stay as they were set
    hidden: Numbers
    sums: Numbers


class Params(NamedTuple):
    nets: Nets
    lands: Lands
    attack: int  # an index into ATTACKS
    patience: int
    begun: NDArray[np.uint64]  # what was held when the attack began, as two words; round and seat of that


class Net(PolicyAgent[NetOptions, Risk]):
    """Plays five nets that were evolved."""

    name = "net"
    about = "five small nets that were evolved"
    source = "Vašátko 2018: an evaluation learned by evolution"
    options_model = NetOptions

    @classmethod
    def names(cls, game: Game) -> Mapping[str, Sequence[str]]:
        return {"weights": nets.names_of([KIND], game.definition()["name"])}

    def compiled(self) -> Kernel:
        return choose

    def params(self) -> Params:
        genome = read(self.options.weights, board_name(self.game))
        genome = genome._replace(attack=self.options.attack or genome.attack)
        return params_of(self.game, genome, self.options.patience, self.options.precision)


def board_name(game: Risk) -> str:
    """The name of the map, as in a spec."""
    return game.spec.partition("/")[2].partition(":")[0]


class Genome(NamedTuple):
    """Five nets as they stand in a file: what is evolved, and how it is used."""

    genes: NDArray[np.float32]
    topology: str
    logarithms: bool  # numbers are told to the nets as logarithms
    attack: str  # rolls: roll after roll, pair after pair, until all are refused; pass: each pair once, in their order;
    # list: the same, but only from territories that were held when the attack began;
    # battles: whole battles, the one liked best first


def blank(topology: str = "simple") -> Genome:
    """Nets of zeros, for where none are wanted."""
    return Genome(np.zeros(genes_of(topology), np.float32), topology, logarithms=False, attack="rolls")


def drawn(topology: str, seed: int, lowest: float = 0.0) -> NDArray[np.float32]:
    """The numbers of untrained nets, between `lowest` and 1 as the published library draws them."""
    return np.random.default_rng((seed, 0)).uniform(lowest, 1.0, genes_of(topology)).astype(np.float32)


def read(name: str, board: str = "") -> Genome:
    """The five nets of a file, those for the board if there are any; an error says why a file does not hold them.

    `untrained-simple-7` and the like are drawn, from the seed that they name.
    """
    if found := UNTRAINED.fullmatch(name):
        return Genome(drawn(found[1], int(found[2])), found[1], logarithms=False, attack="rolls")
    weights = nets.load(name, board)
    about = weights.about
    topology = about.get("topology", "")
    if about.get("kind") != KIND or topology not in HIDDEN or about.get("attack", "rolls") not in ATTACKS:
        raise FogboundError(f"The weights “{weights.name}” are not nets for Risk.")
    shapes = {key: value.shape for key, value in tensors(blank(topology))[0].items()}
    if {key: value.shape for key, value in weights.tensors.items()} != shapes:
        raise FogboundError(f"The weights “{weights.name}” do not have the tensors of five {topology} nets.")
    genes = np.concatenate([weights.tensors[key].ravel() for key in shapes]).astype(np.float32)
    if not np.isfinite(genes).all():
        raise FogboundError(f"The weights “{weights.name}” contain numbers that are not finite.")
    return Genome(genes, topology, about.get("inputs") == "logarithms", about.get("attack", "rolls"))


def tensors(genome: Genome) -> tuple[dict[str, NDArray[Any]], dict[str, str]]:
    """What goes into a file of weights, and what it is."""
    made, place = {}, 0
    for n, net in enumerate(NAMES):
        sizes = widths(genome.topology, n)
        for layer, (rows, columns) in enumerate(pairwise(sizes)):
            made[f"{net}.{layer}.weight"] = genome.genes[place : place + rows * columns].reshape(columns, rows)
            place += rows * columns
            made[f"{net}.{layer}.bias"] = genome.genes[place : place + columns]
            place += columns
    about = {
        "kind": KIND,
        "family": "risk",
        "topology": genome.topology,
        "inputs": "logarithms" if genome.logarithms else "numbers",
        "attack": genome.attack,
    }
    return made, about


def widths(topology: str, net: int) -> tuple[int, ...]:
    return (INPUTS[net], *HIDDEN[topology][net], OUTPUTS[net])


def genes_of(topology: str) -> int:
    """How many numbers make up the five nets."""
    return sum(_places(topology)[net].size for net in range(len(NAMES)))


@cache
def _places(topology: str) -> tuple[NDArray[np.int64], ...]:
    """For each net, where its genes lie in the flat array of rows."""
    found, row = [], 0
    for net in range(len(NAMES)):
        sizes = widths(topology, net)
        parts = []
        for rows, columns in pairwise(sizes):
            inputs, outputs = np.meshgrid(np.arange(rows), np.arange(columns))  # [output, input]
            blocks = row + outputs // LANES * (rows + 1)
            weights = (blocks + 1 + inputs) * LANES + outputs % LANES
            parts += [weights.ravel(), (blocks * LANES + outputs % LANES)[:, 0]]
            row += -(-columns // LANES) * (rows + 1)
        found.append(np.concatenate(parts))
    return tuple(found)


def fan_in(topology: str) -> NDArray[np.float32]:
    """For each gene, how many inputs the neuron has that it belongs to."""
    parts = []
    for net in range(len(NAMES)):
        sizes = widths(topology, net)
        parts += [np.full((rows + 1) * columns, rows) for rows, columns in pairwise(sizes)]
    return np.concatenate(parts).astype(np.float32)


def make_nets(genome: Genome, precision: Precision = "single") -> Nets:
    dtype: type[np.floating[Any]] = np.float64 if precision == "double" else np.float32
    shapes = [widths(genome.topology, net) for net in range(len(NAMES))]
    rows = [sum(-(-b // LANES) * (a + 1) for a, b in pairwise(shape)) for shape in shapes]
    made = Nets(
        np.zeros((sum(rows), LANES), dtype),
        np.cumsum([0, *rows[:-1]]).astype(np.int64),
        np.array([(*shape, *([0] * (6 - len(shape)))) for shape in shapes], np.int64),
        np.zeros(0, np.float32) if precision == "double" else _sigmoid(),
        np.zeros(WIDEST, dtype),
        np.zeros(WIDEST, dtype),
        np.zeros(WIDEST, dtype),
    )
    set_genes(made, genome.topology, genome.genes)
    return made


def set_genes(made: Nets, topology: str, genes: NDArray[Any]) -> None:
    made.numbers.ravel()[np.concatenate(_places(topology))] = genes


@cache
def _sigmoid() -> NDArray[np.float32]:
    steps = np.arange(-SIGMOID_END * SIGMOID_STEPS, SIGMOID_END * SIGMOID_STEPS + 2) / SIGMOID_STEPS
    table: NDArray[np.float32] = (1.0 / (1.0 + np.exp(-steps))).astype(np.float32)
    table.setflags(write=False)
    return table


def params_of(game: Risk, genome: Genome, patience: int = 200, precision: Precision = "single") -> Params:
    nets_ = make_nets(genome, precision)
    return Params(nets_, lands(game, genome.logarithms), ATTACKS.index(genome.attack), patience, np.zeros(4, np.uint64))


# Working out a net.


@outlined
def work_out(nets, net):
    """The two outputs for `nets.inputs`; the first one above 0 means above a half.

    Both stand before the last sigmoid. In double precision the first comes after it, less a half: outputs that
    the published nets cannot tell apart are equal there too.
    """
    row = nets.first[net]
    given = nets.inputs
    layer = 0
    while True:
        inputs, outputs = nets.widths[net, layer], nets.widths[net, layer + 1]
        for block in range(0, outputs, LANES):
            _eight(nets, given, row, inputs, block)
            row += inputs + 1
        layer += 1
        if nets.widths[net, layer + 1] == 0:
            first = np.float64(nets.sums[0])
            if nets.sigmoid.size == 0:
                first = _logistic(first) - 0.5
            return first, nets.sums[1]
        given = nets.hidden
        for j in range(outputs):
            given[j] = sigmoid(nets.sigmoid, nets.sums[j])


@kernel
def _eight(nets, given, row, inputs, block):
    """Eight neurons' sums at once: written out like this, they stay in one register."""
    numbers, sums = nets.numbers, nets.sums
    a, b, c, d = numbers[row, 0], numbers[row, 1], numbers[row, 2], numbers[row, 3]
    e, f, g, h = numbers[row, 4], numbers[row, 5], numbers[row, 6], numbers[row, 7]
    for i in range(inputs):
        x, r = given[i], row + 1 + i
        a += x * numbers[r, 0]
        b += x * numbers[r, 1]
        c += x * numbers[r, 2]
        d += x * numbers[r, 3]
        e += x * numbers[r, 4]
        f += x * numbers[r, 5]
        g += x * numbers[r, 6]
        h += x * numbers[r, 7]
    sums[block], sums[block + 1], sums[block + 2], sums[block + 3] = a, b, c, d
    sums[block + 4], sums[block + 5], sums[block + 6], sums[block + 7] = e, f, g, h


@kernel
def _logistic(x):
    return 1.0 / (1.0 + np.exp(-x))


@kernel
def sigmoid(table, x):
    """1 / (1 + exp(-x)), from a table, straight between its steps; without a table it is worked out."""
    if table.size == 0:
        return _logistic(np.float64(x))
    place = (min(max(x, np.float32(-SIGMOID_END)), np.float32(SIGMOID_END)) + np.float32(SIGMOID_END)) * np.float32(
        SIGMOID_STEPS
    )
    step = np.int64(place)
    return table[step] + (place - np.float32(step)) * (table[step + 1] - table[step])


@kernel
def share(nets, x):
    """The second output, in [0, 1]."""
    return np.float64(sigmoid(nets.sigmoid, x))


# The player.


@kernel
def choose(table, params, view, seat, out, rng):
    if view.phase == ATTACK:
        return _attack(table, params, view, seat)
    if view.phase == OCCUPY:
        return occupied(table, params, view, seat)
    if view.phase == DRAFT:
        return _draft(table, params, view, seat, out)
    if view.phase == CLAIM:
        return encode(CLAIM_MOVE, 0, _best_place(table, params, view, seat, FREE), 1)
    if view.phase == SETUP:
        return encode(PLACE, 0, _best_place(table, params, view, seat, seat), 1)
    if view.phase == NEUTRAL_SETUP:
        return encode(PLACE, 0, best_neutral(table, view, seat), 1)
    return fortify_by_net(table, params, view, seat, out)


@outlined
def _best_place(table, params, view, seat, owner):
    """The territory of this owner where the set-up's net likes an army best."""
    best, found = np.float32(-np.inf), 0
    for territory in range(table.territories):
        if view.owner[territory] == owner and room(table, view, territory) > 0:
            for_setup(params.lands, view, seat, territory, params.nets.inputs)
            value, _ = work_out(params.nets, OF_SETUP)
            if value > best:
                best, found = value, territory
    return found


@outlined
def _draft(table, params, view, seat, out):
    exchange = wanted_exchange(table, params, view, seat, out)
    if exchange >= 0:
        return exchange
    best, found, part = np.float32(-np.inf), 0, np.float32(0.0)
    for territory in range(table.territories):
        if view.owner[territory] == seat and room(table, view, territory) > 0:
            value, size = liked_draft(params, view, seat, territory)
            if value > best:
                best, found, part = value, territory, size
    return encode(PLACE, 0, found, drafted(table, params, view, found, part))


@kernel
def wanted_exchange(table, params, view, seat, out):
    """The set that is turned in because it must be or the net wants it; -1 for none."""
    must = view.cards[seat] >= MUST_EXCHANGE
    if not must and (view.cards[seat] < 3 or view.in_attack):
        return np.int64(-1)
    if not must:
        for_exchange(params.lands, view, seat, params.nets.inputs)
        if work_out(params.nets, OF_EXCHANGE)[0] <= np.float32(0.0):
            return np.int64(-1)
    return thrifty_set(table, view, seat, out)


@kernel
def liked_draft(params, view, seat, territory):
    for_draft(params.lands, view, seat, territory, params.nets.inputs)
    return work_out(params.nets, OF_DRAFT)


@kernel
def drafted(table, params, view, territory, part):
    """How many armies of the pool go to a territory."""
    return _nearest_step(np.int64(share(params.nets, part) * view.pool + 0.5), placeable(table, view, territory))


@kernel
def _nearest_step(want, most):
    """The nearest number of armies that one move can place or move, at least one."""
    if want >= most:
        return np.int64(most)
    best = np.int64(most)
    for step in STEPS:
        if step < most and abs(step - want) < abs(best - want):
            best = np.int64(step)
    return best


@kernel
def attack_from(params, view, seat, source):
    """Tell the net where the attack would come from; `liked_attack` then asks about targets."""
    told_source(params.lands, view, seat, source, np.int64(view.armies[source]), params.nets.inputs)


@kernel
def liked_attack(params, view, seat, target):
    told_target(params.lands, view, seat, target, np.int64(view.armies[target]), params.nets.inputs)
    return work_out(params.nets, OF_ATTACK)


@kernel
def attack_of(params, view, source, target, size):
    """The move for a pair of territories: one roll, or a battle; the second output says how much is risked."""
    part = share(params.nets, size)
    armies = view.armies[source]
    whole = params.attack == BATTLES
    if whole and part >= SMALL:
        stop = BREAK_OFF if part < LARGE and armies > BREAK_OFF else 1
        return encode(BATTLE, source, target, stop)
    dice = 3 if whole or part >= LARGE else 2 if part >= SMALL else 1
    return encode(ATTACK_MOVE, source, target, min(dice, armies - 1))


@outlined
def _attack(table, params, view, seat):
    if view.round > params.patience:
        return _impatient(table, view, seat)
    if params.attack == BATTLES:
        return _best_attack(table, params, view, seat)
    return _next_attack(table, params, view, seat)


@kernel
def _best_attack(table, params, view, seat):
    best, source, target, part = np.float32(0.0), -1, -1, np.float32(0.0)
    for here in range(table.territories):
        if view.owner[here] != seat or view.armies[here] < 2:
            continue
        attack_from(params, view, seat, here)
        for i in range(table.link_start[here], table.link_start[here + 1]):
            there = np.int64(table.links[i])
            if view.owner[there] != seat:
                value, size = liked_attack(params, view, seat, there)
                if value > best:
                    best, source, target, part = value, here, there, size
    return encode(END_ATTACK, 0, 0, 0) if source < 0 else attack_of(params, view, source, target, part)


@kernel
def _next_attack(table, params, view, seat):
    """Pair after pair, beginning with the one that fought last, until all of them have been refused or passed."""
    begin = max(0, np.int64(view.source))
    # Where it begins is looked at twice: from the last target on, and up to it.
    rest = table.territories - begin if params.attack != ROLLS else table.territories + 1
    for k in range(rest):
        here = (begin + k) % table.territories
        if view.owner[here] != seat or view.armies[here] < 2 or not _is_listed(params, view, seat, here):
            continue
        attack_from(params, view, seat, here)
        for i in range(table.link_start[here], table.link_start[here + 1]):
            there = np.int64(table.links[i])
            skipped = (k == 0 and there < view.target) or (k == table.territories and there >= view.target)
            if view.owner[there] == seat or skipped:
                continue
            value, size = liked_attack(params, view, seat, there)
            if value > np.float32(0.0):
                return attack_of(params, view, here, there, size)
    return encode(END_ATTACK, 0, 0, 0)


@kernel
def _is_listed(params, view, seat, territory):
    """Whether attacks may come from here: with a list only from what was held when the attack began."""
    begun = params.begun
    if params.attack != LIST:
        return True
    if view.source < 0:
        begun[0], begun[1] = view.land[seat, 0], view.land[seat, 1]
        begun[2], begun[3] = np.uint64(view.round), np.uint64(seat)
    if begun[2] != np.uint64(view.round) or begun[3] != np.uint64(seat):
        return True  # the beginning was not seen
    return contains(begun[0], begun[1], territory)


@kernel
def _impatient(table, view, seat):
    """Any attack with more armies than the defender has."""
    for here in range(table.territories):
        if view.owner[here] == seat and view.armies[here] > 1:
            for i in range(table.link_start[here], table.link_start[here + 1]):
                there = np.int64(table.links[i])
                if view.owner[there] != seat and view.armies[here] > view.armies[there]:
                    return encode(BATTLE, here, there, 1)
    return encode(END_ATTACK, 0, 0, 0)


@outlined
def occupied(table, params, view, seat):
    """So much of what may follow as the second output says; what has followed already counts."""
    source, target = np.int64(view.source), np.int64(view.target)
    rolled = 0
    for i in range(3):
        rolled += view.dice[i] > 0
    followed = max(0, np.int64(view.armies[target]) - (rolled if rolled else 3))
    before = np.int64(view.armies[source]) + followed
    told_source(params.lands, view, seat, source, before, params.nets.inputs)
    told_target(params.lands, view, seat, target, np.int64(0), params.nets.inputs)
    part = share(params.nets, work_out(params.nets, OF_ATTACK)[1])
    want = np.int64(part * (before - 1) + 0.5) - followed
    if want <= 0:
        return encode(STAY, 0, 0, 0)
    return encode(MOVE, 0, 0, largest_step(want, np.int64(movable(table, view))))


@outlined
def fortify_by_net(table, params, view, seat, out):
    """The move that the net likes best, if it likes one; its number of armies is the nearest that can be moved at once."""
    done = encode(END_TURN, 0, 0, 0)
    if not may_fortify(table, view):
        return done
    best, from_, to, part = np.float32(0.0), np.int64(-1), np.int64(-1), np.float32(0.0)
    for source in range(table.territories):
        if not may_leave(view, source):
            continue
        reach0, reach1 = connected(table, view, source)
        fortify_from(params, view, seat, source)
        for target in range(table.territories):
            if target != source and contains(reach0, reach1, target) and room(table, view, target) > 0:
                value, size = liked_fortify(params, view, seat, target)
                if value > best:
                    best, from_, to, part = value, np.int64(source), np.int64(target), size
    if from_ < 0:
        return done
    return fortified(table, params, view, from_, to, part)


@kernel
def fortify_from(params, view, seat, source):
    """Tell the net where armies would come from; `liked_fortify` then asks about targets."""
    told_source(params.lands, view, seat, source, np.int64(view.armies[source]), params.nets.inputs)


@kernel
def liked_fortify(params, view, seat, target):
    told_receiver(params.lands, view, seat, target, params.nets.inputs)
    return work_out(params.nets, OF_FORTIFY)


@kernel
def fortified(table, params, view, source, target, part):
    most = min(np.int64(view.armies[source]) - 1, np.int64(room(table, view, target)))
    count = _nearest_step(np.int64(share(params.nets, part) * (view.armies[source] - 1) + 0.5), most)
    return encode(FORTIFY_MOVE, source, target, count)
