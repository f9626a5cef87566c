"""Votes of a place, and how each person voted, with the words of the minutes."""

from __future__ import annotations

from collections.abc import Sequence

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from clerk.search import listing
from clerk.search.listing import SearchablePlace
from clerk.site_db.queries import open_site
from clerk.web.parameters import count_pages, page_slice
from clerk.web.rendering import page, settings_of

from .places import filter_places

VOTES_PER_PAGE = 25
FILTERS = ("body", "member", "result", "year")


def votes(request: Request) -> Response:
    """Show the votes of a place; of several places one is chosen first."""
    storage_dir = settings_of(request).storage_dir
    subdomain = request.query_params.get("site", "")
    if not subdomain:
        return _choose_place(request, listing.places(storage_dir), "Votes", "/votes?site=")
    filters = {name: request.query_params.get(name, "") for name in FILTERS}
    number, offset = page_slice(request, VOTES_PER_PAGE)
    with open_site(storage_dir, subdomain) as site:
        total = site.count_votes(**filters)
        return page(
            request,
            "public/votes.html",
            site=subdomain,
            name=site.name,
            total=total,
            votes=site.votes(limit=VOTES_PER_PAGE, offset=offset, **filters),
            number=number,
            last=count_pages(total, VOTES_PER_PAGE),
            filters=filters,
            choices=site.vote_choices(),
        )


def people_of_all(request: Request) -> Response:
    """Show the places to choose from, or redirect to the only one."""
    return _choose_place(
        request, listing.places(settings_of(request).storage_dir), "People", "/people/"
    )


def _choose_place(
    request: Request, places: Sequence[SearchablePlace], title: str, link: str
) -> Response:
    if len(places) == 1:
        return RedirectResponse(f"{link}{places[0].subdomain}", 307)
    shown = filter_places(request, places, lambda place: f"{place.name}, {place.state}")
    return page(request, "public/choose.html", listing=shown, title=title, link=link)


def people(request: Request) -> Response:
    """Show who voted in a place, and how often."""
    subdomain = request.path_params["site"]
    with open_site(settings_of(request).storage_dir, subdomain) as site:
        people = site.people()
        return page(request, "public/people.html", site=subdomain, name=site.name, people=people)


def person(request: Request) -> Response:
    """Show how a person voted, vote by vote."""
    subdomain, member = request.path_params["site"], request.path_params["member"]
    number, offset = page_slice(request, VOTES_PER_PAGE)
    with open_site(settings_of(request).storage_dir, subdomain) as site:
        record = site.person(member)
        return page(
            request,
            "public/person.html",
            site=subdomain,
            name=site.name,
            person=record,
            votes=site.votes(member=member, limit=VOTES_PER_PAGE, offset=offset),
            number=number,
            last=count_pages(record.votes, VOTES_PER_PAGE),
        )
