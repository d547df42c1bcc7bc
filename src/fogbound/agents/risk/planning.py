"""Planning a turn of Risk: candidates, tries with fresh dice, and what a net makes of where they lead.

Before every move candidates for the rest of the turn are gathered: the scripted player with more or less
courage, the plans of turn_plans.py, and campaigns against one player or for one continent. The most
promising are played to the end of the turn again and again, with fresh dice; then the others' turns are made, by
the scripted player or, for who did not set up like it (opponents.py), a rash one, and the value net (value.py)
tells the chance to win from there.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fogbound.agents.risk import evaluation, value
from fogbound.agents.risk.opponents import Others, is_stranger, nobody_known, rash_move
from fogbound.agents.risk.tactics import may_fortify, most_armies_set, on_border
from fogbound.agents.risk.turn_plans import (
    COUNT,
    FIRST,
    SCRIPTED,
    SECOND,
    VARIANTS,
    TurnPlan,
    act,
    by_script,
    focus_plan,
    make_plan,
    play,
)
from fogbound.agents.risk.turns import TurnNets, elsewhere, no_nets
from fogbound.agents.risk.value import judge
from fogbound.core.chance import Chance
from fogbound.core.compiled import kernel, part, program
from fogbound.core.rng import below, next64
from fogbound.games.risk.battle import movable
from fogbound.games.risk.game import Risk
from fogbound.games.risk.rules import connected, imagine, legal, may_leave
from fogbound.games.risk.table import (
    ATTACK,
    CLAIM,
    DRAFT,
    END_ATTACK,
    END_TURN,
    FORTIFY,
    FORTIFY_MOVE,
    MOVE,
    MUST_EXCHANGE,
    NEUTRAL_SETUP,
    OCCUPY,
    SETUP,
    STAY,
    State,
    alive,
    contains,
    encode,
    kind_of,
    largest_step,
    room,
)

MOST_MOVES = 400  # of one turn, in case a plan goes round in circles
MOST_ARMS = 256
SETUP_WAYS = 8  # in which the set-up may go on
NO_MOVE = np.int64(-1)
STOPS, GOES_ON = 0, 1  # after the battles of a plan: the attack is over, or the scripted player goes on
TEMPERS = (0.6, 0.75, 0.45, 0.9)  # courage of the scripted candidates


class Arms(NamedTuple):
    """The candidates for the rest of the turn."""

    opening: NDArray[np.int64]  # a move that comes before the plan; NO_MOVE for none
    plan: NDArray[np.int16]  # [arm, :]: see turn_plans.py
    key: NDArray[np.uint64]  # equal for equal candidates
    then: NDArray[np.int64]
    courage: NDArray[np.float64]  # of the scripted part
    visits: NDArray[np.int64]
    total: NDArray[np.float64]
    count: NDArray[np.int64]  # type: ignore[assignment]  # [1]: how many there are


class Kit(NamedTuple):
    """All that planning works with."""

    script: evaluation.Params
    nets: TurnNets
    value: value.Value
    others: Others
    arms: Arms
    position: NDArray[np.void]  # [1]: what the player sees now
    worlds: NDArray[np.void]  # room for two more
    cursor: NDArray[np.int64]
    out: NDArray[np.int64]
    c: float
    plans: int
    ahead: int


def make_kit(game: Risk, judged_by: value.Value, c: float, plans: int, ahead: int, more: int = 0) -> Kit:
    """With room for so many more candidates than are gathered."""
    size = MOST_ARMS + more
    arms = Arms(
        np.zeros(size, np.int64),
        np.zeros((size, TurnPlan.SIZE), np.int16),
        np.zeros(size, np.uint64),
        np.zeros(size, np.int64),
        np.zeros(size),
        np.zeros(size, np.int64),
        np.zeros(size),
        np.zeros(1, np.int64),
    )
    return Kit(
        evaluation.params_of(game),
        no_nets(game),
        judged_by,
        nobody_known(),
        arms,
        np.zeros(1, State),
        np.zeros(2, State),
        np.zeros(2, np.int64),
        np.zeros(max(game.most_actions, 4 * game.table.territories + 64), np.int64),
        c,
        plans,
        ahead,
    )


# Candidates.


@program
def gather(table, kit, seat, rng):
    """Fill kit.arms with the candidates for the rest of this turn."""
    no_tape = np.zeros(0, np.int64)
    gather_arms(table, kit, seat, Chance(rng, no_tape, no_tape, np.zeros(3, np.int64)))


@part
def gather_arms(table, kit, seat, chance):
    kit.arms.count[0] = 0
    state = kit.position[0]
    if state.phase == OCCUPY:
        most = np.int64(movable(table, state))
        half = (np.int64(state.armies[state.source]) - np.int64(state.armies[state.target])) // 2
        _open(table, kit, seat, encode(MOVE, 0, 0, most), chance)
        _open(table, kit, seat, encode(STAY, 0, 0, 0), chance)
        if half > 0 and largest_step(half, most) < most:
            _open(table, kit, seat, encode(MOVE, 0, 0, largest_step(half, most)), chance)
        return
    must = state.phase == DRAFT and state.cards[seat] >= MUST_EXCHANGE
    if must or (state.phase == DRAFT and state.cards[seat] >= 3 and state.in_attack == 0):
        exchange = most_armies_set(table, state, seat, kit.out)
        if exchange >= 0:
            _open(table, kit, seat, exchange, chance)
    if not must:
        _open(table, kit, seat, NO_MOVE, chance)


@part
def _open(table, kit, seat, opening, chance):
    """The candidates that begin with this move."""
    kit.worlds[1] = kit.position[0]
    state = kit.worlds[1]
    _begin(table, state, opening, chance)
    for temper in TEMPERS:
        _add(kit, opening, _scripted(kit), GOES_ON, temper)
    made = 0
    for number in range(1, 1 + kit.plans * VARIANTS):
        if made >= kit.plans or kit.arms.count[0] >= MOST_ARMS - 2:
            break
        row = kit.arms.plan[kit.arms.count[0]]
        key = make_plan(table, kit.script, kit.nets, state, seat, number, row, kit.out)
        if key == np.uint64(0):
            continue
        bare = row[COUNT] == 0
        made += _add(kit, opening, key, STOPS, TEMPERS[0])
        if bare:
            _add(kit, opening, _draft_only(kit, row, key), GOES_ON, TEMPERS[0])
    for other in range(table.players):
        if other != seat and alive(state, other):
            _add_focused(table, kit, state, seat, opening, other, -1)
    for continent in range(table.bonus.size):
        _add_focused(table, kit, state, seat, opening, -1, continent)


@kernel
def _scripted(kit):
    """The plan to play as the scripted player does, in the next free row; its key."""
    if kit.arms.count[0] < MOST_ARMS:
        row = kit.arms.plan[kit.arms.count[0]]
        row[FIRST], row[SECOND], row[COUNT] = SCRIPTED, -1, 0
    return np.uint64(2)


@kernel
def _draft_only(kit, row, key):
    """The same placements in the next free row."""
    if kit.arms.count[0] < MOST_ARMS:
        for i in range(row.size):
            kit.arms.plan[kit.arms.count[0], i] = row[i]
    return key


@part
def _add_focused(table, kit, state, seat, opening, other, continent):
    for rank in range(2):
        if kit.arms.count[0] >= MOST_ARMS:
            return
        row = kit.arms.plan[kit.arms.count[0]]
        key = focus_plan(table, kit.script, kit.nets, state, seat, other, continent, rank, row, kit.out)
        if key != np.uint64(0):
            _add(kit, opening, key, STOPS if continent >= 0 else GOES_ON, TEMPERS[0])


@part
def _add(kit, opening, key, then, courage):
    """Make the next free row a candidate, unless it is known already; whether it was added."""
    arms = kit.arms
    arm = arms.count[0]
    if arm >= MOST_ARMS:
        return 0
    for other in range(arm):
        same = arms.key[other] == key and arms.then[other] == then and arms.courage[other] == courage
        if same and arms.opening[other] == opening:
            return 0
    arms.opening[arm], arms.key[arm], arms.then[arm], arms.courage[arm] = opening, key, then, courage
    arms.visits[arm], arms.total[arm] = 0, 0.0
    arms.count[0] = arm + 1
    return 1


# Trying them out.


@program
def improve(table, kit, seat, iterations, rng, imagination):
    """So many more tries, of the candidates that look best or were tried least."""
    no_tape = np.zeros(0, np.int64)
    try_arms(table, kit, seat, iterations, Chance(rng, no_tape, no_tape, np.zeros(3, np.int64)), imagination)


@part
def try_arms(table, kit, seat, iterations, chance, imagination):
    for _ in range(iterations):
        _try(table, kit, seat, _next_arm(kit), chance, imagination)


@part
def _try(table, kit, seat, arm, chance, imagination):
    kit.worlds[0] = kit.position[0]
    world = kit.worlds[0]
    imagine(table, world, seat, imagination)
    _play_turn(table, kit, world, seat, arm, chance)
    _go_on(table, kit, world, seat, chance)
    judge(table, kit.script, kit.value, world)
    kit.arms.visits[arm] += 1
    kit.arms.total[arm] += kit.value.chances[seat]


@program
def try_every(table, kit, seat, tries, rng, imagination):
    """Make every legal move a candidate, gone on with by the plan that was best so far, and try each of them so often."""
    no_tape = np.zeros(0, np.int64)
    chance = Chance(rng, no_tape, no_tape, np.zeros(3, np.int64))
    first = kit.arms.count[0]
    _open_every(table, kit)
    for arm in range(first, kit.arms.count[0]):
        for _ in range(tries):
            _try(table, kit, seat, arm, chance, imagination)


@part
def _open_every(table, kit):
    arms = kit.arms
    best = best_arm(arms)
    for i in range(legal(table, kit.position[0], kit.out)):
        arm = arms.count[0]
        for place in range(arms.plan.shape[1]):
            arms.plan[arm, place] = arms.plan[best, place]
        arms.opening[arm], arms.key[arm] = kit.out[i], arms.key[best]
        arms.then[arm], arms.courage[arm] = arms.then[best], arms.courage[best]
        arms.visits[arm], arms.total[arm] = 0, 0.0
        arms.count[0] = arm + 1


@kernel
def _next_arm(kit):
    arms = kit.arms
    tried = np.int64(0)
    for arm in range(arms.count[0]):
        if arms.visits[arm] == 0:
            return np.int64(arm)
        tried += arms.visits[arm]
    best, found = -1e18, np.int64(0)
    scale = np.log(np.float64(tried))
    for arm in range(arms.count[0]):
        bound = arms.total[arm] / arms.visits[arm] + kit.c * np.sqrt(scale / arms.visits[arm])
        if bound > best:
            best, found = bound, np.int64(arm)
    return found


@kernel
def best_arm(arms):
    """The candidate tried most often; of those tried equally often, the better one."""
    best = np.int64(0)
    for arm in range(1, arms.count[0]):
        more = arms.visits[arm] > arms.visits[best]
        if more or (arms.visits[arm] == arms.visits[best] and arms.total[arm] > arms.total[best]):
            best = np.int64(arm)
    return best


@kernel
def _begin(table, world, opening, chance):
    if opening >= 0:
        play(table, world, opening, chance)
        if world.phase == OCCUPY and kind_of(opening) == MOVE:
            play(table, world, encode(STAY, 0, 0, 0), chance)


@kernel
def _tempered(script, courage):
    return evaluation.Params(courage, script.patience, script.continent_of, script.gates, script.is_gate)


@part
def _script_move(table, script, courage, world, seat, out):
    return by_script(table, _tempered(script, courage), world, seat, out)


@part
def _play_turn(table, kit, world, seat, arm, chance):
    """Play a candidate to the end of the turn."""
    arms = kit.arms
    plan = arms.plan[arm]
    _begin(table, world, arms.opening[arm], chance)
    kit.cursor[:] = 0
    scripted = plan[FIRST] == SCRIPTED
    begun = world.round
    for _ in range(MOST_MOVES):
        if world.turn != seat or world.round != begun:
            return
        scripted = scripted or (world.phase == DRAFT and world.in_attack == 1)  # a capture changes everything
        action = NO_MOVE
        if not scripted:
            action = act(table, kit.script, kit.nets, world, seat, plan, kit.cursor, kit.out)
            if action == encode(END_ATTACK, 0, 0, 0) and arms.then[arm] == GOES_ON:
                scripted = True
        if scripted:
            action = _script_move(table, kit.script, arms.courage[arm], world, seat, kit.out)
        play(table, world, action, chance)


@part
def _go_on(table, kit, world, seat, chance):
    """Some turns of the others, at most until it is this player's turn again."""
    for _ in range(kit.ahead):
        mover = np.int64(world.turn)
        if mover == seat or mover < 0:
            return
        rash = is_stranger(kit.others, mover)
        for _ in range(MOST_MOVES):
            if world.turn != mover:
                break
            if rash:
                action = rash_move(table, kit.others, world, mover, kit.out, chance.rng)
            else:
                action = by_script(table, kit.script, world, mover, kit.out)
            play(table, world, action, chance)


