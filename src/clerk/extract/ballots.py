"""Read who voted how where labels and numbers tell it: ``AYES: Smith``, ``5 ayes``, ``(Y-5)``."""

from __future__ import annotations

import re
from collections.abc import Iterator

from .context import FIRM, SOFT, BallotCue, DocumentText
from .model import ABSENT, ABSTAIN, AYES, NOES, RECUSED
from .names import BALLOT_WORDS, Name, read_name, read_names
from .tallies import NUMBER_WORDS, number
from .text import Phrase, indent_start, line_start, pattern, word_set

_NUMBER = r"(?:\d{1,3}|" + "|".join(NUMBER_WORDS) + r")"

_WORDS = (
    r"ayes?|yeas?|yes(?:es)?|favou?r|for|affirmative|noes|nays?|no|none|against|opposed"
    r"|opposition|negative"
    r"|abstain(?:ed|ing|s)?|abstentions?|absent|excused|recus(?:ed|als?|e)|disq(?:ualified)?\.?"
    r"|not\s+voting|not\s+present|conflict"
)
_LABEL = Phrase(
    (
        "aye yea yes favo for affirm no nay against oppos negative abst absent excused recus "
        "disq conflict"
    ),
    rf"(?P<word>{_WORDS})[\"']?(?:\s+votes?|\s+were|\s+was)?"
    r"(?:\s{0,3}(?P<count>\(\s?\d{1,3}\s?\)|\d{1,3}(?![\d/]))(?P<after>\s{0,12}[:\-=])?"
    r"|(?:\s+thereof|\s+thereto|\s+(?:of\s+)?(?:the\s+)?(?:same|motion|resolution|ordinance)"
    r"|\s+(?:passage|adoption|approval|deferral))?"
    r"\s{0,12}(?P<mark>[:\-=]|/(?=[^\W\d_])))",
)
_UPPER_LABEL = Phrase(
    "AYE YEA NAY NO YES ABST ABSENT EXCUSED RECUSED",
    r"(?P<word>AYES?|YEAS?|NAYS?|NOES|NO|YES|ABSTAIN(?:ED)?|ABSENT|EXCUSED|RECUSED)"
    r"(?: {2,}| ?\n)(?=\s{0,60}\S)",
)
_COUNT_FIRST = pattern(r"\s{0,60}\(?(\d{1,3})\)?(?:\s{0,4}[-:.,;)]|\s{0,4}(?=\n|$|\(|[^\W\d_]))")
_COUNT_LAST = pattern(r"[ .]{0,80}[-(=]? {0,3}(\d{1,2})\)?(?=[ ]{0,3}(?:[;.,\n]|$))")
_NOBODY = pattern(
    r"[\s\-]{0,60}\(?(?:none|nil|n/a|nobody|no one|zero|0)\)?(?![\w-])"
    r"|\s{0,60}-{1,3}(?=\s{0,3}(?:\n|$))"
)
_EVERYBODY = pattern(r"\s{0,40}(?:all|unanimous)\b(?!\s+\w+\s+\w+\s+\w+)")
#: A list of names that is longer than this is something else.
_LIST_REACH = 1500


def category(word: str) -> str:
    """Return the list that a label or a spoken vote belongs to."""
    first = word.split()[0]
    if first.startswith(("aye", "yea", "yes", "favo", "for", "affirm")) or first in ("y", "in"):
        return AYES
    if first.startswith(("abst",)):
        return ABSTAIN
    if first.startswith(("abs", "exc")) or (word.endswith("present") and first == "not"):
        return ABSENT
    if first.startswith(("rec", "disq", "conf")):
        return RECUSED
    if first == "not":
        return ABSTAIN
    return NOES


def label_cues(doc: DocumentText) -> Iterator[BallotCue]:
    """Yield a cue for every ``AYES: Smith, Jones`` and every ``Nays 0``."""
    for label in _LABEL.find(doc.lower):
        if not _is_label(doc, label):
            continue
        if not _in_attendance(doc, label) and not _of_speakers(doc, label):
            cue = _read_label(doc, label)
            if cue is not None:
                yield cue
    for label in _UPPER_LABEL.find(doc.text):
        if indent_start(doc.text, label.start(), 60) is None:
            continue
        cue = _read_list(doc, category(label["word"].lower()), label.start("word"), label.end())
        if any(cue.ballots.values()):
            yield cue


_PRESENT_BEFORE = pattern(
    r"\bpresent\b[\w ]{0,20}:\s{0,40}(?!none\b|nil\b|0)\w[^:]{3,160}"
    r"(?:(?:absent|excused)\s{0,3}:[^:]{2,80})?$"
)


