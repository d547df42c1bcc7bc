"""The published experiments, a module for each document: what was set up, and what was found.

A module whose EXPERIMENTS lists more of them is found by itself.
"""

from __future__ import annotations

import re
from functools import cache
from importlib import import_module
from pkgutil import iter_modules
from typing import Any

from fogbound.core.errors import UnknownName
from fogbound.lab.reproduce.comparison import DOCUMENTS, Experiment, Outcome


@cache
def experiments() -> tuple[Experiment, ...]:
    """All experiments, document by document."""
    modules = [import_module(f"{__name__}.{module.name}") for module in iter_modules(__path__)]
    found = [each for module in modules for each in getattr(module, "EXPERIMENTS", ())]
    return tuple(sorted(found, key=lambda e: (list(DOCUMENTS).index(e.id[0]), _order(e.id))))


def _order(name: str) -> list[Any]:
    """H6.2 before H6.10, and what is numbered before what is a picture."""
    return [(0, int(part)) if part.isdigit() else (1, part) for part in re.findall(r"\d+|[a-z]+", name[1:])]


def experiment(name: str) -> Experiment:
    """An experiment by its id, or by one of the ids that it covers, as in H6.f2."""
    for found in experiments():
        if name.lower() in {each.lower() for each in (found.id, *covered(found.id))}:
            return found
    raise UnknownName("experiment", name, [each.id for each in experiments()])


def covered(name: str) -> list[str]:
    """All ids that an id such as H6.f1/f2 or L7-L18 stands for."""
    head = name[0]
    parts = re.split(r"([/-])", name[1:])
    prefix = parts[0].rpartition(".")[0] + "." if "." in parts[0] else ""
    ids = [parts[0]]
    for mark, part in zip(parts[1::2], parts[2::2], strict=True):
        whole = part.removeprefix(head)
        whole = whole if "." in whole or not prefix else prefix + whole
        if mark == "-":
            ids += _between(ids[-1], whole)
        ids.append(whole)
    return [f"{head}{each}" for each in ids]


def _between(first: str, last: str) -> list[str]:
    start, end = re.search(r"\d+$", first), re.search(r"\d+$", last)
    assert start and end
    return [f"{first[: start.start()]}{number}" for number in range(int(start[0]) + 1, int(end[0]))]


def reproduce(name: str, games: int | None = None, full: bool = False, seed: int = 1, **playing: Any) -> Outcome:
    """Run a published experiment: ours beside theirs."""
    return experiment(name).run(games, full, seed, **playing)


__all__ = ["Experiment", "Outcome", "covered", "experiment", "experiments", "reproduce"]
