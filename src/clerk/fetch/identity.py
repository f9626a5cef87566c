"""What stays the same about a meeting and a document over all fetches, and what it is called."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import replace
from urllib.parse import parse_qsl, urlencode, urlsplit, urlunsplit

from clerk.core.public_text import Gate
from clerk.core.storage import Document

from . import naming
from .base import DocumentRef, MeetingRef

#: Parameters that name a session or defeat caches, not a document.
_SESSION_PARAMETERS = frozenset(
    ("handle", "sessionid", "jsessionid", "sid", "phpsessid", "_", "cachebuster", "splitscreen")
)


def of_meeting(fetcher: str, meeting: MeetingRef) -> str:
    """Return the identity of a meeting: its id, else whose, when and what it was."""
    if meeting.vendor_id:
        return f"{fetcher}:{meeting.vendor_id}"
    facts = "\0".join((meeting.body, str(meeting.start_local), meeting.title))
    return f"{fetcher}:#{hashlib.sha256(facts.encode('utf-8', 'replace')).hexdigest()[:24]}"


def of_document(fetcher: str, meeting: MeetingRef, ref: DocumentRef) -> str:
    """Return the identity of a document, the same for all its versions."""
    which = ref.vendor_id or canonical_url(ref.url)
    return f"{of_meeting(fetcher, meeting)}|{ref.kind}|{which}"


def canonical_url(url: str) -> str:
    """Return the URL without what names a session."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return url
    kept = [
        (key, value)
        for key, value in parse_qsl(parts.query, keep_blank_values=True)
        if key.lower() not in _SESSION_PARAMETERS and not key.lower().startswith("utm_")
    ]
    return urlunsplit((parts.scheme, parts.netloc.lower(), parts.path, urlencode(kept), ""))


def proposed_name(meeting: MeetingRef, ref: DocumentRef, gate: Gate) -> Document:
    """Return what a document would be called if it were the only one of that name.

    The name is public, so it has no secret of the source's.
    """
    body = naming.safe_component(gate.name(meeting.body), naming.UNNAMED_BODY)
    day = meeting.day
    title = meeting.title or ref.title or ref.url.rsplit("/", 1)[-1]
    called = day.isoformat() if day else naming.safe_component(gate.name(title))
    return Document(ref.kind, body, called)


def free_name(proposed: Document, taken: set[str], folded: Callable[[str], str] = str) -> Document:
    """Return the first name that nobody has: 2024-01-15, 2024-01-15-2, 2024-01-15-3 ...

    ``folded`` makes equal what the disk cannot tell apart.
    """
    number = 1
    while True:
        document = replace(proposed, date=naming.numbered(proposed.date, number))
        if folded(document.name) not in taken:
            return document
        number += 1
