"""Games that the value net of Eight-Minute Empire learns from, in compiled code: who sits where, and what became of it."""

from __future__ import annotations

import numpy as np

from fogbound.agents.empire import heuristic as scripted
from fogbound.agents.empire.plans import find_plans
from fogbound.agents.empire.value import end_value
from fogbound.core.chance import Chance
from fogbound.core.compiled import kernel, outlined, program
from fogbound.core.rng import below, unit
from fogbound.games.empire.features import tell, total
from fogbound.games.empire.rules import ACTING, CHOOSING, TAKING, reset, score, to_move
from fogbound.games.empire.rules import apply as apply_move

# What sits in a seat.
LEARNER, EARLIER, STYLE, SCRIPTED = range(4)
GUIDE = 5  # the style after those of the seats: by it learners find their plans


@program
def play_games(table, plans, script, learner, earlier, kinds, styles, blunders, options, rng, states, scores, leads):
    """Play a game for every row of `states`: the position after each turn but the last, and how each seat came out.

    kinds[game, seat] says what sits where; a seat with a style makes a random plan with its share of blunders.
    options: the learner's share of random plans, and the spread of the noise on its values.
    """
    no_tape = np.zeros(0, np.int64)
    chance = Chance(rng, no_tape, no_tape, np.zeros(3, np.int64))
    worlds = np.zeros(1, states.dtype)
    out = np.empty(max(plans.codes.shape[1], 64), np.int64)
    for g in range(states.shape[0]):
        reset(table, worlds[0], chance)
        while worlds[0].turn >= 0:
            world = worlds[0]
            seat = np.int64(to_move(world))
            kind = kinds[g, seat]
            if kind == SCRIPTED or world.phase not in (TAKING, CHOOSING, ACTING):
                _play_scripted(table, script, world, seat, out, rng, chance)
            else:
                count = find_plans(table, plans, styles[seat if kind == STYLE else GUIDE], world, seat, chance)
                if kind == STYLE:
                    best = _by_style(plans, count, blunders[seat], rng)
                elif kind == LEARNER:
                    best = _by_value(table, plans, learner, count, seat, options, rng)
                else:
                    best = _by_value(table, plans, earlier, count, seat, options, rng)
                worlds[0] = plans.state[best]
            if worlds[0].phase == TAKING and 0 < worlds[0].played < table.turns:
                states[g, worlds[0].played - 1] = worlds[0]
        score(table, worlds[0], scores[g])
        _leads(table, worlds[0], learner.told, leads[g])


@outlined
def _play_scripted(table, script, world, seat, out, rng, chance):
    apply_move(table, world, scripted.choose(table, script, world, seat, out, rng), chance)


@kernel
def _by_style(plans, count, blunders, rng):
    if unit(rng) < blunders:
        return np.int64(below(rng, count))
    best = np.int64(0)
    for i in range(1, count):
        if plans.quick[i] > plans.quick[best]:
            best = np.int64(i)
    return best


@outlined
def _by_value(table, plans, net, count, seat, options, rng):
    if unit(rng) < options[0]:
        return np.int64(below(rng, count))
    best = np.int64(0)
    most = -1e9
    for i in range(count):
        worth = end_value(table, net, plans.state[i], seat)
        if options[1] > 0:
            worth -= options[1] * np.log(-np.log(max(1e-12, unit(rng))))
        if worth > most:
            best, most = np.int64(i), worth
    return best


@kernel
def _leads(table, state, told, leads):
    """Each player's points less those of the best of the others, from the end of a game."""
    state.turn = 0
    tell(table, state, 0, told)
    state.turn = -1
    for seat in range(table.players):
        best = -99
        for other in range(table.players):
            if other != seat:
                best = max(best, total(told, other))
        leads[seat] = total(told, seat) - best


@program
def tell_all(table, states, seats, told, regions, continents, whole):
    """What the net is told about each state by each of the seats given."""
    for i in range(states.size):
        tell(table, states[i], seats[i], told)
        regions[i, : table.regions] = told.regions[: table.regions]
        continents[i, : table.continents] = told.continents[: table.continents]
        whole[i] = told.whole
