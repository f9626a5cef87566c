"""What is asked of a compiled site: bodies, meetings, documents, pages and votes."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, date, datetime
from pathlib import Path

import pytest
from small_sites import SITE, compile_folder, vote, write_found, write_text

from clerk.core.errors import NotFound
from clerk.core.manifest import DocumentPart
from clerk.core.storage import Document
from clerk.site_db.queries import (
    BodySummary,
    DatedMeeting,
    LoneAgenda,
    SiteDatabase,
    YearCoverage,
    open_site,
    public_source,
)

JANUARY, MARCH = "minutes/Council/2024-01-15", "minutes/Council/2024-03-04"
AGENDA, PACKET = "agendas/Council/2024-01-15", "agendas/Council/2024-04-02"
PLANNING = "minutes/Planning/2023-05-01"
UNDATED = "agendas/Council/notice"


@pytest.fixture(scope="module")
def storage(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A town with minutes, agendas, a packet with earlier minutes in it, and a page unread."""
    storage = tmp_path_factory.mktemp("sites")
    folder = storage / "springfield"
    pages = ["The council met.", "A plow was bought."]
    minutes = write_text(folder, JANUARY, pages)
    write_found(
        *(folder, minutes, pages),
        [
            vote(1, motion="adopt the agenda", item="1", start=3),
            vote(
                2,
                motion="buy a plow",
                start=5,
                ayes=["Wu"],
                noes=["Lee", "Diaz"],
                result="failed",
                unanimous=False,
                flags=["amendment"],
            ),
        ],
    )
    write_text(
        folder, MARCH, ["Nothing was decided.", "Lost"], failed={2: "TimeoutError: too slow"}
    )
    write_text(folder, AGENDA, ["1. Agenda", "2. Plow"])
    write_text(folder, PACKET, ["1. Budget", "Minutes of March 18", "A letter from Shelbyville"])
    write_text(folder, PLANNING, ["The map was shown."])
    write_text(folder, UNDATED, ["The hall is closed."])
    compile_folder(
        folder,
        SITE,
        facts={
            PACKET: {
                "kind": "packet",
                "parts": (
                    DocumentPart(1, 1, "agenda", "Council", date(2024, 4, 2)),
                    DocumentPart(2, 2, "minutes", "Council", date(2024, 3, 18)),
                    DocumentPart(3, 3, "minutes", "Council", date(2024, 2, 1), of_other_place=True),
                ),
                "first_seen_at": datetime(2026, 11, 18, tzinfo=UTC),
            },
            UNDATED: {"kind": "notice", "title": "Closing of the hall"},
            PLANNING: {"source_url": "https://eve:secret@example.org/map.pdf?token=abc"},
        },
    )
    return storage


@pytest.fixture
def site(storage: Path) -> Iterator[SiteDatabase]:
    with open_site(storage, "springfield") as opened:
        yield opened


def test_a_site_without_a_database_is_not_found(storage: Path) -> None:
    with pytest.raises(NotFound, match="no site 'shelbyville'"), open_site(storage, "shelbyville"):
        pass


def test_a_body_counts_documents_pages_and_meetings_of_packets_too(site: SiteDatabase) -> None:
    assert site.bodies() == [
        # January 15, March 4, March 18 (in the packet) and April 2; the letter is another town's.
        BodySummary("Council", 5, 10, 4, "2024-01-15", "2024-04-02"),
        BodySummary("Planning", 1, 1, 1, "2023-05-01", "2023-05-01"),
    ]


def test_minutes_of_another_body_in_a_packet_are_pages_of_that_body(tmp_path: Path) -> None:
    folder = tmp_path / "springfield"
    write_text(folder, PACKET, ["1. Budget", "Minutes of the museum", "More of them"])
    parts = (
        DocumentPart(1, 1, "agenda", "Council", date(2024, 4, 2)),
        DocumentPart(2, 3, "minutes", "Museum Board", date(2024, 3, 18)),
    )
    compile_folder(folder, SITE, facts={PACKET: {"kind": "packet", "parts": parts}})

    with open_site(tmp_path, "springfield") as site:
        assert site.bodies() == [
            BodySummary("Council", 1, 3, 1, "2024-04-02", "2024-04-02"),
            BodySummary("Museum Board", 0, 2, 1, "2024-03-18", "2024-03-18"),
        ]


def test_coverage_tells_minutes_agendas_and_others_apart_by_year(site: SiteDatabase) -> None:
    assert site.coverage() == [
        YearCoverage("Council", None, 0, 0, 1),
        YearCoverage("Council", "2024", 2, 2, 0),
        YearCoverage("Planning", "2023", 1, 0, 0),
    ]


def test_an_agenda_without_minutes_is_listed_and_one_with_them_is_not(site: SiteDatabase) -> None:
    packet = site.document(Document.from_name(PACKET))

    assert site.without_minutes("2024-05-01") == [LoneAgenda("Council", "2024-04-02", packet.id)]


