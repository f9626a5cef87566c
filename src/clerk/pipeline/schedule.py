"""Schedules: when each site is queued by itself.

A rule says every how many hours, at what time on which weekdays, or around the meetings of the
site.  :func:`next_after` turns it into moments and knows nothing else; :func:`queue_due` starts a
run for every site whose moment has come.  A moment that was missed, because nothing ran, is made up
for once, not as often as it was missed.

In a time zone with daylight saving time a rule with a time of day runs once on every local day: at
a time that does not exist it runs as much later as the clock was put forward, and of a time that
exists twice the first counts.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from datetime import UTC, date, datetime, time, timedelta
from itertools import pairwise
from statistics import median
from typing import Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import msgspec
from sqlalchemy import Connection, func, select, update

from clerk.core import manifest
from clerk.core.config import Settings, numbers
from clerk.core.db import civic_db_connection, lock_site, reading_connection, require_site
from clerk.core.errors import InvalidInput
from clerk.core.models import db_now, runs_table, schedules_table, sites_table, stage_events_table
from clerk.core.run_options import RunOptions
from clerk.core.states import QUEUES, Run

from . import ledger, queues, transitions

WEEKDAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")

#: When a rule by meetings runs: the day before (agenda), the day after, and a week after (minutes).
AROUND_A_MEETING = (-1, 1, 7)
#: A rule by meetings runs at least this often, whatever is known about meetings.
MEETINGS_DAYS = 7
#: The time of day of a rule that does not say it.
EARLY = "05:00"

#: Bounds of a rule; beyond them it is a typo.
MOST_HOURS = 24 * 366
MOST_JITTER_MINUTES = 24 * 60

#: A site is late when its last good run is older than this many of its intervals, and a day.
LATE_INTERVALS = 2


@dataclass(frozen=True)
class ScheduleRule:
    """When a site runs.  Exactly one of ``every_hours``, ``at`` and ``by_meetings`` says how."""

    every_hours: float | None = None
    #: A local time, as in "06:30"; with ``by_meetings`` the time on those days.
    at: str | None = None
    #: Weekdays on which ``at`` counts; all of them if empty.
    on: tuple[str, ...] = ()
    by_meetings: bool = False
    zone: str = "UTC"
    #: Each moment is later by up to this much, by a number that depends on the site and the day.
    jitter_minutes: int = 0

    def __post_init__(self) -> None:
        """Refuse a rule that never runs or cannot be understood."""
        ways = [self.every_hours is not None, self.at is not None, self.by_meetings]
        if sum(ways) != 1 and not (self.by_meetings and self.every_hours is None):
            raise InvalidInput("Give one of: every N hours, at a time, by meetings.")
        if self.every_hours is not None and not 0.25 <= self.every_hours <= MOST_HOURS:
            raise InvalidInput(f"Every {self.every_hours:g} hours is not between 0.25 and a year.")
        if self.at is not None and not re.fullmatch(r"([01]\d|2[0-3]):[0-5]\d", self.at):
            raise InvalidInput(f"{self.at!r} is not a time of day, as in 06:30.")
        if unknown := set(self.on) - set(WEEKDAYS):
            raise InvalidInput(f"{min(unknown)!r} is not a weekday: {', '.join(WEEKDAYS)}.")
        if self.on and self.at is None:
            raise InvalidInput("Weekdays need a time of day.")
        if not 0 <= self.jitter_minutes <= MOST_JITTER_MINUTES:
            raise InvalidInput(f"A jitter of {self.jitter_minutes} minutes is more than a day.")
        try:
            ZoneInfo(self.zone)
        except (ZoneInfoNotFoundError, ValueError, OSError):
            raise InvalidInput(
                f"There is no time zone {self.zone!r}.", hint="As in America/Chicago or UTC."
            ) from None

    @property
    def interval(self) -> timedelta:
        """The longest time between two of its moments."""
        if self.every_hours is not None:
            return timedelta(hours=self.every_hours)
        if self.by_meetings:
            return timedelta(days=MEETINGS_DAYS)
        chosen = sorted(WEEKDAYS.index(day) for day in self.on) or list(range(7))
        following = [*chosen[1:], chosen[0] + 7]
        return timedelta(days=max(b - a for a, b in zip(chosen, following, strict=True)))

    def __str__(self) -> str:
        """The rule in words."""
        if self.every_hours is not None:
            words = f"every {self.every_hours:g} h"
        elif self.by_meetings:
            words = f"around meetings at {self.at or EARLY}"
        else:
            words = f"{', '.join(self.on) or 'daily'} at {self.at}"
        zone = "" if self.every_hours is not None else f" {self.zone}"
        return words + zone + (f" + {self.jitter_minutes} min" if self.jitter_minutes else "")

    def as_json(self) -> dict[str, object]:
        """Return the rule as it is stored: what differs from the default."""
        plain = {each.name: each.default for each in fields(self)}
        found = {name: value for name, value in asdict(self).items() if value != plain[name]}
        return found | ({"on": list(self.on)} if self.on else {})


def rule_from(stored: Mapping[str, object]) -> ScheduleRule:
    """Return a rule as it was stored."""
    return msgspec.convert(stored, ScheduleRule)


def parse_rule(words: str) -> ScheduleRule:
    """Return the rule of a setting: ``24h``, ``06:30``, ``mon,thu 06:30 America/Chicago``."""
    parts = words.split()
    if match := re.fullmatch(r"(?:every )?(\d+(?:\.\d+)?) ?h(?:ours?)?", words.strip()):
        return ScheduleRule(every_hours=float(match[1]))
    days: tuple[str, ...] = ()
    if parts and ":" not in parts[0] and parts[0] != "meetings":
        days = tuple(parts.pop(0).lower().split(","))
    if not parts:
        raise InvalidInput(f"{words!r} is not a schedule, as in 24h or mon,thu 06:30 UTC.")
    zone = parts[1] if len(parts) > 1 else "UTC"
    if parts[0] == "meetings":
        return ScheduleRule(by_meetings=True, zone=zone)
    return ScheduleRule(at=parts[0], on=days, zone=zone)


# ------------------------------------------------------------------------------- the moments


def next_after(
    rule: ScheduleRule, moment: datetime, site: str = "", meetings: Sequence[date] = ()
) -> datetime:
    """Return the first moment of a rule after another one, in UTC."""
    if rule.every_hours is not None:
        following = moment + timedelta(hours=rule.every_hours)
        return following + _jitter(rule, site, following.date())
    zone = ZoneInfo(rule.zone)
    today = moment.astimezone(zone).date()
    for day in _days(rule, today, meetings):
        found = _at(day, rule.at or EARLY, zone) + _jitter(rule, site, day)
        if found > moment:
            return found
    raise AssertionError("a rule has a moment in every week")


def _days(rule: ScheduleRule, today: date, meetings: Sequence[date]) -> Iterator[date]:
    """Yield the local days of a rule from yesterday on: a jitter may pass midnight."""
    if not rule.by_meetings:
        chosen = {WEEKDAYS.index(day) for day in rule.on} or set(range(7))
        for number in range(-1, 9):
            day = today + timedelta(days=number)
            if day.weekday() in chosen:
                yield day
        return
    around = {
        meeting + timedelta(days=days)
        for meeting in expected_meetings(meetings, today)
        for days in AROUND_A_MEETING
    }
    last = today + timedelta(days=MEETINGS_DAYS)
    yield from sorted({day for day in around if today - timedelta(days=1) <= day < last} | {last})


def expected_meetings(known: Sequence[date], today: date) -> list[date]:
    """Return the known meetings around a day, and the next one as the last ones suggest it."""
    dates = sorted(set(known))
    found = [day for day in dates if abs((day - today).days) <= 2 * MEETINGS_DAYS]
    past = [day for day in dates if day <= today][-7:]
    if len(past) >= 3 and not any(day > today for day in dates):
        gaps = [(b - a).days for a, b in pairwise(past)]
        step = timedelta(days=max(1, round(median(gaps))))
        expected = past[-1] + step
        while expected < today - timedelta(days=MEETINGS_DAYS):
            expected += step
        found.append(expected)
    return found


def _at(day: date, at: str, zone: ZoneInfo) -> datetime:
    return datetime.combine(day, time.fromisoformat(at), zone).astimezone(UTC)


def _jitter(rule: ScheduleRule, site: str, day: date) -> timedelta:
    if not rule.jitter_minutes:
        return timedelta()
    digest = hashlib.sha256(f"{site} {day.isoformat()}".encode()).digest()
    return timedelta(seconds=int.from_bytes(digest[:4], "big") % (60 * rule.jitter_minutes))


def _meeting_dates(settings: Settings, subdomain: str, rule: ScheduleRule | None) -> list[date]:
    """Return the dates of a site's documents, if its rule goes by them."""
    if rule is None or not rule.by_meetings:
        return []
    with reading_connection(settings.sql_url) as conn:
        return manifest.meeting_dates(conn, subdomain)


