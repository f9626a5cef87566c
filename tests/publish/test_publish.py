"""Publishing: by one rename, once per content, here and elsewhere."""

from __future__ import annotations

import importlib.util
import io
import json
import shutil
import sqlite3
import stat
import sys
import threading
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from small_sites import SITE, ask, compile_folder, vote, write_found, write_text

from clerk import hookimpl
from clerk.core import plugins, storage
from clerk.core.config import Settings
from clerk.core.distribution import install_command
from clerk.core.errors import BadSetting, MissingTool, NotFound, SourceUnavailable, UnknownPlugin
from clerk.publish import finish_deploy, publish
from clerk.publish.linked_files import mirror
from clerk.publish.rsync import Rsync, destination
from clerk.publish.s3 import S3
from clerk.site_db import is_outdated
from tools.pdf_writer import PdfWriter, Text

COUNCIL = "minutes/CityCouncil/2024-01-15"


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(storage_dir=tmp_path / "sites")


@pytest.fixture
def folder(settings: Settings) -> Path:
    place = settings.storage_dir / "springfield"
    document = write_text(place, COUNCIL, ["The council met.", "dark"], failed={2: "too dark"})
    write_found(place, document, ["The council met."], [vote(1)])
    compile_folder(place, SITE)
    return place


def change(folder: Path, text: str) -> None:
    write_text(folder, COUNCIL, [text])
    compile_folder(folder, SITE)


def versions(settings: Settings) -> list[Path]:
    return sorted((settings.published / ".versions" / "springfield").glob("0*"))


def index(settings: Settings) -> dict[str, Any]:
    return dict(json.loads((settings.published / "springfield" / "index.json").read_text()))


def test_a_published_site_has_database_and_index(folder: Path, settings: Settings) -> None:
    report = publish(SITE, folder, settings, complete=True)

    assert report.changed and report.path == settings.published / "springfield"
    assert ask(report.path / "meetings.db", "SELECT text FROM minutes") == [("The council met.",)]
    published = index(settings)
    assert published["site"] == SITE
    assert published["state"] == "complete"
    assert published["counts"] == {
        "minutes": 1,
        "agendas": 0,
        "others": 0,
        "documents": 1,
        "votes": 1,
        "entities": 1,
    }
    (document,) = published["documents"]
    assert (document["name"], document["sha256"]) == (COUNCIL, "f00d")
    assert document["failed_pages"] == {"2": "too dark"}


def test_the_index_is_the_same_whatever_was_published_before(
    folder: Path, settings: Settings
) -> None:
    publish(SITE, folder, settings, complete=True)
    write_text(folder, "minutes/Planning/2024-02-01", ["A second document."])
    change(folder, "Something new.")
    publish(SITE, folder, settings, complete=True)
    step_by_step = index(settings)
    assert [each["name"] for each in step_by_step["documents"]] == [
        COUNCIL,
        "minutes/Planning/2024-02-01",
    ]

    # Nothing is known of what was published: all of it is put together again.
    (folder / "_clerk" / "publish.lines").unlink()
    shutil.rmtree(settings.published)
    publish(SITE, folder, settings, complete=True)

    assert index(settings) | {"published_at": ""} == step_by_step | {"published_at": ""}


def test_the_lines_of_the_index_are_kept_again_if_some_changed_or_many_came(
    folder: Path, settings: Settings
) -> None:
    lines = folder / "_clerk" / "publish.lines"
    publish(SITE, folder, settings, complete=True)
    kept = lines.read_bytes()

    def published() -> list[str]:
        compile_folder(folder, SITE)
        publish(SITE, folder, settings, complete=True)
        return [each["name"] for each in index(settings)["documents"]]

    write_text(folder, "minutes/Planning/2024-02-01", ["A second document."])
    assert published() == [COUNCIL, "minutes/Planning/2024-02-01"]
    assert lines.read_bytes() == kept

    for day in range(2, 23):
        write_text(folder, f"minutes/Planning/2024-02-{day:02}", ["One more document."])
    assert len(published()) == 23
    kept = lines.read_bytes()
    assert b"Planning/2024-02-22" in kept

    shutil.rmtree(folder / "txt" / "Planning" / "2024-02-22")
    assert "minutes/Planning/2024-02-22" not in published()
    assert b"Planning/2024-02-22" not in lines.read_bytes()


