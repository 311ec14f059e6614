"""What one change of a scene costs: `python -m benchmarks.authoring [ROUNDS]`.

Starts the service on data of its own. Prints the PATCH of a scene as a ratio of GET /me, asked in turns in the same
run, and how long changes take while twenty people write at once, each in a capsule of their own.
"""

from __future__ import annotations

import statistics
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from tests.support.running import Service, service

WRITERS = 20


def timed(running: Service, method: str, path: str, body: Any = None) -> float:
    start = time.perf_counter()
    answer = running.call(
        method, f"/api/v2{path}", body, Authorization=f"Bearer {running.seeded['token']}", **JSON
    )
    assert answer.status == 200, answer.body
    return time.perf_counter() - start


JSON = {"Content-Type": "application/json"}


def first_scene(running: Service, story: str) -> str:
    answer = running.call(
        "GET", f"/api/v2/stories/{story}/scenes", Authorization=f"Bearer {running.seeded['token']}"
    )
    return f"/stories/{story}/scenes/{answer.json()['items'][0]['id']}"


def write(running: Service, scene: str, rounds: int) -> list[float]:
    return [timed(running, "PATCH", scene, {"text": f"Words {index}."}) for index in range(rounds)]


def main(rounds: int) -> None:
    limits = {"RATE_AUTHOR": "1000000", "RATE_READ": "1000000"}
    with tempfile.TemporaryDirectory() as folder, service(Path(folder), stories=WRITERS, **limits) as running:
        scenes = [first_scene(running, story) for story in running.seeded["stories"]]
        write(running, scenes[0], 20)
        reads, writes = [], []
        for index in range(rounds):
            reads.append(timed(running, "GET", "/me"))
            writes.append(timed(running, "PATCH", scenes[0], {"text": f"Words {index}."}))
        with ThreadPoolExecutor(WRITERS) as people:
            together = [
                t for times in people.map(lambda s: write(running, s, rounds // 4), scenes) for t in times
            ]
    read, one = statistics.median(reads), statistics.median(writes)
    print(
        f"GET /me {read * 1000:.1f} ms, PATCH of a scene {one * 1000:.1f} ms: {one / read:.2f} times as long"
    )
    p95 = statistics.quantiles(together, n=20)[-1]
    print(f"{WRITERS} writers at once: median {statistics.median(together):.3f} s, p95 {p95:.3f} s")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 100)
