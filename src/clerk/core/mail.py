"""Mail by SMTP: the only module that talks to a mail server.

::

    smtp://user:password@host:587/?from=clerk@example.org   STARTTLS if it is offered; a password is
                                                            sent only after it
    smtps://...                                             encrypted from the first byte
"""

from __future__ import annotations

import contextlib
import smtplib
import ssl
from collections.abc import Iterator
from urllib.parse import parse_qs, unquote, urlsplit

#: Longest time that a server may take to answer.
TIMEOUT_SECONDS = 15.0


def sender_of(url: str) -> str:
    """Return whom mail by this URL is from."""
    return parse_qs(urlsplit(url).query).get("from", ["clerk@localhost"])[0]


@contextlib.contextmanager
def mail_session(url: str) -> Iterator[smtplib.SMTP]:
    """Give an open session with the server of a URL; errors are those of smtplib and OSError."""
    parts = urlsplit(url)
    encrypted = parts.scheme == "smtps"
    host, port = parts.hostname or "localhost", parts.port or (465 if encrypted else 25)
    context = ssl.create_default_context()
    server: smtplib.SMTP
    if encrypted:
        server = smtplib.SMTP_SSL(host, port, timeout=TIMEOUT_SECONDS, context=context)
    else:
        server = smtplib.SMTP(host, port, timeout=TIMEOUT_SECONDS)
    with server:
        if not encrypted:
            server.ehlo()
            if server.has_extn("starttls"):
                server.starttls(context=context)
                encrypted = True
        if parts.username:
            if not encrypted and host not in ("localhost", "127.0.0.1", "::1"):
                raise smtplib.SMTPNotSupportedError(
                    "the server offers no encryption, so the password was not sent;"
                    " use smtps://, or a server with STARTTLS"
                )
            server.login(unquote(parts.username), unquote(parts.password or ""))
        yield server
