"""A shard of the environment batch: many matches of Scotland Yard stepped side by side, compiled, by one thread.

Each match waits at a decision of the learner. All other moves belong to the partner (detectives that
the learner does not play) or to an opponent, of whom each match has drawn one.
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

LEARNER, PARTNER, OPPONENT = 0, 1, 2  # roles: who plays a seat; opponents are numbered from OPPONENT on


class Shard(NamedTuple):
    """The matches of a shard, a row each."""

    states: NDArray[Any]
    number: NDArray[np.int64]  # which match of the seed it is
    opponent: NDArray[np.int64]  # which opponent it has drawn, from 0
    moves: NDArray[np.int64]  # made so far
    log: NDArray[np.int64]  # [match, move]
    chance: NDArray[np.uint64]  # rng of the match's own draws
    choices: NDArray[np.uint64]  # [match, side, 4]: rng of those who are not the learner
    imagination: NDArray[np.uint64]  # [match, side, 4]
    gain: NDArray[np.float32]  # reward of the learner's last move so far
    wrong: NDArray[np.uint8]  # 1 if that move was illegal
    role: NDArray[np.int64]  # [seat]: LEARNER, PARTNER or OPPONENT
    roots: NDArray[np.uint64]  # [purpose, 4]: where the rng of each match comes from
    played: NDArray[np.int64]  # [opponent]: matches that ended
    won: NDArray[np.int64]  # [opponent]: matches won by the learner
    most_actions: int


BY_MATCH = ("states", "number", "opponent", "moves", "log", "chance", "choices", "imagination", "gain", "wrong")


class Rewards(NamedTuple):
    """What the learner is rewarded for."""

    possible: float  # a detective steps on a station where Mr X could be
    caught: float  # the detectives win (for Mr X: what being caught costs him)
    lost: float  # the detectives lose
    survived: float  # Mr X lives to his next move, or to the end
    escaped: float  # Mr X wins, besides
    own_catch: int  # 1 if `caught` is only for a detective who took part
    wrong: float = np.nan  # an illegal answer, whatever its random move brings; nan: what that move brings


def make_shard(game: ScotlandYard, seed: int, first: int, count: int, role: list[int], opponents: int) -> Shard:
    """A shard of matches `first` to `first + count - 1`, none of them begun."""
    board = game.board
    longest = board.slots + 2 + board.rules.detectives * (board.rules.rounds + 1)
    purposes = ["game", "opponents", "learner", *(choices_of(side) for side in (0, 1)), "imagination 0", "imagination 1"]
    return Shard(
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
def owner(shard, g):
    """Who is to move in a match: LEARNER, PARTNER, OPPONENT + k; -1 when it is over."""
    seat = to_move(shard.states[g])
    if seat < 0:
        return -1
    role = shard.role[seat]
    return role + shard.opponent[g] if role == OPPONENT else role


@kernel
def play(table, shard, g, action, chance):
    """Make a move in a match."""
    shard.log[g, shard.moves[g]] = action
    shard.moves[g] += 1
    apply(table, shard.states[g], action, chance)


@program
def begin_matches(table, shard, everywhere, stride):
    """Begin a new match in every row that is over, or in all rows; how many were begun.

    A row's next match has a number that is `stride` higher, so that no two rows ever play the same match.
    """
    begun = 0
    no_tape = np.zeros(0, np.int64)
    cursor = np.zeros(3, np.int64)
    for g in range(shard.states.size):
        if not everywhere and to_move(shard.states[g]) >= 0:
            continue
        if not everywhere:
            shard.number[g] += stride
        begun += 1
        number = shard.number[g]
        shard.chance[g] = spread(shard.roots[0], number, 1)[0]
        shard.opponent[g] = below(spread(shard.roots[1], number, 1)[0], shard.played.size)
        shard.choices[g, 2] = spread(shard.roots[2], number, 1)[0]
        for side in range(2):
            shard.choices[g, side] = spread(shard.roots[3 + side], number, 1)[0]
            shard.imagination[g, side] = spread(shard.roots[5 + side], number, 1)[0]
        shard.moves[g] = 0
        shard.gain[g] = 0.0
        shard.wrong[g] = 0
        reset(table, shard.states[g], Chance(shard.chance[g], no_tape, no_tape, cursor))
    return begun


@program
def play_answers(table, coding, shard, chosen, rewards):
    """Play the learner's answers; an illegal one becomes a random move."""
    out = np.empty(shard.most_actions, np.int64)
    no_tape = np.zeros(0, np.int64)
    cursor = np.zeros(3, np.int64)
    for g in range(shard.states.size):
        state = shard.states[g]
        seat = to_move(state)
        count = legal(table, state, out)
        pick = -1
        for i in range(count):
            if answer_of(coding, state.station[seat], out[i]) == chosen[g]:
                pick = i
                break
        shard.wrong[g] = pick < 0
        if pick < 0:
            pick = below(shard.choices[g, 2], count)
        action = out[pick]
        shard.gain[g] = 0.0
        if seat > 0 and not shard.wrong[g] and has(state.possible, action & HIDDEN):
            shard.gain[g] = rewards.possible
        play(table, shard, g, action, Chance(shard.chance[g], no_tape, no_tape, cursor))


