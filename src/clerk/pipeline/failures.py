"""Failed documents and steps: list them with the usual remedy, retry or skip them.

A site's failures are those of its last reading and of its last run.  Retry and skip act on exactly
the failures they are given, and leave alone those that have changed since they were listed.

::

    retry   the document is removed from the failed count and read again: in the reading that is
            running, else in a new run that reads only that
    skip    the document is left out of the counts, now and in later runs, until its bytes change
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from fnmatch import fnmatchcase
from itertools import groupby
from pathlib import Path
from typing import Any

import msgspec
from sqlalchemy import Connection, Row, Select, and_, case, false, func, or_, select, union

from clerk.core import storage
from clerk.core.config import Settings
from clerk.core.db import (
    civic_db_connection,
    get_civic_db,
    latest_readings,
    latest_run_ids,
    lock_site,
    reading_connection,
    require_site,
)
from clerk.core.errors import InvalidInput, NotFound
from clerk.core.models import (
    db_now,
    documents_table,
    hour_of,
    items_table,
    jobs_table,
    runs_table,
    sites_table,
)
from clerk.core.run_options import RunOptions
from clerk.core.states import (
    COMPILATION,
    DEPLOY,
    EXTRACTION,
    FETCH,
    OCR,
    QUEUES,
    Item,
    Kind,
    Run,
    Step,
)
from clerk.fetch.sources import name_at_source

from . import ledger, queues, remembered_failures, transitions
from .ledger import Job, NewItem

DAY_SECONDS = 86_400.0

#: What usually helps, by the kind of error.
REMEDIES = {
    "UnreadablePdf": "The file is damaged: fetch it again with 'clerk run SITE', or skip it.",
    "UnreadableFile": "Fix the link or the permissions at the source, then 'clerk run SITE'.",
    "EncryptedPdf": "Replace it with a copy without a password and retry, or skip it.",
    "UnsupportedFormat": "Save it as PDF or DOCX (soffice --convert-to pdf FILE), and run again.",
    "UnreadableDocument": "Save it as PDF at the source, then 'clerk run SITE', or skip it.",
    "EmptyDocument": "The source delivered nothing: fetch it again with 'clerk run SITE'.",
    "DocumentTooLarge": "Raise MAX_DOCUMENT_MB or MAX_DOCUMENT_PAGES and retry, or skip it.",
    "FileGone": "Its file was deleted: fetch it again with 'clerk run SITE', or skip it.",
    "PagesFailed": "The good pages are published; retry with another --ocr-backend.",
    "SourceUnavailable": "The source did not answer: retry later.",
    "SourceBlocked": "The source blocks clerk: ask its owner, or skip it.",
    "StorageUnusable": "Free space or fix permissions (clerk doctor), then retry.",
    "MemoryError": "Raise WORKER_MEMORY_MB and retry.",
    "TimeoutError": "Raise PAGE_SECONDS and retry.",
    "CRASH": "It killed its process: raise WORKER_MEMORY_MB or change the engine, then retry.",
    "SiteMisconfigured": "Correct it with 'clerk site edit SITE' or install it, then retry.",
    "UnusableName": "Rename the file in the site's folder (UTF-8, no secrets), then run the site.",
    "UNLISTED": "They are not listed: 'clerk run SITE' reads what can be read.",
    "UNNAMED": "Failed in an older system: retry reads the PDFs that are on disk.",
}
#: The kind of failures that an older system counted and that have no rows here.
UNLISTED = "Counted by an older system"
OTHER_REMEDY = "Inspect one with 'clerk failures show ID', then retry or skip."


@dataclass(frozen=True)
class Filter:
    """Which failures to select; what is None matches all."""

    site: str | None = None
    stage: str | None = None
    #: Part of the error message, for instance its class.
    error: str | None = None
    #: Name of the document, or its file or URL; ``*`` is a wildcard.
    document: str | None = None
    quarantined: bool = False

    def matches(self, failure: Failure) -> bool:
        """Whether a failure matches all given criteria."""
        return (
            self.site in (None, failure.subdomain)
            and self.stage in (None, failure.stage)
            and (not self.quarantined or failure.state == Item.QUARANTINED)
            and (self.error is None or self.error.lower() in failure.error.lower())
            and (
                self.document is None
                or fnmatchcase(failure.document, self.document)
                or fnmatchcase(failure.file, self.document)
            )
        )


@dataclass(frozen=True)
class Failure:
    """A failed document or step; ``id`` and ``attempt`` tell whether it has changed since."""

    id: int
    attempt: int
    subdomain: str
    run_id: str
    stage: str
    step: str
    document: str
    #: How many documents it represents; those of an older system have no names.
    documents: int
    state: str
    error: str
    #: The class of the error; empty where an older system stored none.
    error_kind: str = ""
    errors: int = 0
    crashes: int = 0
    lost: int = 0
    sha256: str = ""
    bytes: int | None = None
    alone: bool = False
    #: When it failed first, also if it was copied into a later run.
    finished_at: datetime | None = None
    #: Whether that is less than a day ago by the database's clock.
    is_recent: bool = False
    #: What the document is called where it came from: a path in a folder, or a URL.
    file: str = ""

    @property
    def kind(self) -> str:
        """The class of the error, or its first sentence."""
        return self.error_kind or self.error.split(". ")[0][:80]

    @property
    def remedy(self) -> str:
        """What usually helps."""
        if self.step == Step.CARRIED:
            return REMEDIES["UNNAMED"]
        if self.crashes or self.lost:
            return REMEDIES["CRASH"]
        return REMEDIES.get(self.kind, OTHER_REMEDY)


@dataclass(frozen=True)
class FailureTotals:
    """How many documents could not be read, and how many steps of a run failed.

    A step is anything else: fetching a site, coordinating, compiling, extracting, deploying.
    """

    documents: int = 0
    steps: int = 0
    #: The documents that failed within the last day.
    documents_24h: int = 0

    @property
    def all(self) -> int:
        """Documents and steps together."""
        return self.documents + self.steps

    def __add__(self, other: FailureTotals) -> FailureTotals:
        return FailureTotals(
            self.documents + other.documents,
            self.steps + other.steps,
            self.documents_24h + other.documents_24h,
        )

    def __str__(self) -> str:
        documents = f"{self.documents} {'document' if self.documents == 1 else 'documents'}"
        steps = f"{self.steps} {'step' if self.steps == 1 else 'steps'}"
        if not self.steps:
            return documents
        return f"{documents} and {steps}" if self.documents else steps


def count_failed(failures: Iterable[Failure]) -> FailureTotals:
    """Return how many documents and steps some failures represent."""
    documents = steps = recent = 0
    for each in failures:
        if each.stage == OCR and each.step != Step.COORDINATOR:
            documents += each.documents
            recent += each.documents if each.is_recent else 0
        else:
            steps += max(1, each.documents)
    return FailureTotals(documents, steps, recent)


@dataclass(frozen=True)
class FailureGroup:
    """Failures of one stage and one kind of error."""

    stage: str
    kind: str
    remedy: str
    failures: tuple[Failure, ...]
    #: Site -> documents that are counted as failed and not listed.
    unlisted: Mapping[str, int] = field(default_factory=dict)

    @property
    def failed(self) -> FailureTotals:
        """How many documents and steps failed."""
        return count_failed(self.failures) + FailureTotals(sum(self.unlisted.values()))

    @property
    def sites(self) -> list[str]:
        """The sites they belong to."""
        return sorted({failure.subdomain for failure in self.failures} | self.unlisted.keys())


@dataclass
class SelectionResult:
    """The result of retrying or skipping a selection."""

    done: FailureTotals = field(default_factory=FailureTotals)
    sites: list[str] = field(default_factory=list)
    #: Failures that had changed since they were selected.
    changed: int = 0
    #: Site -> why nothing was done.
    refused: dict[str, str] = field(default_factory=dict)

    @property
    def documents(self) -> int:
        """How many documents were retried or skipped."""
        return self.done.documents


# ------------------------------------------------------------------------------- listing


def find(wanted: Filter | None = None) -> list[Failure]:
    """Return the failures that match, by site."""
    wanted = wanted or Filter()
    with reading_connection() as conn:
        if wanted.site is not None:
            require_site(conn, wanted.site)
        documents, sites = documents_table, sites_table
        failed = _failures(wanted.site).order_by(None).subquery()
        of_document = and_(
            documents.c.subdomain == failed.c.subdomain, documents.c.name == failed.c.document
        )
        rows = conn.execute(
            select(failed, documents.c.source_url, sites.c.extra)
            .join(documents, of_document, isouter=True)
            .join(sites, sites.c.subdomain == failed.c.subdomain, isouter=True)
            .order_by(failed.c.subdomain, failed.c.id)
        ).fetchall()
    named = (
        replace(
            _as_failure(row),
            file=name_at_source({"extra": row.extra}, row.document or "", row.source_url or ""),
        )
        for row in rows
    )
    return [failure for failure in named if wanted.matches(failure)]


def find_unlisted(conn: Connection, wanted: Filter | None = None) -> dict[str, int]:
    """Return the sites, and how many documents, that an older system counted as failed.

    They were never read here and have neither name nor error, so only a site and a stage find them.
    """
    wanted = wanted or Filter()
    if replace(wanted, site=None, stage=None) != Filter() or wanted.stage not in (None, OCR):
        return {}
    last, sites = latest_readings(), sites_table
    never_read = (
        select(sites.c.subdomain, sites.c.ocr_failed)
        .join(last, last.c.subdomain == sites.c.subdomain, isouter=True)
        .where(last.c.id.is_(None), sites.c.ocr_failed > 0)
        .order_by(sites.c.subdomain)
    )
    if wanted.site is not None:
        never_read = never_read.where(sites.c.subdomain == wanted.site)
    return {row.subdomain: row.ocr_failed for row in conn.execute(never_read)}


def find_groups(wanted: Filter | None = None) -> list[FailureGroup]:
    """Return the failures that match by stage and kind of error, also those only counted."""
    found = groups(find(wanted))
    with reading_connection() as conn:
        unlisted = find_unlisted(conn, wanted)
    if unlisted:
        found.append(FailureGroup(OCR, UNLISTED, REMEDIES["UNLISTED"], (), unlisted))
    return found


def count_in_database(conn: Connection) -> FailureTotals:
    """Return how many documents and steps of all sites are failed, with those only counted."""
    failed = _failures().order_by(None).subquery()
    documents = and_(failed.c.stage == OCR, failed.c.kind == Kind.STAGE)
    steps = case((failed.c.documents > 1, failed.c.documents), else_=1)
    sums = (
        func.sum(failed.c.documents).filter(documents),
        func.sum(steps).filter(~documents),
        func.sum(failed.c.documents).filter(documents, failed.c.is_recent),
    )
    counted = conn.execute(select(*(func.coalesce(each, 0) for each in sums))).one()
    return FailureTotals(*map(int, counted)) + FailureTotals(sum(find_unlisted(conn).values()))


def recent_by_hour(conn: Connection) -> dict[datetime, int]:
    """Return how many failed documents failed within the last day, by the hour."""
    items, readings = items_table, latest_readings()
    hour = hour_of(items.c.finished_at)
    counted = (
        select(hour, func.sum(items.c.documents))
        .where(items.c.job_id.in_(select(readings.c.id)))
        .where(items.c.state.in_([ledger.sql_word("failed"), ledger.sql_word("quarantined")]))
        .where(items.c.finished_at >= db_now(-DAY_SECONDS))
        .group_by(hour)
    )
    return {row[0]: int(row[1]) for row in conn.execute(counted)}


def find_by_id(ids: Iterable[int]) -> list[Failure]:
    """Return failures by their ids; raises NotFound for an id that is not a failure."""
    by_id = {failure.id: failure for failure in find()}
    try:
        return [by_id[each] for each in ids]
    except KeyError as error:
        raise NotFound(
            f"There is no failure {error.args[0]}.", hint="List them: clerk failures list --each"
        ) from None


def _failures(site: str | None = None) -> Select[Any]:
    """Select failures of each site's last reading, and of the other stages of its last run."""
    items, jobs = items_table, jobs_table
    readings, steps = latest_readings(), jobs_table.alias("steps")
    a_step = or_(steps.c.stage != OCR, steps.c.kind == Kind.COORDINATOR)
    # Found from the sites: found from the failures, those of all former runs would be read.
    of_readings = select(readings.c.id)
    of_steps = select(steps.c.id).where(steps.c.run_id.in_(latest_run_ids(site)), a_step)
    if site is not None:
        of_readings = of_readings.where(readings.c.subdomain == site)
    current: Any = union(of_readings, of_steps)
    if get_civic_db().dialect.name == "postgresql":
        # Given an array, PostgreSQL looks each job up; given the query, it reads all failures.
        current = func.any(func.array(current.scalar_subquery()))
        is_current = items.c.job_id == current
    else:
        is_current = items.c.job_id.in_(current)
    is_recent = func.coalesce(items.c.finished_at >= db_now(-DAY_SECONDS), false())
    return (
        select(
            items,
            jobs.c.subdomain,
            jobs.c.stage,
            jobs.c.kind,
            jobs.c.state.label("job_state"),
            is_recent.label("is_recent"),
        )
        .join(jobs, jobs.c.id == items.c.job_id)
        .where(items.c.state.in_([ledger.sql_word("failed"), ledger.sql_word("quarantined")]))
        .where(is_current)
        .order_by(jobs.c.subdomain, items.c.id)
    )


