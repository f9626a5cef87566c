"""Annotations of a site's pages: what extraction finds, and what happens when a page changes."""

from __future__ import annotations

import json
import os
import re
import shutil
import uuid
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)
from hypothesis_sizes import examples
from rapidfuzz.distance import Levenshtein
from small_uploads import check, claim_as, codes, exported, perform, upload, write
from sqlalchemy import delete, select

from clerk.annotations import api as annotation_projects
from clerk.annotations import changes
from clerk.annotations.store import ROW_TABLES
from clerk.core import config, installation, manifest, outbox
from clerk.core.child_process import Order
from clerk.core.db import civic_db_connection
from clerk.core.manifest import FetchedDocument, TextRecord
from clerk.core.models import (
    annotation_documents_table,
    annotation_sets_table,
    annotation_texts_table,
)
from clerk.core.states import Step
from clerk.core.storage import Document
from clerk.extract import VERSION, extract_site
from clerk.extract.documents import cache_of
from clerk.pipeline import batches, follow_pages, uploads
from clerk.pipeline.flow import Pipeline
from clerk.pipeline.follow_pages import PROJECT

FIRST = """CITY COUNCIL MINUTES
January 15, 2024

Present: Mayor Jane Ruiz, Council Members Tom Lee and Ann Berg.

Motion by Council Member Lee, seconded by Council Member Berg, to approve the
minutes of January 8, 2024. Motion carried unanimously.
"""
SECOND = """Motion by Council Member Berg, seconded by Council Member Lee, to pay $1,250.00 to
the library. Ayes: Ruiz, Lee, Berg. Noes: none. Motion carried.
"""
DOCUMENT = Document("minutes", "CityCouncil", "2024-01-15")


@pytest.fixture
def town(site: str, storage: Path) -> str:
    """A site with a document of two pages that was extracted."""
    for number, text in enumerate((FIRST, SECOND), 1):
        write_page(site, number, text)
    extract_site(storage / site)
    return site


def write_page(site: str, number: int, text: str) -> None:
    page = DOCUMENT.text(config.load().storage_dir / site) / f"page-{number}.txt"
    page.parent.mkdir(parents=True, exist_ok=True)
    page.write_text(text)


def quotes(found: dict[str, Any], label: str) -> list[str]:
    return [
        found["text"][each["span"]["begin"] : each["span"]["end"]]
        for each in found["denotations"]
        if each["obj"] == label
    ]


def test_votes_and_entities_are_a_project_over_the_pages(town: str) -> None:
    done = follow_pages.follow(config.load(), town)

    first, second = exported(PROJECT.format(site=town))
    assert done.extracted_pages == 2
    assert (first["sourcedb"], first["sourceid"]) == (town, f"{DOCUMENT.name}/1")
    assert second["text"] == SECOND
    (vote,) = quotes(second, "Vote")
    assert vote.startswith("Motion by Council Member Berg")
    assert any("1,250.00" in each for each in quotes(second, "Money"))
    said = {each["pred"]: each["obj"] for each in second["attributes"]}
    assert said["result"] == "passed" and "Berg" in said["mover"]
    check()


def test_following_twice_changes_nothing(town: str) -> None:
    follow_pages.follow(config.load(), town)
    before = exported(PROJECT.format(site=town))

    again = follow_pages.follow(config.load(), town)

    assert (again.extracted_pages, again.changed_pages, again.jobs) == (0, 0, [])
    assert exported(PROJECT.format(site=town)) == before


def read_whole(site: str) -> Path:
    """Let the document be one that clerk has read itself; return where its findings are."""
    folder = config.load().storage_dir / site
    (DOCUMENT.text(folder) / "document.json").write_text("{}")
    return cache_of(folder, DOCUMENT)


def test_a_document_that_is_as_it_was_is_not_looked_at_again(town: str) -> None:
    findings = read_whole(town)
    follow_pages.follow(config.load(), town)
    before, facts = exported(PROJECT.format(site=town)), findings.stat()
    findings.write_bytes(b" " * facts.st_size)
    os.utime(findings, ns=(facts.st_atime_ns, facts.st_mtime_ns))

    passed_over = follow_pages.follow(config.load(), town, everything=False)

    assert passed_over == follow_pages.Followed()
    assert exported(PROJECT.format(site=town)) == before
    assert follow_pages.follow(config.load(), town).extracted_pages == 2
    assert not exported(PROJECT.format(site=town))[0]["denotations"]


