"""Responses: templates, JSON, CSV, XML and plain text, and what must not be in them.

Whatever a public response contains has passed the gate (:class:`clerk.core.public_text.Gate`): a
field that a handler adds is public text, or becomes it.  The words of documents are marked as such
by :func:`clerk.core.public_text.document_text` and pass as they are.  Operators see paths, too, but
no secrets.  Handlers of public addresses respond with these functions, never with a response of
their own making (a test checks it).
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextvars import ContextVar
from datetime import datetime
from functools import lru_cache
from hashlib import sha256
from pathlib import Path
from typing import Any, Protocol
from urllib.parse import quote, quote_plus, urlencode
from xml.etree import ElementTree as Xml

from jinja2 import Environment, PackageLoader
from markupsafe import Markup
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, PlainTextResponse, Response

from clerk import __version__
from clerk.core import errors, language
from clerk.core.clock import utc_now
from clerk.core.config import Settings
from clerk.core.errors import InvalidInput, without_passwords
from clerk.core.language import say, word
from clerk.core.public_text import Gate, PublicText, document_text
from clerk.core.storage import Document
from clerk.follow.subscriptions import is_offered
from clerk.publish import page_text
from clerk.publish.page_text import (
    body_and_kind,
    counted,
    day,
    label,
    month,
    percent,
    thousands,
    when,
)
from clerk.site_db.queries import CompiledDocument, CompiledPart

STATIC = Path(__file__).parent / "static"
THIN_SPACE = "\u202f"
#: Where the facts about a document come from, in words.
EVIDENCE_SOURCES = {
    "person": "corrected by a person",
    "portal": "as listed by its source",
    "page": "printed on page",
    "file_name": "from the file's name",
    "folder": "from the folder's name",
    "site": "as other documents of the place call it",
}
#: A passage is named by this many words at its beginning and at its end.
PASSAGE_WORDS = 6
ELLIPSIS = "\u2026"
#: Remembers the language that a reader chose.
LANGUAGE_COOKIE = "clerk_language"
#: Stands for the body in addresses of documents of which no body is known.
NO_BODY = "-"


#: The language of the documents that the page being made quotes; empty if it is not known.
_quoted: ContextVar[str] = ContextVar("quoted", default="")


def settings_of(request: Request) -> Settings:
    """Return the settings the application was made with."""
    settings: Settings = request.app.state.settings
    return settings


def gate_of(request: Request) -> Gate:
    """Return the gate of the application."""
    gate: Gate = request.app.state.gate
    return gate


def _clean_for_operators(request: Request) -> Callable[[str], str]:
    """Return what removes secrets, but no paths and user names, from a text."""
    gate: Gate = request.app.state.operator_gate
    return lambda text: text if isinstance(text, PublicText) else gate.without_secrets(text)


def without_secrets(request: Request, text: str) -> str:
    """Return a text as a page for operators shows it."""
    return without_passwords(_clean_for_operators(request)(text))


# --------------------------------------------------------------------------------- responses


def page(request: Request, template: str, status: int = 200, **values: Any) -> HTMLResponse:
    """Render a page; with ``?fragment=1`` only the part that keeps itself up to date, if any."""
    wanted = [template]
    if request.query_params.get("fragment"):
        folder, _, file = template.rpartition("/")
        wanted.insert(0, f"{folder}/_{file}")
    for_operators = template.startswith("ops/") or getattr(request.state, "person", None)
    clean = _clean_for_operators(request) if for_operators else gate_of(request)
    spoken = language.ENGLISH if template.startswith("ops/") else language_of(request)
    _quoted.set(str(values.get("language") or ""))
    with page_text.printing_for(clean), language.speaking(spoken):
        html = _environment().select_template(wanted).render(request=request, **values)
    response = HTMLResponse(html, status_code=status, headers={"Content-Language": spoken})
    response.headers["Vary"] = "Accept-Language, Cookie"
    if request.query_params.get("lang") == spoken:
        # A preference of the reader, nothing that a page does by itself.
        response.set_cookie(LANGUAGE_COOKIE, spoken, max_age=31_536_000, samesite="lax")
    return response


def language_of(request: Request) -> str:
    """Return the language a reader gets.

    Asked for by ``?lang=``, else chosen before (a cookie), else WEB_LANGUAGE, else what the browser
    prefers, else English.
    """
    chosen = (request.query_params.get("lang"), request.cookies.get(LANGUAGE_COOKIE))
    known = [each for each in chosen if each in language.languages()]
    asked = known[0] if known else settings_of(request).web_language
    return asked or language.preferred(request.headers.get("accept-language", "")) or "en"


def is_for_programs(request: Request) -> bool:
    """Whether a program reads the response; errors for programs are in English."""
    return request.url.path.startswith("/api/") or request.url.path.endswith(".json")


def feed_language(request: Request) -> str:
    """Return the language of a feed: the one its address asks for, or WEB_LANGUAGE.

    What the program that fetches it prefers does not matter: the same address is the same feed.
    """
    asked = request.query_params.get("lang", "")
    known = asked if asked in language.languages() else settings_of(request).web_language
    return known or language.ENGLISH


def feed_link(request: Request, address: str) -> str:
    """Return the address of a feed or calendar in the language of the page."""
    spoken = language.current().code
    if spoken == (settings_of(request).web_language or language.ENGLISH) or "lang=" in address:
        return address
    return f"{address}{'&' if '?' in address else '?'}lang={spoken}"


def quoted_language() -> Markup:
    """Return the attribute for words of a document that are in another language than the page."""
    quoted = _quoted.get()
    if not quoted or quoted == language.current().code:
        return Markup("")
    return Markup(' lang="{}"').format(quoted)


def document_page(subdomain: str, name: str) -> str:
    """Return the operators' page of a document; empty for what is none, or carries a secret."""
    try:
        Document.from_name(name)
    except InvalidInput:
        return ""
    return (
        f"/ops/sites/{subdomain}/documents/{quote(name)}"
        if page_text.current_gate()(name) == name
        else ""
    )


