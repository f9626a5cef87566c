"""Every rule of the tables matches its own examples, and decides as it says."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from clerk.identify.days import RULES, DayRule
from clerk.identify.kinds import HEADINGS, OPENINGS, KindRule, heading_rule

EXAMPLES = Path(__file__).parent / "examples" / "title_blocks.txt"


@pytest.mark.parametrize(
    ("rule", "example"), [(rule, text) for rule in HEADINGS for text in rule.examples]
)
def test_a_heading_names_its_kind(rule: KindRule, example: str):
    found = heading_rule(example)

    assert found and found.kind == rule.kind


@pytest.mark.parametrize(
    ("rule", "example"), [(rule, text) for rule in OPENINGS for text in rule.examples]
)
def test_an_opening_matches_its_rule(rule: KindRule, example: str):
    assert rule.words.search(example)


@pytest.mark.parametrize(
    ("rule", "example"), [(rule, text) for rule in RULES for text in rule.examples]
)
def test_words_before_a_date_are_read_by_the_first_rule_that_fits(rule: DayRule, example: str):
    before = example[: example.index("@")]

    fitting = [each for each in RULES if not each.kinds or each.kinds & (rule.kinds or each.kinds)]
    assert next(each for each in fitting if each.before.search(before)).name == rule.name


def test_what_a_rule_needs_is_in_everything_it_matches():
    """On every line of the examples, with and without words around it."""
    lines = EXAMPLES.read_text(encoding="utf-8").lower().split("\n")
    lines += [text.lower() for rule in (*HEADINGS, *OPENINGS) for text in rule.examples]

    for rule in OPENINGS:
        matched = [line for line in lines if rule.words.search(line)]
        assert not [line for line in matched if not any(word in line for word in rule.needs)]
    for rule in HEADINGS:
        matched = [line for line in lines if rule.words.search(line)]
        begun = re.compile(r"(?<![^\W\d_])(?:" + "|".join(rule.needs) + ")")
        assert not [line for line in matched if not begun.search(line)]
    before = [text[: text.index("@")].lower() for rule in RULES for text in rule.examples]
    before += [line[:place] for line in lines for place in range(0, len(line), 5)]
    for day_rule in RULES:
        matched = [text for text in before if day_rule.before.search(text)]
        assert not [text for text in matched if not any(word in text for word in day_rule.needs)]


@pytest.mark.parametrize(
    "line",
    ["Approval of Minutes", "Citizens will have 3 minutes to speak", "Agenda Number: 7.2"],
)
def test_a_line_about_other_minutes_is_no_heading(line: str):
    assert heading_rule(line) is None


def test_no_rule_nests_repetitions_without_a_limit():
    patterns = [rule.words.pattern for rule in (*HEADINGS, *OPENINGS)]
    patterns += [rule.before.pattern for rule in RULES]

    assert not [each for each in patterns if re.search(r"[*+]\)[*+]", each)]
