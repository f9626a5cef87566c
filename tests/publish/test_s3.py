"""Publishing to a bucket, with boto3 against a real server on this machine that speaks S3."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from small_sites import SITE, compile_folder, remove_text, write_text

from clerk.core.config import Settings
from clerk.core.errors import SourceUnavailable
from clerk.publish import publish
from clerk.publish.s3 import S3

boto3 = pytest.importorskip("boto3", reason="boto3 is not installed")
server = pytest.importorskip("moto.server", reason="moto[server] is not installed")

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")
COUNCIL = "minutes/CityCouncil/2024-01-15"


@pytest.fixture
def keys(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "somebody")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "secret")
    monkeypatch.setenv("AWS_DEFAULT_REGION", "us-east-1")
    monkeypatch.setenv("AWS_MAX_ATTEMPTS", "1")


@pytest.fixture
def endpoint(keys: None) -> Iterator[str]:
    served = server.ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    served.start()
    host, port = served.get_host_and_port()
    address = f"http://{host}:{port}"
    boto3.client("s3", endpoint_url=address).create_bucket(Bucket="minutes")
    yield address
    served.stop()


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(storage_dir=tmp_path / "sites")


def put(settings: Settings, target: str, text: str) -> list[str]:
    """Compile and publish a site of one page; the targets that took it."""
    folder = settings.storage_dir / "springfield"
    write_text(folder, COUNCIL, [text])
    compile_folder(folder, SITE)
    site = SITE | {"extra": {"deploy_to": target}}
    return publish(site, folder, settings, complete=True).targets


def objects(endpoint: str) -> dict[str, Any]:
    client = boto3.client("s3", endpoint_url=endpoint)
    listed = client.list_objects_v2(Bucket="minutes").get("Contents", ())
    return {each["Key"]: each for each in listed}


def read(endpoint: str, key: str) -> bytes:
    client = boto3.client("s3", endpoint_url=endpoint)
    return bytes(client.get_object(Bucket="minutes", Key=key)["Body"].read())


def test_a_bucket_serves_the_version_its_index_names(endpoint: str, settings: Settings) -> None:
    target = f"s3://minutes/public?endpoint={endpoint}"

    assert put(settings, target, "The council met.") == [target]
    assert put(settings, target, "The council met.") == []

    index = json.loads(read(endpoint, "public/springfield/index.json"))
    database = read(endpoint, f"public/springfield/{index['database']}")
    assert database == (settings.published / "springfield" / "meetings.db").read_bytes()


def test_a_bucket_keeps_the_versions_asked_for_and_forgets_older_ones(
    endpoint: str, settings: Settings
) -> None:
    target = f"s3://minutes/public?keep=2&endpoint={endpoint}"
    for text in ("one", "two", "three"):
        put(settings, target, text)

    databases = [key for key in objects(endpoint) if key.endswith("/meetings.db")]
    versions = {key.split("/")[2] for key in databases if key.count("/") == 3}
    index = json.loads(read(endpoint, "public/springfield/index.json"))
    assert len(versions) == 2
    assert index["version"] in versions


def test_a_bucket_that_does_not_exist_is_named_and_tried_again(
    endpoint: str, settings: Settings
) -> None:
    target = f"s3://minutes-2?endpoint={endpoint}"
    with pytest.raises(SourceUnavailable, match=r"s3://minutes-2.* refuses the files: .*bucket"):
        put(settings, target, "one")
    boto3.client("s3", endpoint_url=endpoint).create_bucket(Bucket="minutes-2")

    assert put(settings, target, "one") == [target]


def test_a_server_that_is_away_is_named(keys: None, settings: Settings) -> None:
    with pytest.raises(SourceUnavailable, match="Could not connect"):
        put(settings, "s3://minutes?endpoint=http://127.0.0.1:9", "one")


def test_missing_keys_are_named(
    endpoint: str, settings: Settings, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")

    with pytest.raises(SourceUnavailable, match="credentials"):
        put(settings, f"s3://minutes?endpoint={endpoint}", "one")


def test_a_bucket_has_the_pages_at_addresses_that_stay_and_gets_only_what_changed(
    endpoint: str, settings: Settings
) -> None:
    target = f"s3://minutes/public?endpoint={endpoint}"
    folder = settings.storage_dir / "springfield"
    write_text(folder, "minutes/Library/2023-05-02", ["Read"])
    put(settings, target, "The council met.")
    first = objects(endpoint)
    put(settings, target, "The council met again.")
    second = objects(endpoint)

    version = (settings.published / "springfield").resolve()
    for path in version.rglob("*"):
        if path.is_file() and path.name != "index.json":
            key = f"public/springfield/{path.relative_to(version).as_posix()}"
            assert read(endpoint, key) == path.read_bytes()
    unchanged = [key for key in first if second.get(key) == first[key]]
    assert any("/documents/" in key for key in unchanged)
    client = boto3.client("s3", endpoint_url=endpoint)
    home = client.head_object(Bucket="minutes", Key="public/springfield/index.html")
    assert home["ContentType"] == "text/html; charset=utf-8"

    remove_text(folder, COUNCIL)
    compile_folder(folder, SITE)
    gone = [key for key in objects(endpoint) if "/meetings/citycouncil" in key]
    assert gone
    site = SITE | {"extra": {"deploy_to": target}}
    publish(site, folder, settings, complete=True)
    assert not set(gone) & objects(endpoint).keys()


def test_a_page_that_a_killed_deploy_may_have_sent_is_sent_again(
    endpoint: str, settings: Settings
) -> None:
    target = f"s3://minutes/public?endpoint={endpoint}"
    put(settings, target, "one")
    client = boto3.client("s3", endpoint_url=endpoint)

    class Client:
        """Is killed when it has sent a page."""

        def __getattr__(self, name: str) -> Any:
            return getattr(client, name)

        def upload_file(self, path: str, bucket: str, key: str, **options: Any) -> None:
            client.upload_file(path, bucket, key, **options)
            if "/documents/" in key:
                raise KeyboardInterrupt

    folder = settings.storage_dir / "springfield"
    old = (settings.published / "springfield").resolve()
    write_text(folder, COUNCIL, ["two"])
    compile_folder(folder, SITE)
    publish(SITE, folder, settings, complete=True)
    new = (settings.published / "springfield").resolve()
    with pytest.raises(KeyboardInterrupt):
        S3(client=lambda _: Client()).deploy(new, "springfield", target)

    # Back to what the bucket had before.
    S3().deploy(old, "springfield", target)
    for path in old.rglob("*.html"):
        assert read(endpoint, f"public/springfield/{path.relative_to(old)}") == path.read_bytes()
