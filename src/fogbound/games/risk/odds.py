"""Battle odds, exact: one roll of the dice, whole battles as a Markov chain, and tables to draw a battle's end at once.

"Attackers" are the armies that may attack: one less than stand in the attacking territory.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from itertools import product
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from fogbound.core.chance import draw, draw_unit
from fogbound.core.compiled import kernel, outlined
from fogbound.core.errors import FogboundError
from fogbound.games.tables import read_only

MOST_DICE = 3
MOST_ARMIES = 200  # the largest battle that `battle` works out
MOST_TOLD = 60  # the largest battle whose odds the server tells
TABLE_SIZE = 40  # the largest battle whose end is drawn at once
ROUNDS = (64, 16, 4)  # larger battles are first fought by this many rolls at once
SHARE_SHOWN = 0.0005  # outcomes rarer than this are left out of the printed table


@cache
def roll(attacking: int, defending: int) -> tuple[Fraction, ...]:
    """For 1 to 3 dice against 1 or 2: the chances that the defender loses 0, 1, (2) armies, the attacker all others."""
    pairs = min(attacking, defending)
    ways = [0] * (pairs + 1)
    for dice in product(range(6), repeat=attacking + defending):
        attack = sorted(dice[:attacking], reverse=True)
        defence = sorted(dice[attacking:], reverse=True)
        ways[sum(a > d for a, d in zip(attack, defence, strict=False))] += 1
    return tuple(Fraction(way, 6 ** (attacking + defending)) for way in ways)


@dataclass(frozen=True)
class Battle:
    """How a battle can end that is fought until it is won, or the attackers are down to `stop` or fewer."""

    attackers: int
    defenders: int
    stop: int
    conquered: float
    """The chance to conquer."""
    attackers_left: tuple[float, ...]
    """The chance to conquer with 0, 1, ... attackers left."""
    defenders_left: tuple[float, ...]
    """The chance not to conquer, with 0, 1, ... defenders left."""
    attackers_lost: float
    """Expected loss of the attacker."""
    defenders_lost: float
    """Expected loss of the defender."""


def told(attackers: int, defenders: int) -> dict[str, float]:
    """The chance to conquer and the expected losses, for the page: only battles that are quickly worked out."""
    if not (0 <= attackers <= MOST_TOLD and 0 <= defenders <= MOST_TOLD):
        raise FogboundError(f"Odds are available for 0 to {MOST_TOLD} armies on either side.")
    found = battle(attackers, defenders)
    return {"conquered": found.conquered, "attackers_lost": found.attackers_lost, "defenders_lost": found.defenders_lost}


def battle(attackers: int, defenders: int, stop: int = 0) -> Battle:
    """Every end of a battle with its chance."""
    if not (0 <= attackers <= MOST_ARMIES and 0 <= defenders <= MOST_ARMIES):
        raise FogboundError(
            f"Battles are worked out for up to {MOST_ARMIES} armies, not for {attackers} against {defenders}."
        )
    if stop < 0:
        raise FogboundError(f"The attackers cannot stop at {stop} armies; give 0 or more.")
    reach = np.zeros((attackers + 1, defenders + 1))
    reach[attackers, defenders] = 1.0
    for a in range(attackers, stop, -1):
        for d in range(defenders, 0, -1):
            _one_roll(reach, a, d)
    won = reach[:, 0] if attackers > stop else np.zeros(attackers + 1)
    lost = reach[: stop + 1].sum(axis=0)
    lost[0] = 0.0
    ends = reach.copy()
    ends[stop + 1 :, 1:] = 0.0
    left = np.arange(attackers + 1) @ ends.sum(axis=1), np.arange(defenders + 1) @ ends.sum(axis=0)
    return Battle(
        attackers,
        defenders,
        stop,
        conquered=float(won.sum()),
        attackers_left=tuple(float(p) for p in won),
        defenders_left=tuple(float(p) for p in lost),
        attackers_lost=attackers - float(left[0]),
        defenders_lost=defenders - float(left[1]),
    )


def _one_roll(reach: NDArray[np.float64], a: int, d: int) -> None:
    """Pass the chance of being at a against d on to what one roll makes of it."""
    chances = float_roll(min(MOST_DICE, a), min(2, d))
    pairs = len(chances) - 1
    for k, chance in enumerate(chances):
        reach[a - pairs + k, d - k] += reach[a, d] * chance


@cache
def float_roll(attacking: int, defending: int) -> tuple[float, ...]:
    return tuple(float(chance) for chance in roll(attacking, defending))


class BlitzTables(NamedTuple):
    """What drawing the end of a battle needs; also the chances that heuristics go by.

    The first index of `ends` and `conquest` is the army the attackers stop at, 3 standing for
    all above, where three dice are always rolled; then attackers above that number; then defenders.
    """

    ends: NDArray[np.float64]  # cumulated: conquered with 1 to 40 above the stop, then repelled by 1, 1, 2, 2, ... defenders
    conquest: NDArray[np.float64]  # the chance to conquer
    rolls: NDArray[np.int64]  # [attacking dice, defending dice, k]: ways in which the defender loses k or fewer
    rounds: NDArray[np.float64]  # for each of ROUNDS: cumulated chances that the attackers lose 0, 1, ...


@cache
def tables() -> BlitzTables:
    """The tables, made when they are first asked for."""
    ends = np.stack([_ends(stop) for stop in range(MOST_DICE + 1)])
    conquest = ends[..., :TABLE_SIZE].sum(axis=3)
    conquest[:, 1:, 0] = 1.0
    cumulated = ends.cumsum(axis=3)
    total = cumulated[..., -1:]
    cumulated = np.divide(cumulated, total, out=np.ones_like(cumulated), where=total > 0)
    return read_only(BlitzTables(cumulated, conquest, _cumulated_rolls(), _cumulated_rounds()))


def _ends(stop: int) -> NDArray[np.float64]:
    """For each size of battle the chance of each end, from the small battles up."""
    ends = np.zeros((TABLE_SIZE + 1, TABLE_SIZE + 1, 3 * TABLE_SIZE))
    for a in range(1, TABLE_SIZE + 1):
        for d in range(1, TABLE_SIZE + 1):
            chances = float_roll(min(MOST_DICE, a + stop), min(2, d))
            pairs = len(chances) - 1
            for k, chance in enumerate(chances):
                a_left, d_left = a - pairs + k, d - k
                if d_left == 0:
                    ends[a, d, a_left - 1] += chance
                elif a_left <= 0:  # an exchange of two can go one below the stop
                    ends[a, d, TABLE_SIZE + 2 * (d_left - 1) - a_left] += chance
                else:
                    ends[a, d] += chance * ends[a_left, d_left]
    return ends


def _cumulated_rolls() -> NDArray[np.int64]:
    ways = np.zeros((MOST_DICE + 1, 3, 3), np.int64)
    for attacking, defending in product(range(1, MOST_DICE + 1), (1, 2)):
        counts = [int(chance * 6 ** (attacking + defending)) for chance in roll(attacking, defending)]
        ways[attacking, defending, : len(counts)] = np.cumsum(counts)
    return ways


def _cumulated_rounds() -> NDArray[np.float64]:
    """Many rolls of three dice against two: each takes two armies, so one number tells both losses."""
    rounds = np.ones((len(ROUNDS), 2 * max(ROUNDS) + 1))
    one_roll = np.array(float_roll(3, 2)[::-1])
    for row, count in zip(rounds, ROUNDS, strict=True):
        losses = np.ones(1)
        for _ in range(count):
            losses = np.convolve(losses, one_roll)
        row[: 2 * count + 1] = losses.cumsum() / losses.sum()
        row[2 * count :] = 1.0
    return rounds


@outlined
def blitz(odds, attackers, defenders, stop, chance):
    """Fight until the defenders are gone or the attackers down to `stop`: attackers and defenders left."""
    over, left = attackers - stop, defenders
    while over > 0 and left > 0:
        if left > TABLE_SIZE:
            over, left = _some_rolls(odds, over, left, stop, chance)
        else:  # as many attackers as the tables have, with the others behind them as their stop
            part = min(over, TABLE_SIZE)
            behind = over - part
            part, left = _end(odds.ends[min(stop + behind, MOST_DICE), part, left], part, left, draw_unit(chance))
            over = behind + part
    return over + stop, left


@kernel
def _end(row, attackers, defenders, value):
    """The end of a battle that a number from [0, 1) stands for: attackers above the stop, and defenders."""
    if value < row[TABLE_SIZE - 1]:
        return _first_above(row, 0, attackers - 1, value) + 1, 0
    last = TABLE_SIZE + 2 * defenders - 1
    end = _first_above(row, TABLE_SIZE, last, value) - TABLE_SIZE
    return -(end % 2), end // 2 + 1


@kernel
def _some_rolls(odds, over, left, stop, chance):
    """The most rolls at once that cannot end the battle before their last, or a single one."""
    for i in range(len(ROUNDS)):
        armies = 2 * ROUNDS[i]
        if over > armies and left >= armies:
            lost = _first_above(odds.rounds[i], 0, armies, draw_unit(chance))
            return over - lost, left - armies + lost
    attacking, defending = min(MOST_DICE, over + stop), min(2, left)
    pairs = min(attacking, defending)
    ways = draw(chance, 6 ** (attacking + defending))
    beaten = 0
    while ways >= odds.rolls[attacking, defending, beaten]:
        beaten += 1
    return over - pairs + beaten, left - beaten


@kernel
def _first_above(cumulated, low, high, value):
    """The first place from `low` to `high` whose cumulated chance is above a value."""
    while low < high:
        middle = (low + high) // 2
        if cumulated[middle] > value:
            high = middle
        else:
            low = middle + 1
    return low


def odds_table(result: Battle) -> RenderableType:
    """A battle's odds for the terminal."""
    until = f", stopping at {result.stop}" if result.stop else ""
    head = Text.assemble(
        (f"{result.attackers} attackers against {result.defenders} defenders{until}\n", "bold"),
        "conquered ",
        (f"{result.conquered:.2%}", "bold green"),
        f"   expected losses: attacker {result.attackers_lost:.2f}, defender {result.defenders_lost:.2f}",
    )
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    table.add_column("end")
    table.add_column("chance", justify="right")
    table.add_column("at least as good", justify="right")
    table.add_column("")
    most = max(*result.attackers_left, *result.defenders_left)
    cumulated = 0.0
    for words, share, style in _rows(result):
        cumulated += share
        if share >= SHARE_SHOWN:
            bar = Text("█" * max(1, round(24 * share / most)), style)
            table.add_row(words, f"{share:.2%}", f"{cumulated:.2%}", bar)
    return Group(head, Text(), table)


def _rows(result: Battle) -> list[tuple[str, float, str]]:
    """The ends of a battle from the attacker's best to his worst."""
    won = [(f"conquered, {left} left", share, "green") for left, share in enumerate(result.attackers_left)]
    lost = [(f"repelled by {left}", share, "red") for left, share in enumerate(result.defenders_left)]
    return [*reversed(won), *lost]
