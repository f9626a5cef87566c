"""What a path or a title tells: the date, the kind, the body; and names that are safe on disk.

Nothing here raises on any text, and nothing here looks at the disk.
"""

from __future__ import annotations

import hashlib
import unicodedata
from collections.abc import Iterator, Sequence
from datetime import date
from functools import lru_cache

from clerk.core import lazy_re as re
from clerk.core.storage import AGENDAS, MINUTES

#: The longest name of a folder or file, in bytes; a file system allows 255 with suffixes.
LONGEST_NAME = 100
#: What is longer is no title, and the rest of it is not looked at.
LONGEST_TITLE = 500
#: The body of documents that name none.
UNNAMED_BODY = "Meetings"

_FIRST_YEAR, _LAST_YEAR = 1800, 2100
#: Two-digit years from this one on belong to the last century.
_CENTURY_TURNS = 70

#: Not listopada, which is November in Polish and October in Croatian.
_MONTH_WORDS = """
    january jan enero ene xaneiro janv jän janvier januar jänner januari gennaio janeiro gener
    ionawr stycznia ledna tammikuuta január ianuarie siječnja janúar;
    february feb febrero fevr févr fév fev février fevrier februar februari febbraio fevereiro
    febrer chwefror lutego února helmikuuta február februarie veljače febrúar;
    march mar marzo mär mrz mars märz maerz maart mrt março marco marts març mawrth marca března
    maaliskuuta március martie ožujka;
    april apr abril abr avril avr aprile ebrill kwietnia dubna huhtikuuta április aprilie travnja
    apríl;
    may mayo mai mei maj maggio maio maig maja května toukokuuta május svibnja maí;
    june jun junio xuño giu juin juni giugno junho juny mehefin czerwca června kesäkuuta június
    iunie lipnja júní;
    july jul julio xullo juillet juil lug juli luglio julho juliol gorffennaf lipca července
    heinäkuuta július iulie srpnja júlí;
    august aug agosto augustus augusti août aout agost awst sierpnia srpna elokuuta augusztus
    kolovoza ágúst;
    september sept sep septiembre septembre settembre setembro medi września září syyskuuta
    szeptember septembrie rujna;
    october oct octubre ott octobre oktober okt ottobre outubro hydref października října
    lokakuuta október octombrie;
    november nov noviembre novembre novembro tachwedd listopadu marraskuuta noiembrie studenoga
    nóvember;
    december dec diciembre dic décembre déc dez decembro decembre dezember desember dez dicembre
    dezembro desembre rhagfyr grudnia prosince joulukuuta decembrie prosinca
"""
_MONTHS = tuple(words.split() for words in _MONTH_WORDS.split(";"))
_MONTH_OF_WORD = {word: number for number, words in enumerate(_MONTHS, 1) for word in words}
#: A letter is missing, or two are the wrong way round: Febuary, Janaury.
_MISSPELLED = {
    month[:at] + rest: _MONTH_OF_WORD[month]
    for month in ("january", "february", "august", "september", "october", "november", "december")
    for at in range(1, len(month))
    for rest in (month[at + 1 :], month[at + 1 : at + 2] + month[at] + month[at + 2 :])
}
_MONTH_OF_WORD = _MISSPELLED | _MONTH_OF_WORD
_WORDS_LONGEST_FIRST = sorted(_MONTH_OF_WORD, key=len, reverse=True)

_A_MONTH = rf"(?<![^\W\d_])(?:{'|'.join(_WORDS_LONGEST_FIRST)})(?![^\W\d_])"
_MONTH = _A_MONTH.replace("(?:", "(?P<word>", 1)
_DAY = r"(?<![0-9])(?P<day>[0-9]{1,2})(?:st|nd|rd|th|er|º)?(?![0-9])"
_YEAR = r"(?<![0-9])(?P<year>[0-9]{4})(?![0-9])"
_GAP = r"[\s._,/-]*(?:(?:of|de|del)\s+|d['’])?"
_MARK = r"\s*[-._/]\s*|\s+"


#: The same folder names occur again and again.
_cached = lru_cache(maxsize=2048)


def _compiled(*patterns: str) -> tuple[re.Pattern[str], ...]:
    return tuple(re.compile(pattern, re.IGNORECASE) for pattern in patterns)


