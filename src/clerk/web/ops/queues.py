"""Queues and workers."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from clerk.core.errors import InvalidInput, NotFound
from clerk.core.states import QUEUES
from clerk.ops import activity
from clerk.pipeline import queues
from clerk.web.auth import operator, viewer
from clerk.web.rendering import page, settings_of


@viewer
def all_queues(request: Request) -> Response:
    """Show every queue, and every worker with the age of its last heartbeat."""
    workers = activity.list_workers()
    listed = queues.list_queues(settings_of(request))
    return page(request, "ops/queues.html", queues=listed, workers=workers)


@operator
def change(request: Request) -> Response:
    """Pause or resume a queue."""
    name, who = request.path_params["queue"], request.state.person.who
    if name not in QUEUES:
        raise NotFound(f"There is no queue {name!r}.")
    action = request.state.form.get("action")
    if action == "pause":
        queues.pause(name, who=who)
    elif action == "resume":
        queues.resume(settings_of(request), name, who=who)
    else:
        raise InvalidInput(f"A queue can be paused or resumed, not {action!r}.")
    return RedirectResponse("/ops/queues", 303)
