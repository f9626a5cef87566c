"""When sites are queued: rules over a year with daylight saving time, and the queueing itself."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from datetime import UTC, date, datetime, timedelta
from itertools import pairwise
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from guide import clerk
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis_sizes import examples
from sqlalchemy import insert, select, update

from clerk.core import config, db
from clerk.core.clock import utc_now
from clerk.core.errors import InvalidInput
from clerk.core.models import jobs_table, runs_table, schedules_table, stage_events_table
from clerk.pipeline import runs, schedule, transitions
from clerk.pipeline.schedule import ScheduleRule, next_after, parse_rule

Make = Callable[..., str]
CHICAGO = "America/Chicago"
NEW_YEAR = datetime(2026, 1, 1, 12, 7, tzinfo=UTC)


def year_of(
    rule: ScheduleRule, site: str = "springfield", meetings: Sequence[date] = ()
) -> list[datetime]:
    """Every moment of a rule from new year to new year."""
    moments, at = [], NEW_YEAR
    while (at := next_after(rule, at, site, meetings)) < NEW_YEAR + timedelta(days=365):
        moments.append(at)
    return moments


@pytest.mark.parametrize("at", ["00:00", "01:30", "02:30", "06:00", "23:59"])
def test_a_daily_time_runs_once_on_every_local_day_of_a_year(at: str) -> None:
    moments = year_of(ScheduleRule(at=at, zone=CHICAGO))

    local = [moment.astimezone(ZoneInfo(CHICAGO)) for moment in moments]
    assert len({each.date() for each in local}) == len(moments) == 365
    shifted = [each for each in local if f"{each:%H:%M}" != at]
    if at == "02:30":
        assert [f"{each:%Y-%m-%d %H:%M}" for each in shifted] == ["2026-03-08 03:30"]
    else:
        assert shifted == []


def test_a_time_that_exists_twice_counts_once() -> None:
    rule = ScheduleRule(at="01:30", zone=CHICAGO)
    first = datetime(2026, 11, 1, 6, 30, tzinfo=UTC)

    assert next_after(rule, first - timedelta(minutes=1)) == first
    assert next_after(rule, first) == datetime(2026, 11, 2, 7, 30, tzinfo=UTC)


def test_hours_are_hours_whatever_the_clock_says() -> None:
    assert {b - a for a, b in pairwise(year_of(ScheduleRule(every_hours=6)))} == {
        timedelta(hours=6)
    }


def test_weekdays_are_those_of_the_zone() -> None:
    rule = ScheduleRule(at="22:00", on=("mon", "thu"), zone=CHICAGO)

    local = {f"{moment.astimezone(ZoneInfo(CHICAGO)):%a %H:%M}" for moment in year_of(rule)}

    assert local == {"Mon 22:00", "Thu 22:00"}
    assert {f"{moment:%a}" for moment in year_of(rule)} == {"Tue", "Fri"}
    assert rule.interval == timedelta(days=4)


def test_a_jitter_is_the_same_each_time_and_spreads_the_sites() -> None:
    rule = ScheduleRule(at="05:00", jitter_minutes=60)

    assert year_of(rule) == year_of(rule)
    first = [next_after(rule, NEW_YEAR, f"site{number}") for number in range(200)]
    late = [(each - datetime(2026, 1, 2, 5, tzinfo=UTC)).total_seconds() / 60 for each in first]
    assert all(0 <= minutes < 60 for minutes in late)
    assert len({int(minutes / 10) for minutes in late}) == 6
    assert len(year_of(ScheduleRule(at="23:30", jitter_minutes=120))) == 365


def test_meetings_are_followed_and_the_next_one_is_guessed() -> None:
    held = [date(2025, 12, 2) + timedelta(days=14 * number) for number in range(3)]
    rule = ScheduleRule(by_meetings=True)

    moments = year_of(rule, meetings=held)

    days = {moment.date() for moment in moments}
    # 30 December + 14 days, the day before and the day after.
    assert {date(2026, 1, 12), date(2026, 1, 14), date(2026, 1, 6)} <= days
    gaps = [b - a for a, b in pairwise(moments)]
    assert max(gaps) <= timedelta(days=7)
    assert len(moments) < 200


@settings(max_examples=examples(60), deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    rule=st.one_of(
        st.builds(ScheduleRule, every_hours=st.floats(0.25, 1000)),
        st.builds(
            ScheduleRule,
            at=st.times().map(lambda t: f"{t:%H:%M}"),
            on=st.sets(st.sampled_from(schedule.WEEKDAYS)).map(tuple),
            zone=st.sampled_from([CHICAGO, "Europe/Berlin", "Australia/Lord_Howe", "UTC"]),
            jitter_minutes=st.integers(0, 600),
        ),
        st.builds(ScheduleRule, by_meetings=st.just(True), zone=st.just(CHICAGO)),
    ),
    at=st.integers(0, 3 * 365 * 86_400).map(lambda n: NEW_YEAR + timedelta(seconds=n)),
)
def test_the_next_moment_is_later_and_within_the_interval(rule: ScheduleRule, at: datetime) -> None:
    following = next_after(rule, at, "springfield")

    assert at < following
    slack = timedelta(minutes=rule.jitter_minutes) + timedelta(days=1, hours=1)
    assert following - at <= rule.interval + slack
    assert schedule.rule_from(json.loads(json.dumps(rule.as_json()))) == rule


@pytest.mark.parametrize(
    ("words", "shown"),
    [
        ("24h", "every 24 h"),
        ("every 6 hours", "every 6 h"),
        ("06:30", "daily at 06:30 UTC"),
        ("mon,thu 06:30 America/Chicago", "mon, thu at 06:30 America/Chicago"),
        ("meetings Europe/Berlin", "around meetings at 05:00 Europe/Berlin"),
    ],
)
def test_a_setting_is_read(words: str, shown: str) -> None:
    assert str(parse_rule(words)) == shown


@pytest.mark.parametrize("words", ["", "daily", "25:00", "mon 06:30 Mars/Base", "fun 06:30", "0h"])
def test_what_is_no_schedule_is_refused(words: str) -> None:
    with pytest.raises(InvalidInput):
        parse_rule(words)


# -------------------------------------------------------------------------------- queueing


def due(**settings_: object) -> schedule.Queued:
    return schedule.queue_due(config.load(**settings_))


def move(site: str, hours: float) -> None:
    """Let the next moment of a site be so many hours ago."""
    then = utc_now() - timedelta(hours=hours)
    with db.civic_db_connection() as conn:
        mine = schedules_table.c.subdomain == site
        conn.execute(update(schedules_table).where(mine).values(next_at=then))


def end_runs() -> None:
    with db.civic_db_connection() as conn:
        for name in conn.execute(
            select(runs_table.c.subdomain).where(runs_table.c.state == "active")
        ).scalars():
            transitions.cancel_run(conn, name, "enough")


def test_sites_by_the_book_are_queued_and_a_missed_run_is_made_up_for_once(make_site: Make) -> None:
    site = make_site("springfield")

    assert clerk("schedule", "run").output == f"Queued {site}\n"
    assert due().started == [], "its next run is tomorrow"
    end_runs()
    move(site, hours=24 * 9)

    assert due().started == [site]
    end_runs()
    assert due().started == [], "not as often as it was missed"
    [listed] = json.loads(clerk("schedule", "list", "--json").output)
    assert listed["words"] == "every 24 h" and listed["by_default"]


@pytest.mark.timeout(400)
@pytest.mark.parametrize(
    "database",
    ["sqlite", pytest.param("postgresql", marks=pytest.mark.chaos)],
    indirect=True,
)
def test_a_simulated_year_with_a_week_without_power(make_site: Make) -> None:
    """Once a day from new year to new year, and more often while the clock changes."""
    rules = {
        "daily": ("--at", "02:30", "--zone", CHICAGO),
        "twice": ("--at", "22:00", "--on", "mon,thu", "--zone", CHICAGO),
        "hours": ("--every", "48"),
    }
    for name, words in rules.items():
        assert clerk("schedule", "set", make_site(name), *words).exit_code == 0
    make_site("paused")
    clerk("schedule", "pause", "paused")
    start, off = datetime(2027, 1, 1, tzinfo=UTC), datetime(2027, 4, 1, tzinfo=UTC)
    back = off + timedelta(days=7)
    with db.civic_db_connection() as conn:
        conn.execute(update(schedules_table).values(next_at=start))
    queued: dict[str, list[datetime]] = {name: [] for name in (*rules, "paused")}
    changes = [date(2027, 3, 14), date(2027, 11, 7)]
    moment = start
    while moment < datetime(2028, 1, 1, tzinfo=UTC):
        if not off <= moment < back:
            for name in schedule.queue_due(config.load(), now=moment).started:
                queued[name].append(moment)
            end_runs()
        near = min(abs((moment.date() - day).days) for day in changes) <= 2
        moment += timedelta(hours=6 if near else 24)

    for name, moments in queued.items():
        assert not [each for each in moments if off <= each < back], name
        made_up = [each for each in moments if back <= each < back + timedelta(hours=24)]
        assert len(made_up) <= 2, "what was missed is made up for once, then goes on"
    # Once on every day with power.
    local = [each.astimezone(ZoneInfo(CHICAGO)) for each in queued["daily"]]
    assert len(local) == len({each.date() for each in local}) == 365 - 7
    for day in changes:
        around = [each for each in local if abs((each.date() - day).days) <= 1]
        assert len(around) == 3, f"neither twice nor never when the clock changes on {day}"
    assert len(queued["twice"]) == pytest.approx(2 * 52, abs=3)
    assert len(queued["hours"]) == pytest.approx((365 - 7) / 2, abs=3)
    assert queued["paused"] == []


def test_a_site_that_runs_already_is_not_queued_again(site: str) -> None:
    run_id = runs.start(config.load(), site)
    clerk("schedule", "set", site, "--every", "6")
    move(site, hours=1)

    assert due().under_way == [site]

    with db.reading_connection() as conn:
        assert transitions.active_run(conn, site).run_id == run_id  # type: ignore[union-attr]


def test_two_schedulers_start_a_site_once(site: str) -> None:
    with db.reading_connection() as conn:
        [seen] = schedule.list_schedules(conn, config.load())
    now = utc_now() + timedelta(seconds=5)
    schedule._queue(config.load(), seen, now)
    schedule._queue(config.load(), seen, now)

    with db.reading_connection() as conn:
        assert len(conn.execute(select(runs_table)).all()) == 1


def test_a_rule_of_its_own_pause_and_resume(make_site: Make) -> None:
    site = make_site("springfield")
    assert clerk("schedule", "set", site, "--at", "06:30", "--on", "mon,thu").exit_code == 0
    assert clerk("schedule", "pause", site).exit_code == 0
    move(site, hours=1)
    assert due().started == []
    assert "paused by" in clerk("schedule", "list").output

    clerk("schedule", "resume", site)

    assert due().started == [site]
    with db.reading_connection() as conn:
        [row] = conn.execute(select(schedules_table)).all()
    assert f"{row.next_at:%H:%M}" == "06:30" and f"{row.next_at:%a}" in ("Mon", "Thu")
    assert clerk("schedule", "set", "nowhere", "--every", "6").exit_code == 1
    assert clerk("schedule", "set", site, "--every", "6", "--at", "06:30").exit_code == 2


def test_ceilings_hold_back_what_is_too_much(
    make_site: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(4):
        make_site(f"a{number}", scraper="granicus")
    make_site("b", scraper="folder")
    monkeypatch.setenv("VENDOR_CEILING", "granicus=2,*=9")

    done = due()

    assert done.started == ["a0", "a1", "b"]
    assert done.held_back == dict.fromkeys(["a2", "a3"], "2 runs of granicus are under way")
    monkeypatch.setenv("VENDOR_CEILING", "")
    monkeypatch.setenv("STAGE_CEILING", "fetch=3")
    assert due().held_back == dict.fromkeys(["a2", "a3"], "fetch has 3 open")
    monkeypatch.setenv("STAGE_CEILING", "")
    assert due().started == ["a2", "a3"], "they were only put off"


def test_an_urgent_run_goes_first_also_if_it_waits_already(make_site: Make) -> None:
    for name in ("a", "b", "c"):
        make_site(name)
        runs.start(config.load(), name)

    assert clerk("update", "-s", "c", "--urgent").exit_code == 0

    with db.reading_connection() as conn:
        first = select(jobs_table.c.subdomain).order_by(jobs_table.c.rank, jobs_table.c.id)
        assert conn.execute(first).scalars().first() == "c"


def test_a_site_without_a_good_run_for_too_long_is_a_finding(make_site: Make) -> None:
    site = make_site("springfield")
    long_ago = utc_now() - timedelta(days=5)
    run = {"run_id": "r", "subdomain": site, "epoch": 1, "state": "completed"}
    with db.civic_db_connection() as conn:
        conn.execute(insert(runs_table).values(**run, created_at=long_ago, finished_at=long_ago))
    assert _findings() == [], "nothing queues due sites here"
    with db.civic_db_connection() as conn:
        conn.execute(
            insert(stage_events_table).values(event="scheduled", at=utc_now() - timedelta(hours=3))
        )

    queueing, freshness = _findings()

    assert queueing["what"] == "1 site due, and due sites were queued 3 h ago"
    assert freshness["what"].endswith("twice the schedule, up to 5 d: springfield")
    clerk("schedule", "set", site, "--every", "168")
    assert _findings() == []


def _findings() -> list[dict[str, str]]:
    """The findings about queueing, then those about freshness."""
    found = json.loads(clerk("health", "--json").output)["findings"]
    about = [each for each in found if each["kind"] == "schedule"]
    return sorted(about, key=lambda each: each["subject"], reverse=True)


def test_the_units_queue_due_sites() -> None:
    deployment = Path(__file__).parents[2] / "deployment"

    assert "clerk schedule run" in (deployment / "systemd" / "clerk-schedule.service").read_text()
    assert "OnCalendar=*:0/5" in (deployment / "systemd" / "clerk-schedule.timer").read_text()
    assert "schedule run >> " in (deployment / "cron" / "clerk").read_text()
    worker = (deployment / "systemd" / "clerk-worker@.service").read_text()
    assert "MemoryMax=80%" in worker and "CPUQuota=400%" in worker
