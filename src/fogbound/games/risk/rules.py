"""The rules of Risk, compiled: set-up, turns, legal moves, and what each seat may know.

Cards are in cards.py, missions in missions.py, dice and conquest in battle.py; the state
and the codes of moves are explained in table.py.
"""

from __future__ import annotations

import numpy as np

from fogbound.core.chance import draw
from fogbound.core.compiled import kernel, outlined
from fogbound.core.contract import Rules
from fogbound.games.risk.battle import after_occupation, attack, battle, movable, occupy
from fogbound.games.risk.cards import draw_card, exchange, imagine_hands, list_exchanges
from fogbound.games.risk.missions import deal_missions, imagine_missions, mission_winner
from fogbound.games.risk.table import (
    ATTACK,
    ATTACK_MOVE,
    BATTLE,
    CLAIM,
    CLAIM_MOVE,
    DRAFT,
    END_ATTACK,
    END_TURN,
    EXCHANGE,
    FORTIFY,
    FORTIFY_MOVE,
    FREE,
    MOVE,
    MUST_EXCHANGE,
    NEUTRAL,
    NEUTRAL_SETUP,
    OCCUPY,
    PLACE,
    SETUP,
    STAY,
    STEPS,
    State,
    a_of,
    alive,
    b_of,
    bit,
    contains,
    count_of,
    encode,
    end_game,
    give,
    has_room,
    held,
    income,
    kind_of,
    list_counts,
    ranked,
    room,
)


@kernel
def reset(table, state, chance):
    _clear(table, state)
    state.first = draw(chance, table.players)
    state.turn = state.first
    if table.missions:
        deal_missions(table, state, chance)
    if table.neutral or table.deal:
        _deal_territories(table, state, chance)
        _begin_setup(table, state)
    else:
        state.phase = CLAIM


@kernel
def _clear(table, state):
    state.land[:] = np.uint64(0)
    state.hand[:] = np.uint64(0)
    state.discard[:] = np.uint64(0)
    state.old[:] = np.uint64(0)
    state.received[:] = np.uint64(0)
    state.armies[:] = 0
    state.stock[:] = 0
    state.losses[:] = 0
    state.ruled_out[:] = np.uint32(0)
    state.cards[:] = 0
    state.old_cards[:] = 0
    state.owner[:] = FREE
    state.mission[:] = -1
    state.destroyer[:] = -1
    state.dice[:] = 0
    state.pool = state.round = state.sets = 0
    state.source = state.target = -1
    state.in_attack = state.conquered = state.bonus_taken = 0
    state.winners = 0
    for seat in range(table.players):
        state.stock[seat] = table.starting_armies


@outlined
def _deal_territories(table, state, chance):
    """One territory at a time to each player in the order of play, and to the neutral army after them."""
    owners = table.players + table.neutral
    free0, free1 = table.deck[0], table.deck[1]
    for card in range(table.territories, table.territories + 2):  # the wild cards are no territories
        free0 &= ~bit(card) if card < 64 else ~np.uint64(0)
        free1 &= ~bit(card) if card >= 64 else ~np.uint64(0)
    for k in range(table.territories):
        territory = ranked(free0, free1, draw(chance, table.territories - k))
        if territory < 64:
            free0 &= ~bit(territory)
        else:
            free1 &= ~bit(territory)
        owner = NEUTRAL if k % owners == table.players else (state.first + k % owners) % table.players
        give(state, territory, owner)
        state.armies[territory] = 1
        if owner != NEUTRAL:
            state.stock[owner] -= 1


@outlined
def _begin_setup(table, state):
    """The next player from `turn` on who has armies to set up and room for them; without one, play begins."""
    for k in range(table.players):
        seat = (state.turn + k) % table.players
        if state.stock[seat] > 0 and not has_room(table, state, seat):
            state.stock[seat] = 0
        if state.stock[seat] > 0:
            state.turn = seat
            state.phase = SETUP
            state.pool = min(1 + table.neutral, state.stock[seat])
            return
    state.turn = state.first
    state.round = 1
    _begin_turn(table, state)


@outlined
def _claim(table, state, territory):
    seat = state.turn
    give(state, territory, seat)
    state.armies[territory] = 1
    state.stock[seat] -= 1
    state.turn = (seat + 1) % table.players
    taken = 0
    for each in range(table.players):
        taken += held(state, each)
    if taken == table.territories:
        _begin_setup(table, state)


@outlined
def _set_up(table, state, territory):
    """One army of one's own; in the game with a neutral army two, and then one of the neutral's."""
    seat = state.turn
    state.armies[territory] += 1
    if state.phase == NEUTRAL_SETUP:
        state.pool = 0
    else:
        state.pool -= 1
        state.stock[seat] -= 1
        if not has_room(table, state, seat):
            state.pool = 0
            state.stock[seat] = 0
        if state.pool > 0:
            return
        if table.neutral and has_room(table, state, NEUTRAL):
            state.phase = NEUTRAL_SETUP
            state.pool = 1
            return
    state.turn = (seat + 1) % table.players
    _begin_setup(table, state)


