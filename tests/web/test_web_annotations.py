"""Annotations by HTTP: what everybody reads, what is private, and what an upload can be told."""

from __future__ import annotations

import contextlib
import io
import json
import shutil
import sqlite3
import tarfile
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest
from web_town import LINES, MINUTES, SITE, Browser, identity

from clerk.annotations import api as annotation_projects
from clerk.core import config, db
from clerk.ops.web_sessions import OPERATOR, VIEWER, new_token
from clerk.pipeline import uploads

PAGE = f"{identity(MINUTES)}-1"
SOURCE = {"sourcedb": "springfield", "sourceid": f"{MINUTES}/1"}


def page_text(program: Browser) -> str:
    return str(program.get(f"/api/v1/pages/{PAGE}").json()["text"])


WORD = LINES[1].split()[0]


@pytest.fixture(scope="module")
def database_with_marks(
    tmp_path_factory: pytest.TempPathFactory, town_template: Path, sqlite_template: Path
) -> Path:
    """The database of the town, with a word marked in a private project and a public one."""
    storage = tmp_path_factory.mktemp("marked")
    shutil.copytree(town_template, storage, dirs_exist_ok=True)
    shutil.copy(sqlite_template, storage / "clerk.db")
    with pytest.MonkeyPatch.context() as environment:
        environment.setenv("STORAGE_DIR", str(storage))
        with db.civic_db_connection() as conn:
            db.upsert_site(conn, SITE)
        mark_a_word(storage)
        db._engines.pop(config.load().sql_url).dispose()
    return storage / "clerk.db"


@pytest.fixture
def marked(town: Path, database_with_marks: Path) -> str:
    """The marked word of the first page of the minutes."""
    with (
        contextlib.closing(sqlite3.connect(database_with_marks)) as made,
        contextlib.closing(sqlite3.connect(town / "clerk.db")) as fresh,
    ):
        made.backup(fresh)
    return WORD


@pytest.fixture
def program(town: Path, request: pytest.FixtureRequest) -> Browser:
    """A program with an operator's token."""
    if "marked" in request.fixturenames:
        request.getfixturevalue("marked")
    client = Browser()
    client.headers["Authorization"] = f"Bearer {new_token('test', OPERATOR, 'me')}"
    return client


def mark_a_word(storage: Path) -> None:
    """Upload the first page of the minutes to both projects."""
    text = page_text(Browser())
    begin = text.index(WORD)
    page = SOURCE | {
        "text": text,
        "denotations": [
            {"id": "T1", "span": {"begin": begin, "end": begin + len(WORD)}, "obj": "Word"}
        ],
        "attributes": [{"id": "A1", "subj": "T1", "pred": "sure", "obj": True}],
    }
    path = storage / "a.jsonl"
    path.write_text(json.dumps(page) + "\n")
    for project in ("mine", "town/words"):
        uploads.upload(config.load(), [path], project=project, created_by="ann").wait(
            config.load(workers=1)
        )
    annotation_projects.set_public("town/words", True, who="ann")


def test_everybody_reads_public_projects_on_a_page(marked: str, program: Browser) -> None:
    address = f"/api/v1/pages/{PAGE}/annotations"

    (track,) = Browser().get(address).json()["tracks"]
    both = program.get(address).json()

    assert (track["project"], track["denotations"][0]["obj"]) == ("town/words", "Word")
    assert [each["project"] for each in both["tracks"]] == ["mine", "town/words"]
    assert both["target"].endswith(f"/p/{PAGE}") and SOURCE.items() <= both.items()
    assert Browser().get(f"{address}?project=mine").status_code == 404
    assert len(program.get(f"{address}?project=mine").json()["tracks"]) == 1
    assert Browser().get(f"{address}?projet=mine").status_code == 400


