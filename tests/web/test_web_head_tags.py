"""What pages say to search engines, reference managers and link previews."""

from __future__ import annotations

import json
import re
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from small_sites import compile_folder, write_found, write_text
from web_town import HOSTILE, MINUTES, SITE, Browser

from clerk.core.storage import Document
from clerk.site_db.rows import document_id

BASE = "https://minutes.example.org"
IDENTITY = document_id("springfield", Document.from_name(MINUTES))
MEETING = "/s/springfield/City%20Council/2024-01-15/"
PAGES = {
    "/": "WebSite",
    "/s/springfield/": "GovernmentOrganization",
    "/s/springfield/City%20Council/": "GovernmentOrganization",
    MEETING: "Event",
    f"/d/{IDENTITY}": "DigitalDocument",
    f"/p/{IDENTITY}-2": "DigitalDocument",
    "/matters/springfield/ordinance%202024-5": "Legislation",
}


def head_of(page: str) -> dict[str, list[str]]:
    """Return the meta elements and the canonical link of a page, by name."""
    found: dict[str, list[str]] = {}
    pattern = r'<(?:meta (?:name|property)|link rel)="([^"]+)" (?:content|href)="([^"]*)"'
    for name, value in re.findall(pattern, page):
        found.setdefault(name, []).append(unescape(value))
    return found


def data_of(page: str) -> list[dict[str, Any]]:
    blocks = re.findall(r'<script type="application/ld\+json">(.*?)</script>', page)
    return [dict(json.loads(block)) for block in blocks]


@pytest.fixture
def at_its_address(monkeypatch: pytest.MonkeyPatch, town: Path) -> Browser:
    monkeypatch.setenv("PUBLIC_URL", BASE)
    return Browser()


@pytest.mark.parametrize("path", PAGES)
def test_a_page_says_what_it_is_and_where(path: str, at_its_address: Browser) -> None:
    page = at_its_address.get(f"{path}?lang=es").text

    head, data = head_of(page), data_of(page)
    assert head["canonical"] == head["og:url"] == [f"{BASE}{path}"]
    for name in ("description", "og:title", "og:description", "og:type", "og:site_name"):
        assert len(head[name]) == 1 and head[name][0]
    assert data[0]["@type"] == PAGES[path]
    assert data[0]["url"] == f"{BASE}{path}"
    assert all(each["@context"] == "https://schema.org" for each in data)
    if path not in ("/", "/s/springfield/"):
        (trail,) = [each for each in data if each["@type"] == "BreadcrumbList"]
        assert trail["itemListElement"][0]["item"] == f"{BASE}/s/springfield/"
        assert trail["itemListElement"][-1]["item"] == f"{BASE}{path}"


def test_a_person_is_described(at_its_address: Browser) -> None:
    listed = at_its_address.get("/people/springfield").text
    path = re.search(r'href="(/people/springfield/[^"]*lee[^"]*)"', listed, re.IGNORECASE)
    assert path
    data = data_of(at_its_address.get(path[1]).text)[0]
    assert data["@type"] == "Person" and data["name"] == "Ann Lee"
    assert data["memberOf"]["name"] == "City Council"


def test_reference_managers_can_cite_a_document_and_a_page(at_its_address: Browser) -> None:
    document = head_of(at_its_address.get(f"/d/{IDENTITY}").text)
    assert (
        document["citation_title"] == document["DC.title"] == ["City Council minutes, 2024-01-15"]
    )
    assert document["citation_publication_date"] == ["2024/01/15"]
    assert document["citation_author"] == document["DC.creator"] == ["City Council"]
    assert document["DC.date"] == ["2024-01-15"] and document["DC.language"] == ["en"]

    page = head_of(at_its_address.get(f"/p/{IDENTITY}-2").text)
    assert page["citation_title"] == ["City Council minutes, 2024-01-15, p. 2"]
    assert page["citation_firstpage"] == ["2"]


def test_without_an_address_none_is_claimed(visitor: Browser) -> None:
    for path in PAGES:
        page = visitor.get(path).text
        assert not {"canonical", "og:url", "DC.identifier"} & head_of(page).keys()
        assert head_of(page)["description"]
        assert "url" not in data_of(page)[0]


def test_hostile_titles_end_no_script_and_ten_thousand_items_are_shown_in_pages(
    at_its_address: Browser, town: Path
) -> None:
    item = {"page": 1, "start": 0, "end": 3, "quote": "q"}
    items = [item | {"number": str(n), "title": f"{n} {HOSTILE}"} for n in range(10_000)]
    folder, pages = town / "springfield", [f"</script>{HOSTILE}"]
    write_found(folder, write_text(folder, MINUTES, pages), pages, [], items=items)
    compile_folder(folder, SITE, into_index=False)

    for path in (MEETING, f"/d/{IDENTITY}", f"/p/{IDENTITY}-1"):
        page = at_its_address.get(path).text
        assert "<script>alert" not in page and "<img src=x" not in page
        assert data_of(page)[0]["url"] == f"{BASE}{path}"
    shown = at_its_address.get(MEETING).text
    assert len(shown) < 500_000
    assert len(head_of(shown)["description"][0]) <= 300
    assert 'rel="next"' in shown