def test_what_is_secret_now_is_not_taken_from_an_earlier_index(
    folder: Path, settings: Settings
) -> None:
    write_text(folder, COUNCIL, ["The council met."], failed={2: "see hunter2hunter2"})
    compile_folder(folder, SITE)
    publish(SITE, folder, settings, complete=True)
    assert "hunter2hunter2" in (folder / "_clerk" / "publish.lines").read_text()
    site = SITE | {"extra": {"api_key": "hunter2hunter2"}}
    shutil.rmtree(settings.published)

    publish(site, folder, settings, complete=True)

    assert "hunter2hunter2" not in json.dumps(index(settings))


def test_text_only_first_then_complete(folder: Path, settings: Settings) -> None:
    publish(SITE, folder, settings, complete=False)
    assert index(settings)["state"] == "text-only"

    assert publish(SITE, folder, settings, complete=True).changed
    assert index(settings)["state"] == "complete"


def test_what_is_complete_does_not_become_text_only_again_without_news(
    folder: Path, settings: Settings
) -> None:
    publish(SITE, folder, settings, complete=False)
    publish(SITE, folder, settings, complete=True)
    before = versions(settings)

    assert not publish(SITE, folder, settings, complete=False).changed
    assert versions(settings) == before
    assert index(settings)["state"] == "complete"

    change(folder, "Something new.")
    assert publish(SITE, folder, settings, complete=False).changed
    assert index(settings)["state"] == "text-only"


def test_publishing_the_same_again_does_nothing_and_says_so(
    folder: Path, settings: Settings
) -> None:
    first = publish(SITE, folder, settings, complete=True)
    before = index(settings)

    again = publish(SITE, folder, settings, complete=True)

    assert (again.changed, again.version) == (False, first.version)
    assert index(settings) == before
    assert len(versions(settings)) == 1


def test_old_versions_are_kept_as_many_as_wanted(folder: Path, settings: Settings) -> None:
    for turn in range(6):
        change(folder, f"turn {turn}")
        publish(SITE, folder, settings, complete=True, keep=3)

    kept = [ask(path / "meetings.db", "SELECT text FROM minutes") for path in versions(settings)]
    assert kept == [[("turn 3",)], [("turn 4",)], [("turn 5",)]]


def test_as_many_old_versions_are_kept_as_the_settings_say(
    folder: Path, settings: Settings
) -> None:
    for number in range(4):
        change(folder, f"Version {number}.")
        publish(SITE, folder, replace(settings, publish_keep=2), complete=True)

    assert len(versions(settings)) == 2


def test_another_folder_keeps_as_many_versions_as_its_address_says(
    folder: Path, settings: Settings, tmp_path: Path
) -> None:
    site = SITE | {"extra": {"deploy_to": f"local://{tmp_path}/www?keep=1"}}
    for number in range(3):
        change(folder, f"Version {number}.")
        publish(site, folder, settings, complete=True)

    assert len(list((tmp_path / "www" / ".versions" / "springfield").glob("0*"))) == 1


def test_another_folder_keeps_as_many_versions_as_the_settings_say(
    folder: Path, settings: Settings, tmp_path: Path
) -> None:
    site = SITE | {"extra": {"deploy_to": f"local://{tmp_path}/www"}}
    for number in range(3):
        change(folder, f"Version {number}.")
        publish(site, folder, replace(settings, publish_keep=1), complete=True)

    assert len(list((tmp_path / "www" / ".versions" / "springfield").glob("0*"))) == 1


def test_a_number_of_versions_that_is_none_is_named(folder: Path, settings: Settings) -> None:
    site = SITE | {"extra": {"deploy_to": "local:///tmp/www?keep=all"}}

    with pytest.raises(BadSetting, match="keep must be a whole number of at least 1, not 'all'"):
        publish(site, folder, settings, complete=True)


def test_going_back_to_former_content_serves_the_kept_version(
    folder: Path, settings: Settings
) -> None:
    for text in ("one", "two", "one", "three", "one"):
        change(folder, text)
        assert publish(SITE, folder, settings, complete=True, keep=2).changed

    served = settings.published / "springfield" / "meetings.db"
    assert ask(served, "SELECT text FROM minutes") == [("one",)]
    assert len(versions(settings)) == 2


def test_a_reader_always_finds_a_whole_version(folder: Path, settings: Settings) -> None:
    publish(SITE, folder, settings, complete=True)
    place = settings.published / "springfield"
    done = threading.Event()
    seen = []

    def read() -> None:
        while not done.is_set():
            here = place.resolve(strict=True)
            counted = json.loads((here / "index.json").read_text())["counts"]["minutes"]
            assert ask(here / "meetings.db", "SELECT count(*) FROM minutes") == [(counted,)]
            seen.append(counted)

    reader = threading.Thread(target=read)
    reader.start()
    for turn in range(10):
        write_text(folder, COUNCIL, ["x"] * (turn + 1))
        compile_folder(folder, SITE)
        publish(SITE, folder, settings, complete=True, keep=20)
    done.set()
    reader.join()
    assert len(seen) > 5


