"""Uploads of annotations on the operators' pages: brought in, acted on, taken out; all kept."""

from __future__ import annotations

import io
import json
import tarfile
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select, text
from web_town import Browser

from clerk.annotations import api as annotation_projects
from clerk.core import config, db
from clerk.core.models import audit_table, metadata
from clerk.core.storage import web_folder
from clerk.ops.web_sessions import OPERATOR, VIEWER
from clerk.pipeline import uploads as annotation_jobs
from clerk.web import uploads


def objects(number: int) -> bytes:
    """Return annotations of so many documents, a line each."""
    made = {"text": "The motion carried.", "sourcedb": "notes"}
    noun = {"id": "T1", "span": {"begin": 4, "end": 10}, "obj": "Motion"}
    lines = (made | {"sourceid": str(each), "denotations": [noun]} for each in range(number))
    return b"".join(json.dumps(line).encode() + b"\n" for line in lines)


BAD = b'{"sourcedb": "notes", "sourceid": "x", "text": "a", "denotations": 5}\n'
FIELDS = {"project": "votes", "mode": "replace", "create_docs": "yes"}


@pytest.fixture
def client(installation: Path) -> Browser:
    """An operator."""
    return Browser(OPERATOR)


def sent(client: Browser, content: bytes = b"", name: str = "a.jsonl", **fields: str) -> Any:
    """Upload a file as the form of the page does."""
    files = {"file": (name, content or objects(3))}
    return client.post("/ops/uploads", data=FIELDS | fields, files=files)


def number_of(answer: Any) -> int:
    """Return the upload that an answer leads to."""
    assert answer.status_code == 303, answer.text
    return int(answer.headers["location"].rpartition("/")[2])


def deed(client: Browser, upload: int, action: str, **more: str) -> Any:
    return client.post(f"/ops/uploads/{upload}", data={"action": action, **more})


def state(upload: int) -> str:
    return annotation_jobs.find(upload).status().state


def audited() -> list[tuple[str, str, str | None]]:
    with db.reading_connection() as conn:
        rows = conn.execute(select(audit_table).order_by(audit_table.c.id))
        return [(row.who, row.action, row.subject) for row in rows]


def test_a_chosen_file_becomes_an_upload_that_is_listed(client: Browser) -> None:
    upload = number_of(sent(client))
    annotation_jobs.find(upload).wait(config.load())

    assert state(upload) == "completed"
    html = client.get("/ops/uploads?project=votes").text
    assert f'href="/ops/uploads/{upload}"' in html and "completed" in html
    assert f'href="/ops/uploads/{upload}"' not in client.get("/ops/uploads?project=other").text
    assert audited() == [("the operator", "annotations uploaded", "votes")]


@pytest.mark.parametrize(
    ("fields", "name", "code"),
    [
        ({}, "a.exe", 400),
        ({"project": ""}, "a.jsonl", 400),
        ({"mode": "x"}, "a.jsonl", 400),
        ({"dry_run": "yes"}, "a.jsonl", 400),
        ({"create_docs": "perhaps"}, "a.jsonl", 400),
    ],
)
def test_a_file_that_cannot_be_used_is_refused_by_name(
    client: Browser, fields: dict[str, str], name: str, code: int
) -> None:
    assert sent(client, b"{}", name, **fields).status_code == code
    assert client.post("/ops/uploads", data=FIELDS, files={"other": b""}).status_code == 400
    assert audited() == []


