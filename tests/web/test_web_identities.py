"""What documents are, on the public pages: parts of packets, what is not known, other formats."""

from __future__ import annotations

from datetime import date
from pathlib import Path

from small_sites import compile_folder, vote, write_found, write_text
from web_town import SITE, Browser, identity

from clerk.core.manifest import DocumentPart

PACKET = "agendas/Council/2026-02-03"
UNKNOWN = "minutes/Meetings/scan-2-2"
PAGE = "minutes/Council/2024-01-15.html"
FACTS = {
    PACKET: {
        "kind": "packet",
        "body": "Council",
        "date": date(2026, 2, 3),
        "parts": (
            DocumentPart(1, 1, "agenda", "Council", date(2026, 2, 3)),
            DocumentPart(2, 2, "minutes", "Library Committee", date(2026, 1, 20)),
            DocumentPart(3, 3, "minutes", "Otherton", date(2026, 1, 9), of_other_place=True),
            DocumentPart(4, 4, "other", title="Gravel prices", of_other_place=None),
        ),
    },
    UNKNOWN: {
        "kind": None,
        "body": None,
        "title": "Cheques <b>",
        "file_name": "scan-2-2.pdf",
        "evidence": {
            "title": {"value": "Cheques <b>", "source": "page", "page": 1, "confidence": 0.6},
            "others": [
                {"field": "title", "fact": {"value": "Cheques <b>", "source": "portal"}},
                {"field": "date", "fact": {"value": "2024-02-02", "source": "file_name"}},
            ],
        },
    },
}


def write_packet(town: Path) -> None:
    folder = town / SITE["subdomain"]
    pages = [
        "Agenda of the council",
        "Minutes of the committee",
        "Minutes of Otherton",
        "Gravel prices",
    ]
    packet = write_text(folder, PACKET, pages)
    starts = [0, len(pages[0]) + 1, len(pages[0]) + len(pages[1]) + 2]
    votes = [vote(number + 1, start=start) for number, start in enumerate(starts)]
    write_found(folder, packet, pages, votes)
    write_text(folder, UNKNOWN, ["Cheques"])
    page = write_text(folder, PAGE, ["Minutes of a web page"])
    page.pdf(folder).parent.mkdir(parents=True, exist_ok=True)
    page.pdf(folder).write_text("<script>alert(1)</script>Minutes of a web page")
    compile_folder(folder, SITE, facts=FACTS)


def test_a_page_of_a_packet_says_which_part_it_is_of(visitor: Browser, town: Path) -> None:
    write_packet(town)

    page = visitor.get(f"/p/{identity(PACKET)}-2").text
    assert "Library Committee minutes of 20 January 2026, in the packet of 3 February 2026" in page
    assert "written by somebody other" in visitor.get(f"/p/{identity(PACKET)}-3").text
    assert "unknown who wrote this part" in visitor.get(f"/p/{identity(PACKET)}-4").text
    document = visitor.get(f"/d/{identity(PACKET)}").text
    assert "of another place" in document
    assert "place not known" in document

    parts = visitor.get(f"/api/v1/documents/{identity(PACKET)}").json()["parts"]
    assert [part["of_other_place"] for part in parts] == [False, False, True, None]
    assert [(part["first_page"], part["kind"], part["body"]) for part in parts] == [
        (1, "agenda", "Council"),
        (2, "minutes", "Library Committee"),
        (3, "minutes", "Otherton"),
        (4, "other", None),
    ]

    # The committee has a page of its own, and its meeting the only vote that counts.
    assert "Library Committee" in visitor.get("/s/springfield/").text
    meeting = visitor.get("/s/springfield/Library%20Committee/2026-01-20/").text
    assert "packet of 3 February 2026" in meeting and 'class="vote' in meeting
    shown = visitor.get(f"/votes?site=springfield&document={PACKET}").text
    assert shown.count('<article class="vote') == 1 and "Otherton" not in shown


def test_what_is_not_known_is_said_and_comes_last(visitor: Browser, town: Path) -> None:
    write_packet(town)

    place = visitor.get("/s/springfield/").text
    bodies = place.partition("<h2>Bodies</h2>")[2]
    assert bodies.index("Body not known") > bodies.index("Library Board")
    assert "Cheques &lt;b&gt;" in visitor.get("/s/springfield/-/").text
    document = visitor.get(f"/d/{identity(UNKNOWN)}").text
    assert "no date known" in document and "not known" in document
    assert "but from the file&#39;s name: 2024-02-02" in " ".join(document.split())
    assert "also as listed by its source: Cheques &lt;b&gt;" in " ".join(document.split())
    # A link to where it is filed leads to it.
    moved = visitor.get("/s/springfield/Meetings/scan-2-2/")
    assert moved.status_code == 308 and moved.headers["location"] == f"/d/{identity(UNKNOWN)}"


def test_a_web_page_is_shown_as_text_and_never_as_a_page(visitor: Browser, town: Path) -> None:
    write_packet(town)
    number = identity(PAGE)

    shown = visitor.get(f"/p/{number}-1").text
    assert "Minutes of a web page" in shown and "<img" not in shown
    assert "alert(1)" not in shown
    original = visitor.get(f"/d/{number}/original")
    assert original.headers["content-type"] == "application/octet-stream"
    assert original.headers["content-disposition"].startswith("attachment")
    assert "sandbox" in original.headers["content-security-policy"]
    assert visitor.get(f"/p/{number}-1/image.webp").status_code == 404


def test_a_hit_says_which_part_of_a_packet_it_is_of_and_names_the_file(
    visitor: Browser, town: Path
) -> None:
    write_packet(town)

    (hit,) = visitor.get("/search.json?q=%22of+the+committee%22").json()["hits"]
    assert (hit["kind"], hit["body"], hit["date"]) == ("minutes", "Library Committee", "2026-01-20")
    assert (hit["in"], hit["file"]) == ("packet of 3 February 2026", PACKET)
    words = "Library Committee minutes of 20 January 2026, in the packet of 3 February 2026"
    assert words in visitor.get("/search?q=%22of+the+committee%22").text
    assert words in visitor.get("/search.atom?q=%22of+the+committee%22").text
    (unknown,) = visitor.get("/search.json?q=cheques").json()["hits"]
    assert (unknown["kind"], unknown["date"]) == ("unknown", None)
