"""Whether the ladder is true: each level against its neighbours on every side, and the ratings that the page shows.

    python benchmarks/levels.py scotland-yard/plan1 risk/classic:players=3 --games 400
    python benchmarks/levels.py --to steady --games 2000                     # all boards, the quick levels only
    python benchmarks/levels.py --from steady --games 100 --workers 16 --out FOLDER
    python benchmarks/levels.py --games 0 --out FOLDER --write               # tables and ratings from what was played
    python benchmarks/levels.py risk/classic:players=3 --games 0 --write     # those of one board

Games are kept in the folder, a file for each set of players: a later run adds what is missing, and files from another
machine can be put beside them. --write puts the tables into docs/results/levels.md and the ratings beside the games:
of the boards that are named, spelled as in BOARDS, everything else staying as it is; where none is named, all are
written anew. Of a named board steps that were not played here, and ratings, stay as they are while the same agents
play; a level above one whose rating is kept is rated by its games with that one alone.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from pathlib import Path

import numpy as np
from cells import gain, share
from rich.progress import Progress
from sections import head_of, kept, put, section_of

from fogbound import catalogue  # noqa: F401  (makes the games known)
from fogbound.core import registry
from fogbound.core.contract import Game
from fogbound.core.executor import Local
from fogbound.core.levels import CHAMPION, levels, played_by, rated_as
from fogbound.core.registry import Level
from fogbound.core.statistics import Z95, wilson
from fogbound.lab.ratings import Meeting, elo
from fogbound.lab.sets import SetResult, grow_sets

SEED = 15
ANCHOR, ANCHOR_RATING = "heuristic", 1500  # the scripted player has this rating on every board
DOCUMENT = Path(__file__).parents[1] / "docs" / "results" / "levels.md"
ENOUGH = 0.55  # of the points on one side: clearly stronger, if the interval is above a half
BOARDS = [
    *(f"scotland-yard/london:detectives={n}" for n in (2, 3, 4, 5)),
    "scotland-yard/london-modern",
    "scotland-yard/plan1",
    "scotland-yard/plan1-long",
    "scotland-yard/square1",
    "scotland-yard/grid5",
    "scotland-yard/grid5-2020",
    "scotland-yard/random:stations=40,seed=1",
    "scotland-yard/random:stations=120,seed=3",
    *(f"risk/classic:players={n}" for n in (2, 3, 4, 5, 6)),
    "risk/random:territories=21,seed=5,players=3",
    *(f"empire/seed:players={n}" for n in (2, 3, 4, 5)),
    *(f"empire/{board}:players={n}" for board in ("side-a", "side-b") for n in (2, 4)),
]

NOTES = {  # where one side is lost against good play, whoever plays it, or whose ratings serve other boards
    "scotland-yard/london:detectives=2": "Two good detectives hardly ever catch a good Mr X ([nets against each other]"
    "(learning-selfplay.md#against-search)), so that as detectives the highest levels win few games.",
    "scotland-yard/plan1": "Three good detectives hardly ever lose here, so that Mr X lives on their mistakes.",
    "scotland-yard/square1": "Three good detectives hardly ever lose here, so that Mr X lives on their mistakes.",
    "scotland-yard/grid5": "Perfect detectives win ([solved](solved.md)): no Mr X can win against them. Perfect play does "
    "not wait for mistakes, so as Mr X the Champion is a search, which does.",
    "scotland-yard/grid5-2020": "Perfect detectives win here too ([solved](solved.md)).",
    "scotland-yard/random:seed=1,stations=40": "The page shows them for smaller boards from a seed with two detectives.",
    "scotland-yard/random:seed=3,stations=120": "The page shows them for larger boards from a seed with four detectives.",
}

Seats = tuple[str, ...]


@dataclass(frozen=True)
class Step:
    """Two neighbours on a ladder, and who sits where when they meet."""

    game: Game
    lower: Level
    upper: Level

    @cached_property
    def one_upper(self) -> list[Seats]:
        """The upper level on each side in turn, against the lower one."""
        return [self._one(self.upper, self.lower, side) for side in range(self.game.sides)]

    @cached_property
    def one_lower(self) -> list[Seats]:
        """The other way round; with two sides that is the same."""
        sides = self.game.sides if self.game.sides > 2 else 0
        return [self._one(self.lower, self.upper, side) for side in range(sides)]

    @cached_property
    def lower_alone(self) -> list[Seats]:
        """The lower level against itself, where sides differ: what the upper one has to better on each side."""
        return [self._one(self.lower, self.lower, 0)] if self.game.sides == 2 else []

    def _one(self, one: Level, others: Level, side: int) -> Seats:
        places = range(self.game.sides)
        return tuple(agent_at(self.game, one if place == side else others, place) for place in places)

    def sets(self) -> Iterator[tuple[str, Seats]]:
        for seats in (*self.one_upper, *self.one_lower, *self.lower_alone):
            yield self.game.spec, seats


def agent_at(game: Game, level: Level, side: int) -> str:
    """Who plays a level: for the champion the agent that it asks, so that games of another champion are never mixed in."""
    return registry.champion(game, side, f"seconds={level.seconds:g}") if level.agent == CHAMPION.agent else level.agent


class Played:
    """Results by game and seats."""

    def __init__(self, results: Sequence[SetResult]) -> None:
        self.found = {(result.game, result.agents): result for result in results}

    def scores(self, step: Step, seats: Seats, side: int) -> list[float]:
        return self.found[step.game.spec, seats].in_order(side).tolist()

    def common(self, step: Step, sets: Sequence[Seats]) -> int:
        """Games from the first on that all sets have."""
        return min((len(self.scores(step, seats, 0)) for seats in sets), default=0)

    def one(self, step: Step, sets: Sequence[Seats]) -> list[float]:
        """The points of the one, in all its seats."""
        return [score for side, seats in enumerate(sets) for score in self.scores(step, seats, side)]


# What is told of a step.


def told_of(played: Played, step: Step) -> list[str]:
    """The cells of a row, the verdict last."""
    return _two_sides(played, step) if step.game.sides == 2 else _many_sides(played, step)


def _two_sides(played: Played, step: Step) -> list[str]:
    """The upper level on each side, how the lower one does there, and both together."""
    games = played.common(step, step.one_upper)
    if games == 0:
        return ["not played"] * 6
    cells, verdicts, both = [], [], []
    for side, seats in enumerate(step.one_upper):
        won = played.scores(step, seats, side)[:games]
        low, _ = wilson(sum(won), games)
        told, judged = _beside_lower(won, played.scores(step, step.lower_alone[0], side)[:games])
        cells += [share(won), told]
        verdicts.append("yes" if np.mean(won) >= ENOUGH and low > 0.5 else judged)
        both.append(won)
    return [str(games), *cells, _mean(both), _verdict(verdicts)]


def _beside_lower(won: Sequence[float], base: Sequence[float]) -> tuple[str, str]:
    """What the lower level makes of the same side in the same games, and what that says; it may have played fewer."""
    if not base:
        return "not played", "open"
    more, least, most = gain(won[: len(base)], base)
    fewer = f" in {len(base)} games" if len(base) < len(won) else ""
    told = f"{100 * np.mean(base):.1f}%, {more:+.1f} ({least:+.0f} to {most:+.0f}){fewer}"
    return told, _judged("better", least > 0, most < 0)


def _many_sides(played: Played, step: Step) -> list[str]:
    """One upper level among lower ones, one lower among upper ones; each should have more, or less, than its fair share."""
    upper, lower = played.one(step, step.one_upper), played.one(step, step.one_lower)
    if not upper:
        return ["not played"] * 5
    fair = 1 / step.game.sides
    above, below = _beside_fair(upper, fair), _beside_fair(lower, fair)
    verdicts = [_judged("yes", above > 0, above < 0), _judged("yes", below < 0, below > 0)]
    fewer = f" in {len(lower)} games" if len(lower) < len(upper) else ""
    told = share(lower) + fewer if lower else "not played"
    return [str(len(upper)), share(upper), told, f"{100 * fair:.1f}%", _verdict(verdicts)]


def _beside_fair(won: Sequence[float], fair: float) -> int:
    """1: clearly above the fair share, -1: clearly below it, 0: open."""
    low, high = wilson(sum(won), len(won)) if won else (0.0, 1.0)
    return int(low > fair) - int(high < fair)


def _mean(both: Sequence[Sequence[float]]) -> str:
    """The mean over both sides, with the interval of paired games."""
    each = np.mean(np.array(both), axis=0)
    spread = Z95 * float(each.std()) / np.sqrt(len(each))
    return f"{100 * each.mean():.1f}% (±{100 * spread:.0f})"


def _judged(word: str, right: bool, wrong: bool) -> str:
    """What an interval says: the word, the opposite, or that it is still open."""
    return word if right else "no" if wrong else "open"


def _verdict(verdicts: Sequence[str]) -> str:
    return verdicts[0] if len(set(verdicts)) == 1 else " / ".join(verdicts)


# Ratings.


def ratings(played: Played, game: Game, ladder: Sequence[Level]) -> dict[str, tuple[int, int]]:
    """The rating of each level's agent with half the width of its interval, as far as games join it to the anchor."""
    steps = [Step(game, *pair) for pair in pairwise(ladder)]
    meetings = [_meetings(played, step, number, len(ladder)) for number, step in enumerate(steps)]
    anchor = next(number for number, level in enumerate(ladder) if level.agent == ANCHOR)
    first = last = anchor
    while first > 0 and meetings[first - 1]:
        first -= 1
    while last < len(steps) and meetings[last]:
        last += 1
    found = elo([meeting for each in meetings[first:last] for meeting in each], len(ladder), SEED)
    rated = {
        played_by(game, ladder[number]): (
            round(found[number].elo - found[anchor].elo) + ANCHOR_RATING,
            round((found[number].high - found[number].low) / 2),
        )
        for number in range(first, last + 1)
    }
    return rated | _rated_by_the_lower(played, game, steps, rated)