def test_an_upload_that_is_too_large_is_refused_with_or_without_its_length(
    client: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(uploads, "UPLOAD_BYTES", 500)
    address = "/api/v1/uploads?project=votes&name=a.jsonl&create_docs=yes"

    def streamed(number: int) -> int:
        return client.post(address, content=iter([objects(number)])).status_code

    assert sent(client, objects(100)).status_code == 413
    assert client.post(address, content=objects(100)).status_code == 413
    assert (streamed(100), streamed(1)) == (413, 202)
    assert not list(web_folder(client.app.state.settings.storage_dir).glob("incoming-*"))


def test_a_form_in_chunks_is_counted_like_any_other(
    client: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    form = client.build_request("POST", "/ops/uploads", data=FIELDS, files={"file": objects(3)})
    headers = {"content-type": form.headers["content-type"]}

    def streamed() -> int:
        return client.post("/ops/uploads", content=iter([form.read()]), headers=headers).status_code

    assert streamed() == 400, "a file without a name"
    monkeypatch.setattr(uploads, "UPLOAD_BYTES", 500)
    assert streamed() == 413


def test_an_upload_is_suspended_resumed_and_cancelled(client: Browser) -> None:
    upload = number_of(sent(client))

    deed(client, upload, "suspend")
    assert state(upload) == "suspended"
    assert "Resume" in client.get(f"/ops/uploads/{upload}").text
    deed(client, upload, "resume")
    assert state(upload) == "open"
    assert deed(client, upload, "cancel").headers["location"].endswith("?unsure=1")
    assert state(upload) == "open"
    deed(client, upload, "cancel", sure="yes")
    assert state(upload) == "cancelled"

    actions = [action for _, action, subject in audited() if subject == f"upload {upload}"]
    assert actions == ["upload suspended", "upload resumed", "upload cancelled"]


def test_what_failed_is_tried_again_as_a_new_upload(client: Browser) -> None:
    upload = number_of(sent(client, objects(2) + BAD))
    annotation_jobs.find(upload).wait(config.load())

    answer = deed(client, upload, "retry")

    if answer.status_code == 404:
        assert "failed" in answer.text, "a line that cannot be read is not tried again"
    else:
        again = number_of(answer)
        assert annotation_jobs.find(again).status().retry_of == upload
        assert ("the operator", "upload retried", f"upload {upload}") in audited()


def test_what_an_upload_stored_is_undone(client: Browser) -> None:
    upload = number_of(sent(client))
    annotation_jobs.find(upload).wait(config.load())
    assert len(list(annotation_projects.read("votes"))) == 3

    deed(client, upload, "rollback", sure="yes")

    assert state(upload) == "rolled_back"
    assert [
        each.denotations for each in annotation_projects.read("votes") if each.denotations
    ] == []
    assert ("the operator", "upload rolled back", f"upload {upload}") in audited()
    assert "3 cleared" in client.get("/ops/audit").text


@pytest.mark.parametrize("format", annotation_projects.FORMATS)
def test_a_project_is_exported_as_the_command_does(client: Browser, format: str) -> None:
    annotation_jobs.find(number_of(sent(client))).wait(config.load())

    answer = client.post("/ops/uploads/export", data={"project": "votes", "format": format})

    assert answer.status_code == 200
    assert "attachment" in answer.headers["content-disposition"]
    if format == "brat":
        with tarfile.open(fileobj=io.BytesIO(answer.content)) as packed:
            assert "notes/0.ann" in packed.getnames()
    else:
        assert answer.content == b"".join(annotation_projects.export("votes", format))
    assert ("the operator", "annotations exported", "votes") in audited()
    scratch = web_folder(client.app.state.settings.storage_dir)
    assert not list(scratch.glob("incoming-*"))


def test_exporting_what_is_not_there_is_said(client: Browser) -> None:
    unknown = client.post("/ops/uploads/export", data={"project": "no", "format": "tsv"})
    odd = client.post("/ops/uploads/export", data={"project": "no", "format": "doc"})

    assert (unknown.status_code, odd.status_code) == (404, 400)


def test_a_viewer_sees_and_cannot_do(client: Browser) -> None:
    upload = number_of(sent(client))
    guest = Browser(VIEWER)

    assert "Suspend" not in guest.get(f"/ops/uploads/{upload}").text
    assert "Download" not in guest.get("/ops/uploads").text
    sure = {"action": "cancel", "sure": "yes"}
    for address in ("/ops/uploads", f"/ops/uploads/{upload}", "/ops/uploads/export"):
        assert guest.post(address, data=sure).status_code == 403
    assert state(upload) == "open"


# ------------------------------------------------------------- the audit and the deed are one


def rows_but_the_audit() -> dict[str, list[str]]:
    with db.reading_connection() as conn:
        return {
            table.name: sorted(map(repr, conn.execute(select(table))))
            for table in metadata.sorted_tables
            if table is not audit_table
        }


DEEDS: tuple[tuple[str, dict[str, str]], ...] = (
    ("/ops/sites/springfield/run", {}),
    ("/api/v1/sites/springfield/runs", {}),
    ("/ops/sites/shelbyville/cancel", {"sure": "yes"}),
    ("/ops/queues/ocr", {"action": "pause"}),
    ("/ops/system/tokens", {"name": "x", "role": "viewer"}),
    ("/ops/system/tokens/1", {}),
    ("/ops/uploads/{upload}", {"action": "suspend"}),
    ("/ops/uploads/{upload}", {"action": "cancel", "sure": "yes"}),
    ("/ops/uploads/{upload}", {"action": "rollback", "sure": "yes"}),
    ("/ops/reconcile", {}),
)


@pytest.mark.parametrize(("address", "fields"), DEEDS, ids=lambda each: str(each)[:40])
def test_nothing_is_done_that_cannot_be_kept(
    client: Browser, address: str, fields: dict[str, str]
) -> None:
    upload = number_of(sent(client))
    client.post("/ops/system/tokens", data={"name": "first", "role": "viewer"})
    with db.civic_db_connection() as conn:
        db.upsert_site(conn, {"subdomain": "springfield"})
        db.upsert_site(conn, {"subdomain": "shelbyville"})
    client.post("/ops/sites/shelbyville/run")
    with db.civic_db_connection() as conn:
        refuse = "BEFORE INSERT ON {} BEGIN SELECT RAISE(ABORT, 'the audit is full'); END"
        conn.execute(text(f"CREATE TRIGGER full {refuse.format(audit_table.name)}"))
    before = rows_but_the_audit()

    answer = client.post(address.format(upload=upload), data=fields)

    assert answer.status_code in (303, 500, 503)
    assert "full" not in answer.text
    assert rows_but_the_audit() == before
