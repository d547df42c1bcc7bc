"""Games of Risk for self-play: thousands side by side on many maps, each waiting for a net, stepped in threads.

Who sits where is drawn when a game begins: the learner, an older net, a scripted player, a stranger or a turn search;
all but the nets move here at once. What a net has to decide is written as bytes (agents/risk/policy_features.py).
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fogbound.agents.risk import evaluation, stranger, turns
from fogbound.agents.risk import policy_features as pf
from fogbound.agents.risk.choices import CHOICES, MOST, list_choices, move_of
from fogbound.agents.risk.heuristic import choose as scripted
from fogbound.agents.risk.policy_features import tell
from fogbound.agents.risk.stranger import choose as strange
from fogbound.agents.risk.turns import choose as search
from fogbound.core.chance import Chance
from fogbound.core.compiled import kernel, part, program
from fogbound.core.rng import below, root, spread, unit
from fogbound.games.risk.game import Risk
from fogbound.games.risk.rules import apply, conceal, reset, score, standing
from fogbound.games.risk.table import SEATS, State

# Who plays: the learner, the older nets, scripted players by temper, strangers by style, a turn search.
LEARNER, OLDER, SCRIPTED = 0, 1, 2
TEMPERS = ((0.6, 4), (0.45, 3), (0.5, 5), (0.8, 4))
STRANGE = SCRIPTED + len(TEMPERS)
SEARCH = STRANGE + len(stranger.TRAINED)
KINDS = SEARCH + 1

# What the seats of a game are drawn from.
AMONG_SELF, AMONG_OLDER, AMONG_SCRIPTED, AMONG_STRANGERS, AMONG_ALL, AMONG_SEARCHES = range(6)
LINE_UPS = ("self", "older", "scripted", "strangers", "all", "searches")

MORE_ROUNDS = 15.0  # that a long game of nets has on average before it is decided by territories: else none would begin
LONGEST = 100  # rounds of a game with others, who have to be finished

# What is written of a game besides the position.
SEAT, OWNER, DONE, SEATS_OF = range(4)  # who decides, whose net, whether a game ended before, the size of the table
ABOUT = 4


class Shard(NamedTuple):
    """Games on one map."""

    states: NDArray[Any]
    chance: NDArray[np.uint64]
    rng: NDArray[np.uint64]
    kinds: NDArray[np.int64]  # [game, seat]
    line_up: NDArray[np.int64]  # [game]
    shares: NDArray[np.float64]  # of each line-up and all before it
    decided: NDArray[np.int64]  # [game]: the round after which it is decided by territories
    rounds: int  # the least of these
    tally: NDArray[np.float64]  # [line-up, (games, the learner's points, cut off, rounds)]
    scores: NDArray[np.float64]  # room
    seen: NDArray[Any]  # room for one concealed state
    armies: NDArray[np.float64]  # room
    mask: NDArray[np.uint8]  # room
    out: NDArray[np.int64]


class Others(NamedTuple):
    """The parameters of everybody who is no net."""

    script: evaluation.Params
    strangers: tuple[stranger.Params, ...]
    search: turns.Quick


class Rows(NamedTuple):
    """What the nets have to decide: one row a game."""

    nodes: NDArray[np.uint8]  # [game, territory, :]
    whole: NDArray[np.uint8]  # [game, :]
    mask: NDArray[np.uint8]  # [game, choice]
    about: NDArray[np.uint8]  # [game, :]
    result: NDArray[np.float32]  # [game, seat]: of the game that ended last, where DONE


class Matches:
    """So many games on each of several maps."""

    def __init__(
        self, games: Sequence[Risk], each: int, shares: Sequence[float], search: int, rounds: int, threads: int, seed: int
    ) -> None:
        self.games, self.each, self.count = games, each, each * len(games)
        self.land = [pf.land_of(game) for game in games]
        self.shards = [_shard(game, i * each, each, shares, rounds, seed) for i, game in enumerate(games)]
        self.others = [_others(game, search) for game in games]
        self.pool = ThreadPoolExecutor(threads)

    def begin(self, rows: Rows) -> None:
        self.wait(self.submit(np.zeros(self.count, np.int16), rows, True))

    def submit(self, choices: NDArray[np.int16], rows: Rows, begin: bool = False) -> list[Future[None]]:
        """Play these choices and on to the next decisions, in threads; see `wait`."""
        return [self.pool.submit(self._advance, number, choices, rows, begin) for number in range(len(self.games))]

    def wait(self, work: list[Future[None]]) -> None:
        for each in work:
            each.result()

    def _advance(self, number: int, choices: NDArray[np.int16], rows: Rows, begin: bool) -> None:
        mine = slice(number * self.each, (number + 1) * self.each)
        arrays: tuple[Any, ...] = rows
        parts = Rows(*(array[mine] for array in arrays))
        land, others = self.land[number], self.others[number]
        advance(self.games[number].table, land, others, self.shards[number], choices[mine], parts, begin)

    def tally(self) -> NDArray[np.float64]:
        """[game, line-up, :] since it was asked last."""
        found = np.array([shard.tally for shard in self.shards])
        for shard in self.shards:
            shard.tally[:] = 0
        return found


def make_rows(count: int) -> Rows:
    return Rows(
        np.zeros((count, MOST, pf.FIGURES), np.uint8),
        np.zeros((count, pf.WHOLE), np.uint8),
        np.zeros((count, CHOICES), np.uint8),
        np.zeros((count, ABOUT), np.uint8),
        np.zeros((count, SEATS), np.float32),
    )


def _shard(game: Risk, first: int, count: int, shares: Sequence[float], rounds: int, seed: int) -> Shard:
    return Shard(
        np.zeros(count, State),
        spread(root(seed, "game"), first, count),
        spread(root(seed, "self-play"), first, count),
        np.zeros((count, SEATS), np.int64),
        np.zeros(count, np.int64),
        np.cumsum(np.array(shares) / sum(shares)),
        np.zeros(count, np.int64),
        rounds,
        np.zeros((len(LINE_UPS), 4)),
        np.zeros(SEATS),
        np.zeros(1, State),
        np.zeros(SEATS),
        np.zeros(CHOICES, np.uint8),
        np.zeros(max(game.most_actions, 4 * game.table.territories + 64), np.int64),
    )


def _others(game: Risk, search: int) -> Others:
    strangers = tuple(stranger.params_of(style) for style in stranger.TRAINED)
    return Others(evaluation.params_of(game), strangers, turns.quick(game, search))


@program
def advance(table, land, others, shard, choices, rows, begin):
    """Play a net's choice in every game, then whatever needs no net, and write the next decision."""
    nothing = np.zeros(0, np.int64)
    cursor = np.zeros(3, np.int64)
    for g in range(shard.states.size):
        chance = Chance(shard.chance[g], nothing, nothing, cursor)
        rows.about[g, DONE] = 0
        if begin:
            _start(table, shard, g, chance)
        else:
            state = shard.states[g]
            move = move_of(table, state, np.int64(state.turn), np.int64(choices[g]), shard.out)
            _apply(table, state, move, chance)
        while not _decision(table, others, shard, g, rows, chance):
            pass
        _write(table, land, shard, g, rows)


