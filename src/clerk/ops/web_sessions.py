"""Sessions of people, the login links they begin with, and tokens of programs, as rows.

A session is a row that begins as a login link::

    login link made --used once--> logged in --logged out, revoked or expired--> ended
          `------- revoked or expired ------------------------------------------> ended

The database has only hashes of the random ids in links and cookies, and of tokens.  Whoever reads
it can log in as nobody, and a session or token has ended for every process as soon as its row says
so.  :mod:`clerk.web.auth` signs the ids and checks the signatures.
"""

from __future__ import annotations

import logging
import secrets
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256

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


@dataclass(frozen=True)
class Person:
    """Somebody who is logged in, or a program with a token."""

    who: str
    role: str
    session_id: int | None = None
    token_id: int | None = None

    def may(self, role: str) -> bool:
        """Whether the role is sufficient."""
        return ROLES.index(self.role) >= ROLES.index(role)


@dataclass(frozen=True)
class WebSession:
    """A session that has not ended; without ``started_at`` it is an unused login link."""

    id: int
    who: str
    role: str
    client: str | None
    created_at: datetime
    started_at: datetime | None
    last_seen_at: datetime | None
    expires_at: datetime


@dataclass(frozen=True)
class ApiToken:
    """A token that has not been revoked."""

    id: int
    name: str
    role: str
    created_by: str
    created_at: datetime


def _hash(secret: str) -> str:
    return sha256(secret.encode("utf-8", "replace")).hexdigest()


def _is_open() -> ColumnElement[bool]:
    """The condition that a session or login link has not ended."""
    return and_(sessions_table.c.revoked_at.is_(None), sessions_table.c.expires_at > db_now())


def _is_unused_link(link_id: str) -> ColumnElement[bool]:
    sessions = sessions_table
    return and_(sessions.c.sha256 == _hash(link_id), sessions.c.started_at.is_(None), _is_open())


def _remove_expired(conn: Connection) -> None:
    conn.execute(delete(sessions_table).where(sessions_table.c.expires_at <= db_now()))


# -------------------------------------------------------------------------------- sessions


def add_login_link(role: str, who: str, *, invited_by: str | None = None) -> str:
    """Return the id of a new link that logs somebody in, once; an invitation is audited."""
    link_id = secrets.token_urlsafe(32)
    row = {"sha256": _hash(link_id), "who": who, "role": role, "expires_at": db_now(LINK_SECONDS)}
    with civic_db_connection() as conn:
        _remove_expired(conn)
        conn.execute(insert(sessions_table).values(**row))
        if invited_by is not None:
            ledger.audit(conn, invited_by, "person invited", who, role)
    return link_id


def person_of_link(link_id: str) -> Person | None:
    """Return whom a link would log in, without using it."""
    chosen = select(sessions_table.c.who, sessions_table.c.role).where(_is_unused_link(link_id))
    with reading_connection() as conn:
        row = conn.execute(chosen).first()
    return Person(row.who, row.role) if row else None


def begin_session(link_id: str, client: str) -> str | None:
    """Begin the session of a link and return its id; None if the link cannot be used.

    One statement, and the link's hash is replaced by the session's: of two browsers with the same
    link one gets in.
    """
    session_id = secrets.token_urlsafe(32)
    with civic_db_connection() as conn:
        begun = conn.execute(
            update(sessions_table)
            .where(_is_unused_link(link_id))
            .values(
                sha256=_hash(session_id),
                client=client,
                started_at=db_now(),
                last_seen_at=db_now(),
                expires_at=db_now(SESSION_SECONDS),
            )
        )
        _remove_expired(conn)
    return session_id if begun.rowcount else None


def person_of_session(session_id: str) -> Person | None:
    """Return who is logged in with a session; None if it has expired or ended."""
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
                sessions.c.sha256 == _hash(session_id),
                sessions.c.started_at.is_not(None),
                _is_open(),
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
            # The page can be shown although the database accepts no writes at the moment.
            _log.warning("Could not record a visit of session %s", row.id, exc_info=True)
    return Person(row.who, row.role, session_id=row.id)


