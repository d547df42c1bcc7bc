"""The net of Risk's `policy`: it is told the truth and nothing hidden, works out the same everywhere, and plays any map."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

import fogbound as fb
from fogbound.agents import nets
from fogbound.agents.risk import policy_features as pf
from fogbound.agents.risk import policy_net as pn
from fogbound.agents.risk.choices import CHOICES, MOST, WAYS
from fogbound.agents.risk.evaluation import odds_of
from fogbound.core.agent import Decision, PolicyAgent
from fogbound.core.batch import play_batch
from fogbound.core.errors import BadOption, FogboundError
from fogbound.core.rng import stream
from fogbound.core.runner import seat_agents
from fogbound.games.risk.game import Risk
from fogbound.games.risk.table import ATTACK, DRAFT, END_ATTACK, FREE, NEUTRAL, OCCUPY, SEATS, kind_of
from fogbound.train.risk import selfplay_nets as sn
from tests.agents.risk.test_choices import GAMES, Choosing, positions, risk
from tests.games.risk.positions import AUSTRALIA, BLUE, GREEN, RED, Position

CLASSIC = "risk/classic:players=3"
GENERATED = "risk/random:seed=5,territories=21,players=6"


class Told:
    """What a seat's net is told about a state."""

    def __init__(self, game: Risk, state: Any, seat: int) -> None:
        self.nodes, self.whole = np.ones((MOST, pf.FIGURES), np.uint8), np.ones(pf.WHOLE, np.uint8)
        out = np.zeros(game.most_actions, np.int64)
        pf.tell(game.table, pf.land_of(game), state, seat, self.nodes, self.whole, np.zeros(SEATS), out)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Told) and self.everything() == other.everything()

    def everything(self) -> bytes:
        return self.nodes.tobytes() + self.whole.tobytes()


def byte(share: float) -> int:
    return int(min(255, max(0, share * 255 + 0.5)))


def log_byte(armies: int) -> int:
    return byte(float(np.log1p(armies)) / 6.5)


# What the net is told.


@pytest.mark.parametrize("spec", GAMES)
def test_a_seat_is_told_nothing_that_it_may_not_know(spec: str) -> None:
    """With other cards in the hands of others, and other missions, what is told is the same, byte for byte."""
    rng, different = stream(3, "worlds of a test"), 0
    for number, match in enumerate(positions(spec)):
        if number % 5:
            continue
        game, seat = risk(spec), match.to_move
        told, view = Told(game, match.state, seat), match.view(seat).state
        assert told == Told(game, view, seat)
        world = view.copy()
        game.rules.imagine(game.table, world, seat, rng)
        assert told == Told(game, world, seat)
        different += world.tobytes() != match.state.tobytes()
    assert different > 20


def test_another_hand_of_an_opponent_changes_nothing_and_one_of_ones_own_does() -> None:
    position = Position().give(RED, *AUSTRALIA).hand(RED, "siam", "brazil").hand(BLUE, "alaska", "china").draft(3)
    before = Told(position.game, position.state, RED)
    position.state["hand"][BLUE] = 0
    position.hand(BLUE, "egypt", "wild1")
    assert Told(position.game, position.state, RED) == before
    position.hand(RED, "peru")
    assert Told(position.game, position.state, RED) != before


def south() -> Position:
    """Green holds most of Australia and all of South America, Red one territory of Australia, Blue the rest."""
    position = Position().give(GREEN, *AUSTRALIA).give(GREEN, "indonesia", armies=7).give(RED, "eastern_australia", armies=2)
    position.give(GREEN, "brazil", "argentina", "peru", "venezuela").give(BLUE, "siam", armies=5)
    position.hand(GREEN, "siam", "indonesia", "wild1").hand(RED, "alaska").draft(4)
    position.state["turn"] = GREEN
    return position