@program
def first_move(table, kit, seat, arm):
    """The move that a candidate makes now; kit.cursor says how far it is carried out then."""
    return move_of(table, kit, kit.position[0], seat, arm)


@program
def next_move(table, kit, seat, arm):
    """The next move of a candidate, from where kit.cursor stands."""
    return plan_goes_on(table, kit, kit.position[0], seat, arm)


@part
def move_of(table, kit, state, seat, arm):
    kit.cursor[:] = 0
    if kit.arms.opening[arm] >= 0:
        return kit.arms.opening[arm]
    return plan_goes_on(table, kit, state, seat, arm)


@part
def plan_goes_on(table, kit, state, seat, arm):
    """The next move of a plan, from where kit.cursor stands."""
    arms = kit.arms
    action = NO_MOVE
    if arms.plan[arm, FIRST] != SCRIPTED:
        action = act(table, kit.script, kit.nets, state, seat, arms.plan[arm], kit.cursor, kit.out)
        if action != encode(END_ATTACK, 0, 0, 0) or arms.then[arm] == STOPS:
            return action
    return _script_move(table, kit.script, arms.courage[arm], state, seat, kit.out)


# Fortifying and the set-up: no dice, so each move is tried once.


@program
def best_fortifying(table, kit, seat, rng, imagination):
    """The last move of the turn with the best chance to win, and that chance."""
    no_tape = np.zeros(0, np.int64)
    same = np.empty((2, 4), np.uint64)
    chance = Chance(same[0], no_tape, no_tape, np.zeros(3, np.int64))
    return fortifying(table, kit, seat, chance, same, rng, imagination)


