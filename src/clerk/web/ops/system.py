"""The installation itself: versions, checks, settings, sessions, tokens, and what people did."""

from __future__ import annotations

import platform
from dataclasses import fields
from importlib.metadata import version
from typing import Any

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from clerk import __version__
from clerk.core import schema
from clerk.core.config import Settings, redact
from clerk.core.db import civic_db_connection, get_civic_db, reading_connection
from clerk.core.errors import InvalidInput
from clerk.pipeline.ledger import audit as keep
from clerk.web import checks, figures, sessions
from clerk.web.access import operator, viewer
from clerk.web.public import number_of
from clerk.web.redaction import Redactor
from clerk.web.rendering import page, public_url, settings_of

LIBRARIES = ("starlette", "uvicorn", "sqlalchemy", "pypdfium2", "tesserocr", "rq")


@viewer
def system(request: Request) -> Response:
    """Show versions, checks and settings; secrets are masked."""
    return _system(request)


def _system(request: Request, *, token: str = "", link: str = "") -> Response:
    engine = get_civic_db()
    return page(
        request,
        "ops/system.html",
        versions={"clerk": __version__, "Python": platform.python_version()}
        | {name: version(name) for name in LIBRARIES},
        database=f"{engine.dialect.name}, schema {schema.current(engine)} of {schema.head()}",
        health=checks.check_all(request),
        settings=shown_settings(settings_of(request), request.app.state.redact),
        sessions=sessions.open_sessions(),
        tokens=sessions.open_tokens(),
        roles=sessions.ROLES,
        token=token,
        link=link,
    )


def shown_settings(settings: Settings, hide: Redactor) -> list[dict[str, str]]:
    """Return every setting with its value, secrets masked, and where it was set."""
    return [
        {
            "variable": each.metadata["variable"],
            "value": hide(_shown(getattr(settings, each.name), secret=each.metadata["secret"])),
            "origin": settings.origin(each.name),
            "help": each.metadata["help"],
        }
        for each in fields(settings)
        if "variable" in each.metadata
    ]


def _shown(value: Any, *, secret: bool) -> str:
    if value in (None, "", ()):
        return "(not set)"
    if secret:
        return redact(str(value)) if "://" in str(value) else "(hidden)"
    return ", ".join(value) if isinstance(value, tuple) else str(value)


@operator
def make_token(request: Request) -> Response:
    """Make a token and show it, this once."""
    form = request.state.form
    name = str(form.get("name", "")).strip()
    if not 1 <= len(name) <= 100:
        raise InvalidInput("Give the token a name that says what uses it.")
    token = sessions.new_token(name, str(form.get("role", "")), request.state.person.who)
    return _system(request, token=token)


@operator
def end_token(request: Request) -> Response:
    """Revoke a token."""
    sessions.revoke_tokens([number_of(request, "token")], request.state.person.who)
    return RedirectResponse("/ops/system#tokens", 303)


@operator
def end_session(request: Request) -> Response:
    """Revoke a session or a login link."""
    sessions.revoke_sessions([number_of(request, "session")], request.state.person.who)
    return RedirectResponse("/ops/system#sessions", 303)


@operator
def invite(request: Request) -> Response:
    """Make a link that logs somebody in, once, and show it."""
    form = request.state.form
    role, name = str(form.get("role", "")), str(form.get("name", "")).strip()
    if role not in sessions.ROLES or not 1 <= len(name) <= 100:
        raise InvalidInput("Give the name of a person and a role.")
    with civic_db_connection() as conn:
        keep(conn, request.state.person.who, "person invited", name, role)
    link = request.app.state.keeper.login_link(role, name)
    return _system(request, link=public_url(request, f"/ops/login?link={link}"))


@viewer
def audit(request: Request) -> Response:
    """Show what people did."""
    with reading_connection() as conn:
        rows = figures.audit_rows(conn, like=request.query_params.get("q", ""), limit=200)
    return page(request, "ops/audit.html", rows=rows)
