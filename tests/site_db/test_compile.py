"""Compiling: texts and findings become ``meetings.db``, whole, incremental, repeatable."""

from __future__ import annotations

import json
import os
import random
import shutil
import sqlite3
import threading
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from small_sites import (
    SITE,
    TABLES,
    appearance,
    ask,
    compile_folder,
    content,
    presence,
    remove_text,
    rows_of_folder,
    vote,
    write_found,
    write_legacy_text,
    write_text,
)

from clerk.core.config import Settings
from clerk.core.errors import SiteOutdated, StorageIncomplete, StorageUnusable
from clerk.core.files import SiteFiles
from clerk.core.storage import Document
from clerk.site_db import CompileReport, compile_site, schema
from clerk.site_db.build import content_of
from clerk.site_db.queries import open_site
from clerk.site_db.rows import search_text

COUNCIL = "minutes/CityCouncil/2024-01-15"
PLANNING = "minutes/Planning/2024-02-01"
AGENDA = "agendas/CityCouncil/2024-01-15"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    place = tmp_path / "sites" / "springfield"
    write_text(place, COUNCIL, ["The council met.", "A zoning variance was granted."])
    write_text(place, PLANNING, ["The commission met."])
    write_text(place, AGENDA, ["Call to order"])
    return place


def built_anew(folder: Path, tmp_path: Path) -> Path:
    """Compile a copy of the site from nothing and return its database."""
    copy = tmp_path / "anew" / folder.name
    shutil.rmtree(copy.parent, ignore_errors=True)
    shutil.copytree(folder, copy, ignore=shutil.ignore_patterns("meetings.db", "compile.*"))
    return compile_folder(copy, SITE).path


def test_every_page_is_a_row_of_its_kind(folder: Path) -> None:
    report = compile_folder(folder, SITE)

    assert (report.documents, report.pages, len(report.added)) == (3, 4, 3)
    rows = ask(report.path, "SELECT meeting, date, page, text FROM minutes ORDER BY date, page")
    assert rows == [
        ("CityCouncil", "2024-01-15", 1, "The council met."),
        ("CityCouncil", "2024-01-15", 2, "A zoning variance was granted."),
        ("Planning", "2024-02-01", 1, "The commission met."),
    ]
    assert ask(report.path, "SELECT text FROM agendas") == [("Call to order",)]


def test_a_page_keeps_its_id_when_everything_is_built_again(folder: Path, tmp_path: Path) -> None:
    path = compile_folder(folder, SITE).path
    before = ask(path, "SELECT id FROM minutes ORDER BY id")
    write_text(folder, "minutes/Airport/2020-01-01", ["First of all."])

    again = built_anew(folder, tmp_path)

    assert set(before) < set(ask(again, "SELECT id FROM minutes"))


def test_the_same_document_of_two_towns_has_two_ids(folder: Path, tmp_path: Path) -> None:
    other = tmp_path / "sites" / "shelbyville"
    write_text(other, COUNCIL, ["The council met."])

    here = ask(compile_folder(folder, SITE).path, "SELECT id FROM minutes")
    there = ask(compile_folder(other, {"subdomain": "shelbyville"}).path, "SELECT id FROM minutes")

    assert not set(here) & set(there)


def test_nothing_new_is_no_work(folder: Path) -> None:
    compile_folder(folder, SITE)
    before = (folder / "meetings.db").stat()

    report = compile_folder(folder, SITE)

    assert not report.changed
    assert os.path.samestat((folder / "meetings.db").stat(), before)


def test_a_word_broken_at_the_end_of_a_line_is_found_whole(folder: Path) -> None:
    write_text(folder, PLANNING, ["the develop-\nment of Maple-\nwood and self-\nhelp; self-help"])

    path = compile_folder(folder, SITE).path

    assert found(path, "development") == [PLANNING]
    assert found(path, '"self help"') == [PLANNING]
    assert ask(path, "SELECT text FROM minutes WHERE document = ?", PLANNING) == [
        ("the develop-\nment of Maple-\nwood and self-\nhelp; self-help",)
    ]


