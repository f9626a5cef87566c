"""The sites, and everything about one of them."""

from __future__ import annotations

from typing import Any

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from clerk.core import db, storage
from clerk.core.states import QUEUES, Item
from clerk.ops import counts, health
from clerk.pipeline import ledger, pipeline_state, queue, sites, transitions
from clerk.web import figures
from clerk.web.access import operator, viewer
from clerk.web.public import whole
from clerk.web.rendering import page, settings_of

PER_PAGE = 100
SORTS = ("subdomain", "documents", "failed", "updated_at")


@viewer
def all_sites(request: Request) -> Response:
    """Show the sites that pass the filters; the filters are in the address."""
    asked = request.query_params
    with db.reading_connection() as conn:
        rows = sites.overview(conn)
    outcomes: dict[str, int] = {}
    for row in rows:
        outcomes[row["outcome"]] = outcomes.get(row["outcome"], 0) + 1
    attention = _attention() if asked.get("attention") else None
    found = [
        row
        for row in rows
        if _matches(row, asked.get("q", ""), asked.get("outcome", ""))
        and (attention is None or row["subdomain"] in attention)
    ]
    _sort(found, asked.get("sort", ""))
    number = whole(request, "page", 1, most=100_000)
    return page(
        request,
        "ops/sites.html",
        rows=found[(number - 1) * PER_PAGE : number * PER_PAGE],
        reasons=attention or {},
        found=len(found),
        outcomes=sorted(outcomes.items()),
        number=number,
        last=max(1, -(-len(found) // PER_PAGE)),
    )


def _attention() -> dict[str, str]:
    """Return the sites a person should look at, and why."""
    return {each.subdomain: each.reason for each in counts.figures().attention}


def _matches(row: dict[str, Any], words: str, outcome: str) -> bool:
    named = f"{row['subdomain']} {row['name'] or ''}".lower()
    return words.lower() in named and (not outcome or row["outcome"] == outcome)


def _sort(rows: list[dict[str, Any]], by: str) -> None:
    if by in SORTS[1:3]:
        rows.sort(key=lambda row: -(row[by] or 0))
    elif by == SORTS[3]:
        rows.sort(key=lambda row: (row[by] is not None, row[by]))


@viewer
def one_site(request: Request) -> Response:
    """Show a site: stages, counters against disk, documents, runs, events."""
    subdomain = request.path_params["site"]
    asked = request.query_params
    described = sites.describe(subdomain)
    folder = storage.site_folder(settings_of(request).storage_dir, subdomain)
    with db.reading_connection() as conn:
        return page(
            request,
            "ops/site.html",
            site=described,
            active=pipeline_state.active_run(conn, subdomain),
            differences=health.disk_differences(described, folder),
            documents=figures.documents(
                conn, subdomain, state=asked.get("state"), like=asked.get("q", "")
            ),
            states=Item.ALL,
            events=figures.recent_events(conn, 20, subdomain),
            batches=figures.batches(conn, subdomain=subdomain, limit=10),
        )


@operator
def start(request: Request) -> Response:
    """Queue a run of a site, unless one is under way."""
    subdomain, who = request.path_params["site"], request.state.person.who
    with db.civic_db_connection() as conn:
        db.lock_site(conn, subdomain)
        db.require_site(conn, subdomain)
        if pipeline_state.active_run(conn, subdomain) is None:
            run_id = transitions.start_run(conn, subdomain)
            ledger.audit(conn, who, "run started", subdomain, run_id)
    queue.offer(QUEUES)
    return RedirectResponse(f"/ops/sites/{subdomain}", 303)


@operator
def cancel(request: Request) -> Response:
    """End the run that is under way, after a confirmation."""
    subdomain, who = request.path_params["site"], request.state.person.who
    if request.state.form.get("sure") != "yes":
        return RedirectResponse(f"/ops/sites/{subdomain}?unsure=1", 303)
    with db.civic_db_connection() as conn:
        db.require_site(conn, subdomain)
        if transitions.cancel_run(conn, subdomain, f"Cancelled by {who}"):
            ledger.audit(conn, who, "run cancelled", subdomain)
    return RedirectResponse(f"/ops/sites/{subdomain}", 303)
