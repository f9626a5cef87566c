"""Whose meeting it is: the name of a body in headings and in the sentence that opens minutes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Final

from clerk.core import lazy_re as re

from .dates import without_dates
from .facts import PAGE, UNKNOWN, Fact
from .text import (
    Line,
    Words,
    ascii_lower,
    cased_pattern,
    is_address,
    is_headline,
    readable,
    subject_lines,
)

#: The words that end the name of a body, or begin it ("Board of ...").
_HEAD = (
    r"(?:councils?|boards?|commission|committees?|sub-?committee|authority|trustees|selectmen"
    r"|selectboard|aldermen|supervisors|commissioners|assembly|court|police jury|panel|task force"
    r"|cabinet|senate|legislature|corporation|directorate|bureau|agency|town meeting"
    r"|annual parish meeting"
    r"|working (?:group|party)|conseil|comité|consejo|cabildo|ayuntamiento|pleno"
    r"|(?:orts)?gemeinderat(?:e?s)?|stadtrat(?:e?s)?|ortsbeirat(?:e?s)?|kreistag(?:e?s)?"
    r"|ausschuss(?:es)?|bau(?:- und \w{3,20})?ausschuss(?:es)?|umweltausschuss(?:es)?"
    r"|haupt(?:- und \w{3,20})?ausschuss(?:es)?|finanz(?:- und \w{3,20})?ausschuss(?:es)?"
    r"|gemeindevertretung|stadtvertretung|ortsrat(?:e?s)?|gemeenteraad|(?<=\bde\s)raad"
    r"|raadscommissie(?: \w+)?|junta (?:directiva|de (?:educación|gobierno|supervisores))"
    r"|mesa directiva|concejo|commissie (?!van\b|voor\b)\w+|stadtverordnetenversammlung"
    r"|municipal district|freeholders|governors|regents|forum|electors)"
)
HEAD: Final = Words(rf"\b{_HEAD}(?![^\W\d_])")
#: After such a word: it is a room or a person, no body.
_NOT_A_BODY = Words(
    r"\b(?:councils?|boards?|commission(?:ers?)?|committees?|court|trustees|supervisors|assembly"
    r"|cabinet|agency|authority)['’]?s? (?:vice )?(?:(?:meeting )?(?:chambers?|rooms?)|house|hall"
    r"|offices?|members?|member|president|chair\w*|secretary|clerk|liaison|priorities|goals"
    r"|report\w*|action|vacancy|packet|policy|policies|recommendation\w*)\b|\b(?:clerk|secretary"
    r"|solicitor|attorney|advis[eo]r|letter) (?:to|of) (?:the )?(?:\w+ )?(?:council|board"
    r"|commission|committee)\b|\b(?:town|city|village|county|municipal) (?:offices|hall|building)\b"
)
_MEETING_WORDS = Words(
    r"\b(?:(?:regular(?:ly)?|special|annual|monthly|quarterly|emergency|scheduled|rescheduled"
    r"|adjourned|virtual|online|hybrid|remote|öffentliche|nichtöffentliche|openbare|public|open"
    r"|closed|executive|work|working|study|organi[sz]ational|reorgani[sz]ation(?:al)?|inaugural"
    r"|budget|ordinary|extraordinary|extra-ordinary|full|combined|called|stated|in-person|joint"
    r"|planning|business|first|second|statutory|electronic|teleconference|workshop|general"
    r"|bi-?monthly|semi-?monthly)[ /&-]{1,3})*(?:meetings?|sessions?|hearings?(?! (?:board|exam"
    r"|officer))|workshops?|retreat|sitzung|vergadering|réunion|reunión|séance"
    r"|sesión)\b(?: (?:(?:extra)?ordina(?:ire|ria)s?|especial)\b)?(?: celebrada por\b)?|\btenue\b"
)
_KIND_WORDS = Words(
    r"\b(?:draft|final|approved|unapproved|unconfirmed|confirmed|official|unofficial|amended"
    r"|revised|updated|tentative|proposed(?= (?:agenda|minutes))|preliminary|action|voting|summary"
    r"|detailed|synopsis)(?= )|\b(?:minutes|mintues|agendas?|packets?|packages?|notices?"
    r"|order of business|record of proceedings|official proceedings|proceedings|journal"
    r"|procès[- ]verbal|compte[- ]rendu|ordre du jour|niederschrift|protokoll|einladung"
    r"|besluitenlijst|notulen|verslag|tagesordnung|staff report|agenda report|report to|report"
    r"|memorandum|memo to|resolutions?|ordinances?|by-?laws?|held|cancel+ed|cancel+ation"
    r"|postponed)\b"
)
#: "Special Board of Trustees" is the board; "Special Service Area Commission" is a name.
_STATUS = Words(
    r"\b(?:regular|special|scheduled|rescheduled|adjourned|recessed?|monthly|weekly|annual"
    r"|quarterly|ordinary|extraordinary|(?:specially )?called) (?=(?:\w+ ){0,3}?(?:board|council"
    r"|commission|committee|trustees|select|meeting|authority))"
    r"|\bpublic (?=(?:board|council|commission)\b)"
    r"|\bfull (?=(?:board|commission)\b)|\b(?:in the )?office of (?:the )?(?=(?:\w+ ){1,3}(?:board"
    r"|council|commission|court)\b)|\bmitglieder (?=de[sr]\b)| for (?:19|20)[0-9]{2}$|\b(?:dates"
    r"|schedule|calendar|sponsored|presented|hosted|submitted|prepared|issued) (?:of|by|at|to"
    r"|for) (?:the )?|^ ?(?:approval|adoption|acceptance) of (?:the )?(?:(?:past|previous|prior"
    r"|last) )?|\bemergency (?=(?:(?:city|town|village|county|borough|common|school) )?(?:board"
    r"|council|commission)\b)|\b(?:honorable mayor and|(?<!of\s)mayor and) |\b(?:19|20)[0-9]{2} "
    r"|\bjoint (?=(?:(?:city|town|village|borough|common) )?council\b)"
    r"|^(?:january|february|march|april|june|july|august|september|october|november|december) "
)
#: Also what is left of a word of marks alone.
_EDGE_WORDS: Final = frozenset(
    {
        *("", "of", "the", "for", "and", "to", "a", "an", "at", "on", "by", "in", "from", "held"),
        *("will", "with", "de", "du", "la", "le", "les", "des", "der", "die", "zur", "über", "del"),
        *("honorable", "honourable"),
        *("its", "this", "our", "as", "el", "am", "um", "vom", "members", "van", "het", "before"),
        "convene",
    }
)
_EDGE_MARKS: Final = " .,'\"“”’-–—/&*()"
_CLOCK = Words(r"\b[0-9]{1,2}(?:[:.][0-9]{2})? ?[ap]\.? ?m\b\.?|\b[0-9]{1,2}:[0-9]{2}\b")
#: A sentence or name begins with "The", but not in "Friends of The Library".
_SPLIT = re.compile(
    r"\s+[-–—|•·]\s+|(?<!\bof)(?<!\bfor)(?<!\bon)(?<!\bto)(?<!\band)\s+The\s+|\bthat\b|["
    r"|•·;:()\[\]]|\s*,\s+|\s{3,}|\*+"
)
#: What a body may be for, in a name that lists more of it: "Parks, Trees and Trails Commission".
_SUBJECT = (
    r"(?:(?:joint|public|land|human|economic|community|historic|open) )?(?:planning|zoning|parks?"
    r"|recreation|trees?|trails|use|space|preservation|conservation|environment|forestry|audit"
    r"|finance|budget|personnel|administration|ordinances?|rules|policy|legislation|government"
    r"|operations|appeals|building|buildings|grounds|facilities|properties|roads|streets|alleys"
    r"|sidewalks|bridges|highways?|traffic|transportation|transit|parking|water|sewer|utilities"
    r"|sanitation|energy|technology|works|safety|police|fire|health|welfare|education|schools"
    r"|library|arts|culture|tourism|housing|development|resources|services|relations|diversity"
    r"|equity|inclusion|justice)"
)
_LISTED = Words(
    rf"\b(?:joint )?{_SUBJECT}(?: (?:and|&) {_SUBJECT})?(?:, {_SUBJECT}){{0,5}}, (?:and |& )?"
    rf"(?:[\w'’-]+ ){{0,4}}?(?:(?:and|&) (?:[\w'’-]+ ){{1,4}}?)?{_HEAD}(?![^\W\d_])"
)
_AND = re.compile(r"\b(?:and|AND|And)\b|&")
#: In place of a comma at which a name is not split.
_COMMA: Final = "\0"
_COUNCIL_OF = cased_pattern(
    r"^(?P<head>(?:municipal |city |town )?(?:council|board|assembly)) (?:of"
    r"|for) (?:the )?(?:corporation of )?(?:the )?(?P<place>(?!county (?:commissioners"
    r"|supervisors))(?:united )?(?:city|town|township|village|municipality|county|district|borough"
    r"|region|regional municipality|united townships|united counties)(?: of)? .+)$"
)
_CORPORATION_OF = Words(
    r"^(?:the )?(?:corporation of (?:the )?|inc(?:\.|orporated) (?=(?:village|town|city) of\b))"
)
_INCORPORATED = Words(
    r"\b(?:corporation|association|society|incorporated|inc\b|foundation|cooperative"
    r"|(?:public|memorial|community) library)"
)
_MUNICIPALITY = (
    r"(?:city|town|township|village|borough|county|municipality|district|parish|commune|region"
    r"|shire|hamlet)"
)
#: Left of the name of a council: "of the Rural Municipality".
_OF_MUNICIPALITY = Words(
    rf" (?:of|for|de) (?:the |la )?(?:(?:rural|regional|united|district) )?"
    rf"(?:{_MUNICIPALITY}|municipalité|ville|paroisse)$"
)

#: Names of the body that governs a place; then the name of the place says nothing.
GOVERNING: Final = Words(
    r"(?:(?:city|town|township|village|municipal|common|regional) )?council|city council"
    r"|select ?board|school (?:board|committee)|(?:town|township|village|county|city) (?:board"
    r"|commission|trustees)(?: of trustees| of supervisors)?|board(?: of (?:trustees|education"
    r"|supervisors|selectmen|(?:county )?commissioners|directors|aldermen|school trustees|managers"
    r"|finance))?|(?:county )?commissioners'? court|board of mayor and aldermen"
)
_BARE = Words(
    r"(?:the )?(?:board|committee|commission|sub-?committee|authority|trustees|panel|directors"
    r"|commissioners|supervisors|selectmen|aldermen|court)"
)
#: Names for the one board of a school district, and of a county.
ONE_BOARD: Final = (
    Words(r"school board|board of (?:education|school (?:trustees|directors|commissioners))"),
    Words(r"(?:county )?board of (?:county )?commissioners|county (?:commission|commissioners)"),
)
#: What such boards are called for short, in lower case.
SHORT_NAMES: Final = frozenset(
    {
        *("board", "school board", "trustees", "supervisors", "commissioners", "selectmen"),
        *("aldermen", "directors", "county commission", "county commissioners"),
    }
)


def fuller_name(name: str, known: Mapping[str, float]) -> str | None:
    """Return what a place calls the board that a document calls "Board" or "School Board".

    ``known`` has the names that its documents use, with how sure the surest of them is.  A short
    name that one of them prints in a heading stays, and exactly one full name must fit.
    """
    if known.get(name, 0.0) >= MENTIONED:
        return None
    full = [each for each in known if each.lower() not in SHORT_NAMES]
    if _BARE.fullmatch(name):
        found = [each for each in full if name.lower() in each.lower().split()]
        found = found if all(map(GOVERNING.fullmatch, found)) else []
    else:
        kinds = [names for names in ONE_BOARD if names.fullmatch(name)]
        found = [each for each in full if any(names.fullmatch(each) for names in kinds)]
    return found[0] if len(found) == 1 else None


_ADDRESSED = cased_pattern(
    r"^(?:to|for) ?: ?(?:the )?(?:honou?rable )?(?:mayor (?:and|&) )?(?:members of (?:the )?)?"
    r"(?P<body>.{3,60})$"
)
#: "Board or Committee: SELECT BOARD", on the form for notices.
_LABELLED = cased_pattern(
    r"^(?:(?:name of )?(?:board|committee|commission|public body|governing body|body)"
    r"(?: ?(?:or|/) ?(?:board|committee|commission|body)){0,2}|meeting of) ?: ?(?P<body>.{3,60})$"
)
_PART_OF_COUNCIL = Words(
    r"\b(?:(?<!school\s)committee|sub-?committee|cabinet|panel|commission|task force"
    r"|working (?:group|party)|board of (?:appeals|adjustment|zoning appeals|health|review)"
    r"|(?:planning|zoning|library|park|recreation|cemetery|licensing|liquor|police|fire|water"
    r"|appeals|drainage|museum) board|ausschuss(?:es)?|comité)\b"
)
_PART_OF_BODY = Words(r"^(?:board|council|committee|commission)(?: of \w+)?$")

_CAPITAL = r"(?-i:[A-Z][\w'’&.-]*|of|the|and|for|on)"
_OF_WHAT = rf"(?: (?:of|on|for) (?:the )?(?-i:[A-Z])[\w'’-]+(?: {_CAPITAL}){{0,6}})?"
#: Sentences that say whose meeting it is, without dates; each with what it contains.
_IN_TEXT: Final = (
    (
        cased_pattern(
            r"\b(?:ordained|resolved|enacted),? (?:that )?by (?:the )?"
            rf"(?P<body>(?:[\w'’.-]+ ){{0,6}}?{_HEAD}\b{_OF_WHAT})"
        ),
        ("ordained", "resolved", "enacted"),
    ),
    (
        cased_pattern(
            r"\b(?:meetings?|sessions?|terms?|sitzung) (?:of|des|der) (?:the )?"
            r"(?P<body>(?:(?!(?<!of\s)(?<!for\s)the )[\w'’&.-]+ ){0,10}?"
            rf"{_HEAD}\b(?:['’]? court\b)?"
            rf"{_OF_WHAT})",
        ),
        ("meeting of", "meetings of", "session of", "sessions of", "term of", "sitzung de"),
    ),
    (
        cased_pattern(
            # "The meeting will recess and the Board of Trustees will convene": not the meeting.
            r"(?:^|\bthe )(?P<body>(?:(?!(?<!\bof\s)(?<!\bfor\s)the )[\w'’&.-]+ ){0,9}"
            rf"{_HEAD}\b{_OF_WHAT})"
            r"(?:, (?-i:[A-Z])[\w. ]{2,20},)? (?:met|convened"
            rf"|held"
            r"|was held|assembled|will (?:meet|hold|convene)|was called|holds"
            r"|meetings? (?:will|was|are|is))\b"
        ),
        (
            *(" met", " convened", " held", " holds", " assembled", "was held", "was called"),
            *("will meet", "will hold", "will convene", "meeting will", "meeting was"),
            *("meeting is", "meeting are", "meetings will", "meetings was", "meetings are"),
            "meetings is",
        ),
    ),
    (
        cased_pattern(
            r"\bcalled the (?:(?:regular|special|scheduled|monthly) )*"
            rf"(?P<body>(?:[\w'’&.-]+ ){{0,7}}{_HEAD}\b{_OF_WHAT})(?: meeting)? to order"
        ),
        ("called the",),
    ),
    (
        cased_pattern(
            r"\b(?:passed|adopted|carried|approved) (?:at|by|during) (?:the|its|a)?[\W_]*"
            rf"(?P<body>(?:(?-i:[A-Z])[\w'’.-]+ ){{0,5}}{_HEAD})\b"
        ),
        ("passed", "adopted", "carried", "approved"),
    ),
    (cased_pattern(r"\bproceedings of (?:the )?(?P<body>council)\b"), ("proceedings",)),
    (
        cased_pattern(
            r"(?:^that |\bthe |^)(?P<body>(?:city |town |municipal )?council(?: of (?:the )?"
            r"(?:corporation of )?(?:the )?(?:city|town|township|village|municipality|county) of "
            r"(?-i:[A-Z])[\w'’.-]+(?: (?-i:[A-Z])[\w'’-]+){0,3})?) "
            r"(?:of|for|hereby|changes|approves?|authori[sz]es?|directs?|supports?|endorses?"
            r"|adopts?|enacts|receives?|does|do|support|acknowledges?)\b"
        ),
        ("council ",),
    ),
)

_IN_TEXT_NEEDS: Final = (
    *(" met", "meeting ", "meetings ", "session ", "term ", "sitzung ", "convene", "held"),
    *("hold", "assembled", "called", "passed", "adopted", "carried", "approved"),
    *("proceedings", "council ", "ordained", "resolved", "enacted"),
)

_GENERIC_WORD = Words(
    r"\b(?:city|town|township|village|borough|county|municipality|district|parish|shire|of|the"
    r"|rural|regional|municipalité|ville|school|schools|board|education|council|commission|water"
    r"|community|college|unified|public|corporation|city-?county|unit|consolidated|independent|cdd"
    r"|isd|c?usd|csd|pud|mud|[a-z]{2}|[0-9]+)\b|[^\w\s'-]+"
)


@lru_cache(maxsize=256)
def place_words(place: str) -> frozenset[str]:
    """Return the words that distinguish a place: ``millbrook`` for ``Millbrook Township, IL``."""
    name = _GENERIC_WORD.sub(" ", place.split(",")[0].replace("_", " "))
    words = (word.strip("-'").lower() for word in name.split())
    return frozenset(word for word in words if len(word) > 2)


_NAME = (
    r"(?:St\.?[- ]|Sainte?[- ])?[A-Z][\w'’.-]*"
    r"(?: (?:(?:of|and|the|du|de|la|on|upon|OF|AND|THE) )?[A-Z][\w'’-]+){0,3}"
)
_PLACE_OF = re.compile(
    rf"\b(?i:(?:corporation of (?:the )?)?(?:united )?(?:city|town|township|village|municipality"
    rf"|county|counties|borough|district|region|shire) of (?:the )?(?:township of |town of "
    rf"|county of "
    rf"|city of )?|corporation of (?:the )?){_NAME}"
)
_PLACE_BEFORE = re.compile(
    r"\b(?!(?i:the|corporation|of|a|an|resolution|ordinance|minutes|agenda|meeting|regular|special"
    rf"|notice|by-law|report|joint|board|council|commission(?:ers)?|committee|department|office"
    rf"|clerk|state)\b){_NAME} (?i:town council|city council|township"
    rf"|county council"
    r"|borough council|parish council|district council|county|school district)\b"
)


#: How such a name begins.
_PLACES: Final = (
    *("city of ", "town of ", "township of ", "village of ", "municipality of ", "county of "),
    *("counties of ", "borough of ", "district of ", "region of ", "shire of ", "corporation of "),
)
#: Every name that ends in a word for its kind contains one of these.
_PLACE_ENDS: Final = (
    *(" town council", " city council", " township", " county", " borough council"),
    *(" parish council", " district council", " school district"),
)


def municipalities(text: str) -> list[str]:
    """Return the municipalities that a text names, as ``Town of Ashby``.

    A line that has none of that form may name them as ``Ashby Township``.
    """
    small = ascii_lower(text)
    found: list[str] = []
    lines: set[int] = set()
    # The patterns are tried only where they can match: at the word before "of".
    starts = []
    for kind in _PLACES:
        at = small.find(kind)
        while at >= 0:
            if at == 0 or small[at - 1] in " \n":
                starts.append(at - len("united ") * small.endswith("united ", 0, at))
            at = small.find(kind, at + 1)
    end = 0
    for start in sorted(starts):
        if start >= end and (match := _PLACE_OF.match(text, start)):
            found.append(match[0])
            lines.add(small.rfind("\n", 0, start) + 1)
            end = match.end()
    for word in _PLACE_ENDS:
        at = small.find(word)
        while at >= 0:
            begin, end = small.rfind("\n", 0, at) + 1, small.find("\n", at)
            end = end if end >= 0 else len(text)
            if begin not in lines:
                found += _PLACE_BEFORE.findall(text, begin, end)
                lines.add(begin)
            at = small.find(word, end)
    names = {name: " ".join(name.split()) for name in found}
    for name, whole in names.items():
        names[name] = readable(_CORPORATION_OF.sub("", whole)).strip(" .,'’-")
    return [names[name] for name in found]


def own_words(place: str, lines: Sequence[str]) -> frozenset[str]:
    """Return the words of the place that a page names, else of the place of the site."""
    return printed_place(place, lines) or place_words(place)


def printed_place(place: str, lines: Sequence[str]) -> frozenset[str]:
    """Return the words of the place of a site that a page prints, or of the one that it names most.

    A site may be called anything; what the first page prints is closer.
    """
    text = "\n".join(lines)
    if place and (words := place_words(place)):
        small = text.lower()
        if printed := frozenset(word for word in words if word in small):
            return printed
    named = Counter(municipalities(text))
    return place_words(named.most_common(1)[0][0]) if named else frozenset()


@lru_cache(maxsize=1024)
def body_in_heading(line: str) -> str | None:
    """Return the name of a body in a heading, without dates, kinds and kinds of meetings."""
    if " s " in line.lower():
        # "Board of Director s": text layers lose apostrophes, or set letters apart.
        line = _APART.sub(r"\1\2", line)
    if "://" in line or "www." in line:
        line = _URL.sub(" ", line)
    if (
        not HEAD.search(line)
        or _NAMES_NO_BODY.match(line)
        or (is_address(line) and not HEAD.search(line.split(",")[0]))
    ):
        return None
    if _NOT_A_BODY.search(line):
        line = _NOT_A_BODY.sub(" | ", line)
    town_meeting = _TOWN_MEETING.search(line)
    if town_meeting:
        return readable(" ".join(line[slice(*town_meeting.span())].split()))
    bare = _CLOCK.sub(" | ", without_dates(line, " | "))
    bare = _KIND_WORDS.sub(" ", _MEETING_WORDS.sub(" | ", bare))
    for listed in _LISTED.finditer(bare) if ", " in bare else ():
        start, end = listed.span()
        if bare.count(",", start, end) > 1 or _AND.search(bare, bare.rindex(",", start, end), end):
            bare = bare[:start] + bare[start:end].replace(",", _COMMA) + bare[end:]
    pieces = [
        clean_name(piece).replace(_COMMA, ",") for piece in _SPLIT.split(bare) if HEAD.search(piece)
    ]
    named = [piece for piece in pieces if HEAD.search(piece) and len(piece.split()) <= 14]
    if not named:
        return None
    if len(named) > 1 and _PART_OF_BODY.match(named[0]) is None and len(named[1].split()) > 1:
        # "Transit Authority - Audit Committee" is one body with two names.
        return named[1] if HEAD.search(named[1]) and "committee" in named[1].lower() else named[0]
    return max(named, key=lambda piece: (len(piece.split()) > 1, -named.index(piece)))


#: "Being a by-law to authorize works of the Corporation", "Minutes to be received at Council".
_NAMES_NO_BODY = Words(
    r"(?:being )?an? (?:by-?law|resolution|ordinance) to\b(?!.*\bcouncil\b)"
    r"|.{0,60}\bto be (?:received|approved|adopted|confirmed|presented|considered) (?:at|by)\b"
)
_URL = re.compile(r"(?:https?://|www\.)\S+")
_APART = re.compile(
    r"\b(director|trustee|commissioner|supervisor|governor|elector) (s)\b", re.IGNORECASE
)
#: "Board of Directors Chair - Ann Lee": the letterhead goes on with its officers.
_BEFORE_OFFICERS = Words(
    r"board of (?:directors|trustees|education|governors|supervisors|commissioners|selectmen"
    r"|aldermen)(?= (?:(?:first|second|1st|2nd|deputy|acting|interim) )?(?:(?:vice|co)[- ]?)?"
    r"(?:chair\w*|president|secretary|treasurer|clerk|members?|staff)\b)"
)
#: "Board of Directors Regular Board Meeting".
_TWICE = Words(r"^(?:board|council|commission) of \w+(?= (?:board|council|commission)$)")
_SINGULAR = Words(r"\bboard of (?:trustee|director|supervisor|commissioner|governor|regent)$")
_TOWN_MEETING = Words(r"\b(?:(?:annual|special) )?town meeting\b|\bannual parish meeting\b")


#: "Planning Commission 6. 3.": the number of an item.
_ITEM_NUMBER = re.compile(r"\s[0-9]{1,2}\.(?:\s?[0-9]{1,2}\.?){0,2}$")
_GENITIVE = re.compile(r"\b(\w*(?:rat|tag|[Aa]usschuss))e?s\b")
#: What follows is what a body does, not its name.
_DOING = Words(
    r"\b(?:hereby )?(?:resolves|ordains|enacts)\b|\bas follows\b"
    r"|\b(?:approving|amending|authori[sz]ing|adopting|establishing|declaring|granting|accepting"
    r"|supporting|relating|regarding|concerning|setting|calling|ordering|opposing|appointing"
    r"|providing|creating|directing|rescinding|will (?:hold|meet|convene|conduct)|repealing|levying"
    r"|confirming|certifying|recogni[sz]ing|to be held|will be held|held|met|meets|convened"
    r"|el d[ií]a|de la corporaci[oó]n)\b"
)


#: What may follow the word for a body within its name.
_TAIL = Words(
    r"(?: (?:of|on|for|and|&|in|with|de|des|du|d'|für|to)\b|[,/-]| (?:municipal|pleno|communal"
    r"|général|no\.?|nr\.?|#|[0-9IVX]{1,3}\b))"
)


def clean_name(text: str) -> str:
    """Return a name without loose ends, and a council of a town as the town's council."""
    name = _DOING.split(_STATUS.sub(" ", text))[0]
    words = name.split()
    for edge in (0, -1):
        while words and words[edge].strip(_EDGE_MARKS).lower() in _EDGE_WORDS:
            del words[edge]
    name = _ITEM_NUMBER.sub("", " ".join(words)).strip(" .,'\"“”’-–—/&*")
    if any(map(name.lower().__contains__, ("rates", "rats", "tages", "tags", "schusses"))):
        name = _GENITIVE.sub(r"\1", name)
    if board := _BEFORE_OFFICERS.search(name):
        name = name[: board.end()]
    if twice := _TWICE.match(name):
        name = name[: twice.end()]
    heads = list(HEAD.finditer(name))
    if heads and not _TAIL.match(name, heads[-1].end()):
        name = name[: heads[-1].end()]
    if _SINGULAR.search(name):
        name = f"{name}s"
    if match := _COUNCIL_OF.match(name):
        name = f"{match['place']} {match['head']}"
    if (corporation := _CORPORATION_OF.match(name)) is not None:
        name = name[corporation.end() :]
    return readable(name)