#: Whole dates that hardly ever are anything else.
_CERTAIN = _compiled(
    # Not the year of a series before a whole date: "Ata de 2024 - 05/02/2024"
    rf"(?<![0-9])(?P<year>[0-9]{{4}})(?:{_MARK})(?P<month>[0-9]{{1,2}})(?:{_MARK})(?P<day>[0-9]{{1,2}})"
    rf"(?![0-9]|\s*[-./]\s*(?:19|20)[0-9]{{2}}(?![0-9]))",
    rf"(?<![0-9])(?P<month>[0-9]{{1,2}})(?:{_MARK})(?P<day>[0-9]{{1,2}})(?:{_MARK})(?P<year>[0-9]{{4}})(?![0-9])",
    rf"{_MONTH}{_GAP}{_DAY}{_GAP}{_YEAR}",
    # Of several days the first: January 16-17, 2024, or January 31 and February 1, 2024
    rf"{_MONTH}{_GAP}{_DAY}\s*(?:[-–—&/]|and|to|through)\s*(?:(?P<later>{_A_MONTH}){_GAP})?"
    rf"[0-9]{{1,2}}(?:st|nd|rd|th)?{_GAP}{_YEAR}",
    # 16-17 January 2024, 3. und 4. März 2024; what a number before a dash with spaces is, is open.
    rf"{_DAY}\.?(?:[-–—/]|\s*&\s*|\s+(?:and|to|et|y|und|en|e)\s+)"
    rf"(?P<until>[0-9]{{1,2}})(?:st|nd|rd|th)?{_GAP}{_MONTH}{_GAP}{_YEAR}",
    # 29 August and 3 September 2024
    rf"{_DAY}{_GAP}{_MONTH}\s*(?:[-–—&/]|and|to|et|y|und|en|e)\s*[0-9]{{1,2}}(?:st|nd|rd|th)?{_GAP}"
    rf"(?P<later>{_A_MONTH}){_GAP}{_YEAR}",
    rf"{_DAY}{_GAP}{_MONTH}{_GAP}{_YEAR}",
    rf"{_YEAR}{_GAP}{_MONTH}{_GAP}{_DAY}",
    r"(?<![0-9])(?P<year>(?:18|19|20)[0-9]{2})(?P<month>[0-9]{2})(?P<day>[0-9]{2})(?:[0-9]{4}(?:[0-9]{2})?)?(?![0-9])",
    r"(?<![0-9])(?P<month>[0-9]{2})(?P<day>[0-9]{2})(?P<year>(?:18|19|20)[0-9]{2})(?![0-9])",
    rf"{_MONTH}(?P<day>[0-9]{{2}})(?P<year>[0-9]{{4}})(?![0-9])",
)
#: Dates with two digits for the year: used only where there is nothing better.
_LIKELY = _compiled(
    rf"(?<![0-9])(?P<month>[0-9]{{1,2}})(?:{_MARK})(?P<day>[0-9]{{1,2}})(?:{_MARK})'?(?P<year>[0-9]{{2}})(?![0-9])",
    rf"(?<![0-9])(?P<year>[0-9]{{2}})(?:{_MARK})(?P<month>[0-9]{{1,2}})(?:{_MARK})(?P<day>[0-9]{{1,2}})(?![0-9])",
    rf"{_MONTH}{_GAP}{_DAY}[\s._,/-]+'?(?P<year>[0-9]{{2}})(?![0-9])",
    # Not in "January 6, Jan. 20", nor in "6 January, 20 January".
    rf"(?:(?P<another>{_A_MONTH})[\s.,]+)?{_DAY}{_GAP}{_MONTH}[\s._,/-]*'?(?P<year>[0-9]{{2}})(?![0-9])"
    rf"(?![\s.,]*{_A_MONTH})",
    r"(?<![0-9])(?P<month>[0-9]{2})(?P<day>[0-9]{2})(?P<year>[0-9]{2})(?![0-9])",
    r"(?<![0-9])(?P<year>[0-9]{2})(?P<month>[0-9]{2})(?P<day>[0-9]{2})(?![0-9])",
    # With a hyphen it would be the number of a resolution.
    r"(?<![0-9])(?P<year>(?:19|20)[0-9]{2})[_. ](?P<month>[0-9]{2})(?P<day>[0-9]{2})(?![0-9])",
)
#: A month and a day, for names below a folder that names the year.
_WITHOUT_YEAR = _compiled(
    rf"{_MONTH}{_GAP}{_DAY}",
    rf"{_DAY}{_GAP}{_MONTH}",
    rf"(?<![0-9])(?P<month>[0-9]{{1,2}})(?:{_MARK})(?P<day>[0-9]{{1,2}})(?![0-9])",
    r"(?<![0-9])(?P<month>[0-9]{2})(?P<day>[0-9]{2})(?![0-9])",
)
_MONTH_ONLY = _compiled(
    rf"{_MONTH}{_GAP}{_YEAR}",
    rf"{_YEAR}{_GAP}{_MONTH}",
    # Not a month if an impossible day follows.
    r"(?<![0-9])(?P<year>(?:19|20)[0-9]{2})[-._/](?P<month>0[1-9]|1[0-2])"
    r"(?![0-9]|[-._/][0-9]{1,2}(?![0-9]))",
)
#: A day alone at the end of a name, below folders that name the month.
_DAY_ONLY = re.compile(
    r"(?<!\bno)(?<!\bnr)(?<!ward)(?<!district)(?<!zone)(?<!area)(?<!precinct)(?<!number)(?<!part)"
    r"(?<!page)(?<!item)(?<!room)(?<!phase)(?<!school)(?<!draft)"
    r"(?:^|[\s._-]+)(?P<day>[0-9]{1,2})(?:st|nd|rd|th)?$",
    re.IGNORECASE,
)
#: A time of day behind a date.
_TIME = re.compile(
    r"[\s_T@,-]*(?:at\s+)?(?:(?:[01]?[0-9]|2[0-3])[:.h][0-5][0-9](?::[0-5][0-9])?|(?:[01][0-9]|2[0-3])[0-5][0-9]"
    r"|[01]?[0-9](?=\s*[ap]\.?m\b))(?:\s*[ap]\.?m\b\.?)?(?![0-9])",
    re.IGNORECASE,
)
#: Day and month, or month and day, before a year; with hyphens a short year may be the first.
_NUMERIC = re.compile(
    r"(?<![0-9./-])(?P<first>[0-9]{1,2})(?:([./-])(?P<second>[0-9]{1,2})\2[0-9]{4}"
    r"|([./])(?P<second_>[0-9]{1,2})\4[0-9]{2})(?![0-9./-])"
)
_WEEKDAY_AND_NUMBERS = re.compile(
    r"\b(?P<weekday>mon|tue|wed|thu|fri|sat|sun)(?:s|nes|rs?|ur)?(?:day)?\b[.,]*\s+"
    r"(?P<date>[0-9]{1,2}([./-])[0-9]{1,2}\3[0-9]{4})(?![0-9])",
    re.IGNORECASE,
)
_SHORT_WEEKDAY = r"\b(?:\w+day|mon|tues?|wed|thu(?:rs?)?|fri|sat|sun)"
#: What is said before the day of an earlier meeting: "Agenda incl. minutes of December 5".
_EARLIER = (
    r"\b(?:incl(?:\.|udes|uding)?|with|plus|approval of|approve)\s+(?:the\s+)?(?:draft\s+)?"
    r"minutes\s+(?:of|from|for)(?:\s+the)?"
)
#: What is said before the day on which something was put on a page or changed.
_PUBLISHED = re.compile(
    r"(?:\b(?:posted|published|uploaded|modified|updated|created|added)\b"
    r"|\(\s*(?:amended|rev(?:ised)?\b\.?|approved|adopted)\b)(?:\s+(?:on|at))?"
    rf"\W*(?:{_SHORT_WEEKDAY}\W+)?$|{_EARLIER}\W*(?:{_SHORT_WEEKDAY}\W+)?$",
    re.IGNORECASE,
)
#: The same, and what is said before the day of another meeting.
_CHANGED = re.compile(
    rf"{_EARLIER}\W*$|\b(?:(?:posted|published|uploaded|added|modified|updated|revised|corrected|amended|signed"
    r"|approved|adopted)\b(?:\s+(?:on|at))?"
    r"|(?:continued|postponed|deferred|tabled|adjourned|moved|rescheduled)\s+(?:from|to|until))\W*$",
    re.IGNORECASE,
)
_DIGIT = re.compile(r"[0-9]")
YEAR = re.compile(r"(?<![0-9])((?:18|19|20)[0-9]{2})(?![0-9])")