def _as_failure(row: Row[Any]) -> Failure:
    return Failure(
        id=row.id,
        attempt=row.attempt,
        subdomain=row.subdomain,
        run_id=row.run_id,
        stage=row.stage,
        step=row.step,
        document=row.document or "",
        documents=row.documents,
        state=row.state,
        error=row.error or "Not known",
        error_kind=row.error_kind or "",
        errors=row.errors,
        crashes=row.crashes,
        lost=row.lost,
        sha256=row.sha256 or "",
        bytes=row.bytes,
        alone=row.alone,
        finished_at=row.finished_at,
        is_recent=bool(row.is_recent),
    )


def groups(failures: Iterable[Failure]) -> list[FailureGroup]:
    """Return failures by stage and kind of error, the largest group first."""

    def key(failure: Failure) -> tuple[str, str]:
        return failure.stage, failure.kind

    made = []
    for (stage, kind), same in groupby(sorted(failures, key=key), key):
        members = tuple(same)
        made.append(FailureGroup(stage, kind, members[0].remedy, members))
    return sorted(made, key=lambda group: (-group.failed.all, group.stage, group.kind))


def parse_selection(listed: object) -> list[Failure]:
    """Return the failures of a list that ``clerk failures list --each --json`` printed."""
    try:
        return msgspec.convert(listed, list[Failure])
    except msgspec.ValidationError as error:
        raise InvalidInput(
            "That is not a list of failures.",
            hint="Make one: clerk failures list --each --json > failures.json",
        ) from error


