"""``clerk serve``: serve the search site and the operators' pages."""

from __future__ import annotations

from ipaddress import ip_address
from typing import TYPE_CHECKING

import click

from clerk.core.config import Settings
from clerk.core.distribution import install_command
from clerk.core.errors import MissingTool

from .common import hint, open_database, operator

if TYPE_CHECKING:
    from socket import socket

    from clerk.web.worker_process import Worker


@click.command()
@click.option(
    "--host",
    default="127.0.0.1",
    show_default=True,
    help="Address to listen on; 0.0.0.0 or :: for all.",
)
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=8000,
    show_default=True,
    help="Port to listen on.",
)
@click.option("--hostname", multiple=True, help="Additional host name to accept.")
@click.option("--no-worker", is_flag=True, help="Do not process sites or send messages.")
@click.option("--login", is_flag=True, help="Only print a new login link.")
def serve(host: str, port: int, hostname: tuple[str, ...], no_worker: bool, login: bool) -> None:
    """Serve the search site and operators' pages.

    The operators' pages need a login; a single-use link is printed.  Without
    Redis, an embedded worker processes queued sites; if it dies, it is
    restarted.  Followers are notified of new documents.

    \b
    Examples:
      clerk serve
      clerk serve --port 8080 --no-worker
      clerk serve --port 8080 --login      a new link for a running server
    """
    settings = open_database()
    require_web()
    if login:
        click.echo(_login_link(settings, f"http://{_reachable(host, host)}:{port}"))
        return
    from clerk.web import serving
    from clerk.web.supervised_process import SupervisedProcess
    from clerk.web.worker_process import Worker

    serving.log_safely(settings)
    listening = serving.listen(host, port)
    if not no_worker and not settings.embedded:
        hint("REDIS_URL is set: the work is done by clerk worker, not here.")
    worker = Worker() if settings.embedded and not no_worker else None
    mirror = SupervisedProcess("mirror", "clerk.pipeline.mirror")
    follower = SupervisedProcess("follow", "clerk.follow.turn")
    try:
        mirror.start()
        if not no_worker:
            follower.start()
        _serve(settings, listening, host, hostname, worker)
    finally:
        follower.end()
        mirror.end()
        if worker is not None:
            worker.end()


def require_web() -> None:
    """Raise `MissingTool` if a package of the web pages is not installed."""
    try:
        import itsdangerous  # noqa: F401
        import jinja2  # noqa: F401
        import prometheus_client  # noqa: F401
        import starlette  # noqa: F401
        import uvicorn  # noqa: F401
    except ImportError as error:
        raise MissingTool(
            f"The web pages need {error.name}, which is not installed.",
            hint=f"Run: {install_command(extra='web')}",
        ) from error


def _serve(
    settings: Settings,
    listening: socket,
    host: str,
    hostnames: tuple[str, ...],
    worker: Worker | None,
) -> None:
    from clerk.web import serving
    from clerk.web.app import create_app

    bound, port = listening.getsockname()[:2]
    here = _reachable(host, bound)
    app = create_app(settings, hosts=[here, *hostnames], worker=worker)
    address = f"http://{here}:{port}"
    click.echo(f"Search:     {address}/")
    if settings.public_url:
        click.echo(f"Public:     {settings.public_url}/")
    click.echo(f"Operators:  {_login_link(settings, address)}")
    hint("The link works once, for an hour.  Stop with Ctrl-C.")
    if not ip_address(bound).is_loopback:
        hint(
            "Warning: this is plain HTTP, and other machines can reach it.  Anybody on the network"
            " path can read the login link and every session.  Put a TLS proxy in front of it"
            " (docs/web.md)."
        )

    if worker is not None:
        worker.start()

    def stop() -> None:
        app.state.notifier.close()
        if app.state.published is not None:
            app.state.published.finish()
        if worker is not None:
            worker.finish()

    serving.run_server(app, listening, on_exit=stop, settings=settings)


def _login_link(settings: Settings, address: str) -> str:
    from clerk.ops.web_sessions import OPERATOR
    from clerk.web.auth import Logins

    link = Logins(settings.storage_dir).new_link(OPERATOR, operator())
    return f"{settings.public_url or address}/ops/login?link={link}"


def _reachable(host: str, bound: str) -> str:
    """Return a host as it is written in a URL.

    A server that listens on all addresses is named by the one that other machines see.
    """
    if bound in ("0.0.0.0", "::"):
        from clerk.web import serving

        host = serving.own_address(bound)
    return f"[{host}]" if ":" in host else host
