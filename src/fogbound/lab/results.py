"""What a tournament says: tables of figures with their intervals, as rows or as DataFrames, and single games.

Each figure is a method that gives rows (a dictionary each); `frame` of the same name
makes a pandas DataFrame of them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from fogbound.core.errors import FogboundError, UnknownName
from fogbound.core.job import record_of
from fogbound.core.record import Record
from fogbound.core.runner import all_starts
from fogbound.core.statistics import wilson
from fogbound.lab import ratings, sequential
from fogbound.lab.ratings import Meeting
from fogbound.lab.schedule import Encounter, Seating
from fogbound.lab.sequential import Decision, Test
from fogbound.lab.store import Games, Store

if TYPE_CHECKING:
    from pandas import DataFrame

Row = dict[str, Any]
ALL_STARTS = "all"  # the value of `starts` where game i begins from the i-th of all possible starts
TABLES = ("standings", "encounters", "cross_table", "sides", "roles", "by_board", "lengths", "times", "tests")


@dataclass(frozen=True)
class Extreme:
    """A game that stands out."""

    what: str
    seating: Seating
    number: int
    moves: int


class Results:
    """The results of a tournament, finished or not."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self.about = store.about()
        if not isinstance(self.about.get("tournament"), dict):
            raise FogboundError(f"{store.path} is damaged: it does not say which tournament it holds.")
        self.settings: Row = self.about["tournament"]
        self.players = store.players()
        self.names = [player.name for player in self.players]
        self.boards = store.boards()
        self.pairings = store.encounters()

    @classmethod
    def open(cls, file: str | Path) -> Results:
        """The results in a file, which may still be growing."""
        return cls(Store.open(file))

    def __repr__(self) -> str:
        return f"Results of “{self.settings['name']}”: {self.count:,} games, {len(self.players)} players"

    @cached_property
    def count(self) -> int:
        """Games that count."""
        return sum(len(games.numbers) for games in self.games.values())

    @property
    def total(self) -> int:
        """Games that were planned."""
        return sum(encounter.seeds * len(encounter.seatings) for encounter in self.pairings)

    @property
    def test(self) -> Test | None:
        given = self.settings
        return Test(given["elo0"], given["elo1"], given["alpha"], given["beta"]) if given["stop"] == "sprt" else None

    @cached_property
    def _stored(self) -> dict[int, Games]:
        return {
            seating.number: self.store.games(seating.number, len(seating.players))
            for encounter in self.pairings
            for seating in encounter.seatings
        }

    @cached_property
    def games(self) -> dict[int, Games]:
        """The games of every seating that count: those up to the end of the sequential test, if there is one."""
        if self.test is None:
            return self._stored
        limits = {encounter.number: self.decision(encounter) for encounter in self.pairings}
        return {
            seating.number: self._stored[seating.number].upto(decision.seeds)
            if (decision := limits[encounter.number]).verdict != "open"
            else self._stored[seating.number]
            for encounter in self.pairings
            for seating in encounter.seatings
        }

    def seed_scores(self, encounter: Encounter) -> NDArray[np.float64]:
        """Each player's score, summed over the seatings, for the seeds played in all seatings; a row a seed."""
        stored = [self._stored[seating.number] for seating in encounter.seatings]
        return _whole_seeds(encounter, stored, len(self.players))

    def decision(self, encounter: Encounter) -> Decision:
        """What the sequential test says of an encounter."""
        assert self.test is not None
        stored = [self._stored[seating.number] for seating in encounter.seatings]
        gapless = min(_gapless(games.numbers) for games in stored)
        scores = _whole_seeds(encounter, [games.upto(gapless) for games in stored], len(self.players))
        first = scores[:, encounter.group[0]] / len(encounter.seatings)
        return sequential.decide(first, self.test) if len(set(encounter.group)) > 1 else Decision("open", len(first), 0.0)

    # Figures.

    def standings(self) -> list[Row]:
        """Every player, the strongest first: share of the points, Elo, weight in the Nash mix, time a move."""
        return self._standings

    @cached_property
    def _standings(self) -> list[Row]:
        elo = ratings.elo(self._meetings, len(self.players), self.settings["seed"])
        skills = self._skills()
        weights = self._nash_weights()
        times = {row["player"]: row["milliseconds a move"] for row in self.times()}
        rows = []
        for number, name in enumerate(self.names):
            points, games = self._points(number)
            low, high = wilson(points, games)
            row = {"player": name, "agent": self.players[number].spec, "games": games, "points": points}
            row |= {"share": points / games if games else float("nan"), "low": low, "high": high}
            row |= {"elo": elo[number].elo, "elo low": elo[number].low, "elo high": elo[number].high}
            if skills:
                row |= {"openskill": skills[number].mu, "sigma": skills[number].sigma}
            if weights is not None:
                row["nash"] = float(weights[number])
            rows.append(row | {"milliseconds a move": times.get(name, float("nan"))})
        return sorted(rows, key=lambda row: -row["elo"])

    def encounters(self) -> list[Row]:
        """Every seating: wins of each side with intervals."""
        rows = []
        for encounter, seating, games in self._each():
            names = [self.names[player] for player in seating.players]
            for side, name in enumerate(names):
                wins, draws = _wins(games.scores, side)
                low, high = wilson(wins, len(games.numbers))
                row = {"board": self.boards[encounter.board].spec, "seating": seating.number, "players": " / ".join(names)}
                row |= {"side": self._side_name(encounter.board, side), "player": name, "games": len(games.numbers)}
                rate = wins / len(games.numbers) if len(games.numbers) else float("nan")
                rows.append(row | {"wins": wins, "shared": draws, "rate": rate, "low": low, "high": high})
        return rows

    def cross_table(self) -> list[Row]:
        """For each two players: the share of the first against the second, over all boards and seatings."""
        points, games = self._pairwise
        rows = []
        for a, name in enumerate(self.names):
            for b, other in enumerate(self.names):
                if a != b and games[a, b]:
                    low, high = wilson(points[a, b], int(games[a, b]))
                    share = points[a, b] / games[a, b]
                    rows.append(
                        {
                            "player": name,
                            "against": other,
                            "games": int(games[a, b]),
                            "share": share,
                            "low": low,
                            "high": high,
                        }
                    )
        return rows

    def sides(self) -> list[Row]:
        """What it is worth to sit on each side (to move first, second, ...), on each board."""
        rows = []
        for board, spec in enumerate(self.boards):
            scores = [games.scores for encounter, _, games in self._each() if encounter.board == board]
            merged = np.concatenate(scores) if scores else np.zeros((0, 0))
            for side in range(merged.shape[1]):
                wins, draws = _wins(merged, side)
                low, high = wilson(wins, len(merged))
                rate = wins / len(merged) if len(merged) else float("nan")
                row = {"board": spec.spec, "side": self._side_name(board, side), "games": len(merged), "wins": wins}
                rows.append(row | {"shared": draws, "rate": rate, "low": low, "high": high, "even": 1 / merged.shape[1]})
        return rows

    def roles(self) -> list[Row]:
        """Each player on each side of each board."""
        return self._shares(lambda board, side: (self.boards[board].spec, self._side_name(board, side)), ("board", "side"))

    def by_board(self) -> list[Row]:
        """Each player on each board."""
        return self._shares(lambda board, side: (self.boards[board].spec,), ("board",))

    def lengths(self) -> list[Row]:
        """How long games were, in moves, on each board."""
        rows = []
        for board, spec in enumerate(self.boards):
            found = [games.lengths for encounter, _, games in self._each() if encounter.board == board]
            merged = np.concatenate(found) if found else np.zeros(0)
            if len(merged):
                low, middle, high = np.percentile(merged, [5, 50, 95])
                row = {"board": spec.spec, "games": len(merged), "mean": float(merged.mean()), "shortest": int(merged.min())}
                rows.append(row | {"5%": low, "median": middle, "95%": high, "longest": int(merged.max())})
        return rows

    def times(self) -> list[Row]:
        """How long each player thought."""
        moves, seconds = np.zeros(len(self.players)), np.zeros(len(self.players))
        seatings = {seating.number: seating for encounter in self.pairings for seating in encounter.seatings}
        for number, side_moves, side_seconds in self.store.times():
            for side, player in enumerate(seatings[number].players):
                moves[player] += side_moves[side]
                seconds[player] += side_seconds[side]
        return [
            {
                "player": name,
                "moves": int(moves[i]),
                "seconds": seconds[i],
                "milliseconds a move": 1000 * seconds[i] / moves[i],
            }
            for i, name in enumerate(self.names)
            if moves[i]
        ]

    def tests(self) -> list[Row]:
        """What the sequential test says of each encounter, if there is one."""
        if self.test is None:
            return []
        lower, upper = self.test.bounds
        rows = []
        for encounter in self.pairings:
            decision = self.decision(encounter)
            words = {"elo0": f"at most {self.test.elo0:g} Elo", "elo1": f"at least {self.test.elo1:g} Elo", "open": "open"}
            row: Row = {"board": self.boards[encounter.board].spec, "player": self.names[encounter.group[0]]}
            row |= {"against": self.names[encounter.group[-1]], "seeds": decision.seeds, "ratio": decision.ratio}
            rows.append(row | {"lower": lower, "upper": upper, "verdict": words[decision.verdict]})
        return rows

    def all_games(self) -> DataFrame:
        """A row a game: board, seating, number, players, scores, moves."""
        parts = []
        pd = _pandas()
        for encounter, seating, games in self._each():
            part: Row = {"board": self.boards[encounter.board].spec, "seating": seating.number, "number": games.numbers}
            for side, player in enumerate(seating.players):
                part |= {f"player {side}": self.names[player], f"score {side}": games.scores[:, side]}
            parts.append(pd.DataFrame(part | {"moves": games.lengths}))
        return pd.concat(parts, ignore_index=True)

    def frame(self, table: str) -> DataFrame:
        """One of the tables as a pandas DataFrame, as in frame("standings")."""
        if table not in TABLES:
            raise UnknownName("table", table, TABLES)
        return _pandas().DataFrame(getattr(self, table)())

    # Single games.

    def record(self, seating: int, number: int) -> Record:
        """A game as a record that replays without a generator."""
        found = {s.number: s for encounter in self.pairings for s in encounter.seatings}
        if seating not in found:
            raise FogboundError(f"There is no seating {seating}; they are numbered 0 to {max(found)}.")
        codes, scores = self.store.moves(seating, number)
        specs = [self.players[player].spec for player in found[seating].players]
        game = self.boards[found[seating].board].game()
        start = all_starts(game)[number] if self.about.get("starts") == ALL_STARTS else None
        return record_of(game, specs, self.settings["seed"], number, codes, scores, start)

    def extremes(self, each: int = 2) -> list[Extreme]:
        """The longest and the shortest games of each board."""
        found = []
        for board in range(len(self.boards)):
            for what, sign in (("longest", -1), ("shortest", 1)):
                candidates = []
                for encounter, seating, games in self._each():
                    if encounter.board == board:
                        best = np.argsort(sign * games.lengths, kind="stable")[:each]
                        candidates += [Extreme(what, seating, int(games.numbers[i]), int(games.lengths[i])) for i in best]
                found += sorted(candidates, key=lambda game: (sign * game.moves, game.seating.number))[:each]
        return found

    # What the figures are made from.

    def _each(self) -> Iterator[tuple[Encounter, Seating, Games]]:
        for encounter in self.pairings:
            for seating in encounter.seatings:
                yield encounter, seating, self.games[seating.number]

    def _side_name(self, board: int, side: int) -> str:
        return self.boards[board].game().side_names[side]

    def _points(self, player: int) -> tuple[float, int]:
        """Points of a player, and in how many games (a seat each) it could make them."""
        points, games = 0.0, 0
        for _, seating, found in self._each():
            for side, who in enumerate(seating.players):
                if who == player:
                    points += float(found.scores[:, side].sum())
                    games += len(found.numbers)
        return points, games

    def _shares(self, key: Any, columns: tuple[str, ...]) -> list[Row]:
        """Shares of the points of each player, grouped by a key of board and side."""
        points: dict[tuple[Any, ...], float] = {}
        games: dict[tuple[Any, ...], int] = {}
        for encounter, seating, found in self._each():
            for side, player in enumerate(seating.players):
                group = (player, *key(encounter.board, side))
                points[group] = points.get(group, 0.0) + float(found.scores[:, side].sum())
                games[group] = games.get(group, 0) + len(found.numbers)
        rows = []
        for group in sorted(points, key=lambda group: int(group[0])):
            if games[group]:
                low, high = wilson(points[group], games[group])
                row = {"player": self.names[group[0]], **dict(zip(columns, group[1:], strict=True)), "games": games[group]}
                rows.append(row | {"share": points[group] / games[group], "low": low, "high": high})
        return rows

    @cached_property
    def _meetings(self) -> list[Meeting]:
        meetings = []
        for encounter in self.pairings:
            if len(set(encounter.group)) > 1:
                played = [self.games[seating.number] for seating in encounter.seatings]
                scores = _whole_seeds(encounter, played, len(self.players))
                seats = np.bincount(encounter.group, minlength=len(self.players)).astype(float)
                outcomes, counts = np.unique(scores, axis=0, return_counts=True)
                meetings.append(Meeting(seats, outcomes, counts, len(encounter.seatings)))
        return meetings

    @cached_property
    def _pairwise(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Points and games of each player against each other: whoever has the higher score at a table beats the other.

        With two sides a draw counts half; at a larger table, that two have lost alike says nothing about them.
        """
        points = np.zeros((len(self.players), len(self.players)))
        games = np.zeros_like(points)
        for _, seating, found in self._each():
            for i, a in enumerate(seating.players):
                for j, b in enumerate(seating.players):
                    if a != b:
                        difference = found.scores[:, i] - found.scores[:, j]
                        even = int((difference == 0).sum()) if len(seating.players) == 2 else 0
                        points[a, b] += float((difference > 0).sum() + even / 2)
                        games[a, b] += int((difference != 0).sum()) + even
        return points, games

    def _nash_weights(self) -> NDArray[np.float64] | None:
        """Weights in the Nash mix, if everyone has met everyone."""
        points, games = self._pairwise
        met = games + np.eye(len(games))
        if len(games) < 2 or not met.all():
            return None
        return ratings.nash(np.where(games > 0, points / met, 0.5))[0]

    def _skills(self) -> list[ratings.Skill] | None:
        """OpenSkill, where games have more than two sides and it is installed."""
        tables = [(seating.players, found.scores) for _, seating, found in self._each() if len(seating.players) > 2]
        if not tables:
            return None
        try:
            return ratings.openskill(tables, len(self.players))
        except ModuleNotFoundError:
            return None


def _gapless(numbers: NDArray[np.int64]) -> int:
    """How many games are there from the first without a gap."""
    missing = np.flatnonzero(numbers != np.arange(len(numbers)))
    return int(missing[0]) if len(missing) else len(numbers)


def _whole_seeds(encounter: Encounter, played: list[Games], players: int) -> NDArray[np.float64]:
    common = played[0].numbers
    for games in played[1:]:
        common = np.intersect1d(common, games.numbers, assume_unique=True)
    total = np.zeros((len(common), players))
    for seating, games in zip(encounter.seatings, played, strict=True):
        rows = games.scores[np.searchsorted(games.numbers, common)]
        for side, player in enumerate(seating.players):
            total[:, player] += rows[:, side]
    return total


def _wins(scores: NDArray[np.float64], side: int) -> tuple[int, int]:
    """Games that a side won alone, and games that it shared."""
    if not len(scores):
        return 0, 0
    best = scores.max(axis=1)
    mine = scores[:, side] == best
    alone = mine & ((scores == best[:, None]).sum(axis=1) == 1)
    return int(alone.sum()), int(mine.sum() - alone.sum())


def _pandas() -> Any:
    try:
        import pandas
    except ModuleNotFoundError:
        raise FogboundError("DataFrames need pandas, which is not installed: pip install 'fogbound[lab]'.") from None
    return pandas
