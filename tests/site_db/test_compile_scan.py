"""The scan before a build: little is looked at again, and nothing that changed is missed."""

from __future__ import annotations

import os
import random
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from small_sites import SITE, ask, content, remove_text, vote, write_found, write_text

from clerk.core.storage import Document
from clerk.site_db import compile_site

BODIES = ("Airport", "Council", "Planning")
LONG_AGO = 1_700_000_000


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    place = tmp_path / "sites" / "springfield"
    for body in BODIES:
        for year in (2020, 2021, 2022):
            write_text(place, f"minutes/{body}/{year}", [f"{body} met in {year}."])
    write_found(place, Document("minutes", "Council", "2020"), ["Council met in 2020."], [vote(1)])
    settle(place)
    return place


def settle(folder: Path) -> None:
    """Let everything look as if it had been there for long, so that times are believed."""
    for root in ("txt", "_agendas/txt", "_clerk/extracted"):
        for place, _, _ in os.walk(folder / root):
            if os.stat(place).st_mtime > LONG_AGO + 1_000_000:  # noqa: PTH116
                os.utime(place, (LONG_AGO, LONG_AGO + random.random()))


def built_anew(folder: Path, tmp_path: Path) -> Path:
    """Compile a copy of the site from nothing and return its database."""
    copy = tmp_path / "anew" / folder.name
    shutil.rmtree(copy.parent, ignore_errors=True)
    shutil.copytree(folder, copy, ignore=shutil.ignore_patterns("meetings.db", "compile.*"))
    return compile_site(copy, SITE).path


def cards(folder: Path) -> dict[str, int]:
    """Return the files with what is in each folder, and which ones they are."""
    return {path.name: path.stat().st_ino for path in (folder / "_clerk").glob("compile.state.*")}


def test_a_changed_document_rewrites_what_is_known_of_its_folder_only(folder: Path) -> None:
    compile_site(folder, SITE)
    before = cards(folder)
    write_text(folder, "minutes/Council/2021", ["Something else."])

    report = compile_site(folder, SITE)

    changed = {name for name, inode in cards(folder).items() if before[name] != inode}
    assert (report.updated, report.documents, report.pages) == (1, 9, 9)
    assert len(changed) == 1


def test_unchanged_folders_are_not_looked_into(folder: Path) -> None:
    compile_site(folder, SITE)
    page = folder / "txt" / "Airport" / "2020" / "page-1.txt"
    page.write_text("Edited behind the back of its folder.")
    write_text(folder, "minutes/Council/2021", ["Something else."])

    report = compile_site(folder, SITE)

    assert (report.added, report.updated, report.removed) == (0, 1, 0)


def test_a_folder_that_vanishes_while_it_is_looked_at_takes_no_other_along(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    vanishing, stat = folder / "txt" / "Council" / "vanishing", os.stat
    vanishing.mkdir()

    def stat_too_late(path: Any, **how: Any) -> os.stat_result:
        if str(path).startswith(vanishing.name):
            vanishing.rmdir()
        return stat(path, **how)

    monkeypatch.setattr(os, "stat", stat_too_late)

    assert compile_site(folder, SITE).documents == 9
    assert not vanishing.exists()


def test_a_folder_that_is_gone_leaves_nothing_behind(folder: Path, tmp_path: Path) -> None:
    compile_site(folder, SITE)
    before = cards(folder)
    shutil.rmtree(folder / "txt" / "Airport")

    report = compile_site(folder, SITE)

    assert (report.removed, report.documents, report.pages) == (3, 6, 6)
    assert len(cards(folder)) == len(before) - 1
    assert content(report.path) == content(built_anew(folder, tmp_path))


def lose_cards(folder: Path) -> None:
    for path in (folder / "_clerk").glob("compile.state.*"):
        path.unlink()


def spoil_cards(folder: Path) -> None:
    for path in (folder / "_clerk").glob("compile.state.*"):
        path.write_bytes(path.read_bytes()[:-7])


def exchange_cards(folder: Path) -> None:
    one, other = sorted((folder / "_clerk").glob("compile.state.*"))[:2]
    raw = one.read_bytes()
    one.write_bytes(other.read_bytes())
    other.write_bytes(raw)


def lose_state(folder: Path) -> None:
    (folder / "_clerk" / "compile.state").unlink()


@pytest.mark.parametrize("harm", [lose_cards, spoil_cards, exchange_cards, lose_state])
def test_what_is_lost_between_builds_costs_time_but_nothing_else(
    folder: Path, tmp_path: Path, harm: Callable[[Path], None]
) -> None:
    compile_site(folder, SITE)
    write_text(folder, "minutes/Council/2021", ["Something else."])
    compile_site(folder, SITE)
    harm(folder)
    write_text(folder, "minutes/Planning/2020", ["Something new."])
    remove_text(folder, "minutes/Airport/2022")

    report = compile_site(folder, SITE)

    assert not report.rebuilt
    assert content(report.path) == content(built_anew(folder, tmp_path))


def test_what_an_older_build_knew_is_not_believed(folder: Path, tmp_path: Path) -> None:
    compile_site(folder, SITE)
    kept = shutil.copytree(folder / "_clerk", tmp_path / "kept")
    write_text(folder, "minutes/Council/2021", ["Something else."])
    settle(folder)
    compile_site(folder, SITE)
    for path in kept.glob("compile.state*"):
        shutil.copy(path, folder / "_clerk" / path.name)
    write_text(folder, "minutes/Council/2022", ["Something new."])

    report = compile_site(folder, SITE)

    assert content(report.path) == content(built_anew(folder, tmp_path))


def something_else(folder: Path, pick: random.Random) -> None:
    """Change something, by chance."""
    document = Document("minutes", pick.choice(BODIES), str(pick.randint(2020, 2024)))
    pages = [f"{pick.random()} pages"] * pick.randint(1, 3)
    what = pick.random()
    if what < 0.5:
        write_text(folder, document.name, pages)
    elif what < 0.7 and document.text(folder).exists():
        remove_text(folder, document.name)
    elif what < 0.9:
        write_text(folder, document.name, pages)
        write_found(folder, document, pages, [vote(1)])
    else:
        shutil.rmtree(folder / "_clerk" / "extracted" / "minutes" / document.meeting, True)


@pytest.mark.parametrize("seed", range(6))
def test_any_order_of_changes_ends_with_what_the_disk_shows(
    folder: Path, tmp_path: Path, seed: int
) -> None:
    pick = random.Random(seed)
    compile_site(folder, SITE)
    for turn in range(12):
        for _ in range(pick.randint(0, 3)):
            something_else(folder, pick)
        if pick.random() < 0.7:
            settle(folder)
        if pick.random() < 0.1:
            pick.choice([lose_cards, exchange_cards, lose_state])(folder)
        report = compile_site(folder, SITE)
        texts = ask(report.path, "SELECT count(*) FROM documents")
        pages = ask(report.path, "SELECT count(*) FROM minutes")
        assert (report.documents, report.pages) == (texts[0][0], pages[0][0])
        if turn % 3 == 2:
            assert content(report.path) == content(built_anew(folder, tmp_path))
