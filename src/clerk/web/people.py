"""Who voted how, with the words it is taken from."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from . import library
from .public import some_places, whole
from .rendering import page, settings_of

VOTES_PER_PAGE = 25
FILTERS = ("body", "member", "result", "year")


def votes(request: Request) -> Response:
    """Show the votes of a place; of several places one is chosen first."""
    storage_dir = settings_of(request).storage_dir
    site = request.query_params.get("site", "")
    places = library.places(storage_dir)
    if not site and len(places) == 1:
        return RedirectResponse(f"/votes?site={places[0].subdomain}", 307)
    if not site:
        return _choose(request, places, "Votes", "/votes?site=")
    with library.opened(storage_dir, site) as compiled:
        return _votes(request, compiled)


def _votes(request: Request, compiled: library.Compiled) -> Response:
    filters = {name: request.query_params.get(name, "") for name in FILTERS}
    number = whole(request, "page", 1, most=10_000)
    total = compiled.count_votes(**filters)
    return page(
        request,
        "public/votes.html",
        site=compiled.subdomain,
        name=compiled.name,
        total=total,
        votes=compiled.votes(limit=VOTES_PER_PAGE, offset=(number - 1) * VOTES_PER_PAGE, **filters),
        number=number,
        last=max(1, -(-total // VOTES_PER_PAGE)),
        filters=filters,
        choices=compiled.vote_choices(),
    )


def people_of_all(request: Request) -> Response:
    """Let one choose a place, or go to the only one."""
    places = library.places(settings_of(request).storage_dir)
    if len(places) == 1:
        return RedirectResponse(f"/people/{places[0].subdomain}", 307)
    return _choose(request, places, "People", "/people/")


def _choose(request: Request, places: list[library.Place], title: str, link: str) -> Response:
    listing = some_places(request, places, lambda place: f"{place.name}, {place.state}")
    return page(request, "public/choose.html", listing=listing, title=title, link=link)


def people(request: Request) -> Response:
    """Show who voted in a place, and how often."""
    site = request.path_params["site"]
    with library.opened(settings_of(request).storage_dir, site) as compiled:
        return page(
            request,
            "public/people.html",
            site=site,
            name=compiled.name,
            people=compiled.people(),
        )


def person(request: Request) -> Response:
    """Show how a person voted, vote by vote."""
    site, member = request.path_params["site"], request.path_params["member"]
    number = whole(request, "page", 1, most=10_000)
    with library.opened(settings_of(request).storage_dir, site) as compiled:
        facts = compiled.person(member)
        return page(
            request,
            "public/person.html",
            site=site,
            name=compiled.name,
            person=facts,
            votes=compiled.votes(
                member=member, limit=VOTES_PER_PAGE, offset=(number - 1) * VOTES_PER_PAGE
            ),
            number=number,
            last=max(1, -(-facts["votes"] // VOTES_PER_PAGE)),
        )
