"""How often the proposed focus is in the subject: `python -m benchmarks.focus [FOLDER ...]`.

A FOLDER has pictures and a `boxes.json`: {"file.jpg": [left, top, right, bottom]}, the subject of each in fractions of
its sides; `benchmarks.photographs` makes two of them. Each picture is looked at whole, and in crops that have its
subject well off their middle, in which an answer that is always the middle is wrong. Without a folder: drawn
subjects and crops of the demo's pictures, as the tests have them. Exit status 1 under LEAST.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from PIL import Image

from capsules.painter.subjects import main_subject
from tests.support.subjects import Box, drawn, is_inside, of_the_demo, placed

LEAST = 0.9
Case = tuple[str, Image.Image, Box]


def whole(folder: Path) -> Iterator[Case]:
    for name, sides in json.loads((folder / "boxes.json").read_text()).items():
        yield name, Image.open(folder / name).convert("RGB"), tuple(sides)


def crops(folder: Path) -> Iterator[Case]:
    for name, picture, box in whole(folder):
        for number, (crop, found) in enumerate(placed(picture, box)):
            yield f"{name} {number}", crop, found


def share(met: list[bool]) -> str:
    return f"{sum(met)} of {len(met)} ({sum(met) / max(1, len(met)):.1%})"


def measure(name: str, cases: Iterator[Case]) -> bool:
    """Prints what is missed, and the shares; returns whether enough is met."""
    met, beside, middle, spent = [], [], [], 0.0
    for label, picture, box in cases:
        begun = time.process_time()
        focus, _ = main_subject(picture)
        spent += time.process_time() - begun
        met.append(is_inside(focus, box))
        middle.append(is_inside((0.5, 0.5), box))
        if not middle[-1]:
            beside.append(met[-1])
        if not met[-1]:
            print(f"missed: {label}: {focus} is outside {[round(side, 2) for side in box]}")
    print(
        f"{name}: {share(met)}; with the subject off the middle {share(beside)}; the middle itself {share(middle)}; "
        f"{1000 * spent / max(1, len(met)):.0f} ms of processor each"
    )
    return sum(met) >= LEAST * len(met) and sum(beside) >= LEAST * len(beside)


if __name__ == "__main__":
    if len(sys.argv) > 1:
        folders = [Path(folder) for folder in sys.argv[1:]]
        enough = [measure(f"{f} {w.__name__}", w(f)) for f in folders for w in (whole, crops)]
    else:
        enough = [measure("drawn", drawn()), measure("the demo", of_the_demo())]
    sys.exit(not all(enough))
