"""Laserfiche WebLink: folders of documents, listed by a service that the page's scripts ask.

``/WebLink/Browse.aspx?id=FOLDER&dbid=N&repo=NAME``; kind, body and date are told by the names of
the folders and documents, as in a folder of files.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date, datetime, time
from typing import Any

from clerk.core.storage import AGENDAS
from clerk.fetch import naming
from clerk.fetch.base import FetcherSpec, MeetingRef, Window
from clerk.fetch.http.responses import ApiError

from .common import Offer, PlatformFetcher, kind_of_title, parameter

#: The number of an item on the agenda.
_ITEM = re.compile(r"[A-Z]{1,3}[0-9]{2,3}\s*[-–]\s")
_PER_PAGE = 500
_FOLDER = 0
_MOST_FOLDERS = 500
_DEEPEST = 6


class Laserfiche(PlatformFetcher):
    """Lists a folder and the folders in it."""

    def list_meetings(self, window: Window) -> Iterator[MeetingRef]:
        """Yield one meeting per document."""
        match = re.match(r"(https?://[^/]+/[^/?]+)/", self.source)
        self._application = match[1] if match else f"{self.root}/WebLink"
        # The page sets the cookie that the service wants to see.
        page = self.client.page(self.source)
        number = parameter(self.source, "id") or parameter(self.source, "startid") or "1"
        self._database = parameter(self.source, "dbid") or "0"
        named = re.search(r"repo(?:Name)?[\"']?\s*[:=]\s*[\"']([^\"']+)[\"']", page.text, re.I)
        self._repository = parameter(self.source, "repo") or (named[1] if named else "")
        waiting: list[tuple[str, tuple[str, ...]]] = [(number, ())]
        found: list[tuple[str, tuple[str, ...]]] = []
        for _ in range(_MOST_FOLDERS):
            if not waiting:
                break
            folder, path = waiting.pop(0)
            for entry in self._entries(folder):
                below = (*path, str(entry.get("name") or ""))
                if entry.get("type") != _FOLDER:
                    found.append((str(entry["entryId"]), below))
                elif len(below) <= _DEEPEST:
                    waiting.append((str(entry["entryId"]), below))
        # Packets may be in another folder than the agendas.
        days = {naming.date_of_path(path) for _, path in found if _is_bare_agenda(path)}
        for document, path in found:
            if meeting := self._meeting(document, path, days):
                yield meeting

    def _entries(self, folder: str) -> Iterator[dict[str, Any]]:
        for start in range(0, 100_000, _PER_PAGE):
            page = self.client.page(
                f"{self._application}/FolderListingService.aspx/GetFolderListing2",
                method="POST",
                json={
                    "repoName": self._repository,
                    "folderId": int(folder),
                    "getNewListing": True,
                    "start": start,
                    "end": start + _PER_PAGE,
                    "sortColumn": "",
                    "sortAscending": True,
                },
            )
            answer = page.json()
            listing = answer.get("data") if isinstance(answer, dict) else None
            if not isinstance(listing, dict) or not isinstance(listing.get("results"), list):
                raise ApiError(page, "the contents of a folder")
            entries = [each for each in listing["results"] if isinstance(each, dict)]
            yield from (each for each in entries if "entryId" in each)
            if len(entries) < _PER_PAGE:
                return

    def _meeting(
        self, number: str, path: tuple[str, ...], agendas: set[date | None]
    ) -> MeetingRef | None:
        """Return the meeting of a document; ``agendas`` are the days that have an agenda."""
        day = naming.date_of_path(path)
        kind = next((k for part in reversed(path) if (k := kind_of_title(part))), "")
        query = f"docid={number}&dbid={self._database}&repo={self._repository}"
        url = f"{self._application}/ElectronicFile.aspx?{query}"
        if not kind or not day:
            self.skip("/".join(path), "no date or kind in its path", url)
            return None
        paper = _is_paper(path)
        if paper and not self.settings.attachments:
            self.skip("/".join(path), "an attachment", url)
            return None
        is_packet = naming.is_packet("/".join(path)) and not paper
        if is_packet and day in agendas and not self.settings.packets:
            self.skip("/".join(path), "a packet in addition to the agenda", url)
            return None
        return self.meeting(
            path[-1],
            datetime.combine(day, time()),
            [Offer(path[-1], url, kind, "file", attachment=paper)],
            vendor_id=number,
            body=naming.body_of_path(path),
            source_url=f"{self._application}/DocView.aspx?id={number}&dbid={self._database}",
        )


def _is_paper(path: tuple[str, ...]) -> bool:
    """Whether a document is a paper of one item: "A001 - Motion ...", or in a packet's folder."""
    in_packet = any(map(naming.is_packet, path[:-1]))
    return bool(_ITEM.match(path[-1])) or (in_packet and not kind_of_title(path[-1]))


def _is_bare_agenda(path: tuple[str, ...]) -> bool:
    return (
        naming.kind_of_path(path) == AGENDAS
        and not naming.is_packet("/".join(path))
        and not _is_paper(path)
    )


SPEC = FetcherSpec(
    "laserfiche",
    Laserfiche,
    url_patterns=(r"/WebLink\d*/(?:Browse|Welcome|Fol|0/fol)",),
    lists_all=True,
    finds_gaps=False,
    missing="repositories that need a login",
    help="Laserfiche: https://HOST/WebLink/Browse.aspx?id=FOLDER&dbid=0&repo=NAME",
)
