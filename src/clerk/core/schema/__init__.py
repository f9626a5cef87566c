"""The history of the schema: alembic revisions, run without any ``alembic.ini``.

::

    0001  the schema of an old installation          (an old database is taken over here)
    0002  pipeline columns and counters in ``sites``
    0003  clerk's own tables
    0004  drop ``site_progress``                     } skipped where data would be lost:
    0005  drop the legacy columns of ``sites``       } clerk db cleanup drops them later
    0006  sessions of the web pages
    0007  batches may be cancelled
    0008  uploads in the ledger of items
    0009  documents, their versions and parts, the outbox, the installation's id, hosts
    0010  ranks of runs, schedules of sites, problems that people are notified of
    0011  annotations that are kept when their page is read again
    0013  when documents were asked for
    0014  sums of old runs by day and site
    0015  what documents are: what their source and people say of them

Every upgrade ends at the newest revision; whether legacy data is left is seen from the tables, not
from the revision.  Every command asks whether it can work with the database, and few change it:
alembic is imported when there is something to change.
"""

from __future__ import annotations

import contextlib
import io
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from sqlalchemy import URL, Connection, Engine, func, inspect, select, text

from clerk.core import storage
from clerk.core.db import engine_for, explained
from clerk.core.distribution import install_command
from clerk.core.errors import InvalidInput, SchemaOutdated, SchemaTooNew
from clerk.core.models import metadata
from clerk.core.states import STAGES

from . import old_system

if TYPE_CHECKING:
    from alembic.config import Config

#: PostgreSQL's advisory lock on the schema; any number will do that nobody else uses.
UPGRADE_LOCK = 0x636C65726B

LEGACY = "0001"

#: Columns of ``sites`` that only the system before clerk used.
LEGACY_COLUMNS = ("status", "extraction_status", "last_updated", "last_deployed", "last_extracted")


@dataclass(frozen=True)
class Upgrade:
    """What an upgrade did: the revisions before and after, and the legacy data it left in place."""

    before: str | None
    after: str
    adopted: bool
    left: str = ""


def upgrade(engine: Engine) -> Upgrade:
    """Bring the database to the newest schema without losing anything.

    An old installation is taken over as it is: one without alembic's table, or with a revision of
    its own in it.  Legacy tables and columns are dropped only where they are empty.  A file that is
    not there yet appears with its newest schema: nobody meets it half made.
    """
    with explained(), _alone(engine):
        file = missing_file(engine)
        if file is None:
            return _upgrade(engine)
        storage.sweep_parts(file.parent)
        with storage.workplace(file) as folder:
            part = folder / file.name
            beside = engine_for(URL.create("sqlite", database=str(part)).render_as_string())
            done = _upgrade(beside)
            beside.dispose()
            part.rename(file)
        return done


def missing_file(engine: Engine) -> Path | None:
    """Return the file of an SQLite database that does not exist yet, or None."""
    file = _file(engine)
    return file if file and file.parent.is_dir() and not file.exists() else None


def _file(engine: Engine) -> Path | None:
    database = engine.url.database
    if engine.dialect.name != "sqlite" or not database:
        return None
    return Path(database.removeprefix("file:"))


def _upgrade(engine: Engine) -> Upgrade:
    """Decide first, then do everything in one transaction."""
    from alembic import command

    before = current(engine)
    with _reading(engine) as conn:
        tables = inspect(conn).get_table_names()
    # The sites of an old system are there, and neither clerk's own tables nor its revisions.
    adopted = "sites" in tables and "items" not in tables and before not in revisions()
    if adopted:
        with _reading(engine) as conn:
            old = old_system.recognise(conn, metadata.tables)
    else:
        _refuse_newer(engine)
    left = what_is_left(engine)
    config = _config(engine)
    config.attributes["keep_legacy"] = bool(left)
    with engine.begin() as conn:
        config.attributes["connection"] = conn
        if adopted:
            old_system.prepare(conn, old)
            command.stamp(config, LEGACY, purge=before is not None)
        command.upgrade(config, "head")
        if adopted:
            old_system.remember(conn, old, before)
    return Upgrade(before, current(engine) or "", adopted, left)


