"""Long documents: idle processes help with their pages, and the result is the same."""

from __future__ import annotations

import contextlib
import os
import signal
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from databases import postgresql_daily, sqlite_daily
from invariants import check
from small_pdfs import LINES, picture_of, printed, scanned, text_at, white, written
from small_work import Town, end, hurry, nothing_active, reap, spawn, wait_until, workers

from clerk.core import config
from clerk.core.db import reading_connection
from clerk.core.errors import MissingTool, PagesFailed
from clerk.core.states import OCR, QUEUES
from clerk.core.storage import sha256_of, shared_reading_folder
from clerk.executors import embedded, pool, rq
from clerk.pipeline import runs
from clerk.pipeline.flow import Pipeline
from clerk.read import documents, shared_pages
from clerk.read.documents import ReadingOptions, read_and_store
from clerk.read.files import load_failed_pages
from clerk.read.page_helper import CannotHelp, help_with_page
from clerk.read.shared_pages import (
    SharedDocument,
    SharedPages,
    file_version,
    find_waiting_document,
)
from tools.pdf_writer import PdfWriter, encode_jpeg

SHA = "0" * 64
PAGES = 24
#: The page that is larger than the others: the engine does the deed on it.
ODD_PAGE = 10
SMALL, LARGE = (200.0, 200.0), (612.0, 792.0)

#: An engine that notes who reads which page, takes its time, and may do its worst on one page.
ENGINE = """
import faulthandler, hashlib, os, signal, time
import clerk
from clerk.read.ocr import OcrPage, OcrWord

class Noting:
    name = "noting"
    def version(self): return "{version}"
    def available_languages(self): return ["eng"]
    def recognise(self, image, languages, dpi):
        mark = hashlib.sha256(image.pixels).hexdigest()[:8]
        with open({diary!r}, "a") as file: print(os.getpid(), mark, file=file, flush=True)
        time.sleep({seconds})
        if image.width > 1500: {deed}
        return OcrPage.of([OcrWord(mark, (1, 1, 20, 20), 2 / 3, 0)])

@clerk.hookimpl
def register_ocr_backends(): return [Noting()]
"""


