"""Find the words of a motion, as they are printed: from its verb to its end.

They may be in many places.  The likeliest comes first::

    Motion: To pay the bills.  Moved by Smith, seconded by Jones.    a label above the names
    Smith moved to pay the bills, seconded by Jones.                 behind the mover
    Moved by Smith, seconded by Jones, to pay the bills.             behind the seconder
    On motion of Smith the Board voted to pay the bills.             behind the outcome
    The minutes were approved on the motion of Smith.                before the outcome

Where none of them has any, the heading above is what was voted on.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from .assemble import Motion
from .context import DocumentText
from .text import end_without, last_match, line_start, pattern, plain

#: Motions are published up to this length.
_LONGEST = 600
#: Words before a colon that are as few as this only say whose resolution it is: ``That Council:``
_FEW_WORDS, _SUBJECT_ONLY = 9, 90

#: Nothing, or the number of the first part: ``That Council: 1.``
_NUMBER_ONLY = pattern(r"[\s\-(]{0,80}(?:(?:\d{1,2}|[a-z]|[ivx]{2,4})[.)])?\s{0,40}")
_OPENING = pattern(
    r"[\s,;:.\-)\]\"]*(?:(?:(?:the|a)\s+motion|motion|and|be\s+it\s+(?:further\s+)?resolved(?:\s+by[^,:]{3,80})?"
    r"|it\s+was\s+resolved|resolved)[\s,:]+)?(?:\(?(?:\d{1,2}|[a-z])[.)]\s+)?(?:(?:to|that|for)[\s:\-]+)?",
    re.I,
)
_CLOSING = pattern(
    r"[\s,;:(.&\-]+(?:unanimously|duly|and|which|was|motion|the|a|it|on|with|by"
    r"|roll\s+call(?:\s+vote)?:?|were|did\s+not)?\s*$",
    re.I,
)
#: The motion after its reasons.
_AFTER_WHEREAS = pattern(r"\b(?:now,?\s+)?therefore,?\s+|\bbe\s+it\s+(?:\w+\s+)?resolved\b", re.I)
_THAT = pattern(
    r"\b(?:resolved|agreed)\s+unanimously\s+(?=there\s|no\s|not\s)"
    r"|\br\u00e9solue?\s+(?:que\s+|de\s+|d')"
    r"|[a-z)\d]+\s*[:,\-]?\s+(?:that|to)\s+(?=[a-z])|resolved\s*:\s*|\bvoted\s*:\s*(?:to\s+)?"
)
_DONE = pattern(
    r"[a-z]+\)?,\s+"
    r"(?=the\s+(?:meeting|board|council|commission|committee)\b(?![^.;]{0,30}\bvoted\b))"
)
_NO_WORDS = pattern(
    r"(?:(?:and|which|the|this|they|was|were|with|a|it|all|in|so|its|on)\s+)*"
    r"(?:(?:motion|proposition|seconde?d?|duly|unanimously|failed|passed|carried|approved|adopted"
    r"|granted|denied|deferred|adoption|vote|voted|voting|favou?r|discussion|approval|roll|call"
    r"|question|recorded|aye|unanimous|amendment|main|as|amended|by|put|lost|declared|board"
    r"|council|court|commission|committee|authority|members|moved|made|ordered|with|was|is|the"
    r"|and|being|called|for|voice|action|action:|be\s+it"
    r"|resolved|following|taken|motioned|so|upon|on|that|to)[\s,.:;]*)+"
    r"(?:[\d\s\-/(),]|to|with|of){0,16}|\(.{0,12}\)?|[^a-z]{0,12}|which|this(?:\s+motion)?"
    r"|(?:the|a|this)\s+(?:following\s+)?(?:resolution|ordinance|local\s+law|by-?law)",
    re.I,
)
#: Words of the vote itself; what contains them is not what was moved.
_VOTE_WORDS = pattern(
    r"\b(?:ayes?|nays?|noes|yeas?|abstain\w*|abstentions?|absent|present|mover|seconder|voting"
    r"|in\s+favou?r|opposed)\b\s{0,3}(?:[:\-=]|\d)"
    r"|^.{0,40}\bvot(?:ed|ing)\s+(?:aye|yes|no|nay|yea)\b"
    r"|[\s,\-:\"](?:aye|nay|yea)\b|\byes\s+no\b|\b[yn]-[a-z]+, [yn]-"
    r"|\bseconded\s+by\s.{2,80}\bmotion\s+(?:carried|passed)\b|^(?:none|nil)$"
)
_OUTCOME_ONLY = pattern(
    r"(?:(?:the|this)\s+)?(?:motion|vote|question|amendment|mayor\s+declared|there\s+being)\b"
    r"(?!\s+to\b|\s+that\b)|second\s+of\b|(?:was|were)\s+(?:put|approved|adopted|carried)\b"
    r"|(?:(?:up)?on\s+)?roll\s+call\b|(?:motion\s+)?seconded\b|voice\s+vote\b|by\s+a\s+vote\b"
    r"|proposed\s+(?:as\s+[^.;]{3,40}\s+)?by\b",
    re.I,
)
#: Says nothing of what: ``who moved its adoption``.
_ITS_ADOPTION = pattern(
    r"(?:who|and)\s+moved\s+(?:for\s+)?(?:its|the)\s+(?:adoption|passage|approval)", re.I
)
_BLANK = pattern(r"[\s.:\-\")\]]{0,200}")
#: A semicolon or full stop inside a motion: more of it follows, and not what became of it.
_ENDS = pattern(
    r"[;.]\s{0,40}(?:and,?\s+)?(?:(?:the|this|said|which|his|her|upon|on|a|by|with|it)\s+){0,2}"
    r"(?:motions?|second\w*|roll|vot\w+|carried|passed|approved|unanim\w+|ayes?|yeas?|all\s+in"
    r"|discussion|council\w*|commissioner|trustee|mayor|chair\w*|member|mr|mrs|ms|dr|cllr|cr|director"
    r"|supervisor|select\w+|adopted|resolved|no\s+further)\b"
)
_SECONDED_WITHOUT_COMMA = pattern(
    r"[,;.]?\s+(?:(?:and\s+)?(?:(?:it|the\s+motion|which|motion)\s+)?(?:was\s+)?(?:duly\s+)?"
    r"(?:seconded|supported)\b|second(?:ed)?\s+by\b|2\s?nd\s+by\b)"
)
#: ``Moved by Smith and seconded to adjourn``
_SECONDED_BY_NOBODY = pattern(r",?\s+(?:and\s+)?(?:duly\s+)?seconded,?\s+(?=(?:to|that)\s)")
_CARRIED_BEHIND = pattern(
    r"[,;.]?\s+(?:(?:and|which|the\s+motion|motion)\s+){0,2}(?:was\s+)?(?:unanimously\s+)?"
    r"(?:carried|passed|failed)\b(?:\s+unanimously\b|\s+\(?\d|\s*[.;]|$)"
)
_VOTED_BEHIND = pattern(r"[,;]?\s+and\s+(?:the\s+)?(?:\w+\s+){1,3}voted\b")
_LINE_WITH_TO = pattern(r"[)\s]{0,4}[A-Z][^\n.]{3,60}\n\s{0,10}(?=To\s+[a-z])")
#: The hour ends the sentence if the next word has a capital.
_AFTER_HOUR = pattern(r"[ap]\.m\.(?=\s{1,3}(?:On|Upon|The|All|Roll|Motion|A)\s)")
#: Where a line is a paragraph, the next one that begins with a capital is another.
_NEXT_PARAGRAPH = re.compile(r"\n(?<=[^\s:,;-]\n) {0,20}(?=[A-Z])")
#: A line that begins with the vote.
_VOTE_BELOW = pattern(r"\n[ ]{0,20}(?:VOTE|Vote|ROLL\s+CALL|Roll\s+Call|RESULT|Weighted)\b")
#: A label, in a line of its own or before the names, with the words of the motion behind it.
_LABEL_ABOVE = pattern(
    r"(?:^|\n)[ ]{0,40}(?:recommended\s)?(?:motion|recommendation|resolution|action|proposal)"
    r"\s{0,3}:\s{0,20}(?=[^\n:])",
    re.I,
)
#: The same in text that lost its lines: ``Minutes of May RESOLUTION: That they be confirmed.``
_LABEL_IN_LINE = pattern(
    r"\b(?:MOTION|RECOMMENDATION|RESOLUTION)\s{0,3}:\s{0,20}(?=T(?:hat|HAT)\b)"
)
_LABELLED = 500
#: Behind a colon of their own such words are about another motion.
_NOT_MOVED = pattern(r"\b(?:moved|seconded|passed|carried|failed|in favou?r)\b", re.I)
_LABEL_BELOW = pattern(
    r"[\s.]{0,20}motion\s{0,3}:\s{0,20}(?=to\b|that\b|approv|accept|adopt)", re.I
)
#: Says nothing without what it is about: ``Smith proposed acceptance.``
_BARE_NOUN = pattern(
    r"(?:the\s+)?(?:acceptance|approval|adoption|so|it|this|as\s+(?:presented|submitted|amended)"
    r"|approve|accept|adopt)(?:\s+as\s+\w+)?",
    re.I,
)
#: What the agenda asks for, in the line above: ``(ii) To approve the accounts.``
_ASKED_ABOVE = pattern(
    r"(?:^|\n)[ ]{0,20}(?:\(?(?:\d{1,2}|[a-z]|[ivx]{1,4})[.)]\s{0,4})?(?P<words>(?:To"
    r"|That)\s[^\n]{8,200})"
    r"\n\s{0,20}$"
)
#: ``(Town)`` behind a name.
_NOTE = pattern(r"\([^()]{1,30}\)[\s,;:]{0,4}(?=\S)")
#: The motion in the sentence above the names.
_MOTION_ABOVE = pattern(r"\bmotion\s+to\s+(?P<words>[^.]{8,400}\.|[^.\n]{5,200})\s{0,40}$", re.I)
#: Words that only announce what follows.
_ANNOUNCED = pattern(
    r"(?:that\s+)?(?:the\s+)?following\s+actions?\s+be\s+taken[^:]{0,40}:\s+(?=\S)", re.I
)
_FOLLOWS = pattern(r".{0,40}\bfollowing\b.{0,60}", re.I)
#: How it was voted, before what was voted on.
_VOTED_TO = pattern(
    r"(?:(?:and|it\s+was|was|then|unanimously)\s+)*(?:voted\s*:?\s+(?:unanimously\s+|\(?\d{1,2}\s?-\s?\d{1,2}\)?,?\s+)?"
    r"(?:with\s[^.;]{3,60},\s+)?to\s+"
    r"|(?:by|on|with)\s.{3,90}?\bthe\s+motion\s+to\s+)",
    re.I,
)


#: How it was voted, behind what was voted on.
_BY_THE_VOTE = pattern(
    r",?\s+(?:by|on|with|upon)\s+(?:the|a)\s+following\s+(?:unanimous\s+|roll[\s-]call\s+|voice\s+)?vote\b.{0,20}$",
    re.I,
)
#: What was voted on is longer than this.
_ITS_VOTE = 8


@dataclass(frozen=True)
class Wording:
    """The words of a motion, where they are, and what kind of place that is."""

    words: str
    start: int
    end: int
    #: "label", "mover", "seconder", "outcome", "statement", "below", "above" or "heading".
    place: str

    @property
    def only_a_person(self) -> bool:
        """Whether they name somebody and do not say what for: ``Cllr Tong proposed Cllr Smith``."""
        return _ONLY_A_PERSON.fullmatch(self.words) is not None


def motion_wording(
    doc: DocumentText, motion: Motion, item_title: str | None, floor: int = 0
) -> Wording | None:
    """Return what was moved, in the document's own words, or the title of its item.

    The vote before it ends at ``floor``.
    """
    person: Wording | None = None
    for place, start, end in _places(doc, motion, floor):
        words = _tidy(_as_printed(doc, start, end))
        # Initials say who, and the item what for: ``CC was proposed by DM``.
        initials = place == "above" and words.isupper() and bool(item_title)
        if _says_what(words) or (initials and _ONE_PERSON.fullmatch(words)):
            if _ONLY_A_PERSON.fullmatch(words):
                # What for may be said further on.
                person = person or Wording(words, start, end, place)
                continue
            if person is not None and place != "outcome":
                continue
            bare = _BARE_NOUN.fullmatch(words) or (
                place == "above" and _ONE_PERSON.fullmatch(words)
            )
            if bare and (about := _about(doc, motion, item_title)):
                words = f"{words} ({about})"
            return Wording(words, start, end, place)
    if person is not None:
        return person
    return Wording(item_title, motion.start, motion.start, "heading") if item_title else None


_ONE_PERSON = re.compile(r"(?:[A-Z][\w.'-]* ){0,4}[A-Z][\w'-]+")
_ONLY_A_PERSON = pattern(r"(?:Cllr|Councill?or|Cr|Mr|Mrs|Ms|Miss|Dr)\.?(?: [A-Z][\w'.-]*){1,3}")
#: What precedes a motion in its line: ``Treasurer's report: Smith made a motion to accept``.
_LEADS_TO = re.compile(r"[ ]{0,8}(?P<about>[^\n:;.]{6,60})[:;] {1,3}$")


def _about(doc: DocumentText, motion: Motion, item_title: str | None) -> str | None:
    """Return what a motion without words is about: what leads to it in its line, or its item."""
    line = line_start(doc.text, motion.start)
    leads = _LEADS_TO.match(doc.text, line, motion.start)
    return leads["about"] if leads else item_title


#: Marks of style that are no words.
_STYLE = dict.fromkeys(map(ord, "*_|`\\"), " ")


def _as_printed(doc: DocumentText, start: int, end: int) -> str:
    """Return a stretch as printed, without running headers, line numbers and marks of style."""
    original, text = doc.original[start:end], doc.text[start:end]
    if text in (original, plain(original)):
        return original.translate(_STYLE)
    letters = []
    for printed, normal in zip(original, text, strict=True):
        moved = printed.isspace() or (normal.isalnum() and normal != printed)
        dropped = normal.isspace() and printed != "#"
        letters.append(normal if dropped or moved else printed)
    return "".join(letters)


#: What was resolved, above an outcome that is alone in its line: ``Be it resolved that``.
_RESOLVED_ABOVE = pattern(r"\b(?:be\s+it\s+(?:\w+\s+)?resolved|resolved),?\s+that\s+", re.I)
#: A pronoun for what the sentence before it says: ``This was introduced by Smith``.
_PRONOUN_ONLY = pattern(
    r"(?:this|it|the\s+(?:same|resolution|ordinance|motion))\s+(?:(?:was|is)\s*)?", re.I
)
#: Who was proposed or nominated: ``Mr. Smith was``.
_SOMEBODY_WAS = re.compile(r"(?P<who>(?:[A-Z][\w.'-]*\s){0,4}[A-Z][\w'-]+)\s+(?:was|is)\s+")
#: The mover of a motion that is a line of its own: ``By: Smith``.
_BY_LABEL = pattern(r"\n\s*(?:by|moved\s+by|mover|proposed\s+by)\s?:?\s*$", re.I)
#: ``Smith introduced Resolution No. 12 and moved its adoption``
_INTRODUCED = pattern(
    r"\b(?:introduced|offered|presented|submitted|sponsored)\s+(?P<words>[^;\n]{4,140}?)\s+and\s+moved"
)
#: ``The minutes were motioned for approval by Smith``
_MOTIONED = pattern(r"(?P<words>[A-Z][^.]{8,300}?\bmotioned\s+for\s+\w+)\s+by\b")
#: A title that begins the line of its motion is no longer than this.
_RUN_IN = 80
#: What was resolved is at most this far above its outcome.
_RESOLVED_REACH = 1500


def _places(doc: DocumentText, motion: Motion, floor: int) -> Iterator[tuple[str, int, int]]:
    """Yield where the words of a motion may be, the likeliest place first."""
    made, second, outcome = motion.made, motion.second, motion.outcome
    voted_at = outcome.at if outcome else motion.end
    if motion.ballots_start:
        voted_at = min(voted_at, motion.ballots_start)
    outcome_first = made is not None and outcome is not None and outcome.at < made.start
    if made is not None and made.words_above:
        yield "above", made.start, _words_end(doc, made.start, made.at)
    if made is not None and made.bracket:
        # ``Approve the article (Smith/Jones 4-2)``
        yield "above", doc.sentence_start(made.start, 400), made.start - 1
    if made is not None and not outcome_first:
        if above := _label_above(doc, made.start):
            yield "label", *above
        edges = (made.words_end, second.start if second else motion.end, voted_at)
        nobody = _SECONDED_BY_NOBODY.match(doc.lower, made.end)
        start = nobody.end() if nobody else made.end
        later = [edge for edge in edges if edge > start]
        yield "mover", start, _words_end(doc, start, min(later, default=None))
        if outcome is not None:
            named = max(made.end, second.end if second and second.end <= outcome.at else 0)
            if named <= outcome.at and _BODY_DID.fullmatch(doc.lower, named, outcome.at):
                # ``On motion of Smith, the Board approved the contract by the following vote:``
                edge = motion.ballots_start if motion.ballots_start > outcome.at else None
                yield "outcome", outcome.at, _words_end(doc, outcome.at, edge)
    if made is None and second is not None and not outcome_first:
        by = _BY_LABEL.search(doc.text, max(0, motion.start - 24), motion.start)
        if by and line_start(doc.text, by.start()) >= floor:
            yield "above", line_start(doc.text, by.start()), by.start()
    if made is None and outcome is not None and second is None:
        bottom = max(floor, outcome.at - _RESOLVED_REACH)
        resolved = last_match(_RESOLVED_ABOVE, doc.text, bottom, outcome.at)
        if resolved is not None:
            yield "above", resolved.end(), _words_end(doc, resolved.end(), outcome.at)
    if made is not None and (motioned := _MOTIONED.match(doc.text, made.start, made.end)):
        yield "statement", motioned.start("words"), motioned.end("words")
    if second is not None and not outcome_first:
        below = _LABEL_BELOW.match(doc.text, second.end)
        start = below.end() if below else _after_seconders(doc, second.end)
        edge = voted_at if voted_at > second.end else None
        if line := _LINE_WITH_TO.match(doc.text, start):
            # Something else fills the line of the names.
            yield "seconder", line.end(), _words_end(doc, line.end(), edge)
        yield "seconder", start, _words_end(doc, start, edge)
    if outcome is not None:
        said = [where.search(doc.lower, outcome.at, outcome.end) for where in (_DONE, _THAT)]
        that = min((each for each in said if each), key=lambda each: each.end(), default=None)
        names = motion.ballots_start if motion.ballots_start > outcome.at else None
        after = _whole_statement(doc, motion)
        if _is_that(doc, after):
            yield "below", after, _words_end(doc, after, None)
        if made is None and second is None and outcome.at == outcome.start:
            above = _title_above(doc, outcome.at, floor)
            if above is not None:
                yield "above", *above
        if that is not None and not outcome_first:
            before = names if names and names > that.end() else None
            yield "outcome", that.end(), _words_end(doc, that.end(), before)
        if outcome_first or (made is None and outcome.at > motion.start):
            begin = doc.sentence_start(outcome.at, 400)
            top = line_start(doc.text, outcome.at, 400)
            if top > begin and _begins_sentence(doc, top):
                begin = top
            yield "statement", begin, _whole_statement(doc, motion)
        if that is not None:
            yield "outcome", that.end(), _words_end(doc, that.end(), None)
        behind = doc.sentence_end(outcome.at)
        if _is_that(doc, behind):
            yield "below", behind, _words_end(doc, behind, None)
    if made is not None and (moved := _INTRODUCED.search(doc.text, made.start, made.end)):
        yield "statement", *moved.span("words")
    if made is not None and made.start > 0:
        floor = max(0, made.start - 500)
        if moved := _MOTION_ABOVE.search(doc.text[floor : made.start]):
            yield "above", floor + moved.start("words"), floor + moved.end("words")
        if asked := _ASKED_ABOVE.search(doc.text[floor : made.start]):
            yield "above", floor + asked.start("words"), floor + asked.end("words")
        begin = doc.sentence_start(made.start, 400)
        if somebody := _SOMEBODY_WAS.fullmatch(doc.text, begin, made.start):
            yield "above", begin, somebody.end("who")
        if _PRONOUN_ONLY.fullmatch(doc.text, begin, made.start):
            yield "above", doc.sentence_start(max(0, begin - 3), 400), begin
        if begin < made.start:
            yield "above", begin, made.start
        # ``Consent agenda. Smith so moved.``
        title = line_start(doc.text, made.start)
        if title < begin and made.start - title <= _RUN_IN:
            yield "above", title, made.start


_AND = re.compile(r",?\s+(?:and\s+)?")
_BE_IT_RESOLVED = pattern(
    r"[\s,;]{0,4}be\s+it[;:,]?\s+resolved[,:]?\s+(?:as\s+it\s+is\s+hereby\s+resolved,?\s+)?", re.I
)


def _after_seconders(doc: DocumentText, position: int) -> int:
    """Return where the words behind a seconder begin: after others with a title who seconded."""
    while (link := _AND.match(doc.text, position)) and (
        (name := doc.name_at(link.end())) and name.titled and name.start == link.end()
    ):
        if not _MORE.match(doc.text, name.end):
            break
        position = name.end
    resolved = _BE_IT_RESOLVED.match(doc.text, position)
    return resolved.end() if resolved else position


#: Another seconder follows, or what was moved.
_MORE = re.compile(r",(?:\s+Jr\.,)?\s+(?:and\s+)?(?=[A-Z]|be it\b|to\b|that\b)|\s+and\s+(?=[A-Z])")
_BODY_DID = pattern(
    r"[\s,;]{1,4}(?:[a-z]+\s+){0,4}(?:board|council|commission(?:ers)?|committee|court|trustees|directors"
    r"|supervisors|selectmen|authority|jury|members|assembly)\s+(?:\w+ly\s+)?"
)
#: The kind of a matter, before its title: ``RESOLUTION - ``.
_KIND = pattern(r"(?:[\w./-]*\d[\w./-]*\s{1,40})?(?:[A-Z]{4,20} {0,3}[-:] {0,3})?")


_RESULT_ALONE = re.compile(r" {0,40}[A-Z][a-z]+(?: [A-Za-z]+){0,3} {0,8}\n")


def _title_above(doc: DocumentText, outcome: int, floor: int) -> tuple[int, int] | None:
    """Return the paragraph above a result that is alone in its line: the title of a matter."""
    line = line_start(doc.text, outcome)
    if not _RESULT_ALONE.match(doc.text, line):
        return None
    end = end_without(doc.text, line, " \n")
    start = max(floor, doc.text.rfind("\n\n", 0, end) + 2)
    title = _KIND.match(doc.text, start)
    start = title.end() if title else start
    return (start, end) if 0 < end - start <= _LONGEST else None


def _begins_sentence(doc: DocumentText, line: int) -> bool:
    """Whether a line begins a sentence: a capital, below a line that is much shorter."""
    above = line_start(doc.text, max(0, line - 1))
    end = doc.text.find("\n", line)
    length = (len(doc.text) if end < 0 else end) - line
    return doc.text[line : line + 1].isupper() and (line - above) * 2 < length


def _whole_statement(doc: DocumentText, motion: Motion) -> int:
    """Return where a statement ends that is the motion itself: ``The minutes were approved``."""
    assert motion.outcome is not None
    verb = re.compile(r"[^\W\d_]+").match(doc.lower, motion.outcome.at)
    return verb.end() if verb else motion.outcome.at


def _is_that(doc: DocumentText, position: int) -> bool:
    """Whether a clause with "that" begins at a position, in a paragraph of its own."""
    gap = _BLANK.match(doc.text, position)
    after = gap.end() if gap else position
    between = doc.text[position:after]
    if '"' in between:
        return doc.lower.startswith(("that ", "to "), after)
    if doc.text.startswith("THAT ", after):
        return True
    return "\n" in between and doc.lower.startswith("that ", after)


def _label_above(doc: DocumentText, position: int) -> tuple[int, int] | None:
    """Return the words behind ``Motion:`` that end where the names begin."""
    floor = max(0, position - 500)
    in_line = doc.text[line_start(doc.text, position) : position].strip()
    label = last_match(_LABEL_IN_LINE if in_line else _LABEL_ABOVE, doc.text, floor, position)
    end = end_without(doc.text, position, " \n")
    if label is None or not 3 < end - label.end() <= _LABELLED:
        return None
    words = doc.text[label.end() : end]
    if ":" in words and ("\n\n" in words or _NOT_MOVED.search(words)):
        return None
    return label.end(), end


def _words_end(doc: DocumentText, start: int, edge: int | None) -> int:
    """Return where the words of a motion end that begin, maybe after a gap, at ``start``.

    A semicolon does not end them unless what became of the motion follows; an amount does not.
    """
    edge = start + _LONGEST if edge is None else min(edge, start + _LONGEST)
    gap = _BLANK.match(doc.text, start)
    start = gap.end() if gap else start
    end = doc.sentence_end(start, _LONGEST)
    while end < edge and doc.text[end - 1 : end] == ";" and not _ENDS.match(doc.lower, end - 1):
        gap = _BLANK.match(doc.text, end)
        end = max(end + 1, doc.sentence_end(max(end + 1, gap.end() + 4 if gap else 0), _LONGEST))
    if doc.lower.startswith("whereas", start):
        therefore = _AFTER_WHEREAS.search(doc.text, start, start + 4000)
        if therefore and therefore.end() < edge + 4000:
            return doc.sentence_end(therefore.end(), _LONGEST)
    ends_open = doc.text[max(start, end - 8) : end].rstrip().endswith(":")
    announced = _tidy(doc.text[start:end]) if ends_open else ""
    colon = doc.text.find(":", start, min(end, start + _SUBJECT_ONLY))
    if not ends_open and colon > 0 and _NUMBER_ONLY.fullmatch(doc.lower, colon + 1, end):
        ends_open, announced = True, _tidy(doc.text[start:colon])
    if ends_open and (
        not _says_what(announced)
        or _FOLLOWS.fullmatch(announced)
        or len(announced.split()) <= _FEW_WORDS
    ):
        # ``BE IT RESOLVED:`` and the motion in the next paragraph.
        gap = _BLANK.match(doc.text, end)
        end = doc.sentence_end(gap.end() + 4 if gap else end, _LONGEST)
    end = max(start, min(edge, end))
    for behind in (_SECONDED_WITHOUT_COMMA, _CARRIED_BEHIND, _VOTED_BEHIND):
        if found := behind.search(doc.lower, start, end):
            end = found.start()
    if vote := _VOTE_BELOW.search(doc.text, start, end):
        end = vote.start()
    if hour := _AFTER_HOUR.search(doc.text, start, end):
        end = hour.end()
    if doc.lines_are_paragraphs and (line := _NEXT_PARAGRAPH.search(doc.text, start, end)):
        end = line.start()
    return end


def _tidy(text: str) -> str:
    """Return words in one line, without what opens and closes the sentence of a motion."""
    words = " ".join(text.split()).lstrip(" .,;:-)]")
    if words.lower().startswith("whereas") and (therefore := _AFTER_WHEREAS.search(words)):
        words = words[therefore.end() :]
    if announced := _ANNOUNCED.match(words):
        words = words[announced.end() :]
    if adoption := _ITS_ADOPTION.match(words):
        # ``introduced by Smith, who moved its adoption accepting the gift``
        words = words[adoption.end() :].lstrip(" ,.;:")
    if note := _NOTE.match(words):
        words = words[note.end() :]
    if voted := _VOTED_TO.match(words):
        words = words[voted.end() :]
    for _ in range(2):
        opening = _OPENING.match(words)
        words = words[opening.end() if opening else 0 :]
    if (vote := _BY_THE_VOTE.search(words)) and vote.start() > _ITS_VOTE:
        words = words[: vote.start()]
    tail = _CLOSING.sub("", _CLOSING.sub("", words[-60:]))
    words = (words[:-60] + tail).strip(' .,;:"\u201c\u201d')
    return words if len(words) <= _LONGEST else words[: _LONGEST - 3].rstrip() + "..."


def _says_what(words: str) -> bool:
    """Whether words say what was moved, and not that or how it was voted on."""
    if len(words) < 4 or _VOTE_WORDS.search(words.lower()):
        return False
    return _NO_WORDS.fullmatch(words) is None and _OUTCOME_ONLY.match(words) is None
