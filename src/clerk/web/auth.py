"""Logging in and out, and the role check before every operators' page.

The login link and the session cookie carry a random id with a signature, so that guessing an id
costs no look into the database; :mod:`clerk.ops.web_sessions` knows what the ids stand for.
"""

from __future__ import annotations

import os
import secrets
import time
from functools import partial, wraps
from hashlib import sha256
from pathlib import Path
from urllib.parse import quote, unquote

from itsdangerous import BadSignature, Signer
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, RedirectResponse, Response

from clerk.core.errors import InvalidInput
from clerk.core.language import Message
from clerk.core.storage import web_folder
from clerk.ops import web_sessions
from clerk.ops.web_sessions import OPERATOR, VIEWER, Person

from . import live
from .middleware import Handler, checked, client_address, limited
from .rendering import page

COOKIE = "clerk_session"
#: Remembers the page that was asked for until the login link is opened.
NEXT_COOKIE = "clerk_next"
#: A browser drops larger cookies.
NEXT_COOKIE_BYTES = 3800

#: Part of a User-Agent header -> the usual name; the first match is shown.
BROWSERS = {
    "Edg": "Edge",
    "OPR/": "Opera",
    "Firefox/": "Firefox",
    "FxiOS/": "Firefox",
    "Chrome/": "Chrome",
    "CriOS/": "Chrome",
    "Safari/": "Safari",
}
SYSTEMS = {
    "Android": "Android",
    "iPhone": "iPhone",
    "iPad": "iPad",
    "Windows": "Windows",
    "Mac OS": "macOS",
    "CrOS": "ChromeOS",
    "Linux": "Linux",
}


class Logins:
    """Makes and checks login links and session cookies with the secret of this installation."""

    def __init__(self, storage_dir: Path) -> None:
        secret = _installation_secret(web_folder(storage_dir) / "secret")
        signer = partial(Signer, secret, key_derivation="hmac", digest_method=sha256)
        # Another salt for each purpose: a link is of no use as a cookie.
        self._links = signer(salt="clerk login link")
        self._cookies = signer(salt="clerk session cookie")

    def new_link(self, role: str, who: str, *, invited_by: str | None = None) -> str:
        """Return the secret part of a new link that logs somebody in, once."""
        link_id = web_sessions.add_login_link(role, who, invited_by=invited_by)
        return self._links.sign(link_id).decode()

    def person_of_link(self, link: str) -> Person | None:
        """Return whom a link would log in, without using it."""
        link_id = _unsigned(self._links, link)
        return web_sessions.person_of_link(link_id) if link_id else None

    def use_link(self, link: str, client: str = "") -> str | None:
        """Begin the session of a link and return its cookie; None if the link cannot be used."""
        link_id = _unsigned(self._links, link)
        session_id = web_sessions.begin_session(link_id, client) if link_id else None
        return self._cookies.sign(session_id).decode() if session_id else None

    def person(self, cookie: str | None) -> Person | None:
        """Return who a cookie belongs to; None for one that is forged, expired or ended."""
        session_id = _unsigned(self._cookies, cookie or "")
        return web_sessions.person_of_session(session_id) if session_id else None


def _unsigned(signer: Signer, value: str) -> str | None:
    """Return the id in a signed value; None if we did not sign it."""
    try:
        return signer.unsign(value.encode("utf-8", "replace")).decode()
    except BadSignature:
        return None


def _installation_secret(path: Path) -> bytes:
    """Return the installation's secret, made when first needed and readable by its owner."""
    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        pass
    else:
        with os.fdopen(handle, "wb") as file:
            file.write(secrets.token_hex(32).encode())
    # Another process may be writing it at this moment.
    for _ in range(100):
        if secret := path.read_bytes():
            return secret
        time.sleep(0.01)
    raise InvalidInput(f"{path} is empty.", hint="Remove it; a new one is made.")


# ------------------------------------------------------------------------------------- roles


def _requires(role: str, handler: Handler) -> Handler:
    @wraps(handler)
    def uncached(request: Request) -> Response:
        if request.query_params.get("fragment") and request.method != "POST":
            response: Response = request.app.state.fragments.respond(request, handler)
        else:
            response = handler(request)
        response.headers.setdefault("Cache-Control", "no-store")
        return response

    return checked(partial(refuse_without_role, role=role))(uncached)


#: Decorator: only for people and programs that are logged in.
viewer = partial(_requires, VIEWER)
#: Decorator: only for operators; for everything that changes something.
operator = partial(_requires, OPERATOR)