@contextlib.contextmanager
def _alone(engine: Engine) -> Iterator[None]:
    """Keep other upgrades of the database waiting until this one has finished."""
    if engine.dialect.name == "postgresql":
        with engine.connect() as conn:
            conn.execute(select(func.pg_advisory_xact_lock(UPGRADE_LOCK)))
            yield
    elif (file := _file(engine)) and file.parent.is_dir():
        with storage.only_one(file.parent):
            yield
    else:
        yield


def drop_legacy(engine: Engine, also: Callable[[Connection], None] = lambda conn: None) -> None:
    """Drop the legacy table and columns with their data, and do ``also``, in one transaction."""
    with explained(), _alone(engine), engine.begin() as conn:
        conn.execute(text("DROP TABLE IF EXISTS site_progress"))
        for name in _legacy_columns(conn):
            conn.execute(text(f"ALTER TABLE sites DROP COLUMN {name}"))
        # No old worker writes counters now.  SQLite cannot add a constraint to a table that others
        # refer to; there the ledger is the guard.
        for stage in STAGES if conn.dialect.name == "postgresql" else ():
            present = {each["name"] for each in inspect(conn).get_check_constraints("sites")}
            if f"ck_sites_{stage}" not in present:
                total = f"{stage}_completed + {stage}_failed"
                conn.execute(
                    text(f"UPDATE sites SET {stage}_total = {total} WHERE {total} > {stage}_total")
                )
                conn.execute(
                    text(
                        f"ALTER TABLE sites ADD CONSTRAINT ck_sites_{stage}"
                        f" CHECK ({total} <= {stage}_total)"
                    )
                )
        also(conn)


def has_legacy(engine: Engine) -> bool:
    """Whether the legacy table or columns are there, with data or without."""
    with _reading(engine) as conn:
        return inspect(conn).has_table("site_progress") or bool(_legacy_columns(conn))


def what_is_left(engine: Engine) -> str:
    """Describe the legacy data that dropping the legacy table and columns would lose."""
    left = []
    with _reading(engine) as conn:
        if inspect(conn).has_table("site_progress"):
            rows = conn.execute(text("SELECT count(*) FROM site_progress")).scalar_one()
            if rows:
                left.append(f"the table site_progress ({rows} rows)")
        legacy = _legacy_columns(conn)
        if legacy and conn.execute(text("SELECT count(*) FROM sites")).scalar_one():
            left.append(f"the columns {', '.join(legacy)} of sites")
    return " and ".join(left)


def _legacy_columns(conn: Connection) -> list[str]:
    found = inspect(conn)
    if not found.has_table("sites"):
        return []
    columns = {column["name"] for column in found.get_columns("sites")}
    return [name for name in LEGACY_COLUMNS if name in columns]


@contextlib.contextmanager
def _reading(engine: Engine) -> Iterator[Connection]:
    with explained(), engine.connect() as conn:
        yield conn.execution_options(clerk_reads=True)


def downgrade(engine: Engine, revision: str) -> None:
    """Go back to a revision, restoring structure.

    Columns and indexes of ``sites`` that were there before clerk stay, with their data.  Where it
    is not known which those are, it raises :class:`~clerk.core.errors.DowngradeRefused` and changes
    nothing.
    """
    from alembic import command
    from alembic.util.exc import CommandError

    try:
        with explained(), _alone(engine):
            command.downgrade(_config(engine), revision)
    except CommandError as error:
        raise InvalidInput(
            f"The schema cannot go back to {revision!r}: {error}.", hint="See: clerk db history"
        ) from error


