"""The tables of ``meetings.db``.

::

    documents 1 --- n minutes, agendas, others   one row per page; text as read, search_text as
        |                 |                      searched; meeting, date and kind of the page
        |            minutes_fts, agendas_fts, others_fts
        +--- n parts                             of a packet
        +--- n votes 1 --- n vote_members
        +--- n entities, agenda_items, attendance, speakers, interests
        +--- n matter_appearances n --- n votes (matter_votes)
        +--- n document_names                   names of members, and how often each is printed

    matters 1 --- n matter_appearances          one matter over all meetings
    people 1 --- n person_names, person_terms   one member of one body, however the name is written
    about       facts about the site

Datasette shows it as it is: foreign keys lead from pages, votes and entities to their document, and
the full-text tables are found by their ``content``.  Rows are the same whoever builds the file
and however; only rowids, which tie a page to its full-text entry, depend on the order of builds.

The file is published: each column of text is in one of the sets below, which say why anybody may
read it.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from clerk.identify.facts import KINDS

#: The tables of pages, by the kinds of documents they hold; ``others`` has all other kinds, and
#: what is not known.
MINUTES, AGENDAS, OTHERS = "minutes", "agendas", "others"
PAGE_TABLES = (MINUTES, AGENDAS, OTHERS)
#: The word for a kind that is not known, where a word is needed.
UNKNOWN = "unknown"
#: What can be asked for.
DOCUMENT_KINDS = (*KINDS, UNKNOWN)
_TABLE_OF_KIND = {"minutes": MINUTES, "agenda": AGENDAS, "packet": AGENDAS}

#: Raised when a table changes, or when less of what is stored may be in it: an older
#: ``meetings.db`` is then built again.
VERSION = 11
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
        *("printed_name", "person", "concerning", "matter", "matter_key", "matter_number"),
        *("matter_title", "amounts", "addresses"),
    )
)
#: Made from the names of documents; a scan passes over names that must not be published.
NAMES = frozenset(("name", "date", "document", "page_image", "first_date", "last_date"))
#: From sources and errors: through the gate, as is every ``value`` of ``about``.
CLEANED = frozenset(
    (
        *("failed_pages", "source_url", "corrected_by", "meeting", "title", "file_name"),
        "evidence",
    )
)
#: clerk's own words, times and hashes.
OWN = frozenset(
    (
        *("id", "kind", "method", "sha256", "fetched_at", "gone_at", "text_sha256", "digest"),
        "first_seen_at",
        *("vote", "page_id", "key", "field_confidence", "doubtful", "doubts"),
        *("corrected_fields", "corrected_at", "status", "side", "action", "continued_to"),
        *("state", "appearance", "repeats"),
    )
)

_PAGES = """
CREATE TABLE {table} (
    id TEXT PRIMARY KEY, meeting TEXT, date TEXT, page INTEGER NOT NULL, text TEXT NOT NULL,
    page_image TEXT NOT NULL, entities_json TEXT, votes_json TEXT,
    document TEXT NOT NULL REFERENCES documents(name), method TEXT, confidence REAL, joined TEXT,
    kind TEXT, part INTEGER,
    search_text TEXT GENERATED ALWAYS AS (coalesce(joined, text)) VIRTUAL
);
CREATE VIRTUAL TABLE {table}_fts USING fts5(
    search_text, content="{table}", tokenize="{tokenizer}"
);
CREATE INDEX {table}_document ON {table}(document, page);
CREATE INDEX {table}_date ON {table}(date);
"""

#: All pages, for those who ask by the kind of a page and not of its document.
_ALL_PAGES = "CREATE VIEW pages AS " + " UNION ALL ".join(
    "SELECT id, document, page, kind, meeting, date, part, text, method, confidence, search_text"
    f" FROM {table}"
    for table in PAGE_TABLES
)

#: Columns of a page that are written, in this order; the others follow from them.
PAGE_COLUMNS = """
    id, meeting, date, page, text, page_image, entities_json, votes_json, document, method,
    confidence, joined, kind, part
