"""Changes to projects and documents of annotations by HTTP, as ``clerk annotations`` makes them."""

from __future__ import annotations

from dataclasses import asdict

from starlette.requests import Request
from starlette.responses import Response

from clerk.annotations import api as annotation_projects
from clerk.annotations import changes, corrections
from clerk.annotations.store import PROJECT_ROLES, Key
from clerk.ops import vote_reports

from .auth import operator, viewer
from .parameters import id_in_path, is_yes, limit_and_offset, one_of, optional_word, required
from .project_access import managed_project, owner
from .rendering import for_operators, settings_of

REPORT_STATES = (corrections.OPEN, corrections.ACCEPTED, corrections.REJECTED)


def _dry_run(request: Request) -> bool:
    return is_yes(request.query_params, "dry_run")


def _effect(request: Request, effect: changes.Effect) -> dict[str, object]:
    return asdict(effect) | {"dry_run": _dry_run(request)}


# ------------------------------------------------------------------------------- projects


@viewer
@owner
def publish(request: Request) -> Response:
    """Make a project public or private."""
    project, is_public = _managed(request), not is_yes(request.query_params, "private")
    annotation_projects.set_public(project, is_public, who=request.state.person.who)
    return for_operators(request, {"project": project, "public": is_public})


@viewer
@owner
def members(request: Request) -> Response:
    """Respond with the owner of a project and the people who have a role in it."""
    return for_operators(request, _members(_managed(request)))


@viewer
@owner
def set_member(request: Request) -> Response:
    """Give somebody a role in a project, or take it away; respond with its people."""
    project, role = _managed(request), optional_word(request, "role", PROJECT_ROLES) or None
    who = request.state.person.who
    annotation_projects.set_role(project, required(request, "person"), role, who=who)
    return for_operators(request, _members(project))


def _managed(request: Request) -> str:
    return managed_project(request, str(request.path_params["project"])).name


def _members(name: str) -> dict[str, object]:
    (found,) = (each for each in annotation_projects.list_projects() if each.name == name)
    return {"owner": found.owner, "members": dict(found.members)}


@operator
def rename_project(request: Request) -> Response:
    """Give a project another name."""
    name, to = str(request.path_params["project"]), required(request, "to")
    who, dry_run = request.state.person.who, _dry_run(request)
    return for_operators(
        request, _effect(request, changes.rename_project(name, to, who=who, dry_run=dry_run))
    )


@operator
def delete_project(request: Request) -> Response:
    """Delete a project with all its annotations."""
    name, who = str(request.path_params["project"]), request.state.person.who
    return for_operators(
        request, _effect(request, changes.delete_project(name, who=who, dry_run=_dry_run(request)))
    )


# ------------------------------------------------------------------------------ documents


def _document(request: Request) -> Key:
    return required(request, "sourcedb"), required(request, "sourceid")


@operator
def delete_document(request: Request) -> Response:
    """Delete a document with the annotations of all projects on it."""
    key, who = _document(request), request.state.person.who
    return for_operators(
        request, _effect(request, changes.delete_document(key, who=who, dry_run=_dry_run(request)))
    )


@operator
def replace_text(request: Request) -> Response:
    """Replace the text of a document by the request body."""
    key, who = _document(request), request.state.person.who
    text = changes.decoded(request.state.body)
    return for_operators(
        request,
        _effect(request, changes.replace_text(key, text, who=who, dry_run=_dry_run(request))),
    )


@viewer
def all_changes(request: Request) -> Response:
    """Respond with the changes to projects and documents, the newest first."""
    limit, _ = limit_and_offset(request)
    found = [
        asdict(each) | {"can_be_undone": each.can_be_undone} for each in changes.list_changes(limit)
    ]
    return for_operators(request, {"items": found})


@operator
def undo(request: Request) -> Response:
    """Undo a change to a project or document."""
    done = changes.undo(id_in_path(request, "change"), who=request.state.person.who)
    return for_operators(request, {"undone": done.id, "kind": done.kind, "subject": done.subject})


# -------------------------------------------------------------------------- reported errors


@viewer
def reports(request: Request) -> Response:
    """Respond with errors that people reported, the oldest first."""
    limit, offset = limit_and_offset(request)
    state = optional_word(request, "state", REPORT_STATES) or None
    site = request.query_params.get("site") or None
    found = corrections.list_reports(state, site, limit, offset)
    return for_operators(request, {"items": [asdict(each) for each in found]})


@operator
def decide_report(request: Request) -> Response:
    """Accept a reported error, which makes it a correction, or reject it."""
    number, who = id_in_path(request, "report"), request.state.person.who
    decision = one_of("decision", request.url.path.rpartition("/")[2], ("accept", "reject"))
    answer: dict[str, object] = {"report": number, "state": f"{decision}ed"}
    if decision == "reject":
        corrections.reject(number, who=who)
    else:
        answer["run_queued"] = vote_reports.accept(settings_of(request), number, who)
    return for_operators(request, answer)
