"""What is new is found once, by everything that can be followed, and only if it is new."""

from __future__ import annotations

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import msgspec
import pytest
from follow_town import (
    OLD,
    SITE,
    Mailbox,
    add_document,
    compile_town,
    end_run,
    follow,
    forget_confirmations,
    hits,
    matter,
    vote_of,
)
from sqlalchemy import delete, update

from clerk.core import config, db, language
from clerk.core.models import document_changes_table, documents_table, runs_table
from clerk.follow import matching
from clerk.follow.messages import parts_of
from clerk.follow.turn import take_turn
from clerk.search import Query, parse, search
from clerk.search.index import IndexedDocument, PageText, PlaceFacts, StoredFacts
from clerk.search.pages_of_some import _ASKED_AS_ONE, ChangedPages, IndexedPages, are_indexed
from clerk.search.readers import open_index

NEW = "minutes/City Council/2024-02-20"


def matched() -> matching.Matched:
    matching.take_in()
    return matching.match(config.load())


def test_everything_that_can_be_followed_is_found_on_new_pages_only(followed_town: str) -> None:
    with closing(sqlite3.connect(Path(config.load().storage_dir) / SITE / "meetings.db")) as site:
        [(person,)] = site.execute("SELECT person FROM person_names WHERE printed_name = 'Diaz'")
    follow("search", text="zoning -denied", site=SITE, kind="minutes")
    follow("search", text="zoning", kind="agenda")
    follow("place", site=SITE)
    follow("body", site=SITE, body="City Council")
    follow("person", "bob@example.org", site=SITE, person=person)
    follow("matter", "bob@example.org", site=SITE, matter="case 7")
    assert matched().hits == 0, "nothing is new"

    add_document(
        NEW,
        "Roll call.",
        "The zones were changed.",
        votes=[vote_of("Diaz")],
        matters=[matter("case 7")],
    )
    add_document("agendas/Library Board/2024-03-01", "Agenda: books")

    assert matched().documents == 2
    found = hits()
    assert [number for number, _ in found] == [1, 3, 3, 4, 5, 6]
    assert matched().hits == 0 and hits() == found, "once"
    with db.reading_connection() as conn:
        from clerk.core.models import follow_hits_table

        shown = {row.subscription_id: row.shown for row in conn.execute(follow_hits_table.select())}
    [line] = shown[1]["lines"]
    assert line["page"] == 2 and line["page_id"].endswith("-2")
    told = {number: msgspec.convert(shown[number], matching.ShownHit).lines[0] for number in (5, 6)}
    assert parts_of(told[5])[:2] == [("Voted: no", True), (" (passed): ", False)]
    assert parts_of(told[6])[0] == ("Passed", True)
    with language.speaking("es"):
        assert parts_of(told[5])[:2] == [("Votó: en contra", True), (" (aprobada): ", False)]
        assert parts_of(told[6])[0][0] != "Passed"


def test_a_read_with_another_engine_is_no_news_and_a_revision_is(followed_town: str) -> None:
    follow("search", text="zoning")
    add_document(NEW, "zoning as one engine reads it", pdf="first")
    assert matched().hits == 1

    add_document(NEW, "zoning as an0ther engine reads it", pdf="first")
    add_document(OLD, "zoning of a document from before, read again")
    assert matched().hits == 0

    add_document(NEW, "zoning in the revised minutes", pdf="second")
    assert matched().hits == 1


def test_the_first_run_of_a_site_is_mute_however_many_runs_it_takes(
    make_site: object, followed_town: str
) -> None:
    make_site("shelbyville")  # type: ignore[operator]
    follow("search", text="zoning")
    for year in range(2014, 2024):
        name = f"minutes/City Council/{year}-01-01"
        add_document(name, "zoning", site="shelbyville", compiled=False)
    compile_town("shelbyville")
    with db.civic_db_connection() as conn:
        values = {"run_id": "s-1", "subdomain": "shelbyville", "epoch": 1, "state": "active"}
        conn.execute(runs_table.insert().values(**values))
    assert matched() == matching.Matched()

    with db.civic_db_connection() as conn:
        conn.execute(update(runs_table).where(runs_table.c.run_id == "s-1").values(state="failed"))
    assert matched().hits == 0, "a run that failed did not bring everything"
    end_run("shelbyville", 2)
    assert matched().hits == 0

    add_document(NEW, "zoning", site="shelbyville")
    assert matched().hits == 1


def test_a_document_waits_until_it_is_compiled_and_its_votes_are_found(followed_town: str) -> None:
    follow("place", site=SITE)
    add_document(NEW, "zoning", compiled=False)
    from clerk.pipeline.scan import scan_site

    scan_site(config.load(), SITE)
    assert matched() == matching.Matched(waiting=1)
    with db.civic_db_connection() as conn:
        values = {"run_id": "r-2", "subdomain": SITE, "epoch": 2, "state": "active"}
        conn.execute(runs_table.insert().values(**values))
    compile_town()
    assert matched() == matching.Matched(waiting=1), "a run is looking for votes"

    with db.civic_db_connection() as conn:
        table = runs_table
        conn.execute(update(table).where(table.c.run_id == "r-2").values(state="completed"))

    assert matched() == matching.Matched(documents=1, hits=1)


