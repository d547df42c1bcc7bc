"""The compiled rules and the plain-Python reference play the same games, move by move."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from random import Random
from typing import Any

import numpy as np
import pytest

import fogbound as fb
from fogbound.core import chance as chances
from fogbound.core.compiled import program
from fogbound.core.rng import below, stream
from fogbound.games.scotland_yard.game import ScotlandYard
from fogbound.games.scotland_yard.reference import ReferenceGame, draw_start
from fogbound.games.scotland_yard.rules import NOBODY, RULES, apply, legal, reset, to_move
from tests.games.scotland_yard.random_boards import random_game

PRESETS = ["london", "london-modern", "plan1", "plan1-long", "square1", "grid5", "grid5-2020"]
WINNERS = {NOBODY: None, 0: "Mr X", 1: "Detectives"}

# Each toggles one rule on every preset, or turns a rule of tickets round.
VARIANTS = [
    "",
    "detectives=1",
    "detectives=2",
    "detectives=4",
    "detectives=5",
    "rounds=1",
    "rounds=4,reveals=1+2+4",
    "reveals=none",
    "reveals=every 1",
    "first=detectives",
    "first=mr_x",
    "first=detectives,closing_move",
    "hand_over=true",
    "hand_over=false",
    "step_on_detective=true",
    "step_on_detective=false,detectives=5",
    "closing_move=true",
    "closing_move=false",
    "show_start=true",
    "show_start=false",
    "tickets.mr_x.black=3",
    "tickets.mr_x.black=unlimited",
    "tickets.mr_x.double=3",
    "tickets.mr_x.black=2,tickets.mr_x.double=2,step_on_detective=true",
    "tickets.mr_x.black=2,tickets.mr_x.double=2,step_on_detective=false,closing_move,first=detectives",
    "tickets.mr_x.black=0,tickets.mr_x.double=0",
]
FEW_TICKETS = [
    "stuck_detectives=lose",
    "stuck_detectives=pass",
    "stuck_detectives=pass,closing_move,step_on_detective=false",
    "stuck_detectives=pass,first=detectives,step_on_detective=true",
    "stuck_detectives=lose,first=detectives,hand_over=true",
]


@dataclass
class Played:
    """A game that the kernels played at random: every state, and the legal actions in each."""

    start: tuple[int, ...]
    states: Any
    legal: list[list[int]]
    chosen: list[int]


@program
def play_and_keep(table, rng, chance, states, counts, codes, chosen):
    """Play one random game; returns the number of moves."""
    reset(table, states[0], chance)
    n = 0
    while to_move(states[n]) >= 0:
        counts[n] = legal(table, states[n], codes[n])
        chosen[n] = codes[n, below(rng, counts[n])]
        states[n + 1] = states[n]
        apply(table, states[n + 1], chosen[n], chance)
        n += 1
    return n


def play(game: ScotlandYard, number: int) -> Played:
    room = (game.board.slots + 1) * (game.seats + 1)
    states = np.zeros(room + 1, RULES.state)
    counts, chosen = np.zeros(room, np.int64), np.zeros(room, np.int64)
    codes = np.zeros((room, game.most_actions), np.int64)
    chance = chances.taped(stream(number, "start"))
    n = play_and_keep(game.table, stream(number, "moves"), chance, states, counts, codes, chosen)
    lists = [codes[i, : counts[i]].tolist() for i in range(n)]
    return Played(chances.results(chance), states[: n + 1], lists, chosen[:n].tolist())


def check_game(game: ScotlandYard, number: int) -> tuple[ReferenceGame, list[str]]:
    """Play a game twice, comparing at every step; returns the reference at the end, and the moves."""
    played = play(game, number)
    reference = ReferenceGame(game.board, played.start)
    for move, (codes, code) in enumerate(zip(played.legal, played.chosen, strict=True)):
        where = f"{game.spec}, game {number}, move {move}"
        check_state(game, played.states[move], reference, where)
        assert codes == sorted(set(codes)), where
        assert [game.describe(c) for c in codes] == reference.legal(), where
        assert len(codes) <= game.most_actions, where
        reference.play_unchecked(game.describe(code))
    check_state(game, played.states[-1], reference, f"{game.spec}, game {number}, end")
    return reference, [game.describe(code) for code in played.chosen]


def check_state(game: ScotlandYard, state: Any, reference: ReferenceGame, where: str) -> None:
    stations = [game.numbers[place] for place in state["station"][: game.seats]]
    assert stations == reference.stations, where
    assert int(state["turn"]) == (-1 if reference.to_move is None else reference.to_move), where
    assert WINNERS[int(state["winner"])] == reference.winner, where
    assert (int(state["round"]), int(state["slot"])) == (reference.round, len(reference.log)), where
    for seat in range(game.seats):
        left = {name: count for name, count in game.tickets(state, seat).items() if count != 0}
        assert left == {name: count for name, count in reference.tickets[seat].items() if count != 0}, where
    if reference.winner is None:
        assert set(game.possible(state)) == reference.possible, where
        assert reference.stations[0] in reference.possible, where
        assert bool(state["second"]) == reference.second, where
        assert bool(state["shown"]) == (reference.shown is not None), where
    if reference.shown is not None:
        assert game.numbers[state["last_seen"]] == reference.shown, where


@pytest.mark.parametrize("preset", PRESETS)
def test_kernels_and_reference_agree_on_every_preset_with_every_rule_toggled(preset: str) -> None:
    games = 8 if preset.startswith("london") else 20
    winners: Counter[str | None] = Counter()
    for variant in VARIANTS:
        game = fb.game(f"scotland-yard/{preset}:{variant}")
        assert isinstance(game, ScotlandYard)
        winners.update(check_game(game, number)[0].winner for number in range(games))
    assert winners["Mr X"] and winners["Detectives"]


@pytest.mark.parametrize("preset", PRESETS)
def test_they_agree_when_tickets_run_out(preset: str) -> None:
    walk = preset.startswith("grid5")
    few = "tickets.mr_x.{0}={1},tickets.detectives.{0}={2}".format("walk" if walk else "taxi", 3, 4)
    none = "" if walk or preset.startswith("london") else ",tickets.mr_x.tram=0,tickets.detectives.tram=1"
    passes = 0
    for variant in FEW_TICKETS:
        game = fb.game(f"scotland-yard/{preset}:{few}{none},{variant}")
        assert isinstance(game, ScotlandYard)
        for number in range(12):
            _, moves = check_game(game, number)
            passes += moves.count("pass")
    assert passes


@pytest.mark.parametrize("block", range(8))
def test_they_agree_on_random_boards_with_random_rules(block: int) -> None:
    ends: Counter[Any] = Counter()
    for number in range(block * 50, block * 50 + 50):
        game = random_game(number)
        for each in range(5):
            reference, moves = check_game(game, each)
            ends["a detective passed"] += moves.count("pass") > reference.log.count("pass")
            ends[reference.winner] += 1
            ends["Mr X passed"] += "pass" in reference.log
            ends["black"] += "black" in reference.log
            ends["no move at all"] += not reference.log
    wanted = ("Mr X", "Detectives", "Mr X passed", "a detective passed", "black", "no move at all")
    assert all(ends[kind] for kind in wanted)


@pytest.mark.parametrize(
    "spec", ["plan1", "square1:detectives=5", "london", "london-modern:detectives=2", "grid5-2020", "grid3:detectives=1"]
)
def test_they_agree_when_played_through_a_match(spec: str) -> None:
    game = fb.game(f"scotland-yard/{spec}")
    assert isinstance(game, ScotlandYard)
    for seed in range(5):
        rng = Random(seed)
        start = draw_start(game.board, rng)
        match, reference = game.new(start=start), ReferenceGame(game.board, start)
        while not match.over:
            assert [str(action) for action in match.legal()] == reference.legal()
            words = rng.choice(reference.legal())
            match.play(words)
            reference.play(words)
            check_state(game, match.state, reference, spec)
            assert game.public(match.view(1).state)["stations"][0] == seen_station(reference)
        assert match.scores() == ((1.0, 0.0) if reference.winner == "Mr X" else (0.0, 1.0))
        assert [str(x) for x in match.legal()] == reference.legal() == []


def seen_station(reference: ReferenceGame) -> int | None:
    """Mr X's station as a detective may know it."""
    return reference.shown if reference.winner is None else reference.stations[0]


