"""Finding plugins: the only place that builds a plugin manager."""

from __future__ import annotations

import importlib
import importlib.util
import sys
from functools import lru_cache
from pathlib import Path
from types import ModuleType

import pluggy

from . import config, hookspecs
from .errors import BadSetting

#: clerk's own plugins, found by the same hooks as everybody else's.
BUILT_IN = ("clerk.fetchers", "clerk.work.ocr", "clerk.work.ocr_onnx", "clerk.work.deploy")


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
    found.load_setuptools_entrypoints("clerk")
    for name in modules:
        found.register(_import(name), name)
    for path in sorted(folder.glob("*.py")) if folder else ():
        found.register(_load_file(path), str(path))
    return found


def _import(name: str) -> ModuleType:
    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise BadSetting(
            f"The plugin {name!r} of CLERK_PLUGINS cannot be imported: {error}.",
            hint="Install it, or take it out of CLERK_PLUGINS.",
        ) from error


def _load_file(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(f"clerk_plugin_{path.stem}", path)
    if spec is None or spec.loader is None:
        raise BadSetting(f"The plugin {path} cannot be loaded.")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module