@pytest.mark.parametrize(
    ("raw", "searched"),
    [
        ("plain", "plain"),
        ("ordi-\nnance", "ordinance"),
        ("ordi-\r\n  nance", "ordinance"),
        ("ordi\ufffenance", "ordinance"),
        ("ordi\u00ad\nnance or\u00addi", "ordinance ordi"),
        ("2020-\n2021", "2020-\n2021"),
        ("Smith-\nJones", "Smith-Jones"),
        ("oﬃce", "office"),
    ],
)
def test_the_search_copy_joins_only_broken_words(raw: str, searched: str) -> None:
    assert search_text(raw) == searched


def found(path: Path, query: str) -> list[str]:
    rows = ask(
        path,
        """SELECT document FROM minutes_fts JOIN minutes ON minutes.rowid = minutes_fts.rowid
           WHERE minutes_fts MATCH ? ORDER BY document""",
        query,
    )
    return [row[0] for row in rows]


def test_prefixes_and_snippets_work(folder: Path) -> None:
    path = compile_folder(folder, SITE).path

    shown = ask(
        path,
        """SELECT snippet(minutes_fts, 0, '[', ']', '…', 5) FROM minutes_fts
           WHERE minutes_fts MATCH 'vari*'""",
    )

    assert shown == [("A zoning [variance] was granted.",)]


def test_datasette_finds_tables_keys_and_full_text(folder: Path) -> None:
    utils = pytest.importorskip("datasette.utils")
    with closing(sqlite3.connect(compile_folder(folder, SITE).path)) as connection:
        assert utils.detect_fts(connection, "minutes") == "minutes_fts"
        assert utils.detect_fts(connection, "agendas") == "agendas_fts"
        assert utils.detect_primary_keys(connection, "minutes") == ["id"]
        keys = utils.get_outbound_foreign_keys(connection, "votes")
        assert [key["other_table"] for key in keys] == ["votes", "documents"]
        assert connection.execute("PRAGMA foreign_key_check").fetchall() == []


def test_votes_and_entities_are_compiled_in(folder: Path) -> None:
    compile_folder(folder, SITE)
    pages = ["The council met.", "A zoning variance was granted."]
    document = write_text(folder, COUNCIL, pages)
    write_found(folder, document, pages, [vote(2), vote(2, ayes=[], noes=[])])

    path = compile_folder(folder, SITE).path

    assert ask(path, "SELECT page, mover, result, tally FROM votes WHERE id LIKE '%v1'") == [
        (2, "Lee", "passed", '{"yes":2,"no":1}')
    ]
    assert ask(path, "SELECT member, ballot FROM vote_members ORDER BY member") == [
        ("Diaz", "no"),
        ("Lee", "aye"),
        ("Wu", "aye"),
    ]
    query = "SELECT votes_json, entities_json FROM minutes WHERE document = ? ORDER BY page"
    first, second = ask(path, query, COUNCIL)
    assert json.loads(first[0]) == [] and len(json.loads(second[0])) == 2
    assert json.loads(first[1])[0]["value"] == "5"


def test_names_that_are_not_certain_are_in_nobodys_record(folder: Path) -> None:
    pages = ["The council met.", "A zoning variance was granted."]
    document = write_text(folder, COUNCIL, pages)
    write_found(folder, document, pages, [vote(2, doubtful=["names"]), vote(2, ayes=["Ng"])])

    path = compile_folder(folder, SITE).path

    members = ask(path, "SELECT vote, member FROM vote_members ORDER BY member")
    assert [(each.rpartition("-")[2], member) for each, member in members] == [
        ("v2", "Diaz"),
        ("v2", "Ng"),
    ]
    doubtful = ask(path, "SELECT doubtful FROM votes ORDER BY id")
    assert doubtful == [('["names"]',), (None,)]


