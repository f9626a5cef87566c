"""Do a stage again for what matches, so that a better engine or extractor reaches old documents.

:func:`plan` decides and changes nothing; what it returns is the list that :func:`carry_out` works
through, whatever has changed meanwhile.  Each site gets a run of the rank ``LATE``: new work goes
first.  A site that is in a run is left out and named.
"""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from sqlalchemy import Connection, select

from clerk.core import manifest
from clerk.core.config import Settings
from clerk.core.db import civic_db_connection, lock_site, reading_connection, require_site
from clerk.core.errors import InvalidInput
from clerk.core.models import runs_table, sites_table
from clerk.core.run_options import RunOptions
from clerk.core.states import COMPILATION, DEPLOY, EXTRACTION, FETCH, OCR, QUEUES, Run, check_stage
from clerk.read.files import ENGINE_MARK

from . import failures, ledger, queues, remembered_failures, transitions
from .ledger import NewItem
from .runs import LATE

#: Columns of ``sites`` that may be asked for.
COLUMNS = ("state", "kind", "scraper", "country", "current_stage")


@dataclass(frozen=True)
class Repetition:
    """What of a site is done again: some of its documents, or the whole stage."""

    subdomain: str
    #: Documents to read again; empty for stages that are one step.
    documents: tuple[str, ...] = ()
    #: Why the site is left out; empty if it is not.
    left_out: str = ""


@dataclass(frozen=True)
class Selection:
    """What is to be done again."""

    stage: str
    sites: tuple[str, ...] = ()
    #: Column of ``sites`` -> value.
    where: Mapping[str, str] | None = None
    #: Only documents with pages that an older version of an OCR engine read.
    engine_older_than: str = ""
    #: Only documents of this name; ``*`` is a wildcard.
    document: str = ""


def plan(settings: Settings, wanted: Selection) -> list[Repetition]:
    """Return what matches, by site; changes nothing."""
    check_stage(wanted.stage)
    if wanted.stage != OCR and (wanted.engine_older_than or wanted.document):
        raise InvalidInput("Documents and engines can be chosen only for the stage ocr.")
    older_than = _version(wanted.engine_older_than) if wanted.engine_older_than else ()
    if wanted.engine_older_than and not older_than:
        raise InvalidInput(f"{wanted.engine_older_than!r} is not a version, as in 5.5.3.")
    chosen = select(sites_table.c.subdomain).order_by(sites_table.c.subdomain)
    for column, value in (wanted.where or {}).items():
        if column not in COLUMNS:
            raise InvalidInput(f"{column!r} is not one of {', '.join(COLUMNS)}.")
        chosen = chosen.where(sites_table.c[column] == value)
    with reading_connection() as conn:
        for name in wanted.sites:
            require_site(conn, name)
        if wanted.sites:
            chosen = chosen.where(sites_table.c.subdomain.in_(wanted.sites))
        names = list(conn.execute(chosen).scalars())
        active = select(runs_table.c.subdomain).where(runs_table.c.state == Run.ACTIVE)
        busy = set(conn.execute(active).scalars())
    found = []
    for name in names:
        documents = _documents(settings, name, wanted, older_than) if wanted.stage == OCR else ()
        if wanted.stage == OCR and not documents:
            continue
        reason = "a run of it is under way" if name in busy else ""
        found.append(Repetition(name, documents, reason))
    return found


def _documents(
    settings: Settings, subdomain: str, wanted: Selection, older_than: tuple[int, ...]
) -> tuple[str, ...]:
    with reading_connection(settings.sql_url) as conn:
        rows = manifest.documents(conn, subdomain)
    found = []
    for row in rows:
        if not row.pdf_sha256:
            continue
        if wanted.document and not fnmatch.fnmatchcase(row.name, wanted.document):
            continue
        if older_than:
            # Of a document that needed no OCR, no engine is known.
            engine = (row.reader or "").partition(ENGINE_MARK)[2]
            if not engine or _version(engine) >= older_than:
                continue
        found.append(row.name)
    return tuple(sorted(found))


def _version(words: str) -> tuple[int, ...]:
    """Return the numbers of a version, as in ``tesseract 5.5.3``."""
    match = re.search(r"\d+(\.\d+)*", words)
    return tuple(map(int, match[0].split("."))) if match else ()


def carry_out(
    settings: Settings, stage: str, repetitions: Sequence[Repetition], *, who: str
) -> list[str]:
    """Open a late run for each site that is not left out, and return the ids of the runs."""
    started = []
    for each in repetitions:
        if each.left_out:
            continue
        with civic_db_connection() as conn:
            lock_site(conn, each.subdomain)
            if transitions.active_run(conn, each.subdomain) is not None:
                continue
            run_id = _open(conn, stage, each)
            if run_id is None:
                continue
            started.append(run_id)
            detail = f"{stage}, {len(each.documents)} documents" if each.documents else stage
            ledger.audit(conn, who, "stage redone", each.subdomain, detail)
    queues.offer(settings, QUEUES)
    return started


def honour_corrections(settings: Settings, subdomain: str) -> bool:
    """Open a run that extracts corrected documents again; False if a run is under way."""
    with civic_db_connection() as conn:
        lock_site(conn, subdomain)
        require_site(conn, subdomain)
        if transitions.active_run(conn, subdomain) is not None:
            return False
        transitions.resume_run(conn, subdomain, COMPILATION, opened_by="correction")
    queues.offer(settings, QUEUES)
    return True


def _open(conn: Connection, stage: str, each: Repetition) -> str | None:
    """Open a run; None if there is nothing to be read any more."""
    opened_by = RunOptions(opened_by="redo")
    former = failures.last_reading(conn, each.subdomain)
    if stage == FETCH or (stage == OCR and former is None):
        return transitions.start_run(conn, each.subdomain, options=opened_by, rank=LATE)
    if stage != OCR:
        first = DEPLOY if stage == DEPLOY else COMPILATION
        if stage == EXTRACTION:
            manifest.extract_again(conn, each.subdomain)
        return transitions.resume_run(conn, each.subdomain, first, opened_by="redo", rank=LATE)
    assert former is not None
    texts = manifest.contents(conn, each.subdomain).keys()
    rows = {
        row.name: NewItem(row.name, row.bytes, row.pdf_sha256)
        for row in manifest.documents(conn, each.subdomain, each.documents)
        if row.pdf_sha256
    }
    if not rows:
        return None
    kept = failures.failures_of_reading(conn, each.subdomain, former.id, but=set(rows))
    remembered_failures.forget_failures(conn, each.subdomain, list(rows))
    job = replace(former, completed=len(texts - set(rows)))
    return transitions.read_again(
        conn, each.subdomain, job, [*rows.values(), *kept], opened_by, rank=LATE
    )
