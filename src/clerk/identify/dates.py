"""Dates as they are printed: the only module that turns words into dates of documents.

Every regular expression takes linear time.  What is no day of the calendar (31 February, the year
9999) is no date.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import date
from functools import lru_cache
from typing import Final, NamedTuple

from clerk.core import lazy_re as re

FIRST_YEAR: Final = 1800
LAST_YEAR: Final = 2100
#: Two-digit years from this one on belong to the last century.
_CENTURY_TURNS = 70

_MONTHS = """
    january jan janvier enero januar jänner januari
    february feb febr février fevrier febrero februar feber februari
    march mar mars marzo märz maerz maart
    april apr avril abril
    may mai mayo mei
    june jun juin junio juni
    july jul juillet julio juli
    august aug août aout agosto augustus
    september sept sep septembre septiembre
    october oct octobre octubre oktober okt
    november nov novembre noviembre
    december dec décembre decembre diciembre dezember dez
""".strip().splitlines()
MONTH_OF_WORD: Final = {word: n for n, line in enumerate(_MONTHS, 1) for word in line.split()}
_MONTH = "|".join(sorted(MONTH_OF_WORD, key=len, reverse=True))
_ENDS_OF_MONTHS: Final = frozenset(word[-3:] for word in MONTH_OF_WORD)

_WEEKDAYS = """
    monday mon lundi lunes montag maandag
    tuesday tues tue mardi martes dienstag dinsdag
    wednesday wed mercredi miércoles miercoles mittwoch woensdag
    thursday thurs thur thu jeudi jueves donnerstag donderdag
    friday fri vendredi viernes freitag vrijdag
    saturday sat samedi sábado sabado samstag sonnabend zaterdag
    sunday sun dimanche domingo sonntag zondag
