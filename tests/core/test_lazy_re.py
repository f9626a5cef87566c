"""Patterns that are compiled when they are first used are as good as compiled ones."""

import importlib
import pkgutil
import re

import pytest

from clerk.core import lazy_re


def test_a_pattern_is_compiled_when_it_is_first_used():
    lazy = lazy_re.compile(r"(?P<day>\d+)", re.IGNORECASE)
    assert lazy.pattern == r"(?P<day>\d+)"
    assert "search" not in vars(lazy)

    assert lazy.search("on the 12th")["day"] == "12"

    assert lazy.groupindex == {"day": 1}
    assert "search" in vars(lazy)


def test_a_wrong_pattern_is_refused_when_it_is_used():
    with pytest.raises(re.error):
        lazy_re.compile("(").search("")


def test_every_pattern_of_a_module_compiles():
    packages = ("extract", "identify")
    found = 0
    for each in packages:
        package = importlib.import_module(f"clerk.{each}")
        for module in pkgutil.iter_modules(package.__path__, f"{package.__name__}."):
            for value in vars(importlib.import_module(module.name)).values():
                if isinstance(value, lazy_re.LazyPattern):
                    re.compile(value.pattern, value._flags)
                    found += 1
    assert found > 100
