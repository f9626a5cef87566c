"""Files of annotations: found, split, read again; and what hostile ones come to."""

from __future__ import annotations

import gzip
import io
import json
import os
import tarfile
import tracemalloc
from pathlib import Path

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis_sizes import examples
from shared_data import SHARED_DATA

from clerk.annotations.objects import CheckedObject, Issue
from clerk.annotations.split import (
    BatchLimits,
    decode_batch,
    objects_in,
    read_documents,
    split,
)
from clerk.annotations.spool import ArchiveLimits, receive
from clerk.core.errors import UnusableUpload

SHARED = SHARED_DATA / "annotations"


def page(number, text="Ruiz moved.", **more):
    denotations = [{"id": "T1", "span": {"begin": 0, "end": 4}, "obj": "Person"}]
    return {
        "sourcedb": "springfield",
        "sourceid": f"p{number}",
        "text": text,
        "denotations": denotations,
        **more,
    }


def taken_in(tmp_path, name, content):
    path = tmp_path / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return receive(path, tmp_path / "spool")


def results(upload, limits=None):
    return [each for batch in split(upload, limits) for each in decode_batch(upload, batch)]


def documents(found):
    return [each.sourceid for each in found if isinstance(each, CheckedObject)]


def issues(found):
    return [(each.line, each.code) for each in found if isinstance(each, Issue)]


def lines(*values):
    return "".join(json.dumps(each) + "\n" for each in values)


