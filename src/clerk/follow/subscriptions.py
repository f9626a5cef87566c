"""Who follows what: sign up, confirm, see, change, pause, delete; webhooks of programs.

::

    sign up --mail--> unconfirmed --confirm within 3 days--> active <--> paused
                                                               \\--delete--> gone

An address is told of nothing that its owner has not confirmed, also if it follows other things
already: anybody can type an address.  What the form answers does not depend on whether an address
is known.
"""

from __future__ import annotations

import re
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final

import httpx
import msgspec
from sqlalchemy import Connection, case, delete, func, select, update

from clerk.core import language
from clerk.core.config import Settings
from clerk.core.db import civic_db_connection, insert_into, reading_connection
from clerk.core.errors import InvalidInput, NotAllowed, NotFound, TransientError
from clerk.core.language import Message
from clerk.core.models import (
    db_now,
    follow_deliveries_table,
    followers_table,
    subscriptions_table,
)
from clerk.core.states import Follower, Item, Subscription
from clerk.fetch.http.limits import check_url
from clerk.fetch.http.responses import AddressRefused
from clerk.pipeline import ledger

from . import links
from .targets import (
    Confirmation,
    FollowTarget,
    described,
    digest_of_followed,
    page_of,
    read_followed,
    stored,
)

#: How long a link to confirm works.
CONFIRM_WITHIN: Final = timedelta(days=3)
#: Sign-ups that wait for confirmation: of one address in a day, of one mail domain in an hour.
PER_ADDRESS: Final = 5
PER_DOMAIN: Final = 100
#: What one follower may follow.
SUBSCRIPTIONS_AT_MOST: Final = 50
_ADDRESS_LETTERS = 254
#: Deliberately narrower than RFC 5322: no quotes, comments, spaces, commas or control characters.
_ADDRESS = re.compile(
    r"[A-Za-z0-9!#$%&'*+/=?^_`{|}~.-]{1,64}@"
    r"(?=.{1,253}$)[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?"
    r"(?:\.[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?)+"
)

_f, _s = followers_table.c, subscriptions_table.c


class TooManySignUps(TransientError):
    """An address, or a mail domain, was signed up too often; it may be again later."""


@dataclass(frozen=True)
class Subscribed:
    """One thing that is followed, as its follower sees it."""

    id: int
    kind: str
    followed: FollowTarget
    label: str
    cadence: str
    state: str
    created_at: datetime

    @property
    def path(self) -> str:
        """The page that shows it."""
        return page_of(self.kind, self.followed)


@dataclass(frozen=True)
class PersonalPage:
    """What a follower by mail sees: the only place that shows the address."""

    follower: int
    address: str
    state: str
    #: What the mail server said when it refused the last messages, and how many.
    reason: str
    refusals: int
    subscriptions: Sequence[Subscribed]


@dataclass(frozen=True)
class WebhookRow:
    """A webhook, as operators see it."""

    id: int
    url: str
    state: str
    reason: str
    created_at: datetime
    created_by: str
    last_sent_at: datetime | None
    follows: Sequence[str]


@dataclass(frozen=True)
class FollowCounts:
    """How many follow what, without a word about who."""

    followers: int
    disabled: int
    unconfirmed: int
    subscriptions: Mapping[str, int]
    cadences: Mapping[str, int]
    paused: int
    webhooks: int
    disabled_webhooks: int
    waiting_messages: int
    sent_messages: int
    failed_messages: int


def is_offered(settings: Settings) -> bool:
    """Whether anybody can sign up: it is not switched off, and mail with links can be sent."""
    can_send = bool(settings.mail_url and settings.public_url)
    return settings.follow_signup != "off" and can_send


def check_address(address: str) -> str:
    """Return an address as it is stored, or refuse it; one with headers inside is none."""
    plain = address.strip(" ")
    if len(plain) > _ADDRESS_LETTERS or not _ADDRESS.fullmatch(plain) or ".." in plain:
        raise InvalidInput(Message("This is not an e-mail address such as ann@example.org."))
    name, _, domain = plain.rpartition("@")
    if name.startswith(".") or name.endswith("."):
        raise InvalidInput(Message("This is not an e-mail address such as ann@example.org."))
    return f"{name}@{domain.lower()}"


