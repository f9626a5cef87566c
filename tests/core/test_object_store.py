"""The store, in a folder and in a bucket of a real server on this machine that speaks S3."""

from __future__ import annotations

import hashlib
import json
import os
import resource
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
from object_server import Failure, ObjectServer
from small_work import in_own_process

from clerk.core import config, store
from clerk.core.errors import (
    BadSetting,
    ObjectDamaged,
    ObjectMissing,
    StorageUnusable,
    StoreUnavailable,
    WrongInstallation,
)
from clerk.core.files import SiteFiles
from clerk.core.storage import Document
from clerk.core.store import PDF, TEXT, Store

pytest.importorskip("boto3", reason="boto3 is not installed")
pytest.importorskip("moto.server", reason="moto[server] is not installed")

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")
CONTENT = b"%PDF-1.7 minutes of the council"
SHA256 = hashlib.sha256(CONTENT).hexdigest()


@pytest.fixture(autouse=True)
def no_second_tries(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store, "RETRIES", 0)


def open_store(url: str) -> Store:
    settings = config.load(storage_url=url)
    return Store(settings.storage_url, allow_http=settings.storage_allow_http)


@pytest.fixture(params=["file", "s3"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    if request.param == "file":
        (tmp_path / "store").mkdir()
        return f"file://{tmp_path}/store"
    return str(request.getfixturevalue("s3"))


@in_own_process
def test_an_object_comes_back_as_it_was_put(url: str, tmp_path: Path) -> None:
    there = open_store(url)
    pdf = tmp_path / "a.pdf"
    pdf.write_bytes(CONTENT)

    there.put(PDF, SHA256, pdf)
    there.put(PDF, SHA256, pdf)
    there.put(TEXT, SHA256, CONTENT)

    there.get_into(PDF, SHA256, tmp_path / "below" / "b.pdf")
    assert (tmp_path / "below" / "b.pdf").read_bytes() == CONTENT
    assert there.get(TEXT, SHA256) == CONTENT
    assert there.exists(PDF, SHA256)
    assert [each.key for each in there.listing(PDF)] == [f"pdf/{SHA256}"]
    there.delete([f"pdf/{SHA256}", f"pdf/{'0' * 64}"])
    assert not there.exists(PDF, SHA256)


@in_own_process
def test_an_object_is_never_overwritten(url: str, tmp_path: Path) -> None:
    there = open_store(url)
    there.put(PDF, SHA256, CONTENT)

    there.put(PDF, SHA256, b"something else")

    assert there.get(PDF, SHA256) == CONTENT


@in_own_process
def test_a_missing_object_is_named(url: str, tmp_path: Path) -> None:
    there = open_store(url)

    with pytest.raises(ObjectMissing, match=f"{url}/pdf/{SHA256} does not exist"):
        there.get_into(PDF, SHA256, tmp_path / "a.pdf")
    assert not (tmp_path / "a.pdf").exists()


@pytest.mark.parametrize("kind", [PDF, TEXT])
@in_own_process
def test_a_damaged_object_is_refused(url: str, tmp_path: Path, kind: str) -> None:
    there = open_store(url)
    damaged = hashlib.sha256(b"as it was").hexdigest()
    there.put(kind, damaged, b"as it is not")

    with pytest.raises(ObjectDamaged, match=damaged):
        there.get(kind, damaged)
    if kind == PDF:
        with pytest.raises(ObjectDamaged, match=damaged):
            there.get_into(kind, damaged, tmp_path / "a.pdf")
        assert list(tmp_path.glob("a.pdf")) == []


@in_own_process
def test_a_store_belongs_to_one_installation(url: str) -> None:
    there = open_store(url)
    assert there.installation() is None

    there.claim_for("ours")
    there.claim_for("ours")

    with pytest.raises(WrongInstallation, match="belongs to the installation ours"):
        open_store(url).claim_for("theirs")


@pytest.mark.parametrize(
    ("variable", "value", "said"),
    [
        ("AWS_ENDPOINT_URL", "http://127.0.0.1:9", "does not answer"),
        ("AWS_ALLOW_HTTP", "", "not https"),
    ],
)
@in_own_process
def test_a_bucket_out_of_reach_is_the_operators_problem(
    s3: str, variable: str, value: str, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(variable, value)

    with pytest.raises(StoreUnavailable, match=said) as raised:
        open_store(s3).put(PDF, SHA256, CONTENT)

    assert isinstance(raised.value, StorageUnusable)
    assert "very-secret-key" not in f"{raised.value} {raised.value.hint}"


@pytest.mark.parametrize("act", ["get", "put"])
@in_own_process
def test_a_bucket_that_does_not_exist_is_said_to(s3: str, act: str) -> None:
    there = open_store("s3://no-such-bucket-here/x")

    with pytest.raises(StoreUnavailable, match="no such bucket"):
        there.get(PDF, SHA256) if act == "get" else there.put(PDF, SHA256, CONTENT)


@in_own_process
def test_a_folder_that_is_not_mounted_is_said_to(tmp_path: Path) -> None:
    with pytest.raises(StoreUnavailable, match="no such folder"):
        open_store(f"file://{tmp_path}/nowhere").put(PDF, SHA256, CONTENT)


# ----------------------------------------------------------------------- what can go wrong


@pytest.fixture
def server() -> Iterator[ObjectServer]:
    served = ObjectServer()
    yield served
    served.close()


def use_provider(
    provider: str, server: ObjectServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> str:
    """Have this server be a provider's; return the address of a bucket there."""
    account = tmp_path / "account.json"
    account.write_text(
        json.dumps(
            {
                "gcs_base_url": server.url,
                "disable_oauth": True,
                "client_email": "",
                "private_key": "very-secret-key",
                "private_key_id": "",
            }
        )
    )
    for name, value in {
        "AWS_ALLOW_HTTP": "true",
        "AWS_ACCESS_KEY_ID": "somebody",
        "AWS_SECRET_ACCESS_KEY": "very-secret-key",
        "AWS_REGION": "us-east-1",
        "AWS_ENDPOINT_URL": server.url,
        "AZURE_STORAGE_ENDPOINT": server.url,
        "AZURE_STORAGE_ACCOUNT_NAME": "somebody",
        "AZURE_STORAGE_ACCOUNT_KEY": "dmVyeS1zZWNyZXQta2V5",
        "GOOGLE_SERVICE_ACCOUNT": str(account),
    }.items():
        monkeypatch.setenv(name, value)
    return f"{provider}://bucket/towns"


@pytest.mark.parametrize("provider", ["s3", "gs", "az"])
def test_every_provider_keeps_objects_below_the_prefix_and_takes_them_once(
    provider: str, server: ObjectServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    url = use_provider(provider, server, tmp_path, monkeypatch)

    @in_own_process
    def use() -> None:
        there = open_store(url)
        there.claim_for("ours")
        there.put(PDF, SHA256, CONTENT)
        there.put(PDF, SHA256, b"something else")
        assert there.get(PDF, SHA256) == CONTENT
        assert not there.exists(TEXT, SHA256)
        with pytest.raises(ObjectMissing):
            there.get(TEXT, SHA256)

    use()
    assert server.objects["/bucket/towns/pdf/" + SHA256] == CONTENT
    assert sorted(server.objects)[0] == "/bucket/towns/installation.json"


REFUSED = ("access was refused", "Correct AWS_ACCESS_KEY_ID")
TROUBLES = {
    "wrong key": ("s3", 403, "InvalidAccessKeyId", *REFUSED),
    "wrong secret": ("s3", 403, "SignatureDoesNotMatch", *REFUSED),
    "not allowed": ("s3", 403, "AccessDenied", *REFUSED),
    "wrong region": ("s3", 400, "AuthorizationHeaderMalformed", "another region", "AWS_REGION"),
    "moved": ("s3", 301, "PermanentRedirect", "another region", "AWS_REGION"),
    "full": ("s3", 507, "XMinioStorageFull", "it is full", "Free space"),
    "over quota": ("s3", 403, "QuotaExceeded", "it is full", "Free space"),
    "broken": ("s3", 500, "InternalError", "it answered 500", "AWS_ENDPOINT_URL"),
    "overloaded": ("s3", 503, "SlowDown", "it answered 503", "AWS_ENDPOINT_URL"),
    "azure, wrong key": ("az", 403, "AuthenticationFailed", "refused", "AZURE_STORAGE_ACCOUNT_KEY"),
    "azure, nothing there": ("az", 404, "ContainerNotFound", "no such bucket", "Create the bucket"),
    "azure, broken": ("az", 500, "InternalError", "it answered 500", "AZURE_STORAGE_ENDPOINT"),
    "google, refused": ("gs", 403, "AccessDenied", "access was refused", "GOOGLE_SERVICE_ACCOUNT"),
    "google, no bucket": ("gs", 404, "NoSuchBucket", "no such bucket", "Create the bucket"),
}


@pytest.mark.parametrize("trouble", TROUBLES.values(), ids=TROUBLES)
def test_what_a_server_refuses_is_said_in_a_sentence_with_the_next_step(
    trouble: tuple[str, int, str, str, str],
    server: ObjectServer,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    provider, status, code, said, hint = trouble
    url = use_provider(provider, server, tmp_path, monkeypatch)
    server.fault = lambda method, path: Failure(status, code)

    @in_own_process
    def use() -> None:
        for act in (
            lambda there: there.put(PDF, SHA256, CONTENT),
            lambda there: there.get(PDF, SHA256),
            lambda there: there.claim_for("ours"),
        ):
            with pytest.raises(StoreUnavailable, match=said) as raised:
                act(open_store(url))
            told = f"{raised.value} {raised.value.hint}"
            assert hint in told and url in told
            assert told.count(". ") == 1 or "resumes by itself" in told
            assert "very-secret-key" not in told and "dmVyeS1zZWNyZXQta2V5" not in told

    use()


@pytest.mark.parametrize(
    ("variable", "value", "url", "hint"),
    [
        ("GOOGLE_SERVICE_ACCOUNT", "/nowhere.json", "gs://bucket/x", "GOOGLE_SERVICE_ACCOUNT"),
        ("AZURE_STORAGE_ACCOUNT_NAME", None, "az://bucket/x", "AZURE_STORAGE_ACCOUNT_NAME"),
    ],
)
def test_keys_that_are_not_there_are_named(
    variable: str,
    value: str | None,
    url: str,
    hint: str,
    server: ObjectServer,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    use_provider("s3", server, tmp_path, monkeypatch)
    if value is None:
        monkeypatch.delenv(variable)
    else:
        monkeypatch.setenv(variable, value)

    @in_own_process
    def use() -> None:
        with pytest.raises(StoreUnavailable, match="access was refused") as raised:
            open_store(url).put(PDF, SHA256, CONTENT)
        assert hint in raised.value.hint

    use()


@in_own_process
def test_a_full_disk_below_the_cache_is_the_operators_problem(tmp_path: Path) -> None:
    document = Document("minutes", "Council", "2024-01-15")
    (tmp_path / "store").mkdir()
    settings = config.load(storage_url=f"file://{tmp_path}/store", storage_dir=tmp_path / "here")
    files = SiteFiles(settings, "springfield")
    files.store.put(PDF, SHA256, CONTENT * 10_000)  # type: ignore[union-attr]
    damaged = tmp_path / "here" / "_clerk" / "cache.db"
    damaged.parent.mkdir(parents=True)
    damaged.write_bytes(b"not a database, though it was one once" * 100)
    big = hashlib.sha256(CONTENT * 10_000).hexdigest()
    files.store.put(PDF, big, CONTENT * 10_000)  # type: ignore[union-attr]
    with files.pdf(document, big) as path:
        assert path.read_bytes() == CONTENT * 10_000, "a damaged list of files is made again"

    path.unlink()
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))
    with (
        pytest.raises(StorageUnusable, match="cannot be written to") as raised,
        files.pdf(document, big),
    ):
        pass
    assert "Free some space" in raised.value.hint
    assert not path.exists()


@pytest.mark.parametrize(
    "url", ["s3://b", "s3://b/p", "gs://b/p", "az://b/p", "abfss://b@a.dfs.core.windows.net/p"]
)
def test_addresses_of_all_providers_are_accepted(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STORAGE_URL", url)

    assert config.load().storage_url == url


@pytest.mark.parametrize(
    "url",
    [
        "nonsense",
        "s4://bucket",
        "s3://",
        "s3:///",
        "file://relative",
        "https://x",
        "s3://a:very-secret-key@c/d",
        "s3://bucket/prefix?key=very-secret-key",
        "s3://my bucket",
    ],
)
def test_an_address_that_cannot_work_is_refused(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STORAGE_URL", url)

    with pytest.raises(BadSetting, match="STORAGE_URL must") as raised:
        config.load()

    assert "very-secret-key" not in f"{raised.value} {raised.value.hint}"


@in_own_process
def test_a_child_of_a_process_that_has_used_a_store_says_so_instead_of_hanging(s3: str) -> None:
    open_store(s3).put(PDF, SHA256, CONTENT)
    child = os.fork()
    if not child:
        try:
            open_store(s3).get(PDF, SHA256)
        except RuntimeError:
            os._exit(7)
        os._exit(0)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
