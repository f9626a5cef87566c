"""Pruning: sums instead of old runs, one row for a run without changes, nothing that is needed."""

from __future__ import annotations

import hashlib
import os
import threading
import time
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from guide import clerk
from small_work import Town, in_own_process, nothing_active, work_embedded
from sqlalchemy import Table, event, func, insert, select, text, update

from clerk.core import config, db, installation, outbox
from clerk.core.clock import utc_now
from clerk.core.errors import WrongInstallation
from clerk.core.models import (
    audit_table,
    batch_history_table,
    batches_table,
    document_changes_table,
    items_table,
    jobs_table,
    run_history_table,
    runs_table,
    stage_events_table,
)
from clerk.core.store import KINDS
from clerk.ops import counts, retention
from clerk.pipeline import failures, ledger, run_history, runs, sites

OF_RUNS = (jobs_table, items_table, batches_table, stage_events_table)


def rows(table: Table) -> int:
    with db.reading_connection() as conn:
        return conn.execute(select(func.count()).select_from(table)).scalar_one()


def run_of(town: Town) -> str:
    """Run a site to its end and return the run's id."""
    run_id = town.start()
    work_embedded()
    return run_id


def let_days_pass(days: float) -> None:
    """Move everything that has happened into the past."""
    moved = timedelta(days=days)
    with db.civic_db_connection() as conn:
        for table, columns in {
            runs_table: ("created_at", "finished_at"),
            stage_events_table: ("at",),
            audit_table: ("at",),
            batches_table: ("created_at", "started_at", "completed_at"),
        }.items():
            for row in conn.execute(select(table)).fetchall():
                (key,) = table.primary_key.columns
                earlier = {
                    name: row._mapping[name] - moved for name in columns if row._mapping[name]
                }
                conn.execute(update(table).where(key == row._mapping[key]).values(**earlier))


def prune(**how: Any) -> retention.Pruned:
    *_, done = retention.prune(config.load(), **how)
    return done


def history() -> list[dict[str, Any]]:
    with db.reading_connection() as conn:
        return [dict(row._mapping) for row in conn.execute(select(run_history_table))]


def test_old_runs_become_sums_of_their_day_and_site(town: Town) -> None:
    town.pdfs(3)
    town.pdf("bad", "bad")
    run_of(town)
    town.pdf("2024-02-01")
    run_of(town)
    let_days_pass(91)
    last = run_of(town)
    batches_made = rows(batches_table)
    before = failures.find(), counts.figures(config.load()).reading

    assert prune(dry_run=True) == prune()

    (sums,) = history()
    assert sums["day"] == (utc_now() - timedelta(days=91)).date()
    assert (sums["partial"], sums["completed"], sums["failed"]) == (2, 0, 0)
    assert (sums["documents_read"], sums["documents_failed"], sums["pages"]) == (4, 1, 4)
    assert sums["seconds"] > 0
    assert town.run.run_id == last and rows(runs_table) == 1
    assert (failures.find(), counts.figures(config.load()).reading) == before
    with db.reading_connection() as conn:
        kept = sum(conn.execute(select(batch_history_table.c.completed)).scalars())
        kept += sum(conn.execute(select(batch_history_table.c.failed)).scalars())
        assert sites.earlier_runs(conn, town.subdomain) == run_history.EarlierRuns(
            sums["day"], sums["day"], runs=2, failed=0, documents_read=4
        )
    assert kept + rows(batches_table) == batches_made
    assert "2 runs, 0 failed; 4 documents read" in clerk("site", "show", town.subdomain).output
    assert prune() == retention.Pruned()
    assert run_of(town) and town.run.epoch == 4, "numbers of runs are not used again"


def test_a_run_without_changes_costs_one_row(town: Town) -> None:
    town.pdfs(2)
    first = run_of(town)
    for _ in range(3):
        run_of(town)
    let_days_pass(3)
    last = run_of(town)
    of_two_runs = {table: rows(table) for table in OF_RUNS}

    assert prune().unchanged_runs == 3

    assert rows(runs_table) == 5
    assert run_history_table.name and history() == []
    with db.reading_connection() as conn:
        kept = set(conn.execute(select(jobs_table.c.run_id)).scalars())
    assert kept == {first, last}
    for table in OF_RUNS:
        assert rows(table) < of_two_runs[table]
    assert runs.summarise(last).nothing_new
    assert prune() == retention.Pruned()


