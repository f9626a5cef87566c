"""Measure how often votes with so many doubts are right, and write what confidences are made of.

    python tools/calibrate_votes.py --score labels/score.py --set labels/votes.jsonl minutes
    python tools/calibrate_votes.py --score labels/score.py --set A.jsonl texts \\
        --set B.jsonl texts --write src/clerk/extract/calibration.json

Each ``--set`` is a file of labelled events and the folder its documents are in.  For every field
the share of right readings is computed per number of doubts, drawn towards the share that was
measured on places nobody had read when the rules were written, and made to fall with every doubt
(isotonic regression).  The share of whole events is that of such places alone.  The printed check
leaves one place out at a time: its events get the confidence that the other places give them.
``--not-above`` names a table that was made with other labels: no field is then said to be surer.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import sys
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

from clerk.extract import VERSION
from clerk.extract.cues import document_text
from clerk.extract.findings import EVENT, FIELDS
from clerk.extract.votes import read_votes

#: More doubts than this are as bad as this many.
MOST_DOUBTS = 8
#: The share of right readings in 371 events of 156 places that nobody had read when the rules were
#: written; rules fit the places they were written for better than any other.
UNSEEN = {
    "mover": 0.97,
    "seconder": 0.98,
    "result": 0.96,
    "names": 0.88,
    "tally": 0.88,
    "motion": 0.9,
    "item": 0.7,
    EVENT: 0.74,
}
#: As many readings, right as often as those, are added to each number of doubts.
PRIOR = 10
#: Whole events, right and all of them, per number of doubts: the first reading of 1,289 events in
#: 533 places.  Whether a whole event is right is judged by them alone, not by labels that
#: the rules were written for.
UNSEEN_EVENTS = (
    *((238, 244), (225, 244), (236, 255), (132, 180), (94, 135)),
    *((37, 95), (15, 50), (10, 29), (19, 57)),
)
EVENT_PRIOR = 2
BINS = (0.95, 0.9, 0.8, 0.5, 0.0)


@dataclass(frozen=True)
class Sample:
    """One field of one reading: where it is from, how many doubts it has, whether it is right."""

    place: str
    field: str
    doubts: int
    right: bool


def main() -> int:
    """Fit the table, print the check, and write the table if asked to."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--score", type=Path, required=True, help="the labels' scoring program")
    parser.add_argument("--set", nargs=2, action="append", required=True, metavar=("GOLD", "TEXTS"))
    parser.add_argument("--optional", type=Path, action="append", default=[])
    parser.add_argument("--write", type=Path)
    parser.add_argument(
        "--not-above", type=Path, help="a table made before, with labels that are not at hand now"
    )
    options = parser.parse_args()
    spec = importlib.util.spec_from_file_location("score", options.score)
    assert spec is not None and spec.loader is not None
    score = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(score)
    optional = [event for path in options.optional for event in score.load(path)]
    samples = [
        sample
        for gold, texts in options.set
        for sample in read_samples(score, score.load(gold), Path(texts), optional)
    ]
    print_check(samples)
    if options.write:
        write_table(options.write, samples, options.not_above)
    return 0


def place_of(event: dict[str, Any]) -> str:
    """Return the place of a labelled event: as labelled, or the folder its document is in."""
    doc = Path(event["doc"])
    return str(event.get("place") or (doc.parts[-2] if len(doc.parts) > 1 else doc.stem))


def read_samples(
    score: ModuleType, gold: list[dict[str, Any]], texts: Path, optional: list[dict[str, Any]]
) -> Iterable[Sample]:
    """Yield every field of every reading of the labelled documents."""
    gold = [event for event in gold if event["doc"] not in score.PARTIAL]
    places = {event["doc"]: place_of(event) for event in gold}
    rows: list[dict[str, Any]] = []
    for name in sorted({event["doc"] for event in gold}):
        text = (texts / name).read_bytes().decode()
        for reading in read_votes(document_text(text.split("\f"))):
            vote = reading.vote
            row = {field: getattr(vote, field) for field in vote.__struct_fields__}
            rows.append({"doc": name, "doubts_of": reading.doubts, **row})
    pairs, extra = score.pair_up(gold, rows)
    for event, row in pairs:
        place, doubts = place_of(event), row["doubts_of"]
        right = not score.wrong_in(event, row) and not wrong_people(score, event, row)
        yield Sample(place, EVENT, doubts.level(EVENT), right)
        for field in FIELDS:
            if (
                field in doubts.of
                and (judged := field_is_right(score, field, event, row)) is not None
            ):
                yield Sample(place, field, doubts.level(field), judged)
    for row in extra:
        if not any(o["doc"] == row["doc"] and score.overlap(o, row) > 0 for o in optional):
            yield Sample(places[row["doc"]], EVENT, row["doubts_of"].level(EVENT), False)