# --------------------------------------------------------------------------------- the sites


@dataclass(frozen=True)
class Scheduled:
    """A site with its rule and its next moment."""

    subdomain: str
    rule: ScheduleRule
    #: Whether the rule is that of the settings.
    by_default: bool
    next_at: datetime | None
    queued_at: datetime | None
    paused_at: datetime | None
    paused_by: str | None
    fetcher: str
    #: Whether a run of it is under way.
    is_active: bool


def list_schedules(
    conn: Connection, settings: Settings, now: datetime | None = None
) -> list[Scheduled]:
    """Return every site with its schedule, the next one first, paused ones last.

    A site that was never queued by its schedule is due after its last movement, or at once.
    """
    now = now or conn.execute(select(db_now())).scalar_one()
    default = parse_rule(settings.schedule)
    sites, table = sites_table, schedules_table
    active = select(runs_table.c.subdomain).where(runs_table.c.state == Run.ACTIVE)
    rows = conn.execute(
        select(
            sites.c.subdomain,
            sites.c.scraper,
            sites.c.updated_at,
            *(table.c[name] for name in ("rule", "next_at", "queued_at", "paused_at", "paused_by")),
            sites.c.subdomain.in_(active).label("is_active"),
        ).join(table, table.c.subdomain == sites.c.subdomain, isouter=True)
    )
    found = []
    for row in rows:
        rule = rule_from(row.rule) if row.rule else default
        next_at = row.next_at
        if next_at is None:
            moved_at = row.updated_at
            next_at = next_after(rule, moved_at, row.subdomain) if moved_at else now
        found.append(
            Scheduled(
                row.subdomain,
                rule,
                not row.rule,
                None if row.paused_at else next_at,
                row.queued_at,
                row.paused_at,
                row.paused_by,
                row.scraper or "",
                bool(row.is_active),
            )
        )
    last_of_all = datetime.max.replace(tzinfo=UTC)
    return sorted(found, key=lambda each: (each.next_at or last_of_all, each.subdomain))


