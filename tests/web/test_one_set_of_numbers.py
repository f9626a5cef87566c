"""Whatever happened: commands, pages, metrics and API show the same numbers and the same verdict.

hypothesis makes up histories; at some moments every door is asked, what it shows is parsed, and all
of it is compared: with each other, and with what the rows themselves say.
"""

from __future__ import annotations

import itertools
import json
import operator
import re
from collections import Counter
from collections.abc import Callable, Collection
from datetime import timedelta
from functools import cache
from html import unescape
from pathlib import Path
from typing import Any

import pytest
import small_uploads
import yaml
from guide import clerk
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import precondition, rule
from hypothesis.stateful import run_state_machine_as_test as run_model
from small_work import Town
from sqlalchemy import DateTime, select, text, update
from test_model import SITES, WORKERS, PipelineModel
from test_web_figures import row_of, rows, tiles
from web_town import Browser

from clerk.core import config, db
from clerk.core.clock import utc_now
from clerk.core.models import (
    UtcDateTime,
    batches_table,
    items_table,
    jobs_table,
    metadata,
    runs_table,
    sites_table,
)
from clerk.core.states import ANNOTATIONS, OCR, QUEUES, STAGES, Batch, Item, Kind, Run, Step
from clerk.executors.work import Claim, ClaimItem, Crash, Limit, Outcome
from clerk.ops.web_sessions import VIEWER
from clerk.pipeline import (
    batches,
    failures,
    flow,
    ledger,
    queues,
    reconcile,
    transitions,
    uploads,
)
from clerk.pipeline.scripted_stages import increment_completed, increment_failed, initialize_stage

DEPLOYMENT = Path(__file__).parents[2] / "deployment"
#: A site that an older system counted and that was never read here.
OLD = "yew"
#: What happens to one piece of work after the other, mostly good.
LUCK = st.lists(
    st.sampled_from(["completed", "completed", "completed", "failed", "again", "crash"]),
    min_size=1,
    max_size=8,
)
LEVELS = ("OK", "WARNING", "CRITICAL", "UNKNOWN")


class OfSites(flow.Pipeline):
    """The work of sites alone: what the model does with it would not do for uploads."""

    def claim(self, queues: Collection[str], worker_id: str, limit: Limit) -> Claim | None:
        """Take work of any queue but that of the uploads."""
        return super().claim([name for name in queues if name != ANNOTATIONS], worker_id, limit)


