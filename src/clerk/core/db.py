"""Connections to the database, and the rows of ``sites`` as operators' scripts see them.

One engine per URL and process.  SQLite runs in WAL mode; a writing transaction takes its lock at
the start (``BEGIN IMMEDIATE``), because one that has read first cannot wait for the lock later.
"""

from __future__ import annotations

import contextlib
import json
import logging
import math
import os
import sqlite3
import time
import warnings
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any, cast

import msgspec
from sqlalchemy import (
    ARRAY,
    ColumnElement,
    Connection,
    Engine,
    Select,
    String,
    Subquery,
    Table,
    any_,
    bindparam,
    create_engine,
    event,
    func,
    literal,
    or_,
    select,
    text,
    update,
)
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.exc import ArgumentError, DBAPIError, InvalidatePoolError, OperationalError

from . import config
from .config import Settings
from .errors import (
    ClerkError,
    DatabaseUnavailable,
    DatabaseUnusable,
    InvalidInput,
    MissingTool,
    SchemaOutdated,
    UnknownSite,
)
from .models import db_now, jobs_table, runs_table, sites_table
from .site_extra import SiteRow
from .states import OCR, Kind, Run
from .storage import check_subdomain

log = logging.getLogger(__name__)

_engines: dict[str, Engine] = {}

SQLITE_BUSY_MILLISECONDS = 60_000
#: Several queries of a run go through all documents of a site: they read them where the system
#: keeps the file in memory, instead of copying them.
SQLITE_MAPPED_BYTES = 256 * 1024 * 1024
#: For what lies behind that in the file, and for what is written.
SQLITE_CACHE_KB = 32 * 1024
#: A connection that was used within this many seconds is handed out without a test.
TRUSTED_SECONDS = 1.0


def get_civic_db() -> Engine:
    """Return the engine for the database of the current settings."""
    with explained():
        return engine_for(config.current_sql_url())


def engine_for(url: str) -> Engine:
    """Return this process's engine for a URL, made once."""
    if url in _engines:
        return _engines[url]
    if url.startswith("sqlite"):
        engine = create_engine(url, json_deserializer=msgspec.json.decode)
        event.listen(engine, "connect", _prepare_sqlite)
        event.listen(engine, "begin", _begin_sqlite)
    else:
        try:
            engine = create_engine(url, connect_args={"connect_timeout": 10})
        except ModuleNotFoundError as error:
            raise MissingTool.packages_of("server", "PostgreSQL (DATABASE_URL)") from error
        event.listen(
            engine, "checkin", lambda _, record: record.info.update(used_at=time.monotonic())
        )
        event.listen(engine, "checkout", partial(_try_if_idle, engine.dialect))
    _engines[url] = engine
    return engine


_trusting = False


def trust_connections() -> None:
    """Do not try connections in steady use each time; for who waits and repeats when one breaks.

    To try it takes a third of the time of a short read.
    """
    global _trusting
    _trusting = True


def _try_if_idle(dialect: Any, connection: Any, record: Any, _proxy: object) -> None:
    """Test a connection before it is handed out: its server may have been restarted since."""
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
    connection.execute(f"PRAGMA cache_size = {-SQLITE_CACHE_KB}")
    connection.execute(f"PRAGMA mmap_size = {SQLITE_MAPPED_BYTES}")


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
def writing_to(url: str) -> Iterator[Connection]:
    """Give a connection to this database in a transaction, committed when the block succeeds."""
    with explained(), engine_for(url).begin() as conn:
        yield conn


@contextlib.contextmanager
def reading_connection(url: str | None = None) -> Iterator[Connection]:
    """Give a connection for reading, which on SQLite waits for no writer.

    PostgreSQL shows each statement what is committed then, with a transaction or without; without
    one it is not told where the reading begins and ends.
    """
    with explained(), (engine_for(url) if url else get_civic_db()).connect() as conn:
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
        raise _unusable(config.load(), str(error)) from error
    except DBAPIError as error:
        explained = _explain(config.load(), error)
        if explained is None:
            raise
        raise explained from error


#: What PostgreSQL calls a table or column that is not there, rights that are missing, a full disk.
_MISSING = ("42P01", "42703")
_NO_RIGHTS = ("42501",)
_DISK_FULL = ("53100",)
#: What SQLite and the drivers say about a database that will not do, whoever asks.
_NO_DATABASE = ("not a database", "readonly database", "malformed", "invalid connection option")