@part
def _apply(table, state, move, chance):
    apply(table, state, move, chance)


@part
def _decision(table, others, shard, g, rows, chance):
    """One step on: whether a net has something to decide now."""
    state = shard.states[g]
    if state.turn < 0 or state.round > shard.decided[g]:
        _end(table, shard, g, rows)
        _start(table, shard, g, chance)
        return False
    seat = np.int64(state.turn)
    shard.seen[0] = state
    view = shard.seen[0]
    conceal(table, view, seat)
    if shard.kinds[g, seat] > OLDER:
        _apply(table, state, _scripted(table, others, shard, view, seat, g), chance)
        return False
    count = list_choices(table, view, seat, shard.mask, shard.out)
    if count == 1:
        choice = 0
        while shard.mask[choice] == 0:
            choice += 1
        _apply(table, state, move_of(table, view, seat, choice, shard.out), chance)
        return False
    return True


@part
def _scripted(table, others, shard, view, seat, g):
    kind, rng, out = shard.kinds[g, seat], shard.rng[g], shard.out
    if kind == SEARCH:
        return search(table, others.search, view, seat, out, rng)
    if kind >= STRANGE:
        return _stranger(table, others, view, seat, out, rng, kind - STRANGE)
    courage, patience = TEMPERS[kind - SCRIPTED]
    script = others.script
    tempered = evaluation.Params(courage, patience, script.continent_of, script.gates, script.is_gate)
    return scripted(table, tempered, view, seat, out, rng)