_OF = re.compile(r"\s(?:of|for|de|du)\s(?:the\s|la\s)?", re.IGNORECASE)


def after_own_place(name: str, own: frozenset[str]) -> str:
    """Return what follows the place at the beginning of a name, else the whole name."""
    words = name.split()
    small = [word.lower() for word in words]
    start = int(small[:1] == ["the"])
    if small[start + 1 : start + 2] == ["of"] and _OF_PLACE.fullmatch(small[start]):
        start += 3 if small[start + 2 : start + 3] == ["the"] else 2
    end = start
    while end < len(words) and own.issuperset(small[end].split("-")):
        # "Isle of White".
        end += 2 if small[end + 1 : end + 2] == ["of"] and own & {*small[end + 2 : end + 3]} else 1
    return " ".join(words[end:]) if start < end < len(words) else name


_OF_PLACE = re.compile(_MUNICIPALITY)


def without_own_place(name: str, own: frozenset[str]) -> str:
    """Return the name of a governing body without the place; other names stay as they are."""
    if not own:
        heads = [name[: link.start()] for link in _OF.finditer(name)]
        governing = [head for head in heads if GOVERNING.fullmatch(head) and " " in head]
        return governing[-1] if governing else name
    rest = after_own_place(name, own)
    # "Millbrook Township Board of Trustees" is the board of trustees, "Millbrook Township Board"
    # is not.
    without_town = _TOWN_BEFORE.sub("", rest)
    rest = without_town if rest != name and GOVERNING.fullmatch(without_town) else rest
    for link in reversed(list(_OF.finditer(rest))):
        head, tail = rest[: link.start()], rest[link.end() :]
        words = place_words(tail)
        # A site may be called by one word of its name.
        longer = GOVERNING.fullmatch(head) and own <= {
            each for word in words for each in word.split("-")
        }
        of_place = HEAD.search(head) and words and (words <= own or longer)
        # A county has several municipal districts.
        if of_place and not head.lower().endswith(" district"):
            # "Board of Richfield Township Trustees".
            members = _TOWN_BEFORE.sub("", after_own_place(tail, own)) if HEAD.search(tail) else ""
            whole = f"{head} of {members}"
            return whole if GOVERNING.fullmatch(whole) else _OF_MUNICIPALITY.sub("", head)
    return rest if GOVERNING.fullmatch(rest) and rest.lower() != "board" else name


