"""Uploading, combining, taking back and exporting annotations, on both databases."""

from __future__ import annotations

import gzip
import io
import json
import os
import tarfile
import uuid
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from databases import sqlite_daily
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from shared_data import SHARED_DATA
from small_uploads import (
    WORDS,
    check,
    claim_as,
    everything,
    exported,
    line,
    perform,
    upload,
    write,
)
from small_work import hurry
from sqlalchemy import event

from clerk.annotations import api as annotation_projects
from clerk.annotations import formats
from clerk.annotations import store as annotation_store
from clerk.core import config, db
from clerk.core.errors import InvalidInput, NotFound, UnusableUpload
from clerk.core.states import Batch
from clerk.pipeline import batches
from clerk.pipeline import uploads as api
from clerk.pipeline.uploads import UploadJob

COLLECTION = SHARED_DATA / "annotations" / "bc5cdr_500.jsonl"

pytestmark = pytest.mark.usefixtures("database")


@pytest.fixture(autouse=True)
def short_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(api, "LOOK_SECONDS", 0.05)


# --------------------------------------------------------------------------- there and back


def test_what_was_uploaded_is_exported_as_it_was(tmp_path: Path) -> None:
    lines = [
        line(1),
        line(
            2,
            "Ünïcode 𝒳 text — with many signs\tand\nlines \\N \\.",
            denotations=[
                {"id": "T1", "span": {"begin": 0, "end": 9}, "obj": "https://example.org/#a\tb"},
                {
                    "id": "T2",
                    "span": [{"begin": 0, "end": 2}, {"begin": 4, "end": 6}],
                    "obj": {"nested": [1, None]},
                },
            ],
            blocks=[{"id": "B1", "span": {"begin": 0, "end": 20}, "obj": "Block\\N"}],
            attributes=[{"id": "A1", "subj": "T1", "pred": "p", "obj": False}],
            namespaces=[{"prefix": "_base", "uri": "https://example.org/"}],
            tracks=[{"project": "other", "denotations": []}],
        ),
        {"sourcedb": "Town", "sourceid": "3", "text": "nothing here", "denotations": []},
    ]

    status = upload(write(tmp_path / "a.jsonl", lines))

    assert status.succeeded and status.stored["documents"] == 3
    assert exported() == lines
    check()


@pytest.mark.skipif(not COLLECTION.is_file(), reason="there is no shared data")
def test_a_real_collection_goes_there_and_back_exactly() -> None:
    path = COLLECTION

    status = upload(path, batch_items=60)

    assert status.succeeded and status.items == 500
    given = [json.loads(each) for each in path.read_text(encoding="utf-8").splitlines()]
    assert exported() == sorted(given, key=lambda each: (each["sourcedb"], each["sourceid"]))
    check()


def packed(kind: str, files: dict[str, bytes], folder: Path) -> Path:
    """Return a folder, an archive or a compressed file with these files."""
    if kind == "gz":
        ((name, content),) = files.items()
        (folder / f"{name}.gz").write_bytes(gzip.compress(content))
        return folder / f"{name}.gz"
    path = folder / f"packed{'' if kind == 'folder' else f'.{kind}'}"
    if kind == "zip":
        with zipfile.ZipFile(path, "w") as archive:
            for name, content in files.items():
                archive.writestr(name, content)
    elif kind == "folder":
        for name, content in files.items():
            (path / name).parent.mkdir(parents=True, exist_ok=True)
            (path / name).write_bytes(content)
    else:
        with tarfile.open(path, "w:gz" if kind == "tgz" else "w") as archive:
            for name, content in files.items():
                member = tarfile.TarInfo(name)
                member.size = len(content)
                archive.addfile(member, io.BytesIO(content))
    return path


@pytest.mark.parametrize(
    ("format", "kind"),
    [
        ("w3c", "gz"),
        ("tsv", "zip"),
        ("spacy", "tar"),
        ("brat", "folder"),
        ("brat", "zip"),
        ("conll", "tgz"),
        ("pubannotation", "zip"),
    ],
)
def test_an_export_in_any_format_is_uploaded_again(tmp_path: Path, format: str, kind: str) -> None:
    lines = [line(1), line(2)]
    if format == "conll":
        lines = [{k: v for k, v in each.items() if k in _ONLY_SPANS} for each in lines]
    upload(write(tmp_path / "a.jsonl", lines))
    if format == "brat":
        annotation_projects.export_brat("p", tmp_path / "brat")
        found = [each for each in (tmp_path / "brat").rglob("*") if each.is_file()]
        files = {
            each.relative_to(tmp_path / "brat").as_posix(): each.read_bytes() for each in found
        }
    else:
        suffix = formats.WRITERS[format][1]
        files = {f"all{suffix}": b"".join(annotation_projects.export("p", format))}
    path = packed(kind, files, tmp_path)

    status = upload(path, project="again", format=format)

    assert status.succeeded, status
    assert exported("again") == lines
    check()


