"""The operators' pages: what the command line shows, with the same figures."""

from __future__ import annotations

from starlette.routing import BaseRoute, Route

from clerk.web import auth
from clerk.web.request_bodies import LONG_FORM_BYTES, LONG_FORM_FIELDS, with_form
from clerk.web.uploads import receive_form

from . import (
    batches,
    failures,
    follow,
    identities,
    overview,
    projects,
    queues,
    reconcile,
    reports,
    runs,
    scheduling,
    site_forms,
    sites,
    system,
    uploads,
)


def routes() -> list[BaseRoute]:
    """Return the addresses below /ops; whatever changes something is a POST."""
    return [
        Route("/ops/login", auth.login_page),
        Route("/ops/login", with_form(auth.log_in), methods=["POST"]),
        Route("/ops/logout", auth.log_out, methods=["POST"]),
        Route("/ops/stream", auth.open_stream),
        Route("/ops/", overview.overview),
        Route("/ops/charts", overview.charts),
        Route("/ops/search", overview.search),
        Route("/ops/sites", sites.all_sites),
        Route("/ops/sites/{site}", sites.one_site),
        Route("/ops/new-site", site_forms.new_site),
        Route("/ops/new-site", with_form(site_forms.add_site), methods=["POST"]),
        Route("/ops/sites/{site}/edit", site_forms.edit_site),
        Route("/ops/sites/{site}/edit", with_form(site_forms.change_site), methods=["POST"]),
        Route("/ops/bulk", sites.preview),
        Route(
            "/ops/bulk",
            with_form(sites.act, size=LONG_FORM_BYTES, fields=LONG_FORM_FIELDS),
            methods=["POST"],
        ),
        Route("/ops/sites/{site}/run", with_form(sites.start), methods=["POST"]),
        Route("/ops/sites/{site}/cancel", with_form(sites.cancel), methods=["POST"]),
        Route("/ops/sites/{site}/schedule", with_form(scheduling.change), methods=["POST"]),
        Route("/ops/sites/{site}/identities", identities.all_identities),
        Route("/ops/sites/{site}/identities/preview", identities.preview),
        Route(
            "/ops/sites/{site}/identities",
            with_form(identities.change, size=LONG_FORM_BYTES, fields=LONG_FORM_FIELDS),
            methods=["POST"],
        ),
        Route("/ops/sites/{site}/documents/{document:path}", runs.one_document),
        Route(
            "/ops/sites/{site}/documents/{document:path}",
            with_form(runs.change_document),
            methods=["POST"],
        ),
        Route("/ops/sites/{site}/answers/{answer}", sites.one_answer),
        Route("/ops/sites/{site}/pdf/{document:path}", runs.original),
        Route("/ops/runs/{run}", runs.one_run),
        Route("/ops/schedule", scheduling.schedules),
        Route("/ops/failures", failures.all_failures),
        Route("/ops/failures/preview", failures.preview),
        Route(
            "/ops/failures/act",
            with_form(failures.act, size=LONG_FORM_BYTES, fields=LONG_FORM_FIELDS),
            methods=["POST"],
        ),
        Route("/ops/batches", batches.all_batches),
        Route("/ops/batches/{batch:int}", batches.one_batch),
        Route("/ops/uploads", uploads.all_uploads),
        Route("/ops/uploads", receive_form, methods=["POST"]),
        Route("/ops/uploads/export", with_form(uploads.export), methods=["POST"]),
        Route("/ops/uploads/{upload:int}", uploads.one_upload),
        Route("/ops/uploads/{upload:int}", with_form(uploads.change), methods=["POST"]),
        Route("/ops/project", projects.one_project),
        Route("/ops/project", with_form(projects.change), methods=["POST"]),
        Route("/ops/compare", projects.compare),
        Route("/ops/reports", reports.all_reports),
        Route("/ops/reports/{report:int}", with_form(reports.decide), methods=["POST"]),
        Route("/ops/follow", follow.followers),
        Route(
            "/ops/follow/webhooks/{webhook:int}/remove",
            with_form(follow.remove_webhook),
            methods=["POST"],
        ),
        Route("/ops/queues", queues.all_queues),
        Route("/ops/queues/{queue}", with_form(queues.change), methods=["POST"]),
        Route("/ops/reconcile", reconcile.reconcile_page),
        Route("/ops/reconcile", with_form(reconcile.run), methods=["POST"]),
        Route("/ops/system", system.system),
        Route("/ops/system/tokens", with_form(system.make_token), methods=["POST"]),
        Route("/ops/system/tokens/{token:int}", with_form(system.end_token), methods=["POST"]),
        Route(
            "/ops/system/sessions/{session:int}", with_form(system.end_session), methods=["POST"]
        ),
        Route("/ops/system/invite", with_form(system.invite), methods=["POST"]),
        Route("/ops/audit", system.audit),
    ]
