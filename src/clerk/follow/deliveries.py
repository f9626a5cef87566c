"""Messages to followers: collected from hits, leased, sent, retried.

::

    hits --collect--> pending --claim--> running --sent--> completed
                         ^                  |  \\--refused for good--> failed
                         \\---- retry -------/   (a dead sender's lease ends: claimed again)

Hits are put into a message in one transaction, and a message is settled in one.  Whoever is killed
in between leaves a hit without a message, or a message that is claimed again.  A message that was
sent and not settled is sent again with the same Message-ID or Idempotency-Key: SMTP allows no more.

A person gets at most one digest a day.  Messages that are to be sent at once keep a distance of a
few minutes, so that a run with many documents is one message.
"""

from __future__ import annotations

import contextlib
import logging
import secrets
import smtplib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, time, timedelta
from typing import Any, Final, Literal
from zoneinfo import ZoneInfo

import httpx
import msgspec
from sqlalchemy import Connection, and_, delete, or_, select, update

from clerk.core import config, language
from clerk.core.config import Settings
from clerk.core.db import civic_db_connection, insert_into, reading_connection
from clerk.core.errors import ClerkError, TransientError
from clerk.core.mail import mail_session
from clerk.core.models import (
    db_now,
    follow_deliveries_table,
    follow_hits_table,
    followers_table,
    subscriptions_table,
)
from clerk.core.states import Follower, Item, Subscription
from clerk.search.results import page_snippet

from . import links, messages
from .matching import ShownHit
from .messages import Section
from .subscriptions import check_address, forget_unconfirmed
from .targets import Confirmation

_log = logging.getLogger(__name__)

#: How long a sender has before another takes its message: longer than any server may take.
LEASE_SECONDS: Final = 120.0
#: Between two messages to a person that are to be sent at once.
DISTANCE: Final = timedelta(minutes=5)
#: Delays of retries in seconds; the last one is repeated.
DELAYS: Final = (60, 300, 900, 1800, 3600)
#: Mail that no server takes is given up after this time, and a webhook is disabled.
MAIL_GIVEN_UP: Final = timedelta(days=5)
WEBHOOK_GIVEN_UP: Final = timedelta(days=2)
#: As many refusals in a row disable an address.
REFUSALS: Final = 3
#: Servers end sessions that go on for too long.
MESSAGES_PER_SESSION: Final = 50
#: How long messages are kept.
KEPT: Final = timedelta(days=90)
#: Hits put into messages at once.
_COLLECTED: Final = 5000

_d, _f, _h, _s = (
    follow_deliveries_table.c,
    followers_table.c,
    follow_hits_table.c,
    subscriptions_table.c,
)


@dataclass(frozen=True)
class ClaimedDelivery:
    """A message that this process is to send."""

    id: int
    attempt: int
    key: str
    what: str
    confirmation: Confirmation
    created_at: datetime
    follower: int
    kind: str
    address: str
    secret: str
    language: str


@dataclass(frozen=True)
class Delivered:
    """What a round of sending did."""

    sent: int = 0
    retried: int = 0
    failed: int = 0
    #: Why the mail server could not be used at all.
    mail_trouble: str = ""


@dataclass(frozen=True)
class _Result:
    """How an attempt ended; ``trouble`` is ours or the server's, not the recipient's."""

    how: Literal["sent", "retry", "refused", "nothing"]
    error: str = ""
    trouble: bool = False


# ------------------------------------------------------------------------------- collecting


def digest_times(settings: Settings, now: datetime) -> tuple[datetime, datetime]:
    """Return when the last daily and the last weekly messages were due."""
    at, _, zone = settings.follow_digest.partition(" ")
    local = now.astimezone(ZoneInfo(zone.strip() or "UTC"))
    due = datetime.combine(local.date(), time.fromisoformat(at), local.tzinfo)
    if due > local:
        due = datetime.combine(
            local.date() - timedelta(days=1), time.fromisoformat(at), local.tzinfo
        )
    monday = due - timedelta(days=due.weekday())
    return due.astimezone(UTC), monday.astimezone(UTC)


def collect(settings: Settings, now: datetime | None = None) -> int:
    """Put hits that are due into messages; return how many hits."""
    collected = 0
    while some := _collect_some(settings, now):
        collected += some
    return collected