_ONLY_SPANS = ("sourcedb", "sourceid", "text", "denotations")


def test_documents_without_a_source_get_the_project_and_the_name_of_their_file(
    tmp_path: Path,
) -> None:
    (tmp_path / "corpus" / "a").mkdir(parents=True)
    (tmp_path / "corpus" / "a" / "x.txt").write_text("Ruiz moved.")
    (tmp_path / "corpus" / "a" / "x.ann").write_text("T1\tPerson 0 4\tRuiz\n")
    (tmp_path / "corpus" / "readme.md").write_text("not read")

    upload(tmp_path / "corpus", project="genes", format="brat")
    (found,) = exported("genes")
    assert (found["sourcedb"], found["sourceid"]) == ("genes", "a/x")
    assert found["denotations"][0]["obj"] == "Person"

    bare = {"text": "Lee seconded.", "denotations": []}
    upload(write(tmp_path / "b.jsonl", [bare, bare]), project="bare", sourcedb="notes")
    assert [each["sourceid"] for each in exported("bare")] == ["b", "b-2"]
    with pytest.raises(UnusableUpload, match=r"x.txt is alone"):
        api.upload(config.load(), [tmp_path / "corpus" / "a" / "x.txt"], project="p", format="brat")
    with pytest.raises(UnusableUpload, match="cannot be read as w3c"):
        api.upload(config.load(), [write(tmp_path / "c.jsonl", ["{"])], project="p", format="w3c")


def test_an_upload_that_nobody_works_on_says_how_to_go_on(
    tmp_path: Path, clerk: Callable[..., Any]
) -> None:
    job = api.upload(
        config.load(), [write(tmp_path / "a.jsonl", [line(1)])], project="p", create_docs=True
    )

    assert "No worker is processing upload" in clerk("annotations", "status", str(job.id)).err
    job.wait(config.load(workers=1))
    assert "Nobody" not in clerk("annotations", "status", str(job.id)).err


def test_an_export_sorts_the_project_once(tmp_path: Path) -> None:
    lines = [line(number) for number in (3, 1, 2)]
    upload(write(tmp_path / "a.jsonl", lines))
    statements: list[str] = []
    engine = db.get_civic_db()
    event.listen(engine, "before_cursor_execute", lambda *said: statements.append(said[2]))

    with db.reading_connection() as conn:
        number = annotation_store.require_project(conn, "p")
        found = [each.key[1] for each in annotation_store.read_project(conn, number, at_once=1)]

    assert found == ["1", "2", "3"]
    assert sum("ORDER BY annotation_documents" in said for said in statements) == 1


texts = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=4)
labels = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1)


@st.composite
def objects(draw: Any) -> dict[str, Any]:
    """An object with a few annotations of a text of its own."""
    text = draw(texts)
    found = []
    for number in range(draw(st.integers(0, 4))):
        begin = draw(st.integers(0, len(text) - 1))
        span = {"begin": begin, "end": draw(st.integers(begin + 1, len(text)))}
        label = draw(labels.filter(str.strip))
        found.append({"id": f"T{number + 1}", "span": span, "obj": label})
    value = {"sourcedb": "s", "sourceid": "d", "text": text, "denotations": found}
    if found and draw(st.booleans()):
        obj = draw(st.none() | st.booleans() | st.integers(-9, 9) | labels)
        value["attributes"] = [{"id": "A1", "subj": "T1", "pred": "p", "obj": obj}]
        if obj is None:
            del value["attributes"]
    return value


def store(project: str, value: dict[str, Any], mode: str) -> int:
    """Store one object in this process, and return its job."""
    path = write(config.load().storage_dir / "one.jsonl", [value])
    job = api.upload(config.load(), [path], project=project, mode=mode, create_docs=True)
    perform(claim_as("me"))
    perform(claim_as("me"))
    return job.id


def lawful(examples: int = 15) -> Any:
    return settings(
        max_examples=examples,
        deadline=None,
        suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
    )


@lawful()
@given(value=objects(), mode=st.sampled_from(["replace", "add", "merge", "skip"]))
def test_export_is_the_inverse_of_upload(value: dict[str, Any], mode: str) -> None:
    assume(mode != "merge" or not _says_a_thing_twice(value))
    project = f"p{uuid.uuid4().hex}"
    value = {**value, "sourceid": project}

    store(project, value, mode)

    assert exported(project) == [value]


def _says_a_thing_twice(value: dict[str, Any]) -> bool:
    """Whether there are two annotations that differ by their ids alone: merged they are one."""
    said = [
        (kind, repr({key: each[key] for key in sorted(each) if key != "id"}))
        for kind in ("denotations", "attributes", "relations")
        for each in value.get(kind, [])
    ]
    return len(set(said)) < len(said)


