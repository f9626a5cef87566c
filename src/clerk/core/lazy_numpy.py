"""The module ``numpy``, which is loaded when something of it is first used.

To load it takes as long as half of a run without changes, and few commands compare texts: in a
module that most of them load, write ``from clerk.core import lazy_numpy as np`` unless
``TYPE_CHECKING``.
"""

from __future__ import annotations

from typing import Any


def __getattr__(name: str) -> Any:
    import numpy

    # From now on it is found without coming here.
    value = globals()[name] = getattr(numpy, name)
    return value
