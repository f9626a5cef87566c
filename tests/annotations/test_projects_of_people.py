"""Projects: who may see and change them, what is exported of them, and reports about pages."""

from __future__ import annotations

from pathlib import Path

import pytest
from small_uploads import line, upload, write
from sqlalchemy import select
from test_annotation_pages import DOCUMENT, SECOND, town

from clerk.annotations import api, corrections
from clerk.annotations.comparing import compare
from clerk.core.db import reading_connection
from clerk.core.errors import InvalidInput, NotFound
from clerk.core.models import audit_table

__all__ = ["town"]

pytestmark = pytest.mark.usefixtures("database")

PAGE = f"{DOCUMENT.name}/2"


def project(name: str) -> api.Project:
    (found,) = [each for each in api.list_projects() if each.name == name]
    return found


def audited() -> list[tuple[str, str, str]]:
    columns = audit_table.c
    with reading_connection() as conn:
        rows = conn.execute(
            select(columns.who, columns.action, columns.detail).order_by(columns.id)
        )
        return [(who, action, detail or "") for who, action, detail in rows]


@pytest.fixture
def genes(tmp_path: Path) -> str:
    """A project with two documents."""
    upload(write(tmp_path / "genes.jsonl", [line(1), line(2)]), project="genes")
    return "genes"


# -------------------------------------------------------------------------------- people


def test_roles_are_given_changed_and_taken_and_each_time_somebody_did_it(genes: str) -> None:
    api.set_role(genes, "ann", "reader", who="bob")
    api.set_role(genes, " ann ", "editor", who="bob")
    api.set_role(genes, "cy", "owner", who="ann")
    assert project(genes).members == {"ann": "editor", "cy": "owner"}

    api.set_role(genes, "ann", None, who="cy")
    api.set_role(genes, "nobody", None, who="cy")

    assert project(genes).members == {"cy": "owner"}
    given = [each for each in audited() if each[1] == "project role"]
    assert given == [
        ("bob", "project role", "ann: reader"),
        ("bob", "project role", "ann: editor"),
        ("ann", "project role", "cy: owner"),
        ("cy", "project role", "ann: no role"),
        ("cy", "project role", "nobody: no role"),
    ]


@pytest.mark.parametrize(
    ("person", "role", "said"),
    [
        ("ann", "admin", "'admin' is not one of"),
        ("", "reader", "name of a person"),
        ("   ", "reader", "name of a person"),
        ("x" * 1000, "reader", "name of a person"),
    ],
)
def test_a_role_that_makes_no_sense_changes_nothing(
    genes: str, person: str, role: str, said: str
) -> None:
    with pytest.raises(InvalidInput, match=said):
        api.set_role(genes, person, role, who="bob")

    assert project(genes).members == {}
    assert [each for each in audited() if each[1] == "project role"] == []


def test_a_project_is_shown_to_everybody_or_hidden_again(genes: str) -> None:
    api.set_public(genes, True, who="bob")
    assert project(genes).is_public

    api.set_public(genes, False, who="bob")

    assert not project(genes).is_public
    assert [action for _, action, _ in audited()][-2:] == [
        "project made public",
        "project made private",
    ]


def test_of_a_project_that_is_not_there_nothing_is_told(genes: str) -> None:
    for ask in (
        lambda: api.set_role("atoms", "ann", "reader", who="bob"),
        lambda: api.set_public("atoms", True, who="bob"),
        lambda: list(api.read("atoms")),
        lambda: b"".join(api.export("atoms")),
        lambda: list(api.brat_files("atoms")),
        lambda: api.list_orphans("atoms"),
        lambda: compare("genes", "atoms"),
    ):
        with pytest.raises(NotFound, match="atoms"):
            ask()


# -------------------------------------------------------------------------------- exports


def test_files_of_brat_lie_below_the_folder_whatever_documents_are_called(tmp_path: Path) -> None:
    names = ["../../etc/passwd", "/absolute", "a/./b", "..", "x" * 300]
    hostile = [line(number) | {"sourceid": name} for number, name in enumerate(names)]
    upload(write(tmp_path / "hostile.jsonl", hostile), project="hostile")
    folder = tmp_path / "brat"

    documents = api.export_brat("hostile", folder)

    written = [path for path in folder.rglob("*") if path.is_file()]
    assert documents == len(names)
    assert len(written) == 2 * len(names)
    assert {path.suffix for path in written} == {".txt", ".ann"}
    assert not any(".." in path.relative_to(folder).parts for path in written)
    outside = [each for each in tmp_path.rglob("*.ann") if folder not in each.parents]
    assert outside == []