def _explain(settings: Settings, error: DBAPIError) -> ClerkError | None:
    said, state = str(error.orig), getattr(error.orig, "sqlstate", None)
    if state in _MISSING or "no such table" in said or "no such column" in said:
        return SchemaOutdated(
            f"The database lacks something that this version of clerk needs: {_first_line(said)}.",
            hint="Run: clerk db upgrade",
        )
    if state in _DISK_FULL or "disk is full" in said:
        return DatabaseUnavailable(
            f"The disk of the database {config.redact(settings.sql_url)} is full.",
            hint="Free space; the work continues by itself.",
        )
    if state in _NO_RIGHTS or any(words in said for words in _NO_DATABASE):
        return _unusable(settings, said)
    is_lost = error.connection_invalidated or error.statement is None or "unable to open" in said
    if not isinstance(error, OperationalError) or not is_lost:
        return None
    first = "Check its folder" if settings.sql_url.startswith("sqlite") else "Start it"
    return DatabaseUnavailable(
        f"The database {config.redact(settings.sql_url)} does not answer: {said.splitlines()[0]}",
        hint=f"{first}, or correct DATABASE_URL (from {settings.origin('database_url')}).",
    )


#: What PostgreSQL says to one of two transactions that wait for each other.
_DEADLOCK, _NOT_SERIALIZABLE = "40P01", "40001"


def is_temporary(error: Exception) -> bool:
    """Whether repeating helps: the server is away, or other transactions were in the way."""
    if isinstance(error, DatabaseUnavailable):
        return True
    if not isinstance(error, OperationalError):
        return False
    in_the_way = getattr(error.orig, "sqlstate", "") in (_DEADLOCK, _NOT_SERIALIZABLE)
    return in_the_way or "database is locked" in str(error.orig)


def _first_line(said: str) -> str:
    return said.strip().splitlines()[0].rstrip(".")


def _unusable(settings: Settings, said: str) -> DatabaseUnusable:
    return DatabaseUnusable(
        f"The database {config.redact(settings.sql_url)} cannot be used: {_first_line(said)}.",
        hint="Check the database and its permissions, or correct DATABASE_URL"
        f" (from {settings.origin('database_url')}).",
    )


def lock_site(conn: Connection, subdomain: str) -> None:
    """Keep others that lock the site out until this transaction ends."""
    if conn.dialect.name == "postgresql":
        key = func.hashtextextended(subdomain, 0)
        conn.execute(select(func.pg_advisory_xact_lock(key)))


def lock_sites(conn: Connection, subdomains: Sequence[str]) -> None:
    """Lock several sites, in an order that all who do so keep: none waits for another in turn."""
    if conn.dialect.name == "postgresql":
        names = func.unnest(literal(sorted(subdomains), ARRAY(String))).table_valued("name")
        ordered = select(names.c.name).order_by(names.c.name).subquery()
        key = func.hashtextextended(ordered.c.name, 0)
        conn.execute(select(func.pg_advisory_xact_lock(key)))


#: Columns of ``sites`` that only the old system used, and where their facts are now.
DEPRECATED_COLUMNS = {
    "status": "current_stage",
    "extraction_status": "extraction_total, extraction_completed and extraction_failed",
    "last_updated": "updated_at",
    "last_deployed": "updated_at and current_stage",
    "last_extracted": "updated_at and current_stage",
}


def without_deprecated(site: Mapping[str, object]) -> dict[str, object]:
    """Return the columns that clerk writes, and warn of each that it does not use any more."""
    for name in site.keys() & DEPRECATED_COLUMNS.keys():
        use = DEPRECATED_COLUMNS[name]
        message = f"The column {name} of sites is deprecated and was not written; use {use}."
        warnings.warn(message, DeprecationWarning, stacklevel=3)
        log.warning("%s", message)
    return {name: value for name, value in site.items() if name not in DEPRECATED_COLUMNS}


def upsert_site(conn: Connection, site: Mapping[str, Any]) -> None:
    """Insert a site, or update the columns given of the one that is there."""
    check_subdomain(site["subdomain"])
    columns = without_deprecated(site)
    inserted = insert_into(conn, sites_table).values(**columns)
    conn.execute(inserted.on_conflict_do_update(index_elements=["subdomain"], set_=columns))


def insert_site(conn: Connection, site: Mapping[str, Any]) -> None:
    """Insert a site; one that is there is an error of the database."""
    check_subdomain(site["subdomain"])
    conn.execute(sites_table.insert().values(**without_deprecated(site)))


def delete_site(conn: Connection, subdomain: str) -> None:
    """Delete a site with its runs, or refuse an unknown one by name; its files stay."""
    deleted = conn.execute(sites_table.delete().where(sites_table.c.subdomain == subdomain))
    if deleted.rowcount == 0:
        raise unknown_site(subdomain)


def get_all_sites(conn: Connection, order_by: str | None = None) -> list[SiteRow]:
    """Return every site as a dict, in the order of a column, else of their subdomains."""
    name = order_by or "subdomain"
    if name not in sites_table.c:
        raise InvalidInput(f"sites has no column {name!r} to order by.")
    rows = conn.execute(select(sites_table).order_by(sites_table.c[name], sites_table.c.subdomain))
    return [cast(SiteRow, dict(row._mapping)) for row in rows]


