"""What must never be shown: the passwords and keys among the settings, wherever they turn up.

An error may quote an address with its password, be kept in the database, and reach a page weeks
later.  So secrets are taken out where words leave: from every record of the log, and from every
answer, whatever made it.
"""

from __future__ import annotations

import html
import json
import logging
import re
import traceback
from dataclasses import fields
from urllib.parse import unquote, urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from clerk.core.config import Settings

HIDDEN = "***"
_PASSWORD_IN_URL = re.compile(r"(?<=://)([^\s/:@]*):([^\s/@]+)@")
#: Shorter ones are words that a text may well contain by itself; so are, on pages, these and those
#: of letters only.
_SHORTEST, _UNMISTAKABLE = 4, 8


class Redactor:
    """Takes the secrets of an installation out of any text."""

    def __init__(self, settings: Settings) -> None:
        values = [
            str(getattr(settings, each.name) or "")
            for each in fields(settings)
            if each.metadata.get("secret")
        ]
        words = {form for value in values for word in _secret_words(value) for form in _forms(word)}
        self._secrets = sorted((word for word in words if len(word) >= _SHORTEST), key=len)[::-1]
        self._unmistakable = [each for each in self._secrets if _is_unmistakable(each)]

    def __call__(self, text: str) -> str:
        """Return the text without any secret, nor any password in an address."""
        for secret in self._secrets:
            text = text.replace(secret, HIDDEN)
        return without_passwords(text)

    def unmistakable(self, text: str) -> str:
        """Return the text without the secrets that cannot be words of it by chance."""
        for secret in self._unmistakable:
            text = text.replace(secret, HIDDEN)
        return text


def without_passwords(text: str) -> str:
    """Return the text without passwords in addresses."""
    return _PASSWORD_IN_URL.sub(rf"\1:{HIDDEN}@", text)


def _secret_words(value: str) -> set[str]:
    """Return the secret parts of a value: of an address its password, key and query."""
    try:
        parts = urlsplit(value)
        words = {parts.password or "", parts.query}
    except ValueError:
        return {value}
    if not parts.scheme or not (parts.hostname or parts.path):
        return {value}
    if parts.username and not parts.password:
        words.add(parts.username if parts.scheme in ("http", "https") else "")
    return words | {unquote(word) for word in words}


def _is_unmistakable(secret: str) -> bool:
    return len(secret) >= _UNMISTAKABLE and not secret.isalpha()


def _forms(word: str) -> set[str]:
    """Return a word as it stands in plain text, in HTML and in JSON."""
    return {word, html.escape(word), json.dumps(word)[1:-1]}


class RedactedAnswers:
    """Takes the secrets out of every answer that is text.

    A password that is a word, as in ``clerk:clerk@``, is taken out of addresses only: pages say the
    word for themselves.  And pages for everybody show documents as they are: an address with a
    password in somebody's minutes stays there.
    """

    def __init__(self, app: ASGIApp, redact: Redactor) -> None:
        self._app = app
        self._redact = redact

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        for_operators = scope["path"].startswith(_FOR_OPERATORS)
        held: list[Message] = []

        async def send_clean(message: Message) -> None:
            if message["type"] == "http.response.start" and _is_text(message):
                held.append(message)
                return
            if held:
                start = held.pop()
                if not message.get("more_body"):
                    self._clean(start, message, for_operators=for_operators)
                await send(start)
            await send(message)

        await self._app(scope, receive, send_clean)

    def _clean(self, start: Message, message: Message, *, for_operators: bool) -> None:
        """Take the secrets out of a body; what has none stays untouched."""
        body = message.get("body", b"")
        text = self._redact.unmistakable(body.decode("utf-8", "surrogateescape"))
        text = without_passwords(text) if for_operators else text
        clean = text.encode("utf-8", "surrogateescape")
        if clean != body:
            message["body"] = clean
            MutableHeaders(raw=start["headers"])["content-length"] = str(len(clean))


_FOR_OPERATORS = (
    *("/ops", "/metrics", "/readyz", "/healthz"),
    *("/api/v1/health", "/api/v1/followed", "/api/v1/batches", "/api/v1/uploads"),
)
_TEXTS = ("text/", "application/json", "application/xml", "application/atom+xml")


def _is_text(start: Message) -> bool:
    kind = Headers(raw=start["headers"]).get("content-type", "")
    return kind.startswith(_TEXTS) and not kind.startswith("text/event-stream")


class RedactingFilter(logging.Filter):
    """Takes the secrets out of every record before it is written."""

    def __init__(self, redact: Redactor) -> None:
        super().__init__()
        self._redact = redact

    def filter(self, record: logging.LogRecord) -> bool:
        """Rewrite the record; it is always kept."""
        record.msg, record.args = self._redact(record.getMessage()), ()
        if record.exc_info:
            lines = traceback.format_exception(*record.exc_info)
            record.msg += "\n" + self._redact("".join(lines))
            record.exc_info = None
        return True
