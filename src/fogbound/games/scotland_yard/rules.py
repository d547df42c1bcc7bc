"""The rules of the Scotland Yard family, compiled: hidden movement on a graph.

Seat 0 is Mr X, seats 1 to n are the detectives. Stations are indices into the board's
list. An action is `destination | ticket << 9 | double << 13`; tickets 0 to 7 are the
board's transports, 8 is black, 15 stands for a pass. Seen by someone who may not know
it, the destination is HIDDEN. Sets of stations are four 64-bit words, a bit a station.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fogbound.core.bits import count_bits, lowest_bit
from fogbound.core.chance import draw
from fogbound.core.compiled import kernel
from fogbound.core.contract import Rules
from fogbound.core.rng import below

BLACK = 8
DOUBLE = 9
PASS_TICKET = 15
TICKET_SHIFT = 9
DOUBLE_SHIFT = 13
HIDDEN = 511  # the place of a destination that is not known
PASS = PASS_TICKET << TICKET_SHIFT
DOUBLED = 1 << DOUBLE_SHIFT
UNLIMITED = 32767
NOBODY, MR_X, DETECTIVES = -1, 0, 1  # winners

State = np.dtype(
    [
        ("round", np.int16),  # the round being played, from 1
        ("slot", np.int16),  # log slots filled
        ("seen_slot", np.int16),  # the slot of the last reveal; 0 is the start
        ("last_seen", np.int16),  # where he was seen then; -1 never
        ("station", np.int16, 6),  # of each seat; Mr X's is -1 when concealed
        ("tickets", np.int16, (6, 10)),  # of each seat: transports, black, double
        ("turn", np.int8),  # the seat to move; -1 when the game is over
        ("winner", np.int8),
        ("second", np.int8),  # 1 while Mr X owes the second half of a double move
        ("shown", np.int8),  # 1 while Mr X's station is public
        ("occupied", np.uint64, 4),  # stations held by detectives
        ("possible", np.uint64, 4),  # stations where Mr X can be, for all that the detectives know
    ],
    align=True,
)


class Table(NamedTuple):
    """A board and its rules as arrays. `mask` below means a set of transports, a bit each."""

    stations: int
    transports: int
    detectives: int
    rounds: int
    detectives_first: int
    hand_over: int
    step_on_detective: int
    closing_move: int
    show_start: int
    stuck_pass: int  # 1 if stuck detectives pass and play goes on
    payable: int  # mask of the transports that ordinary tickets pay for
    all_payable: int  # 1 if every station has a link by one of those
    tickets: NDArray[np.int16]  # [role, ticket]: role 0 is Mr X, 1 a detective
    reveal: NDArray[np.uint8]  # [slot]: 1 where Mr X shows himself
    mr_x_starts: NDArray[np.int16]
    detective_starts: NDArray[np.int16]
    link_start: NDArray[np.int32]  # links of station s: link_start[s] to link_start[s + 1]
    links: NDArray[np.int16]  # destination | ticket << 9, ascending, payable transports only
    any_start: NDArray[np.int32]  # the same for black tickets: every destination once
    any_links: NDArray[np.int16]
    reach: NDArray[np.uint64]  # [mask, station]: the set of stations one step away


@kernel
def has(members, station):
    return (members[station >> 6] >> np.uint64(station & 63)) & np.uint64(1) != np.uint64(0)


@kernel
def add(members, station):
    members[station >> 6] |= np.uint64(1) << np.uint64(station & 63)


@kernel
def remove(members, station):
    members[station >> 6] &= ~(np.uint64(1) << np.uint64(station & 63))


@kernel
def size(members):
    return count_bits(members[0]) + count_bits(members[1]) + count_bits(members[2]) + count_bits(members[3])


@kernel
def member(members, rank):
    """The station of this rank in a set, counted from 0."""
    for w in range(4):
        word = members[w]
        inside = count_bits(word)
        if rank < inside:
            for _ in range(rank):
                word &= word - np.uint64(1)
            return w * 64 + lowest_bit(word)
        rank -= inside
    return -1


@kernel
def reset(table, state, chance):
    state.round = 1
    state.slot = 0
    state.seen_slot = 0
    state.last_seen = -1
    state.winner = NOBODY
    state.second = 0
    state.shown = 0
    state.station[:] = -1
    state.tickets[:] = 0
    state.occupied[:] = np.uint64(0)
    state.possible[:] = np.uint64(0)
    for seat in range(table.detectives + 1):
        for ticket in range(10):
            state.tickets[seat, ticket] = table.tickets[min(seat, 1), ticket]
    state.station[0] = table.mr_x_starts[draw(chance, table.mr_x_starts.size)]
    for seat in range(1, table.detectives + 1):
        _place_detective(table, state, seat, chance)
    for start in table.mr_x_starts:
        if not has(state.occupied, start):
            add(state.possible, start)
    if table.show_start:
        _reveal(state)
    if table.detectives_first:
        _begin_detectives(table, state)
    else:
        _begin_mr_x(table, state)


@kernel
def _place_detective(table, state, seat, chance):
    """Draw one of the detectives' starts that is still free."""
    free = 0
    for start in table.detective_starts:
        if start != state.station[0] and not has(state.occupied, start):
            free += 1
    rank = draw(chance, free)
    for start in table.detective_starts:
        if start != state.station[0] and not has(state.occupied, start):
            if rank == 0:
                state.station[seat] = start
                add(state.occupied, start)
                return
            rank -= 1


