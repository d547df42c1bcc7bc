"""Who meets whom: encounters of players on a board, each seed played in every seating."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, combinations_with_replacement, permutations
from math import ceil

from fogbound.core.contract import Game
from fogbound.lab.settings import Player, Settings

Group = tuple[int, ...]


@dataclass(frozen=True)
class Seating:
    """Players on the sides of a board."""

    number: int
    encounter: int
    board: int
    players: Group
    """A player for each side."""


@dataclass(frozen=True)
class Encounter:
    """Players who meet on a board; the same seeds are played in every seating."""

    number: int
    board: int
    group: Group
    seatings: tuple[Seating, ...]
    seeds: int
    """How many seeds are played (at most, under a sequential test)."""


def make(settings: Settings, games: Sequence[Game], players: Sequence[Player]) -> list[Encounter]:
    """All encounters of a tournament."""
    encounters: list[Encounter] = []
    count = 0
    for board, game in enumerate(games):
        for group in groups(settings, players, game.sides):
            number = len(encounters)
            orders = seat_orders(group, settings.seatings)
            seatings = tuple(Seating(count + i, number, board, order) for i, order in enumerate(orders))
            count += len(seatings)
            encounters.append(Encounter(number, board, group, seatings, ceil(settings.games / len(seatings))))
    return encounters


def groups(settings: Settings, players: Sequence[Player], sides: int) -> Iterator[Group]:
    """The sets of players that meet on a board with so many sides."""
    challengers = [i for i, player in enumerate(players) if player.challenger]
    if settings.format == "gauntlet":
        field = [i for i, player in enumerate(players) if not player.challenger]
        yield from ((one, *others) for one in challengers for others in _fill(field, sides - 1))
    else:
        yield from (group for group in _fill(challengers, sides) if len(set(group)) > 1)
    if settings.self_play or len(players) == 1:
        yield from ((one,) * sides for one in challengers)


def _fill(players: Sequence[int], seats: int) -> Iterator[Group]:
    """Players for some seats: as many different ones as there can be."""
    if len(players) >= seats:
        yield from combinations(players, seats)
        return
    for group in combinations_with_replacement(players, seats):
        if len(set(group)) == len(players):
            yield group


def seat_orders(group: Group, which: str) -> list[Group]:
    """The different ways to seat a group."""
    if which == "rotations":
        orders = [group[i:] + group[:i] for i in range(len(group))]
    else:
        orders = list(permutations(group))
    return list(dict.fromkeys(orders))