def test_a_page_without_annotations_has_its_text_so_that_it_can_be_annotated(marked: str) -> None:
    client, page = Browser(), f"{identity(MINUTES)}-2"
    text = client.get(f"/api/v1/pages/{page}").json()["text"]

    of_page = client.get(f"/api/v1/pages/{page}/annotations").json()
    address = f"/docs/sourcedb/springfield/sourceid/{MINUTES}/2/annotations.json"
    of_document = client.get(address).json()

    assert of_page == of_document
    assert (of_page["text"], of_page["tracks"]) == (text, [])
    missing = client.get(f"/api/v1/pages/{identity(MINUTES)}-99/annotations")
    assert missing.status_code == 404 and "no page 99" in missing.text


def test_a_project_is_a_collection_of_web_annotations(marked: str) -> None:
    client = Browser()
    found = client.get("/api/v1/projects/town/words/annotations").json()
    assert (found["total"], found["label"]) == (2, "town/words")

    page = client.get(found["first"]).json()

    mark, attribute = page["items"]
    assert mark["creator"] == "ann" and mark["created"].startswith("20")
    assert mark["target"]["source"].endswith(f"/p/{PAGE}")
    assert mark["id"] == f"{mark['target']['source']}#T1" == attribute["target"]
    quote = mark["target"]["selector"][1]
    assert quote["exact"] == marked and (quote["prefix"] or quote["suffix"])
    assert client.get("/api/v1/projects/mine/annotations").status_code == 404


@pytest.mark.parametrize("prefix", ["/api/v1", ""])
def test_a_project_is_read_as_lines_and_as_an_archive(marked: str, prefix: str) -> None:
    client = Browser()

    lines = client.get(f"{prefix}/projects/town/words/annotations.jsonl").text.splitlines()
    packed = client.get(f"{prefix}/projects/town/words/annotations.tgz").content

    (found,) = [json.loads(line) for line in lines]
    assert found == json.loads(b"".join(annotation_projects.export("town/words")))
    with tarfile.open(fileobj=io.BytesIO(packed)) as archive:
        (member,) = archive.getmembers()
        content = archive.extractfile(member)
        assert content and json.loads(content.read()) == found
    assert client.get(f"{prefix}/projects/mine/annotations.jsonl").status_code == 404


def test_documents_have_the_addresses_of_pubannotation(marked: str) -> None:
    client = Browser()
    address = f"/docs/sourcedb/springfield/sourceid/{SOURCE['sourceid']}/annotations.json"

    assert [each["project"] for each in client.get(address).json()["tracks"]] == ["town/words"]
    one = client.get(f"/projects/town/words{address}").json()
    assert one["denotations"][0]["id"] == "T1" and one["project"] == "town/words"
    assert client.get("/projects/town/words/annotations.json").json()[0]["text"] == one["text"]


@pytest.mark.parametrize(
    "address",
    [
        "/api/v1/projects/town/words/annotations",
        "/api/v1/projects/town/words/annotations.jsonl",
        "/api/v1/projects/town/words/annotations.tgz",
        "/projects/town/words/annotations.jsonl",
        "/projects/town/words/annotations.json",
        "/projects/town/words/annotations.tgz",
        f"/docs/sourcedb/springfield/sourceid/{SOURCE['sourceid']}/annotations.json",
        f"/projects/town/words/docs/sourcedb/springfield/sourceid/{SOURCE['sourceid']}"
        "/annotations.json",
    ],
)
def test_an_unknown_parameter_is_refused_at_every_address(marked: str, address: str) -> None:
    assert Browser().get(address).status_code == 200
    refused = Browser().get(f"{address}?label=Person")
    assert refused.status_code == 400 and "label" in refused.text


def test_a_document_that_does_not_exist_is_not_found(marked: str) -> None:
    first, _, _ = SOURCE["sourceid"].rpartition("/")
    for name in (
        "springfield/sourceid/minutes/x/1",
        f"springfield/sourceid/{first}/99",
        "x/sourceid/1",
    ):
        address = f"/docs/sourcedb/{name}/annotations.json"
        assert Browser().get(address).status_code == 404
        assert Browser().get(f"/projects/town/words{address}").status_code == 404


