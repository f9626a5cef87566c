"""Annotations by HTTP: those of a page, of a document and of a project, in several formats.

Everybody reads public projects, their people also private ones, operators all of them.
"""

from __future__ import annotations

import io
import tarfile
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any
from urllib.parse import quote

import msgspec
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from clerk.annotations import api as annotation_projects
from clerk.annotations import browsing, comparing
from clerk.annotations.api import Orphan
from clerk.annotations.formats import WRITERS, export_array
from clerk.annotations.store import FoundDenotation, Project
from clerk.core import storage
from clerk.core.errors import ClerkError, NotFound
from clerk.core.public_text import document_text
from clerk.search import PageAddress, find_page
from clerk.site_db.queries import open_site
from clerk.site_db.rows import document_id, page_id

from .auth import viewer
from .parameters import limit_and_offset, one_of, page_slice, refuse_unknown, required, whole_number
from .project_access import project_user
from .rendering import as_json, page, public_url, settings_of

#: Documents on one page of a W3C collection.
DOCUMENTS_PER_PAGE = 100


def chosen_projects(request: Request) -> list[Project]:
    """Return the projects that ``project`` names, once or several times; without it all."""
    names = [name for name in request.query_params.getlist("project") if name]
    return browsing.find_projects(names, project_user(request))


def _whole_project(request: Request) -> Project:
    refuse_unknown(request)
    return _project_in_path(request)


def _project_in_path(request: Request) -> Project:
    name = str(request.path_params["project"])
    return browsing.find_projects([name], project_user(request))[0]


def address_of(request: Request, sourcedb: str, sourceid: str) -> str:
    """Return the public address of a document: that of a page, or that of its annotations."""
    name, _, number = sourceid.rpartition("/")
    try:
        folder = storage.site_folder(settings_of(request).storage_dir, sourcedb)
        if folder.is_dir() and number.isascii() and number.isdecimal():
            identity = document_id(sourcedb, storage.Document.from_name(name))
            return public_url(request, f"/p/{page_id(identity, int(number))}")
    except (ClerkError, ValueError):
        pass
    return public_url(request, f"/docs/sourcedb/{quote(sourcedb)}/sourceid/{quote(sourceid)}")


def _shown(value: dict[str, Any]) -> dict[str, Any]:
    """Mark the words of a document as such: they are shown as they are."""
    return value | {"text": document_text(value["text"])}


def projects(request: Request) -> Response:
    """Respond with the projects, their size, and whether they are public."""
    user = project_user(request)
    found = browsing.visible_projects(user)
    shown = [
        {
            "name": each.name,
            "owner": each.owner,
            "role": each.role_of(user.who),
            "public": each.is_public,
            "documents": each.documents,
            "denotations": each.denotations,
            "blocks": each.blocks,
            "relations": each.relations,
            "attributes": each.attributes,
            "created_at": each.created_at.isoformat(),
        }
        for each in found
    ]
    return as_json(request, {"items": shown})


def _text_of_page(request: Request, address: PageAddress) -> str:
    """Return the text of a page that has no annotations; raise NotFound if there is none."""
    with open_site(settings_of(request).storage_dir, address.site) as site:
        return site.page(address.document, address.page).text


def of_page(request: Request) -> Response:
    """Respond with the text of a page and the annotations on it, each project as a track."""
    address = find_page(settings_of(request).storage_dir, request.path_params["page"])
    sourceid = f"{address.document.name}/{address.page}"
    tracks = browsing.tracks_on(address.site, sourceid, chosen_projects(request))
    text = "" if tracks else _text_of_page(request, address)
    found = browsing.as_pubannotation(address.site, sourceid, tracks, text)
    return as_json(request, {"target": address_of(request, address.site, sourceid)} | _shown(found))


def of_document(request: Request) -> Response:
    """Respond with the annotations on a document, as PubAnnotation does."""
    refuse_unknown(request, *(() if "project" in request.path_params else ("projects",)))
    sourcedb, sourceid = request.path_params["sourcedb"], request.path_params["sourceid"]
    names = [name for name in request.query_params.get("projects", "").split(",") if name]
    if "project" in request.path_params:
        names = [request.path_params["project"]]
    chosen = browsing.find_projects(names, project_user(request))
    tracks = browsing.tracks_on(sourcedb, sourceid, chosen)
    address, text = address_of(request, sourcedb, sourceid), ""
    if not tracks:
        _, is_page, page_id = address.partition("/p/")
        if not is_page:
            raise NotFound(f"There is no document {sourcedb}:{sourceid}.")
        there = find_page(settings_of(request).storage_dir, page_id)
        text = _text_of_page(request, there)
    found = browsing.as_pubannotation(sourcedb, sourceid, tracks, text)
    if "project" in request.path_params:
        track = found.pop("tracks")
        found |= track[0] if track else {"project": names[0], "denotations": []}
    return as_json(request, {"target": address} | _shown(found))