#: The year of a school or a budget, and who has the former.
_TWO_YEARS = re.compile(r"(?<![0-9])(20[0-9]{2})\s?[-–/]\s?((?:20)?[0-9]{2})(?![0-9])")
_SCHOOL = re.compile(r"\b(?:schools?|education|academy|college)\b", re.IGNORECASE)
#: Councils whose year begins with their annual meeting in May.
_YEAR_FROM_MAY = re.compile(r"\bparish\b|\bcommunity council\b", re.IGNORECASE)

_KIND_WORDS = {
    AGENDAS: r"agendas?|agd|agn|ag(?=[-_][0-9]{1,2}[-_])|packets?|notices?|"
    r"(?:business|order) papers?|ordres? du jour|oj(?=[\s_-]+(?:du|de|des|cm|conseil))|"
    r"convocations?|orden del d[ií]a|convocat[oòó]ri(?:as?|es)|convocazion[ei]|"
    r"ordine del giorno|ordem do dia|pautas?|"
    r"(?:tagesordnung|einladung|(?:sitzungs)?ladung|bekanntmachung)(?:en)?|traktanden(?:listen?)?|kallelser?|föredragningslistor?|"
    r"föredragningslista|dagsorden(?:er)?|[^\W\d_]*innkalling(?:er)?|saksliste|esityslistat?|"
    r"ordres? del dia|orde do d[ií]a|porz[ąa]dek obrad|dnevni red|ordinea de zi|napirend|dagskrá|"
    r"pozvánk[ay]",
    MINUTES: r"minutes?|mins?|mns|minutas?|actas?|proc[eè]s[- _]verba(?:l|ux)|comptes?[- _]rendus?|"
    r"(?:pv|cr)(?=[\s_-]*(?:du|de|des|cm|conseil|s[ée]ance|r[ée]union|[0-9]))|verbal[ei]|"
    r"atas|ata(?= d[ao]s? |[ .]*n[.º°o]|[ _-]*[0-9])|"
    r"proceedings|summary|journal|[^\W\d_]*niederschrift(?:en)?|verhandlungsschrift(?:en)?|[^\W\d_]*protokoll(?:e|er)?|referat(?:er)?|"
    r"notulen|besluitenlijst(?:en)?|"
    r"(?<!financieel )(?<!sociaal )(?:raads|commissie|concept|vergader)?verslag(?:en)?|"
    r"pöytäkirjat?|cofnodion|protok[óo][łl]y?|zápis(?:y|nic[ae])?|zapisnik|"
    r"jegyzőkönyv(?:ek)?|fundargerð(?:ir)?",
}
_KIND = re.compile(
    "|".join(
        rf"(?<![^\W\d_])(?P<{kind}>{words})(?![^\W\d_])" for kind, words in _KIND_WORDS.items()
    ),
    re.IGNORECASE,
)
_PACKET = re.compile(r"(?<![^\W\d_])pack(?:et|age)s?(?![^\W\d_])", re.IGNORECASE)
_CANCELLED = re.compile(
    r"cancel+ed|(?:notice of|[-–(:])\s*cancel+ation|cancel+ation notice|no meeting|annul[ée]+|"
    r"cancelad[oa]|abgesagt|entfällt|fällt aus|geannuleerd|vervallen|inställ[td]|avlyst|aflyst",
    re.IGNORECASE,
)

