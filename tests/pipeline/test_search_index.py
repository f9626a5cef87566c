"""The search index follows the outbox: what is compiled is found, whatever dies on the way."""

from __future__ import annotations

import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import textwrap
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from small_machines import add_documents
from small_sites import remove_text, write_text
from small_work import Town, hurry, nothing_active, wait_until
from sqlalchemy import delete

from clerk.cli import cli
from clerk.core import config, db, manifest, outbox
from clerk.core.child_process import Order, Performed, Report
from clerk.core.errors import StorageUnusable
from clerk.core.files import SiteFiles
from clerk.core.models import document_changes_table
from clerk.core.states import COMPILATION, Step
from clerk.core.storage import search_folder
from clerk.executors import embedded
from clerk.pipeline import runs, search_index, sites, transitions
from clerk.pipeline.flow import Pipeline
from clerk.pipeline.reconcile import reconcile
from clerk.pipeline.scan import scan_site
from clerk.search import Query, index, search
from clerk.search.index import IndexBusy
from clerk.site_db import compile_site
from clerk.site_db.schema import APPLICATION_ID

#: What may happen to an extraction, again and again.
TROUBLES: dict[str, Callable[[], object]] = {
    "fails": lambda: 1 / 0,
    "is killed": lambda: os.kill(os.getpid(), signal.SIGKILL),
    "is cancelled": lambda: cancel("springfield"),
}
COUNCIL = "minutes/CityCouncil/2024-01-15"
TESTS = Path(__file__).parents[1]


def compile_town(name: str, *, into_index: bool = True) -> None:
    """Take in what lies in the folder of a site, compile it and index it, as a run does."""
    settings = config.load()
    scan_site(settings, name)
    with db.reading_connection(settings.sql_url) as conn:
        row = db.require_site(conn, name)

    def documents(names):  # type: ignore[no-untyped-def]
        with db.reading_connection(settings.sql_url) as conn:
            return manifest.documents(conn, name, names)

    compile_site(SiteFiles(settings, name), documents, row)
    if into_index:
        search_index.index_site(settings, name)


def found(text: str, **options: str) -> list[tuple[str, int]]:
    results = search(config.load().storage_dir, Query(text, **options))  # type: ignore[arg-type]
    return sorted((hit.site, hit.page) for hit in results.hits)


@pytest.fixture
def towns(make_site: Callable[..., str], storage: Path) -> Path:
    """Two sites that are compiled and indexed."""
    for name in ("springfield", "shelbyville"):
        make_site(name)
        write_text(storage / name, COUNCIL, ["The council met.", f"Zoning in {name}."])
        compile_town(name)
    return storage


def test_what_is_compiled_is_found_and_what_is_removed_is_not(towns: Path) -> None:
    assert found("zoning") == [("shelbyville", 2), ("springfield", 2)]

    write_text(towns / "springfield", COUNCIL, ["A bridge was closed."])
    write_text(towns / "springfield", "agendas/Board/2024-02-02", ["A new agenda."])
    compile_town("springfield")
    assert (found("zoning"), found("bridge")) == ([("shelbyville", 2)], [("springfield", 1)])

    remove_text(towns / "springfield", COUNCIL)
    compile_town("springfield")
    assert (found("bridge"), found("agenda")) == ([], [("springfield", 1)])

    sites.remove("shelbyville", config.load(), files=False)
    assert found("zoning") == []
    (shard,) = search_index.status(config.load()).shards
    assert (shard.documents, shard.pages, shard.waiting) == (1, 1, [])


def test_a_change_waits_until_its_site_is_compiled(towns: Path) -> None:
    settings = config.load()
    write_text(towns / "springfield", COUNCIL, ["A bridge was closed."])
    scan_site(settings, "springfield")

    search_index.update(settings)
    assert (found("zoning", site="springfield"), found("bridge")) == ([("springfield", 2)], [])

    compile_town("springfield", into_index=False)
    search_index.update(settings)
    assert found("bridge") == [("springfield", 1)]


def cancel(name: str) -> None:
    """Cancel a run when it has compiled, which goes on next to the extraction."""
    town = Town(name)
    wait_until(lambda: town.job(COMPILATION).state == "closed")
    with db.civic_db_connection() as conn:
        assert transitions.cancel_run(conn, name, "Cancelled by me")