def test_of_documents_in_the_manifest_those_are_followed_that_the_outbox_names(town: str) -> None:
    findings, project = cache_of(config.load().storage_dir / town, DOCUMENT), f"{town}/extraction"

    def record(found: str | None) -> None:
        with civic_db_connection() as conn:
            text = TextRecord("pdf", "text", None, pages=2)
            manifest.record_texts(conn, town, {DOCUMENT.name: text})
            if found:
                manifest.record_findings(conn, town, VERSION, {DOCUMENT.name: ("text", found)})

    with civic_db_connection() as conn:
        fetched = FetchedDocument(DOCUMENT.name, "id", "pdf", 1, None)
        manifest.record(conn, town, [fetched])
    record("first")
    follow_pages.follow(config.load(), town)
    before, good = exported(project), findings.read_bytes()
    findings.write_bytes(b'{"version": "1", "text_sha256": "", "votes": [], "entities": []}')
    unseen = follow_pages.follow(config.load(), town, everything=False)
    assert unseen == follow_pages.Followed() and exported(project) == before

    record("second")
    assert follow_pages.follow(config.load(), town, everything=False).extracted_pages == 2
    assert not any(each["denotations"] for each in exported(project))

    # The outbox no longer tells what happened: all documents are compared.
    findings.write_bytes(good)
    with civic_db_connection() as conn:
        outbox.announce_site(conn, town, outbox.FACTS)
        outbox.announce_site(conn, town, outbox.FACTS)
        outbox.delete_old_changes(conn, -1, 100)
    assert follow_pages.follow(config.load(), town, everything=False).extracted_pages == 2
    assert exported(project) == before

    with civic_db_connection() as conn:
        manifest.forget_text(conn, town, [DOCUMENT.name])
    assert follow_pages.follow(config.load(), town, everything=False).extracted_pages == 2
    check()


def test_a_document_in_which_nobody_has_looked_is_followed_again_and_again(town: str) -> None:
    findings = cache_of(config.load().storage_dir / town, DOCUMENT)
    good = findings.read_bytes()
    findings.unlink()
    with civic_db_connection() as conn:
        manifest.record(conn, town, [FetchedDocument(DOCUMENT.name, "id", "pdf", 1, None)])
        text = TextRecord("pdf", "text", None, pages=2)
        manifest.record_texts(conn, town, {DOCUMENT.name: text})
    follow_pages.follow(config.load(), town)

    findings.write_bytes(good)

    assert follow_pages.follow(config.load(), town, everything=False).extracted_pages == 2


@pytest.mark.parametrize("change", ["text", "findings", "gone"])
def test_a_document_that_is_not_as_it_was_is_followed(
    town: str, storage: Path, change: str
) -> None:
    findings = read_whole(town)
    follow_pages.follow(config.load(), town)
    if change == "text":
        shutil.rmtree(DOCUMENT.text(storage / town))
        write_page(town, 1, FIRST.replace("Ruiz", "Rossi"))
        extract_site(storage / town)
        read_whole(town)
    elif change == "findings":
        findings.unlink()
    else:
        shutil.rmtree(DOCUMENT.text(storage / town))

    follow_pages.follow(config.load(), town, everything=False)

    found = exported(PROJECT.format(site=town))
    marked = [each["sourceid"] for each in found if each["denotations"]]
    assert marked == ([f"{DOCUMENT.name}/1"] if change == "text" else [])
    assert change != "text" or "Rossi" in found[0]["text"]
    check()


def test_a_document_whose_findings_alone_are_others_is_followed(town: str) -> None:
    findings = read_whole(town)
    follow_pages.follow(config.load(), town)
    findings.write_text(findings.read_text().replace('"passed"', '"failed"'))

    done = follow_pages.follow(config.load(), town, everything=False)

    assert done.extracted_pages == 2
    assert '"failed"' in json.dumps(exported(PROJECT.format(site=town)))


def test_what_was_rolled_back_is_followed_again(town: str) -> None:
    findings = read_whole(town)
    (first,) = follow_pages.follow(config.load(), town).jobs
    findings.write_text(findings.read_text().replace("1,250.00", "1,350.00"))
    (second,) = follow_pages.follow(config.load(), town, everything=False).jobs
    uploads.rollback(first)

    done = follow_pages.follow(config.load(), town, everything=False)

    assert second > first
    assert done.extracted_pages == 1
    assert len(exported(PROJECT.format(site=town))) == 2


