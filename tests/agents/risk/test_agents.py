"""The players of Risk: always legal, as random as they say, and as good as they should be."""

import numpy as np
import pytest

import fogbound as fb
from fogbound.agents.risk.random import AT_ONCE, choose, make_params
from fogbound.core import registry
from fogbound.core.agent import PolicyAgent
from fogbound.core.batch import play_batch
from fogbound.core.contract import State
from fogbound.core.errors import BadOption
from fogbound.core.runner import seat_agents
from fogbound.games.risk.game import Risk
from fogbound.games.risk.table import (
    ATTACK,
    ATTACK_MOVE,
    BATTLE,
    DRAFT,
    END_ATTACK,
    END_TURN,
    EXCHANGE,
    FORTIFY,
    FORTIFY_MOVE,
    MOVE,
    OCCUPY,
    PLACE,
    a_of,
    b_of,
    count_of,
    kind_of,
)

VARIANTS = [
    "risk/classic:players=3",
    "risk/classic:players=2",
    "risk/classic:players=6,deal,cards=slow,free_fortify",
    "risk/classic:players=4,goal=missions,cards=fixed",
    "risk/classic:players=5,goal=missions,strict_missions,deck=older",
    "risk/random:territories=7,seed=3,players=3,army_limit=4,cards=capped,round_limit=60",
    "risk/random:territories=120,seed=1,players=6,army_limit=12,deal",
]


def risk(spec: str) -> Risk:
    game = registry.game(spec)
    assert isinstance(game, Risk)
    return game


def wins(spec: str, agents: list[str], seat: int, games: int) -> float:
    game = risk(spec)
    seated = [registry.agent(agent, game) for agent in agents]
    assert all(isinstance(agent, PolicyAgent) for agent in seated)
    return float(play_batch(game, seated, 11, 0, games).scores[:, seat].mean())  # type: ignore[arg-type]


@pytest.mark.parametrize("agent", ["heuristic", "random", "random:blitz=false,counts=even"])
@pytest.mark.parametrize("spec", VARIANTS)
def test_every_move_is_legal_in_every_variant(spec: str, agent: str) -> None:
    match = risk(spec).new(seed=4)
    seated = seat_agents(match.game, [agent], 4)
    for _ in range(600):
        if match.over:
            break
        match.play(seated[match.to_move].choose(match.view(match.to_move)).action)  # raises IllegalMove


@pytest.mark.parametrize(("players", "least"), [(2, 0.95), (3, 0.9), (4, 0.8), (5, 0.8), (6, 0.8)])
def test_the_heuristic_beats_random_players_in_any_number(players: int, least: float) -> None:
    agents = ["random"] * players
    agents[players - 1] = "heuristic"
    assert wins(f"risk/classic:players={players}", agents, players - 1, 100) >= least


@pytest.mark.parametrize(
    "spec",
    [
        "risk/classic:players=3,goal=missions",
        "risk/random:territories=15,seed=2,players=3,cards=fixed",
        "risk/random:territories=60,seed=2,players=3,army_limit=12",
    ],
)
def test_the_heuristic_is_good_with_missions_and_on_other_maps(spec: str) -> None:
    assert wins(spec, ["random", "heuristic", "random"], 1, 60) >= 0.85


def test_games_of_heuristics_end_and_no_seat_wins_them_all() -> None:
    game = risk("risk/classic:players=3")
    agents = [registry.agent("heuristic", game)] * 3
    result = play_batch(game, agents, 5, 0, 150)  # type: ignore[arg-type]
    assert result.states["round"].max() < 100
    assert result.scores.mean(axis=0).min() > 0.15


def test_the_random_player_attacks_as_often_as_it_is_told_to() -> None:
    match = risk("risk/classic:players=3,deal").new(seed=1)
    seated = seat_agents(match.game, ["random:attack=0.7"], 1)
    attacked = possible = 0
    while possible < 400:
        action = seated[match.to_move].choose(match.view(match.to_move)).action
        if match.state["phase"] == ATTACK and len(match.legal()) > 2:
            possible += 1
            attacked += kind_of(action) == BATTLE
        match.play(action)
    assert abs(attacked / possible - 0.7) < 4 * (0.7 * 0.3 / possible) ** 0.5


def test_without_blitz_the_random_player_rolls_any_number_of_dice_once() -> None:
    match = risk("risk/classic:players=3,deal").new(seed=1)
    seated = seat_agents(match.game, ["random:blitz=false"], 1)
    dice = [0] * 4
    for _ in range(1500):
        action = seated[match.to_move].choose(match.view(match.to_move)).action
        assert kind_of(action) != BATTLE
        if kind_of(action) == ATTACK_MOVE:
            dice[count_of(action)] += 1
        match.play(action)
    assert min(dice[1:]) > 50


