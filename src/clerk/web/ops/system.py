"""The installation itself: versions, checks, settings, sessions, tokens, the audit log."""

from __future__ import annotations

import platform
from dataclasses import dataclass, fields
from importlib.metadata import version

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from clerk import __version__
from clerk.core.config import Settings, redact
from clerk.core.errors import InvalidInput
from clerk.core.public_text import Redactor
from clerk.ops import activity, web_sessions
from clerk.web import metrics
from clerk.web.auth import operator, viewer
from clerk.web.parameters import id_in_path
from clerk.web.rendering import page, public_url, settings_of

LIBRARIES = ("starlette", "uvicorn", "sqlalchemy", "pypdfium2", "tesserocr", "rq")
NAME_LETTERS = 100


@viewer
def system(request: Request) -> Response:
    """Show versions, checks and settings; secrets are masked."""
    return _system(request)


def _system(request: Request, *, token: str = "", link: str = "") -> Response:
    return page(
        request,
        "ops/system.html",
        versions={"clerk": __version__, "Python": platform.python_version()}
        | {name: version(name) for name in LIBRARIES},
        database=activity.database_version(),
        health=metrics.check_health(request),
        settings=shown_settings(settings_of(request), request.app.state.redact),
        sessions=web_sessions.open_sessions(),
        tokens=web_sessions.open_tokens(),
        roles=web_sessions.ROLES,
        token=token,
        link=link,
    )


@dataclass(frozen=True)
class ShownSetting:
    """A setting as operators see it."""

    variable: str
    value: str
    origin: str
    help: str


def shown_settings(settings: Settings, hide: Redactor) -> list[ShownSetting]:
    """Return every setting with its value, secrets masked, and where it was set."""
    shown = []
    for each in fields(settings):
        if "variable" not in each.metadata:
            continue
        value = getattr(settings, each.name)
        if value in (None, "", ()):
            text = "(not set)"
        elif each.metadata["secret"]:
            is_url = isinstance(value, str) and "://" in value
            text = redact(str(value)) if is_url else "(hidden)"
        else:
            text = ", ".join(value) if isinstance(value, tuple) else str(value)
        origin, help = settings.origin(each.name), each.metadata["help"]
        shown.append(ShownSetting(each.metadata["variable"], hide(text), origin, help))
    return shown


@operator
def make_token(request: Request) -> Response:
    """Make a token and show it, this once."""
    form = request.state.form
    name = str(form.get("name", "")).strip()
    if not 1 <= len(name) <= NAME_LETTERS:
        raise InvalidInput("Give the token a name that says what uses it.")
    token = web_sessions.new_token(name, str(form.get("role", "")), request.state.person.who)
    return _system(request, token=token)


@operator
def end_token(request: Request) -> Response:
    """Revoke a token."""
    web_sessions.revoke_tokens([id_in_path(request, "token")], request.state.person.who)
    return RedirectResponse("/ops/system#tokens", 303)


@operator
def end_session(request: Request) -> Response:
    """Revoke a session or a login link."""
    web_sessions.revoke_sessions([id_in_path(request, "session")], request.state.person.who)
    return RedirectResponse("/ops/system#sessions", 303)


@operator
def invite(request: Request) -> Response:
    """Make a link that logs somebody in, once, and show it."""
    form = request.state.form
    role, name = str(form.get("role", "")), str(form.get("name", "")).strip()
    if role not in web_sessions.ROLES or not 1 <= len(name) <= NAME_LETTERS:
        raise InvalidInput("Give the name of a person and a role.")
    logins = request.app.state.logins
    link = logins.new_link(role, name, invited_by=request.state.person.who)
    return _system(request, link=public_url(request, f"/ops/login?link={link}"))


@viewer
def audit(request: Request) -> Response:
    """Show what people did."""
    entries = activity.audit_entries(like=request.query_params.get("q", ""), limit=200)
    return page(request, "ops/audit.html", entries=entries)
