"""Corrections of what was extracted: reported by people, accepted by operators, kept as a project.

::

    report(...) -> open --accept--> the project {site}/corrections --> corrections_of(site)
                        --reject--> nothing

A correction is a denotation on the page with the label of what it corrects (``Vote``), and an
attribute for each field that is right now.  So it follows its page when that is read again, and is
exported, rolled back and searched for as any annotation.  Extraction asks `corrections_of` before
it believes its own findings.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from sqlalchemy import Connection, func, insert, select, update

from clerk.core.clock import utc_now
from clerk.core.db import civic_db_connection, reading_connection
from clerk.core.errors import InvalidInput, NotFound, TransientError
from clerk.core.models import annotation_reports_table, audit_table, db_now

from . import store
from .anchor import CHANGED_QUOTE, anchor
from .objects import AnnotationSet, Attribute, Denotation, Orphans, Span, free_ids
from .store import NewDocument, NewSet, annotations_from, digest_of, rows_from

reports = annotation_reports_table

#: The value of a field of a vote; names are a list, a tally is numbers by name.
FieldValue = str | int | float | bool | list[str] | dict[str, int] | None
#: Values by the names of the fields, or ``is_none``: true if it is no vote at all.
VoteFields = Mapping[str, FieldValue]

#: The project with the corrections of a site.
PROJECT = "{site}/corrections"

OPEN, ACCEPTED, REJECTED = "open", "accepted", "rejected"

#: Attributes that say who corrected what when, and that it is no finding at all.
_BY, _AT, _NOT_ONE = "corrected_by", "corrected_at", "is_none"
_QUOTE_LENGTH, _COMMENT_LENGTH, _NAME_LENGTH = 2_000, 2_000, 100
#: Anybody may report: no more are taken while this many wait.
MOST_OPEN = 5_000


class TooManyReports(TransientError):
    """Operators have not decided about the reports there are."""


@dataclass(frozen=True)
class ReportedError:
    """An error in a finding that somebody reported."""

    id: int
    site: str
    #: The page, such as ``minutes/CityCouncil/2024-01-15/1``.
    sourceid: str
    begin: int
    end: int
    quote: str
    #: What kind of finding it is, such as ``Vote``.
    label: str
    #: The right values of fields that are wrong, ``is_none`` if it is no such finding; empty if
    #: the comment says what is wrong.
    fields: VoteFields
    comment: str
    reported_by: str
    reported_at: datetime
    state: str
    decided_by: str | None
    decided_at: datetime | None


@dataclass(frozen=True)
class Correction:
    """What an operator accepted about a stretch of a page."""

    #: The document, such as ``minutes/CityCouncil/2024-01-15``, and its page.
    document: str
    page: int
    begin: int
    end: int
    #: The words there now.
    quote: str
    label: str
    #: Right values by the names of the fields.
    fields: VoteFields
    #: Whether it says that there is no such finding here.
    is_none: bool
    who: str
    at: str


def report(
    site: str,
    sourceid: str,
    begin: int,
    end: int,
    *,
    text: str,
    label: str = "Vote",
    fields: VoteFields | None = None,
    comment: str = "",
    reported_by: str = "",
) -> int:
    """Keep a reported error until an operator decides about it; return its number.

    ``text`` is the text of the page that the span is about.
    """
    if not 0 <= begin < end <= len(text):
        raise InvalidInput(f"{begin}-{end} is not a span of the page.")
    made = insert(reports).values(
        subdomain=site,
        sourceid=sourceid,
        span_begin=begin,
        span_end=end,
        quote=text[begin:end][:_QUOTE_LENGTH],
        label=label,
        fields=dict(fields or {}),
        comment=comment[:_COMMENT_LENGTH],
        reported_by=reported_by[:_NAME_LENGTH],
    )
    with civic_db_connection() as conn:
        waiting = select(func.count()).where(reports.c.state == OPEN)
        if conn.execute(waiting).scalar_one() >= MOST_OPEN:
            raise TooManyReports(
                f"{MOST_OPEN} reports wait for a decision; please try again later."
            )
        number: int = conn.execute(made.returning(reports.c.id)).scalar_one()
    return number


def find_report(number: int) -> ReportedError:
    """Return a reported error; raise NotFound if there is none of this number."""
    with reading_connection() as conn:
        row = conn.execute(select(reports).where(reports.c.id == number)).first()
    if row is None:
        raise NotFound(f"There is no report {number}.")
    return ReportedError(*row)


def count_open_reports() -> int:
    """Return how many reports wait for a decision."""
    with reading_connection() as conn:
        return int(conn.execute(select(func.count()).where(reports.c.state == OPEN)).scalar_one())


def list_reports(
    state: str | None = OPEN, site: str | None = None, limit: int = 100, offset: int = 0
) -> list[ReportedError]:
    """Return reported errors, the oldest first."""
    chosen = select(reports).order_by(reports.c.id).limit(limit).offset(offset)
    if state is not None:
        chosen = chosen.where(reports.c.state == state)
    if site is not None:
        chosen = chosen.where(reports.c.subdomain == site)
    with reading_connection() as conn:
        return [ReportedError(*row) for row in conn.execute(chosen)]


def reject(number: int, *, who: str) -> None:
    """Decide that a reported error is none."""
    with civic_db_connection() as conn:
        found = _decide(conn, number, REJECTED, who)
        _audit(conn, who, "error report rejected", found)


def accept(number: int, *, text: str, who: str, fields: VoteFields | None = None) -> None:
    """Make a reported error a correction; ``text`` is the text of its page now.

    If the page was read again since, the words that were reported must be in it once.  ``fields``
    replace those that were reported.
    """
    with civic_db_connection() as conn:
        found = _decide(conn, number, ACCEPTED, who)
        if fields is not None:
            found = replace(found, fields=fields)
            conn.execute(update(reports).where(reports.c.id == number).values(fields=dict(fields)))
        if not found.fields:
            raise InvalidInput(f"Report {number} has no values: give them, or reject it.")
        if text[found.begin : found.end][:_QUOTE_LENGTH] != found.quote:
            begin = text.find(found.quote)
            if begin < 0 or text.find(found.quote, begin + 1) >= 0:
                raise InvalidInput(
                    f"The page has been read again with other words since report {number}."
                )
            found = replace(found, begin=begin, end=begin + found.end - found.begin)
        project_id = store.make_project(conn, PROJECT.format(site=found.site), who, is_public=True)
        key = (found.site, found.sourceid)
        document = store.find_documents(conn, [key]).get(key)
        if document is not None and document.digest != digest_of(text):
            raise InvalidInput("The annotations of the page were not moved to its new text yet.")
        head = None
        if document is not None:
            head = store.current_sets(conn, project_id, [document.id]).get(document.id)
        orphans = store.orphans_of(head) if head else []
        stored = annotations_from(store.rows_of(conn, [head])[head.id]) if head else AnnotationSet()
        changed = _with_correction(stored, found, who, orphans)
        new = NewSet(
            document.id if document else key,
            rows_from(changed),
            head,
            orphans=orphans,
        )
        created = [] if document else [NewDocument(key, text, digest_of(text))]
        store.store(conn, project_id, None, created, [new])
        _audit(conn, who, "error report accepted", found)


def _with_correction(
    stored: AnnotationSet, found: ReportedError, who: str, orphans: Sequence[Orphans]
) -> AnnotationSet:
    """Add a correction; an older one of the same finding and field gives way."""
    kept = {each.id for group in orphans for kind in group.annotations.kinds() for each in kind}
    span = Span(found.begin, found.end)
    same = [each for each in stored.denotations if (each.span, each.obj) == (span, found.label)]
    denotations, attributes = list(stored.denotations), list(stored.attributes)
    if same:
        name = same[0].id or ""
    else:
        name = next(free_ids("T", kept | {each.id or "" for each in denotations}))
        denotations.append(Denotation(span, found.label, name))
    said: dict[str, FieldValue] = dict(found.fields)
    if said.get(_NOT_ONE):
        said = {_NOT_ONE: True}
    said |= {_BY: who, _AT: utc_now().isoformat(timespec="seconds")}
    if _NOT_ONE not in said:
        attributes = [each for each in attributes if (each.subj, each.pred) != (name, _NOT_ONE)]
    attributes = [each for each in attributes if each.subj != name or each.pred not in said]
    free = free_ids("A", kept | {each.id or "" for each in attributes})
    attributes += [Attribute(name, key, value, next(free)) for key, value in said.items()]
    return AnnotationSet(
        denotations=denotations,
        blocks=stored.blocks,
        relations=stored.relations,
        attributes=attributes,
    )


class SiteCorrections:
    """The accepted corrections of a site, wherever its text is by now."""

    def __init__(self, site: str) -> None:
        #: Document -> page -> the page with its corrections.
        self._pages: dict[str, dict[int, store.Annotated]] = {}
        #: Document -> what identifies its corrections.
        self.digests: dict[str, str] = {}
        with reading_connection() as conn:
            project_id = store.find_project(conn, PROJECT.format(site=site))
            if project_id is None:
                return
            for page in store.read_project(conn, project_id, sourcedb=site):
                name, _, number = page.key[1].rpartition("/")
                if number.isdecimal() and any(page.rows.values()):
                    self._pages.setdefault(name, {})[int(number)] = page
        for name, pages in self._pages.items():
            said = [
                (number, each.id, each.obj, _said(annotations, each.id))
                for number, page in sorted(pages.items())
                for annotations in [annotations_from(page.rows)]
                for each in annotations.denotations
            ]
            if said:
                self.digests[name] = digest_of(repr(said))[:16]

    def all(self) -> list[Correction]:
        """Return the corrections in the order of the pages."""
        return [
            each
            for name, pages in self._pages.items()
            for number, page in sorted(pages.items())
            for each in _corrections_on(name, number, page.text, annotations_from(page.rows))
        ]

    def placed(self, name: str, texts: Mapping[int, str]) -> list[Correction]:
        """Return the corrections of a document as they are placed in the text of its pages.

        Those that have no place there are left out: they wait for a text that has their words.
        """
        found = []
        for number, page in sorted(self._pages.get(name, {}).items()):
            if number in texts:
                text = texts[number].replace("\0", "\ufffd")
                moved = anchor(annotations_from(page.rows), page.text, text, any_text=True)
                found += _corrections_on(name, number, text, moved.annotations)
        return found


def corrections_of(site: str) -> list[Correction]:
    """Return the accepted corrections of a site, in the order of its pages."""
    return SiteCorrections(site).all()


def _said(annotations: AnnotationSet, name: str | None) -> list[tuple[str, str]]:
    """Return what attributes say of a correction, whatever words it is on."""
    return sorted(
        (each.pred, repr(each.obj))
        for each in annotations.attributes
        if each.subj == name and each.pred != CHANGED_QUOTE
    )


def _corrections_on(
    name: str, page: int, text: str, annotations: AnnotationSet
) -> list[Correction]:
    said: dict[str, dict[str, FieldValue]] = {}
    for attribute in annotations.attributes:
        said.setdefault(attribute.subj, {})[attribute.pred] = attribute.obj
    found = []
    for each in annotations.denotations:
        fields = said.get(each.id or "", {})
        begin, end = min(each.spans).begin, max(span.end for span in each.spans)
        not_a_field = (_BY, _AT, _NOT_ONE, CHANGED_QUOTE)
        found.append(
            Correction(
                name,
                page,
                begin,
                end,
                text[begin:end],
                str(each.obj),
                {key: value for key, value in fields.items() if key not in not_a_field},
                bool(fields.get(_NOT_ONE)),
                str(fields.get(_BY, "")),
                str(fields.get(_AT, "")),
            )
        )
    return found


def _decide(conn: Connection, number: int, state: str, who: str) -> ReportedError:
    """Close an open report, and return it."""
    mine = reports.c.id == number
    changed = conn.execute(
        update(reports)
        .where(mine, reports.c.state == OPEN)
        .values(state=state, decided_by=who, decided_at=db_now())
    )
    row = conn.execute(select(reports).where(mine)).first()
    if row is None:
        raise NotFound(f"There is no report {number}.")
    if changed.rowcount != 1:
        raise InvalidInput(f"Report {number} was {row.state} by {row.decided_by}.")
    return ReportedError(*row)


def _audit(conn: Connection, who: str, action: str, found: ReportedError) -> None:
    subject = f"{found.site}/{found.sourceid}"
    detail = f"report {found.id}"
    conn.execute(insert(audit_table).values(who=who, action=action, subject=subject, detail=detail))
