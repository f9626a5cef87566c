"""When sites run: the list of what is next, and the form that changes a schedule."""

from __future__ import annotations

from typing import Any

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from clerk.core.errors import InvalidInput
from clerk.ops import run_details
from clerk.pipeline import schedule
from clerk.pipeline.schedule import WEEKDAYS, ScheduleRule
from clerk.web.auth import operator, viewer
from clerk.web.parameters import count_pages, one_of, page_slice
from clerk.web.rendering import page, settings_of

PER_PAGE = 100
#: The kinds of rules that the form knows.
RULES = ("default", "every", "at", "meetings")
FIELDS = ("how", "hours", "at", "on", "zone", "jitter")


def rule_of(form: Any) -> ScheduleRule | None:
    """Return the rule that the fields of the form describe; None for that of the settings."""
    how = one_of("how", str(form.get("how", "")), RULES)
    if how == "default":
        return None
    jitter = str(form.get("jitter", "") or "0")
    if not (jitter.isascii() and jitter.isdigit()):
        raise InvalidInput(f"The jitter must be a number of minutes, not {jitter!r}.")
    at, zone = str(form.get("at", "")) or None, str(form.get("zone", "")).strip() or "UTC"
    if how == "every":
        hours = str(form.get("hours", ""))
        try:
            return ScheduleRule(every_hours=float(hours), jitter_minutes=int(jitter))
        except ValueError:
            raise InvalidInput(f"The hours must be a number, not {hours!r}.") from None
    if how == "meetings":
        return ScheduleRule(by_meetings=True, at=at, zone=zone, jitter_minutes=int(jitter))
    if at is None:
        raise InvalidInput("Give a time of day, as in 06:30.")
    days = tuple(day for day in WEEKDAYS if day in form.getlist("on"))
    chosen = () if len(days) == len(WEEKDAYS) else days
    return ScheduleRule(at=at, on=chosen, zone=zone, jitter_minutes=int(jitter))


@viewer
def schedules(request: Request) -> Response:
    """Show which sites run next."""
    words = request.query_params.get("q", "").lower()
    found = [each for each in run_details.upcoming(settings_of(request)) if words in each.subdomain]
    number, offset = page_slice(request, PER_PAGE, most=100_000)
    return page(
        request,
        "ops/schedules.html",
        rows=found[offset : offset + PER_PAGE],
        found=len(found),
        last_queued_at=run_details.last_queued_at(),
        number=number,
        last=count_pages(len(found), PER_PAGE),
    )


@operator
def change(request: Request) -> Response:
    """Set, pause or resume the schedule of a site."""
    site, form, who = request.path_params["site"], request.state.form, request.state.person.who
    action = one_of("action", str(form.get("action", "")), ("set", "pause", "resume"))
    if action == "set":
        schedule.set_rule(settings_of(request), site, rule_of(form), who=who)
    elif action == "pause":
        schedule.pause(site, who=who)
    else:
        schedule.resume(site, who=who)
    return RedirectResponse(f"/ops/sites/{site}", 303)