def update_site(conn: Connection, subdomain: str, updates: Mapping[str, object]) -> None:
    """Update columns of a site, or refuse an unknown one by name."""
    columns = without_deprecated(updates)
    if not columns:
        require_site(conn, subdomain)
        return
    changed = conn.execute(
        update(sites_table).where(sites_table.c.subdomain == subdomain).values(**columns)
    )
    if changed.rowcount == 0:
        raise unknown_site(subdomain)


_SITE = select(sites_table).where(sites_table.c.subdomain == bindparam("site"))


def get_site_by_subdomain(conn: Connection, subdomain: str) -> SiteRow | None:
    """Return the site's row as a dict, or None."""
    row = conn.execute(_SITE, {"site": subdomain}).mappings().first()
    return None if row is None else cast(SiteRow, dict(row))


def require_site(conn: Connection, subdomain: str) -> SiteRow:
    """Return the site's row as a dict, or refuse an unknown one by name."""
    site = get_site_by_subdomain(conn, subdomain)
    if site is None:
        raise unknown_site(subdomain)
    return site


def unknown_site(subdomain: str) -> UnknownSite:
    """Say that there is no such site and how to find those there are."""
    return UnknownSite(f"There is no site {subdomain!r}.", hint="List the sites: clerk site list")


def insert_into(conn: Connection, table: Table) -> postgresql.Insert | sqlite.Insert:
    """Return an INSERT that can be told what to do with rows that exist already."""
    if conn.dialect.name == "postgresql":
        return postgresql.insert(table)
    return sqlite.insert(table)


def among(
    conn: Connection, column: ColumnElement[str] | ColumnElement[int], values: Sequence[str | int]
) -> ColumnElement[bool]:
    """Return the condition that a column has one of many values, sent as one however many."""
    if conn.dialect.name == "postgresql":
        return column == any_(literal(list(values), ARRAY(column.type)))
    listed = func.json_each(json.dumps(list(values))).table_valued("value")
    return column.in_(select(listed.c.value))


def latest_runs(*columns: ColumnElement[Any]) -> Subquery:
    """Return each site with these columns of its last run, NULL if it had none.

    Each is looked up in the index: joined, all runs there ever were would be read.
    """
    runs, sites = runs_table.alias("every_run"), sites_table.alias("site_of_runs")
    newest = runs.c.epoch.desc()
    looked_up = [
        select(runs.c[str(each.key)])
        .where(runs.c.subdomain == sites.c.subdomain)
        .order_by(newest)
        .limit(1)
        .scalar_subquery()
        .label(each.key)
        for each in columns
    ]
    return select(sites.c.subdomain, *looked_up).subquery()


def latest_run_ids(site: str | None = None) -> Select[str]:
    """Return the query of the id of each site's last run, or of one site's; NULL if it has none."""
    runs, sites = runs_table.alias("every_run"), sites_table.alias("site_of_runs")
    last = select(runs.c.run_id).where(runs.c.subdomain == sites.c.subdomain)
    last = last.order_by(runs.c.epoch.desc()).limit(1)
    query = select(last.scalar_subquery().label("run_id")).select_from(sites)
    return query if site is None else query.where(sites.c.subdomain == site)


#: Written as the index is, so that PostgreSQL finds it.
_IS_READING = text(f"every_job.stage = '{OCR}' AND every_job.kind = '{Kind.STAGE}'")


def latest_readings() -> Subquery:
    """Return the job of each site's last reading: its id, NULL for a site that was never read.

    A run that is still fetching has no reading yet, so the one before is still the last.
    """
    jobs, sites = jobs_table.alias("every_job"), sites_table.alias("every_site")
    last = select(func.max(jobs.c.id)).where(jobs.c.subdomain == sites.c.subdomain, _IS_READING)
    return select(sites.c.subdomain, last.scalar_subquery().label("id")).subquery()


def documents_of_sites() -> Select[tuple[str, int, int, int]]:
    """Return the query of each site's documents: total, completed and failed.

    They are those of its last reading.  A site that was never read by this ledger has the counters
    that an older system left.
    """
    jobs, sites = jobs_table.alias("every_job"), sites_table
    counted = []
    for name in ("total", "completed", "failed"):
        last = select(jobs.c[name]).where(jobs.c.subdomain == sites.c.subdomain, _IS_READING)
        last = last.order_by(jobs.c.id.desc()).limit(1)
        found = func.coalesce(last.scalar_subquery(), sites.c[f"ocr_{name}"], 0)
        counted.append(found.label(name))
    return select(sites.c.subdomain, *counted)


def sites_in_a_run() -> Select[tuple[str]]:
    """Return the query of the sites whose run is under way."""
    return select(runs_table.c.subdomain).where(runs_table.c.state == Run.ACTIVE)


def get_oldest_site(lookback_hours: float = 23) -> str | None:
    """Return the site that was updated longest ago, never-updated ones first, or None.

    Sites updated within the lookback, and those in an active run, are skipped.
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
