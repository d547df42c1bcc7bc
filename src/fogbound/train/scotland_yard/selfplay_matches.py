"""Matches for self-play: thousands side by side, each waiting for a net, stepped in threads.

Who plays a side of a match is drawn when it begins: the learner, an older net, or one of the scripted
players, which move here at once. What a net has to decide is written as a row of bytes. In matches that
are `taken_over`, whoever began makes way for the learner on both sides at some move, and Mr X turns out to be at any
station where he can be: so the learner's own games are also seen from positions that he would not come to.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fogbound.agents.scotland_yard.heuristic import Params as HeuristicParams
from fogbound.agents.scotland_yard.heuristic import choose as heuristic
from fogbound.agents.scotland_yard.mcts_hooks import ChaseParams, chase
from fogbound.agents.scotland_yard.policy_features import VIEW_BYTES, encode
from fogbound.core.chance import Chance
from fogbound.core.compiled import kernel, outlined, program
from fogbound.core.rng import below, root, spread, unit
from fogbound.games.scotland_yard.game import ScotlandYard
from fogbound.games.scotland_yard.rules import MR_X, State, apply, conceal, legal, member, reset, size, to_move

# What a row holds besides the view; none of it is an input of a policy.
TRUTH, KIND_X, KIND_D, OWNER, DONE, RESULT = range(VIEW_BYTES, VIEW_BYTES + 6)
WIDTH = VIEW_BYTES + 6

LEARNER, OLDER, HEURISTIC, VARIANT, CHASE, RANDOM = range(6)  # kinds of players
KINDS = ("learner", "older", "heuristic", "variant", "chase", "random")
NEVER = 1 << 20  # a clock that no match reaches
OWNERS = 2  # 0: the learner's Mr X, 1: his detectives; then the older nets of Mr X, then of the detectives

Pairing = tuple[int, int, float]  # kind of Mr X, kind of the detectives, how often


class Shard(NamedTuple):
    """The matches of one thread."""

    states: NDArray[Any]
    chance: NDArray[np.uint64]
    rng: NDArray[np.uint64]
    kinds: NDArray[np.int64]  # [match, side]
    slots: NDArray[np.int64]  # [match, side]: which of the older nets
    style: NDArray[np.int64]  # [match]: how a variant of the heuristic plays
    due: NDArray[np.int64]  # [match]: when the learner takes both sides over, by the clock
    games: NDArray[np.int64]  # [match]: how many it has ended
    pairs: NDArray[np.int64]  # [pairing, side]
    shares: NDArray[np.float64]  # of each pairing and all before it
    older: int  # how many older nets a side has
    taken_over: bool
    tally: NDArray[np.int64]  # [kind, kind, winner]
    first_tally: NDArray[np.int64]  # the same of every match's first game only
    older_tally: NDArray[np.int64]  # [side of the older net, slot, winner], against the learner
    seen: NDArray[Any]  # room for one concealed state
    out: NDArray[np.int64]


class Matches:
    """Matches on one or more games of the same board, in order of the games."""

    def __init__(
        self,
        games: Sequence[ScotlandYard],
        each: int,
        pairings: Sequence[Pairing],
        older: int,
        threads: int,
        seed: int,
        taken_over: bool = False,
    ) -> None:
        self.games, self.count = games, each * len(games)
        self.older = older
        parts = max(1, threads // len(games))
        bounds = np.linspace(0, each, parts + 1).astype(int)
        self.parts: list[tuple[int, slice, Shard]] = []
        for i, game in enumerate(games):
            for low, high in itertools.pairwise(bounds):
                rows = slice(i * each + int(low), i * each + int(high))
                self.parts.append((i, rows, make_shard(game, rows, pairings, older, seed, taken_over)))
        self.scripts = [HeuristicParams(0, 0, game.paths) for game in games]
        self.chases = [ChaseParams(game.paths) for game in games]
        self.lanes = min(threads, len(self.parts))
        self.pool = ThreadPoolExecutor(self.lanes)

    def begin(self, rows: NDArray[np.uint8]) -> None:
        """Start all matches and write what the nets have to decide first."""
        nothing = np.zeros(self.count, np.int16)
        self.wait(self.submit(nothing, rows, True))

    def submit(self, actions: NDArray[np.int16], rows: NDArray[np.uint8], begin: bool = False) -> list[Future[None]]:
        """Play these actions and on to the next decisions, in threads; see `wait`."""
        return [self.pool.submit(self._advance_lane, lane, actions, rows, begin) for lane in range(self.lanes)]

    def wait(self, work: list[Future[None]]) -> None:
        for each in work:
            each.result()

    def _advance_lane(self, lane: int, actions: NDArray[np.int16], rows: NDArray[np.uint8], begin: bool) -> None:
        for part in range(lane, len(self.parts), self.lanes):
            self._advance(part, actions, rows, begin)

    def _advance(self, part: int, actions: NDArray[np.int16], rows: NDArray[np.uint8], begin: bool) -> None:
        i, mine, shard = self.parts[part]
        advance(self.games[i].table, self.scripts[i], self.chases[i], shard, actions[mine], rows[mine], begin)

    def tally(self, first: bool = False) -> NDArray[np.int64]:
        """[game, kind of Mr X, kind of the detectives, winner]: matches that ended."""
        found = np.zeros((len(self.games), len(KINDS), len(KINDS), 2), np.int64)
        for i, _, shard in self.parts:
            found[i] += shard.first_tally if first else shard.tally
        return found

    def older_tally(self) -> NDArray[np.int64]:
        found: NDArray[np.int64] = np.sum([shard.older_tally for _, _, shard in self.parts], axis=0)
        return found

    def forget(self) -> None:
        """Count from zero again."""
        for _, _, shard in self.parts:
            shard.tally[:], shard.older_tally[:] = 0, 0

    def unfinished(self) -> int:
        """Matches that have not ended a game yet."""
        return sum(int((shard.games == 0).sum()) for _, _, shard in self.parts)


def make_shard(
    game: ScotlandYard, rows: slice, pairings: Sequence[Pairing], older: int, seed: int, taken_over: bool
) -> Shard:
    count = rows.stop - rows.start
    shares = np.array([share for _, _, share in pairings])
    return Shard(
        states=np.zeros(count, State),
        chance=spread(root(seed, "game"), rows.start, count),
        rng=spread(root(seed, "self-play"), rows.start, count),
        kinds=np.zeros((count, 2), np.int64),
        slots=np.zeros((count, 2), np.int64),
        style=np.zeros(count, np.int64),
        due=np.full(count, NEVER),
        games=np.zeros(count, np.int64),
        pairs=np.array([(a, b) for a, b, _ in pairings], np.int64),
        shares=np.cumsum(shares / shares.sum()),
        older=older,
        taken_over=taken_over,
        tally=np.zeros((len(KINDS), len(KINDS), 2), np.int64),
        first_tally=np.zeros((len(KINDS), len(KINDS), 2), np.int64),
        older_tally=np.zeros((2, max(older, 1), 2), np.int64),
        seen=np.zeros(1, State),
        out=np.zeros(game.most_actions, np.int64),
    )


@program
def advance(table, script, runner, shard, actions, rows, begin):
    """Play a net's action in every match, then whatever needs no net, and write the next decision."""
    nothing = np.zeros(0, np.int64)
    cursor = np.zeros(3, np.int64)
    for g in range(shard.states.size):
        chance = Chance(shard.chance[g], nothing, nothing, cursor)
        rows[g, DONE], rows[g, RESULT] = 0, 0
        if begin:
            _start(table, shard, g, chance)
        else:
            apply(table, shard.states[g], np.int64(actions[g]), chance)
        while True:
            seat = to_move(shard.states[g])
            if seat < 0:
                if rows[g, DONE] == 0:
                    rows[g, DONE], rows[g, RESULT] = 1, shard.states[g].winner == MR_X
                _count(shard, g)
                _start(table, shard, g, chance)
                continue
            if _clock(table, shard.states[g]) >= shard.due[g]:
                _take_over(shard, g)
            if shard.kinds[g, min(seat, 1)] <= OLDER:
                break
            action = _scripted(table, script, runner, shard, g, seat)
            apply(table, shard.states[g], action, chance)
        _write(table, shard, g, seat, rows[g])