def refuse_without_role(request: Request, role: str) -> Response | None:
    """Return a refusal to somebody without the role; else set ``request.state.person``."""
    person = person_of(request)
    if person is not None and person.may(role):
        request.state.person = person
        return None
    for_programs = request.url.path.startswith("/api/")
    if person is not None:
        message = Message(
            "This needs the role %(role)s; your role is %(own)s.", role=role, own=person.role
        )
        if for_programs:
            return JSONResponse({"error": message, "status": 403}, 403)
        return page(request, "error.html", 403, code=403, message=message)
    if for_programs:
        error = {"error": "A token is needed: Authorization: Bearer ...", "status": 401}
        return JSONResponse(error, 401, headers={"WWW-Authenticate": "Bearer"})
    if request.query_params.get("fragment") or request.method not in ("GET", "HEAD"):
        return PlainTextResponse("You are not logged in any more.\n", 401)
    asked_for = quote(request.scope["path"]).encode()
    if query := request.scope["query_string"]:
        asked_for += b"?" + query
    return RedirectResponse(f"/ops/login?next={quote(asked_for, safe='')}", 303)


def person_of(request: Request) -> Person | None:
    """Return who sends a request, by cookie or by token."""
    scheme, _, token = request.headers.get("authorization", "").partition(" ")
    if scheme.lower() == "bearer":
        return web_sessions.person_of_token(token.strip())
    logins: Logins = request.app.state.logins
    return logins.person(request.cookies.get(COOKIE))


async def open_stream(request: Request) -> Response:
    """Open the stream of changes for a browser that is logged in."""
    person = await run_in_threadpool(person_of, request)
    if person is None:
        return PlainTextResponse("You are not logged in.\n", 401)
    return await live.stream(request, person)


# ---------------------------------------------------------------------------- login and logout


@limited("login")
def login_page(request: Request) -> Response:
    """Show the button that uses a login link; showing it does not use the link.

    Whoever asked for a page without a session is sent here: the page is remembered until the link
    is opened in the same browser.
    """
    link = request.query_params.get("link", "")
    asked_for = request.query_params.get("next")
    remembered = unquote(request.cookies.get(NEXT_COOKIE, ""))
    next_path = safe_next(remembered if asked_for is None else asked_for)
    person = request.app.state.logins.person_of_link(link) if link else None
    response = page(request, "ops/login.html", link=link, person=person, next=next_path)
    if asked_for is not None and len(kept := quote(next_path, safe="")) <= NEXT_COOKIE_BYTES:
        seconds = web_sessions.LINK_SECONDS
        _set_cookie(request, response, NEXT_COOKIE, kept, seconds, path="/ops/login")
    response.headers["Referrer-Policy"] = "no-referrer"
    response.headers["Cache-Control"] = "no-store"
    return response


@limited("login")
def log_in(request: Request) -> Response:
    """Use a login link and begin a session; one that this browser had before ends."""
    form = request.state.form
    agent = "".join(filter(str.isprintable, request.headers.get("user-agent", "")))
    browser = next((name for part, name in BROWSERS.items() if part in agent), agent[:40])
    system = next((f" on {name}" for part, name in SYSTEMS.items() if part in agent), "")
    client = f"{browser or 'unknown'}{system}, {client_address(request)}"
    cookie = request.app.state.logins.use_link(str(form.get("link", "")), client)
    if cookie is None:
        message = Message(
            "This link has been used or has expired. Ask for a new one: clerk serve --login"
        )
        return page(request, "error.html", 403, code=403, message=message)
    _end_session(request)
    response = RedirectResponse(safe_next(str(form.get("next", ""))), 303)
    _set_cookie(request, response, COOKIE, cookie, web_sessions.SESSION_SECONDS)
    response.delete_cookie(NEXT_COOKIE, path="/ops/login")
    return response


def _set_cookie(
    request: Request, response: Response, name: str, value: str, seconds: float, path: str = "/"
) -> None:
    response.set_cookie(
        name,
        value,
        max_age=int(seconds),
        path=path,
        httponly=True,
        samesite="lax",
        secure=request.url.scheme == "https",
    )


def log_out(request: Request) -> Response:
    """End the session of this browser, here and in the database."""
    _end_session(request)
    response = RedirectResponse("/", 303)
    response.delete_cookie(COOKIE)
    return response


def _end_session(request: Request) -> None:
    logins: Logins = request.app.state.logins
    person = logins.person(request.cookies.get(COOKIE))
    if person is not None and person.session_id is not None:
        web_sessions.end_session(person.session_id)


def safe_next(path: str) -> str:
    """Return a path of the operators' pages to go on to, never another site."""
    return path if path.startswith("/ops/") and "\\" not in path else "/ops/"
