"""Annotations of a site's pages follow its text: moved when a page is read again, and those that
extraction finds kept as a project of their own.

Called when a site has been extracted, in the same step: should it die, the step is done again.
"""

from __future__ import annotations

import contextlib
import itertools
import re
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec
from msgspec.structs import replace
from sqlalchemy import Connection

from clerk.annotations import (
    AnnotationSet,
    Attribute,
    Denotation,
    Issue,
    Relation,
    Span,
    page_memory,
    rereading,
    store,
)
from clerk.annotations.decide import page_text, storable
from clerk.annotations.rereading import REANCHORED
from clerk.annotations.store import (
    NewDocument,
    NewSet,
    StoredDocument,
    digest_of,
    rows_from,
)
from clerk.core import manifest, outbox
from clerk.core.config import Settings
from clerk.core.db import civic_db_connection, reading_connection
from clerk.core.errors import DocumentError
from clerk.core.files import SiteFiles
from clerk.core.states import Upload
from clerk.core.storage import Document
from clerk.extract import VOTE_FIELDS, Entity, Extraction, Vote
from clerk.extract.documents import cache_of

from . import upload_state
from .stages import FollowedAnnotations

#: The project with what was extracted from a site.
PROJECT = "{site}/extraction"
#: How the jobs that store it are called where uploads have their mode.
EXTRACTED = "extracted"
#: Documents, or pages that changed, in one transaction.
AT_ONCE = 50

_PAGE = re.compile(r"page-(\d+)\.txt")
#: What is stored of a vote besides its label.
_VOTE_FIELDS = tuple(name for name in VOTE_FIELDS if name not in ("start", "end", "page", "quote"))


@dataclass
class Followed:
    """What following a site's text did."""

    #: Pages whose text has changed, and annotations on them: those that have a place, those with
    #: other words, those that lost their place and are kept, and those that have one again.
    changed_pages: int = 0
    moved: int = 0
    changed: int = 0
    orphaned: int = 0
    restored: int = 0
    #: Pages whose extracted annotations are others than before.
    extracted_pages: int = 0
    jobs: list[int] = field(default_factory=list)

    @property
    def annotations(self) -> FollowedAnnotations:
        """What became of annotations on pages that were read again, as a run shows it."""
        return msgspec.convert(self, FollowedAnnotations, from_attributes=True)


@dataclass(frozen=True)
class _Scope:
    """The documents of a site that may have changed and are compared."""

    files: SiteFiles
    project_id: int
    #: All of them by name, and those that are there.
    stale: Set[str]
    present: Set[str]
    #: The hashes of their text, and of what was found in it.
    contents: Mapping[str, tuple[str, str | None]]

    @property
    def subdomain(self) -> str:
        """The site."""
        return self.files.subdomain

    def pages_known(self, conn: Connection) -> dict[str, StoredDocument]:
        """Return the pages of these documents that the database has, by name."""
        known = store.documents_from(conn, self.subdomain, self.stale)
        return {name: stored for name, stored in known.items() if _document_of(name) in self.stale}

    @contextlib.contextmanager
    def text_here(self, name: str) -> Iterator[None]:
        """Have the text of a document on this machine while the block runs."""
        with contextlib.ExitStack() as stack:
            if self.files.store is not None and name in self.contents:
                text_sha256, _ = self.contents[name]
                stack.enter_context(self.files.text(Document.from_name(name), text_sha256))
            yield

    def findings(self, document: Document) -> bytes:
        """Return what was found in a document; FileNotFoundError if nobody has looked."""
        _, found = self.contents.get(document.name, ("", None))
        if self.files.store is None:
            return cache_of(self.files.folder, document).read_bytes()
        if found is None:
            raise FileNotFoundError(document.name)
        return self.files.findings(document, found)