class WithoutExtraction(Pipeline):
    """Work that never gets past one step."""

    trouble: Callable[[], object]

    def perform(self, order: Order, index: int, report: Report) -> Performed:
        if order.step == Step.EXTRACT:
            self.trouble()
        return super().perform(order, index, report)


@pytest.mark.parametrize("trouble", TROUBLES)
def test_text_is_found_though_extraction_never_ends(
    trouble: str, storage: Path, clerk: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hurry(monkeypatch)
    settings = config.load()
    add_documents(tmp_path / "Council", 1)
    assert clerk("site", "add", "springfield", "--from", str(tmp_path)).code == 0
    assert clerk("run", "springfield").code == 0
    add_documents(tmp_path / "Council", 12)

    runs.start(settings, "springfield")
    work = WithoutExtraction(settings)
    work.trouble = TROUBLES[trouble]
    embedded.run(work, settings, done=nothing_active)
    list(reconcile(settings, 0))

    assert found('"month 12"') == [("springfield", 1)]


def test_a_site_that_is_edited_is_compared_when_it_is_compiled(towns: Path) -> None:
    runner = CliRunner()
    edit = ["site", "edit", "springfield", "--state", "MA", "--from", str(towns)]
    assert runner.invoke(cli, edit).exit_code == 0
    compile_town("springfield")

    assert found("zoning", state="MA") == [("springfield", 2)]


def test_a_second_writer_is_refused_and_the_first_does_its_work(towns: Path) -> None:
    settings = config.load()
    for name in ("springfield", "shelbyville"):
        write_text(towns / name, COUNCIL, [f"A bridge in {name}."])
    with index.writer_lock(settings.storage_dir, 0):
        compile_town("springfield")
        with pytest.raises(IndexBusy, match=f"Process {os.getpid()} is writing"):
            search_index.update(settings)
    assert found("bridge") == []

    compile_town("shelbyville")

    assert found("bridge") == [("shelbyville", 1), ("springfield", 1)]


#: Searches once for each line it reads.
READER = textwrap.dedent(
    """
    import sys
    from clerk.core import config
    from clerk.search import Query, search

    for line in sys.stdin:
        results = search(config.load().storage_dir, Query(line))
        print(*sorted(hit.site for hit in results.hits), flush=True)
    """
)


def test_a_reader_in_another_process_finds_what_was_committed_before_it_searches(
    towns: Path,
) -> None:
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with subprocess.Popen([sys.executable, "-c", READER], text=True, **pipes) as reader:  # type: ignore[call-overload]

        def found_there(text: str) -> list[str]:
            reader.stdin.write(f"{text}\n")
            reader.stdin.flush()
            return reader.stdout.readline().split()  # type: ignore[no-any-return]

        assert (found_there("bridge"), found_there("zoning")) == (
            [],
            ["shelbyville", "springfield"],
        )
        write_text(towns / "springfield", COUNCIL, ["A bridge."])
        compile_town("springfield")
        assert (found_there("bridge"), found_there("zoning")) == (["springfield"], ["shelbyville"])
        search_index.rebuild(config.load())
        assert (found_there("bridge"), found_there("zoning")) == (["springfield"], ["shelbyville"])


def test_a_rebuild_reports_its_progress_while_the_index_in_use_answers(towns: Path) -> None:
    settings = config.load()
    seen = []

    def look(state: search_index.RebuildState) -> None:
        noted = search_index.status(settings).shards[0].rebuilding
        seen.append((state.sites, noted, len(found("zoning")), len(found("bridge"))))

    write_text(towns / "springfield", "agendas/Board/2024-02-02", ["A bridge."])
    compile_town("springfield", into_index=False)
    before = index.require_layout(towns).shards
    search_index.rebuild(settings, report=look)

    assert [(sites, zoning, bridge) for sites, _, zoning, bridge in seen] == [(1, 2, 0), (2, 2, 0)]
    assert all(noted and noted.of_sites == 2 for _, noted, _, _ in seen)
    assert index.require_layout(towns).shards != before
    assert (len(found("zoning")), len(found("bridge"))) == (2, 1)
    assert search_index.status(settings).shards[0].rebuilding is None


def test_an_index_behind_the_outbox_is_rebuilt(towns: Path) -> None:
    settings = config.load()
    before = index.require_layout(towns).shards
    for name in ("springfield", "shelbyville"):
        write_text(towns / name, COUNCIL, [f"A bridge in {name}."])
        compile_town(name, into_index=False)
    with db.writing_to(settings.sql_url) as conn:
        last = outbox.last_change(conn)
        conn.execute(delete(document_changes_table).where(document_changes_table.c.number < last))

    search_index.update(settings)

    assert index.require_layout(towns).shards != before
    assert len(found("bridge")) == 2
    assert [path.name for path in search_folder(towns).glob("0-*")] == ["0-000002"]


def test_a_damaged_part_is_reported_and_rebuilt_while_the_rest_answers(
    towns: Path, monkeypatch: pytest.MonkeyPatch, make_site: Callable[..., str]
) -> None:
    names = ["springfield", "shelbyville"]
    while len({index.shard_of(name, 2) for name in names}) < 2:
        names.append(make_site(f"town{len(names)}"))
        write_text(towns / names[-1], COUNCIL, ["Zoning."])
        compile_town(names[-1], into_index=False)
    monkeypatch.setenv("SEARCH_SHARDS", "2")
    settings = config.load()
    search_index.update(settings)
    everything = found("zoning")
    assert {site for site, _ in everything} == set(names)
    _damage(towns, 0)

    status = search_index.status(settings, content=True)

    assert [bool(each.damage) for each in status.shards] == [True, False]
    (path,) = (towns / "_clerk" / "search").glob("0-*")
    postings = next(path.glob("*.idx"))
    postings.write_bytes(postings.read_bytes()[:-1])
    (path / "meta.json").touch()
    rest = search(towns, Query("zoning"))
    assert rest.is_partial
    assert {hit.site for hit in rest.hits} == {n for n in names if index.shard_of(n, 2) == 1}
    search_index.update(settings)
    assert found("zoning") == everything
    assert search_index.status(settings, content=True).is_ok


def test_an_index_of_which_no_part_can_be_read_gives_no_empty_answer(towns: Path) -> None:
    (path,) = search_folder(towns).glob("0-*")
    postings = next(path.glob("*.idx"))
    postings.write_bytes(postings.read_bytes()[:-1])
    (path / "meta.json").touch()

    said = CliRunner().invoke(cli, ["search", "zoning"])

    assert said.exit_code != 0
    assert "No page matches" not in said.output
    with pytest.raises(StorageUnusable, match="The search index cannot be read"):
        search(towns, Query("zoning"))
    assert search_index.status(config.load()).shards[0].damage
    search_index.update(config.load())
    assert len(found("zoning")) == 2


def _damage(storage: Path, shard: int) -> None:
    """Change one byte in the middle of the postings."""
    (folder,) = search_folder(storage).glob(f"{shard}-*")
    path = next(folder.glob("*.idx"))
    content = bytearray(path.read_bytes())
    content[len(content) // 3] ^= 0xFF
    path.write_bytes(content)


def test_one_who_tails_finds_damage_by_comparing(towns: Path) -> None:
    settings = config.load()
    _damage(towns, 0)
    tail = search_index.Tail(settings)
    for _ in range(40):
        tail.check_some()

    assert "other content" in (index.damage_of(towns, 0) or "")
    tail.run()
    assert len(found("zoning")) == 2


def test_the_index_of_an_older_version_goes_and_other_databases_stay(
    towns: Path,
) -> None:
    for is_ours in (False, True):
        with closing(sqlite3.connect(towns / "sites.db")) as connection:
            connection.execute("CREATE TABLE IF NOT EXISTS anything (x)")
            if is_ours:
                connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        search_index.rebuild(config.load())
        assert (towns / "sites.db").exists() is not is_ours


def test_the_commands_show_update_and_rebuild(towns: Path) -> None:
    def run(*arguments: str) -> str:
        ended = CliRunner().invoke(cli, ["search-index", *arguments])
        assert ended.exit_code == 0, ended.output
        return ended.stdout

    assert "ok" in run("status", "--check")
    assert run("update") == "Indexed 0 documents.\n"
    assert run("rebuild") == "Rebuilt: 2 sites, 4 pages.\n"
    assert '"is_ok": true' in run("status", "--json")


#: Runs a function of pipeline.search_index, and kills itself at a step: before or after a call of
#: the engine that writes, or before one of Python's changes a file of the index.
KILLED_AT_STEP = textwrap.dedent(
    """
    import os, signal, sys

    function, step = sys.argv[1], int(sys.argv[2])
    from clerk.core import config
    from clerk.core.storage import search_folder
    from clerk.pipeline import search_index

    ENGINE = {"add_document", "delete_documents_by_term", "commit", "wait_merging_threads"}
    FILES = {"open", "os.rename", "os.remove", "os.mkdir", "os.rmdir", "os.chmod", "os.truncate"}
    settings = config.load()
    folder = str(search_folder(settings.storage_dir))
    seen, is_watching = [], False

    def note(what):
        seen.append(what)
        if len(seen) == step:
            os.kill(os.getpid(), signal.SIGKILL)

    def watch_engine(frame, event, called):
        if event in ("c_call", "c_return") and called.__name__ in ENGINE:
            note(f"{event} {called.__name__}")

    def watch_files(event, arguments):
        if is_watching and event in FILES:
            path, is_read = str(arguments[0]), event == "open" and arguments[1] in ("r", "rb")
            # A folder is emptied by names relative to it.
            is_inside = path.startswith(folder) or event == "os.remove" and "/" not in path
            if is_inside and not is_read:
                note(f"{event} {path}")

    sys.addaudithook(watch_files)
    is_watching = True
    sys.setprofile(watch_engine)
    getattr(search_index, function)(settings)
    sys.setprofile(None)
    is_watching = False
    print(*seen, sep="\\n")
    """
)


def _killed(function: str, step: int) -> int | None:
    """Return None if the process was killed, else how many steps it has."""
    command = [sys.executable, "-c", KILLED_AT_STEP, function, str(step)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode in (0, -signal.SIGKILL), done.stderr
    return len(done.stdout.splitlines()) if done.returncode == 0 else None


@pytest.mark.timeout(900)
@pytest.mark.parametrize("samples", [4, pytest.param(1000, marks=pytest.mark.chaos, id="every")])
@pytest.mark.parametrize("function", ["update", "rebuild"])
@pytest.mark.parametrize("database", ["sqlite"], indirect=True)
def test_killed_anywhere_nothing_is_lost_or_doubled(
    towns: Path, tmp_path: Path, function: str, samples: int
) -> None:
    settings = config.load()
    write_text(towns / "springfield", COUNCIL, ["A bridge.", "Its toll.", "The toll again."])
    write_text(towns / "springfield", "agendas/Board/2024-02-02", ["A toll."])
    compile_town("springfield", into_index=False)
    before = found("council zoning OR zoning OR toll")
    kept = tmp_path / "kept"
    shutil.copytree(search_folder(towns), kept)
    steps = _killed(function, 0)
    assert steps is not None and steps > 20
    after = found("council zoning OR zoning OR toll")
    assert after != before

    for step in range(1, steps + 1, max(1, steps // samples)):
        shutil.rmtree(search_folder(towns))
        shutil.copytree(kept, search_folder(towns))
        assert _killed(function, step) is None
        assert found("council zoning OR zoning OR toll") in (before, after)
        search_index.update(settings)
        assert found("council zoning OR zoning OR toll") == after
        assert search_index.status(settings, content=True).is_ok


#: Runs a function of pipeline.search_index with room for files of 200 bytes.
ON_A_FULL_DISK = textwrap.dedent(
    """
    import resource, sys
    from clerk.core import config
    from clerk.core.errors import StorageUnusable
    from clerk.pipeline import search_index

    settings = config.load()
    resource.setrlimit(resource.RLIMIT_FSIZE, (200, 200))
    try:
        getattr(search_index, sys.argv[1])(settings)
    except StorageUnusable as error:
        sys.stdout.write(f"{type(error).__name__}: {error}")
    """
)


@pytest.mark.parametrize("function", ["update", "rebuild"])
@pytest.mark.parametrize("database", ["sqlite"], indirect=True)
def test_a_full_disk_leaves_the_index_as_it_was(towns: Path, function: str) -> None:
    write_text(towns / "springfield", COUNCIL, ["A bridge " + "with many words " * 200])
    compile_town("springfield", into_index=False)

    done = subprocess.run(
        [sys.executable, "-c", ON_A_FULL_DISK, function],
        capture_output=True,
        text=True,
        timeout=120,
    )

    assert "StorageUnusable" in done.stdout, done.stdout + done.stderr
    assert (found("bridge"), len(found("zoning"))) == ([], 2)
    search_index.update(config.load())
    assert found("bridge") == [("springfield", 1)]
