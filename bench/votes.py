"""How well and how fast votes are found.

    CLERK_SHARED_DATA=/path/to/data python bench/votes.py
    python bench/votes.py --data /path/to/data --predictions predicted.jsonl

The data folder holds ``minutes/`` and ``labels/`` (``votes.jsonl`` and ``score.py``).  Speed is in
MB of text per second and core, beside a baseline on the same text in the same run: splitting it
into lines and searching each for one pattern.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from clerk.extract import extract_whole, vote_as_row

BARS = {"f1": 0.92, "result": 0.98, "names": 0.92, "mb_per_second": 1.0}
NAME_LISTS = ("ayes_exact", "noes_exact", "abstain_exact", "absent_exact")
BASELINE = re.compile(r"\b(?:ayes|noes|moved|seconded|carried|failed)\b", re.IGNORECASE)


def main() -> int:
    """Print the scores and the speed; the exit code says whether the bars are met."""
    options = arguments()
    if options.data is None or not (options.data / "labels" / "votes.jsonl").exists():
        print("No labelled minutes: set CLERK_SHARED_DATA or give --data. Nothing measured.")
        return 0
    gold = options.data / "labels" / "votes.jsonl"
    texts = labelled_texts(options.data, gold)
    predictions = options.predictions or Path(tempfile.gettempdir()) / "clerk-votes.jsonl"
    write_predictions(texts, predictions)
    score = scored(options.data / "labels" / "score.py", gold, predictions)
    invented = names_not_printed(texts, predictions)
    met = print_score(score, invented)
    return 0 if print_speed(list(texts.values())) and met else 1


def arguments() -> argparse.Namespace:
    """Return what was asked for on the command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    shared = os.environ.get("CLERK_SHARED_DATA")
    parser.add_argument("--data", type=Path, default=Path(shared) if shared else None)
    parser.add_argument("--predictions", type=Path, help="keep the predicted events here")
    return parser.parse_args()


def labelled_texts(data: Path, gold: Path) -> dict[str, str]:
    """Return the text of every labelled document, by its name in the labels."""
    names = {json.loads(line)["doc"] for line in gold.read_text("utf-8").splitlines() if line}
    return {name: (data / "minutes" / name).read_bytes().decode() for name in sorted(names)}


def write_predictions(texts: dict[str, str], path: Path) -> None:
    """Write the events that are found, one per line."""
    rows = [
        vote_as_row(name, vote)
        for name, text in texts.items()
        for vote in extract_whole(text).votes
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")


def scored(score: Path, gold: Path, predictions: Path) -> dict[str, object]:
    """Return what the labels' own scoring program says."""
    command = [sys.executable, str(score), str(gold), str(predictions)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    result: dict[str, object] = json.loads(done.stdout)
    return result


def names_not_printed(texts: dict[str, str], predictions: Path) -> int:
    """Count the predicted names that do not stand in their document."""
    missing = 0
    for line in predictions.read_text("utf-8").splitlines():
        row = json.loads(line)
        names = [row["mover"], row["seconder"]]
        names += [name for kind in ("ayes", "noes", "abstain", "absent") for name in row[kind]]
        text = " ".join(texts[row["doc"]].split())
        missing += sum(1 for name in names if name and name.split()[-1] not in text)
    return missing


def share(value: object) -> float:
    """Return ``17/18`` as a number; nothing to get right is all right."""
    right, _, of = str(value).partition("/")
    return int(right) / int(of) if int(of) else 1.0


def print_score(score: dict[str, object], invented: int) -> bool:
    """Print the scores beside their bars and return whether all are met."""
    for key, value in score.items():
        print(f"{key:20} {value}")
    lists = [str(score[key]).split("/") for key in NAME_LISTS]
    right, of = sum(int(pair[0]) for pair in lists), sum(int(pair[1]) for pair in lists)
    invented += int(str(score["invented_names"]))
    print(f"{'name lists exact':20} {right}/{of}")
    print(f"{'names not printed':20} {invented}")
    return (
        float(str(score["f1"])) >= BARS["f1"]
        and share(score["result"]) >= BARS["result"]
        and right >= BARS["names"] * of
        and invented == 0
    )


def print_speed(texts: list[str], seconds: float = 3.0) -> bool:
    """Print MB per second of one core beside the baseline and return whether the bar is met."""
    ours = rate(texts, seconds, lambda text: extract_whole(text))
    plain = rate(
        texts, seconds / 3, lambda text: [BASELINE.search(line) for line in text.splitlines()]
    )
    print(f"{'speed':20} {ours:.2f} MB/s per core (bar {BARS['mb_per_second']:.0f})")
    print(f"{'baseline':20} {plain:.1f} MB/s (lines and one pattern); ratio {ours / plain:.3f}")
    return ours >= BARS["mb_per_second"]


def rate(texts: list[str], seconds: float, work: Callable[[str], object]) -> float:
    """Return how many MB of text one core works through in a second of its time."""
    size, began = 0, time.process_time()
    while time.process_time() - began < seconds:
        for text in texts:
            work(text)
            size += len(text.encode())
    return size / 1e6 / (time.process_time() - began)


if __name__ == "__main__":
    sys.exit(main())