def test_a_database_that_lost_annotations_gets_them_again(town: str) -> None:
    read_whole(town)
    follow_pages.follow(config.load(), town)
    with civic_db_connection() as conn:
        for table in (*ROW_TABLES.values(), annotation_sets_table, annotation_documents_table):
            conn.execute(delete(table))

    assert follow_pages.follow(config.load(), town, everything=False).extracted_pages == 2


def test_the_extraction_can_be_replaced_like_any_project(town: str, tmp_path: Path) -> None:
    project = PROJECT.format(site=town)
    follow_pages.follow(config.load(), town)
    corrected = [
        {**each, "denotations": [], "relations": [], "attributes": []} for each in exported(project)
    ]

    upload(write(tmp_path / "a.jsonl", corrected), project=project, create_docs=False)

    assert all(not each["denotations"] for each in exported(project))


def test_annotations_follow_a_page_that_is_read_again(town: str, tmp_path: Path) -> None:
    begin = SECOND.index("library")
    span = {"begin": begin, "end": begin + len("library")}
    noes = {"begin": SECOND.index("Noes"), "end": SECOND.index("Noes") + 4}
    page = {"sourcedb": town, "sourceid": f"{DOCUMENT.name}/2", "text": SECOND}
    marks = [{"id": "T1", "span": span, "obj": "Body"}, {"id": "T2", "span": noes, "obj": "Word"}]
    upload(write(tmp_path / "a.jsonl", [{**page, "denotations": marks}]), create_docs=False)

    better = "Page 2\n\n" + SECOND.replace("Noes: none. ", "")
    write_page(town, 2, better)
    extract_site(config.load().storage_dir / town)
    done = follow_pages.follow(config.load(), town)

    (found,) = exported()
    assert found["text"] == better
    assert quotes(found, "Body") == ["library"]
    assert (done.changed_pages, done.moved, done.orphaned) == (1, 1, 1)
    issues = [codes(job) for job in done.jobs]
    assert {"orphaned": [f"{DOCUMENT.name}/2"]} in issues
    (orphan,) = annotation_projects.list_orphans()
    assert (orphan.id, orphan.label, orphan.quote) == ("T2", "Word", "Noes")
    assert exported(PROJECT.format(site=town))[1]["text"] == better
    check()


def test_a_page_with_another_text_keeps_its_annotations_as_orphans_and_says_so(
    town: str, tmp_path: Path
) -> None:
    page = {"sourcedb": town, "sourceid": f"{DOCUMENT.name}/2", "text": SECOND}
    marks = [{"id": "T1", "span": {"begin": 0, "end": 6}, "obj": "Word"}]
    upload(write(tmp_path / "a.jsonl", [{**page, "denotations": marks}]), create_docs=False)

    write_page(town, 2, "0123456789 " * 30)
    extract_site(config.load().storage_dir / town)
    done = follow_pages.follow(config.load(), town)

    assert exported()[0]["denotations"] == []
    assert [f"{DOCUMENT.name}/2"] in [codes(job).get("orphaned") for job in done.jobs]
    assert [each.quote for each in annotation_projects.list_orphans("p")] == ["Motion"]
    check()


def marked_page(site: str, *quotes: str, **more: Any) -> dict[str, Any]:
    """Return the second page with these words marked."""
    marks = [
        {
            "id": f"T{number}",
            "span": {"begin": SECOND.index(quote), "end": SECOND.index(quote) + len(quote)},
            "obj": "Word",
        }
        for number, quote in enumerate(quotes, 1)
    ]
    page = {"sourcedb": site, "sourceid": f"{DOCUMENT.name}/2", "text": SECOND}
    return {**page, "denotations": marks, **more}


def read_again(site: str, text: str) -> follow_pages.Followed:
    """Give the second page another text, and let its annotations follow."""
    write_page(site, 2, text)
    return follow_pages.follow(config.load(), site)


