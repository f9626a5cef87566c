"""``clerk demo``: what a newcomer sees first."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path


def clerk(*words: str, storage_dir: str = "") -> subprocess.CompletedProcess[str]:
    """Run a command in a process of its own: the demo changes its environment."""
    environment = {"PATH": "/usr/bin:/bin", "STORAGE_DIR": storage_dir}
    return subprocess.run(
        [sys.executable, "-m", "clerk", *words], env=environment, capture_output=True, text=True
    )


def test_the_demo_tells_what_it_did_what_failed_and_what_to_try(tmp_path: Path) -> None:
    said = clerk("demo")

    assert said.returncode == 0
    for word in ("fetched", "read", "compiled", "extracted", "published", "failed"):
        assert f"\n  {word} " in said.stdout
    assert "UnreadablePdf" in said.stdout
    assert "damaged on purpose" in said.stdout
    phrase = said.stdout.partition('search "')[2].partition('"')[0]
    assert phrase in clerk("search", phrase, storage_dir="demo/sites").stdout.replace("*", "")

    (home,) = [line.strip() for line in said.stdout.splitlines() if line.endswith("/index.html")]
    assert "Millbrook Falls" in (tmp_path / home).read_text()
    assert (tmp_path / home).with_name("pagefind").is_dir()

    (tmp_path / "demo" / "sites" / "springfield").mkdir()
    again = clerk("demo", "--fresh")

    assert "contains other sites (springfield), so nothing is removed" in again.stderr
    assert "nothing new; 14 of 15 documents" in again.stdout


def test_a_demo_where_nothing_can_be_written_says_so(tmp_path: Path) -> None:
    (tmp_path / "demo").write_text("")

    said = clerk("demo")

    assert said.returncode in (2, 3)
    assert "Traceback" not in said.stderr
