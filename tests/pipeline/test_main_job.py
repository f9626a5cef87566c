"""The main job, as a person runs it: a folder of PDFs becomes a searchable, published site."""

from __future__ import annotations

import json
import os
import random
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from databases import sqlite_daily
from hostile_pdfs import MAKERS
from PIL import Image
from small_pdfs import picture_of, printed, scanned

from clerk.pipeline import runs
from clerk.samples import FAILED, SCAN_ONLY_PHRASE, write_samples

Clerk = Callable[..., Any]

#: Reads everything but a dark page, on which it does what it is told.
BAD_ENGINE = """
import os, signal, time
from clerk import hookimpl
from clerk.read.ocr import OcrPage, OcrWord

class Engine:
    name = "bad"
    def version(self): return "1"
    def available_languages(self): return frozenset({"eng"})
    def recognise(self, image, languages, dpi):
        if image.array().mean() < 220:
            WHAT_IT_DOES
        return OcrPage.of([OcrWord("fine", (10, 10, 90, 30), 0.9, 0, 0)])

@hookimpl
def register_ocr_backends(): return [Engine()]
"""


def pdf(folder: Path, name: str, *lines: str) -> Path:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(printed(lines or ("The motion to adopt the budget carried unanimously.",)))
    return path


def dark(picture: Image.Image) -> Image.Image:
    """The picture with a black block on it."""
    picture.paste(0, (300, 800, 1400, 1800))
    return picture


def rows(database: Path, query: str) -> list[tuple[Any, ...]]:
    with sqlite3.connect(f"file:{database}?mode=ro", uri=True) as conn:
        return conn.execute(query).fetchall()


@pytest.fixture
def documents(tmp_path: Path) -> Path:
    folder = tmp_path / "documents"
    for month in (1, 2, 3):
        pdf(
            folder,
            f"Council/2024-0{month}-15 minutes.pdf",
            f"Minutes of month {month}.",
            "Councilmember Adams moved to approve, seconded by Baker. Motion carried 5-0.",
        )
    pdf(folder, "Planning/2024-01-20 agenda.pdf", "Agenda: the zoning variance on Elm Street.")
    return folder


@pytest.mark.chaos  # Every day by the demo and by the tutorial.
@pytest.mark.parametrize("database", ["sqlite"], indirect=True)
def test_the_sample_documents_become_a_searchable_published_site(
    clerk: Clerk, database: str, storage: Path, tmp_path: Path
) -> None:
    samples = write_samples(tmp_path / "samples")
    broken = [sample for sample in samples if sample.outcome == FAILED]
    clerk("site", "add", "millbrook", "--from", str(tmp_path / "samples"))

    first = clerk("run", "millbrook")
    found = clerk("search", SCAN_ONLY_PHRASE, "--json")
    again = clerk("run", "millbrook")

    assert first.code == 4
    assert f"{len(samples) - len(broken)} of {len(samples)} documents" in first.out
    assert "truncated" in first.out
    assert json.loads(found.out)["total"] == 1
    assert again.code == 4
    assert "nothing new" in again.out
    published = storage / "_published" / "millbrook"
    assert json.loads((published / "index.json").read_text())["state"] == "complete"
    assert rows(published / "meetings.db", "SELECT count(*) FROM votes")[0][0] > 10


def test_a_folder_becomes_a_site_on_both_databases(
    clerk: Clerk, database: str, storage: Path, documents: Path
) -> None:
    clerk("site", "add", "springfield", "--from", str(documents))

    assert clerk("run", "springfield").code == 0
    published = sorted((storage / "_published").rglob("*"))
    assert clerk("run", "springfield").out == (
        "springfield: nothing new; 4 of 4 documents are read and published.\n"
    )
    assert sorted((storage / "_published").rglob("*")) == published
    assert "1 page" in clerk("search", "zoning variance").err
    assert rows(storage / "springfield" / "meetings.db", "SELECT mover FROM votes")


