"""What the documents of a site are taken for, and correcting it, one or many at once."""

from __future__ import annotations

from urllib.parse import quote

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from clerk.core.errors import InvalidInput
from clerk.core.public_text import PublicText
from clerk.identify.facts import KINDS
from clerk.ops import document_facts
from clerk.web.auth import operator, viewer
from clerk.web.parameters import count_pages, page_slice
from clerk.web.rendering import page, settings_of

PER_PAGE = 100
FACTS = ("date", "body", "kind", "title")
#: At most this many documents of a correction are shown; all are changed.
SHOWN = 500


@viewer
def all_identities(request: Request) -> Response:
    """Show what the documents of a site are taken for, those in doubt first."""
    site, asked = request.path_params["site"], request.query_params
    found = document_facts.list_documents(
        site,
        asked.get("match", ""),
        kind=asked.get("kind", ""),
        doubtful=bool(asked.get("doubtful")),
    )
    number, offset = page_slice(request, PER_PAGE, most=100_000)
    return page(
        request,
        "ops/identities.html",
        site=site,
        rows=found[offset : offset + PER_PAGE],
        found=len(found),
        doubtful=sum(bool(each.doubts) for each in found),
        kinds=(*KINDS, document_facts.UNKNOWN),
        filters={name: PublicText(asked.get(name, "")) for name in ("match", "kind", "doubtful")},
        number=number,
        last=count_pages(len(found), PER_PAGE),
    )


@operator
def preview(request: Request) -> Response:
    """Show exactly what a correction would change; nothing is changed."""
    site, asked = request.path_params["site"], request.query_params
    said = document_facts.check_said(
        {name: value for name in FACTS if (value := asked.get(name, "").strip())}
    )
    chosen = set(asked.getlist("document"))
    documents = [
        each
        for each in document_facts.list_documents(
            site,
            asked.get("match", ""),
            kind=asked.get("only_kind", ""),
            doubtful=bool(asked.get("doubtful")),
        )
        if not chosen or each.name in chosen
    ]
    return page(
        request,
        "ops/identities_preview.html",
        site=site,
        said=said,
        planned=document_facts.plan(documents, said),
        shown=SHOWN,
    )


@operator
def change(request: Request) -> Response:
    """Correct the documents of a list, or forget what was said of them."""
    site, form, who = request.path_params["site"], request.state.form, request.state.person.who
    names = [str(name) for name in form.getlist("document")]
    if not names:
        raise InvalidInput("No document was chosen.")
    sql_url = settings_of(request).sql_url
    if form.get("action") == "undo":
        document_facts.withdraw(sql_url, site, names, who=who)
    else:
        said = {name: str(form[name]).strip() for name in FACTS if str(form.get(name, "")).strip()}
        checked = document_facts.check_said(said)
        document_facts.correct(sql_url, site, names, checked, who=who)
    back = f"documents/{quote(names[0])}" if len(names) == 1 else "identities"
    return RedirectResponse(f"/ops/sites/{quote(site)}/{back}", 303)
