"""Recorded towns over TLS on loopback, through the commands as a person types them.

Run it: ``python tests/fetch/recorded_portals.py [PART OF A NAME ...] [-v]``.  For each recording a
server answers under the town's own host names; ``clerk site add ADDRESS`` and ``clerk run --stage
fetch`` run as processes against it, and what the manifest then says is compared with what a person
expects.  robots.txt is as recorded; where it refuses, the permission that ``site add`` asks for is
given.
"""

from __future__ import annotations

import json
import os
import re
import sqlite3
import ssl
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from recorded_towns import (
    RecordedTown,
    Score,
    compare_with_expected,
    load_towns,
    previewed,
    simple,
)

CHILD = Path(__file__).with_name("recorded_child")
SITE = "town"
#: No town needs more; whoever asks for more goes round in circles.
MOST_REQUESTS = 20_000
KINDS = {"agenda": "agendas"}
AGENDA = "<html><body><h1>Agenda</h1><p>1. Call to order</p><p>2. Budget</p><i>%s</i></body></html>"


@dataclass(frozen=True)
class StoredDocument:
    """A document as the manifest has it."""

    url: str
    kind: str
    day: str | None
    body: str


@dataclass
class Recordings:
    """A server of one town after the other."""

    folder: Path
    town: RecordedTown | None = None
    asked: list[str] = field(default_factory=list)
    #: Documents whose bytes nobody recorded; each gets its own.
    documents: set[Any] = field(default_factory=set)
    environment: dict[str, str] = field(default_factory=dict)

    def play(self, town: RecordedTown) -> None:
        """Answer as a town from now on."""
        self.town, self.asked = town, []
        with suppress(Exception):  # a town that cannot be listed has no documents
            self.documents = {simple(each.url) for each in previewed(town).documents}
        (self.folder / "hosts").write_text("\n".join(hosts_of(town)))


def hosts_of(town: RecordedTown) -> list[str]:
    """Return the hosts that a recording has answers of."""
    named = [url for _, url, _ in town.answers]
    named += [each for it in town.expected for each in (it.url, it.or_url) if each]
    hosts = {urlsplit(url).hostname or "" for url in (town.typed, *named)}
    return sorted(host for host in hosts if re.fullmatch(r"[a-z0-9.-]+", host))


@contextmanager
def served(towns: list[RecordedTown], folder: Path) -> Iterator[Recordings]:
    """Serve recordings by HTTP and HTTPS on loopback."""
    recordings = Recordings(folder)

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def respond(self) -> None:
            scheme = "https" if isinstance(self.connection, ssl.SSLSocket) else "http"
            url = f"{scheme}://{self.headers['Host']}{self.path}"
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            recordings.asked.append(f"{self.command} {url}")
            assert recordings.town is not None
            if len(recordings.asked) > MOST_REQUESTS:
                self.close_connection = True
                return
            answer = recordings.town.answer(httpx.Request(self.command, url, content=body))
            if answer.status_code == 404 and simple(url) in recordings.documents:
                answer = httpx.Response(200, content=b"%PDF-1.4 " + url.encode() + b"\n%%EOF\n")
            elif answer.status_code == 404 and "/PRINT-" in self.path:
                # BoardDocs writes the agenda of each meeting as a page when it is asked to.
                answer = httpx.Response(200, html=AGENDA % body.decode())
            self.send_response(answer.status_code)
            for name, value in answer.headers.items():
                if name not in ("content-length", "transfer-encoding", "content-encoding"):
                    self.send_header(name, value)
            self.send_header("Content-Length", str(len(answer.content)))
            self.end_headers()
            if self.command != "HEAD":
                self.wfile.write(answer.content)

        do_GET = do_POST = do_HEAD = respond

        def log_message(self, *_: object) -> None:
            """Keep quiet."""

    certificate, key = write_certificate(folder, {host for it in towns for host in hosts_of(it)})
    plain = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    secure = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    secure.socket = context.wrap_socket(secure.socket, server_side=True)
    recordings.environment = {
        "PYTHONPATH": str(CHILD),
        "SSL_CERT_FILE": str(certificate),
        "RECORDED_HOSTS": str(folder / "hosts"),
        "RECORDED_HTTP": str(plain.server_port),
        "RECORDED_HTTPS": str(secure.server_port),
        "FETCH_ALLOW_PRIVATE": "1",
    }
    threads = [threading.Thread(target=each.serve_forever, daemon=True) for each in (plain, secure)]
    for thread in threads:
        thread.start()
    try:
        yield recordings
    finally:
        for server in (plain, secure):
            server.shutdown()
            server.server_close()


