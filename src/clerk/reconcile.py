"""Reconciliation: find what stopped, decide what it needs, and do it.

It is the second net, safe for anybody at any time.  Dead workers are seen by their leases within
seconds, with or without it.  What it adds: sites an older system left in a stage without a run are
taken into the ledger, counters are brought in line with what the disk shows, stages whose end
nobody noticed are closed.  It never advances a site on the strength of a timestamp: the threshold
only says which sites are looked at.

:func:`decide` returns a :class:`Plan` and changes nothing, so a dry run is the decision without the
deed and cannot differ from it.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from datetime import timedelta
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Row, func, or_, select, update

from . import config, ledger, liveness, pipeline_state, queue, road, storage, workers
from .clock import utc_now
from .db import civic_db_connection, lock_site, reading_connection, require_site
from .errors import DatabaseUnavailable, InvalidSubdomain, OperatorError
from .models import batches_table, db_now, items_table, jobs_table, sites_table, workers_table
from .stages import (
    COMPILATION,
    COMPLETED,
    DEPLOY,
    FETCH,
    OCR,
    QUEUES,
    STAGES,
    Batch,
    Item,
    Kind,
    Run,
    Step,
)

#: How many files are named in a message.
NAMES_SHOWN = 5


@dataclass(frozen=True)
class Plan:
    """What a site needs, in words and in figures.

    ``moves``: carrying it out sets the site moving.  ``needs_person``: clerk cannot help further.
    """

    subdomain: str
    stage: str
    action: str
    message: str
    moves: bool = False
    needs_person: bool = False
    completed: int = 0
    failed: int = 0
    documents: tuple[str, ...] = ()


@dataclass
class Reconciliation:
    """What one reconciliation found and did."""

    found: list[Plan] = field(default_factory=list)
    recovered: int = 0
    crashed_batches: int = 0

    @property
    def need_a_person(self) -> list[Plan]:
        """The sites that clerk cannot help further."""
        return [plan for plan in self.found if plan.needs_person]


# ------------------------------------------------------------------------------- looking


def find_stuck_sites(threshold_hours: float = 2) -> list[Row[Any]]:
    """Return the sites in a stage that have not moved for so long and that nobody works on."""
    with reading_connection() as conn:
        return _stuck(conn, threshold_hours)


def _stuck(conn: Connection, threshold_hours: float) -> list[Row[Any]]:
    sites = sites_table
    cutoff = utc_now() - timedelta(hours=threshold_hours)
    silent = conn.execute(
        select(sites)
        .where(sites.c.current_stage != COMPLETED, sites.c.current_stage.is_not(None))
        .where(or_(sites.c.updated_at < cutoff, sites.c.updated_at.is_(None)))
        .order_by(sites.c.subdomain)
    ).fetchall()
    if not silent:
        return []
    moving = _in_hand(conn) | _waiting_for_a_live_worker(conn)
    return [site for site in silent if site.subdomain not in moving]


def _in_hand(conn: Connection) -> set[str]:
    """Sites a live worker is busy with: slow is not stuck."""
    rows = conn.execute(
        select(jobs_table.c.subdomain)
        .join(batches_table, batches_table.c.parent_job_id == jobs_table.c.id)
        .join(workers_table, workers_table.c.id == batches_table.c.worker_id)
        .where(batches_table.c.status == ledger.sql_word(Batch.RUNNING))
        .where(workers_table.c.lease_until >= db_now())
    )
    return set(rows.scalars())


def _waiting_for_a_live_worker(conn: Connection) -> set[str]:
    """Sites whose work waits in a queue that is being served: a backlog is not a fault."""
    served: set[str] = set()
    alive = select(workers_table.c.queues).where(workers_table.c.lease_until >= db_now())
    for queues in conn.execute(alive).scalars():
        served |= set(queues.split(","))
    rows = conn.execute(
        select(jobs_table.c.subdomain)
        .join(items_table, items_table.c.job_id == jobs_table.c.id)
        .where(jobs_table.c.state == ledger.sql_word("open"), jobs_table.c.queue.in_(list(served)))
        .where(
            items_table.c.state == ledger.sql_word(Item.PENDING),
            items_table.c.available_at.is_not(None),
        )
        .distinct()
    )
    return set(rows.scalars())


# ------------------------------------------------------------------------------ deciding


def decide(conn: Connection, subdomain: str) -> Plan:
    """Return what a site needs; changes nothing."""
    site = require_site(conn, subdomain)
    stage = site["current_stage"]
    if stage == COMPLETED or stage is None:
        return Plan(subdomain, stage or "", "none", "Nothing to do")
    if stage not in STAGES:
        return Plan(subdomain, stage, "none", f"Unknown stage '{stage}'", needs_person=True)
    try:
        if pipeline_state.active_run(conn, subdomain) is None:
            return _decide_without_run(conn, site)
        return _decide_with_run(conn, site)
    except (InvalidSubdomain, OSError) as error:
        return Plan(
            subdomain, stage, "none", f"Its files cannot be seen: {error}", needs_person=True
        )


def _decide_without_run(conn: Connection, site: dict[str, Any]) -> Plan:
    subdomain, stage = site["subdomain"], site["current_stage"]
    if stage == OCR:
        totals = (site["ocr_completed"], site["ocr_failed"], site["ocr_total"])
        return _decide_reading(subdomain, _Counted(*totals))
    if stage == FETCH:
        return Plan(subdomain, stage, "fetch", "Fetch did not finish, enqueueing it", moves=True)
    if not _any_text(subdomain):
        return Plan(
            subdomain,
            stage,
            "fetch",
            f"Stuck in {stage} without any text, enqueueing fetch",
            moves=True,
        )
    if stage == DEPLOY and (_folder(subdomain) / "meetings.db").is_file():
        return Plan(subdomain, stage, "deploy", "Deploy did not finish, enqueueing it", moves=True)
    message = f"Stuck in {stage}, enqueueing compilation and extraction"
    return Plan(subdomain, stage, "compile", message, moves=True)


def _decide_with_run(conn: Connection, site: dict[str, Any]) -> Plan:
    subdomain, stage = site["subdomain"], site["current_stage"]
    job = pipeline_state.job_of_stage(conn, subdomain, OCR)
    waiting = _open_rows(conn, subdomain)
    if job is not None and job.state == "open":
        counted = _counted(conn, job)
        if counted.unnamed or not waiting:
            return _decide_reading(subdomain, counted)
    if waiting:
        workers_away = f"{waiting} wait for a worker and none is running"
        return Plan(subdomain, stage, "offer", workers_away, needs_person=True)
    if (unclosed := _complete_but_open(conn, subdomain)) is not None:
        message = f"All documents of {unclosed.stage} are accounted for, enqueueing what follows"
        return Plan(subdomain, stage, "advance", message, moves=True)
    return _decide_without_run(conn, site)


@dataclass(frozen=True)
class _Counted:
    """Documents of a reading that are only counted, and the names of those that are known."""

    completed: int
    failed: int
    total: int
    named: frozenset[str] = frozenset()

    @property
    def unnamed(self) -> int:
        """Documents that nobody has accounted for, and nobody knows by name."""
        return self.total - self.completed - self.failed


def _counted(conn: Connection, job: Row[Any]) -> _Counted:
    """Return what of a job is only counted, and what is known by name."""
    items = items_table
    rows = conn.execute(
        select(items.c.state, func.sum(items.c.documents).label("documents"))
        .where(items.c.job_id == job.id, items.c.step.in_([Step.UNNAMED, Step.CARRIED]))
        .where(items.c.state != Item.CANCELLED)
        .group_by(items.c.state)
    ).fetchall()
    names = conn.execute(
        select(items.c.document).where(items.c.job_id == job.id, items.c.document.is_not(None))
    ).scalars()
    by_state = {row.state: row.documents for row in rows}
    return _Counted(
        completed=by_state.get(Item.COMPLETED, 0),
        failed=by_state.get(Item.FAILED, 0),
        total=sum(by_state.values()),
        named=frozenset(names),
    )


def _decide_reading(subdomain: str, counted: _Counted) -> Plan:
    """Bring a reading in line with the disk.

    Text on disk is read; a PDF without text is read again, unless every document was accounted for
    and there are no more of them than failures; what is neither is lost and counts as failed.
    """
    folder = _folder(subdomain)
    text = {each.name for each in storage.text_documents(folder)} - counted.named
    pdfs = {each.name for each in storage.pdf_documents(folder)} - counted.named - text
    left = max(0, counted.total - len(text))
    known_failures = not counted.unnamed and len(pdfs) <= counted.failed
    again = () if known_failures else tuple(sorted(pdfs))
    failed = max(0, left - len(again))
    plan = _reading_plan(subdomain, len(text), failed, again, anything=bool(counted.named))
    return _naming_unusable(plan, storage.unusable_names(folder))


def _naming_unusable(plan: Plan, names: list[str]) -> Plan:
    """Tell of files that are passed over until a person gives them names that can be stored."""
    if not names:
        return plan
    more = f" and {len(names) - NAMES_SHOWN} more" if len(names) > NAMES_SHOWN else ""
    listed = ", ".join(names[:NAMES_SHOWN]) + more
    message = f"{plan.message}; rename these, their names are not UTF-8: {listed}"
    return replace(plan, message=message, needs_person=True)


def _reading_plan(
    subdomain: str, completed: int, failed: int, again: tuple[str, ...], *, anything: bool
) -> Plan:
    facts: dict[str, Any] = {"completed": completed, "failed": failed, "documents": again}
    if again:
        found = f"Found {completed} completed documents, enqueueing {len(again)} that are missing"
        return Plan(subdomain, OCR, "read", found, moves=True, **facts)
    if completed or anything:
        found = f"Found {completed} completed documents, enqueueing coordinator"
        return Plan(subdomain, OCR, "read", found, moves=True, **facts)
    if failed:
        nothing = "No completed OCR documents found - ALL OCR failed"
        return Plan(subdomain, OCR, "give up", nothing, needs_person=True, **facts)
    nothing = "No documents found on disk, enqueueing fetch"
    return Plan(subdomain, OCR, "fetch", nothing, moves=True)


def _open_rows(conn: Connection, subdomain: str) -> int:
    run = pipeline_state.active_run(conn, subdomain)
    assert run is not None
    open_states = [ledger.sql_word(Item.PENDING), ledger.sql_word(Item.RUNNING)]
    return conn.execute(
        select(func.count())
        .select_from(items_table.join(jobs_table, jobs_table.c.id == items_table.c.job_id))
        .where(jobs_table.c.run_id == run.run_id, items_table.c.state.in_(open_states))
        .where(items_table.c.step != Step.UNNAMED)
    ).scalar_one()


def _complete_but_open(conn: Connection, subdomain: str) -> Row[Any] | None:
    """Return a stage to be closed; not a fetch, which must say what it found."""
    run = pipeline_state.active_run(conn, subdomain)
    assert run is not None
    return conn.execute(
        select(jobs_table)
        .where(jobs_table.c.run_id == run.run_id, jobs_table.c.state == "open")
        .where(jobs_table.c.completed + jobs_table.c.failed == jobs_table.c.total)
        .where(jobs_table.c.stage != FETCH)
    ).first()


# --------------------------------------------------------------------------------- doing


def recover_stuck_site(subdomain: str) -> bool:
    """Do what a site needs and say whether that set it moving."""
    return recover(subdomain).moves


def recover(subdomain: str) -> Plan:
    """Decide under the site's lock, do it, and return the plan that was carried out."""
    plan = _recover(subdomain)
    if plan.moves or plan.action == "offer":
        queue.offer(QUEUES)
    return plan


