"""The gate: the only way from stored text to a page, feed, file or export that anybody may read.

::

    a source's URL, a file name, an error of a plugin, a name an operator typed
        -> Gate -> PublicText -> public page, feed, JSON, CSV, meetings.db, index.json, export

What passes has no user name or password in a URL, no value of a parameter that looks like a secret,
no well-known kind of API key, no path of this machine, and no value of a secret setting.  A path
becomes the last part of itself, or what lies below a folder that the gate knows.

The words of documents are public by their nature and are not rewritten: :func:`document_text` marks
them.  What the gate hides is replaced by ``***``; cleaning a clean text changes nothing.

Operators see more (paths, user names), but no secrets: :meth:`Gate.without_secrets`.
"""

from __future__ import annotations

import hashlib
import html
import json
from collections.abc import Iterable, Mapping
from dataclasses import fields
from functools import lru_cache
from pathlib import Path, PurePosixPath
from typing import Any
from urllib.parse import quote, unquote, urlsplit

from . import lazy_re as re
from .config import Settings, environment_secrets
from .errors import HIDDEN, without_passwords
from .site_extra import SiteRow

#: Shorter secrets are words that any text may contain by chance.
_SHORTEST = 4
#: Secrets of this length that are not letters only are hidden everywhere, also inside of words.
_UNMISTAKABLE = 8


class PublicText(str):
    """Text that anybody may read: it has passed the gate, or is public by its nature."""

    __slots__ = ()


def document_text(text: str) -> PublicText:
    """Mark the words of a document: they were published by whoever wrote it."""
    return PublicText(text)


# ------------------------------------------------------------------- secrets of an installation


class Redactor:
    """Removes the passwords and keys among the settings, and in the environment, from any text."""

    def __init__(self, settings: Settings | None, more: Iterable[str] = ()) -> None:
        secret = [
            getattr(settings, each.name)
            for each in (fields(settings) if settings else ())
            if each.metadata.get("secret")
        ]
        values = [
            str(value or "")
            for each in secret
            for value in (each if isinstance(each, tuple) else (each,))
        ]
        words = {word for value in values for word in _secret_words(value)}
        certain = set(environment_secrets() if settings else ()) | set(more)
        words |= {word for word in certain if _is_unmistakable(word)}
        # As they appear in plain text, in HTML, in JSON and in a URL.
        forms = {
            form
            for word in words
            for form in (word, html.escape(word), json.dumps(word)[1:-1], quote(word, safe=""))
            if len(form) >= _SHORTEST
        }
        self.secrets = sorted(forms, key=len, reverse=True)
        self._unmistakable = [each for each in self.secrets if _is_unmistakable(each)]

    def __call__(self, text: str) -> str:
        """Return the text without any secret, and without passwords in URLs."""
        for secret in self.secrets:
            text = text.replace(secret, HIDDEN)
        return without_passwords(text)

    def unmistakable(self, text: str) -> str:
        """Return the text without the secrets that cannot be words of it by chance."""
        for secret in self._unmistakable:
            if secret in text:
                text = text.replace(secret, HIDDEN)
        return text


def _secret_words(value: str) -> set[str]:
    """Return the secret parts of a setting: of a URL its password, key and query."""
    try:
        parts = urlsplit(value)
        words = {parts.password or "", parts.query}
    except ValueError:
        return {value}
    if not parts.scheme or not (parts.hostname or parts.path):
        return {value}
    if parts.username and not parts.password:
        words.add(parts.username if parts.scheme in ("http", "https") else "")
    return words | {unquote(word) for word in words}


def _is_unmistakable(secret: str) -> bool:
    return len(secret) >= _UNMISTAKABLE and not secret.isalpha()


# ------------------------------------------------------------------------- what a secret looks like

