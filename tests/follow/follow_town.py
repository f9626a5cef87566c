"""A town with followers: documents as reading leaves them, a mail server, a webhook."""

from __future__ import annotations

import contextlib
import json
import re
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from email import message_from_bytes, policy
from email.message import EmailMessage
from hashlib import sha256
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from aiosmtpd.controller import Controller
from ports import free_port
from small_sites import appearance, vote, write_found, write_text
from sqlalchemy import select, update

from clerk.core import config, db, manifest
from clerk.core.files import SiteFiles
from clerk.core.models import (
    db_now,
    follow_deliveries_table,
    follow_hits_table,
    runs_table,
)
from clerk.core.storage import Document, extracted_file, site_folder
from clerk.extract import VERSION
from clerk.follow import subscriptions
from clerk.follow.targets import FollowTarget
from clerk.pipeline import search_index
from clerk.pipeline.scan import scan_site
from clerk.site_db import compile_site

SITE = "springfield"
OLD = "minutes/City Council/2024-01-15"
PUBLIC = "https://minutes.example.org"


@dataclass
class Mailbox:
    """A real SMTP server that keeps what it was given, and refuses as it is told."""

    port: int = 0
    mails: list[EmailMessage] = field(default_factory=list)
    refused: dict[str, str] = field(default_factory=dict)

    @property
    def url(self) -> str:
        """The server as MAIL_URL names it."""
        return f"smtp://127.0.0.1:{self.port}/?from=clerk@minutes.example.org"

    async def handle_RCPT(
        self, _server: Any, _session: Any, envelope: Any, address: str, _options: Any
    ) -> str:
        if address in self.refused:
            return self.refused[address]
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(self, _server: Any, _session: Any, envelope: Any) -> str:
        message = message_from_bytes(envelope.content, policy=policy.default)
        assert isinstance(message, EmailMessage)
        assert envelope.rcpt_tos == [message["To"]]
        self.mails.append(message)
        return "250 OK"

    def to(self, address: str) -> list[EmailMessage]:
        """What somebody was sent."""
        return [each for each in self.mails if each["To"] == address]

    @property
    def news(self) -> list[EmailMessage]:
        """Messages that tell what is new."""
        return [each for each in self.mails if each["List-Unsubscribe"]]


@contextlib.contextmanager
def mail_server() -> Iterator[Mailbox]:
    """Run a mail server."""
    box = Mailbox(free_port())
    server = Controller(box, hostname="127.0.0.1", port=box.port, ready_timeout=60)
    server.start()
    try:
        yield box
    finally:
        server.stop()


@dataclass
class Webhook:
    """A program that is told: what it was sent, and how it answers."""

    url: str = ""
    status: int = 200
    location: str = ""
    requests: list[tuple[dict[str, str], bytes]] = field(default_factory=list)

    @property
    def bodies(self) -> list[dict[str, Any]]:
        """What it was sent."""
        return [json.loads(body) for _, body in self.requests]


@contextlib.contextmanager
def webhook_server() -> Iterator[Webhook]:
    """Run a webhook."""
    hook = Webhook()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            hook.requests.append((dict(self.headers), body))
            self.send_response(hook.status)
            if hook.location:
                self.send_header("Location", hook.location)
            self.end_headers()

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    hook.url = f"http://127.0.0.1:{server.server_port}/hook"
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield hook
    finally:
        server.shutdown()
        server.server_close()


def add_document(
    name: str, *pages: str, site: str = SITE, pdf: str = "", compiled: bool = True, **found: Any
) -> None:
    """Have a document in the town, as a run leaves it; ``pdf`` is the hash of its file."""
    folder = site_folder(config.load().storage_dir, site)
    document = write_text(folder, name, pages)
    facts = document.text(folder) / "document.json"
    said = json.loads(facts.read_text())
    facts.write_text(json.dumps(said | {"pdf_sha256": pdf or f"pdf of {name}"}))
    if found:
        write_found(folder, document, pages, found.pop("votes", []), **found)
    if compiled:
        compile_town(site)


def vote_of(name: str) -> dict[str, Any]:
    """A vote in which somebody voted no."""
    return vote(1, ayes=["Lee", "Wu"], noes=[name], motion="to adopt the budget")


def matter(key: str) -> dict[str, Any]:
    """A matter in a document."""
    return appearance(key, title="Zoning code", votes=[0])


def compile_town(site: str = SITE) -> None:
    """Take in what lies in the folder of the town, compile and index it, as a run does."""
    settings = config.load()
    scan_site(settings, site)
    folder = site_folder(settings.storage_dir, site)
    with db.civic_db_connection() as conn:
        row = db.require_site(conn, site)
        found = {
            each.name: (each.text_sha256, sha256(path.read_bytes()).hexdigest())
            for each in manifest.documents(conn, site)
            if (path := extracted_file(folder, each.document)).exists() and each.text_sha256
        }
        manifest.record_findings(conn, site, VERSION, found)

    def documents(names: Any) -> Any:
        with db.reading_connection(settings.sql_url) as conn:
            return manifest.documents(conn, site, names)

    compile_site(SiteFiles(settings, site), documents, row)
    search_index.index_site(settings, site)


def end_run(site: str = SITE, epoch: int = 1, state: str = "completed") -> None:
    """Have a run of the town that has ended."""
    with db.civic_db_connection() as conn:
        conn.execute(
            runs_table.insert().values(
                run_id=f"{site}-{epoch}",
                subdomain=site,
                epoch=epoch,
                state=state,
                finished_at=db_now(),
            )
        )


def follow(
    what: str, address: str = "ann@example.org", cadence: str = "immediate", **asked: str
) -> str:
    """Sign up and confirm, as the links do; return the token of the personal page."""
    subscriptions.sign_up(config.load(), address, what, FollowTarget(**asked), cadence)
    with db.reading_connection() as conn:
        table = follow_deliveries_table.c
        query = select(table.payload).where(table.what == "confirm").order_by(table.id.desc())
        token = conn.execute(query.limit(1)).scalar_one()["token"]
    return subscriptions.confirm(token).removeprefix("/follow/me/")


def forget_confirmations() -> None:
    """Have links to confirm out of the way."""
    with db.civic_db_connection() as conn:
        table = follow_deliveries_table
        conn.execute(
            update(table).where(table.c.what == "confirm").values(state="completed", payload={})
        )


def hits() -> list[tuple[int, str]]:
    """What was found: subscription and document."""
    with db.reading_connection() as conn:
        table = follow_hits_table.c
        return sorted(conn.execute(select(table.subscription_id, table.document)).all())


def links_in(message: EmailMessage) -> list[str]:
    """The links of a message's plain text."""
    text = message.get_body(("plain",))
    assert text is not None
    return re.findall(r"https?://\S+", text.get_content())


def document_named(name: str) -> Document:
    """A document of the town."""
    return Document.from_name(name)
