"""Read what became of a motion, from printed words only.

A verb alone proves nothing: "the plan should be adopted" and "if the motion carries" are talk,
"the House passed the bill" is somebody else's vote.  An outcome needs its subject (the motion, the
question), or stands by itself as a sentence: ``Carried.``
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from .ballots import settle_one
from .cues import (
    FIRM,
    OUTCOME,
    REFERENCE,
    SOFT,
    STRONG,
    Cue,
    Reading,
    last_match,
)
from .model import DIED, FAILED, PASSED, UNKNOWN, WITHDRAWN
from .movers import name_at
from .patterns import Phrase, compiled, line_start
from .questions import question_told
from .shorthand import pair_in_brackets
from .tallies import TALLY, tally_in

_RESULT_OF = (
    (
        compiled(
            r"\b(?:not|n't|failed\s+to|fails\s+to)\s+(?:\w+\s+)?(?:carr|pass|approv|adopt"
            r"|receiv)\w*"
        ),
        FAILED,
    ),
    (
        compiled(r"fail|defeat|\blos|denied|reje[ct]|unsuccess|not\s+(?:carr|pass|approv|adopt)"),
        FAILED,
    ),
    (compiled(r"withdr"), WITHDRAWN),
    (compiled(r"\bdie"), DIED),
    (compiled(r"no\s+action|no\s+vote"), UNKNOWN),
)

_REPORTED = compiled(
    r"\b(?:stated|said|noted|reported|reminded|shared|explained|indicated|mentioned|advised)\b"
    r".{0,60}\bthat\b"
)
_NOT_A_VOTE = compiled(
    r"\bnotice\s+of\s+motion|\bvotes?\s+of\s+(?:sympathy|thanks|condolence|congratulation)"
)
_ON_MOTION = compiled(
    r"\s+(?:and\s+\w+\s+)?(?:by\s+the\s+\w+\s+)?(?:up)?on\s+(?:the\s+|a\s+)?"
    r"(?:proposal|proposition|motion)\b|\s+(?:a|the)\s+motion\s+(?:made\s+)?(?:by|of|from)\b"
)
_VERB = Phrase(
    (
        "carr prevail pass fail defeat lost died dies withdr adopted approved accepted "
        "ratified granted denied rejected agreed resolved tabled confirmed concurred deferred "
        "continued received appointed adopt\u00e9 rejet\u00e9 recommended authorized directed"
    ),
    r"(?P<plain>carried|carries|carry|prevailed|prevails|passed|passes|pass|failed|fails"
    r"|defeated|lost|died|dies|withdrawn|withdrew)\b"
    r"|(?P<approving>adopted|approved|accepted|ratified|granted|denied|rejected|agreed"
    r"|resolved|tabled|confirmed|concurred|deferred|continued|received|appointed|adopt\u00e9e?s?|rejet\u00e9e?s?|recommended|authorized|directed)\b",
)
_ABOUT_MOTION = compiled(r"\b(?:motions?|amendments?|question|votes?|voting|substitute)\b")
_SUBJECT = compiled(
    r"\b(?:motions?|amendments?|question|vote|resolutions?|ordinances?|by-?laws?|bills?|measure"
    r"|item|items|minutes|agenda|request|application"
    r"|which|it|same|recommendation|report|budget|appointment|plat|permit|variance|contract"
    r"|agreement|proposal|warrants?|claims|bid)\b"
)
_TALK = compiled(
    r"\b(?:if|unless|until|would|should|could|might|must|can|cannot|whether|will|shall|once"
    r"|when|in\s+order|needs?\s+to|has\s+to|have\s+to|want\w*|asked|hopes?|hoped|require[sd]?"
    r"|was\s+previously|had\s+been)\b[^,]{0,70}$"
)
#: Searched as printed: May is a month.
_MAY = compiled(r"\bmay\b[^,]{0,70}$")
_INFINITIVE = compiled(
    r"\b(?:be|being|been\s+previously|to\s+be|to|not\s+yet|get|getting|have|having|previously"
    r"|recently|already)\s+(?:\w+ly\s+)?$"
)
_NOT = compiled(r"\b(?:not|n't|failed\s+to|fails\s+to|did\s+not|does\s+not)\s+(?:\w+\s+)?$")
_CARRIED_ELSEWHERE = compiled(
    r"\s+(?:out|over|forward|through|onto|away|along|around|down|by\s+(?:the\s+)?(?:state|house"
    r"|senate|legislature|congress|voters))\b"
    r"|\s+(?:a|an|the|his|her|senate|house|its|this|that|these|those|legislation"
    r"|laws?)\s+(?!motion\b|vote\b|chair)"
)
_OTHER_BODY = compiled(
    r"\b(?:house|senate|legislature|congress|general\s+assembly|voters|electorate|union|state"
    r"|supreme\s+court|governor|parliament)\b"
)
_LONG_AGO = compiled(
    r"\b(?:last\s+(?:night|week|month|year|meeting|spring|summer|fall|autumn|winter)|yesterday|previous(?:ly)?|in\s+(?:19"
    r"|20)\d\d|earlier\s+this\s+(?:year|month|week)"
    r"|(?:at|during|from)\s+(?:its|their|the|a)\s+(?:\w+\s+){0,2}(?:meeting\s+of|\d{1,2},?\s+(?:\d{4},?\s+)?meeting)"
    r"|at\s+(?:its|their)\s+(?:\w+\s+){0,3}meeting)\b"
)
_ENACTING = compiled(r"\bbe\s+it\s+(?:\w+\s+){0,2}$|\bhereby\s+$|\btherefore,?\s+$")
_ANY_MOTION = compiled(r"\b(?:an?|any|no|every|each)\s+(?:\w+\s+)?motion\s+(?:\w+\s+){0,2}$")
_RULES = compiled(r"\b(?:shall|may|must|cannot|can|will|would|requires?)\b")
_AUXILIARY = compiled(
    r"\b(?:was|were|is|are|been|and|then|motion|motions|unanimously|duly|hereby|thereupon"
    r"|declared|therefore|stands?|has|have|also|vote|be\s+it|it|motion\s+is|item|minutes|which"
    r"|resolution)"
    r"[\s,:\-]+(?:\w+ly\s+|so\s+|then\s+|hereby\s+|all\s+)?[\"(]?$"
)

_UNANIMOUS = compiled(r"\bunanim\w+|\bnem\.?\s?(?:con|dis)")
_EXCEPT = compiled(
    r"\bexcept(?:ion|ing)?\b|\bother\s+than\b|\bbut\s+(?:for\s+)?(?:mr|ms|mrs)\b"
    r"|\bsave\s+for\b|\bnot\s+unanim|\bnon-unanim"
)
_VOICE = compiled(r"\bvoice\s+vote|\bviva\s+voce|\bvocal\s+vote|\bsaid\s+[\"']?aye")
_ROLL = compiled(r"\broll[\s-]{0,2}call|\bpolled")
_HANDS = compiled(r"\bshow\s+of\s+hands")


def verdict(phrase: str) -> str:
    """Return the result that a printed phrase in lower case states."""
    for words, result in _RESULT_OF:
        if words.search(phrase):
            return result
    return PASSED


def outcome_cues(reading: Reading) -> Iterator[Cue]:
    """Yield a cue for every sentence that says what became of a motion."""
    yield from _verb_cues(reading)
    yield from _labelled_cues(reading)
    yield from _vote_was_cues(reading)
    yield from _voted_cues(reading)
    yield from _agreement_cues(reading)
    yield from _no_second_cues(reading)


def _verb_cues(reading: Reading) -> Iterator[Cue]:
    lower = reading.lower
    for verb in _VERB.find(lower):
        begin = reading.clause_start(verb.start())
        before = lower[begin : verb.start()]
        strength = _strength_of(reading, verb, before, begin)
        if strength <= REFERENCE:
            continue
        yield _outcome(reading, verb, begin, strength)


def _strength_of(reading: Reading, verb: re.Match[str], before: str, begin: int) -> int:
    """Judge how surely a verb states the outcome of a motion; REFERENCE when it does not."""
    lower = reading.lower
    after = lower[verb.end() : reading.clause_end(verb.end(), 60)]
    if _TALK.search(before) and not _NOT.search(before):
        return REFERENCE
    if _MAY.search(reading.text[begin : verb.start()]):
        return REFERENCE
    if _INFINITIVE.search(before) or _NOT_A_VOTE.search(before):
        return REFERENCE
    bare = _is_bare(reading, verb, before)
    if _NOTHING_ELSE.match(after) and _NAMED_MATTER.fullmatch(_own_line(reading, begin, verb)):
        return REFERENCE if _LONG_AGO.search(after) else FIRM
    if _ENACTING.search(before) and not _ABOUT_MOTION.search(before):
        return REFERENCE
    if re.search(r"\bdeclare[sd]\b.{0,90}$", before, re.S):
        return STRONG
    if verb["plain"]:
        strength = _strength_of_plain(verb[0], before, after, bare)
    else:
        strength = _strength_of_approving(verb[0], before, after, bare)
    return REFERENCE if strength == SOFT and _REPORTED.search(before) else strength


_NAMED_MATTER = compiled(
    r"(?:the\s+)?(?:ordinance|resolution|bill|by-?law|order|main\s+motion|motion|council\s+bill)"
    r"(?:\s+(?:no\.?\s*|number\s+)?#?[\w.\-/]*\d[\w.\-/]*)?,?(?:\s+as\s+amended,?)?\s+"
    r"(?:(?:was|is|were)\s+)?(?:\w+ly\s+)?$"
)
_NOTHING_ELSE = compiled(
    r"\s*(?:[.;\n]|$|as\s+amended|unanimously|\(?\d{1,2}\s?(?:-|to|/)\s?\d|by\s+(?:a\s+)?(?:roll|voice"
    r"|vote|the\s+following|unanimous)|on\s+(?:a\s+)?(?:roll|voice))"
)


_MID_SENTENCE = compiled(
    r"(?<!\b[Aa]ye)(?<!\b[Nn]ay)(?<!\b[Yy]es)(?<!\b[Yy]ea)(?<=[a-z]{2}),?\s*$|\b(?:an?|the|of),?\s*$"
)


def _own_line(reading: Reading, begin: int, verb: re.Match[str]) -> str:
    """Return what stands before a verb in its sentence, or in its line if that begins anew."""
    position = verb.start()
    line = line_start(reading.text, position)
    if (
        line <= begin
        or _MID_SENTENCE.search(reading.text[max(begin, line - 12) : line])
        or not reading.text[line:position].lstrip()[:1].isupper()
    ):
        line = begin
    return reading.lower[line:position].lstrip(" \n-:.,")


def _strength_of_plain(word: str, before: str, after: str, bare: bool) -> int:
    if _ANY_MOTION.search(before) and _RULES.search(after):
        return REFERENCE
    negated = _NOT.search(before) is not None
    if word in ("carry", "pass") and not negated and not bare:
        return REFERENCE
    motion = _ABOUT_MOTION.search(before)
    if word.startswith("withdr"):
        return (
            FIRM
            if (motion and "second" not in before)
            or re.match(r"\s+(?:his|her|the|their)\s+motion", after)
            else REFERENCE
        )
    duly = motion is not None and re.search(r"\bduly\s+$|\bunanimously\s+$|\band\s+$", before)
    if _CARRIED_ELSEWHERE.match(after) and not duly:
        return REFERENCE
    if _LONG_AGO.search(before) or _LONG_AGO.search(after) or _OTHER_BODY.search(before):
        return REFERENCE
    if motion or re.match(r"\s+on\s+(?:a\s+)?motion\b", after):
        return STRONG
    if bare:
        return FIRM
    if not before.strip() and _NOTHING_ELSE.match(after):
        return SOFT
    if word in ("lost", "died", "dies"):
        return REFERENCE
    if _SUBJECT.search(before) or re.search(r"\band\s+(?:\w+ly\s+)?$|,\s*$", before):
        return SOFT
    return REFERENCE


_RESOLVED_THAT = compiled(
    r":|\s{0,2}-\s{0,2}(?:that|to)\b|\s+(?:unanimously|nem|with\s+\d|by\s+\d)|\s{0,2}\((?:nem|unanim|\d{1,2}\s)"
)


_VOTE_TOLD = compiled(
    r"\bunanim|\bvote\b|\ball\s+in\s+favou?r|\bvoice\s+vote"
    r"|(?<!items )(?<!item )(?<!lots )(?<!nos\. )\(?\b\d{1,2}\s?(?:-|to)\s?\d\b"
)


def _strength_of_approving(word: str, before: str, after: str, bare: bool) -> int:
    if _LONG_AGO.search(before) or _LONG_AGO.search(after) or _OTHER_BODY.search(before):
        return REFERENCE
    voted = _VOTE_TOLD.search(before[-40:] + " " + after)
    if word in ("recommended", "authorized", "directed"):
        return SOFT if voted and _body_before(before) else REFERENCE
    if _ON_MOTION.match(after) and re.search(r"\b(?:was|were|are|is)\b", before):
        return FIRM
    if bare and word == "resolved":
        return FIRM if _RESOLVED_THAT.match(after) else REFERENCE
    if TALLY.fullmatch(before.strip(" \n([:.,-)]")):
        return FIRM
    if not before.strip() and not bare and voted and _NOTHING_ELSE.match(after):
        return SOFT
    if bare:
        return FIRM if voted or re.fullmatch(r"\s*[.;)]?\s*(?:\n.*)?", after, re.S) else SOFT
    if _body_before(before) and (voted or word == "resolved"):
        return FIRM
    if voted and re.search(r"\bsecond.{0,40},\s*$", before, re.S):
        return SOFT
    if not _AUXILIARY.search(before):
        return REFERENCE
    if word in ("received", "appointed", "continued", "deferred", "confirmed") and not voted:
        return REFERENCE
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
        return SOFT if voted else REFERENCE
    return FIRM if voted and _SUBJECT.search(before) else SOFT


_BODY = compiled(
    r"\b(?:council|board|commission(?:ers)?|committee|members|trustees|directors|selectmen"
    r"|supervisors|aldermen|authority|selectboard|all|court|panel|they|we)\b"
)


def _body_before(before: str) -> bool:
    return re.search(_BODY.pattern + r"\s+(?:\w+ly\s+|then\s+|also\s+)?$", before) is not None


def _is_bare(reading: Reading, verb: re.Match[str], before: str) -> bool:
    """Whether the word begins its sentence (``Carried.``) or is set in capitals by itself."""
    printed = reading.text[verb.start() : verb.end()]
    if not printed[0].isupper():
        return False
    lead = re.sub(r"^[\s\-:.,)\]\d]*", "", before[-30:])
    if not lead or not before.strip(" \n-:.,([\"'"):
        return True
    after = reading.lower[verb.end() : verb.end() + 3]
    if before.rstrip()[-1:] in (".", ":", ";", ")") and re.match(r"\s*(?:[.;\n]|$)", after):
        return True
    line = reading.text[line_start(reading.text, verb.start()) : verb.start()].strip(" -:.([")
    alone = printed.isupper() and re.match(r"\s*(?:[.;\n)\]]|$)", after) is not None
    return not line or alone


def _outcome(reading: Reading, verb: re.Match[str], begin: int, strength: int) -> Cue:
    lower = reading.lower
    end = reading.clause_end(verb.end(), 300)
    start, sentence = begin, lower[begin:end]
    subject = last_match(_ABOUT_MOTION, lower, begin, verb.start())
    if subject is not None and subject.start() - begin > 60:
        start, sentence = subject.start(), lower[subject.start() : end]
    if reading.text[verb.start()].isupper() and _is_bare(
        reading, verb, lower[begin : verb.start()]
    ):
        start = max(start, line_start(lower, verb.start()))
        sentence = lower[start : _end_of_bare(lower, verb.end(), end)]
    near = lower[start : min(start + len(sentence), verb.end() + 120)]
    cue = Cue(OUTCOME, start, min(end, verb.end() + 160), strength, at=verb.start())
    cue.result = verdict(lower[max(start, verb.start() - 20) : verb.end() + 10])
    cue.result_text = _printed(reading, start if strength == STRONG else verb.start(), cue.end)
    _add_manner(cue, near, sentence)
    own_end = min(cue.end, start + len(sentence))
    cue.counts = tally_in(lower, verb.start(), own_end)
    if not cue.counts:
        tally = tally_in(lower, max(start, verb.start() - 60), verb.start())
        numbered = "/" in lower[start : verb.start()] and reading.text[verb.start()].isupper()
        cue.counts = {} if numbered else tally
    on_motion = _ON_MOTION.match(lower, verb.end())
    cue.moved = on_motion is not None and not reading.apart(verb.end(), on_motion.end())
    cue.fresh = strength == FIRM and verb["approving"] is not None and start == begin
    if "/" in sentence:
        cue.mover, cue.seconder = pair_in_brackets(reading, verb.end(), own_end)
    cue.about = question_told(lower[start : verb.start()], lower[verb.end() : own_end])
    if "declared" in lower[begin : verb.start()]:
        cue.flags.add("declared")
    if cue.result == DIED or (cue.result == FAILED and _NO_SECOND.search(sentence)):
        cue.result = DIED if _NO_SECOND.search(sentence) or cue.result == DIED else FAILED
        cue.flags.add("no_second")
    return cue


_NEXT_MOTION = compiled(
    r"\n\s{0,80}(?:[\w.\-]{1,12}\s{1,4}){0,2}(?:it\s+was\s+)?(?:moved|motion|proposed"
    r"|resolution|resolved|seconded)\b"
)


def _end_of_bare(lower: str, position: int, end: int) -> int:
    """Return where the sentence of a lone ``CARRIED`` ends, which may have no full stop."""
    motion = _NEXT_MOTION.search(lower, position, end)
    return motion.start() if motion else end


def _printed(reading: Reading, start: int, end: int) -> str:
    text = " ".join(reading.document.original[start:end].split())
    return text if len(text) <= 160 else text[:157] + "..."


def _add_manner(cue: Cue, near: str, sentence: str) -> None:
    cue.unanimous = _UNANIMOUS.search(near) is not None and not _EXCEPT.search(sentence)
    if _ROLL.search(sentence):
        cue.vote_type = "roll_call"
    elif _VOICE.search(sentence):
        cue.vote_type = "voice"
    elif _HANDS.search(sentence):
        cue.vote_type = "show_of_hands"


_LABELLED = Phrase(
    "result outcome status disposition decision vote action voting motion",
    r"(?P<label>result|outcome|status|disposition|decision|vote|action(?:\s+taken)?|voting"
    r"|motion)\s{0,3}:\s{0,80}(?P<value>[^\n]{1,100})",
)
_RESULT_WORD = compiled(
    r"\b(?:pass(?:ed|es)?|adopted|approved|carried|carries|accepted|granted|confirmed|ratified"
    r"|tabled|postponed|deferred|continued|referred|received|recommended|forwarded|failed|fails"
    r"|defeated|denied|rejected|lost|withdrawn|unanimous\w*|no\s+action|died)\b"
)


def _labelled_cues(reading: Reading) -> Iterator[Cue]:
    """Yield a cue for ``RESULT: PASSED [14 TO 1]``, ``Vote: 5-0``, ``Status: 7-0-0 - Pass``."""
    for label in _LABELLED.find(reading.lower):
        own = label["value"].partition(". ")[0]
        word = _RESULT_WORD.search(own[:70])
        counts = tally_in(reading.lower, label.start("value"), label.start("value") + len(own))
        loose = label["label"] in (
            "vote",
            "voting",
            "motion",
            "action",
            "action taken",
            "status",
            "decision",
        )
        if word is None and not (counts and label["label"] in ("vote", "voting", "result")):
            continue
        if loose and word is not None and word.start() > 12 and not counts:
            continue
        if label["label"] == "motion" and (word is None or word.start() > 0):
            continue
        yield _labelled(reading, label, word, counts)


_BELOW = compiled(
    r"\s{0,40}mover\s{0,4}:\s{0,60}(?P<mover>[^\n]{2,60})\n\s{0,40}seconder\s{0,4}:\s{0,60}(?=\w)"
)


def _told_below(reading: Reading, position: int) -> tuple[str | None, str | None]:
    """Return the mover and the seconder of a table whose first line is the result."""
    below = _BELOW.match(reading.lower, position)
    if below is None:
        return None, None
    mover = name_at(reading, below.start("mover"))
    seconder = name_at(reading, below.end())
    return settle_one(reading.roster, mover)[0], settle_one(reading.roster, seconder)[0]


_VOTE_WAS = Phrase(
    "vote",
    r"votes?\s+(?:count\s+|tally\s+)?(?P<was>was\s+|were\s+|is\s+|being\s+)?"
    r"(?=\d{1,2}\s?(?:-|to)\s?\d)",
)
_FOR_IT = compiled(r"\s+(?:in\s+favou?r|to\s+approve|for\s+approval|in\s+the\s+affirmative)\b")


def _vote_was_cues(reading: Reading) -> Iterator[Cue]:
    """Yield a cue for ``The vote was 4-0 in favor``; without those words only the tally is told."""
    lower = reading.lower
    for vote in _VOTE_WAS.find(lower):
        begin, end = reading.clause_start(vote.start()), reading.clause_end(vote.end(), 160)
        before = lower[begin : vote.start()]
        tally = TALLY.match(lower, vote.end())
        if not vote["was"] and before.strip() and before.rstrip()[-1] not in ",;-":
            continue
        if tally is None or _TALK.search(before) or _is_reported(before, lower[vote.end() : end]):
            continue
        start = begin if vote["was"] else vote.start()
        cue = Cue(OUTCOME, start, end, FIRM, at=vote.start())
        cue.counts = tally_in(lower, vote.end(), end)
        cue.result = PASSED if _FOR_IT.match(lower, tally.end()) else ""
        cue.result_text = _printed(reading, vote.start(), end)
        yield cue


def _is_reported(before: str, after: str) -> bool:
    """Whether a sentence tells of another body or another day."""
    if _LONG_AGO.search(before) or _LONG_AGO.search(after) or _OTHER_BODY.search(before):
        return True
    return _SAID.search(before) is not None


_SAID = compiled(
    r"\b(?:stated|said|noted|reported|reminded|shared|explained|indicated|mentioned|advised"
    r"|informed|announced|updated|told|recalled)\b"
)


def _labelled(
    reading: Reading, label: re.Match[str], word: re.Match[str] | None, counts: dict[str, int]
) -> Cue:
    cue = Cue(OUTCOME, label.start(), label.end(), STRONG, label=True, counts=counts)
    cue.result = verdict(label["value"]) if word else ""
    cue.result_text = _printed(reading, label.start("value"), label.end("value"))
    cue.unanimous = "unanim" in label["value"]
    cue.fresh = label["label"].startswith("action")
    if label["label"] == "result":
        cue.mover, cue.seconder = _told_below(reading, label.end())
    if label["label"] == "vote":
        cue.strength = FIRM
        if _VOICE.search(label[0]):
            cue.vote_type = "voice"
    return cue


_VOTED = Phrase(
    "vote",
    r"vote[ds]\b(?:\s+(?P<how>unanimously|\(?\d{1,2}\s?(?:-|to)\s?\d{1,2}(?:\s?-\s?\d)?\)?"
    r"|[a-z]+\s+to\s+[a-z]+|by\s+(?:consensus|a\s+majority|unanimous\s+consent))\s*,?)?"
    r"(?:\s+(?P<what>to|in\s+favou?r\s+of|for|against|that|on)\b)?",
)
_ALL_FOR = Phrase(
    "all aye vote unanimous so_ordered motion none_opposed no_opposition",
    r"(?:all\s+(?:those\s+)?(?:members\s+|commissioners\s+|trustees\s+|directors\s+"
    r"|councilm\w+\s+|alder\w+\s+|supervisors\s+|selectmen\s+|councillors\s+|present\s+|were\s+|voted\s+|voting\s+|five\s+"
    r"|in\s+attendance\s+){0,4}(?:in\s+(?:the\s+)?(?:favou?r|affirmative)|ayes?\b|[\"']ayes?\b"
    r"|yes\b|yeas?\b|said\s+aye|approved|agreed|concurred)"
    r"|ayes?\s+unanimous|ayes\s+have\s+it|ayes\s+all\b|vote\s+(?:was|is|being)\s+unanimous"
    r"|unanimous\s+(?:vote|approval|ayes?)\b|so\s+ordered\b|motion\s+(?:was\s+"
    r"|is\s+)?unanimous\b|vote[:\s]+unanimous|unanimous(?:ly)?(?=\s{0,3}(?:[.)\n]|$))"
    r"|none\s+opposed\b|no\s+opposition\b)",
)


_WORD_BEFORE = compiled(r"[a-z]\s{1,3}$")


def _voted_cues(reading: Reading) -> Iterator[Cue]:
    """Yield a cue for a body that voted (``The Board voted 5-0 to``) and for ``All in favor.``"""
    lower = reading.lower
    for voted in _VOTED.find(lower):
        cue = _voted(reading, voted)
        if cue is not None:
            yield cue
    for everyone in _ALL_FOR.find(lower):
        if everyone[0] in ("unanimous", "unanimously") and _WORD_BEFORE.search(
            lower[max(0, everyone.start() - 4) : everyone.start()]
        ):
            continue
        begin = reading.clause_start(everyone.start())
        if (
            _TALK.search(lower[begin : everyone.start()])
            or "?" in lower[everyone.end() : everyone.end() + 2]
        ):
            continue
        end = min(reading.clause_end(everyone.end()), everyone.end() + 100)
        cue = Cue(
            OUTCOME,
            everyone.start(),
            end,
            SOFT,
            result=PASSED,
            unanimous="ordered" not in everyone[0] and not _EXCEPT.search(lower, begin, end),
        )
        cue.result_text = _printed(reading, everyone.start(), end)
        cue.counts = tally_in(lower, everyone.start(), end)
        yield cue


def _voted(reading: Reading, voted: re.Match[str]) -> Cue | None:
    lower = reading.lower
    if so := _SO.search(lower[max(0, voted.start() - 24) : voted.start()]):
        cue = Cue(OUTCOME, voted.start() - len(so[0]), voted.end(), SOFT, result=PASSED)
        cue.unanimous, cue.result_text = "unanim" in so[0], _printed(reading, cue.start, cue.end)
        cue.counts = tally_in(lower, voted.start(), min(len(lower), voted.end() + 14))
        return cue
    if not voted["how"] and voted["what"] not in ("to", "in favor of", "in favour of"):
        return None
    begin = reading.clause_start(voted.start())
    before = lower[begin : voted.start()]
    if _IT_WAS.search(before) and voted["what"] in ("to", "that"):
        return _voted_cue(reading, voted, begin)
    after = lower[voted.end() : reading.clause_end(voted.end(), 120)]
    if _TALK.search(before) or _is_reported(before, after):
        return None
    if not _body_before(before):
        return None
    if not re.search(r"\bmotion\b", before) and not _own_body(reading, before, begin):
        return None
    return _voted_cue(reading, voted, begin)


_SO = compiled(r"\bso\s+(?:unanimously\s+)?$")
_IT_WAS = compiled(r"\bit\s+was\s+(?:\w+ly\s+)?$")


def _voted_cue(reading: Reading, voted: re.Match[str], begin: int) -> Cue:
    lower = reading.lower
    end = reading.clause_end(voted.end(), 400)
    cue = Cue(OUTCOME, begin, end, FIRM, result=PASSED)
    cue.result_text = _printed(reading, voted.start(), end)
    _add_manner(cue, lower[begin:end], lower[begin:end])
    cue.counts = tally_in(lower, voted.start(), min(end, voted.end() + 80))
    cue.fresh = True
    return cue


def _own_body(reading: Reading, before: str, begin: int) -> bool:
    """Whether the body that is said to have voted is the one whose minutes these are."""
    body = last_match(_BODY, before, 0, len(before))
    if body is None or body[0] in ("all", "they", "we", "members", "court", "panel"):
        return True
    heading = reading.lower[: min(1500, line_start(reading.lower, begin + body.start()))]
    if len(heading.strip()) < 12:
        return True
    word = body[0].removesuffix("ers") if body[0].startswith("commission") else body[0]
    if word not in heading:
        return False
    qualified = re.search(r"(\w+)\s+" + body[0] + r"\s+(?:\w+\s+)?$", before)
    common = (
        "the",
        "city",
        "town",
        "county",
        "village",
        "school",
        "full",
        "and",
        "council",
        "board",
        "whole",
    )
    return qualified is None or qualified[1] in common or f"{qualified[1]} {word}" in heading


_AGREEMENT = Phrase(
    "without_obj no_obj by_con by_gen by_unan by_com by_accl consensus",
    r"(?:without\s+objection|no\s+objections?|by\s+(?:general\s+|unanimous\s+)?consensus"
    r"|by\s+(?:unanimous|general|common)\s+consent|by\s+acclamation"
    r"|consensus\s+(?:of\s+(?:the\s+)?\w+\s+(?:\w+\s+)?)?(?:(?:was|is)\s+)?to\b)",
)


def _agreement_cues(reading: Reading) -> Iterator[Cue]:
    """Yield a cue for what was agreed without a vote."""
    lower = reading.lower
    for agreed in _AGREEMENT.find(lower):
        begin = reading.clause_start(agreed.start())
        end = reading.clause_end(agreed.end())
        if _TALK.search(lower[begin : agreed.start()]):
            continue
        cue = Cue(
            OUTCOME, begin, min(end, agreed.end() + 200), FIRM, result=PASSED, vote_type="consensus"
        )
        heard = re.search(r"\b(?:hearing|being|with)\s+$", lower[begin : agreed.start()])
        if agreed[0].startswith("no") and not heard:
            cue.strength = SOFT
        cue.result_text = _printed(reading, begin, cue.end)
        cue.flags.add("consensus")
        cue.fresh = cue.strength == FIRM
        yield cue


_NO_SECOND = compiled(
    r"(?:\b(?:lack|want)\s+of\s+(?:a\s+|any\s+)?|\bno\s+|\bwithout\s+a\s+|\bnot\s+"
    r"|(?:n't|not|failed\s+to|fails\s+to)\s+(?:receiv\w*|get|got|have|heard?"
    r"|obtain\w*)\s+a\s+)second"
)
_SECOND = compiled(r"second(?=ed\b|\b)")


def _no_second_cues(reading: Reading) -> Iterator[Cue]:
    lower = reading.lower
    for second in _SECOND.finditer(lower):
        missing = _NO_SECOND.search(lower, max(0, second.start() - 40), second.end())
        if missing is None or (
            second.end() < len(lower) and lower[second.end()] == "e" and missing[0][:3] != "not"
        ):
            continue
        begin = reading.clause_start(missing.start())
        before = lower[begin : missing.start()]
        if re.search(r"\b(?:if|unless|would|should)\b", before):
            continue
        start = max(begin, missing.start() - 80)
        sentence = lower[begin : reading.clause_end(missing.end(), 80)]
        strength = STRONG if "motion" in sentence else SOFT
        cue = Cue(OUTCOME, start, missing.end(), strength, result=DIED, flags={"no_second"})
        cue.result_text = _printed(reading, start, missing.end())
        yield cue
