"""Read names as minutes print them: titles before, initials kept, particles joined.

A name is read forwards (``seconded by Councilmember van Overbeek to``), backwards (``Mrs. Ory
moved``) or as a list (``Smith, Jones and Dr. Brown``).  Only capitalised words that are neither a
title nor a word of motions and votes become part of a name: the word lists below decide, unless
the document itself establishes the name (:mod:`.roster`).  ``known`` are those surnames, in lower
case; a known surname wins over every list of words.
"""

from __future__ import annotations

from functools import lru_cache

import msgspec
from rapidfuzz.distance import DamerauLevenshtein

from clerk.core import lazy_re as re

from .text import pattern, word_set

TITLES = word_set(
    """
    com bd cmsr supt atty vp sup auditor sheriff assessor
    assistant associate senior first-selectman brd pres sect treas
    mme mlle monsieur mesdames messieurs conseiller conseillers conseillère conseillères mairesse
    maire
    mr mrs ms miss mx dr hon honorable honourable rev reverend sir madam madame messrs prof
    councilmember councilmembers councilman councilmen councilwoman councilwomen councilperson
    councilpersons councilor councilors councillor councillors cllr cllrs clr clrs cr crs cncl
    coun alderman alderwoman alderperson aldermen alderpersons alderwomen alder alders ald
    commissioner commissioners comm commr comr director directors dir trustee trustees
    supervisor supervisors supv selectman selectwoman selectperson selectmen selectmember mayor
    deputy chair chairs chairman chairwoman chairperson chairmen vice-chair vice-chairman
    vice-chairperson vice-chairwoman vice-president vice-mayor vice co-chair cochair co-chairs
    president secretary treasurer member members mbr boardmember boardmembers board council
    committee committeemember committeeman committeewoman commission senator sen representative
    rep delegate judge justice freeholder freeholders reeve warden overseer regent governor
    superintendent clerk pro tem tempore pro-tem tern protem protempore pro-tempore acting interim
    student select selectboard thiru thirumathi tmt smt shri sri shrimati selvi
    ex-officio alternate cm c/m c/ cmr vm bm mpt jurat burgess moderator magistrate cathaoirleach
    leas-chathaoirleach comhairleoir lord bailie provost executive county city town village
    township manager attorney administrator assemblymember assemblyman assemblywoman assembly
    assemblyperson legislator planner president-elect chief captain sgt lt
    planning zoning school library inspector worker wetlands agent
    """
)
#: Those of them that a full stop may follow: behind ``attorney.`` a sentence begins.
_SHORT_TITLES = word_set(
    """
    com bd cmsr supt atty vp sup brd pres sect treas mme mlle mr mrs ms mx dr hon rev messrs prof
    cllr cllrs clr clrs cr crs cncl coun ald comm commr comr dir supv mbr sen rep pro tem tern
    cm cmr vm bm mpt sgt lt comrn thiru tmt smt shri sri
    """
)

#: Titles of those who vote: where another one follows a name, the next name begins.
_MEMBER_TITLES = word_set(
    """
    mr mrs ms miss dr councilmember councilman councilwoman councilperson councilor councillor cllr
    cr clr coun alderman alderwoman alderperson alder ald commissioner com comm commr trustee
    supervisor sup selectman selectwoman selectperson member mayor chair chairman chairwoman
    chairperson director freeholder legislator reeve c/
    """
)

#: Those of them that a word may tell apart: ``Zoo Director``, ``Fire Commissioner``.
_ALSO_STAFF = word_set("director supervisor commissioner com comm commr member chair")

PARTICLES = word_set(
    """
    van von der den de la le di da del della dos du ten ter te el al bin ibn st mac mc ni ui
    los las des af zu zur vom vander dela delos n\u00ed u\u00ed nic
    """
)

_SUFFIXES = word_set("jr sr ii iii iv esq phd md")

_ABBREVIATED = word_set(
    """
    jr sr st wm chas geo thos jos jas robt mr mrs ms dr hon rev cllr cr ald comm sen rep mt
    """
)

#: Titles and words of motions and votes that are surnames as well.
ALSO_SURNAMES = word_set(
    """
    alder judge clerk warden chief provost lord justice regent governor captain burgess
    moderator planner record friend grant park page ward place call read close march street july
    plan work
    bill banks reading table award old new first favor road reeve sen an so friday monday sunday
    """
)

#: Those of them that are first names as well.
_FIRST_NAMES = word_set("bill grant page ward judge april may june august")

