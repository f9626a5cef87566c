"""Who may: logging in and out, and the guard before every operators' page."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial, wraps
from urllib.parse import quote

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, RedirectResponse, Response

from . import live, sessions
from .rendering import page
from .sessions import COOKIE, OPERATOR, VIEWER, Person
from .throttling import Handler, limited, with_check


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
    return RedirectResponse(f"/ops/login?next={quote(request.url.path)}", 303)


def _insufficient(request: Request, person: Person, role: str) -> Response:
    said = f"This needs the role {role}; you are a {person.role}."
    if _for_programs(request):
        return JSONResponse({"error": said, "status": 403}, 403)
    return page(request, "error.html", 403, code=403, said=said)


async def open_stream(request: Request) -> Response:
    """Open the doorbell of a browser that is logged in."""
    if await run_in_threadpool(whoever, request) is None:
        return PlainTextResponse("You are not logged in.\n", 401)
    return await live.stream(request)


@limited("login")
def login_page(request: Request) -> Response:
    """Show the button that uses up a link; looking at it changes nothing."""
    link = request.query_params.get("link", "")
    person = request.app.state.keeper.look_at_link(link)
    answer = page(
        request,
        "ops/login.html",
        link=link,
        person=person,
        next=safe_next(request.query_params.get("next", "")),
    )
    answer.headers["Referrer-Policy"] = "no-referrer"
    answer.headers["Cache-Control"] = "no-store"
    return answer


@limited("login")
def log_in(request: Request) -> Response:
    """Use up a link and begin a session."""
    form = request.state.form
    person = request.app.state.keeper.use_link(str(form.get("link", "")))
    if person is None:
        said = "This link has been used or has expired. Ask for a new one: clerk serve --login"
        return page(request, "error.html", 403, code=403, said=said)
    answer = RedirectResponse(safe_next(str(form.get("next", ""))), 303)
    answer.set_cookie(
        COOKIE,
        request.app.state.keeper.session(person.who, person.role),
        max_age=int(sessions.SESSION_SECONDS),
        httponly=True,
        samesite="lax",
        secure=request.url.scheme == "https",
    )
    return answer


def log_out(request: Request) -> Response:
    """End the session of this browser."""
    answer = RedirectResponse("/", 303)
    answer.delete_cookie(COOKIE)
    return answer


def safe_next(path: str) -> str:
    """Return a path of the operators' pages to go on to, never another site."""
    return path if path.startswith("/ops/") and "\\" not in path else "/ops/"
