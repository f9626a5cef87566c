"""The gate: what everybody may read of a stored text."""

from __future__ import annotations

import html
import json
from pathlib import Path
from urllib.parse import quote

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from clerk.core.config import Settings
from clerk.core.public_text import Gate, PublicText, document_text, is_secret_name

KEY = "AKIAIOSFODNN7EXAMPLE"
JWT = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJib2IifQ.c2lnbmF0dXJl-X"
GATE = Gate(
    Settings(storage_dir=Path("/srv/clerk"), loki_url="http://me:l0ki-passw0rd@logs/push"),
    folders=[Path("/home/bob/Town Hall")],
)


@pytest.mark.parametrize(
    ("stored", "public"),
    [
        ("City Council", "City Council"),
        ("and/or 1/2/2024", "and/or 1/2/2024"),
        ("write to clerk@town.example", "write to clerk@town.example"),
        ("secretary=Smith", "secretary=Smith"),
        ("Secret: ballots", "Secret: ballots"),
        ("https://town.example/a.pdf?id=5", "https://town.example/a.pdf?id=5"),
        ("https://town.example:8080/me@home/a", "https://town.example:8080/me@home/a"),
        # user names and passwords
        ("http://bob:pw@host/a.pdf", "http://host/a.pdf"),
        ("https://token@host/a.pdf", "https://host/a.pdf"),
        ("http://bob:p@ss@host/", "http://host/"),
        ("http://bob:pa/ss@host/x", "http://host/x"),
        ("cut off: http://bob:s3cr", "cut off: http://***"),
        ("//bob:pw@host.example/a", "//host.example/a"),
        ("rsync://bob@host/www", "rsync://host/www"),
        ("https://old.example/web/http://bob:pw@host/a", "https://old.example/web/http://host/a"),
        # parameters
        ("a.aspx?token=abc&id=5", "a.aspx?token=***&id=5"),
        ("Minutes (https://h/a?key=abc).", "Minutes (https://h/a?key=***)."),
        (
            "https://h/a?X-Amz-Date=1&x-amz-signature=2",
            "https://h/a?X-Amz-Date=***&x-amz-signature=***",
        ),
        ("https://h/a?sv=1&se=2&sp=r&sig=abc%3D", "https://h/a?sv=***&se=***&sp=***&sig=***"),
        ("https://h/a?sp=r&page=2", "https://h/a?sp=r&page=2"),
        ("https://h/a;jsessionid=AB12?x=1", "https://h/a;jsessionid=***?x=1"),
        ("https://h/#access_token=abc", "https://h/#access_token=***"),
        ("https://h/?next=http%3A%2F%2Fb%3Apw%40x%2F", "https://h/?next=***"),
        ("host=db user=me password='a b' x=1", "host=db user=me password='***' x=1"),
        ('{"api_key": "ab12cd"}', '{"api_key": "***"}'),
        ("Password: hunter2, sorry", "Password: ***, sorry"),
        ("Authorization: Basic Ym9iOnB3", "Authorization: Basic ***"),
        (f"the key {KEY} is refused", "the key *** is refused"),
        (f"https://h/{JWT}/a.pdf", "https://h/***/a.pdf"),
        # settings
        ("me says l0ki-passw0rd!", "me says ***!"),
        # paths
        ("cannot open '/home/eve/My Files/a b.pdf'", "cannot open 'a b.pdf'"),
        ("/home/eve/a.pdf: not a PDF", "a.pdf: not a PDF"),
        ("see ~/minutes/2024/a.pdf", "see a.pdf"),
        (r"C:\Users\eve\a.pdf is locked", "a.pdf is locked"),
        ("sqlite:////home/eve/clerk.db is locked", "clerk.db is locked"),
        ("/srv/clerk/town/pdfs/A B/1.pdf is gone", "town/pdfs/A B/1.pdf is gone"),
        ("/srv/clerk is full", "clerk is full"),
        ("file:///home/bob/Town%20Hall/Council/a.pdf", "Council/a.pdf"),
        ("file:///home/eve/a%20b.pdf is empty", "a b.pdf is empty"),
        ("no such file: '/home/eve/a.pdf'", "no such file: 'a.pdf'"),
        ("https://h/view?file=/docs/2024/a.pdf", "https://h/view?file=/docs/2024/a.pdf"),
        # addresses of the pages themselves
        ("/s/springfield/City%20Council/2024-01-15/", "/s/springfield/City%20Council/2024-01-15/"),
        ("/search.json?q=a/b", "/search.json?q=a/b"),
    ],
)
def test_what_leaves_of_a_text(stored: str, public: str) -> None:
    assert GATE(stored) == public
    assert GATE(str(GATE(stored))) == public, "cleaning again changes nothing"


def test_the_words_of_a_document_are_not_rewritten() -> None:
    words = "Write to http://bob:pw@host/ or see /home/bob/minutes."

    assert GATE(document_text(words)) == words