def test_publishing_does_not_disturb_the_next_build(folder: Path, settings: Settings) -> None:
    """The published copy is a file of its own: builds never write to it."""
    publish(SITE, folder, settings, complete=True)
    for turn in range(3):
        change(folder, f"turn {turn}")

    served = settings.published / "springfield" / "meetings.db"
    assert ask(served, "SELECT text FROM minutes") == [("The council met.",)]
    assert served.stat().st_nlink == 1


def test_rubbish_of_a_killed_publisher_is_cleared(folder: Path, settings: Settings) -> None:
    publish(SITE, folder, settings, complete=True)
    place = settings.published / ".versions" / "springfield"
    (place / "part-dead").mkdir()
    (place / "part-dead" / "meetings.db").write_bytes(b"half")
    (place / "part-link").symlink_to("nowhere")

    publish(SITE, folder, settings, complete=True)

    assert not list(place.glob("part-*"))


def test_a_plain_directory_of_an_older_kind_is_taken_over(folder: Path, settings: Settings) -> None:
    (settings.published / "springfield").mkdir(parents=True)
    (settings.published / "springfield" / "meetings.db").write_bytes(b"old")

    publish(SITE, folder, settings, complete=True)

    assert index(settings)["state"] == "complete"


def test_what_an_older_version_published_is_replaced(folder: Path, settings: Settings) -> None:
    """Once the database is up to date, nothing of the old one stays."""
    secret = "http://bob:s3cretpw@town.example/a.pdf"
    database = folder / "meetings.db"
    with closing(sqlite3.connect(database)) as connection:
        connection.execute("UPDATE documents SET source_url = ?", (secret,))
        connection.execute("PRAGMA user_version = 2")
        connection.commit()
    old = settings.published / ".versions" / "springfield" / "000007-4be0c1"
    old.mkdir(parents=True)
    (old / "index.json").write_text(json.dumps({"source_url": secret}))
    shutil.copy(database, old)
    (old.parent / "taken.json").write_text(json.dumps({"rsync://bob:s3cretpw@host/": "4be0c1"}))
    (settings.published / "springfield").symlink_to(old)

    assert is_outdated(folder)
    compile_folder(folder, SITE)
    assert publish(SITE, folder, settings, complete=True).changed

    assert len(versions(settings)) == 1 and not old.exists()
    files = [path for path in settings.published.rglob("*") if path.is_file()]
    assert not [path for path in files if b"s3cretpw" in path.read_bytes()]


def test_an_index_is_public_also_if_the_database_is_not(folder: Path, settings: Settings) -> None:
    site = SITE | {"name": "Town http://bob:s3cretpw@town.example/", "kind": "/home/bob/kind"}
    with closing(sqlite3.connect(folder / "meetings.db")) as connection:
        connection.execute("UPDATE documents SET source_url = 'file:///home/bob/a.pdf'")
        connection.commit()

    publish(site, folder, settings, complete=True)

    published = index(settings)
    assert (published["site"]["name"], published["site"]["kind"]) == (
        "Town http://town.example/",
        "kind",
    )
    assert published["documents"][0]["source_url"] == "a.pdf"


def test_nothing_compiled_cannot_be_published(tmp_path: Path, settings: Settings) -> None:
    (settings.storage_dir / "springfield").mkdir(parents=True)

    with pytest.raises(NotFound, match="has not been compiled"):
        publish(SITE, settings.storage_dir / "springfield", settings, complete=True)


class Recording:
    """A plugin with the older hooks and a deployer of its own, which may be told to fail."""

    name = "recording"

    def __init__(self) -> None:
        self.calls: list[tuple[str, ...]] = []
        self.failing = False

    @hookimpl
    def upload_static_file(self, file_path: Path, storage_path: str) -> None:
        self.calls.append(("upload", storage_path, str(Path(file_path).stat().st_size > 0)))

    @hookimpl
    def deploy_municipality(self, subdomain: str) -> None:
        self.calls.append(("deploy", subdomain))

    @hookimpl
    def post_deploy(self, site: dict[str, Any]) -> None:
        if self.failing:
            raise RuntimeError("the newsletter cannot be sent")
        self.calls.append(("post", site["subdomain"]))

    @hookimpl
    def register_deployers(self) -> list[Recording]:
        return [self]

    def deploy(self, version: Path, subdomain: str, target: str) -> None:
        if self.failing:
            raise SourceUnavailable("the other place is closed")
        self.calls.append(
            (target, subdomain, json.loads((version / "index.json").read_text())["state"])
        )