def _in_attendance(doc: DocumentText, label: re.Match[str]) -> bool:
    """Whether ``Absent:`` follows the names of those present, and tells of no vote."""
    if category(label["word"]) != ABSENT:
        return False
    before = doc.lower[max(0, label.start() - 200) : label.start()]
    return _PRESENT_BEFORE.search(before) is not None


SPEAKERS = pattern(
    r"\b(?:speaking|spoke|speakers?|testif\w+|testimony|comments?|proponents|letters?)\b"
    r"(?:(?!\bmotion\b|\bmoved\b|\bvot)[^\n]){0,100}$"
)


def _of_speakers(doc: DocumentText, label: re.Match[str]) -> bool:
    """Whether ``in favor:`` and ``opposed:`` tell who spoke at a hearing, not who voted."""
    if not label["word"].startswith(("favo", "for", "against", "oppos")):
        return False
    before = doc.lower[max(0, label.start() - 120) : label.start()]
    return SPEAKERS.search(before) is not None


_PLAIN = word_set(
    """
    for no none yes against opposed favor favour absent excused conflict opposition negative
    affirmative
    """
)


def _is_label(doc: DocumentText, label: re.Match[str]) -> bool:
    """Whether the words are a label and not a part of a sentence."""
    word = label["word"]
    printed = doc.text[label.start() : label.end()]
    if word == "none":
        return (
            printed.startswith(("NONE", "None"))
            and label["mark"] == ":"
            and _line_start(doc, label.start())
        )
    if label["count"] and (not label["after"] or word == "no"):
        return word not in _PLAIN or (printed[0].isupper() and _after_break(doc, label.start()))
    mark = label["mark"] or label["after"].strip()
    if mark == ":":
        return word not in _PLAIN or printed[0].isupper() or _is_phrase(doc.lower, label.start())
    if not printed[0].isupper():
        return False
    if mark == "/":
        value = _WORD.match(doc.lower, label.end())
        return value is not None and (value[0] == "none" or value[0] not in BALLOT_WORDS)
    counted = _DIGIT_NEXT.match(doc.lower, label.end()) is not None
    if counted or word not in ("for", "no", "against") or printed.isupper():
        return True
    return (
        _after_break(doc, label.start())
        and _YES_BEFORE.search(doc.lower, max(0, label.start() - 250), label.start()) is not None
    )


_WORD = pattern(r"[^\W\d_]+")
_YES_BEFORE = pattern(r"\b(?:yes|ayes?|yeas?|for)\s{0,3}-")
_DIGIT_NEXT = pattern(r"\s{0,3}\d{1,2}(?![\d\-/])")


def _is_phrase(lower: str, start: int) -> bool:
    return (
        re.search(
            r"\b(?:voting|voted|votes?|in|those|members|trustees|directors|commissioners|councillors"
            r"|supervisors|aldermen|selectmen|council\w*)\s+(?:the\s+)?$",
            lower[max(0, start - 20) : start],
        )
        is not None
    )


def _after_break(doc: DocumentText, start: int) -> bool:
    before = doc.text[max(0, start - 3) : start].rstrip(" ")
    return not before or before[-1] in "\n,;.(/" or before[-1].isdigit()


def _line_start(doc: DocumentText, start: int) -> bool:
    return not doc.text[line_start(doc.text, start) : start].strip()


_PHRASE_START = pattern(
    r"(?:(?:those|members?)\s+)?(?:(?:voting|voted|votes?)\s+)?(?:in\s+(?:the\s+)?)?$"
)


def _read_label(doc: DocumentText, label: re.Match[str]) -> BallotCue | None:
    kind = NOES if label["word"] == "none" else category(label["word"])
    floor = max(0, label.start() - 40)
    phrase = _PHRASE_START.search(doc.lower, floor, label.start())
    start = phrase.start() if phrase else label.start()
    if label["count"] and not label["after"]:
        number = int(label["count"].strip("( )"))
        counted = BallotCue(start, label.end(), SOFT, counts={kind: number})
        return _counted_names(doc, kind, label, number) or counted
    cue = _read_list(doc, kind, start, label.end())
    if label["count"]:
        cue.counts[kind] = int(label["count"].strip("( )"))
    if label["word"] == "none":
        cue.flags.add("label_typo")
    return cue if cue.ballots or cue.counts or cue.unanimous else None


_LINE_OVER = pattern(r"[ .;]{0,4}(?:\n|$)")


def _counted_names(
    doc: DocumentText, kind: str, label: re.Match[str], number: int
) -> BallotCue | None:
    """Read ``Ayes 2  Smith, Jones``: a line of its own with as many names as were counted."""
    if not number or not _line_start(doc, label.start()):
        return None
    cue = _read_list(doc, kind, label.start(), label.end())
    named = len(cue.ballots.get(kind, ()))
    return cue if named == number and _LINE_OVER.match(doc.text, cue.end) else None