@pytest.mark.parametrize(
    ("url", "public"),
    [
        ("https://bob:pw@h/a.pdf?token=abc&id=5#page=2", "https://h/a.pdf?id=5#page=2"),
        ("https://h/a.pdf?id=5&sig=abc", "https://h/a.pdf?id=5"),
        ("https://h/a.pdf?token=abc", "https://h/a.pdf"),
        ("file:///home/bob/Town%20Hall/Council/Jan%2015.pdf", "Council/Jan 15.pdf"),
        ("file:///home/bob/elsewhere/Jan%2015.pdf", "Jan 15.pdf"),
        ("file:///x/caf%E9.pdf", "caf\ufffd.pdf"),
        ("Council/Jan 15.pdf", "Council/Jan 15.pdf"),
        ("", None),
        (None, None),
    ],
)
def test_a_source_is_a_working_link_or_the_name_of_a_file(
    url: str | None, public: str | None
) -> None:
    assert GATE.source(url) == public


def test_a_site_has_a_folder_and_secrets_of_its_own() -> None:
    extra = {"source": "/archive/minutes", "token": "legistar-k3y-1"}
    gate = Gate.for_site(Settings(), {"subdomain": "town", "extra": json.dumps(extra)})

    assert gate("/archive/minutes/Council/a.pdf is empty") == "Council/a.pdf is empty"
    assert gate("legistar-k3y-1 is not valid") == "*** is not valid"
    assert Gate.for_site(Settings(), {"extra": "{"})("a") == "a"


def test_keys_of_plugins_are_known_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("READER_API_KEY", "r34der-of-pages")
    monkeypatch.setenv("SOME_TOKEN", "x")

    assert Gate(Settings())("extra r34der-of-pages x") == "extra *** x"


@pytest.mark.parametrize("name", ["token", "X-Amz-Credential", "api_key", "PHPSESSID", "Signature"])
def test_a_name_tells_a_secret(name: str) -> None:
    assert is_secret_name(name)


@pytest.mark.parametrize("name", ["id", "keyword", "author", "secretary", "page", "monkeys"])
def test_a_name_tells_no_secret(name: str) -> None:
    assert not is_secret_name(name)


def test_every_text_in_plain_values_is_cleaned() -> None:
    value = {"a": ["http://b:pw@h/", {"/home/eve/x": 1}], "n": None, "t": document_text("/a/b/c")}

    assert GATE.clean(value) == {"a": ["http://h/", {"x": 1}], "n": None, "t": "/a/b/c"}


# ------------------------------------------------------------------------------ any text at all

around = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
secret = st.text("abcdefXYZ0123456789_.~", min_size=12, max_size=20).map(lambda s: f"q7{s}q")
dressed = st.sampled_from(
    (
        "http://bob:{}@host/a.pdf",
        "https://{}@host/",
        "https://host/a.pdf?id=1&token={}",
        "https://host/a.pdf?X-Amz-Signature={}&X-Amz-Date=1",
        "https://host/?to=http%3A%2F%2Fbob%3A{}%40x%2F",
        "api_key={}",
        "password='{}'",
        "Authorization: Bearer {}",
        "/home/{}/minutes/a.pdf",
        "file:///home/{}/minutes/a.pdf",
        r"C:\Users\{}\a.pdf",
    )
)


@given(before=around, dress=dressed, secret=secret, after=around)
@example(before="(", dress="password='{}'", secret="q7abcdefXYZ012q", after=")")
def test_a_secret_is_found_wherever_it_is(before: str, dress: str, secret: str, after: str) -> None:
    text = f"{before} {dress.format(secret)} {after}"

    assert secret not in GATE(text)
    assert GATE.allows_name(GATE.name(text))


@given(text=st.text(max_size=60) | st.text("/:@?&=#.'\"\\ abk*%-~", max_size=40))
def test_cleaning_again_changes_nothing(text: str) -> None:
    once = GATE(text)

    assert isinstance(once, PublicText)
    assert GATE(str(once)) == once


@pytest.mark.parametrize("dress", [str, html.escape, json.dumps, lambda text: quote(text, safe="")])
def test_a_secret_setting_is_known_in_every_dress(dress: object) -> None:
    gate = Gate(Settings(sentry_dsn='q"u&o\\te-12345'))

    assert callable(dress) and "12345" not in gate(dress('q"u&o\\te-12345'))


@pytest.mark.parametrize(
    "text", ["a-" * 50_000, "eyJ-" * 25_000, "http://x?a=" * 8_000, "token" * 20_000, "'/" * 50_000]
)
def test_a_hostile_text_is_cleaned_without_getting_lost(text: str) -> None:
    assert GATE(str(GATE(f"http://h/{text}"))) == GATE(f"http://h/{text}")
