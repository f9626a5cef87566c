"""Logs: JSON lines for machines, plain lines for people, always on stderr."""

from __future__ import annotations

import json
import logging
import sys
from datetime import UTC, datetime
from typing import Any

#: What a record may say beside its message.
FIELDS = ("site", "run", "stage", "batch", "job", "document", "duration", "worker")


class JsonLines(logging.Formatter):
    """One JSON object per line."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the record with the fields it carries."""
        line: dict[str, Any] = {
            "at": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
        }
        line |= {name: getattr(record, name) for name in FIELDS if _given(record, name)}
        if record.exc_info:
            line["traceback"] = self.formatException(record.exc_info)
        return json.dumps(line, ensure_ascii=False, default=str)


class PlainLines(logging.Formatter):
    """Time, message, and where it happened."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the record as a person reads it."""
        at = datetime.fromtimestamp(record.created).astimezone().strftime("%H:%M:%S")
        where = " ".join(str(getattr(record, n)) for n in ("site", "document") if _given(record, n))
        line = f"{at} {record.levelname.lower():7} {f'{where}: ' if where else ''}"
        line += record.getMessage()
        return f"{line}\n{self.formatException(record.exc_info)}" if record.exc_info else line


def _given(record: logging.LogRecord, name: str) -> bool:
    return getattr(record, name, None) not in (None, "")


def set_up(log_format: str = "auto", level: str = "INFO", sentry_dsn: str = "") -> None:
    """Send clerk's logs to stderr; ``auto`` is plain on a terminal and JSON elsewhere."""
    plain = log_format == "text" or (log_format == "auto" and sys.stderr.isatty())
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(PlainLines() if plain else JsonLines())
    root = logging.getLogger("clerk")
    root.handlers[:] = [handler]
    root.setLevel(level)
    root.propagate = False
    if sentry_dsn:
        _start_sentry(sentry_dsn)


def _start_sentry(dsn: str) -> None:
    try:
        import sentry_sdk
    except ImportError:
        logging.getLogger(__name__).warning(
            "SENTRY_DSN is set and the Sentry client is not installed: pip install 'clerk[sentry]'"
        )
        return
    sentry_sdk.init(dsn=dsn)