# ------------------------------------------------------------------------------ retrying


def retry(
    settings: Settings,
    selected: Sequence[Failure],
    *,
    who: str,
    ocr_backend: str | None = None,
) -> SelectionResult:
    """Read failed documents and do failed steps again, each site in one transaction.

    A site is fetched again if the PDF of one of its documents is missing.
    """
    result = SelectionResult()
    for subdomain, same_site in _by_site(selected):
        folder = storage.site_folder(settings.storage_dir, subdomain)
        with civic_db_connection() as conn:
            current = _still_failed(conn, subdomain, same_site, result)
            if not current:
                continue
            wanted = _documents_to_read(conn, subdomain, folder, current)
            names = [each.document for each in wanted] + [each.document for each in current]
            remembered_failures.forget_failures(conn, subdomain, names)
            fetching = transitions.job_of_stage(conn, subdomain, FETCH)
            # A fetch that is running lists what there is to read anyway.
            if fetching is None or fetching.state != "open":
                # The shortest run that repeats all of the failed work.
                opened = RunOptions(ocr_backend=ocr_backend, opened_by="retry")
                stages = {failure.stage for failure in current}
                only_steps = OCR not in stages or all(
                    each.step == Step.COORDINATOR for each in current
                )
                if only_steps and stages <= {DEPLOY}:
                    transitions.resume_run(conn, subdomain, DEPLOY)
                elif only_steps and stages <= {COMPILATION, EXTRACTION, DEPLOY, OCR}:
                    transitions.resume_run(conn, subdomain, COMPILATION)
                elif (
                    not only_steps
                    and wanted
                    and all(stored_pdf(folder, each.document) is not None for each in wanted)
                ):
                    _read_again(conn, subdomain, current, wanted, opened)
                else:
                    transitions.start_run(conn, subdomain, options=opened)
            result.sites.append(subdomain)
            result.done += count_failed(current)
            ledger.audit(conn, who, "failures retried", subdomain, f"{len(current)} failures")
    if result.sites:
        queues.offer(settings, QUEUES)
    return result


