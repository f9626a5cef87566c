"""Read votes set in tables.

Three layouts: a table whose columns came apart (all labels, then all values), a row with a mark for
each member, and a column of names for each way to vote::

    RESULT:                       Member      Yes  No  Absent          AYES:      NOES:
    MOVER:                        Anderson     X                       Stein      Thorpe
    AYES:                         Castillo          X                  Underhill

    PASSED [14 TO 1]
    Ann Smith
    Jones, Smith, Brown
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import zip_longest

from clerk.core import lazy_re as re

from .ballots import ballot_kind, tally_in
from .cues import FIRM, STRONG, BallotCue, Cue, DocumentText, MotionCue, OutcomeCue, SecondCue
from .findings import AYES, NOES
from .names import Name, read_name
from .outcomes import result_of
from .text import Phrase, indent_start, is_inside, line_start, pattern

_Stretches = Sequence[tuple[int, int]]
#: The cues of a table, and the stretches of text that it takes up.
_Table = tuple[list[Cue], _Stretches]


def table_cues(doc: DocumentText, blank: _Stretches) -> _Table:
    """Return the cues of all tables, and the stretches of text they take up, in order.

    Labels in a blank stretch have no values.
    """
    cues: list[Cue] = []
    used: list[tuple[int, int]] = []
    for read in (split_tables, grids, voting_columns, joined_cells, side_by_side, boxes):
        for found, stretches in read(doc, blank):
            for cue in found:
                cue.rule = read.__name__
            cues += found
            used += stretches
    return cues, sorted(used)


_LABEL = (
    r"(?:result|mover|seconder|ayes?|yeas?|nays?|noes|abstain(?:ed)?|absen[ti]|excused|recused)"
)
_LABELS = Phrase(
    "result mover seconder aye yea nay noes abst absent excused recused",
    rf"{_LABEL}'? {{0,4}}:? {{0,4}}\n(?:\s{{0,60}}{_LABEL}'? {{0,4}}: {{0,4}}\n){{1,8}}",
)
_VALUE = pattern(r"^ *(?:[A-Z][A-Z \-]{3,40})(?:\[[^\]\n]{1,40}\])? *$", re.M)
_WORD = re.compile(r"[a-z]+")
#: The values are at most this many characters after the labels.
_REACH = 1200


def split_tables(doc: DocumentText, blank: _Stretches) -> Iterator[_Table]:
    """Read tables whose columns came apart: first all the labels, then all the values."""
    done = 0
    for labels in _LABELS.find(doc.lower):
        start = indent_start(doc.lower, labels.start(), 60)
        if start is None or start < done or is_inside(blank, labels.start()):
            continue
        done = position = labels.end()
        words = [word.replace("abseni", "absent") for word in _WORD.findall(labels[0])]
        if words[0] == "result":
            value = _VALUE.search(doc.text, position, position + _REACH)
            if value is None:
                continue
            position = value.start()
        # The values are the lines of a paragraph, joined where a line ends with a comma.
        rows: list[tuple[int, int]] = []
        goes_on = False
        for line in doc.text[position : position + _REACH].split("\n"):
            if not line.strip() and rows:
                break
            if line.strip():
                begin = rows.pop()[0] if goes_on else position
                rows.append((begin, position + len(line)))
                goes_on = line.rstrip().endswith((",", "-", " and"))
            position += len(line) + 1
        if words[0] != "result":
            # A heading may have come between the labels and their values.
            while len(rows) > len(words):
                listed = doc.names_at(*rows[0]).names
                empty = doc.lower[slice(*rows[0])].strip(" .") in ("none", "0", "nil")
                if empty or (listed and doc.roster.is_known(listed[0].surname)):
                    break
                rows.pop(0)
        if len(rows) < len(words):
            continue
        # ``None Motion carried``: what follows is not the value.
        nobody = [_NOBODY_FIRST.match(doc.lower, *row) for row in rows]
        rows = [
            (start, none.end() if none else end)
            for (start, end), none in zip(rows, nobody, strict=True)
        ]
        cues = [_value_cue(doc, word, *row) for word, row in zip(words, rows, strict=False)]
        yield (
            [cue for cue in cues if cue is not None],
            [(start, labels.end()), (rows[0][0], rows[len(words) - 1][1])],
        )


_NOBODY_FIRST = pattern(r"\s{0,40}(?:none|nil|0)\b(?=[ .]{1,4}(?:the\s+)?motion\b)")


def _value_cue(doc: DocumentText, label: str, start: int, end: int) -> Cue | None:
    """Return what a value says under its label."""
    if label == "result":
        printed = doc.lower[start:end]
        outcome = OutcomeCue(start, end, STRONG, label=True, result=result_of(printed))
        outcome.result_text = " ".join(doc.original[start:end].split())
        outcome.counts = tally_in(doc.lower, start, end)
        outcome.unanimous = "unanim" in printed
        return outcome
    names = doc.names_at(start, end)
    if label not in ("mover", "seconder"):
        cue = BallotCue(start, end, FIRM)
        cue.add_list(doc, ballot_kind(label), names)
        return cue
    surnames, flags = doc.roster.surnames(names.names)
    if not surnames:
        return None
    if label == "mover":
        return MotionCue(start, end, flags=flags, mover=surnames[0], label=True)
    return SecondCue(start, end, flags=flags, seconder=surnames[0], label=True)


_VOTE = (
    r"(?:ayes?|yeas?|yes|for(?: the motion)?|in\s?favou?r|affirmative|nays?|noes|no"
    r"|against(?: the motion)?|opposed|negative"
    r"|abstain(?:ed)?|absent|excused|recused?|not\s?voting)"
)
#: A line that ends with two or more labels; what precedes them is the heading of the names.
_HEADER = pattern(
    rf"^[^\n]{{0,60}}?(?<![\w-])(?P<labels>{_VOTE}[ ]{{0,3}}:?"
    rf"(?:[ ]{{1,30}}{_VOTE}[ ]{{0,3}}:?){{1,5}})[ ]{{0,80}}$",
    re.M,
)
_LAST_LABEL = Phrase(
    "nay no against opposed abst absent excused recuse negative",
    rf"{_VOTE}[ ]{{0,3}}:?[ ]{{0,80}}(?=\n|$)",
)
_VOTE_LABEL = pattern(rf"(?<![\w-]){_VOTE}(?![\w-])")
_MARK = re.compile(r"(?<!\S)(?:[xX\u2713\u2714\u2611\u2612\u221a]|\([xX]\)|\[[xX]\])(?!\S)")
_CELL = re.compile(r"\S(?: ?\S)*")
#: A grid has at most this many rows.
_ROWS = 25

#: Where a label begins and ends in its line, and the vote it is for.
_Label = tuple[int, int, str]


def grids(doc: DocumentText, blank: _Stretches) -> Iterator[_Table]:
    """Read votes in columns below a line that ends with two or more labels."""
    for last in _LAST_LABEL.find(doc.lower):
        header = _HEADER.match(doc.lower, line_start(doc.lower, last.start()))
        if header is None or is_inside(blank, header.start("labels")):
            continue
        labels = [
            (word.start() - header.start(), word.end() - header.start(), ballot_kind(word[0]))
            for word in _VOTE_LABEL.finditer(doc.lower, *header.span("labels"))
        ]
        if len({kind for _, _, kind in labels}) < 2:
            continue
        cue = marked_rows(doc, header, labels) or name_columns(doc, header, labels)
        if cue is not None:
            yield [cue], [(cue.start, cue.end)]


def _lines(text: str, position: int) -> Iterator[tuple[int, str]]:
    """Yield the lines below a header, up to the second blank one in a row."""
    blank = 0
    for _ in range(_ROWS):
        end = text.find("\n", position)
        end = len(text) if end < 0 else end
        line = text[position:end]
        blank = 0 if line.strip() else blank + 1
        if blank > 1 or len(line) > 160:
            return
        if line.strip():
            yield position, line
        if end == len(text):
            return
        position = end + 1


def marked_rows(doc: DocumentText, header: re.Match[str], labels: list[_Label]) -> BallotCue | None:
    """Read rows of a name and one mark; the column whose label is nearest to the mark counts."""
    cue = BallotCue(header.start("labels"), header.end(), FIRM, vote_type="roll_call")
    columns = {(start + end) // 2: kind for start, end, kind in labels}
    head = doc.original[header.start() : header.end()]
    bars = "|" in head
    if bars:
        columns = {head.count("|", 0, start): kind for start, _, kind in labels}
    rows = 0
    for start, line in _lines(doc.text, header.end() + 1):
        row = doc.original[start : start + len(line)]
        marks = [mark.start() for mark in _MARK.finditer(row)]
        name = _whole_name(doc, line[: marks[0]].strip(" .,:-")) if len(marks) == 1 else None
        if not isinstance(name, Name):
            break
        place = row.count("|", 0, marks[0]) if bars else marks[0]
        _add(doc, cue, columns[min(columns, key=lambda column: abs(column - place))], name)
        cue.end = start + len(line)
        rows += 1
    return cue if rows > 1 else None


def name_columns(
    doc: DocumentText, header: re.Match[str], labels: list[_Label]
) -> BallotCue | None:
    """Read columns of names below their labels, where every cell is a name and nothing else."""
    printed = doc.text[header.start() : header.end()].strip()
    alone = len(printed) == len(header["labels"].strip())
    apart = printed.isupper() or re.search(r" {4,}", printed) is not None
    if not (alone and apart) and header["labels"].count(":") != len(labels):
        return None
    cue = BallotCue(header.start("labels"), header.end(), FIRM, vote_type="roll_call")
    columns = {start: kind for start, _, kind in labels}
    for start, line in _lines(doc.text, header.end() + 1):
        if _TITLES_ONLY.fullmatch(line):
            # ``Councillors:   Councillors:`` below the labels.
            continue
        cells = {cell.start(): _whole_name(doc, cell[0]) for cell in _CELL.finditer(line)}
        if None in cells.values() or len(cells) > len(columns):
            break
        for place, name in cells.items():
            kind = columns[min(columns, key=lambda column: abs(column - place))]
            if isinstance(name, Name):
                _add(doc, cue, kind, name)
            else:
                cue.ballots.setdefault(kind, [])
        cue.end = start + len(line)
    return cue if cue.ballots else None


_TITLES_ONLY = pattern(
    r"\s*(?:(?:councill?ors?|commissioners?|trustees?|directors?|members?|supervisors?|aldermen)"
    r" ?: *){1,6}",
    re.I,
)
_VOTING_COLUMNS = Phrase(
    "those voting",
    r"(?:those\s+)?voting\s+(?:aye|yes|yea|in\s+favou?r)\s+(?:those\s+)?voting\s+"
    r"(?:nay|no|against)\s*\n",
)
_NOBODY_LAST = re.compile(r"(?P<name>.{4,60}?)\s+(?:None|NONE|Nil)\s*$")


def voting_columns(doc: DocumentText, blank: _Stretches) -> Iterator[_Table]:
    """Read two columns that lost the space between them, if there is nobody in the second."""
    for header in _VOTING_COLUMNS.find(doc.lower):
        if is_inside(blank, header.start()):
            continue
        cue = BallotCue(header.start(), header.end(), FIRM, vote_type="roll_call")
        for row, (start, line) in enumerate(_lines(doc.text, header.end())):
            nobody = _NOBODY_LAST.match(line) if row == 0 else None
            if row == 0 and nobody is None:
                break
            name = _whole_name(doc, (nobody["name"] if nobody else line).strip())
            if not isinstance(name, Name) or not (name.titled or doc.roster.is_known(name.surname)):
                break
            _add(doc, cue, AYES, name)
            cue.ballots[NOES], cue.end = [], start + len(line)
        if cue.ballots.get(AYES):
            yield [cue], [(cue.start, cue.end)]


#: A table of votes whose cells lost what was between them: ``In FavourA. SmithAgainstB. Jones``.
_VOTERS = Phrase("voter", r"voter\s?types?\s?voter\s?names?\s?")
_SIDE = re.compile(
    r"In Favou?r|Against|Opposed|Abstain(?:ed)?|Absent|Conflict(?: of Interest)?|Recused"
)


def joined_cells(doc: DocumentText, blank: _Stretches) -> Iterator[_Table]:
    """Read sides and names in turn, each name up to the next side."""
    for header in _VOTERS.find(doc.lower):
        end = doc.text.find("\n\n", header.end())
        end = end if end >= 0 else len(doc.text)
        sides = list(_SIDE.finditer(doc.text, header.end(), end))
        if is_inside(blank, header.start()) or not sides or sides[0].start() > header.end():
            continue
        cue = BallotCue(header.start(), end, FIRM, vote_type="roll_call")
        for side, following in zip_longest(sides, sides[1:]):
            cell = doc.text[side.end() : following.start() if following else end].strip()
            name = _whole_name(doc, cell)
            if isinstance(name, Name):
                _add(doc, cue, ballot_kind(side[0].lower()), name)
            else:
                cue.incomplete |= {AYES, NOES}
        if cue.ballots:
            yield [cue], [(cue.start, cue.end)]


_LABELLED = pattern(rf"(?<![\w-])(?P<label>{_VOTE}) {{0,2}}: {{0,24}}(?P<first>\S(?: ?\S)*)")
_SIDE_BY_SIDE = Phrase(
    "aye yea yes favo", rf"{_VOTE} {{0,2}}: {{0,24}}\S[^:\n]*? {{3,}}{_VOTE} {{0,2}}:[^\n]*\n"
)
_INDENTED = re.compile(r" {3,}\S")
#: As far from the place of the label or of the first name are those below.
_BESIDE = 2


def side_by_side(doc: DocumentText, blank: _Stretches) -> Iterator[_Table]:
    """Read columns whose first names are in the line of the labels, the others below them."""
    for header in _SIDE_BY_SIDE.find(doc.lower):
        begin = line_start(doc.text, header.start())
        if is_inside(blank, header.start()):
            continue
        line = doc.text[begin : header.end() - 1]
        columns: dict[int, str] = {}
        cells: list[tuple[int, str]] = []
        #: Where names may be below a label: those who sign are elsewhere.
        places: set[int] = set()
        for label in _LABELLED.finditer(line.lower()):
            columns[label.start()] = ballot_kind(label["label"])
            first = line[label.start("first") : label.end()]
            cells.append((label.start("first"), first))
            if isinstance(_whole_name(doc, first), Name):
                places |= {label.start(), label.start("first")}
        end = header.end() - 1
        for start, below in _lines(doc.text, header.end()):
            row = [(cell.start(), cell[0]) for cell in _CELL.finditer(below)]
            is_apart = start > end + 1 or not _INDENTED.match(below)
            if is_apart or not all(
                isinstance(_whole_name(doc, cell), Name)
                and any(abs(place - each) <= _BESIDE for each in places)
                for place, cell in row
            ):
                break
            cells += row
            end = start + len(below)
        cue = BallotCue(header.start(), end, FIRM, vote_type="roll_call")
        for place, cell in cells:
            kind = columns[max((at for at in columns if at <= place), default=min(columns))]
            name = _whole_name(doc, cell)
            if isinstance(name, Name):
                _add(doc, cue, kind, name)
            elif name is not None:
                cue.ballots.setdefault(kind, [])
            else:
                break
        else:
            if end >= header.end():
                yield [cue], [(max(0, begin - 1), cue.end)]


#: Rows of boxes, one for each name above them: ``Aye [x][x][ ]``.
_BOXES = "\u2610\u2611\u2612\u2713\u2714\u25a1\u25a0"
_TICKED = frozenset("\u2611\u2612\u2713\u2714\u25a0")
_BOX_ROW = re.compile(rf"\b({_VOTE})\s{{1,20}}([{_BOXES}](?:\s?[{_BOXES}]){{1,24}})", re.IGNORECASE)


def boxes(doc: DocumentText, blank: _Stretches) -> Iterator[_Table]:
    """Read names in a row above rows of boxes, one of them ticked for each name."""
    if not any(box in doc.original for box in _BOXES):
        return
    rows: list[re.Match[str]] = []
    for row in _BOX_ROW.finditer(doc.original):
        if rows and (
            doc.original[rows[-1].end() : row.start()].strip()
            or ballot_kind(row[1].lower()) in {ballot_kind(each[1].lower()) for each in rows}
        ):
            yield from _ticked(doc, rows)
            rows = []
        rows.append(row)
    yield from _ticked(doc, rows)


def _ticked(doc: DocumentText, rows: list[re.Match[str]]) -> Iterator[_Table]:
    """Yield who ticked what, if every row has a box for each name, and each name one tick."""
    marks = ["".join(row[2].split()) for row in rows]
    if len(rows) < 2 or len({len(each) for each in marks}) != 1:
        return
    number = len(marks[0])
    start = max(0, rows[0].start() - 40 * number)
    words = list(re.finditer(r"[^\W\d_][\w'-]*", doc.text[start : rows[0].start()]))[-number:]
    names = [word[0] for word in words]
    if len(names) < number or not all(doc.roster.is_known(name) for name in names):
        return
    if any(sum(each[place] in _TICKED for each in marks) != 1 for place in range(number)):
        return
    cue = BallotCue(start + words[0].start(), rows[-1].end(), FIRM, vote_type="roll_call")
    for row, each in zip(rows, marks, strict=True):
        kind = ballot_kind(row[1].lower())
        cue.ballots[kind] = [
            name for name, mark in zip(names, each, strict=True) if mark in _TICKED
        ]
    yield [cue], [(cue.start, cue.end)]


def _whole_name(doc: DocumentText, cell: str) -> Name | str | None:
    """Return the name a cell consists of, or the cell if it says that there is none."""
    if cell.lower() in ("none", "nil", "0", "-", "n/a"):
        return cell
    cell = cell.rstrip(":")
    name = read_name(cell, 0, doc.roster.known, listed=True)
    return name if name is not None and name.start == 0 and name.end == len(cell) else None


def _add(doc: DocumentText, cue: BallotCue, kind: str, name: Name) -> None:
    surnames, flags = doc.roster.surnames([name])
    cue.ballots.setdefault(kind, []).extend(surnames)
    cue.flags |= flags
