"""One run, and one document."""

from __future__ import annotations

import re
from urllib.parse import quote

from starlette.requests import Request
from starlette.responses import FileResponse, RedirectResponse, Response

from clerk.core.errors import InvalidInput
from clerk.ops import document_versions, run_details
from clerk.web.auth import operator, viewer
from clerk.web.middleware import SANDBOX
from clerk.web.rendering import page, settings_of


@viewer
def one_run(request: Request) -> Response:
    """Show a run: stages with their timing, documents, events."""
    return page(request, "ops/run.html", run=run_details.find_run(request.path_params["run"]))


@viewer
def one_document(request: Request) -> Response:
    """Show a document: identity, pages, versions, and what became of it in each run.

    With ``new``, how the text of that version differs from the one before; scans are not read here.
    """
    site, name = request.path_params["site"], request.path_params["document"]
    settings = settings_of(request)
    found = run_details.find_document(settings, site, name)
    new, compared = request.query_params.get("new", ""), None
    if new.isascii() and new.isdigit():
        number = int(new[:6])
        compared = document_versions.compare(settings, site, name, new=number, ocr="never")
    return page(request, "ops/document.html", document=found, compared=compared)


@viewer
def original(request: Request) -> Response:
    """Respond with the PDF as it was fetched, to be saved and not run."""
    site, name = request.path_params["site"], request.path_params["document"]
    pdf = run_details.original(settings_of(request), site, name)
    headers = {"Content-Security-Policy": SANDBOX}
    shown = re.sub(r"[^\w.-]+", "-", f"{site}-{name}").strip("-")
    return FileResponse(pdf, media_type="application/pdf", filename=f"{shown}.pdf", headers=headers)


@operator
def change_document(request: Request) -> Response:
    """Retry a failed document, or read one again that was read."""
    site, name = request.path_params["site"], request.path_params["document"]
    settings, who = settings_of(request), request.state.person.who
    action = request.state.form.get("action")
    if action == "retry":
        run_details.retry_document(settings, site, name, who=who)
    elif action == "redo":
        run_details.redo_document(settings, site, name, who=who)
    else:
        raise InvalidInput(f"A document can be retried or read again, not {action!r}.")
    return RedirectResponse(f"/ops/sites/{site}/documents/{quote(name)}", 303)
