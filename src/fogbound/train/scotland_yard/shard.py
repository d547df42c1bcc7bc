"""A lane: many matches of Scotland Yard stepped side by side in compiled code, by one thread.

Each match waits at a decision of the learner. Whose move it is otherwise: a partner's (a detective
whom the learner does not play) or one of the opponents, of whom each match has drawn one.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fogbound.core.agent import choices_of
from fogbound.core.chance import Chance
from fogbound.core.compiled import kernel, program
from fogbound.core.rng import below, root, spread
from fogbound.games.scotland_yard.game import ScotlandYard
from fogbound.games.scotland_yard.planes import answer_of, write
from fogbound.games.scotland_yard.rules import (
    DETECTIVES,
    HIDDEN,
    PASS,
    apply,
    conceal,
    has,
    legal,
    reset,
    to_move,
)

LEARNER, PARTNER, OPPONENT = 0, 1, 2  # who plays a seat; opponents are numbered from OPPONENT on


class Lane(NamedTuple):
    """The matches of a lane, a row each."""

    states: NDArray[Any]
    number: NDArray[np.int64]  # which match of the seed it is
    opponent: NDArray[np.int64]  # which opponent it has drawn, from 0
    moves: NDArray[np.int64]  # made so far
    log: NDArray[np.int64]  # [match, move]
    chance: NDArray[np.uint64]  # rng of the match's own draws
    choices: NDArray[np.uint64]  # [match, side, 4]: rng of those who are not the learner
    imagination: NDArray[np.uint64]  # [match, side, 4]
    gain: NDArray[np.float32]  # what the learner's last move has brought so far
    wrong: NDArray[np.uint8]  # 1 if it was none of the legal ones
    role: NDArray[np.int64]  # [seat]: LEARNER, PARTNER or OPPONENT
    roots: NDArray[np.uint64]  # [kind, 4]: the roots of the streams
    played: NDArray[np.int64]  # [opponent]: matches that ended
    won: NDArray[np.int64]  # [opponent]: of these by the learner
    most_actions: int


BY_MATCH = ("states", "number", "opponent", "moves", "log", "chance", "choices", "imagination", "gain", "wrong")


class Rewards(NamedTuple):
    """What the learner gets for what."""

    possible: float  # a detective steps on a station where Mr X could be
    caught: float  # the detectives win (for Mr X: what being caught costs him)
    lost: float  # the detectives lose
    survived: float  # Mr X lives to his next move, or to the end
    escaped: float  # Mr X wins, besides
    own_catch: int  # 1 if `caught` is only for a detective who took part


def make_lane(game: ScotlandYard, seed: int, first: int, count: int, role: list[int], opponents: int) -> Lane:
    """Matches `first` to `first + count - 1`, none of them begun."""
    board = game.board
    longest = board.slots + 2 + board.rules.detectives * (board.rules.rounds + 1)
    purposes = ["game", "opponents", "learner", *(choices_of(side) for side in (0, 1)), "imagination 0", "imagination 1"]
    return Lane(
        np.zeros(count, game.rules.state),
        np.arange(first, first + count),
        np.zeros(count, np.int64),
        np.zeros(count, np.int64),
        np.zeros((count, longest), np.int64),
        np.zeros((count, 4), np.uint64),
        np.zeros((count, 3, 4), np.uint64),
        np.zeros((count, 2, 4), np.uint64),
        np.zeros(count, np.float32),
        np.zeros(count, np.uint8),
        np.array(role, np.int64),
        np.array([root(seed, purpose) for purpose in purposes]),
        np.zeros(opponents, np.int64),
        np.zeros(opponents, np.int64),
        game.most_actions,
    )


@kernel
def owner(lane, g):
    """Who is to move in a match: LEARNER, PARTNER, OPPONENT + k; -1 when it is over."""
    seat = to_move(lane.states[g])
    if seat < 0:
        return -1
    role = lane.role[seat]
    return role + lane.opponent[g] if role == OPPONENT else role


@kernel
def play(table, lane, g, action, chance):
    """Make a move in a match."""
    lane.log[g, lane.moves[g]] = action
    lane.moves[g] += 1
    apply(table, lane.states[g], action, chance)


@program
def begin(table, lane, anyone, step):
    """Begin a new match in every row that is over, or in all; how many were begun. The row's next number is `step` on."""
    begun = 0
    nothing = np.zeros(0, np.int64)
    cursor = np.zeros(3, np.int64)
    for g in range(lane.states.size):
        if not anyone and to_move(lane.states[g]) >= 0:
            continue
        if not anyone:
            lane.number[g] += step
        begun += 1
        number = lane.number[g]
        lane.chance[g] = spread(lane.roots[0], number, 1)[0]
        lane.opponent[g] = below(spread(lane.roots[1], number, 1)[0], lane.played.size)
        lane.choices[g, 2] = spread(lane.roots[2], number, 1)[0]
        for side in range(2):
            lane.choices[g, side] = spread(lane.roots[3 + side], number, 1)[0]
            lane.imagination[g, side] = spread(lane.roots[5 + side], number, 1)[0]
        lane.moves[g] = 0
        lane.gain[g] = 0.0
        lane.wrong[g] = 0
        reset(table, lane.states[g], Chance(lane.chance[g], nothing, nothing, cursor))
    return begun


