"""Running the application: a web server that stops at once, on a socket that is bound first.

So a port that is in use is reported before any worker is started.
"""

from __future__ import annotations

import contextlib
import logging
import socket
import traceback
from collections.abc import Callable
from types import FrameType
from typing import Any

import uvicorn

from clerk.core import log
from clerk.core.config import Settings
from clerk.core.errors import BadSetting
from clerk.core.public_text import Redactor

from .connections import KEEP_ALIVE_SECONDS, OpenConnections, protocol_for, with_open_files

#: Running requests may take this long once the server stops.
GRACE_SECONDS = 1


def listen(host: str, port: int) -> socket.socket:
    """Return the socket to serve on; raise BadSetting if the address or port cannot be used."""
    try:
        family, *_, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        return socket.create_server(address[:2], family=family, backlog=512)
    except OSError as error:
        # Python adds "(while attempting to bind on address ...)".
        reason = (error.strerror or str(error)).partition(" (")[0]
        raise BadSetting(
            f"Cannot listen on {host} port {port}: {reason}.",
            hint="Choose another: clerk serve --port 8080",
        ) from error


def own_address(wildcard: str) -> str:
    """Return the address of this machine that others see, for a server on 0.0.0.0 or ``::``.

    Nothing is sent: the system is asked which of its addresses it would send from.  On a machine
    without a network it is the loopback address.
    """
    family, elsewhere, loopback = {
        "0.0.0.0": (socket.AF_INET, "192.0.2.1", "127.0.0.1"),
        "::": (socket.AF_INET6, "2001:db8::1", "::1"),
    }[wildcard]
    try:
        with socket.socket(family, socket.SOCK_DGRAM) as asking:
            asking.connect((elsewhere, 9))
            return str(asking.getsockname()[0])
    except OSError:
        return loopback


class RedactingFilter(logging.Filter):
    """Removes the secrets of this installation from every log record."""

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


def log_safely(settings: Settings) -> None:
    """Send logs to stderr, without any secret."""
    log.set_up(
        settings.log_format,
        level="WARNING",
        sentry_dsn=settings.sentry_dsn,
        loki_url=settings.loki_url,
    )
    for handler in logging.getLogger("clerk").handlers:
        handler.addFilter(RedactingFilter(Redactor(settings)))


class Server(uvicorn.Server):
    """A server that ends its live streams before it waits for running requests."""

    def __init__(self, config: uvicorn.Config, on_exit: Callable[[], None]) -> None:
        super().__init__(config)
        self._on_exit = on_exit

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Stop, streams first."""
        self._on_exit()
        super().handle_exit(sig, frame)


def run_server(
    app: Any, listening: socket.socket, on_exit: Callable[[], None], settings: Settings
) -> None:
    """Serve until told to stop."""
    connections = OpenConnections(
        with_open_files(settings.web_connections),
        settings.web_connections_per_address,
        settings.trusted_proxies,
    )
    config = uvicorn.Config(
        app,
        http=protocol_for(connections),
        ws="none",
        log_config=None,
        # Warnings are about invalid requests; their senders must not be able to fill the log.
        log_level="error",
        access_log=False,
        server_header=False,
        forwarded_allow_ips=list(settings.trusted_proxies),
        timeout_graceful_shutdown=GRACE_SECONDS,
        timeout_keep_alive=KEEP_ALIVE_SECONDS,
    )
    # The server raises the signal again when it is done; it has been handled by then.
    with contextlib.suppress(KeyboardInterrupt):
        Server(config, on_exit).run(sockets=[listening])