@outlined
def _begin_turn(table, state):
    """The draft: armies for territories and continents."""
    seat = state.turn
    state.phase = DRAFT
    state.in_attack = 0
    state.conquered = 0
    state.bonus_taken = 0
    state.source = state.target = -1
    state.losses[:] = 0
    state.dice[:] = 0
    state.received[:] = np.uint64(0)
    state.pool = income(table, state, seat)
    _settle_draft(table, state)


@kernel
def _settle_draft(table, state):
    """The attack begins once no card must be turned in and nothing is left to place; what has no room is lost."""
    if state.cards[state.turn] >= MUST_EXCHANGE:
        return
    if state.pool > 0 and not has_room(table, state, state.turn):
        state.pool = 0
    if state.pool == 0:
        state.phase = ATTACK
        state.in_attack = 0


@kernel
def legal(table, state, out):
    """Codes of the legal moves."""
    if state.turn < 0:
        return 0
    if state.phase == CLAIM:
        return _list_owned(table, state, FREE, CLAIM_MOVE, out)
    if state.phase == SETUP:
        return _list_owned(table, state, state.turn, PLACE, out)
    if state.phase == NEUTRAL_SETUP:
        return _list_owned(table, state, NEUTRAL, PLACE, out)
    if state.phase == DRAFT:
        return _list_draft(table, state, out)
    if state.phase == ATTACK:
        return _list_attacks(table, state, out)
    if state.phase == OCCUPY:
        count = list_counts(out, 0, encode(MOVE, 0, 0, 0), np.int64(movable(table, state)))
        out[count] = encode(STAY, 0, 0, 0)
        return count + 1
    return _list_fortifying(table, state, out)


@outlined
def _list_owned(table, state, owner, kind, out):
    """One army on any territory of this owner that has room."""
    count = 0
    for territory in range(table.territories):
        if state.owner[territory] == owner and room(table, state, territory) > 0:
            out[count] = encode(kind, 0, territory, 1)
            count += 1
    return count


@outlined
def _list_draft(table, state, out):
    seat = state.turn
    count = 0
    must = state.cards[seat] >= MUST_EXCHANGE
    if must or (state.cards[seat] >= 3 and state.in_attack == 0):
        count = list_exchanges(table, state, seat, out, count)
    if must:
        return count
    for territory in range(table.territories):
        if state.owner[territory] == seat:
            most = min(state.pool, room(table, state, territory))
            count = list_counts(out, count, encode(PLACE, 0, territory, 0), np.int64(most))
    return count


@outlined
def _list_attacks(table, state, out):
    count = 0
    for source in range(table.territories):
        if state.owner[source] == state.turn and state.armies[source] > 1:
            for i in range(table.link_start[source], table.link_start[source + 1]):
                if state.owner[table.links[i]] != state.turn:
                    for dice in range(1, min(3, state.armies[source] - 1) + 1):
                        out[count] = encode(ATTACK_MOVE, source, table.links[i], dice)
                        count += 1
    for source in range(table.territories):
        if state.owner[source] == state.turn and state.armies[source] > 1:
            for i in range(table.link_start[source], table.link_start[source + 1]):
                if state.owner[table.links[i]] != state.turn:
                    for stop in STEPS:
                        if stop < state.armies[source]:
                            out[count] = encode(BATTLE, source, table.links[i], stop)
                            count += 1
    out[count] = encode(END_ATTACK, 0, 0, 0)
    out[count + 1] = encode(END_TURN, 0, 0, 0)
    return count + 2


@outlined
def _list_fortifying(table, state, out):
    """Moves between connected territories; once begun, more of the same, unless fortifying is free."""
    count = 0
    begun = state.source >= 0 and table.free_fortify == 0
    for source in range(table.territories):
        if begun and source != state.source:
            continue
        if not may_leave(state, source):
            continue
        reach0, reach1 = connected(table, state, source)
        for target in range(table.territories):
            if begun and target != state.target:
                continue
            reached = contains(reach0, reach1, target)
            if target != source and reached:
                most = min(state.armies[source] - 1, room(table, state, target))
                count = list_counts(out, count, encode(FORTIFY_MOVE, source, target, 0), np.int64(most))
    out[count] = encode(END_TURN, 0, 0, 0)
    return count + 1


@kernel
def may_leave(state, source):
    """Whether armies can fortify from here: no army moves twice, so not after others came in."""
    return (
        state.owner[source] == state.turn
        and state.armies[source] > 1
        and state.received[source >> 6] & bit(source) == np.uint64(0)
    )