_TOWN_BEFORE = Words(
    r"^(?:township|village|county|parish) (?=board of|select|school|trustees|commissioners)"
    r"|^(?:township|village) (?=council)"
)


#: "Finance Committee of the Common Council".
_OF_COUNCIL = Words(r"(?<=committee) of (?:the )?(?:(?:common|city|town|village|county) )?council$")
#: A line whose name goes on in the next one.
_CUT = Words(
    r"\b(?:and|&|of|for|zoning|planning|school|library|parks?|recreation|water|finance|budget"
    r"|advisory|review|public|works|joint|health)$"
)
_BOARD_OF = Words(r"board of (?:commissioners|directors|education|governors|supervisors|trustees)$")
_AUTHORITY = Words(r"(?:[\w'’&.-]+ )*authority(?: of .*)?")
_DISTRICT_BOARD = Words(r"\bdistrict board$")
#: A heading with this much weight is not compared with the text.
_DECIDED: Final = 3.7


def body_of(
    block: Sequence[Line],
    lines: Sequence[Line],
    of_meeting: bool,
    has_day: bool,
    is_letter: bool,
    own: frozenset[str],
) -> Fact:
    """Return whose meeting it is: headings first, then the sentence that opens the text.

    The headings of a letter name its writer and its reader, not a meeting.
    """
    found: list[tuple[float, str, Line]] = []
    about = subject_lines(block)
    for number, line in enumerate(() if is_letter else block):
        if number in about:
            continue
        if (len(line.text) <= 160 or is_headline(line.text)) and (
            name := body_in_heading(line.text)
        ):
            weight = 3.0 - 0.05 * number
            if _MEETING_WORDS.search(line.text) or _KIND_WORDS.search(line.text):
                weight += 1.5
            if _BARE.fullmatch(name):
                weight -= 1.5
            if _INCORPORATED.search(name) and not _OF_ORGANISATION.search(name):
                weight -= 1.0
            if _PART_OF_COUNCIL.search(name):
                # A council's letterhead stands above the name of its committee.
                weight += 1.0
            before = block[number - 1].text if number else ""
            if (
                len(line.text) > _FULL_LINE
                and number + 1 < len(block)
                and line.text.lower().endswith(name.lower())
            ):
                # The name of a heading that is written like a sentence goes on in the next line.
                name = body_in_heading(f"{line.text} {block[number + 1].text}") or name
            if _BARE.fullmatch(name) and _CUT.search(before):
                # "REGULAR PLANNING AND ZONING" - "COMMISSION MEETING".
                name = body_in_heading(f"{before} {line.text}") or name
            while is_address(before) and before != block[0].text:
                # The address of an organisation is between its name and that of its board.
                number -= 1
                before = block[number - 1].text
            if _PART_OF_BODY.match(name) and _INCORPORATED.search(before) and len(before) < 100:
                name = f"{clean_name(before)} {name}"
            found.append((weight, name, line))
    if any(_BOARD_OF.match(name) for _, name, _ in found):
        # "Housing Authority" above its "Board of Commissioners".
        found = [each for each in found if not _AUTHORITY.fullmatch(each[1])] or found
    for line in lines[:15]:
        if ":" in line.text and (label := _LABELLED.match(line.text)):
            name = clean_name(label["body"])
            if name and HEAD.search(name):
                found = [(5.0, name, line)]
                break
        match = _ADDRESSED.match(line.text) if ":" in line.text else None
        if match and (name := body_in_heading(match["body"])) and GOVERNING.fullmatch(name):
            found.append((3.6, name, line))
    if of_meeting and max((weight for weight, _, _ in found), default=0.0) < _DECIDED:
        for line, text in _sentences(block, lines):
            small = text.lower()
            for number, (words, needs) in enumerate(_IN_TEXT):
                for match in words.finditer(text) if any(map(small.__contains__, needs)) else ():
                    name = body_in_heading(match["body"]) or ""
                    if name and not _NOT_A_BODY.search(match[0]):
                        weight = 2.4 - 0.1 * number - (1.5 if _BARE.fullmatch(name) else 0)
                        found.append((weight, name, line))
    if not found:
        return UNKNOWN
    names = {name for _, name, _ in found}
    short = {name: _OF_COUNCIL.sub("", without_own_place(name, own)) for name in names}
    named = Counter(short[name].lower() for _, name, _ in found)
    weight, name, line = max(
        found, key=lambda each: each[0] + 0.3 * (named[short[each[1]].lower()] - 1)
    )
    if not (of_meeting or has_day) and weight < 3.5:
        return UNKNOWN
    longer = [
        each
        for each in found
        if each[1].lower().startswith(f"{name.lower()} ")
        and not (_BOARD_OF.match(name) and each[1][len(name) :].lower().startswith(" of "))
    ]
    if longer:
        # "Board of Parks and Pools" where the line ends, "Commissioners" on the next.
        weight, name, line = longer[0]
    fuller = [
        each
        for each in found
        if each[1].lower().endswith(f" {name.lower()}")
        and (own & set(each[1].lower().split()) or municipalities(each[1]))
    ]
    if fuller and _PART_OF_COUNCIL.search(name):
        # "Recreation Committee Minutes" above "Township of Millbrook Recreation Committee".
        weight, name, line = fuller[0]
    chosen = short[name]
    is_bare = bool(_BARE.fullmatch(chosen))
    if is_bare or (_DISTRICT_BOARD.search(chosen) and own >= place_words(chosen)):
        # "Board meeting" in the heading, "the Board of Education met" in the text; so is "Millbrook
        # School District Board" below "Board of Directors".
        bare = chosen.lower() if is_bare else "board of"
        fuller = [each for each in found if bare in each[1].lower() and each[1] != name]
        if fuller:
            weight, name, line = max(fuller, key=lambda each: each[0])
            chosen = short[name]
    # "Board" may be any.
    confidence = BARE if _BARE.fullmatch(chosen) else round(min(0.95, 0.35 + 0.13 * weight), 2)
    return Fact(chosen, PAGE, line.text[:120], line.page, confidence)