class NumbersModel(PipelineModel):
    """The histories of the pipeline's model, with decisions of people, hours, and uploads."""

    def __init__(self, storage_dir: Path) -> None:
        super().__init__(storage_dir)
        self.flow = OfSites(config.load())
        self.rejected: dict[str, int] = dict.fromkeys(SITES, 0)
        self.page = Browser(VIEWER)
        with db.civic_db_connection() as conn:
            db.upsert_site(conn, {"subdomain": OLD, "name": OLD})

    def _register(self, worker: str) -> None:
        with db.civic_db_connection() as conn:
            if not ledger.beat(conn, worker, 3600.0, {}):
                ledger.register_worker(conn, worker, lease_seconds=3600.0, queues=",".join(QUEUES))

    # ------------------------------------------------------------------ what may happen besides

    @rule(site=st.sampled_from(SITES), luck=LUCK)
    def site_runs(self, site: str, luck: list[str]) -> None:
        """A run goes as far as it gets; what happens to each piece of work repeats itself."""
        with db.civic_db_connection() as conn:
            transitions.start_run(conn, site)
        self._work_on(luck)

    @rule(luck=LUCK)
    def work_goes_on(self, luck: list[str]) -> None:
        self._make_available()
        self._work_on(luck)

    def _work_on(self, luck: list[str]) -> None:
        words = itertools.cycle(luck)
        for _ in range(30):
            self._register(WORKERS[0])
            claimed = self.flow.claim(QUEUES, WORKERS[0], lambda _queue: 3)
            if claimed is None:
                return
            said = [next(words) for _ in claimed.items]
            if "crash" in said:
                killer = claimed.items[said.index("crash")]
                self.flow.crash(claimed, Crash(killer, "killed by SIGSEGV"))
                continue
            pairs = zip(claimed.items, said, strict=True)
            outcomes = [self._outcome(claimed, item, word) for item, word in pairs]
            self.flow.finish(claimed, outcomes, ended=True)

    @rule(site=st.sampled_from(SITES), well=st.integers(0, 6), badly=st.integers(0, 6))
    def script_reads(self, site: str, well: int, badly: int) -> None:
        initialize_stage(site, OCR, well + badly)
        for _ in range(well):
            increment_completed(site, OCR)
        for _ in range(badly):
            increment_failed(site, OCR, "broken", "UnreadablePdf")

    @rule(some=st.integers(0, 3), skip=st.booleans())
    def people_decide(self, some: int, skip: bool) -> None:
        found = failures.find()
        chosen = [each for at, each in enumerate(found) if at % 4 <= some]
        if skip:
            failures.skip(config.load(), chosen, who="ann", why="never mind")
        else:
            failures.retry(config.load(), chosen, who="ann")

    @rule(site=st.sampled_from(SITES), pdfs=st.integers(0, 6), rejected=st.integers(0, 6))
    def source_changes(self, site: str, pdfs: int, rejected: int) -> None:
        town = Town(site)
        for each in (town.folder / "pdfs").rglob("*.pdf"):
            each.unlink()
        town.pdfs(pdfs)
        self.rejected[site] = rejected

    def _outcome(self, claimed: Claim, item: ClaimItem, word: str) -> Outcome:
        outcome = super()._outcome(claimed, item, word)
        if claimed.step == Step.FETCH and outcome.state == Item.COMPLETED:
            names = range(self.rejected[claimed.subdomain])
            refused = [
                {"name": f"notes-{n}.docx", "kind": "Rejected", "why": "no PDF"} for n in names
            ]
            outcome.result["rejected"] = refused
        return outcome

    @precondition(lambda self: self.hands)
    @rule(hand=st.integers(0, 10))
    def disk_is_full(self, hand: int) -> None:
        claimed = self._take(hand)
        error = "StorageUnusable: the disk is full"
        blocked = [
            Outcome(each, Item.PENDING, error, "StorageUnusable", delay=60.0)
            for each in claimed.items
        ]
        self.flow.finish(claimed, blocked, ended=True)

    @rule(hours=st.sampled_from([1, 3, 12, 25]))
    def hours_pass(self, hours: int) -> None:
        """Everything that is dated becomes older; workers that do not beat lose their lease."""
        self.hands.clear()
        with db.civic_db_connection() as conn:
            for table in metadata.sorted_tables:
                moments = [
                    each.name
                    for each in table.columns
                    if isinstance(each.type, UtcDateTime | DateTime) and each.name != "hour"
                ]
                for name in moments:
                    older = f"{name} - INTERVAL '{hours} hours'"
                    if conn.dialect.name == "sqlite":
                        shifted = f"strftime('%Y-%m-%d %H:%M:%f', {name}, '-{hours} hours')"
                        older = f"{shifted} || '000'"
                    conn.execute(text(f"UPDATE {table.name} SET {name} = {older}"))

    @rule(queue=st.sampled_from(QUEUES), resume=st.booleans())
    def queue_is_paused(self, queue: str, resume: bool) -> None:
        queues.pause(queue, who="ann")
        if resume:
            queues.resume(config.load(), queue, who="ann")

    @rule(number=st.integers(1, 4))
    def upload(self, number: int) -> None:
        path = self.storage_dir / "collection.jsonl"
        small_uploads.write(path, map(small_uploads.line, range(number)))
        uploads.upload(config.load(), [path], project="p", create_docs=True, batch_items=1)

    @rule(worker=st.sampled_from(WORKERS), luck=st.lists(st.sampled_from("swc"), min_size=1))
    def uploads_are_worked_on(self, worker: str, luck: list[str]) -> None:
        """Batches are stored, given back as they were, or kill their process."""
        self._register(worker)
        hands = flow.Pipeline(config.load())
        for word in luck:
            claimed = hands.claim((ANNOTATIONS,), worker, lambda _queue: 1)
            if claimed is None:
                return
            if word == "c":
                hands.crash(claimed, Crash(None, "killed by SIGKILL"))
            elif word == "w":
                hands.finish(claimed, [], ended=True)
            else:
                small_uploads.perform(claimed, hands)

    @rule(failed=st.integers(0, 4))
    def older_system_counts(self, failed: int) -> None:
        counted = {"current_stage": "completed", "ocr_total": 8, "ocr_completed": 4}
        with db.civic_db_connection() as conn:
            mine = sites_table.c.subdomain == OLD
            conn.execute(update(sites_table).where(mine).values(ocr_failed=failed, **counted))

    @rule()
    def batches_are_cleaned_up(self) -> None:
        batches.cleanup(config.load().storage_dir, timedelta())

    @rule()
    def sweep_and_reconcile(self) -> None:
        for _ in reconcile.reconcile(config.load(), 0):
            pass

    # Shown by the model of the pipeline; here they would only keep runs from getting anywhere.
    promises_hold = zombie_finishes = work_goes_well = None
    script_opens_a_stage = script_counts = None
    script_claims_the_coordinator = script_names_a_document = None

    def teardown(self) -> None:
        """Look a last time, instead of finishing everything."""
        self.everybody_shows_the_same()
        with db.civic_db_connection() as conn:
            for table in reversed(metadata.sorted_tables):
                conn.execute(table.delete())

    # -------------------------------------------------------------------------- the comparison

    @rule()
    def everybody_shows_the_same(self) -> None:
        self.page.log_in(VIEWER)  # a session may have expired when hours passed
        seen = Doors(self.page)
        seen.agree_on_the_verdict()
        seen.agree_on_the_figures()
        seen.agree_on_failures()
        seen.agree_on_lists()
        seen.agree_with_the_rows()


