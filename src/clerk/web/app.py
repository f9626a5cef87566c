"""The application: routes, error pages, shared state."""

from __future__ import annotations

import contextlib
import logging
import traceback
from collections.abc import AsyncIterator, Collection, Mapping
from urllib.parse import urlsplit

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.gzip import DEFAULT_EXCLUDED_CONTENT_TYPES, GZipMiddleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Mount, Route
from starlette.staticfiles import StaticFiles

from clerk.core.config import Settings
from clerk.core.errors import (
    ClerkError,
    DocumentError,
    InvalidInput,
    NotAllowed,
    NotFound,
    OperatorError,
    TransientError,
)
from clerk.core.language import Message
from clerk.core.public_text import Gate, Redactor
from clerk.ops.web_sessions import still_logged_in

from . import api, auth, data, metrics, ops, page_images, public
from .live import ChangeNotifier, SharedFragments
from .middleware import LOOPBACK, RedactedResponses, SafeResponses, default_limits, host_name
from .rendering import STATIC, as_json, is_for_programs, page
from .request_bodies import BoundedBodies
from .shared_answers import RunningAnswers
from .worker_process import Worker

_log = logging.getLogger(__name__)

#: The HTTP status of each family of errors.
STATUS = {
    NotFound: 404,
    DocumentError: 422,
    InvalidInput: 400,
    NotAllowed: 403,
    TransientError: 503,
    OperatorError: 503,
}
#: A third of the time of the strongest, and pages a twentieth larger: a response that is being
#: compressed delays all others.
COMPRESSION = 4
#: Compressing large files would delay the requests of others.
NOT_COMPRESSED = (
    *DEFAULT_EXCLUDED_CONTENT_TYPES,
    *("application/octet-stream", "application/pdf", "application/vnd.sqlite3"),
)


def create_app(
    settings: Settings, *, hosts: Collection[str] = (), worker: Worker | None = None
) -> Starlette:
    """Return the application for one installation.

    ``hosts`` are the names it is reached by, in addition to that of PUBLIC_URL; ``worker`` is the
    worker process of this server, if any.
    """
    redact = Redactor(settings)
    published = data.PublishedData(settings) if settings.data_pages else None
    app = Starlette(
        routes=all_routes(published),
        middleware=[
            Middleware(BoundedBodies),
            Middleware(
                SafeResponses,
                hosts={*LOOPBACK, *hosts, host_name(urlsplit(settings.public_url).netloc)} - {""},
                on_unexpected_error=_unexpected_error_page,
            ),
            Middleware(
                GZipMiddleware,
                minimum_size=600,
                compresslevel=COMPRESSION,
                exclude_content_types=NOT_COMPRESSED,
            ),
            Middleware(RedactedResponses, redact=redact),
        ],
        exception_handlers={ClerkError: _clerk_error_page, HTTPException: _http_error_page},
        lifespan=_lifespan,
    )
    app.state.settings = settings
    app.state.logins = auth.Logins(settings.storage_dir)
    app.state.worker = worker
    app.state.published = published
    app.state.notifier = ChangeNotifier(lambda: worker and worker.state, still_logged_in)
    app.state.fragments = SharedFragments(app.state.notifier)
    app.state.stage_seconds = metrics.StageSeconds()
    app.state.redact = redact
    app.state.gate = Gate(settings)
    app.state.operator_gate = Gate(settings, keeps_user_names=True)
    app.state.limits = default_limits()
    app.state.running_answers = RunningAnswers()
    return app


def all_routes(published: data.PublishedData | None = None) -> list[BaseRoute]:
    """Return every address of the application."""
    return [
        *([Mount(data.PREFIX, published)] if published else []),
        *public.routes(),
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
    app.state.notifier.close()
    app.state.running_answers.close()
    page_images.close()
    if app.state.published is not None:
        app.state.published.close()


def _clerk_error_page(request: Request, error: Exception) -> Response:
    status = next((code for kind, code in STATUS.items() if isinstance(error, kind)), 500)
    assert isinstance(error, ClerkError)
    redact = request.app.state.redact
    told = error.explanation
    message = told.with_values(redact) if isinstance(told, Message) else redact(told)
    if status >= 500:
        _log.error("%s %s: %s", request.method, request.url.path, message)
    return _error_page(request, status, message)


def _http_error_page(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    message = error.detail
    if error.status_code == 404:
        message = Message("There is no such page.")
    elif error.status_code == 405 and not isinstance(message, Message):
        message = Message("This address does not support this method.")
    return _error_page(request, error.status_code, message, error.headers)


def _unexpected_error_page(request: Request, error: Exception) -> Response:
    trace = "".join(traceback.format_exception(error))
    _log.error("%s %s: %s", request.method, request.url.path, request.app.state.redact(trace))
    return _error_page(request, 500, Message("An internal error occurred. It has been logged."))


def _error_page(
    request: Request, status: int, message: str, headers: Mapping[str, str] | None = None
) -> Response:
    """Return the page of an error."""
    if is_for_programs(request):
        return as_json(request, {"error": message, "status": status}, status, headers)
    response = page(request, "error.html", status, code=status, message=message)
    response.headers.update(headers or {})
    return response
