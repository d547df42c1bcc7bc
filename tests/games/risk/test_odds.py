"""Battle odds against published tables, against enumerated dice, and the drawing of battles against rolled dice."""

from fractions import Fraction
from functools import cache
from itertools import product

import numpy as np
import pytest
from rich.console import Console
from scipy.stats import chi2

from fogbound.core import chance
from fogbound.core import rng as streams
from fogbound.core.chance import draw
from fogbound.core.compiled import program
from fogbound.core.errors import FogboundError
from fogbound.games.risk import odds
from fogbound.games.risk.board import BOARDS

# Tables 2.2 and 2.3 of Vašátko 2018, in percent. The keys are attacking and defending dice;
# the values how often the defender loses all that is fought for, and the attacker, and both one.
PUBLISHED_ROLLS = {
    (1, 1): ("41.67", "58.33"),
    (2, 1): ("57.87", "42.13"),
    (3, 1): ("65.97", "34.03"),
    (1, 2): ("25.46", "74.54"),
    (2, 2): ("22.76", "44.83", "32.41"),
    (3, 2): ("37.17", "29.26", "33.58"),
}

# Tables 2.4 and 2.5: a row a number of defenders from 1, a column a number of attackers from 1.
PUBLISHED_BATTLES = """
41.67 75.42 91.64 97.15 99.03 99.67 99.88 99.96 99.99 100.00
10.61 36.27 65.60 78.55 88.98 93.40 96.67 98.03 99.01 99.42
 2.70 20.61 47.03 64.16 76.94 85.69 90.99 94.68 96.70 98.11
 0.69  9.13 31.50 47.65 63.83 74.49 83.37 88.78 92.98 95.39
 0.18  4.91 20.59 35.86 50.62 63.77 73.64 81.84 87.29 91.63
 0.05  2.14 13.37 25.25 39.68 52.07 64.01 72.96 80.76 86.11
 0.01  1.13  8.37 18.15 29.74 42.33 53.55 64.29 72.61 79.98
 0.00  0.49  5.35 12.34 22.41 32.95 44.56 54.73 64.64 72.40
 0.00  0.26  3.28  8.62 16.16 25.78 35.69 46.40 55.81 65.01
 0.00  0.11  2.08  5.72 11.83 19.34 28.68 37.99 47.99 56.76
"""

# Entries that the exact calculation contradicts, all by one in the last digit:
# (attackers, defenders) -> exact percentage to six digits.
MISPRINTED = {
    (7, 1): "99.887883",
    (7, 2): "96.664949",
    (1, 6): "0.044600",
    (5, 8): "22.404765",
    (8, 8): "54.735957",
}

# Tables 2.6 and 2.7: territories, border, bonus; armies for holding it, territories an army,
# armies a border territory, attacking territories a border territory.
PUBLISHED_CONTINENTS = {
    "europe": (7, 4, 5, "7.33", "0.95", "1.83", "1.50"),
    "asia": (12, 5, 7, "11.00", "1.09", "2.20", "1.20"),
    "australia": (4, 1, 2, "3.33", "1.20", "3.33", "1.00"),
    "africa": (6, 3, 3, "5.00", "1.20", "1.67", "1.33"),
    "south_america": (4, 2, 2, "3.33", "1.20", "1.67", "1.00"),
    "north_america": (9, 3, 5, "8.00", "1.13", "2.67", "1.00"),
}


def rounded(value: Fraction, digits: int) -> str:
    """A fraction to some digits, halves up as on paper."""
    steps = (value * 10**digits * 2 + 1) // 2
    return f"{steps // 10**digits}.{steps % 10**digits:0{digits}d}"


@cache
def exact(attackers: int, defenders: int, stop: int = 0) -> dict[tuple[int, int], Fraction]:
    """Every end of a battle, by trying all dice of every roll."""
    if defenders == 0 or attackers <= stop:
        return {(attackers, defenders): Fraction(1)}
    ends: dict[tuple[int, int], Fraction] = {}
    dice, against = min(3, attackers), min(2, defenders)
    for beaten, share in all_rolls(dice, against).items():
        pairs = min(dice, against)
        for end, inner in exact(attackers - pairs + beaten, defenders - beaten, stop).items():
            ends[end] = ends.get(end, Fraction(0)) + share * inner
    return ends