def _collect_some(settings: Settings, now: datetime | None) -> int:
    with civic_db_connection() as conn:
        now = now or conn.execute(select(db_now())).scalar_one()
        daily, weekly = digest_times(settings, now)
        due = or_(
            _s.cadence == Subscription.IMMEDIATE,
            and_(_s.cadence == Subscription.DAILY, _h.found_at <= daily),
            and_(_s.cadence == Subscription.WEEKLY, _h.found_at <= weekly),
        )
        slot = daily.astimezone(_zone(settings)).date().isoformat()
        has_digest = select(_d.id).where(_d.follower_id == _s.follower_id, _d.slot == slot).exists()
        query = (
            select(_h.id, _s.follower_id, _f.kind, _s.cadence)
            .join(subscriptions_table, _s.id == _h.subscription_id)
            .join(followers_table, _f.id == _s.follower_id)
            .where(_h.delivery_id.is_(None), _s.state == Subscription.ACTIVE, due)
            .where(_f.state == Follower.ACTIVE)
            .where(or_(_s.cadence == Subscription.IMMEDIATE, ~has_digest))
            .order_by(_s.follower_id, _h.id)
            .limit(_COLLECTED)
            .with_for_update(of=follow_hits_table, skip_locked=True)
        )
        by_message: dict[tuple[int, str, bool], list[int]] = {}
        rows = conn.execute(query).all()
        for hit, follower, kind, cadence in rows:
            is_digest = cadence != Subscription.IMMEDIATE
            by_message.setdefault((follower, kind, is_digest), []).append(hit)
        for (follower, kind, is_digest), hits in by_message.items():
            if is_digest:
                number = _new_message(conn, follower, slot=slot)
            else:
                number = _open_message(conn, follower, kind)
            if number is not None:
                mine = update(follow_hits_table).where(_h.id.in_(hits))
                conn.execute(mine.values(delivery_id=number))
        return len(rows)


def _zone(settings: Settings) -> ZoneInfo:
    return ZoneInfo(settings.follow_digest.partition(" ")[2].strip() or "UTC")


def _new_message(conn: Connection, follower: int, **values: Any) -> int | None:
    """Return a new message; None if there is one of the same day already."""
    made = insert_into(conn, follow_deliveries_table).values(
        key=secrets.token_hex(16), follower_id=follower, what="hits", **values
    )
    made = made.on_conflict_do_nothing(index_elements=["follower_id", "slot"])
    return conn.execute(made.returning(_d.id)).scalar()


def _open_message(conn: Connection, follower: int, kind: str) -> int | None:
    """Return the message to a follower that is not sent yet, locked, or a new one."""
    waiting = and_(
        _d.follower_id == follower,
        _d.what == "hits",
        _d.slot.is_(None),
        _d.state == Item.PENDING,
        _d.attempt == 0,
    )
    # Locked until the hits are in it: nobody claims it meanwhile.
    touched = update(follow_deliveries_table).where(waiting).values(state=Item.PENDING)
    for (number,) in conn.execute(touched.returning(_d.id)):
        return int(number)
    last = conn.execute(select(_f.last_sent_at).where(_f.id == follower)).scalar()
    if last is None or kind == Follower.WEBHOOK:
        return _new_message(conn, follower)
    now = conn.execute(select(db_now())).scalar_one()
    return _new_message(conn, follower, available_at=max(now, last + DISTANCE))


# --------------------------------------------------------------------------------- sending


def deliver(settings: Settings, *, mail: bool = True) -> Delivered:
    """Send every message that is due; without ``mail`` only those to webhooks.

    A mail server that cannot be used ends the mail of this round.
    """
    sent = retried = failed = 0
    trouble = ""
    # A server that does not say goodbye does no harm.
    with contextlib.suppress(smtplib.SMTPException), contextlib.ExitStack() as open_sessions:
        session: smtplib.SMTP | None = None
        used = 0

        def server() -> smtplib.SMTP:
            nonlocal session, used
            if session is None or used >= MESSAGES_PER_SESSION:
                open_sessions.pop_all().close()
                session, used = open_sessions.enter_context(mail_session(settings.mail_url)), 0
            used += 1
            return session

        while claim := _claim(mail=mail and not trouble):
            if claim.kind == Follower.WEBHOOK:
                sections = sections_of(settings, claim.id)
                result = _Result("sent" if sections else "nothing")
                try:
                    if sections:
                        messages.post(settings, claim.address, claim.secret, claim.key, sections)
                except (ClerkError, httpx.HTTPError, OSError) as error:
                    result = _Result("retry", _said(error))
            else:
                result = _mail(settings, claim, server)
                if result.trouble:
                    trouble, session = result.error, None
            state = _settle(claim, result)
            sent += result.how == "sent"
            retried += state == Item.PENDING
            failed += state == Item.FAILED
    return Delivered(sent, retried, failed, trouble)