def as_json(
    request: Request, value: Any, status: int = 200, headers: Mapping[str, str] | None = None
) -> Response:
    """Respond with plain values (dictionaries, lists, texts, numbers)."""
    return JSONResponse(gate_of(request).clean(value), status, headers=headers)


def for_operators(
    request: Request, value: Any, status: int = 200, headers: Mapping[str, str] | None = None
) -> Response:
    """Respond to somebody who is logged in: with paths, without secrets."""
    clean = _clean_for_operators(request)

    def cleaned(value: Any) -> Any:
        if isinstance(value, str):
            return clean(value)
        if isinstance(value, Mapping):
            return {key: cleaned(each) for key, each in value.items()}
        if isinstance(value, list | tuple):
            return [cleaned(each) for each in value]
        return value.isoformat() if isinstance(value, datetime) else value

    return JSONResponse(cleaned(value), status, headers=headers)


def as_csv(
    request: Request, columns: Sequence[str], rows: Iterable[Mapping[str, object]], name: str
) -> Response:
    """Respond with a table to be saved; a quote is put before what a spreadsheet would run."""
    gate, out = gate_of(request), io.StringIO()
    writer = csv.writer(out)
    writer.writerow(columns)
    for row in rows:
        values = (row[column] for column in columns)
        texts = ["" if value is None else str(gate.clean(value)) for value in values]
        formulas = ("=", "+", "-", "@", "\t", "\r")
        writer.writerow([f"'{text}" if text.startswith(formulas) else text for text in texts])
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    return Response(out.getvalue(), media_type="text/csv; charset=utf-8", headers=headers)


def as_xml(request: Request, root: Xml.Element, media_type: str) -> Response:
    """Respond with a feed or another file for programs."""
    gate = gate_of(request)
    for element in root.iter():
        if element.text:
            # XML cannot hold control characters.
            letters = (
                each if each >= " " or each in "\t\n\r" else " " for each in gate(element.text)
            )
            element.text = "".join(letters)
        for name, value in element.attrib.items():
            element.set(name, gate(value))
    content = Xml.tostring(root, encoding="utf-8", xml_declaration=True)
    return Response(content, media_type=media_type)


