"""The settings: the only place that reads the environment.

Each setting is a field of :class:`Settings` that carries its variable and a sentence of help, so
this file is also the documentation (`clerk config show` prints it).  A value comes from a flag,
else the environment, else ``.env`` in the current directory, else the default.
"""

from __future__ import annotations

import contextlib
import ipaddress
import os
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from functools import lru_cache
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlsplit
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from .errors import BadSetting
from .language import languages

#: What the address of a Redis may say behind a question mark: numbers, and words.
REDIS_NUMBERS = ("db", "protocol", "max_connections")
REDIS_WORDS = (
    *("username", "password", "client_name", "socket_keepalive", "retry_on_timeout"),
    *("ssl_cert_reqs", "ssl_ca_certs", "ssl_ca_path", "ssl_ca_data", "ssl_ciphers"),
    *("ssl_certfile", "ssl_keyfile", "ssl_check_hostname"),
)

#: Upper bound, catches typos.
MOST_PROCESSES = 256

#: The OCR engine that suits the machine: see `clerk.read.ocr.best_own_engine`.
AUTO = "auto"

LOG_FORMATS = ("auto", "json", "text")


def _setting(
    variable: str, default: Any, help: str, parse: Callable[[str], Any] = str, secret: bool = False
) -> Any:
    metadata = {"variable": variable, "help": help, "parse": parse, "secret": secret}
    return field(default=default, repr=not secret, metadata=metadata)


def _flag(value: str) -> bool:
    words = {"1": True, "true": True, "yes": True, "on": True}
    words |= {"0": False, "false": False, "no": False, "off": False, "": False}
    try:
        return words[value.strip().lower()]
    except KeyError:
        raise ValueError("must be yes or no") from None


def _positive(value: str) -> int:
    number = _whole(value)
    if number < 1:
        raise ValueError("must be at least 1")
    return number


def _whole(value: str) -> int:
    try:
        number = int(value)
    except ValueError:
        raise ValueError("must be a whole number") from None
    if number < 0:
        raise ValueError("must not be negative")
    return number


def _processes(value: str) -> int:
    number = _whole(value)
    if number > MOST_PROCESSES:
        raise ValueError(f"must not be more than {MOST_PROCESSES}")
    return number


def _seconds(value: str) -> float:
    try:
        number = float(value)
    except ValueError:
        raise ValueError("must be a number of seconds") from None
    if not 0 < number < float("inf"):
        raise ValueError("must be more than 0 seconds")
    return number


def _one_of(*words: str) -> Callable[[str], str]:
    def parse(value: str) -> str:
        if value not in words:
            raise ValueError(f"must be one of {', '.join(words)}")
        return value

    return parse


def _words(value: str) -> tuple[str, ...]:
    return tuple(word.strip() for word in value.replace("+", ",").split(",") if word.strip())


def _some_words(value: str) -> tuple[str, ...]:
    words = _words(value)
    if not words:
        raise ValueError("must name at least one")
    return words


def _numbers(value: str) -> tuple[str, ...]:
    """Accept names with numbers: ``legistar=4,*=20``."""
    for word in _words(value):
        name, mark, number = word.partition("=")
        if not mark or not name or not number.isdecimal():
            raise ValueError("must look like name=4,other=2")
    return _words(value)


def numbers(words: tuple[str, ...]) -> dict[str, int]:
    """Return the numbers by name of a setting like ``legistar=4,*=20``."""
    return {name: int(number) for name, _, number in (word.partition("=") for word in words)}


def _notify_urls(value: str) -> tuple[str, ...]:
    """Accept targets of notices, separated by spaces."""
    for url in value.split():
        _check_port(url)
        parts = urlsplit(url)
        schemes = ("smtp", "smtps", "http", "https", "slack+https", "discord+https")
        if parts.scheme not in (*schemes, "slack+http", "discord+http") or not parts.hostname:
            raise ValueError("must be smtp://, https://, slack+https:// or discord+https:// URLs")
        options = dict(parse_qsl(parts.query))
        if parts.scheme.startswith("smtp") and not (options.get("from") and options.get("to")):
            raise ValueError("must contain from and to: smtp://host/?from=a@b.org&to=c@d.org")
    return tuple(value.split())


