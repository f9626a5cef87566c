"""Finding plugins: the only place that builds a plugin manager."""

from __future__ import annotations

import contextlib
import importlib
import importlib.util
import sys
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from types import ModuleType

import pluggy

from . import config, hookspecs
from .errors import UnusablePlugin

#: clerk's own plugins, found by the same hooks as everybody else's.
BUILT_IN = ("clerk.fetch", "clerk.read.ocr", "clerk.read.tesseract_onnx", "clerk.publish")


def manager() -> pluggy.PluginManager:
    """Return the plugin manager for the current settings; built once for each set of plugins."""
    settings = config.load()
    return _build(settings.plugins, settings.plugins_dir)


@lru_cache(maxsize=8)
def _build(modules: tuple[str, ...], folder: Path | None) -> pluggy.PluginManager:
    found = pluggy.PluginManager("clerk")
    found.add_hookspecs(hookspecs)
    for name in BUILT_IN:
        found.register(importlib.import_module(name), name)
    with _explained("of an installed package", "Mend or uninstall the package."):
        found.load_setuptools_entrypoints("clerk")
    for name in modules:
        with _explained(f"{name!r} of CLERK_PLUGINS", "Mend it, or take it out of CLERK_PLUGINS."):
            found.register(importlib.import_module(name), name)
    for path in _files(folder):
        with _explained(str(path), "Mend it, or take it out of CLERK_PLUGINS_DIR."):
            found.register(_load_file(path), str(path))
    return found


@contextlib.contextmanager
def _explained(which: str, hint: str) -> Iterator[None]:
    """Name the plugin that cannot be loaded; a module may raise anything while it is imported."""
    try:
        yield
    except Exception as error:
        reason = f"{type(error).__name__}: {error}".rstrip(".")
        raise UnusablePlugin(
            f"The plugin {which} cannot be loaded: {reason}.", hint=hint
        ) from error


def _files(folder: Path | None) -> list[Path]:
    if folder is None:
        return []
    if not folder.is_dir():
        raise UnusablePlugin(
            f"CLERK_PLUGINS_DIR must be a folder, not {str(folder)!r}.",
            hint="Correct or unset CLERK_PLUGINS_DIR.",
        )
    return sorted(folder.glob("*.py"))


def _load_file(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(f"clerk_plugin_{path.stem}", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module
