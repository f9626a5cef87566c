"""Documents that coming runs leave out: those that failed for good, and those a person skipped."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Connection, delete, insert, or_, select

from clerk.core.models import quarantine_table
from clerk.core.states import Item, Step
from clerk.executors.work import Claim

from .ledger import Settled


@dataclass(frozen=True)
class Remembered:
    """A document that failed for good, or that a person skipped."""

    state: str
    reason: str
    error_kind: str | None
    created_at: datetime


def load_remembered(
    conn: Connection, subdomain: str, engine: str
) -> dict[tuple[str, str], Remembered]:
    quarantine = quarantine_table
    holds = or_(quarantine.c.engine == engine, quarantine.c.state == Item.CANCELLED)
    rows = conn.execute(select(quarantine).where(quarantine.c.subdomain == subdomain, holds))
    return {
        (row.document, row.sha256): Remembered(
            row.state, row.reason, row.error_kind, row.created_at
        )
        for row in rows
    }


def forget_failures(conn: Connection, subdomain: str, documents: Sequence[str]) -> None:
    """Let documents be tried again that were remembered as failing or skipped."""
    conn.execute(
        delete(quarantine_table)
        .where(quarantine_table.c.subdomain == subdomain)
        .where(quarantine_table.c.document.in_(list(documents)))
    )


def remember_skipped(
    conn: Connection, subdomain: str, document: str, sha256: str, reason: str
) -> None:
    """Leave a document out of coming runs, whatever reads it, until its bytes change."""
    forget_failures(conn, subdomain, [document])
    conn.execute(
        insert(quarantine_table).values(
            subdomain=subdomain,
            document=document,
            sha256=sha256,
            state=Item.CANCELLED,
            reason=reason,
        )
    )


def remember_failures(conn: Connection, claim: Claim, settled: Settled) -> None:
    """Keep documents that would fail again, by their bytes, so that the next run spares them."""
    for failed in settled.failures:
        if failed.item.step != Step.DOCUMENT or not failed.lasting:
            continue
        key = {
            "subdomain": claim.subdomain,
            "document": failed.item.document,
            "sha256": failed.item.sha256,
        }
        conn.execute(delete(quarantine_table).filter_by(**key))
        conn.execute(
            insert(quarantine_table).values(
                **key,
                engine=claim.reader,
                state=failed.state,
                reason=failed.error,
                error_kind=failed.error_kind or None,
            )
        )
