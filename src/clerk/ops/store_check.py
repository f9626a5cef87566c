"""Whether the store answers, is this installation's, and has what is to be read.

Asked in a child process, because one that has used a store must not fork; and for a limited time,
because a store that does not answer is asked again and again otherwise.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Sequence

from clerk.core import child_process, installation, manifest
from clerk.core.config import Settings
from clerk.core.db import reading_connection
from clerk.core.errors import ClerkError, DocumentError, StoreUnavailable
from clerk.core.store import PDF, Store

#: How long the store may take to answer.
ANSWER_SECONDS = 10.0
#: Most stores answer sooner.  A child that has not answered by then may be hanging because another
#: thread held a lock when it was forked: a second child asks before the store is blamed.
FIRST_ANSWER_SECONDS = 3.0
#: How long an answer holds: pages and probes ask every few seconds.
ANSWER_HOLDS_SECONDS = 60.0

#: The last answer about a store, and when it was given: what was found, or the error.
_answers: dict[str, tuple[float, str | ClerkError]] = {}


def check_store(settings: Settings) -> str:
    """Return what the store is; raise what is wrong with it.  Asked at most once a minute."""
    given_at, answer = _answers.get(settings.storage_url, (0.0, ""))
    if not answer or time.monotonic() - given_at > ANSWER_HOLDS_SECONDS:
        try:
            answer = _in_child(settings, _examine, settings)
        except ClerkError as error:
            answer = error
        _answers[settings.storage_url] = time.monotonic(), answer
    if isinstance(answer, ClerkError):
        raise answer
    return answer


def check_access(settings: Settings, documents: Sequence[tuple[str, str]]) -> list[str]:
    """Write to the store, and return the PDFs that it lacks of documents (site, name)."""
    missing = _in_child(settings, _examine_access, settings, list(documents))
    return missing.split("\n") if missing else []


def _in_child(settings: Settings, examine: Callable[..., str], *args: object) -> str:
    with contextlib.suppress(DocumentError):
        return child_process.call(examine, *args, returns=str, seconds=FIRST_ANSWER_SECONDS)
    try:
        return child_process.call(examine, *args, returns=str, seconds=ANSWER_SECONDS)
    except DocumentError as error:
        raise StoreUnavailable(
            f"The store {settings.storage_url} did not answer within {ANSWER_SECONDS:.0f} seconds.",
            hint="Check the endpoint and the network. The work resumes by itself.",
        ) from error


def _examine(settings: Settings) -> str:
    """Return whose the store is; raises WrongInstallation if it is another installation's."""
    if installation.check_store(settings):
        return f"{settings.storage_url} answers and is this installation's"
    return f"{settings.storage_url} answers and is empty: the first worker marks it"


def _examine_access(settings: Settings, documents: Sequence[tuple[str, str]]) -> str:
    _examine(settings)
    store = Store(settings.storage_url, allow_http=settings.storage_allow_http)
    store.check_writable()
    missing = []
    for site, name in documents:
        with reading_connection(settings.sql_url) as conn:
            row = manifest.document(conn, site, name)
        if row and row.pdf_sha256 and not store.exists(PDF, row.pdf_sha256):
            missing.append(f"{name} of {site}")
    return "\n".join(missing)