def test_a_random_player_who_always_attacks_is_refused() -> None:
    with pytest.raises(BadOption, match="less than 1"):
        registry.agent("random:attack=1", "risk/classic")


# Positions made for one decision.


def position(
    game: Risk, phase: int, mine: dict[str, int], theirs: dict[str, int] | None = None, owners: dict[str, int] | None = None
) -> State:
    """Seat 0 is to move and holds `mine`; the other seats take turns with what is left, unless `owners` says whose it is."""
    state = game.new(seed=0).state.copy()
    ids = [territory.id for territory in game.board.territories]
    armies = dict.fromkeys(ids, 1) | (theirs or {}) | mine
    state["land"][:] = 0
    for i, name in enumerate(ids):
        owner = 0 if name in mine else (owners or {}).get(name, 1 + i % (game.seats - 1))
        state["owner"][i] = owner
        state["land"][owner, i >> 6] |= np.uint64(1 << (i & 63))
        state["armies"][i] = armies[name]
    state["stock"][:] = 0
    state["turn"], state["phase"], state["round"] = 0, phase, 1
    state["source"] = state["target"] = -1
    return state


def decide(game: Risk, state: State) -> int:
    agent = registry.agent("heuristic", game)
    assert isinstance(agent, PolicyAgent)
    out = np.empty(game.most_actions, np.int64)
    view = game.concealed(state, 0)
    action = int(agent.policy(game.table, agent.policy_params, view, 0, out, agent.rng))
    assert action in game.legal(state)
    return action


def territory(game: Risk, index: int) -> str:
    return game.board.territories[index].id


@pytest.fixture(scope="module")
def classic() -> Risk:
    return risk("risk/classic:players=2,neutral=false")


def test_it_attacks_when_the_odds_are_good_and_not_when_they_are_bad(classic: Risk) -> None:
    strong = decide(classic, position(classic, ATTACK, {"brazil": 20}))
    assert kind_of(strong) == BATTLE and territory(classic, a_of(strong)) == "brazil"
    walls = {"venezuela": 30, "peru": 30, "argentina": 30, "north_africa": 30}
    assert kind_of(decide(classic, position(classic, ATTACK, {"brazil": 6}, walls))) == END_ATTACK


def test_it_completes_its_continent_rather_than_going_elsewhere() -> None:
    game = risk("risk/classic:players=3")
    action = decide(game, position(game, ATTACK, {"brazil": 8, "peru": 1, "argentina": 1}))
    assert territory(game, b_of(action)) == "venezuela"


def test_it_breaks_a_continent_that_an_enemy_holds() -> None:
    game = risk("risk/classic:players=3")
    africa = ("north_africa", "egypt", "east_africa", "congo", "south_africa", "madagascar")
    for holder in (1, 2):
        state = position(game, ATTACK, {"brazil": 12}, {"north_africa": 2}, dict.fromkeys(africa, holder))
        assert territory(game, b_of(decide(game, state))) == "north_africa"
    state = position(game, ATTACK, {"brazil": 12}, {"north_africa": 2})
    assert territory(game, b_of(decide(game, state))) != "north_africa"


def test_all_armies_follow_the_attack_and_none_stay_inside(classic: Risk) -> None:
    state = position(classic, OCCUPY, {"argentina": 9, "peru": 2, "brazil": 3})
    ids = [each.id for each in classic.board.territories]
    state["source"], state["target"] = ids.index("argentina"), ids.index("brazil")
    action = decide(classic, state)
    assert kind_of(action) == MOVE and count_of(action) == 8


def test_armies_are_placed_on_a_border(classic: Risk) -> None:
    mine = {"argentina": 5, "peru": 1, "brazil": 1, "venezuela": 1}
    state = position(classic, DRAFT, mine)
    state["pool"] = 5
    action = decide(classic, state)
    assert kind_of(action) == PLACE and territory(classic, b_of(action)) != "argentina"


def test_idle_armies_go_to_a_border_at_the_end_of_the_turn(classic: Risk) -> None:
    mine = {"argentina": 9, "peru": 1, "brazil": 1, "venezuela": 1}
    action = decide(classic, position(classic, FORTIFY, mine))
    assert kind_of(action) == FORTIFY_MOVE
    assert territory(classic, a_of(action)) == "argentina" and count_of(action) == 8
    assert territory(classic, b_of(action)) in ("brazil", "venezuela")


