"""Sites are added, changed, paused and scheduled in the pages, one or many at once."""

from __future__ import annotations

import html
import json
from collections.abc import Callable
from pathlib import Path

import pytest
from databases import sqlite_daily
from small_pdfs import printed
from small_work import Town, hurry, work_embedded
from sqlalchemy import select
from test_web_figures import row_of
from web_town import Browser

from clerk.core import db
from clerk.core.models import audit_table, runs_table, schedules_table
from clerk.ops.web_sessions import OPERATOR, VIEWER
from clerk.pipeline import transitions

Make = Callable[..., str]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder of one document."""
    path = tmp_path / "documents" / "Council" / "2024-01-15.pdf"
    path.parent.mkdir(parents=True)
    path.write_bytes(printed(["The council met."]))
    return tmp_path / "documents"


def stored(subdomain: str) -> dict[str, object]:
    with db.reading_connection() as conn:
        return db.require_site(conn, subdomain)


def audited() -> list[tuple[str, str | None]]:
    with db.reading_connection() as conn:
        rows = conn.execute(select(audit_table).order_by(audit_table.c.id))
        return [(row.action, row.subject) for row in rows]


def active() -> dict[str, str]:
    with db.reading_connection() as conn:
        return transitions.active_run_ids(conn)


def test_a_site_is_looked_at_added_with_a_schedule_and_run(database: str, folder: Path) -> None:
    operator = Browser(OPERATOR)
    given = {"source": str(folder), "site": "springfield", "name": "Springfield", "state": "IL"}

    looked = operator.post("/ops/new-site", data=given | {"action": "look"})
    assert (
        "1 meeting, 1 document" in looked.text
        and "2024-01-15 minutes, body not named" in looked.text
    )
    assert 'value="springfield"' in looked.text, "what was filled in is kept"
    with db.reading_connection() as conn:
        assert db.get_site_by_subdomain(conn, "springfield") is None

    schedule = {"how": "every", "hours": "6", "run": "yes"}
    added = operator.post("/ops/new-site", data=given | schedule | {"action": "add"})

    assert added.headers["location"] == "/ops/sites/springfield"
    site = stored("springfield")
    assert (site["name"], site["state"], site["scraper"]) == ("Springfield", "IL", "folder")
    assert json.loads(str(site["extra"]))["source"] == str(folder)
    assert "every 6 h" in operator.get("/ops/sites/springfield").text
    assert ("site added", "springfield") in audited()
    assert list(active()) == ["springfield"]


PORTAL = """
from datetime import datetime

from clerk import hookimpl
from clerk.core.errors import SourceUnavailable
from clerk.fetch import DocumentRef, Fetcher, FetcherSpec, MeetingRef


class Portal(Fetcher):
    def list_meetings(self, window):
        town = self.settings.source.partition("//")[2].partition(".")[0]
        if town == "away":
            raise SourceUnavailable(f"{self.settings.source} did not answer.")
        if town == "changed":
            raise KeyError("rows")
        if town == "empty":
            return
        minutes = DocumentRef("minutes", f"{self.settings.source}/1.pdf")
        day = datetime(2024, 1, 15, 19)
        yield MeetingRef("1", "Council", "Council", day, documents=(minutes,))


@hookimpl
def register_fetchers():
    return [FetcherSpec("gate", Portal, hosts=("gate.example",), lists_all=True)]
