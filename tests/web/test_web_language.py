"""The public pages in other languages: every string is in the catalogue, and readers choose."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path

import pytest
from jinja2 import Environment, nodes
from web_town import PAGES, Browser, identity

from clerk import follow, publish, web
from clerk.core import language
from clerk.core.errors import BadSetting, DocumentError
from clerk.extract import RESULTS
from clerk.site_db.schema import DOCUMENT_KINDS
from clerk.web.rendering import EVIDENCE_SOURCES

FOLDER = Path(web.__file__).parent
#: Where readers are spoken to: pages, messages, published sites.
FOLDERS = (FOLDER, Path(follow.__file__).parent, Path(publish.__file__).parent)
#: Of the messages, the test message is for operators.
TEMPLATES = [
    *(FOLDER / "templates" / name for name in ("base.html", "error.html")),
    *sorted((FOLDER / "templates" / "public").glob("*.html")),
    *(path for path in sorted((FOLDERS[1] / "templates").iterdir()) if path.stem != "trial"),
    *sorted((FOLDERS[2] / "static_site" / "templates").glob("*.html")),
]
OTHERS = [each for each in language.languages() if each != language.ENGLISH]
#: What people read in an attribute.
READ = ("title", "alt", "placeholder", "aria-label", "aria-description")
#: Names, and words that are the same everywhere.
NOT_WORDS = {"API", "SHA-256", "JSON", "CSV", "Atom", "PDF", "RSS"}
PLACEHOLDER = re.compile(r"%\((\w+)\)s")


def parsed(path: Path) -> nodes.Template:
    """Return a template as a tree."""
    return Environment(extensions=["jinja2.ext.do"]).parse(path.read_text())


def messages() -> Iterator[str]:
    """Yield every message that a template or handler says."""
    for path in TEMPLATES:
        for call in parsed(path).find_all(nodes.Call):
            if isinstance(call.node, nodes.Name) and call.node.name in ("_", "rich"):
                assert isinstance(call.args[0], nodes.Const), f"{path.name}: {call.lineno}"
                yield call.args[0].value
    for path in (path for folder in FOLDERS for path in folder.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "say":
                assert isinstance(node.args[0], ast.Constant), f"{path.name}: {node.lineno}"
                yield str(node.args[0].value)


class OutsideOfTheCatalogue(HTMLParser):
    """Collects the words of a template that are neither tags nor expressions."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found += [value or "" for name, value in attrs if name in READ]

    def handle_data(self, data: str) -> None:
        self.found.append(data)


@pytest.mark.parametrize("path", TEMPLATES, ids=lambda each: f"{each.parents[1].name}-{each.name}")
def test_every_word_of_a_template_is_in_the_catalogue(path: Path) -> None:
    expressions = r"\{#.*?#\}|\{%.*?%\}|\{\{.*?\}\}|<style>.*?</style>"
    html = re.sub(expressions, "", path.read_text(), flags=re.DOTALL)
    seen = OutsideOfTheCatalogue()
    seen.feed(html)
    words = {word for text in seen.found for word in re.findall(r"[^\W\d_][\w-]+", text)}

    assert words - NOT_WORDS == set()


@pytest.mark.parametrize("code", OTHERS)
def test_a_language_has_every_message_and_no_other(code: str) -> None:
    said, known = set(messages()), language.languages()[code].messages

    assert said - known.keys() == set()
    assert known.keys() - said == set()
    for message, told in known.items():
        assert sorted(PLACEHOLDER.findall(told)) == sorted(PLACEHOLDER.findall(message)), message
        assert sorted(re.findall(r"</?\w+", told)) == sorted(re.findall(r"</?\w+", message))


@pytest.mark.parametrize("code", OTHERS)
def test_a_language_has_every_noun_and_word(code: str) -> None:
    nouns = {
        filtered.args[0].value
        for path in TEMPLATES
        for filtered in parsed(path).find_all(nodes.Filter)
        if filtered.name == "counted" and isinstance(filtered.args[0], nodes.Const)
    }
    spoken = language.languages()[code]

    assert nouns - spoken.counted.keys() == set()
    reasons = {
        str(each.__doc__).rstrip(".")
        for each in DocumentError.__subclasses__()
        if each.__module__ == DocumentError.__module__
    }
    words = {
        *reasons,
        *DOCUMENT_KINDS,
        *RESULTS,
        *EVIDENCE_SOURCES.values(),
        "aye",
        "absent",
        "recused",
    }
    assert words - spoken.words.keys() == set()


