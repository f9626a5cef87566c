"""An installation as the system before clerk left it.

Variants of its database::

    plain      sites with the deprecated columns, site_progress, job_tracking
    by hand    the pipeline columns were added with plain SQL: TIMESTAMP without a time zone, and on
               SQLite a claim stored as the text 'FALSE'
    sparse     an older one: no job_tracking, and sites lacks columns that came later
"""

from __future__ import annotations

from typing import Any

from sqlalchemy import Engine, inspect, text

VARIANTS = ("plain", "by hand", "sparse")

STAGES = ("fetch", "ocr", "compilation", "extraction", "deploy")

_FIRST_COLUMNS = """
    subdomain VARCHAR NOT NULL PRIMARY KEY, name VARCHAR, state VARCHAR, kind VARCHAR,
    scraper VARCHAR, pages INTEGER, start_year INTEGER
"""
_LATER_COLUMNS = ", extra VARCHAR, country VARCHAR, lat VARCHAR, lng VARCHAR"
_DEPRECATED_COLUMNS = """,
    status VARCHAR, extraction_status VARCHAR DEFAULT 'pending', last_updated VARCHAR,
    last_deployed VARCHAR, last_extracted VARCHAR
"""
_SITE_PROGRESS = """
    CREATE TABLE site_progress (
        subdomain VARCHAR NOT NULL PRIMARY KEY, current_stage VARCHAR,
        stage_total INTEGER DEFAULT 0 NOT NULL, stage_completed INTEGER DEFAULT 0 NOT NULL,
        started_at {moment}, updated_at {moment})
"""
_JOB_TRACKING = """
    CREATE TABLE job_tracking (
        rq_job_id VARCHAR NOT NULL PRIMARY KEY, subdomain VARCHAR NOT NULL,
        job_type VARCHAR NOT NULL, stage VARCHAR,
        created_at {moment} DEFAULT CURRENT_TIMESTAMP)
"""


def create_tables(engine: Engine, variant: str) -> None:
    """Create the tables of a variant."""
    sqlite = engine.dialect.name == "sqlite"
    zoned = "DATETIME" if sqlite else "TIMESTAMP WITH TIME ZONE"
    moment = "TIMESTAMP" if variant == "by hand" else zoned
    later = "" if variant == "sparse" else _LATER_COLUMNS
    with engine.begin() as conn:
        conn.execute(text(f"CREATE TABLE sites ({_FIRST_COLUMNS}{later}{_DEPRECATED_COLUMNS})"))
        conn.execute(text(_SITE_PROGRESS.format(moment=moment)))
        if variant != "sparse":
            conn.execute(text(_JOB_TRACKING.format(moment=moment)))
        if variant == "by hand":
            for column in _columns_added_by_hand(sqlite):
                conn.execute(text(f"ALTER TABLE sites ADD COLUMN {column}"))
            conn.execute(text("CREATE INDEX idx_sites_current_stage ON sites(current_stage)"))
            conn.execute(text("CREATE INDEX idx_sites_updated_at ON sites(updated_at)"))


def _columns_added_by_hand(sqlite: bool) -> list[str]:
    counters = [
        f"{stage}_{counter} INT DEFAULT 0"
        for stage in STAGES
        for counter in ("total", "completed", "failed")
    ]
    claim = "coordinator_enqueued BOOLEAN DEFAULT " + ("'FALSE'" if sqlite else "FALSE")
    return [
        "current_stage VARCHAR",
        "started_at TIMESTAMP",
        "updated_at TIMESTAMP",
        *counters,
        claim,
        "last_error_stage VARCHAR",
        "last_error_message TEXT",
        "last_error_at TIMESTAMP",
    ]


def add_site(
    engine: Engine,
    subdomain: str,
    *,
    progress: tuple[str, int, int] | None = None,
    progress_at: str | None = "2026-01-17 08:00:00",
    **columns: Any,
) -> None:
    """Write a site, and its row of site_progress (stage, total, completed), as the old code did."""
    site = {"subdomain": subdomain, "name": subdomain.title(), "state": "CA", "kind": "city"}
    with engine.begin() as conn:
        _insert(conn, "sites", site | columns)
        if progress is not None:
            stage, total, completed = progress
            _insert(
                conn,
                "site_progress",
                {
                    "subdomain": subdomain,
                    "current_stage": stage,
                    "stage_total": total,
                    "stage_completed": completed,
                    "started_at": progress_at,
                    "updated_at": progress_at,
                },
            )


def _insert(conn: Any, table: str, row: dict[str, Any]) -> None:
    names, values = ", ".join(row), ", ".join(f":{name}" for name in row)
    conn.execute(text(f"INSERT INTO {table} ({names}) VALUES ({values})"), row)


def rows(engine: Engine) -> dict[str, list[dict[str, Any]]]:
    """Everything in the legacy tables and columns."""
    wanted = "subdomain, name, status, extraction_status, last_updated"
    with engine.begin() as conn:
        return {
            "sites": _read(conn, f"SELECT {wanted} FROM sites ORDER BY subdomain"),
            "site_progress": _read(conn, "SELECT * FROM site_progress ORDER BY subdomain")
            if "site_progress" in inspect(conn).get_table_names()
            else [],
        }


def _read(conn: Any, statement: str) -> list[dict[str, Any]]:
    return [dict(row._mapping) for row in conn.execute(text(statement))]
