"""Saved games: versioned JSON that replays exactly, without any random generator."""

from __future__ import annotations

import hashlib
import json
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

from fogbound.core import registry
from fogbound.core.contract import Game
from fogbound.core.errors import BadFile, DamagedRecord, FogboundError, printable
from fogbound.core.files import read_text
from fogbound.core.match import Match, Move

FORMAT = "fogbound record"
VERSION = 1


@dataclass(frozen=True)
class Record:
    """Everything that happened in one match."""

    game: Game
    seed: int
    number: int
    agents: tuple[str, ...]
    start: tuple[int, ...]
    moves: tuple[Move, ...]
    scores: tuple[float, ...] | None
    """The result of each side; None if the match was not finished."""

    @classmethod
    def of(cls, match: Match, agents: Sequence[str] = ()) -> Record:
        if match.placed:
            raise FogboundError("A match that began at a given position has no record: nothing says how it came there.")
        scores = match.scores() if match.over else None
        return cls(match.game, match.seed, match.number, tuple(agents), match.start, tuple(match.moves), scores)

    def __repr__(self) -> str:
        end = "not finished" if self.scores is None else ", ".join(f"{score:g}" for score in self.scores)
        agents = f", {' / '.join(self.agents)}" if self.agents else ""
        return f"<Record of {self.game.spec}, seed {self.seed}{agents}, {len(self.moves)} moves: {end}>"

    def replay(self, moves: int | None = None) -> Match:
        """The match again, up to a number of moves (all of them by default)."""
        wanted = None if moves is None else len(self.moves[:moves]) + 1
        return deque(islice(self.steps(), wanted), maxlen=1).pop()

    def steps(self) -> Iterator[Match]:
        """The match at its start and after every move: one and the same, which plays on. Its end is checked as well."""
        try:
            match = Match(self.game, self.seed, self.number, start=self.start)
        except DamagedRecord:
            raise DamagedRecord("The record is damaged at its start: the set-up is not one this game can have.") from None
        yield match
        for index, move in enumerate(self.moves):
            self._replay_move(match, index, move)
            yield match
        if match.over != (self.scores is not None):
            raise DamagedRecord("The record is damaged at its end: moves are missing, or the result is.")
        if match.over and match.scores() != self.scores:
            raise DamagedRecord("The record is damaged at its end: the moves give another result than the one written.")

    def _replay_move(self, match: Match, index: int, move: Move) -> None:
        try:
            seat = match.to_move
            if seat not in (move.seat, -1):
                names = self.game.seat_names
                raise FogboundError(f"{names[seat]} is to move, not {names[move.seat]}.")
            match.play(move.code, chance=move.chance)
        except FogboundError as error:
            raise DamagedRecord(f"The record is damaged at move {index + 1}: {error}") from None

    def to_json(self) -> dict[str, Any]:
        return {
            "format": FORMAT,
            "version": VERSION,
            "game": self.game.spec,
            "board": digest(self.game.definition()),
            **({} if self.game.shipped else {"definition": self.game.definition()}),
            "seed": self.seed,
            "number": self.number,
            "agents": list(self.agents),
            "start": list(self.start),
            "moves": [self._move_json(move) for move in self.moves],
            "outcome": self._outcome_json(),
        }

    def _move_json(self, move: Move) -> dict[str, Any]:
        words = {"seat": move.seat, "move": self.game.describe(move.code)}
        return {**words, "chance": list(move.chance)} if move.chance else words

    def _outcome_json(self) -> dict[str, Any] | None:
        if self.scores is None:
            return None
        return {"scores": list(self.scores), "text": self.game.outcome(self.replay().state)}

    def save(self, path: str | Path) -> None:
        lines = json.dumps(self.to_json(), ensure_ascii=False, indent=1)
        Path(path).write_text(lines + "\n", encoding="utf-8")


def load(path: str | Path) -> Record:
    """A record from a file, replayed once to be sure that it is whole."""
    name = printable(str(path))
    try:
        return from_json(_json(read_text(path)))
    except BadFile as error:
        raise DamagedRecord(f"Cannot read {name}: {error.sentence}") from None
    except DamagedRecord as error:
        raise DamagedRecord(f"{name}: {error}") from None


