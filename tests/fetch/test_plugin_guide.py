"""What docs/plugins.md shows works as it is written there."""

from __future__ import annotations

import importlib.util
import json
import re
from datetime import UTC, datetime
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


def test_the_fetcher_of_the_guide_lists_a_recording(clerk, tmp_path, monkeypatch):
    (tmp_path / "gazette.py").write_text(next(block for block in BLOCKS if "Gazette" in block))
    monkeypatch.setenv("CLERK_PLUGINS_DIR", str(tmp_path))
    recording = tmp_path / "recording"
    recording.mkdir()
    (recording / "2024.html").write_text(
        """<ul id="meetings"><li data-number="7" data-day="2024-01-16T19:00"><b>Town Council</b>
        <a href="/pdf/7.pdf">Regular meeting</a></li></ul>"""
    )
    (recording / "empty.html").write_text("No meetings")
    host = "https://springfield.gazette.example"
    answers = [{"url": host, "name": "empty.html"}]
    answers += [
        {"url": f"{host}/minutes/{year}", "name": f"{'2024' if year == 2024 else 'empty'}.html"}
        for year in range(2024, 2101)
    ]
    (recording / "manifest.json").write_text(json.dumps(answers))

    said = clerk("fetch-test", str(recording), "--pages", "0", "--json")

    assert json.loads(said.out)["documents"] == [
        {
            "url": f"{host}/pdf/7.pdf",
            "kind": "minutes",
            "day": "2024-01-16",
            "body": "Town Council",
            "title": "Regular meeting",
            "format": "",
        }
    ]


def test_a_year_without_a_page_yet_does_not_end_the_listing(clerk, tmp_path, monkeypatch):
    (tmp_path / "gazette.py").write_text(next(block for block in BLOCKS if "Gazette" in block))
    monkeypatch.setenv("CLERK_PLUGINS_DIR", str(tmp_path))
    this_year = datetime.now(UTC).year
    host = "https://springfield.gazette.example"
    answers = [
        {"url": host, "name": "home.html"},
        {"url": f"{host}/minutes/{this_year}", "name": "year.html"},
    ]
    (tmp_path / "home.html").write_text("Gazette")
    (tmp_path / "year.html").write_text(
        f"""<ul id="meetings"><li data-number="7" data-day="{this_year}-01-16T19:00"><b>Council</b>
        <a href="/pdf/7.pdf">Regular meeting</a></li></ul>"""
    )
    (tmp_path / "manifest.json").write_text(json.dumps(answers))

    said = clerk("fetch-test", str(tmp_path))

    assert "1 meeting, 1 document" in said.out
    # What was asked for in vain is shown: the recording may be what is incomplete.
    assert f"not recorded: {host}/minutes/{this_year - 1}" in said.err
    assert "robots.txt" not in said.err


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