#: What a failure keeps when it is carried over into another reading.
_KEPT = (
    *("step", "document", "documents", "state", "error", "error_kind"),
    *("bytes", "sha256", "finished_at"),
)


def failures_of_reading(
    conn: Connection,
    subdomain: str,
    job_id: int,
    *,
    but: Collection[str] = (),
    but_ids: Collection[int] = (),
) -> list[NewItem]:
    """Return the failures of a reading as rows of the next one, without some of them."""
    return [
        NewItem(**{name: row._mapping[name] for name in _KEPT})
        for row in conn.execute(_failures(subdomain))
        if row.job_id == job_id and row.id not in but_ids and row.document not in but
    ]


def last_reading(conn: Connection, subdomain: str) -> ledger.Job | None:
    """Return the last reading of a site, unless there is none or it was not finished."""
    row = conn.execute(_last_readings(subdomain)).first()
    if row is None or row.run_state in (Run.CANCELLED, Run.SUPERSEDED):
        return None
    return ledger.job_from(row)


def is_in_reading(conn: Connection, reading: ledger.Job, document: str) -> bool:
    """Whether a reading has a row for a document, however it ended."""
    mine = and_(items_table.c.job_id == reading.id, items_table.c.document == document)
    return conn.execute(select(items_table.c.id).where(mine)).first() is not None


