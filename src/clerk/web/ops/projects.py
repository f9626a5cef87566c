"""Projects of annotations: who may see and change one, and how far two of them agree."""

from __future__ import annotations

from urllib.parse import urlencode

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from clerk.annotations import api as annotation_projects
from clerk.annotations import comparing
from clerk.annotations.browsing import find_projects, visible_projects
from clerk.annotations.store import PROJECT_ROLES
from clerk.core.errors import InvalidInput
from clerk.web.annotation_pages import address_of
from clerk.web.auth import viewer
from clerk.web.project_access import managed_project, owner, project_user
from clerk.web.rendering import page


@viewer
def one_project(request: Request) -> Response:
    """Show who owns a project, its people, and whether it is public."""
    project = managed_project(request, request.query_params.get("name", ""))
    return page(request, "ops/project.html", project=project, roles=PROJECT_ROLES)


#: At most this many differences are shown; the API has the rest.
DIFFERENCES = 100


@viewer
def compare(request: Request) -> Response:
    """Show how far two projects agree, by label, and where they differ."""
    asked, user = request.query_params, project_user(request)
    first, second = asked.get("first", ""), asked.get("second", "")
    found = None
    if first and second:
        find_projects([first, second], user)
        found = comparing.compare(first, second)
    shown = found.differences[:DIFFERENCES] if found else []
    return page(
        request,
        "ops/compare.html",
        projects=visible_projects(user),
        first=first,
        second=second,
        found=found,
        differences=[(each, address_of(request, each.sourcedb, each.sourceid)) for each in shown],
    )


@viewer
@owner
def change(request: Request) -> Response:
    """Make a project public or private, or change somebody's role in it."""
    form, who = request.state.form, request.state.person.who
    project = managed_project(request, str(form.get("project", "")))
    match form.get("action"):
        case "publish":
            annotation_projects.set_public(project.name, True, who=who)
        case "hide":
            annotation_projects.set_public(project.name, False, who=who)
        case "role":
            role = str(form.get("role", "")) or None
            annotation_projects.set_role(project.name, str(form.get("person", "")), role, who=who)
        case _:
            raise InvalidInput("Choose what to change.")
    return RedirectResponse(f"/ops/project?{urlencode({'name': project.name})}", 303)
