"""Follow something by mail: sign up, confirm, and a personal page without an account.

Links in messages only show a page; what changes something is a form, because programs that look at
mail open every link.
"""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from clerk.core.errors import InvalidInput
from clerk.core.language import Message
from clerk.core.states import Subscription
from clerk.follow import subscriptions
from clerk.follow.subscriptions import TooManySignUps
from clerk.follow.targets import FollowTarget
from clerk.web.middleware import limited
from clerk.web.parameters import one_of
from clerk.web.rendering import language_of, page, settings_of

from .reports import TRAP

#: The fields of the form -> what is followed.
_FIELDS = {
    "q": "text",
    "site": "site",
    "state": "state",
    "body": "body",
    "kind": "kind",
    "person": "person",
    "matter": "matter",
    "year": "year",
    "from": "since",
    "to": "until",
}
DONE = ("", "confirmed", "changed", "paused", "deleted", "again")


def _private(response: Response) -> Response:
    """Keep a page with a secret in its address out of caches, search engines and referrers."""
    response.headers["Cache-Control"] = "no-store"
    response.headers["Referrer-Policy"] = "no-referrer"
    response.headers["X-Robots-Tag"] = "noindex"
    return response


@limited("follow")
def sign_up(request: Request) -> Response:
    """Send a link to confirm; the answer does not say whether the address is known."""
    sent = request.state.form
    if not sent.get(TRAP):
        given = {name: str(sent[field]) for field, name in _FIELDS.items() if sent.get(field)}
        what = one_of("follow", str(sent.get("follow", "")), Subscription.KINDS)
        try:
            subscriptions.sign_up(
                settings_of(request),
                str(sent.get("address", "")),
                what,
                FollowTarget(**given),
                str(sent.get("cadence", "")),
                language_of(request),
            )
        except TooManySignUps as error:
            response = page(request, "error.html", 429, code=429, message=error.explanation)
            response.headers["Retry-After"] = "3600"
            return response
    return RedirectResponse("/follow/sent", 303)


def sent(request: Request) -> Response:
    """Say that a message is on its way."""
    signup = settings_of(request).follow_signup
    return _private(page(request, "public/follow_sent.html", by_invitation=signup == "invitation"))


def confirm_page(request: Request) -> Response:
    """Ask whether the owner of an address wants to follow something."""
    found = subscriptions.find_unconfirmed(request.path_params["token"])
    return _private(page(request, "public/follow_confirm.html", found=found))


@limited("login")
def confirm(request: Request) -> Response:
    """Begin to follow, and show the personal page."""
    path = subscriptions.confirm(request.path_params["token"], language_of(request))
    return _private(RedirectResponse(f"{path}?done=confirmed", 303))


def personal(request: Request) -> Response:
    """Show everything that somebody follows."""
    found = subscriptions.personal_page(request.path_params["token"])
    done = one_of("done", request.query_params.get("done", ""), DONE)
    cadences = Subscription.CADENCES
    return _private(
        page(request, "public/follow_me.html", found=found, done=done, cadences=cadences)
    )


@limited("login")
def change(request: Request) -> Response:
    """Change, pause, resume or delete one thing, or delete everything."""
    token, sent = request.path_params["token"], request.state.form
    number = str(sent.get("subscription", "0"))
    if not (number.isascii() and number.isdecimal() and len(number) < 18):
        raise InvalidInput(Message("There is no such subscription."))
    match sent.get("action"):
        case "change":
            subscriptions.change(token, int(number), cadence=str(sent.get("cadence", "")))
            done = "changed"
        case "pause":
            subscriptions.change(token, int(number), pause=True)
            done = "paused"
        case "delete":
            subscriptions.stop(token, int(number))
            done = "deleted"
        case "again":
            subscriptions.try_again(token)
            done = "again"
        case "forget":
            if not sent.get("sure"):
                raise InvalidInput(Message("Tick the box to confirm."))
            subscriptions.forget_everything(token)
            return _private(page(request, "public/follow_stopped.html", stopped=[], forgot=True))
        case _:
            raise InvalidInput(Message("Choose what to change."))
    return _private(RedirectResponse(f"/follow/me/{token}?done={done}", 303))


def stop_page(request: Request) -> Response:
    """Ask whether to stop what a message was about."""
    labels = subscriptions.stopped_by(request.path_params["token"])
    return _private(page(request, "public/follow_stop.html", labels=labels))


@limited("login")
def stop(request: Request) -> Response:
    """Stop what a message was about: for mail programs by RFC 8058, and for people."""
    token = request.path_params["token"]
    labels = subscriptions.stopped_by(token)
    subscriptions.stop_by_link(token)
    return _private(page(request, "public/follow_stopped.html", stopped=labels, forgot=False))
