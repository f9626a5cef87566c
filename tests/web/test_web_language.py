"""The public pages in other languages: every string is in the catalogue, and readers choose."""

from __future__ import annotations

import ast
import pickle
import re
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urljoin

import pytest
from jinja2 import Environment, nodes
from spoken import (
    CODE,
    outside_of_the_catalogue,
    read_by_people,
    values_of,
    with_marked_spanish,
)
from web_town import MINUTES, PAGES, SITE, Browser, identity

import clerk
from clerk import follow, publish, web
from clerk.core import language
from clerk.core.errors import BadSetting, DocumentError, NotFound
from clerk.extract import RESULTS
from clerk.publish import page_text
from clerk.site_db.schema import DOCUMENT_KINDS
from clerk.web.middleware import RateLimit
from clerk.web.rendering import EVIDENCE_SOURCES

#: Pages for programmers and operators.
IN_ENGLISH = ("/api", "/ops")
NOT_CRAWLED = ("/static/", *IN_ENGLISH)
#: Parts of addresses, which name what was not found.
#: What addresses and forms accept.
NAMES_OF_FIELDS = (
    *("follow", "kind", "page", "site", "sort", "month", "body", "date", "q", "from"),
    *(*DOCUMENT_KINDS, "unknown", "relevance", "newest", "oldest", "first-seen"),
    *("search", "place", "person", "matter"),
)
ADDRESSES = ("nowhere", "nothinglikeit", "zonign")

FOLDER = Path(web.__file__).parent
#: Where readers are spoken to: pages, messages, published sites.
FOLDERS = (FOLDER, Path(follow.__file__).parent, Path(publish.__file__).parent)
PACKAGE = Path(clerk.__file__).parent
#: What explains to readers why they do not get what they asked for.
EXPLAINING = [
    *sorted((FOLDER / "public").glob("*.py")),
    *(
        FOLDER / f"{name}.py"
        for name in (
            *("app", "data", "middleware", "page_images", "parameters", "request_bodies"),
            "vote_forms",
        )
    ),
    *(PACKAGE / "follow" / f"{name}.py" for name in ("links", "meeting_calendar", "targets")),
    *(PACKAGE / "search" / f"{name}.py" for name in ("query", "results")),
    *(PACKAGE / "site_db" / f"{name}.py" for name in ("queries", "record")),
    PACKAGE / "follow" / "subscriptions.py",
    PACKAGE / "ops" / "vote_reports.py",
]
#: Functions of these modules that only operators use.
FOR_OPERATORS = {"_known", "add_webhook", "remove_webhook"}
ERRORS_FOR_READERS = {
    *("NotFound", "InvalidInput", "NotAllowed", "DocumentError", "TransientError", "QueryError"),
    *("TooManySignUps", "HTTPException", "_unavailable", "_error_page", "_refuse"),
}
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
SAYING = ("say", "Message", "language.Message")
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
    for path in PACKAGE.rglob("*.py"):
        if path == Path(language.__file__):
            continue
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Call) and ast.unparse(node.func) in SAYING:
                assert isinstance(node.args[0], ast.Constant), f"{path.name}: {node.lineno}"
                yield str(node.args[0].value)


def _called(call: ast.Call) -> str:
    return str(getattr(call.func, "id", "") or getattr(call.func, "attr", ""))


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


@pytest.mark.parametrize("path", EXPLAINING, ids=lambda each: f"{each.parent.name}-{each.name}")
def test_every_explanation_for_readers_can_be_said_in_other_languages(path: Path) -> None:
    tree = ast.parse(path.read_text())
    read_by_operators = {
        inner
        for function in ast.walk(tree)
        if isinstance(function, ast.FunctionDef) and function.name in FOR_OPERATORS
        for inner in ast.walk(function)
    }
    in_english_only = [
        f"line {call.lineno}"
        for call in ast.walk(tree)
        if isinstance(call, ast.Call) and _called(call) in ERRORS_FOR_READERS
        if call not in read_by_operators
        for argument in call.args
        if isinstance(argument, ast.JoinedStr | ast.BinOp)
        or (isinstance(argument, ast.Constant) and isinstance(argument.value, str))
    ]

    assert in_english_only == []


@pytest.mark.parametrize("code", OTHERS)
def test_a_language_has_every_noun_and_word(code: str) -> None:
    nouns = {
        filtered.args[0].value
        for path in TEMPLATES
        for filtered in parsed(path).find_all(nodes.Filter)
        if filtered.name == "counted" and isinstance(filtered.args[0], nodes.Const)
    }
    spoken = language.languages()[code]

    sides = {"yes", "no", "abstain", "absent", "recused"}
    assert (nouns | sides) - spoken.counted.keys() == set()
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


