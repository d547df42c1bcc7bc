"""Thinking in worker processes: whoever dies, hangs or fails is replaced, and nobody takes more than his share."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from fogbound.core import registry
from fogbound.core.errors import FogboundError
from fogbound.server import thinking
from fogbound.server.lobby import Lobby
from fogbound.server.storage import Storage
from fogbound.server.table import GameTable, digest
from fogbound.server.thinking import NoAnswer, Terms, Thinkers
from fogbound.server.thoughts import view_from, view_json
from tests.server.inside import Watcher, in_a_loop, with_worker
from tests.server.running import sqlite

GAME = "scotland-yard/grid3:detectives=1,rounds=2"
AGENTS = """
import os, pathlib, time
from fogbound.core.agent import Agent, Decision, Options
class Greedy(Agent):
    name, about, options_model = "greedy", "plays the first move", Options
    def decide(self, view):
        print("what agents print must not disturb the answers")
        return Decision(self.game.legal(view.state)[0])
class Dies(Greedy):
    def decide(self, view):
        if not pathlib.Path(MARK).exists():
            pathlib.Path(MARK).touch()
            os._exit(7)
        return super().decide(view)
class Hangs(Greedy):
    def decide(self, view):
        time.sleep(1000)
class Fails(Greedy):
    def decide(self, view):
        raise ZeroDivisionError("secret")
class Cheats(Greedy):
    def decide(self, view):
        return Decision(10**9)
"""


@pytest.fixture(scope="module")
def agents(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A module with agents of one's own, as `--against my_agents.Greedy` finds them."""
    folder = tmp_path_factory.mktemp("agents")
    (folder / "own_agents.py").write_text(AGENTS.replace("MARK", repr(str(folder / "mark"))))
    sys.path.insert(0, str(folder))
    yield folder / "mark"
    sys.path.remove(str(folder))


def asked(agent: str) -> dict[str, Any]:
    match = registry.game(GAME).new(seed=1)
    return {"view": view_json(match.view(match.to_move)), "table": "t", "agent": f"own_agents.{agent}", "seed": 1}


def first_move() -> int:
    match = registry.game(GAME).new(seed=1)
    return match.legal()[0].code


def test_a_view_arrives_as_it_was_sent() -> None:
    match = registry.game(GAME).new(seed=1)
    match.play(match.legal()[0])
    view = match.view(1)
    again = view_from(view_json(view))
    assert (again.seat, again.history, again.state.tobytes()) == (view.seat, view.history, view.state.tobytes())
    assert again.start.tobytes() == view.start.tobytes()
    assert again.game.definition() == view.game.definition()


def test_a_worker_that_dies_is_replaced_and_the_move_asked_again(agents: Path) -> None:
    assert with_worker(lambda thinkers: thinkers.ask("move", asked("Dies")))["action"] == first_move()
    assert agents.exists()


def test_a_worker_that_hangs_is_ended_and_the_next_one_thinks_on(agents: Path) -> None:
    async def work(thinkers: Thinkers) -> Any:
        assert (await thinkers.ask("move", asked("Greedy")))["action"] == first_move()
        with pytest.raises(NoAnswer):
            await thinkers.ask("move", asked("Hangs"), Terms(limit=0.5))
        return await thinkers.ask("move", asked("Greedy"))

    assert with_worker(work)["action"] == first_move()


def test_a_thought_that_nobody_wants_any_more_frees_its_place(agents: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(thinking, "GRACE", 0.1)

    async def work(thinkers: Thinkers) -> Any:
        await thinkers.ask("move", asked("Greedy"))
        thoughts = [asyncio.create_task(thinkers.ask("move", asked("Hangs"))) for _ in range(3)]
        await asyncio.sleep(0.1)
        for thought in thoughts:
            thought.cancel()
        await asyncio.gather(*thoughts, return_exceptions=True)
        assert thinkers.waiting == []
        return await thinkers.ask("move", asked("Greedy"))

    assert with_worker(work)["action"] == first_move()


@pytest.mark.parametrize("agent", ["Fails", "Cheats"])
def test_faults_of_agents_are_told(agents: Path, agent: str) -> None:
    with pytest.raises(FogboundError, match=r"ZeroDivisionError|illegal move"):
        with_worker(lambda thinkers: thinkers.ask("move", asked(agent)))


async def own_table(storage: Storage, thinkers: Thinkers, agent: str) -> tuple[GameTable, str, Watcher]:
    lobby = Lobby(storage, thinkers, bot_delay=0.0)
    table, token = await lobby.create_own(registry.game(GAME), 0, agent, 1)
    watcher = Watcher(token)
    table.enter(watcher)
    return table, digest(token), watcher


def test_an_agent_that_fails_is_replaced_by_a_level_and_the_table_is_told(agents: Path, tmp_path: Path) -> None:
    async def work(thinkers: Thinkers) -> Any:
        storage = Storage(sqlite(tmp_path))
        table, token, watcher = await own_table(storage, thinkers, "own_agents.Fails")
        await table.play(token, first_move(), 0)
        await watcher.until(lambda: table.version >= 2)
        found = storage.load(table.id)
        storage.close()
        return table, watcher, found

    table, watcher, found = with_worker(work)
    assert table.row.seats[1].level == found.seats[1].level == "steady"
    assert watcher.told == [{"type": "notice", "text": "The agent of Detective 1 failed; Steady plays on for it."}]


def test_nobody_waits_for_others_agents(agents: Path, tmp_path: Path) -> None:
    async def work(thinkers: Thinkers) -> Any:
        thoughts = [asyncio.create_task(thinkers.ask("move", asked("Hangs"))) for _ in range(50)]
        storage = Storage(sqlite(tmp_path))
        table, token, _ = await own_table(storage, thinkers, "own_agents.Hangs")
        await table.play(token, first_move(), 0)
        storage.close()
        for thought in thoughts:
            thought.cancel()
        return table.version

    assert with_worker(work) == 1


def turns(asks: list[tuple[str, str]], seconds: dict[str, float]) -> list[tuple[str, str]]:
    """In which order one worker takes what addresses ask for their tables, if each thought takes so long."""

    async def order() -> list[tuple[str, str]]:
        thinkers, taken = Thinkers(1), []
        tasks = [asyncio.create_task(thinkers.ask("move", {}, Terms(payer, table))) for payer, table in asks]
        await asyncio.sleep(0)
        for _ in asks:
            idle = thinkers._idle[0] = asyncio.get_running_loop().create_future()
            thinkers._dispatch()
            thought = idle.result()
            payer, table = thought.terms.payer, thought.terms.table
            taken.append((payer, table))
            thinkers._addresses.end(payer, seconds[payer])
            thinkers._tables.end(table, seconds[payer])
            thought.answer.set_result(b"{}")
        await asyncio.gather(*tasks)
        return taken

    found: list[tuple[str, str]] = in_a_loop(order)
    return found


def test_addresses_and_their_tables_take_turns() -> None:
    asks = [("a", "1")] * 3 + [("a", "2")] * 2 + [("b", "3")] * 2
    assert turns(asks, {"a": 1.0, "b": 1.0}) == [
        ("a", "1"),
        ("b", "3"),
        ("a", "2"),
        ("b", "3"),
        ("a", "1"),
        ("a", "2"),
        ("a", "1"),
    ]


def test_who_asks_for_little_waits_little() -> None:
    taken = turns([("a", "1")] * 4 + [("b", "2")] * 4, {"a": 2.0, "b": 0.5})
    assert [payer for payer, _ in taken] == ["a", "b", "b", "b", "b", "a", "a", "a"]