@part
def fortifying(table, kit, seat, chance, same, rng, imagination):
    """Every candidate meets the same cards: `same` keeps where the streams began."""
    done = encode(END_TURN, 0, 0, 0)
    best_move = done
    best = _after(table, kit, seat, done, chance, same, rng, imagination)
    state = kit.position[0]
    if not may_fortify(table, state):
        return best_move, best
    for source in range(table.territories):
        if not may_leave(state, source):
            continue
        reach0, reach1 = connected(table, state, source)
        for target in range(table.territories):
            if target == source or not contains(reach0, reach1, target) or not on_border(table, state, seat, target):
                continue
            most = min(np.int64(state.armies[source]) - 1, np.int64(room(table, state, target)))
            if most <= 0:
                continue
            for count in (most, largest_step(most // 2, most)):
                action = encode(FORTIFY_MOVE, source, target, max(1, count))
                chances = _after(table, kit, seat, action, chance, same, rng, imagination)
                if chances > best + 1e-6:
                    best, best_move = chances, action
    return best_move, best


@program
def every_fortifying(table, kit, seat, rng, imagination):
    """List every legal last move of the turn in kit.arms with its chance to win; how many."""
    no_tape = np.zeros(0, np.int64)
    same = np.empty((2, 4), np.uint64)
    chance = Chance(same[0], no_tape, no_tape, np.zeros(3, np.int64))
    count = legal(table, kit.position[0], kit.out)
    for i in range(count):
        kit.arms.opening[i] = kit.out[i]
    for i in range(count):
        kit.arms.total[i] = _after(table, kit, seat, kit.arms.opening[i], chance, same, rng, imagination)
    return count


@part
def _after(table, kit, seat, action, chance, same, rng, imagination):
    """The chance to win when the turn ends with this move."""
    for i in range(4):
        same[0, i], same[1, i] = rng[i], imagination[i]
    kit.worlds[0] = kit.position[0]
    world = kit.worlds[0]
    imagine(table, world, seat, same[1])
    play(table, world, action, chance)
    if world.turn == seat and world.phase == FORTIFY:
        play(table, world, encode(END_TURN, 0, 0, 0), chance)
    judge(table, kit.script, kit.value, world)
    return kit.value.chances[seat]


@program
def best_setup(table, kit, seat, rng, imagination):
    """The territory to claim or to put an army on with the best chance to win, and that chance."""
    no_tape = np.zeros(0, np.int64)
    same = np.empty((2, 4), np.uint64)
    return setting_up(table, kit, seat, Chance(rng, no_tape, no_tape, np.zeros(3, np.int64)), same, imagination)


@part
def setting_up(table, kit, seat, chance, same, imagination):
    """The mean over several ways in which the set-up may go on, the same for every candidate.

    This player goes on as the scripted one does, and so does each of the others that was seen to; one that has not
    moved yet does, or chooses at random.
    """
    listed, total = kit.arms.opening, kit.arms.total
    count = min(legal(table, kit.position[0], kit.out), total.size)
    for i in range(count):
        listed[i], total[i] = kit.out[i], 0.0
    for way in range(SETUP_WAYS):
        next64(imagination)
        for i in range(count):
            _set_up_on(table, kit, seat, listed[i], way, chance, same, imagination)
            judge(table, kit.script, kit.value, kit.worlds[0])
            total[i] += kit.value.chances[seat] / SETUP_WAYS
    best = 0
    for i in range(1, count):
        if total[i] > total[best]:
            best = i
    return listed[best], total[best]


@part
def _set_up_on(table, kit, seat, action, way, chance, same, imagination):
    """After this move, the set-up to its end; a bit of `way` says whether one who has not moved yet chooses at random."""
    for i in range(4):
        same[1, i] = imagination[i]
    kit.worlds[0] = kit.position[0]
    world = kit.worlds[0]
    imagine(table, world, seat, same[1])
    play(table, world, action, chance)
    while world.round == 0 and world.turn >= 0:
        mover = np.int64(world.turn)
        place = (mover - seat) % table.players - 1
        if place >= 0 and kit.others.made[mover] == 0 and (way >> place) & 1:
            listed = legal(table, world, kit.out)
            action = kit.out[below(same[1], listed)]
        else:
            action = by_script(table, kit.script, world, mover, kit.out)
        play(table, world, action, chance)


# The planner as a compiled policy, for games in batches. It keeps to its plan until something goes wrong.


class Quick(NamedTuple):
    kit: Kit
    iterations: int
    setup: int  # 1: it thinks about the set-up too
    arm: NDArray[np.int64]  # the plan that is carried out, and how far
    then: NDArray[np.uint64]  # the random stream after the last move: another one means another game
    same: NDArray[np.uint64]
    nothing: NDArray[np.int64]
    tape: NDArray[np.int64]


def quick(kit: Kit, iterations: int, setup: bool) -> Quick:
    streams = np.zeros((2, 4), np.uint64)
    tape = np.zeros(0, np.int64)
    return Quick(kit, iterations, int(setup), np.full(4, -1), np.zeros(4, np.uint64), streams, np.zeros(3, np.int64), tape)


@part
def _by_script(table, kit, seat):
    kit.worlds[0] = kit.position[0]
    return by_script(table, kit.script, kit.worlds[0], seat, kit.out)


@kernel
def choose(table, params, view, seat, out, rng):
    """A move after `iterations` tries at the beginning of a turn, after a lost battle and after a capture."""
    kit = params.kit
    kit.position[0] = view
    action = _quick_move(table, params, seat, rng)
    for i in range(4):
        params.then[i] = rng[i]
    return action


@part
def _quick_move(table, params, seat, rng):
    kit, arm = params.kit, params.arm
    state = kit.position[0]
    if state.phase in (CLAIM, SETUP) and params.setup:
        return setting_up(table, kit, seat, Chance(rng, params.tape, params.tape, params.nothing), params.same, rng)[0]
    if state.phase in (CLAIM, SETUP, NEUTRAL_SETUP):
        return _by_script(table, kit, seat)
    if state.phase == FORTIFY:
        arm[0] = -1
        chance = Chance(params.same[0], params.tape, params.tape, params.nothing)
        return fortifying(table, kit, seat, chance, params.same, rng, rng)[0]
    if arm[0] < 0 or arm[3] != state.round or went_wrong(state, seat) or elsewhere(params.then, rng):
        chance = Chance(rng, params.tape, params.tape, params.nothing)
        gather_arms(table, kit, seat, chance)
        try_arms(table, kit, seat, params.iterations, chance, rng)
        arm[0], arm[3] = best_arm(kit.arms), state.round
        action = move_of(table, kit, state, seat, arm[0])
    else:
        kit.cursor[0], kit.cursor[1] = arm[1], arm[2]
        action = plan_goes_on(table, kit, state, seat, arm[0])
    arm[1], arm[2] = kit.cursor[0], kit.cursor[1]
    return action


@kernel
def went_wrong(state, seat):
    """Whether the last battle was lost or cards were captured: then the rest of the turn is planned anew."""
    lost = state.phase == ATTACK and state.source >= 0 and state.owner[state.target] != seat
    return lost or (state.phase == DRAFT and state.in_attack == 1)