@cache
def all_rolls(dice: int, against: int) -> dict[int, Fraction]:
    """How many armies the defender loses, by counting all rolls."""
    counts: dict[int, int] = {}
    for attack in product(range(1, 7), repeat=dice):
        for defence in product(range(1, 7), repeat=against):
            beaten = 0
            if max(attack) > max(defence):
                beaten += 1
            if dice > 1 and against > 1 and sorted(attack)[-2] > sorted(defence)[-2]:
                beaten += 1
            counts[beaten] = counts.get(beaten, 0) + 1
    return {beaten: Fraction(count, 6 ** (dice + against)) for beaten, count in counts.items()}


@pytest.mark.parametrize("dice", PUBLISHED_ROLLS)
def test_one_roll_is_as_published(dice: tuple[int, int]) -> None:
    chances = odds.roll(*dice)
    ours = [chances[-1], chances[0], *chances[1:-1]]
    assert tuple(rounded(100 * chance, 2) for chance in ours) == PUBLISHED_ROLLS[dice]
    assert sum(chances) == 1


def test_whole_battles_are_as_published_apart_from_five_misprints() -> None:
    rows = [line.split() for line in PUBLISHED_BATTLES.split("\n") if line]
    wrong = {}
    for defenders, row in enumerate(rows, 1):
        for attackers, printed in enumerate(row, 1):
            ends = exact(attackers, defenders)
            truth = 100 * sum(share for (_, left), share in ends.items() if left == 0)
            assert odds.battle(attackers, defenders).conquered * 100 == pytest.approx(float(truth), abs=1e-11)
            if rounded(truth, 2) != printed:
                wrong[attackers, defenders] = rounded(truth, 6)
    assert wrong == MISPRINTED


@pytest.mark.parametrize("name", PUBLISHED_CONTINENTS)
def test_the_continents_are_as_published(name: str) -> None:
    classic = BOARDS.load("classic", {})
    number = [continent.id for continent in classic.continents].index(name)
    continent = classic.continents[number]
    members, gates = continent.members, classic.gates(number)
    attackers = {near for i in members for near in classic.neighbours[i]} - set(members)
    armies = Fraction(len(members), 3) + continent.bonus
    figures = (armies, len(members) / armies, armies / len(gates), Fraction(len(attackers), len(gates)))
    ours = (len(members), len(gates), continent.bonus, *(rounded(figure, 2) for figure in figures))
    assert ours == PUBLISHED_CONTINENTS[name]


@pytest.mark.parametrize("stop", [0, 1, 2, 3, 5])
def test_every_end_of_a_small_battle_has_its_exact_chance(stop: int) -> None:
    for attackers, defenders in product(range(stop + 1, stop + 8), range(1, 8)):
        result = odds.battle(attackers, defenders, stop)
        ends = exact(attackers, defenders, stop)
        for left in range(1, attackers + 1):
            assert result.attackers_left[left] == pytest.approx(float(ends.get((left, 0), 0)), abs=1e-13)
        for left in range(1, defenders + 1):
            share = sum(part for (_, defending), part in ends.items() if defending == left)
            assert result.defenders_left[left] == pytest.approx(float(share), abs=1e-13)
        lost = attackers - sum(left * share for (left, _), share in ends.items())
        assert result.attackers_lost == pytest.approx(float(lost), abs=1e-12)
        lost = defenders - sum(left * share for (_, left), share in ends.items())
        assert result.defenders_lost == pytest.approx(float(lost), abs=1e-12)


def test_the_largest_battle_is_certain_to_end() -> None:
    result = odds.battle(200, 200)
    assert sum(result.attackers_left) + sum(result.defenders_left) == pytest.approx(1, abs=1e-12)
    assert odds.battle(200, 190).conquered > result.conquered > odds.battle(190, 200).conquered


def test_a_battle_that_cannot_be_is_refused_in_words() -> None:
    with pytest.raises(FogboundError, match="up to 200 armies, not for 201 against 3"):
        odds.battle(201, 3)
    with pytest.raises(FogboundError, match="cannot stop at -1"):
        odds.battle(5, 3, -1)


