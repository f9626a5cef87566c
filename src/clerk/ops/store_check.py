"""Whether the store answers, is this installation's, and has what is to be read.

Asked by a process of its own, started and not forked: one that has used a store must not fork, and
a fork of a server hangs if another thread held a lock.  For a limited time, because a store that
does not answer is asked again and again otherwise.
"""

from __future__ import annotations

import pickle
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence

import msgspec

from clerk.core import errors, installation, manifest
from clerk.core.config import Settings
from clerk.core.db import reading_connection
from clerk.core.errors import ClerkError, StoreUnavailable
from clerk.core.store import PDF, Store

#: How long the store may take to answer.
ANSWER_SECONDS = 10.0
#: How long the process that asks may take to start, on a busy machine.
START_SECONDS = 60.0
#: How long an answer holds: pages and probes ask every few seconds.
ANSWER_HOLDS_SECONDS = 60.0

#: The last answer about a store, and when it was given: what was found, or the error.
_answers: dict[str, tuple[float, str | ClerkError]] = {}


def check_store(settings: Settings) -> str:
    """Return what the store is; raise what is wrong with it.  Asked at most once a minute."""
    given_at, answer = _answers.get(settings.storage_url, (0.0, ""))
    if not answer or time.monotonic() - given_at > ANSWER_HOLDS_SECONDS:
        try:
            answer = _ask("check", settings)
        except ClerkError as error:
            answer = error
        _answers[settings.storage_url] = time.monotonic(), answer
    if isinstance(answer, ClerkError):
        raise answer
    return answer


def check_access(settings: Settings, documents: Sequence[tuple[str, str]]) -> list[str]:
    """Write to the store, and return the PDFs that it lacks of documents (site, name)."""
    missing = _ask("access", settings, list(documents))
    return missing.split("\n") if missing else []


class _Answer(msgspec.Struct, frozen=True):
    """What the process found, or the error it met."""

    found: str = ""
    error_class: str = ""
    hint: str = ""


def _ask(question: str, settings: Settings, *args: object) -> str:
    """Have a process of its own answer one of the questions below."""
    try:
        asked = subprocess.run(
            [sys.executable, "-m", "clerk.ops.store_check"],
            input=pickle.dumps((question, ANSWER_SECONDS, settings, *args)),
            capture_output=True,
            timeout=START_SECONDS + ANSWER_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired:
        out_of_time = True
    else:
        out_of_time = asked.returncode == -signal.SIGALRM
    if out_of_time:
        raise StoreUnavailable(
            f"The store {settings.storage_url} did not answer within {ANSWER_SECONDS:.0f} seconds.",
            hint="Check the endpoint and the network. The work resumes by itself.",
        )
    if asked.returncode:
        last = asked.stderr.decode(errors="replace").strip().rpartition("\n")[2]
        why = last or f"the process that asks it ended with code {asked.returncode}."
        raise StoreUnavailable(
            f"The store {settings.storage_url} could not be checked: {why}",
            hint="Ask it again: clerk doctor",
        )
    answer = msgspec.json.decode(asked.stdout, type=_Answer)
    if answer.error_class:
        raise getattr(errors, answer.error_class)(answer.found, hint=answer.hint)
    return answer.found


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


_QUESTIONS: Mapping[str, Callable[..., str]] = {"check": _examine, "access": _examine_access}


def answer_question() -> None:
    """Answer the question on stdin; SIGALRM ends the process if the store does not."""
    question, seconds, *args = pickle.load(sys.stdin.buffer)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        answer = _Answer(_QUESTIONS[question](*args))
    except ClerkError as error:
        answer = _Answer(str(error), type(error).__name__, error.hint)
    sys.stdout.buffer.write(msgspec.json.encode(answer))


if __name__ == "__main__":
    answer_question()
