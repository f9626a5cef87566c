"""An installation full of secrets: in all that a source, a file, a plugin or an upload brings in.

Its plugin is a portal, an older fetcher and an OCR engine; what they say carries all the secrets.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import quote, quote_plus

from small_pdfs import LINES, printed, text_at
from small_uploads import line, write
from sqlalchemy import update

from clerk.core import config, db
from clerk.core.models import items_table, runs_table, sites_table, stage_events_table
from clerk.pipeline import uploads
from tools.pdf_writer import PdfWriter

PASSWORD = "hunter2-s3cretpw"
TOKEN = "t0ken-5igned-77"
JWT = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJib2IifQ.c2lnbmF0dXJl-X"
API_KEY = "AKIAIOSFODNN7EXAMPLE"
ENVIRONMENT = "env1ronment-s3cret"
#: Part of the path of every folder.
FOLDER = "private-f0lder"

#: What a URL, an error or a title may carry, and what a file name may.
EVERYTHING = (
    f"http://bob:{PASSWORD}@town.example/a.pdf?id=7&token={TOKEN}&X-Amz-Signature={TOKEN}"
    f" {JWT} {API_KEY} {ENVIRONMENT} /home/{FOLDER}/minutes/b.pdf 'C:\\{FOLDER}\\c.pdf'"
)
IN_A_NAME = f"token={TOKEN} api_key={PASSWORD} {JWT} {API_KEY} {ENVIRONMENT}"

PLUGIN = f"""
import os
from datetime import datetime
from pathlib import Path

from clerk import hookimpl
from clerk.fetch.base import DocumentRef, Fetcher, FetcherSpec, Gap, MeetingRef, Problem
from clerk.read.ocr import OcrPage, OcrWord

EVERYTHING, IN_A_NAME = {EVERYTHING!r}, {IN_A_NAME!r}
SIGNED = "?token={TOKEN}&sig={TOKEN}&id="


def offered(body, title, url, start=None, document=""):
    ref = DocumentRef("minutes", url, title=document)
    return MeetingRef(EVERYTHING + url, body, title, start, "", EVERYTHING, EVERYTHING, (ref,))


class Portal(Fetcher):
    def list_meetings(self, window):
        base = os.environ["PORTAL"]
        day = datetime(2024, 1, 15)
        good = base + "/good.pdf" + SIGNED
        yield offered("Harbor Board " + EVERYTHING, EVERYTHING, good + "1", day)
        yield offered("Harbor Board", "Untimely " + EVERYTHING, good + "2")
        yield offered("Harbor Board", "", good + "3")
        yield offered(IN_A_NAME, "", good + "4", None, IN_A_NAME)
        yield offered("Harbor Board", "x", base.replace("//", "//bob:{PASSWORD}@") + "/5.pdf", day)
        yield offered("Harbor Board", "y", base + "/missing.pdf" + SIGNED + "6", day, EVERYTHING)
        yield Gap(EVERYTHING, "2024-01-15", EVERYTHING, EVERYTHING)
        self.skip(EVERYTHING, EVERYTHING)
        self.report.errors.append(Problem(EVERYTHING, EVERYTHING, "PortalError"))
        self.report.errors.append(Problem(IN_A_NAME, EVERYTHING))


class Older:
    def __init__(self, site, **extra):
        self.folder = Path(os.environ["STORAGE_DIR"]) / site["subdomain"] / "pdfs"

    def fetch_events(self):
        for name in ("Harbor Board/2024-03-01", IN_A_NAME + "/2024-03-02", "Board/" + IN_A_NAME):
            path = self.folder / (name + ".pdf")
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(Path(os.environ["GOOD_PDF"]).read_bytes())


class Engine:
    name = "leaky"

    def version(self):
        return "1"

    def available_languages(self):
        return frozenset(["eng"])

    def recognise(self, image, languages, dpi):
        if image.width > image.height:
            raise ValueError(EVERYTHING)
        return OcrPage.of([OcrWord("harbor", (10, 10, 60, 30), 0.9, line=0)])


@hookimpl
def register_fetchers():
    return [FetcherSpec("portal", Portal, pace=0.001, finds_gaps=False)]


@hookimpl
def fetcher_class(label):
    return Older if label == "older" else None


@hookimpl
def register_ocr_backends():
    return [Engine()]
