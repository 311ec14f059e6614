"""What one publish costs: `python -m benchmarks.publish [ROUNDS]`.

Starts the service on data of its own, publishes previewed capsules one after the other, and prints the time of the
first publish (nothing left to encode) and of an unchanged republish, their ratio to a bare GET of the same
publication, and the memory of the largest web process.
"""

from __future__ import annotations

import statistics
import sys
import tempfile
import time
from pathlib import Path

from tests.support.running import Service, service


def timed(running: Service, method: str, story: str) -> float:
    start = time.perf_counter()
    answer = running.publication(method, story)
    assert answer.status == 200, answer.body
    return time.perf_counter() - start


def web_memory(running: Service) -> int:
    """Resident MiB of the largest web process."""
    sizes = [
        int(line.split()[1]) // 1024
        for pid, command in running.processes().items()
        if "web_server" in command
        for line in Path(f"/proc/{pid}/status").read_text().splitlines()
        if line.startswith("VmRSS")
    ]
    return max(sizes)


def main(rounds: int) -> None:
    with tempfile.TemporaryDirectory() as folder, service(Path(folder), stories=rounds) as running:
        stories = running.seeded["stories"]
        for _ in range(20):
            timed(running, "GET", stories[0])
        read = statistics.median(timed(running, "GET", story) for story in stories)
        first = [timed(running, "PUT", story) for story in stories]
        again = [timed(running, "PUT", story) for story in stories]
        memory = web_memory(running)
    for name, times in (("first publish", first), ("unchanged republish", again)):
        median, worst = statistics.median(times), max(times)
        print(f"{name}: median {median:.3f} s, worst {worst:.3f} s, {median / read:.1f} times a GET")
    print(f"web process: {memory} MiB")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 20)
