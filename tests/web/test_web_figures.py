"""Whatever a command shows has the same number on its page, in the metrics and in the API."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from html import unescape
from typing import Any

import pytest
from small_work import Town, hurry, work_embedded
from web_town import Browser

from clerk.core import config
from clerk.ops.web_sessions import VIEWER
from clerk.pipeline import reconcile

Said = Callable[..., Any]


@pytest.fixture
def town(make_site: Callable[..., str], monkeypatch: pytest.MonkeyPatch) -> Town:
    """A site of which two documents were read and one failed, beside one that waits for a run."""
    hurry(monkeypatch)
    town = Town(make_site(subdomain="springfield"))
    town.pdfs(2)
    town.pdf("2024-02-01", "bad")
    town.start()
    work_embedded()
    waiting = Town(make_site(subdomain="shelbyville"))
    waiting.pdfs(3)
    waiting.start()
    for _ in reconcile.reconcile(config.load()):
        pass
    return town


def rows(html: str) -> list[list[str]]:
    """Return the cells of every row of every table, as people read them."""
    return [
        [_read(cell) for cell in re.findall(r"<t[dh].*?>(.*?)</t[dh]>", row, re.DOTALL)]
        for row in re.findall(r"<tr.*?>(.*?)</tr>", html, re.DOTALL)
    ]


def row_of(html: str, first: str) -> list[str]:
    return next(row for row in rows(html) if row and row[0] == first)


def _read(cell: str) -> str:
    return unescape(re.sub(r"<.*?>", "", cell)).replace("\u202f", "").strip()


def tiles(html: str) -> dict[str, str]:
    """Return the figures at the top of a page by their names."""
    found = re.findall(r'<li class="tile">(.*?)<b.*?>(.*?)</b>', html, re.DOTALL)
    return {_read(name): _read(figure) for name, figure in found}


def metrics() -> dict[str, float]:
    lines = Browser(VIEWER).get("/metrics").text.splitlines()
    return {
        name: float(value)
        for name, _, value in (line.rpartition(" ") for line in lines if line[0] != "#")
    }


def test_overview_has_the_figures_of_pipeline_status(town: Town, clerk: Said) -> None:
    said = json.loads(clerk("pipeline-status", "--json").out)
    html = Browser(VIEWER).get("/ops/").text

    for each in said["progress"]:
        active = said["active"][each["stage"]]
        _, sites, _, done, failed, waiting, running = row_of(html, each["stage"])
        assert sites == str(each["sites"])
        assert done == f"{each['completed']} / {each['total']}"
        assert failed == str(each["failed"])
        assert (waiting, running) == (str(active["waiting"]), str(active["running"]))
    assert row_of(html, "completed")[1] == str(said["stages"]["completed"])
    shown = tiles(html)
    assert shown["Health"] == said["level"] == "WARNING"
    assert f"health score {said['health_score']} %" in html
    assert shown["Stuck"] == str(len(said["stuck"]))
    assert shown["Failed, 24 h"] == str(said["last_day"]["documents_failed"]) == "1"
    assert shown["Crashed, 24 h"] == str(said["last_day"]["crashes"])
    assert shown["Without documents"] == str(said["without_documents"])
    for each in said["attention"]:
        assert each["subdomain"] in html and each["reason"] in unescape(html)


def test_metrics_have_the_figures_of_pipeline_status(town: Town, clerk: Said) -> None:
    said, found = json.loads(clerk("pipeline-status", "--json").out), metrics()

    for stage, sites in said["stages"].items():
        assert found[f'clerk_sites{{stage="{stage}"}}'] == sites
    for stage, counted in said["documents"].items():
        for state in ("completed", "failed"):
            assert found[f'clerk_documents{{stage="{stage}",state="{state}"}}'] == counted[state]
    assert found["clerk_sites_stuck"] == len(said["stuck"])
    assert found["clerk_sites_silent"] == said["silent"]
    assert found["clerk_sites_without_documents"] == said["without_documents"]
    assert found["clerk_health_score_percent"] == said["health_score"]
    for name in ("documents_read", "documents_failed", "crashes", "reconciliations"):
        assert found[f"clerk_{name}_24h"] == said["last_day"][name]


def test_the_documents_of_a_stage_are_counted_once(town: Town, clerk: Said) -> None:
    said = json.loads(clerk("pipeline-status", "--json").out)

    for counter in ("total", "completed", "failed"):
        assert said["documents"]["ocr"][counter] == said["ocr"][counter]
    assert said["ocr"]["failed"] == 1


def test_system_readyz_and_api_have_the_checks_of_health(town: Town, clerk: Said) -> None:
    said = json.loads(clerk("health", "--json").out)
    client = Browser(VIEWER)
    html, ready, api = (
        client.get("/ops/system").text,
        client.get("/readyz").json(),
        client.get("/api/v1/health").json(),
    )

    levels = {each["name"]: each["level"] for each in said["checks"]}
    assert ready["checks"] == levels and ready["level"] == said["level"]
    assert {each["name"]: each["level"] for each in api["checks"]} == levels
    for each in said["checks"]:
        _, level, found, mend = row_of(html, each["name"])
        assert (level, mend) == (each["level"], each["mend"])
        assert _timeless(found) == _timeless(each["said"])


def _timeless(text: str) -> str:
    """Return what was said without how long anything took or was ago, and what is free."""
    return re.sub(r"\d+(\.\d+)? (ms|s|min|GB)", "-", text)


def test_queues_batches_sites_and_failures_are_those_of_their_commands(
    town: Town, clerk: Said
) -> None:
    client = Browser(VIEWER)

    html = client.get("/ops/queues").text
    for each in json.loads(clerk("queue", "list", "--json").out):
        _, waiting, running, sites, _, workers, *_ = row_of(html, each["name"])
        assert (waiting, running) == (str(each["waiting"]), str(each["running"]))
        assert (sites, workers) == (str(each["sites"]), str(each["workers"]))

    fared = json.loads(clerk("batch", "health", "--json").out)
    shown = tiles(client.get("/ops/batches").text)
    assert shown["Created, 24 h"] == str(fared["total"])
    assert shown["Running"] == str(fared["running"])
    assert shown["Crashed, 24 h"] == str(fared["crashed"])

    html = client.get("/ops/sites").text
    for each in json.loads(clerk("site", "list", "--json").out):
        _, _, outcome, _, *shown_figures, _ = row_of(html, each["subdomain"])
        assert outcome == each["outcome"]
        names = ("read", "documents", "failed", "cancelled")
        assert shown_figures == [str(each[name] or 0) for name in names]

    failed = json.loads(clerk("failures", "list", "--json").out)
    html = client.get("/ops/failures").text
    assert html.count('<tr id="failure-') == len(failed) == 1
