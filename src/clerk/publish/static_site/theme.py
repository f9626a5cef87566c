"""The look of a static site: clerk's templates and files, or a theme's in their place.

A theme is a folder.  ``base.html`` in it replaces clerk's template of this name and may extend it
as ``default/base.html``; files in its ``static`` folder are published, too, and ``style.css`` there
replaces clerk's.  Folders come from STATIC_SITE_THEME and from plugins.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from hashlib import blake2b
from importlib.resources import files
from pathlib import Path

from jinja2 import (
    ChoiceLoader,
    Environment,
    FileSystemLoader,
    PrefixLoader,
    TemplateError,
    nodes,
)
from jinja2.visitor import NodeTransformer

from clerk.core import language, plugins
from clerk.core.config import Settings
from clerk.core.errors import BadSetting
from clerk.publish import page_text

from . import pages

_HERE = Path(__file__).parent
#: Shared with the pages of ``clerk serve``.
_SHARED = ("style.css", "icon.svg", "tables.js")
_NAME = re.compile(r"[\w.-]+")


@dataclass(frozen=True)
class Theme:
    """Templates and files; ``fingerprint`` changes with any of them."""

    folders: Sequence[Path]
    #: Contents of the published files by name.
    static: Mapping[str, bytes]
    fingerprint: str

    @property
    def assets(self) -> dict[str, str]:
        """The addresses of the published files by name; they change with the content."""
        return {
            name: f"static/{_hash(content)[:10]}-{name}" for name, content in self.static.items()
        }

    def environment(self, spoken: str) -> Environment:
        """Return what renders the templates in a language; they are compiled once per process."""
        return _environment(self.fingerprint, tuple(self.folders), spoken)


class _Said(NodeTransformer):
    """Puts messages without values into templates that are compiled for one language."""

    def visit_Call(self, call: nodes.Call) -> nodes.Node:
        """Replace ``_("Search")`` by what it says."""
        self.generic_visit(call)
        is_message = isinstance(call.node, nodes.Name) and call.node.name == "_"
        if is_message and not call.kwargs and isinstance(call.args[0], nodes.Const):
            return nodes.Const(page_text.translated(call.args[0].value))
        return call


class _LanguageEnvironment(Environment):
    """Compiles templates for the language that is spoken then."""

    def _parse(self, source: str, name: str | None, filename: str | None) -> nodes.Template:
        tree: nodes.Template = _Said().visit(super()._parse(source, name, filename))
        return tree


@lru_cache(maxsize=8)
def _environment(_fingerprint: str, folders: tuple[Path, ...], _spoken: str) -> Environment:
    own = FileSystemLoader(_HERE / "templates")
    themes = [FileSystemLoader(folder) for folder in folders]
    loader = ChoiceLoader([*themes, own, PrefixLoader({"default": own})])
    environment = page_text.page_templates(loader, _LanguageEnvironment)
    environment.filters |= pages.filters()
    return environment


def load_theme(settings: Settings) -> Theme:
    """Return the theme of an installation; refuse one that cannot be read."""
    folders = [settings.static_site_theme] if settings.static_site_theme else []
    folders += [Path(each) for some in plugins.manager().hook.static_site_themes() for each in some]
    for folder in folders:
        if not folder.is_dir():
            raise BadSetting(
                f"The theme {folder} is not a folder.",
                hint="Correct STATIC_SITE_THEME, or the plugin that names it.",
            )
    static = dict(_own_static())
    told = [_own_fingerprint()]
    for folder in reversed(folders):
        for path in sorted(path for path in folder.rglob("*") if path.is_file()):
            content, name = path.read_bytes(), path.relative_to(folder).as_posix()
            told.append(f"{name} {_hash(content)}")
            place, _, file = name.rpartition("/")
            if place == "static" and _NAME.fullmatch(file):
                static[file] = content
    return Theme(folders, static, _hash("\n".join(told).encode()))


def theme_error(theme: Theme, error: TemplateError) -> BadSetting:
    """Return the error of a template by the file and line of a theme, if it is one's."""
    where = getattr(error, "filename", None) or getattr(error, "name", None) or "a template"
    line = getattr(error, "lineno", None)
    place = f"{where}, line {line}" if line else str(where)
    named = ", ".join(map(str, theme.folders)) or "clerk's own templates"
    return BadSetting(
        f"The static site cannot be written: {place}: {error.message or error}.",
        hint=f"Correct the template (themes: {named}), or unset STATIC_SITE_THEME.",
    )


@lru_cache(maxsize=1)
def _own_static() -> Mapping[str, bytes]:
    shared = files("clerk") / "web" / "static"
    static = {name: (shared / name).read_bytes() for name in _SHARED}
    static["style.css"] += (_HERE / "static" / "site.css").read_bytes()
    return static | {"search.js": (_HERE / "static" / "search.js").read_bytes()}


@lru_cache(maxsize=1)
def _own_fingerprint() -> str:
    """Return the hash of clerk's own templates and of the code that fills them."""
    shared = (_HERE.parent / name for name in ("head_tags.py", "page_text.py"))
    sources = sorted(
        path
        for path in (*_HERE.rglob("*"), *shared, *language.FOLDER.glob("*.toml"))
        if path.suffix in (".py", ".html", ".css", ".js", ".toml")
    )
    told = [f"{path.name} {_hash(path.read_bytes())}" for path in sources]
    return _hash("\n".join((*told, *(_hash(each) for each in _own_static().values()))).encode())


def _hash(content: bytes) -> str:
    return blake2b(content, digest_size=16).hexdigest()
