"""The module ``re``, whose patterns are compiled when they are first used.

To compile takes longer than to import, and a command or a document needs few of all patterns: write
``from clerk.core import lazy_re as re`` in a module with many of them.
"""

from __future__ import annotations

import re
from re import (
    DOTALL,
    IGNORECASE,
    MULTILINE,
    VERBOSE,
    I,
    M,
    Match,
    Pattern,
    S,
    X,
    escape,
    findall,
    finditer,
    fullmatch,
    match,
    search,
    split,
    sub,
)
from typing import Any, cast

__all__ = [
    "DOTALL",
    "IGNORECASE",
    "MULTILINE",
    "VERBOSE",
    "I",
    "M",
    "Match",
    "Pattern",
    "S",
    "X",
    "compile",
    "escape",
    "findall",
    "finditer",
    "fullmatch",
    "match",
    "search",
    "split",
    "sub",
]

_ATTRIBUTES = [name for name in dir(Pattern) if name[0] != "_" and name != "pattern"]


class LazyPattern:
    """What a compiled pattern is, from the first time it is asked for more than its source."""

    def __init__(self, source: str, flags: int) -> None:
        self.pattern = source
        self._flags = flags

    def __getattr__(self, name: str) -> Any:
        if name not in _ATTRIBUTES:
            raise AttributeError(f"a pattern has no attribute {name!r}")
        compiled = re.compile(self.pattern, self._flags)
        # From now on they are found without coming here.
        self.__dict__.update({each: getattr(compiled, each) for each in _ATTRIBUTES})
        return self.__dict__[name]

    def __repr__(self) -> str:
        return f"LazyPattern({self.pattern!r}, {self._flags})"


def compile(source: str, flags: int = 0) -> Pattern[str]:
    """Return a pattern that is compiled when it is first used; a wrong one is refused only then."""
    return cast("Pattern[str]", LazyPattern(source, flags))
