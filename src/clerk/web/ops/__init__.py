"""The operators' pages: everything the command line shows, with the same figures."""

from __future__ import annotations

from starlette.routing import BaseRoute, Route

from clerk.web import access, uploads
from clerk.web.forms import LONG_FORM_BYTES, LONG_FORM_FIELDS, with_form

from . import annotating, batches, failing, overview, queues, reconciling, sites, system


def routes() -> list[BaseRoute]:
    """Return the addresses below /ops; whatever changes something is a POST."""
    return [
        Route("/ops/login", access.login_page),
        Route("/ops/login", with_form(access.log_in), methods=["POST"]),
        Route("/ops/logout", access.log_out, methods=["POST"]),
        Route("/ops/stream", access.open_stream),
        Route("/ops/", overview.overview),
        Route("/ops/sites", sites.all_sites),
        Route("/ops/sites/{site}", sites.one_site),
        Route("/ops/sites/{site}/run", with_form(sites.start), methods=["POST"]),
        Route("/ops/sites/{site}/cancel", with_form(sites.cancel), methods=["POST"]),
        Route("/ops/failures", failing.all_failures),
        Route("/ops/failures/preview", failing.preview),
        Route(
            "/ops/failures/act",
            with_form(failing.act, size=LONG_FORM_BYTES, fields=LONG_FORM_FIELDS),
            methods=["POST"],
        ),
        Route("/ops/batches", batches.all_batches),
        Route("/ops/batches/{batch:int}", batches.one_batch),
        Route("/ops/uploads", annotating.all_uploads),
        Route("/ops/uploads", uploads.receive_form, methods=["POST"]),
        Route("/ops/uploads/export", with_form(annotating.export), methods=["POST"]),
        Route("/ops/uploads/{upload:int}", annotating.one_upload),
        Route("/ops/uploads/{upload:int}", with_form(annotating.change), methods=["POST"]),
        Route("/ops/queues", queues.all_queues),
        Route("/ops/queues/{queue}", with_form(queues.change), methods=["POST"]),
        Route("/ops/reconcile", reconciling.look),
        Route("/ops/reconcile", with_form(reconciling.run), methods=["POST"]),
        Route("/ops/system", system.system),
        Route("/ops/system/tokens", with_form(system.make_token), methods=["POST"]),
        Route("/ops/system/tokens/{token:int}", with_form(system.end_token), methods=["POST"]),
        Route(
            "/ops/system/sessions/{session:int}", with_form(system.end_session), methods=["POST"]
        ),
        Route("/ops/system/invite", with_form(system.invite), methods=["POST"]),
        Route("/ops/audit", system.audit),
    ]
