"""The 42 cards: the goods of each and the actions that it allows."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any


@dataclass(frozen=True)
class Card:
    number: int
    good: str
    goods: int
    join: str
    """`single`, `or`, `and`: how its actions belong together."""
    actions: tuple[tuple[str, int], ...]
    players: int
    """It is in the game from this number of players on."""

    @property
    def goods_text(self) -> str:
        return self.good if self.goods == 1 else f"{self.goods} {self.good}"

    @property
    def action_text(self) -> str:
        return f" {self.join} ".join(name if name in ("city", "destroy") else f"{name} {n}" for name, n in self.actions)

    def __str__(self) -> str:
        return f"{self.goods_text}: {self.action_text}"


@cache
def all_cards(other_print: bool = False) -> tuple[Card, ...]:
    """Every card by its number; one of them was printed in two ways."""
    text = resources.files(__package__).joinpath("cards.json").read_text(encoding="utf-8")
    return tuple(_card(fact, other_print) for fact in json.loads(text)["cards"])


def _card(fact: dict[str, Any], other_print: bool) -> Card:
    printed = fact["other_print"] if other_print and "other_print" in fact else fact
    actions = tuple((name, n) for action in printed["actions"] for name, n in action.items())
    return Card(fact["card"], fact["good"], fact["goods"], printed["join"], actions, fact.get("players", 2))