def as_calendar(content: bytes) -> Response:
    """Respond with a calendar, whose texts have passed the gate."""
    return Response(content, media_type="text/calendar; charset=utf-8")


def as_text(request: Request, lines: Iterable[str]) -> Response:
    """Respond with lines of plain text."""
    return PlainTextResponse("".join(f"{line}\n" for line in map(gate_of(request), lines)))


@lru_cache(maxsize=1)
def _environment() -> Environment:
    environment = page_text.page_templates(PackageLoader("clerk.web"))
    environment.globals |= {
        "languages": language.languages,
        "quoted_language": quoted_language,
        "static": static,
        "version": __version__,
        "with_query": with_query,
        "page_link": page_link,
        "meeting_link": meeting_link,
        "body_link": body_link,
        "person_link": person_link,
        "within_packet": within_packet,
        "body_and_kind": body_and_kind,
        "passage_link": passage_link,
        "matter_link": matter_link,
        "follows_by_mail": follows_by_mail,
        "feed_link": feed_link,
        "document_page": document_page,
        "utc_now": utc_now,
    }
    filters: dict[str, Callable[..., Any]] = {
        "thousands": thousands,
        "ago": ago,
        "moment": moment,
        "stamp": stamp,
        "counted": counted,
        "word": language.word,
        "label": label,
        "when": when,
        "month": month,
        "reflowed": page_text.in_paragraphs,
        "plain_detail": plain_detail,
        "reason": reason,
        "day": day,
        "explained": page_text.explained,
        "marked": page_text.marked,
        "evidence_source": lambda source: word(EVIDENCE_SOURCES.get(source, source)),
        "percent": percent,
        "amount": amount,
        "plain_flag": page_text.plain_flag,
        "why_unread": page_text.why_unread,
        "megabytes": megabytes,
        "duration": duration,
    }
    environment.filters |= {name: page_text.for_each_page(each) for name, each in filters.items()}
    return environment


@lru_cache
def static(name: str) -> str:
    """Return the address of a static file, which changes with its content."""
    digest = sha256((STATIC / name).read_bytes()).hexdigest()[:10]
    return PublicText(f"/static/{name}?v={digest}")


# ------------------------------------------------------------------------------- addresses


#: Words up to this many letters are remembered: a page has many links that differ in one parameter,
#: and what strangers type must not fill the memory.
_SHORT_WORDS = 100
_quoted_short = lru_cache(maxsize=5000)(quote_plus)


def _quoted_once(words: str) -> str:
    return _quoted_short(words) if len(words) <= _SHORT_WORDS else quote_plus(words)


def with_query(request: Request, **changes: Any) -> str:
    """Return the address of this page with some of its query changed; None removes a parameter."""
    query = {**request.query_params, "fragment": None, **changes}
    # As it was asked for: a name in the path may contain spaces and slashes.
    asked = request.scope.get("raw_path") or quote(request.scope["path"]).encode()
    path = str(asked.partition(b"?")[0], "ascii", "replace")
    told = "&".join(
        f"{_quoted_once(name)}={_quoted_once(str(value))}"
        for name, value in query.items()
        if value is not None
    )
    return f"{path}?{told}" if told else path


def follows_by_mail(request: Request) -> bool:
    """Whether people can sign up for messages."""
    return is_offered(settings_of(request))


def public_url(request: Request, path: str) -> str:
    """Return the address of a path for readers elsewhere; without PUBLIC_URL the path itself.

    The Host header is never used for it: the sender of a request could choose where links lead.
    """
    return settings_of(request).public_url + path


def page_link(page_id: str, query: str = "") -> str:
    """Return the address of a page, with the hits of a query shown."""
    return f"/p/{quote(page_id)}" + (f"?q={_quoted_once(query)}" if query else "")


class Quoted(Protocol):
    """Something that was read from the words of a page."""

    @property
    def page_id(self) -> str | None:
        """The page."""

    @property
    def quote(self) -> str | None:
        """The words."""