def open_sessions() -> list[WebSession]:
    """Return the sessions and login links that have not ended, newest first."""
    columns = [sessions_table.c[name] for name in WebSession.__dataclass_fields__]
    statement = select(*columns).where(_is_open()).order_by(sessions_table.c.id.desc())
    with reading_connection() as conn:
        return [WebSession(**row._mapping) for row in conn.execute(statement)]


def end_session(session_row_id: int) -> None:
    """End a session because its owner logs out."""
    with civic_db_connection() as conn:
        conn.execute(
            update(sessions_table)
            .where(sessions_table.c.id == session_row_id, _is_open())
            .values(revoked_at=db_now())
        )


def revoke_sessions(ids: Collection[int], by: str) -> None:
    """End sessions and login links, all or none: raise NotFound for an id that is not open."""
    with civic_db_connection() as conn:
        for each in sorted(set(ids)):
            if not _revoke(conn, sessions_table.c.id == each, by):
                raise NotFound(f"There is no open session {each}.")


def revoke_sessions_of(who: str | None, by: str) -> int:
    """End every session and login link of a person, or of everybody; return how many."""
    chosen = sessions_table.c.who == who if who is not None else sessions_table.c.id.is_not(None)
    with civic_db_connection() as conn:
        return _revoke(conn, chosen, by)


def _revoke(conn: Connection, chosen: ColumnElement[bool], by: str) -> int:
    sessions = sessions_table
    ended = conn.execute(
        update(sessions)
        .where(chosen, _is_open())
        .values(revoked_at=db_now())
        .returning(sessions.c.id, sessions.c.who, sessions.c.started_at)
    ).fetchall()
    for row in ended:
        action = "session revoked" if row.started_at else "login link revoked"
        ledger.audit(conn, by, action, row.who, f"session {row.id}")
    return len(ended)


def still_logged_in(people: Collection[Person]) -> set[Person]:
    """Return those whose session or token has not ended."""
    sessions, tokens = sessions_table, tokens_table
    session_ids = [each.session_id for each in people if each.session_id is not None]
    token_ids = [each.token_id for each in people if each.token_id is not None]
    of_sessions = select(sessions.c.id).where(sessions.c.id.in_(session_ids), _is_open())
    of_tokens = select(tokens.c.id).where(tokens.c.id.in_(token_ids), tokens.c.revoked_at.is_(None))
    with reading_connection() as conn:
        in_session = set(conn.execute(of_sessions).scalars())
        with_token = set(conn.execute(of_tokens).scalars())
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


def open_tokens() -> list[ApiToken]:
    """Return the tokens that have not been revoked, oldest first."""
    tokens = tokens_table
    columns = [tokens.c[name] for name in ApiToken.__dataclass_fields__]
    statement = select(*columns).where(tokens.c.revoked_at.is_(None)).order_by(tokens.c.id)
    with reading_connection() as conn:
        return [ApiToken(**row._mapping) for row in conn.execute(statement)]


def revoke_tokens(ids: Sequence[int], by: str) -> None:
    """Revoke tokens, all or none: raise NotFound for an id that is not open."""
    tokens = tokens_table
    with civic_db_connection() as conn:
        for each in sorted(set(ids)):
            name = conn.execute(
                update(tokens)
                .where(tokens.c.id == each, tokens.c.revoked_at.is_(None))
                .values(revoked_at=db_now())
                .returning(tokens.c.name)
            ).scalar()
            if name is None:
                raise NotFound(f"There is no token {each}.", hint="List them: clerk token list")
            ledger.audit(conn, by, "token revoked", name, f"token {each}")


def person_of_token(token: str) -> Person | None:
    """Return the program a token belongs to; None if it is unknown or revoked."""
    tokens = tokens_table
    chosen = select(tokens.c.id, tokens.c.name, tokens.c.role).where(
        tokens.c.sha256 == _hash(token), tokens.c.revoked_at.is_(None)
    )
    with reading_connection() as conn:
        row = conn.execute(chosen).first()
    return Person(f"token {row.name}", row.role, token_id=row.id) if row else None