"""


@sqlite_daily
@pytest.mark.parametrize(
    ("town", "said"),
    [
        ("fine", "1 meeting, 1 document"),
        ("away", "https://away.gate.example did not answer."),
        ("empty", "https://empty.gate.example lists no meetings."),
        ("changed", "failed: KeyError(&#39;rows&#39;). The log has its traceback."),
    ],
)
def test_a_portal_is_looked_at_whatever_it_answers(
    database: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, town: str, said: str
) -> None:
    (tmp_path / "portal.py").write_text(PORTAL)
    monkeypatch.setenv("CLERK_PLUGINS_DIR", str(tmp_path))

    given = {"source": f"https://{town}.gate.example", "site": town, "action": "look"}
    page = Browser(OPERATOR).post("/ops/new-site", data=given)

    assert said in page.text
    assert f'value="{given["source"]}"' in page.text, "what was filled in is kept"


@pytest.mark.parametrize(
    ("given", "problem"),
    [
        ({"source": ""}, "Give the address of a portal"),
        ({"source": "/nowhere/at/all"}, "neither a folder nor a file nor a URL"),
        ({"source": "ftp://example.org/"}, "not an http or https address"),
        ({"site": "Not A Name"}, "is not a valid site name"),
        ({"site": "taken"}, "already exists"),
        ({"how": "every", "hours": "often"}, "The hours must be a number"),
        ({"start_year": "soon"}, "is not a year"),
        ({"settings": "colour=red"}, "has no setting"),
        ({"settings": "deploy_to=local:///srv"}, "is set by command"),
        ({"granted_by": "the mayor"}, "Give both who allowed it and how"),
    ],
)
def test_what_cannot_be_added_is_said_next_to_the_form(
    installation: Path, folder: Path, given: dict[str, str], problem: str
) -> None:
    with db.civic_db_connection() as conn:
        db.upsert_site(conn, {"subdomain": "taken", "name": "Taken"})
    form = {"action": "add", "source": str(folder), "site": "springfield"} | given

    answer = Browser(OPERATOR).post("/ops/new-site", data=form)

    assert answer.status_code == 422 and problem in answer.text
    with db.reading_connection() as conn:
        assert db.get_site_by_subdomain(conn, "springfield") is None


def test_a_site_is_changed_and_secrets_stay_hidden(make_site: Make, folder: Path) -> None:
    extra = {"source": str(folder), "token": "hush", "languages": ["eng"]}
    site = make_site("springfield", scraper="folder", extra=json.dumps(extra))
    operator = Browser(OPERATOR)
    page = operator.get(f"/ops/sites/{site}/edit").text
    assert "hush" not in page and 'value="eng"' in page

    changed = {"name": "City of Springfield", "state": "", "languages": "", "settings": ""}
    answer = operator.post(f"/ops/sites/{site}/edit", data=changed)
    refused = operator.post(f"/ops/sites/{site}/edit", data={"settings": "colour=red"})

    assert answer.status_code == 303
    assert refused.status_code == 422 and "has no setting" in refused.text
    row = stored(site)
    assert (row["name"], row["state"]) == ("City of Springfield", None)
    assert json.loads(str(row["extra"])) == {"source": str(folder), "token": "hush"}
    with db.reading_connection() as conn:
        [detail] = conn.execute(
            select(audit_table.c.detail).where(audit_table.c.action == "site changed")
        ).scalars()
    assert detail == "languages, name, state"


@sqlite_daily
@pytest.mark.parametrize(
    "source",
    [
        "https://town.example/list?api_key=hush-hush-77",
        "https://ann:hush-hush-77@town.example/list",
    ],
)
def test_saving_the_form_keeps_the_secrets_of_a_source(make_site: Make, source: str) -> None:
    site = make_site("springfield", scraper="plain", extra=json.dumps({"source": source}))
    operator = Browser(OPERATOR)
    page = operator.get(f"/ops/sites/{site}/edit").text
    shown = html.unescape(page.partition('name="source" maxlength="2000" value="')[2].split('"')[0])
    assert shown.startswith("https://") and "hush-hush-77" not in page

    answer = operator.post(f"/ops/sites/{site}/edit", data={"name": "New", "source": shown})

    assert answer.status_code == 303
    row = stored(site)
    assert (row["name"], json.loads(str(row["extra"]))["source"]) == ("New", source)


@sqlite_daily
def test_a_secret_that_was_typed_is_sent_again_with_the_form(
    database: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "portal.py").write_text(PORTAL)
    monkeypatch.setenv("CLERK_PLUGINS_DIR", str(tmp_path))
    given = {"source": "https://fine.gate.example?api_key=hush-hush-77", "site": "fine"}

    page = Browser(OPERATOR).post("/ops/new-site", data=given | {"action": "look"}).text

    assert f'value="{given["source"]}"' in page
    assert page.count("hush-hush-77") == 1


def test_many_sites_are_acted_on_from_a_frozen_list(
    make_site: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("ash", "beech", "cedar", "date"):
        make_site(name, scraper="folder" if name != "date" else "legistar")
    operator = Browser(OPERATOR)
    with db.civic_db_connection() as conn:
        transitions.start_run(conn, "beech")

    shown = operator.get("/ops/bulk?action=run&fetcher=folder").text
    assert "Run now: 2 sites?" in shown and "beech</a>: a run of it is under way" in shown
    assert 'value="ash:"' in shown and "date" not in shown
    assert list(active()) == ["beech"], "looking changes nothing"
    make_site("elm", scraper="folder")
    with db.civic_db_connection() as conn:
        transitions.start_run(conn, "cedar")
    done = operator.post("/ops/bulk", data={"action": "run", "site": ["ash:", "cedar:"]}).text

    assert "done for 1 site" in done and "cedar</a>: a run of it is under way" in done
    assert set(active()) == {"ash", "beech", "cedar"}
    assert ("run started", "ash") in audited()

    stale = {"action": "cancel", "site": ["ash:another-run", f"beech:{active()['beech']}"]}
    cancelled = operator.post("/ops/bulk", data=stale).text
    assert "ash</a>: it changed after the list was made" in cancelled
    assert set(active()) == {"ash", "cedar"}


def test_many_schedules_are_set_paused_and_resumed(make_site: Make) -> None:
    for name in ("ash", "beech"):
        make_site(name)
    operator, both = Browser(OPERATOR), ["ash:", "beech:"]
    rule = {"how": "at", "at": "06:30", "on": "mon", "zone": "America/Chicago"}

    shown = operator.get("/ops/bulk", params={"action": "schedule"} | rule).text
    assert "The new schedule: mon at 06:30 America/Chicago" in shown
    assert '<input type="hidden" name="zone" value="America/Chicago">' in shown
    operator.post("/ops/bulk", data={"action": "schedule", "site": both} | rule)
    operator.post("/ops/bulk", data={"action": "pause", "site": both})

    listed = operator.get("/ops/sites?paused=1").text
    assert "paused" in row_of(listed, "ash")[2] and "2 sites" in listed
    operator.post("/ops/bulk", data={"action": "resume", "site": ["ash:"]})
    with db.reading_connection() as conn:
        rows = {row.subdomain: row for row in conn.execute(select(schedules_table))}
    assert rows["ash"].rule == {"at": "06:30", "on": ["mon"], "zone": "America/Chicago"}
    assert (rows["ash"].paused_at, rows["beech"].paused_by) == (None, "the operator")
    assert Browser(VIEWER).get("/ops/bulk?action=run").status_code == 403


def test_a_stage_is_done_again_for_the_sites_of_a_filter(
    make_site: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    hurry(monkeypatch)
    town = Town(make_site(subdomain="springfield"))
    town.pdfs(2)
    town.start()
    work_embedded()
    make_site("shelbyville")
    operator = Browser(OPERATOR)

    shown = operator.get("/ops/bulk?action=redo&stage=deploy&q=spring").text
    assert "Do a stage again (deploy): 1 site?" in shown
    operator.post("/ops/bulk", data={"action": "redo", "stage": "deploy", "site": "springfield:"})
    work_embedded()

    with db.reading_connection() as conn:
        runs = conn.execute(select(runs_table).order_by(runs_table.c.epoch)).fetchall()
    assert [run.subdomain for run in runs] == ["springfield", "springfield"]
    assert (runs[1].state, runs[1].options["opened_by"], runs[1].rank > 0) == (
        "completed",
        "redo",
        True,
    )
