"""The manifest: what is known of documents, and the outbox of their changes, on both databases."""

from __future__ import annotations

import threading
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta

import pytest

from clerk.core import fetch_memory, manifest, outbox, site_files
from clerk.core.db import civic_db_connection, get_civic_db
from clerk.core.fetch_memory import DocumentRequest, SiteManifest
from clerk.core.manifest import DocumentIdentity, DocumentPart, FetchedDocument, TextRecord

COUNCIL = "minutes/CityCouncil/2024-01-15"
NOW = datetime(2026, 11, 17, tzinfo=UTC)
READER = "layout 3 | tesseract 5"

MINUTES = FetchedDocument(
    name=COUNCIL,
    identity="town:1",
    kind="minutes",
    pdf_sha256="aa",
    bytes=10,
    fetched_at=NOW,
    body="City Council",
    date=date(2024, 1, 15),
    source_url="https://town.example/1.pdf",
)


def record(*fetched: FetchedDocument) -> None:
    with civic_db_connection() as conn:
        manifest.record(conn, "springfield", fetched)


def read(text: str = "t1", **values: object) -> None:
    values = {"pdf_sha256": "aa", "reader": READER, "pages": 2} | values
    with civic_db_connection() as conn:
        manifest.record_texts(
            conn, "springfield", {COUNCIL: TextRecord(text_sha256=text, **values)}
        )


def row() -> manifest.DocumentRow:
    with civic_db_connection() as conn:
        (found,) = manifest.documents(conn, "springfield")
        return found


def to_read(reader: str = READER) -> list[str]:
    with civic_db_connection() as conn:
        return [each.name for each in manifest.documents_to_read(conn, "springfield", reader)]


def changes(after: int = 0) -> list[tuple[str, str]]:
    with civic_db_connection() as conn:
        return [(each.name, each.change) for each in outbox.changes_after(conn, after)]


def test_a_fetched_document_is_to_be_read_and_nobodys_news_yet(site: str) -> None:
    record(MINUTES)

    assert to_read() == [COUNCIL]
    assert changes() == []
    assert (row().date, row().body) == (date(2024, 1, 15), "City Council")


def test_a_document_that_was_read_is_not_read_again(site: str) -> None:
    record(MINUTES)
    read()

    assert to_read() == []
    assert changes() == [(COUNCIL, outbox.TEXT)]


@pytest.mark.parametrize(
    ("reader_then", "reader_now", "again"),
    [
        ("layout 3 | tesseract 5", "layout 3 | tesseract 6", True),
        ("layout 3", "layout 3 | tesseract 6", False),
        ("layout 3", "layout 30 | tesseract 6", True),
        ("layout 3 | tesseract 5", "layout 4 | tesseract 5", True),
    ],
)
def test_another_engine_matters_only_where_ocr_was_used(
    site: str, reader_then: str, reader_now: str, again: bool
) -> None:
    record(MINUTES)
    read(reader=reader_then)

    assert to_read(reader_now) == [COUNCIL] * again


def test_pages_that_failed_are_read_again(site: str) -> None:
    record(MINUTES)
    read(failed_pages=1)

    assert to_read() == [COUNCIL]


def test_changed_bytes_are_a_version_and_are_read_again(site: str) -> None:
    record(MINUTES)
    read()

    record(replace(MINUTES, pdf_sha256="bb", fetched_at=datetime(2026, 11, 18, tzinfo=UTC)))

    assert to_read() == [COUNCIL]
    document = row()
    with civic_db_connection() as conn:
        assert [v.pdf_sha256 for v in manifest.versions(conn, document.id)] == ["aa", "bb"]


def test_text_of_bytes_that_were_replaced_meanwhile_is_not_recorded(site: str) -> None:
    record(MINUTES)
    record(replace(MINUTES, pdf_sha256="bb"))

    read(pdf_sha256="aa")

    assert row().text_sha256 is None


def test_recording_the_same_again_changes_nothing_that_is_published(site: str) -> None:
    record(MINUTES)
    read()

    record(replace(MINUTES, etag="another"))

    assert row().text_sha256 == "t1"
    assert changes(1) == []