def archive(members):
    """Pack (name or TarInfo, content) pairs."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:gz") as tar:
        for name, content in members:
            info = tarfile.TarInfo(name) if isinstance(name, str) else name
            info.size = len(content)
            tar.addfile(info, io.BytesIO(content))
    return buffer.getvalue()


def test_json_lines_are_read_with_their_line_numbers(tmp_path):
    upload = taken_in(tmp_path, "a.jsonl", lines(page(1), page(2, text=""), page(3)))
    found = results(upload)
    assert documents(found) == ["p1", "p3"]
    assert [str(each) for each in found if isinstance(each, Issue)] == [
        "a.jsonl:2: annotations must include a 'text'"
    ]
    assert [each.line for each in found] == [1, 2, 3]


@pytest.mark.parametrize(
    "content",
    [
        json.dumps([page(1), page(2)]),
        json.dumps([page(1), page(2)], indent=2),
        json.dumps(page(1)) + json.dumps(page(2)),
        json.dumps(page(1), indent=1) + "\n\n" + json.dumps(page(2), indent=1),
        lines(page(1), page(2)),
        "\ufeff" + json.dumps([page(1)]) + json.dumps([page(2)]),
    ],
)
def test_a_json_file_may_be_an_array_or_objects_one_after_the_other(tmp_path, content):
    assert documents(results(taken_in(tmp_path, "a.json", content))) == ["p1", "p2"]


def test_brackets_and_quotes_in_strings_do_not_count(tmp_path):
    texts = ['a } ] " { [', "\\", '\\"', "end\\\\", '"', "{[" * 50]
    objects = [page(n, text=text + " xxxx") for n, text in enumerate(texts)]
    upload = taken_in(tmp_path, "a.json", json.dumps(objects, indent=1))
    assert documents(results(upload)) == [f"p{n}" for n in range(len(texts))]


def test_lines_are_counted_in_pretty_printed_files(tmp_path):
    content = json.dumps(page(1), indent=1) + "\n" + json.dumps(page(2, text=""), indent=1)
    found = results(taken_in(tmp_path, "a.json", content))
    first = json.dumps(page(1), indent=1).count("\n") + 1
    assert issues(found) == [(first + 1, "missing_text")]


class SmallReads(io.BytesIO):
    """A file that gives a few bytes at a time, so that every border is met."""

    def read(self, size=-1):
        return super().read(min(size, 3))


json_values = st.recursive(
    st.one_of(st.none(), st.integers(), st.text(alphabet='a"\\{}[],é😀\n', max_size=8)),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3), st.dictionaries(st.text('k"\\{', max_size=3), inner)
    ),
    max_leaves=12,
)
json_objects = st.dictionaries(st.text('k"\\{', max_size=3), json_values, max_size=3)


@settings(max_examples=examples(200), deadline=None)
@given(st.lists(json_objects, max_size=4), st.booleans(), st.sampled_from([None, 1]))
def test_every_object_is_found_wherever_blocks_are_cut(objects, as_array, indent):
    content = (
        json.dumps(objects, indent=indent)
        if as_array
        else " ".join(json.dumps(each, indent=indent) for each in objects)
    ).encode()
    found = list(objects_in(SmallReads(content), "json", 0, len(content)))
    assert [json.loads(each.data) for each in found] == objects
    for each in found:
        assert content[each.begin : each.end] == each.data
        assert each.line == 1 + content.count(b"\n", 0, each.begin)


def test_a_batch_is_full_by_objects_bytes_or_documents(tmp_path):
    upload = taken_in(tmp_path, "a.jsonl", lines(*(page(n) for n in range(10))))
    size = len(lines(page(1)))
    for limits in (
        BatchLimits(items=3),
        BatchLimits(documents=3),
        BatchLimits(bytes=3 * size + 1),
    ):
        assert [batch.items for batch in split(upload, limits)] == [3, 3, 3, 1]


def test_a_document_stays_in_one_batch_however_far_apart_its_objects_are(tmp_path):
    order = [1, 2, 3, 1, 4, 5, 2, 6, 7, 8, 1]
    upload = taken_in(tmp_path, "a.jsonl", lines(*(page(n) for n in order)))
    batches = list(split(upload, BatchLimits(documents=2)))
    homes: dict[str, set[int]] = {}
    for number, batch in enumerate(batches):
        for each in decode_batch(upload, batch):
            homes.setdefault(each.sourceid, set()).add(number)
    assert all(len(numbers) == 1 for numbers in homes.values())
    assert sum(batch.items for batch in batches) == len(order)
    assert sorted(documents(results(upload))) == sorted(f"p{n}" for n in order)


def test_objects_that_follow_each_other_are_one_range(tmp_path):
    for name, content in (
        ("a.jsonl", lines(*(page(n) for n in range(50)))),
        ("a.json", json.dumps([page(n) for n in range(50)])),
    ):
        (batch,) = split(taken_in(tmp_path, name, content))
        assert len(batch.ranges) == 1
        assert batch.documents[:2] == (("springfield", "p0"), ("springfield", "p1"))


def test_a_colon_in_a_name_does_not_move_between_source_and_id(tmp_path):
    laws = [page(n) | {"sourcedb": "urn:lex", "sourceid": f"us/{n}"} for n in (1, 2)]
    (batch,) = split(taken_in(tmp_path, "a.jsonl", lines(*laws)))

    assert batch.documents == (("urn:lex", "us/1"), ("urn:lex", "us/2"))


def test_uploads_and_batches_can_be_kept_as_json(tmp_path):
    upload = taken_in(tmp_path, "a.jsonl", lines(page(1), page(2, text="")))
    (batch,) = split(upload)
    for value in (upload, batch):
        assert msgspec.json.decode(msgspec.json.encode(value), type=type(value)) == value


def test_an_interrupted_split_continues_where_it_stopped(tmp_path):
    upload = taken_in(tmp_path, "a.jsonl", lines(*(page(n % 7) for n in range(40))))
    limits = BatchLimits(documents=2)
    whole = list(split(upload, limits))
    assert list(split(upload, limits, skip=2)) == whole[2:]


def test_a_batch_can_be_cut_down_to_single_documents(tmp_path):
    upload = taken_in(tmp_path, "a.json", json.dumps([page(n) for n in (1, 2, 1, 3)], indent=1))
    (batch,) = split(upload)
    parts = list(split(upload, BatchLimits(documents=1), ranges=batch.ranges))
    assert sorted(part.documents for part in parts) == [
        (("springfield", "p1"),),
        (("springfield", "p2"),),
        (("springfield", "p3"),),
    ]
    assert sum(part.items for part in parts) == batch.items
    again = [each.line for part in parts for each in decode_batch(upload, part)]
    assert sorted(again) == sorted(each.line for each in decode_batch(upload, batch))


def test_an_archive_is_read_whole_and_its_members_named(tmp_path):
    content = archive(
        [
            ("b/one.jsonl", lines(page(1), page(2, text="")).encode()),
            ("two.json", json.dumps([page(3), page(1)]).encode()),
        ]
    )
    upload = taken_in(tmp_path, "x.tar.gz", content)
    batches = list(split(upload, BatchLimits(documents=1)))
    found = [each for batch in batches for each in decode_batch(upload, batch)]
    assert sorted(documents(found)) == ["p1", "p1", "p3"]
    assert {each.file for each in found if isinstance(each, Issue)} == {"x.tar.gz:b/one.jsonl"}


def special(name, kind, target=""):
    info = tarfile.TarInfo(name)
    info.type, info.linkname = kind, target
    return info


@pytest.mark.parametrize(
    ("member", "reason"),
    [
        ("../evil.jsonl", "leads out"),
        ("a/../../evil.jsonl", "leads out"),
        ("..\\evil.jsonl", "leads out"),
        ("C:\\evil.jsonl", "absolute"),
        (special("link.jsonl", tarfile.SYMTYPE, "/etc/passwd"), "link"),
        (special("hard.jsonl", tarfile.LNKTYPE, "one.jsonl"), "link"),
        (special("pipe.jsonl", tarfile.FIFOTYPE), "regular"),
        ("readme.txt", "ends in none"),
        ("inner.tgz", "ends in none"),
        ("empty.jsonl", "empty"),
    ],
)
def test_a_dangerous_or_foreign_member_is_refused_by_name_and_the_rest_read(
    tmp_path, member, reason
):
    content = archive([(member, b""), ("one.jsonl", lines(page(1)).encode())])
    upload = taken_in(tmp_path, "x.tgz", content)
    assert [reason in each.message for each in upload.issues] == [True]
    assert documents(results(upload)) == ["p1"]
    assert sorted(each.name for each in tmp_path.iterdir()) == ["spool", "x.tgz"]


def test_an_absolute_member_is_refused(tmp_path):
    upload = taken_in(tmp_path, "x.tgz", archive([("/etc/x.jsonl", lines(page(1)).encode())]))
    assert "absolute" in upload.issues[0].message
    assert not upload.members


def test_a_bomb_is_refused_before_it_expands(tmp_path):
    content = archive([("zeros.jsonl", b"\0" * 5_000_000)])
    path = tmp_path / "x.tgz"
    path.write_bytes(content)
    limits = ArchiveLimits(ratio=100, ratio_from_bytes=1_000_000)
    with pytest.raises(UnusableUpload, match="expands to more"):
        receive(path, tmp_path / "spool", limits)
    assert not (tmp_path / "spool").exists()


def test_an_archive_with_too_many_members_is_refused(tmp_path):
    path = tmp_path / "x.tgz"
    path.write_bytes(archive([(f"{n}.jsonl", b"{}\n") for n in range(20)]))
    with pytest.raises(UnusableUpload, match="more than 10 members"):
        receive(path, tmp_path / "spool", ArchiveLimits(members=10))


def test_a_header_that_claims_to_be_huge_is_not_read(tmp_path):
    info = special("x", tarfile.XHDTYPE)
    path = tmp_path / "x.tgz"
    path.write_bytes(archive([(info, b"1" * 3_000_000)]))
    with pytest.raises(UnusableUpload, match="header is too large"):
        receive(path, tmp_path / "spool")


@pytest.mark.parametrize("cut", [10, 200, -9, -3])
def test_a_cut_off_archive_is_refused_whole(tmp_path, cut):
    noise = os.urandom(2000).hex()
    content = archive([("a.jsonl", lines(page(1, text=noise), page(2)).encode())])
    with pytest.raises(UnusableUpload, match="damaged"):
        taken_in(tmp_path, "x.tgz", content[:cut])
    assert not (tmp_path / "spool").exists()


@pytest.mark.parametrize(
    ("name", "content", "reason"),
    [
        ("a.xml", b"<a/>", "not a file of annotations"),
        ("a.zip", b"PK\x03\x04", "not a file of annotations"),
        ("a.json.gz", gzip.compress(b"{}", mtime=0), "not a file of annotations"),
        ("a.json", gzip.compress(b"{}", mtime=0), "compressed with gzip"),
        ("a.jsonl", b"PK\x03\x04", "zip"),
        ("a.jsonl", "{}".encode("utf-16"), "UTF-16"),
        ("a.jsonl", json.dumps(page(1), indent=1).encode(), "several lines"),
        ("a.json", b" \n", "empty"),
        ("a.tgz", b"not an archive", "damaged or not an archive"),
    ],
)
def test_a_file_that_is_not_what_it_is_called_is_refused_by_name(tmp_path, name, content, reason):
    with pytest.raises(UnusableUpload, match=reason) as error:
        taken_in(tmp_path, name, content)
    assert name in str(error.value)


def test_a_cut_off_object_is_an_issue_and_the_lines_before_are_read(tmp_path):
    whole = lines(page(1), page(2))
    for name in ("a.jsonl", "a.json"):
        found = results(taken_in(tmp_path, name, whole[:-20]))
        assert documents(found) == ["p1"]
        assert issues(found) in ([(2, "invalid_json")], [(2, "truncated")])


def test_after_an_object_that_never_ends_the_next_line_is_read(tmp_path):
    content = lines(page(1)) + '{"sourcedb": "x", "text": "no end\n' + lines(page(2), page(3))
    found = results(taken_in(tmp_path, "a.json", content))
    assert documents(found) == ["p1", "p2", "p3"]
    assert issues(found) == [(2, "truncated")]


def test_text_between_objects_is_one_issue(tmp_path):
    content = json.dumps(page(1)) + "\nhello, world }\n" + json.dumps(page(2))
    found = results(taken_in(tmp_path, "a.json", content))
    assert documents(found) == ["p1", "p2"]
    assert issues(found) == [(2, "stray_text")]


def test_a_chain_of_headers_does_not_exhaust_the_stack(tmp_path):
    header = special("x", tarfile.GNUTYPE_LONGNAME)
    with pytest.raises(UnusableUpload, match="damaged"):
        taken_in(tmp_path, "x.tgz", archive([(header, b"name\0")] * 3000))


@settings(
    max_examples=examples(150),
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(st.lists(st.tuples(st.integers(0, 2047), st.integers(0, 255)), max_size=6))
def test_a_damaged_archive_is_read_or_refused(tmp_path, damage):
    content = bytearray(gzip.decompress(archive([("a.jsonl", lines(page(1)).encode())])))
    for at, value in damage:
        content[at] = value
    try:
        results(taken_in(tmp_path, "x.tgz", gzip.compress(bytes(content))))
    except UnusableUpload as error:
        assert "x.tgz" in str(error)


def test_the_objects_of_a_batch_can_be_read_by_document(tmp_path):
    upload = taken_in(tmp_path, "a.jsonl", lines(page(1), page(2), page(1), page(3, text="")))
    (batch,) = split(upload)
    found, problems = read_documents(upload, batch)
    assert {key[1]: [each.line for each in objects] for key, objects in found.items()} == {
        "p1": [1, 3],
        "p2": [2],
    }
    assert [each.line for each in problems] == [4]


def test_a_line_beyond_the_limit_is_an_issue_in_bounded_memory(tmp_path):
    path = tmp_path / "a.jsonl"
    with path.open("wb") as file:
        file.write(lines(page(1)).encode() + b'{"text": "')
        for _ in range(64):
            file.write(b"x" * 1024 * 1024)
        file.write(b'"}\n' + lines(page(2)).encode())
    (tmp_path / "a.json").write_bytes(path.read_bytes())
    tracemalloc.start()
    for name in ("a.jsonl", "a.json"):
        upload = receive(tmp_path / name, tmp_path / "spool")
        found = results(upload, BatchLimits(object_bytes=2 * 1024 * 1024))
        assert documents(found) == ["p1", "p2"]
        assert issues(found) == [(2, "too_large")]
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 24 * 1024 * 1024


@pytest.mark.parametrize("name", ["a.json", "a.jsonl"])
def test_hostile_lines_harm_nobody_else(tmp_path, name):
    bad = [
        b"[" * 100_000 + b"]" * 100_000,
        b'{"text": "\xff\xfe"}',
        b'{"text": "\\ud800"}',
        json.dumps(page(8, text="a\0bcd")).encode(),
        json.dumps(page(9, denotations=page(9)["denotations"] * 2)).encode(),
    ]
    content = b"\n".join([json.dumps(page(1)).encode(), *bad, json.dumps(page(2)).encode()])
    found = results(taken_in(tmp_path, name, content))
    assert documents(found) == ["p1", "p2"]
    assert len(found) == len(bad) + 2


@settings(max_examples=examples(200), deadline=None)
@given(content=st.binary(max_size=200), kind=st.sampled_from(["json", "jsonl"]))
def test_no_bytes_break_the_reader(content, kind):
    for found in objects_in(SmallReads(content), kind, 0, len(content)):
        assert 0 <= found.begin <= found.end <= len(content)


def test_hundreds_of_thousands_of_relations_in_one_object_are_checked(tmp_path):
    relation = '{"id":"R%d","subj":"T1","pred":"p","obj":"T1"}'
    relations = ",".join(relation % n for n in range(200_000))
    start = json.dumps(page(1))[:-1]
    upload = taken_in(tmp_path, "a.jsonl", f'{start}, "relations": [{relations}]}}\n')
    (found,) = results(upload)
    assert len(found.relations) == 200_000


@pytest.mark.skipif(not SHARED.is_dir(), reason="there is no shared data")
def test_the_shared_collection_is_read_without_an_issue():
    upload = receive(SHARED / "bc5cdr_500.jsonl", Path("/nonexistent"))
    batches = list(split(upload, BatchLimits(documents=100)))
    assert [batch.items for batch in batches] == [100] * 5
    found = [each for batch in batches for each in decode_batch(upload, batch)]
    assert len(documents(found)) == 500
