"""People are told of problems once, by real SMTP and HTTP, also after a kill."""

from __future__ import annotations

import itertools
import json
import os
import ssl
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from email import message_from_bytes
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from aiosmtpd.controller import Controller
from aiosmtpd.smtp import AuthResult, LoginPassword
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from databases import sqlite_daily
from faults import Steps, count_steps
from guide import clerk
from ports import free_port
from sqlalchemy import select, update

from clerk.core import config, db
from clerk.core.models import items_table, jobs_table, problems_table, workers_table
from clerk.core.states import NOTICES
from clerk.ops import notify, notify_targets
from clerk.ops.health import Finding, Level
from clerk.pipeline import queues

STUCK = Finding("stuck", Level.WARNING, "3 sites: a, b, c", 3, "Run: clerk reconcile-pipeline")
DISK = Finding("disk", Level.CRITICAL, "0.1 GB free", 1, "Free space, or move STORAGE_DIR.")


@dataclass
class Receiver:
    """A webhook on loopback that keeps what it was sent, and answers as it is told."""

    url: str = ""
    status: int = 200
    bodies: list[dict[str, Any]] = field(default_factory=list)
    keys: list[str | None] = field(default_factory=list)


@pytest.fixture
def webhook() -> Iterator[Receiver]:
    """A webhook receiver."""
    receiver = Receiver()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            receiver.bodies.append(json.loads(body))
            receiver.keys.append(self.headers.get("Idempotency-Key"))
            self.send_response(receiver.status)
            self.end_headers()

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    receiver.url = f"http://127.0.0.1:{server.server_port}/hook/secret-part"
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield receiver
    server.shutdown()
    server.server_close()


@dataclass
class Mailbox:
    """A real SMTP server that keeps what it was given."""

    port: int = 0
    mails: list[tuple[list[str], Any]] = field(default_factory=list)

    async def handle_DATA(self, _server: Any, _session: Any, envelope: Any) -> str:
        self.mails.append((envelope.rcpt_tos, message_from_bytes(envelope.content)))
        return "250 OK"