def test_orphans_come_back_with_what_belongs_to_them(town: str, tmp_path: Path) -> None:
    page = marked_page(
        town,
        "library",
        "Noes",
        "none",
        relations=[{"id": "R1", "pred": "p", "subj": "T2", "obj": "T3"}],
        attributes=[{"id": "A1", "subj": "R1", "pred": "sure", "obj": False}],
    )
    upload(write(tmp_path / "a.jsonl", [page]), create_docs=False)

    gone = read_again(town, SECOND.replace("Noes: none. ", ""))
    assert (gone.moved, gone.orphaned) == (1, 4)
    assert [each["id"] for each in exported()[0]["denotations"]] == ["T1"]
    more = {**marked_page(town, "Ayes"), "relations": [], "attributes": []}
    more["denotations"][0]["id"] = "T2"
    upload(write(tmp_path / "b.jsonl", [more]), create_docs=False, mode="add")
    assert [each["id"] for each in exported()[0]["denotations"]] == ["T1", "T4"]

    back = read_again(town, "Page 2\n" + SECOND)

    (found,) = exported()
    assert back.restored == 4 and not annotation_projects.list_orphans()
    assert quotes(found, "Word") == ["library", "Ayes", "Noes", "none"]
    assert found["relations"] == page["relations"] and found["attributes"] == page["attributes"]
    restored = [codes(job).get("restored", []) for job in back.jobs]
    assert sum(map(len, restored)) == 2
    check()


def test_a_long_span_with_a_misread_word_is_kept_and_marked(town: str, tmp_path: Path) -> None:
    quote = SECOND[: SECOND.index("Ayes")].rstrip()
    upload(write(tmp_path / "a.jsonl", [marked_page(town, quote)]), create_docs=False)

    misread = SECOND.replace("Council Member Lee", "Councii Mernber Lee")
    done = read_again(town, misread)

    (found,) = exported()
    assert (done.moved, done.changed, done.orphaned) == (2, 1, 0)
    assert quotes(found, "Word") == [misread[: misread.index("Ayes")].rstrip()]
    (mark,) = found["attributes"]
    assert (mark["subj"], mark["pred"], mark["obj"]) == ("T1", "changed_quote", quote)
    assert {"changed_quote": [f"{DOCUMENT.name}/2"]} in [codes(job) for job in done.jobs]

    read_again(town, SECOND)
    assert exported() == [marked_page(town, quote)]


def test_an_upload_can_be_rolled_back_after_its_page_was_read_again(
    town: str, tmp_path: Path
) -> None:
    upload(write(tmp_path / "a.jsonl", [marked_page(town, "library", "Noes")]), create_docs=False)
    second = upload(write(tmp_path / "b.jsonl", [marked_page(town, "Ayes")]), create_docs=False)
    better = "Page 2\n\n" + SECOND.replace("Noes: none. ", "")
    read_again(town, better)

    done = uploads.rollback(second.id)

    (found,) = exported()
    assert (done.restored, done.left, done.orphaned) == (1, 0, 1)
    assert found["text"] == better and quotes(found, "Word") == ["library"]
    assert [each.quote for each in annotation_projects.list_orphans("p")] == ["Noes"]
    check()
    read_again(town, SECOND)
    assert quotes(exported()[0], "Word") == ["library", "Noes"]
    check()


def test_former_texts_are_kept_as_long_as_something_is_about_them(
    town: str, tmp_path: Path
) -> None:
    upload(write(tmp_path / "a.jsonl", [marked_page(town, "Noes")]), create_docs=False)
    read_again(town, SECOND.replace("Noes: none. ", ""))
    batches.cleanup(config.load().storage_dir, timedelta(0))

    read_again(town, SECOND + "\nSigned.")

    assert quotes(exported()[0], "Word") == ["Noes"]
    batches.cleanup(config.load().storage_dir, timedelta(0))
    with civic_db_connection() as conn:
        assert not conn.execute(select(annotation_texts_table)).fetchall()
    check()


WORDS_OF_PAGE = ("library", "Ayes", "Noes", "none", "Motion by", "Ruiz, Lee, Berg")
BEFORE_AYES = SECOND.index("Ayes")
VERSIONS = (
    SECOND,
    "Page 2\n" + SECOND,
    SECOND.replace("Noes: none. ", ""),
    SECOND.replace("Ayes: Ruiz, Lee, Berg. ", ""),
    "0123456789 " * 30,
    SECOND.replace("Ayes: Ruiz, Lee, Berg", "Ayes: Ruiz. Lee, Bcrg"),
    SECOND[BEFORE_AYES:] + SECOND[:BEFORE_AYES],
    SECOND.replace("Lee, Berg. Noes: none.", "wath Wkb\nLee. Noes: Berg. none."),
)


