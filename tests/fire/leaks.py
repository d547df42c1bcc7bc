"""Pairs of games that differ in one hidden thing: whoever may not know it sees the same, byte for byte and as fast.

    python -m tests.fire.leaks --pairs 100000 --workers 2 --resume leaks.jsonl

Two equal games are played side by side. Now and then the player to move plays, in the second game, another move that
looks the same to some other seat, or draws another card. All that this seat can see through any channel is then
compared: state, history, moves to choose from, words, refusals, an agent's choice, the replay, and the messages of the
server's table. The first game is looked at twice, in random order with the second: if time tells nothing, two looks at
one game differ as much as looks at both. What the thinking of agents tells by its time is in `paces.py`.
"""

from __future__ import annotations

import argparse
import json
import math
import statistics
import sys
import time
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

from scipy.stats import wilcoxon

import fogbound as fb
from fogbound.core.contract import SPECTATOR
from fogbound.core.errors import FogboundError
from fogbound.core.match import Match
from fogbound.core.record import Record
from fogbound.server.replays import replay
from fogbound.server.storage import SeatRow, TableRow
from fogbound.server.table import GameTable, digest
from fogbound.server.thoughts import view_json
from tests.fire.portions import done_in_portions
from tests.server.inside import Watcher

GAMES = (
    "scotland-yard/plan1:detectives=2",
    "scotland-yard/grid4:detectives=2",
    "scotland-yard/london:detectives=3",
    "risk/random:territories=9,players=3,deal=true",
    "risk/random:territories=12,players=4,deal=true,cards=fixed",
    "empire/seed:players=3,bidding=true",
)
PORTION = 10  # games


def seen(match: Match, seat: int) -> dict[str, Any]:
    """All that a seat can see, by channel."""
    game, view = match.game, match.view(seat)
    mine = view.to_move == seat
    return {
        "state": view.state.tobytes(),
        "history": [(each.seat, each.code, game.describe(each.code), game.details(each.code)) for each in view.history],
        "position": json.dumps(game.public(view.state)),
        "moves": [(each.code, each.text) for each in view.legal()],
        "expected": "" if view.over else game.expected(view.state),
        "refusal": _refusal(match) if mine else "",
        "choice": fb.agent("heuristic", game, seed=1).choose(view).action if mine and not view.over else None,
        "thinker": json.dumps(view_json(view)),
    }


def replayed(match: Match, seat: int) -> dict[str, Any]:
    """The same for what plays the whole game again, and is not looked at every time."""
    return {"replay": json.dumps(replay(Record.of(match), seat)["positions"])}


def sent(before: Match, match: Match, seat: int) -> dict[str, Any]:
    """What a server sends to a seat: what has changed since the move before, and the whole table."""
    game = before.game
    seats = [SeatRow(n, "person", f"P{n}", token=digest(f"token-{n}"), ready=True) for n in range(game.seats)]
    row = TableRow("pair", game.spec, {}, {}, "playing", None, 1.0, seats)
    table = GameTable(row, game, None)  # type: ignore[arg-type]  (nothing is stored)
    follower, newcomer = (Watcher(None if seat == SPECTATOR else f"token-{seat}") for _ in range(2))
    table.match = before
    table.news(follower)
    table.match, table.edition = match, table.edition + 1
    return {"change": table.news(follower), "table": table.news(newcomer), "summary": json.dumps(table.summary())}


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
            if looks == code:
                break  # the move is seen as it is
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


def timed(looks: list[Match], seat: int, rng: Random) -> tuple[list[dict[str, Any]], list[int]]:
    """What is seen of each game and the nanoseconds it took, looked at in random order."""
    found: list[dict[str, Any]] = [{} for _ in looks]
    spent = [0 for _ in looks]
    for place in rng.sample(range(len(looks)), len(looks)):
        began = time.perf_counter_ns()
        found[place] = seen(looks[place], seat)
        spent[place] = time.perf_counter_ns() - began
    return found, spent


