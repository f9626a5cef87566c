"""What comes back: pages, documents, and what can be told from their first bytes and headers."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from datetime import datetime, timedelta
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Any

from clerk.core.errors import SourceUnavailable

if TYPE_CHECKING:
    import httpx

#: First bytes -> what that is, in words for a report.
_MAGIC = (
    (b"%PDF-", "a PDF"),
    (b"PK\x03\x04", "a Word document or ZIP file"),
    (b"\xd0\xcf\x11\xe0", "an older Word document"),
    (b"{\\rtf", "an RTF document"),
    (b"\xff\xd8\xff", "a JPEG picture"),
    (b"\x89PNG", "a PNG picture"),
    (b"GIF8", "a GIF picture"),
    (b"II*\x00", "a TIFF picture"),
    (b"MM\x00*", "a TIFF picture"),
)
_HTML = re.compile(rb"\s*(?:\xef\xbb\xbf)?\s*<(?:!doctype|html|head|body|\?xml|!--)", re.IGNORECASE)

#: Texts of the pages that stand in front of a site and want a browser or a person.
_CHALLENGES = (
    b"Just a moment...",
    b"/cdn-cgi/challenge-platform",
    b"Attention Required! | Cloudflare",
    b"_Incapsula_Resource",
    b"Pardon Our Interruption",
    b"/_sec/cp_challenge",
    b"px-captcha",
    b"errors.edgesuite.net",
    b"captcha-delivery.com",
    b"AwsWafIntegration",
)
#: So much of an answer is looked at.
HEAD_BYTES = 65_536


@dataclass(frozen=True)
class Validators:
    """What a host gave us to ask whether a document has changed."""

    etag: str = ""
    last_modified: str = ""

    def headers(self) -> dict[str, str]:
        """Return the headers of a conditional request."""
        headers = {"If-None-Match": self.etag, "If-Modified-Since": self.last_modified}
        return {name: value for name, value in headers.items() if value}


@dataclass(frozen=True)
class Page:
    """A page, whole in memory."""

    url: str
    content: bytes
    headers: httpx.Headers

    @property
    def text(self) -> str:
        """The page as text, by the charset it names or else the likeliest."""
        charset = re.search(r"charset=[\"']?([\w-]+)", self.headers.get("content-type", ""), re.I)
        for encoding in (charset[1] if charset else "utf-8", "utf-8"):
            try:
                return self.content.decode(encoding)
            except (LookupError, UnicodeDecodeError):
                continue
        return self.content.decode("cp1252", "replace")

    def json(self) -> Any:
        """The page as JSON; anything else means that the source has changed or is broken."""
        try:
            return json.loads(self.content)
        except ValueError as error:
            what = sniffed(self.content)
            raise SourceUnavailable(f"{self.url} answered {what} instead of JSON.") from error


@dataclass(frozen=True)
class Download:
    """A document that lies in a file now."""

    url: str
    sha256: str
    bytes: int
    sniffed: str
    validators: Validators


def sniffed(head: bytes) -> str:
    """Say what bytes are, by their beginning and not by what the host calls them."""
    for magic, what in _MAGIC:
        if head.startswith(magic):
            return what
    if _HTML.match(head):
        return "an HTML page"
    return "text" if _is_text(head[:1024]) else "an unknown format"


def _is_text(head: bytes) -> bool:
    return bool(head) and not re.search(rb"[\x00-\x08\x0e-\x1f]", head)


def is_challenge(headers: httpx.Headers, head: bytes) -> bool:
    """Whether an answer is a page that wants a browser or a person instead of the one asked for."""
    if headers.get("cf-mitigated", "").lower() == "challenge":
        return True
    return _HTML.match(head) is not None and any(text in head for text in _CHALLENGES)


def usable_validators(headers: httpx.Headers) -> Validators:
    """Return the validators that say something.

    Some hosts send the same blank ETag with everything, or the time of the answer as the time of
    the last change.
    """
    etag = headers.get("etag", "").strip()
    meaning = etag.removeprefix("W/").strip().strip('"').strip()
    return Validators(etag if meaning else "", _last_modified(headers))


def _last_modified(headers: httpx.Headers) -> str:
    text = str(headers.get("last-modified", ""))
    changed, answered = _moment(text), _moment(headers.get("date", ""))
    if changed is None or (answered and answered - changed < timedelta(seconds=5)):
        return ""
    return text


def _moment(text: str) -> datetime | None:
    try:
        moment = parsedate_to_datetime(text)
    except (ValueError, TypeError):
        return None
    return moment if moment.tzinfo else None


def seconds_to_wait(headers: httpx.Headers, now: float) -> float | None:
    """Return how long Retry-After asks to wait, or None if it does not."""
    text = headers.get("retry-after", "").strip()
    if text.isascii() and text.isdigit():
        return float(text[:9])
    moment = _moment(text)
    return max(moment.timestamp() - now, 0.0) if moment else None