@program
def count_waiting(table, shard):
    """How many matches wait for another player than the learner. A learner who can only pass does so at once."""
    out = np.empty(shard.most_actions, np.int64)
    no_tape = np.zeros(0, np.int64)
    cursor = np.zeros(3, np.int64)
    count = 0
    for g in range(shard.states.size):
        while owner(shard, g) == LEARNER and legal(table, shard.states[g], out) == 1 and out[0] == PASS:
            play(table, shard, g, PASS, Chance(shard.chance[g], no_tape, no_tape, cursor))
        count += owner(shard, g) > LEARNER
    return count


@program
def write_rewards(table, shard, rewards, reward, done):
    """The reward of the learner's last move in every match, and whether the match is over."""
    hunting = shard.role[0] != LEARNER
    fixed = not np.isnan(rewards.wrong)
    for g in range(shard.states.size):
        state = shard.states[g]
        over = to_move(state) < 0
        caught = over and state.winner == DETECTIVES
        done[g] = over
        if not over:
            reward[g] = shard.gain[g] if hunting else (0.0 if shard.wrong[g] else rewards.survived)
            if fixed and shard.wrong[g]:
                reward[g] = rewards.wrong
            continue
        shard.played[shard.opponent[g]] += 1
        shard.won[shard.opponent[g]] += caught == hunting
        if not caught:
            escaped = (0.0 if shard.wrong[g] else rewards.survived) + rewards.escaped
            reward[g] = rewards.lost if hunting else escaped
        elif hunting and rewards.own_catch and not _took_part(table, shard, state):
            reward[g] = shard.gain[g]
        else:
            reward[g] = rewards.caught
        if fixed and shard.wrong[g]:
            reward[g] = rewards.wrong


@kernel
def _took_part(table, shard, state):
    """Whether a detective of the learner made the catch, or Mr X was shut in by all."""
    somebody = False
    for seat in range(1, table.detectives + 1):
        if state.station[seat] == state.station[0]:
            somebody = True
            if shard.role[seat] == LEARNER:
                return True
    return not somebody


@program
def write_afterstates(table, coding, shard, movers, features, ended):
    """What the learner may know directly after its own move, before anybody else moves, and whether that ended the match."""
    view = np.empty(1, shard.states.dtype)
    for g in range(shard.states.size):
        view[0] = shard.states[g]
        ended[g] = to_move(view[0]) < 0
        conceal(table, view[0], movers[g])
        write(table, coding, view[0], movers[g], features[g])


@program
def write_observations(table, coding, shard, features, mask):
    """What the learner may know of every match, as features, and a mask of the answers that are legal moves."""
    out = np.empty(shard.most_actions, np.int64)
    view = np.empty(1, shard.states.dtype)
    for g in range(shard.states.size):
        view[0] = shard.states[g]
        state = view[0]
        seat = to_move(state)
        conceal(table, state, seat)
        write(table, coding, state, seat, features[g])
        mask[g, :] = 0
        for i in range(legal(table, state, out)):
            answer = answer_of(coding, state.station[seat], out[i])
            if answer >= 0:
                mask[g, answer] = 1
