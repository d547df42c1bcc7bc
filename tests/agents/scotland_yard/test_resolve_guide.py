"""Search with a guide: right on trees that it sees whole, true to its own belief, and no better informed than it may be."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from random import Random

import numpy as np
import pytest

import fogbound as fb
from fogbound.agents import nets
from fogbound.agents.scotland_yard.graph_features import EDGES, FIGURES, POSSIBLE, WAYS, WHOLE, tell
from fogbound.agents.scotland_yard.policy_features import layout, write_inputs
from fogbound.agents.scotland_yard.resolve import Resolve
from fogbound.agents.scotland_yard.resolve_descent import _step
from fogbound.agents.scotland_yard.resolve_guide import GENERAL_KIND, KIND, Guide, GuidedSearch, guide_of
from fogbound.agents.scotland_yard.resolve_net import NetLeaves
from fogbound.agents.scotland_yard.resolve_search import DETECTIVES, PublicBelief, moved
from fogbound.core.view import View
from fogbound.games.scotland_yard.rules import HIDDEN
from fogbound.solve.layer_loops import new_workspace
from fogbound.solve.roots import public_root
from fogbound.solve.subgame import grow
from tests.agents.scotland_yard.test_resolve import given_up, stations
from tests.solve.test_values import small

WIDTH = 4


def guide_file(game: fb.Game, folder: Path) -> Path:
    """A guide that knows nothing: small random weights."""
    form, rng = layout(game, game.table.detectives), np.random.default_rng(1)
    answers = 2 * form.codes.size + form.detective_codes.size
    shapes = {
        "first": (WIDTH, form.inputs), "first_bias": (WIDTH,), "scale": (2, WIDTH), "into": (1, WIDTH, WIDTH),
        "into_bias": (1, WIDTH), "back": (1, WIDTH, WIDTH), "back_bias": (1, WIDTH), "policy": (answers, WIDTH),
        "policy_bias": (answers,), "value": (1, WIDTH), "value_bias": (1,), "belief": (form.stations, WIDTH),
        "belief_bias": (form.stations,),
    }  # fmt: skip
    tensors = {f"g.{name}": rng.normal(0, 0.1, shape).astype(np.float32) for name, shape in shapes.items()}
    about = {"kind": KIND, "family": "scotland-yard", "board": game.board.name, "team": str(game.table.detectives)}
    file = folder / "guide.safetensors"
    nets.save(file, tensors, about)
    return file


def general_file(folder: Path) -> Path:
    """The same for any board."""
    rng, width, inner, blocks = np.random.default_rng(1), 4, 6, 1
    shapes = {
        "node": (FIGURES, width), "whole": (WHOLE, width), "bias": (width,), "own": (blocks, width, inner),
        "near": (blocks, EDGES, width, inner), "mean": (blocks, 2 * width, inner), "block_bias": (blocks, inner),
        "out": (blocks, inner, width), "ways": (width, WAYS + 1), "ways_bias": (WAYS + 1,), "hidden": (3 * width, inner),
        "hidden_bias": (inner,), "value": (inner, 1), "value_bias": (1,),
    }  # fmt: skip
    tensors = {name: rng.normal(0, 0.1, shape).astype(np.float32) for name, shape in shapes.items()}
    file = folder / "general.safetensors"
    nets.save(file, tensors, {"kind": GENERAL_KIND, "family": "scotland-yard"})
    return file


@pytest.fixture(params=["of the board", "of any board"])
def made_guide(request: pytest.FixtureRequest, tmp_path: Path) -> Callable[[fb.Game], Path]:
    general = request.param == "of any board"
    return lambda game: general_file(tmp_path) if general else guide_file(game, tmp_path)


HIDDEN_TO_THE_END = small({"show_start": True, "reveals": "none"}, [1], [5])
SEEN_AGAIN = small({"show_start": True, "reveals": [2]}, [1], [2])


@pytest.mark.parametrize("game", [HIDDEN_TO_THE_END, SEEN_AGAIN], ids=["hidden to the end", "seen again"])
@pytest.mark.parametrize("side", [0, 1], ids=["Mr X", "detectives"])
def test_on_a_tree_that_it_sees_whole_it_is_near_perfect_whatever_the_guide_says(
    game: fb.Game, side: int, made_guide: Callable[[fb.Game], Path]
) -> None:
    file = made_guide(game)
    assert given_up(game, f"resolve:iterations=300,values={file},pull=0.01", side) < 0.02


def test_a_tree_grown_to_the_end_is_that_of_the_solver(made_guide: Callable[[fb.Game], Path]) -> None:
    game = HIDDEN_TO_THE_END
    guided = GuidedSearch(guide_of(game, nets.load(str(made_guide(game)))), 4000, 0.05, 0.5)
    root = public_root(game.new(seed=1).view(1))
    at = PublicBelief(root.state, np.flatnonzero(root.weights).astype(np.int16), np.ones(1), None)
    guided.solve(at, DETECTIVES, [100])
    whole = new_workspace(1 << 12, game.most_actions, game.table.stations).subgame
    grow(game.table, whole, root.state, False)
    nodes = int(whole.counts[0])
    assert guided.tree.counts[:3].tolist() == whole.counts[:3].tolist()

    def places(states: np.ndarray, parents: np.ndarray) -> list[tuple[bytes, bytes]]:
        fields = ("slot", "turn", "tickets", "occupied", "possible")
        keys = [b"".join(state[name].tobytes() for name in fields) for state in states]
        return sorted((key, keys[parent] if parent >= 0 else b"") for key, parent in zip(keys, parents, strict=True))

    mine = places(guided.tree.states[:nodes], guided.tree.parent[:nodes])
    assert mine == places(whole.states[:nodes], whole.parent[:nodes])


@pytest.mark.parametrize("seat", [0, 1], ids=["Mr X", "detectives"])
def test_where_leaving_the_guide_is_dear_few_iterations_keep_to_it(seat: int, made_guide: Callable[[fb.Game], Path]) -> None:
    """No move wins as much as it would cost: the solution is the guide's strategy, and the way there does not stray."""
    game = fb.game("scotland-yard/plan1:detectives=2")
    file, match = made_guide(game), game.new(seed=2)
    while match.to_move != seat:
        match.play(match.legal()[0])
    found = []
    for iterations in (1, 4, 20):
        agent = fb.agent(f"resolve:iterations={iterations},values={file},pull=2", game, side=seat)
        assert isinstance(agent, Resolve)
        found.append(agent.strategy(match.view(seat)))
    for other in found[1:]:
        assert other == pytest.approx(found[0], abs=0.03)


