"""The techniques of Nijssen and Winands: guesses by category, coalition reduction, filtered moves."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest

import fogbound as fb
from fogbound.agents import tree
from fogbound.agents.scotland_yard import categories
from fogbound.agents.scotland_yard.mcts import ScotlandYardMcts, ScotlandYardMctsOptions
from fogbound.agents.scotland_yard.mcts_hooks import HOOKS
from fogbound.core.compiled import outlined
from fogbound.games.scotland_yard.rules import BLACK, DOUBLE_SHIFT, TICKET_SHIFT

LONDON = "scotland-yard/london"


def player(options: str, spec: str = LONDON) -> ScotlandYardMcts:
    agent = fb.agent(f"mcts:{options}", spec)
    assert isinstance(agent, ScotlandYardMcts)
    return agent


def played_on(spec: str, moves: int, seed: int) -> fb.Match:
    rng, match = Random(seed), fb.game(spec).new(seed=seed)
    for _ in range(moves):
        if not match.over:
            match.play(rng.choice(match.legal()))
    return match


hook_moves, hook_imagine, hook_reward = HOOKS.moves, HOOKS.imagine, HOOKS.reward


@outlined
def filtered(table, data, state, out):
    return hook_moves(table, data, state, out)


@outlined
def imagined(table, data, state, rng, counts):
    for _ in range(20000):
        state.station[0] = -1
        hook_imagine(table, data, state, 1, rng)
        counts[state.station[0]] += 1


@outlined
def rewarded(table, data, state, side_of, sides, result):
    hook_reward(table, data, state, side_of, sides, result)


def test_guesses_follow_the_belief() -> None:
    agent = player("categories=on")
    match = next(m for m in (played_on(LONDON, 8, seed) for seed in range(20)) if len(m.game.possible(m.state)) > 5)
    view = match.view(match.to_move)
    belief = agent.belief(view)
    assert sum(belief.values()) == pytest.approx(1)
    assert sorted(map(int, belief)) == match.game.public(view.state)["possible"]
    assert len(set(belief.values())) > 1
    counts = np.zeros(256, np.int64)
    imagined(match.game.table, agent.hook_data(view), view.state.copy(), np.array([3, 1, 4, 1], np.uint64), counts)
    for station, chance in belief.items():
        assert counts[match.game.index[int(station)]] / 20000 == pytest.approx(chance, abs=0.015)


def test_filtered_moves_waste_no_ticket_and_something_always_remains() -> None:
    agent = player("filter")
    blacks = doubles = refused = 0
    for seed in range(60):
        match = played_on(LONDON, 6 * (seed % 9), seed)
        if match.over or match.to_move != 0:
            continue
        view = match.view(0)
        out = np.empty(match.game.most_actions, np.int64)
        kept = out[: filtered(match.game.table, agent.hook_data(view), match.state, out)].tolist()
        legal = [move.code for move in match.legal()]
        assert kept and set(kept) <= set(legal) and kept == sorted(kept)
        black = [code for code in kept if (code >> TICKET_SHIFT) & 15 == BLACK]
        double = [code for code in kept if code >> DOUBLE_SHIFT]
        if int(match.state["slot"]) + 1 <= 3:
            assert not black  # not before the first reveal, nor right on it
        near = set(match.state["station"][1:6].tolist()) & set(
            match.game.notation.links(int(match.state["station"][0]), BLACK)
        )
        if not near:
            assert not double
        blacks, doubles, refused = blacks + bool(black), doubles + bool(double), refused + (len(kept) < len(legal))
    assert blacks and doubles and refused


def test_with_nothing_but_black_tickets_they_are_not_filtered_away() -> None:
    agent = player("filter")
    match = fb.game(LONDON).new(seed=1)
    match.state["tickets"][0][:BLACK] = 0
    out = np.empty(match.game.most_actions, np.int64)
    assert filtered(match.game.table, agent.hook_data(match.view(0)), match.state, out) == len(match.legal())


def test_a_colleagues_catch_is_worth_a_little_less() -> None:
    agent = player("coalition=0.25")
    match = next(m for m in (played_on(LONDON, 400, seed) for seed in range(60)) if m.scores()[1] == 1)
    catchers = [seat for seat in range(1, 6) if match.state["station"][seat] == match.state["station"][0]]
    result, side_of = np.zeros(6), np.array(match.game.side_of, np.int64)
    rewarded(match.game.table, agent.hook_data(match.view(0)), match.state, side_of, np.zeros(2), result)
    assert catchers
    assert result.tolist() == [0.0, *(1.0 if seat in catchers else 0.75 for seat in range(1, 6))]


def test_options_given_besides_the_preset_go_before_it() -> None:
    options = player("preset=nijssen-winands,coalition=0,iterations=7").options
    assert isinstance(options, ScotlandYardMctsOptions)
    assert (options.coalition, options.filter, options.categories, options.iterations) == (0, True, "on", 7)
    hasty = player("preset=sova,seconds=0.01").options
    assert (hasty.worlds, hasty.iterations, hasty.seconds) == ("one", None, 0.01)
    assert player("preset=sova").options.iterations


@pytest.mark.parametrize("playout", ["chase", "hunt", "chase+random", "random+heuristic"])
def test_each_side_can_have_its_own_playouts(playout: str) -> None:
    agent = player(f"playout={playout},epsilon=0.3,iterations=40")
    names = playout.split("+") * (2 if "+" not in playout else 1)
    assert agent._random_share.tolist() == [1.0 if names[side] == "random" else 0.3 for side in agent.game.side_of]
    match = agent.game.new(seed=3)
    assert agent.choose(match.view(0)).action in {move.code for move in match.legal()}


def test_shipped_categories_say_how_they_were_made() -> None:
    import json

    boards = json.loads(categories.SHIPPED.read_text(encoding="utf-8"))["boards"]
    assert {"london", "plan1", "square1"} <= set(boards)
    for entry in boards.values():
        assert entry["command"].startswith("fogbound learn-categories ")
        assert np.shape(entry["was_there"]) == np.shape(entry["could_be_there"]) == (9, 7)


def test_the_pool_of_roots_never_overflows() -> None:
    pool = tree.make_pool(5000, 2)
    nodes = {int(tree.root_for(pool, np.uint64(key))) for key in range(3000)}
    assert len(nodes) == tree.ROOTS
