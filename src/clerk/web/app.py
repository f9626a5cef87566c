"""The application: routes, errors, and what they all share."""

from __future__ import annotations

import contextlib
import logging
import traceback
from collections.abc import AsyncIterator, Collection
from typing import Any
from urllib.parse import urlsplit

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.gzip import DEFAULT_EXCLUDED_CONTENT_TYPES, GZipMiddleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from clerk.core.config import Settings
from clerk.core.errors import (
    ClerkError,
    DocumentError,
    InvalidInput,
    NotFound,
    OperatorError,
    TransientError,
)
from clerk.core.public_text import Gate

from . import api, coverage, data, feeds, metrics, ops, page_images, people, places, public
from .answers import as_json
from .bodies import BoundedBodies
from .data import PublishedData
from .live import Doorbell, SharedFragments
from .redaction import RedactedAnswers, Redactor
from .rendering import STATIC, page
from .safety import LOOPBACK, SafeAnswers, host_name
from .sessions import Keeper, still_admitted
from .throttling import default_limits
from .worker_process import Worker

_log = logging.getLogger(__name__)

#: What a family of errors means to a browser.
STATUS = {
    NotFound: 404,
    DocumentError: 422,
    InvalidInput: 400,
    TransientError: 503,
    OperatorError: 503,
}
#: Large files would be compressed piece by piece between the requests of others.
NOT_COMPRESSED = (
    *DEFAULT_EXCLUDED_CONTENT_TYPES,
    *("application/octet-stream", "application/pdf", "application/vnd.sqlite3"),
)


def create_app(
    settings: Settings, *, hosts: Collection[str] = (), worker: Worker | None = None
) -> Starlette:
    """Return the application for one installation.

    ``hosts`` are the names it is reached by, besides that of PUBLIC_URL, ``worker`` the one that
    runs beside it, if any.
    """
    redact = Redactor(settings)
    published = PublishedData(settings) if settings.data_pages else None
    app = Starlette(
        routes=_routes(published),
        middleware=[
            Middleware(BoundedBodies),
            Middleware(
                SafeAnswers,
                hosts={*LOOPBACK, *hosts, host_name(urlsplit(settings.public_url).netloc)} - {""},
                on_surprise=_show_surprise,
            ),
            Middleware(GZipMiddleware, minimum_size=600, exclude_content_types=NOT_COMPRESSED),
            Middleware(RedactedAnswers, redact=redact),
        ],
        exception_handlers={
            ClerkError: _show_error,
            HTTPException: _show_http_error,
        },
        lifespan=_lifespan,
    )
    app.state.settings = settings
    app.state.keeper = Keeper(settings.storage_dir)
    app.state.worker = worker
    app.state.published = published
    app.state.doorbell = Doorbell(lambda: worker and worker.state, still_admitted)
    app.state.fragments = SharedFragments(app.state.doorbell)
    app.state.stage_seconds = metrics.StageSeconds()
    app.state.redact = redact
    app.state.gate = Gate(settings)
    app.state.limits = default_limits()
    return app


def _routes(published: PublishedData | None = None) -> list[Any]:
    return [
        *([Mount(data.PREFIX, published)] if published else []),
        Route("/", public.home),
        Route("/search", public.search_page),
        Route("/search.json", feeds.search_json),
        Route("/search.csv", feeds.search_csv),
        Route("/search.atom", feeds.search_atom),
        Route("/new.atom", feeds.new_atom),
        Route("/s/{site}/", places.place),
        Route("/s/{site}/{rest:path}", places.body_or_meeting),
        Route("/d/{document}", places.document),
        Route("/d/{document}/original.pdf", places.original),
        Route("/d/{document}/meeting", places.meeting_of_document),
        Route("/p/{page}", places.page_view),
        Route("/p/{page}/image.webp", places.page_image),
        Route("/votes", people.votes),
        Route("/people", people.people_of_all),
        Route("/people/{site}", people.people),
        Route("/people/{site}/{member:path}", people.person),
        Route("/coverage", coverage.all_places),
        Route("/coverage/{site}", coverage.of_place),
        Route("/sitemap.xml", feeds.sitemap),
        Route("/sitemap-{number:int}.xml", feeds.sitemap_part),
        Route("/opensearch.xml", feeds.opensearch),
        Route("/robots.txt", feeds.robots),
        *ops.routes(),
        *api.routes(),
        Route("/healthz", metrics.healthz),
        Route("/readyz", metrics.readyz),
        Route("/metrics", metrics.metrics),
        Mount("/static", StaticFiles(directory=STATIC)),
    ]


@contextlib.asynccontextmanager
async def _lifespan(app: Starlette) -> AsyncIterator[None]:
    if app.state.published is not None:
        app.state.published.start()
    yield
    app.state.doorbell.close()
    page_images.close()
    if app.state.published is not None:
        app.state.published.close()


def _show_error(request: Request, error: Exception) -> Response:
    status = next((code for kind, code in STATUS.items() if isinstance(error, kind)), 500)
    said = request.app.state.redact(str(error))
    if status >= 500:
        _log.error("%s %s: %s", request.method, request.url.path, said)
    return _error_page(request, status, said)


def _show_http_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    said = "There is no such page." if error.status_code == 404 else error.detail
    return _error_page(request, error.status_code, said, error.headers)


def _show_surprise(request: Request, error: Exception) -> Response:
    trace = "".join(traceback.format_exception(error))
    _log.error("%s %s: %s", request.method, request.url.path, request.app.state.redact(trace))
    return _error_page(request, 500, "Something went wrong here. It has been logged.")


def _error_page(request: Request, status: int, said: str, headers: Any = None) -> Response:
    if request.url.path.startswith("/api/") or request.url.path.endswith(".json"):
        return as_json(request, {"error": said, "status": status}, status, headers)
    answer = page(request, "error.html", status, code=status, said=said)
    answer.headers.update(headers or {})
    return answer