_SECRET_NAMES = frozenset(
    (
        *("key", "sig", "pw", "pwd", "pass", "sid", "auth", "hmac", "jwt", "ticket", "cookie"),
        *("session", "nonce", "otp", "bearer"),
    )
)
_PARTS_OF_SECRET_NAMES = (
    *("token", "secret", "passw", "passphrase", "signature", "credential", "apikey", "accesskey"),
    *("sessionid", "sessid", "authorization", "oauth", "authkey", "keypairid"),
)
#: Parameters of services that sign URLs: all of them begin so.
_SIGNING_PREFIXES = ("xamz", "xgoog", "xoss", "xcos")
#: What else belongs to a signed URL: Azure's permissions and times, CloudFront's policy.
_BESIDE_A_SIGNATURE = frozenset(
    (
        *("sv", "se", "sp", "sr", "st", "spr", "sip", "ss", "srt", "si", "skoid", "sktid", "skt"),
        *("ske", "sks", "skv", "policy", "expires"),
    )
)
_SIGNATURES = frozenset(("sig", "signature"))


@lru_cache(maxsize=1024)
def is_secret_name(name: str) -> bool:
    """Whether the value of a parameter, header or field of this name is not for everybody."""
    plain = _plain_name(name).replace("secretar", "")
    return (
        plain in _SECRET_NAMES
        or plain.endswith("key")
        or plain.startswith(_SIGNING_PREFIXES)
        or any(part in plain for part in _PARTS_OF_SECRET_NAMES)
    )


@lru_cache(maxsize=1024)
def _plain_name(name: str) -> str:
    return re.sub(r"[^a-z0-9]", "", unquote(name).lower())


_URL = r"""(?<![\w/])(?:[a-z][a-z0-9+.-]{0,30}:)?//[^\s/?#"<>]*(?:[/?\#][^\s"'<>`]*)?"""
_URLS = re.compile(_URL, re.IGNORECASE)
_URL_PARTS = re.compile(
    r"(?P<scheme>(?:[a-z][a-z0-9+.-]*:)?)//(?P<authority>[^/?#]*)(?P<path>[^?#]*)"
    r"(?P<query>(?:\?[^#]*)?)(?P<fragment>(?:#.*)?)",
    re.IGNORECASE,
)
_PLAIN_URL = re.compile(
    r"https?://[\w.-]+(?::[0-9]{1,5})?(?:/[\w.~-]+)*/?(?P<query>(?:\?[\w.~&=-]*)?)"
)
_PORT = re.compile(r"[0-9]{0,5}")
#: name=value, also with quotes around the value; what is hidden already may be followed by a query.
_PAIR = re.compile(
    r"""(?<![\w.~%-])(?P<name>[\w.~%-]+)=
        (?P<value>"[^"]*"|'[^']*'|\*\*\*(?=\?)|(?=\S*\w)[^\s&;#"'<>]+)""",
    re.VERBOSE,
)
#: Password: value, "api_key": "value"; a plain word behind a colon is no secret.
_SPOKEN = re.compile(
    r"""(?P<name>(?<![\w-])[\w-]{0,40}
        (?:password|passwd|passphrase|api[ _-]?key|secret|token|authorization)["']?
        (?:\s*:\s*|\s+=\s*|=\s+)["']?)(?P<value>(?=\S*\w)[^\s"'<>]+)""",
    re.IGNORECASE | re.VERBOSE,
)
#: Authorization: Basic value; a bearer's token also without the name of the header.
_AUTHORIZATION = re.compile(
    r"""(?P<name>\bauthorization["']?\s*[:=]\s*["']?[a-z]+\s+|\bbearer\s+(?=[^\s]*[0-9]))
        (?P<value>[\w.~+/=-]{8,})""",
    re.IGNORECASE | re.VERBOSE,
)
#: Keys that can be told by their form: of AWS, GitHub, GitLab, Stripe, OpenAI, Slack, Google,
#: SendGrid; signed tokens (JWT); private keys.
_KEYS = re.compile(
    r"(?<![\w-])(?:"
    r"(?:AKIA|ASIA)[A-Z0-9]{16}(?![\w-])"
    r"|(?:gh[pousr]_|github_pat_|glpat-)\w{16,}"
    r"|[sr]k_(?:live|test)_\w{10,}"
    r"|sk-(?=[\w-]*[A-Z])(?=[\w-]*[0-9])[\w-]{20,}"
    r"|xox[abeoprs]-[\w-]{10,}"
    r"|AIza[\w-]{30,}"
    r"|ya29\.[\w-]{16,}"
    r"|SG\.[\w-]{16,}\.[\w-]{16,}"
    r"|eyJ[\w-]{6,}\.[\w-]{4,}(?:\.[\w-]*)?)"
    r"|-----BEGIN [A-Z ]{0,30}PRIVATE KEY-----[^-]*(?:-----END [A-Z ]{0,30}PRIVATE KEY-----)?"
)
#: Most texts have nothing of all this, and are passed on at once.
_WORTH_A_LOOK = re.compile(
    r"[/\\=@:]|AKIA|ASIA|gh[pousr]_|github_pat_|glpat-|k_live_|k_test_|sk-|xox|AIza|ya29\.|SG\.|eyJ"
    r"|-----BEGIN|[Bb]earer|BEARER"
)
#: Punctuation at the end of a value belongs to the sentence around it.
_END_OF_SENTENCE = ").,;:]}!?"
#: A text is clean when another pass changes nothing; a hostile one is rejected after this many.
_PASSES = 8
#: URLs inside of URLs are followed so far; what is inside of those is hidden.
_DEEPEST = 3