#: Capitalised words that end a name: the vocabulary of motions, votes and agendas.
STOPS = word_set(
    """
    personal prejudicial pecuniary others electoral
    motion motions second seconded seconds seconder moved moves mover move vote votes voted
    voting aye ayes nay nays noe noes yea yeas yes no none nil carried carries passed passes
    failed fails defeated lost the to that and or roll call called approved approve approves
    approval approving adopt adopted adopts adoption adopting accept accepted acceptance
    accepting abstain abstained abstains abstaining abstention abstentions absent present
    excused recused recuse disqualified disq item items resolution resolutions ordinance
    ordinances all unanimous unanimously on upon for with by in of at a an as is was were be
    been it its this there these those result results status district ward seat place zone
    discussion public hearing minutes meeting agenda consent action actions bill against opposed
    oppose favor favour page who which then also he she they his her their him them if when
    while after before following where whereas whereupon therefore resolved now authorize
    authorise authorizing direct directing award awarding adjourn adjournment adjourned close
    closing open opening table tabled postpone refer receive received reading read amend amended
    amendment amending substitute ratify confirm appoint appointment grant granted deny denied
    denial recommend recommendation enter recess staff report reports new old business comments
    comment quorum yeah yeahs members motioned support supported proposed proposal agreed agreement
    unopposed declared declare total yeses tally ballot in-favor not from further comments: date
    time location subject january february march july september october november december monday
    tuesday wednesday thursday friday saturday sunday mayor's dissenting abstentions: via zoom
    remote remotely teleconference arrived left departed pm am p.m a.m i introduced introduce
    first 1st 2nd question carried. discussion: regular special session work workshop executive
    closed department office llc inc corp company co park street avenue road fund budget fiscal
    year contract project plan program however thereafter thereupon there voice majority
    supermajority simple consensus zero one two three four five six seven eight nine ten eleven
    twelve same thereof so thus hence accordingly meanwhile additionally furthermore later finally
    afterwards subsequently because since although though but yet moreover next without towns names
    attest attested signed respectfully submitted form plaintiff defendant appellant
    pour contre appuyé appuyée proposé proposée par résolu résolue adopté adoptée adoptées qu'il
    """
)

#: Words that say how somebody voted; no part of a name is one of them.
BALLOT_WORDS = word_set(
    """
    aye ayes nay nays noe noes yea yeas yeah yeahs yes no none nil abstain abstained abstaining
    abstention abstentions absent excused recused present favor favour against opposed motion
    carried pour contre
    """
)

_LABEL_WORDS = ("ayes", "nayes", "nays", "noes", "yeas", "absent", "abstain")
_SUFFIX = pattern(r",? {0,2}((?:Jr|Sr|JR|SR)\b\.?|I{2,3}\b|IV\b)")
#: Honours and degrees behind a name, which are no part of it: ``Smith OAM``, ``Smith, PhD``.
_HONOURS = pattern(
    r",? {0,2}\n? {0,40}(?:OAM|AM|AO|OBE|MBE|CBE|JP|QSM|QSO|ONZM|MNZM|CNZM|PSM|MP|TD|CPA|P\.?E|AICP"
    r"|MD|PhD|Ph\.D\.?|EdD|Ed\.D\.?|Esq\.?)(?=\s{0,3}(?:[,;)\n|]|$|and\b|\()|\.(?:\s|$))"
)
#: Most letters are those of ASCII, which the regex engine skips fastest.
_TOKEN = pattern(
    r"[Cc]/(?:[Mm]\b|(?=[A-Z][a-z]))|(?:[A-Za-z]+|[^\W\d_])[^\W\d_]*(?:['\-][^\W\d_]+)*"
)
_GAP = pattern(r" {0,2}(?:\n {0,60})?(?=\S)")
#: What may stand between a title and a name: ``Precinct 4``, ``(Town)``, ``/Commissioner``.
_AFTER_TITLE = pattern(
    r"/(?=[^\W\d_])| {0,2}\([^()\n]{1,24}\)| (?:les?|la)(?= (?:maire|conseill|pr\u00e9fet))"
    r"|,?\s{1,3}(?:Precinct|Pct\.?|District|Dist\.?|Ward|Seat|Place|Position|Post|Division|Area|Zone)"
    r"\s{0,2}(?:(?:No\.?|#)\s?)?(?:\d{1,2}|[IVX]{1,4}|[A-Z])\b[,:]?",
    re.I,
)
_NAME_IN_BRACKETS = pattern(r" {1,2}\((?=[A-Z])")
#: A surname with its particle joined to it: ``deVries``, ``d'Angelo``, ``vanDyke``.
_JOINED_PARTICLE = pattern(
    r"(?:d'|o'|l'|de|del|della|der|des|di|da|dos|du|el|la|le|mac|mc|st|ten|ter|van|vande|vanden"
    r"|vander|von)(?=[A-Z][a-z])"
)
_SEPARATOR = pattern(r"\s{0,80}(?:,\s{0,80}and\b|,\s{0,80}&|[,;/&]|and\b)[\s,]{0,80}", re.I)
_LEADER = pattern(
    r"[\s:;,.\-(\"]{0,60}(?:(?:her|his)\s{1,3}(?:worship|honou?r),?\s{1,4})?(?:the\s{1,4})?", re.I
)
_NAME_AFTER_STOP = pattern(r"\.(?: {1,2}|\n {0,40})[A-Z][A-Za-z]")
_MONSIEUR = pattern(r"(?:(?<=\bpar )|(?<=\bpar  )|(?<=\bpar\n))M\. {1,2}")
#: An abbreviated title, whatever it is: ``Cnclmn.``
_NO_VOWEL = pattern(r"(?!ng$|st$|mt$|jr$|sr$|wm$|thos$)[bcdfghjklmnpqrstvwxz]{2,8}")
#: A title with a misread letter: ``Councllmember``.
_MISREAD_TITLE = re.compile(
    r"co[un]{1,3}c\w{1,4}m[ae][mrn]\w{1,5}|co[un]{1,2}c\w{1,3}(?:man|woman)"
)
#: The number of a heading: ``VII. NEW BUSINESS``.
ROMAN = re.compile(r"X{0,2}(?:I[XV]|V?I{0,3})")
#: No name: the same letter three times, or more consonants in a row than any language has.
_LONG = 9
_NOISE = re.compile(r"([^\W\d_])\1\1|[bcdfghjklmnpqrstvwxz]{7}|.{19}")
_MAX_TOKENS = 4
_MAX_TITLES = 6


