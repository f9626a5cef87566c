"""Which fetcher a site gets: by its label, by a hook of the older kind, or by looking at a URL."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from folder_town import fetch_town

import clerk
from clerk.core.config import Settings
from clerk.core.errors import BadSetting, SourceUnavailable, UnknownPlugin
from clerk.fetch import DocumentRef, Fetcher, FetcherSpec, MeetingRef
from clerk.fetch.discover import detect, find_fetcher, registered

PDF = b"%PDF-1.4 x"


@pytest.mark.parametrize(
    ("url", "fetcher"),
    [
        ("https://webapi.legistar.com/v1/town", "legistar_api"),
        ("https://town.legistar.com/Calendar.aspx", "legistar"),
        ("https://town.granicus.com/ViewPublisher.php?view_id=2", "granicus"),
        ("https://video.town.gov/ViewPublisher.php?view_id=2", "granicus"),
        ("https://town.primegov.com/public/portal", "primegov"),
        ("https://town.portal.civicclerk.com/", "civicclerk"),
        ("https://pub-town.escribemeetings.com", "escribe"),
        ("https://town.novusagenda.com/agendapublic", "novusagenda"),
        ("https://town.iqm2.com/Citizens/", "iqm2"),
        ("https://go.boarddocs.com/st/town/Board.nsf/Public", "boarddocs"),
        ("https://www.boarddocs.com/st/town/Board.nsf", "boarddocs"),
        ("https://town.civicweb.net/Portal/", "civicweb"),
        ("https://town.community.highbond.com/Portal/", "civicweb"),
        ("https://town.hylandcloud.com/221agendaonline", "onbase"),
        ("https://docs.town.gov/OnBaseAgendaOnline/", "onbase"),
        ("https://town.municodemeetings.com/", "municode"),
        ("https://meetings.municode.com/PublishPage?cid=TOWN", "municode"),
        ("https://www.town.gov/agendacenter", "civicplus"),
        ("https://town.civicplus.com/", "civicplus"),
        ("https://town.gov/minutes/list.csv", "urls"),
        ("https://legistar.town.gov/Calendar.aspx", "legistar"),
        ("https://meetings.boardbook.org/Public/Organization/1", "boardbook"),
        ("https://meeting.sparqdata.com/Public/Organization/1", "boardbook"),
        ("https://council.infocouncil.biz/", "infocouncil"),
        ("https://town.suiteonemedia.com/", "suiteone"),
        ("https://democracy.town.gov.uk/mgListCommittees.aspx", "moderngov"),
        ("https://town.cmis.uk.com/town/Meetings.aspx", "cmis"),
        ("https://simbli.eboardsolutions.com/SB_Meetings/SB_MeetingListing.aspx?S=1", "simbli"),
        ("https://destinyhosted.com/agenda_publish.cfm?id=1", "agendaquick"),
        ("https://town.new.swagit.com/views/1", "swagit"),
        ("https://town.diligent.community/Portal/", "civicweb"),
        ("https://town.gov/Archive.aspx?AMID=31", "archivecenter"),
        ("https://docs.town.gov/WebLink/Browse.aspx?id=1&dbid=0", "laserfiche"),
        ("https://oparl.town.de/", "oparl"),
        ("https://town.de/bi/si0040.php", "sessionnet"),
        ("https://town.legistar.com/SignIn.aspx", "plain"),
        ("https://town.gov/minutes", "plain"),
        ("https://evil-legistar.com/", "plain"),
        ("https://[", "plain"),
    ],
)
def test_a_platform_is_known_by_its_url(url, fetcher):
    assert detect(url) == (fetcher, url)


def test_a_folder_and_a_list_are_known_by_looking(tmp_path):
    listed = tmp_path / "list.txt"
    listed.touch()

    assert detect(str(tmp_path)) == ("folder", str(tmp_path))
    assert detect(str(listed)) == ("urls", str(listed))


def test_every_fetcher_says_what_it_is_for():
    assert all(spec.help for spec in registered().values())
    assert len(registered()) >= 16


@pytest.fixture
def plugin(monkeypatch) -> ModuleType:
    """A plugin that is found as any installed one would be."""
    module = ModuleType("a_plugin_of_this_test")
    monkeypatch.setitem(sys.modules, module.__name__, module)
    monkeypatch.setenv("CLERK_PLUGINS", module.__name__)
    from clerk.core import plugins

    plugins._build.cache_clear()
    yield module
    plugins._build.cache_clear()


class OldFetcher:
    """Writes into the site's folder by itself, as fetchers did before."""

    folder: Path

    def __init__(self, site: dict[str, Any], greeting: str = "") -> None:
        self.site = site
        self.greeting = greeting

    def fetch_events(self) -> None:
        if self.greeting == "fail":
            raise RuntimeError("the portal is down")
        target = self.folder / "pdfs" / "Council" / "2024-01-15.pdf"
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(PDF + self.greeting.encode())