def test_an_agenda_of_a_meeting_to_come_lacks_no_minutes(site: SiteDatabase) -> None:
    assert site.without_minutes("2024-04-02") == []


def test_documents_with_unread_pages_say_why(site: SiteDatabase) -> None:
    [found] = site.with_unread_pages()

    assert found.name == MARCH
    assert list(found.failed_pages) == ["2"]
    assert "too slow" in found.failed_pages["2"]


def test_meetings_are_listed_with_minutes_that_a_later_packet_holds(site: SiteDatabase) -> None:
    meetings = site.meetings("Council")

    assert [each.date for each in meetings] == [
        *("2024-04-02", "2024-03-18", "2024-03-04", "2024-01-15"),
        None,
    ]
    by_date = {each.date: each for each in meetings}
    [held] = by_date["2024-03-18"].parts
    assert (held.document.name, held.part.first_page, held.part.kind) == (PACKET, 2, "minutes")
    assert by_date["2024-03-18"].documents == []
    january = by_date["2024-01-15"]
    assert [each.name for each in january.of_kinds("minutes")] == [JANUARY]
    assert (january.votes, january.others) == (2, [])
    assert [each.label for each in by_date[None].others] == ["Council notice"]


def test_the_meetings_of_a_year_leave_out_undated_ones(site: SiteDatabase) -> None:
    assert [each.date for each in site.meetings("Planning", "2023")] == ["2023-05-01"]
    assert site.meetings("Planning", "2024") == []
    assert None not in [each.date for each in site.meetings("Council", "2024")]


def test_a_month_shows_what_is_held_of_each_meeting(site: SiteDatabase) -> None:
    assert site.month("2024-01") == [DatedMeeting("2024-01-15", "Council", True, True, True)]
    assert site.month("2024-03") == [
        DatedMeeting("2024-03-04", "Council", False, True, False),
        DatedMeeting("2024-03-18", "Council", False, True, False),
    ]
    assert site.month("2024-02") == [], "the other town's meeting is not ours"


@pytest.mark.parametrize(
    ("month", "around"),
    [
        ("2024-02", ("2024-01", "2024-03")),
        ("2023-05", (None, "2024-01")),
        ("2024-04", ("2024-03", None)),
        ("2030-01", ("2024-04", None)),
    ],
)
def test_one_can_go_from_month_to_month(
    site: SiteDatabase, month: str, around: tuple[str | None, str | None]
) -> None:
    assert site.months_around(month) == around


def test_years_and_neighbours_are_those_of_the_body(site: SiteDatabase) -> None:
    assert (site.years("Council"), site.years("Planning"), site.years(None)) == (
        ["2024"],
        ["2023"],
        [],
    )
    assert site.neighbours("Council", "2024-03-04") == ("2024-01-15", "2024-03-18")
    assert site.neighbours("Planning", "2023-05-01") == (None, None)


def test_documents_are_filtered_by_body_kind_and_year_and_paged(site: SiteDatabase) -> None:
    everything = [each.name for each in site.documents()]

    assert everything == [PACKET, MARCH, AGENDA, JANUARY, PLANNING, UNDATED]
    assert [each.name for each in site.documents(limit=2, offset=1)] == everything[1:3]
    assert [each.name for each in site.documents(body="Planning")] == [PLANNING]
    assert [each.name for each in site.documents(kind="packet")] == [PACKET]
    assert [each.name for each in site.documents(kind="minutes", year="2024")] == [MARCH, JANUARY]
    assert site.documents(kind="unknown") == []


def test_the_newest_documents_are_those_that_were_seen_last(site: SiteDatabase) -> None:
    assert [each.name for each in site.newest(limit=2)] == [PACKET, AGENDA]
    assert [each.name for each in site.newest(body="Planning")] == [PLANNING]
    seen = site.first_seen()
    assert set(seen) == {JANUARY, MARCH, AGENDA, PACKET, PLANNING, UNDATED}
    assert seen[PACKET] > seen[JANUARY]


def test_minutes_and_agenda_in_one_folder_are_found_by_it(site: SiteDatabase) -> None:
    found = site.documents_filed_under("Council", "2024-01-15")

    assert [each.name for each in found] == [JANUARY, AGENDA]
    assert site.documents_filed_under("Council", "1999-01-01") == []


def test_a_document_that_is_not_there_is_named(site: SiteDatabase) -> None:
    with pytest.raises(NotFound, match=r"no document 'minutes/Council/1999-01-01' in springfield"):
        site.document(Document.from_name("minutes/Council/1999-01-01"))


