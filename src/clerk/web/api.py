"""``/api/v1``: the same things as JSON; one table makes the routes and their description."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from sqlalchemy import Row
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from clerk import __version__
from clerk.annotations import api as annotation_jobs
from clerk.core import db
from clerk.core.db import reading_connection
from clerk.core.errors import InvalidInput
from clerk.core.states import QUEUES, Batch
from clerk.core.storage import KINDS
from clerk.pipeline import ledger, pipeline_state, queue, sites, transitions
from clerk.search import SORTS, find_document, find_page, hit_boxes

from . import checks, feeds, figures, library, uploads
from .access import operator, viewer
from .answers import as_json, for_operators
from .public import number_of, whole
from .rendering import page, settings_of

PREFIX = "/api/v1"
LIMIT_AT_MOST = 500


@dataclass(frozen=True)
class Parameter:
    """Something an address takes in its query."""

    name: str
    meaning: str
    schema: Mapping[str, Any] = field(default_factory=lambda: {"type": "string"})


@dataclass(frozen=True)
class Endpoint:
    """One address of the API."""

    path: str
    handler: Callable[[Request], Any]
    summary: str
    parameters: Sequence[Parameter] = ()
    method: str = "GET"
    role: str = ""
    success: int = 200


def _paged(request: Request, rows: list[Any], total: int | None = None) -> Response:
    answer: dict[str, Any] = {"items": rows}
    return as_json(request, answer if total is None else answer | {"total": total})


def _limits(request: Request) -> dict[str, int]:
    return {
        "limit": whole(request, "limit", 50, most=LIMIT_AT_MOST),
        "offset": whole(request, "offset", 0, least=0, most=1_000_000),
    }


# --------------------------------------------------------------------------- for everybody


def all_sites(request: Request) -> Response:
    """Give the places that can be searched."""
    return _paged(
        request, [vars(place) for place in library.places(settings_of(request).storage_dir)]
    )


def one_site(request: Request) -> Response:
    """Give a place with its bodies."""
    with _site(request) as compiled:
        facts = {"site": compiled.subdomain, "name": compiled.name, "about": compiled.about}
        return as_json(request, facts | {"totals": compiled.totals(), "bodies": compiled.bodies()})


def documents(request: Request) -> Response:
    """Give the documents of a place, the newest first."""
    asked = request.query_params
    kind = _one_of(request, "kind", KINDS)
    filters = {"body": asked.get("body", ""), "kind": kind, "year": asked.get("year", "")}
    with _site(request) as compiled:
        rows = compiled.documents(**_limits(request), **filters)
        return _paged(request, [_document(row) for row in rows])


def one_document(request: Request) -> Response:
    """Give what is known of a document, and the ids of its pages."""
    storage_dir = settings_of(request).storage_dir
    site, document = find_document(storage_dir, request.path_params["document"])
    with library.opened(storage_dir, site) as compiled:
        pages = list(compiled.page_ids(document).values())
        facts = _document(compiled.document(document))
        return as_json(request, facts | {"site": site, "page_ids": pages})


def one_page(request: Request) -> Response:
    """Give the text of a page; with ``q`` also the boxes of the words it hits."""
    storage_dir = settings_of(request).storage_dir
    address = find_page(storage_dir, request.path_params["page"])
    query = request.query_params.get("q", "")
    with library.opened(storage_dir, address.site) as compiled:
        row = compiled.page(address.document, address.page)
        facts = compiled.document(address.document)
    boxes = hit_boxes(storage_dir / address.site, address.document, address.page, query)
    return as_json(
        request,
        {
            "id": row["id"],
            "site": address.site,
            "document": facts["id"],
            "page": row["page"],
            "text": row["text"],
            "method": row["method"],
            "confidence": row["confidence"],
            "boxes": boxes if query else [],
        },
    )


def votes(request: Request) -> Response:
    """Give the votes of a place with their evidence, the newest first."""
    filters = {name: request.query_params.get(name, "") for name in ("body", "member", "year")}
    filters["result"] = request.query_params.get("result", "")
    with _site(request) as compiled:
        found = compiled.votes(**_limits(request), **filters)
        return _paged(request, found, compiled.count_votes(**filters))


def _site(request: Request) -> Any:
    return library.opened(settings_of(request).storage_dir, request.path_params["site"])


def _document(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return what is known of a document, without what concerns only its compilation."""
    hidden = ("source", "source_url", "digest", "extracted_digest", "label", "meeting")
    shown = {key: value for key, value in row.items() if key not in hidden}
    source = row["source"]
    return shown | {
        "body": row["meeting"],
        "source": source["label"],
        "source_url": source["url"],
    }


def _one_of(request: Request, name: str, words: Sequence[str]) -> str:
    value = request.query_params.get(name, "")
    if value and value not in words:
        raise InvalidInput(f"{name} must be one of {', '.join(words)}, not {value!r}.")
    return value


# --------------------------------------------------------------------------- for operators


