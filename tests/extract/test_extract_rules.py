"""Every rule reads the examples it is listed with, and no rule is listed without one."""

from __future__ import annotations

import pytest

from clerk.extract import ballots, motions, outcomes
from clerk.extract.cues import Rule, document_text, find_cues

RULES = (*motions.MOTION_RULES, *motions.SECOND_RULES, *outcomes.RULES, *ballots.RULES)


@pytest.mark.parametrize(
    ("rule", "example"),
    [
        pytest.param(rule, example, id=f"{rule.read.__name__}: {example}")
        for rule in RULES
        for example in rule.examples
    ],
)
def test_a_rule_reads_its_examples(rule: Rule, example: str) -> None:
    assert list(find_cues([rule], document_text([example])))


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.read.__name__)
def test_a_rule_has_an_example_and_reads_nothing_in_other_text(rule: Rule) -> None:
    assert rule.examples
    assert not list(find_cues([rule], document_text(["The library is open on Mondays."])))
