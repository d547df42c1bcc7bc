"""Fogbound: strategy board games where you cannot see everything.

import fogbound as fb

game = fb.game("scotland-yard/plan1")
match = game.new(seed=7)
record = fb.play(game, ["heuristic", "random"], seed=1)
"""

from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from typing import Any

import fogbound.catalogue  # noqa: F401  (makes the games and agents known)
from fogbound.core.agent import Agent, Budget, Decision, Options, PolicyAgent
from fogbound.core.contract import Action, Game, Rules
from fogbound.core.env import Environment, env
from fogbound.core.errors import BadFile, BadOption, DamagedRecord, FogboundError, IllegalMove, UnknownName
from fogbound.core.match import Match
from fogbound.core.record import Record, load
from fogbound.core.registry import agent, families, game, register_agent, register_family
from fogbound.core.runner import all_starts, play, play_set
from fogbound.core.view import View
from fogbound.core.world import World

try:
    __version__ = version("fogbound")
except PackageNotFoundError:  # run from a source tree that is not installed
    __version__ = "0"


def __getattr__(name: str) -> Any:
    """Rooms that playing does not need are opened when they are first asked for."""
    if name in ("interop", "lab", "solve"):
        return import_module(f"fogbound.{name}")
    if name == "simulate":
        return import_module("fogbound.lab.simulate").simulate
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


__all__ = [
    "Action",
    "Agent",
    "BadFile",
    "BadOption",
    "Budget",
    "DamagedRecord",
    "Decision",
    "Environment",
    "FogboundError",
    "Game",
    "IllegalMove",
    "Match",
    "Options",
    "PolicyAgent",
    "Record",
    "Rules",
    "UnknownName",
    "View",
    "World",
    "agent",
    "all_starts",
    "env",
    "families",
    "game",
    "load",
    "play",
    "play_set",
    "register_agent",
    "register_family",
    "simulate",
]
