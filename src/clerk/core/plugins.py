"""Finding plugins: the only place that builds a plugin manager.

A plugin is a module with functions, or a class with methods, that are marked by ``clerk.hookimpl``;
a class is instantiated without arguments.  Those of the old system are found as it found them: by
entry points of the group ``clerk.plugins``, and as classes in the files of a folder whose parent is
on the import path.
"""

from __future__ import annotations

import contextlib
import importlib
import importlib.util
import inspect
import logging
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from importlib.metadata import entry_points
from pathlib import Path
from types import ModuleType
from typing import Any

import pluggy

from . import config, hookspecs
from .errors import UnusablePlugin

log = logging.getLogger(__name__)

#: clerk's own plugins, found by the same hooks as everybody else's: a hook, and the module that
#: implements it, loaded when the hook is first called.
BUILT_IN = {
    "register_fetchers": "clerk.fetch",
    "register_ocr_backends": "clerk.read.own_engines",
    "register_deployers": "clerk.publish",
}

#: Where installed packages offer plugins; the second is the old system's.
ENTRY_POINTS = ("clerk", "clerk.plugins")

#: The project that the old system marked its hooks with.
OLD_PROJECT = "civicband.clerk"

#: Hooks of the old system that clerk does not call, and what to use instead.
GONE_HOOKS = {
    "register_job_types": "put the job's function in a module and queue it with"
    " clerk.queue.get_high_queue().enqueue(function)",
    "register_worker_functions": "queue the function itself with"
    " clerk.queue.get_high_queue().enqueue(function); every worker runs it",
    "get_data_processors": "process the data in post_compilation, which gets the database",
}


@dataclass(frozen=True)
class PluginProblem:
    """Something of a plugin that has no effect: the plugin, what is wrong, and what to do."""

    plugin: str
    what: str
    fix: str


class Manager(pluggy.PluginManager):
    """A plugin manager that also takes hooks marked for the old system, and keeps what it found."""

    def __init__(self) -> None:
        super().__init__("clerk")
        self.add_hookspecs(hookspecs)
        self.problems: list[PluginProblem] = []

    def parse_hookimpl_opts(self, plugin: Any, name: str) -> Any:
        """Return how a function was marked, by either project."""
        found: Any = super().parse_hookimpl_opts(plugin, name)
        if found is None:
            marked = getattr(getattr(plugin, name, None), f"{OLD_PROJECT}_impl", None)
            found = marked if isinstance(marked, dict) else None
        return found

    def add(self, plugin: object, name: str) -> bool:
        """Register a plugin, and say whether it has any hooks; note those that nobody calls."""
        plugin = plugin() if inspect.isclass(plugin) else plugin
        marked = [each for each in dir(plugin) if self.parse_hookimpl_opts(plugin, each)]
        if not marked:
            return False
        self.register(plugin, name)
        for each in marked:
            if not hasattr(hookspecs, each):
                use = GONE_HOOKS.get(each)
                fix = f"Instead, {use}." if use else "See the hooks in docs/plugins.md."
                self.report(name, f"its hook {each} is not called", fix)
        return True

    def report(self, plugin: str, what: str, fix: str) -> None:
        """Note and log what of a plugin has no effect."""
        self.problems.append(PluginProblem(plugin, what, fix))
        log.warning("The plugin %s: %s. %s", plugin, what, fix)


def manager() -> Manager:
    """Return the plugin manager for the current settings; built once for each set of plugins."""
    settings = config.load()
    return _build(settings.plugins, settings.plugins_dir)


@lru_cache(maxsize=8)
def _build(modules: tuple[str, ...], folder: Path | None) -> Manager:
    found = Manager()
    for hook, name in BUILT_IN.items():
        found.register(_loaded_on_call(hook, name), name)
    with _explained("of an installed package", "Fix or uninstall the package."):
        for group in ENTRY_POINTS:
            for point in entry_points(group=group):
                if not found.add(point.load(), point.name):
                    fix = "Mark its functions or methods with @clerk.hookimpl, or uninstall it."
                    found.report(point.name, "it has no hooks", fix)
    for name in modules:
        with _explained(f"{name!r} of CLERK_PLUGINS", "Fix it, or remove it from CLERK_PLUGINS."):
            _add_module(found, importlib.import_module(name), name)
    for path in _files(folder):
        with _explained(str(path), "Fix it, or remove it from CLERK_PLUGINS_DIR."):
            spec = importlib.util.spec_from_file_location(f"clerk_plugin_{path.stem}", path)
            assert spec is not None and spec.loader is not None
            module = importlib.util.module_from_spec(spec)
            sys.modules[spec.name] = module
            spec.loader.exec_module(module)
            _add_module(found, module, str(path))
    return found


def _loaded_on_call(hook: str, module: str) -> ModuleType:
    """Return a plugin with one hook, whose module is loaded when it is called."""

    @pluggy.HookimplMarker("clerk")
    def offer() -> Any:
        return getattr(importlib.import_module(module), hook)()

    plugin = ModuleType(module)
    setattr(plugin, hook, offer)
    return plugin


def _add_module(found: Manager, module: ModuleType, name: str) -> None:
    """Register the marked functions of a module, and each of its classes with marked methods."""
    registered = found.add(module, name)
    for each in list(vars(module).values()):
        if not inspect.isclass(each) or each.__module__ != module.__name__:
            continue
        if any(found.parse_hookimpl_opts(each, member) for member in dir(each)):
            registered |= found.add(each, f"{name}:{each.__name__}")
    if not registered:
        fix = "Mark its functions, or the methods of its classes, with @clerk.hookimpl."
        found.report(name, "it has no hooks", fix)


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
    """Return the plugin files of a folder, whose parent is put on the import path."""
    if folder is None:
        return []
    if not folder.is_dir():
        raise UnusablePlugin(
            f"CLERK_PLUGINS_DIR must be a folder, not {str(folder)!r}.",
            hint="Correct or unset CLERK_PLUGINS_DIR.",
        )
    parent = str(folder.absolute().parent)
    if parent not in sys.path:
        sys.path.append(parent)
    return sorted(path for path in folder.glob("*.py") if not path.name.startswith("_"))