# --------------------------------------------------------------------------- what a path looks like

_FILE_URL = re.compile(r"""\bfile:/[^\s"'<>`]*""", re.IGNORECASE)
_NOT_IN_A_PART = r"""\s/\\"'<>:;,|()\[\]{}"""
_LOCAL = re.compile(
    rf"""(?P<url>{_URL})
    |(?P<quote>["'`])(?P<quoted>(?:~|[a-z]:)?[/\\]+[^"'`\n/\\][^"'`\n]*)(?P=quote)
    |(?P<windows>(?<!\w)(?:[a-z]:|\\)[/\\](?:[^{_NOT_IN_A_PART}]+[/\\])*[^{_NOT_IN_A_PART}]*)
    |(?P<path>(?<![\w./~*%-])~?/(?:[^{_NOT_IN_A_PART}]+/)+[^{_NOT_IN_A_PART}]*)""",
    re.IGNORECASE | re.VERBOSE,
)
#: Addresses of the public pages, which begin like paths.
_OWN_ADDRESS = re.compile(
    r"/(?:[?#]\S*|(?:s|d|p|people|votes|matters|calendar|map|report|embed|follow|annotations"
    r"|coverage|search|static|api|ops)(?:[/?.]\S*)?)?"
)
_HIDDEN_PARAMETER = re.compile(rf"[\w.~%-]+={re.escape(HIDDEN)}[&;]?")
_HIDDEN_IN_NAME = re.compile(rf"(?:[\w.~%-]+\s*[=:]\s*)?[\"']?{re.escape(HIDDEN)}[\"']?[&;]?")


#: Texts up to this many letters are remembered, and how many of them.
_SHORT_TEXT, _REMEMBERED = 200, 5000