""".strip().splitlines()
_WEEKDAY_OF_WORD = {word: n for n, line in enumerate(_WEEKDAYS) for word in line.split()}
_WEEKDAY = "|".join(sorted(_WEEKDAY_OF_WORD, key=len, reverse=True))

_YEAR4 = r"(?:1[89]|20)[0-9]{2}"
#: OCR reads a raised "th" as a quote or a sign.
_SUFFIX = r"(?:\s?(?:st|nd|rd|th|er|ro|º|°|\.)|[\"”'’%*™]{1,2})?"
_LETTERS = r"(?<![^\W\d_])(?P<month>[^\W\d_]{3,10})"

#: Dates are found by their years and marks: to look for twelve names of months in four languages at
#: every letter takes twenty times as long.
#: Typists wrote the small letter l for 1; Spanish clerks write 2.007.
#: Its first sign stands in front: a pattern that may begin in several ways takes seven times as
#: long.
_YEAR = re.compile(r"[12lI](?:(?<=1)[89]|(?<=2)0|(?<=[lI])9|(?<=[Dd][Ee] 2)\.0)[0-9]{2}(?![0-9])")
_DAY = r"(?:[0-9][0-9l]?|(?<=\s)(?-i:[lI])[0-9l]?)"
_AS_DIGITS = str.maketrans({"l": "1", "L": "1", "I": "1", ".": None})
_LONGEST_DATE: Final = 44
#: What may be before the month: "4th day of ".
_LONGEST_DAY: Final = 20
#: March 4, 2025; Oct. 3,2024; March the 4th 2025; March 4 and 5, 2025 (the first day)
_MONTH_FIRST = re.compile(
    rf"{_LETTERS}\.?\s{{0,3}}(?:the\s)?(?P<day>{_DAY}){_SUFFIX}"
    rf"(?:\s{{0,2}}(?:and|&|to|-|–)\s{{0,2}}[0-9]{{1,2}}{_SUFFIX})?"
    rf"\s{{0,2}}[,.;]{{0,2}}\s{{0,3}}(?<![0-9])$",
    re.IGNORECASE,
)
#: 4 March 2025; 4th day of March, A.D. 2025; 4 de marzo de 2025; 4. März 2025
_DAY_FIRST = re.compile(
    rf"(?<![0-9])(?P<day>{_DAY}){_SUFFIX}\s{{0,3}}(?P<as_day>day\s)?(?:of\s|de\s"
    rf"|del\s)?\s{{0,2}}"
    rf"(?P<month>[^\W\d_]{{3,10}})\.?,?\s{{0,3}}"
    rf"(?:de\s|del\s|in the year\s|a\.?\s?d\.?,?\s)?$",
    re.IGNORECASE,
)
_NUMBERS = re.compile(
    rf"(?:(?P<year>{_YEAR4})(?P<mark1>[-/.])(?P<month>[0-9]{{1,2}})(?P=mark1)(?P<day>[0-9]{{1,2}})"
    rf"|(?P<first>[0-9]{{1,2}})(?P<mark2>[-/.])(?P<second>[0-9]{{1,2}})(?P=mark2)"
    rf"(?P<last>{_YEAR4}|[0-9]{{2}}))(?![0-9]|[-/.][0-9])"
)
#: "Resolution 2017-12-01" is the first resolution of the twelfth meeting.
_NUMBERED = re.compile(
    r"\b(?:resolution|by-?law|ordinance|motion)s?[\s:]{0,2}(?:no\b|number\b|#)?[\s.:#]{0,3}$",
    re.IGNORECASE,
)
_LONGEST_NUMBERED: Final = 24
_DIGIT = re.compile(r"[0-9]")
_WORD = re.compile(r"[^\W\d_]{3,}")
_MARKED = re.compile(r"[0-9][-/.][0-9]{1,2}[-/.][0-9]")
_BEFORE_DATE = re.compile(
    r"(?<![^\W\d_])(?P<weekday>[^\W\d_]{3,10})[.,]?\s{0,3}(?:the\s|den\s|le\s)?$", re.IGNORECASE
)
_LONGEST_WEEKDAY: Final = 20
#: A date at the beginning of a line.
_DATE_START = re.compile(
    rf"(?:(?:{_WEEKDAY})\b[.,]?\s)?(?:[0-9]{{1,2}}{_SUFFIX}\s(?:day\s)?(?:of\s"
    rf"|de\s)?(?:{_MONTH})\b"
    rf"|[0-9]{{1,4}}[-/.][0-9]{{1,2}}[-/.][0-9]{{1,4}}|(?:{_MONTH})\b\.?\s[0-9]{{1,2}})",
    re.IGNORECASE,
)


_STARTS_OF_DATES: Final = frozenset(word[:3] for word in (*MONTH_OF_WORD, *_WEEKDAY_OF_WORD))


def begins_with_date(line: str) -> bool:
    """Whether a line begins with a date; most are told apart by their first letters."""
    if not line[:1].isdigit() and line[:3].lower() not in _STARTS_OF_DATES:
        return False
    return _DATE_START.match(line) is not None


class _Written(NamedTuple):
    """A date as it is written: the days it may be, month first and day first."""

    start: int
    end: int
    by_month: date | None
    by_day: date | None
    is_number: bool
    weekday: int | None


class PrintedDate(NamedTuple):
    """A date in a text; ``ambiguous`` if month and day could be the other way round."""

    day: date
    start: int
    end: int
    ambiguous: bool = False
    wrong_weekday: bool = False


def printed_dates(text: str, *, day_first: bool = False) -> list[PrintedDate]:
    """Return the dates in a text in their order."""
    found = []
    for each in _written(text):
        order = (each.by_day, each.by_month) if day_first else (each.by_month, each.by_day)
        readings = [day for day in order if day]
        fitting = [day for day in readings if each.weekday in (None, day.weekday())] or readings
        if fitting:
            day = fitting[0]
            wrong = each.weekday is not None and each.weekday != day.weekday()
            found.append(PrintedDate(day, each.start, each.end, len(set(fitting)) > 1, wrong))
    return found


_WITHOUT_YEAR = re.compile(
    rf"(?<![^\W\d_])(?P<weekday>{_WEEKDAY})\b[.,]?\s{{1,3}}(?:the\s)?"
    rf"(?:(?P<month>{_MONTH})\b\.?\s{{1,3}}(?P<day>[0-9]{{1,2}})"
    rf"|(?P<day2>[0-9]{{1,2}}){_SUFFIX}\s{{1,3}}(?:of\s)?(?P<month2>{_MONTH})\b)"
    rf"(?!{_SUFFIX}[\s,.]{{0,4}}[0-9]{{4}})",
    re.IGNORECASE,
)


def day_in_year(line: str, years: Iterable[int]) -> date | None:
    """Return the day that a line prints with its weekday and without a year.

    The weekday decides: in exactly one of the years the day must have it.
    """
    match = _WITHOUT_YEAR.search(line)
    if match is None:
        return None
    month = MONTH_OF_WORD[(match["month"] or match["month2"]).lower()]
    number = int(match["day"] or match["day2"])
    days = [day for year in set(years) if (day := calendar_day(year, month, number))]
    fitting = [day for day in days if day.weekday() == _WEEKDAY_OF_WORD[match["weekday"].lower()]]
    return fitting[0] if len(fitting) == 1 else None


def years_in(text: str) -> set[int]:
    """Return the years that a text prints."""
    return {int(year[0]) for year in _WHOLE_YEAR.finditer(text)}


_WHOLE_YEAR = re.compile(rf"(?<![0-9]){_YEAR4}(?![0-9])")
#: A British postcode or council, pounds, and words of languages that write the day first.
_POSTCODE = re.compile(r"\b[A-Z]{1,2}[0-9][0-9A-Z]? [0-9][A-Z]{2}\b|£ ?[0-9]")
_DAY_FIRST_WORDS: Final = (
    *("parish council", "gemeinde", "gemeente", "vergadering", "sitzung", "niederschrift"),
    *(" uhr", "conseil", "séance", "ayuntamiento", "sesión", "sesion ", "alcalde"),
)


def day_comes_first(text: str) -> bool:
    """Whether numbers are rather 31/12 than 12/31, by how the text writes other dates."""
    day = month = 0
    for each in _written(text):
        weight = 2 if each.is_number else 1
        if each.by_month != each.by_day:
            day += weight * (each.by_month is None)
            month += weight * (each.by_day is None)
    if day != month:
        return day > month
    small = text.lower()
    return any(map(small.__contains__, _DAY_FIRST_WORDS)) or bool(_POSTCODE.search(text))


def without_dates(text: str, mark: str = " ") -> str:
    """Return the text with a mark in place of each date."""
    kept, at = [], 0
    for each in _written(text):
        kept.append(text[at : each.start])
        at = each.end
    return mark.join([*kept, text[at:]]) if kept else text


def _written(text: str) -> Sequence[_Written]:
    """Return the dates of a text; a date in words is one of a formal heading or certificate."""
    found = _written_with_digits(text) if _DIGIT.search(text) else ()
    if "ay of " not in text and "AY OF " not in text:
        return found
    in_words = []
    for match in _IN_WORDS.finditer(text):
        number = _number_in_words(match["day"].lower().replace("-", " ").split())
        years = match["year"].lower().replace("-", " ").replace(",", " ").split()
        in_digits = years[0].isdigit()
        year = int(years[0]) if in_digits else _CENTURIES[" ".join(years[:2])]
        year += _number_in_words(years[2:])
        if day := calendar_day(year, MONTH_OF_WORD[match["month"].lower()], number):
            start, weekday = _with_weekday(text, 0, match.start())
            in_words.append(_Written(start, match.end(), day, day, False, weekday))
    return sorted([*found, *in_words])


_WORDS_OF_NUMBERS = """
    one two three four five six seven eight nine
    ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen
    twenty thirty forty fifty sixty seventy eighty ninety
    first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth
