"""The forms that add a site and change one."""

from __future__ import annotations

from typing import Any

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from clerk.core.errors import ClerkError, InvalidInput
from clerk.core.public_text import PublicText
from clerk.core.storage import check_subdomain
from clerk.fetch import discover
from clerk.fetch.candidates import next_step
from clerk.fetch.http.responses import RobotsRefused
from clerk.ops import run_control, site_changes
from clerk.pipeline import schedule, sites
from clerk.pipeline.schedule import WEEKDAYS
from clerk.web.auth import operator
from clerk.web.parameters import one_of
from clerk.web.rendering import page, settings_of, without_secrets

from .scheduling import rule_of

#: Fields that are columns of a site.
WORDS = ("name", "state", "kind", "country")
#: Where a site is published: the server's administrator decides by command.
BY_COMMAND = ("deploy_to",)
FIRST_YEAR, LAST_YEAR = 1600, 2100


@operator
def new_site(request: Request) -> Response:
    """Show the form for a new site."""
    return _form(request, {})


def _form(request: Request, values: dict[str, str], status: int = 200, **more: Any) -> Response:
    shown: dict[str, object] = {"found": None, "problem": "", "refused": False} | more
    # Whoever typed a secret sends it again: what stands for it must not be stored instead.
    values = {name: PublicText(value) for name, value in values.items()}
    return page(
        request,
        "ops/new_site.html",
        status,
        values=values,
        fetchers=sorted(discover.registered()),
        weekdays=WEEKDAYS,
        **shown,
    )


@operator
def add_site(request: Request) -> Response:
    """Show what a source offers, or add the site; what is wrong is said next to the form."""
    form, who = request.state.form, request.state.person.who
    values = {name: str(value).strip() for name, value in form.items()}
    action = one_of("action", values.get("action", ""), ("look", "add"))
    try:
        site, source = values.get("site", ""), values.get("source", "")
        if not source:
            raise InvalidInput("Give the address of a portal or the path of a folder.")
        if site or action == "add":
            site_changes.require_new(site, source)
        granted_by, reason = values.get("granted_by", ""), values.get("reason", "")
        if bool(granted_by) != bool(reason):
            raise InvalidInput("Give both who allowed it and how.")
        scraper = values.get("scraper", "")
        if action == "look":
            site_changes.resolve_source(source, scraper)
            found = site_changes.look_at(
                settings_of(request), source, scraper, permitted=bool(granted_by)
            )
            if not found.tried and found.failed:
                error = found.failed[0][1]
                error.hint = next_step(error, source, found.pages)
                raise error
            if found.best and "://" in source and not values.get("settings"):
                best = found.best[0]
                settings = "\n".join(f"{name}={value}" for name, value in best.settings.items())
                values |= {"source": best.source, "scraper": best.scraper, "settings": settings}
            return _form(request, values, found=found)
        rule = rule_of(form) if values.get("how", "default") != "default" else None
        permission = (
            site_changes.permission_record(granted_by, reason, who=who) if granted_by else None
        )
        site_changes.add(
            settings_of(request),
            site,
            site_changes.resolve_source(source, scraper),
            _columns(values),
            _settings(values),
            who=who,
            permission=permission,
        )
    except ClerkError as error:
        problem = f"{error} {error.hint}" if error.hint else str(error)
        refused = isinstance(error, RobotsRefused)
        return _form(request, values, 422, problem=problem, refused=refused)
    if rule is not None:
        schedule.set_rule(settings_of(request), site, rule, who=who)
    if values.get("run"):
        run_control.start(settings_of(request), site, who)
    return RedirectResponse(f"/ops/sites/{site}", 303)


def _columns(values: dict[str, str]) -> dict[str, object]:
    """Return the columns that were filled in."""
    columns: dict[str, object] = {name: values[name] for name in WORDS if values.get(name)}
    if year := values.get("start_year", ""):
        if not (year.isdigit() and FIRST_YEAR <= int(year) <= LAST_YEAR):
            raise InvalidInput(f"{year!r} is not a year.")
        columns["start_year"] = int(year)
    return columns


def _settings(values: dict[str, str]) -> dict[str, object]:
    """Return the settings that were filled in; None removes one."""
    chosen: dict[str, object] = {}
    if "languages" in values:
        chosen["languages"] = values["languages"].replace(",", " ").split() or None
    for name in ("pattern", "ocr_backend"):
        if name in values:
            chosen[name] = values[name] or None
    for line in values.get("settings", "").splitlines():
        if line.strip():
            name, value = site_changes.parse_setting(line.strip())
            if name in BY_COMMAND:
                raise InvalidInput(
                    f"{name} is set by command: clerk site edit SITE --set {name}=..."
                )
            chosen[name] = value
    return chosen


@operator
def edit_site(request: Request) -> Response:
    """Show the form that changes a site."""
    return _edit_form(request)


def _edit_form(request: Request, status: int = 200, problem: str = "") -> Response:
    site = sites.describe(settings_of(request), request.path_params["site"])
    return page(
        request,
        "ops/edit_site.html",
        status,
        site=site.as_dict(),
        fetchers=sorted({*discover.registered(), site.columns["scraper"] or ""} - {""}),
        problem=problem,
    )


@operator
def change_site(request: Request) -> Response:
    """Change a site; what is wrong is said next to the form, and nothing is stored."""
    subdomain, form = request.path_params["site"], request.state.form
    check_subdomain(subdomain)
    values = {name: str(value).strip() for name, value in form.items()}
    before = sites.describe(settings_of(request), subdomain)
    try:
        columns: dict[str, object] = {
            name: values[name] or None for name in WORDS if name in values
        }
        columns |= _columns(values)
        if scraper := values.get("scraper", ""):
            columns["scraper"] = scraper
        source = None
        where, now = values.get("source", ""), before.source or ""
        # The form shows the source without its secrets.
        if where and where not in (now, without_secrets(request, now)):
            source = site_changes.resolve_source(where, scraper)
        site_changes.change(
            settings_of(request),
            subdomain,
            columns,
            _settings(values),
            who=request.state.person.who,
            source=source,
        )
    except ClerkError as error:
        problem = f"{error} {error.hint}" if error.hint else str(error)
        return _edit_form(request, 422, problem)
    return RedirectResponse(f"/ops/sites/{subdomain}", 303)
