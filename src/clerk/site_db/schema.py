"""The tables of ``meetings.db``.

::

    documents 1 --- n minutes, agendas      one row per page; text as read, search_text as searched
        |                 |
        |            minutes_fts, agendas_fts
        +--- n votes 1 --- n vote_members
        +--- n entities

    about       facts about the site

Datasette shows it as it is: foreign keys lead from pages, votes and entities to their document, and
the full-text tables are found by their ``content``.  Rows are the same whoever builds the file
and however; only rowids, which tie a page to its full-text entry, depend on the order of builds.

The file is published: each column of text is in one of the sets below, which say why anybody may
read it.
"""

from __future__ import annotations

import sqlite3
from pathlib import Path

from clerk.core.storage import KINDS

#: Raised when a table changes, or when less of what is stored may be in it: an older
#: ``meetings.db`` is then built again.
VERSION = 6
#: "clrk", so that the file can be told from any other database.
APPLICATION_ID = 0x636C726B

#: Larger pages than usual keep a page of text in one piece: smaller files, quicker builds.
PAGE_SIZE = 16384
TOKENIZER = "unicode61 remove_diacritics 2"

#: The words of documents, and what was extracted from them: passed on as they were read.
AS_READ = frozenset(
    (
        *("text", "joined", "search_text", "entities_json", "votes_json"),
        *("item", "motion", "mover", "seconder", "result", "result_text", "vote_type", "tally"),
        *("flags", "quote", "member", "ballot", "type", "value", "role"),
        *("item_title", "consent_items", "consent_exceptions"),
    )
)
#: Made from the names of documents; a scan passes over names that must not be published.
NAMES = frozenset(("name", "meeting", "date", "document", "page_image"))
#: From sources and errors: through the gate, as is every ``value`` of ``about``.
CLEANED = frozenset(("failed_pages", "source_url"))
#: clerk's own words, times and hashes.
OWN = frozenset(
    (
        *("id", "kind", "method", "sha256", "fetched_at", "gone_at", "text_sha256", "digest"),
        "first_seen_at",
        *("vote", "page_id", "key", "field_confidence", "doubtful", "doubts"),
    )
)

_PAGES = """
CREATE TABLE {kind} (
    id TEXT PRIMARY KEY,
    meeting TEXT NOT NULL,
    date TEXT NOT NULL,
    page INTEGER NOT NULL,
    text TEXT NOT NULL,
    page_image TEXT NOT NULL,
    entities_json TEXT,
    votes_json TEXT,
    document TEXT NOT NULL REFERENCES documents(name),
    method TEXT,
    confidence REAL,
    joined TEXT,
    search_text TEXT GENERATED ALWAYS AS (coalesce(joined, text)) VIRTUAL
);
CREATE VIRTUAL TABLE {kind}_fts USING fts5(
    search_text, content="{kind}", tokenize="{tokenizer}"
);
CREATE INDEX {kind}_document ON {kind}(document, page);
CREATE INDEX {kind}_date ON {kind}(date);
"""

#: Columns of a page that are written, in this order; the others follow from them.
PAGE_COLUMNS = """
    id, meeting, date, page, text, page_image, entities_json, votes_json, document, method,
    confidence, joined
"""

_TABLES = """
CREATE TABLE about (key TEXT PRIMARY KEY, value TEXT) WITHOUT ROWID;
CREATE TABLE documents (
    name TEXT PRIMARY KEY,
    id TEXT NOT NULL,
    kind TEXT NOT NULL,
    meeting TEXT NOT NULL,
    date TEXT NOT NULL,
    pages INTEGER NOT NULL,
    method TEXT,
    confidence REAL,
    failed_pages TEXT,
    sha256 TEXT,
    bytes INTEGER,
    source_url TEXT,
    fetched_at TEXT,
    first_seen_at TEXT,
    gone_at TEXT,
    text_sha256 TEXT NOT NULL,
    digest TEXT NOT NULL
);
CREATE TABLE votes (
    id TEXT PRIMARY KEY,
    document TEXT NOT NULL REFERENCES documents(name),
    meeting TEXT NOT NULL,
    date TEXT NOT NULL,
    page INTEGER,
    page_id TEXT,
    start INTEGER,
    "end" INTEGER,
    item TEXT,
    motion TEXT,
    mover TEXT,
    seconder TEXT,
    result TEXT,
    result_text TEXT,
    vote_type TEXT,
    tally TEXT,
    unanimous INTEGER,
    flags TEXT,
    quote TEXT,
    confidence REAL,
    item_title TEXT,
    consent_items TEXT,
    consent_exceptions TEXT,
    field_confidence TEXT,
    doubtful TEXT,
    doubts TEXT
);
CREATE TABLE vote_members (
    vote TEXT NOT NULL REFERENCES votes(id),
    member TEXT NOT NULL,
    ballot TEXT NOT NULL,
    PRIMARY KEY (vote, ballot, member)
) WITHOUT ROWID;
CREATE TABLE entities (
    id TEXT PRIMARY KEY,
    document TEXT NOT NULL REFERENCES documents(name),
    page INTEGER,
    page_id TEXT,
    type TEXT,
    text TEXT,
    value TEXT,
    role TEXT,
    start INTEGER,
    "end" INTEGER
);
"""

#: Made after the rows of a full build, which is quicker where rows come in another order.
INDEXES = """
CREATE UNIQUE INDEX documents_id ON documents(id);
CREATE INDEX documents_meeting ON documents(kind, meeting, date);
CREATE INDEX votes_document ON votes(document);
CREATE INDEX votes_date ON votes(date);
CREATE INDEX vote_members_member ON vote_members(member);
CREATE INDEX entities_document ON entities(document);
CREATE INDEX entities_value ON entities(type, value);
"""


def create(connection: sqlite3.Connection) -> None:
    """Make the tables in an empty file."""
    connection.execute(f"PRAGMA page_size = {PAGE_SIZE}")
    connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
    connection.execute(f"PRAGMA user_version = {VERSION}")
    connection.executescript(_TABLES)
    for kind in KINDS:
        connection.executescript(_PAGES.format(kind=kind, tokenizer=TOKENIZER))


def open_private(path: Path) -> sqlite3.Connection:
    """Open a file nobody else sees, thrown away when writing fails: no journal, no waiting."""
    connection = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
    for pragma in ("journal_mode=off", "synchronous=off", "cache_size=-65536", "secure_delete=off"):
        connection.execute(f"PRAGMA {pragma}")
    return connection


def open_readonly(path: Path) -> sqlite3.Connection:
    """Open a compiled file for reading; it is replaced, never changed, so no locks are needed."""
    address = f"{path.absolute().as_uri()}?mode=ro&immutable=1"
    return sqlite3.connect(address, uri=True, isolation_level=None, check_same_thread=False)


def is_current(connection: sqlite3.Connection) -> bool:
    """Whether the file was made by this version of clerk."""
    application = connection.execute("PRAGMA application_id").fetchone()[0]
    version = connection.execute("PRAGMA user_version").fetchone()[0]
    return (application, version) == (APPLICATION_ID, VERSION)
