"""Take the screenshots of README.md: ``python -m tools.make_screenshots``.

They show the sites of ``make demo``, served on this machine, in Chromium.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from PIL import Image
from playwright.sync_api import sync_playwright

ROOT = Path(__file__).parents[1]
IMAGES = ROOT / "docs" / "images"
SIZE = {"width": 1280, "height": 860}
CHROMIUM = ("chromium", "chromium-browser", "google-chrome")


def addresses(server: subprocess.Popen[str]) -> tuple[str, str]:
    """Return the address of the pages and a login link, as the server prints them."""
    assert server.stdout is not None
    said = ""
    for line in server.stdout:
        said += line
        found = re.search(r"Search: +(\S+/)\s.*Operators: +(\S+)\n", said, re.DOTALL)
        if found:
            return found[1], found[2]
    sys.exit(f"clerk serve did not start:\n{said}")


def take(public: str, login: str) -> None:
    """Open the pages and save what they look like."""
    installed = next(filter(None, map(shutil.which, CHROMIUM)), None)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=installed, args=["--no-sandbox"])
        for name, scheme in (("search-dark", "dark"), ("page", "light"), ("overview", "light")):
            page = browser.new_context(viewport=SIZE, color_scheme=scheme).new_page()
            page.set_default_timeout(120_000)
            if name == "search-dark":
                page.goto(f"{public}search?q=budget")
            elif name == "page":
                page.goto(f"{public}search?q=%22copper+heron%22")
                page.locator("main a[href*='/p/']").first.click()
            else:
                page.goto(login)
                page.locator("main form button").first.click()
                page.wait_for_selector("h1:has-text('Overview')")
            page.wait_for_load_state("load")
            page.wait_for_timeout(1500)  # for images and charts
            file = IMAGES / f"{name}.png"
            page.screenshot(path=file)
            Image.open(file).convert("RGB").quantize(128).save(file, optimize=True)
        browser.close()


def main() -> None:
    """Serve the demo and take the screenshots."""
    storage = ROOT / "demo" / "sites"
    if not storage.is_dir():
        sys.exit("There is no demo yet: make demo")
    with subprocess.Popen(
        [sys.executable, "-m", "clerk", "serve", "--port", "0", "--no-worker"],
        cwd=ROOT,
        env={**os.environ, "STORAGE_DIR": str(storage)},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    ) as server:
        try:
            take(*addresses(server))
        finally:
            server.terminate()


if __name__ == "__main__":
    main()
