"""Rollouts of Risk's net: they find what wins, spend their budget, know nothing hidden, and leave the match alone."""

from __future__ import annotations

import pytest
import torch

import fogbound as fb
from fogbound.agents import nets
from fogbound.agents.risk import policy_net as pn
from fogbound.agents.risk.rollout import Rollout, improve
from fogbound.core.agent import Decision
from fogbound.core.compiled import compile_piece
from fogbound.core.errors import BadOption
from fogbound.core.runner import seat_agents
from fogbound.games.risk.table import BATTLE, DRAFT, END_ATTACK, b_of, encode, kind_of
from fogbound.train.risk import selfplay_nets as sn
from tests.agents.risk.test_choices import GAMES
from tests.agents.risk.test_turns import at_a_draft
from tests.games.risk.positions import BLUE, RED, Position

SMALL = "risk/random:seed=2,territories=12,players=3,deal=true,round_limit=6"


@pytest.fixture(scope="module")
def rollout(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The player with few rollouts, and a net with random weights: it likes all choices, and none."""
    path = tmp_path_factory.mktemp("nets") / "some.safetensors"
    torch.manual_seed(0)
    nets.save(path, sn.arrays(sn.Net(width=16, inner=24, blocks=2)), {"kind": pn.KIND, "family": "risk"})
    return f"rollout:iterations=4,least=0,weights={path}"


def decision(match: fb.Match, spec: str, seed: int = 0) -> Decision:
    return fb.agent(spec, match.game, seed=seed).choose(match.view(match.to_move))


def told(made: Decision) -> tuple[object, ...]:
    return made.action, dict(made.values), dict(made.visits)


@pytest.mark.parametrize("spec", GAMES)
def test_it_plays_whole_games_by_legal_moves(spec: str, rollout: str) -> None:
    record = fb.play(f"{spec},round_limit=2", [f"{rollout},ahead=1"], seed=4)  # refuses what is illegal
    assert record.scores is not None and sum(record.scores) == pytest.approx(1)


def test_the_same_seed_gives_the_same_game_and_another_seed_another_one(rollout: str) -> None:
    games = [fb.play(SMALL, [f"{rollout},ahead=1"], seed=seed).moves for seed in (4, 4, 5)]
    assert games[0] == games[1] != games[2]


# The tries.


def test_all_rollouts_are_spent_on_the_likeliest_choices(rollout: str) -> None:
    match = at_a_draft()
    made = decision(match, rollout.replace("iterations=4", "iterations=30,candidates=5,c=5"))
    liked = decision(match, rollout.replace("rollout:iterations=4,least=0", "policy:temperature=1")).chances
    assert sum(made.visits.values()) == 30 and made.visits[made.action] == max(made.visits.values())
    assert set(made.visits) == set(made.values) == set(sorted(liked, key=lambda move: -liked[move])[:5])
    assert all(0 < value < 1 for value in made.values.values())
    assert made.line == (made.action,) and not made.chances  # whose likeliest would be given as advice


def test_a_choice_without_rival_is_played_without_a_rollout(rollout: str) -> None:
    match = at_a_draft()
    made = decision(match, rollout.replace("least=0", "least=1"))
    net = decision(match, rollout.replace("rollout:iterations=4,least=0", "policy:setup=0"))
    assert told(made) == told(net) and not made.visits


def test_it_may_leave_the_set_up_to_the_net(rollout: str) -> None:
    match = fb.game("risk/classic:players=3").new(seed=1)
    thought, unthought = decision(match, rollout), decision(match, f"{rollout},setup=false")
    net = decision(match, rollout.replace("rollout:iterations=4,least=0", "policy:setup=0"))
    assert sum(thought.visits.values()) == 4
    assert told(unthought) == told(net) and not unthought.visits
    assert decision(at_a_draft(), f"{rollout},setup=false").visits


@pytest.mark.parametrize(("ahead", "turns"), [(0, 1), (1, 2), (2, 3), (5, 3)])
def test_others_take_their_turns_until_it_is_ones_own_again(ahead: int, turns: int, rollout: str) -> None:
    match = at_a_draft()
    seat, rounds = match.to_move, int(match.state["round"])
    agent = fb.agent(f"{rollout},ahead={ahead}", match.game)
    assert isinstance(agent, Rollout)
    agent.choose(match.view(seat))
    world = agent._kit.world[0]
    assert (world["turn"], world["phase"]) == ((seat + turns) % 3, DRAFT)
    assert rounds <= world["round"] <= rounds + 1


def last_stand(armies: int) -> Position:
    """Red holds the world with 20 armies in Peru, but for Blue's Brazil."""
    position = Position()
    position.give(RED, *position.ids).give(RED, "peru", armies=20).give(BLUE, "brazil", armies=armies)
    return position


@pytest.mark.parametrize("ahead", [0, 2])
def test_it_takes_the_last_territory_of_the_last_opponent(ahead: int, rollout: str) -> None:
    position = last_stand(1)
    made = decision(position.match, rollout.replace("iterations=4", f"iterations=40,c=1,temperature=0,ahead={ahead}"))
    assert kind_of(made.action) == BATTLE and position.ids[b_of(made.action)] == "brazil"
    assert made.values[made.action] == 1
    assert 0 < made.values[encode(END_ATTACK, 0, 0, 0)] < 1  # where the net judges: Blue is still there


def test_a_battle_that_may_be_lost_is_not_worth_a_whole_win(rollout: str) -> None:
    position = last_stand(16)
    values = decision(position.match, rollout.replace("iterations=4", "iterations=40,c=1")).values
    source, target = position.ids.index("peru"), position.ids.index("brazil")
    assert 0.3 < values[encode(BATTLE, source, target, 1)] < 1


# What it may not know, and may not touch.


@pytest.mark.parametrize("ahead", [0, 2])
def test_other_cards_in_the_hands_of_others_change_nothing(ahead: int, rollout: str) -> None:
    made = []
    for hand in (("alaska", "china", "peru"), ("egypt", "wild1", "wild2")):
        position = Position().give(RED, "peru", armies=9).hand(RED, "siam", "brazil").hand(BLUE, *hand).draft(5)
        made.append(told(decision(position.match, f"{rollout},ahead={ahead}")))
    assert made[0] == made[1]


def test_thinking_leaves_the_match_as_it_is(rollout: str) -> None:
    """The same moves meet the same dice and cards, whether somebody thinks about them or not."""
    quiet, watched = (fb.game(SMALL).new(seed=6) for _ in range(2))
    seated, thinker = seat_agents(quiet.game, ["heuristic"], 6), fb.agent(f"{rollout},ahead=1", watched.game)
    while not quiet.over:
        move = seated[quiet.to_move].choose(quiet.view(quiet.to_move)).action
        before = watched.state.tobytes()
        thinker.choose(watched.view(watched.to_move))
        assert watched.state.tobytes() == before
        quiet.play(move)
        watched.play(move)
        assert watched.state.tobytes() == quiet.state.tobytes()
    assert watched.over and watched.moves == quiet.moves


# Form.


def test_its_pieces_are_compiled_as_it_calls_them(rollout: str) -> None:
    match = at_a_draft()
    agent = fb.agent(rollout, match.game)
    agent.choose(match.view(match.to_move))
    known = set(improve.overloads)
    for piece in agent.pieces(0):
        compile_piece(piece)
    assert set(improve.overloads) == known and improve in [piece[0] for piece in agent.pieces(0)]


def test_a_map_that_is_too_large_is_refused(rollout: str) -> None:
    with pytest.raises(BadOption, match=r"^The nets of Risk play maps of up to 48 territories; this one has 60\.$"):
        fb.agent(rollout, "risk/random:territories=60,seed=1,players=3")
