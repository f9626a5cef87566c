"""The languages of the public pages: their words, plurals, dates and numbers.

A language is one file, ``languages/CODE.toml``.  Messages are named by their English words, so
``en.toml`` has none; a message that a language lacks is shown in English.  ``docs/web.md`` says how
to add one.  The language of the page that is being made is the current one (:func:`speaking`).
"""

from __future__ import annotations

import contextlib
import gettext
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextvars import ContextVar
from dataclasses import dataclass
from datetime import date, datetime
from functools import lru_cache
from pathlib import Path
from typing import Any

ENGLISH = "en"
#: tesseract's name of a language -> its tag on a web page, where that is not the same.
_TAGS = {
    "ara": "ar", "ces": "cs", "chi": "zh", "dan": "da", "deu": "de", "ell": "el", "eng": "en",
    "fin": "fi", "fra": "fr", "heb": "he", "hin": "hi", "hun": "hu", "ita": "it", "jpn": "ja",
    "kor": "ko", "nld": "nl", "nor": "no", "pol": "pl", "por": "pt", "ron": "ro", "rus": "ru",
    "spa": "es", "swe": "sv", "tam": "ta", "tur": "tr", "ukr": "uk", "vie": "vi",
}  # fmt: skip
FOLDER = Path(__file__).parent / "languages"


@dataclass(frozen=True)
class Language:
    """A language that pages can be shown in."""

    code: str
    name: str
    #: Which form of a noun belongs to a number.
    form_of: Callable[[int], int]
    #: Between groups of three digits, from ``grouped_from`` digits on.
    thousands: str
    grouped_from: int
    decimal: str
    percent: str
    day: str
    month: str
    months: Sequence[str]
    #: Short names, Monday first.
    weekdays: Sequence[str]
    messages: Mapping[str, str]
    #: Words that documents and results are described with: minutes, passed, absent.
    words: Mapping[str, str]
    #: Nouns in each form: page -> page, pages.
    counted: Mapping[str, Sequence[str]]


@lru_cache(maxsize=1)
def languages() -> Mapping[str, Language]:
    """Return every language by its code, English first."""
    found: dict[str, Language] = {}
    for path in sorted(FOLDER.glob("*.toml"), key=lambda each: (each.stem != ENGLISH, each.stem)):
        values: dict[str, Any] = tomllib.loads(path.read_text(encoding="utf-8"))
        form_of = gettext.c2py(values.pop("plural"))
        found[path.stem] = Language(code=path.stem, form_of=form_of, **values)
    return found


_current: ContextVar[str] = ContextVar("language", default=ENGLISH)


def current() -> Language:
    """Return the language that is being spoken."""
    return languages()[_current.get()]


@contextlib.contextmanager
def speaking(code: str) -> Iterator[Language]:
    """Speak a language within the context."""
    before = _current.set(code)
    try:
        yield current()
    finally:
        _current.reset(before)


def preferred(accepted: str) -> str | None:
    """Return the first language of an Accept-Language header that there is, by its weights."""
    weighed: list[tuple[float, int, str]] = []
    for place, each in enumerate(accepted.split(",")[:20]):
        tag, _, weight = each.strip().lower().partition(";q=")
        try:
            weighed.append((-float(weight or 1), place, tag.split("-")[0]))
        except ValueError:
            continue
    return next(
        (code for weight, _, code in sorted(weighed) if weight and code in languages()), None
    )


def say(message: str, **values: object) -> str:
    """Return a message in the current language, with values put into it."""
    told = current().messages.get(message, message)
    return told % values if values else told


class Message(str):
    """A message in English that can be said in other languages: it keeps its pattern and values.

    Numbers among the values are written as the language has them.
    """

    pattern: str
    values: Mapping[str, object]

    def __new__(cls, pattern: str, **values: object) -> Message:
        """Return the message in English, for which no file of a language is read."""
        told = {
            name: f"{value:,}" if isinstance(value, int) else value
            for name, value in values.items()
        }
        message = super().__new__(cls, pattern % told if values else pattern)
        message.pattern, message.values = pattern, values
        return message

    def with_values(self, change: Callable[[str], str]) -> Message:
        """Return the message with its texts changed."""
        changed = {
            name: change(value) if isinstance(value, str) else value
            for name, value in self.values.items()
        }
        return Message(self.pattern, **changed)


def written(values: Mapping[str, object]) -> dict[str, object]:
    """Return values with the numbers among them as they are written in the current language."""
    return {
        name: number(value) if isinstance(value, int) else value for name, value in values.items()
    }


def word(value: object) -> str:
    """Return a word of the records, as in minutes or passed, in the current language."""
    text = "" if value is None else str(value)
    return current().words.get(text, text)


def number(value: float | None, decimals: int = 0) -> str:
    """Return a number as it is written in the current language."""
    language = current()
    whole, _, rest = f"{abs(value or 0):.{decimals}f}".partition(".")
    if len(whole) >= language.grouped_from:
        whole = f"{int(whole):,}".replace(",", language.thousands)
    sign = "-" if (value or 0) < 0 else ""
    return sign + whole + (language.decimal + rest if rest else "")


def counted(value: int | None, noun: str) -> str:
    """Return a number of things: 1 page, 2 pages."""
    language = current()
    forms = language.counted.get(noun) or languages()[ENGLISH].counted.get(noun)
    forms = forms or (noun, f"{noun}s")
    return f"{number(value)} {forms[language.form_of(value or 0)]}"


def share(value: float) -> str:
    """Return a share of one as a percentage; only the whole is 100 %."""
    return current().percent.format(number(100 * value if value >= 1 else min(100 * value, 99)))


def day(known: date) -> str:
    """Return a day in words."""
    language = current()
    month = language.months[known.month - 1]
    return language.day.format(day=known.day, month=month, year=known.year)


def month(year: int, number: int) -> str:
    """Return a month in words."""
    return current().month.format(month=current().months[number - 1], year=year)


def moment(at: datetime) -> str:
    """Return a time in words; it has to be in UTC."""
    return f"{day(at)}, {at:%H:%M} UTC"


def spoken_in(read: str) -> str:
    """Return the language of pages about documents that are read in a language, as in spa."""
    tag = tag_of(read)
    return tag if tag in languages() else ENGLISH


def tag_of(language: str) -> str:
    """Return the tag of a language that documents are read in, as in eng or chi_sim+eng."""
    first = language.partition("+")[0].partition("_")[0]
    return _TAGS.get(first, first)