def test_the_printed_odds_tell_the_chance_and_the_losses() -> None:
    console = Console(width=100)
    with console.capture() as capture:
        console.print(odds.odds_table(odds.battle(3, 2)))
    assert "65.60%" in capture.get() and "attacker 1.41, defender 1.44" in capture.get()
    with console.capture() as capture:
        console.print(odds.odds_table(odds.battle(8, 5, 3)))
    assert "stopping at 3" in capture.get() and "repelled by 5" in capture.get()


@pytest.mark.parametrize("stop", [0, 1, 2, 3])
def test_the_tables_give_the_same_chances_as_the_chain(stop: int) -> None:
    tables = odds.tables()
    assert not any(array.flags.writeable for array in tables)
    for attackers, defenders in ((1, 1), (3, 4), (12, 9), (40, 40), (2, 40), (40, 1)):
        result = odds.battle(attackers + stop, defenders, stop)
        assert tables.conquest[stop, attackers, defenders] == pytest.approx(result.conquered, abs=1e-12)
        shares = np.diff(tables.ends[stop, attackers, defenders], prepend=0.0)
        won = result.attackers_left[stop + 1 :]
        assert shares[:attackers] == pytest.approx(won, abs=1e-12)
        repelled = shares[odds.TABLE_SIZE :].reshape(-1, 2).sum(axis=1)
        assert repelled[:defenders] == pytest.approx(result.defenders_left[1:], abs=1e-12)


@program
def drawn(tables, attackers, defenders, stop, tape, counts, games):
    for _ in range(games):
        end = odds.blitz(tables, attackers, defenders, stop, tape)
        counts[end[0], end[1]] += 1


@program
def rolled(attackers, defenders, stop, tape, counts, games):
    """The same battles with real dice, one by one."""
    for _ in range(games):
        a, d = attackers, defenders
        while a > stop and d > 0:
            best, second = 0, 0
            for _die in range(min(3, a)):
                die = 1 + draw(tape, 6)
                best, second = max(best, die), max(second, min(best, die))
            first, other = 1 + draw(tape, 6), 0
            if d > 1:
                other = 1 + draw(tape, 6)
            high, low = max(first, other), min(first, other)
            two = d > 1 and a > 1
            a_lost = (1 if best <= high else 0) + (1 if two and second <= low else 0)
            d_lost = (1 if best > high else 0) + (1 if two and second > low else 0)
            a -= a_lost
            d -= d_lost
        counts[a, d] += 1


@pytest.mark.parametrize(
    ("attackers", "defenders", "stop"),
    [(1, 1, 0), (5, 3, 0), (9, 9, 0), (9, 8, 1), (9, 8, 2), (12, 7, 3), (20, 9, 8), (40, 38, 0), (48, 45, 2), (160, 140, 5)],
)
def test_battles_drawn_at_once_are_distributed_as_rolled_dice(attackers: int, defenders: int, stop: int) -> None:
    games = 20_000
    counts = np.zeros((2, attackers + 1, defenders + 1), np.int64)
    drawn(odds.tables(), attackers, defenders, stop, chance.untaped(streams.stream(1, "drawn")), counts[0], games)
    rolled(attackers, defenders, stop, chance.untaped(streams.stream(1, "rolled")), counts[1], games)
    common = counts.sum(axis=0) >= 10
    table = np.hstack([counts[:, common], counts[:, ~common].sum(axis=1, keepdims=True)]).astype(float)
    table = table[:, table.sum(axis=0) > 0]
    distance = ((table[0] - table[1]) ** 2 / table.sum(axis=0)).sum()
    assert chi2.sf(distance, max(1, table.shape[1] - 1)) > 0.001
    assert (counts[0] > 0).sum() > 1


def test_the_distribution_test_notices_wrong_dice() -> None:
    """The test above can fail: one attacker more makes another distribution."""
    counts = np.zeros((2, 12, 12), np.int64)
    drawn(odds.tables(), 9, 9, 0, chance.untaped(streams.stream(1, "drawn")), counts[0], 20_000)
    rolled(10, 9, 0, chance.untaped(streams.stream(1, "rolled")), counts[1], 20_000)
    table = counts[:, counts.sum(axis=0) > 0].astype(float)
    distance = ((table[0] - table[1]) ** 2 / table.sum(axis=0)).sum()
    assert chi2.sf(distance, table.shape[1] - 1) < 1e-9