def test_brat_needs_a_folder_and_others_a_file(genes: str) -> None:
    with pytest.raises(InvalidInput, match="to a folder"):
        api.export(genes, "brat")

    assert b"".join(api.export(genes, "conll")).count(b"\n") > 10


def test_only_documents_of_a_source_are_exported(tmp_path: Path, genes: str) -> None:
    other = line(9) | {"sourcedb": "elsewhere"}
    upload(write(tmp_path / "other.jsonl", [other]), project=genes)

    assert len(list(api.read(genes))) == 3
    assert [each.sourceid for each in api.read(genes, sourcedb="elsewhere")] == ["9"]
    assert list(api.read(genes, sourcedb="nowhere")) == []
    assert b"".join(api.export(genes, sourcedb="elsewhere")).count(b"\n") == 1


def test_a_project_compared_with_an_empty_one_has_no_recall_to_speak_of(
    tmp_path: Path, genes: str
) -> None:
    bare = [line(1, denotations=[], relations=[], attributes=[])]
    upload(write(tmp_path / "bare.jsonl", bare), project="bare")

    done = compare(genes, "bare")

    assert (done.total.both, done.total.only_second) == (0, 0)
    assert done.total.only_first == len(done.differences) > 0
    assert done.total.recall == 0


# -------------------------------------------------------------------------------- reports


def reported(site: str, **more: object) -> int:
    return corrections.report(site, PAGE, 0, 9, text=SECOND, **more)  # type: ignore[arg-type]


def test_a_report_is_kept_as_it_was_sent_within_limits(town: str) -> None:
    number = reported(town, comment="c" * 100_000, reported_by="n" * 10_000, label="Name")

    found = corrections.find_report(number)

    assert (found.quote, found.label, found.state) == (SECOND[:9], "Name", "open")
    assert 0 < len(found.comment) < 100_000
    assert 0 < len(found.reported_by) < 10_000


def test_reports_are_listed_oldest_first_by_site_and_state(town: str) -> None:
    first, second, third = (reported(town, comment=str(n)) for n in range(3))
    corrections.reject(second, who="me")

    assert [each.id for each in corrections.list_reports()] == [first, third]
    assert [each.id for each in corrections.list_reports(None)] == [first, second, third]
    assert [each.id for each in corrections.list_reports(limit=1, offset=1)] == [third]
    assert corrections.list_reports(site="elsewhere") == []
    assert corrections.count_open_reports() == 2


def test_nobody_can_fill_the_list_of_reports(town: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(corrections, "MOST_OPEN", 3)
    numbers = [reported(town) for _ in range(3)]
    with pytest.raises(corrections.TooManyReports, match="wait for a decision"):
        reported(town)
    assert corrections.count_open_reports() == 3

    corrections.reject(numbers[0], who="me")

    assert reported(town) > numbers[-1]


@pytest.mark.parametrize(("begin", "end"), [(-1, 4), (4, 4), (9, 3), (0, 10**6)])
def test_a_report_must_be_about_words_of_the_page(town: str, begin: int, end: int) -> None:
    with pytest.raises(InvalidInput, match="is not a span of the page"):
        corrections.report(town, PAGE, begin, end, text=SECOND)

    assert corrections.count_open_reports() == 0


def test_a_report_without_values_needs_them_from_who_accepts_it(town: str) -> None:
    number = reported(town, comment="The result is wrong.")
    with pytest.raises(InvalidInput, match="has no values"):
        corrections.accept(number, text=SECOND, who="me")

    corrections.accept(number, text=SECOND, who="me", fields={"result": "failed"})

    (found,) = corrections.corrections_of(town)
    assert found.fields == {"result": "failed"}
    assert corrections.find_report(number).state == "accepted"
    with pytest.raises(NotFound, match="no report"):
        corrections.find_report(number + 1)
