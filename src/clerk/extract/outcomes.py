"""Read what became of a motion, from printed words only.

A verb alone proves nothing: "the plan should be adopted" and "if the motion carries" are talk,
"the House passed the bill" is somebody else's vote.  An outcome needs its subject (the motion, the
question), or stands by itself as a sentence: ``Carried.``
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from .ballots import TALLY, tally_in
from .context import FIRM, MENTION, SOFT, STRONG, DocumentText, OutcomeCue
from .model import DIED, FAILED
from .questions import question_told
from .shorthand import pair_in_brackets
from .telling import (
    LONG_AGO,
    NO_SECOND,
    OTHER_BODY,
    TALK,
    add_manner,
    body_before,
    verdict,
)
from .text import Phrase, last_match, line_start, pattern
from .votings import voting_cues

_REPORTED = pattern(
    r"\b(?:stated|said|noted|reported|reminded|shared|explained|indicated|mentioned|advised)\b"
    r".{0,60}\bthat\b"
)
_NOT_A_VOTE = pattern(
    r"\bnotice\s+of\s+motion|\bvotes?\s+of\s+(?:sympathy|thanks|condolence|congratulation)"
)
_ON_MOTION = pattern(
    r"\s+(?:and\s+\w+\s+)?(?:by\s+the\s+\w+\s+)?(?:up)?on\s+(?:the\s+|a\s+)?"
    r"(?:proposal|proposition|motion)\b|\s+(?:a|the)\s+motion\s+(?:made\s+)?(?:by|of|from)\b"
)
_VERB = Phrase(
    (
        "carr prevail pass fail defeat lost died dies withdr adopted approved accepted "
        "ratified granted denied rejected agreed resolved tabled confirmed concurred deferred "
        "continued received appointed adopt\u00e9 rejet\u00e9 r\u00e9solu "
        "recommended authorized directed"
    ),
    r"(?P<plain>carried|carries|carry|prevailed|prevails|passed|passes|pass|failed|fails"
    r"|defeated|lost|died|dies|withdrawn|withdrew)\b"
    r"|(?P<approving>adopted|approved|accepted|ratified|granted|denied|rejected|agreed"
    r"|resolved|tabled|confirmed|concurred|deferred|continued|received|appointed|adopt\u00e9e?s?|rejet\u00e9e?s?|r\u00e9solue?|recommended|authorized|directed)\b",
)
_ABOUT_MOTION = pattern(r"\b(?:motions?|amendments?|question|votes?|voting|substitute)\b")
_SECONDED = pattern(r"\bmoved\b.{0,120}\bsecond(?:ed)?\b", re.S)
_SUBJECT = pattern(
    r"\b(?:motions?|amendments?|question|vote|resolutions?|ordinances?|by-?laws?|bills?|measure"
    r"|item|items|minutes|agenda|request|application"
    r"|which|it|same|recommendation|report|budget|appointment|plat|permit|variance|contract"
    r"|agreement|proposal|warrants?|claims|bid)\b"
)
#: Searched as printed: May is a month.
_MAY = pattern(r"\bmay\b[^,]{0,70}$")
_INFINITIVE = pattern(
    r"\b(?:be|being|been\s+previously|to\s+be|to|not\s+yet|get|getting|have|having|previously"
    r"|recently|already)\s+(?:\w+ly\s+)?$"
)
_NOT = pattern(r"\b(?:not|n't|failed\s+to|fails\s+to|did\s+not|does\s+not)\s+(?:\w+\s+)?$")
_CARRIED_ELSEWHERE = pattern(
    r"\s+(?:out|over|forward|through|onto|away|along|around|down|by\s+(?:the\s+)?(?:state|house"
    r"|senate|legislature|congress|voters))\b"
    r"|\s+(?:a|an|the|his|her|senate|house|its|this|that|these|those|legislation"
    r"|laws?)\s+(?!motion\b|vote\b|chair)"
)
_ENACTING = pattern(r"\bbe\s+it\s+(?:\w+\s+){0,2}$|\bhereby\s+$|\btherefore,?\s+$")
_ANY_MOTION = pattern(r"\b(?:an?|any|no|every|each)\s+(?:\w+\s+)?motion\s+(?:\w+\s+){0,2}$")
_RULES = pattern(r"\b(?:shall|may|must|cannot|can|will|would|requires?)\b")
_AUXILIARY = pattern(
    r"\b(?:was|were|is|are|been|and|then|motion|motions|unanimously|duly|hereby|thereupon"
    r"|declared|therefore|stands?|has|have|also|vote|be\s+it|it|motion\s+is|item|minutes|which"
    r"|resolution)"
    r"[\s,:\-]+(?:\w+ly\s+|so\s+|then\s+|hereby\s+|all\s+)?[\"(]?$"
)


def outcome_cues(doc: DocumentText) -> Iterator[OutcomeCue]:
    """Yield a cue for every sentence that says what became of a motion."""
    yield from _verb_cues(doc)
    yield from voting_cues(doc)


def _verb_cues(doc: DocumentText) -> Iterator[OutcomeCue]:
    lower = doc.lower
    for verb in _VERB.find(lower):
        begin = doc.sentence_start(verb.start())
        before = lower[begin : verb.start()]
        strength = _strength_of(doc, verb, before, begin)
        if strength <= MENTION:
            continue
        yield _outcome(doc, verb, begin, strength)


def _strength_of(doc: DocumentText, verb: re.Match[str], before: str, begin: int) -> int:
    """Judge how surely a verb states the outcome of a motion; MENTION when it does not."""
    lower = doc.lower
    after = lower[verb.end() : doc.sentence_end(verb.end(), 60)]
    if TALK.search(before) and not _NOT.search(before):
        return MENTION
    if _MAY.search(doc.text[begin : verb.start()]):
        return MENTION
    if _INFINITIVE.search(before) or _NOT_A_VOTE.search(before):
        return MENTION
    bare = _is_bare(doc, verb, before)
    if _NOTHING_ELSE.match(after) and _NAMED_MATTER.fullmatch(_own_line(doc, begin, verb)):
        return MENTION if LONG_AGO.search(after) else FIRM
    if _ENACTING.search(before) and not _ABOUT_MOTION.search(before):
        return MENTION
    if "declare" in before and _DECLARED.search(before):
        return STRONG
    if verb["plain"]:
        strength = _strength_of_plain(verb[0], before, after, bare)
    else:
        strength = _strength_of_approving(verb[0], before, after, bare)
    return MENTION if strength == SOFT and _REPORTED.search(before) else strength


_DECLARED = pattern(r"\bdeclare[sd]\b.{0,90}$", re.S)
_NAMED_MATTER = pattern(
    r"(?:the\s+)?(?:ordinance|resolution|bill|by-?law|order|main\s+motion|motion|council\s+bill)"
    r"(?:\s+(?:no\.?\s*|number\s+)?#?[\w.\-/]*\d[\w.\-/]*)?,?(?:\s+as\s+amended,?)?\s+"
    r"(?:(?:was|is|were)\s+)?(?:\w+ly\s+)?$"
)
_NOTHING_ELSE = pattern(
    r"\s*(?:[.;\n]|$|as\s+amended|unanimously|\(?\d{1,2}\s?(?:-|to|/)\s?\d|by\s+(?:a\s+)?(?:roll|voice"
    r"|vote|the\s+following|unanimous)|on\s+(?:a\s+)?(?:roll|voice))"
)


_MID_SENTENCE = pattern(
    r"(?<!\b[Aa]ye)(?<!\b[Nn]ay)(?<!\b[Yy]es)(?<!\b[Yy]ea)(?<=[a-z]{2}),?\s*$|\b(?:an?|the|of),?\s*$"
)


def _own_line(doc: DocumentText, begin: int, verb: re.Match[str]) -> str:
    """Return what stands before a verb in its sentence, or in its line if that begins anew."""
    position = verb.start()
    line = line_start(doc.text, position)
    if (
        line <= begin
        or _MID_SENTENCE.search(doc.text[max(begin, line - 12) : line])
        or not doc.text[line:position].lstrip()[:1].isupper()
    ):
        line = begin
    return doc.lower[line:position].lstrip(" \n-:.,")


def _strength_of_plain(word: str, before: str, after: str, bare: bool) -> int:
    if _ANY_MOTION.search(before) and _RULES.search(after):
        return MENTION
    negated = _NOT.search(before) is not None
    if word in ("carry", "pass") and not negated and not bare:
        return MENTION
    motion = _ABOUT_MOTION.search(before) or _SECONDED.search(before)
    if TALLY.fullmatch(before.strip(" \n([:.,-)]")):
        return FIRM
    if word.startswith("withdr"):
        return (
            FIRM
            if (motion and "second" not in before)
            or re.match(r"\s+(?:his|her|the|their)\s+motion", after)
            else MENTION
        )
    duly = motion is not None and re.search(r"\bduly\s+$|\bunanimously\s+$|\band\s+$", before)
    if _CARRIED_ELSEWHERE.match(after) and not duly:
        return MENTION
    if LONG_AGO.search(before) or LONG_AGO.search(after) or OTHER_BODY.search(before):
        return MENTION
    if motion or re.match(r"\s+on\s+(?:a\s+)?motion\b", after):
        return STRONG
    if bare:
        return FIRM
    if not before.strip() and _NOTHING_ELSE.match(after):
        return SOFT
    if word in ("lost", "died", "dies"):
        return MENTION
    if _UNANIMOUS_NEXT.match(after) and not OTHER_BODY.search(after):
        return MENTION if _TOLD.search(before) else FIRM
    if _SUBJECT.search(before):
        return FIRM if _TALLY_NEXT.match(after) and not _REPORTED.search(before) else SOFT
    return SOFT if re.search(r"\band\s+(?:\w+ly\s+)?$|,\s*$", before) else MENTION


_TALLY_NEXT = pattern(
    r",?\s+(?:by\s+(?:a\s+)?(?:vote\s+of\s+)?|on\s+a\s+(?:vote\s+of\s+)?)?\(?\d{1,2}\s?(?:-|to)\s?\d{1,2}\b"
)
_UNANIMOUS_NEXT = pattern(
    r",?\s+(?:unanimously(?=\s{0,3}(?:[.,;:(\n]|$|(?:by|on|upon|with|as|and)\b))"
    r"|by\s+(?:a\s+)?unanimous\b)"
)
_TOLD = pattern(
    r"\b(?:stated|states|said|says|noted|notes|reported|reports|reminded|shared|explained"
    r"|indicated|mentioned|advised|announced|recalled|added|thanked|asked)\b"
)
_RESOLVED_THAT = pattern(
    r":|\s{0,2}-\s{0,2}(?:that|to)\b|\s+(?:unanimously|nem|with\s+\d|by\s+\d)|\s{0,2}\((?:nem|unanim|\d{1,2}\s)"
)


_PROPOSED_IN_FRENCH = pattern(r"\b(?:propos|appuy|second)\u00e9e?\b")
_VOTE_TOLD = pattern(
    r"\bunanim|\bvote\b|\ball\s+in\s+favou?r|\bvoice\s+vote"
    r"|(?<!items )(?<!item )(?<!lots )(?<!nos\. )\(?\b\d{1,2}\s?(?:-|to)\s?\d\b"
)


def _strength_of_approving(word: str, before: str, after: str, bare: bool) -> int:
    if LONG_AGO.search(before) or LONG_AGO.search(after) or OTHER_BODY.search(before):
        return MENTION
    voted = _VOTE_TOLD.search(before[-40:] + " " + after)
    if word in ("recommended", "authorized", "directed"):
        return SOFT if voted and body_before(before) else MENTION
    if word.startswith("r\u00e9solu"):
        return FIRM if _PROPOSED_IN_FRENCH.search(before) else MENTION
    if _ON_MOTION.match(after) and re.search(r"\b(?:was|were|are|is)\b", before):
        return FIRM
    if bare and word == "resolved":
        return FIRM if _RESOLVED_THAT.match(after) else MENTION
    if TALLY.fullmatch(before.strip(" \n([:.,-)]")):
        return FIRM
    if not before.strip() and not bare and voted and _NOTHING_ELSE.match(after):
        return SOFT
    if bare:
        return FIRM if voted or re.fullmatch(r"\s*[.;)]?\s*(?:\n.*)?", after, re.S) else SOFT
    if body_before(before) and (voted or word == "resolved"):
        return FIRM
    if voted and re.search(r"\bsecond.{0,40},\s*$", before, re.S):
        return SOFT
    if not _AUXILIARY.search(before):
        return MENTION
    if word in ("received", "appointed", "continued", "deferred", "confirmed") and not voted:
        return MENTION
    if re.search(r"\bmotions?\b[^.]{0,30}$|\bmotion\b.*\b(?:was|is)\s+(?:\w+ly\s+)?$", before):
        return STRONG
    if re.search(r"\bit\s+(?:was|is)\s+(?:\w+\s+)?$|\band\s+(?:\w+\s+)?$", before) and word in (
        "agreed",
        "resolved",
    ):
        arranged = re.match(r"\s+that\b.{0,90}\bwould\b", after, re.S)
        return FIRM if ("it " in before[-30:] and not arranged) or word == "resolved" else SOFT
    if not _SUBJECT.search(before) and not re.search(
        r"\b(?:and|declared)\s+(?:\w+\s+)?$|unanimously\s*$", before
    ):
        return SOFT if voted else MENTION
    return FIRM if voted and _SUBJECT.search(before) else SOFT


def _is_bare(doc: DocumentText, verb: re.Match[str], before: str) -> bool:
    """Whether the word begins its sentence (``Carried.``) or is set in capitals by itself."""
    printed = doc.text[verb.start() : verb.end()]
    if not printed[0].isupper():
        return False
    lead = re.sub(r"^[\s\-:.,)\]\d]*", "", before[-30:])
    if not lead or not before.strip(" \n-:.,([\"'"):
        return True
    further = doc.lower[max(0, verb.start() - 60) : verb.start()]
    if _SECONDED_BY.search(further) and _SAID_TO_THE_END.match(doc.lower, verb.end()):
        return True
    after = doc.lower[verb.end() : verb.end() + 3]
    if before.rstrip()[-1:] in (".", ":", ";", ")") and _VERB_ALONE.match(doc.lower, verb.end()):
        return True
    line = doc.text[line_start(doc.text, verb.start()) : verb.start()].strip(" -:.([")
    alone = printed.isupper() and re.match(r"\s*(?:[.;\n)\]]|$)", after) is not None
    return not line or alone


_VERB_ALONE = pattern(r"\s*(?:[.;\n]|$|\(?\d{1,2}\s?-\s?\d)")
_SECONDED_BY = pattern(
    r"\bsecond(?:ed|er)\b[^.;\n]{0,16}(?:\b(?:cllr|cr|mrs?|ms|dr)\.)?[^.;\n]{2,40}$"
)
_SAID_TO_THE_END = pattern(r" {1,3}(?:unanimously\b|\(?\d{1,2}\s?-\s?\d)|\s{0,3}(?:[.;\n]|$)")


def _outcome(doc: DocumentText, verb: re.Match[str], begin: int, strength: int) -> OutcomeCue:
    lower = doc.lower
    end = doc.sentence_end(verb.end(), 300)
    start, sentence = begin, lower[begin:end]
    subject = last_match(_ABOUT_MOTION, lower, begin, verb.start())
    if subject is not None and subject.start() - begin > 60:
        start, sentence = subject.start(), lower[subject.start() : end]
    if doc.text[verb.start()].isupper() and _is_bare(doc, verb, lower[begin : verb.start()]):
        start = max(start, line_start(lower, verb.start()))
        sentence = lower[start : _end_of_bare(lower, verb.end(), end)]
    elif doc.text[verb.start()].isupper() and _LINE_OVER.match(lower, verb.end()):
        sentence = lower[start : _end_of_bare(lower, verb.end(), end)]
    near = lower[start : min(start + len(sentence), verb.end() + 120)]
    cue = OutcomeCue(start, min(end, verb.end() + 160), strength, at=verb.start())
    cue.result = verdict(lower[max(start, verb.start() - 20) : verb.end() + 10])
    cue.result_text = doc.printed(start if strength == STRONG else verb.start(), cue.end)
    add_manner(cue, near, sentence)
    own_end = min(cue.end, start + len(sentence))
    cue.counts = tally_in(lower, verb.start(), own_end)
    if not cue.counts:
        tally = tally_in(lower, max(start, verb.start() - 60), verb.start())
        numbered = "/" in lower[start : verb.start()] and doc.text[verb.start()].isupper()
        cue.counts = {} if numbered else tally
    on_motion = _ON_MOTION.match(lower, verb.end())
    cue.mover_follows = on_motion is not None and not doc.blank_line_between(
        verb.end(), on_motion.end()
    )
    unanimous = _UNANIMOUS_NEXT.match(lower, verb.end()) is not None
    own = verb["approving"] is not None or _names_matter(lower[begin : verb.start()], unanimous)
    cue.own_question = strength == FIRM and own and start == begin
    if "/" in sentence:
        cue.people = pair_in_brackets(doc, verb.end(), own_end)
    cue.about = question_told(lower[start : verb.start()], lower[verb.end() : own_end])
    if "declared" in lower[begin : verb.start()]:
        cue.flags.add("declared")
    if cue.result == DIED or (cue.result == FAILED and NO_SECOND.search(sentence)):
        cue.result = DIED if NO_SECOND.search(sentence) or cue.result == DIED else FAILED
        cue.flags.add("no_second")
    return cue


def _names_matter(before: str, unanimous: bool) -> bool:
    """Whether the subject is what was voted on, and not the motion: ``The ordinance``.

    What passes unanimously is voted on, whatever it is.
    """
    if _ABOUT_MOTION.search(before):
        return False
    return _SUBJECT.search(before) is not None or (unanimous and bool(before.strip()))


_LINE_OVER = pattern(r"[ .]{0,4}\n")
_NEXT_MOTION = pattern(
    r"\n\s{0,80}(?:[\w.\-]{1,12}\s{1,4}){0,2}(?:it\s+was\s+)?(?:moved|motion|proposed"
    r"|resolution|resolved|seconded)\b"
)


def _end_of_bare(lower: str, position: int, end: int) -> int:
    """Return where the sentence of a lone ``CARRIED`` ends, which may have no full stop."""
    motion = _NEXT_MOTION.search(lower, position, end)
    return motion.start() if motion else end
