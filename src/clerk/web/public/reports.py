"""Report an error in a vote: a form for everybody; operators correct at once."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from clerk.core.errors import InvalidInput, NotFound
from clerk.core.language import Message
from clerk.core.public_text import PublicText
from clerk.core.storage import Document
from clerk.ops import vote_reports
from clerk.ops.web_sessions import OPERATOR, Person
from clerk.search import find_document
from clerk.site_db.queries import CompiledVote, SiteDatabase, open_site
from clerk.web.auth import person_of
from clerk.web.middleware import limited
from clerk.web.rendering import meeting_link, page, settings_of
from clerk.web.vote_forms import form_fields, read_form

#: A field that people do not see; programs that fill in every field do.
TRAP = "website"


def _find(request: Request) -> tuple[str, Document]:
    name = str(request.path_params["vote"])
    identity, mark, number = name.rpartition("-v")
    if not mark or not number.isdecimal():
        raise NotFound(Message("There is no vote %(name)s.", name=repr(name)))
    return find_document(settings_of(request).storage_dir, identity)


def _vote(site: SiteDatabase, request: Request) -> CompiledVote:
    found = site.votes(id=request.path_params["vote"])
    if not found:
        raise NotFound(Message("There is no such vote; the minutes may have been read again."))
    return found[0]


def _operator(request: Request) -> Person | None:
    person = person_of(request)
    return person if person is not None and person.may(OPERATOR) else None


def form(request: Request) -> Response:
    """Show a vote, and a form to say what is wrong with it."""
    subdomain, document = _find(request)
    with open_site(settings_of(request).storage_dir, subdomain) as site:
        vote = _vote(site, request)
        place = vote_reports.place_of(site, document, vote)
        response = page(
            request,
            "public/report.html",
            site=subdomain,
            name=site.name,
            vote=vote,
            fields=form_fields(vote),
            sent=PublicText(request.query_params.get("sent", "")),
            seen=f"{place.begin}-{place.end}",
            is_operator=_operator(request) is not None,
        )
    response.headers["Cache-Control"] = "no-store"
    return response


@limited("report")
def send(request: Request) -> Response:
    """Keep a report; one of an operator becomes a correction at once."""
    subdomain, document = _find(request)
    sent = request.state.form
    here = f"/report/{request.path_params['vote']}"
    if sent.get(TRAP):
        return RedirectResponse(f"{here}?sent=thanks", 303)
    with open_site(settings_of(request).storage_dir, subdomain) as site:
        vote = _vote(site, request)
        place = vote_reports.place_of(site, document, vote)
        if sent.get("seen") != f"{place.begin}-{place.end}":
            raise InvalidInput(
                Message(
                    "The minutes have been read again since you opened this form: open it again."
                )
            )
        fields = read_form(sent, form_fields(vote))
    comment, reporter = str(sent.get("comment", "")), str(sent.get("who", ""))
    person = _operator(request) if sent.get("accept") else None
    if person is not None and not fields:
        raise InvalidInput(Message("Change a value to correct the vote."))
    by = person.who if person else reporter
    number = vote_reports.report(subdomain, place, fields, comment, by)
    if person is None:
        return RedirectResponse(f"{here}?sent=thanks", 303)
    published = vote_reports.accept(settings_of(request), number, person.who)
    if not published:
        return RedirectResponse(f"{here}?sent=later", 303)
    return RedirectResponse(meeting_link(subdomain, vote.meeting, vote.date), 303)