#: Words for the state of a document or the sort of meeting, not for whose meeting it was.
_STATUS_WORDS = re.compile(
    r"(?<![^\W\d_])(?:draft|final|approved|unapproved|adopted|signed|amended|revised|corrected|"
    r"official|unofficial|copy|scan(?:ned)?|regular|special|emergency|joint|annual|meetings?|"
    r"mtgs?|pdf|v[0-9]+|rev[0-9]*|cancel+ed|rescheduled|postponed)(?![^\W\d_])",
    re.IGNORECASE,
)
#: What remains when the other words are removed: "minutes of the", "agenda for".
_LOOSE_ENDS = re.compile(
    r"^(?:(?:of|the|for|and|from)\b\W*)+"
    r"|(?:\W*\b(?:of|the|for|and|to be|held|dated|on|at|from|through|until|du|de|del|d[ao]s?|den|"
    r"d\.d|vom|am|[zw] dni[au]|konan\w+ dne|dne|den|celebrad[oa] el|r))+$",
    re.IGNORECASE,
)
_AROUND_NAMES = " -–—.,;:@#&+/'\"()[]"
#: Folders that say nothing about whose documents they hold.
_CONTAINER = re.compile(
    r"[\W_]*(?:pdfs?|documents?|docs?|files?|uploads?|downloads?|archives?|data|records?|other|"
    r"misc|q[1-4]|[0-9]{1,4})?[\W_]*",
    re.IGNORECASE,
)
_CAMEL = re.compile(
    r"(?<=[a-z])(?=[A-Z])|(?<=[A-Za-z])(?=[0-9]{4,})|(?<=[0-9]{4})(?=[A-Z][a-z])"
    r"|(?<=[A-Z]{2})(?=(?:mins?|minutes|agendas?|agd|agn)(?![a-z]))"
)
#: Words that a body of people is called by.
BODY_WORD = re.compile(
    r"council|board|commission|committee|authority|\bmunicipal district\b|"
    r"\bhearing (?:officer|examiner)\b|\bbureau communautaire\b|"
    r"\bcollege van burgemeester en (?:wethouders|schepenen)\b|"
    r"\bpolice jury\b|\blegislature\b|aldermen|trustees?|select(?:men|board)|assembly|court|"
    r"agency|panel|task force|forum|cabinet|conseil|comit[ée]|con[cs]ejo|\bcabildo\b|\bjunta\b|"
    r"\bpleno\b|consiglio|\bgiunta\b|c[âa]mara municipal|legislatura|"
    r"(?<!refe)rat\b|(?:gemeinde|stadt|kreis|ortschafts|bezirks)rat(?:e?s)?(?:sitzung(?:en)?|protokolle?)?\b|ausschuss|commissie|raad|kommunstyrelse|fullmäktige|nämnd|\b\w*utvalg|formannskap|\b\w*udvalg|(?:gemeinde|bürger|stadtverordneten)versammlung|"
    r"gemeindevertretung|kreistag|\w*beirat(?:e?s)?\b|valtuusto|hallitus\b|lautakunta|cyngor|pwyllgor|\brad[ay]\b|zastupitelstv|képviselő|"
    r"\bple municipal|\bpleno?s\b|\bpleno\b|"
    r"kommunestyre|byråd",
    re.IGNORECASE,
)
#: What several bodies are called together.
SEVERAL_BODIES = re.compile(
    r"(?:(?:boards|committees|commissions|councils|other|all|standing|and)\b[\s&,/]*)+",
    re.IGNORECASE,
)
#: One council that met several times: "les conseils municipaux".
_SEVERAL_MEETINGS = re.compile(r"\b(c)onseils (municipa|communa)ux\b", re.IGNORECASE)
_MEETING_OF = re.compile(
    r"(?:(?:meetings?|sessions?) of (?:the )?|sitzung(?:en)? (?:des|der) |\bzasedání "
    r"|\bsesj[iaę] (?:nr )?)(.+)",
    re.IGNORECASE,
)
#: Words for the sort of meeting, and for the meeting itself.
_SORTS = (
    r"regular(?:ly)?|ordinary|extraordinary|formal|informal|scheduled|special(?:ly)?|called|annual|emergency|organi[sz]ational|adjourned|"
    r"reconvened|continued|rescheduled|postponed|cancel+ed|amended|revised|draft|final|approved|"
    r"unapproved|adopted|virtual|hybrid|remote|in-person|initial|tentative|"
    r"(?:extra)?ordinari[oa]s?|(?:extra)?ordinaires?|urgente|latest|(?:most )?recent|upcoming|"
    r"previous|current"
)
_GATHERINGS = (
    r"meetings?|mtgs?|sessions?|work-?shops?|retreats?|hearings?|tours?|briefings?|agendas?|"
    r"minutes|packets?|agm"
)
_SORT_BEFORE = re.compile(
    rf"^\W*(?:{_A_MONTH}\s+(?=(?:{_SORTS})\b)|(?:{_SORTS})\b[\W_]+(?:(?:{_GATHERINGS}|called|business)\b[\W_]+)*"
    rf"|(?:joint|work|study|budget|business|public|executive|closed|open)\s+(?:{_GATHERINGS})\b\W+"
    r"|(?:les?|las?|los|el|de[rls]?|du|die|dei|i|il|het)\s+"
    r"(?=(?:comptes?|proc[eè]s|conseils?|actas?|sesi[óo]n\w*|pleno|consejo|concejo|gemeinde\w*|consiglio|gemeenteraad|verbali|convoca\w+)\b)"
    r"|(?:comptes?[- ]rendus?|proc[eè]s[- ]verba(?:l|ux)|pv|(?:cr|oj)(?=\s+d)|"
    r"ordres? d(?:u jour|el dia)|orde[mn]? do d[ií]a|"
    r"verbal[ei]|convocazion[ei]|verhandlungsschrift|convocations?|act[ae]s?|"
    r"convocat[oò]ri(?:as?|es)|orden del d[ií]a|notulen|besluitenlijst(?:en)?|"
    r"(?:concept)?verslag|(?:ein|sitzungs)?ladung(?:en)?|"
    r"protokoll(?:er?)?|niederschrift(?:en)?|tagesordnung(?:en)?|vergadering(?:en)?|sitzung(?:en)?|traktanden(?:listen?)?|s[ée]ances?|sesi[óo]n(?:es)?|reuni(?:ão|ões|[óo]n(?:es)?)|"
    r"r[ée]unions?|sedut[ae])"
    r"\b(?:\s+(?:du|de la|des|der|zur|zum|au|del|de|d[ao]s?|van de|van het|van)\b)?\W+"
    r"|(?:agendas?|minutes|notice|of|for|and|und|the|an?|at)\b\W+)",
    re.IGNORECASE,
)
_SORT_BEHIND = re.compile(
    rf"(?<![\s,:/-])[\s,:/-]*\b(?:{_SORTS}|{_GATHERINGS}|joint|business|notice|work|study|y|et)\W*$",
    re.IGNORECASE,
)
_GATHERING_WORD = re.compile(rf"\b(?:{_GATHERINGS})\b", re.IGNORECASE)
_BEHIND_A_BODY = re.compile(
    rf"\b(?:{_GATHERINGS}|documents?|records?|archives?|files?|papers?|schedules?|calendars?|videos?|"
    r"protokoll(?:e|er)?|notulen|vergaderingen|sitzungen|möten|meets|met|will meet|dates?|"
    r"time|location|when|where|are|is|was|were|held|can)\b",
    re.IGNORECASE,
)
_BELONGS = re.compile(r"\s+(?:of|for|on|to|and)\b|\s*[,&]", re.IGNORECASE)
_WITH_OTHERS = re.compile(r"joint\b.*\bwith\b|with\b|following\b", re.IGNORECASE)
_ACRONYM = re.compile(r"(?:^|\s)(?!CANCEL)[A-Z]{2,}$")
_CANCELLED_WORDS = re.compile(r"\b(?:cancel+ed|postponed|rescheduled)\b\W*", re.IGNORECASE)
_CLOCK = re.compile(
    r"(?<![0-9])[0-9]{1,2}(?:[:.][0-9]{2}){0,2}\s*[ap]\.?m\b\.?"
    r"|(?<![0-9.])[0-9]{1,2}(?:[:.][0-9]{2})?\s*(?:uhr|uur)\b"
    r"|(?<![0-9.])[0-9]{1,2}\s?h(?:\s?[0-9]{2})?\b"
    r"|(?<![0-9])[0-9]{1,2}:[0-9]{2}(?::[0-9]{2})?(?![0-9])",
    re.IGNORECASE,
)
#: A short one, or one of another language, only before a date: Sun Prairie and Santo Domingo are
#: towns.
_WEEKDAY = re.compile(
    r"\b(?:mon|tues?|wednes|thurs?|fri|satur|sun)day\b,?"
    r"|\b(?:mon|tues?|wed|thu(?:rs?)?|fri|sat|sun|montag|dienstag|mittwoch|donnerstag|freitag|"
    r"samstag|sonnabend|sonntag|lundi|mardi|mercredi|jeudi|vendredi|samedi|dimanche|lunes|martes|"
    r"mi[ée]rcoles|jueves|viernes|s[áa]bado|domingo|luned[iì]|marted[iì]|mercoled[iì]|gioved[iì]|"
    r"venerd[iì]|sabato|domenica|(?:segunda|terça|quarta|quinta|sexta)-feira|"
    r"(?:maan|dins|woens|donder|vrij|zater|zon)dag|(?:mån|tis|ons|tors|fre|lör|sön|man|tirs|lør|søn)dag)"
    rf"\b[.,]*(?=\s+(?:(?:den|dem|le|el|il|dia)\s+)?(?:[0-9]|{_A_MONTH}))"
    r"|\b(?:mo|di|mi|do|fr|sa|so)\.,?(?=\s+[0-9])",
    re.IGNORECASE,
)
#: A comma with a space before it followed a time of day: "City Council 6:00 PM, City Hall".
_BESIDE_NAMES = re.compile(r"\s*[|│;]\s*|\s+[-–—]\s+|\s*\(|\)\s*|\s+,\s*")
#: "(PDF, 1.2 MB)", "PDF / 88 KB"
_SIZE_OF_FILE = re.compile(
    r"(?:\b(?:pdf|docx?)\b[\s,:/·–-]*)?(?<![0-9.,])[0-9][0-9.,]*\s*(?:[km](?:i?b|o)|(?:kilo|mega)?bytes?)\b",
    re.IGNORECASE,
)
_HALF_CHARACTERS = re.compile(r"[\ud800-\udfff]")
_UNSAFE = re.compile(r'[/\\:*?"<>|\x00-\x1f\x7f-\x9f\u2028\u2029]+')


