"""The rules for one annotation object, looked at value by value: the only place that knows them.

Works on plain JSON values, in PubAnnotation's order of checks, and says what is wrong in its words
where it has words for it (docs/annotations.md lists where ours are better).  Accepts what is merely
unusual: numbers as ids, begin and end beside the span, labels that are not strings ...
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Set
from itertools import count
from typing import Any

import msgspec

from .inspecting import show
from .model import LISTS, Attribute, CheckedObject, Denotation, Issue, Relation, Span

#: PubAnnotation's parser refuses deeper nesting.
MAX_DEPTH = 100

#: Keys that PubAnnotation and its editor write next to the annotations: read over, not stored.
IGNORED_KEYS = frozenset(
    (
        "config",
        "divid",
        "focus",
        "project",
        "section",
        "source_url",
        "target",
        "typesettings",
    )
)

#: Every other key might hold annotations under a wrong name.
KNOWN_KEYS = IGNORED_KEYS.union(
    LISTS, ("sourcedb", "sourceid", "text", "namespaces", "tracks", "modifications")
)

#: At most this many unknown keys are named.
_KEYS_NAMED = 5

#: Spellings of source databases that stand for one name.
_SOURCE_NAMES = {"pubmed": "PubMed", "pmc": "PMC", "firstauthors": "FirstAuthors"}

_WHITE_SPACE = (
    "\t\n\v\f\r \x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
    "\u2028\u2029\u202f\u205f\u3000"
)
_LONE_SURROGATE = re.compile(
    rb"(?<!\\)(?:\\\\)*"
    rb"(?:\\u[dD][89abAB][0-9a-fA-F]{2}(?!\\u[dD][c-fC-F])"
    rb"|(?<!\\u[dD][89abAB][0-9a-fA-F]{2})\\u[dD][c-fC-F][0-9a-fA-F]{2})"
)


class _Refusal(Exception):
    """The careful path's way out, with the code and message of the issue."""

    def __init__(self, code: str, message: str, detail: str = "") -> None:
        super().__init__(message)
        self.code = code
        self.detail = detail


def examine(data: bytes, file: str, line: int) -> CheckedObject | Issue:
    """Return the object in these bytes, or an issue with the first thing that is wrong."""
    value: Any = None
    try:
        value = _parse(data)
        found = _checked(value)
    except _Refusal as refusal:
        sourcedb, sourceid = document_of(value) or ("", "")
        return Issue(refusal.code, str(refusal), file, line, sourcedb, sourceid, refusal.detail)
    found.file, found.line = file, line
    return found


def source_name(sourcedb: str) -> str:
    """Return the name a source database is kept under."""
    return _SOURCE_NAMES.get(sourcedb.lower(), sourcedb)


def document_of(value: Any) -> tuple[str, str] | None:
    """Return the key of the document a JSON value is about, or None if it names none."""
    if not isinstance(value, dict):
        return None
    sourcedb, sourceid = value.get("sourcedb"), value.get("sourceid")
    if not isinstance(sourcedb, str) or type(sourceid) not in (str, int):
        return None
    if is_blank(sourcedb) or is_blank(sourceid):
        return None
    return source_name(sourcedb), str(sourceid)


def _parse(data: bytes) -> Any:
    try:
        value = msgspec.json.decode(data)
    except UnicodeDecodeError as error:
        raise _Refusal("invalid_utf8", "Invalid JSON format", f"not UTF-8: {error}") from None
    except RecursionError:
        raise _Refusal("too_deep", "Invalid JSON format", "nested too deeply") from None
    except msgspec.MsgspecError as error:
        if _LONE_SURROGATE.search(data):
            raise _Refusal(
                "lone_surrogate", "a string must not contain half of a surrogate pair.", str(error)
            ) from None
        raise _Refusal("invalid_json", "Invalid JSON format", str(error)) from None
    if depth_of(value) > MAX_DEPTH:
        raise _Refusal("too_deep", "Invalid JSON format", f"nested deeper than {MAX_DEPTH}")
    return value


def depth_of(value: Any) -> int:
    """How many containers lie in each other, found level by level without recursion."""
    depth = 0
    level = [value] if isinstance(value, (dict, list)) else []
    while level:
        depth += 1
        inner = (child for each in level for child in _children(each))
        level = [child for child in inner if isinstance(child, (dict, list))]
    return depth


def _children(container: Any) -> Iterable[Any]:
    return container.values() if isinstance(container, dict) else container


def is_blank(value: Any) -> bool:
    """Whether Rails calls it blank: nothing, false, empty, or only white space."""
    if isinstance(value, str):
        return not value or (value[0] in _WHITE_SPACE and not value.strip(_WHITE_SPACE))
    return value is None or value is False or value == [] or value == {}