@pytest.fixture
def recording() -> Iterator[Recording]:
    plugin = Recording()
    manager = plugins.manager()
    manager.register(plugin)
    yield plugin
    manager.unregister(plugin)


def test_the_older_hooks_are_called_once_for_each_version(
    folder: Path, settings: Settings, recording: Recording
) -> None:
    for _ in range(2):
        publish(SITE, folder, settings, complete=True)

    *uploads, last = recording.calls
    version = (settings.published / "springfield").resolve()
    files = sorted(path for path in version.rglob("*") if path.is_file())
    assert uploads == [
        ("upload", f"springfield/{path.relative_to(version).as_posix()}", "True") for path in files
    ]
    assert last == ("deploy", "springfield")


def test_a_failing_deployer_is_tried_again_until_it_has_the_version(
    folder: Path, settings: Settings, recording: Recording
) -> None:
    site = SITE | {"extra": json.dumps({"deploy_to": ["recording://there"]})}
    recording.failing = True
    with pytest.raises(SourceUnavailable):
        publish(site, folder, settings, complete=True)

    recording.failing = False
    again = publish(site, folder, settings, complete=True)
    third = publish(site, folder, settings, complete=True)

    assert (again.changed, again.targets, third.targets) == (False, ["recording://there"], [])
    assert recording.calls.count(("recording://there", "springfield", "complete")) == 1
    assert recording.calls.count(("deploy", "springfield")) == 1


def test_a_site_is_finished_only_if_no_plugin_fails(recording: Recording) -> None:
    finish_deploy(SITE)
    assert recording.calls == [("post", "springfield")]

    recording.failing = True
    with pytest.raises(RuntimeError, match="newsletter"):
        finish_deploy(SITE)


def test_a_target_nobody_serves_is_named(folder: Path, settings: Settings) -> None:
    with pytest.raises(UnknownPlugin, match="carrier-pigeon://roof"):
        publish(
            SITE | {"extra": {"deploy_to": "carrier-pigeon://roof"}},
            folder,
            settings,
            complete=True,
        )


def test_extra_settings_that_are_not_json_are_named(folder: Path, settings: Settings) -> None:
    with pytest.raises(BadSetting, match="extra settings of springfield"):
        publish(SITE | {"extra": "{"}, folder, settings, complete=True)


def test_another_folder_is_published_to_in_the_same_way(
    folder: Path, settings: Settings, tmp_path: Path
) -> None:
    site = SITE | {"extra": {"deploy_to": f"local://{tmp_path}/www"}}
    publish(site, folder, settings, complete=True)
    change(folder, "changed")

    publish(site, folder, settings, complete=True)

    served = tmp_path / "www" / "springfield" / "meetings.db"
    assert ask(served, "SELECT text FROM minutes") == [("changed",)]


def test_rsync_addresses() -> None:
    assert destination("rsync://me@host/srv/my%20www/", "town") == "me@host:/srv/my www/town/"
    assert destination("rsync:/srv/www", "town") == "/srv/www/town/"


@pytest.mark.skipif(not shutil.which("rsync"), reason="rsync is not installed")
def test_rsync_brings_the_version_to_the_other_folder(
    folder: Path, settings: Settings, tmp_path: Path
) -> None:
    publish(SITE, folder, settings, complete=True)
    version = (settings.published / "springfield").resolve()

    Rsync().deploy(version, "springfield", f"rsync:{tmp_path}/www")

    assert (tmp_path / "www" / "springfield" / "index.json").exists()


def test_rsync_that_fails_or_is_missing_says_so(tmp_path: Path) -> None:
    with pytest.raises(MissingTool, match="needs the program rsync"):
        Rsync("no-such-rsync").deploy(tmp_path, "town", "rsync://host/www")

    stand_in = tmp_path / "failing"
    stand_in.write_text(f"#!{sys.executable}\nraise SystemExit('host unreachable')\n")
    stand_in.chmod(stand_in.stat().st_mode | stat.S_IXUSR)
    with pytest.raises(SourceUnavailable, match="host unreachable"):
        Rsync(str(stand_in)).deploy(tmp_path, "town", "rsync://host/www")


