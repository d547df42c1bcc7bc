"""Where the games and agents that come with Fogbound live, by name. Naming them loads nothing: the registry does that."""

from __future__ import annotations

ANY = "*"
families: dict[str, str] = {}
agents: dict[str, dict[str, str]] = {}


def register_family(name: str, place: str) -> None:
    """Make a game known: `place` is `module:attribute` of its Family."""
    families[name] = place


def register_agent(name: str, place: str, family: str = ANY) -> None:
    """Make an agent known, for one family of games or for any."""
    agents.setdefault(name, {})[family] = place
