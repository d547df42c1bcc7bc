"""Path costs against plain searches: all that is optimal and nothing else, payable step by step."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from functools import cache
from random import Random

import pytest

import fogbound as fb
from fogbound.core.jsonfile import JsonFile
from fogbound.games.scotland_yard.board import BOARDS, grid_file
from fogbound.games.scotland_yard.game import ScotlandYard
from fogbound.games.scotland_yard.paths import MOST_COSTS, UNREACHABLE, distance, purse
from fogbound.games.scotland_yard.rules import HIDDEN, TICKET_SHIFT
from tests.games.scotland_yard.random_boards import random_game

Cost = tuple[int, ...]


@cache
def small_games() -> list[ScotlandYard]:
    games = [fb.game("scotland-yard/grid3"), *(random_game(number) for number in range(60))]
    return [game for game in games if isinstance(game, ScotlandYard) and len(game.numbers) <= 9]


def ways(game: ScotlandYard, station: int) -> Iterator[tuple[int, int]]:
    """(transport, end) of every link that a ticket pays for, as indices, straight from the board file."""
    for kind, transport in enumerate(game.board.transports):
        if not transport.black_only:
            for end in game.board.stations[station].links.get(transport.name, ()):
                yield kind, game.numbers.index(end)


def spend(cost: Cost, kind: int, amount: int = 1) -> Cost:
    return (*cost[:kind], cost[kind] + amount, *cost[kind + 1 :])


def at_most(cost: Cost, other: Cost) -> bool:
    return all(a <= b for a, b in zip(cost, other, strict=True))


def optimal_costs(game: ScotlandYard, source: int) -> dict[int, set[Cost]]:
    """Every walk without a detour tried; then the costs that no other cost beats."""
    zero = (0,) * len(game.board.transports)
    seen = {(source, zero)}
    newest = seen
    for _ in game.numbers:
        newest = {(end, spend(cost, kind)) for here, cost in newest for kind, end in ways(game, here)} - seen
        seen |= newest
    costs: dict[int, set[Cost]] = {}
    for station, cost in seen:
        costs.setdefault(station, set()).add(cost)
    return {
        station: {cost for cost in each if not any(at_most(other, cost) for other in each - {cost})}
        for station, each in costs.items()
    }


def labels(game: ScotlandYard, a: int, b: int) -> list[tuple[Cost, int, int, int]]:
    """The costs from a to b that were found: tickets, moves, and the ticket and end of the first step."""
    paths, found = game.paths, []
    for i in range(paths.start[a, b], paths.start[a, b] + paths.labels[a, b]):
        cost = tuple(int(paths.cost[i]) >> 8 * kind & 255 for kind in range(len(game.board.transports)))
        step = int(paths.step[i])
        found.append((cost, int(paths.moves[i]), step >> TICKET_SHIFT, step & HIDDEN))
    return found


def test_the_costs_are_exactly_those_of_a_search_that_tries_everything() -> None:
    assert len(small_games()) > 10
    for game in small_games():
        for a in range(len(game.numbers)):
            expected = optimal_costs(game, a)
            for b in range(len(game.numbers)):
                found = labels(game, a, b)
                assert len({cost for cost, *_ in found}) == len(found)
                assert {cost for cost, *_ in found} == expected.get(b, set()), (game.spec, a, b)


def check_first_steps(game: ScotlandYard) -> None:
    for a in range(len(game.numbers)):
        for b in range(len(game.numbers)):
            found = labels(game, a, b)
            assert [moves for _, moves, *_ in found] == sorted(sum(cost) for cost, *_ in found)
            assert game.paths.hops[a, b] == (found[0][1] if found else UNREACHABLE)
            for cost, _, kind, end in found if a != b else ():
                assert (kind, end) in ways(game, a)
                rest = spend(cost, kind, -1)
                assert rest in [other for other, *_ in labels(game, end, b)], (game.spec, a, b, cost)


def test_the_first_step_of_every_path_is_a_link_and_leads_on_at_the_rest_of_the_price() -> None:
    for game in small_games():
        check_first_steps(game)
    plan1 = fb.game("scotland-yard/plan1")
    assert isinstance(plan1, ScotlandYard)
    check_first_steps(plan1)


def test_known_costs_on_plan1() -> None:
    game = fb.game("scotland-yard/plan1")
    assert isinstance(game, ScotlandYard)
    place = game.index
    costs = {cost for cost, *_ in labels(game, place[1], place[30])}
    assert (0, 3) in costs  # by tram over 6 and 14
    assert all(taxi + tram >= 3 for taxi, tram in costs)
    assert labels(game, place[5], place[5]) == [((0, 0), 0, -1, HIDDEN)]
    assert [cost for cost, *_ in labels(game, place[5], place[4])] == [(1, 0)]


def shortest(game: ScotlandYard, a: int, b: int, tickets: Cost) -> int | None:
    """Fewest moves from a to b with these tickets, by a search over stations and tickets left."""
    seen, newest, moves = {(a, tickets)}, {(a, tickets)}, 0
    while newest:
        if any(station == b for station, _ in newest):
            return moves
        steps = {(end, spend(left, kind, -1)) for here, left in newest for kind, end in ways(game, here) if left[kind] > 0}
        newest = steps - seen
        seen |= newest
        moves += 1
    return None


@pytest.mark.parametrize("number", range(3))
def test_a_distance_is_the_fewest_moves_that_the_tickets_can_pay_for(number: int) -> None:
    rng, answers = Random(number), Counter[bool]()
    plan1 = fb.game("scotland-yard/plan1")
    assert isinstance(plan1, ScotlandYard)
    for game in [*small_games()[number::3], plan1]:
        far = game.paths.far
        assert far == 1 + max(int(x) for x in game.paths.hops.ravel() if x < UNREACHABLE)
        state = game.new(seed=number).state
        for _ in range(25):
            a, b = rng.randrange(len(game.numbers)), rng.randrange(len(game.numbers))
            tickets = tuple(rng.randint(0, 4) for _ in game.board.transports)
            state["tickets"][1][: len(tickets)] = tickets
            expected = shortest(game, a, b, tickets)
            word = purse(game.table, state["tickets"][1])
            assert distance(game.paths, a, b, word) == (far if expected is None else expected), (game.spec, a, b, tickets)
            answers[expected is None] += 1
    assert answers[True] and answers[False]


def test_a_station_that_only_a_black_ticket_reaches_is_out_of_reach_for_detectives() -> None:
    game = fb.game("scotland-yard/london")
    assert isinstance(game, ScotlandYard)
    ferry = labels(game, game.index[194], game.index[157])
    assert ferry and all(cost[3] == 0 for cost, *_ in ferry) and min(moves for _, moves, *_ in ferry) > 1


def test_unlimited_tickets_pay_for_every_path() -> None:
    game = fb.game("scotland-yard/grid5")
    assert isinstance(game, ScotlandYard)
    state = game.new().state
    assert distance(game.paths, game.index[1], game.index[25], purse(game.table, state["tickets"][1])) == 8


def test_a_board_of_many_mixed_transports_keeps_the_shortest_costs_only() -> None:
    size, kinds = 7, ["a", "b", "c", "d", "e", "f"]
    file = grid_file(size)
    rng = Random(3)
    links: dict[tuple[int, int], str] = {}
    for station in file["stations"]:
        mine: dict[str, list[int]] = {}
        for end in station["links"]["walk"]:
            kind = links.setdefault((min(station["station"], end), max(station["station"], end)), rng.choice(kinds))
            mine.setdefault(kind, []).append(end)
        station["links"] = mine
    file["transports"] = [{"name": kind} for kind in kinds]
    paths = ScotlandYard(BOARDS.check(JsonFile("mixed", file, {})), "mixed", shipped=False).paths
    assert paths.labels.max() == MOST_COSTS
    assert paths.hops.max() == 2 * (size - 1)