@lawful()
@given(value=objects())
def test_the_laws_of_replace_merge_and_rollback(value: dict[str, Any]) -> None:
    project = f"p{uuid.uuid4().hex}"
    value = {**value, "sourceid": project}
    store(project, value, "replace")
    store(project, value, "replace")
    assert exported(project) == [value]

    store(project, value, "merge")
    merged = exported(project)
    store(project, value, "merge")
    assert exported(project) == merged

    added = store(project, value, "add")
    assert len(exported(project)[0]["denotations"]) == len(value["denotations"]) * 2
    api.rollback(added)
    assert exported(project) == merged
    check()


# ----------------------------------------------------------------------------------- modes


def test_replace_takes_the_union_of_a_documents_objects_in_all_files(tmp_path: Path) -> None:
    upload(write(tmp_path / "old.jsonl", [line(1), line(2)]))
    plain = {"relations": [], "attributes": []}
    one = write(tmp_path / "one.jsonl", [line(1, denotations=[_person("T1")], **plain)])
    two = write(tmp_path / "two.jsonl", [line(1, denotations=[_person("T9")], **plain)])

    api.upload(config.load(), [one, two], project="p").wait(config.load())

    first, second = exported()
    assert [each["id"] for each in first["denotations"]] == ["T1", "T9"]
    assert second == line(2)


def _person(name: str) -> dict[str, Any]:
    return {"id": name, "span": {"begin": 4, "end": 9}, "obj": f"Person {name}"}


def test_an_empty_object_clears(tmp_path: Path) -> None:
    upload(write(tmp_path / "a.jsonl", [line(1)]))

    empty = {"sourcedb": "Town", "sourceid": "1", "text": WORDS, "denotations": []}
    upload(write(tmp_path / "b.jsonl", [empty]))

    assert exported() == [empty]
    check()


def _only_denotations() -> dict[str, Any]:
    found = line(1)
    del found["relations"], found["attributes"]
    return found


def _without_lists(number: int = 1, **more: Any) -> dict[str, Any]:
    return {"sourcedb": "Town", "sourceid": str(number), "text": WORDS, **more}


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("items", [{"type": "Annotation", "motivation": "tagging"}]),
        ("entities", [[4, 9, "Person"]]),
        ("denotation", [{"id": "T1", "span": {"begin": 4, "end": 9}, "obj": "Person"}]),
        ("Denotations", []),
    ],
)
@pytest.mark.parametrize("mode", ["replace", "merge"])
def test_annotations_under_an_unknown_key_clear_nothing_and_are_an_issue(
    tmp_path: Path, mode: str, key: str, value: list[Any]
) -> None:
    upload(write(tmp_path / "a.jsonl", [line(1), line(2)]))
    unknown = _without_lists(**{key: value})

    status = upload(write(tmp_path / "b.jsonl", [unknown, line(2)]), mode=mode)

    assert status.issues == {"unknown_key": 1}
    (issue,) = api.find(status.id).issues()
    assert (issue.file, issue.line, issue.sourceid) == ("b.jsonl", 1, "1")
    assert f"'{key}'" in issue.message
    assert exported() == [line(1), line(2)]
    check()


@pytest.mark.parametrize("format", ["w3c", "spacy"])
def test_an_export_in_another_format_that_is_uploaded_again_clears_nothing(
    tmp_path: Path, format: str
) -> None:
    lines = [line(1), line(2), line(3, denotations=[], relations=[], attributes=[])]
    upload(write(tmp_path / "a.jsonl", lines))
    before = exported()
    again = tmp_path / "again.jsonl"
    again.write_bytes(b"".join(annotation_projects.export("p", format)))

    status = upload(again)

    assert not status.succeeded and sum(status.issues.values()) == 3
    assert exported() == before
    check()


@pytest.mark.parametrize(
    ("more", "kept"),
    [
        ({}, line(1)),
        ({"denotations": None}, line(1)),
        (
            {"blocks": [{"id": "B1", "span": {"begin": 0, "end": 20}, "obj": "Motion"}]},
            line(1, blocks=[{"id": "B1", "span": {"begin": 0, "end": 20}, "obj": "Motion"}]),
        ),
        ({"denotations": line(1)["denotations"]}, line(1)),
        ({"relations": [], "attributes": []}, _only_denotations()),
    ],
)
def test_only_a_list_that_is_there_clears(
    tmp_path: Path, more: dict[str, Any], kept: dict[str, Any]
) -> None:
    upload(write(tmp_path / "a.jsonl", [line(1)]))

    status = upload(write(tmp_path / "b.jsonl", [_without_lists(**more)]))

    assert status.succeeded
    assert exported() == [kept]
    emptied = {"relations": 1, "attributes": 1} if "relations" in more else {}
    assert status.cleared == emptied
    assert status.issues == ({"cleared": 1} if emptied else {})
    check()