def test_a_renamed_document_keeps_its_text_and_its_versions(site: str) -> None:
    record(MINUTES)
    read()
    before = row()
    renamed = "minutes/CityCouncil/2024-01-16"

    record(replace(MINUTES, name=renamed, former_name=COUNCIL, identity="town:2"))

    assert (row().id, row().name, row().text_sha256) == (before.id, renamed, "t1")
    assert changes(1) == [(COUNCIL, outbox.REMOVED), (renamed, outbox.FACTS)]


def test_a_document_that_is_gone_and_comes_back_is_news_twice(site: str) -> None:
    record(MINUTES)
    read()
    with civic_db_connection() as conn:
        manifest.mark_gone(conn, "springfield", [COUNCIL])
        manifest.mark_gone(conn, "springfield", [COUNCIL])
    assert row().gone_at is not None
    with civic_db_connection() as conn:
        manifest.mark_seen(conn, "springfield", [COUNCIL])
        manifest.mark_seen(conn, "springfield", [COUNCIL])

    assert row().gone_at is None
    assert changes(1) == [(COUNCIL, outbox.FACTS)] * 2


def test_findings_belong_to_a_text_and_a_version_of_the_extractor(site: str) -> None:
    def to_extract(version: str) -> list[str]:
        with civic_db_connection() as conn:
            rows = manifest.documents_to_extract(conn, "springfield", version)
            return [each.name for each in rows]

    record(MINUTES)
    assert to_extract("7") == []
    read()
    assert to_extract("7") == [COUNCIL]
    with civic_db_connection() as conn:
        manifest.record_findings(conn, "springfield", "7", {COUNCIL: ("t1", "f1")})
    assert to_extract("7") == []
    assert to_extract("8") == [COUNCIL]
    read(text="t2")
    assert to_extract("7") == [COUNCIL]
    with civic_db_connection() as conn:
        manifest.record_findings(conn, "springfield", "7", {COUNCIL: ("t1", "f1")})
    assert to_extract("7") == [COUNCIL]


def test_a_document_that_is_removed_leaves_the_outbox_a_word(site: str) -> None:
    record(MINUTES)
    read()

    with civic_db_connection() as conn:
        manifest.forget(conn, "springfield", [COUNCIL])
        assert manifest.documents(conn, "springfield") == []

    assert changes(1) == [(COUNCIL, outbox.REMOVED)]


def test_a_database_replaces_only_the_one_it_was_built_from(site: str) -> None:
    with civic_db_connection() as conn:
        assert site_files.make_database_current(conn, "springfield", None, "first", "d1")
        assert not site_files.make_database_current(conn, "springfield", None, "lost", "d2")
        assert site_files.make_database_current(conn, "springfield", "first", "second", "d3")
        assert site_files.current_database(conn, "springfield") == "second"
        assert site_files.current_databases(conn) == {"springfield": "second"}


def test_no_change_is_passed_over_when_commits_come_in_another_order(site: str) -> None:
    """The one with the lower number commits last; who reads on between them waits for it."""
    if get_civic_db().dialect.name != "postgresql":
        pytest.skip("SQLite has one writer at a time")
    record(MINUTES, replace(MINUTES, name="minutes/CityCouncil/2024-02-15", identity="town:2"))
    seen: list[tuple[str, str]] = []
    with get_civic_db().begin() as slow:
        manifest.record_texts(
            slow, "springfield", {COUNCIL: TextRecord("aa", "t1", READER, pages=1)}
        )
        with civic_db_connection() as quick:
            other = "minutes/CityCouncil/2024-02-15"
            manifest.record_texts(
                quick, "springfield", {other: TextRecord("aa", "t2", READER, pages=1)}
            )
        reader = threading.Thread(target=lambda: seen.extend(changes()))
        reader.start()
        reader.join(timeout=0.5)
        assert reader.is_alive()
    reader.join(timeout=30)

    assert [name for name, _ in seen] == [COUNCIL, "minutes/CityCouncil/2024-02-15"]


def test_requests_of_documents_are_kept_and_replaced_by_later_ones(site: str) -> None:
    first = DocumentRequest("town:1", NOW, failures=1, error="TryAgain")
    later = DocumentRequest("town:1", NOW + timedelta(hours=1), 2, NOW + timedelta(hours=7), "x")
    other = DocumentRequest("town:2", NOW)
    with civic_db_connection() as conn:
        fetch_memory.record_requests(conn, "springfield", [first, other])
        fetch_memory.record_requests(conn, "springfield", [later])
        fetch_memory.forget_request(conn, "springfield", "town:2")

    with civic_db_connection() as conn:
        assert fetch_memory.document_requests(conn, "springfield") == {"town:1": later}


