"""CoNLL columns with BIO tags: token, begin, end, tag; a line a token, a blank line between lines.

The format has one label a token: of overlapping denotations the longest is written, of a
discontinuous one nothing; what is left out is named in a comment.  Attributes and relations have no
place at all.  The text is kept in a comment, so that reading gives the same spans back.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator
from typing import Any

import msgspec

from clerk.annotations.objects import CheckedObject, Denotation, Span

_TOKEN = re.compile(r"\w+|[^\w\s]")
#: Outside of a span, or a label: beginning, inside, end (or last) of one, or single (or unit).
_TAG = re.compile(r"O|[BIELSU]-\S+")
_COMMENT = re.compile(r"# (sourcedb|sourceid|text) = (.*)")


def dump(found: CheckedObject) -> str:
    """Return the document as lines, with a blank line after it."""
    shown, left_out = _without_overlaps(found.denotations)
    lines = [
        f"# {key} = {msgspec.json.encode(value).decode()}"
        for key, value in (
            ("sourcedb", found.sourcedb),
            ("sourceid", found.sourceid),
            ("text", found.text),
        )
    ]
    if left_out:
        lines.append(f"# not shown = {', '.join(left_out)}")

    # A token is cut where a span begins or ends.
    text = found.text
    cuts = sorted({edge for span, _ in shown for edge in (span.begin, span.end)} | {len(text)})
    labels = iter([*shown, (Span(len(text), len(text)), "")])
    span, label = next(labels)
    begin = 0
    for end in cuts:
        while span.end <= begin and label:
            span, label = next(labels)
        inside = bool(label) and span.begin <= begin < span.end
        tag = f"B-{label}" if inside else "O"
        previous = begin
        for match in _TOKEN.finditer(text, begin, end):
            if "\n" in text[previous : match.start()] and not inside:
                lines.append("")
            lines.append(f"{match[0]}\t{match.start()}\t{match.end()}\t{tag}")
            tag = f"I-{label}" if inside else "O"
            previous = match.end()
        begin = end
    return "\n".join(lines) + "\n\n"


def _without_overlaps(denotations: list[Denotation]) -> tuple[list[tuple[Span, str]], list[str]]:
    """Return spans that do not overlap with their labels, in order, and the ids of the rest."""
    ordered = sorted(
        denotations, key=lambda each: (each.spans[0].begin - each.spans[-1].end, each.spans)
    )
    taken: list[tuple[Span, str]] = []
    left_out = []
    for each in ordered:
        span = each.spans[0]
        place = bisect_left(taken, (span, ""))
        free = all(
            span.end <= other.begin or other.end <= span.begin
            for other, _ in taken[max(0, place - 1) : place + 1]
        )
        if free and len(each.spans) == 1:
            obj = each.obj
            label = obj if isinstance(obj, str) else msgspec.json.encode(obj).decode()
            taken.insert(place, (span, re.sub(r"\s", "_", label)))
        else:
            left_out.append(str(each.id))
    return taken, sorted(left_out)


def load(content: bytes) -> Iterator[dict[str, Any]]:
    """Yield the documents of a file: tokens in the first column, tags in the last.

    Tags are BIO, BIOES or BILOU; ValueError is raised for others.  A foreign file has no text; it
    is joined from the tokens with spaces.
    """
    document = _Document()
    for number, line in enumerate([*content.decode().split("\n"), "# sourcedb = null"], 1):
        comment = _COMMENT.fullmatch(line)
        if comment and comment[1] == "sourcedb" and document.tokens:
            yield document.value()
            document = _Document()
        if comment:
            document.head[comment[1]] = msgspec.json.decode(comment[2])
        elif line.strip() and not line.startswith("# "):
            columns = line.split()
            if len(columns) < 2 or not _TAG.fullmatch(columns[-1]):
                raise ValueError(f"line {number} does not end in a tag such as O or B-Person")
            document.add(columns)
        elif not line.strip():
            document.end_line()


class _Document:
    def __init__(self) -> None:
        self.head: dict[str, Any] = {}
        self.tokens: list[tuple[int, int, str]] = []
        self._pieces: list[str] = []
        self._length = 0

    def add(self, columns: list[str]) -> None:
        token, tag = columns[0], columns[-1]
        if "text" in self.head and len(columns) >= 4:
            self.tokens.append((int(columns[1]), int(columns[2]), tag))
            return
        if self._pieces and self._pieces[-1] != "\n":
            self._put(" ")
        self.tokens.append((self._length, self._length + len(token), tag))
        self._put(token)

    def end_line(self) -> None:
        if self._pieces and self._pieces[-1] != "\n":
            self._put("\n")

    def _put(self, piece: str) -> None:
        self._pieces.append(piece)
        self._length += len(piece)

    def value(self) -> dict[str, Any]:
        spans: list[dict[str, Any]] = []
        open_label = ""
        for begin, end, tag in self.tokens:
            mark, _, label = tag.partition("-")
            if mark in ("I", "E", "L") and label == open_label:
                spans[-1]["span"]["end"] = end
            elif label:
                spans.append({"span": {"begin": begin, "end": end}, "obj": label})
            open_label = label if mark in ("B", "I") else ""
        text = "".join(self._pieces).removesuffix("\n")
        return {"text": text, **self.head, "denotations": spans}
