"""The fetcher ``urls``: a list of documents, in a file of this machine or at a URL.

One URL per line (``#`` begins a comment), or CSV whose first line names the columns::

    url,meeting,date,kind
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator, Mapping
from datetime import datetime, time
from pathlib import Path
from urllib.parse import unquote, urlsplit

from clerk.core.errors import SourceUnavailable
from clerk.core.storage import MINUTES
from clerk.fetch import naming
from clerk.fetch.base import (
    DocumentRef,
    Fetcher,
    FetcherSpec,
    MeetingRef,
    Problem,
    SourceSettings,
    Window,
    canonical_url,
)


class UrlsSettings(SourceSettings, kw_only=True):
    """What is assumed of documents that do not say it themselves."""

    meeting: str = ""
    kind: str = ""
    #: 1.2.2024 is the first of February.
    day_first: bool = False


class UrlsFetcher(Fetcher):
    """Lists the documents named in the list, each as a meeting of its own."""

    settings: UrlsSettings

    def list_meetings(self, window: Window) -> Iterator[MeetingRef]:
        """Yield one meeting per URL; a line that is not a URL is reported and skipped."""
        for row in _rows(self._text()):
            url = (row.get("url") or "").strip()
            if re.match(r"https?://\S+$", url, re.IGNORECASE):
                yield self._meeting(url, row)
            else:
                self.report.errors.append(Problem(url or str(row), "is not an http address"))

    def _text(self) -> str:
        source = self.settings.source
        if re.match(r"https?://", source, re.IGNORECASE):
            return self.client.page(source).text
        try:
            return Path(source).expanduser().read_text(encoding="utf-8-sig", errors="replace")
        except OSError as error:
            raise SourceUnavailable(
                f"The list {source!r} cannot be read: {error.strerror}.",
                hint="Name another one with: clerk site edit.",
            ) from error

    def _meeting(self, url: str, row: Mapping[str, str | None]) -> MeetingRef:
        name = unquote(urlsplit(url).path).rstrip("/").rsplit("/", 1)[-1]
        title = re.sub(r"\.(pdf|aspx?|ashx|php)$", "", name, flags=re.IGNORECASE) or url
        date_text = row.get("date") or title
        day = naming.find_date(date_text, day_first=self.settings.day_first)
        month = naming.find_month(date_text)
        body = row.get("meeting") or self.settings.meeting or naming.body_of_path([title])
        kind = naming.find_kind(row.get("kind") or "") or naming.find_kind(title)
        stated = {
            "kind": row.get("kind") or self.settings.kind,
            "body": row.get("meeting") or self.settings.meeting,
            "date": row.get("date"),
            "title": "",
        }
        return MeetingRef(
            vendor_id=canonical_url(url),
            body=body,
            title=month if month and not day else title,
            start_local=datetime.combine(day, time()) if day else None,
            guessed=frozenset(name for name, value in stated.items() if not value),
            documents=(DocumentRef(kind or self.settings.kind or MINUTES, url, "url"),),
        )


def _rows(text: str) -> Iterator[Mapping[str, str | None]]:
    """Yield the lines of a list, or the rows of a CSV file, with at least a url each."""
    lines = [line for line in text.splitlines() if line.strip() and not line.startswith("#")]
    header = [name.strip().lower() for name in next(csv.reader(lines[:1]), [])]
    if "url" in header:
        yield from csv.DictReader(lines[1:], fieldnames=header)
    else:
        yield from ({"url": line.strip()} for line in lines)


SPEC = FetcherSpec(
    "urls",
    UrlsFetcher,
    url_patterns=(r"^[^?]+\.(?:csv|txt)(?:\?|$)",),
    settings=UrlsSettings,
    lists_all=True,
    finds_gaps=False,
    help="A list of document URLs, as text or CSV, in a file or at a URL.",
)