""".strip().splitlines()
_UNITS, _TEENS, _TENS, _FIRST = map(str.split, _WORDS_OF_NUMBERS)
_NUMBERS_IN_WORDS: Final = {
    **{word: number for number, word in enumerate([*_UNITS, *_TEENS], 1)},
    **{word: number for number, word in enumerate(_FIRST, 1)},
    **{f"{word}th": number for number, word in enumerate(_TEENS, 10)},
    **{word: 10 * number for number, word in enumerate(_TENS, 2)},
    **{"twentieth": 20, "thirtieth": 30, "and": 0},
}
_CENTURIES: Final = {"nineteen hundred": 1900, "eighteen hundred": 1800, "two thousand": 2000}
_ORDINAL = rf"(?:(?:twenty|thirty)[\s-])?(?:{'|'.join(_FIRST)}|twentieth|thirtieth|\w{{3,6}}teenth)"
_IN_WORDS = re.compile(
    rf"\b(?P<day>{_ORDINAL})\sday\sof\s(?P<month>{_MONTH}),?\s(?:in\s)?(?:the\syear\s)?"
    rf"(?:of\sour\slord,?\s)?(?P<year>{_YEAR4}\b|(?:two\sthousand|(?:nine|eigh)teen\shundred)"
    rf"(?:,?\s(?:and\s)?(?:(?:{'|'.join(_TENS)})(?:[\s-](?:{'|'.join(_UNITS)}))?"
    rf"|{'|'.join([*_TEENS, *_UNITS])})\b)?)",
    re.IGNORECASE,
)


def _number_in_words(words: Iterable[str]) -> int:
    return sum(_NUMBERS_IN_WORDS.get(word, 0) for word in words)


#: The lines of a page are asked for their dates more than once.
@lru_cache(maxsize=64)
def _written_with_digits(text: str) -> Sequence[_Written]:
    found = list(_named(text))
    for match in _NUMBERS.finditer(text) if _MARKED.search(text) else ():
        if match.start() and text[match.start() - 1] in "0123456789./-":
            continue
        if _NUMBERED.search(text, max(0, match.start() - _LONGEST_NUMBERED), match.start()):
            continue
        if match["year"]:
            day = calendar_day(int(match["year"]), int(match["month"]), int(match["day"]))
            by_month = by_day = day
        else:
            year = whole_year(match["last"])
            first, second = int(match["first"]), int(match["second"])
            by_month, by_day = calendar_day(year, first, second), calendar_day(year, second, first)
        start, weekday = _with_weekday(text, 0, match.start())
        found.append(_Written(start, match.end(), by_month, by_day, True, weekday))
    found.sort()
    return found


def _named(text: str) -> Iterator[_Written]:
    at = 0
    for year in _YEAR.finditer(text):
        end = year.start()
        start = max(at, end - _LONGEST_DATE)
        words = _WORD.finditer(text, start, end)
        names = [each.start() for each in words if each[0][-3:].lower() in _ENDS_OF_MONTHS]
        if not names:
            continue
        name = names[-1]
        match = month_first = _MONTH_FIRST.match(text, name, end)
        if match is None:
            match = _DAY_FIRST.search(text, max(start, name - _LONGEST_DAY), end)
        month = MONTH_OF_WORD.get(match["month"].lower()) if match else None
        if match is None or month is None:
            continue
        numbers = [each.translate(_AS_DIGITS) for each in (year[0], match["day"])]
        day = calendar_day(int(numbers[0]), month, int(numbers[1]))
        start, weekday = _with_weekday(text, at, match.start())
        # The order tells how this text writes dates; "4th day of March" is written everywhere.
        by_month = day if month_first or match["as_day"] else None
        by_day = None if month_first else day
        yield _Written(start, year.end(), by_month, by_day, False, weekday)
        at = year.end()


def _with_weekday(text: str, at: int, start: int) -> tuple[int, int | None]:
    match = _BEFORE_DATE.search(text, max(at, start - _LONGEST_WEEKDAY), start)
    weekday = _WEEKDAY_OF_WORD.get(match["weekday"].lower()) if match else None
    return (match.start(), weekday) if match and weekday is not None else (start, None)


def calendar_day(year: int, month: int, day: int) -> date | None:
    """Return the day if the calendar has it and a meeting may have been on it."""
    if not FIRST_YEAR <= year <= LAST_YEAR:
        return None
    try:
        return date(year, month, day)
    except ValueError:
        return None


def iso_day(text: str) -> date | None:
    """Return the day of an ISO date, None for anything else."""
    try:
        found = date.fromisoformat(text)
    except ValueError:
        return None
    return calendar_day(found.year, found.month, found.day)


def whole_year(digits: str) -> int:
    """Return the year that two or four digits stand for."""
    if len(digits) == 4:
        return int(digits)
    return int(digits) + (1900 if int(digits) >= _CENTURY_TURNS else 2000)
