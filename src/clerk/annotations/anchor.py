"""Moving annotations to another version of their text, and saying which were lost."""

from __future__ import annotations

from enum import StrEnum
from typing import Any, Protocol

from msgspec import Struct
from msgspec.structs import replace as changed

from .align import align
from .model import AnnotationSet, Denotation, Issue, Span
from .text_fold import fold

#: Longer quotes are cut in messages.
_SHOWN = 80


class Anchored(Struct, frozen=True):
    """The annotations that were found again, and an issue for each that was not."""

    annotations: AnnotationSet
    issues: list[Issue]
    #: Whether the texts are versions of each other; if not, nothing was moved.
    same_text: bool = True


class Anchoring(StrEnum):
    """What to do when the text of an upload is not the document's."""

    #: Look for every span in the document's text.
    AUTO = "auto"
    #: Take nothing of another text.
    STRICT = "strict"
    #: Keep the positions where they have the same words in both texts.
    OFF = "off"


def anchor(
    annotations: AnnotationSet,
    source_text: str,
    target_text: str,
    how: Anchoring = Anchoring.AUTO,
) -> Anchored:
    """Move annotations made on one text to another.

    Each moved span has the words of its quote.  A lost denotation or block takes its relations and
    attributes with it; all are in the issues, which carry no file and line.
    """
    if source_text == target_text:
        return Anchored(annotations, [])
    if how is Anchoring.STRICT:
        message = "the text is not the document's, letter by letter."
        return Anchored(AnnotationSet(), [Issue("text_mismatch", message)], False)
    texts = (
        InPlace(source_text, target_text)
        if how is Anchoring.OFF
        else align(source_text, target_text)
    )
    if not texts.same_text:
        return Anchored(AnnotationSet(), [_mismatch(texts.coverage)], False)
    return _anchored(annotations, texts)


class Texts(Protocol):
    """Two texts, and where spans of the one are in the other."""

    source_text: str
    target_text: str
    coverage: float

    @property
    def same_text(self) -> bool: ...

    def map_span(self, begin: int, end: int) -> tuple[int, int] | None: ...

    def suggest(self, begin: int, end: int) -> tuple[int, int] | None: ...


class InPlace:
    """Two texts in which a span is where it was, or lost."""

    coverage = 1.0
    same_text = True

    def __init__(self, source_text: str, target_text: str) -> None:
        self.source_text = source_text
        self.target_text = target_text

    def map_span(self, begin: int, end: int) -> tuple[int, int] | None:
        """Return the same span if it has the same words, else None."""
        same = fold(self.source_text[begin:end]) == fold(self.target_text[begin:end])
        return (begin, end) if same and end <= len(self.target_text) else None

    def suggest(self, begin: int, end: int) -> tuple[int, int] | None:
        """Return the same span, if the other text is that long."""
        return (begin, end) if end <= len(self.target_text) else None


def _anchored(annotations: AnnotationSet, texts: Texts) -> Anchored:
    issues: list[Issue] = []
    moved = AnnotationSet(
        denotations=_moved(annotations.denotations, texts, issues),
        blocks=_moved(annotations.blocks, texts, issues),
    )
    present = {each.id for each in (*moved.denotations, *moved.blocks)}
    moved.relations = _attached(annotations.relations, ("subj", "obj"), present, issues)
    present.update(each.id for each in moved.relations)
    moved.attributes = _attached(annotations.attributes, ("subj",), present, issues)
    return Anchored(moved, issues)


def _mismatch(coverage: float) -> Issue:
    message = f"the text is not the document's: {coverage:.0%} of it was found there."
    return Issue("text_mismatch", message)


def _moved(denotations: list[Denotation], texts: Texts, issues: list[Issue]) -> list[Denotation]:
    found = []
    for each in denotations:
        spans = [texts.map_span(span.begin, span.end) for span in each.spans]
        if None in spans:
            issues.append(_lost(each, texts))
            continue
        places = [Span(*span) for span in spans if span]
        found.append(changed(each, span=places if len(places) > 1 else places[0]))
    return found


def _lost(denotation: Denotation, texts: Texts) -> Issue:
    first, last = min(denotation.spans).begin, max(span.end for span in denotation.spans)
    quote = texts.source_text[first:last][:_SHOWN]
    place = texts.suggest(first, last)
    instead = (
        f"; in its place stands {texts.target_text[slice(*place)][:_SHOWN]!r}" if place else ""
    )
    return Issue(
        "lost_span", f"{denotation.id} is lost: {quote!r} is not in the document's text{instead}."
    )


def _attached(
    annotations: list[Any], ends: tuple[str, ...], present: set[str | None], issues: list[Issue]
) -> list[Any]:
    """Keep what refers to annotations that are present."""
    kept = []
    for each in annotations:
        missing = [getattr(each, end) for end in ends if getattr(each, end) not in present]
        if missing:
            issues.append(Issue("lost_reference", f"{each.id} is lost with {missing[0]}."))
        else:
            kept.append(each)
    return kept