def _read_again(
    conn: Connection,
    subdomain: str,
    failures: Sequence[Failure],
    wanted: Sequence[NewItem],
    options: RunOptions,
) -> None:
    """Read documents again: in the reading that is running, else in a new one.

    Documents without a name for which there is no PDF stay failed.  So do, in a new reading, the
    failures that are not retried: they stay counted and listed.
    """
    former, run_state = _last_reading(conn, subdomain)
    if run_state in (Run.CANCELLED, Run.SUPERSEDED):
        transitions.start_run(conn, subdomain, options=options)
        return
    lost: list[NewItem] = []
    unnamed = sum(each.documents for each in failures if each.step == Step.CARRIED)
    named = sum(each.step == Step.DOCUMENT for each in failures)
    if (missing := unnamed - (len(wanted) - named)) > 0:
        error = "Neither text nor PDF on disk"
        lost = [NewItem(step=Step.CARRIED, documents=missing, state=Item.FAILED, error=error)]
    ids = [failure.id for failure in failures]
    if run_state == Run.ACTIVE and former.state == "open":
        names = {failure.document for failure in failures}
        new = [each for each in wanted if each.document not in names]
        transitions.retry_in_run(conn, former, ids, [*new, *lost])
        return
    not_retried = failures_of_reading(conn, subdomain, former.id, but_ids=set(ids))
    rows = [*wanted, *lost, *not_retried]
    transitions.read_again(conn, subdomain, former, rows, options)


