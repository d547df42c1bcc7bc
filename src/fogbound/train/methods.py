"""Which learning methods exist, and their options from presets, files and single settings.

Each folder of a game registers the methods in it, as `METHODS` in its `__init__.py`.
"""

from __future__ import annotations

import importlib
import pkgutil
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from fogbound import train
from fogbound.core import registry, tomlfile
from fogbound.core.contract import Game
from fogbound.core.errors import FogboundError, UnknownName
from fogbound.core.tomlfile import Source
from fogbound.train.method import Learner, Options


def _registered() -> dict[str, str]:
    folders = [module.name for module in pkgutil.iter_modules(train.__path__) if module.ispkg]
    found: dict[str, str] = {}
    for name in folders:
        found |= importlib.import_module(f"{train.__name__}.{name}").METHODS
    return found


METHODS = _registered()  # `module:class` by name


def method(name: str) -> type[Learner]:
    """The learner behind a method's name."""
    if name not in METHODS:
        raise UnknownName("learning method", name, METHODS)
    module, _, attribute = METHODS[name].partition(":")
    try:
        found: type[Learner] = getattr(importlib.import_module(module), attribute)
    except ModuleNotFoundError as error:
        if error.name != "torch":
            raise
        raise FogboundError(f"{name} needs PyTorch, which is not installed: pip install 'fogbound[train]'.") from None
    return found


def learner(name: str, game: Game | str, options: Options) -> Learner:
    """A learner, ready to start."""
    found, played = method(name), registry.game(game)
    if played.family not in found.families:
        raise FogboundError(f"{name} learns {' and '.join(found.families)}, not {played.family}.")
    return found(played, options)


def options(
    name: str, preset: str | None = None, config: Path | None = None, settings: Sequence[str] = (), **given: Any
) -> Options:
    """A method's options: a preset's, then a file's, then single settings (`key=value`), the later ones winning."""
    found = method(name)
    data: dict[str, Any] = {}
    if preset is not None:
        if preset not in found.presets:
            raise UnknownName(f"preset of {name}", preset, found.presets)
        data |= found.presets[preset]
    source = Source(f"the options of {name}")
    if config is not None:
        read, from_file = tomlfile.read(config)
        tomlfile.checked(found.options_model, data | read, from_file)  # so that an error names the line in the file
        data |= read
    data |= dict(_setting(text) for text in settings)
    return tomlfile.checked(found.options_model, data | given, source)


def _setting(text: str) -> tuple[str, Any]:
    key, equals, value = text.partition("=")
    if not equals:
        raise FogboundError(f"“{text}” is not a setting: write key=value.")
    try:
        return key.strip(), tomllib.loads(f"value = {value}")["value"]
    except tomllib.TOMLDecodeError:  # a string without quotes
        return key.strip(), value.strip()


def changed(options: Options, saved: Mapping[str, Any]) -> list[str]:
    """Names of the options that differ from saved ones."""
    now = options.model_dump(mode="json")
    return [key for key in now if now[key] != saved.get(key)]