@outlined
def _start(table, shard, g, chance):
    """Draw who plays, and set a match up. Where nobody was left to be taken over, others open until somebody is."""
    pending = shard.due[g] < NEVER
    _draw_kinds(shard, g)
    while pending and _is_learners(shard, g):
        _draw_kinds(shard, g)
    for side in range(2):
        shard.slots[g, side] = below(shard.rng[g], max(shard.older, 1))
    shard.style[g] = below(shard.rng[g], 27)
    reset(table, shard.states[g], chance)
    if shard.taken_over and not pending and not _is_learners(shard, g):
        a_round = table.detectives + 1
        shard.due[g] = a_round + below(shard.rng[g], a_round * table.rounds)


@kernel
def _draw_kinds(shard, g):
    drawn = unit(shard.rng[g])
    pairing = 0
    while pairing < shard.shares.size - 1 and drawn >= shard.shares[pairing]:
        pairing += 1
    for side in range(2):
        shard.kinds[g, side] = shard.pairs[pairing, side]


@kernel
def _is_learners(shard, g):
    return shard.kinds[g, 0] == LEARNER and shard.kinds[g, 1] == LEARNER


@kernel
def _clock(table, state):
    """How many moves a match has come, about."""
    return np.int64(state.round) * (table.detectives + 1) + state.turn


