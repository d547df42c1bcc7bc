"""Boards of any game: finding them, reading and checking their files, and applying the options of a spec.

A game describes its boards once, as a `Boards`: the model of a file, the checks that turn a file into
a board, and the boards that it generates. What each game's board class must offer is in `Board`.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any, Generic, Protocol, Self, TypeVar

from pydantic import BaseModel, ConfigDict

from fogbound.core import jsonfile
from fogbound.core.errors import BadOption, FogboundError, UnknownName, short
from fogbound.core.jsonfile import JsonFile

Place = list[str | int]


class FileModel(BaseModel):
    """A part of a board file: every key is known, and every value has the type that it should have."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class Board(Protocol):
    """A checked board with its rules."""

    @property
    def name(self) -> str: ...

    @property
    def about(self) -> str: ...

    @property
    def rules(self) -> BaseModel: ...

    def definition(self) -> dict[str, Any]:
        """The board as the JSON of a board file, with nothing left to be looked up."""

    def changes(self, options: Mapping[str, str]) -> dict[str, Any]:
        """The rules that options of a spec set, checked one by one."""

    def with_rules(self, changes: Mapping[str, Any]) -> Self:
        """The board with some of its rules changed."""

    def rule_problems(self) -> Iterator[tuple[Place, str]]:
        """What is wrong with the rules as a whole: the place in a file, and the sentence."""


B = TypeVar("B", bound=Board)
Node = TypeVar("Node", bound=Hashable)


@dataclass(frozen=True, eq=False)
class Boards(Generic[B]):
    """All boards of one game: shipped, generated, or from a file."""

    family: str
    noun: str
    """What the game calls a board."""
    package: str
    """Where its folder of shipped boards is."""
    model: type[BaseModel]
    """The content of a board file; it has at least `like` and `rules`."""
    make: Callable[[JsonFile, Any], B]
    """The board of a file that fits the model; BadFile if there is something else wrong with it."""
    shape: tuple[str, ...]
    """The keys of a file that a board takes from another one if it is like it."""
    generated: Mapping[str, str]
    """The names of generated boards, with a line about each."""
    generate: Callable[[str, Mapping[str, str]], B | None]
    """The generated board of this name, made by the generator's options; None if no generator has the name."""
    generator_options: Mapping[str, tuple[str, ...]]
    """Options that are only for some of the generated boards, by the board's name."""

    def schema(self) -> dict[str, Any]:
        """The JSON Schema of a board file."""
        return jsonfile.schema_of(self.model)

    def shipped(self) -> dict[str, str]:
        """The boards that come with Fogbound, and a line about each."""
        return {**{name: _shipped(self, name).about for name in self._names()}, **self.generated}

    def load(self, name: str, options: Mapping[str, str]) -> B:
        """A shipped board, a generated one or a board file, with the options of a spec."""
        making = {key: value for key, value in options.items() if key in self.generator_options.get(name, ())}
        rules = {key: value for key, value in options.items() if key not in making}
        for key in rules:
            only = ", ".join(f"{self.family}/{each}" for each, names in self.generator_options.items() if key in names)
            if only:
                raise BadOption(f"The option “{key}” is only for {only}, not for {self.family}/{short(name)}.")
        is_file = jsonfile.names_file(name)
        board = None if is_file else self.generate(name, making)
        if board is None:
            board = self.check(jsonfile.read(name)) if is_file else _shipped(self, name)
        return self.with_options(board, rules)

    def rebuild(self, definition: Mapping[str, Any]) -> B:
        """A board from its definition."""
        return self.check(jsonfile.parse(json.dumps(definition), f"the record's {self.noun}"))

    def check(self, file: JsonFile) -> B:
        """A board from a file's data; BadFile with everything that is wrong."""
        example = f'{{"game": "{self.family}", ...}}'
        parsed: Any = file.validated(self.model, f"a {self.noun} file is one JSON object: {example}.")
        with file.all_told():
            board = self.make(file, self._completed(file, parsed) if parsed.like else parsed)
            told = {problem.sentence for problem in file.noted}
            for place, sentence in board.rule_problems():
                if sentence not in told:
                    file.note(place, sentence)
        return board

    def with_options(self, board: B, options: Mapping[str, str]) -> B:
        """A board with rules given as text, as after the colon of a spec."""
        if not options:
            return board
        changed = board.with_rules(board.changes(options))
        problem = next(iter(changed.rule_problems()), None)
        if problem:
            raise FogboundError(f"{self.family}/{board.name} cannot be played with these options: {problem[1]}")
        return changed

    def _completed(self, file: JsonFile, parsed: Any) -> BaseModel:
        """The content of a file that is like another board, with what that one adds."""
        try:
            base = self.generate(parsed.like, {}) or _shipped(self, parsed.like)
        except FogboundError as error:
            raise file.problem(["like"], str(error)) from None
        for key in self.shape:
            if key in file.data:
                file.note([key], f"a {self.noun} that is “like” another cannot have {key} of its own.")
        own = parsed.model_dump(exclude_unset=True, exclude={"like", "rules"})
        rules = base.with_rules(parsed.rules.model_dump(exclude_unset=True)).rules
        return self.model.model_validate({**base.definition(), **own, "rules": rules.model_dump()})

    def _folder(self) -> Any:
        return resources.files(self.package).joinpath("boards")

    def _names(self) -> list[str]:
        files = [file.name for file in self._folder().iterdir()]
        return sorted(name.removesuffix(".json") for name in files if name.endswith(".json"))


