"""What the documents of a site are taken for, and what people correct.

A correction is permanent, whatever is read or fetched later.  It is in the audit log, written in
the transaction that makes it.  Names of files and documents stay: only what they are said to be
changes.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from fnmatch import fnmatchcase
from typing import Final

import msgspec

from clerk.core import manifest
from clerk.core.db import reading_connection, require_site, writing_to
from clerk.core.errors import InvalidInput, NotFound
from clerk.core.manifest import DocumentPart, DocumentRow
from clerk.core.site_extra import SiteRow
from clerk.fetch.sources import name_at_source
from clerk.identify.dates import FIRST_YEAR, LAST_YEAR
from clerk.identify.facts import KINDS, NOTICE, OTHER, PERSON, REPORT, SCHEDULE_DAYS, Identity
from clerk.pipeline import ledger

#: The word for what is not known.
UNKNOWN: Final = "unknown"
#: A fact that is less certain than this should be checked by a person: a body that is only
#: mentioned or named by a folder, a kind for which hardly anything speaks.
SURE: Final = {"date": 0.7, "body": 0.5, "kind": 0.5}
#: What another source says is no doubt about a date that is as certain as this: names of files are
#: often wrong.
UNRIVALLED: Final = 0.8
#: How many names are written to the audit log; the others are counted.
_NAMED = 20


@dataclass(frozen=True)
class IdentifiedDocument:
    """A document with what it is taken for; None is not known.

    ``file`` is what its source calls it.  ``doubts`` says what a person should check.
    """

    name: str
    file: str
    kind: str | None
    body: str | None
    date: date | None
    title: str | None
    pages: int | None
    doubts: Sequence[str]
    corrected: Sequence[str]
    #: The identity as it is stored; see :attr:`identity`.
    evidence: Mapping[str, object]
    parts: Sequence[DocumentPart] = ()

    @property
    def identity(self) -> Identity:
        """The facts, each with where it comes from, and the readings that contradict them."""
        return identity_from(self.evidence)


@dataclass(frozen=True)
class PlannedCorrection:
    """What a correction would change: fact -> (before, after)."""

    name: str
    file: str
    changes: Mapping[str, tuple[str | None, str | None]]


def list_documents(
    subdomain: str, pattern: str = "", *, kind: str = "", doubtful: bool = False
) -> list[IdentifiedDocument]:
    """Return documents, those in doubt first; a pattern is compared with file and name.

    ``*`` and ``?`` are wildcards, as in a shell.
    """
    with reading_connection() as conn:
        site = require_site(conn, subdomain)
        rows = manifest.documents(conn, subdomain)
    found = [
        facts
        for facts in (_facts(site, row) for row in rows)
        if _matches(facts, pattern)
        and (not kind or (facts.kind or UNKNOWN) == kind)
        and (not doubtful or facts.doubts)
    ]
    return sorted(found, key=lambda each: (not each.doubts, each.file))


def find_document(subdomain: str, name: str) -> IdentifiedDocument:
    """Return one document with its parts, by its name or what its source calls it."""
    with reading_connection() as conn:
        site = require_site(conn, subdomain)
        rows = manifest.documents(conn, subdomain, with_parts=True)
    found = [facts for row in rows if _matches(facts := _facts(site, row), name)]
    if len(found) == 1:
        return found[0]
    hint = f"Find it with: clerk documents list {subdomain} --match '*WORD*'"
    if not found:
        raise NotFound(f"{subdomain} has no document {name!r}.", hint=hint)
    raise InvalidInput(f"{name!r} names {len(found)} documents of {subdomain}.", hint=hint)


def _facts(site: SiteRow, row: DocumentRow) -> IdentifiedDocument:
    return IdentifiedDocument(
        name=row.name,
        file=name_at_source(site, row.name, row.source_url or ""),
        **manifest.facts_of(row),
        pages=row.pages,
        doubts=doubts_of(identity_from(row.evidence))
        if row.evidence or row.identified_of is not None
        else ["not checked yet"],
        corrected=sorted(row.corrections),
        evidence=row.evidence,
        parts=row.parts,
    )


def identity_from(evidence: Mapping[str, object]) -> Identity:
    """Return what a document is, from its evidence as it is stored."""
    try:
        return msgspec.convert(evidence, Identity)
    except msgspec.ValidationError:
        # Somebody has changed it by SQL: nothing is known then.
        return Identity()


def doubts_of(identity: Identity) -> list[str]:
    """Return what a person should check, in a few words each."""
    kind, day = identity.kind.value, identity.date.value
    days = [each.fact.value for each in identity.others if each.field == "date" and each.fact.value]
    # A report or a letter need not be of a meeting, and a schedule is of several.
    of_meeting = kind not in (REPORT, OTHER)
    is_schedule = kind == NOTICE and len(days) >= SCHEDULE_DAYS
    doubts = []
    for name, fact, is_expected in (
        ("date", identity.date, of_meeting and not is_schedule),
        ("body", identity.body, of_meeting or bool(day)),
        ("kind", identity.kind, True),
    ):
        if fact.source == PERSON:
            continue
        if not fact.value:
            doubts += [f"{name} not known"] if is_expected else []
        elif fact.confidence < SURE[name]:
            doubts.append(f"{name} not certain")
        elif name == "date" and days and fact.confidence < UNRIVALLED:
            doubts.append(f"date contradicted: {', '.join(days[:3])}")
    return doubts


def _matches(facts: IdentifiedDocument, pattern: str) -> bool:
    return not pattern or any(fnmatchcase(name, pattern) for name in (facts.file, facts.name))


def check_said(said: Mapping[str, str]) -> dict[str, str | None]:
    """Return what a person says of documents as it is stored; ``unknown`` becomes None."""
    checked: dict[str, str | None] = {}
    for name, value in said.items():
        text = " ".join(value.split())
        if not text:
            raise InvalidInput(f"Give a {name}, or {UNKNOWN!r}.")
        checked[name] = None if text.lower() == UNKNOWN else text
    if day := checked.get("date"):
        try:
            year = date.fromisoformat(day).year
        except ValueError as error:
            raise InvalidInput(
                f"{day!r} is not a date.", hint="Write it as in 2024-01-15, or 'unknown'."
            ) from error
        if not FIRST_YEAR <= year <= LAST_YEAR:
            raise InvalidInput(
                f"{day!r} is out of range.",
                hint=f"The year must be between {FIRST_YEAR} and {LAST_YEAR}.",
            )
    if (kind := checked.get("kind")) and kind not in KINDS:
        raise InvalidInput(f"The kinds are {', '.join(KINDS)} and {UNKNOWN}, not {kind!r}.")
    if not checked:
        raise InvalidInput("Give a date, a body, a kind or a title.")
    return checked


def plan(
    documents: Iterable[IdentifiedDocument], said: Mapping[str, str | None]
) -> list[PlannedCorrection]:
    """Return what a correction would change; documents of which it is known are left out."""
    planned = []
    for each in documents:
        before = {name: getattr(each, name) for name in said}
        before = {name: str(value) if value else None for name, value in before.items()}
        changes = {
            name: (before[name], value)
            for name, value in said.items()
            if before[name] != value or name not in each.corrected
        }
        if changes:
            planned.append(PlannedCorrection(each.name, each.file, changes))
    return planned


def correct(
    sql_url: str, subdomain: str, names: Sequence[str], said: Mapping[str, str | None], *, who: str
) -> int:
    """Record what a person says of documents, with an entry in the audit log; return of how many.

    Parts of packets, votes and pages follow with the next run.
    """
    with writing_to(sql_url) as conn:
        require_site(conn, subdomain)
        changed = manifest.correct(conn, subdomain, names, said)
        words = ", ".join(f"{name} {value or UNKNOWN}" for name, value in said.items())
        if changed:
            ledger.audit(conn, who, "documents corrected", subdomain, f"{words}: {_named(names)}")
    return changed


def withdraw(sql_url: str, subdomain: str, names: Sequence[str], *, who: str) -> int:
    """Forget what people said of documents; return of how many anything was said."""
    with writing_to(sql_url) as conn:
        require_site(conn, subdomain)
        changed = manifest.withdraw_corrections(conn, subdomain, names)
        if changed:
            ledger.audit(conn, who, "corrections withdrawn", subdomain, _named(names))
    return changed


def _named(names: Sequence[str]) -> str:
    more = len(names) - _NAMED
    return "; ".join(names[:_NAMED]) + (f" and {more} more" if more > 0 else "")