def test_what_else_was_found_is_compiled_in_and_joined_over_documents(folder: Path) -> None:
    later = "minutes/CityCouncil/2024-06-10"
    write_text(folder, later, ["x"])
    write_found(
        *(
            folder,
            Document.from_name(COUNCIL),
            ["The council met.", "A zoning variance was granted."],
        ),
        [vote(1, mover="Lee", seconder="Wu", ayes=["Wu"], noes=["Lee"])],
        items=[{"page": 1, "start": 0, "end": 3, "quote": "1. X", "number": "1", "title": "X"}],
        attendance=[
            presence("Ann Lee"),
            presence("Bo Wu", status="absent"),
            presence("Al", group="other"),
        ],
        speakers=[{"page": 1, "start": 0, "end": 3, "quote": "q", "name": "Pat", "side": "for"}],
        declarations=[
            {"page": 1, "start": 0, "end": 3, "quote": "q", "name": "Lee", "kind": "recusal"}
        ],
        matters=[appearance("ordinance 24-5", action="introduced", amounts=["5 USD"])],
    )
    write_found(
        *(folder, Document.from_name(later), ["x"]),
        [vote(1)],
        matters=[
            appearance("ordinance 2024-5"),
            appearance("case 7", action="failed", doubtful=["action"]),
        ],
    )

    path = compile_folder(folder, SITE).path

    assert ask(path, "SELECT item, item_title, page FROM agenda_items") == [("1", "X", 1)]
    assert ask(path, "SELECT printed_name, is_member, status FROM attendance ORDER BY id") == [
        ("Ann Lee", 1, "present"),
        ("Bo Wu", 1, "absent"),
        ("Al", 0, "present"),
    ]
    assert ask(path, "SELECT printed_name, side FROM speakers") == [("Pat", "for")]
    assert ask(path, "SELECT printed_name, kind FROM interests") == [("Lee", "recusal")]
    assert ask(path, "SELECT person, printed_name, first_date, last_date FROM people") == [
        ("CityCouncil/diaz", "Diaz", "2024-06-10", "2024-06-10"),
        ("CityCouncil/lee", "Ann Lee", "2024-01-15", "2024-06-10"),
        ("CityCouncil/wu", "Bo Wu", "2024-01-15", "2024-06-10"),
    ]
    assert ask(path, "SELECT matter, state, first_date, appearances FROM matters") == [
        ("case 7", "mentioned", "2024-06-10", 1),
        ("ordinance 2024-5", "passed", "2024-01-15", 2),
    ]
    assert ask(path, "SELECT count(*) FROM matter_votes JOIN votes ON votes.id = vote") == [(3,)]


def test_a_page_that_was_not_extracted_says_so(folder: Path) -> None:
    path = compile_folder(folder, SITE).path

    assert ask(path, "SELECT DISTINCT votes_json, entities_json FROM minutes") == [(None, None)]


def test_findings_about_another_text_are_left_out(folder: Path) -> None:
    document = write_text(folder, PLANNING, ["A new text."])
    write_found(folder, document, ["The old text."], [vote(1)])

    path = compile_folder(folder, SITE).path

    assert ask(path, "SELECT count(*) FROM votes") == [(0,)]


def test_a_document_with_holes_keeps_its_good_pages_and_is_marked(folder: Path) -> None:
    write_text(folder, PLANNING, ["one", "two", "three"], failed={2: "the page is too dark"})

    path = compile_folder(folder, SITE).path

    assert ask(path, "SELECT page FROM minutes WHERE document = ?", PLANNING) == [(1,), (3,)]
    query = "SELECT pages, failed_pages, sha256, confidence FROM documents WHERE name = ?"
    assert ask(path, query, PLANNING) == [(3, '{"2":"the page is too dark"}', "f00d", 0.9)]


def test_text_of_an_older_installation_is_compiled(folder: Path) -> None:
    write_legacy_text(folder, "minutes/Board/2001-01-01", ["typed by hand"])
    flat = folder / "txt" / "Board" / "1999-01-01.txt"
    flat.write_text("page one\fpage two")

    path = compile_folder(folder, SITE).path

    query = "SELECT document, page, text FROM minutes WHERE meeting = 'Board' ORDER BY id"
    assert sorted(ask(path, query)) == [
        ("minutes/Board/1999-01-01", 1, "page one"),
        ("minutes/Board/1999-01-01", 2, "page two"),
        ("minutes/Board/2001-01-01", 1, "typed by hand"),
    ]


