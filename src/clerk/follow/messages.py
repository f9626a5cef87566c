"""What followers are sent: mail as plain text and HTML, JSON to webhooks.

Every message of news can be stopped by one click (RFC 8058), and leads to the hit on the page.
Titles and texts come from documents: they are escaped in HTML and never part of a header but the
subject, from which line breaks are removed.
"""

from __future__ import annotations

import hmac
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from email import policy
from email.headerregistry import Address
from email.message import EmailMessage
from email.utils import format_datetime
from functools import lru_cache
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode

import httpx
import msgspec

from clerk.core import language
from clerk.core.clock import utc_now
from clerk.core.config import Settings
from clerk.core.errors import TransientError
from clerk.core.language import say, word
from clerk.core.mail import sender_of
from clerk.fetch.http.limits import check_url
from clerk.fetch.http.transport import VettedTransport

from .matching import HitLine, ShownHit
from .targets import page_of, read_followed

#: Documents that one message lists; the page of what is followed shows the others.
LISTED_AT_MOST = 30
_SUBJECT_LETTERS = 120
#: Long links in headers stay in one piece: folded ones are encoded, and then not understood.
_POLICY = policy.SMTP.clone(max_line_length=900)
#: Longest time that a webhook may take to answer.
WEBHOOK_SECONDS = 20.0
#: Header fields of a webhook's request.
SIGNATURE, IDEMPOTENCY = "Clerk-Signature", "Idempotency-Key"


@dataclass(frozen=True)
class Section:
    """What is new of one thing that is followed."""

    subscription: int
    kind: str
    label: str
    asked: Mapping[str, object]
    hits: list[ShownHit]

    @property
    def path(self) -> str:
        """The page that shows it."""
        return page_of(self.kind, read_followed(self.asked))


class WebhookRefused(TransientError):
    """A webhook answered with something else than success."""


@lru_cache(maxsize=1)
def _templates() -> Any:
    import jinja2

    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(Path(__file__).with_name("templates")),
        autoescape=lambda name: bool(name and ".html" in name),
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.globals |= {
        "_": say,
        "current_language": language.current,
        "hit_path": hit_path,
        "title_of": title_of,
        "date_of": date_of,
        "parts_of": parts_of,
    }
    environment.filters |= {"counted": language.counted, "thousands": language.number}
    return environment


def hit_path(hit: ShownHit, page_id: str = "") -> str:
    """Return the path of a page with the hits marked, or of the document."""
    if not page_id:
        return f"/d/{quote(hit.document_id)}"
    return f"/p/{quote(page_id)}" + (f"?{urlencode({'q': hit.query})}" if hit.query else "")


def title_of(hit: ShownHit) -> str:
    """Return what a document is: body and kind."""
    kind = word(hit.kind if hit.kind not in ("", "unknown") else "document")
    if hit.body:
        return say("%(body)s %(kind)s", body=hit.body, kind=kind)
    return kind[:1].upper() + kind[1:]


def date_of(hit: ShownHit) -> str:
    """Return the date of a document in words."""
    try:
        return language.day(date.fromisoformat(hit.date))
    except ValueError:
        return say("no date known")


def parts_of(line: HitLine) -> list[tuple[str, bool]]:
    """Return the text of a line in parts, each with whether it stands out."""
    if line.ballot:
        result = word(line.result) if line.result else say("result not certain")
        said = say("Voted: %(ballot)s", ballot=word(line.ballot))
        return [(said, True), (f" ({result}): ", False), *line.parts]
    if line.about_matter:
        done = word(line.action.replace("_", " ")) if line.action else say("Mentioned")
        return [(done[:1].upper() + done[1:], True), (": ", False), *line.parts]
    return line.parts


def _message(
    settings: Settings, address: str, key: str, subject: str, template: str, **values: Any
) -> EmailMessage:
    message = EmailMessage(policy=_POLICY)
    message["From"] = sender_of(settings.mail_url)
    message["To"] = Address(addr_spec=address)
    message["Subject"] = " ".join(subject.split())[:_SUBJECT_LETTERS]
    message["Date"] = format_datetime(utc_now())
    message["Message-ID"] = f"<{key}@clerk>"
    # No answers of machines, as RFC 3834 asks.
    message["Auto-Submitted"] = "auto-generated"
    values |= {"public_url": settings.public_url, "subject": str(message["Subject"])}
    message.set_content(_templates().get_template(f"{template}.txt").render(**values))
    html = _templates().get_template(f"{template}.html").render(**values)
    message.add_alternative(html, subtype="html")
    return message


