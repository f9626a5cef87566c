"""A site whose settings are not a JSON object is named, and does not hide other sites."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from databases import sqlite_daily
from small_work import hurry

from clerk.core import config, db
from clerk.core.errors import BadSetting
from clerk.core.run_options import NO_OPTIONS
from clerk.core.states import Run
from clerk.executors import embedded
from clerk.pipeline import runs, sites, steps
from clerk.pipeline.flow import Pipeline

SAID = "The extra settings of springfield are not a JSON object"


@pytest.fixture
def site(make_site: Callable[..., str], storage: Path) -> str:
    make_site("shelbyville", scraper="folder", extra="{}")
    return make_site(scraper="folder", extra='{"source": "half of')


def test_a_listing_works_and_shows_it(site: str, clerk: Callable[..., Any]) -> None:
    listed = {each["subdomain"]: each for each in json.loads(clerk("site", "list", "--json").out)}
    shown = clerk("site", "show", site)

    assert listed[site]["outcome"] == sites.BAD_SETTINGS
    assert listed["shelbyville"]["outcome"] == "new"
    assert (shown.code, SAID in shown.out) == (0, True)


@sqlite_daily
@pytest.mark.parametrize("extra", ['["a", "list"]', "7", "not JSON"])
def test_reading_options_are_refused_by_the_name_of_the_site(
    make_site: Callable[..., str], extra: str
) -> None:
    make_site(extra=extra)
    with db.reading_connection() as conn:
        row = db.require_site(conn, "springfield")

    with pytest.raises(BadSetting, match=SAID):
        steps.engine_of(row, NO_OPTIONS, config.load())


def test_its_run_fails_with_that_reason(site: str, monkeypatch: pytest.MonkeyPatch) -> None:
    hurry(monkeypatch)
    monkeypatch.setenv("CLERK_WORKERS", "1")
    run_id = runs.start(config.load(), site)

    embedded.run(Pipeline(config.load()), config.load(), done=lambda: not runs.Unfinished([run_id]))

    ended = runs.summarise(run_id)
    assert ended.state == Run.FAILED
    assert [SAID in each.error for each in ended.failures] == [True]
    assert ended.failures[0].error.startswith("SiteMisconfigured: ")


def test_it_can_be_edited_and_removed(site: str, clerk: Callable[..., Any], tmp_path: Path) -> None:
    assert clerk("site", "edit", site, "--from", str(tmp_path)).code == 0
    assert json.loads(clerk("site", "show", site, "--json").out)["source"] == str(tmp_path)

    with db.civic_db_connection() as conn:
        db.update_site(conn, site, {"extra": "half"})
    assert clerk("site", "remove", site, "--yes").code == 0
