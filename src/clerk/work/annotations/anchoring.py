"""Moving annotations to another version of their text, and saying which were lost."""

from __future__ import annotations

from typing import Any

from msgspec import Struct
from msgspec.structs import replace as changed

from .alignment import Alignment, align
from .model import AnnotationSet, Denotation, Issue, Span

#: Longer quotes are cut in messages.
_SHOWN = 80


class Anchored(Struct, frozen=True):
    """The annotations that were found again, and an issue for each that was not."""

    annotations: AnnotationSet
    issues: list[Issue]
    #: Whether the texts are versions of each other; if not, nothing was moved.
    same_text: bool = True


def anchor(annotations: AnnotationSet, source_text: str, target_text: str) -> Anchored:
    """Move annotations made on one text to another.

    Each moved span has the words of its quote.  A lost denotation or block takes its relations and
    attributes with it; all are in the issues, which carry no file and line.
    """
    if source_text == target_text:
        return Anchored(annotations, [])
    alignment = align(source_text, target_text)
    if not alignment.same_text:
        return Anchored(AnnotationSet(), [_mismatch(alignment)], False)
    issues: list[Issue] = []
    moved = AnnotationSet(
        denotations=_moved(annotations.denotations, alignment, issues),
        blocks=_moved(annotations.blocks, alignment, issues),
    )
    present = {each.id for each in (*moved.denotations, *moved.blocks)}
    moved.relations = _attached(annotations.relations, ("subj", "obj"), present, issues)
    present.update(each.id for each in moved.relations)
    moved.attributes = _attached(annotations.attributes, ("subj",), present, issues)
    return Anchored(moved, issues)


def _mismatch(alignment: Alignment) -> Issue:
    share = f"{alignment.coverage:.0%}"
    return Issue("text_mismatch", f"the text is not the document's: {share} of it was found there.")


def _moved(
    denotations: list[Denotation], alignment: Alignment, issues: list[Issue]
) -> list[Denotation]:
    found = []
    for each in denotations:
        spans = [alignment.map_span(span.begin, span.end) for span in each.spans]
        if None in spans:
            issues.append(_lost(each, alignment))
            continue
        places = [Span(*span) for span in spans if span]
        found.append(changed(each, span=places if len(places) > 1 else places[0]))
    return found


def _lost(denotation: Denotation, alignment: Alignment) -> Issue:
    first, last = min(denotation.spans).begin, max(span.end for span in denotation.spans)
    quote = alignment.source_text[first:last][:_SHOWN]
    place = alignment.suggest(first, last)
    instead = f"; in its place stands {alignment.target_text[slice(*place)]!r}" if place else ""
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
