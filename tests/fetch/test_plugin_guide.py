"""What docs/plugins.md shows works as it is written there."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path

import pytest

from clerk.core import plugins
from clerk.fetch.discover import registered

GUIDE = (Path(__file__).parents[2] / "docs" / "plugins.md").read_text()
BLOCKS = re.findall(r"```python\n(.*?)```", GUIDE, re.DOTALL)
NAMES = sorted(set(re.findall(r"`(clerk\.[\w.]+)`", GUIDE)))


@pytest.mark.parametrize("name", NAMES)
def test_every_module_and_class_it_names_exists(name):
    module, _, attribute = name.rpartition(".")

    assert hasattr(importlib.import_module(module), attribute) or importlib.util.find_spec(name)


@pytest.mark.parametrize("block", BLOCKS)
def test_every_example_can_be_loaded_as_a_plugin(block, tmp_path, monkeypatch):
    (tmp_path / "example.py").write_text(block)
    monkeypatch.setenv("CLERK_PLUGINS_DIR", str(tmp_path))
    plugins._build.cache_clear()

    try:
        assert registered()
        assert ("gazette" in registered()) == ("Gazette" in block)
    finally:
        plugins._build.cache_clear()