@cache
def _alerts() -> dict[str, tuple[str, Callable[[float, float], bool], float]]:
    """Each alert about clerk's own metrics: the metric, the comparison and the limit."""
    found = {}
    groups = yaml.safe_load((DEPLOYMENT / "grafana" / "alerts.yml").read_text())["groups"]
    for rule_ in (each for group in groups for each in group["rules"]):
        match = re.fullmatch(r"(clerk_\w+) (==|>=) (\d+)", rule_["expr"])
        if match:
            compare = operator.ge if match[2] == ">=" else operator.eq
            found[rule_["alert"]] = (match[1], compare, float(match[3]))
    assert len(found) == 4, "an expression of another form is not understood here"
    return found


def _severity(word: str) -> int:
    return ("", "WARNING", "UNKNOWN", "CRITICAL").index(word)


class Doors:
    """What every door shows at one moment."""

    def __init__(self, page: Browser) -> None:
        self.status = _json("pipeline-status")
        self.health = _json("health")
        self.exit_code = clerk("health").exit_code
        self.check = clerk("pipeline-status", "--check")
        self.groups = _json("failures", "list")
        self.each = _json("failures", "list", "--each")
        self.queues = _json("queue", "list")
        self.batches = _json("batch", "health")
        self.sites = _json("site", "list")
        self.overview = page.get("/ops/").text
        self.failures = page.get("/ops/failures").text
        self.html = {
            name: page.get(f"/ops/{name}").text for name in ("queues", "batches", "sites", "system")
        }
        self.attention_page = page.get("/ops/sites?attention=1").text
        self.ready = page.get("/readyz").json()
        self.api = page.get("/api/v1/health").json()
        self.followed = page.get("/api/v1/followed").json()["items"]
        self.metrics = {
            name: float(value)
            for name, _, value in (
                line.rpartition(" ")
                for line in page.get("/metrics").text.splitlines()
                if line and line[0] != "#"
            )
        }
        self.reconcile = clerk("reconcile-pipeline", "--dry-run", "--json")
        *_, self.reconciliation = reconcile.reconcile(config.load(), dry_run=True)

    # ---------------------------------------------------------------------------- verdict

    def agree_on_the_verdict(self) -> None:
        level = self.health["level"]
        assert self.exit_code == self.health["exit_code"] == LEVELS.index(level)
        assert {level} == {self.status["level"], self.api["level"], self.ready["level"]}
        assert self.metrics["clerk_health_level"] == LEVELS.index(level)
        assert tiles(self.overview)["Health"] == level
        assert f">{level}</strong>" in self.html["system"]
        assert f"\nHealth: {level}\n" in self.check.output
        is_ok = level == "OK"
        assert self.status["healthy"] is is_ok
        assert self.check.exit_code == (0 if is_ok else 1)
        assert ("Everything is OK" in self.overview) is is_ok
        levels = {check["name"]: check["level"] for check in self.health["checks"]}
        assert self.ready["checks"] == levels
        assert {check["name"]: check["level"] for check in self.api["checks"]} == levels
        for name, word in levels.items():
            assert self.metrics[f'clerk_check_level{{check="{name}"}}'] == LEVELS.index(word)
            assert row_of(self.html["system"], name)[1] == word
        self.agree_on_the_findings(levels)
        self.agree_on_the_alerts(levels)
        if is_ok:
            self.nobody_names_a_problem()

    def agree_on_the_alerts(self, levels: dict[str, str]) -> None:
        """Prometheus alerts exactly when clerk health is not OK, for every check that is not."""
        fired: dict[str, set[str]] = {}
        for alert, (metric, compare, limit) in _alerts().items():
            for name, value in self.metrics.items():
                if name.partition("{")[0] == metric and compare(value, limit):
                    fired.setdefault(alert, set()).add("".join(re.findall(r'"(\w+)"', name)))
        level = self.health["level"]
        whole = {"OK": set(), "WARNING": {"ClerkWarning"}}.get(level, {"ClerkCritical"})
        assert {"ClerkWarning", "ClerkCritical"} & fired.keys() == whole
        warned = {name for name, word in levels.items() if word == "WARNING"}
        worse = {name for name, word in levels.items() if word in ("CRITICAL", "UNKNOWN")}
        assert fired.get("ClerkProblem", set()) == warned
        assert fired.get("ClerkCriticalProblem", set()) == worse

    def agree_on_the_findings(self, levels: dict[str, str]) -> None:
        """A check is not OK exactly when it has findings, and the worst of them is its level."""
        worst: dict[str, str] = {}
        counted: Counter[str] = Counter()
        for each in self.health["findings"]:
            worst[each["kind"]] = max(worst.get(each["kind"], ""), each["severity"], key=_severity)
            counted[f'kind="{each["kind"]}",severity="{each["severity"].lower()}"'] += each[
                "number"
            ]
            assert each["what"] and each["number"] >= 0
        assert worst == {name: level for name, level in levels.items() if level != "OK"}
        assert self.api["findings"] == self.health["findings"]
        for labels, number in counted.items():
            assert self.metrics[f"clerk_findings{{{labels}}}"] == number
        listed = json.loads(self.reconcile.output)["attention"]
        assert listed == self.status["attention"]
        assert self.reconcile.exit_code == (4 if listed else 0)

    def nobody_names_a_problem(self) -> None:
        """The verdict is OK, so that no list of problems has an entry anywhere."""
        seen = self.status
        assert [name for name in ("attention", "stuck", "blocked", "stalled") if seen[name]] == []
        assert self.reconciliation.need_a_person == []
        assert "attention." not in self.overview.replace("No site needs attention.", "")
        assert "Needs attention" not in self.check.output
        assert 'class="tile">Failed, 24 h <b class="">' in self.overview
        day = seen["last_day"]
        assert 2 * day["documents_failed"] <= day["documents_failed"] + day["documents_read"]
        failed, well = day["runs_failed"], day["runs_completed"] + day["runs_partial"]
        assert 2 * failed <= failed + well + day["runs_no_documents"]

    # ---------------------------------------------------------------------------- figures

    def agree_on_the_figures(self) -> None:
        seen, shown, metrics = self.status, tiles(self.overview), self.metrics
        pipeline = self.health["pipeline"]
        named = set(pipeline) - {"hours_by_stage", "stuck", "hours"}
        for figures in (pipeline, self.api["pipeline"]):
            assert {name: figures[name] for name in named} == {name: seen[name] for name in named}
        day, failed = seen["last_day"], seen["failed"]
        for name in ("documents_read", "documents_failed", "crashes", "reconciliations"):
            assert metrics[f"clerk_{name}_24h"] == day[name]
        for state in ("started", "completed", "partial", "no_documents", "failed", "cancelled"):
            assert metrics[f'clerk_runs_24h{{state="{state}"}}'] == day[f"runs_{state}"]
        assert shown["Failed, 24 h"] == str(day["documents_failed"])
        assert shown["Failed runs, 24 h"] == str(day["runs_failed"])
        assert shown["Crashed, 24 h"] == str(day["crashes"])
        assert f"health score {seen['health_score']} %" in self.overview or not seen["stages"]
        assert metrics.get("clerk_health_score_percent") == seen["health_score"]
        assert f"{_counted(day['documents_read'], 'document')} read;" in self.overview
        assert f"{_failed(failed)} failed in all" in self.overview
        for name, tile, value in (
            ("clerk_sites_stuck", "Stuck", len(seen["stuck"])),
            ("clerk_sites_without_documents", "Without documents", seen["without_documents"]),
        ):
            assert (metrics[name], shown[tile]) == (value, str(value))
        assert metrics["clerk_sites_silent"] == seen["silent"]
        assert metrics["clerk_sites_blocked"] == len(seen["blocked"])
        assert metrics["clerk_failed_documents"] == failed["documents"]
        assert metrics["clerk_failed_steps"] == failed["steps"]
        for stage, number in seen["stages"].items():
            assert metrics[f'clerk_sites{{stage="{stage}"}}'] == number
        for stage in STAGES:
            for state in ("completed", "failed"):
                counted = metrics[f'clerk_documents{{stage="{stage}",state="{state}"}}']
                assert counted == seen["documents"][stage][state]
        for each in seen["progress"]:
            active = seen["active"][each["stage"]]
            _, sites, _, done, lost, waiting, running = row_of(self.overview, each["stage"])
            assert (sites, lost) == (str(each["sites"]), str(each["failed"]))
            assert done == f"{each['completed']} / {each['total']}"
            assert (waiting, running) == (str(active["waiting"]), str(active["running"]))
        self.the_hours_add_up(day)

    def the_hours_add_up(self, day: dict[str, int]) -> None:
        table = self.overview[self.overview.index("These figures as a table") :]
        hours = [row for row in rows(table) if re.match(r"\d\d \w{3} \d\d:00$", row[0] or "")]
        sums = [sum(int(row[column]) for row in hours) for column in (1, 2, 3)]
        assert sums == [day["documents_read"], day["documents_failed"], day["crashes"]]

    def agree_on_failures(self) -> None:
        failed, day = self.status["failed"], self.status["last_day"]
        assert failed["documents_24h"] == day["documents_failed"] <= failed["documents"]
        assert sum(group["documents"] for group in self.groups) == failed["documents"]
        assert sum(group["steps"] for group in self.groups) == failed["steps"]
        recent = [each for each in self.each if each["is_recent"] and each["stage"] == OCR]
        recent = [each for each in recent if each["step"] != Step.COORDINATOR]
        assert sum(each["documents"] for each in recent) == failed["documents_24h"]
        if self.groups:
            [said] = re.findall(r'<p role="status">(.*?)\.', self.failures)
            groups = _counted(len(self.groups), "group")
            late = f"{_counted(failed['documents_24h'], 'document')} failed in the last 24 hours"
            assert _plain(said) == f"{_failed(failed)} in {groups}; {late}"
        else:
            assert "No document failed" in self.failures
        assert sum(site["failed"] for site in self.sites) == failed["documents"]
        assert f"\nFailed now: {_failed(failed)}\n" in self.check.output

    def agree_on_lists(self) -> None:
        needing = {each["subdomain"]: each["reason"] for each in self.status["attention"]}
        assert self.metrics["clerk_sites_needing_attention"] == len(needing)
        assert {plan.subdomain for plan in self.reconciliation.need_a_person} <= set(needing)
        assert set(self.status["blocked"]) <= set(needing)
        if needing:
            sentence = "site needs attention" if len(needing) == 1 else "sites need attention"
            assert f"{len(needing)} {sentence}." in self.overview
            assert f"Needs attention ({len(needing)}):" in self.check.output
        for name in (*SITES, OLD):
            listed = f'<tr id="site-{name}">' in self.attention_page
            assert listed is (name in needing)
            assert name not in needing or needing[name] in unescape(self.attention_page)
        outcomes = Counter(site["outcome"] for site in self.sites)
        assert outcomes["no documents"] == self.status["without_documents"]
        followed = {site["subdomain"]: site for site in self.followed}
        for site in self.sites:
            names = ("read", "documents", "failed", "cancelled")
            counted = [site[name] for name in names]
            assert [followed[site["subdomain"]][name] for name in names] == counted
            _, _, _, _, *shown, _ = row_of(self.html["sites"], site["subdomain"])
            assert shown == list(map(str, counted))
        for queue in self.queues:
            active = self.status["active"][queue["name"]]
            assert (queue["waiting"], queue["running"]) == (active["waiting"], active["running"])
            assert self.metrics[f'clerk_queue_depth{{queue="{queue["name"]}"}}'] == queue["waiting"]
            _, waiting, running, *_ = row_of(self.html["queues"], queue["name"])
            assert [waiting, running] == [str(queue["waiting"]), str(queue["running"])]
            workers = self.status["workers"]["by_queue"].get(queue["name"], 0)
            assert queue["workers"] == workers
        shown = tiles(self.html["batches"])
        day, by_status = self.status["last_day"], self.status["batches"]
        assert (self.batches["total"], self.batches["crashed"]) == (day["batches"], day["crashes"])
        assert shown["Created, 24 h"] == str(day["batches"])
        assert shown["Crashed, 24 h"] == str(day["crashes"])
        assert shown["Running"] == str(by_status["running"])
        assert f"{by_status['running']} running" in self.overview
        for status, number in by_status.items():
            assert self.metrics[f'clerk_batches{{status="{status}"}}'] == number

    # ------------------------------------------------------------------- the rows themselves

    def agree_with_the_rows(self) -> None:
        """Count once more, by hand, what can be counted without knowing how clerk counts."""
        yesterday = utc_now() - timedelta(days=1)
        with db.reading_connection() as conn:
            runs = conn.execute(select(runs_table)).fetchall()
            jobs = conn.execute(select(jobs_table)).fetchall()
            items = conn.execute(select(items_table)).fetchall()
            sites = conn.execute(select(sites_table)).fetchall()
            running = conn.execute(
                select(batches_table).where(batches_table.c.status == Batch.RUNNING)
            ).fetchall()
        day = self.status["last_day"]
        ended = [run.state for run in runs if run.finished_at and run.finished_at >= yesterday]
        for state in Run.ALL:
            if state != Run.ACTIVE:
                assert day[f"runs_{state}"] == ended.count(state)
        assert day["runs_started"] == sum(run.created_at >= yesterday for run in runs)
        readings = {
            job.subdomain: job.id
            for job in sorted(jobs, key=lambda job: job.id)
            if job.stage == OCR and job.kind == Kind.STAGE
        }
        bad = [
            item
            for item in items
            if item.job_id in readings.values() and item.state in (Item.FAILED, Item.QUARANTINED)
        ]
        old = sum(site.ocr_failed for site in sites if site.subdomain not in readings)
        assert self.status["failed"]["documents"] == sum(item.documents for item in bad) + old
        late = [item for item in bad if item.finished_at and item.finished_at >= yesterday]
        assert self.status["failed"]["documents_24h"] == sum(item.documents for item in late)
        assert self.status["batches"]["running"] == len(running)


