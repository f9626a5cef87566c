"""How fast annotations are checked, split and aligned, compared with the bare tools.

    python -m bench.annotations [--denotations 1000000] [--characters 300000] [--write FILE]

Decoding: bare msgspec into the same structs, then with every check, over a generated collection
of denotations with as many attributes and a relation for every fourth; one core.  Alignment: a
text against itself with 1 % edits, compared with edlib's path on the same pair, and alone for
shorter and longer texts, to see how the time grows with the length.  Rounds of the compared ways
alternate and the best of each counts, in processor time; only ratios mean anything. ``--write``
writes the collection and measures nothing.
"""

from __future__ import annotations

import json
import random
import resource
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import msgspec

from bench import options
from clerk.annotations import align, decode, decode_batch, receive, split
from clerk.annotations.objects import CheckedObject
from clerk.annotations.store import denotation_rows

PER_DOCUMENT = 25
WORDS_PER_DOCUMENT = 220
SAMPLE_LINES = 4000


def vocabulary(seed: int = 1, size: int = 4000) -> list[str]:
    """Return made-up words, the same for the same seed."""
    dice = random.Random(seed)
    return [
        "".join(dice.choices("etaoinshrdlucmfwygpb", k=dice.randint(2, 11))) for _ in range(size)
    ]


def collection(denotations: int, seed: int = 1) -> Iterator[bytes]:
    """Give the lines of a collection with that many denotations; the same for the same seed."""
    dice = random.Random(seed)
    words = vocabulary(seed)
    for number in range(0, denotations, PER_DOCUMENT):
        text = " ".join(dice.choices(words, k=WORDS_PER_DOCUMENT))
        yield _line(number // PER_DOCUMENT, text, min(PER_DOCUMENT, denotations - number), dice)


def _line(page: int, text: str, size: int, dice: random.Random) -> bytes:
    begins = sorted(dice.sample(range(len(text) - 12), size))
    value = {
        "sourcedb": "bench",
        "sourceid": f"minutes/CityCouncil/2024-01-15/{page}",
        "text": text,
        "denotations": [
            {
                "id": f"T{n}",
                "span": {"begin": begin, "end": begin + dice.randint(1, 12)},
                "obj": dice.choice(("Person", "Motion", "Money", "Ordinance")),
            }
            for n, begin in enumerate(begins, 1)
        ],
        "relations": [
            {"id": f"R{n}", "pred": "movedBy", "subj": f"T{n}", "obj": f"T{n + 1}"}
            for n in range(1, size, 4)
        ],
        "attributes": [
            {"id": f"A{n}", "subj": f"T{n}", "pred": "score", "obj": dice.randint(0, 100) / 100}
            for n in range(1, size + 1)
        ],
    }
    return json.dumps(value, separators=(",", ":")).encode() + b"\n"


def edited(text: str, rate: float, seed: int = 2) -> str:
    """Return the text with that share of letters dropped, changed or doubled."""
    dice = random.Random(seed)
    pieces: list[str] = []
    for letter in text:
        fate = dice.random() / rate
        if fate >= 1:
            pieces.append(letter)
        elif fate >= 1 / 3:
            pieces.append(dice.choice("etaoinsh ") * (1 + (fate >= 2 / 3)))
    return "".join(pieces)


def best_of(rounds: int, *ways: Callable[[], object]) -> list[float]:
    """Return the shortest processor time of each way in seconds, the ways taking turns."""
    times = [float("inf")] * len(ways)
    for _ in range(rounds):
        for number, way in enumerate(ways):
            start = time.process_time()
            way()
            times[number] = min(times[number], time.process_time() - start)
    return times


def each_of(lines: list[bytes], way: Callable[[bytes], object]) -> None:
    """Do it to each line and let the result go, as a worker does."""
    for line in lines:
        way(line)


def measure_decoding(lines: list[bytes], rounds: int) -> None:
    """Print what checking costs compared with bare decoding."""
    bare = msgspec.json.Decoder(CheckedObject)
    megabytes = sum(map(len, lines)) / 1e6
    plain, full, with_rows = best_of(
        rounds,
        lambda: each_of(lines, bare.decode),
        lambda: each_of(lines, decode),
        lambda: each_of(lines, lambda line: denotation_rows(decode(line).denotations)),
    )
    print(f"bare msgspec           {megabytes / plain:7.0f} MB/s")
    print(f"decode and check       {megabytes / full:7.0f} MB/s   {full / plain:.2f} x the time")
    print(f"... and rows           {megabytes / with_rows:7.0f} MB/s")


def measure_splitting(path: Path) -> None:
    """Print the speed of splitting a file and of reading its batches."""
    megabytes = path.stat().st_size / 1e6
    upload = receive(path, path.with_suffix(".spool"))
    (cutting,) = best_of(1, lambda: sum(1 for _ in split(upload)))
    batches = list(split(upload))
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    (reading,) = best_of(
        1, lambda: sum(1 for batch in batches for _ in decode_batch(upload, batch))
    )
    after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    print(f"split                  {megabytes / cutting:7.0f} MB/s   {len(batches)} batches")
    grown = (after - before) / 1024
    print(f"read all batches       {megabytes / reading:7.0f} MB/s   {grown:+.0f} MB of memory")


def measure_alignment(characters: int, rounds: int) -> None:
    """Print alignment compared with edlib, and how the time grows."""

    def pair(length: int) -> tuple[str, str]:
        text = " ".join(random.Random(3).choices(vocabulary(), k=length // 5))[:length]
        return text, edited(text, 0.01)

    source, target = pair(characters)
    ways: list[Callable[[], object]] = [lambda: align(source, target)]
    if options.is_installed("edlib", "edlib"):
        import edlib

        ways.append(lambda: edlib.align(source, target, task="path"))
    ours, *theirs = best_of(rounds, *ways)
    print(f"align {characters:,} characters, 1 % edits: {ours * 1000:.1f} ms")
    for each in theirs:
        print(f"edlib on the same pair: {each * 1000:.1f} ms   {each / ours:.1f} x the time")
    for length in (characters // 4, characters // 2, characters, 2 * characters, 4 * characters):
        texts = pair(length)
        (taken,) = best_of(rounds, lambda texts=texts: align(*texts))
        print(
            f"  {length:>9,} characters {taken * 1000:7.1f} ms {taken / length * 1e6:6.3f} us each"
        )


def main() -> int:
    """Run all measurements, or only write the collection."""
    parser = options.parser("annotations", __doc__)
    parser.add_argument("--denotations", type=int, default=1_000_000)
    parser.add_argument("--characters", type=int, default=300_000)
    parser.add_argument("--write", type=Path, help="only write the collection to this file")
    asked = parser.parse_args()
    if asked.write:
        with asked.write.open("wb") as file:
            file.writelines(collection(asked.denotations))
        return 0
    rounds = 7
    if asked.tiny:
        asked.denotations, asked.characters, rounds = 1_000, 2_000, 1
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "collection.jsonl"
        with path.open("wb") as file:
            file.writelines(collection(asked.denotations))
        with path.open("rb") as file:
            sample = [line for line, _ in zip(file, range(SAMPLE_LINES), strict=False)]
        print(f"{asked.denotations:,} denotations, {path.stat().st_size / 1e6:.0f} MB")
        measure_decoding(sample, rounds)
        measure_splitting(path)
    measure_alignment(asked.characters, rounds)
    return 0


if __name__ == "__main__":
    sys.exit(main())
