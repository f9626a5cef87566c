"""The lines of a page, and which of its first lines name the document: the title block."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence
from functools import cached_property, lru_cache
from typing import Final, NamedTuple

from clerk.core import lazy_re as re

from .dates import begins_with_date
from .facts import PageView

#: No more than this much of a page is looked at.
MOST_CHARACTERS: Final = 12_000
#: A line longer than this is cut into lines of usual length.
LONGEST_LINE: Final = 240
_USUAL_LINE: Final = 110
MOST_LINES: Final = 90
_MOST_RAW: Final = 280
#: A title block is not longer than this.
_BLOCK_LINES: Final = 24
#: A heading is not longer than this.
LONGEST_HEADING: Final = 125


_TOP_LEVEL = re.compile(r"\\.|\[\^?\]?[^\]]*\]|[()|]|[^\\\[()|]+", re.DOTALL)
_SPACE_OR_CLASS = re.compile(r"\[[^\]]*\]| \??")
_CAPITAL = re.compile(r"(?<![\\?])[A-Z]")


class Words:
    """A pattern of words of any case; a space stands for one or a few, ``" ?"`` for none too.

    The text is compared in lower case, which takes a quarter of the time of ignoring case.  The
    positions of a match are those of the text, its groups are in lower case.
    """

    def __init__(self, words: str) -> None:
        #: The alternatives at the top level.
        choices, depth = [""], 0
        for token in _TOP_LEVEL.findall(_spaced(words)):
            depth += (token == "(") - (token == ")")
            if token == "|" and not depth:
                choices.append("")
            else:
                choices[-1] += token
        # "\\ba|\\bb" as "\\b(?:a|b)": within a word, nothing more is compared.
        bounded = [choice[2:] for choice in choices if choice.startswith(r"\b")]
        others = [choice for choice in choices if not choice.startswith(r"\b")]
        factored = [*others, rf"\b(?:{'|'.join(bounded)})"] if bounded[1:] else choices
        self.pattern = _CAPITAL.sub(lambda found: found[0].lower(), "|".join(factored))
        #: What can only be at the beginning is looked for nowhere else.
        self._at_beginning = all(choice.startswith("^") for choice in choices)

    @cached_property
    def _compiled(self) -> re.Pattern[str]:
        # When it is first asked: a document needs few of the patterns.
        return re.compile(self.pattern)

    def search(self, text: str, start: int = 0) -> re.Match[str] | None:
        """Return the first match from a position on."""
        if self._at_beginning:
            return self._compiled.match(text.lower(), start)
        return self._compiled.search(text.lower(), start)

    def match(self, text: str, start: int = 0) -> re.Match[str] | None:
        """Return the match at a position."""
        return self._compiled.match(text.lower(), start)

    def fullmatch(self, text: str) -> re.Match[str] | None:
        """Return the match if it is the whole text."""
        return self._compiled.fullmatch(text.lower())

    def finditer(self, text: str) -> Iterator[re.Match[str]]:
        """Return all matches."""
        small = text.lower()
        if len(small) != len(text):
            # One capital has two letters in lower case.
            small = text.replace("İ", "I").lower()
        return self._compiled.finditer(small)

    def split(self, text: str) -> list[str]:
        """Return what is before, between and after the matches."""
        pieces, at = [], 0
        for found in self.finditer(text):
            pieces.append(text[at : found.start()])
            at = found.end()
        return [*pieces, text[at:]]

    def sub(self, mark: str, text: str) -> str:
        """Return the text with a mark in place of each match."""
        return mark.join(self.split(text))


def ascii_lower(text: str) -> str:
    """Return a text of the same length in lower case, with a mark for what is not ASCII.

    To make it and to look for words in it takes a fraction of the time.
    """
    if text.isascii():
        return text.lower()
    return text.encode("ascii", "replace").lower().decode("ascii")


def _spaced(words: str) -> str:
    spaces = {" ": r"\s{1,4}", " ?": r"\s{0,4}"}
    return _SPACE_OR_CLASS.sub(lambda m: spaces.get(m[0], m[0]), words)


def cased_pattern(words: str) -> re.Pattern[str]:
    """Compile words of any case, of which some parts need capitals or are quoted as printed."""
    return re.compile(_spaced(words), re.IGNORECASE)


#: Bullets, rules and stars around the words of a line.
_BEFORE_WORDS: Final = " \t*•·▪■●◦○-–—_=~|#>«»+.,:;/\\^`‘’"
_AFTER_WORDS: Final = " \t*•·▪■●◦○–—_=~|#<«»+/\\^`"

#: Where the text begins, and the title block ends.
_TEXT_BEGINS = Words(
    r"^(?:[0-9]{1,2}[.)] ?[^\W\d]|[0-9]{1,2}\.[0-9]{1,2}\.? [^\W\d]|[0-9]{2}/[0-9]{2,3}\.? [^\W\d]"
    r"|(?!h\. (?:ayuntamiento|cabildo))[A-Z][.)] \w|[A-Z]\.[^\W\d]{3}|[IVX]{1,6}[.)] \w|item [0-9]"
    r"|[0-9]{1,3}[.)]$|(?:and )?whereas\b|be it |now,? therefore|dear \w|(?:\w+ ){0,3}(?:present"
    r"|absent|attending)(?: ?:| were\b| was\b)|members (?:present|absent)$|in attendance"
    r"|attendance ?:|attendees|roll call|(?:[0-9]{1,2}:[0-9]{2}(?: ?[ap]\.?m\.?)? )?call (?:the "
    r"meeting )?to order|pledge\b|(?:old|new|unfinished) business\b|moved by|top [0-9]|(?:sont "
    r"|est )?(?:anwesend|aanwezig|présents?|absente?s?|presentes?) ?(?::|$))"
)
_CALLED = Words(r"^.{0,40}\bcalled (?:the meeting )?to order\b")
#: A sentence, not a heading.
_SENTENCE = Words(
    r"\b(?:we|you|i) \w|\b(?:was|were|is|are|will be|shall be|has been|have been|may|called"
    r"|attended|convened|met) \w"
)
#: Words of a line with an address or a number to call.
_CONTACT: Final = ("@", "www", "http", "fax", "telephone", "phone", "zoom", "box ", "tel:", "tel.")
_PHONE = re.compile(r"[0-9]{3}[-. )]{1,2}[0-9]{3}[-. ][0-9]{4}")
_POSTCODE = re.compile(
    r"\b(?:[A-Z]{2}\.? {1,3}[0-9]{5}|[A-Z][0-9O][A-Z] ?[0-9][A-Z0-9][0-9O]"
    r"|[A-Z]{1,2}[0-9]{1,2}[A-Z]? [0-9][A-Z]{2})\b"
)
_STREET = Words(
    r"[0-9]{1,5}[a-z]? (?:[NSEW]\.? )?(?:\w+\.? ){1,4}(?:st|street|ave|avenue|road|rd|drive|dr"
    r"|lane|ln|blvd|boulevard|way|highway|hwy|place|court|ct|square|plaza|parkway)\b"
)


class Line(NamedTuple):
    """A line that is not empty: its text without decoration, and its page."""

    text: str
    page: int


class Lines:
    """The lines of a page without decoration and empty lines; each is made when it is needed.

    A text without line ends is cut as if it had some.
    """

    def __init__(self, page: int, text: str) -> None:
        self._page = page
        raw = text[:MOST_CHARACTERS].split("\n", _MOST_RAW)[:_MOST_RAW]
        if max(map(len, raw)) > LONGEST_LINE:
            raw = [part for line in raw for part in textwrap.wrap(line, _USUAL_LINE)]
        self._raw = iter(raw)
        self._found: list[Line] = []

    def first(self, most: int = MOST_LINES) -> list[Line]:
        """Return the first lines."""
        found, number = self._found, self._page
        if len(found) < most:
            for raw in self._raw:
                if text := tidy(raw):
                    found.append(Line(text, number))
                    if len(found) == most:
                        break
        return found[:most]


#: A document and its parts are asked for the same pages.
_remembered_lines = lru_cache(maxsize=32)(Lines)


def page_lines(page: PageView) -> Lines:
    """Return the lines of a page, those of before if it was asked for."""
    if len(page.text) > MOST_CHARACTERS:
        return Lines(page.page, page.text)
    return _remembered_lines(page.page, page.text)


def lines_of(page: PageView, most: int = MOST_LINES) -> list[Line]:
    """Return the first lines of a page, without decoration and empty lines."""
    return page_lines(page).first(most)


def tidy(line: str) -> str:
    """Return a line without decoration, empty if that is all it has."""
    words = line.split()
    text = " ".join(words)
    if len(words) > _FEW_LETTERS and 2 * len(text) < 5 * len(words):
        # "W A R R A N T   L I S T": the letters of a word have one space between them.
        text = " ".join(_LETTERS_APART.sub(lambda found: found[0].replace(" ", ""), line).split())
    if text[:1].isalnum():
        return text.rstrip(_AFTER_WORDS)
    text = text.lstrip(_BEFORE_WORDS).rstrip(_AFTER_WORDS)
    return text if any(map(str.isalnum, text)) else ""


_FEW_LETTERS: Final = 3
#: Not the days of a week, which have no vowel that stands alone.
_LETTERS_APART = re.compile(
    r"(?<!\S)(?=(?:[^\W\d_] ){0,12}[AEIOUaeiou](?!\S))[^\W\d_](?: [^\W\d_]){2,}(?!\S)"
)


def is_address(line: str) -> bool:
    """Whether a line is an address, a telephone number or the like."""
    small = line.lower()
    if any(map(small.__contains__, _CONTACT)):
        return True
    if not any(map(str.isdigit, line)):
        return False
    if line[0].isdigit() and _STREET.match(line):
        return True
    return bool(_PHONE.search(line) or _POSTCODE.search(line))


#: A heading that is written like a sentence: "Minutes of the meeting held on ..."
_HEADLINE = Words(
    r"^(?:the )?(?:draft |unapproved |approved |unconfirmed )?(?:minutes|mintues|agenda|notice"
    r"|record|proceedings|journal|notes of|report of (?:the |an? )?(?:\w+ )?meeting"
    r"|(?:(?:regular|special|annual|ordinary|extraordinary|monthly|emergency|joint|called"
    r"|scheduled|adjourned) ){0,2}meeting|séance|procès|sitzung"
    r"|niederschrift|acta|verslag|besluitenlijst|notulen|zur sitzung|der sitzung|über die)\b"
)
_LONGEST_HEADLINE: Final = 220


def is_headline(line: str) -> bool:
    """Whether a line is a heading that is written like a sentence, and not longer than such."""
    return len(line) <= _LONGEST_HEADLINE and bool(_HEADLINE.match(line) and not _TOLD.search(line))


#: A line that is no longer is not taken for part of a text.
_SHORT: Final = 55
#: A longer line that begins like this is the beginning of a sentence.
_FULL: Final = 70
_SENTENCE_BEGINS = re.compile(r"(?:In|It|On|At|Upon|That|There|This|These|As|If|A|An) [a-z]")
_TOLD = Words(r"\b(?:was|were|(?<!to\s)be|been|are|is) \w")


def is_sentence(line: str) -> bool:
    """Whether a line is part of a text rather than a heading."""
    if line.isupper():
        return False
    if len(line) <= _SHORT:
        # "Ty moved to raise the fee; Mae seconded."
        words = line.split()
        small = sum(word[0].islower() for word in words)
        is_long = len(words) > 5 and 2 * small >= len(words)
        return line[-1] == "." and is_long and not begins_with_date(line)
    if begins_with_date(line) or (_HEADLINE.match(line) and not _TOLD.search(line)):
        return False
    words = line.split()
    is_told = (
        len(line) > LONGEST_HEADING
        or (len(line) > _FULL and _SENTENCE_BEGINS.match(line))
        or (
            len(words) > 7
            and (line[-1] in ".,;" or 2 * sum(word[0].islower() for word in words) > len(words))
        )
        or _SENTENCE.search(line)
    )
    # "The board met via Zoom" has no address.
    return bool(is_told) and (not is_address(line) or bool(_MET.search(line)))


_MET = Words(r"\b(?:met (?:via|by|on|in)|convened|called) ")


#: What a paper says that it is about.
SUBJECT: Final = Words(
    r"(?:subject|title|topic|re|(?:agenda )?item (?:title|description|summary)) ?:"
)


def subject_lines(lines: Sequence[Line]) -> frozenset[int]:
    """Return which lines say what a paper is about, with the next one if it goes on there.

    They name meetings, bodies and papers that are not its own.
    """
    found: set[int] = set()
    for number, line in enumerate(lines):
        if ":" in line.text and SUBJECT.match(line.text):
            found.add(number)
            following = lines[number + 1].text if number + 1 < len(lines) else ":"
            if ":" not in following and (line.text[-1] == ":" or len(line.text) > _SHORT):
                found.add(number + 1)
    return frozenset(found)


#: A remark about the document: "These minutes are subject to approval"; others are in brackets.
_REMARK = Words(
    r"(?:please )?(?:note ?[:-]? )?(?:these|this|the) "
    r"(?:(?:draft|unapproved|unconfirmed|meeting) )*(?:minutes|agenda|document) "
    r"(?:are|is|have|has|may|will|were|was)\b|please note\b|subject to change\b"
)
#: A second sentence of such a remark: "The official record is the recording."
_REMARK_GOES_ON = Words(
    r"(?:the|an?|it|they) .*\b(?:official|recording|video|audio|draft|summary)\b"
)
#: The first letters of remarks: looking at one letter is faster than trying the pattern.
_REMARK_BEGINS: Final = "PpNnTtSs"
_REMARK_LINES: Final = 3
_NOTED_LINES: Final = 14


def may_be_remark(line: str) -> bool:
    """Whether a line begins like a remark about the document."""
    if line[0] == "(":
        return "(" not in line[1:]
    return line[0] in _REMARK_BEGINS and bool(_REMARK.match(line))


def without_remarks(lines: Sequence[Line]) -> list[Line]:
    """Return the lines of a first page without what is said about the document among its headings.

    Their dates are of other meetings, and they would end the title block.
    """
    kept: list[Line] = []
    # What a browser prints above a page is none of its lines.
    number = 1 if lines and _BROWSER.match(lines[0].text) else 0
    while number < min(len(lines), _NOTED_LINES):
        text = lines[number].text
        if may_be_remark(text):
            end = ")" if text[0] == "(" else "."
            rest = [line.text for line in lines[number : number + _REMARK_LINES]]
            length = next((n for n, each in enumerate(rest, 1) if each.rstrip()[-1] == end), 0)
            if length and sum(len(each.split()) for each in rest[:length]) > _HEADING_WORDS:
                number += length
                following = lines[number].text if number < len(lines) else ""
                number += following.endswith(".") and bool(_REMARK_GOES_ON.match(following))
                continue
        kept.append(lines[number])
        number += 1
    return [*kept, *lines[number:]]


#: "(Special Meeting)" is a heading, what has more words is a remark.
_HEADING_WORDS: Final = 5

#: What a browser prints above a page.
_BROWSER = re.compile(r"[0-9]{1,2}/[0-9]{1,2}/[0-9]{2,4},? [0-9]{1,2}:[0-9]{2}")


def title_block(lines: Sequence[Line]) -> list[Line]:
    """Return the first lines up to where the text of the document begins."""
    if lines and _BROWSER.match(lines[0].text):
        lines = lines[1:]
    for number, line in enumerate(lines[:_BLOCK_LINES]):
        text = line.text
        # "4 March 2025" is no item of a list.
        if _TEXT_BEGINS.match(text) and not begins_with_date(text):
            return list(lines[:number])
        if "to order" in text.lower() and _CALLED.match(text) and not begins_with_date(text):
            return list(lines[:number])
        if text[0].isdigit():
            # A list of business: items 1 and 2 without a dot, or two with a time each.
            following = [each.text for each in lines[number + 1 : number + _ITEM_LINES]]
            if text.startswith("1 ") and not begins_with_date(text) and not is_address(text):
                lists_items = any(each.startswith("2 ") for each in following)
            else:
                is_timed = following and _TIMED.match(text) and _TIMED.match(following[0])
                lists_items = bool(is_timed)
            if lists_items:
                return list(lines[:number])
        if is_sentence(text) and not _goes_on(lines[:number], text):
            return list(lines[:number])
    return list(lines[:_BLOCK_LINES])


#: "5:00 Update on the levy", but not "6:30 PM Regular Session".
_TIMED = re.compile(
    r"[0-9]{1,2}[:.][0-9]{2}\s?(?:[AaPp]\.?[Mm]\.?)?\s?[-–]?\s?"
    r"(?!.*\b(?i:meeting|session|workshop|hearing)\b)[A-Z]"
)
_ITEM_LINES: Final = 7


#: "Minutes of the meeting of the council," - "held in the hall on Monday, 4 March 2024.".
_HELD = re.compile(r"^.{0,40}\b(?:held|HELD|Held) (?:in|at|on|IN|AT|ON) ")
_CONTINUED = re.compile(r"(?:[Hh]eld|HELD|[Oo]n|ON|[Aa]t|AT|[Ii]n|IN) ")


def _goes_on(block: Sequence[Line], line: str) -> bool:
    """Whether a line ends the heading before it, which is written like a sentence."""
    if not any(_HEADLINE.match(each.text) for each in block[-3:]):
        return False
    before = block[-1].text
    if len(before) > _SHORT and line[0].islower():
        return before[-1] not in ".:;"
    if _HELD.search(line) and before[-1].isalpha():
        return True
    return before[-1] == "," and bool(_CONTINUED.match(line))


_SMALL: Final = frozenset(
    {
        *("a", "an", "and", "at", "by", "de", "du", "for", "in", "la", "of", "on", "or", "the"),
        *("to", "und", "with"),
    }
)
_ACRONYM = re.compile(r"(?:[A-Z]\.){2,}|[IVX]{2,4}")


def readable(name: str) -> str:
    """Return a name that is printed in capitals with capitals at the beginning of words only."""
    letters = [character for character in name if character.isalpha()]
    if not letters or sum(map(str.isupper, letters)) < 0.7 * len(letters):
        return name
    words = name.split(" ")
    if len(words) == 1 and len(words[0]) <= 4:
        return name
    kept = []
    for number, word in enumerate(words):
        lower = word.lower()
        can_be_spoken = any(character in "aeiouyäöüéèêáíóú" for character in lower)
        if _ACRONYM.fullmatch(word) or (word.isupper() and len(word) > 1 and not can_be_spoken):
            kept.append(word)
        elif number and lower in _SMALL:
            kept.append(lower)
        else:
            kept.append(re.sub(r"(^|[-/(&.])(\w)", lambda m: m[1] + m[2].upper(), lower))
    return " ".join(kept)