class History(RuleBasedStateMachine):
    """A page, its annotations, and everything that can happen to them.

    After every step each annotation that was not replaced is current or an orphan, with its
    attribute and relation, in words like its own, and nothing else is.  What an upload could not
    place is in its issues; what lost its place or got it back by another reading is named by the
    report of that reading; rolling an upload back brings back what it replaced.
    """

    def __init__(self, town: str) -> None:
        super().__init__()
        self.town, self.project = town, f"p{uuid.uuid4().hex}"
        self.key = (town, f"{DOCUMENT.name}/2")
        self.path = config.load().storage_dir / "one.jsonl"
        self.number = 0
        #: The words that each label was given to, and those it had a relation to.
        self.quotes: dict[str, str] = {}
        self.relations: dict[str, tuple[str, str]] = {}
        #: The labels that the page has, and those before each upload that was not rolled back.
        self.kept: set[str] = set()
        self.uploaded: list[tuple[int, set[str]]] = []
        read_again(town, SECOND)
        self.upload("replace", list(WORDS_OF_PAGE))

    @rule(
        mode=st.sampled_from(["replace", "add", "merge"]),
        words=st.lists(st.sampled_from(WORDS_OF_PAGE), min_size=1, unique=True),
    )
    def upload(self, mode: str, words: list[str]) -> None:
        """Upload marks, each with an attribute, and a relation from the first to the last."""
        page = marked_page(self.town, *words)
        marks = page["denotations"]
        for each, quote in zip(marks, words, strict=True):
            self.number += 1
            each["obj"] = f"L{self.number}"
            self.quotes[each["obj"]] = quote
        page["attributes"] = [
            {"subj": each["id"], "pred": "of", "obj": each["obj"]} for each in marks
        ]
        name = f"R{self.number}"
        page["relations"] = [{"pred": name, "subj": marks[0]["id"], "obj": marks[-1]["id"]}]
        job = uploads.upload(
            config.load(), [write(self.path, [page])], project=self.project, mode=mode
        )
        perform(claim_as("me"))
        perform(claim_as("me"))
        lost = {issue.message.split()[0] for issue in job.issues() if not issue.is_note}
        mine = {each["obj"] for each in marks if each["id"] not in lost}
        if job.status().state == "completed":
            ends = marks[0]["obj"], marks[-1]["obj"]
            if {*ends} <= mine:
                self.relations[name] = ends
            self.uploaded.append((job.id, self.kept))
            self.kept = mine if mode == "replace" else self.kept | mine

    @rule(text=st.sampled_from(VERSIONS))
    def read(self, text: str) -> None:
        """Read the page again."""
        before, _ = labelled(self.project)
        followed = read_again(self.town, text)
        named = {each.split()[0] for each in reported_by(followed, self.project)}
        current, _ = labelled(self.project)
        moved = {*before} ^ {*current}
        assert moved <= {name for name, each in ids_of(self.project).items() if each in named}

    @precondition(lambda self: self.uploaded)
    @rule(data=st.data())
    def roll_back(self, data: st.DataObject) -> None:
        """Roll an upload back; one that was changed again since then is left, and counted."""
        index = data.draw(st.integers(0, len(self.uploaded) - 1))
        job_id, former = self.uploaded[index]
        done = uploads.rollback(job_id)
        newest = index == len(self.uploaded) - 1
        assert (done.left, done.restored + done.removed) == ((0, 1) if newest else (1, 0))
        if newest:
            self.uploaded.pop()
            self.kept = former

    @rule(
        text=st.sampled_from(VERSIONS),
        what=st.sampled_from(["rename", "project", "document", "text"]),
    )
    def change_and_undo(self, text: str, what: str) -> None:
        """Rename or delete the project, delete the document or replace its text; undo that."""
        if not exported(self.project):
            return
        who, key = "me", self.key
        effect = {
            "rename": lambda: changes.rename_project(self.project, "another", who=who),
            "project": lambda: changes.delete_project(self.project, who=who),
            "document": lambda: changes.delete_document(key, who=who),
            "text": lambda: changes.replace_text(key, text, who=who),
        }[what]()
        changes.undo(effect.change, who=who)

    @rule()
    def clean_up(self) -> None:
        """Clean up what is older than 7 days: nothing is."""
        batches.cleanup(config.load().storage_dir, timedelta(days=7))

    @invariant()
    def nothing_is_lost_or_misplaced(self) -> None:
        """Compare what is stored with what was kept."""
        current, orphans = labelled(self.project)
        orphaned = {each.label for each in orphans if each.kind == "denotation"}
        assert {*current} | orphaned == self.kept and not {*current} & orphaned
        for label, words in current.items():
            letters = (re.sub(r"\W", "", each) for each in (words, self.quotes[label]))
            assert Levenshtein.normalized_similarity(*letters) >= 0.75, (label, words)
        found = exported(self.project)
        ids = ids_of(self.project)
        # What was read differently has the attribute ``changed_quote``, too.
        places = {
            each["subj"]: each["obj"]
            for one in found
            for each in one.get("attributes", ())
            if each["pred"] == "of"
        }
        of = {name for label, name in ids.items() if places.get(name) == label}
        waiting = sum(each.kind == "attribute" and each.label == "of" for each in orphans)
        assert len(of) + waiting == len(self.kept)
        stored = {each["pred"] for one in found for each in one.get("relations", ())}
        stored |= {each.label for each in orphans if each.kind == "relation"}
        assert stored == {name for name, ends in self.relations.items() if {*ends} <= self.kept}

    def teardown(self) -> None:
        """Read the page as it was first: everything is in its words again."""
        read_again(self.town, SECOND)
        current, orphans = labelled(self.project)
        assert not orphans and current == {name: self.quotes[name] for name in self.kept}
        for one in exported(self.project):
            names = [each["id"] for each in one.get("attributes", ())]
            assert len(names) == len(self.kept) == len({*names})
        check()


