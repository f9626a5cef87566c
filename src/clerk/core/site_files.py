"""What is known of the files of a site as a whole: when they were compared, listed and compiled.

The only module that writes the table ``site_files``.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, select, update

from .db import among, insert_into
from .models import db_now, site_files_table, sites_table


def last_full_listing(conn: Connection, subdomain: str) -> datetime | None:
    """Return when the source of a site was last listed from its beginning."""
    table = site_files_table.c
    query = select(table.listed_at).where(table.subdomain == subdomain)
    return conn.execute(query).scalar()


def record_full_listing(conn: Connection, subdomain: str, at: datetime) -> None:
    """Record that the source of a site was listed from its beginning."""
    _note(conn, subdomain, listed_at=at)


def forget_full_listings(conn: Connection, subdomains: Sequence[str]) -> None:
    """Have the next fetch of each of these sites list its source from the beginning."""
    table = site_files_table
    chosen = among(conn, table.c.subdomain, subdomains)
    conn.execute(update(table).where(chosen).values(listed_at=None))


def record_scan(conn: Connection, subdomain: str) -> None:
    """Record that a site's folder was compared with the manifest."""
    _note(conn, subdomain, scanned_at=db_now())


def is_scanned(conn: Connection, subdomain: str) -> bool:
    """Whether a site's folder was ever compared with the manifest."""
    table = site_files_table.c
    query = select(table.scanned_at).where(table.subdomain == subdomain)
    return conn.execute(query).scalar() is not None


def unscanned_sites(conn: Connection) -> list[str]:
    """Return the sites whose folders were never compared with the manifest, in order."""
    scanned = select(site_files_table.c.subdomain).where(site_files_table.c.scanned_at.is_not(None))
    sites = sites_table.c.subdomain
    return list(conn.execute(select(sites).where(sites.not_in(scanned)).order_by(sites)).scalars())


def make_database_current(
    conn: Connection, subdomain: str, before: str | None, sha256: str, digest: str
) -> bool:
    """Make a compiled database the one that readers get, if it was built from the current one.

    Returns whether it is current now; if not, another one was made current meanwhile.
    """
    _note(conn, subdomain)
    table = site_files_table
    changed = conn.execute(
        update(table)
        .where(table.c.subdomain == subdomain)
        .where(table.c.database_sha256.is_not_distinct_from(before))
        .values(database_sha256=sha256, database_digest=digest)
    )
    return bool(changed.rowcount)


def current_databases(conn: Connection) -> dict[str, str]:
    """Return the hash of the compiled database of every site that has one."""
    table = site_files_table.c
    query = select(table.subdomain, table.database_sha256).where(table.database_sha256.is_not(None))
    return {row.subdomain: row.database_sha256 for row in conn.execute(query)}


def current_database(conn: Connection, subdomain: str) -> str | None:
    """Return the hash of the compiled database that readers get."""
    table = site_files_table.c
    query = select(table.database_sha256).where(table.subdomain == subdomain)
    return conn.execute(query).scalar()


def _note(conn: Connection, subdomain: str, **values: Any) -> None:
    statement = insert_into(conn, site_files_table).values(subdomain=subdomain, **values)
    if values:
        statement = statement.on_conflict_do_update(index_elements=["subdomain"], set_=values)
    else:
        statement = statement.on_conflict_do_nothing()
    conn.execute(statement)
