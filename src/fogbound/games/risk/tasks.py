"""Puzzles of Risk: a front drawn by chance, a continent to be conquered this turn, and the exact chance of every move.

How hard one is, rules of thumb tell: which of them find the right move.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator

import numpy as np

from fogbound.core.match import Match
from fogbound.core.puzzles import Task
from fogbound.core.rng import Rng, below, stream
from fogbound.games.risk.game import Risk
from fogbound.games.risk.notation import parts_of
from fogbound.games.risk.table import ATTACK, ATTACK_MOVE, BATTLE, DRAFT, PLACE, income
from fogbound.games.risk.turn import TooLarge, Turn

MARGIN = 0.05  # by which the best move must be better than everything that is about something else
SAME = 0.03  # the same attack with a chance that is worse by no more counts as right too
FEWEST = 4  # things to choose between
CHANCES = (0.2, 0.9)  # between which a goal is worth trying
STACK = (3, 8)  # armies of a stack at the front
MOST_ATTACKERS = 10  # armies at the front that can attack


def find(game: Risk, seed: int) -> Iterator[Task | None]:
    """Positions one after the other, None for one that is no puzzle."""
    number = 0
    while True:
        rng = stream(seed, "tasks", number)
        number += 1
        yield _task(game, rng, number)


def _task(game: Risk, rng: Rng, number: int) -> Task | None:
    match = game.new(seed=number)
    continent = game.board.continents[below(rng, len(game.board.continents))]
    aim = [member for member in continent.members if below(rng, 2)]
    if not 2 <= len(aim) <= 3:
        return None
    _set_up(game, match, aim, continent.members, rng)
    turn = Turn(game.board, match.state, continent.members)
    assert turn.exact
    if sum(max(0, armies - 1) for armies in turn.front) + turn.pool > MOST_ATTACKERS:
        return None
    codes = game.legal(match.state)
    try:
        best = turn.value(turn.front, turn.pool)
        if not CHANCES[0] <= best <= CHANCES[1]:
            return None
        values = {code: turn.of_move(code) for code in codes}
    except TooLarge:
        return None
    best_move = max(values, key=lambda code: (round(values[code], 9), parts_of(code)[0] != BATTLE, parts_of(code)[3]))
    about = {code for code in values if _touched(code) == _touched(best_move)}
    others = [value for code, value in values.items() if code not in about]
    if len({_touched(code) for code in values}) < FEWEST or max(others) > best - MARGIN:
        return None
    right = tuple(sorted(code for code in about if values[code] >= best - SAME))
    goal = {"name": "continent", "continent": continent.name, "text": f"conquer all of {continent.name} this turn"}
    return Task(match, goal, best_move, right, values, _missed(turn, values, _touched(best_move)))


def _set_up(game: Risk, match: Match, aim: list[int], members: Collection[int], rng: Rng) -> None:
    """Red holds everything around the goal, with a few stacks; the others share the rest."""
    state, size = match.state, game.board.size
    for field in ("hand", "discard", "old", "received", "cards", "old_cards", "stock", "land"):
        state[field] = 0
    beside = {near for t in aim for near in game.board.neighbours[t]} - set(aim)
    own = beside | {t for t in members if t not in aim}
    stacks = {sorted(beside)[below(rng, len(beside))] for _ in range(1 + below(rng, 2))}
    low, high = STACK
    for t in range(size):
        state["owner"][t] = 0 if t in own else 1 + below(rng, game.seats - 1)
        state["armies"][t] = 1 if t in own else 1 + below(rng, 3)
        if t in stacks:
            state["armies"][t] = low + below(rng, high - low + 1)
        state["land"][state["owner"][t]][t >> 6] |= np.uint64(1 << (t & 63))
    state["source"] = state["target"] = -1
    state["round"], state["turn"], state["first"], state["conquered"] = 3, 0, 0, 0
    draft = below(rng, 2)
    state["phase"], state["pool"] = (DRAFT, income(game.table, state, 0)) if draft else (ATTACK, 0)
    match.placed = True


def _touched(code: int) -> tuple[int, ...]:
    """What a move is about: an attack by its two territories, armies by where they come."""
    kind, a, b, _ = parts_of(code)
    return (kind == PLACE, 0 if kind == PLACE else a, b)


def _missed(turn: Turn, values: dict[int, float], right: tuple[int, ...]) -> float:
    """The share of some rules of thumb that do not find the right move."""
    codes = [code for code in values if parts_of(code)[0] in (PLACE, ATTACK_MOVE, BATTLE)]
    armies = turn.armies

    def thumbs(code: int) -> list[float]:
        kind, a, b, count = parts_of(code)
        if kind == PLACE:
            near = [-turn.front[n] for n in turn.near[turn.at[b]] if turn.front[n] < 0] if b in turn.at else []
            weakest = min(near, default=99)
            return [armies[b] + count, -armies[b], -weakest, count - weakest]
        return [armies[a] - armies[b], armies[a], -armies[b], float(b in turn.at) * 99 - armies[b]]

    found = [_touched(max(codes, key=lambda code: thumbs(code)[rule])) == right for rule in range(4)]
    return 1 - sum(found) / len(found)
