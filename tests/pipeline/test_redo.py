"""Old documents get what a better engine or extractor makes of them, behind all new work."""

from __future__ import annotations

import json
from pathlib import Path

import msgspec
import pytest
from guide import clerk
from small_pdfs import printed
from sqlalchemy import select

from clerk.core import config, db
from clerk.core.errors import InvalidInput
from clerk.core.models import documents_table, items_table, jobs_table, runs_table
from clerk.pipeline import redo, runs
from clerk.read.files import DocumentFacts, PageFacts


@pytest.fixture
def town(database: str, storage: Path, tmp_path: Path) -> str:
    """A site with three documents that was run."""
    source = tmp_path / "pdfs"
    source.mkdir()
    for day in (1, 2, 3):
        minutes = printed(["MINUTES OF THE COUNCIL", f"The council met on day {day} of January."])
        (source / f"2024-01-0{day} Council.pdf").write_bytes(minutes)
    clerk("site", "add", "springfield", "--from", str(source))
    assert clerk("run", "springfield", "--workers", "1").exit_code == 0
    return "springfield"


def read_by(storage: Path, name: str, engine: str) -> None:
    """Let a document have been read by an engine."""
    file = storage / "springfield" / "txt" / name / "document.json"
    facts = msgspec.json.decode(file.read_bytes(), type=DocumentFacts)
    pages = [PageFacts(page=1, method="ocr", engine=engine)]
    file.write_bytes(msgspec.json.encode(msgspec.structs.replace(facts, pages=pages)))
    with db.civic_db_connection() as conn:
        of_name = documents_table.c.name == f"minutes/{name}"
        conn.execute(documents_table.update().where(of_name).values(reader=f"1 | {engine}"))


def test_documents_of_an_older_engine_are_read_again_and_counted_once(
    town: str, storage: Path
) -> None:
    names = sorted(
        p.parent.relative_to(storage / town / "txt")
        for p in (storage / town).glob("txt/*/*/document.json")
    )
    for name, engine in zip(names, ["tesseract 5.4.1", "tesseract 5.5.3", "mine 5.5"], strict=True):
        read_by(storage, str(name), engine)

    dry = clerk("redo", "--stage", "ocr", "--engine-older-than", "5.5.1", "--dry-run")
    assert dry.output == "  springfield: 2 documents\nWould redo ocr of 1 site, 2 documents.\n"
    with db.reading_connection() as conn:
        assert len(conn.execute(select(runs_table)).all()) == 1, "a preview changes nothing"

    done = clerk("redo", "--stage", "ocr", "--engine-older-than", "5.5.1", "--yes")
    assert done.output.endswith("Queued ocr of 1 site, 2 documents.\n")
    with db.reading_connection() as conn:
        run = conn.execute(select(runs_table).where(runs_table.c.state == "active")).one()
        pending = select(items_table.c.document).where(
            items_table.c.run_id == run.run_id, items_table.c.state == "pending"
        )
        assert len(conn.execute(pending).all()) == 2
        rank = select(jobs_table.c.rank).where(jobs_table.c.run_id == run.run_id)
        assert run.rank == runs.LATE == conn.execute(rank).scalar_one()

    assert clerk("run", town, "--workers", "1").exit_code == 0
    with db.reading_connection() as conn:
        site = db.require_site(conn, town)
    assert (site["ocr_total"], site["ocr_completed"], site["ocr_failed"]) == (3, 3, 0)
    assert site["current_stage"] == "completed"
    facts = msgspec.json.decode(
        (storage / town / "txt" / names[0] / "document.json").read_bytes(), type=DocumentFacts
    )
    assert facts.pages[0].method == "text", "it was read again"


def test_late_stages_are_done_again_and_busy_sites_are_named(town: str) -> None:
    done = clerk("redo", "--stage", "extraction", "--where", "scraper=folder", "--yes", "--json")
    [run_id] = json.loads(done.output)["started"]
    assert run_id.startswith("springfield-")

    again = json.loads(clerk("redo", "--stage", "deploy", "--yes", "--json").output)

    assert again["started"] == []
    assert again["sites"][0]["left_out"] == "a run of it is under way"
    assert clerk("run", town, "--workers", "1").exit_code == 0
    assert (
        json.loads(clerk("redo", "--stage", "compilation", "--where", "state=XX", "--json").output)[
            "sites"
        ]
        == []
    )


def test_what_cannot_be_chosen_is_refused(site: str) -> None:
    settings = config.load()
    with pytest.raises(InvalidInput, match="only for the stage ocr"):
        redo.plan(settings, redo.Selection("deploy", document="x"))
    with pytest.raises(InvalidInput, match="is not one of"):
        redo.plan(settings, redo.Selection("ocr", where={"extra": "x"}))
    with pytest.raises(InvalidInput, match="not a version"):
        redo.plan(settings, redo.Selection("ocr", engine_older_than="new"))
    assert clerk("redo", "--stage", "ocr", "--site", "nowhere").exit_code == 1
