"""``clerk serve``: the public site and the operators' pages on this machine."""

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
    help="The address to listen on; 0.0.0.0 or :: for all.",
)
@click.option("--port", type=click.IntRange(0, 65535), default=8000, show_default=True)
@click.option("--hostname", multiple=True, help="A further name the site is reached by.")
@click.option("--no-worker", is_flag=True, help="Show pages only; do no work.")
@click.option("--login", is_flag=True, help="Only print a new link to log in.")
def serve(host: str, port: int, hostname: tuple[str, ...], no_worker: bool, login: bool) -> None:
    """Serve the search site, and the operators' pages after a login.

    Without Redis the embedded worker runs beside it and takes up queued
    sites; should it die it is started again.  A link to log in, good for
    one use, is printed.

    \b
    Examples:
      clerk serve
      clerk serve --port 8080 --no-worker
      clerk serve --port 8080 --login      a new link for a server that runs
    """
    settings = open_database()
    require_web()
    if login:
        click.echo(_login_link(settings, f"http://{_reachable(host, host)}:{port}"))
        return
    from clerk.web import serving
    from clerk.web.worker_process import Worker

    serving.log_safely(settings)
    listening = serving.listen(host, port)
    worker = Worker() if _works_here(settings, no_worker) else None
    try:
        _serve(settings, listening, host, hostname, worker)
    finally:
        if worker is not None:
            worker.end()


def _works_here(settings: Settings, no_worker: bool) -> bool:
    if not no_worker and not settings.embedded:
        hint("REDIS_URL is set: the work is done by clerk worker, not here.")
    return settings.embedded and not no_worker


def require_web() -> None:
    """Refuse to go on without the packages of the web pages, and say how to install them."""
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
    hint("The link logs you in once, within the hour.  Stop with Ctrl-C.")
    if not ip_address(bound).is_loopback:
        hint(
            "Warning: this is plain HTTP, and other machines can reach it.  Whoever is on the way"
            " can read the login link and every session.  Put a proxy with TLS in front of it"
            " (docs/web.md)."
        )

    if worker is not None:
        worker.start()

    def stop() -> None:
        app.state.doorbell.close()
        if app.state.published is not None:
            app.state.published.finish()
        if worker is not None:
            worker.finish()

    serving.run_server(app, listening, on_exit=stop, settings=settings)


def _login_link(settings: Settings, address: str) -> str:
    from clerk.web.sessions import OPERATOR, Keeper

    link = Keeper(settings.storage_dir).login_link(OPERATOR, operator())
    return f"{settings.public_url or address}/ops/login?link={link}"


def _reachable(host: str, bound: str) -> str:
    """Return a host as it appears in an address that works.

    A server on all addresses of a machine is named by the one that other machines see.
    """
    if bound in ("0.0.0.0", "::"):
        from clerk.web import serving

        host = serving.own_address(bound)
    return f"[{host}]" if ":" in host else host
