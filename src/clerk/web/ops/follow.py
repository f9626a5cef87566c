"""Who follows what, in numbers: no address is shown."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from clerk.follow import subscriptions
from clerk.follow.subscriptions import is_offered
from clerk.web.auth import operator, viewer
from clerk.web.parameters import id_in_path
from clerk.web.rendering import page, settings_of


@viewer
def followers(request: Request) -> Response:
    """Show how many follow what, and the webhooks."""
    settings = settings_of(request)
    return page(
        request,
        "ops/follow.html",
        counts=subscriptions.counts(),
        popular=subscriptions.popular(),
        webhooks=subscriptions.webhooks(),
        signup=settings.follow_signup,
        is_offered=is_offered(settings),
    )


@operator
def remove_webhook(request: Request) -> Response:
    """Delete a webhook."""
    subscriptions.remove_webhook(id_in_path(request, "webhook"), request.state.person.who)
    return RedirectResponse("/ops/follow", 303)