def find_date(text: str, *, day_first: bool = False) -> date | None:
    """Return the first whole date in the text, or None."""
    found = _find(text, day_first)
    return found[0] if found else None


def find_dates(text: str, *, day_first: bool = False) -> list[tuple[date, int]]:
    """Return all whole dates in the text in their order, each with where it ends.

    The day on which something was posted is none of them.
    """
    found: list[tuple[date, int]] = []
    of_changes = []
    at = 0
    for day, (start, end) in _whole_dates(text, day_first):
        if not _PUBLISHED.search(text[at:start]):
            found.append((day, end))
            if _CHANGED.search(text[at:start]):
                # "Approved 2/9/2024 - Minutes 1/12/2024", but "Approved 1/12/2024 Minutes"
                of_changes.append((day, end))
        at = end
    return [each for each in found if each not in of_changes] or found


def date_below(
    titles: Sequence[str], text: str, *, day_first: bool = False, of_file: bool = False
) -> date | None:
    """Return the date of a text without a year, below titles that name it, the nearest first.

    As in "2024", "January 16 Minutes", or "2024", "January", "16 - Minutes".  In "2023-2024" the
    autumn is that of the first year, and the winter and spring are those of the second.  In the
    name of a file, 1_2024 begins with a month, and jan24 may end with a year.
    """
    year, span = 0, False
    # "2024 Minutes - 5th February" says the year itself.
    own = () if find_date(text, day_first=day_first) else (text,)
    for title in (*own, *titles):
        years = {match[1] for match in YEAR.finditer(title)}
        if match := _TWO_YEARS.search(title):
            span = int(match[2]) % 100 == (int(match[1]) + 1) % 100
        if span or len(years) == 1:
            year = int(match[1]) if match and span else int(years.pop())
            break
    if not year:
        return None
    for match in _matches(_WITHOUT_YEAR[:3], text):
        if found := _date_of(match, day_first, year):
            if of_file and found.day == year % 100:
                return None
            if not span:
                return found
            # Which of the two years it is in the summer depends on when the year of a body begins.
            starts, ends = (7, 6) if any(map(_SCHOOL.search, titles)) else (10, 4)
            starts = 5 if any(map(_YEAR_FROM_MAY.search, (text, *titles))) else starts
            if found.month >= starts:
                return found
            return _date_of(match, day_first, year + 1) if found.month <= ends else None
    if span or of_file:
        return None
    bare = (re.sub(r"[\W\d_]+", " ", title).strip().lower() for title in titles)
    month = next((_MONTH_OF_WORD[word] for word in bare if word in _MONTH_OF_WORD), 0)
    day = re.match(
        rf"\W*(?:{_SHORT_WEEKDAY}\W+)?([0-9]{{1,2}})(?:st|nd|rd|th)?(?![0-9/.-]|:[0-9])",
        text,
        re.IGNORECASE,
    )
    if not month or not day:
        return None
    try:
        return date(year, month, int(day[1]))
    except ValueError:
        return None


