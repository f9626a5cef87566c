"""What happened, append-only, and what people did."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from sqlalchemy import Connection, insert

from clerk.core.models import audit_table, log_lines_table, stage_events_table
from clerk.executors.work import Claim

from .sql import Statement, bound

_EVENT = ("event", "subdomain", "run_id", "stage", "completed", "failed", "seconds", "detail")


_RECORD = insert(stage_events_table).values(bound(stage_events_table, "event", *_EVENT))


def recording(
    event: str,
    *,
    subdomain: str | None = None,
    run_id: str | None = None,
    stage: str | None = None,
    completed: int = 0,
    failed: int = 0,
    seconds: float | None = None,
    detail: str | None = None,
) -> Statement:
    """Return how to append to the history, for the transaction of what happened."""
    said = (event, subdomain, run_id, stage, completed, failed, seconds, detail)
    return _RECORD, {f"event_{name}": value for name, value in zip(_EVENT, said, strict=True)}


def record(conn: Connection, event: str, **facts: Any) -> None:
    """Append to the history, in the transaction of what happened; see :func:`recording`."""
    conn.execute(*recording(event, **facts))


@dataclass(frozen=True)
class LogLine:
    """What a worker reported of a step or a document."""

    level: str
    message: str
    document: str | None = None
    attempt: int | None = None
    seconds: float | None = None


_LOG = insert(log_lines_table)


def log_lines(conn: Connection, claim: Claim, lines: Sequence[LogLine]) -> None:
    """Append to the log of a claim's run, which must be locked by this transaction."""
    if claim.run_id and lines:
        where = {"run_id": claim.run_id, "stage": claim.stage, "worker_id": claim.worker_id or None}
        conn.execute(_LOG, [where | asdict(line) for line in lines])


def audit(
    conn: Connection, who: str, action: str, subject: str | None = None, detail: str | None = None
) -> None:
    """Write what a person did to the audit log, in the transaction that does it."""
    conn.execute(insert(audit_table).values(who=who, action=action, subject=subject, detail=detail))
