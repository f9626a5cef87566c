"""Building a large site from nothing: several processes, one index of the text, two databases."""

from __future__ import annotations

import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import textwrap
import threading
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from small_sites import SITE, ask, content, vote, write_found, write_text

from clerk.core.errors import StorageUnusable
from clerk.core.storage import Document
from clerk.search import Query, index, search
from clerk.site_db import compile_site
from clerk.site_db.fts import Part
from clerk.site_db.schema import LAST_PAGE, PAGE_BITS, TOKENIZER

#: More than the builder reads by itself.
DOCUMENTS = 120


def write_site(folder: Path, documents: int = DOCUMENTS) -> None:
    """Minutes and agendas of different lengths; every seventh of them with a vote."""
    for number in range(documents):
        kind = "agendas" if number % 3 == 0 else "minutes"
        pages = [
            f"common word{number} page{page} zo-\nning café {'and ' * (number % 5)}"
            for page in range(1 + number % 4)
        ]
        document = write_text(folder, f"{kind}/Council/{1800 + number}", pages)
        if number % 7 == 0:
            write_found(folder, document, pages, [vote(1)])


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    place = tmp_path / "sites" / "springfield"
    write_site(place)
    return place


def in_a_thread(action: Any) -> None:
    """Run something in a process with another thread, which must not be forked."""
    thread = threading.Thread(target=action)
    thread.start()
    thread.join()


def test_several_processes_build_what_one_builds(folder: Path, tmp_path: Path) -> None:
    copy = tmp_path / "alone" / folder.name
    shutil.copytree(folder, copy)

    report = compile_site(folder, SITE)
    in_a_thread(lambda: compile_site(copy, SITE))

    assert (report.documents, report.added, report.rebuilt) == (DOCUMENTS, DOCUMENTS, True)
    assert content(report.path) == content(copy / "meetings.db")


def test_after_a_build_by_several_processes_changes_are_small(folder: Path, tmp_path: Path) -> None:
    compile_site(folder, SITE)
    write_text(folder, "minutes/Council/1801", ["another text"])
    write_text(folder, "minutes/Council/2001", ["a new text"])
    shutil.rmtree(Document.from_name("minutes/Council/1802").text(folder))

    report = compile_site(folder, SITE)

    assert (report.added, report.updated, report.removed, report.rebuilt) == (1, 1, 1, False)
    copy = tmp_path / "anew" / folder.name
    shutil.copytree(folder, copy, ignore=shutil.ignore_patterns("meetings.db", "compile.*"))
    assert content(report.path) == content(compile_site(copy, SITE).path)
    assert search(folder.parent, Query("common")).total == pages_of(report.path) - 2
    assert search(folder.parent, Query("another")).total == 1


def pages_of(path: Path) -> int:
    return sum(ask(path, f"SELECT count(*) FROM {kind}")[0][0] for kind in ("minutes", "agendas"))


def plain_index(sites: Path) -> sqlite3.Connection:
    """Index what the index over all sites is to hold by plain SQL, one row after the other."""
    plain = sqlite3.connect(":memory:")
    plain.execute(f"CREATE VIRTUAL TABLE pages_fts USING fts5(search_text, tokenize='{TOKENIZER}')")
    query = """SELECT documents.id, documents.name, kind, subdomain FROM documents
               JOIN sites ON sites.id = site ORDER BY documents.id"""
    for number, name, kind, subdomain in ask(sites / "sites.db", query):
        pages = ask(
            sites / subdomain / "meetings.db",
            f"SELECT page, search_text FROM {kind} WHERE document = ? ORDER BY page",
            name,
        )
        plain.executemany(
            "INSERT INTO pages_fts(rowid, search_text) VALUES (?, ?)",
            [(number << PAGE_BITS | page, text) for page, text in pages],
        )
    return plain


def answers(connection: sqlite3.Connection) -> list[Any]:
    """Every word at every place, and how the pages with some of them rank."""
    connection.execute("INSERT INTO pages_fts(pages_fts) VALUES ('integrity-check')")
    connection.execute("CREATE VIRTUAL TABLE temp.v USING fts5vocab(main, pages_fts, instance)")
    ranks = "SELECT rowid, round(rank, 9) FROM pages_fts WHERE pages_fts MATCH ? ORDER BY 1"
    return [
        connection.execute('SELECT term, doc, "offset" FROM temp.v ORDER BY 1, 2, 3').fetchall(),
        *(connection.execute(ranks, (each,)).fetchall() for each in ("and", "zon*", '"zoning c*"')),
    ]


