"""What is said about a document and its parts: every value with where it comes from.

:func:`clerk.identify.identify` returns an :class:`Identity`, :func:`clerk.identify.split` a list of
:class:`Part`.  Both take the pages as :class:`PageView` and what is known from outside as
:class:`Hints`.  Nothing here does any work.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Literal

import msgspec

MINUTES: Final = "minutes"
AGENDA: Final = "agenda"
#: An agenda with its papers.
PACKET: Final = "packet"
#: A notice of a meeting, or a schedule of meetings.
NOTICE: Final = "notice"
#: Also an ordinance or a by-law.
RESOLUTION: Final = "resolution"
#: Also a budget, a memorandum, a statement, a list of staff or payments.
REPORT: Final = "report"
OTHER: Final = "other"
#: What a document can be; a kind that is not known is None.
KINDS: Final = (MINUTES, AGENDA, PACKET, NOTICE, RESOLUTION, REPORT, OTHER)

#: A notice of so many days is a schedule of meetings: it has no date.
SCHEDULE_DAYS: Final = 3

#: Where a value comes from.
PERSON: Final = "person"
PORTAL: Final = "portal"
PAGE: Final = "page"
FILE_NAME: Final = "file_name"
FOLDER: Final = "folder"
#: Other documents of the same site.
SITE: Final = "site"
SOURCES: Final = (PERSON, PORTAL, PAGE, FILE_NAME, FOLDER, SITE)

Field = Literal["date", "body", "kind", "title"]


class Fact(msgspec.Struct, frozen=True):
    """A value with its evidence.

    ``value`` is None if it is not known; then ``source`` is empty.  ``quote`` is what is printed,
    on ``page`` (from 1) if the source is a page.  ``confidence`` is between 0 and 1.
    """

    value: str | None = None
    source: str = ""
    quote: str | None = None
    page: int | None = None
    confidence: float = 0.0


UNKNOWN: Final = Fact()


class OtherReading(msgspec.Struct, frozen=True):
    """A reading of a field that was not chosen: it differs from the value, or is no meeting's."""

    field: Field
    fact: Fact


class Identity(msgspec.Struct, frozen=True):
    """What a document is: ``date`` is an ISO date or unknown, ``kind`` one of KINDS or unknown."""

    date: Fact = UNKNOWN
    body: Fact = UNKNOWN
    kind: Fact = UNKNOWN
    title: Fact = UNKNOWN
    others: Sequence[OtherReading] = ()


class Part(msgspec.Struct, frozen=True):
    """A part of a document: its pages (from 1, both included) and what it is.

    ``first_character`` is where it begins on its first page, 0 at the top: neighbours may share a
    page.  ``begins`` shows why a part begins there.  ``place`` names the municipality, firm or
    person that made it, if that is not the place of the document; then ``of_other_place`` is true.
    It is None where nothing says whose the part is.
    """

    first_page: int
    first_character: int
    last_page: int
    kind: Fact = UNKNOWN
    body: Fact = UNKNOWN
    date: Fact = UNKNOWN
    title: Fact = UNKNOWN
    of_other_place: bool | None = False
    place: Fact = UNKNOWN
    begins: Fact = UNKNOWN


class Known(msgspec.Struct, frozen=True):
    """What somebody says about a document; ``date`` is an ISO date."""

    date: str | None = None
    body: str | None = None
    kind: str | None = None
    title: str | None = None


class Hints(msgspec.Struct, frozen=True):
    """What is known of a document from outside.

    ``path`` is the path or URL as in the source, folders separated by ``/``.  ``place`` is the name
    of the site, such as ``Millbrook Township, IL``.  ``portal`` is what the fetcher learned,
    ``person`` what somebody corrected.
    """

    path: str = ""
    place: str = ""
    portal: Known = Known()
    person: Known = Known()


class Bookmark(msgspec.Struct, frozen=True):
    """An entry of a PDF's outline; ``level`` is 0 at the top."""

    title: str
    level: int = 0


class PageView(msgspec.Struct, frozen=True):
    """A page as it was read: its text, and if known its size, how it was read, its bookmarks.

    ``is_scan`` is true for a page whose text comes from OCR.  Paper and scans change where another
    part begins.
    """

    page: int
    text: str
    width: float = 0.0
    height: float = 0.0
    is_scan: bool | None = None
    bookmarks: Sequence[Bookmark] = ()