def test_pages_have_the_kind_and_date_of_their_part(site: SiteDatabase) -> None:
    packet = Document.from_name(PACKET)

    pages = site.pages(packet)

    assert [(each.page, each.kind, each.date) for each in pages] == [
        (1, "agenda", "2024-04-02"),
        (2, "minutes", "2024-03-18"),
        (3, "minutes", "2024-02-01"),
    ]
    assert [each.page for each in site.pages(packet, first=2, limit=1)] == [2]
    assert list(site.page_ids(packet)) == [1, 2, 3]
    assert site.page(packet, 2).id == site.page_ids(packet)[2]
    assert [each.of_other_place for each in site.parts(packet)] == [False, False, True]
    assert site.parts(Document.from_name(JANUARY)) == []


@pytest.mark.parametrize("number", [2, 3])
def test_a_page_that_was_not_read_or_does_not_exist_is_not_found(
    site: SiteDatabase, number: int
) -> None:
    with pytest.raises(NotFound, match=f"has no page {number} that could be read"):
        site.page(Document.from_name(MARCH), number)


def test_totals_count_every_table(site: SiteDatabase) -> None:
    totals = site.totals()

    assert (totals["documents"], totals["pages"], totals["votes"]) == (6, 10, 2)
    assert totals["minutes"] + totals["agendas"] + totals["others"] == totals["pages"]


def test_votes_come_with_ballots_and_parsed_columns(site: SiteDatabase) -> None:
    adopted, plow = site.votes()

    assert (adopted.motion, adopted.item, adopted.page) == ("adopt the agenda", "1", 1)
    assert dict(plow.ballots) == {"aye": ["Wu"], "no": ["Diaz", "Lee"]}
    assert (plow.flags, plow.unanimous, plow.tally) == (
        ["amendment"],
        False,
        {"yes": 2, "no": 1},
    )
    assert plow.document_id == site.document(Document.from_name(JANUARY)).id
    assert plow.people["Lee"] == "Council/lee"


@pytest.mark.parametrize(
    ("filters", "motions"),
    [
        ({"body": "Council"}, ["adopt the agenda", "buy a plow"]),
        ({"body": "Planning"}, []),
        ({"result": "failed"}, ["buy a plow"]),
        ({"year": "2024", "date": "2024-01-15"}, ["adopt the agenda", "buy a plow"]),
        ({"year": "2023"}, []),
        ({"document": MARCH}, []),
        ({"member": "Diaz"}, ["adopt the agenda", "buy a plow"]),
        ({"member": "Nobody"}, []),
        ({"person": "Council/wu"}, ["adopt the agenda", "buy a plow"]),
        # Diaz was against what passed; Wu was for what failed.
        ({"dissent_of": "Council/diaz"}, ["adopt the agenda"]),
        ({"dissent_of": "Council/wu"}, ["buy a plow"]),
        ({"dissent_of": "Council/lee"}, []),
        ({"body": "", "result": ""}, ["adopt the agenda", "buy a plow"]),
    ],
    ids=str,
)
def test_votes_are_filtered_and_counted_alike(
    site: SiteDatabase, filters: dict[str, str], motions: list[str]
) -> None:
    assert [each.motion for each in site.votes(**filters)] == motions
    assert site.count_votes(**filters) == len(motions)


def test_votes_are_paged(site: SiteDatabase) -> None:
    assert [each.motion for each in site.votes(limit=1)] == ["adopt the agenda"]
    assert [each.motion for each in site.votes(limit=1, offset=1)] == ["buy a plow"]


def test_the_choices_of_votes_are_the_values_they_have(site: SiteDatabase) -> None:
    assert site.vote_choices() == {
        "body": ["Council"],
        "year": ["2024"],
        "result": ["failed", "passed"],
    }


def test_a_member_is_counted_by_ballot(site: SiteDatabase) -> None:
    assert [(each.member, each.votes, each.aye, each.no) for each in site.people()] == [
        ("Diaz", 2, 0, 2),
        ("Lee", 2, 1, 1),
        ("Wu", 2, 2, 0),
    ]
    assert site.person("Wu").bodies == ["Council"]
    with pytest.raises(NotFound, match="Nobody named 'Zed' is known to have voted in Springfield"):
        site.person("Zed")


def test_the_source_of_a_document_is_shown_without_its_secrets(site: SiteDatabase) -> None:
    source = site.document(Document.from_name(PLANNING)).source

    assert source.label == "example.org"
    assert source.url is not None
    assert "secret" not in source.url and "abc" not in source.url


@pytest.mark.parametrize(
    ("url", "link", "label"),
    [
        ("https://example.org/a.pdf", "https://example.org/a.pdf", "example.org"),
        ("minutes/a.pdf", None, "minutes/a.pdf"),
        (None, None, ""),
    ],
)
def test_only_web_addresses_are_links(url: str | None, link: str | None, label: str) -> None:
    source = public_source(url)

    assert (source.url, source.label) == (link, label)
