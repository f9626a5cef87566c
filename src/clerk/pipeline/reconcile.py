"""Reconciliation: find sites that stopped, decide what each needs, and do it.

Safe to run at any time, by anybody.  Dead workers are detected by their leases within seconds, with
or without it.  What reconciliation adds: sites an older system left in a stage without a run are
taken into the ledger, counters are brought in line with the disk, and stages whose end was missed
are closed.  It never advances a site because of a timestamp: the threshold only says which sites
are checked.

:func:`decide` returns a :class:`RecoveryPlan` and changes nothing, so a dry run makes the same
decision as a real one.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from datetime import datetime, timedelta
from enum import StrEnum
from functools import partial
from typing import Any

from sqlalchemy import (
    ColumnElement,
    Connection,
    Select,
    exists,
    func,
    or_,
    select,
    update,
)

from clerk.core import installation, manifest, site_files, storage
from clerk.core.config import Settings
from clerk.core.db import civic_db_connection, lock_site, reading_connection, require_site
from clerk.core.errors import (
    ClerkError,
    DatabaseUnavailable,
    InvalidInput,
    InvalidSubdomain,
    OperatorError,
    StorageIncomplete,
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
from clerk.core.run_options import NO_OPTIONS, RunOptions
from clerk.core.site_extra import SiteRow
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

from . import flow, ledger, queues, site_counters, steps, transitions
from .batches import BatchJobTracking
from .scan import scan_site

#: Upper bound of the threshold: beyond a century a database's calendar ends.
MOST_HOURS = 1_000_000

#: How many files a message names.
NAMES_SHOWN = 5


class Action(StrEnum):
    """What reconciliation does with a site."""

    NONE = "none"
    FETCH = "fetch"
    #: Write the reading as the disk shows it, and read what is missing.
    READ = "read"
    #: The same, and end the run as failed: nothing could be read.
    GIVE_UP = "give up"
    #: Close a stage whose documents are all accounted for.
    ADVANCE = "advance"
    COMPILE = "compile"
    DEPLOY = "deploy"
    #: Notify workers; the work is in the queue.
    OFFER = "offer"


@dataclass(frozen=True)
class RecoveryPlan:
    """What a site needs, in words and in figures.

    ``moves``: the site continues once it is carried out.  ``needs_person``: clerk cannot help.
    """

    subdomain: str
    stage: str
    action: Action
    message: str
    moves: bool = False
    needs_person: bool = False
    completed: int = 0
    failed: int = 0
    documents: tuple[str, ...] = ()


@dataclass
class Reconciliation:
    """What one reconciliation found and did."""

    found: list[RecoveryPlan] = field(default_factory=list)
    recovered: int = 0
    crashed_batches: int = 0

    @property
    def need_a_person(self) -> list[RecoveryPlan]:
        """The sites that clerk cannot help."""
        return [plan for plan in self.found if plan.needs_person]


# ------------------------------------------------------------------------------- finding


@dataclass(frozen=True)
class StuckSite:
    """A site in a stage without progress that nobody works on; columns of ``sites``."""

    subdomain: str
    current_stage: str
    started_at: datetime | None
    updated_at: datetime | None
    coordinator_enqueued: bool
    ocr_total: int
    ocr_completed: int
    ocr_failed: int


_STUCK_SITE_COLUMNS = [sites_table.c[each.name] for each in fields(StuckSite)]


def find_stuck_sites(threshold_hours: float = 2) -> list[StuckSite]:
    """Return the sites in a stage without progress for this long that nobody works on."""
    _check_threshold(threshold_hours)
    with reading_connection() as conn:
        return stuck_sites(conn, threshold_hours)


def _check_threshold(hours: float) -> None:
    if not 0 <= hours <= MOST_HOURS:
        raise InvalidInput(f"The threshold must be between 0 and {MOST_HOURS} hours, not {hours}.")


def stuck_sites(conn: Connection, threshold_hours: float) -> list[StuckSite]:
    """Return the stuck sites, within a transaction."""
    silent = [StuckSite(*row) for row in conn.execute(_silent(threshold_hours))]
    if not silent:
        return []
    moving = _in_work(conn) | _waiting_for_a_live_worker(conn)
    return [site for site in silent if site.subdomain not in moving]


def _silent(threshold_hours: float) -> Select[Any]:
    sites = sites_table
    cutoff = db_now(-3600.0 * threshold_hours)
    return (
        select(*_STUCK_SITE_COLUMNS)
        .where(sites.c.current_stage != COMPLETED, sites.c.current_stage.is_not(None))
        .where(or_(sites.c.updated_at < cutoff, sites.c.updated_at.is_(None)))
        .order_by(sites.c.subdomain)
    )


def _in_work(conn: Connection, *only: ColumnElement[bool]) -> set[str]:
    """Return the sites a live worker works on: slow is not stuck."""
    rows = conn.execute(
        select(jobs_table.c.subdomain)
        .join(batches_table, batches_table.c.parent_job_id == jobs_table.c.id)
        .join(workers_table, workers_table.c.id == batches_table.c.worker_id)
        .where(batches_table.c.status == ledger.sql_word(Batch.RUNNING))
        .where(workers_table.c.lease_until >= db_now(), *only)
    )
    return set(rows.scalars())


def _waiting_for_a_live_worker(conn: Connection, *only: ColumnElement[bool]) -> set[str]:
    """Return the sites whose work waits in a queue that is served: a backlog is not a fault.

    Work that needs a person does not count: it is claimed again and again without success.
    """
    served: set[str] = set()
    alive = select(workers_table.c.queues).where(workers_table.c.lease_until >= db_now())
    for names in conn.execute(alive).scalars():
        served |= set(names.split(","))
    waiting = exists().where(
        items_table.c.job_id == jobs_table.c.id,
        items_table.c.state == ledger.sql_word(Item.PENDING),
        items_table.c.available_at.is_not(None),
        or_(items_table.c.error_kind.is_(None), ~_met_trouble()),
    )
    rows = conn.execute(
        select(jobs_table.c.subdomain)
        .where(jobs_table.c.state == ledger.sql_word("open"), jobs_table.c.queue.in_(list(served)))
        .where(waiting, *only)
    )
    return set(rows.scalars())


def _met_trouble() -> ColumnElement[bool]:
    """Return the condition that an item has an error that only a person can fix."""
    return items_table.c.error_kind.in_(_TROUBLES)


def _family(error: type[Exception]) -> Iterator[str]:
    yield error.__name__
    for narrower in error.__subclasses__():
        yield from _family(narrower)


_TROUBLES = tuple(_family(OperatorError))


def waiting_for_a_person(conn: Connection) -> dict[str, str]:
    """Return the sites whose work waits until a person fixes something, and what that is."""
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
class _OpenWork:
    """What of an active run is open: named items, and documents known only by their number."""

    items: int = 0
    unnamed: int = 0
    #: The error that needs a person, if there is one.
    trouble: str = ""


def _open_work(conn: Connection, *only: ColumnElement[bool]) -> dict[str, _OpenWork]:
    """Return the open work of every active run, by site, in one statement."""
    items, jobs, runs = items_table, jobs_table, runs_table
    unnamed = items.c.step == Step.UNNAMED
    rows = conn.execute(
        select(
            runs.c.subdomain,
            func.count().filter(~unnamed).label("named"),
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
    return {row.subdomain: _OpenWork(row.named, row.unnamed, row.trouble or "") for row in rows}


def has_work(conn: Connection, run_id: str) -> bool:
    """Whether a run has open work, and all of it is known by name."""
    open_work = _open_work(conn, runs_table.c.run_id == run_id)
    return any(each.items and not each.unnamed for each in open_work.values())


# ------------------------------------------------------------------------------ deciding


def decide(conn: Connection, settings: Settings, subdomain: str) -> RecoveryPlan:
    """Return what a site needs; changes nothing."""
    site = require_site(conn, subdomain)
    stage = site["current_stage"]
    if stage == COMPLETED or stage is None:
        return RecoveryPlan(subdomain, stage or "", Action.NONE, "Nothing to do")
    if stage not in STAGES:
        unknown = f"Unknown stage '{stage}'"
        return RecoveryPlan(subdomain, stage, Action.NONE, unknown, needs_person=True)
    try:
        run = transitions.active_run(conn, subdomain)
        plan = _decide_with_run(conn, site, settings, run.run_id) if run is not None else None
        return plan or _decide_without_run(conn, site, settings)
    except (InvalidSubdomain, StorageIncomplete, OSError) as error:
        message = f"Its files cannot be read: {error}"
        return RecoveryPlan(subdomain, stage, Action.NONE, message, needs_person=True)


def _decide_with_run(
    conn: Connection, site: SiteRow, settings: Settings, run_id: str
) -> RecoveryPlan | None:
    """Return what an active run needs; None if it has neither open work nor a stage to close."""
    subdomain, stage = site["subdomain"], site["current_stage"] or ""
    job = transitions.job_of_stage(conn, subdomain, OCR)
    work = _open_work(conn, runs_table.c.run_id == run_id).get(subdomain, _OpenWork())
    if job is not None and job.state == "open":
        counted = _CountedDocuments.of(conn, job.id)
        if counted.unaccounted or not work.items:
            return _decide_reading(conn, subdomain, settings, counted)
    if work.items:
        of_run = jobs_table.c.run_id == run_id
        if _in_work(conn, of_run) or _waiting_for_a_live_worker(conn, of_run):
            return RecoveryPlan(subdomain, stage, Action.NONE, "A worker is working on it")
        return _plan_for_waiting(subdomain, stage, work)
    if (unclosed := _complete_but_open(conn, run_id)) is not None:
        message = f"All documents of {unclosed.stage} are accounted for, enqueueing what follows"
        return RecoveryPlan(subdomain, stage, Action.ADVANCE, message, moves=True)
    return None


def _decide_without_run(conn: Connection, site: SiteRow, settings: Settings) -> RecoveryPlan:
    subdomain, stage = site["subdomain"], site["current_stage"] or ""
    if stage == OCR:
        totals = (site["ocr_completed"], site["ocr_failed"], site["ocr_total"])
        return _decide_reading(conn, subdomain, settings, _CountedDocuments(*totals))
    if stage == FETCH:
        message = "Fetch did not finish, enqueueing it"
        return RecoveryPlan(subdomain, stage, Action.FETCH, message, moves=True)
    if settings.storage_url:
        has_text = manifest.has_text(conn, subdomain)
        is_compiled = site_files.current_database(conn, subdomain) is not None
    else:
        installation.require_marked_directory(conn, settings)
        folder = storage.site_folder(settings.storage_dir, subdomain)
        has_text = any(storage.text_documents(folder, incomplete=True))
        is_compiled = storage.compiled_database(folder).is_file()
    if not has_text:
        action, message = Action.FETCH, f"Stuck in {stage} without any text, enqueueing fetch"
    elif stage == DEPLOY and is_compiled:
        action, message = Action.DEPLOY, "Deploy did not finish, enqueueing it"
    else:
        action = Action.COMPILE
        message = f"Stuck in {stage}, enqueueing compilation and extraction"
    return RecoveryPlan(subdomain, stage, action, message, moves=True)


def _plan_for_waiting(subdomain: str, stage: str, work: _OpenWork) -> RecoveryPlan:
    message = f"{work.items} wait for a worker and none is running"
    if work.trouble:
        message = f"It waits for a person: {work.trouble}"
    return RecoveryPlan(subdomain, stage, Action.OFFER, message, needs_person=True)


@dataclass(frozen=True)
class _CountedDocuments:
    """Documents of a reading that are only counted, and the names of the others."""

    completed: int
    failed: int
    total: int
    named: frozenset[str] = frozenset()

    @classmethod
    def of(cls, conn: Connection, job_id: int) -> _CountedDocuments:
        """Count the documents of a reading."""
        items = items_table
        rows = conn.execute(
            select(items.c.state, func.sum(items.c.documents).label("documents"))
            .where(items.c.job_id == job_id, items.c.step.in_([Step.UNNAMED, Step.CARRIED]))
            .where(items.c.state != Item.CANCELLED)
            .group_by(items.c.state)
        )
        by_state = {row.state: row.documents for row in rows}
        names = conn.execute(
            select(items.c.document).where(items.c.job_id == job_id, items.c.document.is_not(None))
        ).scalars()
        return cls(
            completed=by_state.get(Item.COMPLETED, 0),
            failed=by_state.get(Item.FAILED, 0),
            total=sum(by_state.values()),
            named=frozenset(names),
        )

    @property
    def unaccounted(self) -> int:
        """Documents without a result and without a name."""
        return self.total - self.completed - self.failed


def _decide_reading(
    conn: Connection, subdomain: str, settings: Settings, counted: _CountedDocuments
) -> RecoveryPlan:
    """Bring a reading in line with the disk, or with the manifest where the files are in a store.

    Text on disk is read; a PDF without text is read again, unless every document was accounted for
    and there are no more of them than failures; what is neither is lost and counts as failed.
    """
    unusable: list[str] = []
    if settings.storage_url:
        rows = manifest.documents(conn, subdomain)
        text = {row.name for row in rows if row.text_sha256 and not row.failed_pages}
        pdfs = {row.name for row in rows if row.pdf_sha256}
    else:
        installation.require_marked_directory(conn, settings)
        folder = storage.site_folder(settings.storage_dir, subdomain)
        text = {each.name for each in storage.text_documents(folder)}
        pdfs = {each.name for each in storage.pdf_documents(folder)}
        unusable = storage.unusable_names(folder)
    text -= counted.named
    pdfs -= counted.named | text
    known_failures = not counted.unaccounted and len(pdfs) <= counted.failed
    again = () if known_failures else tuple(sorted(pdfs))
    failed = max(0, counted.total - len(text) - len(again))
    action, moves = Action.READ, True
    if again:
        message = f"Found {len(text)} completed documents, enqueueing {len(again)} that are missing"
    elif text or counted.named:
        message = f"Found {len(text)} completed documents, enqueueing coordinator"
    elif failed:
        action, moves = Action.GIVE_UP, False
        message = "No completed OCR documents found - ALL OCR failed"
    else:
        action, message = Action.FETCH, "No documents found on disk, enqueueing fetch"
    plan = RecoveryPlan(
        subdomain,
        OCR,
        action,
        message,
        moves=moves,
        needs_person=not moves,
        completed=len(text),
        failed=failed,
        documents=again,
    )
    if unusable:
        more = f" and {len(unusable) - NAMES_SHOWN} more" if len(unusable) > NAMES_SHOWN else ""
        listed = ", ".join(unusable[:NAMES_SHOWN]) + more
        advice = "rename these, their names are not UTF-8 or contain secrets"
        plan = replace(plan, message=f"{message}; {advice}: {listed}", needs_person=True)
    return plan


def _complete_but_open(conn: Connection, run_id: str) -> ledger.Job | None:
    """Return a stage to be closed; not a fetch, which must report what it found."""
    row = conn.execute(
        select(jobs_table)
        .where(jobs_table.c.run_id == run_id, jobs_table.c.state == "open")
        .where(jobs_table.c.completed + jobs_table.c.failed == jobs_table.c.total)
        .where(jobs_table.c.stage != FETCH)
    ).first()
    return None if row is None else ledger.job_from(row)


# --------------------------------------------------------------------------------- doing


def recover(settings: Settings, subdomain: str) -> RecoveryPlan:
    """Decide under the site's lock, do it, and return the plan that was carried out."""
    plan = _recover(settings, subdomain)
    if plan.moves or plan.action == Action.OFFER:
        queues.offer(settings, QUEUES)
    return plan