class Name(msgspec.Struct, frozen=True, gc=False):
    """A name as printed, without its titles, and where it is with its titles."""

    text: str
    start: int
    end: int
    titled: bool

    @property
    def surname(self) -> str:
        """The last word, with its particles: ``van Overbeek``."""
        return _surname(self.text)


@lru_cache(maxsize=8192)
def _surname(name: str) -> str:
    words = name.split()
    cut = len(words) - 1
    if cut > 0 and words[cut].lower().rstrip(".") in _SUFFIXES:
        cut -= 1
    while cut > 0 and words[cut - 1].lower().strip(".") in PARTICLES:
        cut -= 1
    if cut == 0 and len(words) > 1 and words[0] == "Al":
        cut = 1
    return " ".join(words[cut:])


@lru_cache(maxsize=8192)
def _is_rare_title(text: str, word: str) -> bool:
    """Whether a word is a title with a misread letter, or abbreviated in an unknown way."""
    if word.startswith("co") and _MISREAD_TITLE.fullmatch(word):
        return True
    return text.endswith(".") and (_NO_VOWEL.fullmatch(word) is not None or word == "comrn")


@lru_cache(maxsize=8192)
def _may_be_name(text: str, word: str) -> bool:
    """Whether a word as printed, and in lower case, may be part of a name."""
    capital = text[0].isupper()
    if len(word) == 1 and capital:
        return True
    if not capital and _JOINED_PARTICLE.match(text) is None:
        return False
    if word in STOPS or word in TITLES or _is_rare_title(text, word):
        return False
    if text.isupper() and ROMAN.fullmatch(text):
        return False
    if "-" in word and not STOPS.isdisjoint(word.split("-")):
        return False
    if not text.isascii() and not text.replace("-", "").replace("'", "").isalpha():
        # A Roman numeral or the like: what the reader of an image made of an M.
        return False
    return len(word) < _LONG or not any(_NOISE.search(part) for part in word.split("-"))


#: ``J`` or ``J.``, ``G-C.``
_INITIAL = re.compile(r"[A-Z](?:-[A-Z]\.)?\.?")


class _Token(msgspec.Struct, frozen=True, gc=False):
    text: str
    word: str
    start: int
    end: int

    @property
    def is_title(self) -> bool:
        return self.word in TITLES or _is_rare_title(self.text, self.word)

    @property
    def is_capitalised(self) -> bool:
        return self.text[0].isupper() or _JOINED_PARTICLE.match(self.text) is not None

    @property
    def is_initial(self) -> bool:
        return _INITIAL.fullmatch(self.text) is not None

    @property
    def may_be_name(self) -> bool:
        return _may_be_name(self.text, self.word)

    def is_name(self, known: frozenset[str]) -> bool:
        """Whether it may be part of a name, or is a surname that the document establishes."""
        if self.may_be_name:
            return True
        # A known name may have lost its capital, unless it is a word.
        return self.word in known and (
            self.is_capitalised
            or (len(self.word) > 3 and self.word not in STOPS and self.word not in PARTICLES)
        )

    @property
    def is_also_surname(self) -> bool:
        """Whether it is a word like Grant or Warden, printed with a capital."""
        return self.text[0].isupper() and self.word in ALSO_SURNAMES

    @property
    def is_member_title(self) -> bool:
        """Whether those who vote are called so: ``Councilmember``, ``Tr.``"""
        return self.word in _MEMBER_TITLES or (self.is_title and self.word not in TITLES)


def _token_at(text: str, position: int, limit: int | None = None) -> _Token | None:
    """Return the word that begins at a position, with the full stop of an abbreviation.

    It ends before a hyphen that ties it to a vote: ``Smith-aye``, ``Nays-None``.
    """
    match = _TOKEN.match(text, position, position + 60 if limit is None else limit)
    if match is None:
        return None
    end = match.end()
    if "-" in match[0]:
        part_start = position
        for part in match[0].split("-"):
            part_end = part_start + len(part)
            if part.lower() in BALLOT_WORDS:
                end = part_start - 1 if part_start > position else part_end
                break
            part_start = part_end + 1
    printed = text[position:end]
    word = printed.lower()
    if text.startswith(".", end) and (
        len(word) == 1
        or (len(word) == 3 and word[1] == "-")
        or word in _ABBREVIATED
        or word in _SHORT_TITLES
        or (_NO_VOWEL.fullmatch(word) and _NAME_AFTER_STOP.match(text, end))
    ):
        return _Token(printed + ".", word, position, end + 1)
    return _Token(printed, word, position, end)


def _next_token(text: str, position: int) -> tuple[_Token | None, bool]:
    """Return the token after a small gap, and whether the gap is a line break."""
    gap = _GAP.match(text, position)
    if gap is None:
        return None, False
    return _token_at(text, gap.end()), "\n" in gap[0]