@kernel
def connected(table, state, start):
    """The territories that can be reached from one through the same owner's, as two words."""
    owner = state.owner[start]
    land0, land1 = state.land[owner, 0], state.land[owner, 1]
    reach0 = reach1 = np.uint64(0)
    if start < 64:
        reach0 = bit(start)
    else:
        reach1 = bit(start)
    wait0, wait1 = reach0, reach1
    while wait0 | wait1:
        territory = ranked(wait0, wait1, 0)
        if territory < 64:
            wait0 &= ~bit(territory)
        else:
            wait1 &= ~bit(territory)
        new0 = table.near[territory, 0] & land0 & ~reach0
        new1 = table.near[territory, 1] & land1 & ~reach1
        reach0 |= new0
        reach1 |= new1
        wait0 |= new0
        wait1 |= new1
    return reach0, reach1


@kernel
def apply(table, state, action, chance):
    kind = kind_of(action)
    if kind == ATTACK_MOVE:
        attack(table, state, a_of(action), b_of(action), count_of(action), chance)
    elif kind == BATTLE:
        battle(table, state, a_of(action), b_of(action), count_of(action), chance)
    elif kind == MOVE:
        occupy(table, state, count_of(action))
    elif kind == STAY:
        after_occupation(state)
    elif kind == PLACE:
        _place(table, state, b_of(action), count_of(action))
    elif kind == EXCHANGE:
        exchange(table, state, action)
        _settle_draft(table, state)
    elif kind == END_ATTACK:
        state.phase = FORTIFY
        state.source = state.target = -1
    elif kind == FORTIFY_MOVE:
        _fortify(state, a_of(action), b_of(action), count_of(action))
    elif kind == END_TURN:
        _end_turn(table, state, chance)
    else:
        _claim(table, state, b_of(action))


@kernel
def _place(table, state, territory, count):
    if state.phase != DRAFT:
        _set_up(table, state, territory)
        return
    state.armies[territory] += count
    state.pool -= count
    _settle_draft(table, state)


@kernel
def _fortify(state, source, target, count):
    state.armies[source] -= count
    state.armies[target] += count
    state.source, state.target = source, target
    state.received[target >> 6] |= bit(target)


@outlined
def _end_turn(table, state, chance):
    """A card for who conquered; missions are shown; then the next player, or the end of the last round."""
    seat = np.int64(state.turn)
    if state.conquered:
        draw_card(table, state, seat, chance)
    if table.missions:
        winner = mission_winner(table, state)
        if winner >= 0:
            end_game(state, np.uint8(1) << np.uint8(winner))
            return
    following = (seat + 1) % table.players
    while not alive(state, following):
        following = (following + 1) % table.players
    if (following - state.first) % table.players <= (seat - state.first) % table.players:
        state.round += 1
    if table.round_limit and state.round > table.round_limit:
        _decide(table, state)
        return
    state.turn = following
    _begin_turn(table, state)


@outlined
def _decide(table, state):
    """The rounds are over: most territories win, then most armies; ties share."""
    best = np.int64(-1)
    winners = np.int64(0)
    for seat in range(table.players):
        value = standing(table, state, seat)
        if value > best:
            best = value
            winners = np.int64(0)
        if value == best:
            winners |= np.int64(1) << seat
    end_game(state, np.uint8(winners))


@kernel
def standing(table, state, seat):
    """How far a player has got, as one number: territories first, then armies."""
    armies = np.int64(0)
    for territory in range(table.territories):
        if state.owner[territory] == seat:
            armies += state.armies[territory]
    return np.int64(held(state, seat)) << 40 | armies


@kernel
def to_move(state):
    return np.int64(state.turn)


@kernel
def score(table, state, out):
    winners = 0
    for seat in range(table.players):
        winners += (state.winners >> seat) & 1
    for seat in range(table.players):
        out[seat] = ((state.winners >> seat) & 1) / max(1, winners)


@kernel
def conceal(table, state, seat):
    """Hands and missions are their owners' alone until the game is over."""
    if state.turn < 0:
        return
    for other in range(table.players):
        if other != seat:
            state.hand[other, 0] = np.uint64(0)
            state.hand[other, 1] = np.uint64(0)
            state.mission[other] = -1


@outlined
def imagine(table, state, seat, rng):
    """Deal unseen cards and missions in a way that fits all that was seen."""
    if state.turn < 0:
        return
    imagine_hands(table, state, seat, rng)
    if table.missions:
        imagine_missions(table, state, rng)


@kernel
def observe(table, state, action, seat):
    """Every move is made in the open, and cards are shown when they are turned in."""
    return action


RULES = Rules(State, reset, legal, apply, to_move, score, conceal, imagine, observe)