def _recover(
    settings: Settings, subdomain: str, threshold_hours: float | None = None
) -> RecoveryPlan:
    files = _files_to_read(settings, _look(settings, subdomain))
    with civic_db_connection() as conn:
        lock_site(conn, subdomain)
        run = transitions.active_run(conn, subdomain)
        if run is not None:
            ledger.hold_run(conn, run.run_id, exclusive=True)
        if threshold_hours is not None:
            still_silent = _silent(threshold_hours).where(sites_table.c.subdomain == subdomain)
            if conn.execute(still_silent).first() is None:
                return RecoveryPlan(
                    subdomain, "", Action.NONE, "It has been recovered in the meantime"
                )
        plan = decide(conn, settings, subdomain)
        if plan.action == Action.FETCH:
            transitions.start_run(conn, subdomain, options=RunOptions(opened_by="reconciliation"))
        elif plan.action == Action.COMPILE:
            transitions.resume_run(conn, subdomain, COMPILATION)
        elif plan.action == Action.DEPLOY:
            transitions.resume_run(conn, subdomain, DEPLOY)
        elif plan.action in (Action.READ, Action.GIVE_UP):
            _restate_reading(conn, plan, files)
        elif plan.action == Action.ADVANCE:
            run = transitions.active_run(conn, subdomain)
            job = _complete_but_open(conn, run.run_id) if run else None
            assert job is not None, "that is what the plan was made for"
            transitions.close_stage(conn, job, [None] if job.kind == Kind.COORDINATOR else [])
    return plan