_AFTER_SURNAME = pattern(
    r"\.?(?:[,;:/)\n]|$| {1,4}(?:\n|$|\()|(?<=\.)\s|\s+(?:and|to|that|seconded|second"
    r"|moved|made|voted)\b|\s+(?:AYES?|YEAS?|NAYS?|NOES?|ABSENT|ABSTAIN\w*|ABSTENTIONS?|MOTION)\b"
    r"|\s+(?:Ayes?|Yeas?|Nays?|Noes?|Absent|Abstain\w*|Abstentions?)\s?:)"
)


def _ends_as_surname(text: str, token: _Token) -> bool:
    """Whether a word such as Park ends a name here: a comma, a line end or a verb follows."""
    return token.is_also_surname and _AFTER_SURNAME.match(text, token.end) is not None


def _title_before_name(text: str, token: _Token, known: frozenset[str]) -> bool:
    """Whether a token is a title and a name follows it: ``Recording Clerk Smith``."""
    following, broken = _next_token(text, token.end)
    return token.is_title and following is not None and not broken and following.is_name(known)


_FRAGMENT = pattern(r" ?([^\W\d_]{2,12})(?![\w'])")


def _broken_name(text: str, token: _Token, known: frozenset[str]) -> tuple[str, int] | None:
    """Return a known surname that was broken by spaces (``Pet ten gill``), and where it ends."""
    if text[token.end : token.end + 1] != " " or not text[token.end + 1 : token.end + 2].islower():
        return None
    joined, end = token.text, token.end
    for _ in range(3):
        fragment = _FRAGMENT.match(text, end)
        if fragment is None or not fragment[1].islower():
            return None
        joined, end = joined + fragment[1], fragment.end()
        if joined.lower() in known:
            return joined, end
    return None


#: What somebody is qualified for, in capitals: ``CPA-CFE``.
CREDENTIALS = re.compile(r"[A-Z]{2,6}(?:-[A-Z]{2,6})+")
_MISREAD_NAME_OVER = pattern(r"[,;]|\.?\s{0,3}(?:\n|$)|\s+(?:moved|seconded|voted|made)\b")


def read_name(
    text: str, position: int, known: frozenset[str] = frozenset(), listed: bool = False
) -> Name | None:
    """Read the name that begins at a position (punctuation before it is skipped), or None.

    ``known`` are surnames in lower case; they decide where a name ends that runs into the next
    line or the next sentence.  A ``listed`` name is one of a list: there ``Park`` may be one.
    """
    leader = _LEADER.match(text, position)
    start = leader.end() if leader else position
    if text.startswith("M.", start) and (monsieur := _MONSIEUR.match(text, start)):
        start = monsieur.end()
    if simple := _ONE_WORD.match(text, start):
        # Most names are one word, and what follows it is plainly no part of a name.
        word, following = simple["name"].lower(), simple["next"]
        if (
            word not in _NOT_ALONE
            and following not in PARTICLES
            and following not in known
            and _may_be_name(simple["name"], word)
            and _SURNAME.match(word)
        ):
            return Name(simple["name"], start, simple.end("name"), simple["title"] is not None)
    first = token = _token_at(text, start)
    titled = False
    for _ in range(_MAX_TITLES):
        if token is None or not token.is_title:
            break
        if inside := _NAME_IN_BRACKETS.match(text, token.end):
            # ``the Lord Mayor (Councillor Smith)``
            name = read_name(text, inside.end(), known, listed)
            if name is not None and name.titled and text[name.end : name.end + 1] == ")":
                return Name(name.text, first.start if first else name.start, name.end + 1, True)
        after = token.end
        while titled_place := _AFTER_TITLE.match(text, after):
            after = titled_place.end()
        comma = text[after : after + 1] == ","
        if not comma and text[after : after + 1] in (";", ")"):
            break
        following, broken = _next_token(text, after + comma)
        if following is None:
            break
        if broken and following.word in STOPS and following.word not in known:
            break
        if comma and (
            following.word not in known or token.word in known or token.word in ALSO_SURNAMES
        ):
            break
        if token.word in known and not following.is_name(known) and not following.is_title:
            # A Mr. Clerk or Mr. Warden without his title.
            break
        if token.word in ALSO_SURNAMES and not (following.is_name(known) or following.is_title):
            break
        titled = True
        token = following
    if token is None or first is None:
        return None
    if (
        titled
        and first.is_member_title
        and token.text.islower()
        and len(token.word) > 3
        and not (token.word in STOPS or token.word in PARTICLES or token.is_title)
        and _MISREAD_NAME_OVER.match(text, token.end)
    ):
        # A small word after a member's title: ``Trustee ladel, seconded``
        return Name(token.text, first.start, token.end, True)
    if known and token.is_capitalised and (broken_name := _broken_name(text, token, known)):
        return Name(broken_name[0], first.start, broken_name[1], titled)
    certain = titled or (listed and _ends_as_surname(text, token))
    member = titled and first.is_member_title
    words, end = _name_words(text, token, known, certain, member)
    if not words or (len(words[-1]) < 3 and all(len(word.strip(".")) < 2 for word in words)):
        return None
    if len(words) > 2 and CREDENTIALS.fullmatch(words[0]) and not words[-1].isupper():
        # ``MLEO-CEMC Will Bateman``
        del words[0]
    last = words[-1].rstrip(".").lower()
    if last not in known and last not in _SUFFIXES and not _SURNAME.search(last):
        return None
    two = len(words) > 3 and _SURNAME_BEFORE_LAST.fullmatch(" ".join(words))
    if two and _INITIAL_NEXT.match(text, end):
        # ``Ann S. Griffin Stuart F. Mills``: two people, and no comma.
        end -= len(words.pop()) + 1
    return Name(_as_printed(words, text[first.start : end]), first.start, end, titled)


