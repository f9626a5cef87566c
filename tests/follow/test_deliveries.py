"""Messages get through once, by real SMTP and HTTP: after kills, refusals, days of silence."""

from __future__ import annotations

import hmac
import itertools
import os
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from email.message import EmailMessage

import pytest
from databases import sqlite_daily
from faults import Steps, count_steps
from follow_town import (
    SITE,
    Mailbox,
    Webhook,
    add_document,
    compile_town,
    follow,
    forget_confirmations,
    links_in,
    webhook_server,
)
from guide import clerk
from sqlalchemy import select, update

from clerk.core import config, db
from clerk.core.errors import InvalidInput
from clerk.core.models import follow_deliveries_table, follow_hits_table, followers_table
from clerk.follow import bounces, deliveries, matching, subscriptions
from clerk.follow.deliveries import Delivered
from clerk.follow.targets import FollowTarget
from clerk.follow.turn import take_turn
from clerk.ops import health

NEW = "minutes/City Council/2024-02-20"
MONDAY = datetime(2026, 11, 16, 7, 0, tzinfo=UTC)
ANN, BOB = "ann@example.org", "bob@example.org"


def turn() -> Delivered:
    return take_turn(config.load()).delivered


def forward(delta: timedelta = timedelta(days=1)) -> None:
    """Have the retries due."""
    with db.civic_db_connection() as conn:
        for row in conn.execute(select(follow_deliveries_table)).all():
            earlier = {
                "available_at": row.available_at - delta,
                "created_at": row.created_at - delta,
                "deadline": row.deadline - delta if row.deadline else None,
            }
            table = follow_deliveries_table
            conn.execute(update(table).where(table.c.id == row.id).values(**earlier))
        followers = followers_table
        for row in conn.execute(select(followers).where(followers.c.last_sent_at.is_not(None))):
            sent = update(followers).where(followers.c.id == row.id)
            conn.execute(sent.values(last_sent_at=row.last_sent_at - delta))


def texts(message: EmailMessage) -> tuple[str, str]:
    """The message as plain text and as HTML."""
    plain, html = message.get_body(("plain",)), message.get_body(("html",))
    assert plain is not None and html is not None
    return plain.get_content(), html.get_content()


