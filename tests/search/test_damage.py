"""A search index that is damaged or in use: found, named, and never answered from in part."""

from __future__ import annotations

from pathlib import Path

import pytest
from small_sites import SITE, compile_folder, index_folder, write_text

from clerk.core.errors import NotFound, StorageUnusable
from clerk.core.storage import search_folder
from clerk.search import Query, check_place, index, search
from clerk.search.index import IndexBusy, IndexDamaged
from clerk.search.readers import open_index


@pytest.fixture
def storage(tmp_path: Path) -> Path:
    """A town in an index of one part."""
    write_text(tmp_path / "springfield", "minutes/Council/2024-01-15", ["A zoning variance."])
    compile_folder(tmp_path / "springfield", SITE)
    return tmp_path


def shard(storage: Path) -> Path:
    """The folder of the first part."""
    layout = index.read_layout(storage)
    assert layout is not None
    return search_folder(storage) / layout.shards[0]


def test_every_file_of_a_good_index_is_whole(storage: Path) -> None:
    files = index.segment_files(shard(storage))

    assert files
    for path in files:
        index.check_file(path, content=True)


@pytest.mark.parametrize("cut", [1, 9, 10_000])
def test_a_file_that_is_cut_short_is_found_without_reading_it(storage: Path, cut: int) -> None:
    path = max(index.segment_files(shard(storage)), key=lambda each: each.stat().st_size)
    path.write_bytes(path.read_bytes()[:-cut])

    with pytest.raises(IndexDamaged, match="is incomplete"):
        index.check_file(path)


def test_a_byte_that_turned_is_found_by_reading_the_content(storage: Path) -> None:
    path = max(index.segment_files(shard(storage)), key=lambda each: each.stat().st_size)
    content = bytearray(path.read_bytes())
    content[0] ^= 1
    path.write_bytes(content)

    index.check_file(path)
    with pytest.raises(IndexDamaged, match="other content than was written"):
        index.check_file(path, content=True)


def test_a_file_that_cannot_be_opened_is_damage(tmp_path: Path) -> None:
    with pytest.raises(IndexDamaged, match="cannot be read"):
        index.check_file(tmp_path / "nothing.idx")


@pytest.mark.parametrize("content", [b"", b"{}", b"not json"])
def test_a_list_of_segments_that_makes_no_sense_is_damage(storage: Path, content: bytes) -> None:
    (shard(storage) / "meta.json").write_bytes(content)

    with pytest.raises(IndexDamaged, match=r"meta\.json is damaged"):
        index.segment_files(shard(storage))


def test_an_index_that_cannot_be_read_is_an_error_and_not_an_empty_answer(storage: Path) -> None:
    (shard(storage) / "meta.json").write_bytes(b"not json")

    with pytest.raises(StorageUnusable, match="search index cannot be read") as caught:
        search(storage, Query("zoning"))

    assert "clerk search-index update" in caught.value.hint
    reason = index.damage_of(storage, 0)
    assert reason is not None and "meta.json" in reason, "the next update rebuilds it"


def test_parts_that_can_be_read_answer_and_the_missing_one_is_noted(tmp_path: Path) -> None:
    for name in ("springfield", "shelbyville", "ogdenville"):
        write_text(tmp_path / name, "minutes/Council/2024-01-15", ["A zoning variance."])
        compile_folder(tmp_path / name, {"subdomain": name, "name": name}, into_index=False)
        index_folder(tmp_path / name, shards=2)
    layout = index.read_layout(tmp_path)
    assert layout is not None
    lost = index.shard_of("springfield", 2)
    there = {name for name in ("shelbyville", "ogdenville") if index.shard_of(name, 2) != lost}
    assert there, "the towns lie in both parts"
    (search_folder(tmp_path) / layout.shards[lost] / "meta.json").write_bytes(b"not json")

    opened = open_index(tmp_path)

    assert list(opened.missing) == [lost]
    assert {hit.site for hit in search(tmp_path, Query("zoning")).hits} == there
    assert index.damage_of(tmp_path, lost)
    assert index.damage_of(tmp_path, 1 - lost) is None
    # Nobody is told that the site in the missing part, or a body, does not exist.
    check_place(tmp_path, Query("zoning", site="springfield", body="Council"))
    check_place(tmp_path, Query("zoning", body="Planning Board"))


def test_damage_is_forgotten_when_the_part_was_rebuilt(storage: Path) -> None:
    index.note_damage(storage, 0, "a lost file")
    assert index.damage_of(storage, 0) == "a lost file"

    index.forget_damage(storage, 0)

    assert index.damage_of(storage, 0) is None
    index.forget_damage(storage, 0)


def test_a_second_writer_is_refused_and_told_who_writes(storage: Path) -> None:
    with (
        index.writer_lock(storage, 0),
        pytest.raises(IndexBusy, match=r"Process \d+ is writing the search index") as caught,
        index.writer_lock(storage, 0),
    ):
        pytest.fail("two writers at once")
    assert caught.value.hint == "Wait until it is done."
    with index.writer_lock(storage, 0):
        pass


@pytest.mark.parametrize(
    ("raised", "becomes", "says"),
    [
        (OSError(28, "No space left on device"), StorageUnusable, "cannot be written"),
        (ValueError("schema mismatch"), IndexDamaged, "cannot be used: schema mismatch"),
        (type("PanicException", (BaseException,), {})("boom"), IndexDamaged, "boom"),
    ],
    ids=["full disk", "damaged", "panic"],
)
def test_what_the_engine_raises_becomes_an_error_of_clerks(
    tmp_path: Path, raised: BaseException, becomes: type[Exception], says: str
) -> None:
    with pytest.raises(becomes, match=says), index.engine_errors(tmp_path):
        raise raised


def test_an_interruption_is_not_taken_for_damage(tmp_path: Path) -> None:
    with pytest.raises(KeyboardInterrupt), index.engine_errors(tmp_path):
        raise KeyboardInterrupt


def test_a_layout_of_another_version_is_no_index(storage: Path) -> None:
    path = search_folder(storage) / "index.json"
    path.write_text(path.read_text().replace(str(index.VERSION), "1", 1))

    assert index.read_layout(storage) is None
    with pytest.raises(NotFound):
        search(storage, Query("zoning"))


def test_a_site_without_a_readable_database_is_not_indexed(tmp_path: Path) -> None:
    folder = tmp_path / "springfield"
    folder.mkdir()

    assert index.open_compiled(folder) is None
    (folder / "meetings.db").write_bytes(b"no database at all" * 100)
    assert index.open_compiled(folder) is None