_SURNAME_BEFORE_LAST = re.compile(r"[A-Z][\w'.-]* [A-Z]\. [A-Z][\w'-]+ [A-Z][a-z]+")
_INITIAL_NEXT = re.compile(r" [A-Z]\. [A-Z]")
_INITIALS = re.compile(r"\b([A-Z]\.) (?=[A-Z]\.)")


def _as_printed(words: list[str], printed: str) -> str:
    """Return the words of a name in one line, initials without spaces if they have none."""
    name = " ".join(words)
    joined = _INITIALS.sub(r"\1", name) if name.count(".") > 1 else name
    return joined if joined in printed else name


_ONE_WORD = re.compile(
    r"(?P<title>(?:Mr|Mrs|Ms|Dr|Cllr|Cr)\.? |(?:Council(?:member|man|woman|or|lor)|Commissioner"
    r"|Trustee|Director|Supervisor|Member|Mayor|Alderman|Selectman) )?"
    r"(?P<name>[A-Z][a-z]{2,20})(?:(?= (?P<next>[a-z]{2,20})\b)|(?=[;:)]|, [a-z]|\. [a-z(]))"
)
_MONTHS = word_set("april may june august")
_NOT_ALONE = ALSO_SURNAMES | PARTICLES | _MONTHS | _ABBREVIATED
#: A surname has a vowel or is a known exception, and is no number in Roman letters.
_SURNAME = re.compile(
    r"(?!(?:x{0,2}(?:i[xv]|v?i{0,3}))$)(?:.*[aeiouy\u00c0-\uffff].*|ng|[^\W\d_])$"
)


_ENDS_NAME = pattern(
    r"\.?(?:[,;/)\n]|$| {1,8}\n|(?<=\.)\s|\s+(?:and|to|that|made|moved|seconded|voted)\b)"
)


_NUMBER_NEXT = re.compile(r" {1,3}\d")
_CODE = re.compile(r"[A-Z]{2,3}")
_DAY_NEXT = re.compile(r"\s{1,3}\d{1,2}\b")
#: ``V. PUBLIC COMMENT`` in the same line.
_HEADING_NEXT = pattern(r"\s{1,3}[A-Z]{2,}")
#: The list goes on behind a name that a line break cut in two.
_LISTED_ON = pattern(r"\.?(?:[,;]|\s+and\b)")


def _name_words(
    text: str, first: _Token, known: frozenset[str], certain: bool, member: bool
) -> tuple[list[str], int]:
    """Collect the words of a name from its first token on; ``certain`` if a name must be there."""
    words: list[str] = []
    end = first.end
    token: _Token | None = first
    broken = False
    while token is not None:
        if len(words) >= _MAX_TOKENS and (
            sum(word.lower().strip(".") not in PARTICLES for word in words) == _MAX_TOKENS
        ):
            break
        if broken and words:
            last = words[-1].lower()
            begun = last.rstrip(".") in PARTICLES or len(last.rstrip(".")) == 1
            whole = len(words) == 1 and token.text.istitle() and last not in known
            over = _ENDS_NAME if not known else _LISTED_ON
            ends = whole and over.match(text, token.end) is not None
            if not begun and (last in known or not (token.word in known or ends)):
                break
            if not begun and token.word in known and (token.is_title or token.word in STOPS):
                break
        if (
            words
            and token.text.isupper()
            and len(token.text) > 2
            and not words[-1].isupper()
            and text[token.end : token.end + 3].lstrip(" '").startswith(":")
        ):
            # ``Smith NAPES:`` ends with a label that was misread.
            break
        if (
            words
            and token.text.isupper()
            and text[token.end : token.end + 4].lstrip(" '\n").startswith(":")
            and any(DamerauLevenshtein.distance(token.word, label) <= 1 for label in _LABEL_WORDS)
        ):
            break
        if words and token.text.isupper() and _HONOURS.match(text, end):
            break
        if token.word in _MONTHS and _DAY_NEXT.match(text, token.end):
            break
        if words and (
            text[token.end : token.end + 1].isdigit()
            or (_NUMBER_NEXT.match(text, token.end) and _CODE.fullmatch(token.text))
        ):
            # ``Councillor Smith RC19-190``, ``Councillor Smith AB #12``: the number of the motion.
            break
        following, line_break = _next_token(text, token.end)
        near = following
        if line_break and not (
            # ``van`` at the end of a line goes on in the next.
            token.word in PARTICLES
            and following is not None
            and (following.word in known or (token.text.islower() and following.text.istitle()))
        ):
            near = None
        possessive = token.text.lower().endswith("'s")
        if (
            token.word in PARTICLES
            and near is not None
            and (near.is_name(known) or near.word in PARTICLES)
        ):
            words.append(token.text)
        elif (
            token.is_name(known)
            or (not words and _must_be_name(text, token, near, known, certain))
            or (
                words
                and (len(words) == 1 or all(len(word.strip(".")) == 1 for word in words))
                and words[0].lower() not in known
                and _ends_as_surname(text, token)
            )
        ):
            word = token.text.rstrip(".") if token.word in ALSO_SURNAMES else token.text
            words.append(word[:-2] if possessive else word)
            end = token.end - 2 * possessive
        elif (
            words
            and token.is_member_title
            and (
                member
                or len(words) > 1
                or (
                    (token.word not in _ALSO_STAFF or words[0].lower() in known)
                    and _title_before_name(text, token, known)
                )
            )
        ):
            # ``Smith Mayor Jones`` are two.
            break
        elif words and not broken and _title_before_name(text, token, known):
            if words[-1].lower() in known:
                # ``Ayes: Smith, Jones Auditor Brown will``: the next sentence begins.
                break
            words = []
        else:
            break
        if possessive or (len(words) > 1 and token.word in known):
            break
        token, broken = following, line_break
    # Neither a particle nor the "A" of the next sentence ends a name.
    while words and (
        (words[-1].islower() and words[-1] in PARTICLES)
        or (len(words) > 1 and len(words[-1]) == 1)
        or (len(words) > 1 and words[-1] in ("I.", "V.", "X.") and _HEADING_NEXT.match(text, end))
    ):
        words.pop()
    if words and (suffix := _SUFFIX.match(text, end)):
        words, end = [*words, suffix[1]], suffix.end()
    if words and (honours := _HONOURS.match(text, end)):
        end = honours.end()
    return words, end


