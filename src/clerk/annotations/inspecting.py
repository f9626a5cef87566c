"""Values as PubAnnotation's messages show them, so that a message can be compared with its own.

Its messages embed the offending annotation in the notation of Ruby: ``{:id=>"T1", :obj=>nil}``.
"""

from __future__ import annotations

import re
from typing import Any

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

#: Longer values are cut in messages: an annotation may hold megabytes.
MAX_SHOWN = 2000


def show(value: Any) -> str:
    """Return the value in Ruby's notation, cut when it is very long."""
    shown = _inspect(value)
    return shown if len(shown) <= MAX_SHOWN else shown[:MAX_SHOWN] + "..."


def _inspect(value: Any) -> str:
    match value:
        case None:
            return "nil"
        case bool():
            return "true" if value else "false"
        case str():
            return _quoted(value)
        case float():
            return _decimal(value)
        case dict():
            return "{" + ", ".join(f"{_key(k)}=>{_inspect(v)}" for k, v in value.items()) + "}"
        case list():
            return "[" + ", ".join(map(_inspect, value)) + "]"
        case _:
            return str(value)


def _key(name: str) -> str:
    return f":{name}" if _PLAIN_KEY.fullmatch(name) else f":{_quoted(name)}"


def _quoted(text: str) -> str:
    escaped = "".join(_ESCAPES.get(char) or _printable(char) for char in text[: MAX_SHOWN + 1])
    return '"' + _INTERPOLATION.sub(r"\\#", escaped) + '"'


def _printable(char: str) -> str:
    if char.isprintable() or char == " ":
        return char
    code = ord(char)
    return f"\\u{code:04X}" if code <= 0xFFFF else f"\\u{{{code:X}}}"


def _decimal(number: float) -> str:
    """Write a float as Ruby does: 1.0e+16 where Python writes 1e+16."""
    mantissa, mark, exponent = repr(number).partition("e")
    return f"{mantissa}{'' if '.' in mantissa else '.0'}e{exponent}" if mark else mantissa
