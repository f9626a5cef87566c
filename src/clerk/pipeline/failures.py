"""Failed documents: what there is, why, and what people decide about them.

A site's failures are those of its last reading and of its last run.  A selection is frozen: retry
and skip act on exactly the failures they are given, and leave alone what has changed since.

::

    retry   the document leaves the failed count and is read again: in the reading that is under
            way, else in a new run that reads just that
    skip    the document is left out of the counts, now and in coming runs, until its bytes change
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from fnmatch import fnmatchcase
from itertools import groupby
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Row, Select, and_, case, false, func, or_, select

from clerk.core import config, storage
from clerk.core.db import (
    civic_db_connection,
    latest_readings,
    latest_runs,
    lock_site,
    reading_connection,
    require_site,
)
from clerk.core.errors import InvalidInput, NotFound
from clerk.core.models import db_now, hour_of, items_table, jobs_table, runs_table, sites_table
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

from . import ledger, pipeline_state, queue, transitions

DAY_SECONDS = 86_400.0

#: What usually helps, by the kind of error.
REMEDIES = {
    "UnreadablePdf": "The file is damaged: fetch it again with 'clerk run SITE', or skip it.",
    "UnreadableFile": "Mend the link or the permissions at the source, then 'clerk run SITE'.",
    "EncryptedPdf": "Put a copy without a password in its place and retry, or skip it.",
    "EmptyDocument": "The source delivered nothing: fetch it again with 'clerk run SITE'.",
    "DocumentTooLarge": "Raise MAX_DOCUMENT_MB or MAX_DOCUMENT_PAGES and retry, or skip it.",
    "FileGone": "Its file was deleted: fetch it again with 'clerk run SITE', or skip it.",
    "PagesFailed": "The good pages are published; retry with another --ocr-backend.",
    "SourceUnavailable": "The source did not answer: retry later.",
    "SourceBlocked": "The source refuses to be read: ask its owner, or skip it.",
    "StorageUnusable": "Free space or mend permissions (clerk doctor), then retry.",
    "MemoryError": "Raise WORKER_MEMORY_MB and retry.",
    "TimeoutError": "Raise PAGE_SECONDS and retry.",
    "CRASH": "It killed its process: raise WORKER_MEMORY_MB or change the engine, then retry.",
    "SiteMisconfigured": "Correct it with 'clerk site edit SITE' or install it, then retry.",
    "UnusableName": "Rename the file in the site's folder (UTF-8, no secrets), then run the site.",
    "UNLISTED": "They are not listed: 'clerk run SITE' reads what can be read.",
    "UNNAMED": "Failed in an older system: retry reads the PDFs that are on disk.",
}
#: The kind of those that an older system counted, and that have no rows here.
UNLISTED = "Counted by an older system"
OTHER_REMEDY = "Look at one with 'clerk failures show ID', then retry or skip."

_ERROR_CLASS = re.compile(r"([A-Z]\w*)(?=: )")


@dataclass(frozen=True)
class Filter:
    """Which failures are meant; what is not given does not matter."""

    site: str | None = None
    stage: str | None = None
    #: A kind of error, or a part of its message.
    error: str | None = None
    #: A document's name, in which * stands for anything.
    document: str | None = None
    quarantined: bool = False

    def matches(self, failure: Failure) -> bool:
        """Whether a failure is meant."""
        return (
            self.site in (None, failure.subdomain)
            and self.stage in (None, failure.stage)
            and (not self.quarantined or failure.state == Item.QUARANTINED)
            and (self.error is None or self.error.lower() in failure.error.lower())
            and (self.document is None or fnmatchcase(failure.document, self.document))
        )


@dataclass(frozen=True)
class Failure:
    """A piece of work that failed.  ``id`` and ``attempt`` tell whether it has changed since."""

    id: int
    attempt: int
    subdomain: str
    run_id: str
    stage: str
    step: str
    document: str
    #: How many documents it stands for; those of an older system have no names.
    documents: int
    state: str
    error: str
    errors: int = 0
    crashes: int = 0
    lost: int = 0
    sha256: str = ""
    bytes: int | None = None
    alone: bool = False
    #: When it failed; a failure that is carried into another run keeps its date.
    finished_at: datetime | None = None
    #: Whether that is less than a day ago by the database's clock.
    is_recent: bool = False

    @property
    def kind(self) -> str:
        """The class of the error, or its first sentence."""
        named = _ERROR_CLASS.match(self.error)
        return named[1] if named else self.error.split(". ")[0][:80]

    @property
    def remedy(self) -> str:
        """What usually helps."""
        if self.step == Step.CARRIED:
            return REMEDIES["UNNAMED"]
        if self.crashes or self.lost:
            return REMEDIES["CRASH"]
        return REMEDIES.get(self.kind, OTHER_REMEDY)


@dataclass(frozen=True)
class Failed:
    """How much failed: documents that could not be read, and steps of a run.

    A step is anything else: fetching a site, looking at its text, compiling, extracting, deploying.
    """

    documents: int = 0
    steps: int = 0
    #: Of the documents, those that failed within the last day.
    documents_24h: int = 0

    @property
    def all(self) -> int:
        """Documents and steps together."""
        return self.documents + self.steps

    def __add__(self, other: Failed) -> Failed:
        return Failed(
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


def count_failed(failures: Iterable[Failure]) -> Failed:
    """Return how many documents and steps some failures stand for."""
    documents = steps = recent = 0
    for each in failures:
        if each.stage == OCR and each.step != Step.COORDINATOR:
            documents += each.documents
            recent += each.documents if each.is_recent else 0
        else:
            steps += max(1, each.documents)
    return Failed(documents, steps, recent)


@dataclass(frozen=True)
class Group:
    """Failures of one stage and one kind of error."""

    stage: str
    kind: str
    remedy: str
    failures: tuple[Failure, ...]
    #: Site -> documents that are counted as failed and not listed.
    unlisted: Mapping[str, int] = field(default_factory=dict)

    @property
    def failed(self) -> Failed:
        """How many documents and steps that is."""
        return count_failed(self.failures) + Failed(sum(self.unlisted.values()))

    @property
    def sites(self) -> list[str]:
        """The sites they belong to."""
        return sorted({failure.subdomain for failure in self.failures} | self.unlisted.keys())


@dataclass
class Decided:
    """What became of a frozen selection."""

    done: Failed = field(default_factory=Failed)
    sites: list[str] = field(default_factory=list)
    #: Failures that had changed since they were selected.
    changed: int = 0
    #: Site -> why nothing was done.
    refused: dict[str, str] = field(default_factory=dict)

    @property
    def documents(self) -> int:
        """How many documents were retried or skipped."""
        return self.done.documents


# ------------------------------------------------------------------------------- looking


def find(wanted: Filter | None = None) -> list[Failure]:
    """Return the failures that are meant, by site."""
    wanted = wanted or Filter()
    with reading_connection() as conn:
        if wanted.site is not None:
            require_site(conn, wanted.site)
        rows = conn.execute(_failures(wanted.site)).fetchall()
    return [failure for row in rows if wanted.matches(failure := _as_failure(row))]


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


def find_groups(wanted: Filter | None = None) -> list[Group]:
    """Return the failures that are meant by stage and kind of error, also those only counted."""
    found = groups(find(wanted))
    with reading_connection() as conn:
        unlisted = find_unlisted(conn, wanted)
    if unlisted:
        found.append(Group(OCR, UNLISTED, REMEDIES["UNLISTED"], (), unlisted))
    return found


def count_in_database(conn: Connection) -> Failed:
    """Return how many documents and steps are failed, of all sites, with those only counted."""
    failed = _failures().order_by(None).subquery()
    documents = and_(failed.c.stage == OCR, failed.c.kind == Kind.STAGE)
    steps = case((failed.c.documents > 1, failed.c.documents), else_=1)
    sums = (
        func.sum(failed.c.documents).filter(documents),
        func.sum(steps).filter(~documents),
        func.sum(failed.c.documents).filter(documents, failed.c.is_recent),
    )
    counted = conn.execute(select(*(func.coalesce(each, 0) for each in sums))).one()
    return Failed(*map(int, counted)) + Failed(sum(find_unlisted(conn).values()))


def recent_by_hour(conn: Connection) -> dict[datetime, int]:
    """Return how many of the failed documents became so within the last day, by the hour."""
    items, readings = items_table, latest_readings()
    hour = hour_of(items.c.finished_at)
    counted = (
        select(hour, func.sum(items.c.documents))
        .join(readings, readings.c.id == items.c.job_id)
        .where(items.c.state.in_([ledger.sql_word("failed"), ledger.sql_word("quarantined")]))
        .where(items.c.finished_at >= db_now(-DAY_SECONDS))
        .group_by(hour)
    )
    return {row[0]: int(row[1]) for row in conn.execute(counted)}


def refused(subdomain: str) -> int:
    """Return how many failures of a site's last reading are of what never came to disk."""
    failed = find(Filter(site=subdomain, stage=OCR))
    return sum(each.step == Step.DOCUMENT and not _pdf(subdomain, each.document) for each in failed)


