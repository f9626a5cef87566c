"""All sites, one site, what can be done with many at once."""

from __future__ import annotations

from collections import Counter

from starlette.requests import Request
from starlette.responses import PlainTextResponse, RedirectResponse, Response

from clerk.core.errors import InvalidInput
from clerk.core.states import STAGES, Item
from clerk.ops import activity, counts, run_control, run_details
from clerk.ops.run_control import ACTIONS, PlannedSite
from clerk.pipeline import sites
from clerk.pipeline.schedule import WEEKDAYS
from clerk.pipeline.sites import SiteOverview
from clerk.web.auth import operator, viewer
from clerk.web.middleware import SANDBOX
from clerk.web.parameters import count_pages, one_of, page_slice
from clerk.web.rendering import page, settings_of

from .scheduling import rule_of

PER_PAGE = 100
#: At most this many sites of a list are shown; the whole list is used.
SHOWN = 500
FILTERS = ("q", "outcome", "fetcher", "paused", "attention", "sort")


@viewer
def all_sites(request: Request) -> Response:
    """Show the sites that pass the filters in the address."""
    rows = activity.list_sites()
    reasons = _reasons(request)
    found = _chosen(request, rows, reasons)
    number, offset = page_slice(request, PER_PAGE, most=100_000)
    return page(
        request,
        "ops/sites.html",
        rows=found[offset : offset + PER_PAGE],
        reasons=reasons,
        found=len(found),
        outcomes=sorted(Counter(row.outcome for row in rows).items()),
        fetchers=sorted({row.scraper or "" for row in rows} - {""}),
        filters={name: value for name in FILTERS if (value := request.query_params.get(name))},
        actions=ACTIONS,
        stages=STAGES,
        weekdays=WEEKDAYS,
        number=number,
        last=count_pages(len(found), PER_PAGE),
    )


def _reasons(request: Request) -> dict[str, str]:
    """Return the sites that need attention with the reason, if these are asked for."""
    if not request.query_params.get("attention"):
        return {}
    return {each.subdomain: each.reason for each in counts.figures(settings_of(request)).attention}


def _chosen(
    request: Request, rows: list[SiteOverview], reasons: dict[str, str]
) -> list[SiteOverview]:
    """Return the sites that pass the filters in the address, in the order that it asks for."""
    asked = request.query_params
    words, outcome, fetcher, sort = (
        asked.get(name, "") for name in ("q", "outcome", "fetcher", "sort")
    )
    found = [
        row
        for row in rows
        if words.lower() in f"{row.subdomain} {row.name or ''}".lower()
        and (not outcome or row.outcome == outcome)
        and (not fetcher or row.scraper == fetcher)
        and (not asked.get("paused") or row.paused)
        and (not asked.get("attention") or row.subdomain in reasons)
    ]
    if sort in ("documents", "failed"):
        found.sort(key=lambda row: -(getattr(row, sort) or 0))
    elif sort == "updated_at":
        found.sort(key=lambda row: (row.updated_at is not None, row.updated_at))
    return found


@viewer
def one_site(request: Request) -> Response:
    """Show a site: stages, counters compared with the disk, documents, runs, events."""
    subdomain = request.path_params["site"]
    asked = request.query_params
    described = sites.describe(settings_of(request), subdomain)
    return page(
        request,
        "ops/site.html",
        site=described.as_dict(),
        active=run_control.is_active(subdomain),
        schedule=run_details.schedule_of(settings_of(request), subdomain),
        weekdays=WEEKDAYS,
        differences=described.differences,
        documents=activity.list_documents(
            subdomain, state=asked.get("state"), like=asked.get("q", "")
        ),
        states=Item.ALL,
        events=activity.recent_events(20, subdomain),
        batches=activity.list_batches(subdomain=subdomain, limit=10),
        answers=activity.kept_answers(subdomain),
    )


@viewer
def one_answer(request: Request) -> Response:
    """Respond with what a portal returned and clerk did not understand, as text."""
    subdomain, name = request.path_params["site"], request.path_params["answer"]
    text = activity.text_of_answer(subdomain, name)
    return PlainTextResponse(text, headers={"Content-Security-Policy": SANDBOX})


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


# ----------------------------------------------------------------------------------- many at once


@operator
def preview(request: Request) -> Response:
    """Show with which sites something would be done; nothing is changed.

    These are the sites with a tick, or all that pass the filters.
    """
    asked = request.query_params
    action = one_of("action", asked.get("action", ""), tuple(ACTIONS))
    stage = one_of("stage", asked.get("stage", ""), STAGES) if action == "redo" else ""
    rule = rule_of(asked) if action == "schedule" else None
    names = asked.getlist("site")
    if not names:
        names = [
            row.subdomain for row in _chosen(request, activity.list_sites(), _reasons(request))
        ]
    planned = run_control.plan(settings_of(request), action, names, stage=stage)
    return page(
        request,
        "ops/sites_preview.html",
        action=action,
        words=ACTIONS[action],
        stage=stage,
        rule=rule,
        fields={
            name: asked.getlist(name) for name in ("how", "hours", "at", "on", "zone", "jitter")
        }
        if action == "schedule"
        else {},
        selected=[each for each in planned if not each.left_out],
        left_out=[each for each in planned if each.left_out],
        shown=SHOWN,
    )


@operator
def act(request: Request) -> Response:
    """Do it with the sites of a list; those that have changed since are left alone."""
    form, who = request.state.form, request.state.person.who
    action = one_of("action", str(form.get("action", "")), tuple(ACTIONS))
    stage = one_of("stage", str(form.get("stage", "")), STAGES) if action == "redo" else ""
    rule = rule_of(form) if action == "schedule" else None
    listed = []
    for mark in map(str, form.getlist("site")):
        name, found, run_id = mark.partition(":")
        if not found:
            raise InvalidInput(f"{mark!r} does not name a site.")
        listed.append(PlannedSite(name, run_id))
    done = run_control.carry_out(
        settings_of(request), action, listed, who=who, stage=stage, rule=rule
    )
    return page(request, "ops/sites_done.html", words=ACTIONS[action], done=done, shown=SHOWN)
