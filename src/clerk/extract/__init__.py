"""Find votes and entities in the text of minutes and agendas, by rules about how they are written.

::

    documents   files and texts in, findings out; what people corrected comes first
      text        normalised, each character where it was
      names       names of people, as minutes print them
      attendance  who was there
      roster      who sits on the body, and which names are one person's
      cues        the document while it is read; what is no vote: forms, reasons, corrections
        motions     who moved and who seconded
        outcomes    what became of it
        ballots     who or how many voted which way; names that are called one by one
        tables      votes in columns
      assemble    motions with what the cues say about them
      items       the agenda items
      votes       what is published of each motion: its words, lists and doubts
      entities    people, bodies, amounts, dates, addresses, numbers; who spoke or stood aside
      matters     what was done with each ordinance, resolution, case or topic
    model       what is published, and how sure it is

To read a new way of writing, add a rule with an example to the table at the end of the module for
it (who moved: ``motions``; what became of it: ``outcomes``; who voted how: ``ballots``), and an
excerpt with its votes to ``tests/extract/examples``.  Change :data:`VERSION`.

What is found is kept with the site, one file per document, and is extracted again only when the
text or the version changes::

    {site}/_clerk/extracted/{minutes|agendas}/{meeting}/{date}.json
    {"version": "9", "text_sha256": "...", "votes": [...], "entities": [...], ...}

``text_sha256`` is the hash of the pages joined by form feeds, in UTF-8.  A vote has the fields of
:class:`Vote`, an entity those of :class:`Entity`; offsets are characters of that joined text.
Every name in a vote is printed in the document, and no result is worked out from numbers.  Where
only "nobody against" or "on motion of Smith" is printed, the result is passed and flagged
``result_implied``.  Documents filed as agendas have no votes, and neither have forms that are not
filled in.  ``docs/votes.md`` describes the fields.
"""

from __future__ import annotations

from .documents import (
    ExtractReport,
    explain_text,
    extract_document,
    extract_documents,
    extract_site,
    extract_text,
    extract_whole,
    extraction_as_row,
)
from .model import (
    BALLOTS,
    RESULTS,
    SCHEMA,
    VERSION,
    VOTE_FIELDS,
    Appearance,
    Declaration,
    Entity,
    Extraction,
    Presence,
    Speaker,
    Vote,
    vote_as_row,
)

__all__ = [
    "BALLOTS",
    "RESULTS",
    "SCHEMA",
    "VERSION",
    "VOTE_FIELDS",
    "Appearance",
    "Declaration",
    "Entity",
    "ExtractReport",
    "Extraction",
    "Presence",
    "Speaker",
    "Vote",
    "explain_text",
    "extract_document",
    "extract_documents",
    "extract_site",
    "extract_text",
    "extract_whole",
    "extraction_as_row",
    "vote_as_row",
]