def set_rule(settings: Settings, subdomain: str, rule: ScheduleRule | None, *, who: str) -> None:
    """Give a site a rule of its own, or with None that of the settings."""
    meetings = _meeting_dates(settings, subdomain, rule)
    with civic_db_connection() as conn:
        lock_site(conn, subdomain)
        require_site(conn, subdomain)
        now = conn.execute(select(db_now())).scalar_one()
        chosen = rule or parse_rule(settings.schedule)
        next_at = next_after(chosen, now, subdomain, meetings)
        _upsert(conn, subdomain, rule=rule.as_json() if rule else {}, next_at=next_at)
        ledger.audit(conn, who, "schedule changed", subdomain, str(rule or "default"))


def pause(subdomain: str, *, who: str) -> None:
    """Do not queue a site by itself until it is resumed."""
    with civic_db_connection() as conn:
        lock_site(conn, subdomain)
        require_site(conn, subdomain)
        _upsert(conn, subdomain, paused_at=db_now(), paused_by=who)
        ledger.audit(conn, who, "schedule paused", subdomain)


def resume(subdomain: str, *, who: str) -> None:
    """Queue a paused site by its schedule again; what it missed is made up for once."""
    with civic_db_connection() as conn:
        lock_site(conn, subdomain)
        require_site(conn, subdomain)
        _upsert(conn, subdomain, paused_at=None, paused_by=None)
        ledger.audit(conn, who, "schedule resumed", subdomain)


def _upsert(conn: Connection, subdomain: str, **values: Any) -> None:
    table = schedules_table
    mine = table.c.subdomain == subdomain
    if conn.execute(update(table).where(mine).values(**values)).rowcount == 0:
        conn.execute(table.insert().values(**({"rule": {}} | values), subdomain=subdomain))


# --------------------------------------------------------------------------------- queueing


@dataclass
class Queued:
    """The result of checking the schedules."""

    started: list[str]
    #: Due, but a run of it is under way: its moment is over.
    under_way: list[str]
    #: Due, and left for later because of a ceiling: site -> which one.
    held_back: dict[str, str]


def queue_due(settings: Settings, *, now: datetime | None = None, dry_run: bool = False) -> Queued:
    """Start a run for every site whose moment has come, and set its next one.

    Both in one transaction per site, guarded by the moment: two of these at once, or one that is
    killed, start no site twice and forget none.  ``now`` is the database's clock if not given.
    """
    with reading_connection() as conn:
        now = now or conn.execute(select(db_now())).scalar_one()
        due = [
            each
            for each in list_schedules(conn, settings, now)
            if each.next_at is not None and each.next_at <= now
        ]
        room = _Room(conn, settings)
    done = Queued([], [], {})
    for each in due:
        if each.is_active:
            done.under_way.append(each.subdomain)
        elif reason := room.refuses(each.fetcher):
            done.held_back[each.subdomain] = reason
            continue
        else:
            done.started.append(each.subdomain)
            room.take(each.fetcher)
        if not dry_run:
            _queue(settings, each, now)
    if not dry_run:
        with civic_db_connection() as conn:
            ledger.record(conn, "scheduled", completed=len(done.started))
        queues.offer(settings, QUEUES)
    return done


