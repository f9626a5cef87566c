"""A town that is read, compiled and past its first run; a mail server and a webhook."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from follow_town import (
    OLD,
    PUBLIC,
    Mailbox,
    Webhook,
    add_document,
    end_run,
    mail_server,
    matter,
    vote_of,
    webhook_server,
)


@pytest.fixture
def mailbox(monkeypatch: pytest.MonkeyPatch) -> Iterator[Mailbox]:
    """A mail server that the settings name."""
    with mail_server() as box:
        monkeypatch.setenv("MAIL_URL", box.url)
        monkeypatch.setenv("PUBLIC_URL", PUBLIC)
        yield box


@pytest.fixture
def webhook(monkeypatch: pytest.MonkeyPatch) -> Iterator[Webhook]:
    """A webhook on loopback, which the settings allow."""
    monkeypatch.setenv("FETCH_ALLOW_PRIVATE", "yes")
    with webhook_server() as hook:
        yield hook


@pytest.fixture
def followed_town(make_site: Callable[..., str], storage: Path, mailbox: Mailbox) -> str:
    """A town with one document, whose first run is over."""
    site = make_site()
    add_document(
        OLD, "The zoning variance was heard.", votes=[vote_of("Diaz")], matters=[matter("case 7")]
    )
    end_run()
    return site