@kernel
def _take_over(shard, g):
    state = shard.states[g]
    shard.due[g] = NEVER
    shard.kinds[g, :] = LEARNER
    if state.shown == 0:
        state.station[0] = member(state.possible, below(shard.rng[g], size(state.possible)))


@kernel
def _count(shard, g):
    x, d, winner = shard.kinds[g, 0], shard.kinds[g, 1], np.int64(shard.states[g].winner)
    shard.tally[x, d, winner] += 1
    if shard.games[g] == 0:
        shard.first_tally[x, d, winner] += 1
    shard.games[g] += 1
    if x == OLDER and d == LEARNER:
        shard.older_tally[0, shard.slots[g, 0], winner] += 1
    if x == LEARNER and d == OLDER:
        shard.older_tally[1, shard.slots[g, 1], winner] += 1


@outlined
def _scripted(table, script, runner, shard, g, seat):
    """The move of a scripted player, who sees no more than his seat may."""
    shard.seen[0] = shard.states[g]
    view, rng, out = shard.seen[0], shard.rng[g], shard.out
    conceal(table, view, seat)
    kind, style = shard.kinds[g, min(seat, 1)], shard.style[g]
    stray = 0.15 * (style % 3) if kind == VARIANT else (1.0 if kind == RANDOM else 0.0)
    if stray > 0 and unit(rng) < stray:
        return out[below(rng, legal(table, view, out))]
    if kind == CHASE:
        return chase(table, runner, view, seat, out, rng)
    score, target = (style // 3) % 3, style // 9
    if kind == HEURISTIC:
        score, target = 0, 0
    return heuristic(table, HeuristicParams(score, target, script.paths), view, seat, out, rng)


@kernel
def _write(table, shard, g, seat, row):
    shard.seen[0] = shard.states[g]
    conceal(table, shard.seen[0], seat)
    encode(shard.seen[0], row)
    row[TRUTH] = shard.states[g].station[0] + 1
    row[KIND_X], row[KIND_D] = shard.kinds[g, 0], shard.kinds[g, 1]
    side = min(seat, 1)
    row[OWNER] = side
    if shard.kinds[g, side] == OLDER:
        row[OWNER] = OWNERS + side * shard.older + shard.slots[g, side]


@program
def sort_by_owner(rows, order, counts):
    """Rows grouped by who decides: `order` lists them, `counts` says how many each has."""
    counts[:] = 0
    for g in range(rows.shape[0]):
        counts[rows[g, OWNER]] += 1
    places = np.zeros(counts.size, np.int64)
    for owner in range(1, counts.size):
        places[owner] = places[owner - 1] + counts[owner - 1]
    for g in range(rows.shape[0]):
        owner = rows[g, OWNER]
        order[places[owner]] = g
        places[owner] += 1