def test_what_loses_its_ends_in_a_replacement_is_named(tmp_path: Path) -> None:
    upload(write(tmp_path / "a.jsonl", [line(1)]))
    moved = {"id": "T2", "span": {"begin": 10, "end": 14}, "obj": "Person"}
    replacing = _without_lists(denotations=[line(1)["denotations"][0], moved])

    status = upload(write(tmp_path / "b.jsonl", [replacing]))

    named = [issue.message for issue in api.find(status.id).issues("lost_reference")]
    assert named == ["R1 is lost with T2.", "A1 is lost with T2."]
    assert not status.succeeded


@pytest.mark.parametrize("dry_run", [False, True])
def test_the_report_says_what_was_cleared(tmp_path: Path, dry_run: bool) -> None:
    upload(write(tmp_path / "a.jsonl", [line(1), line(2)]))
    empty = line(1, denotations=[], relations=[], attributes=[], blocks=[])

    job = api.upload(
        config.load(), [write(tmp_path / "b.jsonl", [empty, line(2)])], project="p", dry_run=dry_run
    )
    status = job.wait(config.load(workers=1))

    assert status.cleared == {"documents": 1, "denotations": 2, "relations": 1, "attributes": 1}
    (note,) = job.issues()
    assert (note.code, note.sourceid) == ("cleared", "1")
    assert note.message == "cleared 2 denotations, 1 relation, 1 attribute."
    assert status.succeeded and status.state == "completed"


@pytest.mark.parametrize("dry_run", [True, False])
def test_the_report_says_by_how_much_a_list_became_shorter(tmp_path: Path, dry_run: bool) -> None:
    whole = line(1)
    assert len(whole["denotations"]) == 2
    upload(write(tmp_path / "a.jsonl", [whole]))
    part = {**whole, "denotations": whole["denotations"][1:], "relations": [], "attributes": []}

    status = upload(write(tmp_path / "b.jsonl", [part]), dry_run=dry_run)

    assert status.cleared["denotations"] == 1 and "documents" not in status.cleared
    assert status.issues == {"cleared": 1}


def test_an_upload_of_which_every_object_was_refused_is_not_completed(tmp_path: Path) -> None:
    bad = [_without_lists(items=[]), {"text": 5}]
    status = upload(write(tmp_path / "a.jsonl", bad))
    assert (status.state, status.items_refused, status.items) == ("rejected", 2, 2)

    unknown = api.upload(
        config.load(), [write(tmp_path / "b.jsonl", [line(1)])], project="p", dry_run=True
    ).status()
    assert (unknown.state, unknown.issues) == ("rejected", {"unknown_document": 1})

    mixed = upload(write(tmp_path / "c.jsonl", [*bad, line(2)]))
    assert (mixed.state, mixed.items_refused, mixed.items) == ("completed", 2, 3)
    assert upload(write(tmp_path / "d.jsonl", [line(2)]), mode="skip").state == "completed"
    check()


def test_lists_of_their_own_kind_are_replaced_without_denotations(tmp_path: Path) -> None:
    def blocks(*labels: str) -> dict[str, Any]:
        span = {"begin": 0, "end": 20}
        found = [{"id": f"B{at}", "span": span, "obj": label} for at, label in enumerate(labels, 1)]
        return _without_lists(blocks=found)

    upload(write(tmp_path / "a.jsonl", [blocks("one", "two")]))

    assert upload(write(tmp_path / "b.jsonl", [blocks("three")])).succeeded
    assert [each["obj"] for each in exported()[0]["blocks"]] == ["three"]
    assert upload(write(tmp_path / "c.jsonl", [blocks()])).succeeded
    assert "blocks" not in exported()[0]
    check()


def test_a_document_of_which_one_object_is_unusable_is_not_replaced_by_the_others(
    tmp_path: Path,
) -> None:
    upload(write(tmp_path / "a.jsonl", [line(1), line(2)]))
    half = line(1, denotations=[_person("T1")], relations=[], attributes=[])
    lines = [half, _without_lists(items=[]), line(2)]

    status = upload(write(tmp_path / "b.jsonl", lines))

    assert status.issues == {"unknown_key": 1, "rejected": 1}
    assert exported() == [line(1), line(2)]
    check()


def test_add_renumbers_and_skip_leaves(tmp_path: Path) -> None:
    path = write(tmp_path / "a.jsonl", [line(1)])
    upload(path)

    upload(path, mode="add")
    (found,) = exported()
    upload(
        write(tmp_path / "b.jsonl", [line(1, denotations=[], relations=[], attributes=[])]),
        mode="skip",
    )

    assert [each["id"] for each in found["denotations"]] == ["T1", "T2", "T3", "T4"]
    assert found["relations"][1] == {"id": "R2", "pred": "before", "subj": "T3", "obj": "T4"}
    assert exported() == [found]
    check()


