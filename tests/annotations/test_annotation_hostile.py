"""Files made to harm: each is refused or an issue, in bounded memory, and nothing is half stored.

The sizes that matter are scaled down; ``make chaos`` meets them in full, by the command.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from small_uploads import check, exported, line, upload, write

from clerk.annotations import (
    BatchLimits,
    Issue,
    Issues,
    decide,
    read_documents,
    receive,
    split,
)
from clerk.pipeline import uploads

#: What one process may take while it meets the largest files.
MEGABYTES = 400


def refused(path: Path, limits: BatchLimits) -> tuple[list[str], list[tuple[str, str, int]]]:
    """Return the documents that are read, and the issues by code, document and times."""
    source = receive(path, path.with_suffix(".spool"))
    names, issues = [], []
    for batch in split(source, limits):
        found, problems = read_documents(source, batch)
        assert batch.items == sum(map(len, found.values())) + sum(each.times for each in problems)
        names += [sourceid for _, sourceid in found]
        issues += [(each.code, each.sourceid, each.times) for each in problems]
    return sorted(names), issues


@pytest.mark.parametrize(
    "limits", [BatchLimits(document_bytes=2_000), BatchLimits(document_objects=5)]
)
def test_a_document_of_too_many_objects_is_refused_whole(
    tmp_path: Path, limits: BatchLimits
) -> None:
    lines = [line("huge"), line(1)] * 8 + [line("huge")] * 8
    path = write(tmp_path / "a.jsonl", [*lines[:3], *lines[4:6], *lines[16:]])

    assert refused(path, limits) == (["1"], [("too_large", "huge", 11)])


def test_one_object_is_as_large_as_objects_may_be(tmp_path: Path) -> None:
    path = write(tmp_path / "a.jsonl", [line(1)])

    assert refused(path, BatchLimits(document_bytes=10)) == (["1"], [])


@pytest.mark.usefixtures("database")
def test_bad_lines_beyond_a_few_hundred_are_counted_not_listed(tmp_path: Path) -> None:
    status = upload(write(tmp_path / "a.jsonl", ["", *["null"] * 500, line(1)]))

    listed = list(uploads.find(status.id).issues())
    assert status.issues == {"invalid_json": 1, "not_an_object": 500}
    assert (status.items, status.items_done) == (502, 502)
    assert len(listed) == 202
    assert (listed[-1].line, listed[-1].times) == (202, 300)
    assert exported() == [line(1)]
    check()


@pytest.mark.usefixtures("database")
def test_what_names_a_document_is_always_listed(tmp_path: Path) -> None:
    status = upload(write(tmp_path / "a.jsonl", map(line, range(300))), create_docs=False)

    issues = list(uploads.find(status.id).issues())
    assert len({each.sourceid for each in issues}) == len(issues) == 300


def test_without_a_database_every_kind_is_counted_beyond_what_is_listed() -> None:
    found = Issues(2, always_named=False)
    found.add_all(Issue("bad", "is bad", "a", n, "db", str(n)) for n in range(5))

    assert [each.times for each in found] == [1, 1, 3]
    assert (len(found), found.by_code()) == (5, {"bad": 5})


@pytest.mark.parametrize("content", ["[]", " \n" * 5_000, "[\n]\n" * 3])
def test_a_file_without_objects_is_an_issue(tmp_path: Path, content: str) -> None:
    (tmp_path / "a.json").write_text(content)

    assert refused(tmp_path / "a.json", BatchLimits()) == ([], [("empty", "", 1)])


@pytest.mark.usefixtures("database")
def test_a_document_that_would_grow_too_large_is_left_as_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(decide, "ANNOTATIONS_PER_DOCUMENT", 7)
    path = write(tmp_path / "a.jsonl", [line(1)])
    upload(path)

    status = upload(path, mode="add")

    assert (status.issues, status.stored["documents"]) == ({"too_large": 1}, 0)
    assert exported() == [line(1)]


@pytest.mark.usefixtures("database")
@pytest.mark.parametrize("dry_run", [True, False])
def test_adding_to_documents_that_have_much_goes_in_smaller_steps(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, dry_run: bool
) -> None:
    path = write(tmp_path / "a.jsonl", map(line, range(6)))
    upload(path)
    monkeypatch.setattr(decide, "ANNOTATIONS_AT_ONCE", 9)

    status = upload(path, mode="add", dry_run=dry_run)

    assert status.succeeded
    assert (status.stored["documents"], status.stored["denotations"]) == (6, 12)
    check()


# ------------------------------------------------------------------------------- in full size


@dataclass(frozen=True)
class Measured:
    """What a command answered, and the memory of the largest process it had."""

    code: int
    out: str
    megabytes: float


def measured(*words: str) -> Measured:
    """Run clerk by itself."""
    script = (
        "import resource, subprocess, sys\n"
        "done = subprocess.run([sys.executable, '-m', 'clerk', *sys.argv[1:]], text=True,"
        " stdout=subprocess.PIPE)\n"
        "used = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss\n"
        "print(done.returncode, used, done.stdout)"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, *words], stdout=subprocess.PIPE, text=True, check=True
    )
    code, used, out = done.stdout.split(" ", 2)
    return Measured(int(code), out, int(used) / 1024)


def relations(how_many: int, first: int = 0) -> bytes:
    """Return relations as JSON, without brackets."""
    each = b'{"id":"R%d","pred":"p","subj":"T1","obj":"T2"}'
    return b",".join(each % number for number in range(first, first + how_many))


def with_relations(name: str, how_many: int, first: int = 0) -> bytes:
    """Return an object with so many relations."""
    return (
        json.dumps(line(name, relations=["@"])).encode().replace(b'"@"', relations(how_many, first))
    )


def long_line() -> Iterator[bytes]:
    """Give a line of one gigabyte between two good ones."""
    yield json.dumps(line(1)).encode() + b'\n{"sourcedb":"Town","sourceid":"big","text":"'
    for _ in range(1024):
        yield b"x" * (1 << 20)
    yield b'"}\n' + json.dumps(line(2)).encode()


def one_object() -> Iterator[bytes]:
    """Give ten million relations in one object."""
    begin, end = json.dumps(line("r", relations=["@"])).encode().split(b'"@"')
    yield begin
    for part in range(100):
        yield (b"," if part else b"") + relations(100_000, part * 100_000)
    yield end + b"\n" + json.dumps(line(1)).encode() + b"\n" + json.dumps(line(2)).encode()


def one_document() -> Iterator[bytes]:
    """Give ten million relations in a thousand objects of one document."""
    for part in range(1_000):
        yield with_relations("r", 10_000, part * 10_000) + b"\n"
    yield json.dumps(line(1)).encode() + b"\n" + json.dumps(line(2)).encode()


def many_documents() -> Iterator[bytes]:
    """Give ten million relations in ten thousand documents."""
    some = with_relations("#", 1_000)
    for number in range(10_000):
        yield some.replace(b'"#"', b'"%d"' % number) + b"\n"


def short_lines() -> Iterator[bytes]:
    """Give two million empty lines."""
    for _ in range(2):
        yield b"\n" * (1 << 20)
    yield json.dumps(line(1)).encode() + b"\n" + json.dumps(line(2)).encode()


HOSTILE: dict[str, Any] = {
    "long.jsonl": (long_line, {"too_large": 1}, 2),
    "long.json": (long_line, {"too_large": 1}, 2),
    "object.jsonl": (one_object, {"too_large": 1}, 2),
    "document.jsonl": (one_document, {"too_large": 1_000}, 2),
    "many.jsonl": (many_documents, {}, 10_000),
    "short.jsonl": (short_lines, {"invalid_json": 2 << 20}, 2),
}


@pytest.mark.chaos
@pytest.mark.timeout(900)
@pytest.mark.parametrize("name", HOSTILE)
def test_the_largest_files_in_full(storage: Path, tmp_path: Path, name: str) -> None:
    content, issues, documents = HOSTILE[name]
    with (tmp_path / name).open("wb") as file:
        file.writelines(content())

    checked = measured("annotations", "validate", str(tmp_path / name), "--json")
    stored = measured(
        "annotations", "upload", str(tmp_path / name), "-p", "p", "--create-docs", "--json"
    )

    assert json.loads(checked.out)["issue_counts"] == issues
    status = json.loads(stored.out)
    assert (status["issues"], status["stored"]["documents"]) == (issues, documents)
    assert status["items_done"] == status["items"]
    assert stored.code == checked.code == (4 if issues else 0)
    assert max(stored.megabytes, checked.megabytes) < MEGABYTES
