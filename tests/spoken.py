"""Spanish whose every word is between marks, to find words that are not in the catalogue.

On a page in marked Spanish, text outside of the marks has to come from the documents of the town.
"""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

from clerk.core import language

CODE = "zz"
BEGIN, END = "⟦", "⟧"
#: What people read in an attribute.
READ = ("title", "alt", "placeholder", "aria-label", "aria-description")
#: Names, and what is the same in every language.
NAMES = (
    *("clerk", "Español", "English", "PDF", "JSON", "CSV", "Atom", "UTC", "OpenAPI", "API", "SHA"),
    *("HTML", "BibTeX", "RIS", "MB", "kB", "GB", "px"),
)
#: What is marked, addresses, and the code of a frame.
_NOT_READ = re.compile(
    f"{BEGIN}[^{END}]*{END}|<iframe[^{BEGIN}]*title=|(?:https?:|(?<!\\w)/)[^\\s{BEGIN}]+"
)
#: Elements without an end.
_VOID = {"meta", "link", "img", "input", "br", "hr", "source", "wbr", "area", "col"}


def _marked(text: str) -> str:
    """Return a message between marks; its values and tags stay outside."""
    outside = re.compile(r"<[^>]*>|%\(\w+\)s|\{\w*\}")
    return f"{BEGIN}{outside.sub(lambda found: END + found[0] + BEGIN, text)}{END}"


def with_marked_spanish() -> Mapping[str, language.Language]:
    """Return all languages, and Spanish with marks as one more."""
    spanish = language.languages()["es"]
    marked = replace(
        spanish,
        code=CODE,
        name="",
        day=f"{BEGIN}{spanish.day}{END}",
        month=f"{BEGIN}{spanish.month}{END}",
        weekdays=[_marked(each) for each in spanish.weekdays],
        messages={name: _marked(told) for name, told in spanish.messages.items()},
        words={name: _marked(told) for name, told in spanish.words.items()},
        counted={
            noun: [_marked(each) for each in forms] for noun, forms in spanish.counted.items()
        },
    )
    return {**language.languages(), CODE: marked}


def values_of(database: Path) -> Iterator[str]:
    """Yield every text of a meetings.db."""
    with sqlite3.connect(database) as conn:
        names = conn.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()
        for (name,) in names:
            if "fts" not in name:
                for row in conn.execute(f'SELECT * FROM "{name}"'):
                    yield from (each for each in row if isinstance(each, str))
    conn.close()


class _ReadByPeople(HTMLParser):
    """Collects what people read on a page, piece by piece, and where its links lead."""

    def __init__(self) -> None:
        super().__init__()
        self.pieces: list[str] = []
        self.links: list[str] = []
        self._open: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values: Mapping[str, str] = {name: value or "" for name, value in attrs}
        if tag not in _VOID:
            self._open.append(tag)
        self.pieces += [values[name] for name in READ if name in values]
        self.pieces += [
            value for name, value in values.items() if name.startswith("data-") and " " in value
        ]
        if tag == "meta" and values.get("name", values.get("property", "")) in (
            *("description", "og:title", "og:description", "og:image:alt"),
        ):
            self.pieces.append(values["content"])
        if tag == "input" and values.get("type") in ("submit", "button"):
            self.pieces.append(values.get("value", ""))
        if tag in ("a", "link") and "href" in values:
            self.links.append(values["href"])

    def handle_endtag(self, tag: str) -> None:
        if tag in self._open:
            while self._open.pop() != tag:
                pass

    def handle_data(self, data: str) -> None:
        if not {"script", "style", "code", "id", "uri"} & set(self._open):
            self.pieces.append(data)


def _said_in_json(value: object) -> Iterator[str]:
    if isinstance(value, dict):
        for name, each in value.items():
            if isinstance(each, str) and name in ("title", "description", "summary", "name"):
                yield each
            else:
                yield from _said_in_json(each)
    elif isinstance(value, list):
        for each in value:
            yield from _said_in_json(each)


def read_by_people(text: str, kind: str) -> tuple[list[str], list[str]]:
    """Return what people read of an answer, and its links."""
    if "json" in kind:
        return list(_said_in_json(json.loads(text))), []
    if "html" not in kind and "xml" not in kind:
        return [text], []
    seen = _ReadByPeople()
    seen.feed(text)
    return seen.pieces, seen.links


def outside_of_the_catalogue(pieces: Iterable[str], known: str) -> set[str]:
    """Return the pieces of text that are neither marked nor words of the documents."""
    found = set[str]()
    plain = " ".join(known.split())

    def is_known(words: str) -> bool:
        return words in NAMES or words in plain or not re.search(r"[^\W\d_]{2}", words)

    for piece in pieces:
        for outside in _NOT_READ.sub("\0", piece).split("\0"):
            words = " ".join(re.sub(r"^[\W\d]+|[\W\d]+$", "", outside).split())
            if words not in plain:
                # Names are joined by commas.
                found |= {each for each in re.split(r"[.,:;]\s+", words) if not is_known(each)}
    return found