def test_annotations_are_found_by_label_text_and_project(marked: str, program: Browser) -> None:
    def found(query: str) -> list[dict[str, Any]]:
        return list(program.get(f"/api/v1/annotations?{query}").json()["items"])

    assert [each["project"] for each in found("label=Word")] == ["mine", "town/words"]
    (one,) = found(f"text={marked[1:].upper()}&project=mine")
    assert one["quote"] == marked and one["url"].endswith(f"/p/{PAGE}?project=mine#mine%3AT1")
    assert found("label=Person") == [] == found("text=nothinglikeit")
    counted = Browser().get("/api/v1/annotations/statistics").json()["items"]
    assert counted == [{"project": "town/words", "label": "Word", "number": 1}]


def test_the_page_view_draws_the_annotations_of_chosen_projects(
    marked: str, program: Browser
) -> None:
    client = Browser()

    plain = client.get(f"/p/{PAGE}").text
    choosing = client.get(f"/p/{PAGE}?project=").text
    drawn = client.get(f"/p/{PAGE}?project=town/words").text

    assert '?project="' in plain and "note-0" not in plain
    assert 'value="town/words"' in choosing and 'value="mine"' not in choosing
    assert f'title="Word (town/words) ">{marked}</mark>' in drawn
    assert '<span id="town/words:T1"></span>' in drawn and "sure: true" in drawn
    assert "note-0" not in client.get(f"/p/{PAGE}?project=mine").text
    assert "note-0" in program.get(f"/p/{PAGE}?project=mine").text


def test_a_chosen_project_without_annotations_on_the_page_stays_chosen_and_says_so(
    marked: str,
) -> None:
    other = PAGE.replace("-1", "-2")

    shown = Browser().get(f"/p/{other}?project=town/words").text

    assert 'value="town/words" checked' in shown
    assert "These projects have no annotations on this page." in shown
    assert "no annotations" not in Browser().get(f"/p/{PAGE}?project=town/words").text


def test_the_list_shows_annotations_with_links_and_statistics(marked: str) -> None:
    html = Browser().get(f"/annotations?text={marked}").text

    assert f"/p/{PAGE}?project=town%2Fwords#town/words%3AT1" in html
    assert "label=Word&amp;project=town%2Fwords" in html
    assert "No annotations found" in Browser().get("/annotations?label=Nothing").text
    assert ">mine<" not in html


def test_the_api_does_what_the_command_line_does(program: Browser) -> None:
    good = SOURCE | {"text": page_text(program), "denotations": []}
    lines = (json.dumps(good) + "\n" + '{"text": 5}\n' * 3).encode()
    address = "/api/v1/uploads?project=p&name=../my%20minutes.jsonl"

    dry = program.post(f"{address}&dry_run=true&on_lost=reject", content=lines).json()
    assert dry["dry_run"] and dry["issues"] == {"missing_source": 3} and len(dry["found"]) == 3
    assert program.get("/api/v1/uploads").json()["items"] == []

    upload = program.post(address, content=lines).json()["upload"]
    here = f"/api/v1/uploads/{upload}"
    assert program.get(here).json()["files"] == ["my-minutes.jsonl"]
    assert program.post(f"{here}/suspend").json()["state"] == "suspended"
    assert program.post(f"{here}/resume").json()["changed"] is True
    uploads.find(upload).wait(config.load(workers=1))
    second = program.get(f"{here}/issues?limit=2&offset=1&code=missing_source").json()
    assert (len(second["items"]), second["items"][0]["line"], second["total"]) == (2, 3, 3)
    assert program.post(f"{here}/rollback").json()["removed"] == 1
    assert program.post(f"{here}/cancel").json()["changed"] is False
    assert program.post(f"{here}/retry").status_code == 404
    assert program.post(f"{here}/cancel?force=1").status_code == 400
    assert Browser().post(f"{here}/cancel").status_code == 401


def logged_in(who: str, role: str = VIEWER) -> Browser:
    client = Browser()
    client.log_in(role, who)
    return client