def test_what_was_not_found_is_explained_in_the_language_of_the_reader(visitor: Browser) -> None:
    for address, told in (
        ("/s/atlantis/", "No hay ningún sitio &#39;atlantis&#39; que se pueda leer."),
        ("/calendar/springfield?month=soon", "month debe ser un día, un mes o un año"),
        ("/nothing", "No existe esa página."),
    ):
        spanish = visitor.get(address, headers={"Accept-Language": "es"})
        assert told in spanish.text and '<span lang="en">' not in spanish.text, address
    english = visitor.get("/s/atlantis/", headers={"Accept-Language": "en"})
    for_programs = visitor.get("/api/v1/sites/atlantis", headers={"Accept-Language": "es"})

    assert spanish.status_code == english.status_code == 404
    assert "There is no site &#39;atlantis&#39; with documents." in english.text
    assert "There is no" in for_programs.json()["error"]


def test_a_mistake_in_a_query_is_explained_in_the_language_of_the_reader(visitor: Browser) -> None:
    minutes = identity("minutes/City Council/2024-01-15")
    for address in ("/search", f"/d/{minutes}", f"/p/{minutes}-1"):
        page = visitor.get(address, params={"q": '"zoning variance', "lang": "es"}).text
        assert "Falta cerrar unas comillas: añada &#34; al final de la frase." in page, address
    long = visitor.get("/search", params={"q": "x" * 1234, "lang": "es"}).text

    assert "La consulta tiene 1234 caracteres; se permiten como máximo 1000." in long


def test_an_explanation_that_is_only_in_english_is_marked() -> None:
    with language.speaking("es"):
        assert page_text.explained("Broken <pipe>") == '<span lang="en">Broken &lt;pipe&gt;</span>'


def test_whoever_is_refused_is_told_in_the_language_of_the_reader(visitor: Browser) -> None:
    spanish = {"Accept-Language": "es"}
    too_long = visitor.get(f"/search?q={'x' * 9000}", headers=spanish)
    foreign = visitor.post("/follow", headers=spanish | {"Sec-Fetch-Site": "cross-site"})
    wrong_way = visitor.post("/search", headers=spanish)
    old_link = visitor.post("/ops/login", data={"link": "used"}, headers=spanish)
    visitor.app.state.limits["search"] = RateLimit(0, 0)
    too_many = visitor.get("/search?q=zoning", headers=spanish)

    assert (too_long.status_code, too_long.text) == (414, "La dirección es demasiado larga.\n")
    assert foreign.status_code == 403 and foreign.text.startswith("Rechazado: la solicitud")
    assert wrong_way.status_code == 405
    assert "Esta dirección no admite ese tipo de solicitud." in wrong_way.text
    assert old_link.status_code == 403 and "Este enlace ya se usó" in old_link.text
    assert too_many.status_code == 429
    assert too_many.text == "Demasiadas solicitudes. Espere un momento.\n"
    assert too_many.headers["Retry-After"] == "5"
    for_programs = visitor.get("/api/v1/search?q=zoning", headers=spanish)
    assert for_programs.text == "Too many requests. Please wait a moment.\n"


def test_a_message_is_its_english_words_everywhere() -> None:
    told = language.Message("%(name)s has %(number)s pages.", name="a%b", number=1234)

    assert told == "a%b has 1,234 pages." == str(NotFound(told))
    assert NotFound(told).explanation is told
    assert pickle.loads(pickle.dumps(told)).values == told.values
    assert told.with_values(str.upper) == "A%B has 1,234 pages."


@pytest.fixture
def marked_spanish(monkeypatch: pytest.MonkeyPatch) -> None:
    """One more language: Spanish, with marks around every word of the catalogue."""
    known = with_marked_spanish()
    monkeypatch.setattr(language, "languages", lambda: known)


def words_of_the_town(town: Path) -> str:
    """Return all that is in documents, and names."""
    database = town / "springfield" / "meetings.db"
    return "\n".join([*values_of(database), *SITE.values(), *ADDRESSES])


def test_every_page_and_feed_that_can_be_reached_is_in_spanish(
    town: Path, visitor: Browser, marked_spanish: None
) -> None:
    known = words_of_the_town(town)
    waiting = [each for each in PAGES if not each.startswith(IN_ENGLISH)]
    seen = set(waiting)
    found: dict[str, str] = {}
    read = 0
    while waiting and read < 300:
        address = waiting.pop(0)
        answer = visitor.get(address, headers={"Accept-Language": CODE})
        kind = answer.headers.get("content-type", "")
        if "html" not in kind and "xml" not in kind and "json" not in kind:
            continue
        read += 1
        pieces, links = read_by_people(answer.text, kind)
        outside = outside_of_the_catalogue(pieces, known)
        for each in outside:
            found.setdefault(each, address)
        for link in links:
            target = urljoin(f"http://localhost{address}", link).partition("#")[0]
            path = target.removeprefix("http://localhost")
            if target.startswith("http://localhost/") and path not in seen:
                seen.add(path)
                if not path.startswith(NOT_CRAWLED) and not re.search("lang=e[ns]", path):
                    waiting.append(path)

    assert not found, "\n".join(f"{address}: {words}" for words, address in found.items())
    assert read > 100


