"""What a run needs, loaded once: each process that is forked for a run would do so again.

That is half of the processor time of a run with a few documents.
"""

from __future__ import annotations

import contextlib
import importlib
from functools import cache

from clerk.core import config
from clerk.core.errors import ClerkError
from clerk.extract import extract_text
from clerk.publish.static_site.theme import load_theme


@cache
def prepare_to_fork() -> None:
    """Import what is imported late, and compile the patterns and templates."""
    for name in ("clerk.pipeline.search_index", "onnxruntime", "pagefind_bin", "tesserocr"):
        with contextlib.suppress(ModuleNotFoundError):
            importlib.import_module(name)
    extract_text(["Moved by Ms. Abel, seconded by Mr. Ames, to adopt it.  Carried 4 to 1."])
    # The settings of a test may be wrong on purpose.
    with contextlib.suppress(ClerkError):
        templates = load_theme(config.load()).environment("en")
        # Those of a theme's "default" folder are the same ones again.
        for name in templates.list_templates(filter_func=lambda name: "/" not in name):
            templates.get_template(name)
