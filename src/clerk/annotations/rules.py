"""The rules for one annotation object: the only module that knows them.

`decode` decodes straight into the structs of `model` and checks whole lists at once.  Whatever is
wrong or unusual goes to `decode_carefully`, which works on plain JSON values, in PubAnnotation's
order of checks.  It reports the first problem in PubAnnotation's words where there are any
(docs/annotations.md lists where ours are better) and accepts what is merely unusual: numbers as
ids, begin and end outside of a span, labels that are not strings.  Both come to the same result.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Set
from types import NoneType
from typing import Any

import msgspec

from .objects import (
    LISTS,
    Attribute,
    CheckedObject,
    Denotation,
    Issue,
    Relation,
    Span,
    free_ids,
)

#: PubAnnotation's parser refuses deeper nesting.
MAX_DEPTH = 100

#: Keys that PubAnnotation, its editor and common corpora write next to the annotations: ignored,
#: not stored.
IGNORED_KEYS = frozenset(
    (
        "authors",
        "config",
        "created_at",
        "date",
        "divid",
        "doi",
        "focus",
        "journal",
        "lang",
        "language",
        "pmcid",
        "pmid",
        "project",
        "section",
        "source_url",
        "target",
        "text_id",
        "title",
        "typesettings",
        "updated_at",
        "url",
        "year",
    )
)

#: Every other key might hold annotations under a wrong name.
KNOWN_KEYS = IGNORED_KEYS.union(
    LISTS, ("sourcedb", "sourceid", "text", "namespaces", "tracks", "modifications")
)

#: At most this many unknown keys are named.
_KEYS_NAMED = 5

#: Spellings of source databases that are stored under one name.
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

_SCALARS = frozenset((str, int, float, bool, NoneType))

#: Labels and predicates that passed the check; they are looked up more often than anything else.
_known_labels: set[str] = set()
_MAX_KNOWN_LABELS = 10_000


class _UploadedObject(msgspec.Struct, gc=False, kw_only=True, forbid_unknown_fields=True):
    """The fields of an object, and common ones that are not stored.

    Any other field is left to the careful path, which rejects it or checks its depth.
    """

    sourcedb: str
    sourceid: str
    text: str
    denotations: list[Denotation] | None = None
    blocks: list[Denotation] | None = None
    relations: list[Relation] | None = None
    attributes: list[Attribute] | None = None
    namespaces: Any = None
    tracks: Any = None
    modifications: Any = None
    target: str | None = None
    project: str | None = None
    divid: str | int | None = None
    section: str | None = None
    source_url: str | None = None


_decoder = msgspec.json.Decoder(_UploadedObject)


# ------------------------------------------------------------------------------ the fast path


def decode(data: bytes, *, file: str = "", line: int = 0) -> CheckedObject | Issue:
    """Return the object in these bytes with all ids set, or the issue why it is invalid."""
    try:
        written = _decoder.decode(data)
        found = CheckedObject(
            sourcedb=source_name(written.sourcedb),
            sourceid=written.sourceid,
            text=written.text,
            denotations=written.denotations or [],
            blocks=written.blocks or [],
            relations=written.relations or [],
            attributes=written.attributes or [],
            namespaces=written.namespaces,
            tracks=written.tracks,
            given=frozenset([key for key in LISTS if getattr(written, key) is not None]),
            file=file,
            line=line,
        )
        if written.modifications is None and b"\\u0000" not in data and _is_plain(found):
            return found
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError, TypeError):
        pass
    return decode_carefully(data, file, line)


def _is_plain(found: CheckedObject) -> bool:
    """Whether nothing about the object is wrong or unusual; also sets missing ids."""
    if is_blank(found.sourcedb) or is_blank(found.sourceid) or is_blank(found.text):
        return False
    for extra in (found.tracks, found.namespaces):
        if extra is not None and depth_of(extra) >= MAX_DEPTH:
            return False
    length = len(found.text)
    if not _has_plain_spans(found.denotations, length) or not _has_plain_spans(
        found.blocks, length
    ):
        return False

    ids = _set_ids(found.denotations, "T", frozenset())
    if ids is None:
        return False
    if relations := found.relations:
        # Relations between blocks are left to the careful path.
        resolved = ids.issuperset([each.subj for each in relations]) and ids.issuperset(
            [each.obj for each in relations]
        )
        if not resolved or not _are_plain_labels({each.pred for each in relations}):
            return False
    for some, letter in ((found.blocks, "B"), (relations, "R")):
        if some and ids is not None:
            ids = _set_ids(some, letter, ids)
    if ids is None:
        return False

    if not (attributes := found.attributes):
        return True
    types = {type(each.obj) for each in attributes}
    if not types <= _SCALARS or not ids.issuperset([each.subj for each in attributes]):
        return False
    if NoneType in types:
        for each in attributes:
            each.obj = True if each.obj is None else each.obj
    return (
        _are_plain_labels({each.pred for each in attributes})
        and _set_ids(attributes, "A", frozenset()) is not None
    )


def _has_plain_spans(denotations: list[Denotation], length: int) -> bool:
    if not denotations:
        return True
    spans: Any = [each.span for each in denotations]
    if list in set(map(type, spans)):
        if [] in spans:
            return False
        for each in denotations:
            if isinstance(each.span, list) and len(each.span) == 1:
                each.span = each.span[0]
        spans = [span for each in denotations for span in each.spans]
    return False not in [span.begin < span.end <= length for span in spans] and _are_plain_labels(
        {each.obj for each in denotations}
    )


def _are_plain_labels(labels: set[Any]) -> bool:
    """Whether all are strings that are not blank; caches them, because collections have few."""
    if labels <= _known_labels:
        return True
    if any(type(label) is not str or is_blank(label) for label in labels):
        return False
    if len(_known_labels) < _MAX_KNOWN_LABELS:
        _known_labels.update(labels)
    return True


def _set_ids(annotations: list[Any], letter: str, taken: Set[str]) -> set[str] | None:
    """Number what has no id; return all ids with those taken, or None if one is used twice."""
    ids = {each.id for each in annotations}
    if None in ids or "" in ids:
        ids = set(number_missing(annotations, letter, taken))
    if len(ids) != len(annotations) or not ids.isdisjoint(taken):
        return None
    ids.update(taken)
    return ids


# --------------------------------------------------------------------------- the careful path


class _Invalid(Exception):
    """Carries the code and message of the issue out of the careful path."""

    def __init__(self, code: str, message: str, detail: str = "") -> None:
        super().__init__(message)
        self.code = code
        self.detail = detail


def decode_carefully(data: bytes, file: str, line: int) -> CheckedObject | Issue:
    """Return the object in these bytes, or an issue with the first thing that is wrong."""
    value: Any = None
    try:
        value = _parse(data)
        found = _checked(value)
    except _Invalid as invalid:
        sourcedb, sourceid = document_of(value) or ("", "")
        return Issue(invalid.code, str(invalid), file, line, sourcedb, sourceid, invalid.detail)
    found.file, found.line = file, line
    return found


def source_name(sourcedb: str) -> str:
    """Return the name under which a source database is stored."""
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
        raise _Invalid("invalid_utf8", "Invalid JSON format", f"not UTF-8: {error}") from None
    except RecursionError:
        raise _Invalid("too_deep", "Invalid JSON format", "nested too deeply") from None
    except msgspec.MsgspecError as error:
        if _LONE_SURROGATE.search(data):
            raise _Invalid(
                "lone_surrogate", "a string must not contain half of a surrogate pair.", str(error)
            ) from None
        raise _Invalid("invalid_json", "Invalid JSON format", str(error)) from None
    if depth_of(value) > MAX_DEPTH:
        raise _Invalid("too_deep", "Invalid JSON format", f"nested deeper than {MAX_DEPTH}")
    return value


def depth_of(value: Any) -> int:
    """Return how deeply containers are nested, found level by level without recursion."""
    depth = 0
    level = [value] if isinstance(value, (dict, list)) else []
    while level:
        depth += 1
        level = [
            child
            for each in level
            for child in (each.values() if isinstance(each, dict) else each)
            if isinstance(child, (dict, list))
        ]
    return depth


def is_blank(value: Any) -> bool:
    """Whether Rails calls it blank: nothing, false, empty, or only white space."""
    if isinstance(value, str):
        return not value or (value[0] in _WHITE_SPACE and not value.strip(_WHITE_SPACE))
    return value is None or value is False or value == [] or value == {}


def _checked(value: Any) -> CheckedObject:
    if isinstance(value, list):
        raise _Invalid("not_an_object", "JSON array format not supported")
    if not isinstance(value, dict):
        raise _Invalid("not_an_object", "annotations must be a hash.")
    found = _checked_head(value)
    length = len(found.text)
    denotations = _elements(value, "denotations", "denotation")
    found.denotations = [_denotation(each, length, "denotation") for each in denotations]
    ids = _Ids()
    ids.assign(denotations, found.denotations, "T")
    blocks = _elements(value, "blocks", "block")
    found.blocks = [_denotation(each, length, "block") for each in blocks]
    block_ids = _Ids(ids.taken)
    block_ids.assign(blocks, found.blocks, "B")

    relations = _elements(value, "relations", "relation")
    for raw in relations:
        subj, pred, obj = (raw.get(key) for key in ("subj", "pred", "obj"))
        if is_blank(subj) or is_blank(obj) or is_blank(pred):
            raise _Invalid("missing_field", "a relation must have 'subj', 'obj' and 'pred'.")
        if not any(some.have(subj) and some.have(obj) for some in (ids, block_ids)):
            message = "'subj' and 'obj' of a relation must reference to denotations or blocks"
            raise _Invalid("dangling_reference", f"{message}: [{show(raw)}].")
        found.relations.append(Relation(str(subj), _predicate(raw), str(obj)))
    every_id = _Ids(ids.taken | block_ids.taken, ids.written | block_ids.written)
    every_id.assign(relations, found.relations, "R")

    attributes = _elements(value, "attributes", "attribute")
    for raw in attributes:
        obj = True if raw.get("obj") is None else raw["obj"]
        if is_blank(raw.get("subj")) or is_blank(raw.get("pred")):
            raise _Invalid("missing_field", "An attribute must have 'subj', 'obj' and 'pred'.")
        if not every_id.have(raw["subj"]):
            message = (
                "The 'subj' of an attribute must reference to a denotation, a block or a relation"
            )
            shown = show({**raw, "obj": obj})
            raise _Invalid("dangling_reference", f"{message}: [{shown}].")
        found.attributes.append(Attribute(str(raw["subj"]), _predicate(raw), obj))
    modifications = _elements(value, "modifications", "modification")
    for raw in modifications:
        if is_blank(raw.get("obj")) or is_blank(raw.get("pred")):
            raise _Invalid("missing_field", "A modification must have 'pred' and 'obj'.")
        if not every_id.have(raw["obj"]):
            message = (
                "The 'obj' of a modification must reference to a denotation, a block or a relation"
            )
            raise _Invalid("dangling_reference", f"{message}: [{show(raw)}].")
        found.attributes.append(Attribute(str(raw["obj"]), _predicate(raw), True))
    _Ids().assign([*attributes, *modifications], found.attributes, "A")

    # NUL passes every JSON parser and breaks PostgreSQL.
    if b"\\u0000" in msgspec.json.encode(found).replace(b"\\\\", b""):
        raise _Invalid("nul_character", "a string must not contain the NUL character (\\u0000).")
    return found


def _checked_head(value: dict[str, Any]) -> CheckedObject:
    """Return the object without its annotations; refuse keys that may hold annotations."""
    sourcedb, sourceid, text = (value.get(key) for key in ("sourcedb", "sourceid", "text"))
    if is_blank(sourcedb) or is_blank(sourceid):
        raise _Invalid("missing_source", "sourcedb and sourceid are required")
    if is_blank(text):
        raise _Invalid("missing_text", "annotations must include a 'text'")
    if not isinstance(sourcedb, str):
        raise _Invalid("bad_source", f"'sourcedb' must be a string: {show(sourcedb)}.")
    if type(sourceid) not in (str, int):
        raise _Invalid("bad_source", f"'sourceid' must be a string: {show(sourceid)}.")
    if not isinstance(text, str):
        raise _Invalid("bad_text", f"'text' must be a string: {show(text)}.")
    unknown = sorted(value.keys() - KNOWN_KEYS)
    if unknown:
        named = ", ".join(f"'{show(key)[1:-1]}'" for key in unknown[:_KEYS_NAMED])
        more = f" and {len(unknown) - _KEYS_NAMED} more" if len(unknown) > _KEYS_NAMED else ""
        raise _Invalid(
            "unknown_key",
            f"unknown {'key' if len(unknown) == 1 else 'keys'} {named}{more}: "
            f"annotations belong under {', '.join(LISTS[:-1])} or {LISTS[-1]}.",
        )
    return CheckedObject(
        sourcedb=source_name(sourcedb),
        sourceid=str(sourceid),
        text=text,
        namespaces=value.get("namespaces"),
        tracks=value.get("tracks"),
        given=frozenset(
            "attributes" if key == "modifications" else key
            for key in (*LISTS, "modifications")
            if isinstance(value.get(key), list)
        ),
    )


def _elements(value: dict[str, Any], key: str, kind: str) -> list[dict[str, Any]]:
    """Return the annotations under the key; blank means none."""
    found = value.get(key)
    if is_blank(found):
        return []
    if not isinstance(found, list):
        raise _Invalid("not_an_array", f"'{key}' must be an array.")
    for each in found:
        if not isinstance(each, dict):
            article = "an" if kind[0] == "a" else "a"
            raise _Invalid("bad_annotation", f"{article} {kind} must be a hash: {show(each)}.")
    return found


def _denotation(raw: dict[str, Any], length: int, kind: str) -> Denotation:
    if is_blank(raw.get("obj")):
        raise _Invalid("missing_obj", f"a {kind} must have an 'obj'.")
    span = raw.get("span")
    if not is_blank(span):
        written = span if isinstance(span, list) else [span]
        spans = [_span(raw, each, length, kind) for each in written]
        return Denotation(spans if len(spans) > 1 else spans[0], raw["obj"])
    if is_blank(raw.get("begin")) or is_blank(raw.get("end")):
        message = f"a {kind} must have a 'span' or a pair of 'begin' and 'end'."
        raise _Invalid("missing_span", message)
    return Denotation(_span(raw, raw, length, kind), raw["obj"])


def _span(raw: dict[str, Any], span: Any, length: int, kind: str) -> Span:
    if not isinstance(span, dict):
        raise _Invalid("bad_span", f"The span of a {kind} must be a hash: {show(raw)}")
    begin, end = span.get("begin"), span.get("end")
    if is_blank(begin) or is_blank(end):
        problem = f"The span of a {kind} must have both 'begin' and 'end'"
    elif type(begin) is not int or type(end) is not int:
        problem = "The begin and end of a span must have integer values"
    elif not 0 <= begin < length:
        problem = f"the begin value must be between 0 and {length - 1} (text length - 1)"
    elif not 1 <= end <= length:
        problem = f"the end value must be between 1 and {length} (text length)"
    elif begin >= end:
        problem = "the end value must be bigger than the begin value"
    else:
        return Span(begin, end)
    raise _Invalid("bad_span", f"{problem}: {show(raw)}")


def _predicate(raw: dict[str, Any]) -> str:
    """Return the predicate; a number or true is kept as its JSON text."""
    pred = raw["pred"]
    if isinstance(pred, (dict, list)):
        raise _Invalid("bad_annotation", f"a 'pred' must be a string: [{show(raw)}].")
    return pred if isinstance(pred, str) else msgspec.json.encode(pred).decode()


class _Ids:
    """The ids of some annotations, as they were written (5 is not "5") and as they are stored."""

    def __init__(self, taken: Iterable[str] = (), written: Iterable[str | int] = ()) -> None:
        self.written = set(written)
        self.taken = set(taken)

    def assign(self, raw: list[dict[str, Any]], annotations: list[Any], letter: str) -> None:
        """Set the id of each annotation: its own, or the next free number."""
        given = [
            None
            if written == "" or (not isinstance(written, str) and is_blank(written))
            else written
            for written in (source.get("id") for source in raw)
        ]
        for source, name, annotation in zip(raw, given, annotations, strict=True):
            if name is not None and type(name) not in (str, int):
                raise _Invalid("bad_id", f"an id must be a string: {show(source)}")
            annotation.id = None if name is None else str(name)
        for name in number_missing(annotations, letter, self.taken):
            if name in self.taken:
                raise _Invalid("duplicate_id", f"the id {show(name)} is used more than once.")
            self.taken.add(name)
        for name, annotation in zip(given, annotations, strict=True):
            self.written.add(annotation.id if name is None else name)

    def have(self, reference: Any) -> bool:
        """Whether an annotation has that id, written the same way."""
        return type(reference) in (str, int) and reference in self.written


def number_missing(annotations: list[Any], letter: str, taken: Set[str]) -> list[str]:
    """Number the annotations that have no id, and return the ids of all."""
    free = free_ids(letter, taken | {each.id for each in annotations if each.id})
    for each in annotations:
        each.id = each.id or next(free)
    return [each.id for each in annotations]


# ------------------------------------------------------------------------ values in messages

#: Longer values are cut in messages: an annotation may hold megabytes.
MAX_SHOWN = 2000

_PLAIN_KEY = re.compile(r"[^\W\d]\w*[?!=]?")
_ESCAPES = {
    '"': '\\"',
    "\\": "\\\\",
    "\n": "\\n",
    "\t": "\\t",
    "\r": "\\r",
    "\f": "\\f",
    "\v": "\\v",
    "\b": "\\b",
    "\a": "\\a",
    "\x1b": "\\e",
}
_INTERPOLATION = re.compile(r"#(?=[{$@])")


def show(value: Any) -> str:
    """Return the value in Ruby's notation, cut when it is very long.

    PubAnnotation's messages contain the invalid annotation as ``{:id=>"T1", :obj=>nil}``; ours
    can be compared with them.
    """
    shown = _in_ruby(value)
    return shown if len(shown) <= MAX_SHOWN else shown[:MAX_SHOWN] + "..."


def _in_ruby(value: Any) -> str:
    match value:
        case None:
            return "nil"
        case bool():
            return "true" if value else "false"
        case str():
            return _quoted(value)
        case float():
            # Ruby writes 1.0e+16 where Python writes 1e+16.
            mantissa, mark, exponent = repr(value).partition("e")
            return f"{mantissa}{'' if '.' in mantissa else '.0'}e{exponent}" if mark else mantissa
        case dict():
            pairs = (
                f":{key if _PLAIN_KEY.fullmatch(key) else _quoted(key)}=>{_in_ruby(item)}"
                for key, item in value.items()
            )
            return "{" + ", ".join(pairs) + "}"
        case list():
            return "[" + ", ".join(map(_in_ruby, value)) + "]"
        case _:
            return str(value)


def _quoted(text: str) -> str:
    shown = []
    for char in text[: MAX_SHOWN + 1]:
        code = ord(char)
        if char in _ESCAPES:
            shown.append(_ESCAPES[char])
        elif char.isprintable():
            shown.append(char)
        else:
            shown.append(f"\\u{code:04X}" if code <= 0xFFFF else f"\\u{{{code:X}}}")
    return '"' + _INTERPOLATION.sub(r"\\#", "".join(shown)) + '"'