def test_a_careful_mr_x_starts_from_the_policy_that_takes_as_much_care() -> None:
    game, care = fb.game("scotland-yard/plan1"), "caution=10,beside=6,room=1.5"
    match, scripted, apart = game.new(seed=4), fb.agent("heuristic", game), []
    names = "policy", f"policy:{care}", f"resolve:iterations=1,pull=9,{care}"
    plain, policy, resolve = (fb.agent(name, game) for name in names)
    for _ in range(20):
        view = match.view(match.to_move)
        if view.seat == 0:
            bold, careful, found = (agent.choose(view).chances for agent in (plain, policy, resolve))
            assert found == pytest.approx(careful, abs=0.02)
            apart.append(max(abs(bold[code] - careful[code]) for code in careful))
        match.play(scripted.choose(view).action)
    assert max(apart) > 0.5


def test_a_strategy_comes_to_what_the_moves_are_worth_and_the_pull() -> None:
    prior, worth, pull = np.array([0.7, 0.2, 0.1]), np.array([0.3, 0.4, 0.1]), 0.05
    for sign in (1, -1):
        strategy, lean = prior.copy(), np.zeros(3)
        for _ in range(200):
            _step.py_func(strategy, lean, prior, worth, 0, 3, sign * 1.0, pull)
        wanted = prior * np.exp(sign * worth / pull)
        assert strategy == pytest.approx(wanted / wanted.sum(), abs=1e-3)


def test_every_node_is_valued_by_its_own_state(made_guide: Callable[[fb.Game], Path]) -> None:
    """Whoever is to move: the guide, worked out here by hand, says the same of each leaf as the tree has there."""
    game = fb.game("scotland-yard/plan1:detectives=2")
    guide = guide_of(game, nets.load(str(made_guide(game))))
    match = game.new(seed=2)
    match.play(match.legal()[0])
    root = match.view(1).state
    at = PublicBelief(root, np.array(stations(game, root), np.int16), np.ones(len(stations(game, root))), None)
    search = GuidedSearch(guide, 4000, 0.05, 0.5)
    search.solve(at, DETECTIVES, [3])
    tree, seen = search.tree, set()
    for node in np.flatnonzero(tree.opened[: tree.counts[0]] == 0)[::5]:
        inside = slice(int(tree.first[node]), int(tree.first[node + 1]))
        by_hand = general_by_hand if guide.oracle.own is None else own_by_hand
        wanted = by_hand(guide, tree.states[node])[tree.station[inside]]
        assert tree.value[2:][inside] == pytest.approx(wanted, abs=1e-5)
        placed = tree.states[[node]]
        placed["station"][:, 0] = tree.station[inside][0]
        assert guide.values(placed) == pytest.approx(wanted[:1], abs=1e-5)
        seen.add(int(tree.states[node]["turn"]))
    assert seen == {0, 1, 2}


