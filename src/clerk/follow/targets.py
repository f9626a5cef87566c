"""What can be followed: a search with its filters, a place, a body, a person's votes, a matter."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path
from urllib.parse import quote, urlencode

import msgspec

from clerk.core.errors import InvalidInput, NotFound
from clerk.core.language import Message, say, word
from clerk.core.states import Subscription
from clerk.search import Query, parse
from clerk.search.readers import open_index
from clerk.site_db.queries import open_site
from clerk.site_db.record import SiteRecord

_LABEL_LETTERS = 200


class FollowTarget(msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """What somebody follows; which fields are set depends on the kind.

    ``body`` of a kind other than search is the exact name.  ``person`` is the name in a search, and
    otherwise the id of a person of the site, as in the address of the page.
    """

    text: str = ""
    site: str = ""
    state: str = ""
    body: str = ""
    kind: str = ""
    person: str = ""
    matter: str = ""
    year: str = ""
    since: str = ""
    until: str = ""

    @property
    def query(self) -> Query:
        """The search."""
        return Query(
            self.text,
            site=self.site or None,
            state=self.state or None,
            body=self.body or None,
            kind=self.kind or None,
            person=self.person or None,
            year=self.year or None,
            since=self.since or None,
            until=self.until or None,
        )


class Confirmation(msgspec.Struct, frozen=True):
    """What a message that asks somebody to confirm something says; other messages have none."""

    subscription: int = 0
    token: str = ""
    label: str = ""
    language: str = ""


def read_followed(asked: Mapping[str, object]) -> FollowTarget:
    """Return what was stored; unknown fields are refused."""
    return msgspec.convert(dict(asked), FollowTarget)


def stored(followed: FollowTarget) -> dict[str, object]:
    """Return what is stored of it."""
    found: dict[str, object] = msgspec.to_builtins(followed)
    return found


def digest_of_followed(kind: str, followed: FollowTarget) -> str:
    """Return what is the same for the same thing."""
    raw = msgspec.json.encode([kind, followed], order="deterministic")
    return hashlib.sha256(raw).hexdigest()


def described(storage_dir: Path, kind: str, followed: FollowTarget) -> str:
    """Return what is followed in words; raise NotFound or InvalidInput for what cannot be."""
    if kind not in Subscription.KINDS:
        raise InvalidInput(
            Message(
                "You can follow %(kinds)s, not %(value)s.",
                kinds=", ".join(Subscription.KINDS),
                value=repr(kind),
            )
        )
    return _described(storage_dir, kind, followed)[:_LABEL_LETTERS]


def _described(storage_dir: Path, kind: str, followed: FollowTarget) -> str:
    if kind == Subscription.SEARCH:
        if parse(followed.text).group is None:
            raise InvalidInput(Message("Type words to follow a search, or follow a place instead."))
        query = followed.query
        places = open_index(storage_dir).places
        if query.site and query.site not in places:
            raise NotFound(Message("There is no site %(name)s.", name=repr(query.site)))
        parts = [
            say("Search: %(words)s", words=followed.text),
            places[query.site].name if query.site else "",
            *(followed.state, followed.body, word(followed.kind), followed.person, followed.year),
            say("from %(date)s", date=followed.since) if followed.since else "",
            say("until %(date)s", date=followed.until) if followed.until else "",
        ]
        return ", ".join(filter(None, parts))
    with open_site(storage_dir, followed.site) as site:
        if kind == Subscription.PLACE:
            return site.name
        if kind == Subscription.BODY:
            if followed.body not in {each.body for each in site.bodies() if each.body}:
                raise NotFound(
                    Message(
                        "There is no body %(body)s in %(place)s.",
                        body=repr(followed.body),
                        place=site.name,
                    )
                )
            return f"{followed.body}, {site.name}"
        record = SiteRecord(site)
        if kind == Subscription.PERSON:
            person = record.person(followed.person).summary.name
            return say("Votes of %(person)s, %(place)s", person=person, place=site.name)
        matter = record.matter(followed.matter)
        number = f"{word(matter.kind)} {matter.matter_number}" if matter.matter_number else ""
        named = ": ".join(part for part in (number, matter.matter_title or "") if part)
        return f"{named or matter.matter}, {site.name}"


def page_of(kind: str, followed: FollowTarget) -> str:
    """Return the path of the page that shows what is followed."""
    site = quote(followed.site)
    if kind == Subscription.SEARCH:
        named = {"text": "q", "since": "from", "until": "to"}
        values = {named.get(name, name): value for name, value in stored(followed).items()}
        return f"/search?{urlencode(values)}"
    if kind == Subscription.PLACE:
        return f"/s/{site}/"
    if kind == Subscription.BODY:
        return f"/s/{site}/{quote(followed.body)}/"
    if kind == Subscription.PERSON:
        return f"/people/{site}/{quote(followed.person, safe='')}"
    return f"/matters/{site}/{quote(followed.matter, safe='')}"