def _rated_by_the_lower(
    played: Played, game: Game, steps: Sequence[Step], rated: Mapping[str, tuple[int, int]]
) -> dict[str, tuple[int, int]]:
    """Levels that played only with the one below, whose rating is known from games that are no longer here."""
    made = {}
    for step in steps:
        lower, upper = played_by(game, step.lower), played_by(game, step.upper)
        meetings = _meetings(played, step, 0, 2)
        if upper not in rated and lower not in rated and step.lower.rating and meetings:
            below, above = elo(meetings, 2, SEED)
            made[upper] = round(step.lower.rating + above.elo - below.elo), round((above.high - above.low) / 2)
    return made


def _meetings(played: Played, step: Step, number: int, players: int) -> list[Meeting]:
    """What a step gave, by seeds: level `number` of the ladder met the next one."""
    made = []
    for sets, one in ((step.one_upper, number + 1), (step.one_lower, number)):
        games = played.common(step, sets)
        if games:
            other = number if one > number else number + 1
            seats = np.zeros(players)
            seats[one], seats[other] = 1, step.game.sides - 1
            points = np.sum([played.scores(step, each, side)[:games] for side, each in enumerate(sets)], axis=0)
            scores = np.zeros((games, players))
            scores[:, one], scores[:, other] = points, len(sets) - points
            outcomes, counts = np.unique(scores, axis=0, return_counts=True)
            made.append(Meeting(seats, outcomes, counts, len(sets)))
    return made