def passage_link(found: Quoted) -> str:
    """Return the address of the page something was read from, with its words highlighted."""
    link = page_link(found.page_id or "")
    if not found.quote:
        return link
    return f"{link}?{urlencode({'passage': shortened_passage(found.quote)})}#passage"


def shortened_passage(quote: str) -> str:
    """Return the words of a passage; of a long one, those it begins and those it ends with."""
    words = quote.split()
    if len(words) <= 2 * PASSAGE_WORDS:
        return " ".join(words)
    return f"{' '.join(words[:PASSAGE_WORDS])} {ELLIPSIS} {' '.join(words[-PASSAGE_WORDS:])}"


def _without_secrets(name: str) -> str:
    """Return a name as it may be part of an address; one that is compiled is not changed."""
    gate = page_text.current_gate()
    return gate.without_secrets(name) if isinstance(gate, Gate) else name


def body_link(site: str, body: str | None) -> str:
    """Return the address of a body, or of the documents of which no body is known."""
    return f"/s/{quote(site)}/{quote(_without_secrets(body or NO_BODY))}/"


def meeting_link(site: str, body: str | None, date: str | None) -> str:
    """Return the address of a meeting; without a date, of the body's documents that have none."""
    if not date:
        return f"{body_link(site, body)}#undated"
    return f"{body_link(site, body)}{quote(_without_secrets(date), safe='')}/"


def within_packet(document: CompiledDocument, part: CompiledPart | None) -> str:
    """Return what a page is of: the document, or a part of it and where that is."""
    if part is None:
        return f"{label(document)}, {day(document.date)}"
    whole = {"part": label(part), "whole": document.kind or "document"}
    whole = {name: word(value) for name, value in whole.items()} | {"day": day(document.date)}
    if not part.date:
        return say("%(part)s, in the %(whole)s of %(day)s", **whole)
    whole["part_day"] = day(part.date)
    return say("%(part)s of %(part_day)s, in the %(whole)s of %(day)s", **whole)


def person_link(site: str, member: str) -> str:
    """Return the address of a person's votes."""
    return f"/people/{quote(site)}/{quote(member, safe='')}"


def matter_link(site: str, matter: str) -> str:
    """Return the address of a matter."""
    return f"/matters/{quote(site)}/{quote(matter, safe='')}"


# --------------------------------------------------------------------------------- figures


def amount(text: str) -> str:
    """Return an amount of money as people write it: 1200.5 USD is $1,200.50."""
    number, _, currency = text.partition(" ")
    try:
        value = float(number)
    except ValueError:
        return text
    told = language.number(value, 0 if value.is_integer() else 2)
    return document_text(f"${told}" if currency == "USD" else f"{told} {currency}".strip())


def megabytes(size: int | None) -> str:
    """Return the size of a file; of a small one in kilobytes."""
    small = (size or 0) < 100_000
    number = -(-(size or 0) // 1000) if small else (size or 0) / 10**6
    return f"{language.number(number, 0 if small else 1)} {'kB' if small else 'MB'}"


def moment(at: datetime | str | None) -> str:
    """Return a time as operators read it, in UTC."""
    if not at:
        return say("never")
    known = datetime.fromisoformat(at) if isinstance(at, str) else at
    return known.strftime("%Y-%m-%d %H:%M UTC")


def stamp(at: datetime | None) -> Markup:
    """Return a time that programs can read, too."""
    if at is None:
        return page_text.translated("never")
    return Markup('<time datetime="{}">{}</time>').format(at.isoformat(), moment(at))


def plain_detail(detail: str | None) -> str:
    """Return the detail of an event in words."""
    try:
        told = json.loads(detail or "")
    except ValueError:
        return detail or ""
    if not isinstance(told, dict):
        return detail or ""
    return ", ".join(f"{key.replace('_', ' ')} {value}" for key, value in told.items())


def reason(kind: str) -> str:
    """Return what a kind of error means, for a reader who does not know the code."""
    error = getattr(errors, kind, None)
    return word(str(error.__doc__).rstrip(".")) if error else kind


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
