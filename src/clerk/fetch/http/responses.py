"""What a host returns: a page, a document, or the reason why not.

SourceUnavailable
 +- NotUnderstood     the page is there, but it is not what was expected; keeps what it returned
 |   +- ApiError      an API that returned an error or something else than a list
 |   +- NeedsBrowser  a page of scripts only: what it shows is made in a browser
 |   +- NeedsLogin    a page that asks for a password
 |   +- NothingListed the links of documents on the pages, and none of them was listed
 +- FewerDocuments    far fewer documents than last time
 +- AddressRefused    the URL is not one that clerk fetches from
 +- CircuitOpen       the host is in trouble or asked for a pause: send no more requests
 +- PageMissing       404 or 410
 +- RobotsRefused     robots.txt disallows this page: a SourceBlocked of one page
 +- ChallengePage     a page for browsers or people instead of the answer: a SourceBlocked
 +- HostTrouble       no connection to the host, or none that ends in time
 |   +- CertificateRefused  its certificate is not valid
 +- TryAgain          a timeout, 408, 429 or 5xx: raised to callers only after the last attempt
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from datetime import datetime, timedelta
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Any

from clerk.core.errors import SourceBlocked, SourceUnavailable

if TYPE_CHECKING:
    import httpx

#: First bytes -> what they are, in words for a report.
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

#: Texts of pages that want to see a browser or a person first.
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
#: How many bytes of a response are searched for signs of a challenge.
HEAD_BYTES = 65_536


class AddressRefused(SourceUnavailable):
    """The address is not one that clerk fetches from."""


class CircuitOpen(SourceUnavailable):
    """No requests are sent to the host for a while."""


class HostTrouble(SourceUnavailable):
    """The host cannot be reached."""


class CertificateRefused(HostTrouble):
    """The host's certificate is not valid."""


class PageMissing(SourceUnavailable):
    """There is nothing at this address."""


class RobotsRefused(SourceBlocked):
    """The host's robots.txt disallows this."""


class ChallengePage(SourceBlocked):
    """The host shows a challenge page."""


class NotUnderstood(SourceUnavailable):
    """A page that is there and is not what was expected; ``page`` is what was returned.

    A page that is only scripts is not understood because it needs a browser: it becomes that, and
    one with a field for a password needs a login.
    """

    def __new__(cls, page: WebPage | None, *_: object) -> NotUnderstood:
        if cls is NotUnderstood and page is not None:
            if re.search(r"""<input\b[^>]*\btype=["']?password""", page.text, re.IGNORECASE):
                return super().__new__(NeedsLogin)
            if is_only_scripts(page):
                return super().__new__(NeedsBrowser)
        return super().__new__(cls)

    def __init__(self, page: WebPage | None, expected: str, seen: str = "") -> None:
        where = page.url if page else "the source"
        if isinstance(self, NeedsBrowser):
            seen = seen or "a page that needs JavaScript"
        if isinstance(self, NeedsLogin):
            seen = seen or "a page that asks for a password"
        found = seen or (described_page(page) if page else "nothing")
        super().__init__(
            f"{where} was not understood: expected {expected}, found {found}.",
            hint="Open it in a browser. The response is stored; see: clerk failures.",
        )
        self.page = page
        self.expected = expected


class ApiError(NotUnderstood):
    """An API returned an error."""


class NeedsBrowser(NotUnderstood):
    """A page that scripts fill in a browser."""


class NeedsLogin(NotUnderstood):
    """A page that asks for a password."""


class NothingListed(NotUnderstood):
    """Documents are linked and none was listed."""


class FewerDocuments(SourceUnavailable):
    """The source lists far fewer documents than before."""


class TryAgain(SourceUnavailable):
    """The host may respond a moment later."""

    def __init__(
        self, message: str, wait_seconds: float | None = None, *, of_host: bool = True
    ) -> None:
        super().__init__(message, hint="Try again later: the host may be busy.")
        self.wait_seconds = wait_seconds
        #: Whether the whole host is in trouble, and not one page of it.
        self.of_host = of_host


