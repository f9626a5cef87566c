"""The gate cannot be passed by: what a handler or template adds is public text, or becomes it."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import replace
from html import unescape
from pathlib import Path
from urllib.parse import urljoin

import pytest
from starlette.requests import Request
from web_town import PAGES, Browser

from clerk import web
from clerk.core.config import Settings
from clerk.core.public_text import Gate, document_text
from clerk.pipeline.failures import Failure
from clerk.web import rendering
from clerk.web.app import create_app
from clerk.web.public.coverage import Unread

RAW = "http://bob:s3cretpw@town.example/a.pdf?token=abc123 /home/bob/minutes/a.pdf"
CLEAN = "http://town.example/a.pdf?token=*** a.pdf"
MAKING_ANSWERS = {"Response", "JSONResponse", "HTMLResponse", "PlainTextResponse"}
MAKING_ANSWERS |= {"StreamingResponse", "TemplateResponse"}
#: Functions that make answers themselves: those that pass the gate, and one that gives pictures.
ALLOWED = {
    *(("rendering", name) for name in ("as_json", "as_csv", "as_xml", "as_text", "as_calendar")),
    *(("rendering", name) for name in ("page", "for_operators")),
    ("public.documents", "page_image"),
    ("public.documents", "_pages_pdf"),
    # A project that an operator has made public is given as it was uploaded: offsets count.
    ("annotation_pages", "_streamed"),
}
#: These answer operators and monitoring, refuse, or pass on what is published.
NOT_FOR_READERS = ("auth", "uploads", "live", "metrics", "data", "middleware", "request_bodies")


def functions() -> Iterator[tuple[str, ast.FunctionDef | ast.AsyncFunctionDef]]:
    """Yield every function of the pages with its module, but for those of operators."""
    folder = Path(web.__file__).parent
    for path in sorted(folder.rglob("*.py")):
        module = ".".join(path.relative_to(folder).with_suffix("").parts)
        if module not in NOT_FOR_READERS and not module.startswith("ops."):
            for node in ast.walk(ast.parse(path.read_text())):
                if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                    yield module, node


def called(function: ast.AST) -> Iterator[tuple[str, ast.Call]]:
    """Yield what a function calls, by its last name; answers of fixed words are left out."""
    for node in ast.walk(function):
        if isinstance(node, ast.Call):
            name = getattr(node.func, "attr", getattr(node.func, "id", ""))
            fixed = [isinstance(each, ast.Constant) or _is_constant(each) for each in node.args]
            if not (fixed and all(fixed)):
                yield name, node


def _is_constant(node: ast.AST) -> bool:
    return isinstance(node, ast.Name) and node.id.isupper()


def test_only_the_gate_makes_public_answers() -> None:
    making = {
        (module, function.name)
        for module, function in functions()
        for name, _ in called(function)
        if name in MAKING_ANSWERS
    }

    assert making <= ALLOWED
    assert making, "they are found at all"


def test_answers_for_operators_are_given_behind_a_login() -> None:
    unguarded = [
        f"{module}.{function.name}"
        for module, function in functions()
        for name, _ in called(function)
        if name == "for_operators"
        and not {getattr(each, "id", "") for each in function.decorator_list}
        & {"viewer", "operator"}
    ]

    assert unguarded == []


@pytest.fixture
def request_of_a_visitor(tmp_path: Path) -> Request:
    app = create_app(Settings(storage_dir=tmp_path))
    scope = {"type": "http", "method": "GET", "path": "/", "query_string": b"", "headers": []}
    return Request(scope | {"app": app})


@pytest.mark.parametrize("value", [RAW, Path("/home/bob/minutes/a.pdf"), ValueError(RAW), [RAW]])
def test_whatever_a_public_template_prints_is_cleaned(
    request_of_a_visitor: Request, value: object
) -> None:
    answer = rendering.page(request_of_a_visitor, "error.html", code=500, message=value)

    assert b"a.pdf" in answer.body
    assert b"bob" not in answer.body and b"abc123" not in answer.body


def test_the_words_of_documents_are_printed_as_they_are(request_of_a_visitor: Request) -> None:
    words = document_text(RAW)
    html = rendering.page(request_of_a_visitor, "error.html", code=500, message=words).body
    json = rendering.as_json(request_of_a_visitor, {"text": words, "error": RAW}).body

    assert b"bob:s3cretpw" in html
    assert json.decode() == f'{{"text":"{RAW}","error":"{CLEAN}"}}'


def test_readers_are_told_the_kind_of_an_error_and_not_its_words() -> None:
    failure = Failure(1, 1, "town", "run", "ocr", "document", RAW, 1, "failed", f"Failed {RAW}")

    for kind, told in ((None, ""), ("OSError", ""), ("UnreadablePdf", "UnreadablePdf")):
        shown = Unread.of(replace(failure, error_kind=kind), Gate())
        assert (shown.document, shown.documents, shown.kind) == (CLEAN, 1, told)


def test_links_are_made_of_public_names(request_of_a_visitor: Request) -> None:
    assert rendering.body_link("town", "key=abc123") == "/s/town/key%3D%2A%2A%2A/"
    assert "abc123" not in rendering.meeting_link("town", "Council", "key=abc123")


def test_the_gate_breaks_no_link(visitor: Browser) -> None:
    links = {
        (address, unescape(link))
        for address in PAGES
        for link in re.findall(r'href="([^"]*)', visitor.get(address).text)
        if not link.startswith(("#", "mailto:", "http"))
    }

    assert len(links) > 100
    # Relative ones are rare: most that begin without a slash have lost their beginning.
    wrong = [each for each in links if not each[1].startswith(("/", "?"))]
    assert wrong == []
    broken = [
        each
        for each in links
        if visitor.get(urljoin(each[0], each[1].partition("#")[0])).status_code >= 400
    ]
    assert broken == []