def test_only_what_is_new_counts_as_stored(tmp_path: Path) -> None:
    path = write(tmp_path / "a.jsonl", [line(1), line(2)])
    one = {"documents": 2, "denotations": 4, "blocks": 0, "relations": 2, "attributes": 2}
    more = [*line(1)["denotations"], {"id": "T9", "span": {"begin": 4, "end": 5}, "obj": "New"}]
    newer = write(tmp_path / "b.jsonl", [line(1, denotations=more), line(2)])

    assert upload(path).stored == one
    assert upload(path, mode="add").stored == one
    assert set(upload(path, mode="merge").stored.values()) == {0}
    assert set(upload(path, mode="skip").stored.values()) == {0}
    merged = upload(newer, mode="merge").stored
    assert merged == dict.fromkeys(one, 0) | {"documents": 1, "denotations": 1}
    (project,) = annotation_projects.list_projects()
    twice = {name: 2 * number for name, number in one.items()}
    expected = twice | {"documents": 2, "denotations": 9}
    assert {name: getattr(project, name) for name in one} == expected
    check()


def test_what_is_stored_adds_up_while_an_upload_is_running(tmp_path: Path) -> None:
    path = write(tmp_path / "a.jsonl", map(line, range(40)))
    job = api.upload(config.load(), [path], project="p", create_docs=True, batch_items=2)

    seen = [status.stored["denotations"] for status in job.events(config.load(workers=1))]

    assert seen == sorted(seen)
    assert seen[-1] == 80


def test_an_upload_ends_though_another_has_work_left(tmp_path: Path) -> None:
    large = write(tmp_path / "a.jsonl", map(line, range(2_000)))
    other = api.upload(config.load(), [large], project="q", create_docs=True, batch_items=1)

    status = upload(write(tmp_path / "b.jsonl", [line("x")]))

    assert status.succeeded
    assert other.status().state == "open"
    check()


def test_projects_do_not_meet(tmp_path: Path) -> None:
    path = write(tmp_path / "a.jsonl", [line(1)])
    upload(path, project="one")
    upload(path, project="two", create_docs=False)

    api.rollback(2)

    assert exported("one") == [line(1)]
    assert exported("two") == []


# --------------------------------------------------------------------- documents and texts


def test_an_unknown_document_is_an_issue_unless_it_may_be_made(tmp_path: Path) -> None:
    path = write(tmp_path / "a.jsonl", [line(1), line(1)])

    status = upload(path, create_docs=False)

    assert (status.state, status.items_done, status.issues) == (
        "rejected",
        2,
        {"unknown_document": 2},
    )
    (first, second) = api.find(status.id).issues()
    assert (first.file, first.line, second.line) == ("a.jsonl", 1, 2)


def test_spans_follow_a_text_that_differs(tmp_path: Path) -> None:
    upload(write(tmp_path / "a.jsonl", [line(1)]))
    moved = line(1, "An addition. " + WORDS)
    for each in moved["denotations"]:
        each["span"] = {key: at + 13 for key, at in each["span"].items()}

    status = upload(write(tmp_path / "b.jsonl", [moved]))

    assert status.succeeded
    assert exported() == [line(1)]


def test_a_lost_span_is_dropped_or_the_document_rejected(tmp_path: Path) -> None:
    upload(write(tmp_path / "a.jsonl", [line(1)]))
    other = line(1, WORDS.replace("The", "Her"))

    rejected = upload(write(tmp_path / "b.jsonl", [other]), on_lost="reject")
    assert rejected.issues == {"lost_span": 1, "lost_reference": 1, "rejected": 1}
    assert exported() == [line(1)]

    dropped = upload(write(tmp_path / "b.jsonl", [other]))
    assert dropped.issues == {"lost_span": 1, "lost_reference": 1, "cleared": 1}
    assert [each["id"] for each in exported()[0]["denotations"]] == ["T2"]


def test_another_text_is_refused_and_changes_nothing(tmp_path: Path) -> None:
    upload(write(tmp_path / "a.jsonl", [line(1)]))

    status = upload(write(tmp_path / "b.jsonl", [line(1, "0123456789 " * 9)]))

    assert status.issues == {"text_mismatch": 1}
    assert exported() == [line(1)]


def test_when_all_spans_are_lost_the_document_stays_as_it_is(tmp_path: Path) -> None:
    upload(write(tmp_path / "a.jsonl", [line(1)]))
    other = WORDS.replace("The clerk", "Her queen")

    status = upload(write(tmp_path / "b.jsonl", [line(1, other)]))

    assert status.issues == {"lost_span": 2, "lost_reference": 2, "rejected": 1}
    assert exported() == [line(1)]


def test_a_sites_page_is_a_document(site: str, storage: Path, tmp_path: Path) -> None:
    page = storage / site / "txt" / "Council" / "2024-01-15" / "page-2.txt"
    page.parent.mkdir(parents=True)
    page.write_text(WORDS)
    known = {"sourcedb": site, "sourceid": "minutes/Council/2024-01-15/2"}
    unknown = {"sourcedb": site, "sourceid": "minutes/Council/../2024-01-15/2"}

    status = upload(
        write(tmp_path / "a.jsonl", [line(1, **known), line(1, **unknown)]), create_docs=False
    )

    assert status.issues == {"unknown_document": 1}
    assert exported() == [line(1, **known)]