def only_date_below(titles: Sequence[str], text: str, *, day_first: bool = False) -> date | None:
    """Return the date of a text as date_below does, if it names one day only, and no year."""
    if find_date(text, day_first=day_first):
        return None
    days = {_date_of(match, day_first, 2000) for match in _matches(_WITHOUT_YEAR[:2], text)}
    return date_below(titles, text, day_first=day_first) if len(days) == 1 else None


def day_first_of_text(text: str) -> bool | None:
    """Return whether the dates in a text begin with the day, or None if they do not tell.

    One like 23/1/2024 does, or Tuesday, 6/2/2024, if there is none like 1/23/2024.
    """
    pairs = [
        (int(match["first"]), int(match["second"] or match["second_"]))
        for match in _NUMERIC.finditer(text)
    ]
    day_first = any(12 < first <= 31 and second <= 12 for first, second in pairs)
    month_first = any(first <= 12 < second <= 31 for first, second in pairs)
    for match in _WEEKDAY_AND_NUMBERS.finditer(text):
        # At least one of them is a day of the year.
        month_is_first, day_is_first = (_find(match["date"], order) for order in (False, True))
        for found in (month_is_first, day_is_first) if month_is_first != day_is_first else ():
            if found and f"{found[0]:%a}".lower() == match["weekday"].lower():
                day_first = day_first or found == day_is_first
                month_first = month_first or found == month_is_first
    return day_first if day_first != month_first else None


def find_month(text: str) -> str | None:
    """Return the first month and year in the text as ``2024-03``, or None."""
    for match in _matches(_MONTH_ONLY, text):
        year, month = int(match["year"]), _month_of(match)
        if _FIRST_YEAR <= year <= _LAST_YEAR:
            return f"{year:04}-{month:02}"
    return None


def day_near(text: str, day: date) -> date | None:
    """Return the day like "January 16" that a text begins with or names, in the nearest year."""
    for match in _matches(_WITHOUT_YEAR[:2], text):
        if not _CHANGED.search(text[: match.start()]):
            found = [_date_of(match, False, year) for year in range(day.year - 1, day.year + 2)]
            return min(filter(None, found), key=lambda each: abs(each - day), default=None)
    return None


def month_below(titles: Sequence[str], text: str) -> str:
    """Return "January" below a title that names the year as ``2024-01``, else an empty text."""
    words = {match["word"].lower() for match in re.finditer(_MONTH, text, re.IGNORECASE)}
    years = next((found for title in titles if (found := set(YEAR.findall(title)))), set())
    if len(words) != 1 or len(years) != 1 or _DIGIT.search(text):
        return ""
    return f"{years.pop()}-{_MONTH_OF_WORD[words.pop()]:02}"


def date_of_path(parts: Sequence[str], *, day_first: bool = False) -> date | None:
    """Return the date that a path names: the file's name first, then its folders, nearest first."""
    for text in (*reversed(parts), "/".join(parts)):
        if found := find_date(text, day_first=day_first):
            return found
    years = [match[1] for part in parts[:-1] if (match := YEAR.search(part))]
    if years:
        for match in _matches(_WITHOUT_YEAR, parts[-1]):
            if found := _date_of(match, day_first, int(years[-1])):
                return found
    return _with_month_of_folder(parts)


def month_of_path(parts: Sequence[str]) -> str | None:
    """Return the month that a path names, nearest to the file first."""
    texts = (*reversed(parts), "/".join(parts))
    return next((month for text in texts if (month := find_month(text))), None)


@_cached
def find_kind(text: str) -> str | None:
    """Return minutes or agendas, whichever the text mentions first, or None."""
    match = _KIND.search(_spaced(text))
    return match.lastgroup if match else None


def find_kinds(text: str) -> set[str]:
    """Return the kinds that the text mentions."""
    return {match.lastgroup or "" for match in _KIND.finditer(_spaced(text))}


def kind_of_path(parts: Sequence[str]) -> str | None:
    """Return the kind that a path names, nearest to the file first."""
    return next((kind for part in reversed(parts) if (kind := find_kind(part))), None)


def is_packet(text: str) -> bool:
    """Whether the text mentions an agenda with all its attachments."""
    return bool(_PACKET.search(_spaced(text)))


def is_cancelled(text: str) -> bool:
    """Whether the text says that a meeting does not take place."""
    return bool(_CANCELLED.search(text))


def body_of_path(parts: Sequence[str]) -> str:
    """Return whose meeting a path is about: the nearest folder that says it, else the name's rest.

    A name without date and kind is a title, not a body.
    """
    bodies = [(folder, body) for folder in parts[:-1] if (body := _body_of_folder(folder))]
    if bodies:
        folder, nearest = bodies[-1]
        # A folder of one meeting may say what it was about.
        named = [body for _, body in bodies if BODY_WORD.search(body)]
        return named[-1] if named and find_date(folder) else nearest
    stem = parts[-1] if parts else ""
    has_facts = bool(find_kind(stem) or find_date(stem) or find_month(stem))
    if not has_facts and _with_month_of_folder(parts):
        has_facts, stem = True, _DAY_ONLY.sub("", stem)
    return (body_of_title(stem) if has_facts else "") or UNNAMED_BODY