def _mail_url(value: str) -> str:
    """Accept the server that mail to readers goes through."""
    _check_port(value)
    parts = urlsplit(value)
    sender = dict(parse_qsl(parts.query)).get("from", "")
    if parts.scheme not in ("smtp", "smtps") or not parts.hostname or "@" not in sender:
        raise ValueError("must look like smtp://user:password@host:587/?from=clerk@example.org")
    if any(letter in sender for letter in "\r\n"):
        raise ValueError("must have a single line in from")
    return value


def _time_of_day(value: str) -> str:
    at, _, zone = value.strip().partition(" ")
    if not re.fullmatch(r"([01]\d|2[0-3]):[0-5]\d", at):
        raise ValueError("must look like 07:00 America/Chicago")
    _zone(zone)
    return value.strip()


def _zone(name: str) -> None:
    try:
        ZoneInfo(name.strip() or "UTC")
    except (ZoneInfoNotFoundError, ValueError, OSError):
        raise ValueError("must end with a time zone, as in America/Chicago") from None


def _quiet_hours(value: str) -> str:
    hours, _, zone = value.strip().partition(" ")
    if value and not re.fullmatch(r"([01]\d|2[0-3]):[0-5]\d-([01]\d|2[0-3]):[0-5]\d", hours):
        raise ValueError("must look like 22:00-07:00 America/Chicago")
    _zone(zone)
    return value.strip()


def _database_url(value: str) -> str:
    """Accept the short names of PostgreSQL and SQLite and name the driver."""
    scheme, mark, rest = value.partition("://")
    drivers = {
        "postgres": "postgresql+psycopg",
        "postgresql": "postgresql+psycopg",
        "postgresql+psycopg": "postgresql+psycopg",
        "sqlite": "sqlite",
    }
    server_of_sqlite = scheme == "sqlite" and rest and not rest.startswith("/")
    if value and (not mark or scheme not in drivers or server_of_sqlite):
        raise ValueError("must look like postgresql://user@host/name or sqlite:///path/to/file.db")
    if scheme == "sqlite" and rest.partition("?")[0] in ("", "/", "/:memory:"):
        raise ValueError("must name a file, as in sqlite:///path/to/file.db")
    _check_port(value)
    return f"{drivers[scheme]}://{rest}" if value else ""


def _redis_url(value: str) -> str:
    if value and not value.startswith(("redis://", "rediss://", "unix://")):
        raise ValueError("must look like redis://host:6379/0")
    _check_port(value)
    parts = urlsplit(value)
    if parts.scheme == "unix" and not parts.path:
        raise ValueError("must name a socket, as in unix:///run/redis.sock")
    if parts.scheme != "unix" and parts.path.strip("/") and not parts.path[1:].isdecimal():
        raise ValueError("must end with the number of a database, as in redis://host:6379/0")
    for name, given in parse_qsl(parts.query, keep_blank_values=True):
        if name not in (*REDIS_NUMBERS, *REDIS_WORDS):
            raise ValueError(f"must not contain the option {name!r}")
        if name in REDIS_NUMBERS and not given.isdecimal():
            raise ValueError(f"must have a number for {name}")
        if name.startswith("ssl_") and parts.scheme != "rediss":
            raise ValueError(f"must begin with rediss:// for the option {name!r}")
    return value


def _web_url(value: str) -> str:
    if value and not value.startswith(("http://", "https://")):
        raise ValueError("must look like http://host:3100")
    _check_port(value)
    return value


def _public_url(value: str) -> str:
    """Return the address without a slash at its end; the pages have to be at its root."""
    _check_port(value)
    parts = urlsplit(value)
    if parts.scheme not in ("http", "https") or not parts.hostname or "@" in parts.netloc:
        raise ValueError("must look like https://minutes.example.org")
    if parts.path.strip("/") or parts.query or parts.fragment:
        raise ValueError("must not have a path: the pages are at the root of their host")
    return f"{parts.scheme}://{parts.netloc.lower()}"


def static_site_address(value: str) -> str:
    """Return the address without a slash at its end; ``{site}`` stands for the site's name."""
    _check_port(value)
    parts = urlsplit(value)
    if parts.scheme not in ("http", "https") or not parts.hostname or "@" in parts.netloc:
        raise ValueError("must look like https://example.org/{site}")
    if parts.query or parts.fragment:
        raise ValueError("must not have a query or fragment")
    return value.rstrip("/")


def _language(value: str) -> str:
    if value not in languages():
        raise ValueError(f"must be one of {', '.join(languages())}")
    return value


def _networks(value: str) -> tuple[str, ...]:
    for word in _words(value):
        try:
            ipaddress.ip_network(word, strict=False)
        except ValueError:
            raise ValueError(
                "must be IP addresses or networks, as in 10.0.0.5,10.1.0.0/16"
            ) from None
    return _words(value)


