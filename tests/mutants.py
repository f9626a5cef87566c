"""Take away one guard at a time and see that a named test fails for it.

Each mutant is one line of clerk, changed in a copy of the package that is found first on
PYTHONPATH; the test named with it must then fail.  A mutant that survives is a guard that nothing
proves.  ``python tests/mutants.py`` runs all and prints a table, ``... NAME`` the ones so named;
``docs/mutants.md`` says in words what each guard is for.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

TESTS = Path(__file__).parent
PACKAGE = TESTS.parent / "src" / "clerk"

#: A mutant whose test waits this long is "hung": no assertion noticed it, so it counts as alive.
SECONDS = 120
#: How pytest ends when a test failed, and not when it could not even be found.
FAILED = 1


@dataclass(frozen=True)
class Mutant:
    """One line that is changed, and the test that must notice."""

    name: str
    file: str
    line: str
    instead: str
    test: str

    def apply(self, package: Path) -> None:
        """Change the line in a copy of the package; it must be there exactly once."""
        path = package / self.file
        source = path.read_text()
        if source.count(self.line) != 1:
            raise SystemExit(f"{self.name}: the line is not once in {self.file}: {self.line}")
        path.write_text(source.replace(self.line, self.instead))


MUTANTS = (
    Mutant(
        "a worker goes on with queues it serves",
        "pipeline/transitions.py",
        "    taker = claim if COMPILATION in going_on else None",
        "    taker = claim",
        "pipeline/test_survival.py"
        "::test_a_worker_that_does_not_serve_coordinators_leaves_them_to_others[sqlite-served0]",
    ),
    Mutant(
        "a paused queue keeps its coordinators",
        "pipeline/ledger/claiming.py",
        "    free = literal(COMPILATION).not_in(_paused())",
        "    free = true()",
        "pipeline/test_survival.py"
        "::test_a_paused_queue_keeps_the_coordinator_from_those_who_would_go_on[sqlite]",
    ),
    Mutant(
        "named documents are not counted by number",
        "pipeline/ledger/items.py",
        "    left = and_(items.c.state == Item.PENDING, items.c.documents > 0)",
        "    left = items.c.documents > 0",
        "pipeline/test_survival.py"
        "::test_documents_that_reconciliation_has_named_cannot_be_counted_without_a_name[sqlite]",
    ),
    Mutant(
        "a claim whose answer was lost is released",
        "executors/pool.py",
        "                self._in_doubt |= gives and isinstance(error, DatabaseUnavailable)\n",
        "",
        "pipeline/test_survival.py"
        "::test_a_claim_whose_answer_was_lost_is_released_while_the_worker_is_alive[sqlite-claim-1]",
    ),
    Mutant(
        "a claim made while the worker stops is released",
        "pipeline/flow.py",
        "        self.release(worker_id)\n",
        "",
        "pipeline/test_survival.py"
        "::test_a_claim_made_while_the_worker_stops_is_released[sqlite-claim]",
    ),
    Mutant(
        "state guard of a settlement",
        "pipeline/ledger/settling.py",
        'bindparam("token"), items_table.c.state == sql_word(Item.RUNNING)',
        'bindparam("token"), items_table.c.id == items_table.c.id',
        "pipeline/test_traps.py::test_trap_04_a_job_delivered_twice_counts_once[sqlite]",
    ),
    Mutant(
        "claim guard of a settlement",
        "pipeline/ledger/settling.py",
        'items_table.c.claim == bindparam("token"), items_table.c.state ==',
        'bindparam("token").is_not(None), items_table.c.state ==',
        "pipeline/test_traps.py::test_a_late_worker_cannot_finish_what_another_has_claimed[sqlite]",
    ),
    Mutant(
        "run fence",
        "pipeline/ledger/settling.py",
        "        if not hold_run(conn, claim.run_id, exclusive=exclusive):",
        "        if False:",
        "pipeline/test_survival.py"
        "::test_a_document_is_not_finished_while_its_run_is_being_ended[postgresql-failed]",
    ),
    Mutant(
        "a run is held while its documents are finished",
        "pipeline/ledger/settling.py",
        "        .where(items_table.c.run_id.in_(select(held.c.run_id)))\n",
        "",
        "pipeline/test_survival.py"
        "::test_a_document_is_not_finished_while_its_run_is_being_ended[postgresql-completed]",
    ),
    Mutant(
        "work of a superseded run is cancelled",
        "pipeline/transitions.py",
        "        ledger.cancel_open_work(conn, former, SUPERSEDED)",
        "        pass",
        "pipeline/test_conformance.py::test_a_new_run_supersedes_the_one_under_way[embedded-sqlite]",
    ),
    Mutant(
        "batches are cancelled with their run",
        "pipeline/ledger/items.py",
        "        end_as_cancelled(conn, batches_table.c.claim.in_(tokens), why)",
        "        pass",
        "pipeline/test_cancel.py::test_a_step_without_pages_is_stopped_too[sqlite-fetch]",
    ),
    Mutant(
        "a cancellation locks batches as a beat does",
        "pipeline/ledger/items.py",
        "    chosen = select(batches.c.id).where(which, is_open).order_by(batches.c.claim)",
        "    chosen = select(batches.c.id).where(which, is_open).order_by(batches.c.claim.desc())",
        "pipeline/test_survival.py::test_cancelling_does_not_deadlock_with_a_beat[postgresql]",
    ),
    Mutant(
        "a worker stops cancelled work",
        "executors/pool.py",
        "            if slot.claim is not None and slot.claim.token not in held:",
        "            if False:",
        "pipeline/test_cancel.py::test_a_step_without_pages_is_stopped_too[sqlite-fetch]",
    ),
    Mutant(
        "a child that does not stop is killed",
        "executors/pool.py",
        "        if messages is None or time.monotonic() >= self._leave_by:",
        "        if messages is None:",
        "pipeline/test_cancel.py::test_a_step_without_pages_is_stopped_too[sqlite-fetch]",
    ),
    Mutant(
        "a child stops at its next page",
        "core/child_process.py",
        'note: str = "", position: int = 0) -> None:\n    if slate.asked_to_leave:\n',
        'note: str = "", position: int = 0) -> None:\n    if False:\n',
        "core/test_child_process.py::test_a_child_that_is_to_leave_does_so_with_its_next_report_and_serves_on",
    ),
    Mutant(
        "a helper stops when nobody reads the document",
        "executors/pool.py",
        "            elif slot.helping is not None and not self._flow.still_wanted(slot.helping):",
        "            elif False:",
        "pipeline/test_cancel.py::test_a_page_that_takes_for_ever_is_not_waited_for[embedded-sqlite]",
    ),
    Mutant(
        "a missing file is not always a bad document",
        "core/installation.py",
        "    elif not is_marked(settings):",
        "    elif False:",
        "pipeline/test_missing_files.py"
        "::test_a_machine_without_the_files_blames_no_document[sqlite-an_empty_folder]",
    ),
    Mutant(
        "a deleted file is not remembered as a bad one",
        "core/child_process.py",
        '        errors.FileGone: "gone",\n',
        "",
        "pipeline/test_missing_files.py"
        "::test_a_document_that_was_deleted_fails_and_is_fetched_again_by_the_next_run[sqlite]",
    ),
    Mutant(
        "a worker pauses the stage in which only a person can help",
        "executors/pool.py",
        "        self._paused_until[queue] = time.monotonic() + OPERATOR_SECONDS",
        "        pass",
        "pipeline/test_missing_files.py"
        "::test_a_worker_without_the_files_leaves_the_stage_to_others[beside the pages-sqlite]",
    ),
    Mutant(
        "a machine without the text does not end the run",
        "pipeline/flow.py",
        "            if reading is not None and reading.completed:",
        "            if False:",
        "pipeline/test_missing_files.py::test_text_that_a_script_left_elsewhere_is_not_taken_for_none[sqlite]",
    ),
    Mutant(
        "nothing is published without any text",
        "pipeline/steps.py",
        "        installation.require_files(around.settings)",
        "        pass",
        "pipeline/test_missing_files.py"
        "::test_no_empty_site_is_published_by_a_machine_without_the_text[compile-compilation-sqlite]",
    ),
    Mutant(
        "a PDF that was deleted is fetched again",
        "pipeline/steps.py",
        "        manifest.forget_bytes(conn, around.files.subdomain, document.name)",
        "        pass",
        "pipeline/test_missing_files.py"
        "::test_a_document_that_was_deleted_fails_and_is_fetched_again_by_the_next_run[sqlite]",
    ),
    Mutant(
        "a site without its files does not keep others waiting",
        "executors/embedded.py",
        "            of_one_site = isinstance(trouble, StorageIncomplete)",
        "            of_one_site = False",
        "pipeline/test_missing_files.py"
        "::test_one_site_without_its_files_does_not_keep_others_waiting[sqlite]",
    ),
    Mutant(
        "counters in the transaction of the rows",
        "pipeline/transitions.py",
        "    if job.kind == Kind.STAGE:\n        show_job(conn, job, settled.error)\n",
        "",
        "pipeline/test_traps.py::test_trap_04_a_job_delivered_twice_counts_once[sqlite]",
    ),
    Mutant(
        "state first, commit, then enqueue",
        "pipeline/flow.py",
        " transitions.finish(conn, claim, ready, ended=ended, going_on=going_on)",
        " transitions.finish(conn, claim, ready, ended=ended, going_on=going_on)"
        "; queues.offer(self.settings, QUEUES)",
        "pipeline/test_traps.py::test_trap_01_jobs_are_enqueued_after_their_state_is_committed[sqlite]",
    ),
    Mutant(
        "completeness guard of the coordinator's claim",
        "pipeline/transitions.py",
        'return and_(_unclaimed(stage), counted == sites.c[f"{stage}_total"])',
        "return _unclaimed(stage)",
        "pipeline/test_pipeline_state.py::test_the_coordinator_waits_for_every_document[sqlite]",
    ),
    Mutant(
        "flag guard of the coordinator's claim",
        "pipeline/transitions.py",
        "return and_(sites.c.current_stage == stage, sites.c.coordinator_enqueued.is_(False))",
        "return sites.c.current_stage == stage",
        "pipeline/test_pipeline_state.py::test_the_coordinator_is_claimed_once[sqlite]",
    ),
    Mutant(
        "the coordinator's row is written with its claim",
        "pipeline/transitions.py",
        "    if stage == OCR:\n        open_coordinator(conn, job)",
        "    if stage == COMPILATION:\n        open_coordinator(conn, job)",
        "pipeline/test_traps.py::test_trap_03_a_worker_that_dies_after_the_claim_loses_no_coordinator[sqlite]",
    ),
    Mutant(
        "a batch ends once",
        "pipeline/ledger/settling.py",
        "    if not record_crash(conn, claim, crash):\n        return settled",
        "    record_crash(conn, claim, crash)",
        "annotations/test_annotation_recovery.py"
        "::test_a_late_report_of_a_crash_changes_nothing[sqlite]",
    ),
    Mutant(
        "a suspect runs alone",
        "pipeline/ledger/settling.py",
        "                alone=True,",
        "                alone=False,",
        "pipeline/test_traps.py::test_a_suspect_is_given_out_alone_and_after_the_others[sqlite]",
    ),
    Mutant(
        "budget of errors",
        "pipeline/ledger/settling.py",
        "errors >= ERROR_BUDGET",
        "errors > ERROR_BUDGET",
        "pipeline/test_conformance.py::test_documents_of_every_sort_are_all_accounted_for[embedded-sqlite]",
    ),
    Mutant(
        "budget of crashes",
        "pipeline/ledger/settling.py",
        "crashes >= CRASH_BUDGET",
        "crashes > CRASH_BUDGET",
        "pipeline/test_traps.py::test_trap_21_a_poison_document_kills_a_worker_twice_and_never_again[sqlite]",
    ),
    Mutant(
        "budget of lost workers",
        "pipeline/ledger/settling.py",
        "lost >= LOST_BUDGET",
        "lost > LOST_BUDGET",
        "pipeline/test_traps.py::test_a_document_that_loses_its_worker_five_times_is_given_up[sqlite]",
    ),
    Mutant(
        "the rest of a crashed batch is released unharmed",
        "pipeline/ledger/settling.py",
        "    release(conn, claim)\n    if claim.step == Step.STORE",
        "    if claim.step == Step.STORE",
        "pipeline/test_traps.py::test_a_suspect_is_given_out_alone_and_after_the_others[sqlite]",
    ),
    Mutant(
        "what a worker leaves is released",
        "pipeline/transitions.py",
        "        ledger.release(conn, claim)",
        "        pass",
        "executors/test_pool.py::test_two_signals_stop_at_once_and_release_the_running_work[sqlite]",
    ),
    Mutant(
        "a lease ends",
        "pipeline/ledger/held.py",
        "        workers.c.lease_until < db_now(),",
        '        workers.c.id == "",',
        "pipeline/test_traps.py::test_work_of_a_worker_on_another_host_comes_back_when_its_lease_ends[sqlite]",
    ),
    Mutant(
        "an unknown owner is a dead owner",
        "pipeline/ledger/held.py",
        "        workers.c.id.is_(None),",
        '        workers.c.id == "",',
        "pipeline/test_traps.py::test_a_batch_of_an_unknown_worker_is_released[sqlite]",
    ),
    Mutant(
        "a free lock is a dead worker",
        "executors/worker_lock.py",
        "        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)\n        return True",
        "        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)\n        return False",
        "executors/test_pool.py::"
        "test_a_killed_supervisor_takes_its_children_along_and_is_followed_at_once[sqlite]",
    ),
    Mutant(
        "a worker that works beats",
        "executors/pool.py",
        "            self.retry_while_database_is_down(self._beat)",
        "            pass",
        "pipeline/test_traps.py::test_trap_10_a_long_document_is_neither_stuck_nor_crashed[sqlite]",
    ),
    Mutant(
        "children end with their parent",
        "core/child_process.py",
        "        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)",
        "        pass",
        "executors/test_pool.py::"
        "test_a_killed_supervisor_takes_its_children_along_and_is_followed_at_once[sqlite]",
    ),
    Mutant(
        "a document has a deadline",
        "core/child_process.py",
        "        return time.monotonic() > self.deadline + waited_for_processor(self.pid)"
        " - self._waited",
        "        return False",
        "core/test_child_process.py::test_a_hanging_child_is_overdue",
    ),
    Mutant(
        "a child has a limit of memory",
        "core/child_process.py",
        "    if memory_mb:\n",
        "    if False:\n",
        "core/test_child_process.py::test_a_child_that_wants_too_much_memory_says_so_and_lives",
    ),
    Mutant(
        "a poison document is remembered",
        "pipeline/transitions.py",
        "    known = remembered.get((document.name, document.sha256))",
        "    known = None",
        "pipeline/test_conformance.py::"
        "test_a_poison_document_is_remembered_until_its_bytes_change[embedded-sqlite]",
    ),
    Mutant(
        "retries wait, and unnamed documents are not assigned",
        "pipeline/ledger/claiming.py",
        "        items_table.c.state == sql_word(Item.PENDING), "
        "items_table.c.available_at <= db_now()\n",
        "        items_table.c.state == sql_word(Item.PENDING)\n",
        "pipeline/test_traps.py::test_documents_without_a_name_are_given_to_nobody[sqlite]",
    ),
    Mutant(
        "a paused queue",
        "pipeline/ledger/claiming.py",
        "*(jobs.c.queue == queue, jobs.c.queue.not_in(_paused())),",
        "jobs.c.queue == queue,",
        "executors/test_pool.py::test_a_paused_queue_is_not_served[sqlite]",
    ),
    Mutant(
        "a claim takes no more than it asked for",
        "pipeline/ledger/claiming.py",
        '.limit(bindparam("most"))',
        '.limit(bindparam("most") + 100)',
        "pipeline/test_traps.py::test_a_claim_takes_no_more_than_it_asked_for[sqlite]",
    ),
    Mutant(
        "runs of a site are opened one after the other",
        "pipeline/transitions.py",
        "    lock_site(conn, subdomain)\n    former",
        "    former",
        "pipeline/test_workers.py::test_runs_started_at_once_leave_one_active[postgresql]",
    ),
    Mutant(
        "a site is adopted once",
        "pipeline/scripted_stages.py",
        "        lock_site(conn, subdomain)\n        job = _held_job",
        "        job = _held_job",
        "pipeline/test_workers.py::"
        "test_scripts_that_count_at_once_on_an_older_site_lose_nothing[postgresql]",
    ),
    Mutant(
        "a dry run sweeps nothing",
        "pipeline/reconcile.py",
        "            whole.crashed_batches = len(ledger.batches_of_the_dead(conn, silence, dead))",
        "            whole.crashed_batches = flow.sweep(settings)",
        "pipeline/test_reconcile.py::test_a_dry_run_changes_nothing_at_all[sqlite]",
    ),
    Mutant(
        "a dry run recovers nothing",
        "pipeline/reconcile.py",
        "            elif dry_run:\n",
        "            elif False:\n",
        "pipeline/test_reconcile.py::test_a_dry_run_changes_nothing_at_all[sqlite]",
    ),
    Mutant(
        "recovery decides under the site's lock",
        "pipeline/reconcile.py",
        "        lock_site(conn, subdomain)\n        run = transitions",
        "        run = transitions",
        "pipeline/test_reconcile.py::test_reconciling_twice_at_once_does_it_once[postgresql]",
    ),
    Mutant(
        "work of a live worker is not stuck",
        "pipeline/reconcile.py",
        "    moving = _in_work(conn) | _waiting_for_a_live_worker(conn)",
        "    moving = _waiting_for_a_live_worker(conn)",
        "pipeline/test_reconcile.py::test_what_a_live_worker_has_claimed_is_never_stuck[sqlite]",
    ),
    Mutant(
        "a backlog that is served is not stuck",
        "pipeline/reconcile.py",
        "    moving = _in_work(conn) | _waiting_for_a_live_worker(conn)",
        "    moving = _in_work(conn)",
        "pipeline/test_traps.py::test_trap_15_a_healthy_backlog_is_left_alone[sqlite]",
    ),
    Mutant(
        "most runs failed is critical",
        "ops/health.py",
        "    if 2 * failed > ended and failed > FAILED_FEW:",
        "    if False:",
        "ops/test_health.py::test_failed_runs_decide_by_their_share[ended0-CRITICAL-sqlite]",
    ),
    Mutant(
        "a site that needs attention is a warning",
        "ops/health.py",
        '    return Check("attention", Level.WARNING, found, fix, len(sites), parts)',
        '    return Check("attention", Level.OK, found, fix, len(sites), parts)',
        "ops/test_health.py::test_a_site_that_needs_attention_is_never_ok[sqlite]",
    ),
    Mutant(
        "idle workers that take nothing are noticed",
        "ops/counts.py",
        "        idle = servers and not any(row.is_busy for row in servers)",
        "        idle = False",
        "ops/test_health.py::test_a_queue_from_which_idle_workers_take_nothing_is_critical[sqlite]",
    ),
    Mutant(
        "a known failure keeps its date",
        "pipeline/transitions.py",
        "finished_at=since.get(row.document, now)) for row in rejected",
        "finished_at=now) for row in rejected",
        "pipeline/test_failures.py::test_a_failure_is_dated_when_it_happened_first[sqlite]",
    ),
    Mutant(
        "the failures of the day are among the failures",
        "pipeline/failures.py",
        "        .where(items.c.finished_at >= db_now(-DAY_SECONDS))\n",
        "",
        "ops/test_health.py::test_what_happened_in_a_day_is_counted[sqlite]",
    ),
    Mutant(
        "a site that never moved is stuck",
        "pipeline/reconcile.py",
        "        .where(or_(sites.c.updated_at < cutoff, sites.c.updated_at.is_(None)))",
        "        .where(sites.c.updated_at < cutoff)",
        "pipeline/test_traps.py::test_trap_16_a_site_that_never_moved_is_stuck_too[sqlite]",
    ),
    Mutant(
        "work that waits for a person is no backlog",
        "pipeline/reconcile.py",
        "        or_(items_table.c.error_kind.is_(None), ~_met_trouble()),\n",
        "",
        "pipeline/test_reconcile.py::"
        "test_work_that_only_a_person_can_fix_is_reported_although_it_is_retried[sqlite]",
    ),
    Mutant(
        "a silent site is checked again under its lock",
        "pipeline/reconcile.py",
        "            if conn.execute(still_silent).first() is None:\n",
        "            if False:\n",
        "pipeline/test_reconcile.py::"
        "test_a_site_that_another_reconciliation_set_moving_needs_nobody[sqlite]",
    ),
    Mutant(
        "upgrades take turns",
        "core/schema/__init__.py",
        "    with explained(), _alone(engine):\n        file =",
        "    with explained():\n        file =",
        "core/test_schema.py::test_upgrades_at_once_take_turns[postgresql]",
    ),
    Mutant(
        "real failures are not erased",
        "pipeline/reconcile.py",
        "    again = () if known_failures else tuple(sorted(pdfs))",
        "    again = tuple(sorted(pdfs))",
        "pipeline/test_reconcile.py::test_real_failures_are_not_erased[sqlite]",
    ),
    Mutant(
        "what a killed reader left is not a document",
        "core/storage.py",
        '        subfolders[:] = sorted(name for name in subfolders if not name.startswith("."))',
        "        subfolders.sort()",
        "pipeline/test_conformance.py::test_documents_of_every_sort_are_all_accounted_for[embedded-sqlite]",
    ),
    Mutant(
        "text appears by one rename",
        "core/storage.py",
        "    with workplace(target) as part:\n        yield part",
        "    with workplace(target) as part:\n        target.mkdir(exist_ok=True); yield target",
        "pipeline/test_conformance.py::test_documents_of_every_sort_are_all_accounted_for[embedded-sqlite]",
    ),
    Mutant(
        "a helper takes a page once",
        "read/shared_pages.py",
        "                if os.pread(self._descriptor, 1, number) == _WAITING:\n"
        "                    self._mark_taken(number)\n",
        "                if os.pread(self._descriptor, 1, number) == _WAITING:\n"
        "                    pass\n",
        "read/test_shared_pages.py::test_a_page_is_taken_by_one_helper_and_by_the_reader",
    ),
    Mutant(
        "a helper reads the same file",
        "read/page_helper.py",
        "        if file_version(path) != document.version or ",
        "        if ",
        "read/test_shared_pages.py::test_nobody_helps_who_would_read_something_else",
    ),
    Mutant(
        "pages of a dead reader are offered to nobody",
        "read/shared_pages.py",
        "            if not shared.become_reader():\n",
        "            if True:\n",
        "read/test_shared_pages.py::"
        "test_pages_of_a_dead_reader_are_offered_to_nobody_and_in_the_end_removed",
    ),
    Mutant(
        "results of pages outlive their reader",
        "read/documents.py",
        "                    shared.store(number, result)",
        "                    pass",
        "read/test_shared_pages.py::test_a_reader_that_is_killed_costs_its_current_page_only[sqlite]",
    ),
    Mutant(
        "records of followed documents count for one database",
        "annotations/page_memory.py",
        "    believed = memory.standing == standing and memory.version == _VERSION",
        "    believed = memory.version == _VERSION",
        "annotations/test_annotation_pages.py::test_a_database_that_lost_annotations_gets_them_again[sqlite]",
    ),
    Mutant(
        "a document is followed when one of its files is another",
        "annotations/page_memory.py",
        "    for facts in files:\n",
        "    for facts in files[:1]:\n",
        "annotations/test_annotation_pages.py"
        "::test_a_document_whose_findings_alone_are_others_is_followed[sqlite]",
    ),
    Mutant(
        "two names with a slash are members",
        "extract/motions.py",
        "    return all(name.titled or name.surname.lower() in doc.roster.known",
        "    return all(True",
        "extract/test_examples.py"
        "::test_a_reader_would_write_down_the_same_votes[styles: a slash between things]",
    ),
    Mutant(
        "no message ends a worker",
        "executors/rq.py",
        "may end a worker\n"
        '            log.warning("Skipping an unreadable message: %s", error)\n'
        "            return True",
        "may end a worker\n            raise",
        "pipeline/test_survival.py::test_a_message_that_cannot_be_read_does_not_end_a_worker[sqlite]",
    ),
    Mutant(
        "a worker looks into the ledger by itself",
        "executors/rq.py",
        "        while pool.turn(BUSY_SECONDS if pool.busy else 0.0) or pool.should_look:",
        "        while pool.busy and pool.turn(BUSY_SECONDS):",
        "pipeline/test_traps.py::test_redis_flushed_in_the_middle_loses_nothing[sqlite]",
    ),
    Mutant(
        "the last run of a site is never pruned",
        "pipeline/run_history.py",
        "        .where(has_later_run, ~has_last_reading)",
        "        .where(~has_last_reading)",
        "ops/test_retention.py::test_the_last_run_is_kept_however_old[sqlite]",
    ),
    Mutant(
        "the last reading of a site is never pruned",
        "pipeline/run_history.py",
        "        .where(has_later_run, ~has_last_reading)",
        "        .where(has_later_run)",
        "ops/test_retention.py::test_the_last_reading_is_kept_however_old[sqlite]",
    ),
    Mutant(
        "what a run changed is kept",
        "pipeline/run_history.py",
        "    return [run for run in runs if run.run_id not in changed]",
        "    return list(runs)",
        "ops/test_retention.py::test_a_run_without_changes_costs_one_row[sqlite]",
    ),
    Mutant(
        "a run is added up by whoever holds it",
        "pipeline/run_history.py",
        "                held = _hold(conn, chosen, page)\n",
        "                held = page\n",
        "ops/test_retention.py::test_pruning_during_work_disturbs_neither[sqlite]",
    ),
    Mutant(
        "batches are added up before they go with their run",
        "pipeline/run_history.py",
        "    batches.move_runs_to_history(conn, names)\n",
        "",
        "ops/test_retention.py::test_old_runs_become_sums_of_their_day_and_site[sqlite]",
    ),
    Mutant(
        "objects of another installation are not deleted",
        "ops/retention.py",
        "    if (found := store.installation()) != here:",
        "    if (found := store.installation()) is None:",
        "ops/test_retention.py"
        "::test_nothing_is_deleted_from_the_store_of_another_installation[sqlite]",
    ),
    Mutant(
        "a new object may wait for its row",
        "ops/retention.py",
        "            if each.modified_at < before and each.sha256",
        "            if each.sha256",
        "ops/test_retention.py::test_objects_that_nothing_names_are_deleted_after_a_week[sqlite]",
    ),
    Mutant(
        "objects are checked again before they are deleted",
        "ops/retention.py",
        "for each in group if each not in named_now]",
        "for each in group]",
        "ops/test_retention.py"
        "::test_an_object_that_is_named_while_objects_are_listed_stays[sqlite]",
    ),
    Mutant(
        "due sites are chosen under their locks",
        "pipeline/runs.py",
        "            for name in sorted(conn.execute(chosen).scalars()):",
        "            for name in sorted(group):",
        "pipeline/test_scale.py::test_two_who_queue_all_sites_at_once_start_each_once[postgresql]",
    ),
    Mutant(
        "PostgreSQL notifies workers of work",
        "pipeline/queues.py",
        "            notifications.notify(conn, waiting)\n",
        "            pass\n",
        "executors/test_postgresql.py"
        "::test_idle_workers_start_as_soon_as_a_site_is_queued[postgresql]",
    ),
    Mutant(
        "work released from a dead worker is announced",
        "pipeline/flow.py",
        "        self._opened |= sweep(self.settings, most=SWEPT_AT_ONCE) > 0",
        "        sweep(self.settings, most=SWEPT_AT_ONCE)",
        "executors/test_postgresql.py"
        "::test_the_work_of_a_killed_worker_is_found_by_an_idle_one[postgresql]",
    ),
    Mutant(
        "a new connection counts as a notification",
        "core/notifications.py",
        '(f"LISTEN {CHANNEL}")\n                return True',
        '(f"LISTEN {CHANNEL}")\n                return False',
        "executors/test_postgresql.py::test_notifications_of_other_queues_wake_nobody[postgresql]",
    ),
    Mutant(
        "a part is finished by the claim that holds it",
        "pipeline/transitions.py",
        "    if not ledger.complete_item(conn, claim, done):\n        raise upload_state.ClaimLost",
        "    ledger.complete_item(conn, claim, done)",
        "annotations/test_annotation_recovery.py"
        "::test_a_part_claimed_by_another_worker_cannot_be_finished[sqlite]",
    ),
    Mutant(
        "a recovered crash stays visible",
        "pipeline/ledger/settling.py",
        '        conn.execute(_BATCH_AFTER_CRASH, {"batch_token": claim.token})',
        "        return_batch(conn, claim)",
        "annotations/test_annotation_recovery.py"
        "::test_a_child_killed_once_by_chance_costs_nothing[sqlite]",
    ),
    Mutant(
        "a suspended upload is not claimed",
        "pipeline/ledger/claiming.py",
        ", jobs.c.suspended_at.is_(None))",
        ", jobs.c.id == jobs.c.id)",
        "annotations/test_annotation_uploads.py::test_suspended_resumed_and_cancelled[sqlite]",
    ),
    Mutant(
        "only who holds the split adds parts",
        "pipeline/ledger/settling.py",
        "    if conn.execute(held, values).first() is None:",
        "    if False:",
        "annotations/test_annotation_recovery.py"
        "::test_a_split_that_commits_while_its_upload_is_cancelled_leaves_nothing_pending[postgresql]",
    ),
    Mutant(
        "a cancellation waits for the split",
        "pipeline/ledger/items.py",
        "    conn.execute(split.with_for_update()).fetchall()\n",
        "",
        "annotations/test_annotation_recovery.py"
        "::test_a_split_that_commits_while_its_upload_is_cancelled_leaves_nothing_pending[postgresql]",
    ),
    Mutant(
        "an upload is not over before its file is split",
        "pipeline/transitions.py",
        "        return not ledger.has_open_step(conn, job.id)",
        "        return True",
        "annotations/test_annotation_recovery.py"
        "::test_an_upload_is_not_over_while_its_file_is_being_split[sqlite]",
    ),
    Mutant(
        "reading does not end before the fetch does",
        "pipeline/transitions.py",
        '        return fetching is None or fetching.state != "open"',
        "        return True",
        "pipeline/test_reading_while_fetching.py"
        "::test_a_document_that_fails_before_the_fetch_ends_does_not_close_the_stage[sqlite]",
    ),
    Mutant(
        "a document that was opened while it was fetched is not opened again",
        "pipeline/transitions.py",
        "        if row.name not in known\n",
        "",
        "pipeline/test_reading_while_fetching.py"
        "::test_a_fetch_that_is_tried_again_opens_nothing_twice[sqlite]",
    ),
    Mutant(
        "a part that kills twice is divided",
        "pipeline/upload_steps.py",
        "    if item.crashes + item.lost + 1 < CRASH_BUDGET:\n        return []",
        "    return []",
        "annotations/test_annotation_recovery.py"
        "::test_a_document_that_kills_its_worker_is_found_and_named[sqlite]",
    ),
    Mutant(
        "a part that raised is stored by document",
        "pipeline/upload_steps.py",
        "singly=bool(item.errors))",
        "singly=False)",
        "annotations/test_annotation_recovery.py"
        "::test_a_document_that_raises_costs_only_itself[sqlite]",
    ),
    Mutant(
        "a split without a worker is released",
        "pipeline/ledger/held.py",
        "items.c.worker_id).where(items.c.state == sql_word(Item.RUNNING)),",
        "items.c.worker_id).where(items.c.id < 0),",
        "annotations/test_annotation_recovery.py"
        "::test_splitting_continues_where_its_worker_died[sqlite]",
    ),
    Mutant(
        "a page that killed is forgiven once",
        "pipeline/ledger/settling.py",
        "        forgiven = is_new_page and not crash.worker_lost",
        "        forgiven = False",
        "pipeline/test_ledger.py"
        "::test_a_page_is_forgiven_once_and_left_out_by_the_next_attempt[sqlite]",
    ),
    Mutant(
        "a document is forgiven only some pages",
        "pipeline/ledger/settling.py",
        "            and len(pages) < MOST_PAGES\n",
        "",
        "pipeline/test_ledger.py::test_a_document_is_forgiven_only_some_pages[sqlite]",
    ),
    Mutant(
        "what loses its place is kept",
        "annotations/rereading.py",
        "        waiting.append(Orphans(text_id, anchored.lost, quotes))\n",
        "",
        "annotations/test_rereading.py"
        "::test_no_text_loses_an_annotation_and_the_first_one_has_all_again",
    ),
    Mutant(
        "an orphan that is not back stays",
        "annotations/rereading.py",
        "    if len(left):\n        found.orphans.append(",
        "    if False:\n        found.orphans.append(",
        "annotations/test_rereading.py"
        "::test_no_text_loses_an_annotation_and_the_first_one_has_all_again",
    ),
    Mutant(
        "a relation waits for both of its ends",
        "annotations/rereading.py",
        "    placed = (found.annotations, *backs)",
        "    placed = (found.annotations,)",
        "annotations/test_rereading.py"
        "::test_no_text_loses_an_annotation_and_the_first_one_has_all_again",
    ),
    Mutant(
        "a new mark takes no id of an orphan",
        "annotations/anchor.py",
        '        self._free = free_ids("A", mine | taken)',
        '        self._free = free_ids("A", mine)',
        "annotations/test_rereading.py"
        "::test_no_text_loses_an_annotation_and_the_first_one_has_all_again",
    ),
    Mutant(
        "a quote that is together again is one span",
        "annotations/anchor.py",
        "            if mark is not None and (whole :=",
        "            if False and (whole :=",
        "annotations/test_rereading.py"
        "::test_no_text_loses_an_annotation_and_the_first_one_has_all_again",
    ),
    Mutant(
        "words that may be elsewhere are no piece",
        "annotations/align.py",
        "        if not telling or not self._is_free(",
        "        if at < 0 or not self._is_free(",
        "annotations/test_align.py"
        "::test_words_that_another_reading_has_apart_are_pieces_of_the_span",
    ),
    Mutant(
        "a replaced text does not prevent a rollback",
        "annotations/store.py",
        "    moves = or_(sets.c.job_id.is_(None), sets.c.job_id.in_(moving))",
        "    moves = sets.c.job_id.in_(moving)",
        "annotations/test_annotation_changes.py"
        "::test_an_upload_can_be_rolled_back_after_its_text_was_replaced[sqlite]",
    ),
)


def survives(mutant: Mutant) -> tuple[str, float, str]:
    """Run the mutant's test against a changed copy and say how it ended, and what pytest said."""
    started = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="clerk-mutant-") as folder:
        package = Path(folder) / "clerk"
        # With what is compiled of it: only the changed file is compiled again.
        shutil.copytree(PACKAGE, package)
        mutant.apply(package)
        ended = _run(mutant.test, folder)
    seconds = time.monotonic() - started
    if "Timeout" in ended.stdout:
        unchanged = _run(mutant.test, str(PACKAGE.parent))
        return "hung" if unchanged.returncode == 0 else "not run: too slow", seconds, ""
    if ended.returncode == FAILED:
        said = [line for line in ended.stdout.splitlines() if line.startswith("E  ")]
        return "killed", seconds, said[0][1:].strip() if said else ""
    if ended.returncode:
        return f"not run: {ended.stdout[-400:]}{ended.stderr[-400:]}", seconds, ""
    return "SURVIVED", seconds, ""


def _run(test: str, path: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "pytest", "-x", "-q", "--timeout", str(SECONDS)]
    command += ["-p", "no:cacheprovider", str(TESTS / test)]
    environment = os.environ | {"PYTHONPATH": path, "PYTHONDONTWRITEBYTECODE": "1"}
    return subprocess.run(
        command, capture_output=True, text=True, env=environment, cwd=TESTS.parent, check=False
    )


def main(names: list[str]) -> int:
    """Run the mutants and return how many were not killed."""
    chosen = [each for each in MUTANTS if not names or any(name in each.name for name in names)]
    alive = 0
    with ThreadPoolExecutor(2) as pool:
        for mutant, (fate, seconds, said) in zip(chosen, pool.map(survives, chosen), strict=True):
            alive += fate != "killed"
            print(f"{fate:8}  {seconds:5.1f} s  {mutant.name:55}  {mutant.test}", flush=True)
            print(f"          {said[:100]}", flush=True)
    print(f"{len(chosen) - alive} of {len(chosen)} mutants killed")
    return alive


if __name__ == "__main__":
    sys.exit(min(1, main(sys.argv[1:])))
