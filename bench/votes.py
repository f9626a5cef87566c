"""How well and how fast votes are found.

    python -m bench.votes [--data FOLDER] [--predictions predicted.jsonl]

The data folder holds ``minutes/`` and ``labels/`` (``votes.jsonl``, ``votes2.jsonl`` and
``score.py``); by default it is ``../shared/data`` or what CLERK_SHARED_DATA names.  Each file of
labels is scored by itself.  Without the folder only the speed is measured, on the sample documents.
Speed is in MB of text per second and core, compared with a baseline on the same text in the same
run: splitting it into lines and searching each for one pattern.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from bench import options
from clerk import samples
from clerk.extract import extract_whole, vote_as_row
from clerk.extract.text import plain

BARS = {
    "f1": 0.95,
    "result": 0.98,
    "names": 0.95,
    "tally": 0.95,
    "motion": 0.9,
    "whole": 0.9,
    "calibration": 0.97,
    "mb_per_second": 1.0,
}
#: Files of labels, and of events that are neither right nor wrong.
LABELS = (("votes.jsonl", None), ("votes2.jsonl", "optional2.jsonl"))
NAME_LISTS = ("ayes_exact", "noes_exact", "abstain_exact", "absent_exact")
BASELINE = re.compile(r"\b(?:ayes|noes|moved|seconded|carried|failed)\b", re.IGNORECASE)


def main() -> int:
    """Print the scores and the speed; the exit code says whether the bars are met."""
    parser = options.parser("votes", __doc__)
    parser.add_argument("--data", type=Path, default=options.shared_data())
    parser.add_argument("--predictions", type=Path, help="write the predicted events to this file")
    asked: argparse.Namespace = parser.parse_args()
    if asked.tiny or asked.data is None or not (asked.data / "labels" / "votes.jsonl").exists():
        print("No labelled minutes: only the speed is measured, on the sample documents.")
        with tempfile.TemporaryDirectory() as folder:
            written = samples.write_samples(Path(folder))
        texts = ["\n".join(sample.pages) for sample in written if sample.kind == "minutes"]
        met = print_speed(texts, 0.1 if asked.tiny else 3.0)
        return options.exit_code(tiny=asked.tiny, bars_met=met)
    labels = asked.data / "labels"
    met, labelled = True, dict[str, str]()
    with tempfile.TemporaryDirectory() as folder:
        predictions = asked.predictions or Path(folder) / "votes.jsonl"
        for name, optional in LABELS:
            gold = labels / name
            if not gold.exists():
                continue
            print(f"-- {name}")
            labelled = labelled_texts(asked.data, gold)
            write_predictions(labelled, predictions)
            score = scored(
                labels / "score.py", gold, predictions, labels / optional if optional else None
            )
            met = print_score(score, names_not_printed(labelled, predictions)) and met
    is_fast = print_speed(list(labelled.values()), 3.0)
    return options.exit_code(tiny=False, bars_met=met and is_fast)


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


def scored(
    score: Path, gold: Path, predictions: Path, optional: Path | None = None
) -> dict[str, object]:
    """Return what the labels' own scoring program says."""
    command = [sys.executable, str(score), str(gold), str(predictions)]
    if optional is not None and optional.exists():
        command += ["--optional", str(optional)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    result: dict[str, object] = json.loads(done.stdout)
    return result


def names_not_printed(texts: dict[str, str], predictions: Path) -> int:
    """Count the predicted names that do not occur in their document."""
    missing = 0
    for line in predictions.read_text("utf-8").splitlines():
        row = json.loads(line)
        names = [row["mover"], row["seconder"]]
        names += [name for kind in ("ayes", "noes", "abstain", "absent") for name in row[kind]]
        text = " ".join(plain(texts[row["doc"]]).split())
        missing += sum(1 for name in names if name and name.split()[-1] not in text)
    return missing


def share(value: object) -> float:
    """Return ``17/18`` as a number; ``0/0`` is 1."""
    right, _, of = str(value).partition("/")
    return int(right) / int(of) if int(of) else 1.0


def print_score(score: dict[str, object], invented: int) -> bool:
    """Print the scores and return whether all bars are met."""
    for key, value in score.items():
        print(f"{key:20} {value}")
    lists = [str(score[key]).split("/") for key in NAME_LISTS]
    right, of = sum(int(pair[0]) for pair in lists), sum(int(pair[1]) for pair in lists)
    invented += int(str(score["invented_names"]))
    print(f"{'name lists exact':20} {right}/{of}")
    print(f"{'names not printed':20} {invented}")
    shares = ("result", "tally", "motion", "whole", "calibration")
    return (
        float(str(score["f1"])) >= BARS["f1"]
        and all(share(score[key]) >= BARS[key] for key in shares)
        and right >= BARS["names"] * of
        and invented == score["wrong_names"] == score["swapped"] == 0
    )


def print_speed(texts: list[str], seconds: float) -> bool:
    """Print MB per second of one core and of the baseline; return whether the bar is met."""
    ours = rate(texts, seconds, lambda text: extract_whole(text))
    plain = rate(
        texts, seconds / 3, lambda text: [BASELINE.search(line) for line in text.splitlines()]
    )
    print(f"{'speed':20} {ours:.2f} MB/s per core (bar {BARS['mb_per_second']:.0f})")
    print(f"{'baseline':20} {plain:.1f} MB/s (lines and one pattern); ratio {ours / plain:.3f}")
    return ours >= BARS["mb_per_second"]


def rate(texts: list[str], seconds: float, work: Callable[[str], object]) -> float:
    """Return how many MB of text one core processes per second of processor time."""
    size, began = 0, time.process_time()
    while time.process_time() - began < seconds:
        for text in texts:
            work(text)
            size += len(text.encode())
    return size / 1e6 / (time.process_time() - began)


if __name__ == "__main__":
    sys.exit(main())
