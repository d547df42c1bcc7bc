"""Several games between the same players, one after the other: who won how many, told from table to table.

A table's settings keep its series: how many games, whether sides are swapped, and the results of the games before.
Participants are numbered by the side that they had in the first game.
"""

from __future__ import annotations

import time
from typing import Any

from fogbound.server.storage import SeatRow
from fogbound.server.table import GameTable, Refused

POINTS = ("points", "score")  # what a game's public state may call what a player has


def participant_of(table: GameTable, side: int) -> int:
    """Who plays a side now."""
    series = table.row.settings["series"]
    shift = len(series["games"]) if series["swap"] else 0
    return int((side - shift) % table.game.sides)


def so_far(table: GameTable) -> list[dict[str, Any]]:
    """The results of a table's series, its own among them if it is over."""
    series = table.row.settings.get("series")
    if series is None:
        raise Refused("This table belongs to no series.")
    return [*series["games"], _result(table)] if table.phase == "over" else list(series["games"])


def is_over(table: GameTable) -> bool:
    series = table.row.settings.get("series")
    return series is not None and len(so_far(table)) >= series["length"]


def _result(table: GameTable) -> dict[str, Any]:
    assert table.match is not None
    game, match = table.game, table.match
    sides = [participant_of(table, side) for side in range(game.sides)]
    by_side = match.scores()
    scores = [0.0] * game.sides
    for side, participant in enumerate(sides):
        scores[participant] = float(by_side[side])
    best = max(scores)
    winners = [number for number, score in enumerate(scores) if score == best]
    public = game.public(match.state)
    return {
        "table": table.id,
        "sides": sides,
        "scores": scores,
        "winner": winners[0] if len(winners) == 1 else None,
        "moves": len(match.moves),
        "rounds": public.get("round", public.get("turns_played")),
        "points": _points(table, public, sides),
        "figures": _figures(table, public, sides),
        "seconds": round(table.row.settings.get("ended", time.time()) - table.row.created, 1),
    }


def _points(table: GameTable, public: dict[str, Any], sides: list[int]) -> list[Any] | None:
    """What each participant's first seat has, where the game counts something."""
    players = public.get("players")
    name = next((each for each in POINTS if players and each in players[0]), None)
    if players is None or name is None:
        return None
    found: list[Any] = [None] * len(sides)
    for side, participant in enumerate(sides):
        found[participant] = players[table.game.side_of.index(side)][name]
    return found


def _figures(table: GameTable, public: dict[str, Any], sides: list[int]) -> list[Any] | None:
    """All numbers that each participant's first seat has, where the game counts something."""
    players = public.get("players")
    if players is None:
        return None
    found: list[Any] = [None] * len(sides)
    for side, participant in enumerate(sides):
        found[participant] = _numbers(players[table.game.side_of.index(side)])
    return found


def _numbers(player: dict[str, Any]) -> dict[str, Any]:
    """The numbers of a player, also those in groups, such as points by where they come from."""
    grouped = {name: _numbers(value) for name, value in player.items() if isinstance(value, dict)}
    return {name: value for name, value in player.items() if isinstance(value, int | float)} | grouped


def _is_person(holder: SeatRow) -> bool:
    """A person's seat stays one while an agent plays for him."""
    return holder.kind != "agent" or holder.token is not None


def _holders(table: GameTable) -> list[SeatRow]:
    """Who the participants are: the first seat of each."""
    found: list[Any] = [None] * table.game.sides
    for side in range(table.game.sides):
        found[participant_of(table, side)] = table.row.seats[table.game.side_of.index(side)]
    return found


def series_json(table: GameTable) -> dict[str, Any]:
    """A series as one document."""
    games = so_far(table)
    series = table.row.settings["series"]
    holders = _holders(table)
    wins = [sum(game["winner"] == number for game in games) for number in range(table.game.sides)]
    return {
        "game": table.game.spec,
        "players": series["players"],
        "kinds": ["person" if _is_person(holder) else "agent" for holder in holders],
        "agents": [None if _is_person(holder) else table.agent_of(holder.level or "") for holder in holders],
        "sides": list(table.game.side_names),
        "swap": series["swap"],
        "length": series["length"],
        "wins": wins,
        "draws": sum(game["winner"] is None for game in games),
        "games": games,
    }
