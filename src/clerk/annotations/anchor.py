"""Moving annotations to another version of their text, and reporting which were lost."""

from __future__ import annotations

from collections.abc import Sequence, Set
from enum import StrEnum
from typing import Any, Protocol

from msgspec import Struct, field
from msgspec.structs import replace as changed

from .align import Placement, align
from .objects import AnnotationSet, Attribute, Denotation, Issue, Span, free_ids
from .text_fold import fold

#: Longer quotes are cut in messages.
_SHOWN = 80


#: The attribute of a span whose words are not quite those that were marked; its value is the quote.
CHANGED_QUOTE = "changed_quote"


class Anchored(Struct, frozen=True):
    """The annotations that were moved, those that were lost, and issues that name the latter."""

    annotations: AnnotationSet
    issues: list[Issue]
    #: Whether the texts are versions of each other; if not, nothing was moved.
    same_text: bool = True
    lost: AnnotationSet = field(default_factory=AnnotationSet)
    #: How many spans have words that are not quite their quote.
    changed: int = 0


class Anchoring(StrEnum):
    """What to do when the text of an upload differs from the document's."""

    #: Find every span in the document's text.
    AUTO = "auto"
    #: Keep the positions where they have the same words in both texts.
    OFF = "off"


def anchor(
    annotations: AnnotationSet,
    source_text: str,
    target_text: str,
    how: Anchoring = Anchoring.AUTO,
    *,
    any_text: bool = False,
    taken: Set[str] = frozenset(),
) -> Anchored:
    """Move annotations made on one text to another.

    Each moved span has the words of its quote; one whose words are only nearly the same gets the
    attribute `changed_quote`.  A lost denotation or block takes its relations and attributes with
    it; all are in the issues, which carry no file and line.  With ``any_text`` every quote is
    searched for, even if the texts seem to have little in common.  ``taken`` are ids that no new
    attribute may have.
    """
    if source_text == target_text:
        return Anchored(annotations, [])
    texts = (
        InPlace(source_text, target_text)
        if how is Anchoring.OFF
        else align(source_text, target_text)
    )
    if not texts.same_text and not any_text:
        message = (
            f"the text is not the document's: {texts.coverage:.0%} of its words were found there."
        )
        return Anchored(AnnotationSet(), [Issue("text_mismatch", message)], False, annotations)
    mover = _Mover(texts, annotations, taken)
    moved = AnnotationSet(
        denotations=mover.move(annotations.denotations, mover.lost.denotations),
        blocks=mover.move(annotations.blocks, mover.lost.blocks),
    )
    present = {each.id for each in (*moved.denotations, *moved.blocks)}
    moved.relations = mover.attached(
        annotations.relations, ("subj", "obj"), present, mover.lost.relations
    )
    present.update(each.id for each in moved.relations)
    attributes = [each for each in annotations.attributes if each not in mover.outdated]
    moved.attributes = mover.attached(attributes, ("subj",), present, mover.lost.attributes)
    moved.attributes += mover.marks
    return Anchored(moved, mover.issues, True, mover.lost, mover.changed)


class Texts(Protocol):
    """Two texts, and where spans of the first are in the second."""

    source_text: str
    target_text: str
    coverage: float

    @property
    def same_text(self) -> bool: ...

    def place_all(self, begin: int, end: int) -> list[Placement]: ...

    def quote_around(self, quote: str, places: Sequence[Placement]) -> Placement | None: ...

    def suggest(self, begin: int, end: int) -> tuple[int, int] | None: ...


class InPlace:
    """Two texts whose spans have the same positions, or are lost."""

    coverage = 1.0
    same_text = True

    def __init__(self, source_text: str, target_text: str) -> None:
        self.source_text = source_text
        self.target_text = target_text

    def place_all(self, begin: int, end: int) -> list[Placement]:
        """Return the same span if it has the same words."""
        same = fold(self.source_text[begin:end]) == fold(self.target_text[begin:end])
        return [Placement(begin, end)] if same and end <= len(self.target_text) else []

    def quote_around(self, quote: str, places: Sequence[Placement]) -> Placement | None:
        """Return None: spans stay where they are."""
        return None

    def suggest(self, begin: int, end: int) -> tuple[int, int] | None:
        """Return the same span, if the other text is long enough."""
        return (begin, end) if end <= len(self.target_text) else None


class _Mover:
    """Moves annotations one by one, and collects what is lost and what has changed."""

    def __init__(self, texts: Texts, annotations: AnnotationSet, taken: Set[str]) -> None:
        self._texts = texts
        self._quotes = {
            each.subj: each for each in annotations.attributes if each.pred == CHANGED_QUOTE
        }
        mine = {each.id for each in annotations.attributes if each.id}
        self._free = free_ids("A", mine | taken)
        self.issues: list[Issue] = []
        self.lost = AnnotationSet(denotations=[], blocks=[], relations=[], attributes=[])
        #: New attributes `changed_quote`, and those of spans that have their words again.
        self.marks: list[Attribute] = []
        self.outdated: list[Attribute] = []
        self.changed = 0

    def move(self, denotations: list[Denotation], lost: list[Denotation]) -> list[Denotation]:
        """Return the denotations or blocks that have a place in the target."""
        found = []
        for each in denotations:
            pieces = [self._texts.place_all(span.begin, span.end) for span in each.spans]
            if not all(pieces):
                lost.append(each)
                place = self._texts.suggest(*_reach(each))
                there = self._texts.target_text[slice(*place)][:_SHOWN] if place else ""
                instead = f"; it has {there!r} there" if place else ""
                quote = quote_of(each, self._texts.source_text)[:_SHOWN]
                message = f"{each.id} is lost: {quote!r} is not in the document's text{instead}."
                self.issues.append(Issue("lost_span", message))
                continue
            places = [place for some in pieces for place in some]
            mark = self._quotes.get(each.id or "")
            if mark is not None and (whole := self._texts.quote_around(str(mark.obj), places)):
                places = [whole]
            spans = [Span(place.begin, place.end) for place in places]
            found.append(moved := changed(each, span=spans if len(spans) > 1 else spans[0]))
            if mark is None and not any(place.changed for place in places):
                continue
            quote = mark.obj if mark else quote_of(each, self._texts.source_text)
            if fold(str(quote)) == fold(quote_of(moved, self._texts.target_text)):
                self.outdated += [mark] if mark else []
                continue
            self.changed += 1
            if mark is None:
                name = each.id or ""
                self.marks.append(Attribute(name, CHANGED_QUOTE, quote, next(self._free)))
            now = " ".join(self._texts.target_text[span.begin : span.end] for span in moved.spans)
            was = str(quote)[:_SHOWN]
            message = f"{each.id} has other words now: {now[:_SHOWN]!r}, not {was!r}."
            self.issues.append(Issue("changed_quote", message))
        return found

    def attached(
        self,
        annotations: list[Any],
        ends: tuple[str, ...],
        present: set[str | None],
        lost: list[Any],
    ) -> list[Any]:
        """Keep what refers to annotations that are present."""
        kept = []
        for each in annotations:
            missing = [getattr(each, end) for end in ends if getattr(each, end) not in present]
            if missing:
                lost.append(each)
                message = f"{each.id} is lost with {missing[0]}."
                self.issues.append(Issue("lost_reference", message))
            else:
                kept.append(each)
        return kept


def quote_of(denotation: Denotation, text: str) -> str:
    """Return the words that a denotation marks, with what is between its spans."""
    return text[slice(*_reach(denotation))]


def _reach(denotation: Denotation) -> tuple[int, int]:
    return min(denotation.spans).begin, max(span.end for span in denotation.spans)