def find_by_id(ids: Iterable[int]) -> list[Failure]:
    """Return failures by their ids, or refuse one that is none."""
    by_id = {failure.id: failure for failure in find()}
    try:
        return [by_id[each] for each in ids]
    except KeyError as error:
        raise NotFound(
            f"There is no failure {error.args[0]}.", hint="List them: clerk failures list --each"
        ) from None


def _failures(site: str | None = None) -> Select[Any]:
    """Failures of each site's last reading, and of the other stages of its last run."""
    items, jobs, runs = items_table, jobs_table, runs_table
    last, readings = latest_runs(), select(latest_readings().c.id)
    a_step = or_(jobs.c.stage != OCR, jobs.c.kind == Kind.COORDINATOR)
    of_last_run = and_(runs.c.epoch == last.c.epoch, a_step)
    is_recent = func.coalesce(items.c.finished_at >= db_now(-DAY_SECONDS), false())
    statement = (
        select(
            items,
            jobs.c.subdomain,
            jobs.c.stage,
            jobs.c.kind,
            jobs.c.state.label("job_state"),
            is_recent.label("is_recent"),
        )
        .join(jobs, jobs.c.id == items.c.job_id)
        .join(runs, runs.c.run_id == jobs.c.run_id)
        .join(last, last.c.subdomain == jobs.c.subdomain)
        .where(items.c.state.in_([ledger.sql_word("failed"), ledger.sql_word("quarantined")]))
        .where(or_(jobs.c.id.in_(readings), of_last_run))
        .order_by(jobs.c.subdomain, items.c.id)
    )
    return statement if site is None else statement.where(jobs.c.subdomain == site)


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
        errors=row.errors,
        crashes=row.crashes,
        lost=row.lost,
        sha256=row.sha256 or "",
        bytes=row.bytes,
        alone=row.alone,
        finished_at=row.finished_at,
        is_recent=bool(row.is_recent),
    )


