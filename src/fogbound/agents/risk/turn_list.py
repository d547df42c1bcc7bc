"""All whole turns of Risk that a searcher is willing to look at, listed as Vašátko (2018) does.

A turn is a list of moves and the position after it, with the dice rolled once. So that equal turns are not made twice,
territories are gone through in a fixed order, in the draft and as attackers. By hand-written rules: drafts go to borders,
some armies at a time; an attack needs more armies than the defender has and goes on to its end; everything follows; and
all idle armies fortify a border. Or five nets choose, as a move filter.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fogbound.agents.risk.move_filter import MoveFilter, filtered_moves, likes_attack
from fogbound.agents.risk.net import attack_from, attack_of, liked_attack, occupied
from fogbound.agents.risk.tactics import most_armies_set, most_threatened, on_border, placeable
from fogbound.core.compiled import kernel, outlined
from fogbound.core.rng import below
from fogbound.games.risk.battle import movable
from fogbound.games.risk.game import Risk
from fogbound.games.risk.rules import apply, connected, legal, may_leave
from fogbound.games.risk.table import (
    ATTACK,
    BATTLE,
    DRAFT,
    END_ATTACK,
    END_TURN,
    FORTIFY,
    FORTIFY_MOVE,
    MOVE,
    MUST_EXCHANGE,
    OCCUPY,
    PLACE,
    contains,
    encode,
    room,
)

STACK = 2048  # unfinished turns that wait to be gone on with
LONGEST = 96  # moves of a turn
CARDS, PLACING, ATTACKING = range(3)  # what of an unfinished turn comes next


class TurnRules(NamedTuple):
    """Which turns are listed."""

    step: int  # armies that are drafted at a time
    margin: int  # armies that an attacker must have more than the defender
    guided: int  # 1: the nets choose
    most: int  # turns after which the listing ends
    nets: MoveFilter


class Work(NamedTuple):
    """Unfinished turns, a row each, and room for one more that is being worked on (the last row)."""

    state: NDArray[np.void]
    stage: NDArray[np.int8]
    place: NDArray[np.int16]  # [row, 2]: the place in the list, and the neighbour that comes next
    lands: NDArray[np.int16]  # [row, :]: territories to draft to, then those to attack from
    listed: NDArray[np.int16]  # how many these are
    moves: NDArray[np.int64]  # [row, :]
    length: NDArray[np.int16]  # how many moves
    done: NDArray[np.void]  # a position to finish a turn on


class Kept(NamedTuple):
    """Where listed turns are kept: positions, and moves if there is room for them."""

    state: NDArray[np.void]
    moves: NDArray[np.int64]  # [turn, :]; no rows: moves are not wanted
    length: NDArray[np.int16]


def make_work(game: Risk) -> Work:
    size = game.table.territories
    return Work(
        np.zeros(STACK + 1, game.rules.state),
        np.zeros(STACK + 1, np.int8),
        np.zeros((STACK + 1, 2), np.int16),
        np.zeros((STACK + 1, size), np.int16),
        np.zeros(STACK + 1, np.int16),
        np.zeros((STACK + 1, LONGEST), np.int64),
        np.zeros(STACK + 1, np.int16),
        np.zeros(1, game.rules.state),
    )


@outlined
def list_turns(table, rules, work, start, kept, first, room_for, out, chance, rng):
    """List the turns from a position; so many of them, drawn evenly, are kept from `first` on. How many there were."""
    work.state[0] = start
    work.length[0] = 0
    work.stage[0] = CARDS
    if start.phase == ATTACK or start.phase == OCCUPY:
        _to_attack(table, work, 0)
    total = np.int64(0)
    if start.phase != DRAFT and start.phase != ATTACK and start.phase != OCCUPY and start.phase != FORTIFY:
        return _list_placements(table, rules, work, kept, first, room_for, out, chance, rng)
    if start.phase == FORTIFY:
        return _finish(table, rules, work, 0, total, kept, first, room_for, out, chance, rng)
    top = np.int64(1)
    while top > 0 and total < rules.most:
        top -= 1
        _copy(work, top, STACK)
        if work.stage[STACK] == CARDS:
            top = _cards(table, work, top, out, chance)
        elif work.stage[STACK] == PLACING:
            top = _placing(table, rules, work, top, out, chance)
        else:
            top = _attacking(table, rules, work, top, out, chance)
            if work.stage[STACK] < 0:
                total = _finish(table, rules, work, STACK, total, kept, first, room_for, out, chance, rng)
    return total


# Rows.


@outlined
def play_move(table, state, code, chance):
    apply(table, state, code, chance)


@kernel
def _copy(work, source, target):
    work.state[target] = work.state[source]
    work.stage[target] = work.stage[source]
    work.place[target, 0], work.place[target, 1] = work.place[source, 0], work.place[source, 1]
    work.listed[target] = work.listed[source]
    for i in range(work.listed[source]):
        work.lands[target, i] = work.lands[source, i]
    work.length[target] = work.length[source]
    for i in range(work.length[source]):
        work.moves[target, i] = work.moves[source, i]


@kernel
def _push(work, top):
    """The turn that is worked on waits as it is now."""
    if top < STACK:
        _copy(work, STACK, top)
        return top + 1
    return top


@kernel
def _do(table, work, row, code, chance):
    """Make a move, and write it down."""
    _note(work, row, code)
    play_move(table, work.state[row], code, chance)


@kernel
def _note(work, row, code):
    if work.length[row] < LONGEST:
        work.moves[row, work.length[row]] = code
        work.length[row] += 1


# The draft.


@outlined
def _cards(table, work, top, out, chance):
    """Turn in what must be turned in; a set that may be turned in makes two turns."""
    state = work.state[STACK]
    seat = np.int64(state.turn)
    while state.cards[seat] >= MUST_EXCHANGE:
        _do(table, work, STACK, most_armies_set(table, state, seat, out), chance)
    code = most_armies_set(table, state, seat, out) if state.cards[seat] >= 3 else np.int64(-1)
    _to_draft(table, work)
    top = _push(work, top)
    if code >= 0:
        _do(table, work, STACK, code, chance)
        top = _push(work, top)
    return top


@kernel
def _to_draft(table, work):
    state = work.state[STACK]
    seat = np.int64(state.turn)
    found = 0
    for territory in range(table.territories):
        if state.owner[territory] == seat and on_border(table, state, seat, territory) and room(table, state, territory) > 0:
            work.lands[STACK, found] = territory
            found += 1
    work.listed[STACK] = found
    work.place[STACK, 0] = 0
    work.stage[STACK] = PLACING


@outlined
def _placing(table, rules, work, top, out, chance):
    state = work.state[STACK]
    if state.phase != DRAFT:
        _to_attack(table, work, STACK)
        return _push(work, top)
    if rules.guided:
        return _placing_by_nets(table, rules, work, top, out, chance)
    here = work.place[STACK, 0]
    work.place[STACK, 0] = here + 1
    if here + 1 >= work.listed[STACK]:
        _place_all(table, work, here, chance)
        return _push(work, top)
    territory = np.int64(work.lands[STACK, here])
    most = placeable(table, state, territory)
    for count in range(0, most, rules.step):
        top = _with_placed(table, work, top, territory, count, chance)
    return _with_placed(table, work, top, territory, most, chance)


@kernel
def _with_placed(table, work, top, territory, count, chance):
    """A copy of the turn with so many armies placed."""
    if top >= STACK:
        return top
    _copy(work, STACK, top)
    if count > 0:
        _do(table, work, top, encode(PLACE, 0, territory, count), chance)
    return top + 1


@kernel
def _place_all(table, work, here, chance):
    """What is left goes to the last territory; what has no room there to where most threatens."""
    state = work.state[STACK]
    if here < work.listed[STACK]:
        territory = np.int64(work.lands[STACK, here])
        count = placeable(table, state, territory)
        if count > 0:
            _do(table, work, STACK, encode(PLACE, 0, territory, count), chance)
    while state.phase == DRAFT:
        place_rest(table, state, chance)


@kernel
def place_rest(table, state, chance):
    territory = most_threatened(table, state, np.int64(state.turn))
    play_move(table, state, encode(PLACE, 0, territory, placeable(table, state, territory)), chance)


@kernel
def _placing_by_nets(table, rules, work, top, out, chance):
    """Every move that passes, whatever the order."""
    count = filtered_moves(table, rules.nets, work.state[STACK], out)
    for i in range(count):
        if top < STACK:
            _copy(work, STACK, top)
            _do(table, work, top, out[i], chance)
            top += 1
    return top


# The attack.


@kernel
def _to_attack(table, work, row):
    """The territories that can attack, in their order."""
    state = work.state[row]
    found = 0
    for territory in range(table.territories):
        if state.owner[territory] == state.turn and state.armies[territory] > 1:
            work.lands[row, found] = territory
            found += 1
    work.listed[row] = found
    work.place[row, 0] = work.place[row, 1] = 0
    work.stage[row] = ATTACKING


@outlined
def _attacking(table, rules, work, top, out, chance):
    """Go on to the next attack that the rules allow: once with it, once without; the stage is -1 when there is none."""
    state = work.state[STACK]
    seat = np.int64(state.turn)
    while work.place[STACK, 0] < work.listed[STACK]:
        source = np.int64(work.lands[STACK, work.place[STACK, 0]])
        near = table.link_start[source] + work.place[STACK, 1]
        if state.armies[source] < 2 or near >= table.link_start[source + 1]:
            work.place[STACK, 0] += 1
            work.place[STACK, 1] = 0
            continue
        work.place[STACK, 1] += 1
        target = np.int64(table.links[near])
        if state.owner[target] == seat or not _worth(rules, state, seat, source, target):
            continue
        top = _push(work, top)
        _note(work, STACK, encode(BATTLE, source, target, 1))
        fight(table, rules, state, seat, source, target, out, chance)
        if state.turn < 0:
            work.stage[STACK] = -1
            return top
        if state.owner[target] == seat and state.armies[target] > 1 and work.listed[STACK] < table.territories:
            work.lands[STACK, work.listed[STACK]] = target
            work.listed[STACK] += 1
    work.stage[STACK] = -1
    return top


@kernel
def _worth(rules, state, seat, source, target):
    """Whether an attack is looked at."""
    if rules.guided:
        return likes_attack(rules.nets, state, seat, source, target, state.armies[source])
    return state.armies[source] >= state.armies[target] + rules.margin


@outlined
def fight(table, rules, state, seat, source, target, out, chance):
    """Attack to the end, or as long as the net likes it; then occupy, and place armies for captured cards."""
    if rules.guided:
        while state.turn == seat and state.owner[target] != seat and state.armies[source] > 1:
            attack_from(rules.nets.params, state, seat, source)
            value, part = liked_attack(rules.nets.params, state, seat, target)
            if value <= rules.nets.least:
                break
            play_move(table, state, attack_of(rules.nets.params, state, source, target, part), chance)
    else:
        play_move(table, state, encode(BATTLE, source, target, 1), chance)
    while state.turn == seat and state.phase == OCCUPY:
        play_move(table, state, follow(table, rules, state, seat), chance)
    while state.turn == seat and state.phase == DRAFT:
        if state.cards[seat] >= MUST_EXCHANGE:
            play_move(table, state, most_armies_set(table, state, seat, out), chance)
        elif room(table, state, target) > 0:
            play_move(table, state, encode(PLACE, 0, target, placeable(table, state, target)), chance)
        else:
            place_rest(table, state, chance)


@kernel
def follow(table, rules, state, seat):
    """All armies follow into what was conquered, or as many as the net says."""
    if rules.guided:
        return occupied(table, rules.nets.params, state, seat)
    return encode(MOVE, 0, 0, np.int64(movable(table, state)))


# The end of the turn.


@outlined
def _finish(table, rules, work, row, total, kept, first, room_for, out, chance, rng):
    """The turn without fortifying, and with each way to do so."""
    state = work.state[row]
    if state.turn < 0:
        work.done[0] = state
        return _keep(work, row, total, kept, first, room_for, rng)
    if state.phase == ATTACK:
        play_move(table, state, encode(END_ATTACK, 0, 0, 0), chance)
    total = _ended(table, work, row, encode(END_TURN, 0, 0, 0), total, kept, first, room_for, chance, rng)
    if rules.guided:
        count = filtered_moves(table, rules.nets, state, out)
        for i in range(count - 1):  # the last one is to end the turn
            total = _ended(table, work, row, out[i], total, kept, first, room_for, chance, rng)
        return total
    seat = np.int64(state.turn)
    for source in range(table.territories):
        if not may_leave(state, source):
            continue
        reach0, reach1 = connected(table, state, source)
        for target in range(table.territories):
            inside = contains(reach0, reach1, target) and target != source
            if inside and on_border(table, state, seat, target) and room(table, state, target) > 0:
                count = min(np.int64(state.armies[source]) - 1, np.int64(room(table, state, target)))
                code = encode(FORTIFY_MOVE, source, target, count)
                total = _ended(table, work, row, code, total, kept, first, room_for, chance, rng)
    return total


@kernel
def _ended(table, work, row, code, total, kept, first, room_for, chance, rng):
    before = work.length[row]
    work.done[0] = work.state[row]
    play_move(table, work.done[0], code, chance)
    if code != encode(END_TURN, 0, 0, 0):
        _note(work, row, code)
        play_move(table, work.done[0], encode(END_TURN, 0, 0, 0), chance)
    total = _keep(work, row, total, kept, first, room_for, rng)
    work.length[row] = before
    return total


@kernel
def _keep(work, row, total, kept, first, room_for, rng):
    """Every turn stays with the same chance, however many there will be."""
    slot = total if total < room_for else np.int64(below(rng, total + 1))
    if slot < room_for:
        kept.state[first + slot] = work.done[0]
        if first + slot < kept.moves.shape[0]:
            kept.length[first + slot] = work.length[row]
            for i in range(work.length[row]):
                kept.moves[first + slot, i] = work.moves[row, i]
    return total + 1


@outlined
def _list_placements(table, rules, work, kept, first, room_for, out, chance, rng):
    """In the set-up a turn is one army."""
    state = work.state[0]
    count = filtered_moves(table, rules.nets, state, out) if rules.guided else legal(table, state, out)
    total = np.int64(0)
    for i in range(count):
        work.done[0] = state
        play_move(table, work.done[0], out[i], chance)
        work.moves[0, 0], work.length[0] = out[i], 1
        total = _keep(work, 0, total, kept, first, room_for, rng)
    return total