def differences(spec: str, number: int) -> tuple[int, list[str], list[list[int]]]:
    """The number of pairs that a game gave, how any of them differed, and the times of three looks at each."""
    rng, match = Random(f"{spec} {number}"), fb.game(spec).new(seed=number)
    pairs, found, times = 0, list[str](), list[list[int]]()
    while not match.over and len(match.moves) < 60:
        for seat, one, two in twins(match, rng):
            if one.over or two.over or one.to_move != two.to_move:
                continue  # the end of a game is seen by all
            pairs += 1
            looks = [one.copy(), one.copy(), two.copy()]  # none of them was looked at before
            (first, _, second), spent = timed(looks, seat, rng)
            times.append(spent)
            first, second = first | sent(match, one, seat), second | sent(match, two, seat)
            if pairs % 10 == 0:
                first, second = first | replayed(one, seat), second | replayed(two, seat)
            found += [
                f"{spec}, game {number}, move {len(one.moves)}: seat {seat}, {key}"
                for key in first
                if first[key] != second[key]
            ]
        match.play(rng.choice(match.game.legal(match.state)))
    return pairs, found, times


def games(spec: str, first: int, count: int) -> dict[str, Any]:
    """The pairs of some games."""
    _warm(spec)
    made = [differences(spec, number) for number in range(first, first + count)]
    return {
        "spec": spec, "games": count, "pairs": sum(pairs for pairs, _, _ in made),
        "found": [line for _, lines, _ in made for line in lines], "times": [each for _, _, times in made for each in times],
    }  # fmt: skip


@cache
def _warm(spec: str) -> None:
    """Everything is compiled before times are taken."""
    differences(spec, 0)


def told_by_time(times: list[list[int]]) -> dict[str, Any]:
    """Whether looks at two games differ more in time than two looks at one: Wilcoxon's signed ranks, pair by pair."""
    across = [abs(one - two) for one, _, two in times]
    within = [abs(one - again) for one, again, _ in times]
    p = float(wilcoxon(across, within).pvalue)
    medians = {"one game": within, "both games": across, "a look": [one for one, _, _ in times]}
    return {f"{name} us": round(statistics.median(values) / 1000, 1) for name, values in medians.items()} | {
        "p": round(p, 3)
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pairs", type=int, default=2000, help="at least so many, in equal shares for every game")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--workers", type=int, default=1, help="processes")
    parser.add_argument("--resume", type=Path, help="a file that keeps what is done; what it has is not done again")
    given = parser.parse_args()
    rows: list[dict[str, Any]] = []
    for spec in GAMES:
        rows += _enough(spec, given.pairs / len(GAMES), given)
        own = [row for row in rows if row["spec"] == spec]
        sums = {name: sum(row[name] for row in own) for name in ("pairs", "games")}
        times = told_by_time([each for row in own for each in row["times"]])
        print(json.dumps({"game": spec, **sums, "differences": sum(len(row["found"]) for row in own), **times}), flush=True)
    found = [line for row in rows for line in row["found"]]
    print("\n".join([*found[:100], f"{sum(row['pairs'] for row in rows):,} pairs, {len(found)} differences"]))
    sys.exit(bool(found))


def _enough(spec: str, pairs: float, given: argparse.Namespace) -> list[dict[str, Any]]:
    """Portions of games until they gave enough pairs: as many at a time as the first ones let expect."""
    rows: list[dict[str, Any]] = []
    while (made := sum(row["pairs"] for row in rows)) < pairs:
        missing = math.ceil((pairs - made) / (made / len(rows))) if made else given.workers
        first = given.seed + PORTION * len(rows)
        wanted = [(spec, first + PORTION * n, PORTION) for n in range(missing)]
        rows += done_in_portions(games, wanted, given.workers, given.resume)
    return rows


if __name__ == "__main__":
    main()