@pytest.fixture
def mailbox() -> Iterator[Mailbox]:
    """An SMTP server on loopback."""
    box = Mailbox(free_port())
    server = Controller(box, hostname="127.0.0.1", port=box.port, ready_timeout=60)
    server.start()
    yield box
    server.stop()


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A certificate for localhost, and its key."""
    folder = tmp_path_factory.mktemp("tls")
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "localhost")])
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(datetime(2024, 1, 1, tzinfo=UTC))
        .not_valid_after(datetime(2100, 1, 1, tzinfo=UTC))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName("localhost")]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    pem, secret = folder / "cert.pem", folder / "key.pem"
    pem.write_bytes(made.public_bytes(serialization.Encoding.PEM))
    secret.write_bytes(
        key.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        )
    )
    return pem, secret


@dataclass
class Guarded:
    """A mailbox behind TLS and a login, and who was let in."""

    box: Mailbox
    logins: list[tuple[bytes, bytes]] = field(default_factory=list)

    def __call__(self, _server: Any, _session: Any, _envelope: Any, _how: str, data: Any) -> Any:
        assert isinstance(data, LoginPassword)
        self.logins.append((data.login, data.password))
        is_ann = (data.login, data.password) == (b"ann@town", b"p@ss/word")
        return AuthResult(success=is_ann, handled=is_ann)


@pytest.fixture(params=["smtp", "smtps"])
def guarded(
    request: pytest.FixtureRequest,
    certificate: tuple[Path, Path],
    monkeypatch: pytest.MonkeyPatch,
) -> Iterator[tuple[str, Guarded]]:
    """An SMTP server that demands STARTTLS, or TLS from the first byte, and a login."""
    pem, secret = certificate
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(pem, secret)
    guard = Guarded(Mailbox(free_port()))
    options: dict[str, Any] = {"ready_timeout": 60, "auth_required": True, "authenticator": guard}
    if request.param == "smtps":
        options |= {"ssl_context": context, "auth_require_tls": False}
    else:
        options |= {"tls_context": context, "require_starttls": True}
    server = Controller(guard.box, hostname="localhost", port=guard.box.port, **options)
    monkeypatch.setenv("SSL_CERT_FILE", str(pem))
    server.start()
    yield request.param, guard
    server.stop()


# Of smtps:// the server does not see the encryption, and warns.
@pytest.mark.filterwarnings("ignore:Requiring AUTH while not requiring TLS")
def test_mail_goes_by_tls_with_a_login(
    storage: Path, guarded: tuple[str, Guarded], monkeypatch: pytest.MonkeyPatch
) -> None:
    scheme, guard = guarded
    address = f"localhost:{guard.box.port}/?from=clerk@example.org&to=ann@example.org"
    monkeypatch.setenv("NOTIFY_URL", f"{scheme}://ann%40town:p%40ss%2Fword@{address}")

    ran = clerk("notify", "test")

    assert (ran.exit_code, ran.output) == (0, "Sent a test message to 1 target.\n")
    assert guard.logins == [(b"ann@town", b"p@ss/word")]
    [(recipients, letter)] = guard.box.mails
    assert recipients == ["ann@example.org"]
    assert letter["Subject"] == "clerk: test message" and letter["Date"]

    monkeypatch.setenv("NOTIFY_URL", f"{scheme}://ann%40town:wrong-word@{address}")
    [refused] = notify.send_test(config.load()).values()
    assert "535" in refused and "wrong-word" not in refused
    monkeypatch.delenv("SSL_CERT_FILE")
    monkeypatch.setenv("NOTIFY_URL", f"{scheme}://ann%40town:p%40ss%2Fword@{address}")
    [unknown] = notify.send_test(config.load()).values()
    assert "certificate" in unknown, "nobody vouches for this server"
    assert len(guard.box.mails) == 1


def test_a_password_is_not_sent_in_the_open() -> None:
    box = Mailbox(port := free_port("127.0.0.2"))
    server = Controller(box, hostname="127.0.0.2", port=port, ready_timeout=60)
    server.start()
    try:
        with pytest.raises(notify_targets.NotDelivered, match="offers no encryption") as refused:
            url = f"smtp://ann:hush@127.0.0.2:{port}/?to=b@example.org"
            notify_targets.send(url, notify_targets.Notice("x"))
        assert "hush" not in str(refused.value) and box.mails == []
        notify_targets.send(
            f"smtp://127.0.0.2:{port}/?to=b@example.org", notify_targets.Notice("x")
        )
    finally:
        server.stop()
    assert len(box.mails) == 1, "without a password there is nothing to protect"


def told(*findings: Finding, now: datetime | None = None) -> notify.Told:
    settings = config.load()
    looked = notify.look(settings, findings, now)
    done = notify.deliver(settings)
    return notify.Told(looked.new, looked.ended, done.delivered, done.failed)


def test_a_problem_and_its_end_are_reported_once_grouped_with_the_command(
    database: str, webhook: Receiver, mailbox: Mailbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    mail = f"smtp://127.0.0.1:{mailbox.port}/?from=clerk@example.org&to=ann@example.org,bob@example.org"
    monkeypatch.setenv("NOTIFY_URL", f"{webhook.url} {mail}")
    monkeypatch.setenv("PUBLIC_URL", "https://minutes.example.org")

    assert told(STUCK, DISK) == notify.Told(new=2, delivered=2)
    assert told(STUCK, DISK) == notify.Told()
    assert told(STUCK) == notify.Told(ended=1, delivered=2)
    assert told() == notify.Told(ended=1, delivered=2)
    assert told(STUCK) == notify.Told(new=1, delivered=2), "it began again"

    first, second, *_ = webhook.bodies
    assert first["title"] == "clerk: CRITICAL: 2 problems"
    assert first["text"].splitlines() == [
        "clerk: CRITICAL: 2 problems",
        "WARNING: 3 sites: a, b, c",
        "  Run: clerk reconcile-pipeline",
        "CRITICAL: 0.1 GB free",
        "  Free space, or move STORAGE_DIR.",
        "https://minutes.example.org/ops/",
    ]
    assert second["text"].splitlines()[:2] == ["clerk: 1 problem ended", "OK again: 0.1 GB free"]
    recipients, letter = mailbox.mails[0]
    assert recipients == ["ann@example.org", "bob@example.org"]
    assert letter["Subject"] == "clerk: CRITICAL: 2 problems"
    assert "Run: clerk reconcile-pipeline" in letter.get_payload()
    with db.reading_connection() as conn:
        jobs = conn.execute(select(jobs_table.c.state)).scalars().all()
        assert set(jobs) == {"closed"}
        assert conn.execute(select(workers_table)).all() == []


def test_many_problems_are_one_message_that_lists_the_first(
    database: str, webhook: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NOTIFY_URL", webhook.url)
    many = [
        Finding("attention", Level.WARNING, f"town{number} needs attention", 1, "", f"{number}")
        for number in range(50)
    ]

    assert told(DISK, *many).delivered == 1

    [body] = webhook.bodies
    assert body["title"] == "clerk: CRITICAL: 51 problems"
    assert body["text"].splitlines()[1] == "CRITICAL: 0.1 GB free"
    assert body["text"].splitlines()[-1] == "... and 31 more"


def test_what_becomes_critical_is_reported_again(
    database: str, webhook: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NOTIFY_URL", webhook.url)
    told(STUCK)

    worse = Finding("stuck", Level.CRITICAL, "30 sites", 30, STUCK.command)
    assert told(worse).new == 1
    assert told(worse).new == 0

    assert webhook.bodies[-1]["lines"][0]["change"] == "worse"


@pytest.mark.parametrize("flavour", ["slack", "discord"])
def test_slack_and_discord_get_what_they_understand(
    database: str, webhook: Receiver, monkeypatch: pytest.MonkeyPatch, flavour: str
) -> None:
    monkeypatch.setenv("NOTIFY_URL", f"{flavour}+{webhook.url}")

    told(STUCK)

    [body] = webhook.bodies
    assert list(body) == ["text" if flavour == "slack" else "content"]
    assert "3 sites: a, b, c" in next(iter(body.values()))


def test_a_target_that_is_away_is_tried_again_with_the_same_key(
    database: str, webhook: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NOTIFY_URL", webhook.url)
    webhook.status = 503
    assert told(STUCK) == notify.Told(new=1, failed=1)
    assert notify.deliver(config.load()) == notify.Told(), "not at once"
    with db.civic_db_connection() as conn:
        [item] = conn.execute(select(items_table)).all()
        assert "503" in item.error and "secret-part" not in item.error
        conn.execute(update(items_table).values(available_at=item.created_at))
    webhook.status = 200

    assert notify.deliver(config.load()) == notify.Told(delivered=1)

    assert webhook.keys[0] == webhook.keys[1] is not None
    assert notify.deliver(config.load()) == notify.Told()


@sqlite_daily
@pytest.mark.timeout(400)
@pytest.mark.parametrize("stride", [7, pytest.param(1, marks=pytest.mark.chaos)])
def test_killed_at_any_statement_everybody_is_notified_once_of_what_is_new(
    database: str, webhook: Receiver, monkeypatch: pytest.MonkeyPatch, stride: int
) -> None:
    monkeypatch.setenv("NOTIFY_URL", f"{webhook.url} {webhook.url}?second")
    killed = 0
    for step in itertools.count(1, stride):
        webhook.bodies.clear(), webhook.keys.clear()
        trouble = Finding("stuck", Level.WARNING, f"trouble {step}", 1, "", f"{step}")
        died = _dies_at(step, trouble)
        with db.civic_db_connection() as conn:
            # The lease of a worker that died ends.
            conn.execute(update(workers_table).values(lease_until=datetime(2026, 1, 1, tzinfo=UTC)))
        told(trouble)
        texts = [body["text"] for body in webhook.bodies if f"trouble {step}" in body["text"]]
        new = [text for text in texts if "OK again" not in text.split(f"trouble {step}")[0][-12:]]
        # One that was sent and not settled is sent again, with the key it had.
        keys = [key for key, body in zip(webhook.keys, webhook.bodies, strict=True) if body]
        assert len(set(keys)) <= 2, "a notice of its end, and one of the new problem"
        assert 2 <= len(new) <= 3, (step, texts)
        assert told(trouble) == notify.Told(), "not again"
        killed += died
        if not died:
            break
    assert killed >= 5
    with db.reading_connection() as conn:
        assert set(conn.execute(select(jobs_table.c.state)).scalars()) == {"closed"}
        assert set(conn.execute(select(items_table.c.state)).scalars()) == {"completed"}


def _dies_at(step: int, trouble: Finding) -> bool:
    """Tell of a problem in another process that is killed at a step; say whether it got there."""
    steps = Steps(step)
    pid = os.fork()
    if pid == 0:
        try:
            db._engines.clear()
            count_steps(steps)
            told(trouble)
        finally:
            os._exit(0)
    os.waitpid(pid, 0)
    return steps.died


def test_quiet_hours_hold_back_all_but_critical_problems(
    database: str, webhook: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NOTIFY_URL", webhook.url)
    monkeypatch.setenv("NOTIFY_QUIET", "22:00-07:00 America/Chicago")
    settings = config.load()
    night = datetime.now(UTC).replace(hour=6, minute=0) + timedelta(days=2)

    assert told(STUCK, now=night) == notify.Told(new=1)
    with db.reading_connection() as conn:
        [at] = conn.execute(select(items_table.c.available_at)).scalars()
    assert at == notify.quiet_until(settings, night) and at > night
    assert f"{at:%M}" == "00" and at.hour in (12, 13)
    assert notify.quiet_until(settings, night.replace(hour=18)) is None
    # A critical one does not wait.
    assert told(STUCK, DISK).delivered == 1


def test_a_test_message_reaches_every_target_or_says_which_not(
    webhook: Receiver, mailbox: Mailbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert clerk("notify", "test").exit_code == 3
    mail = f"smtp://127.0.0.1:{mailbox.port}/?from=a@example.org&to=b@example.org"
    monkeypatch.setenv("NOTIFY_URL", f"{webhook.url} {mail} http://127.0.0.1:1/x")

    ran = clerk("notify", "test")

    assert (ran.exit_code, ran.output) == (1, "Sent a test message to 2 targets.\n")
    assert len(webhook.bodies) == len(mailbox.mails) == 1


def test_the_command_reports_what_health_finds(
    database: str, webhook: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NOTIFY_URL", webhook.url)
    queues.pause("ocr", who="ann")

    assert clerk("notify", "run").output == "1 new problem, 0 ended; 1 notice delivered\n"
    assert clerk("notify", "run").output == "0 new problems, 0 ended; 0 notices delivered\n"
    queues.resume(config.load(), "ocr", who="ann")
    assert clerk("notify", "run").output == "0 new problems, 1 ended; 1 notice delivered\n"

    assert webhook.bodies[0]["lines"][0]["what"] == "paused: ocr"
    assert clerk("health").exit_code == 0, "the deliveries themselves are no problem"
    with db.reading_connection() as conn:
        [row] = conn.execute(select(problems_table)).all()
    assert row.kind == "queues" and row.ended_at is not None


def test_an_unreachable_database_is_reported_once_without_it(
    storage: Any, webhook: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NOTIFY_URL", webhook.url)
    monkeypatch.setenv("DATABASE_URL", "postgresql://ann:hush-hush@127.0.0.1:1/none")

    assert [clerk("notify", "run").exit_code for _ in range(2)] == [0, 0]

    [body] = webhook.bodies
    assert body["title"] == "clerk: CRITICAL: the database cannot be used"
    assert "hush-hush" not in json.dumps(body)


def test_secrets_of_targets_are_not_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NOTIFY_URL", "https://hooks.slack.com/services/T0/B0/hush")

    assert "hush" not in clerk("config", "show").output
    assert notify_targets.shown("https://hooks.slack.com/services/T0/hush") == (
        "https://hooks.slack.com"
    )
    assert NOTICES == "notices"