def _claim(*, mail: bool) -> ClaimedDelivery | None:
    """Take the next message that is due, or whose sender has died."""
    kinds = Follower.KINDS if mail else (Follower.WEBHOOK,)
    due = or_(
        and_(_d.state == Item.PENDING, _d.available_at <= db_now()),
        and_(_d.state == Item.RUNNING, _d.deadline < db_now()),
    )
    columns = (_d.id, _d.attempt, _d.key, _d.what, _d.payload, _d.created_at, _d.follower_id)
    query = (
        select(*columns, _f.kind, _f.address, _f.secret, _f.language)
        .join(followers_table, _f.id == _d.follower_id)
        .where(due, _f.kind.in_(kinds))
        .order_by(_d.available_at, _d.id)
        .limit(1)
    )
    with reading_connection() as conn:
        if conn.execute(query).first() is None:
            return None
    with civic_db_connection() as conn:
        locked = query.with_for_update(of=follow_deliveries_table, skip_locked=True)
        row = conn.execute(locked).first()
        if row is None:
            return None
        taken = conn.execute(
            update(follow_deliveries_table)
            .where(_d.id == row.id, _d.attempt == row.attempt, due)
            .values(state=Item.RUNNING, attempt=row.attempt + 1, deadline=db_now(LEASE_SECONDS))
        )
        if not taken.rowcount:
            return None
    confirmation = msgspec.convert(row.payload, Confirmation)
    return ClaimedDelivery(
        row.id,
        row.attempt + 1,
        row.key,
        row.what,
        confirmation,
        row.created_at,
        row.follower_id,
        row.kind,
        row.address,
        row.secret,
        confirmation.language or row.language,
    )


def sections_of(settings: Settings, delivery: int) -> list[Section]:
    """Return what a message tells, by what is followed; nothing that was stopped meanwhile.

    The documents that a message lists have snippets of their pages.
    """
    query = (
        select(_s.id, _s.kind, _s.label, _s.asked, _h.shown)
        .join(subscriptions_table, _s.id == _h.subscription_id)
        .where(_h.delivery_id == delivery, _s.state == Subscription.ACTIVE)
        .order_by(_s.id, _h.id)
    )
    with reading_connection() as conn:
        rows = conn.execute(query).all()
    found: dict[int, Section] = {}
    for listed, (number, kind, label, asked, shown) in enumerate(rows):
        section = found.setdefault(number, Section(number, kind, label, asked, []))
        hit = msgspec.convert(shown, ShownHit)
        section.hits.append(hit)
        for line in hit.lines if hit.query and listed < messages.LISTED_AT_MOST else ():
            words = page_snippet(settings.storage_dir, hit.site, line.page_id, hit.query)
            line.parts = [(part, is_hit) for part, is_hit in words]
    return list(found.values())


def _mail(
    settings: Settings, claim: ClaimedDelivery, server: Callable[[], smtplib.SMTP]
) -> _Result:
    if not (settings.mail_url and settings.public_url):
        error = "MAIL_URL and PUBLIC_URL must be set to send mail."
        return _Result("retry", error, trouble=True)
    with reading_connection() as conn:
        key = links.signing_key(conn)
    sections = sections_of(settings, claim.id) if claim.what == "hits" else []
    if claim.what != "confirm" and not sections:
        return _Result("nothing")
    is_known = claim.language in language.languages()
    with language.speaking(claim.language if is_known else language.ENGLISH):
        if claim.what == "confirm":
            asked = claim.confirmation
            message = messages.confirmation(
                settings, claim.address, claim.key, asked.label, asked.token
            )
        else:
            about = tuple(each.subscription for each in sections)
            stop = links.stop_path(key, claim.follower, claim.secret, about)
            personal = links.personal_path(key, claim.follower, claim.secret)
            message = messages.news(settings, claim.address, claim.key, sections, personal, stop)
    try:
        session = server()
    except (OSError, smtplib.SMTPException) as error:
        return _Result("retry", _said(error), trouble=True)
    try:
        session.send_message(message)
    except smtplib.SMTPRecipientsRefused as error:
        code, words = next(iter(error.recipients.values()))
        said = f"{code} {words.decode(errors='replace')}"
        return _Result("refused" if code >= 500 else "retry", said)
    except smtplib.SMTPDataError as error:
        return _Result("refused" if error.smtp_code >= 500 else "retry", _said(error))
    except (OSError, smtplib.SMTPException) as error:
        return _Result("retry", _said(error), trouble=True)
    return _Result("sent")