def test_a_site_that_is_published_elsewhere_is_news(
    clerk: Clerk, storage: Path, documents: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    clerk("site", "add", "springfield", "--from", str(documents))
    clerk("run", "springfield")
    monkeypatch.setenv("PUBLISH_DIR", str(tmp_path / "www"))

    said = clerk("run", "springfield")

    assert said.out.startswith("springfield: completed\n")
    assert "  published  www/springfield\n" in said.out
    assert "nothing new" in clerk("run", "springfield").out


@sqlite_daily
def test_only_what_is_new_or_changed_is_read_again(
    clerk: Clerk, database: str, storage: Path, documents: Path
) -> None:
    clerk("site", "add", "springfield", "--from", str(documents))
    clerk("run", "springfield")
    pdf(documents, "Council/2024-04-15 minutes.pdf", "A new bridge over the creek.")
    pdf(documents, "Council/2024-01-15 minutes.pdf", "Corrected minutes of the first month.")

    said = clerk("run", "springfield")

    assert "read       2 of 5 documents (2 pages), 3 unchanged" in said.out
    assert "Corrected" in clerk("search", "corrected").out


@pytest.mark.parametrize("database", ["sqlite"], indirect=True)
def test_a_run_keeps_as_many_published_versions_as_it_is_told(
    clerk: Clerk, database: str, storage: Path, documents: Path
) -> None:
    clerk("site", "add", "springfield", "--from", str(documents))
    versions = storage / "_published" / ".versions" / "springfield"

    clerk("run", "springfield", "--keep", "1")
    kept_one = list(versions.glob("0*"))
    pdf(documents, "Council/2024-04-15 minutes.pdf", "A new bridge over the creek.")
    clerk("run", "springfield", "--keep", "5")

    assert len(kept_one) == 1
    # The second run was extracted in a moment: it has published once, with its votes.
    assert len(list(versions.glob("0*"))) == 2


@pytest.mark.parametrize("database", ["sqlite"], indirect=True)
def test_what_the_source_took_back_is_shown_as_gone_everywhere(
    clerk: Clerk, database: str, storage: Path, documents: Path
) -> None:
    clerk("site", "add", "springfield", "--from", str(documents))
    clerk("run", "springfield")
    (documents / "Planning" / "2024-01-20 agenda.pdf").unlink()

    said = clerk("run", "springfield")

    assert "fetched    3 unchanged, 1 gone" in said.out
    assert "gone from its source since 20" in clerk("search", "zoning").out
    assert json.loads(clerk("search", "zoning", "--json").out)["hits"][0]["gone_at"]
    assert "1 no longer offered by the source" in clerk("site", "show", "springfield").out
    published = storage / "_published" / "springfield"
    index = json.loads((published / "index.json").read_text())
    assert [bool(each["gone_at"]) for each in index["documents"]] == [True, False, False, False]
    exported = clerk("export", "springfield", "--table", "documents").out
    assert json.loads(exported.splitlines()[0])["gone_at"]


@sqlite_daily
@pytest.mark.parametrize("command", [("run",), ("update", "-s")])
def test_an_ocr_engine_that_is_not_there_is_named_before_anything_is_done(
    clerk: Clerk, database: str, storage: Path, documents: Path, command: tuple[str, ...]
) -> None:
    clerk("site", "add", "springfield", "--from", str(documents))

    said = clerk(*command, "springfield", "--ocr-backend", "nope")

    assert said.code == 3
    assert said.err.startswith("Error: There is no OCR engine 'nope'.\nInstalled engines: ")
    assert json.loads(clerk("site", "show", "springfield", "--json").out)["runs"] == []


def test_nothing_found_is_never_a_success(clerk: Clerk, database: str, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    clerk("site", "add", "ghosttown", "--from", str(tmp_path / "empty"))

    said = clerk("run", "ghosttown")

    assert said.code == 4
    assert "no documents found" in said.out
    assert "no documents" in clerk("site", "list").out


@sqlite_daily
def test_trap_08_an_empty_or_corrupt_pdf_is_counted_as_failed_not_as_completed(
    clerk: Clerk, database: str, documents: Path
) -> None:
    (documents / "Council" / "2024-05-15 minutes.pdf").write_bytes(b"")
    (documents / "Council" / "2024-06-15 minutes.pdf").write_bytes(b"%PDF-1.4\ngarbage")
    (documents / "Council" / "2024-07-15 minutes.pdf").write_text("<html>not found</html>")
    clerk("site", "add", "springfield", "--from", str(documents))

    said = clerk("run", "springfield", "--json")

    summary = json.loads(said.out)[0]
    assert said.code == 4
    assert (summary["total"], summary["completed"], summary["failed"]) == (7, 4, 3)
    reasons = {failure["error"].partition(":")[0] for failure in summary["failures"]}
    assert reasons <= {"EmptyDocument", "UnreadablePdf", "DocumentError"}
    assert json.loads(clerk("site", "show", "springfield", "--json").out)["differences"] == []
    assert "UnreadablePdf: Council/2024-06-15 minutes.pdf " in said.out
    assert "/pdfs/" not in said.out


@pytest.mark.parametrize("database", ["sqlite"], indirect=True)
def test_trap_13_a_reader_never_sees_half_a_database(
    clerk: Clerk, database: str, storage: Path, documents: Path
) -> None:
    clerk("site", "add", "springfield", "--from", str(documents))
    clerk("run", "springfield")
    compiled = storage / "springfield" / "meetings.db"
    watcher = subprocess.Popen(
        [sys.executable, "-c", WATCHER, str(compiled)], stdout=subprocess.PIPE, text=True
    )
    for number in range(3):
        pdf(documents, f"Council/2023-0{number + 1}-15 minutes.pdf", f"Older minutes {number}.")
        clerk("run", "springfield")
    watcher.send_signal(signal.SIGTERM)

    seen = json.loads(watcher.communicate()[0])

    assert seen["errors"] == []
    assert seen["pages"] == sorted(seen["pages"])
    assert seen["pages"][-1] == 7


WATCHER = """
import json, signal, sqlite3, sys, time
going = True
def stop(*_):
    global going
    going = False
signal.signal(signal.SIGTERM, stop)
pages, errors = [], []
while going:
    try:
        with sqlite3.connect(f"file:{sys.argv[1]}?mode=ro", uri=True) as conn:
            count = conn.execute("SELECT (SELECT count(*) FROM minutes)"
                                 " + (SELECT count(*) FROM agendas)").fetchone()[0]
            assert conn.execute("PRAGMA quick_check").fetchone()[0] == "ok"
            if not pages or pages[-1] != count:
                pages.append(count)
    except Exception as error:
        errors.append(repr(error))
    time.sleep(0.002)
print(json.dumps({"pages": pages, "errors": errors}))
"""


@pytest.mark.parametrize("database", ["sqlite"], indirect=True)
@pytest.mark.parametrize(
    ("what_it_does", "cause"),
    [
        ("raise ValueError('engine broken')", "engine broken"),
        ("os.kill(os.getpid(), signal.SIGSEGV)", "SIGSEGV"),
        ("time.sleep(600)", "time limit"),
        ("image = bytearray(1 << 40)", "MemoryError"),
        ("return OcrPage.of([OcrWord('\\udcff', (1, 1, 2, 2), 0.5, 0, 0)])", ""),
    ],
)
def test_trap_14_a_page_that_fails_is_a_failed_page_and_the_rest_is_kept(
    clerk: Clerk,
    database: str,
    storage: Path,
    documents: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    what_it_does: str,
    cause: str,
) -> None:
    plugins = tmp_path / "plugins"
    plugins.mkdir()
    (plugins / "bad.py").write_text(BAD_ENGINE.replace("WHAT_IT_DOES", what_it_does))
    monkeypatch.setenv("CLERK_PLUGINS_DIR", str(plugins))
    monkeypatch.setenv("PAGE_SECONDS", "3")
    (documents / "Council" / "2024-05-15 minutes.pdf").write_bytes(
        scanned(picture_of(["Good page."]), dark(picture_of(["Bad page."])))
    )
    clerk("site", "add", "springfield", "--from", str(documents), "--ocr-backend", "bad")

    said = clerk("run", "springfield", "--json")

    summary = json.loads(said.out)[0]
    assert (summary["total"], summary["completed"], summary["failed"]) == (5, 4, 1)
    assert cause in summary["failures"][0]["error"]
    text = storage / "springfield" / "txt" / "Council" / "2024-05-15"
    assert (text / "page-1.txt").read_text().strip() == "fine"
    assert list(json.loads((text / "failed-pages.json").read_text())["pages"]) == ["2"]
    assert list((storage / "springfield" / "pdfs" / "Council").glob("2024-05-15.pdf"))


@sqlite_daily
def test_a_page_that_used_up_its_time_is_tried_again_by_the_next_run(
    clerk: Clerk,
    database: str,
    storage: Path,
    documents: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    plugins = tmp_path / "plugins"
    plugins.mkdir()
    busy = tmp_path / "busy"
    busy.touch()
    hangs_if_busy = f"os.path.exists({str(busy)!r}) and time.sleep(600)"
    (plugins / "bad.py").write_text(BAD_ENGINE.replace("WHAT_IT_DOES", hangs_if_busy))
    monkeypatch.setenv("CLERK_PLUGINS_DIR", str(plugins))
    monkeypatch.setenv("PAGE_SECONDS", "1")
    (documents / "Council" / "2024-05-15 minutes.pdf").write_bytes(
        scanned(picture_of(["Good page."]), dark(picture_of(["Bad page."])))
    )
    clerk("site", "add", "springfield", "--from", str(documents), "--ocr-backend", "bad")
    first = json.loads(clerk("run", "springfield", "--json").out)[0]

    busy.unlink()
    second = json.loads(clerk("run", "springfield", "--json").out)[0]

    assert (first["completed"], first["failed"]) == (4, 1)
    assert (second["completed"], second["failed"]) == (5, 0)
    text = storage / "springfield" / "txt" / "Council" / "2024-05-15"
    assert not (text / "failed-pages.json").exists()


@pytest.mark.parametrize("database", ["sqlite"], indirect=True)
def test_several_pages_that_kill_their_reader_do_not_cost_the_others(
    clerk: Clerk,
    database: str,
    storage: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    plugins = tmp_path / "plugins"
    plugins.mkdir()
    kill = "os.kill(os.getpid(), signal.SIGSEGV)"
    (plugins / "bad.py").write_text(BAD_ENGINE.replace("WHAT_IT_DOES", kill))
    monkeypatch.setenv("CLERK_PLUGINS_DIR", str(plugins))
    good, bad = picture_of(["Good page."]), dark(picture_of(["Bad page."]))
    (tmp_path / "d").mkdir()
    (tmp_path / "d" / "2024-05-15 minutes.pdf").write_bytes(scanned(bad, good, bad, good, bad))
    clerk("site", "add", "springfield", "--from", "d", "--ocr-backend", "bad")

    summary = json.loads(clerk("run", "springfield", "--json").out)[0]

    assert (summary["total"], summary["completed"], summary["failed"]) == (1, 0, 1)
    assert "3 of 5 pages could not be read (1, 3, 5)" in summary["failures"][0]["error"]
    (failed,) = (storage / "springfield" / "txt").rglob("failed-pages.json")
    assert list(json.loads(failed.read_text())["pages"]) == ["1", "3", "5"]
    assert (failed.parent / "page-4.txt").read_text().strip() == "fine"
    assert "quarantined" not in clerk("failures", "list", "--each", "--json").out


def test_trap_20_recounting_does_not_erase_real_failures(
    clerk: Clerk, database: str, storage: Path, make_site: Callable[..., str]
) -> None:
    from clerk.migrations import recover_stuck_site
    from clerk.pipeline.scripted_stages import (
        increment_completed,
        increment_failed,
        initialize_stage,
    )

    site = make_site()
    initialize_stage(site, "ocr", total_jobs=10)
    for number in range(8):
        increment_completed(site, "ocr")
        text = storage / site / "txt" / "Council" / f"2024-01-{number + 1:02}"
        text.mkdir(parents=True)
        (text / "page-1.txt").write_text("text; the PDF was moved away")
    for number in range(2):
        increment_failed(site, "ocr", "broken", "PdfError")
        pdf(storage / site / "pdfs", f"Council/2024-02-0{number + 1}.pdf")

    assert recover_stuck_site(site) is True

    said = json.loads(clerk("site", "show", site, "--json").out)
    counters = (said["ocr_total"], said["ocr_completed"], said["ocr_failed"])
    assert counters == (10, 8, 2)


@pytest.mark.parametrize("database", ["sqlite"], indirect=True)
def test_odd_names_loops_and_unreadable_corners_lose_nothing(
    clerk: Clerk, database: str, tmp_path: Path
) -> None:
    folder = tmp_path / "odd"
    names = [
        "Stadtrat Köln/Protokoll 15. März 2024.pdf",
        'Comité d\'urbanisme "A & B"/2024-03-16.pdf',
        "議会/令和6年 2024-03-17.pdf",
        f"{'very long name ' * 12}/2024-03-18.pdf",
        "spaces   and\ttabs/2024-03-19.pdf",
        "no date at all.pdf",
    ]
    for number, name in enumerate(names):
        pdf(folder, name, f"Document number {number} of the odd ones.")
    (folder / "loop").symlink_to(folder)
    (folder / "dangling.pdf").symlink_to(tmp_path / "nowhere.pdf")
    clerk("site", "add", "odd", "--from", str(folder))

    said = clerk("run", "odd", "--json")

    summary = json.loads(said.out)[0]
    assert summary["completed"] == len(names)
    for number in range(len(names)):
        assert f"number {number}" in clerk("search", f'"document number {number}"').out


@pytest.mark.parametrize("database", ["sqlite"], indirect=True)
@pytest.mark.parametrize("samples", [5, pytest.param(20, marks=pytest.mark.chaos)])
def test_hostile_pdfs_end_in_text_or_a_reason_and_the_run_continues(
    clerk: Clerk, database: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, samples: int
) -> None:
    monkeypatch.setenv("PAGE_SECONDS", "5")
    monkeypatch.setenv("WORKER_MEMORY_MB", "700")
    chosen = random.Random(7).sample(MAKERS, samples)
    (tmp_path / "hostile").mkdir()
    for maker in chosen:
        (tmp_path / "hostile" / f"{maker.name}.pdf").write_bytes(maker.make())
    clerk("site", "add", "hostile", "--from", str(tmp_path / "hostile"))

    said = clerk("run", "hostile", "--json")

    summary = json.loads(said.out)[0]
    assert summary["total"] == len(chosen)
    assert summary["completed"] + summary["failed"] == len(chosen)
    assert all(failure["error"] for failure in summary["failures"])


def snapshot(storage: Path, site: str) -> dict[str, Any]:
    """Everything a run leaves that should not depend on when it ran."""
    texts = {
        str(path.relative_to(storage)): path.read_text()
        for path in sorted((storage / site).rglob("page-*.txt"))
    }
    database = storage / site / "meetings.db"
    tables = {
        table: rows(
            database,
            f"SELECT meeting, date, page, text, votes_json FROM {table} ORDER BY 1, 2, 3",
        )
        for table in ("minutes", "agendas")
    }
    index = json.loads((storage / "_published" / site / "index.json").read_text())
    return {"texts": texts, "tables": tables, "state": index["state"]}


@pytest.mark.parametrize("database", ["sqlite"], indirect=True)
@pytest.mark.parametrize("kills", [3, pytest.param(6, marks=pytest.mark.chaos)])
def test_a_killed_run_ends_as_an_undisturbed_one(
    clerk: Clerk, database: str, storage: Path, documents: Path, tmp_path: Path, kills: int
) -> None:
    for number in range(12):
        pdf(documents, f"Board/2022-{number + 1:02}-01 minutes.pdf", f"Board minutes {number}.")
    (documents / "Board" / "2021-01-01 minutes.pdf").write_bytes(
        scanned(picture_of(["Scanned minutes of the board."]))
    )
    clerk("site", "add", "calm", "--from", str(documents))
    clerk("site", "add", "stormy", "--from", str(documents))
    assert clerk("run", "calm").code == 0
    moments = random.Random(11)
    for _ in range(kills):
        process = subprocess.Popen(
            [sys.executable, "-m", "clerk", "run", "stormy"],
            env=os.environ,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        time.sleep(0.8 + moments.random() * 1.5)
        process.kill()
        process.wait()

    # A document that was being read when two of them died is set aside until somebody asks for it.
    if clerk("run", "stormy").code == 4:
        clerk("failures", "retry", "--site", "stormy", "--quarantined", "--yes")
    assert clerk("run", "stormy").code == 0

    calm, stormy = (snapshot(storage, site) for site in ("calm", "stormy"))
    assert {k.split("/", 1)[1]: v for k, v in calm["texts"].items()} == {
        k.split("/", 1)[1]: v for k, v in stormy["texts"].items()
    }
    assert calm["tables"] == stormy["tables"]
    assert stormy["state"] == "complete"
    assert not runs.due_sites(hours=1)


OLD_PLUGIN = """
import json, pathlib, shutil
from clerk import hookimpl

class OldFetcher:
    def __init__(self, site, *args, **kwargs):
        self.site = site
    def fetch_events(self):
        extra = json.loads(self.site["extra"])
        source, target = extra["from"], extra["to"]
        folder = pathlib.Path(target) / "pdfs" / "Council"
        folder.mkdir(parents=True, exist_ok=True)
        for path in pathlib.Path(source).glob("Council/*.pdf"):
            shutil.copy(path, folder / (path.stem[:10] + ".pdf"))

@hookimpl
def fetcher_class(label):
    return OldFetcher if label == "old_style" else None

@hookimpl
def deploy_municipality(subdomain):
    note("deploy " + subdomain)

@hookimpl
def post_deploy(site):
    note("post " + site["subdomain"])

def note(line):
    with open("NOTES", "a") as file:
        file.write(line + chr(10))
"""


@pytest.mark.parametrize("database", ["sqlite"], indirect=True)
def test_plugins_of_the_old_kind_work(
    clerk: Clerk,
    database: str,
    storage: Path,
    documents: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    make_site: Callable[..., str],
) -> None:
    plugins = tmp_path / "plugins"
    plugins.mkdir()
    notes = tmp_path / "notes.txt"
    (plugins / "old.py").write_text(OLD_PLUGIN.replace('"NOTES"', repr(str(notes))))
    monkeypatch.setenv("CLERK_PLUGINS_DIR", str(plugins))
    extra = json.dumps({"from": str(documents), "to": str(storage / "oldtown")})
    make_site("oldtown", scraper="old_style", extra=extra)

    said = clerk("run", "oldtown")

    assert said.code == 0
    assert "read       3 of 3" in said.out
    assert notes.read_text().splitlines()[-1] == "post oldtown"
    assert "deploy oldtown" in notes.read_text()
