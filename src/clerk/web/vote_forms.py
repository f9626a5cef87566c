"""The form with the fields of a vote: filled with what is published, read for what is changed."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from clerk.annotations.corrections import FieldValue, VoteFields
from clerk.core.errors import InvalidInput
from clerk.core.language import Message
from clerk.core.public_text import document_text
from clerk.extract import RESULTS
from clerk.site_db.queries import CompiledVote

from .parameters import one_of

#: The lists of names, with the ballot of each in the database.
LISTS = {
    "ayes": "aye",
    "noes": "no",
    "abstain": "abstain",
    "absent": "absent",
    "recused": "recused",
}
TALLY = ("yes", "no", "abstain")
_LONGEST, _MOST_NAMES, _LONGEST_NAME, _MOST_VOTES = 2_000, 200, 100, 10_000
_BETWEEN_NAMES = re.compile(r"\s*[,;\n]\s*")


@dataclass(frozen=True)
class FormField:
    """A field of a vote as a form shows it: empty if its value is not certain."""

    name: str
    title: str
    value: str
    doubtful: bool
    #: What can be chosen from; empty if anything can be written.
    choices: tuple[str, ...] = ()


def form_fields(vote: CompiledVote) -> list[FormField]:
    """Return the fields of a vote, filled with what is published as a fact."""
    shown = {
        "result": vote.result,
        **{name: getattr(vote, name) for name in ("motion", "mover", "seconder")},
    }
    titles = {"result": "Result", "motion": "Motion", "mover": "Moved by", "seconder": "Second"}
    found = [
        FormField(
            name,
            titles[name],
            "" if name in vote.doubtful else document_text(value or ""),
            name in vote.doubtful,
            RESULTS if name == "result" else (),
        )
        for name, value in shown.items()
    ]
    titles = {"ayes": "Ayes", "noes": "Noes", "abstain": "Abstained"}
    found += [
        FormField(
            name,
            titles.get(name, name.capitalize()),
            document_text(", ".join(vote.ballots.get(ballot, ()))),
            "names" in vote.doubtful,
        )
        for name, ballot in LISTS.items()
    ]
    certain = vote.tally if vote.tally and "tally" not in vote.doubtful else {}
    found += [
        FormField(
            f"tally_{name}", f"Number: {name}", str(certain.get(name, "")), "tally" in vote.doubtful
        )
        for name in TALLY
    ]
    titles = {"item": "Agenda item", "item_title": "Title of the item"}
    found += [
        FormField(
            name,
            title,
            "" if "item" in vote.doubtful else document_text(getattr(vote, name) or ""),
            "item" in vote.doubtful,
        )
        for name, title in titles.items()
    ]
    return found


def proposed_form_fields(fields: VoteFields) -> list[FormField]:
    """Return the fields that a report proposes."""
    found = []
    for name, value in fields.items():
        if name == "tally" and isinstance(value, dict):
            found += [
                FormField(f"tally_{each}", f"Number: {each}", str(value.get(each, "")), False)
                for each in TALLY
            ]
        elif name != "is_none":
            written = ", ".join(value) if isinstance(value, list) else str(value or "")
            choices = RESULTS if name == "result" else ()
            title = name.replace("_", " ").capitalize()
            found.append(FormField(name, title, written, False, choices))
    return found


def read_form(form: Mapping[str, object], shown: list[FormField] | None) -> dict[str, FieldValue]:
    """Return the fields that are not as they were shown, or all if nothing was."""
    if form.get("is_none"):
        return {"is_none": True}
    before = {each.name: each.value for each in shown or ()}
    asked = {
        name: str(form[name]).replace("\r", "").strip()
        for name in ("result", "motion", "mover", "seconder", "item", "item_title", *LISTS)
        if name in form
    }
    changed = {
        name: value for name, value in asked.items() if shown is None or value != before.get(name)
    }
    fields: dict[str, FieldValue] = {}
    for name, value in changed.items():
        if len(value) > _LONGEST:
            raise InvalidInput(Message("A value is longer than %(most)s letters.", most=_LONGEST))
        if name in LISTS:
            names = [each for each in _BETWEEN_NAMES.split(value) if each]
            if len(names) > _MOST_NAMES or any(len(each) > _LONGEST_NAME for each in names):
                raise InvalidInput(Message("Separate names with commas."))
            fields[name] = names
        elif name == "result":
            fields |= {name: one_of(name, value, RESULTS)} if value else {}
        else:
            fields[name] = value or None
    numbers = {name: str(form.get(f"tally_{name}", "")).strip() for name in TALLY}
    if any(value != before.get(f"tally_{name}", "") for name, value in numbers.items()):
        if not all(
            value == "" or (value.isascii() and value.isdigit() and int(value) < _MOST_VOTES)
            for value in numbers.values()
        ):
            raise InvalidInput(Message("The numbers of votes must be whole numbers."))
        counts = {name: int(value) for name, value in numbers.items() if value}
        fields["tally"] = counts or None
    return fields