def _look(settings: Settings, subdomain: str) -> RecoveryPlan:
    with reading_connection() as conn:
        return decide(conn, settings, subdomain)


@dataclass(frozen=True)
class _FilesToRead:
    """What the ledger records of documents to read: size and hash of each, and the engine."""

    documents: Mapping[str, ledger.NewItem] = field(default_factory=dict)
    engine: str = ""


def _files_to_read(settings: Settings, plan: RecoveryPlan) -> _FilesToRead:
    """Hash the files of a plan; outside the lock, because that may take a while."""
    if not plan.documents:
        return _FilesToRead()
    with reading_connection() as conn:
        site = require_site(conn, plan.subdomain)
    scan_site(settings, plan.subdomain)
    with reading_connection() as conn:
        documents = {
            row.name: ledger.NewItem(row.name, row.bytes, row.pdf_sha256 or "")
            for row in manifest.documents(conn, plan.subdomain)
        }
    try:
        return _FilesToRead(documents, steps.engine_of(site, NO_OPTIONS, settings))
    except ClerkError:
        return _FilesToRead(documents)


def _restate_reading(conn: Connection, plan: RecoveryPlan, files: _FilesToRead) -> None:
    """Write a reading as the disk shows it, and close the stage if nothing is left to read."""
    subdomain, items = plan.subdomain, items_table
    job = transitions.job_of_stage(conn, subdomain, OCR)
    if job is None:
        job = transitions.adopt(conn, require_site(conn, subdomain))
    conn.execute(
        update(items)
        .where(items.c.job_id == job.id, items.c.step.in_([Step.UNNAMED, Step.CARRIED]))
        .values(state=Item.CANCELLED, finished_at=db_now())
    )
    lost = "Neither text nor PDF on disk, or failed before"
    done = partial(ledger.NewItem, step=Step.CARRIED)
    rows = [
        done(documents=plan.completed, state=Item.COMPLETED),
        done(documents=plan.failed, state=Item.FAILED, error=lost),
        *(files.documents.get(name) or ledger.NewItem(name) for name in plan.documents),
    ]
    if files.engine and not job.reader:
        ledger.note_detail(conn, job.id, {**job.detail, "engine": files.engine})
    ledger.add_items(conn, job.id, job.run_id, [row for row in rows if row.documents])
    job = ledger.recount(conn, job.id)
    site_counters.enter(conn, subdomain, OCR)
    site_counters.show_job(conn, job)
    if plan.action == Action.GIVE_UP:
        transitions.end_run(conn, job, Run.FAILED, plan.message, stage=OCR)
    elif transitions.is_over(conn, job):
        transitions.close_stage(conn, job, [])