def test_a_message_tells_what_is_new_once_and_leads_to_the_hit(
    followed_town: str, mailbox: Mailbox
) -> None:
    follow("search", text="zoning")
    assert turn() == Delivered(sent=1), "the link to confirm"
    hostile = "<script>alert(1)</script>"
    add_document(NEW, "Roll call.", f"The zoning {hostile} variance\r\nBcc: x@example.org")

    assert turn() == Delivered(sent=1)
    assert turn() == Delivered()

    [message] = mailbox.news
    plain, html = texts(message)
    assert message["Subject"] == "1 new document: Search: zoning"
    assert message["To"] == ANN and message["Auto-Submitted"] == "auto-generated"
    assert message["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click"
    assert message["List-Unsubscribe"].startswith("<https://minutes.example.org/follow/stop/")
    assert "Bcc" not in message
    assert any("-2?q=zoning" in link for link in links_in(message))
    assert "City Council minutes, 20 February 2024" in plain
    assert hostile not in html and "&lt;script&gt;" in html and ">zoning</mark>" in html


def test_one_digest_per_person_and_day(
    followed_town: str, mailbox: Mailbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = config.load()
    follow("search", text="zoning", cadence="daily")
    follow("body", cadence="weekly", site=SITE, body="City Council")
    follow("place", BOB, cadence="daily", site=SITE)
    forget_confirmations()
    add_document(NEW, "zoning")
    matching.take_in()
    assert matching.match(settings).hits == 3

    def at(moment: datetime) -> list[str]:
        with db.civic_db_connection() as conn:
            conn.execute(update(follow_hits_table).values(found_at=MONDAY + timedelta(hours=1)))
        deliveries.collect(settings, moment)
        mailbox.mails.clear()
        deliveries.deliver(settings)
        return sorted(f"{each['To']}: {each['Subject']}" for each in mailbox.mails)

    assert at(MONDAY + timedelta(hours=2)) == [], "found after the digests of the day"
    assert at(MONDAY + timedelta(days=1)) == [
        "ann@example.org: 1 new document: Search: zoning",
        "bob@example.org: 1 new document: Springfield",
    ]
    add_document("minutes/City Council/2024-03-20", "zoning")
    matching.take_in()
    matching.match(settings)
    assert at(MONDAY + timedelta(days=1, hours=2)) == [], "one a day"
    assert at(MONDAY + timedelta(days=7)) == [
        "ann@example.org: 2 new documents: 2 things you follow",
        "bob@example.org: 1 new document: Springfield",
    ]
    monkeypatch.setenv("FOLLOW_DIGEST", "18:30 America/Chicago")
    daily, weekly = deliveries.digest_times(config.load(), MONDAY)
    assert (daily, weekly) == (
        datetime(2026, 11, 16, 0, 30, tzinfo=UTC),
        datetime(2026, 11, 10, 0, 30, tzinfo=UTC),
    )


def test_messages_at_once_keep_a_distance(followed_town: str, mailbox: Mailbox) -> None:
    follow("place", site=SITE)
    forget_confirmations()
    add_document(NEW, "zoning")
    assert turn().sent == 1
    for month in range(3, 8):
        add_document(f"minutes/City Council/2024-0{month}-20", "zoning")
        assert turn().sent == 0

    forward(deliveries.DISTANCE)

    assert turn().sent == 1
    assert mailbox.news[1]["Subject"] == "5 new documents: Springfield"


def test_a_query_that_matches_everything_is_one_message_of_bounded_length(
    followed_town: str, mailbox: Mailbox
) -> None:
    follow("search", text="zoning OR the")
    forget_confirmations()
    for number in range(40):
        name = f"minutes/City Council/2023-{number % 12 + 1:02}-{number // 12 + 1:02}"
        add_document(name, "the zoning", compiled=False)
    compile_town()

    assert turn().sent == 1

    [message] = mailbox.news
    plain, _ = texts(message)
    assert message["Subject"].startswith("40 new documents")
    assert plain.count("City Council minutes") == 30 and "... and 10 more" in plain


def test_a_mail_server_that_is_away_for_days_loses_nothing(
    followed_town: str, mailbox: Mailbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    follow("search", text="zoning")
    follow("search", BOB, text="zoning")
    forget_confirmations()
    add_document(NEW, "zoning")
    monkeypatch.setenv("MAIL_URL", "smtp://ann:hush@127.0.0.1:1/?from=clerk@example.org")
    for _ in range(4):
        done = turn()
        assert done.retried == 1 and "ConnectionRefused" in done.mail_trouble, "others wait"
        forward(timedelta(hours=23))
    with db.reading_connection() as conn:
        assert conn.execute(select(followers_table.c.state)).scalars().all() == ["active"] * 2
        found = deliveries.trouble(conn)
    assert found.late >= 1 and "hush" not in found.error
    assert health.check_followers(config.load()).level == health.Level.WARNING

    monkeypatch.setenv("MAIL_URL", mailbox.url)
    forward()

    assert turn() == Delivered(sent=2)
    assert sorted(each["To"] for each in mailbox.news) == [ANN, BOB]
    assert health.check_followers(config.load()).level == health.Level.OK


def test_refusals_disable_an_address_and_its_owner_can_see_why(
    followed_town: str, mailbox: Mailbox
) -> None:
    token = follow("search", text="zoning")
    follow("search", BOB, text="zoning")
    forget_confirmations()
    mailbox.refused[ANN] = "550 No such mailbox"
    mailbox.refused[BOB] = "451 Try later"
    for month in (3, 4, 5):
        add_document(f"minutes/City Council/2024-0{month}-20", "zoning")
        turn()
        forward(timedelta(minutes=30))

    page = subscriptions.personal_page(token)
    assert page.state == "disabled" and "550 No such mailbox" in page.reason
    mailbox.refused.clear()
    add_document("minutes/City Council/2024-06-20", "zoning")
    turn()
    assert mailbox.to(ANN) == [], "disabled"
    assert len(mailbox.to(BOB)) == 4, "451 was not the owner's fault, and nothing is lost"

    subscriptions.try_again(token)
    add_document("minutes/City Council/2024-07-20", "zoning")
    forward(timedelta(minutes=30))
    turn()
    assert len(mailbox.to(ANN)) == 1


BOUNCE = """From: MAILER-DAEMON@example.org
To: clerk@minutes.example.org
Subject: Undelivered
MIME-Version: 1.0
Content-Type: multipart/report; report-type=delivery-status; boundary="b"

--b
Content-Type: message/delivery-status

Reporting-MTA: dns; example.org

Final-Recipient: rfc822; ann@example.org
Action: {action}
Status: 5.1.1
Diagnostic-Code: smtp; 550 5.1.1 user unknown

--b
Content-Type: text/rfc822-headers

Message-ID: {key}
Subject: news
--b--
"""


def test_reports_of_undelivered_mail_count_if_they_quote_a_message_of_ours(
    followed_town: str, mailbox: Mailbox
) -> None:
    token = follow("search", text="zoning")
    turn()
    [message] = mailbox.mails
    forged = BOUNCE.format(action="failed", key=f"<{'0' * 32}@clerk>")
    delayed = BOUNCE.format(action="delayed", key=message["Message-ID"])
    real = BOUNCE.format(action="failed", key=message["Message-ID"])

    assert not bounces.record_bounce(forged.encode()) and not bounces.record_bounce(b"hello")
    assert not bounces.record_bounce(delayed.encode())
    assert [bounces.record_bounce(real.encode()) for _ in range(3)] == [True] * 3

    assert "user unknown" in subscriptions.personal_page(token).reason


def test_a_webhook_is_told_signed_and_with_one_key(
    followed_town: str, webhook: Webhook, mailbox: Mailbox
) -> None:
    settings = config.load()
    number, secret = subscriptions.add_webhook(
        settings, webhook.url, "search", FollowTarget(text="zoning"), "ann"
    )
    add_document(NEW, "Roll call.", "zoning")
    webhook.status = 503
    assert turn() == Delivered(retried=1)
    webhook.status, webhook.location = 307, f"{webhook.url}/elsewhere"
    forward(timedelta(hours=1))
    assert turn() == Delivered(retried=1), "redirects are not followed"
    webhook.status, webhook.location = 204, ""
    forward(timedelta(hours=1))

    assert turn() == Delivered(sent=1) and turn() == Delivered()

    assert len(webhook.requests) == 3
    headers, body = webhook.requests[-1]
    assert len({each["Idempotency-Key"] for each, _ in webhook.requests}) == 1
    at, _, signed = headers["Clerk-Signature"].removeprefix("t=").partition(",v1=")
    right = hmac.new(secret.encode(), f"{at}.".encode() + body, "sha256").hexdigest()
    assert hmac.compare_digest(signed, right)
    [told] = webhook.bodies[-1]["subscriptions"]
    [document] = told["documents"]
    assert (told["label"], document["pages"][0]["page"]) == ("Search: zoning", 2)
    assert document["pages"][0]["url"].endswith("-2?q=zoning")
    assert subscriptions.webhooks()[0].id == number and mailbox.mails == []


def test_a_webhook_that_fails_for_two_days_is_disabled_and_operators_are_told(
    followed_town: str, webhook: Webhook
) -> None:
    settings = config.load()
    subscriptions.add_webhook(settings, webhook.url, "place", FollowTarget(site=SITE), "ann")
    webhook.status = 500
    add_document(NEW, "zoning")
    attempts = 0
    while turn().retried:
        attempts += 1
        forward(timedelta(hours=1))

    assert 40 <= attempts <= 50
    [row] = subscriptions.webhooks()
    assert row.state == "disabled" and "500" in row.reason
    [finding] = health.check_followers(settings).findings
    assert "webhook 1 is disabled" in finding.what
    add_document("minutes/City Council/2024-03-20", "zoning")
    turn()
    assert len(webhook.requests) == attempts + 1, "nothing is sent any more"

    webhook.status = 200
    subscriptions.add_webhook(settings, webhook.url, "place", FollowTarget(site=SITE), "ann")
    assert subscriptions.webhooks()[0].state == "active"


@pytest.mark.parametrize("database", ["sqlite"], indirect=True)
def test_webhooks_do_not_lead_into_private_networks(
    followed_town: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = config.load()
    for host in ("127.0.0.1", "10.0.0.5", "[::1]", "169.254.169.254", "0x7f000001", "localhost"):
        with pytest.raises(InvalidInput, match="is not a public address"):
            subscriptions.add_webhook(
                settings, f"http://{host}/x", "place", FollowTarget(site=SITE), "ann"
            )
    for url in (
        "http://user:pw@example.org/",
        "ftp://example.org/",
        "http://example.org:22/",
        "nonsense",
    ):
        with pytest.raises(InvalidInput):
            subscriptions.add_webhook(settings, url, "place", FollowTarget(site=SITE), "ann")
    with webhook_server() as hook:
        # One that was added while it was allowed is refused when it is sent to.
        named = hook.url.replace("127.0.0.1", "localhost")
        monkeypatch.setenv("FETCH_ALLOW_PRIVATE", "yes")
        subscriptions.add_webhook(config.load(), named, "place", FollowTarget(site=SITE), "ann")
        monkeypatch.delenv("FETCH_ALLOW_PRIVATE")
        add_document(NEW, "zoning")
        assert turn().retried == 1 and hook.requests == []


@sqlite_daily
@pytest.mark.timeout(900)
@pytest.mark.parametrize("stride", [23, pytest.param(1, marks=pytest.mark.chaos)])
def test_killed_at_any_step_everybody_is_told_once(
    followed_town: str, mailbox: Mailbox, webhook: Webhook, stride: int
) -> None:
    follow("search", text="zoning")
    follow("place", BOB, site=SITE)
    subscriptions.add_webhook(config.load(), webhook.url, "place", FollowTarget(site=SITE), "ann")
    forget_confirmations()
    killed = 0
    for step in itertools.count(1, stride):
        day = datetime(2024, 1, 20, tzinfo=UTC) + timedelta(days=step)
        add_document(f"minutes/City Council/{day:%Y-%m-%d}", f"zoning, take {step}")
        mailbox.mails.clear(), webhook.requests.clear()

        died = _dies_at(step, lambda: take_turn(config.load()))
        forward()  # The lease of one who died ends.
        turn()

        # What was sent and not settled is sent again, under the same id.
        for address in (ANN, BOB):
            told = mailbox.to(address)
            assert len({each["Message-ID"] for each in told}) == 1, (step, address)
            assert len(told) <= (2 if died else 1)
        assert len(mailbox.news) <= 3, "one process dies in one place"
        assert len({each["Idempotency-Key"] for each, _ in webhook.requests}) == 1, step
        assert turn() == Delivered(), "not again"
        killed += died
        if not died:
            break
    assert killed >= 3
    with db.reading_connection() as conn:
        states = set(conn.execute(select(follow_deliveries_table.c.state)).scalars())
        assert states == {"completed"}


def _dies_at(step: int, work: Callable[[], object]) -> bool:
    """Work in another process that is killed at a step; say whether it got there."""
    steps = Steps(step)
    pid = os.fork()
    if pid == 0:
        try:
            db._engines.clear()
            count_steps(steps)
            work()
        finally:
            os._exit(0)
    os.waitpid(pid, 0)
    return steps.died


@pytest.mark.parametrize("database", ["sqlite"], indirect=True)
def test_commands_count_show_and_remove_without_showing_addresses(
    followed_town: str, mailbox: Mailbox, webhook: Webhook
) -> None:
    follow("search", text="zoning")
    assert clerk("follow", "run").output == "0 new documents, 0 hits; 1 message sent\n"
    added = clerk("follow", "add-webhook", webhook.url, "--site", SITE)
    assert added.output.startswith("Webhook 2\nKey: ")

    listed = clerk("follow", "list").output
    assert "1 follower by mail (0 disabled), 1 webhook (0 disabled)" in listed
    assert ANN not in listed and "Search: zoning" in listed
    assert "Search: zoning" in clerk("follow", "show", ANN).output
    assert clerk("follow", "remove", ANN).exit_code == 0
    assert clerk("follow", "show", ANN).exit_code == 1
    assert clerk("follow", "remove", webhook.url).exit_code == 0

    assert clerk("follow", "test-mail", BOB).output == "Sent a test message.\n"
    assert mailbox.to(BOB)[0]["Subject"] == "Test message of clerk"
    mailbox.refused[BOB] = "550 no"
    assert clerk("follow", "test-mail", BOB).exit_code == 1
