"""Who somebody is: sessions in signed cookies, login links good for one use, tokens for programs.

Nothing secret is kept in the database: a session is a cookie that carries its own signature, a link
is signed the same way and used up by a file that can be made only once, and of a token only the
hash is stored.
"""

from __future__ import annotations

import base64
import contextlib
import hmac
import json
import os
import secrets
import time
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from sqlalchemy import insert, select, update

from clerk.core.db import civic_db_connection, reading_connection
from clerk.core.errors import InvalidInput, NotFound
from clerk.core.models import db_now, tokens_table
from clerk.pipeline import ledger

VIEWER = "viewer"
OPERATOR = "operator"
ROLES = (VIEWER, OPERATOR)

SESSION_SECONDS = 12 * 3600.0
LINK_SECONDS = 3600.0
COOKIE = "clerk_session"


@dataclass(frozen=True)
class Person:
    """Somebody who is logged in, or a program with a token."""

    who: str
    role: str
    expires_at: float = 0.0

    def may(self, role: str) -> bool:
        """Whether the role suffices."""
        return ROLES.index(self.role) >= ROLES.index(role)


class Keeper:
    """Signs sessions and links with the secret of this installation."""

    def __init__(self, storage_dir: Path) -> None:
        self._folder = storage_dir / "_clerk" / "web"
        self._secret = _secret(self._folder)

    def session(self, who: str, role: str, seconds: float = SESSION_SECONDS) -> str:
        """Return the cookie of a new session."""
        return self._signed("session", who, role, seconds)

    def person(self, cookie: str | None) -> Person | None:
        """Return who a cookie belongs to; None when it is none, forged or expired."""
        return self._read("session", cookie)

    def login_link(self, role: str, who: str, seconds: float = LINK_SECONDS) -> str:
        """Return the secret part of a link that logs somebody in, once."""
        return self._signed("link", who, role, seconds)

    def look_at_link(self, link: str) -> Person | None:
        """Return whom a link would log in, without using it up."""
        person = self._read("link", link)
        return None if person is None or self._mark_of(link).exists() else person

    def use_link(self, link: str) -> Person | None:
        """Use up a link and return whom it logs in; None if it cannot be used any more."""
        person = self._read("link", link)
        if person is None:
            return None
        try:
            os.close(os.open(self._mark_of(link), os.O_CREAT | os.O_EXCL, 0o600))
        except FileExistsError:
            return None
        self._forget_marks()
        return person

    def _mark_of(self, link: str) -> Path:
        return self._folder / f"used-{sha256(link.encode()).hexdigest()[:40]}"

    def _forget_marks(self) -> None:
        """Remove the marks of links that have expired anyway."""
        for mark in self._folder.glob("used-*"):
            with contextlib.suppress(OSError):
                if mark.stat().st_mtime < time.time() - 2 * LINK_SECONDS:
                    mark.unlink()

    def _signed(self, purpose: str, who: str, role: str, seconds: float) -> str:
        said = [purpose, who, role, time.time() + seconds, secrets.token_hex(8)]
        body = base64.urlsafe_b64encode(json.dumps(said).encode()).decode().rstrip("=")
        return f"{body}.{self._signature(body)}"

    def _signature(self, body: str) -> str:
        return hmac.new(self._secret, body.encode(), sha256).hexdigest()

    def _read(self, purpose: str, text: str | None) -> Person | None:
        body, _, signature = (text or "").partition(".")
        expected = self._signature(body).encode()
        if not hmac.compare_digest(signature.encode("utf-8", "replace"), expected):
            return None
        said = json.loads(base64.urlsafe_b64decode(body + "=" * (-len(body) % 4)))
        if said[0] != purpose or said[3] < time.time() or said[2] not in ROLES:
            return None
        return Person(said[1], said[2], said[3])


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


def revoke_token(identity: int, who: str) -> None:
    """End a token."""
    tokens = tokens_table
    with civic_db_connection() as conn:
        name = conn.execute(
            update(tokens)
            .where(tokens.c.id == identity, tokens.c.revoked_at.is_(None))
            .values(revoked_at=db_now())
            .returning(tokens.c.name)
        ).scalar()
        if name is None:
            raise NotFound(f"There is no token {identity}.")
        ledger.audit(conn, who, "token revoked", name)


def person_of_token(token: str) -> Person | None:
    """Return the program a token belongs to, or None."""
    tokens = tokens_table
    with reading_connection() as conn:
        row = conn.execute(
            select(tokens).where(tokens.c.sha256 == _hash(token), tokens.c.revoked_at.is_(None))
        ).first()
    return Person(f"token {row.name}", row.role) if row else None


def _hash(token: str) -> str:
    return sha256(token.encode("utf-8", "replace")).hexdigest()
