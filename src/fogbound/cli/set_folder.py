"""The folder of a set: its header, a line a finished game, and each game's log and record if wanted."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, TextIO

from fogbound.core.contract import Game
from fogbound.core.errors import FogboundError
from fogbound.core.runner import GameResult


class SetFolder:
    """Keeps results as they come, so that an interrupted set can go on."""

    def __init__(self, path: str, game: Game, header: dict[str, Any]) -> None:
        self.path = Path(path)
        self.game = game
        self.path.mkdir(parents=True, exist_ok=True)
        self._claim(header)
        self.games = self.path / "games.csv"
        self._file: TextIO | None = None
        if not self.games.exists():
            self._begin()

    def _claim(self, header: dict[str, Any]) -> None:
        """Write the header, or see that the one in the folder is the same."""
        file = self.path / "set.json"
        if not file.exists():
            if any(self.path.iterdir()):
                raise FogboundError(f"The folder {self.path} holds other files; give a new or empty folder.")
            file.write_text(json.dumps({"set": header}, indent=1) + "\n", encoding="utf-8")
            return
        try:
            found = json.loads(file.read_text(encoding="utf-8"))["set"]
        except (ValueError, KeyError, TypeError):
            raise FogboundError(f"{file} is damaged, so the set in {self.path} cannot go on; give another folder.") from None
        different = [key for key in header if found.get(key) != header[key]]
        if different:
            key = different[0]
            raise FogboundError(
                f"The folder {self.path} holds another set ({key} is {found.get(key)!r} there, {header[key]!r} here); "
                "give another folder."
            )

    def _begin(self) -> None:
        sides = [f"score of {name}" for name in self.game.side_names]
        self.games.write_text(",".join(["number", *sides, "moves"]) + "\n", encoding="utf-8")

    def finished(self) -> Iterator[tuple[int, GameResult]]:
        """The games that are there; a last line cut short is dropped."""
        lines = self.games.read_text(encoding="utf-8").splitlines(keepends=True)
        whole = [line for line in lines if line.endswith("\n")]
        if len(whole) < len(lines):
            self.games.write_text("".join(whole), encoding="utf-8")
        for row in csv.reader(whole[1:]):
            try:
                number, *scores, moves = row
                yield int(number), GameResult(int(number), tuple(map(float, scores)), int(moves))
            except ValueError:
                raise FogboundError(f"{self.games} is damaged at “{','.join(row)}”; give another folder.") from None

    def add(self, result: GameResult) -> None:
        """Keep one game: its log and record first, its line last."""
        if result.record is not None:
            name = f"game-{result.number:06d}"
            result.record.save(self.path / f"{name}.json")
            match = result.record.replay()
            text = f"{self.game.table_of_moves(match)}\n{self.game.outcome(match.state)}\n"
            (self.path / f"{name}.txt").write_text(text, encoding="utf-8")
        if self._file is None:
            self._file = self.games.open("a", encoding="utf-8")
        scores = ",".join(f"{score:g}" for score in result.scores)
        self._file.write(f"{result.number},{scores},{result.moves}\n")

    def close(self, report: str, summary: dict[str, Any]) -> None:
        if self._file is not None:
            self._file.close()
        (self.path / "set.txt").write_text(report + "\n", encoding="utf-8")
        (self.path / "result.json").write_text(json.dumps(summary, indent=1) + "\n", encoding="utf-8")