#: How sure a name is that says nothing but "Board" or "Committee".
BARE: Final = 0.49
#: A body that is only mentioned in the text is less sure than this.
MENTIONED: Final = 0.5
#: Capitals are required: "the board" may be any.
_MENTIONED = re.compile(
    r"\b(?:City|Town|Village|County|Parish) Council\b|\bSchool Board\b|\bSelect ?[Bb]oard\b"
    r"|\bBoard of (?:Education|School Directors|Trustees|Supervisors|Selectmen|Directors|Aldermen"
    r"|(?:County )?Commissioners)\b|\bCity Commission\b|\bTown Board\b|\bPlanning Commission\b"
    r"|(?:(?<=the )|(?<=The )|(?<=of )|(?<=by )|(?<=hat )|^)Council\b(?! [A-Z])"
)


#: A district is named by what it does.
DISTRICT: Final = Words(
    r"\b(?:water|sewer|sanitary|sanitation|fire|school|library|parks?|recreation|hospital|health"
    r"|irrigation|drainage|conservation|utility|utilities|transit|improvement|cemetery|port|airport"
    r"|flood|protection|development|metropolitan|services?|abatement|reclamation|power|ambulance"
    r"|regional|planning|soil) (?:control |management )?district\b"
)


_BODIES: Final = ("Council", "oard", "Commission")


