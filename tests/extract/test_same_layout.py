"""Every excerpt of ``examples/`` is read alike however its page is set.

What a page loses by the way it is set is listed by name: the lists get shorter, never longer.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Callable

import pytest
from test_examples import EXAMPLES, Example, written

from clerk.extract import extract_text


def indented(text: str) -> str:
    """A margin of four characters."""
    return textwrap.indent(text, "    ")


def typed(text: str) -> str:
    """Two spaces behind every sentence, as on a typewriter."""
    return re.sub(r"(?<=[a-z][.;]) (?=[A-Z])", "  ", text)


def from_an_office(text: str) -> str:
    """What word processors and PDFs make of quotes, dashes, spaces and ends of lines."""
    text = re.sub(r"(?<=[a-z]) (?=[A-Z])", "\u00a0", text.replace(" - ", " \u2013 "))
    text = text.replace("'", "\u2019").replace(' "', " \u201c").replace('"', "\u201d")
    text = re.sub("(?<=[^\n])\n", " \r\n", text)
    return text + "\r\n\r\nThe Council discussed the weather and thanked the staff."


def narrow(text: str) -> str:
    """Sentences in lines of sixty characters; columns stay as they are."""
    lines: list[str] = []
    filled = False
    for line in text.split("\n"):
        columns = "  " in line or "|" in line
        if filled and line and not columns and len(lines[-1]) + len(line.split()[0]) >= 100:
            lines[-1] += f" {line}"
        else:
            lines.append(line)
        filled = not columns and len(line) > 75
    return "\n".join(
        line if "  " in line or "|" in line else textwrap.fill(line, 60, break_on_hyphens=False)
        for line in lines
    )


#: For each way to set a page, the excerpts that are then read otherwise.
READ_OTHERWISE: dict[Callable[[str], str], set[str]] = {
    indented: {
        "ballots: names between their number and their side",
        "ballots: so many yes votes",
        "places: 11",
        "places: the body did it by a vote",
        "talk: 15",
    },
    typed: {"ballots: misread names are those of the document"},
    from_an_office: {"ballots: line numbers in the margin are no counts"},
    narrow: {
        "assemble: an election that all agreed on, after one with a vote against",
        "names: surnames that are words, at the end of a list",
        "places: 76",
        "places: 114",
        "places: 175",
        "styles: lists without commas, with titles",
        "styles: not present is absent",
        "talk: 15",
        "talk: 48",
        "talk: a letter about earlier votes",
    },
}


def is_read_alike(example: Example, text: str) -> bool:
    votes = extract_text([text], is_minutes=not example.name.startswith("papers")).votes
    return [written(vote).replace("\u2019", "'") for vote in votes] == example.votes


@pytest.mark.parametrize("setting", READ_OTHERWISE, ids=lambda setting: setting.__name__)
def test_how_a_page_is_set_does_not_change_its_votes(setting: Callable[[str], str]) -> None:
    changed = [(each, setting(each.excerpt)) for each in EXAMPLES]

    otherwise = {
        example.name
        for example, text in changed
        if text != example.excerpt and not is_read_alike(example, text)
    }

    assert otherwise == READ_OTHERWISE[setting]
