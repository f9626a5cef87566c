"""Charts count what ended, once, by cause and vendor; the search finds everything by its words."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

import pytest
from small_work import Town, hurry, work_embedded
from sqlalchemy import insert, text
from web_town import Browser

from clerk.core import config, db
from clerk.core.clock import utc_now
from clerk.core.models import (
    items_table,
    run_history_table,
    runs_table,
    stage_events_table,
)
from clerk.ops.find import find_everything
from clerk.ops.trends import SPANS, trends
from clerk.ops.web_sessions import VIEWER
from clerk.pipeline import failures, ledger
from clerk.pipeline.queues import pause
from clerk.pipeline.scan import scan_site

Make = Callable[..., str]


def make_older(hours: int) -> None:
    """Let everything so far have happened this many hours ago."""
    with db.civic_db_connection() as conn:
        for table, names in (
            (runs_table, ("created_at", "finished_at")),
            (items_table, ("created_at", "finished_at")),
            (stage_events_table, ("at",)),
        ):
            for name in names:
                older = f"{name} - INTERVAL '{hours} hours'"
                if conn.dialect.name == "sqlite":
                    older = f"strftime('%Y-%m-%d %H:%M:%f', {name}, '-{hours} hours') || '000'"
                conn.execute(text(f"UPDATE {table.name} SET {name} = {older}"))


def test_what_ended_is_counted_once_by_cause_and_vendor(
    make_site: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    hurry(monkeypatch)
    town = Town(make_site("springfield", scraper="legistar"))
    town.pdfs(3)
    town.pdf("2024-02-01", "bad")
    town.start()
    work_embedded()
    make_older(40)
    # The next run carries the failure along and reads one more.
    town.pdf("2024-03-01", "fine")
    town.start()
    work_embedded()

    week, day = trends("7d"), trends("24h")

    assert [sum(each.read for each in found.pieces) for found in (week, day)] == [4, 1]
    assert [sum(each.failed for each in found.pieces) for found in (week, day)] == [1, 0]
    assert [sum(each.runs for each in found.pieces) for found in (week, day)] == [2, 1]
    assert len(day.pieces) == 25 and len(week.pieces) == 29
    [cause], [vendor] = week.causes, week.vendors
    assert (cause.name, cause.stage, cause.failures) == ("UnreadablePdf", "ocr", 1)
    assert (vendor.name, vendor.failures, vendor.runs) == ("legistar", 1, 2)
    assert cause.sites == {"springfield"} and sum(cause.by_piece.values()) == 1
    assert day.causes == [] and day.vendors[0].runs == 1


def test_runs_that_failed_and_took_long_are_shown_with_their_age(make_site: Make) -> None:
    now = utc_now()
    for number, (vendor, state, hours) in enumerate(
        [
            ("legistar", "completed", 1),
            ("legistar", "partial", 5),
            ("granicus", "failed", 2),
            ("granicus", "cancelled", 9),
        ]
    ):
        site = make_site(f"site{number}", scraper=vendor)
        run = {"run_id": f"r{number}", "subdomain": site, "epoch": 1, "state": state}
        begun = now - timedelta(days=2, hours=hours)
        with db.civic_db_connection() as conn:
            ended = now - timedelta(days=2)
            conn.execute(insert(runs_table).values(**run, created_at=begun, finished_at=ended))

    found = trends("90d")

    [piece] = [each for each in found.pieces if each.runs]
    assert (piece.runs, piece.runs_failed) == (3, 1)
    assert piece.average_hours == pytest.approx(3, abs=0.01)
    assert piece.longest_hours == pytest.approx(5, abs=0.01)
    by_name = {each.name: (each.runs, each.runs_failed) for each in found.vendors}
    assert by_name == {"legistar": (2, 0), "granicus": (1, 1)}
    page = Browser(VIEWER).get("/ops/charts?span=90d").text
    assert "granicus" in page and page.count("<svg") >= 3


def test_what_was_pruned_stays_in_the_charts(make_site: Make) -> None:
    site = make_site("springfield")
    day = (utc_now() - timedelta(days=60)).date()
    sums = {"completed": 3, "failed": 1, "documents_read": 40, "documents_failed": 2}
    with db.civic_db_connection() as conn:
        conn.execute(insert(run_history_table).values(subdomain=site, day=day, **sums))

    [piece] = [each for each in trends("90d").pieces if each.runs]

    assert piece.begins_at.date() == day
    assert (piece.runs, piece.runs_failed, piece.read, piece.failed) == (4, 1, 40, 2)
    assert set(SPANS) == {"24h", "7d", "90d"}


def test_everything_is_found_by_its_words(make_site: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    hurry(monkeypatch)
    town = Town(make_site("springfield", name="100% Springfield"))
    town.pdfs(1)
    town.pdf("2024-02-01", "bad")
    town.start()
    work_embedded()
    scan_site(config.load(), "springfield")
    pause("ocr", who="ann_lee")
    with db.reading_connection() as conn:
        run_id = conn.execute(text("SELECT run_id FROM runs")).scalar_one()
    [failure] = failures.find()

    assert [each.id for each in find_everything("0% SPRING").sites] == ["springfield"]
    assert find_everything("%").documents == [], "a wildcard is a letter like others"
    assert "minutes/Council/2024-02-01" in {e.id for e in find_everything("2024-02").documents}
    assert [each.id for each in find_everything(run_id).runs] == [run_id]
    assert [each.id for each in find_everything("not a pdf").failures] == [failure.id]
    assert [each.detail for each in find_everything("ann_l").audit] == ["ann_lee"]
    assert [each.id for each in find_everything("1").batches][-1:] == ["1"]
    assert not find_everything("nothing like it")
    with db.civic_db_connection() as conn:
        ledger.audit(conn, "ben", "did", "<b>x</b>")
    page = Browser(VIEWER).get("/ops/search?q=x</b>").text
    assert "&lt;b&gt;x&lt;/b&gt;" in page and "<b>x</b>" not in page
    assert 'Nothing contains "' in Browser(VIEWER).get("/ops/search?q=%22nowhere").text