def test_every_figure_of_a_territory_lies_where_it_should() -> None:
    position = south()
    game, nodes = position.game, Told(position.game, position.state, GREEN).nodes
    of = {name: nodes[position.ids.index(name)] for name in position.ids}
    indonesia, siam, east, argentina = (of[name] for name in ("indonesia", "siam", "eastern_australia", "argentina"))

    def odds(attackers: int, defenders: int) -> int:
        return byte(float(odds_of(game.table.battles.conquest, attackers, defenders)))

    # Owners, from the one who decides on: Green, Red, Blue.
    for node, place in ((indonesia, 0), (east, 1), (siam, 2)):
        assert node[pf.OWNER : pf.OWNER + 8].tolist() == [255 * (place == i) for i in range(8)]
    total = 1 + int(position.state["armies"][: game.board.size].sum())
    assert (indonesia[pf.LOG_ARMIES], indonesia[pf.ARMY_SHARE]) == (log_byte(7), byte(7 / total))
    assert (indonesia[pf.FEW_ARMIES], siam[pf.FEW_ARMIES]) == (byte(0.7), byte(0.5))
    assert [name for name in position.ids if of[name][pf.HAS_CARD]] == [
        n for n in position.ids if n in ("siam", "indonesia")
    ]

    # Borders, and the odds of conquest: of Green's stacks elsewhere, of others' stacks on his own territories.
    assert [node[pf.BORDER] for node in (indonesia, siam, east, argentina)] == [255, 255, 255, 0]
    assert of["alaska"][pf.BORDER] == of["alaska"][pf.ODDS] == of["alaska"][pf.ODDS_WITH_POOL] == 0
    assert (siam[pf.ODDS], siam[pf.ODDS_WITH_POOL]) == (odds(6, 5), odds(10, 5))
    assert (east[pf.ODDS], east[pf.ODDS_WITH_POOL]) == (0, odds(4, 2))
    assert (indonesia[pf.ODDS], indonesia[pf.ODDS_WITH_POOL]) == (odds(4, 7), 0)
    assert 0 < siam[pf.ODDS] < siam[pf.ODDS_WITH_POOL] < 255
    assert (siam[pf.STACK_BESIDE], indonesia[pf.STACK_BESIDE]) == (log_byte(7), log_byte(5))
    assert (siam[pf.AROUND], indonesia[pf.AROUND], argentina[pf.AROUND]) == (log_byte(7), log_byte(5), 0)

    # Continents: Australia has four territories and brings two armies.
    for node, owners in ((indonesia, 0.75), (east, 0.25)):
        assert (node[pf.BONUS], node[pf.CONTINENT_SIZE]) == (byte(0.2), byte(4 / 14))
        assert (node[pf.OWN_SHARE], node[pf.OWNERS_SHARE], node[pf.RIVAL_SHARE]) == (byte(0.75), byte(owners), byte(0.25))
    assert (argentina[pf.OWN_SHARE], argentina[pf.OWNERS_SHARE], argentina[pf.RIVAL_SHARE]) == (255, 255, 0)
    assert (siam[pf.OWN_SHARE], siam[pf.OWNERS_SHARE], siam[pf.RIVAL_SHARE]) == (0, 255, 255)
    assert (indonesia[pf.GATE], east[pf.GATE]) == (255, 0)
    assert (indonesia[pf.LINKS], east[pf.LINKS]) == (byte(3 / 8), byte(2 / 8))
    assert not nodes[:, [pf.IS_SOURCE, pf.IS_TARGET]].any() and not nodes[game.board.size :].any()


