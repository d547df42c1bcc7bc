"""Tree search: what it finds, what it is worth, and that it never looks where it may not."""

from __future__ import annotations

from functools import cache
from random import Random

import numpy as np
import pytest

import fogbound as fb
from fogbound.agents import tree
from fogbound.agents.mcts import WORLDS_ALIASES, Mcts, MctsOptions
from fogbound.core.agent import options_text
from fogbound.core.statistics import wilson

WORLDS = ["one", "many", "infoset", "observers"]
OPEN = "scotland-yard/grid3:detectives=1,rounds=3,reveals=every 1,show_start=true"  # nothing is hidden here
PLAN1 = "scotland-yard/plan1"


def think(spec: str, match: fb.Match, agent: str, seed: int = 0) -> fb.Decision:
    seat = match.to_move
    return fb.agent(agent, fb.game(spec), seed=seed, side=match.game.side_of[seat]).choose(match.view(seat))


def random_positions(spec: str, seeds: range) -> list[fb.Match]:
    """A position of each of some random games, not yet over."""
    found = []
    for seed in seeds:
        rng, match = Random(seed), fb.game(spec).new(seed=seed)
        for _ in range(rng.randrange(12)):
            before = match.copy()
            match.play(rng.choice(match.legal()))
            if match.over:
                match = before
                break
        found.append(match)
    return found


def exact(match: fb.Match) -> float:
    """The detectives' result with best play on both sides, everything open."""
    return _exact(match.game.spec, match.state.tobytes())


@cache
def _exact(spec: str, state: bytes) -> float:
    game = fb.game(spec)
    match = game.new(seed=0)
    match.state = np.frombuffer(state, game.rules.state)[0].copy()
    if match.over:
        return match.scores()[1]
    results = []
    for move in match.legal():
        following = match.copy()
        following.play(move)
        results.append(exact(following))
    return max(results) if match.to_move > 0 else min(results)


@pytest.mark.parametrize("worlds", WORLDS)
def test_a_detective_beside_mr_x_catches_him(worlds: str) -> None:
    found = 0
    for match in random_positions("scotland-yard/grid5", range(200)):
        target = int(match.state["station"][0])
        catches = [move for move in match.legal() if move.code & 511 == target]
        if match.to_move > 0 and match.state["shown"] and catches:
            decision = think("scotland-yard/grid5", match, f"mcts:worlds={worlds},iterations=200")
            assert decision.action == catches[0].code
            assert decision.values[decision.action] == 1.0
            found += 1
    assert found >= 3


@pytest.mark.parametrize("worlds", WORLDS)
def test_with_everything_open_it_finds_what_full_search_finds(worlds: str) -> None:
    matters = 0
    for match in random_positions(OPEN, range(25)):
        mine = 1 if match.to_move > 0 else 0
        best: dict[int, float] = {}
        for move in match.legal():
            following = match.copy()
            following.play(move)
            value = exact(following)
            best[move.code] = value if mine else 1 - value
        if len(set(best.values())) < 2:
            continue
        matters += 1
        decision = think(OPEN, match, f"mcts:worlds={worlds},iterations=3000,c=0.7")
        assert best[decision.action] == max(best.values())
        assert decision.values[decision.action] == pytest.approx(best[decision.action], abs=0.15)
    assert matters >= 5


@pytest.mark.parametrize("worlds", ["many", "infoset", "observers"])
def test_a_last_guess_is_worth_one_over_the_number_of_possible_stations(worlds: str) -> None:
    spec = "scotland-yard/grid3:detectives=1,rounds=1,reveals=none,first=detectives"
    match = fb.game(spec).new(seed=3)
    assert len(match.game.public(match.state)["possible"]) == 8
    decision = think(spec, match, f"mcts:worlds={worlds},guesses=400,iterations=8000,c=2")
    for value in decision.values.values():
        assert value == pytest.approx(1 / 8, abs=0.04)
    assert list(decision.belief.values()) == pytest.approx([1 / 8] * 8)


def test_mr_x_does_not_think_that_hidden_moves_are_seen() -> None:
    """One detective beside all that Mr X can reach: who sees him catches him, who has to guess may not."""
    spec = "scotland-yard/grid3:detectives=1,rounds=1,reveals=none"
    game = fb.game(spec)
    match = next(
        match
        for match in (game.new(seed=seed) for seed in range(500))
        if match.state["station"][0] == 0 and match.state["station"][1] == 4
    )
    # From the corner he goes to one of the two stations beside the middle, where the detective stands.
    seen = think(spec, match, "mcts:worlds=infoset,iterations=4000")
    guessed = think(spec, match, "mcts:worlds=observers,iterations=4000")
    assert max(seen.values.values()) < 0.1
    assert max(guessed.values.values()) > 0.4