def own_by_hand(guide: Guide, state: np.ndarray) -> np.ndarray:
    """The detectives' probability of winning for each station, worked out by NumPy."""
    net, form = guide.oracle.own.detectives, guide.oracle.own.layout
    places, numbers = np.zeros(form.inputs, np.int32), np.zeros(form.inputs, np.float32)
    count = write_inputs(form, guide.game.table.detectives, state, places, numbers)
    trunk = np.maximum(net.first_bias + numbers[:count] @ net.first[places[:count]], 0)
    for block in range(len(net.into)):
        hidden = np.maximum(norm(trunk) * net.scale[block] @ net.into[block] + net.into_bias[block], 0)
        trunk = trunk + net.back_bias[block] + hidden @ net.back[block]
    logits = net.belief @ (norm(trunk) * net.scale[-1]) + net.belief_bias
    chances: np.ndarray = 1 / (1 + np.exp(logits))
    return chances


def general_by_hand(guide: Guide, state: np.ndarray) -> np.ndarray:
    """The same of a graph net."""
    net, ground, table = guide.oracle.general.net, guide.oracle.general.ground, guide.game.table
    nodes, whole = np.zeros((table.stations, FIGURES), np.uint8), np.zeros(WHOLE, np.uint8)
    tell(table, ground, state, int(state["turn"]), nodes, whole)
    told = whole / 255 @ net.whole + net.bias
    x = nodes / 255 @ net.node + told

    def standard(rows: np.ndarray) -> np.ndarray:
        centred: np.ndarray = rows - rows.mean(-1, keepdims=True)
        return centred / np.sqrt((centred**2).mean(-1, keepdims=True) + 1e-5)

    for block in range(len(net.own)):
        z = standard(x)
        h = z @ net.own[block] + net.block_bias[block]
        h += np.concatenate([z.mean(0), z[nodes[:, POSSIBLE] > 0].mean(0)]) @ net.mean[block]
        for place in range(EDGES * table.stations):
            ends = ground.edges[ground.edge_start[place] : ground.edge_start[place + 1]]
            if len(ends):
                h[place % table.stations] += z[ends].mean(0) @ net.near[block, place // table.stations]
        x = x + np.maximum(h, 0) @ net.out[block]
    logits = standard(x) @ net.ways[:, WAYS] + net.ways_bias[WAYS]
    chances: np.ndarray = 1 / (1 + np.exp(logits))
    return chances


def norm(trunk: np.ndarray) -> np.ndarray:
    scaled: np.ndarray = trunk / np.sqrt((trunk**2).mean() + 1e-6)
    return scaled


def test_its_belief_is_what_its_own_strategy_leads_to_even_where_it_did_not_look() -> None:
    """Detectives who play anything leave its tree at once; Mr X's range still follows from his own strategy."""
    game = fb.game("scotland-yard/plan1")
    agent = fb.agent("resolve:iterations=3", game, side=0)
    assert isinstance(agent, Resolve)
    compared = 0
    for number in range(2):
        rng, match = Random(number), game.new(seed=number)
        exact = public_root(match.view(0)).weights.copy()
        while not match.over:
            if match.to_move > 0:
                match.play(rng.choice(match.legal()))
            else:
                view, after = match.view(0), np.zeros_like(exact)
                if match.state["shown"]:
                    exact[:] = 0.0
                    exact[match.state["station"][0]] = 1.0
                told = agent.choose(view).belief
                for station, share in enumerate(exact / exact.sum() if len(told) > 1 else ()):
                    compared += 1
                    assert told.get(str(game.numbers[station]), 0.0) == pytest.approx(share, abs=1e-9)
                ranges = {}
                for station in np.flatnonzero(exact).tolist():
                    state = view.state.copy()
                    state["station"][0] = station
                    ranges[station] = agent.strategy(View(game, 0, state, view.history, view.start))
                own = ranges[int(match.state["station"][0])]
                code = rng.choices(list(own), list(own.values()))[0]
                for station, chances in ranges.items():
                    for other, chance in chances.items():
                        if other | HIDDEN == code | HIDDEN:
                            after[other & HIDDEN] += exact[station] * chance
                match.play(code)
                exact = after
            if not match.over:
                exact[[s for s in range(exact.size) if s not in stations(game, match.state)]] = 0.0
    assert compared > 20


def test_a_move_that_is_not_legal_does_not_follow() -> None:
    game = fb.game("scotland-yard/plan1")
    match = game.new(seed=1)
    match.play(match.legal()[0])
    root = public_root(match.view(1))
    state = match.view(1).state
    at = PublicBelief(state, np.array(stations(game, state), np.int16), np.ones(len(stations(game, state))), None)
    assert moved(game, at, match.legal()[0].code).belief.sum() == pytest.approx(1)
    with pytest.raises(fb.FogboundError, match="does not follow"):
        moved(game, at, 1 << 12)
    with pytest.raises(fb.FogboundError, match="does not follow"):
        moved(game, PublicBelief(root.state, at.stations, at.belief, None), match.legal()[0].code)


def test_a_guide_for_another_board_or_team_is_refused(tmp_path: Path) -> None:
    file = guide_file(fb.game("scotland-yard/plan1:detectives=2"), tmp_path)
    with pytest.raises(fb.FogboundError, match="for the board plan1, not square1"):
        fb.agent(f"resolve:values={file}", "scotland-yard/square1")
    with pytest.raises(fb.FogboundError, match="up to 2 detectives"):
        fb.agent(f"resolve:values={file}", "scotland-yard/plan1")


def test_where_the_guide_of_the_board_does_not_fit_the_rules_there_is_that_of_any_board() -> None:
    for spec, own in (("plan1", True), ("plan1:detectives=4", False), ("plan1:rounds=30", False), ("grid12", False)):
        agent = fb.agent("resolve:iterations=1", f"scotland-yard/{spec}")
        assert isinstance(agent, Resolve)
        leaves = agent.resolver.leaves
        assert isinstance(leaves, Guide) and (leaves.oracle.general is None) == own


def test_only_a_guide_of_the_board_s_own_takes_care() -> None:
    fb.agent("resolve:iterations=1,caution=3", "scotland-yard/plan1")
    with pytest.raises(fb.FogboundError, match="caution, beside and room are for boards with nets of their own"):
        fb.agent("resolve:iterations=1,caution=3", "scotland-yard/grid12")


def test_what_comes_with_a_board_is_called_resolve_whether_it_is_a_guide_or_a_net() -> None:
    for board, wanted in (("plan1", Guide), ("grid5", NetLeaves)):
        agent = fb.agent("resolve:iterations=1,values=resolve", f"scotland-yard/{board}")
        assert isinstance(agent, Resolve) and isinstance(agent.resolver.leaves, wanted)
    agent = fb.agent("resolve:iterations=1", "scotland-yard/grid5:detectives=3,reveals=none,rounds=9")
    assert isinstance(agent, Resolve) and isinstance(agent.resolver.leaves, Guide)  # only a guide is taken unasked


def test_a_guide_serves_every_board_with_the_same_places_whatever_its_rules() -> None:
    modern = fb.agent("resolve:values=resolve-london,iterations=2", "scotland-yard/london-modern")
    match = modern.game.new(seed=1)
    assert modern.choose(match.view(match.to_move)).action in [move.code for move in match.legal()]
    assert isinstance(modern, Resolve) and isinstance(modern.resolver.leaves, Guide) and modern.resolver.leaves.lead
    with pytest.raises(fb.FogboundError, match=r"^The weights “resolve-london” are for the board london, not plan1\.$"):
        fb.agent("resolve:values=resolve-london", "scotland-yard/plan1")


@pytest.mark.parametrize("rule", ["lose", "pass"])
def test_detectives_without_tickets_are_waited_for(rule: str, tmp_path: Path) -> None:
    """Who can only pass makes a move that no net knows."""
    tickets = "tickets.detectives.taxi=1,tickets.detectives.bus=1"
    game = fb.game(f"scotland-yard/random:stations=24,seed=3,{tickets},stuck_detectives={rule}")
    result = fb.play(game, [f"resolve:iterations=2,values={general_file(tmp_path)}"], seed=1)
    assert result.scores is not None