@kernel
def legal(table, state, out):
    """Codes of the legal actions; a pass only where there is nothing else."""
    seat = state.turn
    if seat < 0 or state.station[seat] < 0:
        return 0
    here = state.station[seat]
    blocked = seat > 0 or not table.step_on_detective
    count = 0
    for i in range(table.link_start[here], table.link_start[here + 1]):
        link = table.links[i]
        if state.tickets[seat, link >> TICKET_SHIFT] > 0 and not (blocked and has(state.occupied, link & HIDDEN)):
            out[count] = link
            count += 1
    if seat == 0:
        count = _more_for_mr_x(table, state, here, blocked, out, count)
    if count == 0:
        out[0] = PASS
        count = 1
    return count


@kernel
def _more_for_mr_x(table, state, here, blocked, out, count):
    """Black tickets, and every single move again as the first half of a double move."""
    if state.tickets[0, BLACK] > 0:
        for i in range(table.any_start[here], table.any_start[here + 1]):
            if not (blocked and has(state.occupied, table.any_links[i])):
                out[count] = table.any_links[i] | BLACK << TICKET_SHIFT
                count += 1
    if state.tickets[0, DOUBLE] > 0 and state.second == 0:
        for i in range(count):
            out[count + i] = out[i] | DOUBLED
        count += count
    return count


@kernel
def apply(table, state, action, chance):
    if state.turn == 0:
        _move_mr_x(table, state, action)
    else:
        _move_detective(table, state, action)


@kernel
def _move_mr_x(table, state, action):
    ticket = (action >> TICKET_SHIFT) & 15
    doubled = action >> DOUBLE_SHIFT
    if ticket == PASS_TICKET:
        _keep_stuck(table, state)
    else:
        _widen(table, state, ticket)
        _pay(state, 0, ticket)
        if doubled:
            _pay(state, 0, DOUBLE)
        state.station[0] = action & HIDDEN
        state.shown = 0
    state.slot += 1
    if table.reveal[state.slot]:
        _reveal(state)
    if has(state.occupied, state.station[0]):
        _end(state, DETECTIVES)
    elif doubled:
        state.second = 1
        _begin_mr_x(table, state)
    else:
        state.second = 0
        _after_mr_x(table, state)


@kernel
def _after_mr_x(table, state):
    if state.round > table.rounds:  # that was the closing move
        _end(state, MR_X)
        return
    if table.detectives_first:
        state.round += 1
    _begin_detectives(table, state)


@kernel
def _move_detective(table, state, action):
    seat = state.turn
    ticket = (action >> TICKET_SHIFT) & 15
    if ticket != PASS_TICKET:
        destination = action & HIDDEN
        _pay(state, seat, ticket)
        if table.hand_over and state.tickets[0, ticket] != UNLIMITED:
            state.tickets[0, ticket] += 1
        remove(state.occupied, state.station[seat])
        add(state.occupied, destination)
        state.station[seat] = destination
        if destination == state.station[0]:
            _end(state, DETECTIVES)
            return
        remove(state.possible, destination)
    if seat < table.detectives:
        state.turn = seat + 1
    else:
        _after_detectives(table, state)


@kernel
def _after_detectives(table, state):
    last = state.round >= table.rounds
    if last and not table.closing_move:
        _end(state, MR_X)
        return
    if last or not table.detectives_first:
        state.round += 1
    _begin_mr_x(table, state)


@kernel
def _begin_mr_x(table, state):
    """Mr X is to move. Where he could not, he would be caught: the detectives see that he was not there."""
    state.turn = 0
    if table.step_on_detective:
        return
    mask = usable(table, state)
    if _is_stuck(table, state, mask, state.station[0]):
        _end(state, DETECTIVES)
        return
    everything = (1 << table.transports) - 1
    if mask == everything or (mask == table.payable and table.all_payable):
        _drop_stuck_near_detectives(table, state, mask)
    else:
        _drop_stuck(table, state, mask)


@kernel
def usable(table, state):
    """The transports that Mr X can pay for."""
    if state.tickets[0, BLACK] > 0:
        return (1 << table.transports) - 1
    mask = 0
    for transport in range(table.transports):
        if state.tickets[0, transport] > 0:
            mask |= 1 << transport
    return mask & table.payable