"""

#: Where something was found: the first columns of every table of findings with a date.
_PLACE = """id TEXT PRIMARY KEY, document TEXT NOT NULL REFERENCES documents(name), meeting TEXT,
    date TEXT, page INTEGER, page_id TEXT, start INTEGER, "end" INTEGER"""

_TABLES = f"""
CREATE TABLE about (key TEXT PRIMARY KEY, value TEXT) WITHOUT ROWID;
CREATE TABLE documents (
    name TEXT PRIMARY KEY, id TEXT NOT NULL, kind TEXT, meeting TEXT, date TEXT, title TEXT,
    file_name TEXT, sequence INTEGER NOT NULL, evidence TEXT NOT NULL, pages INTEGER NOT NULL,
    method TEXT, confidence REAL, failed_pages TEXT, sha256 TEXT, bytes INTEGER, source_url TEXT,
    fetched_at TEXT, first_seen_at TEXT, gone_at TEXT, text_sha256 TEXT NOT NULL,
    digest TEXT NOT NULL
);
CREATE TABLE parts (
    document TEXT NOT NULL REFERENCES documents(name), first_page INTEGER NOT NULL,
    first_character INTEGER NOT NULL, last_page INTEGER NOT NULL, kind TEXT, meeting TEXT,
    date TEXT, title TEXT, of_other_place INTEGER, evidence TEXT NOT NULL,
    PRIMARY KEY (document, first_page, first_character)
) WITHOUT ROWID;
CREATE TABLE votes (
    {_PLACE},
    item TEXT, motion TEXT, mover TEXT, seconder TEXT, result TEXT, result_text TEXT,
    vote_type TEXT, tally TEXT, unanimous INTEGER, flags TEXT, quote TEXT, confidence REAL,
    item_title TEXT, consent_items TEXT, consent_exceptions TEXT, field_confidence TEXT,
    doubtful TEXT, doubts TEXT, corrected_fields TEXT, corrected_by TEXT, corrected_at TEXT,
    repeats TEXT REFERENCES votes(id)
);
CREATE TABLE vote_members (
    vote TEXT NOT NULL REFERENCES votes(id), member TEXT NOT NULL, ballot TEXT NOT NULL,
    PRIMARY KEY (vote, ballot, member)
) WITHOUT ROWID;
CREATE TABLE entities (
    id TEXT PRIMARY KEY, document TEXT NOT NULL REFERENCES documents(name), page INTEGER,
    page_id TEXT, type TEXT, text TEXT, value TEXT, role TEXT, start INTEGER, "end" INTEGER
);
CREATE TABLE agenda_items (
    {_PLACE}, quote TEXT,
    item TEXT NOT NULL, item_title TEXT NOT NULL
);
CREATE TABLE attendance (
    {_PLACE}, quote TEXT,
    printed_name TEXT NOT NULL, role TEXT, is_member INTEGER NOT NULL, status TEXT NOT NULL,
    late INTEGER NOT NULL, left_early INTEGER NOT NULL, remote INTEGER NOT NULL
);
CREATE TABLE speakers (
    {_PLACE}, quote TEXT,
    printed_name TEXT NOT NULL, side TEXT, item TEXT, item_title TEXT
);
CREATE TABLE interests (
    {_PLACE}, quote TEXT,
    printed_name TEXT NOT NULL, kind TEXT NOT NULL, concerning TEXT
);
CREATE TABLE matter_appearances (
    {_PLACE}, quote TEXT,
    matter TEXT NOT NULL, matter_key TEXT NOT NULL, kind TEXT NOT NULL, matter_number TEXT,
    matter_title TEXT, action TEXT NOT NULL, continued_to TEXT, amounts TEXT, addresses TEXT,
    doubtful TEXT
);
CREATE TABLE matter_votes (
    appearance TEXT NOT NULL REFERENCES matter_appearances(id),
    vote TEXT NOT NULL REFERENCES votes(id),
    PRIMARY KEY (appearance, vote)
) WITHOUT ROWID;
CREATE TABLE document_names (
    document TEXT NOT NULL REFERENCES documents(name), meeting TEXT NOT NULL, date TEXT,
    printed_name TEXT NOT NULL, times INTEGER NOT NULL
);
CREATE TABLE matters (
    matter TEXT PRIMARY KEY, kind TEXT NOT NULL, matter_number TEXT, matter_title TEXT,
    state TEXT NOT NULL, first_date TEXT, last_date TEXT, appearances INTEGER NOT NULL
);
CREATE TABLE people (
    person TEXT PRIMARY KEY, meeting TEXT NOT NULL, printed_name TEXT NOT NULL, first_date TEXT,
    last_date TEXT
);
CREATE TABLE person_names (
    meeting TEXT NOT NULL, printed_name TEXT NOT NULL,
    person TEXT NOT NULL REFERENCES people(person), times INTEGER NOT NULL,
    PRIMARY KEY (meeting, printed_name)
) WITHOUT ROWID;
CREATE TABLE person_terms (
    person TEXT NOT NULL REFERENCES people(person), first_date TEXT NOT NULL,
    last_date TEXT NOT NULL,
    PRIMARY KEY (person, first_date)
) WITHOUT ROWID;
"""

#: The tables with rows of one document, besides its pages; in the order in which they are removed.
_FOUND = (
    *("matter_appearances", "votes", "entities", "agenda_items", "attendance", "speakers"),
    *("interests", "document_names"),
)
OF_A_DOCUMENT = (*_FOUND, "parts")

#: Made after the rows of a full build, which is quicker where rows come in another order.
_OF_DOCUMENTS = (f"CREATE INDEX {each}_document ON {each}(document);" for each in _FOUND)
INDEXES = f"""
{" ".join(_OF_DOCUMENTS)}
CREATE UNIQUE INDEX documents_id ON documents(id);
CREATE INDEX documents_meeting ON documents(kind, meeting, date);
CREATE INDEX votes_date ON votes(date);
CREATE INDEX votes_repeats ON votes(repeats) WHERE repeats IS NOT NULL;
CREATE INDEX vote_members_member ON vote_members(member);
CREATE INDEX entities_value ON entities(type, value);
CREATE INDEX attendance_name ON attendance(meeting, printed_name);
CREATE INDEX speakers_name ON speakers(printed_name);
CREATE INDEX interests_name ON interests(meeting, printed_name);
CREATE INDEX matter_appearances_matter ON matter_appearances(matter, date);
CREATE INDEX matter_appearances_key ON matter_appearances(matter_key);
CREATE INDEX matter_votes_vote ON matter_votes(vote);
CREATE INDEX document_names_name ON document_names(meeting, printed_name, date, times, document);
CREATE INDEX matters_date ON matters(last_date);
CREATE INDEX people_meeting ON people(meeting);
CREATE INDEX person_names_person ON person_names(person);
"""


def create(connection: sqlite3.Connection) -> None:
    """Make the tables in an empty file."""
    connection.execute(f"PRAGMA page_size = {PAGE_SIZE}")
    connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
    connection.execute(f"PRAGMA user_version = {VERSION}")
    connection.executescript(_TABLES)
    for table in PAGE_TABLES:
        connection.executescript(_PAGES.format(table=table, tokenizer=TOKENIZER))
    connection.execute(_ALL_PAGES)


def insert(connection: sqlite3.Connection, table: str, rows: Sequence[Sequence[Any]]) -> None:
    """Write rows that have a value for each column; of some columns, they follow the table."""
    if rows:
        marks = ", ".join("?" * len(rows[0]))
        connection.executemany(f"INSERT INTO {table} VALUES ({marks})", rows)


def page_table(kind: str | None) -> str:
    """Return the table with the pages of documents of a kind."""
    return _TABLE_OF_KIND.get(kind or "", OTHERS)


def table_of_document(connection: sqlite3.Connection, name: str) -> str:
    """Return the table with the pages of a document of the file."""
    row = connection.execute("SELECT kind FROM documents WHERE name = ?", (name,)).fetchone()
    return page_table(row[0] if row else None)


def open_private(path: Path) -> sqlite3.Connection:
    """Open a file nobody else sees, thrown away when writing fails: no journal, no waiting."""
    connection = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
    for pragma in ("journal_mode=off", "synchronous=off", "cache_size=-65536", "secure_delete=off"):
        connection.execute(f"PRAGMA {pragma}")
    return connection


#: Holds what is known of some fifty thousand documents, without their text; allocated as needed.
_LARGE_CACHE_KB = 64 * 1024


def open_readonly(path: Path, *, reads_all: bool = False) -> sqlite3.Connection:
    """Open a compiled file for reading; it is replaced, never changed, so no locks are needed.

    Who reads of all documents gets a larger cache: in the order of their names they lie anywhere
    in the file, and each would be read from it again and again.
    """
    address = f"{path.absolute().as_uri()}?mode=ro&immutable=1"
    db = sqlite3.connect(address, uri=True, isolation_level=None, check_same_thread=False)
    if reads_all:
        db.execute(f"PRAGMA cache_size = {-_LARGE_CACHE_KB}")
    return db


def is_current(connection: sqlite3.Connection) -> bool:
    """Whether the file was made by this version of clerk."""
    application = connection.execute("PRAGMA application_id").fetchone()[0]
    version = connection.execute("PRAGMA user_version").fetchone()[0]
    return (application, version) == (APPLICATION_ID, VERSION)
