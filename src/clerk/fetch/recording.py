"""Recorded answers of a portal, served without a network: for testing a fetcher.

A folder with ``manifest.json``, a list of ``{"url", "name", "method"}``: the address that was asked
for, the file with the answer (``.gz`` is unpacked), and the method, GET if it is missing.  What was
not recorded does not exist.
"""

from __future__ import annotations

import gzip
from pathlib import Path
from urllib.parse import parse_qsl, unquote, urlsplit

import httpx
import msgspec

from clerk.core.errors import InvalidInput

MANIFEST = "manifest.json"


class RecordedAnswer(msgspec.Struct):
    """One answer; other fields of the manifest are for people."""

    url: str
    name: str
    method: str = "GET"


class RecordedPortal(httpx.BaseTransport):
    """Answers requests from a folder: the same address, else the same page with another query."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        path = folder / MANIFEST
        try:
            self.answers = msgspec.json.decode(path.read_bytes(), type=list[RecordedAnswer])
        except (OSError, msgspec.DecodeError) as error:
            raise InvalidInput(
                f"{path} cannot be read: {error}.",
                hint='It must be a JSON list of {"url": ..., "name": ..., "method": ...}.',
            ) from error
        if not self.answers:
            raise InvalidInput(f"{path} lists no responses.")
        #: The addresses that a fetcher asked for and that are not in the recording.
        self.not_recorded: list[str] = []

    @property
    def address(self) -> str:
        """The first recorded address, which is the one to begin with."""
        return self.answers[0].url

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """Answer one request."""
        asked = _comparable(str(request.url))
        same_page: RecordedAnswer | None = None
        for answer in self.answers:
            if answer.method != request.method:
                continue
            recorded = _comparable(answer.url)
            if recorded == asked:
                return self._response(answer)
            if recorded[:2] == asked[:2]:
                same_page = same_page or answer
        if same_page:
            return self._response(same_page)
        if request.url.path != "/robots.txt":
            self.not_recorded.append(str(request.url))
        return httpx.Response(404)

    def _response(self, answer: RecordedAnswer) -> httpx.Response:
        content = (self._folder / answer.name).read_bytes()
        return httpx.Response(
            200, content=gzip.decompress(content) if answer.name.endswith(".gz") else content
        )


def _comparable(url: str) -> tuple[str, str, tuple[tuple[str, str], ...]]:
    parts = urlsplit(url)
    query = tuple(sorted(parse_qsl(parts.query, keep_blank_values=True)))
    return (parts.hostname or "").lower(), unquote(parts.path).lower().rstrip("/"), query