def _recover(subdomain: str) -> Plan:
    with civic_db_connection() as conn:
        lock_site(conn, subdomain)
        run = pipeline_state.active_run(conn, subdomain)
        if run is not None:
            ledger.hold_run(conn, run.run_id, exclusive=True)
        plan = decide(conn, subdomain)
        _carry_out(conn, plan)
    return plan


def _carry_out(conn: Connection, plan: Plan) -> None:
    subdomain = plan.subdomain
    if plan.action == "fetch":
        road.start_run(conn, subdomain, options={"opened_by": "reconciliation"})
    elif plan.action in ("compile", "deploy"):
        first = {"compile": COMPILATION, "deploy": DEPLOY}[plan.action]
        road.resume_run(conn, subdomain, first)
    elif plan.action in ("read", "give up"):
        _restate_reading(conn, plan)
    elif plan.action == "advance":
        job = _complete_but_open(conn, subdomain)
        assert job is not None
        road.close(conn, job, [None] if job.kind == Kind.COORDINATOR else [])


def _restate_reading(conn: Connection, plan: Plan) -> None:
    """Write a reading as the disk shows it, and close the stage if nothing is left to read."""
    subdomain = plan.subdomain
    job = pipeline_state.job_of_stage(conn, subdomain, OCR)
    if job is None:
        job = pipeline_state.adopt(conn, require_site(conn, subdomain))
    _cancel_counted(conn, job.id)
    lost = "Neither text nor PDF on disk, or failed before"
    finished = {"step": Step.CARRIED, "available_at": None}
    rows: list[dict[str, Any]] = [
        finished | {"documents": plan.completed, "state": Item.COMPLETED},
        finished | {"documents": plan.failed, "state": Item.FAILED, "error": lost},
        *({"document": name} for name in plan.documents),
    ]
    ledger.add_items(conn, job.id, job.run_id, [row for row in rows if row.get("documents", 1)])
    job = ledger.recount(conn, job.id)
    pipeline_state.enter(conn, subdomain, OCR)
    pipeline_state.show_job(conn, job)
    if plan.action == "give up":
        road.end_run(conn, job, Run.FAILED, plan.message, stage=OCR)
    elif job.completed + job.failed == job.total:
        road.close(conn, job, [])