def _json(text: str) -> Any:
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        raise DamagedRecord(f"The record is damaged at line {error.lineno}: {error.msg}.") from None
    except ValueError:
        raise DamagedRecord("The record is damaged: it has a number with thousands of digits.") from None
    except RecursionError:
        raise DamagedRecord("This is not a record: it is nested too deeply.") from None


def from_json(data: Any) -> Record:
    """A record from its JSON, replayed once to be sure that it is whole."""
    record = written(data)
    record.replay()
    return record


def written(data: Any) -> Record:
    """A record as its JSON has it: each move is one of the game's, but only a replay tells whether it could be played."""
    if not isinstance(data, dict) or data.get("format") != FORMAT:
        raise DamagedRecord(f'This is not a saved game: it should begin with "format": "{FORMAT}".')
    if data.get("version") != VERSION:
        raise DamagedRecord(f"This record has version {data.get('version')!r}; this program reads version {VERSION}.")
    game = _game(data)
    return Record(
        game=game,
        seed=_value(data, "seed", int),
        number=_value(data, "number", int),
        agents=tuple(str(name) for name in _value(data, "agents", list)),
        start=_numbers(data, "start", "its start"),
        moves=tuple(_move(game, index, move) for index, move in enumerate(_value(data, "moves", list))),
        scores=_scores(data, game),
    )


def _game(data: Mapping[str, Any]) -> Game:
    spec = _value(data, "game", str)
    try:
        if "definition" in data:
            game = registry.rebuild(spec.partition("/")[0], _value(data, "definition", dict))
        else:
            game = registry.game(spec)
    except FogboundError as error:
        raise DamagedRecord(f"The record's game cannot be set up: {error}") from None
    if digest(game.definition()) != data.get("board"):
        raise DamagedRecord(f"The record was played on another version of {spec} than the one installed here.")
    return game


def _value(data: Mapping[str, Any], key: str, kind: type) -> Any:
    value = data.get(key)
    if not isinstance(value, kind) or isinstance(value, bool) or (isinstance(value, int) and not -(2**62) < value < 2**62):
        raise DamagedRecord(f'The record is damaged: "{key}" is missing or is not a {_KINDS[kind]}.')
    return value


_KINDS = {int: "whole number", str: "text", list: "list", dict: "object"}


def _numbers(data: Mapping[str, Any], key: str, where: str) -> tuple[int, ...]:
    values = data.get(key, [])
    sound = isinstance(values, list) and all(type(x) is int and 0 <= x < 2**62 for x in values)
    if not sound or len(values) > 4096:
        raise DamagedRecord(f'The record is damaged at {where}: "{key}" should be a list of whole numbers.')
    return tuple(values)


def _move(game: Game, index: int, data: Any) -> Move:
    where = f"move {index + 1}"
    if not isinstance(data, dict) or type(data.get("seat")) is not int or not isinstance(data.get("move"), str):
        raise DamagedRecord(f"The record is damaged at {where}: it should have a seat and a move.")
    if not 0 <= data["seat"] < game.seats:
        raise DamagedRecord(f"The record is damaged at {where}: there is no seat {data['seat']}.")
    try:
        code = game.code(data["move"])
    except FogboundError as error:
        raise DamagedRecord(f"The record is damaged at {where}: {error}") from None
    return Move(data["seat"], code, _numbers(data, "chance", where))


def _scores(data: Mapping[str, Any], game: Game) -> tuple[float, ...] | None:
    outcome = data.get("outcome")
    if outcome is None:
        return None
    scores = outcome.get("scores") if isinstance(outcome, dict) else None
    if not isinstance(scores, list) or len(scores) != game.sides or not all(type(x) in (int, float) for x in scores):
        raise DamagedRecord("The record is damaged at its end: the outcome should have a score for each side.")
    return tuple(float(x) for x in scores)


def digest(definition: Mapping[str, Any]) -> str:
    """A short fingerprint of a game's definition."""
    text = json.dumps(definition, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()[:16]