# --------------------------------------------------------------------- stopping, going back


def test_suspended_resumed_and_cancelled(tmp_path: Path) -> None:
    path = write(tmp_path / "a.jsonl", [line(n) for n in range(10)])
    job = api.upload(config.load(), [path], project="p", create_docs=True, batch_items=2)
    assert api.suspend(job.id)
    assert job.wait(config.load()).state == "suspended"
    assert job.status().items_done == 0
    assert claim_as("somebody else") is None

    assert api.resume(config.load(), job.id) and not api.resume(config.load(), job.id)
    assert job.wait(config.load()).succeeded
    assert not api.cancel(job.id)

    second = api.upload(config.load(), [path], project="q")
    assert api.cancel(second.id, who="me")
    assert second.wait(config.load()).state == "cancelled"
    assert exported("q") == []
    check()


def test_progress_never_goes_back_and_ends_full(tmp_path: Path) -> None:
    path = write(tmp_path / "a.jsonl", [line(n) for n in range(40)])
    job = api.upload(config.load(), [path], project="p", create_docs=True, batch_items=4)

    seen = list(job.events(config.load(workers=2)))

    done = [(each.items_done, each.bytes_done) for each in seen]
    assert done == sorted(done)
    assert done[-1] == (40, path.stat().st_size)
    assert seen[-1].batches == 10


def test_a_rollback_restores_what_was_before_and_removes_what_was_made(tmp_path: Path) -> None:
    upload(write(tmp_path / "a.jsonl", [line(1)]))
    before = exported()
    second = upload(
        write(
            tmp_path / "b.jsonl",
            [line(1, denotations=[_person("T1")], relations=[], attributes=[]), line(2)],
        )
    )
    third = upload(write(tmp_path / "c.jsonl", [line(2)]), mode="add")

    left = api.rollback(second.id)
    assert (left.restored, left.removed, left.left) == (1, 0, 1)
    assert exported()[0] == before[0]

    assert api.rollback(third.id).restored == 1
    assert api.rollback(second.id).removed == 1
    assert exported() == before
    assert api.find(second.id).status().state == "rolled_back"
    with db.reading_connection() as conn:
        assert list(annotation_store.documents_from(conn, "Town")) == ["1"]
    check()


def test_after_cleaning_up_a_rollback_destroys_nothing(tmp_path: Path) -> None:
    upload(write(tmp_path / "a.jsonl", [line(1)]))
    second = upload(write(tmp_path / "b.jsonl", [line(1)]))
    with db.civic_db_connection() as conn:
        long_ago = "2020-01-01 00:00:00.000000"
        conn.exec_driver_sql(
            f"UPDATE annotation_sets SET retired_at = '{long_ago}' WHERE NOT is_current"
        )

    assert batches.cleanup(config.load().storage_dir).former_sets == 1
    done = api.rollback(second.id)

    assert (done.restored, done.removed, done.left) == (0, 0, 1)
    assert exported() == [line(1)]
    check()


def test_a_dry_run_reports_the_same_and_leaves_nothing(tmp_path: Path, storage: Path) -> None:
    upload(write(tmp_path / "a.jsonl", [line(1)]))
    path = write(tmp_path / "b.jsonl", [line(1), line(2), "{bad", line(3, text=5)])
    before, files = everything(), sorted(storage.rglob("*"))

    rehearsal = api.upload(config.load(), [path], project="new", create_docs=True, dry_run=True)

    assert everything() == before
    assert sorted(storage.rglob("*")) == files
    real = upload(path, project="new")
    shown = rehearsal.wait(config.load())
    assert (shown.stored, shown.issues, shown.items) == (real.stored, real.issues, real.items)
    assert list(map(str, rehearsal.issues())) == list(map(str, api.find(real.id).issues()))


def test_two_uploads_of_the_same_documents_lose_nothing(tmp_path: Path) -> None:
    from small_work import reap, spawn

    paths = [
        write(
            tmp_path / f"{n}.jsonl",
            [
                line(d, denotations=[_person(f"T{n}")], relations=[], attributes=[])
                for d in range(30)
            ],
        )
        for n in (1, 2)
    ]
    upload(
        write(
            tmp_path / "docs.jsonl",
            [line(d, denotations=[], relations=[], attributes=[]) for d in range(30)],
        )
    )

    pids = [
        spawn(lambda path=path: _add(path))  # type: ignore[misc]
        for path in paths
    ]
    assert [reap(pid) for pid in pids] == [0, 0]

    assert all(len(each["denotations"]) == 2 for each in exported())
    check()


def _add(path: Path) -> None:
    assert upload(path, mode="add", batch_items=3).succeeded


# ---------------------------------------------------------------------------- hostile files


def archive(path: Path, members: dict[str, bytes], link: str = "") -> Path:
    with tarfile.open(path, "w:gz") as tar:
        for name, content in members.items():
            info = tarfile.TarInfo(name)
            info.size = len(content)
            tar.addfile(info, io.BytesIO(content))
        if link:
            info = tarfile.TarInfo(link)
            info.type, info.linkname = tarfile.SYMTYPE, "/etc/passwd"
            tar.addfile(info)
    return path