def _read_list(doc: DocumentText, kind: str, start: int, position: int) -> BallotCue:
    """Read what stands behind a label: nobody, everybody, a number, names, or both."""
    lower, text = doc.lower, doc.text
    cue = BallotCue(start, position, FIRM)
    nobody = _NOBODY.match(lower, position)
    if nobody:
        cue.ballots[kind], cue.end = [], nobody.end()
        cue.counts[kind] = 0
        return cue
    if everybody := _EVERYBODY.match(lower, position):
        cue.end, cue.unanimous = everybody.end(), kind == AYES
        return cue
    if count := _COUNT_FIRST.match(text, position):
        cue.counts[kind] = int(count[1])
        position = cue.end = count.end()
        if _stands_alone(text, count):
            return cue
    names, end = read_names(
        text, position, min(len(text), position + _LIST_REACH), doc.roster.known
    )
    if names:
        names, end = _with_presiding(doc, names, end)
        cue.ballots[kind], flags = doc.roster.surnames(names)
        cue.flags |= flags
        cue.end = end
        if last := _COUNT_LAST.match(text, end):
            cue.counts.setdefault(kind, int(last[1]))
            cue.end = last.end()
    return cue


_PRESIDING = pattern(r"\.[ ]{0,3}\n\s*(?=(?:Mayor|President|Chair\w*|Vice|Deputy|Supervisor)\b)")


def _with_presiding(doc: DocumentText, names: list[Name], end: int) -> tuple[list[Name], int]:
    """Add who presides when a line of their own follows the list: ``Mayor Smith.``"""
    row = _PRESIDING.match(doc.text, end)
    name = read_name(doc.text, row.end(), doc.roster.known) if row else None
    if (
        row is None
        or name is None
        or not re.match(r"\.?[ ]*(?:\n|$)", doc.text[name.end : name.end + 8])
    ):
        return names, end
    return [*names, name], name.end


def _stands_alone(text: str, count: re.Match[str]) -> bool:
    """Whether a number ends its line, and no indented names follow."""
    rest = text[count.end(1) : count.end() + 60]
    return re.match(r"\s{0,4}[:.,;)]?[ ]*\n(?! {4,}\S)", rest) is not None


_PORTLAND = pattern(
    r"\(\s?y\s?-\s?(\d{1,2})(?:\s?[;,]\s?n\s?-\s?(\d{1,2})(?P<names>[^)]{0,80}))?[^)]{0,60}\)"
)
_BRACKET = pattern(
    r"\b(?P<word>favou?r|for|against|opposed|ayes?|yeas?|yes|nays?|noes|no"
    r"|abstain(?:ed|ing)?|abstentions?|absent)\s{0,4}(?:\d{1,2}\s{0,3})?$"
)
_COUNTED = Phrase(
    "favo affirmative opposition aye yea yes against opposed nay noes abst",
    r"(?:favou?r|affirmative|opposition|ayes?|yeas?|yes|against|opposed|nays?|noes"
    r"|abstain\w*|abstentions?)\b",
)
_COUNT_BEFORE = pattern(
    rf"\b(?P<count>{_NUMBER})\s+(?:\(\d{{1,3}}\)\s+)?(?:members?\s+|votes?\s+)?"
    r"(?:voting\s+|voted\s+)?(?:in\s+(?:the\s+)?)?$"
)
_COUNT_REACH = 40
#: Labels and numbers in a row: which of them comes first tells which number is whose.
_RUN_TOKEN = pattern(rf"\b(?:(?P<label>{_WORDS})|(?P<number>{_NUMBER})|and|votes?|voting|in|the)\b")
_RUN_REACH = 120
_TALLY_OR_TOTAL = pattern(r"(?:\d\s?-|[^\W\d_]\s{1,4}-)\s{0,4}$")


def _count_before(lower: str, position: int) -> tuple[int | None, int, str]:
    """Return the number before a word, where it begins, and how it is written."""
    floor = max(0, position - _COUNT_REACH)
    count = _COUNT_BEFORE.search(lower[floor:position])
    if count is None or _counts_another(lower, floor + count.start()):
        return None, position, ""
    return number(count["count"]), floor + count.start(), count["count"]


def _counts_another(lower: str, position: int) -> bool:
    """Whether a number belongs to what stands before it: ``Ayes 6 Nays 0``, ``Smith - 3``."""
    before = lower[max(0, position - _RUN_REACH) : position]
    if _TALLY_OR_TOTAL.search(before):
        return True
    return _first_of_run(before) == "label"


def _first_of_run(before: str) -> str:
    """Return what labels and numbers that end a stretch of text begin with."""
    first, edge = "", len(before)
    for token in reversed(list(_RUN_TOKEN.finditer(before))):
        if before[token.end() : edge].strip(' \n,:;.-=()"'):
            break
        edge = token.start()
        if token.lastgroup:
            first = token.lastgroup
    return first