def test_a_private_project_is_seen_by_its_people_and_operators(marked: str) -> None:
    address = "/api/v1/projects/mine/annotations.jsonl"
    annotation_projects.set_role("mine", "ben", "reader", who="ann")

    seen = {
        who: logged_in(who, role).get(address).status_code
        for who, role in (("ann", VIEWER), ("ben", VIEWER), ("eve", VIEWER), ("op", OPERATOR))
    }

    assert seen == {"ann": 200, "ben": 200, "eve": 404, "op": 200}
    (upload,) = uploads.list_uploads("mine")
    assert logged_in("eve").get(f"/api/v1/uploads/{upload.id}").status_code == 404
    assert logged_in("ben").get(f"/api/v1/uploads/{upload.id}").status_code == 200
    assert "project=mine" not in logged_in("eve").get("/ops/uploads").text
    listed = logged_in("ben").get("/api/v1/projects").json()["items"]
    assert {each["name"]: each["role"] for each in listed} == {
        "mine": "reader",
        "town/words": None,
    }


def test_editors_change_a_project_and_owners_decide_who_may(marked: str) -> None:
    line = json.dumps(SOURCE | {"text": page_text(logged_in("op", OPERATOR)), "denotations": []})
    address = "/api/v1/uploads?project=mine&name=a.jsonl"
    ann, ben, eve = (logged_in(who) for who in ("ann", "ben", "eve"))
    role = {"project": "mine", "action": "role", "person": "ben", "role": "editor"}

    assert [each.post(address, content=line).status_code for each in (ben, eve)] == [403, 403]
    assert eve.post("/ops/project", data=role).status_code == 403
    assert ann.post("/ops/project", data=role).status_code == 303
    assert ben.post(address, content=line).status_code == 202
    assert ben.post("/ops/project", data=role | {"person": "eve"}).status_code == 403
    assert ben.post("/api/v1/uploads?project=other&name=a.jsonl", content=line).status_code == 403
    newest = uploads.list_uploads("mine")[0].id
    assert ben.post(f"/api/v1/uploads/{newest}/cancel").status_code == 200
    assert eve.post(f"/api/v1/uploads/{newest}/cancel").status_code == 403
    assert "Editor" in ann.get("/ops/project?name=mine").text
    assert ann.post("/ops/project", data=role | {"role": ""}).status_code == 303
    assert ben.post(address, content=line).status_code == 403
    publish = {"project": "mine", "action": "publish"}
    assert ann.post("/ops/project", data=publish).status_code == 303
    assert Browser().get("/api/v1/projects/mine/annotations.jsonl").status_code == 200


def test_orphans_and_differences_are_read_by_those_who_see_the_projects(
    marked: str, program: Browser
) -> None:
    text = page_text(program)
    address = f"/api/v1/annotations/documents/text?{urlencode(SOURCE)}"

    preview = program.post(f"{address}&dry_run=true", content="Nothing of it.").json()
    assert (preview["orphaned"], preview["change"]) == (4, 0)
    assert program.get("/api/v1/annotations/orphans").json() == {"items": [], "total": 0}

    done = program.post(address, content="Nothing of it.").json()
    found = program.get("/api/v1/annotations/orphans?limit=1&offset=1").json()
    assert (found["total"], len(found["items"]), done["orphaned"]) == (4, 1, 4)
    assert {each["project"] for each in orphans_seen(Browser())} == {"town/words"}
    assert marked in Browser().get("/annotations?project=town/words").text

    undone = program.post(f"/api/v1/annotations/changes/{done['change']}/undo").json()
    assert undone["kind"] == "text replaced" and not orphans_seen(program)
    assert page_text(program) == text

    compare = "/api/v1/annotations/compare?first=mine&second=town/words"
    same = program.get(compare).json()
    page = program.get("/ops/compare?first=mine&second=town/words").text
    assert "100.0 %" in page and "There are no differences." in page
    assert same["total"]["agreement"] == 1 and same["by_label"]["Word"]["both"] == 1
    assert Browser().get(compare).status_code == 401
    assert logged_in("eve").get(compare).status_code == 404


def orphans_seen(client: Browser) -> list[dict[str, Any]]:
    return list(client.get("/api/v1/annotations/orphans").json()["items"])