def test_the_index_over_all_sites_is_what_plain_sql_makes(folder: Path) -> None:
    other = folder.parent / "shelbyville"
    write_site(other, documents=DOCUMENTS + 10)
    compile_site(folder, SITE)
    compile_site(other, {"subdomain": "shelbyville"})

    with (
        closing(sqlite3.connect(folder.parent / "sites.db")) as connection,
        closing(plain_index(folder.parent)) as plain,
    ):
        assert answers(connection) == answers(plain)
        counts = dict(connection.execute("SELECT name, pages FROM counts").fetchall())
    assert (counts["stale"], counts["live"]) == (
        0,
        pages_of(folder / "meetings.db") + pages_of(other / "meetings.db"),
    )


def test_both_databases_share_one_index_of_the_text(folder: Path) -> None:
    path = compile_site(folder, SITE).path

    in_site = ask(path, "SELECT rowid, id FROM minutes ORDER BY rowid")
    numbers = dict(ask(folder.parent / "sites.db", "SELECT public_id, id FROM documents"))
    for rowid, page_id in in_site:
        document, _, page = page_id.partition("-")
        assert rowid == numbers[document] << PAGE_BITS | int(page)


def test_a_site_that_grew_much_takes_the_place_of_what_the_index_had(folder: Path) -> None:
    small = folder.parent / "shelbyville"
    write_site(small, documents=10)
    compile_site(small, {"subdomain": "shelbyville"})
    write_site(small)

    report = compile_site(small, {"subdomain": "shelbyville"})

    assert report.rebuilt
    assert search(small.parent, Query("common")).total == report.pages
    assert ask(small.parent / "sites.db", "SELECT count(*) FROM documents") == [(DOCUMENTS,)]


def test_a_database_that_was_lost_does_not_fill_the_index_again(folder: Path) -> None:
    compile_site(folder, SITE)
    before = ask(folder.parent / "sites.db", "SELECT id, name FROM documents ORDER BY id")
    (folder / "meetings.db").unlink()

    compile_site(folder, SITE)

    assert ask(folder.parent / "sites.db", "SELECT id, name FROM documents ORDER BY id") == before


def test_a_site_left_out_of_the_index_is_taken_in_later(folder: Path) -> None:
    report = compile_site(folder, SITE, into_index=False)
    assert not (folder.parent / "sites.db").exists()

    compile_site(folder, SITE)

    assert search(folder.parent, Query("common")).total == report.pages


def test_a_page_with_a_number_that_does_not_fit_is_compiled_like_any_other(folder: Path) -> None:
    document = Document.from_name("minutes/Council/1801")
    (document.text(folder) / f"page-{LAST_PAGE + 9}.txt").write_text("faraway")

    path = compile_site(folder, SITE).path

    assert content(path)["minutes"]
    query = """SELECT page FROM minutes_fts JOIN minutes ON minutes.rowid = minutes_fts.rowid
               WHERE minutes_fts MATCH ?"""
    assert ask(path, query, "faraway") == [(LAST_PAGE + 9,)]
    assert ask(path, f"{query} ORDER BY page", "word1") == [(1,), (2,)]
    assert search(folder.parent, Query("word1")).total == 2
    assert not compile_site(folder, SITE).changed


def test_a_text_that_cannot_be_read_fails_the_build_and_leaves_the_old_one(folder: Path) -> None:
    before = content(compile_site(folder, SITE).path)
    page = Document.from_name("minutes/Council/1802").text(folder) / "page-1.txt"
    page.unlink()
    page.mkdir()
    (folder / "_clerk" / "compile.state").unlink()

    with pytest.raises(StorageUnusable, match="Is a directory"):
        compile_site(folder, SITE)

    assert content(folder / "meetings.db") == before
    assert not list((folder / "_clerk").glob("compile.part.*/*.db-wal"))


