"""Report an error on a vote, decide about it, and see it corrected."""

from __future__ import annotations

import re
from html import unescape
from pathlib import Path

import pytest
from databases import sqlite_daily
from guide import clerk
from small_pdfs import printed
from sqlalchemy import select
from web_town import MINUTES, Browser, identity

from clerk.annotations import corrections
from clerk.core import db
from clerk.core.models import audit_table
from clerk.web.middleware import RateLimit

FORM = f"/report/{identity(MINUTES)}-v1"


def sent(client: Browser, address: str = FORM, **fields: str) -> tuple[int, str]:
    """Send the form as it is shown, with some fields changed; return status and address."""
    html = client.get(address).text
    shown = {
        name: unescape(value)
        for name, value in re.findall(r'name="(\w+)" value="([^"]*)"', html)
        if name not in ("is_none", "accept")
    }
    shown["result"] = re.findall(r'<option value="(\w+)" selected>', html)[0]
    shown["motion"] = unescape(re.findall(r'<textarea name="motion"[^>]*>([^<]*)', html)[0])
    answer = client.post(address, data=shown | fields)
    return answer.status_code, answer.headers.get("location", answer.text)


def test_every_card_has_a_form_that_reaches_the_operators(town: Path) -> None:
    visitor, clerk_in_office = Browser(), Browser("operator")
    assert FORM in visitor.get("/votes?site=springfield").text

    answer = sent(visitor, result="failed", noes="Diaz, Wu", comment="It <b>failed</b>.", who="Ann")

    assert answer == (303, f"{FORM}?sent=thanks")
    (waiting,) = corrections.list_reports()
    assert waiting.fields == {"result": "failed", "noes": ["Diaz", "Wu"]}
    assert (waiting.sourceid, waiting.reported_by) == (f"{MINUTES}/1", "Ann")
    html = clerk_in_office.get("/ops/reports").text
    assert "It &lt;b&gt;failed&lt;/b&gt;." in html and 'value="Diaz, Wu"' in html
    assert "1 report" in html


def test_a_report_is_rejected_by_an_operator_only_and_audited(town: Path) -> None:
    visitor, viewer, operator = Browser(), Browser("viewer"), Browser("operator")
    sent(visitor, comment="Look at it")
    decision = {"decision": "reject"}

    assert visitor.post("/ops/reports/1", data=decision).status_code == 401
    assert viewer.post("/ops/reports/1", data=decision).status_code == 403
    assert operator.post("/ops/reports/1", data={"decision": "accept"}).status_code == 400
    assert operator.post("/ops/reports/1", data=decision).status_code == 303
    assert operator.post("/ops/reports/1", data=decision).status_code == 400

    with db.reading_connection() as conn:
        entry = conn.execute(select(audit_table).where(audit_table.c.action.like("%report%"))).one()
    assert (entry.who, entry.action) == ("the operator", "error report rejected")


@pytest.mark.parametrize(
    ("fields", "status"),
    [
        ({}, 400),
        ({"result": "nonsense"}, 400),
        ({"tally_yes": "many"}, 400),
        ({"motion": "x" * 3000}, 400),
        ({"seen": "1-2", "result": "failed"}, 400),
        ({"website": "http://spam.example", "result": "failed"}, 303),
    ],
)
def test_what_cannot_be_a_report_is_not_stored(
    town: Path, fields: dict[str, str], status: int
) -> None:
    assert sent(Browser(), **fields)[0] == status
    assert corrections.list_reports() == []


def test_another_site_or_a_flood_of_reports_is_refused(town: Path) -> None:
    visitor = Browser()
    foreign = {"Sec-Fetch-Site": "cross-site"}
    assert visitor.post(FORM, data={"comment": "x"}, headers=foreign).status_code == 403
    visitor.app.state.limits["report"] = RateLimit(1, 0.0001)

    assert [sent(visitor, comment="again")[0] for _ in range(3)] == [303, 429, 429]
    assert len(corrections.list_reports()) == 1


LINES = (
    "MINUTES OF THE COUNCIL",
    "Present: Mr. Lee, Ms. Wu, Ms. Diaz, Mr. Orr.",
    "Mr. Lee moved, seconded by Ms. Wu, to adopt the budget.",
    "Ayes: Lee, Wu, Diaz. Noes: Orr. Carried 3 to 1.",
)


@pytest.fixture
def read_town(database: str, storage: Path, tmp_path: Path) -> Path:
    """A site that was read from a PDF; returns the PDF."""
    pdf = tmp_path / "pdfs" / "Council" / "2024-01-02.pdf"
    pdf.parent.mkdir(parents=True)
    pdf.write_bytes(printed(LINES))
    clerk("site", "add", "springfield", "--from", str(tmp_path / "pdfs"))
    assert clerk("run", "springfield", "--workers", "1").exit_code == 0
    return pdf


def votes_of(client: Browser) -> list[dict[str, object]]:
    found: list[dict[str, object]] = client.get("/api/v1/sites/springfield/votes").json()["items"]
    return found


@sqlite_daily
def test_a_correction_is_published_and_survives_extraction_and_reading(read_town: Path) -> None:
    operator = Browser("operator")
    (before,) = votes_of(operator)
    assert before["result"] == "passed"
    sent(Browser(), f"/report/{before['id']}", result="failed", noes="Orr, Diaz", ayes="Lee, Wu")

    accepted = operator.post(
        "/ops/reports/1", data={"decision": "accept", "result": "failed", "mover": "Leigh"}
    )

    assert accepted.headers["location"] == "/ops/reports?done=accepted"
    assert clerk("run", "springfield", "--workers", "1").exit_code == 0
    (after,) = votes_of(operator)
    assert (after["result"], after["mover"], after["motion"]) == (
        *("failed", "Leigh"),
        before["motion"],
    )
    assert after["ballots"] == {"aye": ["Lee", "Wu"], "no": ["Diaz", "Orr"]}
    assert after["corrected_fields"] == ["ayes", "mover", "noes", "result"]
    card = operator.get("/votes?site=springfield").text
    assert "Corrected by the operator" in card and "ayes, mover, noes, result" in card

    # Read again, with other words around it, and extracted again.
    read_town.write_bytes(printed((LINES[0], "Corrected copy of the minutes.", *LINES[1:])))
    run = ("run", "springfield", "--workers", "1")
    redo = ("redo", "--site", "springfield", "--stage", "extraction", "--yes")
    for again in (run, redo, run):
        assert clerk(*again).exit_code == 0
        (kept,) = votes_of(operator)
        assert (kept["result"], kept["corrected_by"]) == ("failed", "the operator")

    # What is no vote goes, and comes back when the correction is undone.
    html = operator.get(f"/report/{kept['id']}").text
    seen = re.findall(r'name="seen" value="([^"]*)"', html)[0]
    no_vote = {"is_none": "1", "accept": "1", "seen": seen}
    assert operator.post(f"/report/{kept['id']}", data=no_vote).status_code == 303
    clerk("run", "springfield", "--workers", "1")
    assert votes_of(operator) == []
    clerk("annotations", "delete", "-p", "springfield/corrections")
    clerk("run", "springfield", "--workers", "1")
    (own,) = votes_of(operator)
    assert (own["result"], own["corrected_by"]) == ("passed", None)