def _must_be_name(
    text: str, token: _Token, following: _Token | None, known: frozenset[str], certain: bool
) -> bool:
    """Whether a word like Grant or Warden that begins a name can be nothing else here."""
    if not token.is_also_surname:
        return False
    if (
        token.word in _FIRST_NAMES
        and following is not None
        and following.text[0].isupper()
        and (following.may_be_name or _ends_as_surname(text, following))
    ):
        return True
    return certain or token.word in known or text[token.end : token.end + 1] in (",", ";", "/", ")")


def name_before(text: str, position: int, known: frozenset[str] = frozenset()) -> Name | None:
    """Read the name that ends right before a position, or None."""
    # Most words begin with a small letter, and are no names.
    words_before = text[max(0, position - 130) : position].rstrip(" \n,.")
    last = words_before.rpartition(" ")[2].rpartition("\n")[2]
    if last == last.lower():
        return None

    taken: list[_Token] = []
    titles: list[_Token] = []
    starts = [match.start() for match in _TOKEN.finditer(text, max(0, position - 90), position)]
    for place, start in enumerate(reversed(starts), 1):
        token = _token_at(text, start, position)
        if token is None:
            continue
        if taken:
            if not _adjacent(text, token, (titles or taken)[-1]):
                break
            if token.is_title:
                titles.append(token)
                continue
            after_particle = taken[-1].word in PARTICLES and token.text.islower()
            fits = token.is_name(known) and len(taken) < _MAX_TOKENS and not after_particle
            if titles or not (fits or token.word in PARTICLES):
                break
        else:
            gap = text[min(token.end, position) : position]
            if gap.strip(" \n,") or gap.count("\n") > 1:
                return None
            if not token.is_name(known):
                # A name such as Lord or Page is one after a title.
                if not token.is_also_surname or place == len(starts):
                    return None
                before = _token_at(text, starts[-place - 1], position)
                if before is None or not before.is_title or not _adjacent(text, before, token):
                    return None
        taken.append(token)
    words = [token.text for token in reversed(taken)]
    if not any(len(word.strip(".")) > 1 and word[0].isupper() for word in words):
        return None
    if taken[0].word in PARTICLES and taken[0].word not in known:
        # ``WEI ST MOVED``: a name that was broken in two.
        return None
    if words[-1].endswith("'s"):
        return None
    name = _as_printed(words, text[taken[-1].start : taken[0].end])
    return Name(name, (titles or taken)[-1].start, taken[0].end, bool(titles))


def _adjacent(text: str, token: _Token, edge: _Token) -> bool:
    """Whether two tokens belong to one name; over a line break only a title or an initial does."""
    gap = text[token.end : edge.start]
    if gap.strip() or len(gap) > 60 or gap.count("\n") > 1:
        return False
    if "\n" not in gap:
        return len(gap) <= 3
    return token.is_title or token.is_initial


#: A note may stand behind the name: ``Smith (arrived at 4:11 pm), and Jones``.
_JOINT = pattern(r"(?: \([^()\n]{3,40}\))?(?:,\s{0,4}and|,|\band|&)\s{1,4}$|(?<=[a-z]),$")


def names_before(text: str, position: int, known: frozenset[str] = frozenset()) -> list[Name]:
    """Read ``Smith, Jones and Brown`` that ends right before a position, in printed order."""
    found: list[Name] = []
    name = name_before(text, position, known)
    while name is not None and len(found) < 30:
        found.insert(0, name)
        floor = max(0, name.start - 56)
        joint = _JOINT.search(text[floor : name.start])
        if joint is None:
            break
        name = name_before(text, floor + joint.start(), known)
    return found


