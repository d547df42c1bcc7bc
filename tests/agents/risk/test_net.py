"""The five nets of Risk: as large as published, told the truth, played as they say, on any map."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import fogbound as fb
from fogbound.agents.risk import net as net_risk
from fogbound.agents.risk.mcts import RiskMcts
from fogbound.agents.risk.move_filter import filtered_moves, make_filter
from fogbound.agents.risk.net import Genome
from fogbound.core.agent import PolicyAgent
from fogbound.core.batch import play_batch
from fogbound.core.errors import BadOption, FogboundError
from fogbound.core.runner import seat_agents
from fogbound.games.risk import features
from fogbound.games.risk.game import Risk
from fogbound.games.risk.table import (
    ATTACK,
    ATTACK_MOVE,
    BATTLE,
    DRAFT,
    END_ATTACK,
    END_TURN,
    FORTIFY,
    FORTIFY_MOVE,
    PLACE,
    a_of,
    b_of,
    kind_of,
)

SMALL = "risk/random:territories=12,players=3,seed=4"
VARIANTS = [
    "risk/classic:players=3,round_limit=20",
    "risk/classic:players=2,round_limit=20",
    "risk/classic:players=6,deal,cards=slow,free_fortify,round_limit=20",
    "risk/random:territories=12,players=4,seed=1,goal=missions,cards=fixed,round_limit=30",
    "risk/random:territories=7,seed=3,players=3,army_limit=4,cards=capped,round_limit=30",
    "risk/random:territories=120,seed=1,players=6,army_limit=12,deal,round_limit=5",
]
NETS = ["vasatko-simple-untrained", "vasatko-complex-trained", "risk-es"]


def risk(spec: str) -> Risk:
    game = fb.game(spec)
    assert isinstance(game, Risk)
    return game


def some_genome(topology: str = "simple", logarithms: bool = False, attack: str = "rolls", seed: int = 0) -> Genome:
    genes = np.random.default_rng(seed).normal(0.1, 0.4, net_risk.genes_of(topology)).astype(np.float32)
    return Genome(genes, topology, logarithms, attack)


def test_the_nets_have_as_many_numbers_as_published() -> None:
    assert net_risk.genes_of("simple") == 1146
    assert net_risk.genes_of("complex") == 1944
    assert net_risk.INPUTS == (16, 4, 9, 17, 18)


# Everything once more in plain Python.


def sigmoid(x: Any) -> Any:
    return 1 / (1 + np.exp(-np.asarray(x, float)))


def outputs(genome: Genome, net: str, inputs: list[float]) -> Any:
    """Worked out layer by layer from the tensors of the file; before the last sigmoid."""
    tensors, _ = net_risk.tensors(genome)
    layers = sum(name.startswith(net) for name in tensors) // 2
    numbers = 1 if net == "setup" else 0  # the first input of the set-up is no number: free or not
    values = np.array(inputs, float)
    if genome.logarithms:
        values[numbers:] = np.log1p(values[numbers:])
    for layer in range(layers):
        values = tensors[f"{net}.{layer}.weight"].astype(float) @ values + tensors[f"{net}.{layer}.bias"]
        values = values if layer == layers - 1 else sigmoid(values)
    return values


class Told:
    """What the nets are told about a position, by searching the map."""

    def __init__(self, match: fb.Match) -> None:
        self.board = match.game.board  # type: ignore[attr-defined]
        self.seat = match.to_move
        self.state = match.state
        self.owner = [int(x) for x in match.state["owner"][: self.board.size]]
        self.armies = [int(x) for x in match.state["armies"][: self.board.size]]

    def around(self, territory: int) -> list[float]:
        first = set(self.board.neighbours[territory])
        second = {far for near in first for far in self.board.neighbours[near]} - first - {territory}
        own = [[t for t in ring if self.owner[t] == self.seat] for ring in (first, second)]
        enemy = [[t for t in ring if self.owner[t] not in (self.seat, -1)] for ring in (first, second)]
        found: list[float] = []
        for rings in (own, enemy):
            found += [len(ring) for ring in rings]
            found += [sum(self.armies[t] for t in ring) for ring in rings]
        return found

    def continent(self, territory: int) -> list[float]:
        members = next(c for c in self.board.continents if territory in c.members)
        land = set(members.members)
        border = [t for t in land if set(self.board.neighbours[t]) - land]
        attackers = {far for t in land for far in self.board.neighbours[t]} - land
        armies = len(land) / 3 + members.bonus
        own = sum(self.owner[t] == self.seat for t in land)
        enemy = sum(self.owner[t] not in (self.seat, -1) for t in land)
        return [len(land), own, enemy, armies, len(land) / armies, armies / len(border), len(attackers) / len(border)]

    def exchange(self) -> list[float]:
        borders = [
            t for t, near in enumerate(self.board.neighbours) if len({self.owner[x] == self.seat for x in (t, *near)}) > 1
        ]
        own = sum(self.armies[t] for t in borders if self.owner[t] == self.seat)
        enemy = sum(self.armies[t] for t in borders if self.owner[t] != self.seat)
        return [int(self.state["pool"]), int(self.state["sets"]), own, enemy]

    def setup(self, t: int) -> list[float]:
        return [float(self.owner[t] == -1), *self.around(t), *self.continent(t)]

    def draft(self, t: int) -> list[float]:
        return [self.armies[t], *self.around(t)]

    def attack(self, a: int, b: int) -> list[float]:
        return [self.armies[a], self.armies[b], *self.around(a), *self.continent(b)]

    def fortify(self, a: int, b: int) -> list[float]:
        return [self.armies[a], self.armies[b], *self.around(a), *self.around(b)]


def positions(spec: str, seed: int, every: int) -> Iterator[fb.Match]:
    match = fb.game(spec).new(seed=seed)
    seated = seat_agents(match.game, ["random"], seed)
    while not match.over and len(match.moves) < 400:
        if len(match.moves) % every == 0:
            yield match
        seat = match.to_move
        match.play(seated[seat].choose(match.view(seat)).action)


@pytest.mark.parametrize(
    ("topology", "logarithms", "precision"),
    [("simple", False, "single"), ("simple", True, "double"), ("complex", False, "double"), ("complex", True, "single")],
)
def test_each_net_is_told_and_answers_what_plain_python_says(
    topology: str, logarithms: bool, precision: net_risk.Precision
) -> None:
    game, genome = risk(SMALL), some_genome(topology, logarithms)
    params = net_risk.params_of(game, genome, precision=precision)
    nets, lands = params.nets, params.lands
    for match in positions(SMALL, 3, 23):
        told, view, seat = Told(match), match.view(match.to_move).state, match.to_move
        for t in range(0, game.board.size, 5):
            other = (t + 3) % game.board.size
            features.for_setup(lands, view, seat, t, nets.inputs)
            same(nets, 0, outputs(genome, "setup", told.setup(t)))
            features.for_draft(lands, view, seat, t, nets.inputs)
            same(nets, 2, outputs(genome, "draft", told.draft(t)))
            features.told_source(lands, view, seat, t, told.armies[t], nets.inputs)
            features.told_target(lands, view, seat, other, told.armies[other], nets.inputs)
            same(nets, 3, outputs(genome, "attack", told.attack(t, other)))
            features.told_receiver(lands, view, seat, other, nets.inputs)
            same(nets, 4, outputs(genome, "fortify", told.fortify(t, other)))
        if -1 not in told.owner:
            features.for_exchange(lands, view, seat, nets.inputs)
            same(nets, 1, outputs(genome, "exchange", told.exchange()))


def same(nets: net_risk.Nets, net: int, expected: Any) -> None:
    found = net_risk.work_out(nets, net)[: len(expected)]
    if nets.sigmoid.size == 0:  # double precision
        expected = [sigmoid(expected[0]) - 0.5, *expected[1:]]
    near = 1e-3 if nets.sigmoid.size else 1e-6  # what is told is in single precision
    np.testing.assert_allclose(found, expected, rtol=near, atol=near)


def test_drafts_attacks_and_fortifying_go_where_the_net_likes_it_best() -> None:
    game, genome = risk(SMALL), some_genome(attack="battles", seed=2)
    params, out = net_risk.params_of(game, genome), np.empty(game.most_actions, np.int64)
    seen = set()
    for match in positions(SMALL, 5, 1):
        told, seat, phase = Told(match), match.to_move, int(match.state["phase"])
        if phase not in (DRAFT, ATTACK, FORTIFY) or match.state["cards"][seat] >= 3:
            continue
        code = int(net_risk.choose(game.table, params, match.view(seat).state.copy(), seat, out, out))
        codes = [move.code for move in match.legal() if kind_of(move.code) in (PLACE, BATTLE, FORTIFY_MOVE)]
        pairs = sorted({(int(a_of(each)), int(b_of(each))) for each in codes})
        if phase == DRAFT:
            values = {pair: outputs(genome, "draft", told.draft(pair[1]))[0] for pair in pairs}
        elif phase == ATTACK:
            values = {pair: outputs(genome, "attack", told.attack(*pair))[0] for pair in pairs}
        else:
            values = (
                {} if match.state["source"] >= 0 else {p: outputs(genome, "fortify", told.fortify(*p))[0] for p in pairs}
            )
        if phase != DRAFT and max(values.values(), default=-1.0) < 0:
            assert kind_of(code) in (END_ATTACK, END_TURN)
        else:
            assert values[int(a_of(code)), int(b_of(code))] == pytest.approx(max(values.values()), abs=1e-3)
        seen.add((phase, int(kind_of(code))))
    assert {phase for phase, _ in seen} == {DRAFT, ATTACK, FORTIFY}
    assert len(seen) > 3


@pytest.mark.parametrize("attack", ["list", "pass"])
def test_pairs_are_asked_about_once_and_with_a_list_only_from_what_was_held_before(attack: str) -> None:
    """Untrained nets always want to attack, so every pair that can fight does."""
    spec = f"net:weights=untrained-simple-1,attack={attack}"
    match = fb.game(SMALL).new(seed=2)
    seated, held = seat_agents(match.game, [spec], 2), set()
    last = (-1, -1)
    from_conquered = 0
    while not match.over and len(match.moves) < 1500:
        seat, state = match.to_move, match.state
        if state["source"] < 0:
            last, held = (-1, -1), {t for t, owner in enumerate(state["owner"]) if owner == seat}
        code = seated[seat].choose(match.view(seat)).action
        if kind_of(code) == ATTACK_MOVE:
            pair = (int(a_of(code)), int(b_of(code)))
            assert pair >= last
            last = pair
            from_conquered += pair[0] not in held
        match.play(code)
    assert (from_conquered > 0) == (attack == "pass")


# The player.


@pytest.mark.parametrize("weights", NETS)
@pytest.mark.parametrize("spec", VARIANTS)
def test_every_move_is_legal_in_every_variant_and_sets_play_the_same_games(spec: str, weights: str) -> None:
    record = fb.play(spec, [f"net:weights={weights}"], seed=4)  # a match refuses what is illegal
    seated = [agent for agent in seat_agents(risk(spec), [f"net:weights={weights}"]) if isinstance(agent, PolicyAgent)]
    batch = play_batch(risk(spec), seated, seed=4, first=0, count=1)
    assert batch.moves[0] == len(record.moves)
    assert tuple(batch.scores[0]) == record.scores


def test_the_classic_map_has_nets_of_its_own() -> None:
    assert (net_risk.read("risk-es", "classic").genes == net_risk.read("risk-es-classic").genes).all()
    agents = [fb.agent("net", spec) for spec in ("risk/classic:players=4", SMALL)]
    classic, small = (agent.policy_params.nets.numbers for agent in agents if isinstance(agent, net_risk.Net))
    assert (classic != small).any()


def test_nets_that_never_attack_lose_patience_so_that_games_end(tmp_path: Any) -> None:
    from fogbound.agents import nets

    genome = net_risk.blank()
    genome.genes[:] = -1.0
    nets.save(tmp_path / "meek.safetensors", *net_risk.tensors(genome))
    record = fb.play(SMALL, [f"net:weights={tmp_path}/meek.safetensors,patience=5"], seed=1)
    assert max(record.scores or ()) == 1.0


def test_files_keep_nets_as_they_are(tmp_path: Any) -> None:
    from fogbound.agents import nets

    genome = some_genome("complex", True, "battles")
    nets.save(tmp_path / "some.safetensors", *net_risk.tensors(genome))
    again = net_risk.read(str(tmp_path / "some.safetensors"))
    assert (again.genes == genome.genes).all() and again[1:] == genome[1:]
    nets.save(tmp_path / "other.safetensors", {"0.weight": np.zeros((2, 2))}, {"kind": "dqn"})
    with pytest.raises(FogboundError, match="“other” are not nets for Risk"):
        fb.agent(f"net:weights={tmp_path}/other.safetensors", risk(SMALL))
    made, about = net_risk.tensors(genome)
    nets.save(tmp_path / "cut.safetensors", {"setup.0.weight": made["setup.0.weight"]}, about)
    with pytest.raises(FogboundError, match="do not have the tensors of five complex nets"):
        fb.agent(f"net:weights={tmp_path}/cut.safetensors", risk(SMALL))
    genome.genes[7] = np.nan
    nets.save(tmp_path / "spoilt.safetensors", *net_risk.tensors(genome))
    with pytest.raises(FogboundError, match="contain numbers that are not finite"):
        fb.agent(f"net:weights={tmp_path}/spoilt.safetensors", risk(SMALL))


# Nets as the filter of searches.


def test_a_move_filter_lets_through_legal_moves_only_and_never_none() -> None:
    out = np.empty(risk(SMALL).most_actions, np.int64)
    fewer = 0
    for threshold in (0.3, 0.8):
        move_filter = make_filter(risk(SMALL), "risk-es", threshold)
        for match in positions(SMALL, 8, 7):
            count = filtered_moves(match.game.table, move_filter, match.view(match.to_move).state, out)
            moves, legal = out[:count].tolist(), [move.code for move in match.legal()]
            assert moves == sorted(set(moves)) and set(moves) <= set(legal) and moves
            fewer += len(moves) < len(legal)
    assert fewer > 20


def test_a_higher_threshold_lets_fewer_moves_through() -> None:
    out = np.empty(risk(SMALL).most_actions, np.int64)
    counts = []
    for threshold in (0.0, 0.5, 1.0):
        move_filter = make_filter(risk(SMALL), "risk-es", threshold)
        attacks = [match for match in positions(SMALL, 8, 3) if match.state["phase"] == ATTACK]
        counts.append(sum(filtered_moves(m.game.table, move_filter, m.view(m.to_move).state, out) for m in attacks))
    assert counts[0] >= counts[1] >= counts[2] > 0


@pytest.mark.parametrize(
    "agent",
    [
        "mcts:iterations=30,guide=risk-es,threads=2",
        "turns:iterations=10,ahead=1,guide=risk-es,playout=net",
    ],
)
def test_searches_with_a_move_filter_play_whole_games(agent: str) -> None:
    record = fb.play(SMALL + ",round_limit=10", [agent, "random", "random"], seed=2)
    record.replay()
    assert fb.play(SMALL + ",round_limit=10", [agent, "random", "random"], seed=2).moves == record.moves


def test_the_nets_of_a_move_filter_must_exist_and_fit() -> None:
    with pytest.raises(FogboundError, match="There are no weights “nobody”"):
        fb.agent("mcts:guide=nobody", risk(SMALL))
    with pytest.raises(BadOption, match="give heuristic, or net"):
        fb.agent("turns:playout=random", risk(SMALL))
    assert isinstance(fb.agent("mcts:guide=risk-es", risk(SMALL)), RiskMcts)
