"""brat's stand-off files: ``.txt`` with the text and ``.ann`` with a line for each annotation.

brat names annotations T1, R1, A1 and has no labels with spaces, no blocks and no values but words.
An annotation that does not fit is written as closely as possible, and completely, as JSON, in a
note ``ClerkNote`` that follows it, from which it is read back.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import count
from typing import Any

import msgspec

from clerk.annotations.objects import CheckedObject

from .pubannotation import to_value

_WORD = re.compile(r"[\w-]+")
_NOT_WORD = re.compile(r"[^\w-]+")
_NOTE = "ClerkNote"
_LETTERS = {"denotations": "T", "blocks": "T", "relations": "R", "attributes": "A"}


def dump(found: CheckedObject) -> tuple[str, str]:
    """Return the content of the text file and of the annotation file."""
    return found.text, "".join(f"{line}\n" for line in _Writer(found).lines())


class _Writer:
    def __init__(self, found: CheckedObject) -> None:
        self._value = to_value(found)
        self._text = found.text
        self._names: dict[str, str] = {}
        self._notes = count(1)

    def lines(self) -> Iterator[str]:
        """Yield the lines; references point back, as brat requires."""
        numbers = {letter: count(1) for letter in "TRA"}
        head = {
            key: self._value[key]
            for key in ("sourcedb", "sourceid", "namespaces")
            if key in self._value
        }
        yield f"#{next(self._notes)}\t{_NOTE} document\t{_json(head)}"
        for kind, letter in _LETTERS.items():
            for each in self._value.get(kind, []):
                name = f"{letter}{next(numbers[letter])}"
                if kind != "attributes":
                    self._names[each["id"]] = name
                line = self._line(kind, each)
                yield f"{name}\t{line}"
                if name != each["id"] or not self._fits(kind, each):
                    whole = {"kind": kind, **each}
                    yield f"#{next(self._notes)}\t{_NOTE} {name}\t{_json(whole)}"

    def _line(self, kind: str, each: dict[str, Any]) -> str:
        if kind in ("denotations", "blocks"):
            spans = each["span"] if isinstance(each["span"], list) else [each["span"]]
            places = ";".join(f"{span['begin']} {span['end']}" for span in spans)
            quote = " ".join(self._text[span["begin"] : span["end"]] for span in spans)
            return f"{_word(each['obj'])} {places}\t{' '.join(quote.splitlines())}"
        if kind == "relations":
            ends = f"Arg1:{self._names[each['subj']]} Arg2:{self._names[each['obj']]}"
            return f"{_word(each['pred'])} {ends}"
        value = "" if each["obj"] is True else f" {_word(each['obj'])}"
        return f"{_word(each['pred'])} {self._names[each['subj']]}{value}"

    def _fits(self, kind: str, each: dict[str, Any]) -> bool:
        """Whether brat's line says everything."""
        if kind == "blocks":
            return False
        words = [each["obj"]] if kind == "denotations" else [each["pred"]]
        if kind == "attributes" and each["obj"] is not True:
            words.append(each["obj"])
        return all(isinstance(word, str) and _WORD.fullmatch(word) for word in words)


def _json(value: Any) -> str:
    return msgspec.json.encode(value).decode()


def _word(value: Any) -> str:
    shown = value if isinstance(value, str) else _json(value)
    return _NOT_WORD.sub("_", shown) or "_"


def load(text: str, annotations: str, sourcedb: str = "", sourceid: str = "") -> dict[str, Any]:
    """Return the object in a pair of files.

    Events become relations from their trigger to their arguments, equivalences relations ``Equiv``,
    normalisations and notes attributes.
    """
    reader = _Reader()
    for line in annotations.split("\n"):
        name, _, rest = line.partition("\t")
        if name and rest:
            reader.read(name, rest)
    return {"sourcedb": sourcedb, "sourceid": sourceid, "text": text, **reader.value()}


class _Reader:
    def __init__(self) -> None:
        self._lists: dict[str, dict[str, dict[str, Any]]] = {kind: {} for kind in _LETTERS}
        self._head: dict[str, Any] = {}
        self._triggers: dict[str, str] = {}
        self._kept: dict[str, dict[str, Any]] = {}

    def read(self, name: str, rest: str) -> None:
        """Read one line."""
        what, _, more = rest.partition("\t")
        words = what.split()
        match name[0]:
            case "T":
                spans = [
                    dict(zip(("begin", "end"), map(int, place.split()), strict=True))
                    for place in " ".join(words[1:]).split(";")
                ]
                self._lists["denotations"][name] = {"id": name, "span": spans, "obj": words[0]}
            case "R":
                self._relate(name, words[0], *(_argument(word) for word in words[1:3]))
            case "E":
                self._triggers[name] = trigger = _argument(words[0])
                for word in words[1:]:
                    role, _, filler = word.partition(":")
                    self._relate("", role, trigger, filler)
            case "A" | "M":
                value: Any = words[2] if len(words) > 2 else True
                self._describe(name, words[1], words[0], value)
            case "N":
                self._describe("", words[1], words[0], words[2])
            case "#" if words[0] != _NOTE:
                self._describe("", words[1], words[0], more)
            case "#" if words[1] == "document":
                self._head = msgspec.json.decode(more)
            case "#":
                self._kept[words[1]] = {**msgspec.json.decode(more), "whole": True}
            case "*":
                for other in words[2:]:
                    self._relate("", "Equiv", words[1], other)

    def value(self) -> dict[str, Any]:
        """Return the lists; a note of clerk's own replaces the line it is about."""
        for name, whole in self._kept.items():
            kind = whole.pop("kind")
            for other in self._lists.keys() - {kind}:
                self._lists[other].pop(name, None)
            self._lists[kind][name] = whole
        found = {
            kind: list(each.values())
            for kind, each in self._lists.items()
            if each or kind == "denotations"
        }
        for kind in ("relations", "attributes"):
            for each in found.get(kind, []):
                if each.pop("whole", False):
                    continue
                for end in ("subj", "obj") if kind == "relations" else ("subj",):
                    name = self._triggers.get(each[end], each[end])
                    each[end] = self._kept.get(name, {}).get("id", name)
        return {**self._head, **found}

    def _relate(self, name: str, pred: str, subj: str, obj: str) -> None:
        relation = {"subj": subj, "pred": pred, "obj": obj}
        key = name or f"relation {len(self._lists['relations'])}"
        self._lists["relations"][key] = {"id": name, **relation} if name else relation

    def _describe(self, name: str, subj: str, pred: str, value: Any) -> None:
        attribute = {"subj": subj, "pred": pred, "obj": value}
        key = name or f"attribute {len(self._lists['attributes'])}"
        self._lists["attributes"][key] = {"id": name, **attribute} if name else attribute


def _argument(word: str) -> str:
    return word.rpartition(":")[2]
