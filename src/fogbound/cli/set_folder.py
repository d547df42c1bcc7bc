"""The folder of a set: its store, and beside it what people read (a header, a line a game, and each game's log if wanted).

The store alone says which games are finished; the other files are written from it.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Generator, Iterable, Iterator
from itertools import groupby
from pathlib import Path
from typing import Any, TextIO

import numpy as np

from fogbound.core.contract import Game
from fogbound.core.errors import BadFile, FogboundError
from fogbound.core.executor import Executor, Finished
from fogbound.core.files import read_text
from fogbound.core.job import MOST, NOT_KEPT, Played
from fogbound.core.runner import GameResult
from fogbound.lab.results import Results
from fogbound.lab.tournament import Tournament

MOST_CSV = 1_000_000_000  # bytes of a games.csv that is taken over
MOST_LOGGED = 64  # games of a job that are logged one by one


class SetFolder:
    """Keeps results as they come, so that an interrupted set can go on."""

    def __init__(self, path: str, tournament: Tournament, header: dict[str, Any]) -> None:
        self.path = Path(path)
        self.tournament = tournament
        self.game: Game = tournament.games[0]
        self.logs = header["log"] == "game"
        self.path.mkdir(parents=True, exist_ok=True)
        self._claim(header)
        self.csv = self.path / "games.csv"
        file = self.path / "results.sqlite"
        is_new = not file.exists()
        self.store = tournament.store(file, resume=True)
        if is_new and self.csv.exists():  # a folder of a version that had no store
            self._import()
        self._lines: TextIO | None = None

    def _claim(self, header: dict[str, Any]) -> None:
        """Write the header, or make sure that the folder holds this set."""
        file = self.path / "set.json"
        if not file.exists():
            if any(self.path.iterdir()):
                raise FogboundError(f"The folder {self.path} holds other files; give a new or empty folder.")
            file.write_text(json.dumps({"set": header}, indent=1) + "\n", encoding="utf-8")
            return
        try:
            found = dict(json.loads(read_text(file))["set"])
        except (BadFile, ValueError, KeyError, TypeError, RecursionError):
            raise FogboundError(f"{file} is damaged, so the set in {self.path} cannot go on; give another folder.") from None
        different = [key for key in header if found.get(key) != header[key]]
        if different:
            key = different[0]
            raise FogboundError(
                f"The folder {self.path} holds another set ({key} is {found.get(key)!r} there, {header[key]!r} here); "
                "give another folder."
            )

    def _import(self) -> None:
        """Take the games of an older folder into the store; their moves were not kept."""
        encounter = self.tournament.encounters[0]
        whole = self.tournament.seating_job(encounter.seatings[0], encounter.seeds)
        results = enumerate(sorted(self._read_lines(), key=lambda result: result.number))
        unknown, none = (0,) * self.game.sides, np.zeros((0, self.game.sides))
        for _, neighbours in groupby(results, key=lambda each: each[1].number - each[0]):
            games = [result for _, result in neighbours]
            scores, lengths = np.array([game.scores for game in games]), np.array([game.moves for game in games])
            played = Played(scores, lengths, b"", NOT_KEPT, unknown, unknown, 0.0, none.astype(np.int64), none)
            self.store.add(whole.part(games[0].number, len(games)), played)

    def _read_lines(self) -> Iterator[GameResult]:
        """The games of games.csv; a last line cut short is dropped."""
        lines = read_text(self.csv, most=MOST_CSV).splitlines(keepends=True)
        for row in csv.reader(line for line in lines[1:] if line.endswith("\n")):
            try:
                number, *scores, moves = row
                yield GameResult(int(number), tuple(map(float, scores)), int(moves))
            except (ValueError, csv.Error):
                raise FogboundError(f"{self.csv} is damaged at “{','.join(row)}”; give another folder.") from None

    def finished(self) -> list[GameResult]:
        """The games that are in the store, by number."""
        games = self.store.games(0, self.game.sides)
        rows = zip(games.numbers.tolist(), games.scores.tolist(), games.lengths.tolist(), strict=True)
        return [GameResult(number, tuple(scores), moves) for number, scores, moves in rows]

    def play(self, executor: Executor) -> Generator[Finished, None, None]:
        """Play what is missing, job by job; each is in the store before it is handed on."""
        self._write_all()
        self._lines = self.csv.open("a", encoding="utf-8")
        return self.tournament.play_missing(self.store, executor, MOST_LOGGED if self.logs else MOST)

    def write(self, results: Iterable[GameResult]) -> None:
        """Write the logs and lines of games that are in the store."""
        assert self._lines is not None
        for result in results:
            if self.logs:
                self._write_log(result)
            self._lines.write(_line(result))

    def _write_all(self) -> None:
        """Write games.csv anew, and the logs that are missing."""
        sides = [f"score of {name}" for name in self.game.side_names]
        results = self.finished()
        text = ",".join(["number", *sides, "moves"]) + "\n" + "".join(map(_line, results))
        self.csv.write_text(text, encoding="utf-8")
        if self.logs:
            stored = Results(self.store)
            for result in results:
                if not self._log(result.number, "txt").exists():
                    self._write_log(GameResult(result.number, result.scores, result.moves, stored.record(0, result.number)))

    def _log(self, number: int, kind: str) -> Path:
        return self.path / f"game-{number:06d}.{kind}"

    def _write_log(self, result: GameResult) -> None:
        """A game's record and its log; the log comes last, and is there as a whole or not at all."""
        assert result.record is not None
        result.record.save(self._log(result.number, "json"))
        match = result.record.replay()
        part = self._log(result.number, "part")
        part.write_text(f"{self.game.table_of_moves(match)}\n{self.game.outcome(match.state)}\n", encoding="utf-8")
        part.replace(self._log(result.number, "txt"))

    def close(self, report: str, summary: dict[str, Any]) -> None:
        if self._lines is not None:
            self._lines.close()
        self._write_all()
        self.store.close()
        (self.path / "set.txt").write_text(report + "\n", encoding="utf-8")
        (self.path / "result.json").write_text(json.dumps(summary, indent=1) + "\n", encoding="utf-8")


def _line(result: GameResult) -> str:
    scores = ",".join(f"{score:g}" for score in result.scores)
    return f"{result.number},{scores},{result.moves}\n"