def test_every_figure_of_the_game_lies_where_it_should() -> None:
    position = south()
    size, whole = position.game.board.size, Told(position.game, position.state, GREEN).whole
    armies = [2, int(position.state["armies"][:size].sum()) - 15, 13]
    total = 1 + sum(armies)
    assert whole[:7].tolist() == [255 * (phase == DRAFT) for phase in range(7)]
    assert (whole[pf.POOL], whole[pf.POOL_SHARE]) == (log_byte(4), byte(4 / total))
    assert (whole[pf.IN_ATTACK], whole[pf.CONQUERED], whole[pf.FREE_FORTIFY]) == (0, 0, 0)
    assert (whole[pf.PLAYERS], whole[pf.LIVING]) == (byte(0.5), byte(0.5))
    assert (whole[pf.HAS_SET], whole[pf.NEXT_SET], whole[pf.LOG_NEXT_SET]) == (255, byte(4 / total), log_byte(4))
    assert (whole[pf.ROUND], whole[pf.SIZE], whole[pf.STOCK]) == (byte(float(np.log1p(1)) / 4.5), byte(42 / 48), 0)
    incomes, territories, cards = [3, 13, 5], [1, 34, 7], [1, 0, 3]  # Blue holds all other continents
    incomes[BLUE] = 34 // 3 + 5 + 5 + 3 + 7
    for ahead, seat in enumerate((GREEN, RED, BLUE)):
        place = pf.SEAT + pf.OF_SEAT * ahead
        figures = whole[place : place + pf.OF_SEAT]
        assert figures[pf.ALIVE] == 255
        assert (figures[pf.SEAT_ARMIES], figures[pf.SEAT_LOG_ARMIES]) == (byte(armies[seat] / total), log_byte(armies[seat]))
        assert figures[pf.SEAT_TERRITORIES] == byte(territories[seat] / size)
        assert figures[pf.SEAT_INCOME] == byte(incomes[seat] / sum(incomes))
        assert figures[pf.SEAT_CARDS] == byte(cards[seat] / 6)
    assert not whole[pf.SEAT + 3 * pf.OF_SEAT :].any()
    position.give(BLUE, "eastern_australia")
    without_red = Told(position.game, position.state, GREEN).whole
    assert without_red[pf.LIVING] == byte(2 / 6)
    assert not without_red[pf.SEAT + pf.OF_SEAT : pf.SEAT + 2 * pf.OF_SEAT].any()


def test_territories_of_the_neutral_army_and_of_nobody_have_places_of_their_own() -> None:
    neutral = Position("players=2").give(NEUTRAL, "brazil", armies=3).give(RED, "peru", armies=4)
    nodes = Told(neutral.game, neutral.state, RED).nodes
    assert nodes[neutral.ids.index("brazil"), :8].tolist() == [0] * 6 + [255, 0]
    assert nodes[neutral.ids.index("peru"), pf.STACK_BESIDE] == log_byte(1)  # the neutral army never attacks
    begun = risk(CLASSIC).new(seed=1)
    assert (begun.state["owner"][:42] == FREE).all()
    assert (Told(risk(CLASSIC), begun.state, begun.to_move).nodes[:42, :8] == [0] * 7 + [255]).all()


def test_after_a_conquest_the_net_is_told_from_where_to_where() -> None:
    position = Position().give(RED, "peru", armies=9).give(RED, "brazil", armies=3)
    position.state["phase"], position.state["conquered"] = OCCUPY, 1
    position.state["source"], position.state["target"] = position.ids.index("peru"), position.ids.index("brazil")
    told = Told(position.game, position.state, RED)
    assert np.flatnonzero(told.nodes[:, pf.IS_SOURCE]).tolist() == [position.ids.index("peru")]
    assert np.flatnonzero(told.nodes[:, pf.IS_TARGET]).tolist() == [position.ids.index("brazil")]
    assert told.whole[pf.CONQUERED] == 255 and told.whole[OCCUPY] == 255


# The net.


