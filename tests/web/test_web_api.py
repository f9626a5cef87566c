"""The API and the endpoints for monitoring: as described, whatever is asked."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis_sizes import examples
from prometheus_client import Metric
from prometheus_client.parser import text_string_to_metric_families
from sqlalchemy import insert
from web_town import LINES, MINUTES, Browser, identity

from clerk.core import config, db
from clerk.core.clock import utc_now
from clerk.core.models import workers_table
from clerk.ops.web_sessions import OPERATOR, VIEWER, new_token
from clerk.pipeline import ledger
from clerk.pipeline import uploads as annotation_jobs
from clerk.web import api, uploads
from clerk.web.worker_process import Worker

MINUTES_ID = identity(MINUTES)
KNOWN = {
    "site": "springfield",
    "document": MINUTES_ID,
    "page": f"{MINUTES_ID}-1",
    "batch": "1",
    "webhook": "1",
    "upload": "1",
    "change": "1",
    "report": "1",
    "project": "springfield/extraction",
    "person": "City-Council/lee",
    "matter": "ordinance 2024-5",
}


NEEDS_A_PARAMETER_OR_BODY = (
    ("POST", "/uploads"),
    ("POST", "/webhooks"),
    ("GET", "/annotations/compare"),
    ("POST", "/annotations/validate"),
    ("POST", "/annotations/documents/delete"),
    ("POST", "/annotations/documents/text"),
    ("POST", "/projects/{project}/rename"),
)


def described() -> list[tuple[str, str, dict[str, Any]]]:
    """Return (path, method, operation) of everything the description names."""
    return [
        (path, method, operation)
        for path, methods in api.openapi()["paths"].items()
        for method, operation in methods.items()
    ]


@pytest.fixture
def program(town: Path) -> Browser:
    """A program with an operator's token."""
    client = Browser()
    client.headers["Authorization"] = f"Bearer {new_token('test', OPERATOR, 'me')}"
    return client


def test_the_description_names_every_endpoint_and_answers_as_openapi(program: Browser) -> None:
    said = program.get("/api/v1/openapi.json").json()

    assert said["openapi"].startswith("3.1")
    assert len(described()) == len(api.ENDPOINTS)
    for endpoint in api.ENDPOINTS:
        names = re.findall(r"\{(\w+)\}", endpoint.path)
        given = said["paths"][api.PREFIX + endpoint.path][endpoint.method.lower()]["parameters"]
        assert [each["name"] for each in given if each["in"] == "path"] == names


@pytest.mark.parametrize("endpoint", api.ENDPOINTS, ids=lambda each: each.path)
def test_an_endpoint_answers_with_what_it_promises(
    program: Browser, endpoint: api.Endpoint
) -> None:
    path = api.PREFIX + endpoint.path.format(**KNOWN)

    answer = program.request(endpoint.method, path)

    expected = endpoint.success
    if re.search(r"\{(batch|upload|project|webhook|change|report)\}", endpoint.path):
        expected = 404
    if (endpoint.method, endpoint.path) in NEEDS_A_PARAMETER_OR_BODY:
        expected = 400
    assert answer.status_code == expected
    assert answer.json().get("status", expected) == expected


@pytest.mark.parametrize("endpoint", [e for e in api.ENDPOINTS if e.role], ids=lambda e: e.path)
def test_what_has_a_role_needs_a_token(town: Path, endpoint: api.Endpoint) -> None:
    path = api.PREFIX + endpoint.path.format(**KNOWN)

    answer = Browser().request(endpoint.method, path)

    assert answer.status_code == 401 and answer.json()["status"] == 401


def odd_text() -> st.SearchStrategy[str]:
    """Text as a person, a program or an attacker would send it."""
    chosen = st.sampled_from(["", "zoning", "-1", "0", "1e9", "..", "a/b", "%00", "'", '"', "2024"])
    return chosen | st.text(max_size=20)


@st.composite
def addresses(draw: st.DrawFn, path: str, operation: dict[str, Any]) -> str:
    """Return an address of an operation, with anything in its fields."""
    query = {}
    for parameter in operation["parameters"]:
        good = KNOWN.get(parameter["name"])
        value = draw(odd_text() | st.just(good) if good else odd_text())
        if parameter["in"] == "path":
            path = path.replace(f"{{{parameter['name']}}}", quote(value or "-", safe=""))
        elif draw(st.booleans()):
            query[parameter["name"]] = value
    return f"{path}?{urlencode(query, errors='replace')}"


def contents() -> st.SearchStrategy[bytes]:
    """Bodies of requests: nothing, anything, or nearly what is wanted."""
    near = st.sampled_from([b"", objects(1), objects(1)[:-9], b"[]", b"{}", b"null", b"\x1f\x8b"])
    return near | st.binary(max_size=60)


