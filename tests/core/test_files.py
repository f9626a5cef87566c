"""Files of a site in a store: what is fetched, kept and removed from this machine's cache."""

from __future__ import annotations

import contextlib
import hashlib
import sqlite3
from pathlib import Path

import pytest
from test_object_store import in_own_process

from clerk.core import storage
from clerk.core.config import Settings
from clerk.core.errors import ObjectLost
from clerk.core.files import Cache, SiteFiles, pack_text, unpack_text
from clerk.core.storage import Document

COUNCIL = Document("minutes", "CityCouncil", "2024-01-15")


@pytest.fixture
def store_url(tmp_path: Path) -> str:
    (tmp_path / "store").mkdir()
    return f"file://{tmp_path}/store"


def machine(tmp_path: Path, name: str, url: str, cache_mb: int = 1) -> SiteFiles:
    """A machine with a storage directory of its own."""
    settings = Settings(storage_dir=tmp_path / name, storage_url=url, storage_cache_mb=cache_mb)
    return SiteFiles(settings, "springfield")


def write_pdf(files: SiteFiles, document: Document, content: bytes) -> str:
    path = document.pdf(files.folder)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    sha256 = hashlib.sha256(content).hexdigest()
    files.keep_pdf(document, sha256)
    return sha256


def write_text(files: SiteFiles, document: Document, *pages: str) -> str:
    folder = document.text(files.folder)
    folder.mkdir(parents=True, exist_ok=True)
    for number, page in enumerate(pages, 1):
        (folder / f"page-{number}.txt").write_text(page)
    return files.keep_text(document)


@in_own_process
def test_another_machine_gets_what_one_has_written(tmp_path: Path, store_url: str) -> None:
    here, there = (machine(tmp_path, name, store_url) for name in ("here", "there"))
    pdf = write_pdf(here, COUNCIL, b"%PDF-1")
    text = write_text(here, COUNCIL, "one", "two")
    found = here.keep_findings(COUNCIL, b'{"votes": []}')

    with there.pdf(COUNCIL, pdf) as path:
        assert path == COUNCIL.pdf(there.folder) and path.read_bytes() == b"%PDF-1"
    with there.text(COUNCIL, text) as folder:
        assert (folder / "page-2.txt").read_text() == "two"
    assert there.findings(COUNCIL, found) == b'{"votes": []}'


@in_own_process
def test_a_machine_with_older_bytes_gets_the_newer(tmp_path: Path, store_url: str) -> None:
    here, there = (machine(tmp_path, name, store_url) for name in ("here", "there"))
    old = write_text(here, COUNCIL, "old")
    with there.text(COUNCIL, old):
        pass

    new = write_text(here, COUNCIL, "new", "page")

    with there.text(COUNCIL, new) as folder:
        assert sorted(path.name for path in folder.iterdir()) == ["page-1.txt", "page-2.txt"]
        assert (folder / "page-1.txt").read_text() == "new"


@in_own_process
def test_what_is_in_use_stays_and_the_oldest_makes_room(tmp_path: Path, store_url: str) -> None:
    files = machine(tmp_path, "here", store_url)
    documents = [Document("minutes", "Council", f"2024-01-{day:02}") for day in range(1, 6)]
    large = b"%PDF-" + b"x" * 400_000
    hashes = [write_pdf(files, documents[0], large)]
    with files.pdf(documents[0], hashes[0]) as in_use:
        for document in documents[1:]:
            hashes.append(write_pdf(files, document, large + document.date.encode()))

        assert in_use.read_bytes() == large
        on_disk = [document for document in documents if document.pdf(files.folder).exists()]
        assert documents[0] in on_disk and documents[4] in on_disk and len(on_disk) < 4
    with files.pdf(documents[1], hashes[1]) as again:
        assert again.read_bytes() == large + b"2024-01-02"


@in_own_process
def test_a_cache_smaller_than_one_document_still_works(tmp_path: Path, store_url: str) -> None:
    files = machine(tmp_path, "here", store_url)
    sha256 = write_pdf(files, COUNCIL, b"%PDF-" + b"x" * 3_000_000)

    with files.pdf(COUNCIL, sha256) as path:
        assert path.stat().st_size == 3_000_005
        Cache(files.settings.storage_dir, 1).make_room()
        assert path.exists()


@in_own_process
def test_the_size_of_the_cache_is_counted_as_files_come_change_and_go(
    tmp_path: Path, store_url: str
) -> None:
    files = machine(tmp_path, "here", store_url)
    other = Document("minutes", "Council", "2024-02-01")
    write_pdf(files, COUNCIL, b"%PDF-" + b"x" * 95)
    write_pdf(files, COUNCIL, b"%PDF-" + b"y" * 195)
    write_pdf(files, other, b"%PDF-" + b"z" * 295)

    def counted() -> tuple[int, int]:
        path = storage.cache_database(files.settings.storage_dir)
        with contextlib.closing(sqlite3.connect(path)) as db:
            query = "SELECT (SELECT bytes FROM held), (SELECT sum(bytes) FROM files)"
            told, summed = db.execute(query).fetchone()
        return told, summed

    assert counted() == (500, 500)
    # Two files fit, 300 bytes do not stay under four fifths of it.
    Cache(files.settings.storage_dir, 499).make_room()
    assert counted() == (300, 300)


@in_own_process
def test_what_the_store_lacks_is_named(tmp_path: Path, store_url: str) -> None:
    files = machine(tmp_path, "here", store_url)

    with pytest.raises(ObjectLost, match="ff" * 32) as lost, files.pdf(COUNCIL, "ff" * 32):
        pass
    assert (lost.value.kind, lost.value.document) == ("pdf", COUNCIL.name)


def test_without_a_store_the_folder_is_the_only_place(tmp_path: Path) -> None:
    files = machine(tmp_path, "here", "")
    sha256 = write_pdf(files, COUNCIL, b"%PDF-1")

    with files.pdf(COUNCIL, sha256) as path:
        assert path.read_bytes() == b"%PDF-1"
    assert write_text(files, COUNCIL, "one") == write_text(files, COUNCIL, "one")
    assert not (tmp_path / "here" / "_clerk").exists()


def test_a_packed_text_comes_back_file_by_file(tmp_path: Path) -> None:
    folder = tmp_path / "txt"
    folder.mkdir()
    (folder / "page-1.txt").write_bytes("Ärzte\r\n".encode())
    (folder / "words.json").write_bytes(b"{}")

    unpack_text(pack_text(folder), tmp_path / "again")

    assert pack_text(tmp_path / "again") == pack_text(folder)
    assert (tmp_path / "again" / "page-1.txt").read_bytes() == "Ärzte\r\n".encode()