def test_the_reference_refuses_an_illegal_move_and_its_copy_is_independent() -> None:
    game = fb.game("scotland-yard/plan1")
    assert isinstance(game, ScotlandYard)
    reference = ReferenceGame(game.board, (0, 0, 0, 0))
    before = (reference.to_move, list(reference.stations), [dict(t) for t in reference.tickets], reference.legal())
    with pytest.raises(ValueError, match="not a legal move"):
        reference.play("33 taxi")
    twin = reference.copy()
    twin.play(twin.legal()[0])
    after = (reference.to_move, list(reference.stations), [dict(t) for t in reference.tickets], reference.legal())
    assert before == after and twin.to_move == 1


@pytest.mark.parametrize("block", range(4))
def test_the_possible_set_is_exactly_where_mr_x_can_be(block: int) -> None:
    """Not by the rules of the possible set, but from every way in which the hidden moves could have gone."""
    for number in range(block * 40, block * 40 + 40):
        rng = Random(number)
        game = random_game(number)
        start = draw_start(game.board, rng)
        true = ReferenceGame(game.board, start)
        worlds = possible_starts(true)
        while true.to_move is not None:
            assert set(worlds) == true.possible, f"{game.spec}, after {len(true.log)} slots"
            words = rng.choice(true.legal())
            before = true.copy()
            true.play(words)
            worlds = still_possible(worlds, before, true, words)


def possible_starts(true: ReferenceGame) -> dict[int, ReferenceGame]:
    """For each start of Mr X that looks the same from outside, the game that begins so."""
    worlds = {}
    for place, station in enumerate(true.board.mr_x_starts):
        if station in true.stations[1:]:
            continue
        free = [s for s in true.board.detective_starts if s != station]
        ranks = []
        for detective in true.stations[1:]:
            ranks.append(free.index(detective))
            free.remove(detective)
        world = ReferenceGame(true.board, [place, *ranks])
        if looks(world) == looks(true):
            worlds[station] = world
    return worlds


def still_possible(
    worlds: dict[int, ReferenceGame], before: ReferenceGame, true: ReferenceGame, words: str
) -> dict[int, ReferenceGame]:
    """The worlds after a move: every move in them that looks like the one that was made."""
    after = {}
    for world in worlds.values():
        for other in world.legal():
            if before.to_move == 0 and other.split()[1:] != words.split()[1:]:
                continue
            if (before.to_move != 0 or words == "pass" or other == "pass") and other != words:
                continue
            next_world = world.copy()
            next_world.play_unchecked(other)
            if looks(next_world) == looks(true):
                after[next_world.stations[0]] = next_world
    return after


def looks(game: ReferenceGame) -> Any:
    """All that is public, apart from the possible set."""
    return game.stations[1:], game.tickets, game.log, game.shown, game.winner, game.to_move, game.second, game.round
