"""Pairs of games that differ in one hidden thing: whoever may not know it sees the same, byte for byte.

    python -m tests.fire.leaks --pairs 100000

Two equal games are played side by side. Now and then the player to move plays, in the second game, another move that
looks the same to some other seat, or draws another card. From then on until the games part, all that this seat can see
through any channel is compared: state, history, moves to choose from, words, refusals, an agent's choice, the replay.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Iterator
from random import Random
from typing import Any

import fogbound as fb
from fogbound.core.contract import SPECTATOR
from fogbound.core.errors import FogboundError
from fogbound.core.match import Match
from fogbound.core.record import Record
from fogbound.server.replays import replay

GAMES = (
    "scotland-yard/plan1:detectives=2",
    "scotland-yard/grid4:detectives=2",
    "scotland-yard/london:detectives=3",
    "risk/random:territories=9,players=3,deal=true",
    "risk/random:territories=12,players=4,deal=true,cards=fixed",
    "empire/seed:players=3,bidding=true",
)


def seen(match: Match, seat: int, replayed: bool) -> dict[str, Any]:
    """All that a seat can see, by channel; the replay plays the whole game again, and is not looked at every time."""
    game, view = match.game, match.view(seat)
    mine = view.to_move == seat
    return {
        "state": view.state.tobytes(),
        "history": [(each.seat, each.code, game.describe(each.code), game.details(each.code)) for each in view.history],
        "position": json.dumps(game.public(view.state)),
        "moves": [(each.code, each.text) for each in view.legal()],
        "expected": "" if view.over else game.expected(view.state),
        "refusal": _refusal(match) if mine else "",
        "choice": fb.agent("random", game, seed=1).choose(view).action if mine and not view.over else None,
        "replay": json.dumps(replay(Record.of(match), seat)["positions"]) if replayed else "",
    }


def _refusal(match: Match) -> str:
    """What the seat to move is told about a move that nobody can make."""
    try:
        match.play(1 << 40)
    except FogboundError as error:
        return str(error)
    return ""


def twins(match: Match, rng: Random) -> Iterator[tuple[int, Match, Match]]:
    """The game after its next move, and beside it one that a seat cannot tell from it."""
    game, mover = match.game, match.to_move
    codes = game.legal(match.state)
    code = rng.choice(codes)
    one = match.copy()
    drawn = one.play(code)
    side = game.side_of[mover]
    others = [SPECTATOR, *(seat for seat in range(game.seats) if game.side_of[seat] != side)]
    for seat in others:
        looks = game.rules.observe(game.table, match.state, code, seat)
        for other in rng.sample(codes, len(codes)):
            if other != code and game.rules.observe(game.table, match.state, other, seat) == looks:
                two = match.copy()
                two.play(other)
                yield seat, one, two
                break
    if drawn.chance and "hand" in (match.state.dtype.names or ()) and _cards(one) != _cards(match):
        for rank in range(60):
            two = match.copy()
            try:
                two.play(code, chance=(*drawn.chance[:-1], rank))
            except FogboundError:
                continue
            if two.state["hand"][mover].tolist() != one.state["hand"][mover].tolist() and _cards(two) == _cards(one):
                yield from ((seat, one, two) for seat in others)
                break


def _cards(match: Match) -> Any:
    return match.state["cards"].tolist()


def differences(spec: str, number: int) -> tuple[int, list[str]]:
    """The number of pairs that a game gave, and how any of them differed."""
    rng, match, pairs, found = Random(f"{spec} {number}"), fb.game(spec).new(seed=number), 0, []
    while not match.over and len(match.moves) < 60:
        for seat, one, two in twins(match, rng):
            if one.over or two.over or one.to_move != two.to_move:
                continue  # the end of a game is seen by all
            pairs += 1
            first, second = (seen(each, seat, replayed=pairs % 10 == 0) for each in (one, two))
            found += [
                f"{spec}, game {number}, move {len(one.moves)}: seat {seat}, {key}"
                for key in first
                if first[key] != second[key]
            ]
        match.play(rng.choice(match.game.legal(match.state)))
    return pairs, found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pairs", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    bad = 0
    for spec in GAMES:
        began, pairs, number = time.monotonic(), 0, given.seed
        while pairs < given.pairs / len(GAMES):
            made, found = differences(spec, number)
            pairs, number, bad = pairs + made, number + 1, bad + len(found)
            for line in found:
                print(line, flush=True)
        print(f"{spec}: {pairs:,} pairs in {number - given.seed:,} games, {time.monotonic() - began:.0f} s", flush=True)
    print(f"{bad} differences")
    sys.exit(bool(bad))


if __name__ == "__main__":
    main()
