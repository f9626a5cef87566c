"""Find votes and entities in the text of minutes and agendas, by rules about how they are written.

::

    text -> normalised (same length) -> roster, cues -> chamber (a stack of motions) -> votes
                                                     -> entities

What is found is kept beside the site, one file per document, and is made again only when the text
or this extractor changes::

    {site}/_clerk/extracted/{minutes|agendas}/{meeting}/{date}.json
    {"version": "1", "text_sha256": "...", "votes": [...], "entities": [...]}

``text_sha256`` is the hash of the pages joined by form feeds, in UTF-8.  A vote has the fields of
:class:`Vote`, an entity those of :class:`Entity`; offsets are characters of that joined text.  No
name in a vote is one that the document does not print, and no result is worked out from numbers;
where all that is printed is that nobody was against, or that a deed was done "on motion of"
somebody, the result is passed and flagged ``result_implied``.  Documents filed as agendas have no
votes, and neither have forms that are not filled in.
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
