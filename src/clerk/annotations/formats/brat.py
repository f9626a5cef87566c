"""brat's stand-off files: ``.txt`` with the text and ``.ann`` with a line for each annotation.

brat names things T1, R1, A1 and knows no labels with spaces, no blocks and no values but words.
Where an annotation does not fit it is written as well as it can be, and whole, as JSON, in a note
``ClerkNote`` beside it, from which it is read back.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import count
from typing import Any

import msgspec

from clerk.annotations.model import CheckedObject

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
        """Give the lines; references point back, as brat wants them."""
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
            return f"{_word(each['obj'])} {self._places(each['span'])}"
        if kind == "relations":
            ends = f"Arg1:{self._names[each['subj']]} Arg2:{self._names[each['obj']]}"
            return f"{_word(each['pred'])} {ends}"
        value = "" if each["obj"] is True else f" {_word(each['obj'])}"
        return f"{_word(each['pred'])} {self._names[each['subj']]}{value}"

    def _places(self, span: Any) -> str:
        spans = span if isinstance(span, list) else [span]
        quote = " ".join(self._text[each["begin"] : each["end"]] for each in spans)
        places = ";".join(f"{each['begin']} {each['end']}" for each in spans)
        return f"{places}\t{' '.join(quote.splitlines())}"

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
            reader.take(name, rest)
    return {"sourcedb": sourcedb, "sourceid": sourceid, "text": text, **reader.value()}


class _Reader:
    def __init__(self) -> None:
        self._lists: dict[str, dict[str, dict[str, Any]]] = {kind: {} for kind in _LETTERS}
        self._head: dict[str, Any] = {}
        self._triggers: dict[str, str] = {}
        self._kept: dict[str, dict[str, Any]] = {}

    def take(self, name: str, rest: str) -> None:
        """Take in one line."""
        what, _, more = rest.partition("\t")
        words = what.split()
        match name[0]:
            case "T":
                self._take_denotation(name, words)
            case "R":
                self._relate(name, words[0], *(_argument(word) for word in words[1:3]))
            case "E":
                self._take_event(name, words)
            case "A" | "M":
                value: Any = words[2] if len(words) > 2 else True
                self._describe(name, words[1], words[0], value)
            case "N":
                self._describe("", words[1], words[0], words[2])
            case "#":
                self._take_note(words, more)
            case "*":
                self._take_equivalence(words)

    def value(self) -> dict[str, Any]:
        """Return the lists; notes of clerk's own stand for the line they are about."""
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
                self._follow(each, ("subj", "obj") if kind == "relations" else ("subj",))
        return {**self._head, **found}

    def _follow(self, each: dict[str, Any], ends: tuple[str, ...]) -> None:
        if each.pop("whole", False):
            return
        for end in ends:
            name = self._triggers.get(each[end], each[end])
            each[end] = self._kept.get(name, {}).get("id", name)

    def _take_denotation(self, name: str, words: list[str]) -> None:
        places = " ".join(words[1:]).split(";")
        spans = [
            dict(zip(("begin", "end"), map(int, place.split()), strict=True)) for place in places
        ]
        self._lists["denotations"][name] = {"id": name, "span": spans, "obj": words[0]}

    def _relate(self, name: str, pred: str, subj: str, obj: str) -> None:
        relation = {"subj": subj, "pred": pred, "obj": obj}
        key = name or f"relation {len(self._lists['relations'])}"
        self._lists["relations"][key] = {"id": name, **relation} if name else relation

    def _take_event(self, name: str, words: list[str]) -> None:
        self._triggers[name] = trigger = _argument(words[0])
        for word in words[1:]:
            role, _, filler = word.partition(":")
            self._relate("", role, trigger, filler)

    def _take_equivalence(self, words: list[str]) -> None:
        for other in words[2:]:
            self._relate("", "Equiv", words[1], other)

    def _describe(self, name: str, subj: str, pred: str, value: Any) -> None:
        attribute = {"subj": subj, "pred": pred, "obj": value}
        key = name or f"attribute {len(self._lists['attributes'])}"
        self._lists["attributes"][key] = {"id": name, **attribute} if name else attribute

    def _take_note(self, words: list[str], more: str) -> None:
        if words[0] != _NOTE:
            self._describe("", words[1], words[0], more)
        elif words[1] == "document":
            self._head = msgspec.json.decode(more)
        else:
            self._kept[words[1]] = {**msgspec.json.decode(more), "whole": True}


def _argument(word: str) -> str:
    return word.rpartition(":")[2]