def test_a_forced_move_is_played_without_thought() -> None:
    forced = [match for match in random_positions(OPEN, range(100)) if len(match.legal()) == 1]
    assert forced
    for match in forced[:3]:
        decision = think(OPEN, match, "mcts")
        assert decision.action == match.legal()[0].code
        assert decision.visits == {}


@pytest.mark.parametrize("threads", [1, 2])
def test_the_same_seed_and_threads_give_the_same_analysis(threads: int) -> None:
    for worlds in WORLDS:
        for match in random_positions(PLAN1, range(3)):
            agent = f"mcts:iterations=301,threads={threads},worlds={worlds},history=1"
            first, second = (think(PLAN1, match, agent, seed=9) for _ in range(2))
            assert (first.action, first.values, first.visits, first.line) == (
                second.action,
                second.values,
                second.visits,
                second.line,
            )


@pytest.mark.parametrize(("alias", "name"), WORLDS_ALIASES.items())
def test_worlds_has_the_names_of_the_literature(alias: str, name: str) -> None:
    """Both spellings are one option, kept under one name, and give the same analysis."""
    assert name in WORLDS and sorted(WORLDS_ALIASES.values()) == sorted(WORLDS)
    short, long = (MctsOptions.model_validate({"worlds": spelling}) for spelling in (name, alias))
    assert short == long and options_text(short) == options_text(long)
    match = fb.game(PLAN1).new(seed=5)
    first, second = (think(PLAN1, match, f"mcts:iterations=300,worlds={spelling}") for spelling in (name, alias))
    assert (first.action, first.values, first.visits, first.line) == (
        second.action,
        second.values,
        second.visits,
        second.line,
    )
    assert alias in str(MctsOptions.model_fields["worlds"].description)


@pytest.mark.parametrize("threads", [1, 3])
def test_all_iterations_of_the_budget_are_made(threads: int) -> None:
    match = fb.game(PLAN1).new(seed=5)
    decision = think(PLAN1, match, f"mcts:iterations=1000,threads={threads}")
    assert sum(decision.visits.values()) == 1000
    assert decision.action == max(decision.visits, key=lambda code: decision.visits[code])
    assert decision.line[0] == decision.action
    assert set(decision.visits) <= {move.code for move in match.legal()}
    assert sum(think(PLAN1, match, "mcts:seconds=0.01").visits.values()) > 1


def test_a_tree_in_which_all_play_for_the_root_is_the_more_hopeful_one() -> None:
    """Everything is seen and soon over: a side that is lost against the other is not where the other helps it."""
    hopes = []
    for match in random_positions(OPEN, range(25)):
        if len(match.legal()) > 1:
            spec = "mcts:worlds=one,iterations=2000,c=0.7"
            alone, helped = think(OPEN, match, spec), think(OPEN, match, f"{spec},maximise=root")
            hopes.append(max(helped.values.values()) - max(alone.values.values()))
    assert min(hopes) > -0.05 and max(hopes) > 0.2


def test_the_best_value_can_be_chosen_instead_of_the_most_visits() -> None:
    for match in random_positions(PLAN1, range(4)):
        if len(match.legal()) > 1:
            decision = think(PLAN1, match, "mcts:iterations=60,choice=value,c=3")
            assert decision.values[decision.action] == max(decision.values.values())


def test_a_choice_does_not_depend_on_what_is_hidden() -> None:
    """Worlds that differ only in Mr X's station give a detective the same analysis."""
    spec, compared = "scotland-yard/london", 0
    for match in random_positions(spec, range(8)):
        seat = match.to_move
        if seat == 0 or match.state["shown"]:
            continue
        analyses = set()
        for station in match.game.possible(match.state)[:4]:
            other = match.copy()
            other.state["station"][0] = match.game.index[station]
            for agent in ("mcts:iterations=150", "mcts:preset=nijssen-winands,worlds=observers,iterations=150"):
                decision = think(spec, other, agent)
                analyses.add((agent, decision.action, tuple(decision.visits.items()), tuple(decision.belief.items())))
        assert len(analyses) == 2
        compared += 1
    assert compared >= 3


def test_a_kept_tree_proposes_nothing_that_only_other_dice_would_have_allowed() -> None:
    """In this game Red captures cards with a battle and has to turn in sets, where the tree also knew further battles."""
    players = ["mcts:iterations=200", "random", "random"]
    assert fb.play("risk/random:territories=9,players=3,seed=1", players, seed=1, number=2).scores is not None


def test_the_tree_is_kept_from_one_detective_to_the_next() -> None:
    game = fb.game(PLAN1)
    match = game.new(seed=2)
    match.play(match.legal()[0])
    agent = fb.agent("mcts:iterations=2000", game, side=1)
    first = agent.choose(match.view(1))
    match.play(first.action)
    second = agent.choose(match.view(2))
    assert sum(second.visits.values()) >= 2000 + first.visits[first.action] // 2
    fresh = fb.agent("mcts:iterations=8000,reuse=false", game, side=1).choose(match.view(2))
    assert second.values[second.action] == pytest.approx(fresh.values[fresh.action], abs=0.1)
    assert all(0 <= value <= 1 for value in second.values.values())


