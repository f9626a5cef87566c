"""Documents are read while others are still being fetched; the counters stay true."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from invariants import check
from small_work import ENGINE, Town

from clerk.core import config, manifest
from clerk.core.db import civic_db_connection, reading_connection, require_site
from clerk.core.fetch_memory import SiteManifest
from clerk.core.manifest import FetchedDocument, TextRecord
from clerk.core.states import COMPILATION, FETCH, OCR, Item
from clerk.executors.work import Claim, Outcome
from clerk.pipeline import ledger, transitions
from clerk.pipeline.upload_state import ClaimLost


def fetched(day: str) -> FetchedDocument:
    """A document whose bytes are stored."""
    return FetchedDocument(
        name=f"minutes/Council/{day}",
        identity=day,
        kind="minutes",
        pdf_sha256=day,
        bytes=4,
        fetched_at=datetime.now(UTC),
    )


class Fetching:
    """A fetch in work, as its child process sees it."""

    def __init__(self, town: Town) -> None:
        self.town = town
        self.claim = claim(FETCH)

    def store(self, *days: str) -> None:
        """Record documents whose bytes are stored, as the fetch does."""
        record = SiteManifest(
            config.load().sql_url, self.town.subdomain, self._hold, self._open_reading
        )
        with record:
            for day in days:
                record.record(fetched(day))

    def _hold(self, conn: Any) -> None:
        if not ledger.hold_claim(conn, self.claim.run_id, self.claim.token):
            raise ClaimLost

    def _open_reading(self, conn: Any, names: Any) -> None:
        transitions.open_arrived(conn, self.claim.run_id, self.town.subdomain, ENGINE, names)

    def end(self, state: str = Item.COMPLETED, **found: Any) -> None:
        """End the fetch and have what it found opened."""
        result = transitions.Found(engine=ENGINE, **found) if state == Item.COMPLETED else None
        outcome = Outcome(self.claim.items[0], state, "" if result else "broken", result=result)
        with civic_db_connection() as conn:
            transitions.finish(conn, self.claim, [outcome], ended=True)


@pytest.fixture
def fetching(make_site: Callable[..., str], storage: Path) -> Iterator[Fetching]:
    town = Town(make_site())
    town.start()
    yield Fetching(town)
    with reading_connection() as conn:
        check(conn)


def claim(queue: str) -> Claim:
    with civic_db_connection() as conn:
        claimed = ledger.claim(conn, [queue], "worker", lambda _queue: 1)
    assert claimed is not None, f"nothing to do in {queue}"
    return claimed


def read() -> str:
    """Read one document and return its name."""
    claimed = claim(OCR)
    (item,) = claimed.items
    text = TextRecord(pdf_sha256=item.sha256 or "", text_sha256="t", reader=ENGINE, pages=1)
    with civic_db_connection() as conn:
        outcome = Outcome(item, Item.COMPLETED, result=text)
        transitions.finish(conn, claimed, [outcome], ended=True)
        check(conn)
    return item.document


def shown(fetching: Fetching) -> tuple[Any, ...]:
    with reading_connection() as conn:
        site = require_site(conn, fetching.town.subdomain)
    counters = (site[f"ocr_{each}"] for each in ("total", "completed", "failed"))
    return (site["current_stage"], *counters)


def test_a_document_is_read_before_the_fetch_ends_and_the_stage_closes_after_it(fetching):
    fetching.store("2024-01-03", "2024-01-02")
    assert shown(fetching) == (FETCH, 2, 0, 0)
    assert {read(), read()} == {"minutes/Council/2024-01-03", "minutes/Council/2024-01-02"}
    assert shown(fetching) == (FETCH, 2, 2, 0)

    fetching.store("2024-01-01")
    fetching.end(rejected=(transitions.Rejected("broken.pdf", "UnreadablePdf", "not a PDF"),))

    assert shown(fetching) == (OCR, 4, 2, 1)
    read()
    assert shown(fetching) == (OCR, 4, 3, 1)
    assert claim(COMPILATION).step == "coordinator"


def test_a_document_that_fails_before_the_fetch_ends_does_not_close_the_stage(fetching):
    fetching.store("2024-01-02")
    claimed = claim(OCR)
    with civic_db_connection() as conn:
        outcome = Outcome(claimed.items[0], Item.FAILED, "UnreadablePdf: not a PDF")
        settled = transitions.finish(conn, claimed, [outcome], ended=True)
    assert not settled.closed, "its worker would tell others that something follows"
    assert shown(fetching) == (FETCH, 1, 0, 1)

    fetching.store("2024-01-01")
    fetching.end()

    assert shown(fetching) == (OCR, 2, 0, 1)


def test_the_stage_closes_with_the_fetch_if_everything_was_read_meanwhile(fetching):
    fetching.store("2024-01-02")
    read()

    fetching.end()

    assert shown(fetching) == (OCR, 1, 1, 0)
    assert claim(COMPILATION).step == "coordinator"


def test_what_was_read_in_an_earlier_run_is_carried_once(fetching):
    with civic_db_connection() as conn:
        old = fetched("2020-01-01")
        manifest.record(conn, fetching.town.subdomain, [old])
        text = TextRecord(pdf_sha256=old.pdf_sha256 or "", text_sha256="t", reader=ENGINE, pages=1)
        manifest.record_texts(conn, fetching.town.subdomain, {old.name: text})
    fetching.store("2024-01-02")
    assert shown(fetching) == (FETCH, 2, 1, 0)
    read()

    fetching.end()

    assert shown(fetching) == (OCR, 2, 2, 0)


def test_a_document_that_was_carried_and_then_changes_is_read_again(fetching):
    with civic_db_connection() as conn:
        old = fetched("2020-01-01")
        manifest.record(conn, fetching.town.subdomain, [old])
        text = TextRecord(pdf_sha256="2020-01-01", text_sha256="t", reader=ENGINE, pages=1)
        manifest.record_texts(conn, fetching.town.subdomain, {old.name: text})
    fetching.store("2024-01-02")
    with civic_db_connection() as conn:
        manifest.record(conn, fetching.town.subdomain, [replace(old, pdf_sha256="other")])
        fetching._open_reading(conn, [old.name])

    assert shown(fetching) == (FETCH, 2, 0, 0)
    assert {read(), read()} == {old.name, "minutes/Council/2024-01-02"}
    fetching.end()
    assert shown(fetching) == (OCR, 2, 2, 0)


def test_a_fetch_that_is_tried_again_opens_nothing_twice(fetching):
    fetching.store("2024-01-02")
    fetching.store("2024-01-02", "2024-01-01")

    assert shown(fetching) == (FETCH, 2, 0, 0)


def test_a_fetch_that_fails_ends_the_run_and_leaves_its_documents_for_the_next(fetching):
    fetching.store("2024-01-02", "2024-01-01")
    read()

    fetching.end(Item.FAILED)

    with reading_connection() as conn:
        assert transitions.active_run(conn, fetching.town.subdomain) is None
        unread = manifest.documents_to_read(conn, fetching.town.subdomain, ENGINE)
        assert len(unread) == 1


def test_a_run_that_was_superseded_opens_nothing(fetching):
    fetching.town.start()

    with pytest.raises(ClaimLost):
        fetching.store("2024-01-02")


def test_a_run_that_stops_after_the_fetch_reads_nothing(make_site, storage):
    town = Town(make_site())
    with civic_db_connection() as conn:
        transitions.start_run(conn, town.subdomain, goal=FETCH)
    fetching = Fetching(town)
    fetching.store("2024-01-02")

    fetching.end()

    with reading_connection() as conn:
        assert transitions.job_of_stage(conn, town.subdomain, OCR) is None
        check(conn)