@viewer
def all_health(request: Request) -> Response:
    """Give every check, and where all sites stand: what ``clerk health --json`` prints."""
    seen, redact = checks.check_all(request), request.app.state.redact
    found = [
        {"name": each.name, "level": each.word, "said": redact(each.said), "mend": each.mend}
        for each in seen.checks
    ]
    pipeline = seen.figures.as_dict() if seen.figures else None
    if pipeline is not None:
        for each in pipeline["attention"]:
            each["reason"] = redact(each["reason"])
        pipeline["blocked"] = {site: redact(why) for site, why in pipeline["blocked"].items()}
    answer = {"level": seen.word, "exit_code": seen.level, "checks": found, "pipeline": pipeline}
    return for_operators(json.loads(json.dumps(answer, default=str)))


@viewer
def followed(request: Request) -> Response:
    """Give the sites that are followed, with their state and counters."""
    with reading_connection() as conn:
        return for_operators({"items": [_plain(row) for row in sites.overview(conn)]})


@viewer
def batches(request: Request) -> Response:
    """Give batches, the newest first."""
    status = _one_of(request, "status", Batch.ALL) or None
    site = request.query_params.get("site") or None
    with reading_connection() as conn:
        rows = figures.batches(conn, status=status, subdomain=site, **_limits(request))
        return for_operators({"items": [_batch(row) for row in rows]})


@viewer
def one_batch(request: Request) -> Response:
    """Give one batch with its documents."""
    with reading_connection() as conn:
        return for_operators(_batch(figures.batch(conn, number_of(request, "batch"))))


@operator
def start_run(request: Request) -> Response:
    """Queue a run of a site, or name the one that is under way."""
    subdomain, who = request.path_params["site"], request.state.person.who
    with db.civic_db_connection() as conn:
        db.lock_site(conn, subdomain)
        db.require_site(conn, subdomain)
        active = pipeline_state.active_run(conn, subdomain)
        run_id = active.run_id if active else transitions.start_run(conn, subdomain)
        if active is None:
            ledger.audit(conn, who, "run started", subdomain, run_id)
    queue.offer(QUEUES)
    return for_operators({"site": subdomain, "run": run_id}, 202)


def _batch(row: Row[Any]) -> dict[str, Any]:
    names = ("id", "parent_job_id", "subdomain", "stage", "kind", "status", "item_count", "attempt")
    times = ("created_at", "started_at", "completed_at", "beat_at")
    more = ("worker_id", "current_item", "error_message", "doc_identifiers", "parent_batch_id")
    return _plain({name: getattr(row, name) for name in (*names, *times, *more)})


def _plain(row: Mapping[str, Any]) -> dict[str, Any]:
    return {
        key: value.isoformat() if isinstance(value, datetime) else value
        for key, value in row.items()
    }


# ------------------------------------------------------------------------------- the table


def _one_word(words: Sequence[str]) -> dict[str, Any]:
    return {"type": "string", "enum": list(map(str, words))}


_NUMBER = {"type": "integer", "minimum": 0}
_PAGING = (
    Parameter("limit", "How many, at most", _NUMBER | {"minimum": 1, "maximum": LIMIT_AT_MOST}),
    Parameter("offset", "How many to pass over", _NUMBER | {"maximum": 1_000_000}),
)
_DAY = {"type": "string", "pattern": r"^\d{4}(-\d{2}(-\d{2})?)?$"}
_SEARCH = (
    Parameter("q", 'Words, "phrases", -minus, prefix*, OR'),
    Parameter("site", "Only this place"),
    Parameter("body", "Only this body"),
    Parameter("kind", "Only this kind", {"type": "string", "enum": list(KINDS)}),
    Parameter("from", "Not before a day, month or year", _DAY),
    Parameter("to", "Not after a day, month or year", _DAY),
    Parameter("sort", "The order", {"type": "string", "enum": list(SORTS)}),
    Parameter("limit", "How many, at most", _NUMBER | {"minimum": 1, "maximum": LIMIT_AT_MOST}),
    Parameter("offset", "How many to pass over", _NUMBER | {"maximum": 10_000}),
)
_STATUS = {"type": "string", "enum": list(Batch.ALL)}
_BODY, _YEAR = Parameter("body", "Only this body"), Parameter("year", "Only this year")
_PROJECT = Parameter("project", "The project they belong to")
_UPLOAD = (
    _PROJECT,
    Parameter("name", "The file's name; its ending tells what it is"),
    Parameter("mode", "What to do with what is there", _one_word(annotation_jobs.MODES)),
    Parameter("align", "How to align texts that differ", _one_word(annotation_jobs.ALIGNMENTS)),
    Parameter("create_docs", "Make documents that are not there", {"type": "boolean"}),
)
_MEMBER = Parameter("member", "Only votes that name this person")
_RESULT = Parameter("result", "Only this result, as in passed")