_ROLE = pattern(
    r"\s{0,60}(?:the\s)?(?:vice[\s-]|deputy\s|first\s|second\s|co-)?(?:chair\w*"
    r"|mayor(?:\s+pro[\s-]tem\w*)?|president|secretary|treasurer|clerk|moderator|alternate"
    r"|director|member|commissioner|trustee|jr\.?|sr\.?|(?:district|ward|seat|place"
    r"|position|precinct)\s+[\w-]{1,12})"
    r"(?=\s{0,3}(?:[,;.\n)]|$|and\b))",
    re.I,
)
_NOTE = pattern(r"\s{0,4}\((?!\d)[^()\n]{1,40}\)")
#: A number that ends a line of a longer list.
_COUNT = pattern(r"\d{1,3} {0,20}\n {0,60}")
#: Behind the last name of a list that was read to its end: a stop, a number, or nothing.
_STOP = pattern(r"[ ]{0,80}(?:$|[.:)\]\"'\n\d(]|[-=][ ]{0,3}[(\d\n]|-{2,})")
_SEPARATORS = re.compile(r"[\s,;/&]{0,80}")
#: The next line begins with a word that is no name, and goes on with the list.
_GOES_ON = re.compile(
    r" {0,80}\n {0,60}[^\W\d_][\w'-]*(?: [A-Z][\w'-]+){0,2}, (?:[A-Z][\w'-]+ ){0,2}[A-Z][\w'-]+"
    r"(?:,| and |\s*\n|\s*$)"
)
#: A word behind the last name that is neither a name nor a word that is not understood.
_OVER_WORD = pattern(
    r"(?:ayes?|yea[hs]?s?|yes|noes|nays?|no|none|nil|absent|abstain\w*|abstentions?|excused|recus\w*"
    r"|not|disq\w*|opposed|against|in|for|voted|voting|votes?|motions?|carried|passed|approved"
    r"|failed|adopted|declared|be\s+it|all|each|were|was|is|being|the|with|present|total|thereupon|whereupon"
    r"|result|mover|seconder|seconded|second|resolution|ordinance|items?|staff|others?|also|who"
    r"|having|that|to|on|of|at|by|from|action|status|vacant|vacancy|those|and\s+(?:the|a|no|none))\b"
    r"|(?-i:[A-Z]{3,}(?: [A-Z]{2,}){0,3}) {0,2}:|(?-i:[IVX]{1,5})\.\s",
    re.I,
)
#: A name follows a full stop that was a comma.
_STOP_FOR_COMMA = pattern(r"\.\s{1,3}(?=[^\W\d_])")


class NameList(msgspec.Struct, frozen=True):
    """Names read one after the other, and where the list ends."""

    names: list[Name]
    end: int
    #: Nothing behind the last name looks like another one: it was read to its end.
    complete: bool


#: ``Smith, John``, with an initial or not.
_LAST_FIRST = r"([A-Z][\w'-]{1,25}(?: [A-Z][\w'-]{1,25})?), {1,2}([A-Z][\w'-]{1,20}(?: [A-Z]\.?)?)"
_ONE_LAST_FIRST = re.compile(rf"\s*{_LAST_FIRST}(?=\s*(?:[;.\n]|$))")
#: A line for each: ``SMITH, J A``, ``Jones, B (Speaker)``.
_ONE_WITH_INITIALS = re.compile(
    r"\s*([A-Z][\w'-]{1,25}(?: [A-Z][\w'-]{1,25}){0,2}), {1,2}((?:[A-Z]\.? ?){0,2}[A-Z]\.?)"
    r"(?: ?\([^()\n]{2,40}\))?(?= *(?:\n|$))"
)
_MANY_WITH_INITIALS = re.compile(rf"(?:{_ONE_WITH_INITIALS.pattern}){{3}}")
_MANY_LAST_FIRST = re.compile(rf"\s*{_LAST_FIRST};\s*{_LAST_FIRST}\s*(?:[;.\n]|$)")


def has_last_names_first(text: str, position: int, limit: int) -> bool:
    """Whether a list is written ``Smith, John; Jones, Mary``, and not ``John Smith, Chair;``."""
    if _MANY_WITH_INITIALS.match(text, position, limit):
        return True
    names = _MANY_LAST_FIRST.match(text, position, limit)
    return names is not None and not any(
        word.lower() in TITLES or word.lower().rstrip("s") in TITLES
        for first in (names[2], names[4])
        for word in (first, *first.split("-"))
    )


def _read_last_first(text: str, position: int, limit: int) -> NameList:
    names: list[Name] = []
    end = position
    while name := _ONE_WITH_INITIALS.match(text, position, limit):
        names.append(Name(f"{name[2]} {name[1]}", name.start(1), name.end(), False))
        end = position = name.end()
    if names:
        return NameList(names, end, True)
    while name := _ONE_LAST_FIRST.match(text, position, limit):
        names.append(Name(f"{name[2]} {name[1]}", name.start(1), name.end(), False))
        end = name.end()
        if text[end : end + 1] != ";":
            break
        position = end + 1
    return NameList(names, end, True)


#: The title of those who follow, as a label inside a list.
_TITLE_AS_LABEL = pattern(
    r"\s*(?:trustees|council\s?(?:members|men|ors)|councillors|commissioners|alder(?:men|persons)"
    r"|directors|supervisors|select(?:men|board)?|members|board\s+members)\s?:\s*",
    re.I,
)


