"""Annotations as the page view draws them: on the text and on the scan."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import msgspec

from clerk.annotations.browsing import Track
from clerk.core.public_text import PublicText, document_text
from clerk.read.files import PageWords

#: Left, top, right and bottom in ten-thousandths of the page.
Box = tuple[int, int, int, int]
#: The number of colours; further projects use them again.
COLOURS = 6


@dataclass(frozen=True)
class DrawnSpan:
    """A denotation or block on a page, and the name by which it can be linked to."""

    name: str
    project: str
    label: str
    quote: PublicText
    spans: tuple[tuple[int, int], ...]
    colour: int
    attributes: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class DrawnRelation:
    """A relation between two of them."""

    predicate: str
    subject: DrawnSpan
    object: DrawnSpan
    #: From the first word of the one to that of the other on the scan, if both have boxes.
    line: tuple[int, int, int, int] | None = None


@dataclass(frozen=True)
class TextPart:
    """A piece of the text with the spans it is in, and those that begin with it."""

    text: PublicText
    spans: tuple[DrawnSpan, ...]
    beginning: tuple[DrawnSpan, ...]


@dataclass(frozen=True)
class DrawnPage:
    """The annotations of the chosen projects on a page."""

    spans: Sequence[DrawnSpan]
    relations: Sequence[DrawnRelation]
    parts: Sequence[TextPart]
    #: (colour, left, top, right, bottom) on the scan, in ten-thousandths of the page.
    boxes: Sequence[tuple[int, int, int, int, int]]


def draw(text: str, tracks: Sequence[Track], words: PageWords | None) -> DrawnPage:
    """Return what is drawn of annotations on a page; those about another text are left out."""
    spans: list[DrawnSpan] = []
    relations: list[DrawnRelation] = []
    for number, track in enumerate(tracks):
        if track.object.text != text:
            continue
        said: dict[str, list[tuple[str, str]]] = {}
        for attribute in track.object.attributes:
            said.setdefault(attribute.subj, []).append((attribute.pred, _shown(attribute.obj)))
        mine: dict[str, DrawnSpan] = {}
        for each in (*track.object.denotations, *track.object.blocks):
            places = tuple((span.begin, span.end) for span in each.spans)
            quote = " ... ".join(text[begin:end] for begin, end in places)
            name = str(each.id)
            mine[name] = DrawnSpan(
                f"{track.project}:{name}".replace(" ", "_"),
                track.project,
                _shown(each.obj),
                document_text(quote),
                places,
                number % COLOURS,
                tuple(said.get(name, ())),
            )
        spans += mine.values()
        relations += [
            DrawnRelation(each.pred, mine[each.subj], mine[each.obj])
            for each in track.object.relations
        ]
    spans.sort(key=lambda each: each.spans)
    boxes: list[tuple[DrawnSpan, Box]] = []
    at = 0
    # Words are found in the order of the text.
    for printed, box in words.placed() if words else ():
        begin = text.find(printed, at)
        if begin < 0 or len(box) != 4:
            continue
        at = begin + len(printed)
        left, top, right, bottom = box
        for drawn in spans:
            if any(first < at and begin < last for first, last in drawn.spans):
                boxes.append((drawn, (left, top, right, bottom)))
    first_box = {span.name: box for span, box in reversed(boxes)}
    relations = [
        replace(
            each, line=(*_above(first_box[each.subject.name]), *_above(first_box[each.object.name]))
        )
        if {each.subject.name, each.object.name} <= first_box.keys()
        else each
        for each in relations
    ]
    coloured = [(span.colour, *box) for span, box in boxes]
    return DrawnPage(spans, relations, _parts(text, spans), coloured)


def _above(box: Box) -> tuple[int, int]:
    left, top, right, _ = box
    return (left + right) // 2, top


def _shown(value: Any) -> str:
    return value if isinstance(value, str) else msgspec.json.encode(value).decode()


def _parts(text: str, spans: Sequence[DrawnSpan]) -> list[TextPart]:
    """Cut a text where spans begin and end."""
    places = [(begin, end, each) for each in spans for begin, end in each.spans]
    cuts = sorted({0, len(text), *(cut for begin, end, _ in places for cut in (begin, end))})
    seen: set[str] = set()
    parts = []
    for begin, end in pairwise(cuts):
        inside = [each for first, last, each in places if first <= begin and end <= last]
        new = [each for each in inside if each.name not in seen]
        seen.update(each.name for each in new)
        parts.append(TextPart(document_text(text[begin:end]), tuple(inside), tuple(new)))
    return parts