def _check_port(url: str) -> None:
    """Refuse a malformed URL; Python's own message may contain the password."""
    try:
        _ = urlsplit(url).port
    except ValueError:
        raise ValueError(
            "must be a valid URL: write / as %2F and @ as %40 in the password"
        ) from None


_STORES = ("s3", "s3a", "gs", "az", "azure", "adl", "abfs", "abfss", "file")


def _storage_url(url: str) -> str:
    """Return the address of a bucket or folder, or say what is wrong with it."""
    scheme, separator, rest = url.partition("://")
    if not separator or scheme not in _STORES:
        raise ValueError(
            "must be the address of a bucket or folder, as in s3://bucket/prefix, gs://bucket,"
            " az://container/prefix or file:///mnt/clerk"
        )
    if not rest.strip("/") or (scheme == "file" and not rest.startswith("/")):
        raise ValueError(f"must name a {'folder' if scheme == 'file' else 'bucket'} after ://")
    login, at, _ = rest.rpartition("@")
    # Azure has addresses with the container before the account, which are not keys.
    if at and (not scheme.startswith("abfs") or ":" in login or "/" in login):
        raise ValueError(
            "must not contain keys; set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or the "
            "equivalents of your provider"
        )
    if unexpected := re.search(r"[?#\s]", rest):
        raise ValueError(
            f"must not contain {unexpected[0]!r}; region and endpoint are AWS_REGION and"
            " AWS_ENDPOINT_URL"
        )
    return url.rstrip("/")


