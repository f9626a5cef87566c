"""What the documents of a folder are taken for, before a site is added.

The first pages of each file are read as far as they are text; scans are not recognized here, so of
a scan only the path is known.  Every file is read in a process of its own with limits, and looking
stops when its time is up: the other files are judged by their paths.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any, Final

import msgspec

from clerk.core import lazy_re as re
from clerk.core.config import Settings
from clerk.core.errors import ClerkError
from clerk.core.site_extra import SiteRow
from clerk.core.storage import AGENDAS
from clerk.fetch.base import Context, FetcherSpec, FetchReport, MeetingRef, Window
from clerk.fetch.discover import source_settings
from clerk.fetch.sources import path_of_file_url
from clerk.identify import Hints, Identity, Known, PageView, identify
from clerk.identify.bodies import municipalities, place_words
from clerk.identify.text import lines_of
from clerk.read.documents import ReadingOptions, read_in_child

#: How many pages are read to identify a document.
FIRST_PAGES: Final = (1, 2)
#: Time limit for looking into the files, in seconds.
SECONDS: Final = 20.0


@dataclass(frozen=True)
class FirstLook:
    """A file, and what it is taken for; ``has_text`` says whether its pages had a part in it."""

    file: str
    identity: Identity
    has_text: bool
    trouble: str = ""


@dataclass(frozen=True)
class Looked:
    """What was found in a folder; ``unread`` files were judged by their paths alone.

    ``place`` is the name of the site, or what most of the documents print if it has none.
    """

    files: list[FirstLook]
    refused: list[str]
    unread: int
    place: str = ""


def look_at_folder(
    spec: FetcherSpec, site: SiteRow, settings: Settings, seconds: float = SECONDS
) -> Looked:
    """Return what each file of a folder would be taken for; nothing is stored."""
    report = FetchReport(spec.id)

    def no_client() -> Any:
        raise RuntimeError("a folder needs no client")

    fetcher = spec.factory(Context(site, source_settings(site, spec), no_client, report))
    everything = Window(date(1600, 1, 1), date(2100, 12, 31), full=True)
    options = ReadingOptions.from_settings(settings, ocr="never")
    until, unread = time.monotonic() + seconds, 0
    found: list[tuple[str, Known, list[PageView], str]] = []
    for meeting in fetcher.list_meetings(everything):
        if not isinstance(meeting, MeetingRef):
            continue
        for ref in fetcher.list_documents(meeting):
            pages: list[PageView] = []
            trouble = ""
            if time.monotonic() < until:
                path = path_of_file_url(ref.url)
                try:
                    read = read_in_child(
                        path,
                        options,
                        FIRST_PAGES,
                        memory_mb=settings.worker_memory_mb,
                    )
                    pages = [PageView(page.facts.page, page.text) for page in read.pages]
                except ClerkError as error:
                    # The file is named next to it.
                    trouble = str(error).removeprefix(str(path)).lstrip(": ")
            else:
                unread += 1
            said = Known(
                date=meeting.day.isoformat() if meeting.day else None,
                body=meeting.body or None,
                kind="agenda" if ref.kind == AGENDAS else "minutes",
                title=meeting.title or None,
            )
            known = msgspec.structs.replace(said, **dict.fromkeys(meeting.guessed))
            found.append((ref.title, known, pages, trouble))
    name = site.get("name") or _printed_place([pages for _, _, pages, _ in found])
    place = ", ".join(str(each) for each in (name, site.get("state")) if each)
    files = [
        FirstLook(
            title,
            identify(pages, Hints(path=title, place=place, portal=known)),
            any(page.text.strip() for page in pages),
            trouble,
        )
        for title, known, pages, trouble in found
    ]
    refused = [f"{each.what}: {each.why}" for each in (*report.errors, *report.skipped)]
    return Looked(files, refused, unread, name)


def _printed_place(documents: Sequence[Sequence[PageView]]) -> str:
    """Return the one municipality that most documents with text name at their top, if any."""
    forms: dict[frozenset[str], Counter[str]] = {}
    tops = [lines_of(pages[0], _TOP_LINES) for pages in documents if pages]
    for top in filter(None, tops):
        named = municipalities("\n".join(line.text for line in top))
        names = [_BEHIND_NAME.sub("", name) for name in named]
        for words, name in {place_words(name): name for name in names}.items():
            forms.setdefault(words, Counter())[name] += 1
    enough = max(_FEWEST, sum(map(bool, tops)) // 2 + 1)
    often = [each for each in forms.values() if each.total() >= enough]
    # Where a county stands above the name of the town, the page does not say whose it is.
    return often[0].most_common(1)[0][0] if len(often) == 1 else ""


#: The words for a body or a document that stand behind the name of a place in its line.
_BEHIND_NAME: Final = re.compile(
    r"(?i)(?: (?:town|city|village|township|county|planning|zoning|school|select|library|water|fire"
    r"|police|finance|budget|recreation|housing|licensing|and|of))*"
    r" (?:council|board|commission(?:ers)?|committee|authority|trustees|selectmen|agenda|minutes"
    r"|meeting|regular|special|notice|resolution|ordinance|by-?law)\b.*"
)
#: A place is named in the first lines, and by at least this many documents.
_TOP_LINES: Final = 12
_FEWEST: Final = 3