def _checked(value: Any) -> CheckedObject:
    if isinstance(value, list):
        raise _Refusal("not_an_object", "JSON array format not supported")
    if not isinstance(value, dict):
        raise _Refusal("not_an_object", "annotations must be a hash.")
    found = _examine_head(value)
    _refuse_unknown_keys(value)
    length = len(found.text)
    denotations = _elements(value, "denotations", "denotation")
    found.denotations = [_denotation(each, length, "denotation") for each in denotations]
    ids = _Ids()
    ids.give(denotations, found.denotations, "T")
    blocks = _elements(value, "blocks", "block")
    found.blocks = [_denotation(each, length, "block") for each in blocks]
    block_ids = _Ids(ids.taken)
    block_ids.give(blocks, found.blocks, "B")
    relations = _elements(value, "relations", "relation")
    found.relations = [_relation(each, ids, block_ids) for each in relations]
    every_id = ids.together_with(block_ids)
    every_id.give(relations, found.relations, "R")
    attributes = _elements(value, "attributes", "attribute")
    found.attributes = [_attribute(each, every_id) for each in attributes]
    _Ids().give(attributes, found.attributes, "A")
    _refuse_modifications(value)
    _refuse_nul(found)
    return found


def _examine_head(value: dict[str, Any]) -> CheckedObject:
    sourcedb, sourceid, text = (value.get(key) for key in ("sourcedb", "sourceid", "text"))
    if is_blank(sourcedb) or is_blank(sourceid):
        raise _Refusal("missing_source", "sourcedb and sourceid are required")
    if is_blank(text):
        raise _Refusal("missing_text", "annotations must include a 'text'")
    if not isinstance(sourcedb, str):
        raise _Refusal("bad_source", f"'sourcedb' must be a string: {show(sourcedb)}.")
    if type(sourceid) not in (str, int):
        raise _Refusal("bad_source", f"'sourceid' must be a string: {show(sourceid)}.")
    if not isinstance(text, str):
        raise _Refusal("bad_text", f"'text' must be a string: {show(text)}.")
    return CheckedObject(
        sourcedb=source_name(sourcedb),
        sourceid=str(sourceid),
        text=text,
        namespaces=value.get("namespaces"),
        tracks=value.get("tracks"),
        given=frozenset(key for key in LISTS if isinstance(value.get(key), list)),
    )


def _refuse_unknown_keys(value: dict[str, Any]) -> None:
    """Refuse an object with a key that nobody reads: its annotations may be there."""
    unknown = sorted(value.keys() - KNOWN_KEYS)
    if unknown:
        named = ", ".join(f"'{show(key)[1:-1]}'" for key in unknown[:_KEYS_NAMED])
        more = f" and {len(unknown) - _KEYS_NAMED} more" if len(unknown) > _KEYS_NAMED else ""
        raise _Refusal(
            "unknown_key",
            f"unknown {'key' if len(unknown) == 1 else 'keys'} {named}{more}: "
            f"annotations belong under {', '.join(LISTS[:-1])} or {LISTS[-1]}.",
        )


def _elements(value: dict[str, Any], key: str, kind: str) -> list[dict[str, Any]]:
    """Return the annotations under the key; blank means none."""
    found = value.get(key)
    if is_blank(found):
        return []
    if not isinstance(found, list):
        raise _Refusal("not_an_array", f"'{key}' must be an array.")
    for each in found:
        if not isinstance(each, dict):
            article = "an" if kind[0] == "a" else "a"
            raise _Refusal("bad_annotation", f"{article} {kind} must be a hash: {show(each)}.")
    return found


def _denotation(raw: dict[str, Any], length: int, kind: str) -> Denotation:
    if is_blank(raw.get("obj")):
        raise _Refusal("missing_obj", f"a {kind} must have an 'obj'.")
    span = raw.get("span")
    if not is_blank(span):
        written = span if isinstance(span, list) else [span]
        spans = [_span(raw, each, length, kind) for each in written]
        return Denotation(spans if len(spans) > 1 else spans[0], raw["obj"])
    if is_blank(raw.get("begin")) or is_blank(raw.get("end")):
        message = f"a {kind} must have a 'span' or a pair of 'begin' and 'end'."
        raise _Refusal("missing_span", message)
    return Denotation(_span(raw, raw, length, kind), raw["obj"])


def _span(raw: dict[str, Any], span: Any, length: int, kind: str) -> Span:
    if not isinstance(span, dict):
        raise _Refusal("bad_span", f"The span of a {kind} must be a hash: {show(raw)}")
    begin, end = span.get("begin"), span.get("end")
    complaint = _complaint_about(begin, end, length, kind)
    if complaint:
        raise _Refusal("bad_span", f"{complaint}: {show(raw)}")
    return Span(begin, end)  # type: ignore[arg-type]  # the complaint is empty: two integers