def search(request: Request) -> Response:
    """Respond with annotations that have a label, or are on words that contain a text."""
    limit, offset = limit_and_offset(request)
    asked = request.query_params
    found = browsing.search(
        chosen_projects(request),
        label=asked.get("label", ""),
        text=asked.get("text", ""),
        limit=limit,
        offset=offset,
    )
    shown = [
        vars(each) | {"quote": document_text(each.quote)} | {"url": link_to(request, each)}
        for each in found
    ]
    return as_json(request, {"items": shown})


def statistics(request: Request) -> Response:
    """Respond with the number of annotations of each label."""
    found = browsing.statistics(chosen_projects(request))
    items = [{"project": name, "label": label, "number": times} for name, label, times in found]
    return as_json(request, {"items": items})


def orphans(request: Request) -> Response:
    """Respond with annotations that have no place in the text of their document."""
    limit, offset = limit_and_offset(request)
    found = _orphans_of(chosen_projects(request), request.query_params.get("site") or None)
    shown = [
        vars(each) | {"quote": document_text(each.quote)} for each in found[offset : offset + limit]
    ]
    return as_json(request, {"items": shown, "total": len(found)})


def _orphans_of(projects: Sequence[Project], site: str | None = None) -> list[Orphan]:
    names = {each.name for each in projects}
    return [each for each in annotation_projects.list_orphans(None, site) if each.project in names]


@viewer
def compare(request: Request) -> Response:
    """Respond with how far two projects agree, by label, and with their differences."""
    limit, offset = limit_and_offset(request)
    names = [required(request, name) for name in ("first", "second")]
    first, second = browsing.find_projects(names, project_user(request))
    found = comparing.compare(first.name, second.name)
    shown = [
        msgspec.to_builtins(each) | {"quote": document_text(each.quote)}
        for each in found.differences[offset : offset + limit]
    ]
    answer = comparing.as_values(found)
    counted = {"differences": shown, "differences_total": len(found.differences)}
    return as_json(request, answer | counted)


#: Annotations on one page of the list.
PER_PAGE = 50


def list_page(request: Request) -> Response:
    """Show a list of annotations by label, words and project, and how many each label has."""
    asked = request.query_params
    name = asked.get("project", "")
    projects = browsing.visible_projects(project_user(request))
    chosen = [each for each in projects if not name or each.name == name]
    number, offset = page_slice(request, PER_PAGE)
    found = browsing.search(
        chosen,
        label=asked.get("label", ""),
        text=asked.get("text", ""),
        limit=PER_PAGE + 1,
        offset=offset,
    )
    shown = [(each, link_to(request, each)) for each in found[:PER_PAGE]]
    return page(
        request,
        "public/annotations.html",
        found=[(replace(e, quote=document_text(e.quote)), address) for e, address in shown],
        more=len(found) > PER_PAGE,
        number=number,
        projects=projects,
        project=name,
        label=asked.get("label", ""),
        text=asked.get("text", ""),
        labels=browsing.statistics(chosen),
        orphans=[
            (
                replace(each, quote=document_text(each.quote)),
                address_of(request, each.sourcedb, each.sourceid),
            )
            for each in _orphans_of(chosen)[:PER_PAGE]
        ],
    )


def link_to(request: Request, found: FoundDenotation) -> str:
    """Return the address of an annotation on the page it is about."""
    address = address_of(request, found.sourcedb, found.sourceid)
    if "/p/" not in address:
        return address
    name = quote(f"{found.project}:{found.id}".replace(" ", "_"))
    return f"{address}?project={quote(found.project, safe='')}#{name}"