def body_of_title(title: str) -> str:
    """Return the title without date, kind and words like 'draft' or 'regular meeting'."""
    undated = _without_dates(_spaced(_without_dates(title[:LONGEST_TITLE])))
    rest = _STATUS_WORDS.sub(" ", _KIND.sub(" ", undated))
    words = re.sub(r"[\s_]+", " ", re.sub(r"\(\s*[0-9]*\s*\)", " ", rest))
    words = re.sub(r"\s+(?=[/,;])", "", words)
    kept = _LOOSE_ENDS.sub("", words.strip(_AROUND_NAMES)).strip(_AROUND_NAMES)
    return kept if re.search(r"[^\W\d_]{2}", kept) else ""


def body_of_meeting(title: str) -> str:
    """Return whose meeting a title is about, without "Special Meeting", places and remarks.

    A title that names nobody, such as "Budget Workshop", is returned whole.
    """
    title = title[:LONGEST_TITLE]
    text = _without_dates(_WEEKDAY.sub(" ", _CLOCK.sub(" ", _SIZE_OF_FILE.sub(" ", title))))
    for pattern in _WITHOUT_YEAR[:2]:
        text = pattern.sub(" ", text)
    if (match := _MEETING_OF.search(text)) and BODY_WORD.search(match[1]):
        text = match[1]
    parts = [part.strip(_AROUND_NAMES) for part in _BESIDE_NAMES.split(text)]
    parts = [part for part in parts if re.search(r"[^\W\d_]{2}|[A-Z][.&/][A-Z]", part)]
    for at, part in enumerate(parts):
        if body := _named_body(part):
            # "Gallatin Valley MPO - Advisory Committee"
            whose = parts[at - 1] if at else ""
            body = _SEVERAL_MEETINGS.sub(r"\1onseil \2l", body)
            body = re.sub(r"(?<=rat)s(?:sitzung(?:en)?|protokolle?)\b", "", body)
            is_of_other = _ACRONYM.search(whose) and text != text.upper()
            dash = rf"{re.escape(whose)}\s*[|–—-]"
            return f"{whose} - {body}" if is_of_other and re.search(dash, text) else body
    bare = _without_sort(parts[0]) if parts else ""
    if re.fullmatch(r"[A-Z]{1,4}(?:[.&/][A-Z]{1,4})+", bare):
        # C.R.A, P&Z
        return bare
    rest = body_of_title(bare)
    if " " in rest or re.fullmatch(r"[A-Z]{2,}", rest):
        return rest
    whole = re.sub(r"\s+", " ", _CANCELLED_WORDS.sub(" ", text)).strip(" -–—.,;:@")
    if not re.search(r"[^\W\d_]{2}", whole):
        return ""
    written = " ".join(title.split())
    # Without a date in its middle it would say something else.
    return whole if whole in written else written


def names_body(title: str) -> bool:
    """Whether a title says whose meeting it is, as "Hearing Officer Meeting" does.

    "Regular Meeting" and "Budget Workshop" say only what sort of meeting it is, or what about.
    """
    title = title[:LONGEST_TITLE]
    if BODY_WORD.search(title):
        return True
    name = re.sub(r"\s*\bmeetings?$", "", title.strip(), flags=re.IGNORECASE)
    rest = _without_sort(name)
    return name != title.strip() and " " in rest and not _DIGIT.search(rest)


def _named_body(part: str) -> str:
    """Return the body that a part of a title names, up to the word that stands for one.

    What follows belongs to its name after "of", as in Board of Ethics; before a word like meeting
    it is the sort of meeting, as in City Council Zoning Meeting.
    """
    part = _without_lead(part)
    first = None if _WITH_OTHERS.match(part) else BODY_WORD.search(part)
    if first is None:
        return ""
    # "Training Workshop/Special Board Meeting"
    earlier = _GATHERING_WORD.finditer(part, 0, first.start())
    # A Zoning Hearing Board is called by what it does.
    *_, before = [None, *(each for each in earlier if part[each.end() : first.start()].strip())]
    if before:
        part = _without_lead(part[before.end() :])
        first = BODY_WORD.search(part) or first
    gathering = _BEHIND_A_BODY.search(part, first.end())
    part = part[: gathering.start()] if gathering else part
    *_, last = BODY_WORD.finditer(part)
    end = last.end() + len(re.split(r"[\W\d_]", part[last.end() :], maxsplit=1)[0])
    if gathering and not _BELONGS.match(part, end):
        part = part[:end]
    return _without_sort(_LOOSE_ENDS.sub("", _without_sort(part)))


def _without_lead(text: str) -> str:
    """Return a name without words for the sort of meeting at its beginning."""
    while (shorter := _SORT_BEFORE.sub("", text)) != text:
        text = shorter
    return text


def _without_sort(text: str) -> str:
    """Return a name without words for the sort of meeting at its ends."""
    while True:
        shorter = _SORT_BEFORE.sub("", _SORT_BEHIND.sub("", text)).strip(_AROUND_NAMES)
        if shorter == text:
            return re.sub(r"\s+", " ", text)
        text = shorter


def without_dates(text: str) -> str:
    """Return the text without dates, times and what surrounds them."""
    bare = _WEEKDAY.sub(" ", _CLOCK.sub(" ", _without_dates(_WEEKDAY.sub(" ", text))))
    return re.sub(r"\s+", " ", bare).strip(_AROUND_NAMES + "|")


def without_years(text: str) -> str:
    """Return the text without years like 2025 and 2025/26."""
    return re.sub(r"\s+", " ", YEAR.sub(" ", _TWO_YEARS.sub(" ", text))).strip(_AROUND_NAMES)


