"""Failures by cause, and what to do about all of them at once: preview, frozen list, deed."""

from __future__ import annotations

from collections.abc import Iterable

from starlette.requests import Request
from starlette.responses import Response

from clerk.core.errors import InvalidInput
from clerk.core.states import STAGES
from clerk.pipeline import failures
from clerk.pipeline.failures import Failed, Failure, Filter
from clerk.web.access import operator, viewer
from clerk.web.rendering import page

ACTIONS = ("retry", "skip")
#: So many failures are listed under each cause.
LISTED = 20


@viewer
def all_failures(request: Request) -> Response:
    """Show the failures that pass the filters, grouped by cause with the usual remedy."""
    groups = failures.find_groups(_filter(request))
    return page(
        request,
        "ops/failures.html",
        groups=groups,
        failed=sum((group.failed for group in groups), start=Failed()),
        filters=_asked(request),
        stages=STAGES,
        listed=LISTED,
    )


def _asked(request: Request) -> dict[str, str]:
    asked = request.query_params
    return {name: asked.get(name, "") for name in ("site", "stage", "error", "document")}


def _filter(request: Request) -> Filter:
    return Filter(**{name: value or None for name, value in _asked(request).items()})  # type: ignore[arg-type]


@operator
def preview(request: Request) -> Response:
    """Show exactly what would be retried or skipped; nothing is changed."""
    action = request.query_params.get("action", "")
    if action not in ACTIONS:
        raise InvalidInput(f"action must be one of {', '.join(ACTIONS)}, not {action!r}.")
    selected = _selected(request, failures.find(_filter(request)))
    return page(
        request,
        "ops/preview.html",
        action=action,
        selected=selected,
        failed=failures.count_failed(selected),
        sites=sorted({each.subdomain for each in selected}),
    )


def _selected(request: Request, found: list[Failure]) -> list[Failure]:
    """Return those of one cause, or those with a tick, or all that pass the filters."""
    kind = request.query_params.get("kind")
    ids = set(request.query_params.getlist("id"))
    return [
        each
        for each in found
        if (not kind or each.kind == kind) and (not ids or str(each.id) in ids)
    ]


@operator
def act(request: Request) -> Response:
    """Retry or skip the failures of a frozen list; what has changed since is left alone."""
    form, who = request.state.form, request.state.person.who
    action = str(form.get("action", ""))
    frozen = _thawed(str(each) for each in form.getlist("failure"))
    if action == "retry":
        decided = failures.retry(frozen, who=who)
    elif action == "skip":
        why = str(form.get("why", "")).strip()
        if not why:
            raise InvalidInput("Say why they are skipped: it is kept.")
        decided = failures.skip(frozen, who=who, why=why)
    else:
        raise InvalidInput(f"action must be one of {', '.join(ACTIONS)}, not {action!r}.")
    return page(request, "ops/decided.html", action=action, decided=decided)


def _thawed(marks: Iterable[str]) -> list[Failure]:
    """Return the failures a frozen list names, as they were when it was made."""
    attempts = {}
    for mark in marks:
        identity, _, attempt = mark.partition(":")
        if not (identity.isdigit() and attempt.isdigit()):
            raise InvalidInput(f"{mark!r} does not name a failure.")
        attempts[int(identity)] = int(attempt)
    known = {each.id: each for each in failures.find()}
    return [
        failures.frozen([known[each].__dict__ | {"attempt": attempt}])[0]
        for each, attempt in attempts.items()
        if each in known
    ]