def mentioned_body(lines: Sequence[Line], own: frozenset[str]) -> Fact:
    """Return the body that a document mentions most, if it names none in its heading."""
    for page in dict.fromkeys(line.page for line in lines):
        found: Counter[str] = Counter()
        where: dict[str, Line] = {}
        for line in lines:
            may_mention = line.page == page and any(map(line.text.__contains__, _BODIES))
            for match in _MENTIONED.finditer(line.text) if may_mention else ():
                if not _NOT_A_BODY.match(line.text, match.start()):
                    found[match[0]] += 1
                    where.setdefault(match[0], line)
        if found:
            # The first of equals; any name before the bare word.
            name = max(found, key=lambda each: (each != "Council", found[each]))
            line = where[name]
            return Fact(without_own_place(name, own), PAGE, line.text[:120], line.page, 0.45)
    return UNKNOWN


def district_of(block: Sequence[Line]) -> Fact:
    """Return the district that the title block names: it has one board, whatever that is called."""
    for line in block:
        named = DISTRICT.search(line.text) if "istrict" in line.text.lower() else None
        if named and len(line.text) - named.end() <= _DISTRICT_NUMBER and not is_address(line.text):
            return Fact(clean_name(line.text), PAGE, line.text, line.page, BARE)
    return UNKNOWN


#: "No. 12" after the name of a district.
_DISTRICT_NUMBER: Final = 8


_OF_ORGANISATION = Words(r"\b(?:board|council|committee|commission)\b")
_OPENING_LINES: Final = 30
#: A line longer than this goes on in the next.
_FULL_LINE: Final = 55


def _sentences(block: Sequence[Line], lines: Sequence[Line]) -> Iterator[tuple[Line, str]]:
    """Yield the lines that name a body, each with the next one and without dates."""
    rest = lines[len(block) : len(block) + _OPENING_LINES]
    small = [line.text.lower() for line in rest]
    for number, line in enumerate(rest):
        goes_on = len(line.text) > _FULL_LINE and number + 1 < len(rest)
        whole = f"{small[number]} {small[number + 1]}" if goes_on else small[number]
        if any(map(whole.__contains__, _IN_TEXT_NEEDS)) and HEAD.search(whole):
            text = f"{line.text} {rest[number + 1].text}" if goes_on else line.text
            yield line, without_dates(text)