@dataclass(frozen=True)
class Settings:
    """Everything that can be set, as one value that is passed down."""

    database_url: str = _setting(
        "DATABASE_URL",
        "",
        "PostgreSQL or SQLite; unset: SQLite in the storage directory",
        _database_url,
        secret=True,
    )
    redis_url: str = _setting(
        "REDIS_URL",
        "",
        "Redis for the RQ queues; unset: workers are notified by PostgreSQL, and without it work"
        " runs embedded",
        _redis_url,
        secret=True,
    )
    storage_dir: Path = _setting(
        "STORAGE_DIR", Path("sites"), "Folder for the files of the sites", Path
    )
    storage_url: str = _setting(
        "STORAGE_URL",
        "",
        "Bucket for the files of all machines, such as s3://bucket/prefix, with STORAGE_DIR as "
        "its cache; unset: the files are only in STORAGE_DIR",
        _storage_url,
        secret=True,
    )
    storage_allow_http: bool = _setting(
        "AWS_ALLOW_HTTP", False, "Allow a bucket's endpoint without TLS", _flag
    )
    storage_cache_mb: int = _setting(
        "STORAGE_CACHE_MB",
        20_000,
        "Maximum size of the cache in STORAGE_DIR, in megabytes",
        _positive,
    )
    publish_dir: Path | None = _setting(
        "PUBLISH_DIR",
        None,
        "Where sites are published; unset: STORAGE_DIR/_published",
        Path,
    )
    publish_keep: int = _setting(
        "PUBLISH_KEEP", 3, "Number of published versions of a site to keep", _positive
    )
    static_site: bool = _setting(
        "STATIC_SITE",
        True,
        "Publish static pages along with the database of a site",
        _flag,
    )
    static_site_url: str = _setting(
        "STATIC_SITE_URL",
        "",
        "Address of published sites, as in https://example.org/{site}; unset: no sitemap, and "
        "canonical links point to PUBLIC_URL",
        static_site_address,
    )
    static_site_theme: Path | None = _setting(
        "STATIC_SITE_THEME",
        None,
        "Folder with templates that replace those of published sites",
        Path,
    )
    static_site_search_pages: int = _setting(
        "STATIC_SITE_SEARCH_PAGES",
        2_000,
        "With more pages than this, the search of a published site lists documents",
        _whole,
    )
    search_shards: int = _setting(
        "SEARCH_SHARDS",
        1,
        "Number of parts of the search index; one holds five to ten million pages",
        _positive,
    )
    default_ocr_backend: str = _setting(
        "DEFAULT_OCR_BACKEND",
        AUTO,
        "OCR engine of sites that name none; auto: the best one on this machine",
    )
    ocr_languages: tuple[str, ...] = _setting(
        "OCR_LANGUAGES", ("eng",), "Languages for OCR, as Tesseract codes: eng,spa", _some_words
    )
    tessdata_dir: Path | None = _setting(
        "TESSDATA_DIR", None, "Folder with additional *.traineddata files", Path
    )
    page_seconds: float = _setting(
        "PAGE_SECONDS", 120.0, "Time limit for reading one page, in seconds", _seconds
    )
    worker_memory_mb: int = _setting(
        "WORKER_MEMORY_MB",
        2048,
        "Memory limit of a worker process in megabytes (address space)",
        _positive,
    )
    page_megapixels: int = _setting(
        "PAGE_MEGAPIXELS", 40, "Maximum size of a rendered page in megapixels", _positive
    )
    max_document_mb: int = _setting(
        "MAX_DOCUMENT_MB", 150, "Larger documents are refused", _positive
    )
    max_document_pages: int = _setting(
        "MAX_DOCUMENT_PAGES", 5000, "Documents with more pages are refused", _positive
    )
    workers: int = _setting(
        "CLERK_WORKERS",
        0,
        "Number of worker processes of an embedded run; 0: one per core",
        _processes,
    )
    lease_seconds: float = _setting(
        "LEASE_SECONDS",
        12.0,
        "Seconds without a heartbeat after which a worker is considered dead",
        _seconds,
    )
    crash_detection_timeout: float = _setting(
        "CRASH_DETECTION_TIMEOUT",
        600.0,
        "Seconds after which a batch without a heartbeat is considered crashed",
        _seconds,
    )
    schedule: str = _setting(
        "SCHEDULE",
        "24h",
        "Schedule of sites that have none of their own: 24h, 06:30, mon,thu 06:30 UTC",
    )
    vendor_ceiling: tuple[str, ...] = _setting(
        "VENDOR_CEILING",
        (),
        "Maximum number of scheduled runs at once per fetcher: legistar=4,*=20; unset: no limit",
        _numbers,
    )
    stage_ceiling: tuple[str, ...] = _setting(
        "STAGE_CEILING",
        (),
        "Queue no due sites while a stage has more open work than this: ocr=5000; unset: no limit",
        _numbers,
    )
    notify_url: tuple[str, ...] = _setting(
        "NOTIFY_URL",
        (),
        "Where problems are reported: smtp, webhook, Slack or Discord URLs, separated by spaces",
        _notify_urls,
        secret=True,
    )
    notify_quiet: str = _setting(
        "NOTIFY_QUIET",
        "",
        "Time in which only critical problems are reported: 22:00-07:00 America/Chicago",
        _quiet_hours,
    )
    mail_url: str = _setting(
        "MAIL_URL",
        "",
        "Mail server for messages to readers: smtp://user:password@host:587/?from=clerk@example.org",
        _mail_url,
        secret=True,
    )
    follow_signup: str = _setting(
        "FOLLOW_SIGNUP",
        "open",
        "Who may follow by mail: open, invitation or off; needs MAIL_URL and PUBLIC_URL",
        _one_of("open", "invitation", "off"),
    )
    follow_digest: str = _setting(
        "FOLLOW_DIGEST",
        "07:00 UTC",
        "When daily and weekly messages are sent, weekly ones on Mondays: 07:00 America/Chicago",
        _time_of_day,
    )
    history_days: int = _setting(
        "HISTORY_DAYS", 90, "Days to keep runs; after that only daily totals are kept", _positive
    )
    audit_days: int = _setting(
        "AUDIT_DAYS", 730, "Days to keep entries of the audit log", _positive
    )
    plugins: tuple[str, ...] = _setting(
        "CLERK_PLUGINS",
        (),
        "Python modules with plugins, in addition to the installed ones",
        _words,
    )
    plugins_dir: Path | None = _setting(
        "CLERK_PLUGINS_DIR", None, "Folder of *.py files with plugins", Path
    )
    fetch_allow_private: bool = _setting(
        "FETCH_ALLOW_PRIVATE", False, "Allow fetching from private and loopback addresses", _flag
    )
    contact_url: str = _setting(
        "CONTACT_URL", "", "URL of a page about you, sent in the User-Agent of requests"
    )
    public_url: str = _setting(
        "PUBLIC_URL",
        "",
        "Address of the public site, as in https://minutes.example.org; unset: relative links",
        _public_url,
    )
    web_language: str = _setting(
        "WEB_LANGUAGE",
        "",
        "Language of the public pages, as in es; unset: the language of the browser",
        _language,
    )
    data_pages: bool = _setting(
        "DATA_PAGES", False, "Show the published databases in Datasette at /data", _flag
    )
    trusted_proxies: tuple[str, ...] = _setting(
        "TRUSTED_PROXIES",
        ("127.0.0.1", "::1"),
        "Proxies in front of clerk serve whose X-Forwarded-For is trusted",
        _networks,
    )
    web_connections: int = _setting(
        "WEB_CONNECTIONS", 1000, "Maximum number of open connections to clerk serve", _positive
    )
    web_connections_per_address: int = _setting(
        "WEB_CONNECTIONS_PER_ADDRESS",
        100,
        "Maximum number of open connections from one address, except trusted proxies",
        _positive,
    )
    log_format: str = _setting(
        "LOG_FORMAT", "auto", "json, text, or auto (text on a terminal)", _one_of(*LOG_FORMATS)
    )
    sentry_dsn: str = _setting("SENTRY_DSN", "", "Report errors to Sentry", secret=True)
    loki_url: str = _setting("LOKI_URL", "", "Send logs to Loki", _web_url, secret=True)
    #: Where each value that is not the default was set: name of the field -> "the environment".
    origins: Mapping[str, str] = field(default_factory=dict, repr=False, compare=False)

    @property
    def embedded(self) -> bool:
        """Whether commands do the work themselves where they can: there is no Redis.

        With PostgreSQL there may be workers all the same.
        """
        return not self.redis_url

    @property
    def uses_postgresql(self) -> bool:
        """Whether the database is PostgreSQL, which workers on many machines can share."""
        return self.database_url.startswith("postgresql")

    @property
    def queue_in_words(self) -> str:
        """How workers hear of work where there is no Redis."""
        if self.uses_postgresql:
            return "no Redis: PostgreSQL notifies the workers"
        return "no Redis: clerk run and clerk serve do the work"

    @property
    def published(self) -> Path:
        """The folder of published sites."""
        return self.publish_dir or self.storage_dir / "_published"

    @property
    def sql_url(self) -> str:
        """The database to use, with its driver named."""
        return self.database_url or _url_of_sqlite(str(self.storage_dir.absolute() / "clerk.db"))

    def origin(self, name: str) -> str:
        """Say where the value of a field comes from."""
        return self.origins.get(name, "the default")