def check_cadence(cadence: str) -> str:
    """Return how often, or refuse what is not offered."""
    if cadence not in Subscription.CADENCES:
        raise InvalidInput(
            Message("Choose one of %(words)s.", words=", ".join(Subscription.CADENCES))
        )
    return cadence


# ------------------------------------------------------------------------------- signing up


def sign_up(
    settings: Settings,
    address: str,
    kind: str,
    followed: FollowTarget,
    cadence: str,
    spoken: str = language.ENGLISH,
) -> None:
    """Have a link to confirm sent to an address; says nothing about what is known of it.

    ``spoken`` is the language of the message.  With FOLLOW_SIGNUP=invitation only addresses that
    were invited are sent one.
    """
    if not is_offered(settings):
        raise NotAllowed(
            Message("Following by mail is not available here. The feeds are open to everybody.")
        )
    address, cadence = check_address(address), check_cadence(cadence)
    with language.speaking(spoken):
        label = described(settings.storage_dir, kind, followed)
    token = secrets.token_urlsafe(24)
    with civic_db_connection() as conn:
        by_invitation = settings.follow_signup == "invitation"
        known = conn.execute(
            select(_f.id, _f.state).where(_f.kind == Follower.MAIL, _f.address == address)
        ).first()
        if by_invitation and known is None:
            return
        _throttle(conn, address)
        links.signing_key(conn)
        follower = _follower(conn, Follower.MAIL, address, language=spoken)
        values = {
            "follower_id": follower,
            "kind": kind,
            "asked": stored(followed),
            "digest": digest_of_followed(kind, followed),
            "label": label,
            "cadence": cadence,
            "state": Subscription.UNCONFIRMED,
            "confirm_hash": links.hashed(token),
            "confirm_until": db_now(CONFIRM_WITHIN.total_seconds()),
        }
        statement = insert_into(conn, subscriptions_table).values(values)
        # One that is followed already stays as it is, whoever asks for it.
        statement = statement.on_conflict_do_update(
            index_elements=["follower_id", "digest"],
            set_={
                "confirm_hash": values["confirm_hash"],
                "confirm_until": values["confirm_until"],
                "created_at": db_now(),
                "cadence": case((_s.state == Subscription.UNCONFIRMED, cadence), else_=_s.cadence),
            },
        )
        number = conn.execute(statement.returning(_s.id)).scalar_one()
        conn.execute(
            follow_deliveries_table.insert().values(
                key=secrets.token_hex(16),
                follower_id=follower,
                what="confirm",
                payload=msgspec.to_builtins(Confirmation(number, token, label, spoken)),
            )
        )


def _follower(conn: Connection, kind: str, address: str, **values: Any) -> int:
    """Return the id of a follower, made if there is none."""
    made = insert_into(conn, followers_table).values(
        kind=kind, address=address, secret=secrets.token_hex(32), **values
    )
    conn.execute(made.on_conflict_do_nothing(index_elements=["kind", "address"]))
    query = select(_f.id).where(_f.kind == kind, _f.address == address)
    return int(conn.execute(query).scalar_one())


def _throttle(conn: Connection, address: str) -> None:
    """Refuse more messages to an address or a domain whose owners may not have asked for them."""
    domain = address.rpartition("@")[2]
    d = follow_deliveries_table.c

    def asked(seconds: float, condition: Any) -> int:
        query = select(func.count()).select_from(
            follow_deliveries_table.join(followers_table, d.follower_id == _f.id)
        )
        query = query.where(d.what == "confirm", d.created_at > db_now(-seconds), condition)
        return int(conn.execute(query).scalar_one())

    if (
        asked(86_400, _f.address == address) >= PER_ADDRESS
        or asked(3600, _f.address.endswith(f"@{domain}", autoescape=True)) >= PER_DOMAIN
    ):
        raise TooManySignUps(Message("Too many messages were requested. Please try again later."))


@dataclass(frozen=True)
class Confirming:
    """What a link to confirm is for."""

    label: str
    cadence: str


_BAD_LINK = Message(
    "This link is not valid, or older than three days. Sign up again to get a new one."
)


