"""Templates to answers: the one Jinja environment, its filters, and what every page knows.

Whatever a public template prints passes the gate on its way (:func:`_shown`): a field that a
handler adds is public text, or becomes it.  Operators' templates print what they are given.
"""

from __future__ import annotations

import json
from calendar import month_name
from contextvars import ContextVar
from datetime import datetime
from functools import lru_cache
from hashlib import sha256
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode

from jinja2 import Environment, PackageLoader, StrictUndefined, Undefined
from markupsafe import Markup
from starlette.requests import Request
from starlette.responses import HTMLResponse

from clerk import __version__
from clerk.core import errors
from clerk.core.clock import utc_now
from clerk.core.config import Settings
from clerk.core.public_text import Gate, PublicText

STATIC = Path(__file__).parent / "static"
THIN_SPACE = "\u202f"

#: What the page that is being made has to pass; None for operators.
_gate: ContextVar[Gate | None] = ContextVar("gate", default=Gate())  # noqa: B039


def settings_of(request: Request) -> Settings:
    """Return the settings the application was made with."""
    settings: Settings = request.app.state.settings
    return settings


def page(request: Request, template: str, status: int = 200, **values: Any) -> HTMLResponse:
    """Render a page; ``?fragment=1`` gives only the part that keeps itself up to date, if any."""
    wanted = [_part_of(template), template] if request.query_params.get("fragment") else [template]
    for_operators = template.startswith("ops/") or getattr(request.state, "person", None)
    before = _gate.set(None if for_operators else request.app.state.gate)
    try:
        html = _environment().select_template(wanted).render(request=request, **values)
    finally:
        _gate.reset(before)
    return HTMLResponse(html, status_code=status)


def _shown(value: Any) -> Any:
    """Return what a template prints for a value."""
    if value is None or isinstance(value, int | float | Undefined | Markup):
        return value
    gate = _gate.get()
    text = value if isinstance(value, str) else str(value)
    return gate(text) if gate else text


def _part_of(template: str) -> str:
    folder, _, file = template.rpartition("/")
    return f"{folder}/_{file}"


@lru_cache(maxsize=1)
def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("clerk.web"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
        finalize=_shown,
    )
    environment.globals |= {
        "static": static,
        "version": __version__,
        "with_query": with_query,
        "page_link": page_link,
        "meeting_link": meeting_link,
        "body_link": body_link,
        "person_link": person_link,
        "utc_now": utc_now,
    }
    environment.filters |= {
        "thousands": thousands,
        "ago": ago,
        "moment": moment,
        "stamp": stamp,
        "counted": counted,
        "plain_detail": plain_detail,
        "reason": reason,
        "day": day,
        "percent": percent,
        "plain_flag": lambda flag: str(flag).replace("_", " "),
        "megabytes": lambda size: f"{(size or 0) / 10**6:.1f} MB",
        "duration": duration,
    }
    return environment


@lru_cache
def static(name: str) -> str:
    """Return the address of a static file, which changes with its content."""
    digest = sha256((STATIC / name).read_bytes()).hexdigest()[:10]
    return PublicText(f"/static/{name}?v={digest}")


# ------------------------------------------------------------------------------- addresses


def with_query(request: Request, **changes: Any) -> str:
    """Return the address of this page with some of its query changed; None takes one away."""
    query = {key: value for key, value in request.query_params.items() if key != "fragment"}
    query |= {key: str(value) for key, value in changes.items() if value is not None}
    for key, value in changes.items():
        if value is None:
            query.pop(key, None)
    return f"{request.url.path}?{urlencode(query)}" if query else request.url.path


def public_url(request: Request, path: str) -> str:
    """Return the address of a path for readers elsewhere; without PUBLIC_URL the path itself.

    The Host header of a request is never asked: whoever sends it could choose where links lead.
    """
    return settings_of(request).public_url + path


def page_link(page_id: str, query: str = "") -> str:
    """Return the address of a page, with the hits of a query shown."""
    return f"/p/{quote(page_id)}" + (f"?{urlencode({'q': query})}" if query else "")


def _without_secrets(name: str) -> str:
    """Return a name as it may be part of an address; one that is compiled stays what it is."""
    gate = _gate.get()
    return gate.without_secrets(name) if gate else name


def body_link(site: str, body: str) -> str:
    """Return the address of a body."""
    return f"/s/{quote(site)}/{quote(_without_secrets(body))}/"


def meeting_link(site: str, body: str, date: str) -> str:
    """Return the address of a meeting."""
    return f"{body_link(site, body)}{quote(_without_secrets(date), safe='')}/"


def person_link(site: str, member: str) -> str:
    """Return the address of a person's votes."""
    return f"/people/{quote(site)}/{quote(member, safe='')}"


# --------------------------------------------------------------------------------- figures


def thousands(number: int | None) -> str:
    """Return a number with its thousands apart."""
    return f"{number or 0:,}".replace(",", THIN_SPACE)


def percent(share: float | None) -> str:
    """Return a share of one as a percentage."""
    return "unknown" if share is None else f"{100 * share:.0f}{THIN_SPACE}%"


def moment(at: datetime | str | None) -> str:
    """Return a moment as people write it, in UTC."""
    if not at:
        return "never"
    known = datetime.fromisoformat(at) if isinstance(at, str) else at
    return known.strftime("%Y-%m-%d %H:%M UTC")


@lru_cache(maxsize=10_000)
def day(date: str) -> str:
    """Return a date in words, or whatever stands there instead of one."""
    try:
        known = datetime.fromisoformat(date[:10])
    except ValueError:
        return date
    rest = date[10:].strip("-_ ")
    return f"{known.day} {month_name[known.month]} {known.year}" + (f" ({rest})" if rest else "")


def stamp(at: datetime | None) -> Markup:
    """Return a moment that a program can read, too."""
    if at is None:
        return Markup("never")
    return Markup('<time datetime="{}">{}</time>').format(at.isoformat(), moment(at))


def counted(number: int | None, thing: str) -> str:
    """Return a number of things: 1 page, 2 pages."""
    return f"{thousands(number)} {thing}{'' if number == 1 else 's'}"


def plain_detail(detail: str | None) -> str:
    """Return what an event keeps about itself, in words."""
    try:
        told = json.loads(detail or "")
    except ValueError:
        return detail or ""
    if not isinstance(told, dict):
        return detail or ""
    return ", ".join(f"{key.replace('_', ' ')} {value}" for key, value in told.items())


@lru_cache
def reason(kind: str) -> str:
    """Return what a kind of error means, as a reader without the code would put it."""
    error = getattr(errors, kind, None)
    return str(error.__doc__).rstrip(".") if error else kind


def ago(at: datetime | None) -> str:
    """Return how long ago something was."""
    return "never" if at is None else f"{duration((utc_now() - at).total_seconds())} ago"


def duration(seconds: float | None) -> str:
    """Return a time in the unit people would use."""
    if seconds is None:
        return "unknown"
    seconds = max(0.0, seconds)
    for size, unit in ((2 * 86_400, "d"), (2 * 3600, "h"), (120, "min")):
        if seconds >= size:
            return f"{seconds / (size / 2 if unit != 'min' else 60):.0f}{THIN_SPACE}{unit}"
    if seconds < 0.1:
        return f"{1000 * seconds:.0f}{THIN_SPACE}ms"
    return f"{seconds:.0f}{THIN_SPACE}s" if seconds >= 10 else f"{seconds:.1f}{THIN_SPACE}s"
