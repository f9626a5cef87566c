"""The static site: every page follows what is compiled, and nothing else is written again."""

from __future__ import annotations

import json
import random
import re
import shutil
import subprocess
import sys
from datetime import date
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urljoin
from xml.etree import ElementTree as Xml

import pytest
from icalendar import Calendar
from small_sites import (
    SITE,
    appearance,
    compile_folder,
    presence,
    remove_text,
    vote,
    write_found,
    write_text,
)
from spoken import CODE, outside_of_the_catalogue, read_by_people, values_of, with_marked_spanish

from clerk import hookimpl
from clerk.core import config, language, plugins
from clerk.core.config import Settings
from clerk.core.errors import BadSetting
from clerk.core.manifest import DocumentPart
from clerk.core.storage import compiled_database
from clerk.publish import publish, publish_search_index
from clerk.publish.static_site import addresses, search_index

HOSTILE = "</script><script>alert('x')</script><img src=x onerror=alert(1)>"
COUNCIL = "minutes/City Council/2024-01-15"


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(storage_dir=tmp_path / "sites")


@pytest.fixture
def folder(settings: Settings) -> Path:
    place = settings.storage_dir / "springfield"
    pages = ["The council discussed the copper heron.", f"A letter: {HOSTILE}"]
    document = write_text(place, COUNCIL, pages)
    write_found(
        *(place, document, pages, [vote(1, motion=f"to adopt {HOSTILE}")]),
        items=[{"page": 1, "start": 0, "end": 3, "quote": "1", "number": "1", "title": HOSTILE}],
        attendance=[presence("Ann Lee"), presence("Bo Wu"), presence("Cy Diaz")],
        matters=[appearance("ordinance 2024-5", title=HOSTILE)],
    )
    write_text(place, "agendas/City Council/2024-01-15", ["Agenda of the council"])
    write_text(place, "minutes/City Council/letters", ["No date is known of this."])
    write_text(place, "minutes/Library & Parks/2023-05-02", ["Read"])
    compile_folder(place, SITE)
    return place


def site_of(settings: Settings) -> Path:
    return (settings.published / "springfield").resolve()


def tree(version: Path) -> dict[str, bytes]:
    """The files of a version that the static site is made of."""
    return {
        path.relative_to(version).as_posix(): path.read_bytes()
        for path in sorted(version.rglob("*"))
        if path.is_file() and path.name not in ("meetings.db", "index.json")
    }