def _last_reading(conn: Connection, subdomain: str) -> tuple[Job, str]:
    """Return the job of the last reading, and the state of its run."""
    row = conn.execute(_last_readings(subdomain)).one()
    return ledger.job_from(row), row.run_state


def _last_readings(subdomain: str) -> Select[Any]:
    return (
        select(jobs_table, runs_table.c.state.label("run_state"))
        .join(runs_table, runs_table.c.run_id == jobs_table.c.run_id)
        .where(jobs_table.c.subdomain == subdomain)
        .where(jobs_table.c.stage == OCR, jobs_table.c.kind == Kind.STAGE)
        .order_by(jobs_table.c.id.desc())
        .limit(1)
    )


def _documents_to_read(
    conn: Connection, subdomain: str, folder: Path, failures: Sequence[Failure]
) -> list[NewItem]:
    """Return the failed documents, and PDFs without text that the last reading does not name.

    The latter only if some failures have no name.
    """
    wanted = [
        NewItem(each.document, each.bytes, each.sha256, each.alone)
        for each in failures
        if each.step == Step.DOCUMENT
    ]
    if any(each.step == Step.CARRIED for each in failures):
        document = items_table.c.document
        of_last_reading = items_table.c.job_id == _last_reading(conn, subdomain)[0].id
        named = select(document).where(of_last_reading, document.is_not(None))
        unnamed = {each.name for each in storage.pdf_documents(folder)}
        unnamed -= {each.name for each in storage.text_documents(folder)}
        unnamed -= set(conn.execute(named).scalars())
        wanted += [NewItem(name) for name in sorted(unnamed)]
    return wanted


def stored_pdf(folder: Path, name: str) -> Path | None:
    """Return the PDF of a document in a site's folder, or None if there is none."""
    try:
        pdf = storage.Document.from_name(name).pdf(folder)
    except InvalidInput:
        return None
    return pdf if pdf.is_file() else None


# ------------------------------------------------------------------------------ skipping


def skip(settings: Settings, selected: Sequence[Failure], *, who: str, why: str) -> SelectionResult:
    """Leave failed documents out of the counts, now and in later runs, and record who and why."""
    result = SelectionResult()
    for subdomain, same_site in _by_site(selected):
        folder = storage.site_folder(settings.storage_dir, subdomain)
        with civic_db_connection() as conn:
            current = _still_failed(conn, subdomain, same_site, result)
            documents = [each for each in current if each.step in (Step.DOCUMENT, Step.CARRIED)]
            if len(documents) < len(current):
                result.refused[subdomain] = "only documents can be skipped; retry the failed step"
            if not documents:
                continue
            reason = f"Skipped by {who}: {why}"
            for each in _documents_to_read(conn, subdomain, folder, documents):
                pdf = stored_pdf(folder, each.document)
                sha256 = storage.sha256_of(pdf) if pdf else each.sha256 or ""
                remembered_failures.remember_skipped(conn, subdomain, each.document, sha256, reason)
                ledger.audit(conn, who, "document skipped", f"{subdomain} {each.document}", why)
            transitions.leave_out(conn, [each.id for each in documents], reason)
            result.sites.append(subdomain)
            result.done += count_failed(documents)
    return result


def _by_site(failures: Sequence[Failure]) -> Iterable[tuple[str, list[Failure]]]:
    ordered = sorted(failures, key=lambda failure: failure.subdomain)
    for subdomain, same in groupby(ordered, key=lambda failure: failure.subdomain):
        yield subdomain, list(same)


def _still_failed(
    conn: Connection, subdomain: str, selected: Sequence[Failure], result: SelectionResult
) -> list[Failure]:
    """Lock a site and return the failures of a selection that have not changed since."""
    lock_site(conn, subdomain)
    now = {row.id: _as_failure(row) for row in conn.execute(_failures(subdomain))}
    current = [
        now[each.id] for each in selected if each.id in now and now[each.id].attempt == each.attempt
    ]
    result.changed += len(selected) - len(current)
    return current