#: What :func:`lost_with_the_way_back` counts: a table, and what its rows are.
_LOST = {
    "runs": "runs with their history",
    "stage_events": "events of the history",
    "quarantine": "documents remembered as failing or skipped",
    "schedules": "schedules",
    "annotation_projects": "annotation projects with everything in them",
    "annotation_uploads": "uploads of annotations",
    "tokens": "API tokens",
    "sessions": "logins",
    "audit": "entries of the audit log",
}


def lost_with_the_way_back(engine: Engine) -> list[str]:
    """Describe what going back to the old system removes; refuse where there is no way back."""
    lost = []
    with _reading(engine) as conn:
        recorded = old_system.adopted(conn)
        tables = inspect(conn).get_table_names()
        for name, what in _LOST.items():
            rows = 0
            if name in tables:
                rows = conn.execute(text(f"SELECT count(*) FROM {name}")).scalar_one()
            if rows:
                lost.append(f"{rows} {what}")
        columns = [each["name"] for each in inspect(conn).get_columns("sites")]
    added = [name for name in columns if ("column", name) not in recorded]
    if added:
        lost.append(f"the columns {', '.join(added)} of sites")
    gone = [name for kind, name in sorted(recorded) if kind == "table" and name not in tables]
    gone += [
        f"sites.{name}"
        for kind, name in sorted(recorded)
        if kind == "column" and name not in columns
    ]
    if gone:
        lost.append(f"{', '.join(gone)}: come back empty, clerk db cleanup dropped their content")
    return lost


def downgrade_to_old_system(engine: Engine) -> str:
    """Remove what clerk added, put the old revision back, and return it; empty if there was none.

    The old system's tables and columns stay with their data.  One transaction.
    """
    from alembic import command

    with explained(), _alone(engine):
        with _reading(engine) as conn:
            recorded = old_system.adopted(conn)
        config = _config(engine)
        with engine.begin() as conn:
            config.attributes["connection"] = conn
            command.downgrade(config, LEGACY)
            old_system.restore(conn, recorded)
    return next(name for kind, name in recorded if kind == "revision")


def current(engine: Engine) -> str | None:
    """Return the revision the database is at, or None for one without alembic's table.

    To ask for that of a file that is not there does not make it.
    """
    if missing_file(engine):
        return None
    with _reading(engine) as conn:
        if not inspect(conn).has_table("alembic_version"):
            return None
        found = conn.execute(text("SELECT version_num FROM alembic_version")).scalars()
        return " and ".join(sorted(found)) or None


def head() -> str:
    """Return the newest revision of this clerk."""
    return revisions()[-1]


def history() -> list[tuple[str, str]]:
    """Return (revision, what it does), oldest first."""
    from alembic.script import ScriptDirectory

    script = ScriptDirectory.from_config(_config(None))
    return [(each.revision, each.doc) for each in reversed(list(script.walk_revisions()))]


@lru_cache(maxsize=1)
def revisions() -> tuple[str, ...]:
    """Return the revisions of this clerk, oldest first, as their files are called."""
    files = (Path(__file__).parent / "versions").glob("[0-9]*_*.py")
    return tuple(sorted(file.name.partition("_")[0] for file in files))


def require_usable(engine: Engine) -> None:
    """Refuse a database this clerk cannot work with, and say what to do."""
    revision = _refuse_newer(engine)
    if revision != head():
        state = f"at revision {revision}" if revision else "not set up"
        raise SchemaOutdated(
            f"The database is {state}; this clerk needs {head()}.", hint="Run: clerk db upgrade"
        )


def _refuse_newer(engine: Engine) -> str | None:
    """Return the revision the database is at if this clerk knows it."""
    revision = current(engine)
    if revision is not None and revision not in revisions():
        raise SchemaTooNew(
            f"The database is at revision {revision}, which this clerk does not know.",
            hint=f"Install the newer clerk that made it: {install_command('--upgrade')}",
        )
    return revision


def _config(engine: Engine | None) -> Config:
    from alembic.config import Config

    config = Config(stdout=io.StringIO())
    config.set_main_option("script_location", str(Path(__file__).parent).replace("%", "%%"))
    config.attributes["engine"] = engine
    return config
