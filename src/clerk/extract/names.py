"""Read names as minutes print them: titles before, initials kept, particles joined.

A name is read forwards (``seconded by Councilmember van Overbeek to``), backwards (``Mrs. Ory
moved``) or as a list (``Smith, Jones and Dr. Brown``).  Only capitalised words that are no title
and no word of the trade become part of a name.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, islice
from typing import NamedTuple

from .text import pattern, word_set

TITLES = word_set(
    """
    com bd cmsr supt atty vp
    assistant associate senior first-selectman brd pres sect treas
    mme mlle monsieur conseiller conseillère mairesse maire
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
    superintendent clerk pro tem tempore pro-tem protem pro-tempore acting interim student
    ex-officio alternate cm c/m cmr vm bm mpt jurat burgess moderator magistrate cathaoirleach
    leas-chathaoirleach comhairleoir lord bailie provost executive county city town village
    township manager attorney administrator assemblymember assemblyman assemblywoman assembly
    assemblyperson legislator planner president-elect chief captain sgt lt
    """
)

#: Titles of those who vote: where another one follows a name, the next name begins.
_OF_MEMBERS = word_set(
    """
    mr mrs ms miss dr councilmember councilman councilwoman councilperson councilor councillor cllr
    cr alderman alderwoman alderperson ald commissioner trustee supervisor selectman selectwoman
    member mayor chair chairman chairwoman chairperson
    """
)

PARTICLES = word_set(
    """
    van von der den de la le di da del della dos du ten ter te el al bin ibn st mac mc ni ui
    los las des af zu zur vom vander dela delos
    """
)

_SUFFIXES = word_set(
    """
    jr sr ii iii iv esq phd md
    """
)

_ABBREVIATED = word_set(
    """
    jr sr st wm chas geo thos jos jas robt mr mrs ms dr hon rev cllr cr ald comm sen rep mt
    """
)

#: Titles and words of the trade that are surnames as well.
_ALSO_SURNAMES = word_set(
    """
    alder judge clerk warden chief provost lord justice regent governor captain burgess
    moderator planner grant park page ward place call read close march street july plan work
    bill banks reading table award old new first favor road reeve sen an so
    """
)

#: Such words that are first names as well.
_FIRST_NAMES = word_set(
    """
    bill grant page ward judge april may june august
    """
)

#: Capitalised words that end a name: the vocabulary of motions, votes and agendas.
STOPS = word_set(
    """
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
    comment quorum members motioned support supported proposed proposal agreed agreement
    unopposed declared declare total yeses tally ballot in-favor not from further comments: date
    time location subject january february march july september october november december monday
    tuesday wednesday thursday friday saturday sunday mayor's dissenting abstentions: via zoom
    remote remotely teleconference arrived left departed pm am p.m a.m i introduced introduce
    first 1st 2nd question carried. discussion: regular special session work workshop executive
    closed department office llc inc corp company co park street avenue road fund budget fiscal
    year contract project plan program however thereafter thereupon there voice majority
    supermajority simple consensus zero one two three four five six seven eight nine ten eleven
    twelve same thereof so thus hence accordingly meanwhile additionally furthermore later finally
    afterwards subsequently because since although though but yet moreover next
    """
)

#: Words that say how somebody voted; no part of a name is one of them.
BALLOT_WORDS = word_set(
    """
    aye ayes nay nays noe noes yea yeas yes no none nil abstain abstained abstaining abstention
    abstentions absent excused recused present favor favour against opposed motion carried
    """
)

_SUFFIX = pattern(r",? {0,2}((?:Jr|Sr|JR|SR)\b\.?|I{2,3}\b|IV\b)")
_TOKEN = pattern(r"[Cc]/[Mm]\b|[^\W\d_]+(?:['\-][^\W\d_]+)*")
_GAP = pattern(r" {0,3}(?:\n {0,60})?(?=\S)")
_SEPARATOR = pattern(r"\s{0,80}(?:,\s{0,80}and\b|,\s{0,80}&|[,;/&]|and\b)[\s,]{0,80}", re.I)
_LEADER = pattern(r"[\s:;,.\-(\"]{0,60}(?:the\s{1,4})?", re.I)
_NAME_AFTER_STOP = pattern(r"\. {1,2}[A-Z][a-z]")
_MONSIEUR = pattern(r"(?:(?<=\bpar )|(?<=\bpar  )|(?<=\bpar\n))M\. {1,2}")
_MAX_TOKENS = 4
_MAX_TITLES = 6


@dataclass(frozen=True)
class Name:
    """A name as printed, its titles dropped, and where it stands with its titles."""

    text: str
    start: int
    end: int
    titled: bool

    @cached_property
    def surname(self) -> str:
        """The last word, with its particles: ``van Overbeek``."""
        words = self.text.split()
        cut = len(words) - 1
        if cut > 0 and words[cut].lower().rstrip(".") in _SUFFIXES:
            cut -= 1
        while cut > 0 and words[cut - 1].lower().strip(".") in PARTICLES:
            cut -= 1
        if cut == 0 and len(words) > 1 and words[0] == "Al":
            cut = 1
        return " ".join(words[cut:])


class _Token(NamedTuple):
    text: str
    word: str
    start: int
    end: int


def _token_at(text: str, position: int, limit: int | None = None) -> _Token | None:
    match = _TOKEN.match(text, position, position + 60 if limit is None else limit)
    if match is None:
        return None
    printed, end = match[0], match.end()
    if "-" in printed:
        end = _before_ballot_word(match)
        printed = text[position:end]
    word = printed.lower()
    if text.startswith(".", end) and (
        len(word) == 1
        or word in _ABBREVIATED
        or word in TITLES
        or (_NO_VOWEL.fullmatch(word) and _NAME_AFTER_STOP.match(text, end))
    ):
        return _Token(printed + ".", word, position, end + 1)
    return _Token(printed, word, position, end)


def _before_ballot_word(match: re.Match[str]) -> int:
    """Return where a token ends that a hyphen ties to a vote: ``Smith-aye``, ``Nays-None``."""
    end = match.start()
    for place, part in enumerate(match[0].split("-")):
        voted = part.lower() in BALLOT_WORDS
        if voted and place:
            return end - 1
        end += len(part) + 1
        if voted:
            return end - 1
    return match.end()


def _next_token(text: str, position: int) -> tuple[_Token | None, bool]:
    """Return the token after a small gap, and whether the gap is a line break."""
    gap = _GAP.match(text, position)
    if gap is None:
        return None, False
    return _token_at(text, gap.end()), "\n" in gap[0]


def _is_title(token: _Token) -> bool:
    """Whether a token is a title, or an abbreviation without a vowel: ``Cnclmn.``"""
    if token.word in TITLES:
        return True
    return token.text.endswith(".") and _NO_VOWEL.fullmatch(token.word) is not None


_NO_VOWEL = pattern(r"(?!ng$|st$|mt$|jr$|sr$|wm$|thos$)[bcdfghjklmnpqrstvwxz]{2,8}")


def _is_initial(token: _Token) -> bool:
    return len(token.word) == 1 and token.text[0].isupper()


def _may_be_name(token: _Token) -> bool:
    if _is_initial(token):
        return True
    return token.text[0].isupper() and token.word not in STOPS and not _is_title(token)


def _may_begin_name(text: str, token: _Token, titled: bool, known: frozenset[str]) -> bool:
    """Whether a token is a name, or a word like Grant or Warden that here must be one."""
    if _may_be_name(token):
        return True
    if not token.text[0].isupper() or token.word not in _ALSO_SURNAMES:
        return False
    if token.word in _FIRST_NAMES and _name_follows(text, token):
        return True
    return titled or token.word in known or text[token.end : token.end + 1] in (",", ";", "/", ")")


def _name_follows(text: str, token: _Token) -> bool:
    following, broken = _next_token(text, token.end)
    if following is None or broken or not following.text[0].isupper():
        return False
    return _may_be_name(following) or _ends_as_surname(text, following)


_AFTER_SURNAME = pattern(
    r"\.?(?:[,;/)\n]|$| {1,4}(?:\n|$)|(?<=\.)\s|\s+(?:and|to|that|seconded|second"
    r"|moved|made|voted)\b)"
)


def _ends_as_surname(text: str, token: _Token) -> bool:
    """Whether a word such as Park ends a name here: a comma, a line end or a verb follows."""
    if not token.text[0].isupper() or token.word not in _ALSO_SURNAMES:
        return False
    return _AFTER_SURNAME.match(text, token.end) is not None


def read_name(
    text: str, position: int, known: frozenset[str] = frozenset(), listed: bool = False
) -> Name | None:
    """Read the name that begins at a position (punctuation before it is skipped), or None.

    ``known`` are surnames in lower case; they decide where a name ends that runs into the next
    line or the next sentence.  A ``listed`` name stands in a list: there ``Park`` may be one.
    """
    leader = _LEADER.match(text, position)
    start = leader.end() if leader else position
    if monsieur := _MONSIEUR.match(text, start):
        start = monsieur.end()
    token = _token_at(text, start)
    titled = False
    first = token
    for _ in range(_MAX_TITLES):
        if token is None or not _is_title(token) or _ends_list(text, token):
            break
        following, broken = _next_token(text, token.end)
        if following is None or (broken and following.word in STOPS):
            break
        if token.word in _ALSO_SURNAMES and not (_may_be_name(following) or _is_title(following)):
            break
        titled = True
        token = following
    if token is None or first is None:
        return None
    here = listed and _ends_as_surname(text, token)
    member = titled and first.word in _OF_MEMBERS
    words, end = _name_words(text, token, known, titled or here, member)
    if not words or (len(words[-1]) < 3 and all(len(word.strip(".")) < 2 for word in words)):
        return None
    return Name(" ".join(words), first.start, end, titled)


def _ends_list(text: str, token: _Token) -> bool:
    return text[token.end : token.end + 1] in (",", ";", ")")


def _name_words(
    text: str, token: _Token | None, known: frozenset[str], titled: bool, member: bool
) -> tuple[list[str], int]:
    """Collect the words of a name from its first token on."""
    words: list[str] = []
    end = token.end if token else 0
    position, broken = end, False
    while token is not None and _counted(words) < _MAX_TOKENS:
        if broken and words and not _goes_on(text, words, token, known):
            break
        possessive = token.text.lower().endswith("'s")
        if _particle_of_name(text, token):
            words.append(token.text)
        elif (
            _may_be_name(token)
            or (not words and _may_begin_name(text, token, titled, known))
            or (len(words) == 1 and words[0].lower() not in known and _ends_as_surname(text, token))
        ):
            word = token.text.rstrip(".") if token.word in _ALSO_SURNAMES else token.text
            words.append(word[:-2] if possessive else word)
            end = token.end - 2 * possessive
        elif member and words and token.word in _OF_MEMBERS:
            break
        elif words and not broken and _title_before_name(text, token):
            words = []
        else:
            break
        if possessive or (len(words) > 1 and token.word in known):
            break
        position = token.end
        token, broken = _next_token(text, position)
    words = _without_trailing_particles(words)
    suffix = _SUFFIX.match(text, end) if words else None
    if suffix:
        return [*words, suffix[1]], suffix.end()
    return words, end


def _counted(words: list[str]) -> int:
    """Count the words of a name; a particle belongs to the next one."""
    return sum(word.lower().strip(".") not in PARTICLES for word in words)


def _title_before_name(text: str, token: _Token) -> bool:
    """Whether a title follows that makes what was read a part of it: ``Recording Clerk Smith``."""
    following, broken = _next_token(text, token.end)
    return _is_title(token) and following is not None and not broken and _may_be_name(following)


_ENDS_NAME = pattern(
    r"\.?(?:[,;/)\n]|$| {1,8}\n|(?<=\.)\s|\s+(?:and|to|that|made|moved|seconded|voted)\b)"
)


def _goes_on(text: str, words: list[str], token: _Token, known: frozenset[str]) -> bool:
    """Whether a name goes on in the next line."""
    if words[-1].lower().rstrip(".") in PARTICLES or len(words[-1].rstrip(".")) == 1:
        return True
    if words[-1].lower() in known:
        return False
    if token.word in known:
        return True
    alone = _ENDS_NAME.match(text, token.end) is not None
    return len(words) == 1 and not known and token.text.istitle() and alone


def _particle_of_name(text: str, token: _Token) -> bool:
    if token.word not in PARTICLES:
        return False
    following, broken = _next_token(text, token.end)
    if following is None or broken:
        return False
    return _may_be_name(following) or following.word in PARTICLES


def _without_trailing_particles(words: list[str]) -> list[str]:
    """Drop what cannot end a name: a particle, or the ``A`` of the next sentence."""
    while words and (
        (words[-1].islower() and words[-1] in PARTICLES) or (len(words) > 1 and len(words[-1]) == 1)
    ):
        words = words[:-1]
    return words


def _capital_before(text: str, position: int) -> bool:
    """Whether the word before a position begins with a capital: most do not, and are no names."""
    edge = position
    while edge > 0 and text[edge - 1] in " \n,." and position - edge < 70:
        edge -= 1
    first = edge
    while first > 0 and (text[first - 1].isalpha() or text[first - 1] in "'-/"):
        first -= 1
        if edge - first > 60:
            return False
    return any(letter.isupper() for letter in text[first:edge])


def name_before(text: str, position: int, known: frozenset[str] = frozenset()) -> Name | None:
    """Read the name that ends right before a position, or None."""
    if not _capital_before(text, position):
        return None
    tokens = _tokens_before(text, position)
    last = next(tokens, None)
    gap = text[min(last.end, position) : position] if last else "?"
    if last is None or gap.strip(" \n,") or gap.count("\n") > 1:
        return None
    taken: list[_Token] = []
    titles: list[_Token] = []
    for token in chain((last,), tokens):
        edge = titles[-1] if titles else taken[-1] if taken else None
        if edge is not None and not _adjacent(text, token, edge):
            break
        if _is_title(token) and (taken or titles):
            titles.append(token)
        elif not taken and _surname_after_title(text, token, position):
            taken.append(token)
        elif titles or not _fits_backwards(token, taken):
            break
        else:
            taken.append(token)
    return _assembled(taken, titles)


def _tokens_before(text: str, position: int) -> Iterator[_Token]:
    """Yield the tokens before a position, the last one first."""
    found = _TOKEN.finditer(text, max(0, position - 90), position)
    for start in [match.start() for match in found][::-1]:
        token = _token_at(text, start, position)
        if token is not None:
            yield token


def _surname_after_title(text: str, last: _Token, position: int) -> bool:
    """Whether the last token is a name such as Lord or Page that a title stands before."""
    if not last.text[0].isupper() or last.word not in _ALSO_SURNAMES:
        return False
    before = next(islice(_tokens_before(text, position), 1, None), None)
    return before is not None and _is_title(before) and _adjacent(text, before, last)


def _adjacent(text: str, token: _Token, edge: _Token) -> bool:
    """Whether two tokens belong to one name; over a line break only a title or an initial does."""
    gap = text[token.end : edge.start]
    if gap.strip() or len(gap) > 60 or gap.count("\n") > 1:
        return False
    if "\n" not in gap:
        return len(gap) <= 3
    return _is_title(token) or _is_initial(token)


def _fits_backwards(token: _Token, taken: list[_Token]) -> bool:
    if taken and token.word in PARTICLES:
        return True
    if taken and taken[-1].word in PARTICLES and token.text.islower():
        return False
    return _may_be_name(token) and len(taken) < _MAX_TOKENS


def _assembled(taken: list[_Token], titles: list[_Token]) -> Name | None:
    words = [token.text for token in reversed(taken)]
    if not any(len(word.strip(".")) > 1 and word[0].isupper() for word in words):
        return None
    start = (titles or taken)[-1].start
    end = taken[0].end
    text = " ".join(words)
    if text.endswith("'s"):
        return None
    return Name(text, start, end, bool(titles))


_JOINT = pattern(r"(?:,\s{0,4}and|,|\band|&)\s{1,4}$")


def names_before(text: str, position: int, known: frozenset[str] = frozenset()) -> list[Name]:
    """Read ``Smith, Jones and Brown`` that ends right before a position, in printed order."""
    found: list[Name] = []
    name = name_before(text, position, known)
    while name is not None and len(found) < 30:
        found.insert(0, name)
        joint = _JOINT.search(text[max(0, name.start - 12) : name.start])
        if joint is None:
            break
        name = name_before(text, max(0, name.start - 12) + joint.start(), known)
    return found


def read_names(
    text: str, position: int, limit: int, known: frozenset[str] = frozenset()
) -> tuple[list[Name], int]:
    """Read a list of names; return them and where the list ends.

    Names are set apart by commas, semicolons, ``and``, or, when there are no commas, by line
    breaks or wide gaps.  Roles behind a name (``Smith, Chair``) are passed over.
    """
    names: list[Name] = []
    end = position
    commas = False
    while position < limit and len(names) < 120:
        name = read_name(text, position, known, listed=True)
        if name is None or name.end > limit or _too_far(text, position, name.start, names):
            skipped = _skip_role(text, position)
            if skipped is None or skipped > limit:
                break
            position = end = skipped
        else:
            names.append(name)
            end = position = name.end
        position = _skip_note(text, position)
        end = max(end, position)
        separator = _SEPARATOR.match(text, position)
        if separator is not None:
            position = _skip_count(text, separator.end())
            commas = True
        elif not _next_to_it(text, position, names, known) and not _new_row(
            text, position, limit, known if commas else frozenset(), commas
        ):
            break
    return names, end


def _next_to_it(text: str, position: int, names: list[Name], known: frozenset[str]) -> bool:
    """Whether the next name follows after a space alone: ``Mr. Smith Mrs. Jones``, ``Smith Jones``.

    It does behind the name of a member with a title if it has one too, or if both are known.
    """
    token, broken = _next_token(text, position)
    if not names or token is None or broken or names[-1].end != position:
        return False
    if not token.text[0].isupper():
        return False
    if names[-1].titled and token.word in _OF_MEMBERS:
        return _title_before_name(text, token)
    return token.word in known and names[-1].text.split()[-1].lower() in known


def _too_far(text: str, position: int, start: int, names: list[Name]) -> bool:
    gap = text[position:start]
    return "." in gap or (bool(names) and ":" in gap)


_ROLE = pattern(
    r"\s{0,60}(?:the\s)?(?:vice\s|deputy\s|first\s|second\s|co-)?(?:chair\w*"
    r"|mayor(?:\s+pro[\s-]tem\w*)?|president|secretary|treasurer"
    r"|director|member|commissioner|trustee|jr\.?|sr\.?|(?:district|ward|seat|place"
    r"|position)\s+[\w-]{1,12})"
    r"(?=\s{0,3}(?:[,;.\n)]|$|and\b))",
    re.I,
)
_NOTE = pattern(r"\s{0,4}\((?!\d)[^()\n]{1,40}\)")


def _skip_role(text: str, position: int) -> int | None:
    role = _ROLE.match(text, position)
    return role.end() if role else None


def _skip_note(text: str, position: int) -> int:
    note = _NOTE.match(text, position)
    return note.end() if note else position


_COUNT = pattern(r"\d{1,3} {0,20}\n {0,60}")


def _skip_count(text: str, position: int) -> int:
    """Pass over a number that ends a line of a longer list."""
    count = _COUNT.match(text, position)
    return count.end() if count else position


_ROW = pattern(r"(?: {3,}| *\n *)(?=[^\W\d_])")


_LONGEST_ROW = 200


def _new_row(text: str, position: int, limit: int, known: frozenset[str], commas: bool) -> bool:
    """Whether the next name of the list stands in the next line or column, without a comma.

    Where the list has commas the next line must begin with a known surname, or it is a new thought.
    """
    row = _ROW.match(text, position)
    if row is None or row.end() >= limit:
        return False
    line = text[row.end() : min(limit, row.end() + _LONGEST_ROW)].partition("\n")[0]
    if len(line) == _LONGEST_ROW or (
        any(mark in line for mark in ":.?!") and not _only_abbreviations(line)
    ):
        return False
    words = [_Token(match[0], match[0].lower(), 0, 0) for match in _TOKEN.finditer(line)]
    if not words or not all(_in_name_line(word) for word in words):
        return False
    return not commas or any(word.word in known for word in words[:3])


def _in_name_line(token: _Token) -> bool:
    return _may_be_name(token) or _is_title(token) or token.word in PARTICLES or token.word == "and"


def _only_abbreviations(line: str) -> bool:
    return all(
        len(word) <= 2 or word.rstrip(".").lower() in _ABBREVIATED | TITLES
        for word in re.findall(r"\S+[:.?!]", line)
    )