@cache
def _shipped(boards: Boards[B], name: str) -> B:
    names = boards._names()
    if name in boards.generated:
        raise FogboundError(f"{boards.family}/{name} stands for many boards: {boards.generated[name]}.")
    if name not in names:
        known = [*names, *boards.generated, "a file ending in .json"]
        raise UnknownName(boards.noun, name, known, f"of {boards.family}")
    text = (boards._folder() / f"{name}.json").read_text(encoding="utf-8")
    return boards.check(jsonfile.parse(text, f"{name}.json"))


# Checks that the files of several games need.


def check_coordinates(file: JsonFile, key: str, entries: Sequence[Any], noun: str) -> None:
    """Either every entry says where it is drawn, or none does."""
    for index, entry in enumerate(entries):
        if (entry.x is None) != (entries[0].x is None) or (entry.x is None) != (entry.y is None):
            file.note([key, index], f"give x and y to every {noun}, or to none.")
            return


def check_links(file: JsonFile, place: Place, link: str, here: Node, links: Mapping[Node, Collection[Node]]) -> None:
    """The links of one node lead to others, each is listed once, and each is listed at its other end too."""
    seen: set[Node] = set()
    for index, end in enumerate(links[here]):
        at = [*place, index]
        if end not in links:
            file.note(at, f"there is a {link} from {quoted(here)} to {quoted(end)}, which does not exist.")
        elif end == here:
            file.note(at, f"there is a {link} from {quoted(here)} to itself.")
        elif end in seen:
            file.note(at, f"the {link} from {quoted(here)} to {quoted(end)} is listed twice.")
        elif here not in links[end]:
            way, back = f"from {quoted(here)} to {quoted(end)}", f"from {quoted(end)} to {quoted(here)}"
            file.note(at, f"the {link} {way} is one-sided: there is no {link} {back}.")
        seen.add(end)


def check_connected(file: JsonFile, key: str, links: Mapping[Node, Iterable[Node]], start: Node, noun: str) -> None:
    """Every node can be reached from the start; nodes are in the order of the file.

    Nothing is said where links are wrong already, and one of several nodes out of reach stands for all.
    """
    if file.noted:
        return
    reached = connected(links.__getitem__, start)
    for index, node in enumerate(links):
        if node not in reached:
            far = f"{noun} {quoted(node)} cannot be reached from {noun} {quoted(start)}"
            file.note([key, index], f"not everything is connected: {far}.")
            return


def connected(links: Callable[[Node], Iterable[Node]], start: Node) -> set[Node]:
    """All nodes that can be reached from one."""
    reached, waiting = {start}, [start]
    while waiting:
        near = set(links(waiting.pop())) - reached
        reached |= near
        waiting.extend(near)
    return reached


def quoted(name: Any) -> str:
    """A name in quotes, a number as it is."""
    return f"“{short(name)}”" if isinstance(name, str) else str(name)
