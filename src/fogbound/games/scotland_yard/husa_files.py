"""Files of Husa's program (2022): his boards as boards of ours, and his config.ini as a set of games.

A board is JSON: `plan` lists the stops with their `taxi` and `tram` links and whether a piece can start there (`init`);
`phantom`, `detectives` and `game` hold tickets, the number of detectives, turns and reveals.
"""

from __future__ import annotations

import json
from configparser import ConfigParser
from configparser import Error as NoIni
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from fogbound.core import jsonfile
from fogbound.core.errors import BadFile
from fogbound.core.files import read_text

TRANSPORTS = ("taxi", "tram")
AGENTS = {
    "random": "random",
    "heuristic": "heuristic",
    "mcts": "mcts:worlds=one,c={constant:g},seconds={thinktime:g}",
    "mctshe": "mcts:worlds=one,c={constant:g},seconds={thinktime:g},playout=heuristic",
    "nn": "net:weights=husa",
}
TOLD = {"no": "none", "set": "set", "game": "game"}
EXPECTED = "a board of Husa's program is an object with plan, phantom, detectives and game."


class _Part(BaseModel):
    model_config = ConfigDict(extra="ignore", frozen=True)


class _Link(_Part):
    stop: int = Field(ge=1)


class _Stop(_Part):
    stop: int = Field(ge=1, le=9999)
    init: bool = False
    taxi: list[_Link] = []
    tram: list[_Link] = []
    posX: float | None = None  # noqa: N815  (his names)
    posY: float | None = None  # noqa: N815


class _Tickets(_Part):
    taxi: int = Field(ge=0)
    tram: int = Field(ge=0)


class _Detectives(_Tickets):
    count: int = Field(ge=1)


class _Game(_Part):
    turns: int = Field(ge=1)
    reveals: list[int] = []


class _Board(_Part):
    plan: list[_Stop] = Field(min_length=2)
    phantom: _Tickets
    detectives: _Detectives
    game: _Game


def board(file: str | Path) -> dict[str, Any]:
    """A board of his as the definition of one of ours, played by the rules of his program."""
    found = jsonfile.read(file).validated(_Board, EXPECTED)
    used = [name for name in TRANSPORTS if any(getattr(stop, name) for stop in found.plan)]
    drawn = all(stop.posX is not None and stop.posY is not None for stop in found.plan)
    rules = {
        "detectives": found.detectives.count,
        "rounds": found.game.turns,
        "reveals": sorted(set(found.game.reveals)) or "none",
        "hand_over": True,
        "step_on_detective": True,
        "closing_move": True,
        "stuck_detectives": "pass",
        "tickets": {
            "mr_x": {name: getattr(found.phantom, name) for name in used},
            "detectives": {name: getattr(found.detectives, name) for name in used},
        },
    }
    return {
        "game": "scotland-yard",
        "name": Path(file).stem[:60],
        "about": "a board of Husa's program",
        "transports": [{"name": name} for name in used],
        "stations": [_station(stop, used, drawn) for stop in found.plan],
        "starts": [stop.stop for stop in found.plan if stop.init],
        "rules": rules,
    }


def _station(stop: _Stop, used: list[str], drawn: bool) -> dict[str, Any]:
    links = {name: sorted(link.stop for link in getattr(stop, name)) for name in used if getattr(stop, name)}
    place = {"x": stop.posX, "y": stop.posY} if drawn else {}
    return {"station": stop.stop, **place, "links": links}


def settings(file: str | Path) -> dict[str, Any]:
    """His config.ini as settings for `fogbound run`; `game` is the name of the board file that it gives."""
    config = ConfigParser()
    try:
        config.read_string(read_text(file))
    except NoIni as error:
        raise BadFile(str(file), "", f"this is no configuration: {str(error).splitlines()[0]}") from None
    if not config.has_option("GAME", "boardfile"):
        raise BadFile(str(file), "GAME", "boardfile is missing: it names the board that is played.")
    given = config["GAME"]
    games = given.get("gameset", "1")
    if games != "variants" and not (games.isdecimal() and int(games) > 0):
        raise BadFile(str(file), "GAME.gameset", f"“{games}” is neither a number of games nor `variants`.")
    found: dict[str, Any] = {"game": given["boardfile"], "agents": [_agent(config, side, str(file)) for side in SIDES]}
    found |= {"all_starts": True} if games == "variants" else {"games": int(games)}
    told, logged = (_level(given.get(name, "no"), name, str(file)) for name in ("cmd", "log"))
    found["log"] = max(told, logged, key=list(TOLD.values()).index)
    return found | ({"out": "logs"} if logged != "none" else {})


SIDES = {"PHANTOM": "phantom", "DETECTIVES": "detectives"}


def _agent(config: ConfigParser, section: str, file: str) -> str:
    kind = config.get(section, SIDES[section], fallback="random").strip().lower()
    if kind == "player":
        raise BadFile(file, f"{section}.{SIDES[section]}", "a person plays this side; play the board with `fogbound play`.")
    if kind not in AGENTS:
        raise BadFile(file, f"{section}.{SIDES[section]}", f"“{kind}” is not one of {', '.join(AGENTS)} and player.")
    try:
        numbers = {name: config.getfloat(section, name, fallback=default) for name, default in DEFAULTS.items()}
    except ValueError:
        raise BadFile(file, section, "thinktime and constant are numbers.") from None
    return AGENTS[kind].format(**numbers)


DEFAULTS = {"thinktime": 5.0, "constant": 1.4}


def _level(word: str, name: str, file: str) -> str:
    if word not in TOLD:
        raise BadFile(file, f"GAME.{name}", f"“{word}” is not one of {', '.join(TOLD)}.")
    return TOLD[word]


def save(definition: dict[str, Any], file: Path) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps(definition, indent=1) + "\n", encoding="utf-8")