def _complaint_about(begin: Any, end: Any, length: int, kind: str) -> str:
    if is_blank(begin) or is_blank(end):
        return f"The span of a {kind} must have both 'begin' and 'end'"
    if type(begin) is not int or type(end) is not int:
        return "The begin and end of a span must have integer values"
    if not 0 <= begin < length:
        return f"the begin value must be between 0 and {length - 1} (text length - 1)"
    if not 1 <= end <= length:
        return f"the end value must be between 1 and {length} (text length)"
    if begin >= end:
        return "the end value must be bigger than the begin value"
    return ""


class _Ids:
    """The ids of some annotations, as they were written (5 is not "5") and as they are kept."""

    def __init__(self, taken: Iterable[str] = ()) -> None:
        self.written: set[str | int] = set()
        self.taken = set(taken)

    def give(self, raw: list[dict[str, Any]], annotations: list[Any], letter: str) -> None:
        """Set the id of each annotation: its own, or the next free number."""
        for source, annotation in zip(raw, annotations, strict=True):
            annotation.id = self._kept(source, letter)
        for name in number_missing(annotations, letter, self.taken):
            if name in self.taken:
                raise _Refusal("duplicate_id", f"the id {show(name)} is used more than once.")
            self.taken.add(name)
        self.written.update(
            annotation.id if _is_missing(source) else source["id"]
            for source, annotation in zip(raw, annotations, strict=True)
        )

    def have(self, reference: Any) -> bool:
        """Whether an annotation has that id, written the same way."""
        return type(reference) in (str, int) and reference in self.written

    def together_with(self, others: _Ids) -> _Ids:
        """Return all ids of both."""
        both = _Ids(self.taken | others.taken)
        both.written = self.written | others.written
        return both

    @staticmethod
    def _kept(source: dict[str, Any], letter: str) -> str | None:
        if _is_missing(source):
            return None
        if type(source["id"]) not in (str, int):
            raise _Refusal("bad_id", f"an id must be a string: {show(source)}")
        return str(source["id"])


def _is_missing(source: dict[str, Any]) -> bool:
    written = source.get("id")
    return written == "" or (not isinstance(written, str) and is_blank(written))


def _relation(raw: dict[str, Any], denotations: _Ids, blocks: _Ids) -> Relation:
    subj, pred, obj = (raw.get(key) for key in ("subj", "pred", "obj"))
    if is_blank(subj) or is_blank(obj) or is_blank(pred):
        raise _Refusal("missing_field", "a relation must have 'subj', 'obj' and 'pred'.")
    if not any(ids.have(subj) and ids.have(obj) for ids in (denotations, blocks)):
        message = "'subj' and 'obj' of a relation must reference to denotations or blocks"
        raise _Refusal("dangling_reference", f"{message}: [{show(raw)}].")
    return Relation(str(subj), _predicate(raw), str(obj))


def _attribute(raw: dict[str, Any], ids: _Ids) -> Attribute:
    value = raw.get("obj")
    shown = {**raw, "obj": True} if value is None else raw
    if is_blank(raw.get("subj")) or is_blank(raw.get("pred")):
        raise _Refusal("missing_field", "An attribute must have 'subj', 'obj' and 'pred'.")
    if not ids.have(raw["subj"]):
        message = "The 'subj' of an attribute must reference to a denotation, a block or a relation"
        raise _Refusal("dangling_reference", f"{message}: [{show(shown)}].")
    return Attribute(str(raw["subj"]), _predicate(raw), True if value is None else value)


def _predicate(raw: dict[str, Any]) -> str:
    """Return the predicate; a number or true is kept as its JSON text."""
    pred = raw["pred"]
    if isinstance(pred, (dict, list)):
        raise _Refusal("bad_annotation", f"a 'pred' must be a string: [{show(raw)}].")
    return pred if isinstance(pred, str) else msgspec.json.encode(pred).decode()


def _refuse_modifications(value: dict[str, Any]) -> None:
    if _elements(value, "modifications", "modification"):
        raise _Refusal(
            "unsupported", "'modifications' are not supported: use attributes of what they modify."
        )


def _refuse_nul(found: CheckedObject) -> None:
    """Refuse what passes every JSON parser and breaks PostgreSQL."""
    if b"\\u0000" in msgspec.json.encode(found).replace(b"\\\\", b""):
        raise _Refusal("nul_character", "a string must not contain the NUL character (\\u0000).")


def number_missing(annotations: list[Any], letter: str, taken: Set[str]) -> list[str]:
    free = free_ids(letter, taken | {each.id for each in annotations if each.id})
    for each in annotations:
        each.id = each.id or next(free)
    return [each.id for each in annotations]


def free_ids(letter: str, taken: Set[str]) -> Iterator[str]:
    """Give the ids of that letter that are not taken, by number from 1."""
    return (name for number in count(1) if (name := f"{letter}{number}") not in taken)