@pytest.mark.parametrize(("path", "method", "operation"), described(), ids=lambda e: str(e)[:50])
@settings(
    max_examples=examples(160) // 4,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(data=st.data())
def test_whatever_is_asked_of_an_operation_is_answered_as_described(
    program: Browser, path: str, method: str, operation: dict[str, Any], data: st.DataObject
) -> None:
    address = data.draw(addresses(path, operation))
    content = data.draw(contents()) if method == "post" else None

    answer = program.request(method, address, content=content, follow_redirects=True)

    assert answer.status_code < 500, address
    known = {*operation["responses"], "404", "405"}
    assert str(answer.status_code) in known, address
    media = operation["responses"].get(str(answer.status_code), {}).get("content", {})
    if not media or "application/json" in media:
        assert isinstance(answer.json(), dict)


def test_a_page_comes_with_the_boxes_of_its_hits(program: Browser) -> None:
    answer = program.get(f"/api/v1/pages/{MINUTES_ID}-1?q=zoning").json()

    at = " ".join(LINES).split().index("zoning")
    assert answer["boxes"] == [[at, at, at + 1, at + 1]]
    assert answer["text"].startswith(LINES[0])


def test_a_run_is_queued_and_named(program: Browser) -> None:
    first = program.post("/api/v1/sites/springfield/runs")
    again = program.post("/api/v1/sites/springfield/runs")

    assert first.status_code == 202 and first.json() == again.json()


# --------------------------------------------------------------------------------- uploads


def objects(number: int) -> bytes:
    """Return annotations of so many documents, a line each."""
    return b"".join(
        json.dumps(
            {
                "sourcedb": "notes",
                "sourceid": str(each),
                "text": "The motion carried.",
                "denotations": [{"id": "T1", "span": {"begin": 4, "end": 10}, "obj": "Motion"}],
            }
        ).encode()
        + b"\n"
        for each in range(number)
    )


ADDRESS = "/api/v1/uploads?project=votes&name=a.jsonl&create_docs=true"


def test_annotations_are_uploaded_and_followed(program: Browser) -> None:
    accepted = program.post(ADDRESS, content=objects(20))

    assert accepted.status_code == 202
    url = accepted.headers["location"]
    assert url == accepted.json()["url"]
    annotation_jobs.find(accepted.json()["upload"]).wait(config.load())
    status = program.get(url).json()
    assert (status["state"], status["items_done"]) == ("completed", 20)
    assert program.get(f"{url}/issues").json() == {"items": [], "total": 0}
    assert [each["id"] for each in program.get("/api/v1/uploads").json()["items"]] == [status["id"]]


def test_an_upload_has_a_page_with_its_issues(program: Browser) -> None:
    bad = b'{"sourcedb": "notes", "sourceid": "x", "text": "a", "denotations": 5}\n'
    job = program.post(ADDRESS, content=objects(2) + bad).json()["upload"]
    annotation_jobs.find(job).wait(config.load())
    operator = Browser(OPERATOR)

    html = operator.get(f"/ops/uploads/{job}").text
    assert "2 done of 3" in html or "3 done of 3" in html
    assert "denotations" in html.partition("<h2>Issues</h2>")[2]
    assert f"/ops/uploads/{job}" in operator.get("/ops/batches").text


@pytest.mark.parametrize(
    ("address", "content"),
    [
        ("/api/v1/uploads?name=a.jsonl", b"{}"),
        ("/api/v1/uploads?project=votes&name=a.exe", b"{}"),
        ("/api/v1/uploads?project=votes&name=a.tgz", b"not an archive"),
        ("/api/v1/uploads?project=votes&mode=guess", b"{}"),
        ("/api/v1/uploads?project=votes", b""),
        ("/api/v1/uploads?project=votes&create_docs=maybe", b"{}"),
    ],
)
def test_an_upload_that_cannot_be_used_is_refused(
    program: Browser, town: Path, address: str, content: bytes
) -> None:
    assert program.post(address, content=content).status_code == 400
    assert not list((town / "_clerk" / "web").glob("incoming-*"))


@pytest.mark.parametrize("parameter", ["dryrun=true", "Mode=add", "onlost=reject"])
def test_an_upload_with_an_unknown_parameter_is_refused_and_stores_nothing(
    program: Browser, town: Path, parameter: str
) -> None:
    answer = program.post(f"{ADDRESS}&{parameter}", content=objects(2))

    assert answer.status_code == 400
    assert repr(parameter.partition("=")[0]) in answer.json()["error"]
    assert program.get("/api/v1/uploads").json() == {"items": []}


def test_the_parameters_of_an_upload_are_those_that_are_described() -> None:
    (upload,) = (
        each for path, method, each in described() if (path, method) == ("/api/v1/uploads", "post")
    )

    assert tuple(each["name"] for each in upload["parameters"]) == uploads.PARAMETERS


def test_an_upload_that_is_too_large_is_refused_before_it_is_read(
    program: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(uploads, "UPLOAD_BYTES", 100)

    assert program.post(ADDRESS, content=objects(20)).status_code == 413


# ------------------------------------------------------------------------------ monitoring


def test_alive_and_ready(town: Path) -> None:
    client = Browser()

    assert client.get("/healthz").text == "ok\n"
    ready = client.get("/readyz")
    assert ready.status_code == 200 and ready.json()["checks"]["database"] == "OK"


def test_not_ready_without_a_database(town: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    client = Browser()
    monkeypatch.setenv("DATABASE_URL", "postgresql://me@127.0.0.1:1/none")

    answer = client.get("/readyz")

    assert answer.status_code == 503 and answer.json()["ready"] is False
    assert client.get("/healthz").status_code == 200


def families() -> dict[str, Metric]:
    """Return the metrics as Prometheus would read them."""
    client = Browser(VIEWER)
    client.app.state.worker = Worker()
    answer = client.get("/metrics")
    assert answer.headers["content-type"] == "text/plain; version=0.0.4; charset=utf-8"
    return {each.name: each for each in text_string_to_metric_families(answer.text)}


def test_metrics_are_as_prometheus_reads_them(database: str) -> None:
    types = {name: each.type for name, each in families().items()}

    assert {
        "clerk_info": "gauge",
        "clerk_sites": "gauge",
        "clerk_sites_stuck": "gauge",
        "clerk_documents": "gauge",
        "clerk_batches": "gauge",
        "clerk_queue_depth": "gauge",
        "clerk_worker_heartbeat_age_seconds": "gauge",
        "clerk_worker_up": "gauge",
        "clerk_worker_deaths": "counter",
        "clerk_stage_seconds": "histogram",
        "clerk_live_streams": "gauge",
    }.items() <= types.items()


def test_the_histogram_adds_up_and_its_figures_are_exact(database: str) -> None:
    with db.civic_db_connection() as conn:
        ledger.record(conn, "finished", stage="ocr", completed=1_234_567, seconds=1_234_567.25)
        ledger.record(conn, "finished", stage="ocr", completed=1, failed=1, seconds=8.0)

    samples = families()["clerk_stage_seconds"].samples

    assert {each.labels["stage"] for each in samples} == {"ocr"}
    buckets = {each.labels["le"]: each.value for each in samples if "le" in each.labels}
    assert (buckets["0.5"], buckets["1"], buckets["2.5"]) == (0, 0, 1_234_567)
    assert (buckets["5"], buckets["1800"], buckets["+Inf"]) == (1_234_569,) * 3
    totals = {each.name: each.value for each in samples if "le" not in each.labels}
    assert totals == {
        "clerk_stage_seconds_count": 1_234_569,
        "clerk_stage_seconds_sum": 1_234_575.25,
    }


def test_odd_names_stay_whole_in_labels(database: str) -> None:
    name = 'host "a"\\n\n{x="y"} 1'
    facts = {"host": "a", "pid": 1, "queues": "ocr", "lease_until": utc_now()}
    with db.civic_db_connection() as conn:
        conn.execute(insert(workers_table).values(id=name, **facts))

    [sample] = families()["clerk_worker_heartbeat_age_seconds"].samples

    assert sample.labels == {"worker": name}


def test_metrics_are_not_for_strangers(town: Path) -> None:
    forwarded = {"X-Forwarded-For": "203.0.113.9"}

    assert Browser().get("/metrics", headers=forwarded).status_code == 401


def test_the_dashboard_and_the_alerts_ask_for_figures_that_exist(program: Browser) -> None:
    program.app.state.worker = Worker()
    offered = set(re.findall(r"^# TYPE (\w+)", program.get("/metrics").text, re.MULTILINE))
    folder = Path(__file__).resolve().parents[2] / "deployment" / "grafana"

    for name in ("dashboard.json", "alerts.yml"):
        asked = set(re.findall(r"\bclerk_[a-z_0-9]+", (folder / name).read_text()))
        assert {re.sub(r"_(bucket|count|sum)$", "", each) for each in asked} <= offered, name


def test_alerts_follow_the_checks_of_health(program: Browser) -> None:
    """The thresholds are those of clerk; only an alert about the server itself has its own."""
    alerts = Path(__file__).resolve().parents[2] / "deployment" / "grafana" / "alerts.yml"
    rules = dict(re.findall(r"- alert: (\w+)\n +expr: (.+)", alerts.read_text()))
    checks = {each["name"] for each in program.get("/api/v1/health").json()["checks"]}

    judged = {name: rule for name, rule in rules.items() if name != "ClerkDown"}
    assert {"clerk_check_level == 1", "clerk_check_level >= 2"} <= set(judged.values())
    for rule in judged.values():
        assert re.fullmatch(r"clerk_(health|check)_level(\{.+\})? (==|>=) [12]", rule)
        for names in re.findall(r'check=~?"(.+?)"', rule):
            assert set(names.split("|")) <= checks