def test_text_without_facts_may_be_edited_in_place(folder: Path) -> None:
    document = write_legacy_text(folder, "minutes/Board/2001-01-01", ["typed by hand"])
    compile_folder(folder, SITE)
    (document.text(folder) / "page-1.txt").write_text("mended")

    report = compile_folder(folder, SITE)

    assert (list(report.updated), report.rebuilt) == ([document.name], False)
    assert found(report.path, "mended") == [document.name]


def test_odd_names_and_odd_text_are_compiled(folder: Path) -> None:
    name = 'minutes/Comité d\'urbanisme "2"/日付 2024 ' + "x" * 100
    write_text(folder, name, ["\u0000 <script>\u202e café 😀"])
    legacy = write_legacy_text(folder, "minutes/Board/1900", ["x"])
    (legacy.text(folder) / "page-1.txt").write_bytes(b"bad \xff\xfe utf-8 \x00")

    path = compile_folder(folder, SITE).path

    assert ask(path, "SELECT count(*) FROM minutes WHERE document = ?", name) == [(1,)]
    assert found(path, "cafe") == [name]


STEPS = [
    lambda folder: write_text(folder, PLANNING, ["Changed.", "And longer."]),
    lambda folder: write_text(folder, "minutes/Airport/2020-01-01", ["New."]),
    lambda folder: remove_text(folder, COUNCIL),
    lambda folder: write_text(folder, COUNCIL, ["Back again."]),
    lambda folder: write_found(folder, _named(PLANNING), ["Changed.", "And longer."], [vote(1)]),
    lambda folder: write_text(folder, AGENDA, ["1", "2"], failed={1: "no"}),
    lambda folder: write_found(folder, _named(PLANNING), ["Changed.", "And longer."], [vote(2)]),
    lambda folder: write_legacy_text(folder, "minutes/Board/2001", ["Typed.", "By hand."]),
    lambda folder: write_legacy_text(folder, "minutes/Board/2001", ["Edited in place."]),
    lambda folder: shutil.rmtree(folder / "_agendas"),
]


def _named(name: str):  # type: ignore[no-untyped-def]
    from clerk.core.storage import Document

    return Document.from_name(name)


def test_step_by_step_gives_what_a_full_build_gives(folder: Path, tmp_path: Path) -> None:
    compile_folder(folder, SITE)
    for step in STEPS:
        step(folder)
        report = compile_folder(folder, SITE)
        assert not report.rebuilt
        if report.changed:
            assert content(report.path) == content(built_anew(folder, tmp_path))


def test_a_large_site_is_indexed_like_a_small_one(tmp_path: Path) -> None:
    folder = tmp_path / "sites" / "springfield"
    for number in range(60):
        pages = [f"word{number} page{page} common" for page in range(20)]
        write_text(folder, f"minutes/Council/{1900 + number}", pages)

    path = compile_folder(folder, SITE).path

    assert ask(path, "SELECT count(*) FROM minutes_fts WHERE minutes_fts MATCH 'common'") == [
        (1200,)
    ]
    assert len(content(path)["found"]) == 3600


def test_a_renamed_site_is_written_without_touching_its_pages(folder: Path) -> None:
    compile_folder(folder, SITE)

    report = compile_folder(folder, SITE | {"name": "New Springfield"})

    query = "SELECT value FROM about WHERE key = 'name'"
    assert ask(report.path, query) == [("New Springfield",)]
    assert (report.added, report.updated, report.rebuilt) == ([], [], False)


