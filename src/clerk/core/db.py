"""Connections to the database, and the rows of ``sites`` as operators' scripts see them.

One engine per URL and process.  SQLite runs in WAL mode; a writing transaction takes its lock at
the start (``BEGIN IMMEDIATE``), because one that has read first cannot wait for the lock later.
"""

from __future__ import annotations

import contextlib
import json
import math
import os
import sqlite3
import time
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from sqlalchemy import (
    ARRAY,
    ColumnElement,
    Connection,
    Engine,
    Row,
    Select,
    String,
    Subquery,
    and_,
    any_,
    bindparam,
    create_engine,
    event,
    func,
    literal,
    or_,
    select,
    update,
)
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.exc import ArgumentError, DBAPIError, InvalidatePoolError, OperationalError

from . import config
from .errors import ClerkError, DatabaseUnavailable, DatabaseUnusable, SchemaOutdated, UnknownSite
from .models import db_now, jobs_table, runs_table, sites_table
from .states import OCR, Kind, Run
from .storage import check_subdomain

_engines: dict[str, Engine] = {}

SQLITE_BUSY_MILLISECONDS = 60_000
#: A connection that was used so short ago is given out without being tried.
TRUSTED_SECONDS = 1.0


def get_civic_db() -> Engine:
    """Return the engine for the database of the current settings."""
    with explained():
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
    engine = create_engine(url, connect_args={"connect_timeout": 10})
    event.listen(engine, "checkin", _note_use)
    event.listen(engine, "checkout", partial(_try_if_idle, engine.dialect))
    return engine


_trusting = False


def trust_connections() -> None:
    """Do not try connections in steady use each time; for who waits and repeats when one breaks.

    To try it takes a third of the time of a short read.
    """
    global _trusting
    _trusting = True


def _note_use(_connection: object, record: Any) -> None:
    record.info["used_at"] = time.monotonic()


def _try_if_idle(dialect: Any, connection: Any, record: Any, _proxy: object) -> None:
    """Try a connection before it is given out: its server may have been restarted since."""
    trusted = TRUSTED_SECONDS if _trusting else 0.0
    if time.monotonic() - record.info.get("used_at", math.inf) < trusted:
        return
    try:
        dialect.do_ping(connection)
    except dialect.loaded_dbapi.Error as error:
        raise InvalidatePoolError from error


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
    """Leave the parent's connections, and its patience, to the parent after a fork."""
    global _trusting
    _trusting = False
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
    """Give a connection for reading, which on SQLite waits for no writer.

    PostgreSQL shows each statement what is committed then, with a transaction or without; without
    one it is not told where the reading begins and ends.
    """
    with explained(), get_civic_db().connect() as conn:
        if conn.dialect.name == "postgresql":
            yield conn.execution_options(isolation_level="AUTOCOMMIT")
        else:
            yield conn.execution_options(clerk_reads=True)


@contextlib.contextmanager
def snapshot_connection() -> Iterator[Connection]:
    """Give a connection for reading whose statements all see the same moment."""
    with explained(), get_civic_db().connect() as conn:
        if conn.dialect.name == "postgresql":
            yield conn.execution_options(isolation_level="REPEATABLE READ")
        else:
            yield conn.execution_options(clerk_reads=True)


@contextlib.contextmanager
def explained() -> Iterator[None]:
    """Turn what the driver says about a database that cannot be used into clerk's own errors.

    What it says about one statement (a conflict, a deadlock) is left as it is.
    """
    try:
        yield
    except ArgumentError as error:
        raise _unusable(str(error)) from error
    except DBAPIError as error:
        explained = _explain(error)
        if explained is None:
            raise
        raise explained from error


#: What PostgreSQL calls a table or column that is not there, and rights that are missing.
_MISSING = ("42P01", "42703")
_NO_RIGHTS = ("42501",)
#: What SQLite and the drivers say about a database that will not do, whoever asks.
_NO_DATABASE = ("not a database", "readonly database", "malformed", "invalid connection option")


def _explain(error: DBAPIError) -> ClerkError | None:
    said, state = str(error.orig), getattr(error.orig, "sqlstate", None)
    if state in _MISSING or "no such table" in said or "no such column" in said:
        return SchemaOutdated(
            f"The database lacks what this clerk needs: {_first_line(said)}.",
            hint="Run: clerk db upgrade",
        )
    if state in _NO_RIGHTS or any(words in said for words in _NO_DATABASE):
        return _unusable(said)
    if isinstance(error, OperationalError) and _is_connection_trouble(error, said):
        return unavailable(said)
    return None


def _is_connection_trouble(error: OperationalError, said: str) -> bool:
    return error.connection_invalidated or error.statement is None or "unable to open" in said


def _first_line(said: str) -> str:
    return said.strip().splitlines()[0].rstrip(".")


def _unusable(said: str) -> DatabaseUnusable:
    settings = config.load()
    return DatabaseUnusable(
        f"The database {config.redact(settings.sql_url)} cannot be used: {_first_line(said)}.",
        hint="Mend it or its permissions, or correct DATABASE_URL"
        f" (set by {settings.origin('database_url')}).",
    )


def unavailable(said: str) -> DatabaseUnavailable:
    """Say which database does not answer, where it was named, and what to do."""
    settings = config.load()
    mend = "Mend its folder" if settings.sql_url.startswith("sqlite") else "Start it"
    return DatabaseUnavailable(
        f"The database {config.redact(settings.sql_url)} does not answer: {said.splitlines()[0]}",
        hint=f"{mend}, or correct DATABASE_URL (set by {settings.origin('database_url')}).",
    )