@pytest.mark.parametrize("worlds", ["infoset", "observers"])
def test_a_kept_tree_is_dropped_when_the_game_went_another_way(worlds: str) -> None:
    game = fb.game(PLAN1)
    agent = fb.agent(f"mcts:iterations=200,worlds={worlds}", game, side=0)
    for seed in (1, 2):
        match = game.new(seed=seed)
        decision = agent.choose(match.view(0))
        match.play(decision.action)  # refused if it came from the other game's tree
        assert sum(decision.visits.values()) <= 200


def test_a_copied_tree_has_the_figures_of_the_old_one() -> None:
    old, new = tree.make_pool(100, 2), tree.make_pool(100, 2)
    for code in (7, 3, 5):
        child = int(tree.child_or_new(old, tree.ROOT, code))
        for grandchild in (4, 2):
            old.visits[tree.child_or_new(old, child, grandchild)] = code * 10 + grandchild
    node = int(tree.child_of(old, tree.ROOT, 5))
    old.visits[node], old.value[node, 1] = 9, 4.5
    tree.copy_subtree(old, node, new)
    assert (int(new.visits[tree.ROOT]), float(new.value[tree.ROOT, 1]), int(new.used[0])) == (9, 4.5, 3)
    assert [int(new.visits[tree.child_of(new, tree.ROOT, code)]) for code in (2, 4)] == [52, 54]
    assert tree.child_of(new, tree.ROOT, 3) == tree.NOWHERE


def test_memory_is_bounded() -> None:
    match = fb.game(PLAN1).new(seed=5)
    for worlds in ("infoset", "observers"):
        agent = fb.agent(f"mcts:iterations=3000,nodes=40,worlds={worlds}", PLAN1)
        assert isinstance(agent, Mcts)
        decision = agent.choose(match.view(0))
        assert agent._workers[0].pool.used[0] <= 40
        assert decision.action in {move.code for move in match.legal()}


def test_a_playout_can_be_cut_off() -> None:
    """Cut off at once, with nobody near enough for a catch: nothing speaks for either side."""
    match = fb.game("scotland-yard/grid16").new(seed=5)
    decision = think("scotland-yard/grid16", match, "mcts:iterations=20,depth=0")
    assert set(decision.values.values()) == {0.5}
    far = think("scotland-yard/grid16", match, "mcts:iterations=20,depth=1000")
    assert set(far.values.values()) != {0.5}


def test_it_clearly_beats_random_play_on_both_sides() -> None:
    games = 24
    as_mr_x = sum(r.scores[0] for r in fb.play_set(PLAN1, ["mcts:iterations=100", "random"], games, seed=4, workers=1))
    as_detectives = sum(
        r.scores[1] for r in fb.play_set(PLAN1, ["heuristic", "mcts:iterations=100"], games, seed=4, workers=1)
    )
    random = list(fb.play_set(PLAN1, ["random"], 2000, seed=4, workers=1))
    by_chance = sum(r.scores[0] for r in random) / len(random)
    against_heuristic = list(fb.play_set(PLAN1, ["heuristic", "random"], 2000, seed=4, workers=1))
    detectives_by_chance = sum(r.scores[1] for r in against_heuristic) / len(against_heuristic)
    assert wilson(as_mr_x, games)[0] > by_chance + 0.2
    assert wilson(as_detectives, games)[0] > detectives_by_chance + 0.2


def test_among_three_players_each_looks_after_himself() -> None:
    """Eight-Minute Empire, no special pieces: one search against two random players, from every seat."""
    games, won = 0, 0.0
    for seat in range(3):
        agents = ["random"] * 3
        agents[seat] = "mcts:iterations=150"
        for result in fb.play_set("empire/seed:players=3", agents, 5, seed=6, workers=1):
            games, won = games + 1, won + result.scores[seat]
    assert wilson(won, games)[0] > 1 / 3


@pytest.mark.parametrize(
    ("spec", "text"),
    [
        ("mcts:playout=nonsense", "There is no agent"),
        ("mcts:playout=person", "playouts need a compiled policy"),
        ("mcts:playout=random+random+random", "gives 3 policies"),
        ("mcts:playout=heuristic+chase", "mixes chase and heuristic"),
        ("mcts:playout=random+", "one a side"),
        ("mcts:iterations=5,seconds=1", "not both"),
        ("mcts:worlds=all", "worlds=all"),
        ("mcts:threads=0", "threads=0"),
        ("mcts:categories=missing.json", "not a categories file"),
        ("mcts:preset=husa", "preset=husa"),
    ],
)
def test_a_wrong_option_is_told_in_words(spec: str, text: str) -> None:
    with pytest.raises(fb.FogboundError, match=text):
        fb.agent(spec, PLAN1)
