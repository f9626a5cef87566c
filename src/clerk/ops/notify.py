"""Tell people about problems: once when one begins or becomes worse, and once when it ends.

:func:`look` compares the findings of :mod:`clerk.ops.health` with the table ``problems`` and writes
what is new into the ledger, as a job with one item per ``NOTIFY_URL``, in the transaction that
marks the problems as reported.  :func:`deliver` claims the items and sends them.  A process that is
killed in between leaves an item that is pending, or released from a dead worker like any other
work; one that was sent and not settled is sent again with the same key.

Everything that one look finds is one notice.  In quiet hours warnings and ends wait until they are
over; critical problems do not.
"""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, time, timedelta
from zoneinfo import ZoneInfo

import msgspec
from sqlalchemy import Connection, select, update

from clerk.core import config, storage
from clerk.core.config import Settings
from clerk.core.db import civic_db_connection, reading_connection
from clerk.core.errors import BadSetting, DatabaseUnavailable, DatabaseUnusable
from clerk.core.models import db_now, problems_table
from clerk.core.public_text import Redactor
from clerk.core.states import NOTICES, Batch, Item, Kind, Step
from clerk.executors.work import Claim, Outcome
from clerk.executors.worker_lock import this_host
from clerk.pipeline import flow, ledger, transitions

from . import health
from .health import Finding, Level
from .notify_targets import NotDelivered, Notice, NoticeLine, fingerprint, send, shown

#: Seconds between two attempts to deliver, and until a notice is given up.
RETRY_SECONDS = 300.0
GIVE_UP = timedelta(hours=24)

#: How long a claim of a notice lasts without a beat: longer than any server may take.
LEASE_SECONDS = 120.0

#: How many problems a notice lists.
LINES_SHOWN = 20


@dataclass(frozen=True)
class _WaitingNotice:
    """A notice as it waits in the ledger for one of its targets, named by its fingerprint."""

    target: str
    notice: Notice


@dataclass(frozen=True)
class Told:
    """What a look found, and what was delivered."""

    new: int = 0
    ended: int = 0
    delivered: int = 0
    failed: int = 0


# ------------------------------------------------------------------------------- looking


def look(settings: Settings, findings: Sequence[Finding], now: datetime | None = None) -> Told:
    """Record which problems began, became worse and ended, and queue the notice about them."""
    with civic_db_connection() as conn:
        now = now or conn.execute(select(db_now())).scalar_one()
        lines = _changes(conn, settings, findings)
        if lines and settings.notify_url:
            _queue(conn, settings, lines, now)
    ended = sum(line.change == "ended" for line in lines)
    return Told(new=len(lines) - ended, ended=ended)


def _changes(conn: Connection, settings: Settings, findings: Sequence[Finding]) -> list[NoticeLine]:
    """Bring ``problems`` in line with the findings and return what is to be reported."""
    table, redact = problems_table, Redactor(settings)
    is_open = table.c.ended_at.is_(None)
    known = {(row.kind, row.subject): row for row in conn.execute(select(table).where(is_open))}
    found = {(each.kind, each.subject): each for each in findings}
    lines = []
    for key, each in found.items():
        severity = each.severity.name
        values = {"severity": severity, "what": redact(each.what), "command": each.command}
        line = NoticeLine("new", severity, each.kind, each.subject, redact(each.what), each.command)
        if key not in known:
            conn.execute(
                table.insert().values(
                    **values, kind=each.kind, subject=each.subject, told_at=db_now()
                )
            )
            lines.append(line)
            continue
        former = known[key]
        conn.execute(update(table).where(table.c.id == former.id).values(**values))
        if each.severity == Level.CRITICAL and former.severity != severity:
            lines.append(
                NoticeLine("worse", severity, each.kind, each.subject, line.what, line.command)
            )
    for key, row in known.items():
        if key not in found:
            ended = {"ended_at": db_now(), "end_told_at": db_now()}
            conn.execute(update(table).where(table.c.id == row.id).values(**ended))
            lines.append(
                NoticeLine("ended", row.severity, row.kind, row.subject, row.what, row.command)
            )
    return lines


def _queue(
    conn: Connection, settings: Settings, lines: Sequence[NoticeLine], now: datetime
) -> None:
    """Write the notice into the ledger, an item per target."""
    notice = Notice(
        _title(lines),
        tuple(lines[:LINES_SHOWN]),
        f"{settings.public_url}/ops/" if settings.public_url else "",
        uuid.uuid4().hex,
        max(0, len(lines) - LINES_SHOWN),
    )
    urgent = any(line.severity == "CRITICAL" and line.change != "ended" for line in lines)
    later = None if urgent else quiet_until(settings, now)
    job_id = ledger.open_job(
        conn,
        run_id=None,
        subdomain=None,
        stage=NOTICES,
        queue=NOTICES,
        kind=Kind.NOTICE,
        total=len(settings.notify_url),
    )
    ledger.add_items(
        conn,
        job_id,
        None,
        [
            ledger.NewItem(
                f"{number}: {shown(url)}",
                step=Step.DELIVER,
                payload=msgspec.to_builtins(_WaitingNotice(fingerprint(url), notice)),
                not_before=later or now,
            )
            for number, url in enumerate(settings.notify_url, start=1)
        ],
    )