def groups(failures: Iterable[Failure]) -> list[Group]:
    """Return failures by stage and kind of error, the largest group first."""

    def key(failure: Failure) -> tuple[str, str]:
        return failure.stage, failure.kind

    made = []
    for (stage, kind), same in groupby(sorted(failures, key=key), key):
        members = tuple(same)
        made.append(Group(stage, kind, members[0].remedy, members))
    return sorted(made, key=lambda group: (-group.failed.all, group.stage, group.kind))


def frozen(listed: Sequence[Mapping[str, Any]]) -> list[Failure]:
    """Return a selection that was written down before, as it was then."""
    try:
        return [
            Failure(**{name: each[name] for name in Failure.__dataclass_fields__ if name in each})
            for each in listed
        ]
    except (KeyError, TypeError) as error:
        raise InvalidInput(
            "That is not a list of failures.",
            hint="Make one: clerk failures list --each --json > failures.json",
        ) from error


# ------------------------------------------------------------------------------ retrying


def retry(
    selected: Sequence[Failure], *, who: str, options: Mapping[str, Any] | None = None
) -> Decided:
    """Have failed documents read again, and failed steps done again, each site in one transaction.

    A site whose documents cannot be read again, because there is no PDF, is fetched.
    """
    decided = Decided()
    for subdomain, failures in _by_site(selected):
        with civic_db_connection() as conn:
            _retry_site(conn, subdomain, failures, who, options or {}, decided)
    if decided.sites:
        queue.offer(QUEUES)
    return decided