class Gate:
    """Makes text public; knows the secrets and the folders of an installation, and of a site."""

    def __init__(
        self,
        settings: Settings | None = None,
        *,
        folders: Iterable[Path] = (),
        secrets: Iterable[str] = (),
        keeps_user_names: bool = False,
    ) -> None:
        self._keeps_user_names = keeps_user_names
        own = [settings.storage_dir, settings.published] if settings else []
        known = {path.expanduser().absolute() for path in (*own, *folders)}
        # The innermost first, so that what is left of a path is as short as can be.
        self._folders = sorted((path for path in known if path.name), key=str, reverse=True)
        names = "|".join(re.escape(str(path)) for path in self._folders)
        self._known_folder = re.compile(rf"(?<![\w.~-])({names})(/|(?![\w.-]))") if names else None
        self._redact = Redactor(settings, secrets)
        # Pages print the same names and addresses again and again.
        self._short = lru_cache(maxsize=_REMEMBERED)(self._public)

    @classmethod
    def for_site(cls, settings: Settings, site: SiteRow) -> Gate:
        """Return the gate for the texts of a site: it also knows its source and its secrets."""
        extra = site.get("extra") or {}
        if isinstance(extra, str):
            try:
                extra = json.loads(extra)
            except ValueError:
                extra = {}
        chosen = extra if isinstance(extra, dict) else {}
        source = str(chosen.get("source") or "")
        folders = [Path(source)] if source and "://" not in source else []
        secrets = [str(value) for name, value in chosen.items() if is_secret_name(name)]
        return cls(settings, folders=folders, secrets=secrets)

    def fingerprint(self) -> str:
        """Return a short hash of what is hidden: the same as long as the same texts come out."""
        known = (self._redact.secrets, self._folders, self._keeps_user_names)
        return hashlib.blake2b(repr(known).encode(), digest_size=8).hexdigest()

    def __call__(self, text: str) -> PublicText:
        """Return what everybody may read of a stored text."""
        if isinstance(text, PublicText):
            return text
        return self._short(text) if len(text) <= _SHORT_TEXT else self._public(text)

    def _public(self, text: str) -> PublicText:
        for _ in range(_PASSES):
            clean = self.without_secrets(text)
            has_path = "/" in clean or "\\" in clean
            if has_path and not (_PLAIN_URL.fullmatch(clean) or _OWN_ADDRESS.fullmatch(clean)):
                clean = _FILE_URL.sub(lambda url: self._below_folder(_path_of(url[0])), clean)
                if self._known_folder:
                    clean = self._known_folder.sub(
                        lambda found: "" if found[2] else PurePosixPath(found[1]).name, clean
                    )
                clean = _LOCAL.sub(_last_part, clean)
            if clean == text:
                break
            # What is left of a text may look like a secret or a path itself.
            text = clean
        return PublicText(text)

    def without_secrets(self, text: str) -> str:
        """Return the text without secrets; paths stay."""
        return self._without_secrets(text, 0)

    def _without_secrets(self, text: str, depth: int) -> str:
        text = self._redact.unmistakable(text)
        if not _WORTH_A_LOOK.search(text):
            return text
        plain = _PLAIN_URL.fullmatch(text)
        if plain and not _KEYS.search(text):
            # A web address without secrets, which most sources are.
            names = (pair.partition("=")[0] for pair in plain["query"].split("&"))
            if not any(map(is_secret_name, names)):
                return text
        text = _URLS.sub(lambda url: self._clean_url(url[0], depth), text)
        text = _PAIR.sub(
            lambda pair: (
                f"{pair['name']}={_hidden(pair['value'])}"
                if is_secret_name(pair["name"])
                else pair[0]
            ),
            text,
        )
        text = _AUTHORIZATION.sub(_clean_value, text)
        text = _SPOKEN.sub(_clean_value, text)
        return _KEYS.sub(HIDDEN, text)

    def source(self, url: str | None) -> PublicText | None:
        """Return where a document came from, as everybody may know it; None if that is nothing.

        Of a web address that is the address without its secrets; of a file the path below the
        source's folder, or its name.
        """
        if not url:
            return None
        if _FILE_URL.match(url):
            return PublicText(self.without_secrets(self._below_folder(_path_of(url)))) or None
        public = self(url)
        if "://" in public and HIDDEN in public:
            public = PublicText(re.sub(r"[?&;]+(?=#|$)", "", _HIDDEN_PARAMETER.sub("", public)))
        return public or None

    def name(self, text: str) -> str:
        """Return a text that may become the name of a document; what is hidden is left out."""
        for _ in range(_DEEPEST):
            public = self(text)
            if public == text:
                return text
            text = _HIDDEN_IN_NAME.sub(" ", public)
        return text if self.allows_name(text) else ""

    def allows_name(self, name: str) -> bool:
        """Whether a document of this name may be published."""
        return self.without_secrets(name) == name

    def clean(self, value: Any) -> Any:
        """Return plain values (dictionaries, lists, texts, numbers) with every text public."""
        if isinstance(value, str):
            return self(value)
        if isinstance(value, Mapping):
            return {self.clean(key): self.clean(each) for key, each in value.items()}
        if isinstance(value, list | tuple | set | frozenset):
            return [self.clean(each) for each in value]
        return value

    def _below_folder(self, path: str) -> str:
        for folder in self._folders:
            if path.startswith(f"{folder}/"):
                return path[len(str(folder)) + 1 :]
        return _name_of(path)

    def _clean_url(self, url: str, depth: int) -> str:
        parts = _URL_PARTS.fullmatch(url)
        if parts is None or not parts["authority"]:
            return url
        host, rest = parts["authority"], url[parts.end("authority") :]
        port = host.partition(":")[2].rstrip(_END_OF_SENTENCE)
        if "@" in host:
            user, _, host = host.rpartition("@")
            user, colon, _ = user.partition(":")
            # A user name alone is the secret on the web, but not where one logs in.
            if self._keeps_user_names and colon:
                host = f"{user}:{HIDDEN}@{host}"
            elif self._keeps_user_names and not parts["scheme"].lower().startswith("http"):
                host = f"{user}@{host}"
        elif not host.startswith("[") and not _PORT.fullmatch(port):
            # A password with a slash in it, or one whose end was cut off.
            after = rest.rpartition("@")[2] if "@" in rest else HIDDEN
            return self._clean_url(f"{parts['scheme']}//{after}", depth)
        path = self._clean_quoted(parts["path"], depth)
        query = self._clean_query(parts["query"], depth)
        fragment = self._clean_query(parts["fragment"], depth)
        return f"{parts['scheme']}//{host}{path}{query}{fragment}"

    def _clean_query(self, query: str, depth: int) -> str:
        """Hide the values of secret parameters, and those that hold a URL with secrets."""
        pieces = re.split(r"([&;])", query[1:])
        names = {_plain_name(piece.partition("=")[0]) for piece in pieces}
        signed = _BESIDE_A_SIGNATURE if names & _SIGNATURES else frozenset()
        for index, piece in enumerate(pieces):
            name, _, value = piece.partition("=")
            is_secret = is_secret_name(name) or _plain_name(name) in signed
            if value and (is_secret or self._clean_quoted(value, depth) != value):
                pieces[index] = f"{name}={_hidden(value)}"
        return query[:1] + "".join(pieces)

    def _clean_quoted(self, text: str, depth: int) -> str:
        """Return a part of a URL; unquoted and cleaned if it has secrets behind its quoting."""
        plain = unquote(text).lstrip("/")
        if "//" not in plain and "=" not in plain:
            return text
        clean = self._without_secrets(plain, depth + 1) if depth < _DEEPEST else HIDDEN
        return text if clean == plain else f"/{clean}"


