"""``/api/v1``: everything as JSON.  One table makes the routes and their OpenAPI description."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import asdict, dataclass, field
from inspect import iscoroutinefunction
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from clerk import __version__
from clerk.annotations import api as annotation_projects
from clerk.annotations.store import PROJECT_ROLES
from clerk.core.states import Batch, Subscription
from clerk.follow import subscriptions
from clerk.follow.targets import read_followed
from clerk.ops import activity, run_control
from clerk.ops.activity import ListedBatch
from clerk.pipeline import uploads as annotation_jobs
from clerk.pipeline.mirror import bring_document
from clerk.search import SORTS, find_document, find_page, hit_boxes, listing
from clerk.site_db.queries import CompiledDocument, SiteDatabase, open_site
from clerk.site_db.record import (
    DeclaredInterest,
    PublicSpeaker,
    Recorded,
    RecordedItem,
    RecordedPresence,
    SiteRecord,
)
from clerk.site_db.schema import DOCUMENT_KINDS

from . import annotation_changes, annotation_pages, metrics, uploads
from .auth import operator, viewer
from .parameters import (
    LIMIT_AT_MOST,
    id_in_path,
    limit_and_offset,
    one_of,
    optional_word,
    refuse_unknown,
)
from .public import feeds
from .rendering import as_json, for_operators, page, settings_of
from .request_bodies import with_body

PREFIX = "/api/v1"
#: The text of one document.
TEXT_BYTES = 32 << 20


@dataclass(frozen=True)
class Parameter:
    """A parameter in the query of an address."""

    name: str
    meaning: str
    schema: Mapping[str, object] = field(default_factory=lambda: {"type": "string"})


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
    #: The path of the route, where a name in it may contain slashes.
    route: str = ""
    #: What the answer is, if not JSON.
    media_type: str = "application/json"
    #: Whether the handler reads a body.
    has_body: bool = False

    def respond(self, request: Request) -> Any:
        """Respond to a request; one with a parameter that is not known is refused."""
        refuse_unknown(request, *(each.name for each in self.parameters))
        return self.handler(request)

    async def respond_async(self, request: Request) -> Response:
        """Respond as `respond` does, where the handler is asynchronous."""
        response: Response = await self.respond(request)
        return response


# --------------------------------------------------------------------------- for everybody


def all_sites(request: Request) -> Response:
    """Respond with the places that can be searched."""
    found = listing.places(settings_of(request).storage_dir)
    return as_json(request, {"items": [vars(place) for place in found]})


def _open_site(request: Request) -> AbstractContextManager[SiteDatabase]:
    return open_site(settings_of(request).storage_dir, request.path_params["site"])


def one_site(request: Request) -> Response:
    """Respond with a place and its bodies."""
    with _open_site(request) as site:
        facts = {"site": site.subdomain, "name": site.name, "about": site.about}
        bodies = [vars(each) for each in site.bodies()]
        return as_json(request, facts | {"totals": site.totals(), "bodies": bodies})


def documents(request: Request) -> Response:
    """Respond with the documents of a place, newest first."""
    asked = request.query_params
    kind = optional_word(request, "kind", DOCUMENT_KINDS)
    filters = {"body": asked.get("body", ""), "kind": kind, "year": asked.get("year", "")}
    with _open_site(request) as site:
        limit, offset = limit_and_offset(request)
        found = site.documents(limit=limit, offset=offset, **filters)
        return as_json(request, {"items": [_document(each) for each in found]})


def one_document(request: Request) -> Response:
    """Respond with a document and the ids of its pages."""
    storage_dir = settings_of(request).storage_dir
    subdomain, document = find_document(storage_dir, request.path_params["document"])
    with open_site(storage_dir, subdomain) as site:
        pages = list(site.page_ids(document).values())
        facts = _document(site.document(document))
        parts = [
            {("body" if name == "meeting" else name): value for name, value in vars(part).items()}
            for part in site.parts(document)
        ]
        return as_json(request, facts | {"site": subdomain, "page_ids": pages, "parts": parts})


def _document(document: CompiledDocument) -> dict[str, object]:
    hidden = ("source", "meeting")
    facts = {name: value for name, value in vars(document).items() if name not in hidden}
    source = {"source": document.source.label, "source_url": document.source.url}
    return facts | {"body": document.meeting} | source


def one_page(request: Request) -> Response:
    """Respond with the text of a page; with ``q`` also the boxes of the words it finds."""
    storage_dir = settings_of(request).storage_dir
    address = find_page(storage_dir, request.path_params["page"])
    query = request.query_params.get("q", "")
    with open_site(storage_dir, address.site) as site:
        languages = (site.about.get("language", ""),)
        found = site.page(address.document, address.page)
        document_id = site.document(address.document).id
    if query:
        bring_document(settings_of(request), address.site, address.document)
    folder = storage_dir / address.site
    boxes = hit_boxes(folder, address.document, address.page, query, languages)
    answer = {
        "id": found.id,
        "site": address.site,
        "document": document_id,
        "page": found.page,
        "text": found.text,
        "method": found.method,
        "confidence": found.confidence,
        "boxes": boxes if query else [],
    }
    return as_json(request, answer)


def votes(request: Request) -> Response:
    """Respond with the votes of a place and their evidence, newest first."""
    names = ("body", "member", "person", "matter", "year", "result")
    filters = {name: request.query_params.get(name, "") for name in names}
    with _open_site(request) as site:
        limit, offset = limit_and_offset(request)
        found = [vars(each) for each in site.votes(limit=limit, offset=offset, **filters)]
        return as_json(request, {"items": found, "total": site.count_votes(**filters)})


def _findings(kind: type[Recorded], *names: str) -> Callable[[Request], Response]:
    """Return what responds with findings of a kind, newest first."""

    def respond(request: Request) -> Response:
        filters = {name: request.query_params.get(name, "") for name in names}
        with _open_site(request) as site:
            limit, offset = limit_and_offset(request)
            found = SiteRecord(site).find(kind, limit=limit, offset=offset, **filters)
            return as_json(request, {"items": [vars(each) for each in found]})

    return respond


def people(request: Request) -> Response:
    """Respond with the members of the bodies of a place."""
    with _open_site(request) as site:
        found = SiteRecord(site).people()
        return as_json(request, {"items": [vars(each) for each in found]})


def one_person(request: Request) -> Response:
    """Respond with what is counted of a person."""
    with _open_site(request) as site:
        return as_json(request, asdict(SiteRecord(site).person(request.path_params["person"])))


def matters(request: Request) -> Response:
    """Respond with the matters of a place, those that were last on an agenda first."""
    asked = {name: request.query_params.get(name, "") for name in ("words", "kind", "state")}
    with _open_site(request) as site:
        limit, offset = limit_and_offset(request)
        record = SiteRecord(site)
        found = [vars(each) for each in record.matters(limit=limit, offset=offset, **asked)]
        return as_json(request, {"items": found, "total": record.count_matters(**asked)})


def one_matter(request: Request) -> Response:
    """Respond with a matter and what each meeting did with it."""
    with _open_site(request) as site:
        record, name = SiteRecord(site), request.path_params["matter"]
        steps = [
            vars(step) | {"votes": [vote.id for vote in votes]}
            for step, votes in record.steps(name)
        ]
        return as_json(request, vars(record.matter(name)) | {"steps": steps})


# --------------------------------------------------------------------------- for operators


@viewer
def all_health(request: Request) -> Response:
    """Respond with every check and all figures: what ``clerk health --json`` prints."""
    checked, redact = metrics.check_health(request), request.app.state.redact
    found = [
        {"name": each.name, "level": each.word, "said": redact(each.message), "mend": each.fix}
        for each in checked.checks
    ]
    pipeline = checked.figures.cleaned(redact).as_dict() if checked.figures else None
    worst = {"level": checked.word, "exit_code": checked.level}
    findings = [
        asdict(each) | {"severity": each.severity.name, "what": redact(each.what)}
        for each in checked.findings
    ]
    answer = worst | {"checks": found, "findings": findings, "pipeline": pipeline}
    return for_operators(request, json.loads(json.dumps(answer, default=str)))


@viewer
def followed(request: Request) -> Response:
    """Respond with the sites that are followed, their state and counters."""
    return for_operators(request, {"items": [vars(each) for each in activity.list_sites()]})


@viewer
def batches(request: Request) -> Response:
    """Respond with batches, newest first."""
    status = optional_word(request, "status", Batch.ALL) or None
    site = request.query_params.get("site") or None
    limit, offset = limit_and_offset(request)
    found = activity.list_batches(status=status, subdomain=site, limit=limit, offset=offset)
    return for_operators(request, {"items": [_batch(each) for each in found]})


@viewer
def one_batch(request: Request) -> Response:
    """Respond with one batch and its documents."""
    return for_operators(request, _batch(activity.find_batch(id_in_path(request, "batch"))))


def _batch(batch: ListedBatch) -> dict[str, object]:
    return {name: value for name, value in vars(batch).items() if name != "run_id"}


@operator
def start_run(request: Request) -> Response:
    """Queue a run of a site, or respond with the one that is active."""
    subdomain = request.path_params["site"]
    run_id = run_control.start(settings_of(request), subdomain, request.state.person.who)
    return for_operators(request, {"site": subdomain, "run": run_id}, 202)


@viewer
def webhooks(request: Request) -> Response:
    """Respond with the webhooks; keys are not shown."""
    return for_operators(request, {"items": [asdict(each) for each in subscriptions.webhooks()]})


@operator
def add_webhook(request: Request) -> Response:
    """Notify a URL of new documents; respond with its number and the key that signs."""
    asked = request.query_params
    names = {"q": "text", "from": "since", "to": "until"}
    given = {
        names.get(each.name, each.name): asked[each.name]
        for each in _FOLLOWED
        if asked.get(each.name) and each.name not in ("url", "follow")
    }
    what = one_of("follow", asked.get("follow", ""), Subscription.KINDS)
    number, key = subscriptions.add_webhook(
        settings_of(request),
        asked.get("url", ""),
        what,
        read_followed(given),
        request.state.person.who,
    )
    return for_operators(request, {"id": number, "key": key}, 201)


@operator
def remove_webhook(request: Request) -> Response:
    """Delete a webhook."""
    subscriptions.remove_webhook(id_in_path(request, "webhook"), request.state.person.who)
    return for_operators(request, {"removed": True})


# ------------------------------------------------------------------------------- the table


def _one_word(words: Sequence[str]) -> dict[str, object]:
    return {"type": "string", "enum": list(map(str, words))}


_NUMBER = {"type": "integer", "minimum": 0}
_PAGING = (
    Parameter("limit", "Maximum number", _NUMBER | {"minimum": 1, "maximum": LIMIT_AT_MOST}),
    Parameter("offset", "Number to skip", _NUMBER | {"maximum": 1_000_000}),
)
_DAY = {"type": "string", "pattern": r"^\d{4}(-\d{2}(-\d{2})?)?$"}
_SEARCH = (
    Parameter("q", 'Words, "phrases", -minus, OR, prefix*, fuzzy~, site: body: date: and more'),
    Parameter("site", "Only this place"),
    Parameter("state", "Only places of this state"),
    Parameter("body", "Only this body"),
    Parameter("kind", "Only this kind", _one_word(DOCUMENT_KINDS)),
    Parameter("year", "Only this year", _DAY),
    Parameter("person", "Only pages with a vote of this person"),
    Parameter("from", "Not before a day, month or year", _DAY),
    Parameter("to", "Not after a day, month or year", _DAY),
    Parameter("sort", "The order", _one_word(SORTS)),
    Parameter("by", "Documents with their best pages, or pages", _one_word(("document", "page"))),
    Parameter("limit", "Maximum number", _NUMBER | {"minimum": 1, "maximum": LIMIT_AT_MOST}),
    Parameter("offset", "Number to skip", _NUMBER | {"maximum": 10_000}),
    Parameter("cursor", "Continue after an earlier page of results"),
)
_BODY, _YEAR = Parameter("body", "Only this body"), Parameter("year", "Only this year")
_FOLLOWED = (
    Parameter("url", "Where to send requests; a public address"),
    Parameter("follow", "What to follow", _one_word(Subscription.KINDS)),
    Parameter("q", "For a search: its words"),
    Parameter("site", "The place"),
    Parameter("body", "The body"),
    Parameter("person", "The person, as in the address of the page; for a search, the name"),
    Parameter("matter", "The matter, as in the address of the page"),
    Parameter("state", "For a search: only places of this state"),
    Parameter("kind", "For a search: only this kind", _one_word(DOCUMENT_KINDS)),
    Parameter("year", "For a search: only this year", _DAY),
    Parameter("from", "For a search: not before a day, month or year", _DAY),
    Parameter("to", "For a search: not after a day, month or year", _DAY),
)
_PROJECT = Parameter("project", "The project they belong to")
_UPLOAD = (
    _PROJECT,
    Parameter("name", "The file name; its extension tells the format"),
    Parameter("mode", "How to combine with existing ones", _one_word(annotation_jobs.MODES)),
    Parameter("align", "How to align texts that differ", _one_word(annotation_jobs.ALIGNMENTS)),
    Parameter("create_docs", "Create missing documents", {"type": "boolean"}),
    Parameter(
        "on_lost",
        "If some spans cannot be placed: drop them, or reject the document",
        _one_word(annotation_jobs.ON_LOST),
    ),
    Parameter("dry_run", "Do everything except the commit, and report", {"type": "boolean"}),
    Parameter("format", "The format of the file", _one_word(annotation_jobs.FORMATS)),
    Parameter("sourcedb", "The source of documents that name none"),
    Parameter("batch_items", "Maximum objects in a batch", _NUMBER | {"minimum": 1}),
    Parameter("batch_bytes", "Maximum bytes in a batch", _NUMBER | {"minimum": 1}),
)
_DRY_RUN = Parameter("dry_run", "Only return what would change", {"type": "boolean"})
_DOCUMENT = (
    Parameter("sourcedb", "The source of the document, such as a site"),
    Parameter("sourceid", "Its name there"),
)
_PROJECTS = Parameter("project", "Only this project; may be repeated")
_MEMBER = Parameter("member", "Only votes that name this person")
_PERSON = Parameter("person", "Only this person, under all spellings")
_MATTER = Parameter("matter", "Only this matter")
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
            Parameter("kind", "Only this kind", _one_word(DOCUMENT_KINDS)),
            _YEAR,
            *_PAGING,
        ),
    ),
    Endpoint(
        "/sites/{site}/votes",
        votes,
        "The votes of a place, with evidence",
        (_BODY, _MEMBER, _PERSON, _MATTER, _YEAR, _RESULT, *_PAGING),
    ),
    Endpoint("/sites/{site}/people", people, "The members of bodies, and how they voted"),
    Endpoint(
        "/sites/{site}/people/{person}",
        one_person,
        "A person: attendance, votes, dissents and agreement",
        route="/sites/{site}/people/{person:path}",
    ),
    Endpoint(
        "/sites/{site}/matters",
        matters,
        "The matters of a place",
        (
            Parameter("words", "Only matters with this in their number or title"),
            Parameter("kind", "Only this kind, as in ordinance"),
            Parameter("state", "Only this state, as in passed"),
            *_PAGING,
        ),
    ),
    Endpoint(
        "/sites/{site}/matters/{matter}",
        one_matter,
        "A matter and what each meeting did with it",
        route="/sites/{site}/matters/{matter:path}",
    ),
    *(
        Endpoint(
            f"/sites/{{site}}/{name}",
            _findings(kind, "body", "date", "year", *(each.name for each in more)),
            summary,
            (_BODY, Parameter("date", "Only this meeting"), _YEAR, *more, *_PAGING),
        )
        for name, kind, summary, more in (
            ("items", RecordedItem, "The items of agendas, with evidence", ()),
            ("attendance", RecordedPresence, "Who was there, with evidence", (_PERSON,)),
            ("speakers", PublicSpeaker, "Who spoke from the public, with evidence", ()),
            ("interests", DeclaredInterest, "Recusals and declared interests", (_PERSON,)),
        )
    ),
    Endpoint("/documents/{document}", one_document, "A document and the ids of its pages"),
    Endpoint(
        "/pages/{page}",
        one_page,
        "The text of a page",
        (Parameter("q", "Also return the boxes of the words this finds"),),
    ),
    Endpoint(
        "/pages/{page}/annotations",
        annotation_pages.of_page,
        "The annotations on a page, a track for each project",
        (_PROJECTS,),
    ),
    Endpoint("/projects", annotation_pages.projects, "The projects of annotations"),
    Endpoint(
        "/projects/{project}/annotations",
        annotation_pages.collection,
        "A project as a W3C annotation collection",
        (Parameter("page", "One page of it, from 0", _NUMBER),),
        route="/projects/{project:path}/annotations",
    ),
    Endpoint(
        "/projects/{project}/annotations.jsonl",
        annotation_pages.as_lines,
        "A project, one line per document",
        route="/projects/{project:path}/annotations.jsonl",
        media_type="application/x-ndjson",
    ),
    Endpoint(
        "/projects/{project}/annotations.tgz",
        annotation_pages.as_archive,
        "A project, one file per document",
        route="/projects/{project:path}/annotations.tgz",
        media_type="application/gzip",
    ),
    Endpoint(
        "/projects/{project}/export",
        annotation_pages.exported,
        "A project in another format; brat as an archive",
        (
            Parameter("format", "The format", _one_word(annotation_projects.FORMATS)),
            Parameter("sourcedb", "Only documents of this source, such as a site"),
        ),
        route="/projects/{project:path}/export",
        media_type="text/plain",
    ),
    *(
        Endpoint(
            f"/projects/{{project}}/{action}",
            handler,
            summary,
            parameters,
            method=method,
            role=role,
            route=f"/projects/{{project:path}}/{action}",
        )
        for action, handler, summary, parameters, method, role in (
            (
                "members",
                annotation_changes.members,
                "The people of a project and their roles",
                (),
                "GET",
                "viewer",
            ),
            (
                "members",
                annotation_changes.set_member,
                "Set or remove the role of a person in a project",
                (
                    Parameter("person", "The login name, or 'token' and its name"),
                    Parameter(
                        "role",
                        "The role; without it, the role is removed",
                        _one_word(PROJECT_ROLES),
                    ),
                ),
                "POST",
                "viewer",
            ),
            (
                "publish",
                annotation_changes.publish,
                "Make a project public, or private",
                (Parameter("private", "Make it private", {"type": "boolean"}),),
                "POST",
                "viewer",
            ),
            (
                "rename",
                annotation_changes.rename_project,
                "Rename a project",
                (Parameter("to", "The new name"), _DRY_RUN),
                "POST",
                "operator",
            ),
            (
                "delete",
                annotation_changes.delete_project,
                "Delete a project",
                (_DRY_RUN,),
                "POST",
                "operator",
            ),
        )
    ),
    Endpoint(
        "/annotations",
        annotation_pages.search,
        "Annotations by label, words and project",
        (
            _PROJECTS,
            Parameter("label", "Only this label"),
            Parameter("text", "Only annotations on words that contain this"),
            *_PAGING,
        ),
    ),
    Endpoint(
        "/annotations/statistics",
        annotation_pages.statistics,
        "How many annotations each label has",
        (_PROJECTS,),
    ),
    Endpoint(
        "/annotations/orphans",
        annotation_pages.orphans,
        "Annotations that have no place in the text of their document",
        (_PROJECTS, Parameter("site", "Only pages of this site"), *_PAGING),
    ),
    Endpoint(
        "/annotations/compare",
        annotation_pages.compare,
        "Precision, recall and agreement of two projects, and their differences",
        (
            Parameter("first", "The reference, such as a project with gold annotations"),
            Parameter("second", "The project that is measured"),
            *_PAGING,
        ),
        role="viewer",
    ),
    Endpoint(
        "/annotations/validate",
        uploads.validate,
        "Check a file of annotations, the request body, without storing anything",
        (Parameter("name", "The file name; its extension tells the format"),),
        method="POST",
        role="viewer",
        has_body=True,
    ),
    Endpoint(
        "/annotations/documents/delete",
        annotation_changes.delete_document,
        "Delete a document and the annotations on it",
        (*_DOCUMENT, _DRY_RUN),
        method="POST",
        role="operator",
    ),
    Endpoint(
        "/annotations/documents/text",
        with_body(annotation_changes.replace_text, TEXT_BYTES),
        "Replace the text of a document by the request body; its annotations are moved",
        (*_DOCUMENT, _DRY_RUN),
        method="POST",
        role="operator",
        has_body=True,
    ),
    Endpoint(
        "/annotations/changes",
        annotation_changes.all_changes,
        "Changes to projects and documents that can be undone for 7 days",
        (_PAGING[0],),
        role="viewer",
    ),
    Endpoint(
        "/annotations/changes/{change}/undo",
        annotation_changes.undo,
        "Undo a change",
        method="POST",
        role="operator",
    ),
    Endpoint(
        "/reports",
        annotation_changes.reports,
        "Errors that people reported",
        (
            Parameter("site", "Only reports about this site"),
            Parameter("state", "Only this state", _one_word(annotation_changes.REPORT_STATES)),
            *_PAGING,
        ),
        role="viewer",
    ),
    *(
        Endpoint(
            f"/reports/{{report}}/{decision}",
            annotation_changes.decide_report,
            summary,
            method="POST",
            role="operator",
        )
        for decision, summary in (
            ("accept", "Accept a reported error as a correction"),
            ("reject", "Reject a reported error"),
        )
    ),
    Endpoint("/health", all_health, "Every check", role="viewer"),
    Endpoint("/followed", followed, "The sites that are followed", role="viewer"),
    Endpoint(
        "/batches",
        batches,
        "Batches, as given to workers",
        (
            Parameter("status", "Only this status", _one_word(Batch.ALL)),
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
        (
            _PROJECT,
            Parameter("all", "Include clerk's own jobs", {"type": "boolean"}),
            _PAGING[0],
        ),
        role="viewer",
    ),
    Endpoint(
        "/uploads",
        uploads.receive,
        "Upload a file of annotations as the request body",
        _UPLOAD,
        method="POST",
        role="viewer",
        success=202,
        has_body=True,
    ),
    Endpoint("/uploads/{upload}", uploads.one_upload, "One upload", role="viewer"),
    Endpoint(
        "/uploads/{upload}/issues",
        uploads.issues,
        "The issues of an upload",
        (Parameter("code", "Only this kind"), *_PAGING),
        role="viewer",
    ),
    *(
        Endpoint(
            f"/uploads/{{upload}}/{action}",
            uploads.change,
            summary,
            method="POST",
            role="viewer",
        )
        for action, summary in (
            ("suspend", "Start no more batches of an upload"),
            ("resume", "Continue a suspended upload"),
            ("cancel", "Cancel an upload; stored annotations stay"),
            ("retry", "Retry failed or cancelled items of an upload"),
            ("rollback", "Roll back an upload"),
        )
    ),
    Endpoint("/webhooks", webhooks, "The webhooks, without their keys", role="viewer"),
    Endpoint(
        "/webhooks",
        add_webhook,
        "Notify a URL of new documents; the key in the response signs the requests",
        _FOLLOWED,
        method="POST",
        role="operator",
        success=201,
    ),
    Endpoint(
        "/webhooks/{webhook}/remove",
        remove_webhook,
        "Delete a webhook",
        method="POST",
        role="operator",
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
    table = [
        Route(
            PREFIX + (each.route or each.path),
            each.respond_async if iscoroutinefunction(each.handler) else each.respond,
            methods=[each.method],
        )
        for each in ENDPOINTS
    ]
    return [*described, *table]


def guide(request: Request) -> Response:
    """Show the API to people."""
    return page(request, "public/api.html", endpoints=ENDPOINTS, prefix=PREFIX)


def openapi() -> dict[str, object]:
    """Return the description of the API."""
    paths: dict[str, dict[str, object]] = {}
    for each in ENDPOINTS:
        paths.setdefault(PREFIX + each.path, {})[each.method.lower()] = _operation(each)
    return {
        "openapi": "3.1.0",
        "info": {"title": "clerk", "version": __version__, "summary": "Minutes and agendas"},
        "paths": paths,
        "components": {"securitySchemes": {"token": {"type": "http", "scheme": "bearer"}}},
    }


def _operation(endpoint: Endpoint) -> dict[str, object]:
    in_path = [
        {"name": part[1:-1], "in": "path", "required": True, "schema": {"type": "string"}}
        for part in endpoint.path.split("/")
        if part.startswith("{")
    ]
    in_query = [
        {"name": each.name, "in": "query", "description": each.meaning, "schema": each.schema}
        for each in endpoint.parameters
    ]
    errors = {400: "Invalid request", 404: "Not found", 429: "Too many requests"}
    if endpoint.method == "POST":
        errors |= {413: "Too large"}
    if endpoint.role:
        errors |= {401: "A token is needed", 403: "The role of the token is not sufficient"}
    errors |= {503: "Temporarily unavailable"}
    answer = _json("The answer", {"type": "object"})
    if endpoint.media_type != "application/json":
        content = {endpoint.media_type: {"schema": {"type": "string"}}}
        answer = {"description": "The file", "content": content}
    answers = {str(endpoint.success): answer} | {
        str(code): _json(meaning, _ERROR) for code, meaning in errors.items()
    }
    summary = endpoint.summary + (f" (role {endpoint.role})" if endpoint.role else "")
    described: dict[str, object] = {
        "summary": summary,
        "parameters": in_path + in_query,
        "responses": answers,
    }
    if endpoint.role:
        described["security"] = [{"token": []}]
    if endpoint.has_body:
        described["requestBody"] = {"content": {"*/*": {"schema": {"type": "string"}}}}
    return described


_ERROR = {
    "type": "object",
    "properties": {"error": {"type": "string"}, "status": {"type": "integer"}},
    "required": ["error", "status"],
}


def _json(meaning: str, schema: Mapping[str, object]) -> dict[str, object]:
    return {"description": meaning, "content": {"application/json": {"schema": schema}}}