def collection(request: Request) -> Response:
    """Respond with a project as a W3C annotation collection, or with one page of it."""
    project = _project_in_path(request)
    here = public_url(request, f"/api/v1/projects/{quote(project.name)}/annotations")
    last = max(0, -(-project.documents // DOCUMENTS_PER_PAGE) - 1)
    context = "http://www.w3.org/ns/anno.jsonld"
    if "page" not in request.query_params:
        total = project.denotations + project.blocks + project.relations + project.attributes
        found: dict[str, Any] = {
            "@context": context,
            "id": here,
            "type": ["BasicContainer", "AnnotationCollection"],
            "label": project.name,
            "total": total,
            "first": f"{here}?page=0",
            "last": f"{here}?page={last}",
        }
        return as_json(request, found)
    number = whole_number(request, "page", 0, least=0, most=10_000_000)
    documents = browsing.web_annotations(
        project,
        lambda sourcedb, sourceid: address_of(request, sourcedb, sourceid),
        limit=DOCUMENTS_PER_PAGE,
        offset=number * DOCUMENTS_PER_PAGE,
    )
    items = [_quoted(item) for each in documents for item in each["items"]]
    found = {
        "@context": [context, {"@vocab": "urn:clerk:annotations:"}],
        "id": f"{here}?page={number}",
        "type": "AnnotationPage",
        "partOf": here,
        "items": items,
    }
    if number < last:
        found["next"] = f"{here}?page={number + 1}"
    return as_json(request, found)


def _quoted(item: dict[str, Any]) -> dict[str, Any]:
    """Mark the quotes of an annotation as words of a document."""
    target = item["target"]
    for piece in target.get("items", [target]) if isinstance(target, dict) else ():
        for selector in piece["selector"]:
            for key in ("exact", "prefix", "suffix"):
                if key in selector:
                    selector[key] = document_text(selector[key])
    return item


# --------------------------------------------------------------------------- whole projects


def as_lines(request: Request) -> Response:
    """Respond with a project, a line for each document."""
    project = _whole_project(request)
    return _streamed(
        annotation_projects.export(project.name), "application/x-ndjson", project, "jsonl"
    )


def as_array(request: Request) -> Response:
    """Respond with a project as one array."""
    project = _whole_project(request)
    documents = annotation_projects.read(project.name)
    return _streamed(export_array(documents), "application/json", project, "json")


def as_archive(request: Request) -> Response:
    """Respond with a project as an archive that has a file for each document."""
    project = _whole_project(request)
    lines = annotation_projects.export(project.name)
    files = ((f"{number:07}.json", line) for number, line in enumerate(lines, 1))
    return _streamed(_archived(files), "application/gzip", project, "tgz")


def exported(request: Request) -> Response:
    """Respond with a project in one of the formats; brat as an archive."""
    asked = request.query_params
    kind = one_of("format", asked.get("format", "pubannotation"), annotation_projects.FORMATS)
    return in_format(_project_in_path(request), kind, asked.get("sourcedb") or None)


def in_format(project: Project, kind: str, sourcedb: str | None = None) -> Response:
    """Respond with a project in a format; brat has two files per document, so it is an archive."""
    if kind == "brat":
        files = annotation_projects.brat_files(project.name, sourcedb=sourcedb)
        return _streamed(_archived(files), "application/gzip", project, "brat.tgz")
    pieces = annotation_projects.export(project.name, kind, sourcedb=sourcedb)
    return _streamed(pieces, "text/plain; charset=utf-8", project, WRITERS[kind][1][1:])


def _archived(files: Iterable[tuple[str, bytes]]) -> Iterator[bytes]:
    """Yield a compressed archive piece by piece, with one member in memory at a time."""
    pieces = _Pieces()
    with tarfile.open(fileobj=pieces, mode="w|gz") as archive:
        for name, content in files:
            member = tarfile.TarInfo(name)
            member.size, member.mtime = len(content), int(time.time())
            archive.addfile(member, io.BytesIO(content))
            yield pieces.taken()
    yield pieces.taken()


class _Pieces(io.RawIOBase):
    """Takes what is written, and gives it away."""

    def __init__(self) -> None:
        super().__init__()
        self._written = bytearray()

    def writable(self) -> bool:
        """Say that it can be written to."""
        return True

    def write(self, data: Any) -> int:
        """Keep the data until it is taken."""
        self._written += data
        return len(data)

    def taken(self) -> bytes:
        """Return what was written since the last time."""
        found = bytes(self._written)
        self._written.clear()
        return found


def _streamed(pieces: Iterator[bytes], kind: str, project: Project, suffix: str) -> Response:
    name = "".join(each if each.isascii() and each.isalnum() else "-" for each in project.name)
    headers = {"Content-Disposition": f'attachment; filename="{name}.{suffix}"'}
    return StreamingResponse(pieces, media_type=kind, headers=headers)