def _queue(settings: Settings, site: Scheduled, now: datetime) -> None:
    meetings = _meeting_dates(settings, site.subdomain, site.rule)
    following = next_after(site.rule, now, site.subdomain, meetings)
    table = schedules_table
    with civic_db_connection() as conn:
        lock_site(conn, site.subdomain)
        mine = table.c.subdomain == site.subdomain
        known = conn.execute(select(table.c.next_at).where(mine)).first()
        if known is None:
            conn.execute(table.insert().values(subdomain=site.subdomain, rule={}))
        elif known.next_at is not None and known.next_at > now:
            return  # somebody else has queued it
        conn.execute(update(table).where(mine).values(next_at=following, queued_at=now))
        if transitions.active_run(conn, site.subdomain) is None:
            transitions.start_run(conn, site.subdomain, options=RunOptions(opened_by="schedule"))


class _Room:
    """How many runs may still be started, by the ceilings per fetcher and per stage."""

    def __init__(self, conn: Connection, settings: Settings) -> None:
        self._ceilings = numbers(settings.vendor_ceiling)
        runs, sites = runs_table, sites_table
        rows = conn.execute(
            select(sites.c.scraper, func.count())
            .join(runs, runs.c.subdomain == sites.c.subdomain)
            .where(runs.c.state == Run.ACTIVE)
            .group_by(sites.c.scraper)
        )
        self._active = {row[0] or "": row[1] for row in rows}
        work = queues.open_work(conn)
        self._full = next(
            (
                f"{stage} has {work[stage].waiting + work[stage].running} open"
                for stage, most in numbers(settings.stage_ceiling).items()
                if stage in work and work[stage].waiting + work[stage].running >= most
            ),
            "",
        )

    def refuses(self, fetcher: str) -> str:
        """Return why no run of a fetcher may be started; empty if one may."""
        most = self._ceilings.get(fetcher, self._ceilings.get("*"))
        if most is not None and self._active.get(fetcher, 0) >= most:
            return f"{most} runs of {fetcher or 'no fetcher'} are under way"
        return self._full

    def take(self, fetcher: str) -> None:
        """Count a run that is started."""
        self._active[fetcher] = self._active.get(fetcher, 0) + 1


# -------------------------------------------------------------------------------- freshness


@dataclass(frozen=True)
class LateSite:
    """A site whose last good run is too long ago for its schedule."""

    subdomain: str
    days: float
    rule: str


def looked_at(conn: Connection) -> datetime | None:
    """Return when due sites were queued last; None if nothing ever does that here."""
    events = stage_events_table
    last = select(func.max(events.c.at)).where(events.c.event == "scheduled")
    return conn.execute(last).scalar()


def late_sites(conn: Connection, schedules: Iterable[Scheduled], now: datetime) -> list[LateSite]:
    """Return the sites that ran and had no good run for too long, the longest ago first.

    Only of installations where something queues due sites, and of sites with a rule of their own.
    """
    scheduling = looked_at(conn) is not None
    sites, runs = sites_table, runs_table
    # Each is looked up in the index: grouped, all runs there ever were would be read.
    of_site = runs.c.subdomain == sites.c.subdomain
    good = select(runs.c.finished_at).where(of_site, runs.c.state.in_((Run.COMPLETED, Run.PARTIAL)))
    first = select(runs.c.created_at).where(of_site)
    rows = conn.execute(
        select(
            sites.c.subdomain,
            good.order_by(runs.c.epoch.desc()).limit(1).scalar_subquery().label("good_at"),
            first.order_by(runs.c.epoch).limit(1).scalar_subquery().label("first_at"),
        )
    )
    by_site = {row.subdomain: row for row in rows if row.first_at}
    found = []
    for each in schedules:
        row = by_site.get(each.subdomain)
        if row is None or each.paused_at or (each.by_default and not scheduling):
            continue
        ago = now - (row.good_at or row.first_at)
        if ago > LATE_INTERVALS * each.rule.interval + timedelta(days=1):
            days = ago.total_seconds() / 86_400
            found.append(LateSite(each.subdomain, days, str(each.rule)))
    return sorted(found, key=lambda each: -each.days)


def overdue(schedules: Iterable[Scheduled], now: datetime) -> Collection[str]:
    """Return the sites that are due and have not been queued."""
    due = (each for each in schedules if each.next_at and each.next_at <= now)
    return [each.subdomain for each in due if not each.is_active]
