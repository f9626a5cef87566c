"""What the documents of a folder are taken for, before a site is added.

The first pages of each file are read as far as they are text; scans are not recognized here, so of
a scan only the path is known.  Every file is read in a process of its own with limits, and looking
stops when its time is up: the other files are judged by their paths.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any, Final

import msgspec

from clerk.core.config import Settings
from clerk.core.errors import ClerkError
from clerk.core.storage import AGENDAS
from clerk.fetch.base import Context, FetcherSpec, FetchReport, MeetingRef, Window
from clerk.fetch.discover import source_settings
from clerk.fetch.sources import path_of_file_url
from clerk.identify import Hints, Identity, Known, PageView, identify
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

    @property
    def evidence(self) -> Mapping[str, Any]:
        """The facts in the form in which they are stored."""
        facts = {
            name: msgspec.to_builtins(getattr(self.identity, name))
            for name in ("date", "body", "kind", "title")
        }
        return facts | {"others": msgspec.to_builtins(self.identity.others)}


@dataclass(frozen=True)
class Looked:
    """What was found in a folder; ``unread`` files were judged by their paths alone."""

    files: list[FirstLook]
    refused: list[str]
    unread: int


def look_at_folder(
    spec: FetcherSpec, site: Mapping[str, Any], settings: Settings, seconds: float = SECONDS
) -> Looked:
    """Return what each file of a folder would be taken for; nothing is stored."""
    report = FetchReport(spec.id)

    def no_client() -> Any:
        raise RuntimeError("a folder needs no client")

    fetcher = spec.factory(Context(site, source_settings(site, spec), no_client, report))
    everything = Window(date(1600, 1, 1), date(2100, 12, 31), full=True)
    place = ", ".join(str(site[each]) for each in ("name", "state") if site.get(each))
    options = ReadingOptions.from_settings(settings, ocr="never")
    until, unread = time.monotonic() + seconds, 0
    files = []
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
            hints = Hints(path=ref.title, place=place, portal=known)
            has_text = any(page.text.strip() for page in pages)
            files.append(FirstLook(ref.title, identify(pages, hints), has_text, trouble))
    refused = [f"{each.what}: {each.why}" for each in (*report.errors, *report.skipped)]
    return Looked(files, refused, unread)
