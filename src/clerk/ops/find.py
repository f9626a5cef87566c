"""Search over everything that operators know: sites, documents, runs, failures, workers, people."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, Connection, Select, null, or_, select

from clerk.core.db import reading_connection
from clerk.core.models import (
    annotation_projects_table,
    annotation_uploads_table,
    audit_table,
    batches_table,
    documents_table,
    jobs_table,
    runs_table,
    sites_table,
    workers_table,
)
from clerk.pipeline import failures
from clerk.pipeline.failures import Failure

#: How many of each kind are shown.
SHOWN = 20
#: Ids are compared as numbers; longer ones exist nowhere.
_LONGEST_ID = 15


@dataclass(frozen=True)
class FoundRow:
    """Something with a name or an id that contains the words, and what else is worth seeing."""

    id: str
    #: The site it belongs to; empty if it belongs to none.
    subdomain: str = ""
    detail: str = ""
    at: datetime | None = None


@dataclass(frozen=True)
class FoundByOperator:
    """What contains the words, by kind; at most SHOWN of each."""

    sites: Sequence[FoundRow]
    documents: Sequence[FoundRow]
    runs: Sequence[FoundRow]
    failures: Sequence[Failure]
    batches: Sequence[FoundRow]
    workers: Sequence[FoundRow]
    uploads: Sequence[FoundRow]
    audit: Sequence[FoundRow]

    def __bool__(self) -> bool:
        """Whether anything was found."""
        return any(vars(self).values())


def find_everything(words: str) -> FoundByOperator:
    """Return what contains some words, in any case, or has them as its id."""
    sites, documents, runs = sites_table, documents_table, runs_table
    batches, workers, audit = batches_table, workers_table, audit_table
    number = int(words) if words.isascii() and words.isdigit() and len(words) < _LONGEST_ID else -1
    projects, uploads = annotation_projects_table, annotation_uploads_table
    failed = [
        each
        for each in failures.find()
        if words.lower() in each.error.lower() or words.lower() in each.document.lower()
    ]
    with reading_connection() as conn:
        return FoundByOperator(
            sites=_rows(
                conn,
                select(sites.c.subdomain, sites.c.subdomain, sites.c.name, sites.c.updated_at)
                .where(_contains(words, sites.c.subdomain, sites.c.name, sites.c.scraper))
                .order_by(sites.c.subdomain),
            ),
            documents=_rows(
                conn,
                select(
                    documents.c.name,
                    documents.c.subdomain,
                    documents.c.title,
                    documents.c.fetched_at,
                )
                .where(
                    or_(
                        _contains(
                            words, documents.c.name, documents.c.title, documents.c.source_url
                        ),
                        documents.c.pdf_sha256 == words,
                        documents.c.text_sha256 == words,
                    )
                )
                .order_by(documents.c.subdomain, documents.c.name),
            ),
            runs=_rows(
                conn,
                select(runs.c.run_id, runs.c.subdomain, runs.c.reason, runs.c.created_at)
                .where(_contains(words, runs.c.run_id, runs.c.reason))
                .order_by(runs.c.created_at.desc()),
            ),
            failures=failed[:SHOWN],
            batches=_rows(
                conn,
                select(
                    batches.c.id,
                    jobs_table.c.subdomain,
                    batches.c.current_item,
                    batches.c.created_at,
                )
                .join(jobs_table, jobs_table.c.id == batches.c.parent_job_id)
                .where(
                    or_(
                        batches.c.id == number,
                        _contains(words, batches.c.current_item, batches.c.worker_id),
                    )
                )
                .order_by(batches.c.id.desc()),
            ),
            workers=_rows(
                conn,
                select(workers.c.id, null(), workers.c.queues, workers.c.beat_at)
                .where(_contains(words, workers.c.id, workers.c.host))
                .order_by(workers.c.id),
            ),
            uploads=_rows(
                conn,
                select(uploads.c.job_id, null(), projects.c.name, jobs_table.c.created_at)
                .join(jobs_table, jobs_table.c.id == uploads.c.job_id)
                .join(projects, projects.c.id == uploads.c.project_id)
                .where(or_(uploads.c.job_id == number, _contains(words, projects.c.name)))
                .order_by(uploads.c.job_id.desc()),
            ),
            audit=_rows(
                conn,
                select(audit.c.action, audit.c.subject, audit.c.who, audit.c.at)
                .where(
                    _contains(words, audit.c.who, audit.c.action, audit.c.subject, audit.c.detail)
                )
                .order_by(audit.c.id.desc()),
            ),
        )


def _contains(words: str, *columns: ColumnElement[Any]) -> ColumnElement[bool]:
    return or_(*(each.icontains(words, autoescape=True) for each in columns))


def _rows(conn: Connection, statement: Select[Any]) -> list[FoundRow]:
    """Return rows of four columns: id, site, detail, time."""
    found = []
    for key, subdomain, detail, at in conn.execute(statement.limit(SHOWN)):
        found.append(FoundRow(str(key), subdomain or "", detail or "", at))
    return found
