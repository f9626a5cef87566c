"""Find votes and entities in the text of minutes and agendas, by rules about how they are written.

::

    pages -> text       normalised, each character where it was
          -> roster     who sits on the body
          -> forms      what is no vote: forms, reasons, corrections of other minutes
          -> motions, outcomes, ballots, roll_calls, tables      cues: places that say something
          -> assemble   motions with what the cues say about them
          -> wording    the words of each motion
          -> items      the agenda item it belongs to
          -> confidence how sure each field is
          -> votes      what is published of each motion
    pages -> entities   people, bodies, amounts, dates, addresses, numbers of laws
          -> attendance who was there     -> hearings   who spoke, who stood aside
          -> matters    what was done with each ordinance, resolution, case or topic
    all documents of a site -> people, matters.join_matters     who and what is the same

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
)
from .findings import (
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
    extraction_as_row,
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