def load(**flags: Any) -> Settings:
    """Build the settings from flags, the environment, ``.env`` and the defaults.

    A flag that is None counts as not given.  A value that cannot be used is refused by the name of
    its variable.  An empty variable is as good as none, and hides what ``.env`` says.
    """
    environment = tuple(map(os.environ.get, _variables()))
    given = tuple((name, value) for name, value in flags.items() if value is not None)
    return _built(environment, _version_of_dotenv(), given)


def current_sql_url() -> str:
    """Return the database of :func:`load`, at a tenth of its cost: each connection asks for it."""
    here = ""
    with contextlib.suppress(OSError):
        here = os.getcwd()  # noqa: PTH109 - asked for each document
    told = (os.environ.get("DATABASE_URL"), os.environ.get("STORAGE_DIR"))
    return _sql_url_of(told, _version_of_dotenv(), here)


@lru_cache(maxsize=16)
def _sql_url_of(_told: tuple[str | None, ...], _dotenv_version: tuple[int, ...], _here: str) -> str:
    return load().sql_url


@lru_cache(maxsize=16)
def _url_of_sqlite(file: str) -> str:
    from sqlalchemy import URL

    return URL.create("sqlite", database=file).render_as_string()


def _version_of_dotenv() -> tuple[int, ...]:
    with contextlib.suppress(OSError):
        seen = os.stat(".env")  # noqa: PTH116 - asked for each document
        return (seen.st_dev, seen.st_ino, seen.st_mtime_ns, seen.st_size)
    return ()


