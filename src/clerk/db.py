"""Connections to the database, and the rows of ``sites`` as operators' scripts see them.

One engine per URL and process.  SQLite runs in WAL mode; a writing transaction takes its lock at
the start (``BEGIN IMMEDIATE``), because one that has read first cannot wait for the lock later.
"""

from __future__ import annotations

import contextlib
import os
import sqlite3
from collections.abc import Iterator, Mapping
from datetime import timedelta
from typing import Any

from sqlalchemy import (
    Connection,
    Engine,
    Row,
    create_engine,
    event,
    func,
    insert,
    or_,
    select,
    update,
)
from sqlalchemy.exc import DBAPIError, OperationalError, ProgrammingError

from . import config
from .clock import utc_now
from .errors import DatabaseUnavailable, SchemaOutdated, UnknownSite
from .models import runs_table, sites_table
from .stages import Run
from .storage import check_subdomain

_engines: dict[str, Engine] = {}

SQLITE_BUSY_MILLISECONDS = 60_000


def get_civic_db() -> Engine:
    """Return the engine for the database of the current settings."""
    return engine_for(config.load().sql_url)


def engine_for(url: str) -> Engine:
    """Return this process's engine for a URL, made once."""
    if url not in _engines:
        _engines[url] = _make_engine(url)
    return _engines[url]


def _make_engine(url: str) -> Engine:
    if url.startswith("sqlite"):
        engine = create_engine(url)
        event.listen(engine, "connect", _prepare_sqlite)
        event.listen(engine, "begin", _begin_sqlite)
        return engine
    return create_engine(url, pool_pre_ping=True, connect_args={"connect_timeout": 10})


def _prepare_sqlite(connection: sqlite3.Connection, _record: object) -> None:
    connection.isolation_level = None
    connection.execute(f"PRAGMA busy_timeout = {SQLITE_BUSY_MILLISECONDS}")
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = NORMAL")
    connection.execute("PRAGMA foreign_keys = ON")


def _begin_sqlite(conn: Connection) -> None:
    reads = conn.get_execution_options().get("clerk_reads", False)
    conn.exec_driver_sql("BEGIN" if reads else "BEGIN IMMEDIATE")


def _forget_engines() -> None:
    """Leave the parent's connections to the parent after a fork."""
    for engine in _engines.values():
        engine.dispose(close=False)
    _engines.clear()


os.register_at_fork(after_in_child=_forget_engines)


@contextlib.contextmanager
def civic_db_connection() -> Iterator[Connection]:
    """Give a connection in a transaction that is committed when the block succeeds."""
    with explained(), get_civic_db().begin() as conn:
        yield conn


@contextlib.contextmanager
def reading_connection() -> Iterator[Connection]:
    """Give a connection for reading, which on SQLite waits for no writer."""
    with explained(), get_civic_db().connect() as conn:
        yield conn.execution_options(clerk_reads=True)


@contextlib.contextmanager
def explained() -> Iterator[None]:
    """Turn what the driver says about an absent server or schema into clerk's own errors."""
    try:
        yield
    except (OperationalError, ProgrammingError) as error:
        explained = _explain(error)
        if explained is None:
            raise
        raise explained from error


def _explain(error: DBAPIError) -> DatabaseUnavailable | SchemaOutdated | None:
    said = str(error.orig)
    missing = "no such table" in said or "no such column" in said
    if missing or getattr(error.orig, "sqlstate", "") in ("42P01", "42703"):
        return SchemaOutdated(
            f"The database lacks what this clerk needs: {said.splitlines()[0]}.",
            hint="Run: clerk db upgrade",
        )
    if isinstance(error, OperationalError) and _is_connection_trouble(error, said):
        return unavailable(said)
    return None


def _is_connection_trouble(error: OperationalError, said: str) -> bool:
    return error.connection_invalidated or error.statement is None or "unable to open" in said


def unavailable(said: str) -> DatabaseUnavailable:
    """Say which database does not answer, where it was named, and what to do."""
    settings = config.load()
    return DatabaseUnavailable(
        f"The database {config.redact(settings.sql_url)} does not answer: {said.splitlines()[0]}",
        hint=f"Start it, or correct DATABASE_URL (set by {settings.origin('database_url')}).",
    )


def lock_site(conn: Connection, subdomain: str) -> None:
    """Keep others that lock the site out until this transaction ends."""
    if conn.dialect.name == "postgresql":
        key = func.hashtextextended(subdomain, 0)
        conn.execute(select(func.pg_advisory_xact_lock(key)))


def upsert_site(conn: Connection, site: Mapping[str, Any]) -> None:
    """Insert a site, or update the columns given of the one that is there."""
    subdomain = check_subdomain(site["subdomain"])
    if get_site_by_subdomain(conn, subdomain) is None:
        conn.execute(insert(sites_table).values(**site))
    else:
        update_site(conn, subdomain, site)


def update_site(conn: Connection, subdomain: str, updates: Mapping[str, Any]) -> None:
    """Update columns of a site, or refuse an unknown one by name."""
    changed = conn.execute(
        update(sites_table).where(sites_table.c.subdomain == subdomain).values(**updates)
    )
    if changed.rowcount == 0:
        raise unknown_site(subdomain)


def get_site_by_subdomain(conn: Connection, subdomain: str) -> dict[str, Any] | None:
    """Return the site's row as a dict, or None."""
    row = conn.execute(select(sites_table).where(sites_table.c.subdomain == subdomain)).first()
    return _as_dict(row)


def require_site(conn: Connection, subdomain: str) -> dict[str, Any]:
    """Return the site's row as a dict, or refuse an unknown one by name."""
    site = get_site_by_subdomain(conn, subdomain)
    if site is None:
        raise unknown_site(subdomain)
    return site


def unknown_site(subdomain: str) -> UnknownSite:
    """Say that there is no such site and how to find those there are."""
    return UnknownSite(f"There is no site {subdomain!r}.", hint="List the sites: clerk site list")


def get_oldest_site(lookback_hours: float = 23) -> str | None:
    """Return the site that was updated longest ago, never-updated ones first, or None.

    Sites updated within the lookback, and those in an active run, are passed over.
    """
    cutoff = utc_now() - timedelta(hours=lookback_hours)
    updated_at = sites_table.c.updated_at
    active = select(runs_table.c.subdomain).where(runs_table.c.state == Run.ACTIVE)
    with reading_connection() as conn:
        return conn.execute(
            select(sites_table.c.subdomain)
            .where(or_(updated_at.is_(None), updated_at < cutoff))
            .where(sites_table.c.subdomain.not_in(active))
            .order_by(updated_at.asc().nulls_first(), sites_table.c.subdomain)
            .limit(1)
        ).scalar()


def _as_dict(row: Row[Any] | None) -> dict[str, Any] | None:
    return None if row is None else dict(row._mapping)