def test_a_fetch_that_was_cut_off_is_known_to_the_next(site: str) -> None:
    site_manifest = SiteManifest(str(get_civic_db().url.render_as_string(False)), "springfield")

    assert site_manifest.begin_fetch(NOW) is None
    assert site_manifest.begin_fetch(NOW + timedelta(days=1)) == NOW
    site_manifest.end_fetch()
    assert site_manifest.begin_fetch(NOW + timedelta(days=2)) is None


def fact(value: str, source: str = "page") -> dict[str, object]:
    return {"value": value, "source": source, "confidence": 0.9}


def identity(text: str = "t1", version: str = "1", **values: object) -> DocumentIdentity:
    return DocumentIdentity(manifest.identified_of(text, version), **values)


PACKET = identity(
    kind="packet",
    body="Council",
    date=date(2026, 2, 3),
    evidence={"date": fact("2026-02-03")},
    parts=(
        DocumentPart(1, 2, "agenda", "Council", date(2026, 2, 3)),
        DocumentPart(3, 5, "minutes", "Council", date(2026, 1, 20), evidence={"kind": fact("x")}),
        DocumentPart(5, 5, "minutes", "Council", date(2026, 1, 22), first_character=310),
        DocumentPart(5, 6, "minutes", "Council", date(2026, 1, 27), first_character=1204),
    ),
)


def to_identify(version: str = "1") -> list[str]:
    with civic_db_connection() as conn:
        found = manifest.documents_to_identify(conn, "springfield", version)
        return [each.name for each in found]


def test_what_a_document_is_is_recorded_with_its_text(site):
    record(MINUTES)
    assert to_identify() == [COUNCIL]

    read(identity=PACKET)

    with civic_db_connection() as conn:
        found = manifest.document(conn, "springfield", COUNCIL)
    assert (found.kind, found.body, found.date) == ("packet", "Council", date(2026, 2, 3))
    assert found.parts == PACKET.parts
    assert not to_identify()
    assert to_identify("2") == [COUNCIL]
    # What the source says of it is not lost.
    assert found.listed == {"kind": "minutes", "body": "City Council", "date": "2024-01-15"}


def test_a_document_of_which_the_source_says_something_else_is_identified_again(site):
    record(MINUTES)
    read(identity=PACKET)
    record(replace(MINUTES, date=date(2024, 1, 16)))
    assert to_identify() == [COUNCIL]
    assert row().date == date(2026, 2, 3)


def test_what_a_person_says_survives_reading_and_fetching(site):
    record(MINUTES)
    read(identity=PACKET)
    seen = len(changes())

    with civic_db_connection() as conn:
        said = {"date": "2026-02-05", "body": None}
        assert manifest.correct(conn, "springfield", [COUNCIL], said) == 1
        assert manifest.correct(conn, "springfield", [COUNCIL], said) == 0

    assert (row().date, row().body) == (date(2026, 2, 5), None)
    assert row().evidence["date"]["source"] == "person"
    assert row().evidence["others"] == [{"field": "date", "fact": fact("2026-02-03")}]
    assert changes()[seen:] == [(COUNCIL, "facts")]
    record(replace(MINUTES, pdf_sha256="bb", date=date(2024, 1, 17)))
    read("t2", pdf_sha256="bb", identity=replace(PACKET, identified_of="t2 1"))
    assert (row().date, row().body, row().kind) == (date(2026, 2, 5), None, "packet")

    with civic_db_connection() as conn:
        assert manifest.withdraw_corrections(conn, "springfield", [COUNCIL]) == 1
    assert row().date == date(2026, 2, 3)
    assert to_identify() == [COUNCIL]


def test_an_identity_by_a_text_that_is_gone_is_not_recorded(site):
    record(MINUTES)
    read("t2", identity=identity("t2", kind="minutes"))
    with civic_db_connection() as conn:
        manifest.record_identities(conn, "springfield", {COUNCIL: PACKET})
    assert row().kind == "minutes"
