"""The way in from the old system's schema, and the way back to it.

An installation of the old system may be at any of its revisions, or have been changed with plain
SQL.  Which one it is, is seen from its tables, not from the revision in ``alembic_version``::

    45db71312424   sites
    c27bd77144ce   job_tracking and site_progress, by site_id
    s9z7il1abnmz   the same, by subdomain
    9daf09ff2554   stage, counters, claim and errors in sites
    e2eeb77e18bc   has_finance_data             (clerk does not know these columns and keeps them)
    f3d4e5b6c7a8   further columns of finance data
    e032d9c68444   booleans repaired on SQLite

What clerk adds or changes is recorded in ``adopted_schema``, so that going back removes only that.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from sqlalchemy import Connection, inspect, text

from clerk.core.errors import DowngradeRefused, SchemaUnknown

#: The small tables of the old system, which clerk does not write.
SMALL_TABLES = ("site_progress", "job_tracking")

#: Columns that ``sites`` has in every revision of the old system.
REQUIRED = ("subdomain",)

#: For each revision, what makes it different from the one before: a column of a table.
MARKS = (
    ("f3d4e5b6c7a8", "sites", "finance_data_types"),
    ("e2eeb77e18bc", "sites", "has_finance_data"),
    ("9daf09ff2554", "sites", "coordinator_enqueued"),
    ("s9z7il1abnmz", "site_progress", "subdomain"),
    ("c27bd77144ce", "site_progress", "site_id"),
    ("45db71312424", "sites", "subdomain"),
)


@dataclass(frozen=True)
class OldSchema:
    """A schema of the old system: the revision its tables look like, and what clerk must rename."""

    shape: str
    #: Tables whose column ``site_id`` becomes ``subdomain``.
    by_site_id: tuple[str, ...]


def recognise(conn: Connection, tables_of_clerk: Iterable[str]) -> OldSchema:
    """Return which revision the tables are of; refuse what cannot be taken over, changing nothing.

    ``tables_of_clerk`` are those that the upgrade creates: none of them may be there.
    """
    found = inspect(conn)
    tables = set(found.get_table_names())
    columns = {
        name: {column["name"] for column in found.get_columns(name)}
        for name in ("sites", *SMALL_TABLES)
        if name in tables
    }
    reasons = []
    for name in REQUIRED:
        if name not in columns["sites"]:
            reasons.append(f"sites has no column {name}")
    key = found.get_pk_constraint("sites")["constrained_columns"]
    if not reasons and key != ["subdomain"]:
        reasons.append("subdomain is not the primary key of sites")
    for name in SMALL_TABLES:
        if name in columns and not columns[name] & {"subdomain", "site_id"}:
            reasons.append(f"{name} has neither subdomain nor site_id")
    foreign = sorted(tables & (set(tables_of_clerk) - {"sites", *SMALL_TABLES}))
    if foreign:
        reasons.append(f"it has tables of other programs with names that clerk uses: {foreign}")
    if reasons:
        raise SchemaUnknown(
            f"The database cannot be taken over: {'; '.join(reasons)}. Nothing was changed.",
            hint="Move other programs' tables away, or give clerk a database of its own.",
        )
    shape = next(
        revision for revision, table, column in MARKS if column in columns.get(table, set())
    )
    renamed = tuple(
        name for name in SMALL_TABLES if name in columns and "subdomain" not in columns[name]
    )
    return OldSchema(shape, renamed)


def prepare(conn: Connection, old: OldSchema) -> None:
    """Give the small tables the names of columns that clerk reads."""
    for name in old.by_site_id:
        conn.execute(text(f"ALTER TABLE {name} RENAME COLUMN site_id TO subdomain"))


def remember(conn: Connection, old: OldSchema, revision: str | None) -> None:
    """Record the old revision and what was renamed, for the way back."""
    rows = [("revision", revision or ""), *(("renamed", name) for name in old.by_site_id)]
    for kind, name in rows:
        conn.execute(
            text("INSERT INTO adopted_schema (kind, name) VALUES (:kind, :name)"),
            {"kind": kind, "name": name},
        )


def adopted(conn: Connection) -> set[tuple[str, str]]:
    """Return what was recorded when the installation was taken over; refuse to guess."""
    recorded: set[tuple[str, str]] = set()
    if inspect(conn).has_table("adopted_schema"):
        rows = conn.execute(text("SELECT kind, name FROM adopted_schema"))
        recorded = {(row.kind, row.name) for row in rows}
    if not any(kind == "revision" for kind, _ in recorded):
        raise DowngradeRefused(
            "This database cannot go back to the old system: it was not taken over from it, or an"
            " earlier version of clerk took it over without recording the old revision.",
            hint="Restore the backup from before the upgrade, or use: clerk db downgrade 0001",
        )
    return recorded


def restore(conn: Connection, recorded: set[tuple[str, str]]) -> None:
    """Make the schema, which is at 0001, what the old system left, and put its revision back."""
    found = inspect(conn)
    for name in SMALL_TABLES:
        if ("table", name) not in recorded:
            conn.execute(text(f"DROP TABLE IF EXISTS {name}"))
    for column in found.get_columns("sites"):
        if ("column", column["name"]) not in recorded:
            conn.execute(text(f"ALTER TABLE sites DROP COLUMN {column['name']}"))
    if ("table", "job_tracking") in recorded and ("index", OWN_INDEX) not in recorded:
        conn.execute(text(f"DROP INDEX IF EXISTS {OWN_INDEX}"))
    for kind, name in sorted(recorded):
        if kind == "renamed":
            conn.execute(text(f"ALTER TABLE {name} RENAME COLUMN subdomain TO site_id"))
        elif kind == "without zone" and conn.dialect.name == "postgresql":
            table, _, moment = name.partition(".")
            conn.execute(
                text(
                    f"ALTER TABLE {table} ALTER COLUMN {moment} TYPE timestamp"
                    f" USING {moment} AT TIME ZONE 'UTC'"
                )
            )
    (revision,) = (name for kind, name in recorded if kind == "revision")
    if revision:
        conn.execute(text("UPDATE alembic_version SET version_num = :old"), {"old": revision})
    else:
        conn.execute(text("DROP TABLE alembic_version"))


#: The index that clerk gives to ``job_tracking``.
OWN_INDEX = "ix_job_tracking_subdomain"
