"""The champion plays what the strongest agent of the game and side plays, within its budget."""

from __future__ import annotations

import pytest

import fogbound as fb
from fogbound.core import registry
from fogbound.core.callees import _loaded
from fogbound.core.compiled import compile_piece


def of(spec: str, side: int = 0) -> str:
    return registry.champion(fb.game(spec), side, "seconds=2")


def test_each_board_has_its_own() -> None:
    general = "resolve:values=scotland-yard-guide,iterations=48"
    assert of("scotland-yard/london") == "resolve:iterations=48,caution=10,beside=2,room=0.5"
    assert of("scotland-yard/london", side=1) == of("scotland-yard/london:detectives=4") == "resolve:iterations=48"
    assert of("scotland-yard/london:detectives=2", side=1) == "resolve:iterations=48"
    assert of("scotland-yard/plan1", side=0) == "policy:floor=0.3,caution=10,beside=6,room=1.5"
    assert of("scotland-yard/plan1", side=1) == "policy"
    assert of("scotland-yard/london-modern", side=1) == "resolve:values=resolve-london,iterations=48"
    assert of("scotland-yard/london:rounds=10,reveals=2+5+8,show_start=true", side=1) == "resolve:iterations=48"
    assert of("scotland-yard/plan1:stuck_detectives=pass", side=1) == "policy"
    assert of("scotland-yard/plan1:rounds=18") == general  # longer games than the nets of the board have learned
    assert of("scotland-yard/plan1:detectives=2") == of("scotland-yard/random:stations=60", side=1) == general
    assert of("scotland-yard/grid5:rounds=6") == of("scotland-yard/grid5", side=1) == "perfect"
    assert of("scotland-yard/grid5") == "mcts:preset=nijssen-winands,iterations=5000"  # lost against perfect detectives
    assert of("scotland-yard/plan1-long") == "mcts:preset=nijssen-winands,seconds=2"  # nearly lost for Mr X
    assert of("scotland-yard/grid5:detectives=3") == of("scotland-yard/grid9") == general
    assert of("risk/classic:players=4") == of("risk/random:territories=21,players=3") == "policy"
    assert of("risk/classic:cards=fixed") == of("risk/classic:cards=capped,free_fortify=true") == "policy"
    for unknown in (
        "risk/classic:goal=missions",
        "risk/classic:round_limit=15",
        "risk/random:territories=60",
    ):
        assert of(unknown) == "planner:search=risk-value-turns,seconds=2"


@pytest.mark.parametrize("spec", ["scotland-yard/london:detectives=2,rounds=6", "scotland-yard/plan1:rounds=9"])
@pytest.mark.parametrize(
    "rules",
    [
        "first=detectives,show_start=true",
        "step_on_detective=true,closing_move=true,hand_over=false",
        "step_on_detective=false,closing_move=false,stuck_detectives=pass",
        "reveals=none,tickets.mr_x.double=6,tickets.mr_x.black=9",
        "reveals=1+2+4+5,tickets.mr_x.double=0,tickets.mr_x.black=0,tickets.detectives.taxi=3",
    ],
)
def test_nets_that_learned_other_rules_play_whole_games_by_these(spec: str, rules: str) -> None:
    game = fb.game(f"{spec},{rules}")
    assert {of(game.spec, side).partition(":")[0] for side in (0, 1)} <= {"resolve", "policy"}
    assert fb.play(game, ["champion:iterations=2"], seed=3).scores is not None


def test_a_board_read_from_a_table_is_still_known() -> None:
    game = fb.game("scotland-yard/london:detectives=4")
    again = registry.rebuild(game.family, game.definition())
    assert registry.champion(again, 0, "seconds=1") == "resolve:iterations=48"


@pytest.mark.parametrize("spec", ["scotland-yard/grid7", "scotland-yard/plan1", "empire/seed"])
def test_it_plays_as_the_agent_that_it_stands_for(spec: str) -> None:
    game = fb.game(spec)
    played = [registry.champion(game, side, "iterations=12") for side in range(game.sides)]
    assert fb.play(game, ["champion:iterations=12"], seed=2).moves == fb.play(game, played, seed=2).moves


@pytest.mark.parametrize(
    "spec", ["empire/seed", "risk/classic:players=3,deal=true,starting_armies=20", "scotland-yard/london:detectives=2"]
)
def test_its_pieces_are_what_its_first_decision_calls(spec: str) -> None:
    """Compiled by another process beforehand, none of them is needed with other types."""
    game = fb.game(spec)
    match = game.new(seed=1)
    view = match.view(match.to_move)
    agent = fb.agent("champion:iterations=1", game)
    pieces = agent.pieces(0)
    for piece in pieces:
        compile_piece(piece)
    before, known = set(_loaded), [len(piece[0].overloads) for piece in pieces]
    agent.choose(view)
    names = [f"{len(piece[0].__name__)}{piece[0].__name__}" for piece in pieces]
    assert names and not [new for new in _loaded.keys() - before if any(name in new for name in names)]
    assert [len(piece[0].overloads) for piece in pieces] == known


@pytest.mark.parametrize(
    ("agent", "spec"), [("policy", "london:detectives=3"), ("graph", "london:detectives=3"), ("graph", "random:stations=30")]
)
def test_nets_of_self_play_tell_what_they_think(agent: str, spec: str) -> None:
    """For the analysis: how likely each move is, the value of the position, and where Mr X may be."""
    game = fb.game(f"scotland-yard/{spec}")
    match = game.new(seed=4)
    for _ in range(12):
        view = match.view(match.to_move)
        decision = fb.agent(agent, game, seed=1, side=game.side_of[view.seat]).choose(view)
        codes = [move.code for move in match.legal()]
        if len(codes) > 1:
            assert sorted(decision.chances) == codes
            assert sum(decision.chances.values()) == pytest.approx(1)
            assert 0 < decision.values[decision.action] < 1
        if len(codes) > 1 and view.seat > 0:
            assert sum(decision.belief.values()) == pytest.approx(1)
            possible = game.public(view.state)["possible"]
            assert sorted(map(int, decision.belief)) == sorted(possible)
        else:
            assert not decision.belief
        match.play(decision.action)