def test_members_that_lead_elsewhere_are_issues_and_the_rest_is_stored(tmp_path: Path) -> None:
    good = json.dumps(line(1)).encode()
    members = {"good.json": good, "../up.json": good, "/abs.json": good, "x.exe": b"MZ"}

    status = upload(archive(tmp_path / "a.tgz", members, link="link.json"))

    assert status.issues == {"refused_member": 4}
    assert exported() == [line(1)]
    assert not (tmp_path / "up.json").exists()


@sqlite_daily
@pytest.mark.parametrize(
    ("text", "code"),
    [
        ('{"sourcedb": "a", "sourceid": "1", "text": "x', "invalid_json"),
        ("[" * 100_000, "too_deep"),
        ('{"sourcedb":"a","sourceid":"1","text":"a\\u0000b"}', "nul_character"),
        ('{"sourcedb":"a","sourceid":"1","text":"\\ud800"}', "lone_surrogate"),
        ('{"sourcedb":"a","sourceid":"1","text":"' + "x" * (33 << 20) + '"}', "too_large"),
        ("null", "not_an_object"),
    ],
)
def test_a_hostile_line_is_an_issue_and_the_next_is_stored(
    tmp_path: Path, text: str, code: str
) -> None:
    status = upload(write(tmp_path / "a.jsonl", [text, line(1)]))

    assert (status.state, status.issues) == ("completed", {code: 1})
    assert exported() == [line(1)]


def test_bytes_that_are_no_text_are_an_issue(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(b'{"sourcedb": "\xff"}\n' + json.dumps(line(1)).encode())

    assert upload(path).issues == {"invalid_utf8": 1}


@sqlite_daily
@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.csv", b"a,b"),
        ("a.zip", b"PK\x03\x04"),
        ("a.json", b"PK\x03\x04rest"),
        ("a.tgz", b"\x1f\x8b\x08damaged"),
        ("a.jsonl", b""),
    ],
)
def test_a_file_that_cannot_be_used_is_refused_and_leaves_nothing(
    tmp_path: Path, storage: Path, name: str, content: bytes
) -> None:
    (tmp_path / name).write_bytes(content)
    before = everything()

    with pytest.raises(UnusableUpload):
        upload(tmp_path / name)

    assert everything() == before
    assert not list((storage / "_clerk" / "uploads").iterdir())


def test_a_bomb_is_refused_before_it_fills_the_disk(tmp_path: Path, storage: Path) -> None:
    bomb = archive(tmp_path / "a.tgz", {"a.json": b" " * (80 << 20)})

    with pytest.raises(UnusableUpload, match="expands"):
        upload(bomb)

    assert not list((storage / "_clerk" / "uploads").iterdir())


def test_a_file_of_nothing_but_bad_lines_ends_at_once(tmp_path: Path) -> None:
    status = upload(write(tmp_path / "a.jsonl", ["null"] * 50))

    assert (status.state, status.items_done, status.issues) == (
        "rejected",
        50,
        {"not_an_object": 50},
    )


def test_many_relations_between_two_denotations(tmp_path: Path) -> None:
    relations = [{"pred": "p", "subj": "T1", "obj": "T2"}] * 30_000

    status = upload(write(tmp_path / "a.jsonl", [line(1, relations=relations)]))

    assert status.stored["relations"] == 30_000


@sqlite_daily
@pytest.mark.parametrize(
    "how", [{"mode": "overwrite"}, {"align": "maybe"}, {"on_lost": "cry"}, {"batch_items": 0}]
)
def test_choices_that_do_not_exist_are_refused(tmp_path: Path, how: dict[str, Any]) -> None:
    with pytest.raises(InvalidInput):
        upload(write(tmp_path / "a.jsonl", [line(1)]), **how)


# ------------------------------------------------------------------------------- commands


