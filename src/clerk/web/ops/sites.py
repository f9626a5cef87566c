"""All sites, and one site."""

from __future__ import annotations

from collections import Counter

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from clerk.core.states import Item
from clerk.ops import activity, counts, run_control, run_details
from clerk.pipeline import sites
from clerk.web.auth import operator, viewer
from clerk.web.parameters import count_pages, page_slice
from clerk.web.rendering import page, settings_of

PER_PAGE = 100


@viewer
def all_sites(request: Request) -> Response:
    """Show the sites that pass the filters in the address."""
    asked = request.query_params
    words, outcome, sort = (asked.get(name, "") for name in ("q", "outcome", "sort"))
    reasons: dict[str, str] = {}
    if asked.get("attention"):
        reasons = {each.subdomain: each.reason for each in counts.figures().attention}
    rows = activity.list_sites()
    found = [
        row
        for row in rows
        if words.lower() in f"{row['subdomain']} {row['name'] or ''}".lower()
        and (not outcome or row["outcome"] == outcome)
        and (not asked.get("attention") or row["subdomain"] in reasons)
    ]
    if sort in ("documents", "failed"):
        found.sort(key=lambda row: -(row[sort] or 0))
    elif sort == "updated_at":
        found.sort(key=lambda row: (row[sort] is not None, row[sort]))
    number, offset = page_slice(request, PER_PAGE, most=100_000)
    return page(
        request,
        "ops/sites.html",
        rows=found[offset : offset + PER_PAGE],
        reasons=reasons,
        found=len(found),
        outcomes=sorted(Counter(row["outcome"] for row in rows).items()),
        number=number,
        last=count_pages(len(found), PER_PAGE),
    )


@viewer
def one_site(request: Request) -> Response:
    """Show a site: stages, counters compared with the disk, documents, runs, events."""
    subdomain = request.path_params["site"]
    asked = request.query_params
    described = sites.describe(settings_of(request).storage_dir, subdomain)
    return page(
        request,
        "ops/site.html",
        site=described.as_dict(),
        active=run_control.is_active(subdomain),
        schedule=run_details.schedule_of(settings_of(request), subdomain),
        differences=described.differences,
        documents=activity.list_documents(
            subdomain, state=asked.get("state"), like=asked.get("q", "")
        ),
        states=Item.ALL,
        events=activity.recent_events(20, subdomain),
        batches=activity.list_batches(subdomain=subdomain, limit=10),
    )


@operator
def start(request: Request) -> Response:
    """Queue a run of a site, unless one is active."""
    subdomain = request.path_params["site"]
    run_control.start(settings_of(request), subdomain, request.state.person.who)
    return RedirectResponse(f"/ops/sites/{subdomain}", 303)


@operator
def cancel(request: Request) -> Response:
    """Cancel the active run, after a confirmation."""
    subdomain = request.path_params["site"]
    if request.state.form.get("sure") != "yes":
        return RedirectResponse(f"/ops/sites/{subdomain}?unsure=1", 303)
    run_control.cancel(subdomain, request.state.person.who)
    return RedirectResponse(f"/ops/sites/{subdomain}", 303)
