"""What the nets of Vašátko (2018) are told about a position of Risk, on any map, from a concealed state.

Everything is a number of territories or armies around a territory, or one of its continent's figures;
numbers go through a table first, which leaves them as they are or takes their logarithm.
docs/guide/features.md lists the inputs of each net.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fogbound.core.compiled import kernel, outlined
from fogbound.games.risk.table import CLAIM, FREE, own_in, size_of
from fogbound.games.tables import read_only

if TYPE_CHECKING:
    from fogbound.games.risk.game import Risk

AROUND, CONTINENT = 8, 7  # numbers that tell of a territory's surroundings, and of its continent
LARGEST = 1024  # larger numbers are told as this one
ARMIES_A_TERRITORY = 1 / 3


class Lands(NamedTuple):
    """What the features need to know of a map; handing over the whole table would cost more."""

    first_start: NDArray[np.int16]  # neighbours of t: first_start[t] to first_start[t + 1]
    first: NDArray[np.int16]
    second_start: NDArray[np.int16]  # and territories two steps away
    second: NDArray[np.int16]
    near: NDArray[np.uint64]  # [territory, word]
    members: NDArray[np.uint64]  # [continent, word]
    continent_of: NDArray[np.int16]
    figures: NDArray[np.float32]  # [continent]: territories, then V2.7: armies for holding it, territories an army,
    # armies a border territory, attackers a border territory
    scale: NDArray[np.float32]  # [n]: how the number n is told


def scale_of(logarithms: bool) -> NDArray[np.float32]:
    numbers = np.arange(LARGEST + 1, dtype=np.float32)
    return np.log1p(numbers) if logarithms else numbers


def lands(game: Risk, logarithms: bool) -> Lands:
    """A map's tables; with `logarithms` every number n is told as log(1 + n)."""
    board = game.board
    near = [set(each) for each in board.neighbours]
    second = [sorted(set().union(*(near[b] for b in near[a])) - near[a] - {a}) for a in range(board.size)]
    figures = np.array([_figures(board.neighbours, each.members, each.bonus) for each in board.continents], np.float32)
    made = Lands(
        game.table.link_start,
        game.table.links,
        np.cumsum([0, *map(len, second)]).astype(np.int16),
        np.array([b for each in second for b in each], np.int16),
        game.table.near,
        game.table.members,
        np.array(board.continent_of(), np.int16),
        np.log1p(figures) if logarithms else figures,
        scale_of(logarithms),
    )
    return read_only(made)


def _figures(neighbours: tuple[tuple[int, ...], ...], members: tuple[int, ...], bonus: int) -> tuple[float, ...]:
    """Size, and the four figures of table 2.7."""
    inside = set(members)
    border = sum(not set(neighbours[t]) <= inside for t in members)
    attackers = len({b for t in members for b in neighbours[t]} - inside)
    armies = ARMIES_A_TERRITORY * len(members) + bonus
    border = max(1, border)  # a continent that is the whole map has no border
    return len(members), armies, len(members) / armies, armies / border, attackers / border


@kernel
def told(lands, number):
    return lands.scale[min(np.int64(number), LARGEST)]


@outlined
def surroundings(lands, view, seat, territory, inputs, place):
    """Own territories in rings 1 and 2, own armies there, enemy territories, enemy armies."""
    first, last = lands.first_start[territory], lands.first_start[territory + 1]
    _ring(lands, view, seat, lands.first, first, last, inputs, place)
    first, last = lands.second_start[territory], lands.second_start[territory + 1]
    _ring(lands, view, seat, lands.second, first, last, inputs, place + 1)


@kernel
def _ring(lands, view, seat, list_of, first, last, inputs, place):
    own = own_armies = enemy = enemy_armies = np.int64(0)
    for i in range(first, last):
        near = list_of[i]
        owner = view.owner[near]
        armies = np.int64(view.armies[near])
        mine = np.int64(owner == seat)  # no branches here: nobody could predict them
        theirs = np.int64(owner != FREE) - mine
        own += mine
        own_armies += mine * armies
        enemy += theirs
        enemy_armies += theirs * armies
    inputs[place] = told(lands, own)
    inputs[place + 2] = told(lands, own_armies)
    inputs[place + 4] = told(lands, enemy)
    inputs[place + 6] = told(lands, enemy_armies)


@outlined
def of_continent(lands, view, seat, territory, inputs, place):
    """Territories of the continent, own and enemy ones among them, and its figures."""
    continent = lands.continent_of[territory]
    own = own_in(lands, view, seat, continent)
    if view.phase == CLAIM:
        enemy = -own
        for owner in range(view.land.shape[0]):
            enemy += own_in(lands, view, owner, continent)
    else:
        enemy = size_of(lands, continent) - own
    inputs[place] = lands.figures[continent, 0]
    inputs[place + 1] = told(lands, own)
    inputs[place + 2] = told(lands, enemy)
    for i in range(4):
        inputs[place + 3 + i] = lands.figures[continent, 1 + i]


@outlined
def for_setup(lands, view, seat, territory, inputs):
    """Whether the territory is free; its surroundings; its continent."""
    inputs[0] = np.float32(view.owner[territory] == FREE)
    surroundings(lands, view, seat, territory, inputs, 1)
    of_continent(lands, view, seat, territory, inputs, 1 + AROUND)


@outlined
def for_exchange(lands, view, seat, inputs):
    """Armies to place, sets turned in so far, own armies at borders with enemies, and enemy armies at them."""
    land0, land1 = view.land[seat, 0], view.land[seat, 1]
    own = enemy = np.int64(0)
    for territory in range(lands.continent_of.size):
        near0, near1 = lands.near[territory, 0], lands.near[territory, 1]
        armies = np.int64(view.armies[territory])
        if view.owner[territory] == seat:
            own += armies if (near0 & ~land0) | (near1 & ~land1) else 0
        else:
            enemy += armies if (near0 & land0) | (near1 & land1) else 0
    inputs[0] = told(lands, view.pool)
    inputs[1] = told(lands, view.sets)
    inputs[2] = told(lands, own)
    inputs[3] = told(lands, enemy)


@outlined
def for_draft(lands, view, seat, territory, inputs):
    """Armies of the territory, and its surroundings."""
    inputs[0] = told(lands, view.armies[territory])
    surroundings(lands, view, seat, territory, inputs, 1)


@outlined
def told_source(lands, view, seat, source, armies, inputs):
    """For an attack or for fortifying: armies of the territory they come from, and its surroundings."""
    inputs[0] = told(lands, armies)
    surroundings(lands, view, seat, source, inputs, 2)


@outlined
def told_target(lands, view, seat, target, armies, inputs):
    """For an attack: armies of the territory that is attacked (0: it is conquered), and its continent."""
    inputs[1] = told(lands, armies)
    of_continent(lands, view, seat, target, inputs, 2 + AROUND)


@outlined
def told_receiver(lands, view, seat, target, inputs):
    """For fortifying: armies of the territory they go to, and its surroundings."""
    inputs[1] = told(lands, view.armies[target])
    surroundings(lands, view, seat, target, inputs, 2 + AROUND)
