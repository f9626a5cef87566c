"""The versions of this engine, apart from what reads pages: to load that takes a while."""

from __future__ import annotations

from typing import Final

#: Raise when the graph changes: networks kept on disk are then made again.
GRAPH_VERSION: Final = 3
#: Raise when the same network would read the same page differently.
READING_VERSION: Final = 4
