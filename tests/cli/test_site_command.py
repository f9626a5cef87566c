"""``clerk site``: what is said about a place, what may be changed, and what is left of it."""

from __future__ import annotations

import io
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from databases import sqlite_daily
from small_sites import compile_folder, write_text

from clerk.core import config, db
from clerk.publish import publish

Clerk = Callable[..., Any]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder of documents, one that is."""
    source = tmp_path / "minutes"
    source.mkdir()
    (source / "2024-01-15.pdf").write_bytes(b"%PDF-1.4 x")
    return source


@pytest.fixture
def springfield(clerk: Clerk, database: str, storage: Path, folder: Path) -> Path:
    """A site that was added, compiled and published; its folder."""
    assert clerk("site", "add", "springfield", "--from", str(folder)).code == 0
    place = storage / "springfield"
    write_text(place, "minutes/Council/2024-01-15", ["The council met."])
    site = {"subdomain": "springfield"}
    compile_folder(place, site)
    publish(site, place, config.load(), complete=True)
    return place


def published(storage: Path) -> list[str]:
    return sorted(path.name for path in (storage / "_published").rglob("springfield"))


def test_a_site_removed_with_its_files_is_not_published_any_more(
    clerk: Clerk, springfield: Path, storage: Path
) -> None:
    said = clerk("site", "remove", "springfield", "--yes", "--files")

    assert said.out == "Removed springfield and its files.\n"
    assert said.err == ""
    assert published(storage) == []
    assert not springfield.exists()


def test_a_site_removed_without_its_files_says_where_it_is_published(
    clerk: Clerk, springfield: Path, storage: Path
) -> None:
    clerk("site", "edit", "springfield", "--set", "deploy_to=rsync://www@host/srv")

    said = clerk("site", "remove", "springfield", "--yes")

    link = storage / "_published" / "springfield"
    assert said.err.splitlines() == [
        f"It stays published at {link}. Unpublish it:",
        f"  rm -r {link} {storage / '_published' / '.versions' / 'springfield'}",
        "It stays at rsync://www@host/srv; clerk deletes nothing there: remove it manually.",
    ]
    assert link.is_symlink()


def test_no_is_an_answer_when_a_site_is_to_be_removed(
    clerk: Clerk, springfield: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO("n\n"))

    said = clerk("site", "remove", "springfield")

    assert said.code == 1
    assert said.err.endswith("Nothing was changed.\n")
    assert clerk("site", "show", "springfield").code == 0


@sqlite_daily
@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("foo=bar", "Error: The fetcher 'folder' has no setting 'foo'."),
        ("link=banana", "Expected `bool`, got `str` - at `$.link`"),
        ("ocr=sometimes", "Invalid enum value 'sometimes' - at `$.ocr`"),
        ("source=/elsewhere", "Error: Use --from to change the source."),
        ("link", "Error: A setting is KEY=VALUE, not 'link'."),
    ],
)
def test_a_setting_that_cannot_be_used_is_refused_at_once(
    clerk: Clerk, springfield: Path, folder: Path, given: str, said: str
) -> None:
    before = clerk("site", "show", "springfield", "--json").out

    edited = clerk("site", "edit", "springfield", "--set", given)
    added = clerk("site", "add", "shelbyville", "--from", str(folder), "--set", given)

    assert (edited.code, added.code) == (2, 2)
    assert said in edited.err and said in added.err
    assert clerk("site", "show", "springfield", "--json").out == before
    assert clerk("site", "show", "shelbyville").code == 1


@pytest.mark.parametrize("given", ["deploy_to=pigeon://roof", "ocr_backend=sharp-eyes"])
def test_a_plugin_that_is_not_there_is_refused_at_once(
    clerk: Clerk, springfield: Path, given: str
) -> None:
    assert clerk("site", "edit", "springfield", "--set", given).code == 3


def test_secret_settings_are_shown_nowhere(clerk: Clerk, springfield: Path) -> None:
    with db.civic_db_connection() as conn:
        extra = json.dumps({"source": str(springfield), "token": "hush-hush-1"})
        db.update_site(conn, "springfield", {"extra": extra})

    for arguments in (
        ["show", "springfield"],
        ["show", "springfield", "--json"],
        ["list", "--json"],
    ):
        said = clerk("site", *arguments)
        assert "hush-hush-1" not in said.out + said.err


def test_settings_are_shown_and_an_empty_value_removes_one(clerk: Clerk, springfield: Path) -> None:
    clerk("site", "edit", "springfield", "--set", "link=true", "--pattern", "{date}")
    shown = clerk("site", "show", "springfield").out
    clerk("site", "edit", "springfield", "--set", "link=")

    assert "  setting  link=true\n  setting  pattern={date}\n" in shown
    settings = json.loads(clerk("site", "show", "springfield", "--json").out)["settings"]
    assert settings == {"pattern": "{date}"}


def test_an_edit_that_changes_nothing_says_so(clerk: Clerk, springfield: Path) -> None:
    said = clerk("site", "edit", "springfield")

    assert said.code == 2
    assert "Give at least one option to change." in said.err


def test_secrets_in_the_address_of_a_source_are_not_printed(
    clerk: Clerk, database: str, storage: Path
) -> None:
    source = "https://ann:hush77@town.invalid/list?api_key=hush88"

    added = clerk("site", "add", "town", "--from", source, "--no-preview")
    looked = clerk("site", "add", "town2", "--from", source)
    shown = clerk("site", "show", "town")

    said = [each.out + each.err for each in (added, looked, shown)]
    assert "Added town, fetched by" in said[0] and "Listing https://" in said[1]
    assert all("town.invalid/list" in each and "hush" not in each for each in said)
