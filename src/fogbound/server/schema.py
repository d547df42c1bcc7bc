"""The form of the database, version by version: a database of any age becomes one of today when a server starts.

A new version is one more entry of statements that SQLite and PostgreSQL both understand. They only add: servers
that still run the version before must be able to go on beside it.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy import Connection, Engine, text

from fogbound.core.errors import FogboundError

log = logging.getLogger(__name__)
LOCK = 0x466F67626F756E64  # “Fogbound”: the number under which PostgreSQL lets one process at a time migrate

MIGRATIONS: tuple[tuple[str, ...], ...] = (
    (
        """CREATE TABLE IF NOT EXISTS fogbound_tables (
            id VARCHAR(16) NOT NULL PRIMARY KEY, spec TEXT NOT NULL, definition JSON NOT NULL, settings JSON NOT NULL,
            phase VARCHAR(16) NOT NULL, start JSON, created FLOAT NOT NULL)""",
        """CREATE TABLE IF NOT EXISTS fogbound_seats (
            table_id VARCHAR(16) NOT NULL, seat INTEGER NOT NULL, kind VARCHAR(16) NOT NULL, nickname TEXT NOT NULL,
            level VARCHAR(40), token VARCHAR(64), ready INTEGER NOT NULL, PRIMARY KEY (table_id, seat))""",
        """CREATE TABLE IF NOT EXISTS fogbound_moves (
            table_id VARCHAR(16) NOT NULL, number INTEGER NOT NULL, seat INTEGER NOT NULL, code BIGINT NOT NULL,
            chance JSON NOT NULL, PRIMARY KEY (table_id, number))""",
        """CREATE TABLE IF NOT EXISTS fogbound_chat (
            table_id VARCHAR(16) NOT NULL, number INTEGER NOT NULL, sender TEXT NOT NULL, text TEXT NOT NULL,
            time FLOAT NOT NULL, PRIMARY KEY (table_id, number))""",
    ),
    ("CREATE INDEX IF NOT EXISTS fogbound_tables_by_phase ON fogbound_tables (phase, created)",),
    (
        """CREATE TABLE IF NOT EXISTS fogbound_live (
            table_id VARCHAR(16) NOT NULL PRIMARY KEY, revision BIGINT NOT NULL, undone BIGINT NOT NULL,
            touched FLOAT NOT NULL, clock JSON, keeper VARCHAR(64), until FLOAT NOT NULL)""",
        """CREATE TABLE IF NOT EXISTS fogbound_present (
            table_id VARCHAR(16) NOT NULL, token VARCHAR(64) NOT NULL, node VARCHAR(32) NOT NULL, until FLOAT NOT NULL,
            PRIMARY KEY (table_id, token, node))""",
        """INSERT INTO fogbound_live (table_id, revision, undone, touched, until)
            SELECT id, 0, 0, 0.0, 0.0 FROM fogbound_tables""",
        """CREATE TABLE IF NOT EXISTS fogbound_thoughts (
            id VARCHAR(16) NOT NULL PRIMARY KEY, task VARCHAR(32) NOT NULL, given TEXT NOT NULL, payer VARCHAR(64) NOT NULL,
            table_id TEXT NOT NULL, seconds FLOAT NOT NULL, asked FLOAT NOT NULL, taken FLOAT NOT NULL, answer TEXT)""",
    ),
    (  # a table of its own: servers of the version before would show its lines to everybody
        """CREATE TABLE IF NOT EXISTS fogbound_team_chat (
            table_id VARCHAR(16) NOT NULL, number INTEGER NOT NULL, side INTEGER NOT NULL, sender TEXT NOT NULL,
            text TEXT NOT NULL, time FLOAT NOT NULL, PRIMARY KEY (table_id, number))""",
    ),
)


def upgrade(engine: Engine, migrations: tuple[tuple[str, ...], ...] = MIGRATIONS) -> None:
    """Bring a database to today's version, all of it or nothing; one process does so while others wait."""
    with _alone(engine) as connection:
        connection.execute(text("CREATE TABLE IF NOT EXISTS fogbound_schema (version INTEGER NOT NULL)"))
        version = connection.execute(text("SELECT max(version) FROM fogbound_schema")).scalar() or 0
        if version > len(migrations):
            raise FogboundError(
                f"The database has version {version} of its schema, and this Fogbound knows {len(migrations)}: "
                "it was used by a newer one. Install that, or take the backup from before."
            )
        for number, statements in enumerate(migrations[version:], version + 1):
            log.info("The database's schema becomes version %d", number)
            for statement in statements:
                connection.execute(text(statement))
            connection.execute(text("INSERT INTO fogbound_schema (version) VALUES (:version)"), {"version": number})


@contextmanager
def _alone(engine: Engine) -> Iterator[Connection]:
    """A transaction that no other process can be in at the same time, with everything in it taken back on an error."""
    if engine.dialect.name == "postgresql":
        with engine.begin() as connection:
            connection.execute(text("SELECT pg_advisory_xact_lock(:lock)"), {"lock": LOCK})
            yield connection
        return
    with engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        connection.execute(text("BEGIN IMMEDIATE"))  # Python's SQLite would begin only at the first row written
        try:
            yield connection
        except BaseException:
            connection.execute(text("ROLLBACK"))
            raise
        connection.execute(text("COMMIT"))