def follow(settings: Settings, subdomain: str, *, everything: bool = True) -> Followed:
    """Bring the annotations of a site's pages to what its text and its extraction say now.

    Unless ``everything`` is compared, documents that have not changed since are skipped.
    """
    done = Followed()
    files = SiteFiles(settings, subdomain)
    folder = files.folder
    with civic_db_connection() as conn:
        project_id = store.make_project(conn, PROJECT.format(site=subdomain), is_public=True)
        standing = store.standing(conn, project_id, subdomain)
    memory = None if everything else page_memory.recall(folder, standing)
    after = memory.number if memory else None
    with reading_connection() as conn:
        changed, number = outbox.changed_names(conn, subdomain, -1 if after is None else after)
    names: set[str] | None = None
    if memory and after is not None:
        # Unless the outbox does not reach back so far.
        names = None if changed is None else {*changed, *memory.documents}
        memory = None
    with reading_connection() as conn:
        contents = manifest.contents(conn, subdomain, names)
    # A document in which nobody has looked for anything may change at any time.
    now: dict[str, page_memory.Stamp]
    now = {name: (text, found) if found else () for name, (text, found) in contents.items()}
    only_on_disk = names is None and not now and files.store is None
    if only_on_disk:
        now = page_memory.stamps(folder)
    stale: Set[str]
    if names is not None:
        stale = names
    elif memory:
        stale = memory.stale(now)
    else:
        with reading_connection() as conn:
            known = {_document_of(page) for page in store.documents_from(conn, subdomain)}
        stale = now.keys() | known
    if not stale:
        return done
    scope = _Scope(files, project_id, stale, stale & now.keys(), contents)
    reanchor(scope, done)
    keep_extraction(scope, done)
    if done.jobs:
        with reading_connection() as conn:
            standing = store.standing(conn, project_id, subdomain)
    followed = page_memory.FollowedDocuments(standing, now)
    if not only_on_disk:
        unseen = {name: stamp for name, stamp in now.items() if not stamp}
        followed = page_memory.FollowedDocuments(standing, unseen, number)
    page_memory.remember(folder, followed)
    return done


def _document_of(page: str) -> str:
    return page.rpartition("/")[0]


# ------------------------------------------------------------------------- pages read again


def reanchor(scope: _Scope, done: Followed) -> None:
    """Move annotations of all projects to the new text of pages that were read again.

    Each page is moved whole in one transaction.  What has no place in the new text is kept with its
    set and is an issue of a job of its project.
    """
    with reading_connection() as conn:
        known = scope.pages_known(conn)
    jobs: dict[int, int] = {}
    for document, pages in itertools.groupby(known, _document_of):
        with scope.text_here(document):
            for name in pages:
                text, stored = page_text(scope.files.folder, name), known[name]
                if text is not None and digest_of(text) != stored.digest:
                    with civic_db_connection() as conn:
                        _move(conn, scope, name, stored, text, jobs, done)
    done.jobs += jobs.values()


def _move(
    conn: Connection,
    scope: _Scope,
    name: str,
    stored: StoredDocument,
    text: str,
    jobs: dict[int, int],
    done: Followed,
) -> None:
    for project_id in store.sets_on(conn, stored.id):
        if project_id not in jobs:
            jobs[project_id] = _open(conn, project_id, REANCHORED)
    changed, kept = rereading.change_text(conn, stored, text, jobs, computed=scope.project_id)
    for project_id, moved in changed.sets.items():
        issues = (replace(e, sourcedb=scope.subdomain, sourceid=name) for e in moved.issues)
        _report(conn, jobs[project_id], kept[project_id], issues)
    done.changed_pages += 1
    done.moved += changed.moved
    done.changed += changed.changed
    done.orphaned += changed.orphaned
    done.restored += changed.restored


def _open(conn: Connection, project_id: int, mode: str) -> int:
    """Open a job that is closed from the start, so that a crash leaves nothing to recover."""
    job_id = upload_state.open_upload(conn, project_id=project_id, mode=mode)
    upload_state.close_upload(conn, job_id, Upload.COMPLETED)
    return job_id


def _report(conn: Connection, job_id: int, stored: store.Stored, issues: Iterator[Issue]) -> None:
    upload_state.add_issues(conn, job_id, issues)
    upload_state.count_stored(conn, job_id, stored)


# ---------------------------------------------------------------------- what was extracted


def keep_extraction(scope: _Scope, done: Followed) -> None:
    """Make the site's project of extracted annotations what its extraction says now."""
    seen: set[str] = set()
    job_id = 0
    names = sorted(scope.present)
    for start in range(0, len(names), AT_ONCE):
        pages: dict[str, _Page] = {}
        for document in map(Document.from_name, names[start : start + AT_ONCE]):
            try:
                found = msgspec.json.decode(scope.findings(document), type=Extraction)
                with scope.text_here(document.name):
                    numbered = _numbered(document.text(scope.files.folder))
            except (OSError, DocumentError, msgspec.MsgspecError):
                continue
            for index, (number, text) in enumerate(numbered, 1):
                votes = [each for each in found.votes if each.page == index]
                entities = [each for each in found.entities if each.page == index]
                page = _Page(text, as_annotations(text, votes, entities))
                pages[f"{document.name}/{number}"] = page
        seen.update(pages)
        job_id = _keep(scope, job_id, pages, done)
    job_id = _clear(scope, job_id, seen, done)
    if job_id:
        done.jobs.append(job_id)


@dataclass(frozen=True)
class _Page:
    """A page and what was extracted from it."""

    text: str
    annotations: AnnotationSet


