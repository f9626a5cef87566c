"""The rows that the operators' pages list: events, batches, documents, workers, audit.

Nothing is counted here but in :mod:`clerk.ops.counts`, and whether all is well is decided in
:mod:`clerk.ops.health`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqlalchemy import Connection, Row, and_, func, or_, select

from clerk.core.errors import NotFound
from clerk.core.models import (
    audit_table,
    batches_table,
    db_now,
    items_table,
    jobs_table,
    stage_events_table,
    workers_table,
)
from clerk.core.states import OCR, Batch, Kind


def recent_events(
    conn: Connection, limit: int = 12, subdomain: str | None = None
) -> list[Row[Any]]:
    """Return what happened last."""
    events = stage_events_table
    statement = select(events).order_by(events.c.id.desc()).limit(limit)
    if subdomain is not None:
        statement = statement.where(events.c.subdomain == subdomain)
    return list(conn.execute(statement))


# ----------------------------------------------------------------------- parents and batches


def parents(conn: Connection, *, kind: str, limit: int = 50) -> list[Row[Any]]:
    """Return the jobs of a kind: those under way first, then the newest."""
    jobs = jobs_table
    return list(
        conn.execute(
            select(jobs)
            .where(jobs.c.kind == kind)
            .order_by(jobs.c.state.desc(), jobs.c.id.desc())
            .limit(limit)
        )
    )


def batches(
    conn: Connection,
    *,
    status: str | None = None,
    subdomain: str | None = None,
    job: int | None = None,
    limit: int = 50,
    offset: int = 0,
) -> list[Row[Any]]:
    """Return batches, the newest first, with their parent and their worker's last beat."""
    statement = _batches().order_by(batches_table.c.id.desc()).limit(limit).offset(offset)
    return list(conn.execute(_narrowed(statement, status, subdomain, job)))


def batch(conn: Connection, identity: int) -> Row[Any]:
    """Return one batch, or refuse a number that is none."""
    row = conn.execute(_batches().where(batches_table.c.id == identity)).first()
    if row is None:
        raise NotFound(f"There is no batch {identity}.")
    return row


def _batches() -> Any:
    jobs = jobs_table
    return (
        select(
            batches_table,
            jobs.c.subdomain,
            jobs.c.stage,
            jobs.c.kind,
            jobs.c.run_id,
            workers_table.c.beat_at,
            workers_table.c.host,
        )
        .join(jobs, jobs.c.id == batches_table.c.parent_job_id)
        .join(workers_table, workers_table.c.id == batches_table.c.worker_id, isouter=True)
    )


def _narrowed(statement: Any, status: str | None, subdomain: str | None, job: int | None) -> Any:
    if status:
        statement = statement.where(batches_table.c.status == status)
    if subdomain:
        statement = statement.where(jobs_table.c.subdomain == subdomain)
    if job is not None:
        statement = statement.where(batches_table.c.parent_job_id == job)
    return statement


# ------------------------------------------------------------------- documents of one site


def documents(
    conn: Connection, subdomain: str, *, state: str | None = None, like: str = "", limit: int = 100
) -> list[Row[Any]]:
    """Return the documents of a site's last reading, those with trouble first."""
    items, jobs = items_table, jobs_table
    reading = (
        select(func.max(jobs.c.id))
        .where(jobs.c.subdomain == subdomain, jobs.c.stage == OCR, jobs.c.kind == Kind.STAGE)
        .scalar_subquery()
    )
    wanted = [items.c.job_id == reading]
    if state:
        wanted.append(items.c.state == state)
    if like:
        wanted.append(items.c.document.contains(like, autoescape=True))
    order = (items.c.error.is_(None), items.c.state.desc(), items.c.document)
    return list(conn.execute(select(items).where(and_(*wanted)).order_by(*order).limit(limit)))


# ---------------------------------------------------------------------------- workers, audit


def workers(conn: Connection) -> list[dict[str, Any]]:
    """Return the workers, the living first, with the age of their last beat and what they do."""
    batch_of = {
        row.worker_id: row
        for row in conn.execute(_batches().where(batches_table.c.status == Batch.RUNNING))
    }
    rows = conn.execute(
        select(workers_table, (workers_table.c.lease_until >= db_now()).label("alive")).order_by(
            workers_table.c.lease_until.desc()
        )
    )
    return [dict(row._mapping) | {"batch": batch_of.get(row.id)} for row in rows]


def audit_rows(conn: Connection, *, like: str = "", limit: int = 100) -> list[Row[Any]]:
    """Return what people did, the newest first."""
    audit = audit_table
    statement = select(audit).order_by(audit.c.id.desc()).limit(limit)
    if like:
        columns: Sequence[Any] = (audit.c.who, audit.c.action, audit.c.subject, audit.c.detail)
        statement = statement.where(
            or_(*(each.contains(like, autoescape=True) for each in columns))
        )
    return list(conn.execute(statement))


def reconciliations(conn: Connection, limit: int = 20) -> list[Row[Any]]:
    """Return the last reconciliations."""
    events = stage_events_table
    statement = select(events).where(events.c.event == "reconciled")
    return list(conn.execute(statement.order_by(events.c.id.desc()).limit(limit)))