def _retry_site(
    conn: Connection,
    subdomain: str,
    selected: Sequence[Failure],
    who: str,
    options: Mapping[str, Any],
    decided: Decided,
) -> None:
    current = _still_failed(conn, subdomain, selected, decided)
    if not current:
        return
    wanted = _wanted_documents(conn, subdomain, current)
    names = [each["document"] for each in wanted]
    transitions.forget_failures(conn, subdomain, names + [each.document for each in current])
    if not _is_being_fetched(conn, subdomain):
        _do_again(conn, subdomain, current, wanted, {"opened_by": "retry", **options})
    decided.sites.append(subdomain)
    decided.done += count_failed(current)
    ledger.audit(conn, who, "failures retried", subdomain, f"{len(current)} failures")


def _is_being_fetched(conn: Connection, subdomain: str) -> bool:
    """Whether a run is under way that will list what there is to read anyway."""
    fetching = pipeline_state.job_of_stage(conn, subdomain, FETCH)
    return fetching is not None and fetching.state == "open"


def _do_again(
    conn: Connection,
    subdomain: str,
    failures: Sequence[Failure],
    wanted: Sequence[Mapping[str, Any]],
    options: Mapping[str, Any],
) -> None:
    """Choose the shortest road that does all of it again."""
    stages = {failure.stage for failure in failures}
    if OCR not in stages or all(each.step == Step.COORDINATOR for each in failures):
        _repeat_steps(conn, subdomain, stages, options)
    elif _all_on_disk(failures, wanted):
        _read_again(conn, subdomain, failures, wanted, options)
    else:
        transitions.start_run(conn, subdomain, options=options)


def _repeat_steps(
    conn: Connection, subdomain: str, stages: set[str], options: Mapping[str, Any]
) -> None:
    if stages <= {DEPLOY}:
        transitions.resume_run(conn, subdomain, DEPLOY)
    elif stages <= {COMPILATION, EXTRACTION, DEPLOY, OCR}:
        transitions.resume_run(conn, subdomain, COMPILATION)
    else:
        transitions.start_run(conn, subdomain, options=options)


def _read_again(
    conn: Connection,
    subdomain: str,
    failures: Sequence[Failure],
    wanted: Sequence[Mapping[str, Any]],
    options: Mapping[str, Any],
) -> None:
    former = _last_reading(conn, subdomain)
    if former.run_state in (Run.CANCELLED, Run.SUPERSEDED):
        transitions.start_run(conn, subdomain, options=options)
        return
    unnamed = _unnamed_left(failures, wanted)
    if former.run_state == Run.ACTIVE and former.state == "open":
        ids = [failure.id for failure in failures]
        names = {failure.document for failure in failures}
        new = [row for row in wanted if row["document"] not in names]
        transitions.retry_in_run(conn, former, ids, [*new, *unnamed])
        return
    rows = [*wanted, *unnamed, *_failures_that_stay(conn, former, failures)]
    transitions.read_again(conn, subdomain, former, rows, options)


def _last_reading(conn: Connection, subdomain: str) -> Row[Any]:
    return conn.execute(
        select(jobs_table, runs_table.c.state.label("run_state"))
        .join(runs_table, runs_table.c.run_id == jobs_table.c.run_id)
        .where(jobs_table.c.subdomain == subdomain)
        .where(jobs_table.c.stage == OCR, jobs_table.c.kind == Kind.STAGE)
        .order_by(jobs_table.c.id.desc())
        .limit(1)
    ).one()


def _failures_that_stay(
    conn: Connection, former: Row[Any], retried: Sequence[Failure]
) -> list[dict[str, Any]]:
    """Return rows for the failures that are not retried, so that they stay counted and listed."""
    ids = {failure.id for failure in retried}
    rows = conn.execute(_failures(former.subdomain)).fetchall()
    return [
        {
            "step": row.step,
            "document": row.document,
            "documents": row.documents,
            "state": row.state,
            "error": row.error,
            "bytes": row.bytes,
            "sha256": row.sha256,
            "finished_at": row.finished_at,
        }
        for row in rows
        if row.job_id == former.id and row.id not in ids
    ]


def _unnamed_left(
    failures: Sequence[Failure], wanted: Sequence[Mapping[str, Any]]
) -> list[dict[str, Any]]:
    """Return a row for documents without a name for which there is no PDF either."""
    unnamed = sum(each.documents for each in failures if each.step == Step.CARRIED)
    named = sum(each.step == Step.DOCUMENT for each in failures)
    lost = unnamed - (len(wanted) - named)
    if lost <= 0:
        return []
    why = "Neither text nor PDF on disk"
    return [{"step": Step.CARRIED, "documents": lost, "state": Item.FAILED, "error": why}]


