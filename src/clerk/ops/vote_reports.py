"""Errors that readers report about votes, and what operators make of them.

::

    card --report--> open --accept--> correction --run--> meetings.db, pages
                          --reject--> nothing
"""

from __future__ import annotations

from dataclasses import dataclass

from clerk.annotations import corrections
from clerk.annotations.decide import page_text
from clerk.core import storage
from clerk.core.config import Settings
from clerk.core.errors import InvalidInput, NotFound
from clerk.core.language import Message
from clerk.core.storage import Document
from clerk.pipeline import redo
from clerk.pipeline.mirror import bring_document
from clerk.site_db.queries import CompiledVote, SiteDatabase


@dataclass(frozen=True)
class VotePlace:
    """Where a vote is printed: the page as annotations name it, its text, and the span."""

    sourceid: str
    text: str
    begin: int
    end: int


def place_of(site: SiteDatabase, document: Document, vote: CompiledVote) -> VotePlace:
    """Return where a vote is printed; one that runs over a page break ends with its first page."""
    offset = 0
    for page in site.pages(document, limit=1_000_000):
        end = offset + len(page.text)
        if vote.start is not None and vote.end is not None and offset <= vote.start < end:
            text = str(page.text)
            span = (vote.start - offset, min(vote.end, end) - offset)
            return VotePlace(f"{document.name}/{page.page}", text, *span)
        offset = end + 1
    raise NotFound(Message("The place of this vote in the document is unknown."))


def report(
    site: str, place: VotePlace, fields: corrections.VoteFields, comment: str, reported_by: str
) -> int:
    """Keep what a reader says about a vote until an operator decides; return its number."""
    if not fields and not comment.strip():
        raise InvalidInput(Message("Change a value, or describe in the comment what is wrong."))
    return corrections.report(
        site,
        place.sourceid,
        place.begin,
        place.end,
        text=place.text,
        fields=fields,
        comment=comment.strip(),
        reported_by=reported_by.strip(),
    )


def accept(
    settings: Settings, number: int, who: str, fields: corrections.VoteFields | None = None
) -> bool:
    """Make a reported error a correction; return whether a run was opened that publishes it.

    If a run of the site is under way, the next one does.
    """
    found = corrections.find_report(number)
    document = Document.from_name(found.sourceid.rpartition("/")[0])
    bring_document(settings, found.site, document)
    text = page_text(storage.site_folder(settings.storage_dir, found.site), found.sourceid)
    corrections.accept(number, text=text or "", who=who, fields=fields)
    return redo.honour_corrections(settings, found.site)