@kernel
def _is_stuck(table, state, mask, station):
    for w in range(4):
        if table.reach[mask, station, w] & ~state.occupied[w]:
            return False
    return True


@kernel
def _drop_stuck(table, state, mask):
    for w in range(4):
        word = state.possible[w]
        while word:
            station = w * 64 + lowest_bit(word)
            word &= word - np.uint64(1)
            if _is_stuck(table, state, mask, station):
                remove(state.possible, station)


@kernel
def _drop_stuck_near_detectives(table, state, mask):
    """The same when Mr X can pay for everything: only a detective's neighbours can be shut in."""
    for seat in range(1, table.detectives + 1):
        for w in range(4):
            word = table.reach[mask, state.station[seat], w] & state.possible[w]
            while word:
                station = w * 64 + lowest_bit(word)
                word &= word - np.uint64(1)
                if _is_stuck(table, state, mask, station):
                    remove(state.possible, station)


@kernel
def _keep_stuck(table, state):
    """Mr X passed: he is somewhere that his tickets do not lead away from."""
    mask = usable(table, state)
    for w in range(4):
        word = state.possible[w]
        while word:
            station = w * 64 + lowest_bit(word)
            word &= word - np.uint64(1)
            if (
                table.reach[mask, station, 0]
                | table.reach[mask, station, 1]
                | table.reach[mask, station, 2]
                | table.reach[mask, station, 3]
            ):
                remove(state.possible, station)


@kernel
def _widen(table, state, ticket):
    """The possible set after a move by this ticket: one step on, off the detectives."""
    mask = (1 << table.transports) - 1 if ticket == BLACK else 1 << ticket
    next0 = next1 = next2 = next3 = np.uint64(0)
    for w in range(4):
        word = state.possible[w]
        while word:
            station = w * 64 + lowest_bit(word)
            word &= word - np.uint64(1)
            next0 |= table.reach[mask, station, 0]
            next1 |= table.reach[mask, station, 1]
            next2 |= table.reach[mask, station, 2]
            next3 |= table.reach[mask, station, 3]
    # Stepping on a detective ends the game, so where it goes on he did not.
    state.possible[0] = next0 & ~state.occupied[0]
    state.possible[1] = next1 & ~state.occupied[1]
    state.possible[2] = next2 & ~state.occupied[2]
    state.possible[3] = next3 & ~state.occupied[3]


@kernel
def _reveal(state):
    state.shown = 1
    state.last_seen = state.station[0]
    state.seen_slot = state.slot
    state.possible[:] = np.uint64(0)
    add(state.possible, state.station[0])


@kernel
def _pay(state, seat, ticket):
    if state.tickets[seat, ticket] != UNLIMITED:
        state.tickets[seat, ticket] -= 1


@kernel
def _begin_detectives(table, state):
    """The detectives' turn begins; if none of them can move, Mr X has won (unless they pass)."""
    state.turn = 1
    if table.stuck_pass:
        return
    for seat in range(1, table.detectives + 1):
        if _can_move(table, state, seat):
            return
    _end(state, MR_X)


@kernel
def _can_move(table, state, seat):
    here = state.station[seat]
    for i in range(table.link_start[here], table.link_start[here + 1]):
        link = table.links[i]
        if state.tickets[seat, link >> TICKET_SHIFT] > 0 and not has(state.occupied, link & HIDDEN):
            return True
    return False


@kernel
def _end(state, winner):
    state.winner = winner
    state.turn = -1


@kernel
def to_move(state):
    return np.int64(state.turn)


@kernel
def score(table, state, out):
    out[0] = 1.0 if state.winner == MR_X else 0.0
    out[1] = 1.0 if state.winner == DETECTIVES else 0.0


@kernel
def conceal(table, state, seat):
    """Mr X knows everything; the others know his station only while it is shown, or at the end."""
    if seat != 0 and state.turn >= 0 and not state.shown:
        state.station[0] = -1


@kernel
def imagine(table, state, seat, rng):
    """Put Mr X on one of the stations where he can be, each equally likely."""
    if state.station[0] < 0:
        state.station[0] = member(state.possible, below(rng, size(state.possible)))


@kernel
def observe(table, state, action, seat):
    """Of Mr X's moves the others see the ticket, and the station only at a reveal or a catch."""
    if seat == 0 or state.turn != 0 or (action >> TICKET_SHIFT) & 15 == PASS_TICKET:
        return action
    destination = action & HIDDEN
    if table.reveal[state.slot + 1] or has(state.occupied, destination):
        return action
    return action | HIDDEN


RULES = Rules(State, reset, legal, apply, to_move, score, conceal, imagine, observe)