def _wanted_documents(
    conn: Connection, subdomain: str, failures: Sequence[Failure]
) -> list[dict[str, Any]]:
    """Return rows for the documents to read: the named ones, and PDFs that were never named."""
    rows = [
        {"document": each.document, "bytes": each.bytes, "sha256": each.sha256, "alone": each.alone}
        for each in failures
        if each.step == Step.DOCUMENT
    ]
    if any(each.step == Step.CARRIED for each in failures):
        unnamed = _pdfs_without_text(subdomain) - _named(conn, subdomain)
        rows += [{"document": name} for name in sorted(unnamed)]
    return rows


def _named(conn: Connection, subdomain: str) -> set[str]:
    """Return the documents that the last reading knows by name."""
    reading = _last_reading(conn, subdomain)
    names = select(items_table.c.document).where(items_table.c.job_id == reading.id)
    return set(conn.execute(names.where(items_table.c.document.is_not(None))).scalars())


def _pdfs_without_text(subdomain: str) -> set[str]:
    folder = _folder(subdomain)
    text_names = {each.name for each in storage.text_documents(folder)}
    return {each.name for each in storage.pdf_documents(folder)} - text_names


def _all_on_disk(failures: Sequence[Failure], wanted: Sequence[Mapping[str, Any]]) -> bool:
    """Whether every document to read has a PDF, and there is one."""
    subdomain = failures[0].subdomain
    return bool(wanted) and all(_pdf(subdomain, row["document"]) for row in wanted)


def _pdf(subdomain: str, name: str) -> Path | None:
    try:
        pdf = storage.Document.from_name(name).pdf(_folder(subdomain))
    except InvalidInput:
        return None
    return pdf if pdf.is_file() else None


# ------------------------------------------------------------------------------ skipping


def skip(selected: Sequence[Failure], *, who: str, why: str) -> Decided:
    """Leave failed documents out of the counts, now and in coming runs, and keep who and why."""
    decided = Decided()
    for subdomain, failures in _by_site(selected):
        with civic_db_connection() as conn:
            _skip_site(conn, subdomain, failures, who, why, decided)
    return decided


def _skip_site(
    conn: Connection,
    subdomain: str,
    selected: Sequence[Failure],
    who: str,
    why: str,
    decided: Decided,
) -> None:
    current = _still_failed(conn, subdomain, selected, decided)
    documents = [each for each in current if each.step in (Step.DOCUMENT, Step.CARRIED)]
    if len(documents) < len(current):
        decided.refused[subdomain] = "only documents can be skipped; retry the failed step"
    if not documents:
        return
    reason = f"Skipped by {who}: {why}"
    for row in _wanted_documents(conn, subdomain, documents):
        pdf = _pdf(subdomain, row["document"])
        sha256 = storage.sha256_of(pdf) if pdf else row.get("sha256") or ""
        transitions.remember_skipped(conn, subdomain, row["document"], sha256, reason)
        ledger.audit(conn, who, "document skipped", f"{subdomain} {row['document']}", why)
    transitions.leave_out(conn, [each.id for each in documents], reason)
    decided.sites.append(subdomain)
    decided.done += count_failed(documents)


# -------------------------------------------------------------------------------- common


def _by_site(failures: Sequence[Failure]) -> Iterable[tuple[str, list[Failure]]]:
    ordered = sorted(failures, key=lambda failure: failure.subdomain)
    for subdomain, same in groupby(ordered, key=lambda failure: failure.subdomain):
        yield subdomain, list(same)


def _still_failed(
    conn: Connection, subdomain: str, selected: Sequence[Failure], decided: Decided
) -> list[Failure]:
    """Return those of a selection that are as they were, with others locked out of the site."""
    lock_site(conn, subdomain)
    now = {row.id: _as_failure(row) for row in conn.execute(_failures(subdomain))}
    current = [
        now[each.id] for each in selected if each.id in now and now[each.id].attempt == each.attempt
    ]
    decided.changed += len(selected) - len(current)
    return current


def _folder(subdomain: str) -> Path:
    return storage.site_folder(config.load().storage_dir, subdomain)