def _title(lines: Sequence[NoticeLine]) -> str:
    begun = [line for line in lines if line.change != "ended"]
    ended = len(lines) - len(begun)
    parts = []
    if begun:
        worst = "CRITICAL" if any(line.severity == "CRITICAL" for line in begun) else "WARNING"
        parts.append(f"{worst}: {len(begun)} {'problem' if len(begun) == 1 else 'problems'}")
    if ended:
        parts.append(f"{ended} {'problem' if ended == 1 else 'problems'} ended")
    return f"clerk: {', '.join(parts)}"


def quiet_until(settings: Settings, now: datetime) -> datetime | None:
    """Return when the quiet hours end, or None outside of them."""
    if not settings.notify_quiet:
        return None
    hours, _, zone = settings.notify_quiet.partition(" ")
    begins, _, ends = hours.partition("-")
    local = now.astimezone(ZoneInfo(zone.strip() or "UTC"))
    first, last = time.fromisoformat(begins), time.fromisoformat(ends)
    at = local.time()
    is_quiet = first <= at < last if first <= last else at >= first or at < last
    if not is_quiet:
        return None
    day = local.date() + timedelta(days=1 if first > last and at >= first else 0)
    return datetime.combine(day, last, local.tzinfo).astimezone(UTC)


# ------------------------------------------------------------------------------ delivering


def deliver(settings: Settings) -> Told:
    """Send every notice that waits; one that cannot be delivered is retried for a day."""
    flow.sweep(settings)
    me, sent, failed = f"{this_host()}-notify-{uuid.uuid4().hex[:12]}", 0, 0
    with civic_db_connection() as conn:
        ledger.register_worker(conn, me, lease_seconds=LEASE_SECONDS, queues=NOTICES)
    try:
        while True:
            with civic_db_connection() as conn:
                ledger.beat(conn, me, LEASE_SECONDS, {})
                claim = ledger.claim(conn, (NOTICES,), me, lambda _queue: 1)
            if claim is None:
                return Told(delivered=sent, failed=failed)
            (item,) = claim.items
            waiting = msgspec.convert(item.payload, _WaitingNotice)
            url = {fingerprint(url): url for url in settings.notify_url}.get(waiting.target)
            try:
                if url is None:
                    raise BadSetting("NOTIFY_URL does not name this target any more")
                send(url, waiting.notice)
            except (BadSetting, NotDelivered) as error:
                _settle_failure(claim, error)
                failed += 1
            else:
                sent += 1
                with civic_db_connection() as conn:
                    if ledger.complete_item(conn, claim, 1):
                        ledger.end_batch(conn, claim, Batch.COMPLETED)
                        job = ledger.count(conn, claim.job_id, completed=1)
                        if transitions.is_over(conn, job):
                            transitions.close_stage(conn, job, [])
    finally:
        with civic_db_connection() as conn:
            ledger.forget_worker(conn, me)


def _settle_failure(claim: Claim, error: BadSetting | NotDelivered) -> None:
    """Try again later, or give up a target that is gone or away for a day."""
    (item,) = claim.items
    attempts = GIVE_UP.total_seconds() / RETRY_SECONDS
    given_up = isinstance(error, BadSetting) or item.attempt >= attempts
    state = Item.FAILED if given_up else Item.PENDING
    outcome = Outcome(item, state, str(error), type(error).__name__, delay=RETRY_SECONDS)
    with civic_db_connection() as conn:
        transitions.finish(conn, claim, [outcome], ended=True)


# ---------------------------------------------------------------------------------- all of it


def run(settings: Settings) -> Told:
    """Check health, record what changed, and deliver what waits.

    A database that cannot be used is reported directly, once: there is no ledger to write it in.
    """
    mark = storage.own_files(settings.storage_dir) / "database-problem-told"
    checked = health.check_all(settings)
    try:
        with reading_connection() as conn:
            conn.execute(select(db_now()))
    except (DatabaseUnavailable, DatabaseUnusable) as error:
        if mark.is_file():
            return Told()
        why = Redactor(settings)(str(error))
        line = NoticeLine("new", "CRITICAL", "database", "", why, error.hint)
        _send_to_all(settings, Notice("clerk: CRITICAL: the database cannot be used", (line,)))
        mark.parent.mkdir(parents=True, exist_ok=True)
        mark.write_text(why)
        return Told(new=1)
    if mark.is_file():
        line = NoticeLine("ended", "CRITICAL", "database", "", mark.read_text(), "")
        _send_to_all(settings, Notice("clerk: the database can be used again", (line,)))
        mark.unlink()
    looked = look(settings, checked.findings)
    done = deliver(settings)
    return Told(looked.new, looked.ended, done.delivered, done.failed)


def _send_to_all(settings: Settings, notice: Notice) -> dict[str, str]:
    """Send a notice to every target without the ledger; return what went wrong, by target."""
    wrong = {}
    for number, url in enumerate(settings.notify_url, start=1):
        try:
            send(url, notice)
        except NotDelivered as error:
            wrong[f"{number}: {shown(url)}"] = config.redact(str(error))
    return wrong


def send_test(settings: Settings) -> dict[str, str]:
    """Send a test message to every target; return what went wrong, by target."""
    line = NoticeLine("new", "WARNING", "test", "", "This is a test; nothing is wrong.", "")
    return _send_to_all(settings, Notice("clerk: test message", (line,), key=uuid.uuid4().hex))