def _said(error: Exception) -> str:
    """Return what went wrong, without secrets."""
    lines = config.redact(str(error)).splitlines()
    return f"{type(error).__name__}: {lines[0] if lines else ''}"


def _settle(claim: ClaimedDelivery, result: _Result) -> str:
    """Write how an attempt ended, unless another sender holds the message now."""
    is_webhook = claim.kind == Follower.WEBHOOK
    limit = WEBHOOK_GIVEN_UP if is_webhook else MAIL_GIVEN_UP
    with civic_db_connection() as conn:
        now: datetime = conn.execute(select(db_now())).scalar_one()
        is_over = result.how == "refused" or now - claim.created_at > limit
        values: dict[str, object] = {"error": result.error or None, "deadline": None}
        if result.how == "sent":
            values |= {"state": Item.COMPLETED, "sent_at": now, "payload": {}}
        elif result.how == "nothing":
            values |= {"state": Item.CANCELLED, "payload": {}}
        elif is_over:
            values |= {"state": Item.FAILED, "payload": {}}
        else:
            delay = DELAYS[min(claim.attempt, len(DELAYS)) - 1]
            values |= {"state": Item.PENDING, "available_at": now + timedelta(seconds=delay)}
        mine = and_(_d.id == claim.id, _d.state == Item.RUNNING, _d.attempt == claim.attempt)
        settled = conn.execute(update(follow_deliveries_table).where(mine).values(**values))
        if not settled.rowcount:
            return ""
        follower = update(followers_table).where(_f.id == claim.follower)
        if result.how == "sent":
            told = {"last_sent_at": now} if claim.what == "hits" else {}
            conn.execute(follower.values(refusals=0, **told))
        elif result.how == "refused":
            refuse(conn, claim.follower, result.error)
        elif is_over and is_webhook:
            reason = f"No message was accepted for two days: {result.error}"
            conn.execute(follower.values(state=Follower.DISABLED, reason=reason))
            _log.error("The webhook %d is disabled: %s", claim.follower, result.error)
        return str(values["state"])


def refuse(conn: Connection, follower: int, why: str) -> None:
    """Count a message that a recipient's server refused; several in a row disable the address."""
    counted = conn.execute(
        update(followers_table)
        .where(_f.id == follower)
        .values(refusals=_f.refusals + 1)
        .returning(_f.refusals)
    ).scalar()
    if counted is not None and counted >= REFUSALS:
        conn.execute(
            update(followers_table)
            .where(_f.id == follower)
            .values(state=Follower.DISABLED, reason=why)
        )


class MailNotSent(TransientError):
    """The mail server did not take a message."""


def send_trial(settings: Settings, address: str) -> None:
    """Send a test message at once; raise MailNotSent with what the server said."""
    message = messages.trial(settings, check_address(address), secrets.token_hex(16))
    try:
        with mail_session(settings.mail_url) as server:
            server.send_message(message)
    except (OSError, smtplib.SMTPException) as error:
        raise MailNotSent(_said(error)) from error


def clean_up() -> None:
    """Delete old messages with their hits, and sign-ups that nobody confirmed."""
    ended = (Item.COMPLETED, Item.FAILED, Item.CANCELLED)
    with civic_db_connection() as conn:
        old = _d.created_at < db_now(-KEPT.total_seconds())
        conn.execute(delete(follow_deliveries_table).where(_d.state.in_(ended), old))
        forget_unconfirmed(conn)


@dataclass(frozen=True)
class DeliveryTrouble:
    """What operators should know about messages."""

    #: When the oldest message was due that has not been sent.
    late_since: datetime | None
    late: int
    error: str
    disabled_webhooks: Sequence[tuple[int, str]]


def trouble(conn: Connection) -> DeliveryTrouble:
    """Return which messages are late, and which webhooks are disabled."""
    late = and_(
        _d.state.in_((Item.PENDING, Item.RUNNING)), _d.created_at < db_now(-3600), _d.attempt > 0
    )
    rows = conn.execute(select(_d.created_at, _d.error).where(late).order_by(_d.created_at)).all()
    disabled = select(_f.id, _f.reason).where(
        _f.kind == Follower.WEBHOOK, _f.state == Follower.DISABLED
    )
    return DeliveryTrouble(
        rows[0].created_at if rows else None,
        len(rows),
        (rows[0].error or "") if rows else "",
        [(number, reason) for number, reason in conn.execute(disabled.order_by(_f.id))],
    )