def test_the_last_run_is_kept_however_old(town: Town) -> None:
    run_of(town)
    last = run_of(town)
    let_days_pass(400)

    assert prune().runs == 1

    assert (town.run.run_id, town.run.state) == (last, "no_documents")


def test_the_last_reading_is_kept_however_old(town: Town) -> None:
    town.pdfs(2)
    town.pdf("bad", "bad")
    reading = run_of(town)
    town.on("fetch", "raise")
    run_of(town)
    let_days_pass(400)
    run_of(town)

    assert prune().runs == 1

    with db.reading_connection() as conn:
        assert reading in set(conn.execute(select(runs_table.c.run_id)).scalars())
    assert [each.document for each in failures.find() if each.step == "document"] == [
        "minutes/Council/bad"
    ]


def test_a_run_under_way_is_not_touched(town: Town) -> None:
    town.pdfs(2)
    for _ in range(3):
        town.start()
    let_days_pass(1000)

    prune()

    assert rows(runs_table) == 1 and town.run.state == "active"
    work_embedded()
    assert (town.run.state, town.counts) == ("completed", (2, 2, 0))


def test_pruning_during_work_disturbs_neither(
    town: Town, make_site: Callable[..., str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(run_history, "RUNS_AT_ONCE", 2)
    others = [Town(make_site(f"site-{number}")) for number in range(3)]
    for _ in range(3):
        for each in others:
            each.pdfs(1)
            each.start()
        work_embedded()
    let_days_pass(100)
    for each in (town, *others):
        each.pdfs(4)
        each.start()
    pruned: list[retention.Pruned] = []
    threads = [threading.Thread(target=lambda: pruned.append(prune())) for _ in range(2)]
    for thread in threads:
        thread.start()
    work_embedded()
    for thread in threads:
        thread.join()
    prune()

    assert nothing_active() and rows(runs_table) == 4
    assert sum(day["completed"] for day in history()) == 9
    assert {each.run.state for each in (town, *others)} == {"completed"}


def test_audit_entries_are_kept_longer(town: Town) -> None:
    with db.civic_db_connection() as conn:
        ledger.audit(conn, "ann", "did", "this")
        ledger.record(conn, "reconciled")
    let_days_pass(100)

    assert prune() == retention.Pruned(events=1)
    let_days_pass(700)
    assert "1 audit entry older than 730 days" in clerk("db", "prune", "--dry-run").output
    assert rows(audit_table) == 1
    assert "1 audit entry older than 730 days" in clerk("db", "prune").output
    assert rows(audit_table) == 0


def test_changes_of_documents_are_kept_for_a_month_and_the_last_one_for_ever(site: str) -> None:
    def change(*names: str) -> None:
        with db.civic_db_connection() as conn:
            rows = [{"subdomain": site, "name": name, "change": "facts"} for name in names]
            conn.execute(insert(document_changes_table), rows)

    def let_changes_age(days: float) -> None:
        with db.civic_db_connection() as conn:
            for row in conn.execute(select(document_changes_table)).fetchall():
                earlier = {"at": row.at - timedelta(days=days)}
                mine = document_changes_table.c.number == row.number
                conn.execute(update(document_changes_table).where(mine).values(earlier))

    change("a", "b", "c")
    with db.reading_connection() as conn:
        _, seen = outbox.changed_names(conn, site, 0)
    let_changes_age(20)
    change("d")
    assert prune() == retention.Pruned()
    let_changes_age(20)

    assert prune(dry_run=True) == prune() == retention.Pruned(changes=3)

    with db.reading_connection() as conn:
        assert outbox.changed_names(conn, site, seen) == (["d"], seen + 1)
        assert outbox.changed_names(conn, site, seen - 1) == (None, seen + 1), "starts anew"
    let_changes_age(20)
    assert prune() == retention.Pruned()
    with db.reading_connection() as conn:
        assert outbox.changed_names(conn, site, seen + 1) == ([], seen + 1)
    assert "0 changes of documents older than 30 days" in clerk("db", "prune").output


# ------------------------------------------------------------------------------------- objects


@pytest.fixture
def bucket(town: Town, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A store of this installation in a folder, with objects of every kind, some of them named."""
    folder = tmp_path / "bucket"
    folder.mkdir()
    monkeypatch.setenv("STORAGE_URL", f"file://{folder}")
    with db.civic_db_connection() as conn:
        here = installation.installation_id(conn)
        (folder / "installation.json").write_text(f'{{"id": "{here}"}}')
        named = {kind: digest(f"{kind} named") for kind in KINDS}
        conn.execute(
            text(
                "INSERT INTO documents (subdomain, name, kind, pdf_sha256, text_sha256,"
                " findings_sha256) VALUES (:site, 'minutes/a', 'minutes', :pdf, :text, :findings)"
            ),
            {"site": town.subdomain} | named,
        )
        conn.execute(
            text(
                "INSERT INTO document_versions (document_id, pdf_sha256, bytes) VALUES (1, :old, 1)"
            ),
            {"old": digest("pdf of an earlier version")},
        )
        conn.execute(
            text("INSERT INTO site_files (subdomain, database_sha256) VALUES (:site, :database)"),
            {"site": town.subdomain} | named,
        )
    for kind in KINDS:
        (folder / kind).mkdir()
        for words in ("named", "unnamed", "unnamed and new"):
            (folder / kind / digest(f"{kind} {words}")).write_bytes(b"x")
    (folder / "pdf" / digest("pdf of an earlier version")).write_bytes(b"x")
    (folder / "pdf" / "notes.txt").write_bytes(b"x")
    long_ago = time.time() - 8 * 86400
    for path in folder.rglob("*"):
        if path.name not in {digest(f"{kind} unnamed and new") for kind in KINDS}:
            os.utime(path, (long_ago, long_ago))
    return folder


def digest(words: str) -> str:
    return hashlib.sha256(words.encode()).hexdigest()


def test_objects_that_nothing_names_are_deleted_after_a_week(bucket: Path) -> None:
    assert prune(dry_run=True).objects == len(KINDS)

    assert prune().objects == len(KINDS)

    for kind in KINDS:
        left = {path.name for path in (bucket / kind).iterdir()}
        assert digest(f"{kind} unnamed") not in left
        assert {digest(f"{kind} named"), digest(f"{kind} unnamed and new")} <= left
    assert (bucket / "pdf" / digest("pdf of an earlier version")).exists()
    assert (bucket / "pdf" / "notes.txt").exists()
    assert prune().objects == 0


def test_nothing_is_deleted_from_the_store_of_another_installation(bucket: Path) -> None:
    (bucket / "installation.json").write_text('{"id": "another"}')

    with pytest.raises(WrongInstallation):
        prune()

    assert sum(1 for path in bucket.rglob("*") if path.is_file()) == 3 * len(KINDS) + 3


@in_own_process
def test_an_object_that_is_named_while_objects_are_listed_stays(bucket: Path) -> None:
    names_it = [f"UPDATE documents SET text_sha256 = '{digest('text unnamed')}'"]

    def after(_c: Any, _cursor: Any, statement: str, *_: Any) -> None:
        """Fetch the same bytes again, as soon as it was asked which texts are named."""
        if statement.startswith("SELECT documents.text_sha256") and names_it:
            with db.writing_to(config.load().sql_url) as other:
                other.execute(text(names_it.pop()))

    event.listen(db.get_civic_db(), "after_cursor_execute", after)

    retention.prune_objects(config.load(), dry_run=False)

    assert not names_it
    assert (bucket / "text" / digest("text unnamed")).exists()
    assert not (bucket / "pdf" / digest("pdf unnamed")).exists()