def detect_crashed_batches(settings: Settings, timeout: timedelta) -> int:
    """Take batches back from dead workers, and return how many there were.

    Batches that operators' scripts keep have no worker of clerk: they count as crashed when they
    were not updated for ``timeout``.
    """
    taken_back = flow.sweep(settings)
    silent = BatchJobTracking.possibly_crashed(timeout).where(batches_table.c.claim.is_(None))
    return taken_back + sum(batch.mark_crashed() for batch in silent)


# ----------------------------------------------------------------------- reconciling all


def reconcile(
    settings: Settings, threshold_hours: float = 2, *, dry_run: bool = False, who: str = ""
) -> Iterator[RecoveryPlan | Reconciliation]:
    """Yield the plan of each stuck site as it is carried out, then the result of all.

    First, whatever the threshold, the work of dead workers is released.  ``who`` is the person who
    started it, for the audit log; a timer is nobody.
    """
    _check_threshold(threshold_hours)
    whole = Reconciliation()
    if dry_run:
        with reading_connection() as conn:
            dead = ledger.dead_on_this_host(conn)
            silence = settings.crash_detection_timeout
            whole.crashed_batches = len(ledger.batches_of_the_dead(conn, silence, dead))
    else:
        whole.crashed_batches = flow.sweep(settings)
    open_work: Mapping[str, _OpenWork] = {}
    stuck: Sequence[StuckSite] = ()
    with reading_connection() as conn:
        if conn.execute(_silent(threshold_hours).limit(1)).first() is not None:
            # In this order: a site that another reconciliation recovers in between is not taken
            # for one that waits for a worker.
            open_work = _open_work(conn)
            stuck = stuck_sites(conn, threshold_hours)
    for site in stuck:
        work = open_work.get(site.subdomain, _OpenWork())
        try:
            if work.items and not work.unnamed and site.current_stage in STAGES:
                # It only waits for a worker or a person.
                plan = _plan_for_waiting(site.subdomain, site.current_stage, work)
            elif dry_run:
                plan = _look(settings, site.subdomain)
            else:
                plan = _recover(settings, site.subdomain, threshold_hours)
        except (DatabaseUnavailable, OperatorError):
            raise
        except Exception as error:  # noqa: BLE001 - the edge of a loop: the next site gets its turn
            reason = f"It cannot be recovered: {type(error).__name__}: {error}".splitlines()[0]
            plan = RecoveryPlan(
                site.subdomain, site.current_stage, Action.NONE, reason, needs_person=True
            )
        if plan.action == Action.NONE and not plan.needs_person:
            continue
        whole.found.append(plan)
        whole.recovered += plan.moves
        yield plan
    if not dry_run:
        queues.offer(settings, QUEUES)
        _record(whole, who)
    yield whole


def _record(whole: Reconciliation, who: str) -> None:
    """Record what was done, and in the same transaction which person started it."""
    detail = {"found": len(whole.found), "crashed_batches": whole.crashed_batches}
    with civic_db_connection() as conn:
        ledger.forget_dead_workers(conn)
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
