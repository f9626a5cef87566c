"""What the ledger keeps of crashes: pages that killed their process, and kinds of errors."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from invariants import check
from small_work import Town
from sqlalchemy import select

from clerk.core.db import civic_db_connection, reading_connection
from clerk.core.models import items_table, stage_events_table
from clerk.core.states import FETCH, MOST_PAGES, OCR, Item, Step
from clerk.executors.work import Claim, Crash, Outcome
from clerk.pipeline import ledger, transitions


@pytest.fixture
def reading(make_site: Any, storage: Path) -> Any:
    """A site with one document to read."""
    town = Town(make_site())
    town.start()
    found = transitions.Found((transitions.FoundDocument("minutes/Council/one", 4, "a"),))
    fetched = claim(FETCH)
    with civic_db_connection() as conn:
        done = Outcome(fetched.items[0], Item.COMPLETED, result=found)
        transitions.finish(conn, fetched, [done], ended=True)
    yield town
    with reading_connection() as conn:
        check(conn)


def claim(queue: str) -> Claim:
    with civic_db_connection() as conn:
        claimed = ledger.claim(conn, [queue], "worker", lambda _queue: 1)
    assert claimed is not None
    return claimed


def die_at(page: int, cause: str = "killed by SIGSEGV") -> Any:
    """Claim the document, lose its process at a page, and return its row."""
    claimed = claim(OCR)
    note = f"page {page} of 40" if page else ""
    with civic_db_connection() as conn:
        transitions.crash(conn, claimed, Crash(claimed.items[0], cause, note, page))
    with reading_connection() as conn:
        return conn.execute(select(items_table).where(items_table.c.step == Step.DOCUMENT)).one()


def test_a_page_is_forgiven_once_and_left_out_by_the_next_attempt(reading: Town) -> None:
    row = die_at(3)
    assert (row.state, row.crashes) == (Item.PENDING, 0)

    row = die_at(7, "took too long; it was stopped")
    assert (row.state, row.crashes) == (Item.PENDING, 0)
    assert row.blamed_pages == {"3": "killed by SIGSEGV", "7": "took too long; it was stopped"}
    assert row.error == (
        "page 3 of 40: killed by SIGSEGV; page 7 of 40: took too long; it was stopped"
    )

    claimed = claim(OCR)
    assert claimed.items[0].blamed_pages == {
        3: "killed by SIGSEGV",
        7: "took too long; it was stopped",
    }
    with civic_db_connection() as conn:
        transitions.finish(conn, claimed, [], ended=True)
    row = die_at(3)
    assert (row.state, row.crashes, len(row.blamed_pages)) == (Item.PENDING, 1, 2)


def test_a_document_is_forgiven_only_some_pages(reading: Town) -> None:
    for page in range(1, MOST_PAGES + 1):
        assert die_at(page).crashes == 0

    row = die_at(MOST_PAGES + 1)

    assert (row.state, row.crashes) == (Item.PENDING, 1)
    assert die_at(MOST_PAGES + 2).state == Item.QUARANTINED


def test_a_long_error_costs_no_page(reading: Town) -> None:
    die_at(3, "x" * 600)

    row = die_at(7)

    assert (row.crashes, set(row.blamed_pages), len(row.error)) == (0, {"3", "7"}, 500)


def test_an_error_in_between_forgets_no_page(reading: Town) -> None:
    die_at(3)
    claimed = claim(OCR)
    odd = Outcome(claimed.items[0], Item.PENDING, "ValueError: odd", "ValueError", delay=0.0)
    with civic_db_connection() as conn:
        transitions.finish(conn, claimed, [odd], ended=True)

    row = die_at(3)

    assert (row.crashes, row.error_kind) == (1, ledger.CRASHED)


def test_a_crash_without_a_page_is_charged_at_once(reading: Town) -> None:
    row = die_at(0)

    assert (row.crashes, row.blamed_pages) == (1, None)
    with reading_connection() as conn:
        chosen = select(stage_events_table).where(stage_events_table.c.event == "crashed")
        assert conn.execute(chosen).one().detail == "minutes/Council/one: killed by SIGSEGV"