def arriving(folder: Path, text: str) -> tuple[index.Arrival, index.Built, Path]:
    """A site of one page on its way into the index."""
    reserved = index.reserve(folder.parent, "capital", documents=1)
    assert reserved is not None
    path = folder.parent / "arriving.db"
    part = Part(path, ["minutes_fts", "agendas_fts"])
    part.connection.execute("BEGIN")
    part.add("minutes_fts", [(reserved.first << PAGE_BITS | 1, text)])
    part.finish()
    built = index.Built(reserved.first, "f" * 16, "minutes/A/1", "minutes", "A", "1", 1, "d")
    about = {"subdomain": "capital"}
    return index.Arrival(folder.parent / "capital", about, reserved), built, path


def test_what_is_moved_into_the_index_is_seen_only_in_the_end(folder: Path) -> None:
    pages = compile_site(folder, SITE).pages
    arrival, document, part = arriving(folder, "common")
    assert search(folder.parent, Query("common")).total == pages

    arrival.take(part)
    assert search(folder.parent, Query("common")).total == pages
    arrival.reveal([document], "digest")

    assert search(folder.parent, Query("common")).total == pages + 1


def test_numbers_reserved_before_the_index_was_made_again_are_refused(folder: Path) -> None:
    pages = compile_site(folder, SITE).pages
    arrival, _, part = arriving(folder, "common")
    index.remake(folder.parent)

    with pytest.raises(sqlite3.DatabaseError, match="made again"):
        arrival.take(part)

    assert search(folder.parent, Query("common")).total == pages


#: Kills itself, but not the processes it has forked, at the given step of its work with files.
KILLED_AT_STEP = textwrap.dedent(
    """
    import os, signal, sys
    from pathlib import Path

    storage, step = sys.argv[1], int(sys.argv[2])
    WATCHED = ("open", "os.rename", "os.link", "os.remove", "os.mkdir", "os.fork",
               "sqlite3.connect", "fcntl.flock", "shutil.rmtree")
    seen, builder = 0, os.getpid()

    def watch(event, arguments):
        global seen
        if event in WATCHED and os.getpid() == builder:
            seen += 1
            if seen == step:
                os.kill(builder, signal.SIGKILL)

    from clerk.site_db import compile_site
    import clerk.search.index

    sys.addaudithook(watch)
    compile_site(Path(storage) / "springfield", {"subdomain": "springfield", "name": "Springfield",
                                                 "state": "IL"})
    """
)


def killed(storage: Path, step: int) -> bool:
    done = subprocess.run([sys.executable, "-c", KILLED_AT_STEP, str(storage), str(step)])
    assert done.returncode in (0, -signal.SIGKILL)
    return done.returncode != 0


def test_killed_anywhere_it_leaves_all_or_nothing_and_no_process(
    folder: Path, tmp_path: Path
) -> None:
    copy = tmp_path / "undisturbed" / folder.name
    shutil.copytree(folder, copy)
    expected = content(compile_site(copy, SITE).path)
    storage = tmp_path / "killed"

    kills = 0
    for step in range(2, 400, 11):
        shutil.rmtree(storage, ignore_errors=True)
        shutil.copytree(folder.parent, storage)
        if not killed(storage, step):
            break
        kills += 1
        if (storage / "springfield" / "meetings.db").exists():
            assert content(storage / "springfield" / "meetings.db") == expected
        # Waits for the lock, which a process that is left over would keep.
        report = compile_site(storage / "springfield", SITE)
        assert content(report.path) == expected
        assert search(storage, Query("common")).total == report.pages
        assert not list((storage / "springfield" / "_clerk").glob("compile.part*"))

    assert kills > 3


def test_a_process_that_is_killed_fails_the_build(folder: Path) -> None:
    script = textwrap.dedent(
        """
        import os, signal, sys
        from pathlib import Path

        builder = os.getpid()

        def watch(event, arguments):
            if event == "open" and os.getpid() != builder and "1803" in str(arguments):
                os.kill(os.getpid(), signal.SIGKILL)

        from clerk.core.errors import StorageUnusable
        from clerk.site_db import compile_site

        sys.addaudithook(watch)
        try:
            compile_site(Path(sys.argv[1]), {"subdomain": "springfield"})
        except StorageUnusable as error:
            print(error)
        """
    )
    if (os.cpu_count() or 1) == 1:
        pytest.skip("the builder reads by itself")

    done = subprocess.run([sys.executable, "-c", script, str(folder)], capture_output=True)

    assert b"killed by SIGKILL" in done.stdout
    assert not (folder / "meetings.db").exists()