class LongDocument:
    """A scan of many pages, the engine that reads it, and what that engine noted."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self._folder = folder
        self._monkeypatch = monkeypatch
        self._engines = 0
        self.source = folder / "documents"
        self.diary = folder / "diary"
        self.path = self.source / "Council" / "2024-05-15 minutes.pdf"

    def plug_in(self, *, deed: str = "pass", seconds: float = 0.1, version: str = "1") -> None:
        """Have an engine that does so; in a new folder, for plugins are loaded once."""
        self._engines += 1
        plugins = self._folder / f"plugins-{self._engines}"
        plugins.mkdir()
        self._monkeypatch.setenv("CLERK_PLUGINS_DIR", str(plugins))
        said = ENGINE.format(diary=str(self.diary), deed=deed, seconds=seconds, version=version)
        (plugins / "noting.py").write_text(said)

    def write(self, pages: int = PAGES) -> Path:
        """Write the PDF; no two pages are alike."""
        writer = PdfWriter()
        for number in range(1, pages + 1):
            picture = picture_of([f"Page {number}"], 72)
            size = LARGE if number == ODD_PAGE else SMALL
            writer.add_page(image=encode_jpeg(picture, 60), size=size)
        self.path.parent.mkdir(parents=True, exist_ok=True)
        return written(self.path, writer.getvalue())

    @property
    def readings(self) -> list[str]:
        """The pages as they were looked at, one by one."""
        return [line.split()[1] for line in self._lines()]

    @property
    def readers(self) -> list[int]:
        """The processes that looked at pages, in the order of their first."""
        return list(dict.fromkeys(int(line.split()[0]) for line in self._lines()))

    def _lines(self) -> list[str]:
        lines = self.diary.read_text().splitlines() if self.diary.is_file() else []
        return [line for line in lines if len(line.split()) == 2]


@pytest.fixture
def document(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> LongDocument:
    """A long document with its engine plugged in, and two processes to read it."""
    document = LongDocument(tmp_path, monkeypatch)
    document.plug_in()
    monkeypatch.setenv("CLERK_WORKERS", "2")
    hurry(monkeypatch)
    return document


@pytest.fixture
def town(document: LongDocument, clerk: Any, database: str, storage: Path) -> Iterator[Town]:
    """A site with that document; at the end its state is true and no shared folder is left."""
    document.write()
    clerk("site", "add", "springfield", "--from", str(document.source), "--ocr-backend", "noting")
    yield Town("springfield")
    with reading_connection() as conn:
        check(conn)
    assert shared_folders(storage) == []


sqlite_only = pytest.mark.parametrize("database", ["sqlite"], indirect=True)


def start() -> str:
    return runs.start(config.load(), "springfield", goal=OCR)


def work() -> None:
    embedded.run(Pipeline(config.load()), config.load(), done=nothing_active)


def shared_folders(storage_dir: Path) -> list[Path]:
    folder = shared_reading_folder(storage_dir)
    return sorted(folder.iterdir()) if folder.is_dir() else []


def text_of(town: Town) -> Path:
    return town.folder / "txt" / "Council" / "2024-05-15"


def content(folder: Path) -> dict[str, bytes]:
    return {file.name: file.read_bytes() for file in folder.iterdir()}


def read_alone(path: Path, target: Path, **options: Any) -> dict[str, bytes]:
    """Read a document in this process, shared with nobody."""
    with contextlib.suppress(PagesFailed):
        read_and_store(path, target, ReadingOptions(**options), sha256_of(path))
    return content(target)


# ------------------------------------------------------------------------------ two processes


@sqlite_daily
def test_a_long_document_is_read_by_all_lanes_and_comes_out_the_same(
    town: Town, document: LongDocument, tmp_path: Path
) -> None:
    start()
    work()

    assert (town.run.state, town.counts) == ("completed", (1, 1, 0))
    assert len(document.readers) == 2
    assert len(document.readings) == len(set(document.readings)) == PAGES
    assert content(text_of(town)) == read_alone(document.path, tmp_path / "alone", backend="noting")


@sqlite_only
def test_the_default_engine_gives_the_same_bytes_shared_or_not(
    document: LongDocument, clerk: Any, database: str, storage: Path, tmp_path: Path
) -> None:
    document.path.parent.mkdir(parents=True)
    writer = PdfWriter()
    for number in range(10):
        writer.add_page(image=encode_jpeg(picture_of([f"ITEM {number}", *LINES]), 60))
    writer.add_page(text_at(LINES))
    writer.add_page(image=encode_jpeg(white(), 60))
    written(document.path, writer.getvalue())
    clerk("site", "add", "springfield", "--from", str(document.source))

    start()
    work()

    default = config.load().default_ocr_backend
    alone = read_alone(document.path, tmp_path / "alone", backend=default)
    assert content(text_of(Town("springfield"))) == alone


@postgresql_daily
def test_rq_workers_share_a_document_too(
    town: Town, document: LongDocument, redis: str, tmp_path: Path
) -> None:
    def be_worker() -> None:
        rq.work(Pipeline(config.load()), QUEUES, config.load(), burst=False)

    start()
    with workers(2, be_worker):
        wait_until(nothing_active)

    assert town.counts == (1, 1, 0)
    assert len(document.readers) == 2
    assert content(text_of(town)) == read_alone(document.path, tmp_path / "alone", backend="noting")


@sqlite_only
def test_a_burst_helps_until_nothing_is_left_and_ends(
    town: Town, document: LongDocument, redis: str
) -> None:
    def burst() -> None:
        rq.work(Pipeline(config.load()), QUEUES, config.load(), burst=True)

    start()
    reader = spawn(burst)
    wait_until(lambda: len(document.readings) > 1)
    helper = spawn(burst)

    assert (reap(helper), reap(reader)) == (0, 0)
    assert len(document.readers) == 2


@sqlite_only
def test_a_worker_of_another_queue_does_not_help(
    document: LongDocument, database: str, storage: Path
) -> None:
    with _shared_by_another_process(document, storage):
        assert Pipeline(config.load()).invitation(["fetch", "deploy"]) is None
        assert Pipeline(config.load()).invitation(["ocr"]) is not None


@sqlite_only
def test_work_of_ones_own_goes_before_helping(
    town: Town, document: LongDocument, clerk: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A document that comes meanwhile is read long before the long one is through."""
    monkeypatch.setattr(pool, "HELP_SECONDS", 0.2)
    document.plug_in(seconds=0.25)
    (tmp_path / "other").mkdir()
    written(tmp_path / "other" / "2024-06-01 minutes.pdf", printed(LINES))
    clerk("site", "add", "shelbyville", "--from", str(tmp_path / "other"))
    start()
    supervisor = spawn(work)
    wait_until(lambda: len(document.readers) == 2)

    other = runs.start(config.load(), "shelbyville", goal=OCR)
    wait_until(lambda: not runs.Unfinished([other]))

    assert len(document.readings) < PAGES
    assert reap(supervisor) == 0