ENDPOINTS = (
    Endpoint("/search", feeds.search_json, "Search the pages of all places", _SEARCH),
    Endpoint("/sites", all_sites, "The places that can be searched"),
    Endpoint("/sites/{site}", one_site, "A place with its bodies"),
    Endpoint(
        "/sites/{site}/documents",
        documents,
        "The documents of a place",
        (
            _BODY,
            Parameter("kind", "Only this kind", {"type": "string", "enum": list(KINDS)}),
            _YEAR,
            *_PAGING,
        ),
    ),
    Endpoint(
        "/sites/{site}/votes",
        votes,
        "The votes of a place, with evidence",
        (_BODY, _MEMBER, _YEAR, _RESULT, *_PAGING),
    ),
    Endpoint("/documents/{document}", one_document, "What is known of a document"),
    Endpoint(
        "/pages/{page}",
        one_page,
        "The text of a page",
        (Parameter("q", "Give the boxes of the words this hits"),),
    ),
    Endpoint("/health", all_health, "Every check", role="viewer"),
    Endpoint("/followed", followed, "The sites that are followed", role="viewer"),
    Endpoint(
        "/batches",
        batches,
        "What workers were given",
        (
            Parameter("status", "Only this status", _STATUS),
            Parameter("site", "Only this site"),
            *_PAGING,
        ),
        role="viewer",
    ),
    Endpoint("/batches/{batch}", one_batch, "One batch", role="viewer"),
    Endpoint(
        "/uploads",
        uploads.all_uploads,
        "The uploads of annotations",
        (_PROJECT, _PAGING[0]),
        role="viewer",
    ),
    Endpoint(
        "/uploads",
        uploads.receive,
        "Upload a file of annotations, which is the body",
        _UPLOAD,
        method="POST",
        role="operator",
        success=202,
    ),
    Endpoint("/uploads/{upload}", uploads.one_upload, "One upload", role="viewer"),
    Endpoint(
        "/uploads/{upload}/issues",
        uploads.issues,
        "What was wrong in an upload",
        (Parameter("code", "Only this kind"), _PAGING[0]),
        role="viewer",
    ),
    Endpoint(
        "/sites/{site}/runs",
        start_run,
        "Queue a run of a site",
        method="POST",
        role="operator",
        success=202,
    ),
)


def routes() -> list[BaseRoute]:
    """Return the routes of the API."""
    described = [
        Route("/api", guide),
        Route(f"{PREFIX}/openapi.json", lambda request: as_json(request, openapi())),
    ]
    table = [Route(PREFIX + each.path, each.handler, methods=[each.method]) for each in ENDPOINTS]
    return [*described, *table]


def guide(request: Request) -> Response:
    """Show people what programs can ask."""
    return page(request, "public/api.html", endpoints=ENDPOINTS, prefix=PREFIX)


def openapi() -> dict[str, Any]:
    """Return the description of the API."""
    paths: dict[str, Any] = {}
    for each in ENDPOINTS:
        paths.setdefault(PREFIX + each.path, {})[each.method.lower()] = _operation(each)
    return {
        "openapi": "3.1.0",
        "info": {"title": "clerk", "version": __version__, "summary": "Minutes and agendas"},
        "paths": paths,
        "components": {"securitySchemes": {"token": {"type": "http", "scheme": "bearer"}}},
    }


def _operation(endpoint: Endpoint) -> dict[str, Any]:
    in_path = [
        {"name": part[1:-1], "in": "path", "required": True, "schema": {"type": "string"}}
        for part in endpoint.path.split("/")
        if part.startswith("{")
    ]
    in_query = [
        {"name": each.name, "in": "query", "description": each.meaning, "schema": each.schema}
        for each in endpoint.parameters
    ]
    errors = {400: "That cannot be right", 404: "Not found", 429: "Too many requests"}
    if endpoint.method == "POST":
        errors |= {413: "Too large"}
    if endpoint.role:
        errors |= {401: "A token is needed", 403: "The token's role does not suffice"}
    errors |= {503: "Not now"}
    answers = {str(endpoint.success): _json("The answer", {"type": "object"})} | {
        str(code): _json(meaning, _ERROR) for code, meaning in errors.items()
    }
    body = {"requestBody": {"content": {"*/*": {"schema": {"type": "string"}}}}}
    more: dict[str, Any] = body if endpoint.handler is uploads.receive else {}
    security: dict[str, Any] = {"security": [{"token": []}]} if endpoint.role else {}
    summary = endpoint.summary + (f" (role {endpoint.role})" if endpoint.role else "")
    return (
        {"summary": summary, "parameters": in_path + in_query, "responses": answers}
        | security
        | more
    )


_ERROR = {
    "type": "object",
    "properties": {"error": {"type": "string"}, "status": {"type": "integer"}},
    "required": ["error", "status"],
}


def _json(meaning: str, schema: Mapping[str, Any]) -> dict[str, Any]:
    return {"description": meaning, "content": {"application/json": {"schema": schema}}}
