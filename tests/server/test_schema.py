"""The database's schema has a version: a database of any age becomes one of today, once, whoever else starts."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from sqlalchemy import Engine, create_engine, inspect, text

from fogbound.core.errors import FogboundError
from fogbound.server import storage
from fogbound.server.schema import MIGRATIONS, upgrade
from fogbound.server.storage import Storage
from tests.server.running import Server

OLD = Path(__file__).parent / "databases" / "version1.sql"


def before_versions(url: str) -> Engine:
    """A database as it was before its schema had a version, with games in it."""
    engine = create_engine(url)
    with engine.begin() as connection:
        for statement in OLD.read_text().partition("\n")[2].split(";\n"):
            connection.exec_driver_sql(statement)
    return engine


def version(engine: Engine) -> int:
    with engine.connect() as connection:
        found = connection.execute(text("SELECT version FROM fogbound_schema ORDER BY version")).scalars().all()
    assert list(found) == list(range(1, len(found) + 1))  # each was made once
    return len(found)


def test_a_database_from_before_versions_is_brought_up_and_its_games_are_all_there(url: str) -> None:
    engine = before_versions(url)
    stored = Storage(url)
    assert version(engine) == len(MIGRATIONS)
    found = stored.load("abcdefgh")
    assert found is not None
    assert (found.phase, found.start, len(found.moves)) == ("playing", [4, 7], 3)
    assert found.chat == [{"from": "Zoë", "text": "it's foggy 🌫", "time": 1760000001.25}]
    assert sorted(stored.unfinished()) == ["abcdefgh", "waiting2"]
    stored.close()
    Storage(url).close()  # and again: nothing is left to do
    assert version(engine) == len(MIGRATIONS)
    engine.dispose()


def test_a_game_from_before_versions_goes_on(url: str) -> None:
    before_versions(url).dispose()
    server = Server(url)
    try:
        client = server.client("abcdefgh", "token-1")
        table = client.turn()
        assert (table["version"], table["mine"], len(table["history"])) == (3, [1], 3)
        assert client.play(table["legal"][0]["code"])["version"] == 4
        client.close()
    finally:
        server.kill()


def test_the_migrations_make_what_the_storage_asks_for(url: str) -> None:
    engine = create_engine(url)
    upgrade(engine)
    found = inspect(engine)
    for table in storage.metadata.sorted_tables:
        made = {column["name"]: column for column in found.get_columns(table.name)}
        assert made.keys() == {column.name for column in table.columns}
        for column in table.columns:
            assert made[column.name]["nullable"] == column.nullable, column
            assert made[column.name]["type"].python_type is column.type.python_type, column
        assert found.get_pk_constraint(table.name)["constrained_columns"] == [c.name for c in table.primary_key]
    engine.dispose()


def test_a_migration_that_fails_leaves_everything_as_it_was(url: str) -> None:
    engine = before_versions(url)
    half = (*MIGRATIONS, ("CREATE TABLE fogbound_extra (id INTEGER)", "INSERT INTO nowhere VALUES (1)"))
    with pytest.raises(Exception, match="nowhere"):
        upgrade(engine, half)
    assert not {"fogbound_schema", "fogbound_extra"} & set(inspect(engine).get_table_names())
    upgrade(engine)
    assert version(engine) == len(MIGRATIONS)
    engine.dispose()


def test_a_database_of_a_newer_fogbound_is_refused_in_words(url: str) -> None:
    engine = create_engine(url)
    upgrade(engine, (*MIGRATIONS, ("CREATE TABLE fogbound_later (id INTEGER)",)))
    with pytest.raises(FogboundError, match="it was used by a newer one"):
        Storage(url)
    engine.dispose()


def test_servers_that_start_at_once_migrate_once(url: str) -> None:
    engine = before_versions(url)
    with ThreadPoolExecutor(8) as starting:  # each with connections of its own: to the database they are processes
        for storage in starting.map(Storage, [url] * 24):
            storage.close()
    assert version(engine) == len(MIGRATIONS)
    engine.dispose()
