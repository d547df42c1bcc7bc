"""What the time of an agent's answer tells about what it knows: pairs of games that its opponents cannot tell apart.

    python -m tests.fire.paces --pairs 600

In both games of a pair Mr X made moves that look the same, and stands at different stations. His agent thinks in both.
A detective with a clock guesses that it took longer where it had more moves to choose from: how often he is right by
the time that the thought took, and by the time after which the server sends the move. Everything is ten times faster
than with Master: Thinker's searches, and a tenth of the server's usual delay.
"""

from __future__ import annotations

import argparse
import json
import math
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from random import Random
from typing import Any

from scipy.stats import wilcoxon

import fogbound as fb
from fogbound.core.errors import FogboundError
from fogbound.core.match import Match
from fogbound.server.bots import Bots

GAME = "scotland-yard/london:detectives=3"
AGENT = "mcts:iterations=1000"
DELAY = 0.06
MR_X = 0


@dataclass(frozen=True)
class Answer:
    """What an agent's thought took, when it is sent, and how many moves there were to choose from."""

    took: float
    sent: float
    moves: int


class Clock:
    """The server's way to make an agent wait, without a server."""

    def __init__(self, game: Any) -> None:
        self.bots = Bots.__new__(Bots)
        self.bots.delay, self.bots._paces = DELAY, defaultdict(list)
        self.bots.table = type("Table", (), {"game": game})()

    def sent(self, took: float, forced: bool, kept: bool) -> float:
        before = list(self.bots._paces[MR_X])
        pause = self.bots._pause(MR_X, {"seconds": took, "budget": 0.0, "forced": forced})
        if not kept:
            self.bots._paces[MR_X] = before
        return took + pause


def pairs(number: int) -> Iterator[tuple[Answer, Answer]]:
    """The answers of Mr X's agent in the two games of each pair of one long game."""
    rng, match = Random(number), fb.game(GAME).new(seed=number)
    clock = Clock(match.game)
    while not match.over:
        twin = after_a_round(match, rng)
        if twin is not None:
            worlds = (match, twin)
            thoughts = {place: thought(worlds[place], rng) for place in rng.sample((0, 1), 2)}
            answers = [_answer(clock, *thoughts[place], kept=place == 0) for place in (1, 0)]
            yield answers[1], answers[0]


def _answer(clock: Clock, took: float, moves: int, kept: bool) -> Answer:
    return Answer(took, clock.sent(took, moves == 1, kept), moves)


def after_a_round(match: Match, rng: Random) -> Match | None:
    """Play a round; the game as it would be if Mr X had made another move that looks the same, if there is one."""
    twin = _twin(match, rng)
    while not match.over and match.to_move != MR_X:
        code = rng.choice(match.game.legal(match.state))
        match.play(code)
        twin = _follow(twin, code)
    return twin if twin is not None and not match.over and not twin.over else None


def _twin(match: Match, rng: Random) -> Match | None:
    game = match.game
    codes = game.legal(match.state)
    code = rng.choice(codes)
    looks = [game.rules.observe(game.table, match.state, each, 1) for each in codes]
    alike = [each for each, look in zip(codes, looks, strict=True) if look == looks[codes.index(code)] and each != code]
    twin = match.copy()
    match.play(code)
    if not alike:
        return None
    twin.play(rng.choice(alike))
    return twin


def _follow(twin: Match | None, code: int) -> Match | None:
    if twin is None or twin.over:
        return None
    try:
        twin.play(code)
    except FogboundError:
        return None
    return twin


def thought(match: Match, rng: Random) -> tuple[float, int]:
    agent = fb.agent(AGENT, match.game, seed=rng.randrange(2**30), side=MR_X)
    return agent.choose(match.view(MR_X)).seconds, len(match.game.legal(match.state))


def guessed(found: list[tuple[float, float]]) -> dict[str, Any]:
    """How often the longer of two times is the first, with a 95% interval; equal ones are guessed by tossing a coin."""
    right = sum(1.0 if first > second else 0.5 if first == second else 0.0 for first, second in found) / len(found)
    half = 1.96 * math.sqrt(0.25 / len(found))
    apart = [first - second for first, second in found if first != second]
    p = float(wilcoxon(apart).pvalue) if apart else 1.0
    return {"equal": len(found) - len(apart), "right": round(right, 3), "+-": round(half, 3), "p": float(f"{p:.2g}")}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pairs", type=int, default=600)
    given = parser.parse_args()
    list(pairs(0))  # everything is compiled before times are taken
    found: list[tuple[Answer, Answer]] = []
    number = 1
    while len(found) < given.pairs:
        found += pairs(number)
        number += 1
    more = [each if each[0].moves > each[1].moves else each[::-1] for each in found if each[0].moves != each[1].moves]
    print(json.dumps({"pairs": len(found), "with more moves in one game": len(more)}))
    print(json.dumps({"by the thought": guessed([(first.took, second.took) for first, second in more])}))
    exact = [(round(first.sent, 6), round(second.sent, 6)) for first, second in more]
    print(json.dumps({"by the answer as it is sent": guessed(exact)}))


if __name__ == "__main__":
    main()
