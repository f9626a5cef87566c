"""Who may: logging in and out, and the guard before every operators' page."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial, wraps
from urllib.parse import quote, unquote

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, RedirectResponse, Response

from . import live, sessions
from .rendering import page
from .safety import client_of
from .sessions import COOKIE, OPERATOR, VIEWER, Person
from .throttling import Handler, limited, with_check

#: Remembers the page that was asked for until the login link is opened.
NEXT_COOKIE = "clerk_next"
#: A browser drops larger cookies.
NEXT_COOKIE_BYTES = 3800

#: How a browser or system names itself -> what people call it; the first that occurs counts.
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


def viewer(handler: Handler) -> Handler:
    """Let only those in who are logged in."""
    return _guarded(VIEWER)(handler)


def operator(handler: Handler) -> Handler:
    """Let only operators in: for everything that changes something."""
    return _guarded(OPERATOR)(handler)


def _guarded(role: str) -> Callable[[Handler], Handler]:
    def decorate(handler: Handler) -> Handler:
        @wraps(handler)
        def guarded(request: Request) -> Response:
            if (refusal := refused(request, role)) is not None:
                return refusal
            if request.query_params.get("fragment"):
                answer: Response = request.app.state.fragments.answer(request, handler)
            else:
                answer = handler(request)
            answer.headers.setdefault("Cache-Control", "no-store")
            return answer

        return with_check(guarded, partial(refused, role=role))

    return decorate


def refused(request: Request, role: str) -> Response | None:
    """Return the answer to somebody who may not; None, and who it is kept, for one who may."""
    person = whoever(request)
    if person is None:
        return _unknown(request)
    if not person.may(role):
        return _insufficient(request, person, role)
    request.state.person = person
    return None


def whoever(request: Request) -> Person | None:
    """Return who asks, by cookie or by token."""
    scheme, _, token = request.headers.get("authorization", "").partition(" ")
    if scheme.lower() == "bearer":
        return sessions.person_of_token(token.strip())
    keeper: sessions.Keeper = request.app.state.keeper
    return keeper.person(request.cookies.get(COOKIE))


def _for_programs(request: Request) -> bool:
    return request.url.path.startswith("/api/")


def _unknown(request: Request) -> Response:
    if _for_programs(request):
        said = {"error": "A token is needed: Authorization: Bearer ...", "status": 401}
        return JSONResponse(said, 401, headers={"WWW-Authenticate": "Bearer"})
    if request.query_params.get("fragment") or request.method not in ("GET", "HEAD"):
        return PlainTextResponse("You are not logged in any more.\n", 401)
    asked_for = quote(request.scope["path"]).encode()
    if query := request.scope["query_string"]:
        asked_for += b"?" + query
    return RedirectResponse(f"/ops/login?next={quote(asked_for, safe='')}", 303)


def _insufficient(request: Request, person: Person, role: str) -> Response:
    said = f"This needs the role {role}; you are a {person.role}."
    if _for_programs(request):
        return JSONResponse({"error": said, "status": 403}, 403)
    return page(request, "error.html", 403, code=403, said=said)


async def open_stream(request: Request) -> Response:
    """Open the doorbell of a browser that is logged in."""
    person = await run_in_threadpool(whoever, request)
    if person is None:
        return PlainTextResponse("You are not logged in.\n", 401)
    request.state.person = person
    return await live.stream(request)


@limited("login")
def login_page(request: Request) -> Response:
    """Show the button that uses a login link; looking at it does not use the link.

    Whoever asked for a page comes here without a link: the page is remembered until the link is
    opened in the same browser.
    """
    link = request.query_params.get("link", "")
    asked_for = request.query_params.get("next")
    remembered = unquote(request.cookies.get(NEXT_COOKIE, ""))
    going_to = safe_next(remembered if asked_for is None else asked_for)
    person = request.app.state.keeper.person_of_link(link) if link else None
    answer = page(request, "ops/login.html", link=link, person=person, next=going_to)
    if asked_for is not None and len(kept := quote(going_to, safe="")) <= NEXT_COOKIE_BYTES:
        _set_cookie(request, answer, NEXT_COOKIE, kept, sessions.LINK_SECONDS, path="/ops/login")
    answer.headers["Referrer-Policy"] = "no-referrer"
    answer.headers["Cache-Control"] = "no-store"
    return answer


@limited("login")
def log_in(request: Request) -> Response:
    """Use a login link and begin a session; one that this browser had before ends."""
    form = request.state.form
    keeper: sessions.Keeper = request.app.state.keeper
    cookie = keeper.use_link(str(form.get("link", "")), _describe_client(request))
    if cookie is None:
        said = "This link has been used or has expired. Ask for a new one: clerk serve --login"
        return page(request, "error.html", 403, code=403, said=said)
    _end_session(request)
    answer = RedirectResponse(safe_next(str(form.get("next", ""))), 303)
    _set_cookie(request, answer, COOKIE, cookie, sessions.SESSION_SECONDS)
    answer.delete_cookie(NEXT_COOKIE, path="/ops/login")
    return answer


def _set_cookie(
    request: Request, answer: Response, name: str, value: str, seconds: float, path: str = "/"
) -> None:
    answer.set_cookie(
        name,
        value,
        max_age=int(seconds),
        path=path,
        httponly=True,
        samesite="lax",
        secure=request.url.scheme == "https",
    )


def _describe_client(request: Request) -> str:
    """Return the browser, system and address of a request, as far as it tells them."""
    agent = "".join(filter(str.isprintable, request.headers.get("user-agent", "")))
    browser = next((name for mark, name in BROWSERS.items() if mark in agent), agent[:40])
    system = next((f" on {name}" for mark, name in SYSTEMS.items() if mark in agent), "")
    return f"{browser or 'unknown'}{system}, {client_of(request)}"


def log_out(request: Request) -> Response:
    """End the session of this browser, here and in the database."""
    _end_session(request)
    answer = RedirectResponse("/", 303)
    answer.delete_cookie(COOKIE)
    return answer


def _end_session(request: Request) -> None:
    keeper: sessions.Keeper = request.app.state.keeper
    person = keeper.person(request.cookies.get(COOKIE))
    if person is not None and person.session_id is not None:
        sessions.end_session(person.session_id)


def safe_next(path: str) -> str:
    """Return a path of the operators' pages to go on to, never another site."""
    return path if path.startswith("/ops/") and "\\" not in path else "/ops/"
