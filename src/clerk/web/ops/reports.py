"""Errors that readers reported: a list, with a decision about each."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from clerk.annotations import corrections
from clerk.core.errors import InvalidInput
from clerk.core.storage import Document
from clerk.ops import vote_reports
from clerk.site_db.rows import document_id, page_id
from clerk.web.auth import operator, viewer
from clerk.web.parameters import id_in_path, optional_word, page_slice
from clerk.web.rendering import page, settings_of
from clerk.web.vote_forms import proposed_form_fields, read_form

PER_PAGE = 50
STATES = (corrections.OPEN, corrections.ACCEPTED, corrections.REJECTED)


@viewer
def all_reports(request: Request) -> Response:
    """Show the reports that wait for a decision, or those that were decided."""
    state = optional_word(request, "state", STATES) or corrections.OPEN
    site = request.query_params.get("site") or None
    number, offset = page_slice(request, PER_PAGE)
    found = corrections.list_reports(state, site, PER_PAGE + 1, offset)
    shown = []
    for each in found[:PER_PAGE]:
        name, _, page_number = each.sourceid.rpartition("/")
        document = document_id(each.site, Document.from_name(name))
        address = f"/p/{page_id(document, int(page_number))}"
        shown.append((each, proposed_form_fields(each.fields), address))
    return page(
        request,
        "ops/reports.html",
        reports=shown,
        waiting=corrections.count_open_reports(),
        more=len(found) > PER_PAGE,
        number=number,
        state=state,
        states=STATES,
        done=request.query_params.get("done", ""),
    )


@operator
def decide(request: Request) -> Response:
    """Accept a report, with the values as they are in the form, or reject it."""
    number, form = id_in_path(request, "report"), request.state.form
    who = request.state.person.who
    match form.get("decision"):
        case "reject":
            corrections.reject(number, who=who)
            done = "rejected"
        case "accept":
            report = corrections.find_report(number)
            fields = read_form(form, None)
            if not fields.get("is_none"):
                named = {name for name in report.fields if name != "is_none"}
                fields = {name: report.fields[name] for name in named} | fields
            published = vote_reports.accept(settings_of(request), number, who, fields)
            done = "accepted" if published else "accepted-later"
        case _:
            raise InvalidInput("Choose accept or reject.")
    return RedirectResponse(f"/ops/reports?done={done}", 303)
