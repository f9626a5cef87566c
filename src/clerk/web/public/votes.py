"""Votes, people and matters of a place, with the words of the minutes."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from clerk.search import listing
from clerk.site_db.queries import open_site
from clerk.site_db.record import DeclaredInterest, SiteRecord
from clerk.web.parameters import count_pages, optional_word, page_slice
from clerk.web.rendering import page, person_link, settings_of

from .heads import matter_head, person_head
from .places import choose_place

VOTES_PER_PAGE = 25
MATTERS_PER_PAGE = 100
#: Shows only the votes of a person against what was decided.
DISSENTS = "dissents"
FILTERS = ("body", "member", "result", "year", "document")


def votes(request: Request) -> Response:
    """Show the votes of a place; of several places one is chosen first."""
    storage_dir = settings_of(request).storage_dir
    subdomain = request.query_params.get("site", "")
    if not subdomain:
        return choose_place(request, listing.places(storage_dir), "votes", "/votes?site=")
    filters = {name: request.query_params.get(name, "") for name in FILTERS}
    number, offset = page_slice(request, VOTES_PER_PAGE)
    with open_site(storage_dir, subdomain) as site:
        total = site.count_votes(**filters)
        return page(
            request,
            "public/votes.html",
            site=subdomain,
            name=site.name,
            language=site.language,
            total=total,
            votes=site.votes(limit=VOTES_PER_PAGE, offset=offset, **filters),
            number=number,
            last=count_pages(total, VOTES_PER_PAGE),
            filters=filters,
            choices=site.vote_choices(),
        )


def people_of_all(request: Request) -> Response:
    """Show the places to choose from, or redirect to the only one."""
    return choose_place(
        request, listing.places(settings_of(request).storage_dir), "people", "/people/"
    )


def people(request: Request) -> Response:
    """Show the members of each body of a place, and how they voted."""
    subdomain = request.path_params["site"]
    with open_site(settings_of(request).storage_dir, subdomain) as site:
        record = SiteRecord(site)
        return page(
            request,
            "public/people.html",
            site=subdomain,
            name=site.name,
            language=site.language,
            people=record.people(),
            unplaced=record.unplaced(),
        )


def person(request: Request) -> Response:
    """Show a person: attendance, votes, dissents, agreement; or the votes that print a name.

    A name that only one person has leads to that person.
    """
    subdomain, member = request.path_params["site"], request.path_params["member"]
    number, offset = page_slice(request, VOTES_PER_PAGE)
    with open_site(settings_of(request).storage_dir, subdomain) as site:
        record = SiteRecord(site)
        if not record.people(member):
            if known := record.person_named(member):
                return RedirectResponse(person_link(subdomain, known), 307)
            printed = site.person(member)
            return page(
                request,
                "public/printed_name.html",
                site=subdomain,
                name=site.name,
                language=site.language,
                person=printed,
                votes=site.votes(member=member, limit=VOTES_PER_PAGE, offset=offset),
                number=number,
                last=count_pages(printed.votes, VOTES_PER_PAGE),
            )
        only = optional_word(request, "only", (DISSENTS,))
        filters = {"dissent_of" if only else "person": member}
        found = record.person(member)
        return page(
            request,
            "public/person.html",
            head=person_head(request, site, found.summary),
            site=subdomain,
            name=site.name,
            language=site.language,
            person=found,
            interests=record.find(DeclaredInterest, person=member, limit=100),
            votes=site.votes(limit=VOTES_PER_PAGE, offset=offset, **filters),
            only=only,
            number=number,
            last=count_pages(site.count_votes(**filters), VOTES_PER_PAGE),
        )


def matters_of_all(request: Request) -> Response:
    """Show the places to choose from, or redirect to the only one."""
    return choose_place(
        request, listing.places(settings_of(request).storage_dir), "matters", "/matters/"
    )


def matters(request: Request) -> Response:
    """Show the matters of a place: those that were last on an agenda first."""
    subdomain, asked = request.path_params["site"], request.query_params
    filters = {name: asked.get(name, "") for name in ("words", "kind", "state")}
    number, offset = page_slice(request, MATTERS_PER_PAGE)
    with open_site(settings_of(request).storage_dir, subdomain) as site:
        record = SiteRecord(site)
        total = record.count_matters(**filters)
        return page(
            request,
            "public/matters.html",
            site=subdomain,
            name=site.name,
            language=site.language,
            matters=record.matters(limit=MATTERS_PER_PAGE, offset=offset, **filters),
            total=total,
            number=number,
            last=count_pages(total, MATTERS_PER_PAGE),
            filters=filters,
            choices=record.matter_choices(),
        )


def matter(request: Request) -> Response:
    """Show a matter: what each meeting did with it, and the votes."""
    subdomain, name = request.path_params["site"], request.path_params["matter"]
    with open_site(settings_of(request).storage_dir, subdomain) as site:
        record = SiteRecord(site)
        found = record.matter(name)
        return page(
            request,
            "public/matter.html",
            head=matter_head(request, site, found),
            site=subdomain,
            name=site.name,
            language=site.language,
            matter=found,
            steps=record.steps(name),
        )
