"""Logs: JSON lines for machines, plain lines for people, on stderr and if wanted to Loki."""

from __future__ import annotations

import base64
import json
import logging
import os
import sys
import time
import urllib.request
from collections import deque
from datetime import UTC, datetime
from urllib.parse import unquote, urlsplit, urlunsplit

from .distribution import install_command
from .errors import BadSetting, without_passwords

#: Fields that a record may have in addition to its message.
FIELDS = ("site", "run", "stage", "batch", "job", "document", "duration", "worker")


class JsonLines(logging.Formatter):
    """One JSON object per line."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the record with the fields it carries."""
        line: dict[str, object] = {
            "at": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": without_passwords(record.getMessage()),
        }
        line |= {name: getattr(record, name) for name in FIELDS if _given(record, name)}
        if record.exc_info:
            line["traceback"] = without_passwords(self.formatException(record.exc_info))
        return json.dumps(line, ensure_ascii=False, default=str)


class PlainLines(logging.Formatter):
    """Time, message, and where it happened."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the record as a person reads it."""
        at = datetime.fromtimestamp(record.created).astimezone().strftime("%H:%M:%S")
        where = " ".join(str(getattr(record, n)) for n in ("site", "document") if _given(record, n))
        line = f"{at} {record.levelname.lower():7} {f'{where}: ' if where else ''}"
        line += record.getMessage()
        if record.exc_info:
            line += f"\n{self.formatException(record.exc_info)}"
        return without_passwords(line)


def _given(record: logging.LogRecord, name: str) -> bool:
    return getattr(record, name, None) not in (None, "")


#: Lines are sent to Loki so often, and a warning at once.
LOKI_SECONDS = 5.0
#: Nothing waits for it longer than this, and none after it was away for a while.
LOKI_TIMEOUT_SECONDS = 0.5
LOKI_AWAY_SECONDS = 60.0
#: How many lines are kept while the server does not answer.
LOKI_LINES = 10_000


class Loki(logging.Handler):
    """Sends lines to Loki, several at a time; without a thread, for workers fork."""

    def __init__(self, url: str) -> None:
        super().__init__()
        self.setFormatter(JsonLines())
        parts = urlsplit(url)
        login, _, place = parts.netloc.rpartition("@")
        path = parts.path.rstrip("/") or "/loki/api/v1/push"
        self._url = urlunsplit((parts.scheme, place, path, parts.query, ""))
        self._headers = {"Content-Type": "application/json"}
        if login:
            coded = base64.b64encode(unquote(login).encode()).decode()
            self._headers["Authorization"] = f"Basic {coded}"
        self._lines: deque[tuple[str, str]] = deque(maxlen=LOKI_LINES)
        self._send_at = self._back_at = 0.0
        os.register_at_fork(after_in_child=self._lines.clear)

    def emit(self, record: logging.LogRecord) -> None:
        """Keep the line, and send what has gathered when it is time."""
        self._lines.append((str(int(record.created * 1e9)), self.format(record)))
        if record.levelno >= logging.WARNING or time.monotonic() >= self._send_at:
            self.flush()

    def flush(self) -> None:
        """Send what there is, unless Loki was away a moment ago."""
        now = time.monotonic()
        if not self._lines or now < self._back_at:
            return
        self._send_at = now + LOKI_SECONDS
        streams = [{"stream": {"app": "clerk"}, "values": list(self._lines)}]
        body = json.dumps({"streams": streams}).encode()
        request = urllib.request.Request(self._url, body, self._headers)
        try:
            with urllib.request.urlopen(request, timeout=LOKI_TIMEOUT_SECONDS):
                self._lines.clear()
        except OSError:
            self._back_at = now + LOKI_AWAY_SECONDS


def set_up(
    log_format: str = "auto", level: str = "INFO", sentry_dsn: str = "", loki_url: str = ""
) -> None:
    """Send clerk's logs to stderr; ``auto`` is plain on a terminal and JSON elsewhere."""
    plain = log_format == "text" or (log_format == "auto" and sys.stderr.isatty())
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(PlainLines() if plain else JsonLines())
    root = logging.getLogger("clerk")
    root.handlers[:] = [handler, Loki(loki_url)] if loki_url else [handler]
    root.setLevel(level)
    root.propagate = False
    if not sentry_dsn:
        return
    try:
        import sentry_sdk

        sentry_sdk.init(dsn=sentry_dsn)
    except ImportError:
        logging.getLogger(__name__).warning(
            "SENTRY_DSN is set, but the Sentry client is not installed: %s",
            install_command(extra="sentry"),
        )
    except ValueError as error:
        raise BadSetting(
            "SENTRY_DSN must look like https://key@host/number.",
            hint="Correct or unset SENTRY_DSN: Report errors to Sentry.",
        ) from error
