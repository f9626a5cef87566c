"""Who may see and change the annotations of a project."""

from __future__ import annotations

from starlette.requests import Request

from clerk.annotations.browsing import ProjectUser, visible_projects
from clerk.annotations.store import Project
from clerk.core.errors import NotAllowed, NotFound
from clerk.ops.web_sessions import OPERATOR
from clerk.pipeline import uploads as annotation_jobs

from .auth import person_of
from .middleware import checked
from .parameters import id_in_path


def project_user(request: Request) -> ProjectUser:
    """Return the person who asks, as projects know them."""
    person = person_of(request)
    return ProjectUser(person.who, person.may(OPERATOR)) if person else ProjectUser()


def _seen(name: str, user: ProjectUser) -> Project | None:
    return next((each for each in visible_projects(user) if each.name == name), None)


def check_may_change(request: Request, name: str) -> None:
    """Refuse somebody who may not upload to a project; only operators make new ones."""
    user = project_user(request)
    project = _seen(name, user)
    if not (user.is_operator or (project and user.may_change(project))):
        raise NotAllowed(f"You need the role editor in the project {name!r}.")


def check_may_change_any(request: Request) -> None:
    """Refuse somebody who may not upload to any project, before a file is received."""
    user = project_user(request)
    if not user.is_operator and not any(map(user.may_change, visible_projects(user))):
        raise NotAllowed("You need the role editor in a project.")


def _check_manages_any(request: Request) -> None:
    """Refuse somebody who may not manage any project."""
    user = project_user(request)
    if not user.is_operator and not any(map(user.may_manage, visible_projects(user))):
        raise NotAllowed("You need the role owner in a project.")


#: Decorators: only for people who may change, or manage, some project; before a body is read.
editor = checked(check_may_change_any)
owner = checked(_check_manages_any)


def managed_project(request: Request, name: str) -> Project:
    """Return a project that the person who asks may manage; refuse others."""
    user = project_user(request)
    project = _seen(name, user)
    if project is None:
        raise NotFound(f"There is no project {name!r}.")
    if not user.may_manage(project):
        raise NotAllowed(f"You need the role owner in the project {name!r}.")
    return project


def seen_upload(request: Request) -> annotation_jobs.UploadJob:
    """Return the upload that the path names, if its project may be seen."""
    job = annotation_jobs.find(id_in_path(request, "upload"))
    if _seen(job.status().project, project_user(request)) is None:
        raise NotFound(f"There is no upload {job.id}.")
    return job


def seen_uploads(
    request: Request, found: list[annotation_jobs.Status]
) -> list[annotation_jobs.Status]:
    """Return the uploads of projects that may be seen."""
    names = {each.name for each in visible_projects(project_user(request))}
    return [each for each in found if each.project in names]


def changed_upload(request: Request) -> annotation_jobs.UploadJob:
    """Return the upload that the path names, if the person who asks may change its project."""
    job = seen_upload(request)
    check_may_change(request, job.status().project)
    return job
