"""Whether what a page draws is whole.

libpdfium shows a page whose content is damaged as if the rest of it were blank, and says nothing.
The content of a page is a compressed stream, and a damaged one usually cannot be unpacked to its
end.  Which stream belongs to which page is not easily found out, so it is done in two steps: the
file is searched for any damaged stream that may be content, which is quick; and only if there is
one, or if a page shows nothing, that page is looked at (copied into a PDF of its own).
"""

from __future__ import annotations

import contextlib
import mmap
import re
import zlib
from collections.abc import Iterator
from dataclasses import dataclass

#: Where the dictionary before a stream begins at most; those of content are short.
_DICTIONARY_WITHIN = 300
#: Streams with such an entry are fonts, pictures, profiles, lists of objects; never content.
_OTHER_KINDS = re.compile(rb"/(?:Type|Subtype|Length1|FunctionType|ShadingType|PatternType|N)\b")
_PACKED = re.compile(rb"/Filter\s*(?:/FlateDecode\b|\[\s*/FlateDecode\s*\])")
#: Rarer ways of packing, and several at once, are not looked into.
_PACKED_OTHERWISE = re.compile(rb"/(?:Flate|LZW|RunLength|ASCII85|ASCIIHex)Decode\b|/Crypt\b")
_CONTENTS = re.compile(rb"/Contents\s*(?:\[([^\]]*)\]|(\d+\s+\d+\s+R))")
_REFERENCE = re.compile(rb"(\d+)\s+\d+\s+R")
_DRAWS_AN_OBJECT = re.compile(rb"/\S+\s+Do\b")
_NOT_PRINTED = bytes(set(range(256)) - set(b"\t\n\f\r") - set(range(32, 127)))
#: Instructions are plain text but for the strings in them.
_MOST_NOT_PRINTED = 0.3
#: So much of a stream is unpacked at most; the rest of a larger one is believed.
_MOST_BYTES = 1 << 24
#: What is wrong with all streams of some programs, and harmless there.
_WRONG_CHECKSUM, _NO_END = _HABITS = ("its checksum is wrong", "its end is missing")


@dataclass(frozen=True)
class Suspicion:
    """What a look at a file says about the content of its pages."""

    #: Whether the content of some page may be damaged.
    damage: bool = False
    #: Whether a wrong checksum or a missing end means damage: some programs always write so.
    strict: bool = False


def suspicion(data: bytes | mmap.mmap) -> Suspicion:
    """Look for streams that may be a page's content and cannot be unpacked as they were packed."""
    complaints = [_complaint(packed) for packed in _content_streams(data)]
    if not any(complaints):
        return Suspicion(strict=True)
    habitual = len(complaints) > 1 and all(each in _HABITS for each in complaints)
    if habitual or data.find(b"/Encrypt") >= 0:
        return Suspicion()
    return Suspicion(damage=True, strict=True)


def _content_streams(data: bytes | mmap.mmap) -> Iterator[bytes]:
    """Yield the packed streams that may be the content of a page."""
    end = 0
    while (at := data.find(b"stream", end)) >= 0:
        start, end = at + len(b"stream"), data.find(b"endstream", at)
        if end < 0:
            return
        dictionary = data[max(0, at - _DICTIONARY_WITHIN) : at].rpartition(b"obj")[2]
        if _PACKED.search(dictionary) and not _OTHER_KINDS.search(dictionary):
            yield _without_line_end(data[start:end])
        end += len(b"endstream")


def _without_line_end(stream: bytes) -> bytes:
    """Take off the line end after ``stream``; what follows a packed stream is ignored anyway."""
    return stream.removeprefix(b"\r").removeprefix(b"\n")


def _complaint(packed: bytes) -> str:
    """Return what is wrong with a packed stream, or nothing."""
    unpacker = zlib.decompressobj()
    try:
        unpacker.decompress(packed, _MOST_BYTES)
    except zlib.error as error:
        reason = str(error).rpartition(": ")[2]
        return _WRONG_CHECKSUM if reason == "incorrect data check" else reason
    return "" if unpacker.eof or unpacker.unconsumed_tail else _NO_END


def damage(page: bytes, *, strict: bool, shows_nothing: bool) -> str:
    """Return what is wrong with the content of a page, or nothing; ``page`` is a PDF of its own.

    A page that shows nothing is looked at more closely: one that is meant to be blank has no
    content, or instructions that draw nothing.
    """
    contents = _CONTENTS.search(page)
    references = b" ".join(filter(None, contents.groups())) if contents else b""
    streams = (_stream_of(page, number) for number in _REFERENCE.findall(references))
    for dictionary, stream in filter(None, streams):
        wrong = _complaint(stream) if _PACKED.search(dictionary) else ""
        if wrong and (strict or wrong not in _HABITS):
            return wrong
        if shows_nothing and (wrong := _why_nothing_is_drawn(dictionary, stream)):
            return wrong
    return ""


def _stream_of(page: bytes, number: bytes) -> tuple[bytes, bytes] | None:
    """Return the dictionary and the stream of a numbered object."""
    found = re.search(rb"\n%s 0 obj\s*(<<.*?>>)\s*stream(.*?)endstream" % number, page, re.DOTALL)
    return (found[1], _without_line_end(found[2])) if found else None


def _why_nothing_is_drawn(dictionary: bytes, stream: bytes) -> str:
    """Return what is wrong with instructions that draw nothing, or nothing if they are meant to."""
    if _PACKED.search(dictionary):
        with contextlib.suppress(zlib.error):
            stream = zlib.decompressobj().decompress(stream, _MOST_BYTES)
    elif _PACKED_OTHERWISE.search(dictionary):
        return ""
    if _DRAWS_AN_OBJECT.search(stream):
        return "what it draws is missing"
    not_printed = len(stream) - len(stream.translate(None, _NOT_PRINTED))
    return "it holds no instructions" if not_printed > _MOST_NOT_PRINTED * len(stream) else ""