class Bucket:
    """What boto3 calls a client, over a dictionary."""

    def __init__(self) -> None:
        self.objects: dict[str, bytes] = {}
        self.order: list[str] = []

    def upload_file(self, path: str, bucket: str, key: str, ExtraArgs: dict[str, str]) -> None:
        self.put_object(bucket, key, Path(path).read_bytes(), **ExtraArgs)

    def copy_object(self, Bucket: str, Key: str, CopySource: dict[str, str]) -> None:
        self.put_object(Bucket, Key, self.objects[CopySource["Key"]])

    def get_object(self, Bucket: str, Key: str) -> dict[str, Any]:
        return {"Body": io.BytesIO(self.objects.get(Key, b""))}

    def put_object(self, Bucket: str, Key: str, Body: bytes, ContentType: str = "") -> None:
        assert Bucket == "minutes"
        self.objects[Key] = Body
        self.order.append(Key)

    def delete_object(self, Bucket: str, Key: str) -> None:
        del self.objects[Key]

    def get_paginator(self, name: str) -> Bucket:
        assert name == "list_objects_v2"
        return self

    def paginate(self, Bucket: str, Prefix: str) -> list[dict[str, Any]]:
        keys = sorted(key for key in self.objects if key.startswith(Prefix))
        return [{"Contents": [{"Key": key, "LastModified": self._sent(key)}]} for key in keys]

    def _sent(self, key: str) -> datetime:
        return datetime.fromtimestamp(self.order.index(key), UTC)


def test_a_bucket_gets_the_files_first_and_the_index_last(folder: Path, settings: Settings) -> None:
    bucket = Bucket()
    deployer = S3(client=lambda endpoint: bucket)
    for text in ("one", "two", "three"):
        change(folder, text)
        publish(SITE, folder, settings, complete=True)
        version = (settings.published / "springfield").resolve()
        deployer.deploy(version, "springfield", "s3://minutes/public?keep=2")

    assert bucket.order[-1] == "public/springfield/index.json"
    named = json.loads(bucket.objects["public/springfield/index.json"])
    assert f"public/springfield/{named['database']}" in bucket.objects
    databases = [key for key in bucket.objects if key.endswith("/meetings.db")]
    assert len({key.split("/")[2] for key in databases if key.count("/") == 3}) == 2


def test_a_bucket_forgets_what_an_older_version_sent(folder: Path, settings: Settings) -> None:
    bucket = Bucket()
    bucket.put_object("minutes", "public/springfield/4be0c1/index.json", b"{}")
    bucket.put_object("minutes", "public/springfield/4be0c1/meetings.db", b"s3cretpw")
    publish(SITE, folder, settings, complete=True)

    version = (settings.published / "springfield").resolve()
    S3(client=lambda endpoint: bucket).deploy(version, "springfield", "s3://minutes/public?keep=5")

    assert not [key for key in bucket.objects if "4be0c1" in key]
    assert len([key for key in bucket.objects if key.endswith("/meetings.db")]) == 2


def test_s3_without_boto3_names_what_to_install(folder: Path, settings: Settings) -> None:
    if importlib.util.find_spec("boto3"):
        pytest.skip("boto3 is installed")
    publish(SITE, folder, settings, complete=True)
    version = (settings.published / "springfield").resolve()

    with pytest.raises(MissingTool) as caught:
        S3().deploy(version, "springfield", "s3://minutes")
    assert install_command(extra="s3") in caught.value.hint


def test_published_files_can_be_read_by_a_web_server(folder: Path, settings: Settings) -> None:
    publish(SITE, folder, settings, complete=True)

    version = (settings.published / "springfield").resolve()
    assert stat.S_IMODE(version.stat().st_mode) == 0o755
    assert stat.S_IMODE((version / "meetings.db").stat().st_mode) & 0o044


def test_the_next_version_is_made_from_one_that_is_not_kept(
    folder: Path, settings: Settings
) -> None:
    spare = settings.published / ".versions" / "springfield" / "spare-2"
    for turn in range(5):
        change(folder, f"turn {turn}")
        publish(SITE, folder, settings, complete=True, keep=2)
    before = spare.stat().st_ino
    kept = {path.name: path.stat().st_ino for path in versions(settings)}

    change(folder, "turn 5")
    publish(SITE, folder, settings, complete=True, keep=2)

    served = (settings.published / "springfield").resolve()
    assert served.stat().st_ino == before
    assert ask(served / "meetings.db", "SELECT text FROM minutes") == [("turn 5",)]
    assert spare.stat().st_ino == kept[min(kept)]
    assert ask(versions(settings)[0] / "meetings.db", "SELECT text FROM minutes") == [("turn 4",)]


