"""The viewer of a document, its frame for other sites, and its downloads."""

from __future__ import annotations

import re
from pathlib import Path
from urllib.parse import quote

import pypdfium2
import pytest
from web_town import HOSTILE, LINES, MINUTES, Browser, identity

MINUTES_ID = identity(MINUTES)
LIBRARY_ID = identity("minutes/Library Board/2023-05-02")


def test_the_words_of_a_page_lie_over_the_scan_to_be_selected(visitor: Browser) -> None:
    html = visitor.get(f"/p/{MINUTES_ID}-1").text

    shown = re.findall(r"<tspan [^>]*>([^<]*)</tspan>", html)
    assert "".join(shown).split() == " ".join(LINES).split()
    assert "of 3" in html and f'rel="next" href="/p/{MINUTES_ID}-2"' in html


def test_a_passage_is_marked_in_the_text_and_on_the_scan(visitor: Browser) -> None:
    found = visitor.get(f"/p/{MINUTES_ID}-1", params={"passage": "discussed the zoning"}).text
    lost = visitor.get(f"/p/{MINUTES_ID}-1", params={"passage": "never said"}).text
    hostile = visitor.get(f"/p/{MINUTES_ID}-2", params={"passage": HOSTILE}).text

    assert '<mark id="passage" class="passage">discussed the zoning</mark>' in found
    assert found.count('<rect class="passage"') >= 1
    assert "The passage was not found" in lost and 'id="passage"' not in lost
    assert "<script>alert" not in hostile


def test_a_vote_links_to_the_words_it_was_read_from(visitor: Browser) -> None:
    html = visitor.get("/votes?site=springfield").text
    [link] = re.findall(r'href="(/p/[^"]*passage=[^"]*)"', html)

    assert link.startswith(f"/p/{MINUTES_ID}-1?passage=moved") and link.endswith("#passage")


def test_a_page_is_reached_by_its_number_and_unreadable_ones_are_shown(visitor: Browser) -> None:
    answer = visitor.get(f"/d/{MINUTES_ID}/page?page=2&q=zoning")
    assert answer.headers["location"] == f"/p/{MINUTES_ID}-2?q=zoning"

    lost = visitor.get(f"/p/{LIBRARY_ID}-2")
    assert lost.status_code == 200 and "This page could not be read" in lost.text
    assert visitor.get(f"/p/{LIBRARY_ID}-3").status_code == 404


def test_only_the_frame_may_be_shown_by_other_sites(visitor: Browser) -> None:
    frame = visitor.get(f"/embed/{MINUTES_ID}-1?q=zoning")

    assert "frame-ancestors *" in frame.headers["content-security-policy"]
    assert "default-src 'none'" in frame.headers["content-security-policy"]
    assert "x-frame-options" not in frame.headers
    assert '<rect class="hit"' in frame.text and "<script" not in frame.text
    page = visitor.get(f"/p/{MINUTES_ID}-1")
    assert "frame-ancestors 'none'" in page.headers["content-security-policy"]
    assert page.headers["x-frame-options"] == "DENY"


def test_another_site_is_told_how_to_embed_a_page(
    town: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    base = "https://minutes.example.org"
    monkeypatch.setenv("PUBLIC_URL", base)
    visitor = Browser()
    page = f"{base}/p/{MINUTES_ID}-2"
    told = visitor.get("/oembed", params={"url": f"{page}?q=x", "maxwidth": 300}).json()

    assert told["type"] == "rich" and told["version"] == "1.0"
    assert (told["width"], told["height"]) == (300, 560)
    assert f'src="{base}/embed/{MINUTES_ID}-2" width="300"' in told["html"]
    assert told["title"] == "City Council minutes, 15 January 2024, Springfield"
    of_document = visitor.get("/oembed", params={"url": f"{base}/d/{MINUTES_ID}"}).json()
    assert f"/embed/{MINUTES_ID}-1" in of_document["html"]
    discovery = f"{base}/oembed?url={quote(page, safe='')}"
    assert discovery in visitor.get(f"/p/{MINUTES_ID}-2").text
    for wrong in ("", base, f"{base}/votes", page.replace("minutes.", "other."), f"{base}/p/x-1"):
        assert visitor.get("/oembed", params={"url": wrong}).status_code == 404
    assert visitor.get("/oembed", params={"url": page, "format": "xml"}).status_code == 501


@pytest.mark.parametrize(
    ("address", "texts"),
    [
        (f"/p/{MINUTES_ID}-2/page.pdf", ["Letters"]),
        (f"/d/{MINUTES_ID}/pages.pdf?from=2&to=3", ["Letters", "zoning"]),
    ],
)
def test_pages_are_downloaded_as_a_pdf(visitor: Browser, address: str, texts: list[str]) -> None:
    answer = visitor.get(address)

    assert answer.headers["content-disposition"].startswith('attachment; filename="springfield-')
    assert answer.headers["content-security-policy"].startswith("sandbox")
    pdf = pypdfium2.PdfDocument(answer.content)
    read = [page.get_textpage().get_text_bounded() for page in pdf]
    pdf.close()
    assert len(read) == len(texts)
    assert all(text in page for text, page in zip(texts, read, strict=True))


@pytest.mark.parametrize(
    ("address", "status"),
    [
        (f"/d/{MINUTES_ID}/pages.pdf?from=3&to=2", 400),
        (f"/d/{MINUTES_ID}/pages.pdf?from=1&to=501", 400),
        (f"/d/{MINUTES_ID}/pages.pdf?from=4", 400),
        (f"/p/{MINUTES_ID}-4/page.pdf", 400),
        (f"/p/{LIBRARY_ID}-1/page.pdf", 404),
        (f"/d/{MINUTES_ID}/page?page=x", 400),
        (f"/p/{MINUTES_ID}-1?zoom=9999", 400),
    ],
)
def test_what_cannot_be_downloaded_is_refused(visitor: Browser, address: str, status: int) -> None:
    assert visitor.get(address).status_code == status
