"""What must never be shown: the passwords and keys among the settings, wherever they turn up."""

from __future__ import annotations

import logging
import re
import traceback
from dataclasses import fields
from urllib.parse import unquote, urlsplit

from clerk.config import Settings

HIDDEN = "***"
_PASSWORD_IN_URL = re.compile(r"(?<=://)([^\s/:@]*):([^\s/@]+)@")
#: Shorter ones are words that a text may well contain by itself.
_SHORTEST = 4


class Redactor:
    """Takes the secrets of an installation out of any text."""

    def __init__(self, settings: Settings) -> None:
        values = [
            str(getattr(settings, each.name) or "")
            for each in fields(settings)
            if each.metadata.get("secret")
        ]
        words = {word for value in values for word in _secret_words(value)}
        self._secrets = sorted((word for word in words if len(word) >= _SHORTEST), key=len)[::-1]

    def __call__(self, text: str) -> str:
        """Return the text without any secret."""
        for secret in self._secrets:
            text = text.replace(secret, HIDDEN)
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
