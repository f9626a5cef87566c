"""Annotations of a site's pages: what extraction finds, and what happens when a page changes."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from small_uploads import check, codes, exported, upload, write
from sqlalchemy import delete

from clerk.annotations import api, follow_pages
from clerk.annotations.follow_pages import PROJECT
from clerk.annotations.store import ROW_TABLES
from clerk.core import config
from clerk.core.db import civic_db_connection
from clerk.core.models import annotation_documents_table, annotation_sets_table
from clerk.core.states import Step
from clerk.core.storage import Document
from clerk.executors.child_process import Order
from clerk.extract import extract_site
from clerk.extract.documents import cache_of
from clerk.pipeline.workers import Pipeline

FIRST = """CITY COUNCIL MINUTES
January 15, 2024

Present: Mayor Jane Ruiz, Council Members Tom Lee and Ann Berg.

Motion by Council Member Lee, seconded by Council Member Berg, to approve the
minutes of January 8, 2024. Motion carried unanimously.
"""
SECOND = """Motion by Council Member Berg, seconded by Council Member Lee, to pay $1,250.00 to
the library. Ayes: Ruiz, Lee, Berg. Noes: none. Motion carried.
"""
DOCUMENT = Document("minutes", "CityCouncil", "2024-01-15")


@pytest.fixture
def town(site: str, storage: Path) -> str:
    """A site with a document of two pages that was extracted."""
    for number, text in enumerate((FIRST, SECOND), 1):
        write_page(site, number, text)
    extract_site(storage / site)
    return site


def write_page(site: str, number: int, text: str) -> None:
    page = DOCUMENT.text(config.load().storage_dir / site) / f"page-{number}.txt"
    page.parent.mkdir(parents=True, exist_ok=True)
    page.write_text(text)


def quotes(found: dict[str, Any], label: str) -> list[str]:
    return [
        found["text"][each["span"]["begin"] : each["span"]["end"]]
        for each in found["denotations"]
        if each["obj"] == label
    ]


def test_votes_and_entities_are_a_project_over_the_pages(town: str) -> None:
    done = api.follow(town)

    first, second = exported(PROJECT.format(site=town))
    assert done.extracted_pages == 2
    assert (first["sourcedb"], first["sourceid"]) == (town, f"{DOCUMENT.name}/1")
    assert second["text"] == SECOND
    (vote,) = quotes(second, "Vote")
    assert vote.startswith("Motion by Council Member Berg")
    assert any("1,250.00" in each for each in quotes(second, "Money"))
    said = {each["pred"]: each["obj"] for each in second["attributes"]}
    assert said["result"] == "passed" and "Berg" in said["mover"]
    check()


def test_following_twice_changes_nothing(town: str) -> None:
    api.follow(town)
    before = exported(PROJECT.format(site=town))

    again = api.follow(town)

    assert (again.extracted_pages, again.changed_pages, again.jobs) == (0, 0, [])
    assert exported(PROJECT.format(site=town)) == before


def read_whole(site: str) -> Path:
    """Let the document be one that clerk has read itself; return where its findings are."""
    folder = config.load().storage_dir / site
    (DOCUMENT.text(folder) / "document.json").write_text("{}")
    return cache_of(folder, DOCUMENT)


def test_a_document_that_is_as_it_was_is_not_looked_at_again(town: str) -> None:
    findings = read_whole(town)
    api.follow(town)
    before, facts = exported(PROJECT.format(site=town)), findings.stat()
    findings.write_bytes(b" " * facts.st_size)
    os.utime(findings, ns=(facts.st_atime_ns, facts.st_mtime_ns))

    passed_over = follow_pages.follow(town, everything=False)

    assert passed_over == follow_pages.Followed()
    assert exported(PROJECT.format(site=town)) == before
    assert api.follow(town).extracted_pages == 2
    assert not exported(PROJECT.format(site=town))[0]["denotations"]


@pytest.mark.parametrize("change", ["text", "findings", "gone"])
def test_a_document_that_is_not_as_it_was_is_followed(
    town: str, storage: Path, change: str
) -> None:
    findings = read_whole(town)
    api.follow(town)
    if change == "text":
        shutil.rmtree(DOCUMENT.text(storage / town))
        write_page(town, 1, FIRST.replace("Ruiz", "Rossi"))
        extract_site(storage / town)
        read_whole(town)
    elif change == "findings":
        findings.unlink()
    else:
        shutil.rmtree(DOCUMENT.text(storage / town))

    follow_pages.follow(town, everything=False)

    found = exported(PROJECT.format(site=town))
    marked = [each["sourceid"] for each in found if each["denotations"]]
    assert marked == ([f"{DOCUMENT.name}/1"] if change == "text" else [])
    assert change != "text" or "Rossi" in found[0]["text"]
    check()


def test_a_document_whose_findings_alone_are_others_is_followed(town: str) -> None:
    findings = read_whole(town)
    api.follow(town)
    findings.write_text(findings.read_text().replace('"passed"', '"failed"'))

    done = follow_pages.follow(town, everything=False)

    assert done.extracted_pages == 2
    assert '"failed"' in json.dumps(exported(PROJECT.format(site=town)))


def test_what_was_rolled_back_is_followed_again(town: str) -> None:
    findings = read_whole(town)
    (first,) = api.follow(town).jobs
    findings.write_text(findings.read_text().replace("1,250.00", "1,350.00"))
    (second,) = follow_pages.follow(town, everything=False).jobs
    api.rollback(first)

    done = follow_pages.follow(town, everything=False)

    assert second > first
    assert done.extracted_pages == 1
    assert len(exported(PROJECT.format(site=town))) == 2


def test_a_database_that_lost_annotations_gets_them_again(town: str) -> None:
    read_whole(town)
    api.follow(town)
    with civic_db_connection() as conn:
        for table in (*ROW_TABLES.values(), annotation_sets_table, annotation_documents_table):
            conn.execute(delete(table))

    assert follow_pages.follow(town, everything=False).extracted_pages == 2


def test_the_extraction_can_be_replaced_like_any_project(town: str, tmp_path: Path) -> None:
    project = PROJECT.format(site=town)
    api.follow(town)
    corrected = [
        {**each, "denotations": [], "relations": [], "attributes": []} for each in exported(project)
    ]

    upload(write(tmp_path / "a.jsonl", corrected), project=project, create_docs=False)

    assert all(not each["denotations"] for each in exported(project))


def test_annotations_follow_a_page_that_is_read_again(town: str, tmp_path: Path) -> None:
    begin = SECOND.index("library")
    span = {"begin": begin, "end": begin + len("library")}
    noes = {"begin": SECOND.index("Noes"), "end": SECOND.index("Noes") + 4}
    page = {"sourcedb": town, "sourceid": f"{DOCUMENT.name}/2", "text": SECOND}
    marks = [{"id": "T1", "span": span, "obj": "Body"}, {"id": "T2", "span": noes, "obj": "Word"}]
    upload(write(tmp_path / "a.jsonl", [{**page, "denotations": marks}]), create_docs=False)

    better = "Page 2\n\n" + SECOND.replace("Noes: none. ", "")
    write_page(town, 2, better)
    extract_site(config.load().storage_dir / town)
    done = api.follow(town)

    (found,) = exported()
    assert found["text"] == better
    assert quotes(found, "Body") == ["library"]
    assert (done.changed_pages, done.lost) == (1, 1)
    issues = [codes(job) for job in done.jobs]
    assert {"lost_span": [f"{DOCUMENT.name}/2"]} in issues
    assert exported(PROJECT.format(site=town))[1]["text"] == better
    check()


def test_a_page_with_another_text_loses_its_annotations_and_says_so(
    town: str, tmp_path: Path
) -> None:
    page = {"sourcedb": town, "sourceid": f"{DOCUMENT.name}/2", "text": SECOND}
    marks = [{"id": "T1", "span": {"begin": 0, "end": 6}, "obj": "Word"}]
    upload(write(tmp_path / "a.jsonl", [{**page, "denotations": marks}]), create_docs=False)

    write_page(town, 2, "0123456789 " * 30)
    extract_site(config.load().storage_dir / town)
    done = api.follow(town)

    assert exported()[0]["denotations"] == []
    assert [f"{DOCUMENT.name}/2"] in [codes(job).get("text_mismatch") for job in done.jobs]
    check()


def test_pages_that_are_gone_lose_what_was_extracted(town: str) -> None:
    api.follow(town)
    folder = DOCUMENT.text(config.load().storage_dir / town)
    (folder / "page-2.txt").unlink()
    extract_site(config.load().storage_dir / town)

    api.follow(town)

    kept, gone = exported(PROJECT.format(site=town))
    assert kept["denotations"] and not gone["denotations"]
    check()


def test_the_extraction_step_of_a_run_does_it(town: str, clerk: Callable[..., Any]) -> None:
    Pipeline().perform(Order(Step.EXTRACT, {"subdomain": town}), 0, lambda seconds, note="": None)

    project = PROJECT.format(site=town)
    assert len(exported(project)) == 2
    listed = json.loads(clerk("annotations", "list", "--projects", "--json").out)
    assert [each["name"] for each in listed] == [project]
    assert "0 pages changed" in clerk("annotations", "follow", town).out