def _cancel_counted(conn: Connection, job_id: int) -> None:
    items = items_table
    conn.execute(
        update(items)
        .where(items.c.job_id == job_id, items.c.step.in_([Step.UNNAMED, Step.CARRIED]))
        .values(state=Item.CANCELLED, finished_at=db_now())
    )


# ------------------------------------------------------------------------ the whole of it


def reconcile(
    threshold_hours: float = 2, *, dry_run: bool = False, who: str = ""
) -> Iterator[Plan | Reconciliation]:
    """Yield the plan of each stuck site as it is carried out, then the whole.

    First, whatever the threshold, work is taken back from dead workers and offered again.  ``who``
    is the person who wanted it, for the audit; a timer is nobody.
    """
    whole = Reconciliation()
    whole.crashed_batches = _count_dead() if dry_run else workers.sweep()
    for site in find_stuck_sites(threshold_hours):
        plan = _plan(site, _look if dry_run else _recover)
        whole.found.append(plan)
        whole.recovered += plan.moves
        yield plan
    if not dry_run:
        queue.offer(QUEUES)
        _record(whole, who)
    yield whole


def _plan(site: Row[Any], see_to: Callable[[str], Plan]) -> Plan:
    """See to one site; whatever is odd about it does not keep the others waiting."""
    try:
        return see_to(site.subdomain)
    except (DatabaseUnavailable, OperatorError):
        raise
    except Exception as error:  # noqa: BLE001 - the edge of a loop: the next site gets its turn
        reason = f"It cannot be recovered: {type(error).__name__}: {error}".splitlines()[0]
        return Plan(site.subdomain, site.current_stage, "none", reason, needs_person=True)


def _look(subdomain: str) -> Plan:
    with reading_connection() as conn:
        return decide(conn, subdomain)


def _count_dead() -> int:
    with reading_connection() as conn:
        return len(ledger.batches_of_the_dead(conn, liveness.dead_on_this_host(conn)))


def _record(whole: Reconciliation, who: str) -> None:
    """Keep what was done, and in the same transaction which person wanted it."""
    detail = {"found": len(whole.found), "crashed_batches": whole.crashed_batches}
    with civic_db_connection() as conn:
        liveness.forget_the_long_dead(conn)
        ledger.record(
            conn,
            "reconciled",
            completed=whole.recovered,
            failed=len(whole.need_a_person),
            detail=json.dumps(detail),
        )
        if who:
            recovered = f"{len(whole.found)} found, {whole.recovered} recovered"
            ledger.audit(conn, who, "reconciled", detail=recovered)


def _any_text(subdomain: str) -> bool:
    return any(storage.text_documents(_folder(subdomain), incomplete=True))


def _folder(subdomain: str) -> Path:
    return storage.site_folder(config.load().storage_dir, subdomain)