@lru_cache(maxsize=16)
def _built(
    environment: tuple[str | None, ...],
    _dotenv_version: tuple[int, ...],
    given: tuple[tuple[str, Any], ...],
) -> Settings:
    """Build the settings once for all who ask while nothing changes: many ask for each document."""
    told = dict(zip(_variables(), environment, strict=True))
    path, in_file = Path(".env"), dict[str, str | None]()
    if path.is_file():
        from dotenv import dotenv_values

        try:
            in_file = dotenv_values(path)
        except (UnicodeDecodeError, OSError) as error:
            raise BadSetting(
                f"The file {path.absolute()} cannot be read: {type(error).__name__}.",
                hint="Save it as UTF-8 and make it readable for clerk, or remove it.",
            ) from error
    sources = [("the environment", told), ("the file .env", in_file)]
    flags = dict(given)
    values: dict[str, Any] = dict(flags)
    origins = dict.fromkeys(flags, "a flag")
    for each in fields(Settings):
        if "variable" not in each.metadata or each.name in flags:
            continue
        for origin, source in sources:
            text = source.get(each.metadata["variable"])
            if text == "":
                break
            if text is not None:
                values[each.name], origins[each.name] = _parse(each.metadata, text), origin
                break
    settings = Settings(**values, origins=origins)
    if settings.lease_seconds > settings.crash_detection_timeout:
        raise BadSetting(
            f"LEASE_SECONDS ({settings.lease_seconds:g}) must not be more than"
            f" CRASH_DETECTION_TIMEOUT ({settings.crash_detection_timeout:g}).",
            hint="Lower LEASE_SECONDS or raise CRASH_DETECTION_TIMEOUT.",
        )
    return settings


@lru_cache(maxsize=1)
def _variables() -> tuple[str, ...]:
    named = (each.metadata.get("variable") for each in fields(Settings))
    return tuple(name for name in named if name)


def _parse(metadata: Mapping[str, Any], text: str) -> Any:
    try:
        return metadata["parse"](text)
    except ValueError as error:
        shown = redact(text) if metadata["secret"] else text
        raise BadSetting(
            f"{metadata['variable']} {error}, not {shown!r}.",
            hint=f"Correct or unset {metadata['variable']}: {metadata['help']}.",
        ) from None


def limit_library_threads() -> None:
    """Have number-crunching libraries loaded from now on, and programs started, use one thread."""
    for variable in ("OMP_THREAD_LIMIT", "OPENBLAS_NUM_THREADS"):
        os.environ.setdefault(variable, "1")


def work_embedded_in(storage_dir: Path) -> None:
    """Have this process and its children use a storage directory of its own and no server."""
    for variable in ("DATABASE_URL", "REDIS_URL", "PUBLISH_DIR"):
        os.environ[variable] = ""
    os.environ["STORAGE_DIR"] = str(storage_dir)


def use_plugins_of(folder: Path) -> None:
    """Have this process and its children find plugins in a folder."""
    os.environ["CLERK_PLUGINS_DIR"] = str(folder.absolute())


_SECRET_VARIABLE = re.compile(
    r"(?:^|_)(?:KEY|TOKEN|SECRET|PASSWORD|PASSWD|PASSPHRASE|CREDENTIALS?)(?:_|$)", re.IGNORECASE
)


def environment_secrets() -> tuple[str, ...]:
    """Return the values of variables that are named like secrets: plugins take their keys there."""
    return tuple(value for name, value in os.environ.items() if _SECRET_VARIABLE.search(name))


def environment_without_secrets() -> dict[str, str]:
    """Return the environment for a process that needs none of the secret settings."""
    secret = {each.metadata["variable"] for each in fields(Settings) if each.metadata.get("secret")}
    return {name: value for name, value in os.environ.items() if name not in secret}


def color_wanted() -> bool | None:
    """Honour NO_COLOR and FORCE_COLOR; None leaves it to the terminal."""
    if os.environ.get("NO_COLOR"):
        return False
    return True if os.environ.get("FORCE_COLOR") else None


def login_shell() -> str:
    """Return the name of the shell that a person types into, as in ``bash``; perhaps empty."""
    return Path(os.environ.get("SHELL", "")).name


def redact(url: str) -> str:
    """Return the URL with its password and query hidden, so that it may be shown.

    Everything before the last @ may be a password: people write them with any characters.  The
    driver, which clerk has added itself, is left out.
    """
    scheme, mark, rest = url.partition("://")
    if not mark:
        return "(hidden)" if "@" in url else url
    login, at, place = rest.rpartition("@")
    place, question, _ = place.partition("?")
    if not at:
        try:
            _check_port(url)
        except ValueError:
            return "(hidden)"
    # A login is shown without its password if it begins with what looks like a user.
    user, colon, _ = login.partition(":")
    is_user = user.replace("-", "_").replace(".", "_").isidentifier()
    if scheme in ("http", "https") or not is_user:
        login = "***" if login else ""
    else:
        login = f"{user}:***" if colon else user
    shown = scheme.removesuffix("+psycopg")
    return f"{shown}://{login}{at}{place}{question and '?***'}"