def test_every_refusal_is_in_spanish(town: Path, visitor: Browser, marked_spanish: None) -> None:
    minutes = identity(MINUTES)
    wrong_queries = (
        *('"x', "(x", "x)", "-x", "nofield:x", "date:soon", "date:", "x* y", "x*", "*x", "x~9"),
        *(
            "body:",
            '"a b"~99999',
            "date:2025..2024",
            "date:2024-13",
            "x" * 1001,
            "x " * 600,
            "(((((((",
        ),
    )
    asked: list[tuple[str, str, dict[str, Any]]] = [
        *(
            ("GET", address, {})
            for address in (
                *("/nowhere", "/s/atlantis/", "/s/springfield/No%20Body/", "/d/0", "/p/0-1"),
                *(
                    "/s/springfield/City%20Council/1999-01-01/",
                    "/people/atlantis",
                    "/votes?site=no",
                ),
                *("/people/springfield/nobody", "/matters/springfield/none", "/calendar/atlantis"),
                *("/calendar/springfield?month=soon", "/search?page=x", "/search?kind=x"),
                *("/search?sort=x", "/search?q=x&cursor=zz", "/search?site=atlantis", "/map?x=1"),
                *("/report/none-v1", f"/report/{minutes}-v99", "/coverage/atlantis", "/embed/0-1"),
                *("/follow/confirm/none", "/follow/me/none", "/follow/stop/none", "/sitemap.xml"),
                *(f"/d/{minutes}?from=x", f"/p/{minutes}-99", f"/d/{minutes}/changes"),
                *(f"/d/{minutes}.pdf", "/s/atlantis/feed.atom", "/oembed?url=x", "/oembed"),
                *("/people/springfield/nobody/feed.atom", f"/search?q={'x' * 9000}"),
            )
        ),
        *(("GET", "/search", {"params": {"q": query}}) for query in wrong_queries),
        ("GET", "/", {"headers": {"X-Long": "x" * 20_000}}),
        ("POST", "/search", {}),
        ("DELETE", "/", {}),
        ("POST", "/follow", {}),
        ("POST", "/follow", {"data": {"follow": "search", "q": "x", "address": "x"}}),
        ("POST", "/follow", {"headers": {"Sec-Fetch-Site": "cross-site"}}),
        ("POST", f"/report/{minutes}-v1", {}),
        ("POST", f"/report/{minutes}-v1", {"data": {"comment": "x" * 100_000}}),
        ("POST", f"/report/{minutes}-v1", {"content": b"x" * 10_000_000}),
        ("POST", "/ops/login", {"data": {"link": "used"}}),
    ]
    known, found = words_of_the_town(town), {}

    def ask(method: str, address: str, headers: Any = (), **request: Any) -> int:
        sent = {"Accept-Language": CODE, **dict(headers)}
        answer = visitor.request(method, address, headers=sent, **request)
        pieces, _ = read_by_people(answer.text, answer.headers.get("content-type", ""))
        given = " ".join([known, unquote(address), *map(str, request.values()), *NAMES_OF_FIELDS])
        for words in outside_of_the_catalogue(pieces, given):
            found[words] = f"{method} {address[:60]} {answer.status_code}"
        return answer.status_code

    statuses = {ask(method, address, **request) for method, address, request in asked}
    visitor.app.state.limits = {name: RateLimit(0, 0) for name in visitor.app.state.limits}
    statuses |= {ask("GET", "/search?q=zoning"), ask("POST", "/follow")}
    (town / "springfield" / "meetings.db").write_bytes(b"no database" * 100)
    statuses |= {ask("GET", "/s/springfield/City%20Council/")}

    assert not found, "\n".join(f"{asked}: {words}" for words, asked in found.items())
    assert statuses >= {400, 403, 404, 405, 413, 414, 429, 431, 500}, statuses


def test_numbers_and_dates_follow_the_language() -> None:
    with language.speaking("es"):
        assert language.number(1234) == "1234"
        assert language.number(1234567.5, 1) == "1\u202f234\u202f567,5"
        assert language.counted(1, "page") == "1 página"
        assert language.counted(0, "page") == "0 páginas"
        assert language.counted(1, "abstain") == "1 abstención"
        assert language.counted(2, "abstain") == "2 abstenciones"
    assert language.counted(1, "abstain") == "1 abstained"
    assert language.number(1234) == "1,234"
    assert language.number(-1234) == "-1,234"
    assert language.share(0.956) == "96%"
    assert language.share(0.999) == "99%"
    assert language.share(1.0) == "100%"
    assert language.preferred("fr, es-MX;q=0.9, en;q=1.0") == "en"
    assert language.preferred("fr;q=x, *, es;q=0") is None


def test_words_of_documents_are_marked_with_their_language(visitor: Browser) -> None:
    minutes = identity("minutes/City Council/2024-01-15")
    meeting = "/s/springfield/City%20Council/2024-01-15/?lang="
    spanish, english = visitor.get(meeting + "es").text, visitor.get(meeting + "en").text

    assert '<blockquote lang="en">' in spanish and "<blockquote>" in english
    assert 'id="text" lang="en"' in visitor.get(f"/p/{minutes}-1?lang=es").text
    assert language.tag_of("chi_sim+eng") == "zh" and language.tag_of("") == ""