def with_hand(game: Risk, state: State, symbols: str) -> State:
    """Give seat 0 cards with these symbols."""
    free = list(range(game.board.size + 2))
    for letter in symbols:
        card = next(c for c in free if game.symbol(c)[0] == letter)
        free.remove(card)
        state["hand"][0, card >> 6] |= np.uint64(1 << (card & 63))
    state["cards"][0] = len(symbols)
    state["pool"] = 3
    return state


def test_it_keeps_its_wild_card_when_another_set_does(classic: Risk) -> None:
    action = decide(classic, with_hand(classic, position(classic, DRAFT, {"brazil": 3}), "iiicw"))
    cards = (a_of(action), b_of(action), count_of(action) >> 2)
    assert kind_of(action) == EXCHANGE and [classic.symbol(card) for card in cards] == ["infantry"] * 3


def test_it_waits_with_three_cards_unless_they_finish_an_enemy(classic: Risk) -> None:
    waiting = with_hand(classic, position(classic, DRAFT, {"brazil": 3}), "iii")
    assert kind_of(decide(classic, waiting)) == PLACE
    everything = {each.id: 5 for each in classic.board.territories if each.id != "japan"}
    finishing = with_hand(classic, position(classic, DRAFT, everything), "iii")
    finishing["cards"][1] = 3
    assert kind_of(decide(classic, finishing)) == EXCHANGE


def mission(game: Risk, name: str) -> int:
    return game.mission_names.index(name)


@pytest.mark.parametrize("target", [1, 2])
def test_with_a_mission_to_destroy_it_goes_for_that_colour(target: int) -> None:
    game = risk("risk/classic:players=3,goal=missions")
    state = position(game, ATTACK, {"siam": 15}, None, {"india": 1, "china": 2, "indonesia": 3 - target})
    state["mission"][0] = mission(game, f"destroy {game.seat_names[target]}")
    assert territory(game, b_of(decide(game, state))) == ("india" if target == 1 else "china")


def test_it_ends_the_turn_at_once_when_its_mission_is_fulfilled() -> None:
    game = risk("risk/classic:players=3,goal=missions")
    continents = [c.members for c in game.board.continents if c.id in ("asia", "africa")]
    mine = {game.board.territories[i].id: 8 for members in continents for i in members}
    state = position(game, ATTACK, mine)
    state["mission"][0] = mission(game, "hold Asia and Africa")
    assert kind_of(decide(game, state)) == END_TURN
    state["mission"][0] = mission(game, "hold North America and Africa")
    assert kind_of(decide(game, state)) == BATTLE


def test_the_same_view_always_gets_the_same_move(classic: Risk) -> None:
    state = position(classic, ATTACK, {"brazil": 20, "egypt": 20, "china": 20})
    assert len({decide(classic, state) for _ in range(3)}) == 1


def test_any_number_of_armies_is_drawn_with_even_chances() -> None:
    game = risk("risk/random:territories=7,seed=3,players=3,starting_armies=8")
    match = game.new(seed=1)
    seated = seat_agents(game, ["random"], 1)
    while match.state["phase"] != DRAFT:
        match.play(seated[match.to_move].choose(match.view(match.to_move)).action)
    state, out, rng = match.state.copy(), np.empty(game.most_actions, np.int64), seated[0].rng
    state["pool"] = 12
    for kind, most in ((PLACE, 12), (MOVE, 9)):
        if kind == MOVE:
            state["phase"], state["source"], state["target"] = OCCUPY, 0, 1
            state["armies"][0] = most + 1
        counts = np.zeros(most + 1)
        for _ in range(4000):
            params = make_params(0.9, blitz=False, counts=AT_ONCE)
            code = int(choose(game.table, params, state.copy(), match.to_move, out, rng))
            counts[count_of(code) if kind_of(code) == kind else 0] += 1
        drawn = counts[1:] if kind == PLACE else counts
        assert drawn.min() / drawn.mean() > 0.7 and drawn.max() / drawn.mean() < 1.3


def test_a_number_that_takes_several_moves_is_the_same_in_matches_and_batches() -> None:
    game, agent = risk("risk/random:territories=9,seed=2,players=3,starting_armies=35,cards=capped"), "random:counts=even"
    record = fb.play(game, [agent], seed=3)
    seated = [each for each in seat_agents(game, [agent]) if isinstance(each, PolicyAgent)]
    batch = play_batch(game, seated, seed=3, first=0, count=1)
    assert batch.moves[0] == len(record.moves) and tuple(batch.scores[0]) == record.scores