@dataclass(frozen=True)
class Validators:
    """What a host sent for asking later whether a document has changed."""

    etag: str = ""
    last_modified: str = ""

    @classmethod
    def of_response(cls, headers: httpx.Headers) -> Validators:
        """Return the validators that mean something.

        Some hosts send the same blank ETag with everything, or the time of the response as the time
        of the last change.
        """
        etag = headers.get("etag", "").strip()
        last_modified = str(headers.get("last-modified", ""))
        changed_at, sent_at = _http_date(last_modified), _http_date(headers.get("date", ""))
        if changed_at is None or (sent_at and sent_at - changed_at < timedelta(seconds=5)):
            last_modified = ""
        meaning = etag.removeprefix("W/").strip().strip('"').strip()
        return cls(etag if meaning else "", last_modified)

    def headers(self) -> dict[str, str]:
        """Return the headers of a conditional request."""
        headers = {"If-None-Match": self.etag, "If-Modified-Since": self.last_modified}
        return {name: value for name, value in headers.items() if value}


@dataclass(frozen=True)
class WebPage:
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
        """Return the page as JSON; anything else means that the source has changed or is broken."""
        try:
            return json.loads(self.content)
        except ValueError as error:
            raise ApiError(self, "JSON") from error


@dataclass(frozen=True)
class Download:
    """A document that was saved to a file; ``format`` is what its first bytes say it is."""

    sha256: str
    bytes: int
    format: str
    validators: Validators


def format_of(head: bytes) -> str:
    """Say what bytes are, by their beginning and not by what the host calls them."""
    for magic, what in _MAGIC:
        if head.startswith(magic):
            return what
    if _HTML.match(head):
        return "an HTML page"
    is_text = head and not re.search(rb"[\x00-\x08\x0e-\x1f]", head[:1024])
    return "text" if is_text else "an unknown format"


def described_page(page: WebPage) -> str:
    """Say in a few words what a page is, for a message."""
    if not page.content.strip():
        return "an empty page"
    try:
        answer = json.loads(page.content)
    except ValueError:
        title = re.search(r"<title[^>]*>(.*?)</title>", page.text, re.IGNORECASE | re.DOTALL)
        named = f' titled "{" ".join(title[1].split())[:80]}"' if title else ""
        if not named and format_of(page.content) not in ("an HTML page", "text"):
            return format_of(page.content)
        links = len(re.findall(rb"<a\s", page.content, re.IGNORECASE))
        return f"{format_of(page.content)}{named} with {links} link{'s' * (links != 1)}"
    if isinstance(answer, dict):
        errors = [answer[key] for key in ("error", "Message", "message") if key in answer]
        if errors:
            return f"the error {str(errors[0])[:200]!r}"
        return f"a JSON object with the keys {', '.join(sorted(answer)[:8]) or '(none)'}"
    return f"JSON: {str(answer)[:200]!r}"


def is_only_scripts(page: WebPage) -> bool:
    """Whether a page is made of scripts, with no text or links of its own."""
    text = page.text
    if len(re.findall(r"<script\b", text, re.IGNORECASE)) == 0:
        return False
    without = re.sub(r"<(script|style|noscript|head)\b.*?</\1>", " ", text, flags=re.I | re.S)
    links = len(re.findall(r"<a\s[^>]*href", without, re.IGNORECASE))
    return links < 3 and len(re.sub(r"<[^>]*>|\s+", "", without)) < 300


def is_challenge(headers: httpx.Headers, head: bytes) -> bool:
    """Whether the response is a challenge page for browsers instead of what was requested."""
    if headers.get("cf-mitigated", "").lower() == "challenge":
        return True
    return _HTML.match(head) is not None and any(text in head for text in _CHALLENGES)


def seconds_to_wait(headers: httpx.Headers, now: float) -> float | None:
    """Return how long Retry-After asks to wait, or None if it does not."""
    text = headers.get("retry-after", "").strip()
    if text.isascii() and text.isdigit():
        return float(text[:9])
    moment = _http_date(text)
    return max(moment.timestamp() - now, 0.0) if moment else None


def _http_date(text: str) -> datetime | None:
    try:
        moment = parsedate_to_datetime(text)
    except (ValueError, TypeError):
        return None
    return moment if moment.tzinfo else None
