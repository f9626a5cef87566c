"""Find votes and entities in the text of minutes and agendas, by rules about how they are written.

::

    pages -> text       normalised, each character where it was
          -> roster     who sits on the body
          -> forms      what nobody has filled in, and is not read
          -> motions, outcomes, ballots, roll_calls, tables      cues: places that say something
          -> assemble   motions with what the cues say about them
          -> votes      what is published of each motion
    pages -> entities   people, bodies, amounts, dates, addresses, numbers of laws

To read a new way of writing, add a rule with an example to the table at the end of the module for
it (who moved: ``motions``; what became of it: ``outcomes``; who voted how: ``ballots``), and an
excerpt with its votes to ``tests/extract/examples``.  Change :data:`VERSION`.

What is found is kept with the site, one file per document, and is extracted again only when the
text or the version changes::

    {site}/_clerk/extracted/{minutes|agendas}/{meeting}/{date}.json
    {"version": "7", "text_sha256": "...", "votes": [...], "entities": [...]}

``text_sha256`` is the hash of the pages joined by form feeds, in UTF-8.  A vote has the fields of
:class:`Vote`, an entity those of :class:`Entity`; offsets are characters of that joined text.
Every name in a vote is printed in the document, and no result is worked out from numbers.  Where
only "nobody against" or "on motion of Smith" is printed, the result is passed and flagged
``result_implied``.  Documents filed as agendas have no votes, and neither have forms that are not
filled in.
"""

from __future__ import annotations

from .documents import ExtractReport, extract_document, extract_site, extract_text, extract_whole
from .model import BALLOTS, RESULTS, VERSION, VOTE_FIELDS, Entity, Extraction, Vote, vote_as_row

__all__ = [
    "BALLOTS",
    "RESULTS",
    "VERSION",
    "VOTE_FIELDS",
    "Entity",
    "ExtractReport",
    "Extraction",
    "Vote",
    "extract_document",
    "extract_site",
    "extract_text",
    "extract_whole",
    "vote_as_row",
]
