"""Annotations of documents whose text changes: moved, kept without a place, and brought back.

::

    text A, set with T1, T2  --read again-->  text B, set with T1, orphan T2 (about text A)
                             --read again-->  text C, set with T1, T2

Former texts are kept for the former sets and orphans that are about them, so that nothing is lost
when a page is read again, and an upload can be rolled back after that.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, field

from msgspec.structs import replace
from sqlalchemy import Connection

from . import store
from .anchor import CHANGED_QUOTE, anchor, quote_of
from .objects import AnnotationSet, Issue, Orphans
from .store import NewSet, SetHead, StoredDocument, annotations_from, rows_from

#: The mode of jobs that move annotations to another text.
REANCHORED = "reanchored"

_LOST = ("lost_span", "lost_reference")


@dataclass
class Moved:
    """The annotations of a set on another text, and what was done."""

    annotations: AnnotationSet
    orphans: list[Orphans]
    issues: list[Issue]
    #: Annotations that have a place, those with other words, those that lost their place with this
    #: text, and those that have one again.
    moved: int = 0
    changed: int = 0
    orphaned: int = 0
    restored: int = 0


def move(
    annotations: AnnotationSet,
    orphans: Sequence[Orphans],
    former_text: str,
    text_id: int,
    text: str,
    texts: Mapping[int, str],
) -> Moved:
    """Move annotations from a text to another one, and bring back orphans that it has a place for.

    ``texts`` are the former texts that the orphans are about.
    """
    kept = (annotations, *(group.annotations for group in orphans))
    taken = {each.id for some in kept for each in some.attributes if each.id}
    anchored = anchor(annotations, former_text, text, any_text=True, taken=taken)
    taken |= {each.id for each in anchored.annotations.attributes if each.id}
    found = Moved(anchored.annotations, [], [], changed=anchored.changed)
    found.issues = [
        replace(issue, code="orphaned") if issue.code in _LOST else issue
        for issue in anchored.issues
    ]
    found.orphaned = len(anchored.lost)
    waiting = list(orphans)
    if len(anchored.lost):
        marked = (*anchored.lost.denotations, *anchored.lost.blocks)
        quotes = {each.id or "": quote_of(each, former_text) for each in marked}
        waiting.append(Orphans(text_id, anchored.lost, quotes))
    backs: list[AnnotationSet] = []
    for group in waiting:
        back = AnnotationSet()
        if group.text_id != text_id and group.text_id in texts:
            lost = group.annotations
            spans = AnnotationSet(denotations=lost.denotations, blocks=lost.blocks)
            spans.attributes = [each for each in lost.attributes if each.pred == CHANGED_QUOTE]
            before = texts[group.text_id]
            back = anchor(spans, before, text, any_text=True, taken=taken).annotations
            taken |= {each.id for each in back.attributes if each.id}
        backs.append(back)
    # A relation may be between spans that lost their places with different texts.
    placed = (found.annotations, *backs)
    present = {each.id for some in placed for each in (*some.denotations, *some.blocks)}
    for group, back in zip(waiting, backs, strict=True):
        _bring_back(found, group, back, present)
    found.moved = len(found.annotations) - found.restored
    return found


def _bring_back(
    found: Moved, group: Orphans, back: AnnotationSet, present: Set[str | None]
) -> None:
    """Add the orphans of a group that have a place again, with what belongs to them.

    ``present`` are the ids of all denotations and blocks that have a place.
    """
    there, lost = found.annotations, group.annotations
    before = len(there)
    there.denotations = there.denotations + back.denotations
    there.blocks = there.blocks + back.blocks
    relations = [each for each in lost.relations if {each.subj, each.obj} <= present]
    there.relations = there.relations + relations
    subjects = present | {each.id for each in there.relations}
    marks = {each.id for each in lost.attributes if each.pred == CHANGED_QUOTE}
    attributes = [
        each for each in lost.attributes if each.subj in subjects and each.id not in marks
    ]
    there.attributes = there.attributes + attributes + back.attributes
    returned = {each.id for each in (*back.denotations, *back.blocks)}
    returned |= {each.id for each in relations}
    gone = {each.id for each in (*attributes, *back.attributes)}
    gone |= {each.id for each in lost.attributes if each.id in marks and each.subj in returned}
    left = AnnotationSet(
        denotations=[each for each in lost.denotations if each.id not in returned],
        blocks=[each for each in lost.blocks if each.id not in returned],
        relations=[each for each in lost.relations if each.id not in returned],
        attributes=[each for each in lost.attributes if each.id not in gone],
    )
    for each in (*back.denotations, *back.blocks):
        quote = group.quotes.get(each.id or "", "")
        found.issues.append(Issue("restored", f"{each.id} has a place again: {quote[:80]!r}."))
    if len(left):
        found.orphans.append(Orphans(group.text_id, left, group.quotes))
    found.restored += len(there) - before


@dataclass
class ChangedText:
    """What changing the text of a document did to the annotations of all projects on it."""

    moved: int = 0
    changed: int = 0
    orphaned: int = 0
    restored: int = 0
    #: The sets that were moved, by project.
    sets: dict[int, Moved] = field(default_factory=dict)

    def add(self, project_id: int, moved: Moved) -> None:
        """Add a set."""
        self.sets[project_id] = moved
        self.moved += moved.moved
        self.changed += moved.changed
        self.orphaned += moved.orphaned
        self.restored += moved.restored


def preview_text(conn: Connection, document: StoredDocument, text: str) -> ChangedText:
    """Decide what becomes of the annotations on a document if its text changes."""
    former_text = store.texts_of(conn, [document.id])[document.id]
    heads = store.sets_on(conn, document.id)
    rows = store.rows_of(conn, heads.values())
    found = ChangedText()
    for project_id, head in heads.items():
        moved = _moved(conn, head, annotations_from(rows[head.id]), former_text, 0, text)
        found.add(project_id, moved)
    return found


def change_text(
    conn: Connection,
    document: StoredDocument,
    text: str,
    jobs: Mapping[int, int],
    *,
    computed: int | None = None,
) -> tuple[ChangedText, dict[int, store.Stored]]:
    """Change the text of a document and move the sets on it, each by the job of its project.

    The annotations of the ``computed`` project are made again from the text: none of them is kept
    without a place.
    """
    former_text = store.texts_of(conn, [document.id])[document.id]
    text_id = store.keep_text(conn, document, former_text)
    heads = store.sets_on(conn, document.id)
    rows = store.rows_of(conn, heads.values())
    found, stored = ChangedText(), {}
    for project_id, head in heads.items():
        before = annotations_from(rows[head.id])
        moved = _moved(conn, head, before, former_text, text_id, text)
        if project_id == computed:
            moved = Moved(moved.annotations, [], [])
        found.add(project_id, moved)
        new = NewSet(
            document.id,
            rows_from(moved.annotations),
            head,
            head.namespaces,
            head.tracks,
            orphans=moved.orphans,
        )
        stored[project_id] = store.store(conn, project_id, jobs.get(project_id), [], [new])
    store.change_text(conn, document, text, text_id)
    return found, stored


def _moved(
    conn: Connection,
    head: SetHead,
    before: AnnotationSet,
    former_text: str,
    text_id: int,
    text: str,
) -> Moved:
    orphans = store.orphans_of(head)
    texts = store.former_texts(conn, {each.text_id for each in orphans}) if orphans else {}
    return move(before, orphans, former_text, text_id, text, texts)


# ------------------------------------------------------------------------------- rolling back


@dataclass
class WentBack:
    """What a rollback did."""

    #: Documents that got their former annotations back, and that have none as before.
    restored: int = 0
    removed: int = 0
    #: Documents that were not changed: changed again since, or the former set is cleaned up.
    left: int = 0
    #: Annotations that got no place back, because the text was read again since then; they are
    #: listed as orphans.
    orphaned: int = 0


def roll_back(
    conn: Connection, project_id: int, job_id: int, done: WentBack, after: int = 0
) -> int:
    """Make the sets before those of a job current again, some at a time.

    Returns the last id to go on from, 0 at the end.  Each call is one transaction: a document has
    the set of the job or the one before.  A set about a former text is moved to the current one.
    The sets of the job are kept until they are cleaned up.
    """
    found, left, last = store.sets_to_roll_back(conn, project_id, job_id, REANCHORED, after)
    done.left += left
    ready = [each.former for each in found if each.former and each.former.text_id is None]
    elsewhere = [each.former for each in found if each.former and each.former.text_id is not None]
    store.swap(conn, project_id, [each.current for each in found], ready)
    rows = store.rows_of(conn, elsewhere)
    texts = store.texts_of(conn, [head.document_id for head in elsewhere])
    for head in elsewhere:
        assert head.text_id is not None
        former_text = store.former_texts(conn, [head.text_id])[head.text_id]
        before = annotations_from(rows[head.id])
        text = texts[head.document_id]
        moved = _moved(conn, head, before, former_text, head.text_id, text)
        again = NewSet(
            head.document_id,
            rows_from(moved.annotations),
            None,
            head.namespaces,
            head.tracks,
            orphans=moved.orphans,
        )
        # It is the former set on another text: its job and its former set are the same.
        store.store(conn, project_id, head.job_id, [], [again], former_id=head.former_id)
        done.orphaned += moved.orphaned
    store.hide_documents_made_by(conn, job_id, [each.mine.document_id for each in found])
    done.restored += len(ready) + len(elsewhere)
    done.removed += len(found) - len(ready) - len(elsewhere)
    return last
