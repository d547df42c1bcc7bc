"""The tree of whole turns: which turns are listed, against a slow listing in plain Python; and that it plays them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import numpy as np

import fogbound as fb
from fogbound.agents.risk.turn_list import LONGEST, Kept, list_turns
from fogbound.agents.risk.turntree import TurnTree
from fogbound.core import registry
from fogbound.core.chance import Chance
from fogbound.core.rng import stream
from fogbound.core.runner import seat_agents
from fogbound.games.risk.game import Risk
from fogbound.games.risk.table import DRAFT

GUIDED = "iterations=20,guide=untrained-simple-1"
GAME = "risk/random:territories=9,players=3,seed=1,starting_armies=9,cards=capped"
Armies = tuple[int, ...]


def at_a_draft(seed: int) -> fb.Match:
    match = fb.game(GAME).new(seed=seed)
    seated = seat_agents(match.game, ["random:attack=0"], seed)
    while match.state["phase"] != DRAFT:
        match.play(seated[match.to_move].choose(match.view(match.to_move)).action)
    return match


def border(game: Risk, owner: list[int], t: int) -> bool:
    return any(owner[near] != owner[t] for near in game.board.neighbours[t])


def drafts(lands: list[int], armies: Armies, pool: int) -> Iterator[Armies]:
    """Nothing, two, four, ... or all of the armies on each territory in turn; the last one gets the rest."""
    here, *others = lands
    counts = {pool} if not others else {*range(0, pool, 2), pool}
    for count in counts:
        placed = tuple(n + count * (t == here) for t, n in enumerate(armies))
        yield from [placed] if count == pool else drafts(others, placed, pool - count)


def fortified(game: Risk, owner: list[int], armies: Armies, seat: int) -> Iterator[Armies]:
    """As it is, or all armies of a territory on a connected one at the border."""
    yield armies
    for source in (t for t, n in enumerate(armies) if owner[t] == seat and n > 1):
        reached, wait = {source}, [source]
        while wait:
            new = {t for t in game.board.neighbours[wait.pop()] if owner[t] == seat} - reached
            reached |= new
            wait += new
        for target in reached - {source}:
            if border(game, owner, target):
                moved = armies[source] - 1
                yield tuple(n + moved * ((t == target) - (t == source)) for t, n in enumerate(armies))


def test_without_attacks_the_listed_turns_are_those_of_plain_python() -> None:
    for seed in range(4):
        match = at_a_draft(seed)
        game, seat = match.game, match.to_move
        assert isinstance(game, Risk)
        owner, armies = ([int(x) for x in match.state[name][: game.board.size]] for name in ("owner", "armies"))
        lands = [t for t in range(game.board.size) if owner[t] == seat and border(game, owner, t)]
        expected = Counter(
            after
            for placed in drafts(lands, tuple(armies), int(match.state["pool"]))
            for after in fortified(game, owner, placed, seat)
        )
        agent = registry.agent("turntree:margin=100,pool=5000", game)
        assert isinstance(agent, TurnTree)
        room = 4000
        kept = Kept(np.zeros(room, game.rules.state), np.zeros((room, LONGEST), np.int64), np.zeros(room, np.int16))
        empty = np.zeros(0, np.int64)
        chance = Chance(agent.rng, empty, empty, np.zeros(3, np.int64))
        given = (game.table, agent._rules, agent._work, match.state.copy(), kept, 0)
        total = list_turns(*given, room, agent._out, chance, agent.rng)
        listed = kept.state["armies"][:total, : game.board.size]
        assert Counter(tuple(int(n) for n in row) for row in listed) == expected
        fewer = list_turns(*given, 5, agent._out, chance, stream(1, "x", 0))
        assert fewer == total
        assert {tuple(int(n) for n in row) for row in kept.state["armies"][:5, : game.board.size]} <= set(expected)


def test_it_plays_whole_games_against_its_kind_and_plans_once_a_turn() -> None:
    match = fb.game(GAME).new(seed=5)
    seated = seat_agents(match.game, ["turntree:iterations=20", f"turntree:{GUIDED}", "random"], 5)
    searched: Counter[tuple[int, int]] = Counter()
    while not match.over and match.state["round"] < 5:
        seat = match.to_move
        decision = seated[seat].choose(match.view(seat))
        if isinstance(seated[seat], TurnTree) and decision.visits and match.state["round"] > 0:
            searched[int(match.state["round"]), seat] += 1
        match.play(decision.action)
    assert searched and set(searched.values()) == {1}
