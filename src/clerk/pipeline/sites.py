"""Sites as people ask about them: where each stands, what it holds, and its end."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, delete, select

from clerk.core import config, storage
from clerk.core.config import Settings
from clerk.core.db import (
    civic_db_connection,
    documents_of_sites,
    latest_runs,
    lock_site,
    reading_connection,
    require_site,
)
from clerk.core.models import audit_table, runs_table, sites_table
from clerk.core.states import COMPLETED, STAGES, Run
from clerk.fetch.sources import gone_documents
from clerk.publish import further_targets, published_at, unpublish
from clerk.search import forget_site

from . import transitions
from .pipeline_state import NO_DOCUMENTS
from .steps import site_choices

#: Settings of a site that are not shown.
SECRET_CHOICES = ("token",)
#: How many of a site's runs are shown.
RUNS_SHOWN = 5


def overview(conn: Connection) -> list[dict[str, Any]]:
    """Return every site with its outcome and the documents of its last reading."""
    latest, documents = latest_runs(runs_table.c.state), documents_of_sites().subquery()
    rows = conn.execute(
        select(
            sites_table,
            latest.c.state.label("run_state"),
            documents.c.total,
            documents.c.completed,
            documents.c.failed,
        )
        .join(latest, latest.c.subdomain == sites_table.c.subdomain, isouter=True)
        .join(documents, documents.c.subdomain == sites_table.c.subdomain)
        .order_by(sites_table.c.subdomain)
    )
    return [
        {
            "subdomain": row.subdomain,
            "name": row.name,
            "outcome": outcome(row.current_stage, row.run_state, row.last_error_message),
            "current_stage": row.current_stage,
            "documents": row.total,
            "read": row.completed,
            "failed": row.failed,
            "cancelled": (
                row.total - row.completed - row.failed if row.run_state == Run.CANCELLED else 0
            ),
            "updated_at": row.updated_at,
        }
        for row in rows
    ]


def names(conn: Connection, limit: int | None = None) -> list[str]:
    """Return the subdomains of the sites, in order."""
    chosen = select(sites_table.c.subdomain).order_by(sites_table.c.subdomain).limit(limit)
    return list(conn.execute(chosen).scalars())


def outcome(current_stage: str | None, run_state: str | None, error: str | None = None) -> str:
    """Say in a word or two how a site stands; nothing found is never shown as a success.

    A site that was taken over without documents has no run: its error tells.
    """
    if current_stage is None:
        return "new"
    if current_stage != COMPLETED:
        return f"in {current_stage}" if run_state == Run.ACTIVE else f"stopped in {current_stage}"
    if run_state == Run.NO_DOCUMENTS or (run_state is None and error == NO_DOCUMENTS):
        return "no documents"
    return COMPLETED if run_state in (None, Run.SUPERSEDED) else run_state


def describe(subdomain: str) -> dict[str, Any]:
    """Return all there is to say about a site, counters beside what is on disk."""
    with reading_connection() as conn:
        site = require_site(conn, subdomain)
        runs = conn.execute(
            select(runs_table)
            .where(runs_table.c.subdomain == subdomain)
            .order_by(runs_table.c.epoch.desc())
            .limit(RUNS_SHOWN)
        ).fetchall()
    folder, chosen = storage.site_folder(config.load().storage_dir, subdomain), site_choices(site)
    # The column as it is written may hold secrets; ``source`` and ``settings`` say what is in it.
    return {name: value for name, value in site.items() if name != "extra"} | {
        "outcome": outcome(
            site["current_stage"], runs[0].state if runs else None, site["last_error_message"]
        ),
        "source": chosen.pop("source", None),
        "settings": {name: _shown(name, value) for name, value in chosen.items()},
        "stages": [_stage(site, stage, runs[0].state if runs else None) for stage in STAGES],
        "disk": {
            "pdfs": sum(1 for _ in storage.pdf_documents(folder)),
            "texts": sum(1 for _ in storage.text_documents(folder)),
        },
        "gone": gone_documents(folder),
        "runs": [dict(run._mapping) for run in runs],
    }


def _shown(name: str, value: Any) -> Any:
    return "***" if name in SECRET_CHOICES else value


def _stage(site: Mapping[str, Any], stage: str, run_state: str | None) -> dict[str, Any]:
    """Return the counters of a stage; what a cancelled run left undone is cancelled."""
    total, completed, failed = (
        site[f"{stage}_{name}"] for name in ("total", "completed", "failed")
    )
    cancelled = total - completed - failed if run_state == Run.CANCELLED else 0
    return {
        "stage": stage,
        "total": total,
        "completed": completed,
        "failed": failed,
        "cancelled": cancelled,
    }


@dataclass(frozen=True)
class Left:
    """Where a site that was removed is to be seen still."""

    published: Path | None
    #: Places elsewhere that it was published to; clerk does not delete there.
    targets: list[str]


def remove(subdomain: str, settings: Settings, *, files: bool, who: str = "operator") -> Left:
    """Forget a site and all its runs; its files, and those published here, only if asked for."""
    folder = storage.site_folder(settings.storage_dir, subdomain)
    with civic_db_connection() as conn:
        site = require_site(conn, subdomain)
        lock_site(conn, subdomain)
        # Before the site: whoever finishes work of a run locks the run first.
        transitions.cancel_run(conn, subdomain, "The site was removed")
        conn.execute(delete(sites_table).where(sites_table.c.subdomain == subdomain))
        conn.execute(audit_table.insert().values(who=who, action="site removed", subject=subdomain))
    forget_site(settings.storage_dir, subdomain)
    if files:
        unpublish(settings, subdomain)
        shutil.rmtree(folder, ignore_errors=True)
    targets = further_targets({"extra": site_choices(site)})
    return Left(published_at(settings, subdomain), targets)
