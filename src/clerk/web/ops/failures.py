"""Failures by cause: show them, preview an action on a list of them, and act on that list."""

from __future__ import annotations

from dataclasses import replace

from starlette.requests import Request
from starlette.responses import Response

from clerk.core.errors import InvalidInput
from clerk.core.public_text import PublicText
from clerk.core.states import STAGES
from clerk.pipeline import failures
from clerk.pipeline.failures import FailureTotals, Filter
from clerk.web.auth import operator, viewer
from clerk.web.parameters import one_of
from clerk.web.rendering import page, settings_of

ACTIONS = ("retry", "skip")
#: At most this many failures are listed under each cause.
LISTED = 20


@viewer
def all_failures(request: Request) -> Response:
    """Show the failures that pass the filters, grouped by cause with the usual remedy."""
    filters = _filters(request)
    groups = failures.find_groups(_filter(filters))
    return page(
        request,
        "ops/failures.html",
        groups=groups,
        failed=sum((group.failed for group in groups), start=FailureTotals()),
        filters=filters,
        stages=STAGES,
        listed=LISTED,
    )


def _filters(request: Request) -> dict[str, str]:
    """Return the filters in the address, to be shown as they were typed."""
    names = ("site", "stage", "error", "document")
    return {name: PublicText(request.query_params.get(name, "")) for name in names}


def _filter(filters: dict[str, str]) -> Filter:
    return Filter(**{name: value or None for name, value in filters.items()})  # type: ignore[arg-type]


@operator
def preview(request: Request) -> Response:
    """Show exactly what would be retried or skipped; nothing is changed.

    That is one group, or the failures with a tick, or all that pass the filters.
    """
    action = one_of("action", request.query_params.get("action", ""), ACTIONS)
    kind = request.query_params.get("kind")
    ids = set(request.query_params.getlist("id"))
    selected = [
        each
        for each in failures.find(_filter(_filters(request)))
        if (not kind or each.kind == kind) and (not ids or str(each.id) in ids)
    ]
    return page(
        request,
        "ops/preview.html",
        action=action,
        selected=selected,
        failed=failures.count_failed(selected),
        sites=sorted({each.subdomain for each in selected}),
    )


@operator
def act(request: Request) -> Response:
    """Retry or skip the failures of a list; those that have changed since are left alone."""
    form, who = request.state.form, request.state.person.who
    action = one_of("action", str(form.get("action", "")), ACTIONS)
    reason = str(form.get("why", "")).strip()
    if action == "skip" and not reason:
        raise InvalidInput("Give a reason; it is stored in the audit log.")
    attempts = {}
    for mark in map(str, form.getlist("failure")):
        failure_id, _, attempt = mark.partition(":")
        if not (failure_id.isdigit() and attempt.isdigit()):
            raise InvalidInput(f"{mark!r} does not name a failure.")
        attempts[int(failure_id)] = int(attempt)
    known = {each.id: each for each in failures.find()}
    listed = [
        replace(known[each], attempt=attempt) for each, attempt in attempts.items() if each in known
    ]
    if action == "retry":
        decided = failures.retry(settings_of(request), listed, who=who)
    else:
        decided = failures.skip(settings_of(request), listed, who=who, why=reason)
    return page(request, "ops/decided.html", action=action, decided=decided)