def test_the_commands_from_upload_to_export(
    tmp_path: Path, clerk: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    good = write(tmp_path / "a.jsonl", [line(1), line(2)])
    bad = write(tmp_path / "b.jsonl", [line(1), "{"])

    said = clerk("annotations", "upload", str(good), "--project", "p", "--create-docs")
    assert said.code == 0
    assert "Upload 1 to p (replace): completed" in said.out
    assert "stored   2 documents, 4 denotations, 2 relations, 2 attributes" in said.out

    said = clerk("annotations", "upload", str(bad), "--project", "p", "--json")
    assert (said.code, json.loads(said.out)["issues"]) == (4, {"invalid_json": 1})
    said = clerk("annotations", "issues", "2")
    assert said.out.startswith("invalid_json: b.jsonl:2: ")
    assert json.loads(clerk("annotations", "issues", "2", "--json").out)["line"] == 2

    assert json.loads(clerk("annotations", "status", "1", "--json").out)["state"] == "completed"
    assert clerk("annotations", "watch", "1").code == 0
    assert "a.jsonl" in clerk("annotations", "list").out
    out = clerk("annotations", "export", "-p", "p").out
    assert [json.loads(each) for each in out.splitlines()] == [line(1), line(2)]
    for kind in ("w3c", "conll", "tsv", "spacy"):
        target = tmp_path / f"out.{kind}"
        assert (
            clerk("annotations", "export", "-p", "p", "--format", kind, "-o", str(target)).code == 0
        )
        assert target.stat().st_size > 100
    assert clerk("annotations", "export", "-p", "p", "--format", "brat").code == 2
    folder = tmp_path / "brat"
    clerk("annotations", "export", "-p", "p", "--format", "brat", "-o", str(folder))
    assert (folder / "Town" / "1.txt").read_text() == WORDS
    assert "T1\tWord 0 3" in (folder / "Town" / "1.ann").read_text()

    assert clerk("annotations", "rollback", "1").code == 0
    assert clerk("annotations", "export", "-p", "nobody").code == 1


def test_validation_needs_no_database(tmp_path: Path, clerk: Callable[..., Any]) -> None:
    path = write(tmp_path / "a.jsonl", [line(1), "{"])

    said = clerk("annotations", "validate", str(path))

    assert said.code == 4
    assert "2 objects, 1 document, 2 denotations" in said.out


def test_a_detached_upload_waits_and_is_taken_up(tmp_path: Path, clerk: Callable[..., Any]) -> None:
    path = write(tmp_path / "a.jsonl", [line(1)])

    said = clerk("annotations", "upload", str(path), "-p", "p", "--create-docs", "--detach")
    assert "Upload 1 is waiting for the workers." in said.out
    assert clerk("annotations", "suspend", "1").out == "Upload 1 is suspended.\n"
    assert clerk("annotations", "resume", "1").out == "Upload 1 is resumed.\n"
    assert clerk("annotations", "watch", "1").code == 0
    assert exported() == [line(1)]


def test_what_waits_of_uploads_is_listed_paused_and_purged(
    tmp_path: Path, clerk: Callable[..., Any]
) -> None:
    def queue() -> dict[str, Any]:
        listed = json.loads(clerk("queue", "list", "--json").out)
        return next(each for each in listed if each["name"] == "annotations")

    path = write(tmp_path / "a.jsonl", map(line, range(6)))
    job = api.upload(config.load(), [path], project="p", create_docs=True, batch_items=2)
    assert (queue()["waiting"], queue()["running"]) == (1, 0)  # the file is to be cut
    said = clerk("health")
    assert "no worker serves 1 in annotations" in said.out
    assert "clerk annotations watch" in said.err or "clerk worker TYPE" in said.err

    perform(claim_as("w"))
    assert (queue()["waiting"], queue()["running"]) == (3, 0)
    clerk("queue", "pause", "annotations")
    assert claim_as("w") is None
    clerk("queue", "resume", "annotations")
    assert claim_as("w")
    assert (queue()["waiting"], queue()["running"]) == (2, 1)
    assert json.loads(clerk("pipeline-status", "--json").out)["active"]["annotations"] == {
        "waiting": 2,
        "running": 1,
    }

    said = clerk("queue", "purge", "annotations", "--runs", "--yes")
    assert said.out == "Purged annotations: 0 messages, 1 runs cancelled\n"
    assert job.status().state == "cancelled"
    assert (queue()["waiting"], queue()["running"]) == (0, 0)


def test_a_run_of_a_site_leaves_uploads_alone(
    tmp_path: Path, site: str, clerk: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    hurry(monkeypatch)
    path = write(tmp_path / "a.jsonl", [line(1)])
    job = api.upload(config.load(), [path], project="p", create_docs=True)

    assert clerk("run", site).code == 4  # it has no documents

    assert (job.status().state, job.status().items_done) == ("open", 0)
    assert job.wait(config.load(workers=1)).succeeded


def test_an_unknown_upload_is_refused(clerk: Callable[..., Any]) -> None:
    assert "There is no upload 7." in clerk("annotations", "status", "7").err
    with pytest.raises(NotFound):
        api.find(7)


def test_files_of_ended_uploads_are_cleaned_up(tmp_path: Path, storage: Path) -> None:
    status = upload(write(tmp_path / "a.jsonl", [line(1)]))
    folder = next((storage / "_clerk" / "uploads").iterdir())
    assert batches.cleanup(config.load().storage_dir).uploaded_files == 0

    with db.civic_db_connection() as conn:
        conn.exec_driver_sql("UPDATE jobs SET closed_at = '2020-01-01 00:00:00.000000'")
    os.utime(folder, (0, 0))

    assert batches.cleanup(config.load().storage_dir).uploaded_files == 1
    assert isinstance(api.find(status.id), UploadJob)
    assert Batch.COMPLETED in batches.size().by_status
