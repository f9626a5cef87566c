"""Which installation a database and a storage belong to: they must be of the same one.

The database has an id, made once.  The storage directory (``_clerk/installation.json``) and the
store (``installation.json``) carry the same; whoever comes first marks them.  A worker that sees
another mark, or none where there was one, looks at the wrong place.
"""

from __future__ import annotations

import contextlib
import json
import uuid

from sqlalchemy import Connection, select, update

from . import storage
from .config import Settings
from .db import insert_into, reading_connection, writing_to
from .errors import StorageIncomplete, WrongInstallation
from .models import db_now, installation_table
from .store import Store


def installation_id(conn: Connection) -> str:
    """Return the id of the installation, made when it is first asked for."""
    made = insert_into(conn, installation_table).values(single=1, id=uuid.uuid4().hex)
    conn.execute(made.on_conflict_do_nothing())
    return str(conn.execute(select(installation_table.c.id)).scalar_one())


def marked_with(settings: Settings) -> str | None:
    """Return the id that the storage directory carries, if any."""
    with contextlib.suppress(OSError, ValueError, KeyError, TypeError):
        return str(json.loads(storage.installation_mark(settings.storage_dir).read_text())["id"])
    return None


def is_marked(settings: Settings) -> bool:
    """Whether the storage directory is the one of this installation's database."""
    with reading_connection(settings.sql_url) as conn:
        here = conn.execute(select(installation_table.c.id)).scalar()
    return here is not None and marked_with(settings) == here


def check(settings: Settings) -> None:
    """Mark the storage directory of a new installation; refuse that of another one.

    Without STORAGE_URL all workers share one directory: once it is marked, one without the mark is
    not it, or is not mounted, and is left as it is.  With STORAGE_URL the directory is a cache, and
    each machine has its own.
    """
    # Committed before it is written to the disk: one who is killed in between must not leave the
    # mark of an installation that nobody knows.
    with writing_to(settings.sql_url) as conn:
        here = installation_id(conn)
    with writing_to(settings.sql_url) as conn:
        was_marked = conn.execute(select(installation_table.c.storage_marked_at)).scalar()
        found = marked_with(settings)
        if found not in (None, here):
            raise WrongInstallation(
                f"{settings.storage_dir} belongs to the installation {found}, this database to"
                f" {here}.",
                hint="Correct STORAGE_DIR or DATABASE_URL; they must belong to one installation.",
            )
        if found is None and (settings.storage_url or not was_marked):
            mark(settings, here)
            conn.execute(update(installation_table).values(storage_marked_at=db_now()))


def require_files(settings: Settings) -> None:
    """Raise StorageIncomplete unless the storage directory, or the store, is this installation's.

    A new store is marked.  Not for a process that forks: see :mod:`clerk.core.store`.
    """
    if settings.storage_url:
        with writing_to(settings.sql_url) as conn:
            here = installation_id(conn)
        if (settings.storage_url, here) not in _own_stores:
            Store(settings.storage_url, allow_http=settings.storage_allow_http).claim_for(here)
            _own_stores.add((settings.storage_url, here))
    elif not is_marked(settings):
        raise _files_elsewhere(settings)


def require_marked_directory(conn: Connection, settings: Settings) -> None:
    """Raise StorageIncomplete if the files are in a directory that was marked, and not in this one.

    For one who concludes something from files that are not there.
    """
    found = conn.execute(select(installation_table)).first()
    if found and found.storage_marked_at and marked_with(settings) != found.id:
        raise _files_elsewhere(settings)


def _files_elsewhere(settings: Settings) -> StorageIncomplete:
    return StorageIncomplete(
        f"{settings.storage_dir} does not hold the files of this installation.",
        hint="Mount the storage directory, or set STORAGE_DIR to the one that the other workers"
        " use, or use a bucket (STORAGE_URL); the work resumes by itself. If it was moved on"
        " purpose: clerk doctor --adopt-storage",
    )


#: The stores that this process has found to be this installation's.
_own_stores: set[tuple[str, str]] = set()


def check_store(settings: Settings) -> bool:
    """Raise StoreUnavailable or WrongInstallation unless the store can be used; change nothing.

    Returns whether it is marked, which a new one is not.  Not for a process that forks.
    """
    with reading_connection(settings.sql_url) as conn:
        here = conn.execute(select(installation_table.c.id)).scalar()
    store = Store(settings.storage_url, allow_http=settings.storage_allow_http)
    found = store.installation()
    if found is not None and here is not None and found != here:
        raise WrongInstallation(
            f"{store.url} belongs to the installation {found}, this database to {here}.",
            hint="Correct STORAGE_URL or DATABASE_URL; they must belong to one installation.",
        )
    return found is not None


def adopt(settings: Settings) -> None:
    """Mark the storage directory as this installation's, whatever it was before."""
    with writing_to(settings.sql_url) as conn:
        mark(settings, installation_id(conn))
        conn.execute(update(installation_table).values(storage_marked_at=db_now()))


def remove_mark(settings: Settings) -> None:
    """Take the mark off the storage directory of an installation that is given up.

    Its files stay.  An installation that is made of them later marks the directory again.
    """
    storage.installation_mark(settings.storage_dir).unlink(missing_ok=True)


def mark(settings: Settings, installation: str) -> None:
    """Write the id of the installation into the storage directory."""
    path = storage.installation_mark(settings.storage_dir)
    with storage.storage_errors(path.parent):
        path.parent.mkdir(parents=True, exist_ok=True)
        with storage.written_whole(path) as part:
            part.write_text(json.dumps({"id": installation}))
