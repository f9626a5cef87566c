"""A small town to serve: compiled pages with hostile text, votes, holes and a real PDF."""

from __future__ import annotations

import asyncio
from pathlib import Path

import httpx
from small_pdfs import printed, written
from small_sites import appearance, compile_folder, presence, vote, write_found, write_text
from starlette.applications import Starlette

from clerk.core import config
from clerk.core.storage import Document
from clerk.site_db.rows import document_id
from clerk.web.app import create_app
from clerk.web.auth import COOKIE
from clerk.web.middleware import RateLimit

SITE = {"subdomain": "springfield", "name": "Springfield", "state": "IL", "kind": "city"}
HOSTILE = "<script>alert('x')</script><img src=x onerror=alert(1)>"
MINUTES = "minutes/City Council/2024-01-15"
LINES = ("The council discussed the zoning variance.", "Motion carried, 2 to 1.")


def write_town(storage: Path) -> None:
    """Put the town's documents on disk and compile them."""
    folder = storage / SITE["subdomain"]
    first = "\n".join(LINES)
    pages = [first, f"Letters were read: {HOSTILE} about zoning.", "=1+1 zoning"]
    words = {1: first.replace("\n", " ").split()}
    minutes = write_text(folder, MINUTES, pages, words=words)
    quoted = vote(1, motion=f"adopt {HOSTILE}", quote=f"moved {HOSTILE}", flags=["result_implied"])
    said = {"page": 1, "start": 0, "end": 9, "quote": f"said {HOSTILE}"}
    write_found(
        *(folder, minutes, pages, [quoted]),
        items=[said | {"number": "1", "title": f"Zoning {HOSTILE}"}],
        attendance=[
            presence("Ann Lee", role="Chair", quote=f"Ann Lee {HOSTILE}"),
            presence("Bo Wu", late=True),
            presence("Cy Diaz", status="excused"),
            presence("Pat Clerk", group="other"),
        ],
        speakers=[said | {"name": f"Jo {HOSTILE}", "side": "against", "item": "1"}],
        declarations=[said | {"name": "Wu", "kind": "recusal", "about": f"his {HOSTILE}"}],
        matters=[
            appearance("ordinance 2024-5", title=HOSTILE, amounts=["1200 USD"], votes=[0]),
            appearance("case 7", action="failed", doubtful=["action"], votes=[]),
        ],
    )
    minutes.pdf(folder).parent.mkdir(parents=True)
    written(minutes.pdf(folder), printed(LINES, ("Letters were read.",), ("zoning",)))
    write_text(folder, "agendas/City Council/2024-01-15", ["Agenda: zoning variance"])
    write_text(folder, "agendas/Library Board/2024-03-01", ["Agenda of the library"])
    write_text(
        folder, "minutes/Library Board/2023-05-02", ["Read", "lost"], failed={2: "TimeoutError"}
    )
    compile_folder(folder, SITE)


def identity(name: str) -> str:
    """Return the id of a document of the town."""
    return document_id(SITE["subdomain"], Document.from_name(name))


class AppTransport(httpx.BaseTransport):
    """Hands requests to the application itself, without a server."""

    def __init__(self, app: Starlette) -> None:
        self._app = app

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        request.stream = httpx.ByteStream(request.read())
        return asyncio.run(self._ask(request))

    async def _ask(self, request: httpx.Request) -> httpx.Response:
        inner = httpx.ASGITransport(self._app, raise_app_exceptions=False)
        answer = await inner.handle_async_request(request)
        content = await answer.aread()
        headers = [pair for pair in answer.headers.raw if pair[0].lower() != b"content-encoding"]
        return httpx.Response(answer.status_code, headers=headers, content=content)


class Browser(httpx.Client):
    """A client of an application of its own, logged in if a role is given."""

    def __init__(self, role: str = "") -> None:
        self.app = create_app(config.load())
        limits = {name: RateLimit(1e6, 1e6) for name in self.app.state.limits}
        self.app.state.limits = limits
        super().__init__(transport=AppTransport(self.app), base_url="http://localhost")
        if role:
            self.log_in(role)

    def log_in(self, role: str, who: str = "") -> None:
        """Begin a new session, as somebody who was given a login link."""
        logins = self.app.state.logins
        cookie = logins.use_link(logins.new_link(role, who or f"the {role}"))
        self.cookies.clear()
        self.cookies.set(COOKIE, cookie)


#: Every kind of public page.
PAGES = (
    "/",
    "/search",
    "/search?q=zoning",
    "/search?q=nothinglikeit",
    "/search?q=zonign",
    "/s/springfield/",
    "/s/springfield/City%20Council/",
    "/s/springfield/City%20Council/?year=1999",
    "/s/springfield/City%20Council/2024-01-15/",
    f"/d/{identity(MINUTES)}",
    f"/p/{identity(MINUTES)}-1?q=zoning",
    f"/p/{identity(MINUTES)}-2?q=zoning",
    "/calendar/springfield?month=2024-01",
    "/map",
    f"/embed/{identity(MINUTES)}-1",
    "/votes?site=springfield",
    "/people/springfield",
    "/people/springfield/City-Council%2Flee",
    "/matters/springfield",
    "/matters/springfield/ordinance%202024-5",
    f"/report/{identity(MINUTES)}-v1",
    "/coverage",
    "/coverage/springfield",
    "/api",
    "/ops/login",
    "/nowhere",
)
