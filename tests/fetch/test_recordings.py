"""Each platform's fetcher on real recorded answers, where they are at hand."""

from __future__ import annotations

import json
from datetime import UTC, datetime

import httpx
import pytest
import stamina
from shared_data import SHARED_DATA

from clerk.core.config import Settings
from clerk.fetch.http.client import Client
from clerk.fetch.store import fetch_site

DATA = SHARED_DATA / "recordings"
pytestmark = pytest.mark.skipif(
    not DATA.is_dir(),
    reason="there is no folder with recordings",
)

#: folder of the recording -> (fetcher, piece of the listing's URL, least number of documents)
LISTINGS = {
    "civicclerk": ("civicclerk", "/v1/Events", 1),
    "granicus": ("granicus", "ViewPublisher", 96),
    "iqm2": ("iqm2", "Calendar.aspx", 50),
    "legistar_html": ("legistar", ".aspx", 6),
    "municode": ("municode", "PublishPage", 15),
    "novusagenda": ("novusagenda", "meetingsgeneral", 6),
    "plain_index": ("plain", "documents/agenda", 20),
    "primegov": ("primegov", "ListArchived", 20),
}


def recordings(folder: str) -> list[dict[str, str]]:
    if not (DATA / folder / "manifest.json").is_file():
        return []
    entries: list[dict[str, str]] = json.loads((DATA / folder / "manifest.json").read_text())
    return [each for each in entries if LISTINGS[folder][1] in each["url"]]


class StillClock:
    now = 1_700_000_000.0

    def time(self) -> float:
        return self.now

    def monotonic(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.now += seconds


@pytest.mark.parametrize(
    ("folder", "recording"),
    [
        pytest.param(folder, each, id=f"{folder}-{each['name']}")
        for folder in LISTINGS
        for each in recordings(folder)
        if each["role"] in ("list", "api-json") and "..." not in each["url"]
    ],
)
def test_a_recorded_listing_yields_its_documents(tmp_path, folder, recording):
    fetcher, piece, least = LISTINGS[folder]
    content = (DATA / folder / recording["name"]).read_bytes()

    def answer(request: httpx.Request) -> httpx.Response:
        if request.url.path == "/robots.txt":
            return httpx.Response(404)
        if piece in str(request.url):
            return httpx.Response(200, content=content)
        if "ListUpcoming" in str(request.url):
            return httpx.Response(200, json=[])
        return httpx.Response(200, content=b"%PDF-1.4 " + str(request.url).encode())

    site = {
        "subdomain": "town",
        "scraper": fetcher,
        "start_year": 2026,
        "extra": json.dumps({"source": recording["url"].replace(".api.", ".portal.")}),
    }
    client = Client(tmp_path, transport=httpx.MockTransport(answer), clock=StillClock())
    with stamina.set_testing(True):
        report = fetch_site(
            site,
            tmp_path / "town",
            Settings(storage_dir=tmp_path),
            client=client,
            now=datetime(2026, 6, 1, tzinfo=UTC),
        )

    assert report.complete and not report.errors
    assert report.documents >= least