def confirmation(
    settings: Settings, address: str, key: str, label: str, token: str
) -> EmailMessage:
    """Return the message that asks whether the owner of an address wants to follow something."""
    link = f"{settings.public_url}/follow/confirm/{token}"
    subject = say("Please confirm: %(label)s", label=label)
    return _message(settings, address, key, subject, "confirm", label=label, link=link)


def news(
    settings: Settings,
    address: str,
    key: str,
    sections: Sequence[Section],
    personal: str,
    stop: str,
) -> EmailMessage:
    """Return the message that tells a person what is new."""
    # A document that is found by several things is one document.
    documents = len({hit.document_id for each in sections for hit in each.hits})
    things = language.counted(documents, "new document")
    about = sections[0].label
    if len(sections) > 1:
        about = say("%(number)s things you follow", number=language.number(len(sections)))
    left = LISTED_AT_MOST
    shown: list[tuple[Section, list[ShownHit], int]] = []
    for each in sections:
        some = each.hits[:left]
        left -= len(some)
        shown.append((each, some, len(each.hits) - len(some)))
    message = _message(
        settings,
        address,
        key,
        f"{things}: {about}",
        "news",
        sections=shown,
        things=things,
        personal=settings.public_url + personal,
        stop=settings.public_url + stop,
    )
    message["List-Unsubscribe"] = f"<{settings.public_url}{stop}>"
    message["List-Unsubscribe-Post"] = "List-Unsubscribe=One-Click"
    return message


def trial(settings: Settings, address: str, key: str) -> EmailMessage:
    """Return a message that shows whether mail arrives."""
    return _message(settings, address, key, "Test message of clerk", "trial")


# --------------------------------------------------------------------------------- webhooks


def webhook_body(settings: Settings, key: str, sections: Sequence[Section]) -> bytes:
    """Return what a webhook is sent."""

    def described(hit: ShownHit) -> dict[str, object]:
        return {
            "site": hit.site,
            "place": hit.place,
            "body": hit.body or None,
            "kind": hit.kind,
            "date": hit.date or None,
            "document": hit.document_id,
            "url": settings.public_url + hit_path(hit),
            "pages": [
                {
                    "page": line.page or None,
                    "url": settings.public_url + hit_path(hit, line.page_id),
                    "text": "".join(part for part, _ in parts_of(line)),
                }
                for line in hit.lines
            ],
        }

    return msgspec.json.encode(
        {
            "key": key,
            "subscriptions": [
                {
                    "id": each.subscription,
                    "kind": each.kind,
                    "label": each.label,
                    "follows": dict(each.asked),
                    "documents": [described(hit) for hit in each.hits],
                }
                for each in sections
            ],
        }
    )


def signature_of(secret: str, at: int, body: bytes) -> str:
    """Return the header that proves who sent a body, and when."""
    signed = hmac.new(secret.encode(), f"{at}.".encode() + body, "sha256").hexdigest()
    return f"t={at},v1={signed}"


def post(settings: Settings, url: str, secret: str, key: str, sections: Sequence[Section]) -> None:
    """Send news to a webhook; raise WebhookRefused or httpx's errors if it does not take them.

    The address is vetted when it is connected to, and redirects are not followed.
    """
    body = webhook_body(settings, key, sections)
    at = int(utc_now().timestamp())
    headers = {
        "Content-Type": "application/json",
        "User-Agent": "clerk",
        IDEMPOTENCY: key,
        SIGNATURE: signature_of(secret, at, body),
    }
    check_url(httpx.URL(url), allow_private=settings.fetch_allow_private)
    transport = VettedTransport(time, allow_private=settings.fetch_allow_private)
    transport.set_deadline(time.monotonic() + WEBHOOK_SECONDS)
    with (
        httpx.Client(transport=transport, follow_redirects=False, trust_env=False) as client,
        client.stream("POST", url, content=body, headers=headers) as answer,
    ):
        status = answer.status_code
    if not 200 <= status < 300:
        raise WebhookRefused(f"The webhook answered with {status}.")