def find_unconfirmed(token: str) -> Confirming:
    """Return what a link to confirm is for; refuse a forged or old one."""
    query = select(_s.label, _s.cadence).where(
        _s.confirm_hash == links.hashed(token), _s.confirm_until > db_now()
    )
    with reading_connection() as conn:
        row = conn.execute(query).first()
    if row is None:
        raise NotFound(_BAD_LINK)
    return Confirming(row.label, row.cadence)


def confirm(token: str, spoken: str = language.ENGLISH) -> str:
    """Begin what a link to confirm is for; return the path of the personal page.

    From now on messages to the follower are in the language ``spoken``.  The link works until it is
    too old, so that pressing twice does no harm.
    """
    with civic_db_connection() as conn:
        key = links.signing_key(conn)
        row = conn.execute(
            update(subscriptions_table)
            .where(_s.confirm_hash == links.hashed(token), _s.confirm_until > db_now())
            .values(
                state=case(
                    (_s.state == Subscription.UNCONFIRMED, Subscription.ACTIVE), else_=_s.state
                ),
                confirmed_at=func.coalesce(_s.confirmed_at, db_now()),
            )
            .returning(_s.follower_id)
        ).first()
        if row is None:
            raise NotFound(_BAD_LINK)
        followed = select(func.count()).where(
            _s.follower_id == row.follower_id, _s.state != Subscription.UNCONFIRMED
        )
        if conn.execute(followed).scalar_one() > SUBSCRIPTIONS_AT_MOST:
            raise InvalidInput(
                Message(
                    "You already follow %(number)s things: delete one first, with the link at "
                    "the end of every message.",
                    number=SUBSCRIPTIONS_AT_MOST,
                )
            )
        # Who opened a link from a message receives them again.
        conn.execute(
            update(followers_table)
            .where(_f.id == row.follower_id)
            .values(state=Follower.ACTIVE, reason="", refusals=0, language=spoken)
        )
        secret = conn.execute(select(_f.secret).where(_f.id == row.follower_id)).scalar_one()
        return links.personal_path(key, row.follower_id, secret)


# ---------------------------------------------------------------------------- personal page


def personal_page(token: str) -> PersonalPage:
    """Return everything that the owner of a personal link follows."""
    with reading_connection() as conn:
        number = links.find_follower(conn, token)
        columns = (_f.address, _f.state, _f.reason, _f.refusals)
        row = conn.execute(select(*columns).where(_f.id == number)).one()
        return PersonalPage(number, *row, _subscribed(conn, number))


def _subscribed(conn: Connection, follower: int) -> list[Subscribed]:
    columns = (_s.id, _s.kind, _s.asked, _s.label, _s.cadence, _s.state, _s.created_at)
    query = select(*columns).where(_s.follower_id == follower).order_by(_s.id)
    return [
        Subscribed(row.id, row.kind, read_followed(row.asked), *row[3:])
        for row in conn.execute(query)
    ]


def change(
    token: str, subscription: int, *, cadence: str | None = None, pause: bool = False
) -> None:
    """Change how often something is told, which also ends a pause; or pause it."""
    values: dict[str, object] = {"state": Subscription.PAUSED}
    if not pause:
        values = {"state": Subscription.ACTIVE}
        if cadence is not None:
            values["cadence"] = check_cadence(cadence)
    with civic_db_connection() as conn:
        number = links.find_follower(conn, token)
        mine = (_s.follower_id == number) & (_s.id == subscription)
        confirmed = mine & (_s.state != Subscription.UNCONFIRMED)
        changed = conn.execute(update(subscriptions_table).where(confirmed).values(**values))
        if not changed.rowcount:
            raise NotFound(Message("This subscription no longer exists, or is not confirmed."))


def stop(token: str, subscription: int) -> None:
    """Delete one thing that the owner of a personal link follows; nothing if it is gone."""
    with civic_db_connection() as conn:
        number = links.find_follower(conn, token)
        mine = (_s.follower_id == number) & (_s.id == subscription)
        conn.execute(delete(subscriptions_table).where(mine))