def test_names_of_removed_pages_are_kept_no_longer_than_the_pages(
    folder: Path, settings: Settings
) -> None:
    place = settings.published / ".versions" / "springfield"
    removed = "minutes/City Council/2024-02-01"
    publish(SITE, folder, settings, complete=True, keep=2)
    write_text(folder, removed, ["Minutes that are withdrawn."])
    compile_folder(folder, SITE)
    publish(SITE, folder, settings, complete=True, keep=2)
    (folder / "txt" / "City Council" / "2024-02-01" / "page-1.txt").unlink()

    for turn in range(4):
        change(folder, f"turn {turn}")
        publish(SITE, folder, settings, complete=True, keep=2)

    assert not [path for path in place.rglob("*2024-02-01*") if "spare" not in str(path)]
    assert "2024-02-01" not in (place / "differences-2.json").read_text()


def test_who_keeps_one_version_keeps_nothing_of_others(folder: Path, settings: Settings) -> None:
    for turn in range(5):
        change(folder, f"turn {turn}")
        publish(SITE, folder, settings, complete=True, keep=2)
    change(folder, "turn 5")

    publish(SITE, folder, settings, complete=True, keep=1)

    left = (settings.published / ".versions" / "springfield").rglob("meetings.db")
    assert [ask(path, "SELECT text FROM minutes") for path in left] == [[("turn 5",)]]


def test_a_folder_gets_the_files_of_another_and_no_others(tmp_path: Path) -> None:
    source, target, own = (tmp_path / name for name in ("source", "target", "own"))
    for path, text in {
        "same": "same",
        "other": "new",
        "folder/deep/file": "deep",
        "was-folder": "file",
        "was-file/file": "in a folder",
        "skipped": "of the source",
    }.items():
        (source / path).parent.mkdir(parents=True, exist_ok=True)
        (source / path).write_text(text)
    own.mkdir()
    target.mkdir()
    (target / "same").hardlink_to(source / "same")
    # Shared with a former version, which must not change.
    (own / "other").write_text("old")
    (target / "other").hardlink_to(own / "other")
    (target / "was-folder" / "below").mkdir(parents=True)
    (target / "was-file").write_text("file")
    (target / "gone" / "below").mkdir(parents=True)
    (target / "gone" / "below" / "file").write_text("gone")
    (target / "skipped").write_text("of the target")

    mirror(source, target, ["skipped"])

    found = {
        path.relative_to(target).as_posix(): path.read_text()
        for path in target.rglob("*")
        if path.is_file()
    }
    assert found == {
        "same": "same",
        "other": "new",
        "folder/deep/file": "deep",
        "was-folder": "file",
        "was-file/file": "in a folder",
        "skipped": "of the target",
    }
    assert (own / "other").read_text() == "old"
    assert sorted(path.name for path in target.iterdir()) == sorted(
        ["folder", "other", "same", "skipped", "was-file", "was-folder"]
    )


def test_only_pages_of_new_documents_are_drawn(folder: Path, settings: Settings) -> None:
    site = SITE | {"extra": {"page_images": True}}
    drawn = settings.published / "springfield" / "images"

    def publish_with(date: str, text: str) -> None:
        writer = PdfWriter()
        writer.add_page([Text(72, 700, "Times-Roman", 24, text)])
        document = write_text(folder, f"minutes/Planning/{date}", [text])
        pdf, facts = document.pdf(folder), document.text(folder) / "document.json"
        pdf.parent.mkdir(parents=True, exist_ok=True)
        pdf.write_bytes(writer.getvalue())
        facts.write_text(facts.read_text().replace("f00d", storage.sha256_of(pdf)))
        compile_folder(folder, site)
        publish(site, folder, settings, complete=True)

    publish_with("2024-02-01", "The first.")
    first = drawn / "minutes" / "Planning" / "2024-02-01" / "page-1.webp"
    before = (first.stat().st_ino, first.read_bytes())
    publish_with("2024-03-01", "The second.")

    assert (first.stat().st_ino, first.read_bytes()) == before
    assert (drawn / "minutes" / "Planning" / "2024-03-01" / "page-1.webp").is_file()

    publish_with("2024-02-01", "The first, corrected at length.")
    assert first.read_bytes() != before[1]

    publish(SITE, folder, settings, complete=True)
    assert not drawn.exists()