@program
def act(table, coding, lane, chosen, rewards):
    """The learner's answers become moves: one that is not legal becomes a random move."""
    out = np.empty(lane.most_actions, np.int64)
    nothing = np.zeros(0, np.int64)
    cursor = np.zeros(3, np.int64)
    for g in range(lane.states.size):
        state = lane.states[g]
        seat = to_move(state)
        count = legal(table, state, out)
        pick = -1
        for i in range(count):
            if answer_of(coding, state.station[seat], out[i]) == chosen[g]:
                pick = i
                break
        lane.wrong[g] = pick < 0
        if pick < 0:
            pick = below(lane.choices[g, 2], count)
        action = out[pick]
        lane.gain[g] = 0.0
        if seat > 0 and not lane.wrong[g] and has(state.possible, action & HIDDEN):
            lane.gain[g] = rewards.possible
        play(table, lane, g, action, Chance(lane.chance[g], nothing, nothing, cursor))


@program
def waiting(table, lane):
    """How many matches wait for somebody else than the learner. Where a learner can only pass, he does."""
    out = np.empty(lane.most_actions, np.int64)
    nothing = np.zeros(0, np.int64)
    cursor = np.zeros(3, np.int64)
    found = 0
    for g in range(lane.states.size):
        while owner(lane, g) == LEARNER and legal(table, lane.states[g], out) == 1 and out[0] == PASS:
            play(table, lane, g, PASS, Chance(lane.chance[g], nothing, nothing, cursor))
        found += owner(lane, g) > LEARNER
    return found


@program
def settle(table, lane, rewards, reward, done):
    """What each learner's last move has brought by now, and whether the match is over."""
    hunting = lane.role[0] != LEARNER
    for g in range(lane.states.size):
        state = lane.states[g]
        over = to_move(state) < 0
        caught = over and state.winner == DETECTIVES
        done[g] = over
        if not over:
            reward[g] = lane.gain[g] if hunting else (0.0 if lane.wrong[g] else rewards.survived)
            continue
        lane.played[lane.opponent[g]] += 1
        lane.won[lane.opponent[g]] += caught == hunting
        if not caught:
            escaped = (0.0 if lane.wrong[g] else rewards.survived) + rewards.escaped
            reward[g] = rewards.lost if hunting else escaped
        elif hunting and rewards.own_catch and not _took_part(table, lane, state):
            reward[g] = lane.gain[g]
        else:
            reward[g] = rewards.caught


@kernel
def _took_part(table, lane, state):
    """Whether a detective of the learner made the catch, or Mr X was shut in by all."""
    somebody = False
    for seat in range(1, table.detectives + 1):
        if state.station[seat] == state.station[0]:
            somebody = True
            if lane.role[seat] == LEARNER:
                return True
    return not somebody


@program
def look(table, coding, lane, features, mask):
    """What the learner may know of every match, as numbers, and which of his answers are legal moves."""
    out = np.empty(lane.most_actions, np.int64)
    view = np.empty(1, lane.states.dtype)
    for g in range(lane.states.size):
        view[0] = lane.states[g]
        state = view[0]
        seat = to_move(state)
        conceal(table, state, seat)
        write(table, coding, state, seat, features[g])
        mask[g, :] = 0
        for i in range(legal(table, state, out)):
            answer = answer_of(coding, state.station[seat], out[i])
            if answer >= 0:
                mask[g, answer] = 1
