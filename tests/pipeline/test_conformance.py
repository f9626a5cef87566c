"""What every executor promises, on every database that it works with."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from invariants import check, forbid_going_back
from small_work import Town, hurry, work_embedded, work_notified, work_on_rq

from clerk.core.db import civic_db_connection, reading_connection

Work = Callable[..., None]

EXECUTORS: dict[str, Work] = {
    "embedded": work_embedded,
    "rq": work_on_rq,
    "notified": work_notified,
}
#: As they are deployed; the other two combinations are for `make chaos`.
pytestmark = pytest.mark.parametrize(
    ("work", "database"),
    [
        ("embedded", "sqlite"),
        ("rq", "postgresql"),
        ("notified", "postgresql"),
        pytest.param("embedded", "postgresql", marks=pytest.mark.chaos),
        pytest.param("rq", "sqlite", marks=pytest.mark.chaos),
    ],
    indirect=True,
)


@pytest.fixture
def work(
    request: pytest.FixtureRequest, database: str, storage: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Work]:
    """Work until every run has ended; the invariants are checked at the end."""
    hurry(monkeypatch)
    monkeypatch.setenv("CLERK_WORKERS", "2")
    if request.param == "rq":
        request.getfixturevalue("redis")
    with civic_db_connection() as conn:
        forbid_going_back(conn)
    yield EXECUTORS[request.param]
    with reading_connection() as conn:
        check(conn, storage)


@pytest.fixture
def town(make_site: Any) -> Town:
    return Town(make_site())


def test_a_site_goes_from_fetch_to_published(work: Work, town: Town) -> None:
    town.pdfs(5)
    town.pdf("2024-01-09", kind="agendas")
    town.start()

    work()

    assert (town.row.current_stage, town.run.state) == ("completed", "completed")
    assert town.counts == (6, 6, 0)
    assert len(town.published) == 6
    assert sorted(town.diary)[:3] == ["compile", "deploy", "extract"]
    assert town.row.coordinator_enqueued is False
    for stage in ("fetch", "compilation", "extraction", "deploy"):
        assert (town.job(stage).total, town.job(stage).completed) == (1, 1)


def test_documents_of_every_sort_are_all_accounted_for(work: Work, town: Town) -> None:
    orders = {
        "fine": "fine",
        "raises": "raise",
        "bad": "bad",
        "transient": "transient 2",
        "crashes": "crash SIGSEGV",
        "crashes-once": "crash-once",
        "hangs": "hang",
        "eats-memory": "memory",
        "odd-message": "nul",
    }
    for name, words in orders.items():
        town.pdf(name, words)
    town.start()

    work()

    states = {name: item.state for name, item in town.items().items()}
    assert states == {
        "fine": "completed",
        "raises": "failed",
        "bad": "failed",
        "transient": "completed",
        "crashes": "quarantined",
        "crashes-once": "completed",
        "hangs": "quarantined",
        "eats-memory": "failed",
        "odd-message": "failed",
    }
    assert town.counts == (9, 3, 6)
    assert (town.run.state, town.row.current_stage) == ("partial", "completed")
    assert town.row.last_error_stage == "ocr"
    assert sorted(town.published) == [
        f"minutes/Council/{name}" for name in ("crashes-once", "fine", "transient")
    ]
    _each_is_blamed_for_its_own(town)


def _each_is_blamed_for_its_own(town: Town) -> None:
    items = town.items()
    assert items["raises"].errors == 3
    assert items["raises"].error == "ValueError: this document raises"
    assert items["transient"].errors == 2
    assert (items["crashes"].crashes, items["hangs"].crashes) == (2, 2)
    assert "SIGSEGV" in items["crashes"].error
    assert "time" in items["hangs"].error
    assert items["bad"].attempt == 1
    assert (items["fine"].crashes, items["fine"].lost, items["fine"].errors) == (0, 0, 0)


def test_a_poison_document_is_remembered_until_its_bytes_change(work: Work, town: Town) -> None:
    town.pdf("good")
    poison = town.pdf("poison", "crash SIGKILL")
    town.start()
    work()
    assert town.diary.count("read minutes/Council/poison") == 2

    town.start()
    work()

    assert town.diary.count("read minutes/Council/poison") == 2
    assert town.items()["poison"].state == "quarantined"
    assert (town.counts, town.run.state) == ((2, 1, 1), "partial")

    poison.write_text("fine")
    town.start()
    work()

    assert (town.counts, town.run.state) == ((2, 2, 0), "completed")


def test_no_documents_is_a_state_of_its_own(work: Work, town: Town) -> None:
    town.start()

    work()

    assert (town.row.current_stage, town.run.state) == ("completed", "no_documents")
    assert town.row.last_error_stage == "fetch"
    assert town.row.last_error_message.startswith("No PDFs found")


def test_a_run_without_any_text_fails_with_its_reason(work: Work, town: Town) -> None:
    town.pdfs(3, "bad")
    town.start()

    work()

    assert (town.row.current_stage, town.run.state) == ("completed", "failed")
    assert town.run.reason == "No text: none of 3 documents could be read"
    assert town.counts == (3, 0, 3)
    assert town.published == []


def test_a_fetch_that_fails_ends_the_run(work: Work, town: Town) -> None:
    town.pdfs(1)
    town.on("fetch", "raise")
    town.start()

    work()

    assert (town.row.current_stage, town.run.state) == ("completed", "failed")
    assert town.row.last_error_stage == "fetch"
    assert town.row.fetch_failed == 1


@pytest.mark.parametrize("step, stage", [("compile", "compilation"), ("deploy", "deploy")])
def test_a_site_that_cannot_be_published_stays_in_its_stage(
    work: Work, town: Town, step: str, stage: str
) -> None:
    town.pdfs(2)
    town.on(step, "raise")
    town.start()

    work()

    assert (town.row.current_stage, town.run.state) == (stage, "failed")
    assert town.row.last_error_stage == stage
    assert town.row.last_error_message == "ValueError: this document raises"
    assert town.published == []


def test_a_failed_extraction_does_not_keep_the_text_from_the_public(work: Work, town: Town) -> None:
    town.pdfs(2)
    town.on("extract", "crash SIGSEGV")
    town.start()

    work()

    assert (town.row.current_stage, town.run.state) == ("completed", "partial")
    assert len(town.published) == 2


def test_what_was_read_is_not_read_again(work: Work, town: Town) -> None:
    town.pdfs(3)
    town.start()
    work()
    town.pdf("2024-02-01")

    town.start()
    work()

    assert town.counts == (4, 4, 0)
    assert len([line for line in town.diary if line.startswith("read")]) == 4


def test_several_sites_are_served_side_by_side(work: Work, make_site: Any, storage: Path) -> None:
    large, *small = [Town(make_site(name)) for name in ("large", "small-1", "small-2", "small-3")]
    large.pdfs(28, "slow 0.15")
    for each in (large, *small):
        each.start()
    for each in small:
        each.pdfs(2)

    work()

    assert all(each.run.state == "completed" for each in (large, *small))
    assert all(each.job("ocr").closed_at < large.job("ocr").closed_at for each in small)


def test_a_new_run_supersedes_the_one_under_way(work: Work, town: Town) -> None:
    town.pdfs(3)
    first = town.start()
    second = town.start()

    work()

    assert (town.run.run_id, town.run.state, town.counts) == (second, "completed", (3, 3, 0))
    assert first != second