def lock_site(conn: Connection, subdomain: str) -> None:
    """Keep others that lock the site out until this transaction ends."""
    if conn.dialect.name == "postgresql":
        key = func.hashtextextended(subdomain, 0)
        conn.execute(select(func.pg_advisory_xact_lock(key)))


def upsert_site(conn: Connection, site: Mapping[str, Any]) -> None:
    """Insert a site, or update the columns given of the one that is there."""
    check_subdomain(site["subdomain"])
    insert = postgresql.insert if conn.dialect.name == "postgresql" else sqlite.insert
    conn.execute(
        insert(sites_table)
        .values(**site)
        .on_conflict_do_update(index_elements=["subdomain"], set_=dict(site))
    )


def update_site(conn: Connection, subdomain: str, updates: Mapping[str, Any]) -> None:
    """Update columns of a site, or refuse an unknown one by name."""
    changed = conn.execute(
        update(sites_table).where(sites_table.c.subdomain == subdomain).values(**updates)
    )
    if changed.rowcount == 0:
        raise unknown_site(subdomain)


_SITE = select(sites_table).where(sites_table.c.subdomain == bindparam("site"))


def get_site_by_subdomain(conn: Connection, subdomain: str) -> dict[str, Any] | None:
    """Return the site's row as a dict, or None."""
    return _as_dict(conn.execute(_SITE, {"site": subdomain}).first())


def require_site(conn: Connection, subdomain: str) -> dict[str, Any]:
    """Return the site's row as a dict, or refuse an unknown one by name."""
    site = get_site_by_subdomain(conn, subdomain)
    if site is None:
        raise unknown_site(subdomain)
    return site


def unknown_site(subdomain: str) -> UnknownSite:
    """Say that there is no such site and how to find those there are."""
    return UnknownSite(f"There is no site {subdomain!r}.", hint="List the sites: clerk site list")


def among(conn: Connection, column: ColumnElement[str], words: Sequence[str]) -> Any:
    """Return the condition that a column is one of many words, sent as one value however many."""
    if conn.dialect.name == "postgresql":
        return column == any_(literal(list(words), ARRAY(String)))
    listed = func.json_each(json.dumps(list(words))).table_valued("value")
    return column.in_(select(listed.c.value))


def latest_runs(*columns: ColumnElement[Any]) -> Subquery:
    """Return the last run of each site, with these columns beside its site and epoch."""
    runs = runs_table
    last = (
        select(runs.c.subdomain, func.max(runs.c.epoch).label("epoch"))
        .group_by(runs.c.subdomain)
        .subquery()
    )
    same = and_(last.c.subdomain == runs.c.subdomain, last.c.epoch == runs.c.epoch)
    return select(runs.c.subdomain, runs.c.epoch, *columns).join(last, same).subquery()


def _last_reading_ids() -> Subquery:
    jobs = jobs_table
    return (
        select(jobs.c.subdomain, func.max(jobs.c.id).label("id"))
        .where(jobs.c.stage == OCR, jobs.c.kind == Kind.STAGE)
        .group_by(jobs.c.subdomain)
        .subquery()
    )


def latest_readings(*columns: ColumnElement[Any]) -> Subquery:
    """Return the last reading of each site: its job's id, with these columns beside its site.

    A run that is still fetching has no reading yet, so the one before is still the last.
    """
    last = _last_reading_ids()
    return (
        select(last.c.id, last.c.subdomain, *columns)
        .join(jobs_table, jobs_table.c.id == last.c.id)
        .subquery()
    )


def documents_of_sites() -> Select[tuple[str, int, int, int]]:
    """Return the query of each site's documents: total, completed and failed.

    They are those of its last reading.  A site that was never read by this ledger has the counters
    that an older system left.
    """
    jobs, sites, last = jobs_table, sites_table, _last_reading_ids()
    counted = [
        func.coalesce(jobs.c[name], sites.c[f"ocr_{name}"], 0).label(name)
        for name in ("total", "completed", "failed")
    ]
    # Joined by the ids first: joined as one, SQLite would go through all jobs for every site.
    return (
        select(sites.c.subdomain, *counted)
        .join(last, last.c.subdomain == sites.c.subdomain, isouter=True)
        .join(jobs, jobs.c.id == last.c.id, isouter=True)
    )


def sites_in_a_run() -> Select[tuple[str]]:
    """Return the query of the sites whose run is under way."""
    return select(runs_table.c.subdomain).where(runs_table.c.state == Run.ACTIVE)


def get_oldest_site(lookback_hours: float = 23) -> str | None:
    """Return the site that was updated longest ago, never-updated ones first, or None.

    Sites updated within the lookback, and those in an active run, are passed over.
    """
    cutoff = db_now(-3600.0 * lookback_hours)
    updated_at = sites_table.c.updated_at
    with reading_connection() as conn:
        return conn.execute(
            select(sites_table.c.subdomain)
            .where(or_(updated_at.is_(None), updated_at < cutoff))
            .where(sites_table.c.subdomain.not_in(sites_in_a_run()))
            .order_by(updated_at.asc().nulls_first(), sites_table.c.subdomain)
            .limit(1)
        ).scalar()


def _as_dict(row: Row[Any] | None) -> dict[str, Any] | None:
    return None if row is None else dict(row._mapping)