def wrong_people(score: ModuleType, event: dict[str, Any], row: dict[str, Any]) -> bool:
    """Whether somebody is said to have voted who did not."""

    def voters(each: dict[str, Any]) -> set[str]:
        return {name for kind in score.LISTS for name in score.names(each.get(kind))}

    return bool(voters(row) - voters(event))


def field_is_right(
    score: ModuleType, field: str, event: dict[str, Any], row: dict[str, Any]
) -> bool | None:
    """Whether a field is as labelled; None if the labels do not say."""
    if field in ("mover", "seconder"):
        return bool(score.key(row[field]) == score.key(event[field]))
    if field == "result":
        return bool(row["result"] == event["result"])
    if field == "names":
        return all(score.names(row[kind]) == score.names(event[kind]) for kind in score.LISTS)
    if field == "tally":
        return bool(event["tally"]) and bool(score.same_tally(event, row))
    if field == "motion":
        return bool(score.same_motion(event, row)) if event.get("motion") else None
    item = event.get("item")
    if not item or not str(item)[0].isalnum() or len(str(item)) > 5:
        return None
    return str(row["item"] or "").rstrip(".") in (item, item.rpartition(".")[2])


def fitted(samples: Iterable[Sample]) -> dict[str, list[float]]:
    """Return the share of right readings per field and number of doubts, never rising."""
    counts: dict[str, list[list[int]]] = defaultdict(
        lambda: [[0, 0] for _ in range(MOST_DOUBTS + 1)]
    )
    for sample in samples:
        cell = counts[sample.field][min(sample.doubts, MOST_DOUBTS)]
        cell[0] += sample.right
        cell[1] += 1
    tables: dict[str, list[float]] = {}
    for field in (*FIELDS, EVENT):
        cells = counts[field] if field != EVENT else [list(each) for each in UNSEEN_EVENTS]
        # Pool neighbours until the shares fall with every doubt.
        blocks: list[list[float]] = []
        for right, of in cells:
            if blocks and not of:
                # Nothing is known of so many doubts: they are as bad as one less.
                blocks[-1][2] += 1
                continue
            added = EVENT_PRIOR if field == EVENT else PRIOR
            blocks.append([right + added * UNSEEN[field], of + added, 1])
            while len(blocks) > 1 and blocks[-2][0] / blocks[-2][1] < blocks[-1][0] / blocks[-1][1]:
                last = blocks.pop()
                blocks[-1] = [mine + other for mine, other in zip(blocks[-1], last, strict=True)]
        tables[field] = [
            round(right / of, 3) for right, of, levels in blocks for _ in range(int(levels))
        ]
    return tables


def print_check(samples: list[Sample]) -> None:
    """Print, per field, how often readings of a place are right that others rate so high."""
    judged: dict[str, list[tuple[float, bool]]] = defaultdict(list)
    for place in sorted({sample.place for sample in samples}):
        table = fitted(sample for sample in samples if sample.place != place)
        for sample in samples:
            if sample.place == place:
                sure = table[sample.field][min(sample.doubts, MOST_DOUBTS)]
                judged[sample.field].append((sure, sample.right))
    print(f"{len({sample.place for sample in samples})} places; one left out at a time")
    for field in (EVENT, *FIELDS):
        line = []
        above = 2.0
        for edge in BINS:
            inside = [right for sure, right in judged[field] if edge <= sure < above]
            line.append(f">= {edge:.2f}: {sum(inside)}/{len(inside)}")
            above = edge
        print(f"{field:9} {'   '.join(line)}")


def write_table(path: Path, samples: list[Sample], not_above: Path | None) -> None:
    """Write the table with how it was made; no share of a field is above that of an earlier one."""
    right = fitted(samples)
    if not_above is not None:
        before = json.loads(not_above.read_text("utf-8"))["right"]
        for field in FIELDS:
            pairs = zip(right[field], before[field], strict=True)
            right[field] = [min(now, then) for now, then in pairs]
    made = {
        "by": "tools/calibrate_votes.py",
        "extractor_version": VERSION,
        "events": sum(sample.field == EVENT for sample in samples),
        "places": len({sample.place for sample in samples}),
        "prior_observations": PRIOR,
        "first_readings": sum(of for _, of in UNSEEN_EVENTS),
    }
    table = {"made": made, "right": right}
    path.write_text(json.dumps(table, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    sys.exit(main())
