"""Who somebody is: sessions of people, the login links they begin with, and tokens of programs.

A session is a row that begins as a login link::

    login link made --used once--> logged in --logout, revoked or expired--> ended
          `------- revoked or expired -------------------------------------> ended

The link and the cookie carry a random id with a signature; the database has only the id's hash, and
of a token only the token's hash.  So whoever reads the database can log in as nobody, and a session
or token is over for every process as soon as its row says so.
"""

from __future__ import annotations

import logging
import os
import secrets
import time
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256
from pathlib import Path

from itsdangerous import BadSignature, Signer
from sqlalchemy import ColumnElement, Connection, and_, delete, insert, select, update
from sqlalchemy.exc import SQLAlchemyError

from clerk.core.db import civic_db_connection, reading_connection
from clerk.core.errors import ClerkError, InvalidInput, NotFound
from clerk.core.models import db_now, sessions_table, tokens_table
from clerk.pipeline import ledger

_log = logging.getLogger(__name__)

VIEWER = "viewer"
OPERATOR = "operator"
ROLES = (VIEWER, OPERATOR)

SESSION_SECONDS = 12 * 3600.0
LINK_SECONDS = 3600.0
#: A session's last visit is written at most this often.
SEEN_EVERY_SECONDS = 300.0
COOKIE = "clerk_session"


@dataclass(frozen=True)
class Person:
    """Somebody who is logged in, or a program with a token."""

    who: str
    role: str
    session_id: int | None = None
    token_id: int | None = None

    def may(self, role: str) -> bool:
        """Whether the role suffices."""
        return ROLES.index(self.role) >= ROLES.index(role)


@dataclass(frozen=True)
class Session:
    """A session that has not ended; one without ``started_at`` is a login link not used yet."""

    id: int
    who: str
    role: str
    client: str | None
    created_at: datetime
    started_at: datetime | None
    last_seen_at: datetime | None
    expires_at: datetime


@dataclass(frozen=True)
class Token:
    """A token that has not been revoked."""

    id: int
    name: str
    role: str
    created_by: str
    created_at: datetime


class Keeper:
    """Makes login links and sessions, and recognizes them, with the secret of this installation."""

    def __init__(self, storage_dir: Path) -> None:
        secret = _secret(storage_dir / "_clerk" / "web")
        self._links = _signer(secret, "login link")
        self._cookies = _signer(secret, "session cookie")

    def login_link(self, role: str, who: str) -> str:
        """Return the secret part of a new link that logs somebody in, once."""
        identity = secrets.token_urlsafe(32)
        row = {"sha256": _hash(identity), "who": who, "role": role}
        with civic_db_connection() as conn:
            _remove_expired(conn)
            conn.execute(
                insert(sessions_table).values(**row, expires_at=db_now(LINK_SECONDS)),
            )
        return self._links.sign(identity).decode()

    def person_of_link(self, link: str) -> Person | None:
        """Return whom a link would log in, without using it."""
        identity = _unsigned(self._links, link)
        if identity is None:
            return None
        sessions = sessions_table
        with reading_connection() as conn:
            row = conn.execute(
                select(sessions.c.who, sessions.c.role).where(
                    sessions.c.sha256 == _hash(identity), sessions.c.started_at.is_(None), _open()
                )
            ).first()
        return Person(row.who, row.role) if row else None

    def use_link(self, link: str, client: str = "") -> str | None:
        """Begin the session of a link and return its cookie; None if the link cannot be used.

        One statement, and the link's hash is replaced by the cookie's: of two browsers with the
        same link one gets in.
        """
        identity = _unsigned(self._links, link)
        if identity is None:
            return None
        sessions = sessions_table
        cookie = secrets.token_urlsafe(32)
        with civic_db_connection() as conn:
            begun = conn.execute(
                update(sessions)
                .where(
                    sessions.c.sha256 == _hash(identity), sessions.c.started_at.is_(None), _open()
                )
                .values(
                    sha256=_hash(cookie),
                    client=client,
                    started_at=db_now(),
                    last_seen_at=db_now(),
                    expires_at=db_now(SESSION_SECONDS),
                )
            )
            _remove_expired(conn)
        return self._cookies.sign(cookie).decode() if begun.rowcount else None

    def person(self, cookie: str | None) -> Person | None:
        """Return who a cookie belongs to; None for one that is forged, expired or ended."""
        identity = _unsigned(self._cookies, cookie or "")
        if identity is None:
            return None
        sessions = sessions_table
        seen_long_ago = sessions.c.last_seen_at < db_now(-SEEN_EVERY_SECONDS)
        with reading_connection() as conn:
            row = conn.execute(
                select(
                    sessions.c.id,
                    sessions.c.who,
                    sessions.c.role,
                    seen_long_ago.label("seen_long_ago"),
                ).where(
                    sessions.c.sha256 == _hash(identity),
                    sessions.c.started_at.is_not(None),
                    _open(),
                )
            ).first()
        if row is None:
            return None
        if row.seen_long_ago:
            try:
                with civic_db_connection() as conn:
                    conn.execute(
                        update(sessions)
                        .where(sessions.c.id == row.id, seen_long_ago)
                        .values(last_seen_at=db_now())
                    )
            except (ClerkError, SQLAlchemyError):
                # A page that can be read is shown although the database takes no writes just now.
                _log.warning("Could not record a visit of session %s", row.id, exc_info=True)
        return Person(row.who, row.role, session_id=row.id)


