"""The checks of this machine."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from guide import clerk


def test_doctor_names_the_fix(storage: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OCR_LANGUAGES", "eng,tlh")

    ran = clerk("doctor", "--json")

    ocr = next(check for check in json.loads(ran.output) if check["name"] == "ocr")
    assert (ran.exit_code, ocr["level"]) == (1, "CRITICAL")
    assert "TESSDATA_DIR" in ocr["mend"]