def _json(*command: str) -> Any:
    return json.loads(clerk(*command, "--json").output)


def _plain(html: str) -> str:
    return unescape(re.sub(r"<.*?>", "", html)).replace("\u202f", "").strip()


def _counted(number: int, thing: str) -> str:
    return f"{number} {thing}{'' if number == 1 else 's'}"


def _failed(failed: dict[str, int]) -> str:
    documents, steps = failed["documents"], failed["steps"]
    parts = [_counted(documents, "document")] if documents or not steps else []
    return " and ".join([*parts, *([_counted(steps, "step")] if steps else [])])


def _settings(examples: int, steps: int) -> settings:
    return settings(
        max_examples=examples,
        stateful_step_count=steps,
        deadline=None,
        derandomize=True,
        suppress_health_check=list(HealthCheck),
    )


@pytest.mark.timeout(600)
def test_whatever_happens_cli_pages_and_api_show_the_same(database: str, storage: Path) -> None:
    examples = 2
    run_model(lambda: NumbersModel(storage), settings=_settings(examples, 15))


@pytest.mark.chaos
@pytest.mark.timeout(3600)
def test_whatever_happens_for_long_cli_pages_and_api_show_the_same(
    database: str, storage: Path
) -> None:
    examples = 250 if database == "sqlite" else 80
    run_model(lambda: NumbersModel(storage), settings=_settings(examples, 40))