def _signer(secret: bytes, purpose: str) -> Signer:
    """Return a signer whose values are of no use for another purpose."""
    return Signer(secret, salt=f"clerk {purpose}", key_derivation="hmac", digest_method=sha256)


def _unsigned(signer: Signer, value: str) -> str | None:
    """Return the id in a signed value; None if we did not sign it."""
    try:
        return signer.unsign(value.encode("utf-8", "replace")).decode()
    except BadSignature:
        return None


def _secret(folder: Path) -> bytes:
    """Return the installation's secret, made when first needed and readable by its owner."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "secret"
    try:
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        return _wait_for(path)
    with os.fdopen(handle, "wb") as file:
        file.write(secrets.token_hex(32).encode())
    return path.read_bytes()


def _wait_for(path: Path) -> bytes:
    """Return a secret that another process may be writing just now."""
    for _ in range(100):
        if secret := path.read_bytes():
            return secret
        time.sleep(0.01)
    raise InvalidInput(f"{path} is empty.", hint="Remove it; a new one is made.")


def _hash(identity: str) -> str:
    return sha256(identity.encode("utf-8", "replace")).hexdigest()


# -------------------------------------------------------------------------------- sessions


def _open() -> ColumnElement[bool]:
    """The condition that a session or login link has not ended."""
    return and_(sessions_table.c.revoked_at.is_(None), sessions_table.c.expires_at > db_now())


def _remove_expired(conn: Connection) -> None:
    conn.execute(delete(sessions_table).where(sessions_table.c.expires_at <= db_now()))


def open_sessions() -> list[Session]:
    """Return the sessions and login links that have not ended, the newest first."""
    sessions = sessions_table
    with reading_connection() as conn:
        rows = conn.execute(
            select(
                sessions.c.id,
                sessions.c.who,
                sessions.c.role,
                sessions.c.client,
                sessions.c.created_at,
                sessions.c.started_at,
                sessions.c.last_seen_at,
                sessions.c.expires_at,
            )
            .where(_open())
            .order_by(sessions.c.id.desc())
        )
        return [Session(**row._mapping) for row in rows]


def end_session(identity: int) -> None:
    """End a session because its owner logs out."""
    sessions = sessions_table
    with civic_db_connection() as conn:
        conn.execute(
            update(sessions).where(sessions.c.id == identity, _open()).values(revoked_at=db_now())
        )


def revoke_sessions(identities: Collection[int], by: str) -> None:
    """End sessions and login links, all or none: an id that is not open is refused."""
    with civic_db_connection() as conn:
        for identity in sorted(set(identities)):
            if not _revoke(conn, sessions_table.c.id == identity, by):
                raise NotFound(f"There is no open session {identity}.")


def revoke_sessions_of(who: str | None, by: str) -> int:
    """End every session and login link of a person, or of all; return how many there were."""
    chosen = sessions_table.c.who == who if who is not None else sessions_table.c.id.is_not(None)
    with civic_db_connection() as conn:
        return _revoke(conn, chosen, by)


def _revoke(conn: Connection, chosen: ColumnElement[bool], by: str) -> int:
    sessions = sessions_table
    ended = conn.execute(
        update(sessions)
        .where(chosen, _open())
        .values(revoked_at=db_now())
        .returning(sessions.c.id, sessions.c.who, sessions.c.started_at)
    ).fetchall()
    for row in ended:
        action = "session revoked" if row.started_at else "login link revoked"
        ledger.audit(conn, by, action, row.who, f"session {row.id}")
    return len(ended)


def still_admitted(people: Collection[Person]) -> set[Person]:
    """Return those whose session or token has not ended."""
    sessions, tokens = sessions_table, tokens_table
    session_ids = [each.session_id for each in people if each.session_id is not None]
    token_ids = [each.token_id for each in people if each.token_id is not None]
    with reading_connection() as conn:
        in_session = set(
            conn.execute(
                select(sessions.c.id).where(sessions.c.id.in_(session_ids), _open())
            ).scalars()
        )
        with_token = set(
            conn.execute(
                select(tokens.c.id).where(tokens.c.id.in_(token_ids), tokens.c.revoked_at.is_(None))
            ).scalars()
        )
    return {each for each in people if each.session_id in in_session or each.token_id in with_token}


# ---------------------------------------------------------------------------------- tokens


def new_token(name: str, role: str, who: str) -> str:
    """Return a new token for a program; it cannot be shown again."""
    if role not in ROLES:
        raise InvalidInput(f"The roles are {', '.join(ROLES)}, not {role!r}.")
    token = f"clerk_{secrets.token_urlsafe(32)}"
    row = {"name": name, "role": role, "sha256": _hash(token), "created_by": who}
    with civic_db_connection() as conn:
        conn.execute(insert(tokens_table).values(**row))
        ledger.audit(conn, who, "token made", name, role)
    return token


def open_tokens() -> list[Token]:
    """Return the tokens that have not been revoked, the oldest first."""
    tokens = tokens_table
    with reading_connection() as conn:
        rows = conn.execute(
            select(
                tokens.c.id,
                tokens.c.name,
                tokens.c.role,
                tokens.c.created_by,
                tokens.c.created_at,
            )
            .where(tokens.c.revoked_at.is_(None))
            .order_by(tokens.c.id)
        )
        return [Token(**row._mapping) for row in rows]


def revoke_tokens(identities: Sequence[int], by: str) -> None:
    """End tokens, all or none: an id that is not open is refused."""
    tokens = tokens_table
    with civic_db_connection() as conn:
        for identity in sorted(set(identities)):
            name = conn.execute(
                update(tokens)
                .where(tokens.c.id == identity, tokens.c.revoked_at.is_(None))
                .values(revoked_at=db_now())
                .returning(tokens.c.name)
            ).scalar()
            if name is None:
                raise NotFound(f"There is no token {identity}.")
            ledger.audit(conn, by, "token revoked", name, f"token {identity}")


def person_of_token(token: str) -> Person | None:
    """Return the program a token belongs to, or None."""
    tokens = tokens_table
    with reading_connection() as conn:
        row = conn.execute(
            select(tokens).where(tokens.c.sha256 == _hash(token), tokens.c.revoked_at.is_(None))
        ).first()
    return Person(f"token {row.name}", row.role, token_id=row.id) if row else None