def test_a_reader_behind_the_outbox_begins_again_from_the_manifest(followed_town: str) -> None:
    follow("search", text="zoning")
    matched()
    add_document(NEW, "zoning")
    add_document("minutes/City Council/2024-03-20", "zoning")
    with db.civic_db_connection() as conn:
        newest = document_changes_table.c.number
        last = conn.execute(document_changes_table.select().order_by(newest.desc())).first()
        assert last is not None
        conn.execute(delete(document_changes_table).where(newest < last.number))

    assert matched().hits == 2


def test_two_matchers_at_once_tell_of_a_document_once(followed_town: str) -> None:
    follow("search", text="zoning")
    add_document(NEW, "zoning")
    settings = config.load()
    matching.take_in()
    with db.reading_connection() as conn:
        active = matching._active(conn)
    whole = open_index(settings.storage_dir)
    news = [each for each in matching._news_of(settings, SITE, active, whole) if each]

    assert matching._match(news, active, whole) == 1
    assert matching._match(news, active, whole) == 0
    assert len(hits()) == 1


def test_without_followers_nothing_is_kept(followed_town: str, mailbox: Mailbox) -> None:
    add_document(NEW, "zoning")
    assert take_turn(config.load()).matched == matching.Matched()
    follow("search", text="zoning")
    forget_confirmations()

    assert take_turn(config.load()).matched.hits == 0, "it was there before"
    with db.reading_connection() as conn:
        assert set(conn.execute(documents_table.select()).scalars()) and mailbox.mails == []


QUERIES = (
    *(
        "zoning",
        '"zoning variance"',
        "zone",
        "zon*",
        "zonign~",
        "zoning -denied",
        "zoning OR budget",
    ),
    *('"granted zoning"~5', "body:council", "date:2024-01..2024-02", "kind:minutes budget"),
    *(
        "state:IL",
        "site:springfield zoning",
        "person:diaz",
        "nothinglikeit",
        "(zoning OR tax) granted",
    ),
    *("Zoníng", "granted*", '"zoning var"*'),
)


@pytest.mark.parametrize("database", ["sqlite"], indirect=True)
def test_a_saved_search_finds_what_the_search_finds(followed_town: str) -> None:
    texts = (
        "The zoning variance was granted.",
        "Budget of the zones; tax denied.",
        "A zoning matter was denied. Budget.",
        "Zoning vary, granted at once.",
    )
    for number, text in enumerate(texts, start=1):
        votes = [vote_of("Diaz")] if number == 2 else []
        add_document(f"minutes/City Council/2024-0{number}-03", text, votes=votes, compiled=False)
    compile_town()
    settings = config.load()
    from clerk.search import index

    db_ = index.open_compiled(settings.storage_dir / SITE)
    assert db_ is not None
    with closing(db_) as site:
        place = index.place_in(site, SITE)
        compiled = index.compiled_documents(site, place, None).values()
        documents = [index.read_document(site, place, each) for each in compiled]
    whole = open_index(settings.storage_dir)
    in_memory = ChangedPages(documents, whole.places)
    changed = {each.id: each.digest for each in documents[1:]}
    assert are_indexed(whole, SITE, changed) == changed.keys()
    assert not are_indexed(whole, SITE, dict.fromkeys(changed, 0)), "other texts"
    in_index = IndexedPages(whole, {SITE: list(changed)}, 100)
    # More than are asked as one.
    asked = [(Query(text), parse(text)) for text in QUERIES * 2]
    at_once = dict(in_index.find_each(asked))
    assert len(asked) > _ASKED_AS_ONE > len(QUERIES)

    for number, text in enumerate(QUERIES):
        results = search(settings.storage_dir, Query(text, limit=100))
        found = {each.facts.document_id for each in results.found}
        assert in_memory.find(Query(text)).keys() == found, text
        assert in_index.find(Query(text)).keys() == found & changed.keys(), text
        for place in (number, number + len(QUERIES)):
            assert at_once.get(place, {}) == in_index.find(Query(text)), text


def test_many_searches_and_few_find_the_same(
    followed_town: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Few ask the search index, many an index of the new pages; so do those it does not have."""
    follow("search", text="zoning")
    follow("search", text="zoning", kind="agenda")
    follow("search", text="zoning site:nowhere")
    add_document(NEW, "zoning of the first", "and more zoning")
    assert matched().hits == 1
    by_index = hits()

    with monkeypatch.context() as many:
        many.setattr(matching, "_SEARCHES_ASKED", 0)
        add_document("minutes/City Council/2024-02-27", "zoning of the second", "and more zoning")
        assert matched().hits == 1
    in_memory = hits()[1:]
    assert [number for number, _ in by_index] == [number for number, _ in in_memory]

    add_document("minutes/City Council/2024-03-05", "zoning without an index")
    shutil.rmtree(config.load().storage_dir / "_clerk" / "search")
    assert matched().hits == 1


def test_words_of_other_languages_are_matched_by_their_stems() -> None:
    place = PlaceFacts("madrid", "Madrid", "", "spa")
    facts = StoredFacts("madrid", "minutes/Pleno/2024-01-15", "minutes", "Pleno", "2024-01-15", 1)
    document = IndexedDocument(
        "00000000000000aa", facts, "", "spa", "", 0, [PageText(1, "Se aprobaron las viviendas")]
    )

    pages = ChangedPages([document], {"madrid": place})

    assert pages.find(Query("vivienda")) == {"00000000000000aa": [1]}
    assert pages.find(Query("会議")) == {}
