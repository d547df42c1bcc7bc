"""Finding puzzles: games are played, and each position is looked at in which one move may be clearly the best.

What a quick look takes for one is proved: by the exact values where the game is solved, otherwise by two deep looks of
the game's judge that have to agree. How hard it is, the levels tell: who of them plays the right move. A game can bring
a search of its own, whose puzzles come with their proof.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from itertools import islice

from fogbound.core import registry
from fogbound.core.contract import Game
from fogbound.core.judging import Judgement, judge
from fogbound.core.levels import levels
from fogbound.core.match import Match
from fogbound.core.puzzles import Puzzle, Task, moves_of
from fogbound.core.rng import stream
from fogbound.core.seats import seat_agents
from fogbound.core.view import View

QUICK, DEEP = 1, 12  # effort of the game's judge
MARGIN = 0.15  # by which the best move must be better than the next
FEWEST_MOVES = 4  # that are looked at: a choice between two is no puzzle
RATINGS = (600, 1800)  # of the easiest and of the hardest


def find(game: Game, number: int, seed: int = 0, tell: Callable[[int], None] = lambda count: None) -> Iterator[Puzzle]:
    """So many puzzles of a game; `tell` is called with the number of games that have been looked through."""
    found, played = 0, 0
    if place := registry.family(game.family).tasks:
        yield from islice(_tasks(registry.fetch(place)(game, seed), tell), number)
        return
    while found < number:
        for puzzle in _of_one_game(game, seed, played):
            yield puzzle
            found += 1
            if found == number:
                return
        played += 1
        tell(played)


def _tasks(found: Iterator[Task | None], tell: Callable[[int], None]) -> Iterator[Puzzle]:
    """The puzzles that a game's own search finds."""
    for looked_at, task in enumerate(found, 1):
        if task is not None:
            yield _puzzle_of(task)
        tell(looked_at)


def _puzzle_of(task: Task) -> Puzzle:
    low, high = RATINGS
    position = task.match.position()
    return Puzzle(
        id=hashlib.sha256(f"{task.match.game.spec} {position} {task.goal}".encode()).hexdigest()[:10],
        game=task.match.game.spec,
        start=(),
        moves=(),
        best=task.best,
        values={str(code): round(value, 6) for code, value in task.values.items()},
        exact=True,
        iterations=0,
        rating=low + round((high - low) * task.missed),
        right=tuple(code for code in task.right if code != task.best),
        position=position,
        goal=task.goal,
    )


def _of_one_game(game: Game, seed: int, number: int) -> Iterator[Puzzle]:
    """The puzzles of one game between scripted players; one a game at most for each side."""
    match = game.new(seed, number)
    who = "heuristic" if "heuristic" in registry.agents(game) else "random"
    seated = seat_agents(game, [who], seed, number)
    done: set[int] = set()
    skip = int(stream(seed, "puzzles", number)[0] % 5)
    while not match.over:
        seat = match.to_move
        side = game.side_of[seat]
        if side not in done and len(match.moves) >= skip and (puzzle := _puzzle_at(match, match.view(seat))) is not None:
            done.add(side)
            yield puzzle
        match.play(seated[side].choose(match.view(seat)).action)


def _puzzle_at(match: Match, view: View) -> Puzzle | None:
    quick = judge(view, QUICK)
    if quick is None or not _is_clear(quick):
        return None
    runs = [quick] if quick.exact else [judge(view, DEEP, seed) for seed in (1, 2)]
    if not all(run is not None and run.best == quick.best and _is_clear(run) for run in runs):
        return None
    proved = runs[0]
    assert proved is not None
    return Puzzle(
        id=_id(match),
        game=match.game.spec,
        start=tuple(match.start),
        moves=moves_of(match.moves),
        best=proved.best,
        values={str(code): round(float(value), 3) for code, value in proved.values.items()},
        exact=proved.exact,
        iterations=_iterations(proved.by),
        by=proved.by,
        rating=_rating(view, proved.best),
    )


def _iterations(spec: str) -> int:
    """Those that a judge's spec names; 0 where it names none."""
    return int(registry.parse_options(registry.split_options(spec)[1], spec).get("iterations", 0))


def _is_clear(found: Judgement) -> bool:
    order = sorted(found.values.values(), reverse=True)
    return len(order) >= FEWEST_MOVES and found.value == order[0] and order[0] - order[1] >= MARGIN


def _rating(view: View, best: int) -> int:
    """Between the easiest and the hardest, by the share of the levels that miss it."""
    ladder = levels(view.game)
    side = view.game.side_of[view.seat]
    missed = sum(registry.agent(level.agent, view.game, 7, side).choose(view).action != best for level in ladder)
    low, high = RATINGS
    return low + round((high - low) * missed / len(ladder))


def _id(match: Match) -> str:
    text = f"{match.game.spec} {match.start} {moves_of(match.moves)}"
    return hashlib.sha256(text.encode()).hexdigest()[:10]