def write_certificate(folder: Path, hosts: set[str]) -> tuple[Path, Path]:
    """Write a certificate for hosts, signed by itself, and its key."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "recorded towns")])
    now = datetime.now(UTC)
    names = x509.SubjectAlternativeName([x509.DNSName(host) for host in sorted(hosts)])
    signed = (
        x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=2))
        .add_extension(names, critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    certificate, private = folder / "certificate.pem", folder / "key.pem"
    certificate.write_bytes(signed.public_bytes(serialization.Encoding.PEM))
    private.write_bytes(
        key.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        )
    )
    return certificate, private


def fetched(town: RecordedTown, recordings: Recordings) -> Score:
    """Add a town by the address that a person types, fetch it, and score what is stored."""
    recordings.play(town)
    score = Score(town)
    with tempfile.TemporaryDirectory() as storage:
        environment = {
            **{name: os.environ[name] for name in ("PATH", "HOME", "LANG") if name in os.environ},
            **recordings.environment,
            "STORAGE_DIR": storage,
        }

        def clerk(*words: str) -> subprocess.CompletedProcess[str]:
            with subprocess.Popen(
                [sys.executable, "-m", "clerk", *words],
                env=environment,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
                cwd=storage,
            ) as process:
                asked = -1
                while True:
                    # However slow the machine is: it may take as long as it goes on asking.
                    try:
                        out, errors = process.communicate(timeout=600)
                    except subprocess.TimeoutExpired:
                        if asked == len(recordings.asked):
                            process.kill()
                            raise
                        asked = len(recordings.asked)
                    else:
                        return subprocess.CompletedProcess(words, process.returncode, out, errors)

        clerk("db", "upgrade")
        added = clerk("site", "add", SITE, "--from", town.typed, "--yes")
        if added.returncode and "--permission-from" in added.stderr:
            town.permitted = True
            allowed = ("--permission-from", "A. Clerk", "--permission-reason", "asked by phone")
            added = clerk("site", "add", SITE, "--from", town.typed, "--yes", *allowed)
        score.error = added.stderr.strip() if added.returncode else ""
        if not score.error:
            ran = clerk("run", SITE, "--stage", "fetch", "--json")
            if ran.returncode not in (0, 4):
                score.error = ran.stderr.strip()
            elif ran.stdout.startswith("{") or ran.stdout.startswith("["):
                said = json.loads(ran.stdout)
                score.said = said[0] if isinstance(said, list) else said
        with sqlite3.connect(f"{storage}/clerk.db") as database:
            stored = [
                StoredDocument(url, KINDS.get(kind, kind), day, body or "")
                for url, kind, day, body in database.execute(
                    "SELECT source_url, kind, date, body FROM documents"
                    " WHERE source_url LIKE 'http%'"
                )
            ]
            scrapers = database.execute("SELECT scraper FROM sites").fetchall()
    score.scraper = scrapers[0][0] if scrapers else ""
    score.meetings = len({(each.day, each.body) for each in stored})
    return compare_with_expected(score, stored)


def main() -> None:
    """Score all recordings, or those whose names contain a word."""
    parts = [each for each in sys.argv[1:] if not each.startswith("-")]
    towns = [
        town
        for town in load_towns()
        if town.total and (not parts or any(part in town.name for part in parts))
    ]
    right = of = 0.0
    with tempfile.TemporaryDirectory() as folder, served(towns, Path(folder)) as recordings:
        for town in towns:
            score = fetched(town, recordings)
            right, of = right + score.estimate, of + score.of
            sys.stdout.write(
                f"{town.name:48} {score.scraper:13} {score.right:4}/{len(town.expected):4} right, "
                f"kinds {dict(score.by_kind)} of {town.by_kind}, {len(recordings.asked)} requests"
                f"{' permitted' if town.permitted else ''} {score.error[-300:]}"
                f"{f' invented {len(score.invented)}' if score.invented else ''}\n"
            )
            if "-v" in sys.argv:
                for line in [*score.wrong[:8], *("invented " + it for it in score.invented[:8])]:
                    sys.stdout.write(f"      {line}\n")
            sys.stdout.flush()
    sys.stdout.write(f"{right:.0f} of {of:.0f} ({right / max(of, 1):.1%})\n")


if __name__ == "__main__":
    main()