def without_days(text: str) -> str:
    """Return the text without dates, and without days like "January 16"."""
    return _WITHOUT_YEAR[0].sub(" ", without_dates(text))


def without_months(text: str) -> str:
    """Return the text without names of months."""
    return re.sub(_A_MONTH, " ", text, flags=re.IGNORECASE)


def title_of_path(parts: Sequence[str]) -> str:
    """Return a name for an undated document; a bare ``minutes`` gets its folder's name too."""
    stem = parts[-1]
    if len(parts) > 1 and (find_kind(stem) or len(stem) < 4) and not body_of_title(stem):
        return f"{parts[-2]} {stem}"
    return stem


def safe_component(text: str, fallback: str = "untitled") -> str:
    """Return the text as one name of a file or folder: readable, at most 100 bytes, never hidden.

    Equal texts give equal names; a text that had to be cut carries a hash of the whole.
    """
    name = _cleaned(text) or _cleaned(fallback) or "untitled"
    if len(name.encode()) <= LONGEST_NAME:
        return name
    mark = "~" + hashlib.sha256(name.encode()).hexdigest()[:10]
    room = LONGEST_NAME - len(mark)
    return name.encode()[:room].decode("utf-8", "ignore").rstrip(" .") + mark


def numbered(name: str, number: int) -> str:
    """Return the name for the second, third ... document that would be called the same."""
    return name if number == 1 else f"{name}-{number}"


def _cleaned(text: str) -> str:
    whole = _HALF_CHARACTERS.sub("\ufffd", text)
    name = _UNSAFE.sub("-", unicodedata.normalize("NFC", whole))
    return re.sub(r"\s+", " ", name).lstrip(" .-").rstrip(" .")


@_cached
def _find(text: str, day_first: bool) -> tuple[date, tuple[int, int]] | None:
    return next(_whole_dates(text, day_first), None)


def _whole_dates(text: str, day_first: bool) -> Iterator[tuple[date, tuple[int, int]]]:
    """Yield the whole dates of a text, each with where it is; likely ones behind the certain ones.

    Each pattern is looked for again only behind what it has found last.
    """
    if not _DIGIT.search(text):
        return

    def first_of(pattern: re.Pattern[str]) -> tuple[int, date, int] | None:
        for match in pattern.finditer(text, at):
            if day := _date_of(match, day_first):
                return match.start(), day, match.end()
        return None

    at = 0
    for patterns in (_CERTAIN, _LIKELY):
        ahead = [first_of(pattern) for pattern in patterns]
        while any(ahead):
            start, day, end = min(filter(None, ahead), key=lambda each: each[0])
            yield day, (start, end)
            at = end
            ahead = [
                first_of(pattern) if next_one and next_one[0] < at else next_one
                for pattern, next_one in zip(patterns, ahead, strict=True)
            ]


def _matches(patterns: Sequence[re.Pattern[str]], text: str) -> Iterator[re.Match[str]]:
    for pattern in patterns:
        yield from pattern.finditer(text)


def _date_of(match: re.Match[str], day_first: bool, year: int = 0) -> date | None:
    """Return the date of a match, in the given year if the match has none.

    19-07-29 begins with the year: nobody who puts the month first writes it like this.
    """
    month, day = _month_of(match), int(match["day"])
    digits = match.groupdict().get("year")
    if match.groupdict().get("another") or int(match.groupdict().get("until") or 99) <= day:
        return None
    if "word" not in match.re.groupindex:
        whole_year = digits is None or len(digits) == 4
        year_first = bool(digits) and match.start("year") < match.start("month")
        if (month > 12 and whole_year) or (day_first and not year_first):
            month, day = day, month
    if digits and not year:
        century = 0 if len(digits) == 4 else 1900 if int(digits) >= _CENTURY_TURNS else 2000
        year = int(digits) + century
    later = _MONTH_OF_WORD.get((match.groupdict().get("later") or "").lower(), 12)
    if later < month:
        # December 31 to January 1, 2024
        year -= 1
    try:
        found = date(year, month, day)
    except ValueError:
        if not day_first or "word" in match.re.groupindex or month <= 12:
            return None
        # Nobody writes the day first here.
        return _date_of(match, day_first=False, year=year)
    return found if _FIRST_YEAR <= found.year <= _LAST_YEAR else None


def _month_of(match: re.Match[str]) -> int:
    if "word" in match.re.groupindex:
        return _MONTH_OF_WORD.get(match["word"].lower(), 0)
    return int(match["month"])


def _with_month_of_folder(parts: Sequence[str]) -> date | None:
    day = _DAY_ONLY.search(parts[-1]) if len(parts) > 1 else None
    month = month_of_path(parts[:-1]) if day else None
    if not day or not month:
        return None
    try:
        return date.fromisoformat(f"{month}-{int(day['day']):02}")
    except ValueError:
        return None


def _spaced(text: str) -> str:
    return _CAMEL.sub(" ", text)


def _without_dates(text: str) -> str:
    while found := _find(text, day_first=False):
        start, end = found[1]
        time = _TIME.match(text, end)
        text = f"{text[:start]} {text[time.end() if time else end :]}"
    for pattern in _MONTH_ONLY:
        text = pattern.sub(" ", text)
    return text


@_cached
def _body_of_folder(folder: str) -> str:
    """Return the name of a folder if it names a body, unchanged where that is possible."""
    if not _KIND.search(_spaced(folder)) and not _find(folder, day_first=False):
        bare = YEAR.sub(" ", folder)
        if _CONTAINER.fullmatch(bare) or _is_month(bare):
            return ""
        return folder if bare == folder else body_of_title(bare)
    body = YEAR.sub(" ", body_of_title(folder)).strip()
    return "" if _CONTAINER.fullmatch(body) or _is_month(body) else body


def _is_month(text: str) -> bool:
    word = re.sub(r"[\W\d_]+", " ", text).strip().lower()
    return word in _MONTH_OF_WORD
