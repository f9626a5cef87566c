"""The compose file names commands, options and settings that exist."""

from __future__ import annotations

import json
import os
import re
import subprocess
from collections.abc import Iterator
from dataclasses import fields
from ipaddress import ip_address, ip_network
from pathlib import Path
from typing import Any

import pytest
import yaml
from click.testing import CliRunner

from clerk.cli import cli
from clerk.core.config import Settings

DEPLOYMENT = Path(__file__).parents[2] / "deployment"
#: Read by the store itself.
OF_THE_STORE = {"AWS_ENDPOINT_URL", "AWS_REGION", "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"}


SETTINGS = {each.metadata["variable"] for each in fields(Settings) if "variable" in each.metadata}


def services() -> dict[str, Any]:
    return dict(yaml.safe_load((DEPLOYMENT / "compose.yaml").read_text())["services"])


def own() -> dict[str, Any]:
    return {name: each for name, each in services().items() if each["image"] == "clerk"}


def commands() -> Iterator[list[str]]:
    for service in own().values():
        if "entrypoint" not in service:
            yield service["command"]
        else:
            for line in re.findall(r"^\s*clerk (.+)$", service["command"][0], re.MULTILINE):
                yield line.split()


@pytest.mark.parametrize("command", list(commands()), ids=" ".join)
def test_a_command_exists_with_its_options(command: list[str]) -> None:
    name, *rest = command
    said = CliRunner().invoke(cli, [name, "--help"])
    assert said.exit_code == 0, said.output
    for option in (each for each in rest if each.startswith("-")):
        assert re.search(rf"(^|\s|,){re.escape(option)}\b", said.output), option


def test_settings_are_known() -> None:
    for service in own().values():
        assert set(service["environment"]) <= SETTINGS | OF_THE_STORE


def test_every_queue_is_served_and_every_password_must_be_set() -> None:
    served = {each[1] for each in commands() if each[0] == "worker"}
    assert served == {"fetch", "ocr", "compilation", "extraction", "deploy", "annotations"}
    asked = set(re.findall(r"\$\{(\w+)", (DEPLOYMENT / "compose.yaml").read_text()))
    offered = re.findall(
        r"^(\w+)=$", (DEPLOYMENT / "compose.env.example").read_text(), re.MULTILINE
    )
    assert asked == set(offered)


def test_readers_behind_a_proxy_on_the_machine_keep_their_own_addresses() -> None:
    _, _, default = services()["web"]["environment"]["TRUSTED_PROXIES"].partition(":-")
    trusted = [ip_network(each) for each in default.rstrip("}").split(",")]

    # Docker's first networks; what a container is reached from is their first address.
    assert any(ip_address("172.17.0.1") in network for network in trusted)
    assert any(ip_address("172.31.0.1") in network for network in trusted)
    assert not any(ip_address("203.0.113.7") in network for network in trusted)
    assert [port.partition(":")[0] for port in services()["web"]["ports"]] == ["127.0.0.1"]


def test_no_log_fills_the_disk() -> None:
    unlimited = [
        name for name, each in services().items() if "max-size" not in each["logging"]["options"]
    ]
    assert unlimited == []


def test_everything_that_systemd_runs_now_and_then_is_run() -> None:
    units = "".join(unit.read_text() for unit in (DEPLOYMENT / "systemd").glob("*.service"))
    timed = set(re.findall(r"^ExecStart=\S+/clerk (\S+(?: [a-z]+)?)", units, re.MULTILINE))
    assert "reconcile-pipeline" in timed
    run = {" ".join(each[:2]) for each in commands()}
    # The pages tell followers what is new all the time.
    assert "--no-worker" not in services()["web"]["command"]
    assert timed - run == {"worker", "follow run"}


def test_what_services_wait_for_and_store_in_exists() -> None:
    everything = yaml.safe_load((DEPLOYMENT / "compose.yaml").read_text())
    for service in everything["services"].values():
        assert set(service.get("depends_on", ())) <= set(everything["services"])
        for volume in service.get("volumes", ()):
            assert volume.partition(":")[0] in everything["volumes"]


def shell_scripts() -> dict[str, str]:
    """What services run by a shell, as it reaches the shell."""
    return {
        name: each["command"][0].replace("$$", "$")
        for name, each in services().items()
        if each.get("entrypoint") == ["/bin/sh", "-c"]
    }


@pytest.mark.parametrize("name", shell_scripts())
def test_a_shell_understands_what_it_is_given(name: str) -> None:
    checked = subprocess.run(
        ["sh", "-n"], input=shell_scripts()[name], capture_output=True, text=True
    )

    assert (checked.returncode, checked.stderr) == (0, "")


def test_the_store_lets_in_only_who_has_the_keys(tmp_path: Path) -> None:
    weed = tmp_path / "weed"
    weed.write_text("#!/bin/sh\necho $*\n")
    weed.chmod(0o755)
    keys = {"S3_KEY": "somebody", "S3_SECRET": "verysecret"}

    started = subprocess.run(
        ["sh", "-c", shell_scripts()["objects"].replace("/tmp/", f"{tmp_path}/")],
        env=keys | {"PATH": f"{tmp_path}:{os.environ['PATH']}"},
        capture_output=True,
        text=True,
    )

    assert f"-s3.config={tmp_path}/s3.json" in started.stdout.split()
    (identity,) = json.loads((tmp_path / "s3.json").read_text())["identities"]
    assert identity["credentials"] == [{"accessKey": "somebody", "secretKey": "verysecret"}]
    assert set(services()["objects"]["environment"]) == set(keys)


def test_the_guide_runs_commands_that_exist_in_services_that_exist() -> None:
    guide = (DEPLOYMENT.parent / "docs" / "howto" / "containers.md").read_text()
    to_a_service = r"^docker compose (?:run --rm|exec)(?: -T| -v \S+)* (\w+) (.+)$"
    ran = re.findall(to_a_service, guide, re.MULTILINE)

    assert {service for service, _ in ran} <= set(services())
    own_commands = [words.removeprefix("clerk ").split() for name, words in ran if name in own()]
    assert len(own_commands) >= 3
    for words in own_commands:
        named = [word for word in words[:2] if not word.startswith("-")]
        assert CliRunner().invoke(cli, [*named, "--help"]).exit_code == 0, words
        # The image has no client programs of PostgreSQL.
        assert named != ["db", "backup"]
