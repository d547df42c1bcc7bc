"""Why a move is good: what is said is true, comes from the seat's view alone, and can be said in every catalogue."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

import fogbound as fb
from fogbound.core import registry
from fogbound.core.contract import Reason
from fogbound.core.match import Match
from fogbound.core.view import View
from fogbound.games.risk.odds import battle

TEXTS = Path(fb.__file__).parent / "web" / "texts"
GAMES = {
    "scotland-yard/plan1": ("scotland-yard", "yard"),
    "risk/random:territories=12,players=3,deal=true,round_limit=6": ("risk", "risk"),
    "empire/seed:players=2,turns=3,bidding=true": ("empire", "empire"),
}


def played(spec: str, seed: int, most: int = 80) -> list[tuple[Match, View]]:
    """Positions of a game between scripted players, each with the view of who has to move."""
    game = registry.game(spec)
    match, found = game.new(seed), []
    agents = [registry.agent("heuristic", game, seed, side) for side in range(game.sides)]
    while not match.over and len(found) < most:
        view = match.view(match.to_move)
        again = game.new(seed)
        for move in match.moves:
            again.play(move.code, chance=move.chance)
        found.append((again, view))
        match.play(agents[game.side_of[match.to_move]].choose(view).action)
    return found


def named(reasons: list[Reason]) -> dict[str, Reason]:
    return {reason.name: reason for reason in reasons}


@pytest.mark.parametrize("spec", GAMES)
def test_every_reason_has_its_words_and_is_never_lost_for_them(spec: str) -> None:
    catalogue, start = GAMES[spec]
    texts = json.loads((TEXTS / f"{catalogue}.en.json").read_text(encoding="utf-8"))
    seen = set()
    for _, view in played(spec, 4)[::5]:
        for move in view.legal()[:: max(1, len(view.legal()) // 3)]:
            for reason in view.why(move):
                seen.add(reason.name)
                words = json.dumps(texts[f"{start}.why.{reason.name}"])
                assert set(re.findall(r"{(\w+)}", words)) <= reason.facts.keys(), reason
    assert len(seen) >= 3


def test_a_detective_hears_nothing_of_where_mr_x_is() -> None:
    game = registry.game("scotland-yard/plan1")
    one, other = game.new(seed=20), game.new(seed=20)
    taxis = [move for move in one.legal() if move.text.endswith("taxi")]
    one.play(taxis[0])
    other.play(taxis[1])
    views = one.view(1), other.view(1)
    told = [[view.why(move) for move in view.legal()] for view in views]
    assert told[0] == told[1] and told[0][0]


def test_mr_x_is_told_who_can_reach_him() -> None:
    """Compared with what the detectives can really do when they have their turn."""
    checked = 0
    for match, view in played("scotland-yard/plan1", 2):
        if view.seat or " double" in str(view.legal()[0]):
            continue
        move = view.legal()[0]
        reasons = named(view.why(move))
        match.play(move)
        if match.over or "possible" not in reasons:
            continue
        assert reasons["possible"].facts["n"] == len(match.game.public(match.state)["possible"])
        there = match.state["station"][0]
        reached = False
        for seat in range(1, match.game.seats):
            alone = match.state.copy()
            alone["turn"] = seat
            reached |= any(code & 511 == there for code in match.game.legal(alone))
        assert ("safe" in reasons) == (not reached)
        checked += 1
    assert checked > 1


def test_risk_tells_exact_odds_and_what_a_continent_brings() -> None:
    completed = False
    for _, view in played("risk/random:territories=12,players=3,deal=true,round_limit=6", 4):
        for move in view.legal():
            details = view.game.details(move.code)
            if details["kind"] != "battle" or details["down_to"] != 1:
                continue
            reasons = named(view.why(move))
            facts = reasons["conquers"].facts
            exact = battle(facts["attackers"], facts["defenders"]).conquered
            assert facts["share"] == pytest.approx(exact, abs=1e-12)
            if "completes" in reasons:
                completed = True
                after = view.state.copy()
                target = [t.id for t in view.game.board.territories].index(details["to"])
                held = next(c for c in view.game.board.continents if target in c.members)
                assert all(after["owner"][member] == view.seat for member in held.members if member != target)
                assert reasons["completes"].facts["n"] == held.bonus
    assert completed


def test_a_card_brings_what_the_best_use_of_it_brings() -> None:
    """Against a search without memory through everything that the rest of the turn allows."""

    def best(match: Match, moves: list[int], seat: int) -> int:
        again = match.game.new(start=match.start)
        for move in [*match.moves]:
            again.play(move.code, chance=move.chance)
        for code in moves:
            again.play(code)
        total = int(again.game.points(again.state, seat)["total"])
        if again.over or again.to_move != seat or (moves and again.game.public(again.state)["phase"] == "card"):
            return total
        return max([total, *(best(match, [*moves, m.code], seat) for m in again.legal() if str(m) != "done")])

    game = registry.game("empire/seed:players=2,turns=3")
    match = game.new(seed=1)
    view = match.view(match.to_move)
    for move in view.legal()[:3]:
        before = game.points(match.state, view.seat)["total"]
        facts = named(view.why(move))["brings"].facts
        assert facts["n"] == best(match, [move.code], view.seat) - before
