"""Links that only the owner of a mail address has: signed, without an account.

::

    /follow/me/{follower}.{signature}                    see, change, pause and delete everything
    /follow/stop/{follower}.{subscription-...}.{signature}   stop what one message was about

The signature covers the follower's own secret, so that deleting a follower, or making a new secret,
makes all links void.
"""

from __future__ import annotations

import base64
import hmac
import secrets
from dataclasses import dataclass
from hashlib import sha256

from sqlalchemy import Connection, select

from clerk.core import outbox
from clerk.core.db import insert_into
from clerk.core.errors import NotFound
from clerk.core.language import Message
from clerk.core.models import follow_state_table, followers_table
from clerk.core.states import Follower

_BAD_LINK = Message("This link is no longer valid.")


@dataclass(frozen=True)
class StopLink:
    """What a link stops."""

    follower: int
    subscriptions: tuple[int, ...]


def signing_key(conn: Connection) -> str:
    """Return the key of this installation, made when it is first asked for."""
    found = conn.execute(select(follow_state_table.c.signing_key)).scalar()
    if found is not None:
        return str(found)
    values = {
        "single": 1,
        "number": outbox.last_change(conn),
        "signing_key": secrets.token_hex(32),
    }
    conn.execute(insert_into(conn, follow_state_table).values(values).on_conflict_do_nothing())
    return str(conn.execute(select(follow_state_table.c.signing_key)).scalar_one())


def _signature(key: str, secret: str, purpose: str) -> str:
    raw = hmac.digest(key.encode(), f"{purpose}\0{secret}".encode(), "sha256")[:20]
    return base64.urlsafe_b64encode(raw).decode().rstrip("=")


def personal_path(key: str, follower: int, secret: str) -> str:
    """Return the path of a follower's own page."""
    return f"/follow/me/{follower}.{_signature(key, secret, f'me {follower}')}"


def stop_path(key: str, follower: int, secret: str, subscriptions: tuple[int, ...]) -> str:
    """Return the path that stops what a message was about."""
    about = "-".join(map(str, sorted(subscriptions)))
    return f"/follow/stop/{follower}.{about}.{_signature(key, secret, f'stop {follower} {about}')}"


def find_follower(conn: Connection, token: str) -> int:
    """Return the follower of a personal link, or refuse a forged or void one."""
    number, _, given = token.partition(".")
    _check(conn, number, given, f"me {number}")
    return int(number)


def find_stop(conn: Connection, token: str) -> StopLink:
    """Return what a link stops, or refuse a forged or void one."""
    number, _, rest = token.partition(".")
    about, _, given = rest.partition(".")
    _check(conn, number, given, f"stop {number} {about}")
    return StopLink(int(number), tuple(map(int, about.split("-"))))


def _check(conn: Connection, number: str, given: str, purpose: str) -> None:
    if not (number.isascii() and number.isdecimal() and len(number) < 18):
        raise NotFound(_BAD_LINK)
    table = followers_table.c
    query = select(table.secret).where(table.id == int(number), table.kind == Follower.MAIL)
    secret = conn.execute(query).scalar()
    known = conn.execute(select(follow_state_table.c.signing_key)).scalar()
    right = _signature(str(known), str(secret), purpose)
    if secret is None or known is None or not hmac.compare_digest(right, given):
        raise NotFound(_BAD_LINK)


def hashed(token: str) -> str:
    """Return what is stored of a token that is sent."""
    return sha256(token.encode()).hexdigest()
