"""``clerk run`` on real files: one site's trouble is its own, and what is waited for is said."""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from databases import sqlite_daily
from small_pdfs import printed
from small_work import Town, hurry

from clerk.core import config
from clerk.pipeline import queues, runs, scripted_stages

Clerk = Callable[..., Any]


def put(path: Path) -> None:
    """Write a good document."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(printed(["Call to order"]))


@pytest.fixture
def follow(
    make_site: Callable[..., str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Callable[..., Town]:
    """Return a function that adds a site which follows a folder with one document."""
    hurry(monkeypatch)

    def add(name: str, **extra: Any) -> Town:
        source = tmp_path / f"{name}-source"
        put(source / "Council" / "2024-01-15.pdf")
        settings = {"source": str(source)} | extra
        return Town(make_site(name, scraper="folder", extra=json.dumps(settings)))

    return add


@sqlite_daily
def test_a_stored_file_whose_name_is_not_text_fails_alone(
    follow: Callable[..., Town], clerk: Clerk
) -> None:
    town = follow("springfield")
    put(Path(os.fsdecode(os.fsencode(town.folder) + b"/pdfs/Council/caf\xe9.pdf")))

    said = clerk("run", "springfield")

    assert said.code == 4
    assert town.counts == (2, 1, 1)
    assert "pdfs/Council/caf\\xe9.pdf: UnusableName: rename it" in said.out


def test_a_misspelt_name_starts_none_of_the_others(
    follow: Callable[..., Town], clerk: Clerk
) -> None:
    town = follow("springfield")

    said = clerk("run", "springfield", "shelbyvile")

    assert said.code == 1
    assert "'shelbyvile'" in said.err
    assert town.run is None


@sqlite_daily
def test_a_language_that_one_site_asks_for_in_vain_fails_that_site_alone(
    follow: Callable[..., Town], clerk: Clerk
) -> None:
    odd, good = follow("a-odd", languages=["tlh"], ocr="always"), follow("b-good")

    said = clerk("run", "--all-due")

    assert said.code == 4
    assert good.run.state == "completed"
    assert odd.counts == (1, 0, 1)
    assert "SiteMisconfigured" in odd.row.last_error_message
    assert "tlh" in odd.row.last_error_message


@sqlite_daily
def test_settings_of_a_source_that_one_site_has_wrong_fail_that_site_alone(
    follow: Callable[..., Town], clerk: Clerk
) -> None:
    odd, good = follow("a-odd", kind="nonsense"), follow("b-good")

    assert clerk("run", "--all-due").code == 4

    assert good.run.state == "completed"
    assert odd.run.state == "failed"
    assert "SiteMisconfigured: " in odd.row.last_error_message


@pytest.mark.parametrize(
    ("flag", "value", "error"),
    [("--language", "tlh", "tlh"), ("--ocr-backend", "nosuch", "'nosuch'")],
)
def test_an_engine_or_language_that_is_not_there_is_refused_with_the_site(
    follow: Callable[..., Town],
    clerk: Clerk,
    tmp_path: Path,
    flag: str,
    value: str,
    error: str,
) -> None:
    follow("known")

    added = clerk("site", "add", "new", "--from", str(tmp_path), flag, value)
    edited = clerk("site", "edit", "known", flag, value)

    assert (added.code > 0, edited.code > 0) == (True, True)
    assert error in added.err
    assert error in edited.err
    assert clerk("site", "show", "new").code == 1
    assert value not in clerk("site", "show", "known", "--json").out


def test_a_run_whose_documents_nobody_knows_by_name_is_brought_in_line_with_the_disk(
    follow: Callable[..., Town], clerk: Clerk
) -> None:
    town = follow("springfield")
    scripted_stages.initialize_stage("springfield", "ocr", total_jobs=5)

    assert clerk("run", "springfield").code == 0

    assert town.run.state == "completed"
    assert town.counts == (1, 1, 0)


@sqlite_daily
def test_a_document_that_failed_in_a_recovered_reading_is_not_tried_again(
    follow: Callable[..., Town], clerk: Clerk
) -> None:
    town = follow("springfield")
    broken = town.folder / "pdfs" / "Council" / "2024-02-01.pdf"
    put(broken)
    broken.write_bytes(b"%PDF-1.4 and nothing of the kind")
    scripted_stages.initialize_stage("springfield", "ocr", total_jobs=1)
    assert clerk("run", "springfield").code == 4
    assert town.items()["2024-02-01"].attempt == 1

    assert clerk("run", "springfield").code == 4

    assert (town.items()["2024-02-01"].state, town.items()["2024-02-01"].attempt) == ("failed", 0)


@sqlite_daily
def test_a_paused_queue_that_is_waited_for_is_named(
    follow: Callable[..., Town], clerk: Clerk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("clerk.cli.run.LINE_SECONDS", 0.1)
    follow("springfield")
    queues.pause("deploy", who="ada")
    resume = threading.Timer(2.0, queues.resume, (config.load(), "deploy"), {"who": "ada"})
    resume.start()

    said = clerk("run", "springfield")

    resume.join()
    assert said.code == 0
    assert "deploy is paused by ada. Resume: clerk queue resume deploy" in said.err


def test_wishes_that_a_run_under_way_does_not_take_are_named(
    follow: Callable[..., Town], clerk: Clerk
) -> None:
    follow("springfield").start()

    said = clerk("run", "springfield", "--stage", "fetch", "--ocr", "never")

    assert said.code == 0
    assert "continues as it was started, without --ocr and --stage" in said.err


def test_a_run_that_stops_after_fetch_names_what_could_not_be_fetched(
    follow: Callable[..., Town], clerk: Clerk, tmp_path: Path
) -> None:
    follow("springfield")
    (tmp_path / "springfield-source" / "Council" / "2024-02-15.doc").write_bytes(
        b"\xd0\xcf\x11\xe0"
    )

    said = clerk("run", "springfield", "--stage", "fetch")

    assert said.code == 4
    assert "completed, but some documents failed: Stopped after fetch, as requested" in said.out
    assert "1 problem: " in said.out
    assert "  fetched    1 new" in said.out


def test_only_what_has_changed_is_asked_for_again(make_site: Callable[..., str]) -> None:
    towns = [Town(make_site(name)) for name in ("a", "b")]
    run_ids = [town.start() for town in towns]
    seen = runs.progress(run_ids)

    scripted_stages.initialize_stage("b", "ocr", total_jobs=1)
    later = towns[1].run.run_id
    changed = runs.progress([run_ids[0], later], since=towns[1].job("ocr").updated_at)

    assert [row.subdomain for row in seen] == ["a", "b"]
    assert [(row.subdomain, row.stage) for row in changed] == [("b", "ocr")]
    assert bool(runs.Unfinished(run_ids))
    assert not runs.Unfinished(run_ids[1:])
