"""Two projects compared."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from small_uploads import line, upload, write

from clerk.annotations.comparing import compare

pytestmark = pytest.mark.usefixtures("database")


def test_precision_recall_and_differences_are_counted_by_label(
    tmp_path: Path, clerk: Callable[..., Any]
) -> None:
    word, person = line(1)["denotations"]
    moved = person | {"span": {"begin": 10, "end": 14}}
    upload(write(tmp_path / "a.jsonl", [line(1), line(2)]), project="gold")
    found = [line(1), line(2, denotations=[word, moved], relations=[], attributes=[]), line(3)]
    upload(write(tmp_path / "b.jsonl", found), project="ours")

    done = compare("gold", "ours")

    assert (done.total.both, done.total.only_first, done.total.only_second) == (3, 1, 1)
    assert (done.total.recall, done.by_label["Word"].recall) == (0.75, 1.0)
    assert done.total.precision == done.total.agreement == 0.75
    assert [(each.sign, each.sourceid, each.quote) for each in done.differences] == [
        ("-", "2", "clerk"),
        ("+", "2", "read"),
    ]
    assert done.documents_only_second == 1
    shown = clerk("annotations", "compare", "gold", "ours", "--by", "label").out
    assert "Person" in shown and "75.0 %" in shown and "Not compared: 1 document" in shown
    said = json.loads(clerk("annotations", "compare", "gold", "gold", "--json").out)
    assert said["total"]["agreement"] == 1.0 and said["differences"] == []