def test_pages_are_shown_in_spanish(visitor: Browser) -> None:
    headers = {"Accept-Language": "de-DE,es-MX;q=0.8,en;q=0.5"}
    for address in PAGES:
        answer = visitor.get(address, headers=headers)
        if not address.startswith("/ops"):
            assert '<html lang="es">' in answer.text, address
            assert answer.headers["content-language"] == "es"
            is_frame = address.startswith("/embed")
            assert is_frame or "Actas y órdenes del día" in answer.text, address


def test_no_word_stays_in_the_language_of_the_first_reader(visitor: Browser) -> None:
    """Jinja applies filters to constants once, if they let it."""
    calendar = "/calendar/springfield?month=2024-01&lang="
    for code, told in (("en", "agenda, minutes"), ("es", "orden del día, acta")) * 2:
        assert told in visitor.get(calendar + code).text


def test_a_reader_chooses_a_language_and_keeps_it(visitor: Browser) -> None:
    meeting = "/s/springfield/City%20Council/2024-01-15/"
    assert "15 January 2024" in visitor.get(meeting).text

    chosen = visitor.get(meeting + "?lang=es")
    later = visitor.get(meeting, headers={"Accept-Language": "en"})

    for answer in (chosen, later):
        assert "15 de enero de 2024" in answer.text and "Votaciones" in answer.text
    assert "cookie" in later.headers["vary"].lower()
    assert "15 January 2024" in visitor.get(meeting + "?lang=en").text
    assert '<html lang="en">' in visitor.get(meeting + "?lang=<x>").text


def test_the_setting_decides_where_nobody_chose(
    town: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WEB_LANGUAGE", "es")
    spanish = Browser()
    assert '<html lang="es">' in spanish.get("/", headers={"Accept-Language": "en"}).text
    assert '<html lang="en">' in spanish.get("/?lang=en").text
    monkeypatch.setenv("WEB_LANGUAGE", "xx")
    with pytest.raises(BadSetting, match="WEB_LANGUAGE must be one of en, es"):
        Browser()


def test_values_in_messages_are_escaped_and_pass_the_gate(visitor: Browser) -> None:
    minutes = identity("minutes/City Council/2024-01-15")
    page = visitor.get(f"/d/{minutes}", params={"q": "<b>x", "lang": "es"}).text
    search = visitor.get("/search", params={"q": "<b>nothinglikeit</b>", "lang": "es"}).text

    assert "<b>" not in page + search
    assert "&lt;b&gt;nothinglikeit" in search


def test_numbers_and_dates_follow_the_language() -> None:
    with language.speaking("es"):
        assert language.number(1234) == "1234"
        assert language.number(1234567.5, 1) == "1\u202f234\u202f567,5"
        assert language.counted(1, "page") == "1 página"
        assert language.counted(0, "page") == "0 páginas"
    assert language.number(1234) == "1,234"
    assert language.number(-1234) == "-1,234"
    assert language.share(0.956) == "96%"
    assert language.preferred("fr, es-MX;q=0.9, en;q=1.0") == "en"
    assert language.preferred("fr;q=x, *, es;q=0") is None


def test_words_of_documents_are_marked_with_their_language(visitor: Browser) -> None:
    minutes = identity("minutes/City Council/2024-01-15")
    meeting = "/s/springfield/City%20Council/2024-01-15/?lang="
    spanish, english = visitor.get(meeting + "es").text, visitor.get(meeting + "en").text

    assert '<blockquote lang="en">' in spanish and "<blockquote>" in english
    assert 'id="text" lang="en"' in visitor.get(f"/p/{minutes}-1?lang=es").text
    assert language.tag_of("chi_sim+eng") == "zh" and language.tag_of("") == ""