def _clean_value(found: re.Match[str]) -> str:
    """Hide what follows a telling word, unless it is a plain word itself."""
    value = found["value"]
    return found[0] if value.isalpha() else found["name"] + _hidden(value)


def _hidden(value: str) -> str:
    """Return what stands for a value, with the quotes or punctuation around it."""
    if len(value) > 1 and value[0] in "\"'" and value[-1] == value[0]:
        return f"{value[0]}{HIDDEN}{value[0]}"
    ending = value[len(value.rstrip(_END_OF_SENTENCE)) :]
    return HIDDEN + ("" if "(" in value else ending)


def _path_of(file_url: str) -> str:
    return unquote(re.sub(r"(?i)^file:(?://[^/]*)?", "", file_url), errors="replace")


def _name_of(path: str) -> str:
    return re.split(r"[/\\]", path.rstrip("/\\"))[-1]


def _last_part(found: re.Match[str]) -> str:
    """Return the last part of a path; a URL stays, unless it is one of this machine."""
    if found["url"]:
        parts = _URL_PARTS.fullmatch(found["url"])
        host = parts["authority"] if parts else ""
        is_local = not host or (not found["url"][0].isalnum() and not re.search(r"[.:@*]", host))
        return _name_of(found["url"]) if is_local else found["url"]
    if found["quoted"]:
        return f"{found['quote']}{_name_of(found['quoted'])}{found['quote']}"
    return _name_of(found[0])
