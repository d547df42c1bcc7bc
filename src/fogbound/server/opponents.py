"""Agents that visitors may seat: which there are for a game, their options as a form, and what is too much to ask for.

A visitor's agent runs on the server's processors, so its budget is bounded, and no option may name a file.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from fogbound.core import registry
from fogbound.core.agent import Agent
from fogbound.core.contract import Game
from fogbound.core.errors import FogboundError
from fogbound.core.jsonfile import names_file

MOST: Mapping[str, float] = {
    "iterations": 50_000,
    "seconds": 5,
    "playouts": 2000,
    "threads": 1,
    "guesses": 32,
    "nodes": 1_000_000,
    "depth": 2000,
    "longest": 2000,
}
"""The most that a visitor may ask for, by an option's name."""
LONGEST = 200
_NUMBERS = re.compile(r"(\w+)=([0-9.eE+-]*[0-9])")


def offered(game: Game) -> list[dict[str, Any]]:
    """The agents for a game with what they are, where they come from, and their options."""
    found = []
    for name in registry.agents(game):
        made = registry.agent_class(name, game)
        if _is_safe(made):
            named = made.names(game)
            options = [
                {**each, "choices": named.get(each["name"], each["choices"])} for each in options_json(made.options_model)
            ]
            options = [each for each in options if each["choices"] or not _is_file(each)]
            found.append({"name": name, "about": made.about, "source": made.source, "options": options})
    return found


def _is_safe(agent: type[Agent]) -> bool:
    return agent.safe and not agent.asks_people and "command" not in agent.options_model.model_fields


def _is_file(option: Mapping[str, Any]) -> bool:
    return option["type"] == "string" and option["name"] in ("weights", "file", "command", "table")


def safe_agent(game: Game, spec: str) -> str:
    """An agent's spec from a visitor, if it is one that may be seated."""
    if len(spec) > LONGEST:
        raise FogboundError(f"An agent's spec can have {LONGEST} letters here.")
    name, text = registry.split_options(spec.strip())
    if "." in name or not _is_safe(registry.agent_class(name, game)):
        raise FogboundError(f"The agent “{name}” cannot be seated here.")
    for value in re.split(r"[=,+:]", text):
        if names_file(value) or re.fullmatch(r"[A-Za-z_]\w*(\.\w+)+", value):
            raise FogboundError("An agent's options cannot name files or classes here.")
        if value in registry.agents(game) and not _is_safe(registry.agent_class(value, game)):
            raise FogboundError(f"The agent “{value}” cannot be seated here.")
    for option, number in _NUMBERS.findall(text):
        most = MOST.get(option)
        if most is not None and not float(number) <= most:
            raise FogboundError(f"“{option}={number}” is too much here: the most is {most:g}.")
    model = registry.agent_class(name, game).options_model
    registry.checked(model, registry.parse_options(text, spec), f"agent “{name}”")
    return spec.strip()


def options_json(model: type[Any]) -> list[dict[str, Any]]:
    """A model's fields as controls: a name, what it is, its type, and what it can be."""
    schema = model.model_json_schema()
    definitions = schema.get("$defs", {})
    return [{"name": name, **_control(field, definitions)} for name, field in schema.get("properties", {}).items()]


def _control(field: Mapping[str, Any], definitions: Mapping[str, Any]) -> dict[str, Any]:
    inner = _inner(field, definitions)
    return {
        "about": field.get("description", ""),
        "default": field.get("default"),
        "type": inner.get("type"),
        "choices": inner.get("enum") or ([inner["const"]] if "const" in inner else None),
        "min": inner.get("minimum", inner.get("exclusiveMinimum")),
        "max": inner.get("maximum", inner.get("exclusiveMaximum")),
        "optional": any(each.get("type") == "null" for each in field.get("anyOf", ())),
    }


def _inner(field: Mapping[str, Any], definitions: Mapping[str, Any]) -> Mapping[str, Any]:
    """What a field holds, whether it may be left out or is defined elsewhere."""
    for each in (*field.get("anyOf", ()), *field.get("allOf", ())):
        if each.get("type") != "null":
            field = each
            break
    reference = str(field.get("$ref", ""))
    found: Mapping[str, Any] = definitions[reference.rpartition("/")[2]] if reference else field
    return found