def _truncate(path: Path) -> None:
    with path.open("r+b") as file:
        file.truncate(path.stat().st_size // 2)


def _scribble(path: Path) -> None:
    with path.open("r+b") as file:
        file.seek(20_000)
        file.write(os.urandom(60_000))


def _pretend_another_version(path: Path) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA user_version = 99")


@pytest.mark.parametrize(
    "damage",
    [
        _truncate,
        _scribble,
        _pretend_another_version,
        lambda path: path.write_bytes(b""),
        lambda path: path.write_bytes(b"not a database at all" * 1000),
    ],
)
def test_a_damaged_or_foreign_database_is_built_again(folder: Path, tmp_path: Path, damage) -> None:  # type: ignore[no-untyped-def]
    compile_folder(folder, SITE)
    expected = content(compile_folder(folder, SITE).path)
    damage(folder / "meetings.db")

    report = compile_folder(folder, SITE)

    assert report.rebuilt
    assert content(report.path) == expected


def test_lost_state_costs_time_but_nothing_else(folder: Path) -> None:
    expected = content(compile_folder(folder, SITE).path)
    for path in (folder / "_clerk").glob("compile.*"):
        path.unlink()

    report = compile_folder(folder, SITE)

    assert content(report.path) == expected


def test_a_reader_with_the_old_file_open_is_not_disturbed(folder: Path) -> None:
    path = compile_folder(folder, SITE).path
    with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as reader:
        before = reader.execute("SELECT text FROM minutes ORDER BY id").fetchall()
        for turn in range(4):
            write_text(folder, COUNCIL, [f"turn {turn}"])
            compile_folder(folder, SITE)
            assert reader.execute("SELECT text FROM minutes ORDER BY id").fetchall() == before


def test_trap_13_a_reader_never_sees_half_a_database(folder: Path) -> None:
    path = compile_folder(folder, SITE).path
    seen: list[tuple[str, ...]] = []
    done = threading.Event()

    def read() -> None:
        while not done.is_set():
            texts = ask(path, "SELECT text FROM minutes WHERE document = ? ORDER BY page", COUNCIL)
            hits = ask(path, "SELECT count(*) FROM minutes_fts WHERE minutes_fts MATCH 'the'")
            assert hits[0][0] >= 1
            seen.append(tuple(text for (text,) in texts))

    reader = threading.Thread(target=read)
    reader.start()
    for turn in range(25):
        write_text(folder, COUNCIL, [f"{turn} the", f"{turn} the"])
        if turn % 5 == 4:
            (folder / "_clerk" / "compile.built").unlink()
        compile_folder(folder, SITE)
    done.set()
    reader.join()

    assert len(seen) > 25
    assert all(
        len({text.split()[0] for text in texts}) == 1 for texts in seen[1:] if texts[0][0].isdigit()
    )


def test_builders_at_the_same_time_end_with_everything(folder: Path, tmp_path: Path) -> None:
    reports: list[CompileReport] = []

    def build(number: int) -> None:
        write_text(folder, f"minutes/Council/{1900 + number}", [f"number {number}"])
        reports.append(compile_folder(folder, SITE))

    threads = [threading.Thread(target=build, args=(number,)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert max(report.documents for report in reports) == 9
    assert content(folder / "meetings.db") == content(built_anew(folder, tmp_path))


def test_an_empty_site_is_an_empty_database(tmp_path: Path) -> None:
    folder = tmp_path / "sites" / "springfield"
    folder.mkdir(parents=True)

    report = compile_folder(folder, SITE)

    assert (report.documents, report.pages) == (0, 0)


def test_a_folder_that_cannot_be_written_to_is_named(folder: Path) -> None:
    (folder / "_clerk").write_text("a file where a folder should be")

    with pytest.raises(StorageUnusable, match=r"meetings\.db cannot be built"):
        compile_folder(folder, SITE)


def test_a_symlink_loop_is_not_followed(folder: Path) -> None:
    (folder / "txt" / "loop").symlink_to(folder / "txt")

    assert compile_folder(folder, SITE).documents == 3


# ------------------------------------------------------------------------- what is published


def sources_of(folder: Path) -> list[str | None]:
    rows = ask(folder / "meetings.db", "SELECT source_url FROM documents ORDER BY name")
    return [url for (url,) in rows]


def test_what_is_compiled_is_public(folder: Path, tmp_path: Path) -> None:
    facts = {
        AGENDA: {"source_url": "https://bob:pw@town.example/a.pdf?id=5&token=abc"},
        COUNCIL: {"source_url": f"file://{tmp_path}/source/Council/Jan%2015.pdf"},
    }
    reason = f"OSError: [Errno 2] No such file: '{tmp_path}/x.pdf'"
    write_text(folder, PLANNING, ["Read", "lost"], failed={2: reason})
    extra = json.dumps({"source": f"{tmp_path}/source"})
    site = SITE | {"extra": extra, "name": "Town https://bob:pw@town.example/"}

    compile_folder(folder, site, facts=facts)

    assert sources_of(folder) == [
        "https://town.example/a.pdf?id=5",
        "Council/Jan 15.pdf",
        None,
    ]
    ((failed,),) = ask(
        folder / "meetings.db", "SELECT failed_pages FROM documents WHERE name = ?", PLANNING
    )
    assert json.loads(failed) == {"2": "OSError: [Errno 2] No such file: 'x.pdf'"}
    name = ask(folder / "meetings.db", "SELECT value FROM about WHERE key = 'name'")
    assert name == [("Town https://town.example/",)]


def test_a_document_with_a_secret_in_its_name_is_left_out(folder: Path) -> None:
    compile_folder(folder, SITE)
    write_text(folder, "minutes/CityCouncil/a-token=abc123", ["Who knows?"])
    write_text(folder, "minutes/key=abc123/2024-01-15", ["Nobody."])

    report = compile_folder(folder, SITE)

    assert (report.documents, report.added) == (3, [])
    assert b"abc123" not in report.path.read_bytes()


def age(database: Path) -> None:
    """Make a file what an older version has compiled, which kept the source as it was."""
    with closing(sqlite3.connect(database)) as connection:
        connection.execute("UPDATE documents SET source_url = 'file:///home/bob/s3cret.pdf'")
        connection.execute("PRAGMA user_version = 2")
        connection.commit()


def test_nobody_reads_a_file_that_another_version_has_made(folder: Path) -> None:
    compile_folder(folder, SITE)
    with open_site(folder.parent, folder.name) as site:
        assert site.totals()["documents"]
    _pretend_another_version(folder / "meetings.db")

    with (
        pytest.raises(SiteOutdated, match="not available until its next run"),
        open_site(folder.parent, folder.name),
    ):
        pytest.fail("tables of another version were read")


def test_a_file_of_an_older_version_is_built_again_and_never_used_again(folder: Path) -> None:
    url = {"source_url": "file:///home/bob/s3cret.pdf"}
    facts = dict.fromkeys((AGENDA, COUNCIL, PLANNING), url)
    compile_folder(folder, SITE, facts=facts)
    age(folder / "meetings.db")

    assert compile_folder(folder, SITE, facts=facts).rebuilt
    for text in ("changed", "changed again", "and again"):
        write_text(folder, COUNCIL, [text])
        assert not compile_folder(folder, SITE, facts=facts).rebuilt
        assert ask(folder / "meetings.db", "PRAGMA user_version") == [(schema.VERSION,)]
        assert sources_of(folder) == ["s3cret.pdf"] * 3
        assert b"file:///home/bob" not in (folder / "meetings.db").read_bytes()


def test_every_column_of_text_says_why_it_is_public(folder: Path) -> None:
    """A column that somebody adds is decided about, or this fails."""
    path = compile_folder(folder, SITE).path
    decided = [schema.AS_READ, schema.NAMES, schema.CLEANED, schema.OWN]
    columns = {
        name
        for table in TABLES
        for _, name, kind, *_ in ask(path, f"PRAGMA table_xinfo({table})")
        if kind == "TEXT"
    }

    assert columns == set().union(*decided)
    assert sum(map(len, decided)) == len(columns), "each for one reason"


def test_every_table_and_column_of_findings_is_documented(folder: Path) -> None:
    path = compile_folder(folder, SITE).path
    docs = (Path(__file__).parents[2] / "docs" / "meetings-db.md").read_text("utf-8")
    tables = set(TABLES) - {"about"}
    joined = tables - {"documents", "minutes", "agendas", "others", "votes", "entities"}
    columns = {name for table in joined for _, name, *_ in ask(path, f"PRAGMA table_info({table})")}

    assert {name for name in tables | columns if f"`{name}`" not in docs} == set()


def something_else(folder: Path, pick: random.Random) -> None:
    """Change something, by chance."""
    document = Document("minutes", pick.choice(["Council", "Board"]), str(pick.randint(2020, 2024)))
    pages = [f"{pick.random()} pages"] * pick.randint(1, 3)
    what = pick.random()
    if what < 0.5:
        write_text(folder, document.name, pages)
    elif what < 0.7 and document.text(folder).exists():
        remove_text(folder, document.name)
    elif what < 0.9:
        write_text(folder, document.name, pages)
        names = pick.sample(["Ann Lee", "A. Lee", "Bo Lee", "Lee", "Kim Royce", "Kim Royse"], 3)
        key = pick.choice(["ordinance 2023-5", "ordinance 23-5", "topic new town hall"])
        write_found(
            *(folder, document, pages, [vote(1, ayes=names[:2], noes=[], mover=names[0])]),
            attendance=[presence(name) for name in names],
            matters=[appearance(key, action=pick.choice(["introduced", "passed"]))],
        )
    else:
        shutil.rmtree(folder / "_clerk" / "extracted" / "minutes" / document.meeting, True)


@pytest.mark.parametrize(
    "seed", [0, 1, *(pytest.param(n, marks=pytest.mark.chaos) for n in range(2, 12))]
)
def test_any_order_of_changes_ends_with_what_a_full_build_gives(
    folder: Path, tmp_path: Path, seed: int
) -> None:
    pick = random.Random(seed)
    compile_folder(folder, SITE)
    for turn in range(9):
        for _ in range(pick.randint(0, 3)):
            something_else(folder, pick)
        report = compile_folder(folder, SITE)
        with closing(schema.open_readonly(report.path)) as db:
            counted = content_of(db)
        said = (report.digest, report.documents, report.pages)
        assert said == (counted.digest, counted.documents, counted.pages)
        if turn % 3 == 2:
            anew = built_anew(folder, tmp_path)
            assert content(report.path) == content(anew)
            with closing(schema.open_readonly(anew)) as db:
                assert content_of(db).digest == report.digest


def test_a_text_that_cannot_be_read_fails_the_build_and_leaves_the_old_one(folder: Path) -> None:
    before = content(compile_folder(folder, SITE).path)
    rows = rows_of_folder(folder)
    files = SiteFiles(Settings(storage_dir=folder.parent), folder.name)
    shutil.rmtree(Document.from_name(COUNCIL).text(folder))
    changed = [replace(row, text_sha256="0" * 64) for row in rows]

    with pytest.raises(StorageIncomplete, match=r"is not in .* on this machine"):
        compile_site(files, lambda _: changed, SITE)

    assert content(folder / "meetings.db") == before


def test_unknown_is_null_and_pages_lie_with_their_kind(folder: Path) -> None:
    write_text(folder, "minutes/Meetings/scan-2-2", ["Cheques"])
    write_text(folder, "minutes/Meetings/2024-03-01", ["Budget"])
    facts = {
        "minutes/Meetings/scan-2-2": {"kind": None, "body": None},
        "minutes/Meetings/2024-03-01": {"kind": "report", "body": None, "date": None},
    }
    path = compile_folder(folder, facts=facts).path

    query = "SELECT kind, meeting, date FROM documents WHERE name LIKE '%/Meetings/%' ORDER BY name"
    assert ask(path, query) == [("report", None, None), (None, None, None)]
    assert ask(path, "SELECT text FROM others ORDER BY text") == [("Budget",), ("Cheques",)]
    assert ask(path, "SELECT count(*) FROM minutes") == [(3,)]

    # A document that turns out to be another kind moves to the other table, with its page ids.
    before = dict(ask(path, "SELECT text, id FROM pages"))
    facts["minutes/Meetings/scan-2-2"] = {"kind": "minutes", "body": "Board"}
    report = compile_folder(folder, facts=facts)
    assert report.updated == ["minutes/Meetings/scan-2-2"]
    assert ask(path, "SELECT meeting FROM minutes WHERE text = 'Cheques'") == [("Board",)]
    assert dict(ask(path, "SELECT text, id FROM pages")) == before
    assert content(path) == content(compile_folder(folder, facts=facts).path)