def with_old_fetcher(plugin: ModuleType, folder: Path, extra: dict[str, Any] | None) -> None:
    OldFetcher.folder = folder

    @clerk.hookimpl
    def fetcher_class(label: str) -> type[Any] | None:
        return OldFetcher if label == "old" else None

    @clerk.hookimpl
    def fetcher_extra(label: str) -> dict[str, Any] | None:
        return extra

    plugin.fetcher_class, plugin.fetcher_extra = fetcher_class, fetcher_extra  # type: ignore[attr-defined]


def test_a_fetcher_of_the_older_kind_is_judged_by_what_it_leaves(plugin, tmp_path):
    with_old_fetcher(plugin, tmp_path / "town", None)
    site = {"subdomain": "town", "scraper": "old"}

    first = fetch_town(site, Settings(storage_dir=tmp_path))
    second = fetch_town(site, Settings(storage_dir=tmp_path))

    assert first.new == second.unchanged == ["minutes/Council/2024-01-15"]


def test_a_fetcher_of_the_older_kind_gets_its_extra(plugin, tmp_path):
    with_old_fetcher(plugin, tmp_path / "town", {"greeting": "hello"})
    site = {"subdomain": "town", "scraper": "old"}

    fetch_town(site, Settings(storage_dir=tmp_path))

    assert (tmp_path / "town/pdfs/Council/2024-01-15.pdf").read_bytes() == PDF + b"hello"


def test_whatever_an_older_fetcher_raises_is_a_source_that_failed(plugin, tmp_path):
    with_old_fetcher(plugin, tmp_path / "town", {"greeting": "fail"})
    site = {"subdomain": "town", "scraper": "old"}

    with pytest.raises(SourceUnavailable, match="the portal is down"):
        fetch_town(site, Settings(storage_dir=tmp_path))


class ThreeDocuments(Fetcher):
    """A fetcher that a plugin brings."""

    def list_meetings(self, window):
        for number in range(3):
            document = DocumentRef("minutes", f"https://town.example/{number}")
            yield MeetingRef(str(number), "Council", f"number {number}", documents=(document,))


def test_a_plugins_fetcher_is_found_and_comes_before_clerks_own(plugin, tmp_path):
    specs = [FetcherSpec("mine", ThreeDocuments), FetcherSpec("folder", ThreeDocuments)]
    plugin.register_fetchers = clerk.hookimpl(lambda: specs)  # type: ignore[attr-defined]

    assert find_fetcher({"scraper": "mine"}) is specs[0]
    assert find_fetcher({"scraper": "folder"}) is specs[1]


@pytest.mark.parametrize("label", ["gopher", "", None])
def test_an_unknown_label_is_refused(label):
    with pytest.raises(UnknownPlugin):
        find_fetcher({"subdomain": "town", "scraper": label})


@pytest.mark.parametrize("extra", ["{", "[]", '"x"', json.dumps({"source": 5})])
def test_settings_that_cannot_be_understood_are_refused(tmp_path, extra):
    site = {"subdomain": "town", "scraper": "folder", "extra": extra}

    with pytest.raises(BadSetting, match="town"):
        fetch_town(site, Settings(storage_dir=tmp_path))