def try_again(token: str) -> None:
    """Send messages again to an address whose server refused them."""
    with civic_db_connection() as conn:
        number = links.find_follower(conn, token)
        conn.execute(
            update(followers_table)
            .where(_f.id == number)
            .values(state=Follower.ACTIVE, reason="", refusals=0)
        )


def forget_everything(token: str) -> None:
    """Delete the owner of a personal link: address, subscriptions, messages."""
    with civic_db_connection() as conn:
        number = links.find_follower(conn, token)
        conn.execute(delete(followers_table).where(_f.id == number))


def stopped_by(token: str) -> list[str]:
    """Return what a link in a message would stop; what is stopped already is left out."""
    with reading_connection() as conn:
        link = links.find_stop(conn, token)
        query = select(_s.label).where(
            _s.follower_id == link.follower, _s.id.in_(link.subscriptions)
        )
        return list(conn.execute(query.order_by(_s.id)).scalars())


def stop_by_link(token: str) -> None:
    """Stop what a message was about, as RFC 8058 wants it: one request, no questions."""
    with civic_db_connection() as conn:
        link = links.find_stop(conn, token)
        conn.execute(
            delete(subscriptions_table).where(
                _s.follower_id == link.follower, _s.id.in_(link.subscriptions)
            )
        )


# ------------------------------------------------------------------------------- operators


def invite(address: str, who: str) -> None:
    """Let an address sign up where that is by invitation."""
    address = check_address(address)
    with civic_db_connection() as conn:
        number = _follower(conn, Follower.MAIL, address)
        conn.execute(update(followers_table).where(_f.id == number).values(invited_at=db_now()))
        ledger.audit(conn, who, "follow invite", f"follower {number}")


def of_address(address: str) -> list[Subscribed]:
    """Return what an address follows, for an operator whom its owner has asked."""
    with reading_connection() as conn:
        return _subscribed(conn, _known(conn, address))


def _known(conn: Connection, address: str) -> int:
    query = select(_f.id).where(_f.address == address)
    found = conn.execute(query).scalar()
    if found is None and "@" in address:
        found = conn.execute(select(_f.id).where(_f.address == check_address(address))).scalar()
    if found is None:
        raise NotFound("Nobody follows anything from this address.")
    return int(found)


def remove(address: str, who: str) -> None:
    """Delete a follower by mail address or webhook URL, with everything that is known of it."""
    with civic_db_connection() as conn:
        number = _known(conn, address)
        conn.execute(delete(followers_table).where(_f.id == number))
        ledger.audit(conn, who, "follow remove", f"follower {number}")


def add_webhook(
    settings: Settings, url: str, kind: str, followed: FollowTarget, who: str
) -> tuple[int, str]:
    """Have a program told at once of what is new; return its number and the key that signs.

    Adding something else to a URL keeps its key, and enables it again.
    """
    try:
        check_url(httpx.URL(url), allow_private=settings.fetch_allow_private)
    except (AddressRefused, httpx.InvalidURL) as error:
        raise InvalidInput(f"{error}") from error
    label = described(settings.storage_dir, kind, followed)
    with civic_db_connection() as conn:
        links.signing_key(conn)
        number = _follower(conn, Follower.WEBHOOK, url, created_by=who)
        conn.execute(
            update(followers_table)
            .where(_f.id == number)
            .values(state=Follower.ACTIVE, reason="", refusals=0)
        )
        made = insert_into(conn, subscriptions_table).values(
            follower_id=number,
            kind=kind,
            asked=stored(followed),
            digest=digest_of_followed(kind, followed),
            label=label,
            cadence=Subscription.IMMEDIATE,
            state=Subscription.ACTIVE,
            confirmed_at=db_now(),
        )
        conn.execute(made.on_conflict_do_nothing(index_elements=["follower_id", "digest"]))
        ledger.audit(conn, who, "follow add-webhook", f"follower {number}: {label}")
        secret = conn.execute(select(_f.secret).where(_f.id == number)).scalar_one()
        return number, str(secret)


