"""Why a move of Scotland Yard is good: where Mr X can be afterwards, who is near, who can be caught, in numbers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from fogbound.core.contract import Reason, State
from fogbound.core.rng import stream
from fogbound.core.view import View
from fogbound.core.world import World
from fogbound.games.scotland_yard.rules import DOUBLE_SHIFT, HIDDEN, MR_X, PASS_TICKET, TICKET_SHIFT, usable

if TYPE_CHECKING:
    from fogbound.games.scotland_yard.game import ScotlandYard


def reasons(game: ScotlandYard, view: View, action: int, belief: Mapping[str, float]) -> list[Reason]:
    if (action >> TICKET_SHIFT) & 15 == PASS_TICKET:
        return []
    return _of_mr_x(game, view, action) if view.seat == 0 else _of_detective(game, view, action, belief)


def _of_mr_x(game: ScotlandYard, view: View, action: int) -> list[Reason]:
    """He knows everything; what counts is what the others know."""
    after = World(game, view.state.copy(), stream(0, "why")).play(action).state
    here, possible = action & HIDDEN, len(game.possible(after))
    if after["winner"] == MR_X:
        return [Reason("free", "With this move Mr X has escaped.", {})]
    if action >> DOUBLE_SHIFT:
        return [Reason("twice", "No detective moves before Mr X moves again.", {}), *_hidden(after, possible)]
    able = [seat for seat in range(1, game.seats) if here in _reached(game, after, seat)]
    found = _hidden(after, possible)
    if not able:
        found.append(Reason("safe", "No detective can reach him in the next round.", {}))
    elif not after["shown"]:
        share = _covered(game, after) / possible
        text = f"If the detectives can only guess, they catch him in the next round with {share:.0%} at most."
        found.append(Reason("caught", text, {"share": share}))
    near = min(
        (steps for seat in range(1, game.seats) if (steps := _steps(game, after, seat, {here})) is not None), default=0
    )
    if near:
        found.append(Reason("near", f"The nearest detective is {_moves(near)} away.", {"n": near}))
    return found


def _hidden(after: State, possible: int) -> list[Reason]:
    if after["shown"]:
        return [Reason("shown", "He has to show himself with this move, wherever he goes.", {})]
    places = "1 station" if possible == 1 else f"{possible} stations"
    return [Reason("possible", f"For all that the detectives know, he can then be at {places}.", {"n": possible})]


def _of_detective(game: ScotlandYard, view: View, action: int, belief: Mapping[str, float]) -> list[Reason]:
    """From where Mr X can be, and how likely that is where somebody has worked it out; never from where he is."""
    state, here = view.state, action & HIDDEN
    before = _possible(game, state)
    found = []
    if here in before:
        share = belief.get(str(game.numbers[here]), 0.0) if belief else 1 / len(before)
        found.append(Reason("catch", f"Mr X is there with {share:.0%}.", {"share": share}))
    ways = {code: _ways_on(game, state, code & HIDDEN) for code in game.legal(state)}
    fewest = ways[action] == min(ways.values()) < max(ways.values())
    text = f"From all the places where he can be, his next move can then lead to {ways[action]} stations"
    if fewest:
        found.append(Reason("fewest", f"{text}; no move of this detective leaves him fewer.", {"n": ways[action]}))
    else:
        found.append(Reason("ways", f"{text}.", {"n": ways[action]}))
    near = _steps(game, state, view.seat, before - {here}, here)
    if near:
        text = f"From there it is {_moves(near)} to the nearest station where he can be."
        found.append(Reason("close", text, {"n": near}))
    return found


def _moves(n: int) -> str:
    return "1 move" if n == 1 else f"{n} moves"


def _possible(game: ScotlandYard, state: State) -> set[int]:
    return {game.index[number] for number in game.possible(state)}


def _ways_on(game: ScotlandYard, state: State, here: int) -> int:
    """How many stations Mr X's next move can lead to when this detective stands here and the others stay."""
    held = {int(place) for place in state["station"][1 : game.seats]} - {int(state["station"][state["turn"]])} | {here}
    places = sorted(_possible(game, state) - {here})
    words = np.bitwise_or.reduce(game.table.reach[usable(game.table, state), places], axis=0)
    ends = sum(int(word) << 64 * i for i, word in enumerate(words))
    return (ends & ~sum(1 << place for place in held)).bit_count()


def _reached(game: ScotlandYard, state: State, seat: int, start: int | None = None) -> set[int]:
    """The stations that a detective can pay a ride to, whoever stands there."""
    table = game.table
    here = int(state["station"][seat]) if start is None else start
    links = table.links[table.link_start[here] : table.link_start[here + 1]]
    return {int(link) & HIDDEN for link in links if state["tickets"][seat][int(link) >> TICKET_SHIFT] > 0}


def _steps(game: ScotlandYard, state: State, seat: int, ends: set[int], start: int | None = None) -> int | None:
    """A detective's moves to the nearest of some stations, by the kinds of tickets that it has."""
    reached = {int(state["station"][seat]) if start is None else start}
    edge, steps = reached, 0
    while edge and not reached & ends:
        edge = set().union(*(_reached(game, state, seat, place) for place in edge)) - reached
        reached = reached | edge
        steps += 1
    return steps if reached & ends else None


def _covered(game: ScotlandYard, state: State) -> int:
    """The most stations where Mr X can be that the detectives can step on in one round: a largest matching."""
    possible = _possible(game, state)
    taken: dict[int, int] = {}

    def place(seat: int, tried: set[int]) -> bool:
        for end in (_reached(game, state, seat) & possible) - tried:
            tried.add(end)
            if end not in taken or place(taken[end], tried):
                taken[end] = seat
                return True
        return False

    return sum(place(seat, set()) for seat in range(1, game.seats))
