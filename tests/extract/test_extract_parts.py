"""A packet is extracted part by part: votes are those of its minutes, where they are printed."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from pathlib import Path

import msgspec
from small_sites import ask, compile_folder, rows_of_folder, write_found, write_text

from clerk.core.manifest import DocumentPart
from clerk.extract.documents import extract_parts

PACKET = "agendas/Council/2031-06-01"
VOTE = """1. {what}
Trustee Moss moved to approve {what}. Trustee Nye seconded.
AYES: Moss, Nye
NOES: None
Motion carried.
"""
HEAD = "{who} - {day}\nPresent: Moss, Nye\n"
PAGES = [
    "AGENDA of the Council - June 1, 2031\n1. Roll call\n",
    f"{HEAD.format(who='MINUTES of Council', day='May 4, 2031')}{VOTE.format(what='the lease')}",
    f"{VOTE.format(what='the loan')}\n"
    f"{HEAD.format(who='MINUTES of the Park Board', day='May 9, 2031')}{VOTE.format(what='trees')}"
    f"{HEAD.format(who='MINUTES of the Park Board', day='May 8, 2031')}{VOTE.format(what='mud')}",
    f"{HEAD.format(who='MINUTES of Otherton', day='May 7, 2031')}{VOTE.format(what='a bridge')}",
    f"RESOLUTION (draft)\n{VOTE.format(what='nothing yet')}",
    f"MINUTES of nobody knows whom\n{VOTE.format(what='something')}",
]
PARTS = (
    DocumentPart(1, 1, "agenda", "Council", date(2031, 6, 1)),
    DocumentPart(2, 3, "minutes", "Council", date(2031, 5, 4)),
    DocumentPart(
        *(3, 3, "minutes", "Park Board", date(2031, 5, 9)),
        first_character=PAGES[2].index("MINUTES of the Park Board"),
    ),
    DocumentPart(
        *(3, 3, "minutes", "Park Board", date(2031, 5, 8)),
        first_character=PAGES[2].rindex("MINUTES of the Park Board"),
    ),
    DocumentPart(4, 4, "minutes", "Council of Otherton", date(2031, 5, 7), of_other_place=True),
    DocumentPart(5, 5, "resolution", "Council", date(2031, 6, 1)),
    DocumentPart(6, 6, "minutes", None, date(2031, 5, 6), of_other_place=None),
)


def test_votes_belong_to_the_minutes_they_are_printed_in(tmp_path: Path) -> None:
    folder = tmp_path / "alderbury"
    document = write_text(folder, PACKET, PAGES)
    facts = {"kind": "packet", "parts": PARTS}
    (row,) = rows_of_folder(folder, **{PACKET: facts})

    found = extract_parts(dict(enumerate(PAGES, 1)), row)
    write_found(folder, document, PAGES, [msgspec.to_builtins(vote) for vote in found.votes])
    path = compile_folder(folder, facts={PACKET: facts}).path

    query = "SELECT meeting, date, page, motion FROM votes ORDER BY start"
    assert ask(path, query) == [
        ("Council", "2031-05-04", 2, "approve the lease"),
        ("Council", "2031-05-04", 3, "approve the loan"),
        ("Park Board", "2031-05-09", 3, "approve trees"),
        ("Park Board", "2031-05-08", 3, "approve mud"),
    ]
    whole = "\f".join(PAGES)
    assert [whole[each.start : each.end] for each in found.votes] == [
        each.quote for each in found.votes
    ]
    pages = ask(path, "SELECT page, kind, meeting, date, part FROM pages ORDER BY page")
    assert pages[1] == (2, "minutes", "Council", "2031-05-04", 2)
    assert pages[4] == (5, "resolution", "Council", "2031-06-01", 5)
    assert ask(path, "SELECT count(*) FROM agendas") == [(6,)]


def test_only_minutes_have_votes(tmp_path: Path) -> None:
    folder = tmp_path / "alderbury"
    write_text(folder, PACKET, PAGES)
    (row,) = rows_of_folder(folder)
    pages = dict(enumerate(PAGES, 1))
    for kind in ("agenda", "packet", "notice", "resolution", "report", "other", None):
        assert not extract_parts(pages, replace(row, kind=kind)).votes
    assert extract_parts(pages, replace(row, kind="minutes")).votes


def test_a_numbered_list_in_a_paper_that_is_no_agenda_is_no_agenda(tmp_path: Path) -> None:
    folder = tmp_path / "alderbury"
    pages = ["NOTES\n1. Significant policies\n2. Municipal debt\n3. Commitments\n"]
    write_text(folder, PACKET, pages)
    (row,) = rows_of_folder(folder)
    for kind in ("resolution", "report", "other", None):
        whole = replace(row, kind=kind)
        part = DocumentPart(1, 1, kind, "Council", date(2031, 6, 1))
        in_packet = replace(row, kind="packet", parts=(part,))
        assert not extract_parts({1: pages[0]}, whole).items
        assert not extract_parts({1: pages[0]}, in_packet).items
    for kind in ("minutes", "agenda", "notice"):
        assert len(extract_parts({1: pages[0]}, replace(row, kind=kind)).items) == 3


def test_pages_that_could_not_be_read_are_counted(tmp_path: Path) -> None:
    folder = tmp_path / "alderbury"
    write_text(folder, PACKET, PAGES)
    (row,) = rows_of_folder(folder)
    found = extract_parts({1: PAGES[0], 4: PAGES[1]}, replace(row, kind="minutes"))
    assert [each.page for each in found.votes] == [4]