# ------------------------------------------------------------------------------- what may die


@sqlite_daily
def test_a_helper_that_is_killed_costs_its_current_page_only(
    town: Town, document: LongDocument, tmp_path: Path
) -> None:
    start()
    supervisor = spawn(work)
    wait_until(lambda: len(document.readers) == 2 and len(document.readings) > 4)
    os.kill(document.readers[1], signal.SIGKILL)

    assert reap(supervisor) == 0
    assert (town.run.state, town.counts) == ("completed", (1, 1, 0))
    assert town.items()["2024-05-15"].crashes == 0
    assert len(document.readers) == 3, "another took its place"
    assert len(document.readings) <= PAGES + 1
    assert content(text_of(town)) == read_alone(document.path, tmp_path / "alone", backend="noting")


@sqlite_daily
def test_a_reader_that_is_killed_costs_its_current_page_only(
    town: Town, document: LongDocument
) -> None:
    start()
    supervisor = spawn(work)
    wait_until(lambda: len(document.readers) == 2 and len(document.readings) > 8)
    os.kill(document.readers[0], signal.SIGKILL)

    assert reap(supervisor) == 0
    item = town.items()["2024-05-15"]
    assert (item.attempt, item.crashes) == (2, 0), "the page is blamed, not its document"
    assert len(document.readings) <= PAGES + 1, "what was read before was not read again"
    failed = load_failed_pages(text_of(town))
    assert len(failed) == 1
    assert len(list(text_of(town).glob("page-*.txt"))) == PAGES - 1


@sqlite_daily
def test_a_supervisor_that_is_killed_costs_the_current_pages_and_none_is_blamed(
    town: Town, document: LongDocument, tmp_path: Path
) -> None:
    start()
    supervisor = spawn(work)
    wait_until(lambda: len(document.readers) == 2 and len(document.readings) > 8)
    end(supervisor, signal.SIGKILL)

    work()

    assert (town.run.state, town.counts) == ("completed", (1, 1, 0))
    assert len(document.readings) <= PAGES + 2
    assert content(text_of(town)) == read_alone(document.path, tmp_path / "alone", backend="noting")


