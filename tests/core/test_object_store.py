"""The store, in a folder and in a bucket of a real server on this machine that speaks S3."""

from __future__ import annotations

import functools
import hashlib
import os
import traceback
from collections.abc import Callable
from pathlib import Path

import pytest

from clerk.core import config, store
from clerk.core.errors import (
    BadSetting,
    ObjectDamaged,
    ObjectMissing,
    StorageUnusable,
    StoreUnavailable,
    WrongInstallation,
)
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


def in_own_process(test: Callable[..., None]) -> Callable[..., None]:
    """Run a test in a child: who has used a store must not fork others that do."""

    @functools.wraps(test)
    def run(*args: object, **kwargs: object) -> None:
        child = os.fork()
        if not child:
            try:
                test(*args, **kwargs)
            except BaseException:  # noqa: BLE001 - it is told to the parent
                traceback.print_exc()
                os._exit(1)
            os._exit(0)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0

    return run


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

    with pytest.raises(ObjectMissing, match=f"{url}/pdf/{SHA256} is not there"):
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


@pytest.mark.parametrize(
    "url",
    ["nonsense", "s4://bucket", "s3://", "s3:///", "file://relative", "https://x", "s3://a:b@c/d"],
)
def test_an_address_that_cannot_work_is_refused(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STORAGE_URL", url)

    with pytest.raises(BadSetting, match="STORAGE_URL must"):
        config.load()


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