def remove_webhook(number: int, who: str) -> None:
    """Delete a webhook; raise NotFound for an unknown one."""
    with civic_db_connection() as conn:
        mine = (_f.id == number) & (_f.kind == Follower.WEBHOOK)
        if not conn.execute(delete(followers_table).where(mine)).rowcount:
            raise NotFound(f"There is no webhook {number}.")
        ledger.audit(conn, who, "follow remove", f"follower {number}")


def webhooks() -> list[WebhookRow]:
    """Return the webhooks, in the order they were added."""
    with reading_connection() as conn:
        query = select(followers_table).where(_f.kind == Follower.WEBHOOK).order_by(_f.id)
        rows = conn.execute(query).all()
        labels: dict[int, list[str]] = {}
        followed = select(_s.follower_id, _s.label).join(followers_table, _f.id == _s.follower_id)
        for number, label in conn.execute(
            followed.where(_f.kind == Follower.WEBHOOK).order_by(_s.id)
        ):
            labels.setdefault(number, []).append(label)
    return [
        WebhookRow(
            row.id,
            row.address,
            row.state,
            row.reason,
            row.created_at,
            row.created_by,
            row.last_sent_at,
            labels.get(row.id, []),
        )
        for row in rows
    ]


def popular(limit: int = 50) -> list[tuple[str, str, int]]:
    """Return what is followed by most: kind, words, how many."""
    query = (
        select(_s.kind, _s.label, func.count())
        .where(_s.state != Subscription.UNCONFIRMED)
        .group_by(_s.kind, _s.digest, _s.label)
        .order_by(func.count().desc(), _s.label)
        .limit(limit)
    )
    with reading_connection() as conn:
        return [(kind, label, number) for kind, label, number in conn.execute(query)]


def counts() -> FollowCounts:
    """Return how many follow what."""
    d = follow_deliveries_table.c
    with reading_connection() as conn:
        followers = {
            (kind, state): number
            for kind, state, number in conn.execute(
                select(_f.kind, _f.state, func.count()).group_by(_f.kind, _f.state)
            )
        }
        rows = conn.execute(
            select(_s.kind, _s.cadence, _s.state, func.count()).group_by(
                _s.kind, _s.cadence, _s.state
            )
        ).all()
        messages: dict[str, int] = dict(
            conn.execute(select(d.state, func.count()).group_by(d.state)).all()
        )
    confirmed = [row for row in rows if row.state != Subscription.UNCONFIRMED]

    def total(column: str, word: str, among: Sequence[Any]) -> int:
        return sum(row[-1] for row in among if getattr(row, column) == word)

    return FollowCounts(
        followers=sum(n for (kind, _), n in followers.items() if kind == Follower.MAIL),
        disabled=followers.get((Follower.MAIL, Follower.DISABLED), 0),
        unconfirmed=total("state", Subscription.UNCONFIRMED, rows),
        subscriptions={kind: total("kind", kind, confirmed) for kind in Subscription.KINDS},
        cadences={word: total("cadence", word, confirmed) for word in Subscription.CADENCES},
        paused=total("state", Subscription.PAUSED, rows),
        webhooks=sum(n for (kind, _), n in followers.items() if kind == Follower.WEBHOOK),
        disabled_webhooks=followers.get((Follower.WEBHOOK, Follower.DISABLED), 0),
        waiting_messages=messages.get(Item.PENDING, 0) + messages.get(Item.RUNNING, 0),
        sent_messages=messages.get(Item.COMPLETED, 0),
        failed_messages=messages.get(Item.FAILED, 0),
    )


def forget_unconfirmed(conn: Connection) -> None:
    """Delete sign-ups that nobody confirmed, and addresses that follow nothing.

    An address stays for a day, so that sign-ups of it are counted, and if it was invited.
    """
    stale = (_s.state == Subscription.UNCONFIRMED) & (_s.confirm_until < db_now())
    conn.execute(delete(subscriptions_table).where(stale))
    follows = select(_s.id).where(_s.follower_id == _f.id).exists()
    d = follow_deliveries_table.c
    recent = select(d.id).where(d.follower_id == _f.id, d.created_at > db_now(-86_400)).exists()
    conn.execute(
        delete(followers_table).where(
            ~follows, ~recent, _f.invited_at.is_(None), _f.created_at < db_now(-86_400)
        )
    )
