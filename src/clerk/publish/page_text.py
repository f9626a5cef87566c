"""The words of public pages: those of ``clerk serve``, and those of published sites.

A text passes the gate of whoever the page is made for (:func:`printing_for`), unless it is public
by its nature: words of documents, dates, numbers.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextvars import ContextVar
from datetime import datetime
from functools import lru_cache
from typing import Any

from jinja2 import BaseLoader, Environment, StrictUndefined, Undefined, pass_context
from jinja2.runtime import Context
from markupsafe import Markup, escape

from clerk.core import language
from clerk.core.child_process import OUT_OF_TIME
from clerk.core.errors import DocumentTooLarge, UnreadableDocument, UnreadablePdf
from clerk.core.language import Message, say, word
from clerk.core.public_text import Gate, PublicText, document_text
from clerk.read.paragraphs import paragraphs
from clerk.site_db.queries import CompiledDocument, CompiledPart

#: Made once: this is asked for every value of every page.
_PRINTED_AS_IT_IS = PublicText | Markup | int | float | Undefined
#: Returns what may be read of a text by whoever the page is made for.
_clean: ContextVar[Callable[[str], str]] = ContextVar("clean", default=Gate())  # noqa: B039


@contextlib.contextmanager
def printing_for(clean: Callable[[str], str]) -> Iterator[None]:
    """Have texts pass this gate within the context."""
    before = _clean.set(clean)
    try:
        yield
    finally:
        _clean.reset(before)


def current_gate() -> Callable[[str], str]:
    """Return what the texts of the page pass that is being made."""
    return _clean.get()


def page_templates(loader: BaseLoader, kind: type[Environment] = Environment) -> Environment:
    """Return the templates of pages, in which whatever is printed passes the gate."""
    environment = kind(
        loader=loader,
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
        finalize=printed,
    )
    environment.globals |= {"_": translated, "rich": rich, "current_language": language.current}
    return environment


def printed(value: Any) -> Any:
    """Return what a template prints for a value."""
    if value is None or isinstance(value, _PRINTED_AS_IT_IS):
        return value
    return _clean.get()(value if isinstance(value, str) else str(value))


def translated(message: str, **values: Any) -> Markup:
    """Return a message of plain text in the language of the page; values pass the gate."""
    return _filled(_escaped(language.current().code, message), values)


def explained(text: str) -> Markup:
    """Return an explanation in the language of the page; one that is only in English is marked."""
    if isinstance(text, Message):
        return translated(text.pattern, **language.written(text.values))
    if language.current().code == language.ENGLISH:
        return escape(printed(text))
    return Markup('<span lang="en">{}</span>').format(printed(text))


def rich(message: str, **values: Any) -> Markup:
    """Return a message that contains HTML in the language of the page; values are escaped."""
    return _filled(Markup(language.say(message)), values)


def marked(parts: Iterable[tuple[str, bool]]) -> Markup:
    """Return the parts of a text as HTML; those that are hits are marked."""
    told = ((escape(printed(part)), is_hit) for part, is_hit in parts)
    return Markup("".join(f"<mark>{part}</mark>" if is_hit else part for part, is_hit in told))


@lru_cache(maxsize=10_000)
def _escaped(_language: str, message: str) -> Markup:
    return escape(language.say(message))


def _filled(told: Markup, values: Mapping[str, object]) -> Markup:
    if not values:
        return told
    # As Markup does it, in a fraction of the time.
    return Markup(str(told) % {name: escape(printed(value)) for name, value in values.items()})


def for_each_page(apply: Callable[..., Any]) -> Callable[..., Any]:
    """Return a filter that is applied whenever a page is made.

    Jinja would apply it to constants once, in the language of the first reader.
    """

    @pass_context
    def applied(_context: Context, *values: Any) -> Any:
        return apply(*values)

    return applied


# ------------------------------------------------------------------------ dates and numbers


def thousands(number: int | None) -> str:
    """Return a number with its thousands separated."""
    return PublicText(language.number(number))


def counted(number: int | None, noun: str) -> str:
    """Return a number of things: 1 page, 2 pages."""
    return PublicText(language.counted(number, noun))


def percent(share: float | None) -> str:
    """Return a share of one as a percentage."""
    return PublicText(say("unknown") if share is None else language.share(share))


def day(date: str | None) -> str:
    """Return a date in words."""
    if not date:
        return PublicText(say("no date known"))
    try:
        return PublicText(language.day(datetime.fromisoformat(date)))
    except ValueError:
        # A database that an older version has compiled.
        return date


def month(text: str) -> str:
    """Return a month, as in 2024-05, in words."""
    try:
        return PublicText(language.month(int(text[:4]), int(text[5:7])))
    except (ValueError, IndexError):
        return text


def when(at: datetime | str | None) -> str:
    """Return a time in words, in UTC."""
    if not at:
        return PublicText(say("never"))
    return PublicText(language.moment(datetime.fromisoformat(at) if isinstance(at, str) else at))


# -------------------------------------------------------------------------------- documents


def label(described: CompiledDocument | CompiledPart) -> str:
    """Return the body and the kind of a document or part, or what it calls itself."""
    if described.kind in (None, "other") and described.own_name:
        return described.own_name.rstrip(" .")
    return body_and_kind(described.meeting or "", described.kind or "document")


def body_and_kind(body: str, kind: str) -> str:
    """Return what a document is: Town Council minutes."""
    if kind == "other":
        kind = "document"
    if not body:
        return word(kind)
    return say("%(body)s %(kind)s", body=body, kind=word(kind))


def why_unread(stored: str) -> str:
    """Return why a page could not be read, for readers; what is stored is for operators.

    Stored is the name of an error before a colon, or how the reading process ended.
    """
    if stored == OUT_OF_TIME:
        return PublicText(say("it took too long"))
    match stored.partition(":")[0]:
        case DocumentTooLarge.__name__:
            return PublicText(say("it is too large"))
        case UnreadablePdf.__name__ | UnreadableDocument.__name__:
            return PublicText(say("it is damaged"))
    return PublicText(say("the program that reads it failed"))


def in_paragraphs(text: str | None) -> str:
    """Return the words of a document in paragraphs, without the line breaks of the scan."""
    return document_text("\n".join(_joined(text or "")))


def with_space_between(text: str | None) -> str:
    """Return the words of a page in paragraphs, with an empty line between them."""
    return document_text("\n\n".join(_joined(text or "")))


def _joined(text: str) -> Iterator[str]:
    for runs in paragraphs(text):
        yield "".join(run.before + text[run.start : run.end] for run in runs)


def plain_flag(flag: str) -> str:
    """Return a mark of doubt in words."""
    return word(str(flag).replace("_", " "))