def read_names(
    text: str,
    position: int,
    limit: int,
    known: frozenset[str] = frozenset(),
    last_first: bool = False,
) -> NameList:
    """Read a list of names.

    Names are set apart by commas, semicolons, ``and``, or, when there are no commas, by line
    breaks or wide gaps.  Roles and notes after a name (``Smith, Chair``) are skipped.  If
    ``last_first``, lists of the document have the surname first, and a comma after it.
    """
    if (last_first and _ONE_LAST_FIRST.match(text, position, limit)) or has_last_names_first(
        text, position, limit
    ):
        return _read_last_first(text, position, limit)
    limit = min(limit, len(text))
    names: list[Name] = []
    end = position
    commas = False
    while position < limit and len(names) < 120:
        if names and (label := _TITLE_AS_LABEL.match(text, position, limit)):
            # ``Mayor Smith; Trustees: Jones, Brown``
            position = label.end()
        name = read_name(text, position, known, listed=True)
        gap = text[position : name.start] if name else ""
        stopped = "." in gap and (bool(names) or gap.strip() != ".")
        if name is None or name.end > limit or stopped or (names and ":" in gap):
            role = _ROLE.match(text, position)
            if role is None or role.end() > limit:
                break
            position = end = role.end()
        else:
            names.append(name)
            end = position = name.end
        if note := _NOTE.match(text, position):
            position = note.end()
        end = max(end, position)
        if separator := _SEPARATOR.match(text, position):
            count = _COUNT.match(text, separator.end())
            position = count.end() if count else separator.end()
            commas = True
        elif (
            (stop := _STOP_FOR_COMMA.match(text, position))
            and (surname := _token_at(text, stop.end()))
            and surname.word in known
            and surname.word not in STOPS
            and text[surname.end : surname.end + 1] in (",", ".", ";", "\n", "")
        ):
            # ``Smith. Jones. Brown.``
            position = stop.end()
        elif not _next_name_follows(text, position, limit, names, known, commas):
            break
    between = _SEPARATORS.match(text, end, limit)
    after = between.end() if between else end
    title, broken = _next_token(text, end) if text.startswith(" ", end) else (None, False)
    titled = read_name(text, title.start, known) if title and title.is_title else None
    # ``Smith, Jones Mr. Brown said``: a sentence about somebody with a title follows.
    sentence = titled and titled.titled and not broken and _VERB_NEXT.match(text, titled.end)
    if after >= limit or _OVER_WORD.match(text, after) or sentence:
        complete = True
    elif mark := text[end:after].strip():
        # A separator was read, and what follows it is no name.
        complete = text[after] in ".(:)]" or (mark == ";" and "\n" in text[end:after])
    else:
        goes_on = commas and _GOES_ON.match(text, end, limit)
        complete = not goes_on and _STOP.match(text, end, limit) is not None
    return NameList(names, end, complete)


_VERB_NEXT = re.compile(r" (?!and\b|or\b)[a-z]{3,}")


_ROW = pattern(r"(?: {3,}| *\n *)(?=[^\W\d_])")
_STOPPED_WORD = re.compile(r"\S+[:.?!]")
_LONGEST_ROW = 200


def _next_name_follows(
    text: str, position: int, limit: int, names: list[Name], known: frozenset[str], commas: bool
) -> bool:
    """Whether the next name of a list follows without a comma.

    A space is enough if both have titles of members, or if both are known: ``Mr. Smith Mrs.
    Jones``, ``Smith Jones``, ``J. Smith A. Jones``.  Or the next name is in the next line or
    column; where the list has commas that line must begin with a known surname, or it is a new
    sentence.
    """
    token, broken = _next_token(text, position)
    if names and names[-1].end == position and token and not broken and token.is_capitalised:
        if token.word in ("deputy", "vice"):
            # ``Mayor Smith Deputy Mayor Jones``
            title, broken = _next_token(text, token.end)
            token = title if title and title.is_member_title and not broken else token
        if (names[-1].titled or names[0].titled) and token.is_member_title:
            if _title_before_name(text, token, known):
                return True
        elif token.word in known and names[-1].text.split()[-1].lower() in known:
            return True
        elif token.is_initial and names[-1].text.split()[-1].lower() in known:
            # ``J. Smith A. van Jones``
            name = read_name(text, token.start, known, listed=True)
            if name is not None and name.text.split()[-1].lower() in known:
                return True
    row = _ROW.match(text, position)
    if row is None or row.end() >= limit:
        return False
    line = text[row.end() : min(limit, row.end() + _LONGEST_ROW)].partition("\n")[0]
    if len(line) == _LONGEST_ROW:
        return False
    for word in _STOPPED_WORD.findall(line):
        short = word.rstrip(".").lower()
        if len(word) > 2 and short not in _ABBREVIATED and short not in TITLES:
            return False
    tokens = [_Token(match[0], match[0].lower(), 0, 0) for match in _TOKEN.finditer(line)]
    if not tokens or not all(
        token.is_name(known) or token.is_title or token.word in PARTICLES or token.word == "and"
        for token in tokens
    ):
        return False
    return not commas or any(token.word in known for token in tokens[:3])