def _keep(scope: _Scope, job_id: int, pages: Mapping[str, _Page], done: Followed) -> int:
    """Store what is new of some pages and return the job it was stored by, 0 for none."""
    keys = [(scope.subdomain, name) for name in pages]
    with reading_connection() as conn:
        known = store.find_documents(conn, keys)
        ids = [stored.id for stored in known.values()]
        heads = store.current_sets(conn, scope.project_id, ids)
        rows = store.rows_of(conn, heads.values())
    documents, sets = [], []
    for key in keys:
        page, stored = pages[key[1]], known.get(key)
        head = heads.get(stored.id) if stored else None
        new = rows_from(page.annotations)
        if (head is None and not len(page.annotations)) or (head and _same(new, rows[head.id])):
            continue
        if stored is None:
            documents.append(NewDocument(key, page.text, digest_of(page.text)))
        sets.append(NewSet(stored.id if stored else key, new, head))
    return _store(scope.project_id, job_id, documents, sets, done)


def _same(new: store.Rows, stored: store.Rows) -> bool:
    return all(list(new[name]) == list(stored[name]) for name in stored)


def _store(
    project_id: int,
    job_id: int,
    documents: Sequence[NewDocument],
    sets: Sequence[NewSet],
    done: Followed,
) -> int:
    if not sets:
        return job_id
    with civic_db_connection() as conn:
        job_id = job_id or _open(conn, project_id, EXTRACTED)
        stored = store.store(conn, project_id, job_id, documents, sets)
        _report(conn, job_id, stored, iter(()))
    done.extracted_pages += len(sets)
    return job_id


def _clear(scope: _Scope, job_id: int, seen: Set[str], done: Followed) -> int:
    """Take annotations away from pages that are not there any more."""
    with reading_connection() as conn:
        known = scope.pages_known(conn)
        gone = [stored.id for name, stored in known.items() if name not in seen]
        heads = store.current_sets(conn, scope.project_id, gone)
    empty = rows_from(AnnotationSet())
    sets = [NewSet(h.document_id, empty, h) for h in heads.values() if not h.is_empty]
    return _store(scope.project_id, job_id, [], sets, done)


def _numbered(text_dir: Path) -> list[tuple[int, str]]:
    """Return the pages of a document with their numbers; extraction counts those there are."""
    pages = [
        (int(match[1]), storable(path.read_bytes()))
        for path in (text_dir.iterdir() if text_dir.is_dir() else ())
        if (match := _PAGE.fullmatch(path.name))
    ]
    return sorted(pages)


def as_annotations(text: str, votes: Sequence[Vote], entities: Sequence[Entity]) -> AnnotationSet:
    """Return votes and entities of a page as annotations of its text.

    A vote or an entity is a denotation, what is known of it are attributes, and who moved and
    seconded are relations where the name is marked as a person within the vote.
    """
    writer = _Writer(len(text))
    persons = [(each, writer.entity(each)) for each in entities]
    for vote in votes:
        writer.vote(vote, [(e, name) for e, name in persons if e.type == "person" and name])
    return writer.found


class _Writer:
    """Numbers what is found on a page."""

    def __init__(self, length: int) -> None:
        self._length = length
        self.found = AnnotationSet(denotations=[], blocks=[], relations=[], attributes=[])

    def entity(self, entity: Entity) -> str:
        """Add an entity and return its id, or nothing if it is not on the page."""
        name = self._denotation(entity.type.capitalize(), entity.page_start, entity.page_end)
        if name:
            self._say(name, "value", entity.value)
            self._say(name, "role", entity.role)
        return name

    def vote(self, vote: Vote, persons: Sequence[tuple[Entity, str]]) -> None:
        """Add a vote with all that is known of it."""
        name = self._denotation("Vote", vote.page_start, vote.page_end)
        if not name:
            return
        for each in _VOTE_FIELDS:
            self._say(name, each, getattr(vote, each))
        within = [(e, p) for e, p in persons if vote.start <= e.start and e.end <= vote.end]
        for role in ("mover", "seconder"):
            person = getattr(vote, role)
            ids = [p for e, p in within if person and person in (e.value, e.text)]
            if ids:
                relations = self.found.relations
                relations.append(
                    Relation(id=f"R{len(relations) + 1}", subj=name, pred=role, obj=ids[0])
                )

    def _denotation(self, label: str, begin: int, end: int) -> str:
        if not 0 <= begin < end <= self._length:
            return ""
        name = f"T{len(self.found.denotations) + 1}"
        self.found.denotations.append(Denotation(Span(begin, end), label, name))
        return name

    def _say(self, name: str, what: str, value: Any) -> None:
        if value is None or value == [] or value is False:
            return
        attributes = self.found.attributes
        attributes.append(Attribute(id=f"A{len(attributes) + 1}", subj=name, pred=what, obj=value))