# Tables.


def headings(game: Game) -> list[str]:
    if game.sides > 2:
        return ["step", "games", "one upper among lower", "one lower among upper", "fair share", "clearly stronger"]
    first, second = game.side_names
    return [
        "step",
        "games a set",
        f"as {first}",
        "lower level there",
        f"as {second}",
        "lower level there",
        "mean",
        "stronger",
    ]


def tables(played: Played, game: Game) -> str:
    ladder = levels(game)
    rated = ratings(played, game, ladder)
    lines = [f"### {game.spec}", "", "| level | agent | seconds | rating |", "|---|---|---|---|"]
    for level in ladder:
        agent = played_by(game, level)
        found = rated.get(agent)
        rating = "" if found is None else f"{found[0]}" if agent == ANCHOR else f"{found[0]} (±{found[1]})"
        lines.append(f"| {level.title} | `{agent}` | {level.seconds:g} | {rating} |")
    columns = headings(game)
    lines += ["", f"| {' | '.join(columns)} |", "|---" * len(columns) + "|"]
    for lower, upper in pairwise(ladder):
        cells = [f"{upper.title} over {lower.title}", *told_of(played, Step(game, lower, upper))]
        lines.append(f"| {' | '.join(cells)} |")
    lines += ["", NOTES[game.spec]] if game.spec in NOTES else []
    return "\n".join(lines) + "\n"


