"""Laserfiche WebLink: folders of documents, listed by a service that the page's scripts ask.

``/WebLink/Browse.aspx?id=FOLDER&dbid=N&repo=NAME``; kind, body and date are told by the names of
the folders and documents, as in a folder of files.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime, time
from typing import Any

from clerk.fetch import naming
from clerk.fetch.base import FetcherSpec, MeetingRef, Window
from clerk.fetch.http.responses import ApiError

from .common import Offer, PlatformFetcher, kind_of_title, parameter

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
        for _ in range(_MOST_FOLDERS):
            if not waiting:
                return
            folder, path = waiting.pop(0)
            for entry in self._entries(folder):
                name = str(entry.get("name") or "")
                below = (*path, name)
                if entry.get("type") == _FOLDER:
                    if len(below) <= _DEEPEST:
                        waiting.append((str(entry["entryId"]), below))
                elif meeting := self._meeting(str(entry["entryId"]), below):
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

    def _meeting(self, number: str, path: tuple[str, ...]) -> MeetingRef | None:
        day = naming.date_of_path(path)
        kind = next((k for part in reversed(path) if (k := kind_of_title(part))), "")
        query = f"docid={number}&dbid={self._database}&repo={self._repository}"
        url = f"{self._application}/ElectronicFile.aspx?{query}"
        if not kind or not day:
            self.skip("/".join(path), "no date or kind in its path", url)
            return None
        return self.meeting(
            path[-1],
            datetime.combine(day, time()),
            [Offer(path[-1], url, kind, "file")],
            vendor_id=number,
            body=naming.body_of_path(path),
            source_url=f"{self._application}/DocView.aspx?id={number}&dbid={self._database}",
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