def test_nothing_is_destroyed_without_a_report_that_names_it(town: str) -> None:
    run_state_machine_as_test(
        lambda: History(town),
        settings=settings(
            max_examples=examples(60) // 5,
            stateful_step_count=6,
            deadline=None,
            suppress_health_check=list(HealthCheck),
        ),
    )


def labelled(project: str) -> tuple[dict[str, str], list[annotation_projects.Orphan]]:
    """Return the words that have each label, in pieces or not, and what has no place."""
    current = {}
    for found in exported(project):
        for each in found["denotations"]:
            spans = each["span"] if isinstance(each["span"], list) else [each["span"]]
            words = (found["text"][span["begin"] : span["end"]] for span in spans)
            current[each["obj"]] = " ".join(words)
    return current, annotation_projects.list_orphans(project)


def ids_of(project: str) -> dict[str, str]:
    """Return the id of each label, whether it has a place or not."""
    current = {each["obj"]: each["id"] for one in exported(project) for each in one["denotations"]}
    waiting = annotation_projects.list_orphans(project)
    return current | {each.label: each.id for each in waiting if each.kind == "denotation"}


def reported_by(followed: follow_pages.Followed, project: str) -> list[str]:
    """Return what the jobs of a reading say about annotations of a project that moved."""
    jobs = [uploads.find(job_id) for job_id in followed.jobs]
    return [
        issue.message
        for job in jobs
        if job.status().project == project
        for issue in job.issues()
        if issue.code in ("orphaned", "restored")
    ]


def test_pages_that_are_gone_lose_what_was_extracted(town: str) -> None:
    follow_pages.follow(config.load(), town)
    folder = DOCUMENT.text(config.load().storage_dir / town)
    (folder / "page-2.txt").unlink()
    extract_site(config.load().storage_dir / town)

    follow_pages.follow(config.load(), town)

    kept, gone = exported(PROJECT.format(site=town))
    assert kept["denotations"] and not gone["denotations"]
    check()


def test_the_extraction_step_of_a_run_does_it(town: str, clerk: Callable[..., Any]) -> None:
    installation.check(config.load())
    Pipeline(config.load()).perform(
        Order(Step.EXTRACT, {"subdomain": town}), 0, lambda seconds, note="": None
    )

    project = PROJECT.format(site=town)
    assert len(exported(project)) == 2
    listed = json.loads(clerk("annotations", "list", "--projects", "--json").out)
    assert [each["name"] for each in listed] == [project]
    assert json.loads(clerk("annotations", "list", "--json").out) == []
    assert len(json.loads(clerk("annotations", "list", "--all", "--json").out)) == 1