@part
def _stranger(table, others, view, seat, out, rng, number):
    return strange(table, others.strangers[number], view, seat, out, rng)


@part
def _start(table, shard, g, chance):
    """Draw who plays, and set a game up."""
    rng = shard.rng[g]
    drawn = unit(rng)
    line_up = 0
    while line_up < shard.shares.size - 1 and drawn >= shard.shares[line_up]:
        line_up += 1
    shard.line_up[g] = line_up
    one = below(rng, table.players)
    kind = _other(rng, line_up)
    for seat in range(table.players):
        if line_up == AMONG_ALL:
            kind = _other(rng, below(rng, AMONG_ALL))
        shard.kinds[g, seat] = LEARNER if seat == one else kind
    shard.decided[g] = LONGEST
    if line_up in (AMONG_SELF, AMONG_OLDER):
        shard.decided[g] = shard.rounds + np.int64(-MORE_ROUNDS * np.log(1.0 - unit(rng)))
    reset(table, shard.states[g], chance)


@kernel
def _other(rng, line_up):
    """A player of this line-up besides the learner."""
    if line_up == AMONG_OLDER:
        return OLDER
    if line_up == AMONG_SCRIPTED:
        return SCRIPTED + below(rng, len(TEMPERS))
    if line_up == AMONG_STRANGERS:
        return STRANGE + below(rng, SEARCH - STRANGE)
    return SEARCH if line_up == AMONG_SEARCHES else LEARNER


@part
def _end(table, shard, g, rows):
    """Write how the game ended; one that goes on too long is won by whoever holds more territories, then armies."""
    state, scores = shard.states[g], shard.scores
    scores[:] = 0.0
    cut_off = state.turn >= 0
    if cut_off:
        scores[_leader(table, state)] = 1.0
    else:
        score(table, state, scores)
    tally = shard.tally[shard.line_up[g]]
    tally[0] += 1
    tally[2] += cut_off
    tally[3] += state.round
    for seat in range(table.players):
        if shard.kinds[g, seat] == LEARNER:
            tally[1] += scores[seat]
    if rows.about[g, DONE] == 0:  # a game that began and ended without any net's decision does not count
        rows.about[g, DONE] = 1
        for seat in range(SEATS):
            rows.result[g, seat] = scores[seat]


@kernel
def _leader(table, state):
    best, leader = np.int64(-1), 0
    for seat in range(table.players):
        value = standing(table, state, seat)
        if value > best:
            best, leader = value, seat
    return leader


@part
def _write(table, land, shard, g, rows):
    view = shard.seen[0]  # concealed by `_decision`
    seat = np.int64(view.turn)
    tell(table, land, view, seat, rows.nodes[g], rows.whole[g], shard.armies, shard.out)
    for choice in range(CHOICES):
        rows.mask[g, choice] = shard.mask[choice]
    rows.about[g, SEAT] = seat
    rows.about[g, OWNER] = shard.kinds[g, seat]
    rows.about[g, SEATS_OF] = table.players