def write(played: Played, games: Sequence[Game], anew: bool) -> None:
    """Put the tables into the document, beside those of other boards or anew, and the ratings beside the games."""
    document = DOCUMENT.read_text(encoding="utf-8")
    made = {game.spec: tables(played, game) for game in games}
    if not anew:
        made = {name: kept(section, section_of(document, name)) for name, section in made.items()}
    order = [registry.game(spec).spec for spec in BOARDS]  # headings are specs as the registry writes them
    DOCUMENT.write_text(put(head_of(document) if anew else document, made, order), encoding="utf-8")
    for family in dict.fromkeys(game.family for game in games):
        place = registry.family(family).levels
        assert isinstance(place, str)
        file: Path = registry.fetch(place.partition(":")[0]).RATINGS
        stored = json.loads(file.read_text(encoding="utf-8")) if file.exists() else {}
        for game in games:
            if game.family == family:
                found = ratings(played, game, levels(game))
                before = {} if anew else stored.get(rated_as(game), {})
                agents = [played_by(game, level) for level in levels(game)]
                new = {agent: rating for agent, (rating, _) in found.items()}
                stored[rated_as(game)] = {agent: rating for agent, rating in (before | new).items() if agent in agents}
        file.write_text(json.dumps(dict(sorted(stored.items())), indent=1) + "\n", encoding="utf-8")


def steps_between(game: Game, first: str, last: str) -> list[Step]:
    ladder = levels(game)
    names = [level.name for level in ladder]
    places = [names.index(name) if name in names else default for name, default in ((first, 0), (last, len(names) - 1))]
    return [Step(game, *pair) for pair in pairwise(ladder[places[0] : places[1] + 1])]


def play(folder: Path, game: Game, sets: Sequence[tuple[str, Seats]], games: int, workers: int | None) -> None:
    """Play what is missing of the sets of one game; seats at a larger table share the games."""
    each = -(-games // game.sides) if game.sides > 2 else games
    with Progress() as progress:
        task = progress.add_task(f"{game.spec}: {len(sets)} sets", total=None)
        grow_sets(folder, sets, each, SEED, Local(workers), lambda n, total: progress.update(task, completed=n, total=total))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("boards", nargs="*", metavar="GAME", help="all boards that are rated by default")
    parser.add_argument("--games", type=int, default=400, help="games of each step on each side; 0 only tells what is there")
    parser.add_argument("--from", dest="first", default="", help="the lowest level that plays")
    parser.add_argument("--to", dest="last", default="", help="the highest level that plays")
    parser.add_argument("--workers", type=int, default=None)
    parser.add_argument("--out", type=Path, default=Path("results/levels"), help="the folder where games are kept")
    parser.add_argument("--write", action="store_true", help="write the tables and the ratings of these boards")
    given = parser.parse_args()
    games = [registry.game(spec) for spec in given.boards or BOARDS]
    for game in games:
        sets = dict.fromkeys(one for step in steps_between(game, given.first, given.last) for one in step.sets())
        play(given.out, game, list(sets), given.games, given.workers)
    every = [one for game in games for step in steps_between(game, "", "") for one in step.sets()]
    played = Played(grow_sets(given.out, list(dict.fromkeys(every)), 0, SEED))
    for game in games:
        print(tables(played, game))
    if given.write:
        write(played, games, anew=not given.boards)


if __name__ == "__main__":
    main()