def counted_cues(doc: DocumentText) -> Iterator[BallotCue]:
    """Yield cues for ``15 in favor (Smith, Jones)``, ``5 ayes, 0 nays`` and ``(Y-5)``."""
    bracket = doc.text.find("(")
    while bracket >= 0:
        cue = _bracketed(doc, bracket)
        if cue is not None:
            yield cue
        bracket = doc.text.find("(", bracket + 1)
    yield from _pairs(doc)
    yield from _comma_cues(doc)
    for match in _PORTLAND.finditer(doc.lower):
        yield _portland(doc, match)


def _bracketed(doc: DocumentText, bracket: int) -> BallotCue | None:
    """Read the names in a bracket behind a word such as "against"."""
    floor = max(0, bracket - 20)
    label = _BRACKET.search(doc.lower[floor:bracket])
    close = doc.text.find(")", bracket, bracket + 800)
    if label is None or close < 0:
        return None
    names, end = read_names(doc.text, bracket + 1, close, doc.roster.known)
    if not names or doc.text[end:close].strip(" \n.,"):
        return None
    kind = category(label["word"])
    ballots, flags = doc.roster.surnames(names)
    count, start, _ = _count_before(doc.lower, floor + label.start())
    cue = BallotCue(start, close + 1, FIRM, ballots={kind: ballots}, flags=flags)
    if count is not None:
        cue.counts[kind] = count
    return cue


_COUNTED_SHORT = pattern(r"[0-9] (?:votes? )?(?P<word>for|no|absent|against)\b")
_PAIRED = word_set(
    """
    no yes for opposed absent against
    """
)


def _pairs(doc: DocumentText) -> Iterator[BallotCue]:
    """Yield counts with words; doubtful words count only beside a count of the other side."""
    waiting: BallotCue | None = None
    words = [match.span() for match in _COUNTED.find(doc.lower)]
    words += [match.span("word") for match in _COUNTED_SHORT.finditer(doc.lower)]
    for position, end in sorted(words):
        word = doc.lower[position:end]
        count, start, written = _count_before(doc.lower, position)
        if count is None:
            continue
        kind = category(word)
        cue = BallotCue(start, end, SOFT, counts={kind: count})
        _add_named_behind(doc, cue, kind)
        near = waiting is not None and start - waiting.end < 60
        if (
            waiting is not None
            and near
            and kind not in waiting.counts
            and not doc.blank_line_between(waiting.end, start)
        ):
            cue.start, cue.counts = waiting.start, {**waiting.counts, **cue.counts}
            cue.ballots = {**waiting.ballots, **cue.ballots}
            yield cue
        elif word not in _PAIRED and written not in ("no", "none", "one"):
            yield cue
        waiting = cue


_DASH = pattern(r" {0,2}- {0,2}(?=[A-Z])")
_LIST_OVER = pattern(r" {0,3}(?:[);.\n]|$)")


def _add_named_behind(doc: DocumentText, cue: BallotCue, kind: str) -> None:
    """Add the names of ``1 nay - Smith``, if they are as many as were counted."""
    dash = _DASH.match(doc.text, cue.end)
    if dash is None:
        return
    names, end = read_names(doc.text, dash.end(), dash.end() + 200, doc.roster.known)
    settled, flags = doc.roster.surnames(names)
    if settled and len(settled) == cue.counts[kind] and _LIST_OVER.match(doc.text, end):
        cue.ballots[kind], cue.end = settled, end
        cue.flags |= flags


_COMMA_LABEL = Phrase(
    "Yea YEA Aye AYE Nay NAY Noes NOES",
    r"(?P<word>Yeas|YEAS|Ayes|AYES|Nays|NAYS|Noes|NOES), {1,3}(?=[A-Z]|none\b)",
)


def _comma_cues(doc: DocumentText) -> Iterator[BallotCue]:
    """Yield a cue for ``Yeas, Smith, Jones - 2``, a line of its own that ends with the count."""
    for label in _COMMA_LABEL.find(doc.text):
        if indent_start(doc.text, label.start(), 60) is None:
            continue
        kind = category(label["word"].lower())
        cue = _read_list(doc, kind, label.start(), label.end())
        if cue.counts.get(kind) == len(cue.ballots.get(kind, ())):
            yield cue


def _portland(doc: DocumentText, match: re.Match[str]) -> BallotCue:
    cue = BallotCue(match.start(), match.end(), FIRM, counts={AYES: int(match[1])}, whole_vote=True)
    if match[2]:
        cue.counts[NOES] = int(match[2])
        names, _ = read_names(doc.text, match.start("names"), match.end("names"), doc.roster.known)
        if names:
            cue.ballots[NOES], cue.flags = doc.roster.surnames(names)
    return cue