def test_projects_and_documents_are_changed_and_restored_by_operators(
    marked: str, program: Browser
) -> None:
    names = {each["name"] for each in program.get("/api/v1/projects").json()["items"]}
    document = f"/api/v1/annotations/documents/delete?{urlencode(SOURCE)}"
    steps = ("projects/mine/rename?to=ours", "projects/ours/delete")

    for address in (*(f"/api/v1/{each}" for each in steps), document):
        assert logged_in("ann").post(address).status_code == 403
        before = program.get("/api/v1/projects").json()
        dry_run = address + ("&" if "?" in address else "?") + "dry_run="
        assert program.post(f"{dry_run}maybe").status_code == 400
        preview = program.post(f"{dry_run}1").json()
        assert preview["dry_run"] and program.get("/api/v1/projects").json() == before
        done = program.post(address).json()
        assert {**done, "change": 0, "dry_run": True} == preview
        assert program.get("/api/v1/projects").json() != before
    listed = program.get("/api/v1/annotations/changes").json()["items"]
    assert [each["kind"] for each in listed] == [
        "document deleted",
        "project deleted",
        "project renamed",
    ]
    for each in listed:
        assert each["can_be_undone"] and each["who"] == "token test"
        assert program.post(f"/api/v1/annotations/changes/{each['id']}/undo").status_code == 200
    again = {each["name"] for each in program.get("/api/v1/projects").json()["items"]}
    assert again == names
    assert len(program.get("/api/v1/projects/mine/export").text.splitlines()) == 1


def test_owners_publish_and_name_people_by_http(marked: str) -> None:
    ann, eve = logged_in("ann"), logged_in("eve")
    here = "/api/v1/projects/mine"

    assert eve.post(f"{here}/publish").status_code == 403
    assert ann.post(f"{here}/publish").json() == {"project": "mine", "public": True}
    assert eve.get(f"{here}/annotations").status_code == 200
    assert ann.post(f"{here}/publish?private=yes").json()["public"] is False
    assert ann.post(f"{here}/members?person=eve&role=king").status_code == 400
    named = ann.post(f"{here}/members?person=eve&role=reader").json()
    assert named == {"owner": "ann", "members": {"eve": "reader"}}
    assert eve.get(f"{here}/annotations").status_code == 200
    assert eve.get(f"{here}/members").status_code == 403
    assert ann.post(f"{here}/members?person=eve").json()["members"] == {}


@pytest.mark.parametrize("format", annotation_projects.FORMATS)
def test_a_project_is_exported_in_every_format(marked: str, format: str) -> None:
    answer = Browser().get(f"/api/v1/projects/town/words/export?format={format}&sourcedb=none")
    assert answer.status_code == 200

    answer = Browser().get(f"/api/v1/projects/town/words/export?format={format}")

    if format == "brat":
        with tarfile.open(fileobj=io.BytesIO(answer.content)) as archive:
            assert f"springfield/{SOURCE['sourceid']}.ann" in archive.getnames()
    else:
        assert answer.content == b"".join(annotation_projects.export("town/words", format))


def test_a_file_is_checked_without_being_stored(program: Browser) -> None:
    good = json.dumps(SOURCE | {"text": "a b", "denotations": []})
    address = "/api/v1/annotations/validate?name=a.jsonl"

    found = program.post(address, content=f"{good}\n{{}}\n").json()

    assert (found["items"], found["documents"]) == (2, 1)
    assert found["issues"] == {"missing_source": 1} and found["found"][0]["line"] == 2
    assert program.post("/api/v1/annotations/validate?name=a.exe").status_code == 400
    assert program.get("/api/v1/uploads").json() == {"items": []}


@pytest.mark.parametrize("content", [b"\xff\xfe", b"a\0b"])
def test_a_text_that_cannot_be_stored_is_refused(
    marked: str, program: Browser, content: bytes
) -> None:
    address = f"/api/v1/annotations/documents/text?{urlencode(SOURCE)}"

    assert program.post(address, content=content).status_code == 400