@pytest.mark.parametrize(
    ("deed", "cause"),
    [
        ("faulthandler.disable(); os.kill(os.getpid(), signal.SIGSEGV)", "SIGSEGV"),
        ("time.sleep(600)", "time limit"),
        ("raise ValueError('cannot see')", "cannot see"),
        ("image = bytearray(1 << 40)", "MemoryError"),
    ],
    ids=["crashes", "hangs", "raises", "memory"],
)
@sqlite_only
def test_a_page_that_no_reader_survives_is_the_only_one_that_fails(
    town: Town, document: LongDocument, deed: str, cause: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PAGE_SECONDS", "3")
    document.plug_in(deed=deed, seconds=0.05)

    start()
    work()

    assert town.counts == (1, 0, 1)
    failed = load_failed_pages(text_of(town))
    assert list(failed) == [ODD_PAGE]
    assert cause in failed[ODD_PAGE]
    assert len(list(text_of(town).glob("page-*.txt"))) == PAGES - 1
    assert len(document.readings) <= PAGES + 2, "only that page was looked at again"


@sqlite_only
def test_one_ctrl_c_ends_helping_after_the_current_page(town: Town, document: LongDocument) -> None:
    document.plug_in(seconds=0.3)
    start()
    supervisor = spawn(work)
    wait_until(lambda: len(document.readers) == 2)
    helper = document.readers[1]
    os.kill(supervisor, signal.SIGINT)

    assert reap(supervisor) == 130
    helped = [line for line in document._lines() if line.startswith(f"{helper} ")]
    assert len(helped) <= PAGES // 4, "it stopped early; the other read the rest"
    assert town.counts == (1, 1, 0), "the document in hand is finished"
    work()


# --------------------------------------------------------------------------- the shared folder


@contextlib.contextmanager
def _shared_by_another_process(document: LongDocument, storage_dir: Path) -> Iterator[Path]:
    """A shared document whose reader lives in another process and does nothing."""
    path = document.write()
    shared = shared_document(path)
    parent = shared_reading_folder(storage_dir)

    def read() -> None:
        assert SharedPages.create(parent, shared, range(1, PAGES + 1))
        time.sleep(60)

    reader = spawn(read)
    wait_until(lambda: find_waiting_document(parent) is not None)
    try:
        yield parent / shared.key
    finally:
        end(reader, signal.SIGKILL)


def shared_document(path: Path) -> SharedDocument:
    options = ReadingOptions(backend="noting")
    return SharedDocument(str(path), file_version(path), documents.fingerprint(options), options)


def ignore(page: int, pages: int, seconds: float) -> None:
    pass


def test_a_page_is_taken_by_one_helper_and_by_the_reader(
    document: LongDocument, storage: Path
) -> None:
    with _shared_by_another_process(document, storage) as folder:
        assert help_with_page(folder, ignore)

        with contextlib.closing(SharedPages(folder)) as shared:
            assert shared.waiting() == list(range(2, PAGES + 1))
            assert shared.result(1) is not None
        for _ in range(PAGES - 1):
            assert help_with_page(folder, ignore)
        assert not help_with_page(folder, ignore)
        assert find_waiting_document(folder.parent) is None
    assert len(document.readings) == PAGES


def test_a_document_with_a_living_reader_is_not_shared_twice(
    document: LongDocument, storage: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shared_pages, "_READER_PATIENCE_SECONDS", 0.05)
    with _shared_by_another_process(document, storage) as folder:
        assert SharedPages.create(folder.parent, shared_document(document.path), [1, 2]) is None


def test_pages_of_a_dead_reader_are_offered_to_nobody_and_in_the_end_removed(
    document: LongDocument, storage: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with _shared_by_another_process(document, storage) as folder:
        pass

    assert find_waiting_document(folder.parent) is None
    assert shared_folders(storage) == [folder], "the next attempt goes on from there"
    monkeypatch.setattr(shared_pages, "ABANDONED_SECONDS", -1.0)
    assert find_waiting_document(folder.parent) is None
    assert shared_folders(storage) == []


@pytest.mark.parametrize("change", ["the file", "the engine"])
def test_nobody_helps_who_would_read_something_else(
    document: LongDocument, storage: Path, change: str
) -> None:
    with _shared_by_another_process(document, storage) as folder:
        if change == "the file":
            document.write(PAGES + 1)
        else:
            document.plug_in(version="2")

        def help_out() -> None:
            with pytest.raises(CannotHelp):
                help_with_page(folder, ignore)

        assert reap(spawn(help_out)) == 0
        with contextlib.closing(SharedPages(folder)) as shared:
            assert len(shared.waiting()) == PAGES


def test_a_result_that_cannot_be_decoded_is_made_again(
    document: LongDocument, storage: Path, tmp_path: Path
) -> None:
    path, parent = document.write(), shared_reading_folder(storage)
    options = ReadingOptions(backend="noting")
    expected = read_alone(path, tmp_path / "alone", backend="noting")

    def die_halfway() -> None:
        def stop(page: int, pages: int, seconds: float) -> None:
            if len(document.readings) == PAGES + 12:
                os._exit(7)

        read_and_store(path, tmp_path / "txt", options, SHA, stop, share_in=parent)

    assert reap(spawn(die_halfway)) == 7
    (folder,) = shared_folders(storage)
    (folder / "page-3.seen").write_bytes(b"\x00half a")
    read_and_store(path, tmp_path / "txt", options, sha256_of(path), share_in=parent)

    assert content(tmp_path / "txt") == expected
    assert len(document.readings) == 2 * PAGES + 1
    assert shared_folders(storage) == []


def test_a_short_document_is_shared_with_nobody(tmp_path: Path, storage: Path) -> None:
    few = [picture_of(LINES, 100)] * (documents.SHARED_FROM_PAGES - 1)
    path, parent = (
        written(tmp_path / "few.pdf", scanned(*few)),
        shared_reading_folder(storage),
    )

    read_and_store(path, tmp_path / "txt", ReadingOptions(), SHA, share_in=parent)

    assert not parent.exists()


def test_an_engine_that_is_missing_is_found_before_pages_are_shared(
    document: LongDocument, storage: Path, tmp_path: Path
) -> None:
    parent = shared_reading_folder(storage)
    options = ReadingOptions(backend="noting", languages=("tlh",))

    with pytest.raises(MissingTool):
        read_and_store(document.write(), tmp_path / "txt", options, SHA, share_in=parent)

    assert shared_folders(storage) == []
