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
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

from sqlalchemy import (
    ColumnElement,
    Connection,
    Row,
    Select,
    exists,
    func,
    or_,
    select,
    update,
)

from clerk.core import config, storage
from clerk.core.db import civic_db_connection, lock_site, reading_connection, require_site
from clerk.core.errors import (
    ClerkError,
    DatabaseUnavailable,
    InvalidInput,
    InvalidSubdomain,
    OperatorError,
)
from clerk.core.models import (
    batches_table,
    db_now,
    items_table,
    jobs_table,
    runs_table,
    sites_table,
    workers_table,
)
from clerk.core.states import (
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
from clerk.fetch.sources import stored_pdfs

from . import ledger, liveness, pipeline_state, queue, steps, transitions, workers

#: A century; beyond that a database's calendar ends.
MOST_HOURS = 1_000_000

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
    _check_threshold(threshold_hours)
    with reading_connection() as conn:
        return stuck_sites(conn, threshold_hours)


def _check_threshold(hours: float) -> None:
    if not 0 <= hours <= MOST_HOURS:
        raise InvalidInput(f"The threshold must be between 0 and {MOST_HOURS} hours, not {hours}.")


def stuck_sites(conn: Connection, threshold_hours: float) -> list[Row[Any]]:
    """Return the same sites, seen by a connection that is open already."""
    silent = conn.execute(_silent(threshold_hours)).fetchall()
    if not silent:
        return []
    moving = _in_hand(conn) | _waiting_for_a_live_worker(conn)
    return [site for site in silent if site.subdomain not in moving]


def _silent(threshold_hours: float) -> Select[Any]:
    sites = sites_table
    cutoff = db_now(-3600.0 * threshold_hours)
    return (
        select(sites)
        .where(sites.c.current_stage != COMPLETED, sites.c.current_stage.is_not(None))
        .where(or_(sites.c.updated_at < cutoff, sites.c.updated_at.is_(None)))
        .order_by(sites.c.subdomain)
    )


def _in_hand(conn: Connection, *only: ColumnElement[bool]) -> set[str]:
    """Sites a live worker is busy with: slow is not stuck."""
    rows = conn.execute(
        select(jobs_table.c.subdomain)
        .join(batches_table, batches_table.c.parent_job_id == jobs_table.c.id)
        .join(workers_table, workers_table.c.id == batches_table.c.worker_id)
        .where(batches_table.c.status == ledger.sql_word(Batch.RUNNING))
        .where(workers_table.c.lease_until >= db_now(), *only)
    )
    return set(rows.scalars())


def _waiting_for_a_live_worker(conn: Connection, *only: ColumnElement[bool]) -> set[str]:
    """Sites whose work waits in a queue that is being served: a backlog is not a fault.

    Work that met what only a person can mend is none: it is given out again and again, in vain.
    """
    served: set[str] = set()
    alive = select(workers_table.c.queues).where(workers_table.c.lease_until >= db_now())
    for queues in conn.execute(alive).scalars():
        served |= set(queues.split(","))
    waiting = exists().where(
        items_table.c.job_id == jobs_table.c.id,
        items_table.c.state == ledger.sql_word(Item.PENDING),
        items_table.c.available_at.is_not(None),
        or_(items_table.c.error.is_(None), ~_met_trouble()),
    )
    rows = conn.execute(
        select(jobs_table.c.subdomain)
        .where(jobs_table.c.state == ledger.sql_word("open"), jobs_table.c.queue.in_(list(served)))
        .where(waiting, *only)
    )
    return set(rows.scalars())


def _met_trouble() -> ColumnElement[bool]:
    """The condition that a piece of work met what only a person can mend."""
    return or_(*(items_table.c.error.startswith(f"{name}: ") for name in _TROUBLES))


def _family(error: type[Exception]) -> Iterator[str]:
    yield error.__name__
    for narrower in error.__subclasses__():
        yield from _family(narrower)


_TROUBLES = tuple(_family(OperatorError))


def waiting_for_a_person(conn: Connection) -> dict[str, str]:
    """Return the sites whose work waits until a person mends something, and what that is."""
    items, jobs = items_table, jobs_table
    rows = conn.execute(
        select(jobs.c.subdomain, func.min(items.c.error).label("error"))
        .join(items, items.c.job_id == jobs.c.id)
        .where(jobs.c.state == ledger.sql_word("open"), jobs.c.subdomain.is_not(None))
        .where(items.c.state == ledger.sql_word(Item.PENDING), _met_trouble())
        .group_by(jobs.c.subdomain)
        .order_by(jobs.c.subdomain)
    )
    return {row.subdomain: row.error for row in rows}


@dataclass(frozen=True)
class _Queued:
    """What of an active run is open: pieces of work, and documents that nobody knows by name."""

    pieces: int = 0
    unnamed: int = 0
    #: What only a person can mend, if the work met it.
    trouble: str = ""


def _queued(conn: Connection, *only: ColumnElement[bool]) -> dict[str, _Queued]:
    """Return what is open of every active run, by site, in one statement however many."""
    items, jobs, runs = items_table, jobs_table, runs_table
    unnamed = items.c.step == Step.UNNAMED
    rows = conn.execute(
        select(
            runs.c.subdomain,
            func.count().filter(~unnamed).label("pieces"),
            func.coalesce(func.sum(items.c.documents).filter(unnamed), 0).label("unnamed"),
            func.min(items.c.error).filter(_met_trouble()).label("trouble"),
        )
        .join(jobs, jobs.c.run_id == runs.c.run_id)
        .join(items, items.c.job_id == jobs.c.id)
        .where(runs.c.state == ledger.sql_word(Run.ACTIVE), *only)
        .where(jobs.c.state == ledger.sql_word("open"))
        .where(items.c.state.in_([ledger.sql_word(Item.PENDING), ledger.sql_word(Item.RUNNING)]))
        .group_by(runs.c.subdomain)
    )
    return {row.subdomain: _Queued(row.pieces, row.unnamed, row.trouble or "") for row in rows}


def has_work(conn: Connection, run_id: str) -> bool:
    """Whether everything open of a run is known by name, and there is something."""
    open_work = _queued(conn, runs_table.c.run_id == run_id)
    return any(each.pieces and not each.unnamed for each in open_work.values())


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
        run = pipeline_state.active_run(conn, subdomain)
        if run is None:
            return _decide_without_run(conn, site)
        return _decide_with_run(conn, site, run.run_id)
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


def _decide_with_run(conn: Connection, site: dict[str, Any], run_id: str) -> Plan:
    subdomain, stage = site["subdomain"], site["current_stage"]
    job = pipeline_state.job_of_stage(conn, subdomain, OCR)
    queued = _queued(conn, runs_table.c.run_id == run_id).get(subdomain, _Queued())
    if job is not None and job.state == "open":
        counted = _counted(conn, job)
        if counted.unnamed or not queued.pieces:
            return _decide_reading(subdomain, counted)
    if queued.pieces:
        return _queued_plan(subdomain, stage, queued, moving=_is_moving(conn, run_id))
    if (unclosed := _complete_but_open(conn, run_id)) is not None:
        message = f"All documents of {unclosed.stage} are accounted for, enqueueing what follows"
        return Plan(subdomain, stage, "advance", message, moves=True)
    return _decide_without_run(conn, site)


def _is_moving(conn: Connection, run_id: str) -> bool:
    """Whether a live worker has some of a run in hand or will get to it."""
    of_run = jobs_table.c.run_id == run_id
    return bool(_in_hand(conn, of_run) | _waiting_for_a_live_worker(conn, of_run))


def _queued_plan(subdomain: str, stage: str, queued: _Queued, *, moving: bool) -> Plan:
    if moving:
        return Plan(subdomain, stage, "none", "A worker is at it")
    away = f"{queued.pieces} wait for a worker and none is running"
    message = f"It waits for a person: {queued.trouble}" if queued.trouble else away
    return Plan(subdomain, stage, "offer", message, needs_person=True)


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
    message = (
        f"{plan.message}; rename these, their names are not UTF-8 or contain secrets: {listed}"
    )
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


def _complete_but_open(conn: Connection, run_id: str) -> Row[Any] | None:
    """Return a stage to be closed; not a fetch, which must say what it found."""
    return conn.execute(
        select(jobs_table)
        .where(jobs_table.c.run_id == run_id, jobs_table.c.state == "open")
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


def _recover(subdomain: str, threshold_hours: float | None = None) -> Plan:
    known = _known_of(_look(subdomain))
    with civic_db_connection() as conn:
        lock_site(conn, subdomain)
        run = pipeline_state.active_run(conn, subdomain)
        if run is not None:
            ledger.hold_run(conn, run.run_id, exclusive=True)
        if threshold_hours is not None and not _is_silent(conn, subdomain, threshold_hours):
            return Plan(subdomain, "", "none", "Somebody else set it moving")
        plan = decide(conn, subdomain)
        _carry_out(conn, plan, known)
    return plan


@dataclass(frozen=True)
class _Known:
    """What a reading is remembered by: the bytes of its documents, and the reader."""

    documents: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    engine: str = ""


def _known_of(plan: Plan) -> _Known:
    """Look at the files of a plan; without a lock, for hashing them may take a while."""
    if not plan.documents:
        return _Known()
    with reading_connection() as conn:
        site = require_site(conn, plan.subdomain)
    held = {
        each.name: {"bytes": each.bytes, "sha256": each.sha256}
        for each in stored_pdfs(_folder(plan.subdomain))
    }
    try:
        return _Known(held, steps.engine_of(site, {}, config.load()))
    except ClerkError:
        return _Known(held)


def _is_silent(conn: Connection, subdomain: str, threshold_hours: float) -> bool:
    this = sites_table.c.subdomain == subdomain
    return conn.execute(_silent(threshold_hours).where(this)).first() is not None


def _carry_out(conn: Connection, plan: Plan, known: _Known) -> None:
    subdomain = plan.subdomain
    if plan.action == "fetch":
        transitions.start_run(conn, subdomain, options={"opened_by": "reconciliation"})
    elif plan.action in ("compile", "deploy"):
        first = {"compile": COMPILATION, "deploy": DEPLOY}[plan.action]
        transitions.resume_run(conn, subdomain, first)
    elif plan.action in ("read", "give up"):
        _restate_reading(conn, plan, known)
    elif plan.action == "advance":
        run = pipeline_state.active_run(conn, subdomain)
        job = _complete_but_open(conn, run.run_id) if run else None
        assert job is not None, "that is what the plan was made for"
        transitions.close(conn, job, [None] if job.kind == Kind.COORDINATOR else [])


def _restate_reading(conn: Connection, plan: Plan, known: _Known) -> None:
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
        *({"document": name, **known.documents.get(name, {})} for name in plan.documents),
    ]
    if known.engine and not job.detail.get("engine"):
        ledger.note_detail(conn, job.id, {**job.detail, "engine": known.engine})
    ledger.add_items(conn, job.id, job.run_id, [row for row in rows if row.get("documents", 1)])
    job = ledger.recount(conn, job.id)
    pipeline_state.enter(conn, subdomain, OCR)
    pipeline_state.show_job(conn, job)
    if plan.action == "give up":
        transitions.end_run(conn, job, Run.FAILED, plan.message, stage=OCR)
    elif job.completed + job.failed == job.total:
        transitions.close(conn, job, [])


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
    _check_threshold(threshold_hours)
    whole = Reconciliation()
    whole.crashed_batches = _count_dead() if dry_run else workers.sweep()
    see_to = _look if dry_run else partial(_recover, threshold_hours=threshold_hours)
    for site, plan in _found(threshold_hours):
        plan = plan or _plan(site, see_to)
        if plan.action == "none" and not plan.needs_person:
            continue
        whole.found.append(plan)
        whole.recovered += plan.moves
        yield plan
    if not dry_run:
        queue.offer(QUEUES)
        _record(whole, who)
    yield whole


def _found(threshold_hours: float) -> list[tuple[Row[Any], Plan | None]]:
    """Return the stuck sites, and the plan of those that only wait: there is nothing to look at.

    What waits is seen before what is stuck, so that a site that another reconciliation sets moving
    in between is not taken for one that waits for a worker.
    """
    with reading_connection() as conn:
        if conn.execute(_silent(threshold_hours).limit(1)).first() is None:
            return []
        queued = _queued(conn)
        stuck = stuck_sites(conn, threshold_hours)
    return [(site, _plan_of_waiting(site, queued.get(site.subdomain))) for site in stuck]


def _plan_of_waiting(site: Row[Any], queued: _Queued | None) -> Plan | None:
    if queued is None or queued.unnamed or not queued.pieces or site.current_stage not in STAGES:
        return None
    return _queued_plan(site.subdomain, site.current_stage, queued, moving=False)


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