def some_net(seed: int = 0) -> sn.Net:
    torch.manual_seed(seed)
    return sn.Net(width=16, inner=24, blocks=2)


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A net with random weights."""
    path = tmp_path_factory.mktemp("nets") / "some.safetensors"
    nets.save(path, sn.arrays(some_net()), {"kind": pn.KIND, "family": "risk"})
    return path


def test_play_without_torch_agrees_with_torch() -> None:
    games, net = [risk(CLASSIC), risk(GENERATED)], some_net()
    lands, ours = [pf.land_of(game) for game in games], pn.made_of(sn.arrays(net))
    maps, room = sn.Maps(lands, torch.device("cpu"), torch.float32), pn.room_for(ours)
    for number, (game, land) in enumerate(zip(games, lands, strict=True)):
        size, rows, logits, chances = game.board.size, [], [], []
        for step, match in enumerate(positions((CLASSIC, GENERATED)[number])):
            if step % 20 == 0:
                rows.append(Told(game, match.state, match.to_move))
                pn.think(ours, land, size, rows[-1].nodes, rows[-1].whole, room)
                logits.append(room.logits.copy())
                chances.append(room.chances.copy())
        nodes, whole = (torch.from_numpy(np.array(each)) for each in zip(*((r.nodes, r.whole) for r in rows), strict=True))
        with torch.no_grad():
            their_logits, their_chances = net(nodes, whole, maps, torch.full((len(rows),), number))
        there = [choice for choice in range(CHOICES) if choice >= WAYS * MOST or choice % MOST < size]
        np.testing.assert_allclose(np.array(logits)[:, there], their_logits.numpy()[:, there], atol=1e-4)
        np.testing.assert_allclose(chances, their_chances.numpy(), atol=1e-4)
        assert np.ptp(np.array(chances), axis=0).max() > 0.01  # positions are told apart


# The player.


def decision(game: Risk, match: fb.Match, spec: str, seed: int = 0) -> Decision:
    return fb.agent(spec, game, seed=seed).choose(match.view(match.to_move))


@pytest.mark.parametrize("spec", GAMES)
def test_it_plays_whole_games_by_legal_moves(spec: str, file: Path) -> None:
    record = fb.play(f"{spec},round_limit=15", [f"policy:weights={file},temperature=1"], seed=4)  # refuses what is illegal
    assert record.scores is not None and sum(record.scores) == pytest.approx(1)


def test_after_many_rounds_it_gets_bolder(file: Path) -> None:
    def ends(patience: int) -> float:
        agent = fb.agent(f"policy:weights={file},temperature=1,patience={patience}", match.game)
        decision = agent.choose(match.view(match.to_move))
        return sum(chance for move, chance in decision.chances.items() if kind_of(move) == END_ATTACK)

    match = next(m for m in positions(CLASSIC) if m.state["phase"] == ATTACK and m.state["round"] > 2 and len(m.legal()) > 9)
    now = int(match.state["round"])
    assert 0 < ends(now - 2) < ends(now - 1) < ends(now) == ends(now + 9)


@pytest.mark.parametrize("temperature", [0, 1])
def test_sets_play_the_same_games_as_matches(temperature: int, file: Path) -> None:
    game, agent = risk(f"{GENERATED},round_limit=15"), f"policy:weights={file},temperature={temperature}"
    record = fb.play(game, [agent], seed=4)
    seated = [each for each in seat_agents(game, [agent]) if isinstance(each, PolicyAgent)]
    batch = play_batch(game, seated, seed=4, first=0, count=1)
    assert batch.moves[0] == len(record.moves) and tuple(batch.scores[0]) == record.scores


def test_without_temperature_it_plays_its_likeliest_choice_whatever_the_seed(file: Path) -> None:
    for number, match in enumerate(positions(GENERATED, games=1, longest=200)):
        if number % 10:
            continue
        made = [decision(risk(GENERATED), match, f"policy:weights={file},setup=0", seed) for seed in range(3)]
        assert len({each.action for each in made}) == 1
        if len(Choosing(risk(GENERATED)).listed(match.state)) > 1:
            mixed = decision(risk(GENERATED), match, f"policy:weights={file},temperature=1").chances
            assert mixed[made[0].action] == max(mixed.values())


def test_the_set_up_has_a_temperature_of_its_own(file: Path) -> None:
    seen = set()
    for number, match in enumerate(positions(CLASSIC, games=1)):
        if number % 10 or len(Choosing(risk(CLASSIC)).listed(match.state)) == 1:
            continue
        set_up = match.state["round"] == 0
        seen.add(bool(set_up))
        made = decision(risk(CLASSIC), match, f"policy:weights={file},hoarders=false")
        other = decision(risk(CLASSIC), match, f"policy:weights={file},hoarders=false,setup=0,temperature=1")
        assert (len(made.chances) > 1) == set_up and (len(other.chances) > 1) != set_up
    assert seen == {True, False}


def test_with_temperature_it_draws_from_a_mixture_of_its_choices(file: Path) -> None:
    match = risk(CLASSIC).new(seed=2)
    drawn = {decision(risk(CLASSIC), match, f"policy:weights={file},temperature=1", seed).action for seed in range(10)}
    assert len(drawn) > 3
    for number, match in enumerate(positions(CLASSIC, games=1)):
        moves = Choosing(risk(CLASSIC)).listed(match.state)
        if number % 10 == 0 and len(moves) > 1:
            made = decision(risk(CLASSIC), match, f"policy:weights={file},hoarders=false,temperature=1")
            assert set(made.chances) == set(moves.values()) and made.action in made.chances
            assert sum(made.chances.values()) == pytest.approx(1)
            assert 0 < made.values[made.action] < 1


def test_its_decision_tells_of_this_position_and_of_no_other(file: Path) -> None:
    agent, alone = fb.agent(f"policy:weights={file},temperature=1", risk(CLASSIC)), 0
    for match in positions(CLASSIC, games=1):
        made = agent.choose(match.view(match.to_move))
        if len(Choosing(risk(CLASSIC)).listed(match.state)) == 1 and len(match.legal()) > 1:
            alone += 1
            assert sum(made.chances.values()) in (0, pytest.approx(1))
    assert alone


def test_it_wins_most_games_against_random_players() -> None:
    results = fb.play_set("risk/classic:players=3,round_limit=80", ["random", "policy", "random"], 40, workers=1)
    assert sum(result.scores[1] for result in results) > 26  # by chance 13


def test_among_hoarders_it_makes_the_moves_of_the_scripted_player(file: Path) -> None:
    """They are told by what all can see; the net says nothing of such a position."""
    position = (
        Position().give(RED, *AUSTRALIA, armies=3).give(GREEN, "brazil", armies=12).give(BLUE, "siam", armies=12).draft(5)
    )
    match = position.match
    made = decision(position.game, match, f"policy:weights={file}")
    assert made.action == decision(position.game, match, "heuristic").action
    assert not made.chances and not made.values
    assert decision(position.game, match, f"policy:weights={file},hoarders=false").chances


def test_it_wins_against_those_who_hoard() -> None:
    """The scripted player wins 99.3% of such games, the net alone 95.7%."""
    hoarder = "stranger:style=hoarding"
    results = fb.play_set("risk/classic:players=3,round_limit=80", [hoarder, "policy", hoarder], 60, workers=1)
    assert sum(result.scores[1] for result in results) >= 58


# What it refuses.


def test_a_map_that_is_too_large_is_refused(file: Path) -> None:
    with pytest.raises(BadOption, match=r"^The nets of Risk play maps of up to 48 territories; this one has 60\.$"):
        fb.agent(f"policy:weights={file}", "risk/random:territories=60,seed=1,players=3")


def test_files_that_hold_no_such_net_are_refused(tmp_path: Path) -> None:
    tensors, about = sn.arrays(some_net()), {"kind": pn.KIND, "family": "risk"}
    nets.save(tmp_path / "other.safetensors", tensors, {"kind": "dqn"})
    nets.save(tmp_path / "cut.safetensors", {name: tensors[name] for name in ("node", "whole")}, about)
    nets.save(tmp_path / "old.safetensors", tensors | {"node": tensors["node"][:-1]}, about)
    (tmp_path / "broken.safetensors").write_bytes(b"no weights at all")
    for name, why in (
        ("other", "^The weights “other” are not a net that plays Risk.$"),
        ("cut", "^The weights “cut” are damaged, or made for another version: "),
        ("old", "^The weights “old” are damaged, or made for another version: node has the shape "),
        ("broken", "is not a valid file of weights"),
        ("none", "^There is no file of weights"),
    ):
        with pytest.raises(FogboundError, match=why):
            fb.agent(f"policy:weights={tmp_path}/{name}.safetensors", CLASSIC)


@pytest.mark.parametrize("layer", ["own", "ways", "ends", "block_bias", "out"])
def test_a_net_whose_layers_do_not_fit_each_other_is_refused(layer: str) -> None:
    tensors = sn.arrays(some_net())
    with pytest.raises(ValueError, match=layer):
        pn.made_of(tensors | {layer: np.full_like(tensors[layer], np.nan)})
    with pytest.raises(ValueError, match="has the shape"):
        pn.made_of(tensors | {layer: tensors[layer].reshape(-1)})
