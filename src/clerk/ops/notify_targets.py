"""Where notices go: mail by SMTP, a webhook, Slack and Discord.  One function sends to any of them.

::

    smtp://user:password@host:587/?from=clerk@example.org&to=ann@example.org,bob@example.org
    smtps://...                      encrypted from the first byte; smtp:// uses STARTTLS if it is
                                     offered, and sends a password only after it
    https://example.org/hook         a JSON object, see docs/operating.md
    slack+https://hooks.example/...  {"text": ...}; hooks.slack.com needs no prefix
    discord+https://...              {"content": ...}; discord.com needs no prefix
"""

from __future__ import annotations

import hashlib
import smtplib
from dataclasses import asdict, dataclass, field
from email.message import EmailMessage
from email.utils import formatdate
from urllib.parse import parse_qs, urlsplit

import httpx

from clerk.core import config
from clerk.core.errors import TransientError
from clerk.core.mail import TIMEOUT_SECONDS, mail_session, sender_of

#: Discord refuses longer texts.
MOST_LETTERS = 1900


class NotDelivered(TransientError):
    """A notice could not be delivered; it may work later."""


@dataclass(frozen=True)
class NoticeLine:
    """One problem that began, became worse, or ended."""

    #: "new", "worse" or "ended".
    change: str
    severity: str
    kind: str
    subject: str
    what: str
    command: str


@dataclass(frozen=True)
class Notice:
    """What people are notified of at once."""

    title: str
    lines: tuple[NoticeLine, ...] = field(default_factory=tuple)
    link: str = ""
    #: The same for every attempt to deliver it, so that a receiver can tell a repetition.
    key: str = ""
    #: How many further problems are not listed.
    more: int = 0

    @property
    def text(self) -> str:
        """The notice as plain text."""
        parts = [self.title]
        for line in self.lines:
            word = "OK again" if line.change == "ended" else line.severity
            parts.append(f"{word}: {line.what}")
            if line.command and line.change != "ended":
                parts.append(f"  {line.command}")
        if self.more:
            parts.append(f"... and {self.more} more")
        return "\n".join([*parts, *([self.link] if self.link else [])])


def fingerprint(url: str) -> str:
    """Return what the database stores instead of a URL, which may contain a password."""
    return hashlib.sha256(url.encode()).hexdigest()[:16]


def shown(url: str) -> str:
    """Return a URL so that it may be shown: webhooks have their secret in the path."""
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.hostname or ''}"


def send(url: str, notice: Notice) -> None:
    """Deliver a notice; raise NotDelivered with what the server said, without secrets."""
    try:
        if urlsplit(url).scheme in ("smtp", "smtps"):
            message = EmailMessage()
            message["From"] = sender_of(url)
            message["To"] = ", ".join(parse_qs(urlsplit(url).query).get("to", []))
            message["Subject"] = notice.title
            message["Date"] = formatdate(usegmt=True)
            message["Message-ID"] = f"<{notice.key or 'test'}@clerk>"
            message.set_content(notice.text)
            with mail_session(url) as server:
                server.send_message(message)
        else:
            address = _address(url)
            host = urlsplit(address).hostname or ""
            if url.startswith("slack+") or host == "hooks.slack.com":
                body: dict[str, object] = {"text": notice.text}
            elif url.startswith("discord+") or host in ("discord.com", "discordapp.com"):
                body = {"content": notice.text[:MOST_LETTERS]}
            else:
                body = asdict(notice) | {"text": notice.text}
            headers = {"Idempotency-Key": notice.key} if notice.key else {}
            answer = httpx.post(address, json=body, headers=headers, timeout=TIMEOUT_SECONDS)
            answer.raise_for_status()
    except (OSError, smtplib.SMTPException, httpx.HTTPError) as error:
        reason = str(error).replace(_address(url), shown(url)).splitlines()[0]
        raise NotDelivered(f"{type(error).__name__}: {config.redact(reason)}") from error


def _address(url: str) -> str:
    """Return the URL that is called, without the word for who understands it."""
    return url.removeprefix("slack+").removeprefix("discord+")