class Links(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.links: list[str] = []
        self.ids: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        self.ids.add(given.get("id") or "")
        if tag in ("a", "link", "script", "img", "form"):
            link = given.get("href") or given.get("src") or given.get("action")
            if link and given.get("rel") != "canonical":
                self.links.append(link)


def dead_links(files: dict[str, bytes]) -> list[str]:
    """Return the links between pages that lead nowhere."""
    read = {}
    for name, content in files.items():
        if name.endswith(".html"):
            read[name] = Links()
            read[name].feed(content.decode())
    dead = []
    known = {*files, "meetings.db", "index.json"}
    for name, page in read.items():
        for link in page.links:
            if link.startswith(("http:", "https:", "data:")):
                continue
            target, _, part = unquote(urljoin(f"/{name}", link))[1:].partition("#")
            if target not in known or (part and part not in read[target].ids):
                dead.append(f"{name}: {link}")
    return dead


def test_a_site_has_every_kind_of_page_and_every_link_leads_somewhere(
    folder: Path, settings: Settings
) -> None:
    publish(SITE, folder, settings, complete=True)

    files = tree(site_of(settings))
    kinds = {re.sub(r"/.*", "", name) for name in files}
    assert kinds >= {
        *("index.html", "search.html", "calendar.html", "votes.html", "people.html"),
        *("matters.html", "404.html", "new.atom", "calendar.ics", "robots.txt", ".nojekyll"),
        *("bodies", "meetings", "documents", "votes", "people", "matters", "calendar", "static"),
    }
    assert dead_links(files) == []
    assert "no search index" in files["search.html"].decode()
    Xml.fromstring(files["new.atom"].decode())
    events = Calendar.from_ical(files["calendar.ics"].decode()).walk("VEVENT")
    assert {str(event["summary"]) for event in events} == {
        "City Council, Springfield",
        "Library & Parks, Springfield",
    }


def test_hostile_text_is_shown_and_never_run(folder: Path, settings: Settings) -> None:
    publish(SITE | {"name": f"Town {HOSTILE}"}, folder, settings, complete=True)

    for name, content in tree(site_of(settings)).items():
        if name.endswith((".html", ".atom")):
            text = content.decode()
            assert "<script>alert" not in text and "<img src=x" not in text, name
            for block in re.findall(r'<script type="application/ld\+json">(.*?)</script>', text):
                assert json.loads(block)["@context"] == "https://schema.org"


def test_only_pages_that_may_differ_are_written_again(folder: Path, settings: Settings) -> None:
    for number in range(1, 20):
        write_text(folder, f"minutes/Library & Parks/2022-01-{number:02}", [f"Number {number}"])
    compile_folder(folder, SITE)
    publish(SITE, folder, settings, complete=True)
    before = site_of(settings)

    write_text(folder, "minutes/Library & Parks/2022-01-07", ["Something new."])
    compile_folder(folder, SITE)
    publish(SITE, folder, settings, complete=True)

    after = site_of(settings)
    written = {
        name
        for name in tree(after)
        if not (before / name).exists() or not (before / name).samefile(after / name)
    }
    assert after != before
    assert {name for name in written if name.startswith(("documents/", "meetings/"))} == {
        addresses.meeting_page("Library & Parks", "2022-01-07"),
        next(name for name in written if name.startswith("documents/")),
    }
    assert not any(name.startswith(("people/", "matters/", "static/")) for name in written)
    assert b"Something new." not in b"".join(tree(before).values())


PEOPLE = ("Ann Lee", "Bo Wu", "Cy Diaz", "Lee", "Wu", "Diaz", "Ana Lee", "B. Wu")


def change_something(
    pick: random.Random, folder: Path, facts: dict[str, dict[str, tuple[DocumentPart, ...]]]
) -> None:
    """Add, change or remove a document; some are packets with minutes of other meetings."""
    body = pick.choice(("City Council", "Planning", "Library & Parks"))
    day = f"{pick.choice((2021, 2022, 2024))}-0{pick.randint(1, 4)}-1{pick.randint(0, 3)}"
    name = f"{pick.choice(('minutes', 'agendas'))}/{body}/{pick.choice((day, day, 'undated'))}"
    if pick.random() < 0.25:
        documents = sorted(path.parent for path in folder.rglob("txt/*/*/document.json"))
        if len(documents) > 3:
            kind = "agendas" if "_agendas" in (gone := pick.choice(documents)).parts else "minutes"
            remove_text(folder, f"{kind}/{gone.parent.name}/{gone.name}")
            return
    pages = [f"Text {pick.random()}" for _ in range(pick.choice((1, 2, 60)))]
    document = write_text(folder, name, pages)
    facts.pop(name, None)
    if len(pages) > 1 and pick.random() < 0.7:
        held = date(pick.choice((2021, 2022, 2023)), 3, pick.randint(1, 2))
        minutes = DocumentPart(
            *(2, len(pages), "minutes", pick.choice(("City Council", "Schools")), held),
            of_other_place=pick.choice((False, False, True)),
        )
        facts[name] = {"parts": (DocumentPart(1, 1, "agenda"), minutes)}
    names = pick.sample(PEOPLE, 4)
    votes = [
        vote(1, ayes=names[:2], noes=names[2:3], motion=f"to adopt {pick.random()}")
        for _ in range(pick.choice((0, 1, 3)))
    ]
    keys = pick.sample(("ordinance 2024-5", "ordinance 24-5", "case 7", "case 8"), 2)
    write_found(
        *(folder, document, pages, votes),
        items=[{"page": 1, "start": 0, "end": 3, "quote": "1", "number": "1", "title": "Item"}],
        attendance=[presence(each, status=pick.choice(("present", "absent"))) for each in names],
        declarations=[
            {"page": 1, "start": 0, "end": 1, "quote": "q", "name": names[0], "kind": "recusal"}
        ]
        * pick.choice((0, 1)),
        matters=[
            appearance(key, action=pick.choice(("passed", "failed")), votes=[0] if votes else [])
            for key in keys[: pick.choice((0, 1, 2))]
        ],
    )


@pytest.mark.parametrize(
    "seed", [0, *(pytest.param(n, marks=pytest.mark.chaos) for n in range(1, 8))]
)
def test_step_by_step_every_page_is_that_of_a_full_build(
    seed: int, folder: Path, settings: Settings, tmp_path: Path
) -> None:
    pick = random.Random(seed)
    facts: dict[str, dict[str, tuple[DocumentPart, ...]]] = {}
    for _ in range(10):
        for _ in range(pick.choice((1, 1, 2))):
            change_something(pick, folder, facts)
        compile_folder(folder, SITE, into_index=False, facts=facts)
        keep = pick.choice((2, 3))
        if pick.random() < 0.5:
            publish(SITE, folder, settings, complete=False, keep=keep)
        publish(SITE, folder, settings, complete=True, keep=keep)
        step_by_step = tree(site_of(settings))

        aside = settings.published.rename(tmp_path / "aside")
        publish(SITE, folder, settings, complete=True)
        whole = tree(site_of(settings))
        shutil.rmtree(settings.published)
        aside.rename(settings.published)
        assert step_by_step.keys() == whole.keys()
        assert [name for name in whole if whole[name] != step_by_step[name]] == []
        assert dead_links(whole) == []


def test_a_meeting_with_ten_thousand_items_is_shown_in_parts(
    folder: Path, settings: Settings
) -> None:
    item = {"page": 1, "start": 0, "end": 3, "quote": "q"}
    items = [item | {"number": str(n), "title": f"Item {n} {HOSTILE}"} for n in range(10_000)]
    pages = ["Long."]
    write_found(folder, write_text(folder, COUNCIL, pages), pages, [], items=items)
    compile_folder(folder, SITE, into_index=False)
    publish(SITE, folder, settings, complete=True)

    files = tree(site_of(settings))
    parts = [name for name in files if name.startswith("meetings/city-council/2024-01-15")]
    assert len(parts) == 50
    assert max(len(files[name]) for name in parts) < 200_000
    assert sum(files[name].decode().count("<li><span") for name in parts) == 10_000
    assert dead_links(files) == []


def test_a_long_document_goes_on_in_further_files_and_its_pages_are_linked(
    folder: Path, settings: Settings
) -> None:
    pages = [f"page number {n}" for n in range(1, 121)]
    document = write_text(folder, "minutes/City Council/2024-02-20", pages)
    write_found(folder, document, pages, [vote(101)])
    compile_folder(folder, SITE, into_index=False)
    publish(SITE, folder, settings, complete=True)

    files = tree(site_of(settings))
    (third,) = [name for name in files if re.fullmatch(r"documents/\w+_3\.html", name)]
    assert b"page number 101\n" in files[third] or b"page number 101<" in files[third]
    card = files[addresses.meeting_page("City Council", "2024-02-20")].decode()
    assert f'href="../../{third}#page-101"' in card
    assert dead_links(files) == []


def test_text_is_shown_in_paragraphs_and_not_in_the_lines_of_the_scan(
    folder: Path, settings: Settings
) -> None:
    lines = (
        "The Council heard that the bridge over the mill race has to be closed to lorries",
        "until it has been repaired, and that this will take until autumn.",
        "A letter of the Historical Society about the copper weathervane was read aloud.",
    )
    write_text(folder, "minutes/City Council/2024-04-01", ["\n".join(lines)])
    compile_folder(folder, SITE)
    publish(SITE, folder, settings, complete=True)

    text = f"{lines[0]} {lines[1]}\n\n{lines[2]}"
    pages = [page.decode() for name, page in tree(site_of(settings)).items() if "/" in name]
    assert any(f'<pre class="text">{text}</pre>' in each for each in pages)


def test_a_site_can_be_published_without_pages(folder: Path, settings: Settings) -> None:
    publish(SITE | {"extra": {"static_site": False}}, folder, settings, complete=True)
    assert sorted(path.name for path in site_of(settings).iterdir()) == [
        "index.json",
        "meetings.db",
    ]
    assert not publish_search_index(SITE, folder, settings)

    publish(SITE, folder, settings, complete=True)
    assert (site_of(settings) / "index.html").is_file()


def test_a_site_without_pages_has_none_of_a_former_version(
    folder: Path, settings: Settings
) -> None:
    for word in ("gutter", "lantern", "bollard"):
        write_text(folder, "minutes/City Council/2024-02-01", [f"A new word: {word}."])
        compile_folder(folder, SITE)
        publish(SITE, folder, settings, complete=True, keep=2)
    assert (settings.published / ".versions" / "springfield" / "spare-2" / "site.json").is_file()

    publish(SITE | {"extra": {"static_site": False}}, folder, settings, complete=True, keep=2)

    left = sorted(path.name for path in site_of(settings).iterdir())
    assert left == ["index.json", "meetings.db"]
    assert not publish_search_index(SITE, folder, settings)


def test_canonical_links_and_the_sitemap_begin_with_the_address_of_the_site(
    folder: Path, tmp_path: Path
) -> None:
    settings = config.load(
        storage_dir=folder.parent, static_site_url="https://example.org/towns/{site}"
    )
    publish(SITE, folder, settings, complete=True)

    files = tree(site_of(settings))
    page = "meetings/city-council/2024-01-15.html"
    address = f"https://example.org/towns/springfield/{page}"
    assert f'<link rel="canonical" href="{address}">' in files[page].decode()
    listed = [element.text for element in Xml.fromstring(files["sitemap.xml"].decode()).iter()]
    assert address in listed and not any("search.html" in (each or "") for each in listed)
    assert b"Sitemap: https://example.org/towns/springfield/sitemap.xml" in files["robots.txt"]
    assert dead_links(files) == []


def test_without_an_address_of_its_own_a_site_names_the_served_page_as_canonical(
    folder: Path,
) -> None:
    settings = config.load(storage_dir=folder.parent, public_url="https://minutes.example.org")
    publish(SITE, folder, settings, complete=True)

    files = tree(site_of(settings))
    meeting = files["meetings/city-council/2024-01-15.html"].decode()
    served = "https://minutes.example.org/s/springfield/City%20Council/2024-01-15/"
    assert f'<link rel="canonical" href="{served}">' in meeting
    assert "sitemap.xml" not in files


def test_a_site_may_have_an_address_of_its_own(folder: Path, settings: Settings) -> None:
    own = SITE | {"extra": {"static_site_url": "https://springfield.example.org/"}}
    publish(own, folder, settings, complete=True)
    assert b"https://springfield.example.org/votes.html" in tree(site_of(settings))["sitemap.xml"]

    with pytest.raises(BadSetting, match="static_site_url, must look like"):
        publish(SITE | {"extra": {"static_site_url": "nowhere"}}, folder, settings, complete=True)


@pytest.mark.parametrize("url", ["example.org", "https://me@example.org/", "https://a.org/?x=1"])
def test_an_address_that_cannot_be_one_is_refused_by_name(
    url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("STATIC_SITE_URL", url)
    with pytest.raises(BadSetting, match="STATIC_SITE_URL"):
        config.load()


def test_a_theme_replaces_templates_and_files_and_changes_every_page(
    folder: Path, settings: Settings, tmp_path: Path
) -> None:
    theme, plugin = tmp_path / "theme", tmp_path / "of-a-plugin"
    (theme / "static").mkdir(parents=True)
    plugin.mkdir()
    (theme / "home.html").write_text(
        '{% extends "default/home.html" %}{% block foot %}Our own foot{% endblock %}'
    )
    (theme / "static" / "style.css").write_text("body { color: purple }")
    (plugin / "404.html").write_text("Gone fishing")

    class Themed:
        @hookimpl
        def static_site_themes(self) -> list[Path]:
            return [plugin]

    publish(SITE, folder, settings, complete=True)
    plain = site_of(settings)
    plugins.manager().register(Themed(), "themed")
    try:
        themed = Settings(storage_dir=settings.storage_dir, static_site_theme=theme)
        assert publish(SITE, folder, themed, complete=True).changed
        files = tree(site_of(settings))
        assert b"Our own foot" in files["index.html"] and b"Bodies" in files["index.html"]
        assert files["404.html"] == b"Gone fishing"
        (style,) = [name for name in files if name.endswith("style.css")]
        assert b"purple" in files[style] and style.encode() in files["index.html"]
        assert not (plain / style).exists()

        (theme / "home.html").write_text("{% if %}")
        with pytest.raises(BadSetting, match=r"home\.html, line 1"):
            publish(SITE, folder, themed, complete=True)
        assert tree(site_of(settings)) == files
    finally:
        plugins.manager().unregister(name="themed")


def test_the_index_follows_the_text_and_is_made_again_only_for_other_texts(
    folder: Path, settings: Settings
) -> None:
    publish(SITE, folder, settings, complete=True)
    assert "no search index" in (site_of(settings) / "search.html").read_text()
    assert publish_search_index(SITE, folder, settings)
    first = site_of(settings)
    assert all((bundle / "pagefind.js").is_file() for bundle in bundles(first))
    assert "no search index" not in (first / "search.html").read_text()
    assert json.loads((first / "index.json").read_text())["search"] == "current"
    assert not publish_search_index(SITE, folder, settings)

    # Another vote, the same texts.
    document = write_text(folder, COUNCIL, ["The council discussed the copper heron.", "Letter"])
    compile_folder(folder, SITE)
    publish(SITE, folder, settings, complete=True)
    publish_search_index(SITE, folder, settings)
    second = site_of(settings)
    write_found(folder, document, ["x"], [vote(1, motion="to adjourn")])
    compile_folder(folder, SITE)
    assert publish(SITE, folder, settings, complete=True).changed
    assert not publish_search_index(SITE, folder, settings)
    assert indexes(site_of(settings)) == indexes(second)
    assert site_of(settings) != second

    # Other texts: the former index is served until the new one is there.
    write_text(folder, "minutes/City Council/2024-03-01", ["A new word: weathervane."])
    compile_folder(folder, SITE)
    publish(SITE, folder, settings, complete=True)
    assert indexes(site_of(settings)) == indexes(second)
    assert "not in the search index yet" in (site_of(settings) / "search.html").read_text()
    assert publish_search_index(SITE, folder, settings)
    assert indexes(site_of(settings)) != indexes(second)


def test_a_site_speaks_the_language_of_its_documents(folder: Path, settings: Settings) -> None:
    spanish = SITE | {"extra": {"languages": ["spa"]}}
    compile_folder(folder, spanish)
    publish(spanish, folder, settings, complete=True)
    publish_search_index(spanish, folder, settings)
    files = {
        name: content.decode()
        for name, content in tree(site_of(settings)).items()
        if name.endswith((".html", ".atom", ".ics"))
    }

    assert "City Council, 15 de enero de 2024" in files["meetings/city-council/2024-01-15.html"]
    assert "Documentos nuevos: Springfield" in files["new.atom"]
    for name, content in files.items():
        assert 'lang="es"' in content or not name.endswith(".html"), name

    publish(SITE, folder, settings, complete=True)
    assert "15 January 2024" in (site_of(settings) / "calendar.html").read_text()


def test_every_word_of_a_site_is_of_the_catalogue_or_of_its_documents(
    folder: Path, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    known = with_marked_spanish()
    monkeypatch.setattr(language, "languages", lambda: known)
    monkeypatch.setattr(language, "spoken_in", lambda _: CODE)
    write_text(folder, "minutes/Library Board/2023-05-02", ["Read"], failed={2: "TimeoutError"})
    compile_folder(folder, SITE)
    publish(SITE, folder, settings, complete=True)
    publish_search_index(SITE, folder, settings)
    given = "\n".join([*values_of(compiled_database(folder)), *map(str, SITE.values())])

    found = {
        f"{name}: {words}"
        for name, content in tree(site_of(settings)).items()
        if name.endswith((".html", ".atom"))
        for words in outside_of_the_catalogue(
            read_by_people(content.decode(), name.replace("atom", "xml"))[0], given
        )
    }

    assert found == set()


def bundles(version: Path) -> list[Path]:
    """The folders of the search index, the oldest documents first; there are no others."""
    listed = json.loads((version / "pagefind" / "bundles.json").read_text())
    found = [version / "pagefind" / name for name in listed]
    assert {each.name for each in (version / "pagefind").iterdir()} == {*listed, "bundles.json"}
    return found


def indexes(version: Path) -> set[int]:
    """What is the same file in versions that share a bundle."""
    return {(bundle / "pagefind-entry.json").stat().st_ino for bundle in bundles(version)}


def fragments(version: Path) -> int:
    return sum(len(list((bundle / "fragment").iterdir())) for bundle in bundles(version))


def test_a_new_document_has_only_its_bundle_indexed_again(
    folder: Path, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(search_index, "_BUNDLE_PAGES", 2)
    for month in range(1, 10):
        write_text(folder, f"minutes/City Council/2022-{month:02}-01", [f"page of month {month}"])
    compile_folder(folder, SITE)
    publish(SITE, folder, settings, complete=True)
    publish_search_index(SITE, folder, settings)
    before, pages = indexes(site_of(settings)), fragments(site_of(settings))
    assert len(before) >= 5

    write_text(folder, "minutes/City Council/2024-03-01", ["A new word: weathervane."])
    compile_folder(folder, SITE)
    publish(SITE, folder, settings, complete=True)
    publish_search_index(SITE, folder, settings)
    after = indexes(site_of(settings))
    assert len(after - before) == 1 and len(before - after) <= 1
    assert fragments(site_of(settings)) == pages + 1

    # A document from before changes: its own bundle, and no other.
    write_text(folder, "minutes/City Council/2022-02-01", ["Other words of month 2"])
    compile_folder(folder, SITE)
    publish(SITE, folder, settings, complete=True)
    publish_search_index(SITE, folder, settings)
    assert len(indexes(site_of(settings)) - after) == 1

    # A large site has larger bundles, not more.
    monkeypatch.setattr(search_index, "_BUNDLES", 2)
    publish_search_index(SITE, folder, settings)
    assert len(bundles(site_of(settings))) <= 2 + search_index._SMALLER


def test_of_the_newest_documents_few_are_indexed_again(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(search_index, "_BUNDLE_PAGES", 10)
    former: list[search_index.IndexBundle] = []
    for number in range(1, 32):
        day = f"{2032 + number // 12}-{number % 12 + 1:02}-01"
        write_text(folder, f"minutes/City Council/{day}", [f"page of month {number}"])
        compile_folder(folder, SITE)
        database = search_index.IndexedDatabase(compiled_database(folder), f"month {number}")
        planned = search_index.plan(database, 10_000).bundles
        names = [name for bundle in planned for name in bundle.documents]
        assert len(names) == len(set(names)) >= number
        again = sum(len(each.documents) for each in planned if each not in former)
        is_closed = bool(former) and len(planned) < len(former)
        assert again <= (12 if is_closed or not former else 2)
        former = list(planned)
    assert sum(len(each.documents) >= 8 for each in former) == 3
    assert len(former) <= 4 + search_index._SMALLER


def test_a_large_site_is_searched_by_document(folder: Path, settings: Settings) -> None:
    publish(SITE, folder, settings, complete=True)
    publish_search_index(SITE, folder, settings)
    assert fragments(site_of(settings)) == 5

    few = Settings(storage_dir=settings.storage_dir, static_site_search_pages=2)
    assert publish_search_index(SITE, folder, few)
    assert fragments(site_of(settings)) == 4


KILLED_AT = """
import os, sys
from pathlib import Path
from clerk.core.config import Settings
from clerk.publish import publish, publish_search_index
from small_sites import SITE

folder, number = Path(sys.argv[1]), int(sys.argv[2])
told = []

def audit(event, arguments):
    if event in ("os.rename", "os.link", "os.mkdir", "os.symlink", "subprocess.Popen", "os.remove"):
        if len(told) == number:
            os.kill(os.getpid(), 9)
        told.append(event)

sys.addaudithook(audit)
settings = Settings(storage_dir=folder.parent)
publish(SITE, folder, settings, complete=True)
publish_search_index(SITE, folder, settings)
print(*told)
"""


def without_index(version: Path) -> dict[str, bytes]:
    """pagefind does not write the same bytes twice."""
    files = tree(version)
    return {name: files[name] for name in files if not name.startswith("pagefind/")}


def indexed_pages(version: Path) -> int:
    """Return how many pages can be found, if the index is whole."""
    pages = 0
    for bundle in bundles(version):
        language = json.loads((bundle / "pagefind-entry.json").read_text())["languages"]["en"]
        assert (bundle / f"pagefind.{language['hash']}.pf_meta").is_file()
        pages += int(language["page_count"])
    assert fragments(version) == pages
    return pages


@pytest.mark.parametrize(
    "everywhere", [False, pytest.param(True, marks=[pytest.mark.chaos, pytest.mark.timeout(900)])]
)
def test_killed_anywhere_the_site_is_the_old_or_the_new_one_and_is_repaired(
    everywhere: bool, folder: Path, settings: Settings, tmp_path: Path
) -> None:
    for word in ("gutter", "lantern", "bollard", "railing"):
        write_text(folder, "minutes/City Council/2024-02-01", [f"A new word: {word}."])
        compile_folder(folder, SITE)
        publish(SITE, folder, settings, complete=True)
        publish_search_index(SITE, folder, settings)
    place = settings.published / ".versions" / "springfield"
    assert (place / "spare-2").is_dir()
    old = without_index(site_of(settings))
    untouched = tmp_path / "untouched"

    def restore(source: Path, target: Path) -> None:
        # With the files that several versions have in common.
        shutil.rmtree(target, ignore_errors=True)
        subprocess.run(["cp", "-a", str(source), str(target)], check=True)

    restore(settings.published, untouched)
    kept = {path.name: tree(path) for path in place.glob("0*")}
    write_text(folder, "minutes/City Council/2024-03-01", ["A new word: weathervane."])
    compile_folder(folder, SITE)
    publish(SITE, folder, settings, complete=True)
    text_only = without_index(site_of(settings))
    publish_search_index(SITE, folder, settings)
    new = without_index(site_of(settings))
    assert (old != text_only) and (text_only != new)
    script = tmp_path / "publish.py"
    script.write_text(KILLED_AT)

    def killed_at(number: int) -> list[str]:
        """Publish until the number-th change of files; return all there are if it ends."""
        restore(untouched, settings.published)
        command = [sys.executable, str(script), str(folder), str(number)]
        environment = {"PYTHONPATH": f"{Path(__file__).parents[1]}", "PATH": "/usr/bin:/bin"}
        # Python renames a file for every module it loads the first time: the steps of the first
        # process would be others than those of the next, which end before a number from that list.
        environment["PYTHONDONTWRITEBYTECODE"] = "1"
        done = subprocess.run(command, env=environment, check=False, capture_output=True, text=True)
        assert done.returncode == (-9 if number < 10**9 else 0), done.stderr
        return done.stdout.split()

    steps = killed_at(10**9)
    assert without_index(site_of(settings)) == new
    # What is served changes by a rename: before, between and behind them.
    renames = [number for number, step in enumerate(steps) if step == "os.rename"]
    (made,) = [number for number, step in enumerate(steps) if step == "subprocess.Popen"]
    chosen = {0, *renames[:3], renames[1] + 1, made + 15, len(steps) - 1}
    seen = set()
    for number in range(0, len(steps), 7) if everywhere else sorted(chosen):
        killed_at(number)
        served = without_index(site_of(settings))
        assert served in (old, text_only, new), steps[number]
        assert indexed_pages(site_of(settings)) == (7 if served == new else 6)
        left = {path.name: tree(path) for path in place.glob("0*") if path.name in kept}
        assert left.items() <= kept.items(), steps[number]
        seen.add("old" if served == old else "text" if served == text_only else "new")
        publish(SITE, folder, settings, complete=True)
        publish_search_index(SITE, folder, settings)
        assert without_index(site_of(settings)) == new
        assert indexed_pages(site_of(settings)) == 7
        assert not list(folder.glob("_clerk/search-index.part"))
    assert seen == {"old", "text", "new"}
