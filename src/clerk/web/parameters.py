"""Parameters of a request: read from the address, checked, and refused by name."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from starlette.requests import Request

from clerk.core.errors import InvalidInput, NotFound
from clerk.core.language import Message

_DATE = re.compile(r"\d{4}(-\d{2}(-\d{2})?)?")
_YES, _NO = ("1", "true", "yes"), ("", "0", "false", "no")

#: At most this many entries are in one answer of the API.
LIMIT_AT_MOST = 500


def whole_number(request: Request, name: str, default: int, *, least: int = 1, most: int) -> int:
    """Return a number of the query."""
    text = request.query_params.get(name) or str(default)
    if not (text.isascii() and text.isdigit() and len(text) < 9 and least <= int(text) <= most):
        raise InvalidInput(
            Message(
                "%(name)s must be a number from %(least)s to %(most)s, not %(value)s.",
                name=name,
                least=least,
                most=most,
                value=repr(text),
            )
        )
    return int(text)


def limit_and_offset(request: Request) -> tuple[int, int]:
    """Return which part of a list is asked for."""
    limit = whole_number(request, "limit", 50, most=LIMIT_AT_MOST)
    return limit, whole_number(request, "offset", 0, least=0, most=1_000_000)


def required(request: Request, name: str) -> str:
    """Return a parameter of the query that must be given."""
    value = request.query_params.get(name, "")
    if not value:
        raise InvalidInput(Message("%(name)s is required.", name=name))
    return value


def is_yes(asked: Mapping[str, str], name: str) -> bool:
    """Whether a parameter is true; refuse a value that is neither yes nor no."""
    value = asked.get(name, "").lower()
    if value not in _YES + _NO:
        raise InvalidInput(
            Message(
                "%(name)s must be true or false, not %(value)s.",
                name=name,
                value=repr(asked[name]),
            )
        )
    return value in _YES


def id_in_path(request: Request, name: str) -> int:
    """Return an id in the path; raise NotFound for one that no row can have."""
    text = str(request.path_params[name])
    if not (text.isascii() and text.isdigit() and len(text) < 16):
        raise NotFound(Message("There is no %(name)s %(value)s.", name=name, value=repr(text[:40])))
    return int(text)


def one_of(name: str, value: str, words: Sequence[str]) -> str:
    """Return a value that is one of some words."""
    if value not in words:
        raise InvalidInput(
            Message(
                "%(name)s must be one of %(words)s, not %(value)s.",
                name=name,
                words=", ".join(words),
                value=repr(value),
            )
        )
    return value


def optional_word(request: Request, name: str, words: Sequence[str]) -> str:
    """Return a word of the query that is one of some words, or nothing."""
    value = request.query_params.get(name, "")
    return one_of(name, value, words) if value else ""


def optional_date(request: Request, name: str) -> str | None:
    """Return a day, month or year of the query."""
    value = request.query_params.get(name) or None
    if value is not None and not _DATE.fullmatch(value):
        raise InvalidInput(
            Message(
                "%(name)s must be a day, month or year as in 2024-01, not %(value)s.",
                name=name,
                value=repr(value),
            )
        )
    return value


def page_slice(request: Request, per_page: int, most: int = 10_000) -> tuple[int, int]:
    """Return which page of a list is asked for, and the offset of its first row."""
    number = whole_number(request, "page", 1, most=most)
    return number, (number - 1) * per_page


def count_pages(rows: int, per_page: int) -> int:
    """Return how many pages a list has; an empty list has one."""
    return max(1, -(-rows // per_page))


def refuse_unknown(request: Request, *known: str) -> None:
    """Refuse a request with a parameter that is not known: it would be ignored."""
    unknown = sorted(set(request.query_params) - set(known))
    if unknown:
        name = repr(unknown[0])
        if not known:
            raise InvalidInput(
                Message("Unknown parameter %(name)s; this address takes no parameters.", name=name)
            )
        raise InvalidInput(
            Message(
                "Unknown parameter %(name)s; this address takes %(known)s.",
                name=name,
                known=", ".join(sorted(known)),
            )
        )