"""


def forms(secret: str) -> set[bytes]:
    """Return a secret as it may be written in text and in URLs."""
    return {
        each.encode()
        for each in (secret, quote(secret), quote(secret, safe=""), quote_plus(secret))
    }


def found_in(content: bytes) -> list[str]:
    """Return the secrets that some bytes contain."""
    secrets = (PASSWORD, TOKEN, JWT, API_KEY, ENVIRONMENT, FOLDER)
    return [each for each in secrets if any(form in content for form in forms(each))]


@contextmanager
def portal() -> Iterator[str]:
    """Serve one PDF, whatever is asked for, but for what is missing; give the address."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            content = printed(LINES) if self.path.startswith("/good.pdf") else b""
            self.send_response(200 if content else 404)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *arguments: object) -> None:
            """Say nothing."""

    served = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=served.serve_forever, args=(0.01,))
    thread.start()
    try:
        yield f"http://127.0.0.1:{served.server_port}"
    finally:
        served.shutdown()
        thread.join()
        served.server_close()


def fill(folder: Path) -> None:
    """Put documents into a folder: a good one, one with a page that fails, some with odd names."""
    wide = PdfWriter()
    wide.add_page(text_at(LINES))
    wide.add_page(text_at(LINES, top=500), size=(792, 612))
    board = folder / "Harbor Board"
    (folder / IN_A_NAME).mkdir(parents=True)
    board.mkdir()
    (board / "2024-02-01.pdf").write_bytes(printed(LINES))
    (board / "2024-02-02.pdf").write_bytes(wide.getvalue())
    (board / f"undated {IN_A_NAME}.pdf").write_bytes(printed(LINES))
    (folder / IN_A_NAME / "2024-02-03.pdf").write_bytes(printed(LINES))
    (folder / IN_A_NAME / "2024-02-04.pdf").write_bytes(b"not a PDF")


def add_sites(folder: Path, further: Path) -> dict[str, dict[str, str]]:
    """Add a site for each kind of source; return them by subdomain."""
    scans = {"source": str(folder), "ocr": "always", "ocr_backend": "leaky", "token": ENVIRONMENT}
    scans["deploy_to"] = f"local://{further}?keep=5&token={TOKEN}"
    sites = {
        "portal": {"scraper": "portal", "extra": json.dumps({"source": EVERYTHING})},
        "older": {"scraper": "older", "extra": "{}"},
        "scans": {"scraper": "folder", "extra": json.dumps(scans)},
        "silent": {"scraper": "folder", "extra": json.dumps({"source": str(folder)})},
    }
    for name, site in sites.items():
        site |= {"subdomain": name, "name": f"{name} {EVERYTHING}", "state": EVERYTHING}
        site |= {"kind": EVERYTHING, "country": EVERYTHING}
        with db.civic_db_connection() as conn:
            db.upsert_site(conn, site)
    return sites


def run(*sites: str) -> None:
    """Take sites through every stage, as an operator does."""
    command = [sys.executable, "-m", "clerk", "run", *sites, "--workers", "1"]
    done = subprocess.run(command, capture_output=True, timeout=120, env=os.environ, check=False)
    assert done.returncode == 4, done.stderr.decode()


def upload(folder: Path) -> None:
    """Upload annotations whose every field carries secrets."""
    spans = [{"id": "T1", "span": {"begin": 0, "end": 3}, "obj": EVERYTHING}]
    some = [
        line(EVERYTHING, sourcedb=IN_A_NAME, denotations=spans, relations=[], attributes=[]),
        line("minutes/Harbor Board/2024-02-01/page-1", sourcedb="scans", source_url=EVERYTHING),
        "{not JSON " + EVERYTHING,
    ]
    file = write(folder / f"{IN_A_NAME[:60]}.jsonl", some)
    job = uploads.upload(
        config.load(), [file], project=IN_A_NAME, create_docs=True, created_by=EVERYTHING
    )
    assert job.wait(config.load(workers=1)).issues


def fail_everywhere() -> None:
    """Have every error in the database carry secrets, in a sentence that names no kind."""
    with db.civic_db_connection() as conn:
        conn.execute(update(sites_table).values(last_error_message=EVERYTHING))
        conn.execute(update(runs_table).values(reason=EVERYTHING))
        conn.execute(update(stage_events_table).values(detail=EVERYTHING))
        failed = items_table.c.state == "failed"
        conn.execute(
            update(items_table)
            .where(failed)
            .values(error=f"It failed at {EVERYTHING}", error_kind=None)
        )
