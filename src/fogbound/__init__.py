"""Fogbound: strategy board games where you cannot see everything.

import fogbound as fb

game = fb.game("scotland-yard/plan1")
match = game.new(seed=7)
record = fb.play(game, ["heuristic", "random"], seed=1)
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

import fogbound.catalogue  # noqa: F401  (makes the games and agents known)

if TYPE_CHECKING:
    from fogbound.core.agent import Agent, Budget, Decision, Options, PolicyAgent
    from fogbound.core.contract import Action, Game, Rules
    from fogbound.core.errors import BadFile, BadOption, DamagedRecord, FogboundError, IllegalMove, UnknownName
    from fogbound.core.match import Match
    from fogbound.core.record import Record, load
    from fogbound.core.registry import agent, families, game, register_agent, register_family
    from fogbound.core.runner import all_starts, play, play_set
    from fogbound.core.view import View

    __version__: str

# Names are fetched when they are first asked for: `fogbound --help` must not wait for a compiler.
_HOMES = {
    "fogbound.core.agent": ("Agent", "Budget", "Decision", "Options", "PolicyAgent"),
    "fogbound.core.contract": ("Action", "Game", "Rules"),
    "fogbound.core.errors": ("BadFile", "BadOption", "DamagedRecord", "FogboundError", "IllegalMove", "UnknownName"),
    "fogbound.core.match": ("Match",),
    "fogbound.core.record": ("Record", "load"),
    "fogbound.core.registry": ("agent", "families", "game", "register_agent", "register_family"),
    "fogbound.core.runner": ("all_starts", "play", "play_set"),
    "fogbound.core.view": ("View",),
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}
_ROOMS = ("lab", "solve")


def __getattr__(name: str) -> Any:
    if name in _ROOMS:
        return import_module(f"fogbound.{name}")
    if name == "__version__":
        return _version()
    if name not in _HOME_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found = globals()[name] = getattr(import_module(_HOME_OF[name]), name)
    return found


def _version() -> str:
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("fogbound")
    except PackageNotFoundError:  # run from a source tree that is not installed
        return "0"


def __dir__() -> list[str]:
    return sorted({*globals(), *_HOME_OF, *_ROOMS})


__all__ = [
    "Action",
    "Agent",
    "BadFile",
    "BadOption",
    "Budget",
    "DamagedRecord",
    "Decision",
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
    "agent",
    "all_starts",
    "families",
    "game",
    "load",
    "play",
    "play_set",
    "register_agent",
    "register_family",
]
