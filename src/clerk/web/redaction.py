"""The second net behind the gate: no answer and no log line has a secret of this installation.

An error may quote an address with its password, be kept in the database, and reach a page weeks
later.  So the passwords and keys among the settings are removed from every record of the log and
from every answer, whatever made it; :mod:`clerk.core.public_text` decides what else is public.
"""

from __future__ import annotations

import logging
import traceback

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from clerk.core.public_text import Redactor, without_passwords

__all__ = ["RedactedAnswers", "RedactingFilter", "Redactor", "without_passwords"]


class RedactedAnswers:
    """Takes the secrets out of every answer that is text.

    A password that is a word, as in ``clerk:clerk@``, is taken out of addresses only: pages say the
    word for themselves.  And pages for everybody show documents as they are: an address with a
    password in somebody's minutes stays there; all other text on them has passed the gate.
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
